//! Contents that git has already. Owns how they are found, and that they stay: what is in a pack of git is not copied a second time, but the pack
//! is, once, in the place where contents are kept; as a reflink where the file system has them, which costs nothing. Whatever becomes of
//! the repository, that copy stays as it is.
//!
//! Nothing that git notes is believed: neither its index nor what it says of objects. A content counts as held where the very same bytes were
//! just unpacked from the copy.

mod index;
mod object;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fs::{self, File, Metadata},
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::fs::MetadataExt as _,
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use self::{
    index::Index,
    object::{Packed, Unpacker},
};
use super::pack::{LONGEST, is_name};
use crate::platform;

/// The longest pack that is copied, and the longest index of one.
const LONGEST_PACK: u64 = 1 << 30;
const LONGEST_INDEX: u64 = 64 << 20;

/// The most packs that are looked at, and the most places with objects.
const MOST_PACKS: usize = 32;
const MOST_PLACES: usize = 8;

/// The longest file that says where a repository is.
const LONGEST_WORD: u64 = 16 << 10;

/// How many directories up a repository is looked for.
const FARTHEST: usize = 32;

/// Where a content lies in the copy of a pack.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Version {
    /// The name of the copy.
    pub(super) pack: String,
    offset: u64,
    length: u64,
}

impl Version {
    /// The one that the name of a content tells; none where it is no such name.
    pub(super) fn of(object: &str) -> Option<Self> {
        let mut parts = object.split('-');
        parts.next().filter(|kind| *kind == "2")?;
        let pack = parts.next().filter(|name| is_name(name))?.to_owned();
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        let (offset, length) = (number()?, number()?);
        (length <= LONGEST && parts.next().is_none()).then_some(Self { pack, offset, length })
    }

    /// What the names of all contents in the same copy begin with; none where it is no such name.
    pub(super) fn pack_of(object: &str) -> Option<&str> {
        let rest = object.strip_prefix("2-")?;
        let (name, _) = rest.split_once('-').filter(|(name, _)| is_name(name))?;
        object.get(..2 + name.len() + 1)
    }

    fn name(&self) -> String {
        let Self { pack, offset, length } = self;
        format!("2-{pack}-{offset:x}-{length:x}")
    }
}

/// Who copies packs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Copying {
    /// Whoever has the lock under which contents are kept.
    Alone,
    /// Whoever works beside those, and leaves nothing where they are killed.
    Beside,
}

/// The packs of a workspace's repository, copied.
#[derive(Default)]
pub(super) struct Versions {
    packs: Vec<(String, Packed)>,
    /// Copies that have no names yet.
    unnamed: Vec<Unnamed>,
}

/// A copy of a pack, and of its index, that has no name yet, and the names that they are to have.
struct Unnamed {
    pack: (File, PathBuf),
    index: (File, PathBuf),
}

impl Versions {
    /// Those for a workspace, copied into a directory where they are not yet. `most` is how many bytes may be copied where the file system
    /// has no reflinks. What cannot be copied or read holds nothing.
    pub(super) fn of(folder: &Path, workspace: &Path, most: u64, copying: Copying) -> Self {
        let mut all = Self::default();
        let mut most = most;
        for place in places(workspace) {
            for pack in packs_in(&place.join("pack")) {
                if all.packs.len() >= MOST_PACKS {
                    return all;
                }
                // Without a copy a content is kept as any other.
                if let Ok(copied) = copied(folder, &pack, &mut most, copying) {
                    all.packs.push((copied.name, copied.packed));
                    all.unnamed.extend(copied.unnamed);
                }
            }
        }
        all
    }

    /// Gives the copies that have none their names. Another who makes the same copy at the same time makes the same files.
    pub(super) fn publish(&self) -> io::Result<()> {
        for Unnamed { pack, index } in &self.unnamed {
            let (file, place) = index;
            let is_same = |one: Vec<u8>| {
                let other = fs::read(format!("/proc/self/fd/{}", file.as_raw_fd()));
                other.is_ok_and(|other| other == one)
            };
            if bytes_of(place, LONGEST_INDEX).is_ok_and(|there| !is_same(there)) {
                // Half of one, of somebody who was killed.
                let _ = fs::remove_file(place);
            }
            platform::name_file(file, place)?;
            platform::name_file(&pack.0, &pack.1)?;
        }
        Ok(())
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.packs.is_empty()
    }

