//! Connections on which nobody checks who answers. Owns what turns the checking of certificates off, for one client, for one request or for
//! the whole process, and which requests then carry a secret to a machine that lies elsewhere: whoever is on the way reads it.
//!
//! What is turned off once counts for the whole script, wherever it stands: functions are read in no certain order.

use portcullis_syntax::Span;

use super::{
    interpreter::{Interpreter, Takes},
    value::{Given, Value},
};
use crate::{
    address,
    network::hosts::{self, HostKind},
    programs::host::Host,
    text::{Taint, Text},
};

/// How many clients without checks, and requests with a secret, are remembered.
const REMEMBERED: usize = 64;

/// Modules of which a client's own `verify` is meant.
const CLIENTS: &[&str] = &[
    "aiohttp",
    "boto3",
    "botocore",
    "elasticsearch",
    "hvac",
    "httpx",
    "opensearchpy",
    "requests",
    "urllib3",
];

/// Modules whose functions and methods stand between a script and a server.
const BETWEEN: &[&str] = &[
    "aiohttp",
    "axios",
    "got",
    "http",
    "https",
    "httpx",
    "node-fetch",
    "requests",
    "ssl",
    "tls",
    "undici",
    "urllib",
    "urllib3",
];

/// A request that carries a secret.
#[derive(Debug)]
pub(super) struct Carried {
    /// What was called.
    path: String,
    /// It was told itself not to check.
    is_unchecked: bool,
    at: Span,
}

/// What of a script only matters together: clients that do not check, and secrets on their way.
#[derive(Debug, Default)]
pub(super) struct Unchecked {
    /// Nothing in the whole process checks.
    everything: bool,
    /// What does not, by the beginning of its name.
    clients: Vec<String>,
    carried: Vec<Carried>,
    /// Clients that were told once what they sign in with.
    signed: Vec<String>,
    /// Where PHP's own client was pointed at last.
    pointed: Text,
    /// Functions are read that stand in the place of a client's own.
    within: bool,
}

