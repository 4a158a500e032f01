//! `grep` over a text that is known. Owns which lines it passes on, whole or in parts; files, counts and exit codes are read
//! elsewhere.

use crate::effect::Argument;

use super::{Output, edit::pattern::compile, given::Given, lines, split_end};

/// What `grep` prints of one text under options that only choose lines; `None` where something else matters too.
pub(crate) fn chosen_lines(program: &str, arguments: &[Argument], text: &str) -> Option<String> {
    let given = Given::new(
        arguments,
        "EFGe:ihovwxa",
        &[
            ("extended-regexp", 'E'),
            ("fixed-strings", 'F'),
            ("basic-regexp", 'G'),
            ("regexp", 'e'),
            ("ignore-case", 'i'),
            ("no-filename", 'h'),
            ("only-matching", 'o'),
            ("invert-match", 'v'),
            ("word-regexp", 'w'),
            ("line-regexp", 'x'),
            ("text", 'a'),
        ],
    );
    let patterns = given.options.iter().filter(|(option, _)| *option == 'e').count();
    if given.strange || patterns > 1 || given.operands.len() + patterns > 2 {
        return None;
    }
    let pattern = match given.value('e') {
        Some(value) => value.as_known()?,
        None => given.operands.first()?.text.as_known()?,
    };
    // Words and whole lines are said in the pattern: what is longest would otherwise have to be tried again.
    let is_plain =
        pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ /:=,%@".contains(&byte));
    let is_word = pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if pattern.contains('\n')
        || text.contains('\0')
        || given.has('x') && !is_plain
        || given.has('w') && !is_word
    {
        return None;
    }
    let extended = program == "egrep" || given.has('E');
    let fixed = program == "fgrep" || given.has('F');
    let mut written = if fixed && !is_plain { escaped(pattern) } else { pattern.to_owned() };
    if given.has('x') {
        written = format!("^{written}$");
    }
    if given.has('w') {
        written = format!("\\b{written}\\b");
    }
    let whole = written.is_empty();
    let regex =
        if whole { None } else { Some(compile(&written, extended && !fixed, given.has('i'))?) };
    let mut output = Output::default();
    for line in lines(text) {
        let (body, _) = split_end(line);
        let matches = regex.as_ref().is_none_or(|regex| regex.is_match(body.as_bytes()));
        if matches == given.has('v') {
            continue;
        }
        match &regex {
            Some(regex) if given.has('o') => {
                for found in regex.find_iter(body.as_bytes()).filter(|found| !found.is_empty()) {
                    output.push(found.as_bytes())?;
                    output.byte(b'\n')?;
                }
            }
            _ => {
                output.push(body)?;
                output.byte(b'\n')?;
            }
        }
    }
    output.text()?.as_known().map(str::to_owned)
}

/// A text as a basic pattern that matches only itself.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        if "\\.*[]^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::chosen_lines;
    use crate::{effect::Argument, text::Text};
    use portcullis_syntax::Span;

    #[test]
    fn lines_are_chosen_lines_as_grep_chooses_them() {
        let text = "alpha one\nbeta.two\n\nAlpha three";
        for (words, expected) in [
            ("alpha", Some("alpha one\n")),
            ("-i alpha", Some("alpha one\nAlpha three\n")),
            ("-v alpha", Some("beta.two\n\nAlpha three\n")),
            (".", Some("alpha one\nbeta.two\nAlpha three\n")),
            ("-F a.t", Some("beta.two\n")),
            ("-o t[wh]", Some("tw\nth\n")),
            ("-E ^(a|b)", None),
            ("-w two", Some("beta.two\n")),
            ("-w .two", None),
            ("-x two", Some("")),
            ("-e one -e two", None),
            ("-c alpha", None),
            ("-n alpha", None),
            ("", None),
        ] {
            let arguments: Vec<Argument> = words
                .split_whitespace()
                .map(|word| Argument { text: Text::known(word), span: Span::default() })
                .collect();
            assert_eq!(chosen_lines("grep", &arguments, text).as_deref(), expected, "{words}");
        }
    }
}
