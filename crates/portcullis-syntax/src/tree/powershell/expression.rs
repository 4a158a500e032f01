//! Expressions of PowerShell: operators by how tightly they bind, values, and what is reached from them.

use std::rc::Rc;

use super::{Parser, is_dash, is_double, is_name, is_single};
use crate::{
    Span,
    tree::{Expression, ExpressionKind, Statement, StatementKind},
};

/// Operators that are words, with how tightly they bind.
const OPERATORS: &[(&str, u8)] = &[
    ("and", 1),
    ("as", 3),
    ("band", 2),
    ("bor", 2),
    ("bxor", 2),
    ("contains", 3),
    ("eq", 3),
    ("f", 6),
    ("ge", 3),
    ("gt", 3),
    ("in", 3),
    ("is", 3),
    ("isnot", 3),
    ("join", 3),
    ("le", 3),
    ("like", 3),
    ("lt", 3),
    ("match", 3),
    ("ne", 3),
    ("notcontains", 3),
    ("notin", 3),
    ("notlike", 3),
    ("notmatch", 3),
    ("or", 1),
    ("replace", 3),
    ("shl", 3),
    ("shr", 3),
    ("split", 3),
    ("xor", 1),
];

/// An operator that stands between two values.
struct Infix {
    name: &'static str,
    length: usize,
    level: u8,
}

