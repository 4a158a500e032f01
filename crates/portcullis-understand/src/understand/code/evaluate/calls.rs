//! What is called: commands, functions and blocks of the script, methods. Owns the binding of what is given to parameters;
//! what commands and methods do is said by the languages.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    tree::{
        self, CallKind, Command, Expression, ExpressionKind, Parameter, ParameterKind, RedirectKind,
    },
};

use super::{
    Closure, Dialect, Evaluator, powershell,
    value::{Value, unknown_of},
};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::host::Host,
    text::{Taint, Text},
};

/// How often one function is read within itself.
const WITHIN_ITSELF: usize = 3;

/// What a command is given at one place.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The name as written, with its dash.
    pub(super) name: Option<String>,
    /// The value, where there is one.
    pub(super) value: Option<Value>,
    pub(super) span: Span,
}

/// Whether a function says that it can be asked what it would do: `[CmdletBinding(SupportsShouldProcess)]` before what it takes, and nothing else
/// there (learn.microsoft.com, "about_Functions_CmdletBindingAttribute").
fn may_rehearse(source: &str) -> bool {
    let source = source.to_ascii_lowercase();
    let Some((before, _)) = source.split_once("param") else { return false };
    let before = before.trim_start().trim_start_matches('{').trim();
    before.strip_prefix("[cmdletbinding(").and_then(|rest| rest.strip_suffix(")]")).is_some_and(
        |said| {
            said.split(',').any(|one| {
                matches!(
                    one.replace(' ', "").as_str(),
                    "supportsshouldprocess" | "supportsshouldprocess=$true"
                )
            })
        },
    )
}

/// Under which name it is kept that a call has given a switch: no name of the script has a blank.
pub(super) fn given_mark(name: &str) -> String {
    format!("{name} is given")
}

/// `-WhatIf`, and not `-WhatIf:$false`.
fn is_what_if(given: &Given) -> bool {
    given.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("-whatif"))
        && given.value.is_none()
}

impl Evaluator<'_, '_> {
    /// What a command gives, all that it may be.
    pub(super) fn command(
        &mut self,
        command: &Command,
        input: Option<Value>,
        span: Span,
    ) -> Vec<Value> {
        let name = self.expression(&command.name);
        let given = self.given(&command.arguments);
        let mut input = input;
        for redirect in &command.redirects {
            if redirect.kind == RedirectKind::Read {
                let file = self.expression(&redirect.file);
                let file = self.path_argument(&file, redirect.file.span);
                input = Some(Value::Text(self.walk.read(&file)));
            }
        }
        let ways = match self.dialect {
            Dialect::Batch => vec![self.batch_command(command, &name, given, input, span)],
            Dialect::PowerShell => {
                self.invoke(&name, command.call, given, input, command.name.span)
            }
        };
        for redirect in &command.redirects {
            let mode = match redirect.kind {
                RedirectKind::Write => WriteMode::Replace,
                RedirectKind::Append => WriteMode::Append,
                RedirectKind::Read => continue,
            };
            let file = self.expression(&redirect.file);
            let file = self.path_argument(&file, redirect.file.span);
            if is_discarded(&file.text) {
                continue;
            }
            for value in &ways {
                // One after the other, each on its line.
                let lines = value.elements().iter().map(|it| self.text(it)).collect::<Vec<_>>();
                let mut content = super::value::join(lines, "\n");
                if !content.is_empty() {
                    content.push_known("\n");
                }
                self.write_file(&file, mode, content);
            }
        }
        ways
    }

