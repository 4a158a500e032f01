//! Programs that change or read how the machine runs: its timetable, its kernel, its clock, its logs. Owns which of their words change something.

use super::{
    super::operands::{after, known, operands, synthetic},
    is_secret_name,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

/// A table of jobs is written where the scheduler finds it.
pub(super) fn crontab(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "-r", "-e", "-V", "--help"]) {
        return invocation.origin();
    }
    let content = match operands(invocation).first() {
        Some(file) if known(file) != "-" => walk.read(file),
        _ => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let table = synthetic("/var/spool/cron/crontabs/user", invocation.span);
    walk.write(&table, WriteMode::Replace, content);
    Text::default()
}

/// `sysctl -w kernel.x=1` writes `/proc/sys/kernel/x`.
pub(super) fn kernel_parameter(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for word in operands(invocation) {
        if let Some((name, value)) = word.text.known_prefix().split_once('=') {
            let mut content =
                after(&word, &format!("{name}=")).map(|rest| rest.text).unwrap_or_default();
            if content.is_empty() {
                content.push_known(value);
            }
            let path = format!("/proc/sys/{}", name.trim().replace('.', "/"));
            walk.write(&synthetic(&path, word.span), WriteMode::Replace, content);
        } else if known(&word).contains("..") {
            walk.read(&word);
        }
    }
    if let Some(file) = invocation.options().value(&["-p", "--load"]) {
        walk.read(&file);
    }
    invocation.origin()
}

pub(super) fn module(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(file) = operands(invocation).first() {
        walk.read(file);
    }
    Text::default()
}

pub(super) fn date(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let sets = |argument: &Argument| {
        let word = argument.text.known_prefix();
        word.starts_with("-s") || word.starts_with("--set") || matches!(word, "-us" | "-Rs")
    };
    let is_time = |word: &Argument| {
        let digits = known(word).split('.').next().unwrap_or("");
        digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let input_only = options.has(&["-d", "--date", "-r", "--reference", "-j"]);
    if invocation.arguments.iter().any(sets)
        || !input_only && operands(invocation).first().is_some_and(is_time)
    {
        walk.note("system.clock.set", invocation.span);
    }
    let mut printed = invocation.origin();
    if let Some(file) = options.value(&["-f", "--file"]) {
        printed.inherit(&walk.read(&file));
    }
    printed
}

pub(super) fn reads_log(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    shows_option(walk, invocation, &["-F", "--file"])
}

/// The names in a list are shown where no such files are.
pub(super) fn reads_list(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    shows_option(walk, invocation, &["-f", "--files-from"])
}

fn shows_option(walk: &mut dyn Host, invocation: &Invocation, options: &[&str]) -> Text {
    let mut printed = invocation.origin();
    if let Some(file) = invocation.options().value(options) {
        printed.inherit(&walk.read(&file));
    }
    printed
}

/// Variables hold tokens; one that is named like none is only itself.
pub(super) fn environment(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut printed = invocation.origin();
    let names: Vec<Argument> = operands(invocation);
    // `printenv HOME`
    let value = match names.as_slice() {
        [only] if known(only) == "HOME" => walk.facts().home.clone(),
        [only] if known(only) == "PWD" => walk.directory().map(str::to_owned),
        _ => None,
    };
    if let Some(value) = value {
        return printed.derive([Piece::Known(value)]);
    }
    if names.is_empty() || names.iter().any(|name| is_secret_name(known(name))) {
        printed.taint = printed.taint.with(Taint::SECRET);
    }
    printed
}
