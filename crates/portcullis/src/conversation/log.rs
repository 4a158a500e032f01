//! A conversation on disk: one JSON line for each event, chained by hashes, durable before anybody acts on it. Owns the file, its lock and its
//! chain, and what becomes of a line that was only half written; what the events mean, the core says.
//!
//! ```text
//! {"v":1,"n":0,"at":"…","event":{…},"prev":"00…","hash":"…"}
//!                                                └── SHA-256 of the line up to here
//! ```

use std::{
    fmt::Write as _,
    fs::{self, File, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use jiff::Timestamp;
use portcullis_core::conversation::{Event, Impossible, State, VERSION};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::platform::{self, Insecurity};

/// The directory of the conversations in the state directory.
const DIRECTORY: &str = "conversations";

/// What a file is called after its conversation.
const EXTENSION: &str = "jsonl";

/// The longest log that is read.
const LONGEST: u64 = 1 << 30;

/// The hash before the first line.
const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How often the lock is tried, and how long apart.
const LOOKS: u32 = 20;
const GLANCE: Duration = Duration::from_millis(25);

/// What stands between a line's content and its hash, and behind that.
const HASH: &str = ",\"hash\":\"";
const END: &str = "\"}";

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// There is none.
    #[error("there is no conversation `{0}`")]
    Missing(String),
    /// It is no name of one.
    #[error("`{0}` is not the name of a conversation")]
    Name(String),
    /// Somebody else has it open.
    #[error("the conversation is open elsewhere")]
    Busy,
    /// Others could have written it.
    #[error("the conversation in `{path}` is not believed: {why}")]
    Insecure {
        /// Where.
        path: PathBuf,
        /// Why.
        why: Insecurity,
    },
    /// It is longer than what is read.
    #[error("the conversation is longer than {LONGEST} bytes")]
    TooLong,
    /// A line is not as it was written.
    #[error("line {line} of the conversation was changed, or was never one: {why}")]
    Changed {
        /// Which, from 1.
        line: u64,
        /// Why.
        why: String,
    },
    /// It was written by a later version.
    #[error(
        "line {line} of the conversation has version {version}, and this program reads {VERSION}"
    )]
    Version {
        /// Which, from 1.
        line: u64,
        /// Its version.
        version: u32,
    },
    /// An event cannot follow on those before it.
    #[error("this cannot happen here: {0}")]
    Impossible(#[from] Impossible),
    /// It could not be written before, so nothing more is.
    #[error("the conversation could not be kept, so it does not go on")]
    Broken,
    /// What the system says.
    #[error("the conversation cannot be kept: {0}")]
    Io(#[from] io::Error),
}

/// A line, as it is written.
#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    n: u64,
    at: Timestamp,
    event: &'a Event,
    prev: &'a str,
}

/// A line, as it is read.
#[derive(Deserialize)]
struct Read {
    v: u32,
    n: u64,
    at: Timestamp,
    event: Event,
    prev: String,
}

/// An event with when it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: Event,
}

/// A log that is open for writing: by nobody else.
#[derive(Debug)]
pub struct EventLog {
    file: File,
    next: u64,
    last: String,
    is_broken: bool,
}

/// What was read of a log.
struct Whole {
    events: Vec<Kept>,
    state: State,
    last: String,
    /// How many bytes are whole lines.
    good: u64,
    /// How many are not.
    torn: u64,
}

/// Where the conversations of a state directory are.
#[must_use]
pub fn directory(state: &Path) -> PathBuf {
    state.join(DIRECTORY)
}

/// A name for a new conversation.
///
/// # Errors
/// When the system gives no random numbers.
pub fn new_id() -> io::Result<String> {
    platform::random::<8>().map(|bytes| data_encoding::HEXLOWER.encode(&bytes))
}

/// The conversations of a state directory, with when they were last written to; the latest first.
///
/// # Errors
/// What the system says.
pub fn list(state: &Path) -> io::Result<Vec<(String, std::time::SystemTime)>> {
    let entries = match fs::read_dir(directory(state)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
        if let Some(id) = id.filter(|id| is_id(id)) {
            found.push((id.to_owned(), entry.metadata()?.modified()?));
        }
    }
    found.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    Ok(found)
}