    /// What a command is given, with what is spread among it.
    fn given(&mut self, arguments: &[tree::Argument]) -> Vec<Given> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                tree::Argument::Value(value) => {
                    let span = value.span;
                    let value = Some(self.expression(value));
                    given.push(Given { name: None, value, span });
                }
                tree::Argument::Named { name, value, span } => {
                    let value = value.as_ref().map(|value| self.expression(value));
                    given.push(Given { name: Some(name.clone()), value, span: *span });
                }
                tree::Argument::Spread(of) => {
                    let span = of.span;
                    match self.expression(of) {
                        Value::Object(number) => {
                            let entries = self
                                .state
                                .objects
                                .get(number)
                                .map(|object| object.entries.clone())
                                .unwrap_or_default();
                            for (name, values) in entries {
                                let what = format!("part {number} {name}");
                                let value = Some(self.one_of(&what, span, values));
                                given.push(Given { name: Some(format!("-{name}")), value, span });
                            }
                        }
                        value => given.extend(value.elements().into_iter().map(|value| Given {
                            name: None,
                            value: Some(value),
                            span,
                        })),
                    }
                }
            }
        }
        given
    }

    /// Runs what a value names, or is.
    pub(super) fn invoke(
        &mut self,
        name: &Value,
        call: CallKind,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Vec<Value> {
        match name {
            Value::Block(closure) => {
                let closure = closure.clone();
                return self.call_block(&closure, given, input, call == CallKind::Here, span);
            }
            Value::Object(number) => {
                let object = self.state.objects.get(*number);
                if let Some(code) = object.filter(|it| it.class == "code") {
                    let code = code.made_of.clone();
                    let outer = self.state.get("args").map(<[Value]>::to_vec);
                    let args: Vec<Value> = given.iter().filter_map(|it| it.value.clone()).collect();
                    self.state.set("args", vec![Value::List(args.into())]);
                    let value = self.inner(&code, span);
                    self.state.set("args", outer.unwrap_or_else(|| vec![Value::Nothing]));
                    return vec![value];
                }
            }
            Value::List(values) if !values.is_empty() => {
                let first = values.first().cloned().unwrap_or(Value::Nothing);
                return self.invoke(&first, call, given, input, span);
            }
            _ => {}
        }
        let text = self.text(name);
        let Some(known) = text.as_known() else {
            return vec![self.run_program(&text, &given, input, span)];
        };
        let known = known.to_owned();
        if let Some(at) = self.function_named(&known) {
            return self.call_function(at, given, input, span);
        }
        vec![self.cmdlet(&text, &known, call, given, input, span)]
    }

    fn function_named(&self, name: &str) -> Option<usize> {
        let lower = name.to_ascii_lowercase();
        let bare = lower.rsplit(['\\', ':']).next().unwrap_or(&lower);
        let named = |wanted: &str| self.functions.iter().rposition(|held| held.name == wanted);
        named(&lower).or_else(|| named(bare).filter(|_| !lower.starts_with('.')))
    }

    pub(super) fn call_function(
        &mut self,
        at: usize,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Vec<Value> {
        let Some(function) = self.functions.get_mut(at) else { return vec![Value::Nothing] };
        function.called = true;
        if function.inside >= WITHIN_ITSELF {
            self.walk.gap(span, GapReason::Limit);
            return vec![Value::unknown("what calls itself")];
        }
        function.inside += 1;
        let closure = function.closure.clone();
        let values = self.call_block(&closure, given, input, false, span);
        if let Some(function) = self.functions.get_mut(at) {
            function.inside -= 1;
        }
        values
    }

    /// Runs a block with what it is given; `here` says that it makes names where its caller stands.
    pub(super) fn call_block(
        &mut self,
        closure: &Rc<Closure>,
        given: Vec<Given>,
        input: Option<Value>,
        here: bool,
        span: Span,
    ) -> Vec<Value> {
        if !here {
            self.state.enter();
        }
        let mut given = given;
        if !here && may_rehearse(&closure.source) {
            let before = given.len();
            given.retain(|one| !is_what_if(one));
            if given.len() < before {
                self.state.set("whatifpreference", vec![Value::known("True")]);
            }
        }
        self.bind(&closure.block.parameters, given, input.as_ref(), span);
        let returned = std::mem::take(&mut self.returned);
        let left = std::mem::take(&mut self.left);
        // Where something comes in, the block is for each of it.
        let elements = input.map(|input| self.spread(&input)).unwrap_or_default();
        let mut values = if elements.is_empty() {
            self.within(closure, Self::body)
        } else {
            self.state.set("input", vec![Value::of(elements.clone())]);
            let mut all = Vec::new();
            let more = self.each(&elements, span, |it, element| {
                it.state.set("_", vec![element]);
                it.within(closure, Self::body)
            });
            all.extend(more);
            all
        };
        if self.left {
            values.clear();
        }
        for value in std::mem::replace(&mut self.returned, returned) {
            if !values.iter().any(|held| held.is(&value)) {
                values.retain(|held| !matches!(held, Value::Nothing));
                values.push(value);
            }
        }
        self.left = left;
        if !here {
            self.state.leave();
        }
        if values.is_empty() { vec![Value::Nothing] } else { values }
    }

    /// Gives parameters what a call gives them.
    fn bind(
        &mut self,
        parameters: &[Parameter],
        given: Vec<Given>,
        input: Option<&Value>,
        span: Span,
    ) {
        let mut bound: Vec<Option<Vec<Value>>> = vec![None; parameters.len()];
        let mut rest = Vec::new();
        let mut given = given.into_iter().peekable();
        while let Some(one) = given.next() {
            let Some(name) = one.name.as_deref() else {
                rest.extend(one.value);
                continue;
            };
            let wanted = name.trim_start_matches('-').to_ascii_lowercase();
            let position = |exact: bool| {
                parameters.iter().position(|parameter| {
                    let name = parameter.name.to_ascii_lowercase();
                    if exact { name == wanted } else { name.starts_with(&wanted) }
                })
            };
            let Some(at) = position(true).or_else(|| position(false)) else {
                rest.push(Value::known(name));
                rest.extend(one.value);
                continue;
            };
            let is_switch = parameters.get(at).is_some_and(|it| it.kind == ParameterKind::Keyword);
            let value = match one.value {
                Some(value) => value,
                None if is_switch => Value::known("True"),
                None => match given.next_if(|next| next.name.is_none()) {
                    Some(next) => next.value.unwrap_or(Value::Nothing),
                    None => Value::known("True"),
                },
            };
            if let Some(slot) = bound.get_mut(at) {
                *slot = Some(vec![value]);
            }
        }
        let mut rest = rest.into_iter();
        for (slot, parameter) in bound.iter_mut().zip(parameters) {
            if slot.is_none() && parameter.kind == ParameterKind::Positional {
                let Some(value) = rest.next() else { break };
                *slot = Some(vec![value]);
            }
        }
        let is_free = |(slot, parameter): (&Option<Vec<Value>>, &Parameter)| {
            slot.is_none() && parameter.kind == ParameterKind::Positional
        };
        if let Some(input) = input
            && let Some(at) = bound.iter().zip(parameters).position(is_free)
            && let Some(slot) = bound.get_mut(at)
        {
            *slot = Some(vec![input.clone()]);
        }
        for (parameter, slot) in parameters.iter().zip(bound) {
            if parameter.kind == ParameterKind::Keyword && slot.is_some() {
                let mark = given_mark(&parameter.name.to_ascii_lowercase());
                self.state.set(&mark, vec![Value::Nothing]);
            }
            let values = match (slot, &parameter.default) {
                (Some(values), _) => values,
                (None, Some(default)) => self.in_rounds(span, |it| it.expression(default)),
                (None, None) => vec![Value::Nothing],
            };
            self.state.set(&parameter.name.to_ascii_lowercase(), values);
        }
        let rest: Vec<Value> = rest.collect();
        self.state.set("args", vec![Value::List(rest.into())]);
    }

    /// A call of something that is reached by a name.
    pub(super) fn called(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        span: Span,
    ) -> Value {
        let ExpressionKind::Member { of, name } = &function.kind else {
            let callee = self.expression(function);
            let given = self.values_given(arguments);
            let ways = self.invoke(&callee, CallKind::Value, given, None, span);
            return self.one_of("call", span, ways);
        };
        let holder = self.expression(of);
        let name = self.expression(name);
        let name = self.text(&name);
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.expression(argument)).collect();
        let Some(known) = name.as_known().map(str::to_ascii_lowercase) else {
            self.walk.gap(span, GapReason::UnknownProgram);
            return self.unknown_from("a method", &[&holder]);
        };
        if let Some(class) = self.class_of(&holder) {
            if known == "new"
                && let Some(made) = self.instance(&class, &values, span)
            {
                return made;
            }
            if let Some(at) = self.own_method(&class, &known) {
                let ways = self.call_own(at, &holder, &values, span);
                return self.one_of("method", span, ways);
            }
        }
        self.method(&holder, &known, &values, span)
    }

    fn values_given(&mut self, arguments: &[Expression]) -> Vec<Given> {
        let mut given = Vec::new();
        for argument in arguments {
            let value = Some(self.expression(argument));
            given.push(Given { name: None, value, span: argument.span });
        }
        given
    }

    /// The class of a thing, where the script may have made it.
    fn class_of(&self, holder: &Value) -> Option<String> {
        match holder {
            Value::Type(class) => Some(class.to_string()),
            Value::Object(number) => {
                self.state.objects.get(*number).map(|object| object.class.clone())
            }
            _ => None,
        }
    }

    /// A text as code that can be called.
    pub(super) fn code_value(&mut self, code: &Text) -> Value {
        let number = self.state.make(super::value::Object {
            class: "code".to_owned(),
            made_of: code.clone(),
            ..super::value::Object::default()
        });
        number.map_or_else(|| Value::Text(unknown_of(code, "code")), Value::Object)
    }

    /// Runs a program with the words that are given.
    pub(super) fn run_program(
        &mut self,
        name: &Text,
        given: &[Given],
        input: Option<Value>,
        span: Span,
    ) -> Value {
        let mut words = vec![Argument { text: powershell::paths::program(name), span }];
        for one in given {
            let value = one.value.as_ref();
            match (&one.name, value) {
                (Some(name), None) => {
                    words.push(Argument { text: Text::known(name.as_str()), span: one.span });
                }
                (Some(name), Some(value)) => {
                    let mut text = Text::known(name.as_str());
                    text.push_known(":");
                    text.append(&self.text(value));
                    words.push(Argument { text, span: one.span });
                }
                (None, Some(Value::Nothing)) | (None, None) => {}
                (None, Some(value)) => {
                    for element in value.elements() {
                        let text = powershell::paths::word(&self.text(&element));
                        words.push(Argument { text, span: one.span });
                    }
                }
            }
        }
        powershell::paths::fold(&mut words);
        let input = input.map(|input| self.text(&input));
        Value::Text(self.walk.run(&words, input))
    }

    /// Runs a file as a script: one of another machine is fetched.
    pub(super) fn script(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Value>,
    ) -> Value {
        let input = input.map(|input| self.text(&input));
        if powershell::paths::is_remote(&file.text) {
            let mut code = self.walk.connect(&powershell::paths::share(file), None, false);
            code.taint = code.taint.with(Taint::NETWORK);
            return Value::Text(self.walk.code(language, &code, file.span, arguments));
        }
        Value::Text(self.walk.script(language, file, arguments, input))
    }

    /// Writes a file, or sends it where the path is one of another machine.
    pub(super) fn write_file(&mut self, file: &Argument, mode: WriteMode, content: Text) {
        if powershell::paths::is_remote(&file.text) {
            self.send_to_share(file, content);
            return;
        }
        self.walk.write(file, mode, content);
    }

    /// Sends what a path on another machine is given. `\\server\C$`, `\\server\ADMIN$`: whoever administers that machine has its drives so.
    pub(super) fn send_to_share(&mut self, to: &Argument, content: Text) {
        if powershell::paths::is_of_administrators(&to.text) {
            self.walk.note("windows.remote.command", to.span);
        }
        self.walk.connect(&powershell::paths::share(to), Some(content), false);
    }

    /// A value as a path in the form of the rest of the world.
    pub(super) fn path_argument(&self, value: &Value, span: Span) -> Argument {
        let path = powershell::paths::slashed(&self.text(value));
        let root = |(name, rest): (String, Text)| {
            let mut whole = self.text(self.state.get(&name)?.first()?);
            whole.append(&rest);
            Some(whole)
        };
        let text = powershell::paths::on_named_drive(&path).and_then(root).unwrap_or(path);
        Argument { text, span }
    }
}

/// Whether what is written there is gone.
fn is_discarded(text: &Text) -> bool {
    text.as_known().is_some_and(|path| {
        path.is_empty() || path.eq_ignore_ascii_case("nul") || path == "/dev/null"
    })
}

/// What a secret in something makes of it.
pub(super) fn tainted(mut text: Text, taint: Taint) -> Text {
    text.taint = text.taint.with(taint);
    text
}
