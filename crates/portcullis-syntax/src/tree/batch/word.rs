//! Words of batch, with what is expanded in them: variables, what a script was given, and the names of loops.

use super::{Parser, is_blank};
use crate::tree::{Expression, ExpressionKind};

/// A word that is put together.
#[derive(Default)]
struct Parts {
    parts: Vec<Expression>,
    known: String,
    from: usize,
}

impl Parts {
    fn push(&mut self, letter: char, at: usize) {
        if self.known.is_empty() {
            self.from = at;
        }
        self.known.push(letter);
    }

    fn flush(&mut self, at: usize) {
        if !self.known.is_empty() {
            let known = ExpressionKind::Text(std::mem::take(&mut self.known));
            self.parts.push(Expression::new(known, self.from, at));
        }
    }

    fn finish(mut self, start: usize, end: usize) -> Expression {
        self.flush(end);
        let kind = match self.parts.pop() {
            None => ExpressionKind::Text(String::new()),
            Some(only) if self.parts.is_empty() => only.kind,
            Some(last) => {
                self.parts.push(last);
                ExpressionKind::Joined(self.parts)
            }
        };
        Expression::new(kind, start, end)
    }
}

impl Parser<'_> {
    /// One word.
    pub(super) fn word(&mut self) -> Expression {
        let start = self.cursor.at;
        self.text(
            false,
            |parser, letter| {
                letter.is_whitespace()
                    || matches!(letter, '&' | '|' | '<' | '>')
                    || letter == ')' && parser.groups > 0
            },
            start,
        )
    }

    /// The left side of a comparison.
    pub(super) fn side(&mut self) -> Expression {
        let start = self.cursor.at;
        self.text(
            false,
            |parser, letter| {
                letter.is_whitespace()
                    || matches!(letter, '&' | '|' | '<' | '>')
                    || letter == '=' && parser.cursor.starts("==")
            },
            start,
        )
    }

    /// Everything up to the end of the command; `quoted` says that a quote was opened before.
    pub(super) fn rest_of_line(&mut self, quoted: bool) -> Expression {
        let start = self.cursor.at;
        let mut value = self.text(
            quoted,
            |parser, letter| {
                letter == '\n'
                    || matches!(letter, '&' | '|' | '<' | '>')
                    || letter == ')' && parser.groups > 0
            },
            start,
        );
        if let ExpressionKind::Text(text) = &mut value.kind {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        value
    }

    fn text(
        &mut self,
        quoted: bool,
        ends: impl Fn(&Self, char) -> bool,
        start: usize,
    ) -> Expression {
        let mut parts = Parts::default();
        let mut quoted = quoted;
        loop {
            let at = self.cursor.at;
            let Some(letter) = self.cursor.peek() else { break };
            if letter == '\n' || !quoted && ends(self, letter) {
                break;
            }
            match letter {
                '"' => {
                    self.cursor.bump();
                    quoted = !quoted;
                }
                '^' if !quoted => {
                    self.cursor.bump();
                    match self.cursor.peek() {
                        Some('\r' | '\n') => {
                            self.cursor.take_while(|letter| matches!(letter, '\r' | '\n'));
                        }
                        // Where another shell takes the carets away, the operator counts.
                        Some('&' | '|' | '<' | '>') if self.escaped => break,
                        Some(_) => parts.known_from(self.cursor.bump(), at),
                        None => {}
                    }
                }
                '%' | '!' => match self.expanded(letter) {
                    Some(part) => {
                        parts.flush(at);
                        parts.parts.push(part);
                    }
                    None => {
                        self.cursor.bump();
                        // Two stand for one.
                        if letter == '%' {
                            self.cursor.eat("%");
                        }
                        parts.push(letter, at);
                    }
                },
                _ => {
                    self.cursor.bump();
                    parts.push(letter, at);
                }
            }
        }
        parts.finish(start, self.cursor.at)
    }

    /// What a percent sign or an exclamation mark begins, where that is something to expand.
    pub(super) fn expanded(&mut self, mark: char) -> Option<Expression> {
        let start = self.cursor.at;
        let rest = self.cursor.rest().get(1..)?;
        let variable = |name: &str| ExpressionKind::Variable(name.to_owned());
        let done = |parser: &mut Self, length: usize, kind: ExpressionKind| {
            parser.cursor.at += 1 + length;
            Some(Expression::new(kind, start, parser.cursor.at))
        };
        if mark == '%' {
            let (doubled, name) = match rest.strip_prefix('%') {
                Some(name) => (1, name),
                None => (0, rest),
            };
            let mut letters = name.chars();
            match letters.next()? {
                '*' if doubled == 0 => return done(self, 1, variable("args")),
                digit if doubled == 0 && digit.is_ascii_digit() => {
                    return done(self, 1, variable(&digit.to_string()));
                }
                '~' => {
                    let after = name.get(1..)?;
                    let modifiers = after
                        .find(|letter: char| !"fdpnxsatz$".contains(letter.to_ascii_lowercase()))
                        .unwrap_or(after.len());
                    let modified = after.get(..modifiers)?;
                    let named = after.get(modifiers..)?.chars().next();
                    // `%~dp0`, `%%~fi`: the last letter may be a modifier's too.
                    let (modified, named) = match named {
                        Some(digit) if digit.is_ascii_digit() => (modified, digit),
                        Some(letter) if self.loops.contains(letter) => (modified, letter),
                        _ => {
                            let last = modified.chars().next_back()?;
                            (modified.get(..modified.len() - last.len_utf8())?, last)
                        }
                    };
                    let length = doubled + 1 + modified.len() + named.len_utf8();
                    let kind = match named {
                        '0' if modified.contains(['d', 'p', 'D', 'P']) => variable("psscriptroot"),
                        digit if digit.is_ascii_digit() => variable(&digit.to_string()),
                        letter => variable(&format!("%{letter}")),
                    };
                    if named == '0' && modified.to_ascii_lowercase().contains('p') {
                        // The directory has its separator at the end.
                        let of = Expression::new(kind, start, start);
                        let slash = ExpressionKind::Text("\\".to_owned());
                        let slash = Expression::new(slash, start, start);
                        return done(self, length, ExpressionKind::Joined(vec![of, slash]));
                    }
                    return done(self, length, kind);
                }
                letter if self.loops.contains(letter) => {
                    let next = name.get(letter.len_utf8()..)?.chars().next();
                    let is_longer = next
                        .is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '%'));
                    if doubled == 1 || !is_longer {
                        let length = doubled + letter.len_utf8();
                        return done(self, length, variable(&format!("%{letter}")));
                    }
                }
                _ => {}
            }
            if doubled == 1 {
                return None;
            }
        }
        let end = rest.find([mark, '\n'])?;
        let name = rest
            .get(..end)
            .filter(|_| rest.get(end..).is_some_and(|rest| rest.starts_with(mark)))?;
        let (bare, modifier) = match name.split_once(':') {
            Some((bare, modifier)) => (bare, Some(modifier)),
            None => (name, None),
        };
        let is_name = !bare.is_empty()
            && bare.chars().all(|letter| {
                !is_blank(letter) && !"\"&|<>=/\\".contains(letter)
                    || letter == ' ' && mark == '%' && bare.len() < 32 && !bare.contains(" in ")
            });
        if !is_name {
            return None;
        }
        // `call echo %^name%`: the caret is gone when `call` looks at the line again.
        let of = variable(&format!("env:{}", bare.replace('^', "")));
        let kind = match modifier {
            None => of,
            Some(modifier) => {
                let (operator, how) = match modifier.strip_prefix('~') {
                    Some(slice) => ("slice", slice),
                    None => ("substitute", modifier),
                };
                let of = Expression::new(of, start, start);
                let how = Expression::new(ExpressionKind::Text(how.to_owned()), start, start);
                ExpressionKind::Operator { name: operator.to_owned(), operands: vec![of, how] }
            }
        };
        done(self, end + 1, kind)
    }
}

impl Parts {
    fn known_from(&mut self, letter: Option<char>, at: usize) {
        if let Some(letter) = letter {
            self.push(letter, at);
        }
    }
}
