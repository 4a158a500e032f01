//! Where the files of a repository lie that a library opened: `git.Repo(…).git_dir`. Owns which repository that is. (gitpython.readthedocs.io,
//! "API Reference"; pygit2.org, "Repository")

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::Text;

/// What opens a repository, with the directory that it stands in as its first argument. Sorted.
const OPENS: &[&str] =
    &["dulwich.repo.Repo", "git.Repo", "git.Repo.init", "git.repo.Repo", "pygit2.Repository"];

/// What clones one, with the directory as its second argument. Sorted.
const CLONES: &[&str] = &["git.Repo.clone_from", "pygit2.clone_repository"];

impl Interpreter<'_, '_, '_> {
    /// Remembers where the repository lies that is opened.
    pub(super) fn notice_repository(&mut self, path: &str, given: &[Given]) {
        let at = match path {
            path if OPENS.contains(&path) => 0,
            path if CLONES.contains(&path) => 1,
            _ => return,
        };
        let named = |it: &&Given| matches!(it.name.as_deref(), Some("path" | "to_path"));
        let plain = given.get(at).filter(|it| it.name.is_none());
        let directory = plain.or_else(|| given.iter().find(named));
        self.seen.repository = directory.map(|it| it.value.text());
    }

    /// What a member of an open repository is: a directory.
    pub(super) fn place_in_repository(&self, path: &str, name: &str) -> Option<Value> {
        let is_open = OPENS
            .iter()
            .chain(CLONES)
            .any(|opens| path.strip_prefix(opens).is_some_and(|rest| rest == "()"));
        if !is_open {
            return None;
        }
        let inner = match name {
            "git_dir" | "common_dir" => ".git",
            "path" if path.starts_with("pygit2.") => ".git/",
            "working_dir" | "working_tree_dir" | "workdir" => "",
            _ => return None,
        };
        let mut place = self.seen.repository.clone().unwrap_or_else(|| Text::known("."));
        if !inner.is_empty() {
            place.push_known("/");
            place.push_known(inner);
        }
        Some(Value::Text(place))
    }
}
