//! The list of the files of a snapshot as it lies on the disk. Owns the form: short, as fifty thousand files are written and read while an agent
//! waits. What a file begins with is left out where the one before it had it too. Whether it is a list of ours, the seal around it says.

use std::{collections::BTreeMap, ffi::OsStr, os::unix::ffi::OsStrExt as _, path::Path, thread};

use super::Kept;
use crate::tree::{Kind, Node};

/// What a list begins with: what it is and its version.
const MARK: &[u8] = b"portcullis files 1\n";

/// The kinds, by their numbers.
const KINDS: [Kind; 6] =
    [Kind::File, Kind::Folder, Kind::Link, Kind::Pipe, Kind::Socket, Kind::Device];

/// What of a file there is, as bits behind its kind.
const HASH: u8 = 1 << 3;
const TARGET: u8 = 1 << 4;
const ATTRIBUTES: u8 = 1 << 5;
const OBJECT: u8 = 1 << 6;

/// How many bytes a file takes at least.
const LEAST: usize = 16;

/// From how many files on two halves are written at once.
const MANY: usize = 5000;

/// Writes a list.
pub(super) fn write(files: &[Kept]) -> Vec<u8> {
    let mut list = Vec::with_capacity(MARK.len() + files.len() * 96);
    list.extend_from_slice(MARK);
    put(&mut list, files.len() as u64);
    let (first, second) = files.split_at(if files.len() < MANY { 0 } else { files.len() / 2 });
    let rest = thread::scope(|scope| {
        let written = || {
            let mut rest = Vec::with_capacity(second.len() * 96);
            put_all(&mut rest, first, second);
            rest
        };
        let other = thread::Builder::new();
        let other = (!first.is_empty()).then(|| other.spawn_scoped(scope, written).ok()).flatten();
        put_all(&mut list, &[], first);
        other.and_then(|other| other.join().ok())
    });
    match rest {
        Some(rest) => list.extend_from_slice(&rest),
        // There is no other half, or nobody could be had for it.
        None => put_all(&mut list, first, second),
    }
    list
}

/// Writes files that follow others.
fn put_all(list: &mut Vec<u8>, before: &[Kept], files: &[Kept]) {
    let mut path = before.last().map_or(&b""[..], |kept| kept.path.as_os_str().as_bytes());
    let mut object = before.iter().rev().find_map(|kept| kept.object.as_deref()).unwrap_or("");
    for Kept { path: own, node, object: kept } in files {
        let own = own.as_os_str().as_bytes();
        put_behind(list, path, own);
        path = own;
        let Node {
            kind,
            mode,
            user,
            group,
            length,
            modified,
            changed,
            names,
            number,
            device,
            sha256,
            target,
            attributes,
        } = node;
        let hash = sha256.as_ref().and_then(|hash| hash_of(hash));
        let kind = KINDS.iter().position(|one| one == kind).unwrap_or_default();
        let bits = [
            (HASH, hash.is_some()),
            (TARGET, target.is_some()),
            (ATTRIBUTES, !attributes.is_empty()),
            (OBJECT, kept.is_some()),
        ];
        let bits = bits.into_iter().filter(|(_, is_there)| *is_there).map(|(bit, _)| bit);
        list.push(bits.fold(kind.to_le_bytes()[0], |all, bit| all | bit));
        for one in [u64::from(*mode), (*user).into(), (*group).into(), *length, *names, *device] {
            put(list, one);
        }
        for (seconds, nanoseconds) in [modified, changed] {
            put(list, seconds.cast_unsigned());
            put(list, *nanoseconds);
        }
        put(list, number.0);
        put(list, number.1);
        list.extend(hash.into_iter().flatten());
        if let Some(target) = target {
            put_text(list, target.as_bytes());
        }
        if !attributes.is_empty() {
            put(list, attributes.len() as u64);
            for (name, value) in attributes {
                put_text(list, name.as_bytes());
                put_text(list, value.as_bytes());
            }
        }
        if let Some(kept) = kept {
            put_behind(list, object.as_bytes(), kept.as_bytes());
            object = kept;
        }
    }
}

/// Reads a list; nothing where it is none, or more than one.
pub(super) fn read(list: &[u8]) -> Option<Vec<Kept>> {
    let mut entries = Entries::of(list)?;
    let mut files = Vec::with_capacity(entries.left.min(list.len() / LEAST));
    while let Some(entry) = entries.next() {
        files.push(entry.kept()?);
    }
    entries.is_whole().then_some(files)
}

/// The files of a list, one after the other, each as it lies there.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    /// How many are still to come.
    left: usize,
    path: Vec<u8>,
    object: Vec<u8>,
}

/// One file of a list.
pub(super) struct Entry<'a> {
    path: &'a [u8],
    /// What stood there, without the hash of its content.
    pub(super) node: Node,
    hash: Option<&'a [u8; 32]>,
    object: Option<&'a [u8]>,
}

