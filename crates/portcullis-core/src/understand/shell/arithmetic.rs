//! Shell arithmetic on known numbers. Owns the expression grammar; what a variable holds is asked of the walk.

use super::walk::Walk;

/// How deep an expression may nest, and how often variables may name each other.
const NESTING: usize = 32;

impl Walk<'_> {
    /// The value of an arithmetic expression; `None` where something in it is not known or not understood.
    pub(super) fn evaluate(&mut self, expression: &str) -> Option<i64> {
        self.nested(expression, 0)
    }

    fn nested(&mut self, expression: &str, depth: usize) -> Option<i64> {
        if depth > NESTING || expression.len() > 1024 {
            return None;
        }
        if expression.trim().is_empty() {
            return Some(0);
        }
        let mut reader = Reader { walk: self, text: expression.as_bytes(), at: 0, depth };
        let value = reader.binary(0)?;
        reader.blanks();
        (reader.at == reader.text.len()).then_some(value)
    }
}

struct Reader<'a, 'w, 'f> {
    walk: &'w mut Walk<'f>,
    text: &'a [u8],
    at: usize,
    depth: usize,
}

/// Binary operators, weakest first; longer spellings before shorter ones of the same beginning.
const OPERATORS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_, '_, '_> {
    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            left = match operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let found =
            operators.iter().copied().find(|operator| rest.starts_with(operator.as_bytes()))?;
        let next = rest.get(found.len()).copied();
        let longer = match found {
            "|" => next == Some(b'|'),
            "&" => next == Some(b'&'),
            "<" => next == Some(b'<'),
            ">" => next == Some(b'>'),
            "*" => next == Some(b'*'),
            _ => false,
        };
        if longer || next == Some(b'=') && !matches!(found, "==" | "!=" | "<=" | ">=") {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > NESTING {
            return None;
        }
        self.blanks();
        let value = match self.text.get(self.at)? {
            b'-' => {
                self.at += 1;
                self.unary()?.wrapping_neg()
            }
            b'+' => {
                self.at += 1;
                self.unary()?
            }
            b'!' => {
                self.at += 1;
                i64::from(self.unary()? == 0)
            }
            b'~' => {
                self.at += 1;
                !self.unary()?
            }
            b'(' => {
                self.at += 1;
                let value = self.binary(0)?;
                self.blanks();
                if self.text.get(self.at) != Some(&b')') {
                    return None;
                }
                self.at += 1;
                value
            }
            _ => self.operand()?,
        };
        self.blanks();
        let power = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(b"**"));
        self.depth -= 1;
        if power {
            self.at += 2;
            let exponent = u32::try_from(self.unary()?).ok()?;
            return value.checked_pow(exponent);
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i64> {
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@'))
        {
            self.at += 1;
        }
        let word = std::str::from_utf8(self.text.get(start..self.at)?).ok()?;
        let first = word.bytes().next()?;
        if !first.is_ascii_digit() {
            let value = self.walk.value(word)?;
            let super::state::Value::Scalar(text) = value else { return None };
            let known = text.as_known()?.to_owned();
            return self.walk.nested(&known, self.depth + 1);
        }
        if let Some((base, digits)) = word.split_once('#') {
            return i64::from_str_radix(
                digits,
                base.parse().ok().filter(|base| (2..=36).contains(base))?,
            )
            .ok();
        }
        if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            return i64::from_str_radix(hex, 16).ok();
        }
        if word.len() > 1 && word.starts_with('0') {
            return i64::from_str_radix(word, 8).ok();
        }
        word.parse().ok()
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
}
