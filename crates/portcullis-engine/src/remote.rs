//! A gateway as its callers see it. Owns how a call that was judged here is also judged there: the stricter word holds, a person's yes
//! answers what asks here, and a gateway that is lost is a no.

pub mod keys;

pub use keys::{KeyError, Keys};

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use portcullis_core::{
    approval::Status,
    decision::{Decision, Layer, Step, Verdict},
    intervention::{Refused, Settled},
    network::Target,
};
use portcullis_net::{Client, GuardOptions, Limits, Request, ResolverOptions, Roots};
use serde_json::{Map, Value, json};
use tokio::{runtime::Runtime, time};

use crate::{
    guardian::{crosses_openly, only_to},
    private::Unbelievable,
    session::Judged,
};

/// How long the gateway may take beside the wait for a person, where nobody says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How often a gateway that is not there is asked before nobody waits for it any more, and how long apart.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(2);

/// How long a gateway may be away while a person is waited for, as when it is started anew, and how long apart it is asked then.
const LOST: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(250);

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

/// A gateway somewhere else, or in another process.
pub struct Remote {
    client: Client,
    url: String,
    token: String,
    wait: Duration,
    resumes: bool,
    runtime: Runtime,
}

impl Remote {
    /// A gateway, a file with a token to ask it with, how long a person is waited for, and how long the gateway may take beside that.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn new(
        url: &str,
        token_file: &Path,
        wait: Duration,
        patience: Duration,
    ) -> Result<Self, RemoteError> {
        let unusable = |reason: String| RemoteError::Url { url: url.to_owned(), reason };
        let target = Target::read(url).map_err(|error| unusable(error.to_string()))?;
        if crosses_openly(&target) {
            return Err(unusable("a token would cross the network unencrypted".to_owned()));
        }
        let policy = only_to([(&target, true)]).map_err(|error| unusable(error.to_string()))?;
        let guard = GuardOptions {
            policy,
            resolver: ResolverOptions::default(),
            ..GuardOptions::default()
        };
        let limits = Limits { redirects: 0, body: LONGEST, time: wait.saturating_add(patience) };
        let token = Keys::read(token_file).map_err(|reason| RemoteError::Token {
            path: token_file.display().to_string(),
            reason,
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client: Client::new(guard, Roots::System, limits),
            url: url.trim_end_matches('/').to_owned(),
            token,
            wait,
            resumes: false,
            runtime: runtime.map_err(RemoteError::Runtime)?,
        })
    }

    /// For callers who come again: the same call takes up what was asked before, while it waits or once it is approved.
    #[must_use]
    pub fn resuming(self) -> Self {
        Self { resumes: true, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Has a call judged there as well, and says in the decision what comes of both. What is denied here is not asked there.
    pub fn settle(&self, judged: &mut Judged) {
        if judged.judgement.decision.verdict == Verdict::Deny {
            return;
        }
        let answer = self.runtime.block_on(self.waited_for(judged));
        let action = judged.action.id();
        let decision = &mut judged.judgement.decision;
        match answer.and_then(|answer| read(&answer, &action)) {
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
    async fn waited_for(&self, judged: &Judged) -> Result<Value, String> {
        if self.wait.is_zero() {
            return self.asked(judged, None, self.wait).await.map_err(|lost| lost.why);
        }
        let key = crate::approvals::Id::random().map_err(|error| error.to_string())?.to_string();
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
                Err(Lost { why, for_good }) => {
                    let since = *lost_since.get_or_insert_with(time::Instant::now);
                    if for_good || since.elapsed() >= LOST {
                        return Err(why);
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

    async fn asked(
        &self,
        judged: &Judged,
        key: Option<&str>,
        wait: Duration,
    ) -> Result<Value, Lost> {
        let mut headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        headers.push(("accept".to_owned(), "application/json".to_owned()));
        let mut shape = call(judged);
        if let Some(key) = key {
            headers.push(("idempotency-key".to_owned(), key.to_owned()));
            // What was thought beside it is not kept: in another process it would be another call.
            shape.remove("thought");
        }
        let shape = Value::Object(shape);
        let request = Request {
            method: "POST".to_owned(),
            url: format!(
                "{}/v1/judge?wait={}{}",
                self.url,
                wait.as_secs(),
                if self.resumes { "&resume=true" } else { "" }
            ),
            headers,
            body: Some(shape.to_string().into_bytes()),
        };
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
    decision.verdict = verdict;
    decision.layer = Layer::Person;
    // What both say is said once.
    let bare = note.strip_prefix("the gateway: ").unwrap_or(note);
    decision.reasons.retain(|reason| reason != bare && reason != note);
    decision.reasons.insert(0, note.to_owned());
    decision.steps.push(Step {
        layer: Layer::Person,
        verdict: Some(verdict),
        note: note.to_owned().into(),
    });
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
