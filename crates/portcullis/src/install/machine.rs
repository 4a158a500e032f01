//! Where things are on this machine. Owns how a place of the table becomes a path and how an agent is found; it changes
//! nothing.

use std::{
    collections::BTreeMap,
    env, fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{
    agents::{
        AGENTS,
        agent::Agent,
        table::{Base, Place, Scope, Target, Trace},
    },
    platform::Directories,
};

/// The variable that says where configuration is.
const CONFIGURATION: &str = "XDG_CONFIG_HOME";

/// What is known of a machine: its directories and variables.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The home directory.
    pub home: PathBuf,
    /// The directory for configuration of other programs.
    pub configuration: PathBuf,
    /// The directory for documents.
    pub documents: PathBuf,
    /// The project, where one is meant.
    pub project: Option<PathBuf>,
    /// Where programs are looked for.
    pub programs: Vec<PathBuf>,
    /// The root of the file system.
    pub root: PathBuf,
    /// The variables that the table asks for.
    pub variables: BTreeMap<String, String>,
}

/// A path, and the directory that it is looked at from: what is above that is the system's affair.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Located {
    /// Where it begins.
    pub base: PathBuf,
    /// The whole path.
    pub path: PathBuf,
}

impl Machine {
    /// This machine; `None` without a home directory.
    #[must_use]
    pub fn this(project: Option<PathBuf>) -> Option<Self> {
        let home = real(Directories::from_environment().home?);
        let variables: BTreeMap<String, String> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let configuration = variables.get(CONFIGURATION).map(PathBuf::from);
        let configuration = configuration.filter(|path| path.is_absolute());
        let configuration = real(configuration.unwrap_or_else(|| home.join(".config")));
        let list = fs::read_to_string(configuration.join("user-dirs.dirs")).unwrap_or_default();
        let documents = documents(&list, &home).unwrap_or_else(|| home.join("Documents"));
        let programs = env::var_os("PATH").map(|path| env::split_paths(&path).collect());
        Some(Self {
            configuration,
            documents: real(documents),
            project: project.map(real),
            programs: programs.unwrap_or_default(),
            root: PathBuf::from("/"),
            variables,
            home,
        })
    }

    /// Where a place is; `None` where it is in a project and none is meant.
    #[must_use]
    pub fn locate(&self, place: Place) -> Option<Located> {
        let base = match place.base {
            Base::Home => self.home.clone(),
            Base::Configuration => self.configuration.clone(),
            Base::Documents => self.documents.clone(),
            Base::System => self.root.clone(),
            Base::Project => self.project.clone()?,
            Base::Variable(name, otherwise) => {
                let named = self.variables.get(name).map(PathBuf::from);
                match named.filter(|path| path.is_absolute()) {
                    Some(path) => real(path),
                    None => {
                        let path = self.home.join(otherwise).join(place.path);
                        return Some(Located { base: self.home.clone(), path });
                    }
                }
            }
        };
        Some(Located { path: base.join(place.path), base })
    }

    /// What shows that an agent is here, in words; `None` where nothing does.
    #[must_use]
    pub fn found(&self, agent: &Agent) -> Option<String> {
        agent.install.traces.iter().find_map(|trace| self.trace(*trace))
    }

    /// What a trace led to, in words.
    #[must_use]
    pub fn trace(&self, trace: Trace) -> Option<String> {
        match trace {
            Trace::Program(name) => {
                let path = self.programs.iter().map(|directory| directory.join(name));
                let path = path.into_iter().find(|path| path.is_file())?;
                Some(format!("the program `{}`", path.display()))
            }
            Trace::Path(place) => {
                let path = self.locate(place)?.path;
                path.symlink_metadata().ok()?;
                Some(format!("`{}`", path.display()))
            }
            Trace::Beginning(place, beginning) => {
                let entries = fs::read_dir(self.locate(place)?.path).ok()?;
                let fits = |entry: &fs::DirEntry| {
                    entry.file_name().to_str().is_some_and(|name| name.starts_with(beginning))
                };
                let entry = entries.flatten().find(fits)?;
                Some(format!("`{}`", entry.path().display()))
            }
        }
    }

    /// The files of an agent that matter in a scope.
    #[must_use]
    pub fn targets(&self, agent: &Agent, scope: Scope) -> Vec<(&'static Target, Located)> {
        let matters = |target: &Target| {
            target.only_with.is_none_or(|trace| self.trace(trace).is_some())
                && target.only_without.is_none_or(|trace| self.trace(trace).is_none())
        };
        let mut targets = self.all_targets(agent, scope);
        targets.retain(|(target, _)| matters(target));
        targets
    }

    /// All files that an agent could have in a scope.
    #[must_use]
    pub fn all_targets(&self, agent: &Agent, scope: Scope) -> Vec<(&'static Target, Located)> {
        let targets = agent.install.targets.iter().filter(|target| target.scope == scope);
        let mut all: Vec<(&'static Target, Located)> = Vec::new();
        for target in targets {
            let Some(located) = self.locate(target.place) else { continue };
            // Two places can be one on this machine.
            if all.iter().all(|(_, known)| known.path != located.path) {
                all.push((target, located));
            }
        }
        all
    }
}

/// The most bytes of an agent's settings that are looked through.
const LONGEST: u64 = 1 << 20;

/// Whether settings of an agent in a home, where `install` writes them, call us; no variable says where those are.
#[must_use]
pub fn calls_us(home: &Path) -> bool {
    let machine = Machine {
        home: home.to_owned(),
        configuration: home.join(".config"),
        documents: home.join("Documents"),
        root: PathBuf::from("/"),
        ..Machine::default()
    };
    let calls = |path: &Path| {
        let mut text = Vec::new();
        fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        Some(text.contains("portcullis") && text.contains("hook"))
    };
    let all = AGENTS.iter().flat_map(|agent| machine.all_targets(agent, Scope::User));
    all.filter(|(_, located)| located.path.starts_with(home))
        .any(|(_, located)| calls(&located.path).unwrap_or_default())
}

/// The path that it really is, as far as it exists.
fn real(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

/// The directory for documents in a list as `xdg-user-dirs` keeps it.
fn documents(list: &str, home: &Path) -> Option<PathBuf> {
    let line = list.lines().find_map(|line| line.trim().strip_prefix("XDG_DOCUMENTS_DIR="))?;
    let value = line.trim().trim_matches('"');
    let path = match value.strip_prefix("$HOME") {
        Some(rest) => home.join(rest.trim_start_matches('/')),
        None => PathBuf::from(value),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_where_the_desktop_keeps_them() {
        let home = Path::new("/home/dev");
        for (list, path) in [
            ("XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n", Some("/home/dev/Dokumente")),
            ("# x\nXDG_DOCUMENTS_DIR=\"/data/doc\"", Some("/data/doc")),
            ("XDG_DOCUMENTS_DIR=\"doc\"", None),
            ("", None),
        ] {
            assert_eq!(documents(list, home), path.map(PathBuf::from), "{list}");
        }
    }
}
