//! Which hosts a repository knows. Owns the reading of its settings, as far as its remotes go; git is not run.

use std::path::Path;

use portcullis_core::address::host_of;

use super::repositories::{self, beginning};

/// The hosts of the repository's remotes, in lower case.
pub(super) fn hosts(workspace: &Path, may_look: impl Fn(&Path) -> bool) -> Vec<String> {
    let found = repositories::around(workspace).map(|found| found.git.join("config"));
    let Some(settings) = found.filter(|path| may_look(path)) else { return Vec::new() };
    let mut hosts = named(&beginning(&settings));
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// The hosts behind `url` and `pushurl` of the sections `[remote …]`.
fn named(settings: &str) -> Vec<String> {
    let mut hosts = Vec::new();
    let mut in_remote = false;
    for line in settings.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_remote = section.trim_start().to_ascii_lowercase().starts_with("remote");
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.trim().to_ascii_lowercase();
        if in_remote && matches!(key.as_str(), "url" | "pushurl") {
            let value = value.trim().trim_matches('"');
            // A path on this machine names no host.
            let is_path = value.starts_with(['/', '.', '~']);
            hosts.extend((!is_path).then(|| host_of(value)).flatten());
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn remotes_name_hosts_and_nothing_else_does() {
        let settings = "[core]\n\turl = https://core.example\n[remote \"origin\"]\n\
                        \turl = git@Git.Example.com:team/app.git\n\tpushurl = \"ssh://git@push.example:22/app\"\n\
                        [remote \"copy\"]\n\turl = /srv/copy.git\n[branch \"main\"]\n\turl = https://no.example\n";
        assert_eq!(named(settings), ["git.example.com", "push.example"]);
    }

    #[test]
    fn a_work_tree_that_was_added_has_the_remotes_of_the_first() {
        let root = tempfile::tempdir().unwrap();
        let main = root.path().join("main");
        fs::create_dir_all(main.join(".git/worktrees/other")).unwrap();
        fs::write(main.join(".git/config"), "[remote \"o\"]\nurl = https://git.example/x\n")
            .unwrap();
        fs::write(main.join(".git/worktrees/other/commondir"), "../..\n").unwrap();
        let other = root.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(".git"), "gitdir: ../main/.git/worktrees/other\n").unwrap();
        for workspace in [&main, &other] {
            assert_eq!(hosts(workspace, |_| true), ["git.example"], "{}", workspace.display());
        }
        assert!(hosts(root.path(), |_| true).is_empty());
    }
}
