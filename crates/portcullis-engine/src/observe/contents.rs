//! What stands in files that a call would start. Owns the opening of them and its bounds: regular files only, never waiting for one, no more
//! than is read for one call, and each link seen.

use std::{
    cell::Cell,
    fs,
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use data_encoding::HEXLOWER;
use portcullis_core::facts::{
    Facts, FileFact, FileText, NotRead,
    content::{ACTION_BYTES, ACTION_FILES, ACTION_LOOKS, FILE_BYTES, NAMES, Version},
};
use sha2::{Digest as _, Sha256};

use super::{
    folder::Folder,
    look::{Look, normalised, text},
};
use crate::audit::File;

/// How much of a file's beginning tells whether it is text, as bash looks at it: up to the end of the first line.
const BEGINNING: usize = 80;

/// What programs and archives begin with.
const BINARIES: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"MZ\x90\0",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x89PNG",
    b"!<arch>\n",
    b"SQLite format 3\0",
];

/// Reads files for one call, and no more than is read for one: what was read before counts.
pub struct Reader<'a> {
    look: &'a Look<'a>,
    left: Cell<Left>,
}

/// How much more is read.
#[derive(Clone, Copy)]
struct Left {
    looks: usize,
    files: usize,
    bytes: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(look: &'a Look<'a>, known: &Facts) -> Self {
        let mut left = Left { looks: ACTION_LOOKS, files: ACTION_FILES, bytes: ACTION_BYTES };
        for fact in known.contents.values() {
            left.take(fact);
        }
        Self { look, left: Cell::new(left) }
    }

    /// What stands at an absolute path; nothing where no more is looked at.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<FileFact> {
        let mut left = self.left.get();
        if left.looks == 0 {
            return None;
        }
        let bytes = if left.files > 0 { left.bytes } else { 0 };
        let fact = match Version::of(path) {
            Some(version) => self.look.version(&version, bytes),
            None => self.look.content(Path::new(path), bytes),
        };
        left.take(&fact);
        self.left.set(left);
        Some(fact)
    }
}

impl Left {
    fn take(&mut self, fact: &FileFact) {
        self.looks = self.looks.saturating_sub(1);
        if let FileFact::Read(file) = fact {
            self.files = self.files.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(file.text.len() as u64);
        }
    }
}

impl Look<'_> {
    /// Where a file would stand, links on the way to its directory followed.
    fn in_folder(&self, path: &Path) -> Near {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return self.resolved(path).map_or(Near::Nowhere, Near::At);
        };
        let mut folder = self.folder.borrow_mut();
        if folder.path != directory {
            *folder = Folder::new(directory, self.resolved(directory));
        }
        // Nothing is listed on another machine.
        let may_list = folder.place.as_deref().is_some_and(|place| self.may_look(place));
        if may_list && folder.lacks(name) {
            return Near::Absent;
        }
        folder.place.as_ref().map_or(Near::Nowhere, |place| Near::At(place.join(name)))
    }

    /// Whether a file that a decision went by is another now.
    pub(super) fn is_changed(&self, file: &File) -> bool {
        let Some(judged) = &file.content else { return false };
        // A path that was masked or cut for the record names nothing.
        if file.path.contains("***") || file.path.contains(" [\u{2026} ") {
            return false;
        }
        match self.content(Path::new(&file.path), FILE_BYTES) {
            // As much of a file is read each time, so that the two can be compared where it is longer too.
            FileFact::Read(now) => now.bytes != judged.bytes || now.sha256 != judged.sha256,
            FileFact::Absent | FileFact::Directory { .. } | FileFact::NotRead { .. } => true,
        }
    }

    fn content(&self, path: &Path, left: u64) -> FileFact {
        let not_read = |why| FileFact::NotRead { why, committed: None };
        if !path.is_absolute() || !self.may_look(path) {
            return not_read(NotRead::OutOfBounds);
        }
        let mut place = match self.in_folder(path) {
            Near::At(place) => place,
            Near::Absent => return FileFact::Absent,
            // A circle of links is opened for nobody.
            Near::Nowhere => return not_read(NotRead::Special),
        };
        if !self.may_look(&place) {
            return not_read(NotRead::OutOfBounds);
        }
        let mut metadata = fs::symlink_metadata(&place);
        if metadata.as_ref().is_ok_and(fs::Metadata::is_symlink) {
            let Some(leads_to) = self.resolved(path) else { return not_read(NotRead::Special) };
            if !self.may_look(&leads_to) {
                return not_read(NotRead::OutOfBounds);
            }
            place = leads_to;
            metadata = fs::symlink_metadata(&place);
        }
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return FileFact::Absent;
            }
            Err(_) => return not_read(NotRead::Refused),
        };
        if metadata.is_dir() {
            return names(&place).unwrap_or(not_read(NotRead::Refused));
        }
        if !metadata.is_file() {
            return not_read(NotRead::Special);
        }
        // What is left decides whether a file is read, and never how much of it: each time it is as much.
        if left == 0 || left < metadata.len().min(FILE_BYTES) {
            return not_read(NotRead::TooMuch);
        }
        match read(&place) {
            Ok(file) => {
                let leads_to = (place != normalised(path)).then(|| text(&place)).flatten();
                FileFact::Read(FileText { leads_to, ..file })
            }
            Err(why) => not_read(why),
        }
    }
}

