//! Databases that are there to be thrown away: a test's by its name, on this machine; in memory; in a file among temporary ones. Owns what
//! proves that of a command line, a script, a framework's environment and of code.

use super::{
    super::Scene, host_of, is_here, is_of_tests, is_temporary_copy, is_this_machine, stays,
};
use crate::{
    effect::{Effect, EffectKind, Run},
    programs::{self, Options},
    text::{Piece, Text},
};

/// `dropdb app_test`: a database of tests on this machine.
pub(super) fn test_database(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(
        &run.arguments,
        &["-h", "--host", "-p", "--port", "-U", "--username", "--maintenance-db"],
    );
    let mut operands = options.operands().peekable();
    run.program == "dropdb"
        && stays(run, scene)
        && is_here(options, &["-h", "--host"])
        && !options.has(&["--maintenance-db"])
        && operands.peek().is_some()
        && operands.all(|operand| operand.text.as_known().is_some_and(is_of_tests))
}

/// `RAILS_ENV=test rails db:drop`.
pub(super) fn test_environment(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    const SET: &[&str] = &[
        "APP_ENV=test",
        "APP_ENV=testing",
        "DB_DATABASE=:memory:",
        "MIX_ENV=test",
        "NODE_ENV=test",
        "RACK_ENV=test",
        "RAILS_ENV=test",
    ];
    let before = scene
        .effects
        .layer_text(effect.at.layer)
        .get(..effect.at.span.range().start)
        .unwrap_or("")
        .trim_end();
    // What starts the program stands between the variable and its name.
    let before = ["bundle exec", "npx", "yarn", "pnpm exec", "poetry run", "uv run"]
        .iter()
        .find_map(|starter| before.strip_suffix(starter))
        .map_or(before, str::trim_end);
    let is_set = without_assignments(before).into_iter().any(|before| {
        SET.iter().any(|set| {
            before
                .strip_suffix(set)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\n', ';', '&']))
        })
    });
    let words = || run.arguments.iter().map(|word| word.text.as_known().unwrap_or_default());
    let mut settings = words().filter(|word| word.starts_with("--settings"));
    let is_configured = settings
        .next()
        .is_some_and(|word| word.strip_prefix("--settings=").is_some_and(is_of_tests))
        && settings.next().is_none()
        && !words().any(|word| word.starts_with("--database"));
    // The address of a database outweighs the environment's name.
    let address =
        before.rsplit("DATABASE_URL=").next().filter(|_| before.contains("DATABASE_URL="));
    let is_addressed = address.is_some_and(|address| {
        is_test_address(address)
            || address.split([' ', '\n', ';', '&']).next().is_some_and(is_own_file)
    });
    // What the command line says of another database outweighs both.
    let is_elsewhere = words().any(|word| {
        word.starts_with("--database")
            || word.strip_prefix("--env=").is_some_and(|name| !is_of_tests(name))
    });
    (is_set || is_configured) && !is_elsewhere && address.is_none() && stays(run, scene)
        || is_addressed && stays(run, scene) && !words().any(|word| word.contains("schema"))
}

/// What stands before a program, and before each of the other variables that are set for it.
fn without_assignments(before: &str) -> Vec<&str> {
    let mut found = vec![before];
    let mut rest = before;
    while let Some((outer, word)) = rest.rsplit_once(' ') {
        let is_plain = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !word.split_once('=').is_some_and(|(name, value)| is_plain(name) && is_plain(value)) {
            break;
        }
        rest = outer.trim_end();
        found.push(rest);
    }
    found
}

/// Whether an address is a file of SQLite among temporary ones, or none: `sqlite:////tmp/a.db`, `sqlite://`.
fn is_own_file(address: &str) -> bool {
    let address = address.trim().trim_matches(['"', '\'']);
    // As Prisma has it.
    if let Some(path) = address.strip_prefix("file:") {
        let is_apart = programs::escapes::is_temporary(path) || is_file_of_tests(path);
        return is_apart && !path.contains("..");
    }
    let Some(("sqlite", path)) = address.split_once("://") else { return false };
    matches!(path, "" | "/:memory:")
        || path
            .strip_prefix('/')
            .is_some_and(|path| programs::escapes::is_temporary(path) && !path.contains(".."))
}

