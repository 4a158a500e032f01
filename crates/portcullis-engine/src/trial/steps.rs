//! The steps by which files change. Owns how copies are made beside the files, that each step is about what was looked at, and that what gets a
//! name is what was judged; the order around them, and what is taken back, [`super::commit`] says.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::File,
    io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use portcullis_sandbox::Unwritten;

use super::{
    Change, What,
    journal::{Act, Journal, Step, aside},
};
use crate::tree::{Kind, Node, Root, Settled};

/// Up to how many files are brought onto the disk one by one. More of them are with everything else on their file system.
const ONE_BY_ONE: usize = 32;

/// How often and how long it is waited that nobody has a copy open to write.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// File systems of servers (NFS, two of SMB), which refuse a lease also where nobody writes.
const OF_SERVERS: &[i64] = &[0x6969, 0xff53_4d42, 0xfe53_4d42];

/// A change that cannot be taken over, because what it is about is not what it was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conflict {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, in a few words.
    pub why: String,
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

    /// The directories that have these times when all is done: a root each, a path in it and what is meant to stand there.
    fn timed(&self, _changes: &[&Change]) -> Vec<(usize, PathBuf, Node)> {
        Vec::new()
    }
}

/// How a step failed.
pub(super) enum Failed {
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

/// What is wrong with what stands at a path; nothing where it is what it was.
pub(super) fn standing(
    root: &Root,
    path: &Path,
    before: Option<&Node>,
) -> io::Result<Option<String>> {
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

/// Makes the copies beside the files, and with that the steps.
pub(super) fn prepared(
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
        // The one that stands there now may be another one of the same rights.
        let there = match (&change.before, roots.get(change.root)) {
            (Some(_), Some(root)) => root.node(&change.path, false)?,
            _ => None,
        };
        if let Some(after) = &change.after {
            journal.steps.push(step(change, Act::Dress(there, after.clone())));
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
pub(super) fn applied(
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
        let after = change.and_then(|change| change.after.as_ref());
        let conflict = |why: &str| {
            Failed::Conflict(Conflict { path: root.path().join(&step.path), why: why.to_owned() })
        };
        let place = aside(ground, at);
        // What was looked at before all copies were made may have changed since.
        let is_new = before.is_none() && matches!(step.act, Act::Dress(..));
        if !is_new
            && !matches!(step.act, Act::MakeFolder(_) | Act::Put(_))
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
            Act::Put(number) => {
                root.move_to(&place, root, &step.path).map_err(taken)?;
                if !is_the_copy(root, &step.path, *number, after)? {
                    root.move_to(&step.path, root, &foreign(&place))?;
                    return Err(conflict(SWAPPED));
                }
            }
            Act::Exchange(number) => {
                root.exchange(&place, root, &step.path)?;
                if !is_the_copy(root, &step.path, *number, after)? {
                    root.exchange(&place, root, &step.path)?;
                    root.move_to(&place, root, &foreign(&place))?;
                    return Err(conflict(SWAPPED));
                }
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

/// What is wrong where what got a name is not the copy that was made for it.
const SWAPPED: &str =
    "its copy was changed while it was put in place, or somebody has it open to write";

/// Where a copy goes that somebody else changed.
fn foreign(place: &Path) -> PathBuf {
    place.with_extension("foreign")
}

/// Whether what got a name is the copy that was made for it, with what was judged in it: who may write beside the files may reach a copy too, and
/// hold it open. So a file is read when nobody has it open to write: from then on, writing to it takes the name that it has by then.
fn is_the_copy(
    root: &Root,
    path: &Path,
    number: (u64, u64),
    after: Option<&Node>,
) -> io::Result<bool> {
    let file = match after {
        Some(after) if after.kind == Kind::File => match root.file(path) {
            Err(error) if crate::tree::is_gone(&error) => return Ok(false),
            // What cannot be read has no content that was judged.
            file => file.ok(),
        },
        _ => None,
    };
    let unwritten = match file.as_ref().map(unwritten) {
        Some(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
        // Where there are no leases, what it is now is all that can be known.
        unwritten => unwritten.and_then(Result::ok),
    };
    let hashed = after.is_some_and(|after| after.sha256.is_some());
    let Some((there, after)) = root.node(path, hashed)?.zip(after) else { return Ok(false) };
    let content = |node: &Node| (node.kind, node.mode, node.sha256.clone(), node.target.clone());
    let same = there.number == number && content(&there) == content(after);
    Ok(same && unwritten.is_none_or(|unwritten| unwritten.is_held()))
}

/// That nobody has a file open to write. A process that we start ourselves holds what we had open until it has become another program.
fn unwritten(file: &File) -> io::Result<Unwritten<'_>> {
    if rustix::fs::fstatfs(file)
        .is_ok_and(|found| OF_SERVERS.contains(&(found.f_type & 0xffff_ffff)))
    {
        return Err(io::ErrorKind::Unsupported.into());
    }
    for _ in 0..ATTEMPTS {
        match Unwritten::held(file.as_fd()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
            done => return done,
        }
    }
    Unwritten::held(file.as_fd())
}

/// Whether what was moved aside is what was looked at.
fn is_the_one(root: &Root, place: &Path, before: Option<&Node>) -> io::Result<bool> {
    let hashed = before.is_some_and(|before| before.sha256.is_some());
    let Some((there, before)) = root.node(place, hashed)?.zip(before) else { return Ok(false) };
    let same = (there.modified, there.length) == (before.modified, before.length)
        && there.number == before.number;
    Ok(there.is_like(before) || (before.sha256.is_none() && same))
}
