//! Whose method or number it is that is changed where it stands.

use super::super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
    /// The same behind methods that give back what they belong to: `map.set(…).set(`.
    pub(super) fn owner_of_chain(&self, start: usize) -> Option<String> {
        if self.language != "javascript" || !self.is_name(start) {
            return None;
        }
        let mut at = start + 1;
        while self.word_at(at) == "." && matches!(self.word_at(at + 1), "set" | "add") {
            if at + 2 >= self.at {
                return Some(self.word_at(start).to_owned());
            }
            at = self.partner(at + 2) + 1;
        }
        None
    }

    /// `name++`, `--name`: what it was, and what it is from here on.
    pub(in super::super) fn counted(&mut self, at: usize, sign: &str) -> (Value, Value) {
        let name = self.word_at(at).to_owned();
        let before = self.bound(&name).unwrap_or_else(|| Value::unknown("a number"));
        let step = if sign == "++" { 1 } else { -1 };
        let after = match &before {
            Value::Number(number) => Value::Number(number.saturating_add(step)),
            _ => Value::unknown("a number"),
        };
        self.bind(name, after.clone());
        (before, after)
    }

    /// The variable that holds what a name with members means: `job.steps` where `job` is an object of the script's own.
    pub(super) fn held_under(&mut self, owner: String) -> Option<String> {
        if self.variables.contains_key(&owner) {
            return Some(owner);
        }
        let (object, member) = owner.rsplit_once('.')?;
        let Some(Value::Name(path, _)) = self.variables.get(object) else { return None };
        let holder = self.holder_of(path, member);
        self.variables.contains_key(&holder).then_some(holder)
    }
}
