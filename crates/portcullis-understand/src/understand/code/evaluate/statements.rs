//! Statements: what they make of names, and which ways a script may take. All of them are taken.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    tree::{Branch, Expression, ExpressionKind, Pattern, Statement, StatementKind},
};

use super::{
    Closure, ELEMENTS, Evaluator, Function, ROUNDS,
    calls::given_mark,
    state::{Changes, Rounds},
    value::{Value, number},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::host::Host,
    text::Text,
};

impl Evaluator<'_, '_> {
    /// Functions are there before the statements that stand above them.
    pub(super) fn hoist(&mut self, body: &[Statement]) {
        for statement in body {
            if let StatementKind::Function { name, block } = &statement.kind {
                self.define(name, block);
            }
        }
    }

    pub(super) fn define(&mut self, name: &str, block: &Rc<portcullis_syntax::tree::Block>) {
        let closure = self.closure(block);
        let name = name.to_ascii_lowercase();
        let is_there = self
            .functions
            .iter_mut()
            .find(|function| function.name == name && Rc::ptr_eq(&function.closure.block, block));
        if is_there.is_none() {
            self.functions.push(Function { name, closure, called: false, inside: 0 });
        }
    }

    pub(super) fn closure(&self, block: &Rc<portcullis_syntax::tree::Block>) -> Rc<Closure> {
        let written = block.span.of(&self.source);
        let inner = written.strip_prefix('{').unwrap_or(written);
        Rc::new(Closure {
            block: block.clone(),
            layer: self.walk.layer(),
            source: inner.strip_suffix('}').unwrap_or(inner).to_owned(),
        })
    }

    /// Gives all that statements may come to.
    pub(super) fn body(&mut self, body: &[Statement]) -> Vec<Value> {
        let mut slots: Vec<Vec<Value>> = Vec::new();
        for statement in body {
            if self.left {
                break;
            }
            let ways = self.statement(statement);
            if !matches!(ways.as_slice(), [] | [Value::Nothing]) {
                slots.push(ways);
            }
        }
        let count = slots.iter().map(Vec::len).max().unwrap_or(1);
        let way = |index: usize| {
            let of_slot = |slot: &Vec<Value>| {
                slot.get(index.checked_rem(slot.len()).unwrap_or_default())
                    .map(Value::elements)
                    .unwrap_or_default()
            };
            Value::of(slots.iter().flat_map(of_slot).collect())
        };
        (0..count).map(way).collect()
    }

    /// What one statement may come to.
    pub(super) fn statement(&mut self, statement: &Statement) -> Vec<Value> {
        let span = statement.span;
        self.count();
        if !self.walk.enter_level(span) {
            return vec![Value::unknown("not read")];
        }
        let values = self.read(statement);
        self.walk.leave_level();
        values
    }

