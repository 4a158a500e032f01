//! Texts within texts: what a call says, what stands in its arguments, in files and in what programs print. Owns where a layer comes from, where
//! a span lies in it, and the letters that stand for what is not known in one.

use portcullis_syntax::Span;

/// The index of a layer in [`Effects::layers`](super::Effects::layers).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LayerId(pub u16);

/// One text that effects point into.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Layer {
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub origin: LayerOrigin,
}

/// How many unknown values can stand in nested layers; past it they merge into the last.
pub const STAND_INS: usize = 0xFF00;

/// The first private character that stands for an unknown value (Supplementary Private Use Area-A).
const STAND_IN: u32 = 0xF0000;

/// The character that the unknown value of this number is in the text of a nested layer.
pub fn stand_in(number: usize) -> Option<char> {
    char::from_u32(STAND_IN + u32::try_from(number.min(STAND_INS)).ok()?)
}

/// The number of the unknown value that a character of a nested layer stands for.
pub fn stands_for(character: char) -> Option<usize> {
    let number = (character as u32).checked_sub(STAND_IN)? as usize;
    (number <= STAND_INS).then_some(number)
}

/// Where a layer comes from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LayerOrigin {
    /// An argument of the call, by JSON pointer.
    Argument(String),
    /// A text computed from another layer: a decoded string, a script given to `sh -c`, a heredoc run as code.
    Within {
        /// The layer around it.
        parent: LayerId,
        /// The text in the parent that it comes from.
        span: Span,
    },
    /// The text of a file that something in another layer starts.
    File {
        /// Its absolute path.
        path: String,
        /// The layer around it.
        parent: LayerId,
        /// What starts it there.
        span: Span,
    },
}

impl LayerOrigin {
    /// Where in another layer it comes from.
    #[must_use]
    pub const fn outer(&self) -> Option<Location> {
        match self {
            Self::Argument(_) => None,
            Self::Within { parent, span } | Self::File { parent, span, .. } => {
                Some(Location { layer: *parent, span: *span })
            }
        }
    }
}

/// A span in a layer, ordered by layer and then by where it starts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Location {
    /// The layer.
    pub layer: LayerId,
    /// The bytes in the layer's text.
    pub span: Span,
}
