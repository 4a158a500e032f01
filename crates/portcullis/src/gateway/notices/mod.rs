//! Who is told of requests elsewhere: chats, webhooks, mailboxes. Owns who is told of what, how what waits is delivered and delivered again, and the routes
//! by which people see it; what is kept of a message, the store says, and what becomes of a word that is said there, [`super::chat`].
//!
//! Nothing depends on it: a request waits in the inbox whether anybody was told or not.

mod mail;
mod message;
mod slack;
mod turn;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    Extension, Json,
    extract::{Path as Place, State},
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::{approval::Status, authority::Duty, risk::Severity};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore, watch};

pub(super) use self::{
    message::{chosen, is_shown_whole, plain},
    slack::{Slack, is_lately},
    turn::groups,
};
use super::{
    Gateway, ServeError, Shared,
    access::Caller,
    problem::{Parameters, Problem, id},
    rights,
    shapes::written,
};
use crate::{
    approvals::{
        Addressee, Attempt, Done, Notice, PAGE, Question, Request, Scope, Sending, Stage, Step,
        Telling, Template, Webhook,
    },
    audit::{Body, Entry},
    config::{Chat, Team, Turn, Way},
    private,
    wire::VERSION,
};

/// How many messages are on their way at once.
const AT_ONCE: usize = 16;

/// How long it is waited before it is looked again, where nothing says that it is worth it.
const LOOK: Duration = Duration::from_secs(5);

/// How long it is waited before a store that cannot be read is read again.
const AGAIN: Duration = Duration::from_secs(1);

/// The longest secret in a file.
const LONGEST_SECRET: u64 = 4 << 10;

/// Who is told.
pub(super) struct Receivers {
    all: Vec<Receiver>,
    /// The app in Slack, where there is one.
    pub(super) slack: Option<Slack>,
    /// The gravest risk that is decided there.
    pub(super) up_to: Severity,
    /// The address of the page.
    page: String,
}

struct Receiver {
    name: String,
    projects: Option<Vec<String>>,
    turn: Turn,
    again: Vec<Duration>,
    how: How,
}

impl Receiver {
    /// Whether a message to it says that a request is carried to others, or told again.
    fn carries(&self, notice: &Notice, waited: SignedDuration) -> bool {
        let is_later = self.turn != Turn::After(Duration::ZERO);
        waited >= SignedDuration::from_secs(1) && (is_later || notice.is_again())
    }
}

enum How {
    Slack(String),
    Webhook(Box<Webhook>),
    Mail(mail::Mailbox),
}

impl How {
    const fn name(&self) -> &'static str {
        match self {
            Self::Slack(_) => "slack",
            Self::Webhook(_) => "webhook",
            Self::Mail(_) => "mail",
        }
    }
}

impl Receivers {
    /// As they are configured, with those that are named where the gateway is started.
    pub(super) fn of(
        chat: &Chat,
        team: &Team,
        webhooks: Vec<Webhook>,
        page: &str,
    ) -> Result<Self, ServeError> {
        let slack = chat.slack.as_ref().map(Slack::of).transpose()?;
        let mut all = Vec::with_capacity(chat.receivers.len());
        for receiver in &chat.receivers {
            let how = match &receiver.way {
                Way::Slack(channel) => How::Slack(channel.clone()),
                Way::Teams(file) => {
                    How::Webhook(Box::new(webhook(&secret(file)?, None, Template::Teams, page)?))
                }
                Way::Webhook { url, secret: file } => {
                    let key = file.as_deref().map(secret).transpose()?;
                    How::Webhook(Box::new(webhook(url, key, Template::Json, page)?))
                }
                Way::Mail(to) => match &chat.mail {
                    Some(mail) => How::Mail(mail::Mailbox::new(mail.clone(), to.clone())),
                    None => return Err(ServeError::Chat("nobody sends mail".to_owned())),
                },
            };
            if let Turn::Of(group) = &receiver.turn
                && !team.roles.iter().any(|role| role.group == *group)
            {
                let name = &receiver.name;
                let why = format!(
                    "`{name}` is for the group `{group}`, and no role of `team.roles` is of it"
                );
                return Err(ServeError::Chat(why));
            }
            let (name, projects) = (receiver.name.clone(), receiver.projects.clone());
            let (turn, again) = (receiver.turn.clone(), receiver.again.clone());
            all.push(Receiver { name, projects, turn, again, how });
        }
        all.extend(webhooks.into_iter().map(|webhook| Receiver {
            name: webhook.name(),
            projects: None,
            turn: Turn::After(Duration::ZERO),
            again: Vec::new(),
            how: How::Webhook(Box::new(webhook.inbox(page))),
        }));
        Ok(Self { all, slack, up_to: chat.up_to, page: page.to_owned() })
    }

