//! Contracts of the tools of files of this machine.

use super::{Server, Tool};
use crate::contract::{Class, Meaning, Reach};

pub(super) static SERVER: Server = Server {
    names: &["filesystem", "file-system"],
    source: "https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem",
    foreign: false,
    reads: &[
        "directory_tree",
        "get_file_info",
        "list_allowed_directories",
        "list_directory",
        "list_directory_with_sizes",
        "read_file",
        "read_media_file",
        "read_multiple_files",
        "read_text_file",
        "search_files",
    ],
    changes: &[],
    tools: &[
        Tool::new("create_directory", Class::Change, "directory").reaching(Reach::Local),
        Tool::new("edit_file", Class::Change, "file").reaching(Reach::Local),
        Tool::new("move_file", Class::Change, "file")
            .reaching(Reach::Local)
            .with(&[("/source", Meaning::Path), ("/destination", Meaning::Path)]),
        Tool::new("write_file", Class::Change, "file").reaching(Reach::Local),
    ],
};
