//! What only Perl has: blocks that lists go through, `@_`, `$_`, statements behind which a loop stands, texts that `=~` changes. Owns what of the names
//! without a sigil each of them gives (perldoc, "perlsyn", "perlsub", "perlop", "perlfunc").

use portcullis_syntax::{Span, code::TokenKind};

use super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::bound::Bounded;

mod files;
mod lists;
mod loops;
mod patterns;
mod slices;
mod special;

/// Functions that take `$_` where they are given nothing.
const OF_TOPIC: &[&str] = &["chdir", "eval", "rmdir", "unlink"];

/// Functions of Perl itself by which something is done: what a package calls the same is called as a method of it. Sorted.
const BUILT_IN: &[&str] = &[
    "chdir", "chmod", "chown", "eval", "exec", "kill", "link", "mkdir", "open", "print", "rename",
    "require", "rmdir", "symlink", "system", "syswrite", "truncate", "unlink", "utime",
];

/// Under which name the objects of a script are remembered.
const BLESSED: &str = "the objects";

impl Interpreter<'_, '_, '_> {
    /// What packages say that operators do, and what is done where an object goes: which of its objects it is, nobody knows.
    /// (perldoc, "overload"; "perlobj", Destructors)
    pub(super) fn called_by_perl_itself(&mut self) {
        /// How many functions are read for that.
        const FUNCTIONS: usize = 32;
        if self.language != "perl" {
            return;
        }
        let objects = self.variables.get(BLESSED).cloned();
        let object = objects.unwrap_or_else(|| Value::unknown("an object"));
        let mut all: Vec<Value> = Vec::new();
        if let Some(index) = self.named.get("DESTROY") {
            all.push(Value::Function(*index));
        }
        let mut at = 0;
        while at < self.unit.tokens.len() {
            let is_overload =
                self.word_at(at) == "overload" && at > 0 && self.word_at(at - 1) == "use";
            at += 1;
            if !is_overload {
                continue;
            }
            let end = (at..self.unit.tokens.len()).find(|end| self.word_at(*end) == ";");
            let end = end.unwrap_or(self.unit.tokens.len());
            let end = self.statement_of_overload(at, end);
            let unit = std::rc::Rc::clone(&self.unit);
            let list = self.within(unit, at..end, |inner| inner.perl_list(end));
            all.extend(list.into_iter().filter(|it| matches!(it, Value::Function(_))));
            at = end;
        }
        if all.len() > FUNCTIONS {
            self.limit();
        }
        for function in all.into_iter().leading(FUNCTIONS) {
            let Value::Function(index) = function else { continue };
            let given = |value: Value| Given { name: None, value, span: Span::new(0, 0) };
            let given = [given(object.clone()), given(Value::unknown("what stands beside it"))];
            self.apply(index, Some(&given));
        }
    }

    /// Where the list behind `use overload` ends: functions in it have statements of their own.
    fn statement_of_overload(&self, from: usize, first: usize) -> usize {
        let mut at = from;
        while at < self.unit.tokens.len() && self.word_at(at) != ";" {
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        at.max(first.min(at))
    }

    /// A statement that is Perl's alone; whether it was one.
    pub(super) fn perl_statement(&mut self) -> bool {
        if self.language != "perl" || !self.is_name(self.at) {
            return false;
        }
        let start = self.at;
        if matches!(self.word(), "or" | "and" | "xor") {
            self.at += 1;
            return true;
        }
        let is_behind =
            matches!(self.word_at(start + 1), ";" | "}" | "if" | "unless" | "or" | "and");
        let ends = is_behind || start + 1 >= self.end;
        if OF_TOPIC.contains(&self.word()) && ends {
            if self.loop_behind(start) {
                return true;
            }
            self.of_topic(start);
            return true;
        }
        match self.word() {
            "do" if !self.is_key_of_table(start) && self.code_of_file().is_some() => true,
            "for" | "foreach" => self.perl_loop(start),
            _ => self.loop_behind(start),
        }
    }

    /// Whether a word means Perl's own function, whatever the packages of the script call theirs.
    pub(super) fn is_built_in(&self, word: &str) -> bool {
        self.language == "perl" && BUILT_IN.binary_search(&word).is_ok() && !self.has_own_built_ins
    }

    /// Whether the word at the cursor is a key and no function: `{ unlink }` behind a table, `unlink => …`.
    pub(super) fn is_key_of_table(&self, at: usize) -> bool {
        if self.word_at(at + 1) == "=>" {
            return true;
        }
        let Some(open) = at.checked_sub(1) else { return false };
        let is_glued = self.token_at(open).is_some_and(|token| !token.spaced);
        let is_behind = open.checked_sub(1).is_some_and(|before| {
            let is_variable =
                self.token_at(before).is_some_and(|token| token.kind == TokenKind::Variable);
            is_variable || matches!(self.word_at(before), "}" | "]" | ")" | "->")
        });
        self.word_at(at + 1) == "}" && self.word_at(open) == "{" && is_glued && is_behind
    }

    /// What the braces at the cursor are worth: the last of their statements.
    pub(super) fn block_value(&mut self) -> Value {
        self.block_values().0
    }

    /// The same, and whether it is one value even where that is a list.
    fn block_values(&mut self) -> (Value, bool) {
        let close = self.partner(self.at);
        self.at += 1;
        let found = if self.sink() {
            let found = self.last_value(close);
            self.rise();
            found
        } else {
            None
        };
        self.at = close + 1;
        found.unwrap_or_else(|| (Value::unknown("what a block gives"), true))
    }

    /// `system { $program } LIST`: the first of the list is only what the program is called.
    fn program_apart(&mut self) -> Option<Value> {
        let start = self.at;
        self.at += 1;
        let program = self.block_value();
        let end = self.end_of_list(self.at);
        let mut words = self.perl_list(end);
        let span = self.span_from(start);
        match words.first_mut() {
            Some(first) => *first = program,
            None => words.push(program),
        }
        let words = self.words([(&Value::List(words), span)].into_iter());
        self.flush();
        Some(Value::Text(self.run_words(&words, None)))
    }

    /// `do $file`, `require "file"`: what is in it is run.
    fn code_of_file(&mut self) -> Option<Value> {
        let start = self.at;
        let is_file = self.token_at(start + 1).is_some_and(|token| {
            matches!(token.kind, TokenKind::Text(_) | TokenKind::Variable)
                && token.span.of(self.source) != "$_"
        });
        if !is_file {
            return None;
        }
        let path = self.word().to_owned();
        self.at += 1;
        let value = self.expression(3);
        let span = self.span_from(start);
        let file = Given { name: None, value, span };
        Some(self.act(Act::Script, &path, &[file], span))
    }

    /// Words that take a list, or an element from one: `map`, `grep`, `shift`, `pop`. The cursor stands on the word.
    pub(super) fn perl_word(&mut self, word: &str) -> Option<Value> {
        match word {
            "do" if self.word_at(self.at + 1) == "{" => {
                self.at += 1;
                Some(self.block_value())
            }
            "rmdir" | "unlink" => self.of_topic_in_line(word),
            "exec" | "system" if self.word_at(self.at + 1) == "{" => self.program_apart(),
            "do" | "require" => self.code_of_file(),
            "map" | "grep" | "first" | "any" | "all" | "none" => self.through_block(word),
            "keys" | "values" => self.parts_of_table(word == "keys"),
            "sort" => self.sorted(),
            "shift" | "pop" => Some(self.taken_from_list(word == "shift")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BUILT_IN;

    #[test]
    fn functions_of_perl_itself_are_sorted() {
        assert!(BUILT_IN.is_sorted());
    }
}
