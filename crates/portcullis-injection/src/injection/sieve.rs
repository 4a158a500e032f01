//! The first pass: which stretches of a text are worth reading word by word. Owns one loop over its bytes; most of an ordinary text
//! is never looked at again.

use std::ops::Range;

use super::{
    class::{BELONG, GROUPS},
    index::{Hash, STEM, near},
};

/// How near to each other two words are that belong together.
const NEAR: usize = 90;
/// How much of the text before and behind is read with it.
const BEFORE: usize = 240;
const BEHIND: usize = 480;
/// How far an address of a picture is looked at.
const IMAGE: usize = 240;
/// The shortest run of letters and digits that may be an encoded text.
pub(super) const ENCODED: usize = 20;

/// What is worth a second look.
#[derive(Debug, Default)]
pub(super) struct Worth {
    /// Stretches to read, in order and apart.
    pub(super) stretches: Vec<Range<usize>>,
    /// Long runs of letters and digits.
    pub(super) runs: Vec<Range<usize>>,
    /// How many percent signs stand before two digits.
    pub(super) percents: usize,
    /// Groups of eight zeros and ones.
    pub(super) bits: Vec<Range<usize>>,
}

/// How the marks of roles begin, behind their bracket.
static ROLES: &[&[u8]] = &[
    b"|",
    b"sys",
    b"<sys",
    b"inst]",
    b"/inst]",
    b"/tool",
    b"/func",
    b"/user",
    b"admin>",
    b"important>",
    b"information>",
    b"assist",
    b"user>",
    b"user]",
    b"human>",
];

/// What a byte is to the first pass; anything else is a letter in lower case.
const BREAK: u8 = 0;
const SIGN: u8 = 1;
const WIDE: u8 = 2;

#[expect(clippy::indexing_slicing, reason = "runs when the program is built, over bytes")]
static BYTES: [u8; 256] = {
    let mut bytes = [BREAK; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = match byte as u8 {
            b'0' => b'o',
            b'1' => b'i',
            b'3' => b'e',
            b'4' => b'a',
            b'5' => b's',
            b'7' => b't',
            b'8' => b'b',
            b'9' => b'g',
            letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
            b'&' | b'\\' | b'|' | b'%' | b'<' | b'[' | b'!' => SIGN,
            0x80.. => WIDE,
            _ => BREAK,
        };
        byte += 1;
    }
    bytes
};

