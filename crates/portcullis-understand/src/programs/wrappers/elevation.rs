//! Programs that run a command with another user's rights: `sudo`, `su` and their kin.

use super::{
    environment::run_in,
    words::{command_after, own_options, read_joined},
};
use crate::{
    effect::WriteMode,
    programs::{
        host::Host,
        invocation::{Invocation, split_assignment},
    },
    text::Text,
};

pub(super) fn elevated(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = own_options(invocation, 0);
    if options.has(&["-l", "--list", "-v", "--validate", "-k", "-K"])
        && command_after(invocation, 0).is_empty()
    {
        return invocation.origin();
    }
    let user =
        options.value(&["-u", "--user"]).map_or_else(|| Text::known("root"), |user| user.text);
    walk.privilege(user, invocation.name.span);
    if options.has(&["-e", "--edit"]) && invocation.program == "sudo" {
        for file in invocation.options().operands().cloned().collect::<Vec<_>>() {
            walk.write(&file, WriteMode::Edit, Text::unknown("an editor"));
        }
        return Text::default();
    }
    let mut command = command_after(invocation, 0);
    while let Some((first, rest)) = command.split_first() {
        let Some((name, value)) = split_assignment(&first.text) else { break };
        walk.environment_of(&name, &value, first.span);
        command = rest;
    }
    if command.is_empty() {
        if options.has(&["-i", "--login", "-s", "--shell"]) || invocation.program == "run0" {
            return root_shell(walk, invocation);
        }
        return Text::default();
    }
    let directory = options.value(&["-D", "--chdir"]).filter(|_| invocation.program == "sudo");
    run_in(walk, directory, command, invocation)
}

/// A shell with another user's rights: what it is told is its input.
pub(super) fn root_shell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.note("privilege.shell.interactive", invocation.name.span);
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

pub(super) fn switch_user(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let user = options
        .value(&["-u"])
        .or_else(|| {
            options.operands().find(|operand| operand.text.as_known() != Some("-")).cloned()
        })
        .map_or_else(|| Text::known("root"), |user| user.text);
    walk.privilege(user, invocation.name.span);
    if let Some(code) = options.value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    if invocation.program == "runuser" && options.has(&["-u"]) {
        return walk.run(command_after(invocation, 0), invocation.input.clone());
    }
    if invocation.program == "sg" {
        return read_joined(walk, command_after(invocation, 1), invocation);
    }
    root_shell(walk, invocation)
}
