//! The policy and the rules over HTTP. Owns what may be read, tried and changed while the gateway runs; what a policy means, the core knows.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::{approval::Status, policy::ApprovalPolicy, redact::redact, rules};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{ops::ControlFlow, path::Path, sync::Arc};

use super::{
    Shared, access::Caller, approvals::read, bench::Locked, problem::Problem,
    shapes::NewPolicyShape,
};
use crate::{
    approvals::{ClerkError, Done, Step, Which, every},
    audit::{Body, Entry, Filter, Kind, export::json as record_shape},
    config::Configuration,
    replay::{
        Comparison, Tally,
        source::{Reading, SourceError},
    },
    session::{Options, Session},
    wire::{VERSION, policy_json, rule_json},
};

/// How many decisions of the record a policy is tried on.
const TRIED: u32 = 2_000;

/// How many of the calls that would change are told.
const TOLD: usize = 100;

pub(super) async fn rules_list() -> Response {
    let rules: Vec<Value> = rules::all().map(rule_json).collect();
    Json(json!({ "v": VERSION, "rules": rules })).into_response()
}

pub(super) async fn show(State(gateway): State<Shared>) -> Response {
    Json(policy_json(&gateway.bench.configuration())).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ToTryShape {
    /// The configuration to try, as a file has it.
    toml: String,
}

/// What the latest decisions of the record would be under another configuration.
pub(super) async fn dry_run(
    State(gateway): State<Shared>,
    body: Bytes,
) -> Result<Response, Problem> {
    let ToTryShape { toml } = read(&body)?;
    let then = match Configuration::parse(&toml, Path::new("configuration")) {
        Ok(then) => then,
        Err(error) => {
            return Ok(Json(json!({ "v": VERSION, "mistake": error.to_string() })).into_response());
        }
    };
    let filter = Filter { kind: Some(Kind::Decision), limit: Some(TRIED), ..Filter::default() };
    let records = gateway
        .read(move |store| {
            let mut records = Vec::new();
            store.each(&filter, &mut |record| {
                records.extend(record.iter().map(record_shape));
                ControlFlow::Continue(())
            })?;
            Ok(records)
        })
        .await?;
    let now = gateway.bench.configuration();
    let tried = tokio::task::spawn_blocking(move || trial(records, now, then)).await;
    let shape = tried.map_err(|_| ClerkError::Closed)?;
    shape
        .map(|shape| Json(shape).into_response())
        .map_err(|error| Problem::bad_input(error.to_string()))
}

fn trial(
    records: Vec<Value>,
    now: Configuration,
    then: Configuration,
) -> Result<Value, SourceError> {
    let session = |configuration| {
        Session::open(Options { configuration, unrecorded: true, ..Options::default() })
    };
    let reading = Reading::of_records(records)?;
    let left_out = reading.cut + reading.other_lines;
    let comparison = Comparison::new(reading.calls, &session(now), &session(then));
    let (now, then) = comparison.tallies();
    let tally =
        |tally: Tally| json!({ "allow": tally.allowed, "ask": tally.asked, "deny": tally.denied });
    let changed = comparison.pairs.iter().filter(|pair| pair.now.verdict != pair.then.verdict);
    let told: Vec<Value> = changed
        .clone()
        .take(TOLD)
        .map(|pair| {
            json!({
                "call": redact(&pair.preview),
                "now": pair.now.verdict.name(),
                "then": pair.then.verdict.name(),
                "risk": pair.then.risk,
                "rule": pair.then.rule,
            })
        })
        .collect();
    Ok(json!({
        "v": VERSION,
        "calls": comparison.pairs.len(),
        "left_out": left_out + comparison.unreadable.len(),
        "now": tally(now),
        "then": tally(then),
        "changed": changed.count(),
        "loosened": comparison.loosened().count(),
        "changes": told,
    }))
}

/// Puts another approval policy in place, and decides anew what waits: what it lets through goes on, and what it refuses is refused.
pub(super) async fn set(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let NewPolicyShape { approval_policy } = read(&body)?;
    let policy: ApprovalPolicy = approval_policy.parse().map_err(
        |error: portcullis_core::policy::NotAnApprovalPolicy| Problem::bad_input(error.to_string()),
    )?;
    let locked = |error: Locked| Problem::new(StatusCode::FORBIDDEN, "locked", error.to_string());
    // Before it is recorded: the record tells of no change that was refused.
    gateway.bench.is_free().map_err(locked)?;
    let entry = Entry::change(&caller.name, "changed the approval policy", policy.name());
    let record = Body::new(&entry, Timestamp::now());
    gateway.clerk.take(Step::Note { record, once: None }).await?;
    gateway.bench.confirm_by(policy).map_err(locked)?;
    let decided = again(&gateway, policy, &caller.name).await?;
    Ok(Json(json!({ "v": VERSION, "approval_policy": policy.name(), "decided": decided }))
        .into_response())
}

async fn again(gateway: &Shared, policy: ApprovalPolicy, by: &str) -> Result<usize, Problem> {
    let mut decided = 0;
    let which = Which { status: Some(Status::Pending), ..Which::default() };
    let pending = gateway.read(move |store| every(store, which)).await?;
    for request in pending {
        let Some(status) = request.under(policy.confirmation()) else { continue };
        let close = Step::Close {
            id: request.id,
            status,
            by: by.to_owned(),
            reason: format!("the approval policy is now `{policy}`"),
        };
        if let Done::Closed(_, true) = Arc::clone(gateway).clerk.take(close).await? {
            decided += 1;
        }
    }
    Ok(decided)
}
