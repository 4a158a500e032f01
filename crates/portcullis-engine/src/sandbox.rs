//! What programs of agents may do inside limits: which files are secret or protected comes from the core's tables, where the user's
//! files are from the system. Owns the profiles by name; what holds them, `portcullis_sandbox` does.

mod contracted;
mod left;
mod originals;
mod repositories;
mod there;

use std::{
    collections::{BTreeMap, HashSet},
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use portcullis_core::place::{self, NamedPath};
use portcullis_sandbox::{Limits, Network, Profile, Proxy};

pub use contracted::Contracted;
pub use left::Before;

use self::{originals::originals, there::There};
use crate::platform::{self, Directories};

/// What a program is told of our environment.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CLICOLOR",
    "COLUMNS",
    "LINES",
    "TZ",
    "CI",
];

/// Beginnings of further variables that it is told.
const VARIABLE_BEGINNINGS: &[&str] = &["LC_"];

/// A built-in profile.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BuiltIn {
    /// Writes nothing, connects nowhere.
    ReadOnly,
    /// Writes the workspace.
    WorkspaceWrite,
    /// Writes the workspace, and connects through our proxy.
    NetworkProxy,
}

impl BuiltIn {
    /// Each of them.
    pub const ALL: &[Self] = &[Self::ReadOnly, Self::WorkspaceWrite, Self::NetworkProxy];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::NetworkProxy => "network-proxy",
        }
    }

    /// The one of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }

    /// Its profile, with what is secret and protected on this machine. A proxy must be there for the one that connects.
    ///
    /// # Errors
    /// When the workspace cannot be found.
    pub fn profile(
        self,
        workspace: &Path,
        directories: &Directories,
        proxy: Option<Proxy>,
    ) -> io::Result<Profile> {
        let workspace = fs::canonicalize(workspace)?;
        let mut profile = match (self, proxy) {
            (Self::ReadOnly, _) => Profile::read_only(),
            (Self::NetworkProxy, Some(proxy)) => Profile::network_proxy(&workspace, proxy),
            (Self::WorkspaceWrite | Self::NetworkProxy, _) => Profile::workspace_write(&workspace),
        };
        keep(&mut profile, &workspace, directories);
        Ok(profile)
    }
}

/// The profile of a run whose changes go elsewhere. Nothing is protected: whatever it changes is judged before any of it counts.
///
/// # Errors
/// When the workspace cannot be found.
pub fn trying(workspace: &Path, directories: &Directories) -> io::Result<Profile> {
    let workspace = fs::canonicalize(workspace)?;
    let mut profile = Profile::workspace_write(&workspace);
    deny(&mut profile, &workspace, directories);
    Ok(profile)
}

/// A profile, as it is named.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Named {
    /// One that is built in.
    BuiltIn(BuiltIn),
    /// One of the configuration.
    Custom(Box<Custom>),
}

impl Named {
    /// The profile of a name, among those that are built in and these.
    #[must_use]
    pub fn find(name: &str, profiles: &BTreeMap<String, Custom>) -> Option<Self> {
        let custom = || profiles.get(name).cloned().map(Box::new).map(Self::Custom);
        BuiltIn::named(name).map(Self::BuiltIn).or_else(custom)
    }

    /// Whether it needs our proxy.
    #[must_use]
    pub fn connects(&self) -> bool {
        match self {
            Self::BuiltIn(one) => *one == BuiltIn::NetworkProxy,
            Self::Custom(one) => one.network == Way::Proxy,
        }
    }

    /// How much may be used inside.
    #[must_use]
    pub fn limits(&self) -> Limits {
        match self {
            Self::BuiltIn(_) => Limits::default(),
            Self::Custom(one) => one.limits.clone(),
        }
    }

    /// The profile on this machine. A proxy must be there for one that connects to it.
    ///
    /// # Errors
    /// When the workspace cannot be found.
    pub fn profile(
        &self,
        workspace: &Path,
        directories: &Directories,
        proxy: Option<Proxy>,
    ) -> io::Result<Profile> {
        match self {
            Self::BuiltIn(one) => one.profile(workspace, directories, proxy),
            Self::Custom(one) => one.profile(workspace, directories, proxy),
        }
    }
}

