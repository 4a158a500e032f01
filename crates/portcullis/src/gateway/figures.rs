//! What the dashboard shows: calls and answers over time, by project and by rule. Owns the sums. The record is read once, beginning when the gateway
//! does, and remembered by the hour, and what requests are about is too, so that a dashboard of a million records is as quick as one of a thousand;
//! calls of projects, and what became of requests, come from the store.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::approval::Status;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Gateway, Shared,
    problem::{Parameters, Problem},
    shapes::written,
};
use crate::{
    approvals::{About, Called, Counts, Hour, Ledger, Put, Step, hour_of, number_at},
    audit::AuditError,
    wire::VERSION,
};

/// The spans that are told of, in hours, and how many hours each stretch of one has.
const SPANS: [(i64, i64); 3] = [(24, 1), (7 * 24, 6), (30 * 24, 24)];

/// How many records are counted at a time, and how long one request counts them before it tells how far it came.
const STRIDE: u64 = 20_000;
const PATIENCE: Duration = Duration::from_millis(1_500);

/// How long they are counted in one go before anybody asked, and how long others come first then.
const AHEAD: Duration = Duration::from_millis(50);
const REST: Duration = Duration::from_millis(100);

/// The most requests that are summed up, the latest.
const MOST_PUT: u32 = 50_000;

/// How many requests it is asked at a time what they are about.
const ABOUT: usize = 1_000;

/// The most rules and projects that are told.
const RULES: usize = 15;
const PROJECTS: usize = 50;

/// How soon what projects called is kept.
const KEEP: Duration = Duration::from_secs(2);

/// What was read, and need not be read again.
#[derive(Default)]
pub(super) struct Remembered {
    /// Of the record, by the hour.
    record: Mutex<Sums>,
    /// Of requests.
    requests: Mutex<Subjects>,
}

#[derive(Default)]
struct Sums {
    /// The last record that was counted; nothing where none was yet.
    last: Option<u64>,
    hours: BTreeMap<i64, Hour>,
}

/// What requests are about, which never changes: the same for many.
#[derive(Default)]
struct Subjects {
    /// Which subject each request has, by the number of its record.
    of: HashMap<u64, usize>,
    all: Vec<Subject>,
    places: HashMap<Subject, usize>,
}

/// A project, and the rules that found something.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Subject {
    project: Option<String>,
    rules: String,
}

impl Remembered {
    /// Counts what was recorded since, for so long; whether all of it is counted.
    fn read(
        &self,
        store: &mut dyn Ledger,
        now: Timestamp,
        patience: Duration,
    ) -> Result<bool, AuditError> {
        let mut sums = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let head = store.head()?.sequence;
        let longest = SPANS.iter().map(|(hours, _)| *hours).max().unwrap_or_default();
        let oldest = hour_of(now).saturating_sub(longest);
        let mut last = match sums.last {
            Some(last) => last,
            None => {
                let from = Timestamp::from_second(oldest.saturating_mul(3_600));
                number_at(store, from.unwrap_or(Timestamp::MIN), head)?.saturating_sub(1)
            }
        };
        let begun = Instant::now();
        while last < head && begun.elapsed() < patience {
            let until = last.saturating_add(STRIDE).min(head);
            for (hour, Hour { counts, rules }) in store.decisions(last, until)? {
                let sum = sums.hours.entry(hour).or_default();
                sum.counts = sum.counts.and(counts);
                for (rule, count) in rules {
                    *sum.rules.entry(rule).or_default() += count;
                }
            }
            last = until;
        }
        sums.last = Some(last);
        sums.hours = sums.hours.split_off(&oldest);
        Ok(last >= head)
    }

    fn since(&self, hour: i64) -> BTreeMap<i64, Hour> {
        let sums = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        sums.hours.range(hour..).map(|(hour, sum)| (*hour, sum.clone())).collect()
    }

    /// What became of requests by what they are about, and how many were looked at.
    fn put(
        &self,
        store: &mut dyn Ledger,
        since: Timestamp,
    ) -> Result<(Vec<(Subject, Part)>, usize), AuditError> {
        let put = store.put(since, MOST_PUT)?;
        let mut subjects = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        subjects.learn(store, &put)?;
        let mut parts: Vec<(Subject, Part)> =
            subjects.all.iter().map(|subject| (subject.clone(), Part::default())).collect();
        for one in &put {
            let part = subjects.of.get(&one.number).and_then(|place| parts.get_mut(*place));
            if let Some((_, part)) = part {
                part.put(one);
            }
        }
        parts.retain(|(_, part)| part.asked > 0);
        Ok((parts, put.len()))
    }
}

