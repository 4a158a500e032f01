//! Rows of databases that the objects of libraries change, told as statements. Owns what chooses among them, and which databases are only
//! in memory.

use portcullis_syntax::Span;

use super::{
    super::{
        calls::looks_like_sql,
        interpreter::Interpreter,
        played::Client,
        value::{Given, SPREAD, Value},
    },
    Doing,
    chosen::{is_change_constrained, is_constrained},
    databases,
    judged::{ARGUMENTS, Called, DEPTH},
    key,
};
use crate::{
    programs::databases::asks_for_people,
    programs::host::Host,
    text::{Piece, Text},
    understand::meaning::look::{self, Strictness},
};

/// How many calls behind a call are looked at for what filters it.
const CHAINED: usize = 8;

/// Words of addresses and names under which no real money moves.
const REHEARSED: &[&str] = &[
    "127.0.0.1",
    "anvil",
    "devnet",
    "foundry",
    "ganache",
    "goerli",
    "hardhat",
    "holesky",
    "localhost",
    "localnet",
    "sandbox",
    "sepolia",
    "testnet",
    "vcan0",
    "virtual",
];

/// Parts of the names of what opens a database or a network.
const OPENS: &[&str] = &[
    "client",
    "cluster",
    "connect",
    "database",
    "datasource",
    "driver",
    "drizzle",
    "engine",
    "mongo",
    "open",
    "pool",
    "prisma",
    "provider",
    "redis",
    "rpc",
    "sequelize",
    "url",
];

/// Statements that stay in the database which they are sent to.
pub(in super::super) const IN_MEMORY: &[&str] =
    &["ALTER", "CREATE", "DELETE", "DROP", "INSERT", "REPLACE", "TRUNCATE", "UPDATE"];

/// Whether a file of a database is for a test, by where it lies or by its name.
pub(in super::super) fn is_of_a_test(file: &str) -> bool {
    let path = file.trim_start_matches("sqlite:///");
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_test = |name: &str| name.split(['.', '-', '_']).any(|part| part == "test");
    let folder = path.strip_suffix(name).unwrap_or_default();
    // Where a project keeps what its tests make.
    let is_kept = !folder.starts_with(['/', '~'])
        && !folder.contains("..")
        && folder.split('/').any(|part| is_test(part) || matches!(part, "tests" | "__tests__"));
    let says = || !path.contains("://") && (is_test(name) || is_kept);
    let is_temporary = path.starts_with("/tmp/") && !path.contains("/../");
    (is_temporary || says()) && [".db", ".sqlite", ".sqlite3"].iter().any(|end| file.ends_with(end))
}

/// Whether an address is that of a database on this machine that is called one for tests.
fn is_test_database_here(address: &str) -> bool {
    let Some((_, rest)) = address.split_once("://") else { return false };
    let Some((authority, path)) = rest.split_once('/') else { return false };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host);
    let name = path.split(['?', '#']).next().unwrap_or(path);
    is_here(host) && says_test(name) && !authority.contains(',')
}

fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1")
}

/// `Redis(host="localhost", db=15)`, `new Redis("redis://localhost:6379/9")`: a database of this machine with a number of its own, which nothing
/// gets that does not ask for it.
fn is_numbered_here(given: &[Given]) -> bool {
    let of = |name: &str| {
        let named = given.iter().find(|it| it.name.as_deref() == Some(name)).map(|it| &it.value);
        named.or_else(|| given.iter().find_map(|it| it.value.entry(name)))
    };
    let is_numbered = matches!(of("db").or_else(|| of("database")), Some(Value::Number(1..)));
    let is_host = of("host").and_then(Value::as_known).is_some_and(is_here);
    let by_address = [of("url"), given.first().map(|it| &it.value)].into_iter().flatten();
    let by_address = by_address.filter_map(Value::as_known).any(|address| {
        let parts = address.strip_prefix("redis://").and_then(|rest| rest.split_once('/'));
        parts.is_some_and(|(authority, number)| {
            let host = authority.rsplit('@').next().unwrap_or(authority);
            is_here(host.split(':').next().unwrap_or(host))
                && number.parse::<u8>().is_ok_and(|number| number > 0)
        })
    });
    is_numbered && is_host || by_address
}

