//! Secrets in encoded text: base64, hexadecimal digits, percent signs, and these in each other. Owns finding and taking off the
//! layers; what is under them is read by the detector as any text.

use std::ops::Range;

use data_encoding::HEXLOWER_PERMISSIVE;

use super::{
    Detector, Encoding, Finding, Options, Place,
    encoded::{decode, unescaped},
    sieve::Sieve,
};

/// The shortest encoded text that is worth decoding: a token is no shorter.
const LEAST: usize = 24;
/// The longest run that is decoded.
const MOST: usize = 1 << 20;

/// Looks under one layer of `text`, and under as many below it as are left.
pub(super) fn look(
    text: &[u8],
    sieve: Option<&Sieve>,
    left: u8,
    options: &Options,
    place: Place<'_>,
    findings: &mut Vec<Finding>,
) {
    each_run(text, sieve, &mut |span| run(text, span, left, options, place, findings));
    percents(text, left, options, place, findings);
}

/// Where in a sieved text something may be encoded.
pub(super) fn each_place(text: &[u8], sieve: &Sieve, each: &mut dyn FnMut(usize)) {
    each_run(text, Some(sieve), &mut |span| {
        if text.get(span.clone()).is_some_and(may_be_text) {
            each(span.start);
        }
    });
    let is_escape = |at: &usize| {
        let digits = text.get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    memchr::memchr_iter(b'%', text).filter(is_escape).for_each(each);
}

fn encoded(byte: u8) -> bool {
    ENCODED.get(usize::from(byte)).copied().unwrap_or(false)
}

#[expect(clippy::indexing_slicing, reason = "runs when the program is built, over bytes")]
static ENCODED: [bool; 256] = {
    let mut encoded = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        encoded[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    encoded
};

/// Long runs of the alphabets of base64, of which the hexadecimal digits are a part.
fn each_run(text: &[u8], sieve: Option<&Sieve>, each: &mut dyn FnMut(Range<usize>)) {
    let Some(sieve) = sieve else { return each_run_in(text, 0..text.len(), each) };
    for run in sieve.runs.iter().filter(|run| run.len() >= LEAST) {
        each_run_in(text, run.clone(), each);
    }
}

fn each_run_in(text: &[u8], within: Range<usize>, each: &mut dyn FnMut(Range<usize>)) {
    let mut start = within.start;
    while start + LEAST <= within.end {
        // From the end, so that most of a text without runs is never looked at.
        let shortest = text.get(start..start + LEAST).unwrap_or_default();
        if let Some(other) = shortest.iter().rposition(|byte| !encoded(*byte)) {
            start += other + 1;
            continue;
        }
        let behind = text.get(start..).unwrap_or_default();
        let body = start + encoded_from(behind);
        let rest = text.get(body..).unwrap_or_default();
        let end = body + rest.iter().take(2).take_while(|byte| **byte == b'=').count();
        each(start..end);
        start = end;
    }
}

/// How many bytes from the start of a text on are of the alphabet, at most so many as are decoded.
fn encoded_from(text: &[u8]) -> usize {
    const WIDTH: usize = 8;
    let text = text.get(..MOST).unwrap_or(text);
    // Without a branch for each byte.
    let all = |chunk: &[u8; WIDTH]| chunk.iter().fold(true, |all, byte| all & encoded(*byte));
    let whole = text.as_chunks::<WIDTH>().0.iter().take_while(|chunk| all(chunk)).count() * WIDTH;
    let rest = text.get(whole..).unwrap_or_default();
    whole + rest.iter().take_while(|byte| encoded(**byte)).count()
}

fn run(
    text: &[u8],
    span: Range<usize>,
    left: u8,
    options: &Options,
    place: Place<'_>,
    findings: &mut Vec<Finding>,
) {
    let Some(run) = text.get(span.clone()) else { return };
    // Most runs are names and hashes.
    if !may_be_text(run) {
        return;
    }
    let hexadecimal =
        may_be_digits(run) && run.len().is_multiple_of(2) && run.iter().all(u8::is_ascii_hexdigit);
    let decoded = if hexadecimal {
        HEXLOWER_PERMISSIVE.decode(run).ok().map(|text| (text, Encoding::Hexadecimal))
    } else {
        decode(run).map(|text| (text, Encoding::Base64))
    };
    if let Some((inner, encoding)) = decoded {
        below(&inner, &span, encoding, left, options, place, findings);
    }
}

/// Whether a run begins as encoded text does.
fn may_be_text(run: &[u8]) -> bool {
    let is_group = |group: &[u8]| matches!(group.first(), Some(b'A'..=b'Z' | b'a'..=b'f'));
    // The first letter of each group of four says that the byte is ASCII.
    run.get(..LEAST).unwrap_or_default().chunks(4).all(is_group) || may_be_digits(run)
}

/// The same for hexadecimal digits: the first one of each byte says it.
fn may_be_digits(run: &[u8]) -> bool {
    let beginning = run.get(..LEAST).unwrap_or_default();
    beginning.chunks(2).all(|pair| matches!(pair.first(), Some(b'0'..=b'7')))
        && beginning.iter().all(u8::is_ascii_hexdigit)
}

/// Texts with at least two percent signs that encode something, up to the next blank or quote.
fn percents(
    text: &[u8],
    left: u8,
    options: &Options,
    place: Place<'_>,
    findings: &mut Vec<Finding>,
) {
    let ends =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let mut until = 0;
    for at in memchr::memchr_iter(b'%', text) {
        if at < until {
            continue;
        }
        let before = text.get(until..at).unwrap_or_default();
        let start = at - before.iter().rev().take(MOST).take_while(|byte| !ends(byte)).count();
        let behind = text.get(at..).unwrap_or_default();
        let end = at + behind.iter().take(MOST).take_while(|byte| !ends(byte)).count();
        until = end;
        let Some(piece) = text.get(start..end) else { continue };
        let (inner, signs) = unescaped(piece);
        if signs >= 2 {
            below(&inner, &(start..end), Encoding::Percent, left, options, place, findings);
        }
    }
}

fn below(
    inner: &[u8],
    span: &Range<usize>,
    encoding: Encoding,
    left: u8,
    options: &Options,
    place: Place<'_>,
    findings: &mut Vec<Finding>,
) {
    if !is_text(inner) {
        return;
    }
    let options = Options { layers: left.saturating_sub(1), ..options.clone() };
    for mut finding in Detector::new(options).scan_at(inner, place) {
        // What encoded text happens to spell must be surer than what stands there openly.
        if finding.confidence < crate::finding::Confidence::Medium {
            continue;
        }
        let again =
            findings.iter().any(|known| known.span.start < span.end && span.start < known.span.end);
        if again {
            continue;
        }
        finding.span = span.clone();
        finding.encodings.insert(0, encoding);
        findings.push(finding);
    }
}

/// Whether nearly all bytes are printable.
fn is_text(bytes: &[u8]) -> bool {
    let printable =
        bytes.iter().filter(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7f)).count();
    bytes.len() >= 12 && printable * 20 >= bytes.len() * 19
}
