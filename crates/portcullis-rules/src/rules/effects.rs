//! What rules over effects have in common: reading an effect's target, naming it, and telling content that fetches or
//! hides code. Owns no rule.

use super::{Hit, Scene};
use crate::{
    effect::{Effect, EffectKind, Run, Target, WriteMode},
    place::{self, Place},
    risk::Severity,
    text::{Taint, Text},
};

/// How much of a name is shown in a message.
const NAME_BYTES: usize = 120;

/// A deletion: its target, whether it takes everything below, and where it lies.
pub(super) fn deleted<'a>(
    effect: &'a Effect,
    scene: &Scene<'_>,
) -> Option<(&'a Target, bool, Place)> {
    match &effect.kind {
        EffectKind::Delete { target, recursive } => {
            Some((target, *recursive, place::place_of(target, scene.facts)))
        }
        _ => None,
    }
}

/// A write: its target, how, and what.
pub(super) fn written(effect: &Effect) -> Option<(&Target, WriteMode, &Text)> {
    match &effect.kind {
        EffectKind::Write { target, mode, content } => Some((target, *mode, content)),
        _ => None,
    }
}

/// Whether a directory is made, or a file in which nothing stands yet: `mkdir -p ~/.ssh`.
pub(super) fn is_made_empty(
    mode: WriteMode,
    content: &Text,
    effect: &Effect,
    scene: &Scene<'_>,
) -> bool {
    mode == WriteMode::Create
        && content.is_empty()
        && scene
            .program_around(effect)
            .is_some_and(|run| matches!(run.program.as_str(), "mkdir" | "touch"))
}

/// A program that is run.
pub(super) fn run(effect: &Effect) -> Option<&Run> {
    match &effect.kind {
        EffectKind::Run(run) => Some(run),
        _ => None,
    }
}

/// The arguments of a program as far as they are wholly known, in order.
pub(super) fn words(run: &Run) -> impl Iterator<Item = &str> {
    run.arguments.iter().filter_map(|argument| argument.text.as_known())
}

/// A finding about a target: `words` with the name in backticks behind it.
pub(super) fn about(severity: Severity, target: &Target, words: &str) -> Hit {
    let shown = named(target);
    Hit {
        at: None,
        severity: Some(severity),
        message: Some(format!("{words} `{shown}`")),
        resource: Some(format!("file:{}", target.path.clone().unwrap_or(shown))),
    }
}

/// A finding with nothing to add but how bad it is.
pub(super) fn at(severity: Severity) -> Hit {
    Hit { severity: Some(severity), ..Hit::default() }
}

fn named(target: &Target) -> String {
    let mut shown = target.text.display();
    if shown.is_empty() {
        shown = target.path.clone().unwrap_or_default();
    }
    if shown.len() > NAME_BYTES {
        let mut end = NAME_BYTES;
        while !shown.is_char_boundary(end) {
            end -= 1;
        }
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// Whether text that something will run later fetches code, hides it, opens a shell to the network, or came over the
/// network itself.
pub(super) fn is_hostile(content: &Text) -> bool {
    if content.taint.has(Taint::NETWORK) || content.taint.has(Taint::DECODED) {
        return true;
    }
    let text = content.display();
    HOSTILE.iter().any(|needle| memchr::memmem::find(text.as_bytes(), needle.as_bytes()).is_some())
}

/// Words that code has in it which goes and gets other code, or hides what it is.
const HOSTILE: &[&str] = &[
    "curl ",
    "curl\t",
    "wget ",
    "/dev/tcp/",
    "/dev/udp/",
    "| sh",
    "|sh",
    "| bash",
    "|bash",
    "| zsh",
    "|zsh",
    "base64 -d",
    "base64 --d",
    "base64 -D",
    "ncat ",
    "nc -",
    "socat ",
    "mkfifo ",
    "bash -i",
    "sh -i",
    "python -c",
    "python3 -c",
    "perl -e",
    "ruby -e",
    "php -r",
    "openssl s_client",
    "IEX(",
    "IEX (",
    "DownloadString",
    "Invoke-WebRequest",
    "eval \"$(",
    "eval $(",
    "LD_PRELOAD",
    "/tmp/.",
    "/dev/shm/",
    "nohup ",
    "setsid ",
    "rm -rf /",
    "rm -rf ~",
    "alias sudo=",
    "alias ssh=",
    "alias su=",
    "chmod u+s",
    "chmod +s",
    "chmod 4",
];
