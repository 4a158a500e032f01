//! Running a trial. Owns which directories are layered, what is in force around it, how much disk it may take, and what is kept of it.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::secrets::redacted;
use portcullis_sandbox::{
    Elsewhere, Finished, Input, Launch, Layer, Layered, Limits, Network, Output, Proxy, Refused,
    Stopped,
};

use super::{
    Means, Place, Places, StoreError, Trial, Tried, Unfinished, VERSION, Wanted,
    changes::{self, Found},
    copy,
};
use crate::{
    platform::Directories,
    sandbox,
    tree::{Root, write_name},
};

/// How much is kept of each stream of output.
const OUTPUT: usize = 256 << 10;

/// How much of the disk a trial may take, and how much must stay free.
const MOST_DISK: u64 = 8 << 30;
const LEAST_FREE: u64 = 256 << 20;

/// How often the disk is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// The most processes at once.
const PROCESSES: u64 = 8_192;

/// What is to be tried.
pub struct Request<'a> {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The workspace.
    pub workspace: PathBuf,
    /// Where in it it starts, where that is not the workspace itself.
    pub directory: Option<PathBuf>,
    /// Whose home and state.
    pub directories: &'a Directories,
    /// Where trials are kept.
    pub places: &'a Places,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The way to the network, where there is one.
    pub proxy: Option<Proxy>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether a copy is made in any case.
    pub copied: bool,
    /// Whoever sets this ends it.
    pub stop: Arc<AtomicBool>,
    /// Told from time to time how long it has taken, and how many bytes of the disk.
    pub progress: Option<&'a (dyn Fn(Duration, u64) + Sync)>,
}

/// Why nothing was tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The workspace cannot be used.
    #[error("`{}` cannot be the workspace: {source}", path.display())]
    Workspace {
        /// The workspace.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox refuses.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Neither an overlay nor a copy can be had.
    #[error("changes cannot be kept apart from the files: {overlay}; {copy}")]
    NotApart {
        /// Why there is no overlay.
        overlay: String,
        /// Why there is no copy.
        copy: String,
    },
    /// What it did cannot be read.
    #[error("what it changed cannot be read: {0}")]
    Unreadable(io::Error),
}

/// Runs a command on files whose changes go elsewhere, and looks at what it did. `wanted` gives the hosts that were wanted, once it has ended.
///
/// # Errors
/// [`TrialError`], and then nothing is left.
pub fn tried(
    request: &Request<'_>,
    wanted: impl FnOnce() -> Vec<Wanted>,
) -> Result<(Trial, Place), TrialError> {
    let there = |source| TrialError::Workspace { path: request.workspace.clone(), source };
    let workspace = fs::canonicalize(&request.workspace).map_err(there)?;
    let homes = homes(request.directories);
    let mut notes = Vec::new();
    let overlaid: Result<(), String> = if request.copied {
        Err("a copy was asked for".to_owned())
    } else {
        let roots = outermost(&workspace, &homes);
        let unfinished = request.places.new_trial(&roots)?;
        match attempt(request, &unfinished, &roots, Means::Overlay, &workspace) {
            Ok(ran) => return kept(request, unfinished, ran, notes, wanted),
            Err(error) => {
                let _ = unfinished.forget();
                match error {
                    TrialError::Refused(Refused::Unlayered(reason)) => Err(reason),
                    error => return Err(error),
                }
            }
        }
    };
    let overlay: String = overlaid.err().unwrap_or_default();
    let roots = vec![workspace.clone()];
    let unfinished = request.places.new_trial(&roots)?;
    match attempt(request, &unfinished, &roots, Means::Copy, &workspace) {
        Ok(mut ran) => {
            notes.append(&mut ran.notes);
            notes.push(
                "only the workspace could be changed; the home directory could be read".to_owned(),
            );
            kept(request, unfinished, ran, notes, wanted)
        }
        Err(error) => {
            let _ = unfinished.forget();
            Err(match error {
                TrialError::Refused(Refused::Unlayered(copy)) => {
                    TrialError::NotApart { overlay, copy }
                }
                TrialError::Unreadable(error) => {
                    TrialError::NotApart { overlay, copy: error.to_string() }
                }
                error => error,
            })
        }
    }
}

/// The homes that may be layered: this user's own, and no system's directory.
fn homes(directories: &Directories) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let is_own = |home: &PathBuf| {
        home.components().count() > 1
            && fs::symlink_metadata(home).is_ok_and(|found| found.is_dir() && found.uid() == user)
    };
    directories.homes().filter_map(|home| fs::canonicalize(home).ok()).filter(is_own).collect()
}

