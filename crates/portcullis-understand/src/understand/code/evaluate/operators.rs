//! Operators: what they make of values that are known, and that nothing is known of what they make of others.

use portcullis_syntax::{
    Span,
    tree::{Expression, ExpressionKind},
};

use super::{
    Evaluator,
    expressions::type_name,
    statements::truth,
    value::{Object, Value, join, number, unknown_of},
};
use crate::{
    bound::Bounded,
    text::{KNOWN_BYTES, Piece, Taint, Text},
};

/// How many numbers a range is written out to.
const RANGE: usize = 1024;

impl Evaluator<'_, '_> {
    pub(super) fn operator(&mut self, name: &str, operands: &[Expression], span: Span) -> Value {
        match operands {
            [operand] => {
                let value = self.expression(operand);
                self.unary(name, &value, operand, span)
            }
            [first, rest @ ..] => {
                let mut value = self.expression(first);
                for operand in rest {
                    let right = self.expression(operand);
                    value = self.operate(name, &value, &right, span);
                    self.state.copied += super::state::weight(&value);
                    self.count();
                }
                value
            }
            [] => Value::unknown(name),
        }
    }

    fn unary(&mut self, name: &str, value: &Value, operand: &Expression, span: Span) -> Value {
        match name {
            "not" => match truth(value) {
                Some(truth) => of_truth(!truth),
                None => self.unknown_from("a condition", &[value]),
            },
            "list" => Value::List([value.clone()].into()),
            "array" => Value::List(value.elements().into()),
            "join" => {
                let texts: Vec<Text> =
                    value.elements().iter().map(|element| self.text(element)).collect();
                Value::Text(join(texts, ""))
            }
            "split" => {
                let text = self.text(value);
                split(&text, None)
            }
            "minus" => match value.as_number() {
                Some(number) => Value::known(number.wrapping_neg().to_string()),
                None => self.unknown_from("a number", &[value]),
            },
            "number" => value.clone(),
            "increment" | "decrement" => {
                let step = if name == "increment" { 1 } else { -1 };
                let after = match value {
                    Value::Nothing => Value::known(step.to_string()),
                    _ => match value.as_number().and_then(|number| number.checked_add(step)) {
                        Some(number) => Value::known(number.to_string()),
                        None => self.unknown_from("a number", &[value]),
                    },
                };
                if let ExpressionKind::Variable(name) = &operand.kind {
                    self.set_variable(name, vec![after], span);
                }
                value.clone()
            }
            _ => self.unknown_from(name, &[value]),
        }
    }

    /// What is not known of something made of values.
    pub(super) fn unknown_from(&self, what: &str, values: &[&Value]) -> Value {
        let mut text = Text::unknown(what);
        for value in values {
            text.inherit(&self.text(value));
        }
        Value::Text(text)
    }

