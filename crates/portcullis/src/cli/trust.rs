//! `trust`: whether a project's file may loosen, and the user's own where it is not as a person left it. Owns what a person is shown and asked; pins
//! are kept by [`crate::config::Trust`], copies of the user's own file by [`crate::config::Kept`], and the person is found by [`crate::person`].

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{Exit, Failure, audit::failure as unrecordable, json_flag, policy, shown, write_json};
use crate::{
    audit::{self, AuditError, Entry, Log},
    config::{
        self, Before, ConfigError, Configuration, FILE_NAME, Kept, Layer, Named, PROJECT_FILE_NAME,
        ProjectFile, Standing, Trust, TrustError,
    },
    hooked,
    person::Person,
    platform::{Directories, user_name},
    report::visible,
    wire::VERSION,
};

pub(super) fn define(command: Command) -> Command {
    let place = || {
        Arg::new("path")
            .value_name("PATH")
            .value_parser(ValueParser::path_buf())
            .help("The project's directory or its file; this one where it is left away")
    };
    command
        .about("Let a project's file, or your own that changed, allow what it asks for, after a person has read it")
        .after_help(
            "Without trust, `.portcullis.toml` can only make things stricter. Any change of the file takes the trust back.\n\
             Your own configuration counts for agents as you left it: what a change loosens waits until you say here that it is yours.\n\n\
             Examples:\n  portcullis trust\n  portcullis trust list\n  portcullis trust revoke ~/work/project",
        )
        .args_conflicts_with_subcommands(true)
        .arg(place())
        .subcommand(Command::new("list").about("List what is trusted").arg(json_flag()))
        .subcommand(Command::new("revoke").about("Take trust back").arg(place()))
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = |matches: &ArgMatches| matches.get_one::<PathBuf>("path").cloned();
    match matches.subcommand() {
        Some(("list", matches)) => list(matches.get_flag("json"), out),
        Some(("revoke", matches)) => revoke(path(matches).as_deref(), out),
        Some(_) => Err(Failure::usage("a command is missing")),
        None => trust(path(matches).as_deref(), out),
    }
}

fn trust(path: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    if let Some(exit) = own(path, out)? {
        return Ok(exit);
    }
    let base = Configuration::load(None).map_err(|error| policy::failure(&error))?;
    let state = Directories::from_environment().state;
    let workspace = workspace(path)?;
    let file = ProjectFile::find(&workspace, state.as_deref());
    let file = file.map_err(|error| policy::failure(&error))?;
    let Some(file) = file else {
        let place = workspace.join(PROJECT_FILE_NAME);
        return Err(Failure::usage(format_args!("there is no `{}`", place.display()))
            .with_help("name the project's directory, or its file"));
    };
    let name = file.path.display().to_string();
    if file.standing == Standing::Trusted {
        return shown(out, &format!("`{}` is trusted already\n", visible::line(&name)));
    }
    let untrusted = base.with_project(&file).map_err(|error| policy::failure(&error))?;
    if untrusted.account.waiting().next().is_none() {
        let words = "asks for nothing that needs trust: all of it holds already";
        return shown(out, &format!("`{}` {words}\n", visible::line(&name)));
    }
    shown(out, &request(&file, &untrusted))?;
    let store = store(state.as_deref())?;
    let mut person = Person::at_terminal_beside(state.as_deref()).map_err(|nobody| {
        Failure::usage(format_args!("a person has to answer: {nobody}")).with_help(nobody.help())
    })?;
    let answer = person.confirm("Trust this file, as it is now, to do so?").map_err(|error| {
        Failure::internal(format_args!("the answer could not be read: {error}"))
    })?;
    if !answer {
        shown(out, "not trusted\n")?;
        return Ok(Exit::Denied);
    }
    grant(&base, &store, &file, person.name())?;
    shown(out, &format!("`{}` is trusted until it changes\n", visible::line(&name)))
}

