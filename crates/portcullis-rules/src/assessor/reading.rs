//! What the code of an action is and does. Owns the guess which language it is, and the text that patterns are matched on.

use std::borrow::Cow;

use serde_json::Value;

use super::{ActionMap, printed};
use crate::{
    action::Action,
    call::ToolCall,
    effect::{EffectKind, Effects, Run},
    facts::Facts,
    finding::{Confidence, Finding},
    programs,
    risk::Severity,
    rules::{self, Scene},
    understand,
};

/// What the code is written in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Language {
    Shell,
    Query,
    /// Python, unless the action says otherwise.
    Code,
}

/// The code of an action, read once for all rules.
pub(super) struct Reading<'a> {
    pub(super) language: Language,
    pub(super) effects: Effects,
    pub(super) findings: Vec<Finding>,
    pub(super) facts: Facts,
    /// The code with blanks for comments and for text that is only printed.
    pub(super) masked: Cow<'a, str>,
    /// The strings in it that are not only printed.
    pub(super) strings: Vec<String>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(action: &ActionMap, code: &'a str) -> Self {
        let said = said_language(action);
        let first = Self::in_language(action, code, said.unwrap_or_else(|| guessed_language(code)));
        let does_nothing = || {
            first
                .effects
                .list
                .iter()
                .all(|effect| matches!(effect.kind, EffectKind::Execute { .. }))
        };
        if said.is_some() || first.language == Language::Shell || is_python(code) || !does_nothing()
        {
            return first;
        }
        // Code that does nothing may be no code but a command that starts with a word that nobody knows.
        let second = Self::in_language(action, code, Language::Shell);
        let speaks = |finding: &Finding| {
            finding.severity >= Severity::Medium && finding.confidence > Confidence::Low
        };
        if second.findings.iter().any(speaks) { second } else { first }
    }

    fn in_language(action: &ActionMap, code: &'a str, language: Language) -> Self {
        let text = |key: &str| action.get(key).and_then(Value::as_str).map(str::to_owned);
        let (tool, argument) = match language {
            Language::Shell => ("bash", "command"),
            Language::Query => ("sql", "query"),
            Language::Code => ("code", "code"),
        };
        let mut call = ToolCall {
            tool: tool.to_owned(),
            cwd: text("cwd"),
            home: text("home"),
            ..ToolCall::default()
        };
        call.arguments.insert(argument.to_owned(), Value::String(code.to_owned()));
        if let (Language::Code, Some(name)) = (language, action.get("language")) {
            call.arguments.insert("language".to_owned(), name.clone());
        }
        let facts = Facts { cwd: call.cwd.clone(), home: call.home.clone(), ..Facts::default() };
        // The call is made here with what its tool needs, so that there is always an action.
        let (effects, findings) = match Action::from_call(call) {
            Ok(action) => {
                let effects = understand::understand(&action, &facts);
                let scene = Scene { action: &action, effects: &effects, facts: &facts };
                let findings = rules::apply(&scene);
                (effects, findings)
            }
            Err(_) => (Effects::default(), Vec::new()),
        };
        let (masked, strings) = match language {
            Language::Shell => (Cow::Owned(printed::without_quotes(code)), Vec::new()),
            Language::Query => (Cow::Borrowed(code), Vec::new()),
            Language::Code => {
                let (masked, strings) = printed::without_printed(code);
                (Cow::Owned(masked), strings)
            }
        };
        Self { language, effects, findings, facts, masked, strings }
    }

    /// Whether such a program is run.
    pub(super) fn runs(&self, program: fn(&Run) -> bool) -> bool {
        self.effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Run(run) => program(run),
            _ => false,
        })
    }

    pub(super) fn has_gaps(&self) -> bool {
        !self.effects.gaps.is_empty()
    }
}

/// The language as far as the action says it.
fn said_language(action: &ActionMap) -> Option<Language> {
    let said = |key: &str| {
        action.get(key).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
    };
    let (language, kind) = (said("language"), said("action"));
    let names = |list: &[&str]| list.iter().any(|name| language == *name || kind.contains(name));
    if names(&["bash", "shell", "terminal", "command"]) || language == "sh" || language == "zsh" {
        Some(Language::Shell)
    } else if names(&["sql", "query"]) {
        Some(Language::Query)
    } else {
        (!language.is_empty()).then_some(Language::Code)
    }
}

/// The language by how the code begins.
fn guessed_language(code: &str) -> Language {
    if is_shell(code) {
        Language::Shell
    } else if is_statement(code) {
        Language::Query
    } else {
        Language::Code
    }
}

/// Words of Python that are also names of programs or of the shell.
const PYTHON: &[&str] = &[
    "import", "from", "with", "for", "if", "while", "def", "class", "try", "return", "print",
    "del", "raise", "assert", "pass", "async", "await", "lambda", "global", "not", "yield",
    "break", "continue", "exec", "open",
];

/// Whether the first word is one that Python statements start with.
fn is_python(code: &str) -> bool {
    let first = code.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    first.is_some_and(|word| PYTHON.contains(&word))
}

/// Whether the first line that says anything starts with a program that we know and goes on as a command would.
fn is_shell(code: &str) -> bool {
    let Some(line) =
        code.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))
    else {
        return code.starts_with("#!")
            && code.lines().next().is_some_and(|first| first.ends_with("sh"));
    };
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or(first);
    let known = programs::program(name).is_some()
        || rules::names(name)
        || matches!(name, "cd" | "sudo" | "export" | "set");
    known
        && !PYTHON.contains(&first)
        && first.chars().all(|letter| letter.is_alphanumeric() || "_-./+".contains(letter))
        && !["=", "+=", "-=", ":", ".", ",", "==", "in", "is"].contains(&second)
        && !second.starts_with('(')
}

/// Whether the code is a statement of SQL by itself.
pub(super) fn is_statement(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    [
        "select", "insert", "update", "delete", "drop", "alter", "truncate", "create", "grant",
        "with", "replace", "merge",
    ]
    .iter()
    .any(|verb| first.eq_ignore_ascii_case(verb))
        && !second.is_empty()
        && second.chars().all(|letter| letter.is_alphanumeric() || "_.*,\"`(".contains(letter))
        && (!first.eq_ignore_ascii_case("with") || code.to_ascii_lowercase().contains("select"))
        && !code.trim_end().ends_with(':')
}
