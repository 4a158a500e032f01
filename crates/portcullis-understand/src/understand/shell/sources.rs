//! The files that are read for one call. Owns which of them are being read, innermost last, how much of them may be read, what was read of
//! the disk, and what code loaded; their text is made a layer by `files`.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::Around;
use crate::facts::FileFact;

/// How many files stand within each other: a script that starts a script.
const NESTED: usize = 8;

/// How often files are entered for one action: scripts that each start many others would be read as often as there are ways between them.
const ENTRIES: usize = 256;

/// How many parts of files that are being read are entered anew: scripts of a package that run each other, targets that make others, a
/// script that starts itself with other words.
const REENTERED: usize = 64;

/// How many bytes of files are entered for one action, each as often as it is: a file that many others start is read once and gone through each
/// time.
const ENTERED: usize = 2 << 20;

/// How many of those in files that are being read already. Package scripts of some kB run a dozen of each other.
const ENTERED_AGAIN: usize = 256 << 10;

/// Gives what stands at a path, if it can be read.
pub(crate) type Reader<'a> = &'a dyn Fn(&str) -> Option<FileFact>;

/// Where modules are looked for, and what was loaded so far.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Directories that modules are looked for in by their whole names.
    pub(super) roots: Vec<String>,
    /// How many modules load each other, down to what is being read.
    depth: usize,
    pub(super) loaded: BTreeSet<String>,
}

impl Imports {
    /// Goes to what code in a directory loads; `false` where that is too far from what was started.
    pub(super) fn enter(&mut self, directory: &str, most: usize) -> bool {
        if self.depth >= most {
            return false;
        }
        if self.depth == 0 && self.roots.is_empty() {
            self.roots.push(directory.to_owned());
        }
        self.depth += 1;
        true
    }

    /// Comes back from what code loads.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.roots.clear();
        }
    }
}

/// A file that is being read, or files of a project that are looked for.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Its path; nothing where files of a project are looked for.
    path: String,
    /// What of it runs: the words that it was started with.
    part: String,
    /// Whether version control has had it since before the session.
    is_settled: bool,
    /// Whether the file is being read further out, for other words.
    is_again: bool,
}

impl Frame {
    pub(super) fn new(path: &str, part: String, is_settled: bool, is_again: bool) -> Self {
        Self { path: path.to_owned(), part, is_settled, is_again }
    }

    /// No file: files of a project are looked for.
    pub(super) const fn of_project(is_again: bool) -> Self {
        Self { path: String::new(), part: String::new(), is_settled: true, is_again }
    }
}

/// Whether a part of a file is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Admission {
    /// It is; `is_again` where the file is being read already, for other words.
    Admitted { is_again: bool },
    /// This part of it is being read already, or was read anew before.
    Known,
    /// Too much stands within each other, or was read.
    TooMuch,
}

/// The files of a call.
#[derive(Default)]
pub(super) struct Sources<'a> {
    /// Who reads files that the facts say nothing of.
    reader: Option<Reader<'a>>,
    /// What was read so.
    contents: BTreeMap<String, FileFact>,
    /// The files that are being read, innermost last.
    frames: Vec<Frame>,
    /// The tasks that are running, as their files and names.
    pub(super) tasks: Vec<String>,
    /// What the surroundings that were entered put aside, innermost last.
    pub(super) around: Vec<Around>,
    /// How often files were entered, how many bytes that was, and how many of those in files that were being read.
    entries: usize,
    entered: usize,
    again: usize,
    /// Which parts of files were entered while the file was being read already.
    reentered: BTreeSet<(String, String)>,
    pub(super) imports: Imports,
}

impl<'a> Sources<'a> {
    pub(super) fn by(reader: Reader<'a>) -> Self {
        Self { reader: Some(reader), ..Self::default() }
    }

    /// Whether files are read when they are met.
    pub(super) const fn are_read(&self) -> bool {
        self.reader.is_some()
    }

    /// Reads what stands at a path, where files are read and this one can be.
    pub(super) fn read(&mut self, path: &str) {
        if let Some(fact) = self.reader.and_then(|read| read(path)) {
            self.contents.insert(path.to_owned(), fact);
        }
    }

    /// What was read of a path.
    pub(super) fn content(&self, path: &str) -> Option<&FileFact> {
        self.contents.get(path)
    }

    /// Everything that was read.
    pub(super) fn take_contents(&mut self) -> BTreeMap<String, FileFact> {
        std::mem::take(&mut self.contents)
    }

