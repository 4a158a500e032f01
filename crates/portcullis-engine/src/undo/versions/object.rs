//! Contents in a pack of git. Owns that whatever somebody wrote there is read within bounds of length, depth and memory: what does not fit is not
//! there. Sums are not held against anything here; whoever asks knows the content, or its hash.

use std::{collections::HashMap, fs::File, os::unix::fs::FileExt as _, sync::Arc};

use flate2::{Decompress, FlushDecompress, Status};

use super::index::{ID, Index};

/// The longest object that is unpacked, and the most that is unpacked on the way to one.
const LONGEST: u64 = 16 << 20;
const MOST: u64 = 64 << 20;

/// How many deltas may stand on one another. Git makes 50 at most by itself.
const DEEPEST: usize = 128;

/// How much of what others stand on is kept at hand.
const AT_HAND: usize = 16 << 20;

/// How much is read at once, first and then.
const PORTION: usize = 4 << 10;
const PORTIONS: usize = 64 << 10;

/// The longest beginning of an object: its kind and length, and what it stands on.
const HEAD: usize = 48;

/// A pack, open.
pub(super) struct Packed {
    /// By which what is kept at hand of it is told from that of others.
    number: u64,
    file: File,
    index: Index,
}

/// What reading takes, kept from one object to the next.
pub(super) struct Unpacker {
    machine: Decompress,
    input: Vec<u8>,
    bases: HashMap<(u64, u64), Arc<Vec<u8>>>,
    held: usize,
}

impl Default for Unpacker {
    fn default() -> Self {
        let machine = Decompress::new(true);
        Self { machine, input: Vec::new(), bases: HashMap::new(), held: 0 }
    }
}

/// What stands at the beginning of an object.
struct Head {
    kind: Of,
    length: u64,
    /// Where its bytes begin.
    data: u64,
}

enum Of {
    /// A file's content.
    Content,
    /// What is left to do on the object there.
    Delta(u64),
}

impl Packed {
    pub(super) const fn new(number: u64, file: File, index: Index) -> Self {
        Self { number, file, index }
    }

    /// Where an object begins by the word of the index.
    pub(super) fn offset(&self, id: &[u8; ID]) -> Option<u64> {
        self.index.offset(id)
    }

    /// The content of a length that begins there; none where something else does.
    pub(super) fn content(
        &self,
        with: &mut Unpacker,
        offset: u64,
        length: u64,
    ) -> Option<Arc<Vec<u8>>> {
        let (mut at, mut unpacked) = (offset, 0_u64);
        let mut deltas: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut content = loop {
            if let Some(known) = with.bases.get(&(self.number, at)) {
                break Arc::clone(known);
            }
            let head = self.head(at)?;
            unpacked = unpacked.checked_add(head.length)?;
            if head.length > LONGEST || unpacked > MOST || deltas.len() > DEEPEST {
                return None;
            }
            match head.kind {
                Of::Content if deltas.is_empty() && head.length != length => return None,
                Of::Content => {
                    let content = Arc::new(self.inflated(with, &head)?);
                    if !deltas.is_empty() {
                        with.keep((self.number, at), &content);
                    }
                    break content;
                }
                Of::Delta(base) => {
                    deltas.push((at, self.inflated(with, &head)?));
                    at = base;
                }
            }
        };
        while let Some((at, delta)) = deltas.pop() {
            let room = MOST.saturating_sub(unpacked).min(LONGEST);
            content = Arc::new(applied(&content, &delta, room)?);
            unpacked = unpacked.saturating_add(content.len() as u64);
            with.keep((self.number, at), &content);
        }
        (content.len() as u64 == length).then_some(content)
    }

