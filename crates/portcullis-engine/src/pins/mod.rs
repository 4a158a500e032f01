//! What was accepted of a server, kept word for word. Owns the files of a server in the state directory, what they hold, and that one which
//! cannot be believed holds everything back; what stands against an entry is said by [`look`], what differs by [`held`].
//!
//! ```text
//! STATE/mcp/NAME/pins.json   what a person accepted, or what the first start showed after a person put the proxy there
//! STATE/mcp/NAME/seen.json   what the server showed last, where some of it is held: what `accept` shows
//! ```

mod accept;
pub mod definition;
pub mod held;
mod kind;
pub mod look;
pub mod names;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use accept::{Accepted, Question, accept, accepted_on_first_use, digest_of, enrol};
pub use definition::{Definition, program};

pub use kind::Kind;

use crate::{canonical, platform, private, private::Unbelievable};

/// The version of both files.
const VERSION: u32 = 1;

/// The longest file: some thousand tools.
const LONGEST: u64 = 32 << 20;

/// The directory of all servers, in the state directory.
const FOLDER: &str = "mcp";

/// How many servers are looked through for names that could be taken for another's.
pub const SERVERS: usize = 256;

/// How long after the first listing those of other kinds are part of the first use.
const FIRST_USE: SignedDuration = SignedDuration::from_hours(1);

/// The longest name of a server.
const LONGEST_NAME: usize = 128;

/// What was accepted of one server.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    v: u32,
    /// What the server is called in the settings of agents.
    pub server: String,
    /// What starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// Who it says that it is: see [`identity`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Value>,
    /// What it lists.
    #[serde(default)]
    pub entries: Vec<Pin>,
    /// Who put the proxy before it, as long as what it shows first is taken for what they meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_use: Option<Signed>,
    /// When the first listing was taken: what is listed for the first time much later is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Timestamp>,
    /// Of which kinds the first listing was taken.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub listed: BTreeSet<Kind>,
}

/// Who said so, and when.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// A person's name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// One entry that was accepted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// What it is.
    pub kind: Kind,
    /// What it is known by.
    pub name: String,
    /// The digest of all of it.
    pub digest: String,
    /// All of it.
    pub entry: Value,
    /// Who accepted it.
    pub signed: Signed,
}

/// What a server showed last.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// The version of the file.
    pub v: u32,
    /// What starts it.
    pub definition: Option<Definition>,
    /// Who it says that it is.
    pub identity: Option<Value>,
    /// What it lists, of the kinds that were asked for.
    pub entries: Vec<Shown>,
}

/// An entry as it was shown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// What it is.
    pub kind: Kind,
    /// What it is known by.
    pub name: String,
    /// All of it.
    pub entry: Value,
    /// Why it is held; nothing where it is not.
    pub held: Vec<String>,
}

/// What is known of a server.
#[derive(Debug)]
pub enum Known {
    /// Nobody accepted anything.
    Nothing,
    /// This was accepted.
    Pins(Box<Pins>),
    /// The file cannot be believed: everything is held.
    Broken(String),
}

/// The files of one server.
#[derive(Clone, Debug)]
pub struct Files {
    folder: PathBuf,
    /// What the server is called.
    pub server: String,
}

/// A name that no server can have.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the name of a server has 1 to 128 bytes and no control characters")]
pub struct NotAName;

impl Files {
    /// The files of a server, in a state directory.
    ///
    /// # Errors
    /// [`NotAName`].
    pub fn of(state: &Path, server: &str) -> Result<Self, NotAName> {
        if server.trim().is_empty()
            || server.len() > LONGEST_NAME
            || server.chars().any(char::is_control)
        {
            return Err(NotAName);
        }
        Ok(Self { folder: state.join(FOLDER).join(folder(server)), server: server.to_owned() })
    }

    /// The file of a login at the server, where it is elsewhere.
    #[must_use]
    pub fn login(&self) -> PathBuf {
        self.folder.join("login.json")
    }

