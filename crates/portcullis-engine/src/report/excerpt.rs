//! Which parts of a text are shown. Owns the cutting of long texts around the places that matter, and their drawing; what
//! is said about a place, its caller knows.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Snippet};

use super::{redaction, visible::Shown};

/// A text up to this length and [`WHOLE_LINES`] is shown whole: it fits a screen.
const WHOLE: usize = 1_200;
/// See [`WHOLE`].
const WHOLE_LINES: usize = 16;
/// How much is shown on either side of a place in a longer text.
const AROUND: usize = 100;
/// A place longer than this is shown by its beginning and its end.
const PLACE: usize = 800;
/// How much of the beginning of a longer place is shown.
const PLACE_HEAD: usize = 500;
/// How much of the end of a longer place is shown.
const PLACE_TAIL: usize = 200;
/// How many stretches of one text are shown.
const STRETCHES: usize = 12;

/// A place in a text, worth showing.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Its bytes.
    pub span: Range<usize>,
    /// What is said below it, made visible already; empty for a line without words.
    pub label: String,
}

impl Mark {
    /// A place without words.
    #[must_use]
    pub fn at(span: Range<usize>) -> Self {
        Self { span, label: String::new() }
    }
}

/// The stretches of `source` around `marks`, drawn with each place underlined and without the secrets.
#[must_use]
pub fn elements(source: &str, marks: &[Mark]) -> Vec<Element<'static>> {
    let marks = within(source, marks);
    let mut elements = Vec::new();
    let stretches = stretches(source, &marks);
    let (mut line, mut counted, mut shown_to) = (1, 0, 0);
    for (index, stretch) in stretches.iter().enumerate() {
        line += line_feeds(source, counted..stretch.start);
        counted = stretch.start;
        let mut shown = Shown::of(source, stretch.clone(), &redaction::replaced(source, stretch));
        if stretch.start > shown_to {
            shown.prepend(&format!("{} ", omitted(stretch.start - shown_to)));
        }
        shown_to = stretch.end;
        let mut annotations = Vec::new();
        for mark in &marks {
            if mark.span.start < stretch.end && mark.span.end > stretch.start
                || mark.span.is_empty() && (stretch.start..=stretch.end).contains(&mark.span.start)
            {
                let part = mark.span.start.max(stretch.start)..mark.span.end.min(stretch.end);
                annotate(&mut annotations, &shown, part, &mark.label);
            }
        }
        let mut text = shown.text;
        if index + 1 == stretches.len() && shown_to < source.len() {
            if text.ends_with('\n') {
                text.pop();
            }
            text.push(' ');
            text.push_str(&omitted(source.len() - shown_to));
        }
        let whole = index == 0 && stretches.len() == 1;
        elements.push(
            Snippet::source(text).line_start(line).fold(!whole).annotations(annotations).into(),
        );
    }
    elements
}

/// `1,234` for 1234.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn omitted(bytes: usize) -> String {
    format!("… {} byte{} …", grouped(bytes), if bytes == 1 { "" } else { "s" })
}

/// One line under each line of the place, so that no line of it is folded away; the words stand below the last.
fn annotate(
    annotations: &mut Vec<Annotation<'static>>,
    shown: &Shown,
    part: Range<usize>,
    label: &str,
) {
    let place = shown.place(part);
    let text = shown.text.get(place.clone()).unwrap_or_default();
    let mut at = place.start;
    let mut lines = text.split_inclusive('\n').peekable();
    if lines.peek().is_none() {
        annotations.push(words(AnnotationKind::Primary.span(place), label));
        return;
    }
    while let Some(line) = lines.next() {
        let blank = line.len() - line.trim_start().len();
        let inked = at + blank.min(line.len())..at + line.trim_end().len();
        at += line.len();
        if !inked.is_empty() {
            let label = if lines.peek().is_none() { label } else { "" };
            annotations.push(words(AnnotationKind::Primary.span(inked), label));
        }
    }
}

fn words<'a>(annotation: Annotation<'a>, label: &str) -> Annotation<'a> {
    if label.is_empty() { annotation } else { annotation.label(label.to_owned()) }
}

/// The marks, inside the text and on whole characters, in order.
fn within(source: &str, marks: &[Mark]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = marks
        .iter()
        .map(|mark| {
            let start = source.floor_char_boundary(mark.span.start);
            let end = source.ceil_char_boundary(mark.span.end.min(source.len()));
            Mark { span: start..end.max(start), label: mark.label.clone() }
        })
        .collect();
    marks.sort_by_key(|mark| (mark.span.start, mark.span.end));
    marks
}

