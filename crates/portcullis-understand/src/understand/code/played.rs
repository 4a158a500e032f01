//! Clients that reach nobody, or nobody else: told to render what they would send, given a store of the script's own, pointed at a server
//! which the same program starts or at one of this machine. Owns how a client says so; whatever its library opens beside it is real, and
//! then all of it is.

use super::{
    interpreter::Interpreter,
    libraries::{is_local, is_told, top_of},
    value::{Given, Value},
};
use crate::{text::Piece, understand::meaning};

/// What only plays: the library, the words of all that makes its clients, and how one is told. Sources: the libraries' own pages.
const PLAYS: &[(&str, &[&str], Told)] = &[
    (
        "@elastic/elasticsearch",
        &["client"],
        Told::Mock("Connection", "@elastic/elasticsearch-mock"),
    ),
    ("httpx", &["client", "async_client"], Told::Transport),
    ("keyring", &["set_keyring"], Told::Own("", "keyring.backend.KeyringBackend")),
    ("ldap3", &["connection"], Told::Strategy),
    ("mlflow", &["set_tracking_uri", "mlflow_client"], Told::File),
    ("nodemailer", &["create_transport"], Told::Says(&["jsonTransport", "streamTransport"])),
    ("twilio", &["client"], Told::Own("http_client", "twilio.http.HttpClient")),
];

/// Clients and the libraries whose servers play for them in the same program.
const PLAYED_BY: &[(&str, &str)] = &[
    ("asyncua", "asyncua.Server"),
    ("mqtt", "aedes"),
    ("pymodbus", "pymodbus.server"),
    ("smtplib", "aiosmtpd.controller"),
];

/// Arguments that say where a client is pointed at.
const ADDRESSES: &[&str] = &[
    "addr",
    "address",
    "api_endpoint",
    "apiendpoint",
    "base_url",
    "baseurl",
    "bootstrap.servers",
    "bootstrap_servers",
    "bootstrapservers",
    "broker",
    "brokers",
    "contact_points",
    "dsn",
    "endpoint",
    "endpoint_url",
    "host",
    "hostname",
    "hosts",
    "node",
    "nodes",
    "server",
    "servers",
    "uri",
    "url",
];

/// How a client is told that it only plays.
enum Told {
    /// This argument is an object of a class of the script, made from this one, which does nothing by itself.
    Own(&'static str, &'static str),
    /// One of these is true, and nothing that goes before it.
    Says(&'static [&'static str]),
    /// `client_strategy=MOCK_SYNC`
    Strategy,
    /// It is given the address of a file.
    File,
    /// Its transport is one that asks a function of the script, or an application in the same program.
    Transport,
    /// This option is something of this library.
    Mock(&'static str, &'static str),
}

/// Words by which a client of this machine's reaches another one after all.
const LEADS_ON: &[&str] = &["forward", "proxy", "sentinel", "socketfactory", "tunnel"];

/// Parts of the names of what makes a client.
const OPENS: &[&str] = &[
    "client",
    "cluster",
    "connect",
    "connection",
    "driver",
    "engine",
    "login",
    "open",
    "pool",
    "session",
    "transport",
    "uri",
    "url",
];

/// Libraries that make requests or send mail and are told elsewhere, whose clients are held to one address nevertheless.
const HELD: &[&str] = &[
    "@azure/data-tables",
    "@azure/storage-blob",
    "@azure/storage-queue",
    "@google-cloud/firestore",
    "@google-cloud/pubsub",
    "@google-cloud/storage",
    "aiokafka",
    "azure",
    "confluent_kafka",
    "ftplib",
    "imaplib",
    "kafka",
    "kafkajs",
    "smtplib",
];

/// Libraries whose clients make others for what lies below them: `service.getContainerClient("a")` is pointed at nothing new.
const MAKES_OTHERS: &[&str] =
    &["@azure/data-tables", "@azure/storage-blob", "@azure/storage-queue", "azure"];

/// How a client of Azure is told the store that Azurite plays, by Microsoft's page on it.
const DEVELOPMENT: &str = "UseDevelopmentStorage=true";

/// Libraries whose clients may be handed what makes their requests, by the names of the options on the way to it.
const FETCHES: &[&[&str]] = &[&["request", "fetch"], &["global", "fetch"], &["fetch"]];

/// What one library's clients are pointed at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Client {
    /// Nothing.
    Plays,
    /// A server of this machine.
    Nearby,
    /// Anything else.
    Real,
}

