//! What a shell script would do. Owns the walk over the tree: variables, files and streams are followed as far as they
//! are known, wrappers are unwrapped, and every program is handed to its row in `programs`. It does not judge.

mod again;
mod argument;
mod arithmetic;
mod arrays;
mod assign;
mod budget;
mod builtin_state;
mod builtins;
mod call;
mod calls;
mod code;
mod condition;
mod contained;
mod control;
mod declare;
mod descriptor;
mod directory;
mod earlier;
mod evaluated;
mod files;
mod host;
mod joined;
mod lasting;
mod leave;
mod lines;
mod listings;
mod loops;
mod matching;
mod modules;
mod name;
mod options;
mod otherwise;
mod own_files;
mod parameter;
mod placeholder;
mod program;
mod provenance;
mod recorder;
mod redirect;
mod run;
mod running;
mod scope;
mod sent;
mod sources;
mod stack;
mod startup;
mod state;
mod statements;
mod streams;
mod told_paths;
mod touched;
mod traps;
mod typed;
mod unpacked;
mod walk;
mod words;

pub(in crate::understand) use argument::Standing;
pub use walk::Walk;

pub use crate::paths::absolute;

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

/// How much of it is kept for files that are not the project's own word: what a big project runs before does not push them out of sight.
const WORK_RESERVED: usize = 40_000;

/// How much of it a command of a file is worth, besides what is counted of its words and effects.
const WORK_OF_COMMAND: usize = 8;

/// How many bytes of an effect's texts count as one unit of work.
const BYTES_PER_WORK: usize = 64;

/// How many rounds of a loop over known words are followed one by one, and how many ways one command is expanded when its
/// variables may hold different values.
pub const ROUNDS: usize = 16;
