//! Where snapshots are kept. Owns that nobody else reads them, that the same content is there once, and how much and how long is kept.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use portcullis_core::secrets::{RedactorOptions, StreamRedactor};
use rustix::fs::FlockOperation;
use sha2::{Digest as _, Sha256};

use super::{
    FORM, FORM_OF_PARTS, Kept, Snapshot, files,
    pack::{self, Pack, Stretch},
    versions::{self, Copying, Look, Version, Versions},
};
use crate::{
    own_key::{self, Key},
    platform, private,
    tree::{copy_with_holes, digest},
};

/// The longest list of files.
const LONGEST: u64 = 256 << 20;

/// The lists of a snapshot: what stood there before the action, and what did when it had ended.
pub(super) const BEFORE: &str = "before";
const AFTER: &str = "after";

/// The form of a snapshot in which its files stood in it.
const FORM_WITH_FILES: u32 = 1;

/// How much of a file is looked at for secrets.
const LOOKED_AT: u64 = 1 << 20;

/// Where a list of files is, and what it was sealed as.
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) kind: String,
}

/// Where the snapshots of one state directory are.
pub struct Store {
    folder: PathBuf,
    key: Key,
    packs: pack::Open,
    versions: versions::Open,
}

impl Store {
    /// The one below a state directory, made where it is missing.
    ///
    /// # Errors
    /// Where somebody else could read or change it.
    pub fn open(state: &Path) -> io::Result<Self> {
        let folder = state.join("snapshots");
        let below = ["objects", "packs", "versions", "prepared"].map(|name| folder.join(name));
        for place in [state.to_owned(), folder.clone()].into_iter().chain(below) {
            platform::create_private_directory(&place)?;
            let found = fs::symlink_metadata(&place)?;
            if let Some(insecurity) = platform::insecurity(&found) {
                return Err(io::Error::other(insecurity));
            }
            if !found.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        let key = Key::of(&folder)?;
        let (packs, versions) = (pack::Open::default(), versions::Open::default());
        Ok(Self { folder, key, packs, versions })
    }

    /// Where all of it lies.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The key that all of it is vouched for with.
    pub(super) const fn key(&self) -> &Key {
        &self.key
    }

    pub(super) fn packs(&self) -> PathBuf {
        self.folder.join("packs")
    }

    /// A pack for the small contents of a new snapshot, of which so many bytes may be new. `known` are contents that are kept already, by
    /// their hash.
    pub(super) fn pack(&self, known: HashMap<String, String>, most: u64) -> io::Result<Pack> {
        Pack::new(self.packs(), known, most)
    }

    /// The same for what is kept beforehand: it has no name until it is published.
    pub(super) fn hidden_pack(
        &self,
        known: HashMap<String, String>,
        most: u64,
    ) -> io::Result<Pack> {
        Pack::hidden(self.packs(), known, most)
    }

    pub(super) fn versions(&self) -> PathBuf {
        self.folder.join("versions")
    }

    /// What git has already of the contents of a workspace. `most` is how many bytes may be copied for it, where the file system has no reflinks.
    pub(super) fn versions_of(&self, workspace: &Path, most: u64, copying: Copying) -> Versions {
        Versions::of(&self.versions(), workspace, most, copying)
    }

    pub(super) fn place(&self, object: &str) -> Option<PathBuf> {
        let plain = object.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let (first, rest) = object.split_at_checked(4).filter(|_| plain && object.len() == 66)?;
        Some(self.folder.join("objects").join(first).join(rest))
    }

    /// Whether a content is kept.
    pub(super) fn has(&self, object: &str) -> bool {
        if let Some(version) = Version::of(object) {
            return self.versions.has(&self.versions(), &version);
        }
        match Stretch::of(object) {
            Some(stretch) => self.packs.has(&self.packs(), &stretch),
            None => self.place(object).is_some_and(|place| fs::symlink_metadata(place).is_ok()),
        }
    }

    /// Keeps the content of an open file of a length: a small one where git has it already, or else in a pack. Its name, and the hash of what was
    /// kept, are the answer.
    pub(super) fn keep(
        &self,
        pack: &Pack,
        look: &mut Look<'_>,
        source: &mut File,
        length: u64,
    ) -> io::Result<(String, String)> {
        if length <= pack::LONGEST {
            let room = usize::try_from(length).unwrap_or_default() + 1;
            let mut bytes = Vec::with_capacity(room);
            (&*source).take(pack::LONGEST + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 <= pack::LONGEST {
                return self.packed(pack, look, bytes);
            }
            source.rewind()?;
        }
        pack.take_room(length)?;
        if pack.is_hidden() {
            let mut made = platform::create_unnamed_file(&self.folder)?;
            let (object, sha256) = self.kept(source, &mut made)?;
            let place = self.place(&object).ok_or(io::ErrorKind::InvalidData)?;
            pack.put_apart(made, place);
            return Ok((object, sha256));
        }
        let random: [u8; 8] = platform::random()?;
        let beside = self.folder.join(format!(".new-{}", data_encoding::HEXLOWER.encode(&random)));
        platform::create_private_file(&beside)?;
        let kept = platform::open_to_change(&beside)
            .and_then(|mut made| self.kept(source, &mut made))
            .and_then(|kept| self.placed(&beside, &kept.0).map(|()| kept));
        if kept.is_err() {
            let _ = fs::remove_file(&beside);
        }
        kept
    }

    /// Gives a content its name, unless it is kept under it already.
    fn placed(&self, beside: &Path, object: &str) -> io::Result<()> {
        let place = self.place(object).ok_or(io::ErrorKind::InvalidData)?;
        platform::create_private_directory(place.parent().unwrap_or(&self.folder))?;
        if fs::symlink_metadata(&place).is_ok() {
            fs::remove_file(beside)
        } else {
            fs::rename(beside, &place)
        }
    }

    fn packed(
        &self,
        pack: &Pack,
        look: &mut Look<'_>,
        bytes: Vec<u8>,
    ) -> io::Result<(String, String)> {
        let sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes));
        if let Some(name) = pack.known(&sha256) {
            return Ok((name, sha256));
        }
        // A secret that is committed is as plain in the repository as in its copy.
        if let Some(name) = look.held(&bytes) {
            return Ok((name, sha256));
        }
        let length = bytes.len() as u64;
        pack.take_room(length)?;
        let name = if holds_secret(&bytes) {
            let room = pack.room(length + pack::SEALED, true);
            let sealed = self.key.seal(&room.name(), bytes)?;
            pack.put(&room, &sha256, &sealed)?
        } else {
            pack.put(&pack.room(length, false), &sha256, &bytes)?
        };
        Ok((name, sha256))
    }

