//! Calls on the objects of libraries, told as what does the same. Owns where an object comes from and how a meaning becomes an effect; what
//! a method means, the cards say.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        played::Client,
        services as of_services,
        value::{Given, Value},
    },
    Card, Doing,
    by_name::written,
    chosen::is_constrained,
    databases, find, key, local,
    rows::is_for_a_test,
    services::names_a_secret,
};
use crate::{
    bound::Bounded,
    contract::{Act as Deed, Class, Contract, Reach, Source},
    effect::{Argument, EffectKind, GapReason},
    programs::host::Host,
    text::{Piece, Taint, Text},
    understand::meaning::{self, arguments},
};

mod doings;

/// How many members and calls of a path are looked at.
const SEGMENTS: usize = 24;

/// How deep arguments are written out, and how many of them.
pub(super) const DEPTH: usize = 4;

pub(super) const ARGUMENTS: usize = 32;

/// Members by which a library has all tables, models or collections.
const TABLES: &[&str] =
    &["collections", "entityMetadatas", "get_models", "models", "sorted_tables", "tables"];

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
pub(in super::super) struct Called<'p> {
    /// The whole way to it.
    pub(super) path: &'p str,
    /// The name of the method.
    pub(super) name: &'p str,
    /// Its words, as a row has them.
    pub(super) key: String,
    /// What it belongs to.
    pub(super) owner: &'p str,
    /// The names on the way to it, without calls.
    pub(in super::super) way: Vec<&'p str>,
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
        // Some of the tables, and then all rows of each: `Object.values(mongoose.models).filter(…)`.
        let of_tables = self.way.iter().position(|part| TABLES.contains(part));
        let after = of_tables.map_or(0, |at| at + 2);
        self.way.iter().skip(after).any(|part| databases::NARROWS.contains(&key(part).as_str()))
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
        match self.language {
            "python" | "javascript" => self.library_told(path, text, given, span),
            "perl" | "php" | "ruby" => self.library_of_scripting(path, text, given, span),
            _ => None,
        }
    }

    /// The same, for a path that begins with a module which has a card.
    pub(in super::super) fn library_told(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
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
        // A repository on a disk in memory, which speaks with nobody.
        let of_all = |name: &str| given.iter().find_map(|it| it.value.entry(name));
        if module == Some("isomorphic-git")
            && of_all("http").is_none()
            && of_all("fs")
                .is_some_and(|it| matches!(it, Value::Name(path, _) if path.starts_with("memfs.")))
        {
            return Some(Value::unknown("a repository in memory"));
        }
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
            let Some(doing) = card.zip(own).and_then(|(card, own)| find(card.methods, &[], &own))
            else {
                let is_known = |module: &str| is_told(module) || local::is_local(module);
                if let Some(module) = module.filter(|it| *it == path && !is_known(it)) {
                    // What signs in or makes a client is told a secret to do so.
                    const CLIENTS: &[&str] = &["auth", "client", "connect", "login", "sdk"];
                    let own = key(module);
                    if !own.split('_').any(|word| CLIENTS.contains(&word)) {
                        self.arguments_as_they_are(&own, given);
                    }
                }
                return None;
            };
            return self.tell_doing(doing, &called, text, given, span);
        }
        // Where a server of the program itself listens: nothing of it came over the network.
        if matches!(called.key.as_str(), "address" | "getsockname") && given.is_empty() {
            return Some(Value::unknown("an address"));
        }
        // The rows of the statement that was sent before by the same connection.
        if module.is_some()
            && called.key.starts_with("fetch")
            && !self.seen.asked.sources.is_empty()
            && given.iter().all(|it| it.value.as_known().is_none())
        {
            let mut rows = text.derive([]);
            rows.inherit(&self.seen.asked);
            return Some(Value::reached(&format!("{path}()"), rows));
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
        if let Some(module) = module
            && let Some(value) = self.keys_of_a_store(module, &called, given, span)
        {
            return Some(value);
        }
        if self.takes_off(&called, given, span) {
            return None;
        }
        let doing = self.doing(card, module, &called);
        if module.is_some() && self.mutation(&called, given, span) {
            return None;
        }
        if let Some(doing) = doing {
            return self.tell_doing(doing, &called, text, given, span);
        }
        self.built_statements(&called, given, span);
        let is_known = module.is_some_and(|module| is_told(module) || local::is_local(module));
        let is_read_by_name = card.is_none_or(|card| card.otherwise.is_none());
        if is_read_by_name && !is_known {
            self.read_by_name(&called, module, given, span);
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

    /// A call that no card describes: by its name, and by what it is given.
    fn read_by_name(
        &mut self,
        called: &Called<'_>,
        module: Option<&str>,
        given: &[Given],
        span: Span,
    ) {
        if self.rows_of_a_model(called, given, span) {
            return;
        }
        if let Some(module) = module.filter(|module| !self.works_on_doubles(module, given)) {
            let is_service = self.is_service(module);
            self.derived(called, is_service, given, span);
        }
        // What nothing in the text binds may be anything: `run('…')` of an earlier cell.
        let is_bound_nowhere = module.is_none() && !called.path.contains('.');
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
        self.sent_by_client(called, given, span);
    }

    /// `connect("https://example.net").emit("x", secret)`: a client that was told an address when it was made sends a secret there.
    fn sent_by_client(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        const SENDS: &[&str] =
            &["emit", "patch", "post", "publish", "push", "put", "request", "send", "write"];
        let words = meaning::words(meaning::beginning(called.name));
        let Some((client, _)) = called.path.rsplit_once('.') else { return };
        let base = self.seen.bases.iter().find(|(of, _)| of == client).map(|(_, base)| base);
        let Some(base) = base.filter(|_| words.iter().any(|word| SENDS.contains(&word.as_str())))
        else {
            return;
        };
        let text = base.clone();
        let mut sent = Text::default();
        for one in given {
            if one.name.as_deref().is_none_or(|name| !names_a_secret(name)) {
                sent.inherit(&of_services::sent(&one.value));
                if of_services::is_environment(&one.value) {
                    sent.taint = sent.taint.with(Taint::SECRET);
                }
            }
        }
        if sent.taint.has(Taint::SECRET) {
            let sent = sent.derive([Piece::Unknown("what is sent".into())]);
            self.walk.connect(&Argument { text, span }, Some(sent), false);
        }
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
            None => {
                self.built_statements(&called, given, span);
                self.arguments_as_they_are(name, given);
            }
        }
    }

    /// What a method does by its name alone, whatever library it is of.
    pub(super) fn doing_anywhere(&self, called: &Called<'_>) -> Option<Doing> {
        let way: Vec<String> = called.way.last().map(|part| key(part)).into_iter().collect();
        find(databases::ANYWHERE, &way, &called.key)
    }

    fn doing(
        &self,
        card: Option<&'static Card>,
        module: Option<&str>,
        called: &Called<'_>,
    ) -> Option<Doing> {
        let mut way: Vec<String> = called.way.iter().map(|part| key(part)).collect();
        way.push(key(called.owner));
        // Rows that a manager of Django has chosen: `User.objects.filter(…).delete()`.
        let of_manager = match called.key.as_str() {
            "delete" => Some(Doing::DeletesRows),
            // Without what the models say of the rows that hang on these.
            "raw_delete" => Some(Doing::Statement("DELETE FROM")),
            "update" => Some(Doing::ChangesRows),
            _ => None,
        };
        if self.language == "python" && called.chooses() && called.way.contains(&"objects") {
            return of_manager;
        }
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

    /// What a tool of this class would do.
    pub(super) fn deed(
        &mut self,
        class: Class,
        reversible: bool,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) {
        if self.is_emulated(called.path) {
            return;
        }
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
        let values = arguments::read(&written(given, self), None).values;
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
                && (["!=", "not in"].iter().any(|word| condition.contains(word))
                    || text.is_some_and(|text| text.contains("continue")));
        let by_more =
            [".name", "\"name\"", "'name'", "cmdline", "exe", "children", "ppid", "parent"];
        by_account && !by_more.iter().any(|word| condition.contains(word))
    }
}

pub(in super::super) fn is_told(module: &str) -> bool {
    let top = module.split(['.', '/']).next().unwrap_or_default();
    TOLD_ELSEWHERE.contains(&top)
}
