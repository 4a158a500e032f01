//! Where in a text something may begin that is worth a look. Owns the index of four-byte windows, made when the program is
//! built, and the one pass over the text; what stands at a hit, others decide.
//!
//! Every type brings anchors: a literal of its spelling, or a keyword. Of each anchor the rarest window of four bytes
//! is taken, in lower case, and its hash marks a place. The pass hashes every window of the text and looks at one place; a bit by
//! another hash is looked at only where that is marked.

use std::ops::Range;

use super::{
    format::{Part, in_class, part},
    jobs::JOBS,
    kinds::TABLES,
    loose::SHAPES,
};

/// The number of the table that stands for the jobs of the context.
pub(super) const CONTEXT: u8 = u8::MAX;
/// The number of the table of prefixes that are masked in any case.
pub(super) const LOOSE: u8 = u8::MAX - 1;
/// The item that stands for a keyword of a row and not for one of its formats.
pub(super) const KEYWORD: u8 = 128;

/// Something whose window hashes to a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The table, or [`CONTEXT`].
    pub(super) table: u8,
    /// The row in it, or the index in [`JOBS`].
    pub(super) row: u8,
    /// The format, or [`KEYWORD`] and the number of the keyword.
    pub(super) item: u8,
    /// How far into the anchor the window lies.
    pub(super) offset: u8,
    /// Where the anchor lies in the format, its length, and what stands before it.
    pub(super) anchor: Anchor,
}

/// The literal by which a format is found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// Where it lies in the format.
    pub(super) at: u16,
    /// Its length.
    pub(super) len: u16,
    /// The fewest and most bytes of the text before it that belong to the match.
    pub(super) lead: (u16, u16),
    /// The class of the first run before it, or zero.
    pub(super) lead_class: u8,
    /// The class of the run behind it, or zero.
    pub(super) next: u8,
}

/// The literal of a format that leads to it: its beginning where that has three bytes, else the longest there is.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn anchor(format: &[u8]) -> Anchor {
    let mut best = NO_ANCHOR;
    let (mut at, mut least, mut most, mut lead_class) = (0, 0, 0, 0);
    while at < format.len() {
        match part(format, at) {
            Some((Part::Literal(_), _)) => {
                let (start, lead) = (at, (least as u16, most as u16));
                while at < format.len() && format[at] != b'<' && format[at] != b'{' {
                    at += 1;
                }
                let len = (at - start) as u16;
                (least, most) = (least + at - start, most + at - start);
                let leads = best.len == 0 || (best.len < 3 || best.at > 0) && len > best.len;
                if leads {
                    let behind = if at < format.len() && format[at] == b'{' { at + 1 } else { at };
                    let next = match part(format, behind) {
                        // A UUID begins with a hexadecimal digit.
                        Some((Part::Run { class: b'U', .. }, _)) => b'H',
                        Some((Part::Run { class, .. }, _)) => class,
                        _ => 0,
                    };
                    best = Anchor { at: start as u16, len, lead, lead_class, next };
                }
            }
            Some((Part::Mark, next)) => at = next,
            Some((Part::Run { class, least: fewest, most: longest }, next)) => {
                if lead_class == 0 && most == 0 {
                    lead_class = class;
                }
                (least, most) = (least + fewest, most + longest);
                at = next;
            }
            None => return best,
        }
    }
    best
}

const NO_ANCHOR: Anchor = Anchor { at: 0, len: 0, lead: (0, 0), lead_class: 0, next: 0 };

/// How often a byte occurs in text, roughly, in lower case.
const fn frequency(byte: u8) -> u32 {
    match byte {
        b'e' | b' ' => 12,
        b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 8,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' => 5,
        b'f' | b'p' | b'g' | b'y' | b'b' | b'-' | b'0' | b'1' => 3,
        b'w' | b'v' | b'k' | b'.' | b'=' | b'"' | b'/' | b':' => 2,
        _ => 1,
    }
}

/// What of a window counts: letters in lower case. It changes some other bytes too, here and in the text alike.
const FOLD: u32 = 0x2020_2020;

/// The number of a window.
const fn window(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes) | FOLD
}

/// As many bits as the nearest cache of a processor holds, 32 KiB: a window of text that leads nowhere costs one look there.
const PLACES: usize = 1 << 18;
const BUCKET_COUNT: usize = 1 << 12;

