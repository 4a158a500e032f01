//! Files of this call that count for what comes later: what it made executable, what it brought over the network, and what was looked at.
//! Owns the lists and their bounds; what is in files is kept by `state`.

use std::collections::BTreeSet;

use crate::{facts::content::Version, programs::found::Versions};

/// How many files that were written and made executable are remembered until they are run.
const EXECUTABLES: usize = 64;

/// How many directories that came over the network are remembered.
const BROUGHT: usize = 256;

/// How many texts are remembered that were taken without their last end of a line; of others it is read with it.
const CAPTURED: usize = 256;

/// How many steps of version control are remembered that put other versions of files in place.
const STEPS: usize = 32;

/// The files and directories that are remembered.
#[derive(Debug, Default)]
pub(super) struct Provenance {
    /// What version control put in place of files.
    versions: Vec<Versions>,
    /// Files that this call wrote and made executable, which nothing ran yet.
    executables: Vec<String>,
    /// Directories that this call brought over the network.
    brought: Vec<String>,
    /// Directories that something was unpacked in, with how many effects there were before.
    unpacked: Vec<(String, usize)>,
    /// Names that lead to what stands in a file.
    unclear: BTreeSet<String>,
    /// Of texts that are not known, those that a command printed and that were taken without the last end of a line.
    captured: BTreeSet<Box<str>>,
    /// Written files that a build or an interpreter found, with how much of them was known.
    looked_at: Vec<(String, usize)>,
}

impl Provenance {
    /// A file was made executable; `false` where there are too many.
    pub(super) fn make_executable(&mut self, path: &str) -> bool {
        let has_room = self.executables.len() < EXECUTABLES;
        if has_room {
            self.executables.push(path.to_owned());
        }
        has_room
    }

    /// Whether there are files that were made executable and did not run.
    pub(super) fn has_executables(&self) -> bool {
        !self.executables.is_empty()
    }

    /// A file runs.
    pub(super) fn runs(&mut self, path: Option<&str>) {
        self.executables.retain(|made| path != Some(made));
    }

    /// A file may be run; gives whether it was made executable and did not run yet.
    pub(super) fn may_run(&mut self, path: Option<&str>) -> bool {
        let found = self.executables.iter().position(|made| path == Some(made));
        if let Some(at) = found {
            self.executables.swap_remove(at);
        }
        found.is_some()
    }

    /// A directory comes over the network with everything in it; `false` where there are too many.
    pub(super) fn bring(&mut self, path: String) -> bool {
        let has_room = self.brought.len() < BROUGHT;
        if has_room {
            self.brought.push(path);
        }
        has_room
    }

    /// Whether a file lies in a directory that was brought over the network.
    pub(super) fn is_brought(&self, path: Option<&str>) -> bool {
        !self.brought.is_empty()
            && path.is_some_and(|path| {
                self.brought.iter().any(|directory| {
                    path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
                })
            })
    }

    /// Whether this directory, or one around it, was brought over the network.
    pub(super) fn is_brought_whole(&self, path: &str) -> bool {
        self.brought.iter().any(|directory| directory == path) || self.is_brought(Some(path))
    }

    /// Something was unpacked in a directory after so many effects; `false` where that happened too often.
    pub(super) fn unpack(&mut self, path: String, after: usize) -> bool {
        // What was there before the first counts.
        let is_known = self.unpacked.iter().any(|(known, _)| *known == path);
        let has_room = is_known || self.unpacked.len() < BROUGHT;
        if has_room && !is_known {
            self.unpacked.push((path, after));
        }
        has_room
    }

    /// Whether anything was unpacked.
    pub(super) fn has_unpacked(&self) -> bool {
        !self.unpacked.is_empty()
    }

    /// The directories that something was unpacked in, with how many effects there were before.
    pub(super) fn unpacked(&self) -> &[(String, usize)] {
        &self.unpacked
    }

    /// A path is another name of what nobody knows; `false` where there are too many.
    pub(super) fn obscure(&mut self, path: String) -> bool {
        let has_room = self.unclear.len() < BROUGHT;
        if has_room {
            self.unclear.insert(path);
        }
        has_room
    }

    /// Whether a path, or a directory of it, is another name of what nobody knows.
    pub(super) fn is_obscure(&self, path: &str) -> bool {
        !self.unclear.is_empty()
            && (self.unclear.contains(path)
                || path
                    .match_indices('/')
                    .any(|(at, _)| path.get(..at).is_some_and(|it| self.unclear.contains(it))))
    }

    /// A text that is not known is taken without its last end of a line; `false` where there are too many.
    pub(super) fn capture(&mut self, origin: &str) -> bool {
        let has_room = self.captured.len() < CAPTURED || self.captured.contains(origin);
        if has_room {
            self.captured.insert(origin.into());
        }
        has_room
    }

    /// Whether a text was taken without its last end of a line.
    pub(super) fn is_captured(&self, origin: &str) -> bool {
        self.captured.contains(origin)
    }

