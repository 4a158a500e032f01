//! The files in a zip archive. Owns the format as far as it tells where a file's bytes are, and takes off the compression that
//! nearly all of them use (deflate); it unpacks nothing to disk.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::read::DeflateDecoder;

/// Something to read from any place.
pub(crate) trait Place: Read + Seek {}
impl<T: Read + Seek> Place for T {}

/// Whether a stream that begins with these bytes is a zip archive.
pub(crate) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// How the bytes of a file are stored.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stored {
    /// They can be read.
    Readable,
    /// Only with a password.
    Encrypted,
    /// In a compression that is not read.
    Otherwise,
}

/// What takes the name of a file, how it is stored, and its contents.
pub(crate) type Each<'a> = dyn FnMut(&[u8], Stored, &mut dyn Read) -> io::Result<()> + 'a;

/// A file of the archive as its directory has it.
struct Entry {
    name: Vec<u8>,
    second_name: Option<Vec<u8>>,
    /// The mode of Unix, where whoever packed it wrote one.
    mode: u32,
    method: u16,
    encrypted: bool,
    packed: u64,
    offset: u64,
}

/// The most bytes of a directory that are read.
const DIRECTORY: u64 = 1 << 26;
/// The end record without its comment.
const END: usize = 22;
/// A file's record in the directory without its name, and before its contents.
const RECORD: usize = 46;
const LOCAL: usize = 30;
/// The flag of contents whose size was not known when they were begun.
const AS_IT_CAME: u16 = 8;

fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Gives `each` the name and contents of every file; contents that cannot be read are empty.
///
/// # Errors
/// Where the archive cannot be read or is none, and what `each` says.
pub(crate) fn each_file(archive: &mut dyn Place, each: &mut Each<'_>) -> io::Result<()> {
    let directory = directory(archive)?;
    let mut rest = directory.bytes.as_slice();
    while let Some((entry, behind)) = entry(rest) {
        rest = behind;
        if entry.name.ends_with(b"/") {
            continue;
        }
        let stored = match entry.method {
            _ if entry.encrypted => Stored::Encrypted,
            0 | 8 => Stored::Readable,
            _ => Stored::Otherwise,
        };
        if stored != Stored::Readable {
            each(&entry.name, stored, &mut io::empty())?;
            continue;
        }
        archive.seek(SeekFrom::Start(entry.offset))?;
        let mut local = [0; LOCAL];
        archive.read_exact(&mut local)?;
        if !local.starts_with(b"PK\x03\x04") {
            return Err(broken("a file is not where the directory says"));
        }
        let skipped = u64::from(short(&local, 26)) + u64::from(short(&local, 28));
        archive.seek(SeekFrom::Current(i64::try_from(skipped).map_err(io::Error::other)?))?;
        let mut packed = (&mut *archive).take(entry.packed);
        if entry.method == 0 {
            each(&entry.name, stored, &mut packed)?;
        } else {
            each(&entry.name, stored, &mut DeflateDecoder::new(packed))?;
        }
    }
    if rest.is_empty() { Ok(()) } else { Err(broken("the directory is cut short")) }
}

/// The list of what is in an archive.
struct Directory {
    bytes: Vec<u8>,
    /// Where it begins.
    offset: u64,
    /// Where what follows it begins, when that goes on to the end of the archive.
    after: u64,
}

fn directory(archive: &mut dyn Place) -> io::Result<Directory> {
    /// The longest comment, and the record of large archives before the end.
    const TAIL: u64 = 65_535 + END as u64 + 20;
    let length = archive.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(TAIL);
    archive.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    (&mut *archive).take(TAIL).read_to_end(&mut tail)?;
    let at = memchr::memmem::rfind(&tail, b"PK\x05\x06").ok_or_else(|| broken("it has no end"))?;
    let end = tail.get(at..at + END).ok_or_else(|| broken("its end is cut short"))?;
    let (mut size, mut offset) = (u64::from(long(end, 12)), u64::from(long(end, 16)));
    let mut after = from + at as u64;
    let mut ends = at + END + usize::from(short(end, 20)) == tail.len();
    if offset == u64::from(u32::MAX) || size == u64::from(u32::MAX) {
        let locator = at.checked_sub(20).and_then(|from| tail.get(from..at)).unwrap_or_default();
        if !locator.starts_with(b"PK\x06\x07") {
            return Err(broken("the end of a large archive is missing"));
        }
        archive.seek(SeekFrom::Start(huge(locator, 8)))?;
        let mut record = [0; 56];
        archive.read_exact(&mut record)?;
        if !record.starts_with(b"PK\x06\x06") {
            return Err(broken("the end of a large archive is missing"));
        }
        (size, offset) = (huge(&record, 40), huge(&record, 48));
        after = huge(locator, 8);
        // The record and what points to it are as long as they are here.
        ends &= after.checked_add(56 + 20) == from.checked_add(at as u64);
    }
    // What was put before an archive (a program that unpacks itself) moves every place in it; such are read as far as their
    // directory is found.
    if size > DIRECTORY {
        return Err(broken("its directory is too long"));
    }
    archive.seek(SeekFrom::Start(offset))?;
    let mut directory = Vec::new();
    (&mut *archive).take(size).read_to_end(&mut directory)?;
    if (directory.len() as u64) < size {
        return Err(broken("its directory is cut short"));
    }
    Ok(Directory { bytes: directory, offset, after: if ends { after } else { u64::MAX } })
}