/// Whether a file of the project is called one for tests: `./.tmp/test.db`.
fn is_file_of_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || b"_-./".contains(&letter);
    !path.starts_with(['/', '~'])
        && path.bytes().all(is_plain)
        && name.split(['.', '-', '_']).any(|part| matches!(part, "test" | "tests"))
}

/// Whether an address names a test's database on this machine, and nothing else.
pub(super) fn is_test_address(address: &str) -> bool {
    let address = address.trim().trim_matches(['"', '\'']);
    let Some((_, rest)) = address.split_once("://") else { return false };
    let Some((_, name)) = rest.split_once('/') else { return false };
    host_of(address).is_some_and(is_this_machine)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        && is_of_tests(name)
}

/// `mongosh mongodb://localhost/app_test --eval 'db.dropDatabase()'`: documents of a test's database on this machine.
pub(super) fn test_documents(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    /// Ways of a script to another database or another server.
    const ELSEWHERE: &[&str] = &[
        "Mongo(",
        "admin",
        "connect(",
        "getDB(",
        "getMongo",
        "getSiblingDB",
        "load(",
        "require",
        "shutdown",
        "use ",
        "dropUser",
        "dropAllUsers",
    ];
    if !matches!(run.program.as_str(), "mongosh" | "mongo") || !stays(run, scene) {
        return false;
    }
    let options = Options::new(&run.arguments, &["--eval", "--host", "--port", "-u", "-p"]);
    let mut operands = options.operands();
    let named = operands.next().and_then(|word| word.text.as_known());
    let is_test = named.is_some_and(|name| {
        is_test_address(name) || is_of_tests(name) && !name.contains(['/', ':'])
    });
    let scripts = options.values_of(&["--eval"]).map(|script| script.text);
    let mut scripts = scripts.chain(run.input.clone()).peekable();
    is_test
        && operands.next().is_none()
        && is_here(options, &["--host"])
        && scripts.peek().is_some()
        && scripts.all(|script| {
            script.as_known().is_some_and(|script| {
                let mut words = script.split(|letter: char| !letter.is_alphanumeric());
                // Helpers for whole clusters.
                !words.any(|word| matches!(word, "rs" | "sh"))
                    && !ELSEWHERE.iter().any(|word| script.contains(word))
            })
        })
}

