use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, process::Command};

use flate2::{Compression, write::ZlibEncoder};
use proptest::prelude::*;

use super::*;

/// The beginning of an object of a kind and a length.
fn head(kind: u8, mut length: u64) -> Vec<u8> {
    let mut bytes = vec![kind << 4 | (length & 0x0f) as u8];
    length >>= 4;
    while length > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push((length & 0x7f) as u8);
        length >>= 7;
    }
    bytes
}

fn squeezed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn content(bytes: &[u8]) -> Vec<u8> {
    [head(3, bytes.len() as u64), squeezed(bytes)].concat()
}

/// A delta on the object of a name.
fn delta_on(id: u8, delta: &[u8]) -> Vec<u8> {
    [head(7, delta.len() as u64), vec![id; index::ID], squeezed(delta)].concat()
}

/// A delta on what begins so many bytes before it.
fn delta_behind(back: u8, delta: &[u8]) -> Vec<u8> {
    [head(6, delta.len() as u64), vec![back], squeezed(delta)].concat()
}

/// The name of an object, a byte twenty times, and its bytes.
type Object = (u8, Vec<u8>);

/// A pack of objects whose names are a byte each, twenty times.
fn pack(objects: &[Object]) -> (Vec<u8>, Vec<u8>) {
    let mut pack = b"PACK\0\0\0\x02\0\0\0\x01".to_vec();
    let mut offsets = BTreeMap::new();
    for (id, bytes) in objects {
        offsets.insert(*id, pack.len() as u32);
        pack.extend(bytes);
    }
    (pack, index_of(&offsets))
}

fn index_of(offsets: &BTreeMap<u8, u32>) -> Vec<u8> {
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..=255 {
        index.extend((offsets.range(..=first).count() as u32).to_be_bytes());
    }
    offsets.keys().for_each(|id| index.extend([*id; index::ID]));
    offsets.keys().for_each(|_| index.extend([0; 4]));
    offsets.values().for_each(|offset| index.extend(offset.to_be_bytes()));
    index.extend([0; 40]);
    index
}

fn opened_of((pack, index): (Vec<u8>, Vec<u8>)) -> Option<Packed> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&pack).unwrap();
    Some(Packed::new(0, file, Index::of(index)?))
}

/// What is unpacked of the object of a name.
fn unpacked(objects: &[Object], id: u8, length: u64) -> Option<Vec<u8>> {
    let packed = opened_of(pack(objects)).unwrap();
    let offset = packed.offset(&[id; index::ID])?;
    Some(packed.content(&mut Unpacker::default(), offset, length)?.to_vec())
}

#[test]
fn contents_and_deltas_are_unpacked() {
    let base = (1, content(b"hello world"));
    // Eleven bytes become eight: five of the base, and three new ones.
    let delta = b"\x0b\x08\x90\x05\x03new";
    let objects = [base, (2, delta_on(1, delta))];
    assert_eq!(unpacked(&objects, 1, 11).unwrap(), b"hello world");
    assert_eq!(unpacked(&objects, 2, 8).unwrap(), b"hellonew");
    let back = objects[0].1.len() as u8;
    let objects = [objects[0].clone(), (2, delta_behind(back, delta))];
    assert_eq!(unpacked(&objects, 2, 8).unwrap(), b"hellonew");
    assert_eq!(unpacked(&objects, 3, 8), None);
    assert_eq!(unpacked(&[(0, content(b""))], 0, 0).unwrap(), b"");
}

