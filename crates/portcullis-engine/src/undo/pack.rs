//! Contents of small files, one behind the other in a file for each snapshot. Owns where a content lies in it, so that a thousand small files
//! cost one new file and not a thousand; what is in a content, and who may read it, the store says.

use std::{
    collections::HashMap,
    fs::{DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::fs::FallocateFlags;

use crate::platform;

/// The longest content that lies in a pack. A longer one is a file of its own, which is a reflink where the file system has them.
pub(super) const LONGEST: u64 = 128 << 10;

/// What is said of a content for which there is no room.
pub(super) const TOO_MUCH: &str = "its content was not kept, there is too much of it";

/// What encrypting adds to a content.
pub(super) const SEALED: u64 = 28;

/// The shortest stretch that is given back to the file system.
const LEAST_GAP: u64 = 64 << 10;

/// Where a content lies in a pack.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Stretch {
    /// The name of the pack.
    pub(super) pack: String,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Whether it is encrypted.
    pub(super) sealed: bool,
}

impl Stretch {
    /// The one that the name of a content tells; none where it is no such name.
    pub(super) fn of(object: &str) -> Option<Self> {
        let mut parts = object.split('-');
        let sealed = match parts.next()? {
            "1" => false,
            "6" => true,
            _ => return None,
        };
        let pack = parts.next().filter(|name| is_name(name))?.to_owned();
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        let (offset, length) = (number()?, number()?);
        let fits = length <= LONGEST + SEALED && offset.checked_add(length).is_some();
        (fits && parts.next().is_none()).then_some(Self { pack, offset, length, sealed })
    }

    /// The name of its content.
    pub(super) fn name(&self) -> String {
        let Self { pack, offset, length, sealed } = self;
        format!("{}-{pack}-{offset:x}-{length:x}", if *sealed { 6 } else { 1 })
    }

    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// Whether a text is the name of a pack: sixteen hexadecimal digits.
pub(super) fn is_name(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A pack that is being written, by several at once. The file is made with the first content.
pub(super) struct Pack {
    folder: PathBuf,
    name: String,
    file: Mutex<Option<File>>,
    end: AtomicU64,
    /// How many bytes may still be kept.
    room: AtomicU64,
    /// Contents that are kept already, by their hash.
    known: Mutex<HashMap<String, String>>,
    /// Long contents with files of their own, which have no names yet, and the places that they are to have; of a hidden pack.
    apart: Option<Mutex<Vec<(File, PathBuf)>>>,
}

impl Pack {
    /// One in a directory, with which so many bytes may be kept; `known` are contents that are kept elsewhere, by their hash.
    pub(super) fn new(
        folder: PathBuf,
        known: HashMap<String, String>,
        most: u64,
    ) -> io::Result<Self> {
        let random: [u8; 8] = platform::random()?;
        let name = data_encoding::HEXLOWER.encode(&random);
        let (file, end, room) = (Mutex::new(None), AtomicU64::new(0), AtomicU64::new(most));
        Ok(Self { folder, name, file, end, room, known: Mutex::new(known), apart: None })
    }

    /// One whose files have no names until it is published, so that nothing of it is left where whoever writes it is killed.
    pub(super) fn hidden(
        folder: PathBuf,
        known: HashMap<String, String>,
        most: u64,
    ) -> io::Result<Self> {
        Ok(Self { apart: Some(Mutex::default()), ..Self::new(folder, known, most)? })
    }

    /// Whether its files have no names yet.
    pub(super) const fn is_hidden(&self) -> bool {
        self.apart.is_some()
    }

    /// Holds a long content that lies in a file of its own until the pack is published.
    pub(super) fn put_apart(&self, file: File, place: PathBuf) {
        if let Some(apart) = &self.apart {
            apart.lock().unwrap_or_else(PoisonError::into_inner).push((file, place));
        }
    }

    /// How many such files it holds open.
    pub(super) fn count_apart(&self) -> usize {
        let apart = self.apart.as_ref();
        apart.map_or(0, |apart| apart.lock().unwrap_or_else(PoisonError::into_inner).len())
    }

    /// Gives what is in a hidden pack its names. What stands there already has the same content.
    pub(super) fn publish(self, step: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Published> {
        let apart = self.apart.map(Mutex::into_inner);
        for (file, place) in
            apart.into_iter().flat_map(|held| held.unwrap_or_else(PoisonError::into_inner))
        {
            // Not those above it: where they went away since, nothing is made.
            let mut folder = DirBuilder::new();
            match folder.mode(0o700).create(place.parent().unwrap_or(&self.folder)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => platform::name_file(&file, &place)?,
            }
            step()?;
        }
        if let Some(file) = self.file.into_inner().unwrap_or_else(PoisonError::into_inner) {
            platform::name_file(&file, &self.folder.join(&self.name))?;
        }
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Published { known, room: self.room.into_inner() })
    }

    /// Whether so many bytes may still be kept.
    pub(super) fn has_room(&self, length: u64) -> bool {
        self.room.load(Ordering::Relaxed) >= length
    }

    /// Counts bytes that are kept, in it or with it. What is left out takes no room from what comes behind it.
    pub(super) fn take_room(&self, length: u64) -> io::Result<()> {
        let less = |room: u64| room.checked_sub(length);
        let taken = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(|_| ()).map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, TOO_MUCH))
    }

    /// Its name, where something is in it.
    pub(super) fn written(&self) -> Option<String> {
        (self.end.load(Ordering::Relaxed) > 0).then(|| self.name.clone())
    }

    /// The name of a content that is kept already.
    pub(super) fn known(&self, sha256: &str) -> Option<String> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(sha256).cloned()
    }

    /// Room for a content of a length.
    pub(super) fn room(&self, length: u64, sealed: bool) -> Stretch {
        let offset = self.end.fetch_add(length, Ordering::Relaxed);
        Stretch { pack: self.name.clone(), offset, length, sealed }
    }

    /// Puts a content into the room that it was given.
    pub(super) fn put(&self, room: &Stretch, sha256: &str, bytes: &[u8]) -> io::Result<String> {
        let file = {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let made = match file.take() {
                Some(made) => made,
                None if self.is_hidden() => platform::create_unnamed_file(&self.folder)?,
                None => made(&self.folder.join(&self.name))?,
            };
            let own = made.try_clone();
            *file = Some(made);
            own?
        };
        file.write_all_at(bytes, room.offset)?;
        let name = room.name();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(sha256.to_owned(), name.clone());
        Ok(name)
    }
}

