//! What a text looks like when nobody says what it is. Owns the signs of paths, addresses, statements and languages.

use crate::bound::Bounded;
use std::collections::HashMap;

use portcullis_syntax::{
    Span,
    sql::{self, Token, TokenKind},
};
use serde_json::Value;

use super::loose;
use crate::percent;

/// The longest text that is taken for a path or an address: systems take no longer ones.
const LONGEST_NAME: usize = 8192;

/// The object or list that is written in a text.
pub(in crate::understand) fn json(text: &str) -> Option<Value> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    let read = serde_json::from_str(start).ok();
    let value: Value = read.or_else(|| loose::object(start))?;
    (value.is_object() || value.is_array()).then_some(value)
}

/// Where the strings of a JSON text are written in it: what each of them says, and where it stands first.
pub(in crate::understand) fn literals(text: &str) -> HashMap<String, Span> {
    let mut found = HashMap::new();
    let mut start = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (start, byte) {
            (None, b'"') => start = Some(at),
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(from), b'"') => {
                let written = text.get(from..=at).unwrap_or_default();
                if let Ok(says) = serde_json::from_str::<String>(written) {
                    found.entry(says).or_insert(Span::new(from + 1, at));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether a text is written as an address with a scheme.
pub(in crate::understand) fn is_address(text: &str) -> bool {
    scheme(text).is_some_and(|scheme| SCHEMES.contains(&scheme.as_str()))
}

/// Whether a text that should be an address is one that something fetches. Addresses of databases, repositories and
/// programs lead elsewhere.
pub(in crate::understand) fn may_be_fetched(text: &str) -> bool {
    if let Some(scheme) = scheme(text) {
        return SCHEMES.contains(&scheme.as_str());
    }
    let starts = text.starts_with(|first: char| first.is_alphanumeric() || first == '[');
    let host = text.split(['/', '?', '#']).next().unwrap_or(text);
    is_one_word(text)
        && starts
        && !host.contains('@')
        && (host.contains(['.', ':', '[']) || host == "localhost" || is_number(host))
}

fn is_number(host: &str) -> bool {
    let digits = host.strip_prefix("0x").unwrap_or(host);
    digits.len() > 7
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && host.starts_with(|first: char| first.is_ascii_digit())
}

fn scheme(text: &str) -> Option<String> {
    if !is_one_word(text) {
        return None;
    }
    let (scheme, rest) = text.split_once(':')?;
    let named = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let scheme = scheme.to_ascii_lowercase();
    let alone = matches!(scheme.as_str(), "data" | "javascript" | "file");
    (named && (rest.starts_with("//") || alone)).then_some(scheme)
}

/// What is fetched, and what is abused to make others fetch.
const SCHEMES: &[&str] = &[
    "data",
    "dict",
    "file",
    "ftp",
    "ftps",
    "gopher",
    "http",
    "https",
    "jar",
    "javascript",
    "ldap",
    "ldaps",
    "netdoc",
    "php",
    "tftp",
    "ws",
    "wss",
];

/// The path of a `file:` address, decoded.
pub(in crate::understand) fn file_of(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = path.strip_prefix("localhost").unwrap_or(path);
    Some(percent::text(path))
}

/// Whether a text is written as a path from the root or from home.
pub(in crate::understand) fn is_rooted_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && bytes.get(2).is_some_and(|third| matches!(third, b'/' | b'\\'));
    is_name(text)
        && (text.starts_with('/')
            || text == "~"
            || text.starts_with("~/")
            || drive
            || HOMES.iter().any(|home| text.starts_with(home)))
}

/// Whether a text is written as a path.
pub(in crate::understand) fn is_path(text: &str) -> bool {
    is_rooted_path(text) || is_name(text) && (text.starts_with("./") || text.starts_with("../"))
}

/// Whether a text is written as a path from where one stands: a hidden name, or several names.
pub(in crate::understand) fn is_relative_path(text: &str) -> bool {
    is_one_word(text) && !text.contains(':') && (text.starts_with('.') || text.contains('/'))
}

/// A path with what stands for the home directory as `~`.
pub(in crate::understand) fn home_as_tilde(path: &str) -> String {
    let rest = HOMES.iter().find_map(|home| path.strip_prefix(home));
    rest.map_or_else(|| path.to_owned(), |rest| format!("~{rest}"))
}

const HOMES: &[&str] = &["$HOME", "${HOME}", "%USERPROFILE%", "$env:USERPROFILE"];

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_NAME && !text.contains(['\n', '\r'])
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_NAME && !text.contains(char::is_whitespace)
}

/// How a text must look to be a statement.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(in crate::understand) enum Strictness {
    /// It begins with the word of one.
    Word,
    /// It goes on and ends like one.
    Shape,
}

