//! Trials as evidence, and what is kept before actions: the `[try]` and `[undo]` tables. Owns their words and what holds where one is missing;
//! what either spares, the core's policy says.

use std::time::Duration;

use portcullis_core::risk::Severity;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    error::Misreading,
    level::{Level, level_of},
};

/// How long a trial may take where nobody says it.
const USUAL: Duration = Duration::from_secs(30);

/// The longest that a trial may take before somebody is asked, in seconds.
const LONGEST: u64 = 600;

/// Trials of what is not understood, before anybody is asked. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TryTable {
    /// Where what is not understood is tried first, on files whose changes go elsewhere; nowhere by default.
    pub gates: Option<Vec<TryingGate>>,
    /// Whether what a trial changed is taken over unasked where it stayed inside of the workspace, wanted no network, met no secret, was refused
    /// nothing, and each change goes on as the edit of a file; not by default. It never runs a second time. In `check` and `gateway`, which run
    /// nothing, the question stays.
    pub commit: Option<bool>,
    /// How many seconds a trial may take; 30 by default.
    #[schemars(with = "Option<u64>")]
    pub timeout: Option<Spanned<u64>>,
}

/// A gate that may try what is not understood.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum TryingGate {
    /// `check`.
    Check,
    /// The tools of `tools` and of `run`.
    Tools,
    /// Calls that a gateway judges. Whoever may have calls judged there has programs tried on the gateway's machine then.
    Gateway,
    /// Hooks, where the agent lets a call be replaced: by `portcullis try --commit`.
    Hook,
}

/// What is kept before actions that lose files. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoTable {
    /// Whether anything is kept; it is by default.
    pub snapshots: Option<bool>,
    /// Whether hooks keep something too; they do by default.
    pub hooks: Option<bool>,
    /// Whether a hook has a large project kept before anything is about to be lost, by a process of its own that runs behind everything else; it does
    /// by default.
    pub ahead: Option<bool>,
    /// Up to which risk nobody is asked about an action that loses files of the workspace and does nothing else, where all of them were kept.
    /// Without it everybody is asked as ever.
    pub max_risk: Option<Level>,
}

/// What is tried, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trials {
    /// The gates that try what is not understood.
    pub gates: Vec<TryingGate>,
    /// How long a trial may take.
    pub timeout: Duration,
}

/// What is kept before actions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Snapshots {
    /// Whether anything is.
    pub enabled: bool,
    /// Whether hooks keep something too.
    pub hooks: bool,
    /// Whether they have it kept before anything is about to be lost.
    pub ahead: bool,
}

/// What one file says of both.
#[derive(Clone, Debug, Default)]
pub(super) struct TrialPart {
    pub(super) gates: Option<Vec<TryingGate>>,
    pub(super) timeout: Option<Duration>,
    pub(super) commit: Option<bool>,
    pub(super) snapshots: Option<bool>,
    pub(super) hooks: Option<bool>,
    pub(super) ahead: Option<bool>,
    pub(super) undoable: Option<Severity>,
}

impl TryingGate {
    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Tools => "tools",
            Self::Gateway => "gateway",
            Self::Hook => "hook",
        }
    }
}

impl Default for Trials {
    fn default() -> Self {
        Self { gates: Vec::new(), timeout: USUAL }
    }
}

impl Trials {
    /// Whether a gate tries what is not understood.
    #[must_use]
    pub fn at(&self, gate: TryingGate) -> bool {
        self.gates.contains(&gate)
    }
}

impl Default for Snapshots {
    fn default() -> Self {
        Self { enabled: true, hooks: true, ahead: true }
    }
}

pub(super) fn trials_of(
    trial: Option<&Spanned<TryTable>>,
    undo: Option<&Spanned<UndoTable>>,
) -> Result<TrialPart, Misreading> {
    let mut part = TrialPart::default();
    if let Some(table) = trial {
        let TryTable { gates, commit, timeout } = table.get_ref();
        if let Some(seconds) =
            timeout.as_ref().filter(|seconds| !(1..=LONGEST).contains(seconds.get_ref()))
        {
            let words = format!("a trial takes between 1 and {LONGEST} seconds");
            return Err(Misreading::new(seconds.span(), words)
                .with_help("somebody waits for it: choose fewer seconds"));
        }
        part.gates.clone_from(gates);
        part.commit = *commit;
        part.timeout = timeout.as_ref().map(|seconds| Duration::from_secs(*seconds.get_ref()));
    }
    if let Some(table) = undo {
        let UndoTable { snapshots, hooks, ahead, max_risk } = table.get_ref();
        if *max_risk == Some(Level::Critical) {
            return Err(Misreading::new(
                table.span(),
                "what is critical is asked about in any case",
            )
            .with_help("set `max_risk` to `high` or below"));
        }
        part.snapshots = *snapshots;
        part.hooks = *hooks;
        part.ahead = *ahead;
        part.undoable = max_risk.map(level_of);
    }
    Ok(part)
}
