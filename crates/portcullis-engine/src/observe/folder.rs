//! The directory that files are looked for in just now. Owns when it is listed instead of asked for each name.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// After how many looks into one directory it is listed.
const LISTED_AFTER: usize = 4;

/// How many names a directory has that is listed for that.
const FEW: usize = 128;

/// A directory that files are looked for in. Tools look for many names in one, of which most are not there: where it stands is found out once,
/// and after a few looks it is listed instead of asked for each.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// As it is named.
    pub(super) path: PathBuf,
    /// Where it really stands; nothing for a circle of links.
    pub(super) place: Option<PathBuf>,
    looks: usize,
    /// Its names in lower case, in order; nothing where it was not listed.
    names: Option<Vec<Vec<u8>>>,
}

impl Folder {
    /// A directory by its name, and where it really stands.
    pub(super) fn new(path: &Path, place: Option<PathBuf>) -> Self {
        Self { path: path.to_owned(), place, ..Self::default() }
    }

    /// Whether it has nothing of this name, in whatever capitals.
    pub(super) fn lacks(&mut self, name: &OsStr) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks == LISTED_AFTER {
            self.names = self.place.as_deref().and_then(few_names);
        }
        let Some(names) = &self.names else { return false };
        let name = name.as_encoded_bytes();
        // What a file system makes of other characters is its own.
        name.is_ascii() && names.binary_search(&name.to_ascii_lowercase()).is_err()
    }
}

/// The names of a directory that has few, in lower case and in order.
fn few_names(directory: &Path) -> Option<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).ok()? {
        if names.len() >= FEW {
            return None;
        }
        names.push(entry.ok()?.file_name().as_encoded_bytes().to_ascii_lowercase());
    }
    names.sort();
    Some(names)
}
