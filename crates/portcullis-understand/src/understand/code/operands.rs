//! Operands: literals, interpolation, names and lists. Owns where a value begins.

use std::rc::Rc;

use portcullis_syntax::Span;
use portcullis_syntax::code::{TextPart, TokenKind};
use unicode_normalization::UnicodeNormalization;

use super::{
    containers::{any_of, characters},
    interpreter::{Interpreter, Parameter, Unit},
    spliced::is_stand_in,
    tables,
    value::{Given, Value},
};
use crate::{
    effect::Argument,
    text::{Taint, Text},
};

/// How many elements of a comprehension are computed.
pub(super) const ELEMENTS: usize = 2048;

/// How many lines of what a command prints are followed one by one.
pub(super) const LINES: usize = 4;

impl Interpreter<'_, '_, '_> {
    pub(super) fn primary(&mut self) -> Value {
        let Some(token) = self.token_at(self.at) else { return Value::unknown("nothing") };
        let span = token.span;
        match &token.kind {
            TokenKind::Text(_) => self.texts(),
            TokenKind::Command(parts) => {
                let parts = parts.clone();
                self.at += 1;
                let command = self.parts(&parts);
                self.seen.spawns = Some(span);
                self.flush();
                let input = None;
                Value::Text(self.walk.shell(&command, span, &[], input))
            }
            TokenKind::Words(words) => {
                let list = words.iter().map(|word| Value::Text(self.walk.disembed(word))).collect();
                self.at += 1;
                Value::List(list)
            }
            TokenKind::Number => {
                let text = span.of(self.source);
                self.at += 1;
                number(text).map_or_else(|| Value::unknown("a number"), Value::Number)
            }
            TokenKind::Pattern => {
                self.at += 1;
                Value::unknown("a pattern")
            }
            TokenKind::Variable => {
                let name = span.of(self.source);
                self.at += 1;
                self.variable(name)
            }
            TokenKind::Name if self.language == "awk" && self.word() == "getline" => self.getline(),
            TokenKind::Name => self.name(span),
            TokenKind::Operator => self.prefix(span),
        }
    }

    /// `getline`, `getline name`, `getline < file`, `getline name < file` of awk.
    pub(super) fn getline(&mut self) -> Value {
        self.at += 1;
        let name = self.is_name(self.at).then(|| self.word().to_owned());
        self.at += usize::from(name.is_some());
        let line = if self.accept("<") {
            let start = self.at;
            let file = self.primary().text();
            let file = Argument { text: file, span: self.span_from(start) };
            self.flush();
            Value::Text(self.walk.read(&file))
        } else {
            Value::Text(self.standard_input())
        };
        match name {
            Some(name) => self.bind(name, line.clone()),
            // Without a name the line is what `$0` and its fields are from here on.
            None => self.bind("$0".to_owned(), line.clone()),
        }
        line
    }

    fn texts(&mut self) -> Value {
        let mut text = Text::default();
        while let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) {
            let parts = parts.clone();
            self.at += 1;
            text.append(&self.parts(&parts));
            if !matches!(self.language, "python" | "ruby" | "java" | "awk" | "julia")
                || !self.continues()
            {
                break;
            }
        }
        Value::Text(text)
    }

    /// The value of a string with its computed stretches.
    pub(super) fn parts(&mut self, parts: &[TextPart]) -> Text {
        let mut text = Text::default();
        for part in parts {
            match part {
                TextPart::Literal(literal) => {
                    self.spend(literal.len() / 32);
                    text.append(&self.walk.disembed(literal));
                }
                TextPart::Code(span) => {
                    let value = self.fragment(*span);
                    let value = self.written(&value, *span).unwrap_or(value);
                    match &value {
                        Value::List(list) if matches!(self.language, "perl" | "julia") => {
                            for (index, value) in list.iter().enumerate() {
                                if index > 0 {
                                    text.push_known(" ");
                                }
                                text.append(&value.text());
                            }
                        }
                        value => text.append(&value.text()),
                    }
                }
            }
        }
        text
    }

    /// The value of an expression that stands inside a string.
    pub(super) fn fragment(&mut self, span: Span) -> Value {
        if !self.sink() {
            return Value::unknown("a value");
        }
        let (unit, _) = Unit::new(self.source, span, self.dialect);
        self.spliced(&unit.tokens, true);
        let end = unit.tokens.len();
        let value = self.within(Rc::new(unit), 0..end, |inner| inner.expression(0));
        self.rise();
        value
    }

    pub(super) fn variable(&mut self, name: &str) -> Value {
        if let Some(value) = self.bound(name) {
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

    /// What the script is given, as a list.
    pub(super) fn argument_list(&self) -> Value {
        Value::List(
            self.arguments.iter().map(|argument| Value::Text(argument.text.clone())).collect(),
        )
    }

    /// What arrives on the standard input.
    pub(super) fn standard_input(&self) -> Text {
        self.input.clone().unwrap_or_else(|| Text::unknown("standard input"))
    }

    pub(super) fn name(&mut self, span: Span) -> Value {
        let word = span.of(self.source);
        let start = self.at;
        match word {
            "my" | "our" | "local" | "state"
                if self
                    .token_at(start + 1)
                    .is_some_and(|token| token.kind == TokenKind::Variable) =>
            {
                self.at += 1;
                return self.prefixed();
            }
            "lambda" if self.language != "javascript" => return self.lambda(),
            "sub" | "func" | "fn" | "proc" if matches!(self.language, "python" | "javascript") => {}
            "class"
                if self.language == "javascript"
                    && (self.is_name(start + 1) || self.word_at(start + 1) == "{") =>
            {
                return self.class_expression();
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

    /// What a name stands for.
    pub(super) fn resolve(&mut self, word: &str) -> Value {
        if let Some(value) = self.bound(word) {
            return value;
        }
        if let Some(index) = self.named.get(word) {
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
            ("php", "__DIR__") => match self.walk.directory_of_file() {
                Some(directory) => Value::known(&directory),
                None => Value::name(word),
            },
            ("javascript", "localStorage" | "sessionStorage" | "indexedDB" | "cookieStore") => {
                Value::reached(word, Text { taint: Taint::SECRET, ..Text::default() })
            }
            ("perl", "shift") => self.element(&self.argument_list(), 0),
            _ => Value::name(word),
        }
    }

    pub(super) fn prefix(&mut self, span: Span) -> Value {
        let word = span.of(self.source);
        match word {
            "(" => {
                let close = self.partner(self.at);
                if self.language == "lisp" && self.is_name(self.at + 1) {
                    return self.form(close);
                }
                let arrow = self.word_at(close + 1) == "=>" && self.language == "javascript";
                if arrow {
                    let parameters = self.parameters(self.at + 1, close);
                    self.at = close + 1;
                    return self.arrow(parameters);
                }
                // `(f for f in files)`: a generator gives what its list would.
                if let Some(list) = self.comprehension(close) {
                    return list;
                }
                match self.list(close) {
                    mut list if list.len() == 1 && self.word_at(close - 1) != "," => {
                        list.pop().unwrap_or_else(|| Value::known(""))
                    }
                    // The comma operator: the last counts.
                    mut list if self.language == "javascript" && !list.is_empty() => {
                        list.pop().unwrap_or_else(|| Value::known(""))
                    }
                    list => Value::List(list),
                }
            }
            "[" => {
                let close = self.partner(self.at);
                if self.language == "lisp" {
                    return Value::List(self.list(close));
                }
                if self.language == "php" && self.word_at(self.at + 2) == "=>" {
                    return self.table();
                }
                self.comprehension(close).unwrap_or_else(|| Value::List(self.list(close)))
            }
            // `\%ENV`: a reference to it.
            "\\" if self.language == "perl" => {
                self.at += 1;
                self.prefixed()
            }
            "{" => {
                let close = self.partner(self.at);
                self.comprehension(close).unwrap_or_else(|| self.table())
            }
            "-" | "+" => {
                self.at += 1;
                match self.prefixed() {
                    Value::Number(number) if word == "-" => Value::Number(number.saturating_neg()),
                    value => value,
                }
            }
            "!" | "~" => {
                self.at += 1;
                drop(self.prefixed());
                Value::unknown("a condition")
            }
            "*" | "**" | "&" | "\\" | "..." | "@" | "$" | "<-" => {
                self.at += 1;
                if self.is_first(self.at) { Value::unknown(word) } else { self.prefixed() }
            }
            ":" if self.is_name(self.at + 1)
                && matches!(self.language, "ruby" | "julia" | "lisp") =>
            {
                let name = self.word_at(self.at + 1);
                self.at += 2;
                Value::known(name)
            }
            "<" if self.language == "perl" && self.word_at(self.at + 2) == ">" => {
                let standard = matches!(self.word_at(self.at + 1), "STDIN" | "ARGV");
                self.at += 3;
                let file = self.last_file.and_then(|index| self.files.get(index));
                match file {
                    Some(file) if !standard => {
                        let mut text = Text::unknown("a line");
                        text.inherit(&file.read);
                        Value::Text(text)
                    }
                    _ => Value::Text(self.standard_input()),
                }
            }
            // Perl's `<*.txt>` gives the names that the pattern stands for.
            "<" if self.language == "perl" => {
                let mut close = self.at + 1;
                while close < self.end && close < self.at + 64 && self.word_at(close) != ">" {
                    close += 1;
                }
                if self.word_at(close) != ">" {
                    return Value::unknown("nothing");
                }
                let from = self.unit.tokens.get(self.at).map(|token| token.span.range().end);
                let to = self.unit.tokens.get(close).map(|token| token.span.range().start);
                let pattern = from.zip(to).and_then(|(from, to)| self.source.get(from..to));
                let pattern = Text::known(pattern.unwrap_or_default());
                let span = self.span_from(self.at);
                self.at = close + 1;
                self.flush();
                self.listed(&Argument { text: pattern, span })
            }
            "->" if self.language == "ruby" => {
                self.at += 1;
                Value::unknown("a function")
            }
            _ => Value::unknown("nothing"),
        }
    }

    /// Lisp's `(function argument …)`.
    pub(super) fn form(&mut self, close: usize) -> Value {
        let start = self.at;
        let span = self.unit.tokens.get(start + 1).map(|token| token.span).unwrap_or_default();
        let mut values = self.list(close).into_iter();
        let Some(function) = values.next() else { return Value::unknown("nothing") };
        let given = values.map(|value| Given { name: None, value, span }).collect();
        let span = self.span_from(start);
        self.call_value(function, given, span)
    }

    /// The values between the bracket at the cursor and `close`, which is passed.
    pub(super) fn list(&mut self, close: usize) -> Vec<Value> {
        self.at += 1;
        let mut list = Vec::new();
        let outer = self.narrow(close);
        self.brackets += 1;
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            let spread = self.word() == "*" || self.word() == "...";
            let value = self.expression(0);
            match value {
                Value::List(inner) if spread || self.language == "perl" => list.extend(inner),
                Value::Text(text) if spread => match characters(&text) {
                    Some(Value::List(inner)) => list.extend(inner),
                    _ => list.push(Value::Text(text)),
                },
                value if self.at > before => list.push(value),
                _ => {}
            }
            if self.word() == "for" {
                // A generator: its head was read with the variable unknown.
                self.at = self.end;
            }
            let separated = matches!(self.word(), "," | "=>");
            if separated || self.at == before {
                self.at += 1;
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        if list.len() > ELEMENTS {
            self.limit();
        }
        list.truncate(ELEMENTS);
        list
    }

    /// `[head for name in list]`, `{key: head for …}` between the bracket at the cursor and `close`.
    pub(super) fn comprehension(&mut self, close: usize) -> Option<Value> {
        if self.language != "python" {
            return None;
        }
        let open = self.at;
        let mut at = open + 1;
        let (mut separator, mut colon) = (None, None);
        while at < close {
            if self.word_at(at) == "for" && self.is_name(at) {
                separator = Some(at);
                break;
            }
            if self.word_at(at) == ":" && self.word_at(open) == "{" {
                colon = Some(at);
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        let separator = separator?;
        let outer = self.narrow(close);
        self.brackets += 1;
        let within = (separator..close).find(|index| self.word_at(*index) == "in").unwrap_or(close);
        let names = self.names(separator + 1, within);
        self.at = within + 1;
        let list = self.expression(2);
        let rest = self.at;
        let span = self.span_from(open);
        let list = self.gone_through(&list, span).unwrap_or(list);
        let elements: Vec<Value> = match &list {
            Value::List(list) if !list.is_empty() => list.clone(),
            Value::Text(text) if text.as_known().is_some_and(|known| known.len() <= ELEMENTS) => {
                let known = text.as_known().unwrap_or_default();
                known.chars().map(|character| Value::known(&character.to_string())).collect()
            }
            other => vec![self.element(other, 0)],
        };
        let (mut keys, mut result) = (Vec::new(), Vec::new());
        for element in elements.into_iter() {
            self.bind_targets(separator + 1, within, &element);
            self.at = open + 1;
            let head_end = std::mem::replace(&mut self.end, separator);
            if let Some(colon) = colon {
                self.end = colon;
                keys.push(self.expression(0).text().display());
                self.end = separator;
                self.at = colon + 1;
            }
            result.push(self.expression(0));
            self.end = head_end;
            if self.work == 0 {
                break;
            }
        }
        self.at = rest;
        let end = self.end;
        let chooses = (rest..end).any(|at| self.word_at(at) == "if" && self.is_name(at));
        self.statements(end);
        if chooses {
            // Which of them are chosen is not known: each may be the first.
            result = any_of(result);
        }
        for name in names {
            self.variables.remove(&name);
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        Some(match colon {
            Some(_) => Value::Table(keys.into_iter().zip(result).collect()),
            None => Value::List(result),
        })
    }

    /// `{one, two}` of Python: something in the brackets, and neither a key nor a table that is spread.
    fn is_set(&self, close: usize) -> bool {
        let mut at = self.at + 1;
        let mut is_empty = true;
        while at < close {
            if matches!(self.word_at(at), ":" | "**") && !self.is_text(at) {
                return false;
            }
            is_empty = false;
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        !is_empty
    }

    fn is_text(&self, at: usize) -> bool {
        self.token_at(at).is_some_and(|token| matches!(token.kind, TokenKind::Text(_)))
    }

    /// A dictionary, an object or a block.
    pub(super) fn table(&mut self) -> Value {
        let close = self.partner(self.at);
        if self.language == "python" && self.is_set(close) {
            return Value::List(self.list(close));
        }
        self.at += 1;
        let outer = self.narrow(close);
        let mut table = Vec::new();
        let brackets = std::mem::replace(&mut self.brackets, 1);
        self.blocks += 1;
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            // `{...defaults, …}`, `{**defaults, …}`
            if matches!(self.word(), "..." | "**") {
                self.at += 1;
                match self.expression(0) {
                    Value::Table(more) => table.extend(more),
                    other => table.push(("...".to_owned(), other)),
                }
                self.accept(",");
                continue;
            }
            // `{[name]: value}`
            if self.word() == "[" && self.language == "javascript" {
                let end = self.partner(before);
                if self.word_at(end + 1) == ":" {
                    let key = self.list(end).pop().map(|key| key.text().display());
                    self.at = end + 2;
                    let value = self.expression(0);
                    table.push((key.unwrap_or_default(), value));
                    self.accept(",");
                    continue;
                }
            }
            if self.language == "javascript"
                && let Some((name, value)) = self.literal_method(before)
            {
                table.push((name, value));
                self.accept(",");
                continue;
            }
            let separator = self.word_at(before + 1);
            let lua = self.language == "lua" && separator == "=";
            if matches!(separator, ":" | "=>") || lua {
                let key = match self.token_at(before).map(|token| &token.kind) {
                    Some(TokenKind::Text(parts)) => {
                        let parts = parts.clone();
                        self.parts(&parts).display()
                    }
                    // The names of Python's keys are variables.
                    _ if self.language == "python" && self.is_name(before) => {
                        let word = self.word_at(before);
                        let bound = self.bound(word);
                        bound.as_ref().and_then(Value::as_known).unwrap_or(word).to_owned()
                    }
                    _ => self.word_at(before).to_owned(),
                };
                self.at += 2;
                let value = self.expression(0);
                table.push((key, value));
            } else if self.is_name(before)
                && matches!(separator, "," | "}" | "")
                && self.language == "javascript"
            {
                let name = self.word();
                self.at += 1;
                let value = self.resolve(name);
                table.push((name.to_owned(), value));
            } else {
                self.brackets = 0;
                self.statement_once();
                self.brackets = 1;
            }
            self.accept(",");
            if self.at == before {
                self.at += 1;
            }
        }
        self.blocks -= 1;
        self.brackets = brackets;
        self.end = outer;
        self.at = close + 1;
        Value::Table(table)
    }
}

/// All variables of the environment, of which one may be taken out.
pub(super) fn whole_environment() -> Value {
    Value::reached("ENV", Text { taint: Taint::SECRET, ..Text::default() })
}

/// How many bytes of a text are known.
pub(super) fn number(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|character| *character != '_').collect();
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return i64::from_str_radix(rest.trim_end_matches('n'), radix).ok();
        }
    }
    if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|byte| byte.is_ascii_digit())
    {
        return i64::from_str_radix(&lower, 8).ok();
    }
    lower.trim_end_matches(['n', 'l', 'u']).parse().ok()
}
