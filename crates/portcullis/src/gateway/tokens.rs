//! Tokens and log-ins. Owns how a token comes to be and ends, and how a browser gets a session of its own from one.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{ConnectInfo, Path, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::authority::Duty;
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;

use super::{
    Shared,
    access::{Caller, Who},
    approvals::read,
    chat, is_name,
    problem::{Problem, id, no_randomness},
    rights,
    shapes::{NewTokenShape, TokenShape},
};
use crate::{
    approvals::{Done, Holder, Id, Scope, Scopes, Secret, Step, Token},
    audit::{Body, Entry},
    wire::VERSION,
};

/// How long a browser stays logged in.
const LOGGED_IN: SignedDuration = SignedDuration::from_hours(12);

pub(super) async fn list(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let tokens = gateway.read(|store| store.tokens()).await?;
    let tokens: Vec<TokenShape> = tokens.iter().map(|token| TokenShape::of(token, None)).collect();
    Ok(Json(json!({ "v": VERSION, "tokens": tokens })).into_response())
}

pub(super) async fn make(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let NewTokenShape { name, scopes, expires_in } = read(&body)?;
    if !is_name(&name) {
        return Err(Problem::bad_input(
            "`name` must be 1 to 64 letters, digits, `-`, `_`, `.` or `@`",
        ));
    }
    rights::over_all(&gateway, &caller, Duty::Admin)?;
    let scopes: Result<Vec<Scope>, _> = scopes.iter().map(|word| word.parse()).collect();
    let scopes = scopes.map_err(|error| Problem::bad_input(error.to_string()))?;
    let scopes = Scopes::of(scopes).ok_or_else(|| {
        Problem::bad_input(
            "a token has `judge`, or some of `approve`, `read`, `admin`: who asks cannot approve",
        )
    })?;
    let is_person = scopes.has(Scope::Approve) || scopes.has(Scope::Admin);
    if is_person && gateway.team.login.is_some() {
        let detail = "people log in as themselves here: a token has `judge` or `read`";
        return Err(Problem::new(StatusCode::FORBIDDEN, "people-log-in", detail));
    }
    let now = Timestamp::now();
    let lasts = expires_in.map(|seconds| SignedDuration::from_secs(i64::from(seconds)));
    let expires = lasts.and_then(|lasts| now.checked_add(lasts).ok());
    let (secret, token) = fresh(name, Holder::Api, scopes, expires, false)?;
    admit(&gateway, &secret, &token, &caller.name, "made a token", "").await?;
    let shape = TokenShape::of(&token, Some(secret.reveal().to_owned()));
    Ok((StatusCode::CREATED, Json(shape)).into_response())
}

