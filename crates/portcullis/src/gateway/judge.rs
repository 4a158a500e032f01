//! Calls in, decisions out. Owns the order: judged, recorded, answered; and the wait for a person where one is asked.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::{
    approval::Status, call::ToolCall, decision::Verdict, inspect::inspect as look_through,
    policy::Context, secrets::redacted,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{
    Gateway, Shared,
    access::Caller,
    notices,
    problem::{Parameters, Problem},
    rights,
    shapes::{ApprovalShape, JudgedShape},
};
use crate::{
    approvals::{Claim, Done, Id, Once, PENDING, Question, Request as Asked, Step, Unclaimable},
    audit::Body,
    config::{OnFailure, TryingGate},
    grants,
    session::{self, Judged},
    telemetry::{Begun, Circumstances, Standing, Way},
    trace::{self, Trace},
    trial::evidence,
    wire::{Answer, Background, EventAnswer, EventRequest, InspectAnswer, InspectRequest, Request},
};

/// What is longer is judged on a thread of its own: it may take longer than others should wait.
const SHORT: usize = 16 << 10;

/// The longest that one request holds on for a decision; whoever wants to wait longer asks again.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

/// The longest key of a repeated call.
const LONGEST_KEY: usize = 255;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Waits {
    #[serde(default)]
    pub(super) wait: Option<u32>,
    /// Whether a request of before about the very same action is taken up where it still waits, or is approved and unused.
    #[serde(default)]
    resume: bool,
}

impl Waits {
    pub(super) fn duration(&self) -> Option<Duration> {
        self.wait.map(|seconds| Duration::from_secs(u64::from(seconds)).min(LONGEST_WAIT))
    }
}

pub(super) async fn judge(
    State(gateway): State<Shared>,
    caller: axum::Extension<Caller>,
    Parameters(waits): Parameters<Waits>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    if let Some(event) = EventRequest::parse(&body, 1) {
        return happened(&gateway, &event?);
    }
    let arrival = Arrival::of(&headers);
    let once = once(&caller, &headers, &body)?;
    let request = Request::parse_strictly(&body, 1)?;
    let id = request.id.clone();
    let length = body.len();
    // A trial takes longer than others should wait, too.
    let judged = if length <= SHORT && !gateway.bench.tries() {
        judged(&gateway, &caller, request)?
    } else {
        let (gateway, caller) = (Arc::clone(&gateway), caller.0.clone());
        let apart = tokio::task::spawn_blocking(move || judged(&gateway, &caller, request)).await;
        apart.map_err(|_| crate::approvals::ClerkError::Closed)??
    };
    let (mut judged, asked, standing) =
        recorded(&gateway, judged, (&caller, arrival), (once, waits.resume), |judged| {
            answered(id.as_ref(), judged, None)
        })
        .await?;
    let asked = match asked {
        Recorded::Repeated(answer, None) => return Ok(json_text(answer)),
        Recorded::Repeated(_, Some(request)) | Recorded::Asked(request) => Some(request),
        Recorded::Noted => None,
    };
    let Some(mut request) = asked else {
        return Ok(json_text(answered(id.as_ref(), &judged, None)));
    };
    if let Some(wait) = waits.duration() {
        request = held(&gateway, request.id, wait, standing).await?;
        gateway.door.still(&headers)?;
        request = take_up(&gateway, request, &mut judged, &caller).await?;
    }
    Ok(json_text(answered(id.as_ref(), &judged, Some(&request))))
}

/// Judges a call of somebody who asks in words of their own, and takes up what was decided about the very same one before, or in the time that is waited.
pub(super) async fn ruled(
    gateway: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    call: (ToolCall, Arrival),
    wait: Duration,
) -> Result<(Judged, Option<Asked>), Problem> {
    let ruling = ruling(gateway, caller, call).await?.decided(gateway, wait).await?;
    gateway.door.still(headers)?;
    ruling.taken_up(gateway, caller).await
}

