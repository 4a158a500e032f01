//! Taking over what a trial changed. Owns that nothing is overwritten that changed since, that all of what was chosen is taken over or none of
//! it, and that nothing is left beside the files.
//!
//! ```text
//! held against the files ──► copies beside them ──► journal ──► names change, one by one ──► done ──► copies removed
//!        └── conflict                                   └── killed here: the next one takes back
//! ```

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
};

use portcullis_core::{action::BadCall, call::ToolCall, policy::Context};

use super::{
    Change, Judged, Place, Places, StoreError, Trial, VERSION, What,
    journal::{Act, Ground, Journal, State, Step, aside},
    judge,
};
use crate::{
    session::Session,
    tree::{Kind, Node, Root, Settled, write_name},
};

/// Up to how many files are brought onto the disk one by one. More of them are with everything else on their file system.
const ONE_BY_ONE: usize = 32;

/// A change that cannot be taken over, because what it is about is not what it was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conflict {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, in a few words.
    pub why: String,
}

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
        let wanted = crate::platform::bare(&trial.directory.join(path));
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
    let roots = grounds(trial).roots()?;
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

/// What is wrong with what stands at a path; nothing where it is what it was.
fn standing(root: &Root, path: &Path, before: Option<&Node>) -> io::Result<Option<String>> {
    let there = root.node(path, false)?;
    Ok(match (there, before) {
        (None, None) => None,
        (Some(_), None) => Some("something stands there by now".to_owned()),
        (None, Some(_)) => Some("it is gone".to_owned()),
        (Some(there), Some(before)) if there.kind == Kind::Folder => {
            (!there.is_like(before)).then(|| "its rights changed".to_owned())
        }
        (Some(there), Some(before)) if there.is_untouched(before) => None,
        (Some(_), Some(before)) => {
            // Something happened to it. It counts where it left another content or other rights.
            let hashed = root.node(path, before.sha256.is_some())?;
            let same = hashed.is_some_and(|hashed| {
                hashed.is_like(before) && (before.kind != Kind::File || before.sha256.is_some())
            });
            (!same).then(|| "it was changed".to_owned())
        }
    })
}

fn grounds(trial: &Trial) -> Journal {
    let ground = |root: &super::Tried| Ground {
        path: root.path.clone(),
        number: root.number,
        staging: format!(".portcullis-commit-{}", trial.id),
    };
    let grounds = trial.roots.iter().map(ground).collect();
    Journal { v: VERSION, state: State::Preparing, grounds, steps: Vec::new(), folders: Vec::new() }
}

/// Called before each step; an error ends everything on the spot, as a kill would.
pub type Beat<'a> = &'a mut dyn FnMut() -> io::Result<()>;

