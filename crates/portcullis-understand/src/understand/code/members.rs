//! Members of values: what a name with a dot behind it is. Owns the names that stand for the same module, and the environment.

use portcullis_syntax::Span;

use super::{
    binding::is_listing,
    interpreter::Interpreter,
    libraries,
    postfix::COMPOSED,
    tables,
    value::{Given, SPREAD, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::GapReason,
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// Parts of the names of environment variables that hold secrets.
const SECRET_NAMES: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "PRIVATE", "COOKIE", "DSN"];

/// What holds what the exceptions were given that the script raises.
pub(super) const RAISED: &str = "exception().args";

/// Names that stand for the same module.
const SAME: &[(&str, &str)] = &[
    ("builtins.", ""),
    ("__builtins__.", ""),
    ("__builtin__.", ""),
    ("posix.", "os."),
    ("nt.", "os."),
    ("globalThis.", ""),
    ("global.", ""),
    ("window.", ""),
    ("fs.promises.", "fs."),
    ("fs/promises.", "fs."),
    ("::", ""),
    ("Kernel.", ""),
    ("CORE.GLOBAL.", ""),
    ("CORE.", ""),
    ("_G.", ""),
];

/// Functions that are called so in the modules by which code does something on this machine, and hardly anywhere else. Sorted.
const OF_NO_OTHER: &[&str] = &[
    "Popen",
    "check_call",
    "check_output",
    "execFileSync",
    "execSync",
    "execl",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "getoutput",
    "getstatusoutput",
    "popen",
    "rmSync",
    "rmdirSync",
    "rmtree",
    "spawnSync",
    "system",
    "unlink",
    "unlinkSync",
    "writeFileSync",
];

/// The bits that names of `stat` stand for.
const MODES: &[(&str, i64)] = &[
    ("S_IRGRP", 0o40),
    ("S_IROTH", 0o4),
    ("S_IRUSR", 0o400),
    ("S_IRWXG", 0o70),
    ("S_IRWXO", 0o7),
    ("S_IRWXU", 0o700),
    ("S_ISGID", 0o2000),
    ("S_ISUID", 0o4000),
    ("S_ISVTX", 0o1000),
    ("S_IWGRP", 0o20),
    ("S_IWOTH", 0o2),
    ("S_IWUSR", 0o200),
    ("S_IXGRP", 0o10),
    ("S_IXOTH", 0o1),
    ("S_IXUSR", 0o100),
];

/// The directory around a path. What lies around the one that code runs in is told as if the path had been made whole before.
fn parent(path: &str) -> String {
    let plain = path.trim_end_matches('/');
    match plain.rsplit_once('/') {
        _ if plain.is_empty() => "/".to_owned(),
        _ if plain == "." => "..".to_owned(),
        _ if plain == ".." || plain.ends_with("/..") => format!("{plain}/.."),
        Some((before, ".")) => parent(before),
        Some(("", _)) => "/".to_owned(),
        Some((before, _)) => before.to_owned(),
        None => ".".to_owned(),
    }
}

impl Interpreter<'_, '_, '_> {
    /// A member of a value.
    pub(super) fn member(&mut self, value: Value, name: &str) -> Value {
        if name == "constructor" && self.language == "javascript" && self.is_function(&value) {
            return Value::name("Function");
        }
        match value {
            Value::Name(path, text) => self.member_of_name(&path, text, name),
            Value::Table(_) => match self.gotten(&value, name, "") {
                Some(given) => given,
                None => match (value.entry(name), value.own_entry(SPREAD)) {
                    (Some(entry), _) => entry.clone(),
                    // `{ ...require("fs") }`
                    (None, Some(all @ Value::Name(..))) => self.member(all.clone(), name),
                    (None, _) => Value::Method(Box::new((value, name.to_owned()))),
                },
            },
            Value::Any(list) => list
                .into_iter()
                .map(|value| self.member(value, name))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown(name)),
            Value::Function(_)
                if matches!(name, "call" | "yield" | "to_proc" | "curry")
                    && self.language == "ruby" =>
            {
                value
            }
            Value::Method(ref method)
                if method.1 == COMPOSED && matches!(name, "call" | "to_proc") =>
            {
                value
            }
            // The texts of a template as they are written.
            Value::List(_) if name == "raw" && self.language == "javascript" => value,
            Value::Holder(_) => value,
            // An entry of a directory, and the path that it has.
            Value::Text(text)
                if matches!(name, "path" | "parentPath" | "fullpath" | "FullName")
                    && is_listing(&text) =>
            {
                Value::Text(text)
            }
            // `entry.name` of `readdirSync(directory, { withFileTypes: true })`
            Value::Text(text)
                if name == "name" && self.language == "javascript" && is_listing(&text) =>
            {
                Value::Text(text)
            }
            // `new URL("file:///a").pathname`
            Value::Text(text)
                if name == "pathname"
                    && self.language == "javascript"
                    && text.known_prefix().starts_with('/') =>
            {
                Value::Text(text)
            }
            // `tempfile.TemporaryDirectory().name`
            Value::Text(text)
                if name == "name"
                    && self.language == "python"
                    && text.as_known() == Some("/tmp/tmp.made") =>
            {
                Value::Text(text)
            }
            // `Path("a/b").parent`, `Path("a/b").parents[1]`
            Value::Text(text)
                if matches!(name, "parent" | "parents")
                    && self.language == "python"
                    && text.as_known().is_some() =>
            {
                /// How many of the directories around a path are told.
                const AROUND: usize = 16;
                let first = parent(text.as_known().unwrap_or_default());
                let all = std::iter::successors(Some(first), |path| Some(parent(path)));
                let mut all =
                    all.leading(AROUND).map(|path| Value::Text(text.derive([Piece::Known(path)])));
                match name {
                    "parent" => all.next().unwrap_or_else(|| Value::unknown("a directory")),
                    _ => Value::List(all.collect()),
                }
            }
            Value::File(index) if name == "name" && self.language == "python" => {
                self.name_of_file(index)
            }
            Value::Text(text) if self.member_of_path(&text, name).is_some() => {
                self.member_of_path(&text, name).unwrap_or_else(|| Value::unknown(name))
            }
            // What a copy of a function is made of.
            Value::Function(_)
                if matches!(name, "__closure__" | "__code__" | "__defaults__")
                    && self.language == "python" =>
            {
                Value::Method(Box::new((value, name.to_owned())))
            }
            other if name.starts_with("__") && !matches!(other, Value::File(_)) => {
                let mut text = Text::default();
                other.inherit_into(&mut text);
                Value::reached(&format!("object.{name}"), text)
            }
            other => Value::Method(Box::new((other, name.to_owned()))),
        }
    }

    /// Whether a value is a function for certain, so that what made it makes functions of texts: one of the script, one that a row
    /// describes, or what made something else.
    fn is_function(&self, value: &Value) -> bool {
        match value {
            Value::Function(_) => true,
            Value::Method(method) => method.1 == "constructor",
            Value::Name(path, _) => {
                path.ends_with(".constructor")
                    || tables::row(self.language, &self.canonical(path)).is_some()
            }
            _ => false,
        }
    }

    fn member_of_name(&mut self, path: &str, mut text: Text, name: &str) -> Value {
        if let Some(place) = self.place_of_module(path, name) {
            return place;
        }
        if let Some(place) = self.place_in_repository(path, name) {
            return place;
        }
        match (path, name) {
            ("account()", "dir") => return Value::Text(text),
            (_, "__dict__") => return Value::reached(path, text),
            (_, "__globals__") => {
                if path.contains("__subclasses__") || path.contains("__init__") {
                    let span = self.span_from(self.at.saturating_sub(1));
                    self.walk.note("code.sandbox.escape", span);
                }
                return Value::name("globals()");
            }
            ("globals()" | "locals()" | "vars()" | "globalThis" | "window", name)
            | ("sys.modules", name) => {
                // The functions of `os` are what escapes look for in the names of foreign modules.
                let in_os = format!("os.{name}");
                if !self.variables.contains_key(name)
                    && self.language == "python"
                    && tables::row("python", &in_os).is_some()
                {
                    return Value::name(&in_os);
                }
                return self.resolve(name);
            }
            ("__builtins__" | "builtins" | "__builtin__", name) => return Value::name(name),
            ("sys", "argv") | ("process", "argv") => {
                let mut list = vec![Value::known(if path == "sys" { "-c" } else { "node" })];
                if let Value::List(arguments) = self.argument_list() {
                    list.extend(arguments);
                }
                return Value::List(list);
            }
            ("stat", name) if name.starts_with("S_I") => {
                if let Some((_, bits)) = MODES.iter().find(|(known, _)| *known == name) {
                    return Value::Number(*bits);
                }
            }
            (_, "default") if self.language == "javascript" => return Value::reached(path, text),
            ("import.meta", "dirname") => return Value::known("."),
            ("sys", "executable") => return Value::known("python3"),
            ("process", "execPath") => return Value::known("node"),
            ("os", "environ" | "environb") | ("Bun" | "process", "env") => {
                text.taint = text.taint.with(Taint::SECRET);
            }
            ("os.environ" | "process.env" | "Bun.env" | "ENV", name)
                if name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') =>
            {
                let whole = format!("{path}.{name}");
                return match self.variables.get(&whole) {
                    Some(value) => value.clone(),
                    None if path == "ENV" || path.contains("env") => {
                        self.environment_name(path, name)
                    }
                    None => Value::reached(&whole, text),
                };
            }
            ("os", "path") if self.language == "python" => return Value::reached("os.path", text),
            ("os" | "path", "sep") => return Value::known("/"),
            // What a page is signed in with.
            ("document", "cookie") => text.taint = text.taint.with(Taint::SECRET),
            ("sys", "stdin") => return Value::Text(self.standard_input()),
            // Ruby calls what has no arguments without parentheses.
            ("Dir", "home") if self.language == "ruby" && self.word() != "(" => {
                return Value::Text(self.environment("HOME"));
            }
            (_, "bind" | "call" | "apply")
                if self.language == "javascript"
                    && tables::row(self.language, &self.canonical(path)).is_some() =>
            {
                let function = Value::reached(path, text);
                return Value::Method(Box::new((function, name.to_owned())));
            }
            (_, "bind")
                if self.language != "ruby"
                    && tables::row(self.language, &self.canonical(path)).is_some() =>
            {
                return Value::reached(path, text);
            }
            (
                _,
                "call" | "apply" | "__call__" | "invoke" | "__invoke" | "to_proc" | "unbind"
                | "curry" | "yield",
            ) if tables::row(self.language, &self.canonical(path)).is_some() => {
                return Value::reached(path, text);
            }
            _ => {}
        }
        if let Some(module) = self.module_through(path, name) {
            return module;
        }
        if self.language == "python"
            && !self.classes.is_empty()
            && self
                .class_of(path)
                .is_some_and(|class| self.named.contains_key(&format!("{class}.__getattribute__")))
        {
            // Whatever it is asked for, its class says what that is.
            let span = self.span_from(self.at.saturating_sub(1));
            self.left_open(span);
        }
        if let Some(value) = self.property(path, name) {
            return value;
        }
        // `self.Settings`: a class in a class, and what was given to an exception.
        if self.language == "python" && self.class_of(path).is_some() && self.is_class(name) {
            return Value::name(name);
        }
        if name == "args"
            && path.ends_with("()")
            && let Some(value) = self.variables.get(RAISED)
        {
            return value.clone();
        }
        let whole = format!("{path}.{name}");
        if let Some(value) = self.variables.get(&whole).cloned() {
            // A function that became a method elsewhere: whose field this is, is not followed.
            if path == "self"
                && self.language == "python"
                && !self.classes.is_empty()
                && self.class_of(path).is_none()
            {
                let span = self.span_from(self.at.saturating_sub(1));
                self.left_open(span);
            }
            return value;
        }
        // What an object does not have, its class does.
        if let Some(class) = path.strip_suffix("()")
            && let Some(value) = ["self", "this", class]
                .iter()
                .skip(if self.is_class(class) { 0 } else { 2 })
                .find_map(|owner| self.variables.get(&format!("{owner}.{name}")))
        {
            return value.clone();
        }
        let is_own = matches!(path, "cls" | "self" | "this") || self.is_class(path);
        if is_own && let Some(class) = self.class_of(path).or_else(|| Some(path.to_owned())) {
            let own = [
                format!("self.{name}"),
                format!("this.{name}"),
                format!("cls.{name}"),
                format!("{class}.{name}"),
            ];
            if let Some(value) = own.iter().find_map(|it| self.variables.get(it)) {
                return value.clone();
            }
        }
        if path.strip_suffix("()").is_some_and(|class| self.is_class(class))
            && let Some(field) = self
                .read_field(name)
                .or_else(|| self.variables.get(&format!("$this.{name}")).cloned())
            && !self.named.contains_key(&format!("{}.{name}", path.trim_end_matches("()")))
        {
            return field;
        }
        match self.missing_member(path, name) {
            Some(value) => value,
            None => Value::reached(&whole, text),
        }
    }

    /// The value of an environment variable, kept as a place so that it can be assigned.
    fn environment_name(&self, path: &str, name: &str) -> Value {
        let text = self.environment(name);
        if text.has_unknown() {
            return Value::reached(&format!("{path}.{name}"), text.derive([]));
        }
        Value::Text(text)
    }

    pub(super) fn environment(&self, name: &str) -> Text {
        if name == "HOME"
            && let Some(home) = &self.walk.facts().home
        {
            return Text::known(home.as_str());
        }
        let mut text = Text::unknown(name);
        let upper = name.to_ascii_uppercase();
        if SECRET_NAMES.iter().any(|part| upper.contains(part))
            || crate::programs::secret_names::holds_login(&upper)
        {
            text.taint = Taint::SECRET;
        }
        if let Some(mut given) = self.walk.passed_on(name) {
            given.taint = given.taint.with(text.taint);
            return given;
        }
        text
    }

    pub(super) fn canonical(&self, path: &str) -> String {
        let mut path = path;
        let mut front = "";
        // fs-extra has all of Node's own functions beside its own.
        if let Some(rest) = path.strip_prefix("fs-extra.")
            && tables::row("javascript", path).is_none()
        {
            (path, front) = (rest, "fs.");
        }
        // `importlib.import_module(name).system(command)`
        if let Some(function) = path.strip_prefix("a module.")
            && OF_NO_OTHER.binary_search(&function).is_ok()
        {
            let modules = ["os", "subprocess", "shutil", "child_process", "fs"].iter();
            let mut of = modules.map(|module| format!("{module}.{function}"));
            let known = of.find(|of| tables::row(self.language, of).is_some());
            return known.unwrap_or_else(|| path.to_owned());
        }
        for (long, short) in SAME {
            if let Some(rest) = path.strip_prefix(long) {
                path = rest;
                front = short;
                break;
            }
        }
        format!("{front}{path}")
    }

    /// What a dotted name in a text stands for.
    pub(super) fn value_of(&mut self, text: &str) -> Value {
        let mut names = text.trim().split('.');
        let Some(first) = names.next() else { return Value::unknown("a value") };
        let plain = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !plain(first) {
            return Value::unknown("a value");
        }
        let mut value = self.resolve(first);
        for name in names {
            if !plain(name) {
                return Value::unknown("a value");
            }
            value = self.member(value, name);
        }
        value
    }

    /// Whether a path is that of a module of which it matters which function is called: one that acts on this machine, or the library of a
    /// service that can destroy.
    pub(super) fn chooses_acts(&self, path: &str) -> bool {
        acts_here(path)
            || self.language == "javascript"
                && self.modules.contains(path)
                && libraries::can_destroy(path)
    }

    pub(super) fn member_by_name(&mut self, path: &str, plain: &[&Given], span: Span) -> Value {
        match plain {
            // `call_user_func('system', …)`, `send(:system, …)`
            [name, rest @ ..]
                if matches!(self.language, "php" | "ruby" | "r") && path != "Reflect.get" =>
            {
                let function = match &name.value {
                    Value::Text(text) => match text.as_known() {
                        // `'Class::method'` of PHP.
                        Some(name) => Value::name(&name.replace("::", ".")),
                        None => {
                            let rest: Vec<Given> =
                                rest.iter().map(|given| (*given).clone()).collect();
                            if text.taint != Taint::NONE || self.is_told(&rest) {
                                self.walk.gap(span, GapReason::UnknownCode);
                            }
                            return Value::unknown("a call");
                        }
                    },
                    other => other.clone(),
                };
                if matches!(
                    path,
                    "method"
                        | "const_get"
                        | "Object.const_get"
                        | "ReflectionFunction"
                        | "Closure.fromCallable"
                        | "fromCallable"
                        | "instance_method"
                        | "public_method"
                        | "get"
                        | "match.fun"
                ) {
                    return function;
                }
                let given: Vec<Given> = rest.iter().map(|given| (*given).clone()).collect();
                self.call_value(function, given, span)
            }
            [name] => name.value.as_known().map_or_else(|| Value::unknown("a member"), Value::name),
            [object, name, ..] => match name.value.as_known() {
                Some(name) => {
                    let name = name.to_owned();
                    let member = self.member(object.value.clone(), &name);
                    // `getattr(object, name, other)`
                    match plain.get(2) {
                        Some(other)
                            if path == "getattr"
                                && matches!(member, Value::Name(..) | Value::Method(_)) =>
                        {
                            member.or(other.value.clone())
                        }
                        _ => member,
                    }
                }
                None => {
                    let text = mixed("a member", [&object.value, &name.value]);
                    match &object.value {
                        Value::Name(path, _)
                            if self.chooses_acts(path) || &**path == "a module" =>
                        {
                            Value::reached(&format!("{path}[]"), text)
                        }
                        _ => Value::reached("a member", text),
                    }
                }
            },
            [] => Value::unknown("a member"),
        }
    }
}

/// Whether a path is that of a module by which code does something on this machine: which of its functions is called matters.
pub(super) fn acts_here(path: &str) -> bool {
    const MODULES: &[&str] = &[
        "builtins",
        "child_process",
        "ctypes.cdll",
        "ctypes.pythonapi",
        "fs",
        "fs.promises",
        "fs/promises",
        "native()",
        "os",
        "process",
        "pty",
        "shutil",
        "subprocess",
    ];
    MODULES.contains(&path.strip_prefix("node:").unwrap_or(path))
}
