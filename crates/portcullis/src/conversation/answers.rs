//! What a person answers to a question of a conversation. Owns that an answer counts for the action that was shown, as it stands now, and for no
//! other.

use std::time::Duration;

use portcullis_core::{
    assessment::ActionClass,
    call::ToolCall,
    conversation::{Change, Event, Proposed, Stage, Status, Stopped},
    decision::Verdict,
    guardian::inline::{self, Extraction},
    intervention::Settled,
    monitor::End,
    policy::{Mode, Subject, proposed},
    redact::redact,
};
use serde_json::{Map, Value};

use super::{
    Conversation, ConversationError, PLAN,
    engine::Engine,
    propose::judged,
    thread::{Live, kept},
};
use crate::alike::Like;

impl Conversation {
    /// A person agrees to an action as it was shown: to the one with this hash, and to no other.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it, or it is another action by now, or would not be let through any more.
    pub fn approve(&mut self, action: u64, hash: &str, by: &str) -> Result<(), ConversationError> {
        let proposed = self.asked(action)?.clone();
        if proposed.hash != hash {
            return Err(ConversationError::State(
                "this is not the action that was shown".to_owned(),
            ));
        }
        let is_plan = proposed.tool == PLAN;
        if !is_plan {
            let mut looked = self
                .engine
                .look_again(&mut self.thread, action)
                .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
            if !Engine::is_as_shown(&looked, &proposed) {
                let why = "what would run is not what was shown".to_owned();
                return Err(ConversationError::State(why));
            }
            let yes = Settled::Confirmed { by: by.to_owned() };
            let counts = self.engine.toolbox.answered(&mut looked, &yes, Duration::ZERO);
            match self.thread.live.get_mut(&action) {
                Some(live) => live.looked = Some(looked),
                None => {
                    let call = self.engine.call_of(&self.thread, action);
                    if let Ok(call) = call {
                        self.thread.live.insert(action, Live { call, looked: Some(looked) });
                    }
                }
            }
            if !counts {
                let why = "the answer could not be recorded".to_owned();
                return Err(ConversationError::Stopped(why));
            }
        }
        self.put(Event::Approved { action, hash: hash.to_owned(), by: by.to_owned() })
    }

    /// As [`Conversation::approve`], and what the rules cover that describe this action is not asked about any more in this conversation; after an
    /// edit of a file the mode is `acceptEdits`. Gives the rules.
    ///
    /// # Errors
    /// As [`Conversation::approve`], and where no rule describes it.
    pub fn approve_always(
        &mut self,
        action: u64,
        hash: &str,
        by: &str,
    ) -> Result<Vec<String>, ConversationError> {
        self.asked(action)?;
        let looked = self
            .engine
            .look_again(&mut self.thread, action)
            .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
        let judged = looked.judged();
        let subject = Subject {
            action: &judged.action,
            effects: &judged.judgement.effects,
            facts: &judged.facts,
            assessment: &judged.judgement.assessment,
        };
        let rules = proposed(self.engine.toolbox.session().policy(), &subject);
        let is_edit = judged.judgement.assessment.class == ActionClass::Edit;
        if let Some(live) = self.thread.live.get_mut(&action) {
            live.looked = Some(looked);
        }
        if rules.is_err() && is_edit && self.mode() == Some(Mode::Default) {
            // No rule speaks of edits alone: there is a mode for that.
            self.approve(action, hash, by)?;
            self.set_mode(Mode::AcceptEdits, by)?;
            return Ok(vec![format!("mode {}", Mode::AcceptEdits)]);
        }
        let rules = rules
            .map_err(|why| ConversationError::State(format!("no rule describes this: {why}")))?;
        let words: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let to = words.join("\n");
        if redact(&to) != to || rules.is_empty() {
            return Err(ConversationError::State(
                "no rule without secrets describes this".to_owned(),
            ));
        }
        self.approve(action, hash, by)?;
        self.put(Event::Changed { what: Change::Allowed, to, by: by.to_owned() })?;
        self.engine.toolbox.session_mut().allow(rules)?;
        Ok(words)
    }

    /// The kind of an action that somebody is asked about, as it is judged now.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it, or it is the like of no other: why, in words.
    pub fn kind(&mut self, action: u64) -> Result<Like, ConversationError> {
        let proposed = self.asked(action)?.clone();
        let looked = self
            .engine
            .look_again(&mut self.thread, action)
            .map_err(|stopped| ConversationError::Stopped(stopped.message))?;
        let is_shown = Engine::is_as_shown(&looked, &proposed);
        let kind = looked.kind();
        if let Some(live) = self.thread.live.get_mut(&action) {
            live.looked = Some(looked);
        }
        if !is_shown {
            let why = "what would run is not what was shown".to_owned();
            return Err(ConversationError::State(why));
        }
        kind.map_err(|why| {
            let words = format!("calls like this cannot be allowed together: {why}");
            ConversationError::State(words)
        })
    }

