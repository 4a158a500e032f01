//! One pass over a text: every place where a secret may begin is looked at, and what was found is collected. Owns the
//! dispatch and the checks on spellings; names and surroundings are read by `context`.

use super::{
    format::{self, LONGEST, Part},
    index::{self, Anchor, CONTEXT, Entry, KEYWORD, LOOSE, anchor_of},
    jobs::{self, Job},
    kinds::{self, SecretType, TABLES},
    loose::SHAPES,
    purpose::Purpose,
    sieve::Sieve,
    source::{Source, is_blank, is_name, is_quote},
    validate::{self, Validity},
    value,
};
use crate::finding::Confidence;

/// A text that may be a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Its first byte.
    pub(super) start: usize,
    /// Behind its last one.
    pub(super) end: usize,
    /// The first byte that tells something: what stands before it every token of the type has.
    pub(super) body: usize,
    /// What it is.
    pub(super) kind: &'static SecretType,
    /// How sure; `None` where it is only good for masking.
    pub(super) confidence: Option<Confidence>,
    /// What its inside says.
    pub(super) validity: Validity,
    /// What wins where two overlap: the higher one.
    pub(super) rank: u8,
}

/// A spelling of its own.
pub(super) const SPELT: u8 = 4;
/// A key with its armour, an address with its password.
pub(super) const FRAMED: u8 = 3;
/// A spelling that counts only under its vendor's name.
const NAMED_AFTER_VENDOR: u8 = 2;
/// Something with a telling name.
pub(super) const NAMED: u8 = 1;

/// The lines between which a key stands.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Frame {
    /// How the first line begins.
    pub(super) begin: &'static [u8],
    /// How the last line begins.
    pub(super) end: &'static [u8],
    /// What the last line ends with: a dash, or a digit of a checksum.
    pub(super) tail: u8,
}

impl Frame {
    /// Where the last line that begins at `at` ends.
    pub(super) fn closed(&self, source: Source<'_>, at: usize) -> usize {
        let label = at + self.end.len();
        if self.tail != b'-' {
            return source.skip(label, |byte| format::in_class(self.tail, byte));
        }
        let label = source.skip(label, |byte| byte != b'-' && byte != b'\n');
        source.skip(label, |byte| byte == b'-')
    }
}

/// Something whose end is not in the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Closer {
    /// The last line of an armour.
    Armour(&'static Frame),
    /// What opened a quoted value.
    Quote(Vec<u8>),
    /// The end of a word.
    Word,
}

/// A secret that goes on behind the text.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// Its first byte.
    pub(super) start: usize,
    /// What it is.
    pub(super) kind: &'static SecretType,
    /// What ends it.
    pub(super) closer: Closer,
}

/// A pass, and what it found.
pub(super) struct Scan<'a> {
    pub(super) source: Source<'a>,
    pub(super) purpose: Purpose,
    pub(super) found: Vec<Candidate>,
    /// Up to here names were read; what follows in the same name is not read again.
    pub(super) names_until: usize,
    /// Up to here names and values were taken.
    pub(super) values_until: usize,
    /// Up to here addresses were taken.
    pub(super) addresses_until: usize,
    /// Up to here there is no `@`.
    pub(super) without_at: usize,
    /// Up to here calls were read.
    pub(super) calls_until: usize,
    /// Up to here options were read.
    pub(super) options_until: usize,
    /// Up to here armour was taken.
    pub(super) armour_until: usize,
    /// Up to here manifests and web keys were taken.
    pub(super) objects_until: usize,
    /// Up to here the words of phrases were read.
    pub(super) phrases_until: usize,
    /// Up to here beginnings were followed.
    loose_until: usize,
    /// Whether more text may follow.
    goes_on: bool,
    /// The first secret that goes on in it.
    pub(super) open: Option<Open>,
    /// Whether something was begun that only more text can decide.
    pub(super) wants_more: bool,
}

