//! Functions that other calls are handed by their names: `Timer(1, os.system, [command])`, `map(os.remove, files)`,
//! `commands.forEach(execSync)`. Owns which argument is the function and what it will be called with; what it does then, `calls` says.

use super::{
    interpreter::Interpreter,
    members::acts_here,
    postfix::COMPOSED,
    tables::{self, Act},
    value::{Given, Value},
};
use crate::bound::{Bounded, Cut};

/// For how many elements of a list a function is called that gets each of them.
const EACH: usize = 64;

/// Calls that hand each element of a list to a function.
const OVER_LISTS: &[&str] =
    &["each", "every", "filter", "forEach", "imap", "map", "map_async", "some", "starmap"];

/// How many functions are looked for in a value, and how deep; what is beyond either is told.
const HELD: usize = 16;

/// Ruby's methods that hand what they belong to, or its elements, to `&method(:name)`. Sorted.
const OF_RUBY: &[&str] = &[
    "all?",
    "any?",
    "collect",
    "each",
    "each_entry",
    "each_line",
    "filter",
    "filter_map",
    "find",
    "find_all",
    "flat_map",
    "map",
    "map!",
    "none?",
    "reject",
    "select",
    "sum",
    "tap",
    "then",
    "yield_self",
];

/// Calls that call what they are handed with all that stands behind it, by and by or elsewhere. Sorted.
const LATER: &[&str] = &[
    "Process",
    "Thread",
    "Timer",
    "apply",
    "apply_async",
    "call_later",
    "call_soon",
    "call_soon_threadsafe",
    "create_task",
    "nextTick",
    "queueMicrotask",
    "register",
    "run_in_executor",
    "run_in_threadpool",
    "run_sync",
    "setImmediate",
    "setTimeout",
    "start_new_thread",
    "start_soon",
    "submit",
    "to_thread",
];

/// Calls behind whose function stands what is not given to it.
const NOT_CALLED: &[&str] = &["filter", "map", "reduce", "sorted", "sub", "subn"];

/// Keywords that carry the function.
const FUNCTION: &[&str] = &["callback", "fn", "func", "function", "target"];

/// Keywords that carry its arguments.
const ARGUMENTS: &[&str] = &["args", "argument", "kwargs"];

/// PHP's functions that are handed another one by its name in a string. Sorted.
const OF_PHP: &[&str] = &[
    "ReflectionFunction",
    "array_filter",
    "array_map",
    "array_reduce",
    "array_walk",
    "array_walk_recursive",
    "call_user_func",
    "call_user_func_array",
    "fromCallable",
    "forward_static_call",
    "forward_static_call_array",
    "iterator_apply",
    "ob_start",
    "preg_replace_callback",
    "register_shutdown_function",
    "register_tick_function",
    "set_error_handler",
    "set_exception_handler",
    "spl_autoload_register",
    "uasort",
    "uksort",
    "usort",
];

/// A function with the arguments of each of its calls.
type Handed = (Value, Vec<Given>);

/// How a function is called that has some of its arguments, before its number.
const PARTLY: &str = "functools.partial[";

