//! A reader of signed notes and checkpoints, written from c2sp.org/signed-note, c2sp.org/tlog-checkpoint and RFC 6962 alone.

use data_encoding::BASE64;
use ring::{
    digest::{SHA256, digest},
    signature::{ED25519, UnparsedPublicKey},
};

/// A key that is trusted, under its name.
pub(super) struct Verifier {
    name: String,
    id: [u8; 4],
    key: Vec<u8>,
}

/// What a checkpoint says.
pub(super) struct Checkpoint {
    pub(super) origin: String,
    pub(super) size: u64,
    pub(super) root: Vec<u8>,
}

impl Verifier {
    /// `NAME+ID+BASE64`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '+');
        let (name, id, key) = (parts.next()?, parts.next()?, parts.next()?);
        let key = BASE64.decode(key.as_bytes()).ok()?;
        let named = [name.as_bytes(), b"\n", &key].concat();
        let hash = digest(&SHA256, &named);
        let is_right = key.len() == 33 && key[0] == 1;
        let id_read = u32::from_str_radix(id, 16).ok()?.to_be_bytes();
        (is_right && hash.as_ref()[..4] == id_read).then(|| Self {
            name: name.to_owned(),
            id: id_read,
            key: key[1..].to_vec(),
        })
    }

    /// The key in the spelling of the program.
    pub(super) fn ours(&self) -> String {
        format!("ed25519:{}", BASE64.encode(&self.key))
    }

    /// What a note says, where this key signed it.
    pub(super) fn open(&self, note: &str) -> Option<Checkpoint> {
        if note.chars().any(|letter| letter < ' ' && letter != '\n') {
            return None;
        }
        let split = note.rfind("\n\n")?;
        let (text, signatures) = (&note[..=split], &note[split + 2..]);
        let mut is_signed = false;
        for line in signatures.strip_suffix('\n')?.split('\n') {
            let (name, signature) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
            let signature = BASE64.decode(signature.as_bytes()).ok()?;
            if name == self.name && signature.get(..4)? == self.id {
                let key = UnparsedPublicKey::new(&ED25519, &self.key);
                key.verify(text.as_bytes(), &signature[4..]).ok()?;
                is_signed = true;
            }
        }
        let lines: Vec<&str> = text.strip_suffix('\n')?.split('\n').collect();
        let is_whole = lines.len() >= 3 && lines.iter().all(|line| !line.is_empty());
        let size: u64 = lines.get(1)?.parse().ok()?;
        let root = BASE64.decode(lines.get(2)?.as_bytes()).ok()?;
        let is_exact = size.to_string() == lines[1] && root.len() == 32;
        (is_signed && is_whole && is_exact).then(|| Checkpoint {
            origin: lines[0].to_owned(),
            size,
            root,
        })
    }
}

/// The root of the tree over hashes in hexadecimal digits, as RFC 6962 §2.1 defines it: by halves.
pub(super) fn root_of(hashes: &[String]) -> Vec<u8> {
    let of = |parts: &[&[u8]]| digest(&SHA256, &parts.concat()).as_ref().to_vec();
    match hashes {
        [] => of(&[]),
        [one] => of(&[&[0], &data_encoding::HEXLOWER.decode(one.as_bytes()).unwrap()]),
        many => {
            let half = many.len().next_power_of_two() / 2;
            let (left, right) = many.split_at(half);
            of(&[&[1], &root_of(left), &root_of(right)])
        }
    }
}

/// The key that Go's documentation of the format shows.
#[test]
fn a_key_that_others_published_is_read_and_one_with_another_id_is_none() {
    let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert!(Verifier::read(key).is_some());
    assert!(Verifier::read(&key.replace("c74f20a3", "c74f20a4")).is_none());
}
