//! What an expression is worth. Owns the values that code is followed with and how they become texts and words.

use std::rc::Rc;

use portcullis_syntax::Span;

use crate::{
    bound::Bounded as _,
    effect::stands_for,
    text::{Piece, Taint, Text},
};

/// How many values one expression is followed through.
pub(super) const ALTERNATIVES: usize = 4;

/// How many values a variable may hold, those inside of others included.
const HELD: usize = 8192;

/// How deep they may lie in each other. What is built up by `x = [x]` is cut off there.
const DEPTH: usize = 24;

/// How long the name of something that was reached through members and calls may grow.
const PATH_BYTES: usize = 160;

/// A value, as far as it is known.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A string, bytes, a path, or anything that can be read as one.
    Text(Text),
    /// A number.
    Number(i64),
    /// A list, tuple or array.
    List(Vec<Value>),
    /// A dictionary, hash or object.
    Table(Vec<(String, Value)>),
    /// Something reached by a name: a module, a function, an object; what is known of what went into it.
    Name(Rc<str>, Text),
    /// A member of a value, before it is called.
    Method(Box<(Value, String)>),
    /// A function of this code, by its index.
    Function(usize),
    /// An open file, by its index.
    File(usize),
    /// One of several.
    Any(Vec<Value>),
    /// Something of which only is known that these functions went into it: called in whatever way, it may be one of them.
    Holder(Vec<Value>),
    /// A function that asks what it is given for a member: `operator.attrgetter`, `operator.methodcaller`.
    Asks(Box<Asking>),
}

/// How many elements a list has.
pub(super) const ELEMENTS: usize = 2048;

/// The name of a member that is computed.
pub(super) const SOME_MEMBER: &str = "[]";

/// Under which name a table has what was spread into it and is no table.
pub(super) const SPREAD: &str = "...";

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    /// The member's name, members of members included.
    pub(super) member: String,
    /// What it is called with, where it is.
    pub(super) given: Option<Vec<Given>>,
}

/// An argument of a call in the code.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The keyword, where it has one.
    pub(super) name: Option<String>,
    /// Its value.
    pub(super) value: Value,
    /// As written.
    pub(super) span: Span,
}

impl Value {
    /// A list of these, with something unknown in place of what is beyond the bound.
    pub(super) fn list(values: impl IntoIterator<Item = Self>) -> Self {
        let mut values = values.into_iter();
        let mut list: Vec<Self> = values.by_ref().leading(ELEMENTS).collect();
        list.extend(values.next().map(|_| Self::unknown("an element")));
        Self::List(list)
    }

    pub(super) fn unknown(origin: &str) -> Self {
        Self::Text(Text::unknown(origin))
    }

    pub(super) fn known(text: &str) -> Self {
        Self::Text(Text::known(text))
    }

    pub(super) fn name(path: &str) -> Self {
        Self::Name(path.into(), Text::default())
    }

    /// Something reached from `text`'s origin under a name.
    pub(super) fn reached(path: &str, text: Text) -> Self {
        let mut end = path.len().min(PATH_BYTES);
        while !path.is_char_boundary(end) {
            end -= 1;
        }
        let path = path.get(..end).unwrap_or_default();
        if path.is_ascii() {
            return Self::Name(path.into(), text);
        }
        let path = path.replace(|character| stands_for(character).is_some(), "…");
        Self::Name(path.into(), text)
    }

    /// The value as a variable holds it, with how many values that are; what is too large or too deep is not known any more.
    pub(super) fn held(self) -> (Self, usize) {
        match self.count(DEPTH, HELD) {
            Some(left) => (self, HELD - left),
            None => (Self::Text(mixed("a value that grew", [&self])), 1),
        }
    }

    /// How many of `left` values are left after this one; `None` where they or the levels do not suffice.
    fn count(&self, levels: usize, left: usize) -> Option<usize> {
        let (levels, left) = (levels.checked_sub(1)?, left.checked_sub(1)?);
        match self {
            Self::List(list) | Self::Any(list) | Self::Holder(list) => {
                list.iter().try_fold(left, |left, value| value.count(levels, left))
            }
            Self::Table(table) => {
                table.iter().try_fold(left, |left, (_, value)| value.count(levels, left))
            }
            Self::Method(method) => method.0.count(levels, left),
            Self::Text(_)
            | Self::Number(_)
            | Self::Name(..)
            | Self::Function(_)
            | Self::Asks(_)
            | Self::File(_) => Some(left),
        }
    }

