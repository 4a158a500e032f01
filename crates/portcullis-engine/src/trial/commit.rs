//! Taking over what a trial changed. Owns that nothing is overwritten that changed since, that all of what was chosen is taken over or none of
//! it, and that nothing is left beside the files.
//!
//! ```text
//! held against the files ──► copies beside them ──► journal ──► names change, one by one ──► done ──► copies removed
//!        └── conflict                                   └── killed here: the next one takes back
//! ```

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use portcullis_core::{action::BadCall, call::ToolCall, policy::Context};

pub use super::steps::{Beat, Conflict, Contents};
use super::{
    Change, Judged, Place, Places, StoreError, Trial, VERSION, What,
    journal::{Ground, Journal, State},
    judge,
    steps::{Failed, applied, prepared, standing},
};
use crate::{
    platform,
    session::Session,
    tree::{Kind, Node, Root, Settled, write_name},
};

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Files changed since.
    #[error("{} changed since the trial", conflict_words(.0))]
    Conflicts(Vec<Conflict>),
    /// Not everything that it did is known.
    #[error(
        "not everything that the trial changed is known, so that nothing of it can be taken over"
    )]
    NotWhole,
    /// A kind of file that is not taken over.
    #[error("`{0}` is a socket or a device, which is not taken over")]
    Kind(String),
    /// The system refuses. Everything is as it was, but for what stands here.
    #[error("it could not be taken over, and everything is as it was: {0}")]
    System(io::Error),
    /// The system refuses, and not everything could be taken back.
    #[error("it could not be taken over ({error}), and not all of it could be taken back: {}", left.join("; "))]
    Torn {
        /// Why not.
        error: io::Error,
        /// What is not as it was.
        left: Vec<String>,
    },
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn conflict_words(conflicts: &[Conflict]) -> String {
    let first = conflicts.first().map(|one| format!("`{}` ({})", write_name(&one.path), one.why));
    match conflicts.len() {
        0 | 1 => first.unwrap_or_default(),
        more => format!("{} and {} more files", first.unwrap_or_default(), more - 1),
    }
}

/// Judges changes as edits of files, without recording anything; by whoever made a call, where one led to them.
///
/// # Errors
/// [`BadCall`] where one of them cannot be judged.
pub fn judged(
    session: &Session,
    place: &Place,
    trial: &Trial,
    numbers: &[usize],
    caller: Option<&ToolCall>,
    context: Context,
) -> Result<Vec<Judged>, BadCall> {
    let layers: Vec<Option<Root>> =
        trial.roots.iter().map(|root| Root::open(&place.path.join(&root.layer)).ok()).collect();
    let changes = numbers.iter().filter_map(|number| Some((*number, trial.changes.get(*number)?)));
    changes
        .map(|(number, change)| {
            let layer = layers.get(change.root).and_then(Option::as_ref);
            judge::judged(session, trial, (number, change), layer, (caller, context))
        })
        .collect()
}

/// The changes at or below paths, and the directories that they take; all of them where no paths are given. A path at which nothing changed
/// is the error.
///
/// # Errors
/// The path.
pub fn chosen(trial: &Trial, paths: &[PathBuf]) -> Result<Vec<usize>, PathBuf> {
    if paths.is_empty() {
        return Ok((0..trial.changes.len()).collect());
    }
    let whole = |change: &Change| {
        trial.roots.get(change.root).map(|root| root.path.join(&change.path)).unwrap_or_default()
    };
    let mut numbers = BTreeSet::new();
    for path in paths {
        let wanted = platform::bare(&trial.directory.join(path));
        let before = numbers.len();
        let found =
            trial.changes.iter().enumerate().filter(|(_, one)| whole(one).starts_with(&wanted));
        let found: Vec<usize> = found.map(|(number, _)| number).collect();
        if found.is_empty() && before == numbers.len() {
            return Err(path.clone());
        }
        numbers.extend(found);
    }
    let needed: Vec<usize> = trial
        .changes
        .iter()
        .enumerate()
        .filter(|(_, folder)| {
            folder.what == What::Made
                && folder.after.as_ref().is_some_and(|after| after.kind == Kind::Folder)
                && numbers.iter().filter_map(|number| trial.changes.get(*number)).any(|one| {
                    one.root == folder.root
                        && one.what != What::Deleted
                        && one.path.starts_with(&folder.path)
                })
        })
        .map(|(number, _)| number)
        .collect();
    numbers.extend(needed);
    Ok(numbers.into_iter().collect())
}

