//! One gate for the length of a process. Owns what judging needs from the world: the policy, the facts, the record. It
//! reads no calls and writes no answers.

use std::{
    collections::VecDeque,
    env, fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use portcullis_core::{
    action::{Action, ActionKind, BadCall},
    analyze::Ensemble,
    call::ToolCall,
    decision::{Decision, Layer, Obligation, Step, Verdict},
    facts::{FactPlan, Facts},
    gate::{Gate, Judgement, LOOKS, Understood},
    inspect::{Inspection, inspect},
    monitor::Deed,
    policy::{Confirmation, Context, Mode, Policy, PolicyOptions, Rule},
    redact::redact,
    rules,
    session::{Source, ToolDefinition},
    understand,
};

use crate::{
    alike::{Case, Like, NoKind},
    audit::{AuditError, Entry, Files, Kind, Log, Opens, Record, Store, Whose},
    config::{ConfigError, Configuration, Lock, OnFailure, ProjectFile, UnknownTools},
    memory::Memory,
    observe::{Observer, Place},
    pins, report,
    trace::Trace,
    undelivered::Queue,
    watch,
    wire::{EventRequest, Happened, Noticed},
};

/// What a session is opened with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration wherever a call runs; the files of projects are added to it.
    pub configuration: Configuration,
    /// The analyzers of the ensemble, where they are others than the configuration's.
    pub analyzers: Option<Ensemble>,
    /// Let one analyzer that cannot tell make the risk unknown.
    pub propagate_unknown: bool,
    /// The mode that is enforced for every call, whatever the call says.
    pub mode: Option<Mode>,
    /// The directory of calls that name none.
    pub cwd: Option<String>,
    /// The home directory of calls that name none.
    pub home: Option<String>,
    /// Calls come from elsewhere: where one runs that names no directory is not known, and never this process's own.
    pub from_elsewhere: bool,
    /// Keep no record, unless the managed configuration locks it.
    pub unrecorded: bool,
    /// Keep the record whatever the environment says of it: it can come from a project.
    pub recorded: bool,
    /// What is ours beside the program and its files: a call that would change it would change the gate.
    pub guarded: Vec<PathBuf>,
    /// Where the record is kept, where that is not a directory.
    pub recorder: Option<Recorder>,
}

/// A record that is not kept in a directory.
#[derive(Clone)]
pub struct Recorder(Arc<dyn Opens>);

