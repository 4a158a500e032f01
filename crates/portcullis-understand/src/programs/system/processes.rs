//! Programs that end others. Owns which processes they name.

use super::super::operands::{known, operands};
use crate::{
    effect::{Argument, EffectKind},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// `kill -9 -1`: the first word may be a signal, `-1` after it is everything.
pub(super) fn kill(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut arguments = invocation.arguments.as_slice();
    if let Some((first, rest)) = arguments.split_first() {
        match known(first) {
            "-l" | "-L" | "--list" | "--table" => return invocation.origin(),
            // Whether it is there.
            "-0" => return Text::default(),
            "-s" | "-n" | "--signal" => arguments = rest.get(1..).unwrap_or_default(),
            word if word.starts_with('-') && word != "--" => arguments = rest,
            _ => {}
        }
    }
    for target in arguments.iter().filter(|argument| known(argument) != "--") {
        let kind = EffectKind::Kill {
            target: target.text.clone(),
            everything: crate::place::visible(known(target)) == "-1"
                || target.text.as_pattern().is_some_and(|numbers| is_any_number(&numbers)),
        };
        walk.emit(kind, target.span);
    }
    Text::default()
}

/// Whether a pattern stands for the number of any process: `[0-9]*`, `*`.
fn is_any_number(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    matches!(name, "*" | "[0-9]*" | "[1-9]*" | "+([0-9])" | "[0-9]" | "[[:digit:]]*")
}

/// `fuser -k -m DIRECTORY`: every process that uses the file system.
pub(super) fn users(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let kills = options.has(&["-k", "--kill"]);
    if kills && !options.has(&["-m", "-M", "--mount", "-c"]) {
        for place in operands(invocation) {
            let kind = EffectKind::Kill { target: place.text.clone(), everything: false };
            walk.emit(kind, place.span);
        }
    } else if kills {
        for place in operands(invocation) {
            let target = walk.target(&place.text);
            let everything = matches!(
                crate::place::place_of(&target, walk.facts()),
                crate::place::Place::Root
                    | crate::place::Place::SystemTop
                    | crate::place::Place::HomeTop
            );
            walk.emit(EffectKind::Kill { target: place.text.clone(), everything }, place.span);
        }
    }
    invocation.origin()
}

pub(super) fn kill_by_name(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    // `-STOP` is one word and no `-P` with what follows.
    let mut invocation = invocation.clone();
    let words = invocation.arguments.iter();
    invocation.arguments = words.filter(|word| !is_signal_option(known(word))).cloned().collect();
    let invocation = &invocation;
    let options = invocation.options();
    if options.has(&["-l", "--list"]) && invocation.program == "killall" {
        return invocation.origin();
    }
    let everyone = options.value(&["-u", "--user", "-U", "--uid", "--euid"]);
    let inverted = options.has(&["-v", "--inverse"]) && invocation.program == "pkill";
    let names: Vec<Argument> =
        operands(invocation).into_iter().filter(|name| !is_signal(known(name))).collect();
    if names.is_empty()
        && let Some(user) = &everyone
    {
        walk.emit(EffectKind::Kill { target: user.text.clone(), everything: true }, user.span);
    }
    for name in names {
        let takes_all =
            matches!(known(&name), "." | ".*" | "^" | "*" | "") && !name.text.has_unknown();
        let kind =
            EffectKind::Kill { target: name.text.clone(), everything: takes_all || inverted };
        walk.emit(kind, name.span);
    }
    Text::default()
}

/// `-STOP`, `-SIGKILL`, `-RTMIN+1`
fn is_signal_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| {
        name.len() > 2
            && name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.bytes().all(|byte| {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"+-".contains(&byte)
            })
    })
}

fn is_signal(word: &str) -> bool {
    word.starts_with('/') && word.len() <= 4
}

pub(super) fn kill_everything(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.emit(
        EffectKind::Kill { target: Text::known("every process"), everything: true },
        invocation.span,
    );
    Text::default()
}
