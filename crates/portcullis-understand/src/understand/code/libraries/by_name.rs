//! Calls of which nobody knows the library: read by the verb of their name and by what they are given, as the calls of an unknown tool are.
//! Owns which verbs and things count in code, where most of what is deleted is only in memory.

use portcullis_syntax::Span;
use serde_json::{Map, Value as Json};

use super::{
    super::{
        interpreter::Interpreter,
        played::Client,
        value::{Given, Value, mixed},
    },
    databases,
    judged::{Called, DEPTH},
    key,
    services::{names_a_secret, switches_off},
};
use crate::{
    bound::Limits,
    contract::{Act as Deed, Class, Contract, Source, ValueGiven},
    effect::{Argument, EffectKind, GapReason, WriteMode},
    programs::{self, host::Host},
    text::{Piece, Taint, Text},
    understand::meaning::{
        self,
        arguments::{self, Hints},
        derive,
        look::{self, Strictness},
    },
};

mod words;

use words::{
    ASKS, CHANGES, CHANGES_ONE, DELETES, DROPS, ENDS, GOES_THROUGH, INNER, LISTS, MACHINES, PEOPLE,
    RUNS, SENDS, SHOWS, SILENCES, STARTS, STORES, TAKES_ALL,
};

/// Whether the words of a function's name say that it only shows or checks what it is given.
pub(in super::super) fn only_shows(words: &[String]) -> bool {
    words.iter().any(|word| SHOWS.contains(&word.as_str()))
}