impl Recorder {
    /// One that is opened so.
    #[must_use]
    pub fn new(opens: impl Opens + 'static) -> Self {
        Self(Arc::new(opens))
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// What a call is judged under.
#[derive(Debug, Default)]
pub struct Regime {
    /// The configuration, with the project's.
    pub configuration: Configuration,
    gate: Gate,
}

/// What every call of one process has in common.
pub struct Session {
    base: Arc<Regime>,
    analyzers: Option<Ensemble>,
    propagate_unknown: bool,
    /// The confirmation policy that a person chose in place of the configuration's.
    confirmation: Option<Confirmation>,
    /// The kinds of calls that a person is asked about no more, each with who said so.
    alike: Vec<(Like, String)>,
    /// The project of the last call, since the next one is mostly about the same.
    project: Mutex<Option<(ProjectFile, Arc<Regime>)>>,
    mode: Option<Mode>,
    cwd: Option<String>,
    home: Option<String>,
    observer: Observer,
    memory: Memory,
    /// Where it is kept what was accepted of servers.
    state: Option<PathBuf>,
    /// Where the answers of the latest calls come from, by the session and the id of each.
    sources: Mutex<VecDeque<(Heard, Source)>>,
    on_failure: OnFailure,
    record: Recording,
}

/// A call whose answer may be told of: its agent, session and id.
#[derive(Debug, Eq, PartialEq)]
struct Heard(Option<String>, String, String);

/// How many calls are kept whose answer may still be told of.
const UNANSWERED: usize = 1_024;

/// A directory that a call is supposed to run in where nobody knows which: one file of it is told from another then, as in a download that is run by
/// the next command. Nothing that is told names it.
const SUPPOSED: &str = "/workspace/project";

fn suppose_a_directory(facts: &Facts) -> Facts {
    let supposed = Some(SUPPOSED.to_owned());
    Facts { cwd: supposed.clone(), workspace: supposed, ..facts.clone() }
}

/// Takes over what a call would be in a directory that is known, where that is decided more strictly.
fn raise(judgement: &mut Judgement, supposed: Judgement) {
    if supposed.decision.verdict <= judgement.decision.verdict {
        return;
    }
    let unnamed =
        |text: &str| text.replace(&format!("{SUPPOSED}/"), "").replace(SUPPOSED, "where it runs");
    let Judgement { action: _, effects: _, assessment, decision } = supposed;
    judgement.assessment.risk = assessment.risk;
    judgement.assessment.findings = assessment.findings;
    for finding in &mut judgement.assessment.findings {
        finding.message = unnamed(&finding.message);
        finding.remedy = unnamed(&finding.remedy);
        finding.resource = None;
    }
    judgement.decision = decision;
    for reason in &mut judgement.decision.reasons {
        *reason = unnamed(reason);
    }
}

/// What only the managed configuration says cannot be changed by anybody else.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the managed configuration locks `{0}`")]
pub struct Locked(&'static str);

/// Where decisions are recorded.
enum Recording {
    Off,
    On(Box<Log>),
    /// It should be recorded and cannot be, so nothing is allowed.
    Broken(AuditError),
}

/// A call that was judged, with what it was judged by.
pub struct Judged {
    /// What the call means.
    pub action: Action,
    /// What was known of the world.
    pub facts: Facts,
    /// What it was judged in.
    pub context: Context,
    /// What came of it.
    pub judgement: Judgement,
    /// What it was judged under.
    pub regime: Arc<Regime>,
    /// Under which ids the record tells what was noticed about its session.
    pub noticed: Vec<String>,
    /// Where the decision stands in the record, once it does.
    pub sequence: Option<u64>,
    /// Why no gateway answered, where it goes on by what is proven here: a gateway is told of it later.
    pub unanswered: Option<String>,
    /// Where the call stands in its caller's trace. No decision looks at it.
    pub trace: Option<Trace>,
}

impl Session {
    /// A session over this machine.
    #[must_use]
    pub fn open(options: Options) -> Self {
        let Options {
            configuration,
            analyzers,
            propagate_unknown,
            mode,
            cwd,
            home,
            from_elsewhere,
            unrecorded,
            recorded,
            guarded,
            recorder,
        } = options;
        let audit = configuration.audit.clone();
        let ours = configuration.account.paths().chain(audit.path.as_deref());
        let ours = ours.chain(guarded.iter().map(PathBuf::as_path));
        let ours: Vec<&Path> = ours.collect();
        let directories = configuration.directories();
        let observer = Observer::new(&directories, &ours);
        let observer = observer.reading(configuration.reads_files);
        let observer = if from_elsewhere { observer.elsewhere() } else { observer };
        let unwanted = unrecorded || !recorded && record_is_unwanted();
        let off = !audit.enabled || (unwanted && !configuration.is_locked(Lock::Audit));
        let directory = audit.path.clone().or(directories.state);
        let kept = if off { None } else { directory.clone() };
        let state = directory.clone();
        let record = match recorder {
            _ if off => Recording::Off,
            None => Recording::open(directory.as_deref()),
            Some(Recorder(elsewhere)) => {
                elsewhere.open().map_or_else(Recording::Broken, |log| Recording::On(Box::new(log)))
            }
        };
        let base = Regime::new(configuration, analyzers.as_ref(), propagate_unknown, None);
        Self {
            base: Arc::new(base),
            analyzers,
            propagate_unknown,
            confirmation: None,
            alike: Vec::new(),
            project: Mutex::default(),
            mode,
            cwd,
            home,
            observer,
            memory: Memory::new(kept.as_deref()),
            state,
            sources: Mutex::default(),
            record,
            on_failure: audit.on_failure,
        }
    }

    /// The policy that calls are judged under.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.base.gate.policy()
    }

    /// Judges under another permission mode from here on: whoever runs the agent chose it. Where a mode is locked, a looser one is none.
    pub const fn set_mode(&mut self, mode: Option<Mode>) {
        self.mode = mode;
    }

    /// What identifies the policy that calls are judged under.
    #[must_use]
    pub fn policy_id(&self) -> &str {
        &self.base.configuration.policy_id
    }

    /// The permission mode that is enforced.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        let policy = &self.base.configuration.policy;
        policy.permissions().for_call(self.base.configuration.mode_for_call(self.mode))
    }

    /// Judges with other analyzers from here on; with those of the configuration where none are given.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration chooses them.
    pub fn set_analyzers(&mut self, analyzers: Option<Ensemble>) -> Result<(), Locked> {
        self.unlocked(Lock::Analyzers, "analyzers")?;
        self.analyzers = analyzers;
        self.rebase(self.base.configuration.clone());
        Ok(())
    }

    /// Asks about other risks from here on; about those of the configuration where nothing is given.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration chooses them.
    pub fn set_confirmation(&mut self, confirmation: Option<Confirmation>) -> Result<(), Locked> {
        self.unlocked(Lock::Confirmation, "confirmation")?;
        self.confirmation = confirmation;
        self.rebase(self.base.configuration.clone());
        Ok(())
    }

    /// Allows what these rules cover from here on.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration allows.
    pub fn allow(&mut self, rules: impl IntoIterator<Item = Rule>) -> Result<(), Locked> {
        self.unlocked(Lock::Allow, "rules.allow")?;
        self.rebase(self.base.configuration.allowing(rules));
        Ok(())
    }

    /// Asks no more about calls of a kind from here on: `by` said so.
    ///
    /// # Errors
    /// [`Locked`] where only the managed configuration allows.
    pub fn allow_alike(&mut self, kind: Like, by: &str) -> Result<(), Locked> {
        self.unlocked(Lock::Allow, "rules.allow")?;
        if kind.is_sound() && !self.alike.iter().any(|(known, _)| *known == kind) {
            self.alike.push((kind, by.to_owned()));
        }
        Ok(())
    }

    /// Whether a person said of its kind that it is not asked about.
    #[must_use]
    pub fn is_alike(&self, judged: &Judged) -> bool {
        let Decision { verdict, layer, .. } = judged.judgement.decision;
        // Nobody else has answered before it was asked about.
        let is_settled = (verdict, layer) == (Verdict::Allow, Layer::Person);
        !self.alike.is_empty() && (is_settled || self.kind_of(judged).is_some())
    }

    /// The kind that a call is of, among those that a person said not to ask about, and who that was.
    fn kind_of(&self, judged: &Judged) -> Option<&(Like, String)> {
        self.alike.iter().find(|(kind, _)| judged.is_of(kind))
    }

    /// Answers what asks with what a person said of its kind.
    fn settle_alike(&self, judged: &mut Judged) {
        if self.alike.is_empty() || judged.judgement.decision.verdict != Verdict::Ask {
            return;
        }
        if let Some((kind, by)) = self.kind_of(judged) {
            let reason = format!("{by} allowed {}", kind.words());
            allow(&mut judged.judgement.decision, &reason);
        }
    }

    fn unlocked(&self, lock: Lock, key: &'static str) -> Result<(), Locked> {
        if self.base.configuration.is_locked(lock) { Err(Locked(key)) } else { Ok(()) }
    }

    fn rebase(&mut self, configuration: Configuration) {
        self.base = Arc::new(self.regime_of(configuration));
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn regime_of(&self, configuration: Configuration) -> Regime {
        let analyzers = self.analyzers.as_ref();
        Regime::new(configuration, analyzers, self.propagate_unknown, self.confirmation)
    }

    /// Keeps no record from here on.
    pub fn record_nothing(&mut self) {
        self.record = Recording::Off;
    }

    /// Why nothing can be recorded, where something should be.
    #[must_use]
    pub const fn broken(&self) -> Option<&AuditError> {
        match &self.record {
            Recording::Broken(error) => Some(error),
            Recording::Off | Recording::On(_) => None,
        }
    }

    /// Judges a call and records the decision.
    ///
    /// # Errors
    /// [`BadCall`] where the arguments are not what the tool takes.
    pub fn judge(&mut self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        let mut judged = self.consider(call, context)?;
        self.record(&mut judged);
        Ok(judged)
    }

    /// Judges a call without recording anything.
    ///
    /// # Errors
    /// As [`Session::judge`].
    pub fn consider(&self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        Ok(self.consider_action(Action::from_call(self.placed(call))?, context))
    }

    /// As [`Session::consider`], where an agent tells of its own tool: arguments that it cannot have are a mistake.
    ///
    /// # Errors
    /// As [`Action::of_own_tool`].
    pub fn consider_own(&self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        Ok(self.consider_action(Action::of_own_tool(self.placed(call))?, context))
    }

    fn placed(&self, mut call: ToolCall) -> ToolCall {
        call.cwd = call.cwd.or_else(|| self.cwd.clone());
        call.home = call.home.or_else(|| self.home.clone());
        call
    }

    /// What is known of the world around a call, its paths aside.
    #[must_use]
    pub fn facts_of(&self, call: &ToolCall) -> Facts {
        let cwd = call.cwd.as_deref().or(self.cwd.as_deref());
        let home = call.home.as_deref().or(self.home.as_deref());
        self.observer.facts(&FactPlan::default(), cwd, home)
    }

    /// Judges an action without recording anything.
    #[must_use]
    pub fn consider_action(&self, action: Action, context: Context) -> Judged {
        let mut facts = self.surroundings(&action.call);
        let (regime, trouble) = match self.regime(facts.workspace.as_deref()) {
            Ok(regime) => (regime, None),
            Err(error) => (Arc::clone(&self.base), Some(error)),
        };
        facts.tool = regime.configuration.contracts.about(&action.call, &facts.session);
        let mode = regime.configuration.mode_for_call(self.mode.or(context.mode));
        let left_to_agent = regime.configuration.hook.unknown_tools == UnknownTools::Agent;
        let agent_asks = context.agent_asks && left_to_agent;
        let context = Context { mode, agent_asks, ..context };
        let understood = self.understood(&action, facts, &regime.configuration);
        let (mut judgement, mut facts) = regime.gate.judge_understood(understood, &context);
        if judgement.decision.verdict != Verdict::Allow && !judgement.effects.files.is_empty() {
            // What a project keeps of its own is looked up only where it may matter.
            self.observer.look_up_commits(&mut facts);
            judgement = regime.gate.judge_in(&action, &facts, &context);
        }
        if facts.cwd.is_none() && judgement.decision.verdict == Verdict::Allow {
            let supposed = suppose_a_directory(&facts);
            raise(&mut judgement, regime.gate.judge_in(&action, &supposed, &context));
        }
        if let Some(error) = trouble {
            let note = format!("what the project demands cannot be read: {error}");
            deny(&mut judgement.decision, &note);
        }
        let noticed = Vec::new();
        let mut judged = Judged {
            action,
            facts,
            context,
            judgement,
            regime,
            noticed,
            sequence: None,
            unanswered: None,
            trace: None,
        };
        self.settle_alike(&mut judged);
        judged
    }

    fn surroundings(&self, call: &ToolCall) -> Facts {
        let mut facts = self.observer.surroundings(call.cwd.as_deref(), call.home.as_deref());
        facts.session = self.memory.of(call);
        if facts.session.tools().find(&call.tool).is_none()
            && let Some(state) = &self.state
            && let Some((server, entry)) = pins::Files::accepted(state, &call.tool)
            && let Some(mut tool) = ToolDefinition::read(&entry)
        {
            // Whoever judges a call of it knows of it what the proxy before it knows.
            tool.server = Some(server);
            facts.session.learn(vec![tool]);
        }
        facts
    }

    /// What an action would do, with all that is known of the world as far as it asks for that. It is understood once, with what to look up noted on
    /// the way and files read when they are met; and once more only by what can change that: links and directories. What a file starts is looked up too.
    fn understood<'a>(
        &self,
        action: &'a Action,
        facts: Facts,
        configuration: &Configuration,
    ) -> Understood<'a> {
        let mut understood = self.read_through(action, facts);
        for _ in 0..LOOKS {
            let plan = understood.plan();
            let wants_hosts = plan.hosts && understood.facts().hosts.is_empty();
            let mut observed = self.observer.look(&plan, understood.facts());
            if wants_hosts {
                let allowed = &configuration.network.options.allowed_hosts;
                let allowed = allowed.iter().map(|entry| entry.host.to_ascii_lowercase());
                observed.hosts.extend(allowed);
            }
            if observed.is_empty() {
                break;
            }
            let starts_files = !understood.effects().files.is_empty();
            understood = match understood.learned(observed) {
                // The same is understood, so nothing else is asked for.
                Ok(understood) => return understood,
                Err(facts) => self.read_through(action, *facts),
            };
            if !starts_files {
                break;
            }
        }
        understood
    }

