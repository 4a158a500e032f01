//! Bringing back. Owns what is put back, what is a conflict, and what cannot be: what an action changed is put back where it still stands as
//! the action left it, and nothing else is touched. Putting it in place is that of a trial: whole or not at all, and in no way through a link.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;

use super::{Bounds, Kept, Snapshot, Store, take};
use crate::{
    tree::{Kind, Node, Root, Settled, write_name},
    trial::{
        Change, Means, Places, StoreError, Trial, Tried, VERSION, What,
        commit::{self, CommitError, Conflict, Contents},
    },
};

/// What would be put back.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Difference {
    /// Where, from the workspace.
    pub path: PathBuf,
    /// What would happen to it.
    pub what: Outcome,
    /// What stood there.
    pub before: Option<Kept>,
    /// What stands there.
    pub now: Option<Node>,
}

impl Difference {
    /// Whether a person wants to know: that a directory has another time is no news.
    #[must_use]
    pub fn is_news(&self) -> bool {
        let was_folder = self.before.as_ref().filter(|kept| kept.node.kind == Kind::Folder);
        let is_time = |kept: &Kept| self.now.as_ref().is_some_and(|now| now.is_like(&kept.node));
        !(self.what == Outcome::Reverted && was_folder.is_some_and(is_time))
    }

    /// Whether an undo that was made left something to do here.
    #[must_use]
    pub fn is_left(&self) -> bool {
        self.is_news() && !matches!(self.what, Outcome::Lost(_))
    }
}

/// What happens to a file.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It comes back.
    Restored,
    /// It gets back what it had: its content, its rights, its time.
    Reverted,
    /// The action made it, and it goes.
    Removed,
    /// It stays as it is, for this reason, until somebody says that it is to be put back all the same.
    Conflict(String),
    /// It cannot be brought back, for this reason.
    Lost(String),
}

/// Why nothing was brought back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// The workspace is another one.
    #[error("`{}` is not the directory that it was, so nothing is put back there", .0.display())]
    OtherPlace(PathBuf),
    /// What stands there is not what the action left.
    #[error("files changed after the action")]
    Conflicts(Vec<Conflict>),
    /// It cannot be put in place.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// It cannot be prepared.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refuses.
    #[error("nothing was brought back: {0}")]
    System(#[from] io::Error),
}

/// What would be put back, by what stands there now. `forced` says that what changed after the action is put back too.
///
/// # Errors
/// Where the workspace cannot be read, or is another one.
pub fn difference(
    snapshot: &Snapshot,
    paths: &[PathBuf],
    forced: bool,
) -> Result<Vec<Difference>, UndoError> {
    if let Ok(root) = Root::open(&snapshot.workspace) {
        let found = root.node(Path::new(""), false)?;
        if found.is_some_and(|found| found.number != snapshot.number) && !forced {
            return Err(UndoError::OtherPlace(snapshot.workspace.clone()));
        }
    }
    let take::Now { found: now, unseen, .. } = take::now(snapshot, Bounds::usual())?;
    let by_path = |list: &[Kept]| -> BTreeMap<PathBuf, Kept> {
        list.iter().map(|kept| (kept.path.clone(), kept.clone())).collect()
    };
    let (before, now) = (by_path(&snapshot.before), by_path(&now));
    let after = snapshot.after.as_deref().map(by_path);
    let all: BTreeSet<&PathBuf> =
        before.keys().chain(after.iter().flat_map(BTreeMap::keys)).collect();
    // What lies in a directory that is gone takes the directory with it.
    let leads = |path: &Path, one: &Path| {
        let was_folder = before.get(path).is_some_and(|kept| kept.node.kind == Kind::Folder);
        was_folder && one.starts_with(path) && !now.contains_key(path)
    };
    let wanted = |path: &Path| {
        paths.is_empty() || paths.iter().any(|one| path.starts_with(one) || leads(path, one))
    };
    let mut found = Vec::new();
    for path in all.into_iter().filter(|path| wanted(path)) {
        let (was, is) = (before.get(path), now.get(path).map(|kept| &kept.node));
        let left = after.as_ref().map(|after| after.get(path).map(|kept| &kept.node));
        let is_unknown = is.is_none_or(|node| node.kind == Kind::File && node.sha256.is_none());
        let not_seen = unseen.iter().filter(|_| is_unknown).find(|(one, _)| path.starts_with(one));
        let what = match not_seen {
            // What nobody can look at is not gone.
            Some((_, why)) => Some(Outcome::Conflict(format!("it could not be looked at: {why}"))),
            None => outcome(was, left, is, forced),
        };
        if let Some(what) = what {
            let (before, now) = (was.cloned(), is.cloned());
            found.push(Difference { path: path.clone(), what, before, now });
        }
    }
    keep_what_holds_others(&mut found, &now);
    Ok(found)
}

