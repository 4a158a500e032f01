//! Objects of the script's own classes: how they are made, what their methods are, and which of these the language calls by itself.

mod getters;
mod never;
mod php;
mod scripting;

use portcullis_syntax::Span;
use portcullis_syntax::code::TokenKind;

use super::{
    interpreter::{Interpreter, Parameter},
    value::{Given, Value, mixed},
};
use crate::{bound::Bounded, effect::GapReason, text::Piece};

pub(super) use getters::{GETTER, described_as};

/// Functions of Python that call a method of what they are given.
const BUILT_IN: &[(&str, &str)] = &[
    ("abs", "__abs__"),
    ("aiter", "__aiter__"),
    ("anext", "__anext__"),
    ("bool", "__bool__"),
    ("bytes", "__bytes__"),
    ("dir", "__dir__"),
    ("float", "__float__"),
    ("format", "__format__"),
    ("hash", "__hash__"),
    ("int", "__int__"),
    ("iter", "__iter__"),
    ("len", "__len__"),
    ("list", "__iter__"),
    ("next", "__next__"),
    ("os.fspath", "__fspath__"),
    ("print", "__str__"),
    ("repr", "__repr__"),
    ("reversed", "__reversed__"),
    ("round", "__round__"),
    ("set", "__iter__"),
    ("sorted", "__iter__"),
    ("str", "__str__"),
    ("sum", "__iter__"),
    ("tuple", "__iter__"),
];

/// Methods that Python's operators call, by the operator; the second is that of what stands on the right.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("!=", "__ne__", "__ne__"),
    ("%", "__mod__", "__rmod__"),
    ("&", "__and__", "__rand__"),
    ("*", "__mul__", "__rmul__"),
    ("**", "__pow__", "__rpow__"),
    ("+", "__add__", "__radd__"),
    ("-", "__sub__", "__rsub__"),
    ("/", "__truediv__", "__rtruediv__"),
    ("//", "__floordiv__", "__rfloordiv__"),
    ("<", "__lt__", "__gt__"),
    ("<<", "__lshift__", "__rlshift__"),
    ("<=", "__le__", "__ge__"),
    ("==", "__eq__", "__eq__"),
    (">", "__gt__", "__lt__"),
    (">=", "__ge__", "__le__"),
    (">>", "__rshift__", "__rrshift__"),
    ("@", "__matmul__", "__rmatmul__"),
    ("^", "__xor__", "__rxor__"),
    ("in", "__contains__", "__contains__"),
    ("|", "__or__", "__ror__"),
];

/// What stands behind the name of a method that is called where its member is set.
pub(super) const SETTER: &str = " =";

/// Decorators that make a method one that is called where it is only named.
const PROPERTIES: &[&str] = &["cached_property", "getter", "property"];

