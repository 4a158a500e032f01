//! The tools that an agent has without anybody registering one: a shell, files, search, the network. Owns what each takes and does; the checks
//! and the sandbox are the tool box's.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    sync::Arc,
    time::Duration,
};

use ignore::WalkBuilder;
use portcullis_core::{
    risk::Severity,
    validate::{PathRules, PathTarget, Validator},
};
use portcullis_net::{Client, Request};
use regex::RegexBuilder;
use serde_json::{Map, Value, json};

use crate::tools::{Does, Function, Hints, Opened, Output, Schema, SchemaError, Tool};

/// The permission that the tools need.
pub const PERMISSION: &str = "agent";

/// The most bytes of a file that is read, searched or changed.
const LONGEST: u64 = 4 << 20;

/// The most lines that a search finds, and how long one is shown.
const FOUND: usize = 200;
const SHOWN: usize = 400;

/// How large a pattern may become.
const PATTERN: usize = 1 << 20;

/// The most bytes of an answer.
const ANSWER: usize = 30_000;

/// The tools: a shell in this sandbox, files of the workspace, and the network through this client, where there is one.
///
/// # Errors
/// Never for these schemas; they are checked like any other.
pub fn built_in(sandbox: &str, client: Option<Arc<Client>>) -> Result<Vec<Tool>, SchemaError> {
    let text = |help: &str| json!({"type": "string", "description": help});
    let path = || text("The path, from the workspace");
    let inside = |write: bool| {
        let here = vec![".".to_owned()];
        Validator::Path(PathRules {
            read: here.clone(),
            write: if write { here } else { Vec::new() },
            target: PathTarget::File,
            create: write,
            ..PathRules::default()
        })
    };
    let mut tools = vec![
        Tool {
            does: Does::Shell,
            sandbox: sandbox.to_owned(),
            timeout: Duration::from_secs(600),
            ..tool(
                "bash",
                "Runs a command in bash, in a sandbox, in the workspace. Nothing is kept from one command to the next.",
                json!({"command": text("The command")}),
                &["command"],
                Vec::new(),
            )?
        },
        Tool {
            read_only: true,
            does: Does::Function(Arc::new(View)),
            ..tool(
                "view_file",
                "Shows a file with line numbers.",
                json!({
                    "path": path(),
                    "first": {"type": "integer", "minimum": 1, "description": "The first line"},
                    "last": {"type": "integer", "minimum": 1, "description": "The last line"},
                }),
                &["path"],
                vec![("path", inside(false))],
            )?
        },
        Tool {
            sandbox: "workspace-write".to_owned(),
            does: Does::Function(Arc::new(Create)),
            ..tool(
                "create_file",
                "Writes a file that is not there yet.",
                json!({"path": path(), "content": text("What stands in it")}),
                &["path", "content"],
                vec![("path", inside(true))],
            )?
        },
        Tool {
            sandbox: "workspace-write".to_owned(),
            does: Does::Function(Arc::new(Replace)),
            ..tool(
                "str_replace",
                "Replaces a text in a file, which has to stand there exactly once.",
                json!({"path": path(), "old_str": text("What stands there"), "new_str": text("What is to stand there")}),
                &["path", "old_str", "new_str"],
                vec![("path", inside(true))],
            )?
        },
        Tool {
            read_only: true,
            does: Does::Function(Arc::new(Search)),
            ..tool(
                "grep",
                "Searches the files below a path for a regular expression; what git ignores is left out.",
                json!({"path": path(), "pattern": text("The regular expression")}),
                &["path", "pattern"],
                vec![(
                    "path",
                    Validator::Path(PathRules {
                        read: vec![".".to_owned()],
                        target: PathTarget::Any,
                        ..PathRules::default()
                    }),
                )],
            )?
        },
    ];
    if let Some(client) = client {
        tools.push(Tool {
            does: Does::Function(Arc::new(Fetch(client))),
            timeout: Duration::from_secs(120),
            ..tool(
                "web_fetch",
                "Fetches a URL with GET. It leads to no private network.",
                json!({"url": text("The URL")}),
                &["url"],
                Vec::new(),
            )?
        });
    }
    Ok(tools)
}

fn tool(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
    mut held: Vec<(&str, Validator)>,
) -> Result<Tool, SchemaError> {
    let names: Vec<String> =
        properties.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let schema =
        Schema::new(json!({"type": "object", "properties": properties, "required": required}))?;
    // What they are held to beside this, the gate says when it reads the call.
    let validators = names.into_iter().map(|name| {
        let at = held.iter().position(|(held, _)| *held == name);
        (name, at.map(|at| held.swap_remove(at).1).into_iter().collect())
    });
    Ok(Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
        permissions: BTreeSet::from([PERMISSION.to_owned()]),
        risk: Severity::Safe,
        reversible: true,
        read_only: false,
        confirm: false,
        validators: validators.collect(),
        handed: BTreeSet::new(),
        timeout: Duration::from_secs(30),
        output: ANSWER,
        rate: None,
        sandbox: "read-only".to_owned(),
        hints: Hints::default(),
        does: Does::Shell,
    })
}

