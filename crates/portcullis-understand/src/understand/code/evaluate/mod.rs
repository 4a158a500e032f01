//! Running a tree without running it: values are computed where they can be, every branch is taken, and what reaches out is
//! told to the walk. Owns the evaluator and its rounds; what a language's commands do is said by `powershell` and `batch`.
//!
//! What is not modelled is a gap, and makes unknown what it could have bound.

mod batch;
mod calls;
mod expressions;
mod operators;
mod powershell;
mod state;
mod statements;
mod value;

use std::rc::Rc;

use portcullis_syntax::{Span, tree};

use self::{
    state::State,
    value::{Closure, Value, join},
};
use super::super::shell::Walk;
use crate::{
    effect::{Argument, Certainty, GapReason},
    text::Text,
};

/// Which of the languages is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dialect {
    PowerShell,
    Batch,
}

/// How many rounds one statement is read in when what it uses may be one of several.
const ROUNDS: usize = 16;

/// How many elements are walked over one by one.
const ELEMENTS: usize = 64;

/// How many bytes that are held count as one unit of work.
const BYTES_PER_WORK: usize = 64;

/// A function of the script.
struct Function {
    name: String,
    closure: Rc<Closure>,
    called: bool,
    /// How often it is being read.
    inside: usize,
}

/// Which of several a name is in this round.
#[derive(Default)]
struct Choice(Vec<(String, usize, usize)>);

impl Choice {
    /// One of `count`, the same for the same name in one round.
    fn pick(&mut self, name: &str, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        if let Some((.., at)) = self.0.iter().find(|(held, ..)| held == name) {
            return (*at).min(count - 1);
        }
        self.0.push((name.to_owned(), count, 0));
        0
    }

    /// Goes on to the next round; `false` when there is none.
    fn advance(&mut self) -> bool {
        while let Some((_, count, at)) = self.0.last_mut() {
            if *at + 1 < *count {
                *at += 1;
                return true;
            }
            self.0.pop();
        }
        false
    }
}

/// A script that is being read.
pub(super) struct Evaluator<'w, 'f> {
    walk: &'w mut Walk<'f>,
    dialect: Dialect,
    state: State,
    choice: Choice,
    functions: Vec<Function>,
    /// Classes that the script declared.
    classes: Vec<powershell::Class>,
    /// How many commands are around that run others.
    around: usize,
    /// How many things are being made, one for a field of the other.
    making: usize,
    /// Values that the functions being called were left with.
    returned: Vec<Value>,
    /// Whether the block being read was left.
    left: bool,
    /// How many loops without an end are around.
    endless: usize,
    /// The source of the layer that is being read.
    source: Rc<str>,
}

/// Reads a script and gives what it prints.
pub(super) fn run(
    walk: &mut Walk<'_>,
    dialect: Dialect,
    code: &str,
    arguments: &[Argument],
    input: Option<Text>,
) -> Text {
    let mut evaluator = Evaluator {
        walk,
        dialect,
        state: State::new(),
        choice: Choice::default(),
        functions: Vec::new(),
        classes: Vec::new(),
        around: 0,
        making: 0,
        returned: Vec::new(),
        left: false,
        endless: 0,
        source: code.into(),
    };
    let given: Vec<Value> =
        arguments.iter().map(|argument| Value::Text(argument.text.clone())).collect();
    for (index, value) in given.iter().enumerate() {
        evaluator.state.set(&(index + 1).to_string(), vec![value.clone()]);
    }
    evaluator.state.set("args", vec![Value::List(given.into())]);
    if let Some(input) = input {
        evaluator.state.set("input", vec![Value::Text(input)]);
    }
    let values = evaluator.source(code);
    evaluator.uncalled();
    let end = Span::new(0, code.len());
    if evaluator.state.is_cut {
        evaluator.walk.gap(end, GapReason::Limit);
    }
    let mut printed = Text::default();
    for value in values.into_iter().chain(std::mem::take(&mut evaluator.returned)) {
        let text = evaluator.text(&value);
        printed.append(&text);
        printed.push_known("\n");
    }
    if printed.is_empty() { Text::unknown("what the script prints") } else { printed }
}

impl Evaluator<'_, '_> {
    /// Reads a text as a script in the scope that is there.
    fn source(&mut self, code: &str) -> Vec<Value> {
        let tree = match self.dialect {
            Dialect::PowerShell => tree::powershell(code),
            Dialect::Batch => tree::batch(code),
        };
        for opaque in &tree.opaque {
            if opaque.limit {
                self.walk.left_unread(opaque.span);
            } else {
                self.walk.gap(opaque.span, GapReason::Unparsed);
            }
        }
        let outer = std::mem::replace(&mut self.source, code.into());
        self.hoist(&tree.body);
        let values = match self.dialect {
            Dialect::PowerShell => self.body(&tree.body),
            Dialect::Batch => self.sections(&tree.body),
        };
        self.source = outer;
        values
    }

