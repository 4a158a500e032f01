//! The keys that bundles are signed with: Ed25519 (RFC 8032). Owns how both halves are written and named; what is signed, [`super::signed`] knows.

use std::{fmt, io, path::Path, str::FromStr};

use data_encoding::{BASE64, HEXLOWER};
use ring::{
    rand::SystemRandom,
    signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey},
};
use sha2::{Digest as _, Sha256};

use crate::private::{self, Unbelievable};

/// What a public key begins with where it is written.
const MARK: &str = "ed25519:";

/// What the file of a secret key begins with.
const SECRET: &str = "portcullis-signing-key-1 ";

/// The longest such file.
const LONGEST: u64 = 1_024;

/// The half that is shown to everybody.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct PublicKey([u8; 32]);

/// A text that is no key.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("it is no key: `ed25519:` and 32 bytes in Base64 are expected")]
pub struct NotAKey;

impl PublicKey {
    /// The name that signatures give it: the beginning of its hash.
    #[must_use]
    pub fn id(&self) -> String {
        let hash = HEXLOWER.encode(&Sha256::digest(self.0));
        hash.chars().take(16).collect()
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether this key signed a text.
    #[must_use]
    pub fn signed(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(text, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}", BASE64.encode(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let written = text.strip_prefix(MARK).ok_or(NotAKey)?;
        let bytes = BASE64.decode(written.as_bytes()).map_err(|_| NotAKey)?;
        bytes.try_into().map(Self).map_err(|_| NotAKey)
    }
}

/// The half that stays with one person.
pub struct SecretKey(Ed25519KeyPair);

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.public().id())
    }
}

impl SecretKey {
    /// Makes a key and keeps it in a file that is not there yet, for this user alone.
    ///
    /// # Errors
    /// What the system says.
    pub fn make(path: &Path) -> io::Result<Self> {
        if path.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let unmade = |_| io::Error::other("no key can be made");
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(unmade)?;
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref());
        let pair = pair.map_err(|_| io::Error::other("no key can be made"))?;
        let text = format!("{SECRET}{}\n", BASE64.encode(document.as_ref()));
        let path = std::path::absolute(path)?;
        private::write(&path, text.as_bytes())?;
        Ok(Self(pair))
    }

    /// Reads one.
    ///
    /// # Errors
    /// Also where others could have read or changed its file.
    pub fn read(path: &Path) -> Result<Self, Unbelievable> {
        let bytes = private::read(path, LONGEST)?;
        let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_prefix(SECRET));
        let document = text.and_then(|text| BASE64.decode(text.trim_end().as_bytes()).ok());
        let pair = document.and_then(|document| Ed25519KeyPair::from_pkcs8(&document).ok());
        pair.map(Self).ok_or(Unbelievable::Changed)
    }

    /// Its other half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        // An Ed25519 public key has 32 bytes; another length would verify nothing.
        PublicKey(self.0.public_key().as_ref().try_into().unwrap_or_default())
    }

    /// Signs a text.
    #[must_use]
    pub fn sign(&self, text: &[u8]) -> Vec<u8> {
        self.0.sign(text).as_ref().to_vec()
    }
}
