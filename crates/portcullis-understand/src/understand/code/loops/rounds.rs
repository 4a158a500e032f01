//! The rounds of loops: how often a body is read, and what names are worth behind it.

use std::collections::HashMap;

use super::{
    super::{
        binding::is_alike,
        interpreter::Interpreter,
        value::{Value, mixed},
    },
    BODY, ROUNDS,
};
use crate::bound::Bounded;

impl Interpreter<'_, '_, '_> {
    /// `while names: remove(names.pop())`: the body is read once for each that the list holds; the last time where it stands, unless the list
    /// grows meanwhile. Gives where the body ends that was read for all of them.
    pub(in super::super) fn rounds_of_while(&mut self, start: usize) -> Option<usize> {
        let is_braced = self.word_at(start + 1) == "(";
        let (head, body) = if self.language == "python" {
            let end = self.block_end(start);
            let colon = (start + 1..end.min(start + 16)).find(|at| self.word_at(*at) == ":");
            let colon = colon?;
            (start + 1..colon, colon + 1..end)
        } else if self.language == "javascript" && is_braced {
            let close = self.partner(start + 1);
            if self.word_at(close + 1) != "{" {
                return None;
            }
            (start + 2..close, close + 2..self.partner(close + 1))
        } else {
            return None;
        };
        let is_taken = |at: usize| {
            matches!(self.word_at(at + 2), "pop" | "popleft" | "shift")
                && self.word_at(at + 1) == "."
                && self.word_at(at + 3) == "("
        };
        // In the head itself: `while ((name = names.shift()))`.
        let named = head.clone().find(|at| {
            self.is_name(*at)
                && matches!(self.variables.get(self.word_at(*at)), Some(Value::List(_)))
        });
        let name = named.map(|at| self.word_at(at).to_owned())?;
        let takes_in_head = head.clone().any(|at| self.word_at(at) == name && is_taken(at));
        let takes = takes_in_head
            || body.clone().leading(BODY).any(|at| self.word_at(at) == name && is_taken(at));
        let Some(Value::List(list)) = self.variables.get(&name) else { return None };
        let rounds = list.len().min(ROUNDS);
        if !takes || list.len() > ROUNDS || body.len() > BODY {
            return None;
        }
        // `while work: item = work.pop(); work.extend(item.children)`: there are as many rounds as it takes.
        let grows = body.clone().any(|at| {
            self.word_at(at) == name
                && self.word_at(at + 1) == "."
                && matches!(
                    self.word_at(at + 2),
                    "append" | "appendleft" | "extend" | "insert" | "push" | "unshift"
                )
        });
        let mut round = 1;
        while round < rounds || grows && self.holds_some(&name) {
            if round >= 3 * ROUNDS || grows && !self.holds_known(&name) {
                // From here on it may hold whatever it was given.
                let held = self.variables.get(&name).cloned();
                let any = Value::Text(mixed("an element", held.as_ref()));
                self.bind(name, Value::List(vec![any]));
                return None;
            }
            round += 1;
            if !self.sink() {
                break;
            }
            if takes_in_head {
                self.at = head.start;
                let outer = self.narrow(head.end);
                self.expression(0);
                self.end = outer;
            }
            self.at = body.start;
            self.statements(body.end);
            self.rise();
        }
        grows.then_some(body.end)
    }

    /// Whether the last and the first element of a list are known.
    fn holds_known(&self, name: &str) -> bool {
        let is_known = |value: &Value| match value {
            Value::Text(text) => text.as_known().is_some(),
            Value::Number(_) | Value::List(_) | Value::Table(_) => true,
            _ => false,
        };
        match self.variables.get(name) {
            Some(Value::List(list)) => {
                list.last().is_some_and(is_known) && list.first().is_some_and(is_known)
            }
            _ => false,
        }
    }

    /// Whether a list has an element.
    fn holds_some(&self, name: &str) -> bool {
        match self.variables.get(name) {
            Some(Value::List(list)) => !list.is_empty(),
            Some(Value::Any(lists)) => {
                lists.iter().any(|one| matches!(one, Value::List(list) if !list.is_empty()))
            }
            _ => false,
        }
    }

    /// What names are worth now, or were in another state; what a loop goes through was nothing before its first round.
    pub(super) fn or_state(
        &mut self,
        state: HashMap<String, Value>,
        is_first: bool,
        targets: &[String],
    ) {
        for (name, before) in state {
            if is_first && targets.contains(&name) {
                continue;
            }
            if let Some(now) = self.variables.get(&name)
                && !is_alike(now, &before)
                && !is_grown(now, &before)
            {
                let value = before.or(now.clone());
                self.bind(name, value);
            }
        }
    }
}

/// Whether a list or a table holds what another one does, and more behind it.
fn is_grown(now: &Value, before: &Value) -> bool {
    match (now, before) {
        (Value::List(now), Value::List(before)) => {
            now.len() >= before.len()
                && now.iter().zip(before).all(|(one, other)| is_alike(one, other))
        }
        (Value::Table(_), Value::Table(before)) => before
            .iter()
            .all(|(key, value)| now.entry(key).is_some_and(|entry| is_alike(entry, value))),
        _ => false,
    }
}
