//! Programs that write out what a database holds. Owns where they put it, and which words of a client ask for rows.

use portcullis_syntax::sql::{self, Token, TokenKind};

use crate::{
    effect::{Run, WriteMode},
    programs::host::Host,
    programs::invocation::{Invocation, TERMINAL},
    text::{Piece, Text},
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
    Dumper { names: &["mysqldump"], files: &["-r", "--result-file"], shape: &["-d", "--no-data"] },
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
pub(super) fn dump(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let files = dumper(&invocation.program).map_or(&[][..], |dumper| dumper.files);
    for file in invocation.options().values_of(files) {
        walk.write(&file, WriteMode::Replace, invocation.written());
    }
    invocation.origin()
}

/// Whether what a program prints are rows of a database, and not only their shape or their number.
pub fn prints_rows(run: &Run) -> bool {
    let words = || run.arguments.iter().filter_map(|word| word.text.as_known());
    let program = run.program.as_str();
    if let Some(dumper) = dumper(program) {
        let is_short = |word: &str| dumper.shape.contains(&word);
        return !words().any(|word| is_short(word) || matches!(word, "--version" | "--help"));
    }
    if super::TABLE.binary_search_by(|row| row.name.cmp(program)).is_err() {
        return false;
    }
    let files = super::of_name(program).files;
    let asks = |word: &str| {
        files.contains(&word)
            || word == "--rdb"
            || !word.starts_with('-') && (asks_for_rows(word) || is_command_for_rows(word))
    };
    words().any(asks)
        || run.input.iter().flat_map(|input| &input.pieces).any(|piece| match piece {
            Piece::Known(told) => asks_for_rows(told) || told.lines().any(is_command_for_rows),
            // Whatever a file of statements asks for.
            Piece::Unknown(origin) => &**origin != TERMINAL,
            Piece::Glob(_) => true,
        })
}

/// `.dump`, `hgetall user:1`, `db.users.find()`, `\copy users to …`: what is no statement.
fn is_command_for_rows(line: &str) -> bool {
    const COMMANDS: &[&str] = &[".dump", "dump", "hgetall", "lrange", "mget", "smembers", "zrange"];
    let line = line.trim().to_ascii_lowercase();
    let mut words = line.split_whitespace();
    match words.next() {
        Some("\\copy") => words.any(|word| word == "to"),
        Some(first) if first.starts_with("db.") => {
            let finds =
                [".aggregate(", ".find(", ".findone("].iter().any(|call| line.contains(call));
            finds && !line.trim_end_matches(';').ends_with("count()")
        }
        first => first.is_some_and(|first| COMMANDS.contains(&first)),
    }
}

/// Whether one of several statements answers with rows.
fn asks_for_rows(told: &str) -> bool {
    let tokens = sql::tokens(told);
    tokens
        .split(|token| token.kind == TokenKind::Operator && &*token.text == ";")
        .any(|statement| answers_with_rows(&Words::of(statement)))
}

/// Columns that say who somebody is, where they live and what is theirs alone.
const OF_PEOPLE: &[&str] = &[
    "address",
    "bic",
    "birth_date",
    "birthdate",
    "birthday",
    "card_number",
    "credit_card",
    "cvv",
    "date_of_birth",
    "diagnosis",
    "dob",
    "email",
    "email_address",
    "full_name",
    "home_address",
    "iban",
    "mobile",
    "national_id",
    "passport_number",
    "password",
    "password_hash",
    "phone",
    "phone_number",
    "postal_address",
    "salary",
    "social_security_number",
    "ssn",
    "street_address",
    "tax_id",
];

/// Tables of people, of which every column is about them.
const PEOPLE: &[&str] = &[
    "accounts",
    "clients",
    "contacts",
    "customers",
    "employees",
    "members",
    "patients",
    "people",
    "persons",
    "subscribers",
    "users",
];

/// Whether a statement asks for what is about people: columns by name, or all columns of a table of people. How many there are, or how long
/// something is, says nothing of them.
pub(crate) fn asks_for_people(statement: &str) -> bool {
    const OF_NOBODY: &[&str] = &["avg", "count", "exists", "length", "md5", "sha256", "sum"];
    /// How many words behind `FROM` are looked at: the name of a table with its schema.
    const SOURCE: usize = 6;
    // Names may stand in quotes.
    let tokens = sql::tokens(&statement.replace(['"', '`'], ""));
    let words = Words::of(&tokens);
    let depth = |at: usize| words.0.get(at).map_or(0, |(depth, _)| *depth);
    // The function whose brackets are the nearest.
    let is_counted = |at: usize, from: usize| {
        let bracket = (from..at).rev().find(|it| depth(*it) < depth(at));
        bracket.and_then(|it| it.checked_sub(1)).is_some_and(|it| words.is(it, OF_NOBODY))
    };
    (0..words.0.len()).filter(|at| words.is(*at, &["SELECT"])).any(|select| {
        let behind = select + 1..words.0.len();
        let is_its_own = |at: &usize| words.is(*at, &["FROM"]) && depth(*at) == depth(select);
        let Some(source) = behind.into_iter().find(is_its_own) else { return false };
        let columns = || select + 1..source;
        let takes_all = columns().any(|at| words.is(at, &["*"]) && depth(at) == depth(select));
        let end = words.0.len().min(source + SOURCE);
        let from_people = (source + 1..end).any(|at| words.is(at, PEOPLE));
        takes_all && from_people
            || columns().any(|at| words.is(at, OF_PEOPLE) && !is_counted(at, select))
    })
}

/// The words and signs of a statement, each with how many brackets stand around it.
struct Words<'t>(Vec<(usize, &'t str)>);

