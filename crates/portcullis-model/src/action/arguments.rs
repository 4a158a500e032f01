//! What the arguments of a call mean. Owns the names that agents give to the same argument; it judges nothing.

use serde_json::{Map, Value};

use super::{ActionKind, FileOperation, OtherFile};
use crate::{
    call::{RISK_NAMES, ToolCall},
    pointer,
    tool::{self, Meaning},
};

/// A call of a tool that we know, with arguments that it cannot have.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{pointer}` {problem}")]
pub struct BadCall {
    /// JSON pointer into the arguments; where an argument is missing, the name it is best given.
    pub pointer: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with an argument.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is not there.
    #[error("is missing: the tool `{tool}` needs it")]
    Missing {
        /// The tool.
        tool: String,
    },
    /// It has another type.
    #[error("is {found}, expected {expected}")]
    WrongType {
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// It names more files than are judged at once.
    #[error("names more than {MAX_FILES} files")]
    TooManyFiles,
    /// It is none of the words that the tool knows.
    #[error("is `{found}`, expected one of {expected}")]
    NotOneOf {
        /// The words.
        expected: &'static str,
        /// What it is.
        found: String,
    },
}

/// The most files that one call may name, so that a judgement stays short; a call of more is not a call that a person
/// could judge.
const MAX_FILES: usize = 1000;

const COMMAND: &[&str] = &[
    "command",
    "cmd",
    "script",
    "input",
    "commands",
    "args",
    "argv",
    "code",
    "command_line",
    "CommandLine",
    "shell_command",
];
const CODE: &[&str] = &[
    "code",
    "source",
    "script",
    "input",
    "command",
    "cell",
    "program",
    "query",
    "python_code",
    "expression",
];
const STATEMENT: &[&str] = &["query", "sql", "statement", "input", "cypher"];
const PATH: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "filepath",
    "absolute_path",
    "file",
    "filename",
    "file_name",
    "target_file",
    "targetFile",
    "TargetFile",
    "notebook_path",
    "relative_workspace_path",
    "relative_path",
    "dir_path",
    "dirPath",
    "directory",
    "dir",
    "DirectoryPath",
    "uri",
];
const PATHS: &[&str] = &["paths", "files", "file_paths"];
const CONTENT: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
    "new_content",
    "new_source",
    "text",
    "code_edit",
    "insert_text",
    "replacement",
    "replace",
    "diff",
    "patch",
    "input",
    "CodeContent",
    "ReplacementContent",
];
const EDITS: &[&str] = &["edits", "replacements", "changes", "ReplacementChunks"];
const PATCH: &[&str] = &["patch", "diff", "input", "content", "command"];
const URL: &[&str] = &["url", "uri", "endpoint", "href", "address"];
const METHOD: &[&str] = &["method", "verb"];
const BODY: &[&str] = &["body", "data", "json", "payload", "form"];

/// Moves what the agent says about its call from the arguments to the call's own fields. Gives what is no argument of the tool that the
/// call's name stands for.
pub(super) fn take_words(call: &mut ToolCall) -> Vec<(String, Value)> {
    // A claim of the model is no argument, however it is spelt. Most calls make none.
    let has_claims = call.arguments.keys().any(|key| RISK_NAMES.contains(&key.as_str()));
    for key in RISK_NAMES.iter().filter(|_| has_claims) {
        if let Some(claim) = call.arguments.remove(*key) {
            let claim = claim.as_str().and_then(|word| word.parse().ok());
            call.declared_risk = call.declared_risk.or(claim);
        }
    }
    let own = tool::meaning(&call.tool) != Meaning::Other;
    let mut taken = Vec::new();
    for (key, field) in [("summary", &mut call.summary), ("thought", &mut call.thought)] {
        let Some(Value::String(words)) = call.arguments.get(key) else { continue };
        field.get_or_insert_with(|| words.clone());
        if own {
            taken.extend(call.arguments.remove_entry(key));
        }
    }
    taken
}

