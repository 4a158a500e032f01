//! Functions of the script: those that stand in expressions, and the calls of any. Owns what a parameter gets of what is given, and what a
//! function keeps of those around it.

use std::{collections::BTreeSet, rc::Rc};

use super::{
    binding::is_alike,
    interpreter::{CALLS, Function, Interpreter, Parameter, Takes, Unit},
    value::{Given, Value, mixed},
};
use crate::{bound::Bounded, effect::Certainty};

/// Decorators whose generator gives one value to what uses it: a block or a test.
const GIVES_ONE: &[&str] = &["asynccontextmanager", "contextmanager", "fixture"];

/// What a method of JavaScript calls its object.
pub(super) const THIS: &str = "this";

impl Interpreter<'_, '_, '_> {
    pub(super) fn lambda(&mut self) -> Value {
        self.at += 1;
        let mut colon = self.at;
        while colon < self.end && self.word_at(colon) != ":" {
            colon = self.partner_or_next(colon);
        }
        let parameters = self.parameters(self.at, colon);
        self.read_head(self.at..colon);
        self.at = colon + 1;
        self.rest_as_function(parameters)
    }

    pub(super) fn arrow(&mut self, parameters: Vec<Parameter>) -> Value {
        self.at += 1;
        if self.word() == "{" {
            return self.braced_function(parameters);
        }
        self.rest_as_function(parameters)
    }

    pub(super) fn inline_function(&mut self) -> Value {
        self.at += 1;
        let mut name = "";
        if self.is_name(self.at) {
            name = self.word();
            self.at += 1;
        }
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(self.at);
            parameters = self.parameters(self.at + 1, close);
            self.at = close + 1;
        }
        if self.word() == "use" && self.word_at(self.at + 1) == "(" {
            self.at = self.partner(self.at + 1) + 1;
        }
        if self.word() == "{" {
            let function = self.braced_function(parameters);
            if let (Value::Function(index), false) = (&function, name.is_empty()) {
                self.endless_calls(name, *index);
            }
            return function;
        }
        if self.word() == "=>" {
            return self.arrow(parameters);
        }
        // Lua and Ruby bodies end with a word; they are read where they stand.
        Value::unknown("a function")
    }

    pub(super) fn braced_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let close = self.partner(self.at);
        let body = self.at + 1..close;
        self.at = close + 1;
        Value::Function(self.push_function(parameters, body, false))
    }

    /// The expression that follows, as a function's body.
    fn rest_as_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let (start, mut asked) = (self.at, 0_usize);
        while self.at < self.end
            && !matches!(self.word(), "," | ")" | "]" | "}" | ";")
            && (self.continues() || self.at == start)
        {
            // `quick ? () => a : () => b`
            match self.word() {
                "?" => asked += 1,
                ":" if asked == 0 && matches!(self.language, "javascript" | "php") => break,
                ":" => asked = asked.saturating_sub(1),
                _ => {}
            }
            self.at = match self.unit.partners.get(self.at) {
                Some(partner) if *partner > self.at => partner + 1,
                _ => self.at + 1,
            };
        }
        self.at = self.at.min(self.end);
        // Functions in functions are each looked through to the same end.
        self.spend(self.at.saturating_sub(start) / 8);
        Value::Function(self.push_function(parameters, start..self.at, true))
    }

    /// Keeps a function with what is known where it stands; gives its place.
    pub(super) fn push_function(
        &mut self,
        parameters: Vec<Parameter>,
        body: std::ops::Range<usize>,
        expression: bool,
    ) -> usize {
        let captured = self.captured();
        let unit = Rc::clone(&self.unit);
        let locals = self.locals(&unit, body.clone());
        let mut parameters = parameters;
        for parameter in &mut parameters {
            // Python computes what stands for an argument once.
            let default = parameter.default.clone();
            let calls = default.clone().any(|at| self.word_at(at) == "(");
            if self.language == "python" && !default.is_empty() && !calls && self.spend(1) {
                let unit = Rc::clone(&self.unit);
                let value = self.within(unit, default, |inner| inner.expression(0));
                parameter.value = Some(value);
            }
        }
        let index = self.functions.len();
        self.functions.push(Function {
            captured,
            locals,
            parameters,
            body,
            unit,
            called: false,
            times: 0,
            this: None,
            is_cut: false,
            is_read_anew: false,
            active: false,
            expression,
        });
        index
    }

    /// Calls one of the script's own functions; where nobody knows with what, nothing is given.
    pub(super) fn apply(&mut self, index: usize, given: Option<&[Given]>) -> Value {
        let Some(function) = self.functions.get_mut(index) else { return Value::unknown("a call") };
        if function.active || self.calls >= CALLS {
            // What is not followed from here is read like a function that nothing calls, whoever else calls it.
            function.is_cut = !function.is_read_anew;
            let given = given.unwrap_or_default().iter().map(|it| &it.value);
            return Value::Text(mixed("a call", given));
        }
        function.called = true;
        function.times = function.times.saturating_add(1);
        let function = function.clone();
        if !self.sink() {
            return Value::unknown("a call");
        }
        self.mark_active(index, true);
        self.calls += 1;
        self.put_aside_for(index, given.is_some());
        let matched = std::mem::take(&mut self.matched);
        let learned = std::mem::take(&mut self.learned);
        let round = self.round.take();
        let mut before = Vec::new();
        for (name, value) in &function.captured {
            before.push((name.clone(), self.variables.insert(name.clone(), value.clone())));
        }
        let unit = Rc::clone(&function.unit);
        let options = self.commands.get(&index).cloned();
        let given = given.filter(|_| options.is_none());
        let mut values = self.values_for(&function.parameters, given, &unit);
        for (name, default) in options.into_iter().flatten() {
            let at = function.parameters.iter().position(|parameter| parameter.name == name);
            if let Some(value) = at.and_then(|at| values.get_mut(at)) {
                *value = default;
            }
        }
        let this = self.this.take();
        let this = match &function.this {
            Some(object) => Some((String::new(), object.clone())),
            None => this,
        };
        let is_arrow = function.expression
            || function.body.start >= 2
                && unit
                    .tokens
                    .get(function.body.start - 2)
                    .is_some_and(|token| token.span.of(self.source) == "=>");
        let is_own = self.language == "javascript" && !is_arrow;
        if is_own {
            let name = THIS.to_owned();
            let outer = match &this {
                Some((_, object)) => self.variables.insert(name.clone(), object.clone()),
                None => self.variables.remove(&name),
            };
            before.push((name, outer));
        }
        let (mut patterns, mut names) = (Vec::new(), Vec::new());
        if self.language == "javascript"
            && self.source.contains("arguments")
            && let Some(given) = given
        {
            let all = Value::List(given.iter().map(|it| it.value.clone()).collect()).held().0;
            let name = "arguments".to_owned();
            before.push((name.clone(), self.variables.insert(name, all)));
        }
        if self.language == "perl"
            && let Some(given) = given
        {
            // `f(key => $value)` gives two values.
            let values = given.iter().flat_map(|it| {
                let key = it.name.as_deref().map(Value::known);
                key.into_iter().chain([it.value.clone()])
            });
            let all = Value::List(values.collect()).held().0;
            let name = "@_".to_owned();
            before.push((name.clone(), self.variables.insert(name, all)));
        }
        for (Parameter { name, at, .. }, value) in function.parameters.iter().zip(values) {
            if matches!(name.as_str(), "[" | "{") {
                patterns.push((*at, value));
                continue;
            }
            let (value, _) = value.held();
            names.push(name.clone());
            before.push((name.clone(), self.variables.insert(name.clone(), value)));
        }
        names.extend(function.captured.iter().map(|(name, _)| name.clone()));
        let parameters: Vec<&String> = function.parameters.iter().map(|it| &it.name).collect();
        let locals: Vec<String> =
            function.locals.iter().filter(|it| !parameters.contains(it)).cloned().collect();
        let outside = self.outside(&locals);
        self.frames.push(names);
        let outer = self.returned.take();
        let yields = std::mem::take(&mut self.yielded);
        let expression = function.expression;
        let body = self.stepped_through(index, function.body.clone());
        let value = self.within(unit, body, |inner| {
            let begin = inner.at;
            for (at, value) in &patterns {
                inner.at = *at;
                inner.bind_pattern(value);
            }
            inner.at = begin;
            if expression && inner.word() != "{" {
                let value = inner.expression(0);
                let end = inner.end;
                inner.statements(end);
                Some(value)
            } else if matches!(inner.language, "perl" | "ruby") {
                let end = inner.end;
                let last = inner.last_value(end).map(|(value, _)| value);
                match (inner.returned.take(), last) {
                    (Some(returned), Some(last)) => Some(returned.or(last)),
                    (returned, last) => returned.or(last),
                }
            } else {
                let end = inner.end;
                inner.statements(end);
                inner.returned.take()
            }
        });
        self.returned = outer;
        let mut yielded = std::mem::replace(&mut self.yielded, yields);
        let value = match yielded.len() {
            0 => value,
            // What a block or a test is given is the one value, not a list of it.
            1 if self.is_decorated(index, GIVES_ONE) => yielded.pop(),
            // `next()` gives what a generator of JavaScript returns, a loop does not.
            _ if self.language == "javascript" && value.is_some() => {
                let mut all = yielded.clone();
                all.extend(value);
                Some(Value::Any(vec![Value::List(yielded), Value::List(all)]))
            }
            _ => Some(Value::List(yielded)),
        };
        self.frames.pop();
        let grown = self.grown_parameters(&function.parameters, given);
        // What a method made of its object.
        let made = this.filter(|_| is_own).and_then(|(home, object)| {
            let after = self.variables.get(THIS)?.clone();
            (!home.is_empty() && !is_alike(&object, &after)).then_some((home, object, after))
        });
        self.mark_active(index, false);
        self.leave_locals(outside);
        for (parameter, value) in before.into_iter().rev() {
            match value {
                Some(value) => self.variables.insert(parameter, value),
                None => self.variables.remove(&parameter),
            };
        }
        for (name, before, after) in grown.into_iter().chain(made) {
            self.changed(&name, &before, after, true);
        }
        self.calls -= 1;
        self.matched = matched;
        self.learned = learned;
        self.round = round;
        self.leave_replaced();
        self.rise();
        value.unwrap_or_else(|| Value::unknown("what a function gives"))
    }

    /// What each parameter gets of what is given; unknown where nobody knows that.
    pub(super) fn values_for(
        &mut self,
        parameters: &[Parameter],
        given: Option<&[Given]>,
        unit: &Rc<Unit>,
    ) -> Vec<Value> {
        let Some(given) = given else {
            return parameters.iter().map(|it| self.fixture(&it.name)).collect();
        };
        let plain: Vec<&Value> =
            given.iter().filter(|it| it.name.is_none()).map(|it| &it.value).collect();
        let named = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let mut next = 0;
        let mut values = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let value = match parameter.takes {
                Takes::Rest => {
                    let rest = plain.get(next..).unwrap_or_default();
                    next = plain.len();
                    Some(Value::List(rest.iter().map(|value| (*value).clone()).collect()))
                }
                Takes::Names => {
                    let is_taken = |name: &str| parameters.iter().any(|it| it.name == name);
                    let rest = given.iter().filter_map(|it| {
                        let name = it.name.as_ref().filter(|name| !is_taken(name))?;
                        Some((name.clone(), it.value.clone()))
                    });
                    Some(Value::Table(rest.collect()))
                }
                Takes::One => match named(&parameter.name) {
                    Some(named) => Some(named.value.clone()),
                    None => {
                        next += 1;
                        plain.get(next - 1).map(|value| (*value).clone())
                    }
                },
            };
            let value = value.unwrap_or_else(|| {
                if parameter.default.is_empty() {
                    // A function that became a method: whose, is not followed.
                    if parameter.name == "self" && self.language == "python" {
                        let span = self.span_from(self.at.saturating_sub(1));
                        self.left_open(span);
                    }
                    return Value::unknown(&parameter.name);
                }
                if let Some(value) = &parameter.value {
                    return value.clone();
                }
                let default = parameter.default.clone();
                self.within(Rc::clone(unit), default, |inner| inner.expression(0))
            });
            values.push(value);
        }
        values
    }

    /// What the functions that are read now were given, for one that is made in them.
    pub(super) fn captured(&mut self) -> Vec<(String, Value)> {
        /// How many names are captured.
        const CAPTURED: usize = 32;
        let names: BTreeSet<String> = self.frames.iter().flatten().cloned().collect();
        if names.len() > CAPTURED {
            self.limit();
        }
        let names = names.into_iter().leading(CAPTURED);
        names.filter_map(|name| Some((name.clone(), self.bound(&name)?))).collect()
    }

    fn mark_active(&mut self, index: usize, active: bool) {
        if let Some(function) = self.functions.get_mut(index) {
            function.active = active;
        }
    }

    /// Reads every function that nothing called, or of which a call was not followed, with unknown arguments.
    pub(super) fn uncalled(&mut self) {
        // In what version control has had since before the session, only what is called is done for sure.
        let releases = ["deploy", "publish", "push", "release", "tag"];
        let words = self.argument_list().text().display();
        let is_asked = releases.iter().any(|word| words.contains(word));
        let is_settled = self.walk.is_in_settled_file() && !is_asked;
        let outer = is_settled.then(|| self.walk.lower(Certainty::Possible));
        self.read_uncalled();
        if let Some(outer) = outer {
            self.walk.restore(outer);
        }
    }

    /// The same for what ran in earlier calls: what nothing there can call is read when something does.
    pub(super) fn uncalled_before(&mut self) {
        let unreached = self.unreached(self.before);
        self.each_uncalled(|walker, index| {
            if !walker.is_within(index, &unreached) {
                walker.apply(index, None);
            }
        });
    }

    /// Whether a test puts something else in the place of what others call in it.
    fn patches_something(&self, index: usize) -> bool {
        const FIXTURES: &[&str] = &["mocker", "monkeypatch"];
        self.patches.contains_key(&index)
            || self.functions.get(index).is_some_and(|function| {
                function.parameters.iter().any(|it| FIXTURES.contains(&it.name.as_str()))
            })
    }

    fn read_uncalled(&mut self) {
        let unreached = self.unreached(self.unit.tokens.len());
        // What a test calls is called by that test, with what it puts aside.
        if self.language == "python" && !self.is_cell {
            let is_read = |walker: &Self, index: usize| {
                walker.patches_something(index) && !walker.is_within(index, &unreached)
            };
            self.each_uncalled_that(is_read, |walker, index| {
                walker.apply(index, None);
            });
        }
        self.each_uncalled(|walker, index| {
            if !walker.is_within(index, &unreached) {
                walker.apply(index, None);
                return;
            }
            // It was told when it was defined.
            if walker.is_of_before(index) {
                return;
            }
            let gaps = walker.walk.gaps();
            let outer = walker.walk.lower(Certainty::Defined);
            walker.apply(index, None);
            walker.walk.restore(outer);
            walker.walk.forget_gaps(gaps);
        });
    }

    fn each_uncalled(&mut self, read: impl Fn(&mut Self, usize)) {
        self.each_uncalled_that(|_, _| true, read);
    }

    fn each_uncalled_that(
        &mut self,
        is_read: impl Fn(&Self, usize) -> bool,
        read: impl Fn(&mut Self, usize),
    ) {
        // Whoever calls what nothing here calls gives it what is theirs.
        let outer = self.walk.in_closed_script(false);
        let mut index = 0;
        while index < self.functions.len() {
            let is_uncalled = self.functions.get(index).is_some_and(|function| !function.called);
            if is_uncalled && is_read(self, index) {
                read(self, index);
            }
            index += 1;
        }
        self.walk.in_closed_script(outer);
        // Each is read once more at most, so that this ends.
        while let Some(index) = self.functions.iter().position(|function| function.is_cut) {
            if let Some(function) = self.functions.get_mut(index) {
                function.is_cut = false;
                function.is_read_anew = true;
            }
            read(self, index);
        }
    }
}
