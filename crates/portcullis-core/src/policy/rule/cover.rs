//! What a rule matches in an action. Owns the two readings: a rule that allows must cover everything, a rule that asks or
//! denies needs a part.

use super::{
    Rule, ToolPattern, host,
    path::{PathPattern, absolute},
    wildcard,
};
use crate::{
    action::{Action, ActionKind, FileOperation},
    effect::{Effect, EffectKind, Effects, Location, Run, Target},
    facts::Facts,
    finding::Finding,
    policy::Subject,
    risk::Severity,
    tool,
};

/// What rules look at.
pub(in crate::policy) struct Scope<'a> {
    action: &'a Action,
    effects: &'a Effects,
    facts: &'a Facts,
    findings: &'a [Finding],
    level: Severity,
}

impl<'a> Scope<'a> {
    pub(in crate::policy) fn new(subject: &Subject<'a>) -> Self {
        Self {
            action: subject.action,
            effects: subject.effects,
            facts: subject.facts,
            findings: &subject.assessment.findings,
            level: subject.assessment.level,
        }
    }

    fn runs(&self) -> impl Iterator<Item = &'a Run> {
        self.effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Run(run) => Some(run),
            _ => None,
        })
    }
}

/// What an effect does to a file, for rules about files.
fn touched(effect: &EffectKind) -> Option<(FileOperation, &Target)> {
    match effect {
        EffectKind::Read(target) => Some((FileOperation::Read, target)),
        EffectKind::Write { target, .. }
        | EffectKind::Permission { target, .. }
        | EffectKind::Hand { target, changes: true } => Some((FileOperation::Write, target)),
        EffectKind::Delete { target, .. } => Some((FileOperation::Delete, target)),
        _ => None,
    }
}

impl Rule {
    /// What a rule that asks or denies finds in an action, in words; `None` where it is about something else.
    pub(in crate::policy) fn touches(&self, scope: &Scope<'_>) -> Option<String> {
        let conditions = [
            self.command.as_ref().map(|command| {
                scope
                    .runs()
                    .find(|run| command.touches(run))
                    .map(|run| format!("running `{}`", run.program))
            }),
            self.path.as_ref().map(|path| self.touches_path(path, scope)),
            self.host.as_ref().map(|host| {
                hosts(scope)
                    .into_iter()
                    .find(|name| host.matches(name))
                    .map(|name| format!("the host `{name}`"))
            }),
            self.finding.as_ref().map(|id| {
                scope
                    .findings
                    .iter()
                    .find(|finding| is_finding(id, finding))
                    .map(|finding| format!("the finding `{}`", finding.rule))
            }),
        ];
        let mut words = Vec::new();
        for condition in conditions.into_iter().flatten() {
            words.push(condition?);
        }
        if words.is_empty() {
            return self
                .is_tool_of(scope.action)
                .then(|| format!("the tool `{}`", scope.action.call.tool));
        }
        // A command or a file is the same, whichever tool it is run or touched with.
        let only_finding = self.command.is_none() && self.path.is_none() && self.host.is_none();
        if only_finding && !self.is_tool_of(scope.action) {
            return None;
        }
        Some(words.join(" and "))
    }

    fn touches_path(&self, pattern: &PathPattern, scope: &Scope<'_>) -> Option<String> {
        let wanted = |operation: FileOperation| match self.tool {
            ToolPattern::Read => matches!(operation, FileOperation::Read | FileOperation::Search),
            ToolPattern::Edit => !matches!(operation, FileOperation::Read | FileOperation::Search),
            ToolPattern::Delete => operation == FileOperation::Delete,
            _ => true,
        };
        let named = files(scope.action)
            .into_iter()
            .filter(|(operation, _)| wanted(*operation))
            .find(|(_, path)| path_touches(pattern, path, scope.facts))
            .map(|(_, path)| path.to_owned());
        let effect = || {
            scope
                .effects
                .list
                .iter()
                .filter_map(|effect| touched(&effect.kind))
                .filter(|(operation, _)| wanted(*operation))
                .find(|(_, target)| target_touches(pattern, target, scope.facts))
                .map(|(_, target)| target.path.clone().unwrap_or_else(|| target.text.display()))
        };
        named.or_else(effect).map(|path| format!("the file `{path}`"))
    }

