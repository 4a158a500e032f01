//! The way to a collector: a queue that is bounded, and one thread that empties it. Owns what becomes of what a collector does not take: it is tried again for
//! a while, then dropped, and what is dropped is counted, in `/metrics` and in the record.
//!
//! Nothing that is decided waits for any of it. A collector that is away or stands still holds up this thread alone; meanwhile the queue is full, and
//! whoever tells something is only counted.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use portcullis_core::network::Target;
use portcullis_net::{Client, GuardOptions, Limits, Request, Roots};
use tokio::{
    runtime,
    sync::{mpsc, watch},
    time::{Instant, sleep, sleep_until, timeout, timeout_at},
};

use super::{
    counts::Counts,
    message::Message,
    names::Of,
    otlp::{Signal, Teller, refused},
    told::{Event, nanos},
};
use crate::{
    approvals::{Clerk, Step},
    audit::{Body, Entry},
    config::{Protocol, SignalWord, Telemetry},
    guardian::{is_inside_by_itself, only_to},
};

/// How many events are sent together at most, and how long the first of them waits for others.
const TOGETHER: usize = 512;
const GATHER: Duration = Duration::from_secs(1);

/// How long one attempt may take, and how long it is tried again before something is dropped.
const PATIENCE: Duration = Duration::from_secs(10);
const HELD: Duration = Duration::from_secs(60);

/// The pauses between attempts: each twice the one before.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How long a gateway that ends waits for what is still to be told.
const LAST: Duration = Duration::from_secs(3);

/// How often the record is told of what was dropped.
const NOTED: Duration = Duration::from_secs(60);

/// The longest answer, and the longest file of headers.
const LONGEST: u64 = 64 << 10;

/// Why nothing can be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The collector is none that can be asked.
    #[error("`{endpoint}` cannot be a collector: {reason}")]
    Endpoint {
        /// Where it would be.
        endpoint: String,
        /// Why not.
        reason: String,
    },
    /// The file with headers cannot be used.
    #[error("the headers in `{path}` cannot be used: {reason}")]
    Headers {
        /// Which.
        path: String,
        /// Why.
        reason: String,
    },
    /// The system starts no thread.
    #[error("cannot start what tells a collector: {0}")]
    Thread(#[from] io::Error),
}

/// Where events are put.
pub(super) struct Outlet {
    sender: mpsc::Sender<Event>,
    counts: Arc<Counts>,
    /// What was dropped since the record was told of it.
    dropped: Arc<AtomicU64>,
    wants_logs: bool,
    wants_traces: bool,
    pub(super) wants_arguments: bool,
    ending: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
}

/// The thread that empties the queue.
struct Emptying {
    client: Client,
    endpoint: String,
    headers: Vec<(String, String)>,
    is_json: bool,
    signals: Vec<SignalWord>,
    every: Duration,
    teller: Teller,
    counts: Arc<Counts>,
    dropped: Arc<AtomicU64>,
    /// Where the record is told of what was dropped.
    clerk: Clerk,
    started: SystemTime,
    receiver: mpsc::Receiver<Event>,
    ending: watch::Receiver<bool>,
    noted: Option<Instant>,
}

/// What a collector made of what it was sent.
enum Taken {
    Whole,
    /// All but so many.
    Partly(u64),
    /// Nothing, and nothing next time.
    Refused,
    /// Nothing yet; in so long, where it says so.
    Later(Option<Duration>),
}

impl Outlet {
    /// Starts to empty a queue to a collector.
    pub(super) fn start(
        settings: &Telemetry,
        instance: String,
        counts: Arc<Counts>,
        clerk: Clerk,
    ) -> Result<Self, TelemetryError> {
        let Telemetry { endpoint, protocol, headers, signals, every, queue, arguments } = settings;
        let bad = |reason: String| TelemetryError::Endpoint { endpoint: endpoint.clone(), reason };
        let target = Target::read(endpoint).map_err(|error| bad(error.to_string()))?;
        let policy = only_to([(&target, is_inside_by_itself(&target))])
            .map_err(|error| bad(error.to_string()))?;
        let guard = GuardOptions { policy, ..GuardOptions::default() };
        let limits = Limits { redirects: 0, body: LONGEST, time: PATIENCE };
        let headers = headers.as_deref().map(read_headers).transpose()?.unwrap_or_default();
        let (sender, receiver) = mpsc::channel(*queue);
        let (ending, is_ending) = watch::channel(false);
        let (has_ended, ended) = watch::channel(false);
        let dropped = Arc::new(AtomicU64::new(0));
        let emptying = Emptying {
            client: Client::new(guard, Roots::System, limits),
            endpoint: endpoint.clone(),
            headers,
            is_json: *protocol == Protocol::Json,
            signals: signals.clone(),
            every: *every,
            teller: Teller { version: env!("CARGO_PKG_VERSION"), instance },
            counts: Arc::clone(&counts),
            dropped: Arc::clone(&dropped),
            clerk,
            started: SystemTime::now(),
            receiver,
            ending: is_ending,
            noted: None,
        };
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("telemetry".to_owned()).spawn(move || {
            runtime.block_on(emptying.run());
            has_ended.send_replace(true);
        })?;
        Ok(Self {
            sender,
            counts,
            dropped,
            wants_logs: signals.contains(&SignalWord::Logs),
            wants_traces: signals.contains(&SignalWord::Traces),
            wants_arguments: *arguments,
            ending,
            ended,
        })
    }

