//! What begins with `$`: parameters and their operators. Commands and arithmetic behind a `$` are read in
//! [`super::substitution`].

use super::cursor::{END, Parser, begins_name, continues_name};
use super::rules::{
    LENGTH, OFFSET, OPERAND, OPERAND_IN_DOUBLE, OPERAND_PATTERN, REPLACED, REPLACEMENT, Rules,
    SUBSCRIPT, Single,
};
use super::text::Builder;
use super::tree::{Parameter, ParameterOperator, PartKind, ReplaceScope, UnparsedReason, Word};

impl Parser<'_> {
    /// Reads what the `$` at the cursor begins; a `$` that begins nothing is text.
    pub(super) fn dollar(&mut self, out: &mut Builder, rules: &Rules) {
        let start = self.at;
        match self.second() {
            b'(' => self.dollar_parenthesis(out),
            b'{' => self.dollar_brace(out, rules),
            b'[' => self.dollar_bracket(out),
            b'\'' if rules.single == Single::Quotes => self.ansi_quoted(out),
            b'\'' if rules.single == Single::Pairs => self.ansi_expanded(out),
            b'"' if rules.double => {
                self.advance();
                self.peek();
                self.double_quoted(start, out);
            }
            byte if begins_name(byte) => {
                self.advance();
                let name = self.name();
                self.push_parameter(start, name, out);
            }
            byte if byte.is_ascii_digit() || is_special(byte) => {
                self.advance();
                self.peek();
                self.advance();
                let name = char::from(byte).to_string().into_boxed_str();
                self.push_parameter(start, name, out);
            }
            _ => {
                self.advance();
                out.text(rules.text, "$", self.span_from(start));
            }
        }
    }

    fn push_parameter(&mut self, start: usize, name: Box<str>, out: &mut Builder) {
        let parameter = Parameter {
            name,
            subscript: None,
            indirect: false,
            colon: false,
            operator: ParameterOperator::None,
        };
        out.push(PartKind::Parameter(Box::new(parameter)), self.span_from(start));
    }

    /// Reads a name at the cursor; empty where none stands there.
    pub(super) fn name(&mut self) -> Box<str> {
        self.peek();
        let start = self.at;
        while continues_name(self.raw(self.at)) {
            self.advance();
        }
        self.spend(self.at - start + 1);
        let first = self.slice(start, self.at);
        if self.past_continuations(self.at) == self.at {
            return first.into();
        }
        let mut name = first.to_owned();
        while continues_name(self.peek()) {
            name.push(char::from(self.raw(self.at)));
            self.advance();
        }
        name.into_boxed_str()
    }

    /// `${…}`, the cursor on the `$`.
    fn dollar_brace(&mut self, out: &mut Builder, rules: &Rules) {
        let start = self.at;
        self.advance_by(2);
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'|') {
            return self.function_substitution(start, out);
        }
        let in_double = rules.in_double;
        let parameter = self.deeper(|parser| Some(Box::new(parser.parameter(start, in_double))));
        if !self.accept(b'}') {
            self.unclosed(start);
        }
        let kind = parameter.map_or(PartKind::Unparsed, PartKind::Parameter);
        out.push(kind, self.span_from(start));
    }

    fn parameter(&mut self, start: usize, in_double: bool) -> Parameter {
        if self.peek() == b'#' && self.begins_length() {
            self.advance();
            let name = self.parameter_name();
            let subscript = self.parameter_subscript();
            let operator = ParameterOperator::Length;
            if self.peek() == b'}' || self.peek() == END {
                return Parameter { name, subscript, indirect: false, colon: false, operator };
            }
            let operator = self.bad_substitution(start, in_double);
            return Parameter { name, subscript, indirect: false, colon: false, operator };
        }
        let indirect = self.peek() == b'!' && self.begins_indirection();
        if indirect {
            self.advance();
        }
        let name = self.parameter_name();
        let subscript = self.parameter_subscript();
        if indirect && matches!(self.peek(), b'*' | b'@') && self.second() == b'}' {
            self.advance();
            return Parameter {
                name,
                subscript,
                indirect,
                colon: false,
                operator: ParameterOperator::Names,
            };
        }
        let colon = self.peek() == b':' && matches!(self.second(), b'-' | b'=' | b'?' | b'+');
        let operator = match self.peek() {
            _ if name.is_empty() => self.bad_substitution(start, in_double),
            b'}' if indirect && subscript.as_ref().is_some_and(is_everything) => {
                ParameterOperator::Names
            }
            b'}' | END => ParameterOperator::None,
            _ => self.parameter_operator(start, in_double),
        };
        Parameter { name, subscript, indirect, colon, operator }
    }

    /// Whether the `#` at the cursor asks for a length, rather than being the parameter `$#`.
    fn begins_length(&self) -> bool {
        match self.second_and_third() {
            (second, _) if continues_name(second) => true,
            (second, third) => is_special(second) && third == b'}',
        }
    }

    /// Whether the `!` at the cursor asks for another parameter's value, rather than being `$!`.
    fn begins_indirection(&self) -> bool {
        match self.second_and_third() {
            (second, _) if continues_name(second) => true,
            (b'#' | b'?' | b'@' | b'*', third) => third == b'}',
            _ => false,
        }
    }

    fn parameter_name(&mut self) -> Box<str> {
        let byte = self.peek();
        if begins_name(byte) {
            return self.name();
        }
        if is_special(byte) {
            self.advance();
            return char::from(byte).to_string().into_boxed_str();
        }
        let start = self.at;
        while self.raw(self.at).is_ascii_digit() {
            self.advance();
        }
        self.slice(start, self.at).into()
    }

    fn parameter_subscript(&mut self) -> Option<Word> {
        (self.peek() == b'[').then(|| self.subscript())
    }

    /// `[…]`, the cursor on the `[`.
    pub(super) fn subscript(&mut self) -> Word {
        let open = self.at;
        self.advance();
        let subscript = self.word(&SUBSCRIPT);
        if !self.accept(b']') {
            self.unclosed(open);
        }
        subscript
    }

    fn parameter_operator(&mut self, start: usize, in_double: bool) -> ParameterOperator {
        let first = self.peek();
        let second = self.second();
        let plain = if in_double { &OPERAND_IN_DOUBLE } else { &OPERAND };
        let value = match (first, second) {
            (b':', b'-' | b'=' | b'?' | b'+') => Some(second),
            (b'-' | b'=' | b'?' | b'+', _) => Some(first),
            _ => None,
        };
        if let Some(operator) = value {
            self.advance_by(if first == b':' { 2 } else { 1 });
            let word = self.word(plain);
            return match operator {
                b'-' => ParameterOperator::Default(word),
                b'=' => ParameterOperator::Assign(word),
                b'?' => ParameterOperator::Error(word),
                _ => ParameterOperator::Alternate(word),
            };
        }
        let doubled = first == second;
        match first {
            b'#' | b'%' | b'^' | b',' | b'~' => {
                self.advance_by(1 + usize::from(doubled));
                let pattern = self.word(&OPERAND_PATTERN);
                match first {
                    b'#' => ParameterOperator::RemovePrefix { pattern, longest: doubled },
                    b'%' => ParameterOperator::RemoveSuffix { pattern, longest: doubled },
                    _ => ParameterOperator::Case { upper: first != b',', all: doubled, pattern },
                }
            }
            b'/' => self.replacement(second),
            b':' => {
                self.advance();
                let offset = self.word(&OFFSET);
                let length = self.accept(b':').then(|| self.word(&LENGTH));
                ParameterOperator::Slice { offset, length }
            }
            b'@' if matches!(
                second,
                b'U' | b'u' | b'L' | b'Q' | b'E' | b'P' | b'A' | b'K' | b'a' | b'k'
            ) && self.second_and_third().1 == b'}' =>
            {
                self.advance_by(2);
                ParameterOperator::Transform(char::from(second))
            }
            _ => self.bad_substitution(start, in_double),
        }
    }

    fn replacement(&mut self, second: u8) -> ParameterOperator {
        let scope = match second {
            b'/' => ReplaceScope::All,
            b'#' => ReplaceScope::Prefix,
            b'%' => ReplaceScope::Suffix,
            _ => ReplaceScope::First,
        };
        self.advance_by(if scope == ReplaceScope::First { 1 } else { 2 });
        self.peek();
        let begin = self.at;
        let mut parts = Builder::new();
        // As in bash, a slash right after the operator is the pattern's first character.
        if scope != ReplaceScope::First && self.peek() == b'/' && self.second() == b'/' {
            self.advance();
            parts.text(REPLACED.text, "/", self.span_from(begin));
        }
        let pattern = self.word_after(begin, parts, &REPLACED);
        let replacement = if self.accept(b'/') {
            self.word(&REPLACEMENT)
        } else {
            Word { parts: Vec::new(), span: self.span(self.at, self.at) }
        };
        ParameterOperator::Replace { pattern, replacement, scope }
    }

    /// What is none of bash's expansions: listed, and read as a word so that what expands inside is seen.
    fn bad_substitution(&mut self, start: usize, in_double: bool) -> ParameterOperator {
        let word = self.word(if in_double { &OPERAND_IN_DOUBLE } else { &OPERAND });
        let end = self.at + usize::from(self.peek() == b'}');
        self.unparsed(self.span(start, end), UnparsedReason::Syntax);
        ParameterOperator::Default(word)
    }
}

/// Whether `byte` names one of the parameters that the shell keeps.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

fn is_everything(subscript: &Word) -> bool {
    use super::tree::PartKind::Literal;
    matches!(subscript.parts.as_slice(), [part] if matches!(&part.kind, Literal(text) if matches!(&**text, "@" | "*")))
}
