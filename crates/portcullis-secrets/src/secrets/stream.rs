//! Secrets taken out of a stream. Owns how a stream is cut into pieces that can be read alone, what is held back, and what stands in
//! a secret's place; what goes on behind a piece, `hiding` follows, and what is a secret, the detector says.
//!
//! The cuts depend on the bytes alone and never on how they arrived, so that the same stream always gives the same text. A
//! piece is a line, or the few lines that belong together; a line that is longer than [`WINDOW`] is cut where no secret stands.
//! A secret whose end has not come yet is hidden from its first byte on, for as long as it can go on.

use memchr::{memchr2, memmem};
use sha2::{Digest, Sha256};

mod hiding;
mod known;

pub use known::Known;

use hiding::Hiding;
use known::spellings;

use super::{
    Detector, Options,
    index::{self, Entry},
    kinds, layers,
    purpose::Purpose,
    scan::{self, Candidate, Closer, Open},
    sieve::Sieve,
};
use crate::finding::Confidence;

/// How much of one line is read before it is cut.
const WINDOW: usize = 1 << 17;
/// What of a window is left to the next one: more than the longest token.
const TAIL: usize = 1 << 15;
/// What is kept of the text before a cut, for the names and words in it.
const BEFORE: usize = 1 << 12;
/// The longest group of lines.
const GROUP: usize = 1 << 12;

/// What a redactor hides besides secrets that are told by their spelling.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RedactorOptions {
    /// Whether every value with a secret's name is hidden, whatever it looks like; otherwise only what is likely a secret.
    pub every_named_value: bool,
    /// What fingerprints are salted with.
    pub salt: Vec<u8>,
    /// Values known to be secret.
    pub known: Vec<Known>,
}

/// Takes bytes and gives them back without the secrets.
///
/// ```
/// use portcullis_secrets::secrets::{RedactorOptions, StreamRedactor};
///
/// let mut redactor = StreamRedactor::new(RedactorOptions::default());
/// let mut out = Vec::new();
/// redactor.push(b"DB_PASSWORD='kT7#vQ", &mut out);
/// assert!(out.is_empty());
/// redactor.push(b"2mX9!'\nok\n", &mut out);
/// redactor.finish(&mut out);
/// let out = String::from_utf8(out).unwrap();
/// assert!(out.starts_with("DB_PASSWORD='[REDACTED:password_in_code:"));
/// assert!(out.ends_with("]'\nok\n"));
/// ```
#[derive(Clone, Debug)]
pub struct StreamRedactor {
    options: RedactorOptions,
    detection: Options,
    needles: Vec<Needle>,
    /// What came and has not gone: `before` bytes that went already, and the piece that is not whole yet.
    buffer: Vec<u8>,
    before: usize,
    /// Up to here the piece has no line end.
    searched: usize,
    /// How much of the piece is joined to one, because its lines belong together.
    joined: usize,
    /// How long the piece is to be before it is looked at again: twice as long each time, so that lines that all want more
    /// are not read again for every one of them.
    least: usize,
    hiding: Option<Hiding>,
    hidden: u64,
}

#[derive(Clone, Debug)]
struct Needle {
    finder: memmem::Finder<'static>,
    length: usize,
    known: usize,
}

/// A part of a piece that is replaced.
#[derive(Clone, Copy)]
struct Hidden {
    start: usize,
    end: usize,
    rank: u8,
    name: Name,
}

/// What of a text of several lines is worth a look; lines without any of it can be shown as they are.
struct Interest {
    /// What the index leads to, in the order of the windows by which it was found.
    hits: Vec<(usize, Entry)>,
    /// How many of them lie before what is still to be shown.
    past_hits: usize,
    /// Where something may be encoded, and where known secrets stand; in order.
    places: Vec<usize>,
    /// How many of those lie before it.
    past_places: usize,
}

