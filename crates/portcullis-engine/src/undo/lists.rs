//! The lists of what was kept beforehand: for each workspace a directory with a head and layers of files, each with a seal of our key. Owns that a list
//! may name a content that is not there, and never the other way round; so it is written first, and whoever reads it looks.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    os::{fd::AsFd as _, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Kept, Scope, Store, files, source::Source, store::Place};
use crate::{
    platform,
    tree::{kept, write_name},
};

/// The version of a head.
const FORM: u32 = 1;

/// The longest head, and the longest layer.
const LONGEST_HEAD: u64 = 32 << 20;
const LONGEST_LAYER: u64 = 32 << 20;

/// The most workspaces whose lists are looked at.
const MOST_PLACES: usize = 1000;

const HEAD: &str = "head";

/// The note that somebody began to keep something beforehand.
pub(super) const BEGUN: &str = "begun";

/// What was kept beforehand of a workspace.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Prepared {
    v: u32,
    /// The workspace.
    #[serde(with = "kept")]
    pub workspace: PathBuf,
    /// When it was looked at last, in RFC 3339, and for how long.
    pub taken: String,
    /// See [`Prepared::taken`].
    pub milliseconds: u64,
    /// Of how many files the contents are kept.
    pub files: usize,
    /// How many of them were read this time, and how many of those git has too.
    pub read: usize,
    /// See [`Prepared::read`].
    pub of_git: usize,
    /// How many changed so shortly before that they are read when they are needed.
    pub recent: usize,
    /// What was not kept, a sentence each.
    pub left_out: Vec<String>,
    /// The layers.
    layers: Vec<Layer>,
}

/// A list of files in the order of their paths, and between which paths they lie.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Layer {
    name: String,
    #[serde(with = "kept")]
    first: PathBuf,
    #[serde(with = "kept")]
    last: PathBuf,
    files: usize,
}

impl Layer {
    /// Whether something of it may lie at a path or below it.
    fn meets(&self, path: &Path) -> bool {
        self.last.as_path() >= path
            && (self.first.as_path() <= path || self.first.starts_with(path))
    }
}

impl Prepared {
    /// Of a workspace of which nothing is kept yet.
    pub(super) fn nothing_of(workspace: &Path) -> Self {
        Self {
            v: FORM,
            workspace: workspace.to_owned(),
            taken: String::new(),
            milliseconds: 0,
            files: 0,
            read: 0,
            of_git: 0,
            recent: 0,
            left_out: Vec::new(),
            layers: Vec::new(),
        }
    }

    /// Whether nothing was left out but what had just changed.
    pub(super) const fn is_whole(&self) -> bool {
        self.left_out.is_empty() && !self.layers.is_empty()
    }

    /// For programs.
    #[must_use]
    pub fn shape(&self) -> Value {
        let Self {
            v: _,
            workspace,
            taken,
            milliseconds,
            files,
            read,
            of_git,
            recent,
            left_out,
            layers: _,
        } = self;
        json!({
            "workspace": write_name(workspace),
            "taken": taken,
            "milliseconds": milliseconds,
            "files": files,
            "read": read,
            "of_git": of_git,
            "recent": recent,
            "left_out": left_out,
        })
    }

    /// How many files its layers name, and how many layers there are.
    pub(super) fn named(&self) -> (usize, usize) {
        (self.layers.iter().map(|layer| layer.files).sum(), self.layers.len())
    }
}

/// Where the lists of one workspace are.
pub(super) struct Of {
    folder: PathBuf,
    /// When somebody last looked at the workspace.
    pub(super) time: SystemTime,
}

/// The lock of whoever keeps something beforehand; refused where another has it. Nobody whom an agent waits for takes it and waits.
pub(super) fn lock(store: &Store) -> io::Result<File> {
    let path = store.folder().join("prepared/lock");
    platform::create_private_file(&path)?;
    let lock = platform::open_to_change(&path)?;
    rustix::fs::flock(lock.as_fd(), FlockOperation::NonBlockingLockExclusive)?;
    Ok(lock)
}

/// Where the lists of a workspace are, by its name.
pub(super) fn folder_of(snapshots: &Path, workspace: &Path) -> PathBuf {
    let mut name =
        data_encoding::HEXLOWER.encode(&Sha256::digest(workspace.as_os_str().as_bytes()));
    name.truncate(16);
    snapshots.join("prepared").join(name)
}

/// All of them, the newest first.
pub(super) fn all(store: &Store) -> Vec<Of> {
    let entries = fs::read_dir(store.folder().join("prepared")).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let changed = |path: PathBuf| fs::symlink_metadata(path)?.modified();
    let mut found: Vec<Of> = folders
        .take(MOST_PLACES)
        .map(|entry| {
            let folder = entry.path();
            let times = [HEAD, BEGUN].map(|name| changed(folder.join(name)));
            let time = times.into_iter().flatten().max().unwrap_or(SystemTime::UNIX_EPOCH);
            Of { folder, time }
        })
        .collect();
    found.sort_by_key(|place| std::cmp::Reverse(place.time));
    found
}

/// The files of a list; none where it cannot be believed.
pub(super) fn read(store: &Store, place: &Of) -> Vec<Kept> {
    head_in(store, &place.folder).map(|head| files(store, &head, &[])).unwrap_or_default()
}

/// Forgets a list. What only it needs is for whoever tidies up.
pub(super) fn forget(store: &Store, place: &Of) {
    // Without its head it counts for nothing.
    let _ = fs::remove_file(place.folder.join(HEAD));
    sweep(&place.folder, None);
    let _ = fs::remove_file(place.folder.join(BEGUN));
    let _ = fs::remove_dir(&place.folder).map(|()| store);
}

