//! Contracts of the tools of Zapier.

use super::{Server, Tool};
use crate::contract::Class;

pub(super) static SERVER: Server = Server {
    names: &["zapier"],
    source: "https://docs.zapier.com/mcp",
    foreign: true,
    reads: &[
        "discover_zapier_actions",
        "inspect_zapier_actions",
        "execute_zapier_read_action",
        "list_zapier_connections",
        "get_configuration_url",
        "list_zapier_skills",
        "get_zapier_skill",
    ],
    changes: &[],
    tools: &[
        Tool::new("execute_zapier_write_action", Class::Execute, "action"),
        Tool::new("enable_zapier_action", Class::Administer, "action"),
        Tool::new("disable_zapier_action", Class::Administer, "action"),
        Tool::new("auto_provision_mcp", Class::Administer, "actions"),
        Tool::new("manage_zapier_connections", Class::Administer, "connections"),
    ],
};
