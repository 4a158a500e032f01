//! Text that bash expands a second time: prompts, and subscripts wherever it looks for arithmetic or the name of a
//! variable. Owns what is substituted in them; values and words are read by its siblings.

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, GapReason},
    text::Text,
};

/// How long a text may be to be expanded: a subscript or a prompt is short.
pub(super) const BYTES: usize = 4096;

/// Builtins that take names of variables or arithmetic, sorted.
const TAKE_NAMES: &[&str] = &[
    "[",
    "declare",
    "export",
    "let",
    "local",
    "mapfile",
    "printf",
    "read",
    "readarray",
    "readonly",
    "test",
    "typeset",
    "unset",
    "wait",
];

impl Walk<'_> {
    /// A text that may be evaluated as arithmetic or taken as a name: `a[$(command)]` runs the command.
    pub(super) fn subscripts(&mut self, text: &Text, span: Span) {
        if has_running_subscript(text.known_prefix()) {
            self.at_most(Certainty::Likely, |walk| walk.expand_again(text, span));
        }
    }

    /// The arguments of a builtin that looks for names or numbers in them.
    pub(super) fn names_in(&mut self, program: &str, arguments: &[Argument]) {
        if TAKE_NAMES.binary_search(&program).is_err() {
            return;
        }
        for argument in arguments {
            self.subscripts(&argument.text, argument.span);
        }
        // Of a text out of a file it counts where exactly a name is looked for.
        let is_behind = |option: &'static [&'static str]| {
            arguments
                .windows(2)
                .filter(|pair| matches!(pair, [before, _] if before.text.as_known().is_some_and(|word| option.contains(&word))))
                .filter_map(|pair| pair.last())
        };
        let names: Vec<&Argument> = match program {
            "[" | "test" => is_behind(&["-v", "-R"]).collect(),
            "printf" => is_behind(&["-v"]).collect(),
            "wait" => is_behind(&["-p"]).collect(),
            "let" => Vec::new(),
            _ => arguments.iter().collect(),
        };
        for name in names.into_iter().filter(|name| name.text.has_unknown()) {
            self.named(&name.text, name.span);
        }
    }

    /// A prompt is expanded like a here-document whenever it is shown.
    pub(super) fn expand_again(&mut self, text: &Text, span: Span) {
        let known = text.known_prefix();
        if !has_substitution(known) {
            return;
        }
        if known.len() > BYTES {
            self.gap(span, GapReason::Limit);
            return;
        }
        let mut code = text.derive([]);
        code.push_known(": <<END_OF_TEXT\n");
        code.append(text);
        code.push_known("\nEND_OF_TEXT\n");
        self.same_shell(&code, span);
    }
}

/// Whether a text runs something where it is expanded.
pub(super) fn has_substitution(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${ ") || text.contains("${|")
}

/// Whether a text is the name of an element whose subscript runs something.
pub(super) fn is_running_name(text: &str) -> bool {
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.split_once('[')
        .is_some_and(|(name, _)| !name.is_empty() && name.trim_start().bytes().all(continues))
        && has_running_subscript(text)
}

pub(super) fn has_running_subscript(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('[') else { return false };
    let named = name
        .bytes()
        .next_back()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'}'));
    let subscript = rest.rsplit_once(']').map_or(rest, |(subscript, _)| subscript);
    named && (subscript.contains("$(") || subscript.contains('`'))
}

/// A text as `${name@Q}` quotes it.
pub(super) fn quoted(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut quoted = String::from("$'");
    for character in text.chars() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_ascii_control() => {
                quoted.push_str(&format!("\\{:03o}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}

/// What escapes such as `\x72`, `\162` and `\n` in `${name@E}` stand for.
pub(super) fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        result.push_str(before);
        let (character, left) = escape(after);
        result.extend(character);
        rest = left;
    }
    result.push_str(rest);
    result
}

fn escape(after: &str) -> (Option<char>, &str) {
    let Some(first) = after.chars().next() else { return (Some('\\'), after) };
    let behind = after.get(first.len_utf8()..).unwrap_or("");
    let simple = |character| (Some(character), behind);
    match first {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'a' => simple('\x07'),
        'b' => simple('\x08'),
        'e' | 'E' => simple('\x1b'),
        'f' => simple('\x0c'),
        'v' => simple('\x0b'),
        '\\' | '\'' | '"' | '?' => simple(first),
        'x' => number(behind, 16, 2),
        'u' => number(behind, 16, 4),
        'U' => number(behind, 16, 8),
        '0'..='7' => number(after, 8, 3),
        _ => (Some('\\'), after),
    }
}

fn number(text: &str, radix: u32, most: usize) -> (Option<char>, &str) {
    let length =
        text.bytes().leading(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let (digits, rest) = text.split_at_checked(length).unwrap_or(("", text));
    (u32::from_str_radix(digits, radix).ok().and_then(char::from_u32), rest)
}

#[cfg(test)]
mod tests {
    use super::{has_running_subscript, unescaped};

    #[test]
    fn only_subscripts_of_names_run() {
        for (text, expected) in [
            ("a[$(x)]", true),
            ("1+a[b[`x`]]", true),
            ("[$(x)]", false),
            ("a[1]", false),
            ("$(x)", false),
        ] {
            assert_eq!(has_running_subscript(text), expected, "{text}");
        }
    }

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        for (text, expected) in
            [(r"\x72m\040-r", "rm -r"), (r"a\nb\\", "a\nb\\"), (r"\u0072", "r"), (r"\q\", r"\q\")]
        {
            assert_eq!(unescaped(text), expected, "{text}");
        }
    }
}
