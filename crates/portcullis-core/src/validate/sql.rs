//! One statement for a database. Owns how strictly it is read: what two databases would read differently is refused, and so is
//! every word in the place of a statement, a function or a table that is not known to be harmless or named by the tool's author.

use portcullis_syntax::sql::{self, TokenKind};
use serde::Deserialize;

use super::Refused;
use crate::rules::always_holds;

mod plain;
mod reading;
mod words;

use plain::unambiguous;
use reading::{Reading, is_sign};
use words::{FUNCTIONS, STATEMENTS};

const KIND: &str = "sql";

/// The longest statement.
const LONGEST: usize = 64 << 10;

/// What a statement may be.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SqlRules {
    /// Which database reads it.
    pub dialect: Dialect,
    /// What it may do: `select`, `insert`, `update`, `delete`, `merge`, `explain`.
    pub kinds: Vec<String>,
    /// The only tables, as they are written (`orders`, `shop.orders`); any of the user's own where none is named.
    pub tables: Vec<String>,
    /// The only columns; any where none is named.
    pub columns: Vec<String>,
    /// Functions beside the ordinary ones.
    pub functions: Vec<String>,
    /// Whether selections may be joined by `UNION`, `INTERSECT` and `EXCEPT`.
    pub unions: bool,
    /// A `LIMIT` that a selection must have, and its most rows.
    pub limit: Option<u64>,
}

impl Default for SqlRules {
    fn default() -> Self {
        Self {
            dialect: Dialect::Any,
            kinds: vec!["select".to_owned()],
            tables: Vec::new(),
            columns: Vec::new(),
            functions: Vec::new(),
            unions: false,
            limit: None,
        }
    }
}

/// Which database reads a statement.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Dialect {
    /// Any: what one of them reads otherwise is refused.
    #[default]
    Any,
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
    /// SQLite.
    Sqlite,
}

impl SqlRules {
    pub(super) fn check(&self, statement: &str) -> Result<(), Refused> {
        self.read(statement).map_err(|message| Refused::new(KIND, message))
    }

    fn read(&self, text: &str) -> Result<(), String> {
        if text.len() > LONGEST {
            return Err("the statement is too long".to_owned());
        }
        unambiguous(text, self.dialect)?;
        let tokens = sql::tokens(text);
        let mut statement = tokens.as_slice();
        while let [rest @ .., last] = statement
            && is_sign(last, ";")
        {
            statement = rest;
        }
        if statement.is_empty() {
            return Err("there is no statement".to_owned());
        }
        if statement.iter().any(|token| is_sign(token, ";")) {
            return Err("there is more than one statement".to_owned());
        }
        let reading = Reading::of(statement);
        self.kinds(&reading)?;
        self.words(&reading)?;
        self.functions(&reading)?;
        self.tables(&reading)?;
        self.columns(&reading)?;
        conditions(&reading)?;
        self.limit(&reading)
    }

    /// What stands where a statement begins.
    fn kinds(&self, reading: &Reading<'_>) -> Result<(), String> {
        for at in 0..reading.tokens.len() {
            let word = reading.word(at);
            let first = at == 0;
            let kind = match word {
                "SELECT" | "VALUES" => "select",
                "TABLE" if reading.begins(at) => "select",
                "WITH" | "(" if first => continue,
                "EXPLAIN" if first => "explain",
                "INSERT" if reading.begins(at) => "insert",
                "UPDATE" if reading.begins(at) => "update",
                "DELETE" if reading.begins(at) => "delete",
                "MERGE" if reading.begins(at) => "merge",
                // `REPLACE(a, b, c)` is a function.
                "REPLACE" if reading.begins(at) && reading.word(at + 1) != "(" => "replace",
                // `ON CONFLICT … DO UPDATE` belongs to its `INSERT`.
                "DO" if reading.has("CONFLICT") => continue,
                _ if first => "other",
                word if reading.begins(at)
                    && STATEMENTS.contains(&word)
                    && reading.word(at + 1) != "(" =>
                {
                    "other"
                }
                _ => continue,
            };
            let is_of_insert = word == "VALUES" && reading.has("INSERT");
            let is_allowed = self.kinds.iter().any(|allowed| allowed == kind);
            // What is explained is checked as if it ran; `ANALYZE` does run it.
            if !is_allowed && kind != "explain" && !is_of_insert {
                return Err(match kind {
                    "other" => "it is not a statement that this tool takes".to_owned(),
                    kind => format!("this tool does not take `{}`", kind.to_ascii_uppercase()),
                });
            }
        }
        Ok(())
    }