impl Interpreter<'_, '_, '_> {
    /// A call of which only its name and what it is given say what it does.
    pub(super) fn derived(
        &mut self,
        called: &Called<'_>,
        is_service: bool,
        given: &[Given],
        span: Span,
    ) {
        // What a call gave is called: the verb on the way to it was told before.
        if called.path.ends_with(')') {
            return;
        }
        // What is only guessed by its name, and must throw where it stands.
        if self.only_rehearses(called) || self.seen.refused > 0 {
            return;
        }
        let mut words = words_of(called, is_service);
        let deletes = words.iter().any(|word| {
            DELETES.contains(&word.as_str()) || is_service && DROPS.contains(&word.as_str())
        });
        let takes_several =
            words.iter().any(|word| matches!(word.as_str(), "all" | "batch" | "bulk" | "many"));
        let names_one = words.iter().any(|word| matches!(word.as_str(), "by" | "one" | "single"));
        let is_bare = words.len() == 1;
        // `history.post.map(…)`: what is gone through may be called like something that is done.
        if is_bare && GOES_THROUGH.contains(&called.name) {
            return;
        }
        // `.post(…).header(…)`: what the call before does was told when it was read.
        if is_bare && !is_told_before(called) {
            words.extend(key(called.owner).split('_').map(str::to_owned));
        }
        let has_handler = given.iter().any(|given| matches!(given.value, Value::Function(_)));
        if is_route(&called.key, given) {
            return;
        }
        if is_service && self.request_of_a_service(called, given, span) {
            return;
        }
        if is_service && self.changes_each(&words, called, given, span) {
            return;
        }
        let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if is_service && says(STARTS) && says(MACHINES) && self.is_repeated(span) {
            self.walk.note("cloud.compute.start-many", span);
            return;
        }
        if is_service && says(SILENCES) && !words.iter().any(|word| LISTS.contains(&word.as_str()))
        {
            self.deed(Class::Lower, false, called, given, span);
            return;
        }
        // `bulk.createJob("Lead", "hardDelete")`: what is to be done stands among what the job is given.
        let is_deletion = |value: &Value| {
            let word = value.as_known().map(str::to_ascii_lowercase);
            matches!(word.as_deref(), Some("delete" | "harddelete" | "hard_delete"))
        };
        let orders_deletion = || {
            given.iter().any(|it| {
                is_deletion(&it.value) || it.value.entry("operation").is_some_and(is_deletion)
            })
        };
        if is_service && says(&["ingest", "job", "operation"]) && orders_deletion() {
            self.deed(Class::Delete, false, called, given, span);
            return;
        }
        if is_service && says(SENDS) && says(PEOPLE) && self.is_repeated(span) {
            self.walk.note("messages.send.many", span);
            return;
        }
        let read = arguments::read(&written(given, self), None);
        let ends = is_service && words.first().is_some_and(|verb| ENDS.contains(&verb.as_str()));
        // `client.delete(thing)`: of a service, whatever it is called that has the method.
        let ends = ends || is_service && is_bare && deletes;
        let mut contract = match derive::of_method(&words, &read.hints) {
            Some(contract) => contract,
            None if ends => Contract::default(),
            None => return,
        };
        let is_known =
            contract.class == Class::Delete && deletes || contract.class == Class::Administer;
        if ends && !is_known {
            contract.class = Class::Delete;
            contract.reversible = true;
        }
        let noun = words.get(1..).unwrap_or_default();
        let is_inner = noun.iter().any(|word| INNER.contains(&word.as_str()));
        let takes_all = takes_all(&read.values, given);
        // Each of what is gone through.
        let is_each = given.iter().any(|given| is_of_each(&given.value, DEPTH))
            || is_service && (called.path.contains("[]") || self.is_repeated(span));
        match contract.class {
            Class::Delete if self.is_in_memory(called.path, given) => return,
            Class::Delete if has_handler || is_inner && !takes_all && !is_service => return,
            Class::Delete if deletes => {}
            Class::Delete if noun.iter().any(|word| STORES.contains(&word.as_str())) => {}
            Class::Pay if read.hints.amount || read.hints.account => {}
            // What is said to a service that the code signed in to changes something there.
            Class::Administer | Class::Delete | Class::Lower | Class::Share
                if is_service && !has_handler => {}
            // What a queue or a broker is given is no publication, and what is held is let go.
            Class::Publish
                if is_service
                    && !lets_go(&words)
                    && called.way.iter().any(|part| {
                        !part.is_empty()
                            && part.starts_with(|it: char| it.is_ascii_lowercase())
                            && *part != "connect"
                    }) => {}
            _ => return,
        }
        // `client.delete({ query: … })`: whatever it finds.
        let by_query = is_bare
            && given.first().is_some_and(|it| {
                ["filter", "query", "selector", "where"]
                    .iter()
                    .any(|name| it.value.entry(name).is_some())
            });
        let takes_several = takes_several || by_query;
        let takes_more = takes_all || takes_several || is_each;
        let takes_whole = words.first().is_some_and(|verb| DROPS.contains(&verb.as_str()));
        let is_one = is_bare && !takes_whole && given.iter().any(|given| given.name.is_none())
            || names_one
            || called.chooses();
        // What is torn down without a word is most often a part of a page or a connection.
        let is_torn_down =
            called.key == "destroy" && given.is_empty() && !called.path.contains("[]");
        if contract.class == Class::Delete && (is_one || is_torn_down) && !takes_more {
            contract.reversible = true;
        }
        // What a service may take back one by one, nobody takes back by the hundred.
        if is_service && contract.class == Class::Delete && (is_each || takes_all || takes_several)
        {
            contract.reversible = false;
        }
        if contract.class == Class::Delete && self.client_of(called.path) == Client::Nearby {
            contract.reversible = true;
        }
        contract.subject = format!("something by {}", called.path);
        let deed = Deed { contract, source: Source::Derived, values: read.values };
        self.walk.emit(EffectKind::Act(Box::new(deed)), span);
    }

    /// `transaction.commit({ dryRun: true })`: all that the code commits, it only asks about.
    fn only_rehearses(&self, called: &Called<'_>) -> bool {
        let is_gathered = called.path.starts_with("@sanity/client.")
            && ["fetch()", "patch()", "transaction()"].iter().any(|it| called.path.contains(it))
            && called.key != "commit";
        let plain: String = self.source.chars().filter(|it| !it.is_whitespace()).collect();
        let commits = plain.matches("commit").count();
        is_gathered
            && commits > 0
            && commits == plain.matches(".commit({dryRun:true})").count()
            && !["mutate", "Reflect", "eval", "](", "['", "[`"].iter().any(|it| plain.contains(it))
    }

    /// What a service keeps is changed, one after the other of all that it gave, or switched off.
    fn changes_each(
        &mut self,
        words: &[String],
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        let changes = words.iter().any(|word| CHANGES.contains(&word.as_str()));
        if changes && switches_off(given) {
            self.deed(Class::Lower, false, called, given, span);
            return true;
        }
        // `"a-b".replace("-", "_")`: a text is made into another.
        let is_of_text = called.name == "replace"
            && matches!(given, [from, to] if from.value.as_known().is_some() && to.value.as_known().is_some());
        // What a module of the project defines begins with a dot: `from .env import Variables`.
        let path = called.path.trim_start_matches('.');
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        let is_own = |text: &Text| text.display().contains(root);
        // `product.save()` of each that the service gave.
        let is_each = changes
            && !is_of_text
            && (called.path.contains("[]")
                || given.iter().any(|it| is_of_each(&it.value, DEPTH) && is_own(&it.value.text())));
        let changes_one = words.iter().any(|word| CHANGES_ONE.contains(&word.as_str()));
        let is_computed = || given.iter().any(|it| it.value.text().has_unknown());
        let is_each =
            is_each || changes_one && !is_of_text && is_computed() && self.is_repeated(span);
        if is_each {
            self.walk.note("service.records.changed", span);
        }
        is_each
    }

    /// Files that an object of the program is told to write: `image.save(path)`.
    pub(super) fn places_written(&mut self, name: &str, given: &[Given]) {
        const WRITES: &[&str] = &[
            "export",
            "imsave",
            "imwrite",
            "save",
            "savefig",
            "to_file",
            "write_image",
            "write_video",
        ];
        let path = given.first().map(|first| (first.value.text(), first.span));
        if WRITES.contains(&name)
            && let Some((text, span)) =
                path.filter(|(text, _)| text.known_prefix().starts_with(['/', '~']))
        {
            self.flush();
            let file = Argument { text, span };
            self.walk.write(&file, WriteMode::Replace, Text::unknown("what is saved"));
        }
    }

    /// Directories of this machine that something with such a verb is given: `tf.io.gfile.rmtree('/home/dev')`.
    pub(super) fn places_deleted(&mut self, name: &str, given: &[Given]) {
        const VERBS: &[&str] = &[
            "delete", "destroy", "erase", "nuke", "purge", "remove", "rm", "rmtree", "shred",
            "wipe",
        ];
        let words = meaning::words(meaning::beginning(name));
        if !words.iter().any(|word| VERBS.contains(&word.as_str()))
            || self.seen.refused > 0
            || self.mocks_files()
        {
            return;
        }
        // `app.delete("/users", handler)` and `client.delete("/")`: the method of a request, and the path of its address.
        let is_request = words.len() == 1 && words.iter().all(|word| word == "delete");
        let has_handler = given.iter().any(|given| matches!(given.value, Value::Function(_)));
        let is_route = |path: &str| is_request && (has_handler || path == "/");
        for given in given {
            for value in given.value.alternatives() {
                if value.as_known().is_some_and(|path| is_place(path) && !is_route(path)) {
                    self.flush();
                    let file = Argument { text: value.text(), span: given.span };
                    self.walk.delete(&file, true);
                }
            }
        }
    }

    /// What an unknown function is given is judged as what it is: a command, a statement, a directory that it deletes, a secret that
    /// goes to an address.
    pub(in super::super) fn arguments_as_they_are(&mut self, name: &str, given: &[Given]) {
        let words = meaning::words(meaning::beginning(name));
        let says = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        if says(SHOWS) || !matches!(self.language, "python" | "javascript") {
            return;
        }
        let (runs, asks) = (says(RUNS), says(ASKS));
        for given in given {
            let is_named = given
                .name
                .as_deref()
                .is_some_and(|name| matches!(name, "cmd" | "command" | "sql" | "statement"));
            for value in given.value.alternatives() {
                if asks || is_named {
                    let text = value.text();
                    if text
                        .as_known()
                        .is_some_and(|known| look::is_statement(known, Strictness::Shape))
                    {
                        self.walk.query(&text, given.span);
                        continue;
                    }
                }
                if (runs || is_named) && reads_as_command(&value) {
                    let mark = self.walk.gaps();
                    self.shell_or_words(&value, given.span, given.span, None, None);
                    self.walk.forgive(
                        mark,
                        &[GapReason::Unparsed, GapReason::UnknownProgram, GapReason::UnknownCode],
                    );
                }
            }
        }
        self.places_deleted(name, given);
        let address = given.iter().find(|it| it.value.as_known().is_some_and(look::is_address));
        // A client signs in with its secret, as a request does with its header.
        let makes_client = name.starts_with(|first: char| first.is_ascii_uppercase())
            || words.iter().any(|word| matches!(word.as_str(), "client" | "connect" | "login"));
        let signs_in = |given: &&Given| {
            makes_client
                && given.name.as_deref().is_some_and(names_a_secret)
                && !given.value.taint().has(Taint::FILE)
        };
        let sent = given.iter().filter(|given| !signs_in(given));
        let sends = mixed("what is sent", sent.map(|given| &given.value));
        if let Some(address) =
            address.filter(|_| sends.taint.has(Taint::SECRET) || sends.taint.has(Taint::FILE))
        {
            let address = Argument { text: address.value.text(), span: address.span };
            self.walk.connect(&address, Some(sends), false);
        }
    }
}

