//! Which directories of ours a hook takes. Owns what an agent works on, and that nothing in it configures the gate: the
//! environment of a hook can come from a project, and so can links.
//!
//! | what the environment says | what is taken |
//! |---|---|
//! | nothing else than the account | the account's own |
//! | another home, and our files there would lie in what the agent works on, or the account has a configuration | the account's own, and that is said |
//! | another home beside that | what it says: a container, a test |
//! | another directory for configuration, with none in it, and the account has one | the account's own, and that is said |
//! | a directory in what the agent works on, or one that depends on who looks | nothing: the hook refuses |

use std::{
    cell::OnceCell,
    env,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use serde_json::Value;

use super::{HookError, agent::Agent, agents::AGENTS, payload};
use crate::{
    config::FILE_NAME,
    platform::{self, CONFIGURATION, Directories, HOME, OWN_STATE, STATE},
};

/// Beginnings of names that mean something else to each process.
const OF_A_PROCESS: &[&str] = &["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// The most links that one path may lead through, as Linux has it (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// The directories that a hook takes.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) directories: Directories,
    /// What a person should know about them.
    pub(super) note: Option<String>,
}

/// The directories for the calls of a payload.
///
/// # Errors
/// [`HookError::Environment`] and [`HookError::Inside`].
pub(super) fn taken(ground: &Ground, account: Option<&Path>) -> Result<Taken, HookError> {
    decide(ground, account, &platform::variable)
}

/// Sees that a file or directory which is named elsewhere does not lie in what the agent works on.
///
/// # Errors
/// [`HookError::Inside`].
pub(super) fn admitted(ground: &Ground, named: Option<&Path>) -> Result<(), HookError> {
    match named.filter(|path| ground.reaches(path)) {
        Some(path) => Err(HookError::Inside(path.to_owned())),
        None => Ok(()),
    }
}

fn decide(
    ground: &Ground,
    account: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Taken, HookError> {
    let in_home = |home: &Path, variable: &dyn Fn(&str) -> Option<OsString>| {
        let variable = |name: &str| if name == HOME { Some(home.into()) } else { variable(name) };
        Directories::from_variables(variable)
    };
    let mut taken = Directories::from_variables(variable);
    let mut note = None;
    if let Some(account) = account {
        let home = taken.home.clone().unwrap_or_else(|| account.to_owned());
        if !is_same(&home, account) {
            let own = in_home(account, variable);
            let differs = own.configuration != taken.configuration;
            let leads_in = |named: &Option<PathBuf>, own: &Option<PathBuf>| {
                let named = named.as_deref().filter(|_| named != own);
                named.is_some_and(|path| ground.reaches(path))
            };
            if leads_in(&taken.configuration, &own.configuration)
                || leads_in(&taken.state, &own.state)
                || differs && is_configured(&own)
            {
                note = Some(format!(
                    "`{HOME}` is `{}`, which is not the home of this account: the gate's own files are those in `{}`",
                    home.display(),
                    account.display()
                ));
                taken = own;
            }
        }
        if is_set(CONFIGURATION, variable) && !is_configured(&taken) {
            let usual = in_home(account, &|_| None);
            let is_in = taken.configuration.as_deref().is_some_and(|path| ground.reaches(path));
            if is_configured(&usual) && !is_in {
                note.get_or_insert_with(|| {
                    format!(
                        "`{CONFIGURATION}` leads to no configuration: the one in `{}` counts",
                        account.display()
                    )
                });
                taken.configuration = usual.configuration;
            }
        }
        taken.account = Some(account.to_owned());
    }
    let is_plain = taken.home.as_deref() == account
        && ![CONFIGURATION, OWN_STATE, STATE].into_iter().any(|name| is_set(name, variable));
    let usual = match account {
        Some(_) if is_plain => taken.clone(),
        Some(account) => in_home(account, &|_| None),
        None => Directories::default(),
    };
    // Where the account's home is taken, its variable moves nothing any more.
    let home = note.is_none().then_some(HOME);
    for (path, usual, names) in [
        (file(&taken), file(&usual), [Some(CONFIGURATION), home, None]),
        (taken.state.clone(), usual.state, [Some(OWN_STATE), Some(STATE), home]),
    ] {
        let Some(path) = path else { continue };
        let is_usual = usual.as_ref() == Some(&path);
        if ground.takes_in(&path, usual.as_deref()) {
            let mut names = names.into_iter().flatten();
            return Err(match names.find(|name| is_set(name, variable)) {
                Some(name) if !is_usual => HookError::Environment(name),
                _ => HookError::Inside(path),
            });
        }
    }
    Ok(Taken { directories: taken, note })
}

/// The file of a person's configuration.
fn file(directories: &Directories) -> Option<PathBuf> {
    directories.configuration.as_ref().map(|directory| directory.join(FILE_NAME))
}

/// Whether there is a configuration of a person.
fn is_configured(directories: &Directories) -> bool {
    file(directories).is_some_and(|file| fs::symlink_metadata(file).is_ok())
}

/// Whether a variable says something: a relative path is ignored.
fn is_set(name: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> bool {
    variable(name).is_some_and(|value| Path::new(&value).is_absolute())
}

/// The way to a path, as the system goes it: where each link on it stands, and at last where it leads. What is not there yet
/// stays as it is written.
fn way(path: &Path) -> Vec<PathBuf> {
    let mut way = Vec::new();
    let mut here = PathBuf::from("/");
    let mut waiting: Vec<OsString> = steps(path);
    while let Some(step) = waiting.pop() {
        if step == ".." {
            here.pop();
            continue;
        }
        let next = here.join(step);
        match fs::read_link(&next) {
            Ok(target) if way.len() < MAX_LINKS => {
                way.push(next);
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                waiting.extend(steps(&target));
            }
            _ => here = next,
        }
    }
    way.push(here);
    way
}

/// The steps of a path, the last one first.
fn steps(path: &Path) -> Vec<OsString> {
    let step = |component: Component<'_>| match component {
        Component::Normal(_) | Component::ParentDir => Some(component.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(step).collect()
}

/// Whether two names are of one directory.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || identity(one).is_some_and(|known| Some(known) == identity(other))
}

/// What a directory is, whatever it is called: its device and its number there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// What an agent works on: the directories that its payload, its variables and its process name, and the work trees around
/// them. They are looked at only when something of ours is not where it is without any variables or links.
#[derive(Debug, Default)]
pub(super) struct Ground {
    names: Vec<PathBuf>,
    /// What the process names beside them, which is asked only when it matters.
    of_process: Option<fn() -> Vec<PathBuf>>,
    account: Option<PathBuf>,
    known: OnceCell<Known>,
}

#[derive(Debug, Default)]
struct Known {
    places: Vec<Worked>,
    /// The home of the account, without links.
    account: Option<PathBuf>,
}

/// A directory that an agent works in, without links.
#[derive(Debug)]
struct Worked {
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Ground {
    /// Of the hook that a payload was given to.
    pub(super) fn of_hook(payload: &Value, agent: &Agent, account: Option<&Path>) -> Self {
        let mut names: Vec<PathBuf> = Vec::new();
        let mut add = |name: &str| {
            if names.iter().all(|known| known.as_os_str() != name) {
                names.push(PathBuf::from(name));
            }
        };
        for pointer in agent.fields.cwd {
            payload::at(payload, pointer).and_then(Value::as_str).into_iter().for_each(&mut add);
        }
        for pointer in agent.fields.roots {
            let roots = payload::at(payload, pointer).and_then(Value::as_array);
            roots.into_iter().flatten().filter_map(Value::as_str).for_each(&mut add);
        }
        let account = account.map(Path::to_owned);
        Self { names, of_process: Some(named_by_process), account, known: OnceCell::new() }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let account = self.account.as_deref().map(platform::real);
            let mut places: Vec<Worked> = Vec::new();
            let of_process = self.of_process.map(|names| names()).unwrap_or_default();
            for name in self.names.iter().chain(&of_process).filter(|name| name.is_absolute()) {
                let path = platform::real(name);
                // Every work tree around it: one within another is made in no time.
                let is_tree = |path: &&Path| fs::symlink_metadata(path.join(".git")).is_ok();
                let trees = path.ancestors().filter(is_tree);
                for path in std::iter::once(path.as_path()).chain(trees) {
                    // Where somebody works on everything, nothing lies elsewhere.
                    if path.parent().is_some() && places.iter().all(|known| known.path != path) {
                        places.push(Worked { identity: identity(path), path: path.to_owned() });
                    }
                }
            }
            Known { places, account }
        })
    }

    /// Whether a path of ours leads into what the agent works on, or through it. Without links and variables it does not,
    /// wherever that is: those names are guarded by the rules.
    fn takes_in(&self, path: &Path, usual: Option<&Path>) -> bool {
        if usual == Some(path) && !path.ancestors().any(Path::is_symlink) {
            return false;
        }
        let mut way = way(path);
        let end = way.last().map(PathBuf::as_path);
        let is_usual = usual.is_some_and(|usual| {
            end == Some(usual) || {
                let below = self.account.as_ref().and_then(|home| usual.strip_prefix(home).ok());
                let home = self.known().account.as_ref();
                let own = below.zip(home).map(|(below, home)| home.join(below));
                own.is_some_and(|own| end == Some(&own))
            }
        });
        if is_usual {
            way.pop();
        }
        way.iter().any(|step| self.holds(step))
    }

    /// Whether a path leads into what the agent works on, or through it.
    fn reaches(&self, path: &Path) -> bool {
        self.takes_in(path, None)
    }

    /// Whether a path without links lies in what the agent works on, or where each process finds something else. Whoever works on the whole home of the account, or above
    /// it, has all that is in it before them: those names are guarded by the rules.
    fn holds(&self, real: &Path) -> bool {
        if OF_A_PROCESS.iter().any(|beginning| real.starts_with(beginning)) {
            return true;
        }
        let Known { places, account } = self.known();
        let is_at_home = account.as_ref().is_some_and(|home| real.starts_with(home));
        let mut above: Vec<Option<(u64, u64)>> = Vec::new();
        places.iter().any(|place| {
            if is_at_home && account.as_ref().is_some_and(|home| home.starts_with(&place.path)) {
                return false;
            }
            if real.starts_with(&place.path) {
                return true;
            }
            if above.is_empty() {
                above = real.ancestors().map(identity).collect();
            }
            // Under another name: a directory that is mounted twice.
            place.identity.is_some() && above.contains(&place.identity)
        })
    }
}

/// The directories that the variables of this process and its own working directory name. The variables of every agent: several
/// start each other, and run each other's hooks.
fn named_by_process() -> Vec<PathBuf> {
    let mut names: Vec<&str> =
        AGENTS.iter().flat_map(|agent| agent.root_variables).copied().collect();
    names.sort_unstable();
    names.dedup();
    let named = names.into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain(env::current_dir().ok()).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A home of an account with a project in it, another project and another home beside them.
    struct World {
        _keep: tempfile::TempDir,
        root: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let keep = tempfile::tempdir().unwrap();
            let root = fs::canonicalize(keep.path()).unwrap();
            for name in [
                "home/.config/portcullis",
                "home/app/src",
                "project/.git",
                "project/deep/er",
                "other",
            ] {
                fs::create_dir_all(root.join(name)).unwrap();
            }
            Self { _keep: keep, root }
        }

        fn configured(self, directory: &str) -> Self {
            let directory = self.root.join(directory).join("portcullis");
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(FILE_NAME), "").unwrap();
            self
        }

        fn ground(&self, works: &[&str]) -> Ground {
            let names = works.iter().map(|name| self.root.join(name)).collect();
            Ground { names, account: Some(self.root.join("home")), ..Ground::default() }
        }

        /// Where the configuration is, and whether something is said; or what is refused.
        fn decided(
            &self,
            works: &[&str],
            account: Option<&str>,
            variables: &[(&str, &str)],
        ) -> Result<(String, bool), String> {
            let account = account.map(|name| self.root.join(name));
            let ground = Ground { account: account.clone(), ..self.ground(works) };
            let variable = |name: &str| {
                let value = variables.iter().find(|pair| pair.0 == name)?.1;
                let value = value.strip_prefix('=').map(OsString::from);
                value.or_else(|| {
                    let value = variables.iter().find(|pair| pair.0 == name)?.1;
                    Some(self.root.join(value).into_os_string())
                })
            };
            let blanked = |path: &Path| {
                let inside = path.strip_prefix(&self.root).unwrap_or(path);
                inside.display().to_string()
            };
            match decide(&ground, account.as_deref(), &variable) {
                Ok(taken) => {
                    let configuration = taken.directories.configuration.unwrap();
                    Ok((blanked(&configuration), taken.note.is_some()))
                }
                Err(HookError::Environment(name)) => Err(name.to_owned()),
                Err(HookError::Inside(path)) => Err(blanked(&path)),
                Err(other) => panic!("{other}"),
            }
        }
    }

    fn taken(path: &str, is_said: bool) -> Result<(String, bool), String> {
        Ok((path.to_owned(), is_said))
    }

    fn refused(what: &str) -> Result<(String, bool), String> {
        Err(what.to_owned())
    }

    #[test]
    fn the_account_s_own_directories_are_taken_wherever_an_agent_works() {
        let world = World::new();
        let own = taken("home/.config/portcullis", false);
        for works in
            ["home/app", "home", "home/.config", "home/.config/portcullis", "project", "", "/"]
        {
            let decided = world.decided(&[works], Some("home"), &[("HOME", "home")]);
            assert_eq!(decided, own, "{works}");
            let named = [("HOME", "home"), ("XDG_CONFIG_HOME", "home/.config")];
            assert_eq!(world.decided(&[works], Some("home"), &named), own, "{works}");
        }
        // As somebody has it who keeps them elsewhere in their home, and works in all of it.
        let elsewhere = [("HOME", "home"), ("XDG_CONFIG_HOME", "home/.x")];
        let kept = taken("home/.x/portcullis", false);
        assert_eq!(world.decided(&["home"], Some("home"), &elsewhere), kept);
        assert_eq!(world.decided(&[""], Some("home"), &elsewhere), kept);
    }

    #[test]
    fn another_home_counts_where_it_is_none_of_what_the_agent_works_on() {
        let world = World::new();
        let other = [("HOME", "other")];
        assert_eq!(
            world.decided(&["project"], Some("home"), &other),
            taken("other/.config/portcullis", false)
        );
        assert_eq!(
            world.decided(&["project"], None, &other),
            taken("other/.config/portcullis", false)
        );
        // What the account's person wrote is not dropped by a variable.
        let world = world.configured("home/.config");
        let own = taken("home/.config/portcullis", true);
        assert_eq!(world.decided(&["project"], Some("home"), &other), own);
        let gone = [("HOME", "home"), ("XDG_CONFIG_HOME", "other")];
        assert_eq!(world.decided(&["project"], Some("home"), &gone), own);
        let world = world.configured("other");
        assert_eq!(
            world.decided(&["project"], Some("home"), &gone),
            taken("other/portcullis", false)
        );
    }

    #[test]
    fn a_home_in_what_the_agent_works_on_is_the_account_s() {
        let world =
            World::new().configured("project/.config").configured("project/deep/er/.config");
        let own = taken("home/.config/portcullis", true);
        symlink(world.root.join("project"), world.root.join("link")).unwrap();
        for (works, home) in [
            ("project", "project"),
            ("project/deep", "project"),
            ("project", "project/deep/er"),
            ("project", "link"),
            ("link/deep", "project/deep/er"),
            ("other", "=/proc/self/cwd"),
            ("", "other"),
        ] {
            let variables = [("HOME", home)];
            assert_eq!(world.decided(&[works], Some("home"), &variables), own, "{works} {home}");
        }
        assert_eq!(world.decided(&["other", "project"], Some("home"), &[("HOME", "project")]), own);
        // Where nobody knows whose home it would be.
        assert_eq!(world.decided(&["project"], None, &[("HOME", "project/deep")]), refused("HOME"));
        assert_eq!(
            world.decided(&["other"], None, &[("HOME", "=/proc/self/cwd")]),
            refused("HOME")
        );
    }

    #[test]
    fn a_variable_that_leads_into_what_the_agent_works_on_is_refused() {
        let world = World::new().configured("project").configured("project/deep");
        symlink(world.root.join("project"), world.root.join("link")).unwrap();
        symlink(world.root.join("other"), world.root.join("project/out")).unwrap();
        for (name, value) in [
            ("XDG_CONFIG_HOME", "project"),
            ("XDG_CONFIG_HOME", "project/deep"),
            ("XDG_CONFIG_HOME", "home/../project/.x"),
            ("XDG_CONFIG_HOME", "link"),
            ("XDG_CONFIG_HOME", "=/proc/self/cwd"),
            ("XDG_CONFIG_HOME", "=/proc/self/cwd/.config"),
            ("XDG_CONFIG_HOME", "=/dev/../proc/1/root"),
            ("XDG_STATE_HOME", "project"),
            ("PORTCULLIS_STATE_DIR", "project/.x"),
            ("PORTCULLIS_STATE_DIR", "=/dev/fd/3"),
        ] {
            for works in ["project", "link", "project/deep/er"] {
                let decided = world.decided(
                    &["other", works],
                    Some("home"),
                    &[("HOME", "home"), (name, value)],
                );
                assert_eq!(decided, refused(name), "{works} {value}");
            }
        }
        // A work tree within another, and one far above, are of the same agent.
        fs::create_dir_all(world.root.join("project/deep/.git")).unwrap();
        let far = format!("project/{}", "a/".repeat(200));
        fs::create_dir_all(world.root.join(&far)).unwrap();
        for works in ["project/deep/er", &far] {
            let around = [("HOME", "home"), ("XDG_CONFIG_HOME", "project")];
            let decided = world.decided(&[works], Some("home"), &around);
            assert_eq!(decided, refused("XDG_CONFIG_HOME"), "{works}");
        }
        // Who has the link can let it lead elsewhere.
        let out = [("HOME", "home"), ("XDG_CONFIG_HOME", "project/out")];
        assert_eq!(world.decided(&["project"], Some("home"), &out), refused("XDG_CONFIG_HOME"));
        symlink("/proc/self/cwd", world.root.join("other/here")).unwrap();
        let here = [("HOME", "home"), ("XDG_CONFIG_HOME", "other/here/deep")];
        assert_eq!(world.decided(&["home"], Some("home"), &here), refused("XDG_CONFIG_HOME"));
    }

    #[test]
    fn a_link_of_the_account_into_what_the_agent_works_on_is_refused() {
        let world = World::new();
        let file = "home/.config/portcullis/config.toml";
        fs::write(world.root.join("project/deep/config.toml"), "").unwrap();
        symlink(world.root.join("project/deep/config.toml"), world.root.join(file)).unwrap();
        let home = [("HOME", "home")];
        assert_eq!(world.decided(&["project"], Some("home"), &home), refused(file));
        assert_eq!(
            world.decided(&["other"], Some("home"), &home),
            taken("home/.config/portcullis", false)
        );
        // Of a home that is itself reached through a link, nothing is refused.
        symlink(world.root.join("home"), world.root.join("linked")).unwrap();
        fs::remove_file(world.root.join(file)).unwrap();
        let linked = [("HOME", "linked")];
        assert_eq!(
            world.decided(&["linked/app"], Some("linked"), &linked),
            taken("linked/.config/portcullis", false)
        );
    }

    #[test]
    fn what_is_named_elsewhere_must_not_lie_in_it_either() {
        let world = World::new();
        let ground = world.ground(&["project/deep"]);
        for (path, is_admitted) in [
            ("project/x.toml", false),
            ("project/deep/x", false),
            ("other/x", true),
            ("home/x", true),
        ] {
            assert_eq!(
                admitted(&ground, Some(&world.root.join(path))).is_ok(),
                is_admitted,
                "{path}"
            );
        }
        assert!(admitted(&ground, Some(Path::new("/proc/self/cwd/x"))).is_err());
        assert!(admitted(&ground, None).is_ok());
    }
}