pub(super) fn kind(call: &ToolCall) -> Result<ActionKind, BadCall> {
    let given = Given { tool: &call.tool, arguments: &call.arguments };
    match tool::meaning(&call.tool) {
        // A session that is begun anew runs nothing.
        Meaning::Shell
            if call.arguments.get("restart") == Some(&Value::Bool(true))
                && given.find(COMMAND).is_none() =>
        {
            Ok(ActionKind::Tool)
        }
        Meaning::Shell => {
            let (pointer, command) = given.command()?;
            Ok(ActionKind::Shell { pointer, command })
        }
        Meaning::Code(language) => {
            let (pointer, code) = given.text(CODE)?;
            let language = given.language().unwrap_or(language);
            // "code" tools of several languages run shell scripts too.
            Ok(if language == "shell" {
                ActionKind::Shell { pointer, command: code }
            } else {
                ActionKind::Code { pointer, language: language.to_owned(), code }
            })
        }
        Meaning::Query => {
            let (pointer, statement) = given.text(STATEMENT)?;
            Ok(ActionKind::Query { pointer, statement })
        }
        Meaning::File(operation) => given.file(operation),
        Meaning::FileCommand => given.file(given.file_command()?),
        Meaning::Patch => given.patch(),
        Meaning::Http(method) => given.request(method),
        Meaning::Git | Meaning::Other => Ok(ActionKind::Tool),
    }
}

struct Given<'a> {
    tool: &'a str,
    arguments: &'a Map<String, Value>,
}

impl<'a> Given<'a> {
    fn find(&self, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
        names.iter().find_map(|name| {
            self.arguments.get(*name).filter(|value| !value.is_null()).map(|value| (*name, value))
        })
    }

    fn require(&self, names: &[&'static str]) -> Result<(&'static str, &'a Value), BadCall> {
        self.find(names).ok_or_else(|| BadCall {
            pointer: pointer(names.first().copied().unwrap_or_default()),
            problem: Problem::Missing { tool: self.tool.to_owned() },
        })
    }

    fn text(&self, names: &[&'static str]) -> Result<(String, String), BadCall> {
        let (name, value) = self.require(names)?;
        let text = value.as_str().ok_or_else(|| wrong_type(pointer(name), "a string", value))?;
        Ok((pointer(name), text.to_owned()))
    }

    fn command(&self) -> Result<(String, String), BadCall> {
        let (name, value) = self.require(COMMAND)?;
        let at = pointer(name);
        match value {
            Value::String(command) => {
                let mut command = command.clone();
                // `{"command": "rm", "args": ["-rf", "/"]}`: what is run is both.
                for more in ["args", "argv"].iter().filter(|more| **more != name) {
                    if let Some(Value::Array(words)) = self.arguments.get(*more) {
                        command.push(' ');
                        command.push_str(&joined(&pointer(more), words)?);
                    }
                }
                Ok((at, command))
            }
            Value::Array(words) => Ok((at.clone(), joined(&at, words)?)),
            other => Err(wrong_type(at, "a string or a list of strings", other)),
        }
    }

    fn language(&self) -> Option<&'static str> {
        let word =
            self.arguments.get("language").or_else(|| self.arguments.get("lang"))?.as_str()?;
        match word.to_ascii_lowercase().as_str() {
            "python" | "python3" | "py" | "ipython" => Some("python"),
            "javascript" | "js" | "node" | "typescript" | "ts" => Some("javascript"),
            "bash" | "sh" | "shell" | "zsh" => Some("shell"),
            "ruby" | "rb" => Some("ruby"),
            "perl" => Some("perl"),
            "php" => Some("php"),
            "r" => Some("r"),
            _ => Some("unknown"),
        }
    }

    fn file_command(&self) -> Result<FileOperation, BadCall> {
        let (at, word) = self.text(&["command"])?;
        match word.as_str() {
            "view" => Ok(FileOperation::Read),
            "create" => Ok(FileOperation::Write),
            "str_replace" | "insert" | "undo_edit" => Ok(FileOperation::Edit),
            _ => Err(BadCall {
                pointer: at,
                problem: Problem::NotOneOf {
                    expected: "`view`, `create`, `str_replace`, `insert`, `undo_edit`",
                    found: word,
                },
            }),
        }
    }

    fn file(&self, operation: FileOperation) -> Result<ActionKind, BadCall> {
        let content = match operation {
            FileOperation::Write | FileOperation::Edit => self.content(),
            FileOperation::Read | FileOperation::Search | FileOperation::Delete => None,
        };
        let listed = self.listed_paths(operation)?;
        let (pointer, path, others) = match (self.find(PATH), listed) {
            (Some((name, value)), listed) => {
                let text =
                    value.as_str().ok_or_else(|| wrong_type(pointer(name), "a string", value))?;
                let mut others = listed.unwrap_or_default();
                others.extend(self.other_paths(name, text, operation));
                (pointer(name), text.to_owned(), others)
            }
            (None, Some(mut all)) if !all.is_empty() => {
                let first = all.remove(0);
                (first.pointer, first.path, all)
            }
            // A search without a path looks where the call runs.
            (None, _) if operation == FileOperation::Search => {
                (String::new(), ".".to_owned(), vec![])
            }
            (None, _) => {
                let (pointer, path) = self.text(PATH)?;
                (pointer, path, vec![])
            }
        };
        Ok(ActionKind::File { operation, pointer, path, content, others })
    }

    /// The paths under other names than the one that counts for us: which one counts for the tool is not known.
    fn other_paths(&self, name: &str, path: &str, operation: FileOperation) -> Vec<OtherFile> {
        let others = PATH.iter().filter(|other| **other != name);
        let given = others.filter_map(|other| Some((other, self.arguments.get(*other)?.as_str()?)));
        given
            .filter(|(_, other)| *other != path)
            .map(|(name, path)| OtherFile {
                operation,
                pointer: pointer(name),
                path: path.to_owned(),
            })
            .collect()
    }

    fn listed_paths(&self, operation: FileOperation) -> Result<Option<Vec<OtherFile>>, BadCall> {
        let Some((name, value)) = self.find(PATHS) else { return Ok(None) };
        let at = pointer(name);
        let Value::Array(items) = value else {
            return Err(wrong_type(at, "a list of strings", value));
        };
        if items.len() > MAX_FILES {
            return Err(BadCall { pointer: at, problem: Problem::TooManyFiles });
        }
        let mut paths = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = format!("{at}/{index}");
            let (pointer, path) = match (item.as_str(), item.get("path").and_then(Value::as_str)) {
                (Some(path), _) => (at, path),
                (None, Some(path)) => (format!("{at}/path"), path),
                (None, None) => return Err(wrong_type(at, "a string", item)),
            };
            paths.push(OtherFile { operation, pointer, path: path.to_owned() });
        }
        Ok(Some(paths))
    }

