//! What stands in front of an assignment: `object.member`, `table["key"]`, and any of them in any other. Owns how an entry that lies deep is
//! set, and who else sees that.

use super::{
    super::{
        containers::any_of,
        interpreter::Interpreter,
        objects::SETTER,
        services,
        value::{Given, Value, mixed},
    },
    REPLACES,
    alike::{holds_alike, is_alike, replaced},
};

use std::ops::Range;

use crate::{
    effect::GapReason,
    text::{Piece, Taint, Text},
};

/// How many links such a place has.
pub(super) const LINKS: usize = 8;

/// How many variables are looked at for one that holds the same.
const HOLDERS: usize = 512;

/// The home of what no variable holds by itself.
pub(in super::super) const NOWHERE: &str = "";

/// One link of a place, with its tokens.
pub(super) enum Link {
    Member(String),
    Index(usize),
    /// The key is what a method is given first.
    Asked(usize),
}

/// The key of an entry, as far as it is known.
#[derive(Clone, Debug)]
pub(in super::super) enum Key {
    Name(String),
    At(i64),
    Some,
}

impl Interpreter<'_, '_, '_> {
    /// `object.member = value`, `table["key"]["other"] += value`: whether that stands here. Reads it to its end.
    pub(in super::super) fn assigns_place(&mut self) -> bool {
        if !matches!(self.language, "python" | "javascript") || !self.is_name(self.at) {
            return false;
        }
        let start = self.at;
        let Some((links, equals)) = self.links(start + 1) else { return false };
        let operator = self.word_at(equals);
        let adds = operator == "+=";
        if !adds && !REPLACES.contains(&operator) {
            return false;
        }
        self.set_place(start, &links, equals, adds)
    }

    /// `object.member`, `table["key"]` among several targets gets its part of a value. Whether that is such a place.
    pub(in super::super) fn set_part(&mut self, part: Range<usize>, value: &Value) -> bool {
        let links = self.is_name(part.start).then(|| self.links(part.start + 1)).flatten();
        let Some((links, _)) = links.filter(|(_, end)| *end == part.end) else { return false };
        let (back, outer) = (self.at, self.end);
        self.part = Some(value.clone());
        let is_set = self.set_place(part.start, &links, part.end.saturating_sub(1), false);
        let is_used = self.part.take().is_none();
        (self.at, self.end) = (back, outer);
        is_set && is_used
    }

    /// Sets the place that begins with the name at `start`; `equals` is where its operator stands.
    fn set_place(&mut self, start: usize, links: &[Link], equals: usize, adds: bool) -> bool {
        let conditional = self.is_conditional(start);
        let mut owner = self.resolve_here(start);
        // `directory = TemporaryDirectory()`, `directory.name = path`: another one is cleaned up.
        if self.language == "python"
            && matches!(links, [Link::Member(name)] if name == "name")
            && owner.as_known() == Some("/tmp/tmp.made")
        {
            let name = self.word_at(start).to_owned();
            self.at = equals + 1;
            let value = self.values_in_line();
            self.bind(name, value);
            return true;
        }
        let mut home = Some(self.word_at(start).to_owned());
        let mut keys = Vec::new();
        let count = links.len();
        for (position, link) in links.iter().enumerate() {
            let key = self.key_of(link);
            if let (Value::Name(path, _), Key::Name(name)) = (&owner, &key) {
                let path = path.to_string();
                if position + 1 == count {
                    return self.assign_member(&path, name, equals, adds);
                }
                home = Some(self.holder_of(&path, name));
                keys.clear();
                let name = name.clone();
                owner = self.member(owner, &name);
                continue;
            }
            if let Value::Name(path, _) = &owner {
                // Which member of it, nobody knows: read as it stands.
                let path = path.to_string();
                return position + 1 == count && self.assign_item(&path, &key, equals);
            }
            owner = self.entry_of(&owner, &key);
            keys.push(key);
        }
        let home = home.unwrap_or_default();
        // What is no container here is read as it stands.
        let Some(before) = self.variables.get(&home).cloned() else { return false };
        let holds = |value: &Value| matches!(value, Value::Table(_) | Value::List(_));
        if !before.alternatives().iter().any(holds) {
            return self.put_into_parsed(&home, &before, &keys, equals, adds);
        }
        self.at = equals + 1;
        let value = self.assigned();
        // `object.member = value` where the object has a setter.
        if let (Some(Key::Name(name)), Value::Table(_)) = (keys.last(), &before)
            && keys.len() == 1
            && let Some(setter) = before.own_entry(&format!("{name}{SETTER}")).cloned()
        {
            let span = self.span_from(equals);
            self.this = Some((home, before.clone()));
            self.call_value(setter, vec![Given { name: None, value, span }], span);
            self.this = None;
            return true;
        }
        if let Some(Key::Name(key)) = keys.last() {
            let span = self.span_from(equals);
            self.entry_stops_checks(key, &value, span);
        }
        let value = if adds { self.add(owner, value) } else { value };
        let is_single = keys.len() == 1;
        let after = set_in(&before, &keys, &value, conditional);
        self.changed(&home, &before, after, is_single);
        true
    }

    /// `settings.scripts.postinstall = command` where the settings were read of a file: what nobody knows, and this in it.
    fn put_into_parsed(
        &mut self,
        home: &str,
        before: &Value,
        keys: &[Key],
        equals: usize,
        adds: bool,
    ) -> bool {
        /// How much of what is put there is kept.
        const PARTS: usize = 16;
        let Value::Text(text) = before else { return false };
        let is_parsed = !adds
            && text.taint.has(Taint::FILE)
            && matches!(text.pieces.first(), Some(Piece::Unknown(_)))
            && text.pieces.len() < PARTS;
        let names: Vec<&String> = keys
            .iter()
            .filter_map(|key| match key {
                Key::Name(name) => Some(name),
                _ => None,
            })
            .collect();
        if !is_parsed || names.len() != keys.len() {
            return false;
        }
        self.at = equals + 1;
        let value = self.assigned();
        let mut written = Text::default();
        for name in &names {
            written.push_known(&format!("\n{{\"{name}\":"));
        }
        let inner = match &value {
            Value::Text(text) if let Some(known) = text.as_known() => {
                Text::known(serde_json::Value::from(known).to_string())
            }
            Value::Table(_) => services::put_down(&value),
            _ => return true,
        };
        written.append(&inner);
        written.push_known(&"}".repeat(names.len()));
        let mut whole = text.clone();
        whole.append(&written);
        self.bind(home.to_owned(), Value::Text(whole));
        true
    }

    /// The value behind the operator, with whatever else it is given to.
    fn assigned(&mut self) -> Value {
        if let Some(value) = self.part.take() {
            return value;
        }
        let from = self.at;
        if self.is_name(from)
            && let Some((_, equals)) = self.links(from + 1)
            && self.word_at(equals) == "="
            && self.sink()
        {
            // `a.b = c.d = value`
            let place = self.expression(4);
            self.at = equals + 1;
            let value = self.assigned();
            self.store_member(place, value.clone());
            self.rise();
            return value;
        }
        let mut value = self.values_in_line();
        while REPLACES.contains(&self.word()) && !self.is_first(self.at) {
            self.at += 1;
            value = self.expression(0);
        }
        value
    }

    /// Sets a member of what has a name.
    fn assign_member(&mut self, path: &str, name: &str, equals: usize, adds: bool) -> bool {
        let owner = Value::name(path);
        let before = if adds { Some(self.member(owner, name)) } else { None };
        self.at = equals + 1;
        let mut value = self.assigned();
        if let Some(before) = before {
            value = self.add(before, value);
        }
        // What belongs to everything is a name like any other.
        if matches!(path, "global" | "globalThis" | "globals()" | "locals()" | "vars()" | "window")
        {
            self.bind(name.to_owned(), value);
            return true;
        }
        let span = self.span_from(equals);
        // A method of all lists or texts, by whichever it is called.
        if self.language == "javascript"
            && matches!(path, "Array.prototype" | "Object.prototype" | "String.prototype")
            && matches!(value, Value::Function(_))
        {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        if self.sets_by_class(path, name, &value, span) {
            return true;
        }
        self.store_member(Value::name(&format!("{path}.{name}")), value);
        true
    }

    /// `object[key] = value` where the object's class says what that means.
    fn assign_item(&mut self, path: &str, key: &Key, equals: usize) -> bool {
        let Some(class) = path.strip_suffix("()").filter(|class| self.is_class(class)) else {
            return false;
        };
        if !self.named.contains_key(&format!("{class}.__setitem__")) {
            return false;
        }
        self.at = equals + 1;
        let value = self.assigned();
        let span = self.span_from(equals);
        let key = match key {
            Key::Name(name) => Value::known(name),
            Key::At(number) => Value::Number(*number),
            Key::Some => Value::unknown("a key"),
        };
        self.by_itself(&Value::name(path), "__setitem__", &[key, value], span);
        true
    }

    /// `make().member = value`: whether that stands here. Reads it to its end.
    pub(in super::super) fn assigns_behind_call(&mut self) -> bool {
        if !matches!(self.language, "python" | "javascript") || !self.is_name(self.at) {
            return false;
        }
        let (mut at, mut last, mut is_called) = (self.at + 1, None, false);
        while at < self.end {
            match self.word_at(at) {
                "." if self.is_name(at + 1) => {
                    last = Some(at);
                    at += 2;
                }
                "(" | "[" if !self.is_first(at) => {
                    is_called |= self.word_at(at) == "(";
                    last = (self.word_at(at) == "[").then_some(at);
                    at = self.partner(at) + 1;
                }
                _ => break,
            }
        }
        let Some(dot) = last.filter(|_| is_called && self.word_at(at) == "=") else { return false };
        let name = self.word_at(dot + 1).to_owned();
        let is_item = self.word_at(dot) == "[";
        let outer = self.narrow(dot);
        let owner = self.operand();
        self.end = outer;
        match owner {
            Value::Name(path, _) if is_item => {
                let key = self.key_of(&Link::Index(dot));
                if !self.assign_item(&path, &key, at) {
                    self.at = at + 1;
                    let value = self.assigned();
                    // `globals()["show"] = …`
                    if let Key::Name(key) = &key {
                        let whole = format!("{path}.{key}");
                        if let Some(name) = self.put_under(&whole) {
                            self.bind(name.to_owned(), value);
                        }
                    }
                }
                true
            }
            Value::Name(path, _) => self.assign_member(&path, &name, at, false),
            _ => {
                self.at = at + 1;
                drop(self.assigned());
                true
            }
        }
    }

    /// The links behind the name before the token at `at`, and where an operator stands behind them.
    pub(super) fn links(&self, at: usize) -> Option<(Vec<Link>, usize)> {
        let mut at = at;
        let mut links = Vec::new();
        while links.len() < LINKS {
            match self.word_at(at) {
                "." | "?." if self.word_at(at + 1) == "#" && self.is_name(at + 2) => {
                    links.push(Link::Member(format!("#{}", self.word_at(at + 2))));
                    at += 3;
                }
                "." | "?." if self.is_name(at + 1) => {
                    links.push(Link::Member(self.word_at(at + 1).to_owned()));
                    at += 2;
                }
                "[" if !self.is_first(at) => {
                    let close = self.partner(at);
                    let is_slice = self.language == "python"
                        && (at + 1..close).any(|at| matches!(self.word_at(at), ":" | "::"));
                    if is_slice || close >= self.end {
                        return None;
                    }
                    links.push(Link::Index(at));
                    at = close + 1;
                }
                _ => break,
            }
        }
        (!links.is_empty()).then_some((links, at))
    }

    pub(super) fn resolve_here(&mut self, at: usize) -> Value {
        let word = self.word_at(at).to_owned();
        self.resolve(&word)
    }

    pub(super) fn key_of(&mut self, link: &Link) -> Key {
        match link {
            Link::Member(name) => Key::Name(name.clone()),
            Link::Index(at) | Link::Asked(at) => {
                let is_asked = matches!(link, Link::Asked(_));
                let back = std::mem::replace(&mut self.at, *at);
                let close = self.partner(*at);
                let mut all = self.list(close);
                let key = if is_asked && !all.is_empty() { Some(all.remove(0)) } else { all.pop() };
                self.at = back;
                match key {
                    Some(Value::Number(number)) => Key::At(number),
                    Some(key) => match key.as_known() {
                        Some(known) => Key::Name(known.to_owned()),
                        None => Key::Some,
                    },
                    None => Key::Some,
                }
            }
        }
    }

    pub(super) fn entry_of(&mut self, owner: &Value, key: &Key) -> Value {
        match (owner, key) {
            (Value::Any(several), key) => {
                let entries: Vec<Value> =
                    several.iter().map(|one| self.entry_of(one, key)).collect();
                entries.into_iter().reduce(Value::or).unwrap_or_else(|| Value::unknown("an entry"))
            }
            (Value::Table(_), Key::Name(name)) => match owner.entry(name) {
                Some(entry) => entry.clone(),
                None => Value::unknown("an entry"),
            },
            (Value::Table(_), Key::At(number)) => match owner.entry(&number.to_string()) {
                Some(entry) => entry.clone(),
                None => Value::unknown("an entry"),
            },
            (Value::List(list), Key::At(at)) => match place(*at, list.len()) {
                Some(at) => list.get(at).cloned().unwrap_or_else(|| Value::unknown("an entry")),
                None => Value::unknown("an entry"),
            },
            _ => Value::Text(mixed("an entry", [owner])),
        }
    }

    /// The variable that holds a member of what has a name.
    pub(in super::super) fn holder_of(&self, path: &str, name: &str) -> String {
        let class = path.strip_suffix("()").filter(|class| self.is_class(class));
        let own = class.map(|class| {
            [format!("self.{name}"), format!("this.{name}"), format!("{class}.{name}")]
        });
        let found = own.into_iter().flatten().find(|it| self.variables.contains_key(it));
        found.unwrap_or_else(|| format!("{path}.{name}"))
    }

    /// `del list[0]`, `delete table.key`: the entry before the token at `start` is gone.
    pub(in super::super) fn entry_deleted(&mut self, start: usize) {
        let name = self.word_at(start).to_owned();
        let links = self.links(start + 1).map(|(links, _)| links);
        if links.is_none() && self.word_at(start + 1) != "[" {
            return;
        }
        let links = links.unwrap_or_default();
        let [link] = links.as_slice() else {
            // Where it lies deep, what is left is not known.
            if let Some(before @ (Value::Table(_) | Value::List(_))) =
                self.variables.get(&name).cloned()
            {
                self.bind(name, Value::Text(mixed("what is left", [&before])));
            }
            return;
        };
        let key = self.key_of(link);
        let Some(before) = self.variables.get(&name).cloned() else { return };
        let after = match (&before, &key) {
            (Value::List(list), Key::At(at)) => {
                let mut list = list.clone();
                match place(*at, list.len()).filter(|at| *at < list.len()) {
                    Some(at) => drop(list.remove(at)),
                    None => return,
                }
                Value::List(list)
            }
            (Value::Table(table), Key::Name(_) | Key::At(_)) => {
                let key = match key {
                    Key::Name(name) => name,
                    Key::At(at) => at.to_string(),
                    Key::Some => return,
                };
                Value::Table(table.iter().filter(|(known, _)| *known != key).cloned().collect())
            }
            (Value::List(list), _) => Value::List(any_of(list.clone())),
            _ => return,
        };
        self.changed(&name, &before, after, true);
    }

    /// A list or table became another one: all who hold it see that. Whoever holds one that is alike may hold the same one.
    pub(in super::super) fn changed(
        &mut self,
        home: &str,
        before: &Value,
        after: Value,
        is_whole: bool,
    ) {
        let same = self.same_as(home);
        let is_lazy =
            self.lazy.iter().any(|name| name == home || same.iter().any(|other| other == name));
        if is_lazy {
            let span = self.span_from(self.at.saturating_sub(1));
            self.left_open(span);
        }
        for other in same {
            self.bind(other, after.clone());
        }
        let is_empty = |value: &Value| match value {
            Value::List(list) => list.is_empty(),
            Value::Table(table) => table.is_empty(),
            _ => true,
        };
        let held = |value: &Value| match value {
            Value::List(list) | Value::Any(list) => list.len(),
            Value::Table(table) => table.len(),
            _ => 0,
        };
        let size: usize = self.variables.values().map(held).sum();
        self.spend((self.variables.len() + size) / 64);
        if self.variables.len() <= HOLDERS {
            let alike = |value: &Value, deep: bool| holds_alike(value, before, deep);
            let same = self.same_as(home);
            let others: Vec<(String, Value)> = self
                .variables
                .iter()
                .filter(|(name, value)| {
                    name.as_str() != home
                        && !same.contains(name)
                        && (!is_empty(before) && alike(value, false) || alike(value, true))
                })
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            for (name, value) in others {
                let value = replaced(&value, before, &after);
                self.bind(name, value);
            }
            // What lies in it may lie elsewhere too.
            if !is_whole {
                self.parts_changed(home, before, &after);
            }
        } else {
            self.limit();
        }
        if home != NOWHERE {
            self.bind(home.to_owned(), after);
        }
    }

    /// The same for the containers inside of one.
    fn parts_changed(&mut self, home: &str, before: &Value, after: &Value) {
        let pairs: Vec<(Value, Value)> = match (before, after) {
            (Value::List(one), Value::List(other)) => {
                one.iter().cloned().zip(other.iter().cloned()).collect()
            }
            (Value::Table(one), Value::Table(_)) => one
                .iter()
                .filter_map(|(key, value)| Some((value.clone(), after.entry(key)?.clone())))
                .collect(),
            _ => return,
        };
        for (one, other) in pairs {
            let is_container = matches!(one, Value::List(_) | Value::Table(_));
            if !is_container || is_alike(&one, &other) {
                continue;
            }
            let others: Vec<(String, Value)> = self
                .variables
                .iter()
                .filter(|(name, value)| {
                    name.as_str() != home && holds_alike(value, &one, true) || is_alike(value, &one)
                })
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            for (name, value) in others {
                if name != home {
                    let value = replaced(&value, &one, &other);
                    self.bind(name, value);
                }
            }
        }
    }
}

