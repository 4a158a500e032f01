//! The tree over the records of a chain, as transparency logs make it (RFC 6962 §2.1). Owns its hashes, and how the tree over all records is made from a smaller
//! one; a leaf is the hash of a record.
//!
//! A tree that only grows needs no more than its edge: the roots of the whole trees that it is made of, one for each bit of its size. So a chain whose oldest
//! records are gone goes on having a root.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::{
    Anchor, AuditError, Hash, Log, Record, genesis_of,
    segment::{Archive, Look, SegmentError},
};
use crate::private;

/// What stands before what is hashed: leaves and nodes are never taken for each other.
const LEAF: u8 = 0;
const NODE: u8 = 1;

/// The first word of an edge that is kept, and the most bytes of one.
const FORMAT: &str = "portcullis-tree/v1";
const LONGEST: u64 = 8 << 10;

/// The edge of a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edge {
    /// How many records the tree has.
    pub count: u64,
    /// The last of them.
    pub at: Anchor,
    /// The roots of its whole trees, the largest first.
    roots: Vec<Hash>,
}

/// Why no tree can be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// Records of a segment are not there.
    #[error(
        "the records of segment {number} cannot be read, so that no tree can be made over them: {why}"
    )]
    Gone {
        /// Which.
        number: u64,
        /// Why.
        why: String,
    },
    /// A record does not follow on the one before.
    #[error(
        "record {0} does not follow on the one before: no tree is made over a record that was changed"
    )]
    Broken(u64),
    /// The record or a manifest cannot be read.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// The record cannot be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl Edge {
    /// The tree over no record of a chain.
    #[must_use]
    pub fn of_nothing(chain: &str) -> Self {
        let hash = if chain.is_empty() { Hash::GENESIS } else { genesis_of(chain) };
        Self { count: 0, at: Anchor { sequence: 0, hash }, roots: Vec::new() }
    }

    /// Takes in a record, which must follow on the last one.
    fn take(&mut self, record: &Record) -> Result<(), TreeError> {
        let follows = record.sequence > self.at.sequence
            && record.previous == self.at.hash
            && record.computed_hash() == record.hash;
        if !follows {
            return Err(TreeError::Broken(record.sequence));
        }
        self.add(&record.hash.0);
        self.at = Anchor { sequence: record.sequence, hash: record.hash };
        Ok(())
    }

    fn add(&mut self, leaf: &[u8]) {
        let mut root = hashed(LEAF, &[leaf]);
        // Each whole tree that stands beside one of its own size becomes one with it.
        for _ in 0..self.count.trailing_ones() {
            if let Some(left) = self.roots.pop() {
                root = hashed(NODE, &[&left.0, &root.0]);
            }
        }
        self.roots.push(root);
        self.count += 1;
    }

    /// The hash of the whole tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut roots = self.roots.iter().rev().copied();
        let last = roots.next().unwrap_or_else(|| Hash(Sha256::digest([]).into()));
        roots.fold(last, |right, left| hashed(NODE, &[&left.0, &right.0]))
    }

    /// Takes in what a chain has up to a count of records, wherever its records are.
    ///
    /// # Errors
    /// [`TreeError`]; it stands then at the last record that could be taken in.
    pub fn grow(
        &mut self,
        log: &mut Log,
        archive: &Archive,
        chain: &str,
        to: u64,
    ) -> Result<(), TreeError> {
        self.walk((log, archive, chain), to, &mut |_| {})
    }

    /// The same, with the tree shown to `visitor` behind each record.
    fn walk(
        &mut self,
        (log, archive, chain): (&mut Log, &Archive, &str),
        to: u64,
        visitor: &mut dyn FnMut(&Self),
    ) -> Result<(), TreeError> {
        let archive = archive.of_chain(chain)?;
        for standing in archive.standing(log)? {
            let manifest = &standing.manifest;
            if !standing.is_dropped || manifest.last.sequence <= self.at.sequence {
                continue;
            }
            self.follow(log, chain, (to, manifest.first), visitor)?;
            if self.count >= to {
                return Ok(());
            }
            let mut wrong = None;
            let look = archive.look_at(manifest, &mut |record| {
                if wrong.is_none() && record.sequence > self.at.sequence && self.count < to {
                    match self.take(record) {
                        Ok(()) => visitor(self),
                        Err(error) => wrong = Some(error),
                    }
                }
            })?;
            let gone = |why: &str| TreeError::Gone { number: manifest.number, why: why.to_owned() };
            match look {
                Look::Whole => {}
                Look::Changed(why) => return Err(gone(&why)),
                Look::Gone => return Err(gone("its file is not there")),
                Look::Unread => return Err(gone("its key is not there")),
            }
            if let Some(error) = wrong {
                return Err(error);
            }
        }
        self.follow(log, chain, (to, u64::MAX), visitor)
    }

    /// Takes in what stands in the store, up to a count and before a number.
    fn follow(
        &mut self,
        log: &mut Log,
        chain: &str,
        (to, before): (u64, u64),
        visitor: &mut dyn FnMut(&Self),
    ) -> Result<(), TreeError> {
        let mut failed = None;
        log.follow(chain, self.at.sequence, &mut |record| {
            if self.count >= to {
                return ControlFlow::Break(());
            }
            let taken = match record {
                Ok(record) if record.sequence >= before => return ControlFlow::Break(()),
                Ok(record) => self.take(&record),
                Err(error) => Err(error.into()),
            };
            match taken {
                Ok(()) => {
                    visitor(self);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// The edge that was kept in a file; nothing where there is none that can be believed.
    #[must_use]
    pub fn kept(path: &Path) -> Option<Self> {
        let bytes = private::read(path, LONGEST).ok()?;
        Self::read(std::str::from_utf8(&bytes).ok()?)
    }

    /// Keeps it in a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(&self, path: &Path) -> std::io::Result<()> {
        private::write(path, self.written().as_bytes())
    }

    fn written(&self) -> String {
        let mut text = format!("{FORMAT} {} {} {}\n", self.count, self.at.sequence, self.at.hash);
        for root in &self.roots {
            text.push_str(&format!("{root}\n"));
        }
        text
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut words = lines.next()?.strip_prefix(FORMAT)?.split(' ').skip(1);
        let count: u64 = words.next()?.parse().ok()?;
        let sequence = words.next()?.parse().ok()?;
        let at = Anchor { sequence, hash: words.next()?.parse().ok()? };
        let roots = lines.map(|line| line.parse().ok()).collect::<Option<Vec<Hash>>>()?;
        let edge = Self { count, at, roots };
        let fits = edge.roots.len() == count.count_ones() as usize && edge.written() == text;
        fits.then_some(edge)
    }
}

/// The roots that the tree over a chain had at these sizes; those that could not be made are left out, with why.
pub fn roots_at(
    log: &mut Log,
    archive: &Archive,
    chain: &str,
    sizes: &BTreeSet<u64>,
) -> (BTreeMap<u64, Hash>, Option<TreeError>) {
    let (mut edge, mut roots) = (Edge::of_nothing(chain), BTreeMap::new());
    if sizes.contains(&0) {
        roots.insert(0, edge.root());
    }
    let most = sizes.last().copied().unwrap_or_default();
    let walked = edge.walk((log, archive, chain), most, &mut |edge| {
        if sizes.contains(&edge.count) {
            roots.insert(edge.count, edge.root());
        }
    });
    (roots, walked.err())
}

fn hashed(kind: u8, parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    hash.update([kind]);
    for part in parts {
        hash.update(part);
    }
    Hash(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leaves and the roots over the first so many of them that Certificate Transparency's reference implementation publishes.
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    #[test]
    fn roots_are_those_that_others_published() {
        let mut edge = Edge::of_nothing("");
        assert_eq!(edge.root().to_string(), ROOTS[0]);
        for (leaf, root) in LEAVES.into_iter().zip(&ROOTS[1..]) {
            edge.add(leaf);
            assert_eq!(edge.root().to_string(), *root, "{}", edge.count);
            assert_eq!(Edge::read(&edge.written()).as_ref(), Some(&edge));
        }
    }

    #[test]
    fn an_edge_of_another_size_is_none() {
        let mut edge = Edge::of_nothing("gate-a");
        for leaf in LEAVES {
            edge.add(leaf);
        }
        let text = edge.written();
        let (first, rest) = text.split_once('\n').unwrap();
        for changed in [
            String::new(),
            first.to_owned(),
            format!("{first}\n"),
            format!("{}\n{rest}", first.replace(" 8 ", " 7 ")),
            format!("{text}{rest}"),
            text.replace("v1", "v2"),
            format!("{text}x\n"),
        ] {
            assert_eq!(Edge::read(&changed), None, "{changed}");
        }
    }
}
