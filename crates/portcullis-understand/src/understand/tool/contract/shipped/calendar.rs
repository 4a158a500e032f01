//! Contracts of the tools of Google Calendar.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["calendar", "google-calendar", "gcal"],
    source: "https://github.com/nspady/google-calendar-mcp",
    foreign: true,
    reads: &[
        "get-current-time",
        "get-event",
        "get-freebusy",
        "list-calendars",
        "list-colors",
        "list-events",
        "search-events",
    ],
    changes: &["respond-to-event", "manage-accounts"],
    tools: &[
        Tool::new("create-event", Class::Change, "event")
            .with(&[("/attendees/*/email", Meaning::Recipient)]),
        Tool::new("create-events", Class::Change, "events")
            .with(&[("/events/*/attendees/*/email", Meaning::Recipient)]),
        Tool::new("update-event", Class::Change, "event")
            .with(&[("/attendees/*/email", Meaning::Recipient)]),
        Tool::new("delete-event", Class::Delete, "event"),
    ],
};
