//! What snapshots of a workspace would have to read, read before anybody waits for it. Owns that whoever does that is in nobody's way: it has a lock of
//! its own that nobody waits for, and none that others wait for; it ends within its bounds; and what it leaves where it is killed is
//! a shorter list.
//!
//! ```text
//! walk ──what is not known──► a round: files ──► a pack without a name ──► a layer that names it ──► the pack's name ──► the next round
//! ```
//!
//! A snapshot that is taken meanwhile believes of a list what it finds kept. What is not is read then, as if there were no list.

mod behind;

use std::{
    collections::HashMap,
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;

pub use self::behind::Ahead;
use super::{
    Bounds, Kept, Store,
    lists::{self, Prepared},
    pack::{self, Published},
    take::{self, FEW, Into},
    tidy::MOST_BYTES,
    versions::{Copying, Version, Versions},
    walk::{TOO_MUCH, Walk},
};
use crate::{
    platform,
    tree::{Kind, Node, Reader, Root, write_name},
};

/// How many files one round takes, how many bytes of them, and how many long ones, each of which is held open.
const ROUND: usize = 4096;
const ROUND_BYTES: u64 = 64 << 20;
const ROUND_APART: usize = 64;

/// How much room stays on the disk.
const STAYS_FREE: u64 = 256 << 20;

/// The longest ago that a change may be which the times of a file do not tell from a later one.
const RECENT: Duration = Duration::from_secs(2);

/// The most layers, and how many files they may name that are not there any more.
const MOST_LAYERS: usize = 64;
const MOST_STALE: usize = 4096;

/// The longest attributes of a file that is listed: lists are short.
const LONGEST_ATTRIBUTES: usize = 4096;

/// Why nothing was kept beforehand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unprepared {
    /// One at a time.
    #[error("something is being kept beforehand already")]
    Busy,
    /// It is no workspace to keep a copy of.
    #[error("{0}")]
    NoProject(&'static str),
    /// What the system says.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Keeps the contents of a workspace before anybody waits for it, as far as the bounds go. What was kept before stays.
///
/// # Errors
/// [`Unprepared`]. What was kept until then is kept.
pub fn prepare(store: &Store, workspace: &Path, bounds: Bounds) -> Result<Prepared, Unprepared> {
    prepared_by(store, workspace, bounds, Way { recent: RECENT, step: &mut || Ok(()) })
}

/// What is kept beforehand, of all workspaces. Nothing is made below the state directory.
#[must_use]
pub fn prepared(state: &Path) -> Vec<Prepared> {
    if !state.join("snapshots/prepared").is_dir() {
        return Vec::new();
    }
    Store::open(state).map(|store| lists::heads(&store)).unwrap_or_default()
}

/// How it is gone about.
pub(super) struct Way<'a> {
    /// How long ago a change has to be.
    pub(super) recent: Duration,
    /// Called between all that changes something; what it refuses ends there, as by a kill.
    pub(super) step: &'a mut dyn FnMut() -> io::Result<()>,
}

/// The same in another way.
pub(super) fn prepared_by(
    store: &Store,
    workspace: &Path,
    bounds: Bounds,
    way: Way<'_>,
) -> Result<Prepared, Unprepared> {
    let Way { recent, step } = way;
    let _alone = lists::lock(store).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Unprepared::Busy,
        _ => Unprepared::Io(error),
    })?;
    let root = Root::open(workspace)?;
    let folder = lists::folder_of(store.folder(), workspace);
    platform::create_private_directory(&folder)?;
    let mut head = lists::head(store, workspace).unwrap_or_else(|| Prepared::nothing_of(workspace));
    lists::sweep(&folder, Some(&head));
    let mut walk = Walk::new(&root, bounds);
    // Who waits for nobody takes one processor alone.
    walk.threads = 1;
    walk.all(&[]);
    let mut known = [lists::files(store, &head, &[])];
    walk.recognize(&mut known, Some(store));
    let by_hash = |kept: &Kept| Some((kept.node.sha256.clone()?, kept.object.clone()?));
    let all = known.iter().flatten().chain(&walk.found);
    let mut from = Published {
        known: all.filter_map(by_hash).collect(),
        // A snapshot finds room whatever is kept beforehand.
        room: bounds
            .bytes
            .min((MOST_BYTES / 2).saturating_sub(store.taken()))
            .min(platform::room(store.folder())?.saturating_sub(STAYS_FREE + ROUND_BYTES)),
    };
    from.known.retain(|_, object| store.has(object));
    let versions = match walk.unread() {
        (files, bytes) if files > FEW => {
            step()?;
            store.versions_of(workspace, bytes.min(from.room), Copying::Beside)
        }
        _ => Versions::default(),
    };
    (head.read, head.of_git, head.recent) = (0, 0, 0);
    let mut found = std::mem::take(&mut walk.found);
    let way = Way { recent, step: &mut *step };
    let mut run = Run { store, walk: &mut walk, versions: &versions, head: &mut head, from, way };
    let read = run.all(&mut found);
    let kept: Vec<&Kept> = found.iter().filter(|kept| is_listed(kept)).collect();
    head.files = kept.len();
    head.left_out = walk.left_out;
    head.taken = Timestamp::now().to_string();
    head.milliseconds = u64::try_from(walk.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (named, layers) = head.named();
    step()?;
    if layers > MOST_LAYERS || named > 2 * kept.len() + MOST_STALE {
        let kept: Vec<Kept> = kept.into_iter().cloned().collect();
        let portions: Vec<&[Kept]> = kept.chunks(ROUND).collect();
        lists::rewrite(store, &mut head, &portions)?;
    } else {
        lists::write(store, &head)?;
    }
    read.map(|()| head).map_err(Unprepared::Io)
}

