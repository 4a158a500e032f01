//! What is said beside calls. Owns what of it is kept in mind and in the record.

use portcullis_core::inspect::Inspection;

use super::Desk;
use crate::{
    audit::{Entry, Kind},
    mcp::frame::Members,
};

impl Desk {
    /// Keeps in mind what a server said that answers no call: what a task came to, a log, how far something is.
    pub fn overheard(&self, method: &str, text: &str, seen: &Inspection) {
        if text.is_empty() {
            return;
        }
        let call = self.call(method, Members::new());
        // What is not kept in mind is known to be lost by the next call.
        let _ = self.session.answered_with(&call, text, seen);
    }

    /// Records a message of the client that is no call and goes on to the server.
    ///
    /// # Errors
    /// Why it may not go on.
    pub fn told(&mut self, method: &str, said: &str) -> Result<(), String> {
        let call = self.call(method, Members::new());
        let entry = Entry {
            tool: Some(call.tool),
            session: call.session,
            cwd: call.cwd,
            outcome: Some("passed on".to_owned()),
            reason: Some(format!("`{method}`, which is no call, with {said}")),
            ..Entry::new(Kind::Change)
        };
        let noted = self.session.noted(entry);
        noted.map(drop).map_err(|error| format!("nothing goes on unrecorded: {error}"))
    }

    /// Records something about the server itself.
    pub fn changed(&mut self, by: &str, outcome: &str, reason: &str) {
        // Whether something is held does not hang on it.
        let _ = self.session.note(Entry::change(by, outcome, reason));
    }
}