    /// Reads a half-known text as code of this script: what it makes of names stays.
    fn inner(&mut self, code: &Text, span: Span) -> Value {
        let language = match self.dialect {
            Dialect::PowerShell => "powershell",
            Dialect::Batch => "batch",
        };
        let (source, outer) = match self.walk.enter_code(language, code, span, &[], None) {
            Ok(entered) => entered,
            Err(printed) => return Value::Text(printed),
        };
        let values = self.source(&source);
        self.walk.leave_layer(outer);
        self.left = false;
        let mut value = Value::of(values);
        if let Value::Text(text) = &mut value {
            text.inherit(code);
        }
        value
    }

    /// A text as what stands between double quotes.
    fn expanded(&mut self, pattern: &Text, span: Span) -> Value {
        let Some(known) = pattern.as_known() else {
            return Value::Text(value::unknown_of(pattern, "expanded"));
        };
        let quoted = format!("\"{}\"", known.replace('"', "`\""));
        self.inner(&pattern.derive([crate::text::Piece::Known(quoted)]), span)
    }

    /// What the script only defines is there for whoever wants it.
    fn uncalled(&mut self) {
        let certainty = self.walk.lower(Certainty::Possible);
        let mut at = 0;
        while let Some(function) = self.functions.get_mut(at) {
            at += 1;
            if std::mem::replace(&mut function.called, true) {
                continue;
            }
            let closure = function.closure.clone();
            self.state.enter();
            for parameter in &closure.block.parameters {
                let mut values = vec![Value::unknown(&parameter.name)];
                if let Some(default) = &parameter.default {
                    values.push(self.expression(default));
                }
                self.state.set(&parameter.name.to_ascii_lowercase(), values);
            }
            self.within(&closure, Self::body);
            self.state.leave();
        }
        self.walk.restore(certainty);
    }

    /// Reads code where it is written.
    fn within(
        &mut self,
        closure: &Rc<Closure>,
        read: impl FnOnce(&mut Self, &[tree::Statement]) -> Vec<Value>,
    ) -> Vec<Value> {
        if !self.walk.enter_level(closure.block.span) {
            return vec![Value::unknown("too deep")];
        }
        let layer = self.walk.swap_layer(closure.layer);
        let values = read(self, &closure.block.body);
        self.walk.swap_layer(layer);
        self.walk.leave_level();
        values
    }

    /// Reads something once for each combination of what it uses.
    fn in_rounds(&mut self, span: Span, mut read: impl FnMut(&mut Self) -> Value) -> Vec<Value> {
        let outer = std::mem::take(&mut self.choice);
        let mut values: Vec<Value> = Vec::new();
        let certainty = self.walk.lower(Certainty::Certain);
        let mut round = 0;
        loop {
            let value = read(self);
            if !values.iter().any(|held| held.is(&value)) {
                values.push(value);
            }
            round += 1;
            if !self.choice.advance() {
                break;
            }
            if round >= ROUNDS {
                self.walk.gap(span, GapReason::Limit);
                break;
            }
            self.walk.lower(Certainty::Likely);
        }
        self.walk.restore(certainty);
        self.choice = outer;
        values
    }

    /// Reads one of several ways; gives what it makes of names.
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, state::Changes) {
        let mark = self.state.mark();
        let certainty = self.walk.lower(Certainty::Likely);
        self.state.parted += 1;
        let result = read(self);
        self.state.parted -= 1;
        self.walk.restore(certainty);
        (result, self.state.take_back(mark))
    }

    /// A value as text.
    fn text(&self, value: &Value) -> Text {
        match value {
            Value::Nothing => Text::default(),
            Value::Text(text) => text.clone(),
            Value::List(values) => join(values.iter().map(|value| self.text(value)), " "),
            Value::Object(number) => match self.state.objects.get(*number) {
                Some(object) => {
                    let mut text = value::unknown_of(&object.made_of, &object.class);
                    let parts = object.entries.iter().flat_map(|(_, values)| values);
                    for part in parts.chain(&object.items) {
                        // What lies deeper than one level is not asked for its parts again.
                        if let Value::Text(part) = part {
                            text.inherit(part);
                        }
                    }
                    text
                }
                None => Text::unknown("an object"),
            },
            Value::Block(closure) => Text::known(closure.source.as_str()),
            Value::Type(name) => Text::known(name.as_ref()),
        }
    }

    /// Counts what was copied as work.
    fn count(&mut self) {
        let copied = std::mem::take(&mut self.state.copied);
        self.walk.charge(copied / BYTES_PER_WORK);
    }

    /// Each of several, or the one; what a thing holds one after the other counts as several.
    fn spread(&self, value: &Value) -> Vec<Value> {
        if let Value::Object(number) = value
            && let Some(object) = self.state.objects.get(*number)
            && !object.items.is_empty()
        {
            return object.items.clone();
        }
        value.elements()
    }

    /// A value as an argument, written at a place.
    fn argument(&self, value: &Value, span: Span) -> Argument {
        Argument { text: self.text(value), span }
    }
}
