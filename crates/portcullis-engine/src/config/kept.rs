//! The user's own file as a person last left it. Owns the copy that is kept of it, vouched for with a key of this machine, and how the file stands
//! beside that copy: where an agent changed it by a way that nobody saw, it loosens nothing before a person has said so.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::MAX_BYTES;
use crate::{own_key::Key, platform, private::Unbelievable};

/// The directory of the copies below the one for state.
const DIRECTORY: &str = "own";

/// What the key vouches for.
const KIND: &str = "configuration";

/// How a file stands beside the copy of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Beside {
    /// It is as a person left it.
    Same,
    /// It was something else when a person last left it: this.
    Other(String),
}

/// The copies of one user. A file that is not there has no text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kept {
    directory: PathBuf,
}

impl Kept {
    /// The copies in a directory for state.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { directory: state.join(DIRECTORY) }
    }

    /// How the file at a path stands. The first time, what is there is taken for what a person left.
    ///
    /// # Errors
    /// When there is a copy that cannot be believed.
    pub fn beside(&self, path: &Path, now: &str) -> Result<Beside, Unbelievable> {
        let copy = self.file_of(path);
        // Where nothing was kept yet and nothing can be, there is nothing to compare it with.
        let is_absent = |error: io::Error| {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        };
        if fs::symlink_metadata(&copy).is_err_and(is_absent) {
            let _ = self.keep(path, now);
            return Ok(Beside::Same);
        }
        let text = Key::of(&self.directory)?.read_vouched(&copy, KIND, MAX_BYTES + LONGEST_PATH)?;
        let start = path.as_os_str().as_encoded_bytes().len() + 1;
        let is_of_it = text.starts_with(&about(path, ""));
        let before = text.get(start..).filter(|_| is_of_it).map(<[u8]>::to_vec);
        let before = before.and_then(|before| String::from_utf8(before).ok());
        match before.ok_or(Unbelievable::Changed)? {
            before if before == now => Ok(Beside::Same),
            before => Ok(Beside::Other(before)),
        }
    }

    /// Takes the text of a file for what a person left.
    ///
    /// # Errors
    /// What the system says; what was kept before is kept then.
    pub fn keep(&self, path: &Path, now: &str) -> io::Result<()> {
        platform::create_private_directory(&self.directory)?;
        Key::of(&self.directory)?.write_vouched(&self.file_of(path), KIND, &about(path, now))
    }

    /// The name is a hash, so that no path is too long or too strange for it.
    fn file_of(&self, path: &Path) -> PathBuf {
        self.directory.join(HEXLOWER.encode(&Sha256::digest(path.as_os_str().as_encoded_bytes())))
    }
}

/// The most bytes that the path of a file has beside its text.
const LONGEST_PATH: u64 = 1 << 13;

/// A path and a text, told apart by a byte that no path has.
fn about(path: &Path, text: &str) -> Vec<u8> {
    [path.as_os_str().as_encoded_bytes(), &[0], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_it_was_left_until_it_changes_and_again_once_that_is_taken() {
        let state = tempfile::tempdir().unwrap();
        let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
        assert_eq!(kept.beside(path, "a").unwrap(), Beside::Same);
        assert_eq!(kept.beside(path, "a").unwrap(), Beside::Same);
        assert_eq!(kept.beside(path, "b").unwrap(), Beside::Other("a".to_owned()));
        assert_eq!(kept.beside(path, "").unwrap(), Beside::Other("a".to_owned()));
        kept.keep(path, "b").unwrap();
        assert_eq!(kept.beside(path, "b").unwrap(), Beside::Same);
        // Another file is another matter.
        assert_eq!(kept.beside(Path::new("/home/dev/d.toml"), "z").unwrap(), Beside::Same);
    }

    #[test]
    fn a_copy_that_somebody_else_wrote_is_not_believed() {
        let state = tempfile::tempdir().unwrap();
        let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
        kept.beside(path, "a").unwrap();
        let copy = kept.file_of(path);
        let genuine = fs::read(&copy).unwrap();
        for forged in [&b"x"[..], b"", &[&genuine[..64], b"\n/home/dev/c.toml\0b"].concat()] {
            fs::write(&copy, forged).unwrap();
            assert!(kept.beside(path, "b").is_err());
        }
        // That of another file does not pass for it.
        let other = Path::new("/home/dev/d.toml");
        kept.beside(other, "b").unwrap();
        fs::copy(kept.file_of(other), &copy).unwrap();
        assert!(kept.beside(path, "b").is_err());
    }
}