impl Interpreter<'_, '_, '_> {
    /// Whether this is a class of the script.
    pub(super) fn is_class(&self, name: &str) -> bool {
        self.classes.iter().any(|(class, _)| class == name)
    }

    /// An object of a class of the script is made: what makes it is called, or its fields get what is given.
    pub(super) fn construct(&mut self, class: &str, given: &[Given]) -> Option<Value> {
        // An object that is called.
        if let Some(class) = class.strip_suffix("()") {
            let calls = if self.language == "php" { "__invoke" } else { "__call__" };
            let index = self.named.get(&format!("{class}.{calls}")).copied()?;
            return Some(self.apply(index, Some(given)));
        }
        let class = match self.language {
            "ruby" => class.strip_suffix(".new").or_else(|| class.strip_suffix(".[]"))?,
            _ => class,
        };
        if !self.is_class(class) {
            return None;
        }
        self.made_objects.insert(class.to_owned());
        let makers: &[&str] = match self.language {
            "php" => &["__construct"],
            "ruby" => &["initialize"],
            _ => &["__init__", "constructor", "__post_init__"],
        };
        let makers: Vec<usize> = makers
            .iter()
            .filter_map(|maker| self.named.get(&format!("{class}.{maker}")).copied())
            .collect();
        if let Some((unit, fields)) = self.fields.get(class).cloned() {
            let values = self.values_for(&fields, Some(given), &unit);
            for (field, value) in fields.iter().zip(values) {
                let path = match self.language {
                    "javascript" => format!("this.{}", field.name),
                    "php" => format!("$this.{}", field.name.trim_start_matches('$')),
                    "ruby" => format!("@{}", field.name),
                    _ => format!("self.{}", field.name),
                };
                self.set_field(&path, value);
            }
        }
        for maker in makers {
            self.apply(maker, Some(given));
        }
        Some(Value::name(&format!("{class}()")))
    }

    /// A method of an object of a class of the script.
    pub(super) fn method_of_class(&mut self, path: &str) -> Option<usize> {
        let (object, method) = path.rsplit_once('.')?;
        let class = object.strip_suffix("()").filter(|class| self.is_class(class))?;
        self.named.get(&format!("{class}.{method}")).copied()
    }

    /// A field of an object: which of several objects it is of, is not told apart.
    pub(super) fn set_field(&mut self, path: &str, value: Value) {
        let value = match self.bound(path) {
            // What is nothing yet does nothing.
            Some(before) if before.is_false() && !matches!(before, Value::Number(_)) => value,
            Some(before) if !before.is_same(&value) => before.or(value),
            _ => value,
        };
        self.bind(path.to_owned(), value);
    }

    /// `object.member = value` where the object's class says what that means: a setter, `__setattr__`. Whether it does.
    pub(super) fn sets_by_class(
        &mut self,
        path: &str,
        name: &str,
        value: &Value,
        span: Span,
    ) -> bool {
        let object = Value::name(path);
        let setter = format!("{name}{SETTER}");
        if self.by_itself(&object, &setter, std::slice::from_ref(value), span).is_some() {
            return true;
        }
        let given = [Value::known(name), value.clone()];
        // What it makes of the value is what is kept.
        if self.by_itself(&object, "__setattr__", &given, span).is_some() {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        false
    }

    /// `super().run`, `super(Base, self).run`: the method of the class above the one that is read.
    pub(super) fn method_above(&self, path: &str) -> Option<usize> {
        let method = match self.language {
            "php" => path.strip_prefix("parent.")?,
            _ => path.strip_prefix("super().").or_else(|| path.strip_prefix("super."))?,
        };
        let class = self.class_of(if self.language == "python" { "self" } else { "this" })?;
        let above = self.parents.iter().filter(|(own, _)| *own == class);
        above.into_iter().find_map(|(_, base)| self.named.get(&format!("{base}.{method}")).copied())
    }

    /// The class that an object is of.
    pub(super) fn class_of(&self, path: &str) -> Option<String> {
        if matches!(path, "self" | "cls" | "this") || path == "$this" && self.language == "php" {
            // Behind the last call of a class the reading stands behind the class.
            let around = |at: usize| {
                let class = self.classes.iter().rev().find(|(_, body)| body.contains(&at));
                class.map(|(class, _)| class.clone())
            };
            return around(self.at).or_else(|| around(self.at.checked_sub(1)?));
        }
        path.strip_suffix("()").filter(|class| self.is_class(class)).map(str::to_owned)
    }

    /// Calls a method of an object that the language calls by itself, where its class has it.
    pub(super) fn by_itself(
        &mut self,
        object: &Value,
        method: &str,
        given: &[Value],
        span: Span,
    ) -> Option<Value> {
        let Value::Name(path, _) = object else { return None };
        let class = self.class_of(path)?;
        let index = self.named.get(&format!("{class}.{method}")).copied()?;
        let given = given.iter().map(|value| Given { name: None, value: value.clone(), span });
        let given: Vec<Given> = given.collect();
        Some(self.apply(index, Some(&given)))
    }

    /// `"{A} {B}".format_map(object)`, `"%(A)s" % object`: an object of the script's own is asked for each name that stands in the text.
    pub(super) fn asked_by_template(&mut self, template: &Value, object: &Value, span: Span) {
        /// How many names are asked for.
        const NAMES: usize = 64;
        if self.language != "python" || self.classes.is_empty() {
            return;
        }
        let Value::Name(path, _) = object else { return };
        if self.class_of(path).is_none() {
            return;
        }
        let text = template.text();
        let known = text.pieces.iter().filter_map(|piece| match piece {
            Piece::Known(known) => Some(known.as_str()),
            _ => None,
        });
        let known: String = known.collect();
        let is_part = |it: char| !it.is_alphanumeric() && it != '_';
        let begins = known.match_indices(['{', '(']).filter_map(|(at, _)| known.get(at + 1..));
        let names = begins.filter_map(|rest| rest.split(is_part).next());
        let mut keys: Vec<Value> =
            names.filter(|name| !name.is_empty()).leading(NAMES + 1).map(Value::known).collect();
        if keys.len() > NAMES || text.has_unknown() {
            keys.push(Value::unknown("a key"));
        }
        for key in keys {
            for method in ["__getitem__", "__missing__"] {
                self.by_itself(object, method, std::slice::from_ref(&key), span);
            }
        }
    }

    /// Objects are gone at the end at the latest: what their classes do then, `__del__`, is called without an argument.
    pub(super) fn collected_objects(&mut self) {
        let ends = match self.language {
            "python" => ".__del__",
            "php" => ".__destruct",
            _ => return,
        };
        let of =
            self.named.iter().filter_map(|(name, index)| Some((name.strip_suffix(ends)?, *index)));
        let made = |class: &str| self.made_objects.contains(class);
        let mut all: Vec<usize> =
            of.filter(|(class, _)| made(class)).map(|(_, index)| index).collect();
        all.sort_unstable();
        all.dedup();
        for index in all {
            self.apply(index, Some(&[]));
        }
    }

    /// `str(object)`, `next(object)`: what a function of the language makes of an object of the script's own.
    pub(super) fn built_in(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        if self.language != "python" || self.classes.is_empty() {
            return None;
        }
        let (_, method) = BUILT_IN.iter().find(|(name, _)| *name == path)?;
        let object = &given.first()?.value;
        let value = self.by_itself(object, method, &[], span);
        value.or_else(|| match *method {
            "__str__" | "__format__" => self.by_itself(object, "__repr__", &[], span),
            _ => None,
        })
    }

    /// `left + right` where one of them is an object of the script's own that says what this means.
    pub(super) fn by_operator(
        &mut self,
        operator: &str,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Value> {
        if self.language != "python" || self.classes.is_empty() {
            return None;
        }
        let (_, own, other) = OPERATORS.iter().find(|(sign, ..)| *sign == operator)?;
        if operator == "in" {
            return self.by_itself(right, own, std::slice::from_ref(left), span);
        }
        let value = self.by_itself(left, own, std::slice::from_ref(right), span);
        value.or_else(|| self.by_itself(right, other, std::slice::from_ref(left), span))
    }

    /// What an object makes of itself where a text is wanted.
    pub(super) fn written(&mut self, object: &Value, span: Span) -> Option<Value> {
        const TEXTS: &[&str] =
            &["__format__", "__str__", "__repr__", "Symbol.toPrimitive", "toString"];
        if !matches!(object, Value::Name(..) | Value::Table(_)) {
            return None;
        }
        TEXTS.iter().find_map(|method| match object.entry(method) {
            Some(function) => Some(self.call_value(function.clone(), Vec::new(), span)),
            None => self.by_itself(object, method, &[], span),
        })
    }

    /// Whether an object's class says what an operator behind it means.
    pub(super) fn is_asked_by(&self, left: &Value, operator: &str) -> bool {
        let Value::Name(path, _) = left else { return false };
        let Some((_, own, _)) = OPERATORS.iter().find(|(sign, ..)| *sign == operator) else {
            return false;
        };
        self.language == "python"
            && operator != "in"
            && self.class_of(path).is_some_and(|it| self.named.contains_key(&format!("{it}.{own}")))
    }

    /// What a loop over an object goes through.
    pub(super) fn gone_through(&mut self, object: &Value, span: Span) -> Option<Value> {
        // The lines of an open file.
        if let Value::File(index) = object {
            let read = self.read_of_file(*index);
            return Some(match read.as_known() {
                Some(known) => Value::List(known.split_inclusive('\n').map(Value::known).collect()),
                None => Value::Text(read.derive([Piece::Unknown("a line".into())])),
            });
        }
        const ITERATORS: &[&str] =
            &["__iter__", "__aiter__", "Symbol.iterator", "Symbol.asyncIterator", "getIterator"];
        let made = ITERATORS.iter().find_map(|method| match object.entry(method) {
            Some(function) => Some(self.call_value(function.clone(), Vec::new(), span)),
            None => self.by_itself(object, method, &[], span),
        });
        match made {
            Some(list @ Value::List(_)) => Some(list),
            made => {
                let is_itself = |made: &&Value| matches!(made, Value::Name(path, _) if matches!(&**path, "self" | "this"));
                let source = made.as_ref().filter(|made| !is_itself(made)).unwrap_or(object);
                // `{ next: () => ({ done, value }) }`: how often it is asked is not followed.
                if let Some(next @ Value::Function(_)) = source.entry("next").cloned() {
                    let first = self.call_value(next, Vec::new(), span);
                    let first = self.member(first, "value");
                    let others = Value::Text(mixed("a later element", [&first]));
                    return Some(Value::List(vec![first, others]));
                }
                let next = ["__next__", "__anext__"]
                    .iter()
                    .find_map(|method| self.by_itself(source, method, &[], span));
                next.map(|next| Value::List(vec![next])).or(made)
            }
        }
    }

    /// A member that its class computes.
    pub(super) fn property(&mut self, path: &str, name: &str) -> Option<Value> {
        if !matches!(self.language, "python" | "javascript") || self.classes.is_empty() {
            return None;
        }
        if path == "super"
            && let Some(index) = self.method_above(&format!("super.{name}"))
            && self.is_property(index)
        {
            return Some(self.apply(index, Some(&[])));
        }
        let class = self.class_of(path)?;
        let index = self.named.get(&format!("{class}.{name}")).copied()?;
        // Something else was put in its place.
        if let Some(value) = self.variables.get(&format!("{class}.{name}")) {
            return Some(value.clone());
        }
        if !self.is_property(index) {
            return None;
        }
        let value = self.apply(index, Some(&[]));
        // Inside of a class it is not known for sure whose object this is.
        Some(match self.bound(&format!("{path}.{name}")) {
            Some(field) => field.or(value),
            None => value,
        })
    }

    /// A member that neither an object nor its class has: what `__getattr__` makes of its name.
    pub(super) fn missing_member(&mut self, path: &str, name: &str) -> Option<Value> {
        if self.language != "python" || self.classes.is_empty() || name.starts_with("__") {
            return None;
        }
        let class = self.class_of(path)?;
        if self.named.contains_key(&format!("{class}.{name}")) {
            return None;
        }
        let object = Value::name(&format!("{class}()"));
        let span = self.span_from(self.at);
        ["__getattr__", "__getattribute__"]
            .iter()
            .find_map(|method| self.by_itself(&object, method, &[Value::known(name)], span))
    }

    /// `{ name(…) {…} }`, `{ get name() {…} }`, `{ async *[key]() {…} }`: a method of an object that is written out.
    pub(super) fn literal_method(&mut self, start: usize) -> Option<(String, Value)> {
        let mut at = start;
        let mut is_getter = false;
        while matches!(self.word_at(at), "get" | "set" | "async" | "*")
            && !matches!(self.word_at(at + 1), "(" | ":" | "," | "}" | "=")
        {
            is_getter |= self.word_at(at) == "get";
            at += 1;
        }
        let open = match self.word_at(at) {
            "[" => self.partner(at) + 1,
            _ if self.is_name(at) || self.token_at(at)?.kind != TokenKind::Operator => at + 1,
            _ => return None,
        };
        // A block may be read as a table: what decides there is no method.
        let decides = matches!(
            self.word_at(at),
            "catch" | "for" | "function" | "if" | "switch" | "while" | "with"
        );
        if self.word_at(open) != "(" || decides {
            return None;
        }
        let close = self.partner(open);
        // On a line of its own it may be a block behind a call.
        if self.word_at(close + 1) != "{" || self.is_first(close + 1) {
            return None;
        }
        let is_setter = (start..at).any(|at| self.word_at(at) == "set");
        let mut name = self.name_of_method(at);
        if is_setter {
            name.push_str(SETTER);
        }
        let parameters = self.parameters(open + 1, close);
        self.at = close + 1;
        let function = self.braced_function(parameters);
        if is_getter {
            name.push_str(GETTER);
        }
        Some((name, function))
    }

    /// The name of a method: a word, a text, or what stands in brackets as it is written.
    fn name_of_method(&mut self, at: usize) -> String {
        match self.token_at(at).map(|token| &token.kind) {
            Some(TokenKind::Text(parts)) => {
                let parts = parts.clone();
                self.parts(&parts).display()
            }
            _ if self.word_at(at) == "[" => {
                let end = self.partner(at);
                let unit = std::rc::Rc::clone(&self.unit);
                let computed = self.within(unit, at + 1..end, |inner| inner.expression(0));
                match computed.as_known() {
                    Some(known) => known.to_owned(),
                    None => (at + 1..end).map(|at| self.word_at(at)).collect(),
                }
            }
            _ => self.word_at(at).to_owned(),
        }
    }

    /// Whether a method is called where it is only named.
    fn is_property(&self, index: usize) -> bool {
        if self.language == "python" {
            return self.is_decorated(index, PROPERTIES);
        }
        // `get name() {`
        let Some(function) = self.functions.get(index) else { return false };
        let word = |at: usize| match function.unit.tokens.get(at) {
            Some(token) if token.kind == TokenKind::Name => token.span.of(self.source),
            _ => "",
        };
        let is_sign = |at: usize| {
            function.unit.tokens.get(at).is_some_and(|token| token.span.of(self.source) == "#")
        };
        let brace = function.body.start.saturating_sub(1);
        let close = brace.saturating_sub(1);
        let open = function.unit.partners.get(close).copied().unwrap_or(close);
        let is_private = open >= 3 && is_sign(open - 2);
        let before = open.checked_sub(2 + usize::from(is_private));
        before.is_some_and(|before| word(before) == "get")
    }

    /// A function that is a method from now on: its object is not among what it is given.
    fn as_method(&mut self, index: usize) -> usize {
        let Some(function) = self.functions.get(index).cloned() else { return index };
        if function.parameters.first().is_none_or(|first| first.name != "self") {
            return index;
        }
        if let Some(whole) = self.functions.get_mut(index) {
            whole.called = true;
        }
        let parameters = function.parameters.into_iter().skip(1).collect();
        let method = self.push_function(parameters, function.body, function.expression);
        if let Some(method) = self.functions.get_mut(method) {
            method.unit = function.unit;
            method.captured = function.captured;
            method.locals = function.locals;
        }
        method
    }

    /// A class that is made by a call: `namedtuple('Point', 'x y')`, `type('Job', (), {'run': run})`.
    pub(super) fn made_class(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        /// How many fields of a class are known.
        const FIELDS: usize = 32;
        let name = given.first()?.value.as_known()?.to_owned();
        if name.is_empty() || !name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
            return None;
        }
        match path {
            "collections.namedtuple" | "namedtuple" => {
                let words = |text: &str| -> Vec<String> {
                    text.split([',', ' ']).filter(|it| !it.is_empty()).map(str::to_owned).collect()
                };
                let names: Vec<String> = match &given.get(1)?.value {
                    Value::List(list) => list
                        .iter()
                        .map(|it| it.as_known().map(str::to_owned))
                        .collect::<Option<_>>()?,
                    value => words(value.as_known()?),
                };
                if names.len() > FIELDS {
                    return None;
                }
                let fields: Vec<Parameter> =
                    names.iter().map(|name| Parameter::new(name, self.at)).collect();
                self.fields.insert(name.clone(), (std::rc::Rc::clone(&self.unit), fields.into()));
            }
            "type" => {
                let Value::Table(members) = &given.get(2)?.value else { return None };
                for (member, value) in members {
                    match value {
                        Value::Function(index) => {
                            let method = self.as_method(*index);
                            self.named.insert(format!("{name}.{member}"), method);
                        }
                        value => self.bind(format!("{name}.{member}"), value.clone()),
                    }
                }
            }
            _ => return None,
        }
        self.classes.push((name.clone(), 0..0));
        Some(Value::name(&name))
    }
}
