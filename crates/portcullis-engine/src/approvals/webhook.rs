//! Requests sent to a URL: for chat systems, or for a program that decides. Owns what is sent, how it is signed and, where an answer is waited for, how often it is tried;
//! where it may be sent, the guarded client says.

use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::{network::Target, risk::Risk};
use portcullis_net::{Client, GuardOptions, Limits, Request as Sent, ResolverOptions, Roots};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{
    handler::{Handler, HandlerError, Said},
    notice::Attempt,
    request::{Id, Question, Request},
};
use crate::{
    guardian::{crosses_openly, is_inside_by_itself, only_to},
    report::visible,
    wire::VERSION,
};

/// How often it is tried where an answer is waited for, and the pause before the second time; each further one is twice as long.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// How long one attempt may take where nobody's decision is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest answer.
const LONGEST: u64 = 64 << 10;

/// The header of our own signature: `t=SECONDS,v1=HEX`, the HMAC-SHA-256 of `SECONDS.BODY`.
pub const SIGNATURE: &str = "x-portcullis-signature";

/// What a secret begins with that is written as Standard Webhooks say it; the rest is base64.
const PREFIX: &str = "whsec_";

/// For whom a request is written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Template {
    /// For programs: all that a person is shown.
    #[default]
    Json,
    /// For Slack's incoming webhooks.
    Slack,
    /// For workflows of Microsoft Teams: an adaptive card.
    Teams,
    /// For Discord's webhooks.
    Discord,
}

impl Template {
    /// Every template.
    pub const ALL: [Self; 4] = [Self::Json, Self::Slack, Self::Teams, Self::Discord];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::Discord => "discord",
        }
    }
}

/// Why a webhook cannot be used. Its address is told as far as its host: whoever knows the rest can post there.
#[derive(Debug, thiserror::Error)]
#[error("{host} cannot be a webhook: {reason}")]
pub struct BadWebhook {
    host: String,
    reason: String,
}

/// What of a request others are told.
#[derive(Clone, Debug, PartialEq)]
pub struct Telling {
    id: Id,
    action: String,
    tool: String,
    risk: Risk,
    agent: Option<String>,
    session: Option<String>,
    needed: u8,
    timeout: Duration,
    /// How long it has waited, where that is why it is told.
    waited: Option<Duration>,
    details: Value,
}

impl Telling {
    /// The same, told because nobody decided for so long.
    #[must_use]
    pub fn waited(self, waited: Option<SignedDuration>) -> Self {
        Self { waited: waited.and_then(|waited| waited.try_into().ok()), ..self }
    }
}

/// That somebody is told of a request because nobody decided, in one sentence.
#[must_use]
pub fn waited_words(waited: SignedDuration) -> String {
    let (minutes, seconds) = (waited.as_secs() / 60, waited.as_secs() % 60);
    let many =
        |count: i64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let long = if minutes == 0 { many(seconds, "second") } else { many(minutes, "minute") };
    format!("It has waited for {long}, and nobody has decided.")
}

impl From<&Question> for Telling {
    fn from(question: &Question) -> Self {
        let Question { id, action, tool, risk, agent, session, needed, timeout, details, .. } =
            question;
        Self {
            id: *id,
            action: action.clone(),
            tool: tool.clone(),
            risk: *risk,
            agent: agent.clone(),
            session: session.clone(),
            needed: *needed,
            timeout: *timeout,
            waited: None,
            // What is shown is made of texts and numbers alone.
            details: serde_json::to_value(details).unwrap_or_default(),
        }
    }
}

impl From<&Request> for Telling {
    fn from(request: &Request) -> Self {
        let Request { id, action, tool, risk, agent, session, needed, asked, expires, .. } =
            request;
        Self {
            id: *id,
            action: action.clone(),
            tool: tool.clone(),
            risk: *risk,
            agent: agent.clone(),
            session: session.clone(),
            needed: *needed,
            timeout: expires.duration_since(*asked).try_into().unwrap_or_default(),
            waited: None,
            details: request.details.clone(),
        }
    }
}

/// Sends requests to one URL, and nowhere else.
pub struct Webhook {
    client: Client,
    url: String,
    host: String,
    secret: Option<Vec<u8>>,
    template: Template,
    /// Where people decide, for those who are told.
    inbox: Option<String>,
}

