//! What the name of a tool says that nobody knows. Owns the words that names are made of; no word makes a tool a known one,
//! each only says how its arguments are best read.

use crate::{
    programs, tool,
    understand::meaning::{beginning, words},
};

/// A name as its words.
pub(super) struct Name {
    /// The words of the tool's own name.
    own: Vec<String>,
    /// The words of the server that has it.
    server: Vec<String>,
}

/// What a word says.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Hint {
    /// Somebody types into a shell.
    Terminal,
    /// Something is run.
    Runs,
    /// Code in this language.
    Code(&'static str),
    /// Code of this language, in a page that a browser shows.
    Page,
    /// Statements for a database.
    Database,
    /// Words to look for.
    Searches,
    /// Somebody, or a model, is spoken to.
    Talks,
    /// Looks at code without running it.
    Inspects,
    /// Files that are in a repository somewhere else.
    Repository,
    /// A program whose arguments are what the tool is given.
    Program,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Verb {
    Read,
    Copy,
    Edit,
    Append,
    Write,
    Move,
    Delete,
}

impl Name {
    pub(super) fn new(name: &str) -> Self {
        let name = beginning(name.trim());
        let start = tool::MCP_PREFIX.len();
        let is_served =
            name.get(..start).is_some_and(|start| start.eq_ignore_ascii_case(tool::MCP_PREFIX));
        let (server, own) = match name.get(start..).filter(|_| is_served) {
            Some(rest) => rest.split_once("__").unwrap_or(("", rest)),
            None => ("", name),
        };
        Self { own: words(own), server: words(server) }
    }

    /// The words of the tool's own name.
    pub(super) fn own_words(&self) -> &[String] {
        &self.own
    }

    /// The words of the server that has it, where its name says one.
    pub(super) fn server_words(&self) -> &[String] {
        &self.server
    }

    fn own_says(&self, hint: Hint) -> bool {
        self.own.iter().any(|word| says(word) == Some(hint))
    }

    fn says(&self, hint: Hint) -> bool {
        self.all().any(|word| says(word) == Some(hint))
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.own.iter().chain(&self.server)
    }

    /// Whether the tool, or its server, is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.says(Hint::Terminal)
    }

    /// Whether the tool itself says that it is a terminal.
    pub(super) fn is_itself_terminal(&self) -> bool {
        self.own_says(Hint::Terminal)
    }

    /// Whether the tool says that it runs something.
    pub(super) fn runs(&self) -> bool {
        self.own_says(Hint::Runs) || self.own_says(Hint::Terminal)
    }

    /// Whether what it is given are words to somebody.
    pub(super) fn talks(&self) -> bool {
        self.own_says(Hint::Talks)
    }

    pub(super) fn is_database(&self) -> bool {
        self.says(Hint::Database)
    }

    pub(super) fn searches(&self) -> bool {
        self.says(Hint::Searches)
    }

    /// Whether code is only looked at.
    pub(super) fn inspects(&self) -> bool {
        (self.own_says(Hint::Inspects) || self.own_says(Hint::Searches)) && !self.runs()
    }

    /// Whether relative paths are in a repository on another machine.
    pub(super) fn is_repository(&self) -> bool {
        self.says(Hint::Repository)
    }

    /// Whether scripts of this tool belong to a page in a browser.
    pub(super) fn is_page(&self) -> bool {
        self.says(Hint::Page)
    }

    /// The language that the name says.
    pub(super) fn language(&self) -> Option<&'static str> {
        let named = self.all().find_map(|word| match says(word) {
            Some(Hint::Code(language)) => Some(language),
            _ => None,
        });
        named.or_else(|| self.is_page().then_some("javascript"))
    }

    /// The program whose arguments the tool takes.
    pub(super) fn program(&self) -> Option<&str> {
        self.all()
            .find(|word| {
                says(word) == Some(Hint::Program)
                    && (programs::notable::names(word) || programs::program(word).is_some())
            })
            .map(String::as_str)
    }

    /// What is done to files, by the strictest verb of the name.
    pub(super) fn verb(&self) -> Option<Verb> {
        verb_of(&self.own)
    }
}

