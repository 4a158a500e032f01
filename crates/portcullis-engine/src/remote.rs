//! A gateway as its callers see it, or several that stand for each other. Owns how a call that was judged here is also judged there: the
//! stricter word holds, a person's yes answers what asks here, and where no gateway answers it is a no, but for what may go on alone.

mod delivery;
pub mod keys;

pub use delivery::{Delivered, Undeliverable};

pub use keys::{KeyError, Keys};

use std::{
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use portcullis_core::{
    approval::Status,
    assessment::Coverage,
    decision::{Decision, Layer, Verdict},
    intervention::{Refused, Settled},
    network::Target,
    risk::Risk,
};
use portcullis_net::{Client, GuardOptions, Limits, Request, ResolverOptions, Roots};
use serde_json::{Map, Value, json};
use tokio::{runtime::Runtime, time};

use crate::{
    config::{self, Offline},
    guardian::{crosses_openly, only_to},
    private::Unbelievable,
    session::Judged,
    trace::{self, Trace},
    undelivered::{LAYERS, Queue},
};

/// How long the gateway may take beside the wait for a person, where nobody says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How often a gateway that is not there is asked before nobody waits for it any more, and how long apart.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(2);

/// How long a gateway may be away while a person is waited for, as when it is started anew, and how long apart it is asked then.
const LOST: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(250);

/// How long one of several gateways holds a question at a time: whether it still answers shows no later.
const HELD: Duration = Duration::from_secs(15);

/// How long a connection to one of several gateways may take.
const CONNECT: Duration = Duration::from_secs(3);

/// How often it is looked whether somebody stopped waiting.
const GLANCE: Duration = Duration::from_millis(50);

/// The longest answer.
const LONGEST: u64 = 4 << 20;

/// Why there is no gateway to ask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// Its URL cannot be used.
    #[error("`{url}` cannot be a gateway: {reason}")]
    Url {
        /// The URL.
        url: String,
        /// Why.
        reason: String,
    },
    /// There is no token to ask with.
    #[error("the token in `{path}` cannot be used: {reason}")]
    Token {
        /// Where.
        path: String,
        /// Why.
        reason: Unbelievable,
    },
    /// Nothing can wait for its answer.
    #[error("cannot wait for the gateway: {0}")]
    Runtime(std::io::Error),
}

/// What came of asking a person at a gateway.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// Somebody answered, or nobody there is to be asked about this; with the reason.
    Settled(Settled, String),
    /// Nobody answered yet, and nobody waits here any more, with the reason. Whoever asks again by the same key asks about the same request.
    Waits(String),
}

/// A gateway somewhere else, or in another process; or several that share a database.
pub struct Remote {
    client: Client,
    /// Where they are, in the order in which they are asked.
    urls: Vec<String>,
    /// The one that answered last: it is asked first.
    answers: AtomicUsize,
    token: String,
    wait: Duration,
    /// How long all of them may take together, beside the wait.
    patience: Duration,
    resumes: bool,
    /// Where decisions are kept by which calls go on while none answers; nothing goes on so without it.
    alone: Option<Queue>,
    runtime: Runtime,
}