    fn read(&mut self, statement: &Statement) -> Vec<Value> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expression(expression) => {
                let silent = changes_only(expression);
                let values = self.in_rounds(span, |it| it.expression(expression));
                if silent { Vec::new() } else { values }
            }
            StatementKind::Assign { target, operator, value } => {
                let values = self.statement(value);
                self.assign(target, operator.as_deref(), values, span);
                Vec::new()
            }
            StatementKind::If(branches) => self.branches(branches, span, None),
            StatementKind::Switch { subject, branches } => {
                let subjects = self.in_rounds(span, |it| it.expression(subject));
                let outer = self.state.get("_").map(<[Value]>::to_vec);
                self.state.set("_", subjects);
                let values = self.branches(branches, span, Some(()));
                self.state.set("_", outer.unwrap_or_else(|| vec![Value::Nothing]));
                values
            }
            StatementKind::Each { target, over, body } => {
                let over = self.in_rounds(over.span, |it| it.expression(over));
                let mut printed = Vec::new();
                for over in over {
                    let elements = self.spread(&over);
                    let more = self.each(&elements, span, |it, element| {
                        it.assign(target, None, vec![element], span);
                        it.body(body)
                    });
                    printed.extend(more);
                }
                printed
            }
            StatementKind::Loop { start, condition, step, body, .. } => {
                self.repeat(start.as_deref(), condition.as_ref(), step.as_deref(), body, span)
            }
            StatementKind::Try { body, handlers, last } => {
                let mut values = self.body(body);
                let left = std::mem::take(&mut self.left);
                let mut ways = Vec::new();
                for handler in handlers {
                    let (more, changes) = self.apart(|it| it.body(handler));
                    self.left = false;
                    ways.push(changes);
                    values.extend(more.into_iter().filter(|it| !matches!(it, Value::Nothing)));
                }
                ways.push(Changes::new());
                self.state.join(ways);
                values
                    .extend(self.body(last).into_iter().filter(|it| !matches!(it, Value::Nothing)));
                // What is thrown is caught, and the script goes on.
                self.left |= left && handlers.is_empty();
                values
            }
            StatementKind::Function { name, block } => {
                self.define(name, block);
                Vec::new()
            }
            StatementKind::Class { name, body } => {
                self.declare(name, body, span);
                Vec::new()
            }
            StatementKind::Group(body) => self.body(body),
            StatementKind::Leave(value) => {
                let values = value.as_deref().map(|value| self.statement(value));
                self.returned.extend(values.unwrap_or_default());
                self.left = true;
                Vec::new()
            }
            StatementKind::Skip | StatementKind::Label(_) => Vec::new(),
            StatementKind::Goto(label) => {
                self.go(label);
                Vec::new()
            }
            StatementKind::Opaque => {
                self.walk.gap(span, GapReason::Unparsed);
                Vec::new()
            }
        }
    }

    /// Every branch is taken, and none where none has to be.
    /// What a condition surely comes to: it is written out, it asks whether a rehearsal shall do it, or it is a switch that the call has given and
    /// nothing changes since. What other names hold may come from where nobody looked.
    fn decided(&self, condition: &Expression, values: &[Value]) -> Option<bool> {
        let is_known = match &condition.kind {
            // `( … )`
            ExpressionKind::Body(body) => match body.as_slice() {
                [Statement { kind: StatementKind::Expression(inner), .. }] => {
                    return self.decided(inner, values);
                }
                _ => false,
            },
            ExpressionKind::Variable(name) => {
                let name = name.to_ascii_lowercase();
                matches!(name.as_str(), "true" | "false")
                    || self.state.get(&given_mark(&name)).is_some()
                        && self.state.get(&name).is_some_and(|it| said(it) == Some(true))
                        && !is_set_again(&self.source, &name)
            }
            ExpressionKind::Operator { name, operands } if name == "not" => {
                return match (operands.as_slice(), said(values)) {
                    ([inner], Some(said)) => {
                        let inner_says = Value::known(if said { "False" } else { "True" });
                        self.decided(inner, &[inner_says]).map(|it| !it)
                    }
                    _ => None,
                };
            }
            ExpressionKind::Call { function, .. } => {
                matches!(&function.kind, ExpressionKind::Member { of, .. }
                    if matches!(&of.kind, ExpressionKind::Variable(name) if name.eq_ignore_ascii_case("pscmdlet")))
                    && self.is_rehearsed()
            }
            _ => false,
        };
        said(values).filter(|_| is_known)
    }

    fn branches(&mut self, branches: &[Branch], span: Span, switch: Option<()>) -> Vec<Value> {
        let mut values = Vec::new();
        let mut ways = Vec::new();
        let mut all_left = true;
        let mut is_sure = false;
        for branch in branches {
            if let Some(condition) = &branch.condition
                && !(switch.is_some() && matches!(condition.kind, ExpressionKind::Block(_)))
            {
                let values = self.in_rounds(span, |it| it.expression(condition));
                match self.decided(condition, &values).filter(|_| switch.is_none()) {
                    Some(false) => continue,
                    Some(true) => is_sure = true,
                    None => {}
                }
            }
            let is_last = is_sure;
            is_sure |= branch.condition.is_none();
            let (more, changes) = self.apart(|it| it.body(&branch.body));
            all_left &= std::mem::take(&mut self.left);
            ways.push(changes);
            values.extend(more);
            if is_last {
                break;
            }
        }
        if !is_sure || switch.is_some() {
            ways.push(Changes::new());
            all_left = false;
            if !values.is_empty() && values.iter().any(|it| !matches!(it, Value::Nothing)) {
                values.push(Value::Nothing);
            }
        }
        self.state.join(ways);
        self.left = all_left;
        values
    }

    /// Reads something for each element: one by one where they are known, else twice, as the second round sees what the first
    /// one made.
    pub(super) fn each(
        &mut self,
        elements: &[Value],
        span: Span,
        mut read: impl FnMut(&mut Self, Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let is_one_unknown = matches!(elements, [Value::Text(text)] if text.as_known().is_none());
        let mut printed = Vec::new();
        if is_one_unknown && let [element] = elements {
            for _ in 0..2 {
                let (values, changes) = self.apart(|it| read(it, element.clone()));
                self.left = false;
                printed = values;
                if changes.is_empty() {
                    break;
                }
                self.state.join(vec![changes, Changes::new()]);
            }
            return printed;
        }
        let mut slots = Vec::new();
        let rounds = self.state.begin_rounds();
        for element in elements.iter().leading(ELEMENTS) {
            let values = read(self, element.clone());
            self.left = false;
            slots.push(values);
        }
        if let Some(rest) = elements.get(ELEMENTS..).filter(|rest| !rest.is_empty()) {
            let mut any = Text::unknown("one of the rest");
            for element in rest {
                any.inherit(&self.text(element));
            }
            let plain = rest.iter().all(|element| matches!(element, Value::Text(_)));
            slots.push(self.rest(&rounds, plain, span, |it| read(it, Value::Text(any))));
        }
        self.state.end_rounds(rounds);
        let first = |values: Vec<Value>| values.into_iter().flat_map(|value| value.elements());
        vec![Value::of(slots.into_iter().flat_map(first).collect())]
    }

    /// The rounds behind those that are followed, read as one in which nothing is known of what rounds change. Where that does not say
    /// all, it is a gap; so is what is done with a value that came of them, where that value counts.
    fn rest(
        &mut self,
        rounds: &Rounds,
        is_plain: bool,
        span: Span,
        read: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        if !self.state.widen(rounds) || !is_plain {
            self.walk.gap(span, GapReason::Limit);
        }
        let (mut values, changes) = self.apart(read);
        self.left = false;
        // Any of them may have been the last.
        self.state.join(vec![changes]);
        if values.iter().any(|value| !matches!(value, Value::Nothing)) {
            values.push(Value::unknown("what further rounds give"));
        }
        values
    }

    fn repeat(
        &mut self,
        start: Option<&Statement>,
        condition: Option<&Expression>,
        step: Option<&Statement>,
        body: &[Statement],
        span: Span,
    ) -> Vec<Value> {
        start.map(|start| self.statement(start));
        let asked = |it: &mut Self| {
            condition.map_or_else(
                || vec![Value::known("True")],
                |condition| it.in_rounds(condition.span, |it| it.expression(condition)),
            )
        };
        let mut printed = Vec::new();
        let rounds = self.state.begin_rounds();
        let mut holds = asked(self);
        let is_endless = step.is_none() && truth_of(&holds) == Some(true);
        self.endless += usize::from(is_endless);
        for round in 0..ROUNDS {
            // A loop that counts is followed, any other is read twice.
            let is_followed = truth_of(&holds) == Some(true) && step.is_some();
            if is_followed {
                printed.extend(self.body(body));
                self.left = false;
            } else {
                if round > 0 && truth_of(&holds) == Some(false) || round > 1 {
                    break;
                }
                let (values, changes) = self.apart(|it| it.body(body));
                self.left = false;
                printed.extend(values);
                let is_same = changes.is_empty();
                self.state.join(vec![changes, Changes::new()]);
                if is_same && step.is_none() {
                    break;
                }
            }
            step.map(|step| self.statement(step));
            holds = asked(self);
            if round + 1 == ROUNDS && truth_of(&holds) != Some(false) {
                printed.extend(self.rest(&rounds, true, span, |it| it.body(body)));
            }
        }
        self.state.end_rounds(rounds);
        self.endless -= usize::from(is_endless);
        vec![Value::of(printed.into_iter().flat_map(|value| value.elements()).collect())]
    }

    /// Gives places their values.
    pub(super) fn assign(
        &mut self,
        target: &Pattern,
        operator: Option<&str>,
        values: Vec<Value>,
        span: Span,
    ) {
        let Pattern { before, rest, after } = target;
        if rest.is_none() && after.is_empty() {
            if let [place] = before.as_slice() {
                self.assign_place(place, operator, values, span);
            }
            return;
        }
        // Several places: of each way, its elements in order.
        for (index, place) in before.iter().enumerate() {
            let of = |value: &Value| value.elements().get(index).cloned().unwrap_or(part_of(value));
            self.assign_place(place, None, values.iter().map(of).collect(), span);
        }
        if let Some(place) = rest {
            let of = |value: &Value| match value {
                Value::List(all) => Value::of(all.get(before.len()..).unwrap_or_default().to_vec()),
                other => part_of(other),
            };
            self.assign_place(place, None, values.iter().map(of).collect(), span);
        }
        for place in after {
            self.assign_place(place, None, vec![Value::unknown("one of several")], span);
        }
    }

    fn assign_place(
        &mut self,
        place: &Expression,
        operator: Option<&str>,
        mut values: Vec<Value>,
        span: Span,
    ) {
        if let Some(operator) = operator {
            let held = self.in_rounds(span, |it| it.expression(place));
            let mut combined = Vec::new();
            for before in held {
                for value in &values {
                    combined.push(match (operator, &before) {
                        ("??", Value::Nothing) => value.clone(),
                        ("??", other) => other.clone(),
                        _ => self.operate(operator, &before, value, span),
                    });
                }
            }
            values = combined;
        }
        if values.is_empty() {
            values.push(Value::Nothing);
        }
        match &place.kind {
            ExpressionKind::Variable(name) => self.set_variable(name, values, span),
            ExpressionKind::Convert { to, of } => {
                let converted = values.iter().map(|value| self.convert(to, value, span)).collect();
                self.assign_place(of, None, converted, span);
            }
            ExpressionKind::Member { of, name } => {
                let key = self.expression(name);
                self.assign_part(of, &key, values, span);
            }
            // `set %name%=value`
            ExpressionKind::Index { of, at } if matches!(&of.kind, ExpressionKind::Variable(name) if name == "env:") =>
            {
                let name = self.expression(at);
                match self.text(&name).as_known() {
                    Some(name) => self.set_variable(&format!("env:{name}"), values, span),
                    None => self.walk.gap(span, GapReason::Unparsed),
                }
            }
            ExpressionKind::Index { of, at } => {
                let key = self.expression(at);
                self.assign_part(of, &key, values, span);
            }
            _ => self.walk.gap(span, GapReason::Unparsed),
        }
    }

    fn assign_part(&mut self, of: &Expression, key: &Value, values: Vec<Value>, span: Span) {
        let holder = self.expression(of);
        let key = self.text(key);
        match holder {
            Value::Object(number) => {
                let name = key.display().to_ascii_lowercase();
                self.part_is_set(number, &name, &values, span);
                for value in values {
                    self.state.set_part(number, &name, value);
                }
            }
            Value::List(elements) => {
                let mut elements = elements.to_vec();
                let at = key.as_known().and_then(number);
                let at = at.and_then(|at| {
                    if at < 0 { at.checked_add_unsigned(elements.len() as u64) } else { Some(at) }
                });
                let place = at.and_then(|at| usize::try_from(at).ok());
                match place.and_then(|at| elements.get_mut(at)) {
                    Some(element) => *element = values.into_iter().next().unwrap_or(Value::Nothing),
                    None => elements.extend(values),
                }
                if let ExpressionKind::Variable(name) = &of.kind {
                    self.set_variable(name, vec![Value::List(elements.into())], span);
                }
            }
            other => {
                // What it is part of is not known, and is more of that now.
                let mut whole = self.text(&other);
                for value in &values {
                    let value = self.text(value);
                    whole.inherit(&value);
                }
                if let ExpressionKind::Variable(name) = &of.kind {
                    let text = super::value::unknown_of(&whole, name);
                    self.set_variable(name, vec![Value::Text(text)], span);
                }
            }
        }
    }

    /// Gives a name its values, with what it means to programs where it is one of the environment.
    pub(super) fn set_variable(&mut self, name: &str, values: Vec<Value>, span: Span) {
        let lower = name.to_ascii_lowercase();
        if let Some(variable) = lower.strip_prefix("env:") {
            let shown = name.get("env:".len()..).unwrap_or(variable);
            for value in &values {
                let text = self.text(value);
                // Windows does not tell the capitals of names apart.
                let shown = if variable == "path" { "PATH" } else { shown };
                self.walk.environment_of(shown, &text, span);
            }
            self.state.set_outermost(&lower, values);
            return;
        }
        match lower.split_once(':') {
            Some(("script" | "global", bare)) => self.state.set_outermost(bare, values),
            Some(("local" | "private" | "using" | "variable", bare)) => {
                self.state.set(bare, values)
            }
            Some(("function", bare)) => {
                for value in values {
                    if let Value::Block(closure) = value {
                        let name = bare.to_owned();
                        self.functions.push(Function { name, closure, called: false, inside: 0 });
                    }
                }
            }
            Some(("alias", bare)) => {
                let stands = self.text(values.first().unwrap_or(&Value::Nothing));
                self.state.set(&format!("alias:{bare}"), vec![Value::Text(stands)]);
            }
            _ if lower.contains(['/', '\\']) || lower.contains(':') => {
                // `${C:\file}` is the file.
                for value in values {
                    let content = self.text(&value);
                    let file = Argument { text: Text::known(name), span };
                    self.write_file(&file, crate::effect::WriteMode::Replace, content);
                }
            }
            _ => self.state.set(&lower, values),
        }
    }
}

