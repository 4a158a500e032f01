//! References and slices of Perl: what `@$name`, `@{…}` and `&{…}` stand for, and what several keys in brackets take. Owns which elements
//! that are (perldoc, "perlref", "perldata").

use portcullis_syntax::code::TokenKind;

use super::super::{
    interpreter::Interpreter,
    tables,
    value::{Given, Value, mixed},
};

impl Interpreter<'_, '_, '_> {
    /// `@$list`, `%$table`, `$$text`: what a variable refers to is held as it is.
    pub(in super::super) fn dereferenced(&mut self, name: &str) -> Option<Value> {
        let inner = name.strip_prefix(['$', '@', '%'])?;
        if self.language != "perl" || !inner.starts_with('$') {
            return None;
        }
        let value = self.bound(inner).or_else(|| self.dereferenced(inner))?;
        Some(match value {
            // What an object may be that is taken for a list.
            Value::Text(text) if !name.starts_with('$') => {
                Value::List(vec![Value::Text(mixed("an element", [&Value::Text(text)]))])
            }
            value => value,
        })
    }

    /// Whether the list that an expression gave, which begins at `start` and ends at the cursor, is one value: what refers to it stands
    /// there, `[…]`, `\@list`, `$list`.
    pub(in super::super) fn is_reference(&self, start: usize) -> bool {
        if self.language != "perl" {
            return false;
        }
        let is_whole = self.at.checked_sub(1).is_some_and(|last| self.partner(start) == last);
        let is_asked_for_all = || {
            (start..self.at)
                .any(|at| self.word_at(at) == "->" && matches!(self.word_at(at + 1), "@" | "%"))
        };
        match self.word_at(start) {
            "[" => is_whole,
            "\\" => self.word_at(start + 1) != "(",
            word if word.starts_with('$') => {
                self.at.checked_sub(1).is_some_and(|last| self.word_at(last) != ")")
                    && !is_asked_for_all()
            }
            _ => false,
        }
    }

    /// `@{ … }`, `%{ … }`, `&{ … }`, `*{ … }`: the cursor stands on the sign.
    pub(in super::super) fn dereferenced_block(&mut self) -> Value {
        let sign = self.word();
        let is_code = matches!(sign, "&" | "*");
        let close = self.partner(self.at + 1);
        self.at += 2;
        if !self.sink() {
            self.at = close + 1;
            return Value::unknown("what is referred to");
        }
        let outer = self.narrow(close);
        let value = self.expression(0);
        self.end = outer;
        self.rise();
        self.at = close + 1;
        // `*{"name"}{CODE}`
        if sign == "*" && self.word() == "{" && self.word_at(self.at + 1) == "CODE" {
            self.at = self.partner(self.at) + 1;
        }
        if is_code { self.named_function(&value).unwrap_or(value) } else { value }
    }

    /// The function that a text names: `"File::Path::rmtree"`.
    pub(in super::super) fn named_function(&self, value: &Value) -> Option<Value> {
        let name = value.as_known()?.trim_start_matches(['&', '*']);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_:'".contains(letter);
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let path = name.replace("::", ".").replace('\'', ".");
        let path = path.trim_start_matches('.').strip_prefix("main.").unwrap_or(&path);
        let path = path.trim_start_matches('.');
        let last = path.rsplit('.').next().unwrap_or(path);
        let is_core = path.starts_with("CORE.");
        match self.named.get(last) {
            Some(index) if !is_core && tables::row("perl", path).is_none() => {
                Some(Value::Function(*index))
            }
            Some(index) if path == last => Some(Value::Function(*index)),
            _ => Some(Value::name(path)),
        }
    }

    /// The function of the script that a method of an object is, whatever Perl's own function of that name does.
    pub(in super::super) fn own_method(&self, object: &Value, name: &str) -> Option<usize> {
        if self.language != "perl" {
            return None;
        }
        let index = self.named.get(name).copied()?;
        let is_foreign = match object {
            Value::Name(path, _) => {
                let is_class = path.starts_with(|first: char| first.is_ascii_uppercase());
                let is_own = |package: &String| {
                    path.strip_prefix(package.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
                };
                is_class && !self.packages.iter().any(is_own)
            }
            // What a text names is a class, as one that is written out.
            Value::Text(text) => text.as_known().is_some_and(|class| {
                let class = class.replace("::", ".");
                !self.packages.contains(&class) && class != "main"
            }),
            Value::File(_) => true,
            _ => false,
        };
        (!is_foreign).then_some(index)
    }

    /// Calls it with its object in front: the cursor stands behind its name.
    pub(in super::super) fn call_own_method(
        &mut self,
        object: Value,
        index: usize,
        start: usize,
    ) -> Value {
        let mut given = vec![Given { name: None, value: object, span: self.span_from(start) }];
        if self.word() == "(" && self.at < self.end {
            let close = self.partner(self.at);
            given.extend(self.arguments_until(close));
        }
        let span = self.span_from(start);
        self.call_value(Value::Function(index), given, span)
    }

    /// `package Name;`: the cursor stands on the word.
    pub(in super::super) fn package(&mut self) {
        /// How many are told apart.
        const PACKAGES: usize = 256;
        self.at += 1;
        let mut name = String::new();
        while self.at < self.end && (self.is_name(self.at) || self.word() == "::") {
            name.push_str(if self.word() == "::" { "." } else { self.word() });
            self.at += 1;
        }
        if self.packages.len() >= PACKAGES {
            self.limit();
        } else if !self.packages.contains(&name) && !name.is_empty() {
            self.packages.push(name);
        }
        while self.at < self.end
            && !matches!(self.word(), ";" | "{" | "}")
            && !self.is_first(self.at)
        {
            self.at += 1;
        }
    }

    /// Several keys in brackets, where what stands before them is asked for several: `@list[0, 1]`, `@table{qw(a b)}`, `(LIST)[7, 2]`. The
    /// cursor stands on the bracket; `start` is where the operand begins.
    pub(in super::super) fn sliced(&mut self, value: &Value, start: usize) -> Option<Value> {
        let sigil = self.word_at(start).chars().next();
        let before = self.at.checked_sub(1)?;
        let is_list =
            self.word_at(start) == "(" && self.partner(start) == before && self.word() == "[";
        let is_behind_arrow = matches!(self.word_at(before), "@" | "%")
            && before.checked_sub(1).is_some_and(|at| self.word_at(at) == "->");
        let is_written = match sigil {
            Some('@' | '%') => {
                // What stands behind the first brackets asks what they gave.
                let is_variable = before == start;
                is_variable || self.word_at(start + 1) == "{" && self.partner(start + 1) == before
            }
            _ => is_list || is_behind_arrow,
        };
        if !is_written {
            return None;
        }
        let has_names = sigil == Some('%') && !is_list || self.word_at(before) == "%";
        let close = self.partner(self.at);
        self.at += 1;
        let keys = match self.word_in_braces(close) {
            Some(word) => vec![Value::known(word)],
            None => self.perl_list(close),
        };
        self.at = close + 1;
        let is_one = is_list && keys.len() == 1;
        let mut taken = Vec::new();
        for key in keys {
            let element = self.element_by_key(value, &key);
            if is_one {
                return Some(element);
            }
            if has_names {
                taken.push(key);
            }
            taken.push(element);
        }
        Some(Value::List(taken))
    }

    /// A word alone in braces is a key.
    pub(in super::super) fn word_in_braces(&self, close: usize) -> Option<&str> {
        let first = close.checked_sub(1)?;
        let is_key = first
            .checked_sub(1)
            .is_some_and(|open| self.word_at(open) == "{" && self.partner(open) == close);
        let is_word = self.token_at(first).is_some_and(|token| token.kind == TokenKind::Name);
        (self.language == "perl" && is_key && is_word).then(|| self.word_at(first))
    }

    fn element_by_key(&mut self, value: &Value, key: &Value) -> Value {
        if let Some(home) = Self::home_of_account(value, key) {
            return home;
        }
        match (value, key) {
            (Value::List(list), Value::Number(position)) => {
                let back = || usize::try_from(position.saturating_neg()).ok();
                let at = usize::try_from(*position)
                    .ok()
                    .or_else(|| back().and_then(|back| list.len().checked_sub(back)));
                at.and_then(|at| list.get(at).cloned())
                    .unwrap_or_else(|| Value::unknown("an element"))
            }
            (Value::Name(..) | Value::Table(_), key) if key.as_known().is_some() => {
                self.member(value.clone(), key.as_known().unwrap_or_default())
            }
            _ => Value::Text(mixed("an element", [value])),
        }
    }
}
