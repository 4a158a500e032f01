//! A way by which Slack speaks to a gateway that nothing reaches from outside (Socket Mode): a connection that we make. Owns the connection, how long it is
//! waited for and made anew, and that each envelope is acknowledged; what is said in one goes the way of what comes to the door ([`super`]).
//!
//! Slack is known by the certificate of the host that is configured, or of one below it, and by the token of the app, which it alone was given. So no
//! envelope is signed, and an envelope counts once.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::{SinkExt as _, StreamExt as _};
use portcullis_core::network::Target;
use portcullis_net::{Guard, GuardOptions, ResolverOptions, Roots, client_config};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

use super::{
    super::{Gateway, Shared},
    LONGEST, Payload, pressed, typed,
};
use crate::guardian::{crosses_openly, is_inside_by_itself, only_to};

/// How long a connection may take to be made, and how long nothing may come on one before it is asked whether anybody is there.
const PATIENCE: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_secs(30);

/// The pauses before it is made anew, each twice the one before; and how long one has to hold to begin with the first again.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const HOLDS: Duration = Duration::from_secs(30);

/// How many answers wait to be sent.
const ANSWERS: usize = 64;

/// The longest id of an envelope.
const LONGEST_ID: usize = 128;

/// Whether Slack can be heard now, and why not.
#[derive(Clone, Debug, Default)]
pub(in crate::gateway) struct Standing {
    pub(in crate::gateway) connected: bool,
    pub(in crate::gateway) trouble: Option<String>,
}

/// What Slack sends.
#[derive(Deserialize)]
struct Envelope {
    r#type: String,
    #[serde(default)]
    envelope_id: Option<String>,
    #[serde(default)]
    payload: Value,
}

/// Why a connection ended.
enum Ended {
    /// The gateway ends.
    Closed,
    /// Slack wants another one.
    Renew,
    /// It broke, or could not be made.
    Broken(String),
}

/// Listens until the gateway ends.
pub(in crate::gateway) async fn listen(gateway: Weak<Gateway>) {
    let mut pause = PAUSE;
    loop {
        let begun = Instant::now();
        let ended = Box::pin(connected(&gateway)).await;
        let Some(open) = gateway.upgrade() else { return };
        let mut closed = open.closed.subscribe();
        if begun.elapsed() >= HOLDS {
            pause = PAUSE;
        }
        match ended {
            Ended::Closed => return,
            // Whoever wants another one again and again waits as well.
            Ended::Renew if begun.elapsed() >= PAUSE => continue,
            Ended::Renew => {}
            Ended::Broken(trouble) => {
                open.ear.stands(Standing { connected: false, trouble: Some(trouble) });
                open.telemetry.undelivered("slack");
            }
        }
        if *closed.borrow_and_update() {
            return;
        }
        drop(open);
        tokio::select! {
            () = sleep(pause) => {}
            _ = closed.changed() => return,
        }
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
    }
}

async fn connected(gateway: &Weak<Gateway>) -> Ended {
    let (opened, base) = {
        let Some(open) = gateway.upgrade() else { return Ended::Closed };
        let Some(slack) = &open.receivers.slack else { return Ended::Closed };
        (slack.socket().await, slack.base().to_owned())
    };
    let url = match opened {
        Ok(url) => url,
        Err(trouble) => return Ended::Broken(trouble),
    };
    let target = match admitted(&url, &base) {
        Ok(target) => target,
        Err(trouble) => return Ended::Broken(trouble),
    };
    match timeout(PATIENCE, reached(&target)).await {
        Err(_) => Ended::Broken("Slack does not answer".to_owned()),
        Ok(Err(trouble)) => Ended::Broken(trouble),
        Ok(Ok(stream)) if target.is_https() => {
            match timeout(PATIENCE, encrypted(&target, stream)).await {
                Err(_) => Ended::Broken("Slack does not answer".to_owned()),
                Ok(Err(trouble)) => Ended::Broken(trouble),
                Ok(Ok(stream)) => Box::pin(spoken(gateway, &url, stream)).await,
            }
        }
        Ok(Ok(stream)) => Box::pin(spoken(gateway, &url, stream)).await,
    }
}