    /// What an operator makes of two values.
    pub(super) fn operate(&mut self, name: &str, left: &Value, right: &Value, span: Span) -> Value {
        match name {
            "+" => self.plus(left, right),
            "-" | "*" | "/" | "%" => self.calculate(name, left, right),
            "range" => self.range(left, right),
            "f" => self.format(left, right),
            "join" => {
                let between = self.text(right);
                let texts: Vec<Text> =
                    left.elements().iter().map(|element| self.text(element)).collect();
                let mut joined = Text::default();
                for (index, text) in texts.iter().enumerate() {
                    if index > 0 {
                        joined.append(&between);
                    }
                    joined.append(text);
                }
                Value::Text(joined)
            }
            "split" => {
                let text = self.text(left);
                let by = self.text(right.elements().first().unwrap_or(&Value::Nothing));
                split(&text, Some(&by))
            }
            "replace" => {
                let parts = right.elements();
                let from = self.text(parts.first().unwrap_or(&Value::Nothing));
                let to = self.text(parts.get(1).unwrap_or(&Value::Nothing));
                let texts = left.elements();
                let replaced = texts
                    .iter()
                    .map(|element| Value::Text(replace(&self.text(element), &from, &to)));
                Value::of(replaced.collect())
            }
            "eq" | "ne" if !matches!(left, Value::List(_)) => {
                let (left, right) = (self.text(left), self.text(right));
                match (left.as_known(), right.as_known()) {
                    (Some(left), Some(right)) => {
                        of_truth(left.eq_ignore_ascii_case(right) == (name == "eq"))
                    }
                    _ => Value::unknown("a condition"),
                }
            }
            "lt" | "le" | "gt" | "ge" => match (left.as_number(), right.as_number()) {
                (Some(left), Some(right)) => of_truth(match name {
                    "lt" => left < right,
                    "le" => left <= right,
                    "gt" => left > right,
                    _ => left >= right,
                }),
                _ => Value::unknown("a condition"),
            },
            "as" => match right {
                Value::Type(class) => self.convert(&class.clone(), left, span),
                _ => left.clone(),
            },
            // Of a list, those that it holds of.
            "eq" | "ne" | "like" | "notlike" | "match" | "notmatch"
                if matches!(left, Value::List(_)) =>
            {
                left.clone()
            }
            "otherwise" => match left {
                Value::Nothing => right.clone(),
                Value::Text(text) if text.as_known().is_none() => {
                    self.one_of("otherwise", span, vec![left.clone(), right.clone()])
                }
                _ => left.clone(),
            },
            "choose" => right.clone(),
            "either" => self.one_of("either", span, vec![left.clone(), right.clone()]),
            "bxor" | "band" | "bor" | "shl" | "shr" => {
                match (left.as_number(), right.as_number()) {
                    (Some(left), Some(right)) => {
                        let shift = u32::try_from(right).unwrap_or(64);
                        let value = match name {
                            "bxor" => left ^ right,
                            "band" => left & right,
                            "bor" => left | right,
                            "shl" => left.checked_shl(shift).unwrap_or(0),
                            _ => left.checked_shr(shift).unwrap_or(0),
                        };
                        Value::known(value.to_string())
                    }
                    _ => {
                        let value = self.unknown_from("decoded", &[left, right]);
                        match value {
                            Value::Text(text) => {
                                Value::Text(super::value::with_taint(text, Taint::DECODED))
                            }
                            other => other,
                        }
                    }
                }
            }
            "slice" => self.slice(left, right),
            "substitute" => {
                let how = self.text(right);
                let text = self.text(left);
                match how.as_known().and_then(|how| how.split_once('=')) {
                    Some((from, to)) if !from.starts_with('*') && !from.is_empty() => {
                        match text.as_known() {
                            Some(known) => Value::Text(
                                text.derive([Piece::Known(replace_all(known, from, to))]),
                            ),
                            None => Value::Text(unknown_of(&text, "replaced")),
                        }
                    }
                    _ => Value::Text(unknown_of(&text, "replaced")),
                }
            }
            "and" | "or" | "xor" => Value::unknown("a condition"),
            _ => self.unknown_from("a condition", &[left, right]),
        }
    }

    /// `%name:~from,count%`
    fn slice(&mut self, left: &Value, right: &Value) -> Value {
        let text = self.text(left);
        let how = self.text(right).display();
        let (from, count) = match how.split_once(',') {
            Some((from, count)) => (number(from), Some(number(count))),
            None => (number(&how), None),
        };
        let (Some(known), Some(from)) = (text.as_known(), from) else {
            return Value::Text(unknown_of(&text, "a part"));
        };
        let letters: Vec<char> = known.chars().collect();
        let length = i64::try_from(letters.len()).unwrap_or(i64::MAX);
        let start = if from < 0 { (length + from).max(0) } else { from.min(length) };
        let end = match count {
            None => length,
            Some(Some(count)) if count < 0 => (length + count).max(start),
            Some(Some(count)) => (start + count).min(length),
            Some(None) => return Value::Text(unknown_of(&text, "a part")),
        };
        let (start, end) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
        let part: String = letters.get(start..end).unwrap_or_default().iter().collect();
        Value::Text(text.derive([Piece::Known(part)]))
    }

