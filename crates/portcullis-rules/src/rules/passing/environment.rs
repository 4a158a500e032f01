//! Variables that a session's programs print or show. Owns when that is a look at one and not all of them.

use super::{
    super::{Scene, effects},
    hosts_here,
};
use crate::{
    effect::{Argument, EffectKind, Run},
    text::Text,
};

/// Whether anything in the action prints variables that it did not set, or the environment as a whole.
pub(in super::super) fn prints_environment(scene: &Scene<'_>) -> bool {
    const READERS: &[&str] = &[
        "%ENV",
        "/environ",
        "ENV.each",
        "ENV.to_",
        "ENVIRON",
        "compgen",
        "declare -p",
        "dict(os.environ",
        "dotenv_values",
        "export -p",
        "getenv",
        "os.environ)",
        "os.environ,",
        "os.environ.copy",
        "os.environ.items",
        "process.env)",
        "process.env,",
        "process.env}",
        "puts ENV",
        "set -x",
        "set -o xtrace",
        "std::env::vars",
        "bash -x",
        "sh -x",
        "xtrace",
    ];
    let text_shows = scene
        .effects
        .layers
        .iter()
        .any(|layer| READERS.iter().any(|reader| layer.text.contains(reader)));
    let is_printer = |run: &Run| match run.program.as_str() {
        "printenv" => true,
        "env" => run.arguments.iter().all(|word| word.text.known_prefix().starts_with('-')),
        "declare" | "export" | "set" | "typeset" => run
            .arguments
            .iter()
            .all(|word| matches!(word.text.as_known(), Some("-p" | "-x" | "-px" | "-xp"))),
        // What comes from a file or a program is told of where that is read.
        "echo" | "printf" | "logger" => {
            run.arguments.iter().any(|word| word.text.has_unknown() && word.text.sources.is_empty())
        }
        "bash" | "sh" | "zsh" | "dash" => !is_read_whole(run, scene),
        _ => false,
    };
    text_shows || scene.effects.list.iter().filter_map(effects::run).any(is_printer)
}

/// Whether what a shell is given as code stands in a layer of its own, where each of its programs is looked at.
fn is_read_whole(shell: &Run, scene: &Scene<'_>) -> bool {
    let is_code = |word: &Argument| {
        let word = word.text.known_prefix();
        word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains('c'))
    };
    let Some(option) = shell.arguments.iter().position(is_code) else { return true };
    let mut words = shell.arguments.iter().skip(option + 1);
    let code = words.find(|word| !word.text.known_prefix().starts_with(['-', '+']));
    code.and_then(|code| code.text.as_known())
        .is_some_and(|code| scene.effects.layers.iter().any(|layer| *layer.text == *code))
}

/// The same, or whether anything could hand the environment on, or a text with a variable in it.
pub(in super::super) fn shows_environment(scene: &Scene<'_>) -> bool {
    const READERS: &[&str] = &[
        "$ENV",
        "ENV[",
        "ENV{",
        "ENV.",
        "environ",
        "process.env",
        "os.Getenv",
        "env::var",
        "System.getenv",
    ];
    let reads = |run: &Run| {
        let word = |word: &Argument| word.text.known_prefix().contains("env");
        run.program == "jq" && run.arguments.iter().any(word)
            || run
                .input
                .as_ref()
                .is_some_and(|input| input.has_unknown() && input.sources.is_empty())
    };
    let is_read = |text: &str| READERS.iter().any(|reader| text.contains(reader));
    scene.effects.layers.iter().any(|layer| is_read(&layer.text))
        || scene.effects.list.iter().filter_map(effects::run).any(reads)
        || prints_environment(scene)
        || scene.effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Connect(connection) => {
                let sends = connection.sends.as_ref();
                !hosts_here(connection.host.as_deref()) && sends.is_some_and(Text::has_unknown)
                    || connection.address.has_unknown()
            }
            EffectKind::Write { content, .. } => content.has_unknown(),
            _ => false,
        })
}
