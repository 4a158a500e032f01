//! Configuration: one TOML file. Owns where it is, how it is read, and what it comes to; what the policy makes of it, the
//! core says.
//!
//! ```text
//! bytes ──read──► File (as written, with spans) ──resolve──► Configuration
//! ```

mod error;
mod file;
mod resolve;

use std::{
    fs,
    path::{Path, PathBuf},
};

use portcullis_core::policy::Policy;
use sha2::{Digest as _, Sha256};

pub use error::{ConfigError, Mistake};
pub use file::{Analyzer, File};

use crate::platform::Directories;

/// The name of the file in the user's directory for configuration.
pub const FILE_NAME: &str = "config.toml";

/// The most bytes of a file; a longer one is no configuration that a person wrote.
pub const MAX_BYTES: u64 = 1 << 20;

/// What a file comes to.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The policy.
    pub policy: Policy,
    /// What identifies the policy in the record: `sha256:` and the hash of the file, as `sha256sum` gives it, or `built-in`
    /// and our version where there is no file.
    pub policy_id: String,
    /// How the record is kept.
    pub audit: Audit,
    /// The analyzers of the ensemble, where the file names them.
    pub analyzers: Option<Vec<Analyzer>>,
    /// The file that was read.
    pub path: Option<PathBuf>,
}

/// How the record is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Audit {
    /// Whether there is one.
    pub enabled: bool,
    /// Its directory, where it is not the user's.
    pub path: Option<PathBuf>,
    /// What happens to a call that cannot be recorded.
    pub on_failure: OnFailure,
}

/// What happens to a call that cannot be recorded.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum OnFailure {
    /// It is denied.
    #[default]
    Deny,
    /// It goes on, and whoever looks is warned.
    Warn,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            policy_id: format!("built-in {}", env!("CARGO_PKG_VERSION")),
            audit: Audit { enabled: true, path: None, on_failure: OnFailure::Deny },
            analyzers: None,
            path: None,
        }
    }
}

impl Configuration {
    /// The configuration of a file that somebody named, or of the user's own where there is one, or the built-in one.
    ///
    /// # Errors
    /// When the file cannot be read or says what we do not understand. A named file must exist.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        Self::load_from(named, &Directories::from_environment())
    }

    /// As [`Configuration::load`], with given directories.
    ///
    /// # Errors
    /// As [`Configuration::load`].
    pub fn load_from(named: Option<&Path>, directories: &Directories) -> Result<Self, ConfigError> {
        let own = directories.configuration.as_deref().map(|directory| directory.join(FILE_NAME));
        let Some(path) = named.map(Path::to_owned).or(own) else { return Ok(Self::default()) };
        match content(&path) {
            Err(ConfigError::Missing { .. }) if named.is_none() => Ok(Self::default()),
            Err(error) => Err(error),
            Ok(text) => Self::parse(&text, &path),
        }
    }

    /// The configuration that a text comes to; `path` is what errors name.
    ///
    /// # Errors
    /// [`ConfigError::Mistake`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(text));
        let configuration = File::read(text).and_then(|file| resolve::resolve(&file));
        match configuration {
            Ok(configuration) => Ok(Self {
                policy_id: format!("sha256:{digest}"),
                path: Some(path.to_owned()),
                ..configuration
            }),
            Err(misreading) => {
                Err(ConfigError::Mistake(Box::new(Mistake::new(path, text, misreading))))
            }
        }
    }
}

/// The JSON schema of the file, for editors.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(File);
    // A schema is made of strings and lists of them, which always serialise.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}

fn content(path: &Path) -> Result<String, ConfigError> {
    let path = path.to_owned();
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ConfigError::Missing { path });
        }
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    if !metadata.is_file() {
        return Err(ConfigError::NotAFile { path });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // What everyone may write, an agent may write.
        if metadata.mode() & 0o002 != 0 {
            return Err(ConfigError::WritableByEveryone { path });
        }
    }
    if metadata.len() > MAX_BYTES {
        return Err(ConfigError::TooLong { path });
    }
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(source) => return Err(ConfigError::Unreadable { path, source }),
    };
    String::from_utf8(bytes).map_err(|_| ConfigError::NotText { path })
}

#[cfg(test)]
mod tests;
