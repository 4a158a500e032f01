//! Calls that no row describes, because their arguments say what they are. Owns what asks for members, what walks below a directory
//! and what unpacks.

mod javascript;
mod node;
mod php;
mod ruby;
mod sockets;

use portcullis_syntax::Span;

pub(super) use javascript::GLOBALS;

use super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Asking, Given, SOME_MEMBER, Value, mixed},
};
use crate::{
    effect::{Argument, WriteMode},
    place::{self, Place},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

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
    /// Calls whose arguments say what they are.
    pub(super) fn special(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        self.notice_way_out(path, last, given, span);
        let before = match self.language {
            "python" => self.magic(last, given),
            "javascript" => self.started_in_node(path, last, given, span),
            _ => None,
        };
        if let Some(value) = before.or_else(|| self.event(path, last, given, span)) {
            return Some(value);
        }
        if matches!(self.language, "perl" | "php" | "ruby") {
            self.notice_database(path, given);
        }
        if let Some(account) = self.account(path, given) {
            return Some(account);
        }
        let of_language = match self.language {
            "python" => self.told(path, last, given, span),
            "javascript" => self.special_in_javascript(path, last, given, span),
            "perl" => self.special_in_perl(path, given, span),
            "php" => self.special_in_php(path, last, given, span),
            "ruby" => self.special_in_ruby(path, last, given, span),
            _ => None,
        };
        of_language.or_else(|| self.of_library(path, given, span))
    }

    /// What the text of a template or of a program inside of a sandbox says when it looks for a way out.
    fn notice_way_out(&mut self, path: &str, last: &str, given: &[Given], span: Span) {
        let inner = path.starts_with("vm.")
            || matches!(
                last,
                "Template" | "from_string" | "render_template_string" | "runInContext"
            );
        // A sandbox of the library's own refuses these.
        let is_refused = path.contains("SandboxedEnvironment");
        if inner
            && !is_refused
            && let Some(said) = given.first().map(|given| given.value.text().display())
            && ESCAPES.iter().any(|escape| said.contains(escape))
        {
            self.walk.note("code.sandbox.escape", span);
        }
    }

    /// Commands of a notebook.
    fn magic(&mut self, last: &str, given: &[Given]) -> Option<Value> {
        // `get_ipython().run_line_magic('sx', …)`, `run_cell_magic('bash', '', …)`
        if matches!(last, "magic" | "run_line_magic" | "run_cell_magic")
            && let [name, rest @ ..] = given
            && let Some(command) = rest.last()
            && name
                .value
                .as_known()
                .is_some_and(|it| matches!(it, "!" | "bash" | "script" | "sh" | "sx" | "system"))
        {
            let text = command.value.text();
            return Some(Value::Text(self.run_shell(&text, command.span, None)));
        }
        None
    }

    /// Functions of libraries that are called as what they are, in whatever language.
    fn of_library(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        let first = given.first();
        if path == "cv2.VideoCapture"
            && first.is_some_and(|it| matches!(it.value, Value::Number(_)))
        {
            self.walk.note("code.monitor.camera", span);
        }
        // `ipaddress.ip_address(2852039166)` is the address in the words of everybody.
        if matches!(path, "ipaddress.ip_address" | "ipaddress.IPv4Address") {
            match first.map(|first| &first.value) {
                Some(Value::Number(number)) => {
                    if let Ok(number) = u32::try_from(*number) {
                        let [a, b, c, d] = number.to_be_bytes();
                        return Some(Value::known(&format!("{a}.{b}.{c}.{d}")));
                    }
                }
                Some(value @ Value::Text(_)) => return Some(value.clone()),
                _ => {}
            }
        }
        // `spec_from_file_location("plugin", path)`: the file of a module, wherever it lies.
        if path == "importlib.util.spec_from_file_location" {
            let named = given.iter().find(|it| it.name.as_deref() == Some("location"));
            if let Some(file) = named.or_else(|| given.get(1).filter(|it| it.name.is_none())) {
                if file.value.as_known().is_some() {
                    self.act(Act::Script, path, std::slice::from_ref(file), span);
                } else {
                    self.loaded(Some(file), &["python3"]);
                }
            }
        }
        if let Some(value) = self.playbook(path, given, span) {
            return Some(value);
        }
        if self.language == "python"
            && let Some(value) = packages(path, first)
        {
            return Some(value);
        }
        // `manage.py` hands on what it is given; words that the code writes itself are a command.
        if path == "django.core.management.execute_from_command_line"
            && let Some(Value::List(words)) = first.map(|first| &first.value)
            && words.iter().all(|word| word.as_known().is_some())
        {
            let mut list = vec![Value::known("python")];
            list.extend(words.iter().cloned());
            let words = self.words([(&Value::List(list), span)].into_iter());
            return Some(Value::Text(self.run_words(&words, None)));
        }
        if path == "tarfile.open" && given.iter().any(|it| it.name.as_deref() == Some("fileobj")) {
            return Some(Value::name("archive()"));
        }
        None
    }

    /// What a playbook or a module of one runs on other machines.
    fn playbook(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        if matches!(path, "ansible_runner.run" | "ansible_runner.run_async") {
            let named = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
            if let Some(playbook) = named("playbook") {
                let word = |text: Text| Argument { text, span };
                let mut words =
                    vec![word(Text::known("ansible-playbook")), word(playbook.value.text())];
                if let Some(inventory) = named("inventory") {
                    words.push(word(Text::known("-i")));
                    words.push(word(inventory.value.text()));
                }
                return Some(Value::Text(self.run_words(&words, None)));
            }
            let module = named("module").and_then(|it| it.value.as_known());
            if module.is_none_or(|it| matches!(it, "command" | "raw" | "shell"))
                && let Some(arguments) = named("module_args")
            {
                let text = arguments.value.text();
                return Some(Value::Text(self.run_shell(&text, span, None)));
            }
        }
        None
    }

    /// Perl's `find(sub {…}, DIRECTORY…)`: its function sees every name below the directories in variables.
    pub(super) fn walk_below(&mut self, given: &[Given]) {
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
    /// A browser that is started with the profile of a person acts as this person.
    pub(super) fn profile(&mut self, directory: Option<&Given>) {
        let Some(directory) = directory else { return };
        let mut path = self.place_of(Some(directory));
        let target = self.walk.target(&path.text);
        if matches!(place::place_of(&target, self.walk.facts()), Place::Home | Place::OtherHome) {
            path.text.push_known("/Default/Cookies");
            self.walk.read(&path);
        }
    }

    /// `parser.add_argument("--dir", default="build")`: what `parse_args()` has under this name.
    fn argument_of_program(&mut self, path: &str, given: &[Given]) {
        let named = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let plain = given.iter().filter(|it| it.name.is_none());
        let words: Vec<&str> = plain.filter_map(|it| it.value.as_known()).collect();
        let long = words.iter().find(|it| it.starts_with("--")).or_else(|| words.first());
        let Some(parser) = path.strip_suffix(".add_argument") else { return };
        let cut = [".add_argument_group", ".add_mutually_exclusive_group"];
        let parser = cut.iter().fold(parser, |it, cut| it.split(cut).next().unwrap_or(it));
        let dest = named("dest").and_then(|it| it.value.as_known());
        let dest = dest.or_else(|| long.map(|it| it.trim_start_matches('-')));
        let Some(dest) = dest.map(|it| it.replace('-', "_")) else { return };
        let told = self.arguments.iter().position(|it| {
            let known = it.text.as_known();
            known.is_none_or(|it| words.iter().any(|name| it.starts_with(name)))
        });
        let is_option = words.iter().any(|word| word.starts_with('-'));
        let is_set_elsewhere = self.source.contains("set_defaults(");
        // Whatever is typed, it is one of these.
        if let Some(Value::List(choices)) = named("choices").map(|it| &it.value)
            && choices.iter().all(|it| it.as_known().is_some())
            && !is_set_elsewhere
            && named("type").is_none()
            && named("nargs").is_none()
            && let Some(value) = choices.iter().cloned().reduce(Value::or)
        {
            let value = match named("default") {
                Some(default) if !default.value.is_false() => value.or(default.value.clone()),
                _ => value,
            };
            return self.bind(format!("{parser}.parse_args().{dest}"), value);
        }
        if let Some(default) =
            named("default").filter(|_| is_option && told.is_none() && !is_set_elsewhere)
        {
            let value = default.value.clone();
            self.bind(format!("{parser}.parse_args().{dest}"), value);
        }
    }

    pub(super) fn told(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let keyword = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        if let Some(value) = self.queued(path, last, given) {
            return Some(value);
        }
        if matches!(path, "click.option" | "click.argument") {
            let named = plain.iter().filter_map(|it| it.value.as_known()).max_by_key(|it| it.len());
            if let (Some(name), Some(default)) = (named, keyword("default")) {
                let name = name.trim_start_matches('-').replace('-', "_");
                self.options.push((name, default.value.clone()));
            }
        }
        // Arguments that the code gives itself are not looked up.
        if matches!(last, "parse_args" | "parse_known_args")
            && given.iter().any(|it| !matches!(&it.value, Value::List(list) if list.is_empty()))
        {
            return Some(Value::Text(mixed("arguments", given.iter().map(|it| &it.value))));
        }
        if path == "os.environ.update" {
            for given in given {
                match (&given.name, &given.value) {
                    (Some(name), value) => self.bind(format!("os.environ.{name}"), value.clone()),
                    (None, Value::Table(table)) => {
                        for (name, value) in table {
                            self.bind(format!("os.environ.{name}"), value.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        if path.ends_with("mock.patch.dict") {
            self.patches_environment(given, span);
        }
        // `sh.git.bake("-C", "app")`: the program with words that all of its calls have.
        if last == "bake"
            && let Some(program) = path.strip_suffix(".bake").filter(|it| it.starts_with("sh."))
        {
            let function = Given { name: None, value: Value::name(program), span };
            return self.partly_given(&function, given);
        }
        // Whoever asks the server has the function called with what they send.
        if last == "register_function"
            && path.contains("RPCServer()")
            && let [function, ..] = plain.as_slice()
        {
            let asked = Text { taint: Taint::NETWORK, ..Text::unknown("what is asked for") };
            let asked = Given { name: None, value: Value::Text(asked), span };
            self.call_value(function.value.clone(), vec![asked], span);
        }
        self.notice_double(path, given);
        // What it is called with at the end stands here.
        if path == "atexit.register"
            && let Some((Given { value: Value::Function(index), .. }, rest)) = given.split_first()
        {
            self.called_later(path, *index, rest);
            self.call_value(Value::Function(*index), rest.to_vec(), span);
            return Some(Value::Function(*index));
        }
        // `shutil.make_archive("backup", "zip", root)`
        if path == "shutil.make_archive" {
            self.flush();
            let root = keyword("root_dir").or(keyword("base_dir")).or(plain.get(2).copied());
            let content = match root {
                Some(root) => {
                    let root = self.place_of(Some(root));
                    self.walk.read(&root)
                }
                None => Text::unknown("content"),
            };
            let mut archive = self.place_of(keyword("base_name").or(plain.first().copied()));
            let format = keyword("format").or(plain.get(1).copied());
            archive.text.push_known(match format.and_then(|it| it.value.as_known()) {
                Some("tar") => ".tar",
                Some("gztar") => ".tar.gz",
                Some("bztar") => ".tar.bz2",
                Some("xztar") => ".tar.xz",
                _ => ".zip",
            });
            let place = archive.text.clone();
            self.walk.write(&archive, WriteMode::Replace, content);
            return Some(Value::Text(place));
        }
        if last == "add_argument" {
            self.argument_of_program(path, given);
        }
        // `partial(SimpleHTTPRequestHandler, directory=…)`, `super().__init__(*args, directory=…)`
        if matches!(last, "partial" | "__init__")
            && let Some(directory) = keyword("directory")
        {
            self.served = Some(directory.value.text());
            if let [handler] = plain.as_slice()
                && path.ends_with("partial")
                && self.gives_files(&handler.value)
            {
                return Some(handler.value.clone());
            }
        }
        if let ("partial" | "partialmethod", [function, ..]) = (last, plain.as_slice())
            && matches!(path.split('.').next(), Some("functools" | "partial" | "partialmethod"))
            && let Some(value) = self.partly_given(function, given)
        {
            return Some(value);
        }
        if matches!(path, "sys.path.insert" | "sys.path.append") {
            let file = plain.last().copied().cloned();
            self.loaded(file.as_ref(), &["python3"]);
            self.looks_for_modules(file.as_ref());
        }
        if path == "zipimport.zipimporter" {
            self.loaded(plain.first().copied(), &["python3"]);
        }
        // What the child reads and writes, this program passes on.
        if matches!(path, "os.forkpty" | "pty.fork") {
            self.seen.duplicates.get_or_insert(span);
        }
        self.runs_examples(path, given, span);
        if matches!(last, "PopenSpawn" | "spawn" | "spawnu")
            && matches!(
                root_of(path),
                "pexpect"
                    | "popen_spawn"
                    | "PtyProcess"
                    | "PtyProcessUnicode"
                    | "ptyprocess"
                    | "wexpect"
            )
            && let Some(program) = plain.first().copied().or_else(|| keyword("command"))
        {
            let rest = plain.get(1..).unwrap_or_default();
            let listed = rest.iter().find(|it| matches!(it.value, Value::List(_)));
            return Some(self.driven(
                path,
                program,
                listed.copied().or_else(|| keyword("args")),
                span,
            ));
        }
        if last == "launch_persistent_context" {
            self.profile(plain.first().copied().or_else(|| keyword("user_data_dir")));
        }
        let shows =
            ["click.echo", "logging.", "loguru.logger.", "pprint.", "rich.print", "typer.echo"];
        if shows.iter().any(|it| path.starts_with(it)) {
            self.shown(&plain, span);
        }
        match path {
            "operator.methodcaller" => {
                let [name, rest @ ..] = given else { return None };
                let member = name.value.as_known().unwrap_or(SOME_MEMBER).to_owned();
                return Some(Value::Asks(Box::new(Asking { member, given: Some(rest.to_vec()) })));
            }
            "operator.attrgetter" | "operator.itemgetter" => {
                let [name] = given else { return None };
                let member = match &name.value {
                    Value::Number(number) => number.to_string(),
                    value => value.as_known().unwrap_or(SOME_MEMBER).to_owned(),
                };
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
            "setattr" => {
                let [object, name, value] = given else { return None };
                let (Value::Name(path, _), Some(name)) = (&object.value, name.value.as_known())
                else {
                    return None;
                };
                let path = format!("{path}.{name}");
                self.member_stops_checks(&path, &value.value, span);
                if let Some(name) = self.put_under(&path) {
                    self.bind(name.to_owned(), value.value.clone());
                }
                self.set_field(&path, value.value.clone());
                return None;
            }
            "timeit.Timer" | "timeit.repeat" | "timeit.timeit" => {
                let part = |name: &str, at: usize| keyword(name).or_else(|| plain.get(at).copied());
                // What is set up runs first.
                for part in [part("setup", 1), part("stmt", 0)].into_iter().flatten() {
                    if matches!(part.value, Value::Text(_)) {
                        self.run_code("exec", "python", &part.value, part.span);
                    }
                }
                return None;
            }
            // A file whose bytes are changed as those of an array are; that it may be is what it says by default.
            "numpy.memmap" => {
                let mode = keyword("mode").or_else(|| plain.get(2).copied()).cloned();
                let mode = mode.unwrap_or(Given { name: None, value: Value::known("r+"), span });
                let file = keyword("filename").or_else(|| plain.first().copied())?;
                let given = [file.clone(), Given { name: None, ..mode }];
                return Some(self.open(&given, span));
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
        let root = root_of(path);
        let unpacks = match last {
            "extract" | "extractall" => matches!(root, "archive" | "tarfile" | "zipfile"),
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
}

/// What a path begins with.
fn root_of(path: &str) -> &str {
    path.split(['.', '(']).next().unwrap_or_default()
}

/// Where packages lie.
fn packages(path: &str, first: Option<&Given>) -> Option<Value> {
    const PACKAGES: &str = "/usr/lib/python3/dist-packages";
    let asked = first.and_then(|first| first.value.as_known());
    let is_asked = asked.is_some_and(|name| matches!(name, "purelib" | "platlib"));
    match path {
        "site.getsitepackages" => {
            return Some(Value::List(vec![Value::known(PACKAGES)]));
        }
        "site.getusersitepackages" | "distutils.sysconfig.get_python_lib" => {
            return Some(Value::known(PACKAGES));
        }
        "sysconfig.get_path" if is_asked => return Some(Value::known(PACKAGES)),
        "sysconfig.get_paths" => {
            let names = ["purelib", "platlib"];
            let entry = |name: &str| (name.to_owned(), Value::known(PACKAGES));
            return Some(Value::Table(names.map(entry).to_vec()));
        }
        _ => {}
    }
    None
}
