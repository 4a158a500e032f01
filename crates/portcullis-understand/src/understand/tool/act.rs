//! What a tool does by itself: what its contract says, and what a known program of its name would be told. Owns the place where it
//! is said; what its arguments are about is read elsewhere.

use std::collections::VecDeque;

use portcullis_syntax::Span;
use serde_json::{Map, Value};

use super::{Beside, Reader, Spot, contract};
use crate::{
    bound::Bounded,
    call::ToolCall,
    contract::{Act, Meaning},
    effect::{Argument, EffectKind, GapReason, Run},
    pointer,
    text::Text,
    understand::meaning::{
        self,
        key::{self, Role, Side},
    },
};

impl Reader<'_, '_> {
    /// Tells what the tool does: by its contract, and by the command that a program of its name would be given.
    pub(super) fn acts(&mut self, call: &ToolCall) {
        let members = &call.arguments;
        let words = self.name.own_words().to_vec();
        if words.is_empty() || contract::is_own(call) {
            return;
        }
        if let Some(command) = command(&words, members).filter(|_| !is_rehearsal(members))
            && let Some(span) = self.stand(members)
        {
            let mut texts =
                command.into_iter().map(|word| Argument { text: Text::known(word), span });
            let Some(name) = texts.next() else { return };
            let program = name.text.display();
            let arguments = texts.collect();
            let run = Run { program, name, arguments, known: true, input: None, is_in_made: false };
            self.walk.emit(EffectKind::Run(run), span);
        }
        let Some(found) = contract::of_call(call, self.walk.facts()) else { return };
        let contract::Found { act, is_cut } = found;
        self.read_as_told(&act);
        let whole = Value::Object(members.clone());
        let people = act.recipients().find(|value| {
            whole.pointer(&value.pointer).and_then(Value::as_str) == Some(&value.text)
        });
        let people = people.map(|value| (value.pointer.clone(), value.text.clone()));
        let Some(span) = self.stand_at(people.or_else(|| first_text(members))) else { return };
        if is_cut {
            self.walk.gap(span, GapReason::Limit);
        }
        self.walk.emit(EffectKind::Act(Box::new(act)), span);
    }

    /// Reads what a contract says of arguments whose names do not say it.
    fn read_as_told(&mut self, act: &Act) {
        for value in &act.values {
            let name = value.pointer.rsplit('/').next().unwrap_or_default();
            let told = act.contract.meaning(&value.pointer);
            let role = match told {
                Some(Meaning::Command) => Role::Command,
                Some(Meaning::Code) => Role::Code(None),
                Some(Meaning::PageScript) => Role::Code(Some("javascript")),
                Some(Meaning::Sql) => Role::Sql,
                Some(Meaning::Url) => Role::Address,
                Some(Meaning::Path) => Role::Path(Side::Here),
                _ => continue,
            };
            if key::role(name) != role {
                let at = Spot::Argument(value.pointer.clone());
                let beside = Beside { verb: self.name.verb(), ..Beside::default() };
                self.text(role, &value.text, &at, &beside, 1);
            }
        }
    }

    /// Opens the argument that says what the call is about: the first that is a text.
    fn stand(&mut self, members: &Map<String, Value>) -> Option<Span> {
        self.stand_at(first_text(members))
    }

    /// Opens the text at this place, or the call as a whole.
    fn stand_at(&mut self, text: Option<(String, String)>) -> Option<Span> {
        let (pointer, text) = text.unwrap_or_default();
        Spot::Argument(pointer).open(self.walk, &text).map(|_| Span::new(0, text.len()))
    }
}

/// The first text of a call and where it stands, the outermost first.
fn first_text(members: &Map<String, Value>) -> Option<(String, String)> {
    let mut open: VecDeque<(String, &Value)> =
        members.iter().map(|(name, value)| (pointer::to("", name), value)).collect();
    for _ in 0..LOOKED_AT {
        let (at, value) = open.pop_front()?;
        match value {
            Value::String(text) if !text.is_empty() => return Some((at, text.clone())),
            Value::Array(items) => {
                let items = items.iter().enumerate().leading(LOOKED_AT);
                open.extend(items.map(|(index, item)| (format!("{at}/{index}"), item)));
            }
            Value::Object(members) => {
                let members = members.iter().leading(LOOKED_AT);
                open.extend(members.map(|(name, value)| (pointer::to(&at, name), value)));
            }
            _ => {}
        }
    }
    None
}

/// How many values are looked at for a text to stand at.
const LOOKED_AT: usize = 64;

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
                let option = meaning::words(name).join("-");
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
