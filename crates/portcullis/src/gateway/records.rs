//! The record over HTTP. Owns filters, pages and the proof of one record's place in the chain; what a record is, `audit` says.

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::{decision::Verdict, risk::Risk};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

use super::{
    Shared,
    problem::{Parameters, Problem},
};
use crate::{
    approvals::{Ledger, number_at},
    audit::{
        AuditError, Filter, Hash, Kind, Record,
        export::{Format, export, json as record_shape},
    },
    wire::VERSION,
};

/// The most records of one page.
const PAGE: u32 = 1_000;

/// How many numbers are looked at together at first, and at most; and how long one request looks.
const STRIDE: u64 = 2_000;
const LONGEST_STRIDE: u64 = 32_000;
const PATIENCE: Duration = Duration::from_millis(120);

/// How far apart clocks may be before a record is looked for where it does not stand.
const DRIFT: SignedDuration = SignedDuration::from_hours(2);

/// How much of an export is made before somebody takes it.
const CHUNK: usize = 64 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    risk: Option<String>,
    #[serde(default)]
    decision: Option<String>,
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    until: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    before: Option<u64>,
    #[serde(default)]
    after: Option<u64>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    format: Option<String>,
}

impl Wanted {
    fn format(&self) -> Result<Format, Problem> {
        let Some(name) = self.format.as_deref() else { return Ok(Format::JsonLines) };
        match Format::ALL.into_iter().find(|format| format.name() == name) {
            Some(format) => Ok(format),
            None => Err(Problem::bad_input("`format` must be jsonl, csv, ocsf or cef")),
        }
    }

    fn filter(&self) -> Result<Filter, Problem> {
        let named = |word: &Option<String>| word.clone().filter(|word| !word.is_empty());
        let kind = self.kind.as_deref().map(|word| {
            let found = Kind::ALL.into_iter().find(|kind| kind.name() == word);
            found.ok_or_else(|| {
                Problem::bad_input("`kind` must be decision, answer, outcome, or change")
            })
        });
        let decision = self.decision.as_deref().map(|word| {
            let all = [Verdict::Allow, Verdict::Ask, Verdict::Deny];
            let found = all.into_iter().find(|verdict| verdict.name() == word);
            found.ok_or_else(|| Problem::bad_input("`decision` must be allow, ask, or deny"))
        });
        let risk = self.risk.as_deref().map(|word| {
            word.parse::<Risk>().map_err(|error| Problem::bad_input(error.to_string()))
        });
        let time = |name: &str, word: &Option<String>| {
            word.as_ref()
                .map(|word| {
                    word.parse::<Timestamp>().map_err(|error| {
                        Problem::bad_input(format!("`{name}` must be a time of RFC 3339: {error}"))
                    })
                })
                .transpose()
        };
        Ok(Filter {
            kind: kind.transpose()?,
            risk: risk.transpose()?,
            decision: decision.transpose()?,
            since: time("since", &self.since)?,
            until: time("until", &self.until)?,
            agent: named(&self.agent),
            session: named(&self.session),
            before: self.before,
            after: self.after,
            refers_to: None,
            text: named(&self.text),
            limit: None,
        })
    }
}

pub(super) async fn list(
    State(gateway): State<Shared>,
    Parameters(wanted): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let limit = wanted.limit.unwrap_or(100).clamp(1, PAGE);
    // One list of parameters serves both; what makes no sense is wrong here too.
    wanted.format()?;
    let filter = wanted.filter()?;
    let (records, head, before) = gateway
        .read(move |store| {
            let head = store.head()?.sequence;
            let looked = looked(store, &filter, (limit as usize, head))?;
            Ok((looked.records, head, looked.before))
        })
        .await?;
    let records: Vec<Value> = records
        .into_iter()
        .map(|record| match record {
            Ok(record) => record_shape(&record),
            // It is there, and cannot be read: that is what to say of it.
            Err(error) => json!({ "unreadable": error }),
        })
        .collect();
    // The newest first, as a person reads them.
    let records: Vec<Value> = records.into_iter().rev().collect();
    let mut shape = json!({ "v": VERSION, "head": head, "records": records });
    if let (Some(before), Some(object)) = (before, shape.as_object_mut()) {
        object.insert("before".to_owned(), json!(before));
    }
    Ok(Json(shape).into_response())
}

/// What was found, the oldest first, and before which record it was not looked any more.
#[derive(Default)]
struct Looked {
    records: Vec<Result<Record, String>>,
    before: Option<u64>,
}

