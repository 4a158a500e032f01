//! Assignments: `name=value`, `name[subscript]+=value`, `name=(…)`, also as arguments of `declare` and its kin.

use super::cursor::{END, Parser, begins_name, continues_name};
use super::rules::{ARGUMENT, COMMAND, VALUE};
use super::text::{Builder, TextKind};
use super::tree::{AssignedValue, Assignment, Part, PartKind, UnparsedReason, Word};

impl Parser<'_> {
    /// Reads an assignment. Where none stands there: nothing, or a word that began like one (`a[b]c`).
    pub(super) fn assignment(&mut self) -> Result<Assignment, Option<Word>> {
        let start = self.at;
        if !self.assigns() {
            return Err(None);
        }
        let name = self.name();
        let subscript = (self.peek() == b'[').then(|| self.subscript());
        let append = self.peek() == b'+' && self.second() == b'=';
        if self.peek() != b'=' && !append {
            let Some(subscript) = subscript else {
                self.at = start;
                return Err(None);
            };
            let parts = self.bracketed(start, &name, subscript);
            return Err(Some(self.word_after(start, parts, &COMMAND)));
        }
        self.node();
        self.advance_by(1 + usize::from(append));
        let value = if self.peek() == b'(' {
            AssignedValue::Array(self.deeper(Self::array))
        } else {
            AssignedValue::Word(self.word(&VALUE))
        };
        Ok(Assignment { name, subscript, append, value, span: self.span_from(start) })
    }

    /// Whether a name and then something stands at the cursor that an assignment could go on with.
    pub(super) fn assigns(&self) -> bool {
        let mut end = self.at;
        if !begins_name(self.raw(end)) {
            return false;
        }
        while continues_name(self.raw(end)) {
            end += 1;
        }
        match self.raw(end) {
            b'=' | b'[' => true,
            // `coproc a+(b)` runs `b` in a coprocess with a strange name.
            b'+' => {
                let next = self.past_continuations(end + 1);
                self.raw(next) == b'=' || next > end + 1
            }
            _ => self.past_continuations(end) > end,
        }
    }

    /// What was read as a name and a subscript, as the beginning of a word.
    fn bracketed(&mut self, start: usize, name: &str, subscript: Word) -> Builder {
        let mut parts = Builder::new();
        let open = self.past_continuations(start + name.len());
        if !name.is_empty() {
            parts.text(TextKind::Literal, name, self.span(start, open));
        }
        match subscript.parts.as_slice() {
            [] | [Part { kind: PartKind::Literal(_), .. }] => {
                let text = self.slice(open, self.at);
                parts.push(PartKind::Glob(text.into()), self.span(open, self.at));
            }
            _ => {
                let closed = subscript.span.end < self.span_from(open).end;
                parts.push(PartKind::Glob("[".into()), self.span(open, open + 1));
                parts.extend(subscript.parts);
                if closed {
                    parts.text(TextKind::Literal, "]", self.span(self.at - 1, self.at));
                }
            }
        }
        parts
    }

    /// `( … )`, the cursor on the `(`.
    fn array(&mut self) -> Vec<(Option<Word>, Word)> {
        let start = self.at;
        self.advance();
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            let at = self.at;
            match self.peek() {
                END => {
                    self.unclosed(start);
                    return elements;
                }
                b')' => {
                    self.advance();
                    return elements;
                }
                b'[' => elements.push(self.keyed_element()),
                b'<' | b'>' if self.second() == b'(' => elements.push((None, self.word(&ARGUMENT))),
                b';' | b'&' | b'|' | b'<' | b'>' | b'(' => {
                    self.advance();
                    self.unparsed(self.span_from(at), UnparsedReason::Syntax);
                }
                _ => elements.push((None, self.word(&ARGUMENT))),
            }
        }
    }

    fn keyed_element(&mut self) -> (Option<Word>, Word) {
        let start = self.at;
        let key = self.subscript();
        let append = self.peek() == b'+' && self.second() == b'=';
        if self.peek() == b'=' || append {
            self.advance_by(1 + usize::from(append));
            return (Some(key), self.word(&VALUE));
        }
        let parts = self.bracketed(start, "", key);
        (None, self.word_after(start, parts, &ARGUMENT))
    }

    /// Reads `(…)` right after an argument `name=`: the array becomes part of the argument, its elements apart by
    /// blanks. Such an argument can stand after `declare` and its kin, or `anywhere` in a coprocess.
    pub(super) fn array_argument(&mut self, words: &mut [Word], anywhere: bool) -> bool {
        let declares = anywhere || words.first().is_some_and(declares);
        let Some(word) = words.last_mut() else { return false };
        let assigns = match word.parts.as_slice() {
            [Part { kind: PartKind::Literal(text), .. }] => {
                word.span.end == self.source_offset(self.at)
                    && text.strip_suffix('=').is_some_and(|name| {
                        let name = name.strip_suffix('+').unwrap_or(name);
                        name.bytes().all(continues_name)
                            && name.bytes().next().is_some_and(begins_name)
                    })
            }
            _ => false,
        };
        if !assigns {
            return false;
        }
        let start = self.at;
        let elements = self.deeper(Self::array);
        if self.at == start {
            // Too deep to be read: what stands here is listed as unparsed, the word stays as it was.
            return false;
        }
        if !declares {
            self.unparsed(self.span_from(start), UnparsedReason::Syntax);
        }
        let mut parts = Builder::new();
        parts.extend(std::mem::take(&mut word.parts));
        let mut end = start;
        let open = self.span(start, start + 1);
        parts.text(TextKind::Literal, "(", open);
        let last = self.span_from(start).end;
        let mut before = open.end;
        for (key, value) in elements {
            let first = key.as_ref().map_or(value.span, |key| key.span);
            let gap = crate::Span { start: before, end: first.start.max(before) };
            let text = match (end > start, key.is_some()) {
                (true, true) => " [",
                (true, false) => " ",
                (false, true) => "[",
                (false, false) => "",
            };
            parts.text(TextKind::Literal, text, gap);
            end = self.at;
            before = value.span.end;
            if let Some(key) = key {
                parts.extend(key.parts);
                parts.text(
                    TextKind::Literal,
                    "]=",
                    crate::Span { start: key.span.end, end: value.span.start },
                );
            }
            parts.extend(value.parts);
        }
        parts.text(TextKind::Literal, ")", crate::Span { start: before, end: last });
        word.parts = parts.finish();
        word.span = word.span.to(self.span_from(start));
        true
    }
}

/// Whether a command of this name takes arrays as arguments. For any other bash refuses the text.
fn declares(name: &Word) -> bool {
    const NAMES: [&str; 8] =
        ["declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"];
    matches!(name.parts.as_slice(), [Part { kind: PartKind::Literal(text), .. }] if NAMES.contains(&&**text))
}