    /// The new text of a file, under all the names that it can have. Text that is replaced is not judged: it is there
    /// already.
    fn content(&self) -> Option<(String, String)> {
        let in_edit =
            |edit: &'a Value| CONTENT.iter().find_map(|key| Some((*key, edit.get(*key)?)));
        let in_list = |name: &&'static str| {
            let list = self.arguments.get(*name).and_then(Value::as_array);
            let edits = list.into_iter().flatten().enumerate();
            let texts = edits.filter_map(|(index, edit)| {
                let (key, text) = in_edit(edit)?;
                Some((format!("/{name}/{index}/{key}"), text.as_str()?.to_owned()))
            });
            texts.collect::<Vec<_>>()
        };
        let listed = EDITS.iter().flat_map(in_list);
        let alone = CONTENT.iter().filter_map(|name| match self.arguments.get(*name)? {
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
            value => Some((pointer(name), words(value))),
        });
        let mut texts = listed.chain(alone);
        let (at, text) = texts.next()?;
        let rest: Vec<_> = texts.map(|(_, text)| text).collect();
        if rest.is_empty() {
            return Some((at, text));
        }
        let list = self.find(EDITS).map(|(name, _)| pointer(name)).unwrap_or_default();
        Some((list, [vec![text], rest].concat().join("\n")))
    }

    fn patch(&self) -> Result<ActionKind, BadCall> {
        let (name, value) = self.require(PATCH)?;
        let at = pointer(name);
        // Codex sends `["apply_patch", "*** Begin Patch…"]`.
        let patch = match value {
            Value::String(patch) => patch.clone(),
            Value::Array(parts) => {
                let parts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
                parts.join("\n")
            }
            other => return Err(wrong_type(at, "a string", other)),
        };
        let mut others = patched_files(&at, &patch);
        if others.len() > MAX_FILES {
            return Err(BadCall { pointer: at, problem: Problem::TooManyFiles });
        }
        let (operation, path, pointer) = match self.find(PATH) {
            Some((name, value)) => {
                let path =
                    value.as_str().ok_or_else(|| wrong_type(pointer(name), "a string", value))?;
                (FileOperation::Edit, path.to_owned(), pointer(name))
            }
            None if others.is_empty() => {
                return Err(BadCall {
                    pointer: at,
                    problem: Problem::NotOneOf {
                        expected: "a patch that names its files",
                        found: patch.chars().take(40).collect(),
                    },
                });
            }
            None => {
                let first = others.remove(0);
                (first.operation, first.path, first.pointer)
            }
        };
        let content = Some((at, patch));
        Ok(ActionKind::File { operation, pointer, path, content, others })
    }

    fn request(&self, otherwise: &str) -> Result<ActionKind, BadCall> {
        let (pointer, url) = self.text(URL)?;
        let method = match self.find(METHOD) {
            Some((name, value)) => value
                .as_str()
                .ok_or_else(|| wrong_type(self::pointer(name), "a string", value))?
                .to_ascii_uppercase(),
            None => otherwise.to_owned(),
        };
        let body = self.find(BODY).map(|(name, value)| (self::pointer(name), words(value)));
        Ok(ActionKind::Http { pointer, url, method, body })
    }
}

