//! Functions that stand in expressions. Owns where their parameters and bodies are.

use std::rc::Rc;

use super::{
    interpreter::{Function, Interpreter, Parameter},
    value::Value,
};

impl Interpreter<'_, '_, '_> {
    pub(super) fn lambda(&mut self) -> Value {
        self.at += 1;
        let mut colon = self.at;
        while colon < self.end && self.word_at(colon) != ":" {
            colon += 1;
        }
        let parameters = self.parameters(self.at, colon);
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

    fn braced_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let close = self.partner(self.at);
        let body = self.at + 1..close;
        self.at = close + 1;
        self.push_function(parameters, body, false)
    }

    /// The expression that follows, as a function's body.
    fn rest_as_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let start = self.at;
        while self.at < self.end
            && !matches!(self.word(), "," | ")" | "]" | "}" | ";")
            && (self.continues() || self.at == start)
        {
            self.at = match self.unit.partners.get(self.at) {
                Some(partner) if *partner > self.at => partner + 1,
                _ => self.at + 1,
            };
        }
        self.at = self.at.min(self.end);
        // Functions in functions are each looked through to the same end.
        self.spend(self.at.saturating_sub(start) / 8);
        self.push_function(parameters, start..self.at, true)
    }

    fn push_function(
        &mut self,
        parameters: Vec<Parameter>,
        body: std::ops::Range<usize>,
        expression: bool,
    ) -> Value {
        let index = self.functions.len();
        self.functions.push(Function {
            parameters,
            body,
            unit: Rc::clone(&self.unit),
            called: false,
            is_cut: false,
            is_read_anew: false,
            active: false,
            expression,
        });
        Value::Function(index)
    }
}
