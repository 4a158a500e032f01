//! One reviewer. Owns the deadline, the two stages, and what may go on at once; a review that nobody waits for any more
//! ends at once and gives its place back.

use std::time::{Duration, Instant};

use portcullis_core::{
    decision::{Decision, Verdict},
    guardian::{
        ApprovalKey, Briefing, Budgets, Case, Failing, Review, Ruling, Settled, Tokens, classify,
        read,
    },
};
use portcullis_net::ResolverOptions;
use sha2::{Digest as _, Sha256};
use tokio::{sync::Semaphore, time};

use super::{
    Provider,
    ledger::Ledger,
    service::{Service, SetupError},
    settings::Settings,
    trouble::{Trouble, malformed},
};
use crate::platform;

/// A reviewer that can be asked. Cheap to share; it keeps what sessions spent.
pub struct Reviewer {
    service: Service,
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
        let service = Service::new(settings, resolver)?;
        let settings = service.settings();
        let places = Semaphore::new(settings.concurrency.max(1));
        let begun = Instant::now();
        Ok(Self { service, places, ledger: Ledger::default(), begun })
    }

    /// How it is configured.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        self.service.settings()
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
        let Settings { model, provider, .. } = self.settings();
        let model = if model.is_empty() { provider.name() } else { model };
        progress.particulars.model = model.to_owned();
        let begun = Instant::now();
        let ruling = if self.ledger.open().account(session).breaker.is_open() {
            Ruling::Stopped
        } else {
            match time::timeout(self.settings().timeout, self.review(question, &mut progress)).await
            {
                Ok(ruling) => ruling,
                Err(_) => {
                    let seconds = self.settings().timeout.as_secs_f64();
                    progress.particulars.detail = Some(format!("no answer in {seconds} seconds"));
                    self.failed(Failing::Timeout)
                }
            }
        };
        let Progress { mut particulars, briefing } = progress;
        particulars.latency = begun.elapsed();
        let terms = &self.settings().terms;
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
        if let Some(first) = &self.settings().first_look {
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
        match self.ask(&self.settings().model, briefing, session, particulars).await {
            Ok(review) => shown(review),
            Err(trouble) => {
                particulars.detail = Some(trouble.detail);
                self.failed(trouble.failing)
            }
        }
    }

    fn failed(&self, failing: Failing) -> Ruling {
        if self.settings().provider.is_classifier() {
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
        let mut attempts = self.service.attempts();
        loop {
            match self.attempt(model, briefing, session, particulars).await {
                Ok(review) => return Ok(review),
                Err(trouble) => attempts.after(trouble).await?,
            }
        }
    }

    async fn attempt(
        &self,
        model: &str,
        briefing: &Briefing,
        session: Option<&str>,
        particulars: &mut Particulars,
    ) -> Result<Review, Trouble> {
        let Settings { provider, spend, bands, max_output_tokens, .. } = self.settings();
        let most = briefing.tokens().saturating_add(u64::from(*max_output_tokens));
        let reserved = self
            .ledger
            .open()
            .account(session)
            .usage
            .reserve(spend, most)
            .map_err(|error| Trouble::new(Failing::OverBudget, error.to_string()))?;
        particulars.attempts = particulars.attempts.saturating_add(1);
        let body = self.service.post(provider.body(self.settings(), model, briefing)).await?;
        let answer = provider.answer(&body)?;
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
        let model = format!("{} {}", self.settings().url(), self.settings().model);
        let (cwd, session) = (call.cwd.as_deref(), call.session.as_deref());
        ApprovalKey::new(case.action.digest(), cwd, briefing.evidence(), policy, &model, session)
    }
}

/// The evidence, fenced by a new random number.
fn brief(case: &Case<'_>) -> Result<Briefing, String> {
    let nonce = platform::random().map_err(|error| format!("no random number: {error}"))?;
    Briefing::new(case, &Budgets::default(), nonce).map_err(|error| error.to_string())
}
