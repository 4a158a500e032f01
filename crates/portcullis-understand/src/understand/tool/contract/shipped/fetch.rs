//! Contracts of the tools of pages of the web.

use super::{Server, Tool};
use crate::contract::{Class, Meaning, Reach};

pub(super) static SERVER: Server = Server {
    names: &["fetch"],
    source: "https://github.com/modelcontextprotocol/servers/tree/main/src/fetch",
    foreign: true,
    reads: &[],
    changes: &[],
    tools: &[Tool::new("fetch", Class::Read, "page")
        .reaching(Reach::Outward)
        .with(&[("/url", Meaning::Url)])],
};
