//! Taking a snapshot, and looking again when the action has ended. Owns what is left out, and that this is said.

use std::{
    collections::{BTreeSet, HashMap},
    io,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::secrets::redacted;

use super::{Kept, Scope, Snapshot, Store, VERSION, pack::Pack};
use crate::{
    platform,
    tree::{Kind, Listing, Reader, Root, digest, read_name, write_name},
};

/// The longest file that is kept.
const LONGEST: u64 = 256 << 20;

/// How the sentence begins that says that not everything was looked at.
const TOO_MUCH: &str = "there is too much to look at all of it";

/// The deepest directory.
const DEEPEST: usize = 200;

/// Up to how many files, and how many bytes, are read again whatever is known of them.
const FEW: usize = 64;
const LITTLE: u64 = 1 << 20;

/// How many threads read at most, and how many files one of them takes at once.
const MOST_THREADS: usize = 4;
const PORTION: usize = 64;

/// The most sentences about what was left out.
const MOST_SAID: usize = 50;

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

    /// Where an agent waits for its hook.
    #[must_use]
    pub const fn hook() -> Self {
        Self { files: 20_000, bytes: 64 << 20, time: Duration::from_millis(500) }
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
    let known = if walk.is_much() { known(store, &scope.workspace) } else { HashMap::new() };
    walk.recognize(&known, Some(store));
    let by_hash = |kept: &Kept| Some((kept.node.sha256.clone()?, kept.object.clone()?));
    let pack = store.pack(known.values().filter_map(by_hash).collect())?;
    walk.contents(Some((store, &pack)));
    let snapshot = Snapshot {
        v: VERSION,
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
    };
    store.note(&snapshot)?;
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
    }
    snapshot.left_out.extend(left_out);
    store.note(snapshot)
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
    let known = snapshot.before.iter().chain(snapshot.after.iter().flatten());
    let known: HashMap<PathBuf, Kept> =
        known.map(|kept| (kept.path.clone(), kept.clone())).collect();
    let mut walk = Walk::new(&root, bounds);
    walk.history = snapshot.history;
    let paths: Vec<PathBuf> = snapshot.scope.iter().filter_map(|path| read_name(path)).collect();
    walk.all(&paths);
    walk.recognize(&known, None);
    walk.contents(None);
    Ok(Now { found: walk.found, left_out: walk.left_out, unseen: walk.unseen })
}

/// What the newest snapshot of a workspace knows of files: what is untouched since need not be read again.
fn known(store: &Store, workspace: &Path) -> HashMap<PathBuf, Kept> {
    let newest = store.names().into_iter().rev().take(3).filter_map(|id| store.read(&id).ok());
    let mut known = HashMap::new();
    for snapshot in newest.filter(|snapshot| snapshot.workspace == workspace) {
        for kept in snapshot.before {
            known.entry(kept.path.clone()).or_insert(kept);
        }
    }
    known
}