fn says_test(name: &str) -> bool {
    name.split(['_', '-']).any(|part| matches!(part, "test" | "tests" | "testing"))
}

/// `{ connection: { host: "127.0.0.1", database: "app_test" } }`
fn opens_test_here(value: &Value) -> bool {
    let value = value.entry("connection").unwrap_or(value);
    let said = |name: &str| value.entry(name).and_then(Value::as_known);
    said("host").is_some_and(is_here) && said("database").is_some_and(says_test)
}

/// Libraries that start a server for a test and throw it away.
const SERVERS: &[&str] = &[
    "@testcontainers",
    "mongodb-memory-server",
    "pymongo_inmemory",
    "redis-memory-server",
    "testcontainers",
    "testing.mysqld",
    "testing.postgresql",
];

/// Whether a value is an address that such a library gives.
pub(super) fn is_for_a_test(value: &Value) -> bool {
    let is_given = |path: &str| {
        // What is put in the place of a part of it may be another machine.
        path.contains("()")
            && !["format", "join", "replace", "sub("].iter().any(|word| path.contains(word))
            && SERVERS.iter().any(|server| {
                path.strip_prefix(server).is_some_and(|rest| rest.starts_with(['.', '/', '(']))
            })
    };
    match value {
        Value::Name(path, _) => is_given(path),
        // `redis://${container.getHost()}:${port}`: nothing that is known but what stands between.
        Value::Text(text) if text.known_prefix().ends_with("://") => {
            let mut parts = text.pieces.iter().filter_map(|piece| match piece {
                Piece::Unknown(what) => Some(is_given(what)),
                _ => None,
            });
            let first = parts.next();
            first.is_some_and(|it| it) && parts.all(|it| it)
        }
        Value::Table(table) => table.iter().any(|(_, value)| is_for_a_test(value)),
        Value::List(list) => !list.is_empty() && list.iter().all(is_for_a_test),
        _ => false,
    }
}