    /// Who is told of what is asked now, and when.
    pub(super) fn told_of(
        &self,
        team: &Team,
        question: &Question,
        now: Timestamp,
    ) -> Vec<Addressee> {
        let project = question.project.as_deref();
        let hears = |receiver: &&Receiver| {
            let projects = receiver.projects.as_ref();
            projects.is_none_or(|all| all.iter().any(|name| Some(name.as_str()) == project))
        };
        let addressees = |receiver: &Receiver| {
            let times = turn::times((&receiver.turn, &receiver.again), team, question, now);
            let rewrites = matches!(receiver.how, How::Slack(_));
            let name = receiver.name.clone();
            let one = move |(after, step)| Addressee { name: name.clone(), rewrites, after, step };
            times.into_iter().zip(0..).map(one).collect::<Vec<_>>()
        };
        self.all.iter().filter(hears).flat_map(addressees).collect()
    }

    /// What is recorded once somebody took a message that carries a request on, or tells of it again.
    fn carried(&self, notice: &Notice, request: &Request, now: Timestamp) -> Option<Entry> {
        let waited = now.duration_since(request.asked);
        let receiver = self.all.iter().find(|receiver| receiver.name == notice.receiver)?;
        if notice.stage != Stage::Asked || !receiver.carries(notice, waited) {
            return None;
        }
        let group = match &receiver.turn {
            Turn::Of(group) => format!(", for `{group}`"),
            Turn::After(_) => String::new(),
        };
        let word = if notice.is_again() { "told again" } else { "carried on" };
        let words = format!(
            "to `{}`{group}, after {} s: {} by {}",
            receiver.name,
            waited.as_secs(),
            request.tool,
            request.requester
        );
        let refers_to = Some(request.sequence);
        Some(Entry { refers_to, ..Entry::change("the gateway", word, words) })
    }

    /// Where somebody finds a request.
    pub(super) fn link(&self, request: &Request) -> String {
        format!("{}#/inbox/{}", self.page, request.id)
    }

    /// By what somebody is told, for who counts.
    fn kind_of(&self, name: &str) -> &'static str {
        let receiver = self.all.iter().find(|receiver| receiver.name == name);
        receiver.map_or("webhook", |receiver| receiver.how.name())
    }

    fn names(&self) -> Vec<String> {
        self.all.iter().map(|receiver| receiver.name.clone()).collect()
    }

    /// Tries to deliver a message about a request as it is now, in whose words those who decided are shown.
    async fn attempt(
        &self,
        notice: &Notice,
        request: Option<&Request>,
        (by, now): (&str, Timestamp),
    ) -> Attempt {
        let receiver = self.all.iter().find(|one| one.name == notice.receiver);
        let (Some(receiver), Some(request)) = (receiver, request) else {
            return Attempt::Needless;
        };
        // What nobody decides in time is over, whether somebody closed it already or not.
        let waits = request.status == Status::Pending && request.expires > now;
        let waited = now.duration_since(request.asked);
        let waited = Some(waited).filter(|waited| receiver.carries(notice, *waited));
        match (&receiver.how, notice.stage) {
            (How::Slack(channel), Stage::Asked) if waits => match &self.slack {
                Some(slack) => {
                    let said = message::asked(request, &self.link(request), self.up_to, waited);
                    slack.post(channel, said).await
                }
                None => Attempt::Needless,
            },
            (How::Slack(_), Stage::Decided) if !waits => match (&self.slack, &notice.receipt) {
                (Some(slack), Some(receipt)) => {
                    let said = message::decided(request, &self.link(request), by);
                    slack.rewrite(receipt, said).await
                }
                _ => Attempt::Needless,
            },
            (How::Webhook(webhook), Stage::Asked) if waits => {
                webhook.attempt(&Telling::from(request).waited(waited), notice.id).await
            }
            (How::Mail(mailbox), Stage::Asked) if waits => {
                mailbox.send(request, (&self.link(request), notice.id), waited).await
            }
            _ => Attempt::Needless,
        }
    }
}

