//! Lines at the end of a file. Owns how they get there whole and durably, and what becomes of a line that a killed process left unfinished.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

/// How much of the end of a file is looked through for the end of its last whole line; ours are shorter.
const TAIL: u64 = 1 << 20;

/// A file that lines are added to.
#[derive(Debug)]
pub struct Lines(File);

impl Lines {
    /// Opens it, and makes it where it is missing. An unfinished last line is taken off where `ours` says that we wrote it, because it is written again;
    /// anybody else's is ended.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path, ours: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(path)?;
        let length = file.metadata()?.len();
        // A pipe or a device has no end that could be looked at.
        if file.metadata()?.is_file() && length > 0 {
            let from = length.saturating_sub(TAIL);
            file.seek(SeekFrom::Start(from))?;
            let mut tail = Vec::new();
            (&file).take(TAIL).read_to_end(&mut tail)?;
            let whole = tail.iter().rposition(|byte| *byte == b'\n').map(|at| at as u64 + 1);
            match whole {
                Some(whole) if whole == tail.len() as u64 => {}
                Some(whole) if ours => file.set_len(from + whole)?,
                None if ours && from == 0 => file.set_len(0)?,
                _ => file.write_all(b"\n")?,
            }
        }
        Ok(Self(file))
    }

    /// Adds lines, each with its end, and returns once they survive a loss of power.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        self.0.write_all(lines)?;
        match self.0.sync_data() {
            // A pipe or a device has nothing to sync.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_unfinished_line_is_taken_off_where_it_is_ours_and_ended_where_it_is_not() {
        for (before, ours, after) in [
            ("", true, "c\n"),
            ("a\n", true, "a\nc\n"),
            ("a\nb", true, "a\nc\n"),
            ("b", true, "c\n"),
            ("a\nb", false, "a\nb\nc\n"),
            ("a\n", false, "a\nc\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("records");
            fs::write(&path, before).unwrap();
            Lines::open(&path, ours).unwrap().add(b"c\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after, "{before:?} {ours}");
        }
    }
}
