//! What a script knows at one place: names with their values, in scopes, and things that live on their own. Owns the joining
//! of ways that part and meet, by an undo log; what a value is, is said by `value`.

use std::{collections::HashMap, rc::Rc};

use super::value::{Object, Value};
use crate::{bound::Bounded, text::Text};

/// How many values a name may have, from branches that were taken or not.
pub(super) const WAYS: usize = 8;

/// How many things with parts live at once.
const OBJECTS: usize = 4096;

/// How many parts one thing has.
const PARTS: usize = 512;

/// Names and things.
#[derive(Debug, Default)]
pub(super) struct State {
    scopes: Vec<HashMap<Rc<str>, Vec<Value>>>,
    journal: Vec<(usize, Rc<str>, Option<Vec<Value>>)>,
    /// How long the log was when each inner scope was entered.
    entered: Vec<usize>,
    /// How many ways are being followed of which one alone is taken.
    pub(super) parted: usize,
    pub(super) objects: Vec<Object>,
    /// Whether more was held than is kept.
    pub(super) is_cut: bool,
    /// The lowest number of a thing of which a part changed since somebody asked.
    lowest: Option<usize>,
    /// How many bytes were held since somebody asked: work that has no place of its own.
    pub(super) copied: usize,
}

/// A place in the undo log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// Where rounds began, see [`State::begin_rounds`].
#[derive(Debug)]
pub(super) struct Rounds {
    mark: Mark,
    /// How many things there were.
    things: usize,
    outer: Option<usize>,
}

/// What one way made of names.
pub(super) type Changes = Vec<(usize, Rc<str>, Vec<Value>)>;

impl State {
    pub(super) fn new() -> Self {
        Self { scopes: vec![HashMap::new()], ..Self::default() }
    }

