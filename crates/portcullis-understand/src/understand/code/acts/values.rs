//! Calls that compute something, ask for what surrounds the program, or print. Owns what they give.

use super::{
    super::{
        fold::{self, Fold},
        interpreter::Interpreter,
        value::{Given, Value},
    },
    Call,
};
use crate::text::{Taint, Text};

/// For how many elements a function is called that gets each of them.
const EACH: usize = 16;

impl Interpreter<'_, '_, '_> {
    pub(in super::super) fn fold(&mut self, kind: Fold, path: &str, given: &[Given]) -> Value {
        let work = given
            .iter()
            .map(|given| given.value.as_known().map_or(1, |text| text.len() / 32))
            .sum();
        self.spend(work);
        let codec = kind == Fold::Codec && self.language == "javascript" && given.len() < 2;
        if codec {
            return fold::fold(
                if path == "Buffer"
                    || matches!(given.first().map(|g| &g.value), Some(Value::List(_)))
                {
                    Fold::Characters
                } else {
                    Fold::Same
                },
                given,
            );
        }
        if kind == Fold::Characters
            && self.language == "python"
            && path != "chr"
            && path != "unichr"
        {
            let is_list = matches!(given.first().map(|given| &given.value), Some(Value::List(_)));
            return fold::fold(if is_list { Fold::Characters } else { Fold::Same }, given);
        }
        if kind == Fold::Map
            && let [Given { value: Value::Function(index), .. }, list, ..] = given
        {
            let elements = match &list.value {
                Value::List(list) => list.clone(),
                other => vec![self.element(other, 0)],
            };
            let index = *index;
            return Value::List(
                elements
                    .into_iter()
                    .map(|value| {
                        let one = Given { name: None, value, span: list.span };
                        self.apply_dispatched(index, &[one])
                    })
                    .collect(),
            );
        }
        // `map(str.strip, lines)`: what acts is called elsewhere.
        if kind == Fold::Map
            && let [Given { value: function @ (Value::Name(..) | Value::Method(_)), .. }, list] =
                given
            && let Value::List(elements) = &list.value
            && elements.len() <= EACH
            && !self.holds_function(function)
            && !matches!(function, Value::Name(path, _) if matches!(&**path, "chr" | "int" | "ord"))
        {
            let (function, span, elements) = (function.clone(), list.span, elements.clone());
            let mut made = Vec::new();
            for value in elements {
                let one = vec![Given { name: None, value, span }];
                made.push(self.call_value(function.clone(), one, span));
            }
            return Value::List(made);
        }
        fold::fold(kind, given)
    }

    /// A variable of the environment, or all of them.
    pub(super) fn variable_of_environment(&mut self, call: Call<'_>) -> Value {
        let Call { first, second, .. } = call;
        let Some(first) = first else {
            // Without a name it gives all of them.
            return Value::Text(Text { taint: Taint::SECRET, ..Text::unknown("the environment") });
        };
        let name = first.value.text();
        // What the program itself has put there.
        if let Some(known) = name.as_known()
            && let Some(set) = self.bound(&format!("os.environ.{known}"))
        {
            return set;
        }
        let mut text = self.environment(name.as_known().unwrap_or("a variable"));
        if let Some(other) = second
            && text.has_unknown()
        {
            let unknown = Value::Text(std::mem::take(&mut text));
            return unknown.or(other.value.clone());
        }
        Value::Text(text)
    }

    /// The home directory: what a test puts into `HOME` for as long as a block lasts, where that is known.
    pub(super) fn home_now(&mut self) -> Text {
        let name = "os.environ.HOME";
        let set = self.bound(name).filter(|_| self.is_patched_for_now(name));
        match set {
            Some(value) if value.as_known().is_some() => value.text(),
            _ => match self.seen.home.clone() {
                Some(home) => home,
                None => self.environment("HOME"),
            },
        }
    }

    /// A path with `~` written out.
    pub(super) fn expand_user(&mut self, call: Call<'_>) -> Value {
        let Call { first, path, .. } = call;
        let mut text = first.map(|given| given.value.text()).unwrap_or_default();
        // `$HOME/x`: what a variable is worth that the script set, or that surrounds it.
        if path.ends_with("expandvars")
            && let Some(known) = text.as_known()
            && known.contains('$')
        {
            text = self.with_variables(known, &text);
        }
        let rest = text
            .known_prefix()
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = rest {
            let mut path = self.home_now();
            path.push_known(rest);
            for piece in text.pieces.drain(..).skip(1) {
                path.push(piece);
            }
            path.inherit(&text);
            text = path;
        }
        Value::Text(text)
    }

    /// A text with the variables put in that stand in it.
    fn with_variables(&self, known: &str, text: &Text) -> Text {
        let mut made = text.derive([]);
        let mut rest = known;
        while let Some((before, after)) = rest.split_once('$') {
            made.push_known(before);
            let braced = after.strip_prefix('{').and_then(|it| it.split_once('}'));
            let length =
                after.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_').count();
            let (name, behind) =
                braced.or_else(|| after.split_at_checked(length)).unwrap_or((after, ""));
            match self.variables.get(&format!("os.environ.{name}")) {
                Some(value) => made.append(&value.text()),
                None => made.append(&self.environment(name)),
            }
            rest = behind;
        }
        made.push_known(rest);
        made
    }

    /// What is printed, into a file where one is named.
    pub(super) fn print_given(&mut self, call: Call<'_>) -> Value {
        let Call { path, plain, span, .. } = call;
        self.shown(plain, span);
        let mut text = Text::default();
        for (index, given) in plain.iter().enumerate() {
            if index > 0 && self.language == "python" {
                text.push_known(" ");
            }
            text.append(&given.value.text());
        }
        if let Some(number) = call.keyword(&["file"]).and_then(|to| self.program(&to.value)) {
            self.feed(number, &text);
            return Value::unknown("nothing");
        }
        if let Some(Given { value: Value::File(index), .. }) = call.keyword(&["file"]) {
            self.write_file(*index, &text);
            return Value::unknown("nothing");
        }
        if path.ends_with("printf") {
            let values: Vec<Given> = plain.iter().copied().cloned().collect();
            text = fold::format(&values).text();
        } else if !matches!(self.language, "perl" | "php" | "lua") && !path.ends_with("write") {
            text.push_known("\n");
        }
        self.output.append(&text);
        Value::unknown("nothing")
    }

    /// A text that is always the same, below the home directory where that is known.
    pub(super) fn constant(&mut self, text: &str, path: &str) -> Value {
        if let (Some(rest), Some(home)) = (text.strip_prefix('~'), &self.walk.facts().home) {
            return Value::known(&format!("{home}{rest}"));
        }
        // Where it runs, as a whole path: the directory above it is asked for too.
        if text == "."
            && let Some(here) = self.walk.directory()
        {
            return Value::known(here);
        }
        // A list of directories, and a table of them.
        match path.rsplit('.').next() {
            Some("getsitepackages") => Value::List(vec![Value::known(text)]),
            Some("get_paths") => Value::Any(vec![Value::known(text)]),
            _ => Value::known(text),
        }
    }
}
