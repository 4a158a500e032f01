//! Shell arithmetic on known numbers. Owns the expression grammar; what a variable holds is asked of the walk.

use super::{state::Value, walk::Walk};
use crate::text::Text;

/// How deep an expression may nest, and how often variables may name each other.
const NESTING: usize = 32;

impl Walk<'_> {
    /// The value of an arithmetic expression, with what it assigns; `None` where something in it is not known or not
    /// understood.
    pub(super) fn evaluate(&mut self, expression: &str) -> Option<i64> {
        self.nested(expression, 0)
    }

    /// As [`Walk::evaluate`]; what an expression that is not known may assign is not known afterwards.
    pub(super) fn calculate(&mut self, expression: &Text) -> Option<i64> {
        let value = expression.as_known().and_then(|known| self.evaluate(known));
        if value.is_none() {
            self.forget_assigned(expression);
        }
        value
    }

    /// What an expression may assign is not known any more.
    pub(super) fn forget_assigned(&mut self, expression: &Text) {
        for name in assigned_names(&expression.display()) {
            self.state.assign(&name, vec![Value::unknown(&name)]);
        }
    }

    fn nested(&mut self, expression: &str, depth: usize) -> Option<i64> {
        if depth > NESTING || expression.len() > 1024 {
            return None;
        }
        if expression.trim().is_empty() {
            return Some(0);
        }
        let mut reader =
            Reader { walk: self, text: expression.as_bytes(), at: 0, depth, skipped: 0 };
        let value = reader.list()?;
        reader.blanks();
        (reader.at == reader.text.len()).then_some(value)
    }
}

/// The names that an arithmetic expression may assign: those before `=`, `++` and `--`, and after the latter two.
fn assigned_names(expression: &str) -> Vec<String> {
    if !expression.contains('=') && !expression.contains("++") && !expression.contains("--") {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    let words =
        expression.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    for name in words {
        let starts = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        if starts && names.len() < 16 && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Assignments, longer spellings before shorter ones of the same beginning.
const ASSIGNMENTS: &[&str] = &["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "="];

struct Reader<'a, 'w, 'f> {
    walk: &'w mut Walk<'f>,
    text: &'a [u8],
    at: usize,
    depth: usize,
    /// Within how many operands that are not evaluated this is, so that they assign nothing.
    skipped: usize,
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
    /// Expressions with commas between them.
    fn list(&mut self) -> Option<i64> {
        let mut value = self.assignment()?;
        while self.takes(b",") {
            value = self.assignment()?;
        }
        Some(value)
    }

    fn assignment(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > NESTING {
            return None;
        }
        self.blanks();
        let start = self.at;
        if let Some(name) = self.name()
            && let Some(operator) = self.assigns()
        {
            let right = self.assignment()?;
            let value = match operator.strip_suffix('=') {
                Some("") | None => right,
                Some(operator) => {
                    let left = self.variable(&name)?;
                    apply(operator, left, right)?
                }
            };
            self.depth -= 1;
            return self.store(&name, value);
        }
        self.at = start;
        let value = self.choice()?;
        self.depth -= 1;
        Some(value)
    }

    fn choice(&mut self) -> Option<i64> {
        let condition = self.binary(0)?;
        if !self.takes(b"?") {
            return Some(condition);
        }
        let left = self.unless(condition == 0, Self::assignment)?;
        if !self.takes(b":") {
            return None;
        }
        let right = self.unless(condition != 0, Self::assignment)?;
        Some(if condition != 0 { left } else { right })
    }

    /// Reads an operand, which assigns nothing where it is not evaluated.
    fn unless(&mut self, skip: bool, read: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        self.skipped += usize::from(skip);
        let value = read(self);
        self.skipped -= usize::from(skip);
        value
    }

    fn assigns(&mut self) -> Option<&'static str> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let found = ASSIGNMENTS.iter().find(|operator| rest.starts_with(operator.as_bytes()))?;
        if *found == "=" && rest.get(1) == Some(&b'=') {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn takes(&mut self, mark: &[u8]) -> bool {
        self.blanks();
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(mark));
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn name(&mut self) -> Option<String> {
        let start = self.at;
        let continues = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if self.text.get(self.at).is_none_or(|byte| !continues(byte) || byte.is_ascii_digit()) {
            return None;
        }
        while self.text.get(self.at).is_some_and(continues) {
            self.at += 1;
        }
        std::str::from_utf8(self.text.get(start..self.at)?).ok().map(str::to_owned)
    }

    fn variable(&mut self, name: &str) -> Option<i64> {
        match self.walk.value(name)? {
            Value::Scalar(text) => {
                let known = text.as_known()?.to_owned();
                self.walk.nested(&known, self.depth + 1)
            }
            Value::Unset => Some(0),
            Value::Array(elements) => {
                let known = elements.first()?.1.as_known()?.to_owned();
                self.walk.nested(&known, self.depth + 1)
            }
        }
    }

    fn store(&mut self, name: &str, value: i64) -> Option<i64> {
        if self.skipped == 0 {
            let text = Text::known(value.to_string());
            self.walk.state.assign(name, vec![Value::Scalar(text)]);
        }
        Some(value)
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let skip = operator == "||" && left != 0 || operator == "&&" && left == 0;
            let right = self.unless(skip, |reader| reader.binary(level + 1))?;
            left = apply(operator, left, right)?;
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
            b'+' | b'-' if self.text.get(self.at) == self.text.get(self.at + 1) => {
                let step = if self.text.get(self.at) == Some(&b'+') { 1 } else { -1 };
                self.at += 2;
                self.blanks();
                let name = self.name()?;
                let value = self.variable(&name)?.wrapping_add(step);
                self.store(&name, value)?
            }
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
                let value = self.list()?;
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
            let name = word.to_owned();
            let value = self.variable(&name)?;
            for (mark, step) in [(b"++", 1), (b"--", -1)] {
                if self.takes(mark) {
                    self.store(&name, value.wrapping_add(step))?;
                    return Some(value);
                }
            }
            return Some(value);
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

/// What a binary operator makes of two numbers.
fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
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
    })
}
