//! What is done for each of many. Owns where something stands in a loop, or in what is called for each element, also by way of a function.

use portcullis_syntax::{Span, code::Token};

use super::super::interpreter::Interpreter;
use crate::bound::Bounded;

/// How far out functions that call each other are followed.
const AROUND: usize = 3;

/// How many uses of one function are looked at.
const USES: usize = 64;

/// What calls a function for each element.
const EACH: &[&str] = &[
    "each",
    "eachAsync",
    "eachLimit",
    "eachOf",
    "eachSeries",
    "flatMap",
    "forEach",
    "forEachAsync",
    "forEachLimit",
    "forEachSeries",
    "map",
    "mapAsync",
    "mapLimit",
    "mapSeries",
    "pMap",
    "reduce",
];

impl<'s> Interpreter<'_, '_, 's> {
    /// Whether what stands here is done for each of something whose elements are not known: in the body of a loop, of a comprehension or of
    /// what is called for each element, or of each that a stream brings; or in a function that is called there, or handed over.
    pub(in super::super) fn is_repeated(&mut self, span: Span) -> bool {
        let starts = |token: &Token| token.span.start < span.start;
        let at = self.unit.tokens.partition_point(starts);
        // A function is used behind its body too.
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let is_each = self.is_done_for_each(at, AROUND);
        self.end = outer;
        is_each
    }

    fn is_done_for_each(&mut self, at: usize, depth: usize) -> bool {
        // Too much to look at may be anything.
        if !self.spend(at / 8) || self.stands_in_loop(at) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some((name, defined)) = self.function_around(at) else { return false };
        if !self.spend(self.unit.tokens.len() / 8) {
            return true;
        }
        let uses: Vec<usize> = (0..self.unit.tokens.len())
            .filter(|here| *here != defined && self.word_at(*here) == name)
            .leading(USES + 1)
            .collect();
        if uses.len() > USES {
            return true;
        }
        uses.into_iter().any(|here| {
            let before = |back: usize| here.checked_sub(back).map_or("", |at| self.word_at(at));
            let is_handed = before(1) == "("
                && EACH.contains(&before(2))
                && matches!(self.word_at(here + 1), ")" | ",");
            let is_called = self.word_at(here + 1) == "(" && before(1) != ".";
            is_handed || is_called && self.is_done_for_each(here, depth)
        })
    }

    /// The function whose body a token stands in, and where its name is.
    fn function_around(&self, at: usize) -> Option<(&'s str, usize)> {
        (0..at).rev().find_map(|start| {
            let is_python = self.language == "python";
            let named = match self.word_at(start) {
                "def" if is_python => (self.block_end(start) > at).then_some(start + 1),
                "function" if self.is_name(start + 1) => {
                    let body = self.partner(start + 2) + 1;
                    (self.word_at(body) == "{" && self.partner(body) > at).then_some(start + 1)
                }
                // `const send = async (row) => …`
                "const" | "let" | "var" if self.word_at(start + 2) == "=" => {
                    let head = start + 3;
                    let head = head + usize::from(self.word_at(head) == "async");
                    let arrow = match self.word_at(head) {
                        "(" => self.partner(head) + 1,
                        _ => head + 1,
                    };
                    let is_arrow = self.word_at(arrow) == "=>"
                        || self.word_at(arrow) == "=" && self.word_at(arrow + 1) == ">"
                        || self.word_at(arrow) == ":";
                    (is_arrow && self.statement_end(head) > at).then_some(start + 1)
                }
                _ => None,
            }?;
            Some((self.word_at(named), named))
        })
    }

    /// The same of the text around alone.
    fn stands_in_loop(&self, at: usize) -> bool {
        /// What a stream calls each that it brings.
        const BRINGS: &[&str] = &["data", "document", "entry", "line", "record", "result", "row"];
        (0..at).rev().any(|start| {
            let next = self.word_at(start + 1);
            match self.word_at(start) {
                "for" | "foreach" | "while" if self.language == "python" => {
                    let is_async = start > 0 && self.word_at(start - 1) == "async";
                    let start = start - usize::from(is_async);
                    self.is_first(start) && self.block_end(start) > at
                }
                "for" | "foreach" | "while" => {
                    let head = if next == "await" { start + 2 } else { start + 1 };
                    let body = self.partner(head) + 1;
                    let end = match self.word_at(body) {
                        "{" => self.partner(body),
                        _ => self.statement_end(body),
                    };
                    self.word_at(head) == "(" && at < end
                }
                "(" | "[" | "{" if self.language == "python" => {
                    let close = self.unit.partners.get(start).copied().unwrap_or(start);
                    close > at && self.goes_through(at, close)
                }
                "on" if next == "(" && self.partner(start + 1) > at => {
                    let event = self.token_at(start + 2).map(|token| token.span.of(self.source));
                    event.is_some_and(|it| BRINGS.contains(&it.trim_matches(['"', '\'', '`'])))
                }
                word => EACH.contains(&word) && next == "(" && self.partner(start + 1) > at,
            }
        })
    }
}
