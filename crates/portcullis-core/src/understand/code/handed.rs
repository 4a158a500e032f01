//! Functions of libraries that other calls are handed by their names: `Timer(1, os.system, [command])`, `map(os.remove, files)`,
//! `commands.forEach(execSync)`. Owns which argument is the function and what it will be called with; what it does then, `calls` says.

use super::{
    interpreter::Interpreter,
    tables::{self, Act},
    value::{Given, Value},
};

/// How many arguments of such a call are looked at.
const GIVEN: usize = 8;

/// For how many elements of a list a function is called that gets each of them.
const EACH: usize = 8;

/// Calls that hand each element of a list to a function.
const OVER_LISTS: &[&str] =
    &["each", "every", "filter", "forEach", "imap", "map", "map_async", "some", "starmap"];

/// Keywords that carry the function.
const FUNCTION: &[&str] = &["callback", "fn", "func", "function", "target"];

/// Keywords that carry its arguments.
const ARGUMENTS: &[&str] = &["args", "argument"];

impl Interpreter<'_, '_, '_> {
    /// The function that a call is handed, with each list of arguments that it will be called with.
    pub(super) fn handed(
        &self,
        callee: &Value,
        receiver: Option<&Value>,
        given: &[Given],
    ) -> Vec<(Value, Vec<Given>)> {
        if !matches!(self.language, "javascript" | "python") {
            return Vec::new();
        }
        let is_function =
            |given: &Given| may_be(given, FUNCTION) && self.does_something(&given.value);
        let Some(at) = given.iter().take(GIVEN).position(is_function) else { return Vec::new() };
        let (name, is_method) = match callee {
            Value::Name(path, _) => (path.rsplit('.').next().unwrap_or_default(), false),
            Value::Method(method) => (method.1.as_str(), true),
            _ => return Vec::new(),
        };
        let Some(function) = given.get(at) else { return Vec::new() };
        let is_argument =
            |given: &&Given| given.name.as_deref().is_some_and(|name| ARGUMENTS.contains(&name));
        let with: Vec<Given> = if let Some(named) = given.iter().find(is_argument) {
            spread(named)
        } else if let Some(receiver) = receiver.filter(|_| is_method && given.len() == 1) {
            spread(&Given { name: None, value: receiver.clone(), span: function.span })
        } else {
            let rest = given.iter().skip(at + 1).skip_while(|given| is_aside(given));
            rest.filter(|given| given.name.is_none()).flat_map(spread).take(GIVEN).collect()
        };
        let call = |with: Vec<Given>| (function.value.clone(), with);
        if with.is_empty() {
            Vec::new()
        } else if OVER_LISTS.contains(&name) {
            let arguments = |one: &Given| {
                if name == "starmap" { spread(one) } else { vec![one.clone()] }
            };
            with.iter().take(EACH).map(|one| call(arguments(one))).collect()
        } else {
            vec![call(with)]
        }
    }

    /// Whether a value is a function of a library that runs or deletes what it is given.
    fn does_something(&self, value: &Value) -> bool {
        let Value::Name(path, _) = value else { return false };
        matches!(
            tables::row(self.language, &self.canonical(path)),
            Some(
                Act::Shell
                    | Act::System
                    | Act::Spawn
                    | Act::Program
                    | Act::ExecList
                    | Act::ExecWords
                    | Act::Code
                    | Act::Delete
                    | Act::DeleteTree
                    | Act::DeleteMaybe
                    | Act::Deserialize
            )
        )
    }
}

fn may_be(given: &Given, keywords: &[&str]) -> bool {
    given.name.as_deref().is_none_or(|name| keywords.contains(&name))
}

/// The elements of a list as arguments of their own, anything else as it is.
fn spread(given: &Given) -> Vec<Given> {
    let one = |value: &Value| Given { name: None, value: value.clone(), span: given.span };
    match &given.value {
        Value::List(list) => list.iter().take(GIVEN).map(one).collect(),
        value => vec![one(value)],
    }
}

/// What may stand between a function and its arguments: a delay, a priority, `this`.
fn is_aside(given: &Given) -> bool {
    match &given.value {
        Value::Number(_) => true,
        Value::Name(path, _) => matches!(path.as_ref(), "None" | "null" | "this" | "undefined"),
        _ => given.name.is_some(),
    }
}