impl Interpreter<'_, '_, '_> {
    /// A member of something gets a value: a switch, an agent, or a function in the place of the client's own.
    pub(super) fn member_stops_checks(&mut self, path: &str, value: &Value, span: Span) {
        let Some((owner, name)) = path.rsplit_once('.') else { return };
        let module = owner.split(['.', '(']).next().unwrap_or_default();
        // `session.headers["Authorization"] = …`
        if value.taint().has(Taint::SECRET)
            && let Some((client, _)) =
                path.split_once(".headers").or_else(|| path.split_once(".auth"))
        {
            self.signs_in(client.strip_suffix(".defaults").unwrap_or(client));
        }
        // A function that is called in the place of theirs turns off what it likes.
        if let Value::Function(index) = value
            && BETWEEN.contains(&module)
            && !self.unchecked.within
        {
            if name == "checkServerIdentity" {
                return self.nothing_checks(span);
            }
            self.unchecked.within = true;
            let single = self.functions.get(*index).map_or(0, |function| {
                function.parameters.iter().filter(|it| it.takes == Takes::One).count()
            });
            let value = Value::unknown("what it is called with");
            let given = vec![Given { name: None, value, span }; single];
            let gives = self.apply(*index, Some(&given));
            if self.is_unchecked(&gives) {
                self.nothing_checks(span);
            }
            self.unchecked.within = false;
            return;
        }
        let of_environment = matches!(owner, "os.environ" | "process.env");
        if of_environment {
            let variable = matches!(name, "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY");
            if variable && value.text().as_known() == Some("0") {
                self.nothing_checks(span);
            }
            return;
        }
        if path == "ssl._create_default_https_context" || path.ends_with("https.globalAgent") {
            let unverified =
                matches!(value, Value::Name(it, _) if it.contains("_create_unverified_context"));
            if unverified || self.is_unchecked(value) {
                self.nothing_checks(span);
            }
            return;
        }
        let module = if self.is_of_client(owner) { "requests" } else { module };
        if turns_off(module, name, value) || name != "verify" && turns_off("requests", name, value)
        {
            let is_for_all = owner.contains("globalAgent") || self.is_of_client(owner);
            return match is_for_all {
                true => self.nothing_checks(span),
                false => self.does_not_check(owner, span),
            };
        }
        // `axios.defaults.httpsAgent = agent`
        if self.is_unchecked(value) {
            let client = owner.strip_suffix(".defaults").unwrap_or(owner).to_owned();
            self.does_not_check(&client, span);
        }
    }

    /// An entry of a table gets a value, in a function that stands in the place of a client's own: `kwargs["verify"] = False`.
    pub(super) fn entry_stops_checks(&mut self, key: &str, value: &Value, span: Span) {
        if self.unchecked.within && turns_off("requests", key, value) {
            self.nothing_checks(span);
        }
    }

    /// The same by a method of the table: `kwargs.update(verify=False)`, `kwargs.setdefault("verify", False)`.
    pub(super) fn method_stops_checks(&mut self, given: &[Given], span: Span) {
        if !self.unchecked.within {
            return;
        }
        if let [key, value] = given
            && let Some(key) = key.value.as_known()
        {
            self.entry_stops_checks(key, &value.value, span);
        }
        if self.is_told_not_to_check("", given) {
            self.nothing_checks(span);
        }
    }

    /// Notices what a call turns off for itself, for what it makes, or for all.
    pub(super) fn call_stops_checks(&mut self, path: &str, given: &[Given], span: Span) {
        if self.language == "php" && path.starts_with("curl_") {
            return self.options_of_curl(path, given, span);
        }
        // `session.headers.update(…)`, `axios.create({ headers })`
        let client = path.strip_suffix(".headers.update").map_or_else(
            || {
                let module = path.split(['.', '(']).next().unwrap_or_default();
                BETWEEN.contains(&module).then(|| format!("{path}()"))
            },
            |client| Some(client.to_owned()),
        );
        if let Some(client) = client
            && given.iter().any(|one| one.value.taint().has(Taint::SECRET))
        {
            self.signs_in(&client);
        }
        let is_off = self.is_told_not_to_check(path, given);
        if path == "ssl._create_unverified_context" {
            return self.does_not_check("ssl._create_unverified_context()", span);
        }
        if !is_off {
            return;
        }
        let last = path.rsplit('.').next().unwrap_or_default();
        let whole = || match given.first().map(|first| &first.value) {
            Some(Value::Name(whole, _)) => Some(whole.to_string()),
            _ => None,
        };
        // `functools.partialmethod(requests.Session.request, verify=False)`: what it is put in the place of is what it was made of.
        if is_partial(path) {
            if let Some(whole) = whole()
                && whole.split('.').any(|part| part.starts_with(char::is_uppercase))
            {
                self.nothing_checks(span);
            }
        } else if self.unchecked.within || matches!(last, "setGlobalDispatcher") {
            self.nothing_checks(span);
        } else {
            // What is opened was made before.
            if last == "urlopen" {
                self.does_not_check("urllib.request.Request", span);
            }
            self.does_not_check(&format!("{path}()"), span);
        }
    }

    /// `curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false)`, and the secrets that such a client is told to send. (php.net, "cURL constants")
    fn options_of_curl(&mut self, path: &str, given: &[Given], span: Span) {
        let option = |name: &str, value: &Value| match name {
            "CURLOPT_SSL_VERIFYHOST" | "CURLOPT_SSL_VERIFYPEER" => (is_no(value), false),
            "CURLOPT_HTTPHEADER"
            | "CURLOPT_POSTFIELDS"
            | "CURLOPT_USERPWD"
            | "CURLOPT_XOAUTH2_BEARER" => (false, value.taint().has(Taint::SECRET)),
            _ => (false, false),
        };
        let said: Vec<(bool, bool)> = match (path, given) {
            ("curl_init", [address, ..]) => {
                self.unchecked.pointed = address.value.text();
                return;
            }
            ("curl_setopt", [_, name, value, ..]) => match &name.value {
                Value::Name(name, _) if &**name == "CURLOPT_URL" => {
                    self.unchecked.pointed = value.value.text();
                    return;
                }
                Value::Name(name, _) => vec![option(name, &value.value)],
                _ => return,
            },
            ("curl_setopt_array", [_, options]) => match &options.value {
                Value::Table(table) => table.iter().map(|(name, it)| option(name, it)).collect(),
                _ => return,
            },
            _ => return,
        };
        if said.iter().any(|(is_off, _)| *is_off) {
            self.nothing_checks(span);
        }
        if said.iter().any(|(_, is_secret)| *is_secret) {
            let to = self.unchecked.pointed.clone();
            let secret = Text { taint: Taint::SECRET, ..Text::default() };
            self.carries_secret("curl_exec", &[], &to, &secret, span);
        }
    }

    /// A request goes out: remembers it where it carries a secret to another machine.
    pub(super) fn carries_secret(
        &mut self,
        path: &str,
        given: &[Given],
        to: &Text,
        added: &Text,
        span: Span,
    ) {
        let is_secret = added.taint.has(Taint::SECRET)
            || self.unchecked.signed.iter().any(|client| is_below(path, client))
            || given.iter().any(|one| one.value.taint().has(Taint::SECRET));
        let leads_away = address::host(to)
            .is_some_and(|host| !matches!(hosts::kind(&host), HostKind::Local | HostKind::Private));
        if !is_secret || !leads_away {
            return;
        }
        if self.unchecked.carried.len() >= REMEMBERED {
            return self.limit();
        }
        let is_unchecked = self.is_told_not_to_check(path, given);
        self.unchecked.carried.push(Carried { path: path.to_owned(), is_unchecked, at: span });
    }

    /// Says what went out where nobody checked.
    pub(super) fn finish_unchecked(&mut self) {
        let adapts = self.bases.values().any(|base| base.ends_with("HTTPAdapter"));
        let unchecked = &self.unchecked;
        let everything = unchecked.everything || adapts && !unchecked.clients.is_empty();
        let found = unchecked.carried.iter().find(|one| {
            everything
                || one.is_unchecked
                || unchecked.clients.iter().any(|client| is_below(&one.path, client))
        });
        if let Some(at) = found.map(|one| one.at) {
            self.walk.note("exfiltration.secret.unchecked", at);
        }
    }

    /// Whether what a call is given says that nobody checks.
    fn is_told_not_to_check(&self, path: &str, given: &[Given]) -> bool {
        let partly = match given.first().map(|first| &first.value) {
            Some(Value::Name(whole, _)) if is_partial(path) => Some(whole),
            _ => None,
        };
        let module = partly.map_or(path, AsRef::as_ref);
        let module = module.split(['.', '(']).next().unwrap_or_default();
        let module = if self.unchecked.within { "requests" } else { module };
        given.iter().any(|one| {
            one.name.as_deref().is_some_and(|name| turns_off(module, name, &one.value))
                || self.is_unchecked(&one.value)
        })
    }

    /// Whether a value is a client, an agent or options without checks.
    fn is_unchecked(&self, value: &Value) -> bool {
        match value {
            Value::Name(path, _) => {
                self.unchecked.clients.iter().any(|client| is_below(path, client))
            }
            Value::Table(table) => table.iter().any(|(name, value)| {
                turns_off("", name, value)
                    || self.unchecked.within && turns_off("requests", name, value)
                    || self.is_unchecked(value)
            }),
            Value::List(list) | Value::Any(list) => {
                list.iter().any(|value| self.is_unchecked(value))
            }
            _ => false,
        }
    }

    /// Whether a name is a client's class, or the object of a class that the script makes from one: `requests.Session`, `self`.
    fn is_of_client(&self, owner: &str) -> bool {
        let is_client = |path: &str| CLIENTS.contains(&path.split('.').next().unwrap_or_default());
        match owner {
            "self" | "cls" => self.bases.values().any(|base| is_client(base)),
            owner => is_client(owner) && !owner.contains('('),
        }
    }

    fn signs_in(&mut self, client: &str) {
        if self.unchecked.signed.iter().any(|known| known == client) {
            return;
        }
        if self.unchecked.signed.len() >= REMEMBERED {
            return self.limit();
        }
        self.unchecked.signed.push(client.to_owned());
    }

    fn nothing_checks(&mut self, span: Span) {
        if !self.unchecked.everything {
            self.unchecked.everything = true;
            self.walk.note("code.security.disabled", span);
        }
    }

    fn does_not_check(&mut self, client: &str, span: Span) {
        if self.unchecked.clients.iter().any(|known| known == client) {
            return;
        }
        if self.unchecked.clients.len() >= REMEMBERED {
            return self.limit();
        }
        self.unchecked.clients.push(client.to_owned());
        self.walk.note("code.security.disabled", span);
    }
}

/// Whether a function that gives others some of their arguments is called.
fn is_partial(path: &str) -> bool {
    matches!(path, "functools.partial" | "functools.partialmethod" | "partial" | "partialmethod")
}

/// Whether a name is that of a client, or of something reached through it.
fn is_below(path: &str, client: &str) -> bool {
    path.strip_prefix(client)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '[']))
}

/// Whether an option of this name, for a function of `module`, turns the checks off.
fn turns_off(module: &str, name: &str, value: &Value) -> bool {
    match name {
        "verify" => CLIENTS.contains(&module) && is_no(value),
        "ssl" => module == "aiohttp" && is_no(value),
        "verify_mode" | "cert_reqs" => match value {
            Value::Name(path, _) => path.ends_with("CERT_NONE"),
            value => value.as_known() == Some("CERT_NONE"),
        },
        "check_hostname" | "rejectUnauthorized" | "strictSSL" | "verify_certs" | "verify_ssl" => {
            is_no(value)
        }
        _ => false,
    }
}

/// Whether it is `false` and not merely nothing.
fn is_no(value: &Value) -> bool {
    match value {
        Value::Name(path, _) => matches!(path.as_ref(), "False" | "false"),
        Value::Number(number) => *number == 0,
        _ => false,
    }
}
