//! A conversation with an agent that runs inside the gate: it is kept event by event, it waits for its person as long as they like, and it
//! goes on where it stood after a crash without running anything twice. Owns what a person can do to one; what may follow on what,
//! `portcullis_core::conversation` says, the checks and the sandbox are [`crate::tools`]'.
//!
//! ```text
//! model ──reply──► batch, judged ──► (a person) ──► intent kept ──► tool box ──► observation kept ──► model
//!   model, wire      engine            Conversation    log             tools         log               prompt
//! ```

mod engine;
mod log;
mod model;
mod prompt;
mod propose;
mod show;
mod stream;
mod thread;
mod tools;
mod wire;

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

pub use engine::{DEEPEST, PART, PLAN};
pub use log::{EventLog, Kept, LogError, directory, list, new_id, path_of, read};
pub use model::{Called, Heard, Model, ModelError, Prompt, Remote, RemoteError, Reply, Turn};
pub use portcullis_core::conversation as events;
use portcullis_core::{
    analyze::Ensemble,
    assessment::ActionClass,
    call::ToolCall,
    conversation::{
        By, Change, Event, Impossible, Open, Proposed, Stage, Started, State, Status, goal_hash,
        is_inner,
    },
    decision::Verdict,
    guardian::inline::{self, Extraction},
    intervention::Settled,
    monitor::{Amounts, End},
    policy::{Confirmation, Mode, Rule, Subject, proposed},
    redact::redact,
};
use serde_json::{Map, Value};
pub use show::{change, line, timeline};
pub use tools::{PERMISSION, built_in};

use crate::{
    confirmation::ConfirmationHandler,
    guardian::Price,
    report::{self, Colour},
    session::Locked,
    tools::{Identity, Registry, RegistryError, Tool, Toolbox},
};
use engine::Engine;
use propose::{judged, stopped};
use thread::{Live, Thread, kept};

/// Why something cannot be done to a conversation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationError {
    /// Its log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// What the system says.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not so that this could be done.
    #[error("{0}")]
    State(String),
    /// The action would not be let through.
    #[error("this is not let through: {0}")]
    Stopped(String),
    /// The managed configuration says otherwise.
    #[error(transparent)]
    Locked(#[from] Locked),
}

impl From<Impossible> for ConversationError {
    fn from(error: Impossible) -> Self {
        Self::State(error.to_string())
    }
}

/// What a conversation is made of.
pub struct Parts {
    /// Where conversations are kept: a state directory.
    pub state: PathBuf,
    /// The tools, with the session that judges their calls.
    pub toolbox: Toolbox,
    /// For whom it works, and what it may use.
    pub identity: Identity,
    /// The model.
    pub model: Box<dyn Model>,
    /// Who answers what it asks. Without one it waits.
    pub handler: Option<ConfirmationHandler>,
    /// What the model is told about security, rendered.
    pub security: Option<String>,
    /// What tokens cost, where somebody said so.
    pub price: Option<Price>,
}

/// A conversation.
pub struct Conversation {
    engine: Engine,
    thread: Thread,
}

/// The tools of an agent: those that are built in, and these beside them. None may have the name of one that speaks to whoever runs the agent.
///
/// # Errors
/// [`RegistryError`].
pub fn registry(
    built_in: impl IntoIterator<Item = Tool>,
    registered: impl IntoIterator<Item = Tool>,
) -> Result<Registry, RegistryError> {
    let registered: Vec<Tool> = registered.into_iter().collect();
    let is_ours = |tool: &&Tool| is_inner(&tool.name) || matches!(tool.name.as_str(), PLAN | PART);
    match registered.iter().find(is_ours) {
        Some(tool) => Err(RegistryError::Known(tool.name.clone())),
        None => Registry::with_known(registered, built_in),
    }
}

/// An agent that may use the tools that are built in, and with these permissions others.
#[must_use]
pub fn identity(user: &str, permissions: impl IntoIterator<Item = String>) -> Identity {
    let mut permissions: BTreeSet<String> = permissions.into_iter().collect();
    permissions.insert(PERMISSION.to_owned());
    Identity {
        permissions,
        user: Some(user.to_owned()),
        agent: Some("portcullis".to_owned()),
        session: None,
    }
}

