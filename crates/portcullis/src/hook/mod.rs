//! The gate inside coding agents. Owns the way from an agent's payload to the answer that it understands; what a call would
//! do is judged by the session, as for every other gate.
//!
//! ```text
//! bytes ──payload──► ToolCall ──session──► Judged ──settled──► Word ──reply──► what the agent reads
//! ```
//!
//! It never fails by silence, which agents take for consent: whatever goes wrong on the way is answered with a denial in the
//! agent's own form, also when time is up.

mod call;
pub mod deadline;

mod ground;
mod payload;

#[cfg(target_os = "linux")]
mod replaced;
pub mod sample;
pub mod seen;
mod twin;
mod unreadable;
mod words;

use std::{
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    time::Duration,
};

use portcullis_core::{
    action::{Action, BadCall},
    assessment::{ActionClass, Coverage},
    call::ToolCall,
    decision::{Layer, Verdict},
    inspect::inspect,
    policy::{Context, Mode},
    risk::Risk,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::agents::named;
pub use call::calls_of_tool;
pub use payload::Payload;
pub use unreadable::Unreadable;

use self::{deadline::Deadline, ground::Ground};
use crate::{
    account::Account,
    agents::{
        agent::{Agent, Event, Moment},
        field,
        reply::{Reply, Saying, Word},
    },
    audit::{Entry, Kind},
    config::{self, Approve, ConfigError, Configuration, Hook, OnHookFailure, UnknownTools},
    handover, pause, person, platform,
    remote::{Remote, RemoteError},
    session::{self, Judged, Ran, Session},
    watch,
    wire::{EventRequest, Happened},
};
#[cfg(target_os = "linux")]
use crate::{
    install::command::Program,
    undo::{Around, Before, Bounds},
};

/// How long a gateway may take beside the wait for a person. Every agent gives its hooks more.
const GATEWAY_PATIENCE: Duration = Duration::from_millis(1_500);

/// How much of the wait is kept for a gateway or a network that is slow to answer: this part of it, and at most so long.
const KEPT_PART: u32 = 5;
const KEPT: Duration = Duration::from_secs(10);

/// How a hook is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The agent that it was installed for.
    pub agent: Option<&'static Agent>,
    /// Whether every payload is that agent's, whatever it looks like.
    pub forced: bool,
    /// The configuration, where it is not the usual one.
    pub configuration: Option<PathBuf>,
    /// How long the agent was told to wait for a person at the gateway, beyond the time that it gives every hook.
    pub wait: Duration,
}

