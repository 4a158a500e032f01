//! Which directories of ours a hook takes. Owns that nothing which an agent works on configures the gate or holds its record:
//! the environment of a hook can come from a project, and so can links.
//!
//! | what the environment says | what is taken |
//! |---|---|
//! | nothing else than the account | the account's own |
//! | a directory in what the agent works on, or near it, or one that depends on who looks | nothing: the hook refuses |
//! | one in some work tree, where the account was not set up | the same |
//! | such a home, or any other home while the agent works in the account's | the account's own, and that is said |
//! | anything else, where the account was set up: there is a configuration, `install` was run, or a hook saw that before | the account's own, and that is said |
//! | anything else: a container, a test | what it says |
//!
//! Who keeps the configuration elsewhere for good says so by `install`, which notes what its environment names.

mod way;
mod works;

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

pub(super) use self::works::Ground;

use self::way::{has_twin, is_in_a_tree, is_same};
use super::HookError;
use crate::{
    config::{FILE_NAME, Kept},
    hooked,
    install::machine,
    platform::{self, CONFIGURATION, Directories, HOME, OWN_STATE, STATE},
};

/// The directories that a hook takes.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) directories: Directories,
    /// Whether the account was set up, so that variables neither move anything of ours nor turn the record off.
    pub(super) is_settled: bool,
    /// What a person should know about them.
    pub(super) note: Option<String>,
}

/// What the environment says.
type Variable<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The directories for the calls of a payload.
///
/// # Errors
/// [`HookError::Environment`], [`HookError::Inside`] and [`HookError::Twin`].
pub(super) fn taken(ground: &Ground, account: Option<&Path>) -> Result<Taken, HookError> {
    let taken = decide(ground, account, &platform::variable)?;
    match file(&taken.directories).filter(|file| has_twin(file)) {
        Some(file) => Err(HookError::Twin(file)),
        None => Ok(taken),
    }
}

/// The account's own directory for state, where the account was set up and no agent works on it.
pub(super) fn in_use(ground: &Ground, account: Option<&Path>) -> Option<PathBuf> {
    let state = Directories::usual(account?).state?;
    (is_in_use(Some(&state)) && !ground.reaches(&state)).then_some(state)
}

/// Whether settings of an agent in the account's home call us, where nothing else of ours is left there to ask: files are read only then.
pub(super) fn is_called(directories: &Directories, account: Option<&Path>) -> bool {
    let Some(account) = account else { return false };
    let state = directories.state.as_deref();
    state.is_some_and(|state| {
        fs::symlink_metadata(state.join("own")).is_err()
            && Directories::usual(account).state.as_deref() == Some(state)
    }) && machine::calls_us(account)
}

/// Sees that a file or directory which is named elsewhere does not lie in what the agent works on.
///
/// # Errors
/// [`HookError::Inside`].
pub(super) fn admitted(ground: &Ground, named: Option<&Path>) -> Result<(), HookError> {
    let Some(named) = named else { return Ok(()) };
    // A relative one is looked for where this process is.
    let path = std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
    if ground.reaches(&path) { Err(HookError::Inside(named.to_owned())) } else { Ok(()) }
}

