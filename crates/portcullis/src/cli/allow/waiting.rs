//! What waits for an answer. Owns which records those are, and their listing.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
};

use jiff::Timestamp;
use portcullis_core::decision::{Layer, Verdict};

use super::{Which, duration, failure};
use crate::{
    audit::{Filter, Kind, Log, Record},
    cli::Failure,
    report::visible,
};

/// How many are listed.
const LISTED: usize = 10;

/// How many records of each sort are looked through for them.
const LOOKED_AT: u32 = 300;

/// The most characters of a call in a list.
const MAX_PREVIEW: usize = 100;

/// Whether a decision asks for an answer, or was denied only because nobody could be asked.
fn asks(record: &Record) -> bool {
    let entry = &record.entry;
    entry.kind == Kind::Decision
        && entry.action.is_some()
        && match entry.decision {
            Some(Verdict::Ask) => true,
            Some(Verdict::Deny) => entry.layer == Some(Layer::Person),
            Some(Verdict::Allow) | None => false,
        }
}

/// The newest decisions that nobody answered, each action once, oldest first.
fn waiting(log: &mut Log) -> Result<Vec<Record>, Failure> {
    let mut newest = |kind, decision| {
        let filter =
            Filter { kind: Some(kind), decision, limit: Some(LOOKED_AT), ..Filter::default() };
        log.list(&filter).map_err(|error| failure(&error))
    };
    let answered: HashSet<u64> = newest(Kind::Answer, Some(Verdict::Allow))?
        .iter()
        .filter_map(|answer| answer.entry.refers_to)
        .collect();
    let mut decisions = newest(Kind::Decision, Some(Verdict::Ask))?;
    decisions.extend(newest(Kind::Decision, Some(Verdict::Deny))?);
    decisions.extend(newest(Kind::Decision, Some(Verdict::Allow))?);
    decisions.sort_by_key(|record| record.sequence);
    // What became of an action last is what it waits for.
    let mut last: BTreeMap<Option<String>, Record> = BTreeMap::new();
    for record in decisions {
        last.insert(record.entry.action.clone(), record);
    }
    let mut waiting: Vec<Record> = last
        .into_values()
        .filter(|record| asks(record) && !answered.contains(&record.sequence))
        .collect();
    waiting.sort_by_key(|record| record.sequence);
    Ok(waiting)
}

/// The list of what waits.
pub(super) fn page(log: &mut Log, now: Timestamp) -> Result<String, Failure> {
    let waiting = waiting(log)?;
    if waiting.is_empty() {
        return Ok("nothing waits for an answer\n".to_owned());
    }
    let mut page = String::new();
    for record in waiting.iter().skip(waiting.len().saturating_sub(LISTED)) {
        let entry = &record.entry;
        let risk = entry.risk.map_or("", |risk| risk.name());
        let preview: String = visible::line(entry.preview.as_deref().unwrap_or_default())
            .chars()
            .take(MAX_PREVIEW)
            .collect();
        let agent: String =
            visible::line(entry.agent.as_deref().unwrap_or("-")).chars().take(12).collect();
        let ago = duration::words(now.duration_since(record.time));
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "{:>6}  {ago:<22} ago  {agent:<12}  {risk:<8}  {preview}",
            record.sequence
        );
    }
    page.push_str("\n`portcullis allow NUMBER` lets one of them through once, `portcullis allow --last` the newest\n");
    Ok(page)
}

/// The record that was asked for, as it was written.
pub(super) fn chosen(log: &mut Log, which: Which) -> Result<Record, Failure> {
    let record = match which {
        Which::Last => {
            waiting(log)?.pop().ok_or_else(|| Failure::bad_input("nothing waits for an answer"))?
        }
        Which::Record(sequence) => {
            log.record(sequence).map_err(|error| failure(&error))?.ok_or_else(|| {
                Failure::bad_input(format_args!("there is no record {sequence}"))
                    .with_help("`portcullis allow` lists what waits for an answer")
            })?
        }
    };
    let sequence = record.sequence;
    if record.computed_hash() != record.hash {
        return Err(Failure::bad_input(format_args!(
            "record {sequence} was changed after it was written"
        ))
        .with_help("`portcullis audit verify` says what else was"));
    }
    if asks(&record) {
        return Ok(record);
    }
    Err(match (record.entry.kind, record.entry.decision) {
        (Kind::Decision, Some(Verdict::Deny)) => Failure::denied(format_args!(
            "record {sequence} was denied by the {}, which nobody can answer",
            record.entry.layer.map_or("policy", Layer::name)
        ))
        .with_help(format_args!("`portcullis audit show {sequence}` shows why")),
        (Kind::Decision, Some(Verdict::Allow)) => {
            Failure::bad_input(format_args!("record {sequence} was allowed already"))
        }
        _ => Failure::bad_input(format_args!("record {sequence} asks for nothing")),
    })
}