/// `.post("/path", handler)`, `.post(handler)`: a server is told who answers, and nothing is sent.
fn is_route(method: &str, given: &[Given]) -> bool {
    const METHODS: &[&str] = &["all", "delete", "get", "head", "options", "patch", "post", "put"];
    let is_handler = |value: &Value| matches!(value, Value::Function(_));
    let is_path = |value: &Value| value.as_known().is_some_and(|path| path.starts_with('/'));
    let mut all = given.iter().map(|given| &given.value).peekable();
    all.next_if(|value| is_path(value));
    METHODS.contains(&method) && all.peek().is_some() && all.all(is_handler)
}

/// The words of a function's name.
fn words_of(called: &Called<'_>, is_service: bool) -> Vec<String> {
    let mut words: Vec<String> = called.key.split('_').map(str::to_owned).collect();
    // `rdelete`, `jput`: the same with its answer read.
    if is_service
        && let Some(verb) = words.first_mut()
        && let Some(plain) = verb.strip_prefix(['j', 'r'])
        && matches!(plain, "delete" | "patch" | "post" | "put")
    {
        *verb = plain.to_owned();
    }
    words
}

/// Whether what a call is given says that it is about everything.
fn takes_all(values: &[ValueGiven], given: &[Given]) -> bool {
    values.iter().any(|value| {
        let name = value.pointer.rsplit('/').next().unwrap_or_default();
        TAKES_ALL.contains(&name) && value.text == "true"
            || matches!(value.text.as_str(), "*" | "all")
    }) || given.iter().any(|given| {
        given.name.as_deref().is_some_and(|name| TAKES_ALL.contains(&name)) && given.value.is_true()
    })
}

