//! What went on while no gateway answered, brought to the first that does. Owns the order: sent, recorded there, removed here.

use std::{io, path::PathBuf};

use serde_json::{Value, json};
use tokio::time;

use super::{Lost, Remote};
use crate::{
    undelivered::{Queue, Undelivered},
    wire::VERSION,
};

/// How long it may take beside a call that was judged; what is left goes with the next.
const BESIDE: time::Duration = time::Duration::from_millis(500);

/// What was brought.
#[derive(Debug, Default)]
pub struct Delivered {
    /// How many decisions a gateway has now.
    pub delivered: usize,
    /// The files that are no decisions of ours, with why; they stay where they are.
    pub strange: Vec<(PathBuf, String)>,
}

/// Why what waits cannot be brought.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Undeliverable {
    /// What waits cannot be read, or not be removed.
    #[error("cannot read what waits to be delivered: {0}")]
    Queue(#[from] io::Error),
    /// No gateway takes it.
    #[error("no gateway takes what waits to be delivered: {0}")]
    Gateway(String),
}

impl Remote {
    /// Brings everything that waits.
    ///
    /// # Errors
    /// [`Undeliverable`]; what was not brought waits on.
    pub fn deliver(&self, queue: &Queue) -> Result<Delivered, Undeliverable> {
        let mut all = Delivered::default();
        loop {
            // Those that stay stand in front of what is still to come.
            let some = self.runtime.block_on(self.deliver_next(queue, all.strange.len()))?;
            let is_last = some.delivered == 0 && some.strange.is_empty();
            all.delivered += some.delivered;
            all.strange.extend(some.strange);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Brings a part of what waits, once a gateway answered, in a time that no call feels. What cannot be brought waits for the next call.
    pub(super) fn deliver_some(&self) {
        let Some(queue) = &self.alone else { return };
        if queue.is_empty().unwrap_or(true) {
            return;
        }
        let some = async { time::timeout(BESIDE, self.deliver_next(queue, 0)).await };
        // It waits on, and `audit deliver` says why it does.
        let _ = self.runtime.block_on(some);
    }

    async fn deliver_next(
        &self,
        queue: &Queue,
        skipped: usize,
    ) -> Result<Delivered, Undeliverable> {
        let (waiting, strange) = queue.oldest(skipped)?;
        let strange = strange.into_iter().map(|(path, why)| (path, why.to_string())).collect();
        if waiting.is_empty() {
            return Ok(Delivered { delivered: 0, strange });
        }
        let decisions: Vec<&Undelivered> = waiting.iter().map(|one| &one.decision).collect();
        let body = json!({ "v": VERSION, "decisions": decisions }).to_string().into_bytes();
        let sent = self.each(time::Duration::ZERO, async |url, _| {
            self.answer_to(format!("{url}/v1/deliveries"), None, None, body.clone()).await
        });
        let answer = sent.await.map_err(|Lost { why, .. }| Undeliverable::Gateway(why))?;
        let recorded = answer.get("recorded").and_then(Value::as_array);
        let is_recorded = |key: &str| {
            recorded.is_some_and(|keys| keys.iter().any(|known| known.as_str() == Some(key)))
        };
        let mut delivered = 0;
        for one in waiting.iter().filter(|one| is_recorded(&one.decision.key)) {
            queue.delivered(one)?;
            delivered += 1;
        }
        if delivered == 0 {
            let why = "it does not say that it recorded any of it".to_owned();
            return Err(Undeliverable::Gateway(why));
        }
        Ok(Delivered { delivered, strange })
    }
}
