//! Tool names: what an agent's name for a tool means, and which class it belongs to. Owns the alias table and the
//! class table; it does not look at arguments.

use crate::{hash, normal};

/// What a tool's name means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Meaning {
    /// It runs a shell command.
    Shell,
    /// It runs code in this language.
    Code(&'static str),
    /// It sends a statement to a database.
    Query,
    /// It does this to a file.
    File(FileOperation),
    /// It does to a file what its `command` argument says (`str_replace_editor`).
    FileCommand,
    /// It applies a patch that names its files itself.
    Patch,
    /// It makes a request with this method, where the arguments name none.
    Http(&'static str),
    /// It is a git command of its own (`git_status`).
    Git,
    /// It is anything else, also every tool of an MCP server.
    Other,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FileOperation {
    /// Read it.
    Read,
    /// Search in it, or list it.
    Search,
    /// Create or replace it.
    Write,
    /// Change a part of it.
    Edit,
    /// Delete it.
    Delete,
}

/// What kind of action it is, from its effects and its tool.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ActionClass {
    /// Only reads, proven.
    ReadOnly,
    /// Changes files in the workspace.
    Edit,
    /// Talks to the network.
    Network,
    /// Runs programs.
    Execute,
    /// Deletes, or runs whatever it likes.
    Destructive,
    /// A tool that we do not know.
    Unknown,
}

impl ActionClass {
    /// Every class.
    pub const ALL: [Self; 6] = [
        Self::ReadOnly,
        Self::Edit,
        Self::Network,
        Self::Execute,
        Self::Destructive,
        Self::Unknown,
    ];

    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Edit => "edit",
            Self::Network => "network",
            Self::Execute => "execute",
            Self::Destructive => "destructive",
            Self::Unknown => "unknown",
        }
    }
}

/// The name of the argument that a tool works on, where one text says it all.
///
/// ```
/// assert_eq!(portcullis_model::tool::sole_argument("bash"), Some("command"));
/// assert_eq!(portcullis_model::tool::sole_argument("Read"), Some("path"));
/// assert_eq!(portcullis_model::tool::sole_argument("mcp__notes__search"), None);
/// ```
#[must_use]
pub fn sole_argument(tool: &str) -> Option<&'static str> {
    match meaning(tool) {
        Meaning::Shell => Some("command"),
        Meaning::Code(_) => Some("code"),
        Meaning::Query => Some("query"),
        Meaning::Http(_) => Some("url"),
        Meaning::Patch => Some("patch"),
        Meaning::File(_) => Some("path"),
        Meaning::FileCommand | Meaning::Git | Meaning::Other => None,
    }
}

/// The prefix of the names that agents give to tools of MCP servers: `mcp__server__tool`.
pub const MCP_PREFIX: &str = "mcp__";

/// The longest name that is looked up; nothing in the table is longer, so anything longer is unknown.
const LONGEST_NAME: usize = 64;

/// A tool's name without what differs between agents: in lower case and without separators, so that `ApplyPatch`,
/// `apply-patch` and `apply_patch` are one tool.
///
/// ```
/// assert_eq!(portcullis_model::tool::normalised("Apply-Patch"), "applypatch");
/// assert_eq!(portcullis_model::tool::normalised("functions.shell"), "shell");
/// ```
#[must_use]
pub fn normalised(name: &str) -> String {
    folded(name).collect()
}

/// The letters of a [`normalised`] name, to compare names without keeping them.
pub fn folded(name: &str) -> impl Iterator<Item = char> {
    let name = name.trim();
    let name = name.strip_prefix("functions.").unwrap_or(name);
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.' | '/' | ':'))
        .flat_map(char::to_lowercase)
}

/// What a tool's name is taken for at a glance: two tools whose names come to the same here cannot be told apart.
///
/// ```
/// use portcullis_model::tool::skeleton;
///
/// assert_eq!(skeleton("read_fi1e"), skeleton("ReadFile"));
/// // The `а` is Cyrillic.
/// assert_eq!(skeleton("se\u{430}rch"), skeleton("search"));
/// assert_ne!(skeleton("read_file"), skeleton("read_files"));
/// ```
#[must_use]
pub fn skeleton(name: &str) -> String {
    let plain = normalised(&normal::plain(name));
    let letters = plain.chars().map(|letter| match letter {
        '0' => 'o',
        '1' | 'i' | '|' => 'l',
        '5' => 's',
        other => other,
    });
    letters.collect::<String>().replace("rn", "m").replace("vv", "w")
}

