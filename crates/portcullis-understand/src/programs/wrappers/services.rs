//! Wrappers whose command runs later, as a service, or elsewhere. Owns where that command stands.

use super::{plain::inner_words, words::command_after};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// `at`, `batch`: the input is a script for later.
pub(super) fn later(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "-c", "-d", "-r", "-V"]) {
        return invocation.origin();
    }
    walk.note("persistence.schedule.at", invocation.span);
    if let Some(file) = options.value(&["-f"]) {
        return walk.script("shell", &file, &[], None);
    }
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

/// `systemd-run`: with a time it is a job for later.
pub(super) fn service(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const LATER: &[&str] = &[
        "--on-active",
        "--on-boot",
        "--on-calendar",
        "--on-startup",
        "--on-unit-active",
        "--on-unit-inactive",
        "--timer-property",
    ];
    // An option of the command that is run is not one of this program.
    let own = invocation.arguments.len() - command_after(invocation, 0).len();
    let is_later = |word: &Argument| {
        let option = word.text.known_prefix();
        LATER.contains(&option.split_once('=').map_or(option, |(name, _)| name))
    };
    if invocation.arguments.iter().leading(own).any(is_later) {
        walk.note("persistence.schedule.at", invocation.span);
    }
    inner_words(walk, invocation)
}

/// `setarch [MACHINE] [options] command`, `arch -x86_64 command`: the machine is no program, and may be asked of another one.
pub(super) fn other_machine(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const MACHINES: &[&str] = &[
        "aarch64", "alpha", "amd64", "arm", "arm64", "armv7l", "athlon", "i386", "i486", "i586",
        "i686", "ia64", "linux32", "linux64", "mips", "mips64", "parisc", "ppc", "ppc32", "ppc64",
        "ppc64le", "riscv64", "s390", "s390x", "sparc", "sparc64", "uname26", "x86_64",
    ];
    let command = command_after(invocation, 0);
    let is_machine = command.first().is_some_and(|first| {
        first
            .text
            .as_known()
            .map_or(invocation.program == "setarch", |first| MACHINES.contains(&first))
    });
    let command = if is_machine { command_after(invocation, 1) } else { command };
    if command.is_empty() {
        return invocation.origin();
    }
    walk.run(command, invocation.input.clone())
}

/// `runcon CONTEXT command`, `runcon -t TYPE command`.
pub(super) fn in_context(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let given = invocation
        .arguments
        .first()
        .is_some_and(|first| first.text.known_prefix().starts_with('-'));
    walk.run(command_after(invocation, usize::from(!given)), invocation.input.clone())
}

pub(super) fn daemon(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some(program) = invocation.options().value(&["-x", "--exec", "-a", "--startas"]) else {
        return invocation.origin();
    };
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    let mut words = vec![program];
    if let Some(at) = at {
        words.extend(invocation.arguments.iter().skip(at + 1).cloned());
    }
    walk.run(&words, invocation.input.clone())
}

pub(super) fn run_parts(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let Some(directory) = options.operands().next().cloned() else {
        return Text::default();
    };
    if options.has(&["--test", "--list"]) {
        return invocation.origin();
    }
    if matches!(
        directory.text.known_prefix().trim_end_matches('/'),
        "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin" | "/usr/local/bin"
    ) {
        walk.note("execution.shell.escape", directory.span);
    }
    let mut script = directory.clone();
    script.text.push_known("/");
    script.text.push(Piece::Glob("*".to_owned()));
    walk.script("shell", &script, &[], invocation.input.clone())
}