impl Parser<'_> {
    /// Operators and lists, without pipelines.
    pub(super) fn whole_expression(&mut self) -> Expression {
        self.binary(0, true)
    }

    /// What stands between operators that bind as tightly as `level` or more; `lists` says that a comma makes a list.
    fn binary(&mut self, level: u8, lists: bool) -> Expression {
        let start = self.cursor.at;
        if !self.cursor.enter() {
            return self.cursor.opaque(start);
        }
        let mut left = if lists { self.list() } else { self.unary() };
        let mut steps = 0;
        loop {
            let before = self.cursor.at;
            self.skip_blank();
            let Some(operator) = self.infix().filter(|operator| operator.level > level) else {
                self.cursor.at = before;
                break;
            };
            if !self.cursor.goes_on(&mut steps) {
                break;
            }
            self.cursor.at += operator.length;
            self.skip_lines();
            let right = self.binary(operator.level, lists);
            let end = self.cursor.at;
            left.span = Span::new(start, end);
            match &mut left.kind {
                // One operator between many is one.
                ExpressionKind::Operator { name, operands }
                    if *name == operator.name && operands.len() > 1 =>
                {
                    steps -= 1;
                    operands.push(right);
                }
                _ => {
                    let kind = ExpressionKind::Operator {
                        name: operator.name.to_owned(),
                        operands: vec![left, right],
                    };
                    left = Expression::new(kind, start, end);
                }
            }
        }
        self.cursor.leave();
        left
    }

    fn infix(&self) -> Option<Infix> {
        let rest = self.cursor.rest();
        let mut characters = rest.chars();
        let first = characters.next()?;
        let second = characters.next();
        if is_dash(first) && second.is_some_and(|letter| letter.is_ascii_alphabetic()) {
            let word = rest.get(first.len_utf8()..)?;
            let length =
                word.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(word.len());
            let word = word.get(..length)?.to_ascii_lowercase();
            let plain = |word: &str| OPERATORS.iter().find(|(name, _)| *name == word);
            let (name, level) = plain(&word)
                .or_else(|| plain(word.strip_prefix(['c', 'i'])?).filter(|found| found.1 == 3))?;
            return Some(Infix { name, length: first.len_utf8() + length, level: *level });
        }
        let name = match first {
            '+' => "+",
            '*' => "*",
            '/' => "/",
            '%' => "%",
            dash if is_dash(dash) => "-",
            '.' if second == Some('.') => {
                return Some(Infix { name: "range", length: 2, level: 7 });
            }
            '?' if rest.starts_with("??") && !rest.starts_with("??=") => {
                return Some(Infix { name: "otherwise", length: 2, level: 1 });
            }
            '?' if second.is_some_and(char::is_whitespace) => {
                return Some(Infix { name: "choose", length: 1, level: 1 });
            }
            ':' if second.is_some_and(char::is_whitespace) => {
                return Some(Infix { name: "either", length: 1, level: 1 });
            }
            _ => return None,
        };
        let assigns = second == Some('=');
        let level = if matches!(name, "+" | "-") { 4 } else { 5 };
        (!assigns).then_some(Infix { name, length: first.len_utf8(), level })
    }

    /// Values with commas between them.
    fn list(&mut self) -> Expression {
        let start = self.cursor.at;
        let first = self.unary();
        self.list_after(first, start, Self::unary)
    }

    /// What a value and those behind commas come to.
    pub(super) fn list_after(
        &mut self,
        first: Expression,
        start: usize,
        next: fn(&mut Self) -> Expression,
    ) -> Expression {
        let mut end = self.cursor.at;
        self.skip_blank();
        if self.cursor.peek() != Some(',') {
            self.cursor.at = end;
            return first;
        }
        let mut values = vec![first];
        while self.cursor.eat(",") {
            self.skip_lines();
            let at = self.cursor.at;
            values.push(next(self));
            end = self.cursor.at;
            if end == at {
                break;
            }
            self.skip_blank();
        }
        self.cursor.at = end;
        Expression::new(ExpressionKind::List(values), start, end)
    }

    fn unary(&mut self) -> Expression {
        let start = self.cursor.at;
        if !self.cursor.enter() {
            return self.cursor.opaque(start);
        }
        let expression = self.prefixed(start);
        self.cursor.leave();
        expression
    }

    fn prefixed(&mut self, start: usize) -> Expression {
        let Some(first) = self.cursor.peek() else { return self.cursor.opaque(start) };
        let second = self.cursor.second();
        let name = match first {
            '!' => Some(("not", 1)),
            ',' => Some(("list", 1)),
            '+' if second == Some('+') => Some(("increment", 2)),
            '+' => Some(("number", 1)),
            dash if is_dash(dash) => match second {
                Some(next) if is_dash(next) => {
                    Some(("decrement", dash.len_utf8() + next.len_utf8()))
                }
                Some(letter) if letter.is_ascii_alphabetic() => self.prefix_word(dash.len_utf8()),
                _ => Some(("minus", dash.len_utf8())),
            },
            _ => None,
        };
        if let Some((name, length)) = name {
            self.cursor.at += length;
            self.skip_blank();
            let operand = self.unary();
            let kind = ExpressionKind::Operator { name: name.to_owned(), operands: vec![operand] };
            return Expression::new(kind, start, self.cursor.at);
        }
        if first == '[' {
            return self.typed(start);
        }
        let primary = self.primary();
        self.reached(primary, start)
    }

    fn prefix_word(&self, dash: usize) -> Option<(&'static str, usize)> {
        let word = self.cursor.rest().get(dash..)?;
        let length = word.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(word.len());
        let word = word.get(..length)?.to_ascii_lowercase();
        let names = ["not", "bnot", "join", "split", "csplit", "isplit"];
        let name = names.into_iter().find(|name| *name == word)?;
        let name = if name.ends_with("split") { "split" } else { name };
        Some((name, dash + length))
    }

    /// `[Type]`, `[Type]::Member`, `[Type] value`.
    fn typed(&mut self, start: usize) -> Expression {
        let name = self.brackets();
        if self.cursor.starts("::") {
            let kind = ExpressionKind::Type(name);
            let of = Expression::new(kind, start, self.cursor.at);
            return self.reached(of, start);
        }
        let before = self.cursor.at;
        self.skip_blank();
        let converts = match self.cursor.peek() {
            Some('$' | '(' | '@' | '[' | '{') => true,
            Some('-') => self.cursor.second().is_some_and(|digit| digit.is_ascii_digit()),
            Some(next) => next.is_ascii_digit() || is_double(next) || is_single(next),
            None => false,
        };
        if converts {
            let of = Box::new(self.unary());
            let kind = ExpressionKind::Convert { to: name, of };
            return Expression::new(kind, start, self.cursor.at);
        }
        self.cursor.at = before;
        let of = Expression::new(ExpressionKind::Type(name), start, before);
        self.reached(of, start)
    }

    /// What stands in square brackets, which may stand in each other.
    pub(super) fn brackets(&mut self) -> String {
        let start = self.cursor.at;
        let mut depth = 0_usize;
        let mut quote: Option<bool> = None;
        while let Some(character) = self.cursor.bump() {
            match quote {
                Some(double) => {
                    let ends = if double { is_double(character) } else { is_single(character) };
                    if ends {
                        quote = None;
                    }
                    continue;
                }
                None if is_double(character) => quote = Some(true),
                None if is_single(character) => quote = Some(false),
                None => {}
            }
            match character {
                '[' => depth += 1,
                ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let inner = self.cursor.slice(start + 1, self.cursor.at - 1);
                        return inner.trim().to_owned();
                    }
                }
                _ => {}
            }
        }
        self.cursor.misplaced(start);
        self.cursor.slice(start + 1, self.cursor.at).trim().to_owned()
    }

    /// A value with what is reached from it, as a command may be given it.
    pub(super) fn operand(&mut self) -> Expression {
        let start = self.cursor.at;
        if self.cursor.peek() == Some('[') {
            return self.typed(start);
        }
        let primary = self.primary();
        self.reached(primary, start)
    }

    /// Members, elements and calls that are written on to a value.
    pub(super) fn reached(&mut self, mut of: Expression, start: usize) -> Expression {
        let mut steps = 0;
        loop {
            let rest = self.cursor.rest();
            let next = rest.chars().nth(1);
            let step = if rest.starts_with("::") || rest.starts_with("?.") {
                2
            } else if rest.starts_with('.')
                && next.is_some_and(|next| {
                    next.is_alphabetic()
                        || matches!(next, '_' | '$' | '(')
                        || is_double(next)
                        || is_single(next)
                })
            {
                1
            } else {
                0
            };
            let reaches = step > 0 || rest.starts_with('[');
            if reaches && !self.cursor.goes_on(&mut steps) {
                return of;
            }
            if step > 0 {
                self.cursor.at += step;
                let name = self.member_name();
                let kind = ExpressionKind::Member { of: Box::new(of), name: Box::new(name) };
                of = Expression::new(kind, start, self.cursor.at);
                if self.cursor.peek() == Some('(') {
                    let arguments = self.given();
                    let kind = ExpressionKind::Call { function: Box::new(of), arguments };
                    of = Expression::new(kind, start, self.cursor.at);
                }
                continue;
            }
            if rest.starts_with('[') {
                let opened = self.cursor.at;
                self.cursor.bump();
                self.skip_lines();
                let at = self.whole_expression();
                self.skip_lines();
                if !self.cursor.eat("]") {
                    self.cursor.take_while(|letter| !matches!(letter, ']' | '\n'));
                    self.cursor.eat("]");
                    self.cursor.misplaced(opened);
                }
                let kind = ExpressionKind::Index { of: Box::new(of), at: Box::new(at) };
                of = Expression::new(kind, start, self.cursor.at);
                continue;
            }
            if rest.starts_with("++") || rest.starts_with("--") {
                let name = if rest.starts_with('+') { "increment" } else { "decrement" };
                self.cursor.at += 2;
                let kind = ExpressionKind::Operator { name: name.to_owned(), operands: vec![of] };
                return Expression::new(kind, start, self.cursor.at);
            }
            return of;
        }
    }

    fn member_name(&mut self) -> Expression {
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('$' | '(') => self.primary(),
            Some(quote) if is_double(quote) || is_single(quote) => self.primary(),
            _ => {
                let name = self.cursor.take_while(is_name).to_owned();
                Expression::new(ExpressionKind::Text(name), start, self.cursor.at)
            }
        }
    }

    /// `(value, value)` behind a method.
    fn given(&mut self) -> Vec<Expression> {
        let start = self.cursor.at;
        let mut values = Vec::new();
        self.cursor.bump();
        if !self.cursor.enter() {
            return values;
        }
        loop {
            self.skip_between();
            if matches!(self.cursor.peek(), None | Some(')')) {
                break;
            }
            let at = self.cursor.at;
            values.push(self.binary(0, false));
            self.skip_lines();
            if self.cursor.eat(",") {
                continue;
            }
            if self.cursor.peek() != Some(')') {
                // A command where a value should be, or half a program.
                self.cursor.take_while(|letter| !matches!(letter, ')' | ',' | '\n'));
                self.cursor.eat(",");
                self.cursor.misplaced(at);
            }
            if self.cursor.at == at {
                break;
            }
        }
        self.cursor.leave();
        self.close(')', start);
        values
    }

    pub(super) fn primary(&mut self) -> Expression {
        let start = self.cursor.at;
        let rest = self.cursor.rest();
        let Some(first) = self.cursor.peek() else { return self.cursor.opaque(start) };
        match first {
            '$' => self.variable(),
            '@' if rest.starts_with("@(") => {
                self.cursor.bump();
                let operands = vec![self.nested(start)];
                let kind = ExpressionKind::Operator { name: "array".to_owned(), operands };
                Expression::new(kind, start, self.cursor.at)
            }
            '@' if rest.starts_with("@{") => self.map(),
            '@' if self
                .cursor
                .second()
                .is_some_and(|quote| is_double(quote) || is_single(quote)) =>
            {
                self.here_text()
            }
            '@' => {
                self.cursor.bump();
                let name = self.variable_name();
                Expression::new(ExpressionKind::Variable(name), start, self.cursor.at)
            }
            '(' => self.nested(start),
            '{' => {
                let block = Rc::new(self.block());
                Expression::new(ExpressionKind::Block(block), start, self.cursor.at)
            }
            quote if is_double(quote) => self.expandable(),
            quote if is_single(quote) => self.verbatim(),
            digit if digit.is_ascii_digit() => {
                let number = self.number().to_owned();
                Expression::new(ExpressionKind::Text(number), start, self.cursor.at)
            }
            _ => self.word(),
        }
    }

    /// A number as it is written.
    fn number(&mut self) -> &str {
        let start = self.cursor.at;
        self.cursor.take_while(|letter| letter.is_ascii_alphanumeric());
        if self.cursor.peek() == Some('.')
            && self.cursor.second().is_some_and(|digit| digit.is_ascii_digit())
        {
            self.cursor.bump();
            self.cursor.take_while(|letter| letter.is_ascii_alphanumeric());
        }
        self.cursor.slice(start, self.cursor.at)
    }

    /// Statements in parentheses, from the one that opens here.
    pub(super) fn nested(&mut self, start: usize) -> Expression {
        let mut body = Vec::new();
        self.cursor.bump();
        if self.cursor.enter() {
            self.statements(&mut body);
            self.cursor.leave();
        }
        self.close(')', start);
        Expression::new(ExpressionKind::Body(body), start, self.cursor.at)
    }

    /// `@{ name = value; … }`
    fn map(&mut self) -> Expression {
        let start = self.cursor.at;
        let mut entries = Vec::new();
        self.cursor.at += 2;
        if !self.cursor.enter() {
            return self.cursor.opaque(start);
        }
        loop {
            self.skip_between();
            let at = self.cursor.at;
            if matches!(self.cursor.peek(), None | Some('}' | ')')) {
                break;
            }
            let key = match self.cursor.peek() {
                Some('$' | '(' | '[') => self.operand(),
                Some(quote) if is_double(quote) || is_single(quote) => self.primary(),
                _ => {
                    let name = self.cursor.take_while(|letter| {
                        !letter.is_whitespace() && !matches!(letter, '=' | '}' | ';')
                    });
                    let name = name.to_owned();
                    Expression::new(ExpressionKind::Text(name), at, self.cursor.at)
                }
            };
            self.skip_lines();
            if self.cursor.eat("=") {
                self.skip_lines();
                let end = self.cursor.at;
                let value = self
                    .statement()
                    .unwrap_or_else(|| Statement::new(StatementKind::Opaque, end, end));
                entries.push((key, value));
            } else {
                if self.cursor.at == at {
                    self.cursor.bump();
                }
                self.cursor.misplaced(at);
            }
        }
        self.cursor.leave();
        self.close('}', start);
        Expression::new(ExpressionKind::Map(entries), start, self.cursor.at)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn operators_are_sorted() {
        assert!(super::OPERATORS.is_sorted_by_key(|row| row.0));
    }
}
