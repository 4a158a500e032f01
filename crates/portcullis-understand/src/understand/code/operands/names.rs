//! Names where a value is wanted. Owns what each stands for.

use portcullis_syntax::{Span, code::TokenKind};
use unicode_normalization::UnicodeNormalization;

use super::super::{
    interpreter::{Interpreter, Parameter},
    spliced::is_stand_in,
    tables,
    value::Value,
};
use crate::text::{Taint, Text};

impl Interpreter<'_, '_, '_> {
    pub(in super::super) fn variable(&mut self, name: &str) -> Value {
        if self.language == "perl"
            && let Some(value) = self.element_of(name)
        {
            return value;
        }
        if let Some(named) = self.named_by_variable(name) {
            return self.variable(&named);
        }
        if let Some(value) = self.bound(name).or_else(|| self.dereferenced(name)) {
            return value;
        }
        let bare = name.trim_start_matches(['$', '@', '%']);
        // `$list[0]` is an element of `@list`.
        if let Some(value) = ["@", "%"].iter().find_map(|sigil| {
            (self.language == "perl")
                .then(|| self.variables.get(&format!("{sigil}{bare}")))
                .flatten()
        }) {
            return value.clone();
        }
        match bare {
            "ARGV" | "argv" => self.argument_list(),
            "ENV" | "_ENV" | "_SERVER" => whole_environment(),
            "_GET" | "_POST" | "_REQUEST" | "_COOKIE" => {
                let mut text = Text::unknown(name);
                text.taint = Taint::NETWORK;
                Value::Text(text)
            }
            "stdin" | "STDIN" => Value::Text(self.standard_input()),
            _ => {
                let position = bare.parse::<usize>().ok().filter(|position| *position > 0);
                if let Some(position) = position
                    && self.language != "awk"
                    && let Some(argument) = self.arguments.get(position - 1)
                {
                    return Value::Text(argument.text.clone());
                }
                Value::unknown(bare)
            }
        }
    }

    /// `$$name` of PHP: the variable that another one names.
    pub(in super::super) fn named_by_variable(&mut self, name: &str) -> Option<String> {
        let inner = name.strip_prefix("$$").filter(|_| self.language == "php")?;
        let named = self.bound(&format!("${inner}"))?;
        let known = named.as_known().filter(|it| !it.starts_with('$'))?;
        Some(format!("${known}"))
    }

    pub(in super::super) fn name(&mut self, span: Span) -> Value {
        let word = span.of(self.source);
        let start = self.at;
        if self.language == "perl"
            && !self.is_key_of_table(start)
            && let Some(value) = self.perl_word(word)
        {
            return value;
        }
        match word {
            "my" | "our" | "local" | "state"
                if self
                    .token_at(start + 1)
                    .is_some_and(|token| token.kind == TokenKind::Variable) =>
            {
                self.at += 1;
                return self.prefixed();
            }
            "lambda" if !matches!(self.language, "javascript" | "ruby") => return self.lambda(),
            "sub" | "func" | "fn" | "proc"
                if matches!(self.language, "awk" | "python" | "javascript") => {}
            "class"
                if self.language == "javascript"
                    && (self.is_name(start + 1) || self.word_at(start + 1) == "{") =>
            {
                return self.class_expression();
            }
            "class"
                if self.language == "php"
                    && matches!(self.word_at(start + 1), "(" | "{" | "extends" | "implements") =>
            {
                return self.class_without_name().unwrap_or_else(|| Value::unknown("an object"));
            }
            "function" if self.word_at(start + 1) == "*" => {
                self.at += 1;
                return self.inline_function();
            }
            "function" | "sub" | "func" | "fn" | "proc"
                if self.word_at(start + 1) == "("
                    || self.word_at(start + 1) == "{"
                    || self.word_at(start + 2) == "(" =>
            {
                return self.inline_function();
            }
            // What another language has as words of its own.
            "new" | "typeof" | "void" | "delete" | "throw" | "defined" | "ref" | "then" | "do"
            | "begin" | "unless"
                if self.language == "python" => {}
            "not" | "defined" | "ref" | "then" | "begin" | "unless" | "raise"
                if self.language == "javascript" => {}
            "await" if self.language == "javascript" && self.is_name(start + 1) => {
                self.at += 1;
                return self.awaited();
            }
            "delete" if self.language == "javascript" && self.is_name(start + 1) => {
                self.entry_deleted(start + 1);
                self.at += 1;
                return self.prefixed();
            }
            "yield"
                if matches!(self.language, "javascript" | "php" | "python") && self.calls > 0 =>
            {
                self.at += 1;
                self.yielded_here();
                return Value::unknown("what a generator is sent");
            }
            // `new Name;` makes an object without parentheses too.
            "new"
                if self.language == "php"
                    && self.is_name(start + 1)
                    && self.word_at(start + 1) != "class" =>
            {
                self.at += 1;
                let value = self.prefixed();
                let is_called = (start + 1..self.at).any(|at| self.word_at(at) == "(");
                return match &value {
                    Value::Name(path, _) if !is_called && !path.ends_with(')') => {
                        let span = self.span_from(start);
                        self.call_value(value, Vec::new(), span)
                    }
                    _ => value,
                };
            }
            "new" | "await" | "typeof" | "void" | "delete" | "not" | "return" | "yield"
            | "throw" | "async" | "defined" | "ref" | "then" | "else" | "do" | "begin"
            | "unless" | "raise"
                if !matches!(self.word_at(start + 1), "" | "." | "=" | ")" | "," | "(" | ";")
                    || self.token_at(start + 1).is_some_and(|token| {
                        matches!(token.kind, TokenKind::Text(_) | TokenKind::Command(_))
                    }) =>
            {
                self.at += 1;
                return self.prefixed();
            }
            // `async () => …`
            "async"
                if self.word_at(start + 1) == "("
                    && self.word_at(self.partner(start + 1) + 1) == "=>" =>
            {
                self.at += 1;
                return self.prefixed();
            }
            "await" if self.language == "javascript" => {
                self.at += 1;
                return self.awaited();
            }
            "await" | "new" | "typeof" | "return" | "not" | "yield" => {
                self.at += 1;
                return self.prefixed();
            }
            _ => {}
        }
        self.at += 1;
        if is_stand_in(word) {
            return Value::Text(self.walk.disembed(word));
        }
        if self.word() == "=>" && self.language == "javascript" {
            return self.arrow(vec![Parameter::new(word, self.at - 1)]);
        }
        let normalized: String;
        let word = if word.is_ascii() {
            word
        } else {
            normalized = word.nfkc().collect();
            normalized.as_str()
        };
        self.resolve(word)
    }

    /// What is waited for; an object that says by a method of its own what it comes to, comes to what that settles.
    fn awaited(&mut self) -> Value {
        let start = self.at;
        let value = self.prefixed();
        let span = self.span_from(start);
        let own = match (value.own_entry("then"), &value) {
            (Some(Value::Function(index)), _) => Some(*index),
            (_, Value::Name(object, _)) => self.method_of_class(&format!("{object}.then")),
            _ => None,
        };
        let Some(index) = own else { return value };
        if matches!(value, Value::Table(_)) {
            self.this = Some((String::new(), value));
        }
        self.settles(index, span)
    }

    /// What a name stands for.
    pub(in super::super) fn resolve(&mut self, word: &str) -> Value {
        if !self.is_built_in(word)
            && let Some(value) = self.bound(word)
        {
            return value;
        }
        if !self.is_built_in(word)
            && let Some(index) = self.named.get(word)
        {
            return Value::Function(*index);
        }
        if let Some(Value::Name(module, _)) = self.variables.get("*") {
            let path = format!("{module}.{word}");
            if tables::row(self.language, &path).is_some() {
                return Value::name(&path);
            }
        }
        match (self.language, word) {
            ("ruby", "ARGV") | ("julia", "ARGS") | ("lua", "arg") => self.argument_list(),
            ("ruby" | "julia", "ENV") => whole_environment(),
            ("ruby", "STDIN") => Value::name("STDIN"),
            ("javascript", "__dirname") => match self.walk.directory_of_file() {
                Some(directory) => Value::known(&directory),
                None => Value::known("."),
            },
            ("python", "__file__") => {
                let directory = self.walk.directory_of_file();
                let directory = directory.unwrap_or_else(|| ".".to_owned());
                Value::known(&format!("{}/module.py", directory.trim_end_matches('/')))
            }
            ("php", "PHP_BINARY") => Value::known("php"),
            ("php", "PHP_EOL") => Value::known("\n"),
            ("php", "DIRECTORY_SEPARATOR") => Value::known("/"),
            ("php", "__DIR__") => match self.walk.directory_of_file() {
                Some(directory) => Value::known(&directory),
                None => Value::name(word),
            },
            ("javascript", "localStorage" | "sessionStorage" | "indexedDB" | "cookieStore") => {
                Value::reached(word, Text { taint: Taint::SECRET, ..Text::default() })
            }
            ("perl", "shift") => self.element(&self.argument_list(), 0),
            ("ruby", _)
                if self.calls > 0
                    && let Some(field) = self.read_field(word) =>
            {
                field
            }
            _ => Value::name(word),
        }
    }
}

/// All variables of the environment, of which one may be taken out.
pub(in super::super) fn whole_environment() -> Value {
    Value::reached("ENV", Text { taint: Taint::SECRET, ..Text::default() })
}
