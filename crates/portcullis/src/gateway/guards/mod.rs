//! A route for guards that speak the vendor-neutral events of OpenGuardrails: gateways of models, and agents of other makers, that send each half of a step here
//! before it goes on. Owns the order of an event; what is in it is read by `event` and `step`, and what is answered is written by `verdict`.
//!
//! ```text
//! event ──► texts looked through ──► calls judged and recorded ──► approvals taken up, if all go on ──► event recorded ──► verdict
//! ```
//!
//! Whoever asks goes on where nobody answers, unless it is set up otherwise. So what cannot be read, judged or recorded here is blocked in a verdict of its
//! own, and an error is answered only where no verdict can be: nobody said who they are, or what came is no event.

mod event;
mod step;
mod verdict;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::Timestamp;
use portcullis_core::{
    call::ToolCall,
    finding::Confidence,
    inspect::{Inspection, inspect},
    risk::Severity,
    secrets::{Detector, masked_spans},
};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use self::{
    event::{Event, Half},
    step::{Called, Step, Text},
    verdict::{Finding, PROVIDER, UNREAD, Verdict, Word},
};
use super::{
    Shared,
    access::Caller,
    judge::{self, Arrival, LONGEST_WAIT, Ruling, json_text},
    mcp::{Large, Spoken},
    page,
    problem::{Parameters, Problem},
};
use crate::{
    approvals::{Done, Step as Write},
    audit::{Body as Record, Entry, Kind},
    platform,
    session::Session,
    wire::{self, EventRequest},
};

/// The route of events.
pub(super) const EVALUATE: &str = "/v1/evaluate";

/// The route by which a guard learns whether it can ask here.
const HEALTH: &str = "/v1/health";

/// How many texts are known to be told to their sessions; beyond it they are told anew.
const KNOWN: usize = 1 << 16;

/// What an event's address says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Says {
    /// For how many seconds a step waits for a person.
    #[serde(default)]
    wait: Option<u32>,
}

/// The results and definitions that sessions were told of: every request of a conversation holds all of it again.
#[derive(Default)]
pub(super) struct Told(Mutex<HashSet<[u8; 32]>>);

impl Told {
    /// Tells a session of something once, where it can be kept in mind.
    fn once(&self, session: &str, what: &[u8], tell: impl FnOnce() -> bool) {
        let digest = Sha256::new().chain_update(session).chain_update([0]).chain_update(what);
        let digest = digest.finalize().into();
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&digest) || !tell() {
            return;
        }
        let mut known = known();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(digest);
    }
}

/// One event in, one verdict out.
pub(super) async fn evaluate(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(says): Parameters<Says>,
    headers: HeaderMap,
    large: Option<Extension<Large>>,
    body: Bytes,
) -> Response {
    let wait = Duration::from_secs(says.wait.unwrap_or(0).into()).min(LONGEST_WAIT);
    let event = match tokio::task::spawn_blocking(move || read(&body)).await {
        Ok(Ok(event)) => event,
        Ok(Err(Unread::Refused(body))) => return error(StatusCode::BAD_REQUEST, &body),
        Ok(Err(Unread::Hidden)) | Err(_) => return blocked().into_response(),
    };
    let asked = Asker {
        session: format!(
            "guard-{}-{}",
            caller.id,
            event.0.conversation.as_deref().or(event.0.agent.as_deref()).unwrap_or_default()
        ),
        agent: event.0.agent.clone().unwrap_or_else(|| caller.name.clone()),
    };
    let judged = judged(&gateway, (&caller, &headers), &asked, event, wait).await;
    drop(large);
    judged.unwrap_or_else(|_| blocked()).into_response()
}

/// Whether events can be judged and recorded now, for whoever asks.
pub(super) async fn health(gateway: State<Shared>) -> Response {
    let version = env!("CARGO_PKG_VERSION");
    match page::ready(gateway).await {
        Ok(_) => json_text(json!({ "status": "ok", "version": version }).to_string()),
        Err(_) => {
            let body = json!({ "status": "error", "version": version });
            error(StatusCode::SERVICE_UNAVAILABLE, &body)
        }
    }
}