impl Remote {
    /// One gateway or several, a file with a token to ask them with, how long a person is waited for, and how long the gateways may take beside that.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn new(
        urls: &[String],
        token_file: &Path,
        wait: Duration,
        patience: Duration,
    ) -> Result<Self, RemoteError> {
        let unusable = |url: &str, reason: String| RemoteError::Url { url: url.to_owned(), reason };
        let mut targets = Vec::with_capacity(urls.len());
        for url in urls {
            let target = Target::read(url).map_err(|error| unusable(url, error.to_string()))?;
            if crosses_openly(&target) {
                return Err(unusable(
                    url,
                    "a token would cross the network unencrypted".to_owned(),
                ));
            }
            targets.push(target);
        }
        let policy = only_to(targets.iter().map(|target| (target, true)));
        let policy = policy.map_err(|error| unusable(&urls.join(" "), error.to_string()))?;
        let mut guard = GuardOptions {
            policy,
            resolver: ResolverOptions::default(),
            ..GuardOptions::default()
        };
        if urls.len() > 1 {
            guard.connect_timeout = guard.connect_timeout.min(CONNECT);
        }
        let limits = Limits { redirects: 0, body: LONGEST, time: wait.saturating_add(patience) };
        let token = Keys::read(token_file).map_err(|reason| RemoteError::Token {
            path: token_file.display().to_string(),
            reason,
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client: Client::new(guard, Roots::System, limits),
            urls: urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect(),
            answers: AtomicUsize::new(0),
            token,
            wait,
            patience,
            resumes: false,
            alone: None,
            runtime: runtime.map_err(RemoteError::Runtime)?,
        })
    }

    /// For callers who come again: the same call takes up what was asked before, while it waits or once it is approved.
    #[must_use]
    pub fn resuming(self) -> Self {
        Self { resumes: true, ..self }
    }

    /// Those of the configuration: with the token for agents on this machine where it names none, and with what it says of calls while none answers.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn of(
        gateway: &config::Gateway,
        state: Option<&Path>,
        wait: Duration,
        patience: Duration,
    ) -> Result<Self, RemoteError> {
        let own = || state.map(|state| Keys::in_state(state).agents);
        let token = gateway.token.clone().or_else(own).unwrap_or_default();
        let remote = Self::new(&gateway.urls, &token, wait, patience)?;
        Ok(remote.going_on(gateway.offline, state))
    }

    /// With what becomes of calls while none answers.
    #[must_use]
    pub fn going_on(self, offline: Offline, state: Option<&Path>) -> Self {
        let alone = match offline {
            Offline::Deny => None,
            Offline::Local => state.map(Queue::of),
        };
        Self { alone, ..self }
    }

    /// Where it is: the one that answered last, or is asked first.
    #[must_use]
    pub fn url(&self) -> &str {
        self.urls.get(self.answers.load(Ordering::Relaxed)).map_or("", String::as_str)
    }

    /// Has a call judged there as well, and says in the decision what comes of both. What is denied here is not asked there.
    pub fn settle(&self, judged: &mut Judged) {
        if judged.judgement.decision.verdict == Verdict::Deny {
            return;
        }
        let answer = self.runtime.block_on(self.waited_for(judged));
        let action = judged.action.id();
        let answer = match answer {
            Err(Lost { why, for_good: false }) if self.alone.is_some() && is_proven(judged) => {
                let note =
                    format!("no gateway answers, and this machine proves it harmless: {why}");
                let decision = &mut judged.judgement.decision;
                let (layer, verdict) = (decision.layer, Some(Verdict::Allow));
                decision.account(layer, verdict, note);
                judged.unanswered = Some(why);
                return;
            }
            Err(lost) => Err(lost.why),
            Ok(answer) => {
                self.deliver_some();
                read(&answer, &action)
            }
        };
        let decision = &mut judged.judgement.decision;
        match answer {
            Ok(Heard { verdict, by_person, reasons }) => {
                let answers = decision.verdict == Verdict::Ask && by_person;
                if verdict > decision.verdict || answers {
                    let note = reasons.first().map_or("the gateway's word", String::as_str);
                    settle(decision, verdict, &format!("the gateway: {note}"));
                }
            }
            Err(why) => {
                settle(decision, Verdict::Deny, &format!("the gateway cannot be asked: {why}"))
            }
        }
    }

    /// Asks the gateway, and goes on waiting for a person where it is started anew meanwhile: by its key the request stays the same one.
    async fn waited_for(&self, judged: &Judged) -> Result<Value, Lost> {
        if self.wait.is_zero() && self.urls.len() < 2 {
            return self.asked(judged, None, self.wait).await;
        }
        // What one of several recorded before it was lost is not recorded by the next once more.
        let no_key = |error: std::io::Error| Lost { why: error.to_string(), for_good: true };
        let key = crate::approvals::Id::random().map_err(no_key)?.to_string();
        if self.wait.is_zero() {
            return self.asked(judged, Some(&key), self.wait).await;
        }
        let ends = time::Instant::now() + self.wait;
        let mut lost_since: Option<time::Instant> = None;
        loop {
            let left = ends.saturating_duration_since(time::Instant::now());
            // Whoever holds on for no whole second is answered at once.
            let is_over = left < Duration::from_secs(1);
            let pause = match self.asked(judged, Some(&key), left).await {
                Ok(answer) if is_over || !is_pending(&answer) => return Ok(answer),
                Ok(_) => {
                    lost_since = None;
                    AGAIN
                }
                Err(lost) => {
                    let since = *lost_since.get_or_insert_with(time::Instant::now);
                    if lost.for_good || since.elapsed() >= LOST {
                        return Err(lost);
                    }
                    AGAIN
                }
            };
            time::sleep(pause).await;
        }
    }

    /// Has a person there asked about an action that asks here, and waits for their answer as long as the gateway holds the request, or until `stop`
    /// is set. `key` is what the request is known by, however often it is asked about: in another process too.
    pub fn person_on(&self, judged: &Judged, key: &str, stop: &AtomicBool) -> Word {
        let mut lost = 0;
        loop {
            let asked = self.runtime.block_on(async {
                tokio::select! {
                    asked = self.asked(judged, Some(key), self.wait) => Some(asked),
                    () = stopped(stop) => None,
                }
            });
            match asked {
                None => return Word::Waits("nobody waits for it here".to_owned()),
                Some(Ok(answer)) => match said(&answer, &judged.action.id()) {
                    Some(word) => return word,
                    None => lost = 0,
                },
                Some(Err(Lost { why, for_good: _ })) => {
                    lost += 1;
                    if lost >= ATTEMPTS {
                        return Word::Waits(format!("the gateway cannot be asked: {why}"));
                    }
                }
            }
            self.runtime.block_on(async {
                tokio::select! {
                    () = time::sleep(PAUSE) => {}
                    () = stopped(stop) => {}
                }
            });
        }
    }

    /// Asks one after the other until one answers, the one first that answered last.
    async fn asked(
        &self,
        judged: &Judged,
        key: Option<&str>,
        wait: Duration,
    ) -> Result<Value, Lost> {
        let mut shape = call(judged);
        if key.is_some() {
            // What was thought beside it is not kept: in another process it would be another call.
            shape.remove("thought");
        }
        let body = Value::Object(shape).to_string().into_bytes();
        let trace = judged.trace.or_else(Trace::of_environment);
        self.each(wait, async |url, wait| {
            let resume = if self.resumes { "&resume=true" } else { "" };
            let url = format!("{url}/v1/judge?wait={}{resume}", wait.as_secs());
            self.answer_to(url, key, trace, body.clone()).await
        })
        .await
    }

    /// Asks one gateway after the other until one answers. Of what the wait is left, several hold no more than a part at a time: one that stands
    /// still must not be waited for to the end.
    async fn each(
        &self,
        wait: Duration,
        ask: impl AsyncFn(&str, Duration) -> Result<Value, Lost>,
    ) -> Result<Value, Lost> {
        let count = self.urls.len();
        let wait = if count > 1 { wait.min(HELD) } else { wait };
        let first = self.answers.load(Ordering::Relaxed);
        let ends = time::Instant::now() + self.patience;
        let mut lost = Vec::with_capacity(count);
        for turn in 0..count {
            let at = (first + turn) % count;
            let Some(url) = self.urls.get(at) else { continue };
            let left = ends.saturating_duration_since(time::Instant::now());
            let others = u32::try_from(count - turn).unwrap_or(u32::MAX);
            let share = left.checked_div(others).unwrap_or_default();
            let answer = time::timeout(wait.saturating_add(share), ask(url, wait)).await;
            let answer = answer.unwrap_or_else(|_| {
                Err(Lost { why: "it does not answer in time".to_owned(), for_good: false })
            });
            match answer {
                Err(one) if !one.for_good => {
                    lost.push(if count > 1 { format!("{url}: {}", one.why) } else { one.why });
                }
                answered => {
                    self.answers.store(at, Ordering::Relaxed);
                    return answered;
                }
            }
        }
        Err(Lost { why: lost.join("; "), for_good: false })
    }

    /// What a gateway answers to a body of JSON.
    async fn answer_to(
        &self,
        url: String,
        key: Option<&str>,
        trace: Option<Trace>,
        body: Vec<u8>,
    ) -> Result<Value, Lost> {
        let mut headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json".to_owned()),
        ];
        if let Some(key) = key {
            headers.push(("idempotency-key".to_owned(), key.to_owned()));
        }
        if let Some(trace) = trace {
            headers.push((trace::HEADER.to_owned(), trace.to_string()));
        }
        let request = Request { method: "POST".to_owned(), url, headers, body: Some(body) };
        let response = self.client.fetch(request, &mut |_| {}).await;
        let response =
            response.map_err(|failure| Lost { why: failure.to_string(), for_good: false })?;
        let answer: Option<Value> = serde_json::from_slice(&response.body).ok();
        match (response.status, answer) {
            (200, Some(answer)) => Ok(answer),
            (status, answer) => {
                let detail = answer.as_ref().and_then(|answer| answer.get("detail")?.as_str());
                let detail = detail.unwrap_or("it gives no reason");
                let for_good = status < 500;
                Err(Lost { why: format!("it answers {status}: {detail}"), for_good })
            }
        }
    }
}

