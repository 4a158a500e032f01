//! Who is asked, and within which limits. Owns the values that a configuration comes to; how they are written, `config` knows.

use std::{path::PathBuf, time::Duration};

use portcullis_core::{
    guardian::{Bands, Spend, Terms, Tokens},
    network::{AllowedHost, BadEntry, NetworkOptions, NetworkPolicy, Target},
};

use super::Provider;

/// A reviewer as it is configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which wire it speaks.
    pub provider: Provider,
    /// Where it is.
    pub base_url: String,
    /// Its model.
    pub model: String,
    /// Further headers, none of which holds a key.
    pub headers: Vec<(String, String)>,
    /// The proxy that leads to it.
    pub proxy: Option<String>,
    /// Where its key is found.
    pub key: KeySource,
    /// A file with the certificate authorities to trust, where they are not the system's.
    pub ca_file: Option<PathBuf>,
    /// Whether the host may have a private address although its name does not say so.
    pub allow_private: bool,
    /// What it may do.
    pub terms: Terms,
    /// How long a review may take from when it starts, with every attempt.
    pub timeout: Duration,
    /// How often a request is made at most, where it fails in a way that passes.
    pub attempts: u32,
    /// How long the first pause between attempts is; each one is twice as long as the one before.
    pub pause: Duration,
    /// How many reviews go on at once.
    pub concurrency: usize,
    /// What a session may spend.
    pub spend: Spend,
    /// The most tokens of an answer.
    pub max_output_tokens: u32,
    /// Whether the provider is asked to hold the model to the form of the answer.
    pub structured: bool,
    /// A cheaper model that looks first.
    pub first_look: Option<FirstLook>,
    /// What tokens cost.
    pub price: Option<Price>,
    /// The bands of a classifier.
    pub bands: Bands,
}

/// A cheaper model that looks first. What it does not pass is reviewed in full.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstLook {
    /// The model, at the same place.
    pub model: String,
    /// Below which score its word is enough.
    pub pass_below: f64,
}

/// What a million tokens cost, in whatever currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of the requests.
    pub input: f64,
    /// Of the answers.
    pub output: f64,
}

/// Where a key is found. Never in a configuration, an argument or a record.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum KeySource {
    /// None is needed.
    #[default]
    None,
    /// In a variable of the environment.
    Environment(String),
    /// In a file of this user alone.
    File(PathBuf),
}

impl Settings {
    /// A reviewer that differs from the defaults only in what it is.
    #[must_use]
    pub fn new(provider: Provider, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider,
            base_url: base_url.into(),
            model: model.into(),
            headers: Vec::new(),
            proxy: None,
            key: KeySource::None,
            ca_file: None,
            allow_private: false,
            terms: Terms::default(),
            timeout: Duration::from_secs(90),
            attempts: 3,
            pause: Duration::from_millis(200),
            concurrency: 4,
            spend: Spend::default(),
            max_output_tokens: 1_000,
            structured: provider.is_structured_by_default(),
            first_look: None,
            price: None,
            bands: Bands::default(),
        }
    }

    /// Where requests go.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.base_url.trim_end_matches('/'), self.provider.path())
    }

    /// What may be connected to: the host of the base URL at its port, the proxy, and nothing else. The host may be on this machine or network
    /// where it says so itself: an address, or `localhost`. A proxy is inside by what it is for.
    ///
    /// # Errors
    /// [`BadEntry`] where a host is none that can be allowed.
    pub fn network(
        &self,
        target: &Target,
        proxy: Option<&Target>,
    ) -> Result<NetworkPolicy, BadEntry> {
        let own = (target, self.allow_private || is_inside_by_itself(target));
        only_to(std::iter::once(own).chain(proxy.map(|proxy| (proxy, true))))
    }

    /// What so many tokens cost, where somebody said so.
    #[must_use]
    pub fn cost(&self, tokens: Tokens) -> Option<f64> {
        let Price { input, output } = self.price?;
        // Far below where a number of tokens is no longer exact.
        let count = |tokens: u64| f64::from(u32::try_from(tokens).unwrap_or(u32::MAX));
        Some((count(tokens.input) * input + count(tokens.output) * output) / 1_000_000.0)
    }
}

/// A policy under which nothing is connected to but these hosts at their ports; with each, whether it may have a private address.
///
/// # Errors
/// [`BadEntry`] where a host is none that can be allowed.
pub fn only_to<'t>(
    hosts: impl IntoIterator<Item = (&'t Target, bool)>,
) -> Result<NetworkPolicy, BadEntry> {
    let mut allowed_hosts: Vec<AllowedHost> = Vec::new();
    for (target, allow_private) in hosts {
        let (host, port) = (target.host().into_owned(), target.port());
        // A host has one entry, with every port of it.
        match allowed_hosts.iter_mut().find(|known| known.host == host) {
            Some(known) => {
                known.ports.push(port);
                known.allow_private &= allow_private;
            }
            None => allowed_hosts.push(AllowedHost { host, allow_private, ports: vec![port] }),
        }
    }
    NetworkPolicy::new(NetworkOptions {
        allowed_hosts,
        default_deny: true,
        ..NetworkOptions::default()
    })
}

/// Whether what is sent to a target leaves this machine unencrypted.
#[must_use]
pub fn crosses_openly(target: &Target) -> bool {
    let stays_here = target.address().is_some_and(|address| address.to_canonical().is_loopback())
        || target.host() == "localhost";
    !target.is_https() && !stays_here
}

/// Whether a host is one that can only be meant where it is: an address, or this machine by name.
#[must_use]
pub fn is_inside_by_itself(target: &Target) -> bool {
    target.address().is_some() || target.host() == "localhost"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_spoken_to_openly() {
        for (url, expected) in [
            ("http://127.0.0.1:4180", false),
            ("http://[::1]:4180", false),
            ("http://[::ffff:127.0.0.1]:4180", false),
            ("http://localhost:4180", false),
            ("https://gate.example", false),
            ("https://192.168.1.9", false),
            ("http://gate.example", true),
            ("http://192.168.1.9", true),
            ("http://8.8.8.8", true),
            ("http://0.0.0.0", true),
        ] {
            assert_eq!(crosses_openly(&Target::read(url).unwrap()), expected, "{url}");
        }
    }
}
