//! What the meaning of a method becomes: the command or the effect that does the same. Owns how that is put together from what the call is given.

use portcullis_syntax::Span;

use super::{
    super::{
        super::{
            interpreter::Interpreter,
            played::Client,
            value::{Given, Value, mixed},
        },
        Doing,
    },
    ARGUMENTS, Called, DEPTH, FILES,
};
use crate::{
    bound::Bounded,
    contract::Class,
    effect::{Argument, GapReason, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
    understand::meaning::look,
};

/// What asks a browser for all cookies that it has, by Chrome's DevTools protocol.
const COOKIES: &[&str] = &["Network.getAllCookies", "Network.getCookies", "Storage.getCookies"];

impl Interpreter<'_, '_, '_> {
    pub(in super::super) fn tell_doing(
        &mut self,
        doing: Doing,
        called: &Called<'_>,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let mut inherited = mixed("what a call gives", given.iter().map(|given| &given.value));
        inherited.inherit(text);
        let mut result = Value::reached(&format!("{}()", called.path), inherited.derive([]));
        match doing {
            Doing::As(act) => return Some(self.act(act, called.path, given, span)),
            Doing::Verb(program) => {
                let verb = called.name.trim_start_matches('_').replace('_', "-");
                let words = [program, verb.as_str()];
                result = Value::Text(self.program_with(&words, None, given, span));
            }
            Doing::Dashed(program, dashes) => {
                let words = [program, called.name];
                result = Value::Text(self.program_with(&words, Some(dashes), given, span));
            }
            Doing::Words(["redis-cli" | "kafka-topics" | "kafka-topics.sh", ..])
                if self.is_in_memory(called.path, given)
                    || self.empties_test_database(called.path, given) => {}
            Doing::Words(["django-admin", ..]) if self.is_configured_in_memory(given) => {}
            Doing::Words(words) => {
                result = Value::Text(self.program_with(words, None, given, span));
            }
            Doing::Program => {
                let name = called.name.replace('_', "-");
                result = Value::Text(self.program_with(&[name.as_str()], None, given, span));
            }
            Doing::There(words) => {
                let mut all: Vec<Text> = words.iter().map(|word| Text::known(*word)).collect();
                all.extend(given.iter().filter(|it| it.name.is_none()).map(|it| it.value.text()));
                let host = self.machine_of(called).unwrap_or_else(|| Text::unknown("a machine"));
                result = Value::Text(self.run_there(host, all, span));
            }
            Doing::ConfiguresGit => {
                if let [section, name, value, ..] = given {
                    let mut whole = section.value.text();
                    whole.push_known(".");
                    whole.append(&name.value.text());
                    let words =
                        [Text::known("git"), Text::known("config"), whole, value.value.text()];
                    let words = words.map(|text| Argument { text, span });
                    self.run_words(&words, None);
                }
            }
            Doing::Runs => {
                let printed = self.given_command(called, given, span);
                result =
                    Value::Text(printed.unwrap_or_else(|| Text::unknown("what a command prints")));
            }
            Doing::DeletesRows | Doing::DeletesOf | Doing::ChangesRows => {
                self.rows(doing, called, given, span);
            }
            // `DropTable(table)` only says it; what executes it runs it.
            Doing::Statement(statement)
                if self.language == "python"
                    && called.name.starts_with(|first: char| first.is_ascii_uppercase()) =>
            {
                result = Value::known(&format!("{statement} {}", called.table()));
            }
            Doing::Statement(statement) => self.statement(statement, called, given, span),
            Doing::Query if self.only_estimates(called, given, span) => {}
            Doing::Query => {
                let mut answered = self.statements_given(called, given, span);
                if !answered.sources.is_empty() {
                    answered.inherit(&inherited);
                    result = Value::reached(&format!("{}()", called.path), answered.derive([]));
                }
            }
            Doing::Page => self.page(given),
            Doing::Uploads(host) => self.uploads(host, given, span),
            Doing::Mails => self.mails_and_attaches(false, given, span),
            Doing::MailsMany => self.mails_and_attaches(true, given, span),
            Doing::Class(Class::Pay) if self.seen.rehearsed && !self.seen.real => {}
            Doing::Class(Class::Delete)
                if self.is_in_memory(called.path, given)
                    || is_offline(called, given, self.source) => {}
            Doing::Class(class) => self.deed(class, false, called, given, span),
            Doing::Secret => {
                let text = Text { taint: Taint::SECRET, ..Text::default() };
                result = Value::reached(&format!("{}()", called.path), text);
            }
            Doing::Stored(words) => result = self.stored_secret(words, span),
            Doing::Note(rule) => {
                self.walk.note(rule, span);
                let text = Text { taint: Taint::SECRET, ..Text::default() };
                result = Value::reached(&format!("{}()", called.path), text);
            }
            Doing::Kills => self.kills_each(called.path, span),
            Doing::Opens => {
                let kind = given.first().map(|it| it.value.text()).unwrap_or_default();
                return Some(Value::reached(&format!("{}()", called.path), kind));
            }
            Doing::Removes => result = self.removes(called, text, given, span),
            Doing::Saves if self.source.to_ascii_lowercase().contains("prod") => {
                self.walk.query(&Text::known("INSERT INTO rows VALUES (1)"), span);
            }
            Doing::Saves => {}
            Doing::WritesThere => self.writes_there(given),
            Doing::WritesTable => self.writes_table(called, given, span),
            Doing::Tasks => self.tasks(called, given, span),
            Doing::Switches => self.switches(called, given, span),
            Doing::Named => self.done_by_name(called, given, span),
            Doing::Registry => result = self.registry(called, given, span),
            Doing::StartsAtLogin => self.starts_at_login(given, span),
            Doing::Line(program) => result = Value::Text(self.line_of(program, given, span)),
            Doing::Packets => self.packets(span),
            Doing::SecretWhere(name) => {
                let text = Text { taint: secret_where(name, given), ..Text::default() };
                result = Value::reached(&format!("{}()", called.path), text);
            }
            Doing::RegistryValues => self.registry_values(given, span),
            Doing::Writes(path) => {
                let file = Argument { text: Text::known(path), span };
                self.walk.write(&file, WriteMode::Append, Text::unknown("content"));
            }
            Doing::Tells(rule) => self.tells(rule, span),
            Doing::StatementIf(statement) => {
                let says = |it: &Given| {
                    it.value.is_true() || it.value.entry("force").is_some_and(Value::is_true)
                };
                if given.iter().any(says) {
                    self.statement(statement, called, &[], span);
                }
            }
            Doing::Ansible => self.ansible(given, span),
            Doing::Salt => self.salt(given, span),
            Doing::Visits => self.visits(given),
            Doing::Chooses => result = self.chosen(called, text, given),
            Doing::Clicks => self.clicks(text, given, span),
            Doing::Fills => self.fills(text, given),
            Doing::Addresses => self.addresses(given),
            Doing::DeletesOne if self.is_repeated(span) => {
                self.deed(Class::Delete, false, called, given, span);
            }
            Doing::DeletesOne => {}
            Doing::DeletesEach if self.goes_through_all(called, given, span) => {
                self.statement("DELETE FROM", called, &[], span);
            }
            Doing::DeletesEach => self.rows(Doing::DeletesRows, called, given, span),
            Doing::DeletesBulk => self.deletes_in_bulk(called, given, span),
            Doing::Loads => self.takes_the_place(called, given, span),
            Doing::Prompts(host) => self.prompts(host, called, given, span),
            Doing::Debugs => {
                let says = |it: &Given| it.value.as_known().is_some_and(|it| COOKIES.contains(&it));
                if given.first().is_some_and(says) {
                    return self.tell_doing(Doing::Secret, called, text, given, span);
                }
            }
            Doing::Preopens => self.preopens(given, span),
            Doing::Quiet => {}
        }
        Some(result)
    }

    /// A file is sent to a server: the second word of it is a place on the other side.
    fn uploads(&mut self, host: &str, given: &[Given], span: Span) {
        let mut own = given.to_vec();
        if host.is_empty() && own.get(1).is_some_and(|second| second.name.is_none()) {
            own.remove(1);
        }
        self.puts_there(given);
        let sends = self.attached(&own);
        let address = match host {
            "" if !self.peer.is_empty() => self.peer.clone(),
            "" => Text::unknown("a server"),
            host => Text::known(host),
        };
        self.walk.connect(&Argument { text: address, span }, Some(sends), false);
    }

    /// `sftp.put("nginx.conf", "/etc/nginx/nginx.conf")`: what is put where a system has its settings is judged as there.
    fn puts_there(&mut self, given: &[Given]) {
        const NAMES: &[&str] = &["remote", "remotePath", "remote_path", "remotepath"];
        let named = |it: &&Given| it.name.as_deref().is_some_and(|name| NAMES.contains(&name));
        let second = given.get(1).filter(|it| it.name.is_none());
        let Some(there) = given.iter().find(named).or(second) else { return };
        for value in there.value.alternatives() {
            let is_setting = value.as_known().is_some_and(|path| {
                let tops = ["/bin/", "/boot/", "/etc/", "/lib/", "/root/", "/sbin/", "/usr/"];
                tops.iter().any(|top| path.starts_with(top)) || path.contains("/.ssh/")
            });
            if is_setting {
                let file = Argument { text: value.text(), span: there.span };
                self.walk.write(&file, WriteMode::Replace, Text::unknown("content"));
            }
        }
    }

    /// A model is shown something: what of it comes from files, or is secret, leaves this machine.
    fn prompts(&mut self, host: &str, called: &Called<'_>, given: &[Given], span: Span) {
        let sends = mixed("what a model is shown", given.iter().map(|given| &given.value));
        let is_told = sends.taint.has(Taint::FILE) || sends.taint.has(Taint::SECRET);
        if is_told && self.client_of(called.path) == Client::Real {
            let address = Argument { text: Text::known(host), span };
            self.walk.connect(&address, Some(sends), false);
        }
    }

    /// Letters or messages, and what is attached to them.
    fn mails_and_attaches(&mut self, many: bool, given: &[Given], span: Span) {
        // Whoever listens to a topic is nobody in particular.
        let to_topic = given.iter().any(|given| {
            ["condition", "topic"].iter().any(|name| given.value.entry(name).is_some())
        });
        self.mails(many || to_topic, given, span);
        let sends = self.attached(given);
        if sends.taint != Taint::NONE {
            let address = Argument { text: Text::unknown("whoever gets it"), span };
            self.walk.connect(&address, Some(sends), false);
        }
    }

    /// `settings.configure(DATABASES={…":memory:"…})`: the command is about rows, and every database that the text names is one in memory.
    fn is_configured_in_memory(&self, given: &[Given]) -> bool {
        const OF_ROWS: &[&str] = &["flush", "loaddata", "migrate", "sqlflush"];
        const ELSEWHERE: &[&str] = &["DJANGO_SETTINGS_MODULE", "connections[", "environ"];
        let command = given.first().and_then(|it| it.value.as_known());
        let lines = self.source.lines().map(|line| line.split('#').next().unwrap_or(line));
        let plain: String = lines.flat_map(str::chars).filter(|it| !it.is_whitespace()).collect();
        let plain = plain.replace('\'', "\"");
        let count = |word: &str| plain.matches(word).count();
        command.is_some_and(|command| OF_ROWS.contains(&command))
            && plain.contains("settings.configure(")
            && count("ENGINE") > 0
            && count("ENGINE") == count("\"NAME\":\":memory:\"")
            && count("NAME") == count("\"NAME\":\":memory:\"")
            && ELSEWHERE.iter().all(|word| count(word) == 0)
    }

    /// Runs a program with what a call is given as its words.
    fn program_with(
        &mut self,
        words: &[&str],
        dashes: Option<&str>,
        given: &[Given],
        span: Span,
    ) -> Text {
        let mut all: Vec<Text> = words.iter().map(|word| Text::known(*word)).collect();
        let before = all.len();
        for given in given {
            option(given.name.as_deref(), &given.value, &mut all, DEPTH);
        }
        if let Some(dashes) = dashes
            && let Some(first) = all.get_mut(before)
        {
            let said = first.display();
            let said = said.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            let is_mode = !said.is_empty()
                && said.len() < 8
                && said.bytes().all(|byte| byte.is_ascii_lowercase());
            if is_mode {
                *first = Text::known(format!("{dashes}{said}"));
            }
        }
        let words: Vec<Argument> = all.into_iter().map(|text| Argument { text, span }).collect();
        self.run_words(&words, None)
    }

    /// Runs the command that a call is given, as a text or as words.
    fn given_command(&mut self, called: &Called<'_>, given: &[Given], span: Span) -> Option<Text> {
        const NAMES: &[&str] = &["cmd", "command", "commands", "script", "line", "cmdline"];
        let named =
            given.iter().find(|it| it.name.as_deref().is_some_and(|name| NAMES.contains(&name)));
        let plain =
            given.iter().find(|it| it.name.is_none() && !matches!(it.value, Value::Function(_)));
        let command = plain.or(named)?;
        // `exec('rm', ['-rf', path])`
        let words = given.iter().filter(|it| it.name.is_none()).nth(1);
        if let (Some(program), Some(Given { value: Value::List(words), .. })) =
            (command.value.as_known().filter(|it| !it.contains(' ')), words)
        {
            if let Some(host) = self.machine_of(called) {
                let mut all = vec![Text::known(program)];
                all.extend(words.iter().map(Value::text));
                return Some(self.run_there(host, all, span));
            }
            let mut all = vec![Value::known(program)];
            all.extend(words.iter().cloned());
            return Some(self.shell_or_words(&Value::List(all), command.span, span, None, None));
        }
        let mut printed = None;
        for value in command.value.alternatives() {
            let value = NAMES.iter().find_map(|name| value.entry(name)).cloned().unwrap_or(value);
            // What a key of a terminal ends.
            let value = match value.as_known().and_then(|line| line.strip_suffix('\r')) {
                Some(line) => Value::known(line),
                None => value,
            };
            let Some(host) = self.machine_of(called) else {
                printed = Some(self.shell_or_words(&value, command.span, span, None, None));
                continue;
            };
            let mut words = Vec::new();
            if called.name == "sudo" {
                words.push(Text::known("sudo"));
            }
            match &value {
                Value::List(list) => words.extend(list.iter().map(Value::text)),
                value => words.push(value.text()),
            }
            printed = Some(self.run_there(host, words, command.span));
        }
        printed
    }

    /// Scripts for a page: it is read for what it fetches and sends. Functions in the code itself are read where they stand.
    fn page(&mut self, given: &[Given]) {
        const NAMES: &[&str] = &["content", "expression", "script", "source", "func"];
        for given in given {
            let value =
                NAMES.iter().find_map(|name| given.value.entry(name)).unwrap_or(&given.value);
            let Value::Text(text) = value else { continue };
            let Some(known) = text.as_known() else { continue };
            if known.contains(['(', '=']) {
                let mark = self.walk.gaps();
                self.flush();
                self.walk.code("javascript", text, given.span, &[]);
                self.walk.forgive(mark, &[GapReason::Unparsed, GapReason::UnknownCode]);
            }
        }
    }

    /// What goes along with a message: what it is given, and the files that it names.
    fn attached(&mut self, given: &[Given]) -> Text {
        let mut sends = mixed("what is sent", given.iter().map(|given| &given.value));
        let mut files = Vec::new();
        for given in given {
            let is_file = given.name.as_deref().is_none_or(|name| FILES.contains(&name));
            named_files(&given.value, is_file, DEPTH, &mut files);
        }
        for file in files.into_iter().at_most(ARGUMENTS, self, Span::default()) {
            self.flush();
            let span = given.first().map(|given| given.span).unwrap_or_default();
            let content = self.walk.read(&Argument { text: file, span });
            sends.inherit(&content);
        }
        sends
    }
}

