//! A text as it is printed, letter by letter. Owns what each escape stands for.

use super::{
    super::{Call, Output},
    format::MAX_WIDTH,
};
use crate::text::{Piece, Taint, Text};

/// Which escapes are decoded.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Escapes {
    /// `echo -e`
    Echo,
    /// The format of `printf`.
    Format,
    /// `%b` of `printf`.
    Percent,
}

/// What was printed so far: known bytes and pieces that are not known.
#[derive(Default)]
pub(super) struct Printed {
    done: Text,
    open: Output,
    decoded: bool,
}

impl Printed {
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        self.open.push(bytes)
    }

    pub(super) fn piece(&mut self, piece: Piece) -> Option<()> {
        let open = std::mem::take(&mut self.open).text()?;
        self.done.append(&open);
        self.done.push(piece);
        Some(())
    }

    pub(super) fn text(&mut self, text: &Text) -> Option<()> {
        for piece in &text.pieces {
            match piece {
                Piece::Known(known) => self.bytes(known.as_bytes())?,
                other => self.piece(other.clone())?,
            }
        }
        Some(())
    }

    pub(super) fn padded(&mut self, text: &str, width: usize, left: bool) -> Option<()> {
        let missing = width.saturating_sub(text.len());
        if missing > MAX_WIDTH {
            return None;
        }
        let padding = " ".repeat(missing);
        let (before, after) = if left { ("", padding.as_str()) } else { (padding.as_str(), "") };
        self.bytes(before.as_bytes())?;
        self.bytes(text.as_bytes())?;
        self.bytes(after.as_bytes())
    }

    /// Prints a text with its escapes decoded; true where `\c` ended the output.
    pub(super) fn decoded_text(&mut self, text: &Text, escapes: Escapes) -> Option<bool> {
        for piece in &text.pieces {
            let Piece::Known(known) = piece else {
                self.piece(piece.clone())?;
                continue;
            };
            let bytes = known.as_bytes();
            let mut at = 0;
            while let Some(&byte) = bytes.get(at) {
                if byte == b'\\' {
                    let (width, end) = self.escape(bytes.get(at..)?, escapes)?;
                    if end {
                        return Some(true);
                    }
                    at += width;
                } else {
                    self.bytes(&[byte])?;
                    at += 1;
                }
            }
        }
        Some(false)
    }

    /// Prints the escape that `bytes` starts with: how long it is, and whether it ends the output.
    pub(super) fn escape(&mut self, bytes: &[u8], escapes: Escapes) -> Option<(usize, bool)> {
        let Some(&letter) = bytes.get(1) else {
            self.bytes(b"\\")?;
            return Some((1, false));
        };
        let simple = match letter {
            b'a' => Some(7),
            b'b' => Some(8),
            b'e' | b'E' => Some(0x1b),
            b'f' => Some(0x0c),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            b'\\' => Some(b'\\'),
            b'\'' | b'"' if escapes == Escapes::Format => Some(letter),
            b'"' if escapes == Escapes::Percent => Some(letter),
            _ => None,
        };
        if let Some(byte) = simple {
            self.bytes(&[byte])?;
            return Some((2, false));
        }
        let (start, most, radix) = match (letter, escapes) {
            (b'c', Escapes::Echo | Escapes::Percent) => return Some((2, true)),
            (b'x', _) => (2, 2, 16),
            (b'u', _) => (2, 4, 16),
            (b'U', _) => (2, 8, 16),
            (b'0', Escapes::Echo | Escapes::Percent) => (2, 3, 8),
            (b'0'..=b'7', Escapes::Format | Escapes::Percent) => (1, 3, 8),
            _ => {
                self.bytes(b"\\")?;
                return Some((1, false));
            }
        };
        let mut value: u32 = 0;
        let mut width = start;
        while let Some(digit) = bytes
            .get(width)
            .filter(|_| width < start + most)
            .and_then(|byte| char::from(*byte).to_digit(radix))
        {
            value = value.checked_mul(radix)?.checked_add(digit)?;
            width += 1;
        }
        if width == start && letter != b'0' {
            self.bytes(b"\\")?;
            return Some((1, false));
        }
        if matches!(letter, b'u' | b'U') {
            let character = char::from_u32(value)?;
            self.decoded |= character.is_ascii_alphanumeric();
            self.bytes(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        } else {
            let byte = u8::try_from(value & 0xff).ok()?;
            self.decoded |= byte.is_ascii_alphanumeric();
            self.bytes(&[byte])?;
        }
        Some((width, false))
    }

    pub(super) fn finish(mut self, call: &mut Call<'_>) -> Option<Text> {
        if self.decoded {
            call.origin.taint = call.origin.taint.with(Taint::DECODED);
        }
        let open = self.open.text()?;
        self.done.append(&open);
        Some(self.done)
    }
}
