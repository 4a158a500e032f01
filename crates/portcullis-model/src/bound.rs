//! Bounds that cannot be silent. Owns the only ways to read less than there is: [`Bounded::at_most`] records a gap where
//! something is cut, and [`Bounded::leading`] is for what a grammar has no more of. A test refuses any other cut.

use std::iter::Take;

use portcullis_syntax::Span;

/// Whoever records that a bound was met.
pub trait Limits {
    /// Something around `span` was cut.
    fn limit(&mut self, span: Span);
}

/// Remembers for a caller that can record it that something was cut.
#[derive(Debug, Default)]
#[must_use = "what was cut has to be reported"]
pub struct Cut(bool);

impl Cut {
    /// Records it where something was cut.
    pub fn report(self, limits: &mut (impl Limits + ?Sized), span: Span) {
        if self.0 {
            limits.limit(span);
        }
    }

    /// Whether something was cut, for those who say so in their own way.
    pub const fn happened(self) -> bool {
        self.0
    }
}

impl Limits for Cut {
    fn limit(&mut self, _: Span) {
        self.0 = true;
    }
}

/// The ways to read less than there is.
pub trait Bounded: Iterator + Sized {
    /// The first `most` items; where there are more, `limits` is told.
    fn at_most(self, most: usize, limits: &mut (impl Limits + ?Sized), span: Span) -> Take<Self>
    where
        Self: Clone,
    {
        if self.clone().nth(most).is_some() {
            limits.limit(span);
        }
        self.take(most)
    }

    /// The first items, where what follows them means something else or nothing: a subcommand, the digits of an escape, a
    /// window around a place.
    fn leading(self, count: usize) -> Take<Self> {
        self.take(count)
    }
}

impl<I: Iterator> Bounded for I {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_told_and_what_is_not_is_not() {
        for (most, told) in [(2, true), (3, false), (4, false)] {
            let mut cut = Cut::default();
            let items = [1, 2, 3].iter().at_most(most, &mut cut, Span::default()).count();
            assert_eq!((items, cut.happened()), (most.min(3), told), "at most {most}");
        }
    }
}