/// The strictest verb of a text that names an operation.
pub(super) fn verb(operation: &str) -> Option<Verb> {
    verb_of(&words(beginning(operation)))
}

fn verb_of(words: &[String]) -> Option<Verb> {
    let found = words.iter().enumerate().filter_map(|(index, word)| {
        let verb = VERBS.iter().find(|(_, known)| known.contains(&word.as_str()))?.0;
        let part = words.get(index + 1).is_some_and(|next| PARTS.contains(&next.as_str()));
        let name = words.get(index + 1).is_some_and(|next| NAMES.contains(&next.as_str()));
        // To remove a line from a file, or to rename what stands in it, is to change the file.
        let is_edit = verb == Verb::Delete && part || verb == Verb::Move && name;
        Some(if is_edit { Verb::Edit } else { verb })
    });
    // A picture of something is taken to be kept, where nothing says what else is done with it.
    found.max().or_else(|| {
        let takes = |word: &String| TAKEN.contains(&word.as_str());
        words.iter().any(takes).then_some(Verb::Write)
    })
}

/// What is named in a file.
const NAMES: &[&str] =
    &["class", "field", "function", "method", "refactoring", "symbol", "variable"];

/// What is made by looking at something.
const TAKEN: &[&str] = &[
    "capture",
    "dump",
    "heapsnapshot",
    "pdf",
    "record",
    "recording",
    "screencast",
    "screenshot",
    "snapshot",
    "trace",
];

fn says(word: &str) -> Option<Hint> {
    let bare = word.trim_end_matches(|end: char| end.is_ascii_digit());
    let known = HINTS.iter().find(|(_, words)| words.contains(&word) || words.contains(&bare));
    let hint = known.map(|(hint, _)| *hint);
    // `execshell`, `shellexec`: nobody divided the words.
    let within = || TERMINALS.iter().any(|part| word.starts_with(part) || word.ends_with(part));
    hint.or_else(|| within().then_some(Hint::Terminal))
}

const TERMINALS: &[&str] = &["bash", "command", "console", "shell", "terminal"];

const HINTS: &[(Hint, &[&str])] = &[
    (
        Hint::Terminal,
        &[
            "bash",
            "sh",
            "zsh",
            "cmd",
            "cli",
            "ssh",
            "tmux",
            "pty",
            "tty",
            "iterm",
            "stdin",
            "subprocess",
        ],
    ),
    (
        Hint::Runs,
        &[
            "eval", "evaluate", "exec", "execute", "invoke", "launch", "process", "repl", "run",
            "spawn",
        ],
    ),
    (Hint::Code("powershell"), &["powershell", "pwsh"]),
    (Hint::Code("applescript"), &["applescript", "osascript", "jxa"]),
    (Hint::Code("python"), &["python", "py", "ipython", "jupyter", "blender", "pandas"]),
    (Hint::Code("javascript"), &["javascript", "js", "node", "nodejs", "deno", "bun"]),
    (Hint::Code("ruby"), &["ruby", "rails"]),
    (Hint::Code("perl"), &["perl"]),
    (Hint::Code("php"), &["php"]),
    (Hint::Code("lua"), &["lua", "nvim", "neovim"]),
    (Hint::Code("lisp"), &["elisp", "emacs"]),
    (Hint::Code("r"), &["rscript"]),
    (Hint::Page, &["browser", "chrome", "devtools", "page", "playwright", "puppeteer", "selenium"]),
    (
        Hint::Database,
        &[
            "bigquery",
            "clickhouse",
            "cockroach",
            "database",
            "databricks",
            "db",
            "dbhub",
            "duckdb",
            "mariadb",
            "mssql",
            "mysql",
            "neon",
            "oracle",
            "pg",
            "planetscale",
            "postgres",
            "postgresql",
            "redshift",
            "snowflake",
            "sql",
            "sqlite",
            "sqlserver",
            "supabase",
            "trino",
            "turso",
        ],
    ),
    (
        Hint::Searches,
        &[
            "ask",
            "doc",
            "docs",
            "documentation",
            "exa",
            "find",
            "google",
            "help",
            "issues",
            "knowledge",
            "lookup",
            "news",
            "question",
            "rag",
            "recall",
            "research",
            "search",
            "tavily",
            "web",
            "wiki",
        ],
    ),
    (
        Hint::Talks,
        &["agent", "agents", "assistant", "chat", "llm", "model", "prompt", "subagent", "task"],
    ),
    (
        Hint::Inspects,
        &[
            "analyse",
            "analyze",
            "convert",
            "explain",
            "format",
            "highlight",
            "lint",
            "render",
            "review",
            "translate",
        ],
    ),
    (Hint::Repository, &["bitbucket", "forgejo", "gitea", "github", "gitlab", "sourcegraph"]),
    (
        Hint::Program,
        &[
            "aws",
            "az",
            "docker",
            "gcloud",
            "gh",
            "git",
            "helm",
            "kubectl",
            "npm",
            "podman",
            "systemctl",
            "terraform",
        ],
    ),
];

