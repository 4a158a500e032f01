//! What a run leaves that version control obeys. Owns the look before and after it: a program inside can make a repository of any
//! directory, begin a rebase, or write what cannot be kept from it, and a person who then uses git there runs what it says.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::repositories::{self, Repositories};
use crate::platform::Directories;

/// The most hooks of one repository that are looked at.
const MOST_HOOKS: usize = 1_000;

/// The most that is named one by one.
const MOST_NAMED: usize = 20;

/// What was there before a run.
#[derive(Debug)]
pub struct Before {
    roots: Vec<PathBuf>,
    homes: Vec<PathBuf>,
    seen: BTreeMap<PathBuf, Mark>,
}

/// By what a change is seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Mark {
    length: u64,
    changed: Option<SystemTime>,
    number: u64,
}

impl Before {
    /// Looks below what a run may write.
    #[must_use]
    pub fn look(roots: &[PathBuf], directories: &Directories) -> Self {
        let homes: Vec<PathBuf> = directories.homes().map(Path::to_owned).collect();
        let seen = seen(roots, &homes);
        Self { roots: roots.to_vec(), homes, seen }
    }

    /// What was made or changed since, a sentence each.
    #[must_use]
    pub fn left(&self) -> Vec<String> {
        let after = seen(&self.roots, &self.homes);
        let differs = |(path, mark): &(&PathBuf, &Mark)| self.seen.get(*path) != Some(*mark);
        let different: Vec<(&PathBuf, &Mark)> = after.iter().filter(differs).collect();
        let said = |path: &Path| {
            let how = if self.seen.contains_key(path) { "changed" } else { "made" };
            format!(
                "`{}` was {how} during the run, and git obeys it: read it before git is used there",
                path.display()
            )
        };
        let mut left: Vec<String> =
            different.iter().take(MOST_NAMED).map(|(path, _)| said(path)).collect();
        if let more @ 1.. = different.len().saturating_sub(MOST_NAMED) {
            left.push(format!(
                "{more} further files that git obeys were made or changed during the run"
            ));
        }
        left
    }
}

fn seen(roots: &[PathBuf], homes: &[PathBuf]) -> BTreeMap<PathBuf, Mark> {
    let Repositories { obeyed, noted, .. } = repositories::below(roots, homes);
    let mut seen = BTreeMap::new();
    for path in obeyed.into_iter().chain(noted) {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if !metadata.is_dir() {
            seen.insert(path, Mark::of(&metadata));
            continue;
        }
        for entry in fs::read_dir(&path).into_iter().flatten().flatten().take(MOST_HOOKS) {
            // Git comes with samples that it does not run.
            let is_sample = entry.path().extension().is_some_and(|end| end == "sample");
            if let Ok(metadata) = entry.metadata()
                && !is_sample
            {
                seen.insert(entry.path(), Mark::of(&metadata));
            }
        }
    }
    seen
}

impl Mark {
    fn of(metadata: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let number = 0;
        Self { length: metadata.len(), changed: metadata.modified().ok(), number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_made_for_git_to_obey_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let made = |repository: &str| {
            for name in ["hooks", "objects/info", "refs"] {
                fs::create_dir_all(root.join(repository).join(name)).unwrap();
            }
            for name in ["HEAD", "config", "hooks/pre-commit.sample"] {
                fs::write(root.join(repository).join(name), "").unwrap();
            }
        };
        made(".git");
        let before = Before::look(std::slice::from_ref(&root), &Directories::default());
        assert!(before.left().is_empty());
        fs::write(root.join("README.md"), "").unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/x\n").unwrap();
        assert!(before.left().is_empty(), "{:?}", before.left());
        made("vendor/x/.git");
        for name in ["rebase-merge/git-rebase-todo", "hooks/pre-push", "commondir"] {
            let path = root.join(".git").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, ".\n").unwrap();
        }
        fs::write(root.join(".git/config"), "[core]\n").unwrap();
        let left = before.left();
        for (path, how) in [
            (".git/commondir", "made"),
            (".git/config", "changed"),
            (".git/hooks/pre-push", "made"),
            (".git/rebase-merge/git-rebase-todo", "made"),
            ("vendor/x/.git/config", "made"),
        ] {
            let named = format!("`{}` was {how} ", root.join(path).display());
            assert!(left.iter().any(|one| one.starts_with(&named)), "{named}: {left:?}");
        }
        assert_eq!(left.len(), 5, "{left:?}");
        for number in 0..30 {
            made(&format!("many/{number}/.git"));
        }
        let left = before.left();
        assert_eq!(left.len(), MOST_NAMED + 1);
        assert!(left.last().unwrap().starts_with("15 further files"), "{left:?}");
    }
}
