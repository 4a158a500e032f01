//! The bytes of a text that is searched. Owns looking at them without ever leaving them.

/// The bytes of a text; beyond its end there are zeros.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// All of them.
    pub(super) bytes: &'a [u8],
}

impl<'a> Source<'a> {
    pub(super) fn at(self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    pub(super) fn len(self) -> usize {
        self.bytes.len()
    }

    pub(super) fn slice(self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    pub(super) fn starts_with(self, index: usize, prefix: &[u8]) -> bool {
        self.bytes.get(index..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// Whether `word`, in lower case, stands at `index` in any case.
    pub(super) fn has_word(self, index: usize, word: &[u8]) -> bool {
        self.bytes.get(index..index + word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word))
    }

    /// The first index at or after `from` whose byte does not satisfy `inside`.
    pub(super) fn skip(self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !inside(*byte)).unwrap_or(rest.len())
    }

    /// The same, but no more than `most` bytes on.
    pub(super) fn skip_at_most(
        self,
        from: usize,
        most: usize,
        inside: impl Fn(u8) -> bool,
    ) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take(most).take_while(|byte| inside(**byte)).count()
    }

    /// Where `needle` stands next.
    pub(super) fn find(self, from: usize, needle: &[u8]) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        memchr::memmem::find(rest, needle).map(|at| from + at)
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

pub(super) fn is_name(byte: u8) -> bool {
    NAMES.get(usize::from(byte)).copied().unwrap_or(false)
}

#[expect(clippy::indexing_slicing, reason = "runs when the program is built, over bytes")]
static NAMES: [bool; 256] = {
    let mut names = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        names[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-' | b'.');
        byte += 1;
    }
    names
};
