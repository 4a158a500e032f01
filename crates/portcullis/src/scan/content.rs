//! What is in a stream: text, text in UTF-16, an archive, or nothing to be read. Owns telling them apart by their first bytes,
//! going into archives, and the bounds on that.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Cursor, Read},
    sync::atomic::Ordering,
};

use flate2::read::MultiGzDecoder;
use portcullis_core::secrets::Finding;

use super::{
    Collector, Found, MOST_IN_ONE, Reason, allow,
    blocks::{self, Position, Sizes, Stretch, Task, Window},
    tar,
    utf16::{self, Order, Utf8Of},
    zip::{self, Place, Stored},
};

/// How many archives in each other are opened.
pub(super) const DEEPEST: u8 = 4;
/// The longest archive within another that has to be in memory to be read.
const NESTED: u64 = 32 << 20;
/// How much of the beginning tells what it is.
const HEAD: usize = 1 << 13;

/// Something to be read.
pub(super) enum Input<'a> {
    /// From any place.
    File(&'a mut dyn Place),
    /// As it comes.
    Stream(&'a mut dyn Read),
}

/// What a stream is, by its first bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Text,
    Utf16(Order),
    Binary,
    Gzip,
    Zip,
    Tar,
    Packed(&'static str),
}

fn kind(head: &[u8]) -> Kind {
    const PACKED: &[(&[u8], &str)] = &[
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstandard"),
        (b"7z\xbc\xaf\x27\x1c", "7-zip"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"\x04\x22\x4d\x18", "lz4"),
    ];
    if head.starts_with(&[0x1f, 0x8b, 8]) {
        return Kind::Gzip;
    }
    if zip::is_zip(head) {
        return Kind::Zip;
    }
    let packed = |magic: &[u8]| head.starts_with(magic) && head.iter().any(|byte| *byte >= 0x80);
    if let Some((_, name)) = PACKED.iter().find(|(magic, _)| packed(magic)) {
        return Kind::Packed(name);
    }
    if tar::is_tar(head) {
        return Kind::Tar;
    }
    if let Some(order) = utf16::order(head.get(..HEAD).unwrap_or(head)) {
        return Kind::Utf16(order);
    }
    if memchr::memchr(0, head.get(..HEAD).unwrap_or(head)).is_some() {
        return Kind::Binary;
    }
    Kind::Text
}

/// Reads streams one after another. Owns the buffers that they share.
pub(super) struct Reader<'a> {
    collector: &'a Collector<'a>,
    window: Window,
    /// For what is unpacked or decoded while the first window holds the outer stream.
    inner: Window,
}

impl<'a> Reader<'a> {
    pub(super) fn new(collector: &'a Collector<'a>) -> Self {
        Self { collector, window: Window::new(Sizes::USUAL), inner: Window::new(Sizes::USUAL) }
    }

    /// Looks through a file or stream, and everything in it.
    pub(super) fn look(&mut self, path: &str, mut input: Input<'_>) {
        self.collector.named(path);
        let stream: &mut dyn Read = match &mut input {
            Input::File(file) => file,
            Input::Stream(stream) => *stream,
        };
        let Self { collector, window, inner } = self;
        let ended = window.begin(stream);
        let archive = Archive { collector, budget: &Cell::new(collector.options.unpacked) };
        let kind = kind(window.text());
        if kind == Kind::Text {
            return text(collector, path, window, ended, stream);
        }
        if let Some(error) = window.error() {
            return collector.leave_out(path, reason(&error));
        }
        let outcome = match kind {
            Kind::Zip if collector.options.unpacked > 0 => match input {
                Input::File(file) => archive.zip(path, 0, file, inner),
                Input::Stream(stream) => {
                    let mut chain = Cursor::new(window.take()).chain(stream);
                    archive.zip_in_memory(path, 0, &mut chain, inner)
                }
            },
            kind => {
                let mut chain = Cursor::new(window.take()).chain(stream);
                archive.other(path, 0, kind, &mut chain, inner)
            }
        };
        if let Err(reason) = outcome {
            collector.leave_out(path, reason);
        }
    }
}