/// Where a connection leads: to the host that is configured or one below it, encrypted where it leaves this machine.
fn admitted(url: &str, base: &str) -> Result<Target, String> {
    let plain = match (url.strip_prefix("wss://"), url.strip_prefix("ws://")) {
        (Some(rest), _) => format!("https://{rest}"),
        (None, Some(rest)) => format!("http://{rest}"),
        (None, None) => return Err("Slack names no address of a socket".to_owned()),
    };
    let wrong =
        |error: &dyn std::fmt::Display| format!("Slack names no address that can be used: {error}");
    let target = Target::read(&plain).map_err(|error| wrong(&error))?;
    let base = Target::read(base).map_err(|error| wrong(&error))?;
    let (host, ours) = (target.host().into_owned(), base.host().into_owned());
    let is_below = target.address().is_none()
        && host.strip_suffix(ours.as_str()).is_some_and(|front| front.ends_with('.'));
    if host != ours && !is_below {
        return Err(format!("Slack names `{host}`, which is not below `{ours}`"));
    }
    if crosses_openly(&target) || target.has_userinfo() {
        return Err("Slack names an address that is not encrypted".to_owned());
    }
    Ok(target)
}

async fn reached(target: &Target) -> Result<tokio::net::TcpStream, String> {
    let policy = only_to([(target, is_inside_by_itself(target))]);
    let policy = policy.map_err(|error| error.to_string())?;
    let resolver = ResolverOptions::default();
    let guard = Guard::new(GuardOptions { policy, resolver, connect_timeout: PATIENCE });
    guard.connect(target).await.map_err(|failure| failure.to_string())
}

async fn encrypted(
    target: &Target,
    stream: tokio::net::TcpStream,
) -> Result<tokio_rustls::client::TlsStream<tokio::net::TcpStream>, String> {
    let config = client_config(&Roots::System).map_err(|error| error.to_string())?;
    let name =
        ServerName::try_from(target.host().into_owned()).map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|error| error.to_string())
}

/// Speaks on a connection until it ends.
async fn spoken<S>(gateway: &Weak<Gateway>, url: &str, stream: S) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let bounds = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
        .max_write_buffer_size(2 * LONGEST);
    let greeted = timeout(PATIENCE, client_async_with_config(url, stream, Some(bounds))).await;
    let socket = match greeted {
        Err(_) => return Ended::Broken("Slack does not answer".to_owned()),
        Ok(Err(error)) => return Ended::Broken(error.to_string()),
        Ok(Ok((socket, _))) => socket,
    };
    let Some(mut closed) = gateway.upgrade().map(|open| open.closed.subscribe()) else {
        return Ended::Closed;
    };
    if *closed.borrow_and_update() {
        return Ended::Closed;
    }
    listened(gateway, socket, &mut closed).await
}

async fn listened<S>(
    gateway: &Weak<Gateway>,
    mut socket: WebSocketStream<S>,
    closed: &mut tokio::sync::watch::Receiver<bool>,
) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (answers, mut ready) = mpsc::channel::<Value>(ANSWERS);
    let mut was_asked = false;
    loop {
        let came = tokio::select! {
            _ = closed.changed() => {
                let _ = timeout(PATIENCE, socket.close(None)).await;
                return Ended::Closed;
            }
            Some(answer) = ready.recv() => {
                if let Err(trouble) = sent(&mut socket, Message::text(answer.to_string())).await {
                    return Ended::Broken(trouble);
                }
                continue;
            }
            came = timeout(QUIET, socket.next()) => came,
        };
        let message = match came {
            Err(_) if was_asked => return Ended::Broken("Slack is silent".to_owned()),
            Err(_) => {
                was_asked = true;
                if let Err(trouble) = sent(&mut socket, Message::Ping(Vec::new().into())).await {
                    return Ended::Broken(trouble);
                }
                continue;
            }
            Ok(None) => return Ended::Broken("Slack ended the connection".to_owned()),
            Ok(Some(Err(error))) => return Ended::Broken(error.to_string()),
            Ok(Some(Ok(message))) => message,
        };
        was_asked = false;
        let Message::Text(text) = message else { continue };
        let Ok(envelope) = serde_json::from_str::<Envelope>(text.as_str()) else { continue };
        let Some(open) = gateway.upgrade() else { return Ended::Closed };
        match envelope.r#type.as_str() {
            "hello" => open.ear.stands(Standing { connected: true, trouble: None }),
            "disconnect" => return Ended::Renew,
            _ => taken(&open, envelope, &answers),
        }
    }
}

