//! What is reached by another way than its own name: a module through one that imported it, a member through what asks for members, a function of the
//! language under whose name another one was put. Owns which of those ways lead where.

use portcullis_syntax::Span;

use super::{
    handed::spread,
    interpreter::Interpreter,
    tables,
    value::{Given, Value, mixed},
};
use crate::{
    effect::GapReason,
    text::{Piece, Taint, Text},
};

/// Modules of Python by which code does something, as others of the library have them among their own names. Sorted.
const MODULES: &[&str] = &[
    "builtins",
    "ctypes",
    "importlib",
    "io",
    "os",
    "pathlib",
    "pickle",
    "posix",
    "pty",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
];

/// Calls that keep a function to call it when they are asked to, with what nobody knows. Sorted.
const KEEPERS: &[&str] = &[
    "aggregate",
    "createFunction",
    "create_aggregate",
    "create_collation",
    "create_function",
    "set_authorizer",
    "set_trace_callback",
];

/// Calls that write into the file that they are given, now or from then on. Sorted.
const FILLED: &[&str] = &[
    "logging.FileHandler",
    "logging.basicConfig",
    "logging.handlers.RotatingFileHandler",
    "logging.handlers.TimedRotatingFileHandler",
    "logging.handlers.WatchedFileHandler",
    "readline.write_history_file",
    "xml.etree.ElementTree.ElementTree().write",
    "xml.etree.ElementTree.parse().write",
];

/// How deep the tables of a configuration lie in each other.
const DEPTH: usize = 8;

