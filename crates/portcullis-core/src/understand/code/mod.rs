//! What code in other languages than shell would do.

use portcullis_syntax::Span;

use super::shell::Walk;
use crate::{
    effect::{Argument, GapReason},
    text::Text,
};

/// Reads `code`, the text of the walk's current layer, as a script in `language` with `arguments`.
pub(crate) fn understand(
    walk: &mut Walk<'_>,
    name: &str,
    code: &str,
    arguments: &[Argument],
    input: Option<Text>,
) -> Text {
    let _ = (name, arguments, input);
    walk.gap(Span::new(0, code.len()), GapReason::UnknownCode);
    Text::unknown("what the code prints")
}
