//! The gateway as a process of its own, spoken to over loopback as any client would.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test may fail by panicking, and says what it could not try"
)]

#[cfg(unix)]
mod alone;
mod attacks;
mod cedar;
mod central;
mod chat;
mod client;
#[cfg(all(unix, feature = "postgres"))]
#[path = "../../../portcullis-engine/tests/postgres/cluster.rs"]
mod cluster;
mod contract;
mod faults;
mod figures;
mod guards;
mod hooks;
mod inbox;
#[cfg(unix)]
mod kept;
#[cfg(unix)]
mod mcp;
mod page;
mod policy;
mod races;
mod remote;
#[cfg(all(unix, feature = "postgres"))]
mod shared;
mod talk;
mod team;
mod telemetry;
mod weight;
