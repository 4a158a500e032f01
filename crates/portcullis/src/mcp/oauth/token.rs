//! The place that gives tokens. Owns what is sent there and what counts for a token.

use std::time::Duration;

use jiff::Timestamp;
use portcullis_net::Response;
use serde_json::{Map, Value};

use super::{OAuthError, kept::Kept};
use crate::oauth::{Web, is_token, object, words};

const WHAT: &str = "the place that gives tokens";

/// How long a token holds of which nobody says for how long.
const UNSAID: u64 = 3_600;

/// The longest that is believed.
const LONGEST_LIFE: u64 = 366 * 24 * 3_600;

/// What was given.
pub(super) struct Given {
    pub(super) access: String,
    pub(super) refresh: Option<String>,
    pub(super) expires: Timestamp,
    pub(super) scope: Option<String>,
}

/// Why nothing was given.
pub(super) enum NotGiven {
    /// What was brought counts no more.
    Ended(String),
    /// Anything else.
    Error(OAuthError),
}

/// Brings something, for a token.
pub(super) async fn given(
    web: &Web,
    kept: &Kept,
    pairs: &[(&str, &str)],
) -> Result<Given, NotGiven> {
    let mut all = pairs.to_vec();
    // For this server, whoever else takes tokens of the same issuer.
    all.push(("resource", &kept.resource));
    let answer = sent(web, kept, &kept.token_endpoint, &all).await.map_err(NotGiven::Error)?;
    let members = object(WHAT, &answer).map_err(NotGiven::Error)?;
    match answer.status {
        200 => read(&members).map_err(NotGiven::Error),
        _ => {
            let code = members.get("error").and_then(Value::as_str).unwrap_or_default();
            let said = members.get("error_description").and_then(Value::as_str).unwrap_or_default();
            let why = words(&format!("{code} {said} (status {})", answer.status));
            Err(match code {
                "invalid_grant" | "invalid_client" | "unauthorized_client" => NotGiven::Ended(why),
                _ => NotGiven::Error(OAuthError::Refused(why)),
            })
        }
    }
}

/// Sends a form, as the client that was registered.
pub(super) async fn sent(
    web: &Web,
    kept: &Kept,
    url: &str,
    pairs: &[(&str, &str)],
) -> Result<Response, OAuthError> {
    crate::oauth::sent(web, WHAT, kept.client(), url, pairs).await
}

fn read(members: &Map<String, Value>) -> Result<Given, OAuthError> {
    let no = |why: &str| OAuthError::Answer { what: WHAT, why: why.to_owned() };
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let access = text("access_token").filter(|token| is_token(token));
    let access = access.ok_or_else(|| no("it gave no `access_token` that is one"))?.to_owned();
    if !text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")) {
        return Err(no("the token is of a kind that is not known here"));
    }
    let refresh = match members.get("refresh_token") {
        None | Some(Value::Null) => None,
        Some(Value::String(token)) if is_token(token) => Some(token.clone()),
        Some(_) => return Err(no("its `refresh_token` is none")),
    };
    let life = match members.get("expires_in") {
        None | Some(Value::Null) => UNSAID,
        Some(life) => life.as_u64().ok_or_else(|| no("its `expires_in` is no number"))?,
    };
    let life = Duration::from_secs(life.min(LONGEST_LIFE));
    let expires = Timestamp::now().checked_add(life).map_err(|error| no(&error.to_string()))?;
    Ok(Given { access, refresh, expires, scope: text("scope").map(str::to_owned) })
}
