//! The index of a pack of git: where in it an object begins. Owns that whatever somebody wrote there is read within its bounds. What it says is a
//! hint, which whoever asks has to prove.

/// How long the name of an object is: a SHA-1. Packs with other names hold nothing by this reading.
pub(super) const ID: usize = 20;

/// What the file begins with: its mark and its version, and for each first byte how many names begin with it or a lower one.
const MARK: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FANS: usize = 256;
const NAMES: usize = MARK.len() + FANS * 4;

/// What it ends with: two sums.
const SUMS: usize = 2 * ID;

/// The bit by which an offset leads to the table of long ones.
const LONG: u32 = 1 << 31;

/// An index, as it was read.
pub(super) struct Index {
    bytes: Vec<u8>,
    count: usize,
}

impl Index {
    /// The one that a file holds; none where it is no index of the second version, which is all that git writes.
    pub(super) fn of(bytes: Vec<u8>) -> Option<Self> {
        if !bytes.starts_with(&MARK) {
            return None;
        }
        let count = usize::try_from(number(&bytes, NAMES - 4)?).ok()?;
        let needed = count.checked_mul(ID + 4 + 4)?.checked_add(NAMES + SUMS)?;
        (bytes.len() >= needed).then_some(Self { bytes, count })
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where an object begins by its word.
    pub(super) fn offset(&self, id: &[u8; ID]) -> Option<u64> {
        let first = usize::from(*id.first()?);
        let mut low = match first.checked_sub(1) {
            Some(before) => self.fan(before)?,
            None => 0,
        };
        let mut high = self.fan(first)?.min(self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle)?.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.place(middle),
            }
        }
        None
    }

    fn fan(&self, first: usize) -> Option<usize> {
        usize::try_from(number(&self.bytes, MARK.len() + first * 4)?).ok()
    }

    fn name(&self, position: usize) -> Option<&[u8; ID]> {
        let start = position.checked_mul(ID)?.checked_add(NAMES)?;
        self.bytes.get(start..)?.first_chunk()
    }

    fn place(&self, position: usize) -> Option<u64> {
        // Behind the names stands a sum for each, then an offset for each.
        let offsets = NAMES + self.count.checked_mul(ID + 4)?;
        let short = number(&self.bytes, offsets.checked_add(position.checked_mul(4)?)?)?;
        if short & LONG == 0 {
            return Some(u64::from(short));
        }
        let longs = offsets.checked_add(self.count.checked_mul(4)?)?;
        let position = usize::try_from(short & !LONG).ok()?.checked_mul(8)?;
        let bytes = self.bytes.get(longs.checked_add(position)?..)?.first_chunk()?;
        Some(u64::from_be_bytes(*bytes))
    }
}

fn number(bytes: &[u8], start: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(start..)?.first_chunk()?))
}
