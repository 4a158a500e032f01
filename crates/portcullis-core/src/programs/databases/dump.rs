//! Programs that write out what a database holds. Owns where they put it, and which words of a client ask for rows.

use crate::{
    effect::{Run, WriteMode},
    text::{Piece, Text},
    understand::shell::{Invocation, TERMINAL, Walk},
};

pub(super) const MONGO: &[&str] = &[
    "-c",
    "-d",
    "-f",
    "-h",
    "-o",
    "-p",
    "-q",
    "-u",
    "--collection",
    "--db",
    "--fields",
    "--host",
    "--out",
    "--password",
    "--port",
    "--query",
    "--uri",
    "--username",
];
pub(super) const MYSQL: &[&str] = &[
    "-P",
    "-S",
    "-h",
    "-r",
    "-u",
    "-w",
    "--host",
    "--ignore-table",
    "--port",
    "--result-file",
    "--socket",
    "--user",
    "--where",
];
pub(super) const POSTGRES: &[&str] = &[
    "-D",
    "-E",
    "-F",
    "-N",
    "-T",
    "-U",
    "-Z",
    "-d",
    "-f",
    "-h",
    "-j",
    "-n",
    "-p",
    "-t",
    "--dbname",
    "--file",
    "--format",
    "--host",
    "--pgdata",
    "--port",
    "--schema",
    "--table",
    "--username",
];

/// A family of programs that print everything of a database, or of one of its tables.
struct Dumper {
    names: &'static [&'static str],
    /// The options that name the file or directory of the dump; without one it is printed.
    files: &'static [&'static str],
    /// The options with which only the shape is written.
    shape: &'static [&'static str],
}

const DUMPERS: &[Dumper] = &[
    Dumper {
        names: &["mariadb-dump", "mysqldump"],
        files: &["-r", "--result-file"],
        shape: &["-d", "--no-data"],
    },
    Dumper {
        names: &["mongodump", "mongoexport"],
        files: &["-o", "--archive", "--out"],
        shape: &[],
    },
    Dumper {
        names: &["pg_basebackup", "pg_dump", "pg_dumpall"],
        files: &["-D", "-f", "--file", "--pgdata"],
        shape: &["-s", "--schema-only"],
    },
];

fn dumper(program: &str) -> Option<&'static Dumper> {
    DUMPERS.iter().find(|dumper| dumper.names.contains(&program))
}

/// `pg_dump`, `mysqldump`, `mongodump`…
pub(super) fn dump(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let files = dumper(&invocation.program).map_or(&[][..], |dumper| dumper.files);
    for file in invocation.options().values_of(files) {
        walk.write(&file, WriteMode::Replace, invocation.written());
    }
    invocation.origin()
}

/// Whether what a program prints are rows of a database, and not only their shape or their number.
pub(crate) fn prints_rows(run: &Run) -> bool {
    let words = || run.arguments.iter().filter_map(|word| word.text.as_known());
    let program = run.program.as_str();
    if let Some(dumper) = dumper(program) {
        let is_short = |word: &str| dumper.shape.contains(&word);
        return !words().any(|word| is_short(word) || matches!(word, "--version" | "--help"));
    }
    let is_client = super::TABLE.binary_search_by(|row| row.name.cmp(program)).is_ok();
    let arrives = || run.input.iter().flat_map(|input| &input.pieces);
    is_client
        && (words().any(|word| asks_for_rows(word) || matches!(word, "-f" | "--file"))
            || arrives().any(|piece| match piece {
                Piece::Known(statements) => asks_for_rows(statements),
                // Whatever a file of statements asks for.
                Piece::Unknown(origin) => &**origin != TERMINAL,
                _ => true,
            }))
}

/// Whether one of several statements or commands answers with rows.
fn asks_for_rows(told: &str) -> bool {
    let told = told.to_ascii_lowercase();
    told.split([';', '\n']).any(|line| answers_with_rows(line) || is_command_for_rows(line.trim()))
        || told.split(';').any(answers_with_rows)
}

/// `.dump`, `hgetall user:1`: what is no statement.
fn is_command_for_rows(line: &str) -> bool {
    const COMMANDS: &[&str] =
        &["--rdb", ".dump", "hgetall", "lrange", "mget", "smembers", "zrange"];
    line.split_whitespace().next().is_some_and(|first| COMMANDS.contains(&first))
}

fn answers_with_rows(statement: &str) -> bool {
    let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let mut words = statement.split(is_end).filter(|word| !word.is_empty());
    let has = |part: &str| statement.contains(part);
    match words.next() {
        Some("copy") => words.any(|word| word == "to"),
        Some("table") => true,
        Some("db") => {
            let finds = [".aggregate(", ".find(", ".findone("].iter().any(|call| has(call));
            finds && !statement.trim_end().ends_with("count()")
        }
        _ => {
            let select = statement.rfind("select").map(|at| at + "select".len());
            let list = select.and_then(|at| statement.get(at..)).unwrap_or_default();
            let mut parts = list.splitn(2, "from");
            let (columns, source) = (parts.next().unwrap_or_default(), parts.next());
            let is_shape = |source: &str| {
                let source = source.trim_start();
                ["information_schema", "pg_", "sqlite_", "sys"]
                    .iter()
                    .any(|own| source.starts_with(own))
            };
            source.is_some_and(|source| !is_shape(source)) && !columns.split(',').all(is_number)
        }
    }
}

/// A column that counts rows or adds them up.
fn is_number(column: &str) -> bool {
    const COUNTS: &[&str] = &["avg(", "count(", "max(", "min(", "sum(", "version("];
    let column = column.trim_start();
    COUNTS.iter().any(|start| column.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_answer_with_rows_are_told_from_those_that_count() {
        for (told, expected) in [
            ("SELECT email, phone FROM users", true),
            ("select *\nfrom users", true),
            ("SELECT*FROM users", true),
            ("TABLE users", true),
            ("select count(*) from users", false),
            ("select count(*), max(at) from users", false),
            ("select email, count(*) from users group by 1", true),
            ("select count(*) from users; select * from users", true),
            ("select table_name from information_schema.tables", false),
            ("COPY users TO STDOUT", true),
            ("\\copy users to stdout", true),
            ("select 1", false),
            ("update users set seen = 1", false),
            ("db.users.find({})", true),
            ("db.users.find({}).count()", false),
            ("db.users.countDocuments()", false),
            ("hgetall user:1", true),
            (".dump", true),
            (".schema", false),
        ] {
            assert_eq!(asks_for_rows(told), expected, "{told}");
        }
    }
}
