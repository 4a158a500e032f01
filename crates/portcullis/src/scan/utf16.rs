//! Text in UTF-16, read as UTF-8. Owns how it is told from other bytes, and how it is turned into UTF-8 as it comes in and back.

use std::io::{self, Read};

/// Which byte of each pair comes first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Order {
    /// The low one.
    Little,
    /// The high one.
    Big,
}

/// The order of a text in UTF-16 of which these are the first bytes, or nothing where it is none: by its mark, or because nearly
/// every second byte is zero and hardly one of the others.
pub(crate) fn order(head: &[u8]) -> Option<Order> {
    const LEAST: usize = 4;
    match head {
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, ..] => return Some(Order::Little),
        [0xfe, 0xff, ..] => return Some(Order::Big),
        _ => {}
    }
    let pairs = head.len() / 2;
    if pairs < LEAST || memchr::memchr(0, head).is_none() {
        return None;
    }
    let zeros = |offset: usize| {
        head.iter().skip(offset).step_by(2).take(pairs).filter(|byte| **byte == 0).count()
    };
    let (first, second) = (zeros(0), zeros(1));
    let most = |count: usize| count * 10 >= pairs * 7;
    let hardly = |count: usize| count * 50 <= pairs;
    if most(second) && hardly(first) {
        Some(Order::Little)
    } else if most(first) && hardly(second) {
        Some(Order::Big)
    } else {
        None
    }
}

/// The fewest bytes by which a text without a mark is told.
const TOLD_BY: usize = 64;

/// Whether so many first bytes tell what [`order`] says of the whole. Nearly every text says it by its first pair.
pub(crate) fn is_told(head: &[u8]) -> bool {
    match head {
        [] | [_] => false,
        [0xff, 0xfe] => false,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [first, second, ..] if *first != 0 && *second != 0 => true,
        _ => head.len() >= TOLD_BY,
    }
}

impl Order {
    /// Takes the UTF-8 off `text` that is whole, and appends it to `out` in UTF-16.
    pub(crate) fn encode(self, text: &mut Vec<u8>, out: &mut Vec<u8>) {
        let mut done = 0;
        for chunk in text.utf8_chunks() {
            let broken = chunk.invalid();
            let cut = done + chunk.valid().len() + broken.len() == text.len();
            let letters = chunk.valid().chars();
            // What is broken at the end may still become whole.
            let mark = (!broken.is_empty() && !cut).then_some(char::REPLACEMENT_CHARACTER);
            for letter in letters.chain(mark) {
                self.push(letter, out);
            }
            done += chunk.valid().len() + if cut { 0 } else { broken.len() };
        }
        text.drain(..done);
    }

    /// Appends a character in UTF-16.
    pub(crate) fn push(self, letter: char, out: &mut Vec<u8>) {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            out.extend(match self {
                Self::Little => unit.to_le_bytes(),
                Self::Big => unit.to_be_bytes(),
            });
        }
    }
}

/// Reads UTF-16 and gives UTF-8. What is no character becomes U+FFFD; the mark at the beginning is left out.
pub(crate) struct Utf8Of<'a> {
    input: &'a mut dyn Read,
    order: Order,
    raw: Vec<u8>,
    /// The first half of a pair of surrogates.
    half: Option<u16>,
    /// What is decoded and not yet given.
    ready: Vec<u8>,
    given: usize,
    begun: bool,
}

impl<'a> Utf8Of<'a> {
    pub(crate) fn new(input: &'a mut dyn Read, order: Order) -> Self {
        Self {
            input,
            order,
            raw: Vec::new(),
            half: None,
            ready: Vec::new(),
            given: 0,
            begun: false,
        }
    }

    /// Decodes the next bytes. `false` at the end.
    fn more(&mut self) -> io::Result<bool> {
        const PORTION: usize = 1 << 15;
        self.ready.clear();
        self.given = 0;
        let old = self.raw.len();
        self.raw.resize(old + PORTION, 0);
        let read = self.input.read(self.raw.get_mut(old..).unwrap_or_default());
        self.raw.truncate(old + *read.as_ref().unwrap_or(&0));
        if read? == 0 {
            if self.half.take().is_some() || !self.raw.is_empty() {
                self.raw.clear();
                self.push(char::REPLACEMENT_CHARACTER);
                return Ok(true);
            }
            return Ok(false);
        }
        let raw = std::mem::take(&mut self.raw);
        let (pairs, rest) = raw.as_chunks::<2>();
        for pair in pairs {
            self.unit(match self.order {
                Order::Little => u16::from_le_bytes(*pair),
                Order::Big => u16::from_be_bytes(*pair),
            });
        }
        self.raw.extend_from_slice(rest);
        Ok(true)
    }

    fn unit(&mut self, unit: u16) {
        let begun = std::mem::replace(&mut self.begun, true);
        if let Some(half) = self.half.take() {
            match char::decode_utf16([half, unit]).next() {
                Some(Ok(letter)) => {
                    self.push(letter);
                    return;
                }
                _ => self.push(char::REPLACEMENT_CHARACTER),
            }
        }
        match char::from_u32(u32::from(unit)) {
            Some('\u{feff}') if !begun => {}
            Some(letter) => self.push(letter),
            None if (0xd800..0xdc00).contains(&unit) => self.half = Some(unit),
            None => self.push(char::REPLACEMENT_CHARACTER),
        }
    }

    fn push(&mut self, letter: char) {
        self.ready.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl Read for Utf8Of<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.ready.len() {
            if !self.more()? {
                return Ok(0);
            }
        }
        let mut ready = self.ready.get(self.given..).unwrap_or_default();
        let read = ready.read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(mut bytes: &[u8], order: Order) -> String {
        let mut text = String::new();
        Utf8Of::new(&mut bytes, order).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn both_orders_are_read_and_told_apart() {
        let text = "key = é𝄞 and words that are long enough\r\n".repeat(3000);
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(order(little.get(..8192).unwrap()), Some(Order::Little));
        assert_eq!(order(big.get(..8192).unwrap()), Some(Order::Big));
        assert_eq!(decoded(&little, Order::Little), text);
        assert_eq!(decoded(&big, Order::Big), text);
    }

    #[test]
    fn what_is_broken_stays_visible() {
        let lone = [0xff, 0xfe, 0x41, 0, 0, 0xd8, 0x42, 0, 0x43];
        assert_eq!(order(&lone), Some(Order::Little));
        assert_eq!(decoded(&lone, Order::Little), "A\u{fffd}B\u{fffd}");
    }

    #[test]
    fn other_bytes_are_none() {
        for head in [
            &b"plain text, long enough"[..],
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            b"",
            &[0; 64],
        ] {
            assert_eq!(order(head), None, "{head:?}");
        }
    }
}
