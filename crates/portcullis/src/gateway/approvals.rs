//! Requests for approval over HTTP: who waits, what they are, and the word of a person on them. Owns what may be put in place of an action;
//! whose word counts, the core says.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use portcullis_core::{
    approval::{Refusal, Status},
    redact::redact,
    risk::{Risk, Severity},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    Shared,
    access::Caller,
    inbox,
    judge::{Waits, decided, existing, judge_in_place},
    problem::{Parameters, Problem, id},
    rights,
    shapes::{ApprovalShape, ClaimShape, CountShape, DecisionShape, InPlaceShape, ManyShape, Word},
};
use crate::{
    approvals::{
        Claim, Done, Id, Modified, NotInPlace, Reply, Request, Step, call_in_place, put_in_place,
    },
    audit::Entry,
    config::suggestion,
    grants::{self, Breadth, Grant},
    wire::VERSION,
};

/// How many requests are decided at once.
const TOGETHER: usize = 256;

/// The longest reason that a person gives.
const LONGEST_REASON: usize = 1_000;

/// What came, as JSON of a shape; said in words where it is not.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut value = crate::wire::parse(body, 1)?;
    whole_numbers(&mut value);
    serde_json::from_value(value).map_err(|error| {
        let message = error.to_string();
        Problem::bad_input(match suggestion(&message) {
            Some(help) => format!("{message}: {help}"),
            None => message,
        })
    })
}

/// Numbers of the fields themselves, which JSON and its schemas let write as `2.0` too. Inside of what they hold, nothing is another than it was sent.
fn whole_numbers(value: &mut Value) {
    for field in value.as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        let whole = field.as_f64().filter(|number| field.is_f64() && number.fract() == 0.0);
        if let Some(whole) = whole.and_then(|number| format!("{number:.0}").parse::<i64>().ok()) {
            *field = whole.into();
        }
    }
}

pub(super) async fn show(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    Parameters(waits): Parameters<Waits>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let request = existing(&gateway, id).await?;
    if !rights::seen(&gateway, &caller).await?.has(&request) {
        return Err(Problem::unknown("request"));
    }
    let request = match waits.duration() {
        Some(wait) if request.status == Status::Pending => {
            let request = decided(&gateway, id, wait).await?;
            gateway.door.still(&headers)?;
            request
        }
        _ => request,
    };
    Ok(Json(ApprovalShape::whole(&request)).into_response())
}

pub(super) async fn decide(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let DecisionShape { decision, reason, action, modified, alike } = read(&body)?;
    let approves = decision == Word::Approve;
    let said = Said { approves, action, reason, modified, alike };
    let request = say(&gateway, &caller, id, said).await?;
    Ok(Json(ApprovalShape::short(&request)).into_response())
}

/// What somebody says about a request.
pub(super) struct Said {
    pub(super) approves: bool,
    /// The hash of the action that they were shown, where they say it.
    pub(super) action: Option<String>,
    pub(super) reason: Option<String>,
    /// What they put in its place.
    pub(super) modified: Option<InPlaceShape>,
    /// How far the like of it goes on with it.
    pub(super) alike: Option<Breadth>,
}

/// The word of somebody on a request, wherever they say it: on the page, over HTTP, in a chat. What it is once their word counted.
pub(super) async fn say(
    gateway: &Shared,
    caller: &Caller,
    id: Id,
    Said { approves, action, reason, modified, alike }: Said,
) -> Result<Request, Problem> {
    let request = existing(gateway, id).await?;
    let right = rights::to_decide(gateway, caller, &request, approves).await?;
    let alike = match alike {
        Some(_) if !approves || modified.is_some() => {
            let words = "`alike` is for the approval of the action itself";
            return Err(Problem::bad_input(words));
        }
        Some(breadth) => Some(its_like(gateway, caller, &request, breadth)?),
        None => None,
    };
    let modified = match modified {
        Some(call) if approves => Some(in_place(gateway, &request, call)?),
        Some(_) => return Err(Problem::bad_input("a denial puts nothing in place of the action")),
        None if approves && !request.is_shown_whole() => return Err(not_whole(&request)),
        None => None,
    };
    if let Some((_, entry)) = &modified {
        // What is put in its place may do something else, of which they have no say.
        let mut changed = request.clone();
        if let Some(details) = changed.details.as_object_mut() {
            details.insert("class".to_owned(), json!(entry.class));
        }
        rights::to_decide(gateway, caller, &changed, approves).await?;
    }
    let reply = Reply {
        id,
        approver: caller.name.clone(),
        origin: caller.origin.to_owned(),
        approves,
        action: action.unwrap_or_else(|| request.action.clone()),
        reason: reason.map(|reason| told(&reason)),
        modified,
        right,
        counts: caller.counts,
    };
    match gateway.clerk.take(Step::Answer(Box::new(reply))).await? {
        Done::Answered(request, None) => {
            gateway.telemetry.answered(&request);
            if let Some(step) = alike {
                gateway.clerk.take(step).await?;
            }
            Ok(*request)
        }
        Done::Answered(request, Some(refusal)) => Err(refused(&refusal, &request)),
        _ => Err(Problem::unknown("request")),
    }
}

