//! The decision. Owns the order of the layers and the account of what each of them said.

use std::borrow::Cow;

use super::{Confirmation, Context, Mode, Policy, Standing, floor, rule, rule::Rule};
use crate::{
    action::{Action, ActionKind},
    assessment::{self, ActionClass, Assessment},
    decision::{Decision, Layer, Obligation, Step, Verdict},
    effect::{Effect, EffectKind, Effects, GapReason},
    facts::Facts,
    place::{self, AgentFileKind},
    policy::DontAsk,
    risk::{Risk, Severity},
    rules,
};

/// What a decision is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The action.
    pub action: &'a Action,
    /// What it would do.
    pub effects: &'a Effects,
    /// What is known of the world.
    pub facts: &'a Facts,
    /// How risky it is.
    pub assessment: &'a Assessment,
}

impl Policy {
    /// Decides. Every layer that was asked is in the decision's steps.
    #[must_use]
    pub fn decide(&self, subject: &Subject<'_>, context: &Context) -> Decision {
        let mut account = Account { steps: Vec::new() };
        let (verdict, layer, mut reasons) = self.first_word(subject, context, &mut account);
        let mode = self.permissions.for_call(context.mode);
        let quiet = mode == Some(Mode::DontAsk) && self.dont_ask == DontAsk::DenyQuietly;
        let verdict = if verdict == Verdict::Ask && (quiet || !context.can_ask) {
            let note = if quiet {
                "the mode `dontAsk` refuses what would ask"
            } else {
                "nobody can be asked, so it is denied"
            };
            account.note(Layer::Person, Some(Verdict::Deny), note);
            reasons.push(note.to_owned());
            Verdict::Deny
        } else {
            verdict
        };
        let obligations = obligations(verdict, subject);
        Decision { verdict, layer, reasons, obligations, steps: account.steps }
    }

    fn first_word(
        &self,
        subject: &Subject<'_>,
        context: &Context,
        account: &mut Account,
    ) -> (Verdict, Layer, Vec<String>) {
        let scope = rule::Scope::new(subject);
        if let Some((rule, what)) = any_match(&self.deny, &scope) {
            let why = why(rule);
            let reason = format!("denied by the rule `{rule}`, which matches {what}{why}");
            return account.decided(Layer::DenyRule, Verdict::Deny, reason);
        }
        account.silent(Layer::DenyRule, &self.deny);
        if let Some(finding) = floor::hit(&subject.assessment.findings, &self.floors) {
            let reason =
                format!("nobody can approve this: {} (`{}`)", finding.message, finding.rule);
            return account.decided(Layer::Floor, Verdict::Deny, reason);
        }
        account.note(Layer::Floor, None, "no floor is touched");
        if let Some((rule, what)) = any_match(&self.ask, &scope) {
            let why = why(rule);
            let reason = format!("the rule `{rule}` asks, because it matches {what}{why}");
            let asked = account.decided(Layer::AskRule, Verdict::Ask, reason);
            // To ask is the least: a mode that denies still denies, or a rule that asks would loosen it.
            let rest = self.mode_and_confirmation(subject, context, account);
            return if rest.0 == Verdict::Deny { rest } else { asked };
        }
        account.silent(Layer::AskRule, &self.ask);
        if let Some(rules) = rule::admitted(&self.allow, &scope) {
            let names: Vec<_> = rules.iter().map(|rule| format!("`{rule}`")).collect();
            let reason = format!("allowed by {}", names.join(" and "));
            return account.decided(Layer::AllowRule, Verdict::Allow, reason);
        }
        account.silent(Layer::AllowRule, &self.allow);
        self.mode_and_confirmation(subject, context, account)
    }

