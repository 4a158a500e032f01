//! What is called when the rest of a script is done: what waits for a promise, a timer, an event. Owns when names have other values by then.

use super::{
    binding::is_alike,
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::bound::Bounded;

/// How many such calls are remembered, and how many tokens of each function are looked at.
const DEFERRED: usize = 64;

/// See [`DEFERRED`].
const BODY: usize = 512;

/// Calls of JavaScript whose function is called when the rest is done.
const LATER: &[&str] = &[
    "addListener",
    "catch",
    "finally",
    "nextTick",
    "on",
    "once",
    "queueMicrotask",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "then",
];

/// A call that is done later.
#[derive(Debug)]
pub(super) struct Deferred {
    index: usize,
    given: Vec<Given>,
    /// What the names in it were worth when it was read.
    names: Vec<(String, Value)>,
}

impl Interpreter<'_, '_, '_> {
    /// Remembers a call of a function of the script that another call makes, where that is later.
    pub(super) fn called_later(&mut self, by: &str, index: usize, given: &[Given]) {
        let last = by.rsplit('.').next().unwrap_or_default();
        let is_later = match self.language {
            "javascript" => LATER.contains(&last),
            _ => by == "atexit.register",
        };
        if !is_later {
            return;
        }
        let Some(function) = self.functions.get(index).cloned() else { return };
        let is_own = |name: &str| {
            function.parameters.iter().any(|parameter| parameter.name == name)
                || function.locals.iter().any(|local| local == name)
                || function.captured.iter().any(|(captured, _)| captured == name)
        };
        let mut names: Vec<(String, Value)> = Vec::new();
        for at in function.body.clone().leading(BODY) {
            let Some(token) = function.unit.tokens.get(at) else { break };
            let word = token.span.of(self.source);
            let is_known = names.iter().any(|(name, _)| name == word);
            if !is_known
                && !is_own(word)
                && let Some(value) = self.variables.get(word)
            {
                names.push((word.to_owned(), value.clone()));
            }
        }
        if names.is_empty() {
            return;
        }
        if self.deferred.len() >= DEFERRED {
            self.limit();
            return;
        }
        self.deferred.push(Deferred { index, given: given.to_vec(), names });
    }

    /// Calls again what names other values by now.
    pub(super) fn call_deferred(&mut self) {
        for Deferred { index, given, names } in std::mem::take(&mut self.deferred) {
            let is_other = |(name, before): &(String, Value)| {
                self.variables.get(name).is_none_or(|now| !is_alike(now, before))
            };
            if names.iter().any(is_other) && self.spend(1) {
                self.apply(index, Some(&given));
            }
        }
    }

    /// `method.bind(object)`: the function as one of that object.
    pub(super) fn bound_to(&mut self, index: usize, object: Value) -> Value {
        let Some(mut function) = self.functions.get(index).cloned() else {
            return Value::Function(index);
        };
        if let Some(whole) = self.functions.get_mut(index) {
            whole.called = true;
        }
        function.called = false;
        function.times = 0;
        function.this = Some(object);
        self.functions.push(function);
        Value::Function(self.functions.len() - 1)
    }
}