/// Whether the owner of a method that says nothing itself is a call whose verb said what is done.
fn is_told_before(called: &Called<'_>) -> bool {
    let says = |name: &str| derive::of_method(&meaning::words(name), &Hints::default()).is_some();
    let receiver = called.path.strip_suffix(called.name).unwrap_or_default();
    receiver.ends_with(").") && !says(called.name) && says(called.owner)
}

/// `set_and_release(…)`: what is held is let go. `build_and_release(…)` is another matter.
fn lets_go(words: &[String]) -> bool {
    const HOLDS: &[&str] =
        &["acquire", "close", "drain", "get", "lock", "read", "set", "unlock", "wait", "write"];
    let [.., held, and, release] = words else { return false };
    HOLDS.contains(&held.as_str()) && and == "and" && release == "release"
}

/// Whether a value comes from each of what is gone through, and not from what a filter chose.
pub(super) fn is_of_each(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_each = |path: &str| {
        path.split_once("[]").is_some_and(|(list, _)| {
            // `client.get("/records")[]`: all that an address gives.
            let list = list.strip_suffix(".json()").unwrap_or(list);
            let list = list.strip_suffix(".get()").unwrap_or(list);
            let way = list.split('.').map(|part| part.split('(').next().unwrap_or_default());
            !way.into_iter().any(|part| databases::NARROWS.contains(&key(part).as_str()))
        })
    };
    match value {
        Value::Name(path, _) => is_each(path),
        Value::Text(text) => text
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(origin) if is_each(origin))),
        Value::List(list) | Value::Any(list) => list.iter().any(|one| is_of_each(one, depth)),
        Value::Table(table) => table.iter().any(|(_, one)| is_of_each(one, depth)),
        _ => false,
    }
}

