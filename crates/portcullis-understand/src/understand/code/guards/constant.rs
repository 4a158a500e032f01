//! Names that are worth one thing as long as a script runs: `DRY_RUN = True`. Owns how that is told, so that what is done only where it is
//! otherwise is not done at all.

use std::{collections::HashMap, ops::Range, rc::Rc};

use portcullis_syntax::code::TokenKind;

use crate::bound::Bounded;

use super::{
    super::{interpreter::Interpreter, value::Value},
    said::Fact,
};

/// What is written for a value that a condition asks for.
const PLAIN: &[&str] = &["FALSE", "False", "None", "TRUE", "True", "false", "null", "true"];

/// Signs that give a name a value.
pub(super) const GIVES: &[&str] =
    &["%=", "&&=", "&=", "*=", "++", "+=", "--", "-=", "/=", ":=", "=", "??=", "^=", "|=", "||="];

/// How far back the bracket is looked for that something stands in.
const HEAD: usize = 64;

/// Words by which Perl, PHP and Ruby give names values that they do not name.
const FINDS: &[&str] = &[
    "$$",
    "*{",
    "GLOBALS",
    "binding",
    "const_set",
    "extract",
    "instance_variable_set",
    "local_variable_set",
    "no strict",
    "parse_str",
    "remove_const",
];

/// Words behind which a name gets a value.
const BINDS: &[&str] = &["++", "--", "as", "del", "each", "for", "global", "import", "nonlocal"];