/// Why there is no event.
enum Unread {
    /// It is none; what is answered.
    Refused(Value),
    /// It is JSON that two readers may read differently, or that is deeper than anybody reads it here: written so, something could pass unseen.
    Hidden,
}

/// Reads an event, with the digest of what came.
fn read(body: &[u8]) -> Result<(Event, String), Unread> {
    let fields = match wire::parse(body, 1) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => {
            let details = json!([{ "path": [], "message": "expected an object" }]);
            return Err(Unread::Refused(json!({ "error": "invalid_event", "details": details })));
        }
        Err(_) if serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok() => {
            return Err(Unread::Hidden);
        }
        Err(_) => return Err(Unread::Refused(json!({ "error": "invalid_body" }))),
    };
    let event = Event::read(fields)
        .map_err(|wrong| Unread::Refused(json!({ "error": "invalid_event", "details": wrong })))?;
    Ok((event, wire::digest_text(&Sha256::digest(body).into())))
}

/// Whose event it is.
struct Asker {
    session: String,
    agent: String,
}

impl Asker {
    fn call(&self, tool: &str) -> ToolCall {
        ToolCall {
            tool: tool.to_owned(),
            session: Some(self.session.clone()),
            agent: Some(self.agent.clone()),
            ..ToolCall::default()
        }
    }
}

async fn judged(
    gateway: &Shared,
    (caller, headers): (&Caller, &HeaderMap),
    asker: &Asker,
    (event, digest): (Event, String),
    wait: Duration,
) -> Result<Verdict, Problem> {
    let (half, name) = (event.half, event.step.clone());
    let apart =
        (Arc::clone(gateway), Asker { session: asker.session.clone(), agent: asker.agent.clone() });
    let looked = tokio::task::spawn_blocking(move || {
        let (gateway, asker) = apart;
        let mut step = step::read(&event);
        let mut verdict = Verdict::allow();
        let unread = std::mem::take(&mut step.unread);
        for path in &unread {
            verdict.say(Finding::of_text(UNREAD, Severity::High, path, None));
        }
        verdict.could_not_look(unread);
        gateway.bench.with(|session| look(&gateway, session, &asker, &step, &mut verdict));
        (step, verdict)
    });
    let looked = looked.await.map_err(|_| crate::approvals::ClerkError::Closed)?;
    let (Step { calls, thought, .. }, mut verdict) = looked;
    rule(gateway, (caller, headers), (asker, &thought), (&calls, wait), &mut verdict).await?;
    recorded(gateway, asker, (half, &name, digest), &mut verdict).await?;
    Ok(verdict)
}

/// Looks through every text, and tells the session of what came from outside.
fn look(gateway: &Shared, session: &Session, asker: &Asker, step: &Step, verdict: &mut Verdict) {
    if !step.tools.is_empty() {
        let tools = json!({ "event": "tools", "session": asker.session, "agent": asker.agent, "tools": step.tools });
        let tools = tools.to_string();
        gateway.told.once(&asker.session, tools.as_bytes(), || {
            let event = EventRequest::parse(tools.as_bytes(), 1).and_then(Result::ok);
            event.is_none_or(|event| session.happened(&event).is_ok())
        });
    }
    let detector = Detector::default();
    for text in &step.texts {
        let seen = match text.from {
            step::From::Conversation => {
                Inspection { secrets: detector.scan(text.text.as_bytes()), ..Inspection::default() }
            }
            step::From::Result | step::From::Definition => inspect(&text.text),
        };
        say(text, &seen, verdict);
        if text.from == step::From::Result {
            // What is not kept in mind is known to be lost by the next call, and told once more with the next event.
            gateway.told.once(&asker.session, text.text.as_bytes(), || {
                session.answered_with(&asker.call("result"), &text.text, &seen).is_ok()
            });
        }
    }
}

