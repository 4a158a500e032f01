//! What stands at paths and below them. Owns that several look at once, that what they find is in one order all the same, and that what was not
//! looked at is said.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::{CStr, OsString},
    io,
    num::NonZero,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use super::{Bounds, Kept};
use crate::tree::{Kind, Listing, Root, write_name};

/// How the sentence begins that says that not everything was looked at.
pub(super) const TOO_MUCH: &str = "there is too much to look at all of it";

/// How many threads look or read at most.
const MOST_THREADS: usize = 4;

/// From how many files on several look at once: a thread costs as much as a few dozen.
const MANY: usize = 500;

/// How many files are counted at once, before they are looked at.
const SEVERAL: usize = 16;

/// The deepest directory.
const DEEPEST: usize = 200;

/// The most sentences about what was left out.
const MOST_SAID: usize = 50;

/// A look at paths.
pub(super) struct Walk<'a> {
    pub(super) root: &'a Root,
    /// Whether what version control keeps of all versions is looked at too.
    pub(super) history: bool,
    pub(super) bounds: Bounds,
    pub(super) begun: Instant,
    /// How many look at once.
    pub(super) threads: usize,
    pub(super) found: Vec<Kept>,
    pub(super) left_out: Vec<String>,
    pub(super) unseen: Vec<(PathBuf, String)>,
    is_full: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Root, bounds: Bounds) -> Self {
        let (found, left_out, unseen) = (Vec::new(), Vec::new(), Vec::new());
        let (begun, history, is_full) = (Instant::now(), false, false);
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        Self { root, history, bounds, begun, threads, found, left_out, unseen, is_full }
    }

    /// Looks at paths and what is below them, at everything where there are none.
    pub(super) fn all(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            self.entry(Path::new(""));
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
            self.entry(path);
        }
        // What lies below one path is in order already.
        if paths.len() > 1 {
            self.found.sort_by(|one, other| one.path.cmp(&other.path));
            self.found.dedup_by(|one, other| one.path == other.path);
        }
    }

    /// Says of a path that it is left out.
    pub(super) fn leave_out(&mut self, path: &Path, why: &str) {
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

    /// What stands at a path, and everything below it.
    fn entry(&mut self, path: &Path) {
        if self.is_full {
            return;
        }
        let search = Search::new(self);
        if search.is_over(path) {
            return self.over(search);
        }
        let node = match self.root.node(path, false) {
            Ok(Some(node)) => node,
            Ok(None) => return,
            Err(error) => return self.not_seen(path, &error.to_string()),
        };
        let kind = node.kind;
        if matches!(kind, Kind::Socket | Kind::Device) {
            return self.not_seen(path, "it is a socket or a device");
        }
        self.found.push(Kept { path: path.to_owned(), node, object: None });
        if kind == Kind::Folder {
            let first = Folder { path: path.to_owned(), within: None, depth: 0 };
            search.run(first);
            self.over(search);
        }
    }

    /// Takes over what was found, in the order of the paths.
    fn over(&mut self, search: Search<'_>) {
        let Search { looked, stopped, count, .. } = search;
        let mut looked = looked.into_inner().unwrap_or_else(PoisonError::into_inner);
        looked.unseen.sort_unstable();
        for (path, why) in &looked.unseen {
            self.not_seen(path, why);
        }
        if let Some(path) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.is_full = true;
            self.unseen.push((PathBuf::new(), TOO_MUCH.to_owned()));
            self.left_out
                .insert(0, format!("{TOO_MUCH}; from `{}` on nothing was", write_name(&path)));
        }
        // What is in a directory follows it. The one that all of it began with stands there already.
        let Some(first) = self.found.last().map(|kept| kept.path.clone()) else { return };
        let Some(inside) = looked.folders.remove(&first) else { return };
        self.found.reserve(count.into_inner().saturating_sub(self.found.len()));
        let mut ahead = vec![inside.entries.into_iter()];
        while let Some(entries) = ahead.last_mut() {
            let Some(mut kept) = entries.next() else {
                ahead.pop();
                continue;
            };
            let inside = match kept.node.kind {
                Kind::Folder => looked.folders.remove(&kept.path),
                _ => None,
            };
            match inside {
                Some(Inside { attributes, entries }) => {
                    kept.node.attributes = attributes;
                    ahead.push(entries.into_iter());
                }
                // Nobody looked at it any more.
                None if self.is_full && kept.node.kind == Kind::Folder => continue,
                None => {}
            }
            self.found.push(kept);
        }
    }
}

/// A directory that is still to be looked into.
struct Folder {
    path: PathBuf,
    /// The one that it lies in, where that is open.
    within: Option<Arc<Listing>>,
    depth: usize,
}

/// What was in a directory.
struct Inside {
    attributes: BTreeMap<String, String>,
    entries: Vec<Kept>,
}

#[derive(Default)]
struct Looked {
    folders: HashMap<PathBuf, Inside>,
    unseen: Vec<(PathBuf, String)>,
}

/// What is still to be looked into, and how many are at it.
#[derive(Default)]
struct Ahead {
    folders: Vec<Folder>,
    busy: usize,
}