impl Interpreter<'_, '_, '_> {
    /// The functions that a call is handed, with what each will be called with.
    pub(super) fn handed(
        &mut self,
        callee: &Value,
        receiver: Option<&Value>,
        given: &[Given],
    ) -> Vec<Handed> {
        let (name, is_method) = match callee {
            Value::Name(path, _) => (path.rsplit('.').next().unwrap_or_default(), false),
            Value::Method(method) => (method.1.as_str(), true),
            _ => return Vec::new(),
        };
        let takes = match self.language {
            "javascript" | "python" => !matches!(callee, Value::Name(path, _)
                    if self.only_looks_by(path) || matches!(&**path, "Reflect.apply" | "Reflect.construct")),
            "ruby" => is_method && OF_RUBY.contains(&name),
            "php" => OF_PHP.contains(&name),
            _ => false,
        };
        let receiver = receiver.filter(|_| is_method && given.len() == 1);
        let mut handed = Vec::new();
        let mut cut = Cut::default();
        let at_all =
            given.first().map_or_else(portcullis_syntax::Span::default, |given| given.span);
        for (at, function) in given.iter().enumerate().filter(|_| takes) {
            let is_key = function.name.as_deref() == Some("key");
            if !is_key && !may_be(function, FUNCTION) {
                continue;
            }
            // `sorted(names, key=Key)`: an object of the script's class is made of each.
            let made = Some(&function.value).filter(|value| {
                is_key && matches!(value, Value::Name(path, _) if self.is_class(path))
            });
            // `map(partial(remove, dir_fd=None), names)`
            let held = Some(&function.value).filter(|value| {
                OVER_LISTS.contains(&name)
                    && matches!(value, Value::Any(list)
                        if list.iter().any(|it| matches!(it, Value::Holder(_))))
            });
            let found = self.function_in(&function.value);
            if found.is_none() && LATER.binary_search(&name).is_ok() && self.is_of_library(function)
            {
                handed.push((function.value.clone(), all_behind(at, given)));
                continue;
            }
            let found = found.or_else(|| made.cloned()).or_else(|| held.cloned());
            let Some(value) = found else { continue };
            // What is made of two functions is called for each element behind the call.
            if matches!(&value, Value::Method(method) if method.1 == COMPOSED) {
                continue;
            }
            let others = || given.iter().enumerate().filter(move |(place, _)| *place != at);
            if matches!(value, Value::Method(_)) {
                handed.push((value, Vec::new()));
            } else if self.language == "php" || is_key {
                let each =
                    others().flat_map(|(_, other)| spread(other)).at_most(EACH, &mut cut, at_all);
                handed.extend(each.map(|one| (value.clone(), vec![one])));
            } else {
                let with = arguments(at, function, receiver, given);
                let over = OVER_LISTS.contains(&name) || self.language == "ruby";
                if over || with.each {
                    // `map(copy, sources, targets)` takes one of each.
                    let beside = with.given.len() > 1 && name == "map" && self.language == "python";
                    if beside && with.given.iter().all(|it| matches!(it.value, Value::List(_))) {
                        let lists: Vec<Vec<Given>> = with.given.iter().map(spread).collect();
                        let rows = lists.iter().map(Vec::len).min().unwrap_or_default();
                        let row = |at: usize| {
                            lists.iter().filter_map(|list| list.get(at)).cloned().collect()
                        };
                        let rows = (0..rows).at_most(EACH, &mut cut, at_all);
                        handed.extend(rows.map(|at| (value.clone(), row(at))));
                        continue;
                    }
                    let of = |one| if name == "starmap" { spread(&one) } else { vec![one] };
                    let each = with.given.iter().flat_map(spread).at_most(EACH, &mut cut, at_all);
                    handed.extend(each.map(|one| (value.clone(), of(one))));
                } else {
                    handed.extend(with.calls(name).into_iter().map(|with| (value.clone(), with)));
                }
            }
        }
        cut.report(self.walk, at_all);
        handed
    }

    /// With what a function of the script is called that stands at this place among what is given: `pool.map(work, files)`,
    /// `Thread(target=work, args=(file,))`. Where that is not said, nothing.
    pub(super) fn given_to(&mut self, callee: &str, at: usize, given: &[Given]) -> Vec<Vec<Given>> {
        let name = callee.rsplit('.').next().unwrap_or_default();
        let Some(function) = given.get(at) else { return Vec::new() };
        if given.len() < 2 || !may_be(function, FUNCTION) {
            return Vec::new();
        }
        let over = OVER_LISTS.contains(&name);
        let with = arguments(at, function, None, given);
        let mut cut = Cut::default();
        let calls = if over || with.each {
            let lists = with.given.iter().flat_map(spread).flat_map(|one| match &one.value {
                // What is gone through is not known one by one.
                Value::Name(..) => vec![Given { value: self.element(&one.value, 0), ..one }],
                _ => vec![one],
            });
            let one = |one: Given| if name == "starmap" { spread(&one) } else { vec![one] };
            lists.at_most(EACH, &mut cut, function.span).map(one).collect()
        } else if self.language != "python" || NOT_CALLED.contains(&name) {
            Vec::new()
        } else {
            with.calls(name)
        };
        cut.report(self.walk, function.span);
        calls
    }

    /// The function that a value names, where that is one of a library which runs or deletes what it is given.
    fn function_in(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Name(path, _) => {
                (self.does_something(path) || self.changes_files(path) || path.starts_with(PARTLY))
                    .then(|| value.clone())
            }
            Value::Text(text) if self.language == "php" => {
                let name = text.as_known().filter(|name| self.does_something(name))?;
                Some(Value::name(name))
            }
            Value::Any(list) => {
                list.iter().any(|one| self.function_in(one).is_some()).then(|| value.clone())
            }
            Value::Asks(asking) => asking.given.is_some().then(|| value.clone()),
            Value::Method(method) => {
                matches!(method.1.as_str(), "rmdir" | "rmtree" | "unlink").then(|| value.clone())
            }
            _ => None,
        }
    }

    /// Whether what is handed over is a function or a method of a library, by its name.
    fn is_of_library(&self, function: &Given) -> bool {
        match &function.value {
            Value::Name(path, _) => path.contains('.') && self.module_in(path).is_some(),
            Value::Method(_) => true,
            _ => false,
        }
    }

    /// `partial(client.delete_bucket, Bucket="b")`: a method of a library with some of its arguments, to be called later with the rest.
    pub(super) fn partly_given(&mut self, function: &Given, given: &[Given]) -> Option<Value> {
        /// How many are remembered.
        const PARTIALS: usize = 64;
        let is_of_library = match &function.value {
            Value::Name(path, _) => {
                !self.does_something(path)
                    && (path.starts_with(PARTLY) || self.module_in(path).is_some())
            }
            Value::Method(_) => true,
            _ => false,
        };
        if !is_of_library {
            return None;
        }
        if self.partials.len() >= PARTIALS {
            self.limit();
            return None;
        }
        let rest = given.iter().filter(|it| it.name.is_some() || it.span != function.span);
        let bound: Vec<Given> = rest.cloned().collect();
        let value = Value::name(&format!("{PARTLY}{}]", self.partials.len()));
        self.partials.push((function.value.clone(), bound));
        Some(value)
    }

    /// Such a function, and all that it is called with.
    pub(super) fn completed(&self, callee: &Value, given: &[Given]) -> Option<(Value, Vec<Given>)> {
        let Value::Name(path, _) = callee else { return None };
        let (number, method) = path.strip_prefix(PARTLY)?.split_once(']')?;
        let (function, bound) = self.partials.get(number.parse::<usize>().ok()?)?;
        // `git = sh.git.bake("-C", "app")`, `git.push("--force")`: a word more for the same program.
        let bound = match (method.strip_prefix('.'), function, given.first()) {
            (None, ..) if method.is_empty() => bound.clone(),
            (Some(word), Value::Name(program, _), _) if program.starts_with("sh.") => {
                let span = bound.first().or(given.first())?.span;
                let mut bound = bound.clone();
                let value = Value::known(&word.replace('_', "-"));
                bound.push(Given { name: None, value, span });
                bound
            }
            _ => return None,
        };
        let is_replaced =
            |it: &Given| it.name.is_some() && given.iter().any(|given| given.name == it.name);
        let mut all: Vec<Given> = bound.iter().filter(|it| !is_replaced(it)).cloned().collect();
        all.extend(given.iter().cloned());
        Some((function.clone(), all))
    }

    /// What a call gives of which nothing else is known, where functions went into it that run or delete what they are given: it may be
    /// one of them, or an object that has it.
    pub(super) fn holding<'v>(
        &mut self,
        result: Value,
        parts: impl IntoIterator<Item = &'v Value>,
    ) -> Value {
        let mut functions = Vec::new();
        let mut is_whole = true;
        for part in parts {
            is_whole &= self.functions_of(part, HELD, &mut functions);
        }
        if !is_whole {
            self.limit();
        }
        if functions.is_empty() {
            result
        } else {
            Value::Any(vec![Value::Holder(functions), result])
        }
    }

    /// Whether such a function is in a value.
    pub(super) fn holds_function(&self, value: &Value) -> bool {
        let mut functions = Vec::new();
        let is_whole = self.functions_of(value, HELD, &mut functions);
        !is_whole || !functions.is_empty()
    }

    /// Collects them; whether all of the value was looked at.
    fn functions_of(&self, value: &Value, levels: usize, functions: &mut Vec<Value>) -> bool {
        let Some(levels) = levels.checked_sub(1) else { return false };
        match value {
            Value::Name(path, _) if self.does_something(path) => {
                let has_room = functions.len() < HELD;
                if has_room {
                    functions.push(value.clone());
                }
                has_room
            }
            Value::List(list) | Value::Any(list) | Value::Holder(list) => {
                let mut is_whole = true;
                for one in list {
                    is_whole &= self.functions_of(one, levels, functions);
                }
                is_whole
            }
            Value::Table(table) => {
                let mut is_whole = true;
                for (_, one) in table {
                    is_whole &= self.functions_of(one, levels, functions);
                }
                is_whole
            }
            _ => true,
        }
    }

    pub(super) fn does_something(&self, path: &str) -> bool {
        // `map(getattr(shutil, name), paths)`
        let is_computed = || path.strip_suffix("[]").is_some_and(acts_here);
        is_computed()
            || matches!(
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

/// What stands for the arguments of a function.
struct With {
    /// Whether it is called for each of them.
    each: bool,
    /// Whether a keyword says that they are its arguments, one beside the other.
    told: bool,
    given: Vec<Given>,
}

impl With {
    /// The calls that a call of this name makes of it. A list may be one argument, or hold all of them.
    fn calls(self, name: &str) -> Vec<Vec<Given>> {
        /// Calls that take the arguments in a list: `Timer(1, print, ["x"])`.
        const LISTED: &[&str] =
            &["Process", "Thread", "Timer", "apply", "apply_async", "start_new_thread"];
        /// Calls that hand on what they are given as it is: `pool.submit(work, item)`.
        const HANDED_ON: &[&str] = &[
            "call_later",
            "call_soon",
            "call_soon_threadsafe",
            "callback",
            "finalize",
            "nextTick",
            "partial",
            "register",
            "run_in_executor",
            "submit",
            "to_thread",
        ];
        if self.given.is_empty() {
            return Vec::new();
        }
        let is_list = |one: &Given| matches!(one.value, Value::List(_) | Value::Table(_));
        let apart: Vec<Given> = self.given.iter().flat_map(spread).collect();
        if self.told || LISTED.contains(&name) {
            vec![apart]
        } else if HANDED_ON.contains(&name) || !self.given.iter().any(is_list) {
            vec![self.given]
        } else {
            vec![self.given, apart]
        }
    }
}

/// What a function is called with, and whether it is called for each of that: what a keyword says, what the method belongs to, what
/// stands behind the function, or the list before it.
fn arguments(at: usize, function: &Given, receiver: Option<&Value>, given: &[Given]) -> With {
    let carries =
        |given: &&Given| given.name.as_deref().is_some_and(|name| ARGUMENTS.contains(&name));
    if given.iter().any(|given| carries(&given)) {
        let told = given.iter().filter(carries).cloned().collect();
        return With { each: false, told: true, given: told };
    }
    if let Some(receiver) = receiver {
        let whole = Given { name: None, value: receiver.clone(), span: function.span };
        return With { each: false, told: true, given: vec![whole] };
    }
    let rest = given.iter().skip(at + 1).skip_while(|given| is_aside(given));
    let rest: Vec<Given> = rest.filter(|given| given.name.is_none()).cloned().collect();
    let before = at.checked_sub(1).and_then(|before| given.get(before));
    match before {
        // `Array.from(commands, execSync)`
        Some(list) if rest.is_empty() && matches!(list.value, Value::List(_)) => {
            With { each: true, told: false, given: vec![list.clone()] }
        }
        _ => With { each: false, told: false, given: rest },
    }
}

/// All that a function is called with that another call is handed: what is said to be its arguments, or what stands behind it.
fn all_behind(at: usize, given: &[Given]) -> Vec<Given> {
    let carries =
        |given: &&Given| given.name.as_deref().is_some_and(|name| ARGUMENTS.contains(&name));
    if given.iter().any(|given| carries(&given)) {
        return given.iter().filter(carries).flat_map(spread).collect();
    }
    let rest = given.get(at + 1..).unwrap_or_default();
    match rest {
        // `Timer(5, post, [address], {"json": data})`, `start_new_thread(post, (address,))`
        [Given { value: Value::List(_), .. }]
        | [Given { value: Value::List(_), .. }, Given { value: Value::Table(_), .. }] => {
            rest.iter().flat_map(spread).collect()
        }
        rest => rest.iter().skip_while(|given| is_aside(given)).cloned().collect(),
    }
}

fn may_be(given: &Given, keywords: &[&str]) -> bool {
    given.name.as_deref().is_none_or(|name| keywords.contains(&name))
}

/// The elements of a list or a table as arguments of their own, anything else as it is.
pub(super) fn spread(given: &Given) -> Vec<Given> {
    let span = given.span;
    match &given.value {
        Value::List(list) => {
            list.iter().map(|value| Given { name: None, value: value.clone(), span }).collect()
        }
        Value::Table(table) => table
            .iter()
            .map(|(name, value)| Given { name: Some(name.clone()), value: value.clone(), span })
            .collect(),
        value => vec![Given { name: None, value: value.clone(), span }],
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
