//! Servers in a text of settings. Owns how each form says what starts a server, and how just that is changed; which file it is, it does not know.

use std::{collections::BTreeMap, ops::Range};

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;

use super::place::Form;
use crate::install::json::{self, Fragment, Node, Step};

/// The most servers of one file.
const SERVERS: usize = 256;

/// A server in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Server {
    /// What it is called.
    pub name: String,
    /// Where it stands, the keys from the root on.
    pub path: Vec<String>,
    /// What starts it; nothing where it is reached by an address.
    pub words: Vec<String>,
    /// The variables that its entry names.
    pub variables: Vec<String>,
    /// Where it is reached, where it is.
    pub url: Option<String>,
    /// The bytes of `command` and of `args`, where the form needs them.
    pub(super) spans: (Option<Range<usize>>, Option<Range<usize>>),
}

/// Why a text is left alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    /// It is no JSON.
    #[error("{0}")]
    Json(#[from] json::Misread),
    /// It is no TOML.
    #[error("{}", .0.message())]
    Toml(#[from] toml::de::Error),
    /// There is more than anybody writes.
    #[error("it has more than 256 servers")]
    TooMany,
    /// What was written does not read as it should.
    #[error("the entry of `{0}` is written in a way that is not changed here")]
    Unchanged(String),
}

/// The servers of a text.
///
/// # Errors
/// [`Unreadable`].
pub(super) fn servers(text: &str, form: Form) -> Result<Vec<Server>, Unreadable> {
    let found = match form {
        Form::Json(path) | Form::Words(path) => {
            let Some(root) = json::read(text)? else { return Ok(Vec::new()) };
            let mut found = Vec::new();
            walk(&root, path, &mut Vec::new(), form, &mut found);
            found
        }
        Form::Toml(table) => of_toml(text, table)?,
    };
    if found.len() > SERVERS { Err(Unreadable::TooMany) } else { Ok(found) }
}

/// The text with other words for a server.
///
/// # Errors
/// [`Unreadable`].
pub(super) fn with_words(
    text: &str,
    form: Form,
    server: &Server,
    words: &[String],
) -> Result<String, Unreadable> {
    let unchanged = || Unreadable::Unchanged(server.name.clone());
    let (command, arguments) = words.split_first().ok_or_else(unchanged)?;
    let list = |words: &[String]| Fragment::List(words.iter().map(Fragment::text).collect());
    let path = |last: &'static str| -> Vec<&str> {
        server.path.iter().map(String::as_str).chain([last]).collect()
    };
    let after = match form {
        Form::Json(_) => {
            let text = json::set(text, &path("command"), &Fragment::text(command))?;
            if arguments.is_empty() && server.words.len() > 1 {
                let mut steps: Vec<Step> = server.path.iter().cloned().map(Step::Key).collect();
                steps.push(Step::Key("args".to_owned()));
                json::remove(&text, &steps)?
            } else {
                json::set(&text, &path("args"), &list(arguments))?
            }
        }
        Form::Words(_) => json::set(text, &path("command"), &list(words))?,
        Form::Toml(_) => spliced(text, server, command, arguments).ok_or_else(unchanged)?,
    };
    // What was written must say just this.
    let is_so =
        servers(&after, form)?.iter().any(|one| one.path == server.path && one.words == words);
    if is_so { Ok(after) } else { Err(unchanged()) }
}

fn walk(node: &Node, path: &[&str], above: &mut Vec<String>, form: Form, found: &mut Vec<Server>) {
    let Some(members) = node.members() else { return };
    match path {
        [] => found.extend(members.iter().filter_map(|member| {
            let mut path = above.clone();
            path.push(member.key.clone());
            server(&member.key, path, &member.value.value(), form)
        })),
        [step, rest @ ..] => {
            for member in members.iter().filter(|member| *step == "*" || member.key == *step) {
                above.push(member.key.clone());
                walk(&member.value, rest, above, form, found);
                above.pop();
            }
        }
    }
}

