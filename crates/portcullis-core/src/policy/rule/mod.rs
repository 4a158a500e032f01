//! Rules that a person writes: what they allow, ask about or deny. Owns their grammar and what they match; the order in
//! which they are asked stands in `policy`.
//!
//! A rule is `Tool` or `Tool(specifier)`, as coding agents write them, or the same in fields ([`RuleOptions`]):
//!
//! | rule | matches |
//! |---|---|
//! | `Bash` | every shell command |
//! | `Bash(npm run test)` | this command |
//! | `Bash(git status:*)`, `Bash(git status *)` | this command with any further arguments |
//! | `Read(./.env)`, `Edit(src/**)`, `Write(//etc/**)`, `Read(~/.ssh/**)` | files: below the working directory, absolute (`//`), below the workspace (`/`), below the home directory (`~/`) |
//! | `WebFetch(domain:example.com)`, `WebFetch(domain:*.example.com)` | requests to a host; the wildcard does not match the bare domain |
//! | `mcp__server`, `mcp__server__tool`, `mcp__server__get_*` | tools of an MCP server |
//! | `finding:fs.delete.recursive` | actions with such a finding; only to ask or deny |
//!
//! A rule that allows has to cover the whole of an action as it was understood: every program that would run and everything
//! that would be done beside them. A rule that asks or denies matches as soon as a part of the action is what it names.

use std::{fmt, str::FromStr};

use crate::action::FileOperation;
use crate::risk::Severity;
use crate::tool::{self, Meaning};

mod command;
mod cover;
mod granted;
mod host;
mod path;

use command::CommandPattern;
use host::HostPattern;
use path::PathPattern;

pub(super) use cover::{Scope, admitted};
pub use granted::{NoPattern, TooWide, covered, narrow, proposed};

/// The longest rule that is read.
const LONGEST_RULE: usize = 4096;

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    written: String,
    tool: ToolPattern,
    command: Option<CommandPattern>,
    path: Option<PathPattern>,
    host: Option<HostPattern>,
    finding: Option<String>,
    most: Option<Severity>,
    reason: Option<String>,
}

/// A rule in fields. Everything that is given must hold.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RuleOptions {
    /// The tool, as in the string form.
    pub tool: Option<String>,
    /// The command, as in `Bash(…)`.
    pub command: Option<String>,
    /// The path, as in `Read(…)`.
    pub path: Option<String>,
    /// The host, without `domain:`.
    pub host: Option<String>,
    /// The id of a finding, or the beginning of several with `.*`. In a rule that allows: nothing else above `Low` may have
    /// been found.
    pub rule: Option<String>,
}

/// A rule that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{rule}` is not a rule: {problem}")]
pub struct RuleError {
    /// The rule as written.
    pub rule: String,
    /// What is wrong with it.
    pub problem: RuleProblem,
}

/// What is wrong with a rule.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleProblem {
    /// Nothing is written.
    #[error("it is empty")]
    Empty,
    /// It is longer than any rule needs to be.
    #[error("it is too long")]
    TooLong,
    /// `Bash(git status` or `Bash)`.
    #[error("its parentheses do not fit together")]
    Parentheses,
    /// The name of the tool holds a character that no tool has.
    #[error("the name of the tool holds a character that no tool has")]
    ToolName,
    /// `Bash()`.
    #[error(
        "there is nothing between the parentheses; write the tool alone to match all of its calls"
    )]
    EmptySpecifier,
    /// `Agent(x)`.
    #[error("this tool takes nothing in parentheses")]
    NoSpecifier,
    /// `Bash(git status && ls)`.
    #[error("a rule is about one command; write one rule for each")]
    SeveralCommands,
    /// `Bash(git $x)`.
    #[error("`$` and backquotes are not replaced in a rule")]
    Expansion,
    /// `Bash(git:* status)`.
    #[error("`:*` stands only at the end")]
    PrefixMark,
    /// A quote that does not end.
    #[error("a quote does not end")]
    Quote,
    /// More words than any rule needs.
    #[error("it has too many words")]
    TooManyWords,
    /// `WebFetch(example.com)`.
    #[error("write the host as `domain:example.com`")]
    NoDomain,
    /// `WebFetch(domain:*)`, `WebFetch(domain:*.com)`.
    #[error("the host is too wide; a wildcard needs a domain of its own, as in `*.example.com`")]
    WideHost,
    /// A host with a scheme, a port, a path or characters that no host has.
    #[error("the host is not a host name or an address")]
    BadHost,
    /// A path with `..`.
    #[error("`..` does not stand in the path of a rule")]
    ParentPath,
    /// `mcp__*`.
    #[error("a rule for MCP tools names its server")]
    McpServer,
    /// Neither a tool nor anything else is given.
    #[error("nothing in it says what it matches")]
    NothingGiven,
}

