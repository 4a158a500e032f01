//! A text as plain characters, each with where it stood: compatibility forms and marks taken off, lower case, escapes and entities
//! read, what nobody sees left out and counted. Owns the characters; words are made of them elsewhere.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A character and the bytes of the source that it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) letter: char,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it was a capital letter.
    pub(super) is_capital: bool,
}

/// A text as plain characters.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub(super) units: Vec<Unit>,
    /// Where characters stood that nobody sees.
    pub(super) unseen: Vec<u32>,
    /// What is written in characters that nobody sees: tags, variation selectors.
    pub(super) hidden: Vec<Hidden>,
}

/// A text that nobody sees.
#[derive(Debug)]
pub(super) struct Hidden {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The shortest hidden text that is one: flags of regions have six letters.
const LEAST_HIDDEN: usize = 8;

/// Folds `text[from..to]`.
pub(super) fn fold(text: &str, from: usize, to: usize) -> Folded {
    let mut folded = Folded::default();
    let Some(part) = text.get(from..to) else { return folded };
    folded.units.reserve(part.len());
    let mut hidden = Unseen::default();
    let mut at = 0;
    while let Some(letter) = part.get(at..).and_then(|rest| rest.chars().next()) {
        let start = from + at;
        let width = letter.len_utf8();
        if matches!(letter, '&' | '\\')
            && let Some((decoded, length)) = escape(part.get(at..).unwrap_or_default())
        {
            at += length;
            plain(&mut folded, decoded, start, start + length);
            continue;
        }
        at += width;
        if letter.is_ascii() {
            let unit = Unit {
                letter: letter.to_ascii_lowercase(),
                start: start as u32,
                end: (start + width) as u32,
                is_capital: letter.is_ascii_uppercase(),
            };
            folded.units.push(unit);
        } else if let Some(byte) = unseen(letter) {
            hidden.push(byte, start, start + width);
            // These join and choose between pictures as well.
            if !matches!(letter, '\u{200d}' | '\u{fe0f}') {
                folded.unseen.push(start as u32);
            }
            continue;
        } else {
            plain(&mut folded, letter, start, start + width);
        }
        hidden.end(&mut folded.hidden);
    }
    hidden.end(&mut folded.hidden);
    folded
}

/// Adds the plain form of a character.
fn plain(folded: &mut Folded, letter: char, start: usize, end: usize) {
    for composed in letter.nfkc() {
        let is_capital = composed.is_uppercase();
        let mut push = |letter: char| {
            folded.units.push(Unit { letter, start: start as u32, end: end as u32, is_capital });
        };
        for lower in composed.to_lowercase() {
            match lower {
                'ß' => {
                    push('s');
                    push('s');
                }
                'ł' => push('l'),
                'ø' => push('o'),
                'ı' => push('i'),
                'ё' => push('е'),
                'أ' | 'إ' | 'آ' => push('ا'),
                'ى' => push('ي'),
                'ة' => push('ه'),
                // Nukta, marks of Arabic vowels, tatweel, and marks on Latin letters.
                '\u{93c}' | '\u{64b}'..='\u{652}' | '\u{640}' | '\u{300}'..='\u{36f}' => {}
                '\u{a0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                    lower.nfkd().filter(|part| !is_combining_mark(*part)).for_each(&mut push);
                }
                other => push(other),
            }
        }
    }
}

/// A character that nobody sees, with the byte that it may stand for.
fn unseen(letter: char) -> Option<Option<u8>> {
    let code = u32::from(letter);
    match code {
        0xE0020..=0xE007E => u8::try_from(code - 0xE0000).ok().map(Some),
        0xFE00..=0xFE0F => u8::try_from(code - 0xFE00).ok().map(Some),
        0xE0100..=0xE01EF => u8::try_from(code - 0xE0100 + 16).ok().map(Some),
        0xAD
        | 0x34F
        | 0x61C
        | 0x115F
        | 0x1160
        | 0x17B4
        | 0x17B5
        | 0x180B..=0x180F
        | 0x200B..=0x200F
        | 0x202A..=0x202E
        | 0x2060..=0x206F
        | 0x3164
        | 0xFEFF
        | 0xFFA0
        | 0xFFF9..=0xFFFB
        | 0xE0000..=0xE001F
        | 0xE007F => Some(None),
        _ => None,
    }
}

/// A run of unseen characters that may be a text.
#[derive(Default)]
struct Unseen {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Unseen {
    fn push(&mut self, byte: Option<u8>, start: usize, end: usize) {
        let Some(byte) = byte else { return };
        if self.bytes.is_empty() {
            self.start = start;
        }
        self.bytes.push(byte);
        self.end = end;
    }

    fn end(&mut self, hidden: &mut Vec<Hidden>) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.len() >= LEAST_HIDDEN
            && let Ok(text) = String::from_utf8(bytes)
        {
            hidden.push(Hidden { text, start: self.start, end: self.end });
        }
    }
}

/// An entity or escape at the beginning of a text, and how long it is.
fn escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    match bytes {
        [b'&', b'#', b'x' | b'X', ..] => number(bytes, 3, 16, 6, true),
        [b'&', b'#', ..] => number(bytes, 2, 10, 7, true),
        [b'&', ..] => NAMED
            .iter()
            .find(|(name, _)| text.starts_with(name))
            .map(|(name, letter)| (*letter, name.len())),
        [b'\\', b'u', b'{', ..] => number(bytes, 3, 16, 6, true),
        [b'\\', b'u', ..] => number(bytes, 2, 16, 4, false).filter(|(_, length)| *length == 6),
        [b'\\', b'x', ..] => number(bytes, 2, 16, 2, false).filter(|(_, length)| *length == 4),
        [b'\\', b'n' | b'r', ..] => Some(('\n', 2)),
        [b'\\', b't', ..] => Some((' ', 2)),
        [b'\\', b'"', ..] => Some(('"', 2)),
        _ => None,
    }
}

const NAMED: &[(&str, char)] = &[
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&amp;", '&'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&nbsp;", ' '),
    ("&excl;", '!'),
    ("&period;", '.'),
    ("&colon;", ':'),
    ("&Tab;", ' '),
    ("&NewLine;", '\n'),
];

/// The character with a number, which ends with its digits or with one more character.
fn number(
    bytes: &[u8],
    from: usize,
    radix: u32,
    most: usize,
    closed: bool,
) -> Option<(char, usize)> {
    let mut code: u32 = 0;
    let mut at = from;
    while let Some(digit) = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(radix)) {
        if at - from == most {
            return None;
        }
        code = code.checked_mul(radix)?.checked_add(digit)?;
        at += 1;
    }
    if at == from {
        return None;
    }
    if closed && matches!(bytes.get(at), Some(b';' | b'}')) {
        at += 1;
    }
    char::from_u32(code).filter(|letter| *letter != '\0').map(|letter| (letter, at))
}

/// The Latin letter that a Cyrillic or Greek one looks like.
pub(super) fn looks_like(letter: char) -> char {
    match letter {
        'а' | 'α' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ӏ' | 'ı' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'п' | 'η' | 'ո' => 'n',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'и' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' | 'ш' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        other => other,
    }
}

/// The letter that a digit or sign is written for.
pub(super) fn written_for(letter: char) -> char {
    match letter {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        '8' => 'b',
        '9' => 'g',
        other => other,
    }
}