fn decide(
    ground: &Ground,
    account: Option<&Path>,
    variable: Variable<'_>,
) -> Result<Taken, HookError> {
    let named = Directories::from_variables(variable);
    let Some(account) = account else {
        checked(ground, &named, &Directories::default(), true, variable)?;
        return Ok(Taken { directories: named, is_settled: false, note: None });
    };
    let usual = Directories::usual(account);
    let standing = Standing::of(&usual, account);
    let mut taken = named;
    let mut note = None;
    let home = taken.home.clone().unwrap_or_else(|| account.to_owned());
    let is_other = !is_same(&home, account);
    if is_other {
        let at_home = |name: &str| if name == HOME { Some(account.into()) } else { variable(name) };
        let own = Directories::from_variables(at_home);
        let leads_in = |named: &Option<PathBuf>, own: &Option<PathBuf>| {
            let named = named.as_deref().filter(|_| named != own);
            named.is_some_and(|path| ground.reaches(path) || is_in_a_tree(path))
        };
        let moves = own.configuration != taken.configuration || own.state != taken.state;
        if leads_in(&taken.configuration, &own.configuration)
            || leads_in(&taken.state, &own.state)
            || moves && (standing.is_settled() || ground.is_at_home())
        {
            note = Some(format!(
                "`{HOME}` is `{}`, which is not the home of this account: the gate's own files are those in `{}`",
                home.display(),
                account.display()
            ));
            taken = own;
        }
    }
    // Where the account's home is taken, its variable moves nothing any more.
    checked(ground, &taken, &usual, note.is_none(), variable)?;
    let trial = usual.state.as_deref().zip(taken.state.as_deref());
    let is_trial = trial.is_some_and(|(usual, state)| hooked::is_trial(usual, state));
    let mut is_moved = false;
    let mut moved = |directory: &mut Option<PathBuf>, own: Option<&PathBuf>, names: &str| {
        if own.is_some() && directory.as_ref() != own {
            is_moved = true;
            note.get_or_insert_with(|| {
                format!(
                    "{names} leads elsewhere: the gate's own files are those in `{}`, where it was set up. `portcullis \
                     install` notes another directory for the configuration, where you want one",
                    account.display()
                )
            });
            *directory = own.cloned();
        }
    };
    match &standing {
        Standing::Configured => {
            moved(&mut taken.configuration, usual.configuration.as_ref(), CONFIGURATION);
        }
        Standing::Installed(noted) => {
            let own = noted.as_ref().or(usual.configuration.as_ref());
            moved(&mut taken.configuration, own, CONFIGURATION);
        }
        Standing::New => under_nobodys_version_control(&taken, &usual, variable)?,
    }
    if is_in_use(usual.state.as_deref()) && !is_trial {
        moved(&mut taken.state, usual.state.as_ref(), STATE);
    }
    // What was not moved since was looked at.
    if is_moved {
        checked(ground, &taken, &usual, false, variable)?;
    }
    let is_settled = standing.is_settled() && !is_trial;
    taken.account = Some(account.to_owned());
    Ok(Taken { directories: taken, is_settled, note })
}

/// Sees that none of the directories lies in a work tree, where nobody said before that it is there: what a project sets for its agent
/// counts on when the agent goes elsewhere.
fn under_nobodys_version_control(
    taken: &Directories,
    usual: &Directories,
    variable: Variable<'_>,
) -> Result<(), HookError> {
    for (path, usual, names) in [
        (&taken.configuration, &usual.configuration, [CONFIGURATION, CONFIGURATION]),
        (&taken.state, &usual.state, [OWN_STATE, STATE]),
    ] {
        let named = names.into_iter().find(|name| is_set(name, variable));
        if let (Some(path), Some(name)) = (path, named)
            && usual.as_ref() != Some(path)
            && is_in_a_tree(path)
        {
            return Err(HookError::Environment(name));
        }
    }
    Ok(())
}

/// What the account has of ours, in the usual places.
enum Standing {
    /// Nothing.
    New,
    /// A hook was installed or ran, and no configuration is there; the directory that was noted for it, where it is another one.
    Installed(Option<PathBuf>),
    /// A configuration.
    Configured,
}

impl Standing {
    fn of(usual: &Directories, account: &Path) -> Self {
        let state = usual.state.as_deref();
        if is_configured(usual) {
            Self::Configured
        } else if is_in_use(state) {
            Self::Installed(state.and_then(hooked::configuration))
        } else if machine::calls_us(account) {
            Self::Installed(None)
        } else {
            Self::New
        }
    }

    const fn is_settled(&self) -> bool {
        !matches!(self, Self::New)
    }
}

/// Whether a hook was installed whose state is kept here, or one ran where the account was set up, whatever was taken away since then.
fn is_in_use(state: Option<&Path>) -> bool {
    hooked::is_installed(state) || state.is_some_and(|state| Kept::new(state).is_settled())
}