    /// All that a name may be, from the innermost scope that has it.
    pub(super) fn get(&self, name: &str) -> Option<&[Value]> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).map(Vec::as_slice)
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<Value>) {
        self.set_in(self.scopes.len().saturating_sub(1), name, values);
    }

    /// Gives a name a value for everybody.
    pub(super) fn set_outermost(&mut self, name: &str, values: Vec<Value>) {
        self.set_in(0, name, values);
        for scope in 1..self.scopes.len() {
            if self.scopes.get(scope).is_some_and(|names| names.contains_key(name)) {
                let values = self.scopes.first().and_then(|it| it.get(name)).cloned();
                self.set_in(scope, name, values.unwrap_or_default());
            }
        }
    }

    fn set_in(&mut self, scope: usize, name: &str, mut values: Vec<Value>) {
        if values.len() > WAYS {
            values = values.into_iter().leading(WAYS - 1).collect();
            values.push(Value::unknown(name));
            self.is_cut = true;
        }
        self.copied += values.iter().map(weight).sum::<usize>();
        let Some(names) = self.scopes.get_mut(scope) else { return };
        let name: Rc<str> = name.into();
        let before = names.insert(name.clone(), values);
        self.journal.push((scope, name, before));
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(HashMap::new());
        self.entered.push(self.journal.len());
    }

    pub(super) fn leave(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
            let depth = self.scopes.len();
            // Nothing in a scope that is gone can be undone.
            let from = self.entered.pop().unwrap_or_default().min(self.journal.len());
            let since = self.journal.split_off(from);
            self.journal.extend(since.into_iter().filter(|entry| entry.0 < depth));
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Goes back to a mark; gives what was made of names since.
    pub(super) fn take_back(&mut self, mark: Mark) -> Changes {
        let mut changes: Changes = Vec::new();
        let mut seen: std::collections::HashSet<(usize, Rc<str>)> =
            std::collections::HashSet::new();
        while self.journal.len() > mark.0
            && let Some((scope, name, before)) = self.journal.pop()
        {
            let Some(names) = self.scopes.get_mut(scope) else { continue };
            if seen.insert((scope, name.clone())) {
                let now = names.get(&name).cloned().unwrap_or_default();
                changes.push((scope, name.clone(), now));
            }
            match before {
                Some(values) => names.insert(name, values),
                None => names.remove(&name),
            };
        }
        changes
    }

    /// What a thing holds changes.
    pub(super) fn touches(&mut self, of: usize) {
        self.lowest = Some(self.lowest.map_or(of, |lowest| lowest.min(of)));
    }

    /// Where rounds begin of which not all are followed.
    pub(super) fn begin_rounds(&mut self) -> Rounds {
        Rounds { mark: self.mark(), things: self.objects.len(), outer: self.lowest.take() }
    }

    /// Rounds went on past those that were followed: every name that they changed is something by then that is not known. Gives
    /// whether that says all: a thing from before that changed may hold whatever further rounds put into it.
    pub(super) fn widen(&mut self, rounds: &Rounds) -> bool {
        let changed: Vec<(usize, Rc<str>)> = self
            .journal
            .get(rounds.mark.0..)
            .unwrap_or_default()
            .iter()
            .map(|(scope, name, _)| (*scope, name.clone()))
            .collect();
        let mut is_all = self.lowest.is_none_or(|lowest| lowest >= rounds.things);
        let mut seen = std::collections::HashSet::new();
        for (scope, name) in changed {
            if !seen.insert((scope, name.clone())) {
                continue;
            }
            let held = self.scopes.get(scope).and_then(|names| names.get(&name));
            let Some(held) = held.cloned() else { continue };
            let mut text = Text::unknown(&name);
            for value in held.iter().flat_map(Value::elements) {
                match value {
                    Value::Text(value) => text.inherit(&value),
                    Value::Nothing => {}
                    _ => is_all = false,
                }
            }
            self.set_in(scope, &name, vec![Value::Text(text)]);
        }
        is_all
    }

    /// Ends what [`Self::begin_rounds`] began.
    pub(super) fn end_rounds(&mut self, rounds: Rounds) {
        self.lowest = match (self.lowest, rounds.outer) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// Names are what any of the ways made of them, or, where one did not touch them, what they were.
    pub(super) fn join(&mut self, ways: Vec<Changes>) {
        let count = ways.len();
        let mut merged: Vec<(usize, Rc<str>, Vec<Value>, usize)> = Vec::new();
        let mut index: HashMap<(usize, Rc<str>), usize> = HashMap::new();
        for (scope, name, values) in ways.into_iter().flatten() {
            let at = *index.entry((scope, name.clone())).or_insert_with(|| {
                merged.push((scope, name, Vec::new(), 0));
                merged.len() - 1
            });
            if let Some(entry) = merged.get_mut(at) {
                entry.3 += 1;
                add(&mut entry.2, values);
            }
        }
        for (scope, name, mut values, touched) in merged {
            if touched < count {
                let before = self.scopes.get(scope).and_then(|names| names.get(&name)).cloned();
                add(&mut values, before.unwrap_or_else(|| vec![Value::Nothing]));
            }
            self.set_in(scope, &name, values);
        }
    }

    /// A new thing, by its number; nothing where there are too many.
    pub(super) fn make(&mut self, object: Object) -> Option<usize> {
        if self.objects.len() >= OBJECTS {
            self.is_cut = true;
            return None;
        }
        self.objects.push(object);
        Some(self.objects.len() - 1)
    }

    /// Gives a part of a thing a value; where that is on one of several ways, it may be what it was.
    pub(super) fn set_part(&mut self, of: usize, name: &str, value: Value) {
        self.touches(of);
        let weak = self.parted > 0;
        let Some(object) = self.objects.get_mut(of) else { return };
        let at = match object.entries.iter().position(|(key, _)| key == name) {
            Some(at) => at,
            None if object.entries.len() >= PARTS => {
                self.is_cut = true;
                return;
            }
            None => {
                object.entries.push((name.to_owned(), Vec::new()));
                object.entries.len() - 1
            }
        };
        let Some((_, held)) = object.entries.get_mut(at) else { return };
        if !weak {
            held.clear();
        }
        add(held, vec![value]);
        if held.len() > WAYS {
            let first = std::mem::take(held).into_iter().leading(WAYS - 1);
            held.extend(first);
            held.push(Value::unknown(name));
            self.is_cut = true;
        }
    }

    /// The names that hold this list.
    pub(super) fn names_of(&self, list: &Rc<[Value]>) -> Vec<String> {
        let holds = |values: &[Value]| {
            values.iter().any(|value| matches!(value, Value::List(held) if Rc::ptr_eq(held, list)))
        };
        let named = self.scopes.iter().flatten().filter(|(_, values)| holds(values));
        named.map(|(name, _)| name.to_string()).collect()
    }

    pub(super) fn part(&self, of: usize, name: &str) -> Option<&[Value]> {
        let object = self.objects.get(of)?;
        object.entries.iter().find(|(key, _)| key == name).map(|(_, values)| values.as_slice())
    }
}

/// How much there is to copy and to compare of a value.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len() + 16 * text.sources.len(),
        Value::List(values) => values.iter().map(|value| 16 + weight(value)).sum(),
        Value::Nothing | Value::Object(_) | Value::Block(_) | Value::Type(_) => 1,
    }
}

/// Adds values that are not there.
fn add(values: &mut Vec<Value>, more: Vec<Value>) {
    for value in more {
        if !values.iter().any(|held| held.is(&value)) {
            values.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(state: &State, name: &str) -> Vec<String> {
        let values = state.get(name).unwrap_or_default();
        values.iter().map(|value| value.as_known().unwrap_or("?").to_owned()).collect()
    }

    #[test]
    fn ways_that_meet_leave_all_that_a_name_may_be() {
        let mut state = State::new();
        state.set("x", vec![Value::known("a")]);
        let mark = state.mark();
        state.set("x", vec![Value::known("b")]);
        state.set("y", vec![Value::known("c")]);
        let first = state.take_back(mark);
        assert_eq!(shown(&state, "x"), ["a"]);
        state.join(vec![first, Changes::new()]);
        assert_eq!(shown(&state, "x"), ["b", "a"]);
        assert_eq!(shown(&state, "y"), ["c", ""]);
    }

    #[test]
    fn a_name_of_a_scope_is_gone_with_it() {
        let mut state = State::new();
        state.set("x", vec![Value::known("a")]);
        state.enter();
        state.set("x", vec![Value::known("b")]);
        assert_eq!(shown(&state, "x"), ["b"]);
        state.leave();
        assert_eq!(shown(&state, "x"), ["a"]);
    }
}