/// The workspace and the homes, none of them within another.
fn outermost(workspace: &Path, homes: &[PathBuf]) -> Vec<PathBuf> {
    let all: Vec<&Path> =
        [workspace].into_iter().chain(homes.iter().map(PathBuf::as_path)).collect();
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in &all {
        let within = all.iter().any(|other| other != path && path.starts_with(other));
        if !within && !roots.iter().any(|root| root == path) {
            roots.push((*path).to_owned());
        }
    }
    roots
}

/// A run, before what it did was looked at.
struct Ran {
    finished: Finished,
    tried: Vec<Tried>,
    means: Means,
    /// When it began, by the clock of the file system.
    began: (i64, u64),
    clock: Timestamp,
    took: Duration,
    why_stopped: Option<&'static str>,
    notes: Vec<String>,
}

fn attempt(
    request: &Request<'_>,
    unfinished: &Unfinished,
    roots: &[PathBuf],
    means: Means,
    workspace: &Path,
) -> Result<Ran, TrialError> {
    let clock = Timestamp::now();
    let mut profile = sandbox::trying(workspace, request.directories)
        .map_err(|source| TrialError::Workspace { path: workspace.to_owned(), source })?;
    profile.write = roots.to_vec();
    profile.denied.extend(request.places.all().iter().filter(|place| place.exists()).cloned());
    profile.network = request.proxy.clone().map_or(Network::Off, Network::Proxy);
    let (mut tried, mut notes) = (Vec::new(), Vec::new());
    for (at, path) in roots.iter().enumerate() {
        let layer = format!("layer-{at}");
        let made = layered(unfinished, path, &layer, at, means, &mut notes);
        let (elsewhere, number) = made.map_err(TrialError::Unreadable)?;
        profile.layered.push(Layered { root: path.clone(), elsewhere });
        tried.push(Tried { path: path.clone(), layer, number });
    }
    let (program, arguments) = request.command.split_first().map_or_else(
        || (OsString::new(), Vec::new()),
        |(program, arguments)| (program.clone(), arguments.to_vec()),
    );
    let start = request.directory.as_deref().unwrap_or(workspace);
    let mut launch = Launch::new(program, start, profile);
    launch.arguments = arguments;
    launch.environment.clone_from(&request.environment);
    launch.limits = Limits {
        wall: Some(request.timeout),
        processes: Some(PROCESSES),
        file_size: Some(MOST_DISK),
        ..Limits::default()
    };
    launch.require = launch.require.without(Layer::Protected);
    launch.input = Input::Null;
    launch.output = Output::Capture { cap: OUTPUT };
    launch.watched = true;
    launch.stop = Some(Arc::clone(&request.stop));
    let place = &unfinished.place().path;
    let began = Root::open(place)
        .and_then(|root| {
            root.new_file(Path::new("began"))?;
            root.node(Path::new("began"), false)
        })
        .map_err(TrialError::Unreadable)?
        .map_or((0, 0), |node| node.changed);
    let begun = Instant::now();
    let is_full = AtomicBool::new(false);
    let finished = thread::scope(|scope| {
        let (done, over) = mpsc::channel::<()>();
        let (is_full, stop) = (&is_full, &request.stop);
        let progress = request.progress;
        scope.spawn(move || watch_disk(place, &over, is_full, stop, progress));
        let finished = portcullis_sandbox::run(&launch);
        drop(done);
        finished
    })?;
    let took = begun.elapsed();
    let why_stopped = match finished.stopped {
        Some(Stopped::Time) => Some("its time was up"),
        Some(Stopped::Processes) => Some("it started too many processes"),
        Some(Stopped::Asked) if is_full.load(Ordering::Relaxed) => {
            Some("it took too much of the disk")
        }
        Some(Stopped::Asked) => Some("it was interrupted"),
        None => None,
    };
    Ok(Ran { finished, tried, means, began, clock, took, why_stopped, notes })
}

/// The directories that the changes of one go to, and which one it is.
fn layered(
    unfinished: &Unfinished,
    path: &Path,
    layer: &str,
    at: usize,
    means: Means,
    notes: &mut Vec<String>,
) -> io::Result<(Elsewhere, (u64, u64))> {
    let found = fs::symlink_metadata(path)?;
    let number = (found.dev(), found.ino());
    let upper = unfinished.folder(layer)?;
    let elsewhere = match means {
        Means::Overlay => {
            let work = unfinished.folder(&format!("work-{at}"))?;
            // The layer is what is seen in the place of the directory itself.
            let is_other =
                |own: &fs::Metadata| (own.uid(), own.gid()) != (found.uid(), found.gid());
            if is_other(&fs::symlink_metadata(&upper)?) {
                // Where files cannot be given away, the owner is a detail that only shows.
                let _ = std::os::unix::fs::chown(&upper, Some(found.uid()), Some(found.gid()));
            }
            fs::set_permissions(&upper, fs::Permissions::from_mode(found.mode() & 0o7777))?;
            Elsewhere::Overlay { upper, work }
        }
        Means::Copy => {
            notes.extend(copy::copied(&Root::open(path)?, &Root::open(&upper)?)?);
            Elsewhere::Copy(upper)
        }
    };
    Ok((elsewhere, number))
}