    /// What an action would do by what is known, with the files that it starts.
    fn read_through<'a>(&self, action: &'a Action, facts: Facts) -> Understood<'a> {
        let place = Place::of(&facts);
        match self.observer.reader(&place, &facts) {
            Some(reader) => Understood::reading(action, facts, &|path| reader.read(path)),
            None => Understood::new(action, facts),
        }
    }

    /// The files that an action would start as the world is now.
    #[must_use]
    pub fn files_now(&self, action: &Action) -> Files {
        let facts = self.surroundings(&action.call);
        let understood = self.understood(action, facts, &self.base.configuration);
        Files::of(&understood.effects().files)
    }

    /// Of the files that a decision went by, those that are others by now.
    #[must_use]
    pub fn changed(&self, files: &Files) -> Vec<String> {
        self.observer.changed(files)
    }

    /// Raises a decision by what is noticed about the session that its call belongs to.
    pub fn watch(&mut self, judged: &mut Judged) {
        let log = match &mut self.record {
            Recording::On(log) => Some(log.store()),
            Recording::Off | Recording::Broken(_) => None,
        };
        watched(judged, log, self.on_failure);
    }

    /// As [`Session::watch`], by a record that somebody else keeps.
    pub fn watch_by(&self, judged: &mut Judged, store: &mut dyn Store) {
        watched(judged, Some(store), self.on_failure);
    }

    /// What calls in a workspace are judged under.
    fn regime(&self, workspace: Option<&str>) -> Result<Arc<Regime>, ConfigError> {
        let base = &self.base;
        let Some(workspace) = workspace else { return Ok(Arc::clone(base)) };
        // Read for each call: a file that changes counts at once.
        let Some(file) = base.configuration.project(Path::new(workspace))? else {
            return Ok(Arc::clone(base));
        };
        let mut last = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, regime)) = &*last
            && *known == file
        {
            return Ok(Arc::clone(regime));
        }
        let configuration = base.configuration.with_project(&file)?;
        let regime = Arc::new(self.regime_of(configuration));
        *last = Some((file, Arc::clone(&regime)));
        Ok(regime)
    }

    /// Records a decision before anybody acts on it. One that should be recorded and cannot be is denied, unless the
    /// configuration lets it go on.
    pub fn record(&mut self, judged: &mut Judged) {
        match self.record.intent(|| judged.entry()) {
            Ok(sequence) => judged.sequence = sequence,
            Err(error) if self.on_failure == OnFailure::Deny => {
                let note = format!("nothing goes on unrecorded: {error}");
                deny(&mut judged.judgement.decision, &note);
            }
            Err(_) => {}
        }
        self.leave_for_a_gateway(judged);
        self.remember(judged);
    }

    /// Keeps a decision that no gateway knows of, for the first that answers. What cannot be kept so, or stands in no record here, does not go on.
    fn leave_for_a_gateway(&mut self, judged: &mut Judged) {
        if judged.unanswered.is_none() || judged.judgement.decision.verdict != Verdict::Allow {
            return;
        }
        let record = judged.sequence.and_then(|sequence| self.recorded(sequence));
        let kept = match (&self.state, &record) {
            (Some(state), Some(record)) => Queue::of(state).keep(record),
            _ => Err(io::Error::other("it stands in no record here")),
        };
        let Err(error) = kept else { return };
        let note = format!("no gateway answers, and it cannot be kept for one: {error}");
        if record.is_some() {
            let call = &judged.action.call;
            let refused = Entry {
                refers_to: judged.sequence,
                decision: Some(Verdict::Deny),
                outcome: Some("refused".to_owned()),
                reason: Some(note.clone()),
                action: Some(judged.action.id()),
                tool: Some(call.tool.clone()),
                session: call.session.clone(),
                agent: call.agent.clone(),
                ..Entry::new(Kind::Answer)
            };
            // It is denied whether that can be recorded or not.
            let _ = self.note(refused);
        }
        deny(&mut judged.judgement.decision, &note);
    }

    /// Keeps in mind what a call leaves behind that may go on. [`Session::record`] does it by itself.
    pub fn remember(&self, judged: &mut Judged) {
        self.expect_answer(judged);
        let Judged { action, judgement, noticed, .. } = judged;
        let Decision { verdict, layer, .. } = judgement.decision;
        if verdict == Verdict::Deny {
            // What only the session is to blame for is no harm of the action's.
            if noticed.is_empty() && action.call.session.is_some() {
                let deed = Deed::of(action, judgement);
                // It is denied already, whether that can be kept in mind or not.
                let _ = self.memory.add(&action.call, &|state| state.denied(&deed, layer));
            }
            return;
        }
        // Without what is secret in it: a name that held it holds something else then, and is sent on as little.
        let code = match &action.kind {
            ActionKind::Code { language, code, .. } => {
                Some((language.clone(), redact(code).into_owned()))
            }
            _ => None,
        };
        let kept = self.memory.add(&action.call, &|state| {
            if layer == Layer::Person && !state.denials().is_empty() {
                state.forgiven(&Deed::of(action, judgement));
            }
            state.after(action, &judgement.effects);
            if let Some(code) = &code {
                state.ran(&code.0, &code.1);
            }
            state.acted(rules::acted_on(&judgement.effects));
        });
        if let Err(error) = kept
            && self.on_failure == OnFailure::Deny
        {
            deny(
                &mut judgement.decision,
                &format!("what it leaves cannot be kept in mind: {error}"),
            );
        }
    }

    /// Keeps in mind where the answer of a call will come from, where its sender can tell of it by an id.
    fn expect_answer(&self, judged: &Judged) {
        let call = &judged.action.call;
        let (Some(session), Some(id)) = (&call.session, &call.id) else { return };
        let source = rules::source(&judged.action, &judged.judgement.effects, &judged.facts);
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if sources.len() >= UNANSWERED {
            sources.pop_front();
        }
        sources.push_back((Heard(call.agent.clone(), session.clone(), id.clone()), source));
    }

    /// Keeps in mind what a call answered.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn answered_with(&self, call: &ToolCall, text: &str, seen: &Inspection) -> io::Result<()> {
        let source = match Action::from_call(call.clone()) {
            Ok(action) => {
                let facts = Facts { session: self.memory.of(call), ..self.facts_of(call) };
                let effects = understand::understand(&action, &facts);
                rules::source(&action, &effects, &facts)
            }
            Err(_) => {
                Source { from: format!("what `{}` answered", call.tool), ..Source::default() }
            }
        };
        self.heard(call, &source, text, seen)
    }

    /// As [`Session::answered_with`], of a call that was judged here.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn answered_to(&self, judged: &Judged, text: &str, seen: &Inspection) -> io::Result<()> {
        let source = rules::source(&judged.action, &judged.judgement.effects, &judged.facts);
        self.heard(&judged.action.call, &source, text, seen)
    }

    fn heard(
        &self,
        call: &ToolCall,
        source: &Source,
        text: &str,
        seen: &Inspection,
    ) -> io::Result<()> {
        self.memory.add(call, &|state| {
            state.told(&call.tool, seen);
            state.answered(source, text, seen);
        })
    }

    /// Keeps in mind what happened in a session beside its calls; gives what was noticed.
    ///
    /// # Errors
    /// When it cannot be kept for the next process.
    pub fn happened(&self, event: &EventRequest) -> io::Result<Noticed> {
        let EventRequest { id, session, agent, what } = event;
        let call = ToolCall {
            session: Some(session.clone()),
            agent: agent.clone(),
            ..ToolCall::default()
        };
        match what {
            Happened::Tools(tools) => {
                self.memory.add(&call, &|state| state.learn(tools.clone()))?;
                Ok(Noticed { tools: Some(tools.len()), ..Noticed::default() })
            }
            Happened::Prompt(text) => {
                let seen = inspect(text);
                self.memory.add(&call, &|state| state.person_sent(text))?;
                let state = self.memory.of(&call);
                Ok(Noticed {
                    secret: Some(seen.holds_secret()),
                    asked: Some(state.asked().acts().names().collect()),
                    named: Some(state.asked().things()),
                    limits: Some(state.asked().limits()),
                    ..Noticed::default()
                })
            }
            Happened::Result(text) => {
                let seen = inspect(text);
                let id =
                    id.as_ref().map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                let key = Heard(agent.clone(), session.clone(), id.unwrap_or_default());
                let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
                let known = sources.iter().rev().find(|(known, _)| *known == key);
                let unknown =
                    || Source { from: "what a call answered".to_owned(), ..Source::default() };
                let source = known.map_or_else(unknown, |(_, source)| source.clone());
                drop(sources);
                self.heard(&call, &source, text, &seen)?;
                let state = self.memory.of(&call);
                Ok(Noticed {
                    secret: Some(seen.holds_secret()),
                    planted: Some(!seen.planted.is_empty()),
                    from: Some(source.from),
                    demands: Some(state.heard().demanded().names().collect()),
                    ..Noticed::default()
                })
            }
        }
    }

    /// Records something beside decisions: an answer, an outcome.
    ///
    /// # Errors
    /// Nothing was recorded then.
    pub fn note(&mut self, entry: Entry) -> Result<(), &AuditError> {
        let policy = Some(self.base.configuration.policy_id.clone());
        self.record.intent(|| Entry { policy, ..entry }).map(drop)
    }

    /// As [`Session::note`]; where it stands in the record, where one is kept. What must not happen unrecorded is the error.
    ///
    /// # Errors
    /// Nothing was recorded then, and the configuration lets nothing go on without.
    pub fn noted(&mut self, entry: Entry) -> Result<Option<u64>, &AuditError> {
        let policy = Some(self.base.configuration.policy_id.clone());
        let on_failure = self.on_failure;
        match self.record.intent(|| Entry { policy, ..entry }) {
            Err(_) if on_failure != OnFailure::Deny => Ok(None),
            noted => noted,
        }
    }

    /// A record of this session's state directory.
    pub fn recorded(&mut self, sequence: u64) -> Option<Record> {
        let Recording::On(log) = &mut self.record else { return None };
        log.record(sequence).ok().flatten()
    }

    /// Records what became of a call, of which only the call is known, beside the decision about it.
    ///
    /// # Errors
    /// As [`Session::note`].
    pub fn ran(&mut self, outcome: Entry) -> Result<Ran, &AuditError> {
        let mut refers_to = None;
        let mut ran = Ran::default();
        let mut files = Files::NONE;
        if let (Recording::On(log), Some(session), Some(action)) =
            (&mut self.record, &outcome.session, &outcome.action)
        {
            let whose = Whose { session, agent: outcome.agent.as_deref() };
            let mut about = || {
                let found = log.decision_about(whose, action)?;
                let decision = found.map(|sequence| log.record(sequence)).transpose()?.flatten();
                let decision = decision.map(|record| record.entry);
                files = decision.as_ref().map_or(Files::NONE, |entry| entry.files.clone());
                let decision = decision.and_then(|entry| entry.decision);
                if decision == Some(Verdict::Deny)
                    && let Some(open) = log.decision_left_open(whose, action)?
                {
                    // It was allowed before it was tried again and denied, and only now ended.
                    return Ok((Some(open), Some(Verdict::Allow)));
                }
                Ok((found, decision))
            };
            match about() {
                Ok((found, decision)) => {
                    refers_to = found;
                    if decision == Some(Verdict::Deny) {
                        ran.disobeyed = true;
                    }
                }
                Err(error) => self.record = Recording::Broken(error),
            }
        }
        ran.changed = self.changed(&files);
        let mut said = outcome.outcome.unwrap_or_default();
        if ran.disobeyed {
            said = format!("{DISOBEYED}: {said}");
        }
        if !ran.changed.is_empty() {
            said = format!("{said}; {}", changed_words(&ran.changed));
        }
        self.note(Entry { refers_to, outcome: Some(said), ..outcome })?;
        Ok(ran)
    }

    /// Records the answer to a decision before anybody acts on it. An answer that should be recorded and cannot be is a denial, unless
    /// the configuration lets it go on.
    pub fn answered(&mut self, judged: &mut Judged, answer: Entry) {
        let policy = judged.regime.configuration.policy_id.clone();
        let recorded = self.record.intent(|| Entry { policy: Some(policy), ..answer });
        if let Err(error) = recorded
            && self.on_failure == OnFailure::Deny
        {
            deny(&mut judged.judgement.decision, &format!("nothing goes on unrecorded: {error}"));
        }
    }

    /// The decision about the same action in another context.
    #[must_use]
    pub fn again(&self, judged: &Judged, context: &Context) -> Decision {
        let Judged { action, facts, regime, .. } = judged;
        let mode = regime.configuration.mode_for_call(context.mode);
        regime.gate.judge_in(action, facts, &Context { mode, ..*context }).decision
    }
}

