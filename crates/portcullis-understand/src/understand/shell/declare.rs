//! `declare` and its kin: variables that are the function's own, that change what they are given, that stand for others. Owns how these are
//! declared; assignments are read by `assign`.

use portcullis_syntax::Span;

use super::{builtins::has_option, state::Value, walk::Walk};
use crate::{
    effect::Argument,
    programs::invocation::split_assignment,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// What a variable that was declared with `-l`, `-u` or `-i` makes of a value.
    pub(super) fn attributed(&mut self, name: &str, value: Text) -> Text {
        let has = |walk: &Self, letter: char| {
            walk.state.option(&format!("declare {letter} {name}")) == Some(true)
        };
        if has(self, 'i') {
            self.evaluated(&value, Span::default());
        }
        let Some(known) = value.as_known().map(str::to_owned) else { return value };
        let changed = if has(self, 'l') {
            known.to_lowercase()
        } else if has(self, 'u') {
            known.to_uppercase()
        } else if has(self, 'i') {
            match self.evaluate(&known) {
                Some(number) => number.to_string(),
                None => return value.derive([Piece::Unknown(name.into())]),
            }
        } else {
            return value;
        };
        let mut result = value.derive([]);
        result.push_known(&changed);
        result
    }

    /// Whether a variable was declared to be a number.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.builtins.has_attributes
            && self.state.option(&format!("declare i {name}")) == Some(true)
    }

    pub(super) fn unset(&mut self, arguments: &[Argument]) {
        let functions = has_option(arguments, "-f");
        for argument in arguments {
            let Some(name) = argument.text.as_known().filter(|name| !name.starts_with('-')) else {
                continue;
            };
            let name = name.to_owned();
            if functions {
                self.state.undefine(&name);
            } else if let Some((array, index)) =
                name.strip_suffix(']').and_then(|name| name.split_once('['))
            {
                let index = index.trim_matches(['"', '\'']).to_owned();
                self.unset_element(array, &index);
            } else {
                if !has_option(arguments, "-v") && !self.state.is_set_here(&name) {
                    self.state.undefine(&name);
                }
                self.state.unset(&name);
            }
        }
    }

    /// In a function a variable that is declared is the function's own; gives whether it becomes so now.
    fn make_local(&mut self, name: &str) -> bool {
        let before = self.state.variable(name).map(<[Value]>::to_vec);
        self.calls.hide(name, before)
    }

    pub(super) fn declare(&mut self, program: &str, arguments: &[Argument]) {
        let flag = |letter: char| {
            arguments.iter().any(|argument| {
                let option = argument.text.as_known().and_then(|known| known.strip_prefix('-'));
                option.is_some_and(|option| !option.starts_with('-') && option.contains(letter))
            })
        };
        let (refers, pairs) = (flag('n'), flag('A'));
        let (lower, upper) = (flag('l'), flag('u'));
        let number = flag('i');
        // In quotes it is a text like any other, unless it is known to become a list.
        let lists = pairs || flag('a');
        let exports = program == "export" || flag('x');
        let keeps = program == "readonly" || flag('r');
        for letter in ['l', 'u', 'i', 'A'] {
            if flag(letter) {
                self.builtins.has_attributes = true;
                for argument in arguments {
                    if let Some(name) = declared_name(&argument.text) {
                        let on = Value::Scalar(Text::known("1"));
                        self.state.assign(&format!("declare {letter} {name}"), vec![on]);
                    }
                }
            }
        }
        if exports && flag('f') {
            for name in arguments.iter().filter_map(|argument| declared_name(&argument.text)) {
                self.state.export_function(name);
            }
        }
        let is_local = matches!(program, "local" | "declare" | "typeset") && !flag('g');
        for argument in arguments {
            if exports && let Some(name) = declared_name(&argument.text) {
                if refers && program == "export" {
                    self.state.keep_back(name);
                } else {
                    self.state.export(name);
                }
            }
            let mut is_new = false;
            if is_local && let Some(name) = declared_name(&argument.text) {
                is_new = self.make_local(name);
                if !refers && argument.text.as_known() == Some(name) && self.calls.are_in_function()
                {
                    self.state.unset(name);
                }
            }
            if let Some((_, value)) = split_assignment(&argument.text) {
                if refers {
                    self.named(&value, argument.span);
                }
                if number {
                    self.evaluated(&value, argument.span);
                }
            }
            if refers
                && program != "export"
                && let Some((name, value)) = split_assignment(&argument.text)
                && let Some(target) = value.as_known()
            {
                self.subscripts(&value, argument.span);
                self.state.refer(&name, target);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text)
                && value.known_prefix().starts_with('(')
                && let plain = name.strip_suffix('+').unwrap_or(&name)
                && let found = self.builtins.declared.iter().position(|(known, _)| known == plain)
                && (found.is_some() || lists || !is_new && self.is_array(plain))
            {
                let appends = name.ends_with('+');
                let name = plain.to_owned();
                let elements = match found {
                    Some(at) => self.builtins.declared.remove(at).1,
                    None => array_elements(&value, pairs),
                };
                let before = if appends { self.value(&name) } else { None };
                self.assign_array(&name, before, elements);
                continue;
            }
            if let Some((name, value)) = split_assignment(&argument.text) {
                let (name, value) = match name.strip_suffix('+') {
                    Some(name) => {
                        let mut before = match self.value(name) {
                            Some(Value::Scalar(text)) if !is_new => text,
                            _ => Text::default(),
                        };
                        before.append(&value);
                        (name.to_owned(), before)
                    }
                    None => (name, value),
                };
                let value = match value.as_known() {
                    Some(known) if lower => value.derive([Piece::Known(known.to_lowercase())]),
                    Some(known) if upper => value.derive([Piece::Known(known.to_uppercase())]),
                    Some(known) if number => match self.evaluate(known) {
                        Some(number) => value.derive([Piece::Known(number.to_string())]),
                        None => value.derive([Piece::Unknown(name.as_str().into())]),
                    },
                    _ => value,
                };
                self.set(&name, value, argument.span);
            }
        }
        for argument in arguments.iter().filter(|_| keeps) {
            if let Some(name) = declared_name(&argument.text) {
                self.state.keep(name);
            }
        }
    }
}