/// What is shown of the text, ascending and apart from each other.
fn stretches(source: &str, marks: &[Mark]) -> Vec<Range<usize>> {
    if source.len() <= WHOLE && line_feeds(source, 0..source.len()) < WHOLE_LINES {
        return std::iter::once(0..source.len()).collect();
    }
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut show = |part: Range<usize>| {
        let part = around(source, part);
        match stretches.last_mut() {
            Some(last) if part.start <= last.end + AROUND / 2 => last.end = last.end.max(part.end),
            _ => stretches.push(part),
        }
    };
    if marks.is_empty() {
        show(0..0);
    }
    for Mark { span, .. } in marks {
        if span.len() > PLACE {
            show(span.start..source.floor_char_boundary(span.start + PLACE_HEAD));
            show(source.ceil_char_boundary(span.end - PLACE_TAIL)..span.end);
        } else {
            show(span.clone());
        }
    }
    stretches.sort_by_key(|stretch| stretch.start);
    stretches.dedup_by(|next, kept| {
        let overlap = next.start <= kept.end;
        if overlap {
            kept.end = kept.end.max(next.end);
        }
        overlap
    });
    stretches.truncate(STRETCHES);
    stretches
}

/// A part with what stands around it: to the ends of its lines where they are near.
fn around(source: &str, part: Range<usize>) -> Range<usize> {
    let first = source.floor_char_boundary(part.start.saturating_sub(AROUND));
    let last = source.ceil_char_boundary((part.end + AROUND).min(source.len()));
    let before = source.get(first..part.start).unwrap_or_default();
    let after = source.get(part.end..last).unwrap_or_default();
    let start = before.rfind('\n').map_or(first, |at| first + at + 1);
    let end = after.find('\n').map_or(last, |at| part.end + at);
    start..end
}

fn line_feeds(source: &str, range: Range<usize>) -> usize {
    let bytes = source.as_bytes().get(range).unwrap_or_default();
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use annotate_snippets::{Level, Renderer};
    use insta::assert_snapshot;

    use super::*;

    fn drawn(source: &str, marks: &[Mark]) -> String {
        let group = Level::ERROR.primary_title("words").elements(elements(source, marks));
        Renderer::plain().term_width(usize::from(u16::MAX)).render(&[group])
    }

    fn mark(source: &str, part: &str, label: &str) -> Mark {
        let start = source.find(part).unwrap_or_default();
        Mark { span: start..start + part.len(), label: label.to_owned() }
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let source = "cd build\nrm -rf \u{202e}/ # \u{1b}[1A\n";
        assert_snapshot!(drawn(source, &[mark(source, "rm -rf \u{202e}/", "")]), @r#"
        error: words
          |
        1 | cd build
        2 | rm -rf \u{202e}/ # \u{1b}[1A
          | ^^^^^^^^^^^^^^^^
        "#);
    }

    #[test]
    fn a_long_text_is_shown_around_its_places() {
        let source = format!(
            "{}; rm -rf /; {}\n\nls{}",
            "a".repeat(5000),
            "b".repeat(5000),
            " c".repeat(90)
        );
        let marks = [mark(&source, "rm -rf /", "one"), mark(&source, "ls", "two")];
        assert_snapshot!(drawn(&source, &marks), @r#"
        error: words
          |
        1 | … 4,902 bytes … aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; rm -rf /; bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
          |                                                                                                                     ^^^^^^^^ one
          |
         ::: 
        3 | … 4,904 bytes … ls c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c … 80 bytes …
          |                 ^^ two
        "#);
    }

    #[test]
    fn a_long_place_shows_its_beginning_and_its_end() {
        let source = format!("x {} y", "z".repeat(9000));
        assert_snapshot!(drawn(&source, &[Mark::at(2..9002)]), @r#"
        error: words
          |
        1 | x zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
         ::: 
        1 | … 8,100 bytes … zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz y
          |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#);
    }

    #[test]
    fn every_line_of_a_place_is_underlined() {
        let source = "sh <<E\n  rm a\n\n  rm b\nE\nls";
        assert_snapshot!(drawn(source, &[mark(source, "<<E\n  rm a\n\n  rm b\nE", "code")]), @r#"
        error: words
          |
        1 | sh <<E
          |    ^^^
        2 |   rm a
          |   ^^^^
        3 |
        4 |   rm b
          |   ^^^^
        5 | E
          | ^ code
        6 | ls
          |
        "#);
    }

    #[test]
    fn what_is_replaced_does_not_show() {
        let source = "curl -u me:hunter2secret https://me:hunter2secret@x.example";
        assert_snapshot!(drawn(source, &[mark(source, "https://me:hunter2secret@x.example", "")]), @r#"
        error: words
          |
        1 | curl -u me:*** https://me:***@x.example
          |                ^^^^^^^^^^^^^^^^^^^^^^^^
        "#);
    }
}
