//! How a script of Tcl is cut into commands and words, and what is put into them: variables, what commands in brackets give, escapes.
//! (tcl.tk, Tcl(n))

use portcullis_syntax::Span;

use super::Script;
use crate::{
    effect::{Argument, stands_for},
    text::Text,
};

/// One word of a command.
pub(super) struct Word<'c> {
    pub(super) argument: Argument,
    /// What stands between braces, as it was written.
    pub(super) braced: Option<&'c str>,
    /// `{*}`: a list whose parts are words.
    is_list: bool,
    /// Whether something that is not known was put into it from outside of the script.
    pub(super) is_put_in: bool,
}

impl Word<'_> {
    pub(super) fn known(&self) -> Option<&str> {
        self.argument.text.as_known()
    }

    /// The words that it comes to: the parts of a list that is put in, else itself.
    pub(super) fn expanded(&self) -> Vec<Argument> {
        match self.known() {
            Some(known) if self.is_list => {
                list(known, self.argument.span).into_iter().map(|word| word.argument).collect()
            }
            _ => vec![self.argument.clone()],
        }
    }
}

/// The words of the next command, none behind the last; moves behind it. An empty command has no words.
pub(super) fn command<'c>(
    script: &mut Script<'_, '_>,
    code: &'c str,
    at: &mut usize,
    around: Span,
) -> Option<Vec<Word<'c>>> {
    let rest = code.get(*at..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', ';', '\\']).len();
    *at += blank;
    let rest = code.get(*at..).filter(|rest| !rest.is_empty())?;
    if rest.starts_with('#') {
        *at += rest.find('\n').unwrap_or(rest.len());
        return Some(Vec::new());
    }
    let mut words = Vec::new();
    loop {
        let rest = code.get(*at..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        *at += blank;
        let rest = code.get(*at..).unwrap_or_default();
        if rest.starts_with("\\\n") {
            *at += 2;
            continue;
        }
        if rest.is_empty() || rest.starts_with(['\n', ';']) {
            return Some(words);
        }
        let start = *at;
        words.push(word(script, code, at, around));
        // Whatever it was, it goes on.
        if *at == start {
            *at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
}

fn word<'c>(script: &mut Script<'_, '_>, code: &'c str, at: &mut usize, around: Span) -> Word<'c> {
    let span = span_in(around, code, *at);
    let mut is_list = false;
    let mut rest = code.get(*at..).unwrap_or_default();
    if let Some(listed) = rest.strip_prefix("{*}")
        && !listed.starts_with([' ', '\n', '\t'])
    {
        is_list = true;
        *at += 3;
        rest = listed;
    }
    if rest.starts_with('{') {
        let inner = balanced(rest, '{', '}');
        *at += inner.len() + 2;
        let text = script.walk.disembed(inner);
        let is_put_in = has_placeholder(inner);
        return Word { argument: Argument { text, span }, braced: Some(inner), is_list, is_put_in };
    }
    let quoted = rest.starts_with('"');
    *at += usize::from(quoted);
    let start = *at;
    let text = substituted(script, code, at, around, quoted);
    let is_put_in = code.get(start..*at).is_some_and(has_placeholder);
    Word { argument: Argument { text, span }, braced: None, is_list, is_put_in }
}

fn has_placeholder(text: &str) -> bool {
    text.chars().any(|letter| stands_for(letter).is_some())
}

/// Where a part of a text stands, when that text is a part of the layer; else around all of it.
fn span_in(around: Span, code: &str, at: usize) -> Span {
    let range = around.range();
    match range.len() == code.len() {
        true => Span::new(range.start + at, range.end),
        false => around,
    }
}

/// A word, or what stands between quotes, with everything put in.
fn substituted(
    script: &mut Script<'_, '_>,
    code: &str,
    at: &mut usize,
    around: Span,
    quoted: bool,
) -> Text {
    let mut text = Text::default();
    let mut literal = String::new();
    while let Some(letter) = code.get(*at..).and_then(|rest| rest.chars().next()) {
        let rest = code.get(*at..).unwrap_or_default();
        match letter {
            '"' if quoted => {
                *at += 1;
                break;
            }
            ' ' | '\t' | '\n' | '\r' | ';' if !quoted => break,
            '\\' => {
                let (put, length) = escaped(rest);
                literal.push(put);
                *at += length;
            }
            '$' => {
                let (name, length) = variable(rest);
                *at += length;
                if name.is_empty() {
                    literal.push('$');
                    continue;
                }
                text.append(&script.walk.disembed(&std::mem::take(&mut literal)));
                text.append(&script.variable(name));
            }
            '[' => {
                let inner = balanced(rest, '[', ']');
                *at += (inner.len() + 2).min(rest.len());
                text.append(&script.walk.disembed(&std::mem::take(&mut literal)));
                text.append(&script.commands(inner, around));
            }
            other => {
                literal.push(other);
                *at += other.len_utf8();
            }
        }
    }
    text.append(&script.walk.disembed(&literal));
    text
}

/// A text with everything put in.
pub(super) fn put_in(script: &mut Script<'_, '_>, code: &str, around: Span) -> Text {
    let mut all = Text::default();
    let mut at = 0;
    while at < code.len() {
        let before = at;
        all.append(&substituted(script, code, &mut at, around, false));
        // What ends a word is text here.
        if let Some(letter) = code.get(at..).and_then(|rest| rest.chars().next()) {
            all.push_known(letter.encode_utf8(&mut [0; 4]));
            at += letter.len_utf8();
        }
        if at == before {
            break;
        }
    }
    all
}

/// What stands between a sign and the one that closes it, without them; all of the rest where nothing does.
fn balanced(rest: &str, open: char, close: char) -> &str {
    let mut depth = 0_usize;
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if letter == open => depth += 1,
            _ if letter == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return rest.get(open.len_utf8()..at).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    rest.get(open.len_utf8()..).unwrap_or_default()
}

/// The letter that an escape stands for, and how much of the text that is. A return ends a line as a key does.
fn escaped(rest: &str) -> (char, usize) {
    let Some(letter) = rest.chars().nth(1) else { return ('\\', 1) };
    let number = |digits: &str, radix: u32, skipped: usize| {
        let value = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        value.map(|value| (value, skipped + digits.len()))
    };
    let digits = |from: usize, most: usize, is_digit: fn(&u8) -> bool| {
        let bytes = rest.as_bytes().get(from..).unwrap_or_default();
        let count = bytes.iter().take_while(|byte| is_digit(byte)).count().min(most);
        rest.get(from..from + count).unwrap_or_default()
    };
    let found = match letter {
        'n' | 'r' => Some(('\n', 2)),
        't' => Some(('\t', 2)),
        '\n' => Some((' ', 2)),
        'x' => number(digits(2, 2, u8::is_ascii_hexdigit), 16, 2),
        'u' => number(digits(2, 4, u8::is_ascii_hexdigit), 16, 2),
        '0'..='7' => number(digits(1, 3, |byte| matches!(byte, b'0'..=b'7')), 8, 1),
        _ => None,
    };
    found.unwrap_or((letter, 1 + letter.len_utf8()))
}

/// The name behind `$`, and how much of the text that is with the sign.
fn variable(rest: &str) -> (&str, usize) {
    let behind = rest.get(1..).unwrap_or_default();
    if let Some(braced) = behind.strip_prefix('{') {
        let name = braced.split('}').next().unwrap_or_default();
        return (name, (name.len() + 3).min(rest.len()));
    }
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let end = behind.find(|letter| !is_of_name(letter)).unwrap_or(behind.len());
    let index = behind.get(end..).filter(|rest| rest.starts_with('('));
    let end = index.and_then(|rest| rest.find(')')).map_or(end, |close| end + close + 1);
    let name = behind.get(..end).unwrap_or_default();
    (name, 1 + name.len())
}

/// The parts of a list, with nothing put in.
pub(super) fn list(text: &str, span: Span) -> Vec<Word<'_>> {
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        let rest = text.get(at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else { return parts };
        let (inner, length, braced) = match first {
            '{' => {
                let inner = balanced(rest, '{', '}');
                (inner, inner.len() + 2, Some(inner))
            }
            '"' => {
                let behind = rest.get(1..).unwrap_or_default();
                let inner = behind.split('"').next().unwrap_or_default();
                (inner, inner.len() + 2, None)
            }
            _ => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (rest.get(..end).unwrap_or_default(), end, None)
            }
        };
        at += length;
        let argument = Argument { text: Text::known(inner), span };
        let is_put_in = has_placeholder(inner);
        parts.push(Word { argument, braced, is_list: false, is_put_in });
    }
}