fn webhook(
    url: &str,
    key: Option<String>,
    template: Template,
    page: &str,
) -> Result<Webhook, ServeError> {
    let webhook = Webhook::new(url, key.map(String::into_bytes), template, None);
    Ok(webhook.map_err(|error| ServeError::Chat(error.to_string()))?.inbox(page))
}

/// Who is told of what is asked now.
pub(super) fn told_of(gateway: &Shared, question: &Question) -> Vec<Addressee> {
    gateway.receivers.told_of(&gateway.team, question, gateway.clerk.now())
}

/// A secret from a file of this user alone.
fn secret(path: &Path) -> Result<String, ServeError> {
    let unusable = |why: String| {
        ServeError::Chat(format!("cannot use `{}`: {why}", PathBuf::from(path).display()))
    };
    let bytes = private::read(path, LONGEST_SECRET).map_err(|error| unusable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unusable("it is no text".to_owned()))?;
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(unusable("it must hold one word".to_owned()));
    }
    Ok(text.to_owned())
}

/// Delivers what waits for the receivers of this gateway, until it ends.
pub(super) async fn deliver(gateway: Weak<Gateway>, mut head: watch::Receiver<u64>) {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let ended = Arc::new(Notify::new());
    loop {
        let Some(open) = gateway.upgrade() else { return };
        let mut closed = open.closed.subscribe();
        if *closed.borrow_and_update() || open.receivers.all.is_empty() {
            return;
        }
        // Whatever changes from here on is seen by another look.
        head.borrow_and_update();
        let wait = delivered(&open, &room, &ended).await;
        drop(open);
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = ended.notified() => {}
            changed = head.changed() => if changed.is_err() { return },
            _ = closed.changed() => return,
        }
    }
}

/// Begins to deliver what is due, as far as there is room; how long nothing else is.
async fn delivered(gateway: &Shared, room: &Arc<Semaphore>, ended: &Arc<Notify>) -> Duration {
    let names = gateway.receivers.names();
    let most = u32::try_from(room.available_permits()).unwrap_or_default();
    if most == 0 {
        return LOOK;
    }
    let now = gateway.clerk.now();
    let asked = names.clone();
    let next = gateway.read(move |store| store.next_notice(&asked, now)).await;
    let next = match next {
        Ok(Some(next)) => next,
        Ok(None) => return LOOK,
        Err(_) => return AGAIN,
    };
    if next > now {
        return Duration::try_from(next.duration_since(now)).unwrap_or(LOOK).min(LOOK);
    }
    let Ok(Done::PickedUp(notices)) =
        gateway.clerk.take(Step::PickUp { receivers: names, most }).await
    else {
        return AGAIN;
    };
    let picked = notices.len();
    for notice in notices {
        // As many as there was room for.
        let Ok(permit) = Arc::clone(room).acquire_owned().await else { return LOOK };
        let (gateway, ended) = (Arc::clone(gateway), Arc::clone(ended));
        tokio::spawn(async move {
            let (came, record) = Box::pin(tried(&gateway, &notice)).await;
            if matches!(came, Attempt::Again { .. } | Attempt::Refused { .. }) {
                gateway.telemetry.undelivered(gateway.receivers.kind_of(&notice.receiver));
            }
            // What cannot be kept now is tried again once its time is over.
            let _ =
                gateway.clerk.take(Step::Settle { notice: Box::new(notice), came, record }).await;
            drop(permit);
            ended.notify_one();
        });
    }
    // Somebody else may have been quicker; it is not asked for over and over.
    if picked == 0 { AGAIN } else { Duration::ZERO }
}

