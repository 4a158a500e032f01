//! A contract for a server, to be read by a person and written down: which hosts a known service has, what its command names and what its entry is told.
//! Owns the table of hosts; what a contract then comes to, [`crate::sandbox`] knows.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use portcullis_core::understand;

use crate::{pins, platform};

/// The hosts of the services whose servers are known, by a name of the server, from the services' own documentation. Where a person has one of their
/// own (a cluster, a database, a house), nobody knows it here.
const HOSTS: &[(&str, &[&str])] = &[
    ("aws", &["*.amazonaws.com"]),
    ("calendar", &["www.googleapis.com", "oauth2.googleapis.com", "accounts.google.com"]),
    ("cloudflare", &["api.cloudflare.com"]),
    (
        "drive",
        &[
            "www.googleapis.com",
            "docs.googleapis.com",
            "sheets.googleapis.com",
            "oauth2.googleapis.com",
            "accounts.google.com",
        ],
    ),
    ("figma", &["api.figma.com"]),
    ("filesystem", &[]),
    ("git", &[]),
    (
        "github",
        &["api.github.com", "github.com", "raw.githubusercontent.com", "uploads.github.com"],
    ),
    ("gitlab", &["gitlab.com"]),
    (
        "gmail",
        &[
            "gmail.googleapis.com",
            "www.googleapis.com",
            "oauth2.googleapis.com",
            "accounts.google.com",
        ],
    ),
    ("jira", &["*.atlassian.net", "api.atlassian.com", "auth.atlassian.com"]),
    ("linear", &["api.linear.app"]),
    ("notion", &["api.notion.com"]),
    ("paypal", &["api-m.paypal.com", "api-m.sandbox.paypal.com"]),
    ("sentry", &["sentry.io", "*.sentry.io"]),
    ("slack", &["slack.com", "*.slack.com"]),
    ("sqlite", &[]),
    ("stripe", &["api.stripe.com"]),
    ("supabase", &["api.supabase.com", "*.supabase.co"]),
    ("terraform", &["registry.terraform.io", "app.terraform.io"]),
];

/// What fetches a server when it starts it: the hosts that it is fetched from, and where that is kept.
const FETCHERS: &[(&[&str], &[&str], &[&str])] = &[
    (&["npx", "npm", "pnpm", "pnpx", "yarn", "bunx"], &["registry.npmjs.org"], &["~/.npm"]),
    (
        &["uvx", "uv", "pipx"],
        &["pypi.org", "files.pythonhosted.org"],
        &["~/.cache/uv", "~/.local/share/uv"],
    ),
];

/// A contract that is proposed.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Proposal {
    /// The hosts; nothing where nobody knows them here.
    pub hosts: Option<Vec<String>>,
    /// The hosts that it is fetched from when it starts.
    pub fetched: Vec<String>,
    /// The variables.
    pub env: Vec<String>,
    /// What it reads.
    pub read: Vec<String>,
    /// What it writes.
    pub write: Vec<String>,
}

impl Proposal {
    /// For a server that these words start, with the variables that its entry names.
    #[must_use]
    pub fn of(server: &str, words: &[String], variables: &[String], home: Option<&Path>) -> Self {
        let known = known(server);
        let hosts = known.map(|hosts| hosts.iter().map(|&host| host.to_owned()).collect());
        let mut proposal = Self { hosts, env: variables.to_vec(), ..Self::default() };
        let program = words.first().map(String::as_str).unwrap_or_default();
        let called = Path::new(program).file_stem().and_then(|name| name.to_str());
        for (names, hosts, kept) in FETCHERS {
            if called.is_some_and(|name| names.contains(&name)) {
                proposal.fetched.extend(hosts.iter().map(|&host| host.to_owned()));
                proposal.write.extend(kept.iter().map(|&path| path.to_owned()));
            }
        }
        let written = |path: &Path| match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~/".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        };
        if let Some(place) = pins::program(program).and_then(|path| installed(&path, home)) {
            proposal.read.push(written(&place));
        }
        for word in words.iter().skip(1).filter(|word| word.contains('/') || *word == ".") {
            let path = platform::real(Path::new(word));
            if path.is_dir() {
                // What a server is given by its command it is there to work on; whether it may change it, a person knows.
                proposal.write.push(written(&path));
            } else if path.is_file() {
                proposal.read.extend(path.parent().map(written));
            }
        }
        for list in [&mut proposal.read, &mut proposal.write, &mut proposal.env] {
            let mut met = BTreeSet::new();
            list.retain(|one| met.insert(one.clone()));
        }
        proposal
    }

