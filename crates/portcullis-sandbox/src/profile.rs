//! What a program inside may do: files, network, limits. Owns the shape and the built-in profiles; it knows no list of secrets or of
//! settings, which the caller gives.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Layer, Layers};

/// What a program inside may do.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Profile {
    /// What may be read. The devices of the machine are in no case, but for the harmless ones.
    pub read: Vec<PathBuf>,
    /// What may be written, and read.
    pub write: Vec<PathBuf>,
    /// Those of [`Profile::write`] that are written elsewhere than where they are.
    pub layered: Vec<Layered>,
    /// What may not be read, though it lies below what may.
    pub denied: Vec<PathBuf>,
    /// What may not be changed or made, though it lies below what may be written.
    pub protected: Vec<PathBuf>,
    /// Protected files that keep their places, while they are missing, with a text that means nothing to who reads them. The places
    /// of all others are kept by empty directories.
    pub stand_ins: Vec<StandIn>,
    /// What lies outside of [`Profile::write`] and may not be changed by a name that it has there: a hard link in it, or a link that leads there.
    pub originals: Vec<Original>,
    /// What was not looked at when what is protected was found, for the report.
    pub overlooked: Vec<String>,
    /// Whether there is a temporary directory, private and gone afterwards.
    pub temporary: bool,
    /// Where it may connect.
    pub network: Network,
    /// Whether it may use Unix sockets beyond pairs. Those of programs outside that lie in files can then be reached too, so the
    /// layer [`Layer::Sockets`] is not asked for.
    pub unix_sockets: bool,
}

/// A directory that a program finds as it is and changes elsewhere: what is there stays as it was.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Layered {
    /// The directory, one of [`Profile::write`].
    pub root: PathBuf,
    /// Where its changes go.
    pub elsewhere: Elsewhere,
}

/// Where the changes of a [`Layered`] directory go.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Elsewhere {
    /// To the upper layer of an overlay, with an empty directory of the same file system to work in. Neither lies below the root.
    Overlay {
        /// The upper layer.
        upper: PathBuf,
        /// The directory to work in.
        work: PathBuf,
    },
    /// To a copy of the directory, which the program finds in its place.
    Copy(PathBuf),
}

/// A file or directory outside of what may be written, whose further names are protected.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Original {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a program, which package managers link as often as they like: of more names than can be protected the report tells, and
    /// nothing is refused for them.
    pub is_program: bool,
}

/// A text that keeps the place of a protected file.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct StandIn {
    /// The file, one of [`Profile::protected`].
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

/// Where a program inside may connect.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nowhere. With namespaces it has a loopback of its own.
    Off,
    /// To one proxy outside, and a loopback of its own.
    Proxy(Proxy),
    /// Anywhere.
    Open,
}

/// A proxy outside.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    /// `NAME:PASSWORD` that it wants to see. They are told to the program inside, in its environment.
    pub credentials: Option<String>,
}

/// How much a program inside may use. What is `None` is not limited.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Limits {
    /// How long it may take. Then all that was started is killed.
    pub wall: Option<Duration>,
    /// How many seconds of the processor each process may take.
    pub cpu_seconds: Option<u64>,
    /// How many bytes of addresses each process may have.
    pub address_space: Option<u64>,
    /// How many bytes of memory all processes may have together. It takes a control group.
    pub memory: Option<u64>,
    /// How long a file may become, in bytes.
    pub file_size: Option<u64>,
    /// How many processes and threads there may be at once.
    pub processes: Option<u64>,
    /// How many files each process may have open.
    pub open_files: Option<u64>,
}

impl Profile {
    /// Reads everything, writes nothing but a temporary directory, connects nowhere.
    #[must_use]
    pub fn read_only() -> Self {
        Self {
            read: vec![PathBuf::from("/")],
            write: Vec::new(),
            layered: Vec::new(),
            denied: Vec::new(),
            protected: Vec::new(),
            stand_ins: Vec::new(),
            originals: Vec::new(),
            overlooked: Vec::new(),
            temporary: true,
            network: Network::Off,
            unix_sockets: false,
        }
    }

    /// Writes the workspace too.
    #[must_use]
    pub fn workspace_write(workspace: impl Into<PathBuf>) -> Self {
        Self { write: vec![workspace.into()], ..Self::read_only() }
    }

    /// Writes the workspace, and connects to a proxy.
    #[must_use]
    pub fn network_proxy(workspace: impl Into<PathBuf>, proxy: Proxy) -> Self {
        Self { network: Network::Proxy(proxy), ..Self::workspace_write(workspace) }
    }

    /// What it promises, and so what should be required of a run.
    #[must_use]
    pub fn promises(&self) -> Layers {
        let mut layers = Layers::all();
        for (layer, asked) in [
            (Layer::Unreadable, !self.denied.is_empty()),
            (Layer::Protected, !self.protected.is_empty() || !self.originals.is_empty()),
            (Layer::Network, self.network != Network::Open),
            (Layer::Sockets, !self.unix_sockets),
        ] {
            if !asked {
                layers = layers.without(layer);
            }
        }
        layers
    }
}