    /// The value as a text.
    pub(super) fn text(&self) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => Text::known(number.to_string()),
            Self::Name(path, text) => text.derive([Piece::Unknown(path.as_ref().into())]),
            Self::Method(method) => {
                let (receiver, name) = method.as_ref();
                let text = receiver.text();
                if matches!(
                    name.as_str(),
                    "text" | "content" | "body" | "stdout" | "data" | "output" | "value"
                ) || is_not_followed(&text)
                {
                    return text;
                }
                text.derive([Piece::Unknown(name.as_str().into())])
            }
            Self::Function(_) | Self::Asks(_) | Self::Holder(_) => Text::unknown("a function"),
            Self::File(_) => Text::unknown("a file"),
            Self::List(_) | Self::Table(_) | Self::Any(_) => mixed("a list", [self]),
        }
    }

    /// Whether both are known, and alike.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(own), Self::List(others)) => {
                own.len() == others.len()
                    && own.iter().zip(others).all(|(one, another)| one.is_same(another))
            }
            (Self::Number(own), Self::Number(other)) => own == other,
            _ => self.as_known().is_some() && self.as_known() == other.as_known(),
        }
    }

    /// Whether nothing of it comes from anywhere else than the script.
    fn is_of_script(&self) -> bool {
        match self {
            Self::Text(text) => {
                let from_elsewhere = [Taint::SECRET, Taint::NETWORK, Taint::FILE, Taint::PRIVATE];
                !from_elsewhere.into_iter().any(|taint| text.taint.has(taint))
                    && (text.as_known().is_some() || is_not_followed(text))
            }
            Self::Number(_) => true,
            Self::List(list) | Self::Any(list) => list.iter().all(Self::is_of_script),
            Self::Table(table) => table.iter().all(|(_, value)| value.is_of_script()),
            Self::Name(..) => self.is_false() || self.is_true(),
            Self::Method(_)
            | Self::Function(_)
            | Self::File(_)
            | Self::Holder(_)
            | Self::Asks(_) => false,
        }
    }

    /// The whole text where it is known.
    pub(super) fn as_known(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.as_known(),
            _ => None,
        }
    }

    /// Hands on where the value comes from.
    pub(super) fn inherit_into(&self, text: &mut Text) {
        match self {
            Self::Text(own) | Self::Name(_, own) => text.inherit(own),
            Self::Method(method) => method.0.inherit_into(text),
            Self::List(list) | Self::Any(list) => {
                for value in list {
                    value.inherit_into(text);
                }
            }
            Self::Table(table) => {
                for (_, value) in table {
                    value.inherit_into(text);
                }
            }
            Self::Number(_)
            | Self::Function(_)
            | Self::File(_)
            | Self::Holder(_)
            | Self::Asks(_) => {}
        }
    }

    /// What went into it.
    pub(super) fn taint(&self) -> Taint {
        let mut text = Text::default();
        self.inherit_into(&mut text);
        text.taint
    }

    /// Each value that it may be.
    pub(super) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::Any(list) => list.clone(),
            other => vec![other.clone()],
        }
    }

    /// Either of two.
    pub(super) fn or(self, other: Self) -> Self {
        let mut list = self.alternatives();
        for one in other.alternatives() {
            if !list.iter().any(|known| known.is_same(&one)) {
                list.push(one);
            }
        }
        if list.len() == 1
            && let Some(one) = list.pop()
        {
            return one;
        }
        if list.len() > ALTERNATIVES {
            let text = mixed("one of several values", &list);
            list.truncate(ALTERNATIVES - 1);
            list.push(Self::Text(text));
        }
        Self::Any(list)
    }

    /// The value of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(table) => {
                let of = |key: &str| table.iter().rev().find(|(name, _)| name == key);
                // One whose name is not known may be the one.
                of(key).or_else(|| of(SOME_MEMBER)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The value of exactly this key.
    pub(super) fn own_entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Table(table) => {
                table.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Whether it is surely true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Name(path, _) => matches!(path.as_ref(), "True" | "true" | "TRUE" | "$true"),
            Self::Number(number) => *number != 0,
            Self::Text(text) => text.as_known().is_some_and(|text| !text.is_empty()),
            _ => false,
        }
    }

    /// Whether it is surely false or nothing.
    pub(super) fn is_false(&self) -> bool {
        match self {
            Self::Name(path, _) => matches!(
                path.as_ref(),
                "False" | "false" | "None" | "null" | "nil" | "undefined" | "FALSE" | "NULL"
            ),
            Self::Number(number) => *number == 0,
            _ => false,
        }
    }
}

/// What stands behind the origin of a value that was made of nothing but what stands in the script, in a way that is not followed.
const NOT_FOLLOWED: &str = ", not followed";

/// A text that comes from nowhere else than the script, in a way that is not followed.
pub(in super::super) fn not_followed(origin: &str) -> Text {
    Text::unknown(&format!("{origin}{NOT_FOLLOWED}"))
}

/// A text of which nothing is known but what went into it.
pub(super) fn mixed<'a>(origin: &str, values: impl IntoIterator<Item = &'a Value>) -> Text {
    let values: Vec<&Value> = values.into_iter().collect();
    let own = !values.is_empty() && values.iter().all(|value| value.is_of_script());
    let mut text =
        if own { Text::unknown(&format!("{origin}{NOT_FOLLOWED}")) } else { Text::unknown(origin) };
    for value in values {
        value.inherit_into(&mut text);
    }
    text
}

/// Whether a text comes from nowhere else than the script, and what it is was not followed.
pub(in super::super) fn is_not_followed(text: &Text) -> bool {
    let unknown = text.pieces.iter().filter_map(|piece| match piece {
        Piece::Unknown(origin) => Some(origin.ends_with(NOT_FOLLOWED)),
        Piece::Known(_) | Piece::Glob(_) => None,
    });
    let unknown: Vec<bool> = unknown.collect();
    !unknown.is_empty() && unknown.into_iter().all(|own| own)
}
