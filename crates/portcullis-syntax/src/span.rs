//! Where in a source text something stands. Owns byte offsets and nothing else: lines and columns are
//! computed by whoever shows them to a person.

/// A half-open range of byte offsets into one UTF-8 source text.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`; offsets past `u32::MAX` saturate, because no source is that long
    /// (see [`crate::limits::SOURCE_BYTES`]).
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text under the span, empty where the span does not fit `source`.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or("")
    }

    /// Whether the span covers no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
