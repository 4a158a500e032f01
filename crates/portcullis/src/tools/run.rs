//! A call on its way through the tool box. Owns that the checks come first, that the intent is recorded before anything runs, that what a
//! person agreed to is what runs, and that the agent sees an answer only after it was inspected.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant, SystemTime},
};

use portcullis_core::{
    action::Action,
    call::ToolCall,
    decision::{Layer, Verdict},
    finding::Confidence,
    inspect::inspect,
    intervention::{InterventionPolicy, Refused, Settled, Trigger},
    monitor::{Consequence, Consequences, Deed, End, Limits, Monitor},
    policy::Context,
    redact::redact,
    risk::{Risk, Severity},
    secrets::redacted,
    validate::Validator,
};
use portcullis_sandbox::{Proxy, Stopped};

mod steps;

pub use steps::Looked;

use super::{
    Answer, Caught, Check, Does, Ending, Fatality, Identity, Opened, Output, Registry, Roots, Tool,
    Violation, archive,
    execute::{Ended, Held, Plan, STOPPED, texts},
    path::{self, is_still},
    rate::Rates,
};
use crate::{
    audit::{Entry, Files, Kind},
    confirmation::{self, ConfirmationHandler},
    sandbox::Custom,
    session::{self, Judged, Session},
    watch,
};

/// The tools of one execution, with everything that a call goes through.
pub struct Toolbox {
    registry: Registry,
    session: Session,
    monitor: Monitor,
    consequences: Consequences,
    fatality: Fatality,
    intervention: InterventionPolicy,
    handler: Option<ConfirmationHandler>,
    held: Held,
    workspace: PathBuf,
    begun: Instant,
    rates: Rates,
    /// A violation ended the execution: nothing runs any more.
    ended: bool,
}

impl Toolbox {
    /// A tool box for a workspace, under the documented limits. Nobody can be asked: what would ask is denied.
    ///
    /// # Errors
    /// When the workspace is not there.
    pub fn new(registry: Registry, session: Session, workspace: &Path) -> io::Result<Self> {
        Ok(Self {
            registry,
            session,
            monitor: Monitor::start(Limits::default(), Duration::ZERO),
            consequences: Consequences::default(),
            fatality: Fatality::default(),
            workspace: workspace.canonicalize()?,
            begun: Instant::now(),
            rates: Rates::new(None),
            ended: false,
            intervention: InterventionPolicy::default(),
            handler: None,
            held: Held::default(),
        })
    }