/// What happens to a path; nothing where it stands as it was. `left` is what the action left there, where that is known.
fn outcome(
    before: Option<&Kept>,
    left: Option<Option<&Node>>,
    now: Option<&Node>,
    forced: bool,
) -> Option<Outcome> {
    let same = |one: &Node, other: &Node| {
        one.is_like(other) && (one.kind == Kind::Folder || one.modified == other.modified)
    };
    let lost = |kept: &Kept| {
        (kept.node.kind == Kind::File && kept.object.is_none())
            .then(|| Outcome::Lost("its content was not kept".to_owned()))
    };
    match (before, now) {
        (None, None) => None,
        (Some(kept), None) => match left {
            // It stood there when the action had ended: somebody else took it away.
            Some(Some(_)) if !forced => None,
            _ => Some(lost(kept).unwrap_or(Outcome::Restored)),
        },
        (None, Some(now)) => match left {
            Some(Some(left)) if same(left, now) || forced => Some(Outcome::Removed),
            Some(Some(_)) if now.kind == Kind::Folder => None,
            Some(Some(_)) => Some(Outcome::Conflict(
                "the action made it, and it was changed afterwards".to_owned(),
            )),
            _ => None,
        },
        (Some(kept), Some(now)) if same(&kept.node, now) => {
            // The time of a directory changes with what is in it.
            let is_time = kept.node.kind == Kind::Folder && kept.node.modified != now.modified;
            let by_action =
                left.is_none_or(|left| left.is_some_and(|left| left.modified == now.modified));
            (is_time && by_action).then_some(Outcome::Reverted)
        }
        (Some(kept), Some(now)) => match left {
            Some(Some(left)) if same(left, now) => Some(lost(kept).unwrap_or(Outcome::Reverted)),
            // The action left it alone.
            Some(Some(left)) if same(left, &kept.node) && !forced => None,
            _ if forced => Some(lost(kept).unwrap_or(Outcome::Reverted)),
            Some(_) => Some(Outcome::Conflict("it was changed after the action".to_owned())),
            None => Some(Outcome::Conflict(
                "it was changed, by the action or after it: nobody looked when the action ended"
                    .to_owned(),
            )),
        },
    }
}

/// A directory that the action made stays where something in it does.
fn keep_what_holds_others(found: &mut Vec<Difference>, now: &BTreeMap<PathBuf, Kept>) {
    let removed: BTreeSet<&Path> = found
        .iter()
        .filter(|one| one.what == Outcome::Removed)
        .map(|one| one.path.as_path())
        .collect();
    let staying = now.keys().filter(|path| !removed.contains(path.as_path()));
    let holding: BTreeSet<PathBuf> =
        staying.flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
    found.retain(|one| one.what != Outcome::Removed || !holding.contains(&one.path));
}

