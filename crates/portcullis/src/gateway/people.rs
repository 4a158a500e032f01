//! People who come from their company's login, and who decides for whom. Owns the pages on the way in, what a browser keeps on it, and the routes about
//! people; what a login proves, [`crate::identity`] says.

use std::net::SocketAddr;

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{ConnectInfo, Path, Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared,
    access::{Caller, Who, cookie},
    approvals::read,
    problem::{Problem, Told, id, no_randomness},
    roles, tokens,
};
use crate::{
    approvals::{Delegation, Done, Holder, Id, Scope, Step},
    audit::{Body, Entry},
    identity::{Back, Begun, Entered, IdentityError, PATIENCE, People},
    wire::VERSION,
};

/// The longest that somebody decides in somebody else's place.
const LONGEST_GIVEN: u32 = 14 * 24;

/// How many logins are on their way at once: each asks the issuer.
pub(super) const AT_ONCE: usize = 16;

/// The longest place in the page that somebody comes back to.
const LONGEST_PLACE: usize = 200;

const HTML: &str = "text/html; charset=utf-8";

/// The pages on the way in. They are opened from elsewhere, as a whole page: what they do, the cookie of the same browser proves.
pub(super) fn doors() -> Router<Shared> {
    Router::new().route("/login", get(begin)).route("/login/back", get(back))
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    anew: Option<String>,
    #[serde(default)]
    place: Option<String>,
}

async fn begin(State(gateway): State<Shared>, Query(wanted): Query<Wanted>) -> Response {
    let begun = Box::pin(begun(&gateway, wanted)).await;
    begun.unwrap_or_else(|why| shut(&gateway, why))
}

async fn begun(gateway: &Shared, wanted: Wanted) -> Result<Response, Shut> {
    let people = people(gateway)?;
    let _one = gateway.logins.try_acquire().map_err(|_| Shut::busy())?;
    let step = gateway.team.step_up.as_ref().filter(|_| wanted.anew.is_some());
    let place = wanted.place.filter(|place| is_place(place)).unwrap_or_default();
    let redirect = gateway.place.page("login/back");
    let (page, begun) = people.begin(&redirect, step, place, Timestamp::now()).await?;
    // It is made of texts and a number.
    let kept = serde_json::to_vec(&begun).unwrap_or_default();
    let cookie = format!(
        "{}={}{}",
        gateway.place.login_cookie(),
        data_encoding::BASE64URL_NOPAD.encode(&kept),
        gateway.place.attributes(false, PATIENCE.as_secs())
    );
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    let there = HeaderValue::from_str(&page)
        .map_err(|_| Shut::new("the page to log in at has no address"))?;
    headers.insert(header::LOCATION, there);
    set(headers, &cookie);
    Ok(response)
}

async fn back(
    State(gateway): State<Shared>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    back: Result<Query<Back>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let entered = entered(&gateway, back.map(|Query(back)| back).ok(), &headers);
    let mut response = match Box::pin(entered).await {
        Ok(response) => response,
        Err(why) => {
            // Who is refused hears why in any case.
            let _ = gateway.door.refused(peer.ip(), "refused a log-in by the company's login");
            shut(&gateway, why)
        }
    };
    // Once, whatever came of it.
    let gone = format!("{}={}", gateway.place.login_cookie(), gateway.place.attributes(false, 0));
    set(response.headers_mut(), &gone);
    response
}

