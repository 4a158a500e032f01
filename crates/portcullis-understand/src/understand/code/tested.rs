//! Tests of Django: whatever rows they delete are those of a database that the test runner makes for them. Owns how such a test is told; one
//! that the text itself calls, or runs without that runner, is none.
//!
//! Sources: docs.djangoproject.com, "The test database"; pytest-django.readthedocs.io, "Database access".

use portcullis_syntax::{Span, code::Token};

use super::{interpreter::Interpreter, libraries::Called};

/// Modules whose classes of tests are run in the database of the test runner.
const CLASSES: &[&str] =
    &["django.contrib.staticfiles.testing.", "django.test.", "rest_framework.test."];

/// What pytest-django gives a test that may use the database.
const FIXTURES: &[&str] =
    &["db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback"];

/// Words by which a text runs tests, or what stands in them, by itself.
const RUNS: &[&str] = &[
    "TestLoader",
    "TestProgram",
    "TextTestRunner",
    "__init_subclass__",
    "__main__",
    "__subclasses__",
    "_getframe",
    "atexit",
    "call_command",
    "create_test_db",
    "eval",
    "exec",
    "f_globals",
    "getattr",
    "getmembers",
    "globals",
    "locals",
    "main",
    "mro",
    "setup",
    "unblock",
    "using",
    "vars",
];

/// The same, with what they belong to.
const RUNS_BY: &[&str] = &[
    "TestRunner",
    "__main__",
    "pytest.main",
    "settings.configure",
    "sys.modules",
    "unittest.main",
];

/// How far before a definition its decorators stand.
const HEAD: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// Whether a model's rows are deleted within a test of Django that only its runner calls.
    pub(super) fn is_of_test_database(&mut self, called: &Called<'_>, span: Span) -> bool {
        // Whatever stands behind a function may call it.
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let is_test = self.stands_in_test(called, span);
        self.end = outer;
        is_test
    }

    fn stands_in_test(&self, called: &Called<'_>, span: Span) -> bool {
        if self.language != "python"
            || !called.way.contains(&"objects")
            || RUNS_BY.iter().any(|word| self.source.contains(word))
            || (0..self.unit.tokens.len()).any(|at| RUNS.contains(&self.word_at(at)))
        {
            return false;
        }
        let starts = |token: &Token| token.span.start < span.start;
        let at = self.unit.tokens.partition_point(starts);
        let is_around = |start: &usize| self.is_first(*start) && self.block_end(*start) > at;
        let outermost = (0..at).find(|start| {
            is_around(start)
                && (matches!(self.word_at(*start), "class" | "def")
                    || self.word_at(*start) == "async" && self.word_at(*start + 1) == "def")
        });
        let Some(start) = outermost else { return false };
        // What stands in a class itself is run when it is read.
        let is_in_function =
            (start..at).any(|start| self.word_at(start) == "def" && self.block_end(start) > at);
        if !is_in_function || self.is_decorated_by_own(start) {
            return false;
        }
        match self.word_at(start) {
            "class" => self.is_class_of_tests(start),
            "async" => self.is_function_of_tests(start, start + 2),
            _ => self.is_function_of_tests(start, start + 1),
        }
    }

    /// Whether a decorator before a definition is one of the text, which may call what it gets.
    fn is_decorated_by_own(&self, start: usize) -> bool {
        self.lines_of_decorators(start).any(|at| {
            let name = self.word_at(at + 1);
            const KNOWN: &[&str] = &[
                "classmethod",
                "mock",
                "override_settings",
                "patch",
                "pytest",
                "staticmethod",
                "tag",
            ];
            self.word_at(at) == "@"
                && (self.named.contains_key(name) || self.is_class(name) || !KNOWN.contains(&name))
        })
    }

    /// The tokens of the lines before a definition that begin with `@`.
    fn lines_of_decorators(&self, start: usize) -> std::ops::Range<usize> {
        let first = start.saturating_sub(HEAD);
        let begin = (first..start)
            .rev()
            .find(|at| self.is_first(*at) && self.word_at(*at) != "@")
            .unwrap_or(first);
        begin..start
    }

    /// `class OrderTests(TestCase):`, which nothing else in the text names.
    fn is_class_of_tests(&self, start: usize) -> bool {
        let name = self.word_at(start + 1);
        let base = self.bases.get(name).map(|base| self.canonical(base));
        base.is_some_and(|base| CLASSES.iter().any(|module| base.starts_with(module)))
            && self.is_named_once(name)
    }

    /// `def test_purge(db):`, `@pytest.mark.django_db`, a fixture that asks for the database.
    fn is_function_of_tests(&self, start: usize, at: usize) -> bool {
        let name = self.word_at(at);
        let close = self.unit.partners.get(at + 1).copied().unwrap_or(at);
        let asks = (at + 1..close).any(|at| FIXTURES.contains(&self.word_at(at)));
        let says = |word: &str| self.lines_of_decorators(start).any(|at| self.word_at(at) == word);
        let is_marked =
            says("django_db") || self.source.contains("pytestmark = pytest.mark.django_db");
        let is_fixture = says("fixture");
        let is_test = name.starts_with("test");
        if is_fixture {
            return asks
                && !(0..self.unit.tokens.len()).any(|at| {
                    self.word_at(at) == name
                        && at != start + 1
                        && self.word_at(at + 1) == "("
                        && !self.is_defined_at(at)
                });
        }
        is_test && (asks || is_marked) && self.is_named_once(name)
    }

    /// Whether the name at `at` is that of a definition.
    fn is_defined_at(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.word_at(before) == "def")
    }

    fn is_named_once(&self, name: &str) -> bool {
        (0..self.unit.tokens.len()).filter(|at| self.word_at(*at) == name).count() == 1
    }
}