/// Reads the text of which `window` holds the beginning, and collects what is in it.
fn text(
    collector: &Collector<'_>,
    path: &str,
    window: &mut Window,
    ended: bool,
    input: &mut dyn Read,
) {
    let mut listed = Listed::new(collector, path);
    let task = Task {
        detector: &collector.options.detector,
        place: collector.place(path),
        stretch: Stretch::WHOLE,
        position: Position::FIRST,
    };
    let mut each = |finding: Finding, around: &[u8]| listed.add(finding, around);
    let (_, bytes) = blocks::search(task, window, ended, input, &mut each);
    collector.progress.files.fetch_add(1, Ordering::Relaxed);
    collector.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
    if let Some(error) = window.error() {
        collector.leave_out(path, reason(&error));
    }
}

/// Why reading ended.
fn reason(error: &io::Error) -> Reason {
    if error.get_ref().is_some_and(|inner| inner.is::<OverBudget>()) {
        Reason::Budget
    } else if matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
    ) {
        Reason::Broken(error.to_string())
    } else {
        Reason::Unreadable(error.to_string())
    }
}

/// The findings of one file, as long as they are not too many.
pub(super) struct Listed<'a> {
    collector: &'a Collector<'a>,
    path: &'a str,
    count: u64,
}

impl<'a> Listed<'a> {
    pub(super) fn new(collector: &'a Collector<'a>, path: &'a str) -> Self {
        Self { collector, path, count: 0 }
    }

    /// Takes a finding, unless the lines around it allow it.
    pub(super) fn add(&mut self, finding: Finding, around: &[u8]) {
        if self.collector.options.allowances && allow::in_line(around) {
            self.collector.allowed.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.push(finding);
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.count += 1;
        if self.count <= MOST_IN_ONE {
            self.collector.found(Found { path: self.path.to_owned(), finding, commit: None });
        } else if self.count == MOST_IN_ONE + 1 {
            self.collector.leave_out(self.path, Reason::Many);
        }
    }
}

/// The error of a reader whose budget is used up.
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to more than is allowed")]
struct OverBudget;

/// Counts what is read against the budget.
struct Counted<'a, R> {
    input: R,
    budget: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.get();
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 && !buffer.is_empty() {
            // At the very end there may be nothing more.
            let mut one = [0; 1];
            return match self.input.read(&mut one)? {
                0 => Ok(0),
                _ => Err(io::Error::other(OverBudget)),
            };
        }
        let read = self.input.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.budget.set(left.saturating_sub(read as u64));
        Ok(read)
    }
}

/// Goes into an archive, with one budget for all that is in it.
#[derive(Clone, Copy)]
struct Archive<'a> {
    collector: &'a Collector<'a>,
    budget: &'a Cell<u64>,
}