/// Everything in a text that the purpose asks for, unsorted.
pub(super) fn candidates(bytes: &[u8], purpose: Purpose) -> Vec<Candidate> {
    let sieve = Sieve::of(bytes, purpose);
    pass(bytes, sieve.as_ref(), purpose, false).found
}

/// The same for a text that was sieved, and behind which more may come.
pub(super) fn pass<'a>(
    bytes: &'a [u8],
    sieve: Option<&Sieve>,
    purpose: Purpose,
    goes_on: bool,
) -> Scan<'a> {
    let mut scan = Scan::new(bytes, purpose, goes_on);
    scan.alone();
    index::each_hit(bytes, sieve.map(|sieve| sieve.stretches.as_slice()), |start, entry| {
        scan.look(start, entry)
    });
    scan
}

/// The same for a text of which all hits are known, in the order of their windows, and behind which more comes.
pub(super) fn pass_over<'a>(
    bytes: &'a [u8],
    hits: impl Iterator<Item = (usize, Entry)>,
    purpose: Purpose,
) -> Scan<'a> {
    let mut scan = Scan::new(bytes, purpose, true);
    hits.for_each(|(start, entry)| scan.look(start, entry));
    scan
}

/// Whether the anchor of an entry stands at `start`: windows are the same more often.
pub(super) fn is_anchored(text: &[u8], start: usize, entry: Entry) -> bool {
    let source = Source { bytes: text };
    let anchor = anchor_of(entry);
    match entry.table {
        CONTEXT => {
            let begins = start == 0 || !is_name(source.at(start - 1));
            let job = jobs::JOBS.get(usize::from(entry.row)).map(|(_, job)| *job);
            source.has_word(start, anchor) && (begins || job != Some(Job::Program))
        }
        LOOSE => source.starts_with(start, anchor),
        _ if entry.item >= KEYWORD => source.has_word(start, anchor),
        _ => source.starts_with(start, anchor),
    }
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8], purpose: Purpose, goes_on: bool) -> Self {
        Self {
            source: Source { bytes },
            purpose,
            found: Vec::new(),
            names_until: 0,
            values_until: 0,
            addresses_until: 0,
            without_at: 0,
            calls_until: 0,
            options_until: 0,
            armour_until: 0,
            objects_until: 0,
            phrases_until: 0,
            loose_until: 0,
            goes_on,
            open: None,
            wants_more: false,
        }
    }
}

