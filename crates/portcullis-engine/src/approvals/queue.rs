//! A queue that somebody in the same program works through. Owns what waits in it; everything else of a request is the store's.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError, SyncSender},
    },
};

use super::{
    handler::{Handler, HandlerError, Said},
    request::{Id, Question},
};

/// The most requests that wait in a queue.
const MOST: usize = 10_000;

/// Holds requests until somebody responds. Cheap to clone: all clones are one queue.
#[derive(Clone, Default)]
pub struct Queue {
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which they came.
    requests: BTreeMap<u64, (Question, SyncSender<Said>)>,
    next: u64,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What waits, the oldest first. What is answered, or was given up, is not among it.
    #[must_use]
    pub fn pending(&self) -> Vec<Question> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.requests.values().map(|(question, _)| question.clone()).collect()
    }

    /// Responds to one request; `false` where nobody waits for it any more. The first response holds: a second finds nothing.
    pub fn respond(&self, id: Id, approver: &str, approves: bool, reason: Option<&str>) -> bool {
        self.take(Some(id)).into_iter().any(|(_, sender)| {
            let said = Said::Person {
                approver: approver.to_owned(),
                approves,
                reason: reason.map(str::to_owned),
                modified: None,
            };
            // Whoever waited may have given up just now.
            sender.send(said).is_ok()
        })
    }

    /// Approves all that wait, and says how many were still waited for.
    pub fn approve_all(&self, approver: &str) -> usize {
        self.all(approver, true)
    }

    /// Denies all that wait, and says how many were still waited for.
    pub fn deny_all(&self, approver: &str) -> usize {
        self.all(approver, false)
    }

    fn all(&self, approver: &str, approves: bool) -> usize {
        let said =
            Said::Person { approver: approver.to_owned(), approves, reason: None, modified: None };
        let taken = self.take(None);
        taken.into_iter().filter(|(_, sender)| sender.send(said.clone()).is_ok()).count()
    }

    /// Takes one request out, or all: whoever takes it is the one who answers it.
    fn take(&self, id: Option<Id>) -> Vec<(Question, SyncSender<Said>)> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<u64> = waiting
            .requests
            .iter()
            .filter(|(_, (question, _))| id.is_none_or(|id| question.id == id))
            .map(|(number, _)| *number)
            .collect();
        numbers.iter().filter_map(|number| waiting.requests.remove(number)).collect()
    }
}

impl Handler for Queue {
    fn name(&self) -> &str {
        "queue_handler"
    }

    fn handle(&self, question: &Question) -> Result<Said, HandlerError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.requests.len() >= MOST {
                return Err(HandlerError("too many requests wait".to_owned()));
            }
            let number = waiting.next;
            waiting.next = number.wrapping_add(1);
            waiting.requests.insert(number, (question.clone(), sender));
        }
        receiver.recv_timeout(question.timeout).map_err(|error| {
            self.take(Some(question.id));
            HandlerError(match error {
                RecvTimeoutError::Timeout => "nobody responded in time".to_owned(),
                RecvTimeoutError::Disconnected => "the queue is gone".to_owned(),
            })
        })
    }
}