impl<'a> Entries<'a> {
    /// Those of a list; nothing where it is none.
    pub(super) fn of(list: &'a [u8]) -> Option<Self> {
        let mut rest = list.strip_prefix(MARK)?;
        let left = usize::try_from(taken(&mut rest)?).ok()?;
        Some(Self { rest, left, path: Vec::new(), object: Vec::new() })
    }

    /// The next one; none where there is none, or no more can be read.
    pub(super) fn next(&mut self) -> Option<Entry<'_>> {
        if self.left == 0 {
            return None;
        }
        let Self { rest, path, object, .. } = self;
        behind(rest, path)?;
        let (bits, others) = rest.split_first()?;
        *rest = others;
        let kind = *KINDS.get(usize::from(bits & 7))?;
        let number = |rest: &mut &[u8]| taken(rest);
        let small = |rest: &mut &[u8]| u32::try_from(taken(rest)?).ok();
        let (mode, user, group) = (small(rest)?, small(rest)?, small(rest)?);
        let (length, names, device) = (number(rest)?, number(rest)?, number(rest)?);
        let time = |rest: &mut &[u8]| Some((number(rest)?.cast_signed(), number(rest)?));
        let (modified, changed) = (time(rest)?, time(rest)?);
        let number = (number(rest)?, number(rest)?);
        let mut hash = None;
        if bits & HASH != 0 {
            let (found, others) = rest.split_first_chunk::<32>()?;
            *rest = others;
            hash = Some(found);
        }
        let target = if bits & TARGET == 0 { None } else { Some(text(rest)?) };
        let mut attributes = BTreeMap::new();
        if bits & ATTRIBUTES != 0 {
            for _ in 0..taken(rest)? {
                attributes.insert(text(rest)?, text(rest)?);
            }
        }
        let mut kept = None;
        if bits & OBJECT != 0 {
            behind(rest, object)?;
            kept = Some(object.as_slice());
        }
        #[rustfmt::skip]
        let node = Node { kind, mode, user, group, length, modified, changed, names, number, device, sha256: None, target, attributes };
        self.left -= 1;
        Some(Entry { path, node, hash, object: kept })
    }

    /// Where the last one stood that was read.
    pub(super) fn last(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Whether all of it was read, and nothing else stands there.
    pub(super) fn is_whole(&self) -> bool {
        self.left == 0 && self.rest.is_empty()
    }
}

impl Entry<'_> {
    /// Where it stood.
    pub(super) fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path))
    }

    /// The name of its content among those that are kept.
    pub(super) fn object(&self) -> Option<&str> {
        std::str::from_utf8(self.object?).ok()
    }

    /// Puts what is known of a file in the place of what was found of it.
    pub(super) fn recognized_as(self, kept: &mut Kept) {
        kept.object = self.object().map(str::to_owned);
        kept.node = Node { sha256: self.hash.map(text_of), ..self.node };
    }

    /// All of it; nothing where the name of its content is none.
    pub(super) fn kept(self) -> Option<Kept> {
        let path = self.path().to_owned();
        let object = self.object().map(str::to_owned);
        let is_read = object.is_some() == self.object.is_some();
        let node = Node { sha256: self.hash.map(text_of), ..self.node };
        is_read.then_some(Kept { path, node, object })
    }
}

/// The bytes of a hash as it is written; what is no such hash is left out, as one that is not known.
fn hash_of(text: &str) -> Option<[u8; 32]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let pairs: &[[u8; 2]; 32] = pairs.try_into().ok()?;
    let mut bytes = [0; 32];
    let mut wrong = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (value_of(*high), value_of(*low));
        wrong |= high | low;
        *byte = high << 4 | low & 0x0f;
    }
    (wrong < 0x10).then_some(bytes)
}

/// What a digit stands for, sixteen or more where it is none.
const fn value_of(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => 0xf0,
    }
}

/// The text of a hash.
fn text_of(hash: &[u8; 32]) -> String {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' - 10 + value };
    let mut text = [0; 64];
    let (pairs, _) = text.as_chunks_mut::<2>();
    for (pair, byte) in pairs.iter_mut().zip(hash) {
        *pair = [digit(byte >> 4), digit(byte & 0x0f)];
    }
    String::from_utf8(text.to_vec()).unwrap_or_default()
}

/// A number, seven bits in each byte, the lowest first.
fn put(list: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        list.push((number & 0x7f | 0x80).to_le_bytes()[0]);
        number >>= 7;
    }
    list.push(number.to_le_bytes()[0]);
}

fn put_text(list: &mut Vec<u8>, text: &[u8]) {
    put(list, text.len() as u64);
    list.extend_from_slice(text);
}

/// A text of which what it shares with the one before is left out.
fn put_behind(list: &mut Vec<u8>, before: &[u8], text: &[u8]) {
    let shared = shared(before, text);
    put(list, shared as u64);
    put_text(list, text.get(shared..).unwrap_or_default());
}

