//! bash and POSIX shell: text to a tree in which every command that could run can be seen.
//!
//! The reader is written from scratch because what it misses would run unseen. It agrees with bash on what runs;
//! where bash would refuse a text, it lists the place as unparsed and reads on. It does not expand, resolve or judge.

mod assignment;
mod compound;
mod cursor;
mod expansion;
mod heredoc;
mod parser;
mod quote;
mod redirect;
mod rules;
mod substitution;
#[cfg(test)]
mod tests;
mod text;
mod tree;
pub mod visit;
mod word;

pub use tree::*;

use crate::Span;
use crate::limits::SOURCE_BYTES;
use cursor::{Parser, Record};

/// Parses `source`. Never fails: what could not be placed is listed in [`Script::unparsed`] and stands in the tree.
#[must_use]
pub fn parse(source: &str) -> Script {
    let (mut body, mut record) = read(source);
    let read_end = readable(source);
    if read_end < source.len() {
        let span = Span::new(read_end, source.len());
        record.unparsed.push(Unparsed { span, reason: UnparsedReason::TooLong });
    }
    if !record.heredocs.is_empty() {
        visit::Heredocs::place(record.heredocs, &mut body);
    }
    record.unparsed.sort_by_key(|unparsed| (unparsed.span, unparsed.reason as u8));
    record.unparsed.dedup();
    Script { body, unparsed: record.unparsed, comments: record.comments }
}

fn read(source: &str) -> (Vec<Statement>, Record) {
    let text = source.get(..readable(source)).unwrap_or_default();
    let mut parser = Parser::new(text, None, Record::default());
    let body = parser.whole_text();
    (body, parser.record)
}

/// How much of the source is read.
fn readable(source: &str) -> usize {
    let mut end = source.len().min(SOURCE_BYTES);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    end
}
