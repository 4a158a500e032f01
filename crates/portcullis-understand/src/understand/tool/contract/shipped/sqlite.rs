//! Contracts of the tools of an SQLite database.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["sqlite"],
    source: "https://github.com/modelcontextprotocol/servers-archived/tree/main/src/sqlite",
    foreign: false,
    reads: &["list_tables", "describe_table"],
    changes: &["append_insight"],
    tools: &[
        Tool::new("read_query", Class::Execute, "statement").with(&[("/query", Meaning::Sql)]),
        Tool::new("write_query", Class::Execute, "statement").with(&[("/query", Meaning::Sql)]),
        Tool::new("create_table", Class::Execute, "statement").with(&[("/query", Meaning::Sql)]),
    ],
};
