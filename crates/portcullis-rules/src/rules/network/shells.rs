//! Shells and devices over a connection, and what listens for everybody. Owns how a shell is told from a program that only talks.

use super::{
    super::{
        Hit, Scene,
        flow::{is_local, is_shell, shown},
    },
    addresses::{about, connection},
};
use crate::{
    effect::{Effect, EffectKind, Run},
    place,
};

pub(super) fn streamed_shell(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    let sends_shell = connection.sends.as_ref().is_some_and(|sends| {
        scene.origins(sends).iter().any(|origin| match &origin.kind {
            EffectKind::Run(run) => is_interactive(run),
            _ => false,
        })
    });
    // The device carries both directions; a shell beside it that waits for commands is enough.
    let beside_shell = is_device(effect, scene)
        && scene.around(effect).any(|other| match &other.kind {
            EffectKind::Run(run) => is_shell(&run.program) && has_interactive_flag(run),
            _ => false,
        });
    (sends_shell || beside_shell).then(|| Hit {
        message: Some(format!("a shell is handed to `{}`", shown(connection))),
        ..about(connection, None)
    })
}

/// A shell that takes its commands from a person or a stream, not from a script.
fn is_interactive(run: &Run) -> bool {
    if !is_shell(&run.program) {
        return false;
    }
    let waits =
        run.arguments.iter().all(|argument| argument.text.known_prefix().starts_with(['-', '+']))
            && !run.arguments.iter().any(|argument| argument.text.known_prefix().starts_with("-c"));
    let from_stream = run.input.as_ref().is_none_or(|input| input.as_known().is_none());
    has_interactive_flag(run) || waits && from_stream
}

fn has_interactive_flag(run: &Run) -> bool {
    run.arguments.iter().any(|argument| {
        let written = argument.text.known_prefix();
        written.starts_with('-') && !written.starts_with("--") && written.contains('i')
            || written == "--interactive"
    })
}

fn is_device(effect: &Effect, scene: &Scene<'_>) -> bool {
    let written = effect.at.span.of(scene.effects.layer_text(effect.at.layer));
    written.contains("/dev/tcp/") || written.contains("/dev/udp/")
}

pub(super) fn device(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    (is_device(effect, scene) && !is_local(connection)).then(|| about(connection, None))
}

pub(super) fn serves_everything(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect).filter(|connection| connection.listens)?;
    let sends = connection.sends.as_ref()?;
    let mut files = scene.files_of(sends).into_iter();
    files.any(|file| place::place_of(file, scene.facts).is_whole()).then(|| about(connection, None))
}

pub(super) fn listens_everywhere(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    let host = connection.host.as_deref().unwrap_or("");
    let own = matches!(host, "localhost" | "::1") || host.starts_with("127.");
    (connection.listens && !own).then(|| about(connection, None))
}