    /// Whether the action is a call of the rule's tool.
    fn is_tool_of(&self, action: &Action) -> bool {
        match (&self.tool, &action.kind) {
            (ToolPattern::Any, _)
            | (ToolPattern::Shell, ActionKind::Shell { .. })
            | (ToolPattern::Code, ActionKind::Code { .. })
            | (ToolPattern::Query, ActionKind::Query { .. })
            | (ToolPattern::Http { .. }, ActionKind::Http { .. }) => true,
            (ToolPattern::Read, ActionKind::File { operation, .. }) => {
                matches!(operation, FileOperation::Read | FileOperation::Search)
            }
            (ToolPattern::Edit, ActionKind::File { operation, .. }) => {
                matches!(operation, FileOperation::Write | FileOperation::Edit)
            }
            (ToolPattern::Delete, ActionKind::File { operation, .. }) => {
                *operation == FileOperation::Delete
            }
            (ToolPattern::Mcp { server, tool }, _) => {
                is_mcp_tool(&action.call.tool, server, tool.as_deref())
            }
            (ToolPattern::Named(name), _) => {
                !action.call.tool.starts_with(tool::MCP_PREFIX)
                    && tool::normalised(&action.call.tool) == *name
            }
            _ => false,
        }
    }

    /// Whether a rule that allows covers what a call of a tool does to one file.
    fn covers_file(&self, operation: FileOperation, path: &str, scope: &Scope<'_>) -> bool {
        let fits = match self.tool {
            ToolPattern::Any => true,
            ToolPattern::Read => matches!(operation, FileOperation::Read | FileOperation::Search),
            ToolPattern::Edit => matches!(operation, FileOperation::Write | FileOperation::Edit),
            ToolPattern::Delete => operation == FileOperation::Delete,
            _ => false,
        };
        fits && self.command.is_none()
            && self.host.is_none()
            && self.path.as_ref().is_none_or(|pattern| path_covered(pattern, path, scope.facts))
            && self.covers_findings(scope)
    }

    /// Whether the action is within the rule's reach, and nothing worse than `Low` was found but what the rule names. That
    /// such a finding is there is not asked: one more finding must never make a rule allow.
    fn covers_findings(&self, scope: &Scope<'_>) -> bool {
        let within = self.most.is_none_or(|most| scope.level <= most);
        within
            && self.finding.as_ref().is_none_or(|id| {
                scope
                    .findings
                    .iter()
                    .filter(|finding| finding.severity >= Severity::Medium)
                    .all(|finding| is_finding(id, finding))
            })
    }

    fn covers_run(&self, own: &Own<'_>, scope: &Scope<'_>) -> bool {
        matches!(self.tool, ToolPattern::Shell | ToolPattern::Any)
            && self.host.is_none()
            && self.command.as_ref().is_some_and(|command| command.covers(own.run))
            && self.path.as_ref().is_none_or(|pattern| {
                let mut targets = own.targets(scope).peekable();
                targets.peek().is_some()
                    && targets.all(|target| {
                        target
                            .path
                            .as_ref()
                            .is_some_and(|path| path_covered(pattern, path, scope.facts))
                    })
            })
            && self.covers_findings(scope)
    }
}

impl Own<'_> {
    /// The files that the run touches: every effect that [`admitted_command`] would take for its own.
    fn targets<'a>(&self, scope: &Scope<'a>) -> impl Iterator<Item = &'a Target> {
        let (run, at) = (self.run, self.at);
        let mut runs = 0;
        scope
            .effects
            .list
            .iter()
            .skip(self.index + 1)
            .take_while(move |effect| {
                runs += usize::from(matches!(effect.kind, EffectKind::Run(_)));
                runs < LOOK_BACK
            })
            .filter(move |effect| belongs(effect, run, at))
            .filter_map(|effect| touched(&effect.kind))
            .map(|(_, target)| target)
    }
}

