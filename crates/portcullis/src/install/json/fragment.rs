//! A piece of JSON that is written into a file: its keys in the order in which they were given.

use serde_json::Value;

/// A value that keeps the order of its keys.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Fragment {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Number(u32),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Fragment>),
    /// An object.
    Object(Vec<(String, Fragment)>),
}

/// How a piece is written so that it looks like the file around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// One step of indentation; `None` writes everything on one line.
    pub(super) indent: Option<&'a str>,
    /// What ends a line.
    pub(super) newline: &'a str,
}

impl Fragment {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An object of the given members.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Fragment)>) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The same for comparing, where order does not matter.
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Self::Flag(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::from(*number),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => items.iter().map(Self::value).collect(),
            Self::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), value.value())).collect()
            }
        }
    }

    /// Writes it, starting at a depth of indentation.
    pub(super) fn write(&self, text: &mut String, layout: Layout<'_>, depth: usize) {
        match self {
            Self::Flag(flag) => text.push_str(&flag.to_string()),
            Self::Number(number) => text.push_str(&number.to_string()),
            Self::Text(words) => text.push_str(&quoted(words)),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| (None, item)).collect();
                members(text, ('[', ']'), &items, layout, depth);
            }
            Self::Object(object) => {
                let items: Vec<_> =
                    object.iter().map(|(key, value)| (Some(key.as_str()), value)).collect();
                members(text, ('{', '}'), &items, layout, depth);
            }
        }
    }
}

/// A string with its quotes.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn members(
    text: &mut String,
    (open, close): (char, char),
    items: &[(Option<&str>, &Fragment)],
    layout: Layout<'_>,
    depth: usize,
) {
    text.push(open);
    for (at, (key, value)) in items.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        match layout.indent {
            Some(_) => line(text, layout, depth + 1),
            None if at > 0 => text.push(' '),
            None => {}
        }
        if let Some(key) = key {
            text.push_str(&quoted(key));
            text.push_str(": ");
        }
        value.write(text, layout, depth + 1);
    }
    if !items.is_empty() && layout.indent.is_some() {
        line(text, layout, depth);
    }
    text.push(close);
}

/// A new line at a depth.
pub(super) fn line(text: &mut String, layout: Layout<'_>, depth: usize) {
    text.push_str(layout.newline);
    for _ in 0..depth {
        text.push_str(layout.indent.unwrap_or_default());
    }
}