/// What the outcome of a call that ran begins with where it had been denied: its agent does not obey.
pub const DISOBEYED: &str = "ran although it was denied";

/// What the record tells of a call that ran.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Ran {
    /// It had been denied.
    pub disobeyed: bool,
    /// Files that it went by and that are others by now: whether what ran is what was judged, nobody can say.
    pub changed: Vec<String>,
}

/// How many files are named that changed.
const NAMED: usize = 3;

/// That files are others than they were when they were judged.
#[must_use]
pub fn changed_words(files: &[String]) -> String {
    let names: Vec<String> = files.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("changed since it was judged: {}{more}", names.join(", "))
}

impl Regime {
    fn new(
        configuration: Configuration,
        analyzers: Option<&Ensemble>,
        propagate_unknown: bool,
        confirmation: Option<Confirmation>,
    ) -> Self {
        let analyzers = analyzers.cloned().unwrap_or_else(|| configuration.ensemble());
        let analyzers = analyzers.propagate_unknown(propagate_unknown);
        let mut policy = configuration.policy.clone();
        if let Some(confirmation) = confirmation {
            policy = Policy::new(PolicyOptions { confirmation, ..policy.options() });
        }
        Self { gate: Gate::with_analyzers(policy, analyzers), configuration }
    }
}

/// Whether the environment asks for no record.
#[must_use]
pub fn record_is_unwanted() -> bool {
    env::var_os("PORTCULLIS_AUDIT").is_some_and(|value| value == "off")
}

