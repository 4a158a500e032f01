//! Code that is made and not run: what a script only compiles, and functions that it only exports. Owns how that is told.

use std::{ops::Range, rc::Rc};

use portcullis_syntax::code::TokenKind;

use super::{super::interpreter::Interpreter, ENTRIES, HEAD};
use crate::bound::Bounded;

impl Interpreter<'_, '_, '_> {
    /// The bodies of the methods that are exported in one object: `module.exports = { async up() { … }, async down() { … } }`.
    pub(super) fn exported_methods(&self, end: usize) -> Vec<Range<usize>> {
        if self.language != "javascript" {
            return Vec::new();
        }
        let objects: Vec<Range<usize>> = (0..end)
            .filter(|at| [*at, at + 1, at + 2].map(|at| self.name_at(at)) == ["exports", "=", "{"])
            .filter_map(|at| Some(at + 2..*self.unit.partners.get(at + 2)?))
            .collect();
        let is_exported = |body: &Range<usize>| {
            let names = |range: &Range<usize>| {
                let head = range.start + 1..body.start;
                head.rev().leading(HEAD).any(|at| ENTRIES.contains(&self.name_at(at)))
            };
            objects
                .iter()
                .any(|object| object.start < body.start && body.end <= object.end && !names(object))
        };
        let functions = self.functions.iter();
        functions
            .filter(|function| !function.called && Rc::ptr_eq(&function.unit, &self.unit))
            .map(|function| function.body.clone())
            .filter(is_exported)
            .collect()
    }

    /// `const command = new DeleteTableCommand(…)` where the reading stands behind it: whether all that the script asks of it is one of these
    /// members.
    pub(in super::super) fn is_only_asked(&self, members: &[&str]) -> bool {
        let Some(close) = self.at.checked_sub(1) else { return false };
        let mut begin = self.unit.partners.get(close).copied().unwrap_or(close);
        while begin > 0 && self.name_at(begin - 1) != "=" {
            let is_path = self.unit.tokens.get(begin - 1).is_some_and(|token| {
                token.kind == TokenKind::Name || token.span.of(self.source) == "."
            });
            if !is_path {
                return false;
            }
            begin -= 1;
        }
        let Some(place) = begin.checked_sub(2) else { return false };
        let declares = place.checked_sub(1).map_or("", |before| self.name_at(before));
        let name = self.name_at(place);
        let ends = self.unit.tokens.get(self.at).is_none_or(|token| token.first)
            || self.name_at(self.at) == ";";
        let asks = |at: usize| match self.unit.tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Text(_) | TokenKind::Command(_)) => !self.name_at(at).contains(name),
            _ => {
                self.name_at(at) != name
                    || at == place
                    || self.name_at(at + 1) == "."
                        && members.contains(&self.name_at(at + 2))
                        && !matches!(self.name_at(at + 3), "(" | "=" | "[")
            }
        };
        let count = self.unit.tokens.len();
        declares == "const" && ends && (0..count).all(asks) && !self.finds_names(count)
    }

    /// `code = compile(text, name, "exec")`, `new vm.Script(text)` where the reading stands behind it: whether nothing can run what came out, since
    /// nobody takes it, or all that the script asks of it is what it looks like.
    pub(in super::super) fn is_only_compiled(&self) -> bool {
        /// What runs it, or what finds it.
        const RUNS: &[&str] = &[
            "CodeType",
            "FunctionType",
            "__code__",
            "eval",
            "exec",
            "globals",
            "locals",
            "marshal",
            "replace",
            "runpy",
            "setattr",
            "types",
            "vars",
            "with",
        ];
        const TELLS: &[&str] = &["cachedDataRejected", "createCachedData", "sourceMapURL"];
        let Some(close) = self.at.checked_sub(1) else { return false };
        let open = self.unit.partners.get(close).copied().unwrap_or(close);
        let count = self.unit.tokens.len();
        if open >= close || (0..count).any(|at| RUNS.contains(&self.name_at(at))) {
            return false;
        }
        let mut begin = open;
        while begin > 0
            && matches!(self.name_at(begin - 1), "." | "compile" | "vm" | "Script" | "new")
        {
            begin -= 1;
        }
        let ends = |at: usize| {
            self.unit.tokens.get(at).is_none_or(|token| token.first)
                || matches!(self.name_at(at), ";" | "}")
        };
        let before = begin.checked_sub(1).map_or("", |before| self.name_at(before));
        if before != "=" {
            let is_statement = begin == 0
                || matches!(before, ";" | "{" | "}" | ":")
                || self.unit.tokens.get(begin).is_some_and(|token| token.first);
            return self.brackets == 0 && is_statement && ends(self.at);
        }
        let Some(place) = begin.checked_sub(2) else { return false };
        let name = self.name_at(place);
        let is_own = ends(self.at)
            && self.unit.tokens.get(place).is_some_and(|token| token.kind == TokenKind::Name)
            && place.checked_sub(1).is_none_or(|before| self.name_at(before) != ".");
        let asks = |at: usize| {
            let text = self.unit.tokens.get(at).is_some_and(|token| {
                matches!(token.kind, TokenKind::Text(_) | TokenKind::Command(_))
            });
            let member = self.name_at(at + 2);
            let is_told = self.name_at(at + 1) == "."
                && (member.starts_with("co_") || TELLS.contains(&member));
            match (text, self.name_at(at)) {
                (true, text) => !(text.contains('{') && text.contains(name)),
                (false, word) => word != name || at == place || is_told || self.only_looks(at),
            }
        };
        is_own && (0..count).all(asks)
    }
}
