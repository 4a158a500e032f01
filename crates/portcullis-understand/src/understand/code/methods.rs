//! Methods of texts, lists, files and connections. Owns what they give; what reaches out of the program is told to the
//! walk through `calls`.

use portcullis_syntax::Span;

use super::{
    binding::is_listing,
    fold::{self, Fold},
    handed, hooked,
    interpreter::Interpreter,
    services,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    effect::{Argument, WriteMode},
    place::{self, Place},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

mod texts;

pub(super) use texts::{A_NAME, is_a_name, keeps_secrets, pack};
use texts::{cut_out, partition, put_into, split};

/// Whether a pattern says by a name what it finds, in whichever directory: `build`, `**/__pycache__`, `*.egg-info`.
fn names_what(pattern: &str) -> bool {
    let below = pattern.strip_prefix("**/").unwrap_or(pattern);
    let ending = below.trim_start_matches(['*', '/']);
    let is_kind = ending.starts_with('.') && !ending.contains(['*', '?', '[', '/']);
    !pattern.starts_with('/') && !below.is_empty() && (!below.starts_with('*') || is_kind)
}

impl Interpreter<'_, '_, '_> {
    /// Calls a method of a value.
    pub(super) fn call_method(
        &mut self,
        receiver: Value,
        name: &str,
        given: &[Given],
        span: Span,
    ) -> Value {
        if self.tells_program(&receiver, name, given) {
            return receiver;
        }
        self.method_stops_checks(given, span);
        // `request.add_header("User-Agent", secret)`
        if self.language == "python"
            && matches!(name, "add_header" | "add_unredirected_header" | "putheader")
            && let [name, value] = given
        {
            let header = name.value.as_known().unwrap_or_default();
            let text = hooked::one_header(header, &value.value);
            if text.taint.has(Taint::SECRET) {
                let address = Argument { text: self.peer.clone(), span };
                self.walk.connect(&address, Some(text), false);
            }
        }
        if name == "format_map"
            && let [object] = given
        {
            self.asked_by_template(&receiver, &object.value, span);
        }
        if self.language == "python" && self.patches_by_fixture(&receiver, name, given) {
            return Value::name("unittest.mock.MagicMock()");
        }
        // `directory.name = path`, `directory.cleanup()`: what it was given another name of.
        if self.language == "python"
            && name == "cleanup"
            && given.is_empty()
            && self.source.contains("TemporaryDirectory")
            && matches!(&receiver, Value::Text(text) if text.as_known() != Some("/tmp/tmp.made"))
        {
            let path = Given { name: None, value: receiver.clone(), span };
            return self.act(Act::DeleteTree, "shutil.rmtree", &[path], span);
        }
        match receiver {
            Value::File(index) => self.file_method(index, name, given),
            Value::Any(list) => list
                .into_iter()
                .map(|value| self.call_method(value, name, given, span))
                .reduce(Value::or)
                .unwrap_or_else(|| Value::unknown(name)),
            Value::Method(method) => {
                // A member that was not called: a property of the value, as in `response.raw.read()`.
                let (inner, _) = *method;
                self.call_method(inner, name, given, span)
            }
            Value::Name(..)
                if self.language == "javascript" && matches!(name, "call" | "apply" | "bind") =>
            {
                let rest = given.get(1..).unwrap_or_default();
                match name {
                    "bind" if rest.is_empty() => receiver,
                    "apply" => {
                        let spread = rest.iter().flat_map(handed::spread).collect();
                        self.call_value(receiver, spread, span)
                    }
                    _ => self.call_value(receiver, rest.to_vec(), span),
                }
            }
            // Its own source, which is shown to somebody.
            Value::Function(_) if name == "toString" && self.is_printed() => {
                Value::unknown("the source of a function")
            }
            Value::Function(index) if matches!(name, "call" | "apply" | "bind" | "__call__") => {
                self.call_through(index, name, given)
            }
            receiver => match self.container_method(&receiver, name, given, span) {
                Some(value) => value,
                None => self.text_method(receiver, name, given, span),
            },
        }
    }

    /// `f.call(this, …)`, `f.apply(this, […])`; what `bind` gives is called with what it is given here.
    fn call_through(&mut self, index: usize, name: &str, given: &[Given]) -> Value {
        let rest = if name == "__call__" { given } else { given.get(1..).unwrap_or_default() };
        let object = given.first().filter(|_| self.language == "javascript" && name != "__call__");
        let object = object.filter(|it| !it.value.is_false() || it.value.as_known().is_some());
        if let Some(object) = object {
            if name == "bind" && rest.is_empty() {
                return self.bound_to(index, object.value.clone());
            }
            self.this = Some((String::new(), object.value.clone()));
        }
        match name {
            "apply" => {
                let spread: Vec<Given> = rest.iter().flat_map(handed::spread).collect();
                self.apply(index, Some(&spread))
            }
            "bind" if rest.is_empty() => Value::Function(index),
            _ => self.apply(index, Some(rest)),
        }
    }

    /// Whether the method of a variable that the reading stands behind is all that `console` is given: `console.log(f.toString())`.
    fn is_printed(&self) -> bool {
        let open = self
            .at
            .checked_sub(1)
            .map_or(0, |close| self.unit.partners.get(close).copied().unwrap_or_default());
        let before = |back: usize| open.checked_sub(back).map_or("", |at| self.name_at(at));
        self.language == "javascript"
            && before(2) == "."
            && before(4) == "("
            && before(6) == "."
            && before(7) == "console"
            && self.name_at(self.at) == ")"
    }

    fn file_method(&mut self, index: usize, name: &str, given: &[Given]) -> Value {
        match name {
            "write" | "writelines" | "puts" | "print" | "printf" | "syswrite" | "end"
            | "WriteLine" => {
                let mut content = Text::default();
                for given in given {
                    match &given.value {
                        Value::List(list) => {
                            list.iter().for_each(|value| content.append(&value.text()))
                        }
                        value => content.append(&services::put_down(value)),
                    }
                }
                if matches!(name, "puts") {
                    content.push_known("\n");
                }
                self.write_file(index, &content);
                Value::File(index)
            }
            "close" | "flush" | "seek" | "fileno" | "truncate" | "sync" => Value::unknown(name),
            _ => {
                let read = self.read_of_file(index);
                if matches!(name, "read" | "gets" | "readline" | "sysread" | "getvalue") {
                    return Value::Text(read);
                }
                let mut text = Text::unknown("a file's content");
                text.inherit(&read);
                Value::Text(text)
            }
        }
    }

    fn text_method(&mut self, receiver: Value, name: &str, given: &[Given], span: Span) -> Value {
        // Python's receiver stands in between: each of several lists is joined.
        if name == "join"
            && let [Given { value: Value::Any(lists), .. }] = given
        {
            let each = |value: &Value| {
                let one = Given { name: None, value: value.clone(), span };
                self.text_method(receiver.clone(), name, &[one], span)
            };
            let joined: Vec<Value> = lists.iter().map(each).collect();
            return joined.into_iter().reduce(Value::or).unwrap_or_else(|| Value::unknown(name));
        }
        if let Some(value) = self.path_object(&receiver, name, given, span) {
            return value;
        }
        let plain = self.plain_method(&receiver, name, given);
        if let Some(value) = plain.or_else(|| self.path_like(&receiver, name, given)) {
            return value;
        }
        let mut all = vec![Given { name: None, value: receiver.clone(), span }];
        all.extend(given.iter().cloned());
        let kind = match name {
            "decode" | "toString" | "to_s" | "encode" if !given.is_empty() => Some(Fold::Codec),
            "decode" | "encode" | "toString" | "to_s" | "to_str" | "strip_heredoc" | "freeze"
            | "dup" | "expanduser" | "resolve" | "absolute" | "as_posix" | "read" | "getvalue"
            | "string" | "communicate" | "wait" | "flat" | "values" | "tolist" | "to_a"
            | "chars" | "valueOf" | "copy" | "b" | "force_encoding" | "trimEnd" | "text"
            | "json" | "getBytes" | "unwrap" | "getPathname" | "getRealPath" | "to_sym"
            | "intern" | "to_path" => Some(Fold::Same),
            "reverse" | "rev" => Some(Fold::Reverse),
            "lower" | "toLowerCase" | "downcase" | "casefold" => Some(Fold::Lower),
            "upper" | "toUpperCase" | "upcase" => Some(Fold::Upper),
            "strip" | "trim" | "rstrip" | "lstrip" | "chomp" if given.is_empty() => {
                Some(Fold::Trim)
            }
            // A path of Rust and the like.
            "join" if self.language == "java" && matches!(receiver, Value::Text(_)) => {
                Some(Fold::JoinPath)
            }
            // What is joined is the receiver; only Python's receiver stands in between.
            "join"
                if matches!(self.language, "javascript" | "ruby")
                    && !matches!(receiver, Value::List(_)) =>
            {
                // What each of a list that nobody knows was made into: one stands for all.
                if matches!(&receiver, Value::Text(text)
                    if text.has_unknown() && !text.known_prefix().is_empty())
                {
                    return receiver;
                }
                return Value::Text(mixed("what is joined", all.iter().map(|it| &it.value)));
            }
            "join" => Some(Fold::Join),
            "concat" | "append_text" => Some(Fold::Concatenate),
            "joinpath" => Some(Fold::JoinPath),
            "hex" | "pack" if matches!(receiver, Value::List(_)) => {
                return self.pack(&receiver, given);
            }
            "unpack" | "unpack1" => {
                let format = given.first().and_then(|given| given.value.as_known());
                return match format {
                    Some("m" | "m0" | "m*") => fold::fold(Fold::Base64, &all),
                    _ => fold::fold(Fold::Decoded, &all),
                };
            }
            "slice" | "substring" | "substr" | "subarray" if self.language == "javascript" => {
                return cut_out(&receiver, name, given);
            }
            // What a statement is made into is a statement.
            "compile"
                if self.language == "python" && super::calls::looks_like_sql(&receiver.text()) =>
            {
                Some(Fold::Same)
            }
            "charCodeAt" | "ord" => Some(Fold::Ordinal),
            _ => None,
        };
        if let Some(kind) = kind {
            let value = fold::fold(kind, &all);
            let is_packed =
                self.seen.packed.taint != Taint::NONE || !self.seen.packed.sources.is_empty();
            if matches!(name, "getvalue" | "read") && is_packed {
                let mut text = value.text();
                text.inherit(&self.seen.packed);
                return Value::Text(text);
            }
            return value;
        }
        // `tarfile.open(…).extractall('/')`, `ZipFile(…).extract(name, '/')`
        let is_told = given.len() > 1 || given.iter().any(|given| given.name.is_some());
        if self.language == "python" && (name == "extractall" || name == "extract" && is_told) {
            return self.unpack(name, given, span);
        }
        // What is written into a request that is under way is sent.
        let taint = mixed("what is sent", given.iter().map(|given| &given.value)).taint;
        if matches!(name, "write" | "end" | "send")
            && receiver.taint().has(Taint::NETWORK)
            && taint.has(Taint::SECRET)
        {
            return self.act(Act::Send, name, given, span);
        }
        // `superagent.get(address).set("x", value)`
        if let ("set" | "header", [header, value]) = (name, given)
            && self.language == "javascript"
            && receiver.taint().has(Taint::NETWORK)
            && hooked::one_header(header.value.as_known().unwrap_or_default(), &value.value)
                .taint
                .has(Taint::SECRET)
        {
            return self.act(Act::Send, name, given, span);
        }
        self.made_of_text(receiver, name, given, &all, span)
    }

    /// What a method makes of a text, beside what is the same in every language.
    fn made_of_text(
        &mut self,
        receiver: Value,
        name: &str,
        given: &[Given],
        all: &[Given],
        span: Span,
    ) -> Value {
        match (name, given) {
            ("format", _) => fold::format_braces(&receiver.text(), given),
            ("replace" | "replaceAll" | "gsub" | "sub" | "tr" | "delete_all", [from, to, ..]) => {
                self.replace(&receiver, name, from, to)
            }
            ("split", _) => split(&receiver, given, self.language == "python"),
            ("partition" | "rpartition", _) => partition(&receiver, given.first(), name),
            ("shellsplit", []) => fold::fold(Fold::Words, all),
            ("append" | "push" | "add" | "extend" | "unshift" | "insert", _) => {
                // The list itself is not followed through the method; its name no longer says what is in it.
                Value::Text(mixed("a list", all.iter().map(|given| &given.value)))
            }
            ("map" | "forEach" | "filter" | "each" | "collect", _) => receiver,
            // `fs.createReadStream(key).pipe(request)`
            ("pipe", [to, ..]) if self.language == "javascript" => {
                self.piped(&receiver.text(), &to.value, span);
                match &to.value {
                    // What changes what goes through it gives what it got.
                    Value::Name(path, text)
                        if ["crypto.", "stream.", "zlib."]
                            .iter()
                            .any(|module| path.starts_with(module)) =>
                    {
                        let mut text = text.clone();
                        receiver.inherit_into(&mut text);
                        Value::reached(path, text)
                    }
                    to => to.clone(),
                }
            }
            ("then" | "catch" | "finally" | "on" | "pipe" | "tap", _) => receiver,
            ("get" | "fetch" | "dig", [key, ..]) if matches!(receiver, Value::Table(_)) => {
                match key.value.as_known().and_then(|key| receiver.entry(key)) {
                    Some(value) => value.clone(),
                    None => Value::unknown("an entry"),
                }
            }
            // A directory for one test: `tmp_path_factory.mktemp("x")`.
            ("mktemp" | "mkdtemp", _) if self.language == "python" => {
                Value::Text(Text::known("/tmp/tmp.made"))
            }
            ("execute", []) if self.language == "java" => {
                let text = receiver.text();
                Value::Text(self.run_shell(&text, span, None))
            }
            ("constructor", [_, ..]) => self.act(Act::Code, "Function", given, span),
            _ => match self.path_method(&receiver, name, given, span) {
                Some(value) => value,
                None => {
                    if receiver.as_known().is_none() {
                        self.method_of_unknown(&receiver, name, given, span);
                    }
                    Value::Text(mixed(name, all.iter().map(|given| &given.value)))
                }
            },
        }
    }

    /// What is put into an archive of the package archiver goes where it is led, once all is in it.
    fn packs(&mut self, name: &str, given: &[Given], span: Span) -> Option<Value> {
        let first = given.first();
        match name {
            "append" => {
                let content = first.map(|it| it.value.text()).unwrap_or_default();
                self.seen.packed.inherit(&content);
            }
            "directory" | "file" | "glob" => {
                let inside = given.iter().find_map(|it| it.value.entry("cwd").cloned());
                let place = inside.filter(|_| name == "glob");
                let place = place.or_else(|| first.map(|it| it.value.clone()))?;
                self.flush();
                let content = self.walk.read(&Argument { text: place.text(), span });
                self.seen.packed.inherit(&content);
            }
            "pipe" => {
                self.seen.packed_to = first.map(|it| it.value.clone());
                return first.map(|it| it.value.clone());
            }
            "finalize" => {
                if let Some(to) = self.seen.packed_to.take() {
                    let packed = self.seen.packed.derive([Piece::Unknown("an archive".into())]);
                    self.piped(&packed, &to, span);
                }
                return Some(Value::unknown("nothing"));
            }
            _ => return None,
        }
        Some(Value::name("archiver()"))
    }

    /// Methods of objects that are reached by a name, where the name alone says nothing.
    pub(super) fn named_method(
        &mut self,
        path: &str,
        name: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let receiver = path.strip_suffix(name)?.strip_suffix('.')?;
        if receiver == "archive()" && name == "add" {
            let file = Argument {
                text: given.first().map(|given| given.value.text()).unwrap_or_default(),
                span,
            };
            let content = self.walk.read(&file);
            self.seen.packed.inherit(&content);
            return Some(Value::unknown("nothing"));
        }
        if receiver == "archiver()" && self.language == "javascript" {
            return self.packs(name, given, span);
        }
        // `form.submit("https://…", done)` of the package form-data.
        if receiver == "form-data()" && name == "submit" {
            let form = Given { name: None, value: Value::Text(text.clone()), span };
            let all: Vec<Given> = given.first().cloned().into_iter().chain([form]).collect();
            return Some(self.act(Act::Post, "axios.post", &all, span));
        }
        // Rows that are written to a text in memory.
        if matches!(receiver, "csv.writer()" | "csv.DictWriter()")
            && name.starts_with("writerow")
            && self.source.contains("StringIO")
        {
            let rows = mixed("rows", given.iter().map(|given| &given.value));
            self.seen.packed.inherit(&rows);
            return Some(Value::unknown("nothing"));
        }
        if receiver == "native()" {
            if matches!(name, "unlink" | "remove" | "rmdir") {
                return Some(self.act(Act::Delete, path, given, span));
            }
            // `kill(-1, 9)` is everything that may be killed.
            if name == "kill" {
                return Some(self.act(Act::Kill, "os.kill", given, span));
            }
            if name == "reboot" {
                let word = Argument { text: Text::known("reboot"), span };
                self.walk.run(&[word], None);
            }
            if matches!(name, "system" | "popen" | "execve" | "execl") {
                return Some(self.act(Act::Shell, path, given, span));
            }
            if matches!(name, "mmap" | "mprotect" | "ptrace" | "memfd_create" | "syscall") {
                self.seen.executable_memory = true;
                self.seen.native_call = Some(span);
            }
            if matches!(name, "setuid" | "setresuid" | "setreuid") {
                return Some(self.act(Act::User, path, given, span));
            }
        }
        if matches!(name, "constructor") && self.language == "javascript" {
            return Some(self.act(Act::Code, "Function", given, span));
        }
        if receiver.starts_with("boto3.") && matches!(name, "delete" | "terminate") {
            self.walk.note("code.cloud.delete", span);
        }
        if matches!(name, "read" | "text" | "content" | "json" | "decode" | "body")
            && text.taint != Taint::NONE
        {
            return Some(Value::Text(text.derive([Piece::Unknown(path.into())])));
        }
        // `parser.parse_args().path` and the like may still be paths.
        if matches!(
            name,
            "unlink"
                | "rmdir"
                | "write_text"
                | "write_bytes"
                | "read_text"
                | "read_bytes"
                | "rmtree"
        ) && self.language == "python"
        {
            let value = Value::reached(receiver, text.clone());
            return self.path_method(&value, name, given, span);
        }
        None
    }

    /// Methods of paths.
    fn path_method(
        &mut self,
        receiver: &Value,
        name: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "python" | "ruby" | "java" | "perl") {
            return None;
        }
        let path = Argument { text: receiver.text(), span };
        let content = |given: &[Given]| {
            given
                .first()
                .map_or_else(|| Text::unknown("content"), |given| services::put_down(&given.value))
        };
        match name {
            "unlink" | "rmdir" | "delete" | "deleteDir" | "remove"
                if given.iter().all(|given| given.name.is_some()) =>
            {
                self.flush();
                self.walk.delete(&path, matches!(name, "deleteDir"));
            }
            // docs.oracle.com, "URL"; groovy-lang.org, kotlinlang.org: what is read of an address.
            "openConnection" | "openStream" | "getText" | "readText" | "readBytes"
            | "readLines"
                if self.language == "java" && path.text.known_prefix().contains("://") =>
            {
                let all = [Given { name: None, value: receiver.clone(), span }];
                return Some(self.act(Act::Get, name, &all, span));
            }
            "deleteRecursively" if self.language == "java" => {
                self.flush();
                self.walk.delete(&path, true);
            }
            "setText" | "writeText" | "writeBytes" if self.language == "java" => {
                self.walk.write(&path, WriteMode::Replace, content(given));
            }
            "appendText" | "appendBytes" if self.language == "java" => {
                self.walk.write(&path, WriteMode::Append, content(given));
            }
            "getText" | "readText" | "readBytes" | "readLines" if self.language == "java" => {
                self.flush();
                return Some(Value::Text(self.walk.read_by_script(&path)));
            }
            "rmtree" | "rm_rf" | "rmtree_p" | "remove_tree" | "removedirs" => {
                self.flush();
                self.walk.delete(&path, true);
            }
            "write_text" | "write_bytes" | "spew" => {
                self.walk.write(&path, WriteMode::Replace, content(given))
            }
            "append_text" | "append" => self.walk.write(&path, WriteMode::Append, content(given)),
            "iterdir" | "glob" | "rglob" => {
                self.flush();
                // Below a home, what is chosen is known by its pattern.
                let is_home = matches!(
                    place::place_of(&self.walk.target(&path.text), self.walk.facts()),
                    Place::Home | Place::OtherHome
                );
                let chosen = match given.first() {
                    Some(given) => given.value.as_known().map(str::to_owned),
                    None => Some("*".to_owned()),
                };
                let names = match (path.text.as_known(), chosen) {
                    (Some(root), Some(chosen)) if is_home && chosen.starts_with('*') => {
                        let deep = if name == "rglob" { "**/" } else { "" };
                        let root = root.trim_end_matches('/');
                        let text = Text::known(format!("{root}/{deep}{chosen}"));
                        self.listed(&Argument { text, span })
                    }
                    _ => self.listed(&path),
                };
                // `Path('.').rglob('__pycache__')`: what is found has the name that was asked for.
                let asked = given.first().map(|given| given.value.alternatives());
                let asked = asked.unwrap_or_default();
                let named: Option<Vec<&str>> =
                    asked.iter().map(|it| it.as_known().filter(|name| names_what(name))).collect();
                let named = named.filter(|named| !named.is_empty());
                let known = path.text.as_known();
                if let (Value::Text(text), Some(named), Some(root)) = (&names, named, known) {
                    let deep = if name == "rglob" { "**/" } else { "" };
                    let root = root.trim_end_matches('/');
                    let found = named.into_iter().map(|named| {
                        let glob = Piece::Glob(format!("{deep}{named}"));
                        Value::Text(text.derive([Piece::Known(format!("{root}/")), glob]))
                    });
                    return found.reduce(Value::or);
                }
                // What is found lies below what was looked through.
                if let (Value::Text(text), Some(root)) = (&names, known)
                    && !is_listing(text)
                {
                    let root = root.trim_end_matches('/');
                    let deep = if name == "rglob" { "**/*" } else { "*" };
                    let all = Piece::Glob(deep.to_owned());
                    return Some(Value::Text(text.derive([Piece::Known(format!("{root}/")), all])));
                }
                return Some(names);
            }
            "read_text" | "read_bytes" | "slurp" => {
                self.flush();
                let text = self.walk.read_by_script(&path);
                return Some(Value::Text(text));
            }
            "touch" | "mkdir" => self.walk.write(&path, WriteMode::Create, Text::default()),
            "chmod" => {
                let mut all = vec![Given { name: None, value: receiver.clone(), span }];
                all.extend(given.iter().cloned());
                return Some(self.act(Act::Mode, name, &all, span));
            }
            "rename" | "replace" if given.len() == 1 => {
                let mut all = vec![Given { name: None, value: receiver.clone(), span }];
                all.extend(given.iter().cloned());
                return Some(self.act(Act::Move, name, &all, span));
            }
            "symlink_to" | "hardlink_to" => {
                self.walk.write(&path, WriteMode::Link, content(given));
            }
            "open" => {
                let mut all = vec![Given { name: None, value: receiver.clone(), span }];
                all.extend(given.iter().cloned());
                return Some(self.act(Act::Open, name, &all, span));
            }
            _ => return None,
        }
        Some(Value::unknown("nothing"))
    }

    fn replace(&mut self, receiver: &Value, name: &str, from: &Given, to: &Given) -> Value {
        // `text.replace(/.*/, execSync)`: what is found is what the function gets.
        if let Value::Name(path, _) = &to.value
            && self.language == "javascript"
            && self.does_something(path)
        {
            let given = Given { name: None, value: receiver.clone(), span: to.span };
            return self.call_value(to.value.clone(), vec![given], to.span);
        }
        let text = receiver.text();
        let known = (text.as_known(), from.value.as_known(), to.value.as_known());
        if let (Some(text_known), Some(from), Some(to)) = known
            && !from.is_empty()
        {
            self.spend(text_known.len() / 32);
            let first_only = name == "sub" || (name == "replace" && self.language == "javascript");
            let replaced = if name == "tr" && from.chars().count() == to.chars().count() {
                text_known
                    .chars()
                    .map(|character| {
                        let position = from.chars().position(|found| found == character);
                        position.and_then(|position| to.chars().nth(position)).unwrap_or(character)
                    })
                    .collect()
            } else if first_only {
                text_known.replacen(from, to, 1)
            } else {
                text_known.replace(from, to)
            };
            let mut result = Text::known(replaced);
            result.inherit(&text);
            return Value::Text(result);
        }
        let changed = mixed("changed text", [receiver, &from.value, &to.value]);
        Value::Text(put_into(&text, name, from, to).unwrap_or(changed))
    }

    fn pack(&mut self, receiver: &Value, given: &[Given]) -> Value {
        let list = match receiver {
            Value::List(list) => list.clone(),
            _ => Vec::new(),
        };
        let format = given.first().and_then(|given| given.value.as_known()).unwrap_or_default();
        let span = given.first().map(|given| given.span).unwrap_or_default();
        pack(format, &list, span)
    }
}
