//! One reviewer. Owns the deadline, the attempts, the two stages, and what may go on at once; a review that nobody waits for any more
//! ends at once and gives its place back.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use portcullis_core::{
    decision::{Decision, Verdict},
    guardian::{
        ApprovalKey, Briefing, Budgets, Case, Failing, Review, Ruling, Settled, Tokens, classify,
        read,
    },
    network::{BadEntry, Refusal, Target},
};
use portcullis_net::{Client, GuardOptions, Limits, Request, ResolverOptions, Roots};
use sha2::{Digest as _, Sha256};
use tokio::{sync::Semaphore, time};

use super::{
    Provider,
    ledger::Ledger,
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

/// Why a reviewer cannot be asked at all.
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

/// A reviewer that can be asked. Cheap to share; it keeps what sessions spent.
pub struct Reviewer {
    settings: Settings,
    key: Option<String>,
    client: Client,
    places: Semaphore,
    ledger: Ledger,
    begun: Instant,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The evidence.
    pub case: Case<'a>,
    /// What the policy decided.
    pub decision: &'a Decision,
    /// What identifies the policy.
    pub policy: &'a str,
    /// Whether a person can be asked.
    pub can_ask: bool,
}

/// The particulars of a review, for the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particulars {
    /// Which model answered, or should have.
    pub model: String,
    /// Whether the first look was enough.
    pub first_look: bool,
    /// The SHA-256 of what was sent, as hexadecimal digits.
    pub prompt: Option<String>,
    /// The SHA-256 of the model's text.
    pub reply: Option<String>,
    /// How long it took, from its start on.
    pub latency: Duration,
    /// What it took.
    pub tokens: Tokens,
    /// How many requests were made.
    pub attempts: u32,
    /// How many entries of the conversation were left out, and how many were cut.
    pub omitted: usize,
    /// See `omitted`.
    pub shortened: usize,
    /// What went wrong, for a person.
    pub detail: Option<String>,
}

/// A decision with how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// What came of the review.
    pub ruling: Ruling,
    /// What follows.
    pub settled: Settled,
    /// The particulars.
    pub particulars: Particulars,
}

/// What a review has come to so far, also when its time is over.
#[derive(Default)]
struct Progress {
    particulars: Particulars,
    briefing: Option<Briefing>,
}

