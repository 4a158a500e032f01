//! Pieces of the words and spellings that the index leads to, and where they stand in a text. Owns the quick search for them,
//! which looks at many bytes at once; what they are a piece of, the index finds out.
//!
//! A searcher puts every eighth of its pieces into the same class, and looks closer wherever each of three or four bytes in a row
//! fits some piece of one class. So the order matters: the columns hold pieces that have much in common, and each piece is the
//! part of its word that text has least. Both were chosen by trying, over logs, sources and prose.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::packed;

use super::index;

/// How long a piece is at most, and how far before it a window may begin.
pub(super) const AROUND: usize = 16;
/// How much text is folded at a time, so that it stays in the nearest cache.
pub(super) const PORTION: usize = 1 << 13;

/// Pieces for one searcher, in rows of eight.
type Table = &'static [&'static [&'static str]];

/// Pieces of spellings without a long run.
pub(super) const SPELT: Table = &[
    &["azconfig", "xapp-", "_auth=", "\"auth\"", "xox", "-----b", "?code=", "connect.sid"],
    &["django-ins", "putty-us", "key ----"],
];

/// Pieces of three bytes, for words without four that are rare.
const SHORT: Table = &[
    &["pw\"", "7z ", "pw=", "key", "7za", "xox", "://", "pwd"],
    &["pw ", "7zz", "pw:", ":*:", "ftp", "pdo", "xh ", "psk"],
    &["jwt", "kty", "pw'", "mnem", "seed", "hras", "un(\"", "un('"],
];

const FIRST: Table = &[
    &["bearer", "_salt", "sequelize(", "string", "?code=", "net(", "ookie", "ect.sid"],
    &["ion(", "qlplus", "tcp(", "ldap", "azconfig", "curl", "nwort", "edential"],
    &["linked", "bcp ", "penssl", "snmp", "data:", "ipinfo", "sumo", "fied by"],
    &["rtable", "rar ", ":5432:", "opbox", "ogin", "net us", "le:thin:", "lient"],
];

const SECOND: Table = &[
    &["pass", "ecret", "---b", "auth", "token", "app-", "mysql", "enha"],
    &["trase", "cclient", "ango-ins", "hmac", "nnect(", "pswd", "dis-cli", "riadb"],
    &["nix(", "osql", "data\":", "mongo", "vonage", "ttp ", "mius", "ribsys"],
    &["tps ", "asana", "-stdin", "qlcmd", "udo -s", "zip ", "fluent", "exmo"],
];

/// All of them.
pub(super) const ALL: [Table; 3] = [SHORT, FIRST, SECOND];

/// Made when the first long text comes; not every processor has what they need.
pub(super) static FOR_SPELLINGS: LazyLock<Option<[Searcher; 1]>> =
    LazyLock::new(|| Some([Searcher::new(SPELT)?]));
pub(super) static FOR_ALL: LazyLock<Option<[Searcher; 3]>> = LazyLock::new(|| {
    let [short, first, second] = ALL.map(Searcher::new);
    Some([short?, first?, second?])
});

/// Small and capital letters are not told apart, as in the index.
pub(super) const FOLD: u8 = 0x20;

/// Finds the pieces of a table.
#[derive(Debug)]
pub(super) struct Searcher {
    pieces: packed::Searcher,
    /// For each piece, from where to where windows of the index begin whose anchors it is a part of, counted from its beginning.
    windows: Vec<(isize, isize)>,
}

impl Searcher {
    fn new(table: Table) -> Option<Self> {
        let folded = table.iter().copied().flatten().map(|piece| folded(piece));
        let pieces = packed::Config::new().builder().extend(folded).build()?;
        // The window of an anchor of fewer than four bytes begins where the anchor does, and so does its piece.
        let windows = vec![(0, 0); table.iter().map(|row| row.len()).sum()];
        let mut searcher = Self { pieces, windows };
        index::each_long_anchor(|anchor, offset| {
            let anchor: Vec<u8> = anchor.iter().map(|byte| byte | FOLD).collect();
            let mut inside = Vec::new();
            searcher.each(&anchor, |at, piece| inside.push((at, piece)));
            for (at, piece) in inside {
                if let Some((first, last)) = searcher.windows.get_mut(piece) {
                    let way = (offset as isize).saturating_sub_unsigned(at);
                    (*first, *last) = ((*first).min(way), (*last).max(way));
                }
            }
        });
        Some(searcher)
    }

    /// Where pieces stand, also such as overlap, and which; of two that begin at one place, the one that the table has first.
    fn each(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        let mut from = 0;
        let span = |start| aho_corasick::Span { start, end: text.len() };
        while let Some(piece) = self.pieces.find_in(text, span(from)) {
            each(piece.start(), piece.pattern().as_usize());
            from = piece.start() + 1;
        }
    }
}

pub(super) fn folded(piece: &str) -> Vec<u8> {
    piece.bytes().map(|byte| byte | FOLD).collect()
}

/// Folds `text` into `folded`, eight bytes at a time whatever the program is built for.
fn fold(text: &[u8], folded: &mut [u8]) {
    const WIDTH: usize = 8;
    const FOLDS: u64 = u64::from_ne_bytes([FOLD; WIDTH]);
    let (words, rest) = text.as_chunks::<WIDTH>();
    for (into, word) in folded.as_chunks_mut::<WIDTH>().0.iter_mut().zip(words) {
        *into = (u64::from_ne_bytes(*word) | FOLDS).to_ne_bytes();
    }
    let last = folded.get_mut(words.len() * WIDTH..).unwrap_or_default();
    for (into, byte) in last.iter_mut().zip(rest) {
        *into = *byte | FOLD;
    }
}

/// Where the windows begin that pieces lead to, in order.
pub(super) fn places(text: &[u8], searchers: &[Searcher]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut folded = vec![0; PORTION + AROUND];
    let mut base = 0;
    while base < text.len() {
        // A piece across the border of two portions is seen whole in the first one.
        let portion = text.get(base..text.len().min(base + PORTION + AROUND)).unwrap_or_default();
        fold(portion, &mut folded);
        let haystack = folded.get(..portion.len()).unwrap_or_default();
        // What was found right before may begin behind what is found now.
        let is_before = |place: &&Range<usize>| place.start + 2 * AROUND <= base;
        let sorted = found.len() - found.iter().rev().take_while(|place| !is_before(place)).count();
        for searcher in searchers {
            searcher.each(haystack, |at, piece| {
                if at < PORTION
                    && let Some((first, last)) = searcher.windows.get(piece)
                {
                    let window = |way: isize| (base + at).saturating_add_signed(way);
                    found.push(window(*first)..window(*last) + 1);
                }
            });
        }
        found.get_mut(sorted..).unwrap_or_default().sort_unstable_by_key(|place| place.start);
        base += PORTION;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_searcher_takes_as_many_pieces_as_share_a_word_of_the_processor() {
        for table in ALL.iter().chain([&SPELT]) {
            assert!(table.iter().map(|row| row.len()).sum::<usize>() <= 32);
            let (last, whole) = table.split_last().unwrap();
            assert!(last.len() <= 8 && whole.iter().all(|row| row.len() == 8));
        }
    }

    #[test]
    fn no_window_begins_farther_before_a_piece_than_what_is_sorted_again() {
        let Some(searchers) = FOR_ALL.as_ref() else { return };
        for (first, last) in searchers.iter().flat_map(|searcher| &searcher.windows) {
            assert!(-AROUND.cast_signed() <= *first && *first <= 0 && *last >= 0);
        }
        let longest = ALL.iter().chain([&SPELT]).copied().flatten().copied().flatten();
        assert!(longest.map(|piece| piece.len()).max() <= Some(AROUND));
    }
}