/// What keeps that the like of a request goes on with it.
fn its_like(
    gateway: &Shared,
    caller: &Caller,
    request: &Request,
    breadth: Breadth,
) -> Result<Step, Problem> {
    let refused = |why: String| Problem::new(StatusCode::FORBIDDEN, "not-alike", why);
    if rights::wants_proof(gateway, request.risk) {
        let why = "whoever approves this proves who they are each time";
        return Err(refused(why.to_owned()));
    }
    let now = gateway.clerk.now();
    let (grant, answer) = Grant::of_request(request, breadth, &caller.name, now)
        .map_err(|error| refused(error.to_string()))?;
    Ok(grants::kept(&grant, answer, now))
}

/// The same word on many requests: the inbox is emptied by a person who has seen it.
pub(super) async fn decide_many(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let ManyShape { decision, reason, ids, alike } = read(&body)?;
    let approves = decision == Word::Approve;
    let reason = reason.as_deref().map(told);
    let requests = match (ids, alike) {
        (Some(_), Some(_)) => {
            return Err(Problem::bad_input("say one of `ids` and `alike`"));
        }
        (Some(texts), None) => {
            let ids: Vec<Id> = texts.iter().map(|text| id(text)).collect::<Result<_, _>>()?;
            let mut found = Vec::with_capacity(ids.len());
            for id in ids {
                found.extend(existing(&gateway, id).await.ok());
            }
            found
        }
        (None, _) if approves => {
            return Err(Problem::bad_input("`ids` is missing: only a denial is for all that wait"));
        }
        (None, alike) => {
            let alike = alike.as_deref().map(id).transpose()?;
            inbox::all_waiting(&gateway, &caller, alike).await?
        }
    };
    let mut decided = 0;
    for some in requests.chunks(TOGETHER) {
        // Together, so that they share commits.
        let mut said = JoinSet::new();
        for request in some {
            if approves && !(request.is_shown_whole() && is_for_many(request.risk)) {
                continue;
            }
            let Ok(right) = rights::to_decide(&gateway, &caller, request, approves).await else {
                continue;
            };
            let reply = Reply {
                id: request.id,
                approver: caller.name.clone(),
                origin: caller.origin.to_owned(),
                approves,
                action: request.action.clone(),
                reason: reason.clone(),
                modified: None,
                right,
                counts: caller.counts,
            };
            let clerk = gateway.clerk.clone();
            said.spawn(async move { clerk.take(Step::Answer(Box::new(reply))).await });
        }
        while let Some(done) = said.join_next().await {
            let done = done.map_err(|_| crate::approvals::ClerkError::Closed)??;
            if let Done::Answered(request, None) = done {
                gateway.telemetry.answered(&request);
                decided += 1;
            }
        }
    }
    Ok(Json(CountShape { v: VERSION, decided }).into_response())
}

/// Whether what has this risk is approved with others at once: what is graver, somebody looks at by itself.
fn is_for_many(risk: Risk) -> bool {
    risk.severity().is_some_and(|severity| severity <= Severity::Medium)
}

