//! What evidence may change of a decision: a trial of the action, and a copy of what it would lose. Owns the conditions under which a question
//! is spared by either; whoever runs the action gathers the evidence, and sees to it that what goes on is what the evidence is about.
//!
//! | evidence | what it spares | never |
//! |---|---|---|
//! | a [`Trial`] | the question about what was not understood: what it changed is taken over, and nothing runs again | what asks for another reason, what a rule or a floor says, what left the workspace or wanted the network or a secret |
//! | a `Copy` | the question about files of the workspace that come back | what is not understood, what is above the ceiling, what has an effect beside files |

use super::{Policy, Subject};
use crate::{
    action::ActionKind,
    assessment::Coverage,
    decision::{Decision, Layer, Verdict},
    effect::{Effect, EffectKind, Run},
    finding::Category,
    risk::{Risk, Severity},
    rules,
    session::Acts,
};

/// What came of a trial of an action: a run whose changes went elsewhere, without a network, and without anything that is secret.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Trial {
    /// Whether all that it changed is known, and it was watched from its beginning to its end.
    pub is_whole: bool,
    /// Whether it ended by itself, and said that all went well.
    pub ended_well: bool,
    /// Whether all that it changed lies in the workspace.
    pub stayed_inside: bool,
    /// Whether it wanted to connect anywhere.
    pub wanted_network: bool,
    /// Whether it looked at what is secret.
    pub met_secret: bool,
    /// Whether the sandbox refused it something.
    pub was_refused: bool,
    /// The strictest word on what it changed, each change judged as the edit of a file.
    pub changes: Verdict,
}

impl Trial {
    /// Whether nothing is left to be asked about what it did.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let Self {
            is_whole,
            ended_well,
            stayed_inside,
            wanted_network,
            met_secret,
            was_refused,
            changes,
        } = *self;
        is_whole
            && ended_well
            && stayed_inside
            && !wanted_network
            && !met_secret
            && !was_refused
            && changes == Verdict::Allow
    }
}

/// What was kept of what an action would lose.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Copy {
    /// Whether all that it could lose was kept, and comes back to the byte.
    pub is_whole: bool,
    /// Whether it does something beside, which nobody can undo here.
    pub goes_beyond: bool,
}

impl Copy {
    /// Whether all that an action does comes back with what was kept of it: it is understood to the last word, and changes files alone.
    #[must_use]
    pub fn makes_up_for(&self, subject: &Subject<'_>) -> bool {
        let Subject { effects, assessment, .. } = subject;
        let Self { is_whole, goes_beyond } = *self;
        let mut findings = assessment.findings.iter();
        is_whole
            && !goes_beyond
            && assessment.coverage == Coverage::Full
            && assessment.level < Severity::Critical
            && !assessment.tool_is_unknown
            && effects.list.iter().all(loses_files_alone)
            && findings.all(|one| {
                one.severity <= Severity::Low
                    || matches!(one.category, Category::Destruction | Category::Change)
            })
    }
}

impl Policy {
    /// Whether an action that asks may be tried before anybody is asked: a command of a shell that asks because it is not understood, and
    /// for no other reason. What sends, acts on anything but files and programs of this machine, or has another user's rights is not tried.
    #[must_use]
    pub fn may_be_tried(&self, subject: &Subject<'_>, decision: &Decision) -> bool {
        let Subject { action, effects, facts, assessment } = subject;
        decision.verdict == Verdict::Ask
            && matches!(decision.layer, Layer::Mode | Layer::Confirmation)
            && matches!(action.kind, ActionKind::Shell { .. })
            && assessment.risk == Risk::Unknown
            && facts.workspace.is_some()
            && effects.list.iter().all(stays_here)
    }

    /// The decision about taking over what a trial changed, in place of one that asks about running the action. Nothing where it still asks.
    /// It counts for the changes of that trial alone: whoever runs the action anew has no answer.
    #[must_use]
    pub fn settled_by_trial(
        &self,
        subject: &Subject<'_>,
        decision: &Decision,
        trial: &Trial,
    ) -> Option<Decision> {
        let goes_on = trial.is_settled() && self.may_be_taken_over(subject, decision);
        let words = "it was tried apart from the files: what it changed there is taken over, and it does not run again";
        goes_on.then(|| allowed(decision, words))
    }

    /// The decision about running, in the place of an action that asks, a trial of it of which only what is settled is taken over. Nothing where
    /// that asks too. It does not count for the action itself: whoever lets it go on has seen that the trial runs in its place.
    #[must_use]
    pub fn replaced_by_trial(
        &self,
        subject: &Subject<'_>,
        decision: &Decision,
    ) -> Option<Decision> {
        let words = "a trial of it runs in its place, of which only what stayed in the workspace and goes on as edits of files is taken over";
        self.may_be_taken_over(subject, decision).then(|| allowed(decision, words))
    }

