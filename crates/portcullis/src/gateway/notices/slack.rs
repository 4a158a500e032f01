//! Slack, as a program speaks to it. Owns what is sent there, and which of its errors are worth another attempt; all of it goes to the one host that is
//! configured.

use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use portcullis_core::network::Target;
use portcullis_net::{Client, GuardOptions, Limits, Request, ResolverOptions, Response, Roots};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{
    super::ServeError,
    message::{Message, escaped},
    secret,
};
use crate::{
    approvals::Attempt,
    config::{SlackApp, is_id},
    guardian::{is_inside_by_itself, only_to},
};

/// How long one request may take, and its longest answer: Slack says again what it was told.
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST: u64 = 1 << 20;

/// How old what Slack says may be, and how far ahead of us its clock.
const WINDOW: i64 = 5 * 60;

/// The errors after which another attempt may go well.
const PASSING: &[&str] = &[
    "accesslimited",
    "fatal_error",
    "internal_error",
    "ratelimited",
    "rate_limited",
    "request_timeout",
    "service_unavailable",
    "team_added_to_org",
];

/// An app in Slack.
pub(in crate::gateway) struct Slack {
    client: Client,
    app: SlackApp,
    token: String,
    /// What it signs with that speaks to us, and what we show to be spoken to on a connection of our own.
    signing: Option<Vec<u8>>,
    app_token: Option<String>,
}

/// Why something was not said.
struct Trouble {
    words: String,
    may_again: bool,
    after: Option<Duration>,
}

impl Slack {
    pub(super) fn of(app: &SlackApp) -> Result<Self, ServeError> {
        let target = Target::read(&app.url).map_err(|error| ServeError::Chat(error.to_string()))?;
        let policy = only_to([(&target, is_inside_by_itself(&target))])
            .map_err(|error| ServeError::Chat(error.to_string()))?;
        let guard = GuardOptions {
            policy,
            resolver: ResolverOptions::default(),
            ..GuardOptions::default()
        };
        let limits = Limits { redirects: 0, body: LONGEST, time: PATIENCE };
        Ok(Self {
            client: Client::new(guard, Roots::System, limits),
            token: secret(&app.token)?,
            signing: app.signing_secret.as_deref().map(secret).transpose()?.map(String::into_bytes),
            app_token: app.app_token.as_deref().map(secret).transpose()?,
            app: app.clone(),
        })
    }

    /// Whether it is our app in our workspace that speaks.
    pub(in crate::gateway) fn is_ours(&self, team: &str, app: &str) -> bool {
        team == self.app.team && app == self.app.app
    }

    /// Whether Slack said these bytes lately: its signature, over all of them as they came.
    pub(in crate::gateway) fn is_said(
        &self,
        (time, signature): (&str, &str),
        body: &[u8],
        now: Timestamp,
    ) -> bool {
        let signing = self.signing.as_deref();
        is_lately(time, now)
            && signing.is_some_and(|signing| is_signed(signing, time, signature, body))
    }

    /// Whether Slack speaks to us at a door of ours.
    pub(in crate::gateway) const fn is_let_in(&self) -> bool {
        self.signing.is_some()
    }

    /// Whether we connect to Slack to be spoken to.
    pub(in crate::gateway) const fn has_socket(&self) -> bool {
        self.app_token.is_some()
    }

    /// Where Slack takes what is said.
    pub(in crate::gateway) fn base(&self) -> &str {
        &self.app.url
    }

    /// The address of a connection on which Slack speaks to us; it counts once.
    pub(in crate::gateway) async fn socket(&self) -> Result<String, String> {
        let Some(token) = &self.app_token else {
            return Err("no token for Socket Mode is configured".to_owned());
        };
        let answer = self.call_as(token, "apps.connections.open", &json!({})).await;
        let answer = answer.map_err(|trouble| trouble.words)?;
        let url = answer.get("url").and_then(Value::as_str).unwrap_or_default();
        Ok(url.to_owned())
    }

    pub(super) async fn post(&self, channel: &str, message: Message) -> Attempt {
        let mut body = said(message);
        set(&mut body, "channel", json!(channel));
        match self.call("chat.postMessage", &body).await {
            Ok(answer) => {
                let word = |name: &str| answer.get(name).and_then(Value::as_str);
                // The channel as Slack names it is where the message is found again.
                let receipt = match (word("channel"), word("ts")) {
                    (Some(channel), Some(time)) if is_id(channel) && is_time(time) => {
                        Some(format!("{channel} {time}"))
                    }
                    _ => None,
                };
                Attempt::Taken { receipt }
            }
            Err(trouble) => trouble.into(),
        }
    }

    /// Says something else in place of a message.
    pub(super) async fn rewrite(&self, receipt: &str, message: Message) -> Attempt {
        let Some((channel, time)) = receipt.split_once(' ') else { return Attempt::Needless };
        let mut body = said(message);
        set(&mut body, "channel", json!(channel));
        set(&mut body, "ts", json!(time));
        match self.call("chat.update", &body).await {
            Ok(_) => Attempt::Taken { receipt: None },
            // Somebody took it away.
            Err(trouble) if trouble.words.ends_with("message_not_found") => Attempt::Needless,
            Err(trouble) => trouble.into(),
        }
    }

