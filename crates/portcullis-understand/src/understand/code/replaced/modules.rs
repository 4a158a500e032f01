//! Modules of Node that a test framework replaces whole: `jest.mock("fs")`. Owns when nothing in the text has the real one after all.

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    names_members,
};
/// Modules of the runtime itself.
const OF_THE_RUNTIME: &[&str] = &[
    "child_process",
    "fs",
    "fs/promises",
    "http",
    "https",
    "net",
    "os",
    "process",
    "vm",
    "worker_threads",
];

/// The name of a module without what says that it is one of Node's own.
pub(super) fn plain_module(name: &str) -> &str {
    name.strip_prefix("node:").unwrap_or(name)
}

impl Interpreter<'_, '_, '_> {
    /// Whether what a module is replaced with has nothing of another module, and no way to get one.
    pub(super) fn is_made_up(&self, with: Option<&Given>) -> bool {
        let Some(with) = with else { return true };
        let range = with.span.range();
        // What takes something may be given the real one; options may say that it stays.
        let written: String = self
            .source
            .get(range.clone())
            .unwrap_or_default()
            .chars()
            .filter(|it| !it.is_whitespace())
            .collect();
        if !["()=>", "async()=>", "function()", "asyncfunction()"]
            .iter()
            .any(|begins| written.starts_with(begins))
        {
            return false;
        }
        let inside = |at: &usize| {
            self.unit.tokens.get(*at).is_some_and(|token| {
                range.start <= token.span.range().start && token.span.range().end <= range.end
            })
        };
        let is_foreign = |at: usize| {
            let word = self.word_at(at);
            // `{ execSync: jest.fn() }`
            let is_key = self.word_at(at + 1) == ":"
                && at.checked_sub(1).is_some_and(|it| matches!(self.word_at(it), "{" | ","));
            !is_key
                && (matches!(
                    word,
                    "require"
                        | "import"
                        | "process"
                        | "globalThis"
                        | "global"
                        | "eval"
                        | "Function"
                ) || matches!(self.variables.get(word), Some(Value::Name(path, _))
                    if !path.starts_with("jest") && !path.starts_with("vi")))
        };
        !range.is_empty() && !(0..self.unit.tokens.len()).filter(inside).any(is_foreign)
    }

    /// Whether the text itself says what `jest`, `test` and the like are.
    fn has_harness_of_its_own(&self) -> bool {
        const NAMES: &[&str] = &["describe", "it", "jest", "test", "vi"];
        const DEFINES: &[&str] = &["class", "const", "function", "let", "var"];
        (0..self.unit.tokens.len()).any(|at| match self.word_at(at) {
            "Reflect" | "eval" | "global" | "globalThis" | "window" => true,
            word if NAMES.contains(&word) => {
                let before = at.checked_sub(1).map_or("", |before| self.word_at(before));
                DEFINES.contains(&before) || matches!(self.word_at(at + 1), "=" | ":")
            }
            _ => false,
        })
    }

    /// Whether a test expects that what is called between these brackets throws instead of doing anything: `expect(() => wipe("/")).toThrow()`,
    /// `assert.rejects(wipe("/"))`. Without a framework of tests there is no `expect`.
    pub(in super::super) fn expects_throw(&mut self, callee: &Value, close: usize) -> bool {
        const EXPECTS: &[&str] =
            &["expect", "vitest.expect", "@jest/globals.expect", "bun:test.expect", "chai.expect"];
        const THROWS: &[&str] = &[
            "assert.rejects",
            "assert.throws",
            "assert/strict.rejects",
            "assert/strict.throws",
            "assert.strict.rejects",
            "assert.strict.throws",
            "t.throws",
            "t.throwsAsync",
        ];
        let Value::Name(path, _) = callee else { return false };
        if self.language != "javascript" {
            return false;
        }
        let path = plain_module(path);
        let behind = |at: usize| self.word_at(close + at);
        let throws = THROWS.contains(&path)
            || EXPECTS.contains(&path)
                && behind(1) == "."
                && match behind(2) {
                    "rejects" => behind(3) == "." && behind(4) != "not",
                    "to" => behind(3) == "." && matches!(behind(4), "throw" | "throws" | "Throw"),
                    word => matches!(
                        word,
                        "toThrow"
                            | "toThrowError"
                            | "toThrowErrorMatchingInlineSnapshot"
                            | "toThrowErrorMatchingSnapshot"
                    ),
                };
        throws && self.spend(self.unit.tokens.len() / 64) && !self.has_harness_of_its_own()
    }

    /// Whether what made a client is only asked for under a condition: `test ? mockClient(S3Client) : null`.
    pub(super) fn is_under_condition(&self) -> bool {
        let line = (0..self.at).rev().find(|at| self.is_first(*at)).unwrap_or(0);
        (line..self.at).any(|at| matches!(self.word_at(at), "?" | "&&" | "||" | "??" | "if"))
    }

    /// Whether a test framework that replaces a module replaces all that the text has of it. Node's own modules have several names, and without
    /// a test that runs there is no such framework.
    pub(super) fn is_replaced_whole(&self, name: &str) -> bool {
        let plain = plain_module(name);
        if !OF_THE_RUNTIME.contains(&plain) {
            return true;
        }
        let is_test = ["test(", "it(", "describe("].iter().any(|it| self.source.contains(it));
        let is_named = |other: &str| {
            ["'", "\"", "`"].iter().any(|quote| {
                self.source.contains(&format!("{quote}{other}{quote}"))
                    || self.source.contains(&format!("{quote}node:{other}{quote}"))
            })
        };
        let others = match plain {
            "fs" => ["fs/promises", "fs-extra", "graceful-fs"].as_slice(),
            "fs/promises" => ["fs", "fs-extra", "graceful-fs"].as_slice(),
            _ => &[],
        };
        if self.has_harness_of_its_own() {
            return false;
        }
        let binds = ["binding", "createRequire", "getBuiltinModule", "mainModule", "_load"];
        is_test
            && !others.iter().any(|other| is_named(other))
            && !["try", "catch", "typeof"]
                .iter()
                .any(|word| (0..self.at).any(|at| self.word_at(at) == *word))
            && !binds.iter().any(|word| self.source.contains(word))
            && !names_members(self.source)
    }
}
