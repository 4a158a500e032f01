//! Calls: what they do. Owns the translation of every row in `tables` into what the walk is told.

use portcullis_syntax::Span;

use super::{
    fold::{self, Fold},
    handed,
    interpreter::{Interpreter, Open},
    services,
    statements::{OWN, is_listing, module_name},
    tables::{self, Act},
    value::{Asking, Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, PermissionChange, WriteMode},
    place::{self, Place},
    programs::agents,
    text::{Piece, Taint, Text},
};

/// Keywords that carry what is sent.
const SENT: &[&str] =
    &["data", "json", "body", "files", "content", "params", "form", "payload", "method_body"];

/// Parts of the names of environment variables that hold secrets.
const SECRET_NAMES: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "PRIVATE", "COOKIE", "DSN"];

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
    ("_G.", ""),
];

/// Objects of JavaScript that nobody calls.
const GLOBALS: &[&str] = &["global", "globalThis", "process", "window"];

/// Parts of Node's inside that only tell something.
const SHOWN: &[&str] = &["buffer", "config", "constants", "natives", "os", "symbols", "util", "uv"];

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

/// Functions that only look at a file, or at its name.
const LOOKS: &[&str] = &[
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

/// How the functions of libraries end that say where a program is: `imageio_ffmpeg.get_ffmpeg_exe()`.
const LOCATORS: &[&str] = &["_binary", "_bin", "_exe", "_executable", "_path"];

/// Whether a path is the call of such a function. Calling it runs the library's code already, so that running the program which it
/// names is no more than that.
fn locates_program(path: &str) -> bool {
    let function = path.strip_suffix("()").filter(|path| !path.contains('('));
    function.is_some_and(|function| {
        let library = function.split('.').next().unwrap_or_default();
        function.contains('.')
            && !matches!(library, "os" | "sys" | "tempfile" | "site" | "sysconfig")
            && LOCATORS.iter().any(|end| function.ends_with(end))
            && !["download", "fetch", "install"].iter().any(|act| function.contains(act))
    })
}

/// What the text of a template or of a program inside of a sandbox has in it when it looks for a way out.
const ESCAPES: &[&str] = &[
    "__globals__",
    "__subclasses__",
    "__builtins__",
    "__import__",
    "__mro__",
    "constructor.constructor",
    ".constructor(\"return",
    ".constructor('return",
];

impl Interpreter<'_, '_, '_> {
    /// A member of a value.
    pub(super) fn member(&mut self, value: Value, name: &str) -> Value {
        match value {
            Value::Name(path, text) => self.member_of_name(&path, text, name),
            Value::Table(_) => match value.entry(name) {
                Some(entry) => entry.clone(),
                None => Value::Method(Box::new((value, name.to_owned()))),
            },
            Value::Any(list) => list
                .into_iter()
                .map(|value| self.member(value, name))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown(name)),
            Value::Function(_) if matches!(name, "call" | "apply" | "bind") => value,
            Value::Holder(_) => value,
            // An entry of a directory, and the path that it has.
            Value::Text(text)
                if matches!(name, "path" | "parentPath" | "fullpath" | "FullName")
                    && is_listing(&text) =>
            {
                Value::Text(text)
            }
            other if name.starts_with("__") && !matches!(other, Value::File(_)) => {
                let mut text = Text::default();
                other.inherit_into(&mut text);
                Value::reached(&format!("object.{name}"), text)
            }
            other => Value::Method(Box::new((other, name.to_owned()))),
        }
    }

    fn member_of_name(&mut self, path: &str, mut text: Text, name: &str) -> Value {
        match (path, name) {
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
            ("sys", "stdin") => return Value::Text(self.standard_input()),
            // Ruby calls what has no arguments without parentheses.
            ("Dir", "home") if self.language == "ruby" && self.word() != "(" => {
                return Value::Text(self.environment("HOME"));
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
        let whole = format!("{path}.{name}");
        if let Some(value) = self.variables.get(&whole) {
            return value.clone();
        }
        // What an object does not have, its class does.
        if let Some(class) = path.strip_suffix("()")
            && let Some(value) = self.variables.get(&format!("{class}.{name}"))
        {
            return value.clone();
        }
        Value::reached(&whole, text)
    }

    /// The value of an environment variable, kept as a place so that it can be assigned.
    fn environment_name(&self, path: &str, name: &str) -> Value {
        let text = self.environment(name);
        if text.has_unknown() {
            return Value::reached(&format!("{path}.{name}"), text.derive([]));
        }
        Value::Text(text)
    }

    fn environment(&self, name: &str) -> Text {
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
        text
    }

    pub(super) fn canonical(&self, path: &str) -> String {
        let mut path = path;
        let mut front = "";
        for (long, short) in SAME {
            if let Some(rest) = path.strip_prefix(long) {
                path = rest;
                front = short;
                break;
            }
        }
        format!("{front}{path}")
    }

    /// Calls a value.
    pub(super) fn call_value(&mut self, callee: Value, given: Vec<Given>, span: Span) -> Value {
        if !self.spend(1) {
            return Value::unknown("a call");
        }
        let functions: Vec<usize> = given
            .iter()
            .filter_map(|given| match given.value {
                Value::Function(index) => Some(index),
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
        if let Value::Asks(asking) = &callee {
            return self.ask(asking, &given, span);
        }
        // Neither a list nor a table is called: what is, was taken out of it.
        let callee = match callee {
            Value::List(_) | Value::Table(_) => {
                let taken = self.holding(Value::unknown("an element"), [&callee]);
                if matches!(taken, Value::Any(_)) { taken } else { callee }
            }
            callee => callee,
        };
        if let Value::Holder(functions) = &callee {
            // Without an argument nothing is run.
            let called = given.iter().any(|given| given.name.is_none());
            let results = functions.iter().filter(|_| called);
            let results: Vec<Value> = results
                .map(|function| self.call_value(function.clone(), given.clone(), span))
                .collect();
            let result = results.into_iter().reduce(Value::or);
            let result = result.unwrap_or_else(|| Value::unknown("a call"));
            return self.holding(result, [&callee]);
        }
        let handed = self.handed(&callee, receiver.as_ref(), &given);
        let unknown = match &callee {
            Value::Name(path, _) => matches!(
                tables::row(self.language, &self.canonical(path)),
                None | Some(Act::Fold(_) | Act::Itself | Act::Nothing)
            ),
            Value::Method(_) => true,
            _ => false,
        };
        let result = match callee {
            Value::Name(path, text) => self.call_name(&path, text, &given, span),
            Value::Method(method) => {
                let (receiver, name) = *method;
                self.call_method(receiver, &name, &given, span)
            }
            Value::Function(index) => {
                let values: Vec<Value> = given.iter().map(|given| given.value.clone()).collect();
                return self.apply(index, &values, &given);
            }
            Value::Any(list) => list
                .into_iter()
                .map(|callee| self.call_value(callee, given.clone(), span))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown("a call")),
            Value::Text(name) if self.language == "php" && name.as_known().is_some() => {
                self.call_name(name.as_known().unwrap_or_default(), Text::default(), &given, span)
            }
            other => Value::Text(mixed(
                "what a call gives",
                given.iter().map(|given| &given.value).chain([&other]),
            )),
        };
        let is_opaque = match &result {
            Value::Text(text) => text.as_known().is_none(),
            Value::Name(path, _) => path.ends_with(')'),
            _ => false,
        };
        let result = if unknown && is_opaque && handed.is_empty() {
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
        for index in functions {
            let argument = match (&receiver, &result) {
                (Some(Value::List(list)), _) => {
                    list.first().cloned().unwrap_or_else(|| Value::unknown("an element"))
                }
                (Some(value @ Value::Name(..)), _) => value.clone(),
                (Some(value), _) if value.taint() != Taint::NONE => value.clone(),
                (_, value) => value.clone(),
            };
            if self.functions.get(index).is_some_and(|function| !function.called) {
                let body = self.apply(index, &[argument.clone(), argument.clone()], &[]);
                if receiver.is_some() && !body.text().is_empty() {
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
            value = self.member(value, name);
        }
        match &asking.given {
            Some(given) => self.call_value(value, given.clone(), span),
            None => value,
        }
    }

    fn call_name(&mut self, path: &str, text: Text, given: &[Given], span: Span) -> Value {
        let path = self.canonical(path);
        let last = path.rsplit('.').next().unwrap_or_default().to_owned();
        if path == "pack"
            && let [format, rest @ ..] = given
        {
            let list: Vec<Value> = rest.iter().map(|given| given.value.clone()).collect();
            let format = format.value.text();
            return super::methods::pack(format.as_known().unwrap_or_default(), &list, span);
        }
        if let Some(value) = self.service(&path, &text, given, span) {
            return value;
        }
        if let Some(value) = self.special(&path, &last, given, span) {
            return value;
        }
        if let Some(method) = tables::request_method(&path, &last) {
            return self.act(Act::Method(method), &path, given, span);
        }
        if let Some(act) = tables::row(self.language, &path) {
            return self.act(act, &path, given, span);
        }
        if let Some(index) = self.named.get(&last).copied()
            && !path.contains("()")
        {
            let values: Vec<Value> = given.iter().map(|given| given.value.clone()).collect();
            return self.apply(index, &values, given);
        }
        if path.contains('.') {
            if let Some(act) = tables::method(self.language, &last)
                && self.method_applies(act, &path, given)
            {
                return self.act(act, &path, given, span);
            }
            if matches!(last.as_str(), "_load" | "import" | "require")
                && self.language == "javascript"
            {
                return self.act(Act::Module, &path, given, span);
            }
            if let Some(value) = self.named_method(&path, &last, &text, given, span) {
                return value;
            }
        }
        self.pass_to_files(given);
        // A function that nobody knows may open what it is given the name of.
        for given in given.iter().filter(|_| !LOOKS.contains(&last.as_str())) {
            if given.value.text().known_prefix().starts_with(['/', '~']) {
                let file = self.place_of(Some(given));
                self.walk.hand(&file, false);
            }
        }
        let mut mixed = mixed("what a call gives", given.iter().map(|given| &given.value));
        mixed.inherit(&text);
        Value::reached(&format!("{path}()"), mixed.derive([]))
    }

    /// Calls whose arguments say what they are.
    fn special(&mut self, path: &str, last: &str, given: &[Given], span: Span) -> Option<Value> {
        let first = given.first();
        let said = first.map(|given| given.value.text());
        let inner = path.starts_with("vm.")
            || matches!(
                last,
                "Template" | "from_string" | "render_template_string" | "runInContext"
            );
        if inner
            && let Some(said) = &said
            && ESCAPES.iter().any(|escape| said.display().contains(escape))
        {
            self.walk.note("code.sandbox.escape", span);
        }
        if self.language == "python"
            && let Some(value) = self.told(path, last, given, span)
        {
            return Some(value);
        }
        if self.language == "php"
            && matches!(path, "include" | "include_once" | "require" | "require_once")
            && let Some(first) = first
        {
            let argument = self.place_of(Some(first));
            let prefix = argument.text.known_prefix();
            if is_address(prefix) {
                let code = self.walk.connect(&argument, None, false);
                return Some(self.run_code(path, "php", &Value::Text(code), first.span));
            }
            if ["data:", "php://input", "php://filter", "expect:"]
                .iter()
                .any(|scheme| prefix.starts_with(scheme))
            {
                self.walk.gap(first.span, GapReason::UnknownCode);
            }
        }
        if self.language == "perl"
            && matches!(path, "find" | "finddepth" | "File.Find.find" | "File.Find.finddepth")
        {
            self.walk_below(given);
        }
        // `print_r($values, true)` gives the text that it would print.
        if self.language == "php"
            && let ("print_r" | "var_export", [value, gives]) = (path, given)
            && gives.value.is_true()
        {
            return Some(Value::Text(mixed("a text", [&value.value])));
        }
        // `curl_setopt($request, CURLOPT_POSTFIELDS, $data)`, and where it goes.
        if self.language == "php"
            && let ("curl_setopt", [_, option, value]) = (path, given)
        {
            let act = match &option.value {
                Value::Name(name, _) if name.ends_with("POSTFIELDS") => Act::Send,
                Value::Name(name, _) if name.ends_with("OPT_URL") => Act::Get,
                _ => Act::Nothing,
            };
            return Some(self.act(act, path, std::slice::from_ref(value), span));
        }
        if self.language == "php"
            && let ("curl_setopt_array", [_, Given { value: Value::Table(options), .. }]) =
                (path, given)
        {
            let address = options.iter().find(|(name, _)| name.ends_with("OPT_URL"));
            if let Some((_, address)) = address {
                let address = Given { name: None, value: address.clone(), span };
                self.act(Act::Get, "curl_setopt", &[address], span);
            }
            let body = options.iter().find(|(name, _)| name.ends_with("POSTFIELDS"));
            if let Some((_, body)) = body {
                let body = Given { name: None, value: body.clone(), span };
                return Some(self.act(Act::Send, path, &[body], span));
            }
        }
        // `(new ReflectionFunction('system'))->invokeArgs([…])`
        if self.language == "php"
            && last == "invokeArgs"
            && let [list] = given
            && let Some(function) = path.strip_suffix(".invokeArgs")
        {
            return Some(self.call_value(Value::name(function), handed::spread(list), span));
        }
        // `method(:system).unbind.bind(self)`, `FileUtils.method(:rm_rf)`
        if self.language == "ruby"
            && last == "bind"
            && let Some(function) = path.strip_suffix(".bind")
            && self.does_something(function)
        {
            return Some(Value::name(function));
        }
        if self.language == "ruby"
            && matches!(last, "method" | "public_method" | "instance_method")
            && let [name] = given
            && let Some(name) = name.value.as_known()
        {
            let own = format!("{}{name}", path.strip_suffix(last).unwrap_or_default());
            let is_own = tables::row("ruby", &self.canonical(&own)).is_some();
            return Some(Value::name(if is_own { &own } else { name }));
        }
        // `Kernel.send(:system, …)`, `FileUtils.public_send(:rm_rf, …)`
        if self.language == "ruby"
            && matches!(last, "send" | "public_send" | "__send__")
            && let [name, rest @ ..] = given
            && let Some(name) = name.value.as_known()
        {
            let receiver = path.strip_suffix(last).unwrap_or_default();
            let own = format!("{receiver}{name}");
            let is_own = tables::row("ruby", &self.canonical(&own)).is_some();
            if is_own || self.does_something(name) {
                let function = Value::name(if is_own { &own } else { name });
                return Some(self.call_value(function, rest.to_vec(), span));
            }
        }
        // What `Function("return process")` made is called.
        if self.language == "javascript" && given.is_empty() && GLOBALS.contains(&path) {
            return Some(Value::name(path));
        }
        if self.language == "javascript"
            && matches!(path, "process.binding" | "process._linkedBinding")
            && !said.as_ref().and_then(Text::as_known).is_some_and(|name| SHOWN.contains(&name))
        {
            self.walk.note("code.sandbox.escape", span);
        }
        if self.language == "javascript" {
            let unchecked = |given: &Given| {
                given.value.entry("rejectUnauthorized").is_some_and(Value::is_false)
            };
            if given.iter().any(unchecked) {
                self.walk.note("code.security.disabled", span);
            }
            let evaluates = |given: &Given| given.value.entry("eval").is_some_and(Value::is_true);
            if last == "Worker" && given.iter().any(evaluates) {
                return Some(self.act(Act::Code, path, given, span));
            }
            let own = |given: &Given| matches!(&given.value, Value::Name(path, _) if path.as_ref() == "import.meta.url");
            match (path, given) {
                ("URL", [name, base]) if own(base) => return Some(name.value.clone()),
                ("fileURLToPath" | "url.fileURLToPath", [module]) if own(module) => {
                    return Some(Value::known("./module.js"));
                }
                _ => {}
            }
        }
        if path == "cv2.VideoCapture"
            && first.is_some_and(|it| matches!(it.value, Value::Number(_)))
        {
            self.walk.note("code.monitor.camera", span);
        }
        if path == "tarfile.open" && given.iter().any(|it| it.name.as_deref() == Some("fileobj")) {
            return Some(Value::name("archive()"));
        }
        None
    }

    /// Perl's `find(sub {…}, DIRECTORY…)`: its function sees every name below the directories in variables.
    fn walk_below(&mut self, given: &[Given]) {
        self.flush();
        let mut below: Option<Value> = None;
        for directory in given.iter().skip(1) {
            let argument = self.place_of(Some(directory));
            let target = self.walk.target(&argument.text);
            let is_foreign = matches!(
                place::place_of(&target, self.walk.facts()),
                Place::Root
                    | Place::SystemTop
                    | Place::System
                    | Place::Boot
                    | Place::HomeTop
                    | Place::Home
                    | Place::OtherHome
            );
            let mut content = self.walk.read(&argument);
            if is_foreign && argument.text.as_known().is_some() {
                let root = argument.text.known_prefix().trim_end_matches('/').to_owned();
                content = content
                    .derive([Piece::Known(format!("{root}/")), Piece::Glob("**".to_owned())]);
                content.inherit(&argument.text);
            }
            let names = Value::Text(content);
            below = Some(match below {
                None => names,
                Some(before) => before.or(names),
            });
        }
        if let Some(below) = below {
            for name in ["$_", "$File::Find::name"] {
                self.variables.insert(name.to_owned(), below.clone());
            }
        }
    }

    /// Functions of Python's own library that are told as something else: what asks for members, what runs a file, what unpacks.
    fn told(&mut self, path: &str, last: &str, given: &[Given], span: Span) -> Option<Value> {
        let keyword = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        match path {
            "operator.methodcaller" => {
                let [name, rest @ ..] = given else { return None };
                let member = name.value.as_known()?.to_owned();
                return Some(Value::Asks(Box::new(Asking { member, given: Some(rest.to_vec()) })));
            }
            "operator.attrgetter" | "operator.itemgetter" => {
                let [name] = given else { return None };
                let member = name.value.as_known()?.to_owned();
                return Some(Value::Asks(Box::new(Asking { member, given: None })));
            }
            "dict" if given.iter().any(|given| given.name.is_some()) => {
                let mut table = match plain.first().map(|first| &first.value) {
                    Some(Value::Table(table)) => table.clone(),
                    _ => Vec::new(),
                };
                let named =
                    given.iter().filter_map(|it| Some((it.name.clone()?, it.value.clone())));
                table.extend(named);
                return Some(Value::Table(table));
            }
            "operator.call" => {
                let [function, rest @ ..] = given else { return None };
                return Some(self.call_value(function.value.clone(), rest.to_vec(), span));
            }
            "runpy.run_path" | "runpy.run_module" => {
                let is_module = path.ends_with("module");
                let name = keyword(if is_module { "mod_name" } else { "path_name" });
                let name = name.or_else(|| plain.first().copied())?;
                let mut list = vec![Value::known("python3")];
                list.extend(is_module.then(|| Value::known("-m")));
                list.push(name.value.clone());
                self.flush();
                let words = self.words([(&Value::List(list), name.span)].into_iter());
                return Some(Value::Text(self.run_words(&words, None)));
            }
            _ => {}
        }
        let root = path.split(['.', '(']).next().unwrap_or_default();
        let unpacks = match last {
            "extract" | "extractall" => matches!(root, "tarfile" | "zipfile"),
            _ => path == "shutil.unpack_archive",
        };
        unpacks.then(|| self.unpack(last, given, span))
    }

    /// An archive is unpacked: told as the program that does so.
    pub(super) fn unpack(&mut self, last: &str, given: &[Given], span: Span) -> Value {
        let keyword = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let at = usize::from(last != "extractall");
        let directory = keyword("path").or_else(|| keyword("extract_dir"));
        let directory = directory.or_else(|| plain.get(at).copied());
        let mut list = vec![Value::known("tar"), Value::known("-xf"), Value::known("archive.tar")];
        if let Some(directory) = directory {
            list.push(Value::known("-C"));
            list.push(directory.value.clone());
        }
        if last == "extract" {
            let member = keyword("member").or_else(|| plain.first().copied());
            list.extend(member.map(|member| member.value.clone()));
        }
        self.flush();
        let words = self.words([(&Value::List(list), span)].into_iter());
        self.walk.run(&words, None);
        Value::unknown("nothing")
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
                given.iter().any(|given| given.value.entry("force").is_some_and(Value::is_true))
            }
            Act::Note("code.cloud.delete") => true,
            Act::Shell => path.contains("()"),
            _ => true,
        }
    }

    /// Says what was not written yet and what only matters together.
    pub(super) fn finish(&mut self) {
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

    fn place_of(&self, given: Option<&Given>) -> Argument {
        match given {
            Some(given) => Argument { text: given.value.text(), span: given.span },
            None => Argument { text: Text::unknown("nothing"), span: Span::default() },
        }
    }

    /// The names below a directory, or that a pattern stands for. In a project they are as unknown as any: what a script
    /// leaves out is not seen. Elsewhere whatever is done to them is done there.
    pub(super) fn listed(&mut self, directory: &Argument) -> Value {
        let content = self.walk.read(directory);
        let target = self.walk.target(&directory.text);
        if target.path.as_deref().is_some_and(|path| path == "/proc" || path.starts_with("/proc/["))
        {
            self.walk.note("code.monitor.processes", directory.span);
        }
        let outside = matches!(
            place::place_of(&target, self.walk.facts()),
            Place::Root
                | Place::SystemTop
                | Place::System
                | Place::Boot
                | Place::Gate
                | Place::HomeTop
        );
        let pattern = directory.text.known_prefix();
        let root = pattern.split(['*', '?', '[']).next().unwrap_or("").trim_end_matches('/');
        if directory.text.as_known().is_none() {
            return Value::Text(content);
        }
        let is_home =
            matches!(place::place_of(&target, self.walk.facts()), Place::Home | Place::OtherHome);
        if is_home && root.len() < pattern.len() {
            // What is chosen below a home is known by its pattern.
            let at = root.rfind('/').map_or(0, |at| at + 1);
            let (before, chosen) = pattern.split_at_checked(at).unwrap_or(("", pattern));
            let pieces = [Piece::Known(before.to_owned()), Piece::Glob(chosen.to_owned())];
            let mut names = content.derive(pieces);
            names.inherit(&directory.text);
            return Value::Text(names);
        }
        if !outside {
            return Value::Text(content);
        }
        let mut names =
            content.derive([Piece::Known(format!("{root}/")), Piece::Glob("**".to_owned())]);
        names.inherit(&directory.text);
        Value::Text(names)
    }

    /// Does what a row says.
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

    fn act_here(&mut self, act: Act, path: &str, given: &[Given], span: Span) -> Value {
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let keyword = |names: &[&str]| {
            given
                .iter()
                .find(|given| given.name.as_deref().is_some_and(|name| names.contains(&name)))
        };
        let option = |name: &str| {
            given.iter().rev().find_map(|given| given.value.entry(name).cloned()).or_else(|| {
                given
                    .iter()
                    .find(|given| given.name.as_deref() == Some(name))
                    .map(|given| given.value.clone())
            })
        };
        let first = plain.first().copied().or_else(|| {
            keyword(&[
                "args", "cmd", "command", "path", "url", "file", "filename", "name", "fd",
                "source", "text",
            ])
        });
        let second = plain.get(1).copied();
        if matches!(act, Act::Shell | Act::Spawn)
            && let Some(Value::Table(environment)) = option("env")
        {
            for (name, value) in environment
                .iter()
                .filter(|(name, _)| agents::redirects(name) || name.starts_with(OWN))
            {
                self.walk.environment_of(name, &value.text(), span);
            }
        }
        match act {
            Act::Shell => {
                let Some(first) = first else { return Value::unknown("what a command prints") };
                let input = option("input").map(|value| value.text());
                let mut result = None;
                for value in first.value.alternatives() {
                    let value = match value.entry("cmd") {
                        Some(command) => command.clone(),
                        None => value,
                    };
                    let text = self.shell_or_words(
                        &value,
                        first.span,
                        span,
                        input.clone(),
                        option("shell"),
                    );
                    result = Some(match result {
                        None => Value::Text(text),
                        Some(before) => Value::or(before, Value::Text(text)),
                    });
                }
                result.unwrap_or_else(|| Value::unknown("what a command prints"))
            }
            Act::System => match plain.as_slice() {
                [] => Value::unknown("what a command prints"),
                [one] => Value::Text(self.shell_or_words(&one.value, one.span, span, None, None)),
                several => {
                    let several: Vec<&Given> = several
                        .iter()
                        .copied()
                        .filter(|given| !matches!(given.value, Value::Table(_)))
                        .collect();
                    if let [one] = several.as_slice() {
                        return Value::Text(
                            self.shell_or_words(&one.value, one.span, span, None, None),
                        );
                    }
                    let words = self.words(several.iter().map(|given| (&given.value, given.span)));
                    Value::Text(self.run_words(&words, None))
                }
            },
            Act::Spawn => {
                let Some(first) = first else { return Value::unknown("what a program prints") };
                let shell = option("shell").is_some_and(|shell| !shell.is_false());
                let arguments = second.map(|second| second.value.clone());
                if shell {
                    let mut text = first.value.text();
                    if let Some(Value::List(list)) = arguments {
                        for value in &list {
                            text.push_known(" ");
                            text.append(&value.text());
                        }
                    }
                    return Value::Text(self.run_shell(&text, first.span, None));
                }
                let mut words = self.words([(&first.value, first.span)].into_iter());
                if path.ends_with("fork") {
                    words.insert(0, Argument { text: Text::known("node"), span: first.span });
                }
                if let (Some(value), Some(second)) = (&arguments, second) {
                    // Deno has the arguments among the options.
                    let list = match value {
                        Value::Table(_) => value.entry("args"),
                        value => Some(value),
                    };
                    if let Some(list) = list {
                        words.extend(self.words([(list, second.span)].into_iter()));
                    }
                }
                let input = option("input").map(|value| value.text());
                Value::Text(self.run_words(&words, input))
            }
            Act::Program => {
                let words = self.words(plain.iter().map(|given| (&given.value, given.span)));
                Value::Text(self.run_words(&words, None))
            }
            Act::ExecList | Act::SpawnList | Act::ExecWords | Act::SpawnWords => {
                let skip = usize::from(matches!(act, Act::SpawnList | Act::SpawnWords));
                let all =
                    self.words(plain.iter().skip(skip).map(|given| (&given.value, given.span)));
                let mut words: Vec<Argument> = all.first().cloned().into_iter().collect();
                words.extend(all.into_iter().skip(2));
                self.seen.spawns = Some(span);
                Value::Text(self.run_words(&words, None))
            }
            Act::Code | Act::CodeIn(_) => {
                let Some(first) = first else { return Value::unknown("a value") };
                let given_code =
                    if path == "Function" { given.last().unwrap_or(first) } else { first };
                let language =
                    if let Act::CodeIn(language) = act { language } else { self.language };
                let code = given_code.value.clone();
                let value = self.run_code(path, language, &code, given_code.span);
                let named = code.as_known().and_then(|code| code.trim().strip_prefix("return "));
                match named.map(|name| name.trim_end_matches(';').trim()) {
                    Some("this") if path == "Function" => Value::name("globalThis"),
                    Some(name) if path == "Function" && GLOBALS.contains(&name) => {
                        Value::name(name)
                    }
                    _ => value,
                }
            }
            Act::List => {
                let argument = self.place_of(first);
                self.flush();
                self.listed(&argument)
            }
            Act::Read => {
                let Some(first) = first else { return Value::unknown("a file") };
                self.flush();
                if matches!(first.value, Value::Number(0)) {
                    return Value::Text(self.standard_input());
                }
                let argument = self.place_of(Some(first));
                Value::Text(if is_address(argument.text.known_prefix()) {
                    // What else is told goes with the question: `file_get_contents(URL, false, $context)`.
                    let told = plain.get(1..).unwrap_or_default();
                    let told = mixed("what is told", told.iter().map(|given| &given.value));
                    let sends = told.taint.has(Taint::SECRET).then_some(told);
                    self.walk.connect(&argument, sends, false)
                } else {
                    self.walk.read(&argument)
                })
            }
            Act::Enter => {
                let target = self.place_of(first);
                self.flush();
                let path = self.walk.target(&target.text).path;
                self.walk.go_to(path);
                Value::unknown("nothing")
            }
            Act::Write | Act::Append | Act::WriteTo => {
                let (file, content) = if act == Act::WriteTo {
                    (second.or_else(|| keyword(&["file", "con"])), first)
                } else {
                    (first, second)
                };
                let Some(file) = file else { return Value::unknown("nothing") };
                let content =
                    content.map_or_else(|| Text::unknown("content"), |given| given.value.text());
                if let Value::File(index) = file.value {
                    self.write_file(index, &content);
                    return Value::unknown("nothing");
                }
                if path.ends_with("createWriteStream") {
                    return self.open_file(file, true, WriteMode::Replace);
                }
                let flag = option("flag")
                    .and_then(|flag| flag.as_known().map(|flag| flag.starts_with('a')));
                let appends = act == Act::Append
                    || flag == Some(true)
                    || plain.get(2).is_some_and(|given| matches!(&given.value, Value::Name(path, _) if path.contains("APPEND")));
                let mode = if appends { WriteMode::Append } else { WriteMode::Replace };
                let argument = self.place_of(Some(file));
                self.walk.write(&argument, mode, content);
                Value::unknown("nothing")
            }
            // What is opened there is read as a file is, whatever the mode.
            Act::Open
                if first.is_some_and(|first| is_address(first.value.text().known_prefix())) =>
            {
                let argument = self.place_of(first);
                self.flush();
                Value::Text(self.walk.connect(&argument, None, false))
            }
            Act::Open => self.open(given, span),
            Act::Script => {
                let file = self.place_of(first);
                self.flush();
                if is_address(file.text.known_prefix()) {
                    let code = self.walk.connect(&file, None, false);
                    return Value::Text(self.walk.code(self.language, &code, file.span, &[]));
                }
                Value::Text(self.walk.script(self.language, &file, &[], None))
            }
            Act::Database => {
                let argument = self.place_of(first.or_else(|| keyword(&["database", "filename"])));
                self.flush();
                let only_read = argument.text.display().contains("mode=ro");
                let content = self.walk.database(&argument, !only_read);
                Value::reached(&format!("{path}()"), content)
            }
            Act::Delete | Act::DeleteTree | Act::DeleteMaybe => {
                let recursive = act == Act::DeleteTree
                    || act == Act::DeleteMaybe
                        && (option("recursive").is_some_and(|value| !value.is_false())
                            || self.language == "lisp" && plain.len() > 1);
                self.flush();
                // Perl's `unlink` without a name takes the one that a loop or a walk is at.
                if self.language == "perl"
                    && plain.is_empty()
                    && let Some(value) = self.variables.get("$_")
                {
                    let argument = Argument { text: value.text(), span };
                    self.walk.delete(&argument, recursive);
                }
                // `rm('-rf', path)`, as some libraries have it.
                let is_option =
                    |given: &&&Given| given.value.text().known_prefix().starts_with('-');
                let options = plain.iter().take_while(is_option).count();
                for given in plain.iter().skip(options.min(plain.len().saturating_sub(1))) {
                    let values = match &given.value {
                        Value::List(list) => list.clone(),
                        value => value.alternatives(),
                    };
                    for value in values {
                        if matches!(value, Value::Table(_) | Value::Function(_) | Value::Number(_))
                        {
                            continue;
                        }
                        let argument = Argument { text: value.text(), span: given.span };
                        self.walk.delete(&argument, recursive);
                    }
                    if self.language == "python" || self.language == "javascript" {
                        break;
                    }
                }
                Value::unknown("nothing")
            }
            Act::Move => {
                let mut words = self.words([(&Value::known("mv"), span)].into_iter());
                words.extend(
                    self.words(plain.iter().leading(2).map(|given| (&given.value, given.span))),
                );
                self.flush();
                self.walk.run(&words, None);
                Value::unknown("nothing")
            }
            Act::Copy => {
                self.flush();
                let from = self.place_of(first);
                let content = match first.map(|given| &given.value) {
                    Some(Value::File(_)) | None => Text::unknown("content"),
                    Some(value) if value.taint().has(Taint::NETWORK) => value.text(),
                    Some(_) => self.walk.read(&from),
                };
                if let Some(second) = second {
                    let to = self.place_of(Some(second));
                    self.walk.write(&to, WriteMode::Replace, content);
                }
                Value::unknown("nothing")
            }
            Act::Mode | Act::ModeBefore | Act::Owner => {
                let (file, change) =
                    if act == Act::ModeBefore { (second, first) } else { (first, second) };
                let change = change.or_else(|| keyword(&["mode", "user", "group"]));
                let (Some(file), Some(change)) = (file, change) else {
                    return Value::unknown("nothing");
                };
                let change = match (&change.value, act) {
                    (Value::Number(mode), Act::Mode | Act::ModeBefore) => {
                        PermissionChange::Mode(Text::known(format!("{mode:o}")))
                    }
                    (value, Act::Mode | Act::ModeBefore) => PermissionChange::Mode(value.text()),
                    (value, _) => PermissionChange::Owner(value.text()),
                };
                let argument = self.place_of(Some(file));
                self.walk.permission(&argument, path.ends_with("_R"), change);
                Value::unknown("nothing")
            }
            Act::Link => {
                let target = self.place_of(first);
                let link = self.place_of(second);
                self.walk.write(&link, WriteMode::Link, target.text);
                Value::unknown("nothing")
            }
            Act::Make => {
                let argument = self.place_of(first);
                self.walk.write(&argument, WriteMode::Create, Text::default());
                Value::unknown("nothing")
            }
            Act::Get | Act::Post | Act::PostTyped | Act::Request | Act::Method(_) => {
                let address = if act == Act::Request { second } else { first };
                let Some(address) = address else {
                    return Value::Text(Text {
                        taint: Taint::NETWORK,
                        ..Text::unknown("a response")
                    });
                };
                let mut sends: Option<Text> = None;
                let mut add = |value: &Value| {
                    let text = value.text();
                    match &mut sends {
                        Some(before) => before.append(&text),
                        None => sends = Some(text),
                    }
                };
                let body_at = if matches!(act, Act::Request | Act::PostTyped) { 2 } else { 1 };
                if let Some(body) = plain.get(body_at)
                    && (act != Act::Get
                        || !matches!(body.value, Value::Table(_) | Value::Function(_)))
                {
                    add(&body.value);
                }
                for name in SENT {
                    if let Some(value) = option(name) {
                        add(&value);
                    }
                }
                let mut argument = self.place_of(Some(address));
                if let Value::Table(_) = address.value {
                    let part = ["url", "hostname", "host"]
                        .iter()
                        .find_map(|name| address.value.entry(name));
                    argument.text = part.map_or_else(|| Text::unknown("an address"), Value::text);
                }
                if argument.text.taint.has(Taint::SECRET) && sends.is_none() {
                    sends = Some(argument.text.clone());
                }
                self.seen.connects |= path.contains("etcat");
                self.peer = argument.text.clone();
                let method = match act {
                    Act::Request => first.map(|given| given.value.text()),
                    Act::Method(method) => Some(Text::known(method)),
                    Act::PostTyped => Some(Text::known("POST")),
                    Act::Post if path != "navigator.sendBeacon" => Some(Text::known("POST")),
                    _ => option("method").map(|method| method.text()),
                };
                if let Some(method) = method.as_ref().and_then(Text::as_known) {
                    self.request_by(method, &argument.text, sends.as_ref(), span);
                }
                let response = self.walk.connect(&argument, sends, false);
                if matches!(path, "curl_init" | "curl_setopt") {
                    self.peer = argument.text.clone();
                }
                if path.ends_with("Request") {
                    // The request object is opened later; its address is what matters.
                    return Value::Text(response);
                }
                Value::Text(network(response))
            }
            Act::Download => {
                let address = self.place_of(first);
                let response = network(self.walk.connect(&address, None, false));
                if let Some(second) = second {
                    let file = self.place_of(Some(second));
                    self.walk.write(&file, WriteMode::Replace, response.clone());
                }
                Value::Text(response)
            }
            Act::Connect | Act::Listen => {
                self.connect(act == Act::Listen, path, &plain, given, span)
            }
            Act::Send => {
                let sends = mixed("what is sent", given.iter().map(|given| &given.value));
                let sends = match plain.as_slice() {
                    [one, ..] if sends.taint == Taint::NONE => one.value.text(),
                    _ => sends,
                };
                let address = Argument { text: self.peer.clone(), span };
                self.walk.connect(&address, Some(sends), false);
                Value::unknown("nothing")
            }
            Act::Receive => Value::Text(network(Text::unknown("what was received"))),
            Act::Note(rule) => {
                self.walk.note(rule, span);
                Value::reached(
                    &format!("{path}()"),
                    Text { taint: Taint::PRIVATE, ..Text::default() },
                )
            }
            Act::Deserialize => {
                self.deserialize(path, first, given, span);
                Value::Text(mixed("an object", given.iter().map(|given| &given.value)))
            }
            Act::Fold(kind) => self.fold(kind, path, given),
            Act::Query => {
                if let Some(first) = first {
                    let text = first.value.text();
                    if looks_like_sql(&text) {
                        self.walk.query(&text, first.span);
                    }
                }
                Value::unknown("rows")
            }
            // Without a name it gives all of them.
            Act::Environment if first.is_none() => {
                Value::Text(Text { taint: Taint::SECRET, ..Text::unknown("the environment") })
            }
            Act::Environment => {
                let name = first.map(|given| given.value.text()).unwrap_or_default();
                let mut text = self.environment(name.as_known().unwrap_or("a variable"));
                if let Some(other) = second
                    && text.has_unknown()
                {
                    let unknown = Value::Text(std::mem::take(&mut text));
                    return unknown.or(other.value.clone());
                }
                Value::Text(text)
            }
            Act::Home => Value::Text(self.environment("HOME")),
            Act::ExpandUser => {
                let mut text = first.map(|given| given.value.text()).unwrap_or_default();
                let rest = text
                    .known_prefix()
                    .strip_prefix('~')
                    .filter(|rest| rest.is_empty() || rest.starts_with('/'));
                if let Some(rest) = rest {
                    let mut path = self.environment("HOME");
                    path.push_known(rest);
                    for piece in text.pieces.drain(..).skip(1) {
                        path.push(piece);
                    }
                    path.inherit(&text);
                    text = path;
                }
                Value::Text(text)
            }
            Act::Input => Value::Text(self.standard_input()),
            Act::Print => {
                self.shown(&plain, span);
                let mut text = Text::default();
                for (index, given) in plain.iter().enumerate() {
                    if index > 0 && self.language == "python" {
                        text.push_known(" ");
                    }
                    text.append(&given.value.text());
                }
                if let Some(Given { value: Value::File(index), .. }) = keyword(&["file"]) {
                    self.write_file(*index, &text);
                    return Value::unknown("nothing");
                }
                if path.ends_with("printf") {
                    let values: Vec<Given> = plain.into_iter().cloned().collect();
                    text = fold::format(&values).text();
                } else if !matches!(self.language, "perl" | "php" | "lua")
                    && !path.ends_with("write")
                {
                    text.push_known("\n");
                }
                self.output.append(&text);
                Value::unknown("nothing")
            }
            Act::Module
                if self.language == "javascript"
                    && first.is_some_and(|it| services::data_of(&it.value.text()).is_some()) =>
            {
                let Some(first) = first else { return Value::unknown("a module") };
                let code = services::data_of(&first.value.text()).unwrap_or_default();
                self.run_code(path, "javascript", &Value::Text(code), first.span)
            }
            Act::Module if first.is_some_and(|it| is_address(it.value.text().known_prefix())) => {
                let address = self.place_of(first);
                let code = Value::Text(self.walk.connect(&address, None, false));
                self.run_code(path, self.language, &code, address.span)
            }
            Act::Module => match first.and_then(|given| given.value.as_known()) {
                Some(name) => Value::name(module_name(name)),
                None => Value::reached(
                    "a module",
                    mixed("a module", given.iter().map(|given| &given.value)),
                ),
            },
            Act::Member => self.member_by_name(path, &plain, span),
            Act::Names => match first {
                Some(module) => module.value.clone(),
                None => Value::name("globals()"),
            },
            Act::Itself => {
                first.map_or_else(|| Value::unknown("a value"), |given| given.value.clone())
            }
            Act::Kill => {
                let (target, signal) = if matches!(self.language, "perl" | "ruby") {
                    (second, first)
                } else {
                    (first, second)
                };
                let mut words = self.words([(&Value::known("kill"), span)].into_iter());
                if let Some(signal) = signal {
                    let mut text = Text::known("-");
                    let name = signal.value.text();
                    match name.pieces.as_slice() {
                        [Piece::Unknown(origin)] => text.push_known(
                            origin.rsplit('.').next().unwrap_or_default().trim_start_matches("SIG"),
                        ),
                        _ => text.append(&name),
                    }
                    words.push(Argument { text, span });
                }
                words.push(Argument { text: Text::known("--"), span });
                words.push(self.place_of(target));
                self.walk.run(&words, None);
                Value::unknown("nothing")
            }
            Act::User => {
                let root = first.is_some_and(|given| matches!(given.value, Value::Number(0)));
                if root {
                    self.walk.note("code.privilege.root", span);
                    self.walk.privilege(Text::known("root"), span);
                }
                Value::unknown("nothing")
            }
            Act::Duplicate => {
                if self.seen.connects || self.seen.listens {
                    self.seen.duplicates = Some(span);
                }
                Value::unknown("a descriptor")
            }
            Act::Memory => {
                self.seen.executable_memory = true;
                self.seen.native_call = Some(span);
                Value::unknown("memory")
            }
            Act::Native => {
                self.seen.native_call = Some(span);
                Value::name("native()")
            }
            Act::Constant(text) => {
                if let (Some(rest), Some(home)) = (text.strip_prefix('~'), &self.walk.facts().home)
                {
                    return Value::known(&format!("{home}{rest}"));
                }
                Value::known(text)
            }
            Act::Nothing => Value::Text(Text::unknown("a value")),
        }
    }

    fn fold(&mut self, kind: Fold, path: &str, given: &[Given]) -> Value {
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
                elements.into_iter().map(|value| self.apply(index, &[value], &[])).collect(),
            );
        }
        fold::fold(kind, given)
    }

    /// Runs a text as shell code, or a list as words.
    fn shell_or_words(
        &mut self,
        value: &Value,
        at: Span,
        whole: Span,
        input: Option<Text>,
        shell: Option<Value>,
    ) -> Text {
        match value {
            Value::List(list) => {
                let through_shell =
                    self.language == "python" && shell.is_some_and(|shell| shell.is_true());
                if through_shell && let Some(first) = list.first() {
                    return self.run_shell(&first.text(), at, input);
                }
                let mut words = self.words([(value, at)].into_iter());
                if let (Some(Value::Name(path, text)), Some(program)) =
                    (list.first(), words.first_mut())
                    && text.taint == Taint::NONE
                    && locates_program(path)
                {
                    program.text = Text::known(&**path);
                    self.run_as_code(&words);
                }
                self.run_words(&words, input)
            }
            value => {
                let text = value.text();
                let at = if at.is_empty() { whole } else { at };
                self.run_shell(&text, at, input)
            }
        }
    }

    /// Runs shell code.
    pub(super) fn run_shell(&mut self, text: &Text, span: Span, input: Option<Text>) -> Text {
        self.flush();
        self.notice_shell(text, span);
        self.walk.shell(text, span, &[], input)
    }

    /// A program that only a library can name may be a shell: what it would be given as code then.
    fn run_as_code(&mut self, words: &[Argument]) {
        for pair in words.windows(2) {
            if let [option, code] = pair
                && matches!(option.text.as_known(), Some("-c" | "-lc" | "-e" | "/c" | "/C"))
            {
                self.walk.at_likely(|walk| walk.shell(&code.text, code.span, &[], None));
            }
        }
    }

    fn run_words(&mut self, words: &[Argument], input: Option<Text>) -> Text {
        self.flush();
        if let Some(first) = words.first() {
            let (text, span) = (first.text.clone(), first.span);
            let told = words.iter().skip(1).any(|word| {
                let word = word.text.known_prefix();
                !word.starts_with('-') || word.contains('c')
            });
            let before = self.seen.untold;
            self.notice_shell(&text, span);
            if told {
                self.seen.untold = before;
            }
        }
        self.walk.run(words, input)
    }

    /// A shell on a connection, or a command that came over it, hands over control.
    fn notice_shell(&mut self, text: &Text, span: Span) {
        let program = text.known_prefix().split_whitespace().next().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        let shell = matches!(
            name,
            "sh" | "bash"
                | "zsh"
                | "dash"
                | "ash"
                | "ksh"
                | "cmd"
                | "cmd.exe"
                | "powershell"
                | "powershell.exe"
                | "csh"
                | "tcsh"
                | "fish"
                | "busybox"
        );
        if shell {
            self.seen.spawns = Some(span);
            // Somebody is to type into it: `bash -i`.
            let waits = text.as_known().is_some_and(|known| {
                let mut words = known.split_whitespace().skip(1).peekable();
                words.peek().is_some()
                    && words
                        .all(|word| matches!(word, "-i" | "-l" | "-p" | "-il" | "-li" | "--login"))
            });
            if waits {
                self.walk.note("execution.shell.escape", span);
            }
        }
        let remote = text.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_)))
            && text.taint.has(Taint::NETWORK);
        let plumbed = shell
            && self.raw_socket
            && (self.source.contains("stdin")
                || self.source.contains("pipe(")
                || text.display().contains("<&"));
        if (self.raw_socket && remote) || plumbed {
            let rule = if self.seen.listens { "code.shell.bind" } else { "code.shell.reverse" };
            self.walk.note(rule, span);
        } else if shell && self.source.contains("stdin") && self.source.contains("pipe(") {
            let told = text.as_known().is_none_or(|known| {
                known
                    .split_whitespace()
                    .skip(1)
                    .any(|word| !word.starts_with('-') || word.contains('c'))
            });
            if !told {
                self.seen.untold = Some(span);
            }
        }
    }

    fn words<'v>(&self, values: impl Iterator<Item = (&'v Value, Span)>) -> Vec<Argument> {
        let mut words = Vec::new();
        for (value, span) in values {
            match value {
                Value::List(list) => {
                    for value in list {
                        words.push(Argument { text: value.text(), span });
                    }
                }
                Value::Table(_) | Value::Function(_) => {}
                value => words.push(Argument { text: value.text(), span }),
            }
        }
        words
    }

    fn run_code(&mut self, path: &str, language: &'static str, value: &Value, span: Span) -> Value {
        let mut result = None;
        for value in value.alternatives() {
            let text = match &value {
                Value::Text(text) => text.clone(),
                Value::Name(name, text) => {
                    // Only a name: an object, as `eval(compile(…))`, whose code was read already, or something unknown.
                    if name.contains("compile()") {
                        continue;
                    }
                    text.derive([Piece::Unknown(name.as_ref().into())])
                }
                Value::Function(index) => {
                    self.apply(*index, &[], &[]);
                    continue;
                }
                Value::Table(_) | Value::File(_) | Value::Number(_) => continue,
                other => other.text(),
            };
            self.flush();
            if language == "python"
                && text.as_known().is_some_and(|known| known.contains("__import__"))
            {
                self.walk.note("code.evaluate.import", span);
            }
            let code = if language == "javascript" || language == "python" {
                trimmed(&text)
            } else {
                text.clone()
            };
            self.walk.code(language, &code, span, &[]);
            let value = match (path, text.as_known()) {
                // The value of an expression such as `eval("__import__('os').system")`.
                ("eval", Some(known)) if known.len() < 256 => self.value_of(known),
                _ => Value::Text(mixed("a value", [&Value::Text(text)])),
            };
            result = Some(match result {
                None => value,
                Some(before) => Value::or(before, value),
            });
        }
        if path == "compile" {
            return Value::name("compile()");
        }
        result.unwrap_or_else(|| Value::unknown("a value"))
    }

    /// What a dotted name in a text stands for.
    fn value_of(&mut self, text: &str) -> Value {
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

    fn member_by_name(&mut self, path: &str, plain: &[&Given], span: Span) -> Value {
        match plain {
            // `call_user_func('system', …)`, `send(:system, …)`
            [name, rest @ ..]
                if matches!(self.language, "php" | "ruby" | "r") && path != "Reflect.get" =>
            {
                let function = match &name.value {
                    Value::Text(text) => match text.as_known() {
                        Some(name) => Value::name(name),
                        None => {
                            if text.taint != Taint::NONE {
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
                    self.member(object.value.clone(), &name)
                }
                None => Value::reached("a member", mixed("a member", [&object.value, &name.value])),
            },
            [] => Value::unknown("a member"),
        }
    }

    fn connect(
        &mut self,
        listens: bool,
        path: &str,
        plain: &[&Given],
        given: &[Given],
        span: Span,
    ) -> Value {
        let opens_only = matches!(
            path,
            "socket.socket"
                | "net.Socket"
                | "socket.tcp"
                | "socket.udp"
                | "socket_create"
                | "paramiko.SSHClient"
                | "websocket.WebSocket"
                | "Socket.new"
                | "dgram.createSocket"
        ) || path.starts_with("boto3");
        let result = Value::reached(&format!("{path}()"), Text::default());
        if path.contains("ocket") || path == "net.connect" || path.ends_with("open_connection") {
            self.raw_socket = true;
        }
        if opens_only {
            return result;
        }
        if listens {
            self.seen.listens = true;
        } else {
            self.seen.connects = true;
            self.raw_socket |= self.language == "perl" || path.ends_with(".connect");
        }
        let mut address = Text::default();
        let parts: Vec<Value> = plain
            .iter()
            .flat_map(|given| match &given.value {
                Value::List(list) => list.clone(),
                value => vec![value.clone()],
            })
            .chain(
                given
                    .iter()
                    .filter(|given| {
                        given.name.as_deref().is_some_and(|name| {
                            matches!(
                                name,
                                "host"
                                    | "hostname"
                                    | "PeerAddr"
                                    | "PeerHost"
                                    | "server"
                                    | "address"
                            )
                        })
                    })
                    .map(|given| given.value.clone()),
            )
            .chain(given.iter().filter_map(|given| given.value.entry("host").cloned()))
            .filter(|value| !matches!(value, Value::Function(_) | Value::Table(_)))
            .collect();
        // Node gives the port first.
        let port_first = matches!(parts.as_slice(), [Value::Number(_), Value::Text(_), ..]);
        let mut order: Vec<&Value> = parts.iter().leading(2).collect();
        if port_first {
            order.reverse();
        }
        for (index, value) in order.iter().enumerate() {
            if index > 0 {
                address.push_known(":");
            }
            address.append(&value.text());
        }
        if address.is_empty() {
            address = Text::unknown("an address");
        }
        let sends = (address.taint.has(Taint::SECRET)).then(|| address.clone());
        self.peer = address.clone();
        let argument = Argument { text: address, span };
        let received = self.walk.connect(&argument, sends, listens);
        Value::reached(&format!("{path}()"), Text { taint: Taint::NETWORK, ..received.derive([]) })
    }

    fn deserialize(&mut self, path: &str, first: Option<&Given>, given: &[Given], span: Span) {
        let safe = given.iter().any(|given| {
            matches!(&given.value, Value::Name(name, _)
                if (name.contains("Safe") || name.contains("safe") || name.contains("JSON"))
                    && !name.contains("Unsafe"))
                || given.name.as_deref() == Some("allowed_classes")
                || given.value.entry("allowed_classes").is_some()
        });
        let full = path.contains("full_load")
            || given.iter().any(|given| matches!(&given.value, Value::Name(name, _) if name.ends_with("FullLoader")));
        // Models are weights alone unless somebody says otherwise.
        let weights = path == "torch.load"
            && !given.iter().any(|given| {
                given.name.as_deref() == Some("weights_only") && given.value.is_false()
            });
        if safe || full || weights {
            return;
        }
        let Some(first) = first else { return };
        let from_file = match &first.value {
            Value::File(index) => {
                self.files.get(*index).is_some_and(|file| !file.read.taint.has(Taint::NETWORK))
            }
            Value::Text(text) => {
                text.as_known().is_some() && !path.ends_with("loads") && self.language == "python"
                    || text.taint.has(Taint::FILE) && !text.taint.has(Taint::NETWORK)
            }
            Value::Name(..) => {
                path.ends_with(".load") && self.language == "python" && !path.starts_with("yaml")
            }
            _ => false,
        };
        let known = match &first.value {
            Value::Text(text) => text.as_known(),
            _ => None,
        };
        // A tag of YAML that makes an object of any class.
        let tagged = known.is_some_and(|text| text.contains("!!python/"));
        let rule = if from_file && !tagged
            || path.contains("shelve")
            || path.contains("joblib")
            || path.contains("pandas")
        {
            "code.deserialize.file"
        } else {
            "code.deserialize.untrusted"
        };
        self.walk.note(rule, span);
        if let Some(known) = known {
            self.pickle(known, first.span);
        }
    }

    /// What a text pickle would call: `cos\nsystem\n(S'…'`.
    fn pickle(&mut self, text: &str, span: Span) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(module) = line.rsplit('c').next().filter(|_| line.contains('c')) else {
                continue;
            };
            if !matches!(module, "os" | "posix" | "nt" | "subprocess" | "__builtin__" | "builtins")
            {
                continue;
            }
            let function = lines.next().unwrap_or_default();
            let argument = lines.next().unwrap_or_default();
            let quoted = argument.split(['\'', '"']).nth(1).unwrap_or_default();
            let inner = argument.find(['\'', '"']).zip(argument.rfind(['\'', '"']));
            let argument =
                inner.and_then(|(start, end)| argument.get(start + 1..end)).unwrap_or(quoted);
            let given = Given { name: None, value: Value::known(argument), span };
            self.call_name(&format!("{module}.{function}"), Text::default(), &[given], span);
        }
    }

    fn open(&mut self, given: &[Given], span: Span) -> Value {
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let Some(first) = plain.first().copied().or_else(|| given.first()) else {
            return Value::unknown("a file");
        };
        if self.language == "perl" {
            return self.open_perl(&plain, span);
        }
        if self.language == "ruby"
            && first.value.as_known().is_some_and(|text| text.starts_with('|'))
        {
            let text = first.value.as_known().unwrap_or_default();
            let command = Text::known(text.trim_start_matches('|'));
            return Value::Text(self.run_shell(&command, first.span, None));
        }
        if first.value.as_known().is_some_and(|text| {
            text.contains("://") && !text.starts_with("file") && !text.starts_with("php")
        }) && matches!(self.language, "ruby" | "php")
        {
            let argument = self.place_of(Some(first));
            return Value::Text(network(self.walk.connect(&argument, None, false)));
        }
        let mode = plain
            .get(1)
            .copied()
            .or_else(|| given.iter().find(|given| given.name.as_deref() == Some("mode")))
            .map(|given| given.value.text());
        let (writes, how) = match &mode {
            None => (false, WriteMode::Replace),
            Some(mode) => match mode.as_known() {
                Some(mode) if mode.contains('a') => (true, WriteMode::Append),
                Some(mode) if mode.contains('w') || mode.contains('x') => {
                    (true, WriteMode::Replace)
                }
                Some(mode) if mode.contains('+') => (true, WriteMode::Edit),
                Some(_) => (false, WriteMode::Replace),
                None => {
                    let shown = mode.display();
                    let writes = ["WRONLY", "RDWR", "CREAT", "TRUNC", "APPEND"]
                        .iter()
                        .any(|flag| shown.contains(flag));
                    (
                        writes,
                        if shown.contains("APPEND") {
                            WriteMode::Append
                        } else {
                            WriteMode::Replace
                        },
                    )
                }
            },
        };
        self.open_file(first, writes, how)
    }

    /// Opens a file; what is written to it is told when it is known.
    pub(super) fn open_file(&mut self, file: &Given, writes: bool, mode: WriteMode) -> Value {
        let mut last = Value::unknown("a file");
        for value in file.value.alternatives() {
            let path = Argument { text: value.text(), span: file.span };
            if matches!(value, Value::File(_) | Value::Number(_)) {
                return value;
            }
            let read = if writes {
                Text::default()
            } else {
                self.flush();
                self.walk.read(&path)
            };
            let content = Text::default();
            self.files.push(Open { path, mode, writes, content, read, flushed: false });
            last = Value::File(self.files.len() - 1);
        }
        last
    }

    fn open_perl(&mut self, plain: &[&Given], span: Span) -> Value {
        let (mode, target) = match plain {
            [_, mode, target, ..] => (mode.value.text(), Some(*target)),
            [_, both] => (both.value.text(), None),
            _ => return Value::unknown("a file"),
        };
        let text = mode.known_prefix().trim().to_owned();
        if target.is_some() && matches!(text.as_str(), "-|" | "|-") {
            let words = self.words(plain.iter().skip(2).map(|given| (&given.value, given.span)));
            if let [one] = words.as_slice() {
                let command = one.text.clone();
                return Value::Text(self.run_shell(&command, span, None));
            }
            return Value::Text(self.run_words(&words, None));
        }
        if text.contains(">&") || text.contains("<&") {
            if self.seen.connects || self.seen.listens || self.raw_socket {
                self.seen.duplicates = Some(span);
            }
            return Value::unknown("a file");
        }
        if target.is_none() && (text.starts_with('|') || text.ends_with('|')) {
            let command = Text::known(text.trim_matches('|'));
            return Value::Text(self.run_shell(&command, span, None));
        }
        let appends = text.starts_with(">>");
        let writes = text.starts_with('>') || text.starts_with("+<");
        let path = match target {
            Some(target) => target.value.text(),
            None => {
                let mut path = Text::known(text.trim_start_matches(['<', '>', '+', ' ']));
                for piece in mode.pieces.iter().skip(usize::from(!mode.known_prefix().is_empty())) {
                    path.push(piece.clone());
                }
                path
            }
        };
        let file = Given { name: None, value: Value::Text(path), span };
        let mode = if appends { WriteMode::Append } else { WriteMode::Replace };
        let value = self.open_file(&file, writes, mode);
        self.last_file = Some(self.files.len().saturating_sub(1));
        value
    }

    /// Adds to what an open file is given.
    pub(super) fn write_file(&mut self, index: usize, content: &Text) {
        if let Some(file) = self.files.get_mut(index) {
            if file.flushed {
                let path = file.path.clone();
                self.walk.write(&path, WriteMode::Append, content.clone());
            } else {
                file.content.append(content);
            }
        }
    }

    /// A call that is given an open file may write to it.
    fn pass_to_files(&mut self, given: &[Given]) {
        let open: Vec<usize> = given
            .iter()
            .filter_map(|given| match given.value {
                Value::File(index) => Some(index),
                _ => None,
            })
            .collect();
        for index in open {
            let content = mixed("content", given.iter().map(|given| &given.value));
            self.write_file(index, &content);
        }
    }

    /// Tells what was written so far.
    pub(super) fn flush(&mut self) {
        for file in &mut self.files {
            if file.writes && !file.flushed {
                file.flushed = true;
                let content = std::mem::take(&mut file.content);
                self.walk.write(&file.path, file.mode, content);
            }
        }
    }
}

/// Whether the text begins like a statement for a database.
pub(super) fn looks_like_sql(text: &Text) -> bool {
    let start = text.known_prefix().trim_start().trim_start_matches(['(', ';']);
    let word: String = start.chars().take_while(char::is_ascii_alphabetic).collect();
    if start.starts_with("--") || start.starts_with("/*") {
        return true;
    }
    let word = word.to_ascii_uppercase();
    let rest = start.get(word.len()..).unwrap_or_default();
    matches!(
        word.as_str(),
        "SELECT"
            | "INSERT"
            | "UPDATE"
            | "DELETE"
            | "DROP"
            | "TRUNCATE"
            | "ALTER"
            | "CREATE"
            | "GRANT"
            | "REVOKE"
            | "WITH"
            | "COPY"
            | "EXEC"
            | "EXECUTE"
            | "PRAGMA"
            | "VACUUM"
            | "REPLACE"
            | "MERGE"
            | "CALL"
            | "SET"
            | "BEGIN"
            | "ATTACH"
    ) && rest
        .starts_with(|next: char| next.is_whitespace() || next == '/' || next == '(' || next == ';')
}

/// Whether a file is one of another machine, which languages open as any other: `file_get_contents('https://…')`.
fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        ["http", "https", "ftp", "ftps"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
    })
}

fn network(mut text: Text) -> Text {
    text.taint = text.taint.with(Taint::NETWORK);
    if text.is_empty() {
        text.push(Piece::Unknown("a response".into()));
    }
    text
}

/// Without the blanks that may stand in front of code in a string.
fn trimmed(text: &Text) -> Text {
    match text.as_known() {
        Some(known) => text.derive([Piece::Known(known.trim().to_owned())]),
        None => text.clone(),
    }
}