impl Interpreter<'_, '_, '_> {
    /// Remembers what a client is pointed at, where a call makes one.
    pub(super) fn notice_client(&mut self, path: &str, given: &[Given]) {
        /// How many libraries are remembered.
        const LIBRARIES: usize = 32;
        if !matches!(self.language, "python" | "javascript") {
            return;
        }
        let Some(module) = self.module_in(path) else { return };
        let top = top_of(&module).to_owned();
        let name = path.rsplit('.').next().unwrap_or_default();
        let words = meaning::words(meaning::beginning(name));
        let row = PLAYS.iter().find(|row| row.0 == top);
        let opens = match row {
            Some(row) => row.1.contains(&words.join("_").as_str()),
            None => {
                let is_below = MAKES_OTHERS.contains(&&*top) && path.contains("()");
                !is_below && Self::opens(path, &module, name, &words)
            }
        };
        if !opens {
            return;
        }
        let is_elsewhere = is_told(&top) && !HELD.contains(&top.as_str()) || is_local(&module);
        let is_nearby = points_here(given) && !is_elsewhere;
        // What leads to another machine ends at this one.
        let leads_on = || {
            let lower = self.source.to_ascii_lowercase();
            LEADS_ON.iter().any(|word| lower.contains(word))
                || self.language == "javascript" && spreads_options(self.source)
        };
        let is_nearby = is_nearby && !leads_on();
        let is_played = || {
            PLAYED_BY.iter().any(|(client, server)| {
                *client == top
                    && self.modules.iter().any(|module| {
                        server
                            .strip_prefix(&**module)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                    })
                    && self.makes(server)
            })
        };
        // What is configured later, or stands at another address, is not of the program alone.
        let is_alone = || {
            !self.source.contains("broker_url")
                && self.source.match_indices("://").all(|(at, _)| {
                    self.source.get(..at).is_some_and(|before| before.ends_with("memory"))
                })
        };
        let is_in_memory = keeps_in_memory(given) && is_alone();
        let is_told_so = is_in_memory
            || self.is_handed_a_fetch(&top, given)
            || row.is_some_and(|row| self.is_told_to_play(&row.2, given));
        // A directory of its own holds what is kept; what else the library does, it does.
        let is_kept_near =
            is_told_so && !is_in_memory && row.is_some_and(|row| matches!(row.2, Told::File));
        let is_caught = catches_mail(&top, given) && !leads_on();
        let client = if is_told_so && !is_kept_near || is_nearby && is_played() || is_caught {
            Client::Plays
        } else if is_nearby || is_kept_near {
            Client::Nearby
        } else if given.iter().any(|it| !is_made_by(&it.value, &module))
            // Where nothing says otherwise, this is the cloud.
            || given.is_empty() && top.starts_with("@google-cloud/")
        {
            Client::Real
        } else {
            return;
        };
        if let Some((_, known)) = self.clients.iter_mut().find(|(library, _)| *library == top) {
            if *known != client {
                *known = Client::Real;
            }
        } else if self.clients.len() < LIBRARIES {
            self.clients.push((top, client));
        }
    }

    /// Whether a call makes a client, by its name.
    fn opens(path: &str, module: &str, name: &str, words: &[String]) -> bool {
        name.starts_with(|first: char| first.is_ascii_uppercase())
            || path.len() == module.len()
            || words.iter().any(|word| OPENS.contains(&word.as_str()))
    }

    /// `new Octokit({ request: { fetch: fake } })`: what makes the requests is a function of the script, and nothing in the script makes any.
    fn is_handed_a_fetch(&self, top: &str, given: &[Given]) -> bool {
        /// What makes requests without a module, or finds what does.
        const MAKES: &[&str] = &[
            "EventSource",
            "Function(",
            "Image",
            "Reflect",
            "WebSocket",
            "XMLHttpRequest",
            "eval",
            "fetch(",
            "fetch)",
            "fetch,",
            "fetch.",
            "fetch;",
            "fetch[",
            "global",
            "hook",
            "import(",
            "navigator",
            "process",
            "self",
            "window",
        ];
        /// Modules of tests.
        const TESTS: &[&str] = &["assert", "node:assert", "node:test", "vitest"];
        let is_handed = |given: &Given| {
            FETCHES.iter().any(|way| {
                let mut value = Some(&given.value);
                for name in *way {
                    value = value.and_then(|it| it.entry(name));
                }
                matches!(value, Some(Value::Function(_)))
            })
        };
        let plain: String = self.source.chars().filter(|it| !it.is_whitespace()).collect();
        let is_own = |module: &String| top_of(module) == top || TESTS.contains(&module.as_str());
        self.language == "javascript"
            && given.iter().any(is_handed)
            && self.modules.iter().all(is_own)
            && self.source.matches("import").count() + self.source.matches("require(").count()
                == self.modules.len()
            && self.stands_alone()
            && !spreads_options(self.source)
            && !MAKES.iter().any(|word| plain.contains(word))
    }

    /// What the clients of the library that a path begins with are pointed at.
    pub(super) fn client_of(&self, path: &str) -> Client {
        let Some(module) = self.module_in(path) else { return Client::Real };
        let top = top_of(&module);
        let known = self.clients.iter().find(|(library, _)| library == top);
        known.map_or(Client::Real, |(_, client)| *client)
    }

    /// Whether the text calls what this path names: `Server()` behind `from asyncua import Server`.
    fn makes(&self, path: &str) -> bool {
        let name = path.rsplit('.').next().unwrap_or_default();
        let is_module = name.starts_with(|first: char| first.is_ascii_lowercase());
        is_module
            || (0..self.unit.tokens.len())
                .any(|at| self.name_at(at) == name && self.name_at(at + 1) == "(")
    }

    fn is_told_to_play(&self, told: &Told, given: &[Given]) -> bool {
        let is_own = |value: &Value, base: &str| {
            let Value::Name(path, _) = value else { return false };
            let class = path.split(['.', '(']).next().unwrap_or_default();
            let is_made = self.classes.iter().any(|(own, _)| own == class);
            // One that hands on to the real thing is that.
            let hands_on = ["get_keyring", "backends", "super()", "requests", "TwilioHttpClient"];
            is_made
                && self.bases.get(class).is_some_and(|it| self.canonical(it) == base)
                && !hands_on.iter().any(|word| self.source.contains(word))
        };
        match told {
            Told::Own(name, base) => {
                self.stands_alone()
                    && given.iter().any(|it| {
                        it.name.as_deref().unwrap_or_default() == *name && is_own(&it.value, base)
                    })
            }
            Told::Says(names) => given.iter().any(|it| {
                let says = |name: &str| it.value.entry(name).is_some_and(Value::is_true);
                let goes_before = ["pool", "sendmail", "SES"];
                names.iter().any(|name| says(name))
                    && !goes_before.iter().any(|name| it.value.entry(name).is_some())
            }),
            Told::Strategy => given.iter().any(|it| {
                it.name.as_deref() == Some("client_strategy")
                    && matches!(&it.value, Value::Name(path, _)
                        if path.rsplit('.').next().is_some_and(|last| last.starts_with("MOCK_")))
            }),
            Told::Transport => {
                const PLAY: &[&str] = &["httpx.ASGITransport()", "httpx.MockTransport()"];
                const DIRECT: &[&str] =
                    &["delete", "get", "patch", "post", "put", "request", "stream"];
                let is_told = given.iter().any(|it| {
                    it.name.as_deref() == Some("transport")
                        && matches!(&it.value, Value::Name(path, _) if PLAY.contains(&&**path))
                });
                // What the library sends by itself goes out.
                is_told
                    && !given.iter().any(|it| it.name.as_deref() == Some("mounts"))
                    && !DIRECT.iter().any(|verb| self.source.contains(&format!("httpx.{verb}(")))
            }
            Told::Mock(name, library) => given.iter().any(|it| {
                it.value.entry(name).is_some_and(|value| {
                    matches!(value, Value::Name(path, _)
                        if path.strip_prefix(library).is_some_and(|rest| rest.starts_with(['.', '('])))
                })
            }),
            Told::File => given.first().is_some_and(|it| {
                let text = it.value.text();
                ["file:", "sqlite:"].iter().any(|scheme| text.known_prefix().starts_with(scheme))
            }),
        }
    }
}

