//! Walking trees. Owns which files are opened and by how many threads; what is in a file, [`super::content`] says.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::{
    Collector, MOST_IN_ONE, Reason,
    allow::Exclusions,
    blocks::{Position, Sizes, Stretch},
    content::{Input, Listed, Part, Reader},
    lock,
};
use crate::platform;

/// A file that is longer is read by several threads.
const LONG: u64 = 16 << 20;
/// How much of it each of them takes at once.
const SHARE: u64 = 8 << 20;
/// How much is read of a file that does not say how long it is.
const UNSAID: u64 = 16 << 20;

/// Looks through everything below `roots`.
pub(super) fn walk(roots: &[PathBuf], collector: &Collector<'_>) {
    let options = collector.options;
    let (exclusions, problems) = Exclusions::new(roots, &options.exclude, options.allowances);
    for (path, problem) in problems {
        collector.leave_out(&path.to_string_lossy(), Reason::Unreadable(problem));
    }
    let lists = options.gitignore.then(Lists::default);
    let mut roots = roots.iter().filter(|root| {
        lists
            .as_ref()
            .is_none_or(|lists| platform::real(root).ancestors().all(|it| lists.are_files(it)))
    });
    let Some(first) = roots.next() else { return said(lists, collector) };
    let mut walk = WalkBuilder::new(first);
    for root in roots {
        walk.add(root);
    }
    if let Some(lists) = lists.clone() {
        walk.filter_entry(move |entry| {
            !entry.file_type().is_some_and(|kind| kind.is_dir()) || lists.are_files(entry.path())
        });
    }
    walk.standard_filters(false)
        .git_ignore(options.gitignore)
        .git_exclude(options.gitignore)
        .git_global(options.gitignore)
        .parents(options.gitignore)
        .follow_links(false)
        .threads(options.threads.max(1));
    let long = Mutex::new(Vec::new());
    walk.build_parallel().run(|| {
        let mut reader = Reader::new(collector);
        let (exclusions, long) = (&exclusions, &long);
        Box::new(move |entry| match entry {
            Ok(entry) => visit(&mut reader, collector, exclusions, &entry, long),
            Err(error) => {
                let (path, words) = trouble(&error);
                collector.leave_out(&shown(&path), Reason::Unreadable(words));
                WalkState::Continue
            }
        })
    });
    said(lists, collector);
    let mut long = long.into_inner().unwrap_or_else(|broken| broken.into_inner());
    long.sort();
    for path in long {
        read_long(&path, collector);
    }
}

/// The folders whose lists of what git ignores are no files: whoever reads a list waits for it, and a pipe has no end.
#[derive(Clone, Default)]
struct Lists(Arc<Mutex<Vec<PathBuf>>>);

impl Lists {
    /// Whether the lists in a folder can be read; otherwise it is noted.
    fn are_files(&self, folder: &Path) -> bool {
        let is_special = |list: &str| {
            fs::metadata(folder.join(list)).is_ok_and(|about| !about.is_file() && !about.is_dir())
        };
        let fine = ![".gitignore", ".git", ".git/info/exclude"].into_iter().any(is_special);
        if !fine {
            lock(&self.0).push(folder.to_owned());
        }
        fine
    }
}

/// Says of which folders nothing was read.
fn said(lists: Option<Lists>, collector: &Collector<'_>) {
    for folder in lists.iter().flat_map(|lists| std::mem::take(&mut *lock(&lists.0))) {
        let words = "its list of what git ignores is no file".to_owned();
        collector.leave_out(&shown(&folder), Reason::Unreadable(words));
    }
}

fn visit(
    reader: &mut Reader<'_>,
    collector: &Collector<'_>,
    exclusions: &Exclusions,
    entry: &DirEntry,
    long: &Mutex<Vec<PathBuf>>,
) -> WalkState {
    let path = entry.path();
    let kind = entry.file_type();
    let is_folder = kind.is_some_and(|kind| kind.is_dir());
    if exclusions.leave_out(path, is_folder) {
        collector.leave_out(&shown(path), Reason::Excluded);
        return WalkState::Skip;
    }
    if is_folder {
        // The objects of git are packed; `--git` reads them. What stands beside them, as its configuration, is read.
        let in_git = path.parent().and_then(Path::file_name).is_some_and(|name| name == ".git");
        let objects =
            in_git && path.file_name().is_some_and(|name| name == "objects" || name == "lfs");
        return if objects { WalkState::Skip } else { WalkState::Continue };
    }
    // What a person named is read where it leads; in a tree a link leads out of it or to what is read anyway.
    let named = entry.depth() == 0;
    if !named && kind.is_none_or(|kind| kind.is_symlink()) {
        collector.leave_out(&shown(path), Reason::Link);
        return WalkState::Continue;
    }
    match open(path, named) {
        Ok(Opened { file, length }) if length > LONG => {
            drop(file);
            lock(long).push(path.to_owned());
        }
        Ok(opened) => opened.read(reader, &shown(path)),
        // Who names one wants it read; in that of nothing there is nothing to read.
        Err(Reason::Special) if named && path != Path::new("/dev/null") => {
            let words = "it is a pipe, a socket or a device; `--stdin` reads one".to_owned();
            collector.leave_out(&shown(path), Reason::Unreadable(words));
        }
        Err(reason) => collector.leave_out(&shown(path), reason),
    }
    WalkState::Continue
}

