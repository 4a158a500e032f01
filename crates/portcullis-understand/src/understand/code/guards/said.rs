//! What a condition says of a name: that a path lies below another one, that a text is one of a few. Owns how that is written.

use std::{ops::Range, rc::Rc};

use super::super::{interpreter::Interpreter, value::Value};

/// How deep parts of a condition lie in each other.
const DEPTH: usize = 8;

/// What conditions are made of: where the script has something of its own by such a name, nothing is taken from it.
const ASKS: &[&str] = &[
    "commonpath",
    "has",
    "includes",
    "is_relative_to",
    "isAbsolute",
    "parents",
    "relative",
    "relative_to",
    "relpath",
    "start_with?",
    "startsWith",
    "startswith",
    "str_starts_with",
    "strpos",
];

/// Words by which a script may change what these do.
const CHANGES: &[&str] = &[
    "__proto__",
    "builtins",
    "defineProperty",
    "monkeypatch",
    "patch",
    "prototype",
    "setattr",
    "spyOn",
    "stub",
];

/// What a condition says.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Fact(Fact),
    Not(Box<Said>),
    /// All of these.
    All(Vec<Said>),
    /// At least one of these.
    Any(Vec<Said>),
    /// `if False:`: always so, or never.
    Always(bool),
    /// Something that is not read.
    Unknown,
}

/// Something of a name.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) holds: Holds,
    /// Whether the name was resolved before it was asked, so that what is below a root by its text is so.
    pub(super) is_resolved: bool,
    /// The token where that is asked.
    pub(super) at: usize,
}

/// What a name is said to be.
#[derive(Clone, Debug)]
pub(super) enum Holds {
    /// A path below another one; `is_strict` where it is not that one itself.
    Below { root: String, is_strict: bool },
    /// A text that begins with this.
    Begins { with: String },
    /// One of these texts.
    Is { one_of: Vec<String> },
    /// True.
    True,
}