    fn plus(&mut self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Nothing, right) => right.clone(),
            (Value::List(first), right) => {
                let mut all = first.to_vec();
                all.extend(right.elements());
                if all.len() > KNOWN_BYTES {
                    self.state.is_cut = true;
                    return self.unknown_from("a list", &[left]);
                }
                Value::List(all.into())
            }
            (Value::Object(first), Value::Object(second)) => {
                let mut both = self.state.objects.get(*first).cloned().unwrap_or_default();
                if let Some(second) = self.state.objects.get(*second) {
                    both.entries.extend(second.entries.iter().cloned());
                }
                self.object(both)
            }
            _ => {
                if let (Some(left), Some(right)) = (left.as_number(), right.as_number())
                    && let Some(sum) = left.checked_add(right)
                {
                    return Value::known(sum.to_string());
                }
                let mut whole = self.text(left);
                whole.append(&self.text(right));
                Value::Text(whole)
            }
        }
    }

    fn calculate(&mut self, name: &str, left: &Value, right: &Value) -> Value {
        let known = match (left.as_number(), right.as_number()) {
            (Some(left), Some(right)) => match name {
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => {
                    left.checked_rem(right).filter(|rest| *rest == 0).and(left.checked_div(right))
                }
                _ => left.checked_rem(right),
            },
            _ => None,
        };
        if let Some(known) = known {
            return Value::known(known.to_string());
        }
        // A text so many times.
        if name == "*"
            && let Some(count) = right.as_number().and_then(|count| usize::try_from(count).ok())
            && let Some(text) = left.as_known()
            && text.len().saturating_mul(count) <= KNOWN_BYTES
        {
            return Value::known(text.repeat(count));
        }
        self.unknown_from("a number", &[left, right])
    }

    fn range(&mut self, left: &Value, right: &Value) -> Value {
        let (Some(first), Some(last)) = (left.as_number(), right.as_number()) else {
            return self.unknown_from("a range", &[left, right]);
        };
        let count = first.abs_diff(last);
        if count as usize >= RANGE {
            return Value::unknown(super::powershell::MANY);
        }
        let numbers: Vec<Value> = if first <= last {
            (first..=last).map(|number| Value::known(number.to_string())).collect()
        } else {
            (last..=first).rev().map(|number| Value::known(number.to_string())).collect()
        };
        Value::List(numbers.into())
    }

    /// `'{1}{0}' -f 'a', 'b'`
    fn format(&mut self, left: &Value, right: &Value) -> Value {
        let pattern = self.text(left);
        let values = right.elements();
        let Some(known) = pattern.as_known() else {
            return self.unknown_from("a text", &[left, right]);
        };
        let mut text = Text::default();
        let mut rest = known;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_known(rest.get(..at).unwrap_or(""));
            let mark = rest.get(at..at + 1).unwrap_or("");
            rest = rest.get(at + 1..).unwrap_or("");
            if rest.starts_with(mark) {
                text.push_known(mark);
                rest = rest.get(1..).unwrap_or("");
                continue;
            }
            let Some((inner, after)) = rest.split_once('}').filter(|_| mark == "{") else {
                text.push_known(mark);
                continue;
            };
            rest = after;
            let digits = inner.split([',', ':']).next().unwrap_or("").trim();
            let value = digits.parse::<usize>().ok().and_then(|at| values.get(at));
            match value {
                Some(value) if inner == digits => text.append(&self.text(value)),
                Some(value) => {
                    let shown = self.text(value);
                    match (inner.split_once(':'), value.as_number()) {
                        (Some((_, form)), Some(number)) if form.eq_ignore_ascii_case("x2") => {
                            text.push_known(&format!("{number:02x}"));
                        }
                        _ => text.append(&unknown_of(&shown, "formatted")),
                    }
                }
                None => text.push(Piece::Unknown("missing".into())),
            }
        }
        text.push_known(rest);
        Value::Text(text)
    }

    /// A value as one of a type.
    pub(super) fn convert(&mut self, to: &str, value: &Value, span: Span) -> Value {
        let class = type_name(to);
        match class.as_str() {
            "char" | "char[]" => {
                let to_letter = |value: &Value, it: &Self| match value.as_number() {
                    Some(code)
                        if value
                            .as_known()
                            .is_none_or(|text| text.len() > 1 || class == "char") =>
                    {
                        let letter = u32::try_from(code).ok().and_then(char::from_u32);
                        letter.map_or(Value::unknown("a letter"), |letter| {
                            let text = Text::known(letter.to_string());
                            Value::Text(super::value::with_taint(text, Taint::NONE))
                        })
                    }
                    _ => Value::Text(it.text(value)),
                };
                match value {
                    Value::List(values) => {
                        Value::of(values.iter().map(|value| to_letter(value, self)).collect())
                    }
                    Value::Text(text) if class == "char[]" && value.as_number().is_none() => {
                        letters(text)
                    }
                    other => to_letter(other, self),
                }
            }
            "string" => Value::Text(self.text(value)),
            "string[]" | "object[]" | "array" | "list" | "collections.arraylist" => {
                Value::List(value.elements().into())
            }
            "scriptblock" => {
                let code = self.text(value);
                self.code_value(&code)
            }
            "hashtable" | "ordered" | "pscustomobject" | "psobject" | "collections.hashtable" => {
                value.clone()
            }
            "void" => Value::Nothing,
            "bool" | "switch" | "boolean" => match truth(value) {
                Some(truth) => of_truth(truth),
                None => value.clone(),
            },
            "int" | "int32" | "int64" | "long" | "byte" | "uint32" | "uint64" | "double"
            | "decimal" | "float" | "single" | "short" | "uint16" | "int16" => {
                let known = value.as_known();
                // A letter is its number.
                match (value.as_number(), known) {
                    (None, Some(text)) if text.chars().count() == 1 => {
                        let code = text.chars().next().map_or(0, u32::from);
                        Value::known(code.to_string())
                    }
                    _ => value.clone(),
                }
            }
            "xml" | "regex" | "version" | "datetime" | "timespan" | "guid" | "uri"
            | "io.fileinfo" | "io.directoryinfo" | "byte[]" | "int[]" | "mailaddress" => {
                value.clone()
            }
            "wmi" | "wmiclass" | "adsi" | "wmisearcher" => {
                let made_of = self.text(value);
                let shown = made_of.display().to_ascii_lowercase();
                self.object(Object {
                    class: format!("{class} {shown}"),
                    made_of,
                    ..Object::default()
                })
            }
            _ => self.instance_with(&class, value, span).unwrap_or_else(|| value.clone()),
        }
    }
}

