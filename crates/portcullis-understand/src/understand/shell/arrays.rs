//! Arrays: their elements by index or by key. Owns how they are assigned and what an index finds; which words they become is
//! told by `words`.

use std::collections::BTreeMap;

use portcullis_syntax::shell::{Part, PartKind, Word};

use super::{state::Value, walk::Walk};
use crate::text::{Piece, Text};

/// Elements with their keys; none where they are numbered from zero without a hole.
pub(super) type Elements = Vec<(Option<String>, Text)>;

impl Walk<'_> {
    /// Whether a variable was declared to have keys instead of indices.
    pub(super) fn is_associative(&self, name: &str) -> bool {
        self.builtins.has_attributes
            && self.state.option(&format!("declare A {name}")) == Some(true)
    }

    /// Whether a variable is an array now, whichever of its values it has.
    pub(super) fn is_array(&self, name: &str) -> bool {
        let values = self.state.variable(name);
        values.is_some_and(|values| values.iter().all(|value| matches!(value, Value::Array(_))))
    }

    /// Gives an array elements, in place of those that it had or `before` them.
    pub(super) fn assign_array(&mut self, name: &str, before: Option<Value>, elements: Elements) {
        if before.is_none()
            && elements.iter().all(|(key, _)| key.is_none())
            && !self.is_associative(name)
        {
            self.state.assign(name, vec![Value::Array(elements)]);
            return;
        }
        let value = if self.is_associative(name) {
            let mut whole = match before {
                Some(Value::Array(before)) => before,
                _ => Vec::new(),
            };
            for (key, text) in paired(elements) {
                match whole.iter_mut().find(|(known, _)| *known == key) {
                    Some(slot) => slot.1 = text,
                    None => whole.push((key, text)),
                }
            }
            Value::Array(whole)
        } else {
            let mut whole = numbered(before);
            let mut index = whole.keys().next_back().map_or(0, |last| last.saturating_add(1));
            let mut is_known = true;
            for (key, text) in elements {
                if let Some(key) = key {
                    match self.evaluate(&key) {
                        Some(number) => index = number,
                        None => is_known = false,
                    }
                }
                whole.insert(index, text);
                index = index.saturating_add(1);
            }
            let whole = renumbered(whole);
            if is_known { Value::Array(whole) } else { any_of(name, &whole) }
        };
        self.state.assign(name, vec![value]);
    }

    /// Gives one element a value, or more of it.
    pub(super) fn assign_element(&mut self, name: &str, key: &Text, value: Text, append: bool) {
        if matches!(name, "BASH_ALIASES" | "BASH_CMDS") {
            self.state.define_alias(&key.display(), value);
            return;
        }
        let before = match self.value(name) {
            Some(Value::Unset) | None => None,
            some => some,
        };
        let found = if append { self.element_of(before.as_ref(), name, key) } else { None };
        let value = match found {
            Some(mut whole) => {
                whole.append(&value);
                whole
            }
            None => value,
        };
        let associative = self.is_associative(name);
        let value = if associative { value } else { self.attributed(name, value) };
        let known = if associative {
            key.as_known().map(str::to_owned)
        } else {
            let number = key.as_known().and_then(|known| self.evaluate(known));
            let last = numbered(before.clone()).keys().next_back().copied().unwrap_or(-1);
            number.map(|number| if number < 0 { last + 1 + number } else { number }.to_string())
        };
        match known {
            Some(known) => {
                let before = before.or(Some(Value::Unset));
                self.assign_array(name, before, vec![(Some(known), value)]);
            }
            // Any of them may be this one now.
            None => {
                let mut elements = match before {
                    Some(Value::Array(elements)) => elements,
                    Some(Value::Scalar(text)) => vec![(None, text)],
                    _ => Vec::new(),
                };
                elements.push((None, value));
                let value = any_of(name, &elements);
                self.state.assign(name, vec![value]);
            }
        }
    }

    /// The element of an array with this index or key, where it has one.
    pub(super) fn element_of(
        &mut self,
        value: Option<&Value>,
        name: &str,
        key: &Text,
    ) -> Option<Text> {
        let elements = match value? {
            Value::Array(elements) => elements,
            Value::Scalar(text) => {
                return match key.as_known().map(|known| self.evaluate(known)) {
                    Some(Some(0)) => Some(text.clone()),
                    Some(Some(_)) if text.as_known().is_some() => None,
                    _ => Some(text.derive(vec![Piece::Unknown(name.into())])),
                };
            }
            Value::Unset => return None,
        };
        let Some(known) = key.as_known() else { return Some(Text::unknown(name)) };
        let named = |wanted: &str| {
            let found = elements.iter().rev().find(|(key, _)| key.as_deref() == Some(wanted));
            found.map(|(_, text)| text.clone())
        };
        if self.is_associative(name) {
            return named(known);
        }
        let index = self.evaluate(known)?;
        let is_dense = elements.iter().all(|(key, _)| key.is_none());
        let index = if index < 0 {
            let last = match elements.last() {
                Some((Some(last), _)) => last.parse::<i64>().ok()?,
                _ => i64::try_from(elements.len()).ok()? - 1,
            };
            last + 1 + index
        } else {
            index
        };
        if is_dense {
            elements.get(usize::try_from(index).ok()?).map(|(_, text)| text.clone())
        } else {
            named(&index.to_string()).or_else(|| named(known))
        }
    }

    /// An element is taken out; the others keep their numbers.
    pub(super) fn unset_element(&mut self, name: &str, key: &str) {
        let Some(value @ Value::Array(_)) = self.value(name) else { return };
        let left = if self.is_associative(name) {
            let Value::Array(elements) = value else { return };
            elements.into_iter().filter(|(known, _)| known.as_deref() != Some(key)).collect()
        } else {
            let mut elements = numbered(Some(value));
            match self.evaluate(key) {
                Some(index) if index >= 0 => {
                    elements.remove(&index);
                }
                Some(index) => {
                    let last = elements.keys().next_back().copied().unwrap_or(-1);
                    elements.remove(&(last + 1 + index));
                }
                None => {
                    let value = any_of(name, &renumbered(elements));
                    self.state.assign(name, vec![value]);
                    return;
                }
            }
            renumbered(elements)
        };
        self.state.assign(name, vec![Value::Array(left)]);
    }

    /// Reads the arrays among the arguments of `declare` and its kin, which are made of words as any other array is.
    pub(super) fn declare_arrays(&mut self, words: &[Word]) {
        for word in words.iter().skip(1) {
            let Some(Part { kind: PartKind::Literal(first), .. }) = word.parts.first() else {
                continue;
            };
            let Some((name, _)) = first.split_once("=(") else { continue };
            let name = name.strip_suffix('+').unwrap_or(name).to_owned();
            let mut elements = Vec::new();
            for parts in elements_of(&word.parts) {
                let word = Word { parts, span: word.span };
                match keyed(&word) {
                    Some((key, value)) => {
                        let key = self.single(&key).display();
                        let value = self.single(&value);
                        elements.push((Some(key), value));
                    }
                    None => {
                        let more = self.arguments(std::slice::from_ref(&word));
                        elements.extend(more.into_iter().map(|argument| (None, argument.text)));
                    }
                }
            }
            self.builtins.declared.push((name, elements));
        }
    }
}

