//! `break`, `continue`, `return` and `exit`: what comes after them is not reached. Owns how far each leads; statements that are
//! not reached are read all the same, as possible and without consequences.

use super::{redirect::Wiring, state::Changes, walk::Walk};
use crate::{effect::Certainty, text::Text};

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
        self.at_most(Certainty::Possible, read);
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
        let further = |leave: Option<Leave>| leave.filter(|leave| *leave > ends);
        self.leaving = around.leaving.max(further(self.leaving));
        self.may_leave = around.may_leave.max(further(self.may_leave));
    }

    /// Reads a shell of its own: nothing leads out of it.
    pub(super) fn own_shell<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.enclose();
        let result = read(self);
        self.release(around, Leave::Shell);
        result
    }
}
