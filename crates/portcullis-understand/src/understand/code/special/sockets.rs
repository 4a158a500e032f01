//! Connections of Node below its clients of HTTP: what is written into a socket, requests of a client that was told its host, and of a session of HTTP/2.
//! Owns which calls those are, and what they are told of the request.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::{programs::host::Host, text::Text};

/// What makes a socket. (nodejs.org, "net", "tls")
const SOCKETS: &[&str] = &[
    "net.Socket()",
    "net.Socket().connect()",
    "net.connect()",
    "net.createConnection()",
    "tls.TLSSocket()",
    "tls.connect()",
];

/// Clients that are told their host when they are made, and each request in one object. (undici.nodejs.org; nodejs.org, "http2")
const CLIENTS: &[&str] = &[
    "http2.connect()",
    "undici.Agent()",
    "undici.BalancedPool()",
    "undici.Client()",
    "undici.Pool()",
    "undici.RetryAgent()",
];

/// What their requests are made by.
const REQUESTS: &[&str] = &["dispatch", "pipeline", "request", "stream"];

impl Interpreter<'_, '_, '_> {
    /// What goes out through a socket, or by a client that has its host.
    pub(super) fn goes_out_below(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let (of, _) = path.rsplit_once('.')?;
        let says = given.first().is_some_and(|it| !matches!(it.value, Value::Function(_)));
        let is_stream = SOCKETS.contains(&of)
            || of.strip_suffix("()").and_then(|it| it.rsplit_once('.')).is_some_and(
                |(client, method)| CLIENTS.contains(&client) && REQUESTS.contains(&method),
            );
        if is_stream && says && matches!(last, "end" | "write") {
            return Some(self.act(Act::Send, path, given.get(..1)?, span));
        }
        if !CLIENTS.contains(&of) || !REQUESTS.contains(&last) {
            return None;
        }
        let told = given.iter().find(|it| matches!(it.value, Value::Table(_)))?;
        let Value::Table(entries) = &told.value else { return None };
        let entry = |name: &str| told.value.own_entry(name);
        let below = entry("path").or_else(|| entry(":path")).map(Value::text);
        let mut bases = self.seen.bases.iter().filter(|(client, _)| client == of);
        let base = bases.next().map(|(_, base)| base.clone());
        // Of several it may be any.
        let base = base.filter(|base| bases.all(|(_, other)| other == base));
        let mut address = base.unwrap_or_else(|| Text::unknown("an address"));
        if let Some(below) = below {
            address.append(&below);
        }
        let mut options: Vec<(String, Value)> = Vec::new();
        let mut headers: Vec<(String, Value)> = Vec::new();
        for (name, value) in entries {
            match name.as_str() {
                ":method" => options.push(("method".to_owned(), value.clone())),
                name if name.starts_with(':') => {}
                name if of.starts_with("http2") => headers.push((name.to_owned(), value.clone())),
                name => options.push((name.to_owned(), value.clone())),
            }
        }
        if !headers.is_empty() {
            options.push(("headers".to_owned(), Value::Table(headers)));
        }
        let all = [
            Given { name: None, value: Value::Text(address), span: told.span },
            Given { name: None, value: Value::Table(options), span: told.span },
        ];
        let answer = self.act(Act::Get, "fetch", &all, span);
        Some(Value::reached(&format!("{path}()"), answer.text().derive([])))
    }

    /// `inspector.open(9229, "0.0.0.0")`: whoever reaches the port runs what they like in the program.
    pub(super) fn opens_inspector(&mut self, path: &str, given: &[Given], span: Span) {
        if !matches!(path, "inspector.open" | "inspector/promises.open") {
            return;
        }
        let is_here = match given.get(1).map(|it| &it.value) {
            None => true,
            Some(host) => {
                host.is_false()
                    || matches!(host.as_known(), Some("127.0.0.1" | "localhost" | "::1"))
            }
        };
        if !is_here {
            self.walk.note("network.listen.debugger", span);
        }
    }
}
