//! Tests that hand a project's own function something else in the place of a service. Owns when such a function is not judged by what
//! it is called: what it does is what the double does, and the function's own file says the rest.

use super::{
    interpreter::Interpreter,
    libraries::{is_vendor, top_of},
    replaced::is_fake,
    value::{Given, Value},
};

/// Libraries that answer in the place of services and file systems. Sources: the libraries' own pages.
const ANSWERS: &[&str] = &[
    "aioresponses",
    "aws-sdk-client-mock",
    "axios-mock-adapter",
    "fakeredis",
    "fetch-mock",
    "httpretty",
    "memfs",
    "mock-fs",
    "mongomock",
    "moto",
    "msw",
    "nock",
    "pook",
    "pyfakefs",
    "pytest_httpx",
    "requests_mock",
    "responses",
    "respx",
];

/// What makes doubles.
const MAKES: &[&str] = &[
    "jest-mock-extended.",
    "jest.",
    "mock.",
    "mocker.",
    "pytest_mock.",
    "sinon.",
    "ts-mockito.",
    "unittest.mock.",
    "vi.",
    "vitest-mock-extended.",
    "vitest.vi.",
];

/// Words by which the real service may answer after all.
const REAL: &[&str] = &[
    "add_passthru",
    "allowUnmocked",
    "callThrough",
    "enableNetConnect",
    "importActual",
    "importOriginal",
    "pass_through",
    "passthrough",
    "real_http",
    "requireActual",
    "unmock",
    "wraps",
];

/// How a test is written.
const TESTS: &[&str] = &["assert(", "assert.", "def test_", "expect(", "it(", "test("];

fn is_fake_or_vendor(path: &str) -> bool {
    is_fake(path) || is_vendor(path.split('.').next().unwrap_or(path))
}

/// How deep doubles are looked for in what is given.
const DEPTH: usize = 4;

impl Interpreter<'_, '_, '_> {
    /// Whether a function of this module is one of the project's own that works on doubles here.
    pub(super) fn works_on_doubles(&self, module: &str, given: &[Given]) -> bool {
        let is_own = match self.language {
            "javascript" => {
                ["./", "../", "/", "@/", "~/", "#"].iter().any(|start| module.starts_with(start))
            }
            _ => !is_vendor(module),
        };
        if !is_own || REAL.iter().any(|word| self.source.contains(word)) {
            return false;
        }
        let is_test = || TESTS.iter().any(|shape| self.source.contains(shape));
        let answers = || {
            self.modules.iter().any(|module| ANSWERS.contains(&top_of(module)))
                || ["jest.mock(", "vi.mock("].iter().any(|call| self.source.contains(call))
        };
        self.puts_aside()
            || is_test() && self.works_on_own_directory(given)
            || given.iter().any(|given| self.is_double(&given.value, DEPTH))
            || is_test() && answers()
    }

    /// Remembers an object of the project's own that is made of a double of a database, and of nothing else that reaches anywhere.
    pub(super) fn notice_over_double(&mut self, path: &str, given: &[Given]) {
        /// How many such objects are remembered.
        const OBJECTS: usize = 16;
        let name = path.rsplit('.').next().unwrap_or_default();
        let is_class = name.starts_with(|first: char| first.is_ascii_uppercase());
        let is_fake = |it: &Given| matches!(&it.value, Value::Name(path, _) if is_fake(path));
        if !is_class || is_fake_or_vendor(path) || self.seen.over_doubles.len() >= OBJECTS {
            return;
        }
        let is_plain = |it: &Given| it.value.as_known().is_some() || is_fake(it);
        if given.iter().any(is_fake) && given.iter().all(is_plain) {
            self.seen.over_doubles.push(format!("{path}()"));
        }
    }

    /// Whether the script is a test in which every file is one of a double: `jest.mock('fs')`.
    pub(super) fn mocks_files(&self) -> bool {
        const FILES: &[&str] = &["fs", "fs-extra", "fs/promises", "node:fs", "node:fs/promises"];
        let is_mock = |at: usize| {
            matches!(self.name_at(at), "jest" | "vi")
                && [1, 2, 3].map(|by| self.name_at(at + by)) == [".", "mock", "("]
                && FILES.contains(&self.name_at(at + 4).trim_matches(['"', '\'', '`']))
                && self.name_at(at + 5) == ")"
        };
        self.language == "javascript"
            && self.source.contains(".mock(")
            && TESTS.iter().any(|shape| self.source.contains(shape))
            && !REAL.iter().any(|word| self.source.contains(word))
            && (0..self.unit.tokens.len()).any(is_mock)
    }

    /// Whether a path leads through such an object.
    pub(super) fn is_over_double(&self, path: &str) -> bool {
        !REAL.iter().any(|word| self.source.contains(word))
            && self.seen.over_doubles.iter().any(|object| {
                path.strip_prefix(object.as_str()).is_some_and(|rest| rest.starts_with('.'))
            })
    }

    /// Whether a function is given nothing but the directory that pytest made for the test, or what lies in it, and numbers.
    fn works_on_own_directory(&self, given: &[Given]) -> bool {
        let is_within = |given: &&Given| {
            let path = given.value.as_known();
            path.is_some_and(|path| path.starts_with("/tmp/tmp.made") && !path.contains(".."))
        };
        let is_plain = |given: &Given| {
            matches!(given.value, Value::Number(_))
                || given.value.is_true()
                || given.value.is_false()
        };
        self.language == "python"
            && given.iter().any(|given| is_within(&given))
            && given.iter().all(|given| is_within(&given) || is_plain(given))
    }

    /// Whether a value is a double, or holds one: what a library of doubles made, or an object of a class of this script.
    fn is_double(&self, value: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match value {
            Value::Name(path, _) => {
                let root = path.strip_suffix("()").unwrap_or(path);
                MAKES.iter().any(|maker| path.starts_with(maker)) || self.is_class(root)
            }
            Value::Table(entries) => entries.iter().any(|(_, value)| self.is_double(value, depth)),
            Value::List(values) | Value::Any(values) => {
                values.iter().any(|value| self.is_double(value, depth))
            }
            _ => false,
        }
    }
}