impl Conversation {
    /// Begins a conversation with a goal. Nothing happens before [`Conversation::run`].
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn start(goal: &str, parts: Parts) -> Result<Self, ConversationError> {
        let id = new_id()?;
        let mut engine = engine(parts, &id);
        let session = engine.toolbox.session_mut();
        if session.mode().is_none() {
            session.set_mode(Some(Mode::Default));
        }
        let started = Started {
            goal: goal.to_owned(),
            hash: goal_hash(goal),
            workspace: engine.toolbox.workspace().to_string_lossy().into_owned(),
            policy: engine.toolbox.session().policy_id().to_owned(),
            mode: engine.toolbox.session().mode().map(|mode| mode.name().to_owned()),
            model: redact(&engine.model.name()).into_owned(),
            user: engine.user(),
            parent: None,
        };
        let path = path_of(&engine.state, &id)?;
        let thread = Thread::create(&path, id, started)?;
        Ok(Self { engine, thread })
    }

    /// Opens a conversation where it stood. What a person changed in it holds again.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn open(id: &str, parts: Parts) -> Result<Self, ConversationError> {
        let path = path_of(&parts.state, id)?;
        let thread = Thread::open(&path, id.to_owned())?;
        let started = thread.started().cloned();
        let started = started
            .ok_or_else(|| ConversationError::State("the conversation never began".to_owned()))?;
        if let Some(parent) = &started.parent {
            let why =
                format!("it is a part of the conversation `{parent}`, which has to go on instead");
            return Err(ConversationError::State(why));
        }
        let mut engine = engine(parts, id);
        if engine.toolbox.workspace() != Path::new(&started.workspace) {
            let why = format!("it works in `{}`, and nowhere else", started.workspace);
            return Err(ConversationError::State(why));
        }
        let used = Amounts { tokens: thread.state.tokens(), ..Amounts::default() };
        engine.toolbox.resume(thread.state.steps(), used);
        let mut conversation = Self { engine, thread };
        conversation.hold_again(started.mode.as_deref())?;
        Ok(conversation)
    }

    /// What holds by its events holds again.
    fn hold_again(&mut self, mode: Option<&str>) -> Result<(), ConversationError> {
        let session = self.engine.toolbox.session_mut();
        session.set_mode(mode.and_then(|mode| mode.parse().ok()).or(Some(Mode::Default)));
        for kept in &self.thread.events {
            let Event::Changed { what, to, by: _ } = &kept.event else { continue };
            match what {
                Change::Mode => {
                    session.set_mode(to.parse().ok().or(Some(Mode::Default)));
                }
                Change::Confirmation => {
                    let policy = serde_json::from_str::<ConfirmationWords>(to).ok();
                    session.set_confirmation(policy.map(ConfirmationWords::policy))?;
                }
                Change::Analyzers => {
                    let analyzers = (!to.is_empty()).then(|| Ensemble::from_names(to).ok());
                    session.set_analyzers(analyzers.flatten())?;
                }
                Change::Allowed => {
                    let rules = to.lines().filter_map(|rule| rule.parse::<Rule>().ok());
                    session.allow(rules)?;
                }
            }
        }
        Ok(())
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.thread.id
    }

    /// Where it stands.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.thread.state.status()
    }

    /// All that follows from its events.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.thread.state
    }

    /// Its events.
    #[must_use]
    pub fn events(&self) -> &[Kept] {
        &self.thread.events
    }

    /// Where it works.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        self.engine.toolbox.workspace()
    }

    /// The permission mode.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.engine.toolbox.session().mode()
    }

    /// The actions without an outcome, in their order. It is found in the events, so that a crash changes nothing about it.
    pub fn unmatched_actions(&self) -> impl Iterator<Item = &Open> {
        self.thread.state.unmatched_actions()
    }

    /// The actions that a person has to answer about.
    pub fn pending(&self) -> impl Iterator<Item = &Proposed> {
        let asks = self.unmatched_actions().filter(|open| open.stage == Stage::Asks);
        asks.map(|open| &open.proposed)
    }

    /// Everything that leads to the decision about an open action, for a person.
    ///
    /// # Errors
    /// [`ConversationError::Stopped`] where it would not be let through as things are now.
    pub fn explain(&mut self, action: u64) -> Result<String, ConversationError> {
        let looked = self
            .engine
            .look_again(&mut self.thread, action)
            .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
        let text = report::explanation(looked.judged().report(), &[], Colour::Plain);
        if let Some(live) = self.thread.live.get_mut(&action) {
            live.looked = Some(looked);
        }
        Ok(text)
    }

    /// What is set to stop it, from another thread or a signal: it pauses before the next step, and no longer waits for the model.
    #[must_use]
    pub fn stopper(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.engine.stop)
    }

    /// Has every event shown as it is kept, those of its parts too.
    pub fn watch(&mut self, watcher: impl FnMut(&Event) + Send + 'static) {
        self.engine.watcher = Some(Box::new(watcher));
    }

    /// Has what the model says heard while it says it, where it can: before anybody looked at it, and word by word.
    pub fn listen(&mut self, listener: impl FnMut(Heard<'_>) + Send + 'static) {
        self.engine.listener = Some(Box::new(listener));
    }

    /// Time that a person took does not count as the agent's.
    pub fn waited(&mut self, time: Duration) {
        self.engine.toolbox.waited(time);
    }

    /// Goes on until a person has to answer, or it is over, or somebody stopped it. It answers nothing by itself: while a question waits, this
    /// comes back at once.
    ///
    /// # Errors
    /// [`ConversationError`], where it cannot be kept any more. What began then has no outcome, and is never run again.
    pub fn run(&mut self) -> Result<Status, ConversationError> {
        if self.status().is_over() {
            return Ok(self.status());
        }
        self.engine.drive(&mut self.thread, 0)
    }

    /// Says something to the agent. Whatever is said: it is no answer to a question.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn send_message(&mut self, text: &str) -> Result<(), ConversationError> {
        self.put(Event::Message { by: By::User, text: text.to_owned() })?;
        self.engine.toolbox.reopen();
        Ok(())
    }

    /// Gives it another goal, which only a person can.
    ///
    /// # Errors
    /// [`ConversationError`] while actions for the old one are open.
    pub fn set_goal(&mut self, goal: &str, by: &str) -> Result<(), ConversationError> {
        let (hash, by) = (goal_hash(goal), by.to_owned());
        self.put(Event::Goal { goal: goal.to_owned(), hash, by })?;
        self.engine.toolbox.reopen();
        Ok(())
    }

    /// A person agrees to an action as it was shown: to the one with this hash, and to no other.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it, or it is another action by now, or would not be let through any more.
    pub fn approve(&mut self, action: u64, hash: &str, by: &str) -> Result<(), ConversationError> {
        let proposed = self.asked(action)?;
        if proposed.hash != hash {
            return Err(ConversationError::State(
                "this is not the action that was shown".to_owned(),
            ));
        }
        let is_plan = proposed.tool == PLAN;
        if !is_plan {
            let mut looked = self
                .engine
                .look_again(&mut self.thread, action)
                .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
            if looked.judged().action.id() != hash {
                let why = "what would run is not what was shown".to_owned();
                return Err(ConversationError::State(why));
            }
            let yes = Settled::Confirmed { by: by.to_owned() };
            let counts = self.engine.toolbox.answered(&mut looked, &yes, Duration::ZERO);
            match self.thread.live.get_mut(&action) {
                Some(live) => live.looked = Some(looked),
                None => {
                    let call = self.engine.call_of(&self.thread, action);
                    if let Ok(call) = call {
                        self.thread.live.insert(action, Live { call, looked: Some(looked) });
                    }
                }
            }
            if !counts {
                let why = "the answer could not be recorded".to_owned();
                return Err(ConversationError::Stopped(why));
            }
        }
        self.put(Event::Approved { action, hash: hash.to_owned(), by: by.to_owned() })
    }

    /// As [`Conversation::approve`], and what the rules cover that describe this action is not asked about any more in this conversation; after an
    /// edit of a file the mode is `acceptEdits`. Gives the rules.
    ///
    /// # Errors
    /// As [`Conversation::approve`], and where no rule describes it.
    pub fn approve_always(
        &mut self,
        action: u64,
        hash: &str,
        by: &str,
    ) -> Result<Vec<String>, ConversationError> {
        self.asked(action)?;
        let looked = self
            .engine
            .look_again(&mut self.thread, action)
            .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
        let judged = looked.judged();
        let subject = Subject {
            action: &judged.action,
            effects: &judged.judgement.effects,
            facts: &judged.facts,
            assessment: &judged.judgement.assessment,
        };
        let rules = proposed(self.engine.toolbox.session().policy(), &subject);
        let is_edit = judged.judgement.assessment.class == ActionClass::Edit;
        if let Some(live) = self.thread.live.get_mut(&action) {
            live.looked = Some(looked);
        }
        if rules.is_err() && is_edit && self.mode() == Some(Mode::Default) {
            // No rule speaks of edits alone: there is a mode for that.
            self.approve(action, hash, by)?;
            self.set_mode(Mode::AcceptEdits, by)?;
            return Ok(vec![format!("mode {}", Mode::AcceptEdits)]);
        }
        let rules = rules
            .map_err(|why| ConversationError::State(format!("no rule describes this: {why}")))?;
        let words: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let to = words.join("\n");
        if redact(&to) != to || rules.is_empty() {
            return Err(ConversationError::State(
                "no rule without secrets describes this".to_owned(),
            ));
        }
        self.approve(action, hash, by)?;
        self.put(Event::Changed { what: Change::Allowed, to, by: by.to_owned() })?;
        self.engine.toolbox.session_mut().allow(rules)?;
        Ok(words)
    }

    /// A person puts other arguments in the place of an action's. They are judged anew, and asked about.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it, or the other one would not be let through; the question then stands as it did.
    pub fn edit(
        &mut self,
        action: u64,
        arguments: Map<String, Value>,
        by: &str,
    ) -> Result<(), ConversationError> {
        let before = self.asked(action)?.clone();
        if before.tool == PLAN {
            return Err(ConversationError::State(
                "a plan is not edited: say no, and why".to_owned(),
            ));
        }
        let mut arguments = arguments;
        let options = Extraction { reads_only: true, is_wanted: false, owns_summary: true };
        inline::extract(&before.tool, &mut arguments, options)
            .map_err(|error| ConversationError::Stopped(error.to_string()))?;
        let call = ToolCall {
            id: Some(before.call.clone()),
            tool: before.tool.clone(),
            arguments,
            ..ToolCall::default()
        };
        let (clean, withheld) = kept(&call.arguments);
        let looked = self
            .engine
            .toolbox
            .look(call.clone(), &self.engine.identity)
            .map_err(|answer| ConversationError::Stopped(stopped(&answer).message))?;
        let mut after = Proposed {
            arguments: clean,
            withheld,
            call: before.call,
            ..Proposed::new(action, &before.tool)
        };
        judged(&mut after, &looked);
        after.verdict = Verdict::Ask;
        let live = Live { call, looked: Some(looked) };
        if let Some(Live { looked: Some(earlier), .. }) = self.thread.live.insert(action, live) {
            self.engine.toolbox.leave(earlier, End::Blocked);
        }
        self.put(Event::Edited { by: by.to_owned(), action: after })
    }

    /// A person says no to one action.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it.
    pub fn reject(&mut self, action: u64, reason: &str, by: &str) -> Result<(), ConversationError> {
        self.asked(action)?;
        self.cancel(action, reason, Some(by))
    }

    /// A person says no to everything that was proposed and did not begin. Without a question nothing happens; gives how many it were.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn reject_pending_actions(
        &mut self,
        reason: &str,
        by: &str,
    ) -> Result<usize, ConversationError> {
        if self.status() != Status::WaitingForConfirmation {
            return Ok(0);
        }
        let open: Vec<u64> = self.unmatched_actions().map(|open| open.proposed.action).collect();
        for action in &open {
            self.cancel(*action, reason, Some(by))?;
        }
        Ok(open.len())
    }

    fn cancel(
        &mut self,
        action: u64,
        reason: &str,
        by: Option<&str>,
    ) -> Result<(), ConversationError> {
        let open = self.thread.state.open(action);
        let is_inner = open.is_some_and(|open| self.engine.is_inner(&open.proposed.tool));
        if let Some(by) = by
            && !is_inner
            && let Ok(mut looked) = self.engine.look_again(&mut self.thread, action)
        {
            let no = Settled::Declined { by: by.to_owned() };
            // It does not run, whether that can be recorded or not.
            let _ = self.engine.toolbox.answered(&mut looked, &no, Duration::ZERO);
            self.engine.toolbox.leave(looked, End::Declined);
        }
        let by = by.map(str::to_owned);
        self.put(Event::Cancelled { action, by, reason: reason.to_owned() })
    }

    /// Stops it before the next step. While a question waits it waits on.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn pause(&mut self, by: &str) -> Result<(), ConversationError> {
        if matches!(self.status(), Status::Idle | Status::Running) {
            self.put(Event::Paused { by: by.to_owned() })?;
        }
        Ok(())
    }

    /// Stops it: what did not begin is cancelled, and it is paused.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn interrupt(&mut self, by: &str) -> Result<(), ConversationError> {
        self.engine.stop.store(true, Ordering::Relaxed);
        let open = self.unmatched_actions().filter(|open| open.stage != Stage::Begun);
        let open: Vec<u64> = open.map(|open| open.proposed.action).collect();
        for action in open {
            self.cancel(action, "the person stopped everything", Some(by))?;
        }
        self.pause(by)
    }

    /// Judges with other analyzers from here on, by their names (`pattern,policy-rail`); with those of the configuration where it is empty. What
    /// waits is judged with them before it runs.
    ///
    /// # Errors
    /// [`ConversationError`] where there are none such, or only the managed configuration chooses.
    pub fn set_security_analyzer(
        &mut self,
        names: &str,
        by: &str,
    ) -> Result<(), ConversationError> {
        let analyzers = (!names.is_empty()).then(|| Ensemble::from_names(names)).transpose();
        let analyzers = analyzers.map_err(|error| ConversationError::State(error.to_string()))?;
        self.engine.toolbox.session_mut().set_analyzers(analyzers)?;
        let (what, to) = (Change::Analyzers, names.to_owned());
        self.put(Event::Changed { what, to, by: by.to_owned() })
    }

    /// Asks about other risks from here on.
    ///
    /// # Errors
    /// [`ConversationError`] where only the managed configuration chooses.
    pub fn set_confirmation_policy(
        &mut self,
        policy: Confirmation,
        by: &str,
    ) -> Result<(), ConversationError> {
        self.engine.toolbox.session_mut().set_confirmation(Some(policy))?;
        let to = serde_json::to_string(&ConfirmationWords::of(policy)).map_err(io::Error::other)?;
        self.put(Event::Changed { what: Change::Confirmation, to, by: by.to_owned() })
    }

    /// Enters another permission mode. Only a person can: there is no tool for it.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn set_mode(&mut self, mode: Mode, by: &str) -> Result<(), ConversationError> {
        self.engine.toolbox.session_mut().set_mode(Some(mode));
        let to = self.mode().unwrap_or_default().name().to_owned();
        self.put(Event::Changed { what: Change::Mode, to, by: by.to_owned() })
    }

    fn asked(&self, action: u64) -> Result<&Proposed, ConversationError> {
        let open = self.thread.state.open(action).filter(|open| open.stage == Stage::Asks);
        let nobody = || ConversationError::State(format!("nobody is asked about action {action}"));
        open.map(|open| &open.proposed).ok_or_else(nobody)
    }

    fn put(&mut self, event: Event) -> Result<(), ConversationError> {
        self.engine.put(&mut self.thread, event)
    }
}

