//! Programs that write out what a database holds. Owns where they put it, and which words of a client ask for rows.

use crate::{
    effect::{Run, WriteMode},
    text::Text,
    understand::shell::{Invocation, Walk},
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

/// The options that name the file or directory of a dump; without one it is printed.
const FILES: &[&str] =
    &["-D", "-f", "-o", "-r", "--archive", "--file", "--out", "--pgdata", "--result-file"];

/// Programs that print everything of a database, or of one of its tables.
const DUMPERS: &[&str] = &[
    "mariadb-dump",
    "mongodump",
    "mongoexport",
    "mysqldump",
    "pg_basebackup",
    "pg_dump",
    "pg_dumpall",
];

/// `pg_dump`, `mysqldump`, `mongodump`…
pub(super) fn dump(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let printed = invocation.origin();
    for file in invocation.options().values_of(FILES) {
        // `mongoexport -f` names fields.
        let is_file =
            !invocation.program.starts_with("mongo") || !file.text.known_prefix().contains(',');
        if is_file {
            walk.write(&file, WriteMode::Replace, printed.clone());
        }
    }
    printed
}

/// Whether what a program prints are rows of a database, and not only their shape or their number.
pub(crate) fn prints_rows(run: &Run) -> bool {
    let words = || run.arguments.iter().filter_map(|word| word.text.as_known());
    let program = run.program.as_str();
    if DUMPERS.contains(&program) {
        let is_shape = |word: &str| {
            matches!(word, "-d" | "--no-data")
                && program.ends_with("dump")
                && !program.starts_with("pg")
                || matches!(word, "-s" | "--schema-only") && program.starts_with("pg")
                || matches!(word, "--version" | "--help")
        };
        return !words().any(is_shape);
    }
    let is_client = super::TABLE.binary_search_by(|row| row.name.cmp(program)).is_ok();
    is_client && words().any(asks_for_rows)
}

/// A statement or command that answers with rows.
fn asks_for_rows(word: &str) -> bool {
    let said = word.to_ascii_lowercase();
    let has = |part: &str| said.contains(part);
    let is_count =
        has("count(") || has("countdocuments") || has("version()") || has("information_schema");
    let selects = has("select ") && has(" from ") || has("copy ") && has("to stdout");
    let finds = has(".find(") || has(".aggregate(") || has("hgetall ") || has("lrange ");
    (selects || finds) && !is_count || matches!(word, ".dump" | "--rdb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_answer_with_rows_are_told_from_those_that_count() {
        for (word, expected) in [
            ("SELECT email, phone FROM users", true),
            ("select count(*) from users", false),
            ("COPY users TO STDOUT", true),
            ("select 1", false),
            ("db.users.find({})", true),
            ("db.users.countDocuments()", false),
            (".dump", true),
            (".schema", false),
        ] {
            assert_eq!(asks_for_rows(word), expected, "{word}");
        }
    }
}