impl Reviewer {
    /// A reviewer. Its key and certificates are read now.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(settings: Settings, resolver: ResolverOptions) -> Result<Self, SetupError> {
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
        let limits = Limits { redirects: 0, body: LONGEST_ANSWER, time: settings.timeout };
        let client = Client::new(guard, roots, limits);
        let client = match proxy {
            Some(proxy) => client.through(proxy),
            None => client,
        };
        let places = Semaphore::new(settings.concurrency.max(1));
        let begun = Instant::now();
        Ok(Self { settings, key, client, places, ledger: Ledger::default(), begun })
    }

    /// How it is configured.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many reviews could begin now.
    #[must_use]
    pub fn free_places(&self) -> usize {
        self.places.available_permits()
    }

    /// Forgets what may be approved once more: something else goes on, and may change what an approved action does.
    pub fn forget_approvals(&self) {
        self.ledger.open().approvals.forget();
    }

    /// A person looked at what a session does: its denials are counted anew.
    pub fn reset(&self, session: Option<&str>) {
        self.ledger.open().account(session).breaker.reset();
    }

    /// Has an action reviewed, and says what follows. The clock starts when it is its turn. Whoever drops the future cancels the review.
    pub async fn decide(&self, question: &Question<'_>) -> Decided {
        let session = question.case.action.call.session.as_deref();
        // Evidence is put together when it is its turn, so that those who wait take no room.
        let _place = self.places.acquire().await;
        let mut progress = Progress::default();
        // A classifier may have no model.
        let Settings { model, provider, .. } = &self.settings;
        let model = if model.is_empty() { provider.name() } else { model };
        progress.particulars.model = model.to_owned();
        let begun = Instant::now();
        let ruling = if self.ledger.open().account(session).breaker.is_open() {
            Ruling::Stopped
        } else {
            match time::timeout(self.settings.timeout, self.review(question, &mut progress)).await {
                Ok(ruling) => ruling,
                Err(_) => {
                    let seconds = self.settings.timeout.as_secs_f64();
                    progress.particulars.detail = Some(format!("no answer in {seconds} seconds"));
                    self.failed(Failing::Timeout)
                }
            }
        };
        let Progress { mut particulars, briefing } = progress;
        particulars.latency = begun.elapsed();
        let terms = &self.settings.terms;
        let (decision, assessment) = (question.decision, question.case.assessment);
        let settled = terms.settle(decision, assessment, &ruling, question.can_ask);
        let mut books = self.ledger.open();
        if let Ruling::Review { .. } = ruling {
            let denied = settled.verdict == Verdict::Deny && !settled.folded;
            books.account(session).breaker.count(denied);
        } else if !matches!(ruling, Ruling::Stopped) {
            books.account(session).breaker.count(false);
        }
        if settled.verdict == Verdict::Allow
            && matches!(ruling, Ruling::Review { .. })
            && let Some(briefing) = briefing
        {
            books.approvals.forget();
            books.approvals.keep(self.approval(question, &briefing), self.begun.elapsed());
        }
        drop(books);
        Decided { ruling, settled, particulars }
    }

    async fn review(&self, question: &Question<'_>, progress: &mut Progress) -> Ruling {
        let briefing = match brief(&question.case) {
            Ok(briefing) => briefing,
            Err(detail) => {
                progress.particulars.detail = Some(detail);
                return self.failed(Failing::Unprepared);
            }
        };
        let Particulars { prompt, omitted, shortened, .. } = &mut progress.particulars;
        *prompt = Some(briefing.hash());
        (*omitted, *shortened) = (briefing.omitted, briefing.shortened);
        let kept = self.approval(question, &briefing);
        let briefing = &*progress.briefing.insert(briefing);
        if self.ledger.open().approvals.take(&kept, self.begun.elapsed()) {
            return Ruling::Kept;
        }
        let session = question.case.action.call.session.as_deref();
        let particulars = &mut progress.particulars;
        let shown = |review| Ruling::Review {
            review,
            is_whole: briefing.is_whole,
            is_masked: briefing.is_masked,
        };
        if let Some(first) = &self.settings.first_look {
            // Whatever else it says, or fails to say, is for the full review.
            if let Ok(review) = self.ask(&first.model, briefing, session, particulars).await
                && review.score.value() < first.pass_below
                && review.claimed.is_none_or(|claimed| claimed == Verdict::Allow)
            {
                particulars.model.clone_from(&first.model);
                particulars.first_look = true;
                return shown(review);
            }
            particulars.reply = None;
        }
        match self.ask(&self.settings.model, briefing, session, particulars).await {
            Ok(review) => shown(review),
            Err(trouble) => {
                particulars.detail = Some(trouble.detail);
                self.failed(trouble.failing)
            }
        }
    }

    fn failed(&self, failing: Failing) -> Ruling {
        if self.settings.provider.is_classifier() {
            Ruling::Unknown(failing)
        } else {
            Ruling::Failed(failing)
        }
    }

    /// Asks one model, again where the trouble may have passed.
    async fn ask(
        &self,
        model: &str,
        briefing: &Briefing,
        session: Option<&str>,
        particulars: &mut Particulars,
    ) -> Result<Review, Trouble> {
        let mut pause = self.settings.pause;
        for attempt in 1.. {
            let trouble = match self.attempt(model, briefing, session, particulars).await {
                Ok(review) => return Ok(review),
                Err(trouble) => trouble,
            };
            if !trouble.passes || attempt >= self.settings.attempts.max(1) {
                return Err(trouble);
            }
            let wait = trouble.wait.unwrap_or_default().max(jittered(pause));
            if wait > LONGEST_PAUSE {
                return Err(trouble);
            }
            time::sleep(wait).await;
            pause = pause.saturating_mul(2);
        }
        Err(Trouble::new(Failing::Unreachable, "no attempt was made"))
    }

    async fn attempt(
        &self,
        model: &str,
        briefing: &Briefing,
        session: Option<&str>,
        particulars: &mut Particulars,
    ) -> Result<Review, Trouble> {
        let Settings { provider, spend, bands, max_output_tokens, .. } = &self.settings;
        let most = briefing.tokens().saturating_add(u64::from(*max_output_tokens));
        let reserved = self
            .ledger
            .open()
            .account(session)
            .usage
            .reserve(spend, most)
            .map_err(|error| Trouble::new(Failing::OverBudget, error.to_string()))?;
        particulars.attempts = particulars.attempts.saturating_add(1);
        let request = Request {
            method: "POST".to_owned(),
            url: self.settings.url(),
            headers: provider.headers(&self.settings, self.key.as_deref()),
            body: Some(provider.body(&self.settings, model, briefing).to_string().into_bytes()),
        };
        let response = self.client.fetch(request, &mut |_| {}).await;
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
        if kind != "application/json" {
            return Err(malformed("the answer is not JSON by its type"));
        }
        let answer = provider.answer(&response.body)?;
        particulars.tokens = particulars.tokens.plus(answer.tokens);
        self.ledger.open().account(session).usage.account(reserved, answer.tokens);
        particulars.reply =
            Some(data_encoding::HEXLOWER.encode(&Sha256::digest(answer.text.as_bytes())));
        let review = if *provider == Provider::GraySwan {
            classify(&answer.text, *bands)
        } else {
            read(&answer.text, briefing)
        };
        review.map_err(|error| malformed(error.to_string()))
    }

    fn approval(&self, question: &Question<'_>, briefing: &Briefing) -> ApprovalKey {
        let Question { case, policy, .. } = question;
        let call = &case.action.call;
        let model = format!("{} {}", self.settings.url(), self.settings.model);
        let (cwd, session) = (call.cwd.as_deref(), call.session.as_deref());
        ApprovalKey::new(case.action.digest(), cwd, briefing.evidence(), policy, &model, session)
    }
}

/// The evidence, fenced by a new random number.
fn brief(case: &Case<'_>) -> Result<Briefing, String> {
    let nonce = platform::random().map_err(|error| format!("no random number: {error}"))?;
    Briefing::new(case, &Budgets::default(), nonce).map_err(|error| error.to_string())
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
