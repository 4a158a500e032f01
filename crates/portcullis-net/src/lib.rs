//! The only place that opens sockets outward: a resolver, a guarded client and an egress proxy. What an address is and where a
//! connection may lead, [`portcullis_core::network`] says; here nothing has a second opinion on it.
//!
//! ```text
//! Target ──judge──► name ──resolve once──► addresses ──all admitted──► connect ──peer checked──► stream
//! ```
//!
//! [`Guard::connect`] is the one way out: the client, the proxy and everything else here come by it. It reads no environment
//! variable, so that none makes it take a detour.

mod budget;
mod client;
mod dns;
mod failure;
mod guard;
mod headers;
mod inflate;
pub mod proxy;
mod random;
mod tls;

pub use budget::{Meter, Spent, ThisProcess, Usage, Whose};
pub use client::{Client, Hop, Limits, Progress, Request, Response, Stream};
pub use dns::{
    DnsError, Question, Reply, Resolved, Resolver, ResolverOptions, parse_reply, system_servers,
};
pub use failure::Failure;
pub use guard::{Guard, GuardOptions};
pub use headers::{SAFE_ACROSS_ORIGINS, is_safe_across_origins};
pub use tls::{Roots, TlsError, client_config, client_config_for_anybody};
