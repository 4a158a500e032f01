//! What is known of a string before it exists. Owns the half-known text that words, streams and files are made of
//! while a command is understood; it does not know where such text comes from.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

/// How much half-known text is kept. Text past it is dropped and stands as one unknown piece, so that doubling a
/// variable over and over costs nothing.
pub const KNOWN_BYTES: usize = 1 << 16;

/// How many stretches a text has at most; what follows is one unknown piece.
const PIECES: usize = 1 << 10;

/// How many effects a text remembers that it comes from; a pipeline of a thousand stages stays cheap.
pub const SOURCES: usize = 16;

/// Where the piece comes from that stands for what was dropped.
const PAST: &str = "text past the limit";

/// The index of an effect in [`Effects::list`](crate::effect::Effects::list).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct EffectId(pub u32);

/// What went into a value that is not fully known, or that came a way worth noticing. A set.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Taint(u8);

impl Taint {
    /// Nothing to say.
    pub const NONE: Self = Self(0);
    /// Keys, tokens, passwords or the environment.
    pub const SECRET: Self = Self(1);
    /// It came over the network.
    pub const NETWORK: Self = Self(2);
    /// It went through a decoder (base64, hex, `rev`, `tr`, decompression, decryption…).
    pub const DECODED: Self = Self(4);
    /// It was read from a file that this call did not write.
    pub const FILE: Self = Self(8);
    /// It is private though not a key: a file outside the workspace, personal data, an archive of a home directory.
    pub const PRIVATE: Self = Self(16);

    /// It has more sources than are remembered.
    pub const CUT: Self = Self(32);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether everything in `other` is in `self`.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One stretch of a half-known text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Piece {
    /// These bytes.
    Known(String),
    /// An unquoted pattern as written, which the shell would replace by the names that match.
    Glob(String),
    /// Something, of any length; the name of the variable or command it comes from, for messages.
    Unknown(Box<str>),
}

/// How many more origins of unknown pieces are told apart; behind them stands what no file is called.
const ORIGINS: usize = 16;
const MORE: &str = "\u{2026}";

/// Stretches in order. Nearly every text has one.
pub type Pieces = SmallVec<[Piece; 1]>;

/// What else went into unknown pieces, each with the place of its piece.
pub type Beside = Vec<(usize, Box<str>)>;

/// A half-known text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Text {
    /// The stretches in order; adjacent known stretches are merged. Empty means the empty string.
    pub pieces: Pieces,
    /// What went into it.
    pub taint: Taint,
    /// The effects that it comes from: the other ends of the data-flow edges that its use will draw.
    pub sources: Vec<EffectId>,
    /// The bytes behind an unknown piece, where they are known and are no text; see [`Text::as_binary`].
    pub binary: Option<Arc<[u8]>>,
    /// What else went into unknown pieces, by their places: several that follow each other are one piece. See [`Text::origins`].
    pub beside: Option<Arc<Beside>>,
}

impl Text {
    /// A text known whole.
    #[must_use]
    pub fn known(text: impl Into<String>) -> Self {
        let mut result = Self::default();
        result.push(Piece::Known(text.into()));
        result
    }

    /// A text of which nothing is known but where it comes from.
    #[must_use]
    pub fn unknown(origin: &str) -> Self {
        Self { pieces: smallvec![Piece::Unknown(origin.into())], ..Self::default() }
    }

    /// Bytes that are no text: unknown to all but those who unpack them.
    #[must_use]
    pub fn binary(origin: &str, bytes: Vec<u8>) -> Self {
        Self { binary: Some(bytes.into()), ..Self::unknown(origin) }
    }

    /// The bytes, where they are known and are no text.
    #[must_use]
    pub fn as_binary(&self) -> Option<&[u8]> {
        let is_one = matches!(self.pieces.as_slice(), [Piece::Unknown(_)]);
        self.binary.as_deref().filter(|_| is_one)
    }