impl Interpreter<'_, '_, '_> {
    /// Whether the name at `at` is surely worth what it is worth now whenever it is asked there.
    pub(in super::super) fn is_constant(&mut self, name: &str, at: usize) -> bool {
        let count = self.unit.tokens.len();
        if self.is_cell || !self.spend(self.functions.len() / 16 + 1) || self.names_are_found() {
            return false;
        }
        if let Some((_, field)) = name.split_once('.') {
            return self.spend(count / 16) && self.is_constant_field(field);
        }
        let around = self.functions.iter().filter(|function| {
            Rc::ptr_eq(&function.unit, &self.unit)
                && function.body.contains(&at)
                && function.parameters.iter().any(|parameter| parameter.name == name)
        });
        let body = around.map(|function| function.body.clone()).min_by_key(ExactSizeIterator::len);
        if let Some(body) = body {
            return self.places_of(name, body).is_empty();
        }
        let [place] = self.places_of(name, 0..count)[..] else { return false };
        // `function run(command, { dry = false } = {})`
        let is_taken_out = self.functions.iter().any(|function| {
            let takes = |at: usize| {
                self.unit.partners.get(at).is_some_and(|close| (at..*close).contains(&place))
            };
            Rc::ptr_eq(&function.unit, &self.unit)
                && function.body.contains(&at)
                && function.parameters.iter().any(|it| it.name == "{" && takes(it.at))
        });
        if is_taken_out {
            return true;
        }
        // What stands alone behind the sign, and is what the name is worth still.
        let written = place + 2;
        let is_alone = matches!(self.name_at(written + 1), "" | ";" | "," | "}" | ")")
            || self.unit.tokens.get(written + 1).is_none_or(|token| token.first);
        if self.name_at(place + 1) != "=" || !is_alone {
            return false;
        }
        let before = place.checked_sub(1).map_or("", |before| self.name_at(before));
        if self.language == "javascript" && !matches!(before, "const" | "let" | "var" | "{" | ",") {
            return false;
        }
        match self.variables.get(name) {
            Some(Value::Name(path, _)) => {
                PLAIN.contains(&&**path) && **path == *self.name_at(written)
            }
            Some(Value::Number(number)) => *self.name_at(written) == number.to_string(),
            Some(value) => {
                let is_text = self
                    .unit
                    .tokens
                    .get(written)
                    .is_some_and(|token| matches!(token.kind, TokenKind::Text(_)));
                is_text
                    && value.as_known().is_some_and(|known| {
                        self.name_at(written).trim_matches(['"', '\'', '`']) == known
                    })
            }
            None => false,
        }
    }

    /// Whether what a name is worth where something is asked of it is not what it was before another round, or before a function is called
    /// that was made earlier.
    pub(super) fn is_settled(&mut self, fact: &Fact) -> bool {
        let count = self.unit.tokens.len();
        if !self.spend(self.functions.len() / 16 + 1) {
            return false;
        }
        let around = self.functions.iter().filter(|function| {
            Rc::ptr_eq(&function.unit, &self.unit) && function.body.contains(&fact.at)
        });
        let Some(function) = around.min_by_key(|function| function.body.len()) else {
            return self.places_of(&fact.name, fact.at..count).is_empty();
        };
        let is_own = function.locals.contains(&fact.name)
            || function.parameters.iter().any(|parameter| parameter.name == fact.name);
        let end = function.body.end;
        match is_own {
            true => self.places_of(&fact.name, fact.at..end).is_empty(),
            false => self.places_of(&fact.name, 0..count).len() <= 1,
        }
    }

    /// Where a name may get a value in these tokens, what stands in the brackets of a call aside.
    fn places_of(&mut self, name: &str, within: Range<usize>) -> Vec<usize> {
        let mentions = self.mentions_of(name);
        // Where nobody may look any more, it may be anywhere.
        if !self.spend(mentions.len() / 64 + 1) {
            return mentions.to_vec();
        }
        let gets = |at: &usize| {
            let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
            let next = self.name_at(at + 1);
            if before == "." {
                return false;
            }
            // `clean(path, dry_run=True)`
            if self.language == "python" && next == "=" && matches!(before, "(" | ",") {
                return false;
            }
            let is_declared = self.language == "javascript"
                && (matches!(before, "let" | "var")
                    // `{ dry }` takes it out of something, or puts it into something.
                    || matches!(before, "{" | "," | "[" | "...") && matches!(next, "}" | "," | "]")
                        && !self.is_given(*at));
            let is_target = self.language == "python"
                && (next == "," || before == "," || before == "*")
                && !self.is_given(*at)
                && self.assigns_behind(*at);
            GIVES.contains(&next) || BINDS.contains(&before) || is_declared || is_target
        };
        mentions.iter().copied().filter(|at| within.contains(at)).filter(gets).collect()
    }

    /// Where a name stands in the code that is read.
    fn mentions_of(&mut self, name: &str) -> Rc<[usize]> {
        let is_known =
            self.seen.mentions.as_ref().is_some_and(|(unit, _)| Rc::ptr_eq(unit, &self.unit));
        if !is_known {
            let count = self.unit.tokens.len();
            self.spend(count / 8 + 1);
            let mut places: HashMap<String, Vec<usize>> = HashMap::new();
            for at in 0..count {
                let word = self.name_at(at);
                if word.starts_with(|letter: char| letter.is_alphabetic() || "_$".contains(letter))
                {
                    places.entry(word.to_owned()).or_default().push(at);
                }
            }
            let places = places.into_iter().map(|(name, places)| (name, places.into())).collect();
            self.seen.mentions = Some((Rc::clone(&self.unit), places));
        }
        let known = self.seen.mentions.as_ref().and_then(|(_, places)| places.get(name));
        known.map_or_else(|| Rc::from([]), Rc::clone)
    }

    /// Whether `=` or `in` stands behind a token in its line.
    fn assigns_behind(&self, at: usize) -> bool {
        let is_line = |at: &usize| !self.unit.tokens.get(*at).is_none_or(|token| token.first);
        (at + 1..).take_while(is_line).any(|at| matches!(self.name_at(at), "=" | "in"))
    }

    /// Whether the token at `at` stands in the brackets of a call or of a list.
    fn is_given(&self, at: usize) -> bool {
        let open = (0..at).rev().leading(HEAD).find(|open| {
            matches!(self.name_at(*open), "(" | "[" | "{")
                && self.unit.partners.get(*open).is_some_and(|close| *close > at)
        });
        let Some(open) = open else { return false };
        let before = open.checked_sub(1).map_or("", |before| self.name_at(before));
        self.name_at(open) == "("
            && self.unit.partners.get(open).is_some_and(|close| {
                !matches!(self.name_at(close + 1), "=" | "=>" | ":" | "{" | "in" | "of")
            })
            && !matches!(before, "for" | "function")
            || self.name_at(open) != "(" && matches!(before, "(" | ":" | "return")
    }

    /// Whether a field is told once, of the one object that there is of its class.
    fn is_constant_field(&self, field: &str) -> bool {
        let field = field.trim_start_matches('#');
        let count = self.unit.tokens.len();
        let told = (1..count).filter(|at| {
            self.name_at(*at) == field
                && matches!(self.name_at(at - 1), "." | "#")
                && GIVES.contains(&self.name_at(at + 1))
        });
        // Another way to tell it.
        let is_told_otherwise = (0..count).any(|at| {
            let word = self.name_at(at);
            let is_text = || {
                self.unit
                    .tokens
                    .get(at)
                    .is_some_and(|token| matches!(token.kind, TokenKind::Text(_)))
            };
            word == "assign" && self.name_at(at + 2) != "this"
                || matches!(word, "call" | "apply" | "bind" | "super" | "extends")
                || word.trim_matches(['"', '\'', '`']) == field && is_text()
        });
        let classes: Vec<&String> = self.classes.iter().map(|(name, _)| name).collect();
        let [class] = classes.as_slice() else { return false };
        let made = (0..count).filter(|at| self.name_at(*at) == class.as_str()).count();
        told.count() <= 1 && !is_told_otherwise && made == 2
    }

    /// Whether the script finds names by texts.
    pub(super) fn names_are_found(&mut self) -> bool {
        if let Some(known) = self.seen.names_are_found {
            return known;
        }
        let count = self.unit.tokens.len();
        let is_scripting = matches!(self.language, "perl" | "php" | "ruby");
        let known = !self.spend(count / 16 + 1)
            || self.finds_names(count)
            || is_scripting && FINDS.iter().any(|word| self.source.contains(word));
        self.seen.names_are_found = Some(known);
        known
    }
}