/// Brings back what a [`difference`] says, conflicts and what is lost left out. How many files that were is the answer.
///
/// # Errors
/// [`UndoError`], and then nothing changed.
pub fn undo(
    store: &Store,
    places: &Places,
    snapshot: &mut Snapshot,
    differences: &[Difference],
    beat: commit::Beat<'_>,
) -> Result<usize, UndoError> {
    remake_workspace(store, snapshot)?;
    let unfinished = places.new_trial(std::slice::from_ref(&snapshot.workspace))?;
    let prepared = prepared(snapshot, differences, &unfinished);
    let trial = match prepared {
        Ok(trial) => trial,
        Err(error) => {
            let _ = unfinished.forget();
            return Err(error);
        }
    };
    let count = trial.changes.len();
    let place = unfinished.keep(&trial)?;
    let numbers: Vec<usize> = (0..count).collect();
    let contents = Stored::new(store, snapshot);
    let done = commit::commit_from(&contents, (places, &place), &trial, &numbers, beat);
    if let Err(error) = done {
        // What a journal stands for is taken back by the next one.
        if !place.has_journal() {
            let _ = place.remove();
        }
        return Err(match error {
            CommitError::Conflicts(conflicts) => UndoError::Conflicts(conflicts),
            error => error.into(),
        });
    }
    snapshot.undone = true;
    store.note(snapshot)?;
    Ok(count)
}

/// Makes the workspace anew where it is gone: under another name, until the snapshot knows it again.
fn remake_workspace(store: &Store, snapshot: &mut Snapshot) -> Result<(), UndoError> {
    match Root::open(&snapshot.workspace) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
        Ok(_) => return Ok(()),
    }
    let kept = snapshot.before.iter().find(|kept| kept.path.as_os_str().is_empty());
    let node = kept.map(|kept| kept.node.clone());
    let (Some(above), Some(name), Some(node)) =
        (snapshot.workspace.parent(), snapshot.workspace.file_name(), node)
    else {
        return Err(io::Error::from(io::ErrorKind::NotFound).into());
    };
    let above = Root::open(above)?;
    let aside = PathBuf::from(format!(".portcullis-undo-{}", snapshot.id));
    // One that was killed here left it, and nothing in it.
    if above.node(&aside, false)?.is_some() {
        above.remove_folder(&aside)?;
    }
    above.make(&node, &aside)?;
    let made =
        above.node(&aside, false)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    snapshot.number = made.number;
    store.note(snapshot)?;
    Ok(above.move_to(&aside, &above, Path::new(name))?)
}

/// The contents that a snapshot keeps.
struct Stored<'a> {
    store: &'a Store,
    before: HashMap<&'a Path, &'a Kept>,
}

impl<'a> Stored<'a> {
    fn new(store: &'a Store, snapshot: &'a Snapshot) -> Self {
        let kept = |kept: &'a Kept| (kept.path.as_path(), kept);
        Self { store, before: snapshot.before.iter().map(kept).collect() }
    }
}

impl Contents for Stored<'_> {
    fn lay(
        &self,
        change: &Change,
        after: &Node,
        (to, place): (&Root, &Path),
        how: Settled,
    ) -> io::Result<Node> {
        to.lay(after, place, how, |made| {
            let object = self.before.get(change.path.as_path());
            let object = object.and_then(|kept| kept.object.as_ref());
            let object = object.ok_or_else(|| io::Error::other("its content was not kept"))?;
            self.store.write(object, made)
        })
        .map_err(|error| {
            let words = format!("`{}`: {error}", write_name(&change.path));
            io::Error::new(error.kind(), words)
        })
    }

    /// Those in which something was put back have the times that they had.
    fn timed(&self, changes: &[&Change]) -> Vec<(usize, PathBuf, Node)> {
        let touched: BTreeSet<&Path> = changes
            .iter()
            .filter_map(|change| change.path.parent())
            .chain([Path::new("")])
            .collect();
        let kept = |path: &Path| Some((0, path.to_owned(), self.before.get(path)?.node.clone()));
        touched.into_iter().filter_map(kept).collect()
    }
}

