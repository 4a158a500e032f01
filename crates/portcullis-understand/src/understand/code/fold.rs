//! Strings that code computes from strings. Owns what is computed and how; it knows no language and emits nothing.

use crate::bound::Bounded;
use data_encoding::{BASE32, BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE, HEXUPPER};

use super::value::{Given, Value, mixed};
use crate::{
    percent,
    text::{KNOWN_BYTES, Piece, Taint, Text},
};

/// A computation on values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fold {
    /// The first argument as it is.
    Same,
    /// One text of all that is in it, which is not known word by word: the body of a form.
    Written,
    /// base64.
    Base64,
    /// base32.
    Base32,
    /// Hexadecimal.
    Hex,
    /// A text from a codec named by the next argument.
    Codec,
    /// Percent escapes.
    Percent,
    /// rot13.
    Rot13,
    /// The reverse.
    Reverse,
    /// Characters from their numbers.
    Characters,
    /// One path of several parts.
    JoinPath,
    /// The same where each part goes on, however it begins: `path.join` of Node.
    JoinParts,
    /// The arguments one after the other.
    Concatenate,
    /// `printf`.
    Format,
    /// A separator and a list, either first.
    Join,
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
    /// Without blanks at the ends.
    Trim,
    /// Something decoded that we do not follow.
    Decoded,
    /// A list of the arguments.
    List,
    /// The number of a character.
    Ordinal,
    /// A text in the quotes of a shell.
    Quoted,
    /// A function over a list.
    Map,
    /// The words of a command, as a shell tells them apart.
    Words,
}