/// Whether a call may go on though no gateway can be asked: the policy here allows it by itself, all of it is understood, and it is safe or low.
fn is_proven(judged: &Judged) -> bool {
    let judgement = &judged.judgement;
    let assessment = &judgement.assessment;
    judgement.decision.verdict == Verdict::Allow
        && LAYERS.contains(&judgement.decision.layer)
        && matches!(assessment.risk, Risk::Safe | Risk::Low)
        && assessment.coverage == Coverage::Full
        && !assessment.tool_is_unknown
        && !judgement.effects.leave_open()
}

/// Why there was no answer.
struct Lost {
    why: String,
    /// Whether asking again gives the same.
    for_good: bool,
}

/// Whether somebody there is still asked.
fn is_pending(answer: &Value) -> bool {
    let status = answer.pointer("/approval/status").and_then(Value::as_str);
    status == Some(Status::Pending.name())
}

/// What a gateway says.
struct Heard {
    verdict: Verdict,
    by_person: bool,
    reasons: Vec<String>,
}

/// What a gateway's answer means for an action that asks here; nothing while somebody there is still asked.
fn said(answer: &Value, action: &str) -> Option<Word> {
    let refused = |why: Refused, reason: String| Some(Word::Settled(Settled::Refused(why), reason));
    let Heard { verdict, by_person, reasons } = match read(answer, action) {
        Ok(heard) => heard,
        Err(why) => return refused(Refused::OtherAction, format!("the gateway: {why}")),
    };
    let approver = answer.pointer("/approval/approver").and_then(Value::as_str);
    let by = approver.filter(|_| by_person).unwrap_or("the gateway").to_owned();
    let reason = reasons.into_iter().next().unwrap_or_else(|| "it gives no reason".to_owned());
    match verdict {
        Verdict::Ask => None,
        Verdict::Allow if by_person && approver.is_some() => {
            Some(Word::Settled(Settled::Confirmed { by }, reason))
        }
        // Its policy is not the person whom ours wants asked.
        Verdict::Allow => refused(
            Refused::Closed,
            "the gateway lets this go on unasked, and nobody there is asked about it".to_owned(),
        ),
        Verdict::Deny => Some(Word::Settled(Settled::Declined { by }, reason)),
    }
}