/// `Celery("t", broker="memory://", backend="cache+memory://")`: all addresses are of the program's own memory.
fn keeps_in_memory(given: &[Given]) -> bool {
    let is_address = |given: &&Given| {
        given.name.as_deref().is_some_and(|name| names_an_address(name) || name == "backend")
            || given.value.text().display().contains("://")
    };
    let mut addresses = given.iter().filter(is_address).peekable();
    addresses.peek().is_some()
        && addresses.all(|given| {
            let known = given.value.as_known().and_then(|known| known.split_once("://"));
            known.is_some_and(|(scheme, _)| scheme == "memory" || scheme.ends_with("+memory"))
        })
}

/// Whether what says where something is pointed at is of this machine, all of it.
fn points_here(given: &[Given]) -> bool {
    let mut told = Vec::new();
    for (at, it) in given.iter().enumerate() {
        match (&it.name, &it.value) {
            (Some(name), value) if names_an_address(name) => told.push(value),
            (None, Value::Table(table)) => {
                // `new Queue("mail", { connection: { host: "127.0.0.1" } })`
                let inner = table.iter().filter(|(name, _)| name == "connection");
                let inner = inner.filter_map(|(_, value)| match value {
                    Value::Table(table) => Some(table.iter()),
                    _ => None,
                });
                let all = table.iter().chain(inner.flatten());
                let named = all.filter(|(name, _)| names_an_address(name));
                told.extend(named.map(|(_, value)| value));
            }
            // What is called by a name in front of options that say where is no address: `new Queue("mail", { connection })`.
            (None, Value::Text(text))
                if at == 0
                    && given.iter().skip(1).any(|it| it.value.entry("connection").is_some())
                    && !text.pieces.iter().any(|piece| {
                        matches!(piece, Piece::Known(known) if known.contains(['.', ':', '/']))
                    }) => {}
            (None, value) if at == 0 => told.push(value),
            (_, Value::Text(text)) if text.display().contains("://") => told.push(&it.value),
            _ => {}
        }
    }
    let relays = given
        .iter()
        .any(|it| matches!(it.value, Value::Number(port) if matches!(port, 25 | 465 | 587)));
    !relays
        && !told.is_empty()
        && told.iter().all(|value| match value {
            Value::List(list) => {
                !list.is_empty() && list.iter().all(|it| it.as_known().is_some_and(is_here))
            }
            value => value.as_known().is_some_and(is_here),
        })
}

