//! Streams without an end that fill a disk. Owns which they are, and what stops them.

use super::super::{
    Hit, Scene,
    effects::{about, at, run},
    pattern,
};
use crate::{
    effect::{Effect, EffectKind, Run},
    place::{self, Place},
    risk::Severity,
};

/// Programs that hold all of their input before they print any of it.
const HOLDERS: &[&str] =
    &["tail", "sort", "tac", "shuf", "base64", "grep", "wc", "md5sum", "sha256sum"];

/// Whether a program stops reading early.
fn stops_early(run: &Run) -> bool {
    let given = |wanted: &[&str]| {
        let words = run.arguments.iter().map(|argument| argument.text.known_prefix());
        words.into_iter().any(|word| wanted.iter().any(|start| word.starts_with(start)))
    };
    let says = |word: &str| {
        run.arguments.iter().any(|argument| argument.text.known_prefix().contains(word))
    };
    match run.program.as_str() {
        "head" | "read" => true,
        "dd" => given(&["count="]),
        "od" => given(&["-N", "--read-bytes"]),
        "xxd" => given(&["-l", "-len"]),
        "hexdump" => given(&["-n"]),
        "grep" | "rg" => given(&["-m", "--max-count"]),
        "sed" => says("q"),
        "awk" | "gawk" | "mawk" => says("exit"),
        _ => false,
    }
}

/// How many seconds nothing fills a disk in.
const SHORT: f64 = 10.0;

/// Whether something is done by a program that stops early, or that `timeout` ends before long.
fn is_bounded(effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_short =
        |time: &str| time.trim_end_matches('s').parse().is_ok_and(|seconds: f64| seconds <= SHORT);
    let bounds = |run: &Run| match run.program.as_str() {
        "timeout" => {
            let mut operands = pattern::options(run).operands();
            operands.next().is_some_and(|time| is_short(time.text.known_prefix()))
        }
        _ => stops_early(run),
    };
    let around = scene.effects.list.iter().filter(|other| run(other).is_some_and(bounds));
    around.into_iter().any(|around| scene.effects.is_within(effect.at, around.at))
}

pub(super) fn endless(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let is_endless =
        |path: &str| matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full");
    match &effect.kind {
        EffectKind::Write { target, content, .. } => {
            let place = place::place_of(target, scene.facts);
            if matches!(place, Place::Harmless | Place::RawDevice | Place::Device) {
                return None;
            }
            let sources = || {
                let ids = content.sources.iter().filter_map(|id| usize::try_from(id.0).ok());
                ids.filter_map(|at| scene.effects.list.get(at))
            };
            sources().find(|source| match &source.kind {
                EffectKind::Read(target) => target.path.as_deref().is_some_and(is_endless),
                EffectKind::Run(run) => run.program == "yes",
                _ => false,
            })?;
            // The whole script is looked at only for what would be told, so that a long one is not read once for each line.
            let ends = sources().chain([effect]).any(|source| is_bounded(source, scene));
            (!ends).then(|| about(Severity::High, target, "this fills the disk through"))
        }
        EffectKind::Run(_) => {
            let run = run(effect)?;
            let holds = HOLDERS.contains(&run.program.as_str());
            let last = run.arguments.last()?.text.as_known()?;
            (holds && matches!(last, "/dev/zero" | "/dev/full") && !is_bounded(effect, scene))
                .then(|| at(Severity::High))
        }
        _ => None,
    }
}