    /// Something to look contents up with, for one thread.
    pub(super) fn look(&self) -> Look<'_> {
        Look { versions: self, unpacker: None }
    }
}

/// Looks contents up.
pub(super) struct Look<'a> {
    versions: &'a Versions,
    unpacker: Option<Unpacker>,
}

impl Look<'_> {
    /// The name of a content, where a copy of a pack holds just these bytes.
    pub(super) fn held(&mut self, bytes: &[u8]) -> Option<String> {
        if self.versions.packs.is_empty() {
            return None;
        }
        let length = bytes.len() as u64;
        let mut hash = Sha1::new();
        hash.update(format!("blob {length}\0"));
        hash.update(bytes);
        let id: [u8; index::ID] = hash.finalize().into();
        let unpacker = self.unpacker.get_or_insert_default();
        self.versions.packs.iter().find_map(|(name, packed)| {
            let offset = packed.offset(&id)?;
            let there = packed.content(unpacker, offset, length)?;
            let version = Version { pack: name.clone(), offset, length };
            (there.as_slice() == bytes).then(|| version.name())
        })
    }
}

/// The copies of packs in one directory, open as they are needed for reading.
#[derive(Default)]
pub(super) struct Open(Mutex<HashMap<String, Arc<Packed>>>, Mutex<Unpacker>);

impl Open {
    fn packed(&self, folder: &Path, name: &str) -> Option<Arc<Packed>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.get(name) {
            return Some(Arc::clone(known));
        }
        // One that is not there may be there later.
        let found = Arc::new(opened(folder, name).ok()?);
        open.insert(name.to_owned(), Arc::clone(&found));
        Some(found)
    }

    /// Whether there is the copy in which a content lies.
    pub(super) fn has(&self, folder: &Path, version: &Version) -> bool {
        self.packed(folder, &version.pack).is_some()
    }

    /// The bytes of a content. Whether they are those that were kept is for whoever knows their hash.
    pub(super) fn read(&self, folder: &Path, version: &Version) -> io::Result<Arc<Vec<u8>>> {
        let packed = self.packed(folder, &version.pack).ok_or(io::ErrorKind::NotFound)?;
        let mut unpacker = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        packed.content(&mut unpacker, version.offset, version.length).ok_or_else(|| {
            io::Error::other("the copy of the repository in which it was kept is broken")
        })
    }
}

/// The names of the copies in a directory.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter_map(|name| Some(name.strip_suffix(".pack")?.to_owned())).collect()
}

/// How much of the disk a copy takes.
pub(super) fn taken(folder: &Path, name: &str) -> u64 {
    let files = [folder.join(format!("{name}.pack")), folder.join(format!("{name}.idx"))];
    files.iter().map(|path| super::pack::taken(path)).sum()
}

/// Forgets a copy. Its index goes last: one without a pack counts for nothing.
pub(super) fn forget(folder: &Path, name: &str) -> io::Result<()> {
    fs::remove_file(folder.join(format!("{name}.pack")))?;
    fs::remove_file(folder.join(format!("{name}.idx")))
}

/// Removes what somebody who was killed left half copied. Whoever calls has the lock.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(".new") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn opened(folder: &Path, name: &str) -> io::Result<Packed> {
    let file = platform::open_without_following(&folder.join(format!("{name}.pack")))?;
    let index = bytes_of(&folder.join(format!("{name}.idx")), LONGEST_INDEX)?;
    let index = Index::of(index).ok_or(io::ErrorKind::InvalidData)?;
    let number = u64::from_str_radix(name, 16).map_err(io::Error::other)?;
    Ok(Packed::new(number, file, index))
}

/// A copy of a pack.
struct Copied {
    name: String,
    packed: Packed,
    unnamed: Option<Unnamed>,
}

