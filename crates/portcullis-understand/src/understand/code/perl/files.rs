//! Files that Perl reads, writes and sends by its own ways: `<>` with `@ARGV` and `$^I`, `<$directory/*>`, hooks in `@INC`, forms with files.
//! Owns what each of them reaches (perldoc, "perlop", "perlvar", "perlfunc" under `require`; HTTP::Request::Common).

use portcullis_syntax::Span;

use super::super::{
    interpreter::{Interpreter, Open},
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode},
    text::{Piece, Taint, Text},
};

/// How many files of a form, and of what `<>` reads, are told one by one.
const FILES: usize = 32;

/// How deep the lists of a form lie in each other.
const NESTED: usize = 4;

impl Interpreter<'_, '_, '_> {
    /// `<>`, `<STDIN>`, `<$file>`, `<*.txt>`: the cursor stands on the bracket.
    pub(in super::super) fn between_angles(&mut self) -> Value {
        /// How many tokens a pattern has.
        const PATTERN: usize = 64;
        let start = self.at;
        let mut close = start + 1;
        while close < self.end && close < start + PATTERN && !self.word_at(close).starts_with('>') {
            close += 1;
        }
        if !self.word_at(close).starts_with('>') {
            self.at += 1;
            return Value::unknown("nothing");
        }
        let from = self.unit.tokens.get(start).map(|token| token.span.range().end);
        let to = self.unit.tokens.get(close).map(|token| token.span.range().start);
        let Some((from, to)) = from.zip(to) else { return Value::unknown("nothing") };
        let span = self.span_from(start);
        self.at = close + 1;
        let inside = self.source.get(from..to).unwrap_or_default();
        let is_handle = inside
            .trim_start_matches('$')
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let line = match inside {
            "STDIN" => Value::Text(self.standard_input()),
            "" | "ARGV" => self.lines_of_arguments(span),
            handle if is_handle => self.line_of_handle(handle),
            _ => {
                let pattern = self.interpolated(from, to);
                if is_one_path(&pattern) {
                    return Value::Text(pattern);
                }
                self.flush();
                return self.listed(&Argument { text: pattern, span });
            }
        };
        // `while (<$file>)`
        let is_head = start.checked_sub(2).is_some_and(|at| {
            self.word_at(at + 1) == "(" && matches!(self.word_at(at), "while" | "until" | "for")
        });
        if is_head && self.word() == ")" {
            self.bind("$_".to_owned(), line.clone());
        }
        line
    }

    /// A line of what a handle names.
    fn line_of_handle(&mut self, handle: &str) -> Value {
        let index = match self.bound(handle) {
            // What stands behind the end of the script.
            Some(Value::List(lines)) if handle == "DATA" => {
                return lines.into_iter().reduce(Value::or).unwrap_or(Value::unknown("a line"));
            }
            Some(Value::File(index)) => Some(index),
            Some(value @ Value::Text(_)) if handle.starts_with('$') => return value,
            _ => self.last_file,
        };
        match index.and_then(|index| self.files.get(index)) {
            Some(file) => {
                let mut text = Text::unknown("a line");
                text.inherit(&file.read);
                Value::Text(text)
            }
            None => Value::Text(self.standard_input()),
        }
    }

    /// `<>`: the lines of the files in `@ARGV`, each of which `$^I` has written anew.
    fn lines_of_arguments(&mut self, span: Span) -> Value {
        let Some(files) = self.bound("@ARGV") else { return Value::Text(self.standard_input()) };
        let files = match files {
            Value::List(list) => list,
            one => vec![one],
        };
        let is_edited = self.bound("$^I").is_some_and(|it| !it.is_false());
        self.flush();
        let mut lines = Text::default();
        let all: Vec<Value> = files.into_iter().flat_map(|file| file.alternatives()).collect();
        for file in all.iter().leading(FILES) {
            let argument = Argument { text: file.text(), span };
            let content = self.walk.read_by_script(&argument);
            if is_edited {
                let mut text = Text::unknown("edited lines");
                text.inherit(&content);
                self.walk.write(&argument, WriteMode::Edit, text);
            }
            lines.append(&content);
        }
        if all.len() > FILES {
            self.limit();
        }
        Value::Text(lines)
    }

    /// The text between two places of the source, with the variables in it.
    fn interpolated(&mut self, from: usize, to: usize) -> Text {
        let source = self.source;
        let bytes = source.as_bytes();
        let is_name = |at: usize| {
            at < to && bytes.get(at).is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
        };
        let mut text = Text::default();
        let (mut at, mut plain) = (from, from);
        while at < to {
            if bytes.get(at) != Some(&b'$') || !is_name(at + 1) {
                at += 1;
                continue;
            }
            text.push_known(source.get(plain..at).unwrap_or_default());
            let mut end = at + 1;
            while is_name(end) {
                end += 1;
            }
            let rest = source.get(end..to).unwrap_or_default();
            if rest.starts_with('{')
                && let Some(length) = rest.find('}')
                && !rest.get(..length).unwrap_or_default().contains(',')
            {
                end += length + 1;
            }
            text.append(&self.fragment(Span::new(at, end)).text());
            (at, plain) = (end, end);
        }
        text.push_known(source.get(plain..to).unwrap_or_default());
        text
    }

    /// A text that is opened as a file: `open my $file, '<', \$text`.
    pub(in super::super) fn opened_text(&mut self, target: &Given) -> Option<Value> {
        target.span.of(self.source).trim_start().starts_with('\\').then(|| {
            let path = Argument { text: Text::unknown("a text"), span: target.span };
            let read = target.value.text();
            self.files.push(Open {
                path,
                mode: WriteMode::Replace,
                writes: false,
                content: Text::default(),
                read,
                flushed: true,
            });
            self.last_file = Some(self.files.len() - 1);
            Value::File(self.files.len() - 1)
        })
    }

    /// Functions in `@INC` give the code of the modules that are asked for.
    pub(in super::super) fn hooks(&mut self, value: &Value) {
        let Value::List(list) = value else { return };
        let hooks: Vec<usize> = list
            .iter()
            .filter_map(|hook| match hook {
                Value::Function(index) => Some(*index),
                _ => None,
            })
            .collect();
        for index in hooks {
            if self.functions.get(index).is_none_or(|function| function.times > 0) {
                continue;
            }
            let span = self.span_from(self.at.saturating_sub(1));
            let unknown = |what| Given { name: None, value: Value::unknown(what), span };
            let given = [unknown("a hook"), unknown("the file of a module")];
            let code = self.apply(index, Some(&given));
            self.brought_in(&code, span);
        }
    }

    fn brought_in(&mut self, code: &Value, span: Span) {
        let parts = match code {
            Value::List(list) => list.clone(),
            value => value.alternatives(),
        };
        for part in parts {
            let text = match part {
                Value::File(index) => self.read_of_file(index),
                Value::Number(_) | Value::Function(_) => continue,
                part if part.is_false() => continue,
                part => part.text(),
            };
            if text.as_known().is_some() || text.taint.has(Taint::NETWORK) {
                self.run_code("eval", "perl", &Value::Text(text), span);
            } else {
                self.walk.gap(span, GapReason::UnknownCode);
            }
        }
    }

    /// A form with files, as HTTP::Request::Common has them: `Content => [key => [$path]]`. What is sent is what they hold.
    pub(in super::super) fn form_with_files(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let mut files = Vec::new();
        for form in given.iter().skip(1) {
            files_in(&form.value, form.name.as_deref() == Some("Content"), NESTED, &mut files);
        }
        if files.is_empty() {
            return None;
        }
        let mut content = Text::default();
        for file in files.iter().leading(FILES) {
            let argument = Argument { text: file.text(), span };
            content.append(&self.walk.read_by_script(&argument));
        }
        if files.len() > FILES {
            self.limit();
        }
        let sent = mixed("a form", [&Value::Text(content)]);
        let body = Given {
            name: None,
            value: Value::Text(sent.derive([Piece::Unknown("a form".into())])),
            span,
        };
        Some(self.act(Act::Post, path, &[given.first()?.clone(), body], span))
    }
}