    /// The same under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.monitor = Monitor::start(limits, self.begun.elapsed());
        self
    }

    /// The same with other codes that end the execution.
    #[must_use]
    pub fn with_fatality(mut self, fatality: Fatality) -> Self {
        self.fatality = fatality;
        self
    }

    /// The same with another policy of when a person must agree.
    #[must_use]
    pub fn with_intervention(mut self, intervention: InterventionPolicy) -> Self {
        self.intervention = intervention;
        self
    }

    /// The same with somebody who can be asked.
    #[must_use]
    pub fn with_handler(mut self, handler: ConfirmationHandler) -> Self {
        self.handler = Some(handler);
        self
    }

    /// The same with a proxy, for tools whose sandbox is `network-proxy`.
    #[must_use]
    pub fn with_proxy(mut self, proxy: Proxy) -> Self {
        self.held.proxy = Some(proxy);
        self
    }

    /// The same, where whoever sets this ends what runs just then.
    #[must_use]
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.held.stop = stop;
        self
    }

    /// The same with sandbox profiles beside those that are built in.
    #[must_use]
    pub fn with_profiles(mut self, profiles: BTreeMap<String, Custom>) -> Self {
        self.held.profiles = profiles;
        self
    }

    /// The same with a directory in which is kept how often tools ran, for other processes.
    #[must_use]
    pub fn with_state(mut self, state: &Path) -> Self {
        self.rates = Rates::new(Some(state));
        self.held.state = Some(state.to_owned());
        self
    }

    /// The tools.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Takes a call all the way. After an answer that is `fatal` the execution has ended, and no call runs any more.
    pub fn call(&mut self, call: ToolCall, identity: &Identity) -> Answer {
        let mut looked = match self.look(call, identity) {
            Ok(looked) => looked,
            Err(answer) => return *answer,
        };
        if looked.verdict() == Verdict::Ask {
            let Looked { plan, judged, reasons, .. } = &mut looked;
            if let Err((status, why)) = self.agreed(plan, judged, reasons.clone(), identity) {
                let mut answer = looked.answer();
                answer.status = status;
                answer.message = Some(why);
                let is_declined = status == Ending::Cancelled;
                self.leave(looked, if is_declined { End::Declined } else { End::Blocked });
                return answer;
            }
        }
        self.execute(looked)
    }

    /// The five checks.
    fn checked(
        &mut self,
        call: ToolCall,
        identity: &Identity,
        limit: Option<Violation>,
        turn: Turn,
        (answer, deed): (&mut Answer, &mut Deed),
    ) -> Checked {
        let Some(tool) = self.registry.get(&call.tool).cloned() else {
            let unknown = self.fatality.unknown(&call.tool);
            return self.stopped(&call, None, [unknown].into_iter().chain(limit).collect(), answer);
        };
        let mut violations = Vec::new();
        if !tool.is_permitted(&identity.permissions) {
            violations.push(self.fatality.unpermitted(&tool));
        }
        let facts = self.session.facts_of(&call);
        violations.extend(self.fatality.parameters(&tool, &call.arguments, &facts));
        let is_usable = violations.is_empty();
        let plan = is_usable.then(|| self.plan(&tool, &call));
        let mut judged = None;
        let mut plan = match plan {
            Some(Ok(plan)) => Some(plan),
            Some(Err(message)) => {
                violations.push(self.fatality.violation(
                    Check::Parameters,
                    "invalid_parameters",
                    message,
                    "",
                ));
                None
            }
            None => None,
        };
        if let Some(plan) = &plan {
            // Where nobody can be asked, that is found out when it is time to ask.
            let context = Context::default();
            let mut looked = self.session.consider_action(plan.action.clone(), context);
            vouch(&tool, &mut looked);
            if turn == Turn::First {
                self.session.watch(&mut looked);
            }
            *deed = Deed::of(&looked.action, &looked.judgement);
            violations.extend(self.fatality.policy(&looked));
            judged = Some(looked);
        }
        violations.extend(limit);
        if turn == Turn::First {
            violations.extend(self.too_often(&tool));
        }
        let mut reasons = Reasons::default();
        if let Some(judged) = &judged {
            let is_alike = self.session.is_alike(judged);
            violations.extend(self.fatality.patterns(&tool, judged));
            let noticed = match turn {
                Turn::First => self.monitor.notice(Some(deed)),
                Turn::Again => Vec::new(),
            };
            for anomaly in noticed {
                match self.consequences.of(anomaly.kind) {
                    Consequence::Stop => violations.push(self.fatality.history(&anomaly.words())),
                    Consequence::Ask => reasons.beside.push(anomaly.words()),
                    Consequence::Tighten if !tool.read_only => reasons.beside.push(anomaly.words()),
                    Consequence::Off | Consequence::Warn | Consequence::Tighten => {}
                }
            }
            if judged.judgement.decision.verdict == Verdict::Ask {
                reasons.decided.extend(judged.judgement.decision.reasons.iter().cloned());
            }
            // What is not asked about by its risk is asked about each time.
            reasons.each_time =
                !reasons.beside.is_empty() || tool.confirm || tool.least_risk() >= Severity::High;
            if tool.confirm {
                reasons.beside.push("this tool asks each time".to_owned());
            }
            if tool.least_risk() >= Severity::High {
                reasons.beside.push(format!(
                    "this tool is registered with the risk {}",
                    tool.least_risk().name()
                ));
            }
            let triggers = self.intervention.triggers(&judged.action, &judged.judgement);
            for trigger in &triggers {
                let list = match trigger {
                    // A person said so of its kind, with this risk.
                    Trigger::Risk(_) | Trigger::Irreversible(_) if is_alike => continue,
                    // That the risk is not known is what the decision asks about.
                    Trigger::Unknown => &mut reasons.decided,
                    Trigger::Irreversible(_) => &mut reasons.irreversible,
                    Trigger::Risk(_) => &mut reasons.beside,
                    _ => {
                        reasons.each_time = true;
                        &mut reasons.beside
                    }
                };
                list.push(trigger.words());
            }
        }
        match (plan.take(), judged) {
            (Some(plan), Some(judged)) if violations.is_empty() => {
                Checked::Ready(Box::new(plan), Box::new(judged), reasons)
            }
            (_, judged) => self.stopped(&call, judged.map(Box::new), violations, answer),
        }
    }

    /// Records that nothing runs, and says why.
    fn stopped(
        &mut self,
        call: &ToolCall,
        judged: Option<Box<Judged>>,
        mut violations: Vec<Violation>,
        answer: &mut Answer,
    ) -> Checked {
        violations.sort_by_key(|violation| violation.check);
        answer.status = Ending::Blocked;
        answer.fatal = violations.iter().any(|violation| violation.fatal);
        self.ended |= answer.fatal;
        let first = violations.first();
        answer.message = first.map(|violation| violation.message.clone());
        let code = first.map_or("", |violation| violation.reason.as_str()).to_owned();
        let action = match &judged {
            Some(judged) => Some(judged.action.id()),
            None => Action::from_call(call.clone()).ok().map(|action| action.id()),
        };
        answer.action.clone_from(&action);
        answer.risk = judged.as_ref().map(|judged| judged.judgement.assessment.risk);
        let detail = |violation: &Violation| match violation.detail.as_str() {
            "" => format!("{}: {}", violation.reason, violation.message),
            detail => format!("{}: {} ({detail})", violation.reason, violation.message),
        };
        let entry = Entry {
            tool: Some(call.tool.clone()),
            risk: answer.risk,
            rules: violations
                .iter()
                .map(|violation| format!("tool.{}", violation.reason))
                .collect(),
            decision: Some(Verdict::Deny),
            layer: Some(judged.map_or(Layer::Floor, |judged| judged.judgement.decision.layer)),
            reason: Some(violations.iter().map(detail).collect::<Vec<_>>().join("; ")),
            action,
            preview: Some(serde_json::to_string(&call.arguments).unwrap_or_default()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            ..Entry::new(Kind::Decision)
        };
        // Nothing runs, whether or not that could be recorded.
        let _ = self.session.note(entry);
        answer.violations = violations;
        Checked::Stopped(End::blocked_for(&code))
    }

    /// What would run, to the last word.
    fn plan(&self, tool: &Arc<Tool>, call: &ToolCall) -> Result<Plan, String> {
        let facts = self.session.facts_of(call);
        let mut opened: BTreeMap<String, Vec<Opened>> = BTreeMap::new();
        let mut arguments = call.arguments.clone();
        for (name, value) in &mut arguments {
            for validator in tool.validators.get(name).into_iter().flatten() {
                let rules = match validator {
                    Validator::Path(rules) => rules,
                    Validator::Archive(rules) => &rules.path,
                    _ => continue,
                };
                let roots = Roots::of(rules, &self.workspace);
                for text in texts(value) {
                    let one = path::open(rules, text, &self.workspace, &roots, &facts)
                        .map_err(|refused| format!("`{name}`: {refused}"))?;
                    if let Validator::Archive(rules) = validator {
                        archive::check(rules, &one)
                            .map_err(|refused| format!("`{name}`: {refused}"))?;
                    }
                    // What runs is told where it really is: a link on the way says nothing any more.
                    one.path
                        .to_str()
                        .ok_or_else(|| format!("`{name}`: its real name is not UTF-8"))?
                        .clone_into(text);
                    opened.entry(name.clone()).or_default().push(one);
                }
            }
        }
        let (words, directory) = match &tool.does {
            Does::Program(program) => {
                (program.command.words(&arguments)?, self.workspace.join(&program.directory))
            }
            Does::Function(_) | Does::Shell => (Vec::new(), self.workspace.clone()),
        };
        let action = if words.is_empty() {
            Action::from_call(call.clone()).map_err(|error| error.to_string())?
        } else {
            Action::of_program(
                ToolCall { cwd: Some(directory.to_string_lossy().into_owned()), ..call.clone() },
                &words,
            )
        };
        Ok(Plan {
            tool: Arc::clone(tool),
            arguments,
            opened,
            directory,
            action,
            call: call.clone(),
        })
    }

    fn too_often(&mut self, tool: &Tool) -> Option<Violation> {
        let rate = tool.rate?;
        match self.rates.admit(&tool.name, rate, SystemTime::now()) {
            Ok(true) => None,
            Ok(false) => {
                Some(self.fatality.limit(format!("`{}` may run {rate} times a minute", tool.name)))
            }
            Err(error) => Some(
                self.fatality
                    .limit(format!("how often `{}` ran cannot be counted: {error}", tool.name)),
            ),
        }
    }

    /// Asks, and records the answer. What was agreed to is what runs: whoever waited may find another world.
    fn agreed(
        &mut self,
        plan: &Plan,
        judged: &mut Judged,
        reasons: Vec<String>,
        identity: &Identity,
    ) -> Result<(), (Ending, String)> {
        let begun = Instant::now();
        let files = judged.files();
        let settled = match &self.handler {
            None => Settled::Refused(Refused::Closed),
            Some(handler) => {
                let user = identity.user.as_deref();
                let request = steps::request(judged, reasons, user, handler.timeout())
                    .map_err(|error| (Ending::Refused, format!("nobody can be asked: {error}")))?;
                handler.settle(request, &|| self.still(plan, files.as_ref()))
            }
        };
        let waited = begun.elapsed();
        judged.judgement.decision.verdict =
            if settled.is_confirmed() { Verdict::Allow } else { Verdict::Deny };
        let answered = Entry {
            decision: Some(judged.judgement.decision.verdict),
            layer: Some(Layer::Person),
            action: Some(judged.action.id()),
            tool: Some(judged.action.call.tool.clone()),
            session: judged.action.call.session.clone(),
            agent: judged.action.call.agent.clone(),
            ..confirmation::recorded(&settled, judged.sequence, waited)
        };
        self.session.answered(judged, answered);
        match settled {
            Settled::Confirmed { .. } if judged.judgement.decision.verdict == Verdict::Allow => {
                Ok(())
            }
            Settled::Confirmed { .. } => {
                Err((Ending::Cancelled, "the answer could not be recorded".to_owned()))
            }
            Settled::Declined { .. } => Err((Ending::Cancelled, "a person said no".to_owned())),
            Settled::Refused(Refused::OtherAction) => {
                Err((Ending::Refused, Refused::OtherAction.to_string()))
            }
            Settled::Refused(why) => Err((Ending::Cancelled, why.to_string())),
        }
    }

    /// The hash of what would run now, unless something that it is about is another thing than it was, or it would start other files
    /// than those that were judged.
    fn still(&self, plan: &Plan, files: Option<&Files>) -> Option<String> {
        let again = self.plan(&plan.tool, &plan.call).ok()?;
        let is_same = plan.opened.values().flatten().all(is_still)
            && files.is_none_or(|files| self.session.files_now(&again.action) == *files);
        is_same.then(|| again.action.id())
    }

    /// Inspects what came back, and records what became of it.
    fn finished(
        &mut self,
        ended: Result<Ended, String>,
        judged: &Judged,
        answer: &mut Answer,
    ) -> End {
        let ended = match ended {
            Ok(ended) => ended,
            Err(why) => {
                answer.status = Ending::Refused;
                let why = redact(&why).into_owned();
                self.outcome(judged, &format!("refused: {why}"), None);
                answer.message = Some(why);
                return End::Failed;
            }
        };
        let Ended { status, mut output, report } = ended;
        let changed = self.session.changed(&Files::of(&judged.judgement.effects.files));
        if !changed.is_empty() {
            let words = session::changed_words(&changed);
            output
                .stderr
                .push_str(&format!("portcullis: {}\n", crate::report::visible::line(&words)));
        }
        let output = Output {
            stdout: legible(output.stdout),
            stderr: legible(output.stderr),
            dropped: output.dropped,
        };
        let seen = inspect(&format!("{}\n{}", output.stdout, output.stderr));
        answer.caught = Caught {
            secrets: seen
                .secrets
                .iter()
                .filter(|secret| secret.confidence >= Confidence::Medium)
                .count(),
            instructions: seen
                .planted
                .iter()
                .map(|planted| {
                    let whole = format!("{}\n{}", output.stdout, output.stderr);
                    let words: String = planted.span.of(&whole).chars().take(200).collect();
                    crate::report::visible::line(&redacted(&words)).into_owned()
                })
                .collect(),
        };
        // What the session was shown is known to the next call's judgement.
        let said = format!("{}\n{}", output.stdout, output.stderr);
        let _ = self.session.answered_with(&judged.action.call, &said, &seen);
        let most = self.registry.get(&judged.action.call.tool).map_or(0, |tool| tool.output);
        let mut dropped = output.dropped;
        // Cut behind that: half of a secret is not known as one.
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| {
            let mut text = redacted(text);
            let end = text.floor_char_boundary(most);
            dropped = dropped.saturating_add((text.len() - end) as u64);
            text.truncate(end);
            text
        });
        let output = Output { stdout, stderr, dropped };
        let (ending, end, words) = match status {
            Some((_, Some(Stopped::Time))) => {
                answer.message = Some("it took too long and was stopped".to_owned());
                (Ending::TimedOut, End::Failed, "timed out".to_owned())
            }
            Some((status, Some(Stopped::Asked))) => {
                answer.message = Some(STOPPED.to_owned());
                (Ending::Failed, End::Failed, format!("stopped, exit {}", status.code()))
            }
            Some((status, _)) if status.code() == 0 => {
                (Ending::Done, End::Done, "exit 0".to_owned())
            }
            Some((status, _)) => (Ending::Failed, End::Failed, format!("exit {}", status.code())),
            None => (Ending::Done, End::Done, "returned".to_owned()),
        };
        let words = if changed.is_empty() {
            words
        } else {
            format!("{words}; {}", session::changed_words(&changed))
        };
        answer.status = ending;
        answer.exit = status.map(|(status, _)| status.code());
        self.outcome(judged, &words, Some(watch::result_mark(&output.stdout)));
        answer.output = Some(output);
        answer.sandbox = report;
        end
    }

    fn outcome(&mut self, judged: &Judged, words: &str, preview: Option<String>) {
        let entry = Entry {
            refers_to: judged.sequence,
            outcome: Some(words.to_owned()),
            preview,
            action: Some(judged.action.id()),
            tool: Some(judged.action.call.tool.clone()),
            session: judged.action.call.session.clone(),
            agent: judged.action.call.agent.clone(),
            ..Entry::new(Kind::Outcome)
        };
        // It has run; a record that breaks now is found by whoever calls next.
        let _ = self.session.note(entry);
    }
}