/// Which tools a rule is about.
#[derive(Clone, Debug, Eq, PartialEq)]
enum ToolPattern {
    Any,
    Shell,
    Code,
    Query,
    Read,
    Edit,
    Delete,
    /// Requests; only those that fetch where the name is one of a tool that can do no more.
    Http {
        fetch_only: bool,
    },
    Mcp {
        server: String,
        tool: Option<String>,
    },
    Named(String),
}

impl Rule {
    /// A rule from its fields.
    ///
    /// # Errors
    /// [`RuleError`] with the reason where a field cannot be read.
    ///
    /// ```
    /// use portcullis_core::policy::rule::{Rule, RuleOptions};
    ///
    /// let rule = Rule::new(&RuleOptions {
    ///     tool: Some("bash".into()),
    ///     command: Some("rm *".into()),
    ///     path: Some("build/**".into()),
    ///     ..RuleOptions::default()
    /// });
    /// assert!(rule.is_ok());
    /// assert!(Rule::new(&RuleOptions::default()).is_err());
    /// ```
    pub fn new(options: &RuleOptions) -> Result<Self, RuleError> {
        let written = described(options);
        Self::from_fields(options, written.clone())
            .map_err(|problem| RuleError { rule: written, problem })
    }

    fn from_fields(options: &RuleOptions, written: String) -> Result<Self, RuleProblem> {
        let RuleOptions { tool, command, path, host, rule } = options;
        if written.len() > LONGEST_RULE {
            return Err(RuleProblem::TooLong);
        }
        if tool.is_none() && command.is_none() && path.is_none() && host.is_none() && rule.is_none()
        {
            return Err(RuleProblem::NothingGiven);
        }
        Ok(Self {
            written,
            tool: tool.as_deref().map_or(Ok(ToolPattern::Any), tool_pattern)?,
            command: command.as_deref().map(CommandPattern::new).transpose()?,
            path: path.as_deref().map(PathPattern::new).transpose()?,
            host: host.as_deref().map(HostPattern::new).transpose()?,
            finding: rule.clone(),
            most: None,
            reason: None,
        })
    }

    /// The rule as it was written, without its reach.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The same rule for actions of at most this severity. It only matters in a rule that allows: such a one lets nothing
    /// through above it, whatever it matches.
    ///
    /// ```
    /// use portcullis_core::{
    ///     action::Action,
    ///     call::ToolCall,
    ///     decision::Verdict,
    ///     facts::Facts,
    ///     gate::Gate,
    ///     policy::{Policy, PolicyOptions, Rule},
    ///     risk::Severity,
    /// };
    ///
    /// let push: Rule = "Bash(git push:*)".parse()?;
    /// let policy = PolicyOptions { allow: vec![push.up_to(Severity::Medium)], ..PolicyOptions::default() };
    /// let gate = Gate::new(Policy::new(policy));
    /// let verdict = |command: &str| -> Result<Verdict, Box<dyn std::error::Error>> {
    ///     let action = Action::from_call(ToolCall::shell(command))?;
    ///     Ok(gate.judge(&action, &Facts::default()).decision.verdict)
    /// };
    /// assert_eq!(verdict("git push origin topic")?, Verdict::Allow);
    /// assert_eq!(verdict("git push --force origin main")?, Verdict::Ask);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn up_to(self, most: Severity) -> Self {
        Self { most: Some(most), ..self }
    }

    /// The same rule with why it is there, for whoever is stopped by it.
    #[must_use]
    pub fn because(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// Why it is there.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        parsed(text).map_err(|problem| RuleError { rule: text.to_owned(), problem })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)?;
        self.most.map_or(Ok(()), |most| write!(f, " up to {most}"))
    }
}