/// The rules that together cover the whole of an action, where some do.
pub(in crate::policy) fn admitted<'a>(
    rules: &'a [Rule],
    scope: &Scope<'_>,
) -> Option<Vec<&'a Rule>> {
    if rules.is_empty() || !scope.effects.gaps.is_empty() {
        return None;
    }
    let bare = rules.iter().find(|rule| {
        rule.command.is_none()
            && rule.path.is_none()
            && rule.host.is_none()
            && rule.tool != ToolPattern::Any
            && !matches!((&rule.tool, &scope.action.kind), (ToolPattern::Http { fetch_only: true }, _) if !only_fetches(scope.action))
            && rule.is_tool_of(scope.action)
            && rule.covers_findings(scope)
    });
    if let Some(rule) = bare {
        return Some(vec![rule]);
    }
    match &scope.action.kind {
        ActionKind::Shell { .. } => admitted_command(rules, scope),
        ActionKind::File { .. } => {
            let mut used: Vec<&Rule> = Vec::new();
            for (operation, path) in files(scope.action) {
                remember(
                    &mut used,
                    rules.iter().find(|rule| rule.covers_file(operation, path, scope))?,
                );
            }
            Some(used)
        }
        ActionKind::Http { url, .. } => {
            let name = host::plain_host(url)?;
            let rule = rules.iter().find(|rule| {
                let fits = match rule.tool {
                    ToolPattern::Http { fetch_only } => !fetch_only || only_fetches(scope.action),
                    ToolPattern::Any => true,
                    _ => false,
                };
                fits && rule.command.is_none()
                    && rule.path.is_none()
                    && rule.host.as_ref().is_some_and(|host| host.matches(&name))
                    && rule.covers_findings(scope)
            })?;
            Some(vec![rule])
        }
        ActionKind::Code { .. } | ActionKind::Query { .. } | ActionKind::Tool => None,
    }
}

/// How many runs back an effect's own run is looked for. A run's effects follow it at once, or after those of the programs
/// that it runs, so further back there is nothing; and a script of a million commands stays cheap.
const LOOK_BACK: usize = 32;

fn admitted_command<'a>(rules: &'a [Rule], scope: &Scope<'_>) -> Option<Vec<&'a Rule>> {
    let mut used: Vec<&Rule> = Vec::new();
    let mut covered: Vec<(&Run, Location)> = Vec::new();
    for (index, effect) in scope.effects.list.iter().enumerate() {
        if let EffectKind::Run(run) = &effect.kind {
            if !is_plain_wrapper(run) {
                let own = Own { run, at: effect.at, index };
                remember(&mut used, rules.iter().find(|rule| rule.covers_run(&own, scope))?);
            }
            covered.push((run, effect.at));
            continue;
        }
        let is_own =
            covered.iter().rev().take(LOOK_BACK).any(|(run, at)| belongs(effect, run, *at));
        if !is_own && !is_discarded(effect) {
            return None;
        }
    }
    (!used.is_empty()).then_some(used)
}

/// A run with its place in the list of effects.
struct Own<'a> {
    run: &'a Run,
    at: Location,
    index: usize,
}

/// Programs that only run the one they are given, which stands beside them as a run of its own.
pub(super) fn is_plain_wrapper(run: &Run) -> bool {
    const WRAPPERS: &[&str] = &["builtin", "command", "nice", "nohup", "stdbuf", "time", "timeout"];
    run.known && run.name.text.as_known().is_some_and(|written| WRAPPERS.contains(&written))
}

