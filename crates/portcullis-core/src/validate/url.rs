//! Addresses that are connected to. Owns which part of the network policy one tool may use; what an address is, `network` says. The
//! list of hosts comes before any name server is asked.

use serde::Deserialize;

use super::Refused;
use crate::network::{Admission, AllowedHost, NetworkOptions, NetworkPolicy};

const KIND: &str = "url";

/// What a URL may be.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct UrlRules {
    /// The only hosts that may be reached (`example.com`, `*.example.com`); any public one where none is named.
    pub hosts: Vec<String>,
    /// Ports beside those of the web.
    pub ports: Vec<u16>,
    /// Whether `http` is enough.
    pub http: bool,
}

impl UrlRules {
    /// The policy that a URL is judged under, and its connection made.
    ///
    /// # Errors
    /// [`Refused`] where a host of the rules is none.
    pub fn policy(&self) -> Result<NetworkPolicy, Refused> {
        let allowed = |host: &String| AllowedHost { host: host.clone(), ..AllowedHost::default() };
        NetworkPolicy::new(NetworkOptions {
            allowed_hosts: self.hosts.iter().map(allowed).collect(),
            default_deny: !self.hosts.is_empty(),
            require_https: !self.http,
            ports: self.ports.clone(),
            ..NetworkOptions::default()
        })
        .map_err(|error| Refused::new(KIND, error.to_string()))
    }

    /// Holds a URL to the rules, as it is written: what its name resolves to is seen when it is connected to.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, url: &str) -> Result<(), Refused> {
        match self.policy()?.judge(url).outcome {
            Ok(Admission::Address(_) | Admission::Name) => Ok(()),
            Err(refusal) => Err(Refused::new(KIND, refusal.to_string())),
        }
    }
}