struct Walk<'a> {
    root: &'a Root,
    history: bool,
    bounds: Bounds,
    begun: Instant,
    found: Vec<Kept>,
    left_out: Vec<String>,
    unseen: Vec<(PathBuf, String)>,
    is_full: bool,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Root, bounds: Bounds) -> Self {
        let (found, left_out, unseen) = (Vec::new(), Vec::new(), Vec::new());
        let (begun, history, is_full) = (Instant::now(), false, false);
        Self { root, history, bounds, begun, found, left_out, unseen, is_full }
    }

    fn all(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            self.entry(Path::new(""), None, 0);
        }
        let mut seen = BTreeSet::new();
        for path in paths {
            // What was made along the way must go away again, or come back.
            let mut folder = path.parent();
            let mut above = Vec::new();
            while let Some(one) = folder.filter(|one| !one.as_os_str().is_empty()) {
                above.push(one.to_owned());
                folder = one.parent();
            }
            for one in above.into_iter().chain([PathBuf::new()]).rev() {
                if !seen.insert(one.clone()) {
                    continue;
                }
                match self.root.node(&one, false) {
                    Ok(Some(node)) => self.found.push(Kept { path: one, node, object: None }),
                    Ok(None) => {}
                    Err(error) => self.not_seen(&one, &error.to_string()),
                }
            }
            self.entry(path, None, 0);
        }
        self.found.sort_by(|one, other| one.path.cmp(&other.path));
        self.found.dedup_by(|one, other| one.path == other.path);
    }

    /// Whether more was found than is read again without a thought.
    fn is_much(&self) -> bool {
        let files = self.found.iter().filter(|kept| kept.node.kind == Kind::File);
        let bytes = |kept: &Kept| kept.node.length;
        files.clone().count() > FEW || files.map(bytes).fold(0, u64::saturating_add) > LITTLE
    }

    /// Takes what is known of files that nothing happened to since: their content is not read again. With a store, where it is still kept.
    fn recognize(&mut self, known: &HashMap<PathBuf, Kept>, store: Option<&Store>) {
        for kept in self.found.iter_mut().filter(|kept| kept.node.kind == Kind::File) {
            let known = known.get(&kept.path).filter(|known| known.node.is_untouched(&kept.node));
            let known = known.filter(|known| match (store, &known.object) {
                (Some(store), Some(object)) => store.has(object),
                (Some(_), None) => false,
                (None, _) => known.node.sha256.is_some(),
            });
            if let Some(known) = known {
                kept.clone_from(known);
            }
        }
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        if self.left_out.len() < MOST_SAID {
            self.left_out.push(format!("`{}`: {why}", write_name(path)));
        } else if self.left_out.len() == MOST_SAID {
            self.left_out.push("and more".to_owned());
        }
    }

    /// What stands at a path or below it nobody knows.
    fn not_seen(&mut self, path: &Path, why: &str) {
        self.leave_out(path, why);
        self.unseen.push((path.to_owned(), why.to_owned()));
    }

    /// What stands at a path, and everything below it; `within` is its directory, where that is open.
    fn entry(&mut self, path: &Path, within: Option<&Listing>, depth: usize) {
        if self.is_full {
            return;
        }
        if self.found.len() >= self.bounds.files || self.begun.elapsed() > self.bounds.time {
            self.is_full = true;
            self.unseen.push((PathBuf::new(), TOO_MUCH.to_owned()));
            self.left_out
                .insert(0, format!("{TOO_MUCH}; from `{}` on nothing was", write_name(path)));
            return;
        }
        let node = match (within, path.file_name()) {
            (Some(within), Some(name)) => within.node(name),
            _ => self.root.node(path, false),
        };
        let node = match node {
            Ok(Some(node)) => node,
            Ok(None) => return,
            Err(error) => return self.not_seen(path, &error.to_string()),
        };
        match node.kind {
            Kind::Folder => {
                self.found.push(Kept { path: path.to_owned(), node, object: None });
                if depth >= DEEPEST {
                    return self.not_seen(path, "it lies too deep");
                }
                let is_history = path.file_name().is_some_and(|name| name == "objects")
                    && path.parent().and_then(Path::file_name).is_some_and(|name| name == ".git");
                if is_history && !self.history {
                    return;
                }
                match self.root.listing(path) {
                    Ok(listing) => {
                        for name in &listing.names {
                            self.entry(&path.join(name), Some(&listing), depth + 1);
                        }
                    }
                    Err(error) => self.not_seen(path, &error.to_string()),
                }
            }
            // The content of a file is read later, unless it is known.
            Kind::File | Kind::Link | Kind::Pipe => {
                self.found.push(Kept { path: path.to_owned(), node, object: None });
            }
            Kind::Socket | Kind::Device => self.not_seen(path, "it is a socket or a device"),
        }
    }

    /// Reads the files that were found and whose content is not known, several at once.
    /// They are kept where there is somewhere; else it is only looked.
    fn contents(&mut self, into: Option<(&Store, &Pack)>) {
        let mut found = std::mem::take(&mut self.found);
        let (mut bytes, mut too_much) = (0_u64, Vec::new());
        let mut waiting: Vec<&mut Kept> = Vec::new();
        for kept in &mut found {
            if kept.node.kind != Kind::File || kept.node.sha256.is_some() {
                continue;
            }
            // What is left out takes no room from what comes behind it.
            let with_it = bytes.saturating_add(kept.node.length);
            let is_too_much =
                kept.node.length > LONGEST || into.is_some() && with_it > self.bounds.bytes;
            if is_too_much {
                too_much.push(kept.path.clone());
            } else {
                bytes = with_it;
                waiting.push(kept);
            }
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        let threads = threads.min(waiting.len() / PORTION + 1);
        let deadline = self.begun + self.bounds.time;
        let portions = Mutex::new(waiting.chunks_mut(PORTION));
        let failed = Mutex::new(Vec::new());
        let root = self.root;
        let work = || {
            let mut reader = Reader::new(root);
            loop {
                let portion = portions.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(portion) = portion else { return };
                for kept in portion {
                    if let Err(error) = read(&mut reader, into, deadline, kept) {
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
                self.leave_out(&path, "its content was not kept, there is too much of it");
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
fn read(
    reader: &mut Reader<'_>,
    into: Option<(&Store, &Pack)>,
    deadline: Instant,
    kept: &mut Kept,
) -> io::Result<()> {
    if Instant::now() > deadline {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let (mut file, opened) = reader.open(&kept.path)?;
    if opened.number != kept.node.number || opened.kind != Kind::File {
        return Err(io::Error::other("it changed while it was looked at"));
    }
    let length = opened.length;
    kept.node = opened;
    match into {
        Some((store, pack)) => {
            let (object, sha256) = store.keep(pack, &mut file, length)?;
            (kept.object, kept.node.sha256) = (Some(object), Some(sha256));
        }
        None => kept.node.sha256 = Some(digest(&mut file)?),
    }
    Ok(())
}