/// Looks for records from the newest on, part by part, until enough are found or it took long enough: what few records are like is looked for by several
/// requests, of which each says where the next goes on, and none holds anybody up.
fn looked(
    store: &mut dyn Ledger,
    filter: &Filter,
    (limit, head): (usize, u64),
) -> Result<Looked, AuditError> {
    let after = filter.after.unwrap_or(0);
    let mut before = filter.before.unwrap_or(u64::MAX).min(head.saturating_add(1));
    // Clocks go back now and then: a record that is a little older may stand behind.
    if let Some(until) = filter.until.and_then(|until| until.checked_add(DRIFT).ok()) {
        before = before.min(number_at(store, until, head)?);
    }
    let floor = match filter.since.and_then(|since| since.checked_sub(DRIFT).ok()) {
        Some(since) => after.max(number_at(store, since, head)?.saturating_sub(1)),
        None => after,
    };
    let (begun, mut stride) = (Instant::now(), STRIDE);
    let mut parts = Vec::new();
    let mut found = 0;
    while found < limit && before > floor.saturating_add(1) && begun.elapsed() < PATIENCE {
        let from = before.saturating_sub(1).saturating_sub(stride).max(floor);
        let left = limit - found;
        let part = Filter {
            before: Some(before),
            after: Some(from),
            limit: Some(u32::try_from(left).unwrap_or(PAGE)),
            ..filter.clone()
        };
        let mut records = Vec::new();
        store.each(&part, &mut |record| {
            records.push(record);
            ControlFlow::Continue(())
        })?;
        found += records.len();
        before = from.saturating_add(1);
        if records.len() >= left {
            let first = records.iter().find_map(|record| record.as_ref().ok());
            before = first.map_or(before, |record| record.sequence);
        }
        parts.push(records);
        stride = stride.saturating_mul(2).min(LONGEST_STRIDE);
    }
    let records = parts.into_iter().rev().flatten();
    let records = records.map(|record| record.map_err(|error| error.to_string())).collect();
    Ok(Looked { records, before: Some(before).filter(|before| *before > floor.saturating_add(1)) })
}

/// One record with its proof: that its hash is the one of its fields, and that it hangs together with its neighbours.
pub(super) async fn show(
    State(gateway): State<Shared>,
    Path(sequence): Path<u64>,
) -> Result<Response, Problem> {
    let found = gateway
        .read(move |store| {
            let record = store.record(sequence)?;
            let before = match sequence.checked_sub(1) {
                Some(before) if before > 0 => store.record(before)?.map(|record| record.hash),
                _ => Some(Hash::GENESIS),
            };
            let after = store.record(sequence.saturating_add(1))?.map(|record| record.previous);
            let about = Filter {
                after: Some(sequence),
                refers_to: Some(sequence),
                limit: Some(PAGE),
                ..Filter::default()
            };
            let mut related = Vec::new();
            store.each(&about, &mut |other| {
                related.extend(other.as_ref().ok().map(record_shape));
                ControlFlow::Continue(())
            })?;
            Ok((record, before, after, related))
        })
        .await?;
    let (Some(record), before, after, related) = found else {
        return Err(Problem::unknown("record"));
    };
    let shape = json!({
        "v": VERSION,
        "record": record_shape(&record),
        "proof": proof(&record, before, after),
        "related": related,
    });
    Ok(Json(shape).into_response())
}

fn proof(record: &Record, before: Option<Hash>, after: Option<Hash>) -> Value {
    let computed = record.computed_hash();
    json!({
        "hash": record.hash.to_string(),
        "computed": computed.to_string(),
        "hash_is_of_these_fields": computed == record.hash,
        "follows_the_one_before": before.map(|hash| hash == record.previous),
        "is_followed": after.map(|previous| previous == record.hash),
    })
}

/// The whole chain, looked through.
pub(super) async fn verify(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let source = gateway.clerk.source().clone();
    let verified =
        tokio::task::spawn_blocking(move || source.log().and_then(|mut log| log.verify(&[])));
    let verified = verified.await.map_err(|_| crate::approvals::ClerkError::Closed)??;
    let problems: Vec<String> = verified.problems.iter().map(ToString::to_string).collect();
    Ok(Json(json!({
        "v": VERSION,
        "intact": verified.is_intact(),
        "records": verified.records,
        "head": { "sequence": verified.head.sequence, "hash": verified.head.hash.to_string() },
        "problems": problems,
    }))
    .into_response())
}

/// Everything that a filter wants, as a stream that is made no faster than it is taken.
pub(super) async fn export_all(
    State(gateway): State<Shared>,
    Parameters(wanted): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let format = wanted.format()?;
    let kind = match format {
        Format::JsonLines | Format::Ocsf => "application/jsonl",
        Format::Csv => "text/csv; charset=utf-8",
        Format::Cef => "text/plain; charset=utf-8",
    };
    let filter = Filter { limit: wanted.limit, ..wanted.filter()? };
    let (sender, receiver) = mpsc::channel(2);
    let gateway = Arc::clone(&gateway);
    tokio::task::spawn_blocking(move || {
        let mut out = Chunks { chunk: Vec::with_capacity(CHUNK), sender };
        let exported = gateway
            .clerk
            .source()
            .log()
            .map_err(Into::into)
            .and_then(|mut log| export(&mut log, &filter, format, &mut out));
        if exported.is_err() || out.flush().is_err() {
            // Cut off, so that nobody takes it for the whole.
            let broken = io::Error::other("the record could not be read to its end");
            let _ = out.sender.blocking_send(Err(broken));
        }
    });
    let body = Body::from_stream(tokio_stream::wrappers::ReceiverStream::new(receiver));
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, kind)], body).into_response())
}

struct Chunks {
    chunk: Vec<u8>,
    sender: mpsc::Sender<io::Result<Bytes>>,
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = Bytes::from(std::mem::take(&mut self.chunk));
        let sent = self.sender.blocking_send(Ok(chunk));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
