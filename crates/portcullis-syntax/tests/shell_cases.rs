//! Every command that could run is seen: shell texts beside the names found in them and the spans not understood.
//!
//! The cases stand in `tests/shell/*.txt`; `UPDATE_CASES=1` writes what is found now, to be read before committing.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]

mod shell_text;

use std::path::Path;

use portcullis_syntax::shell;

#[test]
fn lists_and_pipelines_show_their_commands() {
    check("lists.txt");
}

#[test]
fn compound_commands_show_their_commands() {
    check("compound.txt");
}

#[test]
fn quotes_and_expansions_show_their_commands() {
    check("expansions.txt");
}

#[test]
fn redirections_and_heredocs_show_their_commands() {
    check("redirections.txt");
}

#[test]
fn broken_text_is_listed_and_what_follows_is_seen() {
    check("broken.txt");
}

/// A case is `=== what it shows`, the text, and `---` with what is found, a line each.
fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell").join(file);
    let written = std::fs::read_to_string(&path).unwrap();
    let mut found = String::new();
    let mut wrong = Vec::new();
    for case in written.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').unwrap();
        let (text, expected) =
            rest.split_once("\n---\n").unwrap_or((rest.trim_end_matches('\n'), ""));
        let source = if title.ends_with("(escaped)") { unescaped(text) } else { text.to_owned() };
        let actual = describe(&source);
        if actual.trim_end() != expected.trim_end() {
            wrong.push(format!("{title}\n{text}\nexpected:\n{expected}\nfound:\n{actual}"));
        }
        found.push_str(&format!("=== {title}\n{text}\n---\n{actual}\n"));
    }
    if std::env::var_os("UPDATE_CASES").is_some() {
        std::fs::write(&path, found.trim_end().to_owned() + "\n").unwrap();
    } else if !wrong.is_empty() {
        panic!("{} in {file}:\n\n{}", wrong.len(), wrong.join("\n\n"));
    }
}

fn describe(source: &str) -> String {
    let script = shell::parse(source);
    let names = shell_text::command_names(&script, source).join(" | ");
    let visible = |character: char| {
        if character.is_control() && character != '\n' {
            character.escape_debug().to_string()
        } else {
            character.to_string()
        }
    };
    let mut lines = names.chars().map(visible).collect::<String>() + "\n";
    for unparsed in &script.unparsed {
        let text = unparsed.span.of(source).escape_debug();
        lines.push_str(&format!("! {:?} {text}\n", unparsed.reason));
    }
    lines
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '%' => match characters.next() {
                Some('r') => '\r',
                Some('v') => '\u{b}',
                Some('f') => '\u{c}',
                Some('0') => '\0',
                Some('t') => '\t',
                other => panic!("unknown escape {other:?} in {text}"),
            },
            character => character,
        });
    }
    plain
}