fn server(name: &str, path: Vec<String>, entry: &Value, form: Form) -> Option<Server> {
    let texts = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let command = entry.get("command");
    let words = match form {
        Form::Words(_) => command.and_then(texts).unwrap_or_default(),
        _ => match command.and_then(Value::as_str) {
            None => Vec::new(),
            Some(command) => {
                let arguments = match entry.get("args") {
                    None | Some(Value::Null) => Vec::new(),
                    Some(arguments) => texts(arguments)?,
                };
                std::iter::once(command.to_owned()).chain(arguments).collect()
            }
        },
    };
    let variables = ["env", "environment"].iter().filter_map(|key| entry.get(*key)?.as_object());
    let variables = variables.flat_map(|variables| variables.keys().cloned()).collect();
    let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|key| entry.get(*key)?.as_str());
    let is_any = !words.is_empty() || url.is_some();
    is_any.then(|| Server {
        name: name.to_owned(),
        path,
        words,
        variables,
        url: url.map(str::to_owned),
        spans: (None, None),
    })
}

#[derive(Deserialize)]
struct Table {
    command: Option<Spanned<String>>,
    args: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    env: BTreeMap<String, toml::Value>,
    url: Option<String>,
}

fn of_toml(text: &str, table: &str) -> Result<Vec<Server>, Unreadable> {
    let mut root: BTreeMap<String, toml::Value> = toml::from_str(text)?;
    if !root.remove(table).is_some_and(|value| value.is_table()) {
        return Ok(Vec::new());
    }
    #[derive(Deserialize)]
    struct Root {
        #[serde(default, alias = "mcp_servers")]
        servers: BTreeMap<String, Table>,
    }
    let root: Root = toml::from_str(text)?;
    let one = |(name, table_of_it): (String, Table)| {
        let Table { command, args, env, url } = table_of_it;
        let spans = (command.as_ref().map(Spanned::span), args.as_ref().map(Spanned::span));
        let words = command.into_iter().map(Spanned::into_inner);
        let words = words.chain(args.into_iter().flat_map(Spanned::into_inner)).collect();
        Server {
            path: vec![table.to_owned(), name.clone()],
            name,
            words,
            variables: env.into_keys().collect(),
            url,
            spans,
        }
    };
    Ok(root.servers.into_iter().map(one).collect())
}

/// The text with other values where `command` and `args` stand.
fn spliced(text: &str, server: &Server, command: &str, arguments: &[String]) -> Option<String> {
    let (command_at, arguments_at) = server.spans.clone();
    let command_at = command_at?;
    let quoted = |word: &str| toml::Value::String(word.to_owned()).to_string();
    let list = || {
        let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        format!("[{}]", words.join(", "))
    };
    let mut changes: Vec<(Range<usize>, String)> = vec![(command_at.clone(), quoted(command))];
    match arguments_at {
        Some(at) if arguments.is_empty() && is_own_line(text, &at) => {
            let start = text.get(..at.start)?.rfind('\n')?;
            changes.push((start..at.end, String::new()));
        }
        Some(at) if arguments.is_empty() => {
            // In a table on one line the key goes with the comma before it.
            let key = text.get(..at.start)?.rfind("args")?;
            let before = text.get(..key)?.trim_end();
            let start = before.strip_suffix(',').map_or(key, |before| before.trim_end().len());
            changes.push((start..at.end, String::new()));
        }
        Some(at) => changes.push((at, list())),
        None if arguments.is_empty() => {}
        None if is_own_line(text, &command_at) => {
            changes.push((command_at.end..command_at.end, format!("\nargs = {}", list())));
        }
        None => changes.push((command_at.end..command_at.end, format!(", args = {}", list()))),
    }
    changes.sort_by_key(|(at, _)| (at.start, at.end));
    let mut after = String::with_capacity(text.len() + 256);
    let mut copied = 0;
    for (at, new) in changes {
        after.push_str(text.get(copied..at.start)?);
        after.push_str(&new);
        copied = at.end;
    }
    after.push_str(text.get(copied..)?);
    Some(after)
}

/// Whether the key of a value begins its line: it stands in a table of its own, and not in one that is written on one line.
fn is_own_line(text: &str, at: &Range<usize>) -> bool {
    let before = text.get(..at.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start().split('=').next().is_some_and(|key| matches!(key.trim(), "command" | "args"))
}