/// Which place stands for a window.
const fn first(window: u32) -> usize {
    (window.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PLACES.ilog2())) as usize
}

/// Which bit stands for it in the second look, and which bucket it belongs to.
const fn second(window: u32) -> (usize, usize) {
    let hash = (window ^ (window >> 15)).wrapping_mul(0x85eb_ca6b);
    ((hash >> 16) as usize, (hash >> 20) as usize)
}

/// Windows that stand in words of every text and program, and lead nowhere in them.
const COMMON: &[&[u8; 4]] = &[
    b"work", b"matt", b"path", b"tial", b"abil", b"base", b"look", b"push", b"ampl", b"expo",
    b"cust", b"pend", b"patt", b"kind", b"line", b"mark", b"disc", b"bina", b"docu", b"tabl",
    b"http", b"priv", b"harg", b"mode", b"stat", b"modu", b"clou", b"able", b"ably", b"tion",
    b"ment", b"ight", b"ther", b"cont", b"data", b"post", b"link", b"book", b"page", b"bird",
    b"mail", b"flow", b"name", b"time", b"type", b"form", b"self", b"wave", b"pack", b"load",
    b"ared", b"ated", b"pref", b"comp", b"null", b"impl", b"func", b"type", b"port",
];

/// Where the rarest window of an anchor lies. An anchor of fewer than four bytes has its own at 0.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn rarest(text: &[u8], at: usize, len: usize) -> usize {
    let (mut best, mut lowest, mut offset) = (0, u32::MAX, 0);
    while offset + 4 <= len {
        let mut sum = 0;
        let mut index = 0;
        while index < 4 {
            sum += frequency(text[at + offset + index].to_ascii_lowercase());
            index += 1;
        }
        let mut common = 0;
        while common < COMMON.len() {
            let own = COMMON[common];
            let mut same = 0;
            while same < 4 && own[same] == text[at + offset + same].to_ascii_lowercase() {
                same += 1;
            }
            if same == 4 {
                sum += 100;
            }
            common += 1;
        }
        if sum < lowest {
            (best, lowest) = (offset, sum);
        }
        offset += 1;
    }
    best
}

/// Whether `byte` may follow a short keyword: what ends a word, or goes on with another.
const fn may_follow(byte: u8) -> bool {
    byte >= 0x20 && byte < 0x7f
}

/// The class of [`in_class`] of what may follow a vendor's word of three letters: what ends it, or the words that do.
const SHORT_WORD: u8 = b'n';

/// Collects entries, or only counts them.
struct Builder<const N: usize> {
    windows: [u32; N],
    entries: [Entry; N],
    count: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
impl<const N: usize> Builder<N> {
    const fn add(&mut self, window: u32, entry: Entry) {
        if N > 0 {
            self.windows[self.count] = window;
            self.entries[self.count] = entry;
        }
        self.count += 1;
    }

    /// Every window of an anchor: one, or where it is short all that may begin with it.
    const fn add_anchor(&mut self, text: &[u8], at: usize, len: usize, next: u8, mut entry: Entry) {
        if len >= 4 {
            let offset = rarest(text, at, len);
            entry.offset = offset as u8;
            let from = at + offset;
            self.add(window([text[from], text[from + 1], text[from + 2], text[from + 3]]), entry);
        } else if len >= 2 {
            let mut third = 0;
            while third < 128 {
                let third_fits = if len == 3 {
                    third == 0
                } else {
                    in_class(next, third) && !third.is_ascii_uppercase()
                };
                if third_fits {
                    let third_byte = if len == 3 { text[at + 2] } else { third };
                    let mut fourth = 0;
                    while fourth < 128 {
                        let fits =
                            if next == 0 { may_follow(fourth) } else { in_class(next, fourth) };
                        // Each folded byte once.
                        if fits && (fourth | 0x20 == fourth || !in_fold(next, fourth)) {
                            self.add(window([text[at], text[at + 1], third_byte, fourth]), entry);
                        }
                        fourth += 1;
                    }
                }
                third += 1;
            }
        }
    }

