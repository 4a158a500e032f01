//! The files in a tar archive, as they come in. Owns the format (POSIX ustar and pax, the long names of GNU, the old one without
//! a magic); it unpacks nothing to disk.

use std::io::{self, Read};

/// The size of a header, and what everything is padded to.
const RECORD: usize = 512;
/// The longest name or extended header that is read; longer ones are passed over.
const LONGEST: u64 = 1 << 16;
/// Set-user-ID and set-group-ID in a mode.
const SET_ID: u64 = 0o6000;

/// Whether a stream that begins with these bytes is a tar archive: the checksum of the first header is right.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.first_chunk::<RECORD>().is_some_and(has_checksum)
}

/// What takes the name of a file and its contents.
pub(super) type Each<'a> = dyn FnMut(&[u8], &mut dyn Read) -> io::Result<()> + 'a;

/// What a header says.
struct Header {
    name: Vec<u8>,
    link: Vec<u8>,
    size: u64,
    kind: u8,
    odd: Option<&'static str>,
}

/// An entry of an archive, whatever it is.
pub(crate) struct Entry<'a> {
    /// Its name.
    pub(crate) name: &'a [u8],
    /// Its type, as the format writes it: `0` or nothing for a file, `5` for a directory, `1` and `2` for links.
    pub(crate) kind: u8,
    /// Where a link leads.
    pub(crate) link: &'a [u8],
    /// Why another program that reads it may see something else.
    pub(crate) odd: Option<&'static str>,
}

/// What takes an entry and its contents.
pub(crate) type EachEntry<'a> = dyn FnMut(&Entry<'_>, &mut dyn Read) -> io::Result<()> + 'a;

/// Gives `each` the name and contents of every ordinary file. What `each` leaves of a file is passed over.
///
/// # Errors
/// Where the stream cannot be read, breaks off or is none, and what `each` says.
pub(super) fn each_file(input: &mut dyn Read, each: &mut Each<'_>) -> io::Result<()> {
    each_entry(input, &mut |entry, contents| match entry.kind {
        0 | b'0' | b'7' => each(entry.name, contents),
        _ => Ok(()),
    })
}

/// The same for every entry.
///
/// # Errors
/// As [`each_file`].
pub(crate) fn each_entry(input: &mut dyn Read, each: &mut EachEntry<'_>) -> io::Result<()> {
    let (mut name, mut size, mut link) = (None, None, None);
    // What is said once for all entries is said of none here; some programs see it so, others do not.
    let (mut global, mut odd) = (None, None);
    while let Some(header) = next(input)? {
        let length = if matches!(header.kind, b'L' | b'K' | b'x' | b'g') {
            header.size
        } else {
            size.unwrap_or(header.size)
        };
        odd = odd.or(header.odd);
        let mut contents = (&mut *input).take(length);
        match header.kind {
            b'L' | b'K' | b'x' => {
                let mut bytes = Vec::new();
                (&mut contents).take(LONGEST).read_to_end(&mut bytes)?;
                if length > LONGEST {
                    odd = Some("has a longer name or header than is read");
                }
                if (header.kind == b'K' && link.is_some())
                    || (header.kind != b'K' && name.is_some())
                {
                    odd = Some("is named twice");
                }
                if header.kind == b'x' {
                    let Extended { path, size: long, link: to, odd: strange } = extended(&bytes);
                    odd = odd.or(strange);
                    name = path.or(name);
                    size = long.or(size);
                    link = to.or(link);
                } else {
                    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
                    *(if header.kind == b'L' { &mut name } else { &mut link }) = Some(bytes);
                }
            }
            b'g' => {
                let mut bytes = Vec::new();
                (&mut contents).take(LONGEST).read_to_end(&mut bytes)?;
                let said = extended(&bytes);
                let moves = said.path.is_some() || said.link.is_some() || said.size.is_some();
                if moves || length > LONGEST || said.odd.is_some() {
                    global = Some("is named by a header for all entries");
                }
            }
            kind => {
                let entry_name = name.as_deref().unwrap_or(&header.name);
                let entry = Entry {
                    name: entry_name,
                    link: link.as_deref().unwrap_or(&header.link),
                    kind,
                    odd: odd.or(global).or_else(|| hollow(kind, entry_name, length)),
                };
                each(&entry, &mut contents)?;
                (name, size, link, odd) = (None, None, None, None);
            }
        }
        pass_over(&mut contents)?;
        let padding = length.wrapping_neg() % RECORD as u64;
        pass_over(&mut (&mut *input).take(padding))?;
    }
    Ok(())
}