    /// As [`Conversation::approve`], and whatever is of the kind that was shown is not asked about any more in this conversation: what the same
    /// rules ask about on the same resources, by the same tool and no riskier.
    ///
    /// # Errors
    /// As [`Conversation::approve`] and [`Conversation::kind`], and where the kind is another one by now.
    pub fn approve_alike(
        &mut self,
        action: u64,
        hash: &str,
        shown: &Like,
        by: &str,
    ) -> Result<(), ConversationError> {
        let kind = self.kind(action)?;
        if kind != *shown {
            let why = "it is of another kind than the one that was shown".to_owned();
            return Err(ConversationError::State(why));
        }
        let to = serde_json::to_string(&kind).map_err(std::io::Error::other)?;
        if redact(&to) != to {
            let why = "its kind cannot be told without a secret".to_owned();
            return Err(ConversationError::State(why));
        }
        self.approve(action, hash, by)?;
        self.put(Event::Changed { what: Change::Alike, to, by: by.to_owned() })?;
        self.engine.toolbox.session_mut().allow_alike(kind, by)?;
        Ok(())
    }

    /// A person puts other arguments in the place of an action's. They are judged anew, and asked about.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it, or the other one would not be let through; the question then stands as it did.
    pub fn edit(
        &mut self,
        action: u64,
        arguments: Map<String, Value>,
        by: &str,
    ) -> Result<(), ConversationError> {
        let before = self.asked(action)?.clone();
        if before.tool == PLAN {
            return Err(ConversationError::State(
                "a plan is not edited: say no, and why".to_owned(),
            ));
        }
        let mut arguments = arguments;
        let options = Extraction { reads_only: true, is_wanted: false, owns_summary: true };
        inline::extract(&before.tool, &mut arguments, options)
            .map_err(|error| ConversationError::Stopped(error.to_string()))?;
        let call = ToolCall {
            id: Some(before.call.clone()),
            tool: before.tool.clone(),
            arguments,
            ..ToolCall::default()
        };
        let (clean, withheld) = kept(&call.arguments);
        let looked = self
            .engine
            .toolbox
            .look(call.clone(), &self.engine.identity)
            .map_err(|answer| ConversationError::Stopped(Stopped::from(&*answer).message))?;
        let mut after = Proposed {
            arguments: clean,
            withheld,
            call: before.call,
            ..Proposed::new(action, &before.tool)
        };
        judged(&mut after, &looked);
        after.verdict = Verdict::Ask;
        let live = Live { call, looked: Some(looked) };
        if let Some(Live { looked: Some(earlier), .. }) = self.thread.live.insert(action, live) {
            self.engine.toolbox.leave(earlier, End::Blocked);
        }
        self.put(Event::Edited { by: by.to_owned(), action: after })
    }

    /// A person says no to one action.
    ///
    /// # Errors
    /// [`ConversationError`] where nobody is asked about it.
    pub fn reject(&mut self, action: u64, reason: &str, by: &str) -> Result<(), ConversationError> {
        self.asked(action)?;
        self.cancel(action, reason, Some(by))
    }

    /// A person says no to everything that was proposed and did not begin. Without a question nothing happens; gives how many it were.
    ///
    /// # Errors
    /// [`ConversationError`].
    pub fn reject_pending_actions(
        &mut self,
        reason: &str,
        by: &str,
    ) -> Result<usize, ConversationError> {
        if self.status() != Status::WaitingForConfirmation {
            return Ok(0);
        }
        let open: Vec<u64> = self.unmatched_actions().map(|open| open.proposed.action).collect();
        for action in &open {
            self.cancel(*action, reason, Some(by))?;
        }
        Ok(open.len())
    }

    pub(super) fn cancel(
        &mut self,
        action: u64,
        reason: &str,
        by: Option<&str>,
    ) -> Result<(), ConversationError> {
        let open = self.thread.state.open(action);
        let is_inner = open.is_some_and(|open| self.engine.is_inner(&open.proposed.tool));
        if let Some(by) = by
            && !is_inner
            && let Ok(mut looked) = self.engine.look_again(&mut self.thread, action)
        {
            let no = Settled::Declined { by: by.to_owned() };
            // It does not run, whether that can be recorded or not.
            let _ = self.engine.toolbox.answered(&mut looked, &no, Duration::ZERO);
            self.engine.toolbox.leave(looked, End::Declined);
        }
        let by = by.map(str::to_owned);
        self.put(Event::Cancelled { action, by, reason: reason.to_owned() })
    }

    fn asked(&self, action: u64) -> Result<&Proposed, ConversationError> {
        let open = self.thread.state.open(action).filter(|open| open.stage == Stage::Asks);
        let nobody = || ConversationError::State(format!("nobody is asked about action {action}"));
        open.map(|open| &open.proposed).ok_or_else(nobody)
    }
}
