//! Assignments: which name or place gets which value. Owns patterns, entries of tables and second names.

use portcullis_syntax::{Span, code::TokenKind};

use super::{
    containers::grown,
    interpreter::Interpreter,
    statements::OWN,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind},
    programs::{agents, host::Host},
    text::{Piece, Taint, Text},
};

mod alike;
mod owners;
mod places;
mod targets;

pub(super) use alike::is_alike;
pub(super) use places::NOWHERE;

/// Assignment operators that replace.
pub(super) const REPLACES: &[&str] = &["=", ":=", "<-", "||=", "??=", "&&=", "//="];

/// Variables that programs obey.
const OBEYED: &[&str] = &[
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "PROMPT_COMMAND",
    "IFS",
    "DYLD_INSERT_LIBRARIES",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
];

/// How many tokens are looked at for the blocks around a line.
const LINES: usize = 512;

/// How many second names of lists are remembered.
const ALIASES: usize = 64;

/// How large a table or list may be for one of its entries to be set.
const ENTRIES: usize = 256;

/// Variables that point a client of the cloud at an emulator, and what its module is called (firebase.google.com/docs/emulator-suite,
/// cloud.google.com/sdk/gcloud/reference/beta/emulators).
const EMULATORS: &[(&str, &str)] = &[
    ("DATASTORE_EMULATOR_HOST", "datastore"),
    ("FIREBASE_AUTH_EMULATOR_HOST", "auth"),
    ("FIREBASE_DATABASE_EMULATOR_HOST", "database"),
    ("FIREBASE_STORAGE_EMULATOR_HOST", "storage"),
    ("FIRESTORE_EMULATOR_HOST", "firestore"),
    ("PUBSUB_EMULATOR_HOST", "pubsub"),
    ("STORAGE_EMULATOR_HOST", "storage"),
];

