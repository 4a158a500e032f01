//! What make is told beside its makefile: variables as words and from the environment, and targets that delete what a variable names.
//! Owns which of them is a command; how a makefile is read, `started` says.

use portcullis_syntax::Span;

use super::{is_shell, settings};
use crate::{
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation, started::make},
    text::{Piece, Taint, Text},
};

/// Variables by which recipes call programs, make(1) "CATALOGUE OF BUILT-IN RULES" and what makefiles call their tools. Where
/// the makefile gives them no value, or with `-e`, those of the environment count.
const TOOLS: &[&str] = &[
    "AR",
    "AS",
    "CARGO",
    "CC",
    "CPP",
    "CXX",
    "DOCKER",
    "FC",
    "GO",
    "INSTALL",
    "LD",
    "LEX",
    "MAKE",
    "NODE",
    "NPM",
    "PKG_CONFIG",
    "PYTHON",
    "RANLIB",
    "RM",
    "STRIP",
    "YACC",
];

/// Targets by which makefiles delete what they made.
const CLEANING: &[&str] = &["clean", "clobber", "distclean", "mrproper", "purge", "realclean"];

/// Variables that make is given as words, and those that it finds in the environment.
pub(super) fn make_surroundings(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let mut words: Vec<Argument> = options.operands().cloned().collect();
    let overrides = options.has(&["-e", "--environment-overrides"]);
    for name in TOOLS.iter().chain(overrides.then_some(&"SHELL")) {
        if let Some(value) = walk.variable_set(name) {
            let mut text = Text::known(format!("{name}="));
            text.append(&value);
            words.push(Argument { text, span: invocation.span });
        }
    }
    make_variables(walk, &words);
    let is_cleaning = |word: &&Argument| {
        word.text.as_known().is_some_and(|word| {
            CLEANING.contains(&word) || word.ends_with("-clean") || word.starts_with("clean-")
        })
    };
    if let Some(target) = words.iter().find(is_cleaning) {
        let span = target.span;
        cleaned(walk, &words, span);
    }
}

/// `make BUILD_DIR=/ clean`: what such a target deletes is what a variable names.
fn cleaned(walk: &mut dyn Host, words: &[Argument], span: Span) {
    /// Where things are installed or looked for, which no target of this kind empties.
    const ELSEWHERE: &[&str] = &["DESTDIR", "HOME", "PREFIX", "ROOT", "SYSROOT", "prefix"];
    for word in words {
        let Some((name, value)) = word.text.known_prefix().split_once('=') else { continue };
        if ELSEWHERE.contains(&name) || name.starts_with('-') {
            continue;
        }
        let text = match value {
            "$(HOME)" | "${HOME}" => Text::known("~"),
            _ => word.text.beginning_with(value),
        };
        let target = Argument { text, span: word.span };
        let place = crate::place::place_of(&walk.target(&target.text), walk.facts());
        let is_named = value.starts_with(['/', '~', '$']) || target.text.as_known().is_some();
        if is_named
            && matches!(
                place,
                crate::place::Place::Root
                    | crate::place::Place::SystemTop
                    | crate::place::Place::HomeTop
            )
        {
            walk.at_likely(|walk| walk.delete(&Argument { span, ..target }, true));
        }
    }
}

/// `NAME=value` of make: what a recipe has in the place of a program's name is run where it reads as a command.
pub(crate) fn make_variables(walk: &mut dyn Host, words: &[Argument]) {
    for word in words {
        let written = word.text.known_prefix();
        let Some((name, value)) = written.split_once('=') else { continue };
        let name = name.trim_end_matches([':', '?', '+', '!']);
        if name.is_empty() || name.starts_with('-') {
            continue;
        }
        let value =
            Argument { text: word.text.beginning_with(value.trim_start()), span: word.span };
        let known = value.text.known_prefix();
        let first = known.split_whitespace().next().unwrap_or("");
        let program = first.rsplit('/').next().unwrap_or(first);
        match name {
            "SHELL" | "MAKESHELL" if is_shell(program) && known == first => {
                settings::stands_in(walk, &value);
            }
            "SHELL" | "MAKESHELL" => settings::program(walk, &value),
            ".SHELLFLAGS" => {
                let mut code = Text::known("sh ");
                code.append(&value.text);
                walk.at_likely(|walk| walk.shell(&code, value.span, &[], None));
            }
            _ if TOOLS.contains(&name)
                && !known.contains(char::is_whitespace)
                && ["/", "./", "../", "~/"].iter().any(|start| known.starts_with(start)) =>
            {
                walk.at_likely(|walk| walk.shell(&value.text, value.span, &[], None));
            }
            _ if known.contains("$(shell ") => makefile(walk, &word.text, word.span),
            _ if (known.contains([' ', ';', '|', '&', '`']) || known.contains("$("))
                && (crate::programs::program(program).is_some() || is_shell(program)) =>
            {
                walk.at_likely(|walk| walk.shell(&value.text, value.span, &[], None));
            }
            // Wherever it stands in a recipe, what is behind a separator is a command of its own.
            _ if known.contains([';', '|', '&', '`', '\n']) => {
                let mut code = Text::known(": ");
                code.append(&value.text);
                walk.at_likely(|walk| walk.shell(&code, value.span, &[], None));
            }
            _ => {}
        }
    }
}

/// A makefile: the lines that make hands to a shell, whatever the goal is.
pub(crate) fn makefile(walk: &mut dyn Host, text: &Text, span: Span) {
    made(walk, text, None, span);
}

/// A makefile, and the words of the command that make's goals and variables are among.
pub(crate) fn made(walk: &mut dyn Host, text: &Text, words: Option<&[Argument]>, span: Span) {
    let text = &walk.text_of_input(text);
    let Some(known) = text.as_known() else {
        if text.taint.has(Taint::NETWORK) || text.taint.has(Taint::DECODED) {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    let words: Option<Vec<&str>> =
        words.and_then(|words| words.iter().map(|word| word.text.as_known()).collect());
    let (given, goals): (Vec<&str>, Vec<&str>) =
        words.iter().flatten().copied().partition(|word| word.contains('='));
    let given: Vec<(&str, &str)> = given.iter().filter_map(|word| word.split_once('=')).collect();
    // Which goal is meant is not known where a word is not.
    let goals = words.is_some().then_some(goals.as_slice());
    for command in make::commands(known, &given, goals, walk, span) {
        let code = text.derive([Piece::Known(command)]);
        walk.shell(&code, span, &[], None);
    }
}