/// The copy of a pack: the one that is there, or a new one.
fn copied(folder: &Path, pack: &Path, most: &mut u64, copying: Copying) -> io::Result<Copied> {
    let (source, found) = regular(pack)?;
    if found.len() > LONGEST_PACK {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let name = name_of(&found);
    match opened(folder, &name) {
        Ok(packed) => return Ok(Copied { name, packed, unnamed: None }),
        // One without its index, or with half of one, is made again.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidData) => {}
        Err(error) => return Err(error),
    }
    let number = u64::from_str_radix(&name, 16).map_err(io::Error::other)?;
    let index = bytes_of(&pack.with_extension("idx"), LONGEST_INDEX)?;
    let index = Index::of(index).ok_or(io::ErrorKind::InvalidData)?;
    let mut fill = |made: &mut File| {
        if rustix::fs::ioctl_ficlone(made.as_fd(), source.as_fd()).is_err() {
            *most = most.checked_sub(found.len()).ok_or(io::ErrorKind::FileTooLarge)?;
            // No more than was promised, should it grow meanwhile.
            io::copy(&mut (&source).take(found.len()), made)?;
        }
        Ok(())
    };
    let [place, own] = ["pack", "idx"].map(|end| folder.join(format!("{name}.{end}")));
    let (made, unnamed) = match copying {
        Copying::Alone => (made_alone(folder, (&own, index.bytes()), &place, fill)?, None),
        Copying::Beside => {
            let mut made = platform::create_unnamed_file(folder)?;
            fill(&mut made)?;
            let mut beside = platform::create_unnamed_file(folder)?;
            beside.write_all(index.bytes())?;
            let unnamed = Unnamed { pack: (made.try_clone()?, place), index: (beside, own) };
            (made, Some(unnamed))
        }
    };
    Ok(Copied { name, packed: Packed::new(number, made, index), unnamed })
}

fn made_alone(
    folder: &Path,
    (own, index): (&Path, &[u8]),
    place: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<File> {
    sweep(folder);
    let beside = folder.join(".new");
    let made = || {
        platform::create_private_file(&beside)?;
        let mut made = platform::open_to_change(&beside)?;
        fill(&mut made)?;
        // What one who was killed left of it.
        let _ = fs::remove_file(own);
        platform::create_private_file(own)?;
        platform::open_to_change(own)?.write_all(index)?;
        fs::rename(&beside, place)?;
        Ok(made)
    };
    let made: io::Result<File> = made();
    if made.is_err() {
        let _ = fs::remove_file(&beside);
    }
    made
}

/// The name of the copy of a file. One that was written to since has another.
fn name_of(found: &Metadata) -> String {
    let about = [
        found.dev(),
        found.ino(),
        found.len(),
        found.mtime().cast_unsigned(),
        found.mtime_nsec().cast_unsigned(),
        found.ctime().cast_unsigned(),
        found.ctime_nsec().cast_unsigned(),
    ];
    let mut hash = Sha256::new();
    about.iter().for_each(|part| hash.update(part.to_be_bytes()));
    let mut name = data_encoding::HEXLOWER.encode(&hash.finalize());
    name.truncate(16);
    name
}

/// The directory of git for a work tree, with its index; none where it says of none.
pub(super) fn repository_of(work_tree: &Path) -> Option<PathBuf> {
    let own = work_tree.join(".git");
    if fs::symlink_metadata(&own).ok()?.is_dir() {
        return Some(own);
    }
    // A work tree of its own, or a part of another: the file says where the repository is.
    let said = said(&own)?;
    Some(work_tree.join(said.strip_prefix("gitdir:")?.trim()))
}

/// The directories with objects of the repository that a workspace lies in, and of those that it borrows from.
fn places(workspace: &Path) -> Vec<PathBuf> {
    let has_one = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    let around = workspace.ancestors().take(FARTHEST).find(has_one);
    let mut places = Vec::new();
    if let Some((folder, git)) = around.and_then(|folder| Some((folder, repository_of(folder)?))) {
        let shared = said(&git.join("commondir")).filter(|_| git != folder.join(".git"));
        places.push(shared.map_or(git.clone(), |shared| git.join(shared.trim())).join("objects"));
    }
    let borrowed = places.first().and_then(|own| said(&own.join("info/alternates")));
    let first = places.first().cloned().unwrap_or_default();
    for line in borrowed.iter().flat_map(|said| said.lines()).take(MOST_PLACES) {
        places.push(first.join(line));
    }
    places
}

/// The packs in a directory, the newest first: what a workspace holds lies there most likely.
fn packs_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(16 * MOST_PACKS) {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "pack")
            && let Ok(time) = entry.metadata().and_then(|found| found.modified())
        {
            found.push((time, path));
        }
    }
    found.sort_unstable();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// What a small file says.
fn said(path: &Path) -> Option<String> {
    String::from_utf8(bytes_of(path, LONGEST_WORD).ok()?).ok()
}

fn bytes_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, found) = regular(path)?;
    if found.len() > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or_default() + 1);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file that is one: nobody waits for the other end of a pipe.
fn regular(path: &Path) -> io::Result<(File, Metadata)> {
    let file = platform::open_without_following(path)?;
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found)) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