    fn mode_and_confirmation(
        &self,
        subject: &Subject<'_>,
        context: &Context,
        account: &mut Account,
    ) -> (Verdict, Layer, Vec<String>) {
        let assessment = subject.assessment;
        let mode = self.permissions.for_call(context.mode);
        let left = context.agent_asks && is_left_to_its_agent(subject, mode);
        let of_mode = mode.filter(|_| !left).map(|mode| {
            let verdict = self.verdict_of_mode(mode, subject);
            let reason = format!(
                "the mode `{mode}` {} {}",
                verb(verdict),
                class_words(assessment.class, subject)
            );
            account.note(Layer::Mode, Some(verdict), reason.clone());
            (verdict, reason)
        });
        if mode == Some(Mode::BypassPermissions)
            && let Some((verdict, reason)) = of_mode
        {
            account.note(Layer::Confirmation, None, "not asked under `bypassPermissions`");
            return (verdict, Layer::Mode, vec![reason]);
        }
        // A mode prices an unknown tool itself; what is refused unasked stays refused.
        let unpriced = mode.is_none() || matches!(self.confirmation, Confirmation::Refuse { .. });
        let unknown = assessment.is_unread() || (assessment.tool_is_unknown && unpriced && !left);
        let of_level = self.confirmation.verdict(assessment.level.into());
        let of_unknown =
            if unknown { self.confirmation.verdict(Risk::Unknown) } else { Verdict::Allow };
        let confirmation = of_level.max(of_unknown);
        let risk = if of_unknown > of_level { Risk::Unknown } else { assessment.level.into() };
        if confirmation == Verdict::Ask
            && of_unknown != Verdict::Ask
            && of_mode.as_ref().is_none_or(|(verdict, _)| *verdict == Verdict::Allow)
            && self.asked_for.is_some_and(|most| assessment.level <= most)
            && rules::is_asked_for(subject.action, subject.effects, subject.facts)
        {
            let reason = "the person asked for this by word and name".to_owned();
            account.note(Layer::Confirmation, Some(Verdict::Allow), reason.clone());
            return (Verdict::Allow, Layer::Confirmation, vec![reason]);
        }
        let reason = format!("the confirmation policy {} a risk of {risk}", verb(confirmation));
        account.note(Layer::Confirmation, Some(confirmation), reason.clone());
        match of_mode {
            Some((verdict, words)) if verdict >= confirmation => {
                let reasons = with_findings(words, verdict, assessment);
                (verdict, Layer::Mode, reasons)
            }
            _ => {
                let reasons = with_findings(reason, confirmation, assessment);
                (confirmation, Layer::Confirmation, reasons)
            }
        }
    }

    fn verdict_of_mode(&self, mode: Mode, subject: &Subject<'_>) -> Verdict {
        let assessment = subject.assessment;
        let standing = Standing {
            class: assessment.class,
            dangerous: assessment.level >= Severity::High
                || assessment.is_unread()
                || writes_outside(subject),
            fetches: fetches(subject.action),
        };
        // Where a mode refuses whatever would ask, what goes on is what `default` lets go on.
        match (mode, self.dont_ask) {
            (Mode::DontAsk, DontAsk::DenyQuietly) => match Mode::Default.verdict(standing) {
                Verdict::Allow => Verdict::Allow,
                Verdict::Ask | Verdict::Deny => Verdict::Deny,
            },
            _ => mode.verdict(standing),
        }
    }
}

/// Whether an action is one that its agent knows best: a tool of its own or of an MCP server, or notes for itself. What
/// can be read of a tool's arguments and is dangerous, or cannot be read although it is run, is not left to anybody.
fn is_left_to_its_agent(subject: &Subject<'_>, mode: Option<Mode>) -> bool {
    let Subject { action, effects, facts, assessment } = subject;
    let is_own = |effect: &Effect| match &effect.kind {
        EffectKind::Write { target, .. } => place::agent_file_of(target, facts)
            .is_some_and(|file| file.kind == AgentFileKind::State),
        EffectKind::Delete { .. } => false,
        _ => true,
    };
    match action.kind {
        // Where the mode asks about nothing, the risk still does.
        ActionKind::Tool => {
            let hostile = assessment.level >= Severity::High || assessment.is_unread();
            !hostile || mode == Some(Mode::BypassPermissions)
        }
        ActionKind::File { .. } => effects.list.iter().all(is_own),
        _ => false,
    }
}

