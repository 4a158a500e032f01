//! SQL of any dialect: text to tokens. Owns where strings, names and comments begin and end; what MySQL runs inside
//! `/*! … */` is read as code. It knows no statement.
//!
//! Servers do not agree on it: behind `SELECT 5 # 3;` PostgreSQL runs what MySQL takes for a comment. Whoever looks for harm goes
//! through all [`readings`]; [`tokens`] is the one that is right for most texts.

mod dialect;

use dialect::{Backslash, Dialect};

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
    read(source, dialect::ANY)
}

/// Every way in which a server may read `source`, each once; the first is that of [`tokens`].
#[must_use]
pub fn readings(source: &str) -> Vec<Vec<Token>> {
    let mut all = vec![tokens(source)];
    if dialect::divides(source) {
        for dialect in dialect::ALL.iter().skip(1) {
            let reading = read(source, *dialect);
            if !all.contains(&reading) {
                all.push(reading);
            }
        }
    }
    all
}

fn read(source: &str, dialect: Dialect) -> Vec<Token> {
    let bytes = source.as_bytes();
    let mut list: Vec<Token> = Vec::new();
    // Where the statement begins.
    let mut first = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if at >= SOURCE_BYTES {
            break;
        }
        let rest = source.get(at..).unwrap_or_default();
        if let Some(length) = comment(rest, dialect) {
            at += length;
            continue;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let (kind, text) = match byte {
            b'\'' | b'"' if dialect.triples && is_triple(rest, byte) => {
                (TokenKind::Text, triple(source, &mut at, byte))
            }
            b'\'' => {
                let mark = list.last().filter(|word| word.span.range().end == start);
                let mark = mark.map_or("", |word| &*word.text);
                if dialect.chosen_quotes && matches!(mark, "Q" | "NQ") {
                    (TokenKind::Text, chosen(source, &mut at))
                } else {
                    let escapes = dialect.backslash.behind(mark);
                    (TokenKind::Text, quoted(source, &mut at, b'\'', escapes))
                }
            }
            // It stays a name where it is a text, since what is called may be written so elsewhere.
            b'"' => {
                let escapes =
                    if dialect.double_is_text { dialect.backslash } else { Backslash::Never };
                (TokenKind::Name, quoted(source, &mut at, b'"', escapes))
            }
            b'`' => (TokenKind::Name, quoted(source, &mut at, b'`', Backslash::Never)),
            b'[' if dialect.brackets => {
                (TokenKind::Name, quoted(source, &mut at, b']', Backslash::Never))
            }
            b'$' if (dialect.dollars || has_body(list.get(first..).unwrap_or_default()))
                && let Some((text, end)) = dollar(source, at) =>
            {
                at = end;
                (TokenKind::Text, text)
            }
            b'$' if dialect.dollars => {
                at += 1;
                (TokenKind::Operator, "$".to_owned())
            }
            _ if byte.is_ascii_digit() => {
                while bytes
                    .get(at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
                {
                    at += 1;
                }
                (TokenKind::Number, source.get(start..at).unwrap_or_default().to_owned())
            }
            _ if is_letter(byte, dialect) => {
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
        let ends = kind == TokenKind::Operator && text == ";";
        list.push(Token { kind, text: text.into(), span });
        if ends {
            first = list.len();
        }
    }
    list
}

/// Whether a statement is one whose body stands between `$$` wherever there are such: `DO`, `CREATE FUNCTION`.
fn has_body(statement: &[Token]) -> bool {
    let mut words = statement.iter().map(|token| &*token.text);
    match words.next() {
        Some("DO") => true,
        // What Snowflake runs of such a text, no other server has.
        Some("EXECUTE") => words.next() == Some("IMMEDIATE"),
        // With a `RETURN` of its own a function has no such body: what stands between two `$a$` is MySQL's then.
        Some("CREATE") => {
            words.clone().zip(0..WORDS).any(|(word, _)| matches!(word, "FUNCTION" | "PROCEDURE"))
                && !words.any(|word| matches!(word, "BEGIN" | "RETURN"))
        }
        _ => false,
    }
}

/// How many words may stand between `CREATE` and what is made.
const WORDS: usize = 5;

/// Whether a word begins with this letter.
const fn is_letter(byte: u8, dialect: Dialect) -> bool {
    byte.is_ascii_alphabetic()
        || matches!(byte, b'_' | b'@')
        || byte >= 0x80
        || byte == b'$' && !dialect.dollars
}

/// How long the comment at the beginning of `rest` is, or the sign of one whose inside is read.
fn comment(rest: &str, dialect: Dialect) -> Option<usize> {
    let line = || rest.find('\n').map_or(rest.len(), |end| end + 1);
    if let Some(text) = rest.strip_prefix("--") {
        let is_spaced = text.chars().next().is_none_or(char::is_whitespace);
        return (is_spaced || !dialect.spaced_dashes).then(line);
    }
    if rest.starts_with('#') {
        return dialect.hash_comments.then(line);
    }
    if let Some(code) = rest.strip_prefix("/*!") {
        return Some(3 + code.bytes().take_while(u8::is_ascii_digit).count());
    }
    if rest.starts_with("*/") {
        return Some(2);
    }
    let body = rest.strip_prefix("/*")?;
    if !dialect.nested_comments {
        return Some(body.find("*/").map_or(rest.len(), |end| end + 4));
    }
    let (mut depth, mut at) = (1_usize, 2);
    while depth > 0 {
        let left = rest.get(at..).unwrap_or_default();
        let Some(next) = left.find(['*', '/']) else { return Some(rest.len()) };
        let sign = left.get(next..).unwrap_or_default();
        let (change, length) = match () {
            () if sign.starts_with("/*") => (1, 2),
            () if sign.starts_with("*/") => (-1, 2),
            () => (0, 1),
        };
        depth = depth.saturating_add_signed(change);
        at += next + length;
    }
    Some(at)
}

/// The content of the quoted text at `at`, which is passed; a doubled quote is part of it.
fn quoted(source: &str, at: &mut usize, close: u8, escapes: Backslash) -> String {
    let mut text = String::new();
    let mut characters = source.get(*at + 1..).unwrap_or_default().char_indices().peekable();
    let content = *at + 1;
    let last_quote = match escapes {
        Backslash::ButLast => source.rfind('\'').unwrap_or(0),
        _ => usize::MAX,
    };
    while let Some((offset, character)) = characters.next() {
        if character == '\\' && escapes != Backslash::Never {
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

fn is_triple(rest: &str, quote: u8) -> bool {
    rest.as_bytes().get(..3).is_some_and(|start| start.iter().all(|byte| *byte == quote))
}

/// A text between three quotes on either side.
fn triple(source: &str, at: &mut usize, quote: u8) -> String {
    let mark = char::from(quote).to_string().repeat(3);
    let body = source.get(*at + 3..).unwrap_or_default();
    let end = body.find(&mark).unwrap_or(body.len());
    *at = (*at + 3 + end + 3).min(source.len());
    body.get(..end).unwrap_or_default().to_owned()
}

/// `q'[…]'`: what opens a text closes it.
fn chosen(source: &str, at: &mut usize) -> String {
    let body = source.get(*at + 1..).unwrap_or_default();
    let Some(open) = body.chars().next() else {
        *at = source.len();
        return String::new();
    };
    let close = match open {
        '[' => ']',
        '{' => '}',
        '(' => ')',
        '<' => '>',
        other => other,
    };
    let inner = body.get(open.len_utf8()..).unwrap_or_default();
    let end = inner.find(&format!("{close}'")).unwrap_or(inner.len());
    *at = (*at + 1 + open.len_utf8() + end + close.len_utf8() + 1).min(source.len());
    inner.get(..end).unwrap_or_default().to_owned()
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

    #[test]
    fn what_one_server_hides_another_runs() {
        for source in [
            "SELECT 5 # 3; DROP",
            "SELECT 5--1; DROP",
            "/* /* */ ' */ DROP x; --'",
            r"SELECT '\'; DROP; SELECT 'x'",
            r#"SELECT "\" ; -- ", 1; DROP"#,
            r#"SELECT "\"" ; -- ", 1; DROP"#,
            "SELECT 1 AS $a$; DROP; SELECT 1 AS $a$",
            "CREATE FUNCTION f() RETURNS INT RETURN (SELECT 1 AS $a$); DROP; SELECT 1 AS $a$",
            "SELECT q'[']' FROM dual; DROP",
            "SELECT ['a]', 'b']; DROP; SELECT ']'",
            r"SELECT r'\'; DROP; SELECT 'a'",
            r"SELECT E'\''; DROP; SELECT 'a'",
            "SELECT '''a' b''', 1; DROP; SELECT ''''",
        ] {
            let runs = |reading: &Vec<Token>| {
                reading.iter().any(|token| token.kind == TokenKind::Word && &*token.text == "DROP")
            };
            assert!(readings(source).iter().any(runs), "{source}");
        }
        let body =
            "DO $$ BEGIN DROP TABLE a; END $$; CREATE OR REPLACE FUNCTION f() AS $x$ DROP $x$";
        for reading in readings(body) {
            assert!(reading.iter().all(|token| &*token.text != "DROP"), "{reading:?}");
        }
        assert_eq!(readings("SELECT 1 -- DROP\n; /* DROP */ SELECT 'DROP'").len(), 1);
    }

    #[test]
    fn no_reading_leaves_the_text() {
        for source in [
            "q'", "q'[", "'''", "\"\"\"x", "/*/*", "/*/*é*", "$a$", "E'\\", "é'\\é", "q'é", "[",
            "r'", "--é", "#é", "/*!é",
        ] {
            for token in readings(source).into_iter().flatten() {
                assert!(source.get(token.span.range()).is_some(), "{source}");
            }
        }
    }
}
