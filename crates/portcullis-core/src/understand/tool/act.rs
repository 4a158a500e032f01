//! What the name of a tool says that it does by itself: deleting, paying, sending, or what a known program would be told.
//! Owns the verbs and their objects; what its arguments are about is read elsewhere.

use portcullis_syntax::Span;
use serde_json::{Map, Value};

use super::{Reader, Spot, key};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind, Run},
    text::Text,
};

/// Verbs after which something is gone.
const DESTROYING: &[&str] = &[
    "decommission",
    "delete",
    "deprovision",
    "destroy",
    "drop",
    "erase",
    "nuke",
    "purge",
    "terminate",
    "truncate",
    "wipe",
];

/// Verbs in front of them that only look, or that make something of that name.
const LOOKING: &[&str] = &[
    "check", "count", "create", "describe", "explain", "fetch", "find", "get", "list", "plan",
    "preview", "query", "read", "search", "show", "simulate", "test", "undo", "view", "watch",
];

/// Objects whose loss is part of the work, or that lie in the agent's own hands.
const ORDINARY: &[&str] = &[
    "annotation",
    "annotations",
    "block",
    "blocks",
    "bookmark",
    "breakpoint",
    "breakpoints",
    "cell",
    "cells",
    "column",
    "columns",
    "comment",
    "comments",
    "cookie",
    "cookies",
    "directory",
    "draft",
    "drafts",
    "drag",
    "entities",
    "event",
    "events",
    "file",
    "files",
    "folder",
    "item",
    "label",
    "labels",
    "line",
    "lines",
    "memories",
    "memory",
    "message",
    "messages",
    "node",
    "note",
    "notes",
    "observations",
    "page",
    "path",
    "reaction",
    "relations",
    "reminder",
    "row",
    "rows",
    "selection",
    "session",
    "shape",
    "slide",
    "snippet",
    "tab",
    "tag",
    "tags",
    "task",
    "tasks",
    "text",
    "thread",
    "todo",
    "todos",
];

impl Reader<'_, '_> {
    /// Tells what the tool does by its name.
    pub(super) fn acts(&mut self, members: &Map<String, Value>) {
        let words = self.name.own_words().to_vec();
        if words.is_empty() || is_rehearsal(members) {
            return;
        }
        let destroys = !self.name.is_page() && destroying(&words);
        let sends = words.iter().any(|word| matches!(word.as_str(), "post" | "reply" | "send"))
            && words.iter().any(|word| {
                matches!(word.as_str(), "email" | "mail" | "message" | "sms" | "tweet")
            });
        let command = command(&words, members);
        if !destroys && !sends && command.is_none() {
            return;
        }
        let Some(span) = self.stand(members) else { return };
        if destroys {
            self.walk.note("unfamiliar.verb.delete", span);
        }
        if sends {
            self.walk.note("messages.send", span);
        }
        if let Some(command) = command {
            let mut texts =
                command.into_iter().map(|word| Argument { text: Text::known(word), span });
            let Some(name) = texts.next() else { return };
            let program = name.text.display();
            let arguments = texts.collect();
            let run = Run { program, name, arguments, known: true, input: None };
            self.walk.emit(EffectKind::Run(run), span);
        }
    }

    /// Opens the argument that says what the call is about: the first that is a text.
    fn stand(&mut self, members: &Map<String, Value>) -> Option<Span> {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let named = members.iter().find_map(|(key, value)| Some((key.as_str(), text(value)?)));
        let top = Spot::Argument(String::new());
        match named {
            Some((key, text)) => {
                top.below(key).open(self.walk, &text)?;
                Some(Span::new(0, text.len()))
            }
            None => top.open(self.walk, "").map(|_| Span::default()),
        }
    }
}

/// Whether the call only asks what would happen.
fn is_rehearsal(members: &Map<String, Value>) -> bool {
    members.iter().any(|(name, value)| {
        let name = key::plain(name);
        value.as_bool() == Some(true)
            && matches!(
                name.as_str(),
                "dryrun" | "preview" | "simulate" | "validateonly" | "whatif"
            )
    })
}

