//! What a shell script would do. Owns the walk over the tree: variables, files and streams are followed as far as they
//! are known, wrappers are unwrapped, and every program is handed to its row in `programs`. It does not judge.

mod again;
mod argument;
mod arithmetic;
mod arrays;
mod builtins;
mod condition;
mod contained;
mod earlier;
pub(crate) mod files;
mod leave;
mod matching;
mod options;
mod parameter;
mod path;
pub(crate) mod pattern;
mod placeholder;
mod redirect;
mod run;
mod startup;
mod state;
mod statements;
mod tasks;
mod walk;
mod words;

use portcullis_syntax::Span;

pub(in crate::understand) use argument::Standing;
pub(crate) use builtins::split_assignment;
pub use path::absolute;
pub(crate) use path::normal;
pub(crate) use pattern::matches;
pub(crate) use redirect::TERMINAL;
pub(crate) use run::gives_names;
pub use walk::Walk;

use crate::{
    effect::{Argument, Arguments, EffectId},
    programs::Options,
    text::Text,
};

/// How deep scripts, functions and words may nest in each other before the walk gives up with a gap. The parser stops at
/// the same depth, and people stay below ten; bounded so that the walk fits the smallest thread stack.
pub const DEPTH: usize = 64;

/// How much is walked, in statements, words and effects together. A script of 64 kB stays below; past it the rest is a gap.
pub const WORK: usize = 40_000;

/// How much of it is walked whatever the call is, and how much more for each byte of its text: loops in loops and nested
/// substitutions make much work of few letters, and nobody writes that by hand.
pub const WORK_AT_LEAST: usize = 8_000;
/// See [`WORK_AT_LEAST`].
pub const WORK_PER_BYTE: usize = 16;

/// How much is walked with the files that a call starts, and how much for each byte of them.
pub const WORK_OF_FILES: usize = 400_000;
/// See [`WORK_OF_FILES`].
pub const WORK_PER_FILE_BYTE: usize = 16;

/// How much of it a command of a file is worth, besides what is counted of its words and effects.
const WORK_OF_COMMAND: usize = 8;

/// How many bytes of an effect's texts count as one unit of work.
const BYTES_PER_WORK: usize = 64;

/// How many rounds of a loop over known words are followed one by one, and how many ways one command is expanded when its
/// variables may hold different values.
pub const ROUNDS: usize = 16;

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
    /// From the name to the last argument.
    pub span: Span,
    /// The effect that says that it runs.
    pub announced: Option<EffectId>,
}

impl Invocation {
    /// The arguments read as options and operands.
    #[must_use]
    pub fn options(&self) -> Options<'_> {
        Options::new(&self.arguments, self.values).of(&self.program)
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
