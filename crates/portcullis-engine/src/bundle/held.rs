//! The bundle in force, as every hook reads it: one file that was checked when it was written. Owns its form, the directory with it and the one
//! before it, and who must own them; whether it is too old, the configuration says.
//!
//! A signature costs more than a whole hook may, so it is checked once, by whoever writes; a reader believes the file for whom it belongs to, and a
//! sum over its bytes tells it from one that was cut.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::packed::{Unpackable, Unpacker, put_bytes, put_text};
use crate::{platform, private};

/// What such a file begins with; another version is another file.
const MARK: &[u8] = b"portcullis-policy-1\n";

/// The most bytes of it.
const LONGEST: u64 = 8 << 20;

const CURRENT: &str = "current";
const PREVIOUS: &str = "previous";

/// A bundle that was checked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Held {
    /// Whose policy it is.
    pub name: String,
    /// Its number.
    pub revision: u64,
    /// What identifies it.
    pub digest: String,
    /// The ids of the keys that signed it, with commas between.
    pub signers: String,
    /// When it was built.
    pub issued: Timestamp,
    /// Until when it holds.
    pub expires: Timestamp,
    /// When the centre last said that it is the newest.
    pub confirmed: Timestamp,
    /// Where it came from.
    pub origin: String,
    /// What the centre calls this version of it; empty where it does not.
    pub etag: String,
    /// Its files, in the order of their names.
    pub files: Vec<File>,
}

/// A file of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// The SHA-256 of it as it was signed.
    pub sha256: String,
    /// What it says, packed.
    pub packed: Vec<u8>,
}

/// Where bundles are kept, and whose the files must be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Store {
    /// The directory.
    pub directory: PathBuf,
    /// Who must own it and what is in it, on systems with Unix permissions.
    pub owner: u32,
    /// Whether every user of the machine reads it.
    pub shared: bool,
}

