//! Which records are looked for, as SQLite is asked for them. Owns the query: only what is asked about stands in it, so that the indices serve it.

use portcullis_core::{decision::Verdict, risk::Risk};
use rusqlite::types::Value;

use super::{
    super::{
        entry::{Kind, time_text},
        store::Filter,
    },
    signed,
};

/// What a text is looked for in, whatever the case of ASCII letters.
const TEXT: &str = "instr(lower(coalesce(tool, '') || char(10) || coalesce(preview, '') || char(10) || coalesce(reason, '')), lower(?))";

/// Conditions with their values.
struct Conditions {
    text: String,
    values: Vec<Value>,
}

impl Conditions {
    /// Asks about a value where there is one; `?` stands for it.
    fn ask(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.values.push(value.into());
            self.text.push_str(" AND ");
            self.text.push_str(condition);
        }
    }
}

/// The query for what a filter wants, the oldest first, with its values.
pub(super) fn query(filter: &Filter, columns: &str) -> (String, Vec<Value>) {
    let Filter {
        kind,
        risk,
        decision,
        since,
        until,
        agent,
        session,
        before,
        after,
        refers_to,
        text,
        limit,
    } = filter;
    let word = |word: &'static str| word.to_owned();
    let mut asked = Conditions { text: "true".to_owned(), values: Vec::new() };
    asked.ask("kind = ?", kind.map(Kind::name).map(word));
    asked.ask("risk = ?", risk.map(Risk::name).map(word));
    asked.ask("decision = ?", decision.map(Verdict::name).map(word));
    asked.ask("time >= ?", since.map(time_text));
    asked.ask("time <= ?", until.map(time_text));
    asked.ask("agent = ?", agent.clone());
    asked.ask("session = ?", session.clone());
    asked.ask("sequence < ?", before.map(signed));
    asked.ask("sequence > ?", after.map(signed));
    asked.ask("refers_to = ?", refers_to.map(signed));
    asked.ask(TEXT, text.clone());
    let Conditions { text: wanted, values } = asked;
    let query = match limit {
        None => format!("SELECT {columns} FROM record WHERE {wanted} ORDER BY sequence"),
        Some(limit) => format!(
            "SELECT * FROM (SELECT {columns} FROM record WHERE {wanted} ORDER BY sequence DESC LIMIT {limit}) ORDER BY sequence"
        ),
    };
    (query, values)
}
