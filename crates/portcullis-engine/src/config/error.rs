//! What can be wrong with a configuration. Owns the errors, where in the file they are, and the help for each.

use std::{
    fmt, io,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{private::Unbelievable, report::visible};

/// Why there is no configuration. The command line ends with 78 for each of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file that was named is not there.
    #[error("there is no configuration at `{path}`")]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// A directory, a device or a socket.
    #[error("cannot read the configuration `{path}`: it is not a regular file")]
    NotAFile {
        /// Which.
        path: PathBuf,
    },
    /// It cannot be opened or read.
    #[error("cannot read the configuration `{path}`: {source}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An agent could write it.
    #[error("refusing the configuration `{path}`: everyone may write to it")]
    WritableByEveryone {
        /// Which.
        path: PathBuf,
    },
    /// A link in a project leads wherever its author likes.
    #[error("refusing the configuration `{path}`: it is a symbolic link")]
    SymbolicLink {
        /// Which.
        path: PathBuf,
    },
    /// Somebody else than the administrator could have written the managed file.
    #[error(
        "refusing the managed configuration `{path}`: it or its directory does not belong to the administrator, or others \
         may write to it"
    )]
    NotOfTheAdministrator {
        /// Which.
        path: PathBuf,
    },
    /// It is longer than [`super::MAX_BYTES`].
    #[error("cannot read the configuration `{path}`: it is longer than 1 MiB")]
    TooLong {
        /// Which.
        path: PathBuf,
    },
    /// It is not UTF-8.
    #[error("cannot read the configuration `{path}`: it is not UTF-8 text")]
    NotText {
        /// Which.
        path: PathBuf,
    },
    /// What is kept of it, as a person last left it, cannot be believed.
    #[error("what is kept of the configuration `{path}` cannot be believed: {reason}")]
    NotKept {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: Unbelievable,
    },
    /// It says what we do not understand.
    #[error(transparent)]
    Mistake(Box<Mistake>),
}

impl ConfigError {
    /// What to do about it, for the `help:` line.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Missing { .. } => Some("name a file that exists, or leave `--config` away"),
            Self::NotAFile { .. } | Self::TooLong { .. } | Self::NotText { .. } => {
                Some("name a TOML file with `--config`")
            }
            Self::Unreadable { .. } => Some("see who may read the file"),
            Self::WritableByEveryone { .. } => {
                Some("take the right to write from others with `chmod o-w`")
            }
            Self::SymbolicLink { .. } => Some("put the file itself there"),
            Self::NotOfTheAdministrator { .. } => Some(
                "as the administrator, `chown root` the file and its directory, and `chmod go-w` both",
            ),
            Self::NotKept { .. } => {
                Some("read the file, and say at a terminal that it is yours: `portcullis trust`")
            }
            Self::Mistake(mistake) => mistake.help.as_deref(),
        }
    }
}

/// A place in a file that says what we do not understand.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mistake {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes in the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The text of the file.
    pub text: String,
}

impl Mistake {
    pub(super) fn new(path: &Path, text: &str, misreading: Misreading) -> Self {
        let Misreading { span, message, help } = misreading;
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            span,
            message,
            help,
            text: text.to_owned(),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let (path, message) = (visible::line(&path), visible::line(&self.message));
        write!(f, "{path}:{}:{}: {message}", self.line, self.column)
    }
}

impl std::error::Error for Mistake {}

/// A mistake whose file and line are not known yet.
#[derive(Debug)]
pub(super) struct Misreading {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Misreading {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// The candidate that is nearest to a word, where one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word this long is no slip of the finger, and comparing it costs.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let word = plain(word);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= (word.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be inserted, removed, replaced or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
    for (row, letter) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = at(&last, column) + usize::from(letter != *other);
            let mut best = replaced.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let neighbour = column.checked_sub(1).and_then(|index| right.get(index));
            if previous == Some(*other) && neighbour == Some(&letter) {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(letter);
    }
    at(&last, right.len())
}
