//! Calls that speak with another machine. Owns which of what they are given is the address, what goes along with a request, and what came over the network.

use portcullis_syntax::Span;

use super::{
    super::{
        hooked::told_by_headers,
        interpreter::Interpreter,
        services,
        tables::Act,
        value::{Value, mixed},
    },
    Call,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// Keywords that carry what is sent.
const SENT: &[&str] =
    &["data", "json", "body", "files", "content", "params", "form", "payload", "method_body"];

impl Interpreter<'_, '_, '_> {
    /// A request, with all that goes along.
    pub(super) fn send_request(&mut self, act: Act, call: Call<'_>) -> Value {
        let Call { path, plain, first, second, span, .. } = call;
        let address = match act {
            Act::Request => second.or_else(|| call.keyword(&["url"])),
            _ => first,
        };
        let Some(address) = address else {
            return Value::Text(Text { taint: Taint::NETWORK, ..Text::unknown("a response") });
        };
        let mut sends: Option<Text> = None;
        let mut add = |value: &Value| {
            let text = services::sent(value);
            match &mut sends {
                Some(before) => before.append(&text),
                None => sends = Some(text),
            }
        };
        let body_at = if matches!(act, Act::Request | Act::PostTyped) { 2 } else { 1 };
        if let Some(body) = plain.get(body_at)
            && (act != Act::Get || !matches!(body.value, Value::Table(_) | Value::Function(_)))
        {
            add(&body.value);
        }
        for name in SENT {
            if let Some(value) = call.option(name) {
                add(&value);
            }
        }
        // What headers and functions that run before each request add.
        let mut added = Text::default();
        for one in call.given {
            let text = match one.name.as_deref() {
                Some("headers") => told_by_headers(&one.value),
                _ => self.added_by(path, &one.value, span),
            };
            added.inherit(&text);
        }
        added.inherit(&self.added_to(path));
        if matches!(&address.value, Value::Name(of, _) if of.starts_with("URL()")) {
            added.inherit(&self.added_to("URL()"));
        }
        if added.taint.has(Taint::SECRET) {
            match &mut sends {
                Some(before) => before.append(&added),
                None => sends = Some(added.derive([Piece::Unknown("headers".into())])),
            }
        }
        let mut argument = self.place_of(Some(address));
        if let Value::Table(_) = address.value {
            let part =
                ["url", "hostname", "host"].iter().find_map(|name| address.value.entry(name));
            argument.text = part.map_or_else(|| Text::unknown("an address"), Value::text);
            // What stands in the path goes along.
            if let Some(path) = address.value.entry("path") {
                argument.text.append(&path.text());
            }
        }
        argument.text = self.whole_address(path, argument.text);
        if argument.text.taint.has(Taint::SECRET) && sends.is_none() {
            sends = Some(argument.text.clone());
        }
        self.carries_secret(path, call.given, &argument.text, &added, span);
        self.seen.connects |= path.contains("etcat");
        self.peer = argument.text.clone();
        if leads_away(&argument.text) && self.is_unending() {
            self.walk.note("code.load.flood", span);
        }
        let method = match act {
            Act::Request => {
                call.keyword(&["method"]).or(plain.first().copied()).map(|given| given.value.text())
            }
            Act::Method(method) => Some(Text::known(method)),
            Act::PostTyped => Some(Text::known("POST")),
            Act::Post if path != "navigator.sendBeacon" => Some(Text::known("POST")),
            _ => call.option("method").map(|method| method.text()),
        };
        if let Some(socket) = self.socket_of(call, &argument.text) {
            self.request_through(&socket, method.as_ref(), call, &argument.text, sends.as_ref());
        } else if let Some(method) = method.as_ref().and_then(Text::as_known) {
            self.request_by(method, &argument.text, sends.as_ref(), span);
        }
        // Each that the service itself listed.
        let changes = method.as_ref().and_then(Text::as_known);
        if changes.is_some_and(|it| matches!(it.to_ascii_uppercase().as_str(), "PATCH" | "PUT"))
            && argument.text.taint.has(Taint::NETWORK)
            && self.is_repeated(span)
        {
            self.walk.note("service.records.changed", span);
        }
        let response = self.walk.connect(&argument, sends, false);
        if matches!(path, "curl_init" | "curl_setopt") {
            self.peer = argument.text.clone();
        }
        if path.ends_with("Request") {
            // The request object is opened later; its address is what matters.
            return Value::Text(response);
        }
        Value::Text(network(response))
    }

    /// The socket of this machine that a request goes to: `{ socketPath: "/var/run/docker.sock" }`, `http+unix://%2Fvar%2Frun%2Fdocker.sock/…`.
    fn socket_of(&self, call: Call<'_>, address: &Text) -> Option<Text> {
        let told = ["socketPath", "socket_path", "uds"].iter().find_map(|name| call.option(name));
        if let Some(told) = told {
            return Some(told.text());
        }
        let rest = address.known_prefix().strip_prefix("http+unix://")?;
        let host = rest.split('/').next().unwrap_or(rest);
        Some(Text::known(host.replace("%2F", "/").replace("%2f", "/")))
    }

    /// A request through a socket of this machine, as `curl` makes it.
    fn request_through(
        &mut self,
        socket: &Text,
        method: Option<&Text>,
        call: Call<'_>,
        address: &Text,
        body: Option<&Text>,
    ) {
        let told = call.option("path").map(|path| path.text());
        let path = told.unwrap_or_else(|| {
            let whole = address.known_prefix();
            let rest = whole.split_once("://").map_or(whole, |(_, rest)| rest);
            let from = rest.find('/').unwrap_or(rest.len());
            Text::known(rest.get(from..).unwrap_or_default())
        });
        let method = method.and_then(Text::as_known).unwrap_or("GET").to_ascii_uppercase();
        let mut url = Text::known("http://localhost");
        url.append(&path);
        self.told_through(socket, &method, url, body, call.span);
    }

    /// `sock.sendall(b"POST /containers/create HTTP/1.1\r\n…")`: the same, written by hand.
    fn written_request(&mut self, sends: &Text, span: Span) {
        let Some(socket) = self.peer.as_known().filter(|peer| peer.ends_with(".sock")) else {
            return;
        };
        let socket = Text::known(socket);
        let said = sends.known_prefix();
        let mut words = said.split_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return };
        if !matches!(method, "DELETE" | "PATCH" | "POST" | "PUT") {
            return;
        }
        let url = Text::known(format!("http://localhost{path}"));
        let method = method.to_owned();
        let body = Text::unknown("a body");
        self.told_through(&socket, &method, url, Some(&body), span);
    }

    fn told_through(
        &mut self,
        socket: &Text,
        method: &str,
        url: Text,
        body: Option<&Text>,
        span: Span,
    ) {
        let mut words = vec![Text::known("curl"), Text::known("--unix-socket"), socket.clone()];
        words.extend([Text::known("-X"), Text::known(method), url]);
        if method != "GET" {
            let body = body.cloned().unwrap_or_else(|| Text::unknown("a body"));
            words.extend([Text::known("-d"), body]);
        }
        let words: Vec<Argument> = words.into_iter().map(|text| Argument { text, span }).collect();
        self.run_words(&words, None);
    }

    /// What lies at an address, put into a file.
    pub(super) fn download(&mut self, call: Call<'_>) -> Value {
        let Call { first, second, .. } = call;
        let address = self.place_of(first);
        let response = network(self.walk.connect(&address, None, false));
        if let Some(second) = second {
            let file = self.place_of(Some(second));
            self.walk.write(&file, WriteMode::Replace, response.clone());
        }
        Value::Text(response)
    }

    /// What goes out through a connection that is open.
    pub(super) fn send_through(&mut self, call: Call<'_>) -> Value {
        let Call { given, plain, span, .. } = call;
        let mut sends = mixed("what is sent", given.iter().map(|given| &given.value));
        for given in given {
            if let Value::File(index) = given.value
                && let Some(file) = self.files.get(index)
            {
                sends.inherit(&file.read);
            }
        }
        let sends = match plain {
            [one, ..] if sends.taint == Taint::NONE => one.value.text(),
            _ => sends,
        };
        self.written_request(&sends, span);
        let address = Argument { text: self.peer.clone(), span };
        self.walk.connect(&address, Some(sends), false);
        Value::unknown("nothing")
    }
}

/// Whether a file is one of another machine, which languages open as any other: `file_get_contents('https://…')`.
pub(in super::super) fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        ["http", "https", "ftp", "ftps"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
    })
}

pub(in super::super) fn network(mut text: Text) -> Text {
    text.taint = text.taint.with(Taint::NETWORK);
    if text.is_empty() {
        text.push(Piece::Unknown("a response".into()));
    }
    text
}

/// Whether an address leads to another machine for certain.
fn leads_away(address: &Text) -> bool {
    let known = address.known_prefix();
    let host = known.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let host = host.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.contains('.') && !matches!(host, "127.0.0.1" | "0.0.0.0") && !host.ends_with(".local")
}