/// Whether the first verb of a name destroys what is not ordinary.
fn destroying(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| DESTROYING.contains(&word.as_str())) else {
        return false;
    };
    let looks = words.iter().leading(at).any(|word| LOOKING.contains(&word.as_str()));
    let ordinary = words.iter().any(|word| ORDINARY.contains(&word.as_str()));
    !looks && !ordinary && (at + 1 < words.len() || at > 0)
}

/// The command that a program of this name would be given.
fn command(words: &[String], members: &Map<String, Value>) -> Option<Vec<String>> {
    let (program, rest) = words.split_first()?;
    let (first, more) = rest.split_first()?;
    let said = |names: &[&str]| {
        members.iter().find_map(|(name, value)| {
            names.contains(&key::plain(name).as_str()).then(|| value.as_str()).flatten()
        })
    };
    let mut command = vec![program.clone()];
    match program.as_str() {
        "aws" if !more.is_empty() => {
            command.extend([first.clone(), more.join("-")]);
            for (name, value) in members {
                let option = super::name::words(name).join("-");
                match value {
                    Value::Bool(true) => command.push(format!("--{option}")),
                    Value::Bool(false) | Value::Null => {}
                    Value::String(text) => command.push(format!("--{option}={text}")),
                    other => command.push(format!("--{option}={other}")),
                }
            }
        }
        "stripe" => {
            let noun = more.join("_");
            let noun = if noun.ends_with('s') { noun } else { format!("{noun}s") };
            command.extend([noun, first.clone()]);
        }
        "kubectl" | "kubernetes" | "k8s" if matches!(first.as_str(), "delete" | "drain") => {
            let kind = said(&["resourcetype", "kind", "resource", "type"])
                .map_or_else(|| more.join(""), str::to_owned);
            let name = said(&["name", "resourcename"]).unwrap_or("name");
            command =
                vec!["kubectl".to_owned(), first.clone(), kind.to_lowercase(), name.to_owned()];
        }
        "docker" | "podman"
            if rest.iter().any(|word| matches!(word.as_str(), "run" | "create")) =>
        {
            command.push("run".to_owned());
            container(members, &mut command);
            command.push(said(&["image"]).unwrap_or("image").to_owned());
        }
        _ => return None,
    }
    Some(command)
}

/// The options of a container that matter to the machine it runs on.
fn container(members: &Map<String, Value>, command: &mut Vec<String>) {
    for (name, value) in members {
        let texts = || -> Vec<String> {
            match value {
                Value::String(text) => vec![text.clone()],
                Value::Array(list) => {
                    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                Value::Object(map) => map
                    .iter()
                    .map(|(source, target)| {
                        let target = target.as_str().unwrap_or("/mount");
                        format!("{source}:{target}")
                    })
                    .collect(),
                _ => Vec::new(),
            }
        };
        match key::plain(name).as_str() {
            "privileged" if value.as_bool() == Some(true) => {
                command.push("--privileged".to_owned())
            }
            "volumes" | "binds" | "mounts" | "volume" => {
                for text in texts() {
                    command.extend(["-v".to_owned(), text]);
                }
            }
            "pid" | "pidmode" => command.extend(texts().iter().map(|it| format!("--pid={it}"))),
            "network" | "networkmode" => {
                command.extend(texts().iter().map(|it| format!("--network={it}")));
            }
            "capadd" | "capabilities" => {
                command.extend(texts().iter().map(|it| format!("--cap-add={it}")));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::name::words, destroying};

    #[test]
    fn a_name_says_whether_something_is_gone_afterwards() {
        for (name, expected) in [
            ("delete_customer", true),
            ("storage_purge_bucket", true),
            ("infraDestroyEnvironment", true),
            ("kubectl_delete", true),
            ("get_customer", false),
            ("list_deleted_customers", false),
            ("get_delete_status", false),
            ("create_drop_zone", false),
            ("delete_comment", false),
            ("delete_file", false),
            ("delete", false),
        ] {
            assert_eq!(destroying(&words(name)), expected, "{name}");
        }
    }
}