/// Whether a statement loses only what is there to be lost: a database that lies in memory or in a temporary file, tables and
/// databases of this machine that are called temporary or a test's.
pub(in super::super) fn is_throwaway(effect: &Effect, statement: &Text, scene: &Scene<'_>) -> bool {
    let Some(run) = scene.program_around(effect) else {
        let code = scene.effects.layer_text(effect.at.layer);
        let is_of_tests = || keeps_to_its_database(statement) && opens_tests_alone(code);
        return connects_here(code) && (drops_for_tests(statement) || is_of_tests())
            || opens_files_of_tests(code)
            || is_given_memory(code, scene);
    };
    if !stays(run, scene) {
        return false;
    }
    match run.program.as_str() {
        "sqlite3" | "duckdb" => {
            let options = |run| Options::new(run, &["-cmd", "-init", "-separator"]);
            // A file of statements is read by the program that was given it, whose words say which database.
            let is_it = |outer: &&Run| outer.program == run.program;
            let of_outer = || {
                let mut around = scene.programs_around(effect).filter(is_it);
                around.find_map(|outer| options(&outer.arguments).operands().next())
            };
            let named = options(&run.arguments).operands().next().or_else(of_outer);
            let file = named.and_then(|file| file.text.as_known());
            // What `mktemp` made in this call holds nothing but what the call put there.
            let is_made = named.is_some_and(|file| {
                file.text.has_unknown()
                    && programs::escapes::is_temporary(file.text.known_prefix())
                    && file.text.pieces.iter().all(|piece| {
                        matches!(piece, Piece::Known(known) if !known.contains(".."))
                            || matches!(piece, Piece::Unknown(what) if &**what == "mktemp")
                    })
            });
            let is_attached = statement.display().to_ascii_lowercase().contains("attach");
            !is_attached
                && (is_made
                    // Whoever drops tables expects some.
                    || !statement.display().to_ascii_lowercase().contains("drop")
                        && named.is_some_and(|named| begins_empty(&named.text, scene))
                    || file.is_some_and(|file| {
                        file == ":memory:"
                            || names_file_of_tests(file)
                            || file.starts_with('/') && is_temporary_copy(file, scene)
                    })
                    || drops_for_tests(statement))
        }
        "psql" | "mysql" | "mariadb" => {
            let options = Options::new(
                &run.arguments,
                &[
                    "-h",
                    "--host",
                    "-c",
                    "--command",
                    "-e",
                    "--execute",
                    "-d",
                    "--dbname",
                    "-U",
                    "-u",
                    "--username",
                    "-p",
                    "--port",
                    "-P",
                ],
            );
            let is_plain = run.arguments.iter().all(|word| {
                let word = word.text.known_prefix();
                !word.contains("host=")
                    && (!word.contains("://") || is_test_address(word))
                    && !word.starts_with("service=")
            });
            let named = options.values_of(&["-d", "--dbname"]).chain(options.operands().cloned());
            let mut named = named.map(|name| name.text).peekable();
            let is_test_data = named.peek().is_some()
                && named.all(|name| name.as_known().is_some_and(is_of_tests))
                && keeps_to_its_database(statement)
                && options
                    .values_of(&["-c", "--command", "-e", "--execute"])
                    .all(|other| keeps_to_its_database(&other.text));
            is_plain
                && is_here(options, &["-h", "--host"])
                && (is_test_data || drops_for_tests(statement))
        }
        _ => false,
    }
}

/// Whether nothing is there yet where a file of a database is named, and nothing else of this call puts anything there: what is lost in it, the call
/// itself put in.
fn begins_empty(named: &Text, scene: &Scene<'_>) -> bool {
    let mut handed = scene.effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Read(target) if target.text == *named => target.path.as_deref(),
        _ => None,
    });
    let Some(path) = handed.next() else { return false };
    let is_written = |effect: &Effect| matches!(&effect.kind, EffectKind::Write { target, .. } if target.path.as_deref() == Some(path));
    let known = scene.facts.paths.get(path);
    known.is_some_and(|known| !known.exists && known.leads_to.is_none())
        && handed.all(|other| other == path)
        && !scene.effects.list.iter().any(is_written)
}

/// `DATABASE_URL=sqlite:///:memory: python -c …`: code that opens nothing itself is handed a database in memory, and no other.
fn is_given_memory(code: &str, scene: &Scene<'_>) -> bool {
    const OPENS: &[&str] = &["://", "connect(", "create_engine(", "environ", "getenv", "process."];
    if OPENS.iter().any(|word| code.contains(word)) {
        return false;
    }
    let call = scene.effects.layer_text(crate::effect::LayerId(0));
    // It is for the command that it stands before, and one command starts Python.
    let given = call.split_once("DATABASE_URL=").and_then(|(_, rest)| rest.split_once(' '));
    given.is_some_and(|(url, rest)| {
        let url = url.trim_matches(['"', '\'']);
        matches!(url, "sqlite:///:memory:" | "sqlite+pysqlite:///:memory:")
            && ["python ", "python3 "].iter().any(|program| rest.starts_with(program))
    }) && ["DATABASE_URL", "python", "://"].iter().all(|word| {
        // The address may name a driver, `sqlite+pysqlite`, which is no second Python.
        call.matches(word).count() == 1
    })
}

/// `tmp/test.sqlite3`: a file of the work's own whose name says that it is a test's.
fn names_file_of_tests(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    !file.starts_with(['/', '~']) && !file.contains("..") && is_of_tests(stem)
}

