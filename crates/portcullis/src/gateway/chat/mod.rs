//! What people say in a chat. Owns the door for it: who says it is proved by Slack's signature and by a link that somebody made while they were logged in; and
//! what their word does, which is what the same word does on the page, by the same function and never more.
//!
//! ```text
//! Slack ──signature, time, once, our app and workspace──► acknowledged ──► account ──link──► somebody ──► approvals::say
//!       ◄─socket─ ──envelope, once, our app and workspace──┘
//! ```

mod form;
mod links;
mod socket;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Extension, Json, Router,
    body::Body,
    extract::{ConnectInfo, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
    routing::post,
};
use jiff::Timestamp;
use portcullis_core::approval::Status;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use self::form::fields;
pub(super) use self::{
    links::{begin, end, end_of, list},
    socket::{Standing, listen},
};
use super::{
    Shared,
    access::Caller,
    approvals::{self, Said},
    body::whole,
    judge::existing,
    notices::{Slack, chosen, is_shown_whole, plain},
    problem::{Problem, Told},
};
use crate::{
    approvals::{Account, Done, Id, Once, Scope, Step, hash_of},
    audit::{Body as RecordBody, Entry},
    config::is_id,
};

/// The longest that Slack says at once: a button comes with the whole message that it stands in.
const LONGEST: usize = 256 << 10;

/// How many of those are in memory at once, and how many words are carried out at once after they were acknowledged.
const READ_AT_ONCE: usize = 16;
const DONE_AT_ONCE: usize = 64;

/// How long it is remembered what was said, so that nobody says it again: longer than it would be believed.
const REMEMBERED: Duration = Duration::from_secs(11 * 60);

/// The most that is remembered. More is not listened to.
const MOST_REMEMBERED: usize = 20_000;

/// How long somebody waits for what they typed.
const PATIENCE: Duration = Duration::from_secs(2);

/// The headers by which Slack says when it spoke, and that it did.
const TIME: &str = "x-slack-request-timestamp";
const SIGNATURE: &str = "x-slack-signature";

/// What was heard lately, and room for more.
pub(super) struct Ear {
    heard: Mutex<HashMap<String, Instant>>,
    reads: Semaphore,
    does: Semaphore,
    /// Of the connection that we make to be spoken to.
    standing: Mutex<Standing>,
}

impl Ear {
    pub(super) fn new() -> Self {
        Self {
            heard: Mutex::default(),
            reads: Semaphore::new(READ_AT_ONCE),
            does: Semaphore::new(DONE_AT_ONCE),
            standing: Mutex::default(),
        }
    }

    /// Whether Slack is heard on a connection of ours, and why not.
    pub(super) fn standing(&self) -> Standing {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stands(&self, standing: Standing) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// What was heard could not be looked at, and is said again.
    fn forgets(&self, signature: &str) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).remove(signature);
    }

    /// Whether this was not heard before.
    fn is_new(&self, signature: &str) -> Result<bool, Refused> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() >= MOST_REMEMBERED {
            heard.retain(|_, since| since.elapsed() < REMEMBERED);
        }
        if heard.len() >= MOST_REMEMBERED {
            return Err(Refused::busy());
        }
        let now = Instant::now();
        let before = heard.insert(signature.to_owned(), now);
        Ok(before.is_none_or(|since| since.elapsed() >= REMEMBERED))
    }
}

/// What a chat sends: no token of ours comes with it, and what is answered is for the chat.
pub(super) fn doors() -> Router<Shared> {
    Router::new().route("/chat/slack", post(slack))
}

/// Why nothing was listened to. Whoever is not Slack learns no more.
struct Refused(StatusCode, &'static str);

impl Refused {
    const fn unsigned() -> Self {
        Self(StatusCode::UNAUTHORIZED, "this was not said by Slack just now, or it was said before")
    }

    const fn busy() -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, "as much is listened to as can be")
    }

    /// Whether the same may be listened to later.
    fn is_for_now(&self) -> bool {
        self.0 == StatusCode::SERVICE_UNAVAILABLE
    }
}

async fn slack(
    State(gateway): State<Shared>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match Box::pin(heard(&gateway, &headers, body)).await {
        Ok(response) => response,
        Err(Refused(status, words)) => {
            if status == StatusCode::UNAUTHORIZED {
                // Who guesses too often is told the same.
                let _ = gateway.door.refused(peer.ip(), "refused what claimed to be Slack");
            }
            (status, Extension(Told), words).into_response()
        }
    }
}

