//! Texts of PowerShell: quoted, over several lines, words of commands, and the variables in them.

use super::{Parser, is_double, is_name, is_single};
use crate::tree::{Expression, ExpressionKind};

/// Parts of a text, put together as they are found.
struct Parts {
    parts: Vec<Expression>,
    known: String,
    from: usize,
    /// Whether a known part may be a pattern.
    bare: bool,
}

impl Parts {
    fn new(at: usize, bare: bool) -> Self {
        Self { parts: Vec::new(), known: String::new(), from: at, bare }
    }

    fn push(&mut self, character: char, at: usize) {
        if self.known.is_empty() {
            self.from = at;
        }
        self.known.push(character);
    }

    fn flush(&mut self, at: usize) {
        if self.known.is_empty() {
            return;
        }
        let known = std::mem::take(&mut self.known);
        let kind =
            if self.bare { ExpressionKind::Bare(known) } else { ExpressionKind::Text(known) };
        self.parts.push(Expression::new(kind, self.from, at));
    }

    fn add(&mut self, part: Expression) {
        self.flush(part.span.start as usize);
        self.parts.push(part);
    }

    fn finish(mut self, start: usize, end: usize) -> Expression {
        self.flush(end);
        let kind = match self.parts.len() {
            0 => ExpressionKind::Text(String::new()),
            1 if matches!(
                self.parts.first(),
                Some(Expression { kind: ExpressionKind::Text(_) | ExpressionKind::Bare(_), .. })
            ) =>
            {
                self.parts.pop().map_or(ExpressionKind::Opaque, |only| only.kind)
            }
            _ => ExpressionKind::Joined(self.parts),
        };
        Expression::new(kind, start, end)
    }
}