/// A call that is judged and recorded; where it asks, with the request about it, which may be decided already. Nothing of that is taken up yet.
pub(super) struct Ruling {
    pub(super) judged: Judged,
    pub(super) asked: Option<Asked>,
    standing: Option<Standing>,
}

/// The first step of [`ruled`].
pub(super) async fn ruling(
    gateway: &Shared,
    caller: &Caller,
    (call, arrival): (ToolCall, Arrival),
) -> Result<Ruling, Problem> {
    let request = Request {
        id: None,
        call,
        mode: None,
        background: Background::default(),
        unknown_fields: Vec::new(),
    };
    let (apart, asking) = (Arc::clone(gateway), caller.clone());
    let apart = tokio::task::spawn_blocking(move || judged(&apart, &asking, request)).await;
    let considered = apart.map_err(|_| crate::approvals::ClerkError::Closed)??;
    let (judged, recorded, standing) =
        recorded(gateway, considered, (caller, arrival), (None, true), |_| String::new()).await?;
    let asked = match recorded {
        Recorded::Repeated(_, asked) => asked,
        Recorded::Asked(asked) => Some(asked),
        Recorded::Noted => None,
    };
    Ok(Ruling { judged, asked, standing })
}

impl Ruling {
    /// Whether the call may go on, as far as it is decided.
    pub(super) fn goes_on(&self) -> bool {
        match self.judged.judgement.decision.verdict {
            Verdict::Allow => true,
            Verdict::Ask => self.asked.as_ref().is_some_and(|asked| asked.status.lets_go_on()),
            Verdict::Deny => false,
        }
    }

    /// Waits for what is not decided, no longer than this.
    pub(super) async fn decided(
        mut self,
        gateway: &Shared,
        wait: Duration,
    ) -> Result<Self, Problem> {
        if let Some(asked) = self.asked.take() {
            self.asked = Some(held(gateway, asked.id, wait, self.standing.take()).await?);
        }
        Ok(self)
    }

    /// Takes up what was decided.
    pub(super) async fn taken_up(
        self,
        gateway: &Shared,
        caller: &Caller,
    ) -> Result<(Judged, Option<Asked>), Problem> {
        let Self { mut judged, asked, standing: _ } = self;
        let Some(asked) = asked else { return Ok((judged, None)) };
        let asked = take_up(gateway, asked, &mut judged, caller).await?;
        Ok((judged, Some(asked)))
    }
}

/// Keeps in mind what happened in a session beside its calls. Whoever may have calls judged is believed in what they say of it, as in where a
/// call comes from.
fn happened(gateway: &Gateway, event: &EventRequest) -> Result<Response, Problem> {
    let noticed = gateway.bench.with(|session| session.happened(event)).map_err(|_| {
        let words = "what happened cannot be kept in mind";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unkept", words)
    })?;
    let answer = EventAnswer::new(event, noticed);
    Ok(json_text(serde_json::to_string(&answer).unwrap_or_default()))
}

/// Judges a call as a hook inside an agent would, and records nothing yet.
fn judged(gateway: &Shared, caller: &Caller, request: Request) -> Result<Judged, Problem> {
    let Request { id: _, call, mode, background: _, unknown_fields: _ } = request;
    let mode = mode.map(|word| word.parse()).transpose();
    let mode = mode.map_err(|error: portcullis_core::policy::NotAMode| {
        Problem::bad_input(error.to_string())
    })?;
    gateway.bench.with(|session| {
        let context = Context { mode, ..Context::default() };
        let judged = session.consider(call, context);
        let mut judged = judged.map_err(|error| Problem::bad_input(error.to_string()))?;
        if judged.action.call.session.is_some() {
            gateway.clerk.read(|store| {
                session.watch_by(&mut judged, store);
                Ok(())
            })?;
        }
        answered_alike(gateway, caller, &mut judged)?;
        #[cfg(target_os = "linux")]
        if let Some(wanted) = evidence::wanted(&judged, TryingGate::Gateway)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let record = Body::new(&wanted.entry(&judged), Timestamp::now());
            let noted = gateway.clerk.take(Step::Note { record, once: None });
            // What cannot be recorded is not tried, and asks as ever.
            if runtime.block_on(noted).is_ok() {
                let _ = wanted.tell(session, &mut judged);
            }
        }
        Ok(judged)
    })
}

