//! The user's own file as a person last left it. Owns the copy that is kept of it, vouched for with a key of this machine, and how the file stands
//! beside that copy: where an agent changed it by a way that nobody saw, it loosens nothing before a person has said so.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::MAX_BYTES;
use crate::{own_key::Key, platform, private::Unbelievable};

/// The directory of the copies below the one for state.
const DIRECTORY: &str = "own";

/// The file that says which one was kept first.
const FIRST: &str = "first";

/// What the key vouches for.
const KIND: &str = "configuration";

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

    /// The text that a person last left at a path; nothing where none was kept yet.
    ///
    /// # Errors
    /// When there is a copy that cannot be believed, or it is gone.
    pub fn left(&self, path: &Path) -> Result<Option<String>, Unbelievable> {
        let path = &whole(path);
        let found = |path: &Path| match fs::symlink_metadata(path) {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(Unbelievable::Unreadable(error)),
        };
        let Some(directory) = found(&self.directory)? else { return Ok(None) };
        if !directory.is_dir() {
            return Err(Unbelievable::Changed);
        }
        let copy = self.file_of(path);
        if found(&copy)?.is_none() {
            // Of the first file that was kept the copy does not go by itself; of another there never was one.
            let first = found(&self.directory.join(FIRST))?.is_some();
            return if first && !self.is_first(path)? {
                Ok(None)
            } else {
                Err(Unbelievable::Changed)
            };
        }
        let text = Key::of(&self.directory)?.read_vouched(&copy, KIND, MAX_BYTES + LONGEST_PATH)?;
        let start = path.as_os_str().as_encoded_bytes().len() + 1;
        let before = text.get(start..).filter(|_| text.starts_with(&about(path, "")));
        let before = before.and_then(|before| String::from_utf8(before.to_vec()).ok());
        before.map(Some).ok_or(Unbelievable::Changed)
    }

    /// Takes the text of a file for what a person left.
    ///
    /// # Errors
    /// What the system says; what was kept before is kept then.
    pub fn keep(&self, path: &Path, now: &str) -> io::Result<()> {
        let path = &whole(path);
        match fs::symlink_metadata(&self.directory) {
            Err(error) if is_absent(&error) => self.begin(path, now)?,
            _ => platform::create_private_directory(&self.directory)?,
        }
        let key = match Key::of(&self.directory) {
            Ok(key) => key,
            // Nothing else is vouched for with it.
            Err(_) => {
                fs::remove_file(self.directory.join("key"))?;
                Key::of(&self.directory)?
            }
        };
        key.write_vouched(&self.file_of(path), KIND, &about(path, now))?;
        let first = self.directory.join(FIRST);
        if key.read_vouched(&first, FIRST, LONGEST_PATH).is_err() {
            key.write_vouched(&first, FIRST, path.as_os_str().as_encoded_bytes())?;
        }
        Ok(())
    }

    /// Makes the directory whole, in one step: whoever looks finds none or all of it. Of several at once one wins.
    fn begin(&self, path: &Path, now: &str) -> io::Result<()> {
        let state = self.directory.parent().ok_or(io::ErrorKind::InvalidInput)?;
        platform::create_private_directory(state)?;
        let random: [u8; 8] = platform::random()?;
        let made =
            Self { directory: state.join(format!(".{DIRECTORY}-{}", HEXLOWER.encode(&random))) };
        platform::create_private_directory(&made.directory)?;
        let filled = Key::of(&made.directory).and_then(|key| {
            key.write_vouched(&made.file_of(path), KIND, &about(path, now))?;
            let first = made.directory.join(FIRST);
            key.write_vouched(&first, FIRST, path.as_os_str().as_encoded_bytes())
        });
        let put = filled.and_then(|()| fs::rename(&made.directory, &self.directory));
        if put.is_err() {
            let _ = fs::remove_dir_all(&made.directory);
        }
        match put {
            // Somebody else was first.
            Err(_) if self.directory.is_dir() => Ok(()),
            other => other,
        }
    }

    /// Whether a path is that of the file that was kept first.
    fn is_first(&self, path: &Path) -> Result<bool, Unbelievable> {
        let key = Key::of(&self.directory)?;
        let first = key.read_vouched(&self.directory.join(FIRST), FIRST, LONGEST_PATH)?;
        Ok(first == path.as_os_str().as_encoded_bytes())
    }

    /// The name is a hash, so that no path is too long or too strange for it.
    fn file_of(&self, path: &Path) -> PathBuf {
        self.directory.join(HEXLOWER.encode(&Sha256::digest(path.as_os_str().as_encoded_bytes())))
    }
}

