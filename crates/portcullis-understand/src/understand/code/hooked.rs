//! What clients add to each of their requests: headers that they were told once, functions that they run before. Owns which functions
//! those are, and which headers are no way to sign in.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    libraries::names_a_secret,
    services,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    text::{Taint, Text},
};

/// What such a function is handed.
const REQUEST: &str = "request under way";

/// The class of headers that are put together before.
const HEADERS: &str = "Headers";

/// How many additions are remembered, and how many functions of one call are run.
const ADDED: usize = 16;

const HOOKS: usize = 8;

/// Parts of a request that leave with it.
const PARTS: &[&str] = &["body", "data", "form", "json", "params", "searchParams", "url"];

impl Interpreter<'_, '_, '_> {
    /// Notices what a client is told for all requests: `axios.create({ headers })`, `got.extend({ hooks })`, `interceptors.request.use(f)`.
    pub(super) fn notice_hooks(&mut self, path: &str, given: &[Given], span: Span) {
        if self.language != "javascript" {
            return;
        }
        if let Some(client) = path.strip_suffix(".interceptors.request.use") {
            for one in given.iter().at_most(HOOKS, self.walk, span) {
                self.run_hook(client, &one.value, span);
            }
            return;
        }
        match (path, given) {
            (HEADERS, [all, ..]) => {
                return self.remember_added("Headers()", told_by_headers(&all.value));
            }
            ("Headers().set" | "Headers().append", [name, value, ..]) => {
                let name = name.value.as_known().unwrap_or_default();
                return self.remember_added("Headers()", one_header(name, &value.value));
            }
            _ => {}
        }
        if matches!(path, "URL().searchParams.set" | "URL().searchParams.append")
            && let [_, value, ..] = given
        {
            return self.remember_added("URL()", services::sent(&value.value));
        }
        if let Some(rest) = path.strip_prefix(REQUEST) {
            if matches!(rest, ".headers.set" | ".headers.append" | ".setHeader")
                && let [name, value, ..] = given
            {
                let name = name.value.as_known().unwrap_or_default().to_owned();
                self.add_to_request(&name, &value.value);
            }
            return;
        }
        if matches!(path.rsplit('.').next(), Some("create" | "extend" | "instance")) {
            for one in given.iter().at_most(HOOKS, self.walk, span) {
                let client = format!("{path}()");
                let text = self.added_by(&client, &one.value, span);
                self.remember_added(&client, text);
            }
        }
    }

    /// What the options of a client or a request add: headers that do not sign in, and what functions put there.
    pub(super) fn added_by(&mut self, client: &str, options: &Value, span: Span) -> Text {
        let mut text = Text::default();
        if let Some(headers) = options.entry("headers") {
            text.inherit(&told_by_headers(headers));
            if matches!(headers, Value::Name(path, _) if path.starts_with("Headers()")) {
                text.inherit(&self.added_to("Headers()"));
            }
        }
        let before = options.entry("hooks").and_then(|hooks| hooks.entry("beforeRequest"));
        let hooks = before.into_iter().chain(options.entry("transformRequest"));
        for hook in hooks.cloned().collect::<Vec<Value>>() {
            let each = match hook {
                Value::List(list) => list,
                one => vec![one],
            };
            for function in each.iter().at_most(HOOKS, self.walk, span) {
                self.run_hook(client, function, span);
            }
        }
        text
    }

    /// What a client adds to a request of this path.
    pub(super) fn added_to(&self, path: &str) -> Text {
        let client = path.rsplit_once('.').map_or(path, |(client, _)| client);
        let mut text = Text::default();
        for (of, added) in &self.seen.added {
            if of == client || of == path {
                text.inherit(added);
            }
        }
        text
    }

    /// `client.defaults.headers.common["x"] = value`, `config.headers.x = value` in a function that runs before each request.
    pub(super) fn adds_by_member(&mut self, path: &str, value: &Value) {
        if self.language != "javascript" {
            return;
        }
        let name = path.rsplit('.').next().unwrap_or_default();
        if path.strip_prefix(REQUEST).is_some_and(|rest| rest.starts_with('.')) {
            self.add_to_request(name, value);
        } else if let Some((client, _)) = path.split_once(".defaults.headers.") {
            let text = one_header(name, value);
            self.remember_added(client, text);
        }
    }

    fn run_hook(&mut self, client: &str, function: &Value, span: Span) {
        let Value::Function(index) = function else { return };
        let outer = self.seen.hooked.replace(client.to_owned());
        let request = Given { name: None, value: Value::name(REQUEST), span };
        let result = self.apply(*index, Some(&[request]));
        let mut text = Text::default();
        if let Some(headers) = result.entry("headers") {
            text.inherit(&told_by_headers(headers));
        }
        for part in PARTS.iter().filter_map(|part| result.entry(part)) {
            text.inherit(&services::sent(part));
        }
        if !matches!(result, Value::Function(_) | Value::Table(_)) {
            text.inherit(&result.text());
        }
        self.seen.hooked = outer;
        self.remember_added(client, text);
    }

    fn add_to_request(&mut self, name: &str, value: &Value) {
        let Some(client) = self.seen.hooked.clone() else { return };
        let text = match value {
            Value::Table(_) if name == "headers" => told_by_headers(value),
            _ => one_header(name, value),
        };
        self.remember_added(&client, text);
    }

    fn remember_added(&mut self, client: &str, text: Text) {
        if !text.taint.has(Taint::SECRET) {
            return;
        }
        if self.seen.added.len() >= ADDED {
            return self.limit();
        }
        self.seen.added.push((client.to_owned(), text));
    }
}

/// What headers say besides who sends them.
pub(super) fn told_by_headers(headers: &Value) -> Text {
    let mut text = Text::default();
    if let Value::Table(table) = headers {
        for (name, value) in table {
            text.inherit(&one_header(name, value));
        }
    }
    text
}

pub(super) fn one_header(name: &str, value: &Value) -> Text {
    let text = services::sent(value);
    let lower = name.to_ascii_lowercase();
    let signs_in = names_a_secret(name)
        || ["api", "auth", "cookie", "key", "sign", "token"]
            .iter()
            .any(|part| lower.contains(part));
    if text.taint.has(Taint::SECRET) && !signs_in { text } else { Text::default() }
}