/// Whether a program has a conversation open to go on with it.
///
/// # Errors
/// [`LogError`], where the file cannot be looked at.
pub fn is_held(path: &Path) -> Result<bool, LogError> {
    let file = opened(path)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn is_id(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// The file of a conversation.
///
/// # Errors
/// [`LogError::Name`]: whoever names one says nothing about where it lies.
pub fn path_of(state: &Path, id: &str) -> Result<PathBuf, LogError> {
    if is_id(id) {
        Ok(directory(state).join(id).with_extension(EXTENSION))
    } else {
        Err(LogError::Name(id.chars().take(64).collect()))
    }
}

/// The events of a conversation, and what they come to; nothing is changed, also where somebody has it open.
///
/// # Errors
/// [`LogError`].
pub fn read(path: &Path) -> Result<(Vec<Kept>, State), LogError> {
    let mut file = opened(path)?;
    let whole = whole(&mut file)?;
    Ok((whole.events, whole.state))
}

impl EventLog {
    /// Begins a log.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let directory = path.parent().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        platform::create_private_directory(directory)?;
        let metadata = fs::symlink_metadata(directory)?;
        if let Some(why) = platform::insecurity(&metadata) {
            return Err(LogError::Insecure { path: directory.to_owned(), why });
        }
        if !platform::create_private_file(path)? {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
        }
        let file = File::options().read(true).write(true).open(path)?;
        lock(&file)?;
        // The name has to be there after a crash as well.
        File::open(directory)?.sync_all()?;
        Ok(Self { file, next: 0, last: NOTHING.to_owned(), is_broken: false })
    }

    /// Opens a log to go on with it. A last line that was only half written is taken off, and that is said in its place.
    ///
    /// # Errors
    /// [`LogError`]. Whatever else was changed is an error: nothing goes on from what may not have happened.
    pub fn open(path: &Path) -> Result<(Self, Vec<Kept>, State), LogError> {
        opened(path)?;
        let mut file = File::options().read(true).write(true).open(path)?;
        lock(&file)?;
        let Whole { mut events, mut state, last, good, torn } = whole(&mut file)?;
        let next = u64::try_from(events.len()).unwrap_or(u64::MAX);
        let mut log = Self { file, next, last, is_broken: false };
        if torn > 0 {
            log.file.set_len(good)?;
            log.file.sync_data()?;
        }
        log.file.seek(SeekFrom::Start(good))?;
        if torn > 0 {
            let event = Event::Repaired { bytes: torn };
            state.apply(&event)?;
            events.push(log.append(event)?);
        }
        Ok((log, events, state))
    }

    /// Appends an event; it is durable when this returns.
    ///
    /// # Errors
    /// [`LogError`]; whoever is about to act on it must not, and nothing is appended any more.
    pub fn append(&mut self, event: Event) -> Result<Kept, LogError> {
        if self.is_broken {
            return Err(LogError::Broken);
        }
        self.is_broken = true;
        let at = Timestamp::now();
        let line = Line { v: VERSION, n: self.next, at, event: &event, prev: &self.last };
        let mut text = serde_json::to_string(&line).map_err(io::Error::other)?;
        text.pop();
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
        // Writing to a text does not fail.
        let _ = writeln!(text, "{HASH}{hash}{END}");
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.is_broken = false;
        self.last = hash;
        self.next += 1;
        Ok(Kept { at, event })
    }
}

/// Opens a file that this user alone writes.
fn opened(path: &Path) -> Result<File, LogError> {
    let file = match platform::open_without_following(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Err(LogError::Missing(name));
        }
        Err(error) if platform::is_link_error(&error) => {
            return Err(LogError::Insecure {
                path: path.to_owned(),
                why: Insecurity::SymbolicLink,
            });
        }
        file => file?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput).into());
    }
    match platform::insecurity(&metadata) {
        Some(why) => Err(LogError::Insecure { path: path.to_owned(), why }),
        None => Ok(file),
    }
}

/// Takes the lock. A program that is just being started holds whatever we hold for a moment, so one look is not enough.
fn lock(file: &File) -> Result<(), LogError> {
    for _ in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(GLANCE),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(LogError::Busy)
}