/// What has no contents, and says that it has some: there other programs look for the next entry.
fn hollow(kind: u8, name: &[u8], length: u64) -> Option<&'static str> {
    let has_none = match kind {
        0 | b'0' | b'7' => name.ends_with(b"/"),
        _ => (b'1'..=b'6').contains(&kind),
    };
    (has_none && length > 0).then_some("has contents, which it cannot have")
}

/// Whether nothing follows the end but what fills it up. Some programs read on behind it.
///
/// # Errors
/// Where the stream cannot be read.
pub(crate) fn is_over(input: &mut dyn Read) -> io::Result<bool> {
    let mut room = [0; 1 << 13];
    loop {
        match input.read(&mut room) {
            Ok(0) => return Ok(true),
            Ok(read) if room.iter().take(read).any(|byte| *byte != 0) => return Ok(false),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads up to the end.
fn pass_over<R: Read>(rest: &mut io::Take<R>) -> io::Result<()> {
    let limit = rest.limit();
    if io::copy(rest, &mut io::sink())? < limit {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// The next header, or nothing at the end.
fn next(input: &mut dyn Read) -> io::Result<Option<Header>> {
    let mut header = [0; RECORD];
    let mut filled = 0;
    while filled < RECORD {
        match input.read(header.get_mut(filled..).unwrap_or_default()) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if header.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    if !has_checksum(&header) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a header has a wrong checksum"));
    }
    let field = |from: usize, to: usize| header.get(from..to).unwrap_or_default();
    let text = |from: usize, to: usize| -> Vec<u8> {
        field(from, to).iter().copied().take_while(|byte| *byte != 0).collect()
    };
    let size = number(field(124, 136))
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a header has no size"))?;
    let mut name = text(0, 100);
    let prefix = text(345, 500);
    let mut odd = None;
    if field(257, 263) == b"ustar\0" {
        if !prefix.is_empty() {
            name = [prefix, name].join(&b'/');
        }
    } else if field(345, 500).iter().any(|byte| *byte != 0) {
        odd = Some("has the beginning of a name where its format has none");
    }
    let mode = number(field(100, 108));
    let kind = header.get(156).copied().unwrap_or(0);
    // On a directory it says whose what is made in it is.
    if kind != b'5' && mode.is_none_or(|mode| mode & SET_ID != 0) {
        odd = odd.or(Some("would run with the rights of its owner or group"));
    }
    let link = text(157, 257);
    Ok(Some(Header { name, link, size, kind, odd }))
}

/// Whether a header's checksum is the sum of its bytes, with blanks in its own place.
fn has_checksum(header: &[u8; RECORD]) -> bool {
    let sum: u64 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { u64::from(b' ') } else { u64::from(*byte) })
        .sum();
    let own = header.get(148..156).unwrap_or_default();
    own.iter().any(u8::is_ascii_digit) && number(own) == Some(sum)
}

/// A number in octal digits, or in bytes behind a set bit.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| *first == 0x80) {
        let (high, low) = field.split_at_checked(field.len().checked_sub(8)?)?;
        let low: [u8; 8] = low.try_into().ok()?;
        return high.iter().skip(1).all(|byte| *byte == 0).then(|| u64::from_be_bytes(low));
    }
    let text = std::str::from_utf8(field).ok()?;
    // A zero ends it to some programs, so none may lead it.
    let text = text.trim_start_matches(' ').trim_end_matches([' ', '\0']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

/// What an extended header says.
#[derive(Default)]
struct Extended {
    path: Option<Vec<u8>>,
    size: Option<u64>,
    link: Option<Vec<u8>>,
    odd: Option<&'static str>,
}

/// Reads an extended header: lines `LENGTH NAME=VALUE`.
fn extended(bytes: &[u8]) -> Extended {
    let mut said = Extended::default();
    let mut rest = bytes;
    while let Some(blank) = rest.iter().position(|byte| *byte == b' ') {
        let length = rest.get(..blank).and_then(|digits| std::str::from_utf8(digits).ok());
        let length: Option<usize> = length.and_then(|digits| digits.parse().ok());
        let Some(length) = length.filter(|length| *length > blank + 1) else { break };
        let Some(line) = rest.get(blank + 1..length) else { break };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if let Some(value) = line.strip_prefix(b"path=") {
            said.path = Some(value.to_vec());
        } else if let Some(value) = line.strip_prefix(b"linkpath=") {
            said.link = Some(value.to_vec());
        } else if let Some(value) = line.strip_prefix(b"size=") {
            said.size = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
            if said.size.is_none() {
                said.odd = Some("has a size that is no number");
            }
        } else if line.starts_with(b"GNU.sparse.") {
            said.odd = Some("has holes, and a name of its own for them");
        } else if line.starts_with(b"SCHILY.xattr.security.") {
            said.odd = Some("would run with rights of its own");
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    if rest.iter().any(|byte| *byte != 0) {
        said.odd = Some("has a header that breaks off");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with its checksum.
    fn header(name: &str, size: usize, kind: u8) -> Vec<u8> {
        let mut header = vec![0; RECORD];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
        header[156] = kind;
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].copy_from_slice(b"        ");
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        header
    }

    fn entry(name: &str, kind: u8, contents: &[u8]) -> Vec<u8> {
        let mut entry = header(name, contents.len(), kind);
        entry.extend_from_slice(contents);
        entry.resize(entry.len().next_multiple_of(RECORD), 0);
        entry
    }

    fn files(archive: &[u8]) -> io::Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        each_file(&mut &*archive, &mut |name, contents| {
            let mut text = String::new();
            contents.read_to_string(&mut text)?;
            files.push((String::from_utf8_lossy(name).into_owned(), text));
            Ok(())
        })?;
        Ok(files)
    }

    #[test]
    fn names_of_every_kind_are_read() {
        let long = "d/".repeat(80) + "long";
        let record = |text: String| {
            let mut length = text.len() + 2;
            while length != format!("{length} {text}\n").len() {
                length += 1;
            }
            format!("{length} {text}\n")
        };
        let archive = [
            entry("a", b'0', b"one"),
            entry("dir/", b'5', b""),
            entry("././@LongLink", b'L', format!("{long}\0").as_bytes()),
            entry("short", b'0', b"two"),
            entry("pax", b'x', record("path=somewhere/else".to_owned()).as_bytes()),
            entry("b", 0, b"three"),
            entry("link", b'2', b""),
            vec![0; 2 * RECORD],
        ]
        .concat();
        assert!(is_tar(&archive));
        let expected = [("a", "one"), (long.as_str(), "two"), ("somewhere/else", "three")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(files(&archive).unwrap(), expected);
    }

    #[test]
    fn what_breaks_off_or_lies_about_its_size_is_an_error() {
        let whole = entry("a", b'0', &[b'x'; 600]);
        for cut in [1, 511, 600, 1023, 1535] {
            assert!(files(&whole[..cut]).is_err(), "{cut}");
        }
        let mut huge = entry("a", b'0', b"x");
        huge[124..136]
            .copy_from_slice(&[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert!(files(&huge).is_err());
        assert!(!is_tar(&huge));
        assert!(!is_tar(&[0; RECORD]));
        assert!(!is_tar(&[b' '; RECORD]));
    }
}
