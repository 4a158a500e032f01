//! Loops. Owns how often they are gone through and what is known after them.

use portcullis_syntax::shell::{
    Command, CommandKind, Part, PartKind, RedirectOperator, Statement, Word,
};

use super::{ROUNDS, control::Leave, state::Value, walk::Walk};
use crate::{
    bound::Bounded,
    programs::host::Host,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// A loop that nothing ends.
    fn endless(&mut self, body: &[Statement], span: portcullis_syntax::Span) {
        if body.is_empty() {
            return;
        }
        if body.iter().all(only_starts) {
            self.note("system.process.fork-bomb", span);
        } else if body.iter().all(only_appends) {
            self.note("system.disk.fill", span);
        }
    }

    /// A loop with a condition, as often as it is known to hold, and once more where it is not known; gives whether it was
    /// known to the end.
    pub(super) fn repeat(
        &mut self,
        until: bool,
        condition: &[Statement],
        body: &[Statement],
    ) -> (Text, bool) {
        let mut printed = Text::default();
        if let (Some(first), Some(_)) = (condition.first(), body.first())
            && condition.iter().all(|statement| always(statement, !until))
        {
            self.endless(body, first.span);
        }
        // Where the last round began, when it is not the last one of the loop.
        let mut last = None;
        for round in 0..ROUNDS {
            let before = self.unread();
            let mark = self.state.mark();
            self.control.conditions += 1;
            let more = self.statements(condition);
            self.control.conditions -= 1;
            printed.append(&more);
            let holds = self.control.succeeded.map(|succeeded| succeeded != until);
            if holds == Some(false) {
                if round == 0 {
                    self.unreached(|walk| walk.statements(body));
                }
                return (printed, true);
            }
            let consumed = self.unread() != before;
            if holds == Some(true) {
                let more = self.statements(body);
                printed.append(&more);
                if self.leaves_loop() {
                    return (printed, true);
                }
                if !consumed && self.state.is_unchanged_since(mark) {
                    // Nothing changes any more: it goes on like this.
                    self.control.may_leave = self.control.may_leave.max(Some(Leave::Shell));
                    return (printed, false);
                }
                last = Some(mark);
                continue;
            }
            let more = self.perhaps(|walk| walk.statements(body));
            printed.append(&more);
            if !consumed || self.unread() == 0 {
                return (printed, false);
            }
            last = Some(mark);
        }
        if let Some(mark) = last {
            self.state.doubt(mark);
            self.doubt_what_is_left();
            let more = self.perhaps(|walk| {
                let mut more = walk.statements(condition);
                more.append(&walk.statements(body));
                more
            });
            printed.append(&more);
        }
        (printed, false)
    }

    /// A loop goes on past the rounds that are followed: whatever it takes of its input and its arguments next is any of what is left.
    fn doubt_what_is_left(&mut self) {
        if let Some(input) = self.input.as_mut().filter(|input| !input.is_empty()) {
            *input = input.derive([Piece::Unknown("a later line".into())]);
        }
        self.streams.doubt();
        let given = self.state.positional();
        let known = |text: &Text| text.as_known().is_some();
        if given.len() > 1 && given.iter().all(known) {
            let mut rest = Text::unknown("a later argument");
            given.iter().skip(1).for_each(|text| rest.inherit(text));
            let given = given.iter().leading(1).cloned().chain([rest]).collect();
            self.state.set_positional(given);
        }
    }

    /// Ends a round of a loop; gives whether the loop is left.
    fn leaves_loop(&mut self) -> bool {
        if self.control.leaving == Some(Leave::Round) {
            self.control.leaving = None;
        }
        if self.control.may_leave == Some(Leave::Round) {
            self.control.may_leave = None;
        }
        self.control.leaving.is_some()
    }

    /// `for ((…; …; …))`, as often as the middle one is known to hold.
    pub(super) fn count(&mut self, header: &Word, body: &[Statement]) -> Text {
        let expression = self.single(header);
        self.evaluated(&expression, header.span);
        let parts: Option<Vec<Text>> =
            expression.as_known().map(|known| known.split(';').map(Text::known).collect());
        let mut printed = Text::default();
        let mut last = None;
        if let Some([_, condition, _]) = parts.as_deref()
            && matches!(condition.as_known().map(str::trim), Some("" | "1"))
        {
            self.endless(body, header.span);
        }
        if let Some([first, condition, next]) = parts.as_deref() {
            let mut known = self.calculate(first).is_some();
            for round in 0..ROUNDS {
                let holds = if condition.as_known().is_some_and(|known| known.trim().is_empty()) {
                    Some(1)
                } else {
                    self.calculate(condition)
                };
                match holds.filter(|_| known) {
                    Some(0) => {
                        if round == 0 {
                            self.unreached(|walk| walk.statements(body));
                        }
                        return printed;
                    }
                    None => break,
                    Some(_) => {}
                }
                last = Some(self.state.mark());
                let more = self.statements(body);
                printed.append(&more);
                if self.leaves_loop() {
                    return printed;
                }
                known = self.calculate(next).is_some();
            }
        }
        self.forget_assigned(&expression);
        if let Some(mark) = last {
            self.state.doubt(mark);
        }
        let more = self.perhaps(|walk| walk.statements(body));
        printed.append(&more);
        printed
    }

    pub(super) fn each(
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
            let mark = self.state.mark();
            let printed = self.perhaps(|walk| walk.statements(body));
            self.state.widen(mark);
            return printed;
        }
        let followed = if values.len() > ROUNDS { ROUNDS - 1 } else { values.len() };
        let mut last = None;
        for value in values.iter().leading(followed) {
            last = Some(self.state.mark());
            self.state.assign(&name, vec![Value::Scalar(value.clone())]);
            let more = if select {
                self.perhaps(|walk| walk.statements(body))
            } else {
                self.statements(body)
            };
            printed.append(&more);
            if self.leaves_loop() {
                return printed;
            }
        }
        if followed < values.len() {
            if let Some(mark) = last {
                self.state.doubt(mark);
            }
            let mut rest = Text::unknown(&name);
            for value in values.iter().skip(followed) {
                rest.inherit(value);
            }
            if values
                .iter()
                .all(|value| value.as_known().is_some_and(|known| known.parse::<i64>().is_ok()))
            {
                rest = rest.derive([Piece::Glob("[0-9]*".to_owned())]);
            }
            self.state.assign(&name, vec![Value::Scalar(rest)]);
            let more = self.perhaps(|walk| walk.statements(body));
            printed.append(&more);
        }
        printed
    }
}

