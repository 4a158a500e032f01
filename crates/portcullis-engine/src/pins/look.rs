//! What stands against an entry of a server, whoever accepted what before: texts that speak to a model, characters that nobody sees, names that
//! could be taken for others. Owns these signs; what follows from them, [`super::held`] says.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::{inspect::inspect, tool::skeleton};
use serde_json::Value;

use super::{Files, Kind};

/// The longest entry that is listed.
pub const LONGEST: usize = 256 << 10;

/// The longest name.
const LONGEST_NAME: usize = 128;

/// What names of the gate's own begin with.
pub const OURS: &str = "portcullis_";

/// The shortest name of a tool that a description can be said to speak of, where nothing in it tells it from a word.
const TELLING: usize = 8;

/// The tools of the other servers, as they were accepted.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// The names, by what they look like, each with its server.
    by_look: BTreeMap<String, (String, String)>,
    /// The names that can be no ordinary word, each with its server.
    telling: BTreeMap<String, String>,
    /// The servers.
    servers: BTreeSet<String>,
}

impl Others {
    /// The tools of every server of a state directory but one.
    #[must_use]
    pub fn beside(server: &Files, state: &std::path::Path) -> Self {
        let mut others = Self::default();
        for files in Files::all(state).0 {
            let known = files.known();
            if let Some(pins) = known.pins().filter(|_| files.server != server.server) {
                let tools = pins.entries.iter().filter(|pin| pin.kind == Kind::Tool);
                others.add(&files.server, tools.map(|pin| pin.name.as_str()));
            }
        }
        others
    }

    /// Adds a server with its tools.
    pub fn add<'a>(&mut self, server: &str, tools: impl Iterator<Item = &'a str>) {
        self.servers.insert(server.to_owned());
        for name in tools {
            self.by_look.insert(skeleton(name), (server.to_owned(), name.to_owned()));
            if is_telling(name) {
                self.telling.insert(name.to_owned(), server.to_owned());
            }
        }
    }
}

/// What stands against an entry.
#[must_use]
pub fn signs(kind: Kind, name: &str, entry: &Value, others: &Others) -> Vec<String> {
    let mut found = Vec::new();
    if kind == Kind::Tool || kind == Kind::Prompt {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
        if name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            found.push("its name has more than letters, digits, `_`, `-`, `.` and `/`".to_owned());
        }
        if name.starts_with(OURS) {
            found.push(format!("names that begin with `{OURS}` are the gate's own"));
        }
    }
    if kind == Kind::Tool
        && let Some((server, other)) = others.by_look.get(&skeleton(name))
        && other != name
    {
        found.push(format!("its name looks like `{other}` of the server `{server}`"));
    }
    let mut texts = Vec::new();
    texts_of(entry, &mut texts);
    let hidden = texts.iter().map(|text| hidden(text)).sum::<usize>();
    if hidden > 0 {
        found.push(format!("it holds {hidden} characters that nobody sees"));
    }
    let whole = texts.join("\n");
    if let Some(planted) = inspect(&whole).planted.first() {
        found.push(format!("it speaks to the model: it {}", planted.explanation()));
    }
    if let Some(markup) = addressed(&whole) {
        found.push(format!("it speaks to the model: it has `{markup}`"));
    }
    if let Some((tool, server)) = spoken_of(&whole, name, others) {
        found.push(format!("it speaks of `{tool}`, a tool of the server `{server}`"));
    }
    if let Some(address) = outward_reference(entry) {
        found.push(format!("its schema is completed from elsewhere: `{address}`"));
    }
    found
}

/// Every text of a value, the names of members too.
pub fn texts_of<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                texts.push(name);
                texts_of(member, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many characters of a text nobody sees and nobody needs: blanks of other widths and what belongs to a picture sign are none of them.
#[must_use]
pub fn hidden(text: &str) -> usize {
    let mut before = ' ';
    let mut count = 0;
    for letter in text.chars() {
        let is_blank = matches!(
            letter,
            '\n' | '\t' | '\r' | '\u{a0}' | '\u{2000}'
                ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
        );
        let joins = matches!(letter, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}') && !before.is_ascii()
            || letter == '\u{fe0f}' && (before.is_ascii_digit() || before == '#' || before == '*');
        if crate::report::visible::is_hidden(letter) && !is_blank && !joins {
            count += 1;
        }
        before = letter;
    }
    count
}

/// A mark that is written for models alone.
fn addressed(text: &str) -> Option<&'static str> {
    const MARKS: &[&str] = &[
        "<important>",
        "<system>",
        "</system>",
        "[inst]",
        "<|im_start|>",
        "<!--",
        "<secret>",
        "<hidden>",
    ];
    let lower = text.to_ascii_lowercase();
    MARKS.iter().find(|mark| lower.contains(**mark)).copied()
}

fn spoken_of(text: &str, own: &str, others: &Others) -> Option<(String, String)> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    for word in text.split(|letter: char| !is_of_word(letter)).filter(|word| *word != own) {
        if let Some(server) = others.telling.get(word) {
            return Some((word.to_owned(), server.clone()));
        }
        if let Some((server, tool)) =
            word.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"))
            && others.servers.contains(server)
        {
            return Some((tool.to_owned(), server.to_owned()));
        }
    }
    None
}

/// Whether a name cannot be a word of a sentence: `create_issue`, `readFile`.
fn is_telling(name: &str) -> bool {
    let is_joined =
        name.contains(['_', '-']) || name.chars().skip(1).any(|letter| letter.is_ascii_uppercase());
    name.len() >= TELLING && is_joined
}

/// A `$ref` that leads to another machine.
fn outward_reference(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(outward_reference),
        Value::Object(members) => members.iter().find_map(|(name, member)| match member.as_str() {
            Some(text)
                if matches!(name.as_str(), "$ref" | "$dynamicRef") && text.contains("://") =>
            {
                Some(text.chars().take(120).collect())
            }
            _ => outward_reference(member),
        }),
        _ => None,
    }
}