impl Recording {
    fn open(directory: Option<&Path>) -> Self {
        let directory = directory.ok_or(AuditError::NoDirectory);
        match directory.and_then(Log::open) {
            Ok(log) => Self::On(Box::new(log)),
            Err(error) => Self::Broken(error),
        }
    }

    /// Records a decision before anybody can act on it; gives its place, where there is a record.
    fn intent(&mut self, entry: impl FnOnce() -> Entry) -> Result<Option<u64>, &AuditError> {
        let mut place = None;
        if let Self::On(log) = self {
            match log.append(&entry()) {
                Ok(appended) => place = Some(appended.anchor.sequence),
                Err(error) => *self = Self::Broken(error),
            }
        }
        match self {
            Self::Broken(error) => Err(error),
            Self::Off | Self::On(_) => Ok(place),
        }
    }
}

/// Raises a decision by what is noticed about the session that its call belongs to.
fn watched(judged: &mut Judged, log: Option<&mut dyn Store>, on_failure: OnFailure) {
    let Judged { action, facts, judgement, regime, noticed, .. } = judged;
    let call = &action.call;
    let Some(session) = call.session.as_deref().filter(|session| !session.is_empty()) else {
        return;
    };
    let whose = Whose { session, agent: call.agent.as_deref() };
    let settings = &regime.configuration.monitor;
    let now = Timestamp::now();
    match watch::monitor(log, whose, settings.limits, &facts.session, now) {
        Ok(monitor) => {
            let deed = Deed::of(action, judgement);
            let class = judgement.assessment.class;
            let decision = &mut judgement.decision;
            *noticed = watch::raise(&monitor, settings, &deed, decision, class, now);
        }
        Err(error) if on_failure == OnFailure::Deny => {
            let note = format!("what this session did before cannot be read: {error}");
            deny(&mut judgement.decision, &note);
        }
        Err(_) => {}
    }
}

