//! The agent's model. Owns what is asked of one and what it answers, and the way to one behind a provider's wire; what the wires look like,
//! [`super::wire`] knows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use portcullis_core::guardian::{Failing, Json};
use portcullis_net::ResolverOptions;
use tokio::{runtime::Runtime, time};

use super::{
    stream::Incoming,
    turn::{Prompt, Reply},
    wire,
};
use crate::guardian::{Service, Settings, SetupError, Trouble, malformed};

/// The most bytes of an answer.
const LONGEST_ANSWER: u64 = 8 << 20;

/// How often it is looked whether somebody stopped waiting.
const GLANCE: Duration = Duration::from_millis(50);

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

/// What a model lets hear while it answers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Heard<'a> {
    /// It says this next. Nobody has looked at it: it can be anything.
    Text(&'a str),
    /// What it said since the last reply is void: the answer broke off. It may be asked again.
    BrokenOff,
}

/// A model that can call tools.
pub trait Model: Send {
    /// Its next reply. `stop` is set when nobody waits any more.
    ///
    /// # Errors
    /// [`ModelError`].
    fn reply(&mut self, prompt: &Prompt, stop: &Arc<AtomicBool>) -> Result<Reply, ModelError>;

    /// As [`Model::reply`], telling `heard` what it says while it says it. The reply is what counts: nothing is done before it is whole.
    ///
    /// # Errors
    /// As [`Model::reply`].
    fn reply_aloud(
        &mut self,
        prompt: &Prompt,
        stop: &Arc<AtomicBool>,
        heard: &mut (dyn FnMut(Heard<'_>) + Send),
    ) -> Result<Reply, ModelError> {
        let _ = heard;
        self.reply(prompt, stop)
    }

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

    async fn ask(&self, body: &Json, mut heard: Ears<'_>) -> Result<Reply, Trouble> {
        let mut attempts = self.service.attempts();
        loop {
            let attempt = match &mut heard {
                Some(heard) => self.aloud(body.clone(), *heard).await,
                None => self.service.post(body.clone()).await.and_then(|answer| self.whole(answer)),
            };
            match attempt {
                Ok(reply) => return Ok(reply),
                Err(trouble) => attempts.after(trouble).await?,
            }
        }
    }

    /// One attempt, whose answer may come in pieces.
    async fn aloud(
        &self,
        body: Json,
        heard: &mut (dyn FnMut(Heard<'_>) + Send),
    ) -> Result<Reply, Trouble> {
        let mut incoming = Incoming::new(self.service.settings().provider);
        let mut is_heard = false;
        let answered = {
            let mut came = |bytes: &[u8]| {
                incoming.push(bytes, &mut |text| {
                    is_heard = true;
                    heard(Heard::Text(text));
                });
            };
            self.service.streamed(body, &mut came).await
        };
        let reply = match answered {
            Ok(None) => incoming.finish(),
            Ok(Some(answer)) => self.whole(answer),
            Err(trouble) => Err(trouble),
        };
        if is_heard && reply.is_err() {
            heard(Heard::BrokenOff);
        }
        reply
    }

    fn whole(&self, answer: Vec<u8>) -> Result<Reply, Trouble> {
        let text =
            std::str::from_utf8(&answer).map_err(|_| malformed("the answer is not UTF-8"))?;
        wire::reply(self.service.settings().provider, text)
    }

    fn answered(
        &self,
        prompt: &Prompt,
        stop: &Arc<AtomicBool>,
        heard: Ears<'_>,
    ) -> Result<Reply, ModelError> {
        let settings = self.service.settings();
        let body = wire::body(settings, prompt, heard.is_some());
        let stopped = async {
            while !stop.load(Ordering::Relaxed) {
                time::sleep(GLANCE).await;
            }
        };
        let asked = self.runtime.block_on(async {
            tokio::select! {
                reply = time::timeout(settings.timeout, self.ask(&body, heard)) => Some(reply),
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
}

/// Whoever hears a model speak, where somebody does.
type Ears<'a> = Option<&'a mut (dyn FnMut(Heard<'_>) + Send)>;

impl Model for Remote {
    fn reply(&mut self, prompt: &Prompt, stop: &Arc<AtomicBool>) -> Result<Reply, ModelError> {
        self.answered(prompt, stop, None)
    }

    fn reply_aloud(
        &mut self,
        prompt: &Prompt,
        stop: &Arc<AtomicBool>,
        heard: &mut (dyn FnMut(Heard<'_>) + Send),
    ) -> Result<Reply, ModelError> {
        self.answered(prompt, stop, Some(heard))
    }

    fn name(&self) -> String {
        let Settings { provider, model, .. } = self.service.settings();
        format!("{} {model}", provider.name())
    }
}
