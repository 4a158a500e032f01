//! A passage beside the rest of its text. Owns which words of it stand elsewhere too, and which things of a machine it names: what is planted is
//! often about other things than the document around it, and about files, addresses and variables that its reader has nothing to do with.

use super::{class::FREE, token::Token};

/// How many beginnings of words are told apart.
const SLOTS: usize = 1024;

/// How often words occur in a text, by their beginnings.
#[derive(Debug)]
pub(super) struct Rest(Vec<u8>);

impl Rest {
    pub(super) fn new(list: &[Token]) -> Self {
        let mut counts = vec![0u8; SLOTS];
        for token in list.iter().filter(|it| it.word != 0) {
            if let Some(count) = counts.get_mut(slot(token)) {
                *count = count.saturating_add(1);
            }
        }
        Self(counts)
    }

    /// How many words of a passage that the tables do not know stand elsewhere in the text, and how many such words it has.
    pub(super) fn shared(&self, part: &[Token]) -> (usize, usize) {
        let (mut shared, mut unknown) = (0, 0);
        for token in part.iter().filter(|it| it.word != 0 && it.class & !FREE == 0) {
            let all = usize::from(self.0.get(slot(token)).copied().unwrap_or(0));
            let is_same = |it: &&Token| it.word != 0 && slot(it) == slot(token);
            unknown += 1;
            shared += usize::from(all > 1 && all > part.iter().filter(is_same).count());
        }
        (shared, unknown)
    }
}

fn slot(token: &Token) -> usize {
    token.stem as usize % SLOTS
}

/// The things of a machine that a passage names, one bit a kind: a hidden file, the home directory, an address of a person, a URL, code, a
/// variable of the shell, a constant, a name with a dot.
pub(super) fn things(text: &str, part: &[Token]) -> u8 {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return 0 };
    let start = text.floor_char_boundary((first.start as usize).saturating_sub(2));
    let bytes = text.get(start..last.end as usize).unwrap_or_default().as_bytes();
    let mut found = 0;
    let (mut capitals, mut has_lower) = (0, false);
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        let behind = bytes.get(at + 1).copied().unwrap_or(b' ');
        let opens = !(before.is_ascii_alphanumeric() || before >= 0x80 || before == b'.');
        match byte {
            b'.' if opens && behind.is_ascii_alphabetic() => found |= 1,
            b'~' if behind == b'/' => found |= 1 << 1,
            b'@' if before.is_ascii_alphanumeric() && behind.is_ascii_alphanumeric() => {
                found |= 1 << 2;
            }
            b':' if behind == b'/' => found |= 1 << 3,
            b'`' => found |= 1 << 4,
            b'$' if behind.is_ascii_alphabetic() || matches!(behind, b'(' | b'{') => {
                found |= 1 << 5
            }
            b'_' if capitals > 1 && !has_lower && behind.is_ascii_uppercase() => found |= 1 << 6,
            b'.' if before.is_ascii_lowercase() && behind.is_ascii_lowercase() => found |= 1 << 7,
            _ => {}
        }
        match byte {
            b'A'..=b'Z' => capitals += 1,
            b'a'..=b'z' => has_lower = true,
            b'_' => {}
            _ => (capitals, has_lower) = (0, false),
        }
        before = *byte;
    }
    found
}
