//! Sessions in databases. Owns the tables of each agent that keeps them so, and reads nothing else of a database.

use std::path::Path;

use portcullis_core::call::ToolCall;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};
use serde_json::Value;

use super::formats::{Line, Transcript, calls_in};
use crate::wire;

/// What was read of a database.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The calls, in order.
    pub(super) calls: Vec<ToolCall>,
    /// Rows that hold no text that can be read here.
    pub(super) cut: usize,
}

/// How an agent keeps its sessions.
struct Kept {
    /// A table that only its database has.
    table: &'static str,
    /// The rows with calls, in the order of time: the session, where it ran, the text.
    query: &'static str,
    /// The calls of a text.
    read: fn(&Given) -> Line,
}

/// A row.
struct Given {
    session: String,
    cwd: Option<String>,
    value: Value,
}

static KEPT: &[Kept] = &[
    // OpenCode and Kilo.
    Kept {
        table: "part",
        query: "SELECT part.session_id, session.directory, part.data FROM part \
                LEFT JOIN session ON session.id = part.session_id \
                WHERE part.data LIKE '%\"type\":\"tool\"%' ORDER BY part.time_created, part.id",
        read: in_transcript,
    },
    // OpenClaw. What it has packed has no text.
    Kept {
        table: "transcript_events",
        query: "SELECT event.session_id, (SELECT json_extract(start.event_json, '$.cwd') FROM transcript_events AS start \
                WHERE start.session_id = event.session_id AND start.seq = 0), event.event_json FROM transcript_events AS event \
                ORDER BY event.created_at, event.session_id, event.seq",
        read: in_transcript,
    },
    // Hermes.
    Kept {
        table: "messages",
        query: "SELECT messages.session_id, sessions.cwd, messages.tool_calls FROM messages \
                LEFT JOIN sessions ON sessions.id = messages.session_id \
                WHERE messages.tool_calls IS NOT NULL ORDER BY messages.timestamp, messages.id",
        read: |given| calls_in(given.cwd.clone(), &given.session, "hermes", &given.value),
    },
];

fn in_transcript(given: &Given) -> Line {
    Transcript::beginning(given.cwd.clone()).named(&given.session).calls(&given.value)
}

/// The calls of a database, `most` at most; `None` where it is no agent's.
pub(super) fn rows(path: &Path, most: usize) -> Result<Option<Rows>, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    for kept in KEPT {
        let is_there = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        if database.query_row(is_there, [kept.table], |_| Ok(())).optional()?.is_none() {
            continue;
        }
        // A table of that name may be somebody else's.
        let Ok(mut query) = database.prepare(kept.query) else { continue };
        let mut rows = query.query([])?;
        let mut read = Rows::default();
        while let Some(row) = rows.next()? {
            match given(row)? {
                Some(given) => match (kept.read)(&given) {
                    Line::Calls(calls) => read.calls.extend(calls),
                    Line::Cut => read.cut += 1,
                    Line::Other => {}
                },
                None => read.cut += 1,
            }
            if read.calls.len() >= most {
                break;
            }
        }
        return Ok(Some(read));
    }
    Ok(None)
}

/// A row, where its text is JSON.
fn given(row: &Row<'_>) -> Result<Option<Given>, rusqlite::Error> {
    let written: Option<String> = row.get(2)?;
    let value = written.and_then(|written| wire::parse(written.as_bytes(), 1).ok());
    let Some(value) = value else { return Ok(None) };
    Ok(Some(Given { session: row.get(0)?, cwd: row.get(1)?, value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sql: &str) -> Option<Rows> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("some.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        rows(&path, 100).unwrap()
    }

    fn commands(rows: &Rows) -> Vec<String> {
        let text = |call: &ToolCall| call.arguments["command"].as_str().unwrap().to_owned();
        rows.calls.iter().map(text).collect()
    }

    #[test]
    fn sessions_of_opencode_hermes_and_openclaw_are_read() {
        let opencode = r#"CREATE TABLE session (id TEXT, directory TEXT); CREATE TABLE part (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
            INSERT INTO session VALUES ('s', '/w');
            INSERT INTO part VALUES ('b', 's', 2, '{"type":"tool","tool":"bash","callID":"2","state":{"status":"error","input":{"command":"make"}}}'),
                ('a', 's', 1, '{"type":"tool","tool":"bash","callID":"1","state":{"status":"completed","input":{"command":"ls"}}}'),
                ('c', 's', 3, '{"type":"text","text":"rm -rf /"}');"#;
        let rows = read(opencode).unwrap();
        assert_eq!(commands(&rows), ["ls", "make"]);
        assert!(
            rows.calls
                .iter()
                .all(|call| call.cwd.as_deref() == Some("/w")
                    && call.session.as_deref() == Some("s"))
        );

        let hermes = r#"CREATE TABLE sessions (id TEXT, cwd TEXT);
            CREATE TABLE messages (id INTEGER, session_id TEXT, timestamp REAL, tool_calls TEXT, content TEXT);
            INSERT INTO sessions VALUES ('s', '/w');
            INSERT INTO messages VALUES (1, 's', 1.5, '[{"id":"1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]', ''),
                (2, 's', 2.5, NULL, 'rm -rf /');"#;
        let rows = read(hermes).unwrap();
        assert_eq!(commands(&rows), ["ls"]);
        assert_eq!(rows.calls[0].cwd.as_deref(), Some("/w"));

        let openclaw = r#"CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB);
            INSERT INTO transcript_events VALUES ('s', 0, '{"type":"session","version":4,"id":"s","cwd":"/w"}', 1, NULL),
                ('s', 1, '{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"exec","arguments":{"command":"ls"}}]}}', 2, NULL),
                ('s', 2, NULL, 3, x'28b52ffd');"#;
        let rows = read(openclaw).unwrap();
        assert_eq!((commands(&rows), rows.cut), (vec!["ls".to_owned()], 1));
        assert_eq!(rows.calls[0].cwd.as_deref(), Some("/w"));
    }

    #[test]
    fn a_database_of_somebody_else_is_no_session() {
        assert!(read("CREATE TABLE notes (text TEXT)").is_none());
        assert!(read("CREATE TABLE messages (text TEXT)").is_none());
    }
}
