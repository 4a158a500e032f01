//! One thread of a conversation: its log, its state, and what is known of open actions only as long as this process lives. Owns that nothing is
//! appended which cannot follow, and that no secret is.

use std::{collections::BTreeMap, path::Path};

use portcullis_core::{
    call::ToolCall,
    conversation::{Event, Proposed, Started, State},
    redact::redact,
};
use serde_json::{Map, Value};

use super::log::{EventLog, Kept, LogError};
use crate::tools::Looked;

/// The longest text of an event.
const LONGEST: usize = 64_000;

/// A thread.
pub(super) struct Thread {
    pub(super) id: String,
    log: EventLog,
    pub(super) state: State,
    pub(super) events: Vec<Kept>,
    /// The open actions as they came, with secrets.
    pub(super) live: BTreeMap<u64, Live>,
    /// After how many actions it was told that it goes in circles.
    pub(super) warned_at: Option<u64>,
}

/// An open action as it came.
pub(super) struct Live {
    pub(super) call: ToolCall,
    /// What was found when it was looked at; an inner tool is not.
    pub(super) looked: Option<Looked>,
}

impl Thread {
    pub(super) fn create(path: &Path, id: String, started: Started) -> Result<Self, LogError> {
        let log = EventLog::create(path)?;
        let (state, events, live) = (State::default(), Vec::new(), BTreeMap::new());
        let mut thread = Self { id, log, state, events, live, warned_at: None };
        thread.put(Event::Started(started))?;
        Ok(thread)
    }

    pub(super) fn open(path: &Path, id: String) -> Result<Self, LogError> {
        let (log, events, state) = EventLog::open(path)?;
        Ok(Self { id, log, state, events, live: BTreeMap::new(), warned_at: None })
    }

    /// Appends an event that may follow; it is durable when this returns.
    pub(super) fn put(&mut self, event: Event) -> Result<(), LogError> {
        let event = cleaned(event);
        let mut after = self.state.clone();
        after.apply(&event)?;
        self.events.push(self.log.append(event)?);
        self.state = after;
        let open = &self.state;
        self.live.retain(|action, _| open.open(*action).is_some());
        Ok(())
    }

    pub(super) fn started(&self) -> Option<&Started> {
        self.events.iter().find_map(|kept| match &kept.event {
            Event::Started(started) => Some(started),
            _ => None,
        })
    }
}

/// Arguments without secrets, and whether there were any.
pub(super) fn kept(arguments: &Map<String, Value>) -> (Map<String, Value>, bool) {
    let text = Value::Object(arguments.clone()).to_string();
    let clean = redact(&text);
    if clean == text {
        return (arguments.clone(), false);
    }
    let kept = match serde_json::from_str(&clean) {
        Ok(Value::Object(kept)) => kept,
        // What cannot be cut out of it takes all of it along.
        _ => Map::new(),
    };
    (kept, true)
}

/// A text for the log.
pub(super) fn clean(text: &str) -> String {
    cut(redact(text).into_owned())
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let more = text.len() - LONGEST;
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push_str(&format!(" [… {more} bytes more]"));
    }
    text
}

fn cleaned(event: Event) -> Event {
    let one = |proposed: Proposed| Proposed {
        tool: clean(&proposed.tool).chars().take(100).collect(),
        call: clean(&proposed.call).chars().take(100).collect(),
        summary: proposed.summary.map(|summary| clean(&summary)),
        reasons: proposed.reasons.iter().map(|reason| clean(reason)).collect(),
        ..proposed
    };
    match event {
        Event::Started(started) => {
            Event::Started(Started { goal: redact(&started.goal).into_owned(), ..started })
        }
        Event::Goal { goal, hash, by } => {
            Event::Goal { goal: redact(&goal).into_owned(), hash, by }
        }
        Event::Message { by, text } => Event::Message { by, text: clean(&text) },
        Event::Batch { text, actions, tokens } => Event::Batch {
            text: clean(&text),
            actions: actions.into_iter().map(one).collect(),
            tokens,
        },
        Event::Cancelled { action, by, reason } => {
            Event::Cancelled { action, by, reason: clean(&reason) }
        }
        Event::Edited { by, action } => Event::Edited { by, action: one(action) },
        Event::Blocked { action, code, message, fatal } => {
            Event::Blocked { action, code, message: clean(&message), fatal }
        }
        // What a tool answers was inspected already.
        Event::Observation { action, outcome, text } => {
            Event::Observation { action, outcome, text: cut(text) }
        }
        Event::Error { message } => Event::Error { message: clean(&message) },
        Event::Ended { reason, message } => Event::Ended { reason, message: clean(&message) },
        other => other,
    }
}
