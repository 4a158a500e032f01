//! Up to where something stands in for the real thing in a file of tests. Owns what runs before and behind each test.

use super::{super::interpreter::Interpreter, Replaced};

/// What calls a function behind each test, or behind all of them.
const AFTER_TESTS: &[&str] = &["after", "afterAll", "afterEach", "teardown"];

/// What calls a function before each test, or before all of them.
const BEFORE_TESTS: &[&str] = &["before", "beforeAll", "beforeEach", "setup"];

/// Those of both that do so for each.
const EACH: &[&str] = &["afterEach", "beforeEach", "setup", "teardown"];

impl Interpreter<'_, '_, '_> {
    /// The bracket of the nearest call of these names whose arguments something stands in.
    pub(super) fn handed_to(&self, at: usize, names: &[&str]) -> Option<usize> {
        (1..at).rev().find(|open| {
            self.word_at(*open) == "("
                && self.partner(*open) > at
                && names.contains(&self.word_at(open - 1))
        })
    }

    /// The block that something stands in.
    fn block_around(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|open| self.word_at(*open) == "{" && self.partner(*open) > at)
    }

    /// What is replaced here before tests and put back behind them, at all of these places, is so for the tests of the block around. Whether
    /// that is what stands here; what was replaced once is not so for each where it is put back behind the first.
    pub(super) fn replaces_for_tests(&mut self, paths: &[String], back: &[usize]) -> bool {
        let looks = back.len().saturating_add(2);
        if !self.spend((self.unit.tokens.len() / 8 + 1).saturating_mul(looks)) {
            return false;
        }
        let here = self.at.saturating_sub(1);
        let (is_each, end, calls) = match self.handed_to(here, BEFORE_TESTS) {
            Some(open) => {
                let end = self.block_around(open).map_or(usize::MAX, |block| self.partner(block));
                let is_each = EACH.contains(&self.word_at(open - 1));
                (is_each, end, self.calls.saturating_sub(1))
            }
            None if self.block_around(here).is_none() => (false, usize::MAX, 0),
            None => return false,
        };
        let is_behind = |at: &usize| {
            let open = self.handed_to(*at, AFTER_TESTS);
            open.is_some_and(|open| is_each || !EACH.contains(&self.word_at(open - 1)))
        };
        if !back.iter().filter(|at| **at < end).all(is_behind) {
            return false;
        }
        let all = paths.iter().map(|path| Replaced { path: path.clone(), end, calls });
        self.replaced.extend(all);
        true
    }

    /// What is replaced in an example of RSpec is so while it runs; what is so before each, for the group around.
    pub(in super::super) fn replaces_for_example(&mut self, path: String) {
        let here = self.at.saturating_sub(1);
        if !self.spend(here / 8 + 1) {
            return;
        }
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let holds = |at: usize| {
            let open = (at + 1..self.unit.tokens.len().min(at + 16))
                .find(|open| matches!(self.word_at(*open), "do" | "{"))?;
            let end = self.end_of_block(open)?;
            (open < here && here < end).then_some(end)
        };
        let is_before = (0..here).any(|at| self.word_at(at) == "before" && holds(at).is_some());
        let group = (0..here)
            .rev()
            .filter(|at| matches!(self.word_at(*at), "context" | "describe"))
            .find_map(holds);
        let example = (0..here)
            .rev()
            .filter(|at| matches!(self.word_at(*at), "example" | "it" | "specify"))
            .find_map(holds);
        self.end = outer;
        match group {
            Some(end) if is_before => self.replaced.push(Replaced { path, end, calls: 0 }),
            _ => {
                let calls = self.calls;
                self.replaced.extend(example.map(|end| Replaced { path, end, calls }));
            }
        }
    }

    /// The files of the runtime that `mock-fs` makes here are in memory: for the tests around, or up to the only `restore` behind it, and no further
    /// than the block that it stands in.
    pub(super) fn replaces_files(&mut self) {
        let tokens = self.unit.tokens.len();
        if !self.spend(tokens / 8) {
            return;
        }
        let paths = ["fs", "fs/promises"].map(str::to_owned);
        let restores: Vec<usize> = (1..tokens)
            .filter(|at| self.word_at(*at) == "restore" && self.word_at(at - 1) == ".")
            .collect();
        if self.replaces_for_tests(&paths, &restores) {
            return;
        }
        let here = self.at.saturating_sub(1);
        let own = self.block_around(here);
        let end = match (restores.as_slice(), own) {
            ([], Some(block)) => self.partner(block),
            ([one], _) if *one > here && self.block_around(*one) == own => *one,
            _ => return,
        };
        let calls = self.calls;
        self.replaced.extend(paths.map(|path| Replaced { path, end, calls }));
    }
}
