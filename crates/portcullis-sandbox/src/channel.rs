//! What the two ends of a run say to each other over one socket: the plan with its descriptors one way, words the other. Owns the
//! framing and its bounds.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::{
        fd::{OwnedFd, RawFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Layers, Limits, Means, Profile, Report, Status, Stopped, kernel};

/// The longest message: environments and lists of paths are bounded by it.
const LONGEST: usize = 16 << 20;

/// Everything that the stage is told. Its paths are absolute and resolved.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Plan {
    /// The program; none where the sandbox is only tried.
    pub(crate) program: Option<OsString>,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) profile: Profile,
    pub(crate) require: Layers,
    pub(crate) limits: Limits,
    pub(crate) without: Vec<Means>,
    /// Whether what it does is watched.
    pub(crate) watched: bool,
    /// The numbers of the kept descriptors, in the order in which they are sent behind the input.
    pub(crate) numbers: Vec<RawFd>,
}

/// What the stage says.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) enum Word {
    /// The sandbox stands, and this holds; the program is started next.
    Holds(Report),
    /// Something that is required does not hold. Nothing is started.
    Missing(Report),
    /// The program could not be started: the error's number.
    NotRun(i32),
    /// The sandbox could not be made.
    Failed(String),
    /// What should be changed elsewhere cannot be, so nothing is started.
    Unlayered(String),
    /// Beside this comes what says each call of the program; or why there is nothing.
    Watched(Option<String>),
    /// Beside this comes the socket at which the program inside reaches its proxy.
    Listening,
    /// The program ended.
    Ended(WireStatus, Option<WireStopped>),
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) enum WireStatus {
    Exited(i32),
    Signalled(i32),
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) enum WireStopped {
    Processes,
}

impl From<WireStatus> for Status {
    fn from(status: WireStatus) -> Self {
        match status {
            WireStatus::Exited(code) => Self::Exited(code),
            WireStatus::Signalled(signal) => Self::Signalled(signal),
        }
    }
}

impl From<WireStopped> for Stopped {
    fn from(stopped: WireStopped) -> Self {
        match stopped {
            WireStopped::Processes => Self::Processes,
        }
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Sends a message, with descriptors beside it.
pub(crate) fn say(
    mut socket: &UnixStream,
    message: &impl Serialize,
    descriptors: &[RawFd],
) -> io::Result<()> {
    let text = serde_json::to_vec(message).map_err(invalid)?;
    if text.len() > LONGEST {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let length = u32::try_from(text.len()).map_err(invalid)?.to_ne_bytes();
    let sent = kernel::send(socket, &length, descriptors)?;
    socket.write_all(length.get(sent..).unwrap_or_default())?;
    socket.write_all(&text)
}

/// Receives a message with its descriptors; none where the other end has closed.
pub(crate) fn hear<T: DeserializeOwned>(
    mut socket: &UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut length = [0_u8; 4];
    let (got, descriptors) = kernel::receive(socket, &mut length)?;
    if got == 0 {
        return Ok(None);
    }
    socket.read_exact(length.get_mut(got..).unwrap_or_default())?;
    let length = usize::try_from(u32::from_ne_bytes(length)).map_err(invalid)?;
    if length > LONGEST {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut text = vec![0; length];
    socket.read_exact(&mut text)?;
    Ok(Some((serde_json::from_slice(&text).map_err(invalid)?, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn messages_arrive_with_their_descriptors() {
        let (one, other) = UnixStream::pair().unwrap();
        let null = std::fs::File::open("/dev/null").unwrap();
        say(&one, &Word::NotRun(2), &[null.as_raw_fd(), null.as_raw_fd()]).unwrap();
        say(&one, &Word::Failed("x".repeat(100_000)), &[]).unwrap();
        drop(one);
        let (word, descriptors) = hear::<Word>(&other).unwrap().unwrap();
        assert!(matches!(word, Word::NotRun(2)));
        assert_eq!(descriptors.len(), 2);
        let (word, descriptors) = hear::<Word>(&other).unwrap().unwrap();
        assert!(matches!(word, Word::Failed(text) if text.len() == 100_000));
        assert!(descriptors.is_empty());
        assert!(hear::<Word>(&other).unwrap().is_none());
    }

    #[test]
    fn a_message_that_is_too_long_is_no_message() {
        let (mut one, other) = UnixStream::pair().unwrap();
        one.write_all(&u32::MAX.to_ne_bytes()).unwrap();
        assert!(hear::<Word>(&other).is_err());
    }
}
