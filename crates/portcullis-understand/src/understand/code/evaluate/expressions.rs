//! Expressions: what they are worth. Owns names, parts and the putting together of values.

use portcullis_syntax::{
    Span,
    tree::{Expression, ExpressionKind},
};

use super::{
    Dialect, Evaluator,
    value::{Object, Value, join, number, part},
};
use crate::{
    effect::GapReason,
    text::{Piece, Taint, Text},
};

impl Evaluator<'_, '_> {
    /// What an expression is worth in this round.
    pub(super) fn expression(&mut self, expression: &Expression) -> Value {
        let span = expression.span;
        if !self.walk.enter_level(span) {
            return Value::unknown("not read");
        }
        let value = self.worth(expression, span);
        self.walk.leave_level();
        value
    }

    fn worth(&mut self, expression: &Expression, span: Span) -> Value {
        match &expression.kind {
            ExpressionKind::Text(text) => Value::Text(self.walk.disembed(text)),
            ExpressionKind::Bare(word) => Value::Text(self.bare(word)),
            ExpressionKind::Joined(parts) => {
                let mut texts = Vec::with_capacity(parts.len());
                for part in parts {
                    let value = self.expression(part);
                    texts.push(self.text(&value));
                }
                Value::Text(join(texts, ""))
            }
            ExpressionKind::Variable(name) => self.variable(name),
            ExpressionKind::Member { of, name } => {
                let holder = self.expression(of);
                let name = self.expression(name);
                let name = self.text(&name);
                self.member(&holder, &name, span)
            }
            ExpressionKind::Index { of, at } => {
                let holder = self.expression(of);
                let at = self.expression(at);
                self.element(&holder, &at)
            }
            ExpressionKind::Call { function, arguments } => self.called(function, arguments, span),
            ExpressionKind::Command(command) => {
                let ways = self.command(command, None, span);
                self.one_of("command", span, ways)
            }
            ExpressionKind::Pipeline(stages) => self.pipeline(stages, span),
            ExpressionKind::Chain { left, operator, right } => {
                let first = self.expression(left);
                let (second, changes) = self.apart(|it| it.expression(right));
                let left_there = std::mem::take(&mut self.left);
                let ways = if *operator == "&" {
                    vec![changes]
                } else {
                    vec![changes, super::state::Changes::new()]
                };
                let _ = left_there;
                self.state.join(ways);
                Value::of(first.elements().into_iter().chain(second.elements()).collect())
            }
            ExpressionKind::Operator { name, operands } => self.operator(name, operands, span),
            ExpressionKind::List(values) => {
                let values = values.iter().map(|value| self.expression(value)).collect::<Vec<_>>();
                Value::List(values.into())
            }
            ExpressionKind::Map(entries) => {
                let mut object = Object { class: "map".to_owned(), ..Object::default() };
                for (key, value) in entries {
                    let key = self.expression(key);
                    let key = self.text(&key).display().to_ascii_lowercase();
                    let values = self.statement(value);
                    object.entries.push((key, values));
                }
                self.object(object)
            }
            ExpressionKind::Block(block) => Value::Block(self.closure(block)),
            ExpressionKind::Body(body) => {
                let ways = self.body(body);
                self.one_of("body", span, ways)
            }
            ExpressionKind::Type(name) => Value::Type(type_name(name).into()),
            ExpressionKind::Convert { to, of } => {
                let value = self.expression(of);
                self.convert(to, &value, span)
            }
            ExpressionKind::Opaque => {
                self.walk.gap(span, GapReason::Unparsed);
                Value::unknown("not understood")
            }
        }
    }

    /// A new thing; unknown where there are too many.
    pub(super) fn object(&mut self, object: Object) -> Value {
        let class = object.class.clone();
        self.state.make(object).map_or_else(|| Value::unknown(&class), Value::Object)
    }

    /// One of several ways, the same in one round.
    pub(super) fn one_of(&mut self, what: &str, span: Span, ways: Vec<Value>) -> Value {
        let layer = self.walk.layer().0;
        let name = format!("{what} {layer}:{}-{}", span.start, span.end);
        let at = self.choice.pick(&name, ways.len());
        ways.into_iter().nth(at).unwrap_or(Value::Nothing)
    }

    /// A word of a command: a home's mark and patterns are what they stand for.
    fn bare(&self, word: &str) -> Text {
        let text = self.walk.disembed(word);
        if self.dialect == Dialect::Batch || !word.contains(['*', '?', '[']) {
            return text;
        }
        let mut pattern = text.derive([]);
        for piece in text.pieces {
            match piece {
                Piece::Known(known) if known.contains(['*', '?', '[']) => {
                    let at = known.find(['*', '?', '[']).unwrap_or_default();
                    let from = known
                        .get(..at)
                        .and_then(|head| head.rfind(['/', '\\']))
                        .map_or(0, |slash| slash + 1);
                    pattern.push_known(known.get(..from).unwrap_or(""));
                    pattern.push(Piece::Glob(known.get(from..).unwrap_or("").to_owned()));
                }
                other => pattern.push(other),
            }
        }
        pattern
    }

