//! What a word's parts are gathered in: adjacent literal text merged, brace expansion folded when its `}` arrives.
//! It does not read; [`super::word`] does.

use super::tree::{Part, PartKind};
use crate::Span;

/// Whether text stands for itself or was quoted.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum TextKind {
    /// [`PartKind::Literal`]
    Literal,
    /// [`PartKind::Quoted`]
    Quoted,
}

/// The parts read so far and the text that still grows.
pub(super) struct Builder {
    pub(super) parts: Vec<Part>,
    kind: TextKind,
    text: String,
    span: Option<Span>,
    braces: Vec<OpenBrace>,
    /// Whether single characters were put among the parts as literals of their own and must be merged.
    marked: bool,
}

struct OpenBrace {
    /// Where in the parts the `{` stands.
    part: usize,
    /// Where the commas stand.
    commas: Vec<usize>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            parts: Vec::new(),
            kind: TextKind::Literal,
            text: String::new(),
            span: None,
            braces: Vec::new(),
            marked: false,
        }
    }

    /// Adds text, merged with what stands before it where that is of the same kind.
    pub(super) fn text(&mut self, kind: TextKind, text: &str, span: Span) {
        match &mut self.span {
            Some(before) if self.kind == kind => *before = before.to(span),
            _ => {
                self.flush();
                self.kind = kind;
                self.span = Some(span);
                self.text.reserve_exact(text.len());
            }
        }
        self.text.push_str(text);
    }

    /// Adds a part that is not text.
    pub(super) fn push(&mut self, kind: PartKind, span: Span) {
        self.flush();
        self.parts.push(Part { kind, span });
    }

    /// Adds parts read elsewhere.
    pub(super) fn extend(&mut self, parts: Vec<Part>) {
        self.flush();
        self.parts.extend(parts);
        self.marked = true;
    }

    /// Whether nothing was added yet.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.span.is_none()
    }

    /// Whether only unquoted literal text was added.
    pub(super) fn is_literal(&self) -> bool {
        self.parts.is_empty() && (self.span.is_none() || self.kind == TextKind::Literal)
    }

    /// The unquoted literal text right before the cursor.
    pub(super) fn tail(&self) -> &str {
        if self.span.is_some() && self.kind == TextKind::Literal { &self.text } else { "" }
    }

    /// Takes the last byte of the literal text back, which begins at `offset`: it turned out to be the operator of an
    /// extended glob.
    pub(super) fn take_operator(&mut self, offset: u32) -> Option<char> {
        if self.tail().is_empty() {
            return None;
        }
        let operator = self.text.pop()?;
        match &mut self.span {
            Some(span) if !self.text.is_empty() => span.end = offset,
            _ => self.span = None,
        }
        Some(operator)
    }

    /// Whether a `{` waits for its `}`.
    pub(super) fn in_brace(&self) -> bool {
        !self.braces.is_empty()
    }

    /// How many `{` wait for their `}`.
    pub(super) fn open_braces(&self) -> usize {
        self.braces.len()
    }

    /// A `{` that may begin a brace expansion.
    pub(super) fn open_brace(&mut self, span: Span) {
        self.mark("{", span);
        self.braces.push(OpenBrace { part: self.parts.len() - 1, commas: Vec::new() });
    }

    /// A `,` inside a brace.
    pub(super) fn comma(&mut self, span: Span) {
        self.mark(",", span);
        let at = self.parts.len() - 1;
        if let Some(brace) = self.braces.last_mut() {
            brace.commas.push(at);
        }
    }

    /// A `}`: folds what stands since the `{` where that is a brace expansion.
    pub(super) fn close_brace(&mut self, span: Span) {
        self.flush();
        let Some(brace) = self.braces.pop() else { return self.mark("}", span) };
        if brace.commas.is_empty() {
            match self.range(brace.part) {
                Some(range) => self.fold(brace.part, range, span),
                None => self.mark("}", span),
            }
            return;
        }
        let mut alternatives = Vec::with_capacity(brace.commas.len() + 1);
        for &comma in brace.commas.iter().rev() {
            alternatives.push(merge(self.parts.split_off(comma + 1)));
            self.parts.pop();
        }
        alternatives.push(merge(self.parts.split_off(brace.part + 1)));
        alternatives.reverse();
        self.fold(brace.part, PartKind::Brace(alternatives), span);
    }

    /// The parts, with every brace that was never closed put back as text.
    pub(super) fn finish(mut self) -> Vec<Part> {
        if self.parts.is_empty() && self.span.is_some() {
            self.parts.reserve_exact(1);
        }
        self.flush();
        if self.marked { merge(self.parts) } else { self.parts }
    }

    fn flush(&mut self) {
        let Some(span) = self.span.take() else { return };
        let text = std::mem::take(&mut self.text).into_boxed_str();
        let kind = match self.kind {
            TextKind::Literal => PartKind::Literal(text),
            TextKind::Quoted => PartKind::Quoted(text),
        };
        self.parts.push(Part { kind, span });
    }

    fn mark(&mut self, text: &str, span: Span) {
        self.push(PartKind::Literal(text.into()), span);
        self.marked = true;
    }

    fn fold(&mut self, open: usize, kind: PartKind, close: Span) {
        let start = self.parts.get(open).map_or(close, |part| part.span);
        self.parts.truncate(open);
        self.parts.push(Part { kind, span: start.to(close) });
    }

    fn range(&self, open: usize) -> Option<PartKind> {
        let [Part { kind: PartKind::Literal(text), .. }] = self.parts.get(open + 1..)? else {
            return None;
        };
        let mut ends = text.split("..");
        let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
        let is_number = |text: &str| {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_letter =
            |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let expands = ends.next().is_none()
            && (is_number(from) && is_number(to) || is_letter(from) && is_letter(to))
            && step.is_none_or(is_number);
        expands.then(|| PartKind::BraceRange {
            from: from.into(),
            to: to.into(),
            step: step.map(Box::from),
        })
    }
}

/// Joins adjacent literals.
fn merge(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    let mut run: Option<(TextKind, String, Span)> = None;
    for part in parts {
        let (kind, text) = match &part.kind {
            PartKind::Literal(text) => (TextKind::Literal, text),
            PartKind::Quoted(text) => (TextKind::Quoted, text),
            _ => {
                merged.extend(run.take().map(text_part));
                merged.push(part);
                continue;
            }
        };
        match &mut run {
            Some((before, joined, span)) if *before == kind => {
                joined.push_str(text);
                *span = span.to(part.span);
            }
            _ => merged.extend(run.replace((kind, text.to_string(), part.span)).map(text_part)),
        }
    }
    merged.extend(run.map(text_part));
    merged
}

fn text_part((kind, text, span): (TextKind, String, Span)) -> Part {
    let text = text.into_boxed_str();
    let kind = match kind {
        TextKind::Literal => PartKind::Literal(text),
        TextKind::Quoted => PartKind::Quoted(text),
    };
    Part { kind, span }
}
