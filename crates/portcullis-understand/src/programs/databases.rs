//! Clients of databases: the statements that they send, and the commands that they hand to a shell. Owns how each is told
//! its statements; what a statement does is said where statements are read.

mod dump;
mod lines;
mod own;
mod stores;

use portcullis_syntax::Span;

use super::{Does, Program, laid_over::unpacked, operands::after, operators};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

pub(crate) use dump::asks_for_people;
pub use dump::prints_rows;
use lines::Told;
use own::Own;

const fn client(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(send) }
}

const fn dumper(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(dump::dump) }
}

const MYSQL: &[&str] = &[
    "-D",
    "-P",
    "-S",
    "-e",
    "-h",
    "-u",
    "--database",
    "--default-character-set",
    "--defaults-file",
    "--execute",
    "--host",
    "--init-command",
    "--port",
    "--protocol",
    "--socket",
    "--user",
];
const POSTGRES: &[&str] = &[
    "-F",
    "-L",
    "-P",
    "-R",
    "-T",
    "-U",
    "-c",
    "-d",
    "-f",
    "-h",
    "-o",
    "-p",
    "-v",
    "--command",
    "--dbname",
    "--field-separator",
    "--file",
    "--host",
    "--log-file",
    "--output",
    "--port",
    "--pset",
    "--set",
    "--username",
    "--variable",
];
const REDIS: &[&str] = &[
    "-a", "-d", "-h", "-i", "-n", "-p", "-r", "-s", "-u", "--cacert", "--cert", "--eval", "--key",
    "--pass", "--user",
];
const MONGO: &[&str] = &[
    "-f",
    "-h",
    "-p",
    "-u",
    "--authenticationDatabase",
    "--eval",
    "--file",
    "--host",
    "--password",
    "--port",
    "--username",
];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    client("athenacli", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("beeline", &["-e", "-f", "-n", "-p", "-u"]),
    client("bq", &["--dataset_id", "--format", "--location", "--project_id"]),
    client("bteq", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("clickhouse", CLICKHOUSE),
    client("clickhouse-client", CLICKHOUSE),
    client("clickhouse-local", CLICKHOUSE),
    client(
        "cockroach",
        &["-d", "-e", "-f", "--certs-dir", "--database", "--execute", "--file", "--host", "--url"],
    ),
    client("cqlsh", &["-e", "-f", "-k", "-p", "-u", "--execute", "--file", "--keyspace"]),
    client("db2", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("dolt", &["-b", "-q", "-r", "--query", "--result-format"]),
    client("drill-embedded", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("duckdb", &["-c", "-cmd", "-f", "-init", "-s"]),
    client("gsql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("heroku", operators::HEROKU),
    client("hive", &["-e", "-f", "--hiveconf"]),
    client("impala-shell", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client(
        "influx",
        &[
            "-database",
            "-execute",
            "-host",
            "-port",
            "-username",
            "-password",
            "-o",
            "-t",
            "-f",
            "--host",
            "--org",
            "--token",
            "--execute",
            "--bucket",
            "--file",
        ],
    ),
    client("isql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("ksql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("litecli", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("mclient", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    Program { name: "mongo", values: MONGO, does: Does::Custom(stores::mongo) },
    dumper("mongodump", dump::MONGO),
    dumper("mongoexport", dump::MONGO),
    Program { name: "mongosh", values: MONGO, does: Does::Custom(stores::mongo) },
    client("mssql-cli", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("mycli", MYSQL),
    client("mysql", MYSQL),
    dumper("mysqldump", dump::MYSQL),
    client("nzsql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("osql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    dumper("pg_basebackup", dump::POSTGRES),
    dumper("pg_dump", dump::POSTGRES),
    dumper("pg_dumpall", dump::POSTGRES),
    client("pgcli", POSTGRES),
    client("presto", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("prisma", &["--file", "--schema", "--url"]),
    client("psql", POSTGRES),
    Program { name: "redis-cli", values: REDIS, does: Does::Custom(stores::redis) },
    client("rman", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("rqlite", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("snow", &["-c", "-f", "-q", "--connection", "--filename", "--query"]),
    client("snowsql", &["-a", "-d", "-f", "-o", "-q", "-u", "--filename", "--query"]),
    client("spark-sql", &["-e", "-f", "--master"]),
    client("sqlcmd", &["-C", "-P", "-Q", "-S", "-U", "-d", "-i", "-o", "-q"]),
    client("sqlite3", &["-cmd", "-init", "-mode", "-newline", "-nullvalue", "-separator", "-vfs"]),
    client("sqlline", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("sqlplus", &["-C", "-L", "-M", "-R"]),
    client("supabase", &["--db-url", "--file", "--project-ref", "--workdir"]),
    client(
        "trino",
        &["-f", "--catalog", "--execute", "--file", "--password", "--schema", "--server", "--user"],
    ),
    client("tsql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("turso", &[]),
    client("usql", POSTGRES),
    client("vsql", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
    client("wrangler", &["-c", "-e", "--command", "--config", "--env", "--file"]),
    client("ysqlsh", &["-e", "-f", "-q", "-S", "-U", "-P", "-u", "-p", "-d", "-h"]),
];

const CLICKHOUSE: &[&str] = &[
    "-d",
    "-h",
    "-q",
    "-u",
    "--database",
    "--host",
    "--password",
    "--port",
    "--queries-file",
    "--query",
    "--user",
];

/// How a client is told its statements.
struct Client {
    name: &'static str,
    /// The first operands, one list of which must be there; none where the program is nothing but a client.
    commands: &'static [&'static [&'static str]],
    /// Options whose value is a statement.
    statements: &'static [&'static str],
    /// Options whose value is a file of statements.
    files: &'static [&'static str],
    /// Options whose value is the file that the answers go to.
    answers: &'static [&'static str],
    /// How many operands stand before those that are statements; `None` where no operand is one.
    before: Option<usize>,
    /// What a line starts with whose rest goes to a shell.
    escapes: &'static [&'static str],
    /// Options that take what stands behind them in the same word, and only that.
    attached: &'static [&'static str],
    /// Whether its lines are read as those of `psql`.
    is_psql: bool,
}

const CLIENT: Client = Client {
    name: "",
    commands: &[],
    statements: &[],
    files: &[],
    answers: &[],
    before: None,
    escapes: &[],
    attached: &[],
    is_psql: false,
};
/// What the clients have in common of which nothing else is known.
const ANY_CLIENT: Client = Client {
    statements: &["-e", "-q", "-Q", "--execute", "--query"],
    files: &["-f", "-i"],
    ..CLIENT
};
const POSTGRES_CLIENT: Client = Client {
    statements: &["-c", "--command"],
    files: &["-f", "--file"],
    answers: &["-L", "-o", "--log-file", "--output"],
    is_psql: true,
    ..CLIENT
};
const MYSQL_CLIENT: Client = Client {
    statements: &["-e", "--execute", "--init-command"],
    escapes: &["\\!", "system ", "\\P ", "pager ", "tee |"],
    attached: &["-p"],
    ..CLIENT
};

static CLIENTS: &[Client] = &[
    Client {
        name: "beeline",
        statements: &["-e"],
        files: &["-f"],
        escapes: &["!sh ", "!run "],
        ..CLIENT
    },
    Client { name: "bq", commands: &[&["query"]], before: Some(1), ..CLIENT },
    Client {
        name: "clickhouse",
        commands: &[&["client"], &["local"]],
        statements: &["-q", "--query"],
        files: &["--queries-file"],
        ..CLIENT
    },
    Client {
        name: "clickhouse-client",
        statements: &["-q", "--query"],
        files: &["--queries-file"],
        ..CLIENT
    },
    Client {
        name: "clickhouse-local",
        statements: &["-q", "--query"],
        files: &["--queries-file"],
        ..CLIENT
    },
    Client {
        name: "cockroach",
        commands: &[&["sql"]],
        statements: &["-e", "--execute"],
        files: &["-f", "--file"],
        escapes: &["\\!", "\\|"],
        ..CLIENT
    },
    Client { name: "cqlsh", statements: &["-e", "--execute"], files: &["-f", "--file"], ..CLIENT },
    Client { name: "db2", before: Some(0), ..CLIENT },
    Client { name: "dolt", commands: &[&["sql"]], statements: &["-q", "--query"], ..CLIENT },
    Client {
        name: "duckdb",
        statements: &["-c", "-s", "-cmd"],
        files: &["-f", "-init"],
        before: Some(1),
        escapes: &[".shell ", ".system ", ".once |", ".output |"],
        ..CLIENT
    },
    Client {
        name: "heroku",
        commands: &[&["pg:psql"]],
        statements: &["-c", "--command"],
        files: &["-f", "--file"],
        ..CLIENT
    },
    Client { name: "hive", statements: &["-e"], files: &["-f"], escapes: &["!"], ..CLIENT },
    Client {
        name: "influx",
        statements: &["-execute", "--execute"],
        files: &["-f", "--file"],
        ..CLIENT
    },
    Client { name: "mycli", ..MYSQL_CLIENT },
    Client { name: "mysql", ..MYSQL_CLIENT },
    Client { name: "pgcli", ..POSTGRES_CLIENT },
    Client { name: "prisma", commands: &[&["db", "execute"]], files: &["--file"], ..CLIENT },
    Client { name: "psql", ..POSTGRES_CLIENT },
    Client {
        name: "snow",
        commands: &[&["sql"]],
        statements: &["-q", "--query"],
        files: &["-f", "--filename"],
        ..CLIENT
    },
    Client {
        name: "snowsql",
        statements: &["-q", "--query"],
        files: &["-f", "--filename"],
        escapes: &["!system "],
        ..CLIENT
    },
    Client { name: "spark-sql", statements: &["-e"], files: &["-f"], escapes: &["!"], ..CLIENT },
    Client {
        name: "sqlcmd",
        statements: &["-Q", "-q"],
        files: &["-i"],
        answers: &["-o"],
        escapes: &["!!", ":!!"],
        ..CLIENT
    },
    Client {
        name: "sqlite3",
        statements: &["-cmd"],
        files: &["-init"],
        before: Some(1),
        escapes: &[
            ".shell ",
            ".system ",
            ".once |",
            ".output |",
            ".import |",
            ".read |",
            ".import '|",
            ".import \"|",
            ".once '|",
            ".once \"|",
            ".output '|",
            ".output \"|",
            ".read '|",
            ".read \"|",
        ],
        ..CLIENT
    },
    Client { name: "sqlplus", escapes: &["!", "host ", "HOST ", "$"], ..CLIENT },
    Client {
        name: "supabase",
        commands: &[&["db", "execute"], &["db", "query"]],
        files: &["-f", "--file"],
        before: Some(2),
        ..CLIENT
    },
    Client { name: "trino", statements: &["--execute"], files: &["-f", "--file"], ..CLIENT },
    Client { name: "turso", commands: &[&["db", "shell"]], before: Some(3), ..CLIENT },
    Client { name: "usql", ..POSTGRES_CLIENT },
    Client {
        name: "wrangler",
        commands: &[&["d1", "execute"]],
        statements: &["--command"],
        files: &["--file"],
        ..CLIENT
    },
];

/// How deep files of statements that read others are followed.
const INCLUDES: usize = 4;

fn of_name(program: &str) -> &'static Client {
    let row = CLIENTS.binary_search_by(|client| client.name.cmp(program)).ok();
    row.and_then(|at| CLIENTS.get(at)).unwrap_or(&ANY_CLIENT)
}

/// What a client is told: statements, files of statements, or its standard input.
fn send(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let printed = invocation.origin();
    let client = of_name(&invocation.program);
    if !client.is_called(invocation) {
        return printed;
    }
    let options = invocation.options();
    let outer = walk.directory().map(str::to_owned);
    // sqlite.org/cli.html, "SQLite Archive Support": `sqlite3 FILE -Ax -C DIRECTORY`.
    if client.is_sqlite() {
        let words: Vec<&str> =
            invocation.arguments.iter().filter_map(|it| it.text.as_known()).collect();
        if let Some(at) = words.iter().position(|word| word.starts_with("-A"))
            && let Some(Own::Unpacks(directory)) =
                own::extracted(words.get(at..).unwrap_or_default())
        {
            let directory =
                directory.map(|name| Argument { text: Text::known(name), span: invocation.span });
            unpacked(walk, directory, invocation, &printed);
        }
    }
    let mut told = false;
    // `-psecret` is one word, whatever letters the password has.
    let is_attached = |value: &Argument| {
        invocation.arguments.iter().any(|word| {
            word.span.range().contains(&value.span.range().start)
                && client.attached.iter().any(|name| word.text.known_prefix().starts_with(name))
        })
    };
    for statement in options.values_of(client.statements) {
        if is_attached(&statement) {
            continue;
        }
        told = true;
        client.say(walk, &statement.text, statement.span, invocation, 0);
    }
    if let Some(before) = client.before {
        for operand in options.operands().skip(before) {
            told = true;
            client.say(walk, &operand.text, operand.span, invocation, 0);
        }
    }
    let files: Vec<Argument> = options.values_of(client.files).collect();
    for file in files {
        told = true;
        // `psql -f -` reads what it is handed.
        let handed = matches!(file.text.as_known(), Some("-" | "/dev/stdin"));
        let content = match invocation.input.as_ref().filter(|_| handed) {
            Some(input) => input.clone(),
            None => walk.read(&file),
        };
        client.say_if_known(walk, &content, file.span, invocation, 0);
    }
    if let (false, Some(input)) = (told, &invocation.input) {
        client.say_if_known(walk, input, invocation.span, invocation, 0);
    }
    for file in options.values_of(client.answers) {
        // `psql -o '|gzip > x.gz'`: a command gets them.
        match after(&file, "|").filter(|_| client.is_psql) {
            Some(command) => {
                walk.shell(&command.text, file.span, &[], Some(printed.clone()));
            }
            None => walk.write(&file, WriteMode::Replace, invocation.written()),
        }
    }
    walk.go_to(outer);
    printed
}

impl Client {
    fn is_called(&self, invocation: &Invocation) -> bool {
        self.commands.is_empty()
            || self.commands.iter().any(|words| {
                let mut operands = invocation.options().operands();
                words.iter().all(|word| {
                    operands.next().is_some_and(|operand| operand.text.as_known() == Some(word))
                })
            })
    }

    /// A file or stream of statements: what nothing is known of is no statement to judge.
    fn say_if_known(
        &self,
        walk: &mut dyn Host,
        text: &Text,
        span: Span,
        invocation: &Invocation,
        depth: usize,
    ) {
        if self.is_sqlite() && text.has_unknown() {
            self.say_own_lines(walk, text, span, invocation, depth);
        }
        let is_known = |piece: &Piece| matches!(piece, Piece::Known(_));
        if is_answer(text) || text.pieces.iter().any(is_known) {
            self.say(walk, text, span, invocation, depth);
        } else if text.taint.has(Taint::NETWORK) {
            // Whoever is on the other side writes the statements.
            walk.gap(span, GapReason::UnknownCode);
        }
    }

    /// Lines for the client itself in what is known of a text, and in the files that the rest comes from: `cat a.txt b.sql | sqlite3`.
    fn say_own_lines(
        &self,
        walk: &mut dyn Host,
        text: &Text,
        span: Span,
        invocation: &Invocation,
        depth: usize,
    ) {
        let mut own = String::new();
        let mut add = |lines: &str| {
            for line in lines.lines().filter(|line| line.trim_start().starts_with('.')) {
                own.push_str(line);
                own.push('\n');
            }
        };
        for piece in &text.pieces {
            if let Piece::Known(known) = piece {
                add(known);
            }
        }
        for path in walk.files_behind(text) {
            if let Some(file) = walk.look(&path).file() {
                add(&file.text);
            }
        }
        if !own.is_empty() {
            let own = text.derive([Piece::Known(own)]);
            walk.at_likely(|walk| self.say(walk, &own, span, invocation, depth));
        }
    }

    /// One text of statements: the lines that go to a shell, and the rest.
    fn say(
        &self,
        walk: &mut dyn Host,
        text: &Text,
        span: Span,
        invocation: &Invocation,
        depth: usize,
    ) {
        let Some(known) = text.as_known() else {
            // What a statement does stands at its beginning, and whoever answers writes it: `psql -c "$(curl …)"`.
            if text.taint.has(Taint::NETWORK) && !is_answer(text) && begins_unknown(text) {
                walk.gap(span, GapReason::UnknownCode);
            }
            walk.query(text, span);
            return;
        };
        if self.is_psql {
            self.say_lines(walk, text, span, invocation, depth);
            return;
        }
        let mut rest = String::new();
        for line in known.lines() {
            let line = line.trim();
            let escaped = self.escapes.iter().find_map(|escape| {
                let command = line.strip_prefix(escape)?;
                // A command in quotes ends with them.
                match escape.strip_suffix('|').and_then(|before| before.chars().last()) {
                    Some(quote @ ('\'' | '"')) => command.split(quote).next(),
                    _ => Some(command),
                }
            });
            match escaped {
                Some(command) => {
                    if !is_plain(command) {
                        walk.note("db.shell-escape", span);
                    }
                    walk.shell(&text.derive([Piece::Known(command.to_owned())]), span, &[], None);
                }
                None if line.starts_with(".load ") && self.is_for_the_client(line) => {
                    walk.note("query.program", span);
                }
                None if self.is_for_the_client(line) => {
                    if self.is_sqlite() {
                        do_own(walk, line, span, invocation);
                    } else if let Some(file) = answer_file(line) {
                        let file = Argument { text: Text::known(file), span };
                        walk.write(&file, WriteMode::Replace, invocation.written());
                    }
                }
                None => {
                    rest.push_str(line);
                    rest.push('\n');
                }
            }
        }
        if rest.len() == known.len() + 1 || rest.len() == known.len() {
            walk.query(text, span);
        } else if !rest.trim().is_empty() {
            walk.query(&text.derive([Piece::Known(rest)]), span);
        }
    }

    /// Lines of which some, or the ends of some, are for the client itself.
    fn say_lines(
        &self,
        walk: &mut dyn Host,
        text: &Text,
        span: Span,
        invocation: &Invocation,
        depth: usize,
    ) {
        let mut rest = String::new();
        let mut is_whole = true;
        for line in text.as_known().unwrap_or_default().lines() {
            for part in lines::told(line) {
                is_whole &= matches!(part, Told::Statement(_));
                match part {
                    Told::Statement(part) => rest.push_str(part),
                    Told::Shell(command) | Told::Pipe(command) => {
                        if !is_plain(command) {
                            walk.note("db.shell-escape", span);
                        }
                        let command = text.derive([Piece::Known(command.to_owned())]);
                        let handed = matches!(part, Told::Pipe(_)).then(|| invocation.written());
                        walk.shell(&command, span, &[], handed);
                    }
                    Told::Writes(file) => {
                        let file = Argument { text: Text::known(file), span };
                        walk.write(&file, WriteMode::Replace, invocation.written());
                    }
                    Told::Reads(_) if depth >= INCLUDES => walk.gap(span, GapReason::UnknownCode),
                    Told::Reads(file) => {
                        let content = walk.read(&Argument { text: Text::known(file), span });
                        self.say_if_known(walk, &content, span, invocation, depth + 1);
                    }
                    Told::Again => {
                        walk.query(&Text::unknown(&invocation.program), span);
                    }
                }
            }
            rest.push('\n');
        }
        if is_whole {
            walk.query(text, span);
        } else if !rest.trim().is_empty() {
            walk.query(&text.derive([Piece::Known(rest)]), span);
        }
    }

    fn is_sqlite(&self) -> bool {
        matches!(self.name, "duckdb" | "sqlite3")
    }

    /// `\dt`, `.tables`: told to the client itself.
    fn is_for_the_client(&self, line: &str) -> bool {
        (line.starts_with('\\') && !self.escapes.is_empty())
            || (line.starts_with('.') && self.is_sqlite())
    }
}

/// A line that SQLite's shell takes for itself, as far as it names files.
fn do_own(walk: &mut dyn Host, line: &str, span: Span, invocation: &Invocation) {
    let named = |name: &str| Argument { text: Text::known(name), span };
    match own::own(line) {
        Some(Own::Writes(file)) => {
            walk.write(&named(file), WriteMode::Replace, invocation.written());
        }
        Some(Own::Opens(file)) => walk.hand(&named(file), true),
        Some(Own::Unpacks(directory)) => {
            unpacked(walk, directory.map(named), invocation, &Text::unknown(&invocation.program));
        }
        Some(Own::Enters(directory)) => {
            let directory = walk.target(&Text::known(directory)).path;
            walk.go_to(directory);
        }
        None => {}
    }
}

/// Whether one of the statements begins with what is not known: at the start, behind another one, or behind a comment.
fn begins_unknown(text: &Text) -> bool {
    let mut before = String::new();
    text.pieces.iter().any(|piece| match piece {
        Piece::Known(known) => {
            before.push_str(known);
            false
        }
        Piece::Unknown(_) | Piece::Glob(_) => {
            let written = before.trim_end();
            let begins = written.is_empty()
                || written.ends_with(';')
                || written.ends_with("*/")
                || written.lines().last().is_some_and(|line| line.trim_start().starts_with("--"));
            before.push('x');
            begins
        }
    })
}

/// Whether it is what a client printed, which may be the next statements: `SELECT format('DROP TABLE %I', …)`.
fn is_answer(text: &Text) -> bool {
    text.pieces.iter().any(|piece| match piece {
        Piece::Unknown(what) => CLIENTS.binary_search_by(|row| row.name.cmp(what.as_ref())).is_ok(),
        Piece::Known(_) | Piece::Glob(_) => false,
    })
}

/// Whether a command is one that shows, filters or packs, which is judged by its words as everywhere else.
fn is_plain(command: &str) -> bool {
    let name = command.split_whitespace().next().unwrap_or_default();
    let packs = matches!(name, "bzip2" | "gzip" | "pigz" | "xz" | "zstd");
    packs || super::program(name).is_some_and(|row| row.does.only_shows())
}

/// Where a line told to the client has the answers go: `\o FILE`, `.output FILE`, `\copy users to 'FILE'`.
fn answer_file(line: &str) -> Option<&str> {
    const COMMANDS: &[&str] = &["\\g", "\\o", "\\out", ".once", ".output"];
    let (command, rest) = line.split_once(char::is_whitespace)?;
    let file = if command == "\\copy" {
        let at = rest.to_ascii_lowercase().rfind(" to ")?;
        rest.get(at + " to ".len()..)?
    } else {
        COMMANDS.contains(&command).then_some(rest)?
    };
    let file = file.split_whitespace().next()?.trim_matches(['\'', '"']);
    (!matches!(file, "off" | "program" | "stdin" | "stdout")).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_sorted_and_each_has_a_row() {
        assert!(CLIENTS.is_sorted_by_key(|client| client.name));
        for client in CLIENTS {
            assert!(TABLE.iter().any(|row| row.name == client.name), "{}", client.name);
        }
    }
}
