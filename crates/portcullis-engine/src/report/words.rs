//! Effects and layers in words. Owns the sentences; where they stand on the page is laid out elsewhere.

use portcullis_core::{
    contract::Act,
    decision::Layer,
    effect::{Certainty, EffectKind, PermissionChange, Run, Target, WriteMode},
    text::Text,
};

use super::visible;

/// The longest name or command in a sentence; the text itself stands underlined beside it.
const LONGEST: usize = 80;

/// What an effect does, as the end of a sentence about the call: `deletes …`.
pub(super) fn effect(kind: &EffectKind) -> String {
    match kind {
        EffectKind::Run(run) => format!("runs {}", program(run)),
        EffectKind::Read(target) => format!("reads {}", file(target)),
        EffectKind::Write { target, mode, content: _ } => match mode {
            WriteMode::Replace => format!("writes {}", file(target)),
            WriteMode::Append => format!("adds to {}", file(target)),
            WriteMode::Edit => format!("changes {}", file(target)),
            WriteMode::Create => format!("creates {}", file(target)),
            WriteMode::Link => format!("makes {} another name for a file", file(target)),
        },
        EffectKind::Delete { target, recursive } => {
            format!("deletes {}", below(target, *recursive))
        }
        EffectKind::Permission { target, recursive, change } => {
            let target = below(target, *recursive);
            match change {
                PermissionChange::Mode(mode) => {
                    format!("sets the mode of {target} to {}", text(mode))
                }
                PermissionChange::Owner(owner) => format!("gives {target} to {}", text(owner)),
                PermissionChange::Attribute(change) => {
                    format!("sets attributes of {target}: {}", text(change))
                }
            }
        }
        EffectKind::Hand { target, changes: true } => {
            format!("gives {} to a program that changes files", file(target))
        }
        EffectKind::Hand { target, changes: false } => {
            format!("gives {} to a program that is not known", file(target))
        }
        EffectKind::Execute { language, code } => match code.as_known() {
            Some(_) => format!("runs text as {language} code"),
            None => format!("runs text that is not known as {language} code"),
        },
        EffectKind::Connect(connection) => {
            let host = match &connection.host {
                Some(host) => quoted(host),
                None => text(&connection.address),
            };
            match (connection.listens, connection.sends.is_some()) {
                (true, _) => format!("waits for connections on {host}"),
                (false, true) => format!("connects to {host} and sends data"),
                (false, false) => format!("connects to {host}"),
            }
        }
        EffectKind::Privilege { user } => format!("acts as the user {}", text(user)),
        EffectKind::Kill { everything: true, .. } => "stops every process it may".to_owned(),
        EffectKind::Kill { target, everything: false } => format!("stops {}", text(target)),
        EffectKind::Environment { name, value } => {
            format!("sets {} to {}", quoted(name), text(value))
        }
        EffectKind::Query { statement } => format!("sends {} to a database", text(statement)),
        EffectKind::Discard { target, whole: false } => {
            format!("puts {} back as it was committed", file(target))
        }
        EffectKind::Discard { target, whole: true } => {
            format!("puts the whole work tree around {} back as it was committed", file(target))
        }
        EffectKind::Act(act) => {
            let Act { contract, source, values: _ } = &**act;
            let (class, source) = (contract.class.name(), source.name());
            format!("has the tool do what its {source} contract calls {}", quoted(class))
        }
        EffectKind::Noted(rule) => format!("does what the rule {} is about", quoted(rule)),
    }
}

/// How certain it is, as a word behind the sentence; nothing where it is certain.
pub(super) const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Defined => " (defined, not called)",
        Certainty::Possible => " (possibly)",
        Certainty::Likely => " (likely)",
        Certainty::Certain => "",
    }
}

/// A layer of the policy, for a person.
pub(super) const fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::DenyRule => "deny rules",
        Layer::Floor => "floors",
        Layer::AskRule => "ask rules",
        Layer::AllowRule => "allow rules",
        Layer::Mode => "permission mode",
        Layer::Confirmation => "confirmation policy",
        Layer::Monitor => "monitor",
        Layer::Guardian => "guardian",
        Layer::Person => "person",
    }
}

/// A text of somebody else's in a sentence of ours: in backticks, visible, and cut in the middle where it is long.
pub(super) fn quoted(words: &str) -> String {
    if words.len() <= LONGEST {
        return format!("`{}`", visible::line(words));
    }
    let head = words.get(..words.floor_char_boundary(LONGEST * 2 / 3)).unwrap_or_default();
    let tail = words.get(words.ceil_char_boundary(words.len() - LONGEST / 3)..).unwrap_or_default();
    format!("`{}…{}`", visible::line(head), visible::line(tail))
}

fn text(text: &Text) -> String {
    quoted(&text.display())
}

fn file(target: &Target) -> String {
    match &target.path {
        Some(path) => quoted(path),
        None => text(&target.text),
    }
}

fn below(target: &Target, recursive: bool) -> String {
    let file = file(target);
    if recursive { format!("{file} and everything below it") } else { file }
}

fn program(run: &Run) -> String {
    if run.program.is_empty() {
        return "a program that is not known".to_owned();
    }
    let words = run.arguments.iter().fold(run.program.clone(), |mut words, argument| {
        if words.len() <= LONGEST {
            words.push(' ');
            words.push_str(&argument.text.display());
        }
        words
    });
    quoted(&words)
}
