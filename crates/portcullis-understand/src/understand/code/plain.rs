//! What methods and functions of Python and JavaScript make of texts that are known whole. Owns the computation; it reads nothing and tells
//! the walk nothing.

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    text::{Piece, Text},
};

/// How long a text may become by being filled up.
const FILLED: usize = 1 << 12;

impl Interpreter<'_, '_, '_> {
    /// What a method makes of a text that is known, and of arguments that are.
    pub(super) fn plain_method(
        &self,
        receiver: &Value,
        name: &str,
        given: &[Given],
    ) -> Option<Value> {
        let text = receiver.as_known()?;
        let texts: Vec<Option<&str>> = given.iter().map(|it| it.value.as_known()).collect();
        let number = |at: usize| match given.get(at).map(|it| &it.value) {
            Some(Value::Number(number)) => usize::try_from(*number).ok().filter(|it| *it <= FILLED),
            _ => None,
        };
        let derived =
            |made: String| Some(Value::Text(receiver.text().derive([Piece::Known(made)])));
        match self.language {
            "python" => {}
            "javascript" => {
                return match (name, texts.as_slice()) {
                    ("trimStart" | "trimLeft", []) => derived(text.trim_start().to_owned()),
                    ("trimEnd" | "trimRight", []) => derived(text.trim_end().to_owned()),
                    ("padEnd", [_, rest @ ..]) => derived(filled(text, number(0)?, rest, false)?),
                    ("padStart", [_, rest @ ..]) => derived(filled(text, number(0)?, rest, true)?),
                    ("repeat", [_]) => {
                        let times = number(0)?;
                        (text.len().saturating_mul(times) <= FILLED)
                            .then(|| derived(text.repeat(times)))?
                    }
                    ("charAt", [_]) => derived(text.chars().nth(number(0)?)?.to_string()),
                    ("concat", texts) => {
                        let parts = texts.iter().copied().collect::<Option<Vec<&str>>>()?;
                        derived(format!("{text}{}", parts.concat()))
                    }
                    _ => None,
                };
            }
            _ => return None,
        }
        match (name, texts.as_slice()) {
            ("strip", [Some(set)]) => derived(text.trim_matches(|c| set.contains(c)).to_owned()),
            ("rstrip", [Some(set)]) => {
                derived(text.trim_end_matches(|c| set.contains(c)).to_owned())
            }
            ("lstrip", [Some(set)]) => {
                derived(text.trim_start_matches(|c| set.contains(c)).to_owned())
            }
            ("rstrip", []) => derived(text.trim_end().to_owned()),
            ("lstrip", []) => derived(text.trim_start().to_owned()),
            ("removeprefix", [Some(part)]) => {
                derived(text.strip_prefix(part).unwrap_or(text).to_owned())
            }
            ("removesuffix", [Some(part)]) => {
                derived(text.strip_suffix(part).unwrap_or(text).to_owned())
            }
            ("swapcase", []) => derived(
                text.chars()
                    .flat_map(|c| -> Vec<char> {
                        if c.is_lowercase() {
                            c.to_uppercase().collect()
                        } else {
                            c.to_lowercase().collect()
                        }
                    })
                    .collect(),
            ),
            ("capitalize", []) => {
                let mut letters = text.chars();
                let first: String =
                    letters.next().into_iter().flat_map(char::to_uppercase).collect();
                derived(first + &letters.as_str().to_lowercase())
            }
            ("zfill", [_]) => {
                let missing = number(0)?.saturating_sub(text.chars().count());
                let at = usize::from(text.starts_with(['+', '-']));
                let (sign, rest) = text.split_at_checked(at)?;
                derived(format!("{sign}{}{rest}", "0".repeat(missing)))
            }
            ("ljust", [_, rest @ ..]) => derived(filled(text, number(0)?, rest, false)?),
            ("rjust", [_, rest @ ..]) => derived(filled(text, number(0)?, rest, true)?),
            ("expandtabs", _) if !text.contains('\t') => derived(text.to_owned()),
            ("replace", [Some(from), Some(to), _]) if !from.is_empty() => {
                let count = given.get(2).map(|it| &it.value);
                let count = match count {
                    Some(Value::Number(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
                    _ => return None,
                };
                derived(text.replacen(from, to, count))
            }
            ("splitlines", []) => Some(Value::List(text.lines().map(Value::known).collect())),
            ("rsplit", [Some(separator), rest @ ..]) if !separator.is_empty() => {
                let cuts = if rest.is_empty() { FILLED } else { number(1)? };
                let mut parts: Vec<&str> =
                    text.rsplitn(cuts.saturating_add(1), separator).collect();
                parts.reverse();
                Some(Value::List(parts.into_iter().map(Value::known).collect()))
            }
            ("translate", [_]) => {
                let Value::Table(table) = &given.first()?.value else { return None };
                derived(translated(text, table)?)
            }
            _ => None,
        }
    }

    /// What a function makes of texts that are known.
    pub(super) fn plain_function(&self, path: &str, given: &[Given]) -> Option<Value> {
        if self.language != "python" {
            return None;
        }
        let first = given.first().map(|it| &it.value)?;
        let derived =
            |made: &str| Value::Text(first.text().derive([Piece::Known(made.to_owned())]));
        match path {
            "os.path.dirname" | "posixpath.dirname" => {
                let known = first.as_known()?;
                let parent = known.rsplit_once('/').map_or("", |(parent, _)| parent);
                let parent = if parent.is_empty() && known.starts_with('/') { "/" } else { parent };
                Some(derived(parent))
            }
            "os.path.basename" | "posixpath.basename" => {
                let known = first.as_known()?;
                Some(derived(known.rsplit('/').next().unwrap_or(known)))
            }
            "os.path.splitext" => {
                let known = first.as_known()?;
                let (stem, suffix) = split_suffix(known);
                Some(Value::List(vec![derived(stem), derived(suffix)]))
            }
            "os.path.split" => {
                let known = first.as_known()?;
                let (head, tail) = known.rsplit_once('/').unwrap_or(("", known));
                let head = if head.is_empty() && known.starts_with('/') { "/" } else { head };
                Some(Value::List(vec![derived(head), derived(tail)]))
            }
            "str.maketrans" => {
                let texts: Option<Vec<&str>> = given.iter().map(|it| it.value.as_known()).collect();
                let texts = match (texts, first) {
                    (_, Value::Table(_)) => return Some(first.clone()),
                    (texts, _) => texts?,
                };
                let (from, to) = (texts.first()?, texts.get(1)?);
                let mut table: Vec<(String, Value)> = from
                    .chars()
                    .zip(to.chars())
                    .map(|(from, to)| (u32::from(from).to_string(), Value::known(&to.to_string())))
                    .collect();
                let gone = texts.get(2).copied().unwrap_or_default().chars();
                table.extend(gone.map(|it| (u32::from(it).to_string(), Value::name("None"))));
                Some(Value::Table(table))
            }
            _ => None,
        }
    }

    /// A member of a path that is known: `path.parent`, `path.name`.
    pub(super) fn member_of_path(&self, text: &Text, name: &str) -> Option<Value> {
        let known = text.as_known().filter(|_| self.language == "python")?;
        let whole = known.trim_end_matches('/');
        let last = whole.rsplit('/').next().unwrap_or(whole);
        let made = match name {
            "parent" => match whole.rsplit_once('/') {
                Some(("", _)) => "/",
                Some((parent, _)) => parent,
                None => ".",
            },
            "name" => last,
            "stem" => split_suffix(last).0,
            "suffix" => split_suffix(last).1,
            _ => return None,
        };
        Some(Value::Text(text.derive([Piece::Known(made.to_owned())])))
    }

    /// `path.with_suffix(".bak")`, `path.with_name("other")`, `path.with_stem("other")`, `path.relative_to(…)`.
    pub(super) fn path_like(&self, receiver: &Value, name: &str, given: &[Given]) -> Option<Value> {
        let known = receiver.as_known().filter(|_| self.language == "python")?;
        let new = given.first()?.value.as_known()?;
        let (parent, last) = known.rsplit_once('/').map_or(("", known), |(a, b)| (a, b));
        let (stem, suffix) = split_suffix(last);
        let last = match name {
            "with_suffix" => format!("{stem}{new}"),
            "with_name" => new.to_owned(),
            "with_stem" => format!("{new}{suffix}"),
            _ => return None,
        };
        let whole = if known.contains('/') { format!("{parent}/{last}") } else { last };
        Some(Value::Text(receiver.text().derive([Piece::Known(whole)])))
    }
}

/// Whether a function of Python's library makes one value of others and does nothing else.
pub(super) fn computes(path: &str) -> bool {
    const MODULES: &[&str] = &[
        "functools.reduce",
        "itertools.",
        "operator.",
        "re.",
        "string.Template",
        "textwrap.",
        "util.promisify()",
    ];
    MODULES.iter().any(|module| path.starts_with(module)) && !path.ends_with("compile")
}

/// A path and the ending of its last part.
fn split_suffix(path: &str) -> (&str, &str) {
    let last = path.rfind('/').map_or(0, |at| at + 1);
    let name = path.get(last..).unwrap_or_default();
    let bare = name.trim_start_matches('.');
    match bare.rfind('.') {
        Some(at) => {
            let at = path.len() - bare.len() + at;
            path.split_at_checked(at).unwrap_or((path, ""))
        }
        None => (path, ""),
    }
}

/// A text filled up to a length.
fn filled(text: &str, length: usize, with: &[Option<&str>], is_before: bool) -> Option<String> {
    let with = match with {
        [] => " ",
        [with, ..] => (*with)?,
    };
    let missing = length.saturating_sub(text.chars().count());
    let fill: String =
        with.chars().cycle().leading(if with.is_empty() { 0 } else { missing }).collect();
    Some(if is_before { format!("{fill}{text}") } else { format!("{text}{fill}") })
}

/// A text with its letters replaced by what a table has for their numbers.
fn translated(text: &str, table: &[(String, Value)]) -> Option<String> {
    let mut made = String::new();
    for letter in text.chars() {
        let number = u32::from(letter).to_string();
        match table.iter().rev().find(|(key, _)| *key == number || *key == letter.to_string()) {
            None => made.push(letter),
            Some((_, Value::Number(number))) => {
                made.push(char::from_u32(u32::try_from(*number).ok()?)?);
            }
            Some((_, value)) if value.is_false() => {}
            Some((_, value)) => made.push_str(value.as_known()?),
        }
    }
    Some(made)
}
