//! Recorded calls, read from what agents and shells leave behind. Owns the files: which are read, in what way, and what is said of
//! those that cannot be; how each agent writes is in `formats`, what a call means is for the engine.
//!
//! What a file is, its content says: a database by its first bytes, JSON by its first sign, line by line where the first line is
//! whole. Only a text that somebody names is a list of commands, as shells keep their history.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    rc::Rc,
};

use portcullis_core::call::ToolCall;
use serde_json::Value;

use super::{
    database,
    formats::{Line, Transcript, beside},
    history,
};
use crate::wire;

/// The most calls of one replay: a year of anybody's work, and little enough to be held in memory.
pub const MAX_CALLS: usize = 200_000;

/// How deep directories are searched for events.
const MAX_DEPTH: usize = 8;

/// The longest history, and the longest document, that is read whole.
const MAX_WHOLE: u64 = 64 << 20;

/// How many of the files that cannot be read are named.
pub const MAX_NAMED: usize = 1_000;

/// The names that sessions end in, in directories.
const ENDS: &[&str] = &["json", "jsonl", "db", "sqlite", "frames"];

/// What a database begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Where a call was read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// The file.
    pub file: Rc<Path>,
    /// The line, from 1; of a database, the row in the order of time.
    pub line: usize,
}

/// A call as somebody recorded it.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The call.
    pub call: ToolCall,
    /// Where it was read.
    pub place: Place,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The calls, in order.
    pub calls: Vec<Recorded>,
    /// How many files were read.
    pub files: usize,
    /// Lines that hold no call: messages, results, comments.
    pub other_lines: usize,
    /// Calls that a record keeps only a part of, because they held a secret or were long.
    pub cut: usize,
    /// Files of sessions whose format is known and not read here, and why, [`MAX_NAMED`] at most.
    pub not_read: Vec<(PathBuf, &'static str)>,
    /// Files in which nothing is of a format that is known, [`MAX_NAMED`] at most.
    pub unknown: Vec<PathBuf>,
}

/// Why nothing can be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A database cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Database {
        /// Which.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// A history is longer than 64 MiB.
    #[error("cannot read `{}`: it is longer than {} MiB", path.display(), MAX_WHOLE >> 20)]
    TooLong {
        /// Which.
        path: PathBuf,
    },
    /// More calls than [`MAX_CALLS`].
    #[error("there are more than {MAX_CALLS} calls")]
    TooMany,
}

/// How a file came to be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Named {
    /// Somebody named it.
    ByPerson,
    /// It lies in a directory.
    ByDirectory,
}

impl Reading {
    /// Reads files, and the files of directories.
    ///
    /// # Errors
    /// [`SourceError`].
    pub fn of(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let mut reading = Self::default();
        for path in paths {
            reading.path(path, 0)?;
        }
        Ok(reading)
    }

    /// Reads records, as an export has them.
    ///
    /// # Errors
    /// [`SourceError::TooMany`].
    pub fn of_records(records: impl IntoIterator<Item = Value>) -> Result<Self, SourceError> {
        let (mut reading, mut transcript) = (Self::default(), Transcript::default());
        let file: Rc<Path> = Path::new("record").into();
        for (number, record) in records.into_iter().enumerate() {
            reading.value(&mut transcript, &record, &file, number + 1)?;
        }
        Ok(reading)
    }

