//! Contracts of the tools of Figma.

use super::{Server, Tool};
use crate::contract::{Class, Meaning, Reach};

pub(super) static SERVER: Server = Server {
    names: &["figma"],
    source: "https://github.com/GLips/Figma-Context-MCP",
    foreign: true,
    reads: &[
        "get_figma_data",
        "get_design_context",
        "get_metadata",
        "get_screenshot",
        "get_variable_defs",
        "get_code_connect_map",
    ],
    changes: &["add_code_connect_map"],
    tools: &[Tool::new("download_figma_images", Class::Change, "images")
        .reaching(Reach::Local)
        .with(&[("/localPath", Meaning::Path)])],
};