/// Turns a decision that asks into one that a person allowed.
pub(crate) fn allow(decision: &mut Decision, reason: &str) {
    debug_assert_eq!(decision.verdict, Verdict::Ask);
    decision.verdict = Verdict::Allow;
    decision.layer = Layer::Person;
    decision.reasons.insert(0, reason.to_owned());
    decision.steps.push(Step {
        layer: Layer::Person,
        verdict: Some(Verdict::Allow),
        note: reason.to_owned().into(),
    });
    if decision.obligations.is_empty() {
        decision.obligations.push(Obligation::RedactOutput);
    }
}

/// Denies what was decided otherwise, because the gate itself cannot do its part.
pub(crate) fn deny(decision: &mut Decision, note: &str) {
    decision.verdict = Verdict::Deny;
    decision.layer = Layer::Floor;
    decision.reasons.insert(0, note.to_owned());
    let step =
        Step { layer: Layer::Floor, verdict: Some(Verdict::Deny), note: note.to_owned().into() };
    decision.steps.push(step);
}

/// The call for a person: its one text where it has one, else its arguments.
#[must_use]
pub fn preview(action: &Action) -> String {
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
    /// Somebody answered: that is the decision now, with the note of who and why in front of the reasons.
    pub fn answered(&mut self, verdict: Verdict, note: String) {
        let decision = &mut self.judgement.decision;
        decision.verdict = verdict;
        decision.layer = Layer::Person;
        decision.reasons.insert(0, note.clone());
        decision.steps.push(Step {
            layer: Layer::Person,
            verdict: Some(verdict),
            note: note.into(),
        });
    }

    /// The kind of this call, where a person can be asked about all of its kind at once.
    ///
    /// # Errors
    /// [`NoKind`].
    pub fn kind(&self) -> Result<Like, NoKind> {
        Like::of(self.case())
    }

    /// Whether this call is asked about for nothing else than what is of a kind.
    #[must_use]
    pub fn is_of(&self, kind: &Like) -> bool {
        kind.covers(self.case())
    }

    fn case(&self) -> Case<'_> {
        let Self { action, facts, judgement, regime, .. } = self;
        let confirmation = regime.gate.policy().options().confirmation;
        Case { action, facts, judgement, confirmation }
    }

    /// What stands for the files that the action would start, as they were judged: see [`Files::seal`]. With the hash of the action it is what
    /// an answer is bound to, since the words of a call do not say what stands in the files that it starts.
    #[must_use]
    pub fn seal(&self) -> Option<String> {
        Files::of(&self.judgement.effects.files).fitted().seal()
    }

    /// The decision for the record.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let Self { action, judgement, noticed, regime, .. } = self;
        let Judgement { action: _, effects, assessment, decision } = judgement;
        let call = &action.call;
        let mut rules: Vec<String> = Vec::new();
        for finding in &assessment.findings {
            if !rules.iter().any(|rule| rule == finding.rule) {
                rules.push(finding.rule.to_owned());
            }
        }
        rules.extend(noticed.iter().cloned());
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
            policy: Some(regime.configuration.policy_id.clone()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            files: Files::of(&effects.files),
            ..Entry::new(Kind::Decision)
        }
    }

    /// The files that it was judged by; `None` where no file was looked for.
    #[must_use]
    pub fn files(&self) -> Option<Files> {
        let looked = !self.facts.contents.is_empty();
        looked.then(|| Files::of(&self.judgement.effects.files))
    }

    /// What a report shows of it.
    #[must_use]
    pub fn report(&self) -> report::Judged<'_> {
        report::Judged {
            call: &self.action.call,
            effects: &self.judgement.effects,
            assessment: &self.judgement.assessment,
            decision: &self.judgement.decision,
        }
    }
}