/// Whether every database that code of Ruby, Perl or PHP opens is a file of SQLite that is called a test's: `dbi:SQLite:dbname=t/data/test.db`.
fn opens_files_of_tests(code: &str) -> bool {
    /// What opens another one, or takes its name from elsewhere.
    const ELSEWHERE: &[&str] = &[
        "://",
        "argv",
        "attach",
        "connection",
        "env",
        "host",
        "mysql",
        "oci:",
        "odbc",
        "pg.",
        "pg:",
        "pgsql",
        "postgres",
        "redis",
        "require_relative",
        "sqlsrv",
    ];
    const OPENS: &[&str] = &[
        "dbi:sqlite:database=",
        "dbi:sqlite:dbname=",
        "sqlite3::database.new(",
        "sqlite3::database.open(",
        "new pdo(",
        "new sqlite3(",
    ];
    let lower = code.to_ascii_lowercase();
    let opened = || {
        OPENS
            .iter()
            .flat_map(|opener| lower.match_indices(opener))
            .filter_map(|(at, opener)| lower.get(at + opener.len()..))
    };
    let is_of_tests = |rest: &str| {
        let rest = rest.trim_start_matches(['"', '\'']);
        let rest = rest.strip_prefix("sqlite:").unwrap_or(rest);
        let end = rest.find(['"', '\'', ';', ')', ',', '#', '$']);
        let name = end.and_then(|end| rest.get(..end)).unwrap_or_default();
        !rest.get(name.len()..).is_some_and(|rest| rest.starts_with(['#', '$']))
            && names_file_of_tests(name)
    };
    // Each is read: what is opened otherwise would be another one.
    let count = ["sqlite3::database", "dbi:", "new pdo", "new sqlite3"]
        .iter()
        .map(|opener| lower.matches(opener).count())
        .sum::<usize>();
    opened().count() > 0
        && opened().count() == count
        && opened().all(is_of_tests)
        && !ELSEWHERE.iter().any(|word| lower.contains(word))
}

/// Whether code names this machine for a host, and no other one, nor one that something else says.
fn connects_here(code: &str) -> bool {
    const ELSEWHERE: &[&str] =
        &["environ", "getenv", "process.env", "config", "dsn", "proxy", "ssh", "tunnel", "argv"];
    let is_here = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '=', '"', '\'', ':']);
        let end = rest.find([' ', '"', '\'', ',', ')', '/', ':', '}', '\n']);
        matches!(rest.get(..end.unwrap_or(rest.len())), Some("localhost" | "127.0.0.1"))
    };
    let lower = code.to_ascii_lowercase();
    // `host=…`, `"host": …`; the end of `localhost` names none.
    let named: Vec<&str> = lower
        .match_indices("host")
        .filter(|(at, _)| !lower.get(..*at).is_some_and(|before| before.ends_with("local")))
        .filter_map(|(at, word)| lower.get(at + word.len()..))
        .filter(|rest| rest.trim_start_matches([' ', '"', '\'']).starts_with([':', '=']))
        .collect();
    let addresses: Vec<&str> =
        lower.match_indices("://").filter_map(|(at, mark)| lower.get(at + mark.len()..)).collect();
    let at_host = |rest: &&str| {
        let authority = rest.split(['/', '"', '\'', ' ']).next().unwrap_or_default();
        is_here(authority.rsplit('@').next().unwrap_or_default())
    };
    !ELSEWHERE.iter().any(|word| lower.contains(word))
        && (!named.is_empty() || !addresses.is_empty())
        && named.iter().all(|rest| is_here(rest))
        && addresses.iter().all(at_host)
}