pub(super) async fn revoke(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    rights::over_all(&gateway, &caller, Duty::Admin)?;
    let ended = id(&text)?;
    let all = gateway.read(|store| store.tokens()).await?;
    end(&gateway, ended, &caller.name).await?;
    // Nor do they speak in a chat any more.
    if let Some(named) = all.iter().find(|token| token.id == ended) {
        chat::end_of(&gateway, &named.name, &caller.name).await?;
    }
    // Whoever logged in with it is not in any more: a browser's session says whose it is, and not by which of their tokens.
    let named = all.iter().find(|token| token.id == ended && token.holder == Holder::Api);
    for session in all.iter().filter(|token| {
        token.holder == Holder::Browser
            && token.holds(Timestamp::now())
            && named.is_some_and(|named| named.name == token.name)
    }) {
        end(&gateway, session.id, &caller.name).await?;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn end(gateway: &Shared, id: Id, by: &str) -> Result<(), Problem> {
    let entry = Entry::change(by, "ended a token", id.to_string());
    let record = Body::new(&entry, Timestamp::now());
    let done = gateway.clerk.take(Step::Revoke { id, record }).await?;
    gateway.door.forget();
    match done {
        Done::Revoked(_) => Ok(()),
        _ => Err(Problem::unknown("token")),
    }
}

pub(super) fn fresh(
    name: String,
    holder: Holder,
    scopes: Scopes,
    expires: Option<Timestamp>,
    made_here: bool,
) -> Result<(Secret, Token), Problem> {
    let secret = Secret::random().map_err(|_| no_randomness())?;
    let id = Id::random().map_err(|_| no_randomness())?;
    let created = Timestamp::now();
    let (revoked, proof, login) = (None, None, None);
    let token =
        Token { id, name, holder, scopes, created, expires, revoked, proof, login, made_here };
    Ok((secret, token))
}

/// What only our own page is to know beside its cookie.
pub(super) fn proof() -> Result<Secret, Problem> {
    Secret::random().map_err(|_| no_randomness())
}

/// The cookie of a session.
pub(super) fn session_cookie(gateway: &Shared, secret: &str, lasts: SignedDuration) -> String {
    let place = &gateway.place;
    format!("{}={secret}{}", place.cookie(), place.attributes(true, lasts.as_secs()))
}

/// Keeps a token, and records it with words beside what it lets its holder do.
pub(super) async fn admit(
    gateway: &Shared,
    secret: &Secret,
    token: &Token,
    by: &str,
    what: &str,
    more: &str,
) -> Result<(), Problem> {
    let subject = if more.is_empty() { format!("`{}`", token.name) } else { more.to_owned() };
    let words = format!("{subject}: {}", token.scopes);
    let record = Body::new(&Entry::change(by, what, words), token.created);
    let step = Step::Admit { token: token.clone(), hash: secret.hash(), record };
    gateway.clerk.take(step).await?;
    gateway.door.forget();
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogIn {
    token: String,
}

/// A browser's own session, for the holder of a token. No page can read the cookie; but a browser sends it to every port of the host, so that
/// it is worth nothing without what this answer alone says, and only our own page can keep.
pub(super) async fn log_in(
    State(gateway): State<Shared>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    body: Bytes,
) -> Result<Response, Problem> {
    let LogIn { token } = read(&body)?;
    let with = gateway.door.log_in(token.trim(), peer)?;
    let ends = Timestamp::now().checked_add(LOGGED_IN).ok();
    let expires = match (ends, with.expires) {
        (Some(ends), Some(token)) => Some(ends.min(token)),
        (ends, token) => ends.or(token),
    };
    let (secret, token) = fresh(with.name, Holder::Browser, with.scopes, expires, with.made_here)?;
    let proof = proof()?;
    let token = Token { proof: Some(proof.hash()), ..token };
    admit(&gateway, &secret, &token, &token.name, "logged in", "").await?;
    let mut response =
        Json(me(&token.name, None, token.scopes, Some(proof.reveal()))).into_response();
    let cookie = session_cookie(&gateway, secret.reveal(), LOGGED_IN);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

pub(super) async fn log_out(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    if caller.holder == Holder::Browser {
        end(&gateway, caller.id, &caller.name).await?;
    }
    let is_person = matches!(caller.who, Who::Person(_));
    // Who logged out here alone would be in again without a word.
    let way_out = match gateway.people.as_ref().filter(|_| is_person) {
        Some(people) => Box::pin(people.way_out(&gateway.place.page(""))).await,
        None => None,
    };
    let mut response = match way_out {
        Some(page) => Json(json!({ "v": VERSION, "leave": page })).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    };
    let gone = session_cookie(&gateway, "", SignedDuration::ZERO);
    if let Ok(gone) = HeaderValue::from_str(&gone) {
        response.headers_mut().insert(header::SET_COOKIE, gone);
    }
    Ok(response)
}

/// Who asks, and what they may do.
pub(super) async fn whoami(Extension(caller): Extension<Caller>) -> Response {
    let shown = match &caller.who {
        Who::Person(login) => Some(login.shown.as_str()),
        Who::Token | Who::Workload(_) => None,
    };
    Json(me(&caller.name, shown, caller.scopes, None)).into_response()
}

fn me(name: &str, shown: Option<&str>, scopes: Scopes, csrf: Option<&str>) -> Value {
    let mut shape = json!({
        "v": VERSION,
        "name": name,
        "scopes": scopes.names().collect::<Vec<_>>(),
    });
    for (key, value) in [("csrf", csrf), ("shown", shown)] {
        if let (Some(value), Some(object)) = (value, shape.as_object_mut()) {
            object.insert(key.to_owned(), json!(value));
        }
    }
    shape
}