/// The user's own file, where it is named or is not as a person left it; nothing where it is a project's that is meant.
fn own(path: Option<&Path>, out: &mut dyn Write) -> Result<Option<Exit>, Failure> {
    let mut directories = Directories::from_environment();
    let named = path.and_then(|path| std::path::absolute(path).ok());
    // The one that was noted at the installation is the usual one of hooks.
    let noted = directories.state.as_deref().and_then(hooked::configuration);
    let noted = noted.filter(|noted| {
        named.as_ref().is_some_and(|path| path == noted || *path == noted.join(FILE_NAME))
    });
    directories.configuration = noted.or(directories.configuration);
    let Some(usual) = directories.configuration.as_deref().map(|it| it.join(FILE_NAME)) else {
        return Ok(None);
    };
    let kept = directories.state.as_deref().map(Kept::new);
    let is_usual = |path: &PathBuf| *path == usual || Some(path.as_path()) == usual.parent();
    // One that `--config` names has a copy too.
    let is_kept = |path: &PathBuf| {
        let before = kept.as_ref().map(|kept| kept.before(path, Named::ByOption));
        before.is_some_and(|before| !matches!(before, Ok(Before::First | Before::Another(..))))
            && path.is_file()
            && path.file_name().is_some_and(|name| name != PROJECT_FILE_NAME)
    };
    let file = match &named {
        None => usual,
        Some(path) if is_usual(path) => usual,
        Some(path) if is_kept(path) => path.clone(),
        Some(_) => return Ok(None),
    };
    let is_named = named.is_some();
    let is_own = directories.configuration.as_ref().is_some_and(|it| it.join(FILE_NAME) == file);
    let (option, by) = match is_own {
        true => (None, Named::ByPlace),
        false => (Some(file.as_path()), Named::ByOption),
    };
    let name = file.display().to_string();
    let name = visible::line(&name);
    let read = || config::text_of(&file).map_err(|error| policy::failure(&error));
    let text = read()?;
    let asked = match Configuration::load_for_agents(option, &directories) {
        Ok(configuration) if configuration.doubt().is_none() => {
            return match is_named {
                true => shown(out, &format!("`{name}` is as you left it\n")).map(Some),
                false => Ok(None),
            };
        }
        Ok(configuration) => {
            let doubt = configuration.doubt().unwrap_or_default();
            let shown = configuration.account.sources.last();
            if shown.is_some_and(|shown| shown.sha256 != sha256(&text)) {
                return Err(changed(name.as_ref()));
            }
            let of_it = Configuration::load(
                Some(&file).filter(|file| file.is_file()).map(PathBuf::as_path),
            );
            let unread =
                of_it.as_ref().err().map(|error| format!("\nit cannot be read: {error}\n"));
            let alone = Configuration::parse(&text, &file);
            format!(
                "{}\n{}{}{}",
                visible::line(&doubt),
                said(&configuration),
                alone.map(|alone| lost(&configuration, &alone)).unwrap_or_default(),
                unread.unwrap_or_default()
            )
        }
        Err(error @ ConfigError::NotKept { .. }) => {
            format!("{}\n", visible::line(&error.to_string()))
        }
        Err(error) => return Err(policy::failure(&error)),
    };
    shown(out, &asked)?;
    let base = Configuration::parse(&text, &file).map_err(|error| policy::failure(&error))?;
    let state = directories.state.as_deref();
    let kept = kept.ok_or_else(|| broken(&TrustError::NoDirectory))?;
    let mut person = Person::at_terminal_beside(state).map_err(|nobody| {
        Failure::usage(format_args!("a person has to answer: {nobody}")).with_help(nobody.help())
    })?;
    let answer = person.confirm("Is this file, as it is now, yours?").map_err(|error| {
        Failure::internal(format_args!("the answer could not be read: {error}"))
    })?;
    if !answer {
        shown(out, "what it loosens waits\n")?;
        return Ok(Some(Exit::Denied));
    }
    if read()? != text {
        return Err(changed(name.as_ref()));
    }
    let before = Configuration::load_for_agents(option, &directories).unwrap_or(base);
    record(&before, &config::trusted(person.name(), &file, &sha256(&text)))?;
    kept.keep(&file, by, &text)
        .map_err(|error| Failure::internal(format_args!("`{name}`: {error}")))?;
    shown(out, &format!("`{name}` counts as it is\n")).map(Some)
}

fn changed(name: &str) -> Failure {
    Failure::usage(format_args!("`{name}` changed while you read"))
        .with_help("read it again: `portcullis trust`")
}

