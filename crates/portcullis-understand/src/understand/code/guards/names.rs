//! The names and texts that conditions on paths are made of. Owns which name a comparison is about, whether it was resolved before, and what it is
//! compared with.

use std::{ops::Range, rc::Rc};

use portcullis_syntax::code::{TextPart, TokenKind};

use super::super::{interpreter::Interpreter, value::Value};

/// How many texts a name may be one of.
const TEXTS: usize = 16;

/// How far back the place is looked for where a name got its value.
const BACK: usize = 512;

/// What resolves a path, so that no `..` is left in it.
const RESOLVES: &[&str] = &[
    "abs_path",
    "abspath",
    "cleanpath",
    "expand_path",
    "normalize",
    "normpath",
    "realpath",
    "realpathSync",
    "relative",
    "resolve",
];

/// What may stand around the name of a path where it is looked at.
const AROUND: &[&str] = &[
    "(", ")", ".", "Path", "File", "Pathname", "String", "absolute", "as_posix", "await", "fs",
    "fspath", "os", "path", "pathlib", "promises", "str", "toString", "to_s",
];

/// What may be called to say what the root is.
const PURE: &[&str] = &[
    "Path",
    "Pathname",
    "PurePath",
    "String",
    "__dir__",
    "abs_path",
    "absolute",
    "abspath",
    "as_posix",
    "cwd",
    "dirname",
    "expand_path",
    "expanduser",
    "fspath",
    "getcwd",
    "home",
    "homedir",
    "join",
    "normalize",
    "normpath",
    "path",
    "realpath",
    "realpathSync",
    "resolve",
    "rstrip",
    "str",
    "strict",
    "toString",
    "to_s",
];

impl Interpreter<'_, '_, '_> {
    /// Where the bracket opens that closes at `close`, within a range.
    pub(super) fn opening(&self, close: usize, range: &Range<usize>) -> Option<usize> {
        let open = self.unit.partners.get(close).copied()?;
        (self.word_at(close) == ")" && range.contains(&open) && open < close).then_some(open)
    }

    /// The one name in a range that is worth a path or a text, and whether that is resolved.
    pub(super) fn subject(&self, range: Range<usize>) -> Option<(String, bool)> {
        let mut found: Option<usize> = None;
        let mut resolves = false;
        for at in range {
            let word = self.word_at(at);
            let is_called = self.word_at(at + 1) == "(";
            let is_member = at.checked_sub(1).is_some_and(|it| self.word_at(it) == ".");
            if RESOLVES.contains(&word) && is_called {
                resolves = true;
            } else if AROUND.contains(&word)
                && (is_called || is_member || !self.is_name(at) || self.word_at(at + 1) == ".")
            {
            } else if self.is_name(at) || word.starts_with('$') {
                if found.is_some() || is_called || is_member {
                    return None;
                }
                found = Some(at);
            } else {
                return None;
            }
        }
        let at = found?;
        let name = self.word_at(at).to_owned();
        let is_resolved = resolves
            || self.value_behind(at).is_some_and(|mut value| {
                value.any(|at| {
                    RESOLVES.contains(&self.word_at(at))
                        || self.language == "javascript" && self.word_at(at) == "join"
                })
            });
        Some((name, is_resolved))
    }

    /// The tokens of the value that the name at `at` got last before it.
    pub(super) fn value_behind(&self, at: usize) -> Option<Range<usize>> {
        let name = self.word_at(at);
        let first = at.saturating_sub(BACK);
        let equals = (first..at).rev().find(|back| {
            self.word_at(*back) == name
                && self.word_at(back + 1) == "="
                && back.checked_sub(1).is_none_or(|it| self.word_at(it) != ".")
        })? + 2;
        let ends = |at: &usize| {
            self.word_at(*at) == ";"
                || *at > equals && self.is_first(*at) && self.word_at(*at) != "."
        };
        let end = self.find_outside(equals, at, ends)?;
        Some(equals..end)
    }

    /// The text of what a path is compared with, where it is known and nothing is done to compute it.
    pub(super) fn root(&mut self, range: Range<usize>) -> Option<String> {
        let is_pure = range.clone().all(|at| {
            self.word_at(at + 1) != "("
                || !self.is_name(at)
                || PURE.contains(&self.word_at(at)) && !self.named.contains_key(self.word_at(at))
        });
        if !is_pure || range.is_empty() || range.len() > 32 {
            return None;
        }
        let unit = Rc::clone(&self.unit);
        let end = range.end;
        let (value, is_whole) = self.within(unit, range, |inner| {
            let value = inner.expression(0);
            (value, inner.at >= end)
        });
        is_whole.then(|| value.as_known().map(str::to_owned)).flatten()
    }

    /// Texts that something is one of: a list, the keys of a table.
    pub(super) fn texts_in(&mut self, range: Range<usize>) -> Option<Vec<String>> {
        let value = if range.len() == 1 && self.is_name(range.start) {
            self.bound(self.word_at(range.start))?
        } else {
            // `["dist", "build"].includes(name)`
            let literal = |at: usize| match &self.token_at(at)?.kind {
                TokenKind::Text(parts) => match parts.as_ref() {
                    [TextPart::Literal(text)] => Some(Value::known(text)),
                    _ => None,
                },
                _ => None,
            };
            let is_listed = matches!(self.word_at(range.start), "(" | "[" | "{")
                && self.partner(range.start) + 1 == range.end;
            let inside = (range.start + 1..range.end.saturating_sub(1))
                .filter(|at| self.word_at(*at) != ",");
            Value::List(inside.filter(|_| is_listed).map(literal).collect::<Option<Vec<_>>>()?)
        };
        let texts: Option<Vec<String>> = match &value {
            Value::List(list) => list.iter().map(|it| it.as_known().map(str::to_owned)).collect(),
            Value::Table(table) => Some(table.iter().map(|(key, _)| key.clone()).collect()),
            _ => None,
        };
        texts.filter(|texts| !texts.is_empty() && texts.len() <= TEXTS)
    }

    /// Whether a name is worth a text.
    pub(super) fn is_worth_a_text(&self, name: &str) -> bool {
        matches!(self.variables.get(name), Some(Value::Text(_) | Value::Name(..)))
    }
}