/// The files that a patch names, in the form of `apply_patch` or of `diff -u`, each once.
fn patched_files(pointer: &str, patch: &str) -> Vec<OtherFile> {
    let mut seen = std::collections::BTreeSet::new();
    let mut files = Vec::new();
    for line in patch.lines() {
        let Some((operation, path)) = patched_file(line.trim_start()) else { continue };
        if !path.is_empty() && path != "/dev/null" && seen.insert(path.to_owned()) {
            files.push(OtherFile { operation, pointer: pointer.to_owned(), path: path.to_owned() });
        }
    }
    files
}

/// The files that a patch names as it spells them, `a/x` and `b/x` of git's included, and what becomes of each: by every kind of line that
/// one of the programs goes by, since which of two names it takes is told by what is there.
pub fn files_of_patch(patch: &str) -> Vec<(FileOperation, String)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut files = Vec::new();
    let mut take = |operation: FileOperation, name: &str| {
        let name = unquoted(name.split('\t').next().unwrap_or(name).trim());
        let is_new = !name.is_empty() && name != "/dev/null";
        if is_new && seen.insert((operation == FileOperation::Delete, name.clone())) {
            files.push((operation, name));
        }
    };
    let mut lines = patch.lines().map(str::trim_start).peekable();
    let mut before = "";
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("+++ ") {
            if rest.trim_start().starts_with("/dev/null") {
                take(FileOperation::Delete, before.strip_prefix("--- ").unwrap_or_default());
            }
            take(FileOperation::Edit, rest);
        } else if let Some(rest) = line.strip_prefix("--- ") {
            let is_name = before.starts_with("*** ")
                || lines.peek().is_some_and(|next| next.starts_with("+++ "));
            if is_name {
                take(FileOperation::Edit, rest);
            }
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            // The only name that a change of bytes has.
            let named = rest.rfind(" b/").or_else(|| rest.rfind(" \"b/"));
            take(FileOperation::Edit, named.and_then(|at| rest.get(at + 1..)).unwrap_or_default());
        } else if let Some(rest) =
            line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to "))
        {
            take(FileOperation::Write, &format!("b/{}", unquoted(rest.trim())));
        } else if let Some(rest) = line.strip_prefix("rename from ") {
            take(FileOperation::Delete, &format!("a/{}", unquoted(rest.trim())));
        } else if let Some(rest) = line.strip_prefix("Index: ") {
            take(FileOperation::Edit, rest);
        } else if line.starts_with("*** ")
            && let Some((operation, name)) = patched_file(line)
        {
            take(operation, name);
        }
        before = line;
    }
    files
}

