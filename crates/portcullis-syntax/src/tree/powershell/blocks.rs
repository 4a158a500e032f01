//! Blocks of PowerShell: functions, classes, and what they take.

use std::rc::Rc;

use super::{Parser, defaults, is_name};
use crate::{
    Span,
    tree::{Block, Parameter, ParameterKind, Statement, StatementKind},
};

impl Parser<'_> {
    pub(super) fn function(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        self.skip_lines();
        let name = self.cursor.take_while(|letter| {
            !letter.is_whitespace() && !matches!(letter, '(' | '{' | ';' | ')' | '}')
        });
        let name = name.rsplit(':').next().unwrap_or(name).to_owned();
        self.skip_lines();
        let parameters =
            if self.cursor.peek() == Some('(') { self.parameters() } else { Vec::new() };
        let mut block = self.block();
        if !parameters.is_empty() {
            block.parameters.splice(..0, parameters);
        }
        StatementKind::Function { name, block: Rc::new(block) }
    }

    pub(super) fn class(&mut self, after: usize) -> StatementKind {
        self.cursor.at = after;
        self.skip_lines();
        let name = self.cursor.take_while(is_name).to_owned();
        self.cursor.take_while(|letter| !matches!(letter, '{' | '\n' | ';'));
        let mut body = Vec::new();
        if !self.open('{') || !self.cursor.enter() {
            return StatementKind::Class { name, body };
        }
        loop {
            self.skip_between();
            self.skip_attributes();
            let start = self.cursor.at;
            match self.cursor.peek() {
                None => break,
                Some('}') => {
                    self.cursor.bump();
                    break;
                }
                Some('$') => {
                    let kind = self.simple();
                    body.push(Statement::new(kind, start, self.cursor.at));
                }
                Some(_) => {
                    let member = self.cursor.take_while(is_name).to_owned();
                    self.skip_lines();
                    if self.cursor.peek() == Some('(') {
                        let parameters = self.parameters();
                        self.skip_lines();
                        if self.cursor.eat(":") {
                            self.skip_lines();
                            self.cursor.take_while(|letter| letter != '{');
                        }
                        let mut block = self.block();
                        block.parameters.splice(..0, parameters);
                        let kind = StatementKind::Function { name: member, block: Rc::new(block) };
                        body.push(Statement::new(kind, start, self.cursor.at));
                    } else if self.cursor.eat("=") {
                        self.skip_lines();
                        body.extend(self.statement());
                    } else if self.cursor.at == start {
                        self.cursor.bump();
                        self.cursor.misplaced(start);
                    }
                }
            }
        }
        self.cursor.leave();
        StatementKind::Class { name, body }
    }

    /// `{ … }` as code.
    pub(super) fn block(&mut self) -> Block {
        let mut block = Block::default();
        let start = self.cursor.at;
        if self.open('{') {
            if self.cursor.enter() {
                self.skip_between();
                let first = self.cursor.at;
                self.skip_attributes();
                if self.keyword().as_deref() == Some("param") {
                    self.cursor.at += "param".len();
                    block.parameters = self.parameters();
                } else {
                    // `[IO.File]::Delete($it)` is no attribute of what is taken.
                    self.cursor.at = first;
                }
                self.statements(&mut block.body);
                self.cursor.leave();
            }
            self.close('}', start);
        } else {
            self.cursor.misplaced(start);
        }
        block.span = Span::new(start, self.cursor.at);
        block
    }

    pub(super) fn block_body(&mut self) -> Vec<Statement> {
        let Block { parameters, mut body, .. } = self.block();
        body.splice(..0, defaults(parameters));
        body
    }

    /// `( [type] $name = default, … )`
    pub(super) fn parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        self.skip_lines();
        let start = self.cursor.at;
        if !self.open('(') {
            return parameters;
        }
        loop {
            self.skip_between();
            let before = self.cursor.at;
            self.skip_attributes();
            let said = self.cursor.slice(before, self.cursor.at).to_ascii_lowercase();
            match self.cursor.peek() {
                Some('$') => {
                    self.cursor.bump();
                    let name = self.variable_name();
                    self.skip_lines();
                    let mut default = None;
                    if self.cursor.eat("=") {
                        self.skip_lines();
                        default = Some(self.whole_expression());
                    }
                    // A switch takes no value from its place, and none that stands behind its name.
                    let is_switch =
                        ["[switch]", "switchparameter]"].iter().any(|it| said.contains(it));
                    let kind =
                        if is_switch { ParameterKind::Keyword } else { ParameterKind::Positional };
                    parameters.push(Parameter { name, kind, default });
                }
                Some(',') => {
                    self.cursor.bump();
                }
                _ => break,
            }
        }
        self.close(')', start);
        parameters
    }
}