fn place(at: i64, length: usize) -> Option<usize> {
    if at < 0 {
        let back = usize::try_from(at.saturating_neg()).ok()?;
        return length.checked_sub(back);
    }
    usize::try_from(at).ok()
}

/// A container with one of its entries set.
pub(in super::super) fn set_in(held: &Value, keys: &[Key], value: &Value, joins: bool) -> Value {
    let Some((key, rest)) = keys.split_first() else {
        return if joins { held.clone().or(value.clone()) } else { value.clone() };
    };
    match (held, key) {
        (Value::Any(several), _) => {
            let each = several.iter().map(|one| set_in(one, keys, value, true));
            each.reduce(Value::or).unwrap_or_else(|| Value::unknown("a table"))
        }
        (Value::Table(table), Key::Name(_) | Key::At(_)) => {
            let name = match key {
                Key::Name(name) => name.clone(),
                Key::At(at) => at.to_string(),
                Key::Some => String::new(),
            };
            let mut table = table.clone();
            let before = table.iter().rposition(|(known, _)| *known == name);
            let before = before.map(|at| table.remove(at).1);
            table.retain(|(known, _)| *known != name);
            let after = match (&before, rest.is_empty()) {
                (Some(before), _) => set_in(before, rest, value, joins),
                (None, true) => value.clone(),
                (None, false) => Value::unknown("an entry"),
            };
            table.push((name, after));
            Value::Table(table)
        }
        (Value::List(list), Key::At(at)) => {
            let mut list = list.clone();
            match place(*at, list.len()).and_then(|at| list.get_mut(at)) {
                Some(entry) => *entry = set_in(entry, rest, value, joins),
                None if rest.is_empty() => list.push(value.clone()),
                None => return Value::Text(mixed("a list", [held, value])),
            }
            Value::List(list)
        }
        // `list.length = 1` leaves that many.
        (Value::List(list), Key::Name(name)) if name == "length" && rest.is_empty() => {
            let length = match value {
                Value::Number(length) => usize::try_from(*length).ok(),
                _ => None,
            };
            match length.filter(|length| *length <= list.len()) {
                Some(length) => Value::List(list.get(..length).unwrap_or_default().to_vec()),
                None => Value::Text(mixed("a list", [held])),
            }
        }
        // Which of them, nobody knows: each may be.
        (Value::List(list), _) => {
            Value::List(list.iter().map(|entry| set_in(entry, rest, value, true)).collect())
        }
        (Value::Table(table), Key::Some) => {
            let each =
                table.iter().map(|(name, entry)| (name.clone(), set_in(entry, rest, value, true)));
            let mut table: Vec<(String, Value)> = each.collect();
            if rest.is_empty() {
                table.push(("[]".to_owned(), value.clone()));
            }
            Value::Table(table)
        }
        _ => Value::Text(mixed("an entry", [held, value])),
    }
}
