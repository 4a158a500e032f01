//! A secret of which the end has not come yet. Owns from where it is hidden, what ends it, and for how long it may go on without an
//! end.

use memchr::memmem;
use sha2::{Digest, Sha256};

use super::{StreamRedactor, WINDOW, place};
use crate::secrets::{
    delimit::{closing, word_end},
    kinds::SecretType,
    scan::{Closer, Open},
    source::Source,
};

/// How much an armour without an end hides; behind it only lines that look like a part of a key.
const ARMOUR: usize = 1 << 16;
/// How much a quote without an end hides, up to the end of the line.
const QUOTED: usize = 1 << 12;
/// What is left of a hidden piece of a long line, so that no closing mark is cut.
const MARK: usize = 256;

/// A secret of which the end is still to come.
#[derive(Clone, Debug)]
pub(super) struct Hiding {
    pub(super) kind: &'static SecretType,
    closer: Closer,
    pub(super) hash: Sha256,
    count: usize,
}

impl StreamRedactor {
    pub(super) fn begin(&mut self, open: Open, first: &[u8]) {
        let Open { kind, closer, start: _ } = open;
        let hash = self.salted().chain_update(first);
        self.hiding = Some(Hiding { kind, closer, hash, count: first.len() });
    }

    pub(super) fn close(&mut self, hiding: Hiding, out: &mut Vec<u8>) {
        self.hidden += 1;
        place(hiding.kind.name, hiding.hash, out);
    }

    /// Hides the next piece of `rest`, or the part of it that still belongs to the secret, and gives its length.
    pub(super) fn hide(
        &mut self,
        mut hiding: Hiding,
        rest: &[u8],
        ended: bool,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let line = memchr::memchr(b'\n', rest.get(..rest.len().min(WINDOW)).unwrap_or_default());
        let (end, whole) = match line {
            Some(at) => (at + 1, true),
            None if rest.len() >= WINDOW => (WINDOW - MARK, false),
            None if ended && !rest.is_empty() => (rest.len(), true),
            None => {
                self.hiding = Some(hiding);
                return None;
            }
        };
        let piece = rest.get(..end).unwrap_or_default();
        let source = Source { bytes: piece };
        let found = match &hiding.closer {
            Closer::Armour(frame) => {
                memmem::find(piece, frame.end).map(|at| frame.closed(source, at))
            }
            Closer::Quote(opener) => {
                Some(closing(source, 0, opener)).filter(|at| *at < piece.len())
            }
            Closer::Word => Some(word_end(source, 0)).filter(|at| *at < piece.len()),
        };
        if let Some(at) = found {
            hiding.hash.update(piece.get(..at).unwrap_or_default());
            self.close(hiding, out);
            return Some(at);
        }
        let over = match hiding.closer {
            Closer::Armour(_) => hiding.count > ARMOUR && !is_of_key(piece),
            Closer::Quote(_) => hiding.count > QUOTED && whole,
            Closer::Word => false,
        };
        if over {
            self.close(hiding, out);
            return Some(0);
        }
        hiding.count += piece.len();
        hiding.hash.update(piece);
        self.hiding = Some(hiding);
        Some(end)
    }
}

/// Whether a line may be a part of a key: base64 and what other tools put before it.
fn is_of_key(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let inside = line
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        .count();
    inside * 10 >= line.len() * 9 && !line.contains(&b' ')
}
