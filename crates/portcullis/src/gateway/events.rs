//! What changes, told to whoever listens. Owns the stream of events; what they mean, a listener asks for, so that an event holds nothing
//! that a listener may not see.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use serde_json::json;
use tokio::{
    sync::{broadcast::error::RecvError, mpsc, watch},
    time::{Instant, MissedTickBehavior},
};
use tokio_stream::wrappers::ReceiverStream;

use super::{Gateway, Shared, problem::Parameters};

/// How often listeners are told at most: what happens in between is told together.
const TOGETHER: Duration = Duration::from_millis(100);

/// How often it is looked whether a listener's token has ended.
const HOLDS: Duration = Duration::from_secs(2);

/// How often a silent connection is kept alive.
const ALIVE: Duration = Duration::from_secs(15);

/// Tells listeners that something changed, until the gateway ends.
pub(super) async fn tell(gateway: std::sync::Weak<Gateway>, mut head: watch::Receiver<u64>) {
    let mut ticks = tokio::time::interval(TOGETHER);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while head.changed().await.is_ok() {
        ticks.tick().await;
        let sequence = *head.borrow_and_update();
        let Some(gateway) = gateway.upgrade() else { return };
        let Ok(pending) = gateway.read(|store| store.pending()).await else { continue };
        gateway.telemetry.pending(pending);
        let data = json!({ "v": crate::wire::VERSION, "head": sequence, "pending": pending });
        let event = format!("id: {sequence}\nevent: change\ndata: {data}\n\n");
        // Nobody listens just now.
        let _ = gateway.events.send(Arc::from(event));
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listens {
    /// After how many seconds it ends, for who cannot wait for good.
    #[serde(default)]
    r#for: Option<u32>,
}

/// `event: change` with how far the record has come and how many requests wait. The first comes at once.
pub(super) async fn listen(
    State(gateway): State<Shared>,
    Parameters(listens): Parameters<Listens>,
    caller: HeaderMap,
) -> Response {
    let mut events = gateway.events.subscribe();
    let mut closed = gateway.closed.subscribe();
    let ends = listens.r#for.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(4);
    let head = *gateway.clerk.head().borrow();
    let pending = gateway.read(|store| store.pending()).await.unwrap_or_default();
    let data = json!({ "v": crate::wire::VERSION, "head": head, "pending": pending });
    let first = format!("retry: 1000\nid: {head}\nevent: change\ndata: {data}\n\n");
    let open = Arc::downgrade(&gateway);
    drop(gateway);
    let mut asked = tokio::time::interval_at(Instant::now() + HOLDS, HOLDS);
    tokio::spawn(async move {
        if sender.send(Ok(Bytes::from(first))).await.is_err() {
            return;
        }
        let mut silent = Instant::now();
        loop {
            let text = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => Bytes::copy_from_slice(event.as_bytes()),
                    // What was missed is in what comes next: each event tells all that there is.
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return,
                },
                () = over(ends) => return,
                _ = asked.tick() => match open.upgrade() {
                    Some(gateway) if gateway.door.still(&caller).is_ok() => continue,
                    _ => return,
                },
                () = tokio::time::sleep_until(silent + ALIVE) => Bytes::from_static(b": alive\n\n"),
                _ = closed.changed() => return,
                () = sender.closed() => return,
            };
            silent = Instant::now();
            if sender.send(Ok(text)).await.is_err() {
                return;
            }
        }
    });
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(ReceiverStream::new(receiver))).into_response()
}

async fn over(ends: Option<Instant>) {
    match ends {
        Some(ends) => tokio::time::sleep_until(ends).await,
        None => std::future::pending().await,
    }
}