/// Whether a client of mail is pointed at a server of this machine that shows what it gets and sends nothing on, by the ports of their pages:
/// MailHog, Mailpit, MailCatcher and maildev, GreenMail, aiosmtpd, smtp4dev.
fn catches_mail(library: &str, given: &[Given]) -> bool {
    let is_port = |value: &Value| match value {
        Value::Number(port) => is_catcher(&port.to_string()),
        value => value.as_known().is_some_and(is_catcher),
    };
    let is_told = given.iter().any(|it| match it.name.as_deref() {
        None => is_port(&it.value) || it.value.entry("port").is_some_and(is_port),
        Some(name) => name == "port" && is_port(&it.value),
    });
    matches!(library, "aiosmtplib" | "nodemailer" | "smtplib") && is_told && points_here(given)
}

/// Whether a port is one that such a server listens to.
pub(super) fn is_catcher(port: &str) -> bool {
    matches!(port, "1025" | "2525" | "3025" | "8025")
}

fn names_an_address(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ADDRESSES.contains(&lower.as_str()) || lower.contains("url") || lower.contains("host")
}

/// Whether an address is of this machine, and not of a server that sends on what it gets.
fn is_here(address: &str) -> bool {
    if address.trim_end_matches(';') == DEVELOPMENT {
        return true;
    }
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, port)) => (host, port.trim_start_matches(':')),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    matches!(host, "localhost" | "127.0.0.1" | "::1")
        && port.bytes().all(|digit| digit.is_ascii_digit())
        && !matches!(port, "25" | "465" | "587")
}

/// Whether a value says nothing of where a client is pointed at: a number, a function, something of the library itself.
fn is_made_by(value: &Value, module: &str) -> bool {
    match value {
        Value::Number(_) | Value::Function(_) => true,
        Value::Name(path, _) => path.starts_with(module) || value.is_true() || value.is_false(),
        _ => false,
    }
}

/// Whether an object of options takes over what another one has: `{ ...more, host: "127.0.0.1" }`.
fn spreads_options(source: &str) -> bool {
    source.match_indices("...").any(|(at, _)| {
        let mut depth = 0_usize;
        let before = source.get(..at).unwrap_or_default();
        let open = before.bytes().rev().find(|byte| match byte {
            b')' | b']' | b'}' => {
                depth += 1;
                false
            }
            b'(' | b'[' | b'{' if depth > 0 => {
                depth -= 1;
                false
            }
            b'(' | b'[' | b'{' => true,
            _ => false,
        });
        open == Some(b'{')
    })
}
