//! What is known of a sealed segment for ever. Owns its text: how many records, which, from when to when, the hashes at both of its ends, the digest of
//! the file that has them, and what the records in it say of segments before.
//!
//! A manifest has the digest of the one before it, and a record that stands behind the segment has the digest of the manifest. So the newest such record
//! vouches for all manifests, and they for what is not there any more. Where gateways share a record, each chain has segments of its own, and the records
//! that tell of them stand in one chain, whose manifests repeat which digests they told of.

use super::super::{Anchor, Hash, time_text};
use jiff::Timestamp;

/// The first line.
const FORMAT: &str = "portcullis-segment/v1";

/// What was done with a segment, as a record tells it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Deed {
    /// It was sealed.
    Sealed,
    /// Nobody may drop or erase it.
    Held,
    /// Whoever held it does so no more.
    Released,
    /// Its records were taken out of the store.
    Dropped,
    /// Its records were taken out, and its key was destroyed.
    Erased,
}

impl Deed {
    /// Every deed.
    pub const ALL: [Self; 5] =
        [Self::Sealed, Self::Held, Self::Released, Self::Dropped, Self::Erased];

    /// The outcome of the record that tells of it.
    #[must_use]
    pub const fn outcome(self) -> &'static str {
        match self {
            Self::Sealed => "segment sealed",
            Self::Held => "segment held",
            Self::Released => "segment released",
            Self::Dropped => "segment dropped",
            Self::Erased => "segment erased",
        }
    }

    fn word(self) -> &'static str {
        self.outcome().strip_prefix("segment ").unwrap_or_default()
    }
}

/// A record that tells of a deed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// Its number.
    pub record: u64,
    /// What it tells of.
    pub deed: Deed,
    /// The number of the segment.
    pub segment: u64,
    /// Of which chain; empty where there is one alone.
    pub chain: String,
    /// The digest of the segment's manifest that it names. A manifest repeats it where there are many chains.
    pub digest: Option<Hash>,
}

/// The manifest of a segment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Manifest {
    /// Its number, from 1.
    pub number: u64,
    /// Of which chain; empty where there is one alone.
    pub chain: String,
    /// The number of its first record, and the hash of the record before that.
    pub first: u64,
    /// See `first`.
    pub before: Hash,
    /// Its last record.
    pub last: Anchor,
    /// How many records it has.
    pub count: u64,
    /// The times of its first and its last record.
    pub times: (Timestamp, Timestamp),
    /// The digest and the length of the file with its records, encrypted.
    pub body: (Hash, u64),
    /// The digest of the manifest before.
    pub previous: Hash,
    /// What its records say of segments before, and those before them.
    pub events: Vec<Event>,
    /// The digest of the note that it stands in, which is no part of it.
    pub digest: Hash,
}

impl Manifest {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        let Self {
            number,
            chain,
            first,
            before,
            last,
            count,
            times,
            body,
            previous,
            events,
            digest: _,
        } = self;
        let of = if chain.is_empty() { String::new() } else { format!("chain {chain}\n") };
        let mut text = format!(
            "{FORMAT}\nnumber {number}\n{of}first {first}\nlast {}\ncount {count}\nbefore {before}\nhash {}\nfrom {}\nuntil {}\nbody {} {}\nprevious {previous}\n",
            last.sequence,
            last.hash,
            time_text(times.0),
            time_text(times.1),
            body.0,
            body.1,
        );
        for Event { record, deed, segment, chain, digest } in events {
            text.push_str(&format!("event {record} {} {segment}", deed.word()));
            if !chain.is_empty() {
                let digest = digest.map_or_else(|| "-".to_owned(), |digest| digest.to_string());
                text.push_str(&format!(" {digest} {chain}"));
            }
            text.push('\n');
        }
        text
    }

    /// What such a text says; nothing for any other text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().peekable();
        if lines.next()? != FORMAT {
            return None;
        }
        let number = lines.next()?.strip_prefix("number ")?.parse().ok()?;
        let chain = lines.next_if(|line| line.starts_with("chain "));
        let chain = chain.and_then(|line| line.strip_prefix("chain ")).unwrap_or_default();
        let chain = chain.to_owned();
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let first = field("first")?.parse().ok()?;
        let (last, count) = (field("last")?.parse().ok()?, field("count")?.parse().ok()?);
        let (before, hash) = (field("before")?.parse().ok()?, field("hash")?.parse().ok()?);
        let times = (field("from")?.parse().ok()?, field("until")?.parse().ok()?);
        let (digest, bytes) = field("body")?.split_once(' ')?;
        let body = (digest.parse().ok()?, bytes.parse().ok()?);
        let previous = field("previous")?.parse().ok()?;
        let event = |line: &str| {
            let mut words = line.strip_prefix("event ")?.splitn(5, ' ');
            let record = words.next()?.parse().ok()?;
            let word = words.next()?;
            let deed = Deed::ALL.into_iter().find(|deed| deed.word() == word)?;
            let segment = words.next()?.parse().ok()?;
            let digest = match words.next() {
                None | Some("-") => None,
                Some(digest) => Some(digest.parse().ok()?),
            };
            let chain = words.next().unwrap_or_default().to_owned();
            Some(Event { record, deed, segment, chain, digest })
        };
        let events = lines.map(event).collect::<Option<Vec<_>>>()?;
        let last = Anchor { sequence: last, hash };
        let digest = Hash::GENESIS;
        let manifest = Self {
            number,
            chain,
            first,
            before,
            last,
            count,
            times,
            body,
            previous,
            events,
            digest,
        };
        (manifest.text() == text).then_some(manifest)
    }

    /// Whether a record stands in it.
    #[must_use]
    pub const fn has(&self, sequence: u64) -> bool {
        self.first <= sequence && sequence <= self.last.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written_and_nothing_else() {
        let event = |chain: &str, digest| Event {
            record: 22,
            deed: Deed::Dropped,
            segment: 1,
            chain: chain.to_owned(),
            digest,
        };
        let manifest = Manifest {
            number: 3,
            chain: String::new(),
            first: 21,
            before: Hash([1; 32]),
            last: Anchor { sequence: 30, hash: Hash([2; 32]) },
            count: 10,
            times: (
                "2026-11-29T03:00:00Z".parse().unwrap(),
                "2026-11-29T04:00:00Z".parse().unwrap(),
            ),
            body: (Hash([3; 32]), 4_096),
            previous: Hash([4; 32]),
            events: vec![event("", None)],
            digest: Hash::GENESIS,
        };
        let text = manifest.text();
        assert_eq!(Manifest::read(&text).as_ref(), Some(&manifest));
        let events = vec![event("one", Some(Hash([5; 32]))), event("two", None)];
        let of_a_chain = Manifest { chain: "one".to_owned(), events, ..manifest };
        let shared = of_a_chain.text();
        assert_eq!(Manifest::read(&shared), Some(of_a_chain));
        for (from, to) in [("chain one", "chain "), (" - two", " two"), (" - two", " x two")] {
            assert_eq!(Manifest::read(&shared.replace(from, to)), None, "{to}");
        }
        for (from, to) in [
            ("number 3", "number 03"),
            ("number 3", "number"),
            ("dropped", "lost"),
            ("v1", "v2"),
            ("event 22", "\nevent 22"),
            ("03:00:00.000000Z", "03:00:00Z"),
        ] {
            assert_eq!(Manifest::read(&text.replace(from, to)), None, "{to}");
        }
    }
}