impl Parser<'_> {
    /// `'…'`, with two quotes for one.
    pub(super) fn verbatim(&mut self) -> Expression {
        let start = self.cursor.at;
        let mut text = String::new();
        self.cursor.bump();
        loop {
            match self.cursor.bump() {
                Some(quote) if is_single(quote) => {
                    if !self.cursor.peek().is_some_and(is_single) {
                        break;
                    }
                    text.extend(self.cursor.bump());
                }
                Some(character) => text.push(character),
                None => {
                    self.cursor.misplaced(start);
                    break;
                }
            }
        }
        Expression::new(ExpressionKind::Text(text), start, self.cursor.at)
    }

    /// `"…"`, with variables and statements in it.
    pub(super) fn expandable(&mut self) -> Expression {
        let start = self.cursor.at;
        self.cursor.bump();
        let mut parts = Parts::new(self.cursor.at, false);
        loop {
            let at = self.cursor.at;
            match self.cursor.peek() {
                Some(quote) if is_double(quote) => {
                    self.cursor.bump();
                    if !self.cursor.peek().is_some_and(is_double) {
                        break;
                    }
                    self.cursor.bump();
                    parts.push('"', at);
                }
                Some('$') if self.is_variable() => parts.add(self.variable()),
                Some('`') => parts.push(self.escaped(), at),
                Some(character) => {
                    self.cursor.bump();
                    parts.push(character, at);
                }
                None => {
                    self.cursor.misplaced(start);
                    break;
                }
            }
        }
        parts.finish(start, self.cursor.at)
    }

    /// What a backtick and the character behind it stand for.
    fn escaped(&mut self) -> char {
        self.cursor.bump();
        let unicode = |parser: &mut Self| {
            parser.cursor.bump();
            let digits = parser.cursor.take_while(|letter| letter.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            parser.cursor.eat("}");
            code.unwrap_or('\u{fffd}')
        };
        match self.cursor.bump() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('0') => '\0',
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('v') => '\u{b}',
            Some('u') if self.cursor.peek() == Some('{') => unicode(self),
            Some(other) => other,
            None => '`',
        }
    }

    /// `@'…'@` and `@"…"@`, whose marks stand on lines of their own.
    pub(super) fn here_text(&mut self) -> Expression {
        let start = self.cursor.at;
        self.cursor.bump();
        let double = self.cursor.bump().is_some_and(is_double);
        self.cursor.take_while(|character| character != '\n');
        self.cursor.bump();
        let opened = self.cursor.at;
        let mut parts = Parts::new(opened, false);
        loop {
            let at = self.cursor.at;
            let Some(character) = self.cursor.peek() else {
                self.cursor.misplaced(start);
                break;
            };
            let begins = at == opened || self.cursor.slice(at - 1, at) == "\n";
            let is_mark = if double { is_double(character) } else { is_single(character) };
            if begins && is_mark && self.cursor.second() == Some('@') {
                self.cursor.bump();
                self.cursor.bump();
                break;
            }
            match character {
                '$' if double && self.is_variable() => parts.add(self.variable()),
                '`' if double => parts.push(self.escaped(), at),
                _ => {
                    self.cursor.bump();
                    parts.push(character, at);
                }
            }
        }
        // The line's end before the mark is none of the text.
        if parts.known.ends_with('\n') {
            parts.known.pop();
            if parts.known.ends_with('\r') {
                parts.known.pop();
            }
        }
        parts.finish(start, self.cursor.at)
    }

    /// Whether a dollar begins a variable or statements here.
    fn is_variable(&self) -> bool {
        self.cursor
            .second()
            .is_some_and(|next| is_name(next) || matches!(next, '{' | '(' | '$' | '?' | '^' | ':'))
    }

    /// `$name`, `${name}`, `$scope:name`, `$( … )`.
    pub(super) fn variable(&mut self) -> Expression {
        let start = self.cursor.at;
        self.cursor.bump();
        match self.cursor.peek() {
            Some('(') => return self.nested(start),
            Some('{') => {
                self.cursor.bump();
                let name = self.cursor.take_while(|letter| letter != '}').replace('`', "");
                if !self.cursor.eat("}") {
                    self.cursor.misplaced(start);
                }
                return Expression::new(ExpressionKind::Variable(name), start, self.cursor.at);
            }
            _ => {}
        }
        let name = self.variable_name();
        let kind = if name.is_empty() {
            ExpressionKind::Text("$".to_owned())
        } else {
            ExpressionKind::Variable(name)
        };
        Expression::new(kind, start, self.cursor.at)
    }

    /// A name with the scope or drive in front of it.
    pub(super) fn variable_name(&mut self) -> String {
        if let Some(special @ ('$' | '?' | '^')) = self.cursor.peek() {
            self.cursor.bump();
            return special.to_string();
        }
        let mut name = self.cursor.take_while(is_name).to_owned();
        if self.cursor.peek() == Some(':') && self.cursor.second().is_some_and(is_name) {
            self.cursor.bump();
            name.push(':');
            name.push_str(self.cursor.take_while(is_name));
        }
        name
    }

    /// A word of a command, with the variables and texts in it.
    pub(super) fn word(&mut self) -> Expression {
        let start = self.cursor.at;
        let mut parts = Parts::new(start, true);
        loop {
            let at = self.cursor.at;
            let Some(character) = self.cursor.peek() else { break };
            match character {
                ';' | '|' | '&' | '(' | ')' | '{' | '}' | ',' => break,
                '<' | '>' if at > start => break,
                '$' if self.is_variable() => {
                    let variable = self.variable();
                    parts.add(self.reached_in_word(variable, at));
                }
                '`' => {
                    let escapes_line = matches!(self.cursor.second(), None | Some('\n' | '\r'));
                    if escapes_line {
                        break;
                    }
                    parts.push(self.escaped(), at);
                }
                _ if character.is_whitespace() => break,
                _ if is_double(character) => parts.add(self.expandable()),
                _ if is_single(character) => parts.add(self.verbatim()),
                _ => {
                    self.cursor.bump();
                    parts.push(character, at);
                }
            }
        }
        if self.cursor.at == start {
            self.cursor.bump();
            return self.cursor.opaque(start);
        }
        parts.finish(start, self.cursor.at)
    }

    /// A variable that begins a word is followed further where a member is named: `$x.FullName`, not `$x.txt`.
    fn reached_in_word(&mut self, variable: Expression, start: usize) -> Expression {
        self.reached(variable, start)
    }
}
