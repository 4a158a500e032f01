//! Clients that reach nobody, or nobody else: told to render what they would send, given a store of the script's own, pointed at a server
//! which the same program starts or at one of this machine. Owns how a client says so; whatever its library opens beside it is real, and
//! then all of it is.

use super::{
    interpreter::Interpreter,
    libraries::{is_local, is_told, top_of},
    value::{Given, Value},
};
use crate::understand::meaning;

/// What only plays: the library, the words of all that makes its clients, and how one is told. Sources: the libraries' own pages.
const PLAYS: &[(&str, &[&str], Told)] = &[
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
    "base_url",
    "baseurl",
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
}

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
const HELD: &[&str] = &["ftplib", "imaplib", "smtplib"];

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
            None => Self::opens(path, &module, name, &words),
        };
        if !opens {
            return;
        }
        let is_elsewhere = is_told(&top) && !HELD.contains(&top.as_str()) || is_local(&module);
        let is_nearby = points_here(given) && !is_elsewhere;
        // What leads to another machine ends at this one.
        let leads_on = || {
            let lower = self.source.to_ascii_lowercase();
            ["tunnel", "forward"].iter().any(|word| lower.contains(word))
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
        let is_told_so = is_in_memory || row.is_some_and(|row| self.is_told_to_play(&row.2, given));
        // A directory of its own holds what is kept; what else the library does, it does.
        let is_kept_near =
            is_told_so && !is_in_memory && row.is_some_and(|row| matches!(row.2, Told::File));
        let client = if is_told_so && !is_kept_near || is_nearby && is_played() {
            Client::Plays
        } else if is_nearby || is_kept_near {
            Client::Nearby
        } else if given.iter().any(|it| !is_made_by(&it.value, &module)) {
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
    for (at, given) in given.iter().enumerate() {
        match (&given.name, &given.value) {
            (Some(name), value) if names_an_address(name) => told.push(value),
            (None, Value::Table(table)) => {
                let named = table.iter().filter(|(name, _)| names_an_address(name));
                told.extend(named.map(|(_, value)| value));
            }
            (None, value) if at == 0 => told.push(value),
            (_, Value::Text(text)) if text.display().contains("://") => told.push(&given.value),
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

fn names_an_address(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ADDRESSES.contains(&lower.as_str()) || lower.contains("url") || lower.contains("host")
}

/// Whether an address is of this machine, and not of a server that sends on what it gets.
fn is_here(address: &str) -> bool {
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
