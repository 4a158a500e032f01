//! Who asks, and what watches how long an answer takes. Owns the form in which the agent is answered, also where nothing was judged in time.

use std::time::Duration;

use serde_json::{Map, Value};

use super::{HookError, Options, deadline::Deadline, words};
use crate::{
    agents::{
        agent::{Agent, Event, Moment},
        reply::{Reply, Saying, Word},
    },
    config::{Hook, OnHookFailure},
};

/// Who sees to it that there is an answer in time.
pub(super) trait Watch {
    /// More is known of whoever waits.
    fn answers_to(&self, asker: Asker);

    /// Whoever waits has more time than others.
    fn extend(&self, time: Duration);
}

impl Watch for Deadline<Asker> {
    fn answers_to(&self, asker: Asker) {
        Self::answers_to(self, asker);
    }

    fn extend(&self, time: Duration) {
        Self::extend(self, time);
    }
}

/// Where whoever asks takes the time themselves.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    fn answers_to(&self, _: Asker) {}

    fn extend(&self, _: Duration) {}
}

/// What is known of whoever waits for the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asker {
    pub(super) agent: Option<&'static Agent>,
    pub(super) event: Option<&'static Event>,
    pub(super) asks: bool,
    pub(super) hook: Hook,
}

impl Asker {
    pub(super) fn new(options: &Options) -> Self {
        Self { agent: options.agent, event: None, asks: false, hook: Hook::default() }
    }

    /// A word in the form of this agent. While the event is not known, it is the one before a tool runs; while the agent is
    /// not, what blocks nearly everywhere.
    pub(super) fn reply(&self, word: &Word) -> Reply {
        self.reply_with(word, None)
    }

    /// The same with arguments in place of the call's.
    pub(super) fn reply_with(&self, word: &Word, input: Option<&Map<String, Value>>) -> Reply {
        let event = self.event.or_else(|| self.agent?.events.first());
        match (event, word) {
            (Some(event), word) => {
                let input = input.filter(|_| event.replaces);
                (event.speak)(&Saying { event: event.name, word, input })
            }
            (None, Word::Ask(reason) | Word::Deny(reason)) => Reply::blocked(reason),
            (None, Word::Nothing | Word::Allow(_) | Word::Note(_)) => Reply::silent(),
        }
    }

    /// What is said of a call that could not be judged.
    pub(super) fn refusal(&self, error: &HookError) -> Word {
        match self.hook.on_failure {
            _ if !self.can_deny() => Word::Note(words::unseen(error)),
            OnHookFailure::Ask if self.asks => Word::Ask(words::failed(error)),
            OnHookFailure::Ask | OnHookFailure::Deny => Word::Deny(words::failed(error)),
        }
    }

    /// What is said when time is up.
    pub(super) fn late(&self) -> Word {
        if self.can_deny() { Word::Deny(words::late()) } else { Word::Nothing }
    }

    /// Whether something can still be kept from happening.
    fn can_deny(&self) -> bool {
        !self.event.is_some_and(|event| matches!(event.moment, Moment::AfterTool | Moment::Prompt))
    }
}
