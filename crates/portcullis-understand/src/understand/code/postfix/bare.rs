//! Calls without parentheses, and the blocks that Ruby puts behind a call. Owns where their arguments end.

use portcullis_syntax::code::TokenKind;

use super::super::{
    expressions::ENDS,
    interpreter::Interpreter,
    operands::whole_environment,
    tables,
    value::{Given, Value},
};
use crate::text::Text;

/// Functions of Perl that change the list that they are given first.
const CHANGES: &[&str] = &["pop", "push", "shift", "splice", "unshift"];

/// Functions of Perl behind which a pattern for files stands, or what is read of one.
const TAKES_FILES: &[&str] =
    &["chmod", "print", "push", "remove_tree", "return", "rmtree", "say", "unlink", "unshift"];

impl Interpreter<'_, '_, '_> {
    /// Whether a sign at the cursor begins what a function of Perl is given: `\$name`, `@{$list}`, `<*.txt>`.
    fn begins_a_value_of_perl(&self, start: usize) -> bool {
        let is_glued = self.token_at(self.at + 1).is_some_and(|next| !next.spaced);
        match self.word() {
            "\\" => true,
            "{" => self.word_at(start) == "bless",
            "@" | "$" | "%" => is_glued && self.word_at(self.at + 1) == "{",
            "<" => is_glued && TAKES_FILES.contains(&self.word_at(start)),
            _ => false,
        }
    }

    /// `system "rm", x`: a call without parentheses.
    pub(super) fn bare_call(&mut self, value: Value, start: usize, spaced: bool) -> Value {
        let language_allows = matches!(self.language, "ruby" | "perl" | "php" | "lua" | "julia");
        let callable = match &value {
            Value::Name(..) | Value::Method(_) => self.is_name(self.at - 1),
            // A method of the script is called by its name alone.
            Value::Function(_) => {
                let word = self.word_at(start);
                self.language == "ruby"
                    && start + 1 == self.at
                    && self.named.contains_key(word)
                    && !self.variables.contains_key(word)
            }
            _ => false,
        };
        if !language_allows || !callable || self.is_first(self.at) {
            // A Ruby method without arguments is called by its name.
            if self.language == "ruby" && callable && !self.is_only_named(&value) {
                return self.bare_ruby_call(value, start);
            }
            return value;
        }
        let starts_value = self.token_at(self.at).is_some_and(|token| match &token.kind {
            TokenKind::Text(_) | TokenKind::Command(_) | TokenKind::Words(_) => true,
            TokenKind::Variable | TokenKind::Number => spaced && self.language != "lua",
            // `split /:/, $list`
            TokenKind::Pattern => self.language == "perl" && self.word_at(start) == "split",
            TokenKind::Name => {
                spaced
                    && matches!(self.language, "ruby" | "perl" | "php")
                    && !ENDS.contains(&token.span.of(self.source))
                    && !matches!(
                        token.span.of(self.source),
                        "and"
                            | "or"
                            | "if"
                            | "else"
                            | "eq"
                            | "ne"
                            | "x"
                            | "not"
                            | "lt"
                            | "gt"
                            | "cmp"
                    )
            }
            TokenKind::Operator => {
                let text = token.span.of(self.source);
                (spaced && self.language == "perl" && self.begins_a_value_of_perl(start))
                    || (spaced
                        && matches!(text, "*" | "&" | ":" | "[" | "(")
                        && self.language == "ruby"
                        && self.token_at(self.at + 1).is_some_and(|next| !next.spaced))
                    || (text == "{" && self.language == "lua")
            }
        });
        if !starts_value {
            if self.language == "ruby" && callable && !self.is_only_named(&value) {
                return self.bare_ruby_call(value, start);
            }
            return value;
        }
        if let Some(written) = self.print_to_handle(start) {
            return written;
        }
        let mut given = Vec::new();
        let first = self.at;
        if self.language == "lua" {
            let one = self.at;
            let argument = self.primary();
            given.push(Given { name: None, value: argument, span: self.span_from(one) });
        } else {
            loop {
                let one = self.at;
                let mut argument = self.argument();
                if self.at == one {
                    break;
                }
                argument.span = self.span_from(one);
                match argument.value {
                    // A list stands as its elements, but where it is what is changed.
                    Value::List(list)
                        if self.language == "perl"
                            && argument.name.is_none()
                            && !self.is_reference(one)
                            && !(one == first && CHANGES.contains(&self.word_at(start))) =>
                    {
                        let span = argument.span;
                        given.extend(list.into_iter().map(|value| Given {
                            name: None,
                            value,
                            span,
                        }));
                    }
                    value => given.push(Given { value, ..argument }),
                }
                if !matches!(self.word(), "," | "=>") || given.len() >= 64 {
                    break;
                }
                self.at += 1;
            }
        }
        let span = self.span_from(start);
        self.grow_first(&value, first, &given);
        let (callee, all) = match self.language {
            "ruby" => (value.clone(), given.clone()),
            _ => (Value::Number(0), Vec::new()),
        };
        let value = self.call_value(value, given, span);
        self.with_block(&callee, &all, value)
    }

    /// Whether what stands behind a name in Ruby says that it is not called there.
    fn is_only_named(&self, value: &Value) -> bool {
        match self.word() {
            "=" | ":" | "=>" => true,
            "," => !matches!(value, Value::Method(_)),
            _ => false,
        }
    }

    /// Perl's `print HANDLE list`.
    fn print_to_handle(&mut self, start: usize) -> Option<Value> {
        if self.language != "perl" || !matches!(self.word_at(start), "print" | "printf" | "say") {
            return None;
        }
        // `print {$handle} list`
        let in_braces = self.word() == "{" && self.word_at(self.at + 2) == "}";
        let at = self.at + usize::from(in_braces);
        let behind = at + 1 + usize::from(in_braces);
        let handle = self.word_at(at);
        let next = self.token_at(behind)?;
        let named = handle.starts_with('$') || handle.chars().all(|c| c.is_ascii_uppercase());
        let is_list = match next.kind {
            TokenKind::Text(_) | TokenKind::Variable => true,
            // `print $handle join(…)`, where no word between two values stands.
            TokenKind::Name => handle.starts_with('$') && self.word_at(behind + 1) == "(",
            // `print $handle %ENV`, which is no remainder.
            _ => self.word_at(behind) == "%" && matches!(self.word_at(behind + 1), "ENV" | "INC"),
        };
        if !named || handle.is_empty() || !(is_list || in_braces) {
            return None;
        }
        self.at = behind;
        let mut content = Text::default();
        if self.word() == "%" {
            self.at += 2;
            content.append(&whole_environment().text());
        }
        loop {
            content.append(&self.expression(0).text());
            if !self.accept(",") {
                break;
            }
        }
        let file = match self.variables.get(handle) {
            Some(Value::File(index)) => Some(*index),
            _ => self.last_file,
        };
        match file {
            Some(index) if handle != "STDERR" && handle != "STDOUT" => {
                self.write_file(index, &content);
            }
            _ if handle.starts_with('$') && self.seen.connects => {
                let span = self.span_from(start);
                let given = Given { name: None, value: Value::Text(content), span };
                return Some(self.act(tables::Act::Send, "print", &[given], span));
            }
            _ => self.output.append(&content),
        }
        Some(Value::unknown("nothing"))
    }

    pub(super) fn bare_ruby_call(&mut self, value: Value, start: usize) -> Value {
        // What a variable holds is not called by naming it.
        let is_held = self.at.checked_sub(1).is_some_and(|last| {
            let is_member = last > start && matches!(self.word_at(last - 1), "." | "&." | "::");
            !is_member && self.variables.contains_key(self.word_at(last))
        });
        let calls = match &value {
            _ if is_held || value.is_true() || value.is_false() => false,
            Value::Method(_) => true,
            Value::Function(_) => start + 1 == self.at,
            Value::Name(path, _) => {
                let last = path.rsplit('.').next().unwrap_or_default();
                last.starts_with(|first: char| first.is_ascii_lowercase())
            }
            _ => false,
        };
        if !calls {
            return value;
        }
        let before = self.at;
        let span = self.span_from(start);
        let callee = value.clone();
        let value = self.call_value(value, Vec::new(), span);
        let value = self.with_block(&callee, &[], value);
        self.at = self.at.max(before);
        value
    }

    /// A Ruby block behind a call: its parameter is what the call gives.
    pub(super) fn block(&mut self, given: &Value) {
        if self.language != "ruby" || self.at >= self.end {
            return;
        }
        let opens = matches!(self.word(), "{" | "do") && !self.is_first(self.at);
        if !opens {
            return;
        }
        let braces = self.word() == "{";
        let close = self.partner(self.at);
        self.at += 1;
        if self.word() == "|" {
            let bar = (self.at + 1..self.end.min(self.at + 16))
                .find(|index| self.word_at(*index) == "|")
                .unwrap_or(self.at);
            for name in self.names(self.at + 1, bar) {
                let value = match given {
                    Value::List(_) => self.element(given, 0),
                    value => value.clone(),
                };
                self.bind(name, value);
            }
            self.at = bar + 1;
        }
        if braces {
            if self.sink() {
                let brackets = std::mem::replace(&mut self.brackets, 0);
                self.statements(close);
                self.brackets = brackets;
                self.rise();
            }
            self.at = close + 1;
        }
    }
}