/// Where a file would stand.
enum Near {
    /// Here, if there is one.
    At(PathBuf),
    /// There is none.
    Absent,
    /// In a circle of links.
    Nowhere,
}

/// The names in a directory; `None` where they cannot be listed.
fn names(directory: &Path) -> Option<FileFact> {
    let mut names = Vec::new();
    let mut whole = true;
    for entry in fs::read_dir(directory).ok()? {
        let Ok(entry) = entry else { continue };
        if names.len() >= NAMES {
            whole = false;
            break;
        }
        let Some(mut name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            name.push('/');
        }
        names.push(name);
    }
    names.sort();
    Some(FileFact::Directory { names, whole })
}

/// Opens a regular file that no link stands in the place of by now, without waiting for anything.
fn open(place: &Path) -> Result<fs::File, NotRead> {
    let mut options = fs::File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;

        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(place).map_err(|_| NotRead::Refused)
}

/// The beginning of a file, as text.
fn read(place: &Path) -> Result<FileText, NotRead> {
    let file = open(place)?;
    let metadata = file.metadata().map_err(|_| NotRead::Refused)?;
    if !metadata.is_file() {
        return Err(NotRead::Special);
    }
    let bytes = metadata.len();
    let most = bytes.min(FILE_BYTES);
    let mut content = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
    (&file).take(most).read_to_end(&mut content).map_err(|_| NotRead::Refused)?;
    let after = file.metadata().map_err(|_| NotRead::Refused)?;
    if after.len() != bytes || after.modified().ok() != metadata.modified().ok() {
        return Err(NotRead::Changing);
    }
    of_bytes(content, bytes, is_executable(&metadata))
}

/// The text of a file that has so many bytes, of which these were read.
pub(super) fn of_bytes(
    content: Vec<u8>,
    bytes: u64,
    executable: bool,
) -> Result<FileText, NotRead> {
    // What stands around a byte that is none of a text is read by nobody twice alike: shells leave it out.
    let whole = content.len() as u64 == bytes && !content.contains(&0);
    let beginning = content.get(..BEGINNING.min(content.len())).unwrap_or_default();
    let line = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.contains(&0) || BINARIES.iter().any(|magic| content.starts_with(magic)) {
        return Err(NotRead::Binary);
    }
    let sha256 = HEXLOWER.encode(&Sha256::digest(&content));
    Ok(FileText {
        text: Arc::from(of_same_length(content)),
        sha256,
        bytes,
        whole,
        executable,
        leads_to: None,
        committed: None,
    })
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

/// Bytes as text of the same length: each that is no UTF-8 is a `?`.
fn of_same_length(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let mut text = String::with_capacity(error.as_bytes().len());
            for chunk in error.as_bytes().utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
            }
            text
        }
    }
}