    /// Keeps a content as a file of its own, which is empty yet: by a reflink, where the file system has them.
    fn kept(&self, source: &mut File, made: &mut File) -> io::Result<(String, String)> {
        if rustix::fs::ioctl_ficlone(&*made, &*source).is_err() {
            copy_with_holes(source, made)?;
        }
        made.rewind()?;
        let sha256 = digest(made)?;
        made.rewind()?;
        let mut beginning = Vec::new();
        (&*made).take(LOOKED_AT).read_to_end(&mut beginning)?;
        let object = if holds_secret(&beginning) {
            let length = made.metadata()?.len();
            if length > own_key::MOST {
                return Err(io::Error::other("it holds secrets and is too long to be encrypted"));
            }
            let name = format!("5-{}", self.key.name(&sha256)?);
            made.rewind()?;
            let mut bytes = Vec::new();
            made.read_to_end(&mut bytes)?;
            let sealed = self.key.seal(&name, bytes)?;
            made.rewind()?;
            made.set_len(0)?;
            made.write_all(&sealed)?;
            name
        } else {
            format!("0-{sha256}")
        };
        Ok((object, sha256))
    }

    /// Writes a content that is kept into a new file.
    pub(super) fn write(&self, object: &str, into: &mut File) -> io::Result<()> {
        if let Some(version) = Version::of(object) {
            let bytes = self.versions.read(&self.versions(), &version)?;
            return copy_with_holes(&mut bytes.as_slice(), into);
        }
        if let Some(stretch) = Stretch::of(object) {
            let mut bytes = self.packs.read(&self.packs(), &stretch)?;
            if stretch.sealed {
                bytes = self.key.open(object, &bytes)?;
            }
            return copy_with_holes(&mut bytes.as_slice(), into);
        }
        let place = self.place(object).ok_or(io::ErrorKind::InvalidData)?;
        let mut source = platform::open_without_following(&place)?;
        if object.starts_with('5') {
            let mut bytes = Vec::new();
            (&source).take(own_key::MOST + 64).read_to_end(&mut bytes)?;
            return into.write_all(&self.key.open(object, &bytes)?);
        }
        if rustix::fs::ioctl_ficlone(&*into, &source).is_err() {
            copy_with_holes(&mut source, into)?;
        }
        Ok(())
    }

    /// Keeps a snapshot, or keeps it anew, and waits until that is on the disk. Its lists are written once.
    pub(super) fn note(&self, snapshot: &Snapshot) -> io::Result<()> {
        self.note_soon(snapshot)?;
        private::sync(&self.head(&snapshot.id))
    }

