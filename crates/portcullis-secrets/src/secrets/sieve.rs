//! Which stretches of a long text are worth the index. Owns two tests that are quick because they look at many bytes at once:
//! for words, and for runs of the bytes that tokens are made of.
//!
//! A token is long and has no blank in it, and a name that promises a secret is one of few words. Whatever the index leads to
//! has either a run of [`LEAST`] bytes or one of the words in it; a test walks over all types and names and says so.

use std::ops::Range;

use super::{
    pieces::{self, FOLD},
    purpose::Purpose,
    source::{is_blank, is_name, is_quote},
};

/// The shortest run that makes a stretch.
const LEAST: usize = 18;
/// The shortest text that is sieved: below that the index over all of it is as quick as the tests.
const SHORTEST: usize = 1 << 12;
/// How far before a run, or before a sign in it, the name of a vendor may begin, and before a run the anchor of a spelling.
const NAMED: usize = 96;
const SPELT: usize = 20;
/// A window of the index that begins in a run has all its bytes there.
const LAST: usize = 4;

/// What is worth a look in a text.
pub(super) struct Sieve {
    /// The runs of at least [`LEAST`] bytes of which tokens are made; whatever is longer and encoded lies in one.
    pub(super) runs: Vec<Range<usize>>,
    /// Where the index is to be asked, in order and apart.
    pub(super) stretches: Vec<Range<usize>>,
}

impl Sieve {
    /// Sieves a text, or gives nothing where all of it is to be looked at.
    pub(super) fn of(text: &[u8], purpose: Purpose) -> Option<Self> {
        if text.len() < SHORTEST {
            return None;
        }
        let named = purpose != Purpose::Spellings;
        let words = if named {
            pieces::places(text, pieces::FOR_ALL.as_ref()?)
        } else {
            pieces::places(text, pieces::FOR_SPELLINGS.as_ref()?)
        };
        let runs = runs(text);
        let stretches = stretches(text, named, &runs, &words);
        Some(Self { runs, stretches })
    }
}

/// The runs of bytes of which tokens are made.
fn runs(text: &[u8]) -> Vec<Range<usize>> {
    const WIDTH: usize = 64;
    const _: () = assert!(LEAST > 16 && LEAST <= 32);
    const BEFORE: usize = LEAST - 1;
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut note = |start: usize, end: usize| match runs.last_mut() {
        Some(last) if last.end >= start => last.end = end,
        _ => runs.push(start..end),
    };
    let mut last: u64 = 0;
    let (whole, rest) = text.as_chunks::<WIDTH>();
    let mut tail = [0; WIDTH];
    for (inside, byte) in tail.iter_mut().zip(rest) {
        *inside = *byte;
    }
    for (number, chunk) in whole.iter().chain([&tail]).enumerate() {
        let mask = mask(chunk);
        // The end of the chunk before, and this one; a bit stays where so many others follow it.
        let both = u128::from(last >> (WIDTH - BEFORE)) | u128::from(mask) << BEFORE;
        last = mask;
        let two = both & both >> 1;
        let four = two & two >> 2;
        let eight = four & four >> 4;
        let sixteen = eight & eight >> 8;
        let mut begun = sixteen & sixteen >> (LEAST - 16);
        while begun != 0 {
            let (at, count) =
                (begun.trailing_zeros(), (begun >> begun.trailing_zeros()).trailing_ones());
            let start = (number * WIDTH + at as usize).saturating_sub(BEFORE);
            note(start, start + count as usize + BEFORE);
            begun &= !(((1 << count) - 1) << at);
        }
    }
    runs
}

/// A bit for each byte of which tokens are made.
fn mask(chunk: &[u8; 64]) -> u64 {
    // Gathers the lowest bits of eight bytes.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut mask = 0;
    for eight in chunk.as_chunks::<8>().0 {
        let inside = of_token(u64::from_le_bytes(*eight)) >> 7;
        mask = mask >> 8 | inside.wrapping_mul(GATHER) & 0xff << 56;
    }
    mask
}