impl Subjects {
    /// Asks what those are about of which it is not known yet.
    fn learn(&mut self, store: &mut dyn Ledger, put: &[Put]) -> Result<(), AuditError> {
        // What is too old to be told of is not kept for ever.
        if self.of.len() > 2 * MOST_PUT as usize {
            *self = Self::default();
        }
        let mut new: Vec<u64> = put
            .iter()
            .map(|one| one.number)
            .filter(|number| !self.of.contains_key(number))
            .collect();
        new.sort_unstable();
        for some in new.chunks(ABOUT) {
            let (Some(from), Some(to)) = (some.first(), some.last()) else { continue };
            for About { number, project, rules } in store.about(*from, *to)? {
                let subject = Subject { project, rules };
                let place = match self.places.get(&subject) {
                    Some(place) => *place,
                    None => {
                        self.all.push(subject.clone());
                        self.places.insert(subject, self.all.len() - 1);
                        self.all.len() - 1
                    }
                };
                self.of.insert(number, place);
            }
        }
        Ok(())
    }
}

/// Reads what the first dashboard needs before somebody asks for it, a little at a time.
pub(super) async fn read_ahead(gateway: Weak<Gateway>) {
    loop {
        let Some(open) = gateway.upgrade() else { return };
        let mut closed = open.closed.subscribe();
        let is_over = *closed.borrow_and_update();
        let remembering = Shared::clone(&open);
        let now = open.clerk.now();
        let read = open.read(move |store| {
            let is_whole = remembering.remembered.read(store, now, AHEAD)?;
            if is_whole {
                let longest = SPANS.iter().map(|(hours, _)| *hours).max().unwrap_or_default();
                let since = now.checked_sub(SignedDuration::from_hours(longest));
                remembering.remembered.put(store, since.unwrap_or(Timestamp::MIN))?;
            }
            Ok(is_whole)
        });
        // Who asks for a dashboard is told why it cannot be read.
        if is_over || read.await.unwrap_or(true) {
            return;
        }
        drop(open);
        tokio::select! {
            () = tokio::time::sleep(REST) => {}
            _ = closed.changed() => return,
        }
    }
}

