//! The call of a tool that nobody knows: what can be read of its arguments. Owns the way through them; names of tools and
//! arguments say what a text may be, and a text that may be several things is read as each of them.
//!
//! It only ever adds: the tool stays unknown, and what none of the names is about stays unread.

use std::{collections::HashMap, rc::Rc};

use portcullis_syntax::Span;
use serde_json::{Map, Value};

use super::{
    meaning::{
        key::{self, Role, Side},
        look,
    },
    shell::{Standing, Walk},
};
use crate::{
    call::ToolCall,
    effect::{GapReason, LayerId},
    pointer,
    text::Text,
    tool::folded,
};

mod act;
mod command;
pub(crate) mod contract;
mod file;
mod name;
mod options;
mod settings;

use name::{Name, Verb};

/// How deep arguments are followed, through JSON in their strings too; `serde_json` reads no deeper.
const DEPTH: usize = 128;

/// How many arguments of one kind are looked at beside another: nobody names two directories for one command.
const BESIDE: usize = 4;

/// Tells the walk what a call of an unknown tool would do, as far as its arguments say.
pub(super) fn understand(walk: &mut Walk<'_>, call: &ToolCall) {
    let mut reader = Reader { walk, name: Name::new(&call.tool) };
    reader.object(&call.arguments, &Spot::Argument(String::new()), None, DEPTH);
    reader.options(call);
    reader.settings(call);
    reader.acts(call);
}

/// The words of a tool's own name.
#[must_use]
pub fn words_of(name: &str) -> Vec<String> {
    Name::new(name).own_words().to_vec()
}

struct Reader<'r, 'w> {
    walk: &'r mut Walk<'w>,
    name: Name,
}

/// Where a value stands.
#[derive(Clone)]
enum Spot {
    /// At this JSON pointer.
    Argument(String),
    /// In the JSON that the text of this layer is.
    Within { layer: LayerId, whole: Span, literals: Rc<HashMap<String, Span>> },
}

impl Spot {
    fn below(&self, key: &str) -> Self {
        match self {
            Self::Argument(pointer) => Self::Argument(pointer::to(pointer, key)),
            Self::Within { .. } => self.clone(),
        }
    }

    /// Makes the text that stands here the current layer.
    fn open(&self, walk: &mut Walk<'_>, text: &str) -> Option<LayerId> {
        match self {
            Self::Argument(pointer) => walk.open_text(text, &Standing::Argument(pointer)),
            Self::Within { layer, whole, literals } => {
                let span = literals.get(text).copied().unwrap_or(*whole);
                walk.open_text(text, &Standing::Within(*layer, span))
            }
        }
    }
}

/// What stands beside an argument and says more about it.
#[derive(Default)]
struct Beside<'a> {
    languages: Vec<&'static str>,
    directories: Vec<&'a str>,
    /// Paths beside a command: it may run there.
    paths: Vec<&'a str>,
    /// Whether there are more of them than are looked at.
    is_cut: bool,
    variables: Vec<(&'a str, &'a str)>,
    input: Option<&'a str>,
    arguments: Option<&'a Value>,
    has_command: bool,
    /// Whether there is a path, and not only a directory.
    has_path: bool,
    verb: Option<Verb>,
    /// What is written to the files, or sent.
    content: Option<&'a str>,
    /// Whether something is sent with a request.
    sends: bool,
    /// Whether the line that is typed is ended too.
    ends_line: bool,
}

impl<'a> Beside<'a> {
    fn new(members: &'a Map<String, Value>, name: &Name) -> Self {
        let mut beside = Self { verb: name.verb(), ..Self::default() };
        for (key, value) in members {
            let text = value.as_str();
            beside.ends_line |= value == &Value::Bool(true)
                && ["enter", "execute", "newline", "pressenter", "return", "sendenter", "submit"]
                    .contains(&folded(key).collect::<String>().as_str());
            match key::role(key) {
                Role::Command | Role::Commands => {
                    beside.has_command = true;
                    // `shell` and `bash` may name the shell of the command beside it.
                    beside.language(text);
                }
                Role::Language => beside.language(text),
                Role::Directory => beside.directories.extend(text),
                Role::Path(_) if key::is_folder(key) => beside.directories.extend(text),
                Role::Path(side) => {
                    beside.has_path = true;
                    beside.paths.extend(text.filter(|_| side == Side::Here));
                }
                Role::Environment => beside.variables = variables(value),
                Role::Input => beside.input = text,
                Role::Typed | Role::Words if beside.content.is_none() => {
                    beside.content = text.filter(|_| key::is_content(key));
                }
                Role::Arguments => beside.arguments = Some(value),
                Role::Operation => {
                    beside.verb = beside.verb.max(text.and_then(name::verb));
                    beside.sends |= text.is_some_and(|method| {
                        ["POST", "PUT", "PATCH"].iter().any(|it| method.eq_ignore_ascii_case(it))
                    });
                }
                _ => {}
            }
        }
        if beside.directories.len().max(beside.paths.len()) > BESIDE {
            beside.is_cut = true;
        }
        beside.directories.truncate(BESIDE);
        beside.paths.truncate(BESIDE);
        beside
    }

    fn language(&mut self, named: Option<&str>) {
        let known = named.and_then(command::language);
        self.languages.extend(known.filter(|known| !self.languages.contains(known)));
    }

    fn content(&self) -> Text {
        self.content.map_or_else(Text::default, Text::known)
    }
}

