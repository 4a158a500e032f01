//! Programs that run what stands behind their own words: at once, behind one operand, behind `--`, as a line of shell. Owns how
//! each of these forms is read.

use super::{
    containers::{copied, pushed},
    words::{command_after, own_options, read_joined, run_or_read},
};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{Options, host::Host, invocation::Invocation},
    text::Text,
};

pub(super) fn inner(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 0), invocation.input.clone())
}

/// `-c code` or `-e program` as a shell's option, or words that follow.
pub(super) fn command_option(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(code) = own_options(invocation, 0).value(&["-c", "-e"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner(walk, invocation)
}

/// `flock FILE command`, `flock FILE -c code`.
pub(super) fn locked(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(code) = own_options(invocation, 1).value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner_after_one(walk, invocation)
}

pub(super) fn inner_after_one(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 1), invocation.input.clone())
}

/// Our own `sandbox run … -- COMMAND` and `try … -- COMMAND`, which are read as if it ran outside, in the directory where it starts. What
/// our other verbs do, `rules` says.
pub(super) fn sandboxed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let arguments = invocation.arguments.as_slice();
    let is_first = arguments
        .first()
        .is_some_and(|first| matches!(first.text.as_known(), Some("sandbox" | "try")));
    let ends = arguments.iter().position(|word| word.text.as_known() == Some("--"));
    let Some((ends, command)) =
        ends.filter(|_| is_first).and_then(|ends| Some((ends, arguments.get(ends + 1..)?)))
    else {
        return invocation.origin();
    };
    let own =
        Options::new(arguments.get(..ends).unwrap_or_default(), &["--workspace", "--directory"]);
    let Some(workspace) = own.value(&["--workspace"]) else {
        return walk.run(command, invocation.input.clone());
    };
    // What it may write to is all of that directory, whatever the command is seen to do there.
    walk.mount(&workspace);
    let input = invocation.input.clone();
    walk.within(&workspace, |walk| match own.value(&["--directory"]) {
        Some(inner) => walk.within(&inner, |walk| walk.run(command, input)),
        None => walk.run(command, input),
    })
}

/// As [`inner`], for programs whose inner command may as well stand in one quoted word.
pub(super) fn inner_words(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    run_or_read(walk, command_after(invocation, 0), invocation)
}

/// All words together are shell code: `watch`.
pub(super) fn shell_words(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let command = command_after(invocation, 0);
    if own_options(invocation, 0).has(&["-x", "--exec"]) {
        return walk.run(command, invocation.input.clone());
    }
    read_joined(walk, command, invocation)
}

/// `newgrp GROUP`: a shell that reads the input.
pub(super) fn group_shell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

/// `hyperfine 'command'…`: each operand is a command, as is what prepares it.
pub(super) fn timed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let around =
        ["-s", "--setup", "-p", "--prepare", "-c", "--cleanup", "--conclude", "--reference"];
    let options = invocation.options();
    let commands: Vec<Argument> =
        options.values_of(&around).chain(options.operands().cloned()).collect();
    for command in &commands {
        walk.shell(&command.text, command.span, &[], Some(Text::default()));
    }
    invocation.origin()
}

/// `kubectl apply -f -`: what arrives is made into objects.
pub(super) fn applied(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(input) = &invocation.input else { return };
    let options = invocation.options();
    let verb = options.operands().next().and_then(|verb| verb.text.as_known());
    let reads = options
        .values_of(&["-f", "--filename"])
        .any(|file| matches!(file.text.as_known(), Some("-" | "/dev/stdin")));
    if !reads || !matches!(verb, Some("apply" | "create" | "replace")) {
        return;
    }
    if input.taint.has(crate::text::Taint::NETWORK) {
        walk.note("k8s.apply.remote", invocation.span);
    }
    let text = input.display();
    let binds = text.contains("RoleBinding") && text.contains("cluster-admin");
    let grants = text.contains("kind: ClusterRole")
        && ["verbs: [\"*\"]", "verbs: ['*']"].iter().any(|all| text.contains(all))
        && ["resources: [\"*\"]", "resources: ['*']"].iter().any(|all| text.contains(all));
    if binds || grants {
        walk.note("k8s.rbac.admin", invocation.span);
    }
}

/// `kubectl exec … -- command`: what stands behind `--`.
pub(in super::super) fn dash_dash(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let verb = invocation.options().operands().next().and_then(|verb| verb.text.as_known());
    let is_cluster = matches!(invocation.program.as_str(), "kubectl" | "oc");
    if is_cluster {
        applied(walk, invocation);
    }
    if is_cluster && matches!(verb, Some("cp" | "rsync")) {
        return copied(walk, invocation, 1);
    }
    if verb == Some("file") {
        return pushed(walk, invocation);
    }
    let runs = invocation.arguments.iter().any(|argument| {
        matches!(argument.text.as_known(), Some("exec" | "run" | "debug" | "attach" | "shell"))
    }) || invocation.program == "lxc-attach";
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    if let Some(at) = at
        && runs
    {
        let command = invocation.arguments.get(at + 1..).unwrap_or(&[]);
        return walk.run(command, invocation.input.clone());
    }
    if runs && matches!(invocation.program.as_str(), "incus" | "lxc") {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    if runs && is_cluster && verb == Some("exec") {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    invocation.origin()
}

pub(super) fn dash_dash_shell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    let Some(at) = at else { return invocation.origin() };
    let mut words = vec![Argument { text: Text::known("bash"), span: invocation.name.span }];
    words.extend(invocation.arguments.iter().skip(at + 1).cloned());
    walk.run(&words, invocation.input.clone())
}

pub(super) fn namespace(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let verbs: Vec<&str> = invocation
        .options()
        .operands()
        .leading(2)
        .filter_map(|operand| operand.text.as_known())
        .collect();
    match verbs.as_slice() {
        ["netns" | "vrf", "exec"] => {
            walk.run(command_after(invocation, 3), invocation.input.clone())
        }
        _ => invocation.origin(),
    }
}

pub(super) fn profiled(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let verb = invocation
        .options()
        .operands()
        .next()
        .and_then(|operand| operand.text.as_known())
        .map(str::to_owned);
    match verb.as_deref() {
        Some("stat" | "record" | "trace" | "mem" | "top" | "ftrace") => {
            let at = invocation
                .arguments
                .iter()
                .position(|argument| argument.text.as_known() == Some("--"));
            match at {
                Some(at) => walk.run(
                    invocation.arguments.get(at + 1..).unwrap_or(&[]),
                    invocation.input.clone(),
                ),
                None => walk.run(command_after(invocation, 1), invocation.input.clone()),
            }
        }
        _ => invocation.origin(),
    }
}

pub(super) fn typescript(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(code) = invocation.options().value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    match &invocation.input {
        Some(input) if input.as_known() != Some("") => {
            walk.shell(input, invocation.span, &[], None)
        }
        _ => invocation.origin(),
    }
}
