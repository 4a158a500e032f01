//! Statements: what runs, in which order, and what is known after. Owns lists, pipelines and compound commands; simple
//! commands are read by `run`.

use std::rc::Rc;

use portcullis_syntax::shell::{
    ArmEnd, CaseArm, Command, CommandKind, Connector, Pipeline, Statement, Word,
};

use super::{
    control::Leave,
    loops::plain_word,
    state::{Changes, Function},
    walk::Walk,
};
use crate::{effect::Certainty, text::Text};

impl Walk<'_> {
    /// Reads statements in order; gives what they print together.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Text {
        let mut printed = Text::default();
        for (index, statement) in statements.iter().enumerate() {
            if !self.spend(statement.span) {
                break;
            }
            if self.control.leaving.is_some() {
                let rest = statements.get(index..).unwrap_or_default();
                self.unreached(|walk| walk.statements(rest));
                break;
            }
            let more = if self.control.may_leave.is_some() {
                self.at_most(Certainty::Likely, |walk| walk.statement(statement))
            } else {
                self.statement(statement)
            };
            printed.append(&more);
            printed.append(&self.spring_traps());
            if self.control.succeeded == Some(false)
                && self.control.conditions == 0
                && !statement.background
                && !statement.first.negated
                && statement.rest.is_empty()
                && self.state.option("set -e") == Some(true)
            {
                self.control.leave(Leave::Shell);
            }
        }
        printed
    }

    fn statement(&mut self, statement: &Statement) -> Text {
        if statement.background {
            self.control.goes_on = true;
            let outer = std::mem::replace(&mut self.control.concurrent, true);
            let behind = std::mem::replace(&mut self.control.behind, true);
            let printed = self.subshell(|walk| walk.list(statement));
            self.control.concurrent = outer;
            self.control.behind = behind;
            self.control.succeeded = Some(true);
            return printed;
        }
        self.list(statement)
    }

    /// Pipelines joined by `&&` and `||`.
    pub(super) fn list(&mut self, statement: &Statement) -> Text {
        if statement.rest.is_empty() {
            return self.pipeline(&statement.first);
        }
        self.joined_list(statement)
    }

    fn joined_list(&mut self, statement: &Statement) -> Text {
        let mut before = self.state.elsewhere().map(str::to_owned);
        self.control.conditions += 1;
        let mut printed = self.pipeline(&statement.first);
        self.control.conditions -= 1;
        let last = statement.rest.len().saturating_sub(1);
        let mut decides = false;
        // Whether a change of the directory must have succeeded where this chain of `&&` goes on.
        let mut is_proven = false;
        for (index, (connector, pipeline)) in statement.rest.iter().enumerate() {
            if self.control.leaving.is_some() {
                self.unreached(|walk| walk.pipeline(pipeline));
                continue;
            }
            // Only the last of them counts for `set -e`.
            self.control.conditions += u32::from(index < last);
            let wanted = *connector == Connector::And;
            let after = self.state.elsewhere().map(str::to_owned);
            let moved = after != before;
            is_proven = wanted && (moved || is_proven);
            decides = false;
            match self.control.succeeded {
                Some(succeeded) if succeeded == wanted => {
                    let more = self.pipeline(pipeline);
                    printed.append(&more);
                    decides = true;
                }
                Some(_) => {
                    self.unreached(|walk| walk.pipeline(pipeline));
                }
                None => {
                    let mark = self.state.mark();
                    let place = moved.then(|| self.state.place());
                    if is_proven {
                        // Here the change of the directory did succeed.
                        self.state.settle();
                    } else if moved {
                        self.state.enter(after.clone());
                    }
                    let (more, leaves) = self.perhaps(|walk| {
                        let more = walk.pipeline(pipeline);
                        (more, walk.control.leaving.is_some())
                    });
                    printed.append(&more);
                    if let Some(place) = place.filter(|_| !wanted) {
                        self.state.put(place);
                    }
                    self.state.widen(mark);
                    if moved && !wanted && leaves {
                        self.state.settle();
                    }
                    // Where the second side did not run, the first one had failed, or succeeded, as the list then does.
                    if self.control.succeeded != Some(!wanted) {
                        self.control.succeeded = None;
                    }
                }
            }
            self.control.conditions -= u32::from(index < last);
            before = after;
        }
        if decides
            && self.control.conditions == 0
            && self.control.succeeded == Some(false)
            && !self.is_negated(statement)
            && self.state.option("set -e") == Some(true)
        {
            self.control.leave(Leave::Shell);
        }
        printed
    }

    fn is_negated(&self, statement: &Statement) -> bool {
        statement.rest.last().is_some_and(|(_, pipeline)| pipeline.negated)
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Text {
        let printed = self.stages(pipeline);
        if pipeline.negated {
            self.control.succeeded = self.control.succeeded.map(|succeeded| !succeeded);
        }
        printed
    }

    fn stages(&mut self, pipeline: &Pipeline) -> Text {
        if let [only] = pipeline.stages.as_slice() {
            return self.command(only);
        }
        let outer_input = self.input.clone();
        let outer_concurrent = std::mem::replace(&mut self.control.concurrent, true);
        let mut printed = Text::default();
        // How the stages before ended, where that counts; the first one stands for what was before.
        let mut outcomes = Vec::new();
        for (index, stage) in pipeline.stages.iter().enumerate() {
            if index > 0 {
                self.input = Some(std::mem::take(&mut printed));
            }
            let is_last = index + 1 == pipeline.stages.len();
            outcomes.push(self.control.succeeded);
            printed = if is_last && self.state.option("shopt lastpipe") == Some(true) {
                self.command(stage)
            } else if is_last {
                self.subshell(|walk| walk.command(stage))
            } else {
                self.captured(|walk| walk.command(stage))
            };
        }
        if self.state.may_be_on("set pipefail") && self.control.succeeded != Some(false) {
            let surely = self.state.option("set pipefail") == Some(true);
            let stages = outcomes.get(1..).unwrap_or_default();
            if stages.contains(&Some(false)) {
                self.control.succeeded = if surely { Some(false) } else { None };
            } else if stages.contains(&None) {
                self.control.succeeded = None;
            }
        }
        self.input = outer_input;
        self.control.concurrent = outer_concurrent;
        printed
    }

    /// Reads what a shell of its own runs, which forgets what it changed.
    pub(super) fn subshell(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Text {
        let mark = self.state.mark();
        let prints_to = self.streams.prints_to.clone();
        let printed = self.own_shell(read);
        self.streams.prints_to = prints_to;
        self.state.roll_back(mark);
        printed
    }

    /// As [`Walk::subshell`], where what is printed is taken from it.
    pub(super) fn captured(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Text {
        let prints_to = self.streams.prints_to.take();
        let printed = self.subshell(read);
        self.streams.prints_to = prints_to;
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
            let input = self.input_of(&wiring).map(|input| self.with_names(input));
            let outer = std::mem::replace(&mut self.input, input);
            let open = self.open_with(&wiring);
            let prints_to = self.redirected(&wiring);
            let printed = if wiring.may_fail {
                self.perhaps_leaves(|walk| walk.compound(command))
            } else {
                self.compound(command)
            };
            self.streams.prints_to = prints_to;
            self.close_to(open);
            self.leave_in(&wiring);
            self.input = outer;
            self.doubt_opening(&wiring);
            self.deliver(wiring, printed)
        };
        self.leave_level();
        printed
    }

    fn compound(&mut self, command: &Command) -> Text {
        match &command.kind {
            CommandKind::Simple { .. } | CommandKind::Unparsed => {
                self.control.succeeded = None;
                Text::default()
            }
            CommandKind::Group(body) => self.statements(body),
            CommandKind::Subshell(body) => self.subshell(|walk| walk.statements(body)),
            CommandKind::If { branches, otherwise } => self.branches(branches, otherwise),
            CommandKind::While { until, condition, body } => {
                self.control.goes_on |= !reads_lines(condition);
                let around = self.control.enclose(Leave::Loop, self.builtins.shells.current());
                let mark = self.state.mark();
                let (printed, is_known) = self.repeat(*until, condition, body);
                if !is_known {
                    self.state.widen(mark);
                }
                self.control.release(around, Leave::Loop);
                self.control.succeeded = is_known.then_some(true);
                printed
            }
            CommandKind::For { variable, words, body, select } => {
                let around = self.control.enclose(Leave::Loop, self.builtins.shells.current());
                let printed = self.each(variable, words.as_deref(), body, *select);
                self.control.release(around, Leave::Loop);
                self.control.succeeded = None;
                printed
            }
            CommandKind::ArithmeticFor { header, body } => {
                let around = self.control.enclose(Leave::Loop, self.builtins.shells.current());
                let printed = self.count(header, body);
                self.control.release(around, Leave::Loop);
                self.control.succeeded = None;
                printed
            }
            CommandKind::Case { subject, arms } => self.case(subject, arms),
            CommandKind::Function { name, body } => {
                let name = self.single(name);
                if let Some(name) = name.as_known() {
                    let function = Function {
                        body: Rc::new((**body).clone()),
                        layer: self.recorder.layer,
                        called: false,
                        shell: self.builtins.shells.current(),
                        exported: self.state.exports_all(),
                        doubtful: false,
                    };
                    self.state.define(name, function);
                } else {
                    self.aside(Certainty::Possible, |walk| walk.command(body));
                }
                self.control.succeeded = Some(true);
                Text::default()
            }
            CommandKind::Conditional(words) => {
                self.control.succeeded = self.conditional(words);
                Text::default()
            }
            CommandKind::Arithmetic(word) => {
                let expression = self.single(word);
                self.evaluated(&expression, word.span);
                self.control.succeeded = self.calculate(&expression).map(|value| value != 0);
                Text::default()
            }
            CommandKind::Coprocess { name, body } => {
                let name = name.as_ref().map(|name| self.single(name));
                let name = name.as_ref().map_or(Some("COPROC"), Text::as_known);
                let outer = std::mem::replace(&mut self.control.concurrent, true);
                // Whatever the script writes to its descriptor comes in.
                let input = self.input.replace(Self::for_coprocess());
                let printed = self.subshell(|walk| walk.command(body));
                self.input = input;
                self.control.concurrent = outer;
                if let Some(name) = name {
                    self.open_coprocess(name, &printed);
                }
                self.control.succeeded = Some(true);
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
        // What is known to be taken or not as long as nothing before it may have been.
        for (index, (condition, body)) in branches.iter().enumerate() {
            let before = self.state.elsewhere().map(str::to_owned);
            self.control.conditions += 1;
            let more = if changes.is_empty() {
                self.statements(condition)
            } else {
                self.perhaps(|walk| walk.statements(condition))
            };
            self.control.conditions -= 1;
            printed.append(&more);
            // Where the directory stays as it was when it was asked whether it could be changed.
            let mut otherwise_in = None;
            if self.state.elsewhere() != before.as_deref() {
                let stays = self.state.elsewhere().map(str::to_owned);
                self.state.settle();
                let negated = condition.last().is_some_and(|last| last.first.negated);
                if negated {
                    otherwise_in = Some(self.state.directory().map(str::to_owned));
                    self.state.enter(stays);
                } else {
                    otherwise_in = Some(stays);
                }
            }
            match self.control.succeeded {
                Some(false) => {
                    self.unreached(|walk| walk.statements(body));
                    continue;
                }
                Some(true) if changes.is_empty() => {
                    let more = self.statements(body);
                    printed.append(&more);
                    let succeeded = self.control.succeeded;
                    for (condition, body) in branches.get(index + 1..).unwrap_or_default() {
                        self.unreached(|walk| walk.statements(condition));
                        self.unreached(|walk| walk.statements(body));
                    }
                    self.unreached(|walk| walk.statements(otherwise));
                    self.control.succeeded = succeeded;
                    return printed;
                }
                _ => {}
            }
            let (more, mut left) = self.branch(body);
            printed.append(&more);
            if let Some(directory) = otherwise_in {
                self.state.stays(&mut left);
                self.state.enter(directory);
            }
            changes.push(left);
        }
        if changes.is_empty() {
            self.control.succeeded = Some(true);
            let more = self.statements(otherwise);
            printed.append(&more);
            return printed;
        }
        if !otherwise.is_empty() {
            let (more, left) = self.branch(otherwise);
            printed.append(&more);
            changes.push(left);
        }
        self.state.merge(changes, !otherwise.is_empty());
        self.control.succeeded = None;
        printed
    }

    fn branch(&mut self, body: &[Statement]) -> (Text, Changes) {
        let mark = self.state.mark();
        let printed = self.perhaps(|walk| walk.statements(body));
        (printed, self.state.roll_back(mark))
    }

    fn case(&mut self, subject: &Word, arms: &[CaseArm]) -> Text {
        let subject = self.single(subject);
        let mut printed = Text::default();
        let mut changes = Vec::with_capacity(arms.len());
        // What is known of how the arms before this one ended.
        let (mut over, mut falls) = (false, false);
        self.control.succeeded = Some(true);
        for arm in arms {
            let mut selected = Some(false);
            for pattern in &arm.patterns {
                selected = match (selected, self.matched(&subject, pattern)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
            if falls {
                selected = Some(true);
            }
            let certain = changes.is_empty();
            if over || selected == Some(false) && certain || self.control.leaving.is_some() {
                self.unreached(|walk| walk.statements(&arm.body));
                continue;
            }
            if selected == Some(true) && certain {
                let more = self.statements(&arm.body);
                printed.append(&more);
                over = arm.end == ArmEnd::Stop;
                falls = arm.end == ArmEnd::Fall;
            } else {
                let (more, left) = self.branch(&arm.body);
                printed.append(&more);
                changes.push(left);
            }
        }
        if !changes.is_empty() {
            self.state.merge(changes, false);
            self.control.succeeded = None;
        }
        printed
    }
}

/// Whether a loop goes on for as long as lines come in: it ends with them.
fn reads_lines(condition: &[Statement]) -> bool {
    let first = condition.last().and_then(|statement| statement.first.stages.last());
    matches!(first.map(|command| &command.kind), Some(CommandKind::Simple { words, .. })
        if words.first().and_then(plain_word) == Some("read"))
}