impl Interpreter<'_, '_, '_> {
    /// The module that is a member of another one: `shutil.os`, `tempfile._os`.
    pub(super) fn module_through(&self, path: &str, name: &str) -> Option<Value> {
        if self.language != "python" || !(self.modules.contains(path) || path == "a module") {
            return None;
        }
        let plain = name.strip_prefix('_').unwrap_or(name);
        MODULES.binary_search(&plain).ok()?;
        // A package may have one of its own that is called so: `aiofiles.os`, `asyncio.subprocess`.
        let is_own =
            matches!(path, "aiofiles" | "anyio" | "asyncio" | "distutils" | "gevent" | "trio")
                || self.modules.contains(&format!("{path}.{name}"));
        (!is_own).then(|| Value::name(plain))
    }

    /// The name of the language's own under which something is put: `builtins.print = os.system`, `globals()["print"] = os.system`.
    pub(super) fn put_under<'p>(&self, path: &'p str) -> Option<&'p str> {
        const AMONG: &[&str] = &["__builtin__.", "__builtins__.", "builtins.", "globals()."];
        let name = AMONG.iter().find_map(|among| path.strip_prefix(among))?;
        (self.language == "python" && !name.contains('.')).then_some(name)
    }

    /// Calls that lead to another call.
    pub(super) fn called_through(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let (owner, last) = path.rsplit_once('.').unwrap_or(("", path));
        if matches!(self.language, "javascript" | "python")
            && KEEPERS.binary_search(&last).is_ok()
            && given.iter().any(|one| self.holds_function(&one.value))
        {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        match self.language {
            "python" => self.called_through_python(path, (owner, last), given, span),
            "javascript" => self.called_through_javascript(owner, last, given, span),
            _ => None,
        }
    }

    fn called_through_python(
        &mut self,
        path: &str,
        (owner, last): (&str, &str),
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if FILLED.binary_search(&path).is_ok() {
            let named = given.iter().find(|it| it.name.as_deref() == Some("filename"));
            return Some(self.fill_named(named.or(given.first().filter(|it| it.name.is_none()))));
        }
        if let Some(place) = self.place_of_package(path, given) {
            return Some(place);
        }
        match last {
            "__getattribute__" | "__getattr__" => match given {
                [name] => {
                    let of = if owner == "object" { return None } else { Value::name(owner) };
                    Some(self.member_called(of, &name.value, span))
                }
                [of, name] => Some(self.member_called(of.value.clone(), &name.value, span)),
                _ => None,
            },
            "dictConfig" => {
                for one in given {
                    self.configured(&one.value, one.span, DEPTH);
                }
                None
            }
            "get" if owner == "webbrowser" => {
                let line = given.first()?.value.text();
                let is_line = line.known_prefix().contains([' ', '%']);
                is_line.then(|| Value::Text(self.run_shell(&line, span, None)))
            }
            "chdir" if owner == "contextlib" => {
                self.enters_directory(given, span);
                Some(Value::unknown("a context"))
            }
            // What is kept is written when it is told to.
            "LWPCookieJar" | "MozillaCookieJar" if self.source.contains(".save(") => {
                self.fill_named(given.first());
                None
            }
            "Babyl" | "MH" | "MMDF" | "Maildir" | "mbox"
                if owner == "mailbox"
                    && [".add(", ".flush(", ".remove("]
                        .iter()
                        .any(|it| self.source.contains(it)) =>
            {
                self.fill_named(given.first());
                None
            }
            "run" | "runctx" if matches!(owner, "cProfile" | "profile") => {
                let named = given.iter().find(|it| it.name.as_deref() == Some("filename"));
                let place = if last == "run" { 1 } else { 3 };
                let second = given.get(place).filter(|it| it.name.is_none());
                self.fill_named(named.or(second));
                None
            }
            "copyfileobj" => {
                let [from, to, ..] = given else { return None };
                self.copied_into(from, to, span);
                None
            }
            "putenv" if owner == "os" => {
                let [name, value] = given else { return None };
                let name = name.value.as_known()?;
                self.store_member(Value::name(&format!("os.environ.{name}")), value.value.clone());
                None
            }
            _ => None,
        }
    }

    fn called_through_javascript(
        &mut self,
        owner: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        match last {
            "parse" if owner == "JSON" => {
                // What a second argument makes of each entry is not followed.
                let [one] = given else { return None };
                let text = one.value.text();
                let inner = text.as_known()?.trim().strip_prefix('"')?.strip_suffix('"')?;
                let is_plain = !inner.contains(['"', '\\']);
                is_plain.then(|| Value::Text(text.derive([Piece::Known(inner.to_owned())])))
            }
            "format" if matches!(owner, "path" | "path.posix") => {
                self.path_of_parts(&given.first()?.value)
            }
            "URL" | "fileURLToPath" if matches!(owner, "" | "url") => {
                let [one] = given else { return None };
                let text = one.value.text();
                let known = text.as_known()?;
                if last == "fileURLToPath" && known.starts_with('/') {
                    return Some(one.value.clone());
                }
                let path = known.strip_prefix("file://").filter(|it| it.starts_with('/'))?;
                let is_plain = !path.contains(['%', '?', '#']);
                is_plain.then(|| Value::Text(text.derive([Piece::Known(path.to_owned())])))
            }
            // A connection that is written into; inside of the function that it calls when it is open it may have no name yet.
            "end" | "write" if self.is_connection(owner) => {
                let sent = mixed("what is sent", given.iter().map(|it| &it.value));
                sent.taint
                    .has(Taint::SECRET)
                    .then(|| self.act(tables::Act::Send, last, given, span))
            }
            "apply" if owner == "Reflect" => {
                let [function, _, all, ..] = given else { return None };
                Some(self.call_value(function.value.clone(), spread(all), span))
            }
            _ => None,
        }
    }

    /// Whether a name is that of a connection: one that was opened, or one that nothing has bound yet while a connection is open.
    fn is_connection(&self, owner: &str) -> bool {
        let is_opened = ["net.", "tls."].iter().any(|module| owner.starts_with(module))
            && owner.contains("()")
            && !owner.contains("erver");
        let is_unbound = || {
            !owner.is_empty()
                && !owner.contains(['.', '(', '['])
                && !self.variables.contains_key(owner)
                && !self.modules.contains(owner)
                && !matches!(owner, "process" | "res" | "response" | "reply")
        };
        is_opened || self.seen.connects && is_unbound()
    }

    /// `shutil.copyfileobj(open(path), buffer)`: what a name holds from then on.
    fn copied_into(&mut self, from: &Given, to: &Given, span: Span) {
        if !matches!(to.value, Value::Text(_)) {
            return;
        }
        let name = to.span.of(self.source).trim().to_owned();
        let content = match &from.value {
            Value::File(index) => self.read_of_file(*index),
            value => value.text(),
        };
        if self.variables.contains_key(&name) {
            self.bind(name, Value::Text(content));
        } else {
            self.left_open(span);
        }
    }

    /// `path.format({dir, base})` (nodejs.org, "path.format").
    fn path_of_parts(&mut self, parts: &Value) -> Option<Value> {
        let part = |name: &str| parts.entry(name).map(Value::text);
        let mut whole = match (part("dir"), part("root")) {
            (Some(directory), root) => {
                let mut whole = directory.clone();
                if root.as_ref().and_then(Text::as_known) != directory.as_known() {
                    whole.push_known("/");
                }
                whole
            }
            (None, Some(root)) => root,
            (None, None) => Text::default(),
        };
        match part("base") {
            Some(base) => whole.append(&base),
            None => {
                whole.append(&part("name").unwrap_or_default());
                whole.append(&part("ext").unwrap_or_default());
            }
        }
        matches!(parts, Value::Table(_)).then_some(Value::Text(whole))
    }

    fn member_called(&mut self, of: Value, name: &Value, span: Span) -> Value {
        match name.as_known() {
            Some(name) => {
                let name = name.to_owned();
                self.member(of, &name)
            }
            None => {
                self.left_open(span);
                Value::unknown("a member")
            }
        }
    }

    /// What a configuration has made by the name of a function: `{"()": "package.function", …}` (docs.python.org, "logging.config").
    fn configured(&mut self, value: &Value, span: Span, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return self.limit() };
        match value {
            Value::Table(table) => {
                let named = table.iter().find(|(name, _)| matches!(name.as_str(), "()" | "class"));
                if let Some(function) = named.and_then(|(_, value)| value.as_known()) {
                    let function = function.to_owned();
                    if let Some((module, _)) = function.rsplit_once('.') {
                        self.module(module);
                    }
                    let function = Value::name(&function);
                    let rest =
                        table.iter().filter(|(name, _)| !matches!(name.as_str(), "()" | "class"));
                    let given: Vec<Given> = rest
                        .map(|(name, value)| Given {
                            name: Some(name.clone()),
                            value: value.clone(),
                            span,
                        })
                        .collect();
                    self.call_value(function, given, span);
                }
                for (_, value) in table {
                    self.configured(value, span, depth);
                }
            }
            Value::List(list) => {
                for value in list {
                    self.configured(value, span, depth);
                }
            }
            _ => {}
        }
    }

    /// What a function of `os` is given, with what descriptors of directories say put before the names that they are for:
    /// `os.rename(a, b, dst_dir_fd=directory)` (docs.python.org, "os", "Files and Directories").
    pub(super) fn below_descriptors(&mut self, path: &str, given: &[Given]) -> Option<Vec<Given>> {
        if self.language != "python" || !path.starts_with("os.") {
            return None;
        }
        let place = |name: &str| match (name, path) {
            ("dir_fd", "os.symlink") | ("dst_dir_fd", _) => Some(1),
            ("dir_fd" | "src_dir_fd", _) => Some(0),
            _ => None,
        };
        let mut all = given.to_vec();
        let mut found = false;
        for one in given {
            let Some(at) = one.name.as_deref().and_then(place) else { continue };
            let Some(directory) = self.directory_of_descriptor(&one.value) else { continue };
            found = true;
            let Some(file) = all.get_mut(at).filter(|it| it.name.is_none()) else { continue };
            let text = file.value.text();
            if text.known_prefix().starts_with('/') {
                continue;
            }
            let mut whole = directory;
            whole.push_known("/");
            whole.append(&text);
            file.value = Value::Text(whole);
        }
        found.then_some(all)
    }

    /// The path of what a descriptor stands for; nothing where it stands for nothing.
    pub(super) fn directory_of_descriptor(&mut self, value: &Value) -> Option<Text> {
        match value {
            Value::File(index) => Some(self.name_of_file(*index).text()),
            value if value.is_false() => None,
            _ => Some(Text::unknown("a directory")),
        }
    }

    /// Whether a function changes what is there: a copy, a move, a write.
    pub(super) fn changes_files(&self, path: &str) -> bool {
        use tables::Act;
        matches!(
            tables::row(self.language, &self.canonical(path)),
            Some(
                Act::Write
                    | Act::WriteTo
                    | Act::Append
                    | Act::Copy
                    | Act::Move
                    | Act::Link
                    | Act::Mode
                    | Act::Script
                    | Act::CodeIn(_)
            )
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{FILLED, KEEPERS, MODULES};

    #[test]
    fn the_names_can_be_looked_up() {
        for names in [FILLED, KEEPERS, MODULES] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
