//! `scan`: secrets in files, trees, archives and histories. Owns walking, reading within bounds, what is left out and why; what is a
//! secret, `portcullis_core` says, and how a report looks, [`output`].
//!
//! Memory is bounded by the number of threads and of findings, never by the size of a file: `blocks` reads in pieces that
//! overlap. Nothing is unpacked to disk, and nothing is sent anywhere.

mod allow;
pub mod baseline;
mod blocks;
mod content;
pub mod git;
pub mod gitleaks;
pub mod output;
pub(crate) mod tar;
mod tree;
pub(crate) mod utf16;
pub(crate) mod zip;

use std::{
    fmt,
    io::Read,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use portcullis_core::secrets::{Detector, Finding, Place};

/// How much is unpacked of one archive, all that is in it together, unless it is said otherwise.
pub const UNPACKED: u64 = 512 << 20;
/// The most findings that are listed of one file.
const MOST_IN_ONE: u64 = 10_000;
/// The most findings that are listed in all.
const MOST: usize = 200_000;
/// The most left-out files that are listed.
const MOST_LEFT_OUT: usize = 10_000;

/// What is looked at, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What looks.
    pub detector: Detector,
    /// Whether files that git ignores are left out.
    pub gitignore: bool,
    /// Whether comments and files that allow secrets are honoured.
    pub allowances: bool,
    /// Whether files that are no text are read too.
    pub binary: bool,
    /// Files and folders that are left out, as lines of a `.gitignore`.
    pub exclude: Vec<String>,
    /// The most bytes that are unpacked of one archive; with 0 archives are left out.
    pub unpacked: u64,
    /// How many threads read.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            detector: Detector::default(),
            gitignore: false,
            allowances: true,
            binary: false,
            exclude: Vec::new(),
            unpacked: UNPACKED,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// A secret and where it stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The file, as it was named or found; behind `!/` the one in an archive.
    pub path: String,
    /// What it is.
    pub finding: Finding,
    /// Which commit brought it, in a history.
    pub commit: Option<Arc<Commit>>,
}

/// A commit of git.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Commit {
    /// Its hash, in hexadecimal digits.
    pub id: String,
    /// Who made it, as the commit says.
    pub author: String,
    /// The author's address.
    pub email: String,
    /// When, as RFC 3339 writes it.
    pub date: String,
}

/// Why something was not looked at, or not all of it.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It is no text.
    Binary,
    /// It is a symbolic link; what it leads to is read where it stands.
    Link,
    /// It is a pipe, a socket or a device.
    Special,
    /// Options or a `.portcullisignore` leave it out.
    Excluded,
    /// It could not be read.
    Unreadable(String),
    /// It is packed in a way that is not read.
    Packed(&'static str),
    /// It is an archive, and archives are left out.
    Archive,
    /// It is an archive that is broken.
    Broken(String),
    /// It is encrypted.
    Encrypted,
    /// It is an archive in too many others.
    Deep,
    /// It unpacks to more than is allowed.
    Budget,
    /// It is longer than what is taken into memory.
    Large,
    /// The repository holds only the last part of its history.
    Shallow,
    /// It holds more secrets than are listed.
    Many,
}

impl Reason {
    /// Whether somebody has to look at it before the rest may be called clean.
    #[must_use]
    pub const fn is_gap(&self) -> bool {
        matches!(
            self,
            Self::Unreadable(_)
                | Self::Broken(_)
                | Self::Deep
                | Self::Budget
                | Self::Large
                | Self::Many
        )
    }

    /// One word for each, for programs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Link => "link",
            Self::Special => "special",
            Self::Excluded => "excluded",
            Self::Unreadable(_) => "unreadable",
            Self::Packed(_) => "packed",
            Self::Archive => "archive",
            Self::Broken(_) => "broken-archive",
            Self::Encrypted => "encrypted",
            Self::Deep => "deep",
            Self::Budget => "budget",
            Self::Large => "large",
            Self::Shallow => "shallow",
            Self::Many => "many",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("no text"),
            Self::Link => f.write_str("a symbolic link"),
            Self::Special => f.write_str("a pipe, socket or device"),
            Self::Excluded => f.write_str("excluded"),
            Self::Unreadable(error) => write!(f, "could not be read: {error}"),
            Self::Packed(way) => write!(f, "packed with {way}, which is not read"),
            Self::Archive => f.write_str("an archive"),
            Self::Broken(error) => write!(f, "a broken archive: {error}"),
            Self::Encrypted => f.write_str("encrypted"),
            Self::Deep => write!(f, "an archive more than {} deep", content::DEEPEST),
            Self::Budget => f.write_str("unpacks to more than is allowed; the rest was not read"),
            Self::Large => f.write_str("too long to be taken into memory"),
            Self::Shallow => f.write_str("not in this repository, which is shallow"),
            Self::Many => f.write_str("holds more secrets than are listed"),
        }
    }
}

