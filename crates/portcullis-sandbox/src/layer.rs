//! What a sandbox promises, by which means, and the report of what holds. Owns the vocabulary; whether something holds is found
//! out where it is put in force.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One promise. Each is kept or not as a whole.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layer {
    /// Nothing is written outside the write roots, nor read outside the read roots.
    Files,
    /// What is denied cannot be read.
    Unreadable,
    /// What is protected cannot be changed, replaced, or made where it is missing.
    Protected,
    /// The network is as the profile says.
    Network,
    /// Unix sockets of programs outside cannot be reached.
    Sockets,
    /// Programs outside cannot be signalled, traced or read.
    Processes,
    /// System V objects and message queues of programs outside cannot be reached.
    Ipc,
    /// System calls that lead around the others, or far into the kernel, are refused.
    Syscalls,
    /// No capabilities, and no way to gain privileges.
    Privileges,
    /// The limits hold.
    Limits,
    /// Nothing that was started outlives the run.
    Cleanup,
}

impl Layer {
    /// Every promise.
    pub const ALL: &[Self] = &[
        Self::Files,
        Self::Unreadable,
        Self::Protected,
        Self::Network,
        Self::Sockets,
        Self::Processes,
        Self::Ipc,
        Self::Syscalls,
        Self::Privileges,
        Self::Limits,
        Self::Cleanup,
    ];

    /// Its name, as it is written and read.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Unreadable => "unreadable",
            Self::Protected => "protected",
            Self::Network => "network",
            Self::Sockets => "sockets",
            Self::Processes => "processes",
            Self::Ipc => "ipc",
            Self::Syscalls => "syscalls",
            Self::Privileges => "privileges",
            Self::Limits => "limits",
            Self::Cleanup => "cleanup",
        }
    }

    /// What it promises, for a person.
    #[must_use]
    pub const fn promise(self) -> &'static str {
        match self {
            Self::Files => {
                "nothing is written outside the write roots, nor read outside the read roots"
            }
            Self::Unreadable => "what is denied cannot be read",
            Self::Protected => "what is protected cannot be changed, replaced or made",
            Self::Network => "the network is as the profile says",
            Self::Sockets => "Unix sockets of programs outside cannot be reached",
            Self::Processes => "programs outside cannot be signalled, traced or read",
            Self::Ipc => "shared memory and queues of programs outside cannot be reached",
            Self::Syscalls => "system calls that lead around the others are refused",
            Self::Privileges => "no capabilities, and no way to gain privileges",
            Self::Limits => "the limits hold",
            Self::Cleanup => "nothing that was started outlives the run",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no layer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a layer")]
pub struct UnknownLayer(pub String);

impl FromStr for Layer {
    type Err = UnknownLayer;

    fn from_str(word: &str) -> Result<Self, UnknownLayer> {
        let found = Self::ALL.iter().find(|layer| layer.name() == word);
        found.copied().ok_or_else(|| UnknownLayer(word.to_owned()))
    }
}

/// A set of promises.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Layers(u16);

impl Layers {
    /// None.
    pub const NONE: Self = Self(0);

    /// All of them.
    #[must_use]
    pub fn all() -> Self {
        Layer::ALL.iter().copied().collect()
    }

    /// Whether it holds this one.
    #[must_use]
    pub const fn contains(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// With this one.
    #[must_use]
    pub const fn with(self, layer: Layer) -> Self {
        Self(self.0 | layer.bit())
    }

    /// Without this one.
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self(self.0 & !layer.bit())
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Layer> {
        Layer::ALL.iter().copied().filter(move |layer| self.contains(*layer))
    }
}

impl FromIterator<Layer> for Layers {
    fn from_iter<I: IntoIterator<Item = Layer>>(layers: I) -> Self {
        layers.into_iter().fold(Self::NONE, Self::with)
    }
}

/// What promises are kept with.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Means {
    /// Namespaces of its own, with mounts of its own.
    Namespaces,
    /// Namespaces that bubblewrap makes, where we may not.
    Bubblewrap,
    /// Landlock, a list of what may be reached.
    Landlock,
    /// A filter of system calls.
    Seccomp,
    /// Limits of the kernel on each process.
    Rlimits,
    /// Capabilities dropped, and no new privileges.
    Capabilities,
    /// Our own process that watches what was started.
    Supervisor,
    /// A control group: limits of the kernel on all processes together.
    ControlGroup,
}

impl Means {
    /// Its name, as it is written and read.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::Rlimits => "rlimits",
            Self::Capabilities => "capabilities",
            Self::Supervisor => "supervisor",
            Self::ControlGroup => "control-group",
        }
    }
}

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What became of one promise.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct LayerState {
    /// Which.
    pub layer: Layer,
    /// Whether the profile asks for it.
    pub requested: bool,
    /// Whether nothing would have run without it.
    pub required: bool,
    /// Whether it holds.
    pub in_force: bool,
    /// What it is kept with; nothing where it does not hold.
    pub by: Vec<Means>,
    /// Why it does not hold, or what is special about how it does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// A means that is not there.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Unavailable {
    /// Which.
    pub means: Means,
    /// Why not.
    pub reason: String,
    /// What could be done about it, where something can.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remedy: Option<String>,
}

/// Which promises hold for a run.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Report {
    /// Each promise.
    pub layers: Vec<LayerState>,
    /// What was not to be had.
    pub unavailable: Vec<Unavailable>,
}

impl Report {
    /// Whether a promise holds.
    #[must_use]
    pub fn holds(&self, layer: Layer) -> bool {
        self.layers.iter().any(|state| state.layer == layer && state.in_force)
    }

    /// Each promise that holds.
    pub(crate) fn holding(&self) -> Vec<Layer> {
        self.layers.iter().filter(|state| state.in_force).map(|state| state.layer).collect()
    }

    /// Says of promises that they do not hold, because what they rule out was tried and got through.
    pub(crate) fn disprove(&mut self, through: Vec<(Layer, String)>) {
        for (layer, what) in through {
            for state in self.layers.iter_mut().filter(|state| state.layer == layer) {
                state.in_force = false;
                state.by.clear();
                state.note = Some(format!("it was tried, and {what}"));
            }
        }
    }

    /// What was required and does not hold.
    pub fn missing(&self) -> impl Iterator<Item = &LayerState> {
        self.layers.iter().filter(|state| state.required && !state.in_force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_they_were_given() {
        let set: Layers = [Layer::Files, Layer::Cleanup].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Layer::Files, Layer::Cleanup]);
        assert_eq!(set.without(Layer::Files).iter().collect::<Vec<_>>(), [Layer::Cleanup]);
        assert_eq!(Layers::all().iter().count(), Layer::ALL.len());
    }

    #[test]
    fn names_are_read_back() {
        for layer in Layer::ALL {
            assert_eq!(layer.name().parse(), Ok(*layer));
            assert_eq!(serde_json::to_string(layer).unwrap(), format!("\"{layer}\""));
        }
        assert!("Files".parse::<Layer>().is_err());
    }
}