async fn entered(
    gateway: &Shared,
    back: Option<Back>,
    headers: &HeaderMap,
) -> Result<Response, Shut> {
    let people = people(gateway)?;
    let back = back.ok_or_else(|| Shut::new("what the browser brought back cannot be read"))?;
    let kept = cookie(headers, &gateway.place.login_cookie());
    let kept = kept.and_then(|text| data_encoding::BASE64URL_NOPAD.decode(text.as_bytes()).ok());
    let begun: Option<Begun> = kept.and_then(|kept| serde_json::from_slice(&kept).ok());
    let begun = begun
        .ok_or_else(|| Shut::new("no login was begun in this browser, or it took too long"))?;
    let _one = gateway.logins.try_acquire().map_err(|_| Shut::busy())?;
    let redirect = gateway.place.page("login/back");
    let step = gateway.team.step_up.as_ref();
    let who = people.finish(&begun, back, &redirect, step, Timestamp::now()).await?;
    let Some(scopes) = roles::scopes(&gateway.team, &who.login.groups) else {
        return Err(Shut::new("you are known, and none of your groups may do anything here"));
    };
    let Entered { name, login } = who;
    let words = format!("`{}` is shown as {}", name, login.shown);
    let stays = SignedDuration::try_from(people.login().stays).unwrap_or(SignedDuration::ZERO);
    let expires = Timestamp::now().checked_add(stays).ok();
    let (secret, mut token) = tokens::fresh(name, Holder::Browser, scopes, expires, false)?;
    let proof = tokens::proof()?;
    (token.proof, token.login) = (Some(proof.hash()), Some(login));
    tokens::admit(gateway, &secret, &token, &token.name, "logged in", &words).await?;
    let place = if is_place(&begun.place) { begun.place.as_str() } else { "" };
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Portcullis</title>\
         <meta name=\"portcullis-csrf\" content=\"{}\"><meta name=\"portcullis-place\" content=\"{place}\">\
         <script type=\"module\" src=\"../entered.js\"></script></head><body><p>You are logged in. \
         <a href=\"../\">To the inbox</a></p></body></html>",
        proof.reveal()
    );
    let mut response = ([(header::CONTENT_TYPE, HTML)], text).into_response();
    set(response.headers_mut(), &tokens::session_cookie(gateway, secret.reveal(), stays));
    Ok(response)
}

/// Where in the page somebody was: words that need no other writing anywhere.
fn is_place(place: &str) -> bool {
    place.len() <= LONGEST_PLACE
        && place.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_".contains(&byte))
}

fn set(headers: &mut HeaderMap, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.append(header::SET_COOKIE, cookie);
    }
}

fn people(gateway: &Shared) -> Result<&People, Shut> {
    gateway.people.as_ref().ok_or_else(|| Shut::new("people log in here with tokens"))
}

/// Why nobody came in, for the one who tried.
struct Shut {
    status: StatusCode,
    why: String,
}

impl Shut {
    fn new(why: &str) -> Self {
        Self { status: StatusCode::FORBIDDEN, why: why.to_owned() }
    }

    fn busy() -> Self {
        let why = "as many people log in just now as can: try again".to_owned();
        Self { status: StatusCode::SERVICE_UNAVAILABLE, why }
    }
}

impl From<IdentityError> for Shut {
    fn from(error: IdentityError) -> Self {
        let is_down = error.is_unreachable();
        let status = if is_down { StatusCode::BAD_GATEWAY } else { StatusCode::FORBIDDEN };
        Self { status, why: error.to_string() }
    }
}

impl From<Problem> for Shut {
    fn from(_: Problem) -> Self {
        let why = "nothing can be kept now, so nobody is let in".to_owned();
        Self { status: StatusCode::SERVICE_UNAVAILABLE, why }
    }
}

fn shut(gateway: &Shared, Shut { status, why }: Shut) -> Response {
    let mut shown = String::with_capacity(why.len());
    for character in crate::report::visible::line(&why).chars() {
        match character {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '"' => shown.push_str("&quot;"),
            other => shown.push(other),
        }
    }
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Not logged in · Portcullis</title></head><body>\
         <main><h1>Not logged in</h1><p>{shown}.</p><p><a href=\"{}\">Back to Portcullis</a></p></main></body></html>",
        gateway.place.page("")
    );
    (status, Extension(Told), [(header::CONTENT_TYPE, HTML)], text).into_response()
}