    fn variable(&mut self, name: &str) -> Value {
        let lower = name.to_ascii_lowercase();
        let bare = lower
            .strip_prefix("script:")
            .or_else(|| lower.strip_prefix("global:"))
            .or_else(|| lower.strip_prefix("local:"))
            .or_else(|| lower.strip_prefix("private:"))
            .or_else(|| lower.strip_prefix("variable:"))
            .or_else(|| lower.strip_prefix("using:"))
            .unwrap_or(&lower);
        if let Some(values) = self.state.get(bare) {
            let count = values.len();
            let at = self.choice.pick(bare, count);
            return self
                .state
                .get(bare)
                .and_then(|values| values.get(at))
                .cloned()
                .unwrap_or(Value::Nothing);
        }
        if let Some(function) = bare.strip_prefix("function:") {
            let held = self.functions.iter().rev().find(|held| held.name == function);
            return held
                .map_or_else(|| Value::unknown(name), |held| Value::Block(held.closure.clone()));
        }
        self.predefined(bare, name)
    }

    /// What a name is that the script did not set.
    fn predefined(&self, lower: &str, name: &str) -> Value {
        let home = || match &self.walk.facts().home {
            Some(home) => Value::known(home.as_str()),
            None => Value::known("%USERPROFILE%"),
        };
        if let Some(variable) = lower.strip_prefix("env:") {
            let known = match variable {
                "home" | "userprofile" | "homepath" => return home(),
                "homedrive" => return Value::known(""),
                "appdata" | "localappdata" | "programdata" | "programfiles" | "systemdrive"
                | "systemroot" | "temp" | "tmp" | "windir" => {
                    format!("%{}%", variable.to_ascii_uppercase())
                }
                "allusersprofile" => "%PROGRAMDATA%".to_owned(),
                "public" => "C:/Users/Public".to_owned(),
                "programfiles(x86)" | "programw6432" => "C:/Program Files (x86)".to_owned(),
                "tmpdir" => "/tmp".to_owned(),
                "comspec" => "cmd".to_owned(),
                "cd" => return self.directory(),
                _ => return Value::Text(secret_by_name(Text::unknown(name))),
            };
            return Value::known(known);
        }
        match lower {
            "null" => Value::Nothing,
            "true" => Value::known("True"),
            "false" => Value::known("False"),
            "home" => home(),
            "pwd" | "psscriptroot" => self.directory(),
            "profile" => Value::known(PROFILE),
            "pshome" => Value::known("C:/Windows/System32/WindowsPowerShell/v1.0"),
            _ => Value::Text(secret_by_name(Text::unknown(name))),
        }
    }

    fn directory(&self) -> Value {
        self.walk.directory().map_or_else(|| Value::known("."), Value::known)
    }

    /// A part of a value by its name.
    pub(super) fn member(&mut self, holder: &Value, name: &Text, span: Span) -> Value {
        let lower = name.display().to_ascii_lowercase();
        match holder {
            Value::Object(number) => {
                if let Some(values) = self.state.part(*number, &lower) {
                    let values = values.to_vec();
                    return self.one_of(&format!("part {number} {lower}"), span, values);
                }
                self.part_of_object(*number, &lower)
            }
            Value::List(values) if !matches!(lower.as_str(), "length" | "count" | "rank") => {
                let each: Vec<Value> =
                    values.iter().map(|value| self.member(value, name, span)).collect();
                Value::of(each)
            }
            Value::List(values) => Value::known(values.len().to_string()),
            Value::Type(class) => {
                let class = class.clone();
                self.constant(&class, &lower, span)
            }
            Value::Block(closure) => Value::known(closure.source.as_str()),
            Value::Nothing => Value::Nothing,
            // `$PROFILE.CurrentUserAllHosts`: other files that are run as this one.
            Value::Text(text) if text.as_known() == Some(PROFILE) && lower.ends_with("hosts") => {
                holder.clone()
            }
            Value::Text(text) => Value::Text(member_of_text(text, &lower)),
        }
    }

    fn part_of_object(&mut self, number: usize, name: &str) -> Value {
        let whole = self.text(&Value::Object(number));
        let Some(object) = self.state.objects.get(number) else { return Value::unknown(name) };
        match name {
            "count" | "length" if object.class == "map" => {
                Value::known(object.entries.len().to_string())
            }
            "keys" if object.class == "map" => Value::of(
                object.entries.iter().map(|(key, _)| Value::known(key.as_str())).collect(),
            ),
            "values" if object.class == "map" => {
                Value::of(object.entries.iter().flat_map(|(_, values)| values.clone()).collect())
            }
            _ if object.class == "map" => Value::Nothing,
            // `(New-Object -ComObject WScript.Shell).SpecialFolders.Item('Startup')`
            "specialfolders" => {
                self.object(Object { class: "com specialfolders".to_owned(), ..Object::default() })
            }
            _ => Value::Text(secret_by_name(part(&whole, name))),
        }
    }