/// Whether an effect is one of this run: it is written in the run's own words, not in a redirection or an assignment
/// beside them, nor in text that the run hands on as code.
fn belongs(effect: &Effect, run: &Run, at: Location) -> bool {
    if effect.at.layer != at.layer
        || matches!(
            effect.kind,
            EffectKind::Execute { .. }
                | EffectKind::Environment { .. }
                | EffectKind::Privilege { .. }
        )
    {
        return false;
    }
    let span = effect.at.span.range();
    let within = |outer: crate::Span| {
        let outer = outer.range();
        outer.start <= span.start && span.end <= outer.end
    };
    effect.at == at
        || within(run.name.span)
        || run.arguments.iter().any(|argument| within(argument.span))
}

fn is_discarded(effect: &Effect) -> bool {
    match &effect.kind {
        EffectKind::Write { target, .. } => {
            matches!(target.text.as_known(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr"))
        }
        EffectKind::Read(target) => target.text.as_known() == Some("/dev/null"),
        _ => false,
    }
}

fn remember<'a>(used: &mut Vec<&'a Rule>, rule: &'a Rule) {
    if !used.contains(&rule) {
        used.push(rule);
    }
}

fn files(action: &Action) -> Vec<(FileOperation, &str)> {
    match &action.kind {
        ActionKind::File { operation, path, others, .. } => {
            std::iter::once((*operation, path.as_str()))
                .chain(others.iter().map(|other| (other.operation, other.path.as_str())))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn hosts(scope: &Scope<'_>) -> Vec<String> {
    let mut hosts = match &scope.action.kind {
        ActionKind::Http { url, .. } => host::possible_hosts(url),
        _ => Vec::new(),
    };
    hosts.extend(scope.effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Connect(connection) => connection.host.clone(),
        _ => None,
    }));
    hosts
}

fn only_fetches(action: &Action) -> bool {
    match &action.kind {
        ActionKind::Http { method, body, .. } => {
            body.is_none() && matches!(method.as_str(), "GET" | "HEAD")
        }
        _ => true,
    }
}

fn is_finding(id: &str, finding: &Finding) -> bool {
    wildcard(id, finding.rule)
}

fn is_mcp_tool(name: &str, server: &str, tool: Option<&str>) -> bool {
    let Some(rest) = name.trim().strip_prefix(tool::MCP_PREFIX) else { return false };
    let Some(rest) = rest.strip_prefix(server) else { return false };
    match (rest.strip_prefix("__"), tool) {
        (Some(_), None) => true,
        (Some(given), Some(wanted)) => wildcard(wanted, given),
        (None, wanted) => rest.is_empty() && wanted.is_none(),
    }
}

/// Whether a rule that allows covers a path: the path itself, and what it leads to where it is a link.
fn path_covered(pattern: &PathPattern, path: &str, facts: &Facts) -> bool {
    match absolute(path, facts) {
        Some(path) => {
            let real = facts.paths.get(&path).and_then(|fact| fact.leads_to.as_ref());
            pattern.matches(&path, facts) && real.is_none_or(|real| pattern.matches(real, facts))
        }
        None => pattern.matches_relative(path, facts),
    }
}

/// Whether a rule that asks or denies is about a path: the path itself, or what it leads to, or what its wildcards could
/// stand for.
fn path_touches(pattern: &PathPattern, path: &str, facts: &Facts) -> bool {
    match absolute(path, facts) {
        Some(path) => {
            let real = facts.paths.get(&path).and_then(|fact| fact.leads_to.as_ref());
            pattern.matches(&path, facts)
                || real.is_some_and(|real| pattern.matches(real, facts))
                || (path.contains(['*', '?', '[', '{']) && pattern.could_match(&path, facts))
        }
        None => pattern.matches_relative(path, facts),
    }
}

fn target_touches(pattern: &PathPattern, target: &Target, facts: &Facts) -> bool {
    match (&target.path, target.text.as_pattern()) {
        (Some(path), _) => path_touches(pattern, path, facts),
        (None, Some(text)) => path_touches(pattern, &text, facts),
        (None, None) => false,
    }
}
