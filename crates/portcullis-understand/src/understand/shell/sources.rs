//! The files that are read for one call. Owns which of them are being read, innermost last, how much of them may be read, what was read of
//! the disk, and what code loaded; their text is made a layer by `files`.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::Around;
use crate::facts::FileFact;

/// How many files stand within each other: a script that starts a script.
const NESTED: usize = 8;

/// How often files are entered for one action: scripts that each start many others would be read as often as there are ways between them.
const ENTRIES: usize = 256;

/// How many tasks of files are entered: lines of recipes, scripts of packages. Each counts as no more than so many bytes, since its own text is all
/// that is gone through.
const TASKS: usize = 2_048;
const TASK_BYTES: usize = 512;

/// How many files are entered, and how many bytes of them, that are not the project's own word, whatever others took.
const OWN_ENTRIES: usize = 64;
const OWN_ENTERED: usize = 1 << 20;

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
    /// What is known of the modules that are being read, of each that loads the next.
    pub(super) importing: Vec<crate::programs::importing::Importing>,
    /// Whether the next file that is run is given all its words.
    pub(super) has_words: bool,
    /// Whether a module that was loaded knows the list of those words, which it may change.
    pub(super) words_are_shared: bool,
    /// The text of the file that is being read, where it is what was started and all its words are known to be told.
    pub(super) started: Option<std::sync::Arc<str>>,
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
    /// Whether there was no work left but what is kept for it.
    pub(super) has_reserve: bool,
}

impl Frame {
    pub(super) fn new(path: &str, part: String, is_settled: bool, is_again: bool) -> Self {
        Self { path: path.to_owned(), part, is_settled, is_again, has_reserve: false }
    }

    /// No file: files of a project are looked for.
    pub(super) const fn of_project(is_again: bool) -> Self {
        Self {
            path: String::new(),
            part: String::new(),
            is_settled: true,
            is_again,
            has_reserve: false,
        }
    }
}

/// A part of a file that is to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'e> {
    pub(super) path: &'e str,
    pub(super) part: &'e str,
    pub(super) bytes: usize,
    /// Whether only one task of it is gone through.
    pub(super) is_task: bool,
    /// Whether it is known to be nobody's word yet: this session wrote it, or the last commit holds another.
    pub(super) is_changed: bool,
}