impl Interpreter<'_, '_, '_> {
    /// What the condition in these tokens says; nothing where that is nothing that is read.
    pub(super) fn said_by(&mut self, condition: Range<usize>) -> Option<Said> {
        let asks = condition.clone().any(|at| {
            let word = self.word_at(at);
            let is_plain = |value: &Value| value.is_true() || value.is_false();
            self.variables.get(word).is_some_and(is_plain)
                || matches!(word, "self" | "this")
                || literal(word).is_some()
                || self.word_at(at + 1) == "."
                || ASKS.contains(&word)
                || matches!(word, "in" | "==" | "===" | "!=" | "!==" | "len")
                || self.word_at(at + 1) == "("
                    && (self.named.contains_key(word)
                        || matches!(self.variables.get(word), Some(Value::Function(_))))
        });
        if !asks || !self.asks_as_ever() || !self.spend(condition.len()) {
            return None;
        }
        let said = self.said_in(condition, DEPTH);
        (!is_unknown(&said)).then_some(said)
    }

    /// Whether what conditions are made of is what it always is.
    fn asks_as_ever(&mut self) -> bool {
        if let Some(known) = self.seen.asks_as_ever {
            return known;
        }
        let count = self.unit.tokens.len();
        let is_read = self.spend(count / 16);
        let is_changed = |at: usize| {
            let word = self.name_at(at);
            let before = || at.checked_sub(1).map_or("", |before| self.name_at(before));
            CHANGES.contains(&word)
                || ASKS.contains(&word)
                    && (self.name_at(at + 1) == "=" && !matches!(before(), "(" | ",")
                        || matches!(before(), "def" | "function" | "get" | "as")
                        // `{ startsWith() { return true; } }`
                        || before() != "."
                            && self.name_at(at + 1) == "("
                            && self.language == "javascript")
        };
        let known = is_read && !(0..count).any(is_changed);
        self.seen.asks_as_ever = Some(known);
        known
    }

    fn said_in(&mut self, condition: Range<usize>, depth: usize) -> Said {
        let Some(depth) = depth.checked_sub(1) else { return Said::Unknown };
        let range = condition;
        for (words, is_all) in [(["or", "||"], false), (["and", "&&"], true)] {
            let parts = self.between(range.clone(), &words);
            if parts.len() > 1 {
                let said = parts.into_iter().map(|part| self.said_in(part, depth)).collect();
                return if is_all { Said::All(said) } else { Said::Any(said) };
            }
        }
        // What decides or gives something a value says more than is read.
        let others = ["?", "??", "if", "else", "lambda", ",", ":=", "="];
        if self.between(range.clone(), &others).len() > 1 {
            return Said::Unknown;
        }
        if matches!(self.word_at(range.start), "not" | "!") {
            let inner = self.said_in(range.start + 1..range.end, depth);
            return if matches!(inner, Said::Unknown) { inner } else { Said::Not(Box::new(inner)) };
        }
        if self.word_at(range.start) == "(" && self.partner(range.start) + 1 == range.end {
            return self.said_in(range.start + 1..range.end - 1, depth);
        }
        let holds = self
            .length_there(&range)
            .or_else(|| self.field_there(&range))
            .or_else(|| self.word_given(&range))
            .or_else(|| self.command_given(&range));
        if let Some(holds) = holds {
            return Said::Always(holds);
        }
        self.compared_there(&range)
            .or_else(|| self.asked_there(&range))
            .or_else(|| self.asked_of_own(&range, depth))
            .or_else(|| self.asked_alone(&range))
            .unwrap_or(Said::Unknown)
    }

    /// The parts of a range between these words, outside of brackets.
    fn between(&self, range: Range<usize>, words: &[&str]) -> Vec<Range<usize>> {
        let (mut parts, mut from, mut at) = (Vec::new(), range.start, range.start);
        while at < range.end {
            if words.contains(&self.word_at(at)) {
                parts.push(from..at);
                from = at + 1;
            }
            at = self.partner_or_next(at);
        }
        parts.push(from..range.end);
        parts
    }

    /// `a == b`, `a in b`, `a not in b`.
    fn compared_there(&mut self, range: &Range<usize>) -> Option<Said> {
        let operators = ["==", "===", "!=", "!==", "in"];
        let is_one = |at: &usize| operators.contains(&self.word_at(*at));
        let at = self.find_outside(range.start, range.end, is_one)?;
        let (mut left, right) = (range.start..at, at + 1..range.end);
        let mut is_not = self.word_at(at).starts_with('!');
        if self.word_at(at) == "in" {
            if at > range.start && self.word_at(at - 1) == "not" {
                is_not = true;
                left.end -= 1;
            }
            let said = self.said_of_member(left, right)?;
            return Some(if is_not { Said::Not(Box::new(said)) } else { said });
        }
        let said = self.said_of_equals(left.clone(), right.clone());
        let said = said.or_else(|| self.said_of_equals(right, left))?;
        Some(if is_not { Said::Not(Box::new(said)) } else { said })
    }

    /// `ROOT in path.parents`, `name in ALLOWED`.
    fn said_of_member(&mut self, left: Range<usize>, right: Range<usize>) -> Option<Said> {
        let at = left.start;
        let is_parents = right.len() >= 3
            && self.word_at(right.end - 1) == "parents"
            && self.word_at(right.end - 2) == ".";
        if is_parents {
            let (name, is_resolved) = self.subject(right.start..right.end - 2)?;
            let root = self.root(left)?;
            let holds = Holds::Below { root, is_strict: true };
            return Some(Said::Fact(Fact { name, holds, is_resolved, at }));
        }
        let (name, _) = self.subject(left).filter(|(name, _)| self.is_worth_a_text(name))?;
        // Of a list of JavaScript those are the places.
        if self.language == "javascript"
            && !matches!(self.variables.get(self.word_at(right.start)), Some(Value::Table(_)))
        {
            return None;
        }
        let one_of = self.texts_in(right)?;
        Some(Said::Fact(Fact { name, holds: Holds::Is { one_of }, is_resolved: true, at }))
    }

    /// `os.path.commonpath([path, ROOT]) == ROOT`, `path.parent == ROOT`, `path == ROOT`, `path.indexOf(ROOT) === 0`.
    fn said_of_equals(&mut self, left: Range<usize>, right: Range<usize>) -> Option<Said> {
        let at = left.start;
        let close = left.end.checked_sub(1)?;
        let open = self.opening(close, &left);
        let called = open.and_then(|open| open.checked_sub(1)).map_or("", |at| self.word_at(at));
        if let ("commonpath", Some(open)) = (called, open) {
            let inner = open + 2..close.checked_sub(1)?;
            let parts = self.between(inner, &[",", ","]);
            let [one, another] = parts.as_slice() else { return None };
            let root = self.root(right)?;
            let of = |this: &Range<usize>, it: &mut Self| {
                it.root(this.clone()).is_some_and(|text| text == root)
            };
            let path = match (of(one, self), of(another, self)) {
                (true, false) => another.clone(),
                (false, true) => one.clone(),
                _ => return None,
            };
            let (name, is_resolved) = self.subject(path)?;
            let holds = Holds::Below { root, is_strict: false };
            return Some(Said::Fact(Fact { name, holds, is_resolved, at }));
        }
        if let ("find" | "index" | "indexOf" | "strpos", Some(open)) = (called, open)
            && self.word_at(right.start) == "0"
            && right.len() == 1
        {
            let given = self.between(open + 1..close, &[",", ","]);
            let (of, with) = match given.as_slice() {
                [of, with] if matches!(called, "index" | "strpos") => (of.clone(), with.clone()),
                [with] if matches!(called, "find" | "indexOf") => {
                    (left.start..open.checked_sub(2)?, with.clone())
                }
                _ => return None,
            };
            let (name, is_resolved) = self.subject(of)?;
            let holds = Holds::Begins { with: self.root(with)? };
            return Some(Said::Fact(Fact { name, holds, is_resolved, at }));
        }
        let is_parent =
            self.word_at(close) == "parent" && left.len() > 2 && self.word_at(close - 1) == ".";
        let (path, is_parent) = match called {
            "dirname" => (open? + 1..close, true),
            _ if is_parent => (left.start..close - 1, true),
            _ => (left, false),
        };
        let (name, is_resolved) = self.subject(path)?;
        let root = self.root(right)?;
        let holds = match is_parent {
            true => Holds::Below { root, is_strict: true },
            false => Holds::Is { one_of: vec![root] },
        };
        Some(Said::Fact(Fact { name, holds, is_resolved, at }))
    }

    /// `path.is_relative_to(ROOT)`, `path.startsWith(ROOT)`, `relative(ROOT, path).startsWith("..")`, `ALLOWED.includes(name)`.
    fn asked_there(&mut self, range: &Range<usize>) -> Option<Said> {
        let close = range.end.checked_sub(1)?;
        let open = self.opening(close, range)?;
        let method = self.word_at(open.checked_sub(1)?);
        let inside = open + 1..close;
        let at = range.start;
        if method == "str_starts_with" {
            let given = self.between(inside, &[",", ","]);
            let [of, with] = given.as_slice() else { return None };
            let (name, is_resolved) = self.subject(of.clone())?;
            let holds = Holds::Begins { with: self.root(with.clone())? };
            return Some(Said::Fact(Fact { name, holds, is_resolved, at }));
        }
        let dot = open.checked_sub(2).filter(|dot| self.word_at(*dot) == ".")?;
        let of = range.start..dot;
        match method {
            "is_relative_to" => {
                let (name, is_resolved) = self.subject(of)?;
                let holds = Holds::Below { root: self.root(inside)?, is_strict: false };
                Some(Said::Fact(Fact { name, holds, is_resolved, at }))
            }
            "start_with?" | "startswith" | "startsWith" => {
                let with = self.root(inside)?;
                if let Some(fact) = self.relative_there(of.clone(), &with) {
                    return Some(Said::Not(Box::new(Said::Fact(fact))));
                }
                let (name, is_resolved) = self.subject(of)?;
                Some(Said::Fact(Fact { name, holds: Holds::Begins { with }, is_resolved, at }))
            }
            "includes" | "has" => {
                let (name, _) =
                    self.subject(inside).filter(|(name, _)| self.is_worth_a_text(name))?;
                let one_of = self.texts_in(of)?;
                Some(Said::Fact(Fact { name, holds: Holds::Is { one_of }, is_resolved: true, at }))
            }
            _ => None,
        }
    }

    /// `path.relative(ROOT, p)`, `os.path.relpath(p, ROOT)`, or a name that is worth one: asked whether it begins with `..`.
    fn relative_there(&mut self, of: Range<usize>, with: &str) -> Option<Fact> {
        if !matches!(with, ".." | "../") {
            return None;
        }
        let mut range = of;
        if range.len() == 1 {
            range = self.value_behind(range.start)?;
        }
        let close = range.end.checked_sub(1)?;
        let open = self.opening(close, &range)?;
        let given = self.between(open + 1..close, &[",", ","]);
        let (root, path) = match (self.word_at(open.checked_sub(1)?), given.as_slice()) {
            ("relative", [root, path]) if self.language == "javascript" => (root, path),
            ("relpath", [path, root]) => (root, path),
            _ => return None,
        };
        let at = range.start;
        let (name, _) = self.subject(path.clone())?;
        let holds = Holds::Below { root: self.root(root.clone())?, is_strict: false };
        Some(Fact { name, holds, is_resolved: true, at })
    }

    /// `path.relative_to(ROOT)`, whose method stands at `at`: what it raises nothing for.
    pub(super) fn related_there(&mut self, at: usize) -> Option<Fact> {
        if !self.asks_as_ever() {
            return None;
        }
        let first = (0..=at)
            .rev()
            .find(|before| self.is_first(*before) || self.word_at(before.wrapping_sub(1)) == "=")?;
        let dot = at.checked_sub(1).filter(|dot| self.word_at(*dot) == "." && *dot > first)?;
        let (name, is_resolved) = self.subject(first..dot)?;
        let root = self.root(at + 2..self.partner(at + 1))?;
        let holds = Holds::Below { root, is_strict: false };
        Some(Fact { name, holds, is_resolved, at })
    }

    /// `is_inside(path)`: what the one thing that the function gives says of what it is given.
    fn asked_of_own(&mut self, range: &Range<usize>, depth: usize) -> Option<Said> {
        let close = range.end.checked_sub(1)?;
        let open = self.opening(close, range)?;
        if open != range.start + 1 {
            return None;
        }
        let name = self.word_at(range.start);
        let index = match self.variables.get(name) {
            Some(Value::Function(index)) => *index,
            _ => *self.named.get(name)?,
        };
        let function = self.functions.get(index)?.clone();
        let given = self.between(open + 1..close, &[",", ","]);
        if !Rc::ptr_eq(&function.unit, &self.unit) || given.len() != function.parameters.len() {
            return None;
        }
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let body = function.body.clone();
        let mut returns = body.clone().filter(|at| self.word_at(*at) == "return");
        let begin = match (returns.next(), returns.next()) {
            (Some(only), None) => only + 1,
            (None, _) if function.expression => body.start,
            _ => usize::MAX,
        };
        // What stands before it may be anything.
        let is_first = begin == body.start + 1 || begin == body.start;
        let end = (begin.min(body.end)..body.end)
            .find(|at| matches!(self.word_at(*at), ";" | "}"))
            .unwrap_or(body.end);
        let said = is_first.then(|| self.said_in(begin..end, depth));
        self.end = outer;
        let mut renames = Vec::new();
        for (parameter, given) in function.parameters.iter().zip(given) {
            if let Some((name, is_resolved)) = self.subject(given) {
                renames.push((parameter.name.clone(), name, is_resolved));
            }
        }
        renamed(said?, &renames)
    }

    /// `if dry_run:`, `if (this.dry)`
    fn asked_alone(&mut self, range: &Range<usize>) -> Option<Said> {
        if let (1, Some(holds)) = (range.len(), literal(self.word_at(range.start))) {
            let is_read = matches!(self.language, "javascript" | "python");
            return is_read.then_some(Said::Always(holds));
        }
        if let Some(holds) = self.flag_given(range) {
            return Some(Said::Always(holds));
        }
        let name = match (range.len(), self.word_at(range.start)) {
            (1, word) if self.is_name(range.start) || word.starts_with('$') => word.to_owned(),
            (4, "this") if self.word_at(range.start + 2) == "#" => {
                format!("this.#{}", self.word_at(range.start + 3))
            }
            (3, own @ ("self" | "this")) if self.word_at(range.start + 1) == "." => {
                format!("{own}.{}", self.word_at(range.start + 2))
            }
            _ => return None,
        };
        let fact = Fact { name, holds: Holds::True, is_resolved: false, at: range.start };
        Some(Said::Fact(fact))
    }
}

