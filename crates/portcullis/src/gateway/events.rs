//! What changes, told to whoever listens. Owns the stream of events; what they mean, a listener asks for, so that an event holds nothing
//! that a listener may not see.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use serde_json::json;
use tokio::{
    sync::{broadcast::error::RecvError, mpsc, watch},
    time::MissedTickBehavior,
};
use tokio_stream::wrappers::ReceiverStream;

use super::{Gateway, Shared};

/// How often listeners are told at most: what happens in between is told together.
const TOGETHER: Duration = Duration::from_millis(100);

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
        gateway.metrics.pending(pending);
        let data = json!({ "v": crate::wire::VERSION, "head": sequence, "pending": pending });
        let event = format!("id: {sequence}\nevent: change\ndata: {data}\n\n");
        // Nobody listens just now.
        let _ = gateway.events.send(Arc::from(event));
    }
}

/// `event: change` with how far the record has come and how many requests wait. The first comes at once.
pub(super) async fn listen(State(gateway): State<Shared>) -> Response {
    let mut events = gateway.events.subscribe();
    let mut closed = gateway.closed.subscribe();
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(4);
    let head = *gateway.clerk.head().borrow();
    let pending = gateway.read(|store| store.pending()).await.unwrap_or_default();
    let data = json!({ "v": crate::wire::VERSION, "head": head, "pending": pending });
    let first = format!("retry: 1000\nid: {head}\nevent: change\ndata: {data}\n\n");
    drop(gateway);
    tokio::spawn(async move {
        if sender.send(Ok(Bytes::from(first))).await.is_err() {
            return;
        }
        loop {
            let text = tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => Bytes::copy_from_slice(event.as_bytes()),
                    // What was missed is in what comes next: each event tells all that there is.
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return,
                },
                () = tokio::time::sleep(ALIVE) => Bytes::from_static(b": alive\n\n"),
                _ = closed.changed() => return,
                () = sender.closed() => return,
            };
            if sender.send(Ok(text)).await.is_err() {
                return;
            }
        }
    });
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(ReceiverStream::new(receiver))).into_response()
}