    /// Whether anything is told one by one.
    pub(super) const fn wants_events(&self) -> bool {
        self.wants_logs || self.wants_traces
    }

    /// How many events wait in the queue now.
    pub(super) fn waiting(&self) -> i64 {
        let waiting = self.sender.max_capacity().saturating_sub(self.sender.capacity());
        i64::try_from(waiting).unwrap_or(i64::MAX)
    }

    /// Tells something, or counts that it could not be told. It never waits.
    pub(super) fn tell(&self, mut event: Event) {
        if !self.wants_logs {
            event.log = None;
        }
        if !self.wants_traces {
            event.span = None;
        }
        let (logs, spans) = (u64::from(event.log.is_some()), u64::from(event.span.is_some()));
        if logs + spans == 0 {
            return;
        }
        if self.sender.try_send(event).is_err() {
            drop_some(&self.counts, &self.dropped, (Signal::Logs, logs), "queue full");
            drop_some(&self.counts, &self.dropped, (Signal::Traces, spans), "queue full");
        }
    }

    /// Tells what is still to be told, and no longer than a gateway may take to end.
    pub(super) async fn end(&self) {
        self.ending.send_replace(true);
        let mut ended = self.ended.clone();
        let told = ended.wait_for(|ended| *ended);
        // What is not told by then is lost with the process.
        let _ = timeout(2 * LAST, told).await;
    }
}

fn drop_some(counts: &Counts, dropped: &AtomicU64, (signal, count): (Signal, u64), why: &str) {
    if count > 0 {
        counts.add(Of::Dropped, &[signal.name(), why], count);
        dropped.fetch_add(count, Ordering::Relaxed);
    }
}

impl Emptying {
    async fn run(mut self) {
        let mut events = Vec::with_capacity(TOGETHER);
        let mut due = Instant::now() + self.every;
        let counts_too = self.signals.contains(&SignalWord::Metrics);
        loop {
            let is_ending = self.is_ending();
            if !is_ending {
                self.gather(&mut events, due).await;
            } else if self.receiver.try_recv().map(|event| events.push(event)).is_ok() {
                while events.len() < TOGETHER
                    && let Ok(event) = self.receiver.try_recv()
                {
                    events.push(event);
                }
            }
            self.tell(&events).await;
            let is_last = is_ending && events.len() < TOGETHER;
            events.clear();
            if counts_too && (is_last || Instant::now() >= due) {
                let waiting = i64::try_from(self.receiver.len()).unwrap_or(i64::MAX);
                self.counts.set(Of::Queue, waiting);
                let all = self.counts.all();
                let times = (nanos(self.started), nanos(SystemTime::now()));
                let metrics = self.teller.metrics(&all, times);
                self.send(Signal::Metrics, metrics).await;
            }
            if Instant::now() >= due {
                due = Instant::now() + self.every;
            }
            self.note(is_last).await;
            if is_last {
                return;
            }
        }
    }

    /// Whether the gateway ends, or is gone.
    fn is_ending(&self) -> bool {
        *self.ending.borrow() || self.receiver.is_closed()
    }

    /// What is told next: as much as is sent together, or what came within a while of the first; nothing where metrics are due, or it ends.
    async fn gather(&mut self, events: &mut Vec<Event>, due: Instant) {
        let first = tokio::select! {
            first = self.receiver.recv() => first,
            () = sleep_until(due) => None,
            _ = self.ending.wait_for(|ending| *ending) => None,
        };
        events.extend(first);
        if events.is_empty() {
            return;
        }
        let until = due.min(Instant::now() + GATHER);
        while events.len() < TOGETHER {
            let room = TOGETHER - events.len();
            let more = tokio::select! {
                more = timeout_at(until, self.receiver.recv_many(events, room)) => more,
                _ = self.ending.wait_for(|ending| *ending) => return,
            };
            if !more.is_ok_and(|more| more > 0) {
                return;
            }
        }
    }

    async fn tell(&mut self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let (logs, spans) = (self.teller.logs(events), self.teller.spans(events));
        self.send(Signal::Logs, logs).await;
        self.send(Signal::Traces, spans).await;
    }

