//! The one who writes. Owns the thread through which everything a gateway stores goes, so that many callers share one commit, and that
//! whoever waits for a request is told when it is decided, here or in another process.

use std::{
    collections::HashMap,
    path::Path,
    pin::pin,
    sync::{
        Arc, Condvar, Mutex, PoisonError, Weak,
        mpsc::{self, RecvTimeoutError},
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::approval::Status;
use tokio::{
    runtime::RuntimeFlavor,
    sync::{oneshot, watch},
};

use super::{
    request::{Id, Request},
    source::Source,
    store::{Done, Ledger, Step},
    token::Token,
};
use crate::audit::{
    Anchor, Appended, AuditError, Body, Filter, HeadFile, Log, Opens, Record, Store, Trace,
    Visitor, Whose,
};

/// The most steps that share a commit.
const TOGETHER: usize = 256;

/// The most steps that wait to be taken. Whoever comes then is refused, so that nothing piles up without end.
const QUEUE: usize = 16_384;

/// How long it is waited before a store that cannot be read is read again.
const AGAIN: Duration = Duration::from_millis(50);

/// How often what nobody decided is closed.
const SWEEP: Duration = Duration::from_millis(500);

/// How often the chains of gateways that share a store are tied to each other.
const TIE: Duration = Duration::from_secs(60);

/// How long somebody waits for a connection that reads.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many connections are kept for the next one who reads.
const KEPT: usize = 8;

/// Why something was not stored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClerkError {
    /// The store refused it.
    #[error(transparent)]
    Store(#[from] Arc<AuditError>),
    /// Too much waits to be stored.
    #[error("too many decisions wait to be recorded")]
    Overloaded,
    /// It is shutting down.
    #[error("the gateway is shutting down")]
    Closed,
}

impl From<AuditError> for ClerkError {
    fn from(error: AuditError) -> Self {
        Self::Store(Arc::new(error))
    }
}

/// The store of one directory: opened for one task, and closed again.
pub struct Book {
    store: Box<dyn Ledger>,
    head: HeadFile,
    /// Where the chain ended when something was taken last.
    last: u64,
}

impl Book {
    /// Opens the store of a state directory, and makes what is missing.
    ///
    /// # Errors
    /// When anyone else could change it, or it cannot be opened.
    pub fn open(directory: &Path) -> Result<Self, AuditError> {
        Self::of(&Source::directory(directory))
    }

    /// Opens a store, wherever it is.
    ///
    /// # Errors
    /// As [`Book::open`].
    pub fn of(source: &Source) -> Result<Self, AuditError> {
        let (mut store, head) = source.writer()?;
        let last = store.head()?.sequence;
        Ok(Self { store, head, last })
    }

    /// The store.
    pub fn store(&mut self) -> &mut dyn Ledger {
        &mut *self.store
    }

    /// Takes steps now, and moves the witness of the chain's end on.
    ///
    /// # Errors
    /// Nothing was done then.
    pub fn take(&mut self, steps: &[Step]) -> Result<Vec<Done>, AuditError> {
        let now = self.store.time()?;
        self.take_at(steps, now)
    }

    /// As [`Book::take`], at a given time.
    ///
    /// # Errors
    /// As [`Book::take`].
    pub fn take_at(&mut self, steps: &[Step], now: Timestamp) -> Result<Vec<Done>, AuditError> {
        let known = self.head.read()?.anchor();
        let taken = self.store.take(steps, now, known)?;
        if taken.known_holds {
            // What is stored is durable; a head that stays behind only tells less.
            let _behind = self.head.advance(taken.head);
        }
        self.last = taken.head.sequence;
        Ok(taken.done)
    }
}

type Answered = oneshot::Sender<Result<Done, ClerkError>>;

/// The way to the thread that writes; cheap to clone.
#[derive(Clone)]
pub struct Clerk {
    steps: mpsc::SyncSender<(Step, Answered)>,
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<HashMap<Id, Vec<oneshot::Sender<()>>>>,
    /// Where the chain ends, as far as anybody here has seen.
    head: watch::Sender<u64>,
    /// Connections that only read, for those who need one, and how many there are in all.
    readers: Mutex<(Vec<Box<dyn Ledger>>, usize)>,
    /// One of them is free.
    free: Condvar,
    source: Source,
    /// The time of the store, and when that was by a clock that nobody sets.
    time: Mutex<Option<(Timestamp, Instant)>>,
}

/// Somebody who waits for a request to be decided.
pub struct Waiting(oneshot::Receiver<()>);

impl Waiting {
    /// Ends when the request may have been decided.
    pub async fn told(self) {
        // A sender that is gone says as much: look again.
        let _ = self.0.await;
    }
}

impl Clerk {
    /// Starts writing to the store of a state directory.
    ///
    /// # Errors
    /// When it cannot be opened, or no thread can be started.
    pub fn start(directory: &Path) -> Result<Self, AuditError> {
        let source = Source::directory(directory);
        let book = Book::of(&source)?;
        Self::over(source, book)
    }

    /// Starts writing to a store that was opened.
    ///
    /// # Errors
    /// As [`Clerk::start`].
    pub fn over(source: Source, book: Book) -> Result<Self, AuditError> {
        let head = book.last;
        let shared = Arc::new(Shared {
            waiting: Mutex::default(),
            head: watch::Sender::new(head),
            readers: Mutex::default(),
            free: Condvar::new(),
            source,
            time: Mutex::default(),
        });
        let (steps, received) = mpsc::sync_channel(QUEUE);
        let told = Arc::downgrade(&shared);
        let watcher = Arc::downgrade(&shared);
        let lookout = shared.source.lookout()?;
        let ties = shared.source.is_shared();
        let started = thread::Builder::new()
            .name("clerk".to_owned())
            .spawn(move || write(book, ties, &received, &told))
            .and_then(|_| {
                thread::Builder::new()
                    .name("lookout".to_owned())
                    .spawn(move || look_out(lookout, &watcher))
            });
        started.map_err(AuditError::Thread)?;
        Ok(Self { steps, shared })
    }

    /// Where it writes.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.shared.source
    }

    /// What time it is for everybody who shares the store.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        if !self.shared.source.is_shared() {
            return Timestamp::now();
        }
        let measured = *self.shared.time.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = |(time, since): (Timestamp, Instant)| time.checked_add(since.elapsed()).ok();
        measured.and_then(elapsed).unwrap_or_else(Timestamp::now)
    }

    /// Does one thing, together with what others hand in at the same time; when this returns, it survives a loss of power.
    ///
    /// # Errors
    /// Nothing was done then, or it cannot be known any more.
    pub async fn take(&self, step: Step) -> Result<Done, ClerkError> {
        self.hand_in(step)?.await.map_err(|_| ClerkError::Closed)?
    }

    /// Does several things in this order, together as far as it goes; what came of each. One that fails takes none of the others with it that were
    /// done before.
    ///
    /// # Errors
    /// As [`Clerk::take`], of the first that was not done.
    pub async fn take_all(&self, steps: Vec<Step>) -> Result<Vec<Done>, ClerkError> {
        let handed: Vec<_> =
            steps.into_iter().map(|step| self.hand_in(step)).collect::<Result<_, _>>()?;
        let mut done = Vec::with_capacity(handed.len());
        for one in handed {
            done.push(one.await.map_err(|_| ClerkError::Closed)??);
        }
        Ok(done)
    }

    /// As [`Clerk::take`], for those whose thread may wait, whatever else runs on it.
    ///
    /// # Errors
    /// As [`Clerk::take`].
    pub fn take_blocking(&self, step: Step) -> Result<Done, ClerkError> {
        waited_for(self.hand_in(step)?).map_err(|_| ClerkError::Closed)?
    }

    fn hand_in(
        &self,
        step: Step,
    ) -> Result<oneshot::Receiver<Result<Done, ClerkError>>, ClerkError> {
        let (sender, receiver) = oneshot::channel();
        self.steps.try_send((step, sender)).map_err(|error| match error {
            mpsc::TrySendError::Full(_) => ClerkError::Overloaded,
            mpsc::TrySendError::Disconnected(_) => ClerkError::Closed,
        })?;
        Ok(receiver)
    }

    /// Says beforehand that one waits for a request: whoever then looks and finds it pending will be told.
    #[must_use]
    pub fn wait_for(&self, id: Id) -> Waiting {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let all = waiting.entry(id).or_default();
        all.retain(|one| !one.is_closed());
        all.push(sender);
        Waiting(receiver)
    }

    /// Whether somebody waits for a request in this process.
    #[must_use]
    pub fn is_waited_for(&self, id: Id) -> bool {
        let waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.get(&id).is_some_and(|all| all.iter().any(|one| !one.is_closed()))
    }

    /// Where the chain ends, whenever it is seen to have moved on.
    #[must_use]
    pub fn head(&self) -> watch::Receiver<u64> {
        self.shared.head.subscribe()
    }

    /// Reads something, beside those who write. It blocks: a task asks for a thread first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read<T>(
        &self,
        reads: impl FnOnce(&mut dyn Ledger) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let shared = &self.shared;
        apart(shared.source.is_shared(), || {
            let mut place = shared.place()?;
            let mut reader = match place.0.take() {
                Some(reader) => reader,
                None => shared.source.reader()?,
            };
            let read = reads(&mut *reader)?;
            // One that failed is not used again.
            place.0 = Some(reader);
            Ok(read)
        })
    }

    /// One request.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn request(&self, id: Id) -> Result<Option<Request>, AuditError> {
        self.read(|store| store.request(id))
    }

    /// The token whose secret has this hash.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn token(&self, hash: &str) -> Result<Option<Token>, AuditError> {
        self.read(|store| store.token(hash))
    }
}

