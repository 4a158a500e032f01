//! Archives that other programs would unpack elsewhere, and ordinary ones.

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
    changed(name, kind, b"", |header| header[157..157 + to.len()].copy_from_slice(to.as_bytes()))
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
        directory.extend_from_slice(&[short(file.name.len()), short(file.extra.len())].concat());
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
    let far = [record(&format!("comment={}", "x".repeat(70_000))), record("path=../evil")].concat();
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
        ("a long name", tar(&[entry("x", b'L', b"../evil\0"), harmless()]), "unpacked elsewhere"),
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
        ("an entry in a link", tar(&[changed("l", b'2', &evil(), set(157, b"a"))]), "cannot have"),
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
        ("a broken one", tar(&[entry("a.zip", b'0', b"PK\x03\x04 and no more")]), "cannot be read"),
    ] {
        let found = said(&rules, &bytes);
        assert!(found.as_ref().is_err_and(|words| words.contains(expected)), "{what}: {found:?}");
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
        assert!(found.as_ref().is_err_and(|words| words.contains(expected)), "{what}: {found:?}");
    }
}
