//! Contracts of the tools of a MySQL database.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["mysql", "mariadb"],
    source: "https://github.com/benborla/mcp-server-mysql",
    foreign: false,
    reads: &[],
    changes: &[],
    tools: &[Tool::new("mysql_query", Class::Execute, "statement").with(&[("/sql", Meaning::Sql)])],
};