/// Sees to it that neither the disk is filled nor anybody left without news.
fn watch_disk(
    place: &Path,
    over: &mpsc::Receiver<()>,
    is_full: &AtomicBool,
    stop: &AtomicBool,
    progress: Option<&(dyn Fn(Duration, u64) + Sync)>,
) {
    let free = || crate::platform::room(place).unwrap_or(u64::MAX);
    let (begun, before, used) = (Instant::now(), free(), AtomicU64::new(0));
    while over.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
        let now = free();
        used.store(before.saturating_sub(now), Ordering::Relaxed);
        if now < LEAST_FREE || before.saturating_sub(now) > MOST_DISK {
            is_full.store(true, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        }
        if let Some(progress) = progress {
            progress(begun.elapsed(), used.load(Ordering::Relaxed));
        }
    }
}

/// Looks at what a run did, and keeps it.
fn kept(
    request: &Request<'_>,
    unfinished: Unfinished,
    ran: Ran,
    mut notes: Vec<String>,
    wanted: impl FnOnce() -> Vec<Wanted>,
) -> Result<(Trial, Place), TrialError> {
    let Ran { finished, tried, means, began, clock, took, why_stopped, notes: more } = ran;
    notes.extend(more);
    let mut found = Found { whole: true, ..Found::default() };
    let looked = tried.iter().enumerate().try_for_each(|(at, one)| {
        let lower = Root::open(&one.path)?;
        let upper = Root::open(&unfinished.place().path.join(&one.layer))?;
        changes::look(&mut found, at, means, &lower, &upper)
    });
    if let Err(error) = looked {
        let _ = unfinished.forget();
        return Err(TrialError::Unreadable(error));
    }
    changes::name_renames(&mut found.changes);
    noted(&found, began, &mut notes);
    let Found { changes, notes: cut, whole } = found;
    notes.extend(cut);
    let watched = matches!(finished.seen, Some(Ok(_)));
    let seen = match finished.seen {
        Some(Ok(seen)) => seen,
        not_seen => {
            let why =
                not_seen.and_then(Result::err).unwrap_or_else(|| "it is not known".to_owned());
            notes.push(format!("what it started and opened could not be watched: {why}"));
            portcullis_sandbox::Seen::default()
        }
    };
    if !seen.renamed.is_empty() && finished.status.code() != 0 {
        notes.push(format!(
            "it renames directories that were there, as `{}`, which an overlay refuses; try it with `--copy`",
            write_name(seen.renamed.first().map_or(Path::new(""), PathBuf::as_path))
        ));
    }
    if seen.dropped > 0 {
        notes.push(format!("{} further things that it was seen to do were not kept", seen.dropped));
    }
    let text = |bytes: &[u8]| redacted(&String::from_utf8_lossy(bytes));
    let words = |word: &OsString| write_name(Path::new(word));
    let trial = Trial {
        v: VERSION,
        id: unfinished.place().id.clone(),
        command: request.command.iter().map(words).collect(),
        directory: fs::canonicalize(request.directory.as_ref().unwrap_or(&request.workspace))
            .unwrap_or_default(),
        began: clock.to_string(),
        milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        means,
        roots: tried,
        exit: finished.status.code(),
        stopped: why_stopped.map(str::to_owned),
        changes,
        seen,
        watched,
        wanted: wanted(),
        stdout: text(&finished.stdout),
        stderr: text(&finished.stderr),
        dropped: finished.dropped,
        notes,
        whole,
    };
    let place = unfinished.keep(&trial)?;
    Ok((trial, place))
}

/// What a person should know of the changes.
fn noted(found: &Found, began: (i64, u64), notes: &mut Vec<String>) {
    for change in &found.changes {
        let name = || write_name(&change.path);
        if let Some(before) = &change.before {
            if before.kind != crate::tree::Kind::Folder && before.changed > began {
                notes.push(format!("`{}` was changed by others while the trial ran", name()));
            }
            if before.names > 1 && before.kind == crate::tree::Kind::File {
                notes.push(format!(
                    "`{}` has further names (hard links), which the trial and a commit leave as they are",
                    name()
                ));
            }
        }
        if notes.len() > 100 {
            notes.push("further notes on changes are left out".to_owned());
            return;
        }
    }
}