/// Lets a call go on that asks and is the like of one that a person approved with its like, for calls with this token: never one that takes two
/// people, or somebody who proved who they are.
fn answered_alike(gateway: &Shared, caller: &Caller, judged: &mut Judged) -> Result<(), Problem> {
    let risk = judged.judgement.assessment.risk;
    let is_for_one = |gateway| rights::needed(gateway, rights::project_of(gateway, caller), risk);
    if judged.judgement.decision.verdict != Verdict::Ask
        || is_for_one(gateway) > 1
        || rights::wants_proof(gateway, risk)
    {
        return Ok(());
    }
    let policy = &judged.regime.configuration.policy;
    let (whose, now) = (Some(caller.name.as_str()), gateway.clerk.now());
    let granted = gateway
        .clerk
        .read(|store| grants::alike(store, &grants::Question { judged, policy, whose, now }))?;
    if let Some(granted) = granted {
        granted.settle(&mut judged.judgement.decision);
    }
    Ok(())
}

/// What was done with a decision.
enum Recorded {
    /// It stands in the record.
    Noted,
    /// It asks, and the request is kept.
    Asked(Asked),
    /// The same was sent before.
    Repeated(String, Option<Asked>),
}

/// When and how a call came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    begun: Begun,
    way: Way,
    trace: Option<Trace>,
}

impl Arrival {
    /// A call that comes now, in the trace that the headers of its request name.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = headers.get(trace::HEADER).and_then(|value| value.to_str().ok());
        Self { begun: Begun::now(), way: Way::Judge, trace: text.and_then(Trace::read) }
    }

    /// A message of MCP, in the trace that it names itself; else in that of its request.
    pub(super) fn of_message(headers: &HeaderMap, trace: Option<Trace>) -> Self {
        let arrival = Self::of(headers);
        Self { way: Way::Mcp, trace: trace.or(arrival.trace), ..arrival }
    }
}

