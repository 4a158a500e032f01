//! Where a value begins and ends: signs between a name and its value, quotes and escapes, words, references. Owns how text is
//! delimited; which name a value belongs to, others say, and whether it is a secret, `value`.

use super::source::{Source, is_blank, is_name, is_quote};

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

/// Where the value starts after a name and its separator: `=`, `:`, `:=`, `=>`, `==`, with the quotes and brackets that
/// may close the name.
pub(super) fn separated(source: Source<'_>, name_end: usize) -> Option<usize> {
    let closed = source.skip(name_end, |byte| is_quote(byte) || matches!(byte, b'\\' | b']'));
    let separator = source.skip(closed, is_blank);
    let joined = matches!(source.at(separator), b'?' | b'+') && source.at(separator + 1) == b'=';
    let negated = usize::from(joined || matches!(source.at(separator), b'!' | b'~'));
    let sign = separator + negated;
    let end = sign
        + match (source.at(sign), source.at(sign + 1)) {
            (b':' | b'=', b'=') => 2,
            // `Token::new` is a path of a program.
            (b':', b':') => return None,
            (b':' | b'=', _) => 1,
            _ => return None,
        };
    // `token://…` is a URL, and read as one.
    if source.starts_with(end, b"//") {
        return None;
    }
    let end = end + usize::from(source.at(end) == b'>');
    let start = source.skip(end, is_blank);
    // `b"…"`, `r"…"` and `@"…"` are strings.
    let prefixed =
        matches!(source.at(start), b'b' | b'B' | b'r' | b'R' | b'u' | b'U' | b'L' | b'@')
            && matches!(source.at(start + 1), b'"' | b'\'');
    Some(start + usize::from(prefixed))
}

/// The most backslashes before a quote that are taken for text within text; more levels than a person writes.
const MAX_ESCAPES: usize = 7;

/// The value at `start`, in one piece or two, and its end.
pub(super) fn values_at(source: Source<'_>, start: usize) -> ([Option<Value>; 2], usize) {
    let escapes = source
        .slice(start, source.len().min(start + MAX_ESCAPES))
        .iter()
        .take_while(|byte| **byte == b'\\');
    let quote = start + escapes.count();
    let quoted = is_quote(source.at(quote)) && source.at(quote) != b'`';
    // `"""…"""` is a text of several lines.
    let thrice = [source.at(quote); 3];
    let (open, end) = if quoted && quote == start && source.starts_with(quote, &thrice) {
        let end = closing(source, quote + 3, &thrice);
        return (
            [
                Some(Value { start: quote + 3, end, quoted: true }).filter(|own| own.start < end),
                None,
            ],
            end,
        );
    } else if quoted {
        let opener = source.slice(start, quote + 1);
        (quote + 1, closing(source, quote + 1, opener))
    } else {
        (start, word_end(source, start))
    };
    if open == end || is_reference(source, open) {
        return ([None, None], open);
    }
    let value = Value { start: open, end, quoted };
    // `"a"'b'c` is one word of the shell; `"a".to_owned()` is none.
    let after = end + 1;
    let goes_on = (is_name(source.at(after)) && source.at(after) != b'.'
        || matches!(source.at(after), b'"' | b'\''))
        && !source.slice(open, end).contains(&b'\n');
    if open > start && quote == start && goes_on {
        let word = word_end(source, after);
        return ([Some(value), Some(Value { start: after, end: word, quoted: true })], word);
    }
    ([Some(value), None], end)
}

/// The index of the quote that closes what `opener` opened; the end of the text where none does.
pub(super) fn closing(source: Source<'_>, from: usize, opener: &[u8]) -> usize {
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

/// Whether a byte is one of an unquoted value whatever follows it.
fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)).copied().unwrap_or(false)
}

#[expect(clippy::indexing_slicing, reason = "runs when the program is built, over bytes")]
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let signs = b" \t\n\r;&|)}]<>$`,\\\"'";
    let mut at = 0;
    while at < signs.len() {
        plain[signs[at] as usize] = false;
        at += 1;
    }
    plain
};

/// The end of an unquoted value: a blank or a separator outside quotes.
pub(super) fn word_end(source: Source<'_>, from: usize) -> usize {
    let mut index = from;
    while index < source.len() {
        index = source.skip(index, is_plain);
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
/// A placeholder of ours is one too.
pub(super) fn is_reference(source: Source<'_>, start: usize) -> bool {
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
        (b'[', b'R') => placeholder(source, start).is_some_and(ends),
        _ => false,
    }
}

/// How what stands in a secret's place begins.
pub(super) const PLACED: &[u8] = b"[REDACTED:";

/// The end of `[REDACTED:type:fingerprint]` at `start`.
pub(super) fn placeholder(source: Source<'_>, start: usize) -> Option<usize> {
    const FINGERPRINT: usize = 12;
    if !source.starts_with(start, PLACED) {
        return None;
    }
    let kind = start + PLACED.len();
    let end = source.skip_at_most(kind, 40, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
    });
    let sum =
        source.skip_at_most(end + 1, FINGERPRINT, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (source.at(end) == b':' && end > kind && sum == end + 1 + FINGERPRINT && source.at(sum) == b']')
        .then_some(sum + 1)
}
