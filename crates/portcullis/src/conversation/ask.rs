//! Asking somebody who does not call this library: a handler, or people at a gateway. Owns that their answer counts for what was shown, and that
//! a question nobody answered goes on waiting.

use std::time::Instant;

use portcullis_core::{
    conversation::Event,
    intervention::{Refused, Settled},
    monitor::End,
};

use super::{ConversationError, engine::Engine, thread::Thread};
use crate::{confirmation::ConfirmationHandler, gateway::Word, tools::Looked};

impl Engine {
    /// Asks whoever can be asked about an action, and keeps the answer; whether there is one.
    pub(super) fn ask(
        &mut self,
        thread: &mut Thread,
        action: u64,
        handler: Option<&ConfirmationHandler>,
    ) -> Result<bool, ConversationError> {
        let Some(open) = thread.state.open(action) else { return Ok(true) };
        let proposed = open.proposed.clone();
        let (hash, is_inner) = (proposed.hash.clone(), self.is_inner(&proposed.tool));
        let can_ask = !is_inner && (handler.is_some() || self.gateway.is_some());
        if !can_ask {
            self.drop_live(thread, action, End::Declined);
            let reason = "nobody can be asked here".to_owned();
            return self.put(thread, Event::Cancelled { action, by: None, reason }).map(|()| true);
        }
        let mut looked = match self.look_again(thread, action) {
            Ok(looked) => looked,
            Err(stopped) => return self.block(thread, action, stopped).map(|()| true),
        };
        if !Self::is_as_shown(&looked, &proposed) {
            self.toolbox.leave(looked, End::Declined);
            let reason = Refused::OtherAction.to_string();
            return self.put(thread, Event::Cancelled { action, by: None, reason }).map(|()| true);
        }
        let begun = Instant::now();
        let asked = match handler {
            Some(handler) => self.asked_here(&looked, handler, &hash),
            None => self.asked_there(&looked, &thread.id, action, &hash),
        };
        self.toolbox.waited(begun.elapsed());
        let (settled, reason) = match asked {
            Word::Settled(settled, reason) => (settled, reason),
            // It goes on waiting, for whoever opens it again.
            Word::Waits(_) => {
                if let Some(live) = thread.live.get_mut(&action) {
                    live.looked = Some(looked);
                }
                return Ok(false);
            }
        };
        let counts = self.toolbox.answered(&mut looked, &settled, begun.elapsed());
        match settled {
            Settled::Confirmed { by } if counts => {
                if let Some(live) = thread.live.get_mut(&action) {
                    live.looked = Some(looked);
                }
                self.put(thread, Event::Approved { action, hash, by })?;
            }
            settled => {
                self.toolbox.leave(looked, End::Declined);
                let (by, reason) = match settled {
                    Settled::Declined { by } => (Some(by), reason),
                    Settled::Confirmed { .. } => {
                        (None, "the answer could not be recorded".to_owned())
                    }
                    Settled::Refused(_) => (None, reason),
                };
                self.put(thread, Event::Cancelled { action, by, reason })?;
            }
        }
        Ok(true)
    }

    /// The answer of a handler.
    fn asked_here(&self, looked: &Looked, handler: &ConfirmationHandler, hash: &str) -> Word {
        let settled = match looked.request(self.identity.user.as_deref(), handler.timeout()) {
            Ok(request) => {
                handler.settle(request, &|| self.toolbox.stands(looked).filter(|now| now == hash))
            }
            Err(_) => Settled::Refused(Refused::Closed),
        };
        let reason = match &settled {
            Settled::Refused(why) => why.to_string(),
            _ => "the person said no".to_owned(),
        };
        Word::Settled(settled, reason)
    }

    /// The answer of a person at a gateway, who is asked about this action of this conversation once.
    fn asked_there(&self, looked: &Looked, id: &str, action: u64, hash: &str) -> Word {
        let refused = |why: Refused| Word::Settled(Settled::Refused(why), why.to_string());
        let Some(gateway) = &self.gateway else { return refused(Refused::Closed) };
        let judged = looked.judged();
        if judged.action.id() != hash {
            return refused(Refused::OtherAction);
        }
        let key = format!("{id}-{action}-{hash}");
        let word = gateway.person_on(judged, &key, &self.stop);
        // While it waited the world went on.
        match word {
            Word::Settled(Settled::Confirmed { .. }, _)
                if self.toolbox.stands(looked).as_deref() != Some(hash) =>
            {
                refused(Refused::OtherAction)
            }
            word => word,
        }
    }
}