/// Whether a text is a statement for a database, behind any comments.
pub(in crate::understand) fn is_statement(text: &str, strictness: Strictness) -> bool {
    let tokens = sql::tokens(text);
    let mut tokens = tokens.iter().skip_while(|token| token.kind == TokenKind::Operator);
    let Some(first) = tokens.next() else { return false };
    if first.kind != TokenKind::Word || !STATEMENTS.contains(&&*first.text) {
        return false;
    }
    if strictness == Strictness::Word {
        return true;
    }
    let rest: Vec<&Token> = tokens.leading(SHAPE_TOKENS).collect();
    let word = |at: usize| rest.get(at).map_or("", |token| &*token.text);
    match &*first.text {
        "DROP" => OBJECTS.contains(&word(0)) && ends(&rest, after_if_exists(&rest, 1)),
        "TRUNCATE" => ends(&rest, usize::from(word(0) == "TABLE")),
        "DELETE" => word(0) == "FROM" && ends(&rest, 1),
        "UPDATE" => rest.iter().any(|token| &*token.text == "SET"),
        "INSERT" | "REPLACE" | "MERGE" => word(0) == "INTO",
        "CREATE" | "ALTER" | "RENAME" => {
            rest.iter().leading(4).any(|token| OBJECTS.contains(&&*token.text))
        }
        "GRANT" => rest.iter().any(|token| &*token.text == "TO"),
        "REVOKE" => rest.iter().any(|token| &*token.text == "FROM"),
        "COPY" => rest.iter().any(|token| matches!(&*token.text, "FROM" | "TO")),
        "SELECT" => !rest.is_empty(),
        "WITH" => rest.iter().any(|token| &*token.text == "AS"),
        _ => true,
    }
}

/// How many words of a text are looked at to tell a statement from a sentence.
const SHAPE_TOKENS: usize = 64;

fn after_if_exists(rest: &[&Token], at: usize) -> usize {
    let word = |at: usize| rest.get(at).map_or("", |token| &*token.text);
    if word(at) == "IF" && word(at + 1) == "EXISTS" { at + 2 } else { at }
}

/// Whether a name stands at this place, and behind it the end or what may follow a name in a statement.
fn ends(rest: &[&Token], at: usize) -> bool {
    let mut at = at;
    loop {
        let named = rest.get(at).is_some_and(|token| {
            matches!(token.kind, TokenKind::Word | TokenKind::Name | TokenKind::Text)
        });
        if !named {
            return false;
        }
        match rest.get(at + 1).map(|token| &*token.text) {
            Some("." | ",") => at += 2,
            None => return true,
            Some(next) => return FOLLOWS.contains(&next),
        }
    }
}

const FOLLOWS: &[&str] =
    &[";", "CASCADE", "RESTRICT", "RESTART", "CONTINUE", "WHERE", "USING", "RETURNING", "LIMIT"];

const OBJECTS: &[&str] = &[
    "COLLECTION",
    "COLUMN",
    "DATABASE",
    "EXTENSION",
    "FUNCTION",
    "INDEX",
    "KEYSPACE",
    "MATERIALIZED",
    "POLICY",
    "ROLE",
    "SCHEMA",
    "SEQUENCE",
    "TABLE",
    "TABLESPACE",
    "TRIGGER",
    "TYPE",
    "USER",
    "VIEW",
];