impl Webhook {
    /// A webhook. What is sent is signed with `secret`, where there is one.
    ///
    /// # Errors
    /// Where the URL is none, or would carry requests over the network unencrypted.
    pub fn new(
        url: &str,
        secret: Option<Vec<u8>>,
        template: Template,
        patience: Option<Duration>,
    ) -> Result<Self, BadWebhook> {
        let bad = |host: &str, reason: String| BadWebhook { host: format!("`{host}`"), reason };
        let target = Target::read(url).map_err(|error| BadWebhook {
            host: "what is given".to_owned(),
            reason: error.to_string(),
        })?;
        let host = target.host().into_owned();
        if crosses_openly(&target) {
            return Err(bad(&host, "it would cross the network unencrypted".to_owned()));
        }
        let policy = only_to([(&target, is_inside_by_itself(&target))])
            .map_err(|error| bad(&host, error.to_string()))?;
        let guard = GuardOptions {
            policy,
            resolver: ResolverOptions::default(),
            ..GuardOptions::default()
        };
        let limits = Limits { redirects: 0, body: LONGEST, time: patience.unwrap_or(PATIENCE) };
        Ok(Self {
            client: Client::new(guard, Roots::System, limits),
            url: url.to_owned(),
            host,
            secret,
            template,
            inbox: None,
        })
    }

    /// With the URL of the inbox, so that who is told knows where to go.
    #[must_use]
    pub fn inbox(self, url: impl Into<String>) -> Self {
        Self { inbox: Some(url.into()), ..self }
    }

    /// A name for it by which its address is not known.
    #[must_use]
    pub fn name(&self) -> String {
        let id = Id::named(&self.url).to_string();
        format!("{}-{}", self.host, id.get(..8).unwrap_or_default())
    }

    /// Sends a request once, under an id that is the same for every attempt.
    pub async fn attempt(&self, telling: &Telling, id: Id) -> Attempt {
        match self.post(telling, id).await {
            Ok(_) => Attempt::Taken { receipt: None },
            Err((trouble, true)) => Attempt::Again { trouble, after: None },
            Err((trouble, false)) => Attempt::Refused { trouble },
        }
    }

    /// Sends a request, and gives what came back.
    ///
    /// # Errors
    /// When nobody took it after several attempts.
    pub async fn send(&self, question: &Question) -> Result<Vec<u8>, HandlerError> {
        let telling = Telling::from(question);
        let mut pause = PAUSE;
        let mut last = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2);
            }
            match self.post(&telling, question.id).await {
                Ok(body) => return Ok(body),
                Err((trouble, may_again)) => {
                    last = trouble;
                    // What was refused is refused again.
                    if !may_again {
                        break;
                    }
                }
            }
        }
        Err(HandlerError(format!("the webhook cannot be reached: {last}")))
    }

    /// One attempt. Where it fails: why, and whether it may go well another time.
    async fn post(&self, telling: &Telling, id: Id) -> Result<Vec<u8>, (String, bool)> {
        let body = self.body(telling).to_string().into_bytes();
        let request = Sent {
            method: "POST".to_owned(),
            url: self.url.clone(),
            headers: self.headers(id, &body),
            body: Some(body),
        };
        match self.client.fetch(request, &mut |_| {}).await {
            Ok(response) if (200..300).contains(&response.status) => Ok(response.body),
            Ok(response) => {
                let may_again = matches!(response.status, 408 | 429 | 500..);
                Err((format!("it answers {}", response.status), may_again))
            }
            // An address may be a secret.
            Err(failure) => Err((failure.to_string().replace(&self.url, &self.host), true)),
        }
    }

    fn headers(&self, id: Id, body: &[u8]) -> Vec<(String, String)> {
        let time = Timestamp::now().as_second();
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            // Whoever gets the same twice knows it.
            ("idempotency-key".to_owned(), id.to_string()),
            ("webhook-id".to_owned(), id.to_string()),
            ("webhook-timestamp".to_owned(), time.to_string()),
        ];
        if let Some(secret) = &self.secret {
            let standard = standard_signature(secret, &id.to_string(), time, body);
            headers.push(("webhook-signature".to_owned(), standard));
            headers.push((SIGNATURE.to_owned(), signature(secret, time, body)));
        }
        headers
    }

    /// Where people decide this very request.
    fn link(&self, telling: &Telling) -> Option<String> {
        self.inbox.as_ref().map(|inbox| format!("{inbox}#/inbox/{}", telling.id))
    }

    fn body(&self, telling: &Telling) -> Value {
        match self.template {
            Template::Json => json!({
                "v": VERSION,
                "event": "approval",
                "id": telling.id.to_string(),
                "action": telling.action,
                "tool": telling.tool,
                "risk": telling.risk,
                "agent": telling.agent,
                "session": telling.session,
                "needed": telling.needed,
                "timeout_seconds": telling.timeout.as_secs(),
                "waited_seconds": telling.waited.map(|waited| waited.as_secs()),
                "details": telling.details,
                "inbox": self.inbox,
                "link": self.link(telling),
            }),
            Template::Slack => json!({ "text": self.words(telling, escaped_for_slack) }),
            Template::Discord => json!({
                "content": cut(&self.words(telling, escaped_for_markdown), 1_900),
                "allowed_mentions": { "parse": [] },
            }),
            Template::Teams => {
                let mut card = json!({
                    "type": "AdaptiveCard", "version": "1.4",
                    "body": [{ "type": "TextBlock", "wrap": true, "text": self.words(telling, escaped_for_markdown) }],
                });
                if let (Some(link), Some(card)) = (self.link(telling), card.as_object_mut()) {
                    let open = json!([{ "type": "Action.OpenUrl", "title": "Open the request", "url": link }]);
                    card.insert("actions".to_owned(), open);
                }
                json!({
                    "type": "message",
                    "attachments": [{ "contentType": "application/vnd.microsoft.card.adaptive", "content": card }],
                })
            }
        }
    }

    /// The request in a few lines, with everything of the agent's made harmless by `escape`.
    fn words(&self, telling: &Telling, escape: fn(&str) -> String) -> String {
        let shown = |text: &str| escape(&cut(&visible::line(text), 600));
        let agent = telling.agent.as_deref().unwrap_or("an agent");
        let risk = telling.risk.name();
        let mut lines =
            vec![format!("{} asks to use {}: risk {risk}", shown(agent), shown(&telling.tool))];
        let waited = telling.waited.and_then(|waited| SignedDuration::try_from(waited).ok());
        lines.extend(waited.map(waited_words));
        let list = |name: &str| telling.details.get(name).and_then(Value::as_array);
        for text in list("texts").into_iter().flatten().take(3) {
            lines.push(shown(&joined(text)));
        }
        let reasons = list("reasons").into_iter().flatten().filter_map(Value::as_str);
        lines.extend(reasons.take(3).map(|reason| format!("- {}", shown(reason))));
        if let Some(link) = self.link(telling) {
            lines.push(format!("Decide at {link}"));
        }
        lines.push(format!("No answer within {} seconds is a no.", telling.timeout.as_secs()));
        lines.join("\n")
    }
}