/// What a tool's name means.
#[must_use]
pub fn meaning(name: &str) -> Meaning {
    row(name).map_or(Meaning::Other, |row| row.meaning)
}

/// The class of a tool by its name alone. The permission-mode documents' tables for the names that they list.
///
/// ```
/// use portcullis_model::{assessment::ActionClass, tool};
///
/// assert_eq!(tool::class("view_file"), ActionClass::ReadOnly);
/// assert_eq!(tool::class("bash"), ActionClass::Destructive);
/// assert_eq!(tool::class("mcp__github__get_issue"), ActionClass::Unknown);
/// ```
#[must_use]
pub fn class(name: &str) -> ActionClass {
    row(name).map_or(ActionClass::Unknown, |row| row.class)
}

struct Row {
    name: &'static str,
    meaning: Meaning,
    class: ActionClass,
}

fn row(name: &str) -> Option<&'static Row> {
    // An MCP server names its tools as it likes: `mcp__evil__read_file` reads nothing we know of.
    let is_foreign = |name: &str| {
        name.get(..MCP_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(MCP_PREFIX))
    };
    if name.len() > LONGEST_NAME || is_foreign(name.trim()) {
        return None;
    }
    // Most names are written as in the table.
    written(name).or_else(|| written(&normalised(name)))
}

/// The row whose name has these letters.
fn written(name: &str) -> Option<&'static Row> {
    let chain = hash::chain(hash::letters(name), CHAINS);
    let mut next = CHAINED.0.get(chain).copied().unwrap_or(NONE);
    // Each row leads to one before it, so this ends.
    loop {
        let row = ROWS.get(usize::from(next))?;
        if letters(row.name).eq(letters(name)) {
            return Some(row);
        }
        next = CHAINED.1.get(usize::from(next)).copied().unwrap_or(NONE);
    }
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|letter| *letter != b'_').map(|letter| letter.to_ascii_lowercase())
}

/// How many chains the rows are spread over.
const CHAINS: usize = 256;

/// The end of a chain.
const NONE: u8 = u8::MAX;

/// The last row of each chain, and for each row the one before it in its chain.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static CHAINED: ([u8; CHAINS], [u8; ROWS.len()]) = {
    let (mut heads, mut next) = ([NONE; CHAINS], [NONE; ROWS.len()]);
    let mut row = 0;
    while row < ROWS.len() {
        let chain = hash::chain(hash::letters(ROWS[row].name), CHAINS);
        next[row] = heads[chain];
        heads[chain] = row as u8;
        row += 1;
    }
    (heads, next)
};

const _: () = assert!(ROWS.len() < NONE as usize);

const fn on(name: &'static str, meaning: Meaning, class: ActionClass) -> Row {
    Row { name, meaning, class }
}

use ActionClass::{Destructive, Edit, Execute, Network, ReadOnly};
use FileOperation::{Delete, Read, Search, Write};

