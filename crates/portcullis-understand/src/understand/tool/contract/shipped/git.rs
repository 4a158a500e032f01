//! Contracts of the tools of a git repository of this machine.

use super::{Server, Tool};
use crate::contract::{Class, Meaning, Reach};

pub(super) static SERVER: Server = Server {
    names: &["git"],
    source: "https://github.com/modelcontextprotocol/servers/tree/main/src/git",
    foreign: true,
    reads: &[
        "git_diff",
        "git_diff_staged",
        "git_diff_unstaged",
        "git_log",
        "git_show",
        "git_status",
    ],
    changes: &[],
    tools: &[
        Tool::new("git_add", Class::Change, "index")
            .reaching(Reach::Local)
            .with(&[("/files/*", Meaning::Other)]),
        Tool::new("git_branch", Class::Read, "branches").reaching(Reach::Local),
        Tool::new("git_checkout", Class::Change, "branch").reaching(Reach::Local),
        Tool::new("git_commit", Class::Change, "commit").reaching(Reach::Local),
        Tool::new("git_create_branch", Class::Change, "branch").reaching(Reach::Local),
        Tool::new("git_init", Class::Change, "repository").reaching(Reach::Local),
        Tool::new("git_reset", Class::Change, "index").reaching(Reach::Local),
    ],
};
