//! The gate must not be weakened by whom it guards. Owns three shelves: the gate's own files, process and verbs (`gate`),
//! the hooks that bring calls to it (`hook`), and agents' settings and instructions more generally (`agent`, with what stands among
//! something else in `definitions`); and what they have in common: how a file is touched.

use super::{Rule, Scene};
use crate::{
    effect::{Effect, EffectKind, Target, WriteMode},
    facts::Facts,
    finding::Category,
    place,
    risk::Severity,
    text::Text,
};

pub(super) mod agent;
mod definitions;
pub(super) mod gate;
pub(super) mod hook;
mod process;
mod verbs;

const OWN: Rule = Rule {
    category: Category::SelfProtection,
    severity: Severity::High,
    reversible: true,
    remedy: "ask the person to change the settings themselves",
    ..Rule::LOSS
};

/// What happens to a file other than being read.
struct Touch<'a> {
    target: &'a Target,
    how: How<'a>,
}

enum How<'a> {
    Written(WriteMode, &'a Text),
    Deleted {
        recursive: bool,
    },
    Permitted,
    /// Given to a program that is there to change it.
    Handed,
    /// Given to a program that nobody knows.
    Given,
}

fn touch(effect: &Effect) -> Option<Touch<'_>> {
    Some(match &effect.kind {
        EffectKind::Write { target, mode, content } => {
            Touch { target, how: How::Written(*mode, content) }
        }
        EffectKind::Delete { target, recursive } => {
            Touch { target, how: How::Deleted { recursive: *recursive } }
        }
        EffectKind::Permission { target, .. } => Touch { target, how: How::Permitted },
        EffectKind::Hand { target, changes } => {
            Touch { target, how: if *changes { How::Handed } else { How::Given } }
        }
        _ => return None,
    })
}

impl Touch<'_> {
    /// Whether it takes everything below a directory along: only the files in it can be edited or emptied.
    fn takes_all(&self) -> bool {
        match self.how {
            How::Deleted { recursive } => recursive,
            How::Written(WriteMode::Edit, _) => true,
            How::Written(WriteMode::Replace, content) => content.is_empty(),
            _ => false,
        }
    }
}

/// How much of a text before and behind an effect is read with it: a program and what it is told stand together.
const AROUND: usize = 16 * 1024;

/// The text that an effect is written in, without the name of its target: what else was meant.
fn around(effect: &Effect, target: &Target, scene: &Scene<'_>) -> String {
    let text = scene.effects.layer_text(effect.at.layer);
    let at = effect.at.span.range();
    let start = text.floor_char_boundary(at.start.saturating_sub(AROUND));
    let end = text.ceil_char_boundary(at.end.saturating_add(AROUND).min(text.len()));
    let text = text.get(start..end).unwrap_or(text);
    let shown = target.text.display();
    if shown.is_empty() { text.to_owned() } else { text.replace(&shown, "") }
}

/// Where an absolute path lies; a relative one is not looked up, because only the walk knows from where it is seen.
fn is_gate(path: &str, facts: &Facts) -> bool {
    path.starts_with('/') && place::place(path, facts) == place::Place::Gate
}
