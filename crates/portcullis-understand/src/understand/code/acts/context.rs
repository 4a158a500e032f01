//! What code that is run from a text is handed: the parameters of a function that is made of a text, the names of a context. Owns how they
//! are said to it, so that a function under another name is the one that it is.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    Call,
};
use crate::{bound::Bounded, programs::host::Host, text::Text};

/// How many functions are made of texts.
const MADE: usize = 64;

/// What such a function is called, before its number.
const NAME: &str = "made function[";

/// How many names are handed over, and how deep tables may lie in each other.
const NAMES: usize = 64;

const DEPTH: usize = 4;

/// A function that was made of a text.
#[derive(Clone, Debug)]
pub(in super::super) struct Made {
    parameters: Vec<String>,
    code: Text,
    span: Span,
}

impl Interpreter<'_, '_, '_> {
    /// Runs a text with the names that it is handed; nothing where it is handed none.
    pub(super) fn run_with_context(
        &mut self,
        path: &str,
        language: &str,
        call: Call<'_>,
    ) -> Option<Value> {
        let Call { given, first, second, span, .. } = call;
        match (language, path) {
            ("javascript", "Function") => {
                let (code, parameters) = given.split_last()?;
                self.make_function(parameters, &code.value, code.span)
            }
            ("javascript", "vm.compileFunction") => {
                let parameters = match &second?.value {
                    Value::List(list) => list.iter(),
                    _ => return None,
                };
                let parameters =
                    parameters.map(|value| Given { name: None, value: value.clone(), span });
                let parameters: Vec<Given> = parameters.collect();
                self.make_function(&parameters, &first?.value, first?.span)
            }
            // It is run with a context later.
            ("javascript", "vm.Script") if self.is_only_compiled() => {
                Some(Value::unknown("what was compiled"))
            }
            ("javascript", "vm.Script") => {
                let code = &first?.value;
                self.run_code(path, "javascript", code, first?.span);
                Some(Value::reached("vm.Script()", code.text()))
            }
            ("javascript", "vm.runInContext" | "vm.runInNewContext") => {
                self.run_handed(&first?.value, first?.span, &second?.value)
            }
            ("python", "types.FunctionType") => self.copied_function(given),
            // The names of what is outside come first, those of what is inside hide them.
            ("python", "eval" | "exec") => {
                let mut table = Vec::new();
                for given in given.iter().filter(|it| Some(it.span) != first.map(|it| it.span)) {
                    if let Value::Table(entries) = &given.value {
                        table.extend(entries.iter().cloned());
                    }
                }
                self.run_handed(&first?.value, first?.span, &Value::Table(table))
            }
            _ => None,
        }
    }

    /// Runs a text behind the names of a table.
    fn run_handed(&mut self, code: &Value, span: Span, context: &Value) -> Option<Value> {
        let Value::Table(entries) = context else { return None };
        let code = match code {
            Value::Name(path, text) if &**path == "compile()" => &Value::Text(text.clone()),
            code => code,
        };
        let text = code.as_known()?.to_owned();
        let said = entries.iter().leading(NAMES).filter(|(name, _)| is_plain(name));
        let said: Vec<String> = said.filter_map(|(name, value)| self.said(name, value)).collect();
        if said.is_empty() {
            return None;
        }
        let given = self.run_behind_names(&said, &code.text(), &text, span);
        Some(Value::Text(given))
    }

    /// A function of these parameters; nothing where there are none, or not all of them are known.
    fn make_function(&mut self, parameters: &[Given], code: &Value, span: Span) -> Option<Value> {
        let mut names = Vec::new();
        for given in parameters {
            names.extend(given.value.as_known()?.split(',').map(|name| name.trim().to_owned()));
        }
        let is_known = code.as_known().is_some();
        if names.is_empty() || !is_known || !names.iter().all(|name| is_plain(name)) {
            return None;
        }
        // What it does whatever it is called with.
        self.run_code("Function", "javascript", code, span);
        if self.made.len() >= MADE {
            self.limit();
            return None;
        }
        let value = Value::name(&format!("{NAME}{}]", self.made.len()));
        self.made.push(Made { parameters: names, code: code.text(), span });
        Some(value)
    }

    /// Calls a function that was made of a text, or runs a script of `vm` with its names.
    pub(in super::super) fn call_made(&mut self, callee: &Value, given: &[Given]) -> Option<Value> {
        let Value::Name(path, code) = callee else { return None };
        if matches!(&**path, "vm.Script().runInContext" | "vm.Script().runInNewContext") {
            let context = given.first()?;
            return self.run_handed(&Value::Text(code.clone()), context.span, &context.value);
        }
        let number = path.strip_prefix(NAME)?.strip_suffix(']')?.parse::<usize>().ok()?;
        let made = self.made.get(number)?.clone();
        let pairs = made.parameters.iter().zip(given);
        let said: Vec<String> =
            pairs.filter_map(|(name, given)| self.said(name, &given.value)).collect();
        let text = made.code.as_known()?.to_owned();
        let mut value = self.run_behind_names(&said, &made.code, &text, made.span);
        given.iter().for_each(|given| given.value.inherit_into(&mut value));
        Some(Value::Text(value))
    }

    /// Runs code behind lines that give names; what comes out has in it what went in.
    fn run_behind_names(&mut self, said: &[String], from: &Text, code: &str, span: Span) -> Text {
        if !self.spend(code.len() / 16 + said.len()) {
            return Text::unknown("a value");
        }
        let mut whole = said.concat();
        whole.push_str(code.trim());
        let mut text = Text::known(whole);
        text.inherit(from);
        self.flush();
        let given = self.walk.code(self.language, &text, span, &[]);
        let mut value = Text::unknown("a value");
        value.inherit(&given);
        value
    }

    /// The line that gives a name its value; nothing where the value cannot be said.
    fn said(&self, name: &str, value: &Value) -> Option<String> {
        let value = self.written_out(value, DEPTH)?;
        Some(match self.language {
            "python" => format!("{name} = {value}\n"),
            _ => format!("const {name} = {value};\n"),
        })
    }

    /// A value as an expression.
    fn written_out(&self, value: &Value, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match value {
            Value::Text(text) => text.as_known().map(quoted),
            Value::Number(number) => Some(number.to_string()),
            Value::List(list) => {
                let all: Option<Vec<String>> =
                    list.iter().map(|one| self.written_out(one, depth)).collect();
                Some(format!("[{}]", all?.join(", ")))
            }
            Value::Table(table) => {
                let entry = |(name, value): &(String, Value)| {
                    Some(format!("{}: {}", quoted(name), self.written_out(value, depth)?))
                };
                let all: Vec<String> = table.iter().filter_map(entry).collect();
                Some(format!("{{{}}}", all.join(", ")))
            }
            Value::Name(path, _) => self.path_written_out(path),
            _ => None,
        }
    }

    /// What reaches something by the module that it is in.
    fn path_written_out(&self, path: &str) -> Option<String> {
        let is_path = |path: &str| path.split('.').all(is_plain);
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        let is_module = |at: &usize| path.get(..*at).is_some_and(|it| self.modules.contains(it));
        let Some((module, rest)) =
            ends.filter(is_module).max().and_then(|at| path.split_at_checked(at))
        else {
            return is_path(path).then(|| path.to_owned());
        };
        if !rest.is_empty() && !is_path(rest.trim_start_matches('.')) {
            return None;
        }
        Some(match self.language {
            "python" => format!("__import__({}){rest}", quoted(module)),
            _ => format!("require({}){rest}", quoted(module)),
        })
    }
}

/// Whether a name is one that the code may have.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        && letters.all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '$'))
}

/// A text as both languages write it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