impl<'t> Words<'t> {
    fn of(statement: &'t [Token]) -> Self {
        let mut depth = 0_usize;
        let words = statement.iter().map(|token| {
            let is_sign = token.kind == TokenKind::Operator;
            if is_sign && &*token.text == ")" {
                depth = depth.saturating_sub(1);
            }
            let word = (depth, if token.kind == TokenKind::Text { "" } else { &*token.text });
            if is_sign && &*token.text == "(" {
                depth += 1;
            }
            word
        });
        Self(words.collect())
    }

    /// Where a word stands outside of all brackets, from a place on.
    fn find(&self, from: usize, wanted: &[&str]) -> Option<usize> {
        let rest = self.0.iter().enumerate().skip(from);
        let is_it = |word: &str| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(word));
        rest.filter(|(_, (depth, _))| *depth == 0).find(|(_, (_, word))| is_it(word)).map(|it| it.0)
    }

    fn is(&self, at: usize, wanted: &[&str]) -> bool {
        let word = self.0.get(at).map_or("", |(_, word)| word);
        wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(word))
    }
}

fn answers_with_rows(words: &Words<'_>) -> bool {
    if words.is(0, &["COPY"]) {
        return words.find(1, &["TO"]).is_some();
    }
    if words.is(0, &["CREATE", "DELETE", "INSERT", "MERGE", "REPLACE", "UPDATE"]) {
        return words.find(1, &["RETURNING"]).is_some();
    }
    if words.is(0, &["TABLE"]) {
        return words.0.len() > 1;
    }
    let mut from = 0;
    while let Some(select) = words.find(from, &["SELECT"]) {
        from = select + 1;
        let end = words.find(from, &["SELECT", "UNION"]).unwrap_or(words.0.len());
        let Some(source) = words.find(from, &["FROM"]).filter(|source| *source < end) else {
            continue;
        };
        if !is_shape(words, source + 1) && !is_numbers(words, from, source) {
            return true;
        }
    }
    false
}

/// Whether the source at a place says what tables there are, and not what is in them.
fn is_shape(words: &Words<'_>, at: usize) -> bool {
    const SHAPES: &[&str] = &[
        "INFORMATION_SCHEMA",
        "PG_ATTRIBUTE",
        "PG_CATALOG",
        "PG_CLASS",
        "PG_DATABASE",
        "PG_EXTENSION",
        "PG_INDEXES",
        "PG_NAMESPACE",
        "PG_TABLES",
        "PG_VIEWS",
        "SQLITE_MASTER",
        "SQLITE_SCHEMA",
    ];
    // Passwords stand beside the shapes.
    let holds_accounts = ["PG_AUTHID", "PG_SHADOW"].iter().any(|name| words.is(at + 2, &[name]));
    words.is(at, SHAPES) && !holds_accounts
}

/// Whether every column counts rows or adds them up.
fn is_numbers(words: &Words<'_>, from: usize, to: usize) -> bool {
    const COUNTS: &[&str] = &["AVG", "COUNT", "MAX", "MIN", "SUM", "VERSION"];
    let mut column = Some(from);
    while let Some(at) = column.filter(|at| *at < to) {
        if !words.is(at, COUNTS) || !words.is(at + 1, &["("]) {
            return false;
        }
        column = words.find(at, &[","]).map(|comma| comma + 1);
    }
    true
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
            ("select * from users where 1 = (select 1)", true),
            ("select email from users where id in (select count(*) from x)", true),
            ("select count(*) from (select distinct city from users) c", false),
            ("with x as (select 1) select * from users", true),
            ("with x as (select * from users) select count(*) from x", false),
            ("select count(*) from a union all select email from users", true),
            ("select * from pg_shadow", true),
            ("select * from pg_catalog.pg_authid", true),
            ("select * from system_users", true),
            ("update selections set x = 1 from y", false),
            ("delete from users where id = 1 returning *", true),
            ("update users set seen = 1", false),
            ("db.users.find({})", true),
            ("db.users.find({}).count()", false),
            ("db.users.countDocuments()", false),
            ("hgetall user:1", true),
            (".dump", true),
            (".schema", false),
        ] {
            let asks = asks_for_rows(told) || is_command_for_rows(told);
            assert_eq!(asks, expected, "{told}");
        }
    }
}
