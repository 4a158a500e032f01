//! The agent's model. Owns what is asked of one and what it answers, and the way to one behind a provider's wire; what the wires look like,
//! [`super::wire`] knows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use portcullis_core::guardian::{Failing, Json, Tokens};
use portcullis_net::ResolverOptions;
use serde_json::{Map, Value};
use tokio::{runtime::Runtime, time};

use super::wire;
use crate::guardian::{Service, Settings, SetupError, Trouble, malformed};

/// The most bytes of an answer.
const LONGEST_ANSWER: u64 = 8 << 20;

/// How often it is looked whether somebody stopped waiting.
const GLANCE: Duration = Duration::from_millis(50);

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is told about its task and the gate.
    pub system: String,
    /// The tools, each as `{"name", "description", "input_schema"}`.
    pub tools: Vec<Json>,
    /// What was said and done.
    pub turns: Vec<Turn>,
}

/// A part of a conversation, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The person, or the gate.
    User(String),
    /// The model.
    Assistant {
        /// What it said.
        text: String,
        /// What it called: the identifier, the tool, the arguments.
        calls: Vec<(String, String, Map<String, Value>)>,
    },
    /// What came of a call.
    Result {
        /// The identifier of the call.
        call: String,
        /// What came of it.
        text: String,
        /// Whether that is an error.
        is_error: bool,
    },
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What it said.
    pub text: String,
    /// What it calls.
    pub calls: Vec<Called>,
    /// What it took.
    pub tokens: Tokens,
}

/// A tool that a model calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The model's own identifier.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments; why they are none, where they are none.
    pub arguments: Result<Map<String, Value>, String>,
}

/// Why a model gave no answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// What it answered cannot be read. It may do better.
    #[error("the model's answer cannot be used: {0}")]
    Malformed(String),
    /// It cannot be asked.
    #[error("the model cannot be asked: {0}")]
    Unavailable(String),
    /// Somebody stopped waiting.
    #[error("somebody stopped waiting for the model")]
    Interrupted,
}

/// A model that can call tools.
pub trait Model: Send {
    /// Its next reply. `stop` is set when nobody waits any more.
    ///
    /// # Errors
    /// [`ModelError`].
    fn reply(&mut self, prompt: &Prompt, stop: &Arc<AtomicBool>) -> Result<Reply, ModelError>;

    /// Its name, for the log.
    fn name(&self) -> String;
}

/// A model behind a provider's wire: OpenAI's chat completions and what is compatible with them, or Anthropic's messages.
pub struct Remote {
    service: Service,
    runtime: Runtime,
}

/// Why there is no model to be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The provider has no tools.
    #[error("the provider `{0}` cannot call tools")]
    Provider(&'static str),
    /// The connection cannot be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The system says no.
    #[error("cannot wait for the network: {0}")]
    Runtime(#[from] std::io::Error),
}

impl Remote {
    /// The model of the settings. Its key and certificates are read now.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn new(mut settings: Settings, resolver: ResolverOptions) -> Result<Self, RemoteError> {
        if !wire::speaks(settings.provider) {
            return Err(RemoteError::Provider(settings.provider.name()));
        }
        settings.structured = false;
        let service = Service::answering(settings, resolver, LONGEST_ANSWER)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self { service, runtime })
    }

    async fn ask(&self, body: &Json) -> Result<Reply, Trouble> {
        let mut attempts = self.service.attempts();
        loop {
            match self.attempt(body.clone()).await {
                Ok(reply) => return Ok(reply),
                Err(trouble) => attempts.after(trouble).await?,
            }
        }
    }

    async fn attempt(&self, body: Json) -> Result<Reply, Trouble> {
        let answer = self.service.post(body).await?;
        let text =
            std::str::from_utf8(&answer).map_err(|_| malformed("the answer is not UTF-8"))?;
        wire::reply(self.service.settings().provider, text)
    }
}

impl Model for Remote {
    fn reply(&mut self, prompt: &Prompt, stop: &Arc<AtomicBool>) -> Result<Reply, ModelError> {
        let settings = self.service.settings();
        let body = wire::body(settings, prompt);
        let stopped = async {
            while !stop.load(Ordering::Relaxed) {
                time::sleep(GLANCE).await;
            }
        };
        let asked = self.runtime.block_on(async {
            tokio::select! {
                reply = time::timeout(settings.timeout, self.ask(&body)) => Some(reply),
                () = stopped => None,
            }
        });
        match asked {
            None => Err(ModelError::Interrupted),
            Some(Err(_)) => {
                let seconds = settings.timeout.as_secs();
                Err(ModelError::Unavailable(format!("no answer in {seconds} seconds")))
            }
            Some(Ok(Ok(reply))) => Ok(reply),
            Some(Ok(Err(trouble))) => Err(match trouble.failing {
                Failing::Malformed | Failing::Refused => ModelError::Malformed(trouble.detail),
                _ => ModelError::Unavailable(trouble.detail),
            }),
        }
    }

    fn name(&self) -> String {
        let Settings { provider, model, .. } = self.service.settings();
        format!("{} {model}", provider.name())
    }
}
