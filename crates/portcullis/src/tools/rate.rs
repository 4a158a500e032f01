//! How often a tool ran lately, also in other processes: a call may be a process of its own. Owns the file of these times; how often is too
//! often, the tool says.

use std::{
    collections::{BTreeMap, VecDeque},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::{platform, private};

/// Where the file is, in the state directory.
const FOLDER: &str = "tools";

/// More than a file of ours takes.
const LONGEST: u64 = 16 << 20;

/// The version of the file.
const VERSION: u64 = 1;

/// The stretch of time that is counted over, in milliseconds.
const WINDOW: u64 = 60_000;

/// The highest rate that can be counted.
pub(super) const MOST: u32 = 1_024;

/// When tools ran.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// Where it is kept for other processes, if at all.
    folder: Option<PathBuf>,
    known: BTreeMap<String, VecDeque<u64>>,
}

/// What stands in the file: milliseconds since 1970, the oldest first.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u64,
    tools: BTreeMap<String, VecDeque<u64>>,
}

impl Rates {
    /// Counts that end with the process, or are kept in a state directory.
    pub(super) fn new(state: Option<&Path>) -> Self {
        Self { folder: state.map(|state| state.join(FOLDER)), known: BTreeMap::new() }
    }

    /// Counts one more run of a tool, where that is not too many.
    ///
    /// # Errors
    /// What keeps it from being counted; it should not run then.
    pub(super) fn admit(&mut self, tool: &str, rate: u32, now: SystemTime) -> io::Result<bool> {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let Some(folder) = &self.folder else {
            return Ok(counted(self.known.entry(tool.to_owned()).or_default(), rate, now));
        };
        platform::create_private_directory(folder)?;
        let gate = folder.join("lock");
        platform::create_private_file(&gate)?;
        let gate = fs::File::options().write(true).open(gate)?;
        // Others wait until it is let go of, at the end.
        gate.lock()?;
        let path = folder.join("rates.json");
        let mut written = read(&path)?;
        written.tools.retain(|_, times| {
            times.back().is_some_and(|latest| now.saturating_sub(*latest) < WINDOW)
        });
        let admitted = counted(written.tools.entry(tool.to_owned()).or_default(), rate, now);
        let text = serde_json::to_vec(&written)?;
        private::write(&path, &text)?;
        Ok(admitted)
    }
}

/// A file that cannot be believed counts nothing, and then nothing runs.
fn read(path: &Path) -> io::Result<Written> {
    let bytes = match private::read(path, LONGEST) {
        Err(error) if error.is_missing() => {
            return Ok(Written { v: VERSION, ..Written::default() });
        }
        read => read.map_err(io::Error::other)?,
    };
    let written: Written = serde_json::from_slice(&bytes)?;
    if written.v != VERSION {
        return Err(io::Error::other(format!("its file has the version {}", written.v)));
    }
    Ok(written)
}

fn counted(times: &mut VecDeque<u64>, rate: u32, now: u64) -> bool {
    // A clock that was set back does not keep a tool from running until it is there again.
    for time in times.iter_mut() {
        *time = (*time).min(now);
    }
    while times.front().is_some_and(|time| now - time >= WINDOW) {
        times.pop_front();
    }
    if times.len() >= rate.min(MOST) as usize {
        return false;
    }
    times.push_back(now);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000 + milliseconds)
    }

    #[test]
    fn a_rate_counts_over_processes_and_the_oldest_run_is_forgotten_after_a_minute() {
        let state = tempfile::tempdir().unwrap();
        let admit = |tool: &str, time| Rates::new(Some(state.path())).admit(tool, 2, time).unwrap();
        assert!(admit("a", at(0)));
        assert!(admit("a", at(10)));
        assert!(!admit("a", at(59_999)));
        assert!(admit("b", at(59_999)));
        assert!(admit("a", at(60_000)));
        assert!(!admit("a", at(60_009)));
        assert!(admit("a", at(60_010)));
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out() {
        let mut rates = Rates::new(None);
        assert!(rates.admit("a", 1, at(3_600_000)).unwrap());
        assert!(!rates.admit("a", 1, at(0)).unwrap());
        assert!(rates.admit("a", 1, at(60_000)).unwrap());
    }

    #[test]
    fn what_cannot_be_counted_does_not_run() {
        let state = tempfile::tempdir().unwrap();
        let mut rates = Rates::new(Some(state.path()));
        assert!(rates.admit("a", 1, at(0)).unwrap());
        for bad in ["", "{}", r#"{"v":2,"tools":{}}"#] {
            fs::write(state.path().join(FOLDER).join("rates.json"), bad).unwrap();
            assert!(rates.admit("a", 9, at(1)).is_err(), "{bad}");
        }
    }
}
