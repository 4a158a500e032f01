//! What reaches a script by ways of its own: what exceptions were given, what classes tell those above them, and lists that a function was
//! given and changed. Owns these ways.

use std::ops::Range;

use portcullis_syntax::Span;

use super::{
    binding::is_alike,
    interpreter::{Interpreter, Parameter, Takes},
    members::RAISED,
    value::{Given, Value, mixed},
};
use crate::effect::GapReason;

impl Interpreter<'_, '_, '_> {
    /// `raise Problem(value)`: keeps what it is given. Code that is run with a table puts its names into it.
    pub(super) fn raises(&mut self, start: usize, given: &[Given]) {
        if self.language != "python" || start == 0 {
            return;
        }
        if self.word_at(start - 1) == "raise" {
            let given: Vec<Value> = given.iter().map(|it| it.value.clone()).collect();
            let all = match self.bound(RAISED) {
                Some(before) => before.or(Value::List(given)),
                None => Value::List(given),
            };
            self.bind(RAISED.to_owned(), all);
        }
        if matches!(self.word_at(start), "exec" | "eval")
            && let Some(scope) = given.get(1)
            && let Some(name) = self.named_by(scope.span)
        {
            let scope = Value::Text(mixed("a scope", [&Value::known("")]));
            self.bind(name, scope);
        }
    }

    /// `except Problem as error`: what the name stands for. Whether that stands here.
    pub(super) fn catches(&mut self, start: usize, caught: &Value) -> bool {
        if self.language != "python" || start == 0 || self.word_at(start - 1) != "except" {
            return false;
        }
        let name = self.word_at(self.at + 1).to_owned();
        self.at += 2;
        let object = match caught {
            Value::Name(path, _) if self.is_class(path) => Value::name(&format!("{path}()")),
            _ => Value::name("exception()"),
        };
        self.bind(name, object);
        true
    }

    /// `str(error)`: the one thing that the exception was given.
    pub(super) fn said_by_exception(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        let [Given { value: Value::Name(object, _), .. }] = given else { return None };
        let is_raised = &**object == "exception()"
            || object.strip_suffix("()").is_some_and(|class| {
                self.is_class(class) && !self.named.contains_key(&format!("{class}.__str__"))
            });
        if path != "str" || !is_raised {
            return None;
        }
        let all = self.bound(RAISED)?;
        let each = all.alternatives().into_iter().filter_map(|given| match given {
            Value::List(list) if list.len() == 1 => list.into_iter().next(),
            _ => None,
        });
        each.reduce(Value::or)
    }

    /// `class Plugin(Base, name="value")`: the class above is told, or makes what the class becomes.
    pub(super) fn told_of_subclass(&mut self, class: &str, start: usize, head: Range<usize>) {
        let mut given = Vec::new();
        let mut bases = Vec::new();
        let mut makers = Vec::new();
        let mut at = head.start;
        while at < head.end {
            if self.is_name(at) && self.word_at(at + 1) == "=" {
                let name = self.word_at(at).to_owned();
                let back = std::mem::replace(&mut self.at, at + 2);
                let outer = self.narrow(head.end);
                let value = self.expression(0);
                let (end, span) = (self.at, self.span_from(at));
                (self.at, self.end) = (back, outer);
                at = end.max(at + 2);
                if name == "metaclass" {
                    let makes = |method: &&str| match &value {
                        Value::Name(path, _) => {
                            self.named.contains_key(&format!("{path}.{method}"))
                        }
                        _ => false,
                    };
                    // What it is given is the class itself.
                    if ["__call__", "__init__", "__new__", "__prepare__"].iter().any(makes) {
                        match &value {
                            Value::Name(path, _) if self.only_registers(path) => {
                                makers.push((path.to_string(), span));
                            }
                            _ => self.walk.gap(span, GapReason::UnknownCode),
                        }
                    }
                    continue;
                }
                given.push(Given { name: Some(name), value, span });
                continue;
            }
            if self.is_name(at) {
                bases.push(self.word_at(at).to_owned());
            }
            at = self.partner_or_next(at);
        }
        let end = self.block_end(start);
        for (metaclass, span) in makers {
            self.made_by(&metaclass, class, end, &given, span);
        }
        for base in bases {
            if let Some(index) = self.named.get(&format!("{base}.__init_subclass__")).copied() {
                self.tells_base(end, index, class, given.clone());
            }
        }
        // What an attribute is worth that computes itself is asked of the object that has it.
        if (head.end..end).any(|at| self.word_at(at) == "__get__") {
            self.walk.gap(self.span_from(start), GapReason::UnknownCode);
        }
    }

    /// The lists and tables that a function was given by their names, as they were and as it left them.
    pub(super) fn grown_parameters(
        &mut self,
        parameters: &[Parameter],
        given: Option<&[Given]>,
    ) -> Vec<(String, Value, Value)> {
        let plain: Vec<&Given> =
            given.unwrap_or_default().iter().filter(|it| it.name.is_none()).collect();
        let mut grown = Vec::new();
        for (parameter, given) in parameters.iter().zip(plain) {
            // `function set(&$path) { $path = "/a"; }`
            if self.language == "php"
                && parameter.takes == Takes::One
                && self.is_by_reference(parameter)
                && let Some(after) = self.variables.get(&parameter.name).cloned()
                && let Some(name) = self.named_by(given.span)
            {
                grown.push((name, given.value.clone(), after));
                continue;
            }
            if parameter.takes != Takes::One
                || !matches!(given.value, Value::List(_) | Value::Table(_))
            {
                continue;
            }
            let Some(after) = self.variables.get(&parameter.name).cloned() else { continue };
            if is_alike(&given.value, &after) || !matches!(after, Value::List(_) | Value::Table(_))
            {
                continue;
            }
            if let Some(name) = self.named_by(given.span) {
                grown.push((name, given.value.clone(), after));
            }
        }
        grown
    }

    /// Whether `&` stands in front of a parameter.
    fn is_by_reference(&self, parameter: &Parameter) -> bool {
        let name = (parameter.at..parameter.at + 4)
            .find(|at| self.name_at(*at) == parameter.name)
            .unwrap_or(parameter.at);
        name.checked_sub(1).is_some_and(|before| self.name_at(before) == "&")
    }

    /// The name that stands in a place, alone.
    fn named_by(&self, span: Span) -> Option<String> {
        let text = span.of(self.source);
        let plain = if self.language == "php" { text.trim_start_matches('$') } else { text };
        let is_name = !plain.is_empty()
            && plain.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
            && !plain.starts_with(|it: char| it.is_ascii_digit());
        is_name.then(|| text.to_owned())
    }
}
