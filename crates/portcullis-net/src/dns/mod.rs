//! From names to addresses, once. Owns the questions and answers on the wire, the file of hosts, and how long to wait. It keeps
//! nothing from one question to the next, so that an answer is never older than the connection it is for.
//!
//! This is no replacement for the whole of the system's resolver: of `nsswitch.conf` it follows `files` and `dns` alone, in
//! this order, and it puts no search domain behind a name. Names that only another source knows (LDAP, mDNS, containers of
//! systemd) have no address here. In return nothing is loaded into the process and no other process is asked.

mod message;
mod resolver;
mod system;

pub use message::{Question, Reply, parse_reply};
pub use resolver::{DnsError, Resolved, Resolver, ResolverOptions};
pub use system::system_servers;