    /// The servers of a state directory of which something is known, at most [`SERVERS`], and whether there are more.
    #[must_use]
    pub fn all(state: &Path) -> (Vec<Self>, bool) {
        let Ok(entries) = fs::read_dir(state.join(FOLDER)) else { return (Vec::new(), false) };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|folder| folder.is_dir());
        folders.sort();
        let is_cut = folders.len() > SERVERS;
        folders.truncate(SERVERS);
        let name = |folder: PathBuf| {
            let called = read::<Named>(&folder.join("name.json")).ok()?.server;
            Some(Self { folder, server: called })
        };
        (folders.into_iter().filter_map(name).collect(), is_cut)
    }

    /// What was accepted.
    #[must_use]
    pub fn known(&self) -> Known {
        match read::<Pins>(&self.pins()) {
            Ok(pins) if pins.v == VERSION && pins.server == self.server && pins.is_whole() => {
                Known::Pins(Box::new(pins))
            }
            Ok(pins) if pins.v != VERSION => {
                Known::Broken(format!("it is of version {}, and {VERSION} is known", pins.v))
            }
            Ok(_) => Known::Broken("what it holds does not fit its digests".to_owned()),
            Err(error) if error.is_missing() => Known::Nothing,
            Err(error) => Known::Broken(error.to_string()),
        }
    }

    /// The tool of a call by the name that agents give it, as it was accepted; nothing where it was not, or its server is not known by this name.
    #[must_use]
    pub fn accepted(state: &Path, tool: &str) -> Option<(String, Value)> {
        let (server, own) = names::parts(tool)?;
        let files = Self::of(state, server).ok()?;
        let known = files.known();
        let tools = known.pins()?.entries.iter().filter(|pin| pin.kind == Kind::Tool);
        let pin = tools.into_iter().find(|pin| names::written(&pin.name) == own)?;
        Some((server.to_owned(), pin.entry.clone()))
    }

    /// What it showed last, where some of it was held.
    ///
    /// # Errors
    /// [`Unbelievable`], also where there is nothing.
    pub fn seen(&self) -> Result<Seen, Unbelievable> {
        read(&self.folder.join("seen.json"))
    }

    /// Keeps what it shows for whoever is to accept it.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep_seen(&self, seen: &Seen) -> io::Result<()> {
        self.keep_name()?;
        let seen = Seen { v: VERSION, ..seen.clone() };
        private::write(&self.folder.join("seen.json"), &serde_json::to_vec(&seen)?)
    }

    /// Forgets what is held, when nothing is any more.
    pub fn nothing_is_held(&self) {
        // One that stays says what was.
        let _ = fs::remove_file(self.folder.join("seen.json"));
    }

    /// Changes what is accepted, with no other process between reading and writing. What is broken is taken for nothing: only a person
    /// changes that.
    ///
    /// # Errors
    /// What the system says.
    pub fn change<T>(&self, change: impl FnOnce(&Known) -> (Option<Pins>, T)) -> io::Result<T> {
        self.keep_name()?;
        let gate = self.folder.join("lock");
        platform::create_private_file(&gate)?;
        let gate = fs::File::options().write(true).open(gate)?;
        gate.lock()?;
        let (pins, result) = change(&self.known());
        if let Some(pins) = pins {
            let pins = Pins { v: VERSION, server: self.server.clone(), ..pins };
            private::write(&self.pins(), &serde_json::to_vec(&pins)?)?;
        }
        Ok(result)
    }

    /// Forgets the server: nothing of it is accepted.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget(&self) -> io::Result<()> {
        for file in ["pins.json", "seen.json", "name.json"] {
            match fs::remove_file(self.folder.join(file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// What tells whether the file of the pins is another than it was.
    #[must_use]
    pub fn stamp(&self) -> Option<(std::time::SystemTime, u64)> {
        let metadata = fs::symlink_metadata(self.pins()).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    fn pins(&self) -> PathBuf {
        self.folder.join("pins.json")
    }

    fn keep_name(&self) -> io::Result<()> {
        let path = self.folder.join("name.json");
        if path.exists() {
            return Ok(());
        }
        // Two levels of directories of ours, each for this user alone.
        if let Some(above) = self.folder.parent() {
            platform::create_private_directory(above)?;
        }
        private::write(&path, &serde_json::to_vec(&Named { server: self.server.clone() })?)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Named {
    server: String,
}

impl Pins {
    /// What was accepted of one entry.
    #[must_use]
    pub fn of(&self, kind: Kind, name: &str) -> Option<&Pin> {
        self.entries.iter().find(|pin| pin.kind == kind && pin.name == name)
    }

    /// Whether what the first listing of a kind shows is taken for what was meant.
    #[must_use]
    pub fn is_first_use(&self, kind: Kind) -> bool {
        let is_begun_lately = |begun: Timestamp| {
            (SignedDuration::ZERO..=FIRST_USE).contains(&Timestamp::now().duration_since(begun))
        };
        self.first_use.is_some()
            && !self.listed.contains(&kind)
            && self.begun.is_none_or(is_begun_lately)
    }

    fn is_whole(&self) -> bool {
        let fits = |pin: &Pin| pin.digest == canonical::digest(&pin.entry);
        self.entries.iter().all(fits)
    }
}

impl Known {
    /// What was accepted, where that can be believed.
    #[must_use]
    pub fn pins(&self) -> Option<&Pins> {
        match self {
            Self::Pins(pins) => Some(pins),
            Self::Nothing | Self::Broken(_) => None,
        }
    }
}

/// Who a server says that it is: `serverInfo` but its version, which comes with every update and says nothing to a model, and the
/// `instructions`, which are for the model alone.
#[must_use]
pub fn identity(info: Option<&Value>, instructions: Option<&Value>) -> Value {
    let mut info = info.cloned().unwrap_or(Value::Null);
    if let Some(members) = info.as_object_mut() {
        members.remove("version");
    }
    serde_json::json!({"serverInfo": info, "instructions": instructions.cloned().unwrap_or(Value::Null)})
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, Unbelievable> {
    Ok(serde_json::from_slice(&private::read(path, LONGEST)?)?)
}

/// The name of a server's directory: its own where that is plain, else its digest.
fn folder(server: &str) -> String {
    let is_plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
    };
    if server.len() <= 64 && server.bytes().all(is_plain) {
        return server.to_owned();
    }
    let digest = canonical::hash(server.as_bytes());
    let digits = digest.strip_prefix("sha256:").unwrap_or_default();
    format!("of.{}", digits.get(..32).unwrap_or(digits))
}

#[cfg(test)]
mod tests;