#[test]
fn what_does_not_fit_is_not_there() {
    let base = || (1, content(b"hello world"));
    let cut = |mut bytes: Vec<u8>, left: usize| {
        bytes.truncate(left);
        bytes
    };
    let zeros = vec![0; 17 << 20];
    let cases: Vec<(&str, Vec<Object>, u64)> = vec![
        ("another length", vec![(2, content(b"hello"))], 6),
        ("more than it says", vec![(2, [head(3, 5), squeezed(b"hello world")].concat())], 5),
        ("less than it says", vec![(2, [head(3, 50), squeezed(b"hello")].concat())], 50),
        ("no end of it", vec![(2, [head(3, 1 << 20), squeezed(&zeros)].concat())], 1 << 20),
        ("longer than is unpacked", vec![(2, content(&zeros))], 17 << 20),
        ("longer than can be", vec![(2, [head(3, u64::MAX), squeezed(b"x")].concat())], u64::MAX),
        ("a length without an end", vec![(2, vec![0xff; 64])], 5),
        ("a commit", vec![(2, [head(1, 5), squeezed(b"hello")].concat())], 5),
        ("no kind", vec![(2, [head(5, 5), squeezed(b"hello")].concat())], 5),
        ("cut in its bytes", vec![(2, cut(content(b"hello world, hello world"), 12))], 24),
        ("cut in its beginning", vec![(2, vec![0xb0])], 5),
        ("no zlib", vec![(2, [head(3, 5), b"hello".to_vec()].concat())], 5),
        ("on itself", vec![(2, delta_on(2, b"\x0b\x05\x90\x05"))], 5),
        (
            "on each other",
            vec![(2, delta_on(3, b"\x05\x05\x90\x05")), (3, delta_on(2, b"\x05\x05\x90\x05"))],
            5,
        ),
        ("on nothing", vec![(2, delta_on(9, b"\x0b\x05\x90\x05"))], 5),
        ("on itself by its place", vec![(2, delta_behind(0, b"\x0b\x05\x90\x05"))], 5),
        ("on what is before all", vec![(2, delta_behind(100, b"\x0b\x05\x90\x05"))], 5),
        ("on another length", vec![base(), (2, delta_on(1, b"\x0a\x05\x90\x05"))], 5),
        ("beyond the base", vec![base(), (2, delta_on(1, b"\x0b\x05\x91\x0a\x05"))], 5),
        ("no order", vec![base(), (2, delta_on(1, b"\x0b\x05\x00\x90\x05"))], 5),
        ("more than wanted", vec![base(), (2, delta_on(1, b"\x0b\x05\x90\x06"))], 5),
        ("less than wanted", vec![base(), (2, delta_on(1, b"\x0b\x05\x90\x04"))], 5),
        ("cut in an order", vec![base(), (2, delta_on(1, b"\x0b\x05\x05ab"))], 5),
        ("a length that none is", vec![base(), (2, delta_on(1, &[0xff; 20]))], 5),
        (
            "more than is unpacked",
            vec![base(), (2, delta_on(1, b"\x0b\xff\xff\xff\xff\x0f\x90\x05"))],
            5,
        ),
    ];
    for (what, objects, length) in cases {
        assert_eq!(unpacked(&objects, 2, length).map(|bytes| bytes.len()), None, "{what}");
    }
    // A chain is followed as far as git makes them, and not without an end.
    let chain = |length: u8| -> Vec<Object> {
        let same = b"\x0b\x0b\x90\x0b";
        let others = (1..=length).map(|id| (id, delta_on(id - 1, same)));
        [(0, content(b"hello world"))].into_iter().chain(others).collect()
    };
    assert_eq!(unpacked(&chain(60), 60, 11).unwrap(), b"hello world");
    assert_eq!(unpacked(&chain(250), 250, 11), None);
}

#[test]
fn an_index_is_read_within_its_bounds() {
    let (_, index) = pack(&[(7, content(b"a")), (200, content(b"b"))]);
    for length in 0..index.len() {
        assert!(Index::of(index[..length].to_vec()).is_none(), "{length}");
    }
    let mut first = index.clone();
    first[7] = 1;
    assert!(Index::of(first).is_none());
    let mut many = index;
    many[8 + 255 * 4..8 + 256 * 4].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(Index::of(many).is_none());
    // An offset that leads to a table of long ones that is not there.
    let long = index_of(&BTreeMap::from([(7, 1 << 31 | 12_345)]));
    assert_eq!(Index::of(long).unwrap().offset(&[7; index::ID]), None);
}

#[test]
fn the_name_of_a_content_tells_where_it_lies_and_nothing_else_passes_for_one() {
    let version = Version { pack: "0123456789abcdef".to_owned(), offset: 99, length: 131_072 };
    assert_eq!(Version::of(&version.name()), Some(version));
    for other in [
        "",
        "2",
        "2-../../../../../etc-1-1",
        "2-0123456789abcdef-1-1-1",
        "2-0123456789abcdef-1-fffffff",
        "1-0123456789abcdef-1-1",
    ] {
        assert_eq!(Version::of(other), None, "{other}");
    }
}

