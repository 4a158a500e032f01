//! The files of cases. Owns their format:
//!
//! ```text
//! start: shell, cleared
//! keys: decision reason
//!
//! === what is shown
//! ? --config {root}/broken.toml NAME=value
//! {"the": "payload"}
//! --- exit 0
//! {"the": "output"}
//! --- error
//! the standard error
//! ```

use serde_json::Value;

/// How an agent starts its hooks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Start {
    /// As a line for a shell.
    Shell,
    /// As a program with arguments.
    Program,
}

/// The cases of one agent.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) agent: String,
    pub(crate) start: Start,
    /// Whether it clears the environment.
    pub(crate) cleared: bool,
    /// The keys that its documents give an answer.
    pub(crate) keys: Vec<String>,
    pub(crate) cases: Vec<Case>,
}

/// A payload and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) title: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<String>,
    pub(crate) payload: String,
    pub(crate) answer: Answer,
}

/// What a process gave back.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Answer {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Suite {
    pub(crate) fn read(agent: String, text: &str) -> Self {
        let (head, rest) = text.split_once("\n=== ").expect("a file of cases has cases");
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{agent} lacks `{name}`")).trim().to_owned()
        };
        let start = field("start:");
        Self {
            start: if start.starts_with("shell") { Start::Shell } else { Start::Program },
            cleared: start.ends_with("cleared"),
            keys: field("keys:").split_whitespace().map(str::to_owned).collect(),
            cases: rest.split("\n=== ").map(Case::read).collect(),
            agent,
        }
    }

    pub(crate) fn text(&self) -> String {
        let start = match self.start {
            Start::Shell => "shell",
            Start::Program => "program",
        };
        let cleared = if self.cleared { ", cleared" } else { "" };
        let cases: Vec<_> = self.cases.iter().map(Case::text).collect();
        format!("start: {start}{cleared}\nkeys: {}\n\n{}", self.keys.join(" "), cases.join("\n"))
    }
}

impl Case {
    fn read(text: &str) -> Self {
        let (asked, answered) = text.split_once("\n--- exit").unwrap_or((text, " 0\n"));
        let (title, mut payload) = asked.split_once('\n').expect(text);
        let mut options = Vec::new();
        if let Some(rest) = payload.strip_prefix("? ") {
            let (line, rest) = rest.split_once('\n').expect(text);
            options = line.split_whitespace().map(str::to_owned).collect();
            payload = rest;
        }
        let (variables, arguments) = options
            .into_iter()
            .partition(|word| word.contains('=') && word.starts_with(char::is_uppercase));
        let (exit, outputs) = answered.split_once('\n').unwrap_or((answered, ""));
        let (out, err) = match outputs.split_once("--- error\n") {
            Some((out, err)) => (out.to_owned(), err.to_owned()),
            None => (outputs.to_owned(), String::new()),
        };
        Self {
            title: title.to_owned(),
            arguments,
            variables,
            payload: format!("{}\n", payload.trim_end()),
            answer: Answer { exit: exit.trim().parse().expect(text), out, err },
        }
    }

    fn text(&self) -> String {
        let options: Vec<_> = self.arguments.iter().chain(&self.variables).cloned().collect();
        let options =
            if options.is_empty() { String::new() } else { format!("? {}\n", options.join(" ")) };
        let Self { title, payload, answer, .. } = self;
        format!("=== {title}\n{options}{payload}{}", answer.page())
    }
}

impl Answer {
    pub(crate) fn page(&self) -> String {
        let Self { exit, out, err } = self;
        let err = if err.is_empty() { String::new() } else { format!("--- error\n{err}") };
        format!("--- exit {exit}\n{out}{err}")
    }

    /// Whether the call cannot go on, in one of the documented forms.
    pub(crate) fn is_denial(&self) -> bool {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_default();
        let word = |pointer| value.pointer(pointer).and_then(Value::as_str);
        (self.exit == 2 && !self.err.trim().is_empty())
            || word("/hookSpecificOutput/permissionDecision") == Some("deny")
            || word("/hookSpecificOutput/decision/behavior") == Some("deny")
            || word("/permissionDecision") == Some("deny")
            || word("/permission") == Some("deny")
            || matches!(word("/decision"), Some("deny" | "block"))
            || word("/verdict") == Some("deny")
            || value.pointer("/cancel") == Some(&Value::Bool(true))
            // Another command runs in its place.
            || value.pointer("/overrideInput").is_some()
    }

    /// Whether it cannot go on without a person.
    pub(crate) fn is_objection(&self) -> bool {
        let value: Value = serde_json::from_str(&self.out).unwrap_or_default();
        let word = |pointer| value.pointer(pointer).and_then(Value::as_str);
        self.is_denial()
            || word("/hookSpecificOutput/permissionDecision") == Some("ask")
            || word("/permissionDecision") == Some("ask")
            || word("/decision") == Some("force_ask")
            || word("/verdict") == Some("ask")
    }
}
