//! Clients that reach nobody, or nobody else: told to render what they would send, given a store of the script's own, pointed at a server
//! which the same program starts or at one of this machine. Owns how a client says so; whatever its library opens beside it is real, and
//! then all of it is.

use super::{
    interpreter::Interpreter,
    libraries::{is_local, is_told},
    value::{Given, Value},
};
use crate::understand::meaning;

/// What only plays: the library, the words of all that makes its clients, and how one is told. Sources: the libraries' own pages.
const PLAYS: &[(&str, &[&str], Told)] = &[
    ("keyring", &["set_keyring"], Told::Own("")),
    ("ldap3", &["connection"], Told::Strategy),
    ("mlflow", &["set_tracking_uri", "mlflow_client"], Told::File),
    ("nodemailer", &["create_transport"], Told::Says(&["jsonTransport", "streamTransport"])),
    ("twilio", &["client"], Told::Own("http_client")),
];

/// How a client is told that it only plays.
enum Told {
    /// This argument is an object of a class of the script.
    Own(&'static str),
    /// One of these is true.
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

/// What a program that serves says.
const SERVES: &[&str] = &[
    "Broker(",
    "Controller(",
    "Server(",
    "aedes",
    "createServer",
    "serve_forever",
    "start_server",
];

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
        let serves = || SERVES.iter().any(|word| self.source.contains(word));
        let client = if row.is_some_and(|row| self.is_told_to_play(&row.2, given))
            || is_nearby && serves()
        {
            Client::Plays
        } else if is_nearby {
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

    fn is_told_to_play(&self, told: &Told, given: &[Given]) -> bool {
        let is_own = |value: &Value| {
            let Value::Name(path, _) = value else { return false };
            let class = path.split(['.', '(']).next().unwrap_or_default();
            self.classes.iter().any(|(own, _)| own == class)
        };
        match told {
            Told::Own(name) => given
                .iter()
                .any(|it| (it.name.as_deref().unwrap_or_default() == *name) && is_own(&it.value)),
            Told::Says(names) => given.iter().any(|it| {
                names.iter().any(|name| it.value.entry(name).is_some_and(Value::is_true))
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

/// Whether all addresses that something is given are of this machine, and one is.
fn points_here(given: &[Given]) -> bool {
    let mut texts = Vec::new();
    for given in given {
        texts_in(&given.value, 4, &mut texts);
    }
    let mut here = false;
    for text in &texts {
        let rest = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let host = match rest.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => rest.split(['/', ':', '?']).next().unwrap_or_default(),
        };
        // What a relay of mail gets goes on to whoever it is for.
        let is_relay = [":25", ":465", ":587"].iter().any(|port| rest.ends_with(port));
        let is_here = matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0") && !is_relay;
        here |= is_here;
        if !is_here && (text.contains("://") || host.contains('.')) {
            return false;
        }
    }
    let relays = given
        .iter()
        .any(|it| matches!(it.value, Value::Number(port) if matches!(port, 25 | 465 | 587)));
    here && !relays
}

fn texts_in(value: &Value, depth: usize, texts: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Text(text) => texts.push(text.display()),
        Value::List(list) | Value::Any(list) => {
            list.iter().for_each(|value| texts_in(value, depth, texts));
        }
        Value::Table(table) => {
            table.iter().for_each(|(_, value)| texts_in(value, depth, texts));
        }
        _ => {}
    }
}

/// Whether a value says nothing of where a client is pointed at: a number, a function, something of the library itself.
fn is_made_by(value: &Value, module: &str) -> bool {
    match value {
        Value::Number(_) | Value::Function(_) => true,
        Value::Name(path, _) => path.starts_with(module) || value.is_true() || value.is_false(),
        _ => false,
    }
}

/// The library that a module is of.
fn top_of(module: &str) -> &str {
    if module.starts_with('@') {
        return module;
    }
    module.split(['.', '/']).next().unwrap_or(module)
}
