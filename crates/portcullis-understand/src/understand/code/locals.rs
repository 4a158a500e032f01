//! Names of a function's own. Owns which those are by what stands in its body, and what becomes of a name outside that is called alike.

use std::{ops::Range, rc::Rc};

use super::{
    interpreter::{Interpreter, Unit},
    value::Value,
};

/// How many names of its own a function has that are told from those around it.
const LOCALS: usize = 64;

/// Words of JavaScript behind which parentheses and braces are no function.
const CONTROL: &[&str] = &["catch", "for", "if", "switch", "while", "with"];

/// What the names of a function were worth before it was called.
pub(super) struct Outside {
    values: Vec<(String, Option<Value>)>,
    /// How many functions there were.
    functions: usize,
}

impl Interpreter<'_, '_, '_> {
    /// The names that a body binds for itself alone.
    pub(super) fn locals(&mut self, unit: &Unit, body: Range<usize>) -> Rc<[String]> {
        self.spend(body.len() / 8);
        let names = match self.language {
            "python" => self.locals_of_python(unit, body),
            "javascript" => self.locals_of_javascript(unit, body),
            _ => Vec::new(),
        };
        names.into()
    }

    fn locals_of_python(&self, unit: &Unit, body: Range<usize>) -> Vec<String> {
        let word = |at: usize| self.word_of(unit, at);
        let is_name = |at: usize| self.is_name_of(unit, at);
        let (mut names, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut at = body.start;
        while at < body.end && names.len() < LOCALS {
            match word(at) {
                "global" | "nonlocal" => {
                    let mut next = at + 1;
                    while next < body.end && is_name(next) {
                        others.push(word(next).to_owned());
                        next += if word(next + 1) == "," { 2 } else { body.len() };
                    }
                }
                "for" => {
                    let mut next = at + 1;
                    while next < body.end && word(next) != "in" {
                        if is_name(next) {
                            names.push(word(next).to_owned());
                        }
                        next += 1;
                    }
                }
                "as" if is_name(at + 1) => names.push(word(at + 1).to_owned()),
                ":=" | "=" | "+=" if at > body.start && is_name(at - 1) => {
                    // `first, second = …`
                    let mut last = at - 1;
                    loop {
                        let is_whole = last == body.start
                            || !matches!(word(last - 1), "." | "(") && word(last) != "self";
                        if is_whole {
                            names.push(word(last).to_owned());
                        }
                        if last < body.start + 2 || word(last - 1) != "," || !is_name(last - 2) {
                            break;
                        }
                        last -= 2;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        names.retain(|name| !others.contains(name));
        names.sort_unstable();
        names.dedup();
        names
    }

    fn locals_of_javascript(&self, unit: &Unit, body: Range<usize>) -> Vec<String> {
        let word = |at: usize| self.word_of(unit, at);
        let mut names = Vec::new();
        let mut at = body.start;
        while at < body.end && names.len() < LOCALS {
            let opens_function = word(at) == "{"
                && at > body.start
                && match word(at - 1) {
                    "=>" => true,
                    ")" => {
                        let open = unit.partners.get(at - 1).copied().unwrap_or(0);
                        open == 0 || !CONTROL.contains(&word(open - 1))
                    }
                    _ => false,
                };
            if opens_function {
                at = unit.partners.get(at).copied().filter(|it| *it > at).unwrap_or(at) + 1;
                continue;
            }
            if matches!(word(at), "const" | "let" | "var") {
                let next = at + 1;
                let end = match word(next) {
                    "[" | "{" => unit.partners.get(next).copied().unwrap_or(next),
                    _ => next,
                };
                let bound = (next..=end).filter(|at| self.is_name_of(unit, *at));
                names.extend(bound.map(|at| word(at).to_owned()));
            }
            at += 1;
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn word_of(&self, unit: &Unit, at: usize) -> &str {
        use portcullis_syntax::code::TokenKind;
        match unit.tokens.get(at) {
            Some(token) if matches!(token.kind, TokenKind::Name | TokenKind::Operator) => {
                token.span.of(self.source)
            }
            _ => "",
        }
    }

    fn is_name_of(&self, unit: &Unit, at: usize) -> bool {
        use portcullis_syntax::code::TokenKind;
        unit.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name)
    }

    /// What the names are worth outside of a function that is called now.
    pub(super) fn outside(&self, locals: &[String]) -> Outside {
        let value = |name: &String| (name.clone(), self.variables.get(name).cloned());
        Outside { values: locals.iter().map(value).collect(), functions: self.functions.len() }
    }

    /// The function is left: its names are what they were outside. Where a function that was made in it names one, it may be both.
    pub(super) fn leave_locals(&mut self, outside: Outside) {
        for (name, value) in outside.values {
            let Some(before) = value else { continue };
            let made = self.functions.get(outside.functions..).unwrap_or_default();
            let is_kept = made.iter().any(|function| {
                let mut body = function.body.clone();
                body.any(|at| self.word_of(&function.unit, at) == name)
            });
            let value = match self.variables.get(&name) {
                Some(inside) if is_kept => before.or(inside.clone()),
                _ => before,
            };
            self.bind(name, value);
        }
    }
}