/// A name as git and patch quote it: `"b/\303\244"`.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"') else { return name.to_owned() };
    let mut bytes = Vec::new();
    let mut letters = inner.bytes().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            b'"' => break,
            b'\\' => match letters.next() {
                Some(first @ b'0'..=b'7') => {
                    let mut value = u32::from(first - b'0');
                    for _ in 0..2 {
                        let Some(digit) = letters.next_if(|it| (b'0'..=b'7').contains(it)) else {
                            break;
                        };
                        value = value * 8 + u32::from(digit - b'0');
                    }
                    bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
                }
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(other) => bytes.push(other),
                None => {}
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The file that a line of a patch names, and what becomes of it.
fn patched_file(line: &str) -> Option<(FileOperation, &str)> {
    const MARKS: &[(&str, FileOperation)] = &[
        ("*** Update File: ", FileOperation::Edit),
        ("*** Add File: ", FileOperation::Write),
        ("*** Delete File: ", FileOperation::Delete),
        ("*** Move to: ", FileOperation::Write),
        ("+++ ", FileOperation::Edit),
        ("--- ", FileOperation::Edit),
        ("rename to ", FileOperation::Write),
    ];
    let (operation, path) =
        MARKS.iter().find_map(|(mark, operation)| Some((*operation, line.strip_prefix(mark)?)))?;
    let path = path.split('\t').next().unwrap_or(path).trim();
    let path = if line.starts_with("***") || line.starts_with("rename") {
        path
    } else {
        path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
    };
    Some((operation, path))
}

/// What a patch leaves in a file, as far as the patch shows it: what it adds and what it keeps, without the signs before the lines. Where the
/// patch names no such file, as without a `path`, all of its text stays beside what its lines say. `None` where the text is no patch.
///
/// Where stars name files, a line that looks like a name of the other form is content: nothing leaves a file's text by looking like a name.
pub fn patched_text(patch: &str, path: Option<&str>) -> Option<String> {
    let is_name = |line: &&str| line.starts_with("*** ") && patched_file(line).is_some();
    let is_starred = patch.lines().any(|line| is_name(&line));
    let bare = path
        .map(|path| path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path));
    let named = |line| {
        path.is_some()
            && patched_file(line)
                .is_some_and(|(_, named)| Some(named) == path || Some(named) == bare)
    };
    let mut kept = Vec::new();
    let (mut is_here, mut was_here) = (false, false);
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        let pair = lines
            .peek()
            .filter(|next| !is_starred && line.starts_with("--- ") && next.starts_with("+++ "));
        if let Some(next) = pair {
            is_here = named(line) || named(next);
            lines.next();
        } else if is_starred && is_name(&line) {
            is_here = named(line) || line.starts_with("*** Move to: ") && is_here;
        } else if is_here {
            kept.extend(kept_line(line));
        }
        was_here |= is_here;
    }
    if was_here {
        return Some(kept.join("\n"));
    }
    let is_patch = is_starred || patch.lines().any(|line| line.starts_with("@@"));
    let all = std::iter::once(patch).chain(patch.lines().filter_map(kept_line));
    is_patch.then(|| all.collect::<Vec<_>>().join("\n"))
}

/// What a line of a patch leaves in the file.
fn kept_line(line: &str) -> Option<&str> {
    line.strip_prefix(['+', ' ']).or_else(|| line.is_empty().then_some(""))
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A list of words as the command line that runs them.
fn joined(pointer: &str, words: &[Value]) -> Result<String, BadCall> {
    let mut quoted = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let word = word
            .as_str()
            .ok_or_else(|| wrong_type(format!("{pointer}/{index}"), "a string", word))?;
        quoted.push(shell_quoted(word));
    }
    Ok(quoted.join(" "))
}

/// One word for a shell, quoted where it needs to be.
pub fn shell_quoted(word: &str) -> String {
    let plain = !word.is_empty()
        && word.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'/' | b',' | b':' | b'+' | b'@' | b'%')
        });
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn pointer(name: &str) -> String {
    pointer::to("", name)
}

fn wrong_type(pointer: String, expected: &'static str, value: &Value) -> BadCall {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    BadCall { pointer, problem: Problem::WrongType { expected, found } }
}
