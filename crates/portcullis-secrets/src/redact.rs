//! Takes secrets out of text before it is stored, shown or sent. Owns what is masked and how; it reports nothing, because
//! whoever needs a finding asks the secrets detector.
//!
//! It would rather mask a harmless word than let a secret through: what it cannot delimit, it masks to the end.

use std::borrow::Cow;

pub use crate::secrets::MASK;
use crate::secrets::masked_in_call;

/// Masking changes what stands around a mask, so it is repeated until nothing changes; text that still changes after
/// this many rounds was made to confuse us, and is masked whole.
const MAX_ROUNDS: usize = 8;

/// The text without the secrets in it, borrowed where there are none. Total, linear, and idempotent.
///
/// ```
/// use portcullis_secrets::redact::redact;
/// assert_eq!(redact("psql postgres://app:hunter2@db/app"), "psql postgres://app:***@db/app");
/// assert_eq!(redact("tool --max_tokens=500"), "tool --max_tokens=500");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let Some(next) = masked_once(&current) else { return current };
        if next == *current {
            return current;
        }
        current = Cow::Owned(next);
    }
    Cow::Owned(MASK.to_owned())
}

/// One round; `None` where there is nothing to mask.
fn masked_once(text: &str) -> Option<String> {
    let spans = masked_in_call(text.as_bytes());
    if spans.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut index) = (0, 0);
    while let Some(&(start, mut end)) = spans.get(index) {
        index += 1;
        while let Some(&(_, later)) = spans.get(index).filter(|next| next.0 <= end) {
            end = end.max(later);
            index += 1;
        }
        // Every span starts and ends beside an ASCII byte; should one ever not, everything is masked.
        let Some(kept) = text.get(copied..start) else { return Some(MASK.to_owned()) };
        out.push_str(kept);
        out.push_str(MASK);
        copied = end;
    }
    let Some(rest) = text.get(copied..) else { return Some(MASK.to_owned()) };
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests;
