//! What starts a server. Owns what is kept of it: the command without its secrets, the digest of it with them, and the digests of the files
//! among its words, so that another program under the same name is another server.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use portcullis_core::secrets::redacted;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::canonical;

/// The longest file that is digested: interpreters are longer, and belong to the system.
const LONGEST: u64 = 32 << 20;

/// How many words are looked at for files.
const WORDS: usize = 64;

/// What starts a server.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The command, without secrets: for people.
    pub shown: Vec<String>,
    /// The digest of the command as it is.
    pub digest: String,
    /// The files among its words, and the program itself where that is none of the system's: the digest of each, or why there is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Definition {
    /// Of a command, whose program is looked for in the `PATH`.
    #[must_use]
    pub fn of_command(words: &[String]) -> Self {
        Self::of_command_in(words, None)
    }

    /// Of a command that is started in a directory, where that is another than ours.
    #[must_use]
    pub fn of_command_in(words: &[String], directory: Option<&Path>) -> Self {
        let placed = |path: PathBuf| directory.map_or_else(|| path.clone(), |it| it.join(&path));
        let mut files = BTreeMap::new();
        let mut words_with_files = words.iter().take(WORDS).enumerate();
        for (at, word) in words_with_files.by_ref() {
            let path = if at == 0 { program(word) } else { Some(PathBuf::from(word)) };
            if let Some(path) = path.map(placed).filter(|path| path.is_file())
                && !is_of_system(&path)
            {
                files.insert(path.display().to_string(), digest(&path));
            }
        }
        Self {
            shown: redacted(&words.join("\u{1f}")).split('\u{1f}').map(str::to_owned).collect(),
            digest: canonical::digest(&json!(words)),
            files,
        }
    }

    /// Of a server that is reached by an address.
    #[must_use]
    pub fn of_url(url: &str) -> Self {
        Self {
            shown: vec![redacted(url)],
            digest: canonical::digest(&json!({"url": url})),
            files: BTreeMap::new(),
        }
    }

    /// What differs from what was accepted, in words for a person; nothing where it is the same.
    #[must_use]
    pub fn differences(&self, accepted: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if self.digest != accepted.digest {
            found.push(format!(
                "it is started by another command: `{}`, and `{}` was accepted",
                self.shown.join(" "),
                accepted.shown.join(" ")
            ));
            return found;
        }
        found.extend(self.other_files(accepted));
        found
    }

    /// Whether it is the same command, whatever stands in the files that it names.
    #[must_use]
    pub fn is_same_command(&self, accepted: &Self) -> bool {
        self.digest == accepted.digest
    }

    fn other_files(&self, accepted: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (path, digest) in &self.files {
            match accepted.files.get(path) {
                None => found.push(format!("`{path}` is started, and was not there")),
                Some(known) if known != digest => {
                    found.push(format!("`{path}` is another file than was accepted"));
                }
                Some(_) => {}
            }
        }
        let gone = accepted.files.keys().filter(|path| !self.files.contains_key(*path));
        found.extend(gone.map(|path| format!("`{path}` is gone")));
        found
    }
}

/// Where a program is, as the system finds it.
#[must_use]
pub fn program(word: &str) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(PathBuf::from(word));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(OsStr::new(word)))
        .find(|path| path.is_file())
}

/// What only the system's owner can change, which whoever can change it could use for anything else.
fn is_of_system(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let Ok(real) = path.canonicalize() else { return false };
        let owner = |path: &Path| {
            path.metadata()
                .is_ok_and(|metadata| metadata.uid() == 0 && metadata.mode() & 0o022 == 0)
        };
        // Whoever is the system's owner themselves can change it all.
        rustix::process::geteuid().as_raw() != 0 && owner(&real) && real.parent().is_some_and(owner)
            || is_in_system(&real)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The directories of systems' packages.
#[cfg(unix)]
fn is_in_system(path: &Path) -> bool {
    ["/usr/bin", "/usr/lib", "/usr/sbin", "/bin", "/sbin", "/lib", "/opt/homebrew", "/nix/store"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

fn digest(path: &Path) -> String {
    let read = || -> io::Result<String> {
        let file = File::open(path)?;
        if file.metadata()?.len() > LONGEST {
            return Ok("not read: it is longer than 32 MiB".to_owned());
        }
        let mut hash = Sha256::new();
        let mut input = file.take(LONGEST + 1);
        let mut block = vec![0_u8; 64 << 10];
        loop {
            let count = input.read(&mut block)?;
            if count == 0 {
                return Ok(format!("sha256:{}", data_encoding::HEXLOWER.encode(&hash.finalize())));
            }
            hash.update(block.get(..count).unwrap_or_default());
        }
    };
    read().unwrap_or_else(|error| format!("not read: {error}"))
}