/// A path that begins at a home or at a directory that systems have.
fn is_place(path: &str) -> bool {
    const TOPS: &[&str] = &[
        "bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "root", "sbin", "srv", "usr",
        "var", "Users",
    ];
    let top = path.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
    path == "/"
        || path == "~"
        || path.starts_with("~/")
        || top.is_some_and(|top| TOPS.contains(&top))
}

/// Whether a value is the text of a command, or its words: it begins with a program, and more stands behind.
pub(super) fn reads_as_command(value: &Value) -> bool {
    let begins = |text: &str| {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or(name);
        let is_program = programs::notable::names(name) || programs::program(name).is_some();
        (is_program, words.next().is_some())
    };
    match value {
        Value::Text(text) => {
            let (is_program, has_more) = begins(text.known_prefix());
            is_program && (has_more || text.has_unknown())
        }
        Value::List(list) => {
            list.len() > 1
                && list
                    .first()
                    .and_then(Value::as_known)
                    .is_some_and(|first| begins(first) == (true, false))
        }
        _ => false,
    }
}

/// How many values are written out, numbers left aside.
const VALUES: usize = 1024;

/// What a call is given, as the arguments of a tool; `limits` is told where there is more of it than is written.
pub(super) fn written(given: &[Given], limits: &mut impl Limits) -> Map<String, Json> {
    let mut map = Map::new();
    let mut left = VALUES;
    for (at, given) in given.iter().enumerate() {
        match (&given.name, &given.value) {
            (None, Value::Table(table)) => {
                for (name, value) in table {
                    map.insert(name.clone(), as_json(value, DEPTH, &mut left));
                }
            }
            (Some(name), value) => {
                map.insert(name.clone(), as_json(value, DEPTH, &mut left));
            }
            (None, value) => {
                map.insert(format!("argument {at}"), as_json(value, DEPTH, &mut left));
            }
        }
    }
    if left == 0 {
        limits.limit(Span::default());
    }
    map
}

/// A value as far as the number of values that are `left` allows it.
fn as_json(value: &Value, depth: usize, left: &mut usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    // Numbers name nothing, however many there are.
    if let Value::Number(number) = value {
        return Json::from(*number);
    }
    let Some(fewer) = left.checked_sub(1) else { return Json::Null };
    *left = fewer;
    match value {
        Value::List(list) => list.iter().map(|value| as_json(value, depth, left)).collect(),
        Value::Table(table) => Json::Object(
            table.iter().map(|(name, value)| (name.clone(), as_json(value, depth, left))).collect(),
        ),
        value if value.is_true() && matches!(value, Value::Name(..)) => Json::Bool(true),
        value if value.is_false() && matches!(value, Value::Name(..)) => Json::Bool(false),
        value => {
            let text = value.text();
            let is_plain = !text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
            if is_plain { Json::String(text.display()) } else { Json::Null }
        }
    }
}
