//! Contracts of the tools of Google Drive.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["drive", "gdrive", "google-drive", "google-workspace"],
    source: "https://github.com/taylorwilsdon/google_workspace_mcp",
    foreign: true,
    reads: &[
        "search",
        "list_drive_items",
        "search_drive_files",
        "get_drive_file_content",
        "list_docs_in_folder",
        "search_docs",
        "get_doc_content",
        "get_drive_file_permissions",
        "list_calendars",
        "get_events",
    ],
    changes: &["create_doc"],
    tools: &[
        Tool::new("create_drive_file", Class::Change, "file")
            .with(&[("/content", Meaning::Content), ("/fileUrl", Meaning::Url)]),
        Tool::new("share_drive_file", Class::Share, "file")
            .with(&[("/share_with", Meaning::Recipient), ("/role", Meaning::Permission)]),
        Tool::new("batch_share_drive_file", Class::Share, "file")
            .with(&[("/recipients/*/email", Meaning::Recipient)]),
        Tool::new("update_drive_permission", Class::Share, "file"),
        Tool::new("remove_drive_permission", Class::Administer, "file"),
        Tool::new("transfer_drive_ownership", Class::Administer, "file")
            .with(&[("/new_owner_email", Meaning::Recipient)]),
        Tool::new("create_event", Class::Change, "event")
            .with(&[("/attendees/*", Meaning::Recipient)]),
        Tool::new("modify_event", Class::Change, "event")
            .with(&[("/attendees/*", Meaning::Recipient)]),
        Tool::new("delete_event", Class::Delete, "event"),
        Tool::new("send_gmail_message", Class::Send, "e-mail").with(&[
            ("/to", Meaning::Recipient),
            ("/cc", Meaning::Recipient),
            ("/bcc", Meaning::Recipient),
            ("/body", Meaning::Text),
        ]),
    ],
};