impl Archive<'_> {
    /// A stream that is not plain text and no zip.
    fn other(
        self,
        path: &str,
        depth: u8,
        kind: Kind,
        input: &mut dyn Read,
        window: &mut Window,
    ) -> Result<(), Reason> {
        let packed = matches!(kind, Kind::Gzip | Kind::Tar | Kind::Zip);
        if packed && self.collector.options.unpacked == 0 {
            return Err(Reason::Archive);
        }
        if packed && depth >= DEEPEST {
            return Err(Reason::Deep);
        }
        match kind {
            Kind::Binary if self.collector.options.binary => self.plain(path, input, window),
            Kind::Binary => Err(Reason::Binary),
            Kind::Packed(way) => Err(Reason::Packed(way)),
            Kind::Utf16(order) => self.plain(path, &mut Utf8Of::new(input, order), window),
            Kind::Text => self.plain(path, input, window),
            Kind::Zip => self.zip_in_memory(path, depth, input, window),
            Kind::Gzip => {
                // What is in it has no name of its own that matters.
                let mut unpacked =
                    Counted { input: MultiGzDecoder::new(input), budget: self.budget };
                self.entry(path, depth + 1, &mut unpacked, window)
            }
            Kind::Tar => {
                let ended = tar::each_file(input, &mut |name, contents| {
                    let own = format!("{path}!/{}", String::from_utf8_lossy(name));
                    self.one(&own, depth + 1, contents, window)
                });
                ended.map_err(|error| reason(&error))
            }
        }
    }

    fn zip(
        self,
        path: &str,
        depth: u8,
        archive: &mut dyn Place,
        window: &mut Window,
    ) -> Result<(), Reason> {
        let ended = zip::each_file(archive, &mut |name, stored, contents| {
            let own = format!("{path}!/{}", String::from_utf8_lossy(name));
            match stored {
                Stored::Encrypted => self.collector.leave_out(&own, Reason::Encrypted),
                Stored::Otherwise => {
                    self.collector.leave_out(&own, Reason::Packed("an unusual compression"));
                }
                Stored::Readable => {
                    let mut contents = Counted { input: contents, budget: self.budget };
                    return self.one(&own, depth + 1, &mut contents, window);
                }
            }
            Ok(())
        });
        ended.map_err(|error| reason(&error))
    }

    /// A zip has its directory at its end, so all of it must be there.
    fn zip_in_memory(
        self,
        path: &str,
        depth: u8,
        input: &mut dyn Read,
        window: &mut Window,
    ) -> Result<(), Reason> {
        let mut bytes = Vec::new();
        input.take(NESTED + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
        if bytes.len() as u64 > NESTED {
            return Err(Reason::Budget);
        }
        self.zip(path, depth, &mut Cursor::new(bytes), window)
    }

    /// A file of an archive. Its own troubles are noted; only a budget that is used up ends the archive.
    fn one(
        self,
        path: &str,
        depth: u8,
        contents: &mut dyn Read,
        window: &mut Window,
    ) -> io::Result<()> {
        self.collector.named(path);
        match self.entry(path, depth, contents, window) {
            Ok(()) => Ok(()),
            Err(Reason::Budget) if self.budget.get() == 0 => Err(io::Error::other(OverBudget)),
            Err(reason) => {
                self.collector.leave_out(path, reason);
                Ok(())
            }
        }
    }

    /// A stream within an archive.
    fn entry(
        self,
        path: &str,
        depth: u8,
        input: &mut dyn Read,
        window: &mut Window,
    ) -> Result<(), Reason> {
        let mut head = Vec::with_capacity(HEAD);
        (&mut *input).take(HEAD as u64).read_to_end(&mut head).map_err(|error| reason(&error))?;
        let kind = kind(&head);
        self.other(path, depth, kind, &mut Cursor::new(head).chain(input), window)
    }

    fn plain(self, path: &str, input: &mut dyn Read, window: &mut Window) -> Result<(), Reason> {
        let ended = window.begin(input);
        text(self.collector, path, window, ended, input);
        Ok(())
    }
}

/// One stretch of a file of text that several threads read, with the places in it counted from its own beginning.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) findings: Vec<(Finding, bool)>,
    pub(super) end: Position,
    pub(super) error: Option<io::Error>,
}

impl Reader<'_> {
    /// Whether a file is text that may be read in stretches.
    pub(super) fn is_text(&mut self, file: &mut File) -> io::Result<bool> {
        let mut head = Vec::with_capacity(HEAD);
        file.take(HEAD as u64).read_to_end(&mut head)?;
        Ok(kind(&head) == Kind::Text)
    }

    /// Reads one stretch of a file.
    pub(super) fn part(&mut self, path: &str, input: &mut dyn Read, stretch: Stretch) -> Part {
        let mut findings = Vec::new();
        let allowances = self.collector.options.allowances;
        let ended = self.window.begin(input);
        let task = Task {
            detector: &self.collector.options.detector,
            place: self.collector.place(path),
            stretch,
            position: Position::NOWHERE,
        };
        let mut each = |finding: Finding, around: &[u8]| {
            // One more than are listed, so that it is known that there are more.
            if findings.len() as u64 <= MOST_IN_ONE {
                findings.push((finding, allowances && allow::in_line(around)));
            }
        };
        let (end, bytes) = blocks::search(task, &mut self.window, ended, input, &mut each);
        self.collector.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        Part { findings, end, error: self.window.error() }
    }
}