fn parsed(text: &str) -> Result<Rule, RuleProblem> {
    let rule = text.trim();
    if rule.is_empty() {
        return Err(RuleProblem::Empty);
    }
    let mut options = RuleOptions::default();
    if let Some(id) = rule.strip_prefix("finding:") {
        options.rule = Some(id.trim().to_owned());
        return Rule::from_fields(&options, rule.to_owned());
    }
    let (name, specifier) = match rule.split_once('(') {
        None if rule.contains(')') => return Err(RuleProblem::Parentheses),
        None => (rule, None),
        Some((name, rest)) => {
            (name, Some(rest.strip_suffix(')').ok_or(RuleProblem::Parentheses)?.trim()))
        }
    };
    options.tool = Some(name.to_owned());
    if let Some(specifier) = specifier {
        if specifier.is_empty() {
            return Err(RuleProblem::EmptySpecifier);
        }
        let everything = specifier == "*";
        match tool_pattern(name)? {
            ToolPattern::Shell if everything => {}
            ToolPattern::Shell => options.command = Some(specifier.to_owned()),
            ToolPattern::Read | ToolPattern::Edit | ToolPattern::Delete => {
                options.path = Some(specifier.to_owned());
            }
            ToolPattern::Http { .. } => {
                let host = specifier.strip_prefix("domain:").ok_or(RuleProblem::NoDomain)?;
                options.host = Some(host.trim().to_owned());
            }
            ToolPattern::Any
            | ToolPattern::Code
            | ToolPattern::Query
            | ToolPattern::Mcp { .. }
            | ToolPattern::Named(_) => return Err(RuleProblem::NoSpecifier),
        }
    }
    Rule::from_fields(&options, rule.to_owned())
}

fn tool_pattern(name: &str) -> Result<ToolPattern, RuleProblem> {
    let name = name.trim();
    if name.is_empty() {
        return Err(RuleProblem::Empty);
    }
    if let Some(rest) = name.strip_prefix(tool::MCP_PREFIX) {
        let (server, tool) = match rest.split_once("__") {
            Some((server, tool)) => (server, Some(tool)),
            None => (rest, None),
        };
        if server.is_empty() || server.contains('*') || tool.is_some_and(str::is_empty) {
            return Err(RuleProblem::McpServer);
        }
        return Ok(ToolPattern::Mcp {
            server: server.to_owned(),
            tool: tool.filter(|tool| *tool != "*").map(str::to_owned),
        });
    }
    if !name
        .chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':' | '/'))
    {
        return Err(RuleProblem::ToolName);
    }
    Ok(match tool::meaning(name) {
        Meaning::Shell => ToolPattern::Shell,
        Meaning::Code(_) => ToolPattern::Code,
        Meaning::Query => ToolPattern::Query,
        Meaning::File(FileOperation::Read | FileOperation::Search) => ToolPattern::Read,
        Meaning::File(FileOperation::Delete) => ToolPattern::Delete,
        Meaning::File(FileOperation::Write | FileOperation::Edit)
        | Meaning::FileCommand
        | Meaning::Patch => ToolPattern::Edit,
        Meaning::Http(_) => {
            let name = tool::normalised(name);
            ToolPattern::Http { fetch_only: !name.starts_with("http") && name != "makerequest" }
        }
        Meaning::Git | Meaning::Other => ToolPattern::Named(tool::normalised(name)),
    })
}

/// The string form of a rule in fields, for messages.
fn described(options: &RuleOptions) -> String {
    let RuleOptions { tool, command, path, host, rule } = options;
    let mut conditions = Vec::new();
    conditions.extend(command.clone());
    conditions.extend(path.as_ref().map(|path| format!("path:{path}")));
    conditions.extend(host.as_ref().map(|host| format!("domain:{host}")));
    conditions.extend(rule.as_ref().map(|rule| format!("finding:{rule}")));
    let tool = tool.as_deref().unwrap_or("*");
    if conditions.is_empty() {
        tool.to_owned()
    } else {
        format!("{tool}({})", conditions.join(", "))
    }
}

/// Whether a word fits a pattern in which `*` stands for any characters. Linear in the product, without backtracking
/// further than the last star.
fn wildcard(pattern: &str, word: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let word: Vec<char> = word.chars().collect();
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < word.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(letter) if Some(letter) == word.get(read) => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((mark, taken)) = star else { return false };
                star = Some((mark, taken + 1));
                at = mark + 1;
                read = taken + 1;
            }
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests;
