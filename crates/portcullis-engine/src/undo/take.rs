//! Taking a snapshot, and looking again when the action has ended. Owns what is left out, and that this is said.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::secrets::redacted;

use super::{
    FORM, Kept, Scope, Snapshot, Store,
    known::{self, Known},
    pack::{self, Pack},
    versions::{Copying, Look, Versions},
    walk::{TOO_MUCH, Walk},
};
use crate::{
    platform,
    tree::{Kind, Reader, Root, digest, read_name, write_name},
};

/// The longest file that is kept.
pub(super) const LONGEST: u64 = 256 << 20;

/// Up to how many files, and how many bytes, are read again whatever is known of them.
pub(super) const FEW: usize = 64;
const LITTLE: u64 = 1 << 20;

/// How many files one thread takes at once.
const PORTION: usize = 64;

/// How much one snapshot may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How many files.
    pub files: usize,
    /// How many bytes that are not kept yet.
    pub bytes: u64,
    /// How long.
    pub time: Duration,
}

impl Bounds {
    /// Where whoever waits has time.
    #[must_use]
    pub const fn usual() -> Self {
        Self { files: 100_000, bytes: 1 << 30, time: Duration::from_secs(20) }
    }

    /// Where a person is about to be asked.
    #[must_use]
    pub const fn question() -> Self {
        Self { files: 100_000, bytes: 256 << 20, time: Duration::from_secs(3) }
    }

    /// Where nobody waits.
    #[must_use]
    pub const fn ahead() -> Self {
        Self { files: 100_000, bytes: 256 << 20, time: Duration::from_secs(20) }
    }

    /// Where an agent waits for its hook.
    #[must_use]
    pub const fn hook() -> Self {
        Self { files: 100_000, bytes: 64 << 20, time: Duration::from_millis(500) }
    }
}

/// What a snapshot is taken for.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The action, for a person.
    pub action: String,
    /// Where the decision on it stands in the record.
    pub sequence: Option<u64>,
    /// Its session.
    pub session: Option<String>,
}

/// Keeps what an action would lose. Nothing is kept of an empty scope.
///
/// # Errors
/// Where nothing can be kept.
pub fn take(store: &Store, scope: &Scope, bounds: Bounds, about: About) -> io::Result<Snapshot> {
    let root = Root::open(&scope.workspace)?;
    let number = root.node(Path::new(""), false)?.ok_or(io::ErrorKind::NotFound)?.number;
    let _lock = store.lock()?;
    let bytes: [u8; 4] = platform::random()?;
    let mut walk = Walk::new(&root, bounds);
    walk.history = scope.history;
    walk.all(&scope.paths);
    // Lists of everything cost more than reading a few files anew.
    let sources = if walk.is_much() { known::sources(store, scope) } else { Vec::new() };
    let known = Known::recognize(store, (scope, sources), &mut walk.found, walk.threads);
    let unread = walk.unread();
    let by_hash = |kept: &Kept| {
        let object = kept.object.clone().filter(|object| store.has(object))?;
        Some((kept.node.sha256.clone()?, object))
    };
    // The same goes for what the few could be copies of.
    let others = if unread.0 > FEW { known.files(store) } else { Vec::new() };
    let all = others.iter().chain(&walk.found).filter(|_| unread.0 > FEW);
    let pack = store.pack(all.filter_map(by_hash).collect(), bounds.bytes)?;
    let versions = match unread {
        (files, bytes) if files > FEW => {
            store.versions_of(&scope.workspace, bytes.min(bounds.bytes), Copying::Alone)
        }
        _ => Versions::default(),
    };
    walk.contents(Some(Into { store, pack: &pack, versions: &versions }));
    let mut snapshot = Snapshot {
        v: FORM,
        id: data_encoding::HEXLOWER.encode(&bytes),
        taken: Timestamp::now().to_string(),
        workspace: scope.workspace.clone(),
        number,
        action: redacted(&about.action),
        sequence: about.sequence,
        session: about.session,
        scope: scope.paths.iter().map(|path| write_name(path)).collect(),
        history: scope.history,
        before: walk.found,
        after: None,
        left_out: walk.left_out,
        beyond: scope.beyond.clone(),
        pack: pack.written(),
        undone: false,
        staying: 0,
        parts: Vec::new(),
        without: Vec::new(),
    };
    if let Some(reference) = known.reference(&snapshot.before) {
        store.refer(&mut snapshot, &reference);
    }
    store.note_soon(&snapshot)?;
    store.tidy();
    Ok(snapshot)
}