/// Something that was not looked at, or not all of it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The file or folder.
    pub path: String,
    /// Why.
    pub reason: Reason,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The secrets, by file and place.
    pub findings: Vec<Found>,
    /// What was not looked at, by file; the first ten thousand.
    pub left_out: Vec<LeftOut>,
    /// How many were left out for each reason, in the order of the reasons' names.
    pub left_out_counts: Vec<(&'static str, u64)>,
    /// How many files were read, those in archives included.
    pub files: u64,
    /// How many bytes were read, unpacked.
    pub bytes: u64,
    /// How many secrets are not listed because a comment allows them.
    pub allowed: u64,
    /// How many secrets are not listed because the baseline knows them.
    pub known: u64,
}

impl Report {
    /// Whether something could not be read that may hold a secret.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.left_out.iter().any(|left_out| left_out.reason.is_gap())
    }
}

/// How far a scan has come; read by who shows it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Progress {
    /// Files read.
    pub files: AtomicU64,
    /// Bytes read.
    pub bytes: AtomicU64,
    /// Secrets found.
    pub found: AtomicU64,
}

impl Progress {
    fn add(&self, report: &Report) {
        self.files.fetch_add(report.files, Ordering::Relaxed);
        self.bytes.fetch_add(report.bytes, Ordering::Relaxed);
    }
}

/// What a scan collects, from all its threads.
pub(crate) struct Collector<'a> {
    options: &'a Options,
    progress: &'a Progress,
    /// The commit of what is read, for rules that ask for it.
    commit: Option<&'a str>,
    findings: Mutex<Vec<Found>>,
    left_out: Mutex<Vec<LeftOut>>,
    counts: Mutex<std::collections::BTreeMap<&'static str, u64>>,
    allowed: AtomicU64,
}

impl<'a> Collector<'a> {
    fn new(options: &'a Options, progress: &'a Progress) -> Self {
        Self {
            options,
            progress,
            commit: None,
            findings: Mutex::default(),
            left_out: Mutex::default(),
            counts: Mutex::default(),
            allowed: AtomicU64::new(0),
        }
    }

    /// Where a file stands.
    fn place<'b>(&self, path: &'b str) -> Place<'b>
    where
        'a: 'b,
    {
        Place { path, commit: self.commit }
    }

    /// Collects a file that a rule finds by its path.
    fn named(&self, path: &str) {
        let detection = self.options.detector.options();
        for finding in detection.rules.named(self.place(path), &detection.salt) {
            self.found(Found { path: path.to_owned(), finding, commit: None });
        }
    }

    fn found(&self, found: Found) {
        self.progress.found.fetch_add(1, Ordering::Relaxed);
        let mut findings = lock(&self.findings);
        if findings.len() < MOST {
            findings.push(found);
        } else {
            drop(findings);
            self.leave_out(&found.path, Reason::Many);
        }
    }

    fn leave_out(&self, path: &str, reason: Reason) {
        *lock(&self.counts).entry(reason.name()).or_default() += 1;
        let mut left_out = lock(&self.left_out);
        // A gap is listed in any case: it changes what the whole means.
        if left_out.len() < MOST_LEFT_OUT || reason.is_gap() && left_out.len() < 2 * MOST_LEFT_OUT {
            left_out.push(LeftOut { path: path.to_owned(), reason });
        }
    }

    /// Takes over what a part says besides its findings.
    fn take_over(&self, report: &Report) {
        self.allowed.fetch_add(report.allowed, Ordering::Relaxed);
        for LeftOut { path, reason } in &report.left_out {
            self.leave_out(path, reason.clone());
        }
    }

    fn report(self) -> Report {
        let mut findings = self.findings.into_inner().unwrap_or_else(|broken| broken.into_inner());
        findings.sort_by(|one, other| {
            let key = |found: &Found| {
                found.commit.as_ref().map(|commit| (commit.date.clone(), commit.id.clone()))
            };
            (&one.path, one.finding.span.start)
                .cmp(&(&other.path, other.finding.span.start))
                .then_with(|| key(one).cmp(&key(other)))
        });
        let mut left_out = self.left_out.into_inner().unwrap_or_else(|broken| broken.into_inner());
        left_out.sort_by(|one, other| one.path.cmp(&other.path));
        let counts = self.counts.into_inner().unwrap_or_else(|broken| broken.into_inner());
        Report {
            findings,
            left_out,
            left_out_counts: counts.into_iter().collect(),
            files: self.progress.files.load(Ordering::Relaxed),
            bytes: self.progress.bytes.load(Ordering::Relaxed),
            allowed: self.allowed.into_inner(),
            known: 0,
        }
    }
}

/// A panic in another thread is its own failure; what was collected stays true.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// Looks through files and trees.
#[must_use]
pub fn paths(paths: &[PathBuf], options: &Options, progress: &Progress) -> Report {
    let collector = Collector::new(options, progress);
    tree::walk(paths, &collector);
    collector.report()
}

/// Looks through a stream. `name` stands for it in the report.
#[must_use]
pub fn stream(name: &str, input: &mut dyn Read, options: &Options, progress: &Progress) -> Report {
    let collector = Collector::new(options, progress);
    content::Reader::new(&collector).look(name, content::Input::Stream(input));
    collector.report()
}

#[cfg(test)]
mod tests;
