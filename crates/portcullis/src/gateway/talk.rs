//! What people do about a request without deciding it, over HTTP: they comment on it, see to it, and put it off. Owns who may, and what is told of it to
//! people; none of it is told to whoever has calls judged.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::redact::redact;
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::Caller,
    approvals::read,
    judge::existing,
    notices::groups,
    problem::{Problem, id},
    rights,
    shapes::written,
};
use crate::{
    approvals::{
        Done, Id, LONGEST_COMMENT, MOST_COMMENTS, Request, Scope, Step, Talk, Tended, Tending,
    },
    wire::VERSION,
};

/// Something to say about a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CommentShape {
    /// What, at most 1,000 bytes. It decides nothing, and no agent is told it.
    #[cfg_attr(test, schemars(extend("pattern" = "\\S"), length(max = 1000)))]
    text: String,
}

/// Who is to see to a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AssignShape {
    /// The name of somebody who decides here, as `/v1/me` tells it; nobody in particular where it is `null`.
    to: Option<String>,
}

/// Until when a request is put off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SnoozeShape {
    /// RFC 3339; no longer where it is `null`. Others see the request as before.
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    until: Option<String>,
}

/// What goes on about a request beside its decision.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TalkShape {
    /// The version of this shape.
    v: u64,
    /// What was said, the oldest first.
    comments: Vec<SaidShape>,
    /// Who sees to it.
    assigned: Option<String>,
    /// Until when whoever asks does not want to see it.
    snoozed: Option<String>,
    /// Which groups may approve it, and from when on: whom it is carried to while nobody decides. None where people come with tokens.
    groups: Vec<GroupShape>,
    /// Who is told of it elsewhere, and who will be.
    told: Vec<ToldShape>,
}

/// A group that may approve a request.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GroupShape {
    /// The group, as a role names it; `*` for everybody who can log in.
    group: String,
    /// From when on.
    since: String,
}

/// A message about a request.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToldShape {
    /// For whom: the name of a receiver of `chat.receivers`.
    receiver: String,
    /// What has become of it: `waiting`, `sent`, `needless` or `dead`.
    state: &'static str,
    /// When it was tried last, or will be first.
    time: String,
    /// Whether its receiver was told before.
    again: bool,
}

/// One comment.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SaidShape {
    /// Who.
    by: String,
    /// When.
    time: String,
    /// What.
    text: String,
    /// The record of it.
    record: u64,
}

/// What goes on about a request.
pub(super) async fn show(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let request = theirs(&gateway, &caller, id(&text)?).await?;
    told(&gateway, &caller, request).await
}

pub(super) async fn comment(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let CommentShape { text } = read(&body)?;
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST_COMMENT {
        let words = format!("`text` must be 1 to {LONGEST_COMMENT} bytes");
        return Err(Problem::bad_input(words));
    }
    let text = redact(text).into_owned();
    tend(&gateway, &caller, id, Tended::Comment(text)).await
}

pub(super) async fn assign(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let AssignShape { to } = read(&body)?;
    if let Some(name) = to.clone() {
        let now = gateway.clerk.now();
        let tokens = gateway.read(move |store| store.tokens_of(&name)).await?;
        let decides = tokens.iter().any(|token| {
            let is_over = token.revoked.is_some() || token.expires.is_some_and(|end| end <= now);
            // A log-in ends, and whoever had it comes back.
            token.scopes.has(Scope::Approve) && (!is_over || token.login.is_some())
        });
        if !decides {
            let words = "`to` must be the name of somebody who decides here";
            return Err(Problem::new(StatusCode::CONFLICT, "decides-nothing", words));
        }
    }
    tend(&gateway, &caller, id, Tended::Assign(to)).await
}

pub(super) async fn snooze(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let SnoozeShape { until } = read(&body)?;
    let until = until.map(|text| text.parse::<Timestamp>()).transpose();
    let until = until.map_err(|_| Problem::bad_input("`until` must be a time, RFC 3339"))?;
    if until.is_some_and(|until| until <= gateway.clerk.now()) {
        return Err(Problem::new(StatusCode::CONFLICT, "over", "`until` is over"));
    }
    tend(&gateway, &caller, id, Tended::Snooze(until)).await
}

/// A request that somebody sees.
async fn theirs(gateway: &Shared, caller: &Caller, id: Id) -> Result<Request, Problem> {
    let request = existing(gateway, id).await?;
    let sees = rights::seen(gateway, caller).await?.has(&request);
    if sees { Ok(request) } else { Err(Problem::unknown("request")) }
}

async fn tend(
    gateway: &Shared,
    caller: &Caller,
    id: Id,
    what: Tended,
) -> Result<Response, Problem> {
    let request = theirs(gateway, caller, id).await?;
    let tending = Tending { id, by: caller.name.clone(), what };
    match gateway.clerk.take(Step::Tend(tending)).await? {
        Done::Noted(_) => told(gateway, caller, request).await,
        Done::Closed(request, _) => {
            let words = format!("it was decided before: {}", request.status);
            Err(Problem::new(StatusCode::CONFLICT, "decided", words))
        }
        Done::TooMany => {
            let words = format!("a request has at most {MOST_COMMENTS} comments");
            Err(Problem::new(StatusCode::CONFLICT, "too-many", words))
        }
        _ => Err(Problem::unknown("request")),
    }
}

async fn told(gateway: &Shared, caller: &Caller, request: Request) -> Result<Response, Problem> {
    let groups = groups(&gateway.team, &request).into_iter();
    let groups =
        groups.map(|(group, since)| GroupShape { group: group.to_owned(), since: written(since) });
    let groups = groups.collect();
    let (talk, notices) = gateway
        .read(move |store| Ok((store.talk(&request)?, store.notices_of(request.id)?)))
        .await?;
    let Talk { comments, assigned, snoozed } = talk;
    let now = gateway.clerk.now();
    let told = notices.into_iter().map(|notice| ToldShape {
        state: notice.state.name(),
        time: written(notice.tried.unwrap_or(notice.due)),
        again: notice.is_again(),
        receiver: notice.receiver,
    });
    let own = snoozed.into_iter().find(|(name, until)| *name == caller.name && *until > now);
    let comments = comments.into_iter().map(|one| SaidShape {
        by: one.by,
        time: written(one.time),
        text: one.text,
        record: one.record,
    });
    let shape = TalkShape {
        v: VERSION,
        comments: comments.collect(),
        assigned,
        snoozed: own.map(|(_, until)| written(until)),
        groups,
        told: told.collect(),
    };
    Ok(Json(shape).into_response())
}