/// Why a call could not be judged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// Standard input could not be read.
    #[error("the payload could not be read: {0}")]
    Input(#[from] io::Error),
    /// The payload is not understood.
    #[error(transparent)]
    Payload(#[from] Unreadable),
    /// The configuration cannot be used.
    #[error("{0}")]
    Configuration(#[from] ConfigError),
    /// The arguments are not what the tool takes.
    #[error("the arguments are not what this tool takes: {0}")]
    Call(#[from] BadCall),
    /// The environment puts our own files into what the agent works on.
    #[error("`{0}` puts the gate's own files inside of the project")]
    Environment(&'static str),
    /// A file or directory of ours lies in what the agent works on, or leads there.
    #[error("the gate's own `{0}` lies in what the agent works on, or leads there")]
    Inside(PathBuf),
    /// The configuration can be changed by another name.
    #[error("the gate's own `{0}` has a second name (a hard link), by which it could be changed")]
    Twin(PathBuf),
    /// The gateway that has a say cannot be asked.
    #[error(transparent)]
    Gateway(#[from] RemoteError),
    /// A bug of ours.
    #[error("this is a bug in portcullis")]
    Panic,
}

/// Answers one payload on standard input, on standard output; gives the exit code.
#[must_use]
pub fn run(options: &Options) -> u8 {
    let late = |asker: &Asker| asker.reply(&asker.late());
    let Ok(deadline) = Deadline::start(deadline::LONGEST, Asker::new(options), late) else {
        return 2;
    };
    let input = || payload_bytes(&mut io::stdin().lock());
    let reply = replied(options, &input, &deadline);
    deadline.answer(&reply)
}

/// The answer to one payload, for whoever reads and writes it themselves: without a watch over the time that it takes.
#[must_use]
pub fn reply_to(options: &Options, payload: &[u8]) -> Reply {
    replied(options, &|| Ok(payload.to_vec()), &Unwatched)
}

/// Whatever goes wrong on the way to an answer is one.
fn replied(options: &Options, input: &dyn Fn() -> io::Result<Vec<u8>>, watch: &dyn Watch) -> Reply {
    let mut asker = Asker::new(options);
    let mut replaced = None;
    let answered = panic::catch_unwind(AssertUnwindSafe(|| {
        let input = input()?;
        answer(options, &input, &mut asker, &mut replaced, watch)
    }));
    match answered.unwrap_or(Err(HookError::Panic)) {
        Ok(word) => asker.reply_with(&word, replaced.as_ref()),
        Err(error) => asker.reply(&asker.refusal(&error)),
    }
}

/// Who sees to it that there is an answer in time.
trait Watch {
    /// More is known of whoever waits.
    fn answers_to(&self, asker: Asker);

    /// Whoever waits has more time than others.
    fn extend(&self, time: Duration);
}

impl Watch for Deadline<Asker> {
    fn answers_to(&self, asker: Asker) {
        Self::answers_to(self, asker);
    }

    fn extend(&self, time: Duration) {
        Self::extend(self, time);
    }
}

/// Where whoever asks takes the time themselves.
struct Unwatched;

impl Watch for Unwatched {
    fn answers_to(&self, _: Asker) {}

    fn extend(&self, _: Duration) {}
}

/// What is known of whoever waits for the answer.
#[derive(Clone, Copy, Debug)]
struct Asker {
    agent: Option<&'static Agent>,
    event: Option<&'static Event>,
    asks: bool,
    hook: Hook,
}

impl Asker {
    fn new(options: &Options) -> Self {
        Self { agent: options.agent, event: None, asks: false, hook: Hook::default() }
    }

    /// A word in the form of this agent. While the event is not known, it is the one before a tool runs; while the agent is
    /// not, what blocks nearly everywhere.
    fn reply(&self, word: &Word) -> Reply {
        self.reply_with(word, None)
    }

    /// The same with arguments in place of the call's.
    fn reply_with(&self, word: &Word, input: Option<&Map<String, Value>>) -> Reply {
        let event = self.event.or_else(|| self.agent?.events.first());
        match (event, word) {
            (Some(event), word) => {
                let input = input.filter(|_| event.replaces);
                (event.speak)(&Saying { event: event.name, word, input })
            }
            (None, Word::Ask(reason) | Word::Deny(reason)) => Reply::blocked(reason),
            (None, Word::Nothing | Word::Allow(_) | Word::Note(_)) => Reply::silent(),
        }
    }

    /// What is said of a call that could not be judged.
    fn refusal(&self, error: &HookError) -> Word {
        match self.hook.on_failure {
            _ if !self.can_deny() => Word::Note(words::unseen(error)),
            OnHookFailure::Ask if self.asks => Word::Ask(words::failed(error)),
            OnHookFailure::Ask | OnHookFailure::Deny => Word::Deny(words::failed(error)),
        }
    }

    /// What is said when time is up.
    fn late(&self) -> Word {
        if self.can_deny() { Word::Deny(words::late()) } else { Word::Nothing }
    }

    /// Whether something can still be kept from happening.
    fn can_deny(&self) -> bool {
        !self.event.is_some_and(|event| matches!(event.moment, Moment::AfterTool | Moment::Prompt))
    }
}

fn payload_bytes(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more than is read, so that a longer one is known to be longer.
    input.take(unreadable::LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The word that answers a payload.
fn answer(
    options: &Options,
    bytes: &[u8],
    asker: &mut Asker,
    replaced: &mut Option<Map<String, Value>>,
    watch: &dyn Watch,
) -> Result<Word, HookError> {
    let value = payload::parse(bytes)?;
    let agent = match options.agent {
        Some(agent) if options.forced => agent,
        installed_for => payload::agent_of(&value, installed_for)?,
    };
    asker.agent = Some(agent);
    watch.answers_to(*asker);
    let Some(event) = payload::event_of(&value, agent)? else { return Ok(Word::Nothing) };
    asker.event = Some(event);
    asker.asks = event.asks.holds(&value);
    watch.answers_to(*asker);
    let payload = payload::read(&value, agent, event);
    let account = Account::of_process().and_then(|account| account.home);
    let ground = Ground::of_hook(&value, agent, account.as_deref());
    let ground::Taken { directories, is_settled, note } =
        ground::taken(&ground, account.as_deref())?;
    ground::admitted(&ground, options.configuration.as_deref())?;
    let configuration = Configuration::load_from(options.configuration.as_deref(), &directories)?;
    let warnings = configuration.central.iter().flat_map(|central| central.warnings());
    let note = words::joined(note, warnings);
    ground::admitted(&ground, configuration.audit.path.as_deref())?;
    asker.hook = configuration.hook;
    let payload = payload?;
    let session = || {
        let configuration = configuration.clone();
        let recorded = is_settled;
        Session::open(session::Options { configuration, recorded, ..session::Options::default() })
    };
    match event.moment {
        Moment::BeforeTool | Moment::Permission => {
            let state = configuration.state();
            let gateway = match &configuration.gateway {
                Some(gateway) => Some(remote(gateway, state.as_deref(), options.wait)?),
                None => None,
            };
            if gateway.is_some() {
                watch.extend(options.wait);
            }
            let first = payload.calls.first();
            let cwd = first.and_then(|call| call.cwd.as_deref());
            let twin = twin::Key::of(&value, agent, event, cwd, options.agent);
            let wait = if gateway.is_some() { options.wait } else { Duration::ZERO };
            let state = state.as_deref();
            let input = field::first(&value, agent.fields.input).and_then(Value::as_object);
            let desk = Desk { hook: &configuration.hook, state, gateway, twin, wait, input };
            let settled = judge(&mut session(), payload, &desk)?;
            // A call that does several things is none that another one stands for.
            if let [Settled { replaced: Some(arguments), .. }] = settled.as_slice() {
                *replaced = Some(arguments.clone());
            }
            let url = desk.gateway.as_ref().map(Remote::url);
            let words = settled.iter().map(|settled| (word(settled, url), &settled.judged));
            let strictest = words.max_by_key(|(word, _)| strictness(word));
            let (word, by_person) = strictest.map_or((Word::Nothing, false), |(word, judged)| {
                (word, judged.judgement.decision.layer == Layer::Person)
            });
            let word = words::with_note(word, note.as_deref());
            if let Word::Ask(question) | Word::Deny(question) = &word
                && configuration.hook.notify
                && (matches!(word, Word::Ask(_)) || by_person)
            {
                // The agent's own prompt is what counts.
                let _ = platform::show_on_desktop(agent.title, question);
            }
            Ok(word)
        }
        Moment::AfterTool => {
            let cwd = payload.calls.first().and_then(|call| call.cwd.as_deref());
            let key = twin::Key::of(&value, agent, event, cwd, options.agent);
            if let (Some(state), Some(key)) = (configuration.state(), key) {
                twin::ran(&state, &key);
            }
            #[cfg(target_os = "linux")]
            if let Some(state) = configuration.state() {
                if let Some(input) = field::first(&value, agent.fields.input) {
                    let input = input.as_object().cloned().unwrap_or_default();
                    replaced::ran(&state, payload.session.as_deref(), agent.name, &input);
                }
                for call in &payload.calls {
                    if let Ok(action) = Action::from_call(call.clone()) {
                        Around::close(&state, &action.id());
                    }
                }
            }
            Ok(after(&mut session(), payload))
        }
        Moment::Prompt => {
            let seen = payload.prompt.as_deref().map(inspect).unwrap_or_default();
            if let (Some(name), Some(text)) = (&payload.session, payload.own_words) {
                let what = Happened::Prompt(text);
                let agent = Some(agent.name.to_owned());
                let event = EventRequest { id: None, session: name.clone(), agent, what };
                // What is not kept in mind is as if nobody had asked for it.
                let _ = session().happened(&event);
            }
            Ok(if seen.holds_secret() { Word::Note(words::pasted()) } else { Word::Nothing })
        }
    }
}

/// The calls of a payload that somebody kept, where it is one that asks before a tool runs.
#[must_use]
pub fn calls_of(payload: &Value) -> Vec<ToolCall> {
    let understood = || {
        let agent = payload::agent_of(payload, None).ok()?;
        let event = payload::event_of(payload, agent).ok()??;
        payload::read(payload, agent, event).ok().filter(|_| event.moment == Moment::BeforeTool)
    };
    understood().map(|payload| payload.calls).unwrap_or_default()
}

/// A call that was judged, and whose word it is.
struct Settled {
    judged: Judged,
    by: By,
    /// What whoever is asked is told beside why.
    told: Option<String>,
    /// The arguments that it runs with in place of its own.
    replaced: Option<Map<String, Value>>,
}

/// Whose word a decision is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    /// The policy's, or that of a pause.
    Policy,
    /// A person's, who had allowed just this beforehand.
    Grant,
    /// That of whoever answers at the gateway.
    Gateway,
    /// Nobody's: a person would be asked, and the agent asks none.
    Nobody,
}

/// The gateway that has a say, asked with the token for agents.
fn remote(
    gateway: &config::Gateway,
    state: Option<&Path>,
    wait: Duration,
) -> Result<Remote, HookError> {
    let kept = (wait / KEPT_PART).min(KEPT);
    Ok(Remote::of(gateway, state, wait - kept, GATEWAY_PATIENCE + kept)?.resuming())
}

/// Who has a say beside the policy.
struct Desk<'a> {
    hook: &'a Hook,
    /// Where pauses and grants are.
    state: Option<&'a Path>,
    gateway: Option<Remote>,
    /// What tells the call from others, and how long another process may wait for a person's answer to it.
    twin: Option<twin::Key>,
    wait: Duration,
    /// What the agent gave its tool, word for word.
    input: Option<&'a Map<String, Value>>,
}

/// Judges the calls, settles who answers what they ask, and records that.
fn judge(
    session: &mut Session,
    payload: Payload,
    desk: &Desk<'_>,
) -> Result<Vec<Settled>, HookError> {
    let Desk { hook, state, gateway, twin, wait, input } = desk;
    let Payload { agent, event, calls, one, asks, mode, .. } = payload;
    let context = Context {
        can_ask: true,
        mode: mode.filter(|mode| hook.enforce_mode || *mode == Mode::Plan),
        agent_asks: hook.unknown_tools == UnknownTools::Agent,
    };
    let considered = calls.into_iter().map(|call| session.consider_own(call, context));
    let mut all = considered.collect::<Result<Vec<_>, _>>()?;
    let verdict = all.iter().map(|judged| judged.judgement.decision.verdict).max();
    let mut first = None;
    if let (Some(state), Some(key), Some(verdict)) = (state, twin, verdict) {
        match twin::claim(state, key, *wait) {
            twin::Claim::Alone => {}
            twin::Claim::First(claimed) => first = Some((claimed, verdict)),
            // The agent asks its person now, which it did not before.
            twin::Claim::Answered(answer)
                if answer.by == By::Nobody && event.moment == Moment::Permission => {}
            twin::Claim::Answered(answer) => match answered(session, all, &answer) {
                Ok(mut settled) => {
                    if settled.judged.judgement.decision.verdict == Verdict::Ask && !asks {
                        refuse_what_asks(&mut settled.judged, agent);
                        settled.by = By::Nobody;
                        session.record(&mut settled.judged);
                    }
                    return Ok(vec![settled]);
                }
                Err(stricter) => all = stricter,
            },
        }
    }
    for judged in &mut all {
        session.watch(judged);
    }
    if one {
        // One call has one decision, one record and one grant: those of its strictest reading.
        let strictest = |judged: &Judged| {
            let judgement = &judged.judgement;
            let decision = &judgement.decision;
            // What is allowed is left to the agent where one of its names is not known.
            let unknown =
                decision.verdict == Verdict::Allow && judgement.assessment.tool_is_unknown;
            (decision.verdict, unknown, judgement.assessment.level)
        };
        all.sort_by_key(strictest);
        all = all.pop().into_iter().collect();
    }
    if let Some(state) = state {
        // Nothing depends on the notes alone.
        let _ = person::mark_agent(state);
        seen::note(state, agent.name);
    }
    // What is denied anyway uses up no grant.
    let is_denied = all.iter().any(|judged| judged.judgement.decision.verdict == Verdict::Deny);
    let mut settled = Vec::new();
    let is_one = all.len() == 1;
    for mut judged in all {
        let answers = state.filter(|_| !is_denied);
        let granted =
            answers.is_some_and(|state| pause::settle(&mut judged, session.policy(), state));
        let mut by = if granted { By::Grant } else { By::Policy };
        let mut told = None;
        #[cfg(target_os = "linux")]
        let mut kept = state.filter(|_| !is_denied).and_then(|state| keep(state, &judged));
        #[cfg(target_os = "linux")]
        if let Some(Ok(around)) = &kept
            && judged.judgement.decision.verdict == Verdict::Ask
            // Where a gateway has a say, its people are asked.
            && gateway.is_none()
            && (around.settle(&mut judged) || asks)
        {
            told = Some(around.tell(&mut judged));
        }
        // What is denied here is asked nowhere.
        if let Some(gateway) = gateway.as_ref().filter(|_| !is_denied) {
            let here = judged.judgement.decision.verdict;
            gateway.settle(&mut judged);
            if judged.judgement.decision.verdict != here {
                by = By::Gateway;
            }
        }
        #[cfg(target_os = "linux")]
        let replaced = state
            .filter(|_| event.replaces && is_one && gateway.is_none())
            .and_then(|state| replace(state, agent, (*input)?, &mut judged));
        #[cfg(not(target_os = "linux"))]
        let replaced = None;
        if judged.judgement.decision.verdict == Verdict::Ask && !asks {
            refuse_what_asks(&mut judged, agent);
            by = By::Nobody;
        }
        session.record(&mut judged);
        if let (Some(state), Some(sequence)) = (state, judged.sequence) {
            // The proxy in front of the server takes it over.
            let call = &judged.action.call;
            handover::leave(state, &call.tool, &call.arguments, sequence);
        }
        #[cfg(target_os = "linux")]
        if let Some(kept) = kept.take() {
            note_kept(session, &judged, kept);
        }
        settled.push(Settled { judged, by, told, replaced });
    }
    if let Some((first, judged)) = first {
        tell(first, judged, &settled);
    }
    Ok(settled)
}

/// Has a trial run in place of a call that nobody can know, where the configuration says so. A session that was seen to run what it was given is
/// not asked about it.
#[cfg(target_os = "linux")]
fn replace(
    state: &Path,
    agent: &Agent,
    input: &Map<String, Value>,
    judged: &mut Judged,
) -> Option<Map<String, Value>> {
    let program = Program::this().ok()?;
    let arguments = replaced::arguments(judged, input, program.path())?;
    let session = judged.action.call.session.clone();
    // What cannot be noted is never proven.
    replaced::given(state, session.as_deref(), agent.name, &arguments).ok()?;
    if replaced::obeys(state, session.as_deref(), agent.name) {
        replaced::settle(judged);
    }
    Some(arguments)
}

/// Keeps what a call would lose that may go on. A call of which nothing can be kept goes on all the same.
#[cfg(target_os = "linux")]
fn keep(state: &Path, judged: &Judged) -> Option<io::Result<Around>> {
    let kept = judged.regime.configuration.snapshots;
    if judged.judgement.decision.verdict == Verdict::Deny || !kept.enabled || !kept.hooks {
        return None;
    }
    Around::taken(Some(state), judged, Before::Losses, Bounds::hook()).transpose()
}

/// Records what was kept, once the decision stands in the record. What does not go on after all loses nothing.
#[cfg(target_os = "linux")]
fn note_kept(session: &mut Session, judged: &Judged, kept: io::Result<Around>) {
    let entry = match kept {
        Ok(around) if judged.judgement.decision.verdict == Verdict::Deny => return around.forget(),
        Ok(mut around) => {
            // Where nobody looks at the end, less is brought back by itself.
            let _ = around.refer_to(judged.sequence);
            let _ = around.leave_open(&judged.action.id());
            around.entry()
        }
        Err(error) => Around::failed(judged, &error),
    };
    // The agent is answered whether that stands in the record or not.
    let _ = session.note(entry);
}

/// Tells other processes that the agent starts for the same call what was answered, as far as the record proves it.
fn tell(first: twin::First, judged: Verdict, settled: &[Settled]) {
    let strictest = settled.iter().max_by_key(|one| one.judged.judgement.decision.verdict);
    if let Some(Settled { judged: Judged { sequence: Some(sequence), .. }, by, .. }) = strictest {
        first.answer(twin::Answer { judged, sequence: *sequence, by: *by });
    }
}

/// A call with the answer that another process gave to it; its readings where they are stricter than what was judged there.
fn answered(
    session: &mut Session,
    mut all: Vec<Judged>,
    answer: &twin::Answer,
) -> Result<Settled, Vec<Judged>> {
    let Some(record) = session.recorded(answer.sequence) else { return Err(all) };
    let name = all.first().and_then(|judged| judged.action.call.session.as_deref());
    let Some((verdict, layer)) = twin::decision_of(&record, name) else { return Err(all) };
    // What was answered holds for the files that were judged then.
    let files = record.entry.files.seal();
    if all.iter().any(|judged| judged.seal() != files) {
        return Err(all);
    }
    let own = all.iter().map(|judged| judged.judgement.decision.verdict).max();
    let is_it = |judged: &Judged| record.entry.action == Some(judged.action.id());
    let is_same = all.len() == 1 && all.iter().all(is_it);
    if !is_same && own > Some(answer.judged.max(verdict)) {
        return Err(all);
    }
    all.sort_by_key(|judged| judged.judgement.decision.verdict);
    let Some(mut judged) = all.pop() else { return Err(all) };
    let decision = &mut judged.judgement.decision;
    (decision.verdict, decision.layer) = (verdict, layer);
    if let Some(reason) = record.entry.reason.filter(|reason| !decision.reasons.contains(reason)) {
        decision.reasons.insert(0, reason);
    }
    judged.sequence = Some(answer.sequence);
    Ok(Settled { judged, by: answer.by, told: None, replaced: None })
}

/// Of several words about one call, the one that holds.
const fn strictness(word: &Word) -> u8 {
    match word {
        Word::Allow(_) => 0,
        Word::Nothing => 1,
        Word::Note(_) => 2,
        Word::Ask(_) => 3,
        Word::Deny(_) => 4,
    }
}

/// Where the agent asks nobody, what asks is denied, and says how a person can answer.
fn refuse_what_asks(judged: &mut Judged, agent: &Agent) {
    let decision = &mut judged.judgement.decision;
    let note = words::nobody_is_asked(agent);
    decision.verdict = Verdict::Deny;
    decision.layer = Layer::Person;
    decision.reasons.push(note.clone());
    decision.account(Layer::Person, Some(Verdict::Deny), note);
}

/// What a decision comes to for the agent. Silence leaves an allowed call to the agent's own rules.
fn word(settled: &Settled, gateway: Option<&str>) -> Word {
    let Settled { judged, by, told, replaced } = settled;
    // A project's file may have made it stricter.
    let approve = judged.regime.configuration.hook.approve;
    let decision = &judged.judgement.decision;
    let assessment = &judged.judgement.assessment;
    match decision.verdict {
        Verdict::Allow => {
            let approved = match approve {
                // What is not understood is nobody's to approve.
                _ if assessment.tool_is_unknown || assessment.coverage != Coverage::Full => false,
                _ if judged.judgement.effects.leave_open() => false,
                Approve::Never => false,
                Approve::ReadOnly => {
                    assessment.class == ActionClass::ReadOnly
                        && matches!(assessment.risk, Risk::Safe | Risk::Low)
                }
                Approve::Policy => true,
            };
            // What a person allowed is passed on, whatever else is left to the agent. A pause is as if we were not there.
            let by_person = matches!(by, By::Grant | By::Gateway);
            if approved || by_person || replaced.is_some() {
                Word::Allow(words::allowed(judged))
            } else {
                Word::Nothing
            }
        }
        Verdict::Ask => Word::Ask(words::asked(judged, told.as_deref())),
        Verdict::Deny => Word::Deny(match by {
            By::Nobody => words::denied_unasked(judged, gateway),
            By::Gateway => words::denied_there(judged),
            By::Policy | By::Grant => words::denied(judged),
        }),
    }
}

/// Records that a call ran, and says what its result holds that the agent should be careful with.
fn after(session: &mut Session, payload: Payload) -> Word {
    let Payload { agent, calls, one, result, .. } = payload;
    let seen = result.as_deref().map(inspect).unwrap_or_default();
    let mut unrecorded = None;
    let mut disobeyed = false;
    let mut changed = Vec::new();
    // The names of one call come to one outcome.
    let outcomes = if one { 1 } else { calls.len() };
    for (at, call) in calls.into_iter().enumerate() {
        let text = result.as_deref().unwrap_or_default();
        if let Err(error) = session.answered_with(&call, text, &seen) {
            unrecorded = Some(error.to_string());
        }
        let command = call.arguments.get("command").and_then(Value::as_str).map(str::to_owned);
        let command = command.unwrap_or_default();
        let entry = Entry {
            tool: Some(call.tool.clone()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            outcome: Some(words::outcome(&seen)),
            preview: result.as_deref().map(watch::result_mark),
            action: Action::from_call(call).ok().map(|action| action.id()),
            ..Entry::new(Kind::Outcome)
        };
        if at >= outcomes {
            continue;
        }
        match session.ran(entry) {
            Ok(Ran { disobeyed: was_denied, changed: now }) => {
                disobeyed |= was_denied;
                changed.extend(now.into_iter().filter(|path| !words::is_rewritten(path, &command)));
            }
            Err(error) => unrecorded = Some(error.to_string()),
        }
    }
    if disobeyed {
        return Word::Note(words::disobeyed(agent));
    }
    if !changed.is_empty() && unrecorded.is_none() {
        let noticed =
            (!seen.planted.is_empty() || seen.holds_secret()).then(|| words::noticed(&seen));
        return Word::Note(words::changed(&changed, noticed.as_deref()));
    }
    match (unrecorded, seen) {
        (Some(error), _) => Word::Note(words::unrecorded(&error)),
        (None, seen) if seen.planted.is_empty() && !seen.holds_secret() => Word::Nothing,
        (None, seen) => Word::Note(words::noticed(&seen)),
    }
}
