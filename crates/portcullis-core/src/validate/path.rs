//! Paths, as they are written. Owns what no path may look like; where one really leads, whoever opens it finds out.

use serde::Deserialize;

use super::{Refused, is_device, seen};

const KIND: &str = "path";

/// Longer than any path that a system opens.
const LONGEST: usize = 4_096;

/// What a path may be.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PathRules {
    /// Where it may be read. Relative ones are within the workspace.
    pub read: Vec<String>,
    /// Where it may be written.
    pub write: Vec<String>,
    /// What is never touched, wherever it lies.
    pub deny: Vec<String>,
    /// What it has to be.
    pub target: PathTarget,
    /// Whether it may be something that is not there yet; only where it is written.
    pub create: bool,
    /// Whether keys, tokens and passwords may be read, and start-up files, hooks and agents' settings be written.
    pub sensitive: bool,
    /// Whether a file may be read that has further names (hard links), which may lie where the tool may not read. None is written.
    pub linked: bool,
    /// Whether capital and small letters are the same.
    pub fold_case: bool,
}

/// What a path has to be.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum PathTarget {
    /// A file.
    #[default]
    File,
    /// A directory.
    Directory,
    /// Either.
    Any,
}

impl PathRules {
    /// Refuses what no path should look like, whatever is there.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, path: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new(KIND, message));
        if path.is_empty() {
            return refuse("the path is empty");
        }
        if path.len() > LONGEST {
            return refuse("the path is too long");
        }
        seen(KIND, path)?;
        if path.split(['/', '\\']).any(|component| component == "..") {
            return refuse("the path leads upwards with `..`");
        }
        if path.starts_with('~') {
            return refuse("`~` is not expanded; write the whole path");
        }
        let lower = path.to_ascii_lowercase();
        if ["%2e", "%2f", "%5c", "%00", "%25"].iter().any(|code| lower.contains(code)) {
            return refuse("the path holds percent-encoded separators or dots");
        }
        if path.starts_with(r"\\") || path.starts_with("//") {
            return refuse("the path names another machine or a device");
        }
        let is_drive =
            |bytes: &[u8]| matches!(bytes, [letter, b':', ..] if letter.is_ascii_alphabetic());
        if is_drive(path.as_bytes()) {
            return refuse("the path names a drive");
        }
        if path.split(['/', '\\']).any(is_device) {
            return refuse("the path names a device");
        }
        if lower.contains("::$") {
            return refuse("the path names a stream of a file");
        }
        Ok(())
    }
}
