//! Calls that are refused before anything is judged, since our own files cannot be believed or found. Owns where that is recorded, as far as a
//! record is kept.

use std::path::Path;

use portcullis_core::{
    action::Action,
    decision::{Layer, Verdict},
};

use super::{HookError, Payload};
use crate::{
    agents::{agent::Moment, reply::Word},
    audit::{self, Entry, Kind, Log},
    session::preview,
};

/// Records the calls of a payload as refused, in the record that is kept in a directory for state; none is begun for it. What cannot be recorded is
/// refused all the same.
pub(super) fn record(payload: &Payload, error: &HookError, word: &Word, state: Option<&Path>) {
    let verdict = match word {
        Word::Deny(_) => Verdict::Deny,
        Word::Ask(_) => Verdict::Ask,
        Word::Nothing | Word::Allow(_) | Word::Note(_) => return,
    };
    let is_before = matches!(payload.event.moment, Moment::BeforeTool | Moment::Permission);
    let is_kept = |state: &&Path| audit::database_path(state).symlink_metadata().is_ok();
    let Some(state) = state.filter(|state| is_before && is_kept(state)) else { return };
    let Ok(mut log) = Log::open(state) else { return };
    for call in &payload.calls {
        let action = Action::from_call(call.clone()).ok();
        let entry = Entry {
            tool: Some(call.tool.clone()),
            decision: Some(verdict),
            layer: Some(Layer::Floor),
            reason: Some(error.to_string()),
            action: action.as_ref().map(Action::id),
            preview: action.as_ref().map(preview),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            ..Entry::new(Kind::Decision)
        };
        let _ = log.append(&entry);
    }
}