/// What was noticed in a text. What a call answered goes on without its secrets.
fn say(text: &Text, seen: &Inspection, verdict: &mut Verdict) {
    let Text { path, text, from, is_value } = text;
    let at = |start, end| is_value.then_some((text.as_str(), start, end));
    let mut told = Vec::new();
    for secret in seen.secrets.iter().filter(|secret| secret.confidence >= Confidence::Medium) {
        let (start, end) = (secret.span.start, secret.span.end);
        let of = (verdict::SECRET, secret.rule.as_ref());
        verdict.say(Finding::of_text(of, secret.severity, path, at(start, end)));
        told.push((start, end));
    }
    if !seen.planted.is_empty() {
        let category = match from {
            step::From::Definition => verdict::POISONED,
            step::From::Result | step::From::Conversation => verdict::PLANTED,
        };
        verdict.say(Finding::of_text((category, PROVIDER), Severity::High, path, None));
    }
    if *from != step::From::Result {
        return;
    }
    for (start, end) in together(masked_spans(text.as_bytes())) {
        // What is no secret for sure is masked too, and said.
        if !told.iter().any(|(first, last)| *first < end && start < *last) {
            let of = (verdict::SECRET, PROVIDER);
            verdict.say(Finding::of_text(of, Severity::Low, path, at(start, end)));
        }
        if *is_value {
            verdict.mask(path, text, (start, end));
        } else {
            // There is no way to say where a name begins.
            verdict.could_not_look([path.clone()]);
        }
    }
}

