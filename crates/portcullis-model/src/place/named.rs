//! The tables' rows as paths that can be looked up: for whoever keeps a program away from them. Owns how a pattern comes down to
//! paths below a home directory and a workspace; which rows are meant, its two questions say.

use super::{AgentFileKind, CredentialClass, PersistenceKind, agents, credentials, persistence};

/// A path that a table names.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct NamedPath {
    /// The path, absolute. A `*` in it stands for anything within a name.
    pub path: String,
    /// Whose it is, where it is a coding agent's.
    pub agent: Option<&'static str>,
}

/// What says what runs or what agents may do, below a home directory and a workspace: settings and hooks of coding agents, hooks and
/// settings of version control.
#[must_use]
pub fn guarded_paths(home: Option<&str>, workspace: &str) -> Vec<NamedPath> {
    let agents = agents::rows().filter(|row| row.kind == AgentFileKind::Settings);
    let agents = agents.map(|row| (Some(row.agent), row.patterns));
    let hooks = persistence::rows()
        .filter(|row| matches!(row.kind, PersistenceKind::Hook | PersistenceKind::Control))
        .map(|row| (None, row.patterns));
    let mut paths = named(agents.chain(hooks).chain([(None, BARE)]), home, workspace);
    // Where it is a directory, work goes on in it; where it is a file, or missing, the names below it keep it in place.
    paths.retain(|one| !one.path.ends_with("/.git"));
    // Git itself writes this one, and takes a directory above it for a rebase that is under way.
    paths.retain(|one| !one.path.ends_with("/git-rebase-todo"));
    paths
}

/// What starts something by itself, or is obeyed by programs of a user whatever they work on, below a home directory. Those that
/// count where nothing is yet come with `true`: every shell and every login looks for them.
#[must_use]
pub fn started_paths(home: &str) -> Vec<(NamedPath, bool)> {
    let mut found = Vec::new();
    for row in persistence::rows() {
        let is_looked_for = matches!(row.kind, PersistenceKind::Shell | PersistenceKind::Login);
        for pattern in row.patterns.iter().filter(|pattern| pattern.starts_with("~/")) {
            let paths = named(std::iter::once((None, &[*pattern][..])), Some(home), home);
            let is_name = !pattern.trim_start_matches("~/").contains(['/', '*']);
            found.extend(paths.into_iter().map(|path| (path, is_looked_for && is_name)));
        }
    }
    found
}

/// What makes a directory a repository without one of its own, whose settings version control then obeys.
const BARE: &[&str] = &["**/HEAD"];

/// Where keys, tokens and passwords of the machine and of its user lie. What programs of a project load is not among them.
#[must_use]
pub fn secret_paths(home: Option<&str>, workspace: &str) -> Vec<NamedPath> {
    let rows = credentials::rows()
        .filter(|row| matches!(row.class, CredentialClass::System | CredentialClass::User))
        .map(|row| (None, row.patterns));
    named(rows, home, workspace)
}

type Row<'a> = (Option<&'static str>, &'a [&'static str]);

