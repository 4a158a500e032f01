//! Databases that Perl, PHP and Ruby open. Owns which of them are held in the memory of the script: what is done to those is done to nothing.

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};

/// What opens a database by its arguments, sorted.
const OPENS: &[&str] = &[
    "ActiveRecord.Base.establish_connection",
    "DBI.connect",
    "DBI.connect_cached",
    "Mysql2.Client.new",
    "PDO",
    "PG.connect",
    "SQLite3",
    "SQLite3.Database.new",
    "SQLite3.Database.open",
    "SQLite3.open",
    "Sequel.connect",
    "Sequel.sqlite",
    "mysqli",
    "mysqli_connect",
    "pg_connect",
];

/// Where SQLite is told to hold a database in memory (sqlite.org, "In-Memory Databases"; DBD::SQLite; php.net, "PDO_SQLITE DSN").
const IN_MEMORY: &[&str] = &[
    ":memory:",
    "dbi:sqlite::memory:",
    "dbi:sqlite:database=:memory:",
    "dbi:sqlite:dbname=:memory:",
    "file::memory:",
    "sqlite::memory:",
];

impl Interpreter<'_, '_, '_> {
    /// Notices where a database is opened.
    pub(super) fn notice_database(&mut self, path: &str, given: &[Given]) {
        if OPENS.binary_search(&path).is_err() {
            return;
        }
        let is_of_file_alone = matches!(path, "SQLite3" | "SQLite3.open" | "Sequel.sqlite")
            || path.contains("Database");
        let is_held = match given {
            [] => path == "Sequel.sqlite",
            [options] if options.name.is_none() && matches!(options.value, Value::Table(_)) => {
                is_told_so(|name| options.value.entry(name).cloned())
            }
            [first, ..] if first.name.is_none() => {
                let told = first.value.as_known().map(str::to_ascii_lowercase);
                told.is_some_and(|told| {
                    let is_bare = matches!(told.as_str(), ":memory:" | "file::memory:");
                    IN_MEMORY.contains(&told.as_str()) && (is_of_file_alone || !is_bare)
                })
            }
            named => is_told_so(|name| {
                let of = named.iter().find(|it| it.name.as_deref() == Some(name));
                of.map(|it| it.value.clone())
            }),
        };
        if is_held {
            self.seen.in_memory.get_or_insert_with(|| path.to_owned());
        } else {
            self.seen.real = true;
        }
    }
}

/// Whether options say so: `adapter: "sqlite3", database: ":memory:"`.
fn is_told_so(option: impl Fn(&str) -> Option<Value>) -> bool {
    let is = |name: &str, of: &[&str]| {
        option(name).is_some_and(|value| value.as_known().is_some_and(|it| of.contains(&it)))
    };
    is("adapter", &["sqlite", "sqlite3"])
        && is("database", &[":memory:"])
        && option("url").is_none()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_opens_a_database_is_sorted() {
        assert!(super::OPENS.is_sorted());
    }
}
