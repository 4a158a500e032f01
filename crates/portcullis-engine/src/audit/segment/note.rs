//! Signed notes, as transparency logs and their witnesses write them (c2sp.org/signed-note): a text, an empty line, and a line for each signature. Owns
//! the format; what the text says, its reader knows.

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest as _, Sha256};

use crate::{
    audit::Hash,
    bundle::{PublicKey, SecretKey},
};

/// The kind of key: Ed25519.
const ED25519: u8 = 1;

/// A text with the signatures on it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// The text; its last line ends.
    pub text: String,
    /// The name of each key, and what it wrote: four bytes that name the key, and the signature.
    signatures: Vec<(String, Vec<u8>)>,
}

impl Note {
    /// What a line of a signature begins with.
    pub const MARK: &'static str = "\u{2014} ";

    /// A text that nobody signed.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self { text, signatures: Vec::new() }
    }

    /// With the signature of a key under a name.
    #[must_use]
    pub fn signed(mut self, name: &str, key: &SecretKey) -> Self {
        let mut written = key_id(name, &key.public()).to_vec();
        written.extend(key.sign(self.text.as_bytes()));
        self.signatures.push((name.to_owned(), written));
        self
    }

    /// Whether a key signed it, under whatever name.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.signatures.iter().any(|(name, written)| {
            written.split_first_chunk::<4>().is_some_and(|(id, signature)| {
                *id == key_id(name, key) && key.signed(self.text.as_bytes(), signature)
            })
        })
    }

    /// A key as readers of notes are told it: its name, the four bytes that name it in signatures, and its kind with itself.
    #[must_use]
    pub fn verifier(name: &str, key: &PublicKey) -> String {
        let id = HEXLOWER.encode(&key_id(name, key));
        let written = [&[ED25519][..], key.bytes()].concat();
        format!("{name}+{id}+{}", BASE64.encode(&written))
    }

    /// As it is written.
    #[must_use]
    pub fn written(&self) -> String {
        let mut note = format!("{}\n", self.text);
        for (name, written) in &self.signatures {
            note.push_str(&format!("{}{name} {}\n", Self::MARK, BASE64.encode(written)));
        }
        note
    }

    /// The digest of all of it, signatures included.
    #[must_use]
    pub fn digest(&self) -> Hash {
        Hash(Sha256::digest(self.written()).into())
    }

    /// What was written so; nothing where it was not.
    #[must_use]
    pub fn read(note: &str) -> Option<Self> {
        let end = note.rfind("\n\n")?;
        let (text, rest) = (note.get(..=end)?, note.get(end + 2..)?);
        let signature = |line: &str| {
            let (name, written) = line.strip_prefix(Self::MARK)?.split_once(' ')?;
            Some((name.to_owned(), BASE64.decode(written.as_bytes()).ok()?))
        };
        let signatures = rest.lines().map(signature).collect::<Option<Vec<_>>>()?;
        let note_read = Self { text: text.to_owned(), signatures };
        (note_read.written() == note).then_some(note_read)
    }
}

/// The bytes that name a key in a signature.
fn key_id(name: &str, key: &PublicKey) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.update(name);
    hash.update([b'\n', ED25519]);
    hash.update(key.bytes());
    let hash: [u8; 32] = hash.finalize().into();
    hash.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The note and the key that Go's documentation of the format (golang.org/x/mod/sumdb/note) shows.
    #[test]
    fn a_note_that_others_published_is_read_and_its_key_known() {
        let note = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\u{2014} PeterNeumann \
                    x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        let verifier = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let written = BASE64.decode(verifier.rsplit('+').next().unwrap().as_bytes()).unwrap();
        let key: PublicKey = format!("ed25519:{}", BASE64.encode(&written[1..])).parse().unwrap();
        assert_eq!(Note::verifier("PeterNeumann", &key), verifier);
        assert!(Note::read(note).unwrap().is_signed_by(&key));
        assert!(
            !Note::read(&note.replace("problem is", "problem was")).unwrap().is_signed_by(&key)
        );
    }

    #[test]
    fn a_note_is_read_as_it_was_written_and_no_other_text_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let key = SecretKey::make(&folder.path().join("a.key")).unwrap();
        let other = SecretKey::make(&folder.path().join("b.key")).unwrap();
        let note = Note::new("one\n\ntwo\n".to_owned()).signed("gate.example", &key);
        let written = note.written();
        assert!(written.starts_with("one\n\ntwo\n\n\u{2014} gate.example "), "{written}");
        let read = Note::read(&written).unwrap();
        assert_eq!(read, note);
        assert!(read.is_signed_by(&key.public()) && !read.is_signed_by(&other.public()));
        assert_eq!(Note::read("one\n\n").unwrap(), Note::new("one\n".to_owned()));
        for changed in [
            "",
            "one\n",
            "one\n\n\u{2014} x",
            &written.replace("two", "twO"),
            &written.replace("gate.example", "gate.examplE"),
        ] {
            let signed = Note::read(changed).is_some_and(|note| note.is_signed_by(&key.public()));
            assert!(!signed, "{changed}");
        }
    }
}