    /// Whether what a trial of an action changes may count, if the trial says nothing against it.
    fn may_be_taken_over(&self, subject: &Subject<'_>, decision: &Decision) -> bool {
        let harmless = |category: Category| {
            matches!(
                category,
                Category::Change | Category::Unclear | Category::Destruction | Category::Execution
            )
        };
        let mut findings = subject.assessment.findings.iter();
        self.commits_trials
            && self.may_be_tried(subject, decision)
            && findings.all(|one| one.severity < Severity::Medium || harmless(one.category))
    }

    /// The decision about an action of which all that it would lose was kept, in place of one that asks. Nothing where it still asks.
    #[must_use]
    pub fn settled_by_copy(
        &self,
        subject: &Subject<'_>,
        decision: &Decision,
        copy: &Copy,
    ) -> Option<Decision> {
        let goes_on = decision.verdict == Verdict::Ask
            && decision.layer == Layer::Confirmation
            && self.is_made_up_for(subject, copy);
        let words = "all that it would lose was kept, and can be brought back";
        goes_on.then(|| allowed(decision, words))
    }

    /// Whether a copy makes up for all that an action does, as far as the policy lets it.
    #[must_use]
    pub fn is_made_up_for(&self, subject: &Subject<'_>, copy: &Copy) -> bool {
        let level = subject.assessment.level;
        let is_below = self.undoable.is_some_and(|ceiling| level <= ceiling);
        is_below && copy.makes_up_for(subject)
    }
}

/// Whether an effect, in so far as it is one, ends with the files and programs of this machine.
fn stays_here(effect: &Effect) -> bool {
    let here = match &effect.kind {
        EffectKind::Run(run) => !acts_on_others(run),
        EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Delete { .. }
        | EffectKind::Permission { .. }
        | EffectKind::Discard { .. }
        | EffectKind::Execute { .. }
        | EffectKind::Environment { .. } => true,
        // What only fetches finds no network in a trial, and that shows.
        EffectKind::Connect(connection) => connection.sends.is_none(),
        EffectKind::Hand { .. }
        | EffectKind::Privilege { .. }
        | EffectKind::Kill { .. }
        | EffectKind::Query { .. }
        | EffectKind::Noted(_)
        | EffectKind::Act(_) => false,
    };
    here && !effect.contained
}

/// Whether the words of a program say that it sends, publishes or pays, or deletes what is no file.
fn acts_on_others(run: &Run) -> bool {
    let acts = rules::grave_acts(run);
    let on_others = Acts::SEND.and(Acts::SHARE).and(Acts::PAY).and(Acts::PUBLISH);
    let is_of_files = changes_files_alone(run);
    acts.meet(on_others) || acts.meet(Acts::DELETE) && !is_of_files
}

/// Whether an effect is one that a copy of files makes up for, or none that lasts.
fn loses_files_alone(effect: &Effect) -> bool {
    let files = match &effect.kind {
        EffectKind::Run(run) => changes_files_alone(run),
        EffectKind::Read(_)
        | EffectKind::Write { .. }
        | EffectKind::Delete { .. }
        | EffectKind::Permission { .. }
        | EffectKind::Discard { .. } => true,
        EffectKind::Connect(_)
        | EffectKind::Execute { .. }
        | EffectKind::Environment { .. }
        | EffectKind::Hand { .. }
        | EffectKind::Privilege { .. }
        | EffectKind::Kill { .. }
        | EffectKind::Query { .. }
        | EffectKind::Noted(_)
        | EffectKind::Act(_) => false,
    };
    files && !effect.contained
}

/// Programs that change files and directories, or only look at them, whatever their options.
const OF_FILES: &[&str] = &[
    "basename",
    "cat",
    "cd",
    "chmod",
    "cmp",
    "cp",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
    "false",
    "file",
    "grep",
    "head",
    "ln",
    "ls",
    "mkdir",
    "mv",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sha256sum",
    "shred",
    "stat",
    "tail",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "truncate",
    "uniq",
    "unlink",
    "wc",
];

/// Commands of version control that change nothing but the work tree, the index and where this repository's own branches are.
const OF_THE_REPOSITORY: &[&str] = &[
    "branch", "checkout", "clean", "diff", "log", "mv", "reset", "restore", "rm", "stash",
    "status", "switch", "tag",
];

/// Whether a program is one that does nothing that files do not show. The list is a positive one: what pushes looks like any other program.
fn changes_files_alone(run: &Run) -> bool {
    if run.program != "git" {
        return OF_FILES.contains(&run.program.as_str());
    }
    // An option before the command can name another repository, or a setting that is run.
    let command = run.arguments.first().and_then(|word| word.text.as_known());
    command.is_some_and(|command| OF_THE_REPOSITORY.contains(&command))
}

/// A decision that asked, and goes on.
fn allowed(decision: &Decision, words: &'static str) -> Decision {
    let mut decision = decision.clone();
    decision.decide(Layer::Confirmation, Verdict::Allow, words);
    decision
}

#[cfg(test)]
mod tests;