/// A search below one directory, by several at once.
struct Search<'a> {
    root: &'a Root,
    history: bool,
    bounds: Bounds,
    begun: Instant,
    threads: usize,
    count: AtomicUsize,
    is_over: AtomicBool,
    /// The path at which it ended early.
    stopped: Mutex<Option<PathBuf>>,
    looked: Mutex<Looked>,
    ahead: Mutex<Ahead>,
    more: Condvar,
}

impl<'a> Search<'a> {
    fn new(walk: &Walk<'a>) -> Self {
        let Walk { root, history, bounds, begun, threads, found, .. } = walk;
        Self {
            root,
            history: *history,
            bounds: *bounds,
            begun: *begun,
            threads: *threads,
            count: AtomicUsize::new(found.len()),
            is_over: AtomicBool::new(false),
            stopped: Mutex::default(),
            looked: Mutex::default(),
            ahead: Mutex::default(),
            more: Condvar::new(),
        }
    }

    fn run(&self, first: Folder) {
        // Whoever looks at little does it alone.
        let mut folders = vec![first];
        while self.count.load(Ordering::Relaxed) < MANY {
            let Some(folder) = folders.pop() else { return };
            let more = self.into(folder);
            folders.extend(more);
        }
        lock(&self.ahead).folders = folders;
        thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(|| self.work());
            }
            self.work();
        });
    }

    fn work(&self) {
        let mut ahead = lock(&self.ahead);
        loop {
            let Some(folder) = ahead.folders.pop() else {
                if ahead.busy == 0 {
                    self.more.notify_all();
                    return;
                }
                ahead = self.more.wait(ahead).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            ahead.busy += 1;
            drop(ahead);
            let more = self.into(folder);
            ahead = lock(&self.ahead);
            ahead.busy -= 1;
            ahead.folders.extend(more);
            self.more.notify_all();
        }
    }

    /// Whether no more is looked at, from a path on.
    fn is_over(&self, path: &Path) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let count = self.count.load(Ordering::Relaxed);
        let is_full = count + SEVERAL > self.bounds.files;
        let is_over = is_full || self.begun.elapsed() > self.bounds.time;
        if is_over && !self.is_over.swap(true, Ordering::Relaxed) {
            *lock(&self.stopped) = Some(path.to_owned());
        }
        is_over
    }

    /// Looks into a directory. Those in it are the answer.
    fn into(&self, folder: Folder) -> Vec<Folder> {
        if self.is_over.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let Folder { path, within, depth } = folder;
        let mut unseen = Vec::new();
        let mut further = Vec::new();
        match self.listing(&path, within, depth) {
            Ok(listing) => {
                let listing = Arc::new(listing);
                let mut entries = Vec::with_capacity(listing.names().len());
                let mut room = 0;
                for name in listing.names() {
                    let own = below(&path, name);
                    if room == 0 {
                        if self.is_over(&own) {
                            break;
                        }
                        // Several at once, as threads that count together wait for one another.
                        self.count.fetch_add(SEVERAL, Ordering::Relaxed);
                        room = SEVERAL;
                    }
                    let node = match listing.node(name) {
                        Ok(Some(node)) => node,
                        Ok(None) => continue,
                        Err(error) => {
                            unseen.push((own, error.to_string()));
                            continue;
                        }
                    };
                    match node.kind {
                        Kind::Socket | Kind::Device => {
                            unseen.push((own, "it is a socket or a device".to_owned()));
                            continue;
                        }
                        Kind::Folder => further.push(Folder {
                            path: own.clone(),
                            within: Some(Arc::clone(&listing)),
                            depth: depth + 1,
                        }),
                        // The content of a file is read later, unless it is known.
                        Kind::File | Kind::Link | Kind::Pipe => {}
                    }
                    room -= 1;
                    entries.push(Kept { path: own, node, object: None });
                }
                self.count.fetch_sub(room, Ordering::Relaxed);
                let inside = Inside { attributes: listing.attributes(), entries };
                lock(&self.looked).folders.insert(path, inside);
            }
            Err(error) => unseen.push((path, error.to_string())),
        }
        if !unseen.is_empty() {
            lock(&self.looked).unseen.extend(unseen);
        }
        further
    }

    /// Opens a directory. Of one that is not looked into there are no names.
    fn listing(
        &self,
        path: &Path,
        within: Option<Arc<Listing>>,
        depth: usize,
    ) -> io::Result<Listing> {
        if depth >= DEEPEST {
            return Err(io::Error::other("it lies too deep"));
        }
        let mut listing = match (within, path.file_name()) {
            (Some(within), Some(name)) => within.below(name)?,
            _ => self.root.listing(path)?,
        };
        let is_history = path.file_name().is_some_and(|name| name == "objects")
            && path.parent().and_then(Path::file_name).is_some_and(|name| name == ".git");
        if is_history && !self.history {
            listing.clear();
        }
        Ok(listing)
    }
}

/// The path of a name in a directory.
fn below(folder: &Path, name: &CStr) -> PathBuf {
    let folder = folder.as_os_str().as_bytes();
    let mut path = Vec::with_capacity(folder.len() + 1 + name.count_bytes());
    path.extend_from_slice(folder);
    if !folder.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name.to_bytes());
    OsString::from_vec(path).into()
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
