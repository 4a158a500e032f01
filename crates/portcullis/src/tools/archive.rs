//! What an archive would unpack to. Owns the reading of its list, from the file that was opened; which entries may come out of one is said
//! by `portcullis_core::validate`.

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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const RECORD: usize = 512;

    /// A header with its checksum; `change` is made before that.
    fn header(name: &str, kind: u8, size: usize, change: impl Fn(&mut [u8])) -> Vec<u8> {
        let mut header = vec![0; RECORD];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        change(&mut header);
        header[148..156].copy_from_slice(b"        ");
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        header
    }

    fn changed(name: &str, kind: u8, contents: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
        let mut entry = header(name, kind, contents.len(), change);
        entry.extend_from_slice(contents);
        entry.resize(entry.len().next_multiple_of(RECORD), 0);
        entry
    }

    fn entry(name: &str, kind: u8, contents: &[u8]) -> Vec<u8> {
        changed(name, kind, contents, |_| {})
    }

    fn link(name: &str, kind: u8, to: &str) -> Vec<u8> {
        changed(name, kind, b"", |header| {
            header[157..157 + to.len()].copy_from_slice(to.as_bytes())
        })
    }

    /// One record of an extended header.
    fn record(text: &str) -> String {
        let mut length = text.len() + 3;
        while length != format!("{length} {text}\n").len() {
            length += 1;
        }
        format!("{length} {text}\n")
    }

    fn pax(kind: u8, records: &[&str]) -> Vec<u8> {
        let text: String = records.iter().map(|text| record(text)).collect();
        entry("pax", kind, text.as_bytes())
    }

    fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
        [entries.concat(), vec![0; 2 * RECORD]].concat()
    }

    /// A file of a zip archive: what it says of itself, and what the directory says of it.
    #[derive(Clone, Default)]
    struct Zipped {
        name: String,
        own_name: Option<String>,
        contents: Vec<u8>,
        mode: u32,
        extra: Vec<u8>,
        own_method: u16,
        before: Vec<u8>,
    }

    fn zipped(name: &str, contents: &[u8]) -> Zipped {
        Zipped { name: name.to_owned(), contents: contents.to_vec(), ..Zipped::default() }
    }

    fn zip(files: &[Zipped], behind: &[u8]) -> Vec<u8> {
        let (mut archive, mut directory) = (Vec::new(), Vec::new());
        let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        let long = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        for file in files {
            archive.extend_from_slice(&file.before);
            let offset = long(archive.len());
            let own = file.own_name.as_ref().unwrap_or(&file.name);
            let sizes = [long(file.contents.len()), long(file.contents.len())].concat();
            archive.extend_from_slice(b"PK\x03\x04\x14\0\0\0");
            archive.extend_from_slice(&file.own_method.to_le_bytes());
            archive.extend_from_slice(&[0; 8]);
            archive.extend_from_slice(&sizes);
            archive.extend_from_slice(&[short(own.len()), [0, 0]].concat());
            archive.extend_from_slice(own.as_bytes());
            archive.extend_from_slice(&file.contents);
            directory.extend_from_slice(b"PK\x01\x02\x14\x03\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
            directory.extend_from_slice(&sizes);
            directory
                .extend_from_slice(&[short(file.name.len()), short(file.extra.len())].concat());
            directory.extend_from_slice(&[0; 6]);
            directory.extend_from_slice(&(file.mode << 16).to_le_bytes());
            directory.extend_from_slice(&offset);
            directory.extend_from_slice(file.name.as_bytes());
            directory.extend_from_slice(&file.extra);
        }
        let offset = long(archive.len());
        archive.extend_from_slice(&directory);
        archive.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        archive.extend_from_slice(&[short(files.len()), short(files.len())].concat());
        archive.extend_from_slice(&[long(directory.len()), offset].concat());
        archive.extend_from_slice(&[0, 0]);
        archive.extend_from_slice(behind);
        archive
    }

    fn said(rules: &ArchiveRules, bytes: &[u8]) -> Result<(), String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        checked(rules, file).map_err(|refused| refused.message)
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn ordinary_archives_go_through() {
        let rules = ArchiveRules { links: true, ..ArchiveRules::default() };
        let long = format!("{}name", "d/".repeat(80));
        let whole = tar(&[
            pax(b'g', &["comment=0123456789"]),
            changed("d/", b'5', b"", |header| header[100..107].copy_from_slice(b"0002755")),
            entry("d/a", b'0', b"one"),
            entry("././@LongLink", b'L', format!("{long}\0").as_bytes()),
            entry("short", b'0', b"two"),
            pax(b'x', &["mtime=1.5", "path=d/wörter"]),
            entry("d/w", b'0', b"three"),
            link("d/l", b'2', "a"),
            link("h", b'1', "d/a"),
        ]);
        let padded = [whole.clone(), vec![0; 20 * RECORD]].concat();
        let text = Zipped { mode: 0o100_644, ..zipped("d/a", b"one") };
        let zips = [
            zip(&[zipped("d/", b""), text.clone(), zipped("b", b"")], b""),
            zip(&[Zipped { mode: 0o120_777, ..zipped("l", b"d/a") }, text], b""),
            zip(&[], b""),
        ];
        for bytes in [&whole, &padded, &packed(&whole)].into_iter().chain(&zips) {
            assert_eq!(said(&rules, bytes), Ok(()));
        }
    }

    #[test]
    fn what_other_programs_would_unpack_elsewhere_is_refused() {
        let rules = ArchiveRules { links: true, bytes: 1 << 20, ..ArchiveRules::default() };
        let harmless = || entry("a", b'0', b"one");
        let evil = || entry("../../evil", b'0', b"evil");
        let set = |from: usize, text: &'static [u8]| {
            move |header: &mut [u8]| header[from..from + text.len()].copy_from_slice(text)
        };
        let far =
            [record(&format!("comment={}", "x".repeat(70_000))), record("path=../evil")].concat();
        let unicode = [b"\x75\x70\x0d\0\x01\0\0\0\0".to_vec(), b"../../ev".to_vec()].concat();
        let both = {
            let text = tar(&[changed("PK\x03\x04", b'0', b"", |_| {})]);
            [text, zip(&[], b"")].concat()
        };
        let ghost = zip(&[zipped("../evil", b"evil")], b"");
        let ghost = ghost[..30 + "../evil".len() + 4].to_vec();
        let cases: Vec<(&str, Vec<u8>, &str)> = vec![
            ("upwards", tar(&[evil()]), "unpacked elsewhere"),
            ("absolute", tar(&[entry("/etc/cron.d/x", b'0', b"")]), "unpacked elsewhere"),
            ("backwards", tar(&[entry("..\\..\\x", b'0', b"")]), "unpacked elsewhere"),
            ("a drive", tar(&[entry("C:/x", b'0', b"")]), "unpacked elsewhere"),
            ("turned", tar(&[entry("a\u{202e}gpj.sh", b'0', b"")]), "cannot be seen"),
            ("a link out", tar(&[link("a", b'2', "/etc")]), "leads elsewhere"),
            (
                "a link, then through it",
                tar(&[link("a", b'2', "d"), entry("a/x", b'0', b"")]),
                "behind a link",
            ),
            ("two links", tar(&[link("a", b'2', "."), link("a/b", b'2', "..")]), "behind a link"),
            ("a hard link out", tar(&[link("d/a", b'1', "../x")]), "leads elsewhere"),
            ("a device", tar(&[entry("a", b'3', b"")]), "neither a file"),
            ("a pipe", tar(&[entry("a", b'6', b"")]), "neither a file"),
            ("holes of old", tar(&[entry("a", b'S', b"")]), "neither a file"),
            (
                "set-user-ID",
                tar(&[changed("a", b'0', b"", set(100, b"0004755"))]),
                "rights of its owner",
            ),
            (
                "capabilities",
                tar(&[pax(b'x', &["SCHILY.xattr.security.capability=x"]), harmless()]),
                "rights of its own",
            ),
            (
                "an extended name",
                tar(&[pax(b'x', &["path=../evil"]), harmless()]),
                "unpacked elsewhere",
            ),
            (
                "an extended link",
                tar(&[pax(b'x', &["linkpath=/etc"]), link("a", b'2', "b")]),
                "leads elsewhere",
            ),
            (
                "an extended name with a zero",
                tar(&[pax(b'x', &["path=../evil\0x"]), harmless()]),
                "cannot be seen",
            ),
            ("a name for all", tar(&[pax(b'g', &["path=../evil"]), harmless()]), "for all entries"),
            (
                "a name far behind",
                tar(&[entry("pax", b'x', far.as_bytes()), harmless()]),
                "longer name or header",
            ),
            (
                "a name of holes",
                tar(&[pax(b'x', &["GNU.sparse.name=../evil"]), harmless()]),
                "has holes",
            ),
            (
                "a broken header",
                tar(&[entry("pax", b'x', b"99 path=../evil\n"), harmless()]),
                "breaks off",
            ),
            (
                "a long name",
                tar(&[entry("x", b'L', b"../evil\0"), harmless()]),
                "unpacked elsewhere",
            ),
            (
                "named twice",
                tar(&[entry("x", b'L', b"good\0"), pax(b'x', &["path=good"]), harmless()]),
                "named twice",
            ),
            (
                "a prefix without a format",
                tar(&[changed("a", b'0', b"", |header| {
                    header[257..265].fill(0);
                    header[345..350].copy_from_slice(b"../..");
                })]),
                "beginning of a name",
            ),
            ("an entry in a directory", tar(&[entry("d", b'5', &evil())]), "cannot have"),
            (
                "an entry in a link",
                tar(&[changed("l", b'2', &evil(), set(157, b"a"))]),
                "cannot have",
            ),
            ("an entry in a directory of old", tar(&[entry("d/", 0, &evil())]), "cannot have"),
            (
                "a size behind a zero",
                tar(&[changed("a", b'0', &evil(), set(124, b"\0\x30000001000"))]),
                "no size",
            ),
            (
                "behind one empty record",
                [harmless(), vec![0; RECORD], tar(&[evil()])].concat(),
                "follows its end",
            ),
            ("behind the end", [tar(&[harmless()]), tar(&[evil()])].concat(), "follows its end"),
            (
                "a second stream",
                [packed(&tar(&[harmless()])), packed(&tar(&[evil()]))].concat(),
                "follows its end",
            ),
            ("broken off", tar(&[entry("a", b'0', b"one")])[..600].to_vec(), "end of file"),
            ("something else", b"BZh91AY&SY".repeat(60), "checksum"),
            ("zip: upwards", zip(&[zipped("../evil", b"")], b""), "unpacked elsewhere"),
            ("zip: a zero", zip(&[zipped("a\0/../../x", b"")], b""), "cannot be seen"),
            (
                "zip: a link out",
                zip(&[Zipped { mode: 0o120_777, ..zipped("a", b"/etc") }], b""),
                "leads elsewhere",
            ),
            (
                "zip: a link that is a directory",
                zip(&[Zipped { mode: 0o120_777, ..zipped("a/", b"/etc") }], b""),
                "neither a file",
            ),
            (
                "zip: a device",
                zip(&[Zipped { mode: 0o020_644, ..zipped("a", b"") }], b""),
                "neither a file",
            ),
            (
                "zip: set-user-ID",
                zip(&[Zipped { mode: 0o104_755, ..zipped("a", b"") }], b""),
                "rights of its owner",
            ),
            (
                "zip: another name of its own",
                zip(&[Zipped { own_name: Some("../evil".to_owned()), ..zipped("a", b"x") }], b""),
                "something else than the directory",
            ),
            (
                "zip: another method of its own",
                zip(&[Zipped { own_method: 8, ..zipped("a", b"x") }], b""),
                "something else than the directory",
            ),
            (
                "zip: a second name",
                zip(&[Zipped { extra: unicode, ..zipped("a", b"x") }], b""),
                "unpacked elsewhere",
            ),
            (
                "zip: one that is not listed",
                zip(&[zipped("a", b"x"), Zipped { before: ghost, ..zipped("b", b"y") }], b""),
                "does not name",
            ),
            (
                "zip: one behind the other",
                [zip(&[zipped("a", b"x")], b""), zip(&[], b"")].concat(),
                "does not end",
            ),
            ("zip: behind the end", zip(&[zipped("a", b"x")], b"more"), "does not end"),
            ("zip: broken off", zip(&[zipped("a", b"x")], b"")[..40].to_vec(), "no end"),
            ("a zip in a tar", both, "as well"),
        ];
        let mut through = Vec::new();
        for (what, bytes, expected) in cases {
            let found = said(&rules, &bytes);
            if !found.as_ref().is_err_and(|words| words.contains(expected)) {
                through.push(format!("{what}: {found:?}"));
            }
        }
        assert!(through.is_empty(), "{through:#?}");
    }

    #[test]
    fn archives_within_archives_are_looked_into() {
        let rules = ArchiveRules { bytes: 8 << 20, entries: 100, ..ArchiveRules::default() };
        let inner = |name: &str| tar(&[entry(name, b'0', b"one")]);
        let zeros = vec![0; 16 << 20];
        let bomb = packed(&zeros);
        let many: Vec<Zipped> = (0..99).map(|number| zipped(&number.to_string(), b"")).collect();
        let twice = tar(&[entry("b.tgz", b'0', &packed(&inner("c")))]);
        for (what, bytes) in [
            ("a tar in a tar", tar(&[entry("a.tar", b'0', &inner("x"))])),
            ("a zip in a tar", tar(&[entry("a.zip", b'0', &zip(&[zipped("a", b"x")], b""))])),
            ("two deep", tar(&[entry("a.tgz", b'0', &packed(&twice))])),
            ("a packed text", tar(&[entry("a.gz", b'0', &packed(b"text"))])),
            ("a jar in a zip", zip(&[zipped("a.jar", &zip(&[zipped("x", b"x")], b""))], b"")),
        ] {
            assert_eq!(said(&rules, &bytes), Ok(()), "{what}");
        }
        for (what, bytes, expected) in [
            ("a bomb in a tar", tar(&[entry("a.gz", b'0', &bomb)]), "too large"),
            ("a bomb in a zip", zip(&[zipped("innocent.txt", &bomb)], b""), "too large"),
            (
                "a bomb in a packed tar in a zip",
                zip(&[zipped("a.tgz", &packed(&tar(&[entry("a", b'0', &zeros)])))], b""),
                "too large",
            ),
            (
                "three deep",
                tar(&[entry("a.tgz", b'0', &packed(&tar(&[entry("d.tar", b'0', &twice)])))]),
                "deeper",
            ),
            (
                "many in one",
                tar(&[entry("x", b'0', b""), entry("a.zip", b'0', &zip(&many, b""))]),
                "too many",
            ),
            ("upwards within", tar(&[entry("a.tar", b'0', &inner("../../x"))]), "elsewhere"),
            (
                "a broken one",
                tar(&[entry("a.zip", b'0', b"PK\x03\x04 and no more")]),
                "cannot be read",
            ),
        ] {
            let found = said(&rules, &bytes);
            assert!(
                found.as_ref().is_err_and(|words| words.contains(expected)),
                "{what}: {found:?}"
            );
        }
        // What is much larger than what is packed is so, too, where it lies deeper.
        let grown = ArchiveRules { ratio: 20, ..ArchiveRules::default() };
        let found = said(&grown, &tar(&[entry("a.gz", b'0', &bomb)]));
        assert!(found.is_err_and(|words| words.contains("grows")));
    }

    #[test]
    fn nothing_is_unpacked_beyond_what_may_be() {
        let rules = ArchiveRules { bytes: 1 << 20, entries: 100, ..ArchiveRules::default() };
        let zeros = vec![0; 64 << 20];
        // Each is a few kilobytes, and would be 64 MB or more.
        let contents = packed(&tar(&[entry("a", b'0', &zeros)]));
        let named = packed(&tar(&[entry("pax", b'x', &zeros), entry("a", b'0', b"")]));
        let filled = packed(&[tar(&[entry("a", b'0', b"")]), zeros].concat());
        let overlapping = {
            let one = zip(&[zipped("a", &[b'x'; 4_000])], b"");
            let begin = 30 + 1 + 4_000;
            let (files, directory) = (&one[..begin], &one[begin..one.len() - 22]);
            let many = directory.repeat(90);
            let mut end = one[one.len() - 22..].to_vec();
            end[12..16].copy_from_slice(&u32::try_from(many.len()).unwrap().to_le_bytes());
            [files, &many, &end].concat()
        };
        let many: Vec<Zipped> = (0..200).map(|number| zipped(&number.to_string(), b"")).collect();
        let sized = tar(&[changed("a", b'0', b"x", |header| {
            header[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0]);
        })]);
        for (what, bytes, expected) in [
            ("contents", contents, "too large"),
            ("headers", named, "end of file"),
            ("filling", filled, "follows its end"),
            ("overlapping", overlapping, "does not name"),
            ("many", zip(&many, b""), "too many"),
            ("a size that is not there", sized, "end of file"),
        ] {
            let found = said(&rules, &bytes);
            assert!(
                found.as_ref().is_err_and(|words| words.contains(expected)),
                "{what}: {found:?}"
            );
        }
    }
}
