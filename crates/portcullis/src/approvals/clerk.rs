//! The one who writes. Owns the thread through which everything a gateway stores goes, so that many callers share one commit, and that
//! whoever waits for a request is told when it is decided, here or in another process.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::approval::Status;
use tokio::sync::{oneshot, watch};

use super::{
    request::{Id, Request},
    store::{Done, Ledger, Step, Which},
    token::Token,
};
use crate::audit::{self, AuditError, HeadFile, SqliteStore, database_path, head_path};

/// The most steps that share a commit.
const TOGETHER: usize = 256;

/// The most steps that wait to be taken. Whoever comes then is refused, so that nothing piles up without end.
const QUEUE: usize = 16_384;

/// How often it is looked whether another process changed the store.
const LOOK: Duration = Duration::from_millis(50);

/// How often what nobody decided is closed.
const SWEEP: Duration = Duration::from_millis(500);

/// Why something was not stored.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
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
        audit::secure_directory(directory)?;
        let database = database_path(directory);
        let head = HeadFile::new(head_path(directory));
        // Before the database, as for every record.
        if !database.exists() {
            head.create()?;
        }
        let mut store: Box<dyn Ledger> = Box::new(SqliteStore::open(&database)?);
        store.prepare()?;
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
        self.take_at(steps, Timestamp::now())
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
    /// Connections that only read, for those who need one.
    readers: Mutex<Vec<Box<dyn Ledger>>>,
    directory: std::path::PathBuf,
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
        let book = Book::open(directory)?;
        let head = book.last;
        let shared = Arc::new(Shared {
            waiting: Mutex::default(),
            head: watch::Sender::new(head),
            readers: Mutex::default(),
            directory: directory.to_owned(),
        });
        let (steps, received) = mpsc::sync_channel(QUEUE);
        let told = Arc::downgrade(&shared);
        let watcher = Arc::downgrade(&shared);
        let lookout = SqliteStore::open(&database_path(directory))?;
        let started = thread::Builder::new()
            .name("clerk".to_owned())
            .spawn(move || write(book, &received, &told))
            .and_then(|_| {
                thread::Builder::new()
                    .name("lookout".to_owned())
                    .spawn(move || look_out(Box::new(lookout), head, &watcher))
            });
        started.map_err(|source| AuditError::Directory { path: directory.to_owned(), source })?;
        Ok(Self { steps, shared })
    }

    /// Does one thing, together with what others hand in at the same time; when this returns, it survives a loss of power.
    ///
    /// # Errors
    /// Nothing was done then, or it cannot be known any more.
    pub async fn take(&self, step: Step) -> Result<Done, ClerkError> {
        self.hand_in(step)?.await.map_err(|_| ClerkError::Closed)?
    }

    /// As [`Clerk::take`], for those who are no task.
    ///
    /// # Errors
    /// As [`Clerk::take`].
    pub fn take_blocking(&self, step: Step) -> Result<Done, ClerkError> {
        self.hand_in(step)?.blocking_recv().map_err(|_| ClerkError::Closed)?
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
        let pooled = self.shared.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match pooled {
            Some(reader) => reader,
            None => Box::new(SqliteStore::open(&database_path(&self.shared.directory))?),
        };
        let read = reads(&mut *reader)?;
        let mut readers = self.shared.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < 8 {
            readers.push(reader);
        }
        Ok(read)
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

impl Shared {
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

    fn moved_to(&self, sequence: u64) {
        self.head.send_if_modified(|head| {
            let moved = sequence > *head;
            *head = sequence.max(*head);
            moved
        });
    }
}

/// Takes what is handed in until nobody can hand in anything any more.
fn write(mut book: Book, received: &mpsc::Receiver<(Step, Answered)>, shared: &Weak<Shared>) {
    let mut swept = Instant::now();
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
        if steps.is_empty() {
            continue;
        }
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
                    shared.moved_to(book.last);
                    shared.tell(decided);
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
fn look_out(mut store: Box<dyn Ledger>, mut seen: u64, shared: &Weak<Shared>) {
    let mut stamp = None;
    loop {
        thread::sleep(LOOK);
        let Some(shared) = shared.upgrade() else { return };
        let Ok(now) = store.stamp() else {
            // It cannot be read just now: those who wait look for themselves, and are refused for themselves.
            shared.tell_all();
            continue;
        };
        if stamp == Some(now) {
            continue;
        }
        stamp = Some(now);
        let Ok(head) = store.head() else { continue };
        let which = Which { decided_after: Some(seen), limit: u32::MAX, ..Which::default() };
        match store.requests(&which) {
            Ok(requests) if requests.len() < 1_000 => {
                shared.tell(requests.iter().map(|request| request.id));
            }
            // More than one page, or none to be had: everybody looks.
            Ok(_) | Err(_) => shared.tell_all(),
        }
        seen = head.sequence;
        shared.moved_to(head.sequence);
    }
}
