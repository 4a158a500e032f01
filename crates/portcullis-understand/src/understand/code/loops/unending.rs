//! What is done again and again without an end. Owns how that is told from loops that wait for something.

use super::{super::interpreter::Interpreter, BODY, LEAVES};

impl Interpreter<'_, '_, '_> {
    /// Whether what stands here is done again and again, without an end and without a pause.
    pub(in super::super) fn is_unending(&mut self) -> bool {
        const PAUSES: &[&str] = &[
            "backoff",
            "blpop",
            "brpop",
            "consume",
            "consumer",
            "delay",
            "input",
            "interval",
            "on",
            "pause",
            "poll",
            "pop",
            "popleft",
            "prompt",
            "queue",
            "question",
            "read",
            "readline",
            "receive",
            "recv",
            "rl",
            "setTimeout",
            "shift",
            "sleep",
            "take",
            "throttle",
            "timeout",
            "wait",
            "yield",
        ];
        let at = self.at;
        if !self.spend(at / 8) {
            return false;
        }
        let found = (0..at).rev().find_map(|start| {
            let (from, end) = match self.word_at(start) {
                "while" if self.language == "python" && self.is_first(start) => {
                    let colon = (start + 1..self.end.min(start + 8))
                        .find(|at| self.word_at(*at) == ":")
                        .unwrap_or(start);
                    let head = (start + 1..colon).map(|at| self.word_at(at));
                    let head: Vec<&str> = head.filter(|word| !matches!(*word, "(" | ")")).collect();
                    let goes_on = matches!(
                        head.as_slice(),
                        ["True" | "1"] | ["not", "False" | "0" | "None"] | ["1", "==", "1"]
                    );
                    (if goes_on { colon + 1 } else { usize::MAX }, self.block_end(start))
                }
                "for" if self.language == "python" && self.is_first(start) => {
                    let body = self.body_of_a_count(start);
                    (body.unwrap_or(usize::MAX), self.block_end(start))
                }
                word @ ("for" | "while")
                    if self.language == "javascript" && self.word_at(start + 1) == "(" =>
                {
                    let close = self.partner(start + 1);
                    let head: Vec<&str> = (start + 2..close).map(|at| self.word_at(at)).collect();
                    let goes_on = match word {
                        "for" => head == [";", ";"],
                        _ => head == ["true"] || head == ["1"],
                    };
                    let end = match self.word_at(close + 1) {
                        "{" => self.partner(close + 1),
                        _ => self.statement_end(close + 1),
                    };
                    (if goes_on { close + 1 } else { usize::MAX }, end)
                }
                _ => return None,
            };
            (end >= at).then_some((from, end))
        });
        let Some((from, end)) = found.filter(|(from, end)| from < end && end - from <= BODY) else {
            return self.goes_on_by_itself(at);
        };
        // What came back is read at once.
        let is_answer = |at: usize| {
            let name = self.word_at(at.saturating_sub(2));
            self.word_at(at - 1) == "."
                && (from..at - 2).any(|at| {
                    self.word_at(at) == "as" && self.word_at(at + 1) == name
                        || self.word_at(at) == name && self.word_at(at + 1) == "="
                })
        };
        !(from..end).any(|at| {
            let word = self.word_at(at);
            LEAVES.contains(&word)
                || PAUSES.contains(&word) && !(word == "read" && is_answer(at))
                // What a queue gives is waited for.
                || word == "get" && self.word_at(at + 1) == "(" && self.word_at(at + 2) == ")"
        })
    }

    /// Whether what stands here belongs to a function that calls itself again as soon as it is done: `const hit = () => fetch(x).finally(hit)`.
    fn goes_on_by_itself(&self, at: usize) -> bool {
        const AGAIN: &[&str] =
            &["catch", "finally", "nextTick", "queueMicrotask", "setImmediate", "then"];
        const DECIDES: &[&str] = &["if", "?", "&&", "||", "switch", "setTimeout", "break"];
        if self.language != "javascript" {
            return false;
        }
        let defined = |start: usize| -> Option<(&str, usize, usize)> {
            let is_function = self.word_at(start) == "function" && self.is_name(start + 1);
            let (name, head) = if is_function {
                (self.word_at(start + 1), start + 2)
            } else if self.is_name(start) && self.word_at(start + 1) == "=" {
                let is_async = usize::from(self.word_at(start + 2) == "async");
                (self.word_at(start), start + 2 + is_async)
            } else {
                return None;
            };
            let close = self.partner(head);
            let arrow = usize::from(!is_function);
            let is_one =
                self.word_at(head) == "(" && (is_function || self.word_at(close + 1) == "=>");
            let body = close + 1 + arrow;
            let end = match self.word_at(body) {
                "{" => self.partner(body),
                _ => self.expression_end(body),
            };
            (is_one && body <= at && at < end && end - body <= BODY).then_some((name, body, end))
        };
        let Some((name, body, end)) = (0..at).rev().find_map(defined) else { return false };
        let is_again = |at: usize| {
            AGAIN.contains(&self.word_at(at))
                && self.word_at(at + 1) == "("
                && self.word_at(at + 2) == name
        };
        (body..end).any(is_again) && !(body..end).any(|at| DECIDES.contains(&self.word_at(at)))
    }
}
