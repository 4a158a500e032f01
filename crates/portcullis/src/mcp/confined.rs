//! What holds a server while it runs: its contract, else a profile that was named, else nothing but an environment of its own. Owns that the same
//! holds wherever one is started, to be used or to be looked at; what a contract comes to, [`crate::sandbox`] knows.

use std::{ffi::OsString, io, path::PathBuf};

use serde_json::{Value, json};

use super::child::Start;
use crate::{
    config::Configuration,
    sandbox::{Contracted, environment},
};

/// What holds a server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Held<'a> {
    /// Its contract.
    Contract(&'a Contracted),
    /// A profile of the sandbox, by its name.
    Profile(&'a str),
    /// It is no process of ours, and is reached by an address through the guarded client.
    Elsewhere,
    /// It may do what its user may.
    Nothing,
}

impl<'a> Held<'a> {
    /// What holds a server, where its entry names this profile: a contract before any profile.
    #[must_use]
    pub fn of(configuration: &'a Configuration, server: &str, profile: Option<&'a str>) -> Self {
        match (configuration.server_contract(server), profile) {
            (Some(contract), _) => Self::Contract(contract),
            (None, Some(profile)) => Self::Profile(profile),
            (None, None) => Self::Nothing,
        }
    }

    /// In words, for people.
    #[must_use]
    pub fn words(&self, server: &str) -> String {
        match self {
            Self::Contract(contract) => format!("by its contract: {}", contract.words()),
            Self::Profile(profile) => format!("by the profile `{profile}`"),
            Self::Elsewhere => "it is elsewhere".to_owned(),
            Self::Nothing => format!(
                "by nothing: it may do what you may; `portcullis mcp contract {server}` proposes a contract"
            ),
        }
    }

    /// For programs.
    #[must_use]
    pub fn shape(&self) -> Value {
        match self {
            Self::Contract(contract) => {
                let hosts: Vec<&str> =
                    contract.hosts.iter().map(|host| host.host.as_str()).collect();
                json!({
                    "by": "contract",
                    "hosts": hosts,
                    "read": contract.read,
                    "write": contract.write,
                    "env": contract.env,
                })
            }
            Self::Profile(profile) => json!({"by": "profile", "profile": profile}),
            Self::Elsewhere => json!({"by": "address"}),
            Self::Nothing => json!({"by": null}),
        }
    }
}

/// A server, as it is to be started.
#[derive(Debug)]
pub struct Startup {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The variables that its entry names, with their values.
    pub variables: Vec<(OsString, OsString)>,
    /// The directory that it is started in, where it is not ours.
    pub directory: Option<PathBuf>,
    /// The profile that its entry names.
    pub profile: Option<String>,
}

/// How a server is started inside what holds it, and what whoever starts it should be told.
///
/// # Errors
/// When it cannot be found out which file this program runs from, which makes the sandbox.
pub fn start(
    configuration: &Configuration,
    server: &str,
    entry: Startup,
) -> io::Result<(Start, Vec<String>)> {
    let Startup { words, variables, directory, profile } = entry;
    let mut notes = Vec::new();
    let inside = |by: [&str; 2], variables: Vec<(OsString, OsString)>| {
        let words = sandboxed(configuration, by, &variables, &words)?;
        // It is this program that reads it, and tells the server what it names.
        let own = std::env::vars_os();
        let mut all: Vec<(OsString, OsString)> =
            own.filter(|(name, _)| variables.iter().all(|(known, _)| known != name)).collect();
        all.extend(variables);
        Ok::<_, io::Error>((words, all))
    };
    let (words, environment) = match Held::of(configuration, server, profile.as_deref()) {
        Held::Nothing | Held::Elsewhere => (words, environment(variables)),
        Held::Profile(profile) => inside(["--profile", profile], variables)?,
        Held::Contract(contract) => {
            if let Some(profile) = &profile {
                notes.push(format!("its contract holds it, and not the profile `{profile}`"));
            }
            let (variables, withheld) = contract.variables(variables);
            if !withheld.is_empty() {
                let withheld = withheld.join("`, `");
                notes.push(format!("it is not told `{withheld}`: its contract does not name that"));
            }
            inside(["--contract", server], variables)?
        }
    };
    let start = Start { words, environment, directory, label: String::new(), is_apart: false };
    Ok((start, notes))
}

/// The words that start a server inside limits: this program does that, by the same configuration, and passes its streams through.
fn sandboxed(
    configuration: &Configuration,
    by: [&str; 2],
    variables: &[(OsString, OsString)],
    words: &[OsString],
) -> io::Result<Vec<OsString>> {
    let mut all: Vec<OsString> = vec![std::env::current_exe()?.into_os_string()];
    all.extend(["sandbox", "run"].iter().chain(&by).map(OsString::from));
    if let Some(file) = configuration.own_file() {
        all.extend(["--config".into(), file.into_os_string()]);
    }
    if let Some(state) = configuration.state() {
        all.extend(["--state".into(), state.into_os_string()]);
    }
    // It has them already, and says so once more: what runs inside is told no variable that nobody names.
    all.extend(variables.iter().flat_map(|(name, _)| ["--env".into(), name.clone()]));
    all.push("--".into());
    all.extend(words.iter().cloned());
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn configured(text: &str) -> Configuration {
        Configuration::parse(text, Path::new("/etc/mine.toml")).unwrap()
    }

    #[test]
    fn a_contract_holds_before_a_profile_and_a_star_stands_for_those_without_one() {
        let configuration = configured(
            "[contracts.servers.tracker]\nhosts = [\"api.example.com\"]\n[contracts.servers.\"*\"]\n",
        );
        let hosts = |server: &str| match Held::of(&configuration, server, Some("workspace-write")) {
            Held::Contract(contract) => contract.hosts.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((hosts("tracker"), hosts("other"), hosts("*")), (1, 0, 0));
        let none = configured("");
        assert_eq!(Held::of(&none, "tracker", Some("read-only")), Held::Profile("read-only"));
        assert_eq!(Held::of(&none, "tracker", None), Held::Nothing);
    }

    #[test]
    fn what_starts_it_goes_by_the_same_configuration_and_is_told_what_the_contract_names() {
        let mut configuration = configured("[contracts.servers.tracker]\nenv = [\"KEY\"]\n");
        configuration.audit.path = Some("/var/state".into());
        let entry = Startup {
            words: vec!["tracker".into()],
            variables: vec![("KEY".into(), "k".into()), ("OTHER".into(), "o".into())],
            directory: None,
            profile: Some("open".to_owned()),
        };
        let (start, notes) = start(&configuration, "tracker", entry).unwrap();
        let words: Vec<&str> =
            start.words.iter().skip(1).filter_map(|word| word.to_str()).collect();
        let expected = [
            "sandbox",
            "run",
            "--contract",
            "tracker",
            "--config",
            "/etc/mine.toml",
            "--state",
            "/var/state",
            "--env",
            "KEY",
            "--",
            "tracker",
        ];
        assert_eq!(words, expected);
        assert!(!words.contains(&"OTHER"));
        assert_eq!(notes.len(), 2, "{notes:?}");
    }
}