fn named<'a>(
    rows: impl Iterator<Item = Row<'a>>,
    home: Option<&str>,
    workspace: &str,
) -> Vec<NamedPath> {
    let mut found = Vec::new();
    for (agent, patterns) in rows {
        for pattern in patterns {
            let (roots, rest): (Vec<&str>, &str) = if let Some(rest) = pattern.strip_prefix("~/") {
                (home.into_iter().collect(), rest)
            } else if let Some(rest) = pattern.strip_prefix("**/") {
                (home.into_iter().chain([workspace]).collect(), rest)
            } else if let Some(rest) = pattern.strip_prefix('/') {
                (vec![""], rest)
            } else {
                // A drive of another system.
                continue;
            };
            // A name alone, which may be anywhere, that could be anything in it is no path.
            if pattern.starts_with("**/") && rest.starts_with('*') {
                continue;
            }
            for root in roots {
                let root = root.trim_end_matches('/');
                found.extend(
                    spelled(rest)
                        .into_iter()
                        .map(|rest| NamedPath { path: format!("{root}/{rest}"), agent }),
                );
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Every choice of the alternatives in a pattern, without the `**` at its end.
fn spelled(pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    pattern.split('/').fold(vec![String::new()], |begun, part| {
        let mut longer = Vec::new();
        for path in &begun {
            for choice in part.split('|') {
                let gap = if path.is_empty() { "" } else { "/" };
                longer.push(format!("{path}{gap}{choice}"));
            }
        }
        longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{facts::Facts, place};

    const HOME: &str = "/home/dev";
    const WORKSPACE: &str = "/workspace/project";

    fn facts() -> Facts {
        Facts {
            cwd: Some(WORKSPACE.to_owned()),
            home: Some(HOME.to_owned()),
            workspace: Some(WORKSPACE.to_owned()),
            ..Facts::default()
        }
    }

    #[test]
    fn what_starts_by_itself_below_a_home_is_named() {
        let paths = started_paths(HOME);
        let has = |path: &str, is_looked_for: bool| {
            paths.iter().any(|(named, always)| named.path == path && *always == is_looked_for)
        };
        for path in [".bashrc", ".profile", ".zshenv", ".rhosts"] {
            assert!(has(&format!("{HOME}/{path}"), true), "{path}");
        }
        for path in [".config/systemd", ".vimrc", ".npmrc", ".config/autostart"] {
            assert!(has(&format!("{HOME}/{path}"), false), "{path}");
        }
        assert!(paths.iter().all(|(named, _)| named.path.starts_with(HOME)));
    }

    #[test]
    fn what_is_guarded_is_named() {
        let paths = guarded_paths(Some(HOME), WORKSPACE);
        for (path, agent) in [
            ("/workspace/project/.git/hooks", None),
            ("/workspace/project/.git/config", None),
            ("/workspace/project/.git/info/attributes", None),
            ("/workspace/project/.claude", Some("Claude")),
            ("/home/dev/.claude", Some("Claude")),
            ("/workspace/project/.mcp.json", Some("Claude")),
            ("/etc/codex", Some("Codex")),
        ] {
            let named = NamedPath { path: path.to_owned(), agent };
            assert!(paths.contains(&named), "{named:?}");
        }
        assert!(paths.iter().all(|one| !one.path.ends_with("AGENTS.md")));
    }

    #[test]
    fn what_is_secret_is_named() {
        let paths = secret_paths(Some(HOME), WORKSPACE);
        for path in [
            "/home/dev/.ssh",
            "/home/dev/.aws",
            "/etc/shadow",
            "/home/dev/.netrc",
            "/home/dev/.cargo/credentials*",
        ] {
            assert!(paths.iter().any(|one| one.path == path), "{path}");
        }
        assert!(paths.iter().all(|one| one.path != "/workspace/project/.env"));
    }

    /// The names come from the tables that the rules read; this says that they are read the same way.
    #[test]
    fn every_name_is_one_to_the_rules_too() {
        let facts = facts();
        for NamedPath { path, .. } in secret_paths(Some(HOME), WORKSPACE) {
            let written = path.replace('*', "x");
            let inside = format!("{written}/x");
            let known =
                [written, inside].iter().any(|path| place::credential(path, &facts).is_some());
            // What is public among keys is denied with them.
            let public = path.ends_with("/authorized_keys");
            assert!(known || public || path.contains('*'), "{path}");
        }
        for NamedPath { path, .. } in guarded_paths(Some(HOME), WORKSPACE) {
            let written = path.replace('*', "x");
            let known = [format!("{written}/x"), written].iter().any(|path| {
                place::agent_file(path, &facts).is_some() || persistence(path, &facts).is_some()
            });
            assert!(known || path.contains('*') || path.ends_with("/HEAD"), "{path}");
        }
    }

    #[test]
    fn without_a_home_only_the_others_are_named() {
        assert!(
            guarded_paths(None, "/w")
                .iter()
                .all(|one| one.path.starts_with("/w/") || one.path.starts_with('/'))
        );
        assert!(
            secret_paths(None, "/w")
                .iter()
                .all(|one| !one.path.contains("/.ssh/id_*") || one.path.starts_with("/w/"))
        );
    }
}