/// Whether a file can stand in a list.
fn is_listed(kept: &Kept) -> bool {
    let attributes = kept.node.attributes.iter().map(|(name, value)| name.len() + value.len());
    kept.node.kind == Kind::File
        && kept.object.is_some()
        && attributes.sum::<usize>() <= LONGEST_ATTRIBUTES
}

/// Whether a file changed so shortly ago that another change could have the same time.
fn is_recent(node: &Node, recent: Duration) -> bool {
    let (seconds, nanoseconds) = node.changed;
    let nanoseconds = u32::try_from(nanoseconds).unwrap_or(0);
    let since = u64::try_from(seconds).ok().map(|seconds| Duration::new(seconds, nanoseconds));
    let changed = since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    // What is of a time to come may change again in it.
    changed.is_some_and(|time| time.elapsed().map_or(true, |age| age < recent))
}

/// What is read, in rounds.
struct Run<'a, 'b> {
    store: &'a Store,
    walk: &'a mut Walk<'b>,
    versions: &'a Versions,
    head: &'a mut Prepared,
    from: Published,
    way: Way<'a>,
}

/// Why a round ended.
enum Ended {
    Full,
    All,
    /// Nothing more is read.
    Over,
}

impl Run<'_, '_> {
    /// Reads whatever is not known. An error is one that would meet all that comes behind it.
    fn all(&mut self, found: &mut [Kept]) -> io::Result<()> {
        let is_unread = |kept: &&mut Kept| kept.node.kind == Kind::File && kept.object.is_none();
        let mut unread = found.iter_mut().filter(is_unread);
        let mut reader = Reader::new(self.walk.root);
        loop {
            let free = platform::room(self.store.folder())?;
            if free < STAYS_FREE + ROUND_BYTES {
                let least = (STAYS_FREE + ROUND_BYTES) >> 20;
                self.walk.left_out.insert(0, format!("less than {least} MB are free on the disk"));
                return Ok(());
            }
            self.from.room = self.from.room.min(free - STAYS_FREE);
            let known = std::mem::take(&mut self.from.known);
            let (ended, known, room) = self.round(&mut unread, &mut reader, known)?;
            self.from = Published { known, room };
            if !matches!(ended, Ended::Full) {
                return Ok(());
            }
        }
    }

    fn round<'k>(
        &mut self,
        unread: &mut impl Iterator<Item = &'k mut Kept>,
        reader: &mut Reader<'_>,
        known: HashMap<String, String>,
    ) -> io::Result<(Ended, HashMap<String, String>, u64)> {
        let Self { store, versions, .. } = *self;
        let pack = store.hidden_pack(known, self.from.room)?;
        let mut into = (Into { store, pack: &pack, versions }, versions.look());
        let deadline = self.walk.begun + self.walk.bounds.time;
        let (mut layer, mut bytes) = (Vec::new(), 0_u64);
        let mut ended = Ended::All;
        for kept in unread {
            if kept.node.length > take::LONGEST {
                self.walk.leave_out(&kept.path, pack::TOO_MUCH);
                continue;
            }
            // A file that was not there before is looked at when it is opened: others may have come in its place.
            if is_recent(&kept.node, self.way.recent) {
                self.head.recent += 1;
                continue;
            }
            let read = take::read(reader, Some(&mut into), deadline, kept);
            match read {
                Ok(()) if is_recent(&kept.node, self.way.recent) => {
                    (kept.object, kept.node.sha256) = (None, None);
                    self.head.recent += 1;
                }
                Ok(()) if !is_listed(kept) => kept.object = None,
                Ok(()) => {
                    bytes = bytes.saturating_add(kept.node.length);
                    self.head.of_git += usize::from(is_of_git(kept));
                    self.head.read += 1;
                    layer.push(kept.clone());
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let words = format!(
                        "{TOO_MUCH}; from `{}` on nothing was read",
                        write_name(&kept.path)
                    );
                    self.walk.left_out.insert(0, words);
                    ended = Ended::Over;
                    break;
                }
                Err(error) if is_full(&error) => return Err(error),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.walk.leave_out(&kept.path, &error.to_string()),
            }
            if layer.len() >= ROUND || bytes >= ROUND_BYTES || pack.count_apart() >= ROUND_APART {
                ended = Ended::Full;
                break;
            }
        }
        (self.way.step)()?;
        if !layer.is_empty() {
            lists::add(store, self.head, &layer)?;
        }
        (self.way.step)()?;
        if layer.iter().any(is_of_git) {
            versions.publish()?;
            (self.way.step)()?;
        }
        let Published { known, room } = pack.publish(self.way.step)?;
        Ok((ended, known, room))
    }
}

/// Whether git has a content too.
fn is_of_git(kept: &Kept) -> bool {
    kept.object.as_ref().is_some_and(|object| Version::pack_of(object).is_some())
}

/// Whether nothing more can be written.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
}