impl Scan<'_> {
    /// Notes a secret whose end is not in the text, where more text may bring it.
    pub(super) fn leave_open(
        &mut self,
        start: usize,
        kind: &'static SecretType,
        closer: Closer,
    ) -> bool {
        if self.goes_on && self.open.as_ref().is_none_or(|open| start < open.start) {
            self.open = Some(Open { start, kind, closer });
        }
        self.goes_on
    }

    /// What needs nothing around it where it is all of a text, as a program shows it or a file of its own keeps it: the words of a
    /// wallet, a key of one.
    fn alone(&mut self) {
        const KEY: std::ops::RangeInclusive<usize> = 51..=54;
        self.phrase_alone();
        let is_digit = |byte: &u8| format::in_class(b'5', *byte) || byte.is_ascii_whitespace();
        if KEY.contains(&self.source.len()) && self.source.bytes.iter().all(is_digit) {
            let kind = &kinds::BITCOIN_KEY;
            let _ = kind.formats.iter().any(|format| self.take(0, kind, format, SPELT, 0));
        }
    }

    /// Notes that what was begun at the end of the text can only be read with more of it.
    pub(super) fn want_more(&mut self) {
        self.wants_more |= self.goes_on;
    }

    fn look(&mut self, start: usize, entry: Entry) {
        match entry.table {
            CONTEXT => self.look_around(start, entry),
            LOOSE => self.follow_beginning(start, entry),
            table => {
                let kind = TABLES
                    .get(usize::from(table))
                    .and_then(|rows| rows.get(usize::from(entry.row)));
                let Some(kind) = kind else { return };
                if entry.item < KEYWORD {
                    self.spelt(start, kind, entry);
                } else if self.purpose != Purpose::Spellings {
                    self.named_after_vendor(start, kind, usize::from(entry.item - KEYWORD));
                }
            }
        }
    }

    fn look_around(&mut self, start: usize, entry: Entry) {
        let Some((word, job)) = jobs::JOBS.get(usize::from(entry.row)) else { return };
        if self.purpose == Purpose::Spellings && *job != Job::Armour
            || !self.source.has_word(start, word.as_bytes())
        {
            return;
        }
        match job {
            Job::Name => self.name(start),
            Job::Address => self.address(start),
            Job::Armour => self.armour(start),
            Job::Manifest => self.manifest(start),
            Job::Data => self.data(start),
            Job::WebKey => self.web_key(start),
            Job::Program => self.program(start),
            Job::Given => self.quoted_behind(start + word.len()),
            Job::Call => self.call_at(start),
            Job::Network => self.before_network(start),
            Job::Slashed => self.slashed(start + word.len()),
            Job::PasswordFile => self.password_file(start),
            Job::Body => self.body(start + word.len()),
            Job::Fed => self.fed(start + word.len(), false),
            Job::Phrase => self.phrase(start + word.len()),
            Job::Bot => self.bot(start + word.len()),
        }
    }

    /// The token that a call of a chat's library takes: `client.login("…")`.
    fn bot(&mut self, from: usize) {
        let kind = &kinds::DISCORD_BOT;
        let _ =
            kind.formats.iter().any(|format| self.take(from, kind, format, NAMED_AFTER_VENDOR, 1));
    }

    /// A type with a spelling of its own; `start` is where its anchor begins.
    fn spelt(&mut self, start: usize, kind: &'static SecretType, entry: Entry) {
        let Some(format) = kind.formats.get(usize::from(entry.item)) else { return };
        let Anchor { at: _, len: _, lead, lead_class, next: _ } = entry.anchor;
        if !self.source.starts_with(start, entry.anchor.of(format)) {
            return;
        }
        let (least, most) = (usize::from(lead.0), usize::from(lead.1));
        let lead = if least == most {
            least
        } else {
            let before = self.source.slice(start.saturating_sub(most), start);
            before.iter().rev().take_while(|byte| format::in_class(lead_class, **byte)).count()
        };
        let Some(from) = start.checked_sub(lead) else { return };
        if !self.may_begin(from, format) {
            return;
        }
        self.take(from, kind, format, SPELT, 0);
    }

    /// Whether a token may begin here: not inside a word, except behind an escape.
    fn may_begin(&self, from: usize, format: &str) -> bool {
        let Some(before) = from.checked_sub(1).map(|at| self.source.at(at)) else { return true };
        let first = match format::part(format.as_bytes(), 0) {
            Some((Part::Run { class, .. }, _)) => Some(class),
            _ => None,
        };
        let starts_with_sign =
            first.is_none() && !format.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if starts_with_sign {
            return true;
        }
        let two = from.checked_sub(2).map_or(0, |at| self.source.at(at));
        let three = from.checked_sub(3).map_or(0, |at| self.source.at(at));
        let escaped = two == b'\\' && matches!(before, b'n' | b'r' | b't')
            || three == b'%' && two.is_ascii_hexdigit() && before.is_ascii_hexdigit();
        if escaped {
            return true;
        }
        // `-` joins words, but not at the beginning of a line or behind `:`, as in a patch or a shell's default.
        let joined = before == b'-' && (two.is_ascii_alphanumeric() || matches!(two, b'_' | b'-'));
        !(before.is_ascii_alphanumeric()
            || before == b'_'
            || first.is_some_and(|class| before != b'-' && format::in_class(class, before))
            || joined)
    }

    /// Takes a text that is spelt as `format` from `from` on, where nothing speaks against it.
    fn take(
        &mut self,
        from: usize,
        kind: &'static SecretType,
        format: &str,
        rank: u8,
        lead: usize,
    ) -> bool {
        let bytes = self.source.bytes;
        let Some((start, end)) = format::matches(format, bytes, from) else { return false };
        let next = self.source.at(end);
        let goes_on = match format::last_class(format.as_bytes()) {
            Some(class) => format::in_class(class, next) || next.is_ascii_alphanumeric(),
            None => next.is_ascii_alphanumeric(),
        };
        // A run that may be as long as it likes was followed to its end.
        if goes_on && end - from < LONGEST && next != 0 {
            return false;
        }
        let text = self.source.slice(start, end);
        let prefix = format.bytes().take_while(|byte| !matches!(byte, b'<' | b'{')).count();
        let body = (from + prefix).clamp(start, end);
        let tail = self.source.slice(body, end);
        if value::entropy(tail) < kind.entropy.min(limit(tail.len()))
            || value::is_placeholder(tail)
            || value::is_published(text)
        {
            return false;
        }
        // One word of small letters is one, whatever stands before it.
        if rank == NAMED_AFTER_VENDOR
            && text.len() < 20
            && text.iter().all(u8::is_ascii_lowercase)
            && format.contains("<w")
        {
            return false;
        }
        let Some(validity) = validate::validity(kind.check, text) else { return false };
        let confidence = match (rank, validity) {
            (_, Validity::Wellformed) | (SPELT, Validity::Unchecked) => Confidence::High,
            (_, Validity::Broken) if kind.check.must_hold() => return false,
            _ => Confidence::Medium,
        };
        let body = if lead == 0 { body } else { start };
        self.found.push(Candidate {
            start,
            end,
            body,
            kind,
            confidence: Some(confidence),
            validity,
            rank,
        });
        true
    }

    /// A value named by a word of the vendor; `start` is where the word begins.
    fn named_after_vendor(&mut self, start: usize, kind: &'static SecretType, item: usize) {
        let Some(keyword) = kind.keywords.get(item) else { return };
        if !self.source.has_word(start, keyword.as_bytes())
            || !self.is_written_as_one(start, keyword.len())
            || self.is_in_resource(start)
        {
            return;
        }
        for from in self.values_behind(start + keyword.len()).into_iter().flatten() {
            for format in kind.formats {
                if self.take(from, kind, format, NAMED_AFTER_VENDOR, 1) {
                    return;
                }
            }
        }
    }

    /// Whether a vendor's word stands inside `arn:aws:iam::aws:policy/name`, which names something.
    fn is_in_resource(&self, start: usize) -> bool {
        const LONGEST_NAME: usize = 64;
        let before = self.source.slice(start.saturating_sub(LONGEST_NAME), start);
        let opens = |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte) || *byte == b'=';
        let from = before.iter().rposition(opens).map_or(0, |at| at + 1);
        before.get(from..).is_some_and(|written| written.starts_with(b"arn:"))
    }

    /// Whether a keyword is written as one: `sumo`, `Sumo` or `SUMO`, and no piece of two words as in `CameraKit`.
    fn is_written_as_one(&self, start: usize, len: usize) -> bool {
        let word = self.source.slice(start, start + len);
        let rest = word.get(1..).unwrap_or_default();
        let small = rest.iter().all(|byte| !byte.is_ascii_uppercase());
        let capital = word.iter().all(|byte| !byte.is_ascii_lowercase());
        let inside = start > 0 && self.source.at(start - 1).is_ascii_alphabetic();
        if len > 5 {
            let begins_small = word.first().is_some_and(u8::is_ascii_lowercase);
            return small || capital || !(inside && begins_small);
        }
        (small || capital) && !(inside && len < 4)
    }

    /// Where a value may begin that is named by what ends at `end`: behind the rest of the name and a sign between them.
    /// Two places, where the name is an option and the value the next word.
    pub(super) fn values_behind(&self, end: usize) -> [Option<usize>; 2] {
        const NAME: usize = 40;
        const BLANK: usize = 4;
        const OPENING: usize = 6;
        let source = self.source;
        let rest = source.skip_at_most(end, NAME, is_name);
        let spaced =
            source.skip_at_most(rest, NAME - (rest - end), |byte| is_name(byte) || is_blank(byte));
        let option = (rest != spaced && !is_quote(source.at(spaced)))
            .then(|| source.skip_at_most(rest, BLANK, is_blank));
        let closed = source.skip_at_most(spaced, BLANK, |byte| {
            is_quote(byte) || byte.is_ascii_whitespace() || matches!(byte, b']' | b')' | b'\\')
        });
        let sign = source.skip_at_most(closed, 4, |byte| {
            matches!(byte, b'=' | b':' | b'>' | b'|' | b'?' | b',')
        });
        if sign == closed {
            return [None, option];
        }
        let value = source.skip_at_most(sign, OPENING, |byte| {
            is_quote(byte)
                || byte.is_ascii_whitespace()
                || matches!(byte, b'=' | b'\\' | b'[' | b'(')
        });
        [Some(value), option]
    }

    /// A beginning that is masked whatever follows.
    fn follow_beginning(&mut self, start: usize, entry: Entry) {
        let Some(shape) = SHAPES.get(usize::from(entry.row)) else { return };
        let prefix = shape.prefix.as_bytes();
        if start < self.loose_until || !self.source.starts_with(start, prefix) {
            return;
        }
        let inside_a_word = start > 0
            && self.source.at(start - 1).is_ascii_alphanumeric()
            && (start < 2 || self.source.at(start - 2) != b'\\');
        let body = start + prefix.len();
        let mut end = self.source.skip(body, |byte| format::in_class(shape.body, byte));
        if shape.bounded && inside_a_word {
            return;
        }
        if prefix == b"eyJ" {
            self.loose_until = end;
            if end - start < 10 || !self.source.starts_with(end, b".eyJ") {
                return;
            }
            let dashed = |byte: u8| format::in_class(b'u', byte);
            end = self.source.skip(end + 1, dashed);
            if self.source.at(end) == b'.' {
                end = self.source.skip(end + 1, dashed);
            }
        }
        if end - body < shape.least {
            return;
        }
        self.loose_until = end;
        self.found.push(Candidate {
            start,
            end,
            body,
            kind: &kinds::GENERIC_SECRET,
            confidence: None,
            validity: Validity::Unchecked,
            rank: 0,
        });
    }
}

/// The most entropy that so many bytes can be asked for, in tenths of a bit: short texts repeat little and have little.
fn limit(len: usize) -> u8 {
    match len {
        0..=8 => 15,
        9..=12 => 22,
        13..=16 => 25,
        17..=24 => 29,
        25..=33 => 33,
        _ => u8::MAX,
    }
}

/// Removes what overlaps something better, and sorts.
pub(super) fn resolved(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by_key(|candidate| {
        (candidate.start, std::cmp::Reverse((candidate.rank, candidate.end)))
    });
    let mut kept: Vec<Candidate> = Vec::with_capacity(found.len());
    for candidate in found {
        let mut better = true;
        while let Some(last) = kept.last() {
            if last.end <= candidate.start {
                break;
            }
            // The more specific one stays; of two alike the longer, and of two as long the one that came first.
            let weight = |candidate: &Candidate| {
                (candidate.rank, candidate.validity, candidate.end - candidate.start)
            };
            if weight(last) >= weight(&candidate) {
                better = false;
                break;
            }
            kept.pop();
        }
        if better {
            kept.push(candidate);
        }
    }
    kept
}