const VERBS: &[(Verb, &[&str])] = &[
    (
        Verb::Delete,
        &[
            "clear", "del", "delete", "destroy", "erase", "purge", "remove", "rm", "rmdir",
            "shred", "trash", "unlink", "wipe",
        ],
    ),
    (Verb::Move, &["move", "mv", "rename"]),
    (Verb::Append, &["append"]),
    (
        Verb::Write,
        &[
            "create",
            "download",
            "export",
            "generate",
            "install",
            "make",
            "mkdir",
            "overwrite",
            "put",
            "save",
            "store",
            "touch",
            "write",
        ],
    ),
    (
        Verb::Edit,
        &[
            "add", "apply", "change", "edit", "insert", "modify", "patch", "replace", "set",
            "update",
        ],
    ),
    (Verb::Copy, &["copy", "cp", "duplicate"]),
    (
        Verb::Read,
        &[
            "attach", "cat", "fetch", "find", "get", "grep", "head", "info", "list", "load",
            "open", "read", "search", "send", "share", "show", "stat", "tail", "tree", "upload",
            "view",
        ],
    ),
];

/// What can be taken out of a file without taking the file away.
const PARTS: &[&str] = &[
    "annotation",
    "annotations",
    "background",
    "block",
    "blocks",
    "breakpoint",
    "breakpoints",
    "cell",
    "cells",
    "column",
    "columns",
    "comment",
    "comments",
    "duplicates",
    "field",
    "key",
    "label",
    "labels",
    "line",
    "lines",
    "metadata",
    "page",
    "pages",
    "property",
    "row",
    "rows",
    "section",
    "sheet",
    "slide",
    "tag",
    "tags",
    "text",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_those_of_the_tool_and_the_strictest_counts() {
        for (name, expected) in [
            ("mcp__fs__read_file", Some(Verb::Read)),
            ("mcp__fs__deleteFile", Some(Verb::Delete)),
            ("mcp__write__read_file", Some(Verb::Read)),
            ("search_and_replace", Some(Verb::Edit)),
            ("delete_lines", Some(Verb::Edit)),
            ("list_deleted_files", Some(Verb::Read)),
            ("mcp__fs__frobnicate", None),
            ("mcp__x__rename_refactoring", Some(Verb::Edit)),
            ("mcp__x__take_screenshot", Some(Verb::Write)),
            ("mcp__x__performance_stop_trace", Some(Verb::Write)),
            ("mcp__x__load_trace", Some(Verb::Read)),
        ] {
            assert_eq!(Name::new(name).verb(), expected, "{name}");
        }
    }
}