    /// The same without waiting: what it refers to is not waited for either.
    pub(super) fn note_soon(&self, snapshot: &Snapshot) -> io::Result<()> {
        if fs::symlink_metadata(self.list(&snapshot.id, BEFORE)).is_err() {
            self.write_list(&snapshot.id, BEFORE, &snapshot.before)?;
            self.note_after(snapshot)?;
        }
        let text = serde_json::to_vec(snapshot)?;
        self.key.write_vouched_unsynced(&self.head(&snapshot.id), &kind(&snapshot.id), &text)
    }

    /// Keeps what an action left.
    pub(super) fn note_after(&self, snapshot: &Snapshot) -> io::Result<()> {
        match &snapshot.after {
            Some(after) => self.write_list(&snapshot.id, AFTER, after),
            None => Ok(()),
        }
    }

    pub(super) fn head(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    pub(super) fn list(&self, id: &str, which: &str) -> PathBuf {
        self.folder.join(format!("{id}.{which}"))
    }

    /// Where a list is that is written in a snapshot, and what it was sealed as.
    pub(super) fn place_of(&self, id: &str, which: &str) -> Place {
        Place { path: self.list(id, which), kind: kind_of_list(id, which) }
    }

    /// A list, as it was written.
    pub(super) fn list_at(&self, place: &Place) -> Result<Vec<u8>, private::Unbelievable> {
        self.key.read_vouched(&place.path, &place.kind, LONGEST)
    }

    /// The files of a list.
    pub(super) fn listed_at(&self, place: &Place) -> Result<Vec<Kept>, private::Unbelievable> {
        files::read(&self.list_at(place)?).ok_or(private::Unbelievable::Changed)
    }

    pub(super) fn write_list(&self, id: &str, which: &str, list: &[Kept]) -> io::Result<()> {
        let bytes = files::write(list);
        if bytes.len() as u64 > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.key.write_vouched_unsynced(&self.list(id, which), &kind_of_list(id, which), &bytes)
    }

    /// Removes what is written of a snapshot, first that by which it is one.
    pub(super) fn remove(&self, id: &str) -> io::Result<()> {
        fs::remove_file(self.head(id))?;
        for which in [BEFORE, AFTER] {
            // Of one that had none, or whose end nobody saw, there is none.
            let _ = fs::remove_file(self.list(id, which));
        }
        self.remove_parts(id);
        Ok(())
    }

    /// Forgets a snapshot. Its pack goes with it where no later one can need it; what else only it needs goes when somebody tidies up.
    pub(super) fn forget(&self, snapshot: &Snapshot) -> io::Result<()> {
        let _lock = self.lock()?;
        self.remove(&snapshot.id)?;
        let taken: Timestamp = snapshot.taken.parse().map_err(io::Error::other)?;
        // The clock of the file system may be behind.
        let taken = SystemTime::from(taken).checked_sub(Duration::from_secs(1));
        let may_need = |id: &String| {
            let found = fs::symlink_metadata(self.folder.join(format!("{id}.json")));
            let time = found.and_then(|found| found.modified()).ok();
            time.zip(taken).is_none_or(|(time, taken)| time >= taken)
        };
        let is_needed = self.names().iter().any(may_need);
        match snapshot.pack.as_ref().filter(|name| !is_needed && pack::is_name(name)) {
            Some(name) => fs::remove_file(self.packs().join(name)),
            None => Ok(()),
        }
    }

    /// Notes that a snapshot was taken before an action that has not ended.
    pub(super) fn mark(&self, action: &str, id: &str) -> io::Result<()> {
        private::write(&mark_of(&self.folder, action), id.as_bytes())
    }

    /// The snapshot that was taken before an action, once. Costs one look where there is none.
    pub(super) fn marked(state: &Path, action: &str) -> Option<String> {
        let mark = mark_of(&state.join("snapshots"), action);
        let id = private::read(&mark, 16).ok()?;
        let _ = fs::remove_file(&mark);
        String::from_utf8(id).ok()
    }

    /// The names of all snapshots, the newest last.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let id = name.strip_suffix(".json").filter(|id| is_id(id));
            if let (Some(id), Ok(time)) = (id, entry.metadata().and_then(|found| found.modified()))
            {
                found.push((time, id.to_owned()));
            }
        }
        found.sort();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// One snapshot.
    ///
    /// # Errors
    /// Where there is none, or it cannot be believed.
    pub fn read(&self, id: &str) -> Result<Snapshot, private::Unbelievable> {
        let mut snapshot = self.about(id)?;
        if snapshot.v != FORM_WITH_FILES {
            snapshot.before = self.read_before(&snapshot)?;
            snapshot.after = match self.listed_at(&self.place_of(id, AFTER)) {
                Err(error) if error.is_missing() => None,
                after => Some(after?),
            };
        }
        // What is written of it from now on is written as it is written now.
        snapshot.v = if snapshot.parts.is_empty() { FORM } else { FORM_OF_PARTS };
        Ok(snapshot)
    }