fn sha256(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// Recorded first: trust that nobody can trace is none.
fn grant(
    base: &Configuration,
    store: &Trust,
    file: &ProjectFile,
    person: &str,
) -> Result<(), Failure> {
    let what = format!("`{}` with the SHA-256 {}", file.path.display(), file.sha256());
    record(base, &Entry::change(person, "trusted", what))?;
    store.pin(&file.path, &file.sha256(), person).map_err(|error| broken(&error))?;
    Ok(())
}

/// What the file asks for, for the person who decides.
fn request(file: &ProjectFile, untrusted: &Configuration) -> String {
    let mut text = format!("{}\n", visible::line(&file.path.to_string_lossy()));
    match &file.standing {
        Standing::Changed => text.push_str("was trusted, and has changed since then.\n"),
        Standing::Doubtful(reason) => {
            text.push_str(&format!("has a pin that is not believed: {}\n", visible::line(reason)));
        }
        Standing::Trusted | Standing::Untrusted => {}
    }
    text.push_str(&said(untrusted));
    text
}

/// What the last of several files says: what holds already, and what waits.
fn said(untrusted: &Configuration) -> String {
    let mut text = String::new();
    let account = &untrusted.account;
    let project = account.sources.len().checked_sub(1);
    text.push_str("\nholds already, since it only makes things stricter:\n");
    let held = account.settings.iter().filter(|setting| Some(setting.source) == project);
    let held: Vec<_> =
        held.map(|setting| format!("  = {}: {}", setting.key, setting.value)).collect();
    text.push_str(&lines(&held));
    text.push_str("\nwould hold too, if it were trusted:\n");
    let asked = account.waiting().map(|left| format!("  + {}: {}", left.key, left.value));
    text.push_str(&lines(&asked.collect::<Vec<_>>()));
    text.push('\n');
    text
}

/// What holds of the user's file as it was before, and does not stand in it as it is now.
fn lost(untrusted: &Configuration, alone: &Configuration) -> String {
    let account = &untrusted.account;
    let last = account.sources.len().saturating_sub(1);
    let is_before = |source: usize| {
        source != last && account.sources.get(source).is_some_and(|one| one.layer == Layer::User)
    };
    let is_said = |key: &str, value: &str| {
        alone.account.settings.iter().any(|one| (one.key, one.value.as_str()) == (key, value))
    };
    let lost = account
        .settings
        .iter()
        .filter(|one| is_before(one.source) && !is_said(one.key, &one.value));
    let lost: Vec<_> = lost.map(|one| format!("  - {}: {}", one.key, one.value)).collect();
    if lost.is_empty() {
        return String::new();
    }
    format!("would hold no more:\n{}\n", lines(&lost))
}

fn lines(lines: &[String]) -> String {
    if lines.is_empty() {
        return "  nothing\n".to_owned();
    }
    lines.iter().map(|line| format!("{}\n", visible::line(line))).collect()
}

fn list(in_json: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let state = Directories::from_environment().state;
    let (pins, doubtful) = store(state.as_deref())?.list().map_err(|error| broken(&error))?;
    let holds = |path: &Path, sha256: &str| {
        let workspace = path.parent().unwrap_or(path);
        let file = ProjectFile::find(workspace, state.as_deref());
        file.ok().flatten().is_some_and(|file| file.sha256() == sha256)
    };
    if in_json {
        let pins = pins.iter().map(|pin| {
            json!({
                "path": pin.path, "sha256": pin.sha256, "time": pin.time, "by": pin.by,
                "holds": holds(&pin.path, &pin.sha256),
            })
        });
        let doubtful: Vec<_> = doubtful.iter().map(ToString::to_string).collect();
        let pins: Vec<_> = pins.collect();
        return write_json(out, &json!({ "v": VERSION, "trusted": pins, "refused": doubtful }));
    }
    let mut text = String::new();
    if pins.is_empty() && doubtful.is_empty() {
        text.push_str("nothing is trusted\n");
    }
    for pin in &pins {
        let stands = if holds(&pin.path, &pin.sha256) {
            ""
        } else {
            "; it has changed, so it does not hold"
        };
        let line = format!("{} (by {}, {}{stands})", pin.path.display(), pin.by, pin.time);
        text.push_str(&visible::line(&line));
        text.push('\n');
    }
    for error in &doubtful {
        text.push_str(&format!("not believed: {}\n", visible::line(&error.to_string())));
    }
    shown(out, &text)
}

/// Taking trust back makes things stricter, so nobody has to be asked.
fn revoke(path: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let base = Configuration::load(None).map_err(|error| policy::failure(&error))?;
    let workspace = workspace(path)?;
    // The file may be gone; its pin is not.
    let workspace = fs::canonicalize(&workspace).unwrap_or(workspace);
    let file = workspace.join(PROJECT_FILE_NAME);
    let name = file.display().to_string();
    let store = store(Directories::from_environment().state.as_deref())?;
    if !store.revoke(&file).map_err(|error| broken(&error))? {
        return shown(out, &format!("`{}` was not trusted\n", visible::line(&name)));
    }
    record(&base, &Entry::change(user_name(), "revoked", format!("trust in `{name}`")))?;
    shown(out, &format!("`{}` is trusted no more\n", visible::line(&name)))
}

/// The workspace that an argument names: the directory itself, the directory of the file, or the one around this directory.
fn workspace(path: Option<&Path>) -> Result<PathBuf, Failure> {
    let unusable = |error: io::Error| {
        Failure::usage(format_args!("the directory cannot be found out: {error}"))
    };
    let Some(path) = path else {
        return policy::workspace(None).ok_or_else(|| unusable(io::ErrorKind::NotFound.into()));
    };
    let path = std::path::absolute(path).map_err(unusable)?;
    match (path.file_name(), path.parent()) {
        (Some(name), Some(parent)) if name == PROJECT_FILE_NAME => Ok(parent.to_owned()),
        _ if path.is_file() => {
            Err(Failure::usage(format_args!("`{}` is no project's file", path.display()))
                .with_help(format_args!("a project's file is called `{PROJECT_FILE_NAME}`")))
        }
        _ => Ok(path),
    }
}

fn store(state: Option<&Path>) -> Result<Trust, Failure> {
    state.map(Trust::new).ok_or_else(|| broken(&TrustError::NoDirectory))
}

fn broken(error: &TrustError) -> Failure {
    Failure::internal(error)
}

/// Records a change, as far as a record is kept.
fn record(configuration: &Configuration, entry: &Entry) -> Result<(), Failure> {
    let audit = &configuration.audit;
    if !audit.enabled {
        return Ok(());
    }
    let append = || -> Result<(), AuditError> {
        Log::open(&audit::directory(audit.path.as_deref())?)?.append(entry).map(drop)
    };
    append().map_err(|error| unrecordable(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Filter, Kind};

    #[test]
    fn trust_is_recorded_before_it_holds_and_does_not_hold_unrecorded() {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        let (workspace, state) = (root.join("project"), root.join("state"));
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join(PROJECT_FILE_NAME), "rules.allow = ['Bash(make)']").unwrap();
        let file = || ProjectFile::find(&workspace, Some(&state)).unwrap().unwrap();
        let store = Trust::new(&state);
        let recorded_in = |path: &Path| {
            let text = format!("audit.path = '{}'", path.display());
            Configuration::parse(&text, Path::new("config.toml")).unwrap()
        };

        let nowhere = recorded_in(&workspace.join(PROJECT_FILE_NAME));
        assert!(grant(&nowhere, &store, &file(), "ada").is_err());
        assert_eq!(file().standing, Standing::Untrusted);

        let record = root.join("record");
        grant(&recorded_in(&record), &store, &file(), "ada").unwrap();
        assert_eq!(file().standing, Standing::Trusted);
        let records = Log::read(&record).unwrap().list(&Filter::default()).unwrap();
        let entry = &records[0].entry;
        assert_eq!((records.len(), entry.kind), (1, Kind::Change));
        assert_eq!(entry.approver.as_deref(), Some("ada"));
        assert_eq!(entry.outcome.as_deref(), Some("trusted"));
        let reason = entry.reason.clone().unwrap();
        assert!(reason.contains(&file().sha256()) && reason.contains("project"), "{reason}");
    }

    #[test]
    fn a_person_sees_what_holds_and_what_would_hold_and_no_forged_line() {
        let text = "rules.deny = ['Bash(rm)']\nrules.allow = ['Bash(make \u{202e}x)']";
        let file = ProjectFile {
            above: Vec::new(),
            path: "/w/\n.portcullis.toml".into(),
            text: text.to_owned(),
            standing: Standing::Changed,
        };
        let configuration = Configuration::default().with_project(&file).unwrap();
        let shown = request(&file, &configuration);
        assert!(shown.contains("  = rules.deny: Bash(rm)\n"), "{shown}");
        assert!(shown.contains("  + rules.allow: Bash(make "), "{shown}");
        assert!(shown.contains("has changed since"), "{shown}");
        assert!(!shown.contains('\u{202e}') && !shown.contains("/\n."), "{shown}");
    }
}
