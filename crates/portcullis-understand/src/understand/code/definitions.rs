//! Definitions: functions, classes, decorators. Owns where their bodies and parameters are.

use std::rc::Rc;

use portcullis_syntax::code::TokenKind;

use super::{
    interpreter::{Function, Interpreter, Parameter},
    loops::BODY,
    value::{Given, Value},
};
use crate::{bound::Bounded, effect::GapReason};

/// How many decorators of one function are read, and of how many classes the fields are kept.
const DECORATORS: usize = 8;

/// See [`DECORATORS`].
const CLASSES: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// `@function` in front of what is called with it, where that is a function of a library that runs what it is given.
    pub(super) fn decorators(&mut self) {
        let start = self.at;
        let mut decorators = Vec::new();
        while self.word() == "@" && self.at < self.end {
            if decorators.len() >= DECORATORS {
                let span = self.span_from(self.at);
                self.walk.gap(span, GapReason::Limit);
                break;
            }
            self.at += 1;
            let before = self.at;
            decorators.push(self.expression(0));
            if self.at == before {
                return;
            }
        }
        if !decorators.iter().any(|decorator| self.holds_function(decorator)) {
            return;
        }
        let span = self.span_from(start);
        let mut value = Value::unknown("a function");
        for decorator in decorators.into_iter().rev() {
            let given = vec![Given { name: None, value, span }];
            value = self.call_value(decorator, given, span);
        }
    }

    /// The fields of a class that are functions which run what they are given, by the names that reach them.
    pub(super) fn keep_field(&mut self, index: usize, name: &str, value: &Value) {
        let class = self.classes.iter().rev().find(|(_, body)| body.contains(&index));
        let Some((class, _)) = class.filter(|_| self.holds_function(value)) else { return };
        let names = [format!("{class}.{name}"), format!("self.{name}"), format!("cls.{name}")];
        for name in names {
            self.bind(name, value.clone());
        }
    }

    /// `class Name(Base):`
    pub(super) fn class(&mut self) {
        let start = self.at;
        self.at += 2;
        if self.language != "python" {
            return;
        }
        if self.classes.len() >= CLASSES {
            let span = self.span_from(start);
            self.walk.gap(span, GapReason::Limit);
            return;
        }
        let name = self.word_at(start + 1).to_owned();
        if self.word() == "(" {
            let close = self.partner(self.at);
            for base in self.names(self.at + 1, close) {
                let from = format!("{base}.");
                let fields = self.variables.iter().filter_map(|(path, value)| {
                    let field = path.strip_prefix(&from)?;
                    Some((format!("{name}.{field}"), value.clone()))
                });
                for (path, value) in fields.collect::<Vec<_>>() {
                    self.bind(path, value);
                }
            }
        }
        let end = self.block_end(start);
        self.classes.push((name, self.at..end));
    }

    /// Where the block of the line around `index` ends.
    pub(super) fn block_end(&self, index: usize) -> usize {
        let line = (0..=index)
            .rev()
            .leading(64)
            .find(|index| self.unit.tokens.get(*index).is_some_and(|token| token.first))
            .unwrap_or(index);
        self.unit.blocks.get(line).copied().unwrap_or(self.end).min(self.end)
    }

    pub(super) fn define(&mut self) {
        let start = self.at;
        let name = self.word_at(start + 1).to_owned();
        self.at = start + 2;
        while self.word() == "." || self.word() == ":" {
            self.at += 2;
        }
        let name = if self.at > start + 2 { self.word_at(self.at - 1).to_owned() } else { name };
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(self.at);
            parameters = self.parameters(self.at + 1, close);
            self.at = close + 1;
        }
        let body = match self.language {
            "python" => {
                let end = self.block_end(start);
                while self.at < end && self.word() != ":" {
                    self.at = self.partner_or_next(self.at);
                }
                self.at + 1..end
            }
            // Their blocks end with a word; they are read where they stand.
            "ruby" | "lua" | "julia" => {
                for Parameter { name, .. } in parameters {
                    let unknown = Value::unknown(&name);
                    self.variables.entry(name).or_insert(unknown);
                }
                return;
            }
            _ => {
                while self.at < self.end && !matches!(self.word(), "{" | ";") {
                    self.at = self.partner_or_next(self.at);
                }
                if self.word() != "{" {
                    return;
                }
                self.at + 1..self.partner(self.at)
            }
        };
        self.at = body.end.max(self.at);
        if parameters.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "cls")) {
            parameters.remove(0);
        }
        let index = self.functions.len();
        self.functions.push(Function {
            parameters,
            body,
            unit: Rc::clone(&self.unit),
            called: false,
            is_cut: false,
            is_read_anew: false,
            active: false,
            expression: false,
        });
        if matches!(name.as_str(), "__reduce__" | "__reduce_ex__") && self.source.contains("loads(")
        {
            let span = self.unit.tokens.get(start).map(|token| token.span).unwrap_or_default();
            self.walk.note("code.deserialize.untrusted", span);
        }
        self.endless_calls(&name, index);
        self.named.insert(name, index);
    }

    /// A function that starts copies of the program and calls itself whatever happens.
    pub(super) fn endless_calls(&mut self, name: &str, index: usize) {
        let Some(body) = self.functions.get(index).map(|function| function.body.clone()) else {
            return;
        };
        let again = (body.start..body.end.min(body.start + BODY))
            .any(|index| self.word_at(index) == name && self.word_at(index + 1) == "(");
        let chooses = (body.start..body.end.min(body.start + BODY))
            .any(|index| matches!(self.word_at(index), "if" | "?" | "while" | "for"));
        if again && !chooses && self.multiplies(body.start, body.end) {
            let span = self.span_from(body.start);
            self.walk.note("code.fork.loop", span);
        }
    }

    fn partner_or_next(&self, index: usize) -> usize {
        match self.unit.partners.get(index) {
            Some(partner) if *partner > index => partner + 1,
            _ => index + 1,
        }
    }

    /// The names between two tokens: a name after the opening bracket or a comma.
    pub(super) fn parameters(&self, start: usize, end: usize) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut expects = true;
        let mut index = start;
        while index < end && parameters.len() < 32 {
            let word = self.word_at(index);
            match word {
                "," => expects = true,
                "*" | "**" | "&" | "..." | "|" => {}
                "[" | "{" if expects && self.language == "javascript" => {
                    parameters.push(Parameter { name: word.to_owned(), at: index });
                    expects = false;
                }
                _ if expects => {
                    let named = self.token_at(index).is_some_and(|token| {
                        matches!(token.kind, TokenKind::Name | TokenKind::Variable)
                    });
                    if named {
                        parameters.push(Parameter { name: word.to_owned(), at: index });
                    }
                    expects = false;
                }
                _ => {}
            }
            index = self.partner_or_next(index);
        }
        parameters
    }

    /// The names of those.
    pub(super) fn names(&self, start: usize, end: usize) -> Vec<String> {
        self.parameters(start, end).into_iter().map(|parameter| parameter.name).collect()
    }
}