/// What a condition comes to that is this one word.
fn literal(word: &str) -> Option<bool> {
    match word {
        "True" | "true" | "1" => Some(true),
        "False" | "false" | "0" | "None" | "null" => Some(false),
        _ => None,
    }
}

fn is_unknown(said: &Said) -> bool {
    match said {
        Said::Unknown => true,
        Said::Fact(_) | Said::Always(_) => false,
        Said::Not(inner) => is_unknown(inner),
        Said::All(parts) | Said::Any(parts) => parts.iter().all(is_unknown),
    }
}

/// What is said with other names in the place of these; what is said of others nobody can tell.
fn renamed(said: Said, names: &[(String, String, bool)]) -> Option<Said> {
    Some(match said {
        Said::Unknown => Said::Unknown,
        Said::Always(holds) => Said::Always(holds),
        Said::Not(inner) => Said::Not(Box::new(renamed(*inner, names)?)),
        Said::All(parts) => {
            Said::All(parts.into_iter().map(|part| renamed(part, names)).collect::<Option<_>>()?)
        }
        Said::Any(parts) => {
            Said::Any(parts.into_iter().map(|part| renamed(part, names)).collect::<Option<_>>()?)
        }
        Said::Fact(fact) => {
            let found = names.iter().find(|(parameter, ..)| *parameter == fact.name)?;
            let is_resolved = fact.is_resolved || found.2;
            Said::Fact(Fact { name: found.1.clone(), is_resolved, ..fact })
        }
    })
}
