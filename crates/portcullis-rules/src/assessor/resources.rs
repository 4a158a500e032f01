//! What an action may touch. Owns how its resources are listed.

use std::sync::LazyLock;

use regex::Regex;

use super::reading::{Language, Reading, is_statement};
use crate::{
    assessment::MAX_RESOURCES,
    effect::{EffectKind, Target},
};

/// How many addresses and how many tables stay in the list beside any number of files.
const OTHERS: usize = 3;

/// Files, addresses and tables, each with its kind, without repeats.
pub(super) fn resources(reading: &Reading<'_>) -> Vec<String> {
    let (mut files, mut addresses, mut tables) =
        (List::default(), List::default(), List::default());
    for effect in &reading.effects.list {
        match &effect.kind {
            EffectKind::Read(target)
            | EffectKind::Write { target, .. }
            | EffectKind::Delete { target, .. }
            | EffectKind::Permission { target, .. } => {
                if let Some(path) = path(target) {
                    files.add("file", &path);
                }
            }
            EffectKind::Connect(connection) => {
                if let Some(address) = connection.address.as_known() {
                    addresses.add("url", address);
                }
            }
            EffectKind::Query { statement } => statement_tables(&statement.display(), &mut tables),
            _ => {}
        }
    }
    let statement = reading.masked.as_ref();
    if reading.language == Language::Query {
        statement_tables(statement, &mut tables);
    }
    for text in &reading.strings {
        if is_path(text) {
            files.add("file", text);
        } else if is_statement(text.trim()) {
            statement_tables(text, &mut tables);
        }
    }
    if let Some(pattern) = URL.as_ref() {
        for found in pattern.find_iter(&reading.masked) {
            addresses.add("url", found.as_str().trim_end_matches(['.', ',', ')', ';']));
        }
    }
    let others = addresses.0.len().min(OTHERS) + tables.0.len().min(OTHERS);
    files.0.truncate(MAX_RESOURCES - others);
    let room = MAX_RESOURCES - files.0.len();
    addresses.0.truncate(room - tables.0.len().min(OTHERS));
    tables.0.truncate(room - addresses.0.len());
    [files.0, addresses.0, tables.0].concat()
}

#[derive(Default)]
struct List(Vec<String>);

impl List {
    fn add(&mut self, kind: &str, name: &str) {
        // Twice the limit, so that what is left out at the end is not missed.
        if self.0.len() >= 2 * MAX_RESOURCES || name.is_empty() {
            return;
        }
        let resource = format!("{kind}:{name}");
        if !self.0.contains(&resource) {
            self.0.push(resource);
        }
    }
}

fn path(target: &Target) -> Option<String> {
    match &target.path {
        Some(path) => Some(path.clone()),
        None => target.text.as_pattern().filter(|path| !path.is_empty()),
    }
}

/// Whether a string is surely meant as a path.
fn is_path(text: &str) -> bool {
    let rooted = ["/", "~/", "./", "../"].iter().any(|start| text.starts_with(start))
        || (text.get(1..3) == Some(":\\")
            && text.starts_with(|letter: char| letter.is_ascii_alphabetic()));
    let plain = |letter: char| letter.is_alphanumeric() || "_./\\-~+@: ".contains(letter);
    rooted && text.len() > 1 && text.len() < 4096 && text.chars().all(plain)
}

static URL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)https?://[^\s'"<>`]+"#).ok());

static TABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix)\b(?:
            (?P<drop>DROP|TRUNCATE|ALTER|CREATE)\s+(?P<kind>DATABASE|SCHEMA|TABLE|VIEW)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?
            | TRUNCATE\s+ | FROM\s+(?:ONLY\s+)? | INTO\s+ | UPDATE\s+(?:ONLY\s+)? | JOIN\s+
        )(?P<name>["`\[]?[\w$]+["`\]]?(?:\.["`\[]?[\w$]+["`\]]?)*)"#,
    )
    .ok()
});

/// Words that stand where a table would and are none.
const KEYWORDS: &[&str] = &[
    "select", "set", "table", "lateral", "unnest", "values", "outfile", "dumpfile", "database",
    "schema", "view", "if",
];

fn statement_tables(statement: &str, tables: &mut List) {
    let Some(pattern) = TABLE.as_ref() else { return };
    for captures in pattern.captures_iter(statement) {
        let Some(name) = captures.name("name") else { continue };
        let name: String =
            name.as_str().chars().filter(|letter| !"\"`[]".contains(*letter)).collect();
        if KEYWORDS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
            continue;
        }
        let kind = captures.name("kind").map(|kind| kind.as_str().to_ascii_lowercase());
        tables.add(
            match kind.as_deref() {
                Some("database") => "database",
                Some("schema") => "schema",
                _ => "table",
            },
            &name,
        );
    }
}