/// Computes; the receiver of a method is the first argument.
pub(super) fn fold(kind: Fold, given: &[Given]) -> Value {
    // A path may begin at one of several places: `join(environ.get("ROOT", "/"), "cache")`.
    if matches!(kind, Fold::JoinPath | Fold::JoinParts)
        && let Some(at) = given.iter().position(|it| matches!(it.value, Value::Any(_)))
        && let Some(several) = given.get(at).map(|it| it.value.clone())
    {
        let one = |value: Value| {
            let own = given.iter().enumerate();
            let own = own.map(|(place, it)| match place == at {
                true => Given { value: value.clone(), ..it.clone() },
                false => Given { value: Value::Text(it.value.text()), ..it.clone() },
            });
            let own: Vec<Given> = own.collect();
            if kind == Fold::JoinParts { join_parts(&own) } else { join_path(&own) }
        };
        let all = several.alternatives().into_iter().map(one).reduce(Value::or);
        return all.unwrap_or_else(|| Value::unknown("a path"));
    }
    let first = given.first().map(|given| &given.value);
    let known = first.and_then(Value::as_known);
    let result = match kind {
        Fold::Same => return first.cloned().unwrap_or_else(|| Value::known("")),
        Fold::Written => return Value::Text(first.map(Value::text).unwrap_or_default()),
        Fold::Base64 => known.and_then(base64),
        Fold::Base32 => {
            known.and_then(|text| BASE32.decode(text.trim().as_bytes()).ok()).map(latin)
        }
        Fold::Hex => known.and_then(hex),
        Fold::Codec => {
            let codec = given.get(1).and_then(|given| given.value.as_known()).unwrap_or("utf-8");
            let codec = codec.to_ascii_lowercase().replace(['-', '_'], "");
            return match codec.as_str() {
                "base64" | "base64codec" | "base64url" => fold(Fold::Base64, given),
                "hex" | "hexcodec" => fold(Fold::Hex, given),
                "rot13" => fold(Fold::Rot13, given),
                "zlib" | "bz2" | "zip" => fold(Fold::Decoded, given),
                "unicodeescape" | "rawunicodeescape" => match known.and_then(escapes) {
                    Some(text) => decoded(text, given),
                    None => Value::Text(mixed("decoded text", given.iter().map(|g| &g.value))),
                },
                _ => fold(Fold::Same, given),
            };
        }
        Fold::Percent => known.map(|known| latin(percent::decoded(known))),
        Fold::Rot13 => known.map(rot13),
        Fold::Decoded => None,
        Fold::Reverse => match first {
            Some(Value::List(list)) => return Value::List(list.iter().rev().cloned().collect()),
            Some(Value::Text(text)) => match text.as_known() {
                Some(known) => return decoded(known.chars().rev().collect(), given),
                None => return Value::Text(mixed("a text from behind", first)),
            },
            // In another order it is of the same.
            Some(other) => return other.clone(),
            None => None,
        },
        Fold::Characters => {
            let mut text = String::new();
            let numbers: Vec<&Value> = match first {
                Some(Value::List(list)) => list.iter().collect(),
                _ => given.iter().map(|given| &given.value).collect(),
            };
            for number in &numbers {
                match character(number) {
                    Some(character) => text.push(character),
                    None => return Value::Text(mixed("a character", numbers)),
                }
            }
            return decoded(text, given);
        }
        Fold::JoinPath => return join_path(given),
        Fold::JoinParts => return join_parts(given),
        Fold::Concatenate => {
            let mut text = Text::default();
            for given in given {
                match &given.value {
                    Value::List(list) => list.iter().for_each(|value| text.append(&value.text())),
                    value => text.append(&value.text()),
                }
            }
            return Value::Text(text);
        }
        Fold::Format => return format(given),
        Fold::Join => return join(given),
        Fold::Lower => return each(given, |text| text.to_lowercase()),
        Fold::Upper => return each(given, |text| text.to_uppercase()),
        Fold::Trim => match first {
            Some(Value::Text(text)) if text.has_unknown() => return Value::Text(trimmed(text)),
            _ => return each(given, |text| text.trim().to_owned()),
        },
        Fold::List => return Value::List(given.iter().map(|given| given.value.clone()).collect()),
        Fold::Ordinal => {
            return match known.and_then(|text| text.chars().next()) {
                Some(character) => Value::Number(i64::from(u32::from(character))),
                None => Value::Text(mixed("a number", given.iter().map(|g| &g.value))),
            };
        }
        Fold::Quoted => {
            return each(given, |text| {
                let is_plain =
                    |byte: u8| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(&byte);
                match text {
                    text if !text.is_empty() && text.bytes().all(is_plain) => text.to_owned(),
                    text => format!("'{}'", text.replace('\'', "'\"'\"'")),
                }
            });
        }
        Fold::Map => return map(given),
        Fold::Words => {
            let text = first.map(Value::text).unwrap_or_default();
            return Value::List(words(&text, true).into_iter().map(Value::Text).collect());
        }
    };
    match result {
        Some(text) => decoded(text, given),
        None => {
            let mut text = mixed("decoded text", given.iter().map(|given| &given.value));
            text.taint = text.taint.with(Taint::DECODED);
            Value::Text(text)
        }
    }
}

/// A known text that came out of a decoder.
fn decoded(text: String, given: &[Given]) -> Value {
    let mut result = Text::known(text);
    for given in given {
        given.value.inherit_into(&mut result);
    }
    result.taint = result.taint.with(Taint::DECODED);
    Value::Text(result)
}

/// A half-known text without the blanks at its ends.
fn trimmed(text: &Text) -> Text {
    let last = text.pieces.len().saturating_sub(1);
    let pieces = text.pieces.iter().enumerate().map(|(at, piece)| match piece {
        Piece::Known(known) => {
            let known = if at == 0 { known.trim_start() } else { known };
            Piece::Known(if at == last { known.trim_end() } else { known }.to_owned())
        }
        other => other.clone(),
    });
    text.derive(pieces.collect::<Vec<_>>())
}

fn each(given: &[Given], change: impl Fn(&str) -> String) -> Value {
    match given.first().map(|given| &given.value) {
        Some(Value::Text(text)) => match text.as_known() {
            Some(known) => {
                let mut changed = Text::known(change(known));
                changed.inherit(text);
                Value::Text(changed)
            }
            None => {
                // What is known of it changes, as far as it is in letters.
                let pieces = text.pieces.iter().map(|piece| match piece {
                    Piece::Known(known) => Piece::Known(change(known)),
                    other => other.clone(),
                });
                Value::Text(text.derive(pieces.collect::<Vec<_>>()))
            }
        },
        Some(other) => other.clone(),
        None => Value::known(""),
    }
}