/// A function is not read: what it does is said by whoever registered it, and that stands where nothing else is known. What its arguments
/// show counts beside that.
fn vouch(tool: &Tool, judged: &mut Judged) {
    let is_silent = judged
        .judgement
        .assessment
        .findings
        .iter()
        .all(|finding| finding.severity < Severity::High);
    let decision = &mut judged.judgement.decision;
    let only_unknown = judged.judgement.assessment.risk == Risk::Unknown
        && decision.verdict == Verdict::Ask
        && decision.layer == Layer::Confirmation;
    if matches!(tool.does, Does::Function(_))
        && !tool.is_known()
        && only_unknown
        && is_silent
        && tool.least_risk() < Severity::High
    {
        decision.verdict = Verdict::Allow;
        decision.reasons.insert(
            0,
            format!("the tool is registered with the risk {}", tool.least_risk().name()),
        );
        judged.judgement.assessment.risk = Risk::from(tool.least_risk());
    }
}

/// A text without the zero bytes that stand between the letters of a secret, as in UTF-16; as it is, where they hide none.
fn legible(text: String) -> String {
    if !text.contains('\0') {
        return text;
    }
    let without = text.replace('\0', "");
    if redacted(&without) == without { text } else { without }
}

/// Whether a call comes for the first time, or was counted already.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Turn {
    First,
    Again,
}

/// What the checks came to.
enum Checked {
    Stopped(End),
    Ready(Box<Plan>, Box<Judged>, Reasons),
}

/// Why a person must agree.
#[derive(Debug, Default)]
struct Reasons {
    /// Beside the decision: the tool, what was noticed, what a person always wants to be asked about.
    beside: Vec<String>,
    /// That it cannot be undone.
    irreversible: Vec<String>,
    /// As the decision says it.
    decided: Vec<String>,
    /// Whether something asks that is asked about each time, whatever else is like it.
    each_time: bool,
}
