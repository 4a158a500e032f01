//! What code in other languages than shell would do. Owns a light reading of scripts: tokens are followed from left to
//! right, strings are computed where they can be, and the calls that reach out of the program are told to the walk.
//!
//! It is no interpreter: branches are all taken, loops run once, and what was not followed is unknown, never harmless.

mod accounts;
mod acts;
mod based;
mod binding;
mod builder;
mod calls;
mod closed;
mod closures;
mod containers;
mod credentials;
mod deferred;
mod definitions;
mod dispatched;
mod doubles;
mod endings;
mod entrusted;
mod evaluate;
mod events;
mod examples;
mod expressions;
mod fed;
mod fixtures;
mod fold;
mod guards;
mod handed;
mod hooked;
mod imports;
mod in_memory;
mod indices;
mod installed;
mod interpreter;
mod last_value;
mod learned;
mod libraries;
mod lines;
mod loaders;
mod locals;
mod loops;
mod matched;
mod members;
mod methods;
mod native;
mod notebook;
mod numbers;
mod objects;
mod opened;
mod operands;
mod pages;
mod path_objects;
mod perl;
mod plain;
mod played;
mod postfix;
mod raised;
mod reduced;
mod replaced;
mod repository_objects;
mod running;
mod services;
mod sketch;
mod special;
mod spliced;
mod statements;
mod tables;
mod tcl;
mod templates;
mod tested;
mod through;
mod unchecked;
mod unreached;

/// Ways to give a shell to another machine that take no call a table could know: a line that `awk` reads from a socket and
/// runs, a handle of `perl` that stands for a socket from then on.
fn hands_out_a_shell(language: &str, code: &str) -> bool {
    match language {
        "awk" if code.contains("/inet/") => {
            let compact: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
            compact.match_indices("|&getline").leading(MOST_READS).any(|(at, read)| {
                let rest = compact.get(at + read.len()..).unwrap_or("");
                let end = rest
                    .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .unwrap_or(rest.len());
                let line = rest.get(..end).unwrap_or("");
                !line.is_empty()
                    && [format!("{line}|&getline"), format!("{line}|getline")]
                        .iter()
                        .any(|run| compact.contains(&format!("({run}")))
            })
        }
        "perl" => {
            code.contains("IO::Socket")
                && code.contains("fdopen(")
                && ["system", "exec", "`"].iter().any(|runs| code.contains(runs))
        }
        _ => false,
    }
}

/// How many reads from a socket are followed in one script.
const MOST_READS: usize = 8;

#[cfg(test)]
mod followed_tests;
#[cfg(test)]
mod mended_tests;
#[cfg(test)]
mod tests;
mod value;

use portcullis_syntax::{
    Span,
    code::{TokenKind, dialect, tokens},
};

pub(super) use value::{is_not_followed, not_followed};

pub(super) use notebook::{is_other_language, puts_names_in, without_magics};

pub use crate::language::{Language, language};

use super::shell::Walk;
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    language::Form,
    programs::host::Host,
    text::{Piece, Text},
};

/// Reads `code`, the text of the walk's current layer, as a script in `language` with `arguments`, and tells the walk
/// what it would do; gives what it prints. `input` is what arrives on its standard input.
pub fn understand(
    walk: &mut Walk<'_>,
    name: &str,
    code: &str,
    arguments: &[Argument],
    input: Option<Text>,
) -> Text {
    let Some(language) = language(name) else {
        walk.gap(Span::new(0, code.len()), GapReason::UnknownCode);
        return Text::unknown("what the code prints");
    };
    if hands_out_a_shell(language.name, code) {
        walk.note("code.shell.reverse", Span::new(0, code.len()));
    }
    if language.name == "python" {
        notebook::understand(walk, code);
    }
    if language.name == "php" {
        let code = before_data(walk, code);
        return understand_php(walk, code, arguments, input);
    }
    match language.form {
        Form::Calls => {
            let printed = interpreter::run(walk, language.name, code, arguments, input);
            if sketch::reads(name, language.name) {
                sketch::read(walk, name, code);
            }
            printed
        }
        Form::Lines if language.name == "tcl" => tcl::run(walk, code, arguments),
        Form::Lines => lines::run(walk, language.name, code),
        Form::PowerShell => {
            evaluate::run(walk, evaluate::Dialect::PowerShell, code, arguments, input)
        }
        Form::Batch => evaluate::run(walk, evaluate::Dialect::Batch, code, arguments, input),
    }
}

/// Reads a page of PHP, or code for it without tags; both where it may be either.
fn understand_php(
    walk: &mut Walk<'_>,
    code: &str,
    arguments: &[Argument],
    input: Option<Text>,
) -> Text {
    let Some(page) = pages::page(code) else {
        return interpreter::run(walk, "php", code, arguments, input);
    };
    let mut printed = interpreter::run(walk, "php", &page.code, arguments, input.clone());
    if page.prints {
        printed.push(Piece::Unknown("a page".into()));
    }
    if !page.is_sure {
        printed.append(&interpreter::run(walk, "php", code, arguments, input));
    }
    printed
}

/// What of a PHP script is code: behind `__HALT_COMPILER();` stand data, most often a whole archive of which the script runs what it likes.
/// That is left unread, which is said. (php.net, `__halt_compiler`)
fn before_data<'c>(walk: &mut Walk<'_>, code: &'c str) -> &'c str {
    const HALT: &str = "__halt_compiler";
    let is_halt = |word: &str| word.eq_ignore_ascii_case(HALT);
    // Outside of the tags that is a text like any other.
    let behind_line = match code.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => code,
    };
    if !behind_line.starts_with("<?php")
        || !code.as_bytes().windows(HALT.len()).any(|it| it.eq_ignore_ascii_case(HALT.as_bytes()))
    {
        return code;
    }
    let read = tokens(code, dialect("php"));
    let found = read
        .list
        .iter()
        .find(|token| token.kind == TokenKind::Name && is_halt(token.span.of(code)));
    let end = found.map_or(code.len(), |token| token.span.range().end);
    let (before, data) = code.split_at_checked(end).unwrap_or((code, ""));
    if before.contains("?>") || data.is_empty() {
        return code;
    }
    walk.left_unread(Span::new(end, code.len()));
    before
}

/// Whether an interpreter of a language lives on in a session, and code that ran before can be read with what runs now.
pub(super) fn lives_on(name: &str) -> bool {
    matches!(name, "python" | "javascript")
}

/// As [`understand`], for code of which the first `before` bytes ran in earlier calls: gives what the rest prints, and how many effects
/// there were when it began. `is_cut` says that more ran before, and nobody knows what.
pub(super) fn understand_behind(
    walk: &mut Walk<'_>,
    name: &'static str,
    code: &str,
    before: usize,
    is_cut: bool,
) -> Option<(Text, usize)> {
    interpreter::run_behind(walk, name, code, before, is_cut)
}

/// Whether code ends where it ends, so that what follows is read as what it is.
pub(super) fn is_closed(name: &'static str, code: &str) -> bool {
    interpreter::is_closed(name, code)
}
