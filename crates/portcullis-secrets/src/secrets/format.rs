//! How a secret is spelt, in a notation short enough for a table. Owns the notation and its matcher; what a spelling
//! belongs to, the tables say.
//!
//! A format is read from left to right. `<` opens a run, everything else stands for itself:
//!
//! | run | matches |
//! |---|---|
//! | `<w36>` | 36 letters or digits |
//! | `<u20-40>` | 20 to 40 letters, digits, `_` or `-`, as many as there are |
//! | `<b100+>` | 100 or more, up to [`LONGEST`] |
//! | `<U>` | a UUID |
//!
//! `{` marks where the secret starts, when what stands before it belongs to its surroundings: `AccountKey={<b86>==`.
//!
//! The letter names the bytes that may stand there: see [`in_class`].

/// The longest run that is followed. A token that is longer is cut here, and what follows is not a part of it.
pub(super) const LONGEST: usize = 8192;

/// How many positions a match may try before it gives up: formats are short and their runs rarely meet, so only made
/// text comes near.
const MAX_STEPS: u32 = 4096;

/// A part of a format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Part {
    /// This byte.
    Literal(u8),
    /// Here the secret starts.
    Mark,
    /// From `least` to `most` bytes of a class.
    Run {
        /// The letter of the class.
        class: u8,
        /// The fewest.
        least: usize,
        /// The most.
        most: usize,
    },
}

/// Whether `byte` belongs to a class of the notation.
pub(super) const fn in_class(class: u8, byte: u8) -> bool {
    match class {
        b'd' => byte.is_ascii_digit(),
        b'h' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        b'H' => byte.is_ascii_hexdigit(),
        b'X' => matches!(byte, b'0'..=b'9' | b'A'..=b'F'),
        b'g' => matches!(byte, b'0'..=b'9' | b'a'..=b'h' | b'A'..=b'H'),
        b'a' => matches!(byte, b'0'..=b'9' | b'a'..=b'z'),
        b'A' => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
        b'l' => byte.is_ascii_alphabetic(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'_' => byte.is_ascii_alphanumeric() || byte == b'_',
        b'u' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
        b'v' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'='),
        b't' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'.'),
        b'q' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'~' | b'.'),
        b'b' => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
        b'B' => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        b'k' => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
        b'p' => byte.is_ascii_alphanumeric() || byte == b'%',
        b'P' => byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'+' | b'/' | b'_' | b'-'),
        b'c' => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'),
        b'C' => {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'/' | b'$' | b'=' | b',' | b'+' | b'-')
        }
        b'D' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        b'Y' => {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'$' | b'=' | b',' | b'+')
        }
        b'2' => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
        b'5' => byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l'),
        b'z' => matches!(byte, b'0' | b'2'..=b'9' | b'A' | b'C'..=b'H' | b'J'..=b'N' | b'P'..=b'Z'),
        b'y' => matches!(byte, b'0' | b'2'..=b'9' | b'a' | b'c'..=b'h' | b'j'..=b'n' | b'p'..=b'z'),
        b'n' => {
            matches!(byte, b' '..=b'/' | b':'..=b'@' | b'['..=b'`' | b'{'..=b'~')
                || matches!(
                    byte,
                    b'a' | b'c'
                        | b'k'
                        | b'p'
                        | b's'
                        | b't'
                        | b'A'
                        | b'C'
                        | b'K'
                        | b'P'
                        | b'S'
                        | b'T'
                )
        }
        b'=' => byte == b'=',
        b's' => {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
        }
        _ => false,
    }
}

/// The part that starts at `at` of a format, and where the next one does. `None` at its end.
///
/// `<U>` is read as the run of a UUID's 36 bytes; `matches` looks at them itself.
#[expect(
    clippy::indexing_slicing,
    reason = "every index is compared with the length; it also runs when the program is built"
)]
pub(super) const fn part(format: &[u8], at: usize) -> Option<(Part, usize)> {
    if at >= format.len() {
        return None;
    }
    if format[at] == b'{' {
        return Some((Part::Mark, at + 1));
    }
    if format[at] != b'<' || at + 2 >= format.len() {
        return Some((Part::Literal(format[at]), at + 1));
    }
    let class = format[at + 1];
    if class == b'U' {
        return Some((Part::Run { class, least: 36, most: 36 }, at + 3));
    }
    let mut index = at + 2;
    let mut least = 0;
    while index < format.len() && format[index].is_ascii_digit() {
        least = least * 10 + (format[index] - b'0') as usize;
        index += 1;
    }
    let mut most = least;
    if index < format.len() && format[index] == b'+' {
        most = LONGEST;
        index += 1;
    } else if index < format.len() && format[index] == b'-' {
        most = 0;
        index += 1;
        while index < format.len() && format[index].is_ascii_digit() {
            most = most * 10 + (format[index] - b'0') as usize;
            index += 1;
        }
    }
    // The closing `>`.
    Some((Part::Run { class, least, most }, index + 1))
}

