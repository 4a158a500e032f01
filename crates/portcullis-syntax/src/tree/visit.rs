//! All nodes of a tree, one by one. Owns the order (each before what lies in it) and knows every place where one holds another.

use super::{Argument, Block, Expression, ExpressionKind, Pattern, Statement, StatementKind, Tree};
use crate::Span;

/// Where each statement and expression of a tree stands, each before those in it, with how deep it lies.
#[must_use]
pub fn spans(tree: &Tree) -> Vec<(Span, usize)> {
    let mut found = Found(Vec::new());
    found.body(&tree.body, 0);
    found.0
}

struct Found(Vec<(Span, usize)>);

impl Found {
    fn body(&mut self, body: &[Statement], depth: usize) {
        for statement in body {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        self.0.push((statement.span, depth));
        let depth = depth + 1;
        match &statement.kind {
            StatementKind::Expression(expression) | StatementKind::Goto(expression) => {
                self.expression(expression, depth);
            }
            StatementKind::Assign { target, operator: _, value } => {
                self.pattern(target, depth);
                self.statement(value, depth);
            }
            StatementKind::If(branches) => {
                for branch in branches {
                    self.maybe(branch.condition.as_ref(), depth);
                    self.body(&branch.body, depth);
                }
            }
            StatementKind::Switch { subject, branches } => {
                self.expression(subject, depth);
                for branch in branches {
                    self.maybe(branch.condition.as_ref(), depth);
                    self.body(&branch.body, depth);
                }
            }
            StatementKind::Each { target, over, body } => {
                self.pattern(target, depth);
                self.expression(over, depth);
                self.body(body, depth);
            }
            StatementKind::Loop { start, condition, step, body, first: _ } => {
                start.iter().for_each(|it| self.statement(it, depth));
                self.maybe(condition.as_ref(), depth);
                step.iter().for_each(|it| self.statement(it, depth));
                self.body(body, depth);
            }
            StatementKind::Try { body, handlers, last } => {
                self.body(body, depth);
                handlers.iter().for_each(|it| self.body(it, depth));
                self.body(last, depth);
            }
            StatementKind::Function { name: _, block } => self.block(block, depth),
            StatementKind::Class { name: _, body } | StatementKind::Group(body) => {
                self.body(body, depth);
            }
            StatementKind::Leave(value) => {
                value.iter().for_each(|it| self.statement(it, depth));
            }
            StatementKind::Skip | StatementKind::Label(_) | StatementKind::Opaque => {}
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for parameter in &block.parameters {
            self.maybe(parameter.default.as_ref(), depth);
        }
        self.body(&block.body, depth);
    }

    fn pattern(&mut self, pattern: &Pattern, depth: usize) {
        let Pattern { before, rest, after } = pattern;
        before.iter().for_each(|it| self.expression(it, depth));
        rest.iter().for_each(|it| self.expression(it, depth));
        after.iter().for_each(|it| self.expression(it, depth));
    }

    fn maybe(&mut self, expression: Option<&Expression>, depth: usize) {
        expression.into_iter().for_each(|it| self.expression(it, depth));
    }

    fn expression(&mut self, expression: &Expression, depth: usize) {
        self.0.push((expression.span, depth));
        let depth = depth + 1;
        match &expression.kind {
            ExpressionKind::Text(_)
            | ExpressionKind::Bare(_)
            | ExpressionKind::Variable(_)
            | ExpressionKind::Type(_)
            | ExpressionKind::Opaque => {}
            ExpressionKind::Joined(all)
            | ExpressionKind::Pipeline(all)
            | ExpressionKind::List(all)
            | ExpressionKind::Operator { name: _, operands: all } => {
                all.iter().for_each(|it| self.expression(it, depth));
            }
            ExpressionKind::Member { of, name: other }
            | ExpressionKind::Index { of, at: other } => {
                self.expression(of, depth);
                self.expression(other, depth);
            }
            ExpressionKind::Call { function, arguments } => {
                self.expression(function, depth);
                arguments.iter().for_each(|it| self.expression(it, depth));
            }
            ExpressionKind::Command(command) => {
                self.expression(&command.name, depth);
                for argument in &command.arguments {
                    match argument {
                        Argument::Value(value) | Argument::Spread(value) => {
                            self.expression(value, depth);
                        }
                        Argument::Named { name: _, value, span } => {
                            self.0.push((*span, depth));
                            self.maybe(value.as_ref(), depth);
                        }
                    }
                }
                command.redirects.iter().for_each(|it| self.expression(&it.file, depth));
            }
            ExpressionKind::Chain { left, operator: _, right } => {
                self.expression(left, depth);
                self.expression(right, depth);
            }
            ExpressionKind::Map(entries) => {
                for (key, value) in entries {
                    self.expression(key, depth);
                    self.statement(value, depth);
                }
            }
            ExpressionKind::Block(block) => self.block(block, depth),
            ExpressionKind::Body(body) => self.body(body, depth),
            ExpressionKind::Convert { to: _, of } => self.expression(of, depth),
        }
    }
}