// Sorted by the letters of the name alone, so that no name stands in it twice.
static ROWS: &[Row] = &[
    on("agent", Meaning::Other, Execute),
    on("apply_diff", Meaning::Patch, Edit),
    on("apply_patch", Meaning::Patch, Edit),
    on("ask_followup_question", Meaning::Other, ReadOnly),
    on("ask_human", Meaning::Other, ReadOnly),
    on("ask_user_question", Meaning::Other, ReadOnly),
    on("attempt_completion", Meaning::Other, ReadOnly),
    on("bash", Meaning::Shell, Destructive),
    on("bash_output", Meaning::Other, ReadOnly),
    on("close_agent", Meaning::Other, ReadOnly),
    on("cmd", Meaning::Code("batch"), Destructive),
    on("code", Meaning::Code("python"), Execute),
    on("codebase_search", Meaning::Other, ReadOnly),
    on("code_interpreter", Meaning::Code("python"), Execute),
    on("create_directory", Meaning::File(Write), Edit),
    on("create_file", Meaning::File(Write), Edit),
    on("curl", Meaning::Http("GET"), Network),
    on("cypher", Meaning::Query, Execute),
    on("delete_file", Meaning::File(Delete), Destructive),
    on("edit", Meaning::File(FileOperation::Edit), Edit),
    on("edit_file", Meaning::File(FileOperation::Edit), Edit),
    on("edit_notebook", Meaning::File(FileOperation::Edit), Edit),
    on("enter_plan_mode", Meaning::Other, ReadOnly),
    on("exec", Meaning::Shell, Destructive),
    on("exec_command", Meaning::Shell, Destructive),
    on("execute_bash", Meaning::Shell, Destructive),
    on("execute_code", Meaning::Code("python"), Execute),
    on("execute_command", Meaning::Shell, Destructive),
    on("execute_ipython_cell", Meaning::Code("python"), Execute),
    on("execute_javascript", Meaning::Code("javascript"), Execute),
    on("execute_python", Meaning::Code("python"), Execute),
    on("execute_query", Meaning::Query, Execute),
    on("execute_shell", Meaning::Shell, Destructive),
    on("execute_sql", Meaning::Query, Execute),
    on("exit_plan_mode", Meaning::Other, ReadOnly),
    on("fetch", Meaning::Http("GET"), Network),
    on("fetch_url", Meaning::Http("GET"), Network),
    on("file_delete", Meaning::File(Delete), Destructive),
    on("file_edit", Meaning::File(FileOperation::Edit), Edit),
    on("file_editor", Meaning::FileCommand, Edit),
    on("file_read", Meaning::File(Read), ReadOnly),
    on("file_search", Meaning::File(Search), ReadOnly),
    on("file_write", Meaning::File(Write), Edit),
    on("find_file", Meaning::File(Search), ReadOnly),
    on("find_files", Meaning::File(Search), ReadOnly),
    on("finish", Meaning::Other, ReadOnly),
    on("get_url", Meaning::Http("GET"), Network),
    on("git_branch", Meaning::Git, Execute),
    on("git_checkout", Meaning::Git, Destructive),
    on("git_diff", Meaning::Git, ReadOnly),
    on("git_log", Meaning::Git, ReadOnly),
    on("git_reset", Meaning::Git, Destructive),
    on("git_show", Meaning::Git, ReadOnly),
    on("git_status", Meaning::Git, ReadOnly),
    on("glob", Meaning::File(Search), ReadOnly),
    on("glob_file_search", Meaning::File(Search), ReadOnly),
    on("google_web_search", Meaning::Other, Network),
    on("grep", Meaning::File(Search), ReadOnly),
    on("grep_search", Meaning::File(Search), ReadOnly),
    on("http", Meaning::Http("GET"), Network),
    on("http_delete", Meaning::Http("DELETE"), Network),
    on("http_get", Meaning::Http("GET"), Network),
    on("http_patch", Meaning::Http("PATCH"), Network),
    on("http_post", Meaning::Http("POST"), Network),
    on("http_put", Meaning::Http("PUT"), Network),
    on("http_request", Meaning::Http("GET"), Network),
    on("insert_edit_into_file", Meaning::File(FileOperation::Edit), Edit),
    on("ipython", Meaning::Code("python"), Execute),
    on("javascript", Meaning::Code("javascript"), Execute),
    on("js", Meaning::Code("javascript"), Execute),
    on("jupyter", Meaning::Code("python"), Execute),
    on("kill_bash", Meaning::Other, ReadOnly),
    on("kill_shell", Meaning::Other, ReadOnly),
    on("list_dir", Meaning::File(Search), ReadOnly),
    on("list_directory", Meaning::File(Search), ReadOnly),
    on("list_files", Meaning::File(Search), ReadOnly),
    on("list_mcp_resources", Meaning::Other, ReadOnly),
    on("list_mcp_resource_templates", Meaning::Other, ReadOnly),
    on("local_shell", Meaning::Shell, Destructive),
    on("ls", Meaning::File(Search), ReadOnly),
    on("make_request", Meaning::Http("GET"), Network),
    on("multi_edit", Meaning::File(FileOperation::Edit), Edit),
    on("mysql_query", Meaning::Query, Execute),
    on("new_task", Meaning::Other, Execute),
    on("node", Meaning::Code("javascript"), Execute),
    on("notebook_edit", Meaning::File(FileOperation::Edit), Edit),
    on("notebook_read", Meaning::File(Read), ReadOnly),
    on("open_file", Meaning::File(Read), ReadOnly),
    on("open_url", Meaning::Http("GET"), Network),
    on("patch", Meaning::Patch, Edit),
    on("plan", Meaning::Other, ReadOnly),
    on("postgres_query", Meaning::Query, Execute),
    on("powershell", Meaning::Code("powershell"), Destructive),
    on("pwsh", Meaning::Code("powershell"), Destructive),
    on("python", Meaning::Code("python"), Execute),
    on("python_interpreter", Meaning::Code("python"), Execute),
    on("python_repl", Meaning::Code("python"), Execute),
    on("query", Meaning::Query, Execute),
    on("query_database", Meaning::Query, Execute),
    on("read", Meaning::File(Read), ReadOnly),
    on("read_file", Meaning::File(Read), ReadOnly),
    on("read_many_files", Meaning::File(Read), ReadOnly),
    on("read_mcp_resource", Meaning::Other, ReadOnly),
    on("read_url", Meaning::Http("GET"), Network),
    on("remove_file", Meaning::File(Delete), Destructive),
    on("replace", Meaning::File(FileOperation::Edit), Edit),
    on("replace_file_content", Meaning::File(FileOperation::Edit), Edit),
    on("replace_in_file", Meaning::File(FileOperation::Edit), Edit),
    on("replace_string_in_file", Meaning::File(FileOperation::Edit), Edit),
    on("request_user_input", Meaning::Other, ReadOnly),
    on("rm", Meaning::File(Delete), Destructive),
    on("run_bash", Meaning::Shell, Destructive),
    on("run_code", Meaning::Code("python"), Execute),
    on("run_command", Meaning::Shell, Destructive),
    on("run_in_terminal", Meaning::Shell, Destructive),
    on("run_ipython", Meaning::Code("python"), Execute),
    on("run_javascript", Meaning::Code("javascript"), Execute),
    on("run_python", Meaning::Code("python"), Execute),
    on("run_query", Meaning::Query, Execute),
    on("run_shell", Meaning::Shell, Destructive),
    on("run_shell_command", Meaning::Shell, Destructive),
    on("run_sql", Meaning::Query, Execute),
    on("run_terminal_cmd", Meaning::Shell, Destructive),
    on("run_terminal_command", Meaning::Shell, Destructive),
    on("save_file", Meaning::File(Write), Edit),
    on("search", Meaning::File(Search), ReadOnly),
    on("search_file_content", Meaning::File(Search), ReadOnly),
    on("search_files", Meaning::File(Search), ReadOnly),
    on("search_replace", Meaning::File(FileOperation::Edit), Edit),
    on("sh", Meaning::Shell, Destructive),
    on("shell", Meaning::Shell, Destructive),
    on("shell_command", Meaning::Shell, Destructive),
    on("shell_exec", Meaning::Shell, Destructive),
    on("skill", Meaning::Other, Execute),
    on("slash_command", Meaning::Other, Execute),
    on("spawn_agent", Meaning::Other, Execute),
    on("sql", Meaning::Query, Execute),
    on("sqlite", Meaning::Query, Execute),
    on("sqlite_query", Meaning::Query, Execute),
    on("sql_query", Meaning::Query, Execute),
    on("str_replace", Meaning::File(FileOperation::Edit), Edit),
    on("str_replace_based_edit_tool", Meaning::FileCommand, Edit),
    on("str_replace_editor", Meaning::FileCommand, Edit),
    on("submit_plan", Meaning::Other, ReadOnly),
    on("switch_mode", Meaning::Other, ReadOnly),
    on("task", Meaning::Other, Execute),
    on("task_create", Meaning::Other, ReadOnly),
    on("task_get", Meaning::Other, ReadOnly),
    on("task_list", Meaning::Other, ReadOnly),
    on("task_output", Meaning::Other, ReadOnly),
    on("task_stop", Meaning::Other, ReadOnly),
    on("task_update", Meaning::Other, ReadOnly),
    on("terminal", Meaning::Shell, Destructive),
    on("terminal_exec", Meaning::Shell, Destructive),
    on("think", Meaning::Other, ReadOnly),
    on("todo_read", Meaning::Other, ReadOnly),
    on("todo_update", Meaning::Other, ReadOnly),
    on("todo_write", Meaning::Other, ReadOnly),
    on("tool_search", Meaning::Other, ReadOnly),
    on("update_plan", Meaning::Other, ReadOnly),
    on("update_todo_list", Meaning::Other, ReadOnly),
    on("view", Meaning::File(Read), ReadOnly),
    on("view_file", Meaning::File(Read), ReadOnly),
    on("view_image", Meaning::File(Read), ReadOnly),
    on("wait_agent", Meaning::Other, ReadOnly),
    on("web_fetch", Meaning::Http("GET"), Network),
    on("web_search", Meaning::Other, Network),
    on("wget", Meaning::Http("GET"), Network),
    on("write", Meaning::File(Write), Edit),
    on("write_file", Meaning::File(Write), Edit),
    on("write_stdin", Meaning::Other, Execute),
    on("write_to_file", Meaning::File(Write), Edit),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_row_is_found() {
        for pair in ROWS.windows(2) {
            assert!(
                letters(pair[0].name).lt(letters(pair[1].name)),
                "{} before {}",
                pair[0].name,
                pair[1].name
            );
        }
        for row in ROWS {
            assert!(
                super::row(row.name).is_some_and(|found| std::ptr::eq(found, row)),
                "{}",
                row.name
            );
            assert!(normalised(row.name).bytes().eq(letters(row.name)), "{}", row.name);
            assert!(row.name.len() <= LONGEST_NAME, "{}", row.name);
        }
    }

    #[test]
    fn the_tools_of_the_permission_documents_have_the_classes_of_their_table() {
        let table = [
            (
                ReadOnly,
                "view_file read_file search list_files grep glob git_log git_status git_diff",
            ),
            (Edit, "str_replace_editor create_file write_file edit_file apply_patch multi_edit"),
            (Destructive, "bash delete_file rm git_reset git_checkout"),
            (ActionClass::Unknown, "frobnicate mcp__server__read_file deploy send_email"),
        ];
        for (class, names) in table {
            for name in names.split(' ') {
                assert_eq!(super::class(name), class, "{name}");
            }
        }
    }

    #[test]
    fn case_and_separators_do_not_change_what_a_tool_is() {
        for name in [
            "Bash",
            "BASH",
            "execute_bash",
            "ExecuteBash",
            "run_shell_command",
            "runShellCommand",
            "terminal",
            "shell_exec",
            "shell-exec",
            "Shell",
            "functions.shell",
        ] {
            assert_eq!(meaning(name), Meaning::Shell, "{name}");
        }
        for name in ["python", "IPython", "execute_ipython_cell", "code"] {
            assert_eq!(meaning(name), Meaning::Code("python"), "{name}");
        }
        for name in ["ApplyPatch", "applyPatch", "apply-patch", "APPLY_PATCH"] {
            assert_eq!(meaning(name), Meaning::Patch, "{name}");
        }
        for name in ["sql", "SQL", "executeSql", "execute_sql", "query"] {
            assert_eq!(meaning(name), Meaning::Query, "{name}");
        }
        for name in ["WebFetch", "web_fetch", "webFetch", "http", "fetch"] {
            assert_eq!(meaning(name), Meaning::Http("GET"), "{name}");
        }
    }

    #[test]
    fn a_tool_of_an_mcp_server_is_unknown_whatever_it_calls_itself() {
        for name in ["mcp__files__read_file", "MCP__files__read_file", " mcp__a__bash"] {
            assert_eq!(meaning(name), Meaning::Other, "{name}");
            assert_eq!(class(name), ActionClass::Unknown, "{name}");
        }
    }
}
