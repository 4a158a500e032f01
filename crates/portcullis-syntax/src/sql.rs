//! SQL of any dialect: text to tokens. Owns where strings, names and comments begin and end; what MySQL runs inside
//! `/*! … */` is read as code. It knows no statement.

use crate::{Span, limits::SOURCE_BYTES};

/// One token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its text: a word in upper case, a string or quoted name decoded, an operator as written.
    pub text: Box<str>,
    /// As written.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TokenKind {
    /// A keyword or a bare name.
    Word,
    /// A name in quotes.
    Name,
    /// A string.
    Text,
    /// A number.
    Number,
    /// One character of punctuation.
    Operator,
}

/// Reads `source` into tokens without comments; what lies past [`SOURCE_BYTES`] is left out.
#[must_use]
pub fn tokens(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if at >= SOURCE_BYTES {
            break;
        }
        let rest = source.get(at..).unwrap_or_default();
        let line = || rest.find('\n').map_or(bytes.len(), |end| at + end + 1);
        if rest.starts_with("--") || byte == b'#' {
            at = line();
            continue;
        }
        if let Some(code) = rest.strip_prefix("/*!") {
            at += 3 + code.bytes().take_while(u8::is_ascii_digit).count();
            continue;
        }
        if rest.starts_with("/*") {
            at = rest
                .get(2..)
                .and_then(|body| body.find("*/"))
                .map_or(bytes.len(), |end| at + end + 4);
            continue;
        }
        if rest.starts_with("*/") {
            at += 2;
            continue;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let (kind, text) = match byte {
            b'\'' => (TokenKind::Text, quoted(source, &mut at, b'\'')),
            b'"' => (TokenKind::Name, quoted(source, &mut at, b'"')),
            b'`' => (TokenKind::Name, quoted(source, &mut at, b'`')),
            b'[' => (TokenKind::Name, quoted(source, &mut at, b']')),
            b'$' => match dollar(source, at) {
                Some((text, end)) => {
                    at = end;
                    (TokenKind::Text, text)
                }
                None => {
                    at += 1;
                    (TokenKind::Operator, "$".to_owned())
                }
            },
            _ if byte.is_ascii_digit() => {
                while bytes
                    .get(at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
                {
                    at += 1;
                }
                (TokenKind::Number, source.get(start..at).unwrap_or_default().to_owned())
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'@' || byte >= 0x80 => {
                while bytes.get(at).is_some_and(|byte| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'_' | b'$' | b'@')
                        || *byte >= 0x80
                }) {
                    at += 1;
                }
                (TokenKind::Word, source.get(start..at).unwrap_or_default().to_uppercase())
            }
            _ => {
                at += 1;
                (TokenKind::Operator, char::from(byte).to_string())
            }
        };
        let span = Span::new(start, at);
        list.push(Token { kind, text: text.into(), span });
    }
    list
}

/// The content of the quoted text at `at`, which is passed; a doubled quote or one behind a backslash is part of it.
fn quoted(source: &str, at: &mut usize, close: u8) -> String {
    let mut text = String::new();
    let mut characters = source.get(*at + 1..).unwrap_or_default().char_indices().peekable();
    let content = *at + 1;
    let last_quote = source.rfind('\'').unwrap_or(0);
    while let Some((offset, character)) = characters.next() {
        if character == '\\' && close == b'\'' {
            match characters.peek() {
                // A backslash before the last quote of the text is a character in standard SQL.
                Some((quote, '\'')) if content + quote >= last_quote => {}
                _ => {
                    if let Some((_, next)) = characters.next() {
                        text.push(next);
                    }
                    continue;
                }
            }
        }
        if character == char::from(close) {
            if characters.peek().is_some_and(|(_, next)| *next == character) {
                characters.next();
                text.push(character);
                continue;
            }
            *at = content + offset + 1;
            return text;
        }
        text.push(character);
    }
    *at = source.len();
    text
}

/// `$tag$ … $tag$`.
fn dollar(source: &str, at: usize) -> Option<(String, usize)> {
    let rest = source.get(at..)?;
    let length = rest
        .get(1..)?
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let tag = rest.get(..length + 2).filter(|tag| tag.ends_with('$') && tag.len() > 1)?;
    let body = rest.get(tag.len()..)?;
    let end = body.find(tag).unwrap_or(body.len());
    Some((body.get(..end)?.to_owned(), (at + tag.len() + end + tag.len()).min(source.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_names_and_comments_are_told_apart() {
        for (source, expected) in [
            ("DR/**/OP tAble 'it''s' -- x", "DR OP TABLE it's"),
            ("drop/*x*/table\"a b\"", "DROP TABLE a b"),
            ("/*!50000 DROP*/ TABLE [x]", "DROP TABLE x"),
            ("DO $a$ DELETE $b$ $a$;", "DO  DELETE $b$  ;"),
            ("'a\\'b' 'c", "a'b c"),
            ("$1 é", "$ 1 É"),
        ] {
            let found: Vec<_> = tokens(source).into_iter().map(|token| token.text).collect();
            assert_eq!(found.join(" "), expected, "{source}");
        }
    }
}
