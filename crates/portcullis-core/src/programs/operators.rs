//! Tools with subcommands: which of their options take a value. What their commands mean is said by `rules`; a row lists
//! the options that stand before a subcommand or that hold text which could be taken for one.

use super::{Does, Program};

const fn operator(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Operates }
}

const GIT: &[&str] = &[
    "-C",
    "-F",
    "-G",
    "-L",
    "-S",
    "-X",
    "-b",
    "-c",
    "-e",
    "-m",
    "-o",
    "--author",
    "--before",
    "--after",
    "--branch",
    "--config",
    "--config-env",
    "--date",
    "--depth",
    "--env-filter",
    "--exec",
    "--expire",
    "--file",
    "--fixup",
    "--format",
    "--git-dir",
    "--grep",
    "--committer",
    "--index-filter",
    "--message",
    "--msg-filter",
    "--namespace",
    "--onto",
    "--origin",
    "--output",
    "--parent-filter",
    "--commit-filter",
    "--pathspec-from-file",
    "--pretty",
    "--push-option",
    "--receive-pack",
    "--reference",
    "--repo",
    "--reuse-message",
    "--since",
    "--source",
    "--squash",
    "--strategy",
    "--strategy-option",
    "--subdirectory-filter",
    "--super-prefix",
    "--tag-name-filter",
    "--template",
    "--trailer",
    "--tree-filter",
    "--until",
    "--upload-pack",
    "--work-tree",
];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[operator("git", GIT)];