/// Whether a statement does nothing but start what goes on beside it.
fn only_starts(statement: &Statement) -> bool {
    if statement.background {
        return true;
    }
    match statement.first.stages.as_slice() {
        [Command { kind: CommandKind::Subshell(body) | CommandKind::Group(body), .. }] => {
            statement.rest.is_empty() && body.iter().all(only_starts)
        }
        // It lets go of what was started before.
        [Command { kind: CommandKind::Simple { words, .. }, .. }] => {
            let first = words.first().and_then(plain_word);
            statement.rest.is_empty() && matches!(first, Some("disown" | "setsid"))
        }
        _ => false,
    }
}

/// Whether a statement does nothing but add to a file, without a break.
fn only_appends(statement: &Statement) -> bool {
    let last = statement.rest.last().map_or(&statement.first, |(_, last)| last);
    let appends = last.stages.last().is_some_and(|command| {
        command.redirects.iter().any(|redirect| redirect.operator == RedirectOperator::Append)
    });
    let waits = |command: &Command| {
        match &command.kind {
        CommandKind::Simple { words, .. } => words.first().is_some_and(|word| {
            matches!(
                word.parts.as_slice(),
                [Part { kind: PartKind::Literal(name), .. }]
                    if matches!(&**name, "sleep" | "read" | "wait" | "inotifywait" | "curl" | "ping")
            )
        }),
        _ => true,
    }
    };
    let pipelines = statement.rest.iter().map(|(_, pipeline)| pipeline);
    appends
        && !std::iter::once(&statement.first)
            .chain(pipelines)
            .any(|pipeline| pipeline.stages.iter().any(waits))
}

/// Whether a loop's condition is `true` or `:` and nothing else, or `false` where that is what goes on.
fn always(statement: &Statement, succeeds: bool) -> bool {
    let one = match statement.first.stages.as_slice() {
        [Command { kind: CommandKind::Conditional(words), .. }] => match words.as_slice() {
            [word] => plain_word(word).map(|word| !word.is_empty()),
            _ => None,
        },
        [Command { kind: CommandKind::Arithmetic(word), .. }] => plain_word(word)
            .and_then(|number| number.trim().parse::<i64>().ok())
            .map(|number| number != 0),
        _ => None,
    };
    if let Some(ends_well) = one {
        return statement.rest.is_empty() && (ends_well != statement.first.negated) == succeeds;
    }
    let [Command { kind: CommandKind::Simple { words, .. }, .. }] =
        statement.first.stages.as_slice()
    else {
        return false;
    };
    let literals: Option<Vec<&str>> = words.iter().map(plain_word).collect();
    let Some(literals) = literals else { return false };
    let ends_well = match literals.as_slice() {
        ["true" | ":"] | ["sleep", "0"] => true,
        ["false"] => false,
        ["[", test @ .., "]"] | ["test", test @ ..] => match test {
            [word] => !word.is_empty(),
            [left, "=" | "==" | "-eq", right] => left == right,
            [left, "!=" | "-ne", right] => left != right,
            _ => return false,
        },
        _ => return false,
    };
    statement.rest.is_empty() && (ends_well != statement.first.negated) == succeeds
}

/// A word of which all is written there.
pub(super) fn plain_word(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part { kind: PartKind::Literal(name), .. }] => Some(name),
        _ => None,
    }
}
