//! How a text fits into a record.

use portcullis_core::redact::redact;

/// The most bytes of any other text: a caller's name for itself must not fill the disk.
pub const MAX_TEXT: usize = 300;

/// Redacts first and cuts then, so that no secret loses the part that it is known by; keeps both ends, because a long
/// command can hide what matters at either.
pub(crate) fn fit(text: &str, most: usize) -> String {
    let text = redact(text);
    // SQLite's own shell and many readers stop at a NUL, so it must not stand in a record.
    let text = if text.contains('\0') { text.replace('\0', "\u{2400}").into() } else { text };
    if text.len() <= most {
        return text.into_owned();
    }
    let head_end = text.floor_char_boundary(most - most / 4);
    let tail_start = text.ceil_char_boundary(text.len() - most / 4);
    let (head, tail) =
        (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    format!("{head} [… {} bytes …] {tail}", tail_start - head_end)
}
