//! What a server may reach by its contract, on this machine. Owns which files count as the system's, and that a contract opens nothing that a
//! configuration above it closed.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use portcullis_core::network::{AllowedHost, NetworkOptions};
use portcullis_sandbox::{Limits, Network, Profile, Proxy};

use super::{keep, meant};
use crate::{
    pins,
    platform::{self, Directories},
};

/// Where a system has the programs and libraries of everybody, and what they are set up with. Homes, data and other mounts are not among them.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/snap",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
];

/// How many words of a command are looked at for files that start it.
const WORDS: usize = 64;

/// What a server may reach while it runs. Its paths are as they were written.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Contracted {
    /// The hosts that it may reach.
    pub hosts: Vec<AllowedHost>,
    /// The variables that it is given beside the usual ones; those that its entry names where there is no list.
    pub env: Option<Vec<String>>,
    /// What it may read beside the system's own files.
    pub read: Vec<String>,
    /// What it may read and write.
    pub write: Vec<String>,
    /// How much it may use.
    pub limits: Limits,
}

impl Contracted {
    /// Whether it reaches anything of the network.
    #[must_use]
    pub fn connects(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// The profile of a server that these words start in a directory. A proxy must be there for one that connects.
    ///
    /// # Errors
    /// When the directory cannot be found, or a path that the contract names lies in what nothing may read.
    pub fn profile(
        &self,
        words: &[OsString],
        directory: &Path,
        directories: &Directories,
        proxy: Option<Proxy>,
    ) -> io::Result<Profile> {
        let directory = fs::canonicalize(directory)?;
        let home = directories.home.as_deref();
        // As they are written, each with where that really is.
        let named = |written: &[String]| -> Vec<(PathBuf, PathBuf)> {
            let paths = written.iter().filter_map(|path| meant(path, home, &directory));
            paths.map(|path| (platform::bare(&path), platform::real(&path))).collect()
        };
        let (read, write) = (named(&self.read), named(&self.write));
        let real = |named: &[(PathBuf, PathBuf)]| -> Vec<PathBuf> {
            named.iter().map(|(_, real)| real.clone()).collect()
        };
        let mut profile = Profile::read_only();
        profile.read = SYSTEM.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
        profile.read.extend(starting(words, &directory));
        profile.read.extend(real(&read));
        profile.write = real(&write);
        keep(&mut profile, &directory, directories);
        // A secret that a contract names by its own path is what the server is there for; our own files are nobody's. A link that leads to one, which
        // others may have put there, names nothing.
        let ours: Vec<PathBuf> =
            super::own_state(directories).map(|path| platform::real(&path)).collect();
        let all = || read.iter().chain(&write);
        profile.denied.retain(|path| {
            ours.contains(&platform::real(path)) || !all().any(|(written, _)| written == path)
        });
        let homes: Vec<PathBuf> = directories.homes().map(platform::real).collect();
        for (written, path) in all() {
            let above =
                profile.denied.iter().find(|denied| path.starts_with(platform::real(denied)));
            if let Some(above) = above {
                return Err(io::Error::other(format!(
                    "`{}` is in its contract and lies in `{}`, which is secret: name that one, or leave it out",
                    written.display(),
                    above.display()
                )));
            }
            let is_wide = |path: &Path| homes.iter().any(|home| home.starts_with(path));
            if is_wide(path) && !directories.homes().any(|home| home.starts_with(written)) {
                return Err(io::Error::other(format!(
                    "`{}` is in its contract and leads to `{}`, by a link: name that one, or leave it out",
                    written.display(),
                    path.display()
                )));
            }
        }
        profile.network = match proxy {
            Some(proxy) if self.connects() => Network::Proxy(proxy),
            _ => Network::Off,
        };
        Ok(profile)
    }

    /// Where it may connect, under what the configuration says of the network: every host is denied that is not named, and where that denies hosts
    /// itself, or is locked, no contract opens one.
    #[must_use]
    pub fn network(&self, base: &NetworkOptions, is_locked: bool) -> NetworkOptions {
        let is_closed = base.default_deny || is_locked;
        let mut hosts = self.hosts.clone();
        if base.default_deny {
            hosts.retain(|host| base.allowed_hosts.iter().any(|entry| covers(entry, host)));
        }
        for host in hosts.iter_mut().filter(|_| is_closed) {
            let entries = || base.allowed_hosts.iter().filter(|entry| covers(entry, host));
            let is_private = entries().any(|entry| entry.allow_private);
            let ports: Vec<u16> = entries().flat_map(|entry| &entry.ports).copied().collect();
            host.allow_private &= is_private;
            host.ports.retain(|port| ports.contains(port) || base.ports.contains(port));
        }
        NetworkOptions {
            allowed_hosts: hosts,
            default_deny: true,
            ports: Vec::new(),
            ..base.clone()
        }
    }

    /// The variables that it is given, of those that its entry names with their values and those of this process; and the names of those that its
    /// entry names in vain.
    #[must_use]
    pub fn variables(
        &self,
        entry: Vec<(OsString, OsString)>,
    ) -> (Vec<(OsString, OsString)>, Vec<String>) {
        let Some(names) = &self.env else { return (entry, Vec::new()) };
        let is_named = |name: &OsString| names.iter().any(|known| name == known.as_str());
        let (mut given, withheld): (Vec<_>, Vec<_>) =
            entry.into_iter().partition(|(name, _)| is_named(name));
        for name in names {
            if given.iter().all(|(known, _)| known != name.as_str()) {
                given.extend(std::env::var_os(name).map(|value| (name.into(), value)));
            }
        }
        let withheld =
            withheld.into_iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        (given, withheld)
    }

    /// In words, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let list = |words: Vec<String>, none: &str| match words.as_slice() {
            [] => none.to_owned(),
            words => words.join(", "),
        };
        let hosts = self.hosts.iter().map(|entry| entry.host.clone()).collect();
        let mut text = format!("connects to {}", list(hosts, "nothing"));
        text.push_str(&format!(
            "; reads the system's files, {}",
            list(self.read.clone(), "no others")
        ));
        text.push_str(&format!("; writes {}", list(self.write.clone(), "nothing")));
        if let Some(env) = &self.env {
            text.push_str(&format!("; is told {}", list(env.clone(), "no variable")));
        }
        text
    }
}

