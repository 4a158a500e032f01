//! Loops. Owns how often they are gone through and what is known after them.

use portcullis_syntax::shell::{
    Command, CommandKind, Connector, Part, PartKind, RedirectOperator, Statement, Word,
};

use super::{ROUNDS, control::Leave, state::Value, walk::Walk};
use crate::{
    bound::Bounded,
    effect::EffectKind,
    programs::host::Host,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// A loop that nothing ends.
    fn endless(&mut self, body: &[Statement], span: portcullis_syntax::Span) {
        if body.is_empty() {
            return;
        }
        if only_start(body) {
            self.note("system.process.fork-bomb", span);
        } else if body.iter().all(only_appends) {
            self.note("system.disk.fill", span);
        }
    }

    /// Whether what is read here comes from a program that never ends to print: `yes | while read x`.
    fn is_fed_for_ever(&self) -> bool {
        let last = self.input.as_ref().and_then(|input| input.sources.last());
        last.and_then(|id| self.recorder.effects.list.get(id.0 as usize)).is_some_and(
            |effect| matches!(&effect.kind, EffectKind::Run(run) if run.program == "yes"),
        )
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
        let goes_on = condition.iter().all(|statement| always(statement, !until))
            || !until && self.is_fed_for_ever() && matches!(condition, [one] if only_reads(one));
        if let (Some(first), Some(_)) = (condition.first(), body.first())
            && goes_on
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

/// What a statement of a loop does about the jobs of its shell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Jobs {
    /// It starts one.
    Starts,
    /// It starts one that is not this shell's own: `(work &)`.
    StartsApart,
    /// It waits for those of this shell.
    Waits,
    /// Nothing: it is over at once.
    Nothing,
}

/// Whether the statements of a loop start jobs, and nothing in them ever waits for these or leaves the loop.
fn only_start(body: &[Statement]) -> bool {
    let Some(done) = body.iter().map(jobs).collect::<Option<Vec<Jobs>>>() else { return false };
    // `wait` has nothing to wait for where all of them were started in shells of their own.
    done.contains(&Jobs::Starts) && !done.contains(&Jobs::Waits)
        || done.contains(&Jobs::StartsApart) && !done.contains(&Jobs::Starts)
}

/// What a statement does about jobs, where it does nothing else.
fn jobs(statement: &Statement) -> Option<Jobs> {
    if statement.background {
        return Some(Jobs::Starts);
    }
    if !statement.rest.is_empty() {
        // `false && wait`, `true || break`: what stands behind is never reached.
        let ends_well = constant(statement)?;
        let (connector, _) = statement.rest.first()?;
        let is_over = statement.rest.len() == 1 && ends_well == (*connector == Connector::Or);
        return is_over.then_some(Jobs::Nothing);
    }
    let [command] = statement.first.stages.as_slice() else { return None };
    match &command.kind {
        CommandKind::Subshell(body) => {
            let done = body.iter().map(jobs).collect::<Option<Vec<Jobs>>>()?;
            // What a shell of its own started, it may wait for itself.
            let starts = done.contains(&Jobs::Starts);
            match (starts, done.contains(&Jobs::Waits)) {
                (true, true) => None,
                (true, false) => Some(Jobs::StartsApart),
                (false, _) => Some(match done.contains(&Jobs::StartsApart) {
                    true => Jobs::StartsApart,
                    false => Jobs::Nothing,
                }),
            }
        }
        CommandKind::Group(body) => {
            let done = body.iter().map(jobs).collect::<Option<Vec<Jobs>>>()?;
            [Jobs::Waits, Jobs::Starts, Jobs::StartsApart]
                .into_iter()
                .find(|one| done.contains(one))
                .or(Some(Jobs::Nothing))
        }
        CommandKind::If { branches, otherwise } => {
            let never = branches.iter().all(|(condition, _)| {
                matches!(condition.as_slice(), [one] if one.rest.is_empty() && constant(one) == Some(false))
            });
            (never && otherwise.is_empty()).then_some(Jobs::Nothing)
        }
        CommandKind::Simple { words, .. } => {
            let literals = words.iter().map(plain_word).collect::<Option<Vec<&str>>>()?;
            match literals.as_slice() {
                ["wait", ..] => Some(Jobs::Waits),
                // It lets go of what was started before.
                ["disown" | "setsid", ..] => Some(Jobs::Nothing),
                [name, ..] if truth(name).is_some() => Some(Jobs::Nothing),
                _ => None,
            }
        }
        _ => None,
    }
}

/// How the first command of a statement ends, where that is always so.
fn constant(statement: &Statement) -> Option<bool> {
    let [Command { kind: CommandKind::Simple { words, .. }, .. }] =
        statement.first.stages.as_slice()
    else {
        return None;
    };
    let ends_well = truth(plain_word(words.first()?)?)?;
    Some(ends_well != statement.first.negated)
}

/// How a program ends that does nothing but end so.
fn truth(name: &str) -> Option<bool> {
    let bare = ["/usr/bin/", "/bin/"].iter().find_map(|place| name.strip_prefix(place));
    match bare.unwrap_or(name) {
        "true" => Some(true),
        "false" => Some(false),
        ":" if bare.is_none() => Some(true),
        _ => None,
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

/// Whether a statement is `read` and nothing else.
fn only_reads(statement: &Statement) -> bool {
    let [Command { kind: CommandKind::Simple { words, .. }, redirects, .. }] =
        statement.first.stages.as_slice()
    else {
        return false;
    };
    statement.rest.is_empty()
        && !statement.first.negated
        && redirects.is_empty()
        && words.first().and_then(plain_word) == Some("read")
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
        ["sleep", "0"] => true,
        [name] if truth(name).is_some() => truth(name) == Some(true),
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