    fn head(&self, offset: u64) -> Option<Head> {
        let mut room = [0; HEAD];
        let count = read(&self.file, &mut room, offset)?;
        let mut bytes = room.get(..count)?.iter().copied();
        let first = bytes.next()?;
        let mut length = u64::from(first & 0x0f);
        let (mut shift, mut more) = (4, first & 0x80 != 0);
        while more {
            let byte = bytes.next()?;
            let part = u64::from(byte & 0x7f);
            // What is longer than can be counted is longer than is unpacked.
            length |= part.checked_shl(shift).filter(|shifted| shifted >> shift == part)?;
            shift += 7;
            more = byte & 0x80 != 0;
        }
        let kind = match first >> 4 & 7 {
            3 => Of::Content,
            6 => {
                let mut byte = bytes.next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = bytes.next()?;
                    back = back.checked_add(1)?.checked_mul(128)?;
                    back |= u64::from(byte & 0x7f);
                }
                Of::Delta(offset.checked_sub(back).filter(|_| back > 0)?)
            }
            7 => {
                let id: Vec<u8> = bytes.by_ref().take(ID).collect();
                Of::Delta(self.index.offset(id.first_chunk()?)?)
            }
            // A commit, a tree, a tag: no file's content.
            _ => return None,
        };
        let data = offset.checked_add((count - bytes.len()) as u64)?;
        Some(Head { kind, length, data })
    }

    fn inflated(&self, with: &mut Unpacker, head: &Head) -> Option<Vec<u8>> {
        let length = usize::try_from(head.length).ok()?;
        // With room for a byte too many the end is seen in one step, and what is longer is noticed.
        let mut content = Vec::with_capacity(length + 1);
        let (machine, input) = (&mut with.machine, &mut with.input);
        machine.reset(true);
        let mut from = head.data;
        loop {
            input.resize(if from == head.data { PORTION } else { PORTIONS }, 0);
            let count = read(&self.file, input, from).filter(|count| *count > 0)?;
            from = from.checked_add(count as u64)?;
            let mut rest = input.get(..count)?;
            while !rest.is_empty() {
                let (taken, made) = (machine.total_in(), content.len());
                let status =
                    machine.decompress_vec(rest, &mut content, FlushDecompress::None).ok()?;
                let taken = usize::try_from(machine.total_in().checked_sub(taken)?).ok()?;
                rest = rest.get(taken..)?;
                if content.len() > length {
                    return None;
                }
                if status == Status::StreamEnd {
                    return (content.len() == length).then_some(content);
                }
                if taken == 0 && content.len() == made {
                    return None;
                }
            }
        }
    }
}

impl Unpacker {
    /// Keeps at hand what others stand on.
    fn keep(&mut self, at: (u64, u64), content: &Arc<Vec<u8>>) {
        if self.held.saturating_add(content.len()) > AT_HAND {
            self.bases.clear();
            self.held = 0;
        }
        if content.len() <= AT_HAND && self.bases.insert(at, Arc::clone(content)).is_none() {
            self.held = self.held.saturating_add(content.len());
        }
    }
}

/// As much as there is at an offset, up to a length.
fn read(file: &File, into: &mut [u8], offset: u64) -> Option<usize> {
    let mut count = 0;
    while let Some(rest) = into.get_mut(count..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset.checked_add(count as u64)?) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(count)
}

/// What a delta makes of what it stands on, of at most `most` bytes.
fn applied(base: &[u8], delta: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut rest = delta;
    if counted(&mut rest)? != base.len() as u64 {
        return None;
    }
    let length = usize::try_from(counted(&mut rest).filter(|length| *length <= most)?).ok()?;
    let mut content = Vec::with_capacity(length);
    while let Some((order, behind)) = rest.split_first() {
        rest = behind;
        let piece = if order & 0x80 == 0 {
            // What is new stands there itself; none of it is no order that git knows.
            let (piece, behind) =
                rest.split_at_checked(usize::from(*order)).filter(|_| *order > 0)?;
            rest = behind;
            piece
        } else {
            let mut part = |bits: std::ops::Range<u32>| {
                let mut number = 0_usize;
                for (position, bit) in bits.enumerate() {
                    if order >> bit & 1 == 1 {
                        let (byte, behind) = rest.split_first()?;
                        rest = behind;
                        number |= usize::from(*byte) << (8 * position);
                    }
                }
                Some(number)
            };
            let (from, length) = (part(0..4)?, part(4..7)?);
            let length = if length == 0 { 0x1_0000 } else { length };
            base.get(from..from.checked_add(length)?)?
        };
        if content.len().checked_add(piece.len())? > length {
            return None;
        }
        content.extend_from_slice(piece);
    }
    (content.len() == length).then_some(content)
}

/// A length, seven bits in each byte, the lowest first.
fn counted(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (byte, behind) = bytes.split_first()?;
        *bytes = behind;
        let part = u64::from(byte & 0x7f);
        number |= part.checked_shl(shift).filter(|shifted| shifted >> shift == part)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
}