    /// Version control puts other versions of files in place; `false` where too many did.
    pub(super) fn put(&mut self, mut versions: Versions, root: Option<&str>) -> bool {
        // In a tree that this call has copied, they come from where that was copied from.
        let is_copied = |step: &&Versions| {
            (step.from.is_some() || step.repository.is_some()) && step.below(&versions.to).is_some()
        };
        if versions.from.is_none()
            && versions.repository.is_none()
            && let Some(copied) = self.versions.iter().rev().find(is_copied)
        {
            let Versions { to, from, repository, .. } = copied.clone();
            versions = Versions { to, from, repository, ..versions };
        } else if versions.from.is_none()
            && versions.repository.is_none()
            && let Some(root) = root.filter(|root| is_within(&versions.to, root))
        {
            // Whatever directory it runs in, it is about the whole work tree.
            versions.to = root.to_owned();
        }
        let is_known = self.versions.contains(&versions);
        let has_room = is_known || self.versions.len() < STEPS;
        if has_room && !is_known {
            self.versions.push(versions);
        }
        has_room
    }

    /// How many revisions were put in place of any file.
    pub(super) fn revisions(&self) -> usize {
        self.versions.iter().map(|step| step.revisions.len()).sum()
    }

    /// The names of the versions that may stand at a path by now, with the number that each revision has among all of them.
    pub(super) fn versions_of(&self, path: &str) -> Vec<(usize, String)> {
        let mut number = 0;
        let mut names = Vec::new();
        for step in &self.versions {
            let first = number;
            number += step.revisions.len();
            let Some(below) = step.below(path) else { continue };
            for (at, revision) in step.revisions.iter().enumerate() {
                let whole = step.from.as_ref().map(|from| join(from, below));
                let (repository, path) = match &step.repository {
                    Some(repository) => (Some(repository.as_str()), below),
                    None => (None, whole.as_deref().unwrap_or(path)),
                };
                names.push((first + at, Version { revision, repository, path }.name()));
            }
        }
        names
    }

    /// Whether a version may stand at a path of which nobody knows which one.
    pub(super) fn is_unclear(&self, path: &str) -> bool {
        self.versions.iter().any(|step| step.is_unclear && step.below(path).is_some())
    }

    /// Whether a file of which so much is known was not looked at before.
    pub(super) fn is_first_look(&mut self, path: &str, known: usize) -> bool {
        let is_first =
            !self.looked_at.iter().any(|(seen, length)| seen == path && *length == known);
        if is_first {
            self.looked_at.push((path.to_owned(), known));
        }
        is_first
    }
}

/// Whether a directory is another, or lies in it.
fn is_within(directory: &str, root: &str) -> bool {
    directory.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path below a directory.
fn join(directory: &str, below: &str) -> String {
    let directory = directory.trim_end_matches('/');
    if below.is_empty() { directory.to_owned() } else { format!("{directory}/{below}") }
}

impl Versions {
    /// What of a path lies below the directory.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(self.to.trim_end_matches('/'))?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_named_by_where_they_come_from_and_only_below_where_they_go() {
        let mut files = Provenance::default();
        let step =
            |to: &str, from: Option<&str>, repository: Option<&str>, revisions: &[&str]| Versions {
                to: to.to_owned(),
                from: from.map(str::to_owned),
                repository: repository.map(str::to_owned),
                revisions: revisions.iter().map(|it| (*it).to_owned()).collect(),
                is_unclear: false,
            };
        assert!(files.put(step("/w", None, None, &["b", ""]), None));
        assert!(files.put(step("/v", Some("/w"), None, &["HEAD"]), None));
        assert!(files.put(step("/c", None, Some("/r.git"), &["HEAD"]), None));
        let names = |path: &str| files.versions_of(path);
        assert_eq!(
            names("/w/x.sh"),
            [(0, "git:b:/w/x.sh".to_owned()), (1, "git::/w/x.sh".to_owned())]
        );
        assert_eq!(names("/v/s/x.sh"), [(2, "git:HEAD:/w/s/x.sh".to_owned())]);
        assert_eq!(names("/c/x.sh"), [(3, "git:HEAD:/r.git//x.sh".to_owned())]);
        assert!(names("/wx/x.sh").is_empty() && names("/etc/x").is_empty());
        assert_eq!(files.revisions(), 4);
        for number in 0..STEPS {
            files.put(step(&format!("/{number}"), None, None, &[]), None);
        }
        assert!(!files.put(step("/one more", None, None, &[]), None));
    }

    #[test]
    fn an_executable_is_remembered_until_it_runs() {
        let mut files = Provenance::default();
        assert!(files.make_executable("/w/a") && files.make_executable("/w/b"));
        assert!(!files.may_run(Some("/w/c")));
        assert!(files.may_run(Some("/w/a")) && !files.may_run(Some("/w/a")));
        files.runs(Some("/w/b"));
        assert!(!files.has_executables());
        for number in 0..EXECUTABLES {
            assert!(files.make_executable(&number.to_string()));
        }
        assert!(!files.make_executable("one more"));
    }

    #[test]
    fn what_lies_in_a_brought_directory_is_brought_and_its_neighbours_are_not() {
        let mut files = Provenance::default();
        assert!(files.bring("/w/clone".to_owned()));
        assert!(files.is_brought(Some("/w/clone/x/y")));
        assert!(!files.is_brought(Some("/w/clone")) && !files.is_brought(Some("/w/cloned/x")));
        assert!(files.is_brought_whole("/w/clone") && files.is_brought_whole("/w/clone/x"));
        assert!(!files.is_brought(None));
    }

    #[test]
    fn a_file_is_looked_at_again_where_more_of_it_is_known() {
        let mut files = Provenance::default();
        assert!(files.is_first_look("/w/a", 1) && !files.is_first_look("/w/a", 1));
        assert!(files.is_first_look("/w/a", 2));
    }
}