/// Whether a pattern for files is one path, that it gives as it is.
pub(in super::super) fn is_one_path(pattern: &Text) -> bool {
    pattern.as_known().is_some_and(|known| !known.contains(['*', '?', '[', '{', '~', ' ', '\\']))
}

/// The files that a form has: the first of each list that stands for a value.
fn files_in<'v>(form: &'v Value, is_content: bool, depth: usize, found: &mut Vec<&'v Value>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match form {
        Value::List(list) if is_content => {
            for value in list {
                if let Value::List(file) = value
                    && let Some(first) = file.first()
                    && !first.is_false()
                {
                    found.push(first);
                }
            }
        }
        Value::Table(table) if is_content => {
            for (_, value) in table {
                if let Value::List(file) = value
                    && let Some(first) = file.first()
                    && !first.is_false()
                {
                    found.push(first);
                }
            }
        }
        Value::Table(table) => {
            for (name, value) in table {
                files_in(value, name == "Content" || matches!(value, Value::List(_)), depth, found);
            }
        }
        Value::List(list) => {
            let is_form = list.iter().any(|it| matches!(it, Value::List(_)));
            files_in_list(list, is_form, depth, found);
        }
        _ => {}
    }
}

fn files_in_list<'v>(list: &'v [Value], is_form: bool, depth: usize, found: &mut Vec<&'v Value>) {
    for value in list {
        match value {
            Value::List(file) if is_form => found.extend(file.first().filter(|it| !it.is_false())),
            value => files_in(value, false, depth, found),
        }
    }
}
