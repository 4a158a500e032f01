//! The user's own file as a person last left it. Owns the copy that is kept of it, vouched for with a key of this machine, what the file was stricter by since then, and
//! which files were a person's configuration at all: where an agent changed one by a way that nobody saw, it loosens nothing before a person has said so.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::{
    MAX_BYTES,
    noted::{Removed, removed},
};
use crate::{own_key::Key, platform, private::Unbelievable};

/// The directory of the copies below the one for state.
const DIRECTORY: &str = "own";

/// The file that says of which files copies are kept.
const FIRST: &str = "first";

/// What the key vouches for.
const KIND: &str = "configuration";

/// What hooks and installing leave in the directory for state: where one of them is there, this is not the first time.
const TRACES: &[&str] = &[
    "asked",
    "audit.db",
    "called",
    "head",
    "hooked",
    "install",
    "memory",
    "sessions",
    "snapshots",
    "undo",
];

/// How many texts are held beside one that a person left. Of more, none is believed any more.
const MOST_STRICTER: usize = 32;

/// The most bytes of a copy.
const LONGEST_COPY: u64 = 4 * MAX_BYTES;

/// How many files are known of which there are copies.
const MOST_FILES: usize = 64;

/// Before the path of a file that an option named.
const NAMED: &str = "named=";

/// What stands among those files where the account is set up.
const SETTLED: &str = "settled";

/// The copies of one user. A file that is not there has no text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kept {
    state: PathBuf,
    directory: PathBuf,
    /// Whether an agent's settings call us, which tells of use where nothing is left here.
    is_called: bool,
}

/// What is known of a file before it is read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Before {
    /// Nothing, and nothing of ours was here before.
    First,
    /// Nothing, though the gate was in use here.
    Gone,
    /// Nothing any more: a copy was kept, as the record says or the installation noted.
    Removed(Removed),
    /// How it was left.
    Left(Left),
    /// It is not the file of a person's configuration; that one was left so.
    Another(PathBuf, Left),
}

/// A file as a person left it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Left {
    /// Its text.
    pub text: String,
    /// Its texts since then, where they were stricter by something: that holds on.
    pub stricter: Vec<String>,
}

/// Who says which file it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Named {
    /// An option.
    ByOption,
    /// The account, or the environment.
    ByPlace,
}