const STATEMENTS: &[&str] = &[
    "ALTER", "ATTACH", "BEGIN", "CALL", "COPY", "CREATE", "DELETE", "DETACH", "DO", "DROP", "EXEC",
    "EXECUTE", "EXPLAIN", "FLUSH", "GRANT", "INSERT", "LOAD", "MATCH", "MERGE", "PRAGMA", "RENAME",
    "REPLACE", "REVOKE", "SELECT", "SET", "SHUTDOWN", "TRUNCATE", "UPDATE", "USE", "VACUUM",
    "WITH",
];

/// The language that a text is surely written in.
pub(in crate::understand) fn language(code: &str) -> Option<&'static str> {
    let start = code.trim_start();
    if let Some(line) = start.strip_prefix("#!") {
        let line = line.lines().next().unwrap_or_default();
        let known = INTERPRETERS.iter().find(|(word, _)| line.contains(word));
        return known.map(|(_, language)| *language);
    }
    SIGNS
        .iter()
        .find(|(_, signs)| {
            code.lines().leading(SIGN_LINES).any(|line| {
                let line = line.trim_start();
                signs.iter().any(|sign| match sign.strip_prefix('*') {
                    Some(within) => line.contains(within),
                    None => line.starts_with(sign),
                })
            })
        })
        .map(|(language, _)| *language)
}

/// How many lines are looked at for signs of a language.
const SIGN_LINES: usize = 200;

const INTERPRETERS: &[(&str, &str)] = &[
    ("python", "python"),
    ("node", "javascript"),
    ("deno", "javascript"),
    ("bun", "javascript"),
    ("ruby", "ruby"),
    ("perl", "perl"),
    ("php", "php"),
    ("osascript", "applescript"),
    ("pwsh", "powershell"),
    ("sh", "shell"),
];

/// What lines of a language begin with, or have in them where a star stands first.
const SIGNS: &[(&str, &[&str])] = &[
    ("php", &["<?php"]),
    (
        "javascript",
        &[
            "const ",
            "let ",
            "var ",
            "function ",
            "async ",
            "console.",
            "document.",
            "window.",
            "export ",
            "() =>",
            "(() =>",
            "*=> ",
            "*require(",
            "*process.mainModule",
        ],
    ),
    (
        "python",
        &[
            "import ",
            "from ",
            "def ",
            "class ",
            "print(",
            "with open(",
            "@",
            "*__import__(",
            "*bpy.",
        ],
    ),
    ("powershell", &["Remove-Item", "Get-", "Set-", "Invoke-", "New-Object", "$env:", "IEX"]),
    ("ruby", &["puts ", "require '", "require \"", "*Dir.glob", "*FileUtils"]),
    ("perl", &["use strict", "my $"]),
    ("lua", &["local ", "os.execute("]),
    ("applescript", &["tell application", "do shell script"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_from_words_to_look_for() {
        let statements = [
            "DROP TABLE users",
            "drop table if exists a.users cascade;",
            "-- why\n/* not */ TRUNCATE auth.users",
            "delete from users",
            "DELETE FROM users WHERE 1=1",
            "update users set a = 1",
        ];
        for text in statements {
            assert!(is_statement(text, Strictness::Shape), "{text}");
        }
        let words = [
            "DROP TABLE",
            "drop table vs truncate table",
            "delete from users how to undo",
            "update the documentation of users",
            "how to drop table users",
            "",
        ];
        for text in words {
            assert!(!is_statement(text, Strictness::Shape), "{text}");
        }
    }

    #[test]
    fn the_strings_of_a_json_text_are_found_where_they_stand() {
        let text = r#"{"a": "x\"y", "b": ["rm -rf ~"]}"#;
        let found = literals(text);
        let written = |says: &str| text.get(found.get(says)?.range());
        assert_eq!(written("rm -rf ~"), Some("rm -rf ~"));
        assert_eq!(written("x\"y"), Some(r#"x\"y"#));
    }
}