/// What every profile keeps away from.
fn keep(profile: &mut Profile, workspace: &Path, directories: &Directories) {
    deny(profile, workspace, directories);
    protect(profile, workspace, directories);
}

/// Adds what nothing in a profile reads.
fn deny(profile: &mut Profile, workspace: &Path, directories: &Directories) {
    // Whose secrets they are, the account says and not a variable; what the variable names is somebody's home too.
    let homes: Vec<Option<&Path>> = directories.homes().map(Some).collect();
    let homes = if homes.is_empty() { vec![None] } else { homes };
    let mut there = There::default();
    profile.denied =
        homes.into_iter().flat_map(|home| secrets_among(&mut there, home, workspace)).collect();
    // The record and the grants say what was done and what may be.
    profile.denied.extend(own_state(directories).filter(|state| !workspace.starts_with(state)));
    profile.denied.sort_unstable();
    profile.denied.dedup();
}

/// Where our own state is, or would be.
fn own_state(directories: &Directories) -> impl Iterator<Item = PathBuf> {
    let below_homes = directories.homes().map(|home| home.join(".local/state/portcullis"));
    below_homes.chain(directories.state.clone())
}

/// Adds what is protected where the profile writes.
fn protect(profile: &mut Profile, workspace: &Path, directories: &Directories) {
    if profile.write.is_empty() {
        return;
    }
    let own: Vec<PathBuf> = directories.homes().map(Path::to_owned).collect();
    let found = repositories::below(&profile.write, &own);
    let homes: Vec<Option<&Path>> = directories.homes().map(Some).collect();
    let homes = if homes.is_empty() { vec![None] } else { homes };
    let mut programs = Vec::new();
    for home in homes {
        let (guarded, of_agents) = guarded_among(home, workspace);
        profile.protected.extend(guarded);
        programs.extend(of_agents);
    }
    let is_of_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    let named = profile.protected.iter().filter(|path| is_of_git(path));
    let stand_ins =
        named.chain(&found.obeyed).filter_map(|path| repositories::stand_in(path, &found.taken_in));
    profile.stand_ins = stand_ins.collect();
    profile.stand_ins.sort_unstable();
    profile.stand_ins.dedup();
    profile.protected.extend(found.obeyed);
    profile.protected.extend(at_home(directories, &profile.write));
    profile.protected.retain(|path| !found.unkept.contains(path));
    profile.stand_ins.retain(|one| !found.unkept.contains(&one.path));
    profile.protected.sort_unstable();
    profile.protected.dedup();
    profile.overlooked = found.overlooked;
    let own = std::env::current_exe().ok();
    programs.extend(own.clone());
    let elsewhere = found.elsewhere.into_iter().chain(own);
    profile.originals = originals(profile, directories, elsewhere, &programs);
}

/// What is protected where a home directory, or our own files, may be written: what configures us and what we keep, and what
/// starts by itself or is obeyed by whatever the user does next.
fn at_home(directories: &Directories, write: &[PathBuf]) -> Vec<PathBuf> {
    let is_written = |path: &PathBuf| write.iter().any(|root| path.starts_with(root));
    let mut found = Vec::new();
    let mut ours: Vec<PathBuf> = Vec::new();
    ours.extend(directories.configuration.clone());
    ours.extend(directories.state.clone());
    ours.extend(directories.managed.as_ref().map(|managed| managed.directory.clone()));
    for home in directories.homes() {
        let usual = Directories::usual(home);
        ours.extend(usual.configuration.into_iter().chain(usual.state));
        let home = platform::real(home);
        let Some(name) = home.to_str().filter(|_| is_written(&home)) else { continue };
        let mut there = There::default();
        for (named, is_looked_for) in place::started_paths(name) {
            let paths = there.find(&named.path);
            found.extend((paths.is_empty() && is_looked_for).then(|| PathBuf::from(&named.path)));
            found.extend(paths);
        }
    }
    found.extend(ours.iter().map(|path| platform::real(path)).filter(is_written));
    found.sort_unstable();
    found.dedup();
    found
}