fn engine(parts: Parts, id: &str) -> Engine {
    let Parts { state, toolbox, mut identity, model, handler, security, price } = parts;
    identity.session = Some(id.to_owned());
    let stop = Arc::<AtomicBool>::default();
    Engine {
        state,
        toolbox: toolbox.with_stop(Arc::clone(&stop)),
        identity,
        model,
        handler,
        security,
        stop,
        price,
        watcher: None,
        listener: None,
    }
}

/// A confirmation policy, as it is kept.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(tag = "policy", rename_all = "snake_case")]
enum ConfirmationWords {
    Always,
    Never,
    Risky { threshold: portcullis_core::risk::Severity, confirm_unknown: bool },
    Refuse { threshold: portcullis_core::risk::Severity },
}

impl ConfirmationWords {
    const fn of(policy: Confirmation) -> Self {
        match policy {
            Confirmation::Always => Self::Always,
            Confirmation::Never => Self::Never,
            Confirmation::Risky { threshold, confirm_unknown } => {
                Self::Risky { threshold, confirm_unknown }
            }
            Confirmation::Refuse { threshold } => Self::Refuse { threshold },
        }
    }

    const fn policy(self) -> Confirmation {
        match self {
            Self::Always => Confirmation::Always,
            Self::Never => Confirmation::Never,
            Self::Risky { threshold, confirm_unknown } => {
                Confirmation::Risky { threshold, confirm_unknown }
            }
            Self::Refuse { threshold } => Confirmation::Refuse { threshold },
        }
    }
}
