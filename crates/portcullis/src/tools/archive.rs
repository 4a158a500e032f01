//! What an archive would unpack to. Owns the reading of its list, from the file that was opened; which entries may come out of one is said
//! by `portcullis_core::validate`.

use std::{
    fs::File,
    io::{self, Read, Seek as _},
};

use flate2::read::MultiGzDecoder;
use portcullis_core::validate::{ArchiveEntry, ArchiveRules, EntryKind, Refused};

use super::Opened;
use crate::scan::{tar, zip};

/// The kinds of files in a mode of Unix.
const KIND: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
const FILE: u32 = 0o100_000;

/// The longest target of a link.
const LONGEST_LINK: u64 = 4_096;

/// Holds the archive in an open file to the rules. Every byte is unpacked and counted, none is kept.
pub(super) fn check(rules: &ArchiveRules, opened: &Opened) -> Result<(), Refused> {
    let refuse = |message: String| Refused { kind: "archive", message };
    if opened.new.is_some() {
        return Err(refuse("there is nothing".to_owned()));
    }
    let listed =
        list(rules, opened).map_err(|error| refuse(format!("its list cannot be read: {error}")))?;
    rules.check_entries(listed.0, listed.1)
}

/// The bytes of the archive, and its entries. Reading stops where the rules are broken in any case.
fn list(rules: &ArchiveRules, opened: &Opened) -> io::Result<(u64, Vec<ArchiveEntry>)> {
    let mut file = File::from(opened.handle.try_clone()?);
    file.rewind()?;
    let packed = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(512).read_to_end(&mut head)?;
    file.rewind()?;
    let mut list = List { entries: Vec::new(), bytes: 0, rules };
    if zip::is_zip(&head) {
        let modes = zip::entries(&mut file)?;
        for (name, mode) in &modes {
            if name.ends_with(b"/") || mode & KIND == DIRECTORY {
                list.push(name, EntryKind::Directory, 0)?;
            }
        }
        zip::each_file(&mut file, &mut |name, stored, contents| {
            if stored != zip::Stored::Readable {
                return Err(io::Error::other("it holds what cannot be read"));
            }
            let is = |kind: u32| modes.iter().any(|(one, mode)| one == name && mode & KIND == kind);
            if is(LINK) {
                let mut target = String::new();
                contents.take(LONGEST_LINK).read_to_string(&mut target)?;
                return list.push(name, EntryKind::Link(target), 0);
            }
            let ordinary = modes
                .iter()
                .filter(|(one, _)| one == name)
                .all(|(_, mode)| matches!(mode & KIND, 0 | FILE));
            let bytes = list.count(contents)?;
            list.push(name, if ordinary { EntryKind::File } else { EntryKind::Other }, bytes)
        })?;
        return Ok((packed, list.entries));
    }
    let mut stream: Box<dyn Read> = if head.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    tar::each_entry(&mut stream, &mut |entry, contents| {
        let bytes = list.count(contents)?;
        let kind = match entry.kind {
            0 | b'0' | b'7' => EntryKind::File,
            b'5' => EntryKind::Directory,
            b'1' | b'2' => EntryKind::Link(String::from_utf8_lossy(entry.link).into_owned()),
            _ => EntryKind::Other,
        };
        list.push(entry.name, kind, bytes)
    })?;
    Ok((packed, list.entries))
}

struct List<'a> {
    entries: Vec<ArchiveEntry>,
    bytes: u64,
    rules: &'a ArchiveRules,
}

impl List<'_> {
    fn push(&mut self, name: &[u8], kind: EntryKind, bytes: u64) -> io::Result<()> {
        if self.entries.len() > self.rules.entries {
            return Err(io::Error::other("it has too many entries"));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        self.entries.push(ArchiveEntry { name, kind, bytes });
        Ok(())
    }

    /// Reads what an entry holds, as long as there may be more.
    fn count(&mut self, contents: &mut dyn Read) -> io::Result<u64> {
        let room = self.rules.bytes.saturating_sub(self.bytes).saturating_add(1);
        let bytes = io::copy(&mut contents.take(room), &mut io::sink())?;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.rules.bytes {
            return Err(io::Error::other("it is too large unpacked"));
        }
        Ok(bytes)
    }
}
