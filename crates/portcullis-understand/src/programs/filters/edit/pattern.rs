//! POSIX patterns as `sed` writes them, translated for the matcher. Alternation and back-references are not: the first
//! means the longest match there and the first one here.

use crate::bound::Bounded;
use regex::bytes::{Regex, RegexBuilder};

/// The most memory that one pattern may take; patterns written by hand stay far below.
const COMPILED_BYTES: usize = 1 << 18;

/// Compiles a basic or extended pattern; `None` where it cannot be said in the matcher's words.
pub(in crate::programs::filters) fn compile(
    written: &str,
    extended: bool,
    ignore_case: bool,
) -> Option<Regex> {
    if written.is_empty() {
        return None;
    }
    let translated = translate(written, extended)?;
    RegexBuilder::new(&translated)
        .unicode(!written.is_ascii())
        .case_insensitive(ignore_case)
        .size_limit(COMPILED_BYTES)
        .build()
        .ok()
}

fn translate(written: &str, extended: bool) -> Option<String> {
    let mut result = String::new();
    let mut letters = written.chars().peekable();
    let mut start = true;
    while let Some(letter) = letters.next() {
        let was_start = std::mem::take(&mut start);
        match letter {
            '\\' => {
                let escaped = letters.next()?;
                match escaped {
                    '(' | ')' | '{' | '}' | '+' | '?' if !extended => {
                        result.push(escaped);
                        start = escaped == '(';
                    }
                    '|' if !extended => return None,
                    'n' => result.push('\n'),
                    't' => result.push('\t'),
                    'x' => {
                        let digits: String = letters.by_ref().leading(2).collect();
                        let byte = u8::from_str_radix(&digits, 16).ok().filter(u8::is_ascii)?;
                        literal(&mut result, char::from(byte));
                    }
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                        result.push('\\');
                        result.push(escaped);
                    }
                    other if other.is_alphanumeric() => return None,
                    '<' | '>' | '`' | '\'' => return None,
                    other => literal(&mut result, other),
                }
            }
            '[' => bracket(&mut result, &mut letters)?,
            '.' => result.push_str("(?s:.)"),
            '*' if was_start => {
                if extended {
                    return None;
                }
                result.push_str("\\*");
            }
            '*' => result.push('*'),
            '^' if was_start || extended => {
                result.push('^');
                start = true;
            }
            '$' if extended || letters.peek().is_none() || ends_group(&letters) => {
                result.push('$');
            }
            '(' | ')' | '{' | '}' | '+' | '?' if extended => {
                if was_start && matches!(letter, '{' | '+' | '?') {
                    return None;
                }
                result.push(letter);
                start = letter == '(';
            }
            '|' if extended => return None,
            other => literal(&mut result, other),
        }
    }
    // `a**` and `a*?` mean something else to the matcher.
    let lazy = ["**", "*+", "*?", "++", "+*", "+?", "??", "?*", "?+", "}?", "}+", "}*"];
    if extended && lazy.iter().any(|pair| written.contains(pair)) || written.contains("**") {
        return None;
    }
    if !extended && ["*\\+", "*\\?", "\\+\\?", "\\?\\?"].iter().any(|pair| written.contains(pair)) {
        return None;
    }
    Some(result)
}

fn ends_group(letters: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    letters.clone().leading(2).eq(['\\', ')'])
}

fn literal(result: &mut String, letter: char) {
    if letter.is_ascii_punctuation() {
        result.push('\\');
    }
    result.push(letter);
}

/// `[…]`: no escapes in it, and `]` stands for itself where it comes first.
fn bracket(
    result: &mut String,
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> Option<()> {
    result.push('[');
    if letters.next_if_eq(&'^').is_some() {
        result.push('^');
    }
    let mut first = true;
    loop {
        let letter = letters.next()?;
        match letter {
            ']' if !first => {
                result.push(']');
                return Some(());
            }
            '[' if matches!(letters.peek(), Some(':')) => {
                result.push('[');
                for inner in letters.by_ref() {
                    result.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
            }
            '[' if matches!(letters.peek(), Some('.' | '=')) => return None,
            '\\' => match letters.peek() {
                Some('n') => {
                    letters.next();
                    result.push('\n');
                }
                Some('t') => {
                    letters.next();
                    result.push('\t');
                }
                _ => result.push_str("\\\\"),
            },
            '-' => result.push('-'),
            other => literal(result, other),
        }
        first = false;
    }
}
