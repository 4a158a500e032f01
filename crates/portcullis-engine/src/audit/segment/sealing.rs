//! Sealing: records of a chain into a file, a manifest beside it, and a record of that. Owns how many records make a segment, and that a segment is on the
//! disk before anything tells of it.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    ops::ControlFlow,
    path::Path,
};

use super::{
    Archive, Deed, KEEPER, Manifest, Note, Sealing, SegmentError,
    body::{KEY, Sealer},
    standing::{Walk, entry, name_of},
};
use crate::{
    audit::{Anchor, Hash, Log, export, genesis_of},
    platform, private,
};

impl Archive {
    /// Seals as many whole segments as there are records for, and gives their manifests. Of a record that gateways share it does so for each chain, or
    /// for the one of this archive.
    ///
    /// # Errors
    /// What was sealed before stays sealed.
    pub fn seal(
        &self,
        log: &mut Log,
        sealing: &Sealing<'_>,
    ) -> Result<Vec<Manifest>, SegmentError> {
        // What is recorded of sealing itself is for another time.
        let mut ends = log.ends()?;
        // The one that tells of sealing comes last.
        ends.sort_by_key(|(name, _)| name == KEEPER);
        if !self.chain.is_empty() {
            ends.retain(|(name, _)| *name == self.chain);
            if ends.is_empty() {
                return Err(SegmentError::NoChain(self.chain.clone()));
            }
        }
        let mut sealed = Vec::new();
        for (chain, (_, count)) in ends {
            self.of_chain(&chain)?.seal_chain(log, sealing, count, &mut sealed)?;
        }
        Ok(sealed)
    }

    /// The same for one chain that has so many records, those of its segments among them.
    fn seal_chain(
        &self,
        log: &mut Log,
        sealing: &Sealing<'_>,
        count: u64,
        sealed: &mut Vec<Manifest>,
    ) -> Result<(), SegmentError> {
        let standing = self.standing(log)?;
        let mut done: u64 = standing.iter().map(|one| one.manifest.count).sum();
        let mut last = standing.into_iter().next_back().map(|standing| standing.manifest);
        while sealing.records > 0 && count.saturating_sub(done) >= sealing.records {
            let Some(manifest) = self.seal_one(log, sealing, last.as_ref())? else { break };
            done += manifest.count;
            last = Some(manifest.clone());
            sealed.push(manifest);
        }
        Ok(())
    }

    /// One segment behind another; none where too few records are old enough.
    fn seal_one(
        &self,
        log: &mut Log,
        sealing: &Sealing<'_>,
        before: Option<&Manifest>,
    ) -> Result<Option<Manifest>, SegmentError> {
        let number = before.map_or(1, |before| before.number + 1);
        let start = before.map_or_else(|| self.beginning(), |before| before.last);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| SegmentError::File { path, source }
        };
        platform::create_private_directory(&self.files()).map_err(at(&self.files()))?;
        let key: [u8; KEY] = platform::random().map_err(at(&self.keys()))?;
        let path = self.named(number, "segment");
        let unfinished = self.named(number, "unfinished");
        // One that was left by a process that was killed.
        let _ = fs::remove_file(&unfinished);
        platform::create_private_file(&unfinished).map_err(at(&unfinished))?;
        let file = File::options().write(true).open(&unfinished).map_err(at(&unfinished))?;
        let sealer = Sealer::new(BufWriter::new(file), key, &name_of(number, &self.chain));
        let mut sealer = sealer.map_err(at(&unfinished))?;
        let mut walk = Walk::new(number, &self.chain, start);
        let mut trouble = None;
        let mut first = start.sequence + 1;
        log.follow(&self.chain, start.sequence, &mut |record| {
            let step = record.map_err(SegmentError::from).and_then(|record| {
                if record.time > sealing.until {
                    return Ok(true);
                }
                walk.take(&record)?;
                if walk.count == 1 {
                    first = record.sequence;
                }
                let line = format!("{}\n", export::json(&record));
                sealer.add(line.as_bytes()).map_err(at(&unfinished))?;
                Ok(walk.count == sealing.records)
            });
            match step {
                Ok(false) => ControlFlow::Continue(()),
                Ok(true) => ControlFlow::Break(()),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if trouble.is_some() || walk.count < sealing.records {
            let _ = fs::remove_file(&unfinished);
            return trouble.map_or(Ok(None), Err);
        }
        let written = sealer.end().and_then(|(out, hash, bytes)| {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            Ok((hash, bytes))
        });
        let body = written.map_err(at(&unfinished))?;
        private::write(&self.key_of(number), &key).map_err(at(&self.keys()))?;
        fs::rename(&unfinished, &path).map_err(at(&path))?;
        let Walk { at: last, count, times, events, .. } = walk;
        let mut manifest = Manifest {
            number,
            chain: self.chain.clone(),
            first,
            before: start.hash,
            last,
            count,
            times: times.unwrap_or_default(),
            body,
            previous: before.map_or(Hash::GENESIS, |before| before.digest),
            events,
            digest: Hash::GENESIS,
        };
        let mut note = Note::new(manifest.text());
        if let Some((key, name)) = &sealing.key {
            note = note.signed(name, key);
        }
        manifest.digest = note.digest();
        let path = self.named(number, "manifest");
        private::write(&path, note.written().as_bytes()).map_err(at(&path))?;
        let told = format!("records {first} to {}", last.sequence);
        log.append(&entry(&sealing.person, Deed::Sealed, &manifest, &told))?;
        Ok(Some(manifest))
    }

    /// The place before the first record.
    fn beginning(&self) -> Anchor {
        match self.chain.as_str() {
            "" => Anchor::GENESIS,
            chain => Anchor { sequence: 0, hash: genesis_of(chain) },
        }
    }
}
