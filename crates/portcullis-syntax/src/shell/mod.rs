//! bash and POSIX shell: text to a tree in which every command that could run can be seen.

mod tree;

pub use tree::*;

/// Parses `source`. Never fails: what could not be placed is listed in [`Script::unparsed`] and stands in the tree.
#[must_use]
pub fn parse(source: &str) -> Script {
    let span = crate::Span::new(0, source.len());
    Script {
        body: Vec::new(),
        unparsed: vec![Unparsed { span, reason: UnparsedReason::Syntax }],
        comments: Vec::new(),
    }
}
