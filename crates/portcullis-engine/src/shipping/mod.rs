//! The record on its way to other machines. Owns the order: a page is read, delivered, and then noted in the cursor, so that whatever ends in between
//! is delivered again and nothing is left out; each record has an id of its own, its hash, by which the second one is known.
//!
//! ```text
//! chains ──page behind the cursor──► lines ──deliver──► file, syslog, collector ──noted──► cursor
//! ```
//!
//! A page is all that is in memory, and no transaction is open while it is delivered.

mod bucket;
mod cursor;
mod file;
mod git;
mod otlp;
mod outside;
mod sigv4;
mod syslog;

use std::{io, ops::ControlFlow, path::Path, time::Duration};

pub use bucket::{Bucket, BucketError, REGION};
pub use cursor::{Cursor, CursorError};
pub use file::Lines;
pub use git::{BRANCH, GitError, Notes};
pub use otlp::Collector;
pub use outside::{NotesFile, Outside, OutsideError};
pub use sigv4::Credentials;
pub use syslog::Syslog;

use crate::audit::{
    Anchor, AuditError, Filter, Hash, Log, Record,
    export::{self, Format},
};

/// How often one shipment is tried where nobody follows the record, and the pauses between, which double.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The most records of a page, and of a connection to a server of syslog.
const PAGE: usize = 500;
const CONNECTION: usize = 4_000;

/// An address that cannot be delivered to.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{url}` cannot be delivered to: {reason}")]
pub struct BadDestination {
    /// Which.
    pub url: String,
    /// Why.
    pub reason: String,
}

/// Why records were not delivered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShippingError {
    /// It may go another time.
    #[error("nothing can be delivered: {0}")]
    Again(String),
    /// It will not go another time either.
    #[error("nothing can be delivered: {0}")]
    Never(String),
    /// The lines cannot be written.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
    /// The record cannot be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Where it goes on from cannot be read or noted.
    #[error(transparent)]
    Cursor(#[from] CursorError),
}

/// Where records are delivered to.
pub enum Sink<'o> {
    /// Lines for whoever started this.
    Out(&'o mut dyn io::Write),
    /// Lines at the end of a file.
    File(Lines),
    /// A server of syslog.
    Syslog(Syslog),
    /// A collector of OpenTelemetry.
    Collector(Collector),
}

impl Sink<'_> {
    /// A file at a path. The cursor is there before the first line is, so that a line which is cut off is known for ours.
    ///
    /// # Errors
    /// What the system says.
    pub fn file(path: &Path, cursor: &Cursor) -> io::Result<Self> {
        let lines = Lines::open(path, cursor.has_begun())?;
        if !cursor.has_begun() {
            cursor.save().map_err(io::Error::other)?;
        }
        Ok(Self::File(lines))
    }

    const fn page(&self) -> usize {
        match self {
            Self::Syslog(_) => CONNECTION,
            Self::Out(_) | Self::File(_) | Self::Collector(_) => PAGE,
        }
    }

    /// Delivers a page, and gives how many of it the other side says that it did not keep.
    async fn deliver(&mut self, page: &[(String, Record, String)]) -> Result<u64, ShippingError> {
        match self {
            Self::Out(out) => {
                for (_, _, line) in page {
                    out.write_all(line.as_bytes())?;
                    out.write_all(b"\n")?;
                }
                out.flush()?;
                Ok(0)
            }
            Self::File(lines) => {
                let mut text = String::new();
                for (_, _, line) in page {
                    text.push_str(line);
                    text.push('\n');
                }
                lines.add(text.as_bytes())?;
                Ok(0)
            }
            Self::Syslog(server) => server.send(page).await.map(|()| 0),
            Self::Collector(collector) => collector.send(page).await,
        }
    }
}

/// What was delivered.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Shipped {
    /// How many records.
    pub records: u64,
    /// How many of them the other side says that it did not keep.
    pub rejected: u64,
    /// How many could not be read, and were passed over.
    pub unreadable: u64,
}

