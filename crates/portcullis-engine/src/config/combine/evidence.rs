//! What evidence spares, of several files: less is stricter, and more is kept.

use portcullis_core::policy::PolicyOptions;

use super::{Key, Turn};
use crate::config::{
    Account, Lock,
    part::Part,
    trial::{Snapshots, TrialPart, Trials},
};

impl Account {
    /// What evidence spares: less is stricter.
    pub(super) fn take_evidence(
        &mut self,
        turn: Turn<'_>,
        part: &Part,
        options: &mut PolicyOptions,
        (trials, snapshots): (&mut Trials, &mut Snapshots),
    ) {
        let TrialPart { gates, timeout, commit, snapshots: kept, hooks, ahead, undoable } =
            &part.trials;
        let both = |held: &bool, new: &bool| Some(*held && *new);
        let either = |held: &bool, new: &bool| Some(*held || *new);
        self.settle(
            turn,
            Key("try.gates", Lock::Confirmation),
            &mut trials.gates,
            gates.clone(),
            |gates| gates.iter().map(|gate| gate.name()).collect::<Vec<_>>().join(", "),
            |held, new| Some(held.iter().copied().filter(|gate| new.contains(gate)).collect()),
        );
        self.settle(
            turn,
            Key("try.timeout", Lock::Confirmation),
            &mut trials.timeout,
            *timeout,
            |time| time.as_secs().to_string(),
            |held, new| Some(*held.min(new)),
        );
        self.settle(
            turn,
            Key("try.commit", Lock::Confirmation),
            &mut options.commits_trials,
            *commit,
            bool::to_string,
            both,
        );
        self.settle(
            turn,
            Key("undo.snapshots", Lock::Hook),
            &mut snapshots.enabled,
            *kept,
            bool::to_string,
            either,
        );
        self.settle(
            turn,
            Key("undo.hooks", Lock::Hook),
            &mut snapshots.hooks,
            *hooks,
            bool::to_string,
            either,
        );
        self.settle(
            turn,
            Key("undo.ahead", Lock::Hook),
            &mut snapshots.ahead,
            *ahead,
            bool::to_string,
            either,
        );
        self.settle(
            turn,
            Key("undo.max_risk", Lock::Confirmation),
            &mut options.undoable,
            undoable.map(Some),
            |risk| risk.map_or_else(String::new, |risk| risk.name().to_owned()),
            |held, new| Some(*held.min(new)),
        );
    }
}
