//! What is emptied without a word that says so: keys of a store deleted one after the other of all that it has, messages taken off a queue
//! and thrown away, tables that a load takes the place of. Owns how each is told apart from work as usual; also which keys hold what people
//! signed in with.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    Doing,
    judged::Called,
    services::top_of,
};
use crate::{
    bound::Bounded,
    contract::Class,
    effect::Argument,
    text::{Piece, Text},
};

/// Clients of stores of keys.
const STORES: &[&str] =
    &["@redis/client", "@upstash/redis", "aioredis", "ioredis", "redis", "redis-om", "valkey"];

/// What such a client goes through the keys with.
const GOES_THROUGH: &[&str] =
    &["keys", "scan", "scan_buffer_stream", "scan_iter", "scan_iterator", "scan_stream"];

/// How it deletes them, and how it reads what they hold.
const DELETES: &[&str] = &["del", "delete", "unlink"];

const READS: &[&str] = &["dump", "get", "get_buffer", "getdel", "getex", "hgetall", "mget"];

/// How far a condition behind its word is looked at.
const CONDITION: usize = 12;

/// How the command is written that empties the store, and the one that shows a session.
const FLUSH: &[&str] = &["redis-cli", "flushdb"];

const SESSION: &[&str] = &["redis-cli", "get", "sess:1"];

impl Interpreter<'_, '_, '_> {
    /// Keys of a store: what is gone through, deleted or read of them. Gives a value where that is what the call is about.
    pub(super) fn keys_of_a_store(
        &mut self,
        module: &str,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !STORES.contains(&top_of(module)) {
            return None;
        }
        let key = called.key.as_str();
        if GOES_THROUGH.contains(&key) {
            match pattern(given) {
                Some(text) if text.is_empty() || text.chars().all(|it| it == '*') => {
                    self.seen.all_keys.get_or_insert(self.at);
                }
                Some(text) => self.seen.sessions |= names_sessions(&text),
                None => {}
            }
            return None;
        }
        let is_computed = || given.iter().any(|it| it.value.as_known().is_none());
        if DELETES.contains(&key)
            && is_computed()
            && let Some(from) = self.seen.all_keys
            && !self.is_in_memory(called.path, given)
            && !self.chooses_since(from)
        {
            self.tell_words(FLUSH, span);
        }
        let names =
            || given.first().is_some_and(|it| names_sessions(it.value.text().known_prefix()));
        let reads = READS.contains(&key) || called.way.contains(&"json") && key == "get";
        (reads && (self.seen.sessions && is_computed() || names()))
            .then(|| self.stored_secret(SESSION, span))
    }

    /// `for row in table.find(): table.delete_one({"_id": row["_id"]})`: all rows were gone through, and nothing chooses among them. A search
    /// that has a condition stands in the path of what it gives.
    pub(super) fn goes_through_all(
        &mut self,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        /// How deep the row may lie in the condition.
        const LEVELS: usize = 4;
        let table = called.path.strip_suffix(called.name).unwrap_or_default();
        let row = format!("{}[]", table.trim_end_matches('.'));
        if !given.iter().any(|it| comes_from(&it.value, &row, LEVELS)) || !self.is_repeated(span) {
            return false;
        }
        let head = (0..self.at).rev().find(|at| matches!(self.word_at(*at), "for" | "forEach"));
        head.is_some_and(|head| !self.chooses_since(head))
    }

    /// Deletions in a list of what is to be done with a table.
    pub(super) fn deletes_in_bulk(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        /// How many of them are looked at.
        const DELETIONS: usize = 256;
        let Some(Value::List(list)) = given.first().map(|it| &it.value) else { return };
        for one in list.iter().at_most(DELETIONS, self, span) {
            let filter = match one {
                Value::Table(_) => one.entry("deleteMany").and_then(|it| it.entry("filter")),
                _ => None,
            };
            if let Some(filter) = filter {
                let filter = Given { name: None, value: filter.clone(), span };
                self.rows(Doing::DeletesRows, called, &[filter], span);
            }
        }
    }

    /// Whether a condition behind the token at `from` chooses among what is gone through. Whether there is anything at all is no choice.
    fn chooses_since(&self, from: usize) -> bool {
        (from.min(self.at)..self.at).any(|at| {
            let chooses = matches!(self.word_at(at), "if" | "elif" | "continue" | "filter" | "?");
            let counts = (at + 1..at + CONDITION).any(|next| {
                matches!(self.word_at(next), "length" | "len" | "size" | "batch" | "count")
            });
            chooses && !counts
        })
    }

    /// `channel.basic_get(queue, auto_ack=True)`, and what it gives is used nowhere: the queue is emptied.
    pub(super) fn takes_off(&mut self, called: &Called<'_>, given: &[Given], span: Span) -> bool {
        let is_taken = match called.key.as_str() {
            "basic_get" => given.iter().any(|it| {
                matches!(it.name.as_deref(), Some("auto_ack" | "no_ack")) && it.value.is_true()
            }),
            "get" if called.path.starts_with("amqplib") => {
                given.iter().any(|it| it.value.entry("noAck").is_some_and(Value::is_true))
            }
            _ => false,
        };
        if !is_taken || !self.is_repeated(span) || self.uses_body(span) {
            return false;
        }
        self.deed(Class::Delete, false, called, &[], span);
        true
    }

    /// Whether anything is done with what a message says: its content is named again behind the statement that takes it.
    fn uses_body(&self, span: Span) -> bool {
        let start = span.range().start;
        let line = self.source.get(..start).unwrap_or_default();
        let head = line.rsplit(['\n', ';', '{', '(']).next().unwrap_or_default();
        let names = head.split('=').next().unwrap_or_default();
        let name = names.rsplit([',', ' ']).find(|it| !it.trim().is_empty()).unwrap_or_default();
        let name = name.trim();
        let rest = self.source.get(start..).unwrap_or_default();
        let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if self.language == "javascript" {
            return rest.contains(".content");
        }
        !name.is_empty() && name != "_" && rest.split(|it| !is_word(it)).any(|word| word == name)
    }

    /// Whether what is loaded takes the place of what a table holds: `WRITE_TRUNCATE`, `mode="overwrite"`, `overwrite=True`.
    pub(super) fn takes_the_place(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        let says = |name: &str, value: &Value| match name {
            "overwrite" | "truncate" => value.is_true(),
            "mode" => value.as_known() == Some("overwrite"),
            _ => false,
        };
        let is_said = given.iter().any(|it| {
            it.name.as_deref().is_some_and(|name| says(name, &it.value))
                || ["mode", "overwrite", "truncate"]
                    .iter()
                    .any(|name| it.value.entry(name).is_some_and(|value| says(name, value)))
        });
        // `frame.write.mode("overwrite").saveAsTable("t")`
        let is_written_over = || {
            matches!(called.key.as_str(), "insert_into" | "save_as_table")
                && ["mode(\"overwrite\")", "mode('overwrite')"]
                    .iter()
                    .any(|it| self.source.contains(it))
        };
        let is_configured = || {
            called.path.contains("bigquery")
                && ["WRITE_TRUNCATE", "WRITE_TRUNCATE_DATA"]
                    .iter()
                    .any(|it| self.source.contains(it))
        };
        if (is_said || is_written_over() || is_configured())
            && !self.only_estimates(called, given, span)
        {
            self.statement("TRUNCATE TABLE", called, given, span);
        }
    }

    /// Records a command of which all words are known.
    fn tell_words(&mut self, words: &[&str], span: Span) {
        let words = words.iter().map(|word| Argument { text: Text::known(*word), span });
        let words: Vec<Argument> = words.collect();
        self.run_words(&words, None);
    }
}

