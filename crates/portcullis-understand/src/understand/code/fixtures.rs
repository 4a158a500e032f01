//! What pytest hands to a test: the value of a fixture, by the name of the parameter.

use portcullis_model::text::Text;
use portcullis_syntax::code::TokenKind;

use super::interpreter::Interpreter;
use super::value::Value;

/// Fixtures that are a new directory for each test (pytest 8, "How to use temporary directories and files in tests").
const DIRECTORIES: &[&str] = &["tmp_path", "tmpdir"];

/// How many tokens before a definition its decorators are looked for, and before its body the definition.
const REACH: usize = 96;

impl Interpreter<'_, '_, '_> {
    /// What a function that nothing in the text calls gets for a parameter: what pytest gives to a test, else unknown.
    pub(super) fn fixture(&mut self, name: &str) -> Value {
        if self.language != "python" {
            return Value::unknown(name);
        }
        match self.named.get(name).copied() {
            Some(index) if self.is_fixture(index) => {
                let outer = self.seen.in_fixture.replace(self.calls + 1);
                let value = self.apply(index, None);
                self.seen.in_fixture = outer;
                value
            }
            None if DIRECTORIES.contains(&name) => Value::Text(Text::known("/tmp/tmp.made")),
            _ => Value::unknown(name),
        }
    }

    /// The function that was just defined takes the place of pytest's own directory for a test, so that tests of other
    /// files that are given it work somewhere else.
    pub(super) fn replaces_fixture(&self, name: &str, index: usize) -> bool {
        self.language == "python" && DIRECTORIES.contains(&name) && self.is_fixture(index)
    }

    /// `@pytest.fixture` or `@fixture(…)` stands before the definition.
    fn is_fixture(&self, index: usize) -> bool {
        self.is_decorated(index, &["fixture"])
    }

    /// A decorator of one of these names stands before the definition.
    pub(super) fn is_decorated(&self, index: usize, names: &[&str]) -> bool {
        let Some(function) = self.functions.get(index) else { return false };
        let word = |at: usize| match function.unit.tokens.get(at) {
            Some(token) if matches!(token.kind, TokenKind::Name | TokenKind::Operator) => {
                token.span.of(self.source)
            }
            _ => "",
        };
        let before = |end: usize| end.saturating_sub(REACH)..end;
        let definition = before(function.body.start).rev().find(|at| word(*at) == "def");
        let Some(definition) = definition else { return false };
        for at in before(definition).rev() {
            match word(at) {
                "def" | "class" => return false,
                name if names.contains(&name) => {
                    return matches!(word(at.saturating_sub(1)), "@" | ".");
                }
                _ => {}
            }
        }
        false
    }
}
