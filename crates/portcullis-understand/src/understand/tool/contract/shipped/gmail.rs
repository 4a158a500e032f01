//! Contracts of the tools of Gmail.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["gmail"],
    source: "https://github.com/GongRzhe/Gmail-MCP-Server",
    foreign: true,
    reads: &[
        "download_attachment",
        "get_filter",
        "list_email_labels",
        "list_filters",
        "read_email",
        "search_emails",
    ],
    changes: &[
        "batch_modify_emails",
        "create_label",
        "delete_label",
        "draft_email",
        "get_or_create_label",
        "modify_email",
        "update_label",
    ],
    tools: &[
        Tool::new("send_email", Class::Send, "e-mail").with(&[
            ("/to/*", Meaning::Recipient),
            ("/cc/*", Meaning::Recipient),
            ("/bcc/*", Meaning::Recipient),
            ("/subject", Meaning::Text),
            ("/body", Meaning::Text),
            ("/htmlBody", Meaning::Text),
            ("/attachments/*", Meaning::Path),
        ]),
        Tool::new("delete_email", Class::Delete, "e-mail"),
        Tool::new("batch_delete_emails", Class::Delete, "e-mails"),
        Tool::new("create_filter", Class::Administer, "filter")
            .with(&[("/action/forward", Meaning::Recipient)]),
        Tool::new("create_filter_from_template", Class::Administer, "filter"),
        Tool::new("delete_filter", Class::Delete, "filter"),
    ],
};
