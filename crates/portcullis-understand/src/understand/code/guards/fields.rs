//! Fields of the one object that a name stands for: `const options = { dryRun: true }`, `config = Config()`. Owns when such a field is surely
//! worth what it was made with, whoever is given the object.

use std::ops::Range;

use portcullis_syntax::code::TokenKind;

use super::{
    super::{interpreter::Interpreter, value::Value},
    constant::GIVES,
};

/// Words by which a field may get another value without being named where that is done.
const CHANGES: &[&str] = &[
    "Proxy",
    "Reflect",
    "__dict__",
    "__getattr",
    "__post_init__",
    "__setattr__",
    "assign(",
    "defaults(",
    "defineProperty",
    "del ",
    "delete ",
    "merge(",
    "monkeypatch",
    "patch.",
    "prototype",
    "replace(",
    "setattr",
    "update(",
];

impl Interpreter<'_, '_, '_> {
    /// `options.dryRun` by itself, or compared with a text: whether that is so.
    pub(super) fn field_there(&mut self, range: &Range<usize>) -> Option<bool> {
        let is_field = self.word_at(range.start + 1) == "."
            && matches!(self.language, "javascript" | "python")
            && !matches!(self.word_at(range.start), "self" | "this");
        if !is_field {
            return None;
        }
        let is_equal = match (range.len(), self.word_at(range.start + 3)) {
            (3, _) => None,
            (5, "==" | "===") => Some(true),
            (5, "!=" | "!==") => Some(false),
            _ => return None,
        };
        let value = self.fixed_field(range.start)?;
        let Some(is_equal) = is_equal else {
            return match (value.is_true(), value.is_false()) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            };
        };
        let asked = self.literal_at(range.start + 4)?;
        Some((value.as_known()? == asked) == is_equal)
    }

    /// What the field is worth all along that is asked for at `at`.
    fn fixed_field(&mut self, at: usize) -> Option<Value> {
        let (name, member) = (self.name_at(at).to_owned(), self.name_at(at + 2).to_owned());
        let count = self.unit.tokens.len();
        let object = self.variables.get(&name)?.clone();
        let is_changed = CHANGES.iter().any(|word| self.source.contains(word));
        if is_changed || self.is_cell || !self.spend(count / 8 + 1) || self.names_are_found() {
            return None;
        }
        let mut given = 0;
        for at in 0..count {
            let (word, next) = (self.name_at(at), self.name_at(at + 1));
            let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
            let is_text =
                matches!(self.unit.tokens.get(at).map(|it| &it.kind), Some(TokenKind::Text(_)));
            if is_text {
                // `set(object, "member", value)`
                if word.trim_matches(['"', '\'', '`']) == member {
                    return None;
                }
                continue;
            }
            // `object[key] = …`, `[object.member] = …`, `({ key: object.member } = …)`
            if matches!(word, "]" | ")") && GIVES.contains(&next)
                || word == "}" && next == "=" && self.is_assigned_apart(at)
            {
                return None;
            }
            if word == member && before == "." {
                let owner = at.checked_sub(2).map_or("", |owner| self.name_at(owner));
                let is_made = matches!(owner, "self" | "this");
                if GIVES.contains(&next) && !is_made || matches!(next, "of" | "in") && owner == name
                {
                    return None;
                }
            }
            if word == name && before != "." {
                // A parameter, or a name that a loop gives a value.
                let is_bound = matches!(before, "++" | "--" | "as" | "for" | "import" | "of")
                    || matches!(next, "=>" | "of" | "in");
                given += usize::from(GIVES.contains(&next));
                // What is laid over it from elsewhere may name any field.
                let open = at + 2;
                let close = self.unit.partners.get(open).copied().unwrap_or(open);
                if next == "=" && (open..close).any(|at| matches!(self.name_at(at), "..." | "**")) {
                    return None;
                }
                if is_bound {
                    return None;
                }
            }
        }
        let is_parameter = self
            .functions
            .iter()
            .any(|function| function.parameters.iter().any(|parameter| parameter.name == name));
        if given != 1 || is_parameter {
            return None;
        }
        let value = match &object {
            Value::Table(_) => object.own_entry(&member)?.clone(),
            Value::Name(path, _) if self.is_class(path.strip_suffix("()")?) => {
                // Where a method gives it a value, it may be called at any time.
                let sets = (2..count).filter(|at| {
                    self.name_at(*at) == member
                        && matches!(self.name_at(at - 2), "self" | "this")
                        && GIVES.contains(&self.name_at(at + 1))
                });
                if sets.count() > 0 {
                    return None;
                }
                self.member(object.clone(), &member)
            }
            _ => return None,
        };
        let is_plain = value.as_known().is_some() || value.is_true() || value.is_false();
        (is_plain && !matches!(value, Value::Any(_))).then_some(value)
    }

    /// Whether the bracket that closes at `close` takes something apart into places that there are already.
    fn is_assigned_apart(&self, close: usize) -> bool {
        let open = self.unit.partners.get(close).copied().unwrap_or(close);
        let before = open.checked_sub(1).map_or("", |before| self.name_at(before));
        !matches!(before, "const" | "let" | "var" | "(" | ",")
            || before == "("
                && open.checked_sub(2).is_none_or(|at| !self.is_name(at) && self.name_at(at) != ")")
    }
}
