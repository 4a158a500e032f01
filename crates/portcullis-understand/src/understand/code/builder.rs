//! Commands that are put together word by word: `Command::new("sh").arg("-c").arg(…)` of Rust, in one chain or through a variable
//! (doc.rust-lang.org, "std::process::Command"). Owns which words follow on the program; a word that is computed stands for itself as one.

use crate::bound::Bounded as _;

/// What stands for a word that is computed.
const COMPUTED: &str = "value";

/// How many statements are looked through for words that a variable is given.
const STATEMENTS: usize = 256;

/// The words behind the program of a command whose name is given at `from..to` of the source.
pub(super) fn words(source: &str, from: usize, to: usize) -> Vec<String> {
    let rest = source.get(to..).unwrap_or_default();
    let Some(rest) = rest.trim_start().strip_prefix(')') else { return Vec::new() };
    let mut words = Vec::new();
    let rest = chain(rest, &mut words);
    // `let mut c = Command::new(…);`, then `c.arg(…);`
    let line =
        source.get(..from).unwrap_or_default().rsplit(['\n', ';', '{']).next().unwrap_or_default();
    let Some((name, _)) = line.trim_start().strip_prefix("let ").and_then(|it| it.split_once('='))
    else {
        return words;
    };
    let name = name.trim().trim_start_matches("mut ").split(':').next().unwrap_or_default().trim();
    for statement in rest.split(';').leading(STATEMENTS) {
        for (at, _) in statement.match_indices(name) {
            let before = statement.get(..at).unwrap_or_default();
            let after = statement.get(at + name.len()..).unwrap_or_default();
            let is_part =
                before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            if !name.is_empty() && !is_part && after.trim_start().starts_with('.') {
                chain(after, &mut words);
            }
        }
    }
    words
}

/// Takes the words of `.arg(…)` and `.args([…])` in a chain; gives what follows on it.
fn chain<'s>(mut rest: &'s str, words: &mut Vec<String>) -> &'s str {
    while let Some(call) = rest.trim_start().strip_prefix('.') {
        let Some((name, inner)) = call.split_once('(') else { break };
        if !name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            break;
        }
        let end = closing(inner);
        let given = inner.get(..end).unwrap_or_default();
        match name.trim() {
            "arg" => words
                .push(literals(given).into_iter().next().unwrap_or_else(|| COMPUTED.to_owned())),
            "args" => {
                let found = literals(given);
                let is_computed = found.is_empty();
                words.extend(found);
                words.extend(is_computed.then(|| COMPUTED.to_owned()));
            }
            _ => {}
        }
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    rest
}

/// Where the bracket that is open closes, texts left out.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                while let Some((_, inner)) = letters.next() {
                    match inner {
                        '\\' => drop(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return at,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// The texts in an argument.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '"' {
            continue;
        }
        let mut value = String::new();
        while let Some(inner) = letters.next() {
            match inner {
                '\\' => match letters.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                    None => {}
                },
                '"' => break,
                other => value.push(other),
            }
        }
        found.push(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_follow_on_their_program() {
        for (source, expected) in [
            ("Command::new(\"sh\").arg(\"-c\").arg(\"a b\").status();", vec!["-c", "a b"]),
            (
                "Command::new(\"sh\")\n  .args([\"-c\", \"a \\\"b\\\"\"])\n  .env(\"X\", \"y\").output()?;",
                vec!["-c", "a \"b\""],
            ),
            (
                "let mut c = Command::new(\"sh\"); c.arg(\"-c\"); c.arg(format!(\"{x}\"));",
                vec!["-c", "{x}"],
            ),
            ("Command::new(\"sh\").arg(path).spawn()", vec!["value"]),
            ("Command::new(\"sh\").status()", vec![]),
        ] {
            let to = source.find("\"sh\"").unwrap() + 4;
            assert_eq!(words(source, to - 4, to), expected, "{source}");
        }
    }
}
