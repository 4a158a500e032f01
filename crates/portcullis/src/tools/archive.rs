//! What an archive would unpack to. Owns the reading of its list, from the file that was opened; which entries may come out of one is said
//! by `portcullis_core::validate`.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
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

const SET_ID: u32 = 0o6000;
const SET_ID_WORDS: &str = "it holds a file that would run with the rights of its owner or group";

/// How much the headers of an entry and what fills it up may take, and the filling at the end.
const HEADERS: u64 = 4 << 10;
const FILLING: u64 = 16 << 20;

/// How much of a stream says what it is.
const HEAD: u64 = 512;

/// How packed streams begin (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The largest archive within another that is looked into: it is held in memory.
const LARGEST_WITHIN: u64 = 64 << 20;

/// The longest target of a link.
const LONGEST_LINK: u64 = 4_096;

/// Holds the archive in an open file to the rules. Every byte is unpacked and counted, none is kept.
pub(super) fn check(rules: &ArchiveRules, opened: &Opened) -> Result<(), Refused> {
    let refuse = |message: String| Refused { kind: "archive", message };
    if opened.new.is_some() {
        return Err(refuse("there is nothing".to_owned()));
    }
    let file = opened.handle.try_clone().map(File::from);
    file.map_err(|error| refuse(format!("it cannot be read: {error}")))
        .and_then(|file| checked(rules, file))
}

fn checked(rules: &ArchiveRules, file: File) -> Result<(), Refused> {
    let (packed, deeper, entries) = list(rules, file).map_err(|error| Refused {
        kind: "archive",
        message: format!("its list cannot be read: {error}"),
    })?;
    rules.check_growth(packed, deeper)?;
    rules.check_entries(packed, entries)
}

/// The bytes of the archive, those of what lies in archives within it, and its entries. Reading stops where the rules are broken in any case.
fn list(rules: &ArchiveRules, mut file: File) -> io::Result<(u64, u64, Vec<ArchiveEntry>)> {
    file.rewind()?;
    let packed = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    let mut list = List { entries: Vec::new(), bytes: 0, deeper: 0, inner: 0, rules };
    if zip::is_zip(&head) {
        if tar::is_tar(&head) {
            return Err(io::Error::other("it is a tar archive as well"));
        }
        let entries = zip::unambiguous(&mut file, rules.entries)?;
        let mut modes: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for zip::Listed { name, second_name, mode } in &entries {
            modes.entry(name).or_default().push(*mode);
            if mode & KIND == FILE && mode & SET_ID != 0 {
                return Err(io::Error::other(SET_ID_WORDS));
            }
            let is_ordinary = matches!(mode & KIND, 0 | DIRECTORY | FILE);
            if name.ends_with(b"/") && !is_ordinary {
                list.push(name, EntryKind::Other, 0)?;
            } else if name.ends_with(b"/") || mode & KIND == DIRECTORY {
                list.push(name, EntryKind::Directory, 0)?;
            }
            // Some programs unpack to the second.
            if let Some(second) = second_name
                && second != name
            {
                list.push(second, EntryKind::File, 0)?;
            }
        }
        zip::each_file(&mut file, &mut |name, stored, contents| {
            if stored != zip::Stored::Readable {
                return Err(io::Error::other("it holds what cannot be read"));
            }
            let modes = modes.get(name).map(Vec::as_slice).unwrap_or_default();
            if modes.iter().any(|mode| mode & KIND == LINK) {
                let mut target = String::new();
                contents.take(LONGEST_LINK + 1).read_to_string(&mut target)?;
                if target.len() as u64 > LONGEST_LINK {
                    return Err(io::Error::other("it holds a link that is too long"));
                }
                return list.push(name, EntryKind::Link(target), 0);
            }
            let ordinary = modes.iter().all(|mode| matches!(mode & KIND, 0 | FILE));
            let bytes = list.contents(contents)?;
            list.push(name, if ordinary { EntryKind::File } else { EntryKind::Other }, bytes)
        })?;
        return Ok((packed, list.deeper, list.entries));
    }
    let stream: Box<dyn Read> =
        if head.starts_with(GZIP) { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    // Headers and what fills up are not counted with the contents, but end too.
    let headers = u64::try_from(rules.entries).unwrap_or(u64::MAX).saturating_mul(HEADERS);
    let mut stream = stream.take(rules.bytes.saturating_add(headers).saturating_add(FILLING));
    tar::each_entry(&mut stream, &mut |entry, contents| {
        if let Some(odd) = entry.odd {
            let name: String = String::from_utf8_lossy(entry.name).chars().take(80).collect();
            return Err(io::Error::other(format!("the entry `{}` {odd}", name.escape_debug())));
        }
        let bytes = list.contents(contents)?;
        let kind = match entry.kind {
            0 | b'0' | b'7' => EntryKind::File,
            b'5' => EntryKind::Directory,
            b'1' => EntryKind::HardLink(String::from_utf8_lossy(entry.link).into_owned()),
            b'2' => EntryKind::Link(String::from_utf8_lossy(entry.link).into_owned()),
            _ => EntryKind::Other,
        };
        list.push(entry.name, kind, bytes)
    })?;
    if !tar::is_over(&mut stream)? || stream.limit() == 0 {
        return Err(io::Error::other("something follows its end"));
    }
    Ok((packed, list.deeper, list.entries))
}

struct List<'a> {
    entries: Vec<ArchiveEntry>,
    /// Of everything, archives within included.
    bytes: u64,
    /// Of what lies in archives within.
    deeper: u64,
    /// How many entries archives within have.
    inner: usize,
    rules: &'a ArchiveRules,
}