    const fn build() -> Self {
        let entry = Entry { table: 0, row: 0, item: 0, offset: 0, anchor: NO_ANCHOR };
        let mut builder = Self { windows: [0; N], entries: [entry; N], count: 0 };
        let mut table = 0;
        while table < TABLES.len() {
            let mut row = 0;
            while row < TABLES[table].len() {
                let kind = &TABLES[table][row];
                let mut item = 0;
                while item < kind.keywords.len() {
                    let keyword = kind.keywords[item].as_bytes();
                    let entry = Entry {
                        table: table as u8,
                        row: row as u8,
                        item: KEYWORD + item as u8,
                        offset: 0,
                        anchor: NO_ANCHOR,
                    };
                    builder.add_anchor(keyword, 0, keyword.len(), SHORT_WORD, entry);
                    item += 1;
                }
                item = 0;
                while kind.keywords.is_empty() && item < kind.formats.len() {
                    let format = kind.formats[item].as_bytes();
                    let found = anchor(format);
                    assert!(found.len >= 2, "a format without a keyword needs a literal");
                    let entry = Entry {
                        table: table as u8,
                        row: row as u8,
                        item: item as u8,
                        offset: 0,
                        anchor: NO_ANCHOR,
                    };
                    let entry = Entry { anchor: found, ..entry };
                    builder.add_anchor(
                        format,
                        found.at as usize,
                        found.len as usize,
                        found.next,
                        entry,
                    );
                    item += 1;
                }
                row += 1;
            }
            table += 1;
        }
        let mut shape = 0;
        while shape < SHAPES.len() {
            let prefix = SHAPES[shape].prefix.as_bytes();
            let entry =
                Entry { table: LOOSE, row: shape as u8, item: 0, offset: 0, anchor: NO_ANCHOR };
            builder.add_anchor(prefix, 0, prefix.len(), SHAPES[shape].body, entry);
            shape += 1;
        }
        let mut job = 0;
        while job < JOBS.len() {
            let word = JOBS[job].0.as_bytes();
            let entry =
                Entry { table: CONTEXT, row: job as u8, item: 0, offset: 0, anchor: NO_ANCHOR };
            builder.add_anchor(word, 0, word.len(), 0, entry);
            job += 1;
        }
        builder
    }
}

/// Whether the folded form of `byte` is a byte of the class itself, and so is added by its own.
const fn in_fold(class: u8, byte: u8) -> bool {
    let folded = byte | 0x20;
    if class == 0 { may_follow(folded) } else { in_class(class, folded) }
}

const COUNT: usize = Builder::<0>::build().count;

struct Index {
    known: [u64; PLACES / 64],
    second: [u64; (1 << 16) / 64],
    starts: [u16; BUCKET_COUNT + 1],
    entries: [(u32, Entry); COUNT],
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static INDEX: Index = {
    let built = Builder::<COUNT>::build();
    let mut index = Index {
        known: [0; PLACES / 64],
        second: [0; (1 << 16) / 64],
        starts: [0; BUCKET_COUNT + 1],
        entries: [(0, built.entries[0]); COUNT],
    };
    let mut at = 0;
    while at < COUNT {
        let place = first(built.windows[at]);
        index.known[place / 64] |= 1 << (place % 64);
        let (other, bucket) = second(built.windows[at]);
        index.second[other / 64] |= 1 << (other % 64);
        index.starts[bucket + 1] += 1;
        at += 1;
    }
    let mut bucket = 0;
    while bucket < BUCKET_COUNT {
        index.starts[bucket + 1] += index.starts[bucket];
        bucket += 1;
    }
    let mut filled = index.starts;
    at = 0;
    while at < COUNT {
        let (_, bucket) = second(built.windows[at]);
        index.entries[filled[bucket] as usize] = (built.windows[at], built.entries[at]);
        filled[bucket] += 1;
        at += 1;
    }
    index
};

/// Calls `each` with every anchor of four bytes or more, and how far into it the window lies by which it is found.
pub(super) fn each_long_anchor(mut each: impl FnMut(&[u8], usize)) {
    for (_, entry) in &INDEX.entries {
        let anchor = anchor_of(*entry);
        if anchor.len() >= 4 {
            each(anchor, usize::from(entry.offset));
        }
    }
}

#[cfg(test)]
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    INDEX.entries.iter().map(|(_, entry)| *entry)
}

/// The anchor of an entry: a word, a keyword, or the literal of a spelling.
pub(super) fn anchor_of(entry: Entry) -> &'static [u8] {
    let row = usize::from(entry.row);
    let kind = || TABLES.get(usize::from(entry.table)).and_then(|rows| rows.get(row));
    let anchor = match entry.table {
        CONTEXT => JOBS.get(row).map(|(word, _)| word.as_bytes()),
        LOOSE => SHAPES.get(row).map(|shape| shape.prefix.as_bytes()),
        _ if entry.item >= KEYWORD => kind()
            .and_then(|kind| kind.keywords.get(usize::from(entry.item - KEYWORD)))
            .map(|keyword| keyword.as_bytes()),
        _ => kind()
            .and_then(|kind| kind.formats.get(usize::from(entry.item)))
            .map(|format| entry.anchor.of(format)),
    };
    anchor.unwrap_or_default()
}

