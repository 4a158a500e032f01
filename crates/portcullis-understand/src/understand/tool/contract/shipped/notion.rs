//! Contracts of the tools of Notion.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["notion"],
    source: "https://github.com/makenotion/notion-mcp-server",
    foreign: true,
    reads: &[
        "api-get-block-children",
        "api-get-self",
        "api-get-user",
        "api-get-users",
        "api-list-data-source-templates",
        "api-post-search",
        "api-query-data-source",
        "api-post-database-query",
        "api-retrieve-a-block",
        "api-retrieve-a-comment",
        "api-retrieve-a-data-source",
        "api-retrieve-a-database",
        "api-retrieve-a-page",
        "api-retrieve-a-page-property",
        "api-retrieve-page-markdown",
        "notion-search",
        "notion-fetch",
        "notion-get-comments",
        "notion-get-users",
        "notion-get-self",
    ],
    changes: &[
        "api-create-a-data-source",
        "api-move-page",
        "api-patch-block-children",
        "api-patch-page",
        "api-post-page",
        "api-update-a-block",
        "api-update-a-data-source",
        "api-update-page-markdown",
        "notion-create-pages",
        "notion-update-page",
        "notion-move-pages",
        "notion-duplicate-page",
        "notion-create-database",
        "notion-update-database",
    ],
    tools: &[
        Tool::new("api-create-a-comment", Class::Send, "comment")
            .with(&[("/rich_text/*/text/content", Meaning::Text)]),
        Tool::new("notion-create-comment", Class::Send, "comment"),
        Tool::new("api-delete-a-block", Class::Delete, "block").reversibly(true),
    ],
};