    fn path(&mut self, path: &Path, depth: usize) -> Result<(), SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_dir() {
            let named = if depth == 0 { Named::ByPerson } else { Named::ByDirectory };
            return self.file(path, metadata.len(), named);
        }
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(unreadable)?.collect();
        let mut inside: Vec<PathBuf> =
            entries.map_err(unreadable)?.iter().map(fs::DirEntry::path).collect();
        // The names of events and sessions begin with their numbers or times.
        inside.sort();
        for path in inside {
            let is_directory = path.is_dir();
            let end = path.extension().and_then(|end| end.to_str());
            let is_told = path.is_file() && end.is_some_and(|end| ENDS.contains(&end));
            if is_told || is_directory && depth < MAX_DEPTH {
                self.path(&path, depth + 1)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, length: u64, named: Named) -> Result<(), SourceError> {
        self.files += 1;
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let mut start = Vec::new();
        File::open(path)
            .map_err(unreadable)?
            .take(256)
            .read_to_end(&mut start)
            .map_err(unreadable)?;
        if start.starts_with(DATABASE) {
            return self.database(path);
        }
        if path.extension().is_some_and(|end| end == "frames") {
            self.not_read(path, "Reasonix keeps its sessions in frames of its own");
            return Ok(());
        }
        let is_json_by_name = path.extension().is_some_and(|end| end == "json" || end == "jsonl");
        match start.trim_ascii_start().first() {
            Some(b'{') => self.json(path, length),
            Some(b'[') if length <= MAX_WHOLE && self.document(path)? => Ok(()),
            // What its name calls JSON, and what lies in a directory, is nobody's history.
            _ if is_json_by_name || named == Named::ByDirectory || start.contains(&0) => {
                self.unknown(path);
                Ok(())
            }
            _ if length > MAX_WHOLE => Err(SourceError::TooLong { path: path.to_owned() }),
            _ => self.history(path),
        }
    }

    fn history(&mut self, path: &Path) -> Result<(), SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unreadable)?;
        let text = String::from_utf8_lossy(&bytes);
        let file: Rc<Path> = path.into();
        for (number, command) in history::commands(&text) {
            self.push(ToolCall::shell(command), &file, number)?;
        }
        Ok(())
    }

    /// Lines of JSON, or one document over several lines, by whether the first line is whole.
    fn json(&mut self, path: &Path, length: u64) -> Result<(), SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let open = || File::open(path).map(BufReader::new).map_err(unreadable);
        let mut first = Vec::new();
        open()?.take(MAX_WHOLE).read_until(b'\n', &mut first).map_err(unreadable)?;
        let is_lines = wire::parse(&first, 1).is_ok();
        drop(first);
        if !is_lines && length <= MAX_WHOLE && self.document(path)? {
            return Ok(());
        }
        let file: Rc<Path> = path.into();
        let mut lines = wire::Lines::new(open()?);
        let mut transcript = Transcript::beginning(beside(path));
        while let Some((number, line)) = lines.read().map_err(unreadable)? {
            match wire::parse(line.unwrap_or_default(), number) {
                Ok(value) => self.value(&mut transcript, &value, &file, number)?,
                Err(_) => self.other_lines += 1,
            }
        }
        self.told(path, &transcript);
        Ok(())
    }

    /// A file that is one document, and whether it is. The items of a list are read one after the other.
    fn document(&mut self, path: &Path) -> Result<bool, SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(unreadable)?;
        let Ok(value) = wire::parse(&bytes, 1) else { return Ok(false) };
        let file: Rc<Path> = path.into();
        let mut transcript = Transcript::beginning(beside(path));
        match value {
            Value::Array(items) => {
                for item in &items {
                    self.value(&mut transcript, item, &file, 1)?;
                }
            }
            value => self.value(&mut transcript, &value, &file, 1)?,
        }
        self.told(path, &transcript);
        Ok(true)
    }

    fn database(&mut self, path: &Path) -> Result<(), SourceError> {
        let failed = |source| SourceError::Database { path: path.to_owned(), source };
        let file: Rc<Path> = path.into();
        let Some(rows) = database::rows(path, MAX_CALLS + 1).map_err(failed)? else {
            self.unknown(path);
            return Ok(());
        };
        self.cut += rows.cut;
        for (number, call) in rows.calls.into_iter().enumerate() {
            self.push(call, &file, number + 1)?;
        }
        Ok(())
    }

    fn value(
        &mut self,
        transcript: &mut Transcript,
        value: &Value,
        file: &Rc<Path>,
        line: usize,
    ) -> Result<(), SourceError> {
        match transcript.calls(value) {
            Line::Calls(calls) => {
                for call in calls {
                    self.push(call, file, line)?;
                }
            }
            Line::Cut => self.cut += 1,
            Line::Other => self.other_lines += 1,
        }
        Ok(())
    }

    fn push(&mut self, call: ToolCall, file: &Rc<Path>, line: usize) -> Result<(), SourceError> {
        if self.calls.len() == MAX_CALLS {
            return Err(SourceError::TooMany);
        }
        self.calls.push(Recorded { call, place: Place { file: Rc::clone(file), line } });
        Ok(())
    }

    /// Keeps that nothing in a file was known.
    fn told(&mut self, path: &Path, transcript: &Transcript) {
        if !transcript.is_known() {
            self.unknown(path);
        }
    }

    fn unknown(&mut self, path: &Path) {
        if self.unknown.len() < MAX_NAMED {
            self.unknown.push(path.to_owned());
        }
    }

    fn not_read(&mut self, path: &Path, why: &'static str) {
        if self.not_read.len() < MAX_NAMED {
            self.not_read.push((path.to_owned(), why));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(name: &str, text: &str) -> Reading {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        Reading::of(&[path]).unwrap()
    }

    fn read(text: &str) -> Reading {
        read_as("source", text)
    }

    #[test]
    fn definitions_of_tools_are_no_history() {
        let definitions = "[\n  {\n    \"type\": \"function\",\n    \"function\": {\"name\": \"run\", \"description\": \"rm -rf /\"}\n  }\n]\n";
        for text in [definitions, "rm -rf /\ncurl x | sh\n", "\"rm -rf /\"\n"] {
            let reading = read_as("tool_definitions.json", text);
            assert!(reading.calls.is_empty(), "{reading:?}");
            assert_eq!(reading.unknown.len(), 1, "{reading:?}");
        }
        let binary = read("rm -rf /\0\x01");
        assert!(binary.calls.is_empty() && binary.unknown.len() == 1, "{binary:?}");
        // A history may begin as a list does.
        assert_eq!(read("[ -d build ] && ls\ngit status\n").calls.len(), 2);
    }

    #[test]
    fn sessions_that_cannot_be_read_are_named_with_the_reason() {
        let reading = read_as("events.frames", "\u{1}…{\"codec\":\"reasonix.session.linear/v4\"}");
        assert_eq!(reading.not_read.len(), 1);
        assert!(reading.calls.is_empty() && reading.unknown.is_empty(), "{reading:?}");
    }

    #[test]
    fn what_is_no_call_is_counted_and_nothing_stops_the_reading() {
        let reading =
            read("{\"a\":1}\n{broken\n{\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n");
        assert_eq!((reading.calls.len(), reading.other_lines), (1, 2));
    }

    #[test]
    fn a_document_over_several_lines_is_read_whole() {
        let reading =
            read("{\n  \"tool\": \"bash\",\n  \"arguments\": {\n    \"command\": \"ls\"\n  }\n}\n");
        assert_eq!(reading.calls.len(), 1, "{reading:?}");
    }
}
