//! What is asked for, and what comes of it. Owns the types of a run and its errors.

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use crate::{LayerState, Layers, Limits, Means, Profile, Report, Seen, Unavailable};

/// A program to run, and how it is held.
#[derive(Debug)]
pub struct Launch {
    /// The program: a path where it has a `/`, otherwise it is looked for in the `PATH` of `environment`.
    pub program: OsString,
    /// Its arguments, its name not among them.
    pub arguments: Vec<OsString>,
    /// Where it starts.
    pub directory: PathBuf,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What it may do.
    pub profile: Profile,
    /// What must hold, or nothing runs. [`Profile::promises`] is all that the profile asks for.
    pub require: Layers,
    /// How much it may use.
    pub limits: Limits,
    /// What it reads.
    pub input: Input,
    /// Where what it says goes.
    pub output: Output,
    /// Further descriptors that it has. Everything else is closed.
    pub descriptors: Vec<Kept>,
    /// Whether it is noted what the program starts and opens, see [`Finished::seen`]. It needs the kernel's help, and takes a little time
    /// for each call.
    pub watched: bool,
    /// Means that are not to be used, as if the system had none.
    pub without: Vec<Means>,
    /// Whoever sets this ends it.
    pub stop: Option<Arc<AtomicBool>>,
    /// How our own program is started for the stage.
    pub stage: Stage,
}

/// What a program reads on its standard input.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Input {
    /// Nothing.
    #[default]
    Null,
    /// What we read.
    Inherit,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// Where what a program says goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Output {
    /// Where ours goes.
    Inherit,
    /// To [`Finished`], up to so many bytes of each stream. The rest is read and dropped.
    Capture {
        /// How many bytes are kept of each stream.
        cap: usize,
    },
}

/// A descriptor that the program has.
#[derive(Debug)]
pub struct Kept {
    /// What it is.
    pub descriptor: OwnedFd,
    /// Which number it has there, from 3 on.
    pub number: i32,
}

/// How our own program is started for the stage: it must call [`crate::stage`] before anything else.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stage {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The argument by which [`crate::stage`] knows that it is meant.
pub const STAGE: &str = "sandbox-stage";

impl Default for Stage {
    fn default() -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), arguments: vec![STAGE.into()] }
    }
}

impl Launch {
    /// A program under a profile, all of whose promises are required; without input, environment or limits.
    #[must_use]
    pub fn new(
        program: impl Into<OsString>,
        directory: impl AsRef<Path>,
        profile: Profile,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: directory.as_ref().to_owned(),
            environment: Vec::new(),
            require: profile.promises(),
            profile,
            limits: Limits::default(),
            input: Input::Null,
            output: Output::Capture { cap: 1 << 20 },
            descriptors: Vec::new(),
            watched: false,
            without: Vec::new(),
            stop: None,
            stage: Stage::default(),
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
}

impl Status {
    /// As a shell says it: the code, or 128 and the signal.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Signalled(signal) => 128 + signal,
        }
    }
}

/// Why all that was started was killed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stopped {
    /// The time was up.
    Time,
    /// There were more processes than may be.
    Processes,
    /// Somebody wanted it to end.
    Asked,
}

/// A run that has ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finished {
    /// How the program ended.
    pub status: Status,
    /// Why it was stopped, where it was.
    pub stopped: Option<Stopped>,
    /// What it said, where that was captured.
    pub stdout: Vec<u8>,
    /// What it complained about, where that was captured.
    pub stderr: Vec<u8>,
    /// How many bytes of both were not kept.
    pub dropped: u64,
    /// Which promises held.
    pub report: Report,
    /// What it was seen to do, where that was asked for and the kernel tells; the words say why it does not.
    pub seen: Option<Result<Seen, String>>,
}

impl Finished {
    /// Whether the time was up.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.stopped == Some(Stopped::Time)
    }
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// What is required does not hold here.
    #[error("{}", missing_words(.0))]
    Missing(Box<Report>),
    /// A path of the profile cannot be used.
    #[error("`{}` cannot be used: {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The program could not be started.
    #[error("`{}` cannot be run: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What should be changed elsewhere cannot be. Nothing is run on the files themselves instead.
    #[error("a view in which changes go elsewhere cannot be made: {0}")]
    Unlayered(String),
    /// Something that is open would be handed in, and leads around what holds.
    #[error("descriptor {number} cannot be handed in: {reason}")]
    Descriptor {
        /// Its number inside.
        number: i32,
        /// Why not.
        reason: &'static str,
    },
    /// What was asked for contradicts itself.
    #[error("{0}")]
    Asked(String),
    /// The stage did not do what it should.
    #[error("the sandbox could not be made: {0}")]
    Stage(String),
}

impl Refused {
    /// What can be done about it, where something can.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        if matches!(self, Self::Descriptor { .. }) {
            let words = "redirect it from a file, a pipe or `/dev/null`, and name directories by their paths";
            return Some(words.to_owned());
        }
        let Self::Missing(report) = self else { return None };
        let remedies: Vec<&str> = report
            .unavailable
            .iter()
            .filter_map(|one: &Unavailable| one.remedy.as_deref())
            .collect();
        (!remedies.is_empty()).then(|| remedies.join("; or "))
    }

    /// Whether the program itself is what is missing.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Program { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

fn missing_words(report: &Report) -> String {
    let one = |state: &LayerState| {
        format!(
            "`{}` does not hold here: {}",
            state.layer,
            state.note.as_deref().unwrap_or("nothing keeps it")
        )
    };
    report.missing().map(one).collect::<Vec<_>>().join("; ")
}