/// The same profile with other places to write. What is protected in the workspace stays so.
pub fn writing(
    mut profile: Profile,
    write: Vec<PathBuf>,
    workspace: &Path,
    directories: &Directories,
) -> Profile {
    profile.write = write;
    protect(&mut profile, workspace, directories);
    profile
}

/// A profile of the configuration. Its paths are as they were written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Custom {
    /// Whether the workspace may be written.
    pub workspace: bool,
    /// What may be read in place of everything, where there is any.
    pub read: Vec<String>,
    /// What may be written beside the workspace.
    pub write: Vec<String>,
    /// What may not be read beside what is secret.
    pub deny: Vec<String>,
    /// What may not be changed or made beside what is protected.
    pub protect: Vec<String>,
    /// Where it may connect.
    pub network: Way,
    /// Whether it may use Unix sockets.
    pub unix_sockets: bool,
    /// How much it may use.
    pub limits: Limits,
}

/// Where programs of a profile may connect.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Way {
    /// Nowhere.
    Off,
    /// To our own proxy.
    Proxy,
    /// Anywhere.
    Open,
}

impl Custom {
    /// The profile on this machine. A proxy must be there for one that connects to it.
    ///
    /// # Errors
    /// When the workspace cannot be found.
    pub fn profile(
        &self,
        workspace: &Path,
        directories: &Directories,
        proxy: Option<Proxy>,
    ) -> io::Result<Profile> {
        let workspace = fs::canonicalize(workspace)?;
        let home = directories.home.as_deref();
        let paths = |written: &[String]| -> Vec<PathBuf> {
            written.iter().filter_map(|path| meant(path, home, &workspace)).collect()
        };
        let mut profile = Profile::read_only();
        if !self.read.is_empty() {
            profile.read = paths(&self.read);
            profile.read.push(workspace.clone());
        }
        profile.write = paths(&self.write);
        profile.write.extend(self.workspace.then(|| workspace.clone()));
        keep(&mut profile, &workspace, directories);
        profile.denied.extend(paths(&self.deny));
        profile.protected.extend(paths(&self.protect));
        profile.unix_sockets = self.unix_sockets;
        profile.network = match (self.network, proxy) {
            (Way::Open, _) => Network::Open,
            (Way::Proxy, Some(proxy)) => Network::Proxy(proxy),
            (Way::Off | Way::Proxy, _) => Network::Off,
        };
        Ok(profile)
    }
}

/// The path that is meant; none below a home that nobody knows.
fn meant(written: &str, home: Option<&Path>, workspace: &Path) -> Option<PathBuf> {
    match (written.strip_prefix("~/"), written.strip_prefix("./")) {
        (Some(rest), _) => Some(home?.join(rest)),
        (_, Some(rest)) => Some(workspace.join(rest)),
        _ => Some(PathBuf::from(written)),
    }
}

/// The environment that a program is given, `more` added.
#[must_use]
pub fn environment(more: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let is_harmless = |name: &OsString| {
        name.to_str().is_some_and(|name| {
            VARIABLES.contains(&name)
                || VARIABLE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        })
    };
    let mut list: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| is_harmless(name) && more.iter().all(|(known, _)| known != name))
        .collect();
    list.extend(more);
    list
}

/// What is secret and there. What holds the workspace cannot be denied.
#[must_use]
pub fn secrets(home: Option<&Path>, workspace: &Path) -> Vec<PathBuf> {
    secrets_among(&mut There::default(), home, workspace)
}

fn secrets_among(there: &mut There, home: Option<&Path>, workspace: &Path) -> Vec<PathBuf> {
    let home = home.and_then(Path::to_str);
    let named = place::secret_paths(home, &workspace.to_string_lossy());
    let mut found: Vec<PathBuf> = named.iter().flat_map(|one| there.find(&one.path)).collect();
    found.retain(|path| !workspace.starts_with(path));
    found.sort_unstable();
    found.dedup();
    found
}

