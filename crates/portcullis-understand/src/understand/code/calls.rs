//! Calls: which function a call reaches, and which of its acts that is. Owns the way from a callee to a row in `tables`; what a row
//! means, `acts` says.

use portcullis_syntax::Span;

use super::{
    acts::is_address,
    fed::is_program,
    interpreter::Interpreter,
    methods::{A_NAME, is_a_name, keeps_secrets},
    native,
    postfix::COMPOSED,
    services,
    tables::{self, Act},
    value::{Asking, Given, SOME_MEMBER, Value, is_not_followed, mixed},
};
use crate::{
    effect::GapReason,
    place::{self, Place},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

mod statement;

pub(super) use statement::looks_like_sql;

/// Functions that only look at a file, or at its name.
pub(super) const LOOKS: &[&str] = &[
    "abspath",
    "access",
    "accessSync",
    "basename",
    "dirname",
    "exists",
    "existsSync",
    "file_exists",
    "filesize",
    "getatime",
    "getctime",
    "getmtime",
    "getsize",
    "is_dir",
    "is_file",
    "isdir",
    "isfile",
    "islink",
    "lstat",
    "lstatSync",
    "normpath",
    "realpath",
    "relpath",
    "stat",
    "statSync",
];

impl Interpreter<'_, '_, '_> {
    /// Calls a value.
    pub(super) fn call_value(&mut self, callee: Value, given: Vec<Given>, span: Span) -> Value {
        if !self.spend(1) {
            return Value::unknown("a call");
        }
        let only_looks = matches!(&callee, Value::Name(path, _) if self.only_looks_by(path));
        let functions: Vec<usize> = given
            .iter()
            .filter_map(|given| match given.value {
                Value::Function(index) if !only_looks => Some(index),
                _ => None,
            })
            .collect();
        let receiver = match &callee {
            Value::Method(method) => Some(method.0.clone()),
            // `import("fs").then(fs => …)`
            Value::Name(path, text) if self.language == "javascript" => {
                path.strip_suffix(".then").map(|module| Value::reached(module, text.clone()))
            }
            _ => None,
        };
        // What is read by that name later was remembered where it was told.
        if let Value::Method(method) = &callee
            && matches!(method.1.as_str(), "__defineGetter__" | "__defineSetter__")
            && matches!(method.0, Value::Table(_))
        {
            return Value::unknown("nothing");
        }
        if let Value::Asks(asking) = &callee {
            return self.ask(asking, &given, span);
        }
        if let Some((function, given)) = self.completed(&callee, &given) {
            return self.call_value(function, given, span);
        }
        if let Some(value) = self.call_made(&callee, &given) {
            return value;
        }
        // Neither a list nor a table is called: what is, was taken out of it.
        let callee = match callee {
            Value::List(_) | Value::Table(_) => {
                let taken = self.holding(Value::unknown("an element"), [&callee]);
                if matches!(taken, Value::Any(_)) { taken } else { callee }
            }
            callee => callee,
        };
        if let Some(callee) = self.callable_of_php(&callee) {
            return self.call_value(callee, given, span);
        }
        if let Value::Holder(functions) = &callee {
            return self.call_each(functions, &callee, &given, span);
        }
        if let Some(value) = self.registers(&callee, &given) {
            return value;
        }
        // `$f = found(); $f("/etc/passwd");`
        let is_any = match &callee {
            Value::Text(text) => text.as_known().is_none(),
            Value::Name(path, _) => self.language == "php" && path.ends_with("()"),
            _ => false,
        };
        if is_any && matches!(self.language, "perl" | "php") && self.is_told(&given) {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        let handed = self.handed(&callee, receiver.as_ref(), &given);
        let called = match &callee {
            Value::Name(path, _) => path.to_string(),
            Value::Method(method) => method.1.clone(),
            _ => String::new(),
        };
        let unknown = self.is_unknown(&callee);
        if let Value::Function(index) = callee {
            return self.apply_dispatched(index, &given);
        }
        let times = |walker: &Self, index: usize| {
            walker.functions.get(index).map_or(0, |function| function.times)
        };
        let before: Vec<usize> = functions.iter().map(|index| times(self, *index)).collect();
        let result = self.reach(callee, &given, span);
        let is_opaque = match &result {
            Value::Text(text) => text.as_known().is_none(),
            Value::Name(path, _) => path.ends_with(')'),
            _ => false,
        };
        let mut result = if unknown && is_opaque && handed.is_empty() {
            let parts = given.iter().map(|given| &given.value).chain(&receiver);
            self.holding(result, parts)
        } else {
            result
        };
        // `response.text().then(eval)`: a function that is only named is called with what there is.
        if let Some(receiver) = receiver.as_ref().filter(|it| it.taint() != Taint::NONE)
            && self.language == "javascript"
            && let [Given { value: Value::Name(path, _), span, .. }, ..] = given.as_slice()
            && matches!(
                tables::row(self.language, &self.canonical(path)),
                Some(Act::Code | Act::Shell | Act::Spawn | Act::Deserialize)
            )
        {
            let (named, span) = (Value::name(path), *span);
            let value = Given { name: None, value: receiver.clone(), span };
            return self.call_value(named, vec![value], span);
        }
        for (function, with) in handed {
            self.call_value(function, with, span);
        }
        for (index, before) in functions.into_iter().zip(before) {
            let argument = match (&receiver, &result) {
                (Some(Value::List(list)), _) => {
                    list.first().cloned().unwrap_or_else(|| Value::unknown("an element"))
                }
                (Some(value @ Value::Name(..)), _) => value.clone(),
                (Some(value), _) if value.taint() != Taint::NONE => value.clone(),
                (_, value) => value.clone(),
            };
            // An empty list that nothing is added to calls nothing.
            const ADDS: &[&str] =
                &[".add", ".push", "splice", ".unshift", "concat", "length =", "[...", "fill"];
            if matches!(&receiver, Some(Value::List(list)) if list.is_empty())
                && self.language == "javascript"
                && matches!(called.as_str(), "every" | "filter" | "forEach" | "map" | "some")
                && self.calls == 0
                && !ADDS.iter().any(|adds| self.source.contains(adds))
            {
                if let Some(function) = self.functions.get_mut(index) {
                    function.called = true;
                }
                continue;
            }
            // Whoever it was handed to has called it already, or calls it now.
            if times(self, index) == before {
                let place = given.iter().position(
                    |given| matches!(given.value, Value::Function(found) if found == index),
                );
                let calls = self.given_to(&called, place.unwrap_or_default(), &given);
                if !calls.is_empty() {
                    let results = calls.into_iter().map(|with| self.apply(index, Some(&with)));
                    let results: Vec<Value> = results.collect();
                    // What is left of a list is none of what chooses it gives.
                    if matches!(called.as_str(), "filter" | "array_filter" | "array_walk") {
                        continue;
                    }
                    result = match (results.len(), called.ends_with("map")) {
                        (1, false) => results.into_iter().next().unwrap_or(result),
                        _ => Value::List(results),
                    };
                    continue;
                }
                let argument = Given { name: None, value: argument, span };
                // What a reduction begins with is what its function gets first.
                let first = match (called.rsplit('.').next(), given.as_slice()) {
                    (Some("reduce" | "reduceRight"), [_, begins])
                        if self.language == "javascript" =>
                    {
                        begins.clone()
                    }
                    _ => argument.clone(),
                };
                let body = self.apply(index, Some(&[first.clone(), argument.clone()]));
                self.called_later(&called, index, &[first, argument]);
                // What the next one in a chain of promises gets.
                if called.rsplit('.').next() == Some("then") {
                    match body {
                        Value::Name(path, mut text) => {
                            result.inherit_into(&mut text);
                            return Value::reached(&path, text);
                        }
                        Value::List(_) | Value::Table(_) => return body,
                        _ => {}
                    }
                }
                // `lines.map((line) => line.split("=")[0])`: names alone, whatever stood behind them.
                if matches!(called.as_str(), "map" | "flatMap")
                    && matches!(&body, Value::Text(text) if is_a_name(text))
                {
                    return body;
                }
                // Each of a list that nobody knows: one stands for all.
                let is_made_of_each = self.language == "javascript"
                    && matches!(
                        called.rsplit('.').next(),
                        Some("map" | "flatMap" | "reduce" | "reduceRight")
                    )
                    && called.contains('.')
                    && body.text().pieces.iter().any(|it| matches!(it, Piece::Known(_)));
                if (receiver.is_some() || is_made_of_each) && !body.text().is_empty() {
                    let mut text = body.text();
                    result.inherit_into(&mut text);
                    return Value::Text(text);
                }
            }
        }
        result
    }

    /// Asks what is given for a member, and calls that where it is to be called.
    fn ask(&mut self, asking: &Asking, given: &[Given], span: Span) -> Value {
        let Some(first) = given.first() else { return Value::unknown("a member") };
        let mut value = first.value.clone();
        for name in asking.member.split('.') {
            value = match (&value, name.parse::<usize>()) {
                (Value::List(_), Ok(position)) => self.element(&value, position),
                (Value::Name(..), _) if name == SOME_MEMBER => self.element(&value, 0),
                _ => self.member(value, name),
            };
        }
        match &asking.given {
            Some(given) => self.call_value(value, given.clone(), span),
            None => value,
        }
    }

    /// Whether a callee is none of which a row says what it does.
    fn is_unknown(&self, callee: &Value) -> bool {
        match callee {
            Value::Name(path, _) => matches!(
                tables::row(self.language, &self.canonical(path)),
                None | Some(Act::Fold(_) | Act::Itself | Act::Nothing)
            ),
            Value::Method(_) => true,
            _ => false,
        }
    }

    /// Whether a function is given a place beyond the project, or a line that a shell would run: which one it is matters then.
    pub(super) fn is_told(&self, given: &[Given]) -> bool {
        given.iter().any(|given| match &given.value {
            Value::List(list) => {
                let each = |value: &Value| Given { value: value.clone(), ..given.clone() };
                self.is_told(&list.iter().map(each).collect::<Vec<_>>())
            }
            Value::Text(text) => text.as_known().is_some_and(|known| {
                let target = || self.walk.target(text);
                let is_line = known.contains(char::is_whitespace) && is_program(known);
                let is_path = known.starts_with(['/', '~']) && known.len() > 1;
                let is_own = || {
                    let place = place::place_of(&target(), self.walk.facts());
                    place.is_workspace() || matches!(place, Place::Temporary | Place::Unknown)
                };
                is_line || is_path && !is_own()
            }),
            _ => false,
        })
    }

    /// One of several functions is called, and nobody knows which. Without an argument nothing is run.
    fn call_each(
        &mut self,
        functions: &[Value],
        callee: &Value,
        given: &[Given],
        span: Span,
    ) -> Value {
        let called = given.iter().any(|given| given.name.is_none());
        let results = functions.iter().filter(|_| called);
        let results: Vec<Value> = results
            .map(|function| self.call_value(function.clone(), given.to_vec(), span))
            .collect();
        let result = results.into_iter().reduce(Value::or);
        let result = result.unwrap_or_else(|| Value::unknown("a call"));
        self.holding(result, [callee])
    }

    /// Calls what a callee is, each of several.
    fn reach(&mut self, callee: Value, given: &[Given], span: Span) -> Value {
        let read = self.gotten_for(&callee, given);
        let given = read.as_deref().unwrap_or(given);
        match callee {
            Value::Name(path, text) => self.call_name(&path, text, given, span),
            Value::Method(method) => {
                let (receiver, name) = *method;
                // One function gets what the other gives.
                if name == COMPOSED
                    && let Value::List(both) = &receiver
                    && let [first, second] = both.as_slice()
                {
                    let value = self.call_value(first.clone(), given.to_vec(), span);
                    let given = vec![Given { name: None, value, span }];
                    return self.call_value(second.clone(), given, span);
                }
                if matches!(&*name, "write" | "write_bytes" | "write_text" | "writelines") {
                    self.kept(given);
                }
                self.call_method(receiver, &name, given, span)
            }
            Value::Function(index) => self.apply(index, Some(given)),
            Value::Any(list) => list
                .into_iter()
                .map(|callee| self.call_value(callee, given.to_vec(), span))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown("a call")),
            Value::Text(name) if self.language == "php" && name.as_known().is_some() => {
                self.call_name(name.as_known().unwrap_or_default(), Text::default(), given, span)
            }
            // `&$name(…)`, `$name->(…)`: a function by its name.
            Value::Text(name)
                if self.language == "perl"
                    && self.named_function(&Value::Text(name.clone())).is_some() =>
            {
                let function = self.named_function(&Value::Text(name)).unwrap_or(Value::name(""));
                match function {
                    Value::Name(path, text) => self.call_name(&path, text, given, span),
                    other => self.call_value(other, given.to_vec(), span),
                }
            }
            other => {
                self.arguments_as_they_are("run", given);
                Value::Text(mixed(
                    "what a call gives",
                    given.iter().map(|given| &given.value).chain([&other]),
                ))
            }
        }
    }

    pub(super) fn call_name(
        &mut self,
        path: &str,
        text: Text,
        given: &[Given],
        span: Span,
    ) -> Value {
        // `cls(…)`, `new this(…)`: the class whose method is read.
        let own = matches!(path, "cls" | "this").then(|| self.class_of(path)).flatten();
        let path = self.canonical(own.as_deref().unwrap_or(path));
        // A class of the script that is called as a module is.
        if self.language == "python"
            && let Some((class, _)) = path.split_once('.')
            && !self.modules.contains(class)
            && self.is_class(class)
            && let Some(index) = self.named.get(&path).copied()
        {
            return self.apply(index, Some(given));
        }
        self.replace_for_good(&path, given);
        self.notice_client(&path, given);
        self.notice_answers(&path, given);
        if self.is_replaced(&path) || self.is_answered(&path, given) {
            let found = self.stand_ins.iter().rev().find(|(name, _)| **name == *path);
            if let Some((_, index)) = found {
                return self.apply(*index, Some(given));
            }
            return Value::reached(&format!("{path}()"), Text::default());
        }
        // `getattr(os, name)(…)`, `fs[name](…)`, `fs[name].call(fs, …)`
        let function = [".apply", ".bind", ".call"].iter().find_map(|by| path.strip_suffix(by));
        let module = function.unwrap_or(&path).strip_suffix("[]");
        // `require(table[a])[table[b]](…)`: of the names that stand in the script, nobody knows which.
        let is_any = module == Some("a module") && is_not_followed(&text);
        if is_any || module.is_some_and(|module| self.chooses_acts(module)) {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        self.named_from_elsewhere(&path, &text, span);
        self.call_stops_checks(&path, given, span);
        self.notice_machine(&path, given);
        self.notice_over_double(&path, given);
        self.notice_repository(&path, given);
        self.notice_base(&path, given);
        self.notice_hooks(&path, given, span);
        self.hands_to_program(&path, given);
        if matches!(
            &*path,
            "stream.pipeline" | "stream/promises.pipeline" | "stream.promises.pipeline"
        ) && let [first, .., last] = given
            // What is given an open file is written there below.
            && !matches!(last.value, Value::File(_))
        {
            self.piped(&first.value.text(), &last.value, span);
        }
        self.run_template(&path, given, span);
        let last = path.rsplit('.').next().unwrap_or_default().to_owned();
        // What a weak reference refers to, and what it gives back: `new WeakRef(fs).deref()`.
        if self.language == "javascript" {
            match given {
                [one] if path == "WeakRef" => return one.value.clone(),
                [] if last == "deref" => {
                    return Value::reached(path.strip_suffix(".deref").unwrap_or(&path), text);
                }
                _ => {}
            }
        }
        if path == "pack"
            && let [format, rest @ ..] = given
        {
            let list: Vec<Value> = rest.iter().map(|given| given.value.clone()).collect();
            let format = format.value.text();
            return super::methods::pack(format.as_known().unwrap_or_default(), &list, span);
        }
        if let Some(value) = self.called_through(&path, given, span) {
            return value;
        }
        if let Some(value) = self.plain_function(&path, given) {
            return value;
        }
        if let Some(index) = self.method_above(&path) {
            return self.apply(index, Some(given));
        }
        if let Some(value) = self.said_by_exception(&path, given) {
            return value;
        }
        // `Path.unlink(path)`, `str.lower(name)`: a method with its object in front.
        if self.language == "python"
            && let [object, rest @ ..] = given
            && object.name.is_none()
            && let Some((class, method)) = path.rsplit_once('.')
            && matches!(class, "Path" | "dict" | "list" | "pathlib.Path" | "str")
            && !matches!(method, "cwd" | "fromkeys" | "home" | "maketrans" | "from_uri")
        {
            return self.call_method(object.value.clone(), method, rest, span);
        }
        if let Some(value) = self.container(&path, given) {
            return value;
        }
        if let Some(value) = self.built_in(&path, given, span) {
            return value;
        }
        if self.language == "python"
            && let Some(class) = self.made_class(&path, given)
        {
            return class;
        }
        if let Some(index) = self.method_of_class(&path) {
            let value = self.apply(index, Some(given));
            return self.itself_or(&path, value);
        }
        if let Some(value) = self.missing_method(&path, given, span) {
            return value;
        }
        if let Some(object) = self.construct(&path, given) {
            return object;
        }
        if let Some(own) = native::function(self.language, &path) {
            return self.call_name(&own, text, given, span);
        }
        // `response.body.pipe(createGunzip()).pipe(extract(directory))`
        if self.language == "javascript"
            && last == "pipe"
            && text.taint.has(Taint::NETWORK)
            && let [to, ..] = given
        {
            self.unpacked(&text, &to.value, to.span);
        }
        if self.language == "javascript"
            && let Some(value) = self.unpacks_archive(&path, &text, given, span)
        {
            return value;
        }
        if let Some(value) = self.service(&path, &text, given, span) {
            return value;
        }
        if let Some(value) = self.special(&path, &last, given, span) {
            return value;
        }
        // What a pattern is held against is not run, unless the script gave patterns a method of its own.
        let is_own = || {
            ["prototype", "__proto__", ".exec =", ".exec="]
                .iter()
                .any(|it| self.source.contains(it))
        };
        if self.language == "javascript"
            && !is_own()
            && path.strip_prefix("RegExp()").is_some_and(|rest| rest.starts_with('.'))
        {
            if self.matches_names_alone(span)
                && given.iter().all(|given| keeps_secrets(&given.value))
            {
                return Value::unknown(A_NAME);
            }
            return Value::Text(mixed("a match", given.iter().map(|given| &given.value)));
        }
        let row = || tables::row(self.language, &path);
        if let Some(act) = tables::request_of_client(self.language, &path, &last).or_else(row) {
            return self.act(act, &path, given, span);
        }
        // The method of a client that a class of the script was made from.
        let root = path.split(['.', '(']).next().unwrap_or_default();
        if let Some(base) = self.bases.get(root) {
            let whole = format!("{base}{}", path.get(root.len()..).unwrap_or_default());
            let row = || tables::row(self.language, &whole);
            if let Some(act) = tables::request_of_client(self.language, &whole, &last).or_else(row)
            {
                return self.act(act, &whole, given, span);
            }
        }
        if let Some(value) = self.library(&path, &text, given, span) {
            return value;
        }
        // `asyncio.run(…)` is none of the script's own, whatever its functions are called.
        if let Some(index) = self.named.get(&last).copied()
            && !path.contains("()")
            && (!path.contains('.') || self.module_in(&path).is_none())
        {
            return self.apply(index, Some(given));
        }
        if path.contains('.') {
            if let Some(act) = tables::method(self.language, &last)
                && self.method_applies(act, &path, given)
            {
                return self.act(act, &path, given, span);
            }
            if matches!(last.as_str(), "_load" | "import" | "require" | "runMain")
                && self.language == "javascript"
            {
                return self.act(Act::Module, &path, given, span);
            }
            if let Some(value) = self.named_method(&path, &last, &text, given, span) {
                return value;
            }
        }
        self.pass_to_files(given);
        // `patcher.fs.create_file("/etc/passwd", contents="…")` of a file system that is played.
        let is_played = matches!(last.as_str(), "create_dir" | "create_file" | "create_symlink")
            && self.modules.iter().any(|module| module.starts_with("pyfakefs"));
        if last == "setUpPyfakefs" {
            self.plays_files();
        }
        let entrusted =
            if is_played { Text::default() } else { self.entrusted(&path, given, span) };
        // A function that nobody knows may open what it is given the name of.
        let opens = !is_played && !LOOKS.contains(&last.as_str());
        for given in given.iter().filter(|_| opens) {
            if given.value.text().known_prefix().starts_with(['/', '~']) {
                let file = self.place_of(Some(given));
                self.walk.hand(&file, false);
            }
        }
        let read = self.read_if_handed(&path, given, span);
        let mut mixed = mixed("what a call gives", given.iter().map(|given| &given.value));
        mixed.inherit(&read);
        mixed.inherit(&entrusted);
        // What computes and nothing else, from what stands in the script alone.
        if super::plain::computes(&path) && is_not_followed(&mixed) {
            return Value::Text(mixed);
        }
        mixed.inherit(&text);
        Value::reached(&format!("{path}()"), mixed.derive([]))
    }

    /// `getattr(importlib.import_module(o["module"]), o["function"])(…)`, `globals()[name](…)`: what came over the network says which of all
    /// functions is called, so that it is code.
    fn named_from_elsewhere(&mut self, path: &str, text: &Text, span: Span) {
        let is_module = path
            .strip_prefix("a module")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let is_any = matches!(path, "builtins[]" | "globals()[]" | "locals()[]" | "vars()[]");
        if (is_module || is_any) && text.taint.has(Taint::NETWORK) {
            self.flush();
            let code = text.derive([Piece::Unknown("what is called".into())]);
            self.walk.code(self.language, &code, span, &[]);
        }
    }

    /// What stands in a template or notebook from elsewhere is run.
    fn run_template(&mut self, path: &str, given: &[Given], span: Span) {
        if let [template, ..] = given
            && TEMPLATES.binary_search(&path).is_ok()
            && (template.value.taint().has(Taint::NETWORK)
                || is_address(template.value.text().known_prefix()))
        {
            let mut code = template.value.text();
            code.taint = code.taint.with(Taint::NETWORK);
            self.flush();
            self.walk.code(
                self.language,
                &code.derive([Piece::Unknown("a template".into())]),
                span,
                &[],
            );
        }
    }

    /// A method by its name alone is only believed where its arguments fit.
    fn method_applies(&self, act: Act, path: &str, given: &[Given]) -> bool {
        match act {
            Act::Query => given.first().is_some_and(|given| looks_like_sql(&given.value.text())),
            Act::Connect => given.first().is_some_and(|given| match &given.value {
                Value::List(list) => list.len() == 2,
                Value::Text(text) => !text.has_unknown() && path.contains("()"),
                Value::Number(_) => true,
                _ => false,
            }),
            Act::Listen => self.seen.connects || path.contains("ocket") || path.contains("erver"),
            // Whatever prints into something is believed to print into a connection where there is one and a secret goes.
            Act::Send
                if [".puts", ".print", ".printf", ".say"].iter().any(|end| path.ends_with(end)) =>
            {
                self.seen.connects
                    && given.iter().any(|given| given.value.taint().has(Taint::SECRET))
            }
            Act::Send => {
                self.seen.connects
                    || given.iter().any(|given| given.value.taint().has(Taint::SECRET))
            }
            Act::Receive => self.seen.connects || self.seen.listens,
            Act::Note("code.database.collection") => {
                path.starts_with("db.") || path.contains(".collection()")
            }
            Act::Note("code.database.drop") if path.ends_with(".sync") => {
                !self.is_in_memory(path, &[])
                    && given.iter().any(|it| it.value.entry("force").is_some_and(Value::is_true))
            }
            // Told as a command already.
            Act::Note("code.cloud.delete") => {
                !path.starts_with("boto3.")
                    && (!services::is_rehearsal(given) || self.source.contains("**"))
            }
            Act::Shell => path.contains("()"),
            _ => true,
        }
    }

    /// `/^([A-Z_]+)=/.exec(line)`: whether what the pattern lets through is the name in front of the sign and nothing behind it.
    fn matches_names_alone(&self, span: Span) -> bool {
        let source = span.of(self.source);
        let pattern = source.strip_prefix("/^").and_then(|rest| rest.split_once("=/"));
        pattern.is_some_and(|(name, _)| {
            let is_class =
                |letter: char| letter.is_ascii_alphanumeric() || "_-[]()+*?\\".contains(letter);
            name.chars().all(is_class) && !["\\S", "\\W", "\\D"].iter().any(|it| name.contains(it))
        })
    }

    /// Says what was not written yet and what only matters together.
    pub(super) fn finish(&mut self) {
        self.finish_unchecked();
        if let Some(at) = self.seen.duplicates.or(self.seen.spawns) {
            let shell = self.seen.spawns.is_some();
            if self.seen.duplicates.is_some() && shell && (self.seen.connects || self.seen.listens)
            {
                let rule = if self.seen.listens { "code.shell.bind" } else { "code.shell.reverse" };
                self.walk.note(rule, at);
            }
        }
        if let Some(span) = self.seen.untold
            && self.raw_socket
        {
            let rule = if self.seen.listens { "code.shell.bind" } else { "code.shell.reverse" };
            self.walk.note(rule, span);
        }
        if self.seen.executable_memory
            && let Some(span) = self.seen.native_call
        {
            self.walk.note("code.memory.execute", span);
        }
    }

    /// Does what a call stands for, in the directory that it names for a child.
    pub(super) fn act(&mut self, act: Act, path: &str, given: &[Given], span: Span) -> Value {
        let starts = matches!(
            act,
            Act::Shell
                | Act::System
                | Act::Spawn
                | Act::Program
                | Act::ExecList
                | Act::ExecWords
                | Act::SpawnList
                | Act::SpawnWords
        );
        let moved = self.below_descriptors(path, given);
        let given = moved.as_deref().unwrap_or(given);
        let Some(directory) = starts.then(|| self.childs_directory(path, given)).flatten() else {
            return self.act_here(act, path, given, span);
        };
        self.flush();
        let outer = self.walk.directory().map(str::to_owned);
        self.walk.go_to(Some(directory));
        let result = self.act_here(act, path, given, span);
        self.walk.go_to(outer);
        result
    }

    /// The directory in which a child is to run, where that is known: `cwd=`, `{cwd: …}`, `chdir:`, PHP's fourth argument.
    fn childs_directory(&self, path: &str, given: &[Given]) -> Option<String> {
        const NAMES: &[&str] = &["chdir", "cwd", "dir"];
        let by_name = given.iter().rev().find_map(|given| {
            let named = given.name.as_deref().is_some_and(|name| NAMES.contains(&name));
            let entry = || NAMES.iter().find_map(|name| given.value.entry(name));
            if named { Some(&given.value) } else { entry() }
        });
        let fourth = || given.get(3).filter(|_| path == "proc_open").map(|given| &given.value);
        self.walk.target(&by_name.or_else(fourth)?.text()).path
    }
}

/// Functions that run what stands in a template, sorted.
const TEMPLATES: &[&str] = &[
    "_.template",
    "doT.template",
    "dot.template",
    "ejs.compile",
    "ejs.render",
    "eta.renderString",
    "jinja2.Environment().from_string",
    "jinja2.Template",
    "lodash.template",
    "mako.template.Template",
    "nbclient.NotebookClient",
    "nbconvert.preprocessors.ExecutePreprocessor().preprocess",
    "nunjucks.renderString",
    "papermill.execute_notebook",
    "pug.compile",
    "pug.render",
    "tornado.template.Template",
];
