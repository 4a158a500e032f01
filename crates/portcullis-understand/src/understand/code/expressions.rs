//! Expressions: from tokens to values. Owns literals, interpolation, operators, members, indices and where calls are
//! found; what a call does is said in `calls`.

use crate::bound::{Bounded, Cut};
use std::rc::Rc;

use portcullis_syntax::{
    Span,
    code::{TextPart, TokenKind},
};
use unicode_normalization::UnicodeNormalization;

use super::{
    fold,
    interpreter::{Function, Interpreter, Parameter, Unit},
    methods::grown,
    spliced::is_stand_in,
    tables,
    value::{Given, Value, mixed},
};
use crate::{
    effect::Argument,
    text::{Piece, Taint, Text},
};

/// Whether a template behind this name is a command: no other library puts one there.
fn runs_templates(path: &str) -> bool {
    const TAGS: &[&str] = &["$", "$()", "$.sync", "execa", "execa()", "execaSync", "execa.execa"];
    TAGS.contains(&path) || path.ends_with(".$") || path.ends_with(".$()")
}

/// How many elements of a comprehension are computed.
const ELEMENTS: usize = 2048;

/// How many lines of what a command prints are followed one by one.
const LINES: usize = 4;

/// Words that end an expression.
const ENDS: &[&str] = &[
    "then",
    "do",
    "end",
    "as",
    "in",
    "of",
    "from",
    "import",
    "unless",
    "while",
    "until",
    "for",
    "if",
    "with",
    "instanceof",
    "rescue",
];

