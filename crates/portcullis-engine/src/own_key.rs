//! A key that this machine made for itself, in a directory of ours. Owns what is encrypted and what is vouched for with it. Whoever has both the
//! key and the files reads them; a copy of the files alone says nothing, and nobody else's file passes for one of ours.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;

use crate::{
    platform,
    private::{self, Unbelievable},
};

/// The most bytes that are encrypted, which takes memory: what is larger and holds secrets is not kept.
pub(crate) const MOST: u64 = 64 << 20;

const KEY: usize = 32;

/// How long the line is by which a file is known as ours.
const WORDS: u64 = 65;

/// The key of this machine.
pub(crate) struct Key([u8; KEY]);

impl Key {
    /// The one in a directory; made there where there is none.
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let path = folder.join("key");
        match private::read(&path, KEY as u64) {
            Ok(bytes) => {
                let key = bytes
                    .try_into()
                    .map_err(|_| io::Error::other("the key that vouches for it is cut short"))?;
                return Ok(Self(key));
            }
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(io::Error::other(error)),
        }
        // Of two at once one wins, and both have its key.
        Self::make(folder, &path)?;
        Self::of(folder)
    }

    /// Makes one, unless there is one. It has no name until it is whole, where the file system knows such files, so that nothing is left of whoever
    /// is killed meanwhile.
    fn make(folder: &Path, path: &Path) -> io::Result<()> {
        let made: [u8; KEY] = platform::random()?;
        let unnamed = platform::create_unnamed_file(folder).and_then(|mut file| {
            file.write_all(&made)?;
            file.sync_all()?;
            platform::name_file(&file, path)
        });
        if unnamed.is_ok() {
            return Ok(());
        }
        let random: [u8; 8] = platform::random()?;
        let beside = folder.join(format!(".key-{}", data_encoding::HEXLOWER.encode(&random)));
        private::write(&beside, &made)?;
        let linked = fs::hard_link(&beside, path);
        fs::remove_file(&beside)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// The name under which a content is kept, which says nothing about it to whoever has no key.
    pub(crate) fn name(&self, sha256: &str) -> io::Result<String> {
        self.vouch("content", sha256.as_bytes())
    }

    /// The words by which a text of a kind is known as ours.
    pub(crate) fn vouch(&self, kind: &str, text: &[u8]) -> io::Result<String> {
        Ok(data_encoding::HEXLOWER.encode(&self.mac(kind, text)?.finalize().into_bytes()))
    }

    /// Whether these are those words.
    pub(crate) fn is_vouched(&self, kind: &str, text: &[u8], words: &[u8]) -> bool {
        let words = data_encoding::HEXLOWER.decode(words).ok();
        let mac = self.mac(kind, text).ok();
        mac.zip(words).is_some_and(|(mac, words)| mac.verify_slice(&words).is_ok())
    }

    /// Writes a file of a kind that is known as ours.
    pub(crate) fn write_vouched(&self, path: &Path, kind: &str, text: &[u8]) -> io::Result<()> {
        let words = self.vouch(kind, text)?;
        private::write(path, &[words.as_bytes(), b"\n", text].concat())
    }

    /// The same without waiting until it survives a loss of power.
    pub(crate) fn write_vouched_unsynced(
        &self,
        path: &Path,
        kind: &str,
        text: &[u8],
    ) -> io::Result<()> {
        let words = self.vouch(kind, text)?;
        private::write_unsynced(path, &[words.as_bytes(), b"\n", text].concat())
    }

    /// Reads a file of a kind, where it is one that we wrote.
    pub(crate) fn read_vouched(
        &self,
        path: &Path,
        kind: &str,
        most: u64,
    ) -> Result<Vec<u8>, Unbelievable> {
        let mut bytes = private::read(path, most + WORDS)?;
        let (words, text) = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .and_then(|end| Some((bytes.get(..end)?, bytes.get(end + 1..)?)))
            .ok_or(Unbelievable::Changed)?;
        if !self.is_vouched(kind, text, words) {
            return Err(Unbelievable::Changed);
        }
        let start = words.len() + 1;
        bytes.drain(..start);
        Ok(bytes)
    }

    fn mac(&self, kind: &str, text: &[u8]) -> io::Result<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(io::Error::other)?;
        // A kind holds no zero byte, so that no other kind and text come to the same.
        mac.update(kind.as_bytes());
        mac.update(&[0]);
        mac.update(text);
        Ok(mac)
    }

    fn cipher(&self) -> io::Result<LessSafeKey> {
        let key = UnboundKey::new(&AES_256_GCM, &self.0).map_err(unsealable)?;
        Ok(LessSafeKey::new(key))
    }

    /// Encrypts, for a name.
    pub(crate) fn seal(&self, name: &str, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = platform::random()?;
        let own = Nonce::assume_unique_for_key(nonce);
        let about = Aad::from(name.as_bytes());
        self.cipher()?.seal_in_place_append_tag(own, about, &mut bytes).map_err(unsealable)?;
        Ok([&nonce[..], &bytes].concat())
    }

    /// Decrypts what was kept under a name.
    pub(crate) fn open(&self, name: &str, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let changed =
            || io::Error::other("what was kept was changed since, or belongs to another key");
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>().ok_or_else(changed)?;
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.cipher()?.open_in_place(nonce, Aad::from(name.as_bytes()), &mut sealed);
        opened.map(|bytes| bytes.to_vec()).map_err(|_| changed())
    }
}

/// The library says no more than that it failed.
fn unsealable(_: ring::error::Unspecified) -> io::Error {
    io::Error::other("it cannot be encrypted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_read_back_under_its_own_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::of(folder.path()).unwrap();
        let again = Key::of(folder.path()).unwrap();
        let sealed = key.seal("a", b"hunter2".to_vec()).unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(again.open("a", &sealed).unwrap(), b"hunter2");
        assert!(again.open("b", &sealed).is_err());
        assert!(again.open("a", &sealed[..20]).is_err());
        assert!(again.open("a", &[]).is_err());
        let words = key.vouch("trial", b"text").unwrap();
        assert!(again.is_vouched("trial", b"text", words.as_bytes()));
        for (kind, text) in [("journal", "text"), ("trial", "text2"), ("trial", "")] {
            assert!(!again.is_vouched(kind, text.as_bytes(), words.as_bytes()), "{kind} {text}");
        }
        assert!(
            !again.is_vouched("trial", b"text", b"") && !again.is_vouched("trial", b"text", b"zz")
        );
        let other = Key::of(tempfile::tempdir().unwrap().path()).unwrap();
        assert!(other.open("a", &sealed).is_err());
    }
}