/// What the next pack goes on from.
pub(super) struct Published {
    pub(super) known: HashMap<String, String>,
    pub(super) room: u64,
}

fn made(path: &Path) -> io::Result<File> {
    if !platform::create_private_file(path)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    platform::open_to_change(path)
}

/// The packs of one store, open as they are needed for reading.
#[derive(Default)]
pub(super) struct Open(Mutex<HashMap<String, (File, u64)>>);

impl Open {
    /// Does something with a pack and its length; nothing where there is no such pack.
    fn with<T>(&self, folder: &Path, pack: &str, does: impl FnOnce(&File, u64) -> T) -> Option<T> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.contains_key(pack) {
            // One that is not there may be there later.
            let file = platform::open_without_following(&folder.join(pack)).ok()?;
            let length = file.metadata().ok()?.len();
            open.insert(pack.to_owned(), (file, length));
        }
        open.get(pack).map(|(file, length)| does(file, *length))
    }

    /// Whether a content lies there.
    pub(super) fn has(&self, folder: &Path, stretch: &Stretch) -> bool {
        self.with(folder, &stretch.pack, |_, length| stretch.end() <= length).unwrap_or(false)
    }

    /// The bytes of a content.
    pub(super) fn read(&self, folder: &Path, stretch: &Stretch) -> io::Result<Vec<u8>> {
        let length = usize::try_from(stretch.length).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        let read = self
            .with(folder, &stretch.pack, |file, _| file.read_exact_at(&mut bytes, stretch.offset));
        read.ok_or(io::ErrorKind::NotFound)??;
        Ok(bytes)
    }
}

/// Gives what nobody needs of a pack back to the file system, which keeps its length.
pub(super) fn thin(path: &Path, mut needed: Vec<(u64, u64)>) -> io::Result<()> {
    let file = platform::open_to_change(path)?;
    let length = file.metadata()?.len();
    needed.sort_unstable();
    let mut from = 0;
    for (offset, end) in needed.into_iter().chain([(length, length)]) {
        if offset > from && offset - from >= LEAST_GAP {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            rustix::fs::fallocate(&file, flags, from, offset - from)?;
        }
        from = from.max(end);
    }
    Ok(())
}

/// How much of the disk a file takes.
pub(super) fn taken(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |found| found.blocks().saturating_mul(512))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_where_a_content_lies_and_nothing_else_passes_for_one() {
        let stretch = Stretch {
            pack: "0123456789abcdef".to_owned(),
            offset: 4096,
            length: 131_100,
            sealed: true,
        };
        assert_eq!(Stretch::of(&stretch.name()), Some(stretch));
        for other in [
            "",
            "1",
            "0-00",
            "1-../../../../etc-0-1",
            "1-0123456789abcdef-0-1-2",
            "1-0123456789abcdef-ffffffffffffffff-1",
            "1-0123456789abcdef-0-fffffff",
            "2-0123456789abcdef-0-1",
        ] {
            assert_eq!(Stretch::of(other), None, "{other}");
        }
    }

    #[test]
    fn what_nobody_needs_is_given_back_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pack");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let before = taken(&path);
        thin(&path, vec![(500_000, 500_010), (10, 20)]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 1 << 20);
        assert!(bytes[10..20].iter().chain(&bytes[500_000..500_010]).all(|byte| *byte == 7));
        assert!(taken(&path) < before / 4, "{} of {before}", taken(&path));
    }
}
