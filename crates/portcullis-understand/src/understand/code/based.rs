//! Clients that were told where all of their requests go. Owns what remembers it, and the whole address of a request.

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::Text;

/// How clients are told the beginning of every address.
const NAMES: &[&str] = &["baseURL", "baseUrl", "base_url", "prefixUrl", "prefix_url", "url_base"];

/// How many clients are remembered.
const CLIENTS: usize = 16;

impl Interpreter<'_, '_, '_> {
    /// `httpx.Client(base_url="https://api.example.com")`, `axios.create({baseURL: …})`.
    pub(super) fn notice_base(&mut self, path: &str, given: &[Given]) {
        let named = given.iter().find_map(|it| {
            let by_name = it.name.as_deref().is_some_and(|name| NAMES.contains(&name));
            let entry = || NAMES.iter().find_map(|name| it.value.entry(name));
            if by_name { Some(&it.value) } else { entry() }
        });
        // `aiohttp.ClientSession("https://api.example.com")`
        let first = || given.first().filter(|it| it.name.is_none()).map(|it| &it.value);
        let base = named.or_else(|| first().filter(|_| path == "aiohttp.ClientSession"));
        // A host alone: `http.client.HTTPSConnection("api.example.com")`.
        let scheme = match path {
            "http.client.HTTPConnection" => Some("http://"),
            "http.client.HTTPSConnection" => Some("https://"),
            _ => None,
        };
        if let (Some(scheme), Some(host)) = (scheme, first())
            && self.seen.bases.len() <= CLIENTS
        {
            let mut base = Text::known(scheme);
            base.append(&host.text());
            self.seen.bases.push((format!("{path}()"), base));
        }
        // `new Client("https://api.example.com")`, `connect("wss://example.com")`: what makes a client is told its address first.
        let name = path.rsplit('.').next().unwrap_or_default();
        let makes = self.modules.contains(path)
            || name.starts_with(|letter: char| letter.is_ascii_uppercase())
            || matches!(name, "client" | "connect" | "io");
        let told = || {
            first().filter(|value| {
                let text = value.text();
                let scheme = text.known_prefix().split_once("://").map(|(scheme, _)| scheme);
                scheme.is_some_and(|it| matches!(it, "http" | "https" | "ws" | "wss"))
            })
        };
        let base = base.or_else(|| {
            let is_of_library = makes && self.module_in(path).is_some();
            told().filter(|_| is_of_library && self.language == "javascript")
        });
        if let Some(base) = base
            && self.seen.bases.len() <= CLIENTS
        {
            self.seen.bases.push((format!("{path}()"), base.text()));
        }
    }

    /// `client.base_url = "https://api.example.com"`, `client.defaults.baseURL = …`: another beginning for the same client.
    pub(super) fn points_anew(&mut self, path: &str, value: &Value) {
        let Some((client, name)) = path.rsplit_once('.') else { return };
        if NAMES.contains(&name) && self.seen.bases.len() <= CLIENTS {
            let client = client.strip_suffix(".defaults").unwrap_or(client);
            self.seen.bases.push((client.to_owned(), value.text()));
        }
    }

    /// The address of a request, behind what its client was told.
    pub(super) fn whole_address(&self, path: &str, address: Text) -> Text {
        if address.known_prefix().contains("://")
            || address.known_prefix().is_empty() && !address.is_empty()
        {
            return address;
        }
        // A host of its own, by the scheme of before.
        if address.known_prefix().starts_with("//") {
            let mut whole = Text::known("https:");
            whole.append(&address);
            return whole;
        }
        // Of more clients than are remembered, each may be told anything.
        if self.seen.bases.len() > CLIENTS {
            return Text::unknown("an address");
        }
        let Some((client, _)) = path.rsplit_once('.') else { return address };
        let mut bases = self.seen.bases.iter().filter(|(of, _)| of == client).map(|(_, base)| base);
        let Some(base) = bases.next() else { return address };
        // Of several clients that are called alike it may be either.
        if bases.any(|other| other != base) {
            return Text::unknown("an address");
        }
        let mut whole = base.clone();
        if !base.known_prefix().ends_with('/') && !address.known_prefix().starts_with('/') {
            whole.push_known("/");
        }
        whole.append(&address);
        whole
    }
}
