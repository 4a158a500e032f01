//! Examples beside rules. Owns the notation of an example and how it is tried; what a rule matches, the core knows.
//!
//! An example of a rule for shell commands, or for a finding, is a command. An example of any other rule is a tool and what it
//! is called with: `Read src/main.rs`, `WebFetch https://example.com/`, `mcp__notes__search {"query": "x"}`.

use std::ops::Range;

use portcullis_core::{
    action::Action,
    call::ToolCall,
    decision::Layer,
    facts::Facts,
    gate::Gate,
    policy::{Confirmation, Policy, PolicyOptions, Rule},
    tool::{self, Meaning},
};
use serde_json::{Map, Value};

use super::error::Misreading;

/// The working directory and the workspace of every example.
pub const WORKSPACE: &str = "/workspace";

/// The home directory of every example.
pub const HOME: &str = "/home/user";

/// Which list a rule stands in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum List {
    /// What goes on.
    Allow,
    /// What is asked about.
    Ask,
    /// What is denied.
    Deny,
}

/// What a rule must match, or must not.
#[derive(Clone, Debug)]
pub struct Example {
    /// The list of its rule.
    pub list: List,
    /// Its rule.
    pub rule: Rule,
    /// What is tried.
    pub text: String,
    /// Where it stands in its file.
    pub span: Range<usize>,
    /// Whether the rule must match it.
    pub matches: bool,
}

impl List {
    /// Its key in the file.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Allow => "rules.allow",
            Self::Ask => "rules.ask",
            Self::Deny => "rules.deny",
        }
    }
}

impl Example {
    /// What is wrong with it; `None` where the rule does what the example says.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let call = match self.call() {
            Ok(call) => call,
            Err(problem) => return Some(problem),
        };
        let action = match Action::of_own_tool(call) {
            Ok(action) => action,
            Err(error) => return Some(format!("`{}` is no call: {error}", self.text)),
        };
        match (self.matches, self.is_matched(&action)) {
            (true, false) => Some(format!("`{}` does not match `{}`", self.rule, self.text)),
            (false, true) => Some(format!("`{}` matches `{}`", self.rule, self.text)),
            (true, true) | (false, false) => None,
        }
    }

    /// Fails as a place in the file.
    pub(super) fn check(&self) -> Result<(), Misreading> {
        let Some(problem) = self.problem() else { return Ok(()) };
        let help = match (self.matches, self.list) {
            (true, List::Allow) => {
                "a rule that allows has to cover all that would run; change the rule or the example"
            }
            (true, _) | (false, _) => "change the rule or the example",
        };
        Err(Misreading::new(self.span.clone(), problem).with_help(help))
    }

    /// Judged by a policy that has just this rule.
    fn is_matched(&self, action: &Action) -> bool {
        let rules = vec![self.rule.clone()];
        let confirmation = Confirmation::Always;
        let (options, layer) = match self.list {
            List::Allow => (
                PolicyOptions { allow: rules, confirmation, ..PolicyOptions::default() },
                Layer::AllowRule,
            ),
            List::Ask | List::Deny => (
                PolicyOptions { deny: rules, confirmation, ..PolicyOptions::default() },
                Layer::DenyRule,
            ),
        };
        let facts = Facts {
            cwd: Some(WORKSPACE.to_owned()),
            workspace: Some(WORKSPACE.to_owned()),
            home: Some(HOME.to_owned()),
            ..Facts::default()
        };
        Gate::new(Policy::new(options)).judge(action, &facts).decision.layer == layer
    }

    fn call(&self) -> Result<ToolCall, String> {
        let rule = self.rule.to_string();
        let name = rule.split('(').next().unwrap_or_default().trim();
        if rule.starts_with("finding:") || tool::meaning(name) == Meaning::Shell {
            return Ok(ToolCall::shell(self.text.as_str()));
        }
        let text = self.text.trim();
        let (tool, argument) = match text.split_once(char::is_whitespace) {
            Some((tool, argument)) => (tool, argument.trim()),
            None => (text, ""),
        };
        let mut arguments = Map::new();
        if argument.starts_with('{') {
            arguments = serde_json::from_str(argument)
                .map_err(|error| format!("the arguments in `{text}` are malformed: {error}"))?;
        } else if !argument.is_empty() {
            let name = tool::sole_argument(tool).ok_or_else(|| {
                format!("what `{tool}` takes is not one text; write its arguments as JSON")
            })?;
            arguments.insert(name.to_owned(), Value::String(argument.to_owned()));
        }
        Ok(ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() })
    }
}
