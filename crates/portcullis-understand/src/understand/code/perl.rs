//! What only Perl has: blocks that lists go through, `@_`, `$_`, statements behind which a loop stands, texts that `=~` changes. Owns what of the names
//! without a sigil each of them gives (perldoc, "perlsyn", "perlsub", "perlop", "perlfunc").

use portcullis_syntax::{Span, code::TokenKind};

use super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{GapReason, WriteMode},
    text::{Piece, Text},
};

mod files;
mod slices;

/// For how many elements of a list a block is read one by one; it is read for all others together.
const ROUNDS: usize = 8;

/// How many tokens a statement has that is looked through for a loop behind it.
const STATEMENT: usize = 512;

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

    /// `chdir;` goes home, `unlink;` takes what `$_` names.
    fn of_topic(&mut self, start: usize) {
        let function = self.word().to_owned();
        self.at += 1;
        let span = self.span_from(start);
        let value = match (function.as_str(), self.bound("$_")) {
            ("chdir", _) => Value::Text(self.environment("HOME")),
            (_, Some(value)) => value,
            // Lines of files: who starts perl reads these.
            ("eval", None) => return,
            (_, None) => Value::unknown("what nothing is named for"),
        };
        self.call_value(Value::name(&function), vec![Given { name: None, value, span }], span);
    }

    /// `for my $name (LIST) { … }`
    fn perl_loop(&mut self, start: usize) -> bool {
        let mut at = start + 1;
        at += usize::from(matches!(self.word_at(at), "my" | "our" | "local" | "state"));
        let mut name = "$_".to_owned();
        if self.token_at(at).is_some_and(|token| token.kind == TokenKind::Variable) {
            name = self.word_at(at).to_owned();
            at += 1;
        }
        let close = self.partner(at);
        let body = close + 1;
        let is_counted = (at..close).any(|inside| self.word_at(inside) == ";");
        if self.word_at(at) != "(" || self.word_at(body) != "{" || is_counted {
            return false;
        }
        self.at = at + 1;
        let values = self.perl_list(close);
        self.for_each_of(&name, values, |walker| {
            walker.at = body;
            walker.braces();
        });
        self.at = self.partner(body) + 1;
        true
    }

    /// `unlink $_ for LIST;`
    fn loop_behind(&mut self, start: usize) -> bool {
        let last = self.end.min(start + STATEMENT);
        let (mut at, mut found) = (start, None);
        while at < last && !matches!(self.word_at(at), ";" | "}") {
            let is_word = self.token_at(at).is_some_and(|token| token.kind == TokenKind::Name);
            if at > start && is_word && matches!(self.word_at(at), "for" | "foreach") {
                found = Some(at);
            }
            at = self.partner_or_next(at);
        }
        let Some(found) = found else { return false };
        if !self.sink() {
            return false;
        }
        self.at = found + 1;
        let values = self.perl_list(at.min(last));
        self.for_each_of("$_", values, |walker| {
            walker.at = start;
            walker.statements(found);
        });
        self.rise();
        self.at = at.min(last);
        true
    }

    /// Reads something for each element of a list, under whose name it stands.
    fn for_each_of(&mut self, name: &str, values: Vec<Value>, mut read: impl FnMut(&mut Self)) {
        let outer = self.variables.get(name).cloned();
        let mut values = values.into_iter();
        let mut rounds: Vec<Value> = values.by_ref().leading(ROUNDS).collect();
        rounds.extend(values.reduce(Value::or));
        if rounds.is_empty() {
            rounds.push(Value::unknown("an element"));
        }
        for value in rounds {
            if !self.spend(1) {
                break;
            }
            self.bind(name.to_owned(), value);
            read(self);
        }
        match outer {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }

    /// The elements of a list that ends at a token.
    pub(super) fn perl_list(&mut self, close: usize) -> Vec<Value> {
        let outer = self.narrow(close);
        self.brackets += 1;
        let mut all = Vec::new();
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            // `reverse 1 .. 4`
            let is_reversed = self.accept("reverse");
            if let Some(mut range) = self.range_of_numbers() {
                if is_reversed {
                    range.reverse();
                }
                all.extend(range);
                self.accept(",");
                continue;
            }
            self.at = before;
            match self.expression(0) {
                Value::List(list) if !self.is_reference(before) => all.extend(list),
                // `glob ".{netrc,pgpass}"`: each of them.
                Value::Any(list) if list.iter().all(|it| matches!(it, Value::Text(_))) => {
                    all.extend(list);
                }
                value => all.push(value),
            }
            if !self.accept(",") && !self.accept("=>") && self.at <= before {
                self.at = before + 1;
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close;
        all
    }

    /// `1..3`: read as one number, or as two with the sign between them.
    fn range_of_numbers(&mut self) -> Option<Vec<Value>> {
        /// How many numbers are told apart.
        const NUMBERS: i64 = 64;
        let written = |at: usize| -> Option<&str> {
            let token = self.token_at(at)?;
            (token.kind == TokenKind::Number).then(|| token.span.of(self.source))
        };
        let first = written(self.at)?;
        let (first, last, length) = match first.split_once("..") {
            Some((first, last)) => (first, last, 1),
            None if self.word_at(self.at + 1) == ".." => (first, written(self.at + 2)?, 3),
            None => return None,
        };
        let (first, last) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
        self.at += length;
        if last.saturating_sub(first) >= NUMBERS {
            return Some(vec![
                Value::Number(first),
                Value::unknown("a number"),
                Value::Number(last),
            ]);
        }
        Some((first..=last).map(Value::Number).collect())
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

    /// `unlink` or `rmdir` in an expression, where nothing stands behind it: what `$_` names.
    fn of_topic_in_line(&mut self, word: &str) -> Option<Value> {
        const ENDS: &[&str] = &[
            "}", ")", "]", ";", ":", "?", ",", "&&", "||", "==", "//", "and", "or", "if", "unless",
            "for", "foreach",
        ];
        let start = self.at;
        let next = self.word_at(start + 1);
        let is_empty = next == "(" && self.word_at(start + 2) == ")";
        let ends = start + 1 >= self.end || ENDS.contains(&next) || is_empty;
        if !matches!(word, "rmdir" | "unlink") || !ends || !self.variables.contains_key("$_") {
            return None;
        }
        self.of_topic(start);
        self.at = start + 1 + 2 * usize::from(is_empty);
        Some(Value::unknown("whether it was done"))
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

    /// `map { BLOCK } LIST`, `map EXPRESSION, LIST`.
    fn through_block(&mut self, word: &str) -> Option<Value> {
        let start = self.at;
        let is_paren = self.word_at(start + 1) == "(";
        let begin = start + 1 + usize::from(is_paren);
        let end = if is_paren { self.partner(start + 1) } else { self.end_of_list(begin) };
        let (block, list) = if self.word_at(begin) == "{" {
            let close = self.partner(begin);
            (begin + 1..close, close + 1)
        } else {
            let mut comma = begin;
            while comma < end && self.word_at(comma) != "," {
                comma = self.partner_or_next(comma);
            }
            (begin..comma, comma + 1)
        };
        let is_map = matches!(word, "map" | "grep") || self.word_at(begin) == "{";
        if !is_map || block.is_empty() || list > end || !self.sink() {
            return None;
        }
        self.at = list + usize::from(self.word_at(list) == ",");
        let values = self.perl_list(end);
        let mut made = Vec::new();
        let kept = values.clone();
        self.for_each_of("$_", values, |walker| {
            let (value, is_one) = if walker.word_at(begin) == "{" {
                walker.at = begin;
                walker.block_values()
            } else {
                walker.at = block.start;
                let outer = walker.narrow(block.end);
                let value = walker.expression(0);
                let is_one = walker.is_reference(block.start);
                walker.statements(block.end);
                walker.end = outer;
                (value, is_one)
            };
            match value {
                Value::List(list) if !is_one => made.extend(list),
                value => made.push(value),
            }
        });
        self.rise();
        self.at = end + usize::from(is_paren);
        Some(Value::List(if word == "map" { made } else { kept }))
    }

    /// `keys %table`, `values(%table)`.
    fn parts_of_table(&mut self, are_keys: bool) -> Option<Value> {
        let is_paren = self.word_at(self.at + 1) == "(";
        let named = self.at + 1 + usize::from(is_paren);
        let start = self.at;
        let is_variable =
            self.token_at(named).is_some_and(|token| token.kind == TokenKind::Variable);
        if !is_variable && !matches!(self.word_at(named), "%" | "@") {
            return None;
        }
        self.at = named;
        let Value::Table(table) = self.prefixed() else {
            self.at = start;
            return None;
        };
        self.at += usize::from(is_paren);
        let part =
            |(key, value): (String, Value)| if are_keys { Value::known(&key) } else { value };
        Some(Value::List(table.into_iter().map(part).collect()))
    }

    /// `sort LIST`, `sort { BLOCK } LIST`: the same elements in whatever order.
    fn sorted(&mut self) -> Option<Value> {
        let start = self.at;
        let is_paren = self.word_at(start + 1) == "(";
        let begin = start + 1 + usize::from(is_paren);
        let end = if is_paren { self.partner(start + 1) } else { self.end_of_list(begin) };
        if begin >= end || !self.sink() {
            return None;
        }
        let block = (self.word_at(begin) == "{").then_some(begin);
        self.at = block.map_or(begin, |block| self.partner(block) + 1);
        let values = self.perl_list(end);
        if let Some(block) = block {
            let any = values.iter().cloned().reduce(Value::or);
            let any = any.unwrap_or_else(|| Value::unknown("an element"));
            for name in ["$a", "$b"] {
                self.bind(name.to_owned(), any.clone());
            }
            self.at = block;
            drop(self.block_value());
        }
        self.rise();
        self.at = end + usize::from(is_paren);
        Some(Value::List(values))
    }

    /// Where a list ends that stands in no brackets.
    fn end_of_list(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.end
            && !matches!(
                self.word_at(at),
                ";" | ")" | "}" | "]" | "for" | "foreach" | "if" | "unless" | "or" | "and"
            )
        {
            at = self.partner_or_next(at);
        }
        at.min(self.end)
    }

    /// `shift`, `shift @list`, `pop(@list)`.
    fn taken_from_list(&mut self, is_first: bool) -> Value {
        self.at += 1;
        let is_paren = self.word() == "(" && !self.is_first(self.at);
        let named = self.at + usize::from(is_paren);
        let is_list = self.token_at(named).is_some_and(|token| token.kind == TokenKind::Variable)
            && self.word_at(named).starts_with('@');
        let name = match () {
            () if is_list => self.word_at(named).to_owned(),
            () => "@_".to_owned(),
        };
        if is_list {
            self.at = named + 1 + usize::from(is_paren);
        } else if is_paren && self.word_at(named) == ")" {
            self.at = named + 1;
        }
        match self.bound(&name) {
            Some(Value::List(mut list)) if !list.is_empty() => {
                let taken = if is_first { Some(list.remove(0)) } else { list.pop() };
                self.bind(name, Value::List(list));
                taken.unwrap_or_else(|| Value::unknown("an element"))
            }
            Some(other) => self.element(&other, 0),
            None if is_list || self.calls > 0 => Value::unknown("an element"),
            None => self.element(&self.argument_list(), 0),
        }
    }

    /// A list, or a table of pairs, as a variable with its sigil holds it.
    pub(super) fn with_sigil(&self, name: &str, value: Value) -> Value {
        if self.language != "perl" {
            return value;
        }
        match (name.chars().next(), value) {
            (Some('@'), value @ (Value::Text(_) | Value::Number(_) | Value::File(_))) => {
                Value::List(vec![value])
            }
            (Some('%'), Value::List(list)) if list.len() % 2 == 0 => {
                let mut pairs = Vec::new();
                let mut list = list.into_iter();
                while let (Some(key), Some(value)) = (list.next(), list.next()) {
                    let key = match &key {
                        Value::Name(path, _) => path.to_string(),
                        key => key.text().display(),
                    };
                    pairs.push((key, value));
                }
                Value::Table(pairs)
            }
            (_, value) => value,
        }
    }

    /// The list or table whose element a variable is: `$list[0]` of `@list`, `$table{name}` of `%table`.
    pub(super) fn element_of(&self, name: &str) -> Option<Value> {
        let bare = name.strip_prefix('$')?;
        let sigil = match self.word() {
            "[" => '@',
            "{" => '%',
            _ => return None,
        };
        let is_glued = self.token_at(self.at).is_some_and(|token| !token.spaced);
        self.variables.get(&format!("{sigil}{bare}")).filter(|_| is_glued).cloned()
    }

    /// `$name =~ s/a/b/`, `$name =~ tr/a/b/`: the cursor stands on what it is held against.
    pub(super) fn changed_by_pattern(&mut self, left: &Value) -> Option<Value> {
        let token = self.token_at(self.at)?;
        if self.language != "perl" || token.kind != TokenKind::Pattern {
            return None;
        }
        let (span, sign) = (token.span, self.at.checked_sub(1)?);
        let (value, is_given) = self.made_by_pattern(span, left)?;
        if is_given {
            return Some(value);
        }
        let mut at = sign.checked_sub(1)?;
        while matches!(self.word_at(at), ")" | "]" | "}") {
            let close = at;
            at = self.unit.partners.get(close).copied().filter(|open| *open < close)?;
            if self.word_at(close) == ")" {
                let is_variable = |at: &usize| {
                    self.token_at(*at).is_some_and(|token| token.kind == TokenKind::Variable)
                };
                at = (at..close).find(is_variable)?;
                break;
            }
            at = at.checked_sub(1)?;
        }
        let name = self.word_at(at).to_owned();
        if self.token_at(at).is_some_and(|token| token.kind == TokenKind::Variable) {
            self.bind(name, value);
        }
        None
    }

    /// `s/a/b/` that nothing is held against changes `$_`. The cursor stands behind it.
    pub(super) fn changed_topic(&mut self, span: Span) -> Option<Value> {
        let before = self.at.checked_sub(2).map_or("", |at| self.word_at(at));
        if matches!(before, "=~" | "!~" | "~~") || before == "~" {
            return None;
        }
        let topic = self.bound("$_");
        // Lines of files: who starts perl reads these.
        let is_code = Changes::of(span.of(self.source))?.flags.matches('e').count() > 1;
        if topic.is_none() && is_code {
            return None;
        }
        let topic = topic.unwrap_or_else(|| Value::unknown("a line"));
        let (value, is_given) = self.made_by_pattern(span, &topic)?;
        if is_given {
            return Some(value);
        }
        self.bind("$_".to_owned(), value);
        Some(Value::unknown("how often it was changed"))
    }

    /// What a pattern makes of a text, and whether that is what it gives.
    fn made_by_pattern(&mut self, span: Span, left: &Value) -> Option<(Value, bool)> {
        let pattern = Changes::of(span.of(self.source))?;
        if pattern.flags.contains('e') {
            let code = span.of(self.source).rfind(pattern.to).filter(|_| !pattern.to.is_empty());
            if let Some(at) = code {
                let from = span.range().start + at;
                self.fragment(Span::new(from, from + pattern.to.len()));
            }
            if pattern.flags.matches('e').count() > 1 {
                self.walk.gap(span, GapReason::UnknownCode);
            }
        }
        let known = left.as_known().and_then(|text| pattern.applied(text));
        let value = match known {
            Some(changed) => Value::Text(left.text().derive([Piece::Known(changed)])),
            None => Value::Text(mixed("a changed text", [left])),
        };
        Some((value, pattern.flags.contains('r')))
    }

    /// A pattern with code in it: `/(?{ … })/` (perldoc, "perlre").
    pub(super) fn code_in_pattern(&mut self, span: Span) {
        let text = span.of(self.source);
        for mark in ["(?{", "(??{"] {
            if let Some(at) = text.find(mark) {
                let from = span.range().start + at + mark.len();
                let rest = self.source.get(from..span.range().end).unwrap_or_default();
                match rest.find("})") {
                    Some(length) => drop(self.fragment(Span::new(from, from + length))),
                    None => self.walk.gap(span, GapReason::UnknownCode),
                }
            }
        }
    }

    /// Calls of Perl's modules whose arguments say what they are.
    pub(super) fn special_in_perl(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        match (path, given) {
            ("find" | "finddepth" | "File.Find.find" | "File.Find.finddepth", _) => {
                self.walk_below(given);
                None
            }
            // `syscall(87, $path)`: functions of the kernel by their numbers on x86-64.
            ("syscall", [Given { value: Value::Number(number), .. }, rest @ ..]) => {
                match number {
                    // unlink, rmdir
                    84 | 87 => return Some(self.act(Act::Delete, path, rest, span)),
                    // getpid, gettid, getuid, getgid, getppid, time
                    39 | 186 | 102 | 104 | 110 | 201 => {}
                    _ => self.walk.gap(span, GapReason::UnknownCode),
                }
                Some(Value::unknown("what the kernel gives"))
            }
            // What only says how a handle is read or written.
            ("binmode" | "fileno" | "flock" | "seek", _) => Some(Value::unknown("a state")),
            (path, [name]) if path.ends_with(".can") => {
                let owner = path.strip_suffix("can").unwrap_or_default();
                let known = name.value.as_known()?;
                let whole = format!("{owner}{known}").replace('.', "::");
                let whole = Value::known(&whole);
                match self.named.get(known) {
                    Some(index) => Some(Value::Function(*index)),
                    None => self.named_function(&whole),
                }
            }
            (
                "File.Spec.catdir"
                | "File.Spec.catfile"
                | "File.Spec.Functions.catdir"
                | "File.Spec.Functions.catfile"
                | "catdir"
                | "catfile",
                [first, rest @ ..],
            ) => {
                let mut path = first.value.text();
                for part in rest {
                    path.push_known("/");
                    path.append(&part.value.text());
                }
                Some(Value::Text(path))
            }
            ("glob", [pattern]) if files::is_one_path(&pattern.value.text()) => {
                Some(pattern.value.clone())
            }
            ("File.Spec.rel2abs" | "File.Spec.canonpath" | "rel2abs" | "canonpath", [path]) => {
                Some(path.value.clone())
            }
            ("tempdir" | "File.Temp.tempdir" | "File.Temp.newdir", _)
                if !given.iter().any(|it| {
                    it.name.as_deref() == Some("DIR") || it.value.as_known() == Some("DIR")
                }) =>
            {
                Some(Value::known("/tmp/tmp.made"))
            }
            ("File.Spec.tmpdir" | "tmpdir", []) => Some(Value::known("/tmp")),
            // The text of a function, which is not called. (perldoc, B::Deparse)
            (path, [function]) if path.ends_with(".coderef2text") => {
                let Value::Function(index) = function.value else { return None };
                let known = self.functions.get_mut(index)?;
                known.called = true;
                let body = known.body.clone();
                let from = self.unit.tokens.get(body.start)?.span.range().start;
                let to = self.unit.tokens.get(body.end)?.span.range().start;
                Some(Value::known(self.source.get(from..to).unwrap_or_default()))
            }
            ("bless", [object, ..]) => {
                let all = match self.variables.get(BLESSED).cloned() {
                    Some(before) => before.or(object.value.clone()),
                    None => object.value.clone(),
                };
                self.bind(BLESSED.to_owned(), all);
                Some(object.value.clone())
            }
            ("join", [separator, rest @ ..])
                if !rest.is_empty()
                    && rest.iter().all(|it| {
                        matches!(&it.value, Value::Number(_)) || it.value.as_known().is_some()
                    }) =>
            {
                let mut text = Text::default();
                for (at, part) in rest.iter().enumerate() {
                    if at > 0 {
                        text.append(&separator.value.text());
                    }
                    text.append(&part.value.text());
                }
                self.spend(text.len() / 32);
                Some(Value::Text(text))
            }
            _ if self.is_form(path) => self.form_with_files(path, given, span),
            ("sysopen", [_, file, mode, ..])
            | ("POSIX.open" | "IO.File" | "IO.File.new" | "IO.File.new().open", [file, mode, ..]) =>
            {
                let file = Given { name: None, value: file.value.clone(), span };
                Some(self.opened_as(&file, &mode.value))
            }
            ("IO.File" | "IO.File.new" | "IO.File.new().open", [both]) => {
                let given =
                    [Given { name: None, value: Value::unknown("a handle"), span }, both.clone()];
                Some(self.act(Act::Open, "open", &given, span))
            }
            ("tie", [_, class, file, ..])
                if matches!(
                    class.value.as_known(),
                    Some("DB_File" | "GDBM_File" | "NDBM_File" | "SDBM_File" | "Tie::File")
                ) =>
            {
                let file = Given { name: None, value: file.value.clone(), span };
                Some(self.opened_as(&file, &Value::known("a")))
            }
            _ => None,
        }
    }

    /// Whether a call sends a form.
    fn is_form(&self, path: &str) -> bool {
        let last = path.rsplit('.').next().unwrap_or_default();
        matches!(last, "POST" | "PUT" | "PATCH")
            || matches!(last, "post" | "put" | "patch") && path.contains("LWP")
    }

    /// A file that is opened with a mode as C has it, or with flags.
    fn opened_as(&mut self, file: &Given, mode: &Value) -> Value {
        let shown = match mode {
            Value::Number(_) => String::new(),
            mode => mode.text().display(),
        };
        let appends =
            shown.contains("APPEND") || shown.starts_with(['a']) || shown.starts_with(">>");
        let writes = match mode {
            // The bits of `fcntl.h` for writing, making, cutting and adding.
            Value::Number(flags) => flags & (1 | 2 | 0o100 | 0o1000 | 0o2000) != 0,
            mode => {
                appends
                    || mode
                        .as_known()
                        .is_some_and(|it| it.starts_with(['w', '>', '+', 'x']) || it.contains('+'))
                    || ["WRONLY", "RDWR", "CREAT", "TRUNC"].iter().any(|it| shown.contains(it))
                    || mode.as_known().is_none() && !shown.contains("RDONLY")
            }
        };
        let how = if appends { WriteMode::Append } else { WriteMode::Replace };
        let value = self.open_file(file, writes, how);
        if writes && let Value::File(index) = value {
            self.write_file(index, &Text::unknown("content"));
        }
        self.last_file = Some(self.files.len().saturating_sub(1));
        value
    }
}

/// What `s/from/to/` or `tr/from/to/` says.
struct Changes<'t> {
    is_letters: bool,
    from: &'t str,
    to: &'t str,
    flags: &'t str,
}

impl<'t> Changes<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let word = text.find(|letter: char| !letter.is_ascii_alphabetic())?;
        let (word, rest) = text.split_at_checked(word)?;
        if !matches!(word, "s" | "tr" | "y") {
            return None;
        }
        let mark = rest.chars().next()?;
        let close = match mark {
            '{' => '}',
            '(' => ')',
            '[' => ']',
            '<' => '>',
            mark => mark,
        };
        let inner = rest.get(mark.len_utf8()..)?;
        let (from, rest) = inner.split_once(close)?;
        let rest = if close == mark { rest } else { rest.trim_start().strip_prefix(mark)? };
        let (to, flags) = rest.rsplit_once(close)?;
        Some(Self { is_letters: word != "s", from, to, flags })
    }

    /// The text that it makes of one, where that can be said.
    fn applied(&self, text: &str) -> Option<String> {
        let is_plain = |text: &str, marks: &[char]| !text.contains(marks);
        let flags = self.flags.replace('r', "");
        if self.is_letters {
            let (from, to) = (self.from.chars(), self.to.chars());
            let to: Vec<char> = to.collect();
            let is_range = !is_plain(self.from, &['-', '\\']) || self.to.contains(['-', '\\']);
            if !flags.is_empty() || is_range {
                return None;
            }
            let from: Vec<char> = from.collect();
            let changed = |letter: char| {
                let at = from.iter().position(|it| *it == letter);
                at.map_or(letter, |at| to.get(at).or(to.last()).copied().unwrap_or(letter))
            };
            return Some(text.chars().map(changed).collect());
        }
        const MARKS: &[char] =
            &['\\', '.', '^', '$', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '@'];
        if self.from.is_empty()
            || !is_plain(self.from, MARKS)
            || !is_plain(self.to, &['$', '@', '\\', '&'])
        {
            return None;
        }
        match flags.as_str() {
            "" => Some(text.replacen(self.from, self.to, 1)),
            "g" => Some(text.replace(self.from, self.to)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILT_IN, Changes};

    #[test]
    fn functions_of_perl_itself_are_sorted() {
        assert!(BUILT_IN.is_sorted());
    }

    #[test]
    fn what_a_pattern_makes_of_a_text_is_said_where_it_is_plain() {
        for (pattern, expected) in [
            ("s/a/b/", Some("bxa")),
            ("s/a/b/g", Some("bxb")),
            ("s{a}{b}", Some("bxa")),
            ("tr/ax/by/", Some("byb")),
            ("y/ax/b/", Some("bbb")),
            ("s/./b/", None),
            ("s/a/$b/", None),
            ("tr/a-z/b/", None),
        ] {
            let changes = Changes::of(pattern);
            let made = changes.and_then(|it| it.applied("axa"));
            assert_eq!(made.as_deref(), expected, "{pattern}");
        }
    }
}