    /// The whole text where every byte is known; a glob counts as unknown.
    #[must_use]
    pub fn as_known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Known(text)] => Some(text),
            _ => None,
        }
    }

    /// The whole text with globs as written, where nothing is unknown.
    #[must_use]
    pub fn as_pattern(&self) -> Option<String> {
        self.pieces.iter().try_fold(String::new(), |mut whole, piece| match piece {
            Piece::Known(text) | Piece::Glob(text) => {
                whole.push_str(text);
                Some(whole)
            }
            Piece::Unknown(_) => None,
        })
    }

    /// The known bytes before the first piece that is not.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Known(text)) => text,
            _ => "",
        }
    }

    /// The text for a person or a pattern: globs as written, unknown pieces as `origin` in `${…}`.
    #[must_use]
    pub fn display(&self) -> String {
        self.pieces.iter().fold(String::new(), |mut whole, piece| {
            match piece {
                Piece::Known(text) | Piece::Glob(text) => whole.push_str(text),
                Piece::Unknown(origin) => {
                    whole.push_str("${");
                    whole.push_str(origin);
                    whole.push('}');
                }
            }
            whole
        })
    }

    /// Whether it is surely the empty string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether some of it was dropped because it was too long.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(origin) if **origin == *PAST))
    }

    /// Whether any piece is unknown.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)))
    }

    /// Adds known bytes.
    pub fn push_known(&mut self, more: &str) {
        if self.is_full() || !self.has_room(more) {
            return;
        }
        self.binary = None;
        match self.pieces.last_mut() {
            Some(Piece::Known(text)) => text.push_str(more),
            _ => self.pieces.push(Piece::Known(more.to_owned())),
        }
    }

    /// Whether no stretch may follow; the last one says so.
    fn is_full(&mut self) -> bool {
        if self.pieces.len() + 1 < PIECES {
            return false;
        }
        if !matches!(self.pieces.last(), Some(Piece::Unknown(_))) {
            self.pieces.push(Piece::Unknown(PAST.into()));
        }
        true
    }

    /// Whether there is something to add, and room for it; says so where there is none.
    fn has_room(&mut self, more: &str) -> bool {
        let fits = self.len() + more.len() <= KNOWN_BYTES;
        if !fits {
            self.push(Piece::Unknown(PAST.into()));
        }
        fits && !more.is_empty()
    }

    /// Adds a piece.
    pub fn push(&mut self, piece: Piece) {
        self.binary = None;
        if self.is_full() {
            return;
        }
        match piece {
            Piece::Known(text) if matches!(self.pieces.last(), Some(Piece::Known(_))) => {
                self.push_known(&text);
            }
            Piece::Known(text) => {
                if self.has_room(&text) {
                    self.pieces.push(Piece::Known(text));
                }
            }
            Piece::Unknown(_) if matches!(self.pieces.last(), Some(Piece::Unknown(_))) => {}
            other => self.pieces.push(other),
        }
    }

    /// Adds another text with everything that is known of it.
    pub fn append(&mut self, other: &Self) {
        if self.pieces.is_empty() {
            self.pieces.clone_from(&other.pieces);
            self.binary.clone_from(&other.binary);
            self.beside.clone_from(&other.beside);
            self.inherit(other);
            return;
        }
        for (at, piece) in other.pieces.iter().enumerate() {
            match piece {
                Piece::Known(text) => self.push_known(text),
                Piece::Unknown(_) if matches!(self.pieces.last(), Some(Piece::Unknown(_))) => {
                    for origin in other.origins(at) {
                        self.put_beside(origin);
                    }
                }
                piece => {
                    self.push(piece.clone());
                    for origin in other.origins(at).skip(1) {
                        self.put_beside(origin);
                    }
                }
            }
        }
        self.inherit(other);
    }

    /// The last piece comes from this too.
    fn put_beside(&mut self, origin: &str) {
        let at = self.pieces.len().saturating_sub(1);
        let beside = Arc::make_mut(self.beside.get_or_insert_default());
        match beside.len() {
            count if count < ORIGINS => beside.push((at, origin.into())),
            ORIGINS => beside.push((at, MORE.into())),
            _ => {}
        }
    }

    /// Where an unknown piece comes from: from several where they followed each other.
    pub fn origins(&self, at: usize) -> impl Iterator<Item = &str> {
        let first = match self.pieces.get(at) {
            Some(Piece::Unknown(origin)) => Some(&**origin),
            _ => None,
        };
        let beside = self.beside.iter().flat_map(|beside| beside.iter());
        let beside = beside.filter(move |(of, _)| *of == at).map(|(_, origin)| &**origin);
        first.into_iter().chain(beside)
    }

    /// Whether an unknown piece was made of several.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.beside.is_some()
    }

    /// Takes over where another text comes from without its bytes.
    pub fn inherit(&mut self, other: &Self) {
        self.taint = self.taint.with(other.taint);
        for source in &other.sources {
            if self.sources.contains(source) {
                continue;
            }
            if self.sources.len() < SOURCES {
                self.sources.push(*source);
            } else {
                self.taint = self.taint.with(Taint::CUT);
            }
        }
    }

    /// The same text with other known bytes at its beginning.
    #[must_use]
    pub fn beginning_with(&self, known: &str) -> Self {
        let mut text = self.derive([]);
        text.push_known(known);
        for piece in self.pieces.iter().skip(1) {
            text.push(piece.clone());
        }
        text
    }

    /// The same origin, other bytes.
    #[must_use]
    pub fn derive(&self, pieces: impl IntoIterator<Item = Piece>) -> Self {
        let pieces = pieces.into_iter().collect();
        Self {
            pieces,
            taint: self.taint,
            sources: self.sources.clone(),
            binary: None,
            beside: None,
        }
    }

    /// How many bytes are kept of it.
    pub fn len(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Known(text) | Piece::Glob(text) => text.len(),
                Piece::Unknown(origin) => origin.len(),
            })
            .sum()
    }
}

impl From<Piece> for Text {
    fn from(piece: Piece) -> Self {
        let mut text = Self::default();
        text.push(piece);
        text
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::known(text)
    }
}
