//! The service that is asked, whatever it is asked about. Owns the way to it: the key, the guarded client, one request and how often it is
//! made again. What is asked and what an answer means, its callers know.

use std::{fs, io, path::Path, time::Duration};

use portcullis_core::{
    guardian::Json,
    network::{BadEntry, Refusal, Target},
};
use portcullis_net::{Client, GuardOptions, Limits, Progress, Request, ResolverOptions, Roots};
use tokio::time;

use super::{
    settings::{KeySource, Settings},
    trouble::{Trouble, malformed, of_failure, of_status},
};
use crate::{platform, private};

/// The most bytes of a service's answer. A review is some hundred; the rest is a service's own chatter.
const LONGEST_ANSWER: u64 = 256 << 10;

/// The most bytes of a file with a key.
const LONGEST_KEY: u64 = 16 << 10;

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// Why a service cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The variable with its key is not set.
    #[error("the variable `{0}` with the reviewer's key is not set")]
    NoVariable(String),
    /// The file with its key cannot be believed.
    #[error("the reviewer's key in `{path}`: {error}")]
    KeyFile {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        error: private::Unbelievable,
    },
    /// The key is empty, or cannot stand in a header.
    #[error("the reviewer's key is not a key: it is empty, or has characters that no key has")]
    NotAKey,
    /// The certificate authorities cannot be read.
    #[error("cannot read `{path}`: {error}")]
    Authorities {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The base URL is none that may be asked.
    #[error("the reviewer's `base_url`: {0}")]
    Url(#[from] Refusal),
    /// The host of the base URL is none.
    #[error("the reviewer's `base_url`: {0}")]
    Host(#[from] BadEntry),
}

/// What an answer is by its type.
enum Kind {
    Json,
    Events,
}

/// A service that can be asked.
pub struct Service {
    settings: Settings,
    key: Option<String>,
    client: Client,
}

impl Service {
    /// A service. Its key and certificates are read now.
    ///
    /// # Errors
    /// [`SetupError`].
    pub(super) fn new(settings: Settings, resolver: ResolverOptions) -> Result<Self, SetupError> {
        Self::answering(settings, resolver, LONGEST_ANSWER)
    }

    /// A service whose answers have up to so many bytes.
    ///
    /// # Errors
    /// As `Service::new`.
    pub fn answering(
        settings: Settings,
        resolver: ResolverOptions,
        longest: u64,
    ) -> Result<Self, SetupError> {
        let target = Target::read(&settings.url())?;
        let proxy = settings.proxy.as_deref().map(Target::read).transpose()?;
        let policy = settings.network(&target, proxy.as_ref())?;
        let key = key(&settings.key)?;
        let roots = match &settings.ca_file {
            Some(path) => Roots::Pem(
                fs::read(path)
                    .map_err(|error| SetupError::Authorities { path: path.clone(), error })?,
            ),
            None => Roots::System,
        };
        let guard = GuardOptions { policy, resolver, ..GuardOptions::default() };
        // Nobody who is sent on would be the one that the configuration names.
        let limits = Limits { redirects: 0, body: longest, time: settings.timeout };
        let client = Client::new(guard, roots, limits);
        let client = match proxy {
            Some(proxy) => client.through(proxy),
            None => client,
        };
        Ok(Self { settings, key, client })
    }

    /// What it was made with.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// One request, and the body of the answer: JSON by its type, with the status 200.
    ///
    /// # Errors
    /// [`Trouble`], with how long to wait and whether it may have passed then.
    pub async fn post(&self, body: Json) -> Result<Vec<u8>, Trouble> {
        match self.answered(body, &mut |_| {}).await? {
            (Kind::Json, answer) => Ok(answer),
            (Kind::Events, _) => Err(malformed("the answer is not JSON by its type")),
        }
    }

    /// As [`Service::post`], where the answer may come in pieces (`text/event-stream`): what comes is given to `came`, and nothing is left of it
    /// in the end. What is no such answer comes back whole.
    ///
    /// # Errors
    /// As [`Service::post`].
    pub async fn streamed(
        &self,
        body: Json,
        came: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Option<Vec<u8>>, Trouble> {
        match self.answered(body, came).await? {
            (Kind::Json, answer) => Ok(Some(answer)),
            (Kind::Events, _) => Ok(None),
        }
    }

    async fn answered(
        &self,
        body: Json,
        came: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(Kind, Vec<u8>), Trouble> {
        let provider = self.settings.provider;
        let request = Request {
            method: "POST".to_owned(),
            url: self.settings.url(),
            headers: provider.headers(&self.settings, self.key.as_deref()),
            body: Some(body.to_string().into_bytes()),
        };
        let mut progress = |progress: Progress<'_>| {
            if progress.status == 200 {
                came(progress.came);
            }
        };
        let response = self.client.fetch(request, &mut progress).await;
        let response = response.map_err(|failure| of_failure(&failure))?;
        let header = |name: &str| {
            let found = response.headers.iter().find(|(own, _)| own == name);
            found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        if response.status != 200 {
            let wait = header("retry-after").and_then(|wait| wait.trim().parse::<u32>().ok());
            let wait = wait.map(|seconds| Duration::from_secs(seconds.into()));
            return Err(of_status(response.status, wait));
        }
        let kind = header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match kind.as_str() {
            "application/json" => Ok((Kind::Json, response.body)),
            "text/event-stream" => Ok((Kind::Events, Vec::new())),
            _ => Err(malformed("the answer is not JSON by its type")),
        }
    }

    /// How often one request may be made.
    pub fn attempts(&self) -> Attempts {
        Attempts { made: 0, most: self.settings.attempts, pause: self.settings.pause }
    }
}

/// The attempts of one request.
pub struct Attempts {
    made: u32,
    most: u32,
    pause: Duration,
}

impl Attempts {
    /// Waits until it makes sense to ask again.
    ///
    /// # Errors
    /// The trouble, where it does not pass by itself, or was met too often.
    pub async fn after(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        self.made = self.made.saturating_add(1);
        if !trouble.passes || self.made >= self.most.max(1) {
            return Err(trouble);
        }
        let wait = trouble.wait.unwrap_or_default().max(jittered(self.pause));
        if wait > LONGEST_PAUSE {
            return Err(trouble);
        }
        time::sleep(wait).await;
        self.pause = self.pause.saturating_mul(2);
        Ok(())
    }
}

/// A pause up to a tenth longer or shorter, so that those who failed together do not come back together.
fn jittered(pause: Duration) -> Duration {
    let [byte] = platform::random().unwrap_or([128]);
    pause.saturating_mul(900 + u32::from(byte) * 200 / 255) / 1_000
}

fn key(source: &KeySource) -> Result<Option<String>, SetupError> {
    let key = match source {
        KeySource::None => return Ok(None),
        KeySource::Environment(name) => std::env::var(name).map_err(|error| match error {
            std::env::VarError::NotPresent => SetupError::NoVariable(name.clone()),
            std::env::VarError::NotUnicode(_) => SetupError::NotAKey,
        })?,
        KeySource::File(path) => key_file(path)?,
    };
    let key = key.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(SetupError::NotAKey);
    }
    Ok(Some(key.to_owned()))
}

fn key_file(path: &Path) -> Result<String, SetupError> {
    let bytes = private::read(path, LONGEST_KEY)
        .map_err(|error| SetupError::KeyFile { path: path.to_owned(), error })?;
    String::from_utf8(bytes).map_err(|_| SetupError::NotAKey)
}