/// Why a file of the store is not believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Kept {
    /// It cannot be read or written.
    #[error(transparent)]
    System(#[from] io::Error),
    /// Somebody else could have written it.
    #[error("it or its directory belongs to another user, or others may write to it")]
    Insecure,
    /// It is cut short or something else.
    #[error(transparent)]
    Malformed(#[from] Unpackable),
}

/// What is in the store.
#[derive(Debug, Default)]
pub struct Reading {
    /// The bundle in force: the last one that was activated, or the one before it where that cannot be read.
    pub held: Option<Held>,
    /// What cannot be read, and why.
    pub trouble: Vec<String>,
}

impl Store {
    /// The bundle in force.
    #[must_use]
    pub fn read(&self) -> Reading {
        let mut reading = Reading::default();
        for name in [CURRENT, PREVIOUS] {
            match self.file(name) {
                Ok(held) => {
                    reading.held = Some(held);
                    break;
                }
                Err(Kept::System(error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let path = self.directory.join(name);
                    reading.trouble.push(format!("`{}` cannot be used: {error}", path.display()));
                }
            }
        }
        reading
    }

    fn file(&self, name: &str) -> Result<Held, Kept> {
        let file = platform::open_without_following(&self.directory.join(name))?;
        let metadata = file.metadata()?;
        if !metadata.is_file()
            || !self.is_ours(&metadata)
            || !self.is_ours(&fs::symlink_metadata(&self.directory)?)
        {
            return Err(Kept::Insecure);
        }
        // With room for all of it it is read at once.
        let room = usize::try_from(metadata.len().min(LONGEST)).unwrap_or_default() + 1;
        let mut bytes = Vec::with_capacity(room);
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Held::read(&bytes)?)
    }

    #[cfg(unix)]
    fn is_ours(&self, metadata: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        metadata.uid() == self.owner && metadata.mode() & 0o022 == 0
    }

    #[cfg(not(unix))]
    fn is_ours(&self, _: &fs::Metadata) -> bool {
        true
    }

    /// The highest revision that was ever in force here as far as is known, with its name and what identifies it.
    #[must_use]
    pub fn highest(&self) -> Option<Held> {
        let both = [CURRENT, PREVIOUS].into_iter().filter_map(|name| self.file(name).ok());
        both.max_by_key(|held| held.revision)
    }

    /// Puts a bundle in force, in one step, and keeps the one that was. One with the number of the one in force takes its place: the centre said
    /// again that it is the newest.
    ///
    /// # Errors
    /// What the system says; the one that was in force stays so then.
    pub fn activate(&self, held: &Held) -> io::Result<()> {
        self.make_directory()?;
        if let Ok(current) = self.file(CURRENT)
            && current.revision != held.revision
        {
            self.write(PREVIOUS, &current.written())?;
        }
        self.write(CURRENT, &held.written())
    }

    fn make_directory(&self) -> io::Result<()> {
        let mode = if self.shared { 0o755 } else { 0o700 };
        if let Some(parent) = self.directory.parent().filter(|parent| !parent.exists()) {
            platform::create_private_directory(parent)?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
        match builder.create(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if self.is_ours(&fs::symlink_metadata(&self.directory)?) {
            Ok(())
        } else {
            Err(io::Error::other(Kept::Insecure.to_string()))
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.directory.join(name);
        if self.shared {
            private::write_for_all(&path, bytes)
        } else {
            private::write(&path, bytes)
        }
    }
}

impl Held {
    /// It as a file.
    #[must_use]
    pub fn written(&self) -> Vec<u8> {
        let Self { name, revision, digest, signers, origin, etag, files, .. } = self;
        let mut body = Vec::new();
        for text in [name, digest, signers, origin, etag] {
            put_text(&mut body, text);
        }
        let times = [self.issued, self.expires, self.confirmed].map(Timestamp::as_second);
        let numbers = [revision.cast_signed()].into_iter().chain(times);
        for number in numbers.chain([i64::try_from(files.len()).unwrap_or(i64::MAX)]) {
            body.extend_from_slice(&number.to_le_bytes());
        }
        for File { name, sha256, packed } in files {
            put_text(&mut body, name);
            put_text(&mut body, sha256);
            put_bytes(&mut body, packed);
        }
        [MARK, &sum(&body).to_le_bytes(), &body].concat()
    }

    /// Reads it.
    ///
    /// # Errors
    /// Where it is not whole, or of another version.
    pub fn read(bytes: &[u8]) -> Result<Self, Unpackable> {
        let rest = bytes.strip_prefix(MARK).ok_or(Unpackable::Cut)?;
        let (told, body) = rest.split_first_chunk().ok_or(Unpackable::Cut)?;
        if u64::from_le_bytes(*told) != sum(body) {
            return Err(Unpackable::Cut);
        }
        let mut from = Unpacker::new(body);
        let mut text = || from.text().map(str::to_owned);
        let (name, digest, signers) = (text()?, text()?, text()?);
        let (origin, etag) = (text()?, text()?);
        let revision = from.number()?.cast_unsigned();
        let mut time = || Timestamp::from_second(from.number()?).map_err(|_| Unpackable::Cut);
        let (issued, expires, confirmed) = (time()?, time()?, time()?);
        let count = from.number()?;
        let mut files = Vec::new();
        for _ in 0..count {
            let (name, sha256) = (from.text()?.to_owned(), from.text()?.to_owned());
            files.push(File { name, sha256, packed: from.bytes()?.to_vec() });
        }
        from.end()?;
        Ok(Self {
            name,
            revision,
            digest,
            signers,
            issued,
            expires,
            confirmed,
            origin,
            etag,
            files,
        })
    }
}

/// A sum over eight bytes at a time: it tells a file that was cut or overwritten in part, and nobody who writes one on purpose, whom the owner of
/// the file keeps out.
fn sum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let mut mix = |number: u64| sum = (sum ^ number).wrapping_mul(PRIME).rotate_left(23);
    let (whole, rest) = bytes.as_chunks::<8>();
    whole.iter().for_each(|chunk| mix(u64::from_le_bytes(*chunk)));
    rest.iter().for_each(|byte| mix(u64::from(*byte)));
    sum
}

/// Who this process runs as: whose a store of this user must be.
#[must_use]
pub fn own_number() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        0
    }
}

/// The store of this user in a state directory.
#[must_use]
pub fn of_user(state: &Path) -> Store {
    Store { directory: state.join("central"), owner: own_number(), shared: false }
}