impl Anchor {
    /// The literal itself.
    pub(super) fn of(self, format: &str) -> &[u8] {
        let end = usize::from(self.at + self.len);
        format.as_bytes().get(usize::from(self.at)..end).unwrap_or_default()
    }
}

/// Calls `hit` with every entry whose window may stand at a position, and where the entry's anchor would begin.
pub(super) fn each_hit(
    text: &[u8],
    stretches: Option<&[Range<usize>]>,
    mut hit: impl FnMut(usize, Entry),
) {
    let Some(stretches) = stretches else { return each_in(text, 0, &mut hit) };
    for stretch in stretches {
        // A window that begins in a stretch may end behind it.
        let end = text.len().min(stretch.end + 3);
        each_in(text.get(stretch.start..end).unwrap_or_default(), stretch.start, &mut hit);
    }
}

/// The same for a stretch that begins at `base`.
fn each_in(text: &[u8], base: usize, hit: &mut impl FnMut(usize, Entry)) {
    // Eight windows at a time, cut from two loads; nearly always none of them is known.
    const TOGETHER: usize = 8;
    let mut position = 0;
    let mut rest = text;
    while let Some(chunk) = rest.first_chunk::<11>() {
        let windows = eight_windows(chunk);
        let [w0, w1, w2, w3, w4, w5, w6, w7] = windows.map(is_known);
        if (w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7) & 1 != 0 {
            look_at_eight(chunk, base + position, hit);
        }
        position += TOGETHER;
        rest = rest.get(TOGETHER..).unwrap_or_default();
    }
    for (offset, bytes) in rest.array_windows::<4>().enumerate() {
        let window = u32::from_le_bytes(*bytes) | FOLD;
        if is_known(window) & 1 != 0 {
            look(window, base + position + offset, hit);
        }
    }
}

/// The eight windows of eleven bytes.
#[inline(always)]
fn eight_windows(bytes: &[u8; 11]) -> [u32; 8] {
    const FOLDS: u64 = FOLD as u64 | (FOLD as u64) << 32;
    let [near @ .., _, _, _] = *bytes;
    let [_, _, _, far @ ..] = *bytes;
    let (near, far) = (u64::from_le_bytes(near) | FOLDS, u64::from_le_bytes(far) | FOLDS);
    [
        near as u32,
        (near >> 8) as u32,
        (near >> 16) as u32,
        (near >> 24) as u32,
        (near >> 32) as u32,
        (far >> 16) as u32,
        (far >> 24) as u32,
        (far >> 32) as u32,
    ]
}

/// Looks at each of eight windows. Kept out of the loop over the text, in whose registers it has no room.
#[inline(never)]
fn look_at_eight(bytes: &[u8; 11], position: usize, hit: &mut impl FnMut(usize, Entry)) {
    for (offset, window) in eight_windows(bytes).into_iter().enumerate() {
        if is_known(window) & 1 != 0 {
            look(window, position + offset, hit);
        }
    }
}

/// The lowest bit is set where a window is known; what the others say is about other windows.
#[inline(always)]
fn is_known(window: u32) -> u64 {
    let place = first(window);
    INDEX.known.get(place / 64).copied().unwrap_or(0) >> (place % 64)
}

fn look(window: u32, position: usize, hit: &mut impl FnMut(usize, Entry)) {
    let (other, bucket) = second(window);
    let word = INDEX.second.get(other / 64).copied().unwrap_or(0);
    if word >> (other % 64) & 1 == 0 {
        return;
    }
    let at = |bucket: usize| INDEX.starts.get(bucket).copied().unwrap_or(0) as usize;
    for (own, entry) in INDEX.entries.get(at(bucket)..at(bucket + 1)).unwrap_or_default() {
        if *own != window {
            continue;
        }
        if let Some(start) = position.checked_sub(entry.offset as usize) {
            hit(start, *entry);
        }
    }
}
