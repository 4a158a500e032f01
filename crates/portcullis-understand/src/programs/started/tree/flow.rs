//! Values between brackets and quotes. Owns JSON, the flow style of YAML and its quoted scalars, from a place in a text on.

use std::collections::HashSet;

use portcullis_syntax::Span;

use super::{DEPTH, NODES, Node, Value};

/// What a text between brackets is written in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dialect {
    /// `//` and `/* */` are comments.
    Json,
    /// `#` is one.
    Yaml,
    /// `#` is one, names stand before `=`.
    Toml,
}

/// A reader at a place in a text.
#[derive(Debug)]
pub(super) struct Flow<'t> {
    text: &'t str,
    pub(super) at: usize,
    dialect: Dialect,
    depth: usize,
    nodes: usize,
    pub(super) cut: bool,
}

impl<'t> Flow<'t> {
    pub(super) const fn new(text: &'t str, at: usize, dialect: Dialect) -> Self {
        Self { text, at, dialect, depth: 0, nodes: 0, cut: false }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Skips blanks, line ends and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            self.at += rest.len() - bare.len();
            let is_comment = match self.dialect {
                Dialect::Json => bare.starts_with("//"),
                Dialect::Yaml | Dialect::Toml => bare.starts_with('#'),
            };
            if is_comment {
                self.at += bare.find('\n').unwrap_or(bare.len());
            } else if self.dialect == Dialect::Json && bare.starts_with("/*") {
                self.at += bare.find("*/").map_or(bare.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }

    /// The value that begins here.
    pub(super) fn value(&mut self) -> Node {
        self.skip();
        let start = self.at;
        self.nodes += 1;
        if self.depth >= DEPTH || self.nodes > NODES {
            self.cut = true;
            self.at = self.text.len();
            return Node::default();
        }
        self.depth += 1;
        let value = match self.peek() {
            Some(b'{') => self.map(),
            Some(b'[') => self.list(),
            Some(quote @ (b'"' | b'\'')) => Value::Scalar(self.quoted(quote)),
            Some(_) => self.plain(),
            None => Value::Null,
        };
        self.depth -= 1;
        Node::new(Span::new(start, self.at), value)
    }

    fn map(&mut self) -> Value {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None | Some(b'}') => break,
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let before = self.at;
            let key = self.value();
            self.skip();
            let separator = if self.dialect == Dialect::Toml { b'=' } else { b':' };
            let value = if self.eat(separator) { self.value() } else { Node::default() };
            if matches!(key.value, Value::Scalar(_)) {
                entries.push((key, value));
            }
            if self.at == before {
                // A bracket that closes nothing.
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
        self.eat(b'}');
        Value::Map(if self.dialect == Dialect::Json { last_of_each(entries) } else { entries })
    }

    fn list(&mut self) -> Value {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None | Some(b']') => break,
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let before = self.at;
            let item = self.value();
            self.skip();
            // `[a: b]` is a list of a map.
            if self.dialect == Dialect::Yaml && self.peek() == Some(b':') {
                self.at += 1;
                let value = self.value();
                let span = item.span.to(value.span);
                items.push(Node::new(span, Value::Map(vec![(item, value)])));
            } else {
                items.push(item);
            }
            if self.at == before {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
        self.eat(b']');
        Value::List(items)
    }

    /// A text in quotes, from its first quote on.
    pub(super) fn quoted(&mut self, quote: u8) -> String {
        self.at += 1;
        let mut value = String::new();
        let quote = char::from(quote);
        let is_literal = quote == '\'' && self.dialect != Dialect::Json;
        let mut letters = self.rest().char_indices().peekable();
        let mut end = self.rest().len();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                // YAML doubles an apostrophe.
                if is_literal
                    && self.dialect == Dialect::Yaml
                    && letters.peek().is_some_and(|(_, next)| *next == quote)
                {
                    letters.next();
                    value.push(quote);
                    continue;
                }
                end = at + 1;
                break;
            }
            match letter {
                '\\' if !is_literal => match letters.next().map(|(_, escape)| escape) {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('r') => value.push('\r'),
                    Some('0') => value.push('\0'),
                    Some('e') => value.push('\u{1b}'),
                    Some('b') => value.push('\u{8}'),
                    Some('f') => value.push('\u{c}'),
                    Some(kind @ ('u' | 'U' | 'x')) => {
                        let digits = match kind {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let mut number = 0_u32;
                        for _ in 0..digits {
                            let digit = letters.peek().and_then(|(_, it)| it.to_digit(16));
                            let Some(digit) = digit else { break };
                            number = number.wrapping_mul(16).wrapping_add(digit);
                            letters.next();
                        }
                        value.push(char::from_u32(number).unwrap_or('\u{fffd}'));
                    }
                    Some('\n') => {
                        while letters.peek().is_some_and(|(_, next)| matches!(next, ' ' | '\t')) {
                            letters.next();
                        }
                    }
                    Some(other) => value.push(other),
                    None => {}
                },
                // A line that is folded.
                '\n' if self.dialect == Dialect::Yaml => {
                    let trimmed = value.trim_end_matches([' ', '\t', '\r']).len();
                    value.truncate(trimmed);
                    let mut ends = 1;
                    while let Some((_, next)) = letters.peek() {
                        match next {
                            '\n' => ends += 1,
                            ' ' | '\t' | '\r' => {}
                            _ => break,
                        }
                        letters.next();
                    }
                    if ends == 1 {
                        value.push(' ');
                    } else {
                        value.extend(std::iter::repeat_n('\n', ends - 1));
                    }
                }
                other => value.push(other),
            }
        }
        self.at += end;
        value
    }

    /// A word without quotes.
    fn plain(&mut self) -> Value {
        let rest = self.rest();
        let dialect = self.dialect;
        let mut before = ' ';
        let end = rest.char_indices().find_map(|(at, letter)| {
            let ends = match letter {
                ',' | ']' | '}' | '\n' => true,
                '[' | '{' => dialect != Dialect::Yaml,
                ':' => {
                    dialect == Dialect::Json
                        || dialect == Dialect::Yaml
                            && rest.get(at + 1..).is_none_or(|rest| {
                                rest.is_empty()
                                    || rest.starts_with([' ', '\t', '\n', ',', ']', '}'])
                            })
                }
                '=' => dialect == Dialect::Toml,
                '#' => dialect != Dialect::Json && before.is_whitespace(),
                _ => false,
            };
            before = letter;
            ends.then_some(at)
        });
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += word.len();
        match word.trim() {
            "" | "null" | "~" => Value::Null,
            word => Value::Scalar(word.to_owned()),
        }
    }
}

/// A name that stands twice counts as it stands last: so npm and whatever else parses JSON has it.
fn last_of_each(entries: Vec<(Node, Node)>) -> Vec<(Node, Node)> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut kept: Vec<(Node, Node)> = entries
        .into_iter()
        .rev()
        .filter(|(key, _)| seen.insert(key.text().unwrap_or_default().to_owned()))
        .collect();
    kept.reverse();
    kept
}