/// Records on their way.
pub struct Shipping<'s, 'o> {
    /// Where they are.
    pub log: &'s mut Log,
    /// Where they go.
    pub sink: Sink<'o>,
    /// Up to where they went.
    pub cursor: Cursor,
    /// Which of them go.
    pub filter: Filter,
    /// How each of them is written.
    pub format: Format,
    /// Told of what goes wrong and is gone on behind.
    pub complain: &'s mut dyn FnMut(&ShippingError),
}

impl Shipping<'_, '_> {
    /// Delivers all that is there behind the cursor, and tries again what may go another time: for ever where `follows` says so. `pause` ends early, with
    /// `Break`, where nobody wants it any more.
    ///
    /// # Errors
    /// The first error that cannot be gone on behind. What was noted until then was delivered.
    pub async fn all(
        &mut self,
        follows: bool,
        pause: &mut impl AsyncFnMut(Duration) -> ControlFlow<()>,
    ) -> Result<Shipped, ShippingError> {
        let mut shipped = Shipped::default();
        loop {
            let page = self.read(&mut shipped)?;
            if page.places.is_empty() {
                return Ok(shipped);
            }
            let mut tried = 0;
            while !page.lines.is_empty() {
                match self.sink.deliver(&page.lines).await {
                    Ok(rejected) => {
                        shipped.rejected += rejected;
                        break;
                    }
                    Err(error @ ShippingError::Again(_)) if follows || tried + 1 < TRIES => {
                        if tried == 0 {
                            (self.complain)(&error);
                        }
                        let length = PAUSE.saturating_mul(1 << tried.min(6)).min(LONGEST_PAUSE);
                        tried += 1;
                        if pause(length).await.is_break() {
                            return Ok(shipped);
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            shipped.records += page.lines.len() as u64;
            for (chain, place) in &page.places {
                self.cursor.note(chain, *place);
            }
            self.cursor.save()?;
            // Between two pages everybody else has their turn, and whoever wants an end gets one.
            if pause(Duration::ZERO).await.is_break() {
                return Ok(shipped);
            }
        }
    }

    /// What comes next of each chain.
    fn read(&mut self, shipped: &mut Shipped) -> Result<Page, ShippingError> {
        let most = self.sink.page();
        let mut page = Page::default();
        let mut strange = Vec::new();
        for chain in self.log.chain_names()? {
            let mut place = None;
            let mut looked_at = 0;
            let room = most.saturating_sub(page.lines.len());
            if room == 0 {
                break;
            }
            let (filter, format) = (&self.filter, self.format);
            let lines = &mut page.lines;
            self.log.follow(&chain, self.cursor.after(&chain), &mut |record| {
                looked_at += 1;
                match record {
                    Ok(record) => {
                        place = Some(Anchor { sequence: record.sequence, hash: record.hash });
                        if filter.wants(&record) {
                            let line = export::line(&record, format);
                            lines.push((chain.clone(), record, line));
                        }
                    }
                    Err(error) => {
                        if let AuditError::Unreadable { sequence, .. } = &error
                            && let Ok(sequence @ 1..) = u64::try_from(*sequence)
                        {
                            place = Some(Anchor { sequence, hash: Hash::GENESIS });
                        }
                        strange.push(error);
                    }
                }
                if looked_at >= room { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            page.places.extend(place.map(|place| (chain, place)));
        }
        shipped.unreadable += strange.len() as u64;
        for error in strange {
            (self.complain)(&error.into());
        }
        Ok(page)
    }
}

/// Records that are delivered together.
#[derive(Default)]
struct Page {
    /// Their chains, themselves, and what is written of them.
    lines: Vec<(String, Record, String)>,
    /// Up to where the chains were read for it.
    places: Vec<(String, Anchor)>,
}

#[cfg(test)]
mod tests;
