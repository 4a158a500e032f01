//! The guard against name servers and web servers that mean harm: all of them real, on loopback addresses, and stopped with the
//! test. Beside what is refused, a listener counts who calls: it must stay untouched.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

mod browser;
mod hostile;
mod names;
mod proxy;
mod redirects;
mod running;
mod server;
mod tls;

use std::{net::SocketAddr, time::Duration};

use portcullis_core::network::{AllowedHost, NetworkOptions, NetworkPolicy};
use portcullis_net::{Client, GuardOptions, Limits, ResolverOptions, Roots};

/// The hosts that may be on this machine, and no others.
pub(crate) const OURS: [&str; 2] = ["good.example.com", "other.example.com"];

/// A policy under which [`OURS`] may be on this machine, at any of the ports, and 127.0.0.2 is never reached.
pub(crate) fn policy(ports: &[u16]) -> NetworkPolicy {
    NetworkPolicy::new(NetworkOptions {
        allowed_hosts: OURS
            .iter()
            .map(|host| AllowedHost {
                host: (*host).to_owned(),
                allow_private: true,
                ports: Vec::new(),
            })
            .collect(),
        extra_blocked_hosts: vec!["127.0.0.2".to_owned()],
        ports: ports.to_vec(),
        ..NetworkOptions::default()
    })
    .unwrap()
}

/// How the way out is made in tests: by one name server, which is waited for however busy the machine is.
pub(crate) fn guard(name_server: SocketAddr, ports: &[u16]) -> GuardOptions {
    GuardOptions {
        policy: policy(ports),
        resolver: ResolverOptions {
            servers: vec![name_server],
            hosts_file: false,
            patience: Duration::from_secs(20),
            timeout: Duration::from_secs(60),
            ..ResolverOptions::default()
        },
        connect_timeout: Duration::from_secs(5),
    }
}

pub(crate) fn client(name_server: SocketAddr, ports: &[u16], roots: Roots) -> Client {
    Client::new(guard(name_server, ports), roots, Limits::default())
}
