//! Calls on the objects of libraries, told as what does the same. Owns where an object comes from and how a meaning becomes an effect; what
//! a method means, the cards say.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        played::Client,
        value::{Given, Value, mixed},
    },
    Card, Doing,
    by_name::written,
    databases, find, key, local,
    rows::{is_constrained, is_for_a_test},
};
use crate::{
    bound::Bounded,
    contract::{Act as Deed, Class, Contract, Reach, Source},
    effect::{Argument, EffectKind, GapReason, WriteMode},
    programs::host::Host,
    text::{Taint, Text},
    understand::meaning::{arguments, look},
};

/// How many members and calls of a path are looked at.
const SEGMENTS: usize = 24;

/// How deep arguments are written out, and how many of them.
pub(super) const DEPTH: usize = 4;

pub(super) const ARGUMENTS: usize = 32;

/// How far back the head of a loop is looked for.
const HEAD: usize = 64;

/// Modules whose calls are told elsewhere: by rows of functions, by the requests that they make, as commands of a cloud.
const TOLD_ELSEWHERE: &[&str] = &[
    "@aws-sdk",
    "@azure",
    "@google-cloud",
    "@kubernetes",
    "AWS",
    "Docker",
    "aioboto3",
    "aiokafka",
    "alicloud",
    "aws-sdk",
    "axios",
    "azure",
    "boto3",
    "child_process",
    "cloudflare",
    "confluent_kafka",
    "crontab",
    "ctypes",
    "digitalocean",
    "docker",
    "dockerode",
    "ftplib",
    "google",
    "googleapiclient",
    "got",
    "hcloud",
    "heroku3",
    "httpx",
    "imaplib",
    "k8s",
    "kafka",
    "kafkajs",
    "ky",
    "kubernetes",
    "linode",
    "needle",
    "node-fetch",
    "oci",
    "openstack",
    "podman",
    "requests",
    "shutil",
    "smtplib",
    "socket",
    "ssl",
    "stripe",
    "subprocess",
    "superagent",
    "sys",
    "tarfile",
    "undici",
    "urllib",
    "urllib3",
    "vultr",
    "zipfile",
];

/// Options of what starts a program.
const STARTS: &[&str] = &["capture_output", "cwd", "shell", "stderr", "stdin", "stdio", "stdout"];

/// Names of arguments that files are given by.
const FILES: &[&str] = &[
    "attachment",
    "attachments",
    "body",
    "content",
    "document",
    "file",
    "file_path",
    "filename",
    "filepath",
    "files",
    "folder",
    "folder_path",
    "media",
    "path",
    "path_or_fileobj",
    "photo",
    "source",
];

/// What is called.
pub(super) struct Called<'p> {
    /// The whole way to it.
    pub(super) path: &'p str,
    /// The name of the method.
    pub(super) name: &'p str,
    /// Its words, as a row has them.
    pub(super) key: String,
    /// What it belongs to.
    pub(super) owner: &'p str,
    /// The names on the way to it, without calls.
    pub(super) way: Vec<&'p str>,
}

impl<'p> Called<'p> {
    pub(super) fn new(path: &'p str, rest: &'p str) -> Self {
        let mut way: Vec<&str> = rest
            .split('.')
            .map(|part| part.split(['(', '[']).next().unwrap_or_default())
            .leading(SEGMENTS)
            .collect();
        let name = way.pop().unwrap_or_default();
        let owner = way.iter().rev().find(|part| !part.is_empty()).copied().unwrap_or_default();
        Self { path, name, key: key(name), owner, way }
    }

    pub(super) fn chooses(&self) -> bool {
        self.way.iter().any(|part| databases::NARROWS.contains(&key(part).as_str()))
    }

    /// The name of the table, as far as the way says it.
    pub(super) fn table(&self) -> &str {
        const SAYS_NOTHING: &[&str] =
            &["all", "objects", "query", "session", "model", "schema", "default", "from", "table"];
        let plain = |part: &&&str| {
            part.starts_with(|first: char| first.is_ascii_alphabetic())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !SAYS_NOTHING.contains(*part)
        };
        self.way.iter().rev().find(plain).copied().unwrap_or("rows")
    }
}

/// Functions of test frameworks that are given what a test is about.
const DESCRIBES: &[&str] =
    &["context", "describe", "expect", "feature", "it", "scenario", "specify", "suite", "test"];