/// Variables, as an object or as a list of `NAME=value`.
fn variables(value: &Value) -> Vec<(&str, &str)> {
    match value {
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
            .collect(),
        Value::Array(items) => {
            items.iter().filter_map(|item| item.as_str()?.split_once('=')).collect()
        }
        _ => Vec::new(),
    }
}

impl Reader<'_, '_> {
    fn object(
        &mut self,
        members: &Map<String, Value>,
        spot: &Spot,
        inherited: Option<Role>,
        depth: usize,
    ) {
        let beside = Beside::new(members, &self.name);
        if beside.is_cut && spot.open(self.walk, "").is_some() {
            self.walk.gap(Span::default(), GapReason::Limit);
        }
        let mut paths = Vec::new();
        for (key, value) in members {
            let at = spot.below(key);
            let own = key::role(key);
            let role = match inherited {
                // `{"command": {"value": "ls"}}`
                Some(inherited) if value.is_string() && matches!(own, Role::Typed) => inherited,
                _ => own,
            };
            let moves = matches!(beside.verb, Some(Verb::Copy | Verb::Move));
            match role {
                Role::Perhaps(side) if moves => paths.push((side, at, value, false)),
                Role::Path(side) => paths.push((side, at, value, key::is_folder(key))),
                _ => self.value(role, value, &at, &beside, depth),
            }
        }
        // What is copied is read before it is written.
        paths.sort_by_key(|(side, ..)| *side);
        let mut content = beside.content();
        for (side, at, value, is_folder) in paths {
            let is_base = is_folder && beside.has_path;
            let path = file::Named { side, is_base, is_folder, beside: &beside };
            self.paths(&path, value, &at, &mut content, depth);
        }
    }

    fn value(&mut self, role: Role, value: &Value, at: &Spot, beside: &Beside<'_>, depth: usize) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => self.text(role, text, at, beside, depth),
            Value::Array(_) | Value::Object(_) if depth == 0 => self.too_deep(at),
            Value::Array(items) => {
                if self.words_of_a_command(role, items, at, beside) {
                    return;
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(role, item, &at.below(&index.to_string()), beside, depth - 1);
                }
            }
            Value::Object(_) if role == Role::Environment => self.environment(beside, at),
            Value::Object(members) => {
                let inherited = (role != Role::Other).then_some(role);
                self.object(members, at, inherited, depth - 1);
            }
        }
    }

    fn text(&mut self, role: Role, text: &str, at: &Spot, beside: &Beside<'_>, depth: usize) {
        if self.may_be_json(role) && self.json(role, text, at, beside, depth) {
            return;
        }
        match role {
            Role::Command | Role::Commands => self.command(text, at, beside, command::Told::Surely),
            Role::Arguments => self.lone_arguments(text, at, beside),
            Role::Script => self.script(text, at, beside),
            Role::Code(language) => self.code(text, language, at, beside),
            Role::Function => self.function(text, at, beside),
            Role::Sql | Role::Query => self.statement(text, role, at),
            Role::Perhaps(side) => self.perhaps_path(text, side, at, beside),
            Role::Path(side) => {
                let named = file::Named { side, is_base: false, is_folder: false, beside };
                self.path(&named, text, at, &mut beside.content());
            }
            Role::Directory => {
                let named =
                    file::Named { side: Side::Here, is_base: true, is_folder: true, beside };
                self.path(&named, text, at, &mut Text::default());
            }
            Role::Address => self.address(text, at, beside),
            Role::Typed => self.typed(text, at, beside),
            Role::Keys => self.keys(text, at, beside),
            Role::Input if !beside.has_command => self.typed(text, at, beside),
            Role::Other => self.anything(text, at, beside),
            Role::Input | Role::Language | Role::Environment | Role::Operation | Role::Words => {}
        }
    }

    /// What is written or said may be JSON about commands; what is handed to a tool as JSON is more arguments.
    fn may_be_json(&self, role: Role) -> bool {
        match role {
            Role::Words => false,
            Role::Typed => self.name.verb().is_none_or(|verb| verb <= Verb::Copy),
            _ => true,
        }
    }

    /// Reads a text that is JSON as what it says; gives whether that was all of it.
    fn json(
        &mut self,
        role: Role,
        text: &str,
        at: &Spot,
        beside: &Beside<'_>,
        depth: usize,
    ) -> bool {
        let Some(value) = look::json(text) else { return false };
        let Some(left) = depth.checked_sub(1) else {
            self.too_deep(at);
            return true;
        };
        let Some(layer) = at.open(self.walk, text) else { return true };
        let whole = Span::new(0, text.len());
        let literals = Rc::new(look::literals(text));
        self.value(role, &value, &Spot::Within { layer, whole, literals }, beside, left);
        // A shell would still carry out what stands between its quotes.
        !matches!(role, Role::Command | Role::Commands | Role::Script | Role::Keys)
            || !text.contains(['$', '`'])
    }

    fn too_deep(&mut self, at: &Spot) {
        if at.open(self.walk, "").is_some() {
            self.walk.gap(Span::default(), GapReason::Limit);
        }
    }
}

/// The kinds of validators of which one fits a parameter of this name; `None` where the name says nothing.
pub fn kinds(name: &str) -> Option<&'static [&'static str]> {
    match key::role(name) {
        Role::Command | Role::Commands | Role::Script => Some(&["shell", "argument"]),
        Role::Sql => Some(&["sql"]),
        Role::Path(_) | Role::Directory => Some(&["path", "archive", "glob"]),
        Role::Address => Some(&["url", "email", "git-ref"]),
        _ => None,
    }
}
