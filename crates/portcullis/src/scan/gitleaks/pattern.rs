//! Regular expressions as Go writes them (RE2), as Rust's `regex` takes them. Owns the differences between the two notations.

use regex::bytes::{Regex, RegexBuilder};

/// The largest automaton of one expression.
const SIZE: usize = 32 << 20;

/// An expression of Go.
///
/// # Errors
/// Where it is none, in the words of the parser.
pub(super) fn compile(text: &str) -> Result<Regex, String> {
    let own = translated(text);
    // In Go `\w`, `\d` and `\b` are about ASCII, and so they are here without Unicode, which is much quicker too. Only an
    // expression with classes of other letters needs it.
    let build = |unicode: bool| {
        RegexBuilder::new(&own).unicode(unicode).size_limit(SIZE).dfa_size_limit(SIZE).build()
    };
    build(false).or_else(|_| build(true)).map_err(|error| {
        let text = error.to_string();
        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// The same expression in the other notation.
fn translated(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        let taken = match letter {
            '\\' => escape(behind, false, &mut out),
            '[' => class(behind, &mut out),
            '{' if !is_repetition(behind) => {
                out.push_str("\\{");
                0
            }
            letter => {
                out.push(letter);
                0
            }
        };
        rest = behind.get(taken..).unwrap_or_default();
    }
    out
}

/// A class behind its `[`. Gives how many bytes it takes.
fn class(behind: &str, out: &mut String) -> usize {
    let mut rest = behind;
    out.push('[');
    if let Some(members) = rest.strip_prefix('^') {
        out.push('^');
        rest = members;
    }
    let mut first = true;
    while !rest.is_empty() && (first || !rest.starts_with(']')) {
        first = false;
        rest = member(rest, out);
        // What follows is the end of a range, unless it is the end of the class.
        if let Some(end) = rest.strip_prefix('-')
            && !end.is_empty()
            && !end.starts_with(']')
        {
            out.push('-');
            rest = member(end, out);
        }
    }
    if let Some(end) = rest.strip_prefix(']') {
        out.push(']');
        rest = end;
    }
    behind.len() - rest.len()
}

/// One member of a class, or one end of a range. Gives what follows.
fn member<'a>(text: &'a str, out: &mut String) -> &'a str {
    let Some(letter) = text.chars().next() else { return text };
    let behind = text.get(letter.len_utf8()..).unwrap_or_default();
    let taken = match letter {
        '\\' => escape(behind, true, out),
        // `[:alpha:]`; any other `[` is itself here.
        '[' if behind.starts_with(':') && behind.contains(":]") => {
            let end = behind.find(":]").map_or(behind.len(), |at| at + 2);
            out.push('[');
            out.push_str(behind.get(..end).unwrap_or_default());
            end
        }
        // A `]` that comes first, and what would be an operation on classes in the other notation.
        '[' | ']' | '&' | '~' | '-' | '^' => {
            out.push('\\');
            out.push(letter);
            0
        }
        letter => {
            out.push(letter);
            0
        }
    };
    behind.get(taken..).unwrap_or_default()
}

/// Whether `{` begins a repetition here: `3}`, `3,}`, `3,5}`.
fn is_repetition(behind: &str) -> bool {
    let Some((inside, _)) = behind.split_once('}') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inside.split_once(',') {
        None => digits(inside),
        Some((least, most)) => digits(least) && (most.is_empty() || digits(most)),
    }
}

/// What stands behind a backslash. Gives how many bytes it takes.
fn escape(behind: &str, in_class: bool, out: &mut String) -> usize {
    let Some(letter) = behind.chars().next() else {
        // It is none in either notation.
        out.push('\\');
        return 0;
    };
    match letter {
        // Literal up to `\E`.
        'Q' if !in_class => {
            let text = behind.get(1..).unwrap_or_default();
            let (literal, end) = match text.find("\\E") {
                Some(at) => (text.get(..at).unwrap_or_default(), at + 2),
                None => (text, text.len()),
            };
            out.push_str(&regex::escape(literal));
            1 + end
        }
        // Octal digits: one, two or three of them.
        '0'..='7' => {
            let digits: String =
                behind.chars().take(3).take_while(|digit| digit.is_digit(8)).collect();
            let number = u32::from_str_radix(&digits, 8).unwrap_or(0);
            out.push_str(&format!("\\x{{{number:x}}}"));
            digits.len()
        }
        // Both are themselves in Go, and the borders of words in the other notation.
        '<' | '>' => {
            out.push(letter);
            1
        }
        letter => {
            if letter.is_ascii() {
                out.push('\\');
            }
            out.push(letter);
            letter.len_utf8()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_writes_differently_means_the_same() {
        for (pattern, matching, other) in [
            (r"\Qa.b\Ec", "a.bc", "axbc"),
            (r"[[]x", "[x", "x"),
            (r"[]x]", "]", "y"),
            (r"[^]]", "x", "]"),
            (r"[a&&b]", "&", "c"),
            (r"[a~~b]", "~", "c"),
            (r"[a-]", "-", "b"),
            (r"[+--]", ",", "a"),
            (r"[\w-]", "-", "."),
            (r"a{,3}", "a{,3}", "aa"),
            (r"{x}", "{x}", "x"),
            (r"a{2}", "aa", "a"),
            (r"\<b\>", "<b>", "b"),
            (r"\101", "A", "101"),
            (r"\x{41}", "A", "x"),
            (r"[[:alpha:]_]", "_", "1"),
            (r"(?i)ab", "AB", "b"),
            (r"(?P<n>a)b", "ab", "b"),
            (r"\w", "a", "é"),
            (r"^\pL$", "é", "1"),
            (r"é", "é", "e"),
            (r"\z", "", "\u{0}"),
        ] {
            let regex = compile(pattern).unwrap();
            assert!(regex.is_match(matching.as_bytes()), "{pattern} on {matching}");
            if pattern != r"\z" {
                assert!(!regex.is_match(other.as_bytes()), "{pattern} on {other}: {regex}");
            }
        }
    }

    #[test]
    fn what_is_none_is_said_to_be_none() {
        for pattern in ["(", "(?=a)", "[z-a]", r"\", "((a{1000}){1000}){1000}"] {
            let error = compile(pattern).map(|_| ()).unwrap_err();
            assert!(!error.is_empty() && !error.contains('\n'), "{pattern}: {error}");
        }
    }
}
