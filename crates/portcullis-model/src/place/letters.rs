//! First and last letters of names and patterns as sets, by which most patterns are told apart from a path at once.

/// First letters, as a set of ASCII characters; everything else counts as every letter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters(u128);

impl Letters {
    pub(super) const NONE: Self = Self(0);

    /// With one more first letter; a glob may stand for any.
    pub(super) const fn with(self, first: Option<u8>, fold: bool) -> Self {
        match first {
            Some(byte) if byte.is_ascii() && !matches!(byte, b'*' | b'?' | b'[') => {
                let lower = if fold {
                    1 << byte.to_ascii_lowercase() | 1 << byte.to_ascii_uppercase()
                } else {
                    0
                };
                Self(self.0 | 1 << byte | lower)
            }
            _ => Self(u128::MAX),
        }
    }

    /// With one more last letter. A class ends with `]`, which may be any.
    pub(super) const fn with_last(self, last: u8) -> Self {
        self.with(if last == b']' { None } else { Some(last) }, false)
    }

    pub(super) const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The last letters of a pattern's last component.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    pub(super) const fn at_end(pattern: &[u8]) -> Self {
        let mut letters = Self::NONE;
        let mut at = pattern.len();
        let mut ends = true;
        while at > 0 && pattern[at - 1] != b'/' {
            at -= 1;
            if ends {
                letters = letters.with_last(pattern[at]);
            }
            ends = pattern[at] == b'|';
        }
        if letters.0 == 0 { Self(u128::MAX) } else { letters }
    }

    /// The first letters of a pattern's first component behind `**/`, `~/`, `./`, `?:/` or `/`.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    pub(super) const fn of_pattern(pattern: &[u8]) -> Self {
        let mut at = match pattern {
            [b'*', b'*', b'/', ..] => 3,
            [b'~' | b'.', b'/', ..] => 2,
            [b'/', ..] => 1,
            _ => return Self(u128::MAX),
        };
        let mut letters = Self::NONE;
        let mut starts = true;
        while at < pattern.len() && pattern[at] != b'/' {
            if starts {
                letters = letters.with(Some(pattern[at]), false);
            }
            starts = pattern[at] == b'|';
            at += 1;
        }
        if letters.0 == 0 { Self(u128::MAX) } else { letters }
    }
}