    fn element(&mut self, holder: &Value, at: &Value) -> Value {
        let wanted: Vec<Value> = match at {
            Value::List(many) => many.iter().map(|at| self.element(holder, at)).collect(),
            _ => {
                let key = self.text(at);
                let index = key.as_known().and_then(number);
                let value = match holder {
                    Value::Object(number) => {
                        let name = key.display().to_ascii_lowercase();
                        let object = self.state.objects.get(*number);
                        let items = object.map(|object| object.items.clone()).unwrap_or_default();
                        let values = self.state.part(*number, &name).map(<[Value]>::to_vec);
                        match (values, key.as_known()) {
                            (Some(values), _) => self.one_of(
                                &format!("part {number} {name}"),
                                Span::default(),
                                values,
                            ),
                            (None, Some(_)) => nth(&items, index).unwrap_or(Value::Nothing),
                            // Any of its parts.
                            (None, None) => {
                                let all: Vec<Value> = object_values(self, *number);
                                self.one_of(&format!("any {number}"), Span::default(), all)
                            }
                        }
                    }
                    Value::List(values) => match index {
                        Some(_) => nth(values, index).unwrap_or(Value::Nothing),
                        None => {
                            let all = values.to_vec();
                            self.one_of("element", Span::default(), all)
                        }
                    },
                    Value::Text(text) => match (text.as_known(), index) {
                        (Some(known), Some(_)) => {
                            let letters: Vec<Value> = known
                                .chars()
                                .map(|letter| Value::known(letter.to_string()))
                                .collect();
                            nth(&letters, index).unwrap_or(Value::Nothing)
                        }
                        _ => Value::Text(part(text, "element")),
                    },
                    other => other.clone(),
                };
                vec![value]
            }
        };
        let is_many = matches!(at, Value::List(_));
        if is_many { Value::List(wanted.into()) } else { Value::of(wanted) }
    }

    fn pipeline(&mut self, stages: &[Expression], span: Span) -> Value {
        let mut input: Option<Value> = None;
        for stage in stages {
            let output = match &stage.kind {
                ExpressionKind::Command(command) => {
                    let ways = self.command(command, input.take(), stage.span);
                    self.one_of("stage", stage.span, ways)
                }
                // A value or a block behind a bar takes nothing.
                _ => self.expression(stage),
            };
            input = Some(output);
        }
        let _ = span;
        input.unwrap_or(Value::Nothing)
    }
}

fn object_values(evaluator: &Evaluator<'_, '_>, number: usize) -> Vec<Value> {
    let Some(object) = evaluator.state.objects.get(number) else { return Vec::new() };
    let parts = object.entries.iter().flat_map(|(_, values)| values.iter());
    parts.chain(&object.items).cloned().collect()
}

/// The element at a place, from the end where it is negative.
fn nth(values: &[Value], at: Option<i64>) -> Option<Value> {
    let at = at?;
    let at = if at < 0 {
        usize::try_from(at.checked_add(i64::try_from(values.len()).ok()?)?).ok()?
    } else {
        usize::try_from(at).ok()?
    };
    values.get(at).cloned()
}

/// The file that every new PowerShell reads first.
pub(super) const PROFILE: &str = "~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1";

/// Members of what is listed or read that are the thing itself, or its text.
const ITSELF: &[&str] = &[
    "content",
    "definition",
    "fullname",
    "literalpath",
    "path",
    "providerpath",
    "pspath",
    "rawcontent",
    "scriptblock",
    "value",
    "values",
];

fn member_of_text(text: &Text, name: &str) -> Text {
    if ITSELF.contains(&name) {
        return text.clone();
    }
    match (name, text.as_known()) {
        ("length" | "count", Some(known)) => Text::known(known.chars().count().to_string()),
        ("directory" | "directoryname" | "parent", _) => {
            let pattern = text.as_pattern().unwrap_or_default();
            match pattern.rfind(['/', '\\']) {
                Some(at) if at > 0 => {
                    text.derive([Piece::Known(pattern.get(..at).unwrap_or("").to_owned())])
                }
                _ => part(text, name),
            }
        }
        _ => secret_by_name(part(text, name)),
    }
}

/// What is called a password is taken for one.
pub(super) fn secret_by_name(mut text: Text) -> Text {
    let shown = text.display().to_ascii_uppercase();
    let is_secret =
        ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL"].iter().any(|word| shown.contains(word));
    if is_secret && text.has_unknown() {
        text.taint = text.taint.with(Taint::SECRET);
    }
    text
}

/// A type's name as it is compared: in lower case, without `System.`, what it is generic in, and lists.
pub(super) fn type_name(written: &str) -> String {
    let lower = written.trim().to_ascii_lowercase();
    let bare = lower.split(['[', ',', '(']).next().unwrap_or("").trim();
    let is_list = lower.ends_with("[]");
    let name = bare.strip_prefix("system.").unwrap_or(bare);
    if is_list { format!("{name}[]") } else { name.to_owned() }
}
