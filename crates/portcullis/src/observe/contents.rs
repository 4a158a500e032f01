//! What stands in files that a call would start. Owns the opening of them and its bounds: regular files only, never waiting for one, no more
//! than is read for one call, and each link seen.

use std::{
    collections::BTreeSet,
    fs,
    io::{ErrorKind, Read as _},
    path::Path,
    sync::Arc,
};

use data_encoding::HEXLOWER;
use portcullis_core::facts::{
    Facts, FileFact, FileText, NotRead,
    content::{ACTION_BYTES, ACTION_FILES, ACTION_LOOKS, FILE_BYTES, NAMES},
};
use sha2::{Digest as _, Sha256};

use super::{Look, normalised, text};
use crate::audit::File;

/// How much of a file's beginning tells whether it is text, as bash looks at it.
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

impl Look<'_> {
    /// Reads what is wanted and was not looked at before, within what is read for one call.
    pub(super) fn contents(&self, wanted: &BTreeSet<String>, facts: &mut Facts) {
        let mut bytes: u64 = 0;
        let mut files = 0;
        for fact in facts.contents.values() {
            if let FileFact::Read(file) = fact {
                bytes = bytes.saturating_add(file.text.len() as u64);
                files += 1;
            }
        }
        for path in wanted {
            if facts.contents.contains_key(path) {
                continue;
            }
            if facts.contents.len() >= ACTION_LOOKS {
                break;
            }
            let left = if files < ACTION_FILES { ACTION_BYTES.saturating_sub(bytes) } else { 0 };
            let fact = self.content(Path::new(path), left);
            if let FileFact::Read(file) = &fact {
                bytes = bytes.saturating_add(file.text.len() as u64);
                files += 1;
            }
            facts.contents.insert(path.clone(), fact);
        }
    }

    /// Whether a file that a decision went by is another now.
    pub(super) fn is_changed(&self, file: &File) -> bool {
        let Some(judged) = &file.content else { return false };
        // A path that was masked or cut for the record names nothing.
        if file.path.contains("***") || file.path.contains(" [\u{2026} ") {
            return false;
        }
        match self.content(Path::new(&file.path), FILE_BYTES) {
            FileFact::Read(now) => {
                // How much of it was read then depended on what was read before it.
                now.bytes != judged.bytes || judged.whole && now.sha256 != judged.sha256
            }
            FileFact::Absent | FileFact::Directory { .. } | FileFact::NotRead { .. } => true,
        }
    }

    fn content(&self, path: &Path, left: u64) -> FileFact {
        let not_read = |why| FileFact::NotRead { why, committed: None };
        if !path.is_absolute() || !self.may_look(path) {
            return not_read(NotRead::OutOfBounds);
        }
        // A circle of links is opened for nobody.
        let Some(place) = self.resolved(path) else { return not_read(NotRead::Special) };
        if !self.may_look(&place) {
            return not_read(NotRead::OutOfBounds);
        }
        let metadata = match fs::symlink_metadata(&place) {
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
        if left == 0 {
            return not_read(NotRead::TooMuch);
        }
        match read(&place, left.min(FILE_BYTES)) {
            Ok(file) => {
                let leads_to = (place != normalised(path)).then(|| text(&place)).flatten();
                FileFact::Read(FileText { leads_to, ..file })
            }
            Err(why) => not_read(why),
        }
    }
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
fn read(place: &Path, most: u64) -> Result<FileText, NotRead> {
    let file = open(place)?;
    let metadata = file.metadata().map_err(|_| NotRead::Refused)?;
    if !metadata.is_file() {
        return Err(NotRead::Special);
    }
    let bytes = metadata.len();
    let mut content = Vec::with_capacity(usize::try_from(bytes.min(most)).unwrap_or_default());
    (&file).take(most).read_to_end(&mut content).map_err(|_| NotRead::Refused)?;
    let after = file.metadata().map_err(|_| NotRead::Refused)?;
    if after.len() != bytes || after.modified().ok() != metadata.modified().ok() {
        return Err(NotRead::Changing);
    }
    let whole = content.len() as u64 == bytes;
    let beginning = content.get(..BEGINNING.min(content.len())).unwrap_or_default();
    if beginning.contains(&0) || BINARIES.iter().any(|magic| content.starts_with(magic)) {
        return Err(NotRead::Binary);
    }
    let sha256 = HEXLOWER.encode(&Sha256::digest(&content));
    Ok(FileText {
        text: Arc::from(of_same_length(content)),
        sha256,
        bytes,
        whole,
        executable: is_executable(&metadata),
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
