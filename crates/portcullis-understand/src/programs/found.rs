//! What stands at a path, as a host finds it for a program. Owns no way of finding it.

use std::sync::Arc;

use crate::facts::NotRead;

/// What stands at a path.
#[derive(Clone, Debug)]
pub enum Found {
    /// Nothing, or nothing is known of it (yet).
    Nothing,
    /// Something that was not read.
    NotRead(NotRead),
    /// A directory with these names.
    Directory(Vec<String>),
    /// A file.
    File(File),
}

impl Found {
    /// The file, where there is one that was read.
    pub fn file(self) -> Option<File> {
        match self {
            Self::File(file) => Some(file),
            Self::Nothing | Self::NotRead(_) | Self::Directory(_) => None,
        }
    }
}

/// A file whose text is known.
#[derive(Clone, Debug)]
pub struct File {
    /// Its absolute path.
    pub path: String,
    /// Its text, as far as it was read.
    pub text: Arc<str>,
    /// Whether all of it was.
    pub whole: bool,
    /// Whether this call wrote it: it is judged as the call's own words.
    pub is_own: bool,
}

/// What a step of version control puts in place of files.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Versions {
    /// The directory whose files it writes anew.
    pub to: String,
    /// The directory in a work tree that they are copied from, where it is another.
    pub from: Option<String>,
    /// The repository that they are copied from, where it is no work tree of this one.
    pub repository: Option<String>,
    /// The revisions of which each may be what stands there afterwards; an empty one is what is staged.
    pub revisions: Vec<String>,
    /// Whether it may be one that nobody knows.
    pub is_unclear: bool,
}

/// The directory that a path lies in.
pub(crate) fn directory_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((directory, _)) => directory,
    }
}
