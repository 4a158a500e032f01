//! That an account of a chat speaks for somebody. Owns the code by which it comes to, which is shown to whoever is logged in and brought from the chat, once
//! and soon: whoever is logged in says by it which account is theirs, and nobody else can.

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::authority::Duty;
use serde_json::{Value, json};

use super::{
    super::{
        Shared,
        access::Caller,
        notices::Slack,
        problem::{Problem, id, no_randomness},
        rights,
        shapes::written,
    },
    Standing,
};
use crate::{
    approvals::{Account, Done, Id, Link, Scope, Step, hash_of},
    audit::{Body, Entry},
    wire::VERSION,
};

/// How long a code can be used.
const LASTS: SignedDuration = SignedDuration::from_mins(10);

/// Shows somebody a code for the chat.
pub(in crate::gateway) async fn begin(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    if gateway.receivers.slack.is_none() {
        let words =
            "no chat is set up in which anybody decides: see `chat.slack` of the configuration";
        return Err(Problem::new(StatusCode::CONFLICT, "no-chat", words));
    }
    let code = Id::random().map_err(|_| no_randomness())?.to_string();
    let now = gateway.clerk.now();
    let expires = now.checked_add(LASTS);
    let expires = expires.map_err(|error| Problem::bad_input(error.to_string()))?;
    let link = Link {
        id: Id::random().map_err(|_| no_randomness())?,
        name: caller.name.clone(),
        expires,
        account: None,
        linked: None,
        ended: None,
    };
    let entry = Entry::change(&caller.name, "was shown a code for a chat", link.id.to_string());
    let record = Body::new(&entry, now);
    gateway.clerk.take(Step::BeginLink { link, code: hash_of(&code), record }).await?;
    let shape = json!({
        "v": VERSION, "code": code, "command": format!("/portcullis link {code}"), "expires": written(expires),
    });
    Ok((StatusCode::CREATED, Json(shape)).into_response())
}

/// Brings a code from an account; what they are told there.
pub(super) async fn bring(gateway: &Shared, account: Account, code: &str) -> String {
    let step = Step::Link { code: hash_of(code), account };
    match gateway.clerk.take(step).await {
        Ok(Done::Linked(Some(link))) => {
            format!("From now on you speak for {} here, with what they may do.", link.name)
        }
        Ok(_) => format!(
            "There is no such code, or it was used, or it is too old. A new one is at {}",
            gateway.place.page("#/chat")
        ),
        Err(_) => "Nothing can be recorded just now: try again later.".to_owned(),
    }
}

/// The accounts of whoever asks; of everybody for who administers.
pub(in crate::gateway) async fn list(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    let all = gateway.read(|store| store.links()).await?;
    let sees_all = caller.scopes.has(Scope::Admin);
    let seen = all.iter().filter(|link| sees_all || link.name == caller.name);
    let links: Vec<Value> = seen.map(shape).collect();
    let is_set_up = gateway.receivers.slack.is_some();
    let up_to = gateway.receivers.up_to.name();
    // On a connection of ours, where there is to be one; why not is for who administers.
    let has_socket = gateway.receivers.slack.as_ref().is_some_and(Slack::has_socket);
    let socket = has_socket.then(|| {
        let Standing { connected, trouble } = gateway.ear.standing();
        json!({ "connected": connected, "trouble": trouble.filter(|_| sees_all) })
    });
    let shape = json!({ "v": VERSION, "slack": is_set_up, "up_to": up_to, "socket": socket, "links": links });
    Ok(Json(shape).into_response())
}

fn shape(link: &Link) -> Value {
    let Link { id, name, account, linked, .. } = link;
    let account = account.as_ref();
    json!({
        "id": id.to_string(), "name": name, "team": account.map(|one| &one.team), "user": account.map(|one| &one.user),
        "linked": linked.map(written),
    })
}

/// Ends a link: whose it is, and who administers.
pub(in crate::gateway) async fn end(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let all = gateway.read(|store| store.links()).await?;
    let Some(link) = all.iter().find(|link| link.id == id) else {
        return Err(Problem::unknown("link"));
    };
    if link.name != caller.name {
        if !caller.scopes.has(Scope::Admin) {
            return Err(Problem::unknown("link"));
        }
        rights::over_all(&gateway, &caller, Duty::Admin)?;
    }
    ended(&gateway, link, &caller.name).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Ends every link of somebody whose token was ended.
pub(in crate::gateway) async fn end_of(
    gateway: &Shared,
    name: &str,
    by: &str,
) -> Result<(), Problem> {
    let all = gateway.read(|store| store.links()).await?;
    for link in all.iter().filter(|link| link.name == name) {
        ended(gateway, link, by).await?;
    }
    Ok(())
}

async fn ended(gateway: &Shared, link: &Link, by: &str) -> Result<(), Problem> {
    let user = link.account.as_ref().map(|account| account.user.as_str()).unwrap_or_default();
    let words = format!("{user} spoke for {}", link.name);
    let record = Body::new(&Entry::change(by, "ended a link of a chat", words), Timestamp::now());
    gateway.clerk.take(Step::EndLink { id: link.id, record }).await?;
    Ok(())
}