impl Interest {
    /// The next place at or behind `from`; `from` never goes back.
    fn next(&mut self, from: usize) -> Option<usize> {
        let hits = self.hits.get(self.past_hits..).unwrap_or_default();
        self.past_hits += hits.iter().take_while(|hit| window(hit) < from).count();
        let places = self.places.get(self.past_places..).unwrap_or_default();
        self.past_places += places.iter().take_while(|place| **place < from).count();
        let hit = self.hits.get(self.past_hits).map(window);
        hit.into_iter().chain(self.places.get(self.past_places).copied()).min()
    }
}

/// Where the window begins by which a hit was found. No anchor has a line end in it, so that both lie in one line.
fn window((start, entry): &(usize, Entry)) -> usize {
    start + usize::from(entry.offset)
}

/// A line that is a piece by itself, and what is replaced in it.
struct Line {
    start: usize,
    /// Behind what is judged as one: a line feed behind a carriage return is a piece of its own.
    judged: usize,
    end: usize,
    hidden: Vec<Hidden>,
}

#[derive(Clone, Copy)]
enum Name {
    Type(&'static str),
    Known(usize),
}

impl StreamRedactor {
    /// A redactor for one stream.
    #[must_use]
    pub fn new(options: RedactorOptions) -> Self {
        let mut needles = Vec::new();
        for (known, secret) in options.known.iter().enumerate() {
            for text in spellings(&secret.value) {
                needles.push(Needle {
                    finder: memmem::Finder::new(&text).into_owned(),
                    length: text.len(),
                    known,
                });
            }
        }
        Self {
            options,
            detection: Options::default(),
            needles,
            buffer: Vec::new(),
            before: 0,
            searched: 0,
            joined: 0,
            least: 0,
            hiding: None,
            hidden: 0,
        }
    }

    /// How many secrets were hidden so far.
    #[must_use]
    pub fn hidden(&self) -> u64 {
        self.hidden
    }

    /// How many bytes are held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Takes the next bytes, and appends to `out` those that can be shown. What is held back is never more than a few hundred
    /// kilobytes.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        // Taken in portions, so that a large push needs no more memory than many small ones.
        for portion in bytes.chunks(WINDOW) {
            self.buffer.extend_from_slice(portion);
            self.work(portion.len(), false, out);
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.work(0, true, out);
        if let Some(hiding) = self.hiding.take() {
            self.close(hiding, out);
        }
        (self.before, self.searched, self.joined, self.least) = (0, 0, 0, 0);
        self.buffer.clear();
    }

    fn work(&mut self, new: usize, ended: bool, out: &mut Vec<u8>) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut from = self.before;
        // Only where much is new, so that what waits for its end is not asked again for every byte.
        let mut interest = if 2 * new >= buffer.len() { self.interest(&buffer) } else { None };
        loop {
            if let Some(interest) = &mut interest {
                from = self.show_lines(&buffer, from, interest, out);
            }
            let rest = buffer.get(from..).unwrap_or_default();
            let step = if let Some(hiding) = self.hiding.take() {
                self.hide(hiding, rest, ended, out)
            } else {
                let kept = buffer.get(from - self.before..).unwrap_or_default();
                self.piece(kept, rest, ended, out)
            };
            let Some(step) = step else { break };
            from += step;
        }
        let keep = from.saturating_sub(self.before);
        self.buffer = buffer;
        self.buffer.drain(..keep);
    }

    fn purpose(&self) -> Purpose {
        if self.options.every_named_value { Purpose::Mask } else { Purpose::Report }
    }

    /// What is worth a look in a text of several lines. Nothing where the text is too short to ask.
    fn interest(&self, text: &[u8]) -> Option<Interest> {
        let sieve = Sieve::of(text, self.purpose())?;
        let mut hits = Vec::new();
        index::each_hit(text, Some(&sieve.stretches), |start, entry| {
            if scan::is_anchored(text, start, entry) {
                hits.push((start, entry));
            }
        });
        let mut places = Vec::new();
        layers::each_place(text, &sieve, &mut |start| places.push(start));
        for Needle { finder, .. } in &self.needles {
            places.extend(finder.find_iter(text));
        }
        places.sort_unstable();
        Some(Interest { hits, past_hits: 0, places, past_places: 0 })
    }

