//! `break`, `continue`, `return` and `exit`: what comes after them is not reached. Owns how far each leads; statements that are
//! not reached are read all the same, as possible and without consequences.

use portcullis_syntax::Span;

use super::{
    control::Leave,
    redirect::Wiring,
    state::Changes,
    traps::{Due, Trap},
    walk::Walk,
};
use crate::{
    effect::{Certainty, GapReason, Location},
    text::Text,
};

impl Walk<'_> {
    /// A command that leaves was met; outside of what it would leave, some shells go on and others end.
    pub(super) fn leave(&mut self, how_far: Leave) {
        if self.control.is_within(how_far, self.builtins.shells.current()) {
            self.control.leave(how_far);
        } else {
            self.control.may_leave = self.control.may_leave.max(Some(how_far));
        }
    }

    /// Reads what may or may not happen: where it leaves, what follows is likely and no more.
    pub(super) fn perhaps<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.control.leaving.take();
        let result = self.at_most(Certainty::Likely, read);
        self.control.doubt(outer);
        result
    }

    /// Reads what surely runs but for a file that may not open: where it leaves, what follows is likely and no more.
    pub(super) fn perhaps_leaves<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.control.leaving.take();
        let result = read(self);
        self.control.doubt(outer);
        result
    }

    /// A command whose files may not open may have failed.
    pub(super) fn doubt_opening(&mut self, wiring: &Wiring) {
        if wiring.may_fail && self.control.succeeded == Some(true) {
            self.control.succeeded = None;
        }
    }

    /// Reads what does not happen, as far as we know: it is seen, and changes nothing. What a file has for other words than those of this call
    /// is only there for whoever wants it; what stands in the call itself is written for a reason.
    pub(super) fn unreached(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Changes {
        let at = Location { layer: self.recorder.layer, span: Span::default() };
        let is_for_others = match self.recorder.effects.in_file(at) {
            Some((path, _)) => !self.sources.is_taken_as_data(path) && !self.runs_by_unknown_name(),
            None => false,
        };
        if !is_for_others {
            return self.aside(Certainty::Possible, read);
        }
        let gaps = self.gaps();
        let changes = self.aside(Certainty::Defined, read);
        self.forget_gaps(gaps);
        changes
    }

    /// Reads what may happen by something that is not seen here: it changes nothing.
    pub(super) fn aside(
        &mut self,
        certainty: Certainty,
        read: impl FnOnce(&mut Self) -> Text,
    ) -> Changes {
        let (leaving, may_leave) = (self.control.leaving.take(), self.control.may_leave);
        let succeeded = self.control.succeeded;
        let input = self.input.clone();
        let mark = self.state.mark();
        // Of a file that starts itself it is seen once, and not for each way there is through it.
        if !self.is_read_again() {
            self.at_most(certainty, read);
        }
        let changes = self.state.roll_back(mark);
        self.input = input;
        self.control.succeeded = succeeded;
        self.control.leaving = leaving;
        self.control.may_leave = may_leave;
        changes
    }

    /// Reads a shell of its own: nothing leads out of it, and what it sets aside for its end runs then.
    pub(super) fn own_shell(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Text {
        let around = self.control.enclose(Leave::Shell, self.builtins.shells.current());
        let before = self.traps.begin();
        let mut printed = read(self);
        self.control.release(around, Leave::Shell);
        // What is set aside sees the variables as they are then, and may set more aside.
        while let Some(due) = self.traps.due(before) {
            match due {
                Due::All => printed.append(&self.spring_traps()),
                Due::End(trap) => {
                    let more = self.trapped(&trap, |walk| {
                        walk.at_most(Certainty::Likely, |walk| {
                            walk.same_shell(&trap.code, trap.span)
                        })
                    });
                    printed.append(&more);
                }
            }
        }
        self.traps.end(before);
        printed
    }

    /// Reads what traps run, where anything changed since that they could see; gives what those of this shell may print.
    pub(super) fn spring_traps(&mut self) -> Text {
        let mut printed = Text::default();
        let traps = match self.traps.spring(self.state.changes()) {
            Ok(traps) => traps,
            Err(span) => {
                self.gap(span, GapReason::Limit);
                return printed;
            }
        };
        if traps.is_empty() {
            return printed;
        }
        let passes_on = self.state.may_be_on("set -E");
        for (index, trap) in traps.iter().enumerate() {
            let more = self
                .trapped(trap, |walk| walk.perhaps(|walk| walk.same_shell(&trap.code, trap.span)));
            if passes_on || index >= self.traps.inherited() {
                printed.append(&more);
            }
        }
        // A trap may set others.
        if let Some(span) = self.traps.put_back(traps, self.state.changes()) {
            self.gap(span, GapReason::Limit);
        }
        printed
    }

    /// Reads what a trap runs where it stands: what comes after it goes on as if nothing had run.
    fn trapped(&mut self, trap: &Trap, read: impl FnOnce(&mut Self) -> Text) -> Text {
        let outer = std::mem::replace(&mut self.recorder.layer, trap.layer);
        let (leaving, succeeded) = (self.control.leaving.take(), self.control.succeeded);
        let printed = read(self);
        self.control.leaving = leaving;
        self.control.succeeded = succeeded;
        self.recorder.layer = outer;
        printed
    }
}