impl Interpreter<'_, '_, '_> {
    /// Whether a library is there that starts a server for a test.
    pub(super) fn starts_servers(&self) -> bool {
        self.modules.iter().any(|module| {
            SERVERS.iter().any(|server| {
                module
                    .strip_prefix(server)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
            })
        })
    }

    /// Notices where a client is pointed at: at a database in memory, at a network without real money. Whatever else opens something
    /// beside it, is real.
    pub(super) fn endpoints(&mut self, called: &Called<'_>, given: &[Given]) {
        // `new Sequelize(config[env])`: whichever it is.
        let several = given.iter().enumerate().find_map(|(at, it)| match &it.value {
            Value::Any(several) => Some((at, several)),
            _ => None,
        });
        let Some((at, several)) = several else { return self.endpoints_of(called, given) };
        for one in several {
            let mut given = given.to_vec();
            if let Some(it) = given.get_mut(at) {
                it.value = one.clone();
            }
            self.endpoints_of(called, &given);
        }
    }

    fn endpoints_of(&mut self, called: &Called<'_>, given: &[Given]) {
        // Its own tests run on a network in the same process, unless they are told another one.
        if called.path.starts_with("hardhat.")
            && ["it(", "describe("].iter().any(|shape| self.source.contains(shape))
            && !["http://", "https://", "wss://", "Provider("]
                .iter()
                .any(|it| self.source.contains(it))
        {
            self.seen.rehearsed = true;
        }
        // What a server for a test is asked for opens nothing: `container.get_connection_url(driver=None)`.
        let is_handed_client = called.path.starts_with("drizzle-orm/")
            && matches!(given, [Given { value: Value::Name(path, _), .. }, ..] if path.ends_with(')'));
        if is_for_a_test(&Value::name(&format!("{}()", called.path)))
            || called.path == "umzug.SequelizeStorage"
            || is_played(called.path)
            || is_handed_client
        {
            return;
        }
        let name = called.name.to_ascii_lowercase();
        // A database in the program itself, which lies in a directory only where it is told one.
        if called.path == "@electric-sql/pglite.PGlite" {
            let is_kept = |it: &Given| {
                it.value.as_known().is_none_or(|text| !text.starts_with("memory://"))
                    && !matches!(it.value, Value::Table(_))
                    || it.value.entry("dataDir").is_some()
            };
            match given.iter().any(is_kept) {
                true => self.seen.real = true,
                false => drop(self.seen.in_memory.get_or_insert_with(|| called.path.to_owned())),
            }
            return;
        }
        // `knex({ client: "pg" })` is connected to nothing, and only writes its statements down.
        if called.path == "knex"
            && let [Given { value: options @ Value::Table(_), .. }] = given
            && options.own_entry("client").is_some()
            && self.only_writes_down()
            && ["connection", "pool", SPREAD].iter().all(|name| options.own_entry(name).is_none())
        {
            self.seen.in_memory.get_or_insert_with(|| called.path.to_owned());
            return;
        }
        // `{ type: "postgres", url, database: ":memory:" }` is in nobody's memory.
        let is_of_server = given.iter().any(|it| {
            let kind = ["client", "dialect", "type"].iter().find_map(|name| it.value.entry(name));
            kind.and_then(Value::as_known).is_some_and(|kind| {
                !kind.contains("sql")
                    || ["mssql", "mysql", "postgresql"].iter().any(|it| kind.contains(it))
            })
        });
        // `knex('users')`: what was opened before is called, for one of its tables.
        let is_opened = name.is_empty() && called.path.contains("()");
        let opens = !is_opened && (name.is_empty() || OPENS.iter().any(|word| name.contains(word)));
        let mut texts = Vec::new();
        for given in given {
            collect(&given.value, DEPTH, &mut texts);
        }
        let lower: Vec<String> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        let says = |is: &dyn Fn(&str) -> bool| lower.iter().any(|text| is(text));
        // What leads to another machine ends at this one.
        let leads_on = ["tunnel", "Tunnel", "forward"].iter().any(|it| self.source.contains(it));
        if called.path.to_ascii_lowercase().contains("redis")
            && is_numbered_here(given)
            && !leads_on
        {
            self.seen.test_database.get_or_insert_with(|| called.path.to_owned());
            return;
        }
        if says(&|text| {
            matches!(text, "sqlite://" | "sqljs")
                || text.contains(":memory:") && !is_of_server
                || is_of_a_test(text)
                || !leads_on && is_test_database_here(text)
        }) || given
            .iter()
            .any(|given| is_for_a_test(&given.value) || !leads_on && opens_test_here(&given.value))
        {
            self.seen.in_memory.get_or_insert_with(|| called.path.to_owned());
        } else if says(&|text| {
            let is_endpoint = text.contains(':') || text.contains("chains.");
            ["web3.ethereumtesterprovider()", "eth_tester.", "ganache."]
                .iter()
                .any(|it| text.starts_with(it))
                || REHEARSED.iter().any(|word| text == *word || is_endpoint && text.contains(word))
        }) {
            self.seen.rehearsed = true;
            self.seen.real |= says(&|text| text == "mainnet" || text.ends_with("chains.mainnet"));
        } else if opens && (!given.is_empty() || name.contains("client"))
            || says(&|text| {
                text.contains("://") || text == "mainnet" || text.ends_with("chains.mainnet")
            })
        {
            self.seen.real = true;
        }
    }

    /// Whether a call is about a service of the cloud that is played on this machine.
    pub(in super::super) fn is_emulated(&self, path: &str) -> bool {
        let lower = path.to_ascii_lowercase();
        let is_of = |part: &str, service: &str| {
            let own = part.strip_prefix("get").unwrap_or(part);
            own == service || own.strip_prefix(service).is_some_and(|rest| rest.starts_with("_v"))
        };
        ["firebase", "google", "@google-cloud"].iter().any(|of| lower.starts_with(of))
            && self
                .seen
                .emulated
                .iter()
                .any(|service| lower.split(['.', '/', '(', ')']).any(|part| is_of(part, service)))
    }

    /// Whether a call is about a database in memory, beside which nothing else was opened.
    pub(in super::super) fn is_in_memory(&self, path: &str, given: &[Given]) -> bool {
        // What stands in for the browser's own database.
        if path.split(['.', '(']).next() == Some("idb")
            && self.modules.contains("fake-indexeddb/auto")
        {
            return true;
        }
        // What such a library gives leads to the server that it started.
        let top = path.split(['.', '(']).next().unwrap_or_default();
        if top == "testcontainers" && path.contains("().") {
            return true;
        }
        let Some(opened) = self.seen.in_memory.as_deref().filter(|_| !self.seen.real) else {
            return false;
        };
        let top = opened.split(['.', '(']).next().unwrap_or(opened);
        let is_of = |path: &str| {
            let rest = path.strip_prefix(top);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
        };
        // A model of the project's own works on the one connection that there is.
        let is_own = top == "mongoose"
            && ["./", "../", "/", "@/"].iter().any(|start| path.starts_with(start))
            && path.contains("model");
        // What maps rows of a database that the program itself has inside.
        const INSIDE: &[&str] = &[
            "@electric-sql/pglite",
            "@libsql/client",
            "better-sqlite3",
            "bun:sqlite",
            "node:sqlite",
            "sql.js",
        ];
        let root = path.split(['.', '(']).next().unwrap_or_default();
        let is_model = top == "peewee"
            && self.bases.get(root).is_some_and(|base| is_of(base))
            && self.is_model_of(root, opened);
        let is_inside = INSIDE.contains(&top) && path.starts_with("drizzle-orm/");
        // What takes steps back in the one database that there is.
        let is_of_steps = path.starts_with("umzug.") && top == "sequelize";
        is_of(path)
            || is_of_steps
            || is_own
            || is_inside
            || is_model
            || given.iter().any(|given| matches!(&given.value, Value::Name(path, _) if is_of(path)))
    }

    /// Whether knex is all that the script has, and its statements become texts: none of them is waited for or handed on.
    fn only_writes_down(&self) -> bool {
        const RUNS: &[&str] = &[
            ".catch",
            ".exec",
            ".finally",
            ".pipe",
            ".stream",
            ".then",
            "Promise",
            "asCallback",
            "async",
            "await",
            "connection",
            "import(",
            "return",
            "transact",
        ];
        const WRITES: &[&str] = &[".toQuery()", ".toSQL()", ".toString()"];
        self.modules.len() == 1
            && self.modules.contains("knex")
            && self.source.matches("require").count() + self.source.matches("import").count() == 1
            && WRITES.iter().any(|way| self.source.contains(way))
            && !RUNS.iter().any(|way| self.source.contains(way))
    }

    /// Whether what a method empties is a database for tests on this machine, and no other is opened: one with a number of its own, or one
    /// whose name says so.
    pub(in super::super) fn empties_test_database(&self, path: &str, given: &[Given]) -> bool {
        let last = path.rsplit('.').next().unwrap_or(path);
        if self.seen.real && !matches!(last, "drop_database" | "dropDatabase") {
            return false;
        }
        match last {
            "flushdb" | "flush_db" | "flushDb" => {
                self.seen.test_database.as_deref().is_some_and(|opened| {
                    let root = opened.split(['.', '(']).next().unwrap_or(opened);
                    path.split(['.', '(']).next() == Some(root)
                        && !self.source.to_ascii_lowercase().contains("select")
                })
            }
            "drop_database" => {
                let named = given.first().and_then(|it| it.value.as_known());
                named.is_some_and(says_test) && self.client_of(path) == Client::Nearby
            }
            _ => false,
        }
    }

    /// What opens something that is none: the test driver of libvirt keeps its machines in the program (libvirt.org, "Test hypervisor
    /// driver"), and an engine that is only played hands its statements to a function (docs.sqlalchemy.org, "create_mock_engine").
    pub(in super::super) fn notice_double(&mut self, path: &str, given: &[Given]) {
        let first = given.first().map(|it| &it.value);
        if path.starts_with("libvirt.open") && !path.contains("()") {
            let driver = first.and_then(Value::as_known);
            match driver.is_some_and(|driver| driver.starts_with("test:///")) {
                true => drop(self.seen.in_memory.get_or_insert_with(|| path.to_owned())),
                false => self.seen.real = true,
            }
        }
        if is_played(path) {
            let named = given.iter().find(|it| it.name.as_deref() == Some("executor"));
            let executor = named.or_else(|| given.get(1)).map(|it| it.value.clone());
            self.executors.push(executor.unwrap_or_else(|| Value::unknown("a function")));
        }
    }

    /// `metadata.drop_all(engine)` of an engine that is only played: its function gets the statement, and does with it what it does.
    fn hands_to_executor(
        &mut self,
        statement: &str,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        let is_handed = given.iter().any(|it| {
            matches!(&it.value, Value::Name(path, _)
                if path.strip_suffix("()").is_some_and(is_played))
        });
        let is_known = |it: &Value| match it {
            Value::Function(_) => true,
            Value::Name(path, _) => &**path == "print",
            _ => false,
        };
        // What it keeps, another one may be given.
        if !is_handed
            || self.source.contains("create_engine")
            || self.seen.real
            || !self.executors.iter().all(is_known)
        {
            return false;
        }
        let value = Value::known(&format!("{statement} {}", called.table()));
        for executor in self.executors.clone() {
            let one = Given { name: None, value: value.clone(), span };
            self.call_value(executor, vec![one], span);
        }
        true
    }

    /// Whether a model of peewee works on the one database that is opened in memory.
    fn is_model_of(&self, class: &str, opened: &str) -> bool {
        /// How many classes lie above each other.
        const ABOVE: usize = 8;
        if [".init(", ".bind", "Proxy"].iter().any(|it| self.source.contains(it)) {
            return false;
        }
        let mut class = class;
        for _ in 0..ABOVE {
            let body = self.classes.iter().rev().find(|(name, _)| name == class);
            let Some((_, body)) = body else { return false };
            let told = body.clone().find(|at| {
                self.word_at(*at) == "database" && self.word_at(at + 1) == "=" && self.is_first(*at)
            });
            if let Some(at) = told {
                let value = self.variables.get(self.word_at(at + 2));
                return matches!(value, Some(Value::Name(path, _))
                    if path.strip_suffix("()") == Some(opened));
            }
            let above = self.parents.iter().find(|(own, _)| own == class);
            let Some((_, above)) = above else { return false };
            class = above;
        }
        false
    }

    /// Rows are deleted or changed: told as the statement that does so.
    pub(super) fn rows(&mut self, doing: Doing, called: &Called<'_>, given: &[Given], span: Span) {
        if self.is_emulated(called.path)
            || self.is_in_memory(called.path, given)
            || self.is_of_test_database(called, span)
            || self.is_over_double(called.path)
            // What a store of the cloud keeps on this machine, its emulator keeps.
            || called.path.starts_with("@google-cloud/")
                && self.client_of(called.path) == Client::Nearby
            || self.is_only_written(called)
        {
            return;
        }
        let is_told = match doing {
            Doing::DeletesRows => is_constrained(given),
            Doing::ChangesRows => is_change_constrained(given),
            _ => false,
        };
        // Which table it is, nobody knows: `prisma[model].deleteMany(…)`.
        let is_any_table = called.path.contains("PrismaClient()[]");
        let is_filtered = (is_told || called.chooses() || self.is_chosen_behind()) && !is_any_table;
        let changes = doing == Doing::ChangesRows
            || doing == Doing::DeletesOf && called.key.starts_with("update");
        let table = called.table();
        let mut statement = if changes {
            format!("UPDATE {table} SET a = 1")
        } else {
            format!("DELETE FROM {table}")
        };
        if is_filtered {
            statement.push_str(" WHERE id = 7");
        }
        self.walk.query(&Text::known(statement), span);
    }

    /// `Order.update({total: 0}, {where: {}})`, `Order.destroy({truncate: true})`: only a table's model is told so.
    pub(super) fn rows_of_a_model(
        &mut self,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> bool {
        let says = |names: &[&str]| {
            given.iter().any(|given| names.iter().any(|name| given.value.entry(name).is_some()))
        };
        let doing = match called.key.as_str() {
            "update" if says(&["where"]) => Doing::ChangesRows,
            "delete" | "destroy" | "remove" if says(&["where", "truncate"]) => Doing::DeletesRows,
            _ => return false,
        };
        self.rows(doing, called, given, span);
        true
    }

    /// Whether the calls that stand behind this one choose some of the rows: `.delete().where(…)`.
    fn is_chosen_behind(&self) -> bool {
        let mut at = self.at;
        for _ in 0..CHAINED {
            if !matches!(self.word_at(at), "." | "?.") || !self.is_name(at + 1) {
                return false;
            }
            let name = key(self.word_at(at + 1));
            let close = if self.word_at(at + 2) == "(" { self.partner(at + 2) } else { at + 1 };
            // `.neq("id", 0)` chooses all of them.
            let is_any = matches!(name.as_str(), "neq" | "gt" | "gte" | "not")
                && self.unit.tokens.get(at + 3).is_some_and(|column| {
                    column.span.of(self.source).trim_matches(['"', '\'']) == "id"
                });
            if databases::NARROWS.contains(&name.as_str()) && close > at + 3 && !is_any {
                return true;
            }
            at = close + 1;
        }
        false
    }

    /// Whether the calls behind this one end in the statement's text instead of its run: `.del().toString()`.
    fn is_only_written(&self, called: &Called<'_>) -> bool {
        let mut at = self.at;
        let mut last = "";
        for _ in 0..CHAINED {
            if self.word_at(at) != "." || self.word_at(at + 2) != "(" {
                break;
            }
            last = self.word_at(at + 1);
            at = self.partner(at + 2) + 1;
        }
        // A text that something else may run is more than written.
        let is_run =
            ["connection", "query(", "exec", "fetch(", "prepare(", "raw(", "run(", "unsafe"];
        // Kysely's driver that sends nothing, and no other beside it.
        let plain: String = self.source.chars().filter(|it| !it.is_whitespace()).collect();
        let is_dummy = self.language == "javascript"
            && plain.contains("createDriver:()=>newDummyDriver()")
            && plain.matches("createDriver").count() == 1
            && !plain.contains("Dialect(");
        let brings = self.source.matches("require(").count()
            + self.source.matches("import ").count()
            + self.source.matches("import(").count();
        if is_dummy && brings == 1 && !is_run.iter().any(|word| self.source.contains(word)) {
            return true;
        }
        // All that is brought is of the one library that writes the text.
        let package = |path: &str| path.split(['/', '.', '(']).next().unwrap_or(path).to_owned();
        let is_alone = brings == 1
            || brings == self.modules.len()
                && self.modules.iter().all(|module| package(module) == package(called.path));
        // `.toSQL().sql`: a part of what was written.
        let is_part = || {
            matches!(self.word_at(at + 1), "bindings" | "params" | "sql")
                && !matches!(self.word_at(at + 2), "(" | "." | "[")
        };
        self.language == "javascript"
            && is_alone
            && !is_run.iter().any(|word| self.source.contains(word))
            && matches!(last, "toString" | "toSQL" | "toQuery" | "compile")
            && (self.word_at(at) != "." || is_part())
    }

    /// Whether a job of BigQuery is only to say what it would cost: `QueryJobConfig(dry_run=True)`, `{ dryRun: true }`.
    pub(super) fn only_estimates(&self, called: &Called<'_>, given: &[Given], span: Span) -> bool {
        let is_of_it = |module: &str| called.path.starts_with(module);
        if self.language == "javascript" {
            return is_of_it("@google-cloud/bigquery")
                && given.iter().any(|it| it.value.entry("dryRun").is_some_and(Value::is_true));
        }
        let range = span.range();
        let inside = |at: &usize| {
            self.unit.tokens.get(*at).is_some_and(|token| {
                range.start <= token.span.range().start && token.span.range().end <= range.end
            })
        };
        // Said to the configuration itself, which is the one that is given.
        let says = |at: usize| {
            let open = at + 1;
            let close = self.partner(open);
            let mut next = open + 1;
            while next < close {
                if [0, 1, 2].map(|by| self.word_at(next + by)) == ["dry_run", "=", "True"] {
                    return true;
                }
                next = self.partner_or_next(next);
            }
            false
        };
        let is_config = |at: usize| {
            let mut first = at;
            while first > 1 && self.word_at(first - 1) == "." {
                first -= 2;
            }
            self.word_at(at) == "QueryJobConfig"
                && self.word_at(at + 1) == "("
                && first > 1
                && self.word_at(first - 1) == "="
                && self.word_at(first - 2) == "job_config"
                && matches!(self.word_at(self.partner(at + 1) + 1), "," | ")")
        };
        is_of_it("google.cloud.bigquery")
            && (0..self.unit.tokens.len()).filter(inside).any(|at| is_config(at) && says(at))
    }

    pub(super) fn statement(
        &mut self,
        statement: &str,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) {
        if self.hands_to_executor(statement, called, given, span) {
            return;
        }
        if self.is_in_memory(called.path, given) || self.is_only_written(called) {
            return;
        }
        let named = given.iter().filter_map(|given| given.value.as_known()).find(|name| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let name = named.unwrap_or_else(|| called.table());
        self.walk.query(&Text::known(format!("{statement} {name}")), span);
    }

    /// Statements put together by calls (`delete(User)`) do what they say whoever is handed them: a session that nothing in the text opens too.
    pub(super) fn built_statements(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        const TAKES_ONE: &[&str] = &["execute", "exec", "scalar", "scalars", "stream"];
        if !TAKES_ONE.contains(&called.name) || self.is_in_memory(called.path, given) {
            return;
        }
        for given in given {
            for value in given.value.alternatives() {
                if let Value::Name(path, _) = &value
                    && let Some(statement) = built_statement(path)
                {
                    self.walk.query(&Text::known(statement), span);
                }
            }
        }
    }

    /// Sends the statements among what a call is given; gives what comes back of people, from where it comes.
    pub(super) fn statements_given(
        &mut self,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) -> Text {
        const NAMES: &[&str] = &["query", "sql", "statement", "sqlText", "operation", "text", "q"];
        let mut answered = Text::unknown("rows");
        for given in given {
            let at = if given.span.is_empty() { span } else { given.span };
            for value in given.value.alternatives() {
                let value =
                    NAMES.iter().find_map(|name| value.entry(name)).cloned().unwrap_or(value);
                let texts = match &value {
                    Value::List(list) => list.iter().map(Value::text).collect(),
                    Value::Text(text) => vec![text.clone()],
                    Value::Name(path, _) => {
                        built_statement(path).map(Text::known).into_iter().collect()
                    }
                    _ => continue,
                };
                for text in texts {
                    let word = text.known_prefix().trim_start().to_ascii_uppercase();
                    self.seen.real |= word.starts_with("ATTACH");
                    let verb = word.split_whitespace().next().unwrap_or_default();
                    if self.is_in_memory(called.path, &[]) && IN_MEMORY.contains(&verb) {
                        continue;
                    }
                    if is_statement(&text) {
                        let sent = self.walk.query(&text, at);
                        if asks_for_people(text.known_prefix()) {
                            answered.sources.push(sent);
                        }
                    }
                }
            }
        }
        self.seen.asked.inherit(&answered);
        answered
    }
}

/// Whether a function makes an engine without a database.
fn is_played(path: &str) -> bool {
    path.starts_with("sqlalchemy.") && path.ends_with(".create_mock_engine")
}

/// The statement that was put together by calls: `delete(User)`, `update(User).where(…).values(…)`.
fn built_statement(path: &str) -> Option<String> {
    let (built, rest) = path.split_once("()")?;
    let (module, verb) = built.rsplit_once('.')?;
    if !matches!(module.split('.').next(), Some("sqlalchemy" | "sqlmodel")) {
        return None;
    }
    // `table.delete()` of each that the metadata has.
    let of_table = ["delete", "update"].iter().find_map(|verb| {
        let (way, behind) = path.rsplit_once(&format!(".{verb}()"))?;
        let is_table = ["Table()", "__table__", "sorted_tables", ".tables"];
        is_table.iter().any(|it| way.contains(it)).then_some((*verb, behind))
    });
    let (verb, rest) = of_table.unwrap_or((verb, rest));
    let is_chosen = rest
        .split(['.', '('])
        .any(|part| !part.is_empty() && databases::NARROWS.contains(&key(part).as_str()));
    let choice = if is_chosen { " WHERE id = 7" } else { "" };
    match verb {
        "delete" => Some(format!("DELETE FROM rows{choice}")),
        "update" => Some(format!("UPDATE rows SET a = 1{choice}")),
        _ => None,
    }
}

fn is_statement(text: &Text) -> bool {
    looks_like_sql(text)
        || text.as_known().is_some_and(|known| look::is_statement(known, Strictness::Word))
}

/// The texts and names in a value.
fn collect(value: &Value, depth: usize, texts: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| texts.len() < ARGUMENTS) else { return };
    match value {
        Value::Text(text) => texts.push(text.display()),
        Value::Name(path, _) => texts.push(path.to_string()),
        Value::List(list) | Value::Any(list) => {
            list.iter().for_each(|value| collect(value, depth, texts))
        }
        Value::Table(table) => table.iter().for_each(|(_, value)| collect(value, depth, texts)),
        _ => {}
    }
}
