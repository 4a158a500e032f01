//! The list of the files of a snapshot as it lies on the disk. Owns the form: short, as fifty thousand files are written and read while an agent
//! waits. What a file begins with is left out where the one before it had it too. Whether it is a list of ours, the seal around it says.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::PathBuf,
};

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

/// Writes a list.
pub(super) fn write(files: &[Kept]) -> Vec<u8> {
    let mut list = Vec::with_capacity(MARK.len() + files.len() * 96);
    list.extend_from_slice(MARK);
    put(&mut list, files.len() as u64);
    let (mut path, mut object): (&[u8], &str) = (b"", "");
    for Kept { path: own, node, object: kept } in files {
        let own = own.as_os_str().as_bytes();
        put_behind(&mut list, path, own);
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
            put(&mut list, one);
        }
        for (seconds, nanoseconds) in [modified, changed] {
            put(&mut list, seconds.cast_unsigned());
            put(&mut list, *nanoseconds);
        }
        put(&mut list, number.0);
        put(&mut list, number.1);
        list.extend(hash.into_iter().flatten());
        if let Some(target) = target {
            put_text(&mut list, target.as_bytes());
        }
        if !attributes.is_empty() {
            put(&mut list, attributes.len() as u64);
            for (name, value) in attributes {
                put_text(&mut list, name.as_bytes());
                put_text(&mut list, value.as_bytes());
            }
        }
        if let Some(kept) = kept {
            put_behind(&mut list, object.as_bytes(), kept.as_bytes());
            object = kept;
        }
    }
    list
}

/// Reads a list; nothing where it is none, or more than one.
pub(super) fn read(list: &[u8]) -> Option<Vec<Kept>> {
    let mut rest = list.strip_prefix(MARK)?;
    let count = usize::try_from(taken(&mut rest)?).ok()?;
    let mut files = Vec::with_capacity(count.min(list.len() / LEAST));
    let (mut path, mut object) = (Vec::new(), Vec::new());
    for _ in 0..count {
        behind(&mut rest, &mut path)?;
        let (bits, others) = rest.split_first()?;
        rest = others;
        let kind = *KINDS.get(usize::from(bits & 7))?;
        let number = |rest: &mut &[u8]| taken(rest);
        let small = |rest: &mut &[u8]| u32::try_from(taken(rest)?).ok();
        let (mode, user, group) = (small(&mut rest)?, small(&mut rest)?, small(&mut rest)?);
        let (length, names, device) = (number(&mut rest)?, number(&mut rest)?, number(&mut rest)?);
        let time = |rest: &mut &[u8]| Some((number(rest)?.cast_signed(), number(rest)?));
        let (modified, changed) = (time(&mut rest)?, time(&mut rest)?);
        let number = (number(&mut rest)?, number(&mut rest)?);
        let mut sha256 = None;
        if bits & HASH != 0 {
            let (hash, others) = rest.split_first_chunk::<32>()?;
            rest = others;
            sha256 = Some(data_encoding::HEXLOWER.encode(hash));
        }
        let target = if bits & TARGET == 0 { None } else { Some(text(&mut rest)?) };
        let mut attributes = BTreeMap::new();
        if bits & ATTRIBUTES != 0 {
            for _ in 0..taken(&mut rest)? {
                attributes.insert(text(&mut rest)?, text(&mut rest)?);
            }
        }
        let mut kept = None;
        if bits & OBJECT != 0 {
            behind(&mut rest, &mut object)?;
            kept = Some(String::from_utf8(object.clone()).ok()?);
        }
        let path = PathBuf::from(OsString::from_vec(path.clone()));
        #[rustfmt::skip]
        let node = Node { kind, mode, user, group, length, modified, changed, names, number, device, sha256, target, attributes };
        files.push(Kept { path, node, object: kept });
    }
    rest.is_empty().then_some(files)
}

/// The bytes of a hash as it is written; what is no such hash is left out, as one that is not known.
fn hash_of(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let is_whole = data_encoding::HEXLOWER.decode_len(text.len()) == Ok(bytes.len())
        && data_encoding::HEXLOWER.decode_mut(text.as_bytes(), &mut bytes).is_ok();
    is_whole.then_some(bytes)
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
    let shared = before.iter().zip(text).take_while(|(one, other)| one == other).count();
    put(list, shared as u64);
    put_text(list, text.get(shared..).unwrap_or_default());
}

fn taken(rest: &mut &[u8]) -> Option<u64> {
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

    proptest! {
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
