//! What is reached of a type: `[Type]::Member`. Owns the types that PowerShell scripts use of the framework, what their
//! members give, and what they do with files, programs and the network.

use portcullis_syntax::Span;

use super::{
    super::{
        Evaluator,
        value::{Object, Value, unknown_of},
    },
    paths,
};
use crate::{
    effect::{EffectKind, PermissionChange, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

impl Evaluator<'_, '_> {
    /// A member of a type that is no method.
    pub(in super::super) fn constant(&mut self, class: &str, name: &str, span: Span) -> Value {
        if let Some(value) = self.shared_field(class, name, span) {
            return value;
        }
        match (class, name) {
            (_, "empty") => Value::known(""),
            ("environment", "newline") => Value::known("\n"),
            ("environment", "currentdirectory") => {
                self.walk.directory().map_or_else(|| Value::known("."), Value::known)
            }
            ("io.path", "directoryseparatorchar") => Value::known("/"),
            _ if class.ends_with("encoding") => Value::Type(format!("text.encoding {name}").into()),
            ("ref", "assembly") => {
                let object = Object { class: "reflection".to_owned(), ..Object::default() };
                self.object(object)
            }
            _ => Value::Text(Text::unknown(&format!("{class}::{name}"))),
        }
    }

    /// A method of a type is called.
    pub(super) fn static_method(
        &mut self,
        class: &str,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        if name == "new" {
            return self.made(class, given, span);
        }
        if matches!((class, name), ("powershell" | "management.automation.powershell", "create")) {
            return self.made(class, given, span);
        }
        for read in [Self::type_of_texts, Self::type_of_places, Self::type_of_machine] {
            if let Some(value) = read(self, class, name, given, span) {
                return value;
            }
        }
        let mut shown = Text::unknown(&format!("{class}::{name}"));
        for value in given {
            shown.inherit(&self.text(value));
        }
        self.unknown_method(class, name, span);
        Value::Text(shown)
    }

    /// Types that make texts, numbers and lists of others.
    fn type_of_texts(
        &mut self,
        class: &str,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Option<Value> {
        let first = given.first();
        let text =
            |it: &Self, at: usize| given.get(at).map(|value| it.text(value)).unwrap_or_default();
        Some(match (class, name) {
            ("convert", "frombase64string") => Value::Text(decoded(&text(self, 0))),
            ("convert", "tobase64string") => {
                let source = text(self, 0);
                let encoded =
                    source.as_known().map(|known| data_encoding::BASE64.encode(known.as_bytes()));
                match encoded {
                    Some(encoded) => Value::Text(source.derive([Piece::Known(encoded)])),
                    None => Value::Text(unknown_of(&source, "encoded")),
                }
            }
            ("convert", "toint32" | "toint16" | "tobyte" | "toint64") => {
                let base = given.get(1).and_then(Value::as_number);
                let known = first.and_then(Value::as_known);
                match (known, base) {
                    (Some(digits), Some(base @ (2 | 8 | 16))) => {
                        let digits = digits.trim_start_matches("0x");
                        i64::from_str_radix(digits, u32::try_from(base).unwrap_or(10)).map_or_else(
                            |_| Value::unknown("a number"),
                            |it| Value::known(it.to_string()),
                        )
                    }
                    _ => first.cloned().unwrap_or(Value::Nothing),
                }
            }
            ("convert", "tochar") => {
                first.map_or(Value::Nothing, |it| self.convert("char", it, span))
            }
            ("char", "convertfromutf32") => {
                first.map_or(Value::Nothing, |it| self.convert("char", it, span))
            }
            ("scriptblock", "create") => {
                let code = text(self, 0);
                self.code_value(&code)
            }
            ("string", "join") => {
                let between = text(self, 0);
                let parts: Vec<Text> = given
                    .iter()
                    .skip(1)
                    .flat_map(Value::elements)
                    .map(|it| self.text(&it))
                    .collect();
                let mut joined = Text::default();
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        joined.append(&between);
                    }
                    joined.append(part);
                }
                Value::Text(joined)
            }
            ("string", "concat") => {
                let parts: Vec<Text> =
                    given.iter().flat_map(Value::elements).map(|it| self.text(&it)).collect();
                Value::Text(super::super::value::join(parts, ""))
            }
            ("string", "format") => {
                let pattern = first.cloned().unwrap_or(Value::Nothing);
                let rest = Value::List(given.get(1..).unwrap_or_default().to_vec().into());
                self.operate("f", &pattern, &rest, span)
            }
            ("string", "isnullorempty" | "isnullorwhitespace") => Value::unknown("a condition"),
            ("array", "reverse") => {
                // The list is changed where it stands: see `method`, which knows its name.
                Value::Nothing
            }
            ("array" | "linq.enumerable", _) if !given.is_empty() => {
                first.cloned().unwrap_or(Value::Nothing)
            }
            ("regex", "replace") => {
                let right = Value::List(given.get(1..).unwrap_or_default().to_vec().into());
                self.operate("replace", first.unwrap_or(&Value::Nothing), &right, span)
            }
            ("regex", "unescape") => first.cloned().unwrap_or(Value::Nothing),
            ("char", "toupper") => {
                self.method_of(first.unwrap_or(&Value::Nothing), "toupper", &[], span)
            }
            ("char", "tolower") => {
                self.method_of(first.unwrap_or(&Value::Nothing), "tolower", &[], span)
            }
            _ if class.starts_with("text.encoding") && !name.starts_with("get") => {
                first.cloned().unwrap_or(Value::Nothing)
            }
            _ => return None,
        })
    }

    /// Types of paths, of the environment, and of files.
    fn type_of_places(
        &mut self,
        class: &str,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Option<Value> {
        let text =
            |it: &Self, at: usize| given.get(at).map(|value| it.text(value)).unwrap_or_default();
        let file = |it: &Self, at: usize| {
            let value = given.get(at).cloned().unwrap_or(Value::Nothing);
            it.path_argument(&value, span)
        };
        Some(match (class, name) {
            ("io.path", "combine" | "join") => {
                let mut path = Text::default();
                for (index, part) in given.iter().flat_map(Value::elements).enumerate() {
                    let part = paths::slashed(&self.text(&part));
                    let is_rooted =
                        part.known_prefix().starts_with('/') || part.known_prefix().contains(":/");
                    if is_rooted && name == "combine" {
                        path = part;
                        continue;
                    }
                    if index > 0
                        && !matches!(path.pieces.last(), Some(Piece::Known(known)) if known.ends_with('/'))
                    {
                        path.push_known("/");
                    }
                    path.append(&part);
                }
                Value::Text(path)
            }
            ("io.path", "gettemppath") => Value::known("%TEMP%/"),
            ("io.path", "gettempfilename" | "getrandomfilename") => {
                Value::Text(Text::known("%TEMP%/new.tmp"))
            }
            ("io.path", "getfullpath") => Value::Text(file(self, 0).text),
            ("io.path", _) => Value::Text(unknown_of(&text(self, 0), "a part of a path")),
            ("environment", "getfolderpath") => Value::Text(folder(&text(self, 0))),
            ("environment", "getenvironmentvariables") => {
                Value::Text(Text { taint: Taint::SECRET, ..Text::unknown("the environment") })
            }
            ("environment", "getenvironmentvariable") => {
                let variable = text(self, 0).display();
                let expression = portcullis_syntax::tree::Expression {
                    kind: portcullis_syntax::tree::ExpressionKind::Variable(format!(
                        "env:{variable}"
                    )),
                    span,
                };
                self.expression(&expression)
            }
            ("environment", "setenvironmentvariable") => {
                let variable = text(self, 0).display();
                let scope = text(self, 2).display();
                let value = given.get(1).cloned().unwrap_or(Value::Nothing);
                self.set_variable(&format!("env:{variable}"), vec![value], span);
                if !scope.is_empty() && !scope.eq_ignore_ascii_case("process") {
                    self.walk.note("windows.persistence.task", span);
                }
                Value::Nothing
            }
            ("environment", "failfast" | "exit") => Value::Nothing,
            ("io.file" | "io.directory", _) => self.file_method(class, name, given, span),
            ("io.compression.zipfile", "createfromdirectory") => {
                let content = self.walk.read(&file(self, 0));
                let to = file(self, 1);
                self.write_file(&to, WriteMode::Replace, content);
                Value::Nothing
            }
            ("io.compression.zipfile", "extracttodirectory") => {
                let content = self.walk.read(&file(self, 0));
                self.walk.write(&file(self, 1), WriteMode::Create, content);
                Value::Nothing
            }
            _ => return None,
        })
    }

    /// Types that start, load and reach what is outside of the script.
    fn type_of_machine(
        &mut self,
        class: &str,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Option<Value> {
        let first = given.first();
        let text =
            |it: &Self, at: usize| given.get(at).map(|value| it.text(value)).unwrap_or_default();
        let file = |it: &Self, at: usize| {
            let value = given.get(at).cloned().unwrap_or(Value::Nothing);
            it.path_argument(&value, span)
        };
        Some(match (class, name) {
            ("diagnostics.process", "start") => {
                let made = given.first().cloned().unwrap_or(Value::Nothing);
                let (name, rest) = match made {
                    Value::Object(number) => {
                        let part = |it: &Self, name: &str| {
                            it.state.part(number, name).and_then(|values| values.first()).cloned()
                        };
                        (part(self, "filename").unwrap_or(Value::Nothing), part(self, "arguments"))
                    }
                    other => (other, given.get(1).cloned()),
                };
                let name = self.text(&name);
                let line = rest.map(|rest| self.text(&rest)).unwrap_or_default();
                self.start_line(&name, &line, span)
            }
            ("diagnostics.process", "getprocesses") => Value::unknown("every process"),
            (
                "reflection.assembly",
                "load" | "loadfile" | "loadfrom" | "unsafeloadfrom" | "loadwithpartialname",
            ) => {
                let code = text(self, 0);
                let is_framework = name == "loadwithpartialname"
                    || code.known_prefix().starts_with("System.")
                    || code.known_prefix().starts_with("Microsoft.");
                if !is_framework {
                    let remote = code.taint.has(Taint::NETWORK) || code.taint.has(Taint::DECODED);
                    if remote || name == "load" || code.known_prefix().contains("://") {
                        self.walk.note("code.powershell.memory", span);
                    } else {
                        self.walk.read(&file(self, 0));
                    }
                }
                let object =
                    Object { class: "assembly".to_owned(), made_of: code, ..Object::default() };
                self.object(object)
            }
            ("runtime.interopservices.marshal", _) => {
                if matches!(
                    name,
                    "copy" | "writebyte" | "writeint32" | "getdelegateforfunctionpointer"
                ) {
                    self.walk.note("code.powershell.memory", span);
                }
                let value = text(self, 0);
                Value::Text(unknown_of(&value, "unmanaged"))
            }
            ("security.cryptography.protecteddata", "unprotect") => {
                self.walk.note("windows.secrets.read", span);
                let mut value = unknown_of(&text(self, 0), "a secret");
                value.taint = value.taint.with(Taint::SECRET);
                Value::Text(value)
            }
            ("net.dns", _) => {
                let host = self.argument(&first.cloned().unwrap_or(Value::Nothing), span);
                Value::Text(self.walk.connect(&host, None, false))
            }
            ("net.webrequest" | "net.httpwebrequest", "create" | "createhttp") => {
                self.made("net.webrequest", given, span)
            }
            ("activator", "createinstance") => match first {
                Some(Value::Type(class)) => {
                    self.made(&class.clone(), given.get(1..).unwrap_or_default(), span)
                }
                _ => self.unknown_from("an object", &given.iter().collect::<Vec<_>>()),
            },
            ("type", "gettypefromprogid" | "gettypefromclsid") => {
                let name = text(self, 0).display().to_ascii_lowercase();
                Value::Type(format!("com {name}").into())
            }
            ("microsoft.win32.registry", "setvalue") => {
                let path = self.argument(&first.cloned().unwrap_or(Value::Nothing), span);
                let content =
                    super::super::value::join(given.iter().skip(1).map(|it| self.text(it)), " ");
                self.registry_set(&path, &content);
                Value::Nothing
            }
            (
                "microsoft.visualbasic.interaction" | "microsoft.visualbasic.fileio.filesystem",
                "deletedirectory" | "deletefile",
            ) => {
                self.walk.delete(&file(self, 0), name == "deletedirectory");
                Value::Nothing
            }
            ("wmiclass", _) => Value::unknown("a class"),
            _ => return None,
        })
    }

    /// A program with its arguments in one line.
    pub(super) fn start_line(&mut self, name: &Text, line: &Text, span: Span) -> Value {
        let words = match line.as_known() {
            Some(known) => super::programs::words_of(known)
                .into_iter()
                .map(|word| Value::Text(line.derive([Piece::Known(word)])))
                .collect(),
            None => vec![Value::Text(line.clone())],
        };
        let given = super::programs::positional(Some(&Value::List(words.into())), span);
        self.run_program(name, &given, None, span)
    }

    fn file_method(&mut self, class: &str, name: &str, given: &[Value], span: Span) -> Value {
        let file = |it: &Self, at: usize| {
            let value = given.get(at).cloned().unwrap_or(Value::Nothing);
            it.path_argument(&value, span)
        };
        let content = |it: &Self| given.get(1).map(|value| it.text(value)).unwrap_or_default();
        match name {
            "delete" => {
                let recursive = class == "io.directory"
                    && given
                        .get(1)
                        .is_some_and(|it| super::super::statements::truth(it) != Some(false));
                self.walk.delete(&file(self, 0), recursive);
            }
            "readalltext" | "readalllines" | "readallbytes" | "readlines" | "openread"
            | "opentext" => {
                return Value::Text(self.walk.read(&file(self, 0)));
            }
            "writealltext" | "writeallbytes" | "writealllines" => {
                let content = content(self);
                self.write_file(&file(self, 0), WriteMode::Replace, content);
            }
            "appendalltext" | "appendalllines" => {
                let content = content(self);
                self.write_file(&file(self, 0), WriteMode::Append, content);
            }
            "create" | "createtext" | "openwrite" | "open" | "appendtext" => {
                let mode =
                    if class == "io.directory" { WriteMode::Create } else { WriteMode::Replace };
                self.write_file(&file(self, 0), mode, Text::unknown("content"));
            }
            "createdirectory" => {
                self.walk.write(&file(self, 0), WriteMode::Create, Text::default())
            }
            "copy" => {
                let (from, to) = (file(self, 0), file(self, 1));
                self.program(&["cp"], &[&from, &to], span);
            }
            "move" => {
                let (from, to) = (file(self, 0), file(self, 1));
                self.program(&["mv"], &[&from, &to], span);
            }
            "setaccesscontrol" | "setattributes" => {
                let change = PermissionChange::Attribute(content(self));
                self.walk.permission(&file(self, 0), false, change);
            }
            "getfiles"
            | "getdirectories"
            | "enumeratefiles"
            | "enumeratedirectories"
            | "getfilesystementries"
            | "enumeratefilesystementries" => {
                let mut path = file(self, 0).text;
                path.push_known("/");
                let name =
                    given.get(1).map(|it| self.text(it).display()).unwrap_or_else(|| "*".into());
                let all = given.get(2).is_some();
                path.push(Piece::Glob(if all { "**".to_owned() } else { name }));
                return Value::Text(path);
            }
            "exists" => return Value::unknown("a condition"),
            _ => return Value::Text(unknown_of(&file(self, 0).text, name)),
        }
        Value::Nothing
    }

    pub(super) fn new_object(&mut self, bound: &super::Bound) -> Value {
        let span = bound.span;
        if let Some(name) = bound.get(&["comobject"]) {
            let class = format!("com {}", self.text(name).display().to_ascii_lowercase());
            return self.object(Object { class, ..Object::default() });
        }
        let Some(class) = bound.get(&["typename"]) else { return Value::Nothing };
        let class = self.text(class).display();
        let mut given: Vec<Value> =
            bound.get(&["argumentlist"]).map(Value::elements).unwrap_or_default();
        given.extend(bound.rest.iter().flat_map(|it| it.0.elements()));
        // `New-Object Type(a, b)`
        let (name, _) = class.split_once('(').unwrap_or((&class, ""));
        let made = self.made(&super::super::expressions::type_name(name), &given, span);
        if let (Value::Object(made), Some(Value::Object(with))) = (&made, bound.get(&["property"]))
        {
            let entries =
                self.state.objects.get(*with).map(|it| it.entries.clone()).unwrap_or_default();
            for (name, values) in entries {
                for value in values {
                    self.state.set_part(*made, &name, value);
                }
            }
        }
        made
    }

    /// A thing of a type.
    pub(super) fn made(&mut self, class: &str, given: &[Value], span: Span) -> Value {
        if let Some(made) = self.instance(class, given, span) {
            return made;
        }
        let mut made_of = Text::default();
        for value in given {
            made_of.append(&self.text(value));
        }
        match class {
            "net.sockets.tcpclient" | "net.sockets.socket" | "net.sockets.udpclient" => {
                if let Some(host) = given.first() {
                    let host = self.argument(host, span);
                    self.walk.connect(&host, None, false);
                }
                self.walk.note("code.shell.reverse", span);
            }
            "net.sockets.tcplistener" | "net.httplistener" => {
                let host = self.argument(given.first().unwrap_or(&Value::known("0.0.0.0")), span);
                self.walk.connect(&host, None, true);
            }
            "string" => {
                return match given {
                    [one] => Value::Text(self.text(one)),
                    [letter, count] => self.operate("*", letter, count, span),
                    _ => Value::Text(made_of),
                };
            }
            "io.streamreader" | "io.binaryreader"
                if matches!(given.first(), Some(Value::Text(_)))
                    && !made_of.taint.has(Taint::NETWORK)
                    && !made_of.taint.has(Taint::DECODED) =>
            {
                let value = given.first().cloned().unwrap_or(Value::Nothing);
                let file = self.path_argument(&value, span);
                made_of = self.walk.read(&file);
            }
            "io.streamwriter" | "io.filestream" => {
                let value = given.first().cloned().unwrap_or(Value::Nothing);
                if matches!(value, Value::Text(_)) {
                    let file = self.path_argument(&value, span);
                    if paths::drive(file.text.known_prefix()).is_none()
                        && class == "io.streamwriter"
                    {
                        self.write_file(&file, WriteMode::Replace, Text::unknown("content"));
                    }
                    made_of = file.text;
                }
            }
            "io.compression.gzipstream" | "io.compression.deflatestream" | "io.memorystream" => {
                made_of.taint = made_of.taint.with(Taint::DECODED);
            }
            "net.mail.smtpclient" => {}
            _ if class.contains("passwordvault") => self.walk.note("windows.secrets.read", span),
            "management.automation.pscredential" => {
                made_of.taint = made_of.taint.with(Taint::SECRET);
            }
            _ => {}
        }
        let items = if class.contains("list")
            || class.contains("stack")
            || class.contains("queue")
            || class.ends_with("hashset")
        {
            given.iter().flat_map(Value::elements).collect()
        } else {
            Vec::new()
        };
        let mut object = Object { class: class.to_owned(), items, made_of, ..Object::default() };
        if class == "diagnostics.processstartinfo" {
            for (name, value) in ["filename", "arguments"].iter().zip(given) {
                object.entries.push(((*name).to_owned(), vec![value.clone()]));
            }
        }
        self.object(object)
    }

    /// A method that no list names, judged by its verb.
    pub(super) fn unknown_method(&mut self, class: &str, name: &str, span: Span) {
        let loses = [
            "delete",
            "remove",
            "destroy",
            "erase",
            "wipe",
            "format",
            "kill",
            "terminate",
            "shutdown",
            "purge",
            "truncate",
            "drop",
            "disable",
        ];
        let own = class.contains("list")
            || class.contains("map")
            || class == "hashtable"
            || class.contains("collections")
            || class.starts_with("text")
            || class == "string";
        if !own && loses.iter().any(|verb| name.starts_with(verb)) {
            self.walk.note("windows.cmdlet.remove", span);
        }
    }

    pub(super) fn killed(&mut self, target: Text, span: Span) {
        let everything = matches!(target.pieces.as_slice(), [Piece::Unknown(what)] if **what == *"every process");
        self.walk.emit(EffectKind::Kill { target, everything }, span);
    }
}

/// What base64 says, as text where it is one.
fn decoded(text: &Text) -> Text {
    let bytes = text.as_known().and_then(|known| {
        let known: String = known.chars().filter(|letter| !letter.is_whitespace()).collect();
        data_encoding::BASE64.decode(known.as_bytes()).ok()
    });
    let mut decoded = match bytes {
        Some(bytes) => match String::from_utf8(bytes) {
            Ok(known) => text.derive([Piece::Known(known)]),
            Err(error) => {
                let mut decoded = Text::binary("decoded", error.into_bytes());
                decoded.inherit(text);
                decoded
            }
        },
        None => unknown_of(text, "decoded"),
    };
    decoded.taint = decoded.taint.with(Taint::DECODED);
    decoded
}

/// The directory that Windows has a name for.
pub(super) fn folder(name: &Text) -> Text {
    let known = match name.display().to_ascii_lowercase().as_str() {
        "startup" | "commonstartup" => "%APPDATA%/Microsoft/Windows/Start Menu/Programs/Startup",
        "applicationdata" => "%APPDATA%",
        "localapplicationdata" => "%LOCALAPPDATA%",
        "commonapplicationdata" => "%PROGRAMDATA%",
        "programfiles" => "%PROGRAMFILES%",
        "system" => "%SYSTEMROOT%/System32",
        "windows" => "%SYSTEMROOT%",
        "userprofile" => "~",
        "desktop" | "desktopdirectory" => "~/Desktop",
        "mydocuments" | "personal" => "~/Documents",
        "mymusic" => "~/Music",
        "mypictures" => "~/Pictures",
        "myvideos" => "~/Videos",
        "favorites" => "~/Favorites",
        "recent" => "%APPDATA%/Microsoft/Windows/Recent",
        "sendto" => "%APPDATA%/Microsoft/Windows/SendTo",
        "startmenu" | "programs" | "commonstartmenu" | "commonprograms" => {
            "%APPDATA%/Microsoft/Windows/Start Menu/Programs"
        }
        "commondesktopdirectory"
        | "commondocuments"
        | "commonmusic"
        | "commonpictures"
        | "commonvideos" => "C:/Users/Public",
        "programfilesx86" => "C:/Program Files (x86)",
        "systemx86" => "%SYSTEMROOT%/SysWOW64",
        "fonts" => "%SYSTEMROOT%/Fonts",
        _ => return Text::unknown("a directory"),
    };
    Text::known(known)
}
