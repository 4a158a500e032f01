//! Files of this call that count for what comes later: what it made executable, what it brought over the network, and what was looked at.
//! Owns the lists and their bounds; what is in files is kept by `state`.

/// How many files that were written and made executable are remembered until they are run.
const EXECUTABLES: usize = 64;

/// How many directories that came over the network are remembered.
const BROUGHT: usize = 256;

/// The files and directories that are remembered.
#[derive(Debug, Default)]
pub(super) struct Provenance {
    /// Files that this call wrote and made executable, which nothing ran yet.
    executables: Vec<String>,
    /// Directories that this call brought over the network.
    brought: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::*;

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