/// This byte in each of eight.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Which of eight bytes belong to one of the classes of spellings that have no quotes and brackets in them: the highest bit of
/// each that does. Written out over eight bytes in a word, because whether a compiler does so by itself depends on how the whole
/// program is built.
///
/// Asked in lower case, so that one range has all letters; `^` and some control characters count too.
const fn of_token(bytes: u64) -> u64 {
    const HIGH: u64 = each(0x80);
    let folded = bytes & !HIGH | each(FOLD);
    // The highest bit of each byte that is at least so much. None of them carries into the next.
    const fn least(bytes: u64, byte: u8) -> u64 {
        bytes + each(0x80 - byte)
    }
    // A byte is inside where it has passed an odd number of borders.
    let inside = least(folded, b'$')
        ^ least(folded, b'%' + 1)
        // `+`, `,`, `-`, `.`, `/` and the digits.
        ^ least(folded, b'+')
        ^ least(folded, b'9' + 1)
        ^ least(folded, b'=')
        ^ least(folded, b'=' + 1)
        ^ least(folded, b'a')
        ^ least(folded, b'z' + 1)
        // `~`, and `_` in lower case.
        ^ least(folded, b'~');
    inside & !bytes & HIGH
}

/// Runs with what stands before them, and the places that words lead to, joined where they meet.
fn stretches(
    text: &[u8],
    named: bool,
    runs: &[Range<usize>],
    words: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    let mut add = |mut start: usize, mut end: usize| {
        // The name before a run may begin before what is there already.
        while let Some(last) = joined.pop_if(|last| last.end >= start) {
            (start, end) = (start.min(last.start), end.max(last.end));
        }
        joined.push(start..end);
    };
    let mut words = words.iter().peekable();
    for run in runs {
        let spelt = run.start.saturating_sub(SPELT);
        let start = if named { spelt.min(name_before(text, run)) } else { spelt };
        while let Some(word) = words.next_if(|word| word.start <= start) {
            add(word.start, word.end);
        }
        add(start, run.end - (LAST - 1));
    }
    for word in words {
        add(word.start, word.end);
    }
    joined
}

/// Where the name may begin of which a run is the value, or of which a value in it is one.
///
/// A sign stands between a name and its value, right before it but for what opens the value; or the name is an option and only
/// blanks stand between.
fn name_before(text: &[u8], run: &Range<usize>) -> usize {
    const OPENING: usize = 7;
    const BLANKS: usize = 4;
    const CLOSING: usize = 8;
    let is_sign = |byte: u8| matches!(byte, b'=' | b':' | b'>' | b'|' | b'?' | b',');
    let closes = |byte: u8| {
        is_quote(byte) || byte.is_ascii_whitespace() || matches!(byte, b']' | b')' | b'\\')
    };
    let blank = run.start - before(text, run.start, BLANKS, is_blank);
    let option = blank - before(text, blank, NAMED, is_name);
    // The first sign: what stands before another one has this one before it.
    let from = run.start.saturating_sub(OPENING);
    let opening = text.get(from..run.start).unwrap_or_default();
    let inside = text.get(run.start..run.end - (LEAST - 1)).unwrap_or_default();
    let sign = opening
        .iter()
        .position(|byte| is_sign(*byte))
        .map(|at| from + at)
        .or_else(|| memchr::memchr2(b'=', b',', inside).map(|at| run.start + at));
    let Some(sign) = sign else { return option };
    let closed = sign - before(text, sign, CLOSING, |byte| is_sign(byte) || closes(byte));
    option.min(closed - before(text, closed, NAMED, |byte| is_name(byte) || is_blank(byte)))
}

