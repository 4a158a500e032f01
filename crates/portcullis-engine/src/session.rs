//! One gate for the length of a process. Owns what all of its calls have in common: the policy, the observer, what is kept in mind, the record.
//! How a call is judged, recorded and kept in mind stands in the files below. It reads no calls and writes no answers.

use std::{
    collections::VecDeque,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use portcullis_core::{
    action::BadCall,
    analyze::Ensemble,
    call::ToolCall,
    gate::Gate,
    policy::{Confirmation, Context, Mode, Policy, PolicyOptions},
    session::Source,
};

use crate::{
    alike::Like,
    audit::Opens,
    config::{Configuration, Lock, OnFailure, ProjectFile},
    memory::Memory,
    observe::Observer,
};

mod considering;
mod decision;
mod judged;
mod overlay;
mod recording;
mod remembering;
mod settings;

pub(crate) use decision::allow;
pub use judged::{Judged, preview};
pub use overlay::{Opinion, Over, Overlay};
use recording::Recording;
pub use recording::{DISOBEYED, Ran, changed_words, note, record_is_unwanted};
use remembering::Heard;
pub use settings::Locked;

/// What a session is opened with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration wherever a call runs; the files of projects are added to it.
    pub configuration: Configuration,
    /// The analyzers of the ensemble, where they are others than the configuration's.
    pub analyzers: Option<Ensemble>,
    /// Let one analyzer that cannot tell make the risk unknown.
    pub propagate_unknown: bool,
    /// The mode that is enforced for every call, whatever the call says.
    pub mode: Option<Mode>,
    /// The directory of calls that name none.
    pub cwd: Option<String>,
    /// The home directory of calls that name none.
    pub home: Option<String>,
    /// Calls come from elsewhere: where one runs that names no directory is not known, and never this process's own.
    pub from_elsewhere: bool,
    /// Keep no record, unless the managed configuration locks it.
    pub unrecorded: bool,
    /// Keep the record whatever the environment says of it: it can come from a project.
    pub recorded: bool,
    /// What is ours beside the program and its files: a call that would change it would change the gate.
    pub guarded: Vec<PathBuf>,
    /// Where the record is kept, where that is not a directory.
    pub recorder: Option<Recorder>,
    /// One more layer over every decision.
    pub over: Option<Over>,
}

/// A record that is not kept in a directory.
#[derive(Clone)]
pub struct Recorder(Arc<dyn Opens>);

impl Recorder {
    /// One that is opened so.
    #[must_use]
    pub fn new(opens: impl Opens + 'static) -> Self {
        Self(Arc::new(opens))
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// What a call is judged under.
#[derive(Debug, Default)]
pub struct Regime {
    /// The configuration, with the project's.
    pub configuration: Configuration,
    gate: Gate,
}

/// What every call of one process has in common.
pub struct Session {
    base: Arc<Regime>,
    analyzers: Option<Ensemble>,
    propagate_unknown: bool,
    /// The confirmation policy that a person chose in place of the configuration's.
    confirmation: Option<Confirmation>,
    /// The kinds of calls that a person is asked about no more, each with who said so.
    alike: Vec<(Like, String)>,
    /// The project of the last call, since the next one is mostly about the same.
    project: Mutex<Option<(ProjectFile, Arc<Regime>)>>,
    mode: Option<Mode>,
    cwd: Option<String>,
    home: Option<String>,
    observer: Observer,
    memory: Memory,
    /// Where it is kept what was accepted of servers.
    state: Option<PathBuf>,
    /// Where the answers of the latest calls come from, by the session and the id of each.
    sources: Mutex<VecDeque<(Heard, Source)>>,
    on_failure: OnFailure,
    record: Recording,
    over: Option<Over>,
}

impl Session {
    /// A session over this machine.
    #[must_use]
    pub fn open(options: Options) -> Self {
        let Options {
            configuration,
            analyzers,
            propagate_unknown,
            mode,
            cwd,
            home,
            from_elsewhere,
            unrecorded,
            recorded,
            guarded,
            recorder,
            over,
        } = options;
        let audit = configuration.audit.clone();
        let ours = configuration.account.paths().chain(audit.path.as_deref());
        let ours = ours.chain(guarded.iter().map(PathBuf::as_path));
        let ours: Vec<&Path> = ours.collect();
        let directories = configuration.directories();
        let observer = Observer::new(&directories, &ours);
        let observer = observer.reading(configuration.reads_files);
        let observer = if from_elsewhere { observer.elsewhere() } else { observer };
        let unwanted = unrecorded || !recorded && record_is_unwanted();
        let off = !audit.enabled || (unwanted && !configuration.is_locked(Lock::Audit));
        let directory = audit.path.clone().or(directories.state);
        let kept = if off { None } else { directory.clone() };
        let state = directory.clone();
        if !off && recorder.is_none() && audit.path.is_none() {
            configuration.keep_from_the_start();
        }
        let record = match recorder {
            _ if off => Recording::Off,
            None => Recording::open(directory.as_deref()),
            Some(Recorder(elsewhere)) => {
                elsewhere.open().map_or_else(Recording::Broken, |log| Recording::On(Box::new(log)))
            }
        };
        let base = Regime::new(configuration, analyzers.as_ref(), propagate_unknown, None);
        Self {
            base: Arc::new(base),
            analyzers,
            propagate_unknown,
            confirmation: None,
            alike: Vec::new(),
            project: Mutex::default(),
            mode,
            cwd,
            home,
            observer,
            memory: Memory::new(kept.as_deref()),
            state,
            sources: Mutex::default(),
            record,
            over,
            on_failure: audit.on_failure,
        }
    }

    /// Judges a call and records the decision.
    ///
    /// # Errors
    /// [`BadCall`] where the arguments are not what the tool takes.
    pub fn judge(&mut self, call: ToolCall, context: Context) -> Result<Judged, BadCall> {
        let mut judged = self.consider(call, context)?;
        self.record(&mut judged);
        Ok(judged)
    }
}

impl Regime {
    fn new(
        configuration: Configuration,
        analyzers: Option<&Ensemble>,
        propagate_unknown: bool,
        confirmation: Option<Confirmation>,
    ) -> Self {
        let analyzers = analyzers.cloned().unwrap_or_else(|| configuration.ensemble());
        let analyzers = analyzers.propagate_unknown(propagate_unknown);
        let mut policy = configuration.policy.clone();
        if let Some(confirmation) = confirmation {
            policy = Policy::new(PolicyOptions { confirmation, ..policy.options() });
        }
        Self { gate: Gate::with_analyzers(policy, analyzers), configuration }
    }
}