/// Keeps what projects called, until the gateway ends.
pub(super) async fn keep(gateway: Weak<Gateway>) {
    loop {
        let Some(open) = gateway.upgrade() else { return };
        let mut closed = open.closed.subscribe();
        let is_over = *closed.borrow_and_update();
        let called = open.telemetry.taken();
        if !called.is_empty() {
            // Figures that cannot be kept are missing; no decision hangs on them.
            let _ = open.clerk.take(Step::Count(called)).await;
        }
        drop(open);
        if is_over {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(KEEP) => {}
            _ = closed.changed() => {}
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Wanted {
    hours: Option<i64>,
    project: Option<String>,
}

/// What is told of one part: of a project, or of a rule.
#[derive(Default)]
struct Part {
    counts: Counts,
    asked: u64,
    approved: u64,
    denied: u64,
    /// How long people took, in milliseconds.
    waits: Vec<u64>,
}

impl Part {
    fn put(&mut self, put: &Put) {
        self.asked += 1;
        match put.status {
            Status::Approved => self.approved += 1,
            Status::Denied => self.denied += 1,
            // Nobody answered what ran out of time, and the policy is no person.
            _ => return,
        }
        if let Some(decided) = put.decided {
            let waited = decided.duration_since(put.asked).as_millis();
            self.waits.push(u64::try_from(waited).unwrap_or_default());
        }
    }

    /// Takes another one as well.
    fn and(&mut self, other: &Self) {
        self.counts = self.counts.and(other.counts);
        self.asked = self.asked.saturating_add(other.asked);
        self.approved = self.approved.saturating_add(other.approved);
        self.denied = self.denied.saturating_add(other.denied);
        self.waits.extend_from_slice(&other.waits);
    }

    fn answered(&mut self) -> Value {
        self.waits.sort_unstable();
        let waits = &self.waits;
        let quantile = |part: usize| waits.get(waits.len().saturating_mul(part) / 100).copied();
        json!({
            "count": waits.len(), "p50": quantile(50), "p90": quantile(90), "p99": quantile(99),
            "sum": waits.iter().fold(0_u64, |sum, one| sum.saturating_add(*one)),
        })
    }
}

/// The last hours or days in numbers.
pub(super) async fn summary(
    State(gateway): State<Shared>,
    Parameters(Wanted { hours, project }): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let hours = hours.unwrap_or(24);
    let Some((_, stretch)) = SPANS.into_iter().find(|(span, _)| *span == hours) else {
        return Err(Problem::bad_input("`hours` must be 24, 168 or 720"));
    };
    let now = gateway.clerk.now();
    let since = now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::MIN);
    // Stretches are of whole hours: the first of them begins with one.
    let first = hour_of(now).saturating_sub(hours).saturating_add(1);
    let remembering = Shared::clone(&gateway);
    let (is_whole, called, (put, looked_at), pending) = gateway
        .read(move |store| {
            let is_whole = remembering.remembered.read(store, now, PATIENCE)?;
            let put = remembering.remembered.put(store, since)?;
            Ok((is_whole, store.called(first)?, put, store.pending()?))
        })
        .await?;
    let recorded = gateway.remembered.since(first);
    let is_cut = !is_whole || looked_at >= MOST_PUT as usize;
    let shape = told(&Read { first, hours, stretch, recorded, called, put }, project.as_deref());
    let Value::Object(mut shape) = shape else { return Ok(Json(shape).into_response()) };
    shape.extend([
        ("v".to_owned(), json!(VERSION)),
        ("since".to_owned(), json!(written(since))),
        ("span_hours".to_owned(), json!(hours)),
        ("cut".to_owned(), json!(is_cut)),
        ("pending".to_owned(), json!(pending)),
    ]);
    Ok(Json(shape).into_response())
}

/// What was read for one dashboard.
struct Read {
    first: i64,
    hours: i64,
    stretch: i64,
    recorded: BTreeMap<i64, Hour>,
    called: Vec<Called>,
    put: Vec<(Subject, Part)>,
}

fn told(read: &Read, project: Option<&str>) -> Value {
    let Read { first, hours, stretch, recorded, called, put } = read;
    let is_it = |name: Option<&str>| project.is_none() || name == project;
    // Of one project what it called is known hour by hour; of all, what the record has.
    let by_hour: Vec<(i64, Counts)> = match project {
        None => recorded.iter().map(|(hour, one)| (*hour, one.counts)).collect(),
        Some(_) => called
            .iter()
            .filter(|one| is_it(Some(&one.project)))
            .map(|one| (one.hour, one.counts))
            .collect(),
    };
    let stretches: Vec<Value> = (0..hours / stretch.max(&1))
        .map(|at| {
            let from = first.saturating_add(at * stretch);
            let within = by_hour.iter().filter(|(hour, _)| (from..from + stretch).contains(hour));
            let Counts { allowed, asked, denied } =
                within.fold(Counts::default(), |sum, (_, counts)| sum.and(*counts));
            let from = Timestamp::from_second(from.saturating_mul(3_600)).map(written).ok();
            json!({ "from": from, "allow": allowed, "ask": asked, "deny": denied })
        })
        .collect();
    let all = by_hour.iter().fold(Counts::default(), |sum, (_, counts)| sum.and(*counts));
    let mut answers = Part::default();
    let mut rules: BTreeMap<&str, Part> = BTreeMap::new();
    let mut projects: BTreeMap<&str, Part> = BTreeMap::new();
    for (subject, part) in put {
        let name = subject.project.as_deref();
        if let Some(name) = name {
            projects.entry(name).or_default().and(part);
        }
        if is_it(name) {
            answers.and(part);
            for rule in subject.rules.split_whitespace() {
                rules.entry(rule).or_default().and(part);
            }
        }
    }
    for Called { project, counts, .. } in called {
        let part = projects.entry(project).or_default();
        part.counts = part.counts.and(*counts);
    }
    // Questions that other programs asked their person are in the record, and no request.
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    if project.is_none() {
        for (rule, count) in recorded.values().flat_map(|hour| &hour.rules) {
            *found.entry(rule).or_default() += count;
        }
        for rule in found.keys() {
            rules.entry(rule).or_default();
        }
    }
    json!({
        "allow": all.allowed, "ask": all.asked, "deny": all.denied,
        "hours": stretches,
        "rules": rules_told(rules, &found),
        "projects": projects_told(projects),
        "answered_after_ms": answers.answered(),
    })
}

/// The rules that cost most: the time of people first, then how often they asked or refused.
fn rules_told(rules: BTreeMap<&str, Part>, found: &BTreeMap<&str, u64>) -> Vec<Value> {
    let mut rules: Vec<(&str, u64, u64, Part)> = rules
        .into_iter()
        .map(|(rule, part)| {
            let count = found.get(rule).copied().unwrap_or_default().max(part.asked);
            let waited = part.waits.iter().fold(0_u64, |sum, one| sum.saturating_add(*one));
            (rule, waited, count, part)
        })
        .collect();
    rules.sort_by_key(|(_, waited, count, _)| std::cmp::Reverse((*waited, *count)));
    let told = rules.into_iter().take(RULES).map(|(rule, waited, count, part)| {
        json!({
            "rule": rule, "count": count, "asked": part.asked, "approved": part.approved, "denied": part.denied,
            "waited_ms": waited,
        })
    });
    told.collect()
}

/// The projects, those that ask most in front.
fn projects_told(projects: BTreeMap<&str, Part>) -> Vec<Value> {
    let mut projects: Vec<(&str, Part)> = projects.into_iter().collect();
    projects.sort_by_key(|(_, part)| std::cmp::Reverse((part.asked, part.counts.allowed)));
    let told = projects.into_iter().take(PROJECTS).map(|(project, mut part)| {
        let Counts { allowed, asked, denied } = part.counts;
        json!({
            "project": project, "allow": allowed, "ask": asked, "deny": denied, "asked": part.asked,
            "approved": part.approved, "denied": part.denied, "answered_after_ms": part.answered(),
        })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use portcullis_core::{call::ToolCall, policy::Context};

    use super::*;
    use crate::{
        approvals::{Book, Question, Reply, Source},
        audit::Body,
        session::{Options, Session},
    };

    fn asked(book: &mut Book, command: &str, project: &str, now: Timestamp) -> Question {
        let session = Session::open(Options { unrecorded: true, ..Options::default() });
        let judged = session.consider(ToolCall::shell(command), Context::default()).unwrap();
        let hour = Duration::from_secs(3_600);
        let mut question = Question::about(&judged, "agents", 1, hour).unwrap();
        question.belongs_to(Some(project));
        let record = Body::new(&judged.entry(), now);
        let asks = Box::new(question.clone());
        let step = Step::Ask { question: asks, record, once: None, resumes: false, most: 9 };
        book.take(&[step]).unwrap();
        question
    }

    #[test]
    fn what_requests_are_about_is_asked_once_and_what_became_of_them_each_time() {
        let state = tempfile::tempdir().unwrap();
        let mut book = Book::of(&Source::directory(state.path())).unwrap();
        let (remembered, now) = (Remembered::default(), book.store().time().unwrap());
        let since = now - SignedDuration::from_hours(1);
        let first = asked(&mut book, "rm -rf /srv/a", "pay", now);
        asked(&mut book, "rm -rf /srv/b", "pay", now);
        asked(&mut book, "rm -rf /srv/c", "web", now);
        let told = |book: &mut Book| {
            let (parts, many) = remembered.put(book.store(), since).unwrap();
            let each = parts.iter().map(|(one, part)| {
                (one.project.clone().unwrap_or_default(), part.asked, part.approved)
            });
            let mut each: Vec<_> = each.collect();
            each.sort();
            (each, many)
        };
        let pay = |approved| ("pay".to_owned(), 2, approved);
        let web = ("web".to_owned(), 1, 0);
        assert_eq!(told(&mut book), (vec![pay(0), web.clone()], 3));
        let known = |remembered: &Remembered| remembered.requests.lock().unwrap().of.clone();
        let before = known(&remembered);
        assert_eq!(before.len(), 3);
        let yes = Reply {
            id: first.id,
            approver: "eve".to_owned(),
            origin: "web".to_owned(),
            approves: true,
            action: first.action.clone(),
            reason: None,
            modified: None,
            right: None,
            counts: true,
        };
        book.take(&[Step::Answer(Box::new(yes))]).unwrap();
        assert_eq!(told(&mut book), (vec![pay(1), web], 3));
        assert_eq!(known(&remembered), before);
        // Nothing is left of it once it is too old, and what is read anew is the same.
        remembered.requests.lock().unwrap().of.clear();
        assert_eq!(told(&mut book).1, 3);
        assert_eq!(known(&remembered).len(), 3);
    }

    #[test]
    fn the_record_is_read_on_from_where_it_was_left() {
        let state = tempfile::tempdir().unwrap();
        let mut book = Book::of(&Source::directory(state.path())).unwrap();
        let (remembered, now) = (Remembered::default(), book.store().time().unwrap());
        asked(&mut book, "rm -rf /srv/a", "pay", now);
        let count = |remembered: &Remembered| {
            remembered.since(0).values().map(|hour| hour.counts.asked).sum::<u64>()
        };
        // Without any time nothing is read, and that is said.
        assert!(!remembered.read(book.store(), now, Duration::ZERO).unwrap());
        assert_eq!(count(&remembered), 0);
        assert!(remembered.read(book.store(), now, PATIENCE).unwrap());
        assert_eq!(count(&remembered), 1);
        asked(&mut book, "rm -rf /srv/b", "pay", now);
        assert!(remembered.read(book.store(), now, PATIENCE).unwrap());
        assert_eq!(count(&remembered), 2);
    }
}
