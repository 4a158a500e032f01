//! Servers as people are shown them: what was accepted, what is held and how that differs, what was called. Owns that what is shown is what would be
//! accepted, and that nobody accepts what was not shown whole; who asks, and how it looks, the terminal and the gateway's page say.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    path::Path,
};

use jiff::Timestamp;
use portcullis_core::decision::Verdict;
use serde_json::{Value, json};
use similar::TextDiff;

use super::confined;
use crate::{
    audit::{AuditError, Filter, Kind, Record},
    canonical,
    config::McpServer,
    pins::{Files, Known, Question, Seen, names},
    report::visible,
};

/// The longest difference that a page shows; nobody accepts what is longer there.
const LONGEST: usize = 128 << 10;

/// How many of the latest calls are counted.
const CALLS: u32 = 1_000;

/// The servers that are known, by name: those of the state directory and those of the configuration; and whether there are more.
#[must_use]
pub fn all(state: &Path, configured: &BTreeMap<String, McpServer>) -> (Vec<Files>, bool) {
    let (mut all, is_cut) = Files::all(state);
    let known: BTreeSet<String> = all.iter().map(|files| files.server.clone()).collect();
    let others = configured.keys().filter(|name| !known.contains(*name));
    all.extend(others.filter_map(|name| Files::of(state, name).ok()));
    all.sort_by(|one, other| one.server.cmp(&other.server));
    (all, is_cut)
}

/// What of a server waits.
#[must_use]
pub fn waiting(files: &Files) -> Vec<Question> {
    match files.seen() {
        Ok(seen) => Question::of(&files.known(), &seen),
        Err(_) => Question::of(&files.known(), &Seen::default()),
    }
}

/// A server, for programs.
#[must_use]
pub fn shape(
    files: &Files,
    configured: Option<&McpServer>,
    by: &confined::Held<'_>,
    calls: &Calls,
) -> Value {
    let known = files.known();
    let pins = known.pins();
    let held: Vec<Value> = waiting(files)
        .iter()
        .map(|one| json!({"kind": one.what, "name": one.name, "why": one.held}))
        .collect();
    let entries = pins.into_iter().flat_map(|pins| &pins.entries);
    let accepted: Vec<Value> = entries
        .map(|pin| json!({"kind": pin.kind, "name": pin.name, "digest": pin.digest, "by": pin.signed.by, "at": pin.signed.at}))
        .collect();
    let own = configured.map(|server| super::configured::definition(server).shown);
    let shown = pins.and_then(|pins| pins.definition.as_ref()).map(|it| it.shown.clone());
    json!({
        "server": files.server,
        "command": shown.or(own),
        "confined": by.shape(),
        "path": configured.map(|_| format!("/mcp/{}", files.server)),
        "broken": match &known { Known::Broken(why) => Some(why), _ => None },
        "accepted": accepted,
        "held": held,
        "calls": calls.shape(),
    })
}

/// What differs in a thing that is held, line by line, with every character that nobody sees written out.
#[must_use]
pub fn difference(question: &Question) -> String {
    let pretty = |value: &Option<Value>| {
        let text =
            value.as_ref().map(|value| serde_json::to_string_pretty(value).unwrap_or_default());
        let lines = text.unwrap_or_default();
        lines.lines().map(|line| format!("{}\n", visible::line(line))).collect::<String>()
    };
    let (before, now) = (pretty(&question.before), pretty(&question.now));
    TextDiff::from_lines(&before, &now).unified_diff().context_radius(2).to_string()
}

/// What stands for one thing that is held: who accepts it says by this which they saw.
#[must_use]
pub fn mark(question: &Question) -> String {
    let Question { what, name, before, now, held } = question;
    canonical::digest(&json!([what, name, before, now, held]))
}

/// A thing that is held, for a page. What is too long to be read there is not shown, and has no mark to accept it by.
#[must_use]
pub fn question_shape(question: &Question) -> Value {
    let difference = difference(question);
    let is_whole = difference.len() <= LONGEST;
    json!({
        "kind": question.what,
        "name": question.name,
        "why": question.held,
        "is_new": question.before.is_none(),
        "difference": is_whole.then_some(difference),
        "mark": is_whole.then(|| mark(question)),
    })
}

/// What was called of a server lately.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Calls {
    /// How often each decision was made, by its name.
    pub decided: BTreeMap<&'static str, usize>,
    /// When the last was.
    pub last: Option<Timestamp>,
}

impl Calls {
    /// Of a server, as the record tells it; `each` goes through the record.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn of(
        server: &str,
        each: impl FnOnce(
            &Filter,
            &mut dyn FnMut(Result<Record, AuditError>) -> ControlFlow<()>,
        ) -> Result<(), AuditError>,
    ) -> Result<Self, AuditError> {
        let server = names::written(server);
        let filter = Filter {
            kind: Some(Kind::Decision),
            text: Some(format!("mcp__{server}__")),
            limit: Some(CALLS),
            ..Filter::default()
        };
        let mut calls = Self::default();
        each(&filter, &mut |record| {
            // What cannot be read is no call that could be told of; the record's own check says so.
            let Ok(record) = record else { return ControlFlow::Continue(()) };
            let entry = &record.entry;
            let is_of_it = entry
                .tool
                .as_deref()
                .and_then(names::parts)
                .is_some_and(|(named, _)| named == server);
            if let Some(verdict) = entry.decision.filter(|_| is_of_it) {
                *calls.decided.entry(verdict.name()).or_default() += 1;
                calls.last = calls.last.max(Some(record.time));
            }
            ControlFlow::Continue(())
        })?;
        Ok(calls)
    }

    fn shape(&self) -> Value {
        let count = |verdict: Verdict| self.decided.get(verdict.name()).copied().unwrap_or(0);
        json!({
            "allow": count(Verdict::Allow),
            "ask": count(Verdict::Ask),
            "deny": count(Verdict::Deny),
            "last": self.last.map(|last| last.to_string()),
        })
    }
}