impl Interpreter<'_, '_, '_> {
    /// `$list[] = value`
    pub(super) fn appends(&mut self) -> bool {
        let start = self.at;
        let is_written =
            ["[", "]", "="].iter().zip(start + 1..).all(|(word, at)| self.word_at(at) == *word);
        let name = self.word().to_owned();
        let Some(Value::List(mut list)) =
            (self.language == "php" && is_written).then(|| self.bound(&name)).flatten()
        else {
            return false;
        };
        self.at = start + 4;
        list.push(self.expression(0));
        self.bind(name, Value::List(list));
        true
    }

    /// `name[key] = value`, where the name holds a table or a list.
    pub(super) fn store_entry(&mut self) -> bool {
        let start = self.at;
        let is_member = self.word_at(start + 1) == "."
            && self.is_name(start + 2)
            && matches!(self.language, "javascript" | "python" | "lua");
        if self.word_at(start + 1) != "[" && !is_member {
            return false;
        }
        let close = if is_member { start + 2 } else { self.partner(start + 1) };
        let name = self.word_at(start);
        let is_held = match self.variables.get(name) {
            Some(Value::Table(_)) => true,
            // `list.length = 0` is no entry.
            Some(Value::List(_)) => !is_member,
            _ => false,
        };
        if !is_held || !REPLACES.contains(&self.word_at(close + 1)) {
            return false;
        }
        let name = name.to_owned();
        if self.language == "python"
            && !is_member
            && let Some(colon) =
                (start + 2..close).find(|at| matches!(self.word_at(*at), ":" | "::"))
        {
            let is_whole = colon == start + 2 && close == start + 3;
            self.at = close + 2;
            let value = self.expression(0);
            let value = match self.bound(&name) {
                Some(before) if !is_whole => Value::Text(mixed("a list", [&before, &value])),
                _ => value,
            };
            self.bind(name, value);
            return true;
        }
        self.at = start + 1;
        let key = match is_member {
            true => Some(Value::known(self.word_at(close))),
            false => self.list(close).pop(),
        };
        self.at = close + 2;
        let value = self.expression(0);
        // What holds much is a table of data, and copying it for each entry would take long.
        let is_small = match self.variables.get(&name) {
            Some(Value::Table(table)) => table.len() < ENTRIES,
            Some(Value::List(list)) => list.len() < ENTRIES,
            _ => false,
        };
        if !is_small || !self.spend(1) {
            // What it held before is not what it holds now.
            self.bind(name, Value::unknown("an entry"));
            return true;
        }
        let mut held = self.variables.get(&name).cloned();
        match (&mut held, key) {
            (Some(Value::Table(table)), Some(key)) => {
                let key = match key {
                    Value::Number(number) => number.to_string(),
                    key => key.text().display(),
                };
                table.retain(|(known, _)| *known != key);
                table.push((key, value));
            }
            (Some(Value::List(list)), Some(Value::Number(at))) => {
                match usize::try_from(at).ok().and_then(|at| list.get_mut(at)) {
                    Some(element) => *element = value,
                    None => list.push(value),
                }
            }
            (Some(Value::List(list)), _) => list.push(value),
            _ => return true,
        }
        if let Some(held) = held {
            for other in self.same_as(&name) {
                self.bind(other, held.clone());
            }
            self.bind(name, held);
        }
        true
    }

    /// `name: Type = value` of TypeScript.
    pub(super) fn typed(&mut self) {
        if !self.is_name(self.at) {
            return;
        }
        let name = self.word().to_owned();
        if let Some(at) = self.behind_type(self.at + 2) {
            self.at = at;
            let value = self.expression(0);
            self.bind(name, value);
        }
    }

    /// Where the value begins behind the type that begins here; none where there is none.
    pub(super) fn behind_type(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while at < self.end && !matches!(self.word_at(at), "=" | ";") {
            if at > start && self.is_first(at) && !matches!(self.word_at(at), "|" | "&") {
                return None;
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        (self.word_at(at) == "=" && at < self.end).then_some(at + 1)
    }

    /// A key of a pattern that is no plain name: `{"unlinkSync": remove}`, `{[key]: value}`. Moves behind it where it is one.
    fn key_of_pattern(&mut self) -> Option<Value> {
        if self.language != "javascript" {
            return None;
        }
        let is_computed = self.word() == "[";
        let close = if is_computed { self.partner(self.at) } else { self.at + 1 };
        let is_text =
            self.token_at(self.at).is_some_and(|token| matches!(token.kind, TokenKind::Text(_)));
        if !is_computed && !is_text {
            return None;
        }
        self.at += usize::from(is_computed);
        let outer = self.narrow(close);
        let key = self.expression(0);
        self.end = outer;
        self.at = close + usize::from(is_computed);
        Some(key)
    }

    /// The element of a value at a position.
    pub(super) fn element(&self, value: &Value, position: usize) -> Value {
        let key = Value::Number(i64::try_from(position).unwrap_or(i64::MAX));
        if let Some(home) = Self::home_of_account(value, &key) {
            return home;
        }
        match value {
            Value::List(list) => {
                list.get(position).cloned().unwrap_or_else(|| Value::unknown("an element"))
            }
            Value::Any(list) => {
                let parts = list.iter().map(|one| self.element(one, position));
                parts.reduce(Value::or).unwrap_or_else(|| Value::unknown("an element"))
            }
            Value::Holder(_) => value.clone(),
            Value::Name(path, text) => Value::reached(&format!("{path}[]"), text.clone()),
            // One of the names found below a directory is still one below it.
            Value::Text(text) if is_listing(text) => value.clone(),
            // What each of a list that nobody knows was made into: one stands for all.
            Value::Text(text)
                if self.language == "javascript"
                    && text.has_unknown()
                    && text.pieces.iter().any(|it| matches!(it, Piece::Known(_))) =>
            {
                value.clone()
            }
            other => {
                let mut text = Text::unknown("an element");
                other.inherit_into(&mut text);
                Value::Text(text)
            }
        }
    }

    /// A name, with members, in front of an assignment; moves to the operator where there is one.
    pub(super) fn place(&mut self) -> Option<(Vec<String>, &'static str)> {
        let first = self.token_at(self.at)?;
        if !matches!(first.kind, TokenKind::Name | TokenKind::Variable) {
            return None;
        }
        let mut names = vec![self.word().to_owned()];
        let mut at = self.at + 1;
        while self.word_at(at) == ","
            && self.blocks == 0
            && self
                .token_at(at + 1)
                .is_some_and(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable))
            && names.len() < 16
        {
            names.push(self.word_at(at + 1).to_owned());
            at += 2;
        }
        // `if True: name = value` is no type.
        let begins = self.is_first(self.at)
            || self.at == 0
            || matches!(self.word_at(self.at - 1), ";" | ":");
        if self.word_at(at) == ":" && self.language == "python" && names.len() == 1 && begins {
            // `name: type = value`
            let mut ahead = at + 1;
            while ahead < at + 12 && !self.is_first(ahead) {
                match self.word_at(ahead) {
                    "=" => {
                        at = ahead;
                        break;
                    }
                    "[" | "(" => ahead = self.partner(ahead),
                    ":" | "," => break,
                    _ => {}
                }
                ahead += 1;
            }
        }
        let operator = self.word_at(at);
        let operator = REPLACES
            .iter()
            .chain(&["+=", ".=", "..=", "|="])
            .find(|known| **known == operator)
            .copied()?;
        self.at = at;
        Some((names, operator))
    }

    pub(super) fn assign_ahead(&mut self, names: &[String], operator: &'static str) {
        let line = self.at.saturating_sub(1);
        let conditional = self.is_conditional(line);
        self.at += 1;
        let from = self.at;
        let is_spread = self.word() == "*";
        let mut value = self.expression(0);
        self.alias(names, operator, from, &value);
        if self.word() == "," && self.language == "python" && self.blocks == 0 {
            value = self.values_behind(value, is_spread);
        } else if self.word() == ","
            && self.blocks == 0
            && !matches!(self.language, "javascript" | "awk")
        {
            let mut list = vec![value];
            while self.accept(",") && list.len() < 64 {
                list.push(self.expression(0));
            }
            value = Value::List(list);
        }
        // `a = b = value`
        let mut chained = Vec::new();
        let mut begin = from;
        while REPLACES.contains(&self.word()) {
            if begin + 1 == self.at && self.is_name(begin) {
                chained.push(self.word_at(begin).to_owned());
            }
            self.at += 1;
            begin = self.at;
            value = self.expression(0);
        }
        for name in chained {
            self.bind(name, value.clone());
        }
        match names {
            [name] if self.joins_in_place(name, operator, &value) => {}
            [name] => {
                let before = self.bound(name);
                let value = match (operator, before) {
                    ("+=" | ".=" | "..=", Some(before)) => {
                        let is_text = before.alternatives().iter().all(|before| {
                            matches!(before, Value::Text(_)) || before.as_known().is_some()
                        });
                        let added = self.add(before.clone(), value);
                        if conditional && is_text { before.or(added) } else { added }
                    }
                    ("|=", Some(Value::Table(mut before))) => match value {
                        Value::Table(more) => {
                            before.extend(more);
                            Value::Table(before)
                        }
                        other => Value::Text(mixed("a table", [&Value::Table(before), &other])),
                    },
                    ("|=", Some(before)) => Value::Text(mixed("a value", [&before, &value])),
                    (_, Some(before)) if conditional && !is_nothing_yet(&before) => {
                        before.or(value)
                    }
                    _ => value,
                };
                self.keep_field(line, name, &value);
                self.bind(name.clone(), value);
            }
            names => {
                // Go gives a result and an error beside it: `dir, _ := os.MkdirTemp("", "x")`.
                let has_error =
                    self.language == "java" && operator == ":=" && !matches!(value, Value::List(_));
                for (position, name) in names.iter().enumerate() {
                    let element = match position {
                        0 if has_error => value.clone(),
                        _ => self.element(&value, position),
                    };
                    self.keep_field(line, name, &element);
                    self.bind(name.clone(), element);
                }
            }
        }
    }

    /// `list += more`, `table |= more` of Python: the very list grows that others hold too. Whether that is what stands here.
    fn joins_in_place(&mut self, name: &str, operator: &str, value: &Value) -> bool {
        let method = match operator {
            "+=" => "extend",
            "|=" => "update",
            _ => return false,
        };
        let Some(before) = self.bound(name).filter(|_| self.language == "python") else {
            return false;
        };
        let is_own = match (&before, method) {
            (Value::List(_), "extend") => matches!(value, Value::List(_)),
            (Value::Table(_), "update") => matches!(value, Value::Table(_)),
            _ => false,
        };
        if !is_own {
            return false;
        }
        let given = [Given { name: None, value: value.clone(), span: Span::default() }];
        let callee = Value::Method(Box::new((before.clone(), method.to_owned())));
        let Some(after) = grown(&callee, &given) else { return false };
        self.changed(name, &before, after, true);
        true
    }

    /// `b = a` gives a list a second name, which sees what is done to it by the first. Perl and PHP copy.
    pub(super) fn alias(&mut self, names: &[String], operator: &str, from: usize, value: &Value) {
        let [name] = names else { return };
        self.aliases.retain(|(one, other)| one != name && other != name);
        let is_name = operator == "=" && self.at == from + 1 && self.is_name(from);
        let is_shared = matches!(value, Value::List(_) | Value::Table(_))
            && !matches!(self.language, "perl" | "php");
        if !is_name || !is_shared {
            return;
        }
        if self.aliases.len() < ALIASES {
            let other = self.word_at(from).to_owned();
            self.aliases.push((name.clone(), other));
        } else {
            self.limit();
        }
    }

    pub(super) fn is_conditional(&self, index: usize) -> bool {
        if self.language == "python" {
            let indent = self.token_at(index).map(|token| token.indent);
            indent.is_some_and(|indent| indent > self.indent && Some(indent) != self.round)
                || self.is_behind_condition(index)
        } else {
            self.blocks > 0
        }
    }

    /// `if …: name = value`: a body on the same line as its head.
    fn is_behind_condition(&self, index: usize) -> bool {
        let line = (0..=index)
            .rev()
            .leading(64)
            .find(|at| self.unit.tokens.get(*at).is_some_and(|token| token.first));
        line.filter(|line| *line < index).is_some_and(|line| {
            matches!(
                self.word_at(line),
                "case" | "elif" | "else" | "except" | "finally" | "for" | "if" | "try" | "while"
            )
        })
    }

    /// Whether nothing in the line that was read, or in front of it, says that what stands there is only done sometimes.
    fn is_done_anyway(&self) -> bool {
        const DECIDES: &[&str] = &["&&", "?", "??", "case", "else", "for", "if", "while", "||"];
        let last = self.at.saturating_sub(1);
        let begins = |at: &usize| {
            self.is_first(*at) || at.checked_sub(1).is_some_and(|it| self.word_at(it) == ";")
        };
        let begin = (0..=last).rev().leading(64).find(begins).unwrap_or(last);
        let before = begin.checked_sub(1).map_or("", |before| self.word_at(before));
        let is_outermost = self.language != "python" || self.is_in_managers_alone(begin);
        is_outermost
            && !matches!(before, ")" | "else")
            && !(begin..last).any(|at| DECIDES.contains(&self.word_at(at)))
    }

    /// Whether every block around the line at `begin` is that of a `with`.
    fn is_in_managers_alone(&self, begin: usize) -> bool {
        let indent = |at: usize| self.unit.tokens.get(at).map_or(0, |token| token.indent);
        let mut least = indent(begin);
        let mut lines = (0..begin).rev().leading(LINES).filter(|at| self.is_first(*at));
        while least > 0 {
            let Some(head) = lines.find(|at| indent(*at) < least) else { return false };
            // One that swallows what is raised may be left before its end.
            let next = (head + 1..begin).find(|at| self.is_first(*at)).unwrap_or(begin);
            let swallows = (head..next)
                .any(|at| matches!(self.word_at(at), "assertRaises" | "raises" | "suppress"));
            if self.word_at(head) != "with" || swallows {
                return false;
            }
            least = indent(head);
        }
        true
    }

    /// `object.member = value`, `object['key'] = value`.
    pub(super) fn store_member(&mut self, place: Value, value: Value) {
        let Value::Name(path, _) = place else { return };
        let span = self.span_from(self.at.saturating_sub(1));
        self.member_stops_checks(&path, &value, span);
        self.points_anew(&path, &value);
        self.adds_by_member(&path, &value);
        let here = self.span_from(self.at.saturating_sub(1));
        self.attribute_set(&path, &value, here);
        // `process.env.FIRESTORE_EMULATOR_HOST = "127.0.0.1:8080"`, for all that follows and for good.
        let emulator = ["os.environ.", "process.env."].iter().find_map(|prefix| {
            let name = path.strip_prefix(prefix)?;
            EMULATORS.iter().find(|(variable, _)| *variable == name)
        });
        if let Some((variable, service)) = emulator
            && self.blocks == 0
            && self.indent == 0
            && self.calls == 0
            && self.source.matches(variable).count() == 1
            && !["delete process", "process.env =", "environ.clear", "environ.pop", "process['"]
                .iter()
                .any(|word| self.source.contains(word))
        {
            let text = value.text();
            let host = text.as_known().unwrap_or_default().split(':').next().unwrap_or_default();
            if matches!(host, "127.0.0.1" | "localhost") {
                self.seen.emulated.push(service);
            }
        }
        if let Some(module) = path.strip_prefix("sys.modules.")
            && self.blocks == 0
            && self.indent == 0
            && self.calls == 0
        {
            self.puts_module_aside(module, &value);
        }
        // What the home directory is from here on, in whatever is asked for it.
        if matches!(&*path, "os.environ.HOME" | "process.env.HOME")
            && self.blocks == 0
            && self.indent == 0
            && self.calls == 0
            && self.is_done_anyway()
        {
            let text = value.text();
            self.seen.home = text.as_known().is_some().then_some(text);
        }
        for prefix in ["os.environ.", "process.env.", "ENV.", "%ENV.", "$ENV."] {
            if let Some(name) = path.strip_prefix(prefix)
                && OBEYED.contains(&name)
            {
                let span = self.span_from(self.at.saturating_sub(1));
                let kind = EffectKind::Environment { name: name.to_owned(), value: value.text() };
                self.walk.emit(kind, span);
                // What every shell that is started from here on reads first.
                if matches!(name, "BASH_ENV" | "ENV") && value.as_known().is_some() {
                    self.flush();
                    let file = Argument { text: value.text(), span };
                    self.walk.script("shell", &file, &[], None);
                }
            } else if let Some(name) = path.strip_prefix(prefix)
                && (agents::redirects(name) || name.starts_with(OWN))
            {
                // An agent that is started later finds it.
                let span = self.span_from(self.at.saturating_sub(1));
                self.walk.environment_of(name, &value.text(), span);
            }
        }
        // `new Image().src = address + what is sent`
        if self.language == "javascript"
            && matches!(path.rsplit('.').next(), Some("src" | "href" | "action" | "location"))
            && value.taint().has(Taint::SECRET)
        {
            let span = self.span_from(self.at.saturating_sub(1));
            let text = value.text();
            let address = Argument { text: text.clone(), span };
            self.walk.connect(&address, Some(text), false);
        }
        // `client.on_connect = greet`: whoever calls it later hands it the client.
        if self.language == "python"
            && let Value::Function(index) = &value
            && let Some((owner, called)) = path.rsplit_once('.')
            && called.starts_with("on_")
            && owner.ends_with(')')
        {
            let span = self.span_from(self.at.saturating_sub(1));
            let one = |value: Value| Given { name: None, value, span };
            let unknown = || Value::unknown("what it is called with");
            self.apply(*index, Some(&[one(Value::name(owner)), one(unknown()), one(unknown())]));
        }
        if path.starts_with("self.") || path.starts_with("this.") {
            return self.set_field(&path, value);
        }
        // A field of an object of the script's own: what its methods call their own.
        if let Some((object, field)) = path.rsplit_once('.')
            && let Some(class) = object.strip_suffix("()")
            && self.is_class(class)
        {
            let own = if self.language == "javascript" { "this" } else { "self" };
            return self.set_field(&format!("{own}.{field}"), value);
        }
        if let Some(name) = self.put_under(&path) {
            self.bind(name.to_owned(), value.clone());
        }
        self.bind(path.to_string(), value);
    }
}

/// Whether a text is what [`Interpreter::listed`] gives.
pub(super) fn is_listing(text: &Text) -> bool {
    matches!(text.pieces.last(), Some(Piece::Glob(_)))
}

/// Whether a name was bound to nothing, or to what it is called by itself, until it gets its value: `result = None`.
fn is_nothing_yet(value: &Value) -> bool {
    match value {
        Value::Name(path, text) => value.is_false() || !path.contains('(') && text.is_empty(),
        _ => false,
    }
}