/// The pattern that keys are gone through by; empty where there is none, and nothing where nobody knows it.
fn pattern(given: &[Given]) -> Option<String> {
    const NAMES: &[&str] = &["MATCH", "match", "pattern"];
    for given in given.iter().leading(8) {
        let named = given.name.as_deref().filter(|name| NAMES.contains(name)).map(|_| &given.value);
        let entry = || NAMES.iter().find_map(|name| given.value.entry(name));
        if let Some(value) = named.or_else(entry) {
            return value.as_known().map(str::to_owned);
        }
    }
    let plain = given.iter().filter(|it| it.name.is_none());
    let mut texts =
        plain.filter(|it| matches!(it.value, Value::Text(_))).map(|it| it.value.as_known());
    match texts.find(|text| text.is_none_or(|text| text.contains('*'))) {
        None => Some(String::new()),
        Some(text) => text.map(str::to_owned),
    }
}

/// Whether keys are those of what people signed in with.
fn names_sessions(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower
        .split(|it: char| !it.is_ascii_alphanumeric())
        .any(|part| matches!(part, "sess" | "session" | "sessions" | "spring:session"))
}

/// Whether something of a value was reached by a path that begins so.
fn comes_from(value: &Value, start: &str, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return false };
    match value {
        Value::Name(path, _) => path.starts_with(start),
        Value::Text(text) => text
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(origin) if origin.starts_with(start))),
        Value::Table(table) => table.iter().any(|(_, one)| comes_from(one, start, levels)),
        Value::List(list) | Value::Any(list) => {
            list.iter().any(|one| comes_from(one, start, levels))
        }
        Value::Method(method) => comes_from(&method.0, start, levels),
        _ => false,
    }
}