/// How people log in here.
pub(super) async fn ways(State(gateway): State<Shared>) -> Response {
    let tokens = gateway.team.tokens == crate::config::LocalTokens::All;
    Json(json!({ "v": VERSION, "login": gateway.people.is_some(), "tokens": tokens }))
        .into_response()
}

/// Who logged in once: what each is shown as.
pub(super) async fn list(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let people = gateway.read(|store| store.people()).await?;
    let people: Vec<Value> = people
        .iter()
        .map(|person| json!({ "name": person.name, "shown": person.shown, "seen": written(person.seen) }))
        .collect();
    Ok(Json(json!({ "v": VERSION, "people": people })).into_response())
}

fn written(time: Timestamp) -> String {
    super::shapes::written(time)
}

fn shape(delegation: &Delegation) -> Value {
    let Delegation { id, giver, taker, groups, expires } = delegation;
    json!({
        "id": id.to_string(), "giver": giver, "taker": taker, "groups": groups, "expires": written(*expires),
    })
}

/// Who decides in whose place.
pub(super) async fn delegations(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let now = gateway.clerk.now();
    let all = gateway.read(move |store| store.delegations(now)).await?;
    let all: Vec<Value> = all.iter().map(shape).collect();
    Ok(Json(json!({ "v": VERSION, "delegations": all })).into_response())
}

/// A wish that somebody else decides in one's place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DelegateShape {
    /// Who: the name of somebody who logged in here before.
    to: String,
    /// For how many hours, two weeks at most.
    #[cfg_attr(test, schemars(range(min = 1, max = 336)))]
    hours: u32,
}

/// Lets somebody else decide in one's place, until a time.
pub(super) async fn delegate(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let DelegateShape { to, hours } = read(&body)?;
    let Who::Person(login) = &caller.who else {
        let detail = "only somebody who logged in as themselves gives somebody else their place";
        return Err(Problem::new(StatusCode::FORBIDDEN, "not-yours", detail));
    };
    if !(1..=LONGEST_GIVEN).contains(&hours) {
        return Err(Problem::bad_input("`hours` must be 1 to 336"));
    }
    let groups = roles::deciding(&gateway.team, login);
    let known = gateway.read(|store| store.people()).await?;
    let is_known = known.iter().any(|person| person.name == to);
    if to == caller.name || !is_known {
        return Err(Problem::bad_input("`to` must be somebody else who logged in here before"));
    }
    let now = gateway.clerk.now();
    let expires = now.checked_add(SignedDuration::from_hours(i64::from(hours)));
    let expires = expires.map_err(|error| Problem::bad_input(error.to_string()))?;
    let id = Id::random().map_err(|_| no_randomness())?;
    let delegation = Delegation { id, giver: caller.name.clone(), taker: to, groups, expires };
    let words = format!(
        "{} decides in their place until {expires:.0}, as {}",
        delegation.taker,
        delegation.groups.join(", ")
    );
    let record = Body::new(&Entry::change(&caller.name, "delegated", words), now);
    let shape = shape(&delegation);
    gateway.clerk.take(Step::Delegate { delegation, record }).await?;
    Ok((StatusCode::CREATED, Json(shape)).into_response())
}

/// Ends it before its time: who gave it, who has it, and who administers.
pub(super) async fn take_back(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let now = gateway.clerk.now();
    let all = gateway.read(move |store| store.delegations(now)).await?;
    let is_theirs = |one: &&Delegation| {
        one.id == id
            && (one.giver == caller.name
                || one.taker == caller.name
                || caller.scopes.has(Scope::Admin))
    };
    let Some(found) = all.iter().find(is_theirs) else {
        return Err(Problem::unknown("delegation"));
    };
    let words = format!("{} decided in the place of {}", found.taker, found.giver);
    let record = Body::new(&Entry::change(&caller.name, "ended a delegation", words), now);
    match gateway.clerk.take(Step::EndDelegation { id, record }).await? {
        Done::Revoked(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        _ => Err(Problem::unknown("delegation")),
    }
}
