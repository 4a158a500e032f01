//! The record at a glance: sessions, and what a dashboard shows. Owns the sums; it reads the latest part of the record, and says how much.

use std::{collections::BTreeMap, ops::ControlFlow};

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::{approval::Status, decision::Verdict};
use serde_json::{Value, json};

use super::{Shared, problem::Problem, shapes::written};
use crate::{
    audit::{Filter, Kind, Record},
    wire::VERSION,
};

/// How many of the latest records are summed up.
const LATEST: u32 = 20_000;

/// The most sessions and rules that are told.
const TOLD: usize = 200;
const RULES: usize = 15;

/// How many stretches of time the decisions of a day are told in.
const HOURS: i64 = 24;

async fn latest(gateway: &Shared, since: Option<Timestamp>) -> Result<Vec<Record>, Problem> {
    let filter = Filter { limit: Some(LATEST), since, ..Filter::default() };
    gateway
        .read(move |store| {
            let mut records = Vec::new();
            store.each(&filter, &mut |record| {
                // What cannot be read is told of where the record is verified.
                records.extend(record);
                ControlFlow::Continue(())
            })?;
            Ok(records)
        })
        .await
}

#[derive(Default)]
struct Sums {
    agent: Option<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    counts: [u64; 3],
}

/// Whether an outcome is a person's word.
fn is_a_persons(outcome: Option<&str>) -> bool {
    [Status::Approved, Status::Denied].iter().any(|status| outcome == Some(status.name()))
}

fn count(counts: &mut [u64; 3], verdict: Option<Verdict>) {
    let [allow, ask, deny] = counts;
    match verdict {
        Some(Verdict::Allow) => *allow += 1,
        Some(Verdict::Ask) => *ask += 1,
        Some(Verdict::Deny) => *deny += 1,
        None => {}
    }
}

pub(super) async fn sessions(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let mut sessions: BTreeMap<String, Sums> = BTreeMap::new();
    for record in latest(&gateway, None).await? {
        let entry = record.entry;
        let Some(session) = entry.session else { continue };
        if entry.kind != Kind::Decision {
            continue;
        }
        let sums = sessions.entry(session).or_default();
        sums.agent = entry.agent.or(sums.agent.take());
        sums.first.get_or_insert(record.time);
        sums.last = Some(record.time);
        count(&mut sums.counts, entry.decision);
    }
    let mut sessions: Vec<(String, Sums)> = sessions.into_iter().collect();
    sessions.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.last));
    let shapes: Vec<Value> = sessions
        .into_iter()
        .take(TOLD)
        .map(|(session, Sums { agent, first, last, counts: [allow, ask, deny] })| {
            json!({
                "session": session, "agent": agent, "first": first.map(written), "last": last.map(written),
                "allow": allow, "ask": ask, "deny": deny,
            })
        })
        .collect();
    Ok(Json(json!({ "v": VERSION, "sessions": shapes })).into_response())
}

pub(super) async fn summary(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let now = Timestamp::now();
    let since = now.checked_sub(SignedDuration::from_hours(HOURS)).unwrap_or(Timestamp::MIN);
    let mut all = [0; 3];
    let mut hours = vec![[0_u64; 3]; usize::try_from(HOURS).unwrap_or(24)];
    let mut rules: BTreeMap<String, u64> = BTreeMap::new();
    let mut asked: BTreeMap<u64, Timestamp> = BTreeMap::new();
    let mut waits: Vec<i64> = Vec::new();
    let records = latest(&gateway, Some(since)).await?;
    let cut = records.len() >= LATEST as usize;
    for record in records {
        let entry = record.entry;
        match entry.kind {
            Kind::Decision => {
                count(&mut all, entry.decision);
                let hour = record.time.duration_since(since).as_secs() / 3_600;
                if let Some(hour) = usize::try_from(hour).ok().and_then(|hour| hours.get_mut(hour))
                {
                    count(hour, entry.decision);
                }
                if entry.decision != Some(Verdict::Allow) {
                    for rule in entry.rules {
                        *rules.entry(rule).or_default() += 1;
                    }
                }
                if entry.decision == Some(Verdict::Ask) {
                    asked.insert(record.sequence, record.time);
                }
            }
            // Nobody answered what ran out of time, and the policy is no person.
            Kind::Answer if is_a_persons(entry.outcome.as_deref()) => {
                if let Some(began) = entry.refers_to.and_then(|sequence| asked.remove(&sequence)) {
                    waits.push(
                        i64::try_from(record.time.duration_since(began).as_millis())
                            .unwrap_or(i64::MAX),
                    );
                }
            }
            Kind::Answer | Kind::Outcome | Kind::Change => {}
        }
    }
    waits.sort_unstable();
    let quantile = |part: usize| waits.get(waits.len().saturating_mul(part) / 100).copied();
    let mut rules: Vec<(String, u64)> = rules.into_iter().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let rules: Vec<Value> = rules
        .into_iter()
        .take(RULES)
        .map(|(rule, count)| json!({ "rule": rule, "count": count }))
        .collect();
    let [allow, ask, deny] = all;
    let shapes: Vec<Value> = hours
        .iter()
        .zip(0..)
        .map(|([allow, ask, deny], hour)| {
            let from = since.checked_add(SignedDuration::from_hours(hour)).unwrap_or(since);
            json!({ "from": written(from), "allow": allow, "ask": ask, "deny": deny })
        })
        .collect();
    let pending = gateway.read(|store| store.pending()).await?;
    Ok(Json(json!({
        "v": VERSION,
        "since": written(since),
        "cut": cut,
        "allow": allow, "ask": ask, "deny": deny,
        "pending": pending,
        "hours": shapes,
        "rules": rules,
        "answered_after_ms": { "count": waits.len(), "p50": quantile(50), "p90": quantile(90), "p99": quantile(99) },
    }))
    .into_response())
}