    /// Asks whether a part of a file of so many bytes may be read.
    pub(super) fn admit(&mut self, path: &str, part: &str, bytes: usize) -> Admission {
        let is_again = self.is_open(path);
        if is_again {
            let is_known = |frame: &Frame| frame.path == path && frame.part == part;
            let key = (path.to_owned(), part.to_owned());
            if self.frames.iter().any(is_known) || self.reentered.contains(&key) {
                return Admission::Known;
            }
            let again = self.again.saturating_add(bytes);
            if self.reentered.len() >= REENTERED || again > ENTERED_AGAIN {
                return Admission::TooMuch;
            }
            self.again = again;
            self.reentered.insert(key);
        }
        let is_much = self.frames.len() >= NESTED
            || self.entries >= ENTRIES
            || self.entered.saturating_add(bytes) > ENTERED;
        if is_much { Admission::TooMuch } else { Admission::Admitted { is_again } }
    }

    /// A file of so many bytes that was admitted is entered.
    pub(super) fn count(&mut self, bytes: usize) {
        self.entries += 1;
        self.entered = self.entered.saturating_add(bytes);
    }

    /// What is read from now on stands in this file.
    pub(super) fn begin(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    /// The innermost file was read.
    pub(super) fn end(&mut self) {
        self.frames.pop();
    }

    /// Puts other files in the place of those that are being read; gives these.
    pub(super) fn replace(&mut self, frames: Vec<Frame>) -> Vec<Frame> {
        std::mem::replace(&mut self.frames, frames)
    }

    /// Whether a file is being read, or files of a project are looked for.
    pub(super) fn is_in_file(&self) -> bool {
        !self.frames.is_empty()
    }

    /// The innermost file.
    pub(super) fn innermost(&self) -> Option<&str> {
        let mut paths = self.frames.iter().rev().map(|frame| frame.path.as_str());
        paths.find(|path| !path.is_empty())
    }

    /// Whether what is being read is read further out as well, for other words: what these words do not reach is seen there.
    pub(super) fn is_read_again(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_again)
    }

    /// Whether version control has had what is being read, as it stands, since before the session.
    pub(super) fn is_settled(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_settled)
    }

    /// Whether a file is being read.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.frames.iter().any(|frame| frame.path == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(sources: &mut Sources<'_>, path: &str, part: &str, bytes: usize) -> Admission {
        let admission = sources.admit(path, part, bytes);
        if let Admission::Admitted { is_again } = admission {
            sources.count(bytes);
            sources.begin(Frame::new(path, part.to_owned(), false, is_again));
        }
        admission
    }

    #[test]
    fn a_file_that_is_being_read_is_read_anew_for_other_words_and_once_for_each() {
        let mut sources = Sources::default();
        assert_eq!(enter(&mut sources, "/a", "x", 1), Admission::Admitted { is_again: false });
        assert_eq!(enter(&mut sources, "/a", "x", 1), Admission::Known);
        assert_eq!(enter(&mut sources, "/a", "y", 1), Admission::Admitted { is_again: true });
        assert!(sources.is_read_again());
        sources.end();
        assert_eq!(enter(&mut sources, "/a", "y", 1), Admission::Known, "it was read so");
        sources.end();
        assert_eq!(enter(&mut sources, "/a", "y", 1), Admission::Admitted { is_again: false });
    }

    #[test]
    fn each_bound_of_what_is_read_is_said() {
        let mut sources = Sources::default();
        for depth in 0..NESTED {
            let admission = enter(&mut sources, &depth.to_string(), "", 0);
            assert_eq!(admission, Admission::Admitted { is_again: false });
        }
        assert_eq!(enter(&mut sources, "/deeper", "", 0), Admission::TooMuch);

        let mut sources = Sources::default();
        for _ in 0..ENTRIES {
            assert_eq!(enter(&mut sources, "/a", "", 0), Admission::Admitted { is_again: false });
            sources.end();
        }
        assert_eq!(enter(&mut sources, "/a", "", 0), Admission::TooMuch);

        let mut sources = Sources::default();
        assert_eq!(enter(&mut sources, "/a", "", ENTERED), Admission::Admitted { is_again: false });
        assert_eq!(enter(&mut sources, "/b", "", 1), Admission::TooMuch);
        assert_eq!(enter(&mut sources, "/a", "y", ENTERED_AGAIN + 1), Admission::TooMuch);
    }

    #[test]
    fn the_innermost_file_is_the_one_behind_what_is_looked_for() {
        let mut sources = Sources::default();
        enter(&mut sources, "/a", "", 0);
        sources.begin(Frame::of_project(sources.is_read_again()));
        assert_eq!(sources.innermost(), Some("/a"));
        assert!(sources.is_settled() && sources.is_in_file());
        sources.end();
        assert!(!sources.is_settled());
    }

    #[test]
    fn modules_are_looked_for_where_the_first_of_them_stands() {
        let mut imports = Imports::default();
        assert!(imports.enter("/w", 2) && imports.enter("/w/below", 2));
        assert!(!imports.enter("/w/below/further", 2));
        assert_eq!(imports.roots, ["/w"]);
        imports.leave();
        assert_eq!(imports.roots, ["/w"]);
        imports.leave();
        assert!(imports.roots.is_empty());
    }
}