impl Entry<'_> {
    /// How much of the file is gone through.
    fn weight(&self) -> usize {
        if self.is_task { self.bytes.min(TASK_BYTES) } else { self.bytes }
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
    /// The names of the versions that stand at paths in this round, where it is not what stands there now.
    standing: BTreeMap<String, String>,
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
    /// How many tasks of files were entered.
    tasks_entered: usize,
    /// How many files, and bytes of them, beyond what may be read of all: those that are not the project's own word.
    own_entries: usize,
    own_entered: usize,
    /// Which parts of files were entered while the file was being read already.
    reentered: BTreeSet<(String, String)>,
    /// The files that were read as data while they were read as code.
    taken_as_data: BTreeSet<String>,
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

    /// Another version than what stands at a path now is what counts, or what stands there.
    pub(super) fn stands(&mut self, path: &str, version: Option<String>) {
        match version {
            Some(version) => {
                self.standing.insert(path.to_owned(), version);
            }
            None if self.standing.is_empty() => {}
            None => {
                self.standing.remove(path);
            }
        }
    }

    /// The name under which what counts at a path is known.
    pub(super) fn name_of<'p>(&'p self, path: &'p str) -> &'p str {
        self.standing.get(path).map_or(path, String::as_str)
    }

    /// Everything that was read.
    pub(super) fn take_contents(&mut self) -> BTreeMap<String, FileFact> {
        std::mem::take(&mut self.contents)
    }

    /// What reads the same with nothing entered yet, and knows what was read so far.
    pub(super) fn beside(&self) -> Self {
        Self { reader: self.reader, contents: self.contents.clone(), ..Self::default() }
    }

    /// What was read beside this.
    pub(super) fn adopt(&mut self, contents: BTreeMap<String, FileFact>) {
        self.contents.extend(contents);
    }

    /// Asks whether a part of a file may be read.
    pub(super) fn admit(&mut self, entry: &Entry<'_>) -> Admission {
        let is_again = self.is_open(entry.path);
        if is_again {
            let is_known = |frame: &Frame| frame.path == entry.path && frame.part == entry.part;
            let key = (entry.path.to_owned(), entry.part.to_owned());
            if self.frames.iter().any(is_known) || self.reentered.contains(&key) {
                return Admission::Known;
            }
            let again = self.again.saturating_add(entry.weight());
            if self.reentered.len() >= REENTERED || again > ENTERED_AGAIN {
                return Admission::TooMuch;
            }
            self.again = again;
            self.reentered.insert(key);
        }
        let has_room = self.has_room(entry) || self.has_own_room(entry);
        if self.frames.len() >= NESTED || !has_room {
            Admission::TooMuch
        } else {
            Admission::Admitted { is_again }
        }
    }

    fn has_room(&self, entry: &Entry<'_>) -> bool {
        let is_one_more =
            if entry.is_task { self.tasks_entered < TASKS } else { self.entries < ENTRIES };
        is_one_more && self.entered.saturating_add(entry.weight()) <= ENTERED
    }

    fn has_own_room(&self, entry: &Entry<'_>) -> bool {
        entry.is_changed
            && self.own_entries < OWN_ENTRIES
            && self.own_entered.saturating_add(entry.weight()) <= OWN_ENTERED
    }

    /// A file that was admitted is entered.
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        let (entries, entered) = match (self.has_room(entry), entry.is_task) {
            (true, true) => (&mut self.tasks_entered, &mut self.entered),
            (true, false) => (&mut self.entries, &mut self.entered),
            (false, _) => (&mut self.own_entries, &mut self.own_entered),
        };
        *entries += 1;
        *entered = entered.saturating_add(entry.weight());
    }

    /// What is read from now on stands in this file.
    pub(super) fn begin(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    /// The innermost file was read.
    pub(super) fn end(&mut self) -> Option<Frame> {
        self.frames.pop()
    }

    /// Puts other files in the place of those that are being read; gives these.
    pub(super) fn replace(&mut self, frames: Vec<Frame>) -> Vec<Frame> {
        std::mem::replace(&mut self.frames, frames)
    }

    /// Whether a file is being read, or files of a project are looked for.
    pub(super) fn is_in_file(&self) -> bool {
        self.starter().is_some()
    }

    /// What is being read; while a task is entered, what starts it.
    fn starter(&self) -> Option<&Frame> {
        self.frames.last().or_else(|| {
            let mut aside = self.around.iter().rev().filter_map(|around| match around {
                Around::Task(frames) => Some(frames.last()),
                _ => None,
            });
            aside.next().flatten()
        })
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
        self.starter().is_some_and(|frame| frame.is_settled)
    }

    /// A file is read as data; where it is one that is being read as code, what it does not reach may be run by whoever took it.
    pub(super) fn take_as_data(&mut self, path: &str) {
        if self.is_open(path) && !self.is_taken_as_data(path) {
            self.taken_as_data.insert(path.to_owned());
        }
    }

    /// Whether a file that is read as code was taken for data by itself.
    pub(super) fn is_taken_as_data(&self, path: &str) -> bool {
        self.taken_as_data.contains(path)
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
        let entry = Entry { path, part, bytes, is_task: false, is_changed: false };
        entered(sources, &entry)
    }

    fn entered(sources: &mut Sources<'_>, entry: &Entry<'_>) -> Admission {
        let Entry { path, part, .. } = *entry;
        let admission = sources.admit(entry);
        if let Admission::Admitted { is_again } = admission {
            sources.count(entry);
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
    fn tasks_count_as_little_and_what_is_nobodys_word_has_room_of_its_own() {
        let mut sources = Sources::default();
        let task = |part: &str| {
            let mut sources = Sources::default();
            let entry =
                Entry { path: "/m", part, bytes: ENTERED, is_task: true, is_changed: false };
            entered(&mut sources, &entry);
            sources.entered
        };
        assert_eq!(task("a"), TASK_BYTES);
        enter(&mut sources, "/a", "", ENTERED);
        sources.end();
        let own = Entry { path: "/b", part: "", bytes: 9, is_task: false, is_changed: true };
        for _ in 0..OWN_ENTRIES {
            assert_eq!(entered(&mut sources, &own), Admission::Admitted { is_again: false });
            sources.end();
        }
        assert_eq!(entered(&mut sources, &own), Admission::TooMuch);
        assert_eq!(enter(&mut sources, "/b", "", 9), Admission::TooMuch, "settled");
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
