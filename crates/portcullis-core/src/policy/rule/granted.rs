//! Rules that a person grants for an action at hand, beside those of the policy. Owns how wide such a rule may be, which
//! one is proposed, and when it holds: never at a high risk, and never where something could not be read.

use super::{
    Rule, ToolPattern,
    cover::{Scope, admitted, is_plain_wrapper},
    host,
};
use crate::{
    action::ActionKind,
    effect::{EffectKind, Run},
    policy::{Policy, Subject},
    programs,
    risk::Severity,
};

/// Why a rule cannot be granted.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TooWide {
    /// `Bash`, `mcp__server`, `Read`.
    #[error("it is about whatever the tool does")]
    Everything,
    /// `Bash(git * push)`, `Bash(*)`, `Read(src/**)`.
    #[error("a wildcard stands for more than further arguments")]
    Wildcard,
    /// `Bash(sh:*)`, `Bash(sudo:*)`, `Bash(npx jest)`.
    #[error("`{0}` runs whatever it is told to")]
    RunsAnything(String),
    /// `finding:…`.
    #[error("it is about a finding, not about what is done")]
    Finding,
}

/// Why no rule is proposed for an action, or the one that was given does not hold for it.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPattern {
    /// The risk is high or above.
    #[error("its risk is {0}, and no pattern reaches that high")]
    TooRisky(Severity),
    /// Not all of it was understood.
    #[error("not all of it was understood")]
    Unread,
    /// There is nothing that a rule could be made of.
    #[error("no rule describes such a call")]
    Indescribable,
    /// The rule for it would be too wide.
    #[error("a rule for it would be too wide: {0}")]
    TooWide(#[from] TooWide),
    /// It does more than the rules cover.
    #[error("it does more than such a rule covers")]
    NotCovered,
}

/// Programs whose second word says what they do only together with the third.
const IN_TWO_WORDS: &[(&str, &[&str])] = &[
    ("aws", &[]),
    ("az", &[]),
    ("bun", &["run"]),
    ("docker", &["compose", "container", "image", "network", "volume"]),
    ("gcloud", &[]),
    ("gh", &[]),
    ("npm", &["run", "run-script"]),
    ("pnpm", &["run"]),
];

/// The most rules that are proposed for one action.
const MOST: usize = 4;

/// Whether a rule is narrow enough to be granted by a person in passing; a wider one belongs into the configuration, where
/// it is seen.
///
/// # Errors
/// [`TooWide`], with the reason.
///
/// ```
/// use portcullis_core::policy::{Rule, TooWide, narrow};
///
/// let rule = |text: &str| text.parse::<Rule>();
/// assert_eq!(narrow(&rule("Bash(npm run test:*)")?), Ok(()));
/// assert_eq!(narrow(&rule("Bash(python3:*)")?), Err(TooWide::RunsAnything("python3".into())));
/// assert_eq!(narrow(&rule("Bash")?), Err(TooWide::Everything));
/// # Ok::<(), portcullis_core::policy::RuleError>(())
/// ```
pub fn narrow(rule: &Rule) -> Result<(), TooWide> {
    if rule.finding.is_some() {
        return Err(TooWide::Finding);
    }
    if let Some(command) = &rule.command {
        let (words, more) = command.parts();
        if words.iter().any(|word| word.contains('*')) {
            return Err(TooWide::Wildcard);
        }
        let (program, words) = words.split_first().ok_or(TooWide::Everything)?;
        let name = program.rsplit('/').next().unwrap_or(program);
        return if programs::runs_anything(name, words, more) {
            Err(TooWide::RunsAnything(name.to_owned()))
        } else {
            Ok(())
        };
    }
    let is_wild = rule.written.contains('*');
    match &rule.tool {
        ToolPattern::Http { .. } if rule.host.is_some() && !is_wild => Ok(()),
        ToolPattern::Mcp { tool: Some(_), .. } | ToolPattern::Named(_) if !is_wild => Ok(()),
        ToolPattern::Read | ToolPattern::Edit | ToolPattern::Delete
            if rule.path.is_some() && !is_wild =>
        {
            Ok(())
        }
        _ if is_wild => Err(TooWide::Wildcard),
        _ => Err(TooWide::Everything),
    }
}

