//! Taking a snapshot, and looking again when the action has ended. Owns what is left out, and that this is said.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::secrets::redacted;

use super::{Kept, Scope, Snapshot, Store, VERSION};
use crate::{
    platform,
    tree::{Kind, Node, Root, read_name, write_name},
};

/// The longest file that is kept.
const LONGEST: u64 = 256 << 20;

/// How the sentence begins that says that not everything was looked at.
const TOO_MUCH: &str = "there is too much to look at all of it";

/// The deepest directory.
const DEEPEST: usize = 200;

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
    let known = known(store, &scope.workspace);
    let bytes: [u8; 4] = platform::random()?;
    let mut walk = Walk {
        root: &root,
        known: &known,
        store: Some(store),
        history: scope.history,
        bounds,
        begun: Instant::now(),
        bytes: 0,
        found: Vec::new(),
        left_out: Vec::new(),
        is_full: false,
    };
    walk.all(&scope.paths);
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
        undone: false,
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
    let (now, left_out) = now(snapshot, bounds)?;
    if !left_out.iter().any(|one| one.starts_with(TOO_MUCH)) {
        // Half of a look would take what was not seen for gone.
        snapshot.after = Some(now);
    }
    snapshot.left_out.extend(left_out);
    store.note(snapshot)
}

/// What stands now where a snapshot looked, and what was not looked at.
pub(super) fn now(snapshot: &Snapshot, bounds: Bounds) -> io::Result<(Vec<Kept>, Vec<String>)> {
    let root = match Root::open(&snapshot.workspace) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok((Vec::new(), Vec::new()));
        }
        root => root?,
    };
    let known = snapshot.before.iter().chain(snapshot.after.iter().flatten());
    let known: HashMap<PathBuf, Kept> =
        known.map(|kept| (kept.path.clone(), kept.clone())).collect();
    let mut walk = Walk {
        root: &root,
        known: &known,
        store: None,
        history: snapshot.history,
        bounds,
        begun: Instant::now(),
        bytes: 0,
        found: Vec::new(),
        left_out: Vec::new(),
        is_full: false,
    };
    let paths: Vec<PathBuf> = snapshot.scope.iter().filter_map(|path| read_name(path)).collect();
    walk.all(&paths);
    Ok((walk.found, walk.left_out))
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
    known: &'a HashMap<PathBuf, Kept>,
    /// Where contents are kept; nowhere where it is only looked.
    store: Option<&'a Store>,
    history: bool,
    bounds: Bounds,
    begun: Instant,
    bytes: u64,
    found: Vec<Kept>,
    left_out: Vec<String>,
    is_full: bool,
}

impl Walk<'_> {
    fn all(&mut self, paths: &[PathBuf]) {
        if paths.is_empty() {
            self.entry(Path::new(""), 0);
        }
        for path in paths {
            // What was made along the way must go away again, or come back.
            let mut folder = path.parent();
            let mut above = Vec::new();
            while let Some(one) = folder.filter(|one| !one.as_os_str().is_empty()) {
                above.push(one.to_owned());
                folder = one.parent();
            }
            for one in above.into_iter().chain([PathBuf::new()]).rev() {
                if !self.found.iter().any(|kept| kept.path == one)
                    && let Ok(Some(node)) = self.root.node(&one, false)
                {
                    self.found.push(Kept { path: one, node, object: None });
                }
            }
            self.entry(path, 0);
        }
        self.found.sort_by(|one, other| one.path.cmp(&other.path));
        self.found.dedup_by(|one, other| one.path == other.path);
    }

    fn leave_out(&mut self, path: &Path, why: &str) {
        if self.left_out.len() < MOST_SAID {
            self.left_out.push(format!("`{}`: {why}", write_name(path)));
        } else if self.left_out.len() == MOST_SAID {
            self.left_out.push("and more".to_owned());
        }
    }

    fn entry(&mut self, path: &Path, depth: usize) {
        if self.is_full {
            return;
        }
        if self.found.len() >= self.bounds.files || self.begun.elapsed() > self.bounds.time {
            self.is_full = true;
            self.left_out
                .insert(0, format!("{TOO_MUCH}; from `{}` on nothing was", write_name(path)));
            return;
        }
        let node = match self.root.node(path, false) {
            Ok(Some(node)) => node,
            Ok(None) => return,
            Err(error) => return self.leave_out(path, &error.to_string()),
        };
        match node.kind {
            Kind::Folder => {
                self.found.push(Kept { path: path.to_owned(), node, object: None });
                if depth >= DEEPEST {
                    return self.leave_out(path, "it lies too deep");
                }
                let is_history = path.file_name().is_some_and(|name| name == "objects")
                    && path.parent().and_then(Path::file_name).is_some_and(|name| name == ".git");
                if is_history && !self.history {
                    return;
                }
                match self.root.names(path, usize::MAX) {
                    Ok((names, _)) => {
                        for name in names {
                            self.entry(&path.join(name), depth + 1);
                        }
                    }
                    Err(error) => self.leave_out(path, &error.to_string()),
                }
            }
            Kind::File => self.file(path, node),
            Kind::Link | Kind::Pipe => {
                self.found.push(Kept { path: path.to_owned(), node, object: None });
            }
            Kind::Socket | Kind::Device => self.leave_out(path, "it is a socket or a device"),
        }
    }

    fn file(&mut self, path: &Path, mut node: Node) {
        let known = self.known.get(path).filter(|known| known.node.is_untouched(&node));
        let is_known = known.is_some_and(|known| match (self.store, &known.object) {
            (Some(store), Some(object)) => store.has(object),
            (Some(_), None) => false,
            (None, _) => known.node.sha256.is_some(),
        });
        if let Some(known) = known.filter(|_| is_known) {
            node.sha256.clone_from(&known.node.sha256);
            self.found.push(Kept { path: path.to_owned(), node, object: known.object.clone() });
            return;
        }
        let mut object = None;
        let too_long = node.length > LONGEST;
        self.bytes = self.bytes.saturating_add(node.length);
        if let Some(store) = self.store {
            if too_long || self.bytes > self.bounds.bytes {
                self.leave_out(path, "its content was not kept, there is too much of it");
            } else {
                let kept = self.root.file(path).and_then(|mut file| {
                    let opened = Node::of_open(&file)?;
                    if opened.number != node.number || opened.kind != Kind::File {
                        return Err(io::Error::other("it changed while it was looked at"));
                    }
                    store.keep(&mut file)
                });
                match kept {
                    Ok((name, sha256)) => {
                        object = Some(name);
                        node.sha256 = Some(sha256);
                    }
                    Err(error) => self.leave_out(path, &error.to_string()),
                }
            }
        } else if !too_long && let Ok(Some(hashed)) = self.root.node(path, true) {
            node = hashed;
        }
        self.found.push(Kept { path: path.to_owned(), node, object });
    }
}