pub(super) fn of_truth(truth: bool) -> Value {
    Value::known(if truth { "True" } else { "False" })
}

/// The letters of a text.
pub(super) fn letters(text: &Text) -> Value {
    match text.as_known() {
        Some(known) => {
            let letters: Vec<Value> = known
                .chars()
                .map(|letter| Value::Text(text.derive([Piece::Known(letter.to_string())])))
                .collect();
            Value::List(letters.into())
        }
        None => Value::Text(text.clone()),
    }
}

/// A text cut where another stands; at blanks where there is none.
pub(super) fn split(text: &Text, by: Option<&Text>) -> Value {
    let Some(known) = text.as_known() else {
        return Value::Text(unknown_of(text, "a part"));
    };
    let part = |part: &str| Value::Text(text.derive([Piece::Known(part.to_owned())]));
    let parts: Vec<Value> = match by.map(Text::as_known) {
        None => known.split_whitespace().map(part).collect(),
        Some(Some("")) => return letters(text),
        Some(Some(by)) => match plain(by) {
            Some(by) => known.split(by.as_str()).map(part).collect(),
            None if matches!(by, r"\s+" | r"\s*" | r"\s") => {
                known.split_whitespace().map(part).collect()
            }
            // `[,;]`: either of several.
            None => match by.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                Some(any) if !any.contains(['\\', '-', '^']) => {
                    known.split(|letter| any.contains(letter)).map(part).collect()
                }
                _ => return Value::Text(unknown_of(text, "a part")),
            },
        },
        Some(None) => return Value::Text(unknown_of(text, "a part")),
    };
    Value::List(parts.into())
}

/// A pattern as the text it stands for, where it is one.
fn plain(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) if !other.is_alphanumeric() => text.push(other),
                _ => return None,
            },
            '.' | '*' | '+' | '?' | '[' | ']' | '(' | ')' | '{' | '}' | '^' | '$' | '|' => {
                return None;
            }
            other => text.push(other),
        }
    }
    Some(text)
}

/// A text with another in place of what a pattern finds.
pub(super) fn replace(text: &Text, from: &Text, to: &Text) -> Text {
    let (Some(known), Some(pattern), Some(to)) = (text.as_known(), from.as_known(), to.as_known())
    else {
        let mut unknown = unknown_of(text, "replaced");
        unknown.inherit(from);
        unknown.inherit(to);
        return unknown;
    };
    let replaced = match plain(pattern) {
        Some(plain) if !plain.is_empty() && !to.contains('$') => replace_all(known, &plain, to),
        // `[xyz]` and `x|y`: single letters or words.
        _ => {
            let class = pattern.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            match class {
                Some(any) if !any.contains(['\\', '-', '^', '[']) && !to.contains('$') => known
                    .chars()
                    .map(
                        |letter| {
                            if any.contains(letter) { to.to_owned() } else { letter.to_string() }
                        },
                    )
                    .collect(),
                _ if !to.contains('$')
                    && pattern
                        .split('|')
                        .all(|word| plain(word).is_some_and(|it| !it.is_empty())) =>
                {
                    pattern
                        .split('|')
                        .filter_map(plain)
                        .leading(64)
                        .fold(known.to_owned(), |held, word| replace_all(&held, &word, to))
                }
                _ => return unknown_of(text, "replaced"),
            }
        }
    };
    if replaced.len() > KNOWN_BYTES {
        return unknown_of(text, "replaced");
    }
    text.derive([Piece::Known(replaced)])
}

/// Replaces without telling capitals apart, as the operator does.
fn replace_all(text: &str, from: &str, to: &str) -> String {
    let (folded, wanted) = (text.to_ascii_lowercase(), from.to_ascii_lowercase());
    let mut replaced = String::new();
    let mut end = 0;
    for (at, found) in folded.match_indices(&wanted) {
        replaced.push_str(text.get(end..at).unwrap_or(""));
        replaced.push_str(to);
        end = at + found.len();
    }
    replaced.push_str(text.get(end..).unwrap_or(""));
    replaced
}