/// The class of the last run of a format, if it ends with one.
pub(super) fn last_class(format: &[u8]) -> Option<u8> {
    let (mut at, mut last) = (0, None);
    while let Some((part, next)) = part(format, at) {
        last = match part {
            Part::Run { class, .. } => Some(class),
            Part::Literal(_) => None,
            Part::Mark => last,
        };
        at = next;
    }
    last
}

/// Where the secret of a match of `format` at `start` begins and ends.
pub(super) fn matches(format: &str, text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut walk = Walk { format: format.as_bytes(), text, steps: MAX_STEPS, mark: start };
    let end = walk.follow(0, start)?;
    Some((walk.mark, end))
}

struct Walk<'a> {
    format: &'a [u8],
    text: &'a [u8],
    steps: u32,
    mark: usize,
}

impl Walk<'_> {
    fn follow(&mut self, mut at: usize, mut index: usize) -> Option<usize> {
        while let Some((part, next)) = part(self.format, at) {
            self.steps = self.steps.checked_sub(1)?;
            match part {
                Part::Mark => self.mark = index,
                Part::Literal(byte) => {
                    if self.text.get(index) != Some(&byte) {
                        return None;
                    }
                    index += 1;
                }
                Part::Run { class: b'U', .. } => {
                    if !is_uuid(self.text.get(index..index + 36)?) {
                        return None;
                    }
                    index += 36;
                }
                Part::Run { class, least, most } => {
                    let longest = index.saturating_add(most).min(self.text.len());
                    let run = self.text.get(index..longest).unwrap_or_default();
                    let outside = run.iter().position(|byte| !in_class(class, *byte));
                    let count = outside.unwrap_or(run.len());
                    if count < least {
                        return None;
                    }
                    if next >= self.format.len() {
                        return Some(index + count);
                    }
                    // As many as there are, unless what follows needs some of them.
                    return (least..=count)
                        .rev()
                        .find_map(|count| self.follow(next, index + count));
                }
            }
            at = next;
        }
        Some(index)
    }
}

/// Whether 36 bytes are a UUID: groups of 8, 4, 4, 4 and 12 hexadecimal digits.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
pub(super) mod generate {
    //! Texts that a format matches, made from a seed.

    use super::{LONGEST, Part, in_class, part};

    /// A source of numbers that are not secret.
    pub(crate) struct Numbers(pub(crate) u64);

    impl Numbers {
        pub(crate) fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
        }

        pub(crate) fn of_class(&mut self, class: u8) -> u8 {
            let all: Vec<u8> = (0..=255).filter(|byte| in_class(class, *byte)).collect();
            all[self.below(all.len())]
        }
    }

    /// A text of a format.
    pub(crate) fn instance(format: &str, numbers: &mut Numbers) -> String {
        let (mut at, mut made) = (0, Vec::new());
        while let Some((piece, next)) = part(format.as_bytes(), at) {
            match piece {
                Part::Mark => {}
                Part::Literal(byte) => made.push(byte),
                Part::Run { class: b'U', .. } => {
                    for index in 0..36 {
                        made.push(match index {
                            8 | 13 | 18 | 23 => b'-',
                            _ => numbers.of_class(b'h'),
                        });
                    }
                }
                Part::Run { class, least, most } => {
                    let most = if most == LONGEST { least + 40 } else { most };
                    let count = least + numbers.below(most - least + 1);
                    made.extend((0..count).map(|_| numbers.of_class(class)));
                }
            }
            at = next;
        }
        String::from_utf8(made).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_matches_what_it_says_and_nothing_shorter() {
        let cases: &[(&str, &str, Option<usize>)] = &[
            ("ghp_<w4>", "ghp_ab12", Some(8)),
            ("ghp_<w4>", "ghp_ab1", None),
            ("<w2>.x.<u3+>", "a1.x.abc-_", Some(10)),
            ("sk-<u2+>AA", "sk-xxAAyAA.", Some(10)),
            ("a<d1-2><=0-2>", "a12==", Some(5)),
            ("k<U>", "k01234567-89ab-cdef-0123-456789abcdef", Some(37)),
            ("k<U>", "k01234567-89ab-cdef-0123-456789abcde", None),
        ];
        for (format, text, expected) in cases {
            assert_eq!(
                matches(format, text.as_bytes(), 0).map(|(_, end)| end),
                *expected,
                "{format} on {text}"
            );
        }
    }

    #[test]
    fn what_is_made_from_a_format_matches_it() {
        let mut numbers = generate::Numbers(7);
        for format in ["ghp_<w36>", "<q3>8Q~<q31-34>", "eyJ<u10+>.eyJ<u10+>.<u0+>", "x<U>-<z5>"] {
            let made = generate::instance(format, &mut numbers);
            assert_eq!(
                matches(format, made.as_bytes(), 0),
                Some((0, made.len())),
                "{format}: {made}"
            );
        }
    }
}