struct Opened {
    file: File,
    length: u64,
}

impl Opened {
    fn read(self, reader: &mut Reader<'_>, path: &str) {
        let Self { mut file, length } = self;
        if length == 0 {
            // Files of the system say no length and have contents; a file that grows for ever must end some time.
            return reader.look(path, Input::Stream(&mut file.take(UNSAID)));
        }
        reader.look(path, Input::File(&mut file));
    }
}

/// Opens an ordinary file. A pipe, or a file that became one, is not waited for.
fn open(path: &Path, follow: bool) -> Result<Opened, Reason> {
    let unreadable = |error: io::Error| Reason::Unreadable(error.to_string());
    let before = if follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
    if !before.map_err(unreadable)?.is_file() {
        return Err(Reason::Special);
    }
    let real = if follow { fs::canonicalize(path).map_err(unreadable)? } else { path.to_owned() };
    let file = platform::open_without_following(&real).map_err(|error| {
        if platform::is_link_error(&error) { Reason::Link } else { unreadable(error) }
    })?;
    let about = file.metadata().map_err(unreadable)?;
    if !about.is_file() {
        return Err(Reason::Special);
    }
    Ok(Opened { file, length: about.len() })
}

/// Reads a long file: text by all threads together, everything else by this one.
fn read_long(path: &Path, collector: &Collector<'_>) {
    let name = shown(path);
    let mut reader = Reader::new(collector);
    let opened = open(path, true);
    let Opened { mut file, length } = match opened {
        Ok(opened) => opened,
        Err(reason) => return collector.leave_out(&name, reason),
    };
    let threads = collector.options.threads.max(1);
    let is_text = match reader.is_text(&mut file).and_then(|text| file.rewind().map(|()| text)) {
        Ok(is_text) => is_text,
        Err(error) => return collector.leave_out(&name, Reason::Unreadable(error.to_string())),
    };
    if threads == 1 || !is_text {
        return Opened { file, length }.read(&mut reader, &name);
    }
    collector.named(&name);
    let shares = usize::try_from(length.div_ceil(SHARE)).unwrap_or(usize::MAX);
    let next = AtomicUsize::new(0);
    let parts = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(shares) {
            scope.spawn(|| {
                let mut reader = Reader::new(collector);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= shares {
                        return;
                    }
                    let part = share(&mut reader, path, &name, number as u64);
                    lock(&parts).push((number, part));
                }
            });
        }
    });
    let mut parts = parts.into_inner().unwrap_or_else(|broken| broken.into_inner());
    parts.sort_by_key(|(number, _)| *number);
    join(parts.into_iter().map(|(_, part)| part), &name, collector);
    collector.progress.files.fetch_add(1, Ordering::Relaxed);
}

/// One share of a long file. What a file has grown by since it was opened is not read.
fn share(reader: &mut Reader<'_>, path: &Path, name: &str, number: u64) -> Part {
    let start = number.saturating_mul(SHARE);
    let read_from = start.saturating_sub(Sizes::USUAL.before as u64);
    let opened = open(path, true).map_err(|reason| match reason {
        Reason::Unreadable(words) => io::Error::other(words),
        reason => io::Error::other(reason.to_string()),
    });
    let placed = opened.and_then(|mut opened| {
        opened.file.seek(SeekFrom::Start(read_from))?;
        Ok(opened.file)
    });
    match placed {
        Ok(mut file) => reader.part(
            name,
            &mut file,
            Stretch { read_from, start, end: start.saturating_add(SHARE) },
        ),
        Err(error) => Part { findings: Vec::new(), end: Position::NOWHERE, error: Some(error) },
    }
}

/// Puts the parts of a file together: each counts its lines from its own beginning.
fn join(parts: impl Iterator<Item = Part>, name: &str, collector: &Collector<'_>) {
    let mut listed = Listed::new(collector, name);
    let (mut position, mut until, mut count) = (Position::FIRST, 0, 0);
    let mut failed = false;
    for Part { findings, end, error } in parts {
        for (mut finding, allowed) in findings {
            if finding.span.start < until {
                continue;
            }
            until = finding.span.end;
            let own = Position { line: finding.line, column: finding.column }.from(position);
            (finding.line, finding.column) = (own.line, own.column);
            count += 1;
            if allowed {
                collector.allowed.fetch_add(1, Ordering::Relaxed);
            } else if count <= MOST_IN_ONE + 1 {
                listed.push(finding);
            }
        }
        position = end.from(position);
        // One of them says it for all: a file that is gone is gone for each.
        if let Some(error) = error
            && !std::mem::replace(&mut failed, true)
        {
            collector.leave_out(name, Reason::Unreadable(error.to_string()));
        }
    }
}

/// The path that an error of the walk is about, and its words.
fn trouble(error: &ignore::Error) -> (PathBuf, String) {
    match error {
        ignore::Error::WithPath { path, err } => (path.clone(), trouble(err).1),
        ignore::Error::WithDepth { err, .. } => trouble(err),
        ignore::Error::Loop { child, .. } => (child.clone(), "it leads back to itself".to_owned()),
        ignore::Error::Io(error) => (PathBuf::new(), error.to_string()),
        other => (PathBuf::new(), other.to_string()),
    }
}

/// A path as it is shown: without the `./` that says nothing.
fn shown(path: &Path) -> String {
    path.strip_prefix("./").unwrap_or(path).to_string_lossy().into_owned()
}
