//! Contracts of the tools of a browser with its tools for developers.

use super::{Server, Tool};
use crate::contract::{Class, Meaning, Reach};

pub(super) static SERVER: Server = Server {
    names: &["chrome", "chrome-devtools"],
    source: "https://github.com/ChromeDevTools/chrome-devtools-mcp",
    foreign: true,
    reads: &[
        "hover",
        "wait_for",
        "list_pages",
        "select_page",
        "close_page",
        "emulate",
        "resize_page",
        "performance_analyze_insight",
        "performance_start_trace",
        "performance_stop_trace",
        "get_network_request",
        "list_network_requests",
        "get_console_message",
        "lighthouse_audit",
        "list_console_messages",
        "take_screenshot",
        "take_snapshot",
        "screencast_start",
        "screencast_stop",
        "take_heapsnapshot",
        "list_extensions",
        "list_webmcp_tools",
    ],
    changes: &[
        "click",
        "click_at",
        "drag",
        "fill",
        "fill_form",
        "handle_dialog",
        "press_key",
        "type_text",
        "reload_extension",
    ],
    tools: &[
        Tool::new("navigate_page", Class::Read, "page")
            .reaching(Reach::Outward)
            .with(&[("/url", Meaning::Url)]),
        Tool::new("new_page", Class::Read, "page")
            .reaching(Reach::Outward)
            .with(&[("/url", Meaning::Url)]),
        Tool::new("evaluate_script", Class::Execute, "page")
            .with(&[("/function", Meaning::PageScript)]),
        Tool::new("upload_file", Class::Change, "file").with(&[("/filePath", Meaning::Path)]),
        Tool::new("install_extension", Class::Execute, "extension")
            .with(&[("/path", Meaning::Path)]),
        Tool::new("uninstall_extension", Class::Delete, "extension").reversibly(true),
        Tool::new("trigger_extension_action", Class::Execute, "extension"),
        Tool::new("execute_webmcp_tool", Class::Execute, "tool"),
        Tool::new("install_pwa", Class::Execute, "application"),
        Tool::new("launch_pwa", Class::Change, "application"),
        Tool::new("uninstall_pwa", Class::Delete, "application").reversibly(true),
    ],
};