    /// As it is written down.
    #[must_use]
    pub fn page(&self, server: &str) -> String {
        let list = |words: &[String]| toml::Value::from(words.to_vec()).to_string();
        let key = toml::Value::from(server).to_string();
        let is_bare =
            server.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let key = if is_bare && !server.is_empty() { server.to_owned() } else { key };
        let mut text = format!("[contracts.servers.{key}]\n");
        let mut hosts = self.hosts.clone().unwrap_or_default();
        hosts.extend(self.fetched.iter().cloned());
        let why = match (&self.hosts, self.fetched.is_empty()) {
            (None, _) => "  # which hosts its service has is not known here: name them",
            (Some(_), false) => "  # the last are those that it is fetched from when it starts",
            (Some(hosts), true) if hosts.is_empty() => "  # it needs none",
            _ => "",
        };
        text.push_str(&format!("hosts = {}{why}\n", list(&hosts)));
        text.push_str(&format!("env = {}\n", list(&self.env)));
        text.push_str(&format!("read = {}\n", list(&self.read)));
        text.push_str(&format!("write = {}\n", list(&self.write)));
        text
    }
}

/// The hosts of the service that a server's name says it is for.
fn known(server: &str) -> Option<&'static [&'static str]> {
    let lower = server.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let is_named = |name: &&str| name.split('-').all(|part| words.contains(&part));
    let found = understand::servers().iter().find(|known| known.names.iter().any(&is_named))?;
    let hosts = HOSTS.iter().find(|(name, _)| found.names.contains(name))?;
    Some(hosts.1)
}

/// Where a program of somebody's home is installed: what holds its `bin`, and never a home itself or all that programs keep there.
fn installed(program: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let home = platform::real(home?);
    let real = platform::real(program);
    if !real.starts_with(&home) {
        return None;
    }
    let folder = real.parent()?.to_owned();
    let above = folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == "bin"));
    let is_shared = |path: &Path| home.starts_with(path) || path == home.join(".local");
    above
        .filter(|path| !is_shared(path))
        .map(Path::to_owned)
        .or(Some(folder))
        .filter(|path| !is_shared(path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Configuration;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn every_row_is_of_a_server_that_is_known() {
        for (name, _) in HOSTS {
            let is_known = understand::servers().iter().any(|server| server.names.contains(name));
            assert!(is_known, "{name}");
        }
    }

    #[test]
    fn what_is_proposed_names_the_service_and_what_the_command_names_and_can_be_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in ["notes", "tool/bin", ".local/bin"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        for path in ["tool/bin/serve", ".local/bin/serve"] {
            fs::write(home.join(path), "").unwrap();
        }
        let notes = home.join("notes").display().to_string();
        let proposed = |server: &str, command: &[&str], env: &[&str]| {
            Proposal::of(server, &words(command), &words(env), Some(&home))
        };
        let files = proposed("filesystem", &["npx", "-y", "@x/server", &notes], &[]);
        assert_eq!(files.hosts, Some(Vec::new()));
        assert_eq!(files.fetched, ["registry.npmjs.org"]);
        assert_eq!(files.write, ["~/.npm", "~/notes"]);
        let issues = proposed("my-github", &["github-mcp-server", "stdio"], &["GITHUB_TOKEN"]);
        assert!(issues.hosts.as_ref().unwrap().contains(&"api.github.com".to_owned()));
        assert_eq!(issues.env, ["GITHUB_TOKEN"]);
        let own = home.join("tool/bin/serve").display().to_string();
        let other = proposed("wiki of \"ours\"", &[&own], &[]);
        assert_eq!(
            (other.hosts.as_ref(), other.read.as_slice()),
            (None, &["~/tool".to_owned()][..])
        );
        // What everything is installed in is nobody's.
        let shared = home.join(".local/bin/serve").display().to_string();
        assert_eq!(proposed("x", &[&shared], &[]).read, ["~/.local/bin"]);
        for (server, proposal) in [("filesystem", &files), ("wiki of \"ours\"", &other)] {
            let page = proposal.page(server);
            let read = Configuration::parse(&page, Path::new("mine.toml")).unwrap();
            assert!(read.server_contracts.contains_key(server), "{page}");
        }
    }
}
