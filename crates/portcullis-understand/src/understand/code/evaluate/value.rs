//! What an expression of the tree is worth. Owns the values, the things that live on their own (maps, objects) and how a
//! value becomes a text; what is done with them is said by the siblings.

use std::rc::Rc;

use portcullis_syntax::tree::Block;

use crate::{
    effect::LayerId,
    text::{Piece, Taint, Text},
};

/// A value, as far as it is known.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// None.
    Nothing,
    /// A string, a number, or anything that can be read as one.
    Text(Text),
    /// Several.
    List(Rc<[Value]>),
    /// Something that has parts and an identity, by its number.
    Object(usize),
    /// Code.
    Block(Rc<Closure>),
    /// A type by its name, in lower case and without `System.`.
    Type(Rc<str>),
}

/// Code with where it is written.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) block: Rc<Block>,
    pub(super) layer: LayerId,
    /// The code as it is written, for where it is shown.
    pub(super) source: String,
}

/// Something with parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    /// What it is, in lower case: a type, or `map`.
    pub(super) class: String,
    /// Its parts by name, in lower case, each with all that it may be.
    pub(super) entries: Vec<(String, Vec<Value>)>,
    /// What it holds one after the other.
    pub(super) items: Vec<Value>,
    /// What went into it.
    pub(super) made_of: Text,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self::Text(Text::known(text))
    }

    pub(super) fn unknown(origin: &str) -> Self {
        Self::Text(Text::unknown(origin))
    }

    /// Several as one: none and one stand for themselves.
    pub(super) fn of(mut values: Vec<Self>) -> Self {
        match values.len() {
            0 => Self::Nothing,
            1 => values.pop().unwrap_or(Self::Nothing),
            _ => Self::List(values.into()),
        }
    }

    /// Each of several, or the one.
    pub(super) fn elements(&self) -> Vec<Self> {
        match self {
            Self::Nothing => Vec::new(),
            Self::List(values) => values.to_vec(),
            other => vec![other.clone()],
        }
    }

    /// Whether it is the same as another, as far as both are known.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Text(left), Self::Text(right)) => left == right,
            (Self::Object(left), Self::Object(right)) => left == right,
            (Self::Block(left), Self::Block(right)) => Rc::ptr_eq(left, right),
            (Self::Type(left), Self::Type(right)) => left == right,
            (Self::List(left), Self::List(right)) => {
                left.len() == right.len() && left.iter().zip(right.iter()).all(|(a, b)| a.is(b))
            }
            _ => false,
        }
    }

    pub(super) fn as_known(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.as_known(),
            Self::Nothing => Some(""),
            _ => None,
        }
    }

    /// A whole number, where it is one.
    pub(super) fn as_number(&self) -> Option<i64> {
        number(self.as_known()?)
    }
}

/// A whole number as a script writes it.
pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok();
    }
    for (suffix, shift) in [("kb", 10), ("mb", 20), ("gb", 30), ("tb", 40)] {
        if let Some(digits) = lower.strip_suffix(suffix) {
            return digits.parse::<i64>().ok()?.checked_shl(shift);
        }
    }
    text.parse().ok()
}

/// Where another text is reached through a member: the same origin, nothing known of it.
pub(super) fn part(of: &Text, name: &str) -> Text {
    let mut shown = String::new();
    let whole = of.display();
    let end = whole.char_indices().nth(64).map_or(whole.len(), |(at, _)| at);
    shown.push_str(whole.get(..end).unwrap_or(""));
    shown.push('.');
    shown.push_str(name);
    of.derive([Piece::Unknown(shown.into())])
}

/// What went into a text, with nothing of it known.
pub(super) fn unknown_of(of: &Text, origin: &str) -> Text {
    of.derive([Piece::Unknown(origin.into())])
}

/// Texts one after the other with something between them.
pub(super) fn join(texts: impl IntoIterator<Item = Text>, between: &str) -> Text {
    let mut joined = Text::default();
    for (index, text) in texts.into_iter().enumerate() {
        if index > 0 {
            joined.push_known(between);
        }
        joined.append(&text);
    }
    joined
}

/// A text with everything else that another is made of.
pub(super) fn with_taint(mut text: Text, taint: Taint) -> Text {
    text.taint = text.taint.with(taint);
    text
}
