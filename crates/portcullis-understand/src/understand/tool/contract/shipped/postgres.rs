//! Contracts of the tools of a PostgreSQL database.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["postgres", "postgresql"],
    source: "https://github.com/crystaldba/postgres-mcp",
    foreign: false,
    reads: &[
        "analyze_db_health",
        "analyze_query_indexes",
        "analyze_workload_indexes",
        "explain_query",
        "get_object_details",
        "get_top_queries",
        "list_objects",
        "list_schemas",
    ],
    changes: &[],
    tools: &[
        Tool::new("query", Class::Execute, "statement").with(&[("/sql", Meaning::Sql)]),
        Tool::new("execute_sql", Class::Execute, "statement").with(&[("/sql", Meaning::Sql)]),
    ],
};