async fn sent<S>(socket: &mut WebSocketStream<S>, message: Message) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match timeout(PATIENCE, socket.send(message)).await {
        Err(_) => Err("Slack takes nothing".to_owned()),
        Ok(sent) => sent.map_err(|error| error.to_string()),
    }
}

/// Takes an envelope in, and has it acknowledged. What nobody can look at now is not: Slack sends it again.
fn taken(gateway: &Shared, envelope: Envelope, answers: &mpsc::Sender<Value>) {
    let Envelope { r#type: kind, envelope_id: Some(id), payload } = envelope else { return };
    if id.len() > LONGEST_ID || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return;
    }
    let acknowledged = json!({ "envelope_id": id });
    let Some(slack) = &gateway.receivers.slack else { return };
    if gateway.ear.does.available_permits() == 0 {
        return;
    }
    let said_before = match gateway.ear.is_new(&format!("envelope {id}")) {
        Err(_) => return,
        Ok(is_new) => !is_new,
    };
    match kind.as_str() {
        _ if said_before => {}
        "interactive" => {
            if let Ok(payload) = serde_json::from_value::<Payload>(payload)
                && let Err(refused) = pressed(gateway, slack, payload, &format!("envelope {id}"))
                && refused.is_for_now()
            {
                gateway.ear.forgets(&format!("envelope {id}"));
                return;
            }
        }
        "slash_commands" => {
            let (gateway, answers) = (Arc::clone(gateway), answers.clone());
            tokio::spawn(async move {
                let Some(slack) = &gateway.receivers.slack else { return };
                let field = |name: &str| payload.get(name).and_then(Value::as_str);
                let said = Box::pin(typed(&gateway, slack, &field)).await;
                let answer = match said {
                    Ok(said) => json!({ "envelope_id": id, "payload": said }),
                    Err(_) => json!({ "envelope_id": id }),
                };
                // Where the connection ended meanwhile, whoever typed it types it again.
                let _ = answers.try_send(answer);
            });
            return;
        }
        _ => {}
    }
    let _ = answers.try_send(acknowledged);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_leads_to_the_host_that_is_configured_or_below_it() {
        let slack = "https://slack.com/api/";
        let is = |url: &str, base: &str| admitted(url, base).is_ok();
        assert!(is("wss://wss-primary.slack.com/link/?ticket=1&app_id=2", slack));
        assert!(is("wss://slack.com/link", slack));
        assert!(is("ws://127.0.0.1:9/link", "http://127.0.0.1:8/api/"));
        for url in [
            "ws://wss-primary.slack.com/link",
            "https://wss-primary.slack.com/link",
            "wss://evilslack.com/link",
            "wss://slack.com.evil.example/link",
            "wss://slack.com@evil.example/link",
            "wss://u:p@wss.slack.com/link",
            "wss://127.0.0.1/link",
            "wss://",
            "",
        ] {
            assert!(!is(url, slack), "{url}");
        }
        assert!(!is("ws://10.127.0.0.1:9/link", "http://127.0.0.1:8/api/"));
    }
}
