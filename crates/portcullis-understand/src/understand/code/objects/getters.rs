//! Getters of objects that are written out, and what is disposed of at the end of a block: functions that run though nothing calls them. Owns when
//! each runs, and with which object.

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    SETTER,
};

/// What stands behind the name of a function that is called where its member is read.
pub(in super::super) const GETTER: &str = " get";

/// What is given an object and reads none of its members, or only later.
const READS_NONE: &[&str] = &[
    "Object.create",
    "Object.defineProperties",
    "Object.defineProperty",
    "Object.freeze",
    "Object.seal",
    "Proxy",
    "Reflect.apply",
    "Reflect.construct",
    "Reflect.defineProperty",
    "Reflect.get",
    "Reflect.has",
    "Reflect.set",
];

impl Interpreter<'_, '_, '_> {
    /// What the getter of an object that is written out gives for a member, where there is one. `home` is the name that the object has.
    pub(in super::super) fn gotten(
        &mut self,
        object: &Value,
        name: &str,
        home: &str,
    ) -> Option<Value> {
        if self.language != "javascript" {
            return None;
        }
        let getter = object.own_entry(&format!("{name}{GETTER}"))?.clone();
        self.this = Some((home.to_owned(), object.clone()));
        let value = self.call_value(getter, Vec::new(), self.span_from(self.at.saturating_sub(1)));
        self.this = None;
        Some(value)
    }

    /// What each getter of an object gives, in its place: where all members of the object are read.
    pub(in super::super) fn all_gotten(&mut self, value: Value) -> Value {
        let Value::Table(table) = &value else { return value };
        if self.language != "javascript" || !has_getters(&value) {
            return value;
        }
        let mut made = Vec::new();
        for (key, entry) in table {
            let name = key.strip_suffix(GETTER);
            made.push(match name.and_then(|name| Some((name, self.gotten(&value, name, "")?))) {
                Some((name, given)) => (name.to_owned(), given),
                None => (key.clone(), entry.clone()),
            });
        }
        Value::Table(made)
    }

    /// The same for what a function that is none of the script gets, where any of it has getters.
    pub(in super::super) fn gotten_for(
        &mut self,
        callee: &Value,
        given: &[Given],
    ) -> Option<Vec<Given>> {
        let reads_none =
            matches!(callee, Value::Name(path, _) if READS_NONE.contains(&path.as_ref()));
        if reads_none || !given.iter().any(|it| has_getters(&it.value)) {
            return None;
        }
        let is_filled = matches!(callee, Value::Name(path, _) if &**path == "Object.assign");
        let mut made = Vec::new();
        for (at, one) in given.iter().enumerate() {
            let value = one.value.clone();
            let value = if is_filled && at == 0 { value } else { self.all_gotten(value) };
            made.push(Given { value, ..one.clone() });
        }
        Some(made)
    }

    /// `using file = open()`: what leaves a block is disposed of by the method that it has for that.
    pub(in super::super) fn disposed(&mut self, start: usize, end: usize) {
        const DISPOSES: &[&str] = &["Symbol.dispose", "Symbol.asyncDispose"];
        if self.language != "javascript" || !self.source.contains("using") {
            return;
        }
        if !self.spend(end.saturating_sub(start) / 8) {
            return;
        }
        for at in start..end {
            let is_declared =
                self.word_at(at) == "using" && self.is_name(at + 1) && self.word_at(at + 2) == "=";
            if !is_declared {
                continue;
            }
            let name = self.word_at(at + 1).to_owned();
            let Some(value) = self.bound(&name) else { continue };
            let span = self.span_from(at);
            for method in DISPOSES {
                match value.own_entry(method).cloned() {
                    Some(function) => {
                        self.this = Some((name.clone(), value.clone()));
                        self.call_value(function, Vec::new(), span);
                        self.this = None;
                    }
                    None => drop(self.by_itself(&value, method, &[], span)),
                }
            }
        }
    }
}

/// Whether an object that is written out has a getter.
fn has_getters(value: &Value) -> bool {
    matches!(value, Value::Table(table) if table.iter().any(|(key, _)| key.ends_with(GETTER)))
}

/// The entries of an object that a description of a property stands for: `{ value }`, `{ get() {…}, set(value) {…} }`.
pub(in super::super) fn described_as(name: String, described: &Value) -> Vec<(String, Value)> {
    let part = |of: &str, end: &str| {
        let function = described.own_entry(of)?.clone();
        Some((format!("{name}{end}"), function))
    };
    let parts: Vec<(String, Value)> = [part("value", ""), part("get", GETTER), part("set", SETTER)]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() { vec![(name, Value::unknown("a property"))] } else { parts }
}