/// The most bytes that the path of a file has beside its text.
const LONGEST_PATH: u64 = 1 << 13;

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A path as there is one spelling of it, by its words alone: where a link in it leads may change, and is the same file to whoever reads it.
fn whole(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
        whole
    })
}

/// A path and a text, told apart by a byte that no path has.
fn about(path: &Path, text: &str) -> Vec<u8> {
    [path.as_os_str().as_encoded_bytes(), &[0], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_it_was_left_until_somebody_says_otherwise() {
        let state = tempfile::tempdir().unwrap();
        let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
        let left = |path: &Path| kept.left(path).unwrap();
        assert_eq!(left(path), None);
        kept.keep(path, "a").unwrap();
        assert_eq!(left(path).as_deref(), Some("a"));
        kept.keep(path, "b").unwrap();
        assert_eq!(left(path).as_deref(), Some("b"));
        // Another file is another matter.
        assert_eq!(left(Path::new("/home/dev/d.toml")), None);
        // One file has one copy, however it is spelled.
        let (folder, file) = (state.path().join("x"), state.path().join("x/c.toml"));
        fs::create_dir(&folder).unwrap();
        kept.keep(&file, "c").unwrap();
        assert_eq!(left(&state.path().join("x/../x/./c.toml")).as_deref(), Some("c"));
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_was_put_in_the_place_of_its_own_is_no_first_use() {
        let state = tempfile::tempdir().unwrap();
        let (kept, at) = (Kept::new(state.path()), |name: &str| state.path().join(name));
        fs::create_dir(at("c")).unwrap();
        kept.keep(&at("c/c.toml"), "a").unwrap();
        fs::rename(at("c"), at("d")).unwrap();
        std::os::unix::fs::symlink(at("d"), at("c")).unwrap();
        assert_eq!(kept.left(&at("c/c.toml")).unwrap().as_deref(), Some("a"));
    }

    #[test]
    fn a_copy_that_somebody_else_wrote_is_not_believed() {
        let state = tempfile::tempdir().unwrap();
        let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
        kept.keep(path, "a").unwrap();
        let copy = kept.file_of(path);
        let genuine = fs::read(&copy).unwrap();
        for forged in [&b"x"[..], b"", &[&genuine[..64], b"\n/home/dev/c.toml\0b"].concat()] {
            fs::write(&copy, forged).unwrap();
            assert!(kept.left(path).is_err());
        }
        // That of another file does not pass for it.
        let other = Path::new("/home/dev/d.toml");
        kept.keep(other, "b").unwrap();
        fs::copy(kept.file_of(other), &copy).unwrap();
        assert!(kept.left(path).is_err());
    }

    #[test]
    fn what_is_gone_is_not_what_never_was() {
        let state = tempfile::tempdir().unwrap();
        let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
        kept.keep(path, "a").unwrap();
        fs::remove_file(kept.file_of(path)).unwrap();
        assert!(kept.left(path).is_err(), "its copy was removed");
        kept.keep(path, "a").unwrap();
        fs::remove_file(kept.directory.join(FIRST)).unwrap();
        assert!(kept.left(Path::new("/home/dev/d.toml")).is_err());
        fs::remove_dir_all(&kept.directory).unwrap();
        fs::write(&kept.directory, "").unwrap();
        assert!(kept.left(path).is_err(), "a file stands in its place");
        // A key that is cut short is made anew once a person says so.
        fs::remove_file(&kept.directory).unwrap();
        kept.keep(path, "a").unwrap();
        fs::write(kept.directory.join("key"), "x").unwrap();
        assert!(kept.left(path).is_err());
        kept.keep(path, "a").unwrap();
        assert!(kept.left(path).is_ok());
    }
}