/// Listens to what Slack says, and answers at once.
async fn heard(gateway: &Shared, headers: &HeaderMap, body: Body) -> Result<Response, Refused> {
    let Some(slack) = gateway.receivers.slack.as_ref().filter(|slack| slack.is_let_in()) else {
        return Err(Refused(StatusCode::NOT_FOUND, "no app of Slack speaks here"));
    };
    let only = |name: &str| {
        let mut all = headers.get_all(name).iter();
        let first = all.next()?.to_str().ok()?;
        all.next().is_none().then_some(first)
    };
    let (Some(time), Some(signature)) = (only(TIME), only(SIGNATURE)) else {
        return Err(Refused::unsigned());
    };
    let now = Timestamp::now();
    // Before anything is read for somebody who may be anybody.
    if !super::notices::is_lately(time, now) || signature.len() != "v0=".len() + 64 {
        return Err(Refused::unsigned());
    }
    let _read = gateway.ear.reads.try_acquire().map_err(|_| Refused::busy())?;
    let body = whole(body, LONGEST).await;
    let body = body.map_err(|_| Refused(StatusCode::PAYLOAD_TOO_LARGE, "it is too long"))?;
    if !slack.is_said((time, signature), &body, now) || !gateway.ear.is_new(signature)? {
        return Err(Refused::unsigned());
    }
    let fields = fields(&body).ok_or(Refused(StatusCode::BAD_REQUEST, "it is no form"))?;
    let field = |name: &str| fields.get(name).map(String::as_str);
    match field("payload") {
        Some(payload) => {
            let payload = serde_json::from_str(payload)
                .map_err(|_| Refused(StatusCode::BAD_REQUEST, "it is not what a button says"))?;
            pressed(gateway, slack, payload, signature)?;
            Ok(StatusCode::OK.into_response())
        }
        None => Ok(Json(Box::pin(typed(gateway, slack, &field)).await?).into_response()),
    }
}

fn other_app() -> Refused {
    Refused(StatusCode::FORBIDDEN, "another app or workspace of Slack speaks")
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    /// Where the user is from: a channel can be shared with another company.
    #[serde(default)]
    team_id: Option<String>,
}

#[derive(Deserialize)]
struct Action {
    action_id: String,
    #[serde(default)]
    value: Option<String>,
}

/// What comes of a button, as far as we look at it.
#[derive(Deserialize)]
struct Payload {
    r#type: String,
    team: Named,
    user: User,
    api_app_id: String,
    #[serde(default)]
    channel: Option<Named>,
    #[serde(default)]
    actions: Vec<Action>,
}

