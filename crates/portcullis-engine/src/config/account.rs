//! Where each value comes from. Owns the words for layers, settings and what was left out; who wins, [`super::combine`]
//! decides.

use std::path::{Path, PathBuf};

use super::Lock;

/// One of the layers, the first of them the most general.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Layer {
    /// What holds without any file.
    BuiltIn,
    /// Who manages the machine.
    Managed,
    /// A signed bundle.
    Central,
    /// The user, or the file that an option names.
    User,
    /// The workspace.
    Project,
}

impl Layer {
    /// The layer's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Managed => "managed",
            Self::Central => "central",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A file that has a say.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// Its layer.
    pub layer: Layer,
    /// The file.
    pub path: PathBuf,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// Whether it counts whole: a project's file does where a person trusts it, the user's own as a person left it.
    pub trusted: bool,
    /// Why it is not trusted, where that is more than that nobody trusted it.
    pub doubt: Option<String>,
}

/// One value that holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Setting {
    /// Its key in the file, as `rules.deny`.
    pub key: &'static str,
    /// What it says.
    pub value: String,
    /// The number of its file in [`Account::sources`].
    pub source: usize,
}

/// One value that stands in a file and does not hold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// Its key in the file.
    pub key: &'static str,
    /// What it says.
    pub value: String,
    /// The number of its file in [`Account::sources`].
    pub source: usize,
    /// Why it does not hold.
    pub why: Why,
}

/// Why a value does not hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Why {
    /// It would loosen, and nobody trusted its file.
    Untrusted,
    /// It would loosen, and the managed file locks its key.
    Locked,
    /// It would loosen, and nobody on this machine said that the centre may.
    Central,
    /// It is set for good by a layer above.
    Latched,
    /// It would lower what a layer above makes a floor.
    Floor,
}

impl Why {
    /// The reason for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Untrusted => "waits for trust: `portcullis trust`",
            Self::Locked => "locked by the managed file",
            Self::Central => "not named in `central.may_loosen`",
            Self::Latched => "set for good by a layer above",
            Self::Floor => "a floor of a layer above",
        }
    }

    /// The reason for a program.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Locked => "locked",
            Self::Central => "central",
            Self::Latched => "latched",
            Self::Floor => "floor",
        }
    }
}

/// Where everything comes from. Empty where there is no file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Account {
    /// The files, the most general first.
    pub sources: Vec<Source>,
    /// What holds because a file says so.
    pub settings: Vec<Setting>,
    /// What a file says and does not hold.
    pub left_out: Vec<LeftOut>,
    /// The keys that only the managed file loosens.
    pub locks: Vec<Lock>,
}

impl Account {
    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|source| source.path.as_path())
    }

    /// What waits for a person to trust the file that says it.
    pub fn waiting(&self) -> impl Iterator<Item = &LeftOut> {
        self.left_out.iter().filter(|one| one.why == Why::Untrusted)
    }

    /// The only value of a key, in place of the one before.
    pub(super) fn set(&mut self, key: &'static str, value: String, source: usize) {
        self.settings.retain(|setting| setting.key != key);
        self.add(key, value, source);
    }

    /// One more value of a key.
    pub(super) fn add(&mut self, key: &'static str, value: String, source: usize) {
        self.settings.push(Setting { key, value, source });
    }
}
