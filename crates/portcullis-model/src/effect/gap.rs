//! What could not be understood. Owns the reasons and their words.

use super::layer::Location;

/// Something that was not understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Gap {
    /// Where.
    pub at: Location,
    /// Why, for a person.
    pub reason: GapReason,
}

/// Why something was not understood.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum GapReason {
    /// The parser could not place it.
    Unparsed,
    /// Which program runs depends on something that is not known.
    UnknownProgram,
    /// Code is run that is not known.
    UnknownCode,
    /// An option or a variable is given that the program's manual, as we have it, does not list.
    UnknownOption,
    /// A limit was met: too deep, too long, too many.
    Limit,
}

impl GapReason {
    /// The reason for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Unparsed => "this is not shell syntax that we understand",
            Self::UnknownProgram => {
                "which program runs here depends on something that we cannot know"
            }
            Self::UnknownCode => "what is run here as code cannot be known",
            Self::UnknownOption => {
                "an option or variable is given that the manual we know does not have"
            }
            Self::Limit => "this is too deep, too long or too much to follow",
        }
    }
}
