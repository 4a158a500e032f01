//! Pieces of the words and spellings that the index leads to, and where they stand in a text. Owns the quick search for them,
//! which looks at many bytes at once; what they are a piece of, the index finds out.
//!
//! A searcher puts every eighth of its pieces into the same class, and looks closer wherever each of three or four bytes in a row
//! fits some piece of one class. So the order matters: the columns hold pieces that have much in common, and each piece is the
//! part of its word that text has least. Both were chosen by trying, over logs, sources and prose.

use std::sync::LazyLock;

use aho_corasick::packed;

/// How far on either side of a piece the anchor may lie that has it inside.
pub(super) const AROUND: usize = 16;
/// How much text is folded at a time, so that it stays in the nearest cache.
pub(super) const PORTION: usize = 1 << 13;

/// Pieces for one searcher, in rows of eight.
type Table = &'static [&'static [&'static str]];

/// Pieces of spellings without a long run.
pub(super) const SPELT: Table = &[
    &["azconfig", "xapp-", "_auth=", "\"auth\"", "xox", "-----b", "?code=", "connect.sid"],
    &["django-ins"],
];

/// Pieces of three bytes, for words without four that are rare.
const SHORT: Table = &[
    &["pw\"", "7z ", "pw=", "key", "7za", "xox", "://", "pwd"],
    &["pw ", "7zz", "pw:", ":*:", "ftp", "pdo", "xh ", "psk"],
    &["jwt", "kty", "pw'"],
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
pub(super) static FOR_SPELLINGS: LazyLock<Option<[packed::Searcher; 1]>> =
    LazyLock::new(|| Some([searcher(SPELT)?]));
pub(super) static FOR_ALL: LazyLock<Option<[packed::Searcher; 3]>> = LazyLock::new(|| {
    let [short, first, second] = ALL.map(searcher);
    Some([short?, first?, second?])
});

/// Small and capital letters are not told apart, as in the index.
pub(super) const FOLD: u8 = 0x20;

fn searcher(table: Table) -> Option<packed::Searcher> {
    let folded = table.iter().copied().flatten().map(|piece| folded(piece));
    packed::Config::new().builder().extend(folded).build()
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

/// Where the pieces stand, in order.
pub(super) fn places(text: &[u8], searchers: &[packed::Searcher]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut folded = vec![0; PORTION + AROUND];
    let mut base = 0;
    while base < text.len() {
        // A piece across the border of two portions is seen whole in the first one.
        let portion = text.get(base..text.len().min(base + PORTION + AROUND)).unwrap_or_default();
        fold(portion, &mut folded);
        let haystack = folded.get(..portion.len()).unwrap_or_default();
        let begun = found.len();
        for searcher in searchers {
            let mut from = 0;
            let span = |start| aho_corasick::Span { start, end: haystack.len() };
            while let Some(piece) = searcher.find_in(haystack, span(from)) {
                if piece.start() >= PORTION {
                    break;
                }
                found.push(base + piece.start());
                // What another piece overlaps lies around it anyhow.
                from = piece.end();
            }
        }
        found.get_mut(begun..).unwrap_or_default().sort_unstable();
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
}
