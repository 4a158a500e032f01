//! One gate for the length of a process. Owns what judging needs from the world: the policy, the facts, the record. It
//! reads no calls and writes no answers.

use std::{env, path::Path};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use portcullis_core::{
    action::{Action, ActionKind, BadCall},
    analyze::Ensemble,
    decision::{Decision, Layer, Step, Verdict},
    facts::Facts,
    gate::{Gate, Judgement},
    policy::{Context, Mode, NotAMode},
};

use super::{Failure, audit::failure, policy};
use crate::{
    audit::{self, AuditError, Entry, Kind, Log},
    config::OnFailure,
    observe::Observer,
    platform::Directories,
    report,
    wire::Request,
};

/// The options that say how a call is judged.
pub(super) fn define(command: Command) -> Command {
    command
        .arg(Arg::new("mode").long("mode").value_name("MODE").help(
            "Enforce a permission mode: default, plan, acceptEdits, dontAsk, bypassPermissions",
        ))
        .arg(
            Arg::new("cwd")
                .long("cwd")
                .value_name("DIR")
                .help("The directory that the call would run in"),
        )
        .arg(
            Arg::new("home")
                .long("home")
                .value_name("DIR")
                .help("The home directory of the user it would run as"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("Read the configuration from this file instead of the usual places"),
        )
        .arg(Arg::new("analyzers").long("analyzers").value_name("NAMES").help(
            "Judge with just these, separated by commas: rules, declared, pattern, policy-rail, no-op",
        ))
        .arg(
            Arg::new("propagate-unknown")
                .long("propagate-unknown")
                .action(ArgAction::SetTrue)
                .help("Let one analyzer that cannot tell make the risk unknown, below high"),
        )
        .arg(
            Arg::new("no-record")
                .long("no-record")
                .action(ArgAction::SetTrue)
                .help("Keep no record of this"),
        )
}

/// What every call of one process has in common.
pub(super) struct Session {
    gate: Gate,
    mode: Option<Mode>,
    cwd: Option<String>,
    home: Option<String>,
    observer: Observer,
    policy_id: String,
    on_failure: OnFailure,
    record: Recording,
}

/// Where decisions are recorded.
enum Recording {
    Off,
    On(Box<Log>),
    /// It should be recorded and cannot be, so nothing is allowed.
    Broken(AuditError),
}

/// A call that was judged, with what it was judged by.
pub(super) struct Judged {
    pub(super) action: Action,
    pub(super) facts: Facts,
    pub(super) context: Context,
    pub(super) judgement: Judgement,
}

/// Why a call was not judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum Complaint {
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Call(#[from] BadCall),
    /// The mode that it names is none.
    #[error(transparent)]
    Mode(#[from] NotAMode),
}

impl Session {
    pub(super) fn open(matches: &ArgMatches) -> Result<Self, Failure> {
        let text = |name| matches.get_one::<String>(name).cloned();
        let mode =
            text("mode").map(|word| word.parse::<Mode>()).transpose().map_err(Failure::usage)?;
        let configuration = policy::load(matches)?;
        let audit = configuration.audit;
        let gate = Gate::with_analyzers(configuration.policy, analyzers(matches)?);
        let ours = [configuration.path.as_deref(), audit.path.as_deref()];
        let ours: Vec<&Path> = ours.into_iter().flatten().collect();
        let observer = Observer::new(&Directories::from_environment(), &ours);
        let off = matches.get_flag("no-record")
            || env::var_os("PORTCULLIS_AUDIT").is_some_and(|value| value == "off")
            || !audit.enabled;
        let directory = audit.path.as_deref();
        let record = if off { Recording::Off } else { Recording::open(directory) };
        Ok(Self {
            gate,
            mode,
            cwd: text("cwd"),
            home: text("home"),
            observer,
            record,
            on_failure: audit.on_failure,
            policy_id: configuration.policy_id,
        })
    }

    pub(super) fn record_nothing(&mut self) {
        self.record = Recording::Off;
    }

    /// Why nothing can be recorded, where something should be.
    pub(super) fn broken(&self) -> Option<Failure> {
        match &self.record {
            Recording::Broken(error) => Some(failure(error)),
            Recording::Off | Recording::On(_) => None,
        }
    }

    pub(super) fn judge(&mut self, request: Request) -> Result<Judged, Complaint> {
        let Request { id: _, mut call, mode } = request;
        let mode = match (self.mode, mode) {
            (Some(mode), _) => Some(mode),
            (None, Some(word)) => Some(word.parse()?),
            (None, None) => None,
        };
        let context = Context { mode, ..Context::default() };
        call.cwd = call.cwd.or_else(|| self.cwd.clone());
        call.home = call.home.or_else(|| self.home.clone());
        let action = Action::from_call(call)?;
        let plan = self.gate.plan(&action);
        let facts =
            self.observer.facts(&plan, action.call.cwd.as_deref(), action.call.home.as_deref());
        let mut judgement = self.gate.judge_in(&action, &facts, &context);
        let entry = || entry(&action, &judgement, &self.policy_id);
        if let Some(error) = self.record.intent(entry)
            && self.on_failure == OnFailure::Deny
        {
            deny(&mut judgement.decision, &format!("nothing goes on unrecorded: {error}"));
        }
        Ok(Judged { action, facts, context, judgement })
    }

    /// The decision about the same action in another context.
    pub(super) fn again(&self, judged: &Judged, context: &Context) -> Decision {
        self.gate.judge_in(&judged.action, &judged.facts, context).decision
    }
}

/// The analyzers that the options name.
fn analyzers(matches: &ArgMatches) -> Result<Ensemble, Failure> {
    let ensemble = match matches.get_one::<String>("analyzers") {
        Some(names) => Ensemble::from_names(names).map_err(Failure::usage)?,
        None => Ensemble::default(),
    };
    Ok(ensemble.propagate_unknown(matches.get_flag("propagate-unknown")))
}

impl Recording {
    fn open(directory: Option<&Path>) -> Self {
        match audit::directory(directory).and_then(|directory| Log::open(&directory)) {
            Ok(log) => Self::On(Box::new(log)),
            Err(error) => Self::Broken(error),
        }
    }

    /// Records a decision before anybody can act on it; gives why it could not.
    fn intent(&mut self, entry: impl FnOnce() -> Entry) -> Option<&AuditError> {
        if let Self::On(log) = self
            && let Err(error) = log.append(&entry())
        {
            *self = Self::Broken(error);
        }
        match self {
            Self::Broken(error) => Some(error),
            Self::Off | Self::On(_) => None,
        }
    }
}

fn deny(decision: &mut Decision, note: &str) {
    decision.verdict = Verdict::Deny;
    decision.layer = Layer::Floor;
    decision.reasons.insert(0, note.to_owned());
    let step = Step { layer: Layer::Floor, verdict: Some(Verdict::Deny), note: note.to_owned() };
    decision.steps.push(step);
}

fn entry(action: &Action, judgement: &Judgement, policy: &str) -> Entry {
    let Judgement { action: _, effects: _, assessment, decision } = judgement;
    let call = &action.call;
    let mut rules: Vec<String> = Vec::new();
    for finding in &assessment.findings {
        if !rules.iter().any(|rule| rule == finding.rule) {
            rules.push(finding.rule.to_owned());
        }
    }
    Entry {
        tool: Some(call.tool.clone()),
        class: Some(assessment.class.name().to_owned()),
        risk: Some(assessment.risk),
        rules,
        decision: Some(decision.verdict),
        layer: Some(decision.layer),
        reason: decision.reasons.first().cloned(),
        action: Some(action.id()),
        preview: Some(preview(action)),
        policy: Some(policy.to_owned()),
        session: call.session.clone(),
        agent: call.agent.clone(),
        cwd: call.cwd.clone(),
        ..Entry::new(Kind::Decision)
    }
}

/// The call for a person: its one text where it has one, else its arguments.
fn preview(action: &Action) -> String {
    match &action.kind {
        ActionKind::Shell { command: text, .. }
        | ActionKind::Code { code: text, .. }
        | ActionKind::Query { statement: text, .. }
        | ActionKind::File { path: text, .. }
        | ActionKind::Http { url: text, .. } => text.clone(),
        ActionKind::Tool => serde_json::to_string(&action.call.arguments).unwrap_or_default(),
    }
}

impl Judged {
    pub(super) fn report(&self) -> report::Judged<'_> {
        report::Judged {
            call: &self.action.call,
            effects: &self.judgement.effects,
            assessment: &self.judgement.assessment,
            decision: &self.judgement.decision,
        }
    }
}

impl Complaint {
    /// The word for programs.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Call(_) | Self::Mode(_) => "bad-input",
        }
    }

    pub(super) fn failure(&self) -> Failure {
        match self {
            Self::Call(error) => Failure::bad_input(error),
            Self::Mode(error) => Failure::bad_input(error),
        }
    }
}