/// What came of an attempt, and what is recorded where it was taken.
async fn tried(gateway: &Shared, notice: &Notice) -> (Attempt, Option<Body>) {
    let id = notice.request;
    let read = gateway.read(move |store| {
        let request = store.request(id)?;
        let by = request.as_ref().and_then(|request| request.approver.clone());
        // Whoever logs in has a name that nobody reads.
        let shown = match &by {
            Some(name) => store.tokens_of(name)?.into_iter().find_map(|token| token.login),
            None => None,
        };
        Ok((request, shown.map(|login| login.shown).or(by)))
    });
    match read.await {
        Ok((request, by)) => {
            let (by, now) = (by.unwrap_or_default(), gateway.clerk.now());
            let attempt = gateway.receivers.attempt(notice, request.as_ref(), (&by, now)).await;
            let carried = request.and_then(|one| gateway.receivers.carried(notice, &one, now));
            (attempt, carried.map(|entry| Body::new(&entry, now)))
        }
        Err(_) => {
            let trouble = "the request could not be read".to_owned();
            (Attempt::Again { trouble, after: None }, None)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    state: Option<String>,
    #[serde(default)]
    limit: Option<u32>,
}

/// What was sent to whom, and what waits, the newest first.
pub(super) async fn list(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(Wanted { state, limit }): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let state = match state.as_deref() {
        None => None,
        Some(word) => Some(Sending::read(word).ok_or_else(|| {
            Problem::bad_input("`state` must be waiting, sent, needless or dead")
        })?),
    };
    let limit = limit.unwrap_or(100).clamp(1, PAGE);
    let within = rights::seen(&gateway, &caller).await?.within();
    // Whoever administers the whole gateway mends what was not delivered, whatever it is about.
    let mends =
        caller.scopes.has(Scope::Admin) && rights::over_all(&gateway, &caller, Duty::Admin).is_ok();
    let within = within.filter(|_| !mends);
    let projects = within.clone();
    let notices = gateway.read(move |store| store.notices(state, within.as_deref(), limit)).await?;
    let notices: Vec<Value> = notices.iter().map(shape).collect();
    let receivers: Vec<Value> = gateway
        .receivers
        .all
        .iter()
        .filter_map(|receiver| receiver_shape(receiver, projects.as_deref()))
        .collect();
    Ok(Json(json!({ "v": VERSION, "receivers": receivers, "notices": notices })).into_response())
}

/// Somebody who is told of requests, for whom other projects than these are none of their business; nothing where no more is left of it.
fn receiver_shape(receiver: &Receiver, within: Option<&[String]>) -> Option<Value> {
    let Receiver { name, projects, turn, again, how } = receiver;
    let projects: Option<Vec<&String>> = projects.as_ref().map(|projects| {
        let is_theirs = |project: &&String| within.is_none_or(|within| within.contains(*project));
        projects.iter().filter(is_theirs).collect()
    });
    if within.is_some() && projects.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    let (group, after) = match turn {
        Turn::Of(group) => (Some(group), None),
        Turn::After(after) => (None, Some(after.as_secs())),
    };
    let again: Vec<u64> = again.iter().map(Duration::as_secs).collect();
    Some(json!({
        "name": name, "kind": how.name(), "projects": projects, "group": group, "after": after, "again": again,
    }))
}

fn shape(notice: &Notice) -> Value {
    let Notice { id, receiver, request, stage, state, attempts, made, due, tried, trouble, .. } =
        notice;
    let next = (*state == Sending::Waiting).then(|| written(*due));
    json!({
        "id": id.to_string(), "receiver": receiver, "approval": request.to_string(), "about": stage.name(),
        "state": state.name(), "attempts": attempts, "made": written(*made), "next": next,
        "tried": tried.map(written), "trouble": trouble,
    })
}

/// Has a message tried again that nobody took.
pub(super) async fn repeat(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Place(text): Place<String>,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    rights::over_all(&gateway, &caller, Duty::Admin)?;
    let entry = Entry::change(&caller.name, "had a message sent anew", id.to_string());
    let record = Body::new(&entry, Timestamp::now());
    match gateway.clerk.take(Step::Repeat { id, record }).await? {
        Done::Settled(state) => {
            Ok(Json(json!({ "v": VERSION, "state": state.name() })).into_response())
        }
        _ => Err(Problem::unknown("message")),
    }
}
