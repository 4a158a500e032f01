//! Statements that run a text or a procedure: `EXECUTE`, `EXEC`, `PREPARE`, `DO`. Owns how the text is put together from literals and variables.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    super::reach::{DYNAMIC, in_quotes},
    Found,
    called::{calls_open, only_tells},
    made::Made,
    read,
    verb::{Verb, text_of},
};

/// `EXECUTE`, `EXEC`, `PREPARE … FROM`, `DO`.
pub(super) fn run(verb: Verb<'_>, depth: usize, made: &Made, found: &mut Found) {
    let Verb { statement, at, .. } = verb;
    let next = verb.word(1);
    match verb.word(0) {
        "EXECUTE"
            if matches!(next, "IMMEDIATE" | "FORMAT" | "(")
                || text_of(statement.get(at + 1)).is_some() =>
        {
            dynamic(statement, at, depth, made, found);
        }
        // What is prepared under a name is run by `EXECUTE name` too, but not inside of a block.
        "EXECUTE" if depth > 0 && !matches!(next, "FUNCTION" | "PROCEDURE" | "ON") => {
            found.push(("query.dynamic", String::new()));
        }
        "EXEC" if next == "(" => dynamic(statement, at, depth, made, found),
        // The procedure is named by a variable, which is no `EXEC @result = procedure`.
        "EXEC" | "EXECUTE" if next.starts_with('@') && verb.word(2) != "=" => {
            found.push(("query.dynamic", String::new()));
        }
        // `EXEC sys.sp_executesql`
        "EXEC" if verb.has(DYNAMIC) => dynamic(statement, at, depth, made, found),
        "EXEC" if depth == 0 => {
            let start = if verb.word(2) == "=" { 3 } else { 1 };
            // What a text that it runs does was read already.
            let is_read = !in_quotes(&verb.name(start)).is_empty();
            if !is_read && !only_tells(verb, start) {
                let is_open = calls_open(verb, start);
                let rule = if is_open { "query.unfamiliar" } else { "query.change" };
                found.push((rule, String::new()));
            }
        }
        "PREPARE" if verb.word(2) == "FROM" => dynamic(statement, at + 2, depth, made, found),
        "DO" => dynamic(statement, at, depth, made, found),
        _ => {}
    }
}

/// Reads the strings behind a word that runs them; what is not a string cannot be read.
pub(super) fn dynamic(
    statement: &[Token],
    at: usize,
    depth: usize,
    made: &Made,
    found: &mut Found,
) {
    let mut text = String::new();
    let mut any = false;
    let is_call = statement.iter().skip(at).any(|token| in_quotes(&token.text) == DYNAMIC);
    for token in statement.iter().skip(at + 1) {
        match (token.kind, &*token.text) {
            // What its parameters are, and their values.
            (TokenKind::Operator, ",") if is_call => break,
            (TokenKind::Word, name) if name.starts_with('@') && made.only(name).is_some() => {
                any = true;
                text.push_str(made.only(name).unwrap_or_default());
            }
            (TokenKind::Text, part) => {
                any = true;
                text.push_str(part);
            }
            (TokenKind::Operator, _)
            | (
                TokenKind::Word,
                "IMMEDIATE" | DYNAMIC | "FROM" | "LANGUAGE" | "PLPGSQL" | "CONCAT" | "N" | "SYS"
                | "MASTER" | "DBO" | "FORMAT",
            ) => {}
            (TokenKind::Name, name) if in_quotes(name) == DYNAMIC => {}
            // What is put in stands for a name.
            (TokenKind::Word, _) if any => text.push_str(" \"\" "),
            _ => {
                found.push(("query.dynamic", String::new()));
                return;
            }
        }
    }
    // `format('SELECT count(*) FROM %I', t)` puts a name in; `%s` is any text.
    let is_filled = statement.iter().skip(at + 1).any(|token| &*token.text == "FORMAT");
    let is_open = is_filled && !puts_names_in(&text);
    if any && !is_open {
        read(&text, depth + 1, found);
    } else {
        found.push(("query.dynamic", String::new()));
    }
}

/// Whether all that `format` puts into a text are names and literals: `%I`, `%1$L`.
fn puts_names_in(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        let place =
            rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '$');
        place.starts_with(['I', 'L'])
    })
}
