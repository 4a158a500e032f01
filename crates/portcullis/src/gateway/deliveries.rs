//! What went on at other machines while no gateway answered, taken into the record. Owns what is believed of it, and that what is sent twice is
//! recorded once.

use axum::{body::Bytes, extract::State, response::Response};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{Shared, access::Caller, judge::json_text, problem::Problem};
use crate::{
    approvals::{ClerkError, Done, Once, Step},
    audit::Body,
    undelivered::{TOGETHER, Undelivered},
    wire::VERSION,
};

/// Decisions by which calls went on while no gateway answered.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryShape {
    /// The version of this shape.
    v: u64,
    /// The decisions, those first that were made first.
    decisions: Vec<Undelivered>,
}

pub(super) async fn take(
    State(gateway): State<Shared>,
    caller: axum::Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let delivery: DeliveryShape = serde_json::from_slice(&body)
        .map_err(|error| Problem::bad_input(format!("it is no delivery: {error}")))?;
    if delivery.v != VERSION {
        return Err(Problem::bad_input(format!("`v` is {}, and not {VERSION}", delivery.v)));
    }
    if delivery.decisions.len() > TOGETHER {
        return Err(Problem::bad_input(format!("more than {TOGETHER} decisions at once")));
    }
    // All of them are looked at before any is recorded.
    let mut steps = Vec::with_capacity(delivery.decisions.len());
    for decision in &delivery.decisions {
        let entry = decision.entry(&caller.name).map_err(|error| {
            Problem::bad_input(format!("the decision `{}`: {error}", decision.key))
        })?;
        let text = serde_json::to_vec(decision).unwrap_or_default();
        let once = Once {
            digest: data_encoding::HEXLOWER.encode(&Sha256::digest(text)),
            ..Once::for_good(decision.key.clone())
        };
        let record = Body::new(&entry, Timestamp::now());
        steps.push(Step::Note { record, once: Some(once) });
    }
    let done =
        gateway.clerk.take_all(steps).await.inspect_err(|_| gateway.telemetry.unrecorded())?;
    let mut recorded = Vec::with_capacity(done.len());
    for (decision, done) in delivery.decisions.iter().zip(done) {
        match done {
            Done::Noted(_) | Done::Repeated(..) => recorded.push(&decision.key),
            Done::KeyReused => {
                let words = format!("the key `{}` was used for another decision", decision.key);
                return Err(Problem::bad_input(words));
            }
            _ => return Err(ClerkError::Closed.into()),
        }
    }
    Ok(json_text(json!({ "v": VERSION, "recorded": recorded }).to_string()))
}