/// A text of a request from its beginning to its end, as it is shown.
pub fn joined(text: &Value) -> String {
    let segments = text.get("segments").and_then(Value::as_array);
    let texts = segments.into_iter().flatten().filter_map(|one| one.get("text")?.as_str());
    texts.collect()
}

impl Handler for Webhook {
    fn name(&self) -> &str {
        "webhook_handler"
    }

    /// Waits for a decision in the answer: `{"id","action","decision":"approve"|"deny","approver","reason"}`. One that is not about this very
    /// action, or names nobody, is none.
    fn handle(&self, question: &Question) -> Result<Said, HandlerError> {
        let failed = |why: &str| HandlerError(why.to_owned());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| HandlerError(error.to_string()))?;
        let answer = runtime.block_on(self.send(question))?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|_| failed("what the webhook answers is no decision"))?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        if text("id") != Some(question.id.to_string().as_str())
            || text("action") != Some(question.action.as_str())
        {
            return Err(failed("what the webhook answers is about another request"));
        }
        let approves = match text("decision") {
            Some("approve") => true,
            Some("deny") => false,
            _ => return Err(failed("what the webhook answers is no decision")),
        };
        let approver = text("approver").unwrap_or_default().to_owned();
        Ok(Said::Person {
            approver,
            approves,
            reason: text("reason").map(str::to_owned),
            modified: None,
        })
    }
}

/// The signature of a body that is sent at a time.
fn signature(secret: &[u8], time: i64, body: &[u8]) -> String {
    // Keys of any length are taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return String::new() };
    mac.update(format!("{time}.").as_bytes());
    mac.update(body);
    format!("t={time},v1={}", data_encoding::HEXLOWER.encode(&mac.finalize().into_bytes()))
}

/// That of Standard Webhooks: `v1,BASE64`, the HMAC-SHA-256 of `ID.SECONDS.BODY`. A secret that is written as they say it is what its base64 stands for.
fn standard_signature(secret: &[u8], id: &str, time: i64, body: &[u8]) -> String {
    let written = secret.strip_prefix(PREFIX.as_bytes());
    let decoded = written.and_then(|text| data_encoding::BASE64.decode(text).ok());
    let key = decoded.as_deref().unwrap_or(secret);
    // Keys of any length are taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(format!("{id}.{time}.").as_bytes());
    mac.update(body);
    format!("v1,{}", data_encoding::BASE64.encode(&mac.finalize().into_bytes()))
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{} …", text.get(..end).unwrap_or_default())
}

