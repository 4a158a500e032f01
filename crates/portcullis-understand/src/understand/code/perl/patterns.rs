//! Texts that `=~` changes in Perl: `s/a/b/`, `tr/a/b/`, code in patterns. Owns what a pattern makes of a text, where that is plain.
//! (perldoc, "perlop")

use portcullis_syntax::{Span, code::TokenKind};

use super::super::{
    interpreter::Interpreter,
    value::{Value, mixed},
};
use crate::{effect::GapReason, text::Piece};

impl Interpreter<'_, '_, '_> {
    /// `$name =~ s/a/b/`, `$name =~ tr/a/b/`: the cursor stands on what it is held against.
    pub(in super::super) fn changed_by_pattern(&mut self, left: &Value) -> Option<Value> {
        let token = self.token_at(self.at)?;
        if self.language != "perl" || token.kind != TokenKind::Pattern {
            return None;
        }
        let (span, sign) = (token.span, self.at.checked_sub(1)?);
        let (value, is_given) = self.made_by_pattern(span, left)?;
        if is_given {
            return Some(value);
        }
        let mut at = sign.checked_sub(1)?;
        while matches!(self.word_at(at), ")" | "]" | "}") {
            let close = at;
            at = self.unit.partners.get(close).copied().filter(|open| *open < close)?;
            if self.word_at(close) == ")" {
                let is_variable = |at: &usize| {
                    self.token_at(*at).is_some_and(|token| token.kind == TokenKind::Variable)
                };
                at = (at..close).find(is_variable)?;
                break;
            }
            at = at.checked_sub(1)?;
        }
        let name = self.word_at(at).to_owned();
        if self.token_at(at).is_some_and(|token| token.kind == TokenKind::Variable) {
            self.bind(name, value);
        }
        None
    }

    /// `s/a/b/` that nothing is held against changes `$_`. The cursor stands behind it.
    pub(in super::super) fn changed_topic(&mut self, span: Span) -> Option<Value> {
        let before = self.at.checked_sub(2).map_or("", |at| self.word_at(at));
        if matches!(before, "=~" | "!~" | "~~") || before == "~" {
            return None;
        }
        let topic = self.bound("$_");
        // Lines of files: who starts perl reads these.
        let is_code = Changes::of(span.of(self.source))?.flags.matches('e').count() > 1;
        if topic.is_none() && is_code {
            return None;
        }
        let topic = topic.unwrap_or_else(|| Value::unknown("a line"));
        let (value, is_given) = self.made_by_pattern(span, &topic)?;
        if is_given {
            return Some(value);
        }
        self.bind("$_".to_owned(), value);
        Some(Value::unknown("how often it was changed"))
    }

    /// What a pattern makes of a text, and whether that is what it gives.
    pub(super) fn made_by_pattern(&mut self, span: Span, left: &Value) -> Option<(Value, bool)> {
        let pattern = Changes::of(span.of(self.source))?;
        if pattern.flags.contains('e') {
            let code = span.of(self.source).rfind(pattern.to).filter(|_| !pattern.to.is_empty());
            if let Some(at) = code {
                let from = span.range().start + at;
                self.fragment(Span::new(from, from + pattern.to.len()));
            }
            if pattern.flags.matches('e').count() > 1 {
                self.walk.gap(span, GapReason::UnknownCode);
            }
        }
        let known = left.as_known().and_then(|text| pattern.applied(text));
        let value = match known {
            Some(changed) => Value::Text(left.text().derive([Piece::Known(changed)])),
            None => Value::Text(mixed("a changed text", [left])),
        };
        Some((value, pattern.flags.contains('r')))
    }

    /// A pattern with code in it: `/(?{ … })/` (perldoc, "perlre").
    pub(in super::super) fn code_in_pattern(&mut self, span: Span) {
        let text = span.of(self.source);
        for mark in ["(?{", "(??{"] {
            if let Some(at) = text.find(mark) {
                let from = span.range().start + at + mark.len();
                let rest = self.source.get(from..span.range().end).unwrap_or_default();
                match rest.find("})") {
                    Some(length) => drop(self.fragment(Span::new(from, from + length))),
                    None => self.walk.gap(span, GapReason::UnknownCode),
                }
            }
        }
    }
}

/// What `s/from/to/` or `tr/from/to/` says.
struct Changes<'t> {
    is_letters: bool,
    from: &'t str,
    to: &'t str,
    flags: &'t str,
}

impl<'t> Changes<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let word = text.find(|letter: char| !letter.is_ascii_alphabetic())?;
        let (word, rest) = text.split_at_checked(word)?;
        if !matches!(word, "s" | "tr" | "y") {
            return None;
        }
        let mark = rest.chars().next()?;
        let close = match mark {
            '{' => '}',
            '(' => ')',
            '[' => ']',
            '<' => '>',
            mark => mark,
        };
        let inner = rest.get(mark.len_utf8()..)?;
        let (from, rest) = inner.split_once(close)?;
        let rest = if close == mark { rest } else { rest.trim_start().strip_prefix(mark)? };
        let (to, flags) = rest.rsplit_once(close)?;
        Some(Self { is_letters: word != "s", from, to, flags })
    }

    /// The text that it makes of one, where that can be said.
    fn applied(&self, text: &str) -> Option<String> {
        let is_plain = |text: &str, marks: &[char]| !text.contains(marks);
        let flags = self.flags.replace('r', "");
        if self.is_letters {
            let (from, to) = (self.from.chars(), self.to.chars());
            let to: Vec<char> = to.collect();
            let is_range = !is_plain(self.from, &['-', '\\']) || self.to.contains(['-', '\\']);
            if !flags.is_empty() || is_range {
                return None;
            }
            let from: Vec<char> = from.collect();
            let changed = |letter: char| {
                let at = from.iter().position(|it| *it == letter);
                at.map_or(letter, |at| to.get(at).or(to.last()).copied().unwrap_or(letter))
            };
            return Some(text.chars().map(changed).collect());
        }
        const MARKS: &[char] =
            &['\\', '.', '^', '$', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '@'];
        if self.from.is_empty()
            || !is_plain(self.from, MARKS)
            || !is_plain(self.to, &['$', '@', '\\', '&'])
        {
            return None;
        }
        match flags.as_str() {
            "" => Some(text.replacen(self.from, self.to, 1)),
            "g" => Some(text.replace(self.from, self.to)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Changes;

    #[test]
    fn what_a_pattern_makes_of_a_text_is_said_where_it_is_plain() {
        for (pattern, expected) in [
            ("s/a/b/", Some("bxa")),
            ("s/a/b/g", Some("bxb")),
            ("s{a}{b}", Some("bxa")),
            ("tr/ax/by/", Some("byb")),
            ("y/ax/b/", Some("bbb")),
            ("s/./b/", None),
            ("s/a/$b/", None),
            ("tr/a-z/b/", None),
        ] {
            let changes = Changes::of(pattern);
            let made = changes.and_then(|it| it.applied("axa"));
            assert_eq!(made.as_deref(), expected, "{pattern}");
        }
    }
}
