//! A bundle as it travels. Owns what is signed, and every reason for which a bundle is refused; it reads no file and knows no clock.
//!
//! One JSON document: the `manifest` as the very text that is signed, the signatures, and the files. The manifest lists each file with its digest,
//! so that a signature on it is one on all of them.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::{BASE64, HEXLOWER};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::keys::{PublicKey, SecretKey};
use crate::report::visible;

/// The version of the document and of the manifest.
pub const VERSION: u32 = 1;

/// The most bytes of a document.
pub const LONGEST: usize = 4 << 20;

/// The most files, and the most signatures.
pub const MOST_FILES: usize = 64;
const MOST_SIGNATURES: usize = 16;

/// The longest name of a bundle, a file or a key.
const LONGEST_NAME: usize = 64;

/// What a clock may be wrong by.
const SKEW: SignedDuration = SignedDuration::from_mins(5);

/// What stands before the manifest where it is signed, so that no signature on anything else passes for one on it.
const DOMAIN: &[u8] = b"portcullis/bundle/v1\0";

/// What is signed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its version.
    pub v: u32,
    /// Whose policy it is: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Its number: every published bundle has a higher one than all before it.
    pub revision: u64,
    /// When it was built.
    pub issued: Timestamp,
    /// Until when it can be taken into use.
    pub expires: Timestamp,
    /// Every file.
    pub files: Vec<Listed>,
}

/// A file as the manifest lists it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Its name: it ends in `.toml`.
    pub name: String,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// How many bytes it has.
    pub bytes: u64,
}

/// A signature on the manifest.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    /// The id of its key.
    key: String,
    /// In Base64.
    signature: String,
}

/// The document.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    v: u32,
    manifest: String,
    signatures: Vec<Signature>,
    files: BTreeMap<String, String>,
}

/// What every version of the document and of the manifest says.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

/// A bundle whose manifest and files agree. Whose it is, [`Bundle::check`] says.
#[derive(Clone, Debug)]
pub struct Bundle {
    manifest: Manifest,
    document: Document,
}

/// Why a bundle is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is longer than [`LONGEST`].
    #[error("it is longer than 4 MiB")]
    TooLong,
    /// It is cut short, or something else.
    #[error("it is no bundle: {0}")]
    Malformed(String),
    /// A later version of this program wrote it.
    #[error("it has version {0}, which this program does not read")]
    Newer(u32),
    /// What must be so in its manifest is not.
    #[error("its manifest cannot be used: {0}")]
    Manifest(&'static str),
    /// A file is listed and not there.
    #[error("the file `{0}` is missing")]
    Missing(String),
    /// A file is there and not listed.
    #[error("the file `{0}` is not listed")]
    Extra(String),
    /// A file is not the one that is listed.
    #[error("the file `{0}` is not the one that was signed")]
    Changed(String),
    /// A signature names a known key, which did not make it.
    #[error("the signature of the key {0} is wrong")]
    Forged(String),
    /// Too few known keys signed it.
    #[error("it is signed by {signed} of the keys that count, and {needed} are needed")]
    Unsigned {
        /// How many did.
        signed: usize,
        /// How many must.
        needed: usize,
    },
    /// Its time is over.
    #[error("it expired at {0}")]
    Expired(Timestamp),
    /// Its time has not come, or a clock is wrong.
    #[error("it was issued at {0}, which is later than now")]
    Future(Timestamp),
    /// It is older than the one in force.
    #[error("it is revision {offered}, and revision {held} was in force already")]
    Rollback {
        /// Its number.
        offered: u64,
        /// The highest that was in force here.
        held: u64,
    },
    /// Another bundle has its number.
    #[error("it is another revision {0} than the one in force")]
    Twin(u64),
    /// It is of somebody else.
    #[error("it is `{offered}`, and `{held}` is in force")]
    Another {
        /// Its name.
        offered: String,
        /// The one in force.
        held: String,
    },
}

impl Bundle {
    /// Puts files together, signed by nobody yet.
    ///
    /// # Errors
    /// As [`Bundle::read`].
    pub fn build(
        name: &str,
        revision: u64,
        (issued, expires): (Timestamp, Timestamp),
        files: BTreeMap<String, String>,
    ) -> Result<Self, Refusal> {
        let listed = files.iter().map(|(name, text)| Listed {
            name: name.clone(),
            sha256: digest(text.as_bytes()),
            bytes: text.len() as u64,
        });
        let manifest = Manifest {
            v: VERSION,
            name: name.to_owned(),
            revision,
            issued,
            expires,
            files: listed.collect(),
        };
        // A manifest is made of texts and numbers, which always serialise.
        let written = serde_json::to_string(&manifest).unwrap_or_default();
        let signatures = Vec::new();
        let built = Self {
            manifest,
            document: Document { v: VERSION, manifest: written, signatures, files },
        };
        Self::read(built.to_string().as_bytes())
    }