    /// Sends something until it is taken, refused for good, or dropped.
    async fn send(&mut self, signal: Signal, request: Option<(Message, u64)>) {
        let Some((message, count)) = request else { return };
        let body =
            if self.is_json { message.json().to_string().into_bytes() } else { message.protobuf() };
        let begun = Instant::now();
        let mut pause = PAUSE;
        loop {
            let is_ending = self.is_ending();
            let attempt = self.attempt(signal, body.clone());
            let attempted = if is_ending {
                timeout(LAST, attempt).await.unwrap_or(Taken::Later(None))
            } else {
                attempt.await
            };
            let left = HELD.checked_sub(begun.elapsed());
            match (attempted, left) {
                (Taken::Whole, _) => {
                    return self.counts.add(Of::Exported, &[signal.name()], count);
                }
                (Taken::Partly(refused), _) => {
                    let refused = refused.min(count);
                    self.counts.add(Of::Exported, &[signal.name()], count - refused);
                    return self.drop_some(signal, refused, "refused");
                }
                (Taken::Refused, _) => return self.drop_some(signal, count, "refused"),
                (Taken::Later(_), _) if is_ending => {
                    return self.drop_some(signal, count, "unanswered");
                }
                // What is counted is told anew soon, in newer numbers.
                (Taken::Later(_), _) if signal == Signal::Metrics => {
                    return self.drop_some(signal, count, "unanswered");
                }
                (Taken::Later(_), None) => return self.drop_some(signal, count, "unanswered"),
                (Taken::Later(said), Some(left)) => {
                    self.note(false).await;
                    let wait = said.unwrap_or(pause).min(LONGEST_PAUSE).min(left);
                    pause = pause.saturating_mul(2);
                    tokio::select! {
                        () = sleep(wait) => {}
                        _ = self.ending.wait_for(|ending| *ending) => {}
                    }
                }
            }
        }
    }

    async fn attempt(&self, signal: Signal, body: Vec<u8>) -> Taken {
        let kind = if self.is_json { "application/json" } else { "application/x-protobuf" };
        let mut headers = vec![("content-type".to_owned(), kind.to_owned())];
        headers.extend(self.headers.iter().cloned());
        let request = Request {
            method: "POST".to_owned(),
            url: format!("{}/v1/{}", self.endpoint, signal.name()),
            headers,
            body: Some(body),
        };
        let Ok(response) = self.client.fetch(request, &mut |_| {}).await else {
            return Taken::Later(None);
        };
        match response.status {
            200..=299 => match refused(&response.body, self.is_json) {
                0 => Taken::Whole,
                count => Taken::Partly(count),
            },
            // As the protocol has it: these alone are sent again.
            429 | 502 | 503 | 504 => {
                let said = response.headers.iter().find(|(name, _)| name == "retry-after");
                let said = said.and_then(|(_, value)| std::str::from_utf8(value).ok());
                Taken::Later(said.and_then(|it| it.trim().parse().ok()).map(Duration::from_secs))
            }
            _ => Taken::Refused,
        }
    }

    fn drop_some(&self, signal: Signal, count: u64, why: &str) {
        drop_some(&self.counts, &self.dropped, (signal, count), why);
    }

    /// Tells the record of what was dropped since it was last told, now and then; and at the end.
    async fn note(&mut self, is_last: bool) {
        let is_time = self.noted.is_none_or(|noted| noted.elapsed() >= NOTED);
        if !(is_time || is_last) || self.dropped.load(Ordering::Relaxed) == 0 {
            return;
        }
        let count = self.dropped.swap(0, Ordering::Relaxed);
        self.noted = Some(Instant::now());
        let words = format!("{count} logs, spans and metrics, which no collector took");
        let entry = Entry::change("the gateway", "telemetry was dropped", words);
        let record = Body::new(&entry, Timestamp::now());
        // Where nothing can be recorded, nothing is decided either; it stays counted in `/metrics`.
        let noted = self.clerk.take(Step::Note { record, once: None });
        let _ = timeout(LAST, noted).await;
    }
}

/// The headers of a file: a line `NAME: VALUE` for each; empty lines and those that begin with `#` say nothing.
fn read_headers(path: &Path) -> Result<Vec<(String, String)>, TelemetryError> {
    let bad = |reason: String| TelemetryError::Headers { path: path.display().to_string(), reason };
    let file = fs::File::open(path).map_err(|error| bad(error.to_string()))?;
    let mut text = String::new();
    io::Read::read_to_string(&mut io::Read::take(file, LONGEST + 1), &mut text)
        .map_err(|error| bad(error.to_string()))?;
    if text.len() > usize::try_from(LONGEST).unwrap_or(usize::MAX) {
        return Err(bad("it is too long".to_owned()));
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    lines
        .map(|(line, number)| {
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| bad(format!("line {number} is not `NAME: VALUE`")))?;
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_of_a_file_line_by_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("headers");
        fs::write(&path, "# for the collector\n\nAuthorization: Bearer a:b\nx-team:  t \n")
            .unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            read_headers(&path).unwrap(),
            [pair("authorization", "Bearer a:b"), pair("x-team", "t")]
        );
        fs::write(&path, "secret\n").unwrap();
        let error = read_headers(&path).unwrap_err().to_string();
        assert!(error.contains("line 1 is not") && !error.contains("secret"), "{error}");
        fs::write(&path, "x".repeat(70 << 10)).unwrap();
        assert!(read_headers(&path).is_err());
        assert!(read_headers(&directory.path().join("none")).is_err());
    }
}
