//! Loops. Owns what they go over, and what only is bad when it is done again and again.

use super::{
    containers::{characters, entries, keys},
    interpreter::Interpreter,
    value::{Value, mixed},
};
use crate::{bound::Bounded, programs::host::Host};
use std::collections::VecDeque;

use portcullis_syntax::{Span, code::Token};

mod each;
mod rounds;
mod unending;

/// How many tokens of a body are looked at.
pub(super) const BODY: usize = 96;

/// Words that leave a loop.
pub(super) const LEAVES: &[&str] = &["break", "exit", "_exit", "return", "raise", "throw", "quit"];

/// Words that make a loop wait for something.
const WAITS: &[&str] = &[
    "accept",
    "communicate",
    "get",
    "input",
    "join",
    "poll",
    "read",
    "readline",
    "recv",
    "select",
    "sleep",
    "wait",
    "waitpid",
    "await",
    "flush",
    "execSync",
    "spawnSync",
];

/// How many elements of a list a loop's body is read for.
const ROUNDS: usize = 8;

impl Interpreter<'_, '_, '_> {
    /// The names that stand in a range.
    fn names_in(&self, range: std::ops::Range<usize>) -> Vec<String> {
        let names = range.filter(|at| self.is_name(*at)).map(|at| self.word_at(at).to_owned());
        names.filter(|name| !matches!(name.as_str(), "const" | "let" | "var")).collect()
    }

    /// A loop that nothing in its head ends, before or behind what it repeats.
    pub(super) fn endless(&mut self, start: usize) {
        let next = self.word_at(start + 1);
        let (from, end) = match self.word_at(start) {
            "loop" if next == "{" => (start + 2, self.partner(start + 1)),
            "loop" if next == "do" => (start + 2, self.end),
            "redo" => (self.statement_before(start), start),
            "goto" => {
                let is_label =
                    |at: &usize| self.word_at(*at) == next && self.word_at(*at + 1) == ":";
                let Some(label) = (0..start).rev().leading(BODY).find(is_label) else { return };
                (label + 2, start)
            }
            word @ ("while" | "until") => {
                let bracket = usize::from(next == "(");
                // Nothing between the brackets goes on in perl.
                let is_empty = bracket == 1 && self.word_at(start + 2) == ")";
                let goes_on = if word == "while" {
                    &["True", "true", "1"][..]
                } else {
                    &["False", "false", "0"][..]
                };
                let head = self.word_at(start + 1 + bracket);
                // The parent goes on as long as it has children.
                let is_fork = word == "while"
                    && matches!(self.language, "perl" | "ruby")
                    && matches!(head, "fork" | "defined");
                if is_fork {
                    let end = if bracket == 1 {
                        self.partner(start + 1)
                    } else {
                        self.statement_end(start)
                    };
                    self.body_without_end(start, start + 1, end);
                }
                if !is_empty && !goes_on.contains(&head) {
                    return;
                }
                let body = start + 1 + 2 * bracket + usize::from(!is_empty);
                let before = self.statement_before(start);
                if self.language == "python" {
                    (start + 2, self.block_end(start))
                } else if before < start && matches!(self.language, "perl" | "ruby") {
                    (before, start)
                } else if self.word_at(body) == "{" {
                    (body + 1, self.partner(body))
                } else {
                    (body, self.statement_end(body))
                }
            }
            _ => return,
        };
        self.body_without_end(start, from, end);
    }

    /// Where the statement begins that a word on the same line stands behind: `fork while 1`, `do { fork } while 1`.
    fn statement_before(&self, index: usize) -> usize {
        let opens = |at: &usize| match self.word_at(index - 1) {
            "}" => self.partner(*at) == index - 1,
            _ => self.word_at(*at) == "begin",
        };
        if index > 0 && matches!(self.word_at(index - 1), "}" | "end") {
            return (0..index - 1).rev().leading(BODY).find(opens).map_or(index, |at| at + 1);
        }
        let is_inside = |at: &usize| {
            !matches!(self.word_at(at - 1), ";" | "{" | "}" | "do") && !self.is_first(*at)
        };
        let word = self.word_at(index);
        // What is done again may be several statements.
        if word == "redo" {
            let opens = |at: &usize| matches!(self.word_at(at - 1), "{" | "do");
            return (1..index).rev().leading(BODY).find(opens).unwrap_or(0);
        }
        let mut at = index;
        while at > 0 && index - at < BODY && is_inside(&at) {
            at -= 1;
        }
        at
    }

    pub(super) fn statement_end(&self, from: usize) -> usize {
        let ends = |index: &usize| matches!(self.word_at(*index), ";" | "}");
        (from..self.end.min(from + BODY)).find(ends).unwrap_or(self.end)
    }

    /// Where the one statement of JavaScript that begins here ends, with whatever stands in its brackets.
    pub(super) fn end_of_one(&self, from: usize) -> usize {
        const CONTINUES: &[&str] = &["&&", "+", ",", ".", ":", "=", "=>", "?", "?.", "??", "||"];
        let mut at = from;
        while at < self.end {
            match self.word_at(at) {
                ";" | "}" | ")" | "]" => break,
                "(" | "[" | "{" => at = self.partner(at) + 1,
                word if at > from && self.is_first(at) && !CONTINUES.contains(&word) => break,
                _ => at += 1,
            }
        }
        at.min(self.end)
    }

    /// What only is bad when it is done again and again.
    fn body_without_end(&mut self, start: usize, from: usize, end: usize) {
        let span = self.span_from(start);
        if self.multiplies(from, end) || self.starts_without_waiting(from, end) {
            self.walk.note("code.fork.loop", span);
        }
        let body = || (from..end.min(from + BODY)).map(|index| self.word_at(index));
        let writes = self.files.iter().any(|file| file.writes)
            && body().any(|word| matches!(word, "write" | "writelines" | "writeSync"));
        if writes && !body().any(|word| LEAVES.contains(&word) || WAITS.contains(&word)) {
            self.walk.note("system.disk.fill", span);
        }
    }

    /// Whether code starts copies of itself and goes on at once.
    pub(super) fn multiplies(&self, from: usize, end: usize) -> bool {
        let end = end.min(from + BODY);
        let body = || (from..end).map(|index| self.word_at(index));
        if body().any(|word| LEAVES.contains(&word) || WAITS.contains(&word)) {
            return false;
        }
        let forks = (from..end).any(|index| {
            let called = self.word_at(index + 1) == "(";
            match self.word_at(index) {
                "pcntl_fork" => called,
                "fork" if matches!(self.language, "perl" | "ruby") => {
                    !matches!(self.word_at(index + 1), "=" | "=>" | ":" | "::")
                }
                "fork" => called && matches!(self.word_at(index + 2), ")" | "__filename"),
                _ => false,
            }
        });
        let starts = body().any(|word| {
            matches!(word, "Popen" | "spawn" | "fork" | "Process" | "execFile" | "exec" | "system")
        });
        let itself = body().any(|word| {
            matches!(word, "__file__" | "__filename" | "__FILE__" | "argv" | "$0" | "execPath")
        });
        forks || starts && itself
    }

    /// Numbers that the body of a loop changes are any number in it: the body is read once.
    pub(super) fn forget_counters(&mut self, start: usize) {
        let end = if self.language == "python" {
            self.block_end(start)
        } else if self.word_at(start + 1) == "(" {
            let body = self.partner(start + 1) + 1;
            if self.word_at(body) == "{" { self.partner(body) } else { self.statement_end(body) }
        } else {
            return;
        };
        for at in start..end.min(start + BODY) {
            let changes = matches!(self.word_at(at + 1), "=" | "+=" | "-=" | "++" | "--");
            let name = self.word_at(at);
            // What a text becomes that grows with each round, nobody knows.
            if self.word_at(at + 1) == "+="
                && self.is_name(at)
                && let Some(value @ Value::Text(_)) = self.variables.get(name)
            {
                let mut text = value.text();
                text.append(&mixed("what a loop adds", [value]));
                let name = name.to_owned();
                self.bind(name, Value::Text(text));
                continue;
            }
            if changes && matches!(self.variables.get(name), Some(Value::Number(_))) {
                let name = name.to_owned();
                self.bind(name, Value::unknown("a number"));
            }
        }
    }

    /// `fork(__filename)` where nothing decides whether: each copy starts the next.
    pub(super) fn starts_itself(&mut self, file: &Value, span: Span) {
        let is_own = match file {
            Value::Name(path, _) => matches!(&**path, "__filename" | "import.meta.filename"),
            _ => span.of(self.source).contains("(process.argv[1]"),
        };
        let starts = |token: &Token| token.span.start < span.start;
        let at = self.unit.tokens.partition_point(starts);
        if !self.spend(at / 8) {
            return;
        }
        // What asks which copy this is.
        const ASKS: &[&str] =
            &["argv", "connected", "env", "isMainThread", "isMaster", "isPrimary", "send"];
        let asks = (0..self.unit.tokens.len()).any(|index| ASKS.contains(&self.word_at(index)));
        // The head of a block, or of what a bracket closes, that goes on anyway: a loop, a function.
        let goes_on = |close: usize| {
            let open = self.partner(close).min(close);
            let head = open.checked_sub(1).map_or("", |head| self.word_at(head));
            !asks && !matches!(head, "catch" | "if" | "switch")
        };
        let opens = |index: usize| {
            let before = index.checked_sub(1).map_or("", |before| self.word_at(before));
            self.word_at(index) == "{"
                && self.partner(index) > at
                && !(before == "=>" && !asks || before == ")" && goes_on(index - 1))
        };
        let decides = at > 0
            && match self.word_at(at - 1) {
                ")" => !goes_on(at - 1),
                word => matches!(word, "&&" | "||" | "?" | ":" | "else"),
            };
        let is_timed = |open: usize| {
            self.word_at(open) == "("
                && self.partner(open) > at
                && open.checked_sub(1).is_some_and(|it| self.word_at(it) == "setInterval")
        };
        let is_again = (0..at).any(is_timed);
        if is_own && (is_again || !decides && !(0..at).any(opens) || self.is_unending()) {
            self.walk.note("code.fork.loop", span);
        }
    }

    /// How deep what a loop's body does in every round is indented: where it goes through a list that is known, and no round is left early.
    fn sure_of(&self, list: &Value, body: &std::ops::Range<usize>) -> Option<u32> {
        let is_known = matches!(list, Value::List(elements) if !elements.is_empty());
        let is_short = body.len() <= BODY && self.is_first(body.start);
        if self.language != "python" || !is_known || !is_short {
            return None;
        }
        let leaves = |at: usize| {
            let word = self.word_at(at);
            word == "continue" || word == "try" || LEAVES.contains(&word)
        };
        let is_left = body.clone().any(leaves);
        self.token_at(body.start).filter(|_| !is_left).map(|token| token.indent)
    }

    /// Where an expression ends at the latest: behind it stands the end of the statement, or of what is around it.
    fn expression_end(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.end && !matches!(self.word_at(at), ";" | "}" | ")" | "]" | ",") {
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        at
    }

    /// Where the body begins of a loop over numbers that never end: `for n in itertools.count():`.
    fn body_of_a_count(&self, start: usize) -> Option<usize> {
        const NEVER_END: &[&str] = &["count", "cycle", "repeat"];
        let head = start..self.end.min(start + 16);
        let within = head.clone().find(|at| self.word_at(*at) == "in")?;
        let is_module = self.word_at(within + 1) == "itertools" && self.word_at(within + 2) == ".";
        let called = within + 1 + 2 * usize::from(is_module);
        let goes_on = NEVER_END.contains(&self.word_at(called)) && self.word_at(called + 1) == "(";
        let close = self.partner(called + 1);
        let has_end = self.word_at(called) == "repeat"
            && (called + 2..close).any(|at| self.word_at(at) == ",");
        (goes_on && !has_end && self.word_at(close + 1) == ":").then_some(close + 2)
    }

    /// Whether a comprehension's loop stands between here and the bracket that closes around it.
    fn goes_through(&self, from: usize, close: usize) -> bool {
        let mut at = from;
        while at < close {
            // What stands behind the element is no part of what is read of it.
            if self.name_at(at) == "for" {
                return true;
            }
            at = self.partner_or_next(at);
        }
        false
    }

    /// Whether a body without an end starts programs and waits for nothing.
    fn starts_without_waiting(&self, from: usize, end: usize) -> bool {
        let body = || (from..end.min(from + BODY)).map(|index| self.word_at(index));
        let starts = (from..end.min(from + BODY)).any(|index| {
            matches!(self.word_at(index), "Popen" | "spawn") && self.word_at(index + 1) == "("
        });
        starts
            && !body().any(|word| {
                LEAVES.contains(&word)
                    || WAITS.contains(&word)
                    || matches!(word, "await" | "if" | "on" | "next")
            })
    }

    /// `for name in list`, `for (const name of list)`, `foreach ($list as $name)`, `for my $name (list)`.
    pub(super) fn each(&mut self) {
        let start = self.at;
        self.at += 1;
        let open = self.word() == "(";
        let limit = if open { self.partner(self.at) } else { self.end.min(start + 32) };
        let separator = (self.at..limit.min(start + 32))
            .find(|index| matches!(self.word_at(*index), "in" | "of" | "as" | ";" | ":"));
        let Some(separator) = separator else {
            return;
        };
        let is_true = usize::from(matches!(self.word_at(separator + 1), "1" | "true"));
        if self.word_at(separator) == ";" && self.word_at(separator + 1 + is_true) == ";" && open {
            let body = limit + 1;
            if self.word_at(body) == "{" {
                self.body_without_end(start, body + 1, self.partner(body));
            } else {
                self.body_without_end(start, body, self.statement_end(body));
            }
        }
        if self.word_at(separator) == ";" && open {
            // What counts is any number in the body.
            self.at += 1;
            let counters: Vec<String> = (self.at..separator)
                .filter(|at| self.is_name(*at) && self.word_at(at + 1) == "=")
                .map(|at| self.word_at(at).to_owned())
                .collect();
            self.statements(separator);
            for counter in counters {
                self.bind(counter, Value::unknown("a number"));
            }
            self.forget_counters(start);
            self.at = separator;
            return;
        }
        if self.word_at(separator) == ":" || self.word_at(separator) == ";" {
            return;
        }
        let names_first = self.word_at(separator) != "as";
        let (list, targets) = if names_first {
            let targets = self.at + usize::from(open)..separator;
            self.at = separator + 1;
            (self.expression(0), targets)
        } else {
            self.at += 1;
            let list = self.expression(0);
            (list, separator + 1..limit)
        };
        let listed_by = self.at;
        let span = self.span_from(start);
        let list = self.gone_through(&list, span).unwrap_or(list);
        // Python goes through the names of a table, `of` through its pairs.
        let list = match list {
            Value::Table(table) if self.language == "python" || self.word_at(separator) == "in" => {
                Value::List(keys(&table))
            }
            Value::Table(table) if self.language == "javascript" => entries(&table),
            Value::Text(text) if self.language == "python" || self.word_at(separator) == "of" => {
                characters(&text)
                    .filter(|it| !matches!(it, Value::List(all) if all.is_empty()))
                    .unwrap_or(Value::Text(text))
            }
            list => list,
        };
        let rounds: Vec<Value> = match &list {
            Value::Any(lists) => {
                let parts = lists.iter().map(|one| match one {
                    Value::List(elements) if !elements.is_empty() => elements
                        .iter()
                        .leading(ROUNDS)
                        .cloned()
                        .reduce(Value::or)
                        .unwrap_or_else(|| self.element(one, 0)),
                    one => self.element(one, 0),
                });
                parts.collect()
            }
            Value::List(elements) if !elements.is_empty() => {
                let mut rounds: Vec<Value> = elements.iter().leading(ROUNDS).cloned().collect();
                if elements.len() > ROUNDS {
                    rounds.push(self.element(&Value::Text(list.text()), 0));
                }
                rounds
            }
            other => vec![self.element(other, 0)],
        };
        let body = if self.language == "python" {
            let line = self.block_end(start);
            (self.word() == ":").then(|| self.at + 1..line)
        } else if open {
            let first = limit + 1;
            match self.word_at(first) {
                "{" => Some(first + 1..self.partner(first)),
                // `for (const name of names) remove(name);`
                "do" | "for" | "if" | "switch" | "try" | "while" | "with" => None,
                _ if self.language == "javascript" => Some(first..self.end_of_one(first)),
                _ => None,
            }
        } else {
            None
        };
        let Some(body) = body else {
            let value = rounds.into_iter().reduce(Value::or);
            let value = value.unwrap_or_else(|| Value::unknown("x"));
            self.bind_targets(targets.start, targets.end, &value);
            return;
        };
        // What a loop of JavaScript declares is nobody else's.
        let is_declared =
            self.language == "javascript" && matches!(self.word_at(targets.start), "const" | "let");
        let declared = if is_declared { self.names_in(targets.clone()) } else { Vec::new() };
        let outside = self.outside(&declared);
        // What is gone through, where that is a list which the body may change.
        let mut gone_through =
            match (&list, self.is_name(separator + 1) && listed_by == separator + 2) {
                (Value::List(list), true) => {
                    Some((self.word_at(separator + 1).to_owned(), list.len()))
                }
                _ => None,
            };
        let sure = self.sure_of(&list, &body);
        let outer = std::mem::replace(&mut self.round, sure);
        // A round that is left early is the last one, or leaves out the rest.
        let is_left = !self.spend(body.len() / 32)
            || body.clone().any(|at| {
                let word = self.word_at(at);
                matches!(word, "continue" | "last" | "next") || LEAVES.contains(&word)
            });
        let mut states = Vec::new();
        let mut rounds: VecDeque<Value> = rounds.into();
        let mut more = ROUNDS;
        while let Some(round) = rounds.pop_front() {
            if is_left && self.spend(self.variables.len() / 8) {
                states.push(self.variables.clone());
            }
            self.bind_targets(targets.start, targets.end, &round);
            self.at = body.start;
            if !self.sink() {
                break;
            }
            self.statements(body.end);
            self.rise();
            // `for item in items: items.append(item.child)`: what the list got meanwhile has its round too.
            if rounds.is_empty()
                && let Some((name, seen)) = &mut gone_through
                && let Some(Value::List(now)) = self.variables.get(name)
                && now.len() > *seen
            {
                let added = now.len() - *seen;
                let taken = added.min(more);
                rounds.extend(now.iter().skip(*seen).leading(taken).cloned());
                more -= taken;
                *seen = now.len();
                if taken < added {
                    self.limit();
                }
            }
        }
        self.leave_locals(outside);
        let targets = self.names(targets.start, targets.end);
        for (at, state) in states.into_iter().enumerate() {
            self.or_state(state, at == 0, &targets);
        }
        self.round = outer;
        self.at = body.end;
    }
}