/// Reads all of it, once.
fn whole(file: &mut File) -> Result<Whole, LogError> {
    let length = file.metadata()?.len();
    if length > LONGEST {
        return Err(LogError::TooLong);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let (mut events, mut state) = (Vec::new(), State::default());
    let (mut last, mut good) = (NOTHING.to_owned(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(text) = line.strip_suffix(b"\n") else { break };
        let number = events.len() as u64;
        let changed = |why: String| LogError::Changed { line: number + 1, why };
        let (hash, read) = parsed(text).map_err(changed)?;
        if read.v != VERSION {
            return Err(LogError::Version { line: number + 1, version: read.v });
        }
        if read.n != number || read.prev != last {
            return Err(changed("it does not follow on the line before it".to_owned()));
        }
        state.apply(&read.event).map_err(|error| changed(error.to_string()))?;
        events.push(Kept { at: read.at, event: read.event });
        last = hash;
        good += line.len();
    }
    let torn = bytes.len() - good;
    Ok(Whole { events, state, last, good: good as u64, torn: torn as u64 })
}

fn parsed(line: &[u8]) -> Result<(String, Read), String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let tail = HASH.len() + NOTHING.len() + END.len();
    let at = text.len().checked_sub(tail).ok_or("it is too short")?;
    let (content, tail) = text.split_at_checked(at).ok_or("it has no hash")?;
    let hash =
        tail.strip_prefix(HASH).and_then(|tail| tail.strip_suffix(END)).ok_or("it has no hash")?;
    if data_encoding::HEXLOWER.encode(&Sha256::digest(content.as_bytes())) != hash {
        return Err("its hash is another".to_owned());
    }
    // A version that is not ours may have other events.
    let read = serde_json::from_str::<Read>(text).or_else(|error| {
        #[derive(Deserialize)]
        struct Versioned {
            v: u32,
        }
        match serde_json::from_str::<Versioned>(text) {
            Ok(Versioned { v }) if v != VERSION => Ok(Read {
                v,
                n: 0,
                at: Timestamp::UNIX_EPOCH,
                event: Event::Resumed {},
                prev: String::new(),
            }),
            _ => Err(error.to_string()),
        }
    })?;
    Ok((hash.to_owned(), read))
}

#[cfg(test)]
mod tests {
    use portcullis_core::conversation::{By, Started, Status};

    use super::*;

    fn said(text: &str) -> Event {
        Event::Message { by: By::User, text: text.to_owned() }
    }

    fn written(directory: &Path, messages: usize) -> PathBuf {
        let path = path_of(directory, "0123456789abcdef").unwrap();
        let mut log = EventLog::create(&path).unwrap();
        log.append(Event::Started(Started::new("x"))).unwrap();
        for number in 0..messages {
            log.append(said(&format!("{number} é"))).unwrap();
        }
        path
    }

    #[test]
    fn what_was_appended_is_read_again_and_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 3);
        let (mut log, events, state) = EventLog::open(&path).unwrap();
        assert_eq!((events.len(), state.status()), (4, Status::Idle));
        assert!(matches!(EventLog::open(&path), Err(LogError::Busy)));
        // Who only looks needs no lock.
        assert_eq!(read(&path).unwrap().0, events);
        log.append(said("more")).unwrap();
        drop(log);
        assert_eq!(EventLog::open(&path).unwrap().1.len(), 5);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    /// A file is cut at every byte: what was whole before stands, and the rest is said to be gone.
    #[test]
    fn a_line_that_is_half_written_is_taken_off_visibly() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 2);
        let bytes = fs::read(&path).unwrap();
        let ends: Vec<usize> = bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        for cut in 0..=bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let (log, events, _) = EventLog::open(&path).unwrap();
            let lines = ends.iter().filter(|end| **end <= cut).count();
            let torn = cut - ends.iter().filter(|end| **end <= cut).max().unwrap_or(&0);
            assert_eq!(events.len(), lines + usize::from(torn > 0), "cut at {cut}");
            if torn > 0 {
                let repaired = Event::Repaired { bytes: torn as u64 };
                assert_eq!(events.last().unwrap().event, repaired, "cut at {cut}");
            }
            drop(log);
            assert_eq!(EventLog::open(&path).unwrap().1, events, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_that_was_changed_left_out_or_moved_is_no_log() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 3);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let joined = |order: &[usize]| {
            order.iter().map(|at| format!("{}\n", lines[*at])).collect::<String>()
        };
        for other in [
            text.replace("\"1 é\"", "\"1 e\""),
            joined(&[0, 2, 3]),
            joined(&[0, 2, 1, 3]),
            joined(&[0, 1, 1, 2, 3]),
            joined(&[1, 2, 3]),
            format!("{text}x\n"),
            format!("\n{text}"),
        ] {
            fs::write(&path, &other).unwrap();
            let opened = EventLog::open(&path);
            assert!(matches!(opened, Err(LogError::Changed { .. })), "{opened:?}: {other}");
        }
        let content =
            r#"{"v":2,"n":0,"at":"2026-01-01T00:00:00Z","event":{"kind":"new"},"prev":"""#;
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
        fs::write(&path, format!("{content}{HASH}{hash}{END}\n")).unwrap();
        assert!(matches!(EventLog::open(&path), Err(LogError::Version { line: 1, version: 2 })));
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_others_may_write_is_not_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), 1);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(EventLog::open(&path), Err(LogError::Insecure { .. })));
        assert!(matches!(path_of(directory.path(), "../x"), Err(LogError::Name(_))));
        let none = path_of(directory.path(), "0000000000000000").unwrap();
        assert!(matches!(EventLog::open(&none), Err(LogError::Missing(_))));
        std::os::unix::fs::symlink(&path, &none).unwrap();
        assert!(matches!(EventLog::open(&none), Err(LogError::Insecure { .. })));
    }
}
