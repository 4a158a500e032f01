//! The words in which options are looked for: which of a program's are its own, and those that a variable holds.

use std::borrow::Cow;

use portcullis_syntax::Span;

use crate::{
    effect::Argument,
    programs::{Word, invocation::Invocation},
    text::{Piece, Text},
};

/// The words that an option names, joined to it or behind it, also where the program's own row does not know it.
pub(super) fn named_by(arguments: &[Argument], option: &str) -> Vec<Argument> {
    let mut found = Vec::new();
    let mut is_next = false;
    for word in arguments {
        if std::mem::take(&mut is_next) {
            found.push(word.clone());
            continue;
        }
        let known = word.text.known_prefix();
        if word.text.as_known() == Some("--") {
            break;
        }
        let Some(rest) = known.strip_prefix(option) else { continue };
        let is_short = option.len() == 2;
        if rest.is_empty() && word.text.as_known().is_some() {
            is_next = true;
        } else if rest.starts_with('=') || is_short {
            let text = word.text.beginning_with(rest.trim_start_matches('='));
            found.push(Argument { text, span: word.span });
        }
    }
    found
}

/// The words that are the program's own: what stands behind the name of another program, of a machine or of a subcommand is
/// read by that one, and tar takes its first word for letters without a dash.
pub(super) fn own_words<'a>(name: &str, invocation: &'a Invocation) -> Cow<'a, [Argument]> {
    let arguments = invocation.arguments.as_slice();
    match name {
        "docker" | "nerdctl" | "podman" | "npx" => {
            let (mut first, mut before) = (None, "");
            for word in invocation.options().words() {
                match word {
                    Word::Option(given) => before = given.long_name(),
                    // The value of an option whose name is abbreviated.
                    Word::Doubtful(_) if is_begun(before, invocation.values) => before = "",
                    Word::Operand(word) | Word::Doubtful(word) => {
                        first = Some(word);
                        break;
                    }
                }
            }
            let at =
                first.and_then(|first| arguments.iter().position(|word| std::ptr::eq(word, first)));
            Cow::Borrowed(arguments.get(..at.unwrap_or(arguments.len())).unwrap_or(arguments))
        }
        "ssh" | "autossh" => {
            let (_, own) =
                crate::programs::network::shells::before_command(arguments, invocation.values);
            Cow::Borrowed(arguments.get(..own).unwrap_or(arguments))
        }
        "tar" | "bsdtar" => with_dashes(arguments, invocation.values),
        _ => Cow::Borrowed(arguments),
    }
}

/// Whether a word is the beginning of a long option that takes a value.
fn is_begun(word: &str, values: &[&str]) -> bool {
    word.len() > 2 && word.starts_with("--") && values.iter().any(|name| name.starts_with(word))
}

/// `tar cIf PROGRAM FILE` as `tar -c -I PROGRAM -f FILE`: each letter that takes a value takes the next word.
fn with_dashes<'a>(arguments: &'a [Argument], values: &[&str]) -> Cow<'a, [Argument]> {
    let Some((letters, mut rest)) = arguments.split_first() else {
        return Cow::Borrowed(arguments);
    };
    let Some(word) = letters
        .text
        .as_known()
        .filter(|word| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_alphabetic()))
    else {
        return Cow::Borrowed(arguments);
    };
    let mut words = Vec::with_capacity(arguments.len() + word.len());
    for letter in word.chars() {
        let option = format!("-{letter}");
        let takes = values.contains(&option.as_str());
        words.push(Argument { text: Text::known(&option), span: letters.span });
        if takes && let Some((value, after)) = rest.split_first() {
            words.push(value.clone());
            rest = after;
        }
    }
    words.extend_from_slice(rest);
    Cow::Owned(words)
}

/// The words of a variable that holds options: apart by blanks, but for what is quoted or in parentheses.
pub(crate) fn words_of(value: &Text, span: Span) -> Vec<Argument> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, 0_usize);
    let mut letters = value.known_prefix().chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\\') => match letters.next() {
                Some(next) if open > 0 && !next.is_whitespace() => word.extend(['\\', next]),
                next => word.extend(next),
            },
            (Some(mark), _) if mark == letter => quote = None,
            (Some('"'), '\\') => match letters.next() {
                Some(next @ ('"' | '\\')) => word.push(next),
                next => {
                    word.push('\\');
                    word.extend(next);
                }
            },
            (None, '"' | '\'') if open == 0 => quote = Some(letter),
            (None, letter) if letter.is_whitespace() && open == 0 => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, letter) => {
                match letter {
                    '(' => open += 1,
                    ')' => open = open.saturating_sub(1),
                    _ => {}
                }
                word.push(letter);
            }
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
        .into_iter()
        .map(|word| Argument { text: value.derive([Piece::Known(word)]), span })
        .collect()
}

/// Whether an option is one letter.
pub(super) fn is_short(option: &str) -> bool {
    option.len() == 2 && option.starts_with('-')
}

/// A command of tox with what it puts in as a shell would: variables of the environment, and what stands in other braces as one word; the words
/// behind `--` are not the file's.
pub(in crate::programs) fn put_in_by_tox(command: &str) -> String {
    let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let command = command.replace("{posargs}", "");
    let mut filled = String::with_capacity(command.len());
    let mut rest = command.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (inner, next) = after.split_once('}').unwrap_or((after, ""));
        match inner.strip_prefix("env:") {
            Some(name) if name.bytes().all(is_of_a_name) => {
                filled.push_str(&format!("${{{name}}}"));
            }
            // `{env:NAME:what it is otherwise}`
            Some(named)
                if named.split(':').next().is_some_and(|it| it.bytes().all(is_of_a_name)) =>
            {
                filled.push_str(&format!("${{{}}}", named.split(':').next().unwrap_or_default()));
            }
            None if inner == "homedir" => filled.push('~'),
            _ => filled.push_str(&format!("\"{{{inner}}}\"")),
        }
        rest = next;
    }
    filled.push_str(rest);
    filled
}