/// Slack's three characters; with them gone nothing is a link or a mention.
fn escaped_for_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Every character that Markdown gives a meaning.
fn escaped_for_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if "\\`*_{}[]()<>#+-.!|~@:".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Read as _, Write as _},
        net::TcpListener,
        thread,
    };

    use super::*;
    use crate::approvals::contract::question;

    /// Answers each of its connections with one of `answers`, and gives what came with each.
    fn server(answers: Vec<(u16, String)>) -> (String, thread::JoinHandle<Vec<(String, String)>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let mut seen = Vec::new();
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while reader.read_line(&mut head).unwrap() > 2 {}
                let length = head.lines().find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length:")
                        .map(|n| n.trim().parse::<u64>().unwrap())
                });
                let mut sent = String::new();
                reader.by_ref().take(length.unwrap()).read_to_string(&mut sent).unwrap();
                seen.push((head, sent));
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            }
            seen
        });
        (url, served)
    }

    #[test]
    fn what_is_sent_is_signed_and_tried_again_and_the_answer_is_bound_to_it() {
        let (question, _) = question("rm -rf /srv/data");
        let word = |decision: &str, action: &str| {
            json!({ "id": question.id.to_string(), "action": action, "decision": decision, "approver": "ops" }).to_string()
        };
        let (url, served) =
            server(vec![(503, String::new()), (200, word("approve", &question.action))]);
        let hook = Webhook::new(&url, Some(b"k".to_vec()), Template::Json, None).unwrap();
        let said = hook.handle(&question).unwrap();
        assert!(
            matches!(said, Said::Person { approves: true, ref approver, .. } if approver == "ops")
        );
        let seen = served.join().unwrap();
        let (head, body) = seen.last().unwrap();
        let line =
            head.lines().find_map(|line| line.strip_prefix("x-portcullis-signature: ")).unwrap();
        let time = line.strip_prefix("t=").unwrap().split(',').next().unwrap().parse().unwrap();
        assert_eq!(line, signature(b"k", time, body.as_bytes()));
        assert!(body.contains("/srv/data"));
        for answer in [word("approve", "sha256:0"), word("yes", &question.action), "ok".to_owned()]
        {
            let (url, served) = server(vec![(200, answer)]);
            let hook = Webhook::new(&url, None, Template::Json, None).unwrap();
            assert!(hook.handle(&question).is_err());
            served.join().unwrap();
        }
        let (url, served) = server(vec![(403, String::new())]);
        let refused = Webhook::new(&url, None, Template::Json, None).unwrap().handle(&question);
        assert_eq!(
            refused,
            Err(HandlerError("the webhook cannot be reached: it answers 403".into()))
        );
        served.join().unwrap();
    }

    /// Computed with `openssl dgst -sha256 -hmac`.
    #[test]
    fn the_signature_is_the_one_that_others_compute() {
        assert_eq!(
            signature(b"secret", 1_790_000_000, b"{}"),
            "t=1790000000,v1=d0cadd434460d4af55e7ab90d79c1802591d7001a77c9e06471d0e3ec8cc85ae"
        );
    }

    /// The example of the specification's own libraries.
    #[test]
    fn the_standard_signature_is_the_one_that_others_compute() {
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        let secret = b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        assert_eq!(
            standard_signature(secret, id, 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn nothing_of_an_agents_is_a_link_or_a_mention_in_a_chat() {
        let (mut question, _) = question("rm -rf /srv/<!channel>/@everyone/[x](https://a.example)");
        question.agent = Some("<https://evil.example|ops>\u{202e}".to_owned());
        let hook =
            |template| Webhook::new("https://chat.example/hook", None, template, None).unwrap();
        let slack = hook(Template::Slack).body(&(&question).into()).to_string();
        assert!(!slack.contains("<!channel>") && !slack.contains("<https"), "{slack}");
        for template in [Template::Discord, Template::Teams] {
            let text = hook(template).body(&(&question).into()).to_string();
            assert!(!text.contains("](https") && !text.contains('\u{202e}'), "{text}");
        }
        for open in ["http://chat.example/hook", "http://192.168.1.9/hook", "http://8.8.8.8/hook"] {
            assert!(Webhook::new(open, None, Template::Slack, None).is_err(), "{open}");
        }
    }
}