    /// Shows the whole lines before the next one that cannot be read by itself, where nothing is begun, and gives where they end.
    fn show_lines(
        &mut self,
        buffer: &[u8],
        from: usize,
        interest: &mut Interest,
        out: &mut Vec<u8>,
    ) -> usize {
        if self.hiding.is_some() || (self.before, self.joined, self.least) != (0, 0, 0) {
            return from;
        }
        // What stands behind a secret in its line is read as a text that begins there, and what is worth a look was told by what
        // stands before it too.
        let before = buffer.get(..from).and_then(<[u8]>::last);
        if before.is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
            return from;
        }
        let (mut from, mut until) = (from, from);
        let next = loop {
            let Some(place) = interest.next(until) else { break buffer.len() };
            let Some(line) = self.line(buffer, from.max(until), place, interest) else {
                break place;
            };
            until = line.end;
            if !line.hidden.is_empty() {
                out.extend_from_slice(buffer.get(from..line.start).unwrap_or_default());
                let text = buffer.get(line.start..line.judged).unwrap_or_default();
                self.show(text, 0, text.len(), &line.hidden, out);
                out.extend_from_slice(buffer.get(line.judged..line.end).unwrap_or_default());
                self.searched = 0;
                from = line.end;
            }
        };
        let mut quiet = buffer.get(from..next).unwrap_or_default();
        // A line that goes on behind a backslash belongs to the next one.
        while let Some(end) = memchr::memrchr(b'\n', quiet) {
            let line = quiet.get(..end).unwrap_or_default();
            if !goes_on(line) {
                out.extend_from_slice(quiet.get(..=end).unwrap_or_default());
                self.searched = 0;
                return from + end + 1;
            }
            quiet = line;
        }
        from
    }

    /// The line around a place of interest, where it is a piece by itself.
    fn line(&self, buffer: &[u8], from: usize, place: usize, interest: &Interest) -> Option<Line> {
        let before = buffer.get(from..place)?;
        let start = memchr::memrchr(b'\n', before).map_or(from, |at| from + at + 1);
        if goes_on(buffer.get(from..start.saturating_sub(1)).unwrap_or_default()) {
            return None;
        }
        let behind = buffer.get(place..)?;
        let end = place + memchr::memchr(b'\n', behind)? + 1;
        let line = buffer.get(start..end)?;
        let piece = line.strip_suffix(b"\n").filter(|rest| rest.ends_with(b"\r")).unwrap_or(line);
        let text = piece.get(..piece.len() - 1)?;
        if line.len() > GROUP || goes_on(text) || memchr::memchr(b'\r', text).is_some() {
            return None;
        }
        const WINDOW: usize = 4;
        // All hits and places before this line are past, because none lies between it and the place.
        let hits = interest.hits.get(interest.past_hits..)?.iter();
        let hits = hits
            .take_while(|hit| window(hit) + WINDOW <= start + piece.len())
            .filter_map(|(at, entry)| Some((at.checked_sub(start)?, *entry)));
        let pass = scan::pass_over(piece, hits, self.purpose());
        if pass.open.is_some() || pass.wants_more {
            return None;
        }
        let other = interest.places.get(interest.past_places).is_some_and(|place| *place < end);
        let hidden = if other {
            self.hidden_in(piece, None, pass.found)
        } else if pass.found.is_empty() {
            Vec::new()
        } else {
            joined(hidden_of(pass.found))
        };
        Some(Line { start, judged: start + piece.len(), end, hidden })
    }

    /// Shows the next piece of `rest`, if it is whole, and gives its length. `text` begins `before` bytes earlier.
    fn piece(&mut self, text: &[u8], rest: &[u8], ended: bool, out: &mut Vec<u8>) -> Option<usize> {
        if rest.is_empty() {
            return None;
        }
        let behind = rest.get(self.searched.max(self.joined)..).unwrap_or_default();
        let found = memchr2(b'\n', b'\r', behind);
        let at = found.map(|at| self.searched.max(self.joined) + at + 1);
        let (end, whole) = match at {
            Some(end) if end <= WINDOW => (end, true),
            None if ended && rest.len() <= WINDOW => (rest.len(), true),
            _ if rest.len() >= WINDOW => (WINDOW, false),
            _ => {
                self.searched = rest.len();
                return None;
            }
        };
        let last = ended && end == rest.len();
        let line = rest.get(..end).unwrap_or_default();
        // A line that goes on behind a backslash is read with the next one.
        let continued = line
            .strip_suffix(b"\n")
            .is_some_and(|line| line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\"))
            || line.strip_suffix(b"\r").is_some_and(|line| line.ends_with(b"\\"));
        if whole && !last && (continued && end < GROUP || end < self.least) {
            self.joined = end;
            return Some(0);
        }
        let text = text.get(..self.before + end).unwrap_or_default();
        let purpose = self.purpose();
        let sieve = Sieve::of(text, purpose);
        let pass = scan::pass(text, sieve.as_ref(), purpose, !last);
        if whole && pass.wants_more && !last && end < GROUP {
            (self.joined, self.least) = (end, GROUP.min(2 * end));
            return Some(0);
        }
        let open = pass.open;
        let mut hidden = self.hidden_in(text, sieve.as_ref(), pass.found);
        (self.searched, self.joined, self.least) = (0, 0, 0);
        if whole {
            return Some(self.show_line(text, &mut hidden, open, out));
        }
        Some(self.show_window(text, &mut hidden, open, out))
    }

    /// Everything that is replaced in a text, sorted, overlaps joined.
    fn hidden_in(&self, text: &[u8], sieve: Option<&Sieve>, found: Vec<Candidate>) -> Vec<Hidden> {
        let mut hidden = hidden_of(found);
        let mut encoded = Vec::new();
        let place = super::Place::default();
        layers::look(text, sieve, super::DEEPEST, &self.detection, place, &mut encoded);
        for finding in encoded.iter().filter(|finding| finding.confidence >= Confidence::Medium) {
            let kind = kinds::all().chain(kinds::contextual()).find(|kind| kind.id == finding.rule);
            let name = kind.map_or(kinds::GENERIC_SECRET.name, |kind| kind.name);
            hidden.push(Hidden {
                start: finding.span.start,
                end: finding.span.end,
                rank: 0,
                name: Name::Type(name),
            });
        }
        for Needle { finder, length, known } in &self.needles {
            for start in finder.find_iter(text) {
                hidden.push(Hidden {
                    start,
                    end: start + length,
                    rank: u8::MAX,
                    name: Name::Known(*known),
                });
            }
        }
        joined(hidden)
    }

    /// Shows a whole piece, or all of it up to a secret that goes on. Gives how much of it is done with.
    fn show_line(
        &mut self,
        text: &[u8],
        hidden: &mut Vec<Hidden>,
        open: Option<Open>,
        out: &mut Vec<u8>,
    ) -> usize {
        let start = std::mem::take(&mut self.before);
        let Some(open) = open else {
            self.show(text, start, text.len(), hidden, out);
            return text.len() - start;
        };
        let from = open.start.max(start);
        // What begins before and reaches into it is hidden with it.
        let from = hidden
            .iter()
            .filter(|other| other.start < from && from < other.end)
            .map(|other| other.start)
            .min()
            .unwrap_or(from)
            .max(start);
        hidden.retain(|other| other.start < from);
        self.show(text, start, from, hidden, out);
        self.begin(open, text.get(from..).unwrap_or_default());
        text.len() - start
    }

    /// Shows of a window what no later byte can change, and gives how much that is.
    fn show_window(
        &mut self,
        text: &[u8],
        hidden: &mut Vec<Hidden>,
        open: Option<Open>,
        out: &mut Vec<u8>,
    ) -> usize {
        let start = self.before;
        let mut cut = text.len() - TAIL;
        // A value that reaches the end goes on behind it.
        let reaching = hidden.iter().find(|other| other.end >= text.len() && other.start <= cut);
        let open = open.filter(|open| open.start <= cut).or_else(|| {
            reaching.map(|other| Open {
                start: other.start,
                kind: &kinds::GENERIC_SECRET,
                closer: Closer::Word,
            })
        });
        if let Some(open) = open {
            let done = self.show_line(text, hidden, Some(open), out);
            self.before = 0;
            return done;
        }
        if let Some(across) = hidden.iter().find(|other| other.start < cut && cut < other.end) {
            // What is longer than all that may be is shown in its place at once.
            cut = if across.start > start { across.start } else { across.end };
        }
        self.show(text, start, cut, hidden, out);
        self.before = BEFORE.min(cut);
        cut - start
    }

    fn show(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        hidden: &[Hidden],
        out: &mut Vec<u8>,
    ) {
        let mut shown = start;
        for Hidden { start: from, end: to, name, .. } in hidden {
            if *to <= start || *from >= end {
                continue;
            }
            let from = (*from).max(shown);
            out.extend_from_slice(text.get(shown..from).unwrap_or_default());
            let secret = text.get(from..*to).unwrap_or_default();
            let hash = self.salted().chain_update(secret);
            let name = match name {
                Name::Type(name) => name,
                Name::Known(known) => self
                    .options
                    .known
                    .get(*known)
                    .map_or("known_secret", |known| known.name.as_str()),
            };
            place(name, hash, out);
            self.hidden += 1;
            shown = *to;
        }
        out.extend_from_slice(text.get(shown..end).unwrap_or_default());
    }

    fn salted(&self) -> Sha256 {
        let salt = &self.options.salt;
        Sha256::new().chain_update((salt.len() as u64).to_be_bytes()).chain_update(salt)
    }
}

