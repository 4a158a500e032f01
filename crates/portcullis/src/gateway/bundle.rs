//! The policy of a centre, as the gateway gives it out. Owns what it takes in place of the one that it has, and how a reader waits for a newer one; what a
//! bundle is, and whose signatures count, the engine and the gateway's own configuration say.

use std::{
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, timeout_at};

use super::{
    Gateway, Shared,
    access::Caller,
    problem::{Parameters, Problem},
};
use crate::{
    approvals::{ClerkError, Step},
    audit::{Body as RecordBody, Entry},
    bundle::{Bundle, signed},
    config::accept,
    private,
    wire::VERSION,
};

/// The longest that an answer is held.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Waits {
    #[serde(default)]
    wait: Option<u32>,
}

fn path(gateway: &Gateway) -> PathBuf {
    gateway.state.join("bundle.json")
}

/// What is given out, and what this version of it is called.
pub(super) async fn held(gateway: &Shared) -> Result<Option<(Vec<u8>, String)>, Problem> {
    let path = path(gateway);
    let read = tokio::task::spawn_blocking(move || private::read(&path, signed::LONGEST as u64));
    match read.await.map_err(|_| ClerkError::Closed)? {
        Ok(bytes) => {
            let etag = data_encoding::HEXLOWER.encode(&Sha256::digest(&bytes));
            Ok(Some((bytes, format!("\"{etag}\""))))
        }
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => {
            let words = format!("the bundle that is kept here cannot be used: {error}");
            Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unreadable", words))
        }
    }
}

/// The bundle; nothing new where the reader names the version that is here, which can be waited for.
pub(super) async fn give(
    State(gateway): State<Shared>,
    Parameters(Waits { wait }): Parameters<Waits>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let wait = wait.map_or(Duration::ZERO, |wait| Duration::from_secs(wait.into()));
    let ends = Instant::now() + wait.min(LONGEST_WAIT);
    let mut news = gateway.bundles.subscribe();
    let mut closed = gateway.closed.subscribe();
    let known = headers.get(header::IF_NONE_MATCH).cloned();
    loop {
        let Some((bytes, etag)) = held(&gateway).await? else {
            return Err(Problem::unknown("bundle"));
        };
        let etag = HeaderValue::try_from(etag).map_err(|_| ClerkError::Closed)?;
        if known.as_ref() != Some(&etag) {
            let kind = HeaderValue::from_static("application/json");
            let head = [(header::ETAG, etag), (header::CONTENT_TYPE, kind)];
            return Ok((head, Body::from(bytes)).into_response());
        }
        let changed = timeout_at(ends, async {
            tokio::select! {
                changed = news.changed() => changed.is_ok(),
                _ = closed.changed() => false,
            }
        });
        if !changed.await.unwrap_or(false) {
            // A token that was ended meanwhile learns nothing new.
            return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, etag)]).into_response());
        }
        gateway.door.still(&headers)?;
    }
}

/// How often it is looked what is kept of the centre. Hooks look at each call.
const LOOK: Duration = Duration::from_secs(2);

/// Judges by what the centre says, for as long as the gateway runs: by a bundle that was fetched, from the next look on, and by none that is too old.
pub(super) async fn follow(gateway: Weak<Gateway>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(gateway) = gateway.upgrade() else { return };
        let apart = Arc::clone(&gateway);
        let now = Timestamp::now();
        let renewed = tokio::task::spawn_blocking(move || apart.bench.renew(now)).await;
        let Ok(Some(central)) = renewed else { continue };
        let mut words = central.id();
        for warning in central.warnings() {
            words.push_str("; ");
            words.push_str(warning);
        }
        let record =
            RecordBody::new(&Entry::change("the gateway", "policy of the centre", words), now);
        // It holds whether it can be recorded now or not; every decision names it.
        let _ = gateway.clerk.take(Step::Note { record, once: None }).await;
    }
}

/// Takes a bundle in place of the one that is here, where enough of the keys of the gateway's configuration signed it and it is newer.
pub(super) async fn take(
    State(gateway): State<Shared>,
    caller: axum::Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let refused = |why: &dyn std::fmt::Display| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "refused", why.to_string())
    };
    let Some(in_force) = gateway.bench.configuration().central.clone() else {
        let words = "the configuration of this gateway names no centre, and so no keys that count";
        return Err(Problem::new(StatusCode::CONFLICT, "no-keys", words));
    };
    let bundle = Bundle::read(&body).map_err(|refusal| refused(&refusal))?;
    // Of two at once, one is compared with the other.
    let _ruling = gateway.ruling.lock().await;
    let now = Timestamp::now();
    let before = held(&gateway).await?.and_then(|(bytes, _)| Bundle::read(&bytes).ok());
    if let Some(before) = &before {
        let manifest = before.manifest();
        let followed = bundle.follows(&manifest.name, manifest.revision, &before.digest());
        followed.map_err(|refusal| {
            Problem::new(StatusCode::CONFLICT, "not-newer", refusal.to_string())
        })?;
    }
    let accepted =
        accept(&bundle, &in_force.central, None, "", now).map_err(|why| refused(&why))?;
    let reason = format!(
        "{} {} {}, signed by {}",
        accepted.name, accepted.revision, accepted.digest, accepted.signers
    );
    let entry = Entry::change(&caller.name, "policy published", reason);
    let record = RecordBody::new(&entry, now);
    gateway.clerk.take(Step::Note { record, once: None }).await?;
    let path = path(&gateway);
    let text = bundle.to_string();
    let kept = tokio::task::spawn_blocking(move || private::write(&path, text.as_bytes())).await;
    kept.map_err(|_| ClerkError::Closed)?.map_err(|error| {
        let words = format!("it cannot be kept: {error}");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unkept", words)
    })?;
    gateway.bundles.send_modify(|count| *count += 1);
    let said = json!({
        "v": VERSION, "name": accepted.name, "revision": accepted.revision, "digest": accepted.digest,
        "signers": accepted.signers.split(',').collect::<Vec<_>>(),
    });
    Ok(axum::Json(said).into_response())
}
