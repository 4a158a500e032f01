//! Cases of which one is surely taken: `match` of Python and `switch` of JavaScript over a text that is known. Owns which cases are never done.

use std::{ops::Range, rc::Rc};

use super::super::interpreter::Interpreter;

/// How many `match` statements lie in each other.
const SUBJECTS: usize = 16;

/// How many bodies that are never done are remembered.
const BODIES: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// Reads the statement at `start` as far as it is sure which of its cases is taken; whether nothing of it is left to read.
    pub(in super::super) fn chooses(&mut self, start: usize) -> bool {
        match (self.language, self.word_at(start)) {
            ("python", "match") => {
                self.asked_of(start);
                false
            }
            ("python", "case") => self.is_other_case(start),
            ("javascript", "switch") => self.one_of_switch(start),
            _ => false,
        }
    }

    /// Remembers of what `match` at `start` is asked.
    fn asked_of(&mut self, start: usize) {
        let end = self.block_end(start);
        self.seen.subjects.retain(|(end, ..)| *end > start);
        if self.seen.subjects.len() >= SUBJECTS {
            self.seen.subjects.clear();
        }
        let is_one = self.word_at(start + 2) == ":";
        let known = if is_one { self.text_all_along(start + 1) } else { None };
        self.seen.subjects.push((end, known, false));
    }

    /// Whether the case at `start` is surely not the one; it is left out then.
    fn is_other_case(&mut self, start: usize) -> bool {
        self.seen.subjects.retain(|(end, ..)| *end > start);
        let Some((_, Some(known), is_found)) = self.seen.subjects.last().cloned() else {
            return false;
        };
        let colon = self.find_outside(start + 1, self.end, |at| self.word_at(*at) == ":");
        let Some(colon) = colon else { return false };
        let texts: Option<Vec<String>> = (start + 1..colon)
            .filter(|at| self.word_at(*at) != "|")
            .map(|at| self.literal_at(at))
            .collect();
        let is_one = texts.as_ref().is_some_and(|texts| texts.contains(&known));
        if !is_found && (is_one || texts.is_none()) {
            if let Some(last) = self.seen.subjects.last_mut() {
                last.2 = is_one;
            }
            return false;
        }
        let end = self.block_end(start);
        self.leave_out(start..end);
        self.at = end;
        true
    }

    /// Reads the one case of `switch` at `start` that is taken, where that is sure.
    fn one_of_switch(&mut self, start: usize) -> bool {
        let open = start + 4;
        let is_plain = self.word_at(start + 1) == "("
            && self.partner(start + 1) == start + 3
            && self.word_at(open) == "{";
        let Some(known) = is_plain.then(|| self.text_all_along(start + 2)).flatten() else {
            return false;
        };
        let close = self.partner(open);
        if close >= self.end || !self.spend((close - open) / 4) {
            return false;
        }
        // Where the bodies begin, and what each is for.
        let mut labels: Vec<(usize, Option<String>)> = Vec::new();
        let mut at = open + 1;
        while at < close {
            match (self.word_at(at), self.word_at(at + 1), self.word_at(at + 2)) {
                ("default", ":", _) => labels.push((at + 2, None)),
                ("case", _, ":") => {
                    let Some(text) = self.literal_at(at + 1) else { return false };
                    labels.push((at + 3, Some(text)));
                }
                ("case", ..) => return false,
                _ => {}
            }
            at = self.partner_or_next(at);
        }
        let found = labels.iter().find(|(_, text)| text.as_ref() == Some(&known));
        let found = found.or_else(|| labels.iter().find(|(_, text)| text.is_none()));
        let Some(begin) = found.map(|(begin, _)| *begin) else {
            self.leave_out(open + 1..close);
            self.at = close + 1;
            return true;
        };
        let end = self.end_of_case(begin, close);
        self.leave_out(open + 1..begin);
        self.leave_out(end..close);
        self.read_body(begin - 1, end);
        self.at = self.at.max(close + 1);
        true
    }

    /// Where what is done from the body at `begin` on ends: at `break`, or where it leaves altogether.
    fn end_of_case(&self, begin: usize, close: usize) -> usize {
        let mut at = begin;
        let mut leaves = false;
        while at < close {
            let before = self.word_at(at - 1);
            let begins = matches!(before, ":" | ";" | "}" | "{") || self.is_first(at);
            match self.word_at(at) {
                "case" | "default" if leaves => return at,
                "break" if begins => return at,
                "continue" | "return" | "throw" if begins => leaves = true,
                // `case "a": { …; break; }`
                "{" if before == ":" => {
                    let inner = self.partner(at);
                    let is_left = (inner.saturating_sub(3).max(at)..inner)
                        .any(|at| self.word_at(at) == "break");
                    if is_left && self.word_at(inner - 1) == ";" {
                        return inner + 1;
                    }
                }
                _ => {}
            }
            at = self.partner_or_next(at);
        }
        close
    }

    /// What is written at `at`, or what the name there is worth all along.
    fn text_all_along(&mut self, at: usize) -> Option<String> {
        self.literal_at(at).or_else(|| self.constant_text(at))
    }

    /// Remembers code that is never done, so that nothing is called there.
    pub(super) fn leave_out(&mut self, body: Range<usize>) {
        if self.calls == 0 && self.seen.never_done.len() < BODIES {
            self.seen.never_done.push((Rc::clone(&self.unit), body));
        }
    }
}