/// Base64 of any flavour, blanks ignored.
pub(super) fn base64(text: &str) -> Option<String> {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bare: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'=').collect();
    BASE64
        .decode(&bytes)
        .or_else(|_| BASE64_NOPAD.decode(&bare))
        .or_else(|_| BASE64URL_NOPAD.decode(&bare))
        .ok()
        .map(latin)
}

fn hex(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    HEXLOWER_PERMISSIVE
        .decode(digits.as_bytes())
        .or_else(|_| HEXUPPER.decode(digits.as_bytes()))
        .ok()
        .map(latin)
}

/// Bytes as text: UTF-8 where they are, one character for each byte elsewhere.
fn latin(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

fn rot13(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            'a'..='m' | 'A'..='M' => char::from_u32(u32::from(character) + 13).unwrap_or(character),
            'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(character) - 13).unwrap_or(character),
            other => other,
        })
        .collect()
}

fn escapes(text: &str) -> Option<String> {
    let quoted = format!("'{}'", text.replace('\'', "\\'"));
    let dialect = portcullis_syntax::code::dialect("python");
    let token = portcullis_syntax::code::tokens(&quoted, dialect).list.into_iter().next()?;
    match token.kind {
        portcullis_syntax::code::TokenKind::Text(parts) => match parts.first() {
            Some(portcullis_syntax::code::TextPart::Literal(text)) => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}

fn character(value: &Value) -> Option<char> {
    let number = match value {
        Value::Number(number) => *number,
        Value::Text(text) => {
            let text = text.as_known()?;
            match text.parse() {
                Ok(number) => number,
                Err(_) if text.chars().count() == 1 => return text.chars().next(),
                Err(_) => return None,
            }
        }
        _ => return None,
    };
    u32::try_from(number).ok().and_then(char::from_u32)
}

fn join_path(given: &[Given]) -> Value {
    let mut path = Text::default();
    for part in given.iter().filter(|part| part.name.is_none()) {
        append_path(&mut path, &part.value.text());
    }
    Value::Text(path)
}

fn join_parts(given: &[Given]) -> Value {
    let mut path = Text::default();
    for part in given.iter().filter(|part| part.name.is_none()) {
        match below(&path, &part.value.text()) {
            Some(part) => append_path(&mut path, &part),
            None => append_path(&mut path, &part.value.text()),
        }
    }
    Value::Text(path)
}

/// What an absolute part adds to a path that is known. The names found in a directory begin with it here, and are no more than names where
/// they are put behind another one.
fn below(path: &Text, part: &Text) -> Option<Text> {
    let before = path.as_known().filter(|known| !known.is_empty())?;
    let (first, rest) = part.pieces.split_first()?;
    let Piece::Known(first) = first else { return None };
    let first = first.strip_prefix('/')?;
    let is_found = rest.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    if is_found && before.trim_matches('/') == first.trim_end_matches('/') {
        return None;
    }
    let begin = (!is_found).then(|| Piece::Known(first.trim_start_matches('/').to_owned()));
    Some(part.derive(begin.into_iter().chain(rest.iter().cloned())))
}

/// Adds a part to a path; an absolute part starts it anew.
pub(super) fn append_path(path: &mut Text, part: &Text) {
    if part.known_prefix().starts_with('/') {
        let mut fresh = part.clone();
        fresh.inherit(path);
        *path = fresh;
        return;
    }
    let ends = path.as_known().is_some_and(|known| known.ends_with('/'))
        || matches!(path.pieces.last(), Some(Piece::Known(text)) if text.ends_with('/'));
    if !path.is_empty() && path.as_known() != Some("") && !ends {
        path.push_known("/");
    }
    path.append(part);
}

fn join(given: &[Given]) -> Value {
    let values: Vec<&Value> = given.iter().map(|given| &given.value).collect();
    let (separator, list) = match values.as_slice() {
        [Value::List(list), separator, ..] | [separator, Value::List(list), ..] => {
            (separator.text(), list.as_slice())
        }
        [Value::List(list)] => (Text::default(), list.as_slice()),
        [Value::Text(separator), Value::Text(text)] if !text.has_unknown() => {
            let mut result = Text::default();
            for (index, character) in text.as_known().unwrap_or_default().chars().enumerate() {
                if index > 0 {
                    result.append(separator);
                }
                let mut buffer = [0; 4];
                result.push_known(character.encode_utf8(&mut buffer));
            }
            result.inherit(text);
            return Value::Text(result);
        }
        [separator, rest @ ..] if !rest.is_empty() => {
            return Value::Text(mixed("joined text", rest.iter().copied().chain([*separator])));
        }
        _ => return Value::Text(mixed("joined text", values)),
    };
    let mut result = Text::default();
    for (index, value) in list.iter().enumerate() {
        if index > 0 {
            result.append(&separator);
        }
        result.append(&value.text());
    }
    Value::Text(result)
}

/// `%s`, `%d`, `%c`, `%x`.
pub(super) fn format(given: &[Given]) -> Value {
    let Some(pattern) = given.first().map(|given| given.value.text()) else {
        return Value::known("");
    };
    let mut values = given.iter().skip(1).flat_map(|given| match &given.value {
        Value::List(list) => list.clone(),
        value => vec![value.clone()],
    });
    let Some(known) = pattern.as_known() else {
        let rest: Vec<Value> = values.collect();
        let mut text = mixed("formatted text", &rest);
        text.inherit(&pattern);
        return Value::Text(text);
    };
    let mut result = pattern.derive([]);
    let mut rest = known;
    while let Some((before, after)) = rest.split_once('%') {
        result.push_known(before);
        let named = after.strip_prefix('(').and_then(|named| named.split_once(')'));
        let (name, after) = named.map_or((None, after), |(name, after)| (Some(name), after));
        let flags = after.bytes().take_while(|byte| b"-+ #0123456789.lh".contains(byte)).count();
        let after = after.get(flags..).unwrap_or_default();
        let Some(letter) = after.chars().next() else { break };
        rest = after.get(letter.len_utf8()..).unwrap_or_default();
        if letter == '%' {
            result.push_known("%");
            continue;
        }
        let value = match name {
            Some(name) => given.iter().find_map(|given| given.value.entry(name).cloned()),
            None => values.next(),
        };
        let Some(value) = value else {
            result.append(&Text::unknown("a value"));
            continue;
        };
        match letter {
            'c' => match character(&value) {
                Some(character) => {
                    let mut buffer = [0; 4];
                    result.push_known(character.encode_utf8(&mut buffer));
                    result.taint = result.taint.with(Taint::DECODED);
                }
                None => result.append(&value.text()),
            },
            'x' | 'X' => match value {
                Value::Number(number) => result.push_known(&format!("{number:x}")),
                value => result.append(&value.text()),
            },
            _ => result.append(&value.text()),
        }
    }
    result.push_known(rest);
    Value::Text(result)
}

/// `'…{}…{name}'.format(…)`.
pub(super) fn format_braces(pattern: &Text, given: &[Given]) -> Value {
    let Some(known) = pattern.as_known() else {
        let mut text = mixed("formatted text", given.iter().map(|given| &given.value));
        text.inherit(pattern);
        return Value::Text(text);
    };
    let mut result = pattern.derive([]);
    let mut rest = known;
    let mut next = 0;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        result.push_known(before);
        let doubled = after.starts_with("{{") || after.starts_with("}}");
        if doubled || after.starts_with('}') {
            result.push_known(after.get(..1).unwrap_or_default());
            rest = after.get(if doubled { 2 } else { 1 }..).unwrap_or_default();
            continue;
        }
        let Some((field, after)) = after.get(1..).and_then(|after| after.split_once('}')) else {
            break;
        };
        rest = after;
        let name = field.split([':', '!']).next().unwrap_or_default().trim();
        let value = if name.is_empty() {
            next += 1;
            given.get(next - 1)
        } else if let Ok(index) = name.parse::<usize>() {
            given.get(index)
        } else {
            given.iter().find(|given| given.name.as_deref() == Some(name))
        };
        match value {
            Some(given) => result.append(&given.value.text()),
            None => result.append(&Text::unknown(name)),
        }
    }
    result.push_known(rest);
    Value::Text(result)
}

fn map(given: &[Given]) -> Value {
    let [function, list, ..] = given else {
        return Value::Text(mixed("a list", given.iter().map(|given| &given.value)));
    };
    let elements: Vec<Value> = match &list.value {
        Value::List(list) => list.clone(),
        Value::Text(text) if !text.has_unknown() => {
            let known = text.as_known().unwrap_or_default();
            known.chars().map(|character| Value::known(&character.to_string())).collect()
        }
        _ => return Value::Text(mixed("a list", given.iter().map(|given| &given.value))),
    };
    let kind = match &function.value {
        Value::Name(path, _) => match path.as_ref() {
            "chr" => Fold::Characters,
            "ord" => Fold::Ordinal,
            "str" | "int" => Fold::Same,
            _ => return Value::List(elements),
        },
        _ => return Value::List(elements),
    };
    Value::List(
        elements
            .into_iter()
            .map(|value| fold(kind, &[Given { name: None, value, span: list.span }]))
            .collect(),
    )
}

/// `text * times`, as far as it is kept.
pub(super) fn repeat(text: &Text, times: i64) -> Text {
    let Ok(times) = usize::try_from(times) else { return text.derive([]) };
    match text.as_known() {
        Some(known) if known.len().saturating_mul(times) <= KNOWN_BYTES => {
            let mut result = Text::known(known.repeat(times));
            result.inherit(text);
            result
        }
        _ => text.clone(),
    }
}

/// `text[start:end:step]` with the step of one or minus one.
pub(super) fn slice(text: &Text, start: Option<i64>, end: Option<i64>, backwards: bool) -> Text {
    let Some(known) = text.as_known() else { return text.clone() };
    let length = i64::try_from(known.chars().count()).unwrap_or(i64::MAX);
    let clamp = |index: i64| {
        let index = if index < 0 { index.saturating_add(length) } else { index };
        usize::try_from(index.clamp(0, length)).unwrap_or(0)
    };
    let mut result = if backwards && start.is_none() && end.is_none() {
        let mut result = Text::known(known.chars().rev().collect::<String>());
        result.taint = Taint::DECODED;
        result
    } else {
        let (start, end) = (clamp(start.unwrap_or(0)), clamp(end.unwrap_or(length)));
        Text::known(
            known.chars().skip(start).leading(end.saturating_sub(start)).collect::<String>(),
        )
    };
    result.inherit(text);
    result
}
/// The words of a text, with quotes obeyed or as they stand. What is not known is part of the word in which it stands.
pub(super) fn words(text: &Text, quotes: bool) -> Vec<Text> {
    let mut words = Vec::new();
    let mut word: Option<Text> = None;
    let mut quote: Option<char> = None;
    for piece in &text.pieces {
        let Piece::Known(known) = piece else {
            word.get_or_insert_with(|| text.derive([])).push(piece.clone());
            continue;
        };
        let mut letters = known.chars();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (None, '\'' | '"') if quotes => {
                    quote = Some(letter);
                    word.get_or_insert_with(|| text.derive([]));
                }
                (None, _) if letter.is_whitespace() => words.extend(word.take()),
                _ => {
                    let escapes = quotes && letter == '\\' && quote != Some('\'');
                    let letter = if escapes { letters.next().unwrap_or(letter) } else { letter };
                    let word = word.get_or_insert_with(|| text.derive([]));
                    word.push_known(letter.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }
    words.extend(word);
    words
}
