//! Statements for a database that go to it over HTTP: in a request's body, in a field of it, or in its address. Owns how they are told from other
//! texts; only what changes or deletes is looked for, since a search for words looks much like a question.

use portcullis_syntax::sql;

use crate::{
    percent,
    text::{Piece, Text},
};

/// Fields of a body, and parts of an address, that hold a statement: of ClickHouse, Elasticsearch, InfluxDB, CrateDB, QuestDB, Trino, ksqlDB, Snowflake.
const FIELDS: &[&str] = &["ksql", "q", "query", "sql", "statement", "stmt"];

/// The statements that a request carries.
pub(super) fn within(address: &Text, sends: Option<&Text>) -> Vec<Text> {
    let mut found = Vec::new();
    if let Some(sends) = sends {
        found.extend(is_change(sends).then(|| sends.clone()));
        let whole = sends.as_known().and_then(|known| serde_json::from_str(known).ok());
        if let Some(serde_json::Value::Object(fields)) = whole {
            let texts = FIELDS.iter().filter_map(|name| fields.get(*name)?.as_str());
            found.extend(texts.map(|text| sends.derive([Piece::Known(text.to_owned())])));
        }
        found.extend(parts(sends.known_prefix()).map(|text| sends.derive([Piece::Known(text)])));
    }
    let address = address.known_prefix();
    let asked = address.split_once('?').map_or("", |(_, asked)| asked);
    found.extend(parts(asked).map(Text::known));
    found.retain(is_change);
    found
}

/// The values of fields that hold a statement: `q=DROP%20DATABASE%20x&db=y`.
fn parts(form: &str) -> impl Iterator<Item = String> {
    form.split('&').filter_map(|part| {
        let (name, value) = part.split_once('=')?;
        FIELDS.contains(&name.trim()).then(|| percent::text(&value.replace('+', " ")))
    })
}

/// Whether a text is statements of which one changes what a database holds.
fn is_change(text: &Text) -> bool {
    const BEGIN: &[&str] = &[
        "ALTER", "BEGIN", "CREATE", "DELETE", "DROP", "EXPLAIN", "INSERT", "SELECT", "SET", "SHOW",
        "START", "TRUNCATE", "UPDATE", "USE", "WITH",
    ];
    let tokens = sql::tokens(text.known_prefix());
    let begins = tokens.first().is_some_and(|first| BEGIN.contains(&&*first.text));
    begins && tokens.split(|token| &*token.text == ";").any(changes)
}

/// The same of one.
fn changes(statement: &[sql::Token]) -> bool {
    const HELD: &[&str] = &[
        "ALL",
        "CATALOG",
        "CONTINUOUS",
        "DATABASE",
        "DICTIONARY",
        "FUNCTION",
        "INDEX",
        "KEYSPACE",
        "MATERIALIZED",
        "MEASUREMENT",
        "RETENTION",
        "ROLE",
        "SCHEMA",
        "SERIES",
        "SHARD",
        "STREAM",
        "TABLE",
        "TOPIC",
        "USER",
        "VIEW",
    ];
    let word = |at: usize| statement.get(at).map_or("", |token| &*token.text);
    match word(0) {
        "DROP" | "ALTER" | "TRUNCATE" => HELD.contains(&word(1)),
        "DELETE" => word(1) == "FROM",
        "UPDATE" => statement.iter().any(|token| &*token.text == "SET"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_wherever_a_request_carries_them() {
        for (address, sends) in [
            ("http://ch:8123/?query=DROP%20TABLE%20x", None),
            ("http://influx:8086/query?db=a&q=DROP+DATABASE+prod", None),
            ("http://ch:8123/", Some("drop table users")),
            ("http://ch:8123/", Some("SELECT 1; DROP TABLE users")),
            ("http://ch:8123/", Some("-- a\n/* b */ drop/**/table users")),
            ("http://es:9200/_sql", Some(r#"{"query": "DELETE FROM a"}"#)),
            ("http://influx:8086/query", Some("q=DROP%20SERIES%20FROM%20cpu")),
        ] {
            let sends = sends.map(Text::known);
            assert_eq!(within(&Text::known(address), sends.as_ref()).len(), 1, "{address}");
        }
        for (address, sends) in [
            ("http://ch:8123/?query=SELECT%201", None),
            ("https://search.example/?q=drop+shipping", None),
            ("https://search.example/?q=delete+a+row", None),
            ("http://es:9200/_search", Some(r#"{"query": {"match_all": {}}}"#)),
            ("https://api.example/graphql", Some(r#"{"query": "mutation { delete(id: 1) }"}"#)),
            ("https://api.example/", Some(r#"{"text": "DROP TABLE users"}"#)),
        ] {
            let sends = sends.map(Text::known);
            assert!(within(&Text::known(address), sends.as_ref()).is_empty(), "{address}");
        }
    }
}
