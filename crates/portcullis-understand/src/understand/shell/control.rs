//! Where a script goes: how the last command ended, and what a `break`, `return` or `exit` leads out of. Owns these as values; what is
//! read or left unread by them is said in `leave` and `statements`.

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
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosing {
    leaving: Option<Leave>,
    may_leave: Option<Leave>,
}

/// What a `break` or `return` can lead out of, with the number of the shell that it is in.
type Open = (Leave, u32);

/// Where the script is on its way to.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// Whether the last command succeeded, where that is known.
    pub(super) succeeded: Option<bool>,
    /// How far it leads, once a `break`, `return` or `exit` was met that is surely taken.
    pub(super) leaving: Option<Leave>,
    /// The furthest that a `break`, `return` or `exit` leads that may have been taken.
    pub(super) may_leave: Option<Leave>,
    /// How many more loops the `break` or `continue` leaves, and whether it goes on with a round of the last.
    pub(super) beyond: (usize, bool),
    /// Within how many conditions this is, where `set -e` does not count.
    pub(super) conditions: u32,
    /// Whether the statement being read runs beside others: in a pipeline or with `&`.
    pub(super) concurrent: bool,
    /// Whether what is read runs behind a `&`.
    pub(super) behind: bool,
    /// Whether what code only defines may be called by others than itself: a tool puts it somewhere.
    pub(super) is_for_others: bool,
    /// Whether something was met that may go on when the call has ended: a statement with `&`, a loop that waits.
    pub(super) goes_on: bool,
    /// Whether a script in another language is read that takes nothing from elsewhere.
    pub(super) is_in_closed_script: bool,
    /// The loops, functions and shells that are being read, innermost last.
    open: Vec<Open>,
}

impl Control {
    /// A command that leaves was met.
    pub(super) fn leave(&mut self, how_far: Leave) {
        self.leaving = self.leaving.max(Some(how_far));
    }

    /// What was read may not have run: gives up where it surely leads, and leads back to `outer`.
    pub(super) fn doubt(&mut self, outer: Option<Leave>) {
        self.may_leave = self.may_leave.max(self.leaving);
        self.leaving = outer;
    }

    /// Whether what leads this far is within what it would leave: outside of it a shell says so and goes on.
    pub(super) fn is_within(&self, ends: Leave, shell: u32) -> bool {
        let mut around = self.open.iter().rev();
        match ends {
            Leave::Round | Leave::Loop => around
                .take_while(|(open, within)| *open != Leave::Function && *within == shell)
                .any(|(open, _)| *open == Leave::Loop),
            Leave::Function => around.any(|open| *open == (Leave::Function, shell)),
            Leave::Shell => true,
        }
    }

    /// Begins a piece of script that something can leave.
    pub(super) fn enclose(&mut self, ends: Leave, shell: u32) -> Enclosing {
        self.open.push((ends, shell));
        Enclosing { leaving: self.leaving.take(), may_leave: self.may_leave.take() }
    }

    /// Ends it; what leads no further than this is over.
    pub(super) fn release(&mut self, around: Enclosing, ends: Leave) {
        self.open.pop();
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_no_further_than_its_surroundings_ends_with_them() {
        for (how_far, ends, expected) in [
            (Leave::Loop, Leave::Loop, None),
            (Leave::Round, Leave::Loop, None),
            (Leave::Function, Leave::Loop, Some(Leave::Function)),
            (Leave::Shell, Leave::Function, Some(Leave::Shell)),
            (Leave::Function, Leave::Function, None),
            (Leave::Shell, Leave::Shell, None),
        ] {
            let mut control = Control::default();
            let around = control.enclose(ends, 0);
            control.leave(how_far);
            control.release(around, ends);
            assert_eq!(control.leaving, expected, "{how_far:?} out of {ends:?}");
        }
    }

    #[test]
    fn a_break_of_two_loops_leaves_both_and_a_continue_goes_on_with_the_second() {
        for (is_round, expected) in [(false, Leave::Loop), (true, Leave::Round)] {
            let mut control = Control::default();
            let outer = control.enclose(Leave::Loop, 0);
            let inner = control.enclose(Leave::Loop, 0);
            control.beyond = (1, is_round);
            control.leave(Leave::Loop);
            control.release(inner, Leave::Loop);
            assert_eq!(control.leaving, Some(expected));
            control.release(outer, Leave::Loop);
            assert_eq!(control.leaving, None);
        }
    }

    #[test]
    fn a_loop_around_a_function_and_a_function_around_another_shell_are_not_left_from_within() {
        let mut control = Control::default();
        control.enclose(Leave::Loop, 0);
        assert!(control.is_within(Leave::Loop, 0) && !control.is_within(Leave::Function, 0));
        control.enclose(Leave::Function, 0);
        assert!(!control.is_within(Leave::Loop, 0) && control.is_within(Leave::Function, 0));
        control.enclose(Leave::Shell, 0);
        assert!(control.is_within(Leave::Function, 0));
        assert!(!control.is_within(Leave::Function, 1) && control.is_within(Leave::Shell, 1));
    }

    #[test]
    fn what_may_not_have_run_leaves_only_perhaps() {
        let mut control = Control::default();
        control.leave(Leave::Function);
        control.doubt(None);
        assert_eq!((control.leaving, control.may_leave), (None, Some(Leave::Function)));
    }
}
