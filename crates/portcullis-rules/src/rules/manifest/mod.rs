//! Files that builds, installers, pipelines and people run: what stands in them is read when they are written. Owns which
//! files those are and what of their content matters; the rules themselves stand in `change` and `execution`.

mod commands;
mod exposure;
mod fragments;
mod sources;

use std::collections::BTreeSet;

use super::{
    Hit, Scene, apply,
    effects::{about, written},
};
use crate::{
    bound::{Bounded, Cut},
    effect::{Effect, LayerId, LayerOrigin, Target},
    finding::Finding,
    place::{self, PersistenceKind, Place},
    risk::Severity,
    text::Text,
    understand,
};

pub(super) use exposure::{gives_the_host, opens_to_everyone};

/// The name of the layer that a file's commands are read in; what such a command writes is not followed further.
const WRITTEN: &str = "what is written";

/// How much of one file is read.
const BYTES: usize = 1 << 16;

/// How many commands of one file are read.
const COMMANDS: usize = 512;

/// What must stand in a text before it is worth reading as code.
const TRIGGERS: &[&str] = &[
    "/dev/tcp",
    "/dev/udp",
    "DownloadString",
    "Invoke-",
    "b64",
    "base64",
    "curl",
    "dd ",
    "eval",
    "exec",
    "fetch",
    "http",
    "iwr",
    "mkfs",
    "nc ",
    "ncat",
    "openssl",
    "remove(",
    "rm ",
    "rmSync",
    "rmtree",
    "socat",
    "socket",
    "wget",
    "xxd",
];

/// Rules, by how their ids begin, on what no build does: running what arrives, handing out a shell, sending secrets away.
const FOREIGN: &[&str] = &[
    "code.evaluate.computed",
    "code.shell.",
    "execution.decoded.code",
    "execution.remote.fetched",
    "exfiltration.home.",
    "exfiltration.secret.",
    "network.shell.",
];

/// The same for what runs on the machine itself: what takes along more than the project.
const LOSSES: &[&str] =
    &["disk.overwrite.", "fs.delete.home", "fs.delete.root", "fs.delete.system-top"];

/// Manifests, build files and pipelines that fetch what they run, or take packages from where anybody may change them.
pub(super) fn fetches(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    for (effect, target, content) in files(scene) {
        let Some(name) = file_name(target) else { continue };
        let path = target.path.as_deref().unwrap_or_default();
        if let Some(source) = sources::unsafe_source(name, content) {
            let words = format!("packages would come from `{source}`, as this says:");
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, &words) });
            continue;
        }
        if commands::pipes_what_it_fetches(name, content) {
            let words = "what is fetched at installation is run by";
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, words) });
            continue;
        }
        let found = commands::of(path, name, content);
        let mut cut = Cut::default();
        let commands = found.commands.iter().at_most(COMMANDS, &mut cut, effect.at.span);
        let worst = { commands }.find_map(|command| {
            let rules: &[&[&str]] =
                if found.in_container { &[FOREIGN] } else { &[FOREIGN, LOSSES] };
            worst(scene, "shell", command, rules)
        });
        if let Some(finding) = worst {
            let words = format!("{}, whenever this is used:", finding.message);
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, &words) });
        } else if cut.happened() {
            let words = "more commands are prepared than are read, whenever this is used:";
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, words) });
        }
    }
    edited(scene, hits);
}