/// Where the contents of changes come from.
pub trait Contents {
    /// Makes what a change leaves at a place beside the files.
    ///
    /// # Errors
    /// What the system says, and then nothing is left there.
    fn lay(
        &self,
        change: &Change,
        after: &Node,
        to: (&Root, &Path),
        how: Settled,
    ) -> io::Result<Node>;
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
    let mut journal = grounds(trial);
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

/// How a step failed.
enum Failed {
    /// Nothing more is done, as after a kill.
    Killed(io::Error),
    System(io::Error),
    Conflict(Conflict),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
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

/// Makes the copies beside the files, and with that the steps.
fn prepared(
    journal: &mut Journal,
    roots: &[Root],
    contents: &dyn Contents,
    changes: &[&Change],
    beat: Beat<'_>,
) -> Result<(), Failed> {
    let is_many = changes.len() > ONE_BY_ONE;
    let how = if is_many { Settled::Later } else { Settled::OnDisk };
    let used: BTreeSet<usize> = changes.iter().map(|change| change.root).collect();
    for at in used.iter().copied() {
        beat().map_err(Failed::Killed)?;
        if let (Some(root), Some(ground)) = (roots.get(at), journal.grounds.get(at)) {
            let (folder, name) = root.parent(Path::new(&ground.staging))?;
            rustix::fs::mkdirat(folder, name, rustix::fs::Mode::RWXU).map_err(io::Error::from)?;
        }
    }
    let step =
        |change: &Change, act: Act| Step { root: change.root, path: change.path.clone(), act };
    let is_folder =
        |node: &Option<Node>| node.as_ref().is_some_and(|node| node.kind == Kind::Folder);
    for change in changes.iter().filter(|change| change.what == What::Deleted) {
        let Some(before) = &change.before else { continue };
        let act = if before.kind == Kind::Folder {
            Act::RemoveFolder(before.clone())
        } else {
            Act::Remove
        };
        journal.steps.push(step(change, act));
    }
    for change in
        changes.iter().filter(|change| change.what == What::Made && is_folder(&change.after))
    {
        if let Some(after) = &change.after {
            let open = Node { mode: after.mode | 0o700, ..after.clone() };
            journal.steps.push(step(change, Act::MakeFolder(open)));
        }
    }
    let mut linked: BTreeMap<(usize, (u64, u64)), PathBuf> = BTreeMap::new();
    for change in
        changes.iter().filter(|change| change.what != What::Deleted && !is_folder(&change.after))
    {
        beat().map_err(Failed::Killed)?;
        let (Some(after), Some(root), Some(ground)) =
            (&change.after, roots.get(change.root), journal.grounds.get(change.root))
        else {
            continue;
        };
        let place = aside(ground, journal.steps.len());
        // Two names of one file stay that.
        let names = after.kind == Kind::File && after.names > 1;
        let first = linked.get(&(change.root, after.number)).filter(|_| names);
        let other = change.name_of.as_deref().filter(|_| names).and_then(crate::tree::read_name);
        let other = match (first, other) {
            (Some(first), _) => Some(first.clone()),
            (None, Some(other)) => {
                let there = root.node(&other, false)?;
                there.is_some_and(|there| there.number == after.number).then_some(other)
            }
            (None, None) => None,
        };
        let copy = match other {
            Some(other) => {
                root.link(&other, root, &place)?;
                root.node(&place, false)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?
            }
            None => contents.lay(change, after, (root, &place), how)?,
        };
        if names {
            linked.entry((change.root, after.number)).or_insert(place);
        }
        let act = if change.what == What::Made {
            Act::Put(copy.number)
        } else {
            Act::Exchange(copy.number)
        };
        journal.steps.push(step(change, act));
    }
    let dressed = changes.iter().rev().filter(|change| change.what != What::Deleted);
    for change in dressed.filter(|change| is_folder(&change.after)) {
        if let Some(after) = &change.after {
            journal.steps.push(step(change, Act::Dress(change.before.clone(), after.clone())));
        }
    }
    for (at, (root, ground)) in roots.iter().zip(&journal.grounds).enumerate() {
        if is_many {
            if used.contains(&at) {
                root.settle_all()?;
            }
            continue;
        }
        match root.settle(Path::new(&ground.staging)) {
            Err(error) if !crate::tree::is_gone(&error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Makes the steps.
fn applied(
    journal: &Journal,
    roots: &[Root],
    changes: &[&Change],
    beat: Beat<'_>,
) -> Result<(), Failed> {
    let by_path: HashMap<(usize, &Path, bool), &Change> = changes
        .iter()
        .rev()
        .map(|change| ((change.root, change.path.as_path(), change.what == What::Deleted), *change))
        .collect();
    for (at, step) in journal.steps.iter().enumerate() {
        beat().map_err(Failed::Killed)?;
        let (Some(root), Some(ground)) = (roots.get(step.root), journal.grounds.get(step.root))
        else {
            continue;
        };
        let is_deletion = matches!(step.act, Act::Remove | Act::RemoveFolder(_));
        let change = by_path.get(&(step.root, step.path.as_path(), is_deletion));
        let before = change.and_then(|change| change.before.as_ref());
        let conflict = |why: &str| {
            Failed::Conflict(Conflict { path: root.path().join(&step.path), why: why.to_owned() })
        };
        let place = aside(ground, at);
        // What was looked at before all copies were made may have changed since.
        if !matches!(step.act, Act::MakeFolder(_) | Act::Put(_) | Act::Dress(None, _))
            && let Some(why) = standing(root, &step.path, before)?
        {
            return Err(conflict(&why));
        }
        let taken = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => conflict("something stands there by now"),
            io::ErrorKind::DirectoryNotEmpty => conflict("something was put into it"),
            _ => Failed::System(error),
        };
        match &step.act {
            Act::Remove => {
                root.move_to(&step.path, root, &place).map_err(taken)?;
                if !is_the_one(root, &place, before)? {
                    return Err(conflict("it was changed"));
                }
            }
            Act::RemoveFolder(_) => root.remove_folder(&step.path).map_err(taken)?,
            Act::MakeFolder(node) => root.make(node, &step.path).map_err(taken)?,
            Act::Put(_) => root.move_to(&place, root, &step.path).map_err(taken)?,
            Act::Exchange(_) => {
                root.exchange(&place, root, &step.path)?;
                if !is_the_one(root, &place, before)? {
                    return Err(conflict("it was changed"));
                }
            }
            Act::Dress(_, after) => root.dress_folder(after, &step.path)?,
        }
    }
    if journal.folders.len() > ONE_BY_ONE {
        let used: BTreeSet<usize> = journal.folders.iter().map(|(at, ..)| *at).collect();
        for root in used.into_iter().filter_map(|at| roots.get(at)) {
            root.settle_all()?;
        }
        return Ok(());
    }
    for (at, path, _) in &journal.folders {
        if let (Some(root), Some(path)) = (roots.get(*at), crate::tree::read_name(path)) {
            match root.settle(&path) {
                Err(error) if !crate::tree::is_gone(&error) => return Err(error.into()),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether what was moved aside is what was looked at.
fn is_the_one(root: &Root, place: &Path, before: Option<&Node>) -> io::Result<bool> {
    let hashed = before.is_some_and(|before| before.sha256.is_some());
    let Some((there, before)) = root.node(place, hashed)?.zip(before) else { return Ok(false) };
    let same = (there.modified, there.length) == (before.modified, before.length)
        && there.number == before.number;
    Ok(there.is_like(before) || (before.sha256.is_none() && same))
}
