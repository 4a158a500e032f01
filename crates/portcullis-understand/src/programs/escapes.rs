//! Ways from an ordinary program to a shell: options, variables and inputs whose value is run as a command. What is run
//! is then read like any other command. Owns nothing but the way in; the tables stand below, and `follow` says in which order they are asked.

use super::{Options, cards, wrappers};

mod act;
pub(in crate::programs) mod by_manual;
pub(crate) mod debugger;
mod follow;
mod git;
mod git_tables;
mod loaded;
mod make;
pub mod named;
#[cfg(test)]
pub(in crate::programs) mod near_pairs;
mod obeyed;
mod settings;
mod shells;
mod table;
mod temporary;
mod told;
mod unlisted;
mod variables;
mod vim;
mod words;
mod writes;

pub(in crate::programs) use follow::{follow, hand_over};
pub(crate) use follow::{has_rows, options_of};
pub(in crate::programs) use git::entries as git_entries;
pub(crate) use git::is_verb as is_git_verb;
pub(in crate::programs) use git::leads::is_set as git_is_set;
pub use git::leads::{Lead, leads};
pub(crate) use git::{archived, git_environment, put_versions};
pub(in crate::programs) use git_tables::{Means as GitMeans, setting as git_means};
pub(crate) use make::{made, makefile};
pub(crate) use named::named_in_variable;
pub use obeyed::obeys;
pub(crate) use obeyed::{Variable, variable};
pub(crate) use settings::program as run_program;
pub(crate) use shells::is_shell;
pub(in crate::programs) use table::{Escape, How, escape};
pub use temporary::is_temporary;
pub(crate) use temporary::{is_anybodys, is_temporary_beside, names_temporary};
pub(in crate::programs) use words::put_in_by_tox;
pub(crate) use words::words_of;

/// The list here that has a program beside its card, for the test of the cards.
#[cfg(test)]
pub(in crate::programs) fn lists(name: &str) -> Option<&'static str> {
    table::lists(name).or_else(|| writes::lists(name).then_some("logs"))
}