/// Notes what the action left, so that what others change afterwards is told from it.
///
/// # Errors
/// Where it cannot be kept.
pub fn ended(store: &Store, snapshot: &mut Snapshot, bounds: Bounds) -> io::Result<()> {
    let Now { found: now, left_out, .. } = now(snapshot, bounds)?;
    if !left_out.iter().any(|one| one.starts_with(TOO_MUCH)) {
        // Half of a look would take what was not seen for gone.
        snapshot.after = Some(now);
        store.note_after(snapshot)?;
    }
    snapshot.left_out.extend(left_out);
    store.note_soon(snapshot)
}

/// What stands now where a snapshot looked.
#[derive(Default)]
pub(super) struct Now {
    pub(super) found: Vec<Kept>,
    /// What was not looked at, a sentence each.
    left_out: Vec<String>,
    /// Where it could not be looked, and why: nobody knows what stands there or below.
    pub(super) unseen: Vec<(PathBuf, String)>,
}

pub(super) fn now(snapshot: &Snapshot, bounds: Bounds) -> io::Result<Now> {
    let root = match Root::open(&snapshot.workspace) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Now::default()),
        root => root?,
    };
    let mut known: Vec<Vec<Kept>> =
        snapshot.after.iter().chain([&snapshot.before]).cloned().collect();
    let mut walk = Walk::new(&root, bounds);
    walk.history = snapshot.history;
    let paths: Vec<PathBuf> = snapshot.scope.iter().filter_map(|path| read_name(path)).collect();
    walk.all(&paths);
    walk.recognize(&mut known, None);
    walk.contents(None);
    Ok(Now { found: walk.found, left_out: walk.left_out, unseen: walk.unseen })
}

/// Where contents are kept.
#[derive(Clone, Copy)]
pub(super) struct Into<'a> {
    pub(super) store: &'a Store,
    pub(super) pack: &'a Pack,
    pub(super) versions: &'a Versions,
}

