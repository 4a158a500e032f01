//! Which stretches of a long text are worth the index. Owns two tests that are quick because they look at many bytes at once:
//! for words, and for runs of the bytes that tokens are made of.
//!
//! A token is long and has no blank in it, and a name that promises a secret is one of few words. Whatever the index leads to
//! has either a run of [`LEAST`] bytes or one of the words in it; a test walks over all types and names and says so.

use std::ops::Range;

use super::{
    pieces::{self, AROUND, FOLD},
    scan::Purpose,
    source::{is_blank, is_name},
};

/// The shortest run that makes a stretch.
const LEAST: usize = 18;
/// The shortest text that is sieved: below that the index over all of it is as quick as the tests.
const SHORTEST: usize = 1 << 12;
/// How far before a run the name of a vendor may begin, or the anchor of a spelling.
const NAMED: usize = 96;
const SPELT: usize = 20;

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
const fn of_token(bytes: u64) -> u64 {
    const HIGH: u64 = each(0x80);
    let plain = bytes & !HIGH;
    let letters = plain | each(FOLD);
    // The highest bit of each byte that is at least, or at most, so much. None of them carries into the next.
    const fn least(bytes: u64, byte: u8) -> u64 {
        bytes + each(0x80 - byte)
    }
    const fn most(bytes: u64, byte: u8) -> u64 {
        !(bytes + each(0x7f - byte))
    }
    let inside = least(letters, b'a') & most(letters, b'z')
        // `+`, `,`, `-`, `.`, `/` and the digits.
        | least(plain, b'+') & most(plain, b'9')
        | least(plain, b'$') & most(plain, b'%')
        | least(plain, b'=') & most(plain, b'=')
        | least(plain, b'_') & most(plain, b'_')
        | least(plain, b'~') & most(plain, b'~');
    inside & !bytes & HIGH
}

/// Runs with what stands before them, and words with what stands around them, joined where they meet.
fn stretches(
    text: &[u8],
    named: bool,
    runs: &[Range<usize>],
    words: &[usize],
) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    let mut add = |start: usize, end: usize| match joined.last_mut() {
        Some(last) if last.end >= start => last.end = last.end.max(end),
        _ => joined.push(start..end),
    };
    let around = |at: usize| (at.saturating_sub(AROUND), text.len().min(at + 2 * AROUND));
    let mut words = words.iter().map(|at| around(*at)).peekable();
    for run in runs {
        let spelt = run.start.saturating_sub(SPELT);
        let start = if named { spelt.min(name_before(text, run)) } else { spelt };
        while let Some((word, end)) = words.next_if(|word| word.0 <= start) {
            add(word, end);
        }
        add(start, run.end);
    }
    for (start, end) in words {
        add(start, end);
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
    let is_sign = |byte: &u8| matches!(byte, b'=' | b':' | b'>' | b'|' | b'?' | b',');
    let before = text.get(run.start.saturating_sub(OPENING)..run.start).unwrap_or_default();
    let inside = text.get(run.start..run.end - (LEAST - 1)).unwrap_or_default();
    if before.iter().chain(inside).any(is_sign) {
        return run.start.saturating_sub(NAMED);
    }
    let before = text.get(run.start.saturating_sub(NAMED)..run.start).unwrap_or_default();
    let mut bytes = before.iter().rev().copied().peekable();
    let mut length = 0;
    while length < BLANKS && bytes.next_if(|byte| is_blank(*byte)).is_some() {
        length += 1;
    }
    run.start - length - bytes.take_while(|byte| is_name(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            format::{Part, generate::Numbers, in_class, part},
            jobs::JOBS,
            kinds::{SecretType, all},
            loose::SHAPES,
            scan::{candidates, pass},
            tests::example,
        },
        *,
    };

    fn is_of_token(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"+,-./$%=_~".contains(&byte)
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
        let (mut at, mut begun, mut longest, mut run) = (0, 0, 0, 0);
        while let Some((found, next)) = part(format, at) {
            let (least, most, inside) = match found {
                Part::Literal(byte) => (1, 1, is_of_token(byte)),
                Part::Mark => (0, 0, true),
                Part::Run { class, least, most } => (least, most, of_tokens(class)),
            };
            if inside {
                run += least;
                longest += most;
                if run >= LEAST {
                    return Some(begun);
                }
            } else {
                begun += longest + most;
                (run, longest) = (0, 0);
            }
            at = next;
        }
        None
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
        for kind in all() {
            for format in kind.formats {
                let keywords = kind.keywords;
                let named = !keywords.is_empty();
                let near = run_in(format.as_bytes()).is_some_and(|begun| begun <= SPELT);
                let by_word = if named {
                    keywords.iter().all(|keyword| has_piece(keyword, &pieces::ALL))
                } else {
                    has_piece(format, &[pieces::SPELT])
                };
                if !near && !by_word {
                    without.push((kind.id, format));
                }
            }
        }
        assert!(without.is_empty(), "{without:#?}");
        for (word, _) in JOBS {
            assert!(word.len() <= AROUND && has_piece(word, &pieces::ALL), "{word}");
        }
        for shape in SHAPES {
            let run = of_tokens(shape.body).then_some(shape.prefix.len() + shape.least);
            let web_token = shape.prefix == "eyJ";
            let by_word = has_piece(shape.prefix, &[pieces::SPELT]);
            assert!(run >= Some(LEAST) || web_token || by_word, "{}", shape.prefix);
        }
        assert!(
            all().flat_map(|kind| kind.keywords).all(|keyword| keyword.len() + 54 + SPELT <= NAMED)
        );
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
