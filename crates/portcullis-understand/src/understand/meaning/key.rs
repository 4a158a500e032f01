//! What the name of an argument says. Owns the names; what stands under them is told apart elsewhere.

use super::words;

/// What an argument is, by its name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::understand) enum Role {
    /// A command for a shell, or the words of one.
    Command,
    /// Several commands.
    Commands,
    /// More words for the command beside it.
    Arguments,
    /// A script: of a shell, or of something else.
    Script,
    /// Code, in this language where the name says it.
    Code(Option<&'static str>),
    /// Code, where the tool runs some.
    Function,
    /// A statement for a database, whatever it looks like.
    Sql,
    /// A statement for a database, or words to look for.
    Query,
    /// A file or directory.
    Path(Side),
    /// A file, or something else that comes from somewhere and goes somewhere.
    Perhaps(Side),
    /// A directory in which something happens.
    Directory,
    /// An address.
    Address,
    /// What is typed: a command where the tool is a terminal.
    Typed,
    /// Keys that are pressed: a command where the tool is a terminal.
    Keys,
    /// The language of the code beside it, or the shell of the command.
    Language,
    /// Variables for the command beside it.
    Environment,
    /// What the command beside it reads.
    Input,
    /// What is done to the files beside it.
    Operation,
    /// What is written, posted or said.
    Words,
    /// Anything.
    Other,
}

/// On which side of a copy or a move a path stands.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::understand) enum Side {
    From,
    Here,
    To,
    /// Where a tool puts what it made, whatever it does besides.
    Made,
}

/// The longest name of an argument that is looked up.
const LONGEST: usize = 128;

/// What an argument with this name is.
pub(in crate::understand) fn role(key: &str) -> Role {
    if key.len() > LONGEST {
        return Role::Other;
    }
    let words = words(key);
    let whole = words.concat();
    let known = KEYS.iter().find(|(_, names)| names.contains(&whole.as_str()));
    if let Some((role, _)) = known {
        return *role;
    }
    // `pathInProject`, `fileToSave`: what follows says more of the same file.
    if let [first, more, _, ..] = words.as_slice()
        && MORE.contains(&more.as_str())
        && let Some((role @ Role::Path(_), _)) =
            ENDS.iter().find(|(_, ends)| ends.contains(&first.as_str()))
    {
        return *role;
    }
    let Some(last) = words.last() else { return Role::Other };
    // `memory_file_name`: the name of a file is its path.
    let last = match words.as_slice() {
        [.., of, last] if last == "name" && matches!(of.as_str(), "file" | "folder") => of,
        _ => last,
    };
    let starts_with = |starts: &[&str]| {
        words.first().is_some_and(|first| words.len() > 1 && starts.contains(&first.as_str()))
    };
    match ENDS.iter().find(|(_, ends)| ends.contains(&last.as_str())) {
        Some((Role::Path(_), _)) if starts_with(MADE) => Role::Path(Side::Made),
        Some((Role::Path(_), _)) if starts_with(FROM) => Role::Path(Side::From),
        Some((Role::Path(_), _)) if starts_with(TO) => Role::Path(Side::To),
        Some((role, _)) => *role,
        None => Role::Other,
    }
}

const FROM: &[&str] = &["from", "input", "old", "source", "src"];
const TO: &[&str] = &["new", "target", "to"];
const MADE: &[&str] = &[
    "dest",
    "destination",
    "download",
    "dst",
    "export",
    "out",
    "output",
    "request",
    "response",
    "result",
    "save",
    "write",
];
const MORE: &[&str] = &["from", "in", "inside", "of", "on", "relative", "to", "within"];

/// A name of an argument without case and separators.
pub(in crate::understand) fn plain(key: &str) -> String {
    words(key.get(..key.floor_char_boundary(LONGEST)).unwrap_or_default()).concat()
}

/// Whether what stands under this name is written to a file or sent.
pub(in crate::understand) fn is_content(key: &str) -> bool {
    CONTENT.contains(&words(key).concat().as_str())
}

const CONTENT: &[&str] =
    &["body", "content", "contents", "data", "newstr", "newstring", "newtext", "text"];

/// Whether a path under this name is a directory in which others are named.
pub(in crate::understand) fn is_folder(key: &str) -> bool {
    let words = words(key);
    let is_around = || {
        words.first().is_some_and(|first| {
            words.len() == 2
                && matches!(first.as_str(), "project" | "repo" | "repository" | "workspace")
        })
    };
    let is_one = |word: &String| matches!(word.as_str(), "dir" | "directory" | "folder");
    match words.as_slice() {
        [.., last] if is_one(last) => true,
        [.., one, last] if last == "path" => is_one(one) || is_around(),
        _ => false,
    }
}