pub(super) async fn claim(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let ClaimShape { action } = read(&body)?;
    let request = existing(&gateway, id).await?;
    // Nobody else learns whether anything changed.
    if request.requester == caller.name && !gateway.bench.with(|session| request.stands(session)) {
        let why = crate::approvals::Unclaimable::OtherFiles.to_string();
        return Err(Problem::new(StatusCode::CONFLICT, "not-to-be-claimed", why));
    }
    let project = rights::project_of(&gateway, &caller).map(str::to_owned);
    let claim = Claim { id, action, requester: caller.name.clone(), project };
    match gateway.clerk.take(Step::Claim(claim)).await? {
        Done::Claimed(request) => Ok(Json(ApprovalShape::short(&request)).into_response()),
        Done::Unclaimable(crate::approvals::Unclaimable::OtherRequester) => {
            Err(Problem::unknown("request"))
        }
        Done::Unclaimable(why) => {
            Err(Problem::new(StatusCode::CONFLICT, "not-to-be-claimed", why.to_string()))
        }
        _ => Err(Problem::unknown("request")),
    }
}

pub(super) async fn cancel(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let request = existing(&gateway, id).await?;
    if request.requester != caller.name {
        return Err(Problem::unknown("request"));
    }
    let close = Step::Close {
        id,
        status: Status::Cancelled,
        by: caller.name,
        reason: "taken back by whoever asked".to_owned(),
    };
    match gateway.clerk.take(close).await? {
        Done::Closed(request, true) => Ok(Json(ApprovalShape::short(&request)).into_response()),
        Done::Closed(request, false) => Err(refused(&Refusal::Decided(request.status), &request)),
        _ => Err(Problem::unknown("request")),
    }
}

/// Why a word did not count, with the request as it is.
fn refused(refusal: &Refusal, request: &Request) -> Problem {
    let (status, code) = match refusal {
        Refusal::Decided(_) => (StatusCode::CONFLICT, "decided"),
        Refusal::TimedOut => (StatusCode::CONFLICT, "timed-out"),
        Refusal::OtherAction => (StatusCode::CONFLICT, "other-action"),
        Refusal::SaidAlready => (StatusCode::CONFLICT, "said-already"),
        Refusal::OwnRequest => (StatusCode::FORBIDDEN, "own-request"),
        Refusal::Changed => (StatusCode::FORBIDDEN, "two-people"),
        Refusal::MadeByOne => (StatusCode::FORBIDDEN, "made-by-one"),
        _ => (StatusCode::BAD_REQUEST, "no-answer"),
    };
    let shape = serde_json::to_value(ApprovalShape::short(request)).unwrap_or_default();
    Problem::new(status, code, refusal.to_string()).with("approval", shape)
}

/// Nobody agrees to what nobody could read.
fn not_whole(request: &Request) -> Problem {
    let words = "it is too long to be shown whole, so that nobody can approve it: deny it, or put something shorter in its place";
    let shape = serde_json::to_value(ApprovalShape::short(request)).unwrap_or_default();
    Problem::new(StatusCode::FORBIDDEN, "not-shown-whole", words).with("approval", shape)
}

fn told(reason: &str) -> String {
    let end = reason.floor_char_boundary(LONGEST_REASON);
    redact(reason.get(..end).unwrap_or_default()).into_owned()
}

/// The action that an approver puts in place of the one that was asked about: judged like every other, and not to be had where the policy
/// denies it.
fn in_place(
    gateway: &Shared,
    request: &Request,
    call: InPlaceShape,
) -> Result<(Modified, Entry), Problem> {
    let InPlaceShape { tool, arguments } = call;
    let tool = tool.unwrap_or_else(|| request.tool.clone());
    let call = call_in_place(request, tool, arguments).map_err(|error| not_in_place(&error))?;
    let judged = judge_in_place(gateway, call)?;
    put_in_place(request.risk, &judged).map_err(|error| not_in_place(&error))
}

fn not_in_place(error: &NotInPlace) -> Problem {
    let (status, code) = match error {
        NotInPlace::Secret => (StatusCode::UNPROCESSABLE_ENTITY, "secret"),
        NotInPlace::TwoPeople => (StatusCode::FORBIDDEN, "two-people"),
        NotInPlace::Riskier => (StatusCode::FORBIDDEN, "riskier"),
        NotInPlace::Denied { .. } => (StatusCode::FORBIDDEN, "denied"),
    };
    let problem = Problem::new(status, code, error.to_string());
    match error {
        NotInPlace::Denied { rules, .. } => problem.with("findings", json!(rules)),
        _ => problem,
    }
}