/// Records what was decided, and counts it.
async fn recorded(
    gateway: &Shared,
    mut judged: Judged,
    (caller, arrival): (&Caller, Arrival),
    (once, resumes): (Option<Once>, bool),
    answer: impl Fn(&Judged) -> String,
) -> Result<(Judged, Recorded, Option<Standing>), Problem> {
    let record = Body::new(&judged.entry(), Timestamp::now());
    let told = gateway.telemetry.part(record.entry());
    let recording = Instant::now();
    let project = rights::project_of(gateway, caller);
    let once = once.map(|once| Once { answer: answer(&judged), ..once });
    let asks = judged.judgement.decision.verdict == Verdict::Ask;
    let step = if asks {
        let needed = rights::needed(gateway, project, judged.judgement.assessment.risk);
        let question = Question::about(&judged, &caller.name, needed, gateway.timeout);
        let mut question = question.map_err(|_| {
            Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "no-randomness",
                "the system gives no random numbers",
            )
        })?;
        question.belongs_to(project);
        question.tells = notices::told_of(gateway, &question);
        Step::Ask { question: Box::new(question), record, once, resumes, most: PENDING }
    } else {
        Step::Note { record, once }
    };
    let asked = match &step {
        Step::Ask { question, .. } => Some(question.clone()),
        _ => None,
    };
    let stored = match gateway.clerk.take(step).await {
        Ok(Done::Noted(sequence)) => {
            judged.sequence = Some(sequence);
            match asked {
                Some(question) => {
                    // It was written just now, by this process: nobody waits for it to be read.
                    let request = gateway.clerk.request(question.id)?;
                    let request = request.ok_or_else(|| Problem::unknown("request"))?;
                    gateway.tell(&question);
                    Recorded::Asked(request)
                }
                None => Recorded::Noted,
            }
        }
        Ok(Done::Repeated(answer, Some(id))) => {
            Recorded::Repeated(answer, Some(existing(gateway, id).await?))
        }
        Ok(Done::Repeated(answer, None)) => Recorded::Repeated(answer, None),
        Ok(Done::TooMany) => {
            let words = "as many requests of this token wait for a person as may";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-pending", words);
            return Err(problem.with("most", PENDING.into()).retry_after(30));
        }
        Ok(Done::KeyReused) => {
            return Err(Problem::new(
                StatusCode::CONFLICT,
                "key-reused",
                "this `Idempotency-Key` was used for another call",
            ));
        }
        // Whoever lets calls go on unrecorded has said so; nobody can be asked then.
        Err(_) if judged.regime.configuration.audit.on_failure == OnFailure::Warn && !asks => {
            Recorded::Noted
        }
        Ok(_) => return Err(crate::approvals::ClerkError::Closed.into()),
        Err(error) => {
            gateway.telemetry.unrecorded();
            return Err(error.into());
        }
    };
    if judged.action.call.session.is_some() && !matches!(stored, Recorded::Repeated(..)) {
        gateway.bench.with(|session| session.remember(&mut judged));
    }
    // The same that was sent before was counted then.
    let standing = (!matches!(stored, Recorded::Repeated(_, None))).then(|| {
        let Arrival { begun, way, trace } = arrival;
        let around = Circumstances {
            way,
            id: judged.action.call.id.as_deref(),
            sequence: judged.sequence,
            requester: &caller.name,
            project,
            begun,
            recorded_in: recording.elapsed(),
        };
        gateway.telemetry.judged(&told, &around, trace)
    });
    Ok((judged, stored, standing.flatten()))
}

/// Waits for a decision as [`decided`] does, and says how long that took.
async fn held(
    gateway: &Shared,
    id: Id,
    wait: Duration,
    within: Option<Standing>,
) -> Result<Asked, Problem> {
    let held = gateway.telemetry.holds();
    let request = decided(gateway, id, wait).await?;
    held.until(&request, within);
    Ok(request)
}

/// Waits for a decision, at most so long and no longer than the request holds.
pub(super) async fn decided(gateway: &Shared, id: Id, wait: Duration) -> Result<Asked, Problem> {
    let begun = Instant::now();
    let mut closed = gateway.closed.subscribe();
    // By a clock that nobody can set: one that is turned back makes nothing last longer.
    let mut ends: Option<Instant> = None;
    loop {
        let waiting = gateway.clerk.wait_for(id);
        let request = existing(gateway, id).await?;
        if request.status != Status::Pending || gateway.is_closing() {
            return Ok(request);
        }
        let ends = *ends.get_or_insert_with(|| {
            let left = request.expires.duration_since(gateway.clerk.now());
            Instant::now() + Duration::try_from(left).unwrap_or_default()
        });
        let until = ends.min(begun + wait);
        tokio::select! {
            () = waiting.told() => {}
            _ = closed.changed() => {}
            () = tokio::time::sleep_until(until) => {
                if until < ends {
                    return Ok(request);
                }
                let close = Step::Close {
                    id,
                    status: Status::TimedOut,
                    by: String::new(),
                    reason: "nobody decided in time".to_owned(),
                };
                if let Done::Closed(request, _) = gateway.clerk.take(close).await? {
                    return Ok(*request);
                }
            }
        }
    }
}

pub(super) async fn existing(gateway: &Shared, id: Id) -> Result<Asked, Problem> {
    let found = gateway.read(move |store| store.request(id)).await?;
    found.ok_or_else(|| Problem::unknown("request"))
}