impl Walk<'_> {
    /// Whether more was found than is read again without a thought.
    fn is_much(&self) -> bool {
        let files = self.found.iter().filter(|kept| kept.node.kind == Kind::File);
        let bytes = |kept: &Kept| kept.node.length;
        files.clone().count() > FEW || files.map(bytes).fold(0, u64::saturating_add) > LITTLE
    }

    /// How many files have to be read, and how many bytes.
    pub(super) fn unread(&self) -> (usize, u64) {
        let is_unread = |kept: &&Kept| kept.node.kind == Kind::File && kept.node.sha256.is_none();
        let unread = self.found.iter().filter(is_unread);
        let bytes = unread.clone().map(|kept| kept.node.length);
        (unread.count(), bytes.fold(0, u64::saturating_add))
    }

    /// Takes what is known of files that nothing happened to since: their content is not read again. With a store, where it is still kept.
    /// Both what was found and the lists are in the order of their paths.
    pub(super) fn recognize(&mut self, known: &mut [Vec<Kept>], store: Option<&Store>) {
        let mut in_store = store.map(known::is_kept);
        let mut is_kept = |kept: &Kept| match &mut in_store {
            Some(is_kept) => is_kept(kept.object.as_deref()),
            None => kept.node.sha256.is_some(),
        };
        for list in known {
            let mut list = list.iter_mut().peekable();
            for kept in &mut self.found {
                let is_before = |known: &&mut Kept| {
                    known.path.as_os_str() != kept.path.as_os_str() && known.path < kept.path
                };
                while list.next_if(is_before).is_some() {}
                let is_same = |known: &&mut Kept| known.path.as_os_str() == kept.path.as_os_str();
                let Some(known) = list.next_if(is_same) else { continue };
                let is_unread = kept.node.kind == Kind::File && kept.node.sha256.is_none();
                if is_unread && known.node.is_untouched(&kept.node) && is_kept(known) {
                    std::mem::swap(kept, known);
                }
            }
        }
    }

    /// Reads the files that were found and whose content is not known, several at once.
    /// They are kept where there is somewhere; else it is only looked.
    fn contents(&mut self, into: Option<Into<'_>>) {
        let mut found = std::mem::take(&mut self.found);
        let mut too_much = Vec::new();
        let mut waiting: Vec<&mut Kept> = Vec::new();
        for kept in &mut found {
            if kept.node.kind != Kind::File || kept.node.sha256.is_some() {
                continue;
            }
            if kept.node.length > LONGEST {
                too_much.push(kept.path.clone());
            } else {
                waiting.push(kept);
            }
        }
        let threads = self.threads.min(waiting.len() / PORTION + 1);
        let deadline = self.begun + self.bounds.time;
        let portions = Mutex::new(waiting.chunks_mut(PORTION));
        let failed = Mutex::new(Vec::new());
        let root = self.root;
        let work = || {
            let mut reader = Reader::new(root);
            let mut into = into.map(|into| (into, into.versions.look()));
            loop {
                let portion = portions.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(portion) = portion else { return };
                for kept in portion {
                    if let Err(error) = read(&mut reader, into.as_mut(), deadline, kept) {
                        let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                        failed.push((kept.path.clone(), error));
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort_by(|one, other| one.0.cmp(&other.0));
        self.found = found;
        if into.is_some() {
            for path in too_much {
                self.leave_out(&path, pack::TOO_MUCH);
            }
        }
        let late = failed.iter().find(|(_, error)| error.kind() == io::ErrorKind::TimedOut);
        if let Some((path, _)) = late {
            let words = format!("{TOO_MUCH}; from `{}` on nothing was read", write_name(path));
            self.left_out.insert(0, words);
        }
        self.unseen.extend(failed.iter().map(|(path, error)| (path.clone(), error.to_string())));
        for (path, error) in &failed {
            // What may not be read is known by the rest, where it is only looked.
            if into.is_some() && error.kind() != io::ErrorKind::TimedOut {
                self.leave_out(path, &error.to_string());
            }
        }
    }
}

/// Reads a file, and keeps what is in it where that is wanted.
pub(super) fn read(
    reader: &mut Reader<'_>,
    into: Option<&mut (Into<'_>, Look<'_>)>,
    deadline: Instant,
    kept: &mut Kept,
) -> io::Result<()> {
    if Instant::now() > deadline {
        return Err(io::ErrorKind::TimedOut.into());
    }
    // What git may have is read first, and takes no room where it has it.
    if let Some((Into { pack, versions, .. }, _)) = &into
        && !pack.has_room(kept.node.length)
        && (versions.is_empty() || kept.node.length > pack::LONGEST)
    {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, pack::TOO_MUCH));
    }
    let (mut file, opened) = reader.open(&kept.path)?;
    if opened.number != kept.node.number || opened.kind != Kind::File {
        return Err(io::Error::other("it changed while it was looked at"));
    }
    let length = opened.length;
    kept.node = opened;
    match into {
        Some((Into { store, pack, .. }, look)) => {
            let (object, sha256) = store.keep(pack, look, &mut file, length)?;
            (kept.object, kept.node.sha256) = (Some(object), Some(sha256));
        }
        None => kept.node.sha256 = Some(digest(&mut file)?),
    }
    Ok(())
}
