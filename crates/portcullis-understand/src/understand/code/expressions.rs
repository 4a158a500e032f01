//! Expressions: from tokens to values. Owns operators and what binds tighter; operands are in `operands`, what stands behind them in
//! `postfix`.

use portcullis_syntax::{Span, code::TokenKind};

use super::{
    binding::is_listing,
    fold,
    interpreter::Interpreter,
    numbers,
    value::{ELEMENTS, Given, Value, mixed},
};

/// How tightly signs bind that shift, which in some languages lead into files too.
pub(super) const SHIFT: u8 = 7;

/// Words that end an expression.
pub(super) const ENDS: &[&str] = &[
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
    pub(super) fn continues(&self) -> bool {
        self.brackets > 0
            || !self.is_first(self.at)
            || (self.language != "python"
                && matches!(
                    self.word(),
                    "." | "?." | "->" | "+" | ".." | "||" | "&&" | "?" | "|>" | "??" | "or" | "and"
                ))
    }

    /// The operator that follows and how tightly it binds.
    pub(super) fn operator(&self) -> Option<(&'static str, u8)> {
        if self.at >= self.end || !self.continues() {
            return None;
        }
        let word = self.word();
        let (operator, binding) = match word {
            "if" if self.language == "python" => ("if", 1),
            "?" => ("?", 1),
            // They stand between statements, not between what a function is given.
            "or" | "and" | "xor" if self.language == "perl" => return None,
            "or" | "||" | "??" => ("or", 2),
            "and" | "&&" => ("and", 2),
            "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~" | "~="
            | "is" | "eq" | "ne" | "instanceof" | "not" => ("compare", 3),
            "in" if self.language == "python" => ("compare", 3),
            "|" if self.language != "awk" => ("|", 4),
            "|>" => ("|>", 4),
            "^" if self.language != "applescript" => ("^", 5),
            "&" if self.language != "applescript" => ("&", 6),
            "<<" => ("<<", SHIFT),
            // What awk prints is added to the file behind it.
            ">>" | ">>>" if self.language != "awk" => (">>", SHIFT),
            "+" => ("+", 8),
            "-" => ("-", 8),
            "." if matches!(self.language, "php" | "perl") => ("+", 8),
            ".." if self.language == "lua" => ("+", 8),
            "&" => ("+", 8),
            "++" if self.language == "haskell" => ("+", 8),
            "*" => ("*", 9),
            "x" if self.language == "perl" => ("*", 9),
            "/" | "//" => ("/", 9),
            "%" => ("%", 9),
            "**" => ("**", 10),
            "" if self.language == "awk" && self.is_value() => ("concatenate", 8),
            _ if self.language == "awk" && self.is_value() && !ENDS.contains(&word) => {
                ("concatenate", 8)
            }
            _ => return None,
        };
        Some((operator, binding))
    }

    pub(super) fn is_value(&self) -> bool {
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
        let sign = self.word().to_owned();
        self.at += 1;
        if self.is_asked_by(&left, &sign) {
            let span = self.span_from(self.at);
            let right = self.expression(binding + 1);
            let value = self.by_operator(&sign, &left, &right, span);
            return value.unwrap_or_else(|| Value::unknown("a value"));
        }
        match operator {
            "if" => self.chosen_before(left),
            "?" => self.chosen_behind(left),
            "or" => {
                let right = self.expression(binding + 1);
                // A home is set everywhere.
                let is_home = || {
                    left.as_known()
                        .is_some_and(|it| self.environment("HOME").as_known() == Some(it))
                };
                match () {
                    () if left.is_false() => right,
                    // An empty text is nothing, but to `??`.
                    () if left.as_known() == Some("")
                        && sign != "??"
                        && matches!(self.language, "javascript" | "python") =>
                    {
                        right
                    }
                    () if is_home() => left,
                    () => left.or(right),
                }
            }
            "and" => {
                let right = self.expression(binding + 1);
                // What is surely something or surely nothing chooses.
                if left.is_true() {
                    return right;
                }
                if left.is_false() || left.as_known() == Some("") {
                    return left;
                }
                if matches!(self.language, "lua" | "perl" | "ruby" | "javascript" | "python") {
                    return left.or(right);
                }
                right
            }
            "compare" => {
                if sign == "=~"
                    && let Some(value) = self.changed_by_pattern(&left)
                {
                    self.at += 1;
                    return value;
                }
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
                let number = |value: &Value| match value {
                    Value::Number(number) => Some(*number),
                    value => value.as_known().and_then(|known| known.trim().parse().ok()),
                };
                // Whatever they look like, they are numbers.
                if matches!(self.language, "perl" | "php")
                    && let (Some(left), Some(right)) = (number(&left), number(&right))
                {
                    return Value::Number(left.saturating_add(right));
                }
                self.add(left, right)
            }
            "<<" | ">>" => self.shifted(left, &sign, binding),
            "%" => {
                let span = self.span_from(self.at);
                let right = self.expression(binding + 1);
                self.asked_by_template(&left, &right, span);
                remainder(self.language, left, right, span)
            }
            // What stands on the right binds first: `2 ** 3 ** 2`.
            "**" => {
                let right = self.expression(binding);
                numbers::calculated(self.language, "**", &left, &right)
            }
            "*" => {
                let right = self.expression(binding + 1);
                self.product(&left, &right)
            }
            "/" => {
                // Python's `//` is read as two signs.
                let is_floor = self.language == "python" && sign == "/" && self.accept("/");
                let sign = if is_floor { "//" } else { &sign };
                let right = self.expression(binding + 1);
                match numbers::calculated(self.language, sign, &left, &right) {
                    number @ Value::Number(_) => number,
                    _ => self.below(left, right),
                }
            }
            _ => {
                let right = self.expression(binding + 1);
                numbers::calculated(self.language, operator, &left, &right)
            }
        }
    }

    /// `left if condition else other`, read from behind the `if`.
    fn chosen_before(&mut self, left: Value) -> Value {
        drop(self.expression(2));
        if self.accept("else") {
            let other = self.expression(1);
            return left.or(other);
        }
        left
    }

    /// `condition ? one : other`, read from behind the `?`.
    fn chosen_behind(&mut self, left: Value) -> Value {
        // What stands there is the same all along: only one of both is worth anything.
        match self.at.checked_sub(2).and_then(|at| self.decided_by_name(at)) {
            Some(true) => {
                let one = self.expression(2);
                if self.word() == ":" {
                    let other = self.at + 1;
                    let end = self.end_of_one(other);
                    let comma = self.find_outside(other, end, |at| self.word_at(*at) == ",");
                    self.at = comma.unwrap_or(end);
                }
                return one;
            }
            Some(false) => {
                let colon = |at: &usize| self.word_at(*at) == ":";
                if let Some(colon) = self.find_outside(self.at, self.end, colon) {
                    self.at = colon + 1;
                    return self.expression(1);
                }
            }
            None => {}
        }
        if matches!(self.word(), ":") {
            self.at += 1;
            let other = self.expression(1);
            // Where there is nothing, nothing is done.
            if matches!(&other, Value::List(list) if list.is_empty()) {
                return left;
            }
            return left.or(other);
        }
        let one = self.expression(2);
        if self.accept(":") {
            let other = self.expression(1);
            return one.or(other);
        }
        one
    }

    /// `left << right`: put into a list or a file, or behind a text.
    fn shifted(&mut self, left: Value, sign: &str, binding: u8) -> Value {
        let span = self.span_from(self.at);
        let owner = self.at.checked_sub(2).map(|at| self.word_at(at).to_owned());
        let right = self.expression(binding + 1);
        if let Some(composed) = self.composed(&left, sign, &right) {
            return composed;
        }
        if matches!((&left, &right), (Value::Number(_), Value::Number(_))) {
            return numbers::calculated(self.language, sign, &left, &right);
        }
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

    fn product(&mut self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => {
                Value::Number(left.saturating_mul(*right))
            }
            (Value::Text(text), Value::Number(times))
            | (Value::Number(times), Value::Text(text)) => {
                let text = fold::repeat(text, *times);
                self.spend(text.len() / 32);
                Value::Text(text)
            }
            _ => Value::Text(mixed("a product", [left, right])),
        }
    }

    /// `left / right`: a path below another one in Python, each of several below each.
    fn below(&mut self, left: Value, right: Value) -> Value {
        match (left, right) {
            (Value::Any(list), right) if self.language == "python" => list
                .into_iter()
                .map(|left| self.below(left, right.clone()))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown("a path")),
            (left, Value::Any(list)) if self.language == "python" => list
                .into_iter()
                .map(|right| self.below(left.clone(), right))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown("a path")),
            (left, right)
                if matches!(self.language, "python" | "ruby")
                    && (matches!(left, Value::Text(_)) || matches!(right, Value::Text(_)))
                    && !matches!(right, Value::Number(_)) =>
            {
                let mut path = left.text();
                fold::append_path(&mut path, &right.text());
                self.spend(path.len() / 32);
                Value::Text(path)
            }
            (left, right) => Value::Text(mixed("a quotient", [&left, &right])),
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
            // The names of a directory beside others.
            (Value::List(mut left), Value::Text(names)) if is_listing(&names) => {
                left.push(Value::Text(names));
                Value::List(left)
            }
            (Value::Text(names), Value::List(mut right)) if is_listing(&names) => {
                right.insert(0, Value::Text(names));
                Value::List(right)
            }
            (Value::Text(left), Value::Text(right)) if is_listing(&left) && is_listing(&right) => {
                Value::List(vec![Value::Text(left), Value::Text(right)])
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
    pub(super) fn operand(&mut self) -> Value {
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
    pub(super) fn prefixed(&mut self) -> Value {
        if !self.sink() {
            return Value::unknown("a value");
        }
        let value = self.operand();
        self.rise();
        value
    }
}

/// `left % right`: of numbers, or a text with values put in.
fn remainder(language: &str, left: Value, right: Value, span: Span) -> Value {
    match &left {
        Value::Text(_) => fold::format(&[
            Given { name: None, value: left, span },
            Given { name: None, value: right, span },
        ]),
        _ => numbers::calculated(language, "%", &left, &right),
    }
}
