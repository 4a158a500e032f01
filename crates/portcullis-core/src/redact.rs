//! Takes secrets out of text before it is stored, shown or sent. Owns what is masked and how; it reports nothing, because
//! whoever needs a finding asks the secrets detector.
//!
//! It would rather mask a harmless word than let a secret through: what it cannot delimit, it masks to the end.

mod names;
mod shapes;

use std::borrow::Cow;

use names::is_secret_name;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Masking changes what stands around a mask, so it is repeated until nothing changes; text that still changes after
/// this many rounds was made to confuse us, and is masked whole.
const MAX_ROUNDS: usize = 8;

/// The text without the secrets in it, borrowed where there are none. Total, linear, and idempotent.
///
/// ```
/// use portcullis_core::redact::redact;
/// assert_eq!(redact("psql postgres://app:hunter2@db/app"), "psql postgres://app:***@db/app");
/// assert_eq!(redact("tool --max_tokens=500"), "tool --max_tokens=500");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        let Some(next) = masked_once(&current) else { return current };
        if next == *current {
            return current;
        }
        current = Cow::Owned(next);
    }
    Cow::Owned(MASK.to_owned())
}

/// Whether a text has the shape of a key or token that a service gives out, whatever it is called.
pub(crate) fn holds_token(text: &str) -> bool {
    let mut spans = Vec::new();
    shapes::tokens(Source { bytes: text.as_bytes() }, &mut spans);
    !spans.is_empty()
}

/// One round; `None` where there is nothing to mask.
fn masked_once(text: &str) -> Option<String> {
    let source = Source { bytes: text.as_bytes() };
    let mut spans = Vec::new();
    shapes::private_keys(source, &mut spans);
    shapes::tokens(source, &mut spans);
    shapes::urls(source, &mut spans);
    named_values(source, &mut spans);
    option_values(source, &mut spans);
    if spans.is_empty() {
        return None;
    }
    spans.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut index) = (0, 0);
    while let Some(&(start, mut end)) = spans.get(index) {
        index += 1;
        while let Some(&(_, later)) = spans.get(index).filter(|next| next.0 <= end) {
            end = end.max(later);
            index += 1;
        }
        // Every span starts and ends beside an ASCII byte; should one ever not, everything is masked.
        let Some(kept) = text.get(copied..start) else { return Some(MASK.to_owned()) };
        out.push_str(kept);
        out.push_str(MASK);
        copied = end;
    }
    let Some(rest) = text.get(copied..) else { return Some(MASK.to_owned()) };
    out.push_str(rest);
    Some(out)
}

type Spans = Vec<(usize, usize)>;

/// The bytes of a text; beyond its end there are zeros.
#[derive(Clone, Copy)]
struct Source<'a> {
    bytes: &'a [u8],
}