impl Interpreter<'_, '_, '_> {
    /// Remembers that a module was imported; gives what stands for it.
    pub(in super::super) fn module(&mut self, name: &str) -> Value {
        /// How many modules are remembered.
        const MODULES: usize = 512;
        if self.modules.len() < MODULES {
            self.modules.insert(name.to_owned());
        } else if !self.modules.contains(name) {
            self.limit();
        }
        Value::name(name)
    }

    /// The module that a path begins with, and what stands behind it.
    pub(super) fn module_of<'p>(&self, path: &'p str) -> Option<(&'p str, &'p str)> {
        // Only what ends at a member, a call or an index can be one.
        let ends = path.match_indices(['.', '(', '[']).map(|(at, _)| at).chain([path.len()]);
        let is_module = |at: &usize| path.get(..*at).is_some_and(|it| self.modules.contains(it));
        let longest = ends.filter(is_module).max()?;
        path.split_at_checked(longest)
    }

    /// The module that a path begins with, or that the class of the script is of which it is.
    pub(in super::super) fn module_in(&self, path: &str) -> Option<String> {
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        let whole = self.bases.get(root).map_or(path, String::as_str);
        self.module_of(whole).map(|(module, _)| module.to_owned())
    }

    /// Tells what a call on the object of a library does; gives a value where nothing else is to be said of it.
    pub(in super::super) fn library(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "python" | "javascript") {
            return None;
        }
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        // A class of the script that is made from one of a library is of that library.
        let base = self.bases.get(root).cloned();
        let found = match &base {
            Some(base) => self
                .module_of(base)
                .map(|(module, _)| module.to_owned())
                .zip(path.get(root.len()..)),
            None => self.module_of(path).map(|(module, rest)| (module.to_owned(), rest)),
        };
        let (module, rest) = match &found {
            Some((module, rest)) => {
                (Some(module.as_str()), rest.trim_start_matches(['(', ')', '[', ']']))
            }
            None => (None, path),
        };
        let called = Called::new(path, rest.trim_start_matches('.'));
        if let Some(module) = module {
            self.notice_service(module, called.name, given);
            self.code_of_a_hub(module, &called, given, span);
        }
        let card = match module {
            Some(_) => {
                let whole = base.as_deref().unwrap_or(path);
                super::of_module(whole.split(['(', '[']).next().unwrap_or(whole))
            }
            None => super::of_habit(root),
        };
        let name = called.name.to_ascii_lowercase();
        let connects = ["client", "connect"].iter().any(|word| name.contains(word));
        let is_told_where =
            connects && self.starts_servers() || given.iter().any(|it| is_for_a_test(&it.value));
        if card.is_some() && called.name != "Session" || is_told_where {
            self.endpoints(&called, given);
        }
        if called.name.is_empty() {
            // `require("fkill")("name")`: the module itself is what is called.
            let own = module.filter(|module| *module == path).map(key);
            let doing = card.zip(own).and_then(|(card, own)| find(card.methods, &[], &own))?;
            return self.tell_doing(doing, &called, text, given, span);
        }
        // Where a server of the program itself listens: nothing of it came over the network.
        if matches!(called.key.as_str(), "address" | "getsockname") && given.is_empty() {
            return Some(Value::unknown("an address"));
        }
        // A filter without a condition chooses everything.
        if matches!(called.key.as_str(), "filter" | "where" | "filter_by" | "find")
            && !is_constrained(given)
            && !given.iter().any(|given| matches!(given.value, Value::Function(_)))
            && !module.is_some_and(local::is_local)
            && path.contains('.')
        {
            let receiver = path.rsplit_once('.').map_or(path, |(receiver, _)| receiver);
            return Some(Value::reached(receiver, text.derive([])));
        }
        let doing = self.doing(card, module, &called);
        if module.is_some() && self.mutation(&called, given, span) {
            return None;
        }
        if let Some(doing) = doing {
            return self.tell_doing(doing, &called, text, given, span);
        }
        let is_known = module.is_some_and(|module| is_told(module) || local::is_local(module));
        let is_read_by_name = card.is_none_or(|card| card.otherwise.is_none());
        if is_read_by_name && !is_known {
            if self.rows_of_a_model(&called, given, span) {
                return None;
            }
            if let Some(module) = module.filter(|module| !self.works_on_doubles(module, given)) {
                let is_service = self.is_service(module);
                self.derived(&called, is_service, given, span);
            }
            // What nothing in the text binds may be anything: `run('…')` of an earlier cell.
            let is_bound_nowhere = module.is_none() && !path.contains('.');
            let starts = given.iter().any(|given| {
                let starts = |name: &str| STARTS.contains(&name);
                given.name.as_deref().is_some_and(starts)
                    || STARTS.iter().any(|name| given.value.entry(name).is_some())
            });
            // A function that is defined elsewhere may hand what looks like a command to a shell.
            let is_given_command = || {
                self.is_cell
                    && !DESCRIBES.contains(&called.name)
                    && given.iter().any(|given| super::by_name::reads_as_command(&given.value))
            };
            let is_given_text = || given.iter().any(|given| given.value.as_known().is_some());
            if self.is_cut && is_bound_nowhere && is_given_text() {
                self.walk.gap(span, GapReason::UnknownCode);
            }
            let runs = is_bound_nowhere && (starts || is_given_command());
            let name = if runs { "run" } else { called.name };
            self.arguments_as_they_are(name, given);
        } else if let Some(module) = module.filter(|_| card.is_some() && !is_known) {
            // What a service does besides what its card says.
            let is_service = self.is_service(module);
            if is_service {
                self.derived(&called, is_service, given, span);
            }
        } else if module.is_some_and(local::is_local) {
            self.places_deleted(called.name, given);
            self.places_written(called.name, given);
        }
        None
    }

    /// A method of a value of which nobody knows what it is.
    pub(in super::super) fn method_of_unknown(
        &mut self,
        receiver: &Value,
        name: &str,
        given: &[Given],
        span: Span,
    ) {
        if !matches!(self.language, "python" | "javascript")
            || matches!(receiver, Value::List(_) | Value::Table(_) | Value::Number(_))
        {
            return;
        }
        let called = Called::new(name, name);
        let text = Text::default();
        match find(databases::ANYWHERE, &[], &called.key) {
            Some(doing) => drop(self.tell_doing(doing, &called, &text, given, span)),
            None => self.arguments_as_they_are(name, given),
        }
    }

    fn doing(
        &self,
        card: Option<&'static Card>,
        module: Option<&str>,
        called: &Called<'_>,
    ) -> Option<Doing> {
        let mut way: Vec<String> = called.way.iter().map(|part| key(part)).collect();
        way.push(key(called.owner));
        let own = card.and_then(|card| find(card.methods, &way, &called.key));
        let is_local = module.is_some_and(|module| local::is_local(module) || is_told(module));
        let anywhere = || {
            (!is_local)
                .then(|| {
                    find(
                        databases::ANYWHERE,
                        way.get(way.len().saturating_sub(1)..).unwrap_or_default(),
                        &called.key,
                    )
                })
                .flatten()
        };
        own.or_else(anywhere).or_else(|| card?.otherwise.filter(|doing| *doing != Doing::Quiet))
    }

    pub(super) fn tell_doing(
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
            Doing::Words(["redis-cli", ..]) if self.is_in_memory(called.path, given) => {}
            Doing::Words(words) => {
                result = Value::Text(self.program_with(words, None, given, span));
            }
            Doing::Program => {
                let name = called.name.replace('_', "-");
                result = Value::Text(self.program_with(&[name.as_str()], None, given, span));
            }
            Doing::Runs => {
                let printed = self.given_command(given, span);
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
            Doing::Query => self.statements_given(called, given, span),
            Doing::Page => self.page(given),
            Doing::Uploads(host) => {
                // The second of them is a place on the other side.
                let mut own = given.to_vec();
                if host.is_empty() && own.get(1).is_some_and(|second| second.name.is_none()) {
                    own.remove(1);
                }
                let sends = self.attached(&own);
                let address = match host {
                    "" if !self.peer.is_empty() => self.peer.clone(),
                    "" => Text::unknown("a server"),
                    host => Text::known(host),
                };
                self.walk.connect(&Argument { text: address, span }, Some(sends), false);
            }
            Doing::Mails | Doing::MailsMany => {
                // Whoever listens to a topic is nobody in particular.
                let to_topic = given.iter().any(|given| {
                    ["condition", "topic"].iter().any(|name| given.value.entry(name).is_some())
                });
                self.mails(doing == Doing::MailsMany || to_topic, given, span);
                let sends = self.attached(given);
                if sends.taint != Taint::NONE {
                    let address = Argument { text: Text::unknown("whoever gets it"), span };
                    self.walk.connect(&address, Some(sends), false);
                }
            }
            Doing::Class(Class::Pay) if self.seen.rehearsed && !self.seen.real => {}
            Doing::Class(Class::Delete) if self.is_in_memory(called.path, given) => {}
            Doing::Class(class) => self.deed(class, false, called, given, span),
            Doing::Secret => {
                let text = Text { taint: Taint::SECRET, ..Text::default() };
                result = Value::reached(&format!("{}()", called.path), text);
            }
            Doing::Stored(words) => result = self.stored_secret(words),
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
            Doing::Switches => self.switches(called, given, span),
            Doing::Named => self.done_by_name(called, given, span),
            Doing::Registry => result = self.registry(called, given, span),
            Doing::StartsAtLogin => self.starts_at_login(given, span),
            Doing::Line(program) => result = Value::Text(self.line_of(program, given, span)),
            Doing::Packets => self.packets(span),
            Doing::SecretWhere(name) => {
                let says = |it: &Given| {
                    it.name.as_deref().is_none_or(|given| given == name) && it.value.is_true()
                };
                let is_one =
                    given.iter().filter(|it| matches!(it.value, Value::Name(..))).any(says);
                let taint = if is_one { Taint::SECRET } else { Taint::NONE };
                let text = Text { taint, ..Text::default() };
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
            Doing::Preopens => self.preopens(given, span),
            Doing::Quiet => {}
        }
        Some(result)
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
    fn given_command(&mut self, given: &[Given], span: Span) -> Option<Text> {
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
            let mut all = vec![Value::known(program)];
            all.extend(words.iter().cloned());
            return Some(self.shell_or_words(&Value::List(all), command.span, span, None, None));
        }
        let mut printed = None;
        for value in command.value.alternatives() {
            let value = NAMES.iter().find_map(|name| value.entry(name)).cloned().unwrap_or(value);
            printed = Some(self.shell_or_words(&value, command.span, span, None, None));
        }
        printed
    }

    /// Scripts for a page: it is read for what it fetches and sends. Functions in the code itself are read where they stand.
    fn page(&mut self, given: &[Given]) {
        const NAMES: &[&str] = &["content", "expression", "script", "source", "func"];
        for given in given.iter().leading(ARGUMENTS) {
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
        for file in files.into_iter().leading(ARGUMENTS) {
            self.flush();
            let span = given.first().map(|given| given.span).unwrap_or_default();
            let content = self.walk.read(&Argument { text: Text::known(file), span });
            sends.inherit(&content);
        }
        sends
    }

    /// What a tool of this class would do.
    pub(super) fn deed(
        &mut self,
        class: Class,
        reversible: bool,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) {
        let reach = match class {
            Class::Send | Class::Share | Class::Bind => Reach::People,
            Class::Publish | Class::Pay => Reach::Outward,
            _ => Reach::Service,
        };
        let is_near = self.client_of(called.path) == Client::Nearby;
        let reversible = reversible || class == Class::Delete && is_near;
        let contract = Contract {
            class,
            reach,
            subject: format!("something by {}", called.path),
            foreign: true,
            reversible,
            ..Contract::default()
        };
        let values = arguments::read(&written(given), None).values;
        let deed = Deed { contract, source: Source::Derived, values };
        self.walk.emit(EffectKind::Act(Box::new(deed)), span);
    }

    /// Every process that was gone through is ended, where nothing chooses among them.
    pub(in super::super) fn kills_each(&mut self, path: &str, span: Span) {
        let is_each = path.contains("[]");
        let head = (self.at.saturating_sub(HEAD)..self.at)
            .rev()
            .find(|at| self.word_at(*at) == "process_iter");
        let chooses = head.is_none_or(|head| {
            (head..self.at)
                .any(|at| matches!(self.word_at(at), "if" | "elif" | "continue" | "filter"))
                && !self.chooses_by_account(head)
        });
        if is_each && !chooses {
            let target = Text::unknown("every process");
            self.walk.emit(EffectKind::Kill { target, everything: true }, span);
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// Whether nothing but whose a process is, or what it uses, chooses it: a person's processes are their whole session.
    fn chooses_by_account(&self, head: usize) -> bool {
        let start = |at: usize| self.unit.tokens.get(at).map(|token| token.span.range().start);
        let end = start(self.at).unwrap_or(self.source.len());
        let text = start(head).and_then(|from| self.source.get(from..end));
        let Some((_, condition)) = text.and_then(|text| text.split_once("if ")) else {
            return false;
        };
        // What stands in the body chooses nothing.
        let condition = condition.split(":\n").next().unwrap_or(condition);
        let by_use = ["memory", "rss", "cpu_", "num_threads", "create_time"];
        let by_account = condition.contains("username")
            || by_use.iter().any(|word| condition.contains(word))
            || condition.contains("uids")
            // Only the asking process itself is left out.
            || condition.contains("pid")
                && ["!=", "not in", "continue"].iter().any(|word| condition.contains(word));
        let by_more =
            [".name", "\"name\"", "'name'", "cmdline", "exe", "children", "ppid", "parent"];
        by_account && !by_more.iter().any(|word| condition.contains(word))
    }
}

pub(in super::super) fn is_told(module: &str) -> bool {
    let top = module.split(['.', '/']).next().unwrap_or_default();
    TOLD_ELSEWHERE.contains(&top)
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
fn named_files(value: &Value, is_file: bool, depth: usize, files: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| files.len() < ARGUMENTS) else { return };
    match value {
        Value::Text(text) => {
            if let Some(known) = text.as_known().filter(|known| is_file && look::is_path(known)) {
                files.push(known.to_owned());
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