impl Interpreter<'_, '_, '_> {
    /// Reads an expression of operators that bind at least as tightly as `level`.
    pub(super) fn expression(&mut self, level: u8) -> Value {
        if self.at >= self.end || !self.spend(1) || !self.sink() {
            self.at = self.end;
            return Value::unknown("an expression");
        }
        if level == 0
            && let Some(value) = self.assignment()
        {
            self.rise();
            return value;
        }
        let mut left = self.operand();
        while let Some((operator, binding)) = self.operator() {
            if binding < level || !self.spend(1) {
                break;
            }
            let start = self.at;
            left = self.apply_operator(left, operator, binding);
            if self.at <= start {
                break;
            }
        }
        self.rise();
        left
    }

    /// `name = value` inside an expression.
    fn assignment(&mut self) -> Option<Value> {
        let token = self.token_at(self.at)?;
        if !matches!(token.kind, TokenKind::Name | TokenKind::Variable) {
            return None;
        }
        let operator = self.word_at(self.at + 1);
        let adds = operator == "+=" && self.language != "python";
        let assigns = operator == ":=" || (operator == "=" && self.language != "python");
        if !assigns && !adds {
            return None;
        }
        let name = self.word().to_owned();
        self.at += 2;
        let mut value = self.expression(0);
        if adds && let Some(before) = self.bound(&name) {
            value = self.add(before, value);
        }
        self.bind(name, value.clone());
        Some(value)
    }

    /// Whether the token at `at` belongs to the expression before it.
    fn continues(&self) -> bool {
        self.brackets > 0
            || !self.is_first(self.at)
            || (self.language != "python"
                && matches!(
                    self.word(),
                    "." | "?." | "->" | "+" | ".." | "||" | "&&" | "?" | "|>" | "??" | "or" | "and"
                ))
    }

    /// The operator that follows and how tightly it binds.
    fn operator(&self) -> Option<(&'static str, u8)> {
        if self.at >= self.end || !self.continues() {
            return None;
        }
        let word = self.word();
        let (operator, binding) = match word {
            "if" if self.language == "python" => ("if", 1),
            "?" => ("?", 1),
            "or" | "||" | "??" => ("or", 2),
            "and" | "&&" => ("and", 2),
            "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~" | "~="
            | "is" | "eq" | "ne" | "instanceof" | "not" => ("compare", 3),
            "in" if self.brackets == 0 && self.language == "python" => ("compare", 3),
            "|" if self.language != "awk" => ("|", 4),
            "|>" => ("|>", 4),
            "^" | "&" if self.language != "applescript" => ("bits", 4),
            "<<" | ">>" => ("<<", 5),
            "+" => ("+", 6),
            "-" => ("-", 6),
            "." if matches!(self.language, "php" | "perl") => ("+", 6),
            ".." if self.language == "lua" => ("+", 6),
            "&" => ("+", 6),
            "++" if self.language == "haskell" => ("+", 6),
            "*" => ("*", 7),
            "x" if self.language == "perl" => ("*", 7),
            "/" | "//" => ("/", 7),
            "%" => ("%", 7),
            "**" => ("bits", 8),
            "" if self.language == "awk" && self.is_value() => ("concatenate", 6),
            _ if self.language == "awk" && self.is_value() && !ENDS.contains(&word) => {
                ("concatenate", 6)
            }
            _ => return None,
        };
        Some((operator, binding))
    }

    fn is_value(&self) -> bool {
        self.token_at(self.at).is_some_and(|token| {
            matches!(
                token.kind,
                TokenKind::Text(_) | TokenKind::Variable | TokenKind::Number | TokenKind::Name
            ) && !token.first
        }) && !matches!(self.word(), "getline" | "in")
    }

    fn apply_operator(&mut self, left: Value, operator: &str, binding: u8) -> Value {
        if operator == "concatenate" {
            let right = self.expression(binding + 1);
            return self.add(left, right);
        }
        self.at += 1;
        match operator {
            "if" => {
                drop(self.expression(2));
                if self.accept("else") {
                    let other = self.expression(1);
                    return left.or(other);
                }
                left
            }
            "?" => {
                if matches!(self.word(), ":") {
                    self.at += 1;
                    let other = self.expression(1);
                    return left.or(other);
                }
                let one = self.expression(2);
                if self.accept(":") {
                    let other = self.expression(1);
                    return one.or(other);
                }
                one
            }
            "or" => {
                let right = self.expression(binding + 1);
                if left.is_false() { right } else { left.or(right) }
            }
            "and" => {
                let right = self.expression(binding + 1);
                if matches!(self.language, "lua" | "perl" | "ruby" | "javascript") {
                    return left.or(right);
                }
                right
            }
            "compare" => {
                while matches!(self.word(), "not" | "in") {
                    self.at += 1;
                }
                drop(self.expression(binding + 1));
                Value::unknown("a comparison")
            }
            "|>" => {
                let span = self.span_from(self.at);
                let right = self.expression(binding + 1);
                self.call_value(right, vec![Given { name: None, value: left, span }], span)
            }
            "+" => {
                let right = self.expression(binding + 1);
                self.add(left, right)
            }
            "<<" => {
                let span = self.span_from(self.at);
                let owner = self.at.checked_sub(2).map(|at| self.word_at(at).to_owned());
                let right = self.expression(binding + 1);
                if self.language == "ruby"
                    && let Value::List(mut list) = left
                {
                    list.push(right);
                    // `list << one << another`
                    while self.word() == "<<" && !self.is_first(self.at) {
                        self.at += 1;
                        list.push(self.expression(binding + 1));
                    }
                    if let Some(owner) = owner.filter(|owner| self.variables.contains_key(owner)) {
                        self.bind(owner, Value::List(list.clone()));
                    }
                    return Value::List(list);
                }
                if let Value::File(index) = left {
                    self.write_file(index, &right.text());
                    return left;
                }
                if matches!(left, Value::Text(_)) && matches!(right, Value::Text(_)) {
                    return self.add(left, right);
                }
                self.call_value(
                    Value::Method(Box::new((left, "write".to_owned()))),
                    vec![Given { name: None, value: right, span }],
                    span,
                )
            }
            "%" => {
                let span = self.span_from(self.at);
                let right = self.expression(binding + 1);
                match (&left, &right) {
                    (Value::Number(left), Value::Number(right)) => {
                        Value::Number(left.checked_rem(*right).unwrap_or(0))
                    }
                    (Value::Text(_), _) => fold::format(&[
                        Given { name: None, value: left, span },
                        Given { name: None, value: right, span },
                    ]),
                    _ => Value::Text(mixed("a number", [&left, &right])),
                }
            }
            "*" => {
                let right = self.expression(binding + 1);
                match (&left, &right) {
                    (Value::Number(left), Value::Number(right)) => {
                        Value::Number(left.saturating_mul(*right))
                    }
                    (Value::Text(text), Value::Number(times))
                    | (Value::Number(times), Value::Text(text)) => {
                        let text = fold::repeat(text, *times);
                        self.spend(text.len() / 32);
                        Value::Text(text)
                    }
                    _ => Value::Text(mixed("a product", [&left, &right])),
                }
            }
            "/" => {
                let right = self.expression(binding + 1);
                if self.language == "python"
                    && (matches!(left, Value::Text(_)) || matches!(right, Value::Text(_)))
                    && !matches!(right, Value::Number(_))
                {
                    let mut path = left.text();
                    fold::append_path(&mut path, &right.text());
                    self.spend(path.len() / 32);
                    return Value::Text(path);
                }
                Value::Text(mixed("a quotient", [&left, &right]))
            }
            _ => {
                let right = self.expression(binding + 1);
                match (operator, &left, &right) {
                    ("-", Value::Number(left), Value::Number(right)) => {
                        Value::Number(left.saturating_sub(*right))
                    }
                    ("|", Value::Number(left), Value::Number(right)) => Value::Number(left | right),
                    ("|", Value::Table(left), Value::Table(right)) => {
                        Value::Table(left.iter().chain(right).cloned().collect())
                    }
                    _ => Value::Text(mixed("a number", [&left, &right])),
                }
            }
        }
    }

    /// `left + right`: numbers, lists or texts.
    pub(super) fn add(&mut self, left: Value, right: Value) -> Value {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) if self.language != "awk" => {
                Value::Number(left.saturating_add(right))
            }
            (Value::List(mut left), Value::List(right)) => {
                left.extend(right);
                if left.len() > ELEMENTS {
                    self.limit();
                }
                left.truncate(ELEMENTS);
                Value::List(left)
            }
            (Value::Any(list), right) => list
                .into_iter()
                .map(|left| self.add(left, right.clone()))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::known("")),
            (left, Value::Any(list)) => list
                .into_iter()
                .map(|right| self.add(left.clone(), right))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::known("")),
            (left, right) => {
                let mut text = left.text();
                text.append(&right.text());
                self.spend(text.len() / 32);
                Value::Text(text)
            }
        }
    }

    /// A value with its members, indices and calls.
    fn operand(&mut self) -> Value {
        let start = self.at;
        let mut value = self.primary();
        if self.at == start {
            return value;
        }
        loop {
            let before = self.at;
            value = self.postfix(value, start);
            if self.at == before || !self.spend(1) {
                return value;
            }
        }
    }

    /// The operand behind a word or sign that stands before one; text of nothing but such signs is cut off somewhere.
    fn prefixed(&mut self) -> Value {
        if !self.sink() {
            return Value::unknown("a value");
        }
        let value = self.operand();
        self.rise();
        value
    }

    fn primary(&mut self) -> Value {
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
    fn getline(&mut self) -> Value {
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

    /// A template that is a command: each value in it is one word, and each element of a list.
    fn template(&mut self) -> Text {
        let mut command = Text::default();
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return command;
        };
        let parts = parts.clone();
        self.at += 1;
        for part in &parts {
            let TextPart::Code(span) = part else {
                command.append(&self.parts(std::slice::from_ref(part)));
                continue;
            };
            let values = match self.fragment(*span) {
                Value::List(list) => list,
                value => vec![value],
            };
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    command.push_known(" ");
                }
                let word = value.text();
                match word.as_known() {
                    Some(known) => {
                        let quoted = format!("'{}'", known.replace('\'', "'\\''"));
                        command.append(&word.derive([Piece::Known(quoted)]));
                    }
                    None => command.append(&word),
                }
            }
        }
        command
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
    fn fragment(&mut self, span: Span) -> Value {
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

    fn variable(&mut self, name: &str) -> Value {
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

    fn name(&mut self, span: Span) -> Value {
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
            "lambda" => return self.lambda(),
            "function" | "sub" | "func" | "fn" | "proc"
                if self.word_at(start + 1) == "("
                    || self.word_at(start + 1) == "{"
                    || self.word_at(start + 2) == "(" =>
            {
                return self.inline_function();
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
            return self.arrow(vec![Parameter { name: word.to_owned(), at: self.at - 1 }]);
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
            ("javascript", "__dirname") => Value::known("."),
            ("perl", "shift") => self.element(&self.argument_list(), 0),
            _ => Value::name(word),
        }
    }

    fn prefix(&mut self, span: Span) -> Value {
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
                match self.list(close) {
                    mut list if list.len() == 1 && self.word_at(close - 1) != "," => {
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
    fn form(&mut self, close: usize) -> Value {
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
    fn comprehension(&mut self, close: usize) -> Option<Value> {
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
            match names.as_slice() {
                [name] => {
                    self.bind(name.clone(), element);
                }
                names => {
                    for (position, name) in names.iter().enumerate() {
                        let inner = self.element(&element, position);
                        self.bind(name.clone(), inner);
                    }
                }
            }
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
        self.statements(end);
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

    /// A dictionary, an object or a block.
    fn table(&mut self) -> Value {
        let close = self.partner(self.at);
        self.at += 1;
        let outer = self.narrow(close);
        let mut table = Vec::new();
        let brackets = std::mem::replace(&mut self.brackets, 1);
        self.blocks += 1;
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            let separator = self.word_at(before + 1);
            let lua = self.language == "lua" && separator == "=";
            if matches!(separator, ":" | "=>") || lua {
                let key = match self.token_at(before).map(|token| &token.kind) {
                    Some(TokenKind::Text(parts)) => {
                        let parts = parts.clone();
                        self.parts(&parts).display()
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

    fn lambda(&mut self) -> Value {
        self.at += 1;
        let mut colon = self.at;
        while colon < self.end && self.word_at(colon) != ":" {
            colon += 1;
        }
        let parameters = self.parameters(self.at, colon);
        self.at = colon + 1;
        self.rest_as_function(parameters)
    }

    fn arrow(&mut self, parameters: Vec<Parameter>) -> Value {
        self.at += 1;
        if self.word() == "{" {
            return self.braced_function(parameters);
        }
        self.rest_as_function(parameters)
    }

    fn inline_function(&mut self) -> Value {
        self.at += 1;
        let mut name = "";
        if self.is_name(self.at) {
            name = self.word();
            self.at += 1;
        }
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(self.at);
            parameters = self.parameters(self.at + 1, close);
            self.at = close + 1;
        }
        if self.word() == "use" && self.word_at(self.at + 1) == "(" {
            self.at = self.partner(self.at + 1) + 1;
        }
        if self.word() == "{" {
            let function = self.braced_function(parameters);
            if let (Value::Function(index), false) = (&function, name.is_empty()) {
                self.endless_calls(name, *index);
            }
            return function;
        }
        if self.word() == "=>" {
            return self.arrow(parameters);
        }
        // Lua and Ruby bodies end with a word; they are read where they stand.
        Value::unknown("a function")
    }

    fn braced_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let close = self.partner(self.at);
        let body = self.at + 1..close;
        self.at = close + 1;
        self.push_function(parameters, body, false)
    }

    /// The expression that follows, as a function's body.
    fn rest_as_function(&mut self, parameters: Vec<Parameter>) -> Value {
        let start = self.at;
        while self.at < self.end
            && !matches!(self.word(), "," | ")" | "]" | "}" | ";")
            && (self.continues() || self.at == start)
        {
            self.at = match self.unit.partners.get(self.at) {
                Some(partner) if *partner > self.at => partner + 1,
                _ => self.at + 1,
            };
        }
        self.at = self.at.min(self.end);
        // Functions in functions are each looked through to the same end.
        self.spend(self.at.saturating_sub(start) / 8);
        self.push_function(parameters, start..self.at, true)
    }

    fn push_function(
        &mut self,
        parameters: Vec<Parameter>,
        body: std::ops::Range<usize>,
        expression: bool,
    ) -> Value {
        let index = self.functions.len();
        self.functions.push(Function {
            parameters,
            body,
            unit: Rc::clone(&self.unit),
            called: false,
            is_cut: false,
            is_read_anew: false,
            active: false,
            expression,
        });
        Value::Function(index)
    }

    fn postfix(&mut self, value: Value, start: usize) -> Value {
        if self.at >= self.end {
            return value;
        }
        let Some(token) = self.token_at(self.at) else { return value };
        let (spaced, first) = (token.spaced, token.first);
        let word = self.word();
        // `$`rm x`` of zx, execa and Bun.
        if self.language == "javascript"
            && !spaced
            && token.span.of(self.source).starts_with('`')
            && matches!(&value, Value::Name(path, _) if runs_templates(path))
        {
            let command = self.template();
            let span = self.span_from(start);
            return Value::Text(self.run_shell(&command, span, None));
        }
        match word {
            "." | "?." | "->" | "::" if self.continues() => {
                if word == "." && matches!(self.language, "php" | "perl" | "awk" | "r") {
                    return value;
                }
                let next = self.at + 1;
                if self.is_name(next) {
                    let name = self.word_at(next);
                    self.at = next + 1;
                    let member = self.member(value, name);
                    // Perl calls what has no arguments without parentheses: `HTTP::Tiny->new->get(…)`.
                    if self.language == "perl" && word == "->" && self.word() != "(" {
                        let span = self.span_from(start);
                        return self.call_value(member, Vec::new(), span);
                    }
                    return member;
                }
                if matches!(self.word_at(next), "[" | "{" | "(") {
                    self.at = next;
                    return value;
                }
                if self.token_at(next).is_some_and(|token| token.kind == TokenKind::Variable) {
                    // `$object->$name`
                    self.at = next;
                    let name = self.primary().text();
                    return match name.as_known() {
                        Some(name) => self.member(value, name),
                        None => Value::reached("", mixed("a member", [&value])),
                    };
                }
                value
            }
            ":" if self.language == "lua" && self.is_name(self.at + 1) => {
                let name = self.word_at(self.at + 1);
                self.at += 2;
                self.member(value, name)
            }
            "(" if !first || self.brackets > 0 => {
                if spaced && !self.may_call_spaced(start) {
                    return self.bare_call(value, start, spaced);
                }
                // `list.append(…)`: the list stands right before the method.
                let owner = self.owner(start);
                let close = self.partner(self.at);
                let first = self.at + 1;
                let given = self.arguments_until(close);
                let span = self.span_from(start);
                if let Some(owner) = owner.filter(|owner| self.variables.contains_key(owner))
                    && let Some(grown) = grown(&value, &given)
                {
                    for other in self.same_as(&owner) {
                        self.bind(other, grown.clone());
                    }
                    self.bind(owner, grown);
                }
                self.grow_first(&value, first, &given);
                let outer = self.directory_around(&value);
                let value = self.call_value(value, given, span);
                let before = self.at;
                self.block(&value);
                if let Some(outer) = outer.filter(|_| self.at > before) {
                    self.walk.go_to(outer);
                }
                value
            }
            "[" if !first && (!spaced || !matches!(self.language, "ruby" | "perl")) => {
                self.index(value)
            }
            "{" if self.language == "perl" && !spaced => self.index(value),
            "!" if self.language == "rust" => {
                self.at += 1;
                value
            }
            "|" if self.language == "awk" && self.word_at(self.at + 1) == "getline" => {
                let span = self.span_from(start);
                self.at += 2;
                let command = value.text();
                let printed = self.run_shell(&command, span, None);
                if self.is_name(self.at) {
                    let lines = printed.as_known().and_then(|known| {
                        let line = |line: &str| {
                            Value::Text(printed.derive([Piece::Known(line.to_owned())]))
                        };
                        let mut cut = Cut::default();
                        let lines = known.lines().at_most(LINES, &mut cut, span);
                        let value = lines.map(line).reduce(Value::or);
                        let rest = printed.derive([Piece::Unknown("a later line".into())]);
                        if cut.happened() { Some(Value::Text(rest)) } else { value }
                    });
                    let line = lines.unwrap_or_else(|| Value::Text(printed.clone()));
                    if self.word_at(self.at + 1) == "[" {
                        let place = self.expression(5);
                        self.store_member(place, line);
                    } else {
                        self.bind(self.word().to_owned(), line);
                        self.at += 1;
                    }
                }
                Value::Text(printed)
            }
            "++" | "--" if !spaced => {
                self.at += 1;
                value
            }
            _ => self.bare_call(value, start, spaced),
        }
    }

    /// The name of what a method belongs to, `list` of `list.append(` and `self.list` of `self.list.append(`.
    fn owner(&self, start: usize) -> Option<String> {
        let end = self.at.checked_sub(2).filter(|end| *end > start)?;
        let mut name = String::new();
        for at in start..end {
            let word = self.word_at(at);
            if !self.is_name(at) && !matches!(word, "." | "this") && !word.starts_with(['$', '@']) {
                return None;
            }
            name.push_str(word);
        }
        Some(name)
    }

    /// The other names of the list or table that a variable holds: `b = a` names it twice.
    fn same_as(&self, name: &str) -> Vec<String> {
        let pairs = self.aliases.iter();
        pairs
            .filter_map(|(one, other)| match (one == name, other == name) {
                (true, _) => Some(other.clone()),
                (_, true) => Some(one.clone()),
                _ => None,
            })
            .collect()
    }

    /// `push @list, …`, `array_push($list, …)`, `table.insert(list, …)`, `Object.assign(table, …)`: what the first argument names grows.
    fn grow_first(&mut self, callee: &Value, first: usize, given: &[Given]) {
        let Value::Name(path, _) = callee else { return };
        let method = match path.as_ref() {
            "push" | "array_push" | "table.insert" => "push",
            "unshift" | "array_unshift" => "unshift",
            "Object.assign" => "update",
            _ => return,
        };
        let name = self.word_at(first).to_owned();
        let before = match self.bound(&name) {
            Some(before @ (Value::List(_) | Value::Table(_))) => before,
            // Perl's `("one")` is a list of one.
            Some(before @ Value::Text(_)) if self.language == "perl" => Value::List(vec![before]),
            _ => return,
        };
        let rest = given.get(1..).unwrap_or_default();
        // `table.insert(list, at, value)`
        let rest = match rest {
            [Given { value: Value::Number(_), .. }, value] if path.as_ref() == "table.insert" => {
                std::slice::from_ref(value)
            }
            rest => rest,
        };
        let callee = Value::Method(Box::new((before, method.to_owned())));
        if let Some(grown) = grown(&callee, rest) {
            self.bind(name, grown);
        }
    }

    /// The directory that Ruby goes back to behind the block of `Dir.chdir`.
    fn directory_around(&self, callee: &Value) -> Option<Option<String>> {
        let Value::Name(path, _) = callee else { return None };
        (self.language == "ruby" && path.as_ref() == "Dir.chdir")
            .then(|| self.walk.directory().map(str::to_owned))
    }

    fn may_call_spaced(&self, start: usize) -> bool {
        if self.language == "perl" {
            return true;
        }
        let keyword = matches!(
            self.word_at(start),
            "if" | "while" | "and" | "or" | "in" | "return" | "elif" | "not"
        );
        (self.language != "ruby" || !self.is_name(start)) && (!keyword || self.at != start + 1)
    }

    /// `system "rm", x`: a call without parentheses.
    fn bare_call(&mut self, value: Value, start: usize, spaced: bool) -> Value {
        let language_allows = matches!(self.language, "ruby" | "perl" | "php" | "lua" | "julia");
        let callable = match &value {
            Value::Name(..) | Value::Method(_) => self.is_name(self.at - 1),
            _ => false,
        };
        if !language_allows || !callable || self.is_first(self.at) {
            // A Ruby method without arguments is called by its name.
            if self.language == "ruby" && callable && !matches!(self.word(), "=" | "," | ":" | "=>")
            {
                return self.bare_ruby_call(value, start);
            }
            return value;
        }
        let starts_value = self.token_at(self.at).is_some_and(|token| match &token.kind {
            TokenKind::Text(_) | TokenKind::Command(_) | TokenKind::Words(_) => true,
            TokenKind::Variable | TokenKind::Number => spaced && self.language != "lua",
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
                (spaced && text == "\\" && self.language == "perl")
                    || (spaced
                        && matches!(text, "*" | "&" | ":" | "[" | "(")
                        && self.language == "ruby"
                        && self.token_at(self.at + 1).is_some_and(|next| !next.spaced))
                    || (text == "{" && self.language == "lua")
            }
            TokenKind::Pattern => false,
        });
        if !starts_value {
            if self.language == "ruby" && callable && !matches!(self.word(), "=" | "," | ":" | "=>")
            {
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
                given.push(argument);
                if !matches!(self.word(), "," | "=>") || given.len() >= 64 {
                    break;
                }
                self.at += 1;
            }
        }
        let span = self.span_from(start);
        self.grow_first(&value, first, &given);
        let value = self.call_value(value, given, span);
        self.block(&value);
        value
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
        match self.last_file {
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

    fn bare_ruby_call(&mut self, value: Value, start: usize) -> Value {
        let calls = match &value {
            Value::Method(_) => true,
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
        let value = self.call_value(value, Vec::new(), span);
        self.block(&value);
        self.at = self.at.max(before);
        value
    }

    /// A Ruby block behind a call: its parameter is what the call gives.
    fn block(&mut self, given: &Value) {
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

    /// The arguments between the parenthesis at the cursor and `close`, which is passed.
    pub(super) fn arguments_until(&mut self, close: usize) -> Vec<Given> {
        let open = self.at;
        self.at += 1;
        let outer = self.narrow(close);
        self.brackets += 1;
        let mut given = Vec::new();
        while self.at < self.end && self.spend(1) {
            let start = self.at;
            if let Some(value) = self.generator(open, close) {
                given.push(Given { name: None, value, span: self.span_from(start) });
                break;
            }
            let spread = matches!(self.word(), "*" | "...");
            let mut argument = self.argument();
            if self.at == start {
                self.at += 1;
                continue;
            }
            argument.span = self.span_from(start);
            match argument.value {
                Value::List(list)
                    if spread || (self.language == "perl" && argument.name.is_none()) =>
                {
                    let span = argument.span;
                    given.extend(list.into_iter().map(|value| Given { name: None, value, span }));
                }
                value => given.push(Given { value, ..argument }),
            }
            self.accept(",");
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        given
    }

    /// `f(x for x in list)`: the only argument is a generator.
    fn generator(&mut self, open: usize, close: usize) -> Option<Value> {
        if self.language != "python" || self.at != open + 1 || close - open > ELEMENTS {
            return None;
        }
        let back = self.at;
        self.at = open;
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        let value = self.comprehension(close);
        self.end = outer;
        if value.is_none() {
            self.at = back;
        }
        value
    }

    fn argument(&mut self) -> Given {
        let start = self.at;
        let separator = self.word_at(start + 1);
        let keyword = self.is_name(start)
            && (separator == "=" && matches!(self.language, "python" | "r" | "julia" | "java")
                || separator == ":" && !matches!(self.language, "lua" | "javascript" | "awk")
                || separator == "=>" && self.language != "javascript");
        if keyword {
            let name = self.word().to_owned();
            self.at += 2;
            let value = self.expression(0);
            return Given { name: Some(name), value, span: Span::default() };
        }
        if self.is_first(start) && self.word() == ";" {
            self.at += 1;
        }
        let value = self.expression(0);
        Given { name: None, value, span: Span::default() }
    }

    fn index(&mut self, value: Value) -> Value {
        let close = self.partner(self.at);
        let backwards = self.word_at(self.at + 1) == ":"
            && self.word_at(self.at + 2) == ":"
            && self.word_at(self.at + 3) == "-"
            || self.word_at(self.at + 1) == "::" && self.word_at(self.at + 2) == "-";
        if backwards && self.language == "python" {
            self.at = close + 1;
            return match value {
                Value::Text(text) => Value::Text(fold::slice(&text, None, None, true)),
                Value::List(list) => Value::List(list.into_iter().rev().collect()),
                other => other,
            };
        }
        let colon = (self.at + 1..close.min(self.at + 8)).find(|index| self.word_at(*index) == ":");
        if let Some(colon) = colon
            && self.language == "python"
        {
            let bound = |this: &Self, range: std::ops::Range<usize>| -> Option<i64> {
                let negative = this.word_at(range.start) == "-";
                let digits = this.word_at(range.start + usize::from(negative));
                let number = number(digits)?;
                Some(if negative { -number } else { number })
            };
            let start = (colon > self.at + 1).then(|| bound(self, self.at + 1..colon));
            let end = (close > colon + 1).then(|| bound(self, colon + 1..close));
            self.at = close + 1;
            return match value {
                Value::Text(text) if start != Some(None) && end != Some(None) => {
                    Value::Text(fold::slice(&text, start.flatten(), end.flatten(), false))
                }
                Value::Text(text) if !text.has_unknown() => {
                    Value::Text(text.derive([Piece::Unknown("a part".into())]))
                }
                other => other,
            };
        }
        let mut list = self.list(close);
        let key = list.pop().unwrap_or_else(|| Value::known(""));
        match (&value, &key) {
            (Value::Any(several), _)
                if several.iter().any(|one| matches!(one, Value::Holder(_))) =>
            {
                value
            }
            (Value::Holder(_), _) => value,
            (Value::List(elements), Value::Number(position)) => {
                let position = if *position < 0 {
                    usize::try_from(position.saturating_neg())
                        .ok()
                        .and_then(|back| elements.len().checked_sub(back))
                } else {
                    usize::try_from(*position).ok()
                };
                position
                    .and_then(|position| elements.get(position).cloned())
                    .unwrap_or_else(|| Value::unknown("an element"))
            }
            (_, Value::Text(text)) if text.as_known().is_some() => {
                let name = text.as_known().unwrap_or_default().to_owned();
                match value.entry(&name) {
                    Some(entry) => entry.clone(),
                    None => self.member(value, &name),
                }
            }
            (Value::Text(text), Value::Number(position)) => match text.as_known() {
                Some(known) => usize::try_from(*position)
                    .ok()
                    .and_then(|position| known.chars().nth(position))
                    .map_or_else(
                        || Value::unknown("a character"),
                        |character| Value::known(&character.to_string()),
                    ),
                None => Value::Text(text.clone()),
            },
            // `$ENV{HOME}`, `process.env[name]`
            (Value::Name(path, text), Value::Name(key, _)) if self.language == "perl" => {
                let name = format!("{path}.{key}");
                let text = text.clone();
                self.variables.get(&name).cloned().unwrap_or_else(|| Value::reached(&name, text))
            }
            (Value::Name(path, text), _) => Value::reached(&format!("{path}[]"), text.clone()),
            _ => {
                let element = Value::Text(mixed("an element", [&value]));
                self.holding(element, [&value])
            }
        }
    }
}

/// All variables of the environment, of which one may be taken out.
fn whole_environment() -> Value {
    Value::reached("ENV", Text { taint: Taint::SECRET, ..Text::default() })
}

/// How many bytes of a text are known.
fn number(text: &str) -> Option<i64> {
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