/// How much two texts have in common at their beginning: eight bytes at once, as long as they are the same.
fn shared(one: &[u8], other: &[u8]) -> usize {
    let (ones, _) = one.as_chunks::<8>();
    let (others, _) = other.as_chunks::<8>();
    let whole = 8 * ones.iter().zip(others).take_while(|(one, other)| one == other).count();
    let one = one.get(whole..).unwrap_or_default();
    let other = other.get(whole..).unwrap_or_default();
    whole + one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn taken(rest: &mut &[u8]) -> Option<u64> {
    // Most numbers are short.
    if let Some((byte, others)) = rest.split_first()
        && byte & 0x80 == 0
    {
        *rest = others;
        return Some(u64::from(*byte));
    }
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (byte, others) = rest.split_first()?;
        *rest = others;
        let part = u64::from(byte & 0x7f);
        number |= part.checked_shl(shift).filter(|shifted| shifted >> shift == part)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

fn bytes_of<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(taken(rest)?).ok()?;
    let (bytes, others) = rest.split_at_checked(length)?;
    *rest = others;
    Some(bytes)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(bytes_of(rest)?.to_vec()).ok()
}

/// Makes of the text before what stands there.
fn behind(rest: &mut &[u8], text: &mut Vec<u8>) -> Option<()> {
    let shared = usize::try_from(taken(rest)?).ok().filter(|shared| *shared <= text.len())?;
    text.truncate(shared);
    text.extend_from_slice(bytes_of(rest)?);
    Some(())
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt as _, path::PathBuf};

    use proptest::prelude::*;

    use super::*;

    fn kept() -> impl Strategy<Value = Kept> {
        let path = prop::collection::vec(1_u8.., 0..40)
            .prop_map(|bytes| PathBuf::from(OsString::from_vec(bytes)));
        let hash = prop::option::of("[0-9a-f]{64}");
        let texts = (hash, prop::option::of(".{0,20}"), prop::option::of("[0-9a-f-]{0,40}"));
        let attributes = prop::collection::btree_map("user\\..{0,8}", "[0-9a-f]{0,8}", 0..3);
        let times = (any::<(i64, u64)>(), any::<(i64, u64)>());
        let numbers = (any::<(u32, u32, u32)>(), any::<(u64, u64, u64)>(), any::<(u64, u64)>());
        (path, 0..KINDS.len(), texts, attributes, times, numbers).prop_map(
            |(path, kind, (sha256, target, object), attributes, (modified, changed), numbers)| {
                let ((mode, user, group), (length, names, device), number) = numbers;
                let kind = KINDS[kind];
                #[rustfmt::skip]
                let node = Node { kind, mode, user, group, length, modified, changed, names, number, device, sha256, target, attributes };
                Kept { path, node, object }
            },
        )
    }

    #[test]
    fn a_long_list_that_two_write_is_read_back_too() {
        let file = |number: usize| {
            let path = PathBuf::from(format!("a/{:03}/{number:06}", number / 90));
            #[rustfmt::skip]
            let node = Node { kind: Kind::File, mode: 0o644, user: 0, group: 0, length: 1, modified: (1, 1), changed: (1, 1), names: 1, number: (1, number as u64), device: 0, sha256: None, target: None, attributes: BTreeMap::new() };
            let object = (number % 4_000 < 2_000).then(|| format!("1-0123456789abcdef-{number:x}"));
            Kept { path, node, object }
        };
        for count in [MANY - 1, MANY, 3 * MANY] {
            let files: Vec<Kept> = (0..count).map(file).collect();
            assert_eq!(read(&write(&files)), Some(files));
        }
    }

    #[test]
    fn what_is_no_hash_is_left_out() {
        let hash = data_encoding::HEXLOWER.encode(&[0x0f, 0xa5].repeat(16));
        assert_eq!(hash_of(&hash).map(|bytes| text_of(&bytes)), Some(hash.clone()));
        for at in 0..64 {
            for other in ["A", "g", "G", " ", "/", ":", "`", "\u{f0}"] {
                let mut wrong = hash.clone();
                wrong.replace_range(at..=at, other);
                assert_eq!(hash_of(&wrong), None, "{wrong}");
            }
        }
        assert_eq!(hash_of(hash.get(2..).unwrap_or_default()), None);
        assert_eq!(hash_of(&format!("{hash}00")), None);
    }

    proptest! {
        #[test]
        fn what_two_texts_share_is_what_their_bytes_do(one in "a{0,20}b?a{0,9}", other in "a{0,20}b?a{0,9}") {
            let bytes = one.bytes().zip(other.bytes());
            let expected = bytes.take_while(|(one, other)| one == other).count();
            prop_assert_eq!(shared(one.as_bytes(), other.as_bytes()), expected);
        }

        #[test]
        fn a_list_is_read_back_as_it_was(files in prop::collection::vec(kept(), 0..20)) {
            prop_assert_eq!(read(&write(&files)), Some(files));
        }

        #[test]
        fn what_was_cut_or_changed_is_read_within_its_bounds(
            files in prop::collection::vec(kept(), 0..6),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut list = write(&files);
            let at = at.index(list.len());
            prop_assert_eq!(read(&list[..at]), None);
            list[at] = byte;
            let _ = read(&list);
            list.push(0);
            let _ = read(&list);
        }
    }
}
