//! Contracts of the tools of Linear.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["linear"],
    source: "https://github.com/jerhadf/linear-mcp-server",
    foreign: true,
    reads: &[
        "linear_get_user_issues",
        "linear_search_issues",
        "get_issue",
        "list_issues",
        "list_my_issues",
        "get_project",
        "list_projects",
        "get_team",
        "list_teams",
        "list_comments",
        "list_cycles",
        "list_users",
        "get_user",
        "list_documents",
        "get_document",
        "search_documentation",
    ],
    changes: &[
        "linear_create_issue",
        "linear_update_issue",
        "create_issue",
        "update_issue",
        "create_project",
        "update_project",
        "create_issue_label",
        "create_document",
        "update_document",
        "create_attachment",
    ],
    tools: &[
        Tool::new("linear_add_comment", Class::Send, "comment").with(&[("/body", Meaning::Text)]),
        Tool::new("create_comment", Class::Send, "comment").with(&[("/body", Meaning::Text)]),
        Tool::new("delete_comment", Class::Delete, "comment"),
    ],
};