/// The changes that put it back.
fn prepared(
    snapshot: &Snapshot,
    differences: &[Difference],
    unfinished: &crate::trial::Unfinished,
) -> Result<Trial, UndoError> {
    const LAYER: &str = "layer-0";
    // Contents come from where they are kept, and the layer stays empty.
    unfinished.folder(LAYER)?;
    let root = Root::open(&snapshot.workspace)?;
    let (mut deleted, mut others) = (Vec::new(), Vec::new());
    for one in differences {
        let change = |what: What, before: Option<Node>, after: Option<Node>| Change {
            root: 0,
            path: one.path.clone(),
            what,
            aspects: Vec::new(),
            before,
            after,
            renamed_from: None,
            name_of: one
                .before
                .as_ref()
                .and_then(|kept| name_of(snapshot, &root, differences, kept)),
        };
        let kept = one.before.as_ref();
        match (&one.what, kept) {
            (Outcome::Removed, _) => {
                deleted.push(change(What::Deleted, hashed(&root, one)?, None));
            }
            // The workspace was made already.
            (Outcome::Restored, _) if one.path.as_os_str().is_empty() => {}
            (Outcome::Restored, Some(kept)) => {
                others.push(change(What::Made, None, Some(kept.node.clone())));
            }
            (Outcome::Reverted, Some(kept)) => {
                let was_folder = one.now.as_ref().is_some_and(|now| now.kind == Kind::Folder);
                let is_folder = kept.node.kind == Kind::Folder;
                let now = hashed(&root, one)?;
                if was_folder == is_folder {
                    others.push(change(What::Changed, now, Some(kept.node.clone())));
                } else {
                    deleted.push(change(What::Deleted, now, None));
                    others.push(change(What::Made, None, Some(kept.node.clone())));
                }
            }
            _ => {}
        }
    }
    // What lies in a directory goes before it.
    deleted.sort_by(|one, other| other.path.cmp(&one.path));
    others.sort_by(|one, other| one.path.cmp(&other.path));
    let found =
        root.node(Path::new(""), false)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    Ok(Trial {
        v: VERSION,
        id: unfinished.place().id.clone(),
        command: vec!["undo".to_owned(), snapshot.id.clone()],
        directory: snapshot.workspace.clone(),
        began: Timestamp::now().to_string(),
        milliseconds: 0,
        means: Means::Copy,
        roots: vec![Tried {
            path: snapshot.workspace.clone(),
            layer: LAYER.to_owned(),
            number: found.number,
        }],
        exit: 0,
        stopped: None,
        changes: deleted.into_iter().chain(others).collect(),
        seen: portcullis_sandbox::Seen::default(),
        watched: false,
        wanted: Vec::new(),
        stdout: String::new(),
        stderr: String::new(),
        dropped: 0,
        notes: Vec::new(),
        whole: true,
    })
}

/// Another name that the file had, where that still stands untouched and is not put back itself.
fn name_of(
    snapshot: &Snapshot,
    root: &Root,
    differences: &[Difference],
    kept: &Kept,
) -> Option<String> {
    if kept.node.kind != Kind::File || kept.node.names < 2 {
        return None;
    }
    let others = snapshot.before.iter().filter(|other| {
        other.node.number == kept.node.number
            && other.path != kept.path
            && !differences.iter().any(|one| one.path == other.path)
    });
    let mut standing = others.filter(|other| {
        root.node(&other.path, true)
            .ok()
            .flatten()
            .is_some_and(|there| there.number == kept.node.number && there.is_like(&kept.node))
    });
    standing.next().map(|other| write_name(&other.path))
}

/// What stands there, with its hash: by that it is known again.
fn hashed(root: &Root, one: &Difference) -> io::Result<Option<Node>> {
    let found = root.node(&one.path, true)?;
    // What was looked at is what is changed; anything else is a conflict.
    Ok(match (found, &one.now) {
        (Some(found), Some(now)) if found.is_untouched(now) => Some(found),
        (_, now) => now.clone(),
    })
}