/// A repository whose versions of a file stand on each other, packed as options say; none where there is no git.
fn repository(options: &str) -> Option<tempfile::TempDir> {
    let place = tempfile::tempdir().unwrap();
    let mut script =
        "git init -q . && git config user.name a && git config user.email a@b.c".to_owned();
    for version in 0..12 {
        let lines: String =
            (0..200).map(|line| format!("{line} {}\\n", line * version / 9)).collect();
        write!(script, " && printf '{lines}' > a && git add a && git commit -qm {version}")
            .unwrap();
    }
    write!(script, " && git {options} repack -qadf --depth=50 && git prune-packed").unwrap();
    let run = Command::new("sh").args(["-c", &script]).current_dir(place.path()).output();
    run.ok().filter(|output| output.status.success())?;
    Some(place)
}

fn git(place: &Path, words: &[&str]) -> Vec<u8> {
    Command::new("git").args(words).current_dir(place).output().unwrap().stdout
}

#[test]
fn what_git_packed_is_found_and_read_as_git_reads_it() {
    for options in ["-c repack.useDeltaBaseOffset=true", "-c repack.useDeltaBaseOffset=false"] {
        let Some(place) = repository(options) else { return };
        let kept = tempfile::tempdir().unwrap();
        let versions = Versions::of(kept.path(), place.path(), 1 << 20, Copying::Alone);
        let open = Open::default();
        let all = git(place.path(), &["rev-list", "--objects", "--all", "--", "a"]);
        let all = String::from_utf8(all).unwrap();
        let ids: Vec<&str> = all.lines().filter_map(|line| line.strip_suffix(" a")).collect();
        assert_eq!(ids.len(), 12);
        let mut look = versions.look();
        for id in &ids {
            let bytes = git(place.path(), &["cat-file", "blob", id]);
            let name = look.held(&bytes).unwrap();
            let version = Version::of(&name).unwrap();
            assert!(open.has(kept.path(), &version));
            assert_eq!(*open.read(kept.path(), &version).unwrap(), bytes);
        }
        assert_eq!(look.held(b"what nobody committed"), None);
        // Also from another directory of the repository, and from another work tree of it.
        fs::create_dir(place.path().join("sub")).unwrap();
        let other = tempfile::tempdir().unwrap();
        let tree = other.path().join("tree");
        git(place.path(), &["worktree", "add", "-q", tree.to_str().unwrap()]);
        let bytes = fs::read(tree.join("a")).unwrap();
        let borrowing = other.path().join("borrowing");
        git(other.path(), &["clone", "-q", "-s", place.path().to_str().unwrap(), "borrowing"]);
        for workspace in [place.path().join("sub"), tree, borrowing] {
            let versions = Versions::of(kept.path(), &workspace, 0, Copying::Alone);
            assert!(versions.look().held(&bytes).is_some(), "{}", workspace.display());
        }
        // There is one copy of the pack, whoever asks.
        assert_eq!(names(kept.path()).len(), 1);
    }
}

#[test]
fn a_pack_is_copied_where_that_is_cheaper_than_its_contents_alone() {
    let Some(place) = repository("") else { return };
    let kept = tempfile::tempdir().unwrap();
    // Without reflinks no byte is copied; with them, no byte has to be.
    let bytes = fs::read(place.path().join("a")).unwrap();
    let held = Versions::of(kept.path(), place.path(), 0, Copying::Alone).look().held(&bytes);
    assert_eq!(held.is_some(), names(kept.path()).len() == 1);
    let pipe = place.path().join(".git/objects/pack/pack-00.pack");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.path().join(".git/objects/pack/pack-01.pack"))
        .unwrap();
    assert!(
        Versions::of(kept.path(), place.path(), 1 << 20, Copying::Alone)
            .look()
            .held(&bytes)
            .is_some()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_pack_that_somebody_changed_holds_what_it_says_or_nothing(
        changes in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let contents: Vec<Vec<u8>> = (0..6).map(|id| format!("content {id} ").repeat(20).into_bytes()).collect();
        let mut objects: Vec<Object> = Vec::new();
        for (id, bytes) in contents.iter().enumerate() {
            objects.push((id as u8, content(bytes)));
            objects.push((id as u8 + 100, delta_on(id as u8, b"\xdc\x01\x05\x90\x05")));
        }
        let (mut packed, mut index) = pack(&objects);
        for (in_index, at, byte) in changes {
            let bytes = if in_index { &mut index } else { &mut packed };
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(packed) = opened_of((packed, index)) {
            let mut unpacker = Unpacker::default();
            for (id, _) in &objects {
                if let Some(offset) = packed.offset(&[*id; index::ID]) {
                    for length in [5, 220] {
                        let there = packed.content(&mut unpacker, offset, length);
                        prop_assert!(there.is_none_or(|bytes| bytes.len() as u64 == length));
                    }
                }
            }
        }
    }
}