impl Kept {
    /// The copies in a directory for state.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { state: state.to_owned(), directory: state.join(DIRECTORY), is_called: false }
    }

    /// The same where an agent's settings in the home call us: then this is not the first time, whatever was taken away here.
    #[must_use]
    pub fn called(self, is_called: bool) -> Self {
        Self { is_called, ..self }
    }

    /// What is known of the file at a path.
    ///
    /// # Errors
    /// When there is a copy that cannot be believed, or it is gone.
    pub fn before(&self, path: &Path, named: Named) -> Result<Before, Unbelievable> {
        let path = &whole(path);
        let Some(directory) = found(&self.directory)? else {
            if !self.was_used()? {
                return Ok(Before::First);
            }
            // Another process of ours may have begun meanwhile.
            return match found(&self.directory)? {
                None => Ok(removed(&self.state, path).map_or(Before::Gone, Before::Removed)),
                Some(_) => self.before(path, named),
            };
        };
        if !directory.is_dir() {
            return Err(Unbelievable::Changed);
        }
        let key = Key::of(&self.directory)?;
        let known = self.known(&key)?;
        let is_named =
            known.iter().any(|one| one.strip_prefix(NAMED.as_bytes()) == Some(bytes(path)));
        let is_own = known.iter().any(|one| one == bytes(path));
        match named {
            _ if is_own => return self.copy(&key, path).map(Before::Left),
            Named::ByOption if is_named => return self.copy(&key, path).map(Before::Left),
            // Whoever names a file wants what it says, as the first time.
            Named::ByOption => return Ok(Before::First),
            Named::ByPlace => {}
        }
        let is_own =
            |one: &&Vec<u8>| !one.starts_with(NAMED.as_bytes()) && **one != SETTLED.as_bytes();
        let other = known.iter().find(is_own);
        let other = other.and_then(|one| std::str::from_utf8(one).ok()).map(PathBuf::from);
        match other {
            Some(other) => self.copy(&key, &other).map(|left| Before::Another(other, left)),
            None if self.was_used()? => Ok(Before::Gone),
            None => Ok(Before::First),
        }
    }

    /// Whether the account is set up, as far as is vouched for: then variables move nothing of ours. Where that cannot be read, it is.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let known = |key: Key| self.known(&key).ok();
        fs::symlink_metadata(&self.directory).is_ok()
            && self.key().and_then(known).is_none_or(|known| is_settled(&known))
    }

    /// Says whether the account is set up. Nothing is said where no copy is kept.
    ///
    /// # Errors
    /// Where the copies cannot be believed or written.
    pub fn settle(&self, is_so: bool) -> io::Result<()> {
        let Some(key) = self.key() else { return Ok(()) };
        let mut known = self.known(&key).map_err(io::Error::other)?;
        if is_settled(&known) == is_so {
            return Ok(());
        }
        known.retain(|one| one != SETTLED.as_bytes());
        if is_so {
            known.insert(0, SETTLED.as_bytes().to_vec());
        }
        key.write_vouched(&self.directory.join(FIRST), FIRST, &known.join(&0))
    }

    /// Whether nothing of ours was left here yet, copies neither.
    #[must_use]
    pub(super) fn is_unused(&self) -> bool {
        matches!(found(&self.directory), Ok(None)) && matches!(self.was_used(), Ok(false))
    }

    /// Whether hooks or an installation left something here.
    fn was_used(&self) -> Result<bool, Unbelievable> {
        if self.is_called {
            return Ok(true);
        }
        for name in TRACES {
            if found(&self.state.join(name))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The words by which a text of a kind is known as ours; nothing where no key is kept.
    #[must_use]
    pub fn vouch(&self, kind: &str, text: &[u8]) -> Option<String> {
        self.key()?.vouch(kind, text).ok()
    }

    /// Whether these are those words.
    #[must_use]
    pub fn is_vouched(&self, kind: &str, text: &[u8], words: &str) -> bool {
        self.key().is_some_and(|key| key.is_vouched(kind, text, words.as_bytes()))
    }

    /// The key that is there: without the copies none is made.
    fn key(&self) -> Option<Key> {
        self.directory.join("key").is_file().then(|| Key::of(&self.directory).ok()).flatten()
    }

    /// Takes the text of a file for what a person left.
    ///
    /// # Errors
    /// What the system says; what was kept before is kept then.
    pub fn keep(&self, path: &Path, named: Named, now: &str) -> io::Result<()> {
        self.write(path, named, &Left { text: now.to_owned(), stricter: Vec::new() })
    }

    /// Holds on to what a file was stricter by than a person left it.
    ///
    /// # Errors
    /// As [`Kept::keep`].
    pub(super) fn hold(&self, path: &Path, named: Named, left: &Left) -> io::Result<()> {
        self.write(path, named, left)
    }

    fn write(&self, path: &Path, named: Named, left: &Left) -> io::Result<()> {
        let path = &whole(path);
        match fs::symlink_metadata(&self.directory) {
            Err(error) if is_absent(&error) => self.begin(path, named, left)?,
            _ => platform::create_private_directory(&self.directory)?,
        }
        let key = match Key::of(&self.directory) {
            Ok(key) => key,
            // Nothing else is vouched for with it that lasts.
            Err(_) => {
                fs::remove_file(self.directory.join("key"))?;
                Key::of(&self.directory)?
            }
        };
        self.fill(&key, path, named, left)
    }

    /// Makes the directory whole, in one step: whoever looks finds none or all of it. Of several at once one wins.
    fn begin(&self, path: &Path, named: Named, left: &Left) -> io::Result<()> {
        platform::create_private_directory(&self.state)?;
        let random: [u8; 8] = platform::random()?;
        let directory = self.state.join(format!(".{DIRECTORY}-{}", HEXLOWER.encode(&random)));
        let made = Self { directory, ..self.clone() };
        platform::create_private_directory(&made.directory)?;
        let filled = Key::of(&made.directory).and_then(|key| made.fill(&key, path, named, left));
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

    /// Writes the copy of a file, and that there is one.
    fn fill(&self, key: &Key, path: &Path, named: Named, left: &Left) -> io::Result<()> {
        key.write_vouched(&self.file_of(path), KIND, &about(path, left))?;
        let before = self.known(key).unwrap_or_default();
        let mut known = before.clone();
        let own = bytes(path).to_vec();
        let option = [NAMED.as_bytes(), bytes(path)].concat();
        match named {
            Named::ByOption => {
                if !known.contains(&own) && !known.contains(&option) {
                    known.push(option);
                }
            }
            Named::ByPlace => {
                known.retain(|one| *one != own && *one != option);
                known.insert(usize::from(is_settled(&known)), own);
            }
        }
        known.truncate(MOST_FILES);
        if known == before {
            return Ok(());
        }
        key.write_vouched(&self.directory.join(FIRST), FIRST, &known.join(&0))
    }

    /// The files of which copies are kept, the last that was a person's own configuration first.
    fn known(&self, key: &Key) -> Result<Vec<Vec<u8>>, Unbelievable> {
        let most = LONGEST_PATH * MOST_FILES as u64;
        let known = key.read_vouched(&self.directory.join(FIRST), FIRST, most);
        // It does not go by itself.
        let known = known.map_err(|error| match error.is_missing() {
            true => Unbelievable::Changed,
            false => error,
        })?;
        Ok(known.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
    }

    /// The copy of a file of which one is kept.
    fn copy(&self, key: &Key, path: &Path) -> Result<Left, Unbelievable> {
        let copy = self.file_of(path);
        if found(&copy)?.is_none() {
            return Err(Unbelievable::Changed);
        }
        let whole = key.read_vouched(&copy, KIND, LONGEST_COPY + LONGEST_PATH)?;
        let mut parts = whole.split(|byte| *byte == 0);
        if parts.next() != Some(bytes(path)) {
            return Err(Unbelievable::Changed);
        }
        let text =
            |part: &[u8]| String::from_utf8(part.to_vec()).map_err(|_| Unbelievable::Changed);
        let left = parts.next().ok_or(Unbelievable::Changed)?;
        let stricter = parts.map(text).collect::<Result<Vec<_>, _>>()?;
        if stricter.len() > MOST_STRICTER {
            return Err(Unbelievable::TooLong);
        }
        Ok(Left { text: text(left)?, stricter })
    }

    /// The name is a hash, so that no path is too long or too strange for it.
    fn file_of(&self, path: &Path) -> PathBuf {
        self.directory.join(HEXLOWER.encode(&Sha256::digest(bytes(path))))
    }
}

/// The most bytes that the path of a file has beside its text.
const LONGEST_PATH: u64 = 1 << 13;

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn found(path: &Path) -> Result<Option<fs::Metadata>, Unbelievable> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Unbelievable::Unreadable(error)),
    }
}

fn is_settled(known: &[Vec<u8>]) -> bool {
    known.first().is_some_and(|first| first == SETTLED.as_bytes())
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
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

/// A path and its texts, told apart by a byte that neither a path nor a configuration has.
fn about(path: &Path, Left { text, stricter }: &Left) -> Vec<u8> {
    let texts = stricter.iter().map(String::as_bytes);
    let parts: Vec<&[u8]> = [bytes(path), text.as_bytes()].into_iter().chain(texts).collect();
    parts.join(&0)
}

#[cfg(test)]
mod tests;
