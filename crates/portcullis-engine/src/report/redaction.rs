//! Secrets out of what is shown. Owns where they stood in the text; what is a secret, `portcullis_core::redact` says.

use std::ops::Range;

use portcullis_core::redact::{MASK, redact};

use super::visible;

/// One line of somebody else's text: without secrets, and visible.
pub(super) fn line(text: &str) -> String {
    visible::line(&redact(text)).into_owned()
}

/// How far around a stretch secrets are looked for: farther than the longest key reaches.
const AROUND: usize = 1 << 14;

/// The places of the secrets in and around a stretch of a text, each with what stands in for it.
pub(super) fn replaced(source: &str, stretch: &Range<usize>) -> Vec<(Range<usize>, String)> {
    let start = source.floor_char_boundary(stretch.start.saturating_sub(AROUND));
    let end = source.ceil_char_boundary(stretch.end.saturating_add(AROUND).min(source.len()));
    let near = source.get(start..end).unwrap_or_default();
    let redacted = redact(near);
    if redacted == near {
        return Vec::new();
    }
    // What they leave is exactly the redacted text.
    align(near, &redacted)
        .unwrap_or_else(|| std::iter::once(0..near.len()).collect())
        .into_iter()
        .map(|range| (start + range.start..start + range.end, MASK.to_owned()))
        .collect()
}

/// What was masked, from what was kept: the kept stretches stand in the source in the same order, the first at its
/// beginning and the last at its end. Where a stretch occurs more than once the place is a guess; what is shown is not.
fn align(source: &str, redacted: &str) -> Option<Vec<Range<usize>>> {
    let mut kept = redacted.split(MASK);
    let mut at = kept.next().filter(|first| source.starts_with(*first))?.len();
    let mut kept = kept.peekable();
    let mut masked = Vec::new();
    while let Some(stretch) = kept.next() {
        let rest = source.get(at..)?;
        let found = if kept.peek().is_some() {
            at + rest.find(stretch)?
        } else {
            at + rest.strip_suffix(stretch)?.len()
        };
        masked.push(at..found);
        at = found + stretch.len();
    }
    Some(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_the_redacted_text() {
        for (source, redacted, masked) in [
            ("a=SECRET b", "a=*** b", &[(2, 8)][..]),
            ("*** a=SECRET", "*** a=***", &[(0, 3), (6, 12)]),
            ("SECRET", "***", &[(0, 6)]),
            ("a=S b=b=S", "a=*** b=***", &[(2, 3), (6, 9)]),
        ] {
            let ranges = align(source, redacted).unwrap_or_default();
            let ranges: Vec<_> = ranges.iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(ranges, masked, "{source}");
        }
        assert_eq!(align("abc", "x***"), None);
        let command = "curl -H 'Authorization: Bearer abcdefghij0123456789' https://x.example";
        let shown =
            visible::Shown::of(command, 0..command.len(), &replaced(command, &(0..command.len())))
                .text;
        assert_eq!(shown, redact(command));
        assert!(!shown.contains("0123456789"), "{shown}");
    }
}