    /// One snapshot without its files, where they lie apart.
    pub(super) fn about(&self, id: &str) -> Result<Snapshot, private::Unbelievable> {
        if !is_id(id) {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        }
        let bytes = self.key.read_vouched(&self.head(id), &kind(id), LONGEST)?;
        let snapshot: Snapshot = serde_json::from_slice(&bytes)?;
        if ![FORM_WITH_FILES, FORM, FORM_OF_PARTS].contains(&snapshot.v) || snapshot.id != id {
            return Err(private::Unbelievable::Changed);
        }
        Ok(snapshot)
    }

    /// All of them that can be read, the newest last.
    #[must_use]
    pub fn all(&self) -> Vec<Snapshot> {
        let mut all: Vec<Snapshot> =
            self.names().iter().filter_map(|id| self.read(id).ok()).collect();
        all.sort_by(|one, other| one.taken.cmp(&other.taken));
        all
    }

    /// The lock under which contents are kept and forgotten.
    pub(super) fn lock(&self) -> io::Result<File> {
        let path = self.folder.join("lock");
        platform::create_private_file(&path)?;
        let lock = platform::open_to_change(&path)?;
        rustix::fs::flock(lock.as_fd(), FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    pub(super) fn pack_names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.packs()).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| pack::is_name(name)).collect()
    }

    pub(super) fn objects(&self) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        for folder in fs::read_dir(self.folder.join("objects")).into_iter().flatten().flatten() {
            let first = folder.file_name().to_string_lossy().into_owned();
            for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let name = format!("{first}{}", entry.file_name().to_string_lossy());
                found.push((name, entry.metadata().map_or(0, |found| found.len())));
            }
        }
        found
    }
}

/// A list of files is that of one snapshot alone.
fn kind(id: &str) -> String {
    format!("portcullis snapshot {id}")
}

fn kind_of_list(id: &str, which: &str) -> String {
    format!("portcullis files {which} {id}")
}

fn mark_of(folder: &Path, action: &str) -> PathBuf {
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(action));
    folder.join(format!("open-{}", hash.get(..32).unwrap_or_default()))
}

fn is_id(name: &str) -> bool {
    name.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a content has secrets in it, as it would be hidden in a stream.
fn holds_secret(bytes: &[u8]) -> bool {
    let mut redactor = StreamRedactor::new(RedactorOptions::default());
    let mut shown = Vec::with_capacity(bytes.len());
    redactor.push(bytes, &mut shown);
    redactor.finish(&mut shown);
    redactor.hidden() > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::undo::{About, Bounds, Scope, take};

    #[test]
    fn a_snapshot_with_its_files_in_it_is_read_and_written_as_others_are_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let work = place.join("work");
        fs::create_dir(&work).unwrap();
        fs::write(work.join("a"), "a").unwrap();
        let store = Store::open(&place.join("state")).unwrap();
        let scope = Scope::new(work, Vec::new());
        let mut taken = take(&store, &scope, Bounds::usual(), About::default()).unwrap();
        taken.after = Some(taken.before.clone());
        // As it was written before the lists had files of their own.
        let mut old = serde_json::to_value(&taken).unwrap();
        old["v"] = FORM_WITH_FILES.into();
        old["before"] = serde_json::to_value(&taken.before).unwrap();
        old["after"] = serde_json::to_value(&taken.after).unwrap();
        store.remove(&taken.id).unwrap();
        let text = serde_json::to_vec(&old).unwrap();
        store.key.write_vouched(&store.head(&taken.id), &kind(&taken.id), &text).unwrap();
        let read = store.read(&taken.id).unwrap();
        assert_eq!(read, taken);
        store.note(&read).unwrap();
        assert_eq!(store.read(&taken.id).unwrap(), taken);
        assert!(fs::metadata(store.head(&taken.id)).unwrap().len() < 1000);
        // A version that nobody knows is none.
        old["v"] = 4.into();
        let text = serde_json::to_vec(&old).unwrap();
        store.key.write_vouched(&store.head(&taken.id), &kind(&taken.id), &text).unwrap();
        assert!(store.read(&taken.id).is_err());
        store.remove(&taken.id).unwrap();
        assert_eq!(fs::read_dir(store.folder.join("packs")).unwrap().count(), 1);
        assert!(store.names().is_empty());
    }
}