/// What is put into a manifest by an edit, or stands in one whose format has no reader of its own.
fn edited(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    if is_inside(scene) {
        return;
    }
    let mut editors: Option<Vec<String>> = None;
    let mut read: BTreeSet<(&str, LayerId)> = BTreeSet::new();
    for effect in &scene.effects.list {
        let Some((target, content)) = fragments::written(effect) else { continue };
        let Some(name) = file_name(target) else { continue };
        if fragments::is_passing(target, scene) || hits.iter().any(|hit| hit.at == Some(effect.at))
        {
            continue;
        }
        // A source file that is known whole is read as what it is.
        let is_source = content.as_known().is_none()
            && commands::language(name, content.known_prefix()).is_some();
        let is_read = fragments::is_manifest(name) || is_source;
        if !is_read && !fragments::names_sources(name) {
            continue;
        }
        let texts = match content.as_known() {
            Some(known) => vec![known.to_owned()],
            None => {
                let mut texts = fragments::own(content);
                // What edits is the same for each piece that one text puts into one file.
                if read.insert((name, effect.at.layer)) {
                    let editors = editors.get_or_insert_with(|| fragments::editors(scene));
                    texts.extend(editors.iter().cloned());
                    texts.extend(fragments::code_around(scene, effect));
                }
                texts
            }
        };
        if content.as_known().is_none()
            && let Some(host) = fragments::foreign_registry(name, &texts)
        {
            let words = format!("packages would come from `{host}`, as this is made to say:");
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, &words) });
            continue;
        }
        if !is_read {
            continue;
        }
        for text in &texts {
            let (commands, is_cut) = fragments::commands(text, COMMANDS);
            let worst =
                commands.iter().find_map(|it| worst(scene, "shell", it, &[FOREIGN, LOSSES]));
            let words = match worst {
                Some(finding) => format!("{}, whenever this is used:", finding.message),
                None if is_cut => {
                    "more commands are prepared than are read, whenever this is used:".to_owned()
                }
                None => continue,
            };
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, &words) });
            break;
        }
    }
}

/// Whether the scene is that of a text which is read because it is written to a file.
fn is_inside(scene: &Scene<'_>) -> bool {
    scene.effects.layers.first().is_some_and(
        |layer| matches!(&layer.origin, LayerOrigin::Argument(pointer) if pointer == WRITTEN),
    )
}

/// Scripts and programs that would do the worst when somebody runs them.
pub(super) fn plants(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    for (effect, target, content) in files(scene) {
        let Some(language) = file_name(target).and_then(|name| commands::language(name, content))
        else {
            continue;
        };
        if let Some(finding) = worst(scene, language, content, &[FOREIGN, LOSSES]) {
            let words = format!("{}, once this is run:", finding.message);
            hits.push(Hit { at: Some(effect.at), ..about(Severity::High, target, &words) });
        }
    }
}

/// The files that are written with what is known of their content, except where something else reads that already.
fn files<'s>(scene: &'s Scene<'_>) -> Vec<(&'s Effect, &'s Target, &'s str)> {
    if is_inside(scene) {
        return Vec::new();
    }
    scene
        .effects
        .list
        .iter()
        .filter_map(|effect| {
            if effect.contained {
                return None;
            }
            let (target, _, content) = written(effect)?;
            let known = known(content)?;
            let started = place::persistence_of(target, scene.facts).is_some_and(|found| {
                matches!(
                    found.kind,
                    PersistenceKind::Shell
                        | PersistenceKind::Hook
                        | PersistenceKind::Schedule
                        | PersistenceKind::Service
                        | PersistenceKind::Session
                )
            });
            let passing = matches!(
                place::place_of(target, scene.facts),
                Place::Harmless | Place::Temporary | Place::TemporaryTop | Place::Device
            );
            (!started && !passing).then_some((effect, target, known))
        })
        .collect()
}

/// What is known of a content; the part before an unknown value where that is long enough to say something.
fn known(content: &Text) -> Option<&str> {
    let known = content.as_known().unwrap_or_else(|| content.known_prefix());
    let known = known.get(..known.floor_char_boundary(BYTES))?;
    (!known.trim().is_empty()).then_some(known)
}

fn file_name(target: &Target) -> Option<&str> {
    target.path.as_deref()?.rsplit('/').next()
}

/// The worst that a text would do as code, by the rules that are asked for.
fn worst(
    scene: &Scene<'_>,
    language: &'static str,
    code: &str,
    rules: &[&[&str]],
) -> Option<Finding> {
    if !TRIGGERS.iter().any(|word| memchr::memmem::find(code.as_bytes(), word.as_bytes()).is_some())
    {
        return None;
    }
    let effects = understand::as_code(WRITTEN, language, code, scene.facts);
    let inner = Scene { action: scene.action, effects: &effects, facts: scene.facts };
    apply(&inner)
        .into_iter()
        .filter(|finding| finding.severity >= Severity::High)
        .filter(|finding| {
            rules.iter().any(|rules| rules.iter().any(|rule| finding.rule.starts_with(rule)))
        })
        .max_by_key(|finding| finding.severity)
}