/// A place among those who read, with a connection where one was left.
struct Place<'a>(Option<Box<dyn Ledger>>, &'a Shared);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut readers = self.1.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.1 -= 1;
        if let Some(reader) = self.0.take()
            && readers.0.len() < KEPT
        {
            readers.0.push(reader);
        }
        drop(readers);
        self.1.free.notify_one();
    }
}

impl Shared {
    fn place(&self) -> Result<Place<'_>, AuditError> {
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.source.readers();
        let (mut readers, waited) = self
            .free
            .wait_timeout_while(readers, PATIENCE, |readers| readers.1 >= most)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(AuditError::TooManyReaders(PATIENCE));
        }
        readers.1 += 1;
        Ok(Place(readers.0.pop(), self))
    }

    fn tell(&self, ids: impl IntoIterator<Item = Id>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in ids.into_iter().filter_map(|id| waiting.remove(&id)).flatten() {
            // Whoever no longer waits need not be told.
            let _ = sender.send(());
        }
    }

    fn tell_all(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in waiting.drain().flat_map(|(_, senders)| senders) {
            let _ = sender.send(());
        }
    }

    /// Tells that there are records that were not there before. Of several chains, the newest need not have the highest number.
    fn moved_to(&self, sequence: u64) {
        self.head.send_modify(|head| *head = sequence.max(*head));
    }

    fn waited_for(&self) -> Vec<Id> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, senders| senders.iter().any(|sender| !sender.is_closed()));
        waiting.keys().copied().collect()
    }
}