/// Spans in their order, those that touch as one.
fn together(spans: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::with_capacity(spans.len());
    for (start, end) in spans {
        match joined.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Judges every call. What people approved is taken up only where all of them go on: a step that is blocked uses nothing up.
async fn rule(
    gateway: &Shared,
    (caller, headers): (&Caller, &HeaderMap),
    (asker, thought): (&Asker, &str),
    (calls, wait): (&[Called], Duration),
    verdict: &mut Verdict,
) -> Result<(), Problem> {
    let until = Instant::now() + wait;
    let mut rulings = Vec::with_capacity(calls.len());
    for call in calls {
        let judged = ToolCall {
            id: call.id.clone(),
            arguments: call.arguments.clone(),
            thought: (!thought.is_empty()).then(|| thought.to_owned()),
            ..asker.call(&call.name)
        };
        match judge::ruling(gateway, caller, (judged, Arrival::of(headers))).await {
            Ok(ruling) => rulings.push((call, ruling)),
            Err(_) => verdict.could_not_look([call.path.clone()]),
        }
    }
    let mut decided = Vec::with_capacity(rulings.len());
    for (call, ruling) in rulings {
        let left = until.saturating_duration_since(Instant::now());
        let ruling = if left.is_zero() { ruling } else { ruling.decided(gateway, left).await? };
        told(call, &ruling, verdict);
        decided.push((call, ruling));
    }
    gateway.door.still(headers)?;
    if verdict.decision == Word::Block {
        return Ok(());
    }
    for (call, ruling) in decided {
        let (judged, _) = ruling.taken_up(gateway, caller).await?;
        if judged.judgement.decision.verdict != portcullis_core::decision::Verdict::Allow {
            verdict.decision = Word::Block;
            verdict.say(Finding::of_call(verdict::DENIED, Severity::High, call, None));
        }
    }
    Ok(())
}

/// What is said of a call.
fn told(call: &Called, ruling: &Ruling, verdict: &mut Verdict) {
    let assessment = &ruling.judged.judgement.assessment;
    for found in &assessment.findings {
        verdict.say(Finding::of_rule(found, call));
    }
    if !ruling.goes_on() {
        verdict.decision = Word::Block;
        let waits = ruling
            .asked
            .as_ref()
            .filter(|asked| asked.status == portcullis_core::approval::Status::Pending);
        let (category, request) = match waits {
            Some(asked) => (verdict::WAITS, Some(format!("request {}", asked.id))),
            None => (verdict::DENIED, None),
        };
        verdict.say(Finding::of_call(category, assessment.level, call, request));
    }
}

/// Records that an event came and what was answered, and names it by that record.
async fn recorded(
    gateway: &Shared,
    asker: &Asker,
    (half, step, digest): (Half, &str, String),
    verdict: &mut Verdict,
) -> Result<(), Problem> {
    let mut categories: Vec<_> = verdict.findings.iter().map(|found| found.category).collect();
    categories.sort_unstable();
    categories.dedup();
    let word = if verdict.decision == Word::Allow { "" } else { " blocked" };
    let entry = Entry {
        outcome: Some(format!("{}{word}", half.name())),
        reason: Some(format!(
            "step {step}: {} findings, {} places not judged {}",
            verdict.findings.len(),
            verdict.unjudged.len(),
            categories.join(" ")
        )),
        action: Some(digest),
        session: Some(asker.session.clone()),
        agent: Some(asker.agent.clone()),
        ..Entry::new(Kind::Outcome)
    };
    let record = Record::new(&entry, Timestamp::now());
    match gateway.clerk.take(Write::Note { record, once: None }).await {
        Ok(Done::Noted(sequence)) => verdict.event_id = id(Some(sequence)),
        Ok(_) => return Err(crate::approvals::ClerkError::Closed.into()),
        Err(error) => {
            gateway.telemetry.unrecorded();
            return Err(error.into());
        }
    }
    Ok(())
}

/// The name of an event: those of later ones stand behind it, and it names its record where there is one.
fn id(sequence: Option<u64>) -> String {
    let now = Timestamp::now().as_millisecond();
    // Gateways that share a database have numbers of their own.
    let mark = data_encoding::HEXLOWER.encode(&platform::random::<4>().unwrap_or_default());
    match sequence {
        Some(sequence) => format!("evt-{now:012x}-{mark}-{sequence}"),
        None => format!("evt-{now:012x}-{mark}-unrecorded"),
    }
}

/// The verdict on what could not be read, judged or recorded.
fn blocked() -> Verdict {
    let mut verdict = Verdict::allow();
    verdict.event_id = id(None);
    verdict.say(Finding::of_text(UNREAD, Severity::High, "payload", None));
    verdict.could_not_look(["payload".to_owned()]);
    verdict
}

impl Verdict {
    fn into_response(self) -> Response {
        json_text(serde_json::to_string(&self).unwrap_or_default())
    }
}

/// Whether a path is one of these routes.
pub(super) fn is_ours(path: &str) -> bool {
    path == EVALUATE || path == HEALTH
}

/// What the checks before a handler refuse, in the words of these routes. What is too long, or fails, is blocked.
pub(super) fn worded(mut response: Response, per_minute: u64) -> Response {
    if response.extensions().get::<Spoken>().is_some() {
        return response;
    }
    let body = match response.status() {
        StatusCode::UNAUTHORIZED => json!({ "error": "unauthorized" }),
        StatusCode::TOO_MANY_REQUESTS => json!({ "error": "rate_limited", "limit": per_minute }),
        StatusCode::BAD_REQUEST => json!({ "error": "invalid_body" }),
        status if status == StatusCode::PAYLOAD_TOO_LARGE || status.is_server_error() => {
            let mut blocked = blocked().into_response();
            // What is left of a body that was not read would be taken for the next request.
            if let Some(closes) = response.headers_mut().remove(header::CONNECTION) {
                blocked.headers_mut().insert(header::CONNECTION, closes);
            }
            return blocked;
        }
        status if status.is_client_error() => json!({ "error": "forbidden" }),
        _ => return response,
    };
    *response.body_mut() = Body::from(body.to_string());
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.extensions_mut().insert(Spoken);
    response
}

fn error(status: StatusCode, body: &Value) -> Response {
    let mut response = json_text(body.to_string());
    *response.status_mut() = status;
    response.extensions_mut().insert(Spoken);
    response
}