/// An entry as the directory lists it.
pub(crate) struct Listed {
    pub(crate) name: Vec<u8>,
    /// The name in Unicode, where there is one beside it.
    pub(crate) second_name: Option<Vec<u8>>,
    /// The mode of Unix, where whoever packed it wrote one.
    pub(crate) mode: u32,
}

/// All entries, directories and links among them, at most so many and one. That everybody reads the same entries is made sure of: the
/// archive begins with the first, each ends where the next or the directory begins, each says the same of itself as the directory says
/// of it, and behind the directory is nothing.
///
/// # Errors
/// Where the archive cannot be read, is none, or can be read in another way.
pub(crate) fn unambiguous(archive: &mut dyn Place, most: usize) -> io::Result<Vec<Listed>> {
    let Directory { bytes, offset, after } = directory(archive)?;
    let whole = offset.checked_add(bytes.len() as u64) == Some(after);
    if !whole {
        return Err(broken("its directory does not end where the archive does"));
    }
    let (mut list, mut places, mut rest) = (Vec::new(), Vec::new(), bytes.as_slice());
    while let Some((entry, behind)) = entry(rest) {
        rest = behind;
        if list.len() > most {
            return Ok(list);
        }
        let Entry { name, second_name, mode, offset, packed, method, encrypted } = entry;
        places.push((offset, packed, method, encrypted, name.clone()));
        list.push(Listed { name, second_name, mode });
    }
    if !rest.is_empty() {
        return Err(broken("the directory is cut short"));
    }
    places.sort_unstable();
    let mut at = 0;
    let mut places = places.into_iter().peekable();
    while let Some((begin, packed, method, encrypted, name)) = places.next() {
        let next = places.peek().map_or(offset, |(begin, ..)| *begin);
        if begin != at {
            return Err(broken("it holds what its directory does not name"));
        }
        archive.seek(SeekFrom::Start(begin))?;
        let mut local = [0; LOCAL];
        archive.read_exact(&mut local)?;
        let mut own = vec![0; usize::from(short(&local, 26))];
        archive.read_exact(&mut own)?;
        let flags = short(&local, 6);
        if !local.starts_with(b"PK\x03\x04")
            || own != name
            || short(&local, 8) != method
            || (flags & 1 != 0) != encrypted
        {
            return Err(broken("an entry says something else than the directory"));
        }
        let extra = u64::from(short(&local, 28));
        let end = begin.checked_add((LOCAL + own.len()) as u64 + extra);
        let end = end.and_then(|end| end.checked_add(packed));
        // Behind what was packed as it came stand its sum and sizes, with a signature or without.
        let behind = end.and_then(|end| next.checked_sub(end));
        let fits = match behind {
            Some(0) => true,
            Some(12 | 16 | 20 | 24) => flags & AS_IT_CAME != 0,
            _ => false,
        };
        if !fits {
            return Err(broken("it holds what its directory does not name"));
        }
        at = next;
    }
    if at == offset { Ok(list) } else { Err(broken("it holds what its directory does not name")) }
}