    /// Says something to one user alone, where it goes well.
    pub(in crate::gateway) async fn whisper(&self, channel: &str, user: &str, words: &str) {
        let body = json!({ "channel": channel, "user": user, "text": escaped(words) });
        // Nothing depends on it: what was decided stands on the page.
        let _ = self.call("chat.postEphemeral", &body).await;
    }

    async fn call(&self, method: &str, body: &Value) -> Result<Value, Trouble> {
        self.call_as(&self.token, method, body).await
    }

    async fn call_as(&self, token: &str, method: &str, body: &Value) -> Result<Value, Trouble> {
        let request = Request {
            method: "POST".to_owned(),
            url: format!("{}{method}", self.app.url),
            headers: vec![
                ("content-type".to_owned(), "application/json; charset=utf-8".to_owned()),
                ("authorization".to_owned(), format!("Bearer {token}")),
            ],
            body: Some(body.to_string().into_bytes()),
        };
        let answer = self.client.fetch(request, &mut |_| {}).await;
        let answer = answer.map_err(|failure| Trouble {
            words: failure.to_string(),
            may_again: true,
            after: None,
        })?;
        let after = after(&answer);
        if answer.status != 200 {
            let may_again = matches!(answer.status, 408 | 429 | 500..);
            return Err(Trouble {
                words: format!("Slack answers {}", answer.status),
                may_again,
                after,
            });
        }
        let came: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if came.get("ok").and_then(Value::as_bool) == Some(true) {
            return Ok(came);
        }
        let error = came.get("error").and_then(Value::as_str).unwrap_or("no answer that is one");
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_ -".contains(&byte);
        let error =
            if error.len() <= 64 && error.bytes().all(is_word) { error } else { "an error" };
        let may_again = PASSING.contains(&error);
        Err(Trouble { words: format!("Slack answers {error}"), may_again, after })
    }
}

impl From<Trouble> for Attempt {
    fn from(Trouble { words, may_again, after }: Trouble) -> Self {
        if may_again {
            Self::Again { trouble: words, after }
        } else {
            Self::Refused { trouble: words }
        }
    }
}

fn after(answer: &Response) -> Option<Duration> {
    let mut headers = answer.headers.iter();
    let (_, value) = headers.find(|(name, _)| name == "retry-after")?;
    std::str::from_utf8(value).ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn said(Message { text, blocks }: Message) -> Value {
    json!({ "text": text, "blocks": blocks, "unfurl_links": false, "unfurl_media": false, "link_names": false })
}

fn set(body: &mut Value, name: &str, value: Value) {
    if let Some(fields) = body.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// The name of a message in its channel: `1503435956.000247`.
fn is_time(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether something was said within the window.
pub(in crate::gateway) fn is_lately(time: &str, now: Timestamp) -> bool {
    let is_number =
        (1..=12).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = time.parse::<i64>().ok().filter(|_| is_number);
    seconds.is_some_and(|said| (now.as_second() - said).abs() <= WINDOW)
}

/// `v0=HEX`, the HMAC-SHA-256 of `v0:SECONDS:BODY`, compared in constant time.
fn is_signed(secret: &[u8], time: &str, signature: &str, body: &[u8]) -> bool {
    let Some(claimed) = signature.strip_prefix("v0=") else { return false };
    let Ok(claimed) = data_encoding::HEXLOWER.decode(claimed.as_bytes()) else { return false };
    // Keys of any length are taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return false };
    mac.update(format!("v0:{time}:").as_bytes());
    mac.update(body);
    mac.verify_slice(&claimed).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Slack documents it: `Verifying requests from Slack`.
    const SECRET: &[u8] = b"8f742231b10e8888abcd99yyyzzz85a5";
    const TIME: &str = "1531420618";
    const BODY: &[u8] = b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&\
        channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&\
        response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&\
        trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const SIGNATURE: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

    #[test]
    fn the_documented_signature_holds_and_no_other() {
        assert!(is_signed(SECRET, TIME, SIGNATURE, BODY));
        let other = SIGNATURE.replace("v0=a2", "v0=b2");
        for (secret, time, signature, body) in [
            (&b"8f742231b10e8888abcd99yyyzzz85a6"[..], TIME, SIGNATURE, BODY),
            (SECRET, "1531420619", SIGNATURE, BODY),
            (SECRET, TIME, other.as_str(), BODY),
            (SECRET, TIME, SIGNATURE, &BODY[1..]),
            (SECRET, TIME, SIGNATURE.get(..64).unwrap(), BODY),
            (SECRET, TIME, SIGNATURE.get(3..).unwrap(), BODY),
            (SECRET, TIME, "v0=", BODY),
            (SECRET, TIME, "", BODY),
            (SECRET, TIME, &SIGNATURE.to_uppercase(), BODY),
        ] {
            assert!(!is_signed(secret, time, signature, body), "{time} {signature}");
        }
    }

    #[test]
    fn what_was_said_long_ago_or_later_than_now_does_not_count() {
        let now = Timestamp::from_second(1_531_420_618).unwrap();
        for (time, is) in [
            ("1531420618", true),
            ("1531420318", true),
            ("1531420317", false),
            ("1531420918", true),
            ("1531420919", false),
            ("-1531420618", false),
            ("+1531420618", false),
            ("1531420618.0", false),
            ("", false),
            ("99999999999999999999", false),
            ("9223372036854775807", false),
        ] {
            assert_eq!(is_lately(time, now), is, "{time}");
        }
    }
}
