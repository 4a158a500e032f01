//! Functions of Python that are reached by what they are given or copied from another one, and classes that make classes: `singledispatch`,
//! `types.FunctionType`, metaclasses. Owns which of them are followed; what is not, stays unknown.

use std::ops::Range;

use portcullis_syntax::Span;

use super::{
    interpreter::{Interpreter, Takes},
    value::{Given, Value},
};

/// How many functions one that dispatches may have.
const REGISTERED: usize = 64;

/// How long a metaclass is that is looked at.
const BODY: usize = 512;

/// Methods of a metaclass whose work is not followed, and functions that may change a class unseen.
const CHANGES: &[&str] = &[
    "__call__",
    "__dict__",
    "__getattr__",
    "__getattribute__",
    "__prepare__",
    "__setattr__",
    "eval",
    "exec",
    "globals",
    "setattr",
    "vars",
];

/// What takes the names of a class and only makes it or looks at them.
const TAKES_NAMES: &[&str] = &["__init__", "__new__", "dict", "len", "list", "print", "sorted"];

impl Interpreter<'_, '_, '_> {
    /// `f.register(kind)`, `@f.register` of a function with `@singledispatch`: which one is called is told by what it is given, so each is.
    pub(super) fn registers(&mut self, callee: &Value, given: &[Given]) -> Option<Value> {
        let Value::Method(method) = callee else { return None };
        let (Value::Function(dispatcher), "register") = (&method.0, method.1.as_str()) else {
            return None;
        };
        if self.language != "python" || !self.is_decorated(*dispatcher, &["singledispatch"]) {
            return None;
        }
        let function = given.iter().find_map(|it| match it.value {
            Value::Function(index) => Some(index),
            _ => None,
        });
        let Some(function) = function else { return Some(callee.clone()) };
        let all = self.dispatched.entry(*dispatcher).or_default();
        if all.len() >= REGISTERED {
            self.limit();
        } else if !all.contains(&function) {
            all.push(function);
        }
        Some(Value::Function(function))
    }

    /// Whether a function is one of those that another one chooses from.
    pub(super) fn is_dispatched(&self, index: usize) -> bool {
        self.dispatched.values().any(|all| all.contains(&index))
    }

    /// Calls a function of the script, and each that it may choose in its place.
    pub(super) fn apply_dispatched(&mut self, index: usize, given: &[Given]) -> Value {
        let value = self.apply(index, Some(given));
        let others = self.dispatched.get(&index).cloned().unwrap_or_default();
        let values: Vec<Value> =
            others.into_iter().map(|other| self.apply(other, Some(given))).collect();
        values.into_iter().fold(value, Value::or)
    }

    /// `types.FunctionType(f.__code__, f.__globals__, name, defaults)`: a function of the script under another name. One that finds other
    /// names than the script's is not followed.
    pub(super) fn copied_function(&mut self, given: &[Given]) -> Option<Value> {
        let of = |value: &Value, member: &str| match value {
            Value::Method(method) if method.1 == member => match method.0 {
                Value::Function(index) => Some(index),
                _ => None,
            },
            _ => None,
        };
        let at = |place: usize, name: &str| {
            let named = given.iter().find(|it| it.name.as_deref() == Some(name));
            named.or_else(|| given.get(place).filter(|it| it.name.is_none())).map(|it| &it.value)
        };
        let index = of(at(0, "code")?, "__code__")?;
        // The names of a function of a library are that library's.
        let globals = given.iter().find(|it| it.name.as_deref() == Some("globals"));
        let globals = globals.or_else(|| given.get(1).filter(|it| it.name.is_none()))?;
        let is_own = match &globals.value {
            Value::Name(path, _) if &**path == "globals()" => {
                globals.span.of(self.source).trim().ends_with("globals()")
            }
            Value::Name(path, _) => &**path == "object.__globals__",
            _ => false,
        };
        let is_left = |value: Option<&Value>, member: &str| {
            value.is_none_or(|it| it.is_false() || of(it, member).is_some())
        };
        if !is_own || !is_left(at(4, "closure"), "__closure__") {
            return None;
        }
        let defaults = at(3, "argdefs");
        if !is_left(defaults, "__defaults__") {
            // What stands for its last arguments from now on.
            let values = match defaults {
                Some(Value::List(list)) => list.clone(),
                other => vec![other.cloned().unwrap_or_else(|| Value::unknown("an argument"))],
            };
            let count = self.functions.get(index)?.parameters.len();
            let missing = count.saturating_sub(values.len());
            let all = (0..missing).map(|_| Value::unknown("an argument")).chain(values);
            let span = given.first().map(|it| it.span).unwrap_or_default();
            let all: Vec<Given> = all.map(|value| Given { name: None, value, span }).collect();
            self.apply(index, Some(&all));
        }
        Some(Value::Function(index))
    }

    /// Whether a metaclass does nothing to the classes that it makes: their names go to `type` as they are, and none is put into the class
    /// that comes of it but plain values.
    pub(super) fn only_registers(&self, metaclass: &str) -> bool {
        let body = self.classes.iter().rev().find(|(name, _)| name == metaclass);
        let Some((_, body)) = body.filter(|(_, body)| body.len() <= BODY) else { return false };
        let is_of_type = self.word_at(body.start) == "("
            && self.word_at(body.start + 1) == "type"
            && self.word_at(body.start + 2) == ")";
        is_of_type && body.clone().all(|at| !CHANGES.contains(&self.word_at(at))) && {
            let names = self.names_of_classes(body.clone());
            body.clone().all(|at| self.leaves_class_alone(at, &names))
        }
    }

    /// What the methods of a metaclass call the names of a class: their fourth parameter.
    fn names_of_classes(&self, body: Range<usize>) -> Vec<String> {
        let defines = |at: &usize| {
            self.word_at(*at) == "def" && matches!(self.word_at(at + 1), "__init__" | "__new__")
        };
        let fourth = |at: usize| {
            let mut place = at + 3;
            for _ in 0..3 {
                while !matches!(self.word_at(place), "," | ")" | "") {
                    place = self.partner_or_next(place);
                }
                place += 1;
            }
            self.word_at(place).to_owned()
        };
        body.filter(defines).map(fourth).filter(|name| !name.is_empty()).collect()
    }

    fn leaves_class_alone(&self, at: usize, names: &[String]) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.word_at(before));
        let (word, next) = (self.word_at(at), self.word_at(at + 1));
        // `cls.tag = name`: one word, and no function of the script.
        if before == "." && next == "=" && self.is_name(at) {
            let is_plain = self.is_first(at + 3) || self.word_at(at + 3).is_empty();
            let value = self.word_at(at + 2);
            return is_plain && !self.named.contains_key(value);
        }
        if !names.iter().any(|name| name == word) || before == "." {
            return true;
        }
        if next == "." {
            return matches!(self.word_at(at + 2), "get" | "items" | "keys" | "values");
        }
        let open =
            (0..at).rev().find(|open| self.word_at(*open) == "(" && self.partner(*open) > at);
        let Some(open) = open else { return before == "in" };
        let called = open.checked_sub(1).map_or("", |before| self.word_at(before));
        let is_defined = open.checked_sub(2).is_some_and(|at| self.word_at(at) == "def");
        before == "in" || matches!(next, "," | ")") && (is_defined || TAKES_NAMES.contains(&called))
    }

    /// A class is made up to `end` by a metaclass that leaves it as it is: its methods hear of the class then.
    pub(super) fn made_by(
        &mut self,
        metaclass: &str,
        class: &str,
        end: usize,
        told: &[Given],
        span: Span,
    ) {
        for method in ["__new__", "__init__"] {
            let Some(index) = self.named.get(&format!("{metaclass}.{method}")).copied() else {
                continue;
            };
            let parameters = self.functions.get(index).map(|it| it.parameters.as_slice());
            let plain = parameters.unwrap_or_default().iter();
            let count = plain.filter(|it| it.takes == Takes::One && it.default.is_empty()).count();
            let own = Some(Value::name(metaclass)).filter(|_| count > 3);
            let names = [Value::known(class), Value::unknown("bases"), Value::unknown("names")];
            let all = own.into_iter().chain(names);
            let mut given: Vec<Given> =
                all.map(|value| Given { name: None, value, span }).collect();
            given.extend(told.iter().cloned());
            self.tells_base(end, index, class, given);
        }
    }
}