/// An argument as words of a command: `force=True` is `--force`.
fn option(name: Option<&str>, value: &Value, words: &mut Vec<Text>, depth: usize) {
    const PLACES: &[&str] = &["ref", "refspec", "remote", "remoteRef", "branch", "url", "dir_name"];
    let Some(depth) = depth.checked_sub(1) else { return };
    let dashed = |name: &str| match name {
        name if name.starts_with('-') => name.to_owned(),
        "working_tree" => "--hard".to_owned(),
        name if name.len() == 1 => format!("-{name}"),
        name => format!("--{}", name.replace('_', "-")),
    };
    match (name, value) {
        (Some(name), _) if name.starts_with('_') => {}
        (_, Value::Function(_)) => {}
        (None, Value::List(list)) => {
            list.iter().for_each(|value| option(None, value, words, depth))
        }
        (None, Value::Table(table)) => {
            for (name, value) in table {
                option(Some(name), value, words, depth);
            }
        }
        (None, value) => words.push(value.text()),
        (Some(name), value) if PLACES.contains(&name) => match value {
            Value::List(list) => list.iter().for_each(|value| words.push(value.text())),
            value => words.push(value.text()),
        },
        (Some(name), value) if value.is_true() && matches!(value, Value::Name(..)) => {
            words.push(Text::known(dashed(name)))
        }
        (Some(name), _) if name.starts_with('-') => words.push(Text::known(name)),
        (Some(_), value) if value.is_false() => {}
        (Some(name), Value::Text(text)) => {
            let mut word = Text::known(format!("{}=", dashed(name)));
            word.append(text);
            words.push(word);
        }
        _ => {}
    }
}