/// Of these changes, those that are about something that is not what it was.
///
/// # Errors
/// What the system says.
pub fn conflicts(trial: &Trial, numbers: &[usize]) -> io::Result<Vec<Conflict>> {
    let roots = grounds(trial, "").roots()?;
    let mut found = Vec::new();
    let deleted: BTreeSet<(usize, &Path)> = numbers
        .iter()
        .filter_map(|number| trial.changes.get(*number))
        .filter(|change| change.what == What::Deleted)
        .map(|change| (change.root, change.path.as_path()))
        .collect();
    for change in numbers.iter().filter_map(|number| trial.changes.get(*number)) {
        let Some(root) = roots.get(change.root) else { continue };
        let is_remade = change.what == What::Made && deleted.contains(&(change.root, &change.path));
        if is_remade {
            continue;
        }
        let why = match standing(root, &change.path, change.before.as_ref()) {
            Ok(why) => why,
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            found.push(Conflict { path: root.path().join(&change.path), why });
        }
    }
    Ok(found)
}

/// A journal in which nothing stands yet; copies go to directories of a name beside the files.
fn grounds(trial: &Trial, staging: &str) -> Journal {
    let ground = |root: &super::Tried| Ground {
        path: root.path.clone(),
        number: root.number,
        staging: staging.to_owned(),
    };
    let grounds = trial.roots.iter().map(ground).collect();
    let (steps, folders, timed) = (Vec::new(), Vec::new(), Vec::new());
    Journal { v: VERSION, state: State::Preparing, grounds, steps, folders, timed }
}

/// The name of a directory for copies. Nobody knows it before, so that nothing stands there that would be taken for ours.
fn staging() -> io::Result<String> {
    let random: [u8; 8] = platform::random()?;
    Ok(format!(".portcullis-commit-{}", data_encoding::HEXLOWER.encode(&random)))
}

/// The layers of a trial.
struct Layers(Vec<Root>);

impl Contents for Layers {
    fn lay(
        &self,
        change: &Change,
        after: &Node,
        (to, place): (&Root, &Path),
        how: Settled,
    ) -> io::Result<Node> {
        let layer = self.0.get(change.root).ok_or(io::ErrorKind::NotFound)?;
        layer.copy(&change.path, after, to, place, how)
    }
}

/// Takes over these changes, all of them or none. What is left of the trial afterwards is kept; where nothing is, so is it.
///
/// # Errors
/// [`CommitError`]
pub fn commit(
    places: &Places,
    place: &Place,
    trial: &Trial,
    numbers: &[usize],
    beat: Beat<'_>,
) -> Result<(), CommitError> {
    let layers: io::Result<Vec<Root>> =
        trial.roots.iter().map(|root| Root::open(&place.path.join(&root.layer))).collect();
    let layers = Layers(layers.map_err(CommitError::System)?);
    commit_from(&layers, (places, place), trial, numbers, beat)
}

/// The same, with contents that come from elsewhere.
///
/// # Errors
/// [`CommitError`]
pub fn commit_from(
    contents: &dyn Contents,
    (places, place): (&Places, &Place),
    trial: &Trial,
    numbers: &[usize],
    beat: Beat<'_>,
) -> Result<(), CommitError> {
    if !trial.whole {
        return Err(CommitError::NotWhole);
    }
    let _lock = places.lock()?;
    let changes: Vec<&Change> =
        numbers.iter().filter_map(|number| trial.changes.get(*number)).collect();
    let unfit = changes.iter().find(|change| {
        change.after.as_ref().is_some_and(|after| matches!(after.kind, Kind::Socket | Kind::Device))
    });
    if let Some(change) = unfit {
        return Err(CommitError::Kind(write_name(&change.path)));
    }
    let found = conflicts(trial, numbers).map_err(CommitError::System)?;
    if !found.is_empty() {
        return Err(CommitError::Conflicts(found));
    }
    let mut journal = grounds(trial, &staging().map_err(CommitError::System)?);
    let timed = contents.timed(&changes);
    journal.timed =
        timed.into_iter().map(|(root, path, node)| (root, write_name(&path), node)).collect();
    let roots = journal.roots().map_err(CommitError::System)?;
    note_folders(&mut journal, &roots, &changes).map_err(CommitError::System)?;
    beat().map_err(CommitError::System)?;
    journal.write(place).map_err(CommitError::System)?;
    let prepared = prepared(&mut journal, &roots, contents, &changes, beat);
    if let Err(error) = prepared {
        return Err(given_up(error, &journal, place, &roots));
    }
    journal.state = State::Applying;
    if let Err(error) = beat().map_err(Failed::Killed).and_then(|()| Ok(journal.write(place)?)) {
        journal.state = State::Preparing;
        return Err(given_up(error, &journal, place, &roots));
    }
    if let Err(error) = applied(&journal, &roots, &changes, beat) {
        return Err(given_up(error, &journal, place, &roots));
    }
    journal.state = State::Done;
    beat().map_err(CommitError::System)?;
    // From here on it is done, whoever is killed.
    journal.write(place).map_err(CommitError::System)?;
    beat().map_err(CommitError::System)?;
    journal.close(place, &roots).map_err(CommitError::System)?;
    beat().map_err(CommitError::System)?;
    let taken: BTreeSet<usize> = numbers.iter().copied().collect();
    let mut rest = trial.clone();
    let mut number = 0..;
    rest.changes.retain(|_| number.next().is_some_and(|number| !taken.contains(&number)));
    if rest.changes.is_empty() {
        return place.remove().map_err(CommitError::System);
    }
    place.rewrite(&rest)?;
    Ok(())
}

