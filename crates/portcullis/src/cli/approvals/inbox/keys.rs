//! What is typed, from the bytes that a terminal sends. Owns the sequences (ECMA-48, and xterm's for keys and pasting); what a key does, the
//! view knows.

/// A key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Key {
    /// A letter.
    Letter(char),
    Enter,
    /// The key that ends a line without ending what is typed (Ctrl-J).
    NewLine,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    /// Ctrl with a letter.
    Control(char),
    /// Something that was pasted.
    Pasted(String),
    /// Anything else.
    Other,
}

/// The longest paste that is kept; what is longer is none of ours.
const LONGEST_PASTE: usize = 64 << 10;

/// The longest sequence of a key.
const LONGEST: usize = 64;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Bytes on their way to be keys.
#[derive(Debug, Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    /// What is being pasted, while it is.
    pasted: Option<Vec<u8>>,
}

impl Keys {
    /// Takes what was read, and gives the keys that are whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.bytes.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = self.first() {
            self.bytes.drain(..length);
            keys.extend(key);
        }
        keys
    }

    /// What is left when nothing more comes: an escape by itself is the key of that name.
    pub(super) fn settle(&mut self) -> Option<Key> {
        if self.pasted.is_some() || self.bytes.is_empty() {
            return None;
        }
        let key = if self.bytes == b"\x1b" { Key::Escape } else { Key::Other };
        self.bytes.clear();
        Some(key)
    }

    /// Whether something has begun that may go on.
    pub(super) fn is_waiting(&self) -> bool {
        self.pasted.is_none() && !self.bytes.is_empty()
    }

    /// Forgets what was typed.
    pub(super) fn forget(&mut self) {
        self.bytes.clear();
    }

    /// The first key, where there is one, and how many bytes it took.
    fn first(&mut self) -> Option<(Option<Key>, usize)> {
        if let Some(pasted) = &mut self.pasted {
            let end = self.bytes.windows(PASTE_ENDS.len()).position(|bytes| bytes == PASTE_ENDS);
            let taken = end.unwrap_or(self.bytes.len().saturating_sub(PASTE_ENDS.len()));
            let room = LONGEST_PASTE.saturating_sub(pasted.len());
            pasted.extend(self.bytes.iter().take(taken.min(room)));
            if end.is_none() {
                return (taken > 0).then_some((None, taken));
            }
            let text = String::from_utf8_lossy(pasted).into_owned();
            self.pasted = None;
            return Some((Some(Key::Pasted(text)), taken + PASTE_ENDS.len()));
        }
        if self.bytes.starts_with(PASTE_BEGINS) {
            self.pasted = Some(Vec::new());
            return Some((None, PASTE_BEGINS.len()));
        }
        let key = |key| Some((Some(key), 1));
        match *self.bytes.first()? {
            b'\r' => key(Key::Enter),
            b'\n' => key(Key::NewLine),
            0x7f | 0x08 => key(Key::Backspace),
            0x1b => self.sequence(),
            byte @ 0x01..=0x1a => key(Key::Control(char::from(byte + 0x60))),
            0x00 | 0x1c..=0x1f => key(Key::Other),
            byte => {
                let length = match byte {
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xff => 4,
                    _ => 1,
                };
                let letter = self.bytes.get(..length)?;
                match str::from_utf8(letter).ok().and_then(|text| text.chars().next()) {
                    Some(letter) => Some((Some(Key::Letter(letter)), length)),
                    None => Some((Some(Key::Other), 1)),
                }
            }
        }
    }

    /// What an escape begins.
    fn sequence(&self) -> Option<(Option<Key>, usize)> {
        let rest = self.bytes.get(1..)?;
        let (length, is_final): (usize, fn(u8) -> bool) = match rest.first()? {
            b'[' => (2, |byte| matches!(byte, 0x40..=0x7e)),
            b'O' => (2, |_| true),
            // An escape and then a sequence of its own.
            0x1b => return Some((Some(Key::Escape), 1)),
            // A key with Alt.
            _ => return Some((Some(Key::Other), 2)),
        };
        let Some(end) = rest.iter().skip(1).position(|byte| is_final(*byte)) else {
            let is_long = self.bytes.len() > LONGEST;
            return is_long.then_some((Some(Key::Other), self.bytes.len()));
        };
        let whole = length + end + 1;
        let key = match rest.get(1..whole - 1)? {
            b"A" => Key::Up,
            b"B" => Key::Down,
            b"C" => Key::Right,
            b"D" => Key::Left,
            b"H" | b"1~" | b"7~" => Key::Home,
            b"F" | b"4~" | b"8~" => Key::End,
            b"3~" => Key::Delete,
            b"5~" => Key::PageUp,
            b"6~" => Key::PageDown,
            _ => Key::Other,
        };
        Some((Some(key), whole))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_known_however_their_bytes_arrive() {
        for (bytes, keys) in [
            (
                &b"aq\r\n\x7f"[..],
                vec![Key::Letter('a'), Key::Letter('q'), Key::Enter, Key::NewLine, Key::Backspace],
            ),
            ("é漢😀".as_bytes(), vec![Key::Letter('é'), Key::Letter('漢'), Key::Letter('😀')]),
            (
                b"\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[1~\x1b[3~",
                vec![Key::Up, Key::Down, Key::PageUp, Key::PageDown, Key::Home, Key::Delete],
            ),
            (
                b"\x03\x04\x1ba\x1b[1;5Cx",
                vec![
                    Key::Control('c'),
                    Key::Control('d'),
                    Key::Other,
                    Key::Other,
                    Key::Letter('x'),
                ],
            ),
            (
                b"\x1b[200~a\ry\x1b[A\x1b[201~b",
                vec![Key::Pasted("a\ry\x1b[A".to_owned()), Key::Letter('b')],
            ),
            (b"\xffa", vec![Key::Other, Key::Letter('a')]),
        ] {
            let mut whole = Keys::default();
            let mut got = whole.take(bytes);
            if bytes.first() == Some(&0xff) {
                got.extend(whole.settle());
            }
            if bytes.first() != Some(&0xff) {
                assert_eq!(got, keys, "{bytes:?}");
                let mut single = Keys::default();
                let got: Vec<Key> = bytes.iter().flat_map(|byte| single.take(&[*byte])).collect();
                assert_eq!(got, keys, "{bytes:?}");
                assert!(!single.is_waiting());
            }
        }
    }

    #[test]
    fn an_escape_by_itself_is_a_key_once_nothing_follows() {
        let mut keys = Keys::default();
        assert_eq!(keys.take(b"\x1b"), []);
        assert!(keys.is_waiting());
        assert_eq!(keys.settle(), Some(Key::Escape));
        assert_eq!(keys.take(b"\x1b[20"), []);
        assert_eq!(keys.settle(), Some(Key::Other));
        assert_eq!(keys.settle(), None);
    }

    proptest! {
        #[test]
        fn no_bytes_break_it_or_are_kept_for_ever(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut keys = Keys::default();
            for part in bytes.chunks(7) {
                keys.take(part);
            }
            prop_assert!(keys.bytes.len() <= 300);
            keys.settle();
            prop_assert!(!keys.is_waiting());
        }
    }
}