/// Whether each database that code names is a test's by its name, and it names one.
fn opens_tests_alone(code: &str) -> bool {
    /// Whatever opens a database has its words between its own parentheses.
    const OPENERS: &[&str] = &[
        "Client(",
        "Pool(",
        "Sequelize(",
        "connect(",
        "createConnection(",
        "createPool(",
        "create_async_engine(",
        "create_engine(",
        "knex(",
    ];
    let mut opened = OPENERS
        .iter()
        .flat_map(|opener| code.match_indices(opener))
        .filter_map(|(at, opener)| code.get(at + opener.len()..)?.split(')').next())
        .filter(|words| !words.trim().is_empty())
        .peekable();
    let says = |words: &str| {
        words.trim_start().starts_with(['"', '\'', '`', '{'])
            || words.split_once('=').is_some_and(|(name, _)| {
                name.trim().bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
            })
    };
    let names = |words: &str| {
        ["://", "database", "dbname", "db_name"].iter().any(|name| words.contains(name))
    };
    let is_said = opened.peek().is_some()
        && opened.all(|words| says(words) && names(words) && !words.contains(['#', '*', '+', '%']));
    is_said && names_tests_alone(code)
}

/// Whether every database that is named anywhere in code is a test's.
fn names_tests_alone(code: &str) -> bool {
    const NAMES: &[&str] = &["database", "dbname", "db_name"];
    let addresses = code
        .match_indices("://")
        .filter_map(|(at, mark)| code.get(at + mark.len()..))
        .map(|rest| rest.split(['"', '\'', '`', ' ', '?', '\n']).next().unwrap_or_default());
    let mut addresses = addresses.map(|rest| is_test_address(&format!("a://{rest}"))).peekable();
    if addresses.peek().is_some() {
        return addresses.all(|it| it);
    }
    let values = NAMES.iter().flat_map(|name| code.match_indices(name)).filter_map(|(at, name)| {
        let rest = code.get(at + name.len()..)?.trim_start_matches(['"', '\'', ' ']);
        let value = rest.strip_prefix(['=', ':'])?.trim_start();
        let value = value.strip_prefix(['"', '\''])?;
        value.split(['"', '\'']).next()
    });
    let mut values = values.map(is_of_tests).peekable();
    values.peek().is_some() && values.all(|it| it)
}

/// Whether a statement can only be about the database that it is sent to: nothing with a point in its name, no command of the
/// client's, no other server.
fn keeps_to_its_database(statement: &Text) -> bool {
    const LEAVES: &[&str] =
        &["copy", "database", "dblink", "program", "role", "server", "system", "use", "user"];
    statement.as_known().is_some_and(|text| {
        let lower = text.to_ascii_lowercase();
        let mut words = lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        !lower.contains(['.', '\\', '`', '"']) && !words.any(|word| LEAVES.contains(&word))
    })
}

/// `DROP TABLE IF EXISTS tmp_a, tmp_b`, `DROP DATABASE app_test; CREATE DATABASE app_test`, and nothing else.
fn drops_for_tests(statement: &Text) -> bool {
    let Some(text) = statement.as_known() else { return false };
    let mut statements = text
        .split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .filter(|statement| {
            let mut words = statement.split_whitespace();
            !(words.next().is_some_and(|word| word.eq_ignore_ascii_case("create"))
                && words.next().is_some_and(|word| word.eq_ignore_ascii_case("database"))
                && words.next().is_some_and(is_of_tests)
                && words.all(is_setting))
        })
        .peekable();
    statements.peek().is_some() && statements.all(is_drop_for_tests)
}

/// What stands behind the name of a new database: `CHARACTER SET utf8mb4`, `OWNER app`.
fn is_setting(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-='".contains(&byte))
}

fn is_drop_for_tests(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is =
        |at: usize, word: &str| words.get(at).is_some_and(|given| given.eq_ignore_ascii_case(word));
    if !is(0, "drop") || !(is(1, "table") || is(1, "database") || is(1, "view")) {
        return false;
    }
    let first = if is(2, "if") && is(3, "exists") { 4 } else { 2 };
    let names = words.get(first..).unwrap_or_default();
    let name =
        |name: &str| name.trim_matches(['"', '`', ',']).rsplit('.').next().unwrap_or("").to_owned();
    let is_chosen = |word: &&str| {
        let is_plain = word
            .trim_matches(['"', '`', ','])
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
        is_plain && is_of_tests(&name(word))
    };
    !names.is_empty() && names.iter().all(is_chosen)
}