    /// Words that make a harmless statement another one, wherever they stand.
    fn words(&self, reading: &Reading<'_>) -> Result<(), String> {
        let refuse = |what: &str| Err(format!("this tool does not take `{what}`"));
        for at in 0..reading.tokens.len() {
            let next = |number: usize| reading.word(at + number);
            match reading.word(at) {
                "INTO"
                    if !matches!(reading.before(at), "INSERT" | "MERGE" | "IGNORE" | "REPLACE") =>
                {
                    return Err("a selection into a file, a variable or a table writes".to_owned());
                }
                "OUTFILE" | "DUMPFILE" | "INFILE" => return refuse("OUTFILE"),
                "FOR"
                    if matches!(next(1), "UPDATE" | "SHARE" | "NO" | "KEY" | "XML" | "BROWSE") =>
                {
                    return refuse("FOR UPDATE");
                }
                "LOCK" => return refuse("LOCK"),
                "UNION" | "INTERSECT" | "EXCEPT" | "MINUS" if !self.unions => {
                    return refuse("UNION");
                }
                "NEXTVAL" | "NEXT" if next(1) == "VALUE" => return refuse("NEXT VALUE"),
                "PROCEDURE" => return refuse("PROCEDURE"),
                word if word.starts_with('@') => {
                    return Err("it uses variables of the server".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn functions(&self, reading: &Reading<'_>) -> Result<(), String> {
        for call in &reading.calls {
            let own = self.functions.iter().any(|allowed| is_named(allowed, call));
            if !own && FUNCTIONS.binary_search(&call.as_str()).is_err() {
                return Err(format!("this tool does not call `{}`", shown(call)));
            }
        }
        Ok(())
    }

    fn tables(&self, reading: &Reading<'_>) -> Result<(), String> {
        for (table, at) in &reading.tables {
            let is_local =
                reading.selections.iter().any(|(name, from)| name == table && from <= at);
            let named = self.tables.iter().any(|allowed| is_named(allowed, table));
            if is_local || named {
                continue;
            }
            let bare = table.replace('"', "").to_uppercase();
            let of_server = [
                "PG_",
                "PRAGMA_",
                "SQLITE_",
                "MYSQL.",
                "SYS.",
                "INFORMATION_SCHEMA.",
                "PERFORMANCE_SCHEMA.",
                "MASTER.",
            ]
            .iter()
            .any(|start| bare.starts_with(start) || bare.contains(&format!(".{start}")));
            if !self.tables.is_empty() || of_server {
                return Err(format!("this tool does not use the table `{}`", shown(table)));
            }
        }
        Ok(())
    }

    fn columns(&self, reading: &Reading<'_>) -> Result<(), String> {
        if self.columns.is_empty() {
            return Ok(());
        }
        if reading.takes_all {
            return Err("this tool takes columns by their names, and not `*`".to_owned());
        }
        let named = |name: &String| self.columns.iter().any(|allowed| is_named(allowed, name));
        let sorted = reading.sorted.difference(&reading.aliases);
        for name in reading.names.iter().chain(sorted.map(|(name, _)| name)) {
            if !named(name) {
                return Err(format!("this tool does not use the column `{}`", shown(name)));
            }
        }
        Ok(())
    }

    fn limit(&self, reading: &Reading<'_>) -> Result<(), String> {
        let Some(most) = self
            .limit
            .filter(|_| matches!(reading.word(0), "SELECT" | "WITH" | "TABLE" | "VALUES" | "("))
        else {
            return Ok(());
        };
        let last = (0..reading.tokens.len())
            .rev()
            .find(|at| reading.depth(*at) == 0 && reading.word(*at) == "LIMIT");
        let rows = last.and_then(|at| {
            // MySQL's `LIMIT offset, rows`.
            let at = if reading.word(at + 2) == "," { at + 3 } else { at + 1 };
            reading
                .tokens
                .get(at)
                .filter(|token| token.kind == TokenKind::Number)?
                .text
                .parse::<u64>()
                .ok()
        });
        match rows {
            Some(rows) if rows <= most => Ok(()),
            _ => Err(format!("the selection needs a `LIMIT` of at most {most} rows")),
        }
    }
}

/// Every `UPDATE` and `DELETE` chooses, and no condition lets everything through.
fn conditions(reading: &Reading<'_>) -> Result<(), String> {
    for at in 0..reading.tokens.len() {
        let depth = reading.depth(at);
        let word = reading.word(at);
        let end = (at + 1..reading.tokens.len())
            .find(|other| reading.depth(*other) < depth)
            .unwrap_or(reading.tokens.len());
        if matches!(word, "UPDATE" | "DELETE") && reading.begins(at) {
            let chooses = (at..end)
                .any(|other| reading.depth(other) == depth && reading.word(other) == "WHERE");
            if !chooses {
                return Err(format!("`{word}` needs a `WHERE`"));
            }
        }
        if matches!(word, "WHERE" | "HAVING" | "ON") {
            let stops = [
                "GROUP",
                "ORDER",
                "LIMIT",
                "UNION",
                "INTERSECT",
                "EXCEPT",
                "WHERE",
                "JOIN",
                "LEFT",
                "RIGHT",
                "INNER",
                "HAVING",
                "SET",
            ];
            let end = (at + 1..end)
                .find(|other| {
                    reading.depth(*other) == depth && stops.contains(&reading.word(*other))
                })
                .unwrap_or(end);
            let condition = reading.tokens.get(at + 1..end).unwrap_or_default();
            let is_join = word == "ON";
            if !is_join && always_holds(condition, reading.tokens.get(..at).unwrap_or_default()) {
                return Err("the condition holds for every row".to_owned());
            }
        }
    }
    Ok(())
}

/// Whether an entry of a list names this: in quotes exactly, otherwise without regard to capitals.
fn is_named(entry: &str, name: &str) -> bool {
    if name.contains('"') {
        entry == name.replace('"', "")
    } else {
        entry.eq_ignore_ascii_case(name)
    }
}

fn shown(name: &str) -> String {
    name.to_lowercase().chars().take(80).collect::<String>().escape_debug().to_string()
}