/// Names without their separators, in lower case.
const KEYS: &[(Role, &[&str])] = &[
    (
        Role::Command,
        &[
            "argv",
            "bash",
            "cmdline",
            "commandline",
            "commandtorun",
            "exec",
            "executable",
            "execute",
            "program",
            "run",
            "sh",
            "shell",
            "shellcode",
            "shellscript",
            "terminalinput",
            "bashscript",
            "bashcode",
        ],
    ),
    (Role::Arguments, &["args", "arguments", "commandargs", "cmdargs", "parameters"]),
    (Role::Script, &["script", "scripts", "scripttext", "scriptcontent"]),
    (Role::Code(Some("python")), &["python", "pythoncode", "pythonscript", "pycode"]),
    (
        Role::Code(Some("javascript")),
        &["js", "jscode", "javascript", "javascriptcode", "jsexpression"],
    ),
    (Role::Code(Some("powershell")), &["powershell", "powershellscript", "ps1"]),
    (Role::Code(Some("applescript")), &["applescript", "osascript"]),
    (
        Role::Code(None),
        &[
            "cell",
            "cellcode",
            "cellcontent",
            "cellsource",
            "code",
            "codeblock",
            "codesnippet",
            "newsource",
            "sourcecode",
        ],
    ),
    (Role::Function, &["expression", "expr", "function", "func", "snippet", "formula"]),
    (Role::Sql, &["sql", "sqlquery", "sqlstatement", "sqlstatements", "rawsql"]),
    (Role::Query, &["cypher", "query", "queries", "statement", "statements", "stmt"]),
    (Role::Perhaps(Side::From), &["from", "source", "src"]),
    (Role::Perhaps(Side::To), &["target", "to"]),
    (
        Role::Perhaps(Side::Made),
        &[
            "dest",
            "destination",
            "downloadto",
            "dst",
            "exportto",
            "out",
            "outfile",
            "output",
            "outputto",
            "saveas",
            "saveto",
            "writeto",
        ],
    ),
    (
        Role::Directory,
        &[
            "basedir",
            "basedirectory",
            "basepath",
            "cwd",
            "root",
            "rootdir",
            "rootpath",
            "workdir",
            "workingdir",
            "workingdirectory",
        ],
    ),
    (Role::Typed, &["input", "line", "lines", "prompt", "text", "value", "content", "data"]),
    (Role::Keys, &["keys", "keystrokes", "characters", "chars", "sequence"]),
    (Role::Language, &["lang", "language", "interpreter", "kernel", "runtime", "shelltype"]),
    (Role::Environment, &["env", "environment", "envvars", "environmentvariables"]),
    (Role::Input, &["stdin"]),
    (Role::Operation, &["action", "method", "mode", "op", "operation"]),
    (
        Role::Words,
        &[
            "body",
            "caption",
            "comment",
            "contents",
            "description",
            "filter",
            "html",
            "jql",
            "keyword",
            "keywords",
            "markdown",
            "message",
            "name",
            "newstr",
            "newstring",
            "newtext",
            "note",
            "notes",
            "observations",
            "oldstr",
            "oldstring",
            "oldtext",
            "pattern",
            "q",
            "reason",
            "regex",
            "searchquery",
            "subject",
            "summary",
            "thought",
            "thoughts",
            "title",
            "topic",
        ],
    ),
];

/// What the last word of a longer name says.
const ENDS: &[(Role, &[&str])] = &[
    (Role::Command, &["cmd", "command"]),
    (Role::Commands, &["cmds", "commands"]),
    (
        Role::Path(Side::Here),
        &[
            "dir",
            "directories",
            "directory",
            "dirs",
            "file",
            "filename",
            "filenames",
            "filepath",
            "filepaths",
            "files",
            "folder",
            "folders",
            "path",
            "paths",
        ],
    ),
    (
        Role::Address,
        &[
            "baseurl",
            "endpoint",
            "endpoints",
            "href",
            "link",
            "links",
            "uri",
            "uris",
            "url",
            "urls",
            "webpage",
            "website",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_the_same_however_its_name_is_spelt() {
        for (names, expected) in [
            ("command cmd Command shell_command shellCommand build-command argv", Role::Command),
            ("commands shellCmds", Role::Commands),
            ("file_path filePath FilePath path PATHS notebook_path", Role::Path(Side::Here)),
            ("file_name memory_file_name folderName", Role::Path(Side::Here)),
            ("cell_source cellSource", Role::Code(None)),
            ("user_name profile_name", Role::Other),
            ("source_path oldPath", Role::Path(Side::From)),
            ("newPath to_path", Role::Path(Side::To)),
            (
                "destination_path outputFile responseFilePath saveDir downloadPath",
                Role::Path(Side::Made),
            ),
            ("output saveTo save_as destination", Role::Perhaps(Side::Made)),
            ("pathInProject file_to_write", Role::Path(Side::Here)),
            ("url base_url baseUrl uri href issueUrl", Role::Address),
            ("python_code pythonCode", Role::Code(Some("python"))),
            ("shell_id country_code error", Role::Other),
        ] {
            for name in names.split(' ') {
                assert_eq!(role(name), expected, "{name}");
            }
        }
    }
}
