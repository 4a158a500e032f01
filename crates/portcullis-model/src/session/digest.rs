//! Values by which they are known again without being kept. Owns what is the same value, the digests and how many of them are kept.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest as _, Sha256};

use super::lexicon::folded;

/// How many bytes of a value are looked at: an address or a command is no longer.
pub(super) const LONGEST: usize = 2_048;

/// The first eight bytes of the SHA-256 of a value.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Mark(pub(super) u64);

impl Mark {
    /// The mark of a value, whatever its case, quotes, and the blanks in it.
    pub(super) fn of(value: &str) -> Self {
        let folded = folded(value.get(..value.floor_char_boundary(LONGEST)).unwrap_or_default());
        let mut hash = Sha256::new();
        for (at, word) in folded.split_whitespace().enumerate() {
            if at > 0 {
                hash.update(b" ");
            }
            hash.update(word);
        }
        Self::cut(&hash.finalize())
    }

    fn cut(bytes: &[u8]) -> Self {
        Self(bytes.iter().zip(0..8).fold(0, |mark, (byte, _)| mark << 8 | u64::from(*byte)))
    }
}

/// Marks, the newest last; the oldest are forgotten first, and that is known. Kept as one text, which is read at once.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Marks<const MOST: usize> {
    list: VecDeque<Mark>,
    /// Whether some were forgotten.
    pub(super) is_cut: bool,
}

impl<const MOST: usize> Marks<MOST> {
    pub(super) const NONE: Self = Self { list: VecDeque::new(), is_cut: false };

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.is_cut
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn has(&self, mark: Mark) -> bool {
        self.list.contains(&mark)
    }

    pub(super) fn into_marks(self) -> impl Iterator<Item = Mark> {
        self.list.into_iter()
    }

    pub(super) fn add(&mut self, mark: Mark) {
        if self.has(mark) {
            return;
        }
        if self.list.len() >= MOST {
            self.list.pop_front();
            self.is_cut = true;
        }
        self.list.push_back(mark);
    }
}

/// What `BASE64URL_NOPAD` says, which is read at every call: a tenth of the instructions that a decoder for any alphabet takes.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    const WRONG: u8 = 0xff;
    let six = |letter: &u8| match *letter {
        letter @ b'A'..=b'Z' => letter - b'A',
        letter @ b'a'..=b'z' => letter - b'a' + 26,
        letter @ b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => WRONG,
    };
    let (whole, rest) = text.as_bytes().as_chunks::<4>();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let mut seen = 0;
    for [a, b, c, d] in whole {
        let (a, b, c, d) = (six(a), six(b), six(c), six(d));
        seen |= a | b | c | d;
        bytes.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    // What is left over has to be nothing.
    let left = match rest {
        [] => 0,
        [a, b] => {
            let (a, b) = (six(a), six(b));
            seen |= a | b;
            bytes.push(a << 2 | b >> 4);
            b << 4
        }
        [a, b, c] => {
            let (a, b, c) = (six(a), six(b), six(c));
            seen |= a | b | c;
            bytes.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2]);
            c << 6
        }
        _ => WRONG,
    };
    (seen < 64 && left == 0).then_some(bytes)
}

/// What stands before the marks where some were forgotten.
const CUT: &str = "-.";

impl<const MOST: usize> Serialize for Marks<MOST> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.list.iter().flat_map(|mark| mark.0.to_be_bytes()).collect();
        let text = data_encoding::BASE64URL_NOPAD.encode(&bytes);
        let text = if self.is_cut { format!("{CUT}{text}") } else { text };
        serializer.serialize_str(&text)
    }
}

impl<'de, const MOST: usize> Deserialize<'de> for Marks<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let cut = text.strip_prefix(CUT);
        let encoded = cut.unwrap_or(&text);
        let bytes = decoded(encoded).ok_or_else(|| D::Error::custom("not marks"))?;
        let (marks, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || marks.len() > MOST {
            return Err(D::Error::custom("not as many marks as there can be"));
        }
        let list = marks.iter().map(|mark| Mark(u64::from_be_bytes(*mark))).collect();
        Ok(Self { list, is_cut: cut.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written_and_nothing_else_is() {
        let known = data_encoding::BASE64URL_NOPAD;
        let mut bytes = Vec::new();
        for number in 0..600_u32 {
            let text = known.encode(&bytes);
            assert_eq!(decoded(&text), Some(bytes.clone()));
            for letter in ['A', 'B', '_', '-', '=', '+', '/', ' ', 'é', '\0'] {
                let mut other = text.clone();
                other.push(letter);
                assert_eq!(decoded(&other), known.decode(other.as_bytes()).ok(), "{other}");
            }
            bytes.push(u8::try_from(number * 7 % 256).unwrap());
        }
    }
}
