//! The records of a segment, encrypted under a key of its own (AES-256-GCM, in pieces: the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár).
//! Owns the cipher: no piece can be changed, left out, moved or cut off, and without the key nothing of it can be read again.

use std::io::{self, Read, Write};

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest as _, Sha256};

use super::super::Hash;

/// The bytes of a key.
pub(super) const KEY: usize = 32;

/// The bytes of a piece before it is encrypted, and what it grows by.
const PIECE: usize = 64 << 10;
const TAG: usize = 16;

/// Writes the pieces.
pub(super) struct Sealer<W: Write> {
    out: W,
    key: LessSafeKey,
    name: String,
    piece: Vec<u8>,
    number: u64,
    bytes: u64,
    hash: Sha256,
}

impl<W: Write> Sealer<W> {
    pub(super) fn new(out: W, key: [u8; KEY], name: &str) -> io::Result<Self> {
        let (key, name) = (cipher(&key)?, name.to_owned());
        let piece = Vec::with_capacity(PIECE + TAG);
        Ok(Self { out, key, name, piece, number: 0, bytes: 0, hash: Sha256::new() })
    }

    pub(super) fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.piece.len() == PIECE {
                self.put(false)?;
            }
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.piece.len()));
            self.piece.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    /// Writes the last piece; gives what it wrote to, with the hash and the number of the bytes.
    pub(super) fn end(mut self) -> io::Result<(W, Hash, u64)> {
        self.put(true)?;
        Ok((self.out, Hash(self.hash.finalize().into()), self.bytes))
    }

    fn put(&mut self, is_last: bool) -> io::Result<()> {
        let (nonce, about) = (nonce(self.number, is_last), Aad::from(self.name.as_bytes()));
        self.key
            .seal_in_place_append_tag(nonce, about, &mut self.piece)
            .map_err(|_| io::Error::other("it cannot be encrypted"))?;
        self.out.write_all(&self.piece)?;
        self.hash.update(&self.piece);
        self.bytes += self.piece.len() as u64;
        self.number += 1;
        self.piece.clear();
        Ok(())
    }
}

/// Reads the pieces.
pub(super) struct Opener<R: Read> {
    from: R,
    key: LessSafeKey,
    name: String,
    number: u64,
    opened: Vec<u8>,
    at: usize,
    /// The first byte behind the piece that was read, where there is one: it tells whether that was the last.
    next: Vec<u8>,
    is_done: bool,
}

impl<R: Read> Opener<R> {
    pub(super) fn new(from: R, key: [u8; KEY], name: &str) -> io::Result<Self> {
        let (key, name) = (cipher(&key)?, name.to_owned());
        Ok(Self {
            from,
            key,
            name,
            number: 0,
            opened: Vec::new(),
            at: 0,
            next: Vec::new(),
            is_done: false,
        })
    }

    fn next_piece(&mut self) -> io::Result<()> {
        let mut sealed = std::mem::take(&mut self.next);
        let most = (PIECE + TAG + 1 - sealed.len()) as u64;
        self.from.by_ref().take(most).read_to_end(&mut sealed)?;
        let is_last = sealed.len() <= PIECE + TAG;
        if !is_last {
            self.next = sealed.split_off(PIECE + TAG);
        }
        let (nonce, about) = (nonce(self.number, is_last), Aad::from(self.name.as_bytes()));
        let length = self.key.open_in_place(nonce, about, &mut sealed).map(|opened| opened.len());
        let changed = |_| io::Error::new(io::ErrorKind::InvalidData, "it was changed");
        sealed.truncate(length.map_err(changed)?);
        self.opened = sealed;
        self.at = 0;
        self.number += 1;
        self.is_done = is_last;
        Ok(())
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.opened.len() && !self.is_done {
            self.next_piece()?;
        }
        let mut rest = self.opened.get(self.at..).unwrap_or_default();
        let read = rest.read(into)?;
        self.at += read;
        Ok(read)
    }
}

fn cipher(key: &[u8; KEY]) -> io::Result<LessSafeKey> {
    let key = UnboundKey::new(&AES_256_GCM, key);
    Ok(LessSafeKey::new(key.map_err(|_| io::Error::other("it is no key"))?))
}

/// The number of a piece and whether it is the last: used once, since a key encrypts one segment.
fn nonce(number: u64, is_last: bool) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    for (byte, own) in bytes.iter_mut().zip(number.to_be_bytes()) {
        *byte = own;
    }
    if let Some(last) = bytes.last_mut() {
        *last = u8::from(is_last);
    }
    Nonce::assume_unique_for_key(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(text: &[u8]) -> Vec<u8> {
        let mut sealer = Sealer::new(Vec::new(), [7; KEY], "segment 1").unwrap();
        text.chunks(1_000).for_each(|part| sealer.add(part).unwrap());
        let (bytes, hash, length) = sealer.end().unwrap();
        assert_eq!((hash, length), (Hash(Sha256::digest(&bytes).into()), bytes.len() as u64));
        bytes
    }

    fn opened(bytes: &[u8], key: u8, name: &str) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Opener::new(bytes, [key; KEY], name)?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn what_is_sealed_is_read_back_whole_or_not_at_all() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 7] {
            let text: Vec<u8> = (0..length).map(|at| (at * 31 % 251) as u8).collect();
            let bytes = sealed(&text);
            assert_eq!(opened(&bytes, 7, "segment 1").unwrap(), text, "{length}");
            assert!(opened(&bytes, 8, "segment 1").is_err());
            assert!(opened(&bytes, 7, "segment 2").is_err());
            for cut in [0, 1, TAG, PIECE, PIECE + TAG, bytes.len() - 1] {
                if cut < bytes.len() {
                    assert!(
                        opened(&bytes[..cut], 7, "segment 1").is_err(),
                        "{length} cut to {cut}"
                    );
                }
            }
        }
        let bytes = sealed(&vec![b'x'; 2 * PIECE + 7]);
        for at in (0..bytes.len()).step_by(4_099) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(opened(&changed, 7, "segment 1").is_err(), "{at}");
        }
        let (first, rest) = bytes.split_at(PIECE + TAG);
        let (second, last) = rest.split_at(PIECE + TAG);
        assert!(opened(&[second, first, last].concat(), 7, "segment 1").is_err());
        assert!(opened(&[first, last].concat(), 7, "segment 1").is_err());
    }
}