/// Comes back when somebody stops waiting.
async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        time::sleep(GLANCE).await;
    }
}

/// Reads an answer: it must be about the very action that was judged here.
fn read(answer: &Value, action: &str) -> Result<Heard, String> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    if text("action") != Some(action) {
        return Err("it judged another action".to_owned());
    }
    let all = [Verdict::Allow, Verdict::Ask, Verdict::Deny];
    let verdict = all.into_iter().find(|verdict| Some(verdict.name()) == text("decision"));
    let verdict = verdict.ok_or("its decision is none that is known")?;
    // A policy that lets go on what waited is nobody's yes.
    let status = answer.pointer("/approval/status").and_then(Value::as_str);
    let is_answered = verdict != Verdict::Allow || status == Some(Status::Approved.name());
    let reasons = answer.get("reasons").and_then(Value::as_array).into_iter().flatten();
    Ok(Heard {
        verdict,
        by_person: is_answered && text("layer") == Some(Layer::Person.name()),
        reasons: reasons.filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

fn settle(decision: &mut Decision, verdict: Verdict, note: &str) {
    // What both say is said once.
    let bare = note.strip_prefix("the gateway: ").unwrap_or(note);
    decision.reasons.retain(|reason| reason != bare && reason != note);
    decision.decide(Layer::Person, verdict, note.to_owned());
}

/// The call as it was judged here, so that there it is the same action.
fn call(judged: &Judged) -> Map<String, Value> {
    let call = &judged.action.call;
    let mut shape = Map::new();
    shape.insert("v".to_owned(), json!(crate::wire::VERSION));
    shape.insert("tool".to_owned(), json!(call.tool));
    shape.insert("arguments".to_owned(), Value::Object(call.arguments.clone()));
    let texts = [
        ("cwd", &call.cwd),
        ("home", &call.home),
        ("thought", &call.thought),
        ("summary", &call.summary),
        ("agent", &call.agent),
        ("session", &call.session),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            shape.insert(name.to_owned(), json!(text));
        }
    }
    if let Some(risk) = call.declared_risk {
        shape.insert("security_risk".to_owned(), json!(risk.name().to_ascii_uppercase()));
    }
    if let Some(mode) = judged.context.mode {
        shape.insert("mode".to_owned(), json!(mode.name()));
    }
    shape
}