/// What is known beforehand of the files of a scope, in the order of their paths.
#[cfg(test)]
pub(super) fn known(store: &Store, scope: &Scope) -> Vec<Kept> {
    let Some(head) = head(store, &scope.workspace) else { return Vec::new() };
    files(store, &head, &scope.paths)
}

/// What was kept beforehand of a workspace.
pub(super) fn head(store: &Store, workspace: &Path) -> Option<Prepared> {
    let folder = folder_of(store.folder(), workspace);
    head_in(store, &folder).filter(|head| head.workspace == workspace)
}

pub(super) fn head_in(store: &Store, folder: &Path) -> Option<Prepared> {
    let path = folder.join(HEAD);
    let bytes = store.key().read_vouched(&path, &kind(folder), LONGEST_HEAD).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|head: &Prepared| head.v == FORM)
}

/// The heads of all workspaces.
pub(super) fn heads(store: &Store) -> Vec<Prepared> {
    all(store).iter().filter_map(|place| head_in(store, &place.folder)).collect()
}

/// The lists of a workspace that may hold something of a scope: those that follow one another in the order of their paths together.
pub(super) fn sources(store: &Store, scope: &Scope) -> Vec<Source> {
    let Some(head) = head(store, &scope.workspace) else { return Vec::new() };
    let wanted = wanted(&head, &scope.paths);
    let runs = wanted.chunk_by(|one, next| one.last < next.first);
    runs.map(|run| Source::new(places(store, &head, run))).collect()
}

/// The layers in which something may stand at or below paths.
fn wanted<'a>(head: &'a Prepared, paths: &[PathBuf]) -> Vec<&'a Layer> {
    let is_wanted = |layer: &&Layer| paths.is_empty() || paths.iter().any(|path| layer.meets(path));
    head.layers.iter().filter(is_wanted).collect()
}

/// Where layers are, and the first path in each.
fn places(store: &Store, head: &Prepared, layers: &[&Layer]) -> Vec<(Place, PathBuf)> {
    let folder = folder_of(store.folder(), &head.workspace);
    let place = |layer: &&Layer| {
        let path = folder.join(&layer.name);
        (Place { path, kind: kind_of_layer(&folder, &layer.name) }, layer.first.clone())
    };
    layers.iter().map(place).collect()
}

/// The files at or below paths, of all where there are none, in the order of their paths, and some others. A layer that cannot be believed holds nothing.
pub(super) fn files(store: &Store, head: &Prepared, paths: &[PathBuf]) -> Vec<Kept> {
    let mut all = Source::new(places(store, head, &wanted(head, paths))).files(store);
    if !all.is_sorted_by(|one, other| one.path < other.path) {
        // Of several the newest: it is the last, and what is equal stays in its order.
        all.reverse();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all.dedup_by(|one, other| one.path == other.path);
    }
    all
}

/// Writes a layer, and the head that names it. Nothing of the layer is left where whoever writes it is killed before that.
pub(super) fn add(store: &Store, head: &mut Prepared, list: &[Kept]) -> io::Result<()> {
    let layer = written(store, &head.workspace, list)?;
    head.layers.extend(layer);
    write(store, head)
}

/// Writes all layers anew, and the head that names them; then what it named before goes.
pub(super) fn rewrite(store: &Store, head: &mut Prepared, lists: &[&[Kept]]) -> io::Result<()> {
    let mut layers = Vec::new();
    for list in lists {
        layers.extend(written(store, &head.workspace, list)?);
    }
    head.layers = layers;
    write(store, head)?;
    sweep(&folder_of(store.folder(), &head.workspace), Some(head));
    Ok(())
}

/// Writes the head.
pub(super) fn write(store: &Store, head: &Prepared) -> io::Result<()> {
    let folder = folder_of(store.folder(), &head.workspace);
    let text = serde_json::to_vec(head)?;
    if text.len() as u64 > LONGEST_HEAD {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    store.key().write_vouched_unsynced(&folder.join(HEAD), &kind(&folder), &text)
}

fn written(store: &Store, workspace: &Path, list: &[Kept]) -> io::Result<Option<Layer>> {
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return Ok(None) };
    let folder = folder_of(store.folder(), workspace);
    let random: [u8; 8] = platform::random()?;
    let name = data_encoding::HEXLOWER.encode(&random);
    let text = files::write(list);
    if text.len() as u64 > LONGEST_LAYER {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let words = store.key().vouch(&kind_of_layer(&folder, &name), &text)?;
    let mut file = platform::create_unnamed_file(&folder)?;
    io::Write::write_all(&mut file, &[words.as_bytes(), b"\n", &text].concat())?;
    platform::name_file(&file, &folder.join(&name))?;
    let (first, last) = (first.path.clone(), last.path.clone());
    Ok(Some(Layer { name, first, last, files: list.len() }))
}

/// Removes what a head does not name: layers that were replaced, and what somebody left who was killed.
pub(super) fn sweep(folder: &Path, head: Option<&Prepared>) {
    let is_named = |name: &OsStr| {
        name == BEGUN
            || head.is_some_and(|head| {
                name == HEAD || head.layers.iter().any(|layer| *layer.name == *name)
            })
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_named(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A list is that of one workspace alone.
fn kind(folder: &Path) -> String {
    format!("portcullis prepared {}", folder.file_name().unwrap_or_default().to_string_lossy())
}

fn kind_of_layer(folder: &Path, name: &str) -> String {
    format!("{} files {name}", kind(folder))
}
