//! Substitutions as Perl writes them (`s/old/new/g`), as far as they are no more than that. Owns which texts they put in; a
//! replacement that computes something is none of them.

/// The texts that a script of nothing but substitutions puts in, a line each; `None` where it does anything else, or where
/// a comment could become code.
pub(super) fn puts_in(script: &str) -> Option<String> {
    let mut rest = script.trim_matches([' ', ';', '\n']);
    let mut lines = String::new();
    while !rest.is_empty() {
        let after = rest.strip_prefix('s')?;
        let mut letters = after.chars();
        let edge = letters.next().filter(|edge| edge.is_ascii_punctuation() && *edge != '\'')?;
        let (pattern, after) = until(letters.as_str(), closing(edge))?;
        let (replacement, after) = match closing(edge) {
            close if close != edge => until(after.trim_start().strip_prefix(edge)?, close)?,
            close => until(after, close)?,
        };
        let flags = after.chars().take_while(char::is_ascii_alphanumeric).count();
        let (flags, after) = after.split_at_checked(flags)?;
        if flags.contains(|flag: char| !"gimsx".contains(flag))
            || computes(pattern)
            || computes(replacement)
            || pattern.contains('#')
            || pattern.contains("//")
        {
            return None;
        }
        lines.push_str(replacement);
        lines.push('\n');
        rest = after.trim_start_matches([' ', ';', '\n']);
    }
    (!lines.is_empty()).then_some(lines)
}

const fn closing(edge: char) -> char {
    match edge {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        '<' => '>',
        other => other,
    }
}

/// What stands before an edge that is not escaped, and what follows it.
fn until(text: &str, edge: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == edge && !escaped {
            return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}

/// Whether anything in it is more than it says: variables, code, what matched, characters by their numbers.
fn computes(text: &str) -> bool {
    let is_named = |text: &str| {
        text.split('\\').skip(1).any(|rest| {
            rest.starts_with(|letter: char| {
                letter.is_ascii_digit() || "xoNcULulQE".contains(letter)
            })
        })
    };
    text.contains("(?{") || text.contains("(??{") || text.contains('@') || is_named(text) || {
        // At the end of a pattern it is the end of a line.
        let inner = text.strip_suffix('$').unwrap_or(text);
        inner.contains('$')
    }
}

#[cfg(test)]
mod tests {
    use super::puts_in;

    #[test]
    fn only_plain_substitutions_say_what_they_put_in() {
        assert_eq!(puts_in(r"s/\bold\b/new/g").as_deref(), Some("new\n"));
        assert_eq!(puts_in("s{a}{b}; s|c|d|i;").as_deref(), Some("b\nd\n"));
        assert_eq!(puts_in(r"s/fn a\(\)$/fn b()/").as_deref(), Some("fn b()\n"));
        for script in [
            "s/a/system(1)/e",
            "s/a/@{[`id`]}/",
            "s/(a)/$1rm/",
            r"s/a/\x72m/",
            "s/^# //",
            "s/(?{system 1})//",
            "s/a/b/; system 'x'",
            "print",
            "s/a/b",
            "tr/a/b/",
            "s'a'b'",
            "",
        ] {
            assert_eq!(puts_in(script), None, "{script}");
        }
    }
}