/// A part of a value of which not enough is known.
fn part_of(value: &Value) -> Value {
    match value {
        Value::Text(text) if text.as_known().is_none() => {
            Value::Text(super::value::part(text, "part"))
        }
        _ => Value::Nothing,
    }
}

/// Whether all that something may be is true, or none of it.
fn truth_of(values: &[Value]) -> Option<bool> {
    let mut all = values.iter().map(truth);
    let first = all.next()??;
    all.all(|truth| truth == Some(first)).then_some(first)
}

/// Whether a value counts as true, where that is known.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Nothing => Some(false),
        Value::Text(text) => {
            let known = text.as_known()?;
            Some(!matches!(known, "" | "0" | "False"))
        }
        Value::List(values) => Some(!values.is_empty()),
        Value::Object(_) | Value::Block(_) | Value::Type(_) => Some(true),
    }
}

/// Whether a text gives a name another value, or may do so in a way that does not write it.
fn is_set_again(source: &str, name: &str) -> bool {
    const BY_OTHER_WAYS: &[&str] = &[
        "-ov ",
        "[ref]",
        "clear-item",
        "clear-variable",
        "clv ",
        "iex",
        "import-module",
        "invoke-expression",
        "new-variable",
        "nv ",
        "outvariable",
        "psvariable",
        "remove-item variable",
        "remove-variable",
        "rv ",
        "scriptblock]::",
        "set-item",
        "set-variable",
        "sv ",
        "variable:",
    ];
    let source = source.to_ascii_lowercase();
    let assigns = source.match_indices(name).any(|(at, name)| {
        let is_declared = source.get(..at).is_some_and(|before| before.ends_with("[switch]$"));
        let rest = source.get(at + name.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(|it: char| it.is_whitespace() || it == '}');
        let rest = rest.trim_start_matches(['+', '-', '*', '/', '?']);
        !is_declared && (rest.starts_with(',') || rest.starts_with('=') && !rest.starts_with("=="))
    });
    // `. ./other.ps1`
    let loads = source.lines().any(|line| {
        let line = line.trim_start_matches(|it: char| it.is_whitespace() || it == '{');
        line.starts_with(". ") || line.contains("; . ") || line.contains("{ . ")
    });
    assigns || loads || BY_OTHER_WAYS.iter().any(|way| source.contains(way))
}

/// What values say where each of them says the same in so many words.
fn said(values: &[Value]) -> Option<bool> {
    let says = |value: &Value| match value.as_known()? {
        "True" => Some(true),
        "False" => Some(false),
        _ => None,
    };
    let first = says(values.first()?)?;
    values.iter().all(|value| says(value) == Some(first)).then_some(first)
}

/// Whether an expression is written for what it changes: `$x++`.
fn changes_only(expression: &Expression) -> bool {
    matches!(&expression.kind, ExpressionKind::Operator { name, .. } if matches!(name.as_str(), "increment" | "decrement"))
}

impl Evaluator<'_, '_> {
    /// A part of a thing is given a value: what that means where the thing is one of the machine's.
    fn part_is_set(&mut self, number: usize, name: &str, values: &[Value], span: Span) {
        let class = self.state.objects.get(number).map(|it| it.class.clone()).unwrap_or_default();
        if class.starts_with("com ") && name == "targetpath" {
            for value in values {
                let line = self.text(value);
                self.later(&line, span);
            }
        }
        if class.starts_with("adsi") {
            self.walk.note("windows.account.change", span);
        }
    }
}