/// How many bytes before a place are such, at most so many.
fn before(text: &[u8], at: usize, most: usize, such: impl Fn(u8) -> bool) -> usize {
    let before = text.get(at.saturating_sub(most)..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| such(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            format::{Part, generate::Numbers, in_class, part},
            index::{CONTEXT, KEYWORD, LOOSE, anchor_of, entries},
            jobs::JOBS,
            kinds::{SecretType, TABLES, all},
            loose::SHAPES,
            scan::{candidates, pass},
            tests::example,
        },
        *,
    };

    fn is_of_token(byte: u8) -> bool {
        let folded = byte | FOLD;
        folded.is_ascii_alphanumeric() || b"+,-./$%=~\x7f".contains(&folded)
    }

    #[test]
    fn every_byte_is_classed_alike_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for place in 0..64 {
                for other in [0, b'a', b'@', 0x7f, 0xff] {
                    let mut chunk = [other; 64];
                    chunk[place] = byte;
                    let plain = chunk
                        .iter()
                        .rev()
                        .fold(0, |mask: u64, byte| mask << 1 | u64::from(is_of_token(*byte)));
                    assert_eq!(mask(&chunk), plain, "{byte} at {place} among {other}");
                }
            }
        }
    }

    fn of_tokens(class: u8) -> bool {
        class == b'U' || (0..=u8::MAX).all(|byte| !in_class(class, byte) || is_of_token(byte))
    }

    /// Where at the latest a run of a format begins that is long enough in any case.
    fn run_in(format: &[u8]) -> Option<usize> {
        runs_in(format).into_iter().next().map(|run| run.begins)
    }

    /// A run of a format that is long enough in any case.
    struct RunIn {
        /// Where at the latest it begins in what is matched.
        begins: usize,
        /// Where it begins and ends in the format.
        from: usize,
        to: usize,
    }

    fn runs_in(format: &[u8]) -> Vec<RunIn> {
        let mut runs = Vec::new();
        let (mut at, mut from, mut begins, mut least, mut most) = (0, 0, 0, 0, 0);
        loop {
            let next = part(format, at);
            let (fewest, longest, inside) = match next {
                Some((Part::Literal(byte), _)) => (1, 1, is_of_token(byte)),
                Some((Part::Mark, _)) => (0, 0, true),
                Some((Part::Run { class, least, most }, _)) => (least, most, of_tokens(class)),
                None => (0, 0, false),
            };
            if inside {
                (least, most) = (least + fewest, most + longest);
            } else {
                if least >= LEAST {
                    runs.push(RunIn { begins, from, to: at });
                }
                begins += most + longest;
                (least, most) = (0, 0);
                from = next.map_or(at, |(_, next)| next);
            }
            let Some((_, next)) = next else { return runs };
            at = next;
        }
    }

    /// The fewest and most bytes of what a stretch of a format matches.
    fn length(format: &[u8], mut at: usize, to: usize) -> (usize, usize) {
        let (mut fewest, mut longest) = (0, 0);
        while at < to
            && let Some((found, next)) = part(format, at)
        {
            let (least, most) = match found {
                Part::Literal(_) => (1, 1),
                Part::Mark => (0, 0),
                Part::Run { least, most, .. } => (least, most),
            };
            (fewest, longest) = (fewest + least, longest + most);
            at = next;
        }
        (fewest, longest)
    }

    /// Whether the window at a place of a format lies in the stretch around one of its runs.
    fn is_near(format: &[u8], window: usize) -> bool {
        runs_in(format).iter().any(|run| {
            window < run.to
                && length(format, window, run.from).1 <= SPELT
                && length(format, window, run.to).0 >= LAST
        })
    }

    fn has_piece(text: &str, tables: &[&[&[&str]]]) -> bool {
        let text = pieces::folded(text);
        tables.iter().copied().flatten().copied().flatten().any(|piece| {
            let piece = pieces::folded(piece);
            text.windows(piece.len()).any(|window| window == piece)
        })
    }

    #[test]
    fn whatever_the_index_leads_to_has_a_long_run_or_a_word() {
        let mut without = Vec::new();
        for entry in entries() {
            let anchor = anchor_of(entry);
            let name = std::str::from_utf8(anchor).unwrap();
            let by_word = has_piece(name, &pieces::ALL);
            let found = match entry.table {
                CONTEXT => by_word,
                LOOSE => {
                    let shape = &SHAPES[usize::from(entry.row)];
                    let behind = anchor.len() - usize::from(entry.offset) + shape.least;
                    let run = of_tokens(shape.body) && anchor.len() + shape.least >= LEAST;
                    by_word || shape.prefix == "eyJ" || run && behind >= LAST
                }
                table => {
                    let kind = &TABLES[usize::from(table)][usize::from(entry.row)];
                    if entry.item >= KEYWORD {
                        assert!(name.len() + 54 + SPELT <= NAMED, "{name}");
                        assert!(name.bytes().all(|byte| is_name(byte) || is_blank(byte)), "{name}");
                        let is_long = |format: &&str| {
                            run_in(format.as_bytes()).is_some_and(|begins| begins <= SPELT)
                        };
                        by_word || kind.formats.iter().all(is_long)
                    } else {
                        let format = kind.formats[usize::from(entry.item)].as_bytes();
                        let window = usize::from(entry.anchor.at) + usize::from(entry.offset);
                        is_near(format, window) || by_word && has_piece(name, &[pieces::SPELT])
                    }
                }
            };
            if !found && without.last() != Some(&name) {
                without.push(name);
            }
        }
        assert!(without.is_empty(), "{without:#?}");
    }

    /// Blank text, so that nothing but what is put into it is worth a look.
    fn padded(text: &str, before: usize) -> String {
        format!("{}{text}{}", "a b\n".repeat(before / 4), " c d".repeat(SHORTEST / 4))
    }

    fn spans(text: &str, purpose: Purpose, sieved: bool) -> Vec<(usize, usize, &'static str)> {
        let found = if sieved {
            candidates(text.as_bytes(), purpose)
        } else {
            pass(text.as_bytes(), None, purpose, false).found
        };
        let mut spans: Vec<_> =
            found.iter().map(|found| (found.start, found.end, found.kind.id)).collect();
        spans.sort_unstable();
        spans
    }

    /// Ways in which a value is given to what is named after its vendor.
    fn named(kind: &SecretType, text: &str) -> Vec<String> {
        let Some(keyword) = kind.keywords.first() else { return vec![format!("x({text})")] };
        vec![
            format!("\"{keyword}_and_a_long_name_behind_it_of_40\" :=  [\"{text}\"]"),
            format!("--{keyword}-and-a-long-name-behind-it    {text}"),
            format!("X{keyword}={text}"),
        ]
    }

    #[test]
    fn a_sieved_text_gives_what_it_gives_unsieved() {
        if pieces::FOR_ALL.is_none() {
            return;
        }
        let mut numbers = Numbers(11);
        for kind in all() {
            for format in kind.formats {
                for text in named(kind, &example(kind, format, &mut numbers)) {
                    for purpose in [Purpose::Report, Purpose::Spellings] {
                        let text = padded(&text, pieces::PORTION - 32);
                        let with = spans(&text, purpose, true);
                        assert_eq!(with, spans(&text, purpose, false), "{}: {format}", kind.id);
                    }
                }
            }
        }
        for (word, _) in JOBS {
            for value in
                ["=kT7#vQ2mX9!wZ ", " -pkT7#vQ2mX9wZ ", "//a:kT7vQ2mX9@b/", " -u a:kT7vQ2mX9"]
            {
                let text = padded(&format!("{word}{value}"), pieces::PORTION - 8);
                let purpose = Purpose::Mask;
                assert_eq!(spans(&text, purpose, true), spans(&text, purpose, false), "{word}");
            }
        }
    }

    #[test]
    fn runs_are_those_that_a_plain_loop_finds() {
        let mut numbers = Numbers(5);
        for _ in 0..200 {
            let text: Vec<u8> = (0..numbers.below(400))
                .map(|_| {
                    if numbers.below(14) == 0 { b' ' } else { b"aZ9_-/+=.~%$,"[numbers.below(13)] }
                })
                .collect();
            let mut plain: Vec<Range<usize>> = Vec::new();
            let mut start = 0;
            for end in 0..=text.len() {
                if text.get(end).is_none_or(|byte| !is_of_token(*byte)) {
                    if end - start >= LEAST {
                        plain.push(start..end);
                    }
                    start = end + 1;
                }
            }
            assert_eq!(runs(&text), plain, "{}", String::from_utf8_lossy(&text));
        }
    }
}
