//! Statements: what runs, in which order, and what is known after. Owns lists, pipelines and compound commands; simple
//! commands are read by `run`.

use std::rc::Rc;

use portcullis_syntax::shell::{Command, CommandKind, Part, PartKind, Pipeline, Statement, Word};

use super::{
    ROUNDS,
    state::{Changes, Function, Value},
    walk::Walk,
};
use crate::{
    effect::Certainty,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// Reads statements in order; gives what they print together.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Text {
        let mut printed = Text::default();
        for statement in statements {
            if !self.spend(statement.span) {
                break;
            }
            let outer = self.concurrent;
            self.concurrent |= statement.background;
            let more = self.pipeline(&statement.first);
            printed.append(&more);
            for (_, pipeline) in &statement.rest {
                let mark = self.state.mark();
                let more = self.pipeline(pipeline);
                printed.append(&more);
                self.state.widen(mark);
            }
            self.concurrent = outer;
        }
        printed
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Text {
        if let [only] = pipeline.stages.as_slice() {
            return self.command(only);
        }
        let outer_input = self.input.clone();
        let outer_concurrent = std::mem::replace(&mut self.concurrent, true);
        let mut printed = Text::default();
        for (index, stage) in pipeline.stages.iter().enumerate() {
            if index > 0 {
                self.input = Some(std::mem::take(&mut printed));
            }
            let mark = self.state.mark();
            printed = self.command(stage);
            self.state.roll_back(mark);
        }
        self.input = outer_input;
        self.concurrent = outer_concurrent;
        printed
    }

    /// Reads one command with its redirections; gives what it prints.
    pub(super) fn command(&mut self, command: &Command) -> Text {
        if !self.enter_level(command.span) {
            return Text::unknown("a command");
        }
        let printed = if let CommandKind::Simple { assignments, words } = &command.kind {
            self.simple(assignments, words, &command.redirects, command.span)
        } else if command.redirects.is_empty() {
            self.compound(command)
        } else {
            let wiring = self.wiring(&command.redirects);
            let input = self.input_of(&wiring);
            let outer = std::mem::replace(&mut self.input, input);
            let printed = self.compound(command);
            self.input = outer;
            self.deliver(wiring, printed)
        };
        self.leave_level();
        printed
    }

    fn compound(&mut self, command: &Command) -> Text {
        match &command.kind {
            CommandKind::Simple { .. } | CommandKind::Unparsed => Text::default(),
            CommandKind::Group(body) => self.statements(body),
            CommandKind::Subshell(body) => {
                let mark = self.state.mark();
                let printed = self.statements(body);
                self.state.roll_back(mark);
                printed
            }
            CommandKind::If { branches, otherwise } => self.branches(branches, otherwise),
            CommandKind::While { condition, body, .. } => {
                let mark = self.state.mark();
                let printed = self.repeat(condition, body);
                self.state.widen(mark);
                printed
            }
            CommandKind::For { variable, words, body, select } => {
                self.each(variable, words.as_deref(), body, *select)
            }
            CommandKind::ArithmeticFor { header, body } => {
                let expression = self.single(header);
                for name in assigned_names(&expression.display()) {
                    self.state.assign(&name, vec![Value::unknown(&name)]);
                }
                self.statements(body)
            }
            CommandKind::Case { subject, arms } => {
                self.single(subject);
                let mut printed = Text::default();
                let mut changes = Vec::with_capacity(arms.len());
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.single(pattern);
                    }
                    let (more, left) = self.branch(&arm.body);
                    printed.append(&more);
                    changes.push(left);
                }
                self.state.merge(changes, false);
                printed
            }
            CommandKind::Function { name, body } => {
                let name = self.single(name);
                if let Some(name) = name.as_known() {
                    let function = Function {
                        body: Rc::new((**body).clone()),
                        layer: self.layer,
                        called: false,
                    };
                    self.state.define(name, function);
                } else {
                    self.at_most(Certainty::Possible, |walk| walk.command(body));
                }
                Text::default()
            }
            CommandKind::Conditional(words) => {
                for word in words {
                    let text = self.single(word);
                    self.subscripts(&text, word.span);
                }
                Text::default()
            }
            CommandKind::Arithmetic(word) => {
                let expression = self.single(word);
                self.subscripts(&expression, word.span);
                Text::default()
            }
            CommandKind::Coprocess { name, body } => {
                if let Some(name) = name {
                    self.single(name);
                }
                let outer = std::mem::replace(&mut self.concurrent, true);
                // Whatever the script writes to its descriptor comes in.
                let input = self.input.replace(Text::unknown("a coprocess"));
                self.command(body);
                self.input = input;
                self.concurrent = outer;
                Text::default()
            }
        }
    }

    fn branches(
        &mut self,
        branches: &[(Vec<Statement>, Vec<Statement>)],
        otherwise: &[Statement],
    ) -> Text {
        let mut printed = Text::default();
        let mut changes = Vec::with_capacity(branches.len() + 1);
        for (condition, body) in branches {
            let more = self.statements(condition);
            printed.append(&more);
            let (more, left) = self.branch(body);
            printed.append(&more);
            changes.push(left);
        }
        if !otherwise.is_empty() {
            let (more, left) = self.branch(otherwise);
            printed.append(&more);
            changes.push(left);
        }
        self.state.merge(changes, !otherwise.is_empty());
        printed
    }

    fn branch(&mut self, body: &[Statement]) -> (Text, Changes) {
        let mark = self.state.mark();
        let printed = self.at_most(Certainty::Likely, |walk| walk.statements(body));
        (printed, self.state.roll_back(mark))
    }

    /// A `while` loop: once, and again as long as `read` finds known lines.
    fn repeat(&mut self, condition: &[Statement], body: &[Statement]) -> Text {
        let mut printed = Text::default();
        if let (Some(first), Some(_)) = (condition.first(), body.first())
            && condition.iter().all(never_fails)
            && body.iter().all(|statement| statement.background)
        {
            self.note("system.process.fork-bomb", first.span);
        }
        for _ in 0..ROUNDS {
            let before = self.input.clone();
            let more = self.statements(condition);
            printed.append(&more);
            let consumed = self.input != before;
            let more = self.at_most(Certainty::Likely, |walk| walk.statements(body));
            printed.append(&more);
            if !consumed || self.input.as_ref().is_none_or(Text::is_empty) {
                break;
            }
        }
        printed
    }

    fn each(
        &mut self,
        variable: &Word,
        words: Option<&[Word]>,
        body: &[Statement],
        select: bool,
    ) -> Text {
        let name = self.single(variable);
        let name = name.as_known().unwrap_or("").to_owned();
        let values: Vec<Text> = match words {
            Some(words) => {
                self.arguments(words).into_iter().map(|argument| argument.text).collect()
            }
            None => self.state.positional().iter().skip(1).cloned().collect(),
        };
        let mut printed = Text::default();
        if values.is_empty() {
            // Nothing would run; but what a name expands to is only our guess.
            self.state.assign(&name, vec![Value::unknown(&name)]);
            return self.at_most(Certainty::Likely, |walk| walk.statements(body));
        }
        let certainty = if select { Certainty::Likely } else { Certainty::Certain };
        let followed = if values.len() > ROUNDS { ROUNDS - 1 } else { values.len() };
        for value in values.iter().take(followed) {
            self.state.assign(&name, vec![Value::Scalar(value.clone())]);
            let more = self.at_most(certainty, |walk| walk.statements(body));
            printed.append(&more);
        }
        if followed < values.len() {
            let mut rest = Text::unknown(&name);
            for value in values.iter().skip(followed) {
                rest.inherit(value);
            }
            if values
                .iter()
                .all(|value| value.as_known().is_some_and(|known| known.parse::<i64>().is_ok()))
            {
                rest = rest.derive(vec![Piece::Glob("[0-9]*".to_owned())]);
            }
            self.state.assign(&name, vec![Value::Scalar(rest)]);
            let more = self.at_most(Certainty::Likely, |walk| walk.statements(body));
            printed.append(&more);
        }
        printed
    }
}

/// The names before `=`, `++` and `--` in an arithmetic expression.
fn assigned_names(expression: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    for character in expression.chars() {
        if character.is_ascii_alphanumeric() || character == '_' {
            name.push(character);
        } else {
            let starts = name.chars().next().is_some_and(|first| !first.is_ascii_digit());
            if starts && names.len() < 16 && !names.contains(&name) {
                names.push(name.clone());
            }
            name.clear();
        }
    }
    names
}

/// Whether a loop's condition is `true` or `:` and nothing else.
fn never_fails(statement: &Statement) -> bool {
    let [Command { kind: CommandKind::Simple { words, .. }, .. }] =
        statement.first.stages.as_slice()
    else {
        return false;
    };
    statement.rest.is_empty()
        && !statement.first.negated
        && matches!(
            words.as_slice(),
            [Word { parts, .. }] if matches!(
                parts.as_slice(),
                [Part { kind: PartKind::Literal(name), .. }] if matches!(&**name, "true" | ":")
            )
        )
}