impl<'a> Source<'a> {
    fn at(self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    fn len(self) -> usize {
        self.bytes.len()
    }

    fn slice(self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn starts_with(self, index: usize, prefix: &[u8]) -> bool {
        self.bytes.get(index..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// The first index at or after `from` whose byte does not satisfy `inside`.
    fn skip(self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !inside(*byte)).unwrap_or(rest.len())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// `NAME=value`, `"name": "value"`, `name => value`, `<name>value<`, `--name value`, `NAME 'value'`, for secret names,
/// and what follows `Authorization:` and `Bearer`.
fn named_values(source: Source<'_>, spans: &mut Spans) {
    let mut index = 0;
    while index < source.len() {
        if !is_name(source.at(index)) {
            index += 1;
            continue;
        }
        let end = source.skip(index, is_name);
        // An escape in quoted text (`\nPASSWORD=`) would otherwise become a part of the name.
        let escaped = index > 0 && source.at(index - 1) == b'\\' && source.at(index) != b'-';
        let name = source.slice(index + usize::from(escaped && end - index > 1), end);
        let after = if name.eq_ignore_ascii_case(b"bearer") {
            bearer(source, end, spans)
        } else if is_credential_header(name) {
            header(source, end, spans)
        } else if is_secret_name(name) || (escaped && is_secret_name(source.slice(index, end))) {
            value_of(source, index, end, name, spans)
        } else {
            end
        };
        index = after.max(end);
    }
}

fn is_credential_header(name: &[u8]) -> bool {
    [&b"authorization"[..], b"proxy-authorization", b"cookie", b"set-cookie"]
        .iter()
        .any(|header| name.eq_ignore_ascii_case(header))
}

/// A header's value: all of the line, or of the quotes around it, but for the scheme.
fn header(source: Source<'_>, name_end: usize, spans: &mut Spans) -> usize {
    let Some(start) = separated(source, name_end) else { return name_end };
    let start = source.skip(start, |byte| is_quote(byte) || byte == b'\\');
    let word = source.skip(start, is_name);
    let scheme = source.at(word) == b' '
        && [&b"bearer"[..], b"basic", b"token", b"digest", b"apikey"]
            .iter()
            .any(|scheme| source.slice(start, word).eq_ignore_ascii_case(scheme));
    let start = if scheme { source.skip(word, is_blank) } else { start };
    if is_reference(source, start) {
        return start;
    }
    let end = source.skip(start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`'));
    if start < end {
        spans.push((start, end));
    }
    end
}

/// `Bearer` and something that is not a word.
fn bearer(source: Source<'_>, name_end: usize, spans: &mut Spans) -> usize {
    let start = source.skip(name_end, is_blank);
    let end = source.skip(start, |byte| is_name(byte) || matches!(byte, b'~' | b'+' | b'/' | b'='));
    let credential = source.slice(start, end);
    let like_a_word = credential.len() < 20 && !credential.iter().any(u8::is_ascii_digit);
    if start == name_end || credential.len() < 8 || like_a_word {
        return name_end;
    }
    spans.push((start, end));
    end
}

fn value_of(
    source: Source<'_>,
    name_start: usize,
    name_end: usize,
    name: &[u8],
    spans: &mut Spans,
) -> usize {
    if source.at(name_end) == b'>' && name_start > 0 && source.at(name_start - 1) == b'<' {
        let end = source.skip(name_end + 1, |byte| byte != b'<');
        spans.push((name_end + 1, end));
        return end;
    }
    let is_option = source.at(name_start) == b'-' && !names::is_switch(name);
    if let Some(start) = separated(source, name_end) {
        let working_directory = name.ends_with(b"PWD") && source.at(start) == b'/';
        if working_directory {
            return name_end;
        }
        let mut end = value(source, start, spans);
        // `password: str = "…"`: the first was a type.
        let equals = source.skip(end, is_blank);
        if source.at(equals) == b'=' && source.at(name_end) == b':' {
            end = value(source, source.skip(equals + 1, is_blank), spans);
        }
        return end;
    }
    let start = source.skip(name_end, is_blank);
    if start > name_end && is_set(source, name_start) {
        return value(source, start, spans);
    }
    let quoted = matches!(source.at(start), b'\'' | b'"') && source.at(name_end) != b'\\';
    if start > name_end && (quoted || (is_option && source.at(start) != b'-')) {
        return value(source, start, spans);
    }
    name_end
}

/// Whether a name stands where a shell's command sets a variable: `setx NAME value`, `setenv NAME value`,
/// `set -gx NAME value`.
fn is_set(source: Source<'_>, name_start: usize) -> bool {
    const LONGEST: usize = 24;
    let before = source.slice(name_start.saturating_sub(LONGEST), name_start);
    let mut words = before.split(|byte| !(is_name(*byte))).rev().filter(|word| !word.is_empty());
    match words.next() {
        Some(b"setx" | b"setenv") => true,
        Some(options) => options.starts_with(b"-") && words.next() == Some(b"set"),
        None => false,
    }
}

/// Where the value starts after a name and its separator: `=`, `:`, `:=`, `=>`, `==`, with the quotes and brackets that
/// may close the name.
fn separated(source: Source<'_>, name_end: usize) -> Option<usize> {
    let closed = source.skip(name_end, |byte| is_quote(byte) || matches!(byte, b'\\' | b']'));
    let separator = source.skip(closed, is_blank);
    let negated = usize::from(matches!(source.at(separator), b'!' | b'~'));
    let sign = separator + negated;
    let end = sign
        + match (source.at(sign), source.at(sign + 1)) {
            (b':' | b'=', b'=') => 2,
            (b':' | b'=', _) => 1,
            _ => return None,
        };
    // `token://…` is a URL, and read as one.
    if source.starts_with(end, b"//") {
        return None;
    }
    let end = end + usize::from(source.at(end) == b'>');
    Some(source.skip(end, is_blank))
}

/// The most backslashes before a quote that are taken for text within text; more levels than a person writes.
const MAX_ESCAPES: usize = 7;

/// Masks the value at `start` and gives its end.
fn value(source: Source<'_>, start: usize, spans: &mut Spans) -> usize {
    let escapes = source
        .slice(start, source.len().min(start + MAX_ESCAPES))
        .iter()
        .take_while(|byte| **byte == b'\\');
    let quote = start + escapes.count();
    let (open, end) = if is_quote(source.at(quote)) && source.at(quote) != b'`' {
        let opener = source.slice(start, quote + 1);
        (quote + 1, closing(source, quote + 1, opener))
    } else {
        (start, word_end(source, start))
    };
    if open == end || is_reference(source, open) {
        return open;
    }
    spans.push((open, end));
    // `"a"'b'c` is one word of the shell.
    let after = end + 1;
    let goes_on = is_name(source.at(after)) || matches!(source.at(after), b'"' | b'\'');
    if open > start && quote == start && goes_on {
        let word = word_end(source, after);
        spans.push((after, word));
        return word;
    }
    end
}

/// The index of the quote that closes what `opener` opened; the end of the text where none does.
fn closing(source: Source<'_>, from: usize, opener: &[u8]) -> usize {
    let quote = opener.last().copied().unwrap_or(0);
    let mut index = from;
    while index < source.len() {
        if opener.len() == 1 && quote == b'"' && source.at(index) == b'\\' {
            index += 2;
        } else if source.starts_with(index, opener) {
            return index;
        } else {
            index += 1;
        }
    }
    source.len()
}

/// The end of an unquoted value: a blank or a separator outside quotes.
fn word_end(source: Source<'_>, from: usize) -> usize {
    let mut index = from;
    while index < source.len() {
        let byte = source.at(index);
        let next = source.at(index + 1);
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b')' | b'}' | b']' | b'<'
            | b'>' => {
                return index;
            }
            b'$' if next == b'(' => return index,
            b'`' => return index,
            b',' if next == 0 || next.is_ascii_whitespace() || is_quote(next) => return index,
            b'\\' if is_quote(next) || matches!(next, b'n' | b'r' | b't') => return index,
            b'\\' => index += 2,
            b'"' | b'\'' => {
                let ends = next == 0
                    || next.is_ascii_whitespace()
                    || matches!(
                        next,
                        b';' | b'&' | b'|' | b')' | b',' | b'}' | b']' | b'"' | b'\''
                    );
                if ends {
                    return index;
                }
                index = closing(source, index + 1, &[byte]) + 1;
            }
            _ => index += 1,
        }
    }
    source.len()
}

/// Whether a value only says where the secret is: `$NAME`, `${NAME}`, `$(…)`, `` `…` ``. Masking those would hide what runs.
fn is_reference(source: Source<'_>, start: usize) -> bool {
    let is_variable = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let ends = |index: usize| {
        let byte = source.at(index);
        byte == 0 || byte.is_ascii_whitespace() || !(is_name(byte) || byte == b'$')
    };
    match (source.at(start), source.at(start + 1)) {
        (b'`', _) | (b'$', b'(') => true,
        (b'$', b'{') => {
            let end = source.skip(start + 2, is_variable);
            source.at(end) == b'}' && ends(end + 1)
        }
        (b'$', first) if is_variable(first) => {
            // `$6$…` is a password hash, not a variable.
            !first.is_ascii_digit() && ends(source.skip(start + 1, is_variable))
        }
        _ => false,
    }
}

/// The values of short options that carry passwords, for the programs that have them: `mysql -pSECRET`, `curl -u a:SECRET`.
fn option_values(source: Source<'_>, spans: &mut Spans) {
    let mut rows: &[names::SecretOption] = &[];
    let mut index = 0;
    while index < source.len() {
        let byte = source.at(index);
        if matches!(byte, b'\n' | b';' | b'|' | b'&' | b'(' | b')') {
            rows = &[];
        }
        if byte.is_ascii_whitespace()
            || matches!(byte, b';' | b'|' | b'&' | b'(' | b')' | b'"' | b'\'')
        {
            index += 1;
            continue;
        }
        let end = word_end(source, index).max(index + 1);
        let word = source.slice(index, end);
        let program = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let found = names::secret_options(program);
        if !found.is_empty() {
            rows = found;
        }
        let bundled = |row: &names::SecretOption| {
            row.user_before.is_some() && row.option.len() == 2 && is_bundle(word, row.option)
        };
        let named = |row: &names::SecretOption| word.starts_with(row.option.as_bytes());
        if let Some(row) = rows.iter().find(|row| named(row) || bundled(row)) {
            let attached = if named(row) { index + row.option.len() } else { end };
            let start = if attached < end {
                row.attached.then(|| attached + usize::from(source.at(attached) == b'='))
            } else {
                let next = source.skip(end, is_blank);
                (row.separate && next > end && source.at(next) != b'-').then_some(next)
            };
            if let Some(start) = start {
                index = option_value(source, start, row, spans).max(end);
                continue;
            }
        }
        index = end;
    }
}

/// Whether a word is several short options of which the last is `option`: `-su`.
fn is_bundle(word: &[u8], option: &str) -> bool {
    match word {
        [b'-', letters @ .., last] => {
            option.as_bytes().last() == Some(last) && letters.iter().all(u8::is_ascii_alphabetic)
        }
        _ => false,
    }
}

fn option_value(
    source: Source<'_>,
    start: usize,
    row: &names::SecretOption,
    spans: &mut Spans,
) -> usize {
    let Some(separator) = row.user_before else { return value(source, start, spans) };
    let mut own = Vec::new();
    let end = value(source, start, &mut own);
    for (open, close) in own {
        let joined = source.slice(open, close);
        let Some(user) = memchr::memchr(separator, joined) else { continue };
        let password = open + user + 1;
        if password < close && !is_reference(source, password) {
            spans.push((password, close));
        }
    }
    end
}

#[cfg(test)]
mod tests;