    /// Reads one: every file is listed and none is missing or changed.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > LONGEST {
            return Err(Refusal::TooLong);
        }
        let malformed = |error: &dyn std::fmt::Display| {
            Refusal::Malformed(visible::line(&error.to_string()).into_owned())
        };
        // A later version may have other fields.
        let known = |bytes: &[u8]| match serde_json::from_slice::<Versioned>(bytes) {
            Ok(Versioned { v }) if v > VERSION => Err(Refusal::Newer(v)),
            _ => Ok(()),
        };
        known(bytes)?;
        let document: Document =
            serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
        known(document.manifest.as_bytes())?;
        let manifest = serde_json::from_str(&document.manifest);
        let manifest: Manifest = manifest.map_err(|error| malformed(&error))?;
        let bundle = Self { manifest, document };
        bundle.agree()?;
        Ok(bundle)
    }

    /// What is signed.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The files by name.
    #[must_use]
    pub const fn files(&self) -> &BTreeMap<String, String> {
        &self.document.files
    }

    /// What identifies it: `sha256:` and the hash of the manifest as it is written.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("sha256:{}", digest(self.document.manifest.as_bytes()))
    }

    /// The ids of the keys that say they signed it.
    pub fn signers(&self) -> impl Iterator<Item = &str> {
        self.document.signatures.iter().map(|one| one.key.as_str())
    }

    /// With somebody's signature, in place of an earlier one of theirs.
    #[must_use]
    pub fn signed_by(mut self, key: &SecretKey) -> Self {
        let id = key.public().id();
        let signature = BASE64.encode(&key.sign(&signed_bytes(&self.document.manifest)));
        let signatures = &mut self.document.signatures;
        signatures.retain(|one| one.key != id);
        signatures.push(Signature { key: id, signature });
        self
    }

    /// That enough of the keys that count signed it, and that its time has come and is not over. Gives the ids of those keys.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn check(
        &self,
        keys: &[PublicKey],
        needed: usize,
        now: Timestamp,
    ) -> Result<Vec<String>, Refusal> {
        let text = signed_bytes(&self.document.manifest);
        let mut signed = BTreeSet::new();
        for Signature { key, signature } in &self.document.signatures {
            let Some(known) = keys.iter().find(|known| known.id() == *key) else { continue };
            let signature = BASE64.decode(signature.as_bytes()).unwrap_or_default();
            if !known.signed(&text, &signature) {
                return Err(Refusal::Forged(key.clone()));
            }
            signed.insert(key.clone());
        }
        // That nobody has to sign it would be said by no file.
        let needed = needed.max(1);
        if signed.len() < needed {
            return Err(Refusal::Unsigned { signed: signed.len(), needed });
        }
        let Manifest { issued, expires, .. } = self.manifest;
        if issued.duration_since(now) > SKEW {
            return Err(Refusal::Future(issued));
        }
        if expires <= now {
            return Err(Refusal::Expired(expires));
        }
        Ok(signed.into_iter().collect())
    }

    /// That it is no step back from what was in force: its name, its highest revision, and what identifies that.
    ///
    /// # Errors
    /// [`Refusal::Rollback`], [`Refusal::Twin`], [`Refusal::Another`].
    pub fn follows(&self, name: &str, revision: u64, digest: &str) -> Result<(), Refusal> {
        let offered = self.manifest.revision;
        if self.manifest.name != name {
            let (offered, held) = (self.manifest.name.clone(), name.to_owned());
            return Err(Refusal::Another { offered, held });
        }
        if offered < revision {
            return Err(Refusal::Rollback { offered, held: revision });
        }
        if offered == revision && self.digest() != digest {
            return Err(Refusal::Twin(offered));
        }
        Ok(())
    }

    fn agree(&self) -> Result<(), Refusal> {
        let Manifest { v, name, revision, issued, expires, files } = &self.manifest;
        let wrong = |what| Err(Refusal::Manifest(what));
        if *v != VERSION || self.document.v != VERSION {
            return wrong("its version is none");
        }
        if !is_name(name) {
            return wrong("the name of the bundle is none");
        }
        if *revision == 0 {
            return wrong("revisions begin at 1");
        }
        if expires <= issued {
            return wrong("it expires before it is issued");
        }
        if files.is_empty() || files.len() > MOST_FILES {
            return wrong("it has no file, or more than 64");
        }
        if self.document.signatures.len() > MOST_SIGNATURES {
            return wrong("it has more than 16 signatures");
        }
        let mut names = BTreeSet::new();
        for Listed { name, sha256, bytes } in files {
            if !is_name(name) || !name.ends_with(".toml") {
                return wrong("the name of a file is none, or does not end in `.toml`");
            }
            if !names.insert(name) {
                return wrong("a file is listed twice");
            }
            let Some(text) = self.document.files.get(name) else {
                return Err(Refusal::Missing(name.clone()));
            };
            if text.len() as u64 != *bytes || digest(text.as_bytes()) != *sha256 {
                return Err(Refusal::Changed(name.clone()));
            }
        }
        match self.document.files.keys().find(|name| !names.contains(name)) {
            Some(extra) => Err(Refusal::Extra(visible::line(extra).into_owned())),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Bundle {
    /// The document, in one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = serde_json::to_string(&self.document).map_err(|_| std::fmt::Error)?;
        writeln!(f, "{text}")
    }
}

fn signed_bytes(manifest: &str) -> Vec<u8> {
    [DOMAIN, manifest.as_bytes()].concat()
}

fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Whether a text can be a name: it names no other directory and shows what it is.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
    (1..=LONGEST_NAME).contains(&text.len())
        && text.bytes().all(is_letter)
        && !text.starts_with(['.', '-'])
}
