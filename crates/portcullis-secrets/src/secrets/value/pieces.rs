//! Searching a value for many short pieces at once. Owns the marks by which most places of a value are passed; a piece itself is
//! compared only where its first bytes stand.

/// How many bytes of a piece are looked at before it is compared.
const LOOKED_AT: usize = 3;

/// Pieces in lower case, and which of them have a byte at each of the first places. Every 64th shares a bit.
pub(super) struct Pieces {
    pieces: &'static [&'static str],
    marks: [[u64; 256]; LOOKED_AT],
}

impl Pieces {
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    pub(super) const fn new(pieces: &'static [&'static str]) -> Self {
        let mut marks = [[0; 256]; LOOKED_AT];
        let mut number = 0;
        while number < pieces.len() {
            let piece = pieces[number].as_bytes();
            let mut place = 0;
            while place < LOOKED_AT {
                let mut byte = 0;
                // A piece that is shorter has any byte there, and so may be at the end of the value.
                while byte < 256 {
                    let fits =
                        place >= piece.len() || piece[place] == (byte as u8).to_ascii_lowercase();
                    if fits {
                        marks[place][byte] |= 1 << (number % 64);
                    }
                    byte += 1;
                }
                place += 1;
            }
            number += 1;
        }
        Self { pieces, marks }
    }

    /// Which pieces have this byte at this place.
    fn marked(&self, place: usize, byte: u8) -> u64 {
        self.marks.get(place).and_then(|marks| marks.get(usize::from(byte))).copied().unwrap_or(0)
    }

    /// Which pieces may be at the beginning of a value.
    fn marked_by(&self, value: &[u8]) -> u64 {
        let first = value.iter().take(LOOKED_AT).enumerate();
        first.fold(u64::MAX, |marked, (place, byte)| marked & self.marked(place, *byte))
    }

    /// Whether one of the pieces whose bits are set fits.
    fn any(&self, mut marked: u64, fits: impl Fn(&[u8]) -> bool) -> bool {
        while marked != 0 {
            let same = self.pieces.iter().skip(marked.trailing_zeros() as usize).step_by(64);
            if same.map(|piece| piece.as_bytes()).any(&fits) {
                return true;
            }
            marked &= marked - 1;
        }
        false
    }

    /// Whether one of them stands anywhere in a value, in any case. Only for pieces of at least as many bytes as are looked at.
    pub(super) fn are_in(&self, value: &[u8]) -> bool {
        value.array_windows::<LOOKED_AT>().enumerate().any(|(at, [first, second, third])| {
            let marked = self.marked(0, *first) & self.marked(1, *second) & self.marked(2, *third);
            marked != 0 && self.any(marked, |piece| begins(value.get(at..), piece))
        })
    }

    /// Whether a value begins with one of them, in any case.
    pub(super) fn begin(&self, value: &[u8]) -> bool {
        let marked = self.marked_by(value);
        self.any(marked, |piece| begins(Some(value), piece))
    }

    /// Whether a value is one of them, in any case.
    pub(super) fn have(&self, value: &[u8]) -> bool {
        let marked = self.marked_by(value);
        self.any(marked, |piece| value.eq_ignore_ascii_case(piece))
    }
}

fn begins(value: Option<&[u8]>, piece: &[u8]) -> bool {
    let beginning = value.and_then(|value| value.get(..piece.len()));
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_wherever_they_stand() {
        static SOME: Pieces = Pieces::new(&["abc", "abcd", "your-", "@@@@"]);
        for value in ["abc", "xABC", "Your-key", "a@@@@", "ababcd", "yyour-"] {
            assert!(SOME.are_in(value.as_bytes()), "{value}");
        }
        for value in ["", "a", "ab", "yourkey", "@@@", "a-b-c", "acbd"] {
            assert!(!SOME.are_in(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn short_pieces_are_whole_values_and_beginnings() {
        static SOME: Pieces = Pieces::new(&["no", "none", "@/", "x"]);
        for value in ["no", "NONE", "x"] {
            assert!(SOME.have(value.as_bytes()), "{value}");
            assert!(SOME.begin(format!("{value}/rest").as_bytes()), "{value}");
        }
        for value in ["", "n", "non", "xx"] {
            assert!(!SOME.have(value.as_bytes()), "{value}");
        }
        assert!(!SOME.begin(b"") && !SOME.begin(b"n") && !SOME.begin(b"@"));
    }
}
