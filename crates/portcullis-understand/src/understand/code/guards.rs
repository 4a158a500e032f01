//! Conditions by which a script makes sure of a path before it goes on: `if not path.is_relative_to(ROOT): raise …`. Owns what follows from
//! one: behind it the path lies below the root, and where it surely does not, nothing behind it is done.
//!
//! What a condition says is read in `said`, and only where the script leaves the functions that it is made of as they are.

use std::ops::Range;

use super::{
    interpreter::Interpreter,
    learned::Learned,
    loops::BODY,
    value::{Value, mixed},
};
use crate::text::{Piece, Text};

mod cases;
mod constant;
mod fields;
mod flags;
mod names;
mod said;

use said::{Fact, Holds, Said};

/// What a path is made of that lies somewhere below a root.
const BELOW: &str = "a path below it";

/// How many tokens of a condition are looked at.
const CONDITION: usize = 64;

/// Statements that leave the block that they stand in.
const LEAVES: &[&str] = &["break", "continue", "die", "exit", "quit", "raise", "return", "throw"];

/// The same in Perl and Ruby.
const SCRIPTING: &[&str] = &["abort", "croak", "exit!", "fail", "last", "next"];

/// Members by which a program ends: `sys.exit(1)`, `process.exit(1)`.
const ENDS: &[&str] = &["_exit", "exit", "abort"];

/// What is left of a value of which something is said.
enum Left {
    /// This.
    Value(Value),
    /// Nothing: it is never so.
    Nothing,
}