/// The first file in a directory, and what follows it.
fn entry(directory: &[u8]) -> Option<(Entry, &[u8])> {
    let record = directory.get(..RECORD).filter(|record| record.starts_with(b"PK\x01\x02"))?;
    let (name, extra, comment) =
        (short(record, 28) as usize, short(record, 30) as usize, short(record, 32) as usize);
    let end = RECORD + name + extra + comment;
    let mut entry = Entry {
        name: directory.get(RECORD..RECORD + name)?.to_vec(),
        second_name: None,
        mode: long(record, 38) >> 16,
        method: short(record, 10),
        encrypted: short(record, 8) & 1 != 0,
        packed: u64::from(long(record, 20)),
        offset: u64::from(long(record, 42)),
    };
    large(directory.get(RECORD + name..RECORD + name + extra)?, long(record, 24), &mut entry);
    Some((entry, directory.get(end..)?))
}

/// A further name in the extra field.
const UNICODE_NAME: u16 = 0x7075;

/// Takes the sizes and places that need more than 32 bits from the extra field, in the order of the format, and a further name.
fn large(mut extra: &[u8], unpacked: u32, entry: &mut Entry) {
    while extra.len() >= 4 {
        let length = usize::from(short(extra, 2));
        let mut field = extra.get(4..4 + length).unwrap_or_default();
        if short(extra, 0) == UNICODE_NAME {
            // A version and a sum of the first name stand before it.
            entry.second_name = Some(field.get(5..).unwrap_or_default().to_vec());
        } else if short(extra, 0) == 1 {
            let mut next = || {
                let number = huge(field, 0);
                field = field.get(8..).unwrap_or_default();
                number
            };
            if unpacked == u32::MAX {
                next();
            }
            if entry.packed == u64::from(u32::MAX) {
                entry.packed = next();
            }
            if entry.offset == u64::from(u32::MAX) {
                entry.offset = next();
            }
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
}

fn bytes<const N: usize>(from: &[u8], at: usize) -> [u8; N] {
    from.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
}

fn short(from: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes(from, at))
}

fn long(from: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes(from, at))
}

fn huge(from: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes(from, at))
}

/// An archive with these files, for tests: each with its method (0 as it is, 8 deflated).
#[cfg(test)]
pub(super) fn archive(files: &[(&str, u16, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, method, contents) in files {
        let packed = if *method == 8 {
            let mut encoder =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(contents).unwrap();
            encoder.finish().unwrap()
        } else {
            contents.to_vec()
        };
        let offset = u32::try_from(archive.len()).unwrap();
        let mut about = Vec::new();
        about.extend_from_slice(&[20, 0, 0, 0]);
        about.extend_from_slice(&method.to_le_bytes());
        about.extend_from_slice(&[0; 8]);
        about.extend_from_slice(&u32::try_from(packed.len()).unwrap().to_le_bytes());
        about.extend_from_slice(&u32::try_from(contents.len()).unwrap().to_le_bytes());
        about.extend_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
        about.extend_from_slice(&[0, 0]);
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&about);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&about);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let offset = u32::try_from(archive.len()).unwrap();
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    archive.extend_from_slice(&directory);
    archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    archive.extend_from_slice(&count);
    archive.extend_from_slice(&count);
    archive.extend_from_slice(&u32::try_from(directory.len()).unwrap().to_le_bytes());
    archive.extend_from_slice(&offset.to_le_bytes());
    archive.extend_from_slice(&[0, 0]);
    archive
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn files(bytes: &[u8]) -> io::Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        each_file(&mut Cursor::new(bytes), &mut |name, stored, contents| {
            let mut text = String::new();
            contents.read_to_string(&mut text)?;
            if stored != Stored::Readable {
                text = format!("{stored:?}");
            }
            files.push((String::from_utf8_lossy(name).into_owned(), text));
            Ok(())
        })?;
        Ok(files)
    }

    #[test]
    fn files_are_read_as_they_are_and_deflated() {
        let text = "words ".repeat(1000);
        let bytes = archive(&[
            ("a", 0, b"one"),
            ("d/", 0, b""),
            ("d/b", 8, text.as_bytes()),
            ("c", 12, b"?"),
        ]);
        assert!(is_zip(&bytes));
        let expected = [("a", "one"), ("d/b", &text), ("c", "Otherwise")];
        assert_eq!(
            files(&bytes).unwrap(),
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn what_is_cut_or_changed_is_an_error_and_never_more() {
        let bytes = archive(&[("a", 0, b"one"), ("b", 8, b"two")]);
        for cut in 0..bytes.len() {
            assert!(files(&bytes[..cut]).is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            for value in [0, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = files(&changed);
            }
        }
    }
}
