//! What is written down before files are taken over, and how it is taken back. Owns the form of it, and that after any end everything stands
//! as it was before, or as it is after: whoever is killed in between, the next one takes back.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Place;
use crate::{
    private,
    tree::{Kind, Node, Root, kept, write_name},
};

/// Its name beside the trial.
pub(super) const JOURNAL: &str = "commit.json";

/// How far it got.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) enum State {
    /// Copies are made beside the files. None of these changed.
    Preparing,
    /// Files change. Whoever finds this takes it back.
    Applying,
    /// It is done. What was there before is removed.
    Done,
}

/// What is done to one path.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) enum Act {
    /// What is no directory is moved aside.
    Remove,
    /// An empty directory is removed.
    RemoveFolder(Node),
    /// A directory is made.
    MakeFolder(Node),
    /// A copy gets the name, which is free; its number.
    Put((u64, u64)),
    /// A copy changes places with what has the name; its number.
    Exchange((u64, u64)),
    /// A directory gets other rights: what it had, where it was there, and what it gets.
    Dress(Option<Node>, Node),
}

/// One step.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Step {
    pub(super) root: usize,
    #[serde(with = "kept")]
    pub(super) path: PathBuf,
    pub(super) act: Act,
}

/// A directory, and where copies lie in it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Ground {
    #[serde(with = "kept")]
    pub(super) path: PathBuf,
    pub(super) number: (u64, u64),
    pub(super) staging: String,
}

/// The journal.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Journal {
    pub(super) v: u32,
    pub(super) state: State,
    pub(super) grounds: Vec<Ground>,
    pub(super) steps: Vec<Step>,
    /// Directories whose times change because something in them does.
    pub(super) folders: Vec<(usize, String, Node)>,
    /// Directories that have these times when it is done.
    #[serde(default)]
    pub(super) timed: Vec<(usize, String, Node)>,
}

/// The name of what belongs to a step, beside the files.
pub(super) fn aside(ground: &Ground, step: usize) -> PathBuf {
    Path::new(&ground.staging).join(step.to_string())
}

impl Journal {
    /// Writes it beside the trial, onto the disk.
    pub(super) fn write(&self, place: &Place) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        place.write(JOURNAL, &text)?;
        File::open(&place.path)?.sync_all()
    }

    /// Reads the one that lies there, where one does.
    pub(super) fn read(place: &Place) -> Result<Option<Self>, private::Unbelievable> {
        let bytes = match place.vouched(JOURNAL) {
            Err(error) if error.is_missing() => return Ok(None),
            bytes => bytes?,
        };
        Ok(Some(serde_json::from_slice(&bytes)?))
    }

    /// The directories, open, where they are still the ones that were meant.
    pub(super) fn roots(&self) -> io::Result<Vec<Root>> {
        let open = |ground: &Ground| {
            let root = Root::open(&ground.path)?;
            let found = root.node(Path::new(""), false)?;
            if found.is_none_or(|found| found.number != ground.number) {
                let words = format!("`{}` is not the directory that it was", ground.path.display());
                return Err(io::Error::other(words));
            }
            Ok(root)
        };
        self.grounds.iter().map(open).collect()
    }

    /// Takes back every step that was made, the last first, and says what could not be.
    pub(super) fn take_back(&self, roots: &[Root]) -> Vec<String> {
        let mut left = Vec::new();
        for (at, step) in self.steps.iter().enumerate().rev() {
            let (Some(root), Some(ground)) = (roots.get(step.root), self.grounds.get(step.root))
            else {
                continue;
            };
            if let Err(error) = step.taken_back(root, &aside(ground, at)) {
                left.push(format!(
                    "`{}` is not as it was: {error}; what belongs there lies in `{}`",
                    write_name(&step.path),
                    write_name(&ground.path.join(aside(ground, at)))
                ));
            }
        }
        // Only now: what was put back into them changed their times.
        for step in &self.steps {
            if let (Act::RemoveFolder(node), Some(root)) = (&step.act, roots.get(step.root)) {
                let _ = root.dress_folder(node, &step.path);
            }
        }
        self.restore_times(roots);
        left
    }

    /// Gives directories the times back that they had, or where it is done those that they are to have.
    fn restore_times(&self, roots: &[Root]) {
        let is_done = self.state == State::Done;
        for (root, path, node) in if is_done { &self.timed } else { &self.folders } {
            let (Some(root), Some(path)) = (roots.get(*root), crate::tree::read_name(path)) else {
                continue;
            };
            // Its time is all that is left of what was done; whoever changed its rights meant them.
            let is_meant = |found: &Node| {
                if is_done { found.is_like(node) } else { found.number == node.number }
            };
            if root.node(&path, false).ok().flatten().as_ref().is_some_and(is_meant) {
                let _ = root.dress_folder(node, &path);
            }
        }
    }

    /// Removes what lies beside the files, and then the journal.
    pub(super) fn close(&self, place: &Place, roots: &[Root]) -> io::Result<()> {
        for (root, ground) in roots.iter().zip(&self.grounds) {
            root.remove_all(Path::new(&ground.staging))?;
        }
        // The directory that is gone now was one of the changes.
        self.restore_times(roots);
        std::fs::remove_file(place.path.join(JOURNAL))
    }

    /// What a killed one left: taken back, or cleared away where it was done. What could not be is said, and then everything stays where it is.
    pub(super) fn recovered(&self, place: &Place) -> io::Result<Vec<String>> {
        let roots = self.roots()?;
        if self.state == State::Applying {
            let left = self.take_back(&roots);
            if !left.is_empty() {
                return Ok(left);
            }
        }
        self.close(place, &roots)?;
        Ok(Vec::new())
    }
}

impl Step {
    /// Takes it back where it was made.
    fn taken_back(&self, root: &Root, aside: &Path) -> io::Result<()> {
        let there = root.node(&self.path, false)?;
        let kept = root.node(aside, false)?;
        let occupied = || io::Error::other("something else stands there now");
        match (&self.act, there, kept) {
            (Act::Remove, None, Some(_)) => root.move_to(aside, root, &self.path),
            (Act::Remove, Some(_), Some(_)) => Err(occupied()),
            (Act::RemoveFolder(node), None, _) => root.make(node, &self.path),
            (Act::MakeFolder(_), Some(there), _) if there.kind == Kind::Folder => {
                match root.remove_folder(&self.path) {
                    // Somebody else has put something there; it is theirs.
                    Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
                    done => done,
                }
            }
            (Act::Put(number), Some(there), None) if there.number == *number => {
                root.move_to(&self.path, root, aside)
            }
            (Act::Exchange(number), Some(there), Some(_)) if there.number == *number => {
                root.exchange(&self.path, root, aside)
            }
            (Act::Exchange(number), None, Some(kept)) if kept.number != *number => {
                root.move_to(aside, root, &self.path)
            }
            (Act::Exchange(number), Some(_), Some(kept)) if kept.number != *number => {
                Err(occupied())
            }
            (Act::Dress(Some(before), _), Some(there), _) if there.number == before.number => {
                root.dress_folder(before, &self.path)
            }
            _ => Ok(()),
        }
    }
}
