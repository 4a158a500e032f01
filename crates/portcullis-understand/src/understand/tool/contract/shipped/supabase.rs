//! Contracts of the tools of Supabase.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["supabase"],
    source: "https://github.com/supabase-community/supabase-mcp",
    foreign: false,
    reads: &[
        "generate_typescript_types",
        "get_advisors",
        "get_cost",
        "get_edge_function",
        "get_logs",
        "get_organization",
        "get_project",
        "get_project_url",
        "get_publishable_keys",
        "get_storage_config",
        "list_branches",
        "list_edge_functions",
        "list_extensions",
        "list_migrations",
        "list_organizations",
        "list_projects",
        "list_storage_buckets",
        "list_tables",
        "search_docs",
        "confirm_cost",
    ],
    changes: &[],
    tools: &[
        Tool::new("execute_sql", Class::Execute, "statement").with(&[("/query", Meaning::Sql)]),
        Tool::new("apply_migration", Class::Execute, "migration").with(&[("/query", Meaning::Sql)]),
        Tool::new("create_project", Class::Pay, "project"),
        Tool::new("create_branch", Class::Pay, "branch"),
        Tool::new("delete_branch", Class::Delete, "branch"),
        Tool::new("merge_branch", Class::Merge, "branch"),
        Tool::new("rebase_branch", Class::Change, "branch"),
        Tool::new("reset_branch", Class::Delete, "branch"),
        Tool::new("pause_project", Class::Administer, "project"),
        Tool::new("restore_project", Class::Administer, "project"),
        Tool::new("deploy_edge_function", Class::Publish, "function")
            .with(&[("/files/*/name", Meaning::FileThere), ("/files/*/content", Meaning::Content)]),
        Tool::new("update_storage_config", Class::Administer, "storage"),
    ],
};