impl List<'_> {
    fn push(&mut self, name: &[u8], kind: EntryKind, bytes: u64) -> io::Result<()> {
        if self.entries.len() + self.inner >= self.rules.entries {
            return Err(io::Error::other("it has too many entries"));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        self.entries.push(ArchiveEntry { name, kind, bytes });
        Ok(())
    }

    /// Reads what an entry holds, and what archives in it hold. The bytes are the entry's own.
    fn contents(&mut self, contents: &mut dyn Read) -> io::Result<u64> {
        let before = self.bytes;
        let depth = self.rules.depth;
        let own = self.within(contents, depth)?;
        // What lies deeper counts for the whole, and not for the entry.
        self.deeper = self.deeper.saturating_add(self.bytes.saturating_sub(before + own));
        Ok(own)
    }

    /// Counts a stream, and looks into it where it is an archive; `depth` more of them may lie within each other.
    fn within(&mut self, contents: &mut dyn Read, depth: usize) -> io::Result<u64> {
        let mut head = Vec::new();
        contents.take(HEAD).read_to_end(&mut head)?;
        let is_zip = zip::is_zip(&head);
        let is_packed = head.starts_with(GZIP);
        if !is_zip && !is_packed && !tar::is_tar(&head) {
            return self.count(&mut head.as_slice().chain(contents));
        }
        let depth = depth.checked_sub(1).ok_or_else(|| {
            io::Error::other("it holds archives within archives, deeper than is looked into")
        })?;
        let mut inner = Vec::new();
        let mut whole = head.as_slice().chain(contents);
        let bytes = self.count(&mut Kept { from: &mut whole, kept: &mut inner })?;
        if bytes > LARGEST_WITHIN {
            return Err(io::Error::other(
                "it holds an archive that is too large to be looked into",
            ));
        }
        let unread = |error: io::Error| {
            io::Error::new(error.kind(), format!("an archive in it cannot be read: {error}"))
        };
        if is_zip {
            zip::each_file(&mut io::Cursor::new(inner), &mut |name, stored, contents| {
                if stored != zip::Stored::Readable {
                    return Err(io::Error::other("it holds what cannot be read"));
                }
                self.inner(name)?;
                self.within(contents, depth).map(drop)
            })
            .map_err(unread)?;
        } else if is_packed {
            // Whatever it is: it is as long as that, and may be an archive in turn.
            let mut unpacked = MultiGzDecoder::new(inner.as_slice());
            let mut begun = Vec::new();
            (&mut unpacked).take(HEAD).read_to_end(&mut begun).map_err(unread)?;
            let mut whole = begun.as_slice().chain(unpacked);
            if tar::is_tar(&begun) {
                self.entries_within(&mut whole, depth).map_err(unread)?;
            } else {
                self.within(&mut whole, depth).map_err(unread)?;
            }
        } else {
            self.entries_within(&mut inner.as_slice(), depth).map_err(unread)?;
        }
        Ok(bytes)
    }

    fn entries_within(&mut self, stream: &mut dyn Read, depth: usize) -> io::Result<()> {
        let room = self.rules.bytes.saturating_add(FILLING);
        tar::each_entry(&mut stream.take(room), &mut |entry, contents| {
            self.inner(entry.name)?;
            self.within(contents, depth).map(drop)
        })
    }

    /// An entry of an archive within: it counts, and stays in its place.
    fn inner(&mut self, name: &[u8]) -> io::Result<()> {
        self.inner += 1;
        if self.inner + self.entries.len() > self.rules.entries {
            return Err(io::Error::other("it has too many entries"));
        }
        let name = String::from_utf8_lossy(name);
        if self.rules.leaves(&name) {
            return Err(io::Error::other("an entry of it would be unpacked elsewhere"));
        }
        Ok(())
    }

    /// Reads a stream to its end, as long as there may be more.
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

/// What is read is kept, up to the largest archive that is looked into.
struct Kept<'a> {
    from: &'a mut dyn Read,
    kept: &'a mut Vec<u8>,
}

impl Read for Kept<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(room)?;
        if self.kept.len() as u64 <= LARGEST_WITHIN {
            self.kept.extend_from_slice(room.get(..count).unwrap_or_default());
        }
        Ok(count)
    }
}