/// The rules that a person could grant for an action and others like it.
///
/// # Errors
/// [`NoPattern`], with the reason why there are none.
pub fn proposed(policy: &Policy, subject: &Subject<'_>) -> Result<Vec<Rule>, NoPattern> {
    reachable(subject)?;
    let written = match &subject.action.kind {
        ActionKind::Shell { .. } => {
            let mut all = Vec::new();
            for effect in &subject.effects.list {
                let EffectKind::Run(run) = &effect.kind else { continue };
                if is_plain_wrapper(run) {
                    continue;
                }
                let rule = described(run).ok_or(NoPattern::Indescribable)?;
                if !all.contains(&rule) {
                    all.push(rule);
                }
            }
            all
        }
        ActionKind::Http { url, .. } => {
            let host = host::plain_host(url).ok_or(NoPattern::Indescribable)?;
            vec![format!("WebFetch(domain:{host})")]
        }
        ActionKind::Tool => vec![subject.action.call.tool.trim().to_owned()],
        ActionKind::Code { .. } | ActionKind::Query { .. } | ActionKind::File { .. } => Vec::new(),
    };
    if written.is_empty() || written.len() > MOST {
        return Err(NoPattern::Indescribable);
    }
    let mut rules = Vec::new();
    for text in written {
        let rule: Rule = text.parse().map_err(|_| NoPattern::Indescribable)?;
        // What the policy allows by itself needs no grant.
        if narrow(&rule).is_err() && policy.allow.iter().any(|own| own.written == rule.written) {
            continue;
        }
        narrow(&rule)?;
        rules.push(rule);
    }
    covered(policy, &rules, subject).map(|_| rules)
}

/// The rules among `granted` that, together with those of the policy that allow, cover the whole of an action.
///
/// # Errors
/// [`NoPattern`], with the reason why they do not.
pub fn covered(
    policy: &Policy,
    granted: &[Rule],
    subject: &Subject<'_>,
) -> Result<Vec<Rule>, NoPattern> {
    reachable(subject)?;
    if granted.is_empty() {
        return Err(NoPattern::NotCovered);
    }
    for rule in granted {
        narrow(rule)?;
    }
    let all: Vec<Rule> = policy.allow.iter().chain(granted).cloned().collect();
    let used = admitted(&all, &Scope::new(subject)).ok_or(NoPattern::NotCovered)?;
    let used: Vec<Rule> = used.into_iter().filter(|rule| granted.contains(rule)).cloned().collect();
    if used.is_empty() { Err(NoPattern::NotCovered) } else { Ok(used) }
}

fn reachable(subject: &Subject<'_>) -> Result<(), NoPattern> {
    let assessment = subject.assessment;
    if assessment.level >= Severity::High {
        return Err(NoPattern::TooRisky(assessment.level));
    }
    if assessment.is_unread() { Err(NoPattern::Unread) } else { Ok(()) }
}

/// A run as a rule: its program and what it is told to do, and whatever follows where the program is known.
fn described(run: &Run) -> Option<String> {
    let program = run.name.text.as_known().filter(|name| is_plain(name))?;
    let words: Vec<&str> = run
        .arguments
        .iter()
        .map(|argument| argument.text.as_known().filter(|word| is_plain(word)).unwrap_or_default())
        .collect();
    let first = words.first().copied().unwrap_or_default();
    let pairs = IN_TWO_WORDS.iter().find(|(name, _)| *name == run.program);
    let in_two = pairs.is_some_and(|(_, heads)| heads.is_empty() || heads.contains(&first));
    let told: Vec<&str> = words
        .iter()
        .take(if in_two { 2 } else { 1 })
        .copied()
        .take_while(|word| is_subcommand(word))
        .collect();
    let expected = if in_two { 2 } else { 1 };
    let makes_targets = matches!(run.program.as_str(), "make" | "just" | "ninja");
    if run.known && !makes_targets && told.len() == expected {
        return Some(format!("Bash({program} {}:*)", told.join(" ")));
    }
    // What the arguments of another program mean is not known, so these and no others.
    if words.iter().any(|word| word.is_empty()) {
        return None;
    }
    let all = std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ");
    Some(format!("Bash({all})"))
}

/// A word that means itself in a rule.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|letter| {
            letter.is_alphanumeric()
                || matches!(letter, '-' | '_' | '.' | ':' | '/' | '@' | '=' | '+' | ',' | '%')
        })
        && !word.ends_with(':')
}

