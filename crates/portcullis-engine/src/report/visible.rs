//! Text made fit to be shown. Owns which characters a terminal or a reader could be fooled by, and where each byte of a
//! text went when they were written out; it does not lay anything out.

use std::{borrow::Cow, fmt::Write as _, ops::Range};

/// One line of text for a person: everything that is not plainly visible is written as its escape, line breaks too.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| !is_hidden(character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        push(&mut shown, character);
    }
    Cow::Owned(shown)
}

/// Several lines of text for a person: as [`line()`], with line feeds and tabs as they are.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let plain = |character: char| matches!(character, '\n' | '\t') || !is_hidden(character);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Shown::of(text, 0..text.len(), &[]).text)
}

/// A stretch of a text as it is shown, which knows where its bytes went.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What is shown.
    pub text: String,
    /// Pairs of an offset in the source and the one in `text` that it became, ascending; between two pairs both run in
    /// step.
    marks: Vec<(usize, usize)>,
}

impl Shown {
    /// The bytes of `source` in `range`, with each of `replaced` (ascending, apart from each other) standing in for its
    /// bytes. Line feeds and tabs stay; everything else that is hidden is escaped.
    #[must_use]
    pub fn of(source: &str, range: Range<usize>, replaced: &[(Range<usize>, String)]) -> Self {
        let mut shown = Self { text: String::new(), marks: vec![(range.start, 0)] };
        let mut at = range.start;
        for (place, substitute) in replaced {
            if place.end <= at || place.start >= range.end {
                continue;
            }
            shown.plain(source, at..place.start.max(at));
            shown.mark(place.start.max(at));
            shown.text.push_str(&line(substitute));
            at = place.end.min(range.end);
            shown.mark(at);
        }
        shown.plain(source, at..range.end);
        shown.mark(range.end);
        shown
    }

    /// Puts words of ours before everything.
    pub fn prepend(&mut self, words: &str) {
        self.text.insert_str(0, words);
        for mark in &mut self.marks {
            mark.1 += words.len();
        }
    }

    /// Where a range of the source went. What was replaced is covered whole.
    #[must_use]
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        let start = self.offset(range.start, false);
        let end = self.offset(range.end, true);
        start..end.max(start)
    }

    fn plain(&mut self, source: &str, range: Range<usize>) {
        let Some(text) = source.get(range.clone()) else { return };
        for (offset, character) in text.char_indices() {
            if matches!(character, '\n' | '\t') || !is_hidden(character) {
                self.text.push(character);
            } else {
                self.mark(range.start + offset);
                push(&mut self.text, character);
                self.mark(range.start + offset + character.len_utf8());
            }
        }
    }

    fn mark(&mut self, source: usize) {
        self.marks.push((source, self.text.len()));
    }

    fn offset(&self, source: usize, is_end: bool) -> usize {
        let after = self.marks.partition_point(|mark| mark.0 <= source);
        let (from, to) = match after.checked_sub(1).and_then(|before| self.marks.get(before)) {
            Some(mark) => *mark,
            None => return 0,
        };
        match self.marks.get(after) {
            // In step up to the next mark, or inside something that was replaced.
            Some((_, next)) if from == source => to.min(*next),
            Some((next_source, next)) if next - to == next_source - from => to + (source - from),
            Some((_, next)) => {
                if is_end {
                    *next
                } else {
                    to
                }
            }
            None => to,
        }
    }
}

/// Whether a character does not show itself as what it is: it moves the cursor, changes colours or the direction of
/// writing, has no width, or looks like an ordinary space.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    HIDDEN
        .binary_search_by(|range| {
            if *range.end() < u32::from(character) {
                std::cmp::Ordering::Less
            } else if *range.start() > u32::from(character) {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

/// Unicode 17: general categories Cc, Cf, Zl, Zp, Zs without U+0020, Co and the noncharacters, and the property
/// `Default_Ignorable_Code_Point`; with U+2800 (an empty braille cell) and U+303F, which look like spaces.
const HIDDEN: &[std::ops::RangeInclusive<u32>] = &[
    0x80..=0xa0,
    0xad..=0xad,
    0x34f..=0x34f,
    0x600..=0x605,
    0x61c..=0x61c,
    0x6dd..=0x6dd,
    0x70f..=0x70f,
    0x890..=0x891,
    0x8e2..=0x8e2,
    0x115f..=0x1160,
    0x1680..=0x1680,
    0x17b4..=0x17b5,
    0x180b..=0x180f,
    0x2000..=0x200f,
    0x2028..=0x202f,
    0x205f..=0x206f,
    0x2800..=0x2800,
    0x3000..=0x3000,
    0x303f..=0x303f,
    0x3164..=0x3164,
    0xe000..=0xf8ff,
    0xfdd0..=0xfdef,
    0xfe00..=0xfe0f,
    0xfeff..=0xfeff,
    0xffa0..=0xffa0,
    0xfff0..=0xfffb,
    0xfffe..=0xffff,
    0x110bd..=0x110bd,
    0x110cd..=0x110cd,
    0x13430..=0x1343f,
    0x1bca0..=0x1bca3,
    0x1d159..=0x1d159,
    0x1d173..=0x1d17a,
    0x1fffe..=0x1ffff,
    0xe0000..=0x0010_ffff,
];

fn push(shown: &mut String, character: char) {
    match character {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        _ if is_hidden(character) => {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        }
        _ => shown.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_fool_a_reader_is_written_out() {
        for (text, shown) in [
            ("ls -la 'ordinär 漢字 😀'", "ls -la 'ordinär 漢字 😀'"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("a\rb\nc\td", "a\\rb\\nc\\td"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("r\u{200b}m", "r\\u{200b}m"),
            ("a\u{e0041}\u{fe0f}", "a\\u{e0041}\\u{fe0f}"),
            ("a\u{9b}31m\u{7f}\0", "a\\u{9b}31m\\u{7f}\\u{0}"),
            ("a\u{a0}b\u{3000}\u{2028}", "a\\u{a0}b\\u{3000}\\u{2028}"),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(lines("a\r\n\tb"), "a\\r\n\tb");
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(HIDDEN.is_sorted_by(|left, right| left.end() < right.start()));
    }

    #[test]
    fn places_follow_their_text_through_escapes_and_substitutes() {
        let source = "a\u{202e}rm secret; ls";
        let secret = source.find("secret").unwrap_or_default();
        let replaced = [(secret..secret + 6, "***".to_owned())];
        let mut shown = Shown::of(source, 0..source.len(), &replaced);
        shown.prepend("… ");
        assert_eq!(shown.text, "… a\\u{202e}rm ***; ls");
        for (part, became) in [
            ("a", "a"),
            ("\u{202e}", "\\u{202e}"),
            ("rm", "rm"),
            ("rm secret", "rm ***"),
            ("cre", "***"),
            ("cret; l", "***; l"),
            ("ls", "ls"),
        ] {
            let at = source.find(part).unwrap_or_default();
            let place = shown.place(at..at + part.len());
            assert_eq!(shown.text.get(place), Some(became), "{part:?}");
        }
    }
}