impl Interpreter<'_, '_, '_> {
    /// Reads the condition at `start` with its body, and takes what follows from it for what stands behind; whether it does that.
    pub(super) fn guards(&mut self, start: usize) -> bool {
        if !matches!(self.language, "javascript" | "perl" | "php" | "python" | "ruby") {
            return false;
        }
        let is_assertion = matches!(self.word_at(start), "assert" | "unless");
        let Some((condition, body)) = self.parts_of_condition(start) else { return false };
        let has_body = self.word_at(start) != "assert";
        let leaves = !has_body || self.leaves_block(body.clone());
        let Some(said) = self.said_by(condition) else { return false };
        let said = if is_assertion { Said::Not(Box::new(said)) } else { said };
        let holds = self.holds(&said);
        if holds == Some(false) && has_body {
            self.leave_out(body.clone());
            self.at = body.end;
            return true;
        }
        if !leaves {
            if holds.is_none() {
                self.holds_behind(&said, true, body);
                return false;
            }
            self.read_body(start, body.end);
            self.at = self.end_of_alternatives(body.end);
            return true;
        }
        if has_body || holds != Some(true) {
            self.read_body(start, body.end);
        }
        let end = self.end_of_block_around(start);
        if holds == Some(true) || !self.holds_behind(&said, false, body.end..end) {
            self.at = self.at.max(end);
        }
        true
    }

    /// Leaves out the branch of `elif` at `start` where its condition never holds; whether it does not.
    pub(super) fn is_other_branch(&mut self, start: usize) -> bool {
        if self.language != "python" {
            return false;
        }
        let Some((condition, body)) = self.parts_of_condition(start) else { return false };
        let Some(said) = self.said_by(condition) else { return false };
        if self.holds(&said) != Some(false) {
            return false;
        }
        self.leave_out(body.clone());
        self.at = body.end;
        true
    }

    /// `raise "outside" unless path.start_with?(ROOT)`, `die "outside" unless index($path, $root) == 0;`: whether that stands at `start`.
    pub(super) fn guards_behind(&mut self, start: usize) -> bool {
        let word = self.word_at(start);
        let leaves = LEAVES.contains(&word) || SCRIPTING.contains(&word);
        if !matches!(self.language, "perl" | "ruby") || !leaves || self.named.contains_key(word) {
            return false;
        }
        let is_ruby = self.language == "ruby";
        let ends = |at: &usize| match is_ruby {
            true => *at > start && self.is_first(*at) || self.word_at(*at) == ";",
            false => matches!(self.word_at(*at), ";" | "}"),
        };
        let end = self.find_outside(start, self.end, ends).unwrap_or(self.end);
        if end - start > CONDITION {
            return false;
        }
        let decides = |at: &usize| matches!(self.word_at(*at), "if" | "unless");
        let Some(at) = self.find_outside(start + 1, end, decides) else { return false };
        let is_not = self.word_at(at) == "unless";
        // Behind the block around nobody knows whether it was asked.
        let opens = |open: &usize| {
            self.is_first(*open)
                && matches!(
                    self.word_at(*open),
                    "begin" | "case" | "for" | "if" | "unless" | "until" | "while"
                )
        };
        let opened: Vec<usize> = (0..start).filter(opens).filter(|_| is_ruby).collect();
        if !self.spend(start / 8 + opened.len().saturating_mul(16)) {
            return false;
        }
        let is_around = |open: &usize| self.end_of_block(*open).is_none_or(|close| close > start);
        if opened.iter().any(is_around) {
            return false;
        }
        let Some(said) = self.said_by(at + 1..end) else { return false };
        let said = if is_not { Said::Not(Box::new(said)) } else { said };
        let holds = self.holds(&said);
        if !self.sink() {
            return false;
        }
        self.at = start + 1;
        if word == "return" && self.at < at {
            let value = self.expression(0);
            self.returned = Some(match self.returned.take() {
                Some(before) => before.or(value),
                None => value,
            });
        }
        self.statements(end);
        self.rise();
        let around = self.end_of_block_around(start);
        if holds == Some(true) || !self.holds_behind(&said, false, end..around) {
            self.at = self.at.max(around);
        }
        true
    }

    /// Whether a condition that is the one name at `at` is surely so, or surely not.
    pub(super) fn decided_by_name(&mut self, at: usize) -> Option<bool> {
        const BEFORE: &[&str] = &["", "(", ",", ":", ";", "=", "=>", "[", "return", "{"];
        let before = at.checked_sub(1).map_or("", |before| self.word_at(before));
        let is_plain = matches!(self.language, "javascript" | "perl" | "php" | "ruby")
            && (self.is_name(at) || self.word_at(at).starts_with('$'))
            && BEFORE.contains(&before);
        let said = is_plain.then(|| self.said_by(at..at + 1)).flatten()?;
        self.holds(&said)
    }

    /// `try: path.relative_to(ROOT)`, `except ValueError: raise …`: what cannot be told in relation to the root raises; whether that stands at
    /// `start`.
    pub(super) fn guards_by_attempt(&mut self, start: usize) -> bool {
        if self.language != "python" || !self.is_first(start) || self.word_at(start + 1) != ":" {
            return false;
        }
        let body = self.block_end(start);
        let asks = |at: &usize| self.word_at(*at) == "relative_to" && self.word_at(at + 1) == "(";
        let Some(at) = (start + 2..body.min(start + BODY)).find(asks) else { return false };
        let mut end = body;
        while matches!(self.word_at(end), "except" | "else" | "finally") {
            let next = self.block_end(end);
            let colon = self.find_outside(end, next, |at| self.word_at(*at) == ":");
            let leaves = colon.is_some_and(|colon| self.leaves_block(colon + 1..next));
            if self.word_at(end) == "except" && !leaves {
                return false;
            }
            end = next.max(end + 1);
        }
        let Some(fact) = self.related_there(at) else { return false };
        self.read_body(start, end);
        let around = self.end_of_block_around(start);
        let said = Said::Fact(fact);
        if self.holds(&said) == Some(false) || !self.holds_behind(&said, true, end..around) {
            self.at = self.at.max(around);
        }
        true
    }

    /// Reads a condition with its body.
    fn read_body(&mut self, start: usize, end: usize) {
        self.at = start + 1;
        if self.sink() {
            self.statements(end);
            self.rise();
        } else {
            self.at = end;
        }
    }

    /// Where what is done in other cases ends: `elif …: …`, `else { … }`.
    fn end_of_alternatives(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.end && matches!(self.word_at(at), "elif" | "else" | "elseif") {
            if self.language == "python" {
                at = self.block_end(at).max(at + 1);
                continue;
            }
            if self.language == "ruby" {
                let close = (at..self.end).find(|close| self.word_at(*close) == "end");
                return close.map_or(self.end, |close| close + 1);
            }
            let next = at + 1;
            at = match self.word_at(next) {
                "if" => match self.parts_of_condition(next) {
                    Some((_, body)) => body.end,
                    None => return at,
                },
                "{" => self.partner(next) + 1,
                _ => {
                    let end = self.end_of_one(next);
                    end + usize::from(self.word_at(end) == ";")
                }
            }
            .max(next);
        }
        at.min(self.end)
    }

    /// The tokens of a condition and those of its body.
    fn parts_of_condition(&self, start: usize) -> Option<(Range<usize>, Range<usize>)> {
        if self.language == "python" {
            if !self.is_first(start) {
                return None;
            }
            let end = self.block_end(start);
            if self.word_at(start) == "assert" {
                let comma = |at: &usize| self.word_at(*at) == "," || self.is_first(*at);
                let close = self.find_outside(start + 1, end.min(start + CONDITION), comma);
                return Some((start + 1..close.unwrap_or(end), end..end));
            }
            let colon = |at: &usize| self.word_at(*at) == ":";
            let at = self.find_outside(start + 1, end.min(start + CONDITION), colon)?;
            return Some((start + 1..at, at + 1..end));
        }
        if self.language == "ruby" {
            return self.parts_in_ruby(start);
        }
        if self.word_at(start + 1) != "(" {
            return None;
        }
        let close = self.partner(start + 1);
        if close >= self.end || close - start > CONDITION {
            return None;
        }
        let end = match self.word_at(close + 1) {
            "{" => self.partner(close + 1) + 1,
            _ => {
                let end = self.end_of_one(close + 1);
                end + usize::from(self.word_at(end) == ";")
            }
        };
        Some((start + 2..close, close + 1..end.min(self.end)))
    }

    /// The same in Ruby, where nothing else in the body has an end of its own: `if DRY … else … end`.
    fn parts_in_ruby(&self, start: usize) -> Option<(Range<usize>, Range<usize>)> {
        const OPENS: &[&str] = &[
            "begin", "case", "class", "def", "do", "elsif", "for", "if", "module", "unless",
            "until", "while",
        ];
        let close = self.is_first(start).then(|| self.end_of_block(start)).flatten()?;
        let line = (start + 1..close).find(|at| self.is_first(*at))?;
        let end = line - usize::from(self.word_at(line - 1) == "then");
        if close - start > BODY || (line..close).any(|at| OPENS.contains(&self.word_at(at))) {
            return None;
        }
        let other = (line..close).find(|at| self.word_at(*at) == "else");
        Some((start + 1..end, line..other.unwrap_or(close + 1)))
    }

    /// The first token outside of brackets of which something is so.
    pub(super) fn find_outside(
        &self,
        from: usize,
        end: usize,
        is: impl Fn(&usize) -> bool,
    ) -> Option<usize> {
        let mut at = from;
        while at < end {
            if is(&at) {
                return Some(at);
            }
            at = self.partner_or_next(at);
        }
        None
    }

    /// Whether a body surely leaves the block that its statement stands in.
    fn leaves_block(&self, body: Range<usize>) -> bool {
        let (mut at, end) = match self.word_at(body.start) {
            "{" => (body.start + 1, self.partner(body.start)),
            _ => (body.start, body.end),
        };
        if end.saturating_sub(at) > BODY {
            return false;
        }
        let is_scripting = matches!(self.language, "perl" | "ruby");
        let indent = self.unit.tokens.get(at).map(|token| token.indent);
        let begin = at;
        while at < end {
            let before = at.checked_sub(1).map_or("", |before| self.word_at(before));
            let begins = at == begin
                || match self.language {
                    "python" => {
                        self.is_first(at)
                            && self.unit.tokens.get(at).map(|token| token.indent) == indent
                    }
                    "ruby" => self.is_first(at),
                    _ => matches!(before, ";" | "}") || self.is_first(at) && before == ")",
                };
            // `if (a) return;` leaves sometimes.
            let is_under_another = self.language != "python"
                && before == ")"
                && (begin..at).any(|at| {
                    matches!(self.word_at(at), "if" | "for" | "while")
                        && self.partner(at + 1) + 1 >= at
                });
            let word = self.word_at(at);
            let leaves = (LEAVES.contains(&word) || is_scripting && SCRIPTING.contains(&word))
                && !self.named.contains_key(word)
                && self.word_at(at + 1) != "=";
            let ends = matches!(word, "os" | "parser" | "process" | "sys")
                && self.word_at(at + 1) == "."
                && ENDS.contains(&self.word_at(at + 2));
            if begins && !is_under_another && (leaves || ends) {
                return true;
            }
            at = self.partner_or_next(at);
        }
        false
    }

    /// Where the block ends that a statement stands in.
    fn end_of_block_around(&mut self, start: usize) -> usize {
        if self.language != "python" {
            // Where the last statement of a block is read by itself, it belongs to it all the same.
            return match self.behind {
                Some((last, end)) if last == self.end => end,
                _ => self.end,
            };
        }
        let indent = |at: usize| self.unit.tokens.get(at).map(|token| token.indent);
        let mut at = start;
        while at < self.end && indent(at) == indent(start) {
            let next = self.unit.blocks.get(at).copied().unwrap_or(self.end);
            if next <= at {
                break;
            }
            at = next;
        }
        at.min(self.end)
    }

    /// Whether something is said that surely is so, or surely is not.
    fn holds(&mut self, said: &Said) -> Option<bool> {
        match said {
            Said::Unknown => None,
            Said::Always(holds) => Some(*holds),
            Said::Not(inner) => self.holds(inner).map(|holds| !holds),
            Said::All(parts) => {
                let all: Vec<Option<bool>> = parts.iter().map(|part| self.holds(part)).collect();
                if all.contains(&Some(false)) {
                    return Some(false);
                }
                all.iter().all(|it| *it == Some(true)).then_some(true)
            }
            Said::Any(parts) => {
                let all: Vec<Option<bool>> = parts.iter().map(|part| self.holds(part)).collect();
                if all.contains(&Some(true)) {
                    return Some(true);
                }
                all.iter().all(|it| *it == Some(false)).then_some(false)
            }
            Said::Fact(fact) => {
                let is_sure = match fact.holds {
                    Holds::Is { .. } | Holds::True => self.is_constant(&fact.name, fact.at),
                    Holds::Below { .. } | Holds::Begins { .. } => self.is_settled(fact),
                };
                if !is_sure {
                    return None;
                }
                let value = match fact.name.split_once('.') {
                    Some((own, field)) => {
                        let object = self.resolve(own);
                        self.member(object, field)
                    }
                    None => self.bound(&fact.name)?,
                };
                let mut all = value.alternatives().into_iter();
                let first = self.is_so(fact, &all.next()?)?;
                all.all(|value| self.is_so(fact, &value) == Some(first)).then_some(first)
            }
        }
    }

    /// Whether a fact is so for a value that is known.
    fn is_so(&self, fact: &Fact, value: &Value) -> Option<bool> {
        if let (Holds::True, Value::Name(..) | Value::Number(_)) = (&fact.holds, value) {
            return match (value.is_true(), value.is_false()) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
        }
        let known = value.as_known()?;
        let whole = |text: &str| self.walk.target(&Text::known(text)).path;
        match &fact.holds {
            Holds::Below { root, is_strict } => {
                let (path, root) = (whole(known)?, whole(root)?);
                if path.contains(['*', '?']) {
                    return None;
                }
                let rest = match root.as_str() {
                    "/" => Some(path.as_str()),
                    root => path.strip_prefix(root),
                };
                Some(match rest {
                    Some("") => !is_strict,
                    Some(rest) => rest.starts_with('/'),
                    None => false,
                })
            }
            Holds::Begins { with } => {
                let (path, mut root) = (whole(known)?, whole(with)?);
                if with.ends_with('/') && !root.ends_with('/') {
                    root.push('/');
                }
                let is_below = path.starts_with(&root);
                // What a path is resolved to is told by where it leads.
                let begins = known.starts_with(with.as_str());
                (fact.is_resolved || is_below == begins).then_some(is_below)
            }
            Holds::Is { one_of } => {
                let paths = |text: &str| whole(text);
                let is_one = one_of.iter().any(|one| one == known);
                let is_same = one_of.iter().any(|one| paths(one) == paths(known));
                (is_one == is_same).then_some(is_one)
            }
            Holds::True => None,
        }
    }

    /// Takes what is said, or its opposite, of the names in it while the tokens of `within` are read; whether it can be so at all.
    fn holds_behind(&mut self, said: &Said, is_so: bool, within: Range<usize>) -> bool {
        match said {
            Said::Unknown => true,
            Said::Always(holds) => *holds == is_so,
            Said::Not(inner) => self.holds_behind(inner, !is_so, within),
            Said::All(parts) if is_so => {
                parts.iter().all(|part| self.holds_behind(part, is_so, within.clone()))
            }
            Said::Any(parts) if !is_so => {
                parts.iter().all(|part| self.holds_behind(part, is_so, within.clone()))
            }
            // One of several is so: where all are of one name, it is what one of them says.
            Said::All(parts) | Said::Any(parts) => {
                let facts: Option<Vec<(&Fact, bool)>> =
                    parts.iter().map(|part| fact_of(part, is_so)).collect();
                let Some(facts) = facts else { return true };
                let Some((first, _)) = facts.first() else { return true };
                if facts.iter().any(|(fact, _)| fact.name != first.name) {
                    return true;
                }
                let Some(before) = self.bound(&first.name) else { return true };
                let mut left = Vec::new();
                for (fact, is_so) in &facts {
                    match self.left_of(fact, *is_so, &before) {
                        None => return true,
                        Some(Left::Nothing) => {}
                        Some(Left::Value(value)) => left.push(value),
                    }
                }
                let Some(value) = left.into_iter().reduce(Value::or) else { return true };
                let name = first.name.clone();
                self.variables.insert(name.clone(), value.clone());
                self.learned.push(Learned::new(within, name, before, &value));
                true
            }
            Said::Fact(fact) => {
                let Some(before) = self.bound(&fact.name) else { return true };
                match self.left_of(fact, is_so, &before) {
                    None => {}
                    Some(Left::Nothing) => return !self.is_settled(fact),
                    Some(Left::Value(value)) => {
                        self.variables.insert(fact.name.clone(), value.clone());
                        self.learned.push(Learned::new(within, fact.name.clone(), before, &value));
                    }
                }
                true
            }
        }
    }

    /// What of a value is left where a fact is so, or is not.
    fn left_of(&self, fact: &Fact, is_so: bool, value: &Value) -> Option<Left> {
        let mut changes = false;
        let mut left: Vec<Value> = Vec::new();
        for one in value.alternatives() {
            match self.is_so(fact, &one) {
                Some(holds) if holds == is_so => left.push(one),
                Some(_) => changes = true,
                None => {
                    let narrowed = is_so.then(|| self.narrowed(fact, &one)).flatten();
                    changes |= narrowed.is_some();
                    left.push(narrowed.unwrap_or(one));
                }
            }
        }
        if !changes {
            return None;
        }
        Some(left.into_iter().reduce(Value::or).map_or(Left::Nothing, Left::Value))
    }

    /// A value that is not known, as far as a fact says what it is.
    fn narrowed(&self, fact: &Fact, value: &Value) -> Option<Value> {
        let text = match value {
            Value::Text(text) if text.as_known().is_none() => text.clone(),
            Value::Name(..) => value.text(),
            _ => return None,
        };
        let begin = match &fact.holds {
            Holds::Is { one_of } => {
                let one = |known: &String| Value::Text(text.derive([Piece::Known(known.clone())]));
                return one_of.iter().map(one).reduce(Value::or);
            }
            Holds::True => return None,
            _ if !fact.is_resolved => return None,
            Holds::Below { root, .. } => format!("{}/", root.trim_end_matches('/')),
            Holds::Begins { with } => with.clone(),
        };
        // What is known of it already says as much.
        if begin.is_empty() || text.known_prefix().starts_with(&begin) {
            return None;
        }
        let inner = mixed(BELOW, [value]);
        let pieces = [Piece::Known(begin), Piece::Unknown(BELOW.into())];
        Some(Value::Text(inner.derive(pieces)))
    }
}

/// The one fact that is said, and whether it is so.
fn fact_of(said: &Said, is_so: bool) -> Option<(&Fact, bool)> {
    match said {
        Said::Fact(fact) => Some((fact, is_so)),
        Said::Not(inner) => fact_of(inner, !is_so),
        _ => None,
    }
}
