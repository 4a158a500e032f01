//! Proxies of JavaScript. Owns what one gives: each member as its trap says where that is followed, else whatever it may be.

use super::{
    super::{
        interpreter::Interpreter,
        objects::GETTER,
        value::{Given, SOME_MEMBER, Value, mixed},
    },
    EACH,
};
use crate::{bound::Bounded, effect::GapReason};

impl Interpreter<'_, '_, '_> {
    /// Whether a proxy only shows an object that is written out and has no other name from here on: `new Proxy(own, { get(…) {…} })`.
    pub(super) fn is_shown_alone(&mut self, given: &[Given]) -> bool {
        let [target, Given { value: Value::Table(traps), .. }] = given else { return false };
        let Value::Table(members) = &target.value else { return false };
        if members.len() > EACH
            || !self.spend(self.unit.tokens.len() / 8)
            || !matches!(traps.as_slice(), [(name, Value::Function(_))] if name == "get")
        {
            return false;
        }
        let written = target.span.of(self.source).trim();
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let uses = (0..self.end).filter(|at| self.word_at(*at) == written).count();
        self.end = outer;
        // Where it is made and where it is given.
        written.starts_with('{') || uses == 2
    }

    /// What such a proxy shows for each member, and for any other.
    pub(super) fn shown_through(&mut self, given: &[Given]) -> Option<Value> {
        let [target, Given { value: traps, span, .. }] = given else { return None };
        let Value::Function(index) = traps.own_entry("get")? else { return None };
        let (index, span) = (*index, *span);
        let Value::Table(members) = &target.value else { return None };
        let one = |value: Value| Given { name: None, value, span };
        let nothing = Value::known("");
        let other = Value::Text(mixed("what a proxy is asked for", [&nothing]));
        let names = members.iter().map(|(name, _)| name.strip_suffix(GETTER).unwrap_or(name));
        let mut shown = Vec::new();
        for (name, key) in std::iter::once((SOME_MEMBER, other))
            .chain(names.map(|name| (name, Value::known(name))))
        {
            let asked = [one(target.value.clone()), one(key), one(target.value.clone())];
            shown.push((name.to_owned(), self.apply(index, Some(&asked))));
        }
        Some(Value::Table(shown))
    }

    /// Whether a member of what is given by its name gets something by that name: a proxy that stands for it gives that too.
    fn is_changed_elsewhere(&mut self, target: &Given) -> bool {
        let tokens = self.unit.tokens.len();
        if !self.spend(tokens / 8) {
            return true;
        }
        let outer = std::mem::replace(&mut self.end, tokens);
        let written = target.span.of(self.source).trim();
        let is_changed = (0..tokens).any(|at| {
            self.word_at(at) == written
                && self.word_at(at + 1) == "."
                && self.word_at(at + 3) == "="
                && self.is_name(at + 4)
        });
        self.end = outer;
        is_changed
    }

    /// What a proxy gives may be what it stands for, and whatever its traps give.
    pub(super) fn stands_for(&mut self, given: &[Given]) -> Option<Value> {
        let [target, Given { value: Value::Table(traps), span, .. }] = given else {
            return None;
        };
        if matches!(target.value, Value::Table(_)) && self.is_changed_elsewhere(target) {
            self.walk.gap(target.span, GapReason::UnknownCode);
        }
        let mut held = vec![target.value.clone()];
        for (_, trap) in traps.clone().iter().at_most(EACH, self.walk, *span) {
            let Value::Function(index) = trap else { continue };
            let one = |value: Value| Given { name: None, value, span: *span };
            let nothing = Value::known("");
            let unknown = || Value::Text(mixed("what a proxy is asked for", [&nothing]));
            let given = [one(target.value.clone()), one(unknown()), one(unknown())];
            held.push(self.apply(*index, Some(&given)));
        }
        let all = mixed("what a proxy gives", &held);
        let is_called = |it: &Value| matches!(it, Value::Function(_));
        let held: Vec<Value> =
            held.into_iter().filter(|it| is_called(it) || self.holds_function(it)).collect();
        Some(if held.is_empty() { Value::Text(all) } else { Value::Holder(held) })
    }
}