/// Takes an approval up for a caller who waited for it, and says in the decision what came of it. What was put in place of the action
/// is not the action: that one stays refused.
async fn take_up(
    gateway: &Shared,
    request: Asked,
    judged: &mut Judged,
    caller: &Caller,
) -> Result<Asked, Problem> {
    let by = request.approver.as_deref().unwrap_or("the policy");
    let said = request.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (verdict, note) = match request.status {
        Status::Pending => return Ok(request),
        status if status.lets_go_on() && !gateway.bench.with(|session| request.stands(session)) => {
            (Verdict::Deny, Unclaimable::OtherFiles.to_string())
        }
        status if status.lets_go_on() => {
            let claim = Claim {
                id: request.id,
                action: request.runs().to_owned(),
                requester: caller.name.clone(),
                project: rights::project_of(gateway, caller).map(str::to_owned),
            };
            match gateway.clerk.take(Step::Claim(claim)).await? {
                Done::Claimed(claimed) if claimed.modified.is_some() => {
                    let note = format!("{by} approved another action in its place{said}");
                    judged.answered(Verdict::Deny, note);
                    return Ok(*claimed);
                }
                Done::Claimed(claimed) => {
                    judged.answered(Verdict::Allow, format!("approved by {by}{said}"));
                    return Ok(*claimed);
                }
                Done::Unclaimable(why) => (Verdict::Deny, why.to_string()),
                _ => (Verdict::Deny, "its approval cannot be taken up".to_owned()),
            }
        }
        Status::TimedOut => (Verdict::Deny, "nobody decided in time".to_owned()),
        Status::Cancelled => (Verdict::Deny, "it was taken back".to_owned()),
        _ => (Verdict::Deny, format!("denied by {by}{said}")),
    };
    judged.answered(verdict, note);
    Ok(request)
}

fn answered(id: Option<&serde_json::Value>, judged: &Judged, request: Option<&Asked>) -> String {
    let answer = Answer::new(id, &judged.judgement);
    let written = match request {
        None => serde_json::to_string(&answer),
        Some(request) => serde_json::to_string(&JudgedShape {
            answer,
            approval: Some(ApprovalShape::short(request)),
        }),
    };
    // What an answer is made of can always be written.
    written.unwrap_or_default()
}

pub(super) fn json_text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// The key of a call that may be sent twice.
fn once(caller: &Caller, headers: &HeaderMap, body: &[u8]) -> Result<Option<Once>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let is_key = |key: &&str| {
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let key = key.to_str().ok().filter(is_key);
    let key = key.ok_or_else(|| {
        Problem::bad_input("`Idempotency-Key` must be 1 to 255 visible ASCII characters")
    })?;
    Ok(Some(Once {
        token: caller.id,
        key: key.to_owned(),
        digest: data_encoding::HEXLOWER.encode(&Sha256::digest(body)),
        answer: String::new(),
        for_good: false,
    }))
}

pub(super) async fn inspect(body: Bytes) -> Result<Response, Problem> {
    let request = InspectRequest::parse_strictly(&body, 1)?;
    let looked = move || {
        let seen = look_through(&request.text);
        let answer = InspectAnswer::new(request.id.as_ref(), &seen, redacted(&request.text));
        serde_json::to_string(&answer).unwrap_or_default()
    };
    let text = if body.len() <= SHORT {
        looked()
    } else {
        let apart = tokio::task::spawn_blocking(looked).await;
        apart.map_err(|_| crate::approvals::ClerkError::Closed)?
    };
    Ok(json_text(text))
}

/// Judges an action that an approver would put in place of another, under the same policy and by the same caller's facts.
pub(super) fn judge_in_place(gateway: &Gateway, call: ToolCall) -> Result<Judged, Problem> {
    gateway.bench.with(|session: &session::Session| {
        session
            .consider(call, Context::default())
            .map_err(|error| Problem::bad_input(error.to_string()))
    })
}