/// The files that are named in what is sent.
fn named_files(value: &Value, is_file: bool, depth: usize, files: &mut Vec<Text>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| files.len() <= ARGUMENTS) else { return };
    match value {
        Value::Text(text) => {
            // Each of those that a pattern finds: `sftp.put(list(directory.glob("id_*")))`.
            let is_pattern = text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
                && text.known_prefix().starts_with(['/', '~']);
            let is_path = text.as_known().is_some_and(look::is_path);
            if is_file && (is_path || is_pattern) {
                files.push(text.clone());
            }
        }
        Value::List(list) | Value::Any(list) => {
            list.iter().for_each(|value| named_files(value, is_file, depth, files));
        }
        Value::Table(table) => {
            for (name, value) in table {
                named_files(value, FILES.contains(&name.as_str()), depth, files);
            }
        }
        _ => {}
    }
}

/// Whether a call says that what it gives is a secret.
fn secret_where(name: &str, given: &[Given]) -> Taint {
    let says =
        |it: &Given| it.name.as_deref().is_none_or(|given| given == name) && it.value.is_true();
    let is_one = given.iter().filter(|it| matches!(it.value, Value::Name(..))).any(says);
    if is_one { Taint::SECRET } else { Taint::NONE }
}

/// Whether a downgrade only writes its statements down: `command.downgrade(config, "head:base", sql=True)`.
/// (alembic.sqlalchemy.org, "Generating SQL Scripts")
fn is_offline(called: &Called<'_>, given: &[Given], source: &str) -> bool {
    let mut said = given.iter().filter(|given| given.name.as_deref() == Some("sql"));
    let is_said = |given: &Given| {
        let written = source.get(given.span.range()).unwrap_or_default();
        given.value.is_true() && matches!(written.rsplit('=').next().map(str::trim), Some("True"))
    };
    called.key == "downgrade"
        && said.next().is_some_and(is_said)
        && said.next().is_none()
        && !source.contains("**")
}