/// What is protected: all that is there, and what is not there yet where it would be obeyed. Names of agents that nobody uses here would
/// only be in the way.
#[must_use]
pub fn guarded(home: Option<&Path>, workspace: &Path) -> Vec<PathBuf> {
    guarded_among(home, workspace).0
}

/// The same, and those of it that are programs of agents.
fn guarded_among(home: Option<&Path>, workspace: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let home = home.and_then(Path::to_str);
    let named = place::guarded_paths(home, &workspace.to_string_lossy());
    let mut there = There::default();
    let mut found: Vec<PathBuf> = Vec::new();
    let mut missing: Vec<&NamedPath> = Vec::new();
    let mut agents = HashSet::new();
    let mut programs = Vec::new();
    for one in &named {
        let paths = there.find(&one.path);
        if paths.is_empty() {
            missing.push(one);
        } else {
            agents.extend(one.agent);
        }
        if one.agent == Some(place::PROGRAM) {
            programs.extend(paths.iter().cloned());
        }
        found.extend(paths);
    }
    let obeyed = missing.into_iter().filter(|one| {
        !one.path.contains('*')
            && one.agent.is_none_or(|agent| agent != place::PROGRAM && agents.contains(agent))
    });
    found.extend(obeyed.map(|one| PathBuf::from(&one.path)));
    found.sort_unstable();
    found.dedup();
    (found, programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_settings_are_protected_of_agents_that_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, workspace) = (root.join("home"), root.join("home/project"));
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::create_dir_all(workspace.join(".git/modules/sub/hooks")).unwrap();
        let found = guarded(Some(&home), &workspace);
        for path in [".git/hooks", ".git/config", ".git/modules/sub/hooks", ".claude", ".mcp.json"]
        {
            assert!(found.contains(&workspace.join(path)), "{path}");
        }
        assert!(!found.contains(&workspace.join(".qwen")));
        let program = home.join(".local/bin/claude");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, "").unwrap();
        let found = guarded(Some(&home), &workspace);
        assert!(found.contains(&program));
        assert!(!found.contains(&home.join(".local/bin/codex")), "nothing is kept where none is");
        fs::create_dir_all(workspace.join(".qwen")).unwrap();
        assert!(guarded(Some(&home), &workspace).contains(&workspace.join(".qwen")));
    }

    #[test]
    fn switches_and_plugins_of_agents_on_this_machine_are_protected_and_their_logins_are_secret() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, workspace) = (root.join("home"), root.join("home/project"));
        for path in [".config/kilo", ".copilot", ".local/share/kilo", ".pi/agent", ".mcp-auth"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::create_dir_all(home.join(".config/sops/age")).unwrap();
        fs::create_dir_all(workspace.join(".github")).unwrap();
        let found = guarded(Some(&home), &workspace);
        for path in [".kilo", "kilo.json", ".github/copilot/settings.json", ".github/extensions"] {
            assert!(found.contains(&workspace.join(path)), "{path}");
        }
        assert!(found.contains(&home.join(".config/kilo")), "where our own plugin lies");
        assert!(!found.iter().any(|path| path.ends_with(".vscode/settings.json")));
        for path in [".local/share/kilo/auth.json", ".pi/agent/auth.json"] {
            fs::write(home.join(path), "x").unwrap();
        }
        let secret = secrets(Some(&home), &workspace);
        for path in
            [".local/share/kilo/auth.json", ".pi/agent/auth.json", ".mcp-auth", ".config/sops/age"]
        {
            assert!(secret.contains(&home.join(path)), "{path}");
        }
    }

    #[test]
    fn what_is_protected_stays_so_where_a_tool_writes_elsewhere_than_its_profile() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
        let directories = Directories::default();
        let reads = Custom {
            workspace: false,
            read: Vec::new(),
            write: Vec::new(),
            deny: Vec::new(),
            protect: Vec::new(),
            network: Way::Off,
            unix_sockets: false,
            limits: Limits::default(),
        };
        let profile = reads.profile(&workspace, &directories, None).unwrap();
        let profile = writing(profile, vec![workspace.clone()], &workspace, &directories);
        assert_eq!(profile.write, std::slice::from_ref(&workspace));
        assert!(profile.protected.contains(&workspace.join(".git/hooks")));
    }

    #[test]
    fn a_workspace_at_home_or_above_it_protects_what_configures_us_and_what_starts_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, account) = (root.join("home"), root.join("account"));
        fs::create_dir_all(home.join(".config/systemd")).unwrap();
        fs::create_dir_all(&account).unwrap();
        let variables =
            |name: &str| (name == platform::HOME).then(|| home.clone().into_os_string());
        let directories = Directories {
            account: Some(account.clone()),
            ..Directories::from_variables(variables)
        };
        for workspace in [&home, &root] {
            let profile = BuiltIn::WorkspaceWrite.profile(workspace, &directories, None).unwrap();
            for path in
                [".config/portcullis", ".local/state/portcullis", ".bashrc", ".config/systemd"]
            {
                assert!(profile.protected.contains(&home.join(path)), "{path} in {workspace:?}");
            }
            assert_eq!(profile.protected.contains(&account.join(".bashrc")), workspace == &root);
        }
        let project = home.join("app");
        fs::create_dir(&project).unwrap();
        let profile = BuiltIn::WorkspaceWrite.profile(&project, &directories, None).unwrap();
        assert!(!profile.protected.contains(&home.join(".bashrc")));
        assert!(!profile.protected.contains(&home.join(".config/portcullis")));
    }

    #[test]
    fn secrets_of_the_account_are_denied_wherever_the_home_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (account, said, workspace) = (root.join("account"), root.join("said"), root.join("w"));
        for folder in [account.join(".ssh"), said.join(".aws"), workspace.clone()] {
            fs::create_dir_all(folder).unwrap();
        }
        let directories = Directories {
            home: Some(said.clone()),
            account: Some(account.clone()),
            ..Directories::default()
        };
        let profile = BuiltIn::ReadOnly.profile(&workspace, &directories, None).unwrap();
        for path in
            [account.join(".ssh"), said.join(".aws"), account.join(".local/state/portcullis")]
        {
            assert!(profile.denied.contains(&path), "{}", path.display());
        }
    }

    #[test]
    fn repositories_within_are_protected_and_their_missing_files_kept_by_files() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(workspace.join("vendor/lib/.git/hooks")).unwrap();
        fs::create_dir_all(workspace.join(".git/objects/info")).unwrap();
        let profile =
            BuiltIn::WorkspaceWrite.profile(&workspace, &Directories::default(), None).unwrap();
        for path in [
            ".git/commondir",
            ".git/config.worktree",
            ".git/objects/info/alternates",
            "vendor/lib/.git/hooks",
            "vendor/lib/.git/config",
            "vendor/lib/.git/commondir",
        ] {
            assert!(profile.protected.contains(&workspace.join(path)), "{path}");
        }
        // Work goes on in the repository itself.
        assert!(!profile.protected.contains(&workspace.join(".git")));
        for path in [".git/commondir", "vendor/lib/.git/commondir"] {
            let kept = profile.stand_ins.iter().find(|one| one.path == workspace.join(path));
            assert_eq!(kept.map(|one| one.text.as_str()), Some(".\n"), "{path}");
        }
    }

    #[test]
    fn secrets_are_denied_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, workspace) = (root.join("home"), root.join("home/project"));
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join(".cargo")).unwrap();
        fs::create_dir_all(&workspace).unwrap();
        fs::write(home.join(".cargo/credentials.toml"), "").unwrap();
        let found = secrets(Some(&home), &workspace);
        assert!(found.contains(&home.join(".ssh")));
        assert!(found.contains(&home.join(".cargo/credentials.toml")));
        assert!(!found.contains(&home.join(".aws")));
        assert!(found.iter().all(|path| !workspace.starts_with(path)));
    }
}