/// Takes what is handed in until nobody can hand in anything any more.
fn write(
    mut book: Book,
    ties: bool,
    received: &mpsc::Receiver<(Step, Answered)>,
    shared: &Weak<Shared>,
) {
    let mut swept = Instant::now();
    let mut tied = Instant::now();
    loop {
        let mut steps = Vec::with_capacity(TOGETHER);
        let mut answers = Vec::with_capacity(TOGETHER);
        match received.recv_timeout(SWEEP) {
            Ok((step, answer)) => {
                steps.push(step);
                answers.push(Some(answer));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        while steps.len() < TOGETHER
            && let Ok((step, answer)) = received.try_recv()
        {
            steps.push(step);
            answers.push(Some(answer));
        }
        if swept.elapsed() >= SWEEP {
            swept = Instant::now();
            steps.push(Step::Sweep);
            answers.push(None);
        }
        if ties && tied.elapsed() >= TIE {
            tied = Instant::now();
            steps.push(Step::TieChains);
            answers.push(None);
        }
        if steps.is_empty() {
            continue;
        }
        let before = book.last;
        match book.take(&steps) {
            Ok(done) => {
                let decided = done.iter().flat_map(decided).collect::<Vec<_>>();
                for (answer, done) in answers.into_iter().zip(done) {
                    if let Some(answer) = answer {
                        // Whoever asked is gone; it is stored all the same.
                        let _ = answer.send(Ok(done));
                    }
                }
                if let Some(shared) = shared.upgrade() {
                    if book.last != before {
                        shared.moved_to(book.last);
                    }
                    shared.tell(decided);
                    if ties && let Ok(time) = book.store.time() {
                        let mut known = shared.time.lock().unwrap_or_else(PoisonError::into_inner);
                        *known = Some((time, Instant::now()));
                    }
                }
            }
            Err(error) => {
                let error = ClerkError::from(error);
                for answer in answers.into_iter().flatten() {
                    let _ = answer.send(Err(error.clone()));
                }
            }
        }
    }
}

/// The requests that a step may have decided.
fn decided(done: &Done) -> Vec<Id> {
    match done {
        Done::Answered(request, _) | Done::Closed(request, _)
            if request.status != Status::Pending =>
        {
            vec![request.id]
        }
        Done::Swept(ids) => ids.clone(),
        _ => Vec::new(),
    }
}

/// Looks whether another process changed the store, and tells those who wait for what it decided.
fn look_out(mut store: Box<dyn Ledger>, shared: &Weak<Shared>) {
    let mut stamp = None;
    loop {
        store.wait();
        let Some(shared) = shared.upgrade() else { return };
        let Ok(now) = store.stamp() else {
            // It cannot be read just now: those who wait look for themselves, and are refused for themselves.
            shared.tell_all();
            thread::sleep(AGAIN);
            continue;
        };
        if stamp == Some(now) {
            continue;
        }
        stamp = Some(now);
        match store.decided(&shared.waited_for()) {
            Ok(decided) => shared.tell(decided),
            Err(_) => shared.tell_all(),
        }
        if let Ok(head) = store.head() {
            shared.moved_to(head.sequence);
        }
    }
}

/// Does something that waits for a database, where others would wait too if this thread did: it is no longer one of those then.
fn apart<T>(waits: bool, does: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::try_current() {
        Ok(handle) if waits && handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(does)
        }
        _ => does(),
    }
}

/// Waits for something on this thread, which may belong to a runtime.
fn waited_for<F: Future>(future: F) -> F::Output {
    struct Parked(thread::Thread);
    impl Wake for Parked {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Parked(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// The record of a gateway for those who judge behind it: what they append goes the way of everything else that is stored.
impl Opens for Clerk {
    fn open(&self) -> Result<Log, AuditError> {
        Ok(Log::over(Box::new(Through(self.clone())), None))
    }
}

/// A store whose one writer is the clerk.
struct Through(Clerk);

fn stored(error: ClerkError) -> AuditError {
    AuditError::Clerk(error.to_string())
}

impl Store for Through {
    fn append(&mut self, body: Body, _known: Option<Anchor>) -> Result<Appended, AuditError> {
        let step = Step::Note { record: body, once: None };
        let Done::Noted(sequence) = self.0.take_blocking(step).map_err(stored)? else {
            return Err(stored(ClerkError::Closed));
        };
        let record = self.record(sequence)?;
        let hash = record.map(|record| record.hash).unwrap_or_default();
        Ok(Appended { anchor: Anchor { sequence, hash }, known_holds: true })
    }

    fn head(&mut self) -> Result<Anchor, AuditError> {
        self.0.read(|store| store.head())
    }

    fn alterations(&mut self) -> Result<Vec<String>, AuditError> {
        self.0.read(|store| store.alterations())
    }

    fn restore(&mut self) -> Result<(), AuditError> {
        self.0.read(|store| store.restore())
    }

    fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError> {
        self.0.read(|store| store.record(sequence))
    }

    fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError> {
        self.0.read(|store| store.latest(whose, most))
    }

    fn decision_about(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.0.read(|store| store.decision_about(whose, action))
    }

    fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.0.read(|store| store.decision_left_open(whose, action))
    }

    fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError> {
        self.0.read(|store| store.begun(whose, most))
    }

    fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        self.0.read(|store| store.each(filter, visitor))
    }
}
