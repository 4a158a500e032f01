//! A program that is about to be run, and the shapes that what it is given may have. Owns no meaning of any word.

use portcullis_syntax::Span;

use super::{manuals::Manual, options::Options};
use crate::{
    effect::{Argument, Arguments, EffectId},
    text::{Piece, Text},
};

/// Where what a person types comes from.
pub(crate) const TERMINAL: &str = "/dev/tty";

/// One program that is about to be run, with everything that is known of it.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Its name without a directory.
    pub program: String,
    /// The name as written and expanded.
    pub name: Argument,
    /// Its arguments, expanded.
    pub arguments: Arguments,
    /// What arrives on its standard input; `None` where that is the terminal.
    pub input: Option<Text>,
    /// Variables given to this program alone (`NAME=value program`).
    pub environment: Vec<(String, Text)>,
    /// Options that take a value, from the program's row.
    pub values: &'static [&'static str],
    /// All options of the program, where its manual is known whole.
    pub manual: Option<&'static Manual>,
    /// From the name to the last argument.
    pub span: Span,
    /// The effect that says that it runs.
    pub announced: Option<EffectId>,
}

impl Invocation {
    /// The arguments read as options and operands.
    #[must_use]
    pub fn options(&self) -> Options<'_> {
        Options::new(&self.arguments, self.values).of(self.manual)
    }

    /// What is known of everything that goes in: arguments and input. For programs whose output is made of them.
    #[must_use]
    pub fn origin(&self) -> Text {
        let mut origin = Text::unknown(&self.program);
        for argument in &self.arguments {
            origin.inherit(&argument.text);
        }
        if let Some(input) = &self.input {
            origin.inherit(input);
        }
        origin
    }

    /// The same as said by this program, for what it writes into a file by itself.
    #[must_use]
    pub fn written(&self) -> Text {
        let mut written = self.origin();
        written.sources.extend(self.announced);
        written
    }
}

/// `NAME=value` in an expanded word.
pub(crate) fn split_assignment(text: &Text) -> Option<(String, Text)> {
    let (name, first) = text.known_prefix().split_once('=')?;
    let plain = name.strip_suffix('+').unwrap_or(name);
    // Aliases and the environment take more names than variables do.
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.%()+:@!".contains(&byte);
    if plain.is_empty() || plain.starts_with('-') || !plain.bytes().all(allowed) {
        return None;
    }
    let value = text.beginning_with(first);
    Some((name.to_owned(), value))
}

/// Whether a text is names that a pattern gives, a line each: which of them are taken makes no difference to what they are below.
pub(crate) fn gives_names(text: &Text) -> bool {
    text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
        && !text.has_unknown()
        && text
            .pieces
            .iter()
            .all(|piece| !matches!(piece, Piece::Known(known) if known.contains('\n')))
}
