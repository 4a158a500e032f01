//! The secrets that are known and not reported again. Owns the file: which file and which fingerprint, salted for this file alone,
//! so that nobody who reads it can try guesses against the hashes of another. No secret is in it.

use std::{
    collections::HashSet,
    fs,
    io::{self, Read as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Report;
use crate::platform;

/// The version of the file.
const VERSION: u64 = 1;
/// The longest file that is read.
const LONGEST: u64 = 256 << 20;

/// Known secrets.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    salt: Vec<u8>,
    known: HashSet<(String, String)>,
}

/// Why a baseline is not one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not in the form that we write.
    #[error("it is no baseline: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is of another version.
    #[error("it is of version {0}, and only version {VERSION} is read")]
    Version(u64),
    /// Its salt is no number in hexadecimal digits.
    #[error("its salt is not in hexadecimal digits")]
    Salt,
    /// It is too long.
    #[error("it is longer than {} MiB", LONGEST >> 20)]
    Long,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    v: u64,
    salt: String,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    rule: String,
    fingerprint: String,
}

impl Baseline {
    /// An empty one with a salt of its own.
    ///
    /// # Errors
    /// When the system has no random bytes to give.
    pub fn new() -> Result<Self, BaselineError> {
        let salt: [u8; 16] = platform::random()?;
        Ok(Self { salt: salt.to_vec(), known: HashSet::new() })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`BaselineError`].
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        // A pipe or a device says no length.
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(BaselineError::Long);
        }
        let File { v, salt, findings } = serde_json::from_slice(&bytes)?;
        if v != VERSION {
            return Err(BaselineError::Version(v));
        }
        let salt = data_encoding::HEXLOWER_PERMISSIVE
            .decode(salt.as_bytes())
            .map_err(|_| BaselineError::Salt)?;
        let known = findings.into_iter().map(|entry| (entry.path, entry.fingerprint)).collect();
        Ok(Self { salt, known })
    }

    /// What the fingerprints are salted with; the detector of the scan must use it.
    #[must_use]
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Takes what is known out of a report.
    pub fn apply(&self, report: &mut Report) {
        let before = report.findings.len();
        report.findings.retain(|found| {
            !self.known.contains(&(found.path.clone(), found.finding.fingerprint.clone()))
        });
        report.known += (before - report.findings.len()) as u64;
    }

    /// Writes everything in a report as known, and knows it from then on.
    ///
    /// # Errors
    /// [`BaselineError::Io`].
    pub fn write(&mut self, path: &Path, report: &Report) -> Result<(), BaselineError> {
        let mut findings: Vec<Entry> = report
            .findings
            .iter()
            .map(|found| Entry {
                path: found.path.clone(),
                rule: found.finding.rule.to_string(),
                fingerprint: found.finding.fingerprint.clone(),
            })
            .collect();
        findings.sort();
        findings.dedup();
        self.known =
            findings.iter().map(|entry| (entry.path.clone(), entry.fingerprint.clone())).collect();
        let salt = data_encoding::HEXLOWER.encode(&self.salt);
        let mut bytes = serde_json::to_vec_pretty(&File { v: VERSION, salt, findings })?;
        bytes.push(b'\n');
        Ok(fs::write(path, bytes)?)
    }
}
