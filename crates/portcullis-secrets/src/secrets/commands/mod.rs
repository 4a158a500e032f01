//! Secrets that only the shape of a call tells: the option, the operand or the input by which a program takes one, the short name of
//! an assignment, the field that a text is typed into. Owns the walk over the words of a call; which programs take what, `table`
//! says.
//!
//! Only what masks asks here, and only for texts as long as calls are: a log is not read as a list of commands.

use super::{
    delimit::{Value, is_reference, values_at},
    source::Source,
    value,
};

mod beside;
mod fed;
mod short;
mod table;
mod taken;
mod words;

/// The longest text that is read as a call.
pub(in crate::secrets) const LONGEST: usize = 1 << 16;

/// The bytes that a mask has to cover because of what they are given to, in no order.
pub(in crate::secrets) fn spans(text: &[u8]) -> Vec<(usize, usize)> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let mut found = Found { source: Source { bytes: text }, spans: Vec::new(), documents_until: 0 };
    words::each_line(found.source, &mut |line| {
        taken::by_programs(&mut found, line);
        fed::into_programs(&mut found, line);
    });
    short::assigned(&mut found);
    beside::fields(&mut found);
    beside::typed(&mut found);
    found.spans
}

/// What was found so far.
struct Found<'a> {
    source: Source<'a>,
    spans: Vec<(usize, usize)>,
    /// Up to here texts that stand in lines of their own were read.
    documents_until: usize,
}

impl Found<'_> {
    /// Masks these bytes, unless they only say where the secret is.
    fn mask(&mut self, start: usize, end: usize) {
        if start < end && !is_reference(self.source, start) {
            self.spans.push((start, end));
        }
    }

    /// Masks the value that begins at `start`, as it stands or in quotes.
    fn mask_value(&mut self, start: usize) {
        for Value { start, end, quoted: _ } in values_at(self.source, start).0.into_iter().flatten()
        {
            self.mask(start, end);
        }
    }

    /// Masks what stands behind `separator` in the value that begins at `start`.
    fn mask_behind(&mut self, start: usize, separator: u8) {
        for Value { start, end, quoted: _ } in values_at(self.source, start).0.into_iter().flatten()
        {
            let both = self.source.slice(start, end);
            if let Some(at) = memchr::memchr(separator, both) {
                self.mask(start + at + 1, end);
            }
        }
    }

    /// Masks these bytes where nobody takes them for a word.
    fn mask_made(&mut self, start: usize, end: usize) {
        if is_made(self.source.slice(start, end)) {
            self.mask(start, end);
        }
    }
}

/// Whether nobody takes a text for a word, a name or a version; what ends a line that is typed is no part of it.
fn is_made(text: &[u8]) -> bool {
    value::is_made(typed(text))
}

/// A text without the line ends that are written behind it: `\r`, `\n`, `\\r`.
fn typed(mut text: &[u8]) -> &[u8] {
    loop {
        let shorter = match text {
            [rest @ .., b'\\', b'r' | b'n'] => rest,
            [rest @ .., b'\r' | b'\n' | b' ' | b'\\'] => rest,
            _ => return text,
        };
        text = shorter;
    }
}

#[cfg(test)]
mod tests;
