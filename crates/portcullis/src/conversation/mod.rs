//! A conversation with an agent that runs inside the gate: it is kept event by event, it waits for its person as long as they like, and it
//! goes on where it stood after a crash without running anything twice. Owns what a person can do to one; what may follow on what,
//! `portcullis_core::conversation` says, the checks and the sandbox are [`crate::tools`]'.
//!
//! ```text
//! model ──reply──► batch, judged ──► (a person) ──► intent kept ──► tool box ──► observation kept ──► model
//!   model, wire      engine            Conversation    log             tools         log               prompt
//! ```

mod answers;
mod ask;
mod engine;
mod log;
mod model;
mod prompt;
mod propose;
mod settings;
mod show;
mod stream;
mod thread;
mod tools;
mod turn;
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
pub use log::{EventLog, Kept, LogError, directory, is_held, list, new_id, path_of, read};
pub use model::{Heard, Model, ModelError, Remote, RemoteError};
pub use portcullis_core::conversation as events;
use portcullis_core::{
    conversation::{
        By, Event, Impossible, Open, Proposed, Stage, Started, State, Status, goal_hash, is_inner,
    },
    monitor::Amounts,
    policy::Mode,
    redact::redact,
};
pub use show::{change, line, timeline};
pub use tools::{PERMISSION, built_in};
pub use turn::{Called, Prompt, Reply, Turn};

use crate::{
    confirmation::ConfirmationHandler,
    guardian::Price,
    remote::Remote as Gateway,
    report::{self, Colour},
    session::Locked,
    tools::{Identity, Registry, RegistryError, Tool, Toolbox},
};
use engine::Engine;
use thread::Thread;

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
    /// Where people answer what it asks, as long as they like, where there is no handler.
    pub gateway: Option<Gateway>,
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
        let tokens = thread.state.tokens();
        let used = Amounts { tokens, cost: engine.cost_at_most(tokens), ..Amounts::default() };
        engine.toolbox.resume(thread.state.steps(), used);
        let mut conversation = Self { engine, thread };
        conversation.hold_again(started.mode.as_deref())?;
        Ok(conversation)
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

    fn put(&mut self, event: Event) -> Result<(), ConversationError> {
        self.engine.put(&mut self.thread, event)
    }
}

fn engine(parts: Parts, id: &str) -> Engine {
    let Parts { state, toolbox, mut identity, model, handler, gateway, security, price } = parts;
    identity.session = Some(id.to_owned());
    let stop = Arc::<AtomicBool>::default();
    Engine {
        state,
        toolbox: toolbox.with_stop(Arc::clone(&stop)),
        identity,
        model,
        handler,
        gateway,
        security,
        stop,
        price,
        watcher: None,
        listener: None,
    }
}