fn hidden_of(found: Vec<Candidate>) -> Vec<Hidden> {
    let hidden = |Candidate { start, end, kind, rank, .. }| {
        let name = Name::Type(kind.name);
        Hidden { start, end, rank, name }
    };
    found.into_iter().map(hidden).collect()
}

/// Sorted, overlaps joined.
fn joined(mut hidden: Vec<Hidden>) -> Vec<Hidden> {
    hidden.sort_by_key(|hidden| (hidden.start, hidden.end));
    let mut joined: Vec<Hidden> = Vec::with_capacity(hidden.len());
    for next in hidden {
        match joined.last_mut() {
            Some(last) if next.start < last.end => {
                last.end = last.end.max(next.end);
                if next.rank > last.rank {
                    (last.rank, last.name) = (next.rank, next.name);
                }
            }
            _ => joined.push(next),
        }
    }
    joined
}

/// Whether a line without its end goes on in the next one.
fn goes_on(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

/// What stands in the place of a secret.
fn place(name: &str, hash: Sha256, out: &mut Vec<u8>) {
    const BYTES: usize = 6;
    out.extend_from_slice(b"[REDACTED:");
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    out.extend(name.bytes().take(40).map(|byte| if plain(&byte) { byte } else { b'_' }));
    out.push(b':');
    let sum = hash.finalize();
    out.extend_from_slice(
        data_encoding::HEXLOWER.encode(sum.get(..BYTES).unwrap_or_default()).as_bytes(),
    );
    out.push(b']');
}

/// The text without the secrets in it, as a stream of it would be.
///
/// ```
/// use portcullis_secrets::secrets::redacted;
/// let shown = redacted("https://deploy:Xk7pQ2vLm9Rt@registry.example.com/");
/// assert!(shown.starts_with("https://deploy:[REDACTED:connection_string:"));
/// ```
#[must_use]
pub fn redacted(text: &str) -> String {
    let mut redactor = StreamRedactor::new(RedactorOptions::default());
    let mut out = Vec::with_capacity(text.len());
    redactor.push(text.as_bytes(), &mut out);
    redactor.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

impl Detector {
    /// A redactor with this detector's salt.
    #[must_use]
    pub fn redactor(&self) -> StreamRedactor {
        StreamRedactor::new(RedactorOptions {
            salt: self.options.salt.clone(),
            ..RedactorOptions::default()
        })
    }
}