/// `k1 v1 k2 v2` as pairs, where no key is written out.
fn paired(elements: Elements) -> Elements {
    if elements.iter().any(|(key, _)| key.is_some()) {
        return elements;
    }
    let mut pairs = Vec::with_capacity(elements.len().div_ceil(2));
    let mut texts = elements.into_iter().map(|(_, text)| text);
    while let Some(key) = texts.next() {
        pairs.push((Some(key.display()), texts.next().unwrap_or_default()));
    }
    pairs
}

/// The elements of a value by their indices.
fn numbered(value: Option<Value>) -> BTreeMap<i64, Text> {
    match value {
        Some(Value::Array(elements)) => elements
            .into_iter()
            .enumerate()
            .map(|(position, (key, text))| {
                let index = key.and_then(|key| key.parse().ok());
                (index.unwrap_or_else(|| i64::try_from(position).unwrap_or(i64::MAX)), text)
            })
            .collect(),
        Some(Value::Scalar(text)) => BTreeMap::from([(0, text)]),
        Some(Value::Unset) | None => BTreeMap::new(),
    }
}

fn renumbered(elements: BTreeMap<i64, Text>) -> Elements {
    let is_dense = elements
        .keys()
        .enumerate()
        .all(|(position, index)| i64::try_from(position).is_ok_and(|position| position == *index));
    elements
        .into_iter()
        .map(|(index, text)| ((!is_dense).then(|| index.to_string()), text))
        .collect()
}

/// A value that may be any of these, wherever it is looked for.
fn any_of(name: &str, elements: &[(Option<String>, Text)]) -> Value {
    let mut text = Text::unknown(name);
    for (_, element) in elements {
        text.inherit(element);
    }
    Value::Scalar(text)
}

/// The parts of each element of an argument `name=(…)`, whose elements stand apart by blanks.
fn elements_of(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut elements: Vec<Vec<Part>> = vec![Vec::new()];
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.iter().enumerate() {
        let PartKind::Literal(literal) = &part.kind else {
            if let Some(element) = elements.last_mut() {
                element.push(part.clone());
            }
            continue;
        };
        let mut text = &**literal;
        if index == 0 {
            text = text.split_once("=(").map_or(text, |(_, rest)| rest);
        }
        if index == last {
            text = text.strip_suffix(')').unwrap_or(text);
        }
        for (position, piece) in text.split(' ').enumerate() {
            if position > 0 {
                elements.push(Vec::new());
            }
            if let Some(element) = elements.last_mut()
                && !piece.is_empty()
            {
                element.push(Part { kind: PartKind::Literal(piece.into()), span: part.span });
            }
        }
    }
    elements.retain(|element| !element.is_empty());
    elements
}

/// `[key]=value` in two.
fn keyed(element: &Word) -> Option<(Word, Word)> {
    let Some(Part { kind: PartKind::Literal(first), .. }) = element.parts.first() else {
        return None;
    };
    if !first.starts_with('[') {
        return None;
    }
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let mut is_value = false;
    for (index, part) in element.parts.iter().enumerate() {
        let literal = |text: &str| Part { kind: PartKind::Literal(text.into()), span: part.span };
        match &part.kind {
            PartKind::Literal(text) if !is_value => {
                let text = if index == 0 { text.get(1..).unwrap_or("") } else { text };
                match text.split_once("]=") {
                    Some((before, after)) => {
                        key.extend((!before.is_empty()).then(|| literal(before)));
                        value.extend((!after.is_empty()).then(|| literal(after)));
                        is_value = true;
                    }
                    None => key.extend((!text.is_empty()).then(|| literal(text))),
                }
            }
            _ if is_value => value.push(part.clone()),
            _ => key.push(part.clone()),
        }
    }
    let word = |parts| Word { parts, span: element.span };
    is_value.then(|| (word(key), word(value)))
}