fn is_subcommand(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::Action,
        call::ToolCall,
        facts::Facts,
        gate::{Gate, Judgement},
        policy::PolicyOptions,
    };

    fn judged(call: ToolCall) -> (Action, Judgement) {
        let action = Action::from_call(call).unwrap();
        let judgement = Gate::default().judge(&action, &Facts::default());
        (action, judgement)
    }

    fn with<T>(call: ToolCall, look: impl FnOnce(&Subject<'_>) -> T) -> T {
        let (action, judgement) = judged(call);
        let facts = Facts::default();
        let Judgement { effects, assessment, .. } = &judgement;
        look(&Subject { action: &action, effects, facts: &facts, assessment })
    }

    fn proposal(call: ToolCall) -> String {
        with(call, |subject| match proposed(&Policy::default(), subject) {
            Ok(rules) => rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => format!("none: {error}"),
        })
    }

    #[test]
    fn rules_that_could_mean_anything_are_not_granted() {
        for (rule, narrow_enough) in [
            ("Bash(npm run test:*)", true),
            ("Bash(npm run test)", true),
            ("Bash(git status)", true),
            ("Bash(git:*)", true),
            ("Bash(docker compose up:*)", true),
            ("Bash(make test)", true),
            ("Bash(/usr/bin/git log:*)", true),
            ("WebFetch(domain:example.com)", true),
            ("mcp__tracker__comment", true),
            ("Edit(src/lib.rs)", true),
            ("Bash", false),
            ("Bash(*)", false),
            ("Bash(* test)", false),
            ("Bash(g*t status)", false),
            ("Bash(git * push)", false),
            ("Bash(cat src/*)", false),
            ("Bash(npm run test*)", false),
            ("Bash(bash:*)", false),
            ("Bash(/bin/sh -c ls)", false),
            ("Bash(python3 x.py)", false),
            ("Bash(python3.12:*)", false),
            ("Bash(gxargs rm)", false),
            ("Bash(genv x)", false),
            ("Bash(node:*)", false),
            ("Bash(perl:*)", false),
            ("Bash(awk:*)", false),
            ("Bash(sudo:*)", false),
            ("Bash(env:*)", false),
            ("Bash(xargs:*)", false),
            ("Bash(find:*)", false),
            ("Bash(timeout 5:*)", false),
            ("Bash(ssh:*)", false),
            ("Bash(npx jest)", false),
            ("Bash(npm:*)", false),
            ("Bash(npm exec:*)", false),
            ("Bash(uv run:*)", false),
            ("Bash(docker:*)", false),
            ("Bash(eval:*)", false),
            ("Bash(portcullis allow:*)", false),
            ("WebFetch(domain:*.example.com)", false),
            ("WebFetch", false),
            ("mcp__tracker", false),
            ("mcp__tracker__get_*", false),
            ("Edit(src/**)", false),
            ("Edit", false),
            ("finding:fs.delete.recursive", false),
        ] {
            let parsed: Rule = rule.parse().unwrap();
            assert_eq!(narrow(&parsed).is_ok(), narrow_enough, "{rule}: {:?}", narrow(&parsed));
        }
    }

    #[test]
    fn a_rule_is_proposed_for_what_is_told_not_for_what_follows() {
        for (command, rules) in [
            ("npm run test -- --watch", "Bash(npm run test:*)"),
            ("git commit -m x", "Bash(git commit:*)"),
            ("docker compose up -d", "Bash(docker compose up:*)"),
            ("cargo test some_filter", "Bash(cargo test:*)"),
            ("frobnicate input", "Bash(frobnicate input)"),
            ("make test", "Bash(make test)"),
            ("timeout 5 cargo test", "Bash(cargo test:*)"),
            ("cargo fmt && cargo test", "Bash(cargo fmt:*) Bash(cargo test:*)"),
            (
                "python3 x.py",
                "none: a rule for it would be too wide: `python3` runs whatever it is told to",
            ),
            ("frobnicate 'a b'", "none: no rule describes such a call"),
            ("git push --force", "none: its risk is high, and no pattern reaches that high"),
            ("$TOOL x", "none: not all of it was understood"),
            ("cargo test > out.txt", "none: it does more than such a rule covers"),
        ] {
            assert_eq!(proposal(ToolCall::shell(command)), rules, "{command}");
        }
        let tool = |tool: &str| ToolCall { tool: tool.into(), ..ToolCall::default() };
        assert_eq!(proposal(tool("mcp__tracker__comment")), "mcp__tracker__comment");
        let mut fetch = tool("web_fetch");
        fetch.arguments.insert("url".into(), "https://docs.example.com/a".into());
        assert_eq!(proposal(fetch), "WebFetch(domain:docs.example.com)");
    }

    #[test]
    fn granted_rules_hold_with_those_of_the_policy_and_never_at_a_high_risk() {
        let policy = Policy::new(PolicyOptions {
            allow: vec!["Bash(cargo fmt:*)".parse().unwrap()],
            ..PolicyOptions::default()
        });
        let granted: Vec<Rule> = vec!["Bash(git push:*)".parse().unwrap()];
        for (command, holds) in [
            ("git push origin main", true),
            ("cargo fmt && git push origin main", true),
            // The policy needs no grant for it.
            ("cargo fmt", false),
            ("git push && ls", false),
            ("git push --force", false),
            ("git -c core.pager=x push", false),
            ("git push; $X", false),
        ] {
            let found =
                with(ToolCall::shell(command), |subject| covered(&policy, &granted, subject));
            assert_eq!(found.is_ok(), holds, "{command}: {found:?}");
        }
        let wide: Vec<Rule> = vec!["Bash".parse().unwrap()];
        with(ToolCall::shell("ls"), |subject| {
            assert_eq!(covered(&policy, &wide, subject), Err(TooWide::Everything.into()));
        });
    }
}