/// Somebody pressed a button: it is acknowledged, and carried out after that.
fn pressed(gateway: &Shared, slack: &Slack, payload: Payload, heard: &str) -> Result<(), Refused> {
    let Payload { r#type: kind, team, user, api_app_id, channel, actions } = payload;
    let is_guest = user.team_id.as_ref().is_some_and(|from| *from != team.id);
    if !slack.is_ours(&team.id, &api_app_id) || is_guest || !is_id(&user.id) {
        return Err(other_app());
    }
    let [Action { action_id, value: Some(value) }] = &actions[..] else {
        // A button that only leads somewhere.
        return Ok(());
    };
    let (Some(chosen), "block_actions") = (chosen(action_id, value), kind.as_str()) else {
        return Ok(());
    };
    let press = Press {
        account: Account { team: team.id, user: user.id },
        approves: chosen.approves,
        request: chosen.request,
        value: value.clone(),
        action: action_id.clone(),
        channel: channel.map(|channel| channel.id).filter(|id| is_id(id)),
        // Whatever happens to this process, it is done once.
        key: format!("slack {}", hash_of(heard)),
    };
    if gateway.ear.does.available_permits() == 0 {
        return Err(Refused::busy());
    }
    let gateway = std::sync::Arc::clone(gateway);
    tokio::spawn(async move {
        let Ok(_one) = gateway.ear.does.acquire().await else { return };
        let said = Box::pin(carried_out(&gateway, &press)).await;
        let words = match said {
            Ok(Some(words)) => words,
            Ok(None) => return,
            Err(words) => format!("Not done: {words}."),
        };
        if let (Some(slack), Some(channel)) = (&gateway.receivers.slack, &press.channel) {
            slack.whisper(channel, &press.account.user, &words).await;
        }
    });
    Ok(())
}

/// A button that somebody pressed.
struct Press {
    account: Account,
    approves: bool,
    request: Id,
    value: String,
    action: String,
    channel: Option<String>,
    key: String,
}

/// What a button stands for, done in the name of whoever pressed it; what they are told, where the message itself does not say it.
async fn carried_out(gateway: &Shared, press: &Press) -> Result<Option<String>, String> {
    let caller = speaker(gateway, &press.account).await?;
    let words = |problem: Problem| problem.detail().to_owned();
    let request = existing(gateway, press.request).await.map_err(words)?;
    let link = gateway.receivers.link(&request);
    let on_the_page = |words: String| format!("{words}. Open {link}");
    let chosen = chosen(&press.action, &press.value);
    if !chosen.is_some_and(|chosen| chosen.is_about(&request)) {
        return Err(on_the_page("this button is about another action".to_owned()));
    }
    is_shown_whole(&request, gateway.receivers.up_to, press.approves).map_err(on_the_page)?;
    if !once(gateway, &caller, press).await.map_err(words)? {
        return Ok(None);
    }
    let said = Said {
        approves: press.approves,
        action: Some(request.action.clone()),
        reason: None,
        modified: None,
        alike: None,
    };
    let decided = Box::pin(approvals::say(gateway, &caller, press.request, said)).await;
    match decided {
        Ok(request) if request.status == Status::Pending => {
            Ok(Some("Your yes is one of two: somebody else must agree as well.".to_owned()))
        }
        Ok(_) => Ok(None),
        Err(problem) => Err(on_the_page(problem.detail().to_owned())),
    }
}

/// Records that somebody pressed a button; whether this is the first time that it is heard of, by any gateway.
async fn once(gateway: &Shared, caller: &Caller, press: &Press) -> Result<bool, Problem> {
    let Account { team, user } = &press.account;
    let word = if press.approves { "approve" } else { "deny" };
    let words = format!("{word} {}, as {user} of {team} in Slack", press.request);
    let entry = Entry::change(&caller.name, "pressed a button in a chat", words);
    let record = RecordBody::new(&entry, Timestamp::now());
    let once = Once {
        token: Id::named("slack"),
        key: press.key.clone(),
        digest: String::new(),
        answer: String::new(),
        for_good: false,
    };
    let noted = gateway.clerk.take(Step::Note { record, once: Some(once) }).await?;
    Ok(matches!(noted, Done::Noted(_)))
}

/// Who an account speaks for.
async fn speaker(gateway: &Shared, account: &Account) -> Result<Caller, String> {
    let unread = |_: Problem| "nothing can be read or recorded just now".to_owned();
    let asked = account.clone();
    let found = gateway
        .read(move |store| {
            let Some(link) = store.link_of(&asked)? else { return Ok(None) };
            let tokens = store.tokens_of(&link.name)?;
            Ok(Some((link, tokens)))
        })
        .await
        .map_err(unread)?;
    let page = gateway.place.page("#/chat");
    let Some((link, tokens)) = found else {
        return Err(format!(
            "I do not know who you are. Open {page}, log in, and link your account in Slack once"
        ));
    };
    let caller = gateway.door.speaks(&link, tokens, gateway.chat_lasts());
    let caller = caller.map_err(|problem| format!("{}. Log in at {page}", problem.detail()))?;
    if !caller.scopes.has(Scope::Approve) {
        return Err(format!("you do not decide on requests here, {}", caller.name));
    }
    Ok(caller)
}

/// Somebody typed a command: what they are answered, they alone see.
async fn typed<'f>(
    gateway: &Shared,
    slack: &Slack,
    field: &(dyn Fn(&str) -> Option<&'f str> + Sync),
) -> Result<Value, Refused> {
    let (team, app) = (field("team_id"), field("api_app_id"));
    let user = field("user_id").filter(|user| is_id(user));
    let (Some(team), Some(app), Some(user)) = (team, app, user) else { return Err(other_app()) };
    if !slack.is_ours(team, app) || field("command").is_none() {
        return Err(other_app());
    }
    let account = Account { team: team.to_owned(), user: user.to_owned() };
    let words = field("text").unwrap_or_default();
    let answer = async {
        match words.split_whitespace().collect::<Vec<_>>()[..] {
            ["link", code] => links::bring(gateway, account, code).await,
            _ => match speaker(gateway, &account).await {
                Ok(caller) => format!("You speak for {} here.", caller.name),
                Err(why) => format!("{why}."),
            },
        }
    };
    let answer = tokio::time::timeout(PATIENCE, answer).await;
    let answer = answer.unwrap_or_else(|_| "That took too long: try again.".to_owned());
    Ok(json!({ "response_type": "ephemeral", "text": plain(&answer) }))
}