type Files = BTreeMap<String, Vec<Opened>>;

fn said(text: String) -> Result<Output, String> {
    Ok(Output { stdout: text, ..Output::default() })
}

fn word<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn opened(files: &Files) -> Result<&Opened, String> {
    files.get("path").and_then(|list| list.first()).ok_or_else(|| "there is no file".to_owned())
}

/// The text of a file.
fn content(file: &Opened) -> Result<String, String> {
    if file.new.is_some() {
        return Err("there is no such file".to_owned());
    }
    let bytes = file.read(LONGEST + 1).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("the file is longer than {LONGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())
}

struct View;

impl Function for View {
    fn call(&self, arguments: &Map<String, Value>, files: &Files) -> Result<Output, String> {
        let text = content(opened(files)?)?;
        let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
        let first = number("first").unwrap_or(1).max(1);
        let last = number("last").unwrap_or(u64::MAX);
        let lines = (1_u64..).zip(text.lines());
        let lines = lines.filter(|(number, _)| (first..=last).contains(number));
        said(lines.map(|(number, line)| format!("{number:6}  {line}\n")).collect())
    }
}

struct Create;

impl Function for Create {
    fn call(&self, arguments: &Map<String, Value>, files: &Files) -> Result<Output, String> {
        let file = opened(files)?;
        if file.new.is_none() {
            return Err("the file is there already; change it with `str_replace`".to_owned());
        }
        let content = word(arguments, "content");
        file.write(content.as_bytes()).map_err(|error| error.to_string())?;
        said(format!("wrote {} bytes", content.len()))
    }
}

struct Replace;

impl Function for Replace {
    fn call(&self, arguments: &Map<String, Value>, files: &Files) -> Result<Output, String> {
        let file = opened(files)?;
        let text = replaced(&content(file)?, arguments)?;
        file.write(text.as_bytes()).map_err(|error| error.to_string())?;
        said("replaced".to_owned())
    }
}

/// What `str_replace` makes of a text.
pub(super) fn replaced(text: &str, arguments: &Map<String, Value>) -> Result<String, String> {
    let (old, new) = (word(arguments, "old_str"), word(arguments, "new_str"));
    if old.is_empty() {
        return Err("`old_str` is empty".to_owned());
    }
    match text.matches(old).count() {
        1 => Ok(text.replacen(old, new, 1)),
        0 => Err("`old_str` does not stand in the file".to_owned()),
        more => Err(format!("`old_str` stands in the file {more} times")),
    }
}

struct Search;

impl Function for Search {
    fn call(&self, arguments: &Map<String, Value>, files: &Files) -> Result<Output, String> {
        let pattern = RegexBuilder::new(word(arguments, "pattern"))
            .size_limit(PATTERN)
            .dfa_size_limit(PATTERN)
            .build()
            .map_err(|error| format!("the pattern cannot be used: {error}"))?;
        let root = &opened(files)?.path;
        let mut found = String::new();
        let mut count = 0;
        // No link is followed: it could lead anywhere.
        for entry in WalkBuilder::new(root).follow_links(false).hidden(true).build().flatten() {
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let Ok(file) = File::open(entry.path()) else { continue };
            let shown = entry.path().strip_prefix(root).unwrap_or(entry.path());
            count += lines_with(&pattern, file, shown, FOUND - count, &mut found);
            if count >= FOUND {
                found.push_str("there is more\n");
                break;
            }
        }
        said(if found.is_empty() { "nothing was found".to_owned() } else { found })
    }
}

fn lines_with(
    pattern: &regex::Regex,
    file: File,
    shown: &Path,
    most: usize,
    found: &mut String,
) -> usize {
    let mut count = 0;
    for (number, line) in (1_u64..).zip(BufReader::new(file.take(LONGEST)).lines()) {
        // What is no text is not searched.
        let Ok(line) = line else { break };
        if pattern.is_match(&line) {
            let line: String = line.chars().take(SHOWN).collect();
            found.push_str(&format!("{}:{number}: {line}\n", shown.display()));
            count += 1;
            if count >= most {
                break;
            }
        }
    }
    count
}

struct Fetch(Arc<Client>);

impl Function for Fetch {
    fn call(&self, arguments: &Map<String, Value>, _: &Files) -> Result<Output, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let request = Request::get(word(arguments, "url"));
        let response = runtime
            .block_on(self.0.fetch(request, &mut |_| {}))
            .map_err(|failure| failure.to_string())?;
        let body = String::from_utf8_lossy(&response.body);
        said(format!("status {}\n\n{body}", response.status))
    }
}