/// The files that start a server: its program, and those among its words. What lies beside them is not.
fn starting(words: &[OsString], directory: &Path) -> Vec<PathBuf> {
    let path = |(at, word): (usize, &OsString)| {
        let text = word.to_str()?;
        let path = if at == 0 { pins::program(text)? } else { PathBuf::from(text) };
        let path = directory.join(path);
        path.is_file().then(|| platform::real(&path))
    };
    words.iter().take(WORDS).enumerate().filter_map(path).collect()
}

/// Whether an entry of `[network]` allows at least what one of a contract does.
fn covers(entry: &AllowedHost, host: &AllowedHost) -> bool {
    let (entry, host) = (entry.host.to_ascii_lowercase(), host.host.to_ascii_lowercase());
    let under = entry.strip_prefix('*').filter(|rest| rest.starts_with('.'));
    entry == host || under.is_some_and(|rest| host.len() > rest.len() && host.ends_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> AllowedHost {
        AllowedHost { host: name.to_owned(), ..AllowedHost::default() }
    }

    #[test]
    fn a_contract_opens_no_host_that_the_network_denies() {
        let contract = Contracted {
            hosts: vec![
                host("api.example.com"),
                host("*.example.org"),
                AllowedHost {
                    allow_private: true,
                    ports: vec![22, 5432],
                    ..host("db.example.net")
                },
            ],
            ..Contracted::default()
        };
        let names = |options: &NetworkOptions| -> Vec<String> {
            options.allowed_hosts.iter().map(|one| one.host.clone()).collect()
        };
        let open = contract.network(&NetworkOptions::default(), false);
        assert!(open.default_deny);
        assert_eq!(names(&open), ["api.example.com", "*.example.org", "db.example.net"]);
        assert!(open.allowed_hosts.last().unwrap().allow_private);
        let base = NetworkOptions {
            default_deny: true,
            allowed_hosts: vec![
                host("*.EXAMPLE.com"),
                host("a.example.org"),
                AllowedHost { ports: vec![5432], ..host("db.example.net") },
            ],
            ..NetworkOptions::default()
        };
        let narrowed = contract.network(&base, false);
        assert_eq!(names(&narrowed), ["api.example.com", "db.example.net"]);
        let last = narrowed.allowed_hosts.last().unwrap();
        assert!(!last.allow_private && last.ports == [5432], "{last:?}");
        let locked = contract.network(&NetworkOptions::default(), true);
        assert!(locked.allowed_hosts.iter().all(|one| !one.allow_private && one.ports.is_empty()));
    }

    #[test]
    fn what_a_contract_does_not_name_is_read_by_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, state) = (root.join("home"), root.join("home/.local/state/portcullis"));
        for path in ["work", ".ssh", ".kube", ".local/state/portcullis"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::write(home.join(".kube/config"), "").unwrap();
        let directories = Directories {
            home: Some(home.clone()),
            state: Some(state.clone()),
            ..Directories::default()
        };
        let profile = |read: &[&str]| {
            let contract = Contracted {
                read: read.iter().map(|&path| path.to_owned()).collect(),
                ..Contracted::default()
            };
            contract.profile(&["sh".into()], &home.join("work"), &directories, None)
        };
        let bare = profile(&[]).unwrap();
        assert!(bare.read.iter().all(|path| !path.starts_with(&root) && path != Path::new("/")));
        assert!(bare.write.is_empty() && bare.network == Network::Off);
        let named = profile(&["./", "~/.kube"]).unwrap();
        assert!(named.read.contains(&home.join("work")));
        assert!(!named.denied.contains(&home.join(".kube")), "{:?}", named.denied);
        assert!(named.denied.contains(&home.join(".ssh")));
        let below = profile(&["~/.kube/config"]).unwrap_err().to_string();
        assert!(below.contains("is secret"), "{below}");
        // A link that others put in the place of what is named opens nothing that is secret, and no home.
        #[cfg(unix)]
        for (to, why) in [(home.join(".ssh"), "is secret"), (home.clone(), "by a link")] {
            let link = home.join("work/data");
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(&to, &link).unwrap();
            let led = profile(&["./data"]).unwrap_err().to_string();
            assert!(led.contains(why), "{led}");
        }
        assert!(profile(&["~/"]).unwrap().read.contains(&home));
        // Our own files are nobody's, by whatever name.
        assert!(profile(&["~/.local/state/portcullis"]).is_err());
    }

    #[test]
    fn variables_are_those_that_the_contract_names() {
        let entry = || vec![("A_KEY".into(), "a".into()), ("B_KEY".into(), "b".into())];
        let open = Contracted::default();
        assert_eq!(open.variables(entry()), (entry(), Vec::new()));
        let contract = Contracted { env: Some(vec!["B_KEY".to_owned()]), ..Contracted::default() };
        let (given, withheld) = contract.variables(entry());
        assert_eq!(given, vec![("B_KEY".into(), "b".into())]);
        assert_eq!(withheld, ["A_KEY"]);
        let none = Contracted { env: Some(Vec::new()), ..Contracted::default() };
        assert_eq!(none.variables(entry()).0, Vec::new());
    }
}
