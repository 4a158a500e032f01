//! `break`, `continue`, `return` and `exit`: what comes after them is not reached. Owns how far each leads; statements that are
//! not reached are read all the same, as possible and without consequences.

use super::{builtins::TRAPS, redirect::Wiring, state::Changes, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Certainty, GapReason},
    text::Text,
};

/// How far a script leaves what it is in.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Leave {
    /// This round of a loop.
    Round,
    /// This loop.
    Loop,
    /// This function, or the file that is sourced.
    Function,
    /// This shell.
    Shell,
}

/// How often what traps run is read anew after something changed.
const SPRINGS: usize = 64;

/// What was to be left around a piece of script.
pub(super) struct Around {
    leaving: Option<Leave>,
    may_leave: Option<Leave>,
}

impl Walk<'_> {
    /// A command that leaves was met.
    pub(super) fn leave(&mut self, how_far: Leave) {
        self.leaving = self.leaving.max(Some(how_far));
    }

    /// Reads what may or may not happen: where it leaves, what follows is likely and no more.
    pub(super) fn perhaps<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.leaving.take();
        let result = self.at_most(Certainty::Likely, read);
        self.may_leave = self.may_leave.max(self.leaving);
        self.leaving = outer;
        result
    }

    /// Reads what surely runs but for a file that may not open: where it leaves, what follows is likely and no more.
    pub(super) fn perhaps_leaves<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.leaving.take();
        let result = read(self);
        self.may_leave = self.may_leave.max(self.leaving);
        self.leaving = outer;
        result
    }

    /// A command whose files may not open may have failed.
    pub(super) fn doubt_opening(&mut self, wiring: &Wiring) {
        if wiring.may_fail && self.succeeded == Some(true) {
            self.succeeded = None;
        }
    }

    /// Reads what does not happen, as far as we know: it is seen, and changes nothing.
    pub(super) fn unreached(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Changes {
        let (leaving, may_leave) = (self.leaving.take(), self.may_leave);
        let succeeded = self.succeeded;
        let input = self.input.clone();
        let mark = self.state.mark();
        // Of a file that starts itself it is seen once, and not for each way there is through it.
        if !self.is_read_again() {
            self.at_most(Certainty::Possible, read);
        }
        let changes = self.state.roll_back(mark);
        self.input = input;
        self.succeeded = succeeded;
        self.leaving = leaving;
        self.may_leave = may_leave;
        changes
    }

    /// Begins a piece of script that something can leave.
    pub(super) fn enclose(&mut self) -> Around {
        Around { leaving: self.leaving.take(), may_leave: self.may_leave.take() }
    }

    /// Ends it; what leads no further than this is over.
    pub(super) fn release(&mut self, around: Around, ends: Leave) {
        let leads = [self.leaving, self.may_leave].contains(&Some(Leave::Loop));
        let outer = if ends == Leave::Loop && leads && self.beyond.0 > 0 {
            self.beyond.0 -= 1;
            let is_last = self.beyond.0 == 0;
            Some(if is_last && self.beyond.1 { Leave::Round } else { Leave::Loop })
        } else {
            None
        };
        let further = |leave: Option<Leave>| match (leave, outer) {
            (Some(Leave::Loop), Some(outer)) => Some(outer),
            (leave, _) => leave.filter(|leave| *leave > ends),
        };
        self.leaving = around.leaving.max(further(self.leaving));
        self.may_leave = around.may_leave.max(further(self.may_leave));
    }

    /// Reads a shell of its own: nothing leads out of it, and what it sets aside for its end runs then.
    pub(super) fn own_shell(&mut self, read: impl FnOnce(&mut Self) -> Text) -> Text {
        let around = self.enclose();
        let (ends, traps) = (self.at_end.len(), self.traps.len());
        let mut printed = read(self);
        self.release(around, Leave::Shell);
        // What is set aside sees the variables as they are then, and may set more aside.
        loop {
            if self.unsprung && self.traps.len() > traps {
                self.trapped.0 = usize::MAX;
                self.spring_traps();
            } else if self.at_end.len() > ends
                && let Some((code, span, layer)) = self.at_end.pop()
            {
                let outer = std::mem::replace(&mut self.layer, layer);
                let (leaving, succeeded) = (self.leaving.take(), self.succeeded);
                let more = self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, span));
                printed.append(&more);
                self.leaving = leaving;
                self.succeeded = succeeded;
                self.layer = outer;
            } else {
                break;
            }
        }
        self.traps.truncate(traps);
        printed
    }

    /// Reads what traps run, where anything changed since that they could see.
    pub(super) fn spring_traps(&mut self) {
        if self.traps.is_empty() || self.state.changes() == self.trapped.0 {
            return;
        }
        self.trapped.1 += 1;
        self.unsprung = false;
        if self.trapped.1 > SPRINGS {
            if let Some((_, span, _)) = self.traps.first() {
                self.gap(*span, GapReason::Limit);
            }
            return;
        }
        // What a trap runs does not spring it.
        let mut traps = std::mem::take(&mut self.traps);
        for (code, span, layer) in &traps {
            let outer = std::mem::replace(&mut self.layer, *layer);
            let (leaving, succeeded) = (self.leaving.take(), self.succeeded);
            self.perhaps(|walk| walk.same_shell(code, *span));
            self.leaving = leaving;
            self.succeeded = succeeded;
            self.layer = outer;
        }
        // A trap may set others.
        let room = TRAPS.saturating_sub(traps.len());
        if let Some((_, span, _)) = self.traps.get(room) {
            self.gap(*span, GapReason::Limit);
        }
        traps.extend(self.traps.drain(..).leading(room));
        self.traps = traps;
        self.trapped.0 = self.state.changes();
    }
}