/// `declare -p`, `export`: without a name every variable is printed.
pub(super) fn lists_variables(arguments: &[Argument]) -> bool {
    arguments.iter().all(|argument| {
        argument.text.as_known().is_some_and(|known| known.starts_with('-') && !known.contains('f'))
    })
}

/// The elements of `(a b [k]=c)` as one text: what `declare` is given.
fn array_elements(text: &Text, pairs: bool) -> Vec<(Option<String>, Text)> {
    let mut words: Vec<Text> = vec![text.derive([])];
    for piece in &text.pieces {
        let Piece::Known(known) = piece else {
            if let Some(last) = words.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in known.split([' ', '\t', '\n']).enumerate() {
            if index > 0 {
                words.push(text.derive([]));
            }
            if let Some(last) = words.last_mut() {
                last.push_known(part.trim_matches(['"', '\'', '(', ')']));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    if pairs && words.first().is_some_and(|word| !word.known_prefix().contains('=')) {
        return words
            .chunks(2)
            .filter_map(|pair| Some((Some(pair.first()?.display()), pair.get(1)?.clone())))
            .collect();
    }
    words
        .into_iter()
        .map(|word| {
            let known = word.known_prefix();
            let keyed = match known.strip_prefix('[') {
                Some(rest) => rest.split_once("]="),
                None if pairs => known.split_once('='),
                None => None,
            };
            match keyed {
                Some((key, first)) => {
                    let value = word.beginning_with(first);
                    (Some(key.to_owned()), value)
                }
                None => (None, word),
            }
        })
        .collect()
}

/// The variable that a word of `declare` is about.
pub(super) fn declared_name(text: &Text) -> Option<&str> {
    let name = text.known_prefix().split(['=', '+', '[']).next()?;
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(continues)).then_some(name)
}
