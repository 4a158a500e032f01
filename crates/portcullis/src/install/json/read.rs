//! Text to a tree with byte spans. Owns the grammar: JSON (RFC 8259) with `//` and `/* */` comments, a trailing comma, and
//! a byte order mark before it. Everything else is a mistake with its place; nothing is guessed.

use std::{fmt, ops::Range};

use serde_json::{Map, Value};

/// How deep values may lie in one another: as `serde_json` has it.
const MAX_DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An object, its members in their order.
    Object(Vec<Member>),
    /// A list.
    List(Vec<Node>),
    /// Anything else.
    Scalar(Value),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its key, decoded.
    pub key: String,
    /// The bytes of the key, with its quotes.
    pub key_span: Range<usize>,
    /// Its value.
    pub value: Node,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Misread {
    /// What was expected or found.
    pub what: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, line, column } = self;
        write!(f, "{what} at line {line}, column {column}")
    }
}

impl std::error::Error for Misread {}

impl Node {
    /// The members of an object.
    #[must_use]
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            Kind::List(_) | Kind::Scalar(_) => None,
        }
    }

    /// The items of a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            Kind::Object(_) | Kind::Scalar(_) => None,
        }
    }

    /// The value of a key of an object. Where a key stands twice, the last one counts, as everywhere.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members()?.iter().rev().find(|member| member.key == key);
        found.map(|member| &member.value)
    }

    /// The value without its places.
    #[must_use]
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => Value::Object(Map::from_iter(
                members.iter().map(|member| (member.key.clone(), member.value.value())),
            )),
            Kind::List(items) => items.iter().map(Self::value).collect(),
            Kind::Scalar(value) => value.clone(),
        }
    }
}

/// Reads a text; `None` where nothing but white space and comments stands there.
///
/// # Errors
/// [`Misread`], with the first place that is wrong.
pub fn read(text: &str) -> Result<Option<Node>, Misread> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start };
    let read = reader.whole();
    read.map_err(|what| {
        let before = text.get(..reader.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Misread { what, line, column }
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Result<Option<Node>, &'static str> {
        self.blank()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let node = self.value(0)?;
        self.blank()?;
        if self.peek().is_some() {
            return Err("something stands after the end");
        }
        Ok(Some(node))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// White space and comments.
    fn blank(&mut self) -> Result<(), &'static str> {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - bare.len();
            if bare.starts_with("//") {
                self.at += bare.find('\n').unwrap_or(bare.len());
            } else if let Some(comment) = bare.strip_prefix("/*") {
                let end = comment.find("*/").ok_or("a comment has no end")?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, &'static str> {
        if depth > MAX_DEPTH {
            return Err("values lie too deep in one another");
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(quote @ (b'"' | b'\'')) => Kind::Scalar(Value::String(self.string(quote)?)),
            _ => self.scalar()?,
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, &'static str> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.blank()?;
            if self.takes(b'}') {
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            let key = match self.peek() {
                Some(quote @ (b'"' | b'\'')) => self.string(quote)?,
                _ => self.bare().ok_or("expected a key or `}`")?,
            };
            let key_span = start..self.at;
            self.blank()?;
            if !self.takes(b':') {
                return Err("expected `:`");
            }
            self.blank()?;
            let value = self.value(depth + 1)?;
            members.push(Member { key, key_span, value });
            self.blank()?;
            if !self.takes(b',') && self.peek() != Some(b'}') {
                return Err("expected `,` or `}`");
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Kind, &'static str> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.takes(b']') {
                return Ok(Kind::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.blank()?;
            if !self.takes(b',') && self.peek() != Some(b']') {
                return Err("expected `,` or `]`");
            }
        }
    }

    /// A key without quotes, as JSON5 has them.
    fn bare(&mut self) -> Option<String> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let key = rest.get(..end).filter(|key| !key.is_empty())?;
        self.at += end;
        (!key.starts_with(|c: char| c.is_ascii_digit())).then(|| key.to_owned())
    }

    /// A text in double quotes, or in single ones, as JSON5 has them.
    fn string(&mut self, quote: u8) -> Result<String, &'static str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                Some(byte) if *byte == quote => break,
                Some(b'\\') => end += 2,
                Some(b'\n' | b'\r') | None => return Err("a string has no end"),
                Some(_) => end += 1,
            }
        }
        let raw = self.text.get(start..=end).unwrap_or_default();
        let text = match raw.strip_prefix('\'').and_then(|raw| raw.strip_suffix('\'')) {
            None => serde_json::from_str(raw),
            Some(inner) => serde_json::from_str(&doubled(inner)),
        };
        let text = text.map_err(|_| "this string is not one of JSON")?;
        self.at = end + 1;
        Ok(text)
    }

    fn scalar(&mut self) -> Result<Kind, &'static str> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let raw = rest.get(..end).unwrap_or_default();
        let value = serde_json::from_str(raw).map_err(|_| "expected a value")?;
        self.at += end;
        Ok(Kind::Scalar(value))
    }
}

/// What stands between single quotes as it stands between double ones, with these.
fn doubled(inner: &str) -> String {
    let mut text = String::from('"');
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => match letters.next() {
                Some('\'') => text.push('\''),
                other => text.extend(std::iter::once('\\').chain(other)),
            },
            other => text.push(other),
        }
    }
    text.push('"');
    text
}
