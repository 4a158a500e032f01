//! The gate inside coding agents. Owns the way from an agent's payload to the answer that it understands; what a call would
//! do is judged by the session, as for every other gate.
//!
//! ```text
//! bytes ──payload──► ToolCall ──session──► Judged ──settled──► Word ──reply──► what the agent reads
//! ```
//!
//! It never fails by silence, which agents take for consent: whatever goes wrong on the way is answered with a denial in the
//! agent's own form, also when time is up.

use std::{
    io::{self, Read},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    time::Duration,
};

use portcullis_core::{
    action::{Action, BadCall},
    call::ToolCall,
    decision::{Layer, Verdict},
    inspect::inspect,
    policy::{Context, Mode},
};
use serde_json::{Map, Value};

use self::{deadline::Deadline, ground::Ground};
use crate::{
    account::Account,
    agents::{
        agent::{Agent, Moment},
        field,
        reply::{Reply, Word},
    },
    audit::{Entry, Kind},
    config::{ConfigError, Configuration, Hook, Kept, UnknownTools},
    handover, hooked, pause, person,
    platform::{self, Directories},
    remote::{Remote, RemoteError},
    session::{self, Judged, Ran, Session},
    watch,
    wire::{EventRequest, Happened},
};

#[cfg(target_os = "linux")]
mod ahead;
mod asker;
mod call;
pub mod deadline;
mod ground;
mod payload;
mod refused;
pub mod sample;
pub mod seen;
mod settled;
mod twin;
mod unreadable;
mod words;

use asker::{Asker, Unwatched, Watch};
use settled::{
    By, Settled, answered, keep, note_kept, refuse_what_asks, remote, replace, strictness, tell,
    word,
};

#[cfg(target_os = "linux")]
mod replaced;

pub use crate::agents::named;

pub use call::calls_of_tool;

pub use payload::Payload;

pub use unreadable::Unreadable;

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
    let mut aside = Aside::default();
    let reply = replied(options, &input, &deadline, &mut aside);
    let code = deadline.answer(&reply);
    // The agent has its answer.
    #[cfg(target_os = "linux")]
    if let Some(wish) = &aside.ahead {
        ahead::begin(wish);
    }
    code
}

/// The answer to one payload, for whoever reads and writes it themselves: without a watch over the time that it takes.
#[must_use]
pub fn reply_to(options: &Options, payload: &[u8]) -> Reply {
    replied(options, &|| Ok(payload.to_vec()), &Unwatched, &mut Aside::default())
}

/// What comes of a payload beside the word that answers it.
#[derive(Debug, Default)]
struct Aside {
    /// The arguments that the call runs with in place of its own.
    replaced: Option<Map<String, Value>>,
    /// What may be kept beforehand.
    #[cfg(target_os = "linux")]
    ahead: Option<ahead::Wish>,
}

/// Whatever goes wrong on the way to an answer is one.
fn replied(
    options: &Options,
    input: &dyn Fn() -> io::Result<Vec<u8>>,
    watch: &dyn Watch,
    aside: &mut Aside,
) -> Reply {
    let mut asker = Asker::new(options);
    let answered = panic::catch_unwind(AssertUnwindSafe(|| {
        let input = input()?;
        answer(options, &input, &mut asker, aside, watch)
    }));
    match answered.unwrap_or(Err(HookError::Panic)) {
        Ok(word) => asker.reply_with(&word, aside.replaced.as_ref()),
        Err(error) => asker.reply(&asker.refusal(&error)),
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
    aside: &mut Aside,
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
    let mut record = None;
    let (taken, configuration) = match prepared(options, &ground, account.as_deref(), &mut record) {
        Ok(prepared) => prepared,
        Err(error) => {
            if let Ok(payload) = &payload {
                refused::record(payload, &error, &asker.refusal(&error), record.as_deref());
            }
            return Err(error);
        }
    };
    let ground::Taken { directories, is_settled, note } = taken;
    if let Some(noted) = configuration.noted() {
        let is_wanted = is_settled || !session::record_is_unwanted();
        // A call that cannot be recorded is denied below.
        let _ = session::note(&configuration, is_wanted, &noted);
        if let Some(state) = directories.state.as_deref() {
            let _ = hooked::note_kept(state);
        }
    }
    let kept = directories.state.as_deref().map(Kept::new);
    let usual = account.as_deref().map(Directories::usual);
    if let Some(kept) = &kept
        && is_settled
        && usual.is_some_and(|usual| usual.state == directories.state)
    {
        // What says so now may be taken away. Where it cannot be kept, it is seen anew with each call.
        let _ = kept.settle(true);
    }
    let doubt = configuration.doubt();
    let warnings = configuration.central.iter().flat_map(|central| central.warnings());
    let warnings = warnings.chain(doubt.as_deref());
    let note = words::joined(note, warnings);
    ground::admitted(&ground, configuration.audit.path.as_deref())?;
    asker.hook = configuration.hook;
    let payload = payload?;
    #[cfg(target_os = "linux")]
    {
        aside.ahead = ahead::Wish::of(&configuration, agent, &value, directories.home.as_deref());
    }
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
            let policy = &configuration.policy_id;
            let twin = twin::Key::of(&value, agent, event, cwd, options.agent, policy);
            let wait = if gateway.is_some() { options.wait } else { Duration::ZERO };
            let state = state.as_deref();
            let input = field::first(&value, agent.fields.input).and_then(Value::as_object);
            let twin = twin.zip(kept);
            let desk = Desk { hook: &configuration.hook, state, gateway, twin, wait, input };
            let settled = judge(&mut session(), payload, &desk)?;
            // A call that does several things is none that another one stands for.
            if let [Settled { replaced: Some(arguments), .. }] = settled.as_slice() {
                aside.replaced = Some(arguments.clone());
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
            let policy = &configuration.policy_id;
            let key = twin::Key::of(&value, agent, event, cwd, options.agent, policy);
            if let (Some(state), Some(kept), Some(key)) = (configuration.state(), kept, key) {
                twin::ran(&state, &kept, &key);
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

/// What is taken for the calls of a payload; `record` becomes the directory in which it is recorded that nothing could be.
fn prepared(
    options: &Options,
    ground: &Ground,
    account: Option<&Path>,
    record: &mut Option<PathBuf>,
) -> Result<(ground::Taken, Configuration), HookError> {
    // Until more is known, that is the account's own, where it was set up.
    *record = ground::in_use(ground, account);
    let taken = ground::taken(ground, account)?;
    if taken.is_settled || !session::record_is_unwanted() {
        record.clone_from(&taken.directories.state);
    }
    ground::admitted(ground, options.configuration.as_deref())?;
    let is_called = ground::is_called(&taken.directories, account);
    let named = options.configuration.as_deref();
    let configuration = Configuration::load_for_hooks(named, &taken.directories, is_called)?;
    Ok((taken, configuration))
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

/// Who has a say beside the policy.
struct Desk<'a> {
    hook: &'a Hook,
    /// Where pauses and grants are.
    state: Option<&'a Path>,
    gateway: Option<Remote>,
    /// What tells the call from others and who vouches for what was answered, and how long another process may wait for a person's answer to it.
    twin: Option<(twin::Key, Kept)>,
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
    if let (Some(state), Some((key, kept)), Some(verdict)) = (state, twin, verdict) {
        match twin::claim(state, kept, key, *wait) {
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
