//! Patches by what pytest hands to a test: `monkeypatch.setattr`, `mocker.patch`. They last as long as the test does.

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    HARMLESS, REAL, Replaced, is_error,
};
use crate::text::{Piece, Text};

impl Interpreter<'_, '_, '_> {
    /// A patch by a fixture; whether it is one.
    pub(in super::super) fn patches_by_fixture(
        &mut self,
        receiver: &Value,
        name: &str,
        given: &[Given],
    ) -> bool {
        /// What takes such patches back before the test is over.
        const BACK: &[&str] = &[".context(", ".undo(", "stopall("];
        let path = match (receiver, name) {
            (Value::Text(text), "setattr") if is_fixture(text, "monkeypatch") => {
                self.set_by_fixture(given)
            }
            (Value::Text(text), "patch") if is_fixture(text, "mocker") => {
                let target = given.first().and_then(|it| it.value.as_known());
                target.filter(|_| self.are_harmless(given, 1)).map(str::to_owned)
            }
            (Value::Method(method), "object")
                if method.1 == "patch"
                    && matches!(&method.0, Value::Text(text) if is_fixture(text, "mocker")) =>
            {
                of_object(given).filter(|_| self.are_harmless(given, 2))
            }
            _ => return false,
        };
        let Some(path) = path else { return false };
        let last = path.rsplit('.').next().unwrap_or(&path);
        let is_back = REAL.iter().chain(BACK).any(|word| self.source.contains(word));
        if is_back || self.keeps_real(last) {
            return false;
        }
        let path = self.canonical(path.strip_prefix("__main__.").unwrap_or(&path));
        // What is called in its place does what it does.
        for given in given {
            if let Value::Function(index) = given.value {
                self.stand_ins.push((path.clone(), index));
            }
        }
        // One that a fixture makes lasts as long as the test that asked for the fixture.
        let of_fixture = usize::from(self.seen.in_fixture == Some(self.calls));
        let calls = self.calls - of_fixture;
        self.replaced.push(Replaced { path, end: usize::MAX, calls });
        true
    }

    /// `monkeypatch.setattr(os, "remove", calls.append)`, `monkeypatch.setattr("os.remove", lambda path: None)`.
    fn set_by_fixture(&self, given: &[Given]) -> Option<String> {
        let plain: Vec<Given> = given.iter().filter(|it| it.name.is_none()).cloned().collect();
        let (path, with) = match plain.as_slice() {
            [target, with] => (target.value.as_known()?.to_owned(), with),
            [_, _, with] => (of_object(&plain)?, with),
            _ => return None,
        };
        self.stands_in(&with.value).then_some(path)
    }

    /// `sys.modules["boto3"] = MagicMock()`: whoever imports it from then on gets the other one. One that is made by hand has nothing but what
    /// the script gives it.
    pub(in super::super) fn puts_module_aside(&mut self, module: &str, value: &Value) {
        let is_real = REAL.iter().any(|word| self.source.contains(word))
            || ["sys.modules.pop", "del sys", "find_spec"]
                .iter()
                .any(|it| self.source.contains(it))
            || self.source.matches("sys.modules").count() != 1;
        let count = self.unit.tokens.len();
        if self.language != "python" || is_real || !self.spend(count / 8 + 1) {
            return;
        }
        let made = |at: usize| {
            let word = self.name_at(at);
            matches!(word, "lambda" | "MagicMock" | "Mock" | "None" | "True" | "False")
                || self.named.contains_key(word)
                || self.literal_at(at).is_some()
        };
        // It stands by itself: `sys.modules["boto3"] = stub`.
        let line = (0..self.at).rev().find(|at| self.is_first(*at)).unwrap_or_default();
        if self.name_at(line) != "sys" {
            return;
        }
        let is_empty = matches!(value, Value::Name(path, _) if &**path == "types.ModuleType()")
            && (1..count).all(|at| {
                let is_member = self.name_at(at) == "."
                    && self.name_at(at + 2) == "="
                    && self.variables.get(self.name_at(at - 1)).is_some_and(
                        |it| matches!(it, Value::Name(path, _) if &**path == "types.ModuleType()"),
                    );
                !is_member || made(at + 3)
            });
        if is_empty || matches!(value, Value::Name(..)) && self.stands_in(value) {
            let path = module.to_owned();
            self.replaced.push(Replaced { path, end: usize::MAX, calls: 0 });
        }
    }

    /// Whether what is given from the argument at `at` on runs nothing of what it stands for.
    pub(super) fn are_harmless(&self, given: &[Given], at: usize) -> bool {
        given.iter().skip(at).all(|given| match given.name.as_deref() {
            None | Some("new") => self.stands_in(&given.value),
            Some("side_effect") => {
                matches!(&given.value, Value::Name(path, _) if is_error(path.trim_end_matches("()")))
            }
            Some(name) => {
                HARMLESS.contains(&name) && !matches!(given.value, Value::Function(_))
            }
        })
    }

    /// Whether a value is none that does anything outside of the program when it is called, as far as it is not read by itself: a mock, a
    /// function of the script, a method of a list of the script.
    fn stands_in(&self, value: &Value) -> bool {
        match value {
            Value::Name(path, _) => {
                value.is_false()
                    || ["AsyncMock()", "MagicMock()", "Mock()"].iter().any(|mock| {
                        path.strip_suffix(mock)
                            .is_some_and(|module| matches!(module, "" | "mock." | "unittest.mock."))
                    })
            }
            Value::Function(_) => true,
            Value::Method(method) => matches!(method.0, Value::List(_)),
            _ => false,
        }
    }
}

/// Whether a value is what pytest hands to a test under this name.
fn is_fixture(text: &Text, name: &str) -> bool {
    matches!(&*text.pieces, [Piece::Unknown(origin)] if &**origin == name)
}

/// What `(module, "function", …)` stands for.
pub(super) fn of_object(given: &[Given]) -> Option<String> {
    match given {
        [
            Given { value: Value::Name(of, _), name: None, .. },
            Given { value, name: None, .. },
            ..,
        ] => Some(format!("{of}.{}", value.as_known()?)),
        _ => None,
    }
}
