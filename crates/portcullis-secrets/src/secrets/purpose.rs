//! What a text is looked through for.

/// What a pass is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Purpose {
    /// To say what is there: a value is judged, and what stands for one is left out.
    Report,
    /// The same without names and surroundings: only types with a spelling of their own.
    Spellings,
    /// To hide it: whatever has a secret's name or beginning is taken, since a harmless word hidden costs nothing.
    Mask,
}
