//! What a row of `tables` means: the translation of every act into what the walk is told.

use portcullis_syntax::Span;

use super::{
    calls::looks_like_sql,
    fed::Started,
    fold::{self, Fold},
    imports::module_name,
    interpreter::Interpreter,
    libraries::is_of_a_test,
    services,
    special::GLOBALS,
    statements::OWN,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, PermissionChange, WriteMode},
    place::{self, Place},
    programs::agents,
    programs::host::Host,
    split::is_device,
    text::{Piece, Taint, Text},
};

/// Keywords that carry what is sent.
const SENT: &[&str] =
    &["data", "json", "body", "files", "content", "params", "form", "payload", "method_body"];

impl Interpreter<'_, '_, '_> {
    pub(super) fn place_of(&self, given: Option<&Given>) -> Argument {
        match given {
            Some(given) => Argument { text: given.value.text(), span: given.span },
            None => Argument { text: Text::unknown("nothing"), span: Span::default() },
        }
    }

    /// The names below a directory, or that a pattern stands for. In a project they are as unknown as any: what a script
    /// leaves out is not seen. Elsewhere whatever is done to them is done there.
    pub(super) fn listed(&mut self, directory: &Argument) -> Value {
        let target = self.walk.target(&directory.text);
        // The names of what lies among secrets are none.
        let leaves = ["chdir", "cwd", "dir_fd", "pushd"].iter().any(|it| self.source.contains(it));
        let is_plain = directory.text.known_prefix().starts_with(['/', '~']) && !leaves;
        let content = if is_plain && place::credential_of(&target, self.walk.facts()).is_some() {
            Text::unknown("names of files")
        } else {
            self.walk.read(directory)
        };
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
                | Place::Elsewhere
                | Place::Log
        );
        let pattern = directory.text.known_prefix();
        let root = pattern.split(['*', '?', '[']).next().unwrap_or("").trim_end_matches('/');
        if directory.text.as_known().is_none() {
            return Value::Text(content);
        }
        let is_home = matches!(
            place::place_of(&target, self.walk.facts()),
            Place::Home | Place::OtherHome | Place::Log
        );
        let is_device = is_device(pattern);
        if (is_home || is_device) && root.len() < pattern.len() {
            // What is chosen below a home, or among devices, is known by its pattern.
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

    pub(super) fn act_here(&mut self, act: Act, path: &str, given: &[Given], span: Span) -> Value {
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
                    let started = match &value {
                        Value::List(_) => {
                            Started::Words(self.words([(&value, first.span)].into_iter()))
                        }
                        line => Started::Line(line.text(), first.span),
                    };
                    let text = self.started(path, started, text);
                    result = Some(match result {
                        None => text,
                        Some(before) => Value::or(before, text),
                    });
                }
                result.unwrap_or_else(|| Value::unknown("what a command prints"))
            }
            Act::System => match plain.as_slice() {
                [] => Value::unknown("what a command prints"),
                [one] => {
                    let printed = self.shell_or_words(&one.value, one.span, span, None, None);
                    let started = Started::Line(one.value.text(), one.span);
                    self.started(path, started, printed)
                }
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
                    let printed = self.run_shell(&text, first.span, None);
                    return self.started(path, Started::Line(text, first.span), printed);
                }
                let mut words = self.words([(&first.value, first.span)].into_iter());
                if path.ends_with("fork") {
                    self.starts_itself(&first.value, span);
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
                let printed = self.run_words(&words, input);
                self.started(path, Started::Words(words), printed)
            }
            Act::Program => {
                let mut words = self.words(plain.iter().map(|given| (&given.value, given.span)));
                if path.ends_with("Command.new")
                    && let Some(given) = first
                {
                    let place = given.span.range();
                    let more = super::builder::words(self.source, place.start, place.end);
                    words.extend(
                        more.into_iter()
                            .map(|word| Argument { text: Text::known(word), span: given.span }),
                    );
                }
                let printed = self.run_words(&words, None);
                self.started(path, Started::Words(words), printed)
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
                match argument.text.as_known() {
                    _ if given.is_empty() && path == "duckdb.connect" => {
                        self.seen.in_memory.get_or_insert_with(|| path.to_owned());
                    }
                    Some(file)
                        if matches!(file, ":memory:" | "file::memory:") || is_of_a_test(file) =>
                    {
                        self.seen.in_memory.get_or_insert_with(|| path.to_owned());
                    }
                    _ => self.seen.real = true,
                }
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
                    let text = services::sent(value);
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
                    // What stands in the path goes along.
                    if let Some(path) = address.value.entry("path") {
                        argument.text.append(&path.text());
                    }
                }
                argument.text = self.whole_address(path, argument.text);
                if argument.text.taint.has(Taint::SECRET) && sends.is_none() {
                    sends = Some(argument.text.clone());
                }
                self.seen.connects |= path.contains("etcat");
                self.peer = argument.text.clone();
                if leads_away(&argument.text) && self.is_unending() {
                    self.walk.note("code.load.flood", span);
                }
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
                let mut sends = mixed("what is sent", given.iter().map(|given| &given.value));
                for given in given {
                    if let Value::File(index) = given.value
                        && let Some(file) = self.files.get(index)
                    {
                        sends.inherit(&file.read);
                    }
                }
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
                // What lies in memory, or in a server that the test started, is there to be dropped.
                let is_played = rule == "code.database.drop" && self.is_in_memory(path, &[]);
                let asks = given
                    .iter()
                    .any(|it| it.name.as_deref() == Some("ask_human_input") && it.value.is_true());
                if !(is_played || asks && rule == "code.agent.shell") {
                    self.walk.note(rule, span);
                }
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
                if let Some(number) = keyword(&["file"]).and_then(|to| self.program(&to.value)) {
                    self.feed(number, &text);
                    return Value::unknown("nothing");
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
            Act::Module => {
                // What the script wrote itself before is code that it brings along.
                let file = self.place_of(first);
                let names_file = file.text.known_prefix().starts_with(['/', '.', '~']);
                if names_file && self.language == "javascript" {
                    self.flush();
                    if self.walk.wrote(&file.text) {
                        self.walk.script(self.language, &file, &[], None);
                    }
                }
                match first.and_then(|given| given.value.as_known()) {
                    Some(name) => self.module(module_name(name)),
                    None => Value::reached(
                        "a module",
                        mixed("a module", given.iter().map(|given| &given.value)),
                    ),
                }
            }
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
                let target = self.place_of(target);
                let of_each = target.text.pieces.iter().find_map(|piece| match piece {
                    Piece::Unknown(origin)
                        if ["process_iter()[]", "scandir()[]"]
                            .iter()
                            .any(|of| origin.contains(of)) =>
                    {
                        Some(origin)
                    }
                    _ => None,
                });
                if let Some(each) = of_each.cloned() {
                    self.kills_each(&each, span);
                }
                words.push(target);
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
                self.loaded(first, &[]);
                Value::name("native()")
            }
            Act::Constant(text) => {
                if let (Some(rest), Some(home)) = (text.strip_prefix('~'), &self.walk.facts().home)
                {
                    return Value::known(&format!("{home}{rest}"));
                }
                // A list of directories, and a table of them.
                match path.rsplit('.').next() {
                    Some("getsitepackages") => Value::List(vec![Value::known(text)]),
                    Some("get_paths") => Value::Any(vec![Value::known(text)]),
                    _ => Value::known(text),
                }
            }
            Act::Nothing => Value::Text(Text::unknown("a value")),
        }
    }

    pub(super) fn fold(&mut self, kind: Fold, path: &str, given: &[Given]) -> Value {
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
                        self.apply(index, Some(&[Given { name: None, value, span: list.span }]))
                    })
                    .collect(),
            );
        }
        fold::fold(kind, given)
    }
}

/// Whether a file is one of another machine, which languages open as any other: `file_get_contents('https://…')`.
pub(super) fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        ["http", "https", "ftp", "ftps"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
    })
}

pub(super) fn network(mut text: Text) -> Text {
    text.taint = text.taint.with(Taint::NETWORK);
    if text.is_empty() {
        text.push(Piece::Unknown("a response".into()));
    }
    text
}

/// Whether an address leads to another machine for certain.
fn leads_away(address: &Text) -> bool {
    let known = address.known_prefix();
    let host = known.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let host = host.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.contains('.') && !matches!(host, "127.0.0.1" | "0.0.0.0") && !host.ends_with(".local")
}