/// A file tool that writes outside of the workspace, as far as a workspace is known.
fn writes_outside(subject: &Subject<'_>) -> bool {
    let Subject { action, effects, facts, .. } = subject;
    matches!(action.kind, ActionKind::File { .. })
        && (facts.workspace.is_some() || facts.cwd.is_some())
        && effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Write { target, .. } => !place::is_inside_workspace(target, facts),
            _ => false,
        })
}

fn fetches(action: &Action) -> bool {
    match &action.kind {
        ActionKind::Http { method, body, .. } => {
            body.is_none() && matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS")
        }
        ActionKind::Tool => crate::tool::normalised(&action.call.tool) == "websearch",
        _ => false,
    }
}

fn any_match<'a>(rules: &'a [Rule], scope: &rule::Scope<'_>) -> Option<(&'a Rule, String)> {
    rules.iter().find_map(|rule| rule.touches(scope).map(|what| (rule, what)))
}

/// The reason of a rule, as the end of a sentence.
fn why(rule: &Rule) -> String {
    rule.reason().map_or_else(String::new, |reason| format!(": {reason}"))
}

fn with_findings(first: String, verdict: Verdict, assessment: &Assessment) -> Vec<String> {
    let mut reasons = vec![first];
    if verdict > Verdict::Allow {
        for finding in assessment.findings.iter().take(3) {
            reasons.push(format!("{} (`{}`)", finding.message, finding.rule));
        }
        if let assessment::Coverage::Partial(places) = &assessment.coverage
            && let Some((place, why)) = places.first()
        {
            reasons.push(match *why {
                why if why == GapReason::Unparsed.words() => format!(
                    "bash would refuse this from byte {} on, or reads it otherwise than we do; what is corrected is judged anew",
                    place.span.start
                ),
                why => why.to_owned(),
            });
        }
    }
    reasons
}

fn obligations(verdict: Verdict, subject: &Subject<'_>) -> Vec<Obligation> {
    if verdict == Verdict::Deny {
        return Vec::new();
    }
    let mut all = vec![Obligation::RedactOutput];
    let runs = matches!(subject.action.kind, ActionKind::Shell { .. } | ActionKind::Code { .. });
    if runs && subject.assessment.class == ActionClass::ReadOnly {
        all.push(Obligation::ReadOnly);
    }
    all
}

const fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allows",
        Verdict::Ask => "asks about",
        Verdict::Deny => "denies",
    }
}

fn class_words(class: ActionClass, subject: &Subject<'_>) -> String {
    let words = match class {
        ActionClass::ReadOnly => "what only reads",
        ActionClass::Edit => "edits of files",
        ActionClass::Network => "using the network",
        ActionClass::Execute => "running programs",
        ActionClass::Destructive => "what deletes or destroys",
        ActionClass::Unknown => "tools that are not known",
    };
    let level = subject.assessment.level;
    if level >= Severity::High { format!("{words} at a {level} risk") } else { words.to_owned() }
}

struct Account {
    steps: Vec<Step>,
}

impl Account {
    fn note(&mut self, layer: Layer, verdict: Option<Verdict>, note: impl Into<Cow<'static, str>>) {
        self.steps.push(Step { layer, verdict, note: note.into() });
    }

    fn silent(&mut self, layer: Layer, rules: &[Rule]) {
        match rules.len() {
            0 => self.note(layer, None, "there are no such rules"),
            1 => self.note(layer, None, "the one rule does not match"),
            several => self.note(layer, None, format!("none of {several} rules matches")),
        }
    }

    fn decided(
        &mut self,
        layer: Layer,
        verdict: Verdict,
        reason: String,
    ) -> (Verdict, Layer, Vec<String>) {
        self.note(layer, Some(verdict), reason.clone());
        (verdict, layer, vec![reason])
    }
}