/// What killed processes left of taking over: taken back or cleared away. Each trial that cannot be is named, with why.
///
/// # Errors
/// Where nobody can hold the lock.
pub fn recover(places: &Places) -> Result<Vec<String>, StoreError> {
    let mut said = Vec::new();
    let waiting: Vec<Place> = places.list().into_iter().filter(Place::has_journal).collect();
    if waiting.is_empty() {
        return Ok(said);
    }
    let _lock = places.lock()?;
    for place in waiting {
        let journal = match Journal::read(&place) {
            Ok(Some(journal)) => journal,
            Ok(None) => continue,
            Err(error) => {
                said.push(format!(
                    "the journal of the trial `{}` cannot be used: {error}",
                    place.id
                ));
                continue;
            }
        };
        let is_done = journal.state == State::Done;
        match journal.recovered(&place) {
            Ok(left) if left.is_empty() && is_done => {
                // It stands in the files. What else there was of it, nobody knows any more.
                let _ = place.remove();
                said.push(format!("the trial `{}` had been taken over", place.id));
            }
            Ok(left) if left.is_empty() => {
                said.push(format!("taking over the trial `{}` was interrupted, and is taken back", place.id));
            }
            Ok(left) => said.push(format!(
                "taking over the trial `{}` was interrupted, and not all of it can be taken back: {}",
                place.id,
                left.join("; ")
            )),
            Err(error) => {
                said.push(format!("taking over the trial `{}` was interrupted: {error}", place.id));
            }
        }
    }
    Ok(said)
}

/// Takes back what was done.
fn given_up(failed: Failed, journal: &Journal, place: &Place, roots: &[Root]) -> CommitError {
    let error = match failed {
        Failed::Killed(error) => return CommitError::System(error),
        Failed::System(error) => CommitError::System(error),
        Failed::Conflict(conflict) => CommitError::Conflicts(vec![conflict]),
    };
    let left = if journal.state == State::Applying { journal.take_back(roots) } else { Vec::new() };
    if left.is_empty() {
        // What stays beside the files, the next one clears away.
        let _ = journal.close(place, roots);
        return error;
    }
    let error = match error {
        CommitError::System(error) => error,
        other => io::Error::other(other.to_string()),
    };
    CommitError::Torn { error, left }
}

/// The directories whose times change, with those that they have.
fn note_folders(journal: &mut Journal, roots: &[Root], changes: &[&Change]) -> io::Result<()> {
    let mut known = BTreeSet::new();
    // What is put beside the files changes the time of the root.
    known.extend(changes.iter().map(|change| (change.root, PathBuf::new())));
    for change in changes {
        if let Some(folder) = change.path.parent() {
            known.insert((change.root, folder.to_owned()));
        }
    }
    for (at, path) in known {
        let found = roots.get(at).map(|root| root.node(&path, false)).transpose()?.flatten();
        if let Some(node) = found.filter(|node| node.kind == Kind::Folder) {
            journal.folders.push((at, write_name(&path), node));
        }
    }
    Ok(())
}