/// Sees that none of the directories lies in what the agent works on, and none that a variable names near it.
fn checked(
    ground: &Ground,
    taken: &Directories,
    usual: &Directories,
    home_counts: bool,
    variable: Variable<'_>,
) -> Result<(), HookError> {
    let home = home_counts.then_some(HOME);
    for (path, usual, names) in [
        (file(taken), file(usual), [Some(CONFIGURATION), home, None]),
        (taken.state.clone(), usual.state.clone(), [Some(OWN_STATE), Some(STATE), home]),
    ] {
        let Some(path) = path else { continue };
        let is_usual = usual.as_ref() == Some(&path);
        let named = names.into_iter().flatten().find(|name| is_set(name, variable));
        if ground.takes_in(&path, usual.as_deref()) {
            return Err(match named {
                Some(name) if !is_usual => HookError::Environment(name),
                _ => HookError::Inside(path),
            });
        }
        // A home is judged as a whole, by the account.
        let directory = named.filter(|name| !is_usual && *name != HOME);
        if let Some(name) = directory
            && let Some(value) = variable(name).map(PathBuf::from)
            && path.starts_with(&value)
            && ground.is_near(&value)
        {
            return Err(HookError::Environment(name));
        }
    }
    Ok(())
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
fn is_set(name: &str, variable: Variable<'_>) -> bool {
    variable(name).is_some_and(|value| Path::new(&value).is_absolute())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::config::Named;

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
            Ground::of(names, Some(&self.root.join("home")))
        }

        /// Where the configuration is, and whether something is said; or what is refused.
        fn decided(
            &self,
            works: &[&str],
            account: Option<&str>,
            variables: &[(&str, &str)],
        ) -> Result<(String, bool), String> {
            let account = account.map(|name| self.root.join(name));
            let names = works.iter().map(|name| self.root.join(name)).collect();
            let ground = Ground::of(names, account.as_deref());
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

    impl World {
        /// What is taken for the account.
        fn taken(&self, works: &[&str], variables: &[(&str, &str)]) -> Taken {
            let account = self.root.join("home");
            let names = works.iter().map(|name| self.root.join(name)).collect();
            let ground = Ground::of(names, Some(&account));
            let variable = |name: &str| {
                let value = variables.iter().find(|pair| pair.0 == name)?.1;
                Some(self.root.join(value).into_os_string())
            };
            decide(&ground, Some(&account), &variable).unwrap()
        }
    }

    fn taken(path: &str, is_said: bool) -> Result<(String, bool), String> {
        Ok((path.to_owned(), is_said))
    }

    fn refused(what: &str) -> Result<(String, bool), String> {
        Err(what.to_owned())
    }

    #[test]
    fn what_was_set_up_stays_so_whatever_is_taken_away() {
        let world = World::new().configured("other");
        let variables = [("HOME", "home"), (CONFIGURATION, "other"), (STATE, "other")];
        let own = world.root.join("home/.local/state/portcullis");
        let file = world.root.join("home/.config/portcullis").join(FILE_NAME);
        let kept = Kept::new(&own);
        let directories = || world.taken(&["project"], &variables);
        assert!(!directories().is_settled);
        kept.keep(&file, Named::ByPlace, "").unwrap();
        assert!(!directories().is_settled, "a hook ran, and nobody had set anything up");
        kept.settle(true).unwrap();
        let Taken { directories, is_settled, note } = directories();
        assert!(is_settled && note.is_some());
        assert_eq!(directories.configuration, file.parent().map(Path::to_owned));
        assert_eq!(directories.state.as_ref(), Some(&own));
        // Another home is no way around it.
        let variables = [("HOME", "other")];
        let Taken { directories, is_settled, .. } = world.taken(&["project"], &variables);
        assert!(is_settled);
        assert_eq!(directories.state, Some(own));
    }

    #[test]
    fn settings_of_an_agent_that_call_us_tell_that_the_account_was_set_up() {
        let world = World::new().configured("other");
        let variables = [("HOME", "home"), (CONFIGURATION, "other")];
        assert!(!world.taken(&["project"], &variables).is_settled);
        let settings = world.root.join("home/.claude/settings.json");
        fs::create_dir_all(settings.parent().unwrap()).unwrap();
        fs::write(&settings, r#"{"hooks": {"x": "/usr/bin/portcullis hook claude"}}"#).unwrap();
        let Taken { directories, is_settled, .. } = world.taken(&["project"], &variables);
        assert!(is_settled);
        assert_eq!(directories.configuration, Some(world.root.join("home/.config/portcullis")));
        let home = world.root.join("home");
        assert!(is_called(&Directories::usual(&home), Some(&home)));
        fs::write(&settings, "{}").unwrap();
        assert!(!is_called(&Directories::usual(&home), Some(&home)));
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
        assert_eq!(world.decided(&["project"], Some("home"), &gone), own);
        // While the agent works at home, no other home counts.
        let world = World::new();
        assert_eq!(
            world.decided(&["home/app"], Some("home"), &other),
            taken("home/.config/portcullis", true)
        );
    }

    #[test]
    fn a_tree_that_the_agent_left_configures_nothing() {
        let world = World::new();
        let own = taken("home/.config/portcullis", true);
        for home in ["project", "project/deep"] {
            let decided = world.decided(&["other"], Some("home"), &[("HOME", home)]);
            assert_eq!(decided, own, "{home}");
            let decided = world.decided(&[], Some("home"), &[("HOME", home)]);
            assert_eq!(decided, own, "{home}");
        }
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "PORTCULLIS_STATE_DIR"] {
            let variables = [("HOME", "home"), (name, "project/deep")];
            assert_eq!(world.decided(&["other"], Some("home"), &variables), refused(name));
        }
    }

    #[test]
    fn where_a_hook_was_installed_no_variable_moves_anything() {
        let world = World::new().configured("other").configured("home/.x");
        let state = world.root.join("home/.local/state/portcullis");
        platform::create_private_directory(&state).unwrap();
        hooked::write(&state, &["/home/dev/.claude/settings.json"], None).unwrap();
        let own = taken("home/.config/portcullis", true);
        for named in
            [("HOME", "other"), ("XDG_CONFIG_HOME", "other"), ("XDG_CONFIG_HOME", "home/.x")]
        {
            let variables = [("HOME", "home"), named];
            let variables = if named.0 == "HOME" { &variables[1..] } else { &variables[..] };
            assert_eq!(world.decided(&["project"], Some("home"), variables), own, "{named:?}");
        }
        for name in ["XDG_STATE_HOME", "PORTCULLIS_STATE_DIR"] {
            let variables = [("HOME", "home"), (name, "other")];
            let decided = world.taken(&["project"], &variables);
            assert_eq!(decided.directories.state.as_ref(), Some(&state), "{name}");
            assert!(decided.is_settled && decided.note.is_some(), "{name}");
        }
        assert!(world.taken(&["project"], &[("HOME", "home")]).is_settled);
        // Whoever keeps the configuration elsewhere had that noted.
        let noted = world.root.join("home/.x/portcullis");
        hooked::write(&state, &["/home/dev/.claude/settings.json"], Some(&noted)).unwrap();
        let variables = [("HOME", "home"), ("XDG_CONFIG_HOME", "home/.x")];
        let kept = taken("home/.x/portcullis", false);
        assert_eq!(world.decided(&["project"], Some("home"), &variables), kept);
        let kept = taken("home/.x/portcullis", true);
        assert_eq!(world.decided(&["project"], Some("home"), &[("HOME", "home")]), kept);
        // A trial of the installation records apart, until its time is up.
        let apart = world.root.join("other");
        let variables = [("HOME", "home"), ("PORTCULLIS_STATE_DIR", "other")];
        assert!(hooked::begin_trial(&state, &apart).unwrap());
        let decided = world.taken(&["project"], &variables);
        assert_eq!(decided.directories.state, Some(apart));
        assert!(!decided.is_settled);
        hooked::end_trial(&state);
        assert_eq!(world.taken(&["project"], &variables).directories.state, Some(state));
    }

    #[test]
    fn what_a_variable_names_is_not_nearer_to_the_work_than_to_the_home() {
        let world = World::new().configured("home/code/other").configured("home/.x");
        for name in ["app/sub", "other", "app/sub/deep"] {
            fs::create_dir_all(world.root.join("home/code").join(name)).unwrap();
        }
        for value in
            ["home/code", "home/code/other", "home/code/app", "home/code/app/x", "home/code/new"]
        {
            for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "PORTCULLIS_STATE_DIR"] {
                let decided = world.decided(
                    &["home/code/app/sub"],
                    Some("home"),
                    &[("HOME", "home"), (name, value)],
                );
                assert_eq!(decided, refused(name), "{value}");
            }
        }
        let kept = taken("home/.x/portcullis", false);
        let elsewhere = [("HOME", "home"), ("XDG_CONFIG_HOME", "home/.x")];
        assert_eq!(world.decided(&["home/code/app/sub"], Some("home"), &elsewhere), kept);
        // A directory that holds the work, where nothing marks a project.
        let around = [("HOME", "home"), ("XDG_CONFIG_HOME", "other")];
        assert_eq!(
            world.decided(&["other/portcullis/x"], Some("home"), &around),
            refused("XDG_CONFIG_HOME")
        );
    }

    #[test]
    fn a_tree_within_a_tree_and_a_further_tree_are_worked_on_whole() {
        let world = World::new();
        for name in ["project/deep/er/.git", "project/.git/worktrees/w", "tree"] {
            fs::create_dir_all(world.root.join(name)).unwrap();
        }
        let repository = world.root.join("project/.git/worktrees/w");
        fs::write(world.root.join("tree/.git"), format!("gitdir: {}\n", repository.display()))
            .unwrap();
        fs::write(repository.join("commondir"), "../..\n").unwrap();
        for works in ["project/deep/er", "tree"] {
            for value in ["project", "project/.git", "project/deep"] {
                let variables = [("HOME", "home"), ("XDG_CONFIG_HOME", value)];
                let decided = world.decided(&[works], Some("home"), &variables);
                assert_eq!(decided, refused("XDG_CONFIG_HOME"), "{works} {value}");
            }
        }
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
        let here = Ground::of(vec![std::env::current_dir().unwrap()], None);
        assert!(admitted(&here, Some(Path::new("x.toml"))).is_err());
        assert!(admitted(&ground, None).is_ok());
    }
}