/// Looks once at every byte.
pub(super) fn sieve(text: &[u8]) -> Worth {
    let mut pass = Pass { text, worth: Worth::default(), last: [None; GROUPS.len()], single: 0 };
    let mut at = 0;
    while at < text.len() {
        let mut hash = Hash::new();
        let mut length = 0u32;
        let mut stem = None;
        let start = at;
        let mut kind = BREAK;
        while let Some(byte) = text.get(at) {
            kind = BYTES.get(usize::from(*byte)).copied().unwrap_or(BREAK);
            if kind == WIDE
                && let Some(letter) = text.get(at..at + 2).and_then(latin)
            {
                hash.push(letter);
                at += 2;
            } else if kind <= WIDE {
                break;
            } else {
                hash.push(kind);
                at += 1;
            }
            length += 1;
            if length == STEM {
                stem = Some(hash);
            }
        }
        if length > 0 {
            pass.word(start..at, length, hash, stem);
        }
        match kind {
            SIGN => {
                pass.sign(at);
                // `\nIgnore`: the end of a line, as JSON writes it.
                if matches!(text.get(at..at + 2), Some([b'\\', b'n' | b'r' | b't'])) {
                    at += 1;
                }
            }
            WIDE => {
                let width = pass.wide(at);
                at += width;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    pass.worth
}

struct Pass<'a> {
    text: &'a [u8],
    worth: Worth,
    /// Where the last word of each group stood.
    last: [Option<usize>; GROUPS.len()],
    /// How many words of one letter stand in a row.
    single: usize,
}

impl Pass<'_> {
    fn word(&mut self, at: Range<usize>, length: u32, hash: Hash, stem: Option<Hash>) {
        if length == 1 {
            self.single += 1;
            if self.single > 5 {
                self.stretch(at.start);
            }
            return;
        }
        self.single = 0;
        if at.len() >= ENCODED {
            self.worth.runs.push(at);
            return;
        }
        if at.len() == 8
            && self
                .text
                .get(at.clone())
                .is_some_and(|word| word.iter().all(|bit| matches!(bit, b'0' | b'1')))
        {
            self.worth.bits.push(at);
            return;
        }
        let is_frame =
            |word: &[u8]| word.eq_ignore_ascii_case(b"end") || word.eq_ignore_ascii_case(b"begin");
        if matches!(length, 3 | 5) && self.text.get(at.clone()).is_some_and(is_frame) {
            self.frame(&at);
        }
        // `a1` is no AI.
        if length == 2
            && self.text.get(at.clone()).is_some_and(|word| word.iter().any(u8::is_ascii_digit))
        {
            return;
        }
        let mut groups = near(hash) | stem.map_or(0, near);
        if self.text.get(at.clone()) == Some(b"DAN") {
            groups |= 1 << 3;
        }
        if groups != 0 {
            self.known(at, groups);
        }
    }

    fn known(&mut self, at: Range<usize>, groups: u16) {
        for (group, belong) in BELONG.iter().enumerate() {
            if groups >> group & 1 == 0 {
                continue;
            }
            let is_near = self.last.iter().enumerate().any(|(other, last)| {
                belong >> other & 1 == 1 && last.is_some_and(|last| last + NEAR > at.start)
            });
            // `System:` and `Assistant,` speak to somebody.
            let speaks = matches!(self.text.get(at.end), Some(b':' | b']' | b','))
                && self.text.get(at.start).is_some_and(u8::is_ascii_uppercase)
                && (group == 3 || group == 4 && self.is_system(&at));
            // `(system)` and `(system_message)`.
            let is_role = group == 4
                && matches!(self.text.get(at.end), Some(b')' | b'_'))
                && at.start.checked_sub(1).and_then(|before| self.text.get(before)) == Some(&b'(')
                && self.is_system(&at);
            if is_near || speaks || is_role {
                self.stretch(at.start);
            }
        }
        for (group, last) in self.last.iter_mut().enumerate() {
            if groups >> group & 1 == 1 {
                *last = Some(at.start);
            }
        }
    }

    /// A picture whose address has a place that is to be filled in: `![](https://host.example/p?d=DATA)`.
    fn image(&mut self, at: usize) {
        let behind = self.text.get(at..(at + IMAGE).min(self.text.len())).unwrap_or_default();
        let line = behind.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mut values = line.split(|byte| *byte == b'=').skip(1);
        let is_open = |value: &[u8]| match value {
            [] | [b')' | b'{' | b'[' | b'<' | b'$', ..] => true,
            [first, second, ..] => first.is_ascii_uppercase() && second.is_ascii_uppercase(),
            [_] => false,
        };
        if values.any(is_open) {
            self.stretch(at);
        }
    }

    /// `END OF PAGE`, `=== BEGIN USER MESSAGE`: a text that says where it ends.
    fn frame(&mut self, at: &Range<usize>) {
        let behind = self.text.get(at.end..).unwrap_or_default();
        let before = self.text.get(..at.start).unwrap_or_default();
        let signs: [&[u8]; 5] = [b"== ", b"-- ", b"%% ", b"** ", b"~~ "];
        if behind.starts_with(b" OF ") || signs.iter().any(|it| before.ends_with(it)) {
            self.stretch(at.start);
        }
    }

    fn is_system(&self, at: &Range<usize>) -> bool {
        self.text.get(at.clone()).is_some_and(|word| word.eq_ignore_ascii_case(b"system"))
    }

    fn sign(&mut self, at: usize) {
        let next = self.text.get(at + 1).copied().unwrap_or(0);
        match self.text.get(at) {
            Some(b'&') if next == b'#' => self.stretch(at),
            Some(b'\\') if matches!(next, b'u' | b'x') => self.stretch(at),
            Some(b'<' | b'[') => {
                let behind = self.text.get(at + 1..).unwrap_or_default();
                let is = |role: &&&[u8]| {
                    behind.get(..role.len()).is_some_and(|it| it.eq_ignore_ascii_case(role))
                };
                if ROLES.iter().any(|role| is(&role)) {
                    self.stretch(at);
                }
            }
            Some(b'!') if next == b'[' => self.image(at),
            Some(b'%') if next.is_ascii_hexdigit() => self.worth.percents += 1,
            _ => {}
        }
    }

    /// A character beyond Latin, and its width.
    fn wide(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let (width, is_plain) = match rest {
            [0xc2, second, ..] => (2, *second != 0xad),
            [0xe2, 0x80, third, ..] => (3, matches!(third, 0x90..=0xa7 | 0xb0..=0xbf)),
            [0xe2, 0x82 | 0x84 | 0x86..=0x91 | 0x94..=0x9f | 0xac, ..] => (3, true),
            [0xf0, 0x9f, 0x8c..=0xab, ..] => (4, true),
            // The variation that makes an emoji of a sign.
            [0xef, 0xb8, 0x8f, 0xef, ..] => (3, false),
            [0xef, 0xb8, 0x8f, ..] => (3, true),
            [0xc3..=0xdf, ..] => (2, false),
            [0xe0..=0xef, ..] => (3, false),
            _ => (1, false),
        };
        if !is_plain {
            self.stretch(at);
        }
        width
    }

    fn stretch(&mut self, at: usize) {
        let from = at.saturating_sub(BEFORE);
        let to = (at + BEHIND).min(self.text.len());
        match self.worth.stretches.last_mut() {
            Some(last) if from <= last.end => last.end = last.end.max(to),
            _ => self.worth.stretches.push(from..to),
        }
    }
}

/// The letter without its mark of a character in two bytes.
fn latin(bytes: &[u8]) -> Option<u8> {
    let at = match bytes {
        [0xc3, second] => usize::from(second.checked_sub(0x80)?),
        [0xc4, second] => 64 + usize::from(second.checked_sub(0x80)?),
        [0xc5, second] => 128 + usize::from(second.checked_sub(0x80)?),
        _ => return None,
    };
    LATIN.get(at).copied().filter(|letter| *letter != b' ')
}

/// U+00C0 to U+017F, as `fold` writes their first letters.
static LATIN: &[u8; 192] = b"aaaaaa ceeeeiiii nooooo ouuuuy saaaaaa ceeeeiiii nooooo ouuuuy y\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkk lllllll\
lllnnnnnn   oooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
