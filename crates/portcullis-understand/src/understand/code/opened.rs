//! Files that code opens, connections that it makes and objects that it reads back. Owns what stands open while the code goes on.

use portcullis_syntax::Span;

use super::{
    acts::network,
    hooked::told_by_headers,
    interpreter::{Interpreter, Open},
    services,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

impl Interpreter<'_, '_, '_> {
    pub(super) fn connect(
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
            .chain(given.iter().flat_map(|given| {
                let host = given.value.entry("host").cloned();
                let port = given.value.entry("port").filter(|_| host.is_some()).cloned();
                host.into_iter().chain(port)
            }))
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
        let gives_files = given.iter().any(|given| self.gives_files(&given.value))
            || self.language == "javascript" && self.served.is_some();
        if listens && gives_files {
            return self.serve_files(order.first().map(|value| value.text()), path, span);
        }
        let headers = given.iter().filter_map(|it| it.value.entry("headers"));
        let headers = headers.map(told_by_headers).find(|text| text.taint.has(Taint::SECRET));
        let sends = (address.taint.has(Taint::SECRET)).then(|| address.clone()).or(headers);
        self.peer = address.clone();
        let argument = Argument { text: address, span };
        let received = self.walk.connect(&argument, sends, listens);
        Value::reached(&format!("{path}()"), Text { taint: Taint::NETWORK, ..received.derive([]) })
    }

    /// Whether a server that has this for its handler gives out the files of a directory.
    pub(super) fn gives_files(&self, handler: &Value) -> bool {
        const HANDLER: &str = "SimpleHTTPRequestHandler";
        match handler {
            Value::Name(path, _) => {
                path.ends_with(HANDLER)
                    || self.bases.get(&**path).is_some_and(|base| base.ends_with(HANDLER))
            }
            Value::Holder(list) | Value::Any(list) => list.iter().any(|it| self.gives_files(it)),
            Value::Method(method) => self.gives_files(&method.0),
            _ => false,
        }
    }

    /// A library, or an archive of modules, that code loads: what came over the network is run so.
    pub(super) fn loaded(&mut self, file: Option<&Given>, words: &[&str]) {
        let Some(file) = file else { return };
        let path = self.place_of(Some(file));
        self.flush();
        let is_fetched = self.walk.read(&path).taint.has(Taint::NETWORK);
        // A name among temporary ones that nobody can know.
        if !is_fetched
            && path.text.has_unknown()
            && crate::programs::escapes::is_temporary_beside(
                path.text.known_prefix(),
                self.walk.facts(),
            )
            && path.text.known_prefix() != "/tmp/tmp."
        {
            self.walk.note("execution.temporary.escape", file.span);
        }
        if is_fetched {
            let known = |word: &&str| Argument { text: Text::known(*word), span: file.span };
            let mut all: Vec<Argument> = words.iter().map(known).collect();
            all.push(path);
            self.walk.run(&all, None);
        }
    }

    /// `HTTPServer(("", 8000), SimpleHTTPRequestHandler)`: whoever asks gets the files of this directory.
    fn serve_files(&mut self, address: Option<Text>, path: &str, span: Span) -> Value {
        let known = |word: &str| Argument { text: Text::known(word), span };
        let mut words = ["python3", "-m", "http.server"].map(known).to_vec();
        if let Some(directory) = self.served.clone() {
            words.extend([known("--directory"), Argument { text: directory, span }]);
        }
        if let Some(address) = address.filter(|it| it.as_known().is_none_or(|it| !it.is_empty())) {
            words.extend([known("--bind"), Argument { text: address, span }]);
        }
        self.flush();
        self.walk.run(&words, None);
        Value::reached(&format!("{path}()"), Text::default())
    }

    pub(super) fn deserialize(
        &mut self,
        path: &str,
        first: Option<&Given>,
        given: &[Given],
        span: Span,
    ) {
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
        let Some(first) = first else { return };
        // What the code has just written itself, with nothing in it that says how it is read.
        let is_own = path.strip_suffix(".loads").is_some_and(|module| {
            is_one_call(first.span.of(self.source).trim(), &format!("{module}.dumps"))
        }) && !["__setstate__", "__getstate__", "copyreg", "persistent"]
            .iter()
            .any(|word| self.source.contains(word))
            && self.reduces_to_own();
        if safe || full || weights || is_own {
            return;
        }
        let is_fetched = match first.value.as_known() {
            Some(_) if path.ends_with(".load") => {
                let file = self.place_of(Some(first));
                self.flush();
                self.walk.wrote(&file.text) && self.walk.read(&file).taint.has(Taint::NETWORK)
            }
            _ => false,
        };
        let from_file = !is_fetched
            && match &first.value {
                Value::File(index) => {
                    self.files.get(*index).is_some_and(|file| !file.read.taint.has(Taint::NETWORK))
                }
                Value::Text(text) => {
                    text.as_known().is_some() && !path.ends_with("loads") && self.language == "python"
                    || text.taint.has(Taint::FILE) && !text.taint.has(Taint::NETWORK)
                    // In a file of a project, what a text holds that the file makes itself is left open.
                    || self.walk.is_no_question()
                        && !text.taint.has(Taint::NETWORK)
                        && !text.taint.has(Taint::DECODED)
                }
                Value::Name(_, text) => {
                    path.ends_with(".load")
                        && !text.taint.has(Taint::NETWORK)
                        && self.language == "python"
                        && !path.starts_with("yaml")
                }
                _ => false,
            };
        let text = first.value.text();
        // What a file of a project hands to itself: `pickle.loads(pickle.dumps(x))`.
        let from_file = from_file
            || self.walk.is_no_question()
                && matches!(first.value, Value::Name(..))
                && !text.taint.has(Taint::NETWORK)
                && !text.taint.has(Taint::DECODED);
        let is_dumped =
            |path: &str| matches!(path, "pickle.dumps()" | "cloudpickle.dumps()" | "dill.dumps()");
        let is_own = match &first.value {
            Value::Name(path, _) => is_dumped(path),
            // It was written to a file in between, and is read again.
            Value::Text(text) => {
                matches!(&*text.pieces, [Piece::Unknown(what)] if is_dumped(what))
            }
            _ => false,
        } && text.taint == Taint::NONE
            && !["__getstate__", "__setstate__", "copyreg", "subprocess", "system", "popen"]
                .iter()
                .any(|word| self.source.contains(word))
            && self.reduces_to_own();
        if is_own {
            return;
        }
        let known = match &first.value {
            Value::Text(text) => text.as_known(),
            _ => None,
        };
        // A tag of YAML that makes an object of any class.
        let tagged = known.is_some_and(|text| text.contains("!!python/"));
        let rule = if from_file && !tagged
            || path.contains("shelve")
            || (path.contains("joblib") || path.contains("pandas"))
                && !text.taint.has(Taint::NETWORK)
        {
            "code.deserialize.file"
        } else {
            "code.deserialize.untrusted"
        };
        self.walk.note(rule, span);
        if let Some(known) = known {
            self.pickle(known, first.span);
        } else if let Some(path) = self.walk.copied_file(&match &first.value {
            Value::File(index) => {
                self.files.get(*index).map(|file| file.read.clone()).unwrap_or_default()
            }
            _ => text.clone(),
        }) && let Some(file) = self.walk.look(&path).file()
        {
            self.pickle(&file.text, first.span);
            if path.ends_with(".yaml") || path.ends_with(".yml") {
                self.tags(&file.text, first.span);
            }
        }
    }

    /// What the tags of a text in YAML would call: `!!python/object/apply:os.system ["…"]` (pyyaml.org, "YAML tags and Python types").
    fn tags(&mut self, text: &str, span: Span) {
        /// How many tags of one file are followed, and how far what a call is given reaches.
        const TAGS: usize = 32;
        const REACH: usize = 512;
        let mut rest = text;
        for _ in 0..TAGS {
            let Some((_, after)) = rest.split_once("!!python/object/") else { break };
            rest = after;
            let Some((_, called)) =
                after.split_once(':').filter(|(kind, _)| matches!(*kind, "apply" | "new"))
            else {
                continue;
            };
            let end = called.find(|it: char| !it.is_alphanumeric() && !"._".contains(it));
            let (function, given) =
                called.split_at_checked(end.unwrap_or(called.len())).unwrap_or((called, ""));
            let near = given.get(..given.floor_char_boundary(REACH)).unwrap_or_default();
            // What another tag computes is given by its own words.
            let near = near.split("\n- ").next().unwrap_or_default();
            let quoted = near.find(['"', '\'']).and_then(|open| {
                let quote = near.get(open..)?.chars().next()?;
                near.get(open + 1..)?.split(quote).next()
            });
            let bare =
                || near.trim_start_matches([' ', '[', '-', '\n']).split([',', ']', '\n']).next();
            let argument = quoted.or_else(bare).unwrap_or_default();
            let argument = Value::known(&argument.replace("\\\"", "\""));
            let given = Given { name: None, value: argument, span };
            let is_shell = function.starts_with("subprocess.") && near.contains("shell");
            let function = if is_shell { "os.system" } else { function };
            self.call_name(function, Text::default(), &[given], span);
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
            // `p0`: what was made is remembered.
            let is_kept = |line: &&str| {
                let number = line.strip_prefix('p');
                number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
            };
            let argument = lines.by_ref().find(|line| !is_kept(line)).unwrap_or_default();
            let quoted = argument.split(['\'', '"']).nth(1).unwrap_or_default();
            let inner = argument.find(['\'', '"']).zip(argument.rfind(['\'', '"']));
            let argument =
                inner.and_then(|(start, end)| argument.get(start + 1..end)).unwrap_or(quoted);
            let given = Given { name: None, value: Value::known(argument), span };
            self.call_name(&format!("{module}.{function}"), Text::default(), &[given], span);
        }
    }

    pub(super) fn open(&mut self, given: &[Given], span: Span) -> Value {
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let Some(first) = plain.first().copied().or_else(|| given.first()) else {
            return Value::unknown("a file");
        };
        if self.language == "perl" {
            let value = self.open_perl(&plain, span);
            // `open my $file, …`
            let handle = first.span.of(self.source);
            let handle = handle.strip_prefix("my ").unwrap_or(handle).trim();
            let is_variable = handle.strip_prefix('$').is_some_and(|name| {
                !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
            });
            if is_variable && matches!(value, Value::File(_)) {
                self.bind(handle.to_owned(), value.clone());
            }
            return value;
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
        let flags = match plain.get(1).map(|given| &given.value) {
            Some(Value::Number(flags)) => Some(*flags),
            _ => None,
        };
        let (writes, how) = match &mode {
            // The bits of `fcntl.h` for writing, making, cutting and adding.
            Some(_) if flags.is_some_and(|flags| flags & (3 | 0o100 | 0o1000 | 0o2000) != 0) => {
                (true, WriteMode::Replace)
            }
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
                self.walk.read_by_script(&path)
            };
            let content = Text::default();
            self.files.push(Open { path, mode, writes, content, read, flushed: false });
            last = Value::File(self.files.len() - 1);
        }
        last
    }

    /// The path of a file that stands open. Whoever asks for it may hand it on: what was written so far stands there, and what comes from now on is
    /// added to what others leave in it.
    pub(super) fn name_of_file(&mut self, index: usize) -> Value {
        let Some(file) = self.files.get_mut(index) else { return Value::unknown("a file") };
        let path = file.path.text.clone();
        if file.writes && file.content.is_empty() {
            file.flushed = true;
        }
        self.flush();
        Value::Text(path)
    }

    /// What is read of a file that stands open.
    pub(super) fn read_of_file(&mut self, index: usize) -> Text {
        match self.files.get(index).map(|file| (file.writes, file.path.clone(), file.read.clone()))
        {
            // What was written into it before.
            Some((true, path, _)) => {
                self.flush();
                self.walk.read_by_script(&path)
            }
            Some((false, _, read)) => read,
            None => Text::default(),
        }
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
        if let Some(opened) = target.and_then(|target| self.opened_text(target)) {
            return opened;
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
    pub(super) fn pass_to_files(&mut self, given: &[Given]) {
        let open: Vec<usize> = given
            .iter()
            .filter_map(|given| match given.value {
                Value::File(index) => Some(index),
                _ => None,
            })
            .collect();
        if !open.is_empty() {
            self.kept(given);
        }
        for index in open {
            // `json.dump(settings, file)`
            let content = match given {
                [Given { value: whole @ Value::Table(_), .. }, ..] => services::put_down(whole),
                _ => mixed("content", given.iter().map(|given| &given.value)),
            };
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

/// Whether a text is one call of this function and nothing beside it.
fn is_one_call(text: &str, function: &str) -> bool {
    let Some(rest) = text.strip_prefix(function).filter(|rest| rest.starts_with('(')) else {
        return false;
    };
    // What could end a text otherwise than by its own mark.
    if rest.contains(['\\', '#', '\n']) || rest.contains("\"\"\"") || rest.contains("'''") {
        return false;
    }
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, letter) in rest.char_indices() {
        match letter {
            mark if quote == Some(mark) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(letter),
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1 == rest.len();
                }
            }
            _ => {}
        }
    }
    false
}
