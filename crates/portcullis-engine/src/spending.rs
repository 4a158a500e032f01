//! What the sessions of `fetch` have used of their budgets, also between processes. Owns the files, one for each session, and that
//! nothing goes out that cannot be counted; how much a budget is, the policy says.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use portcullis_core::network::{Budget, NetworkOptions};
use portcullis_net::{Meter, Spent, Usage, Whose};
use serde::{Deserialize, Serialize};

use crate::{platform, private};

/// Where the files are, in the state directory.
const FOLDER: &str = "spending";

/// More than a file of ours takes.
const LONGEST: u64 = 1 << 20;

/// How many bytes are written down before they are carried, where the budget leaves room for twice as many. What is left of them is
/// given back; whoever is killed on the way has used too much rather than too little.
const AHEAD: u64 = 1 << 20;

/// The version of the files.
const VERSION: u64 = 1;

/// Counts what one tool of a session uses, together with what other processes do.
#[derive(Debug)]
pub struct SessionMeter {
    folder: PathBuf,
    path: PathBuf,
    tool: String,
    budget: Budget,
    tool_budget: Budget,
    /// How many bytes may be carried that are written down already.
    ahead: Mutex<u64>,
}

/// What stands in a file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Spending {
    v: u64,
    session: Counts,
    tools: BTreeMap<String, Counts>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    connections: u64,
    bytes: u64,
}

impl Counts {
    const fn add(&mut self, connections: u64, bytes: u64) {
        self.connections = self.connections.saturating_add(connections);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    const fn usage(self) -> Usage {
        let Self { connections, bytes } = self;
        Usage { connections, bytes }
    }
}

impl SessionMeter {
    /// Counts in a state directory. The names of the session and of the tool are words of letters and digits
    /// ([`crate::config::is_session_word`]).
    #[must_use]
    pub fn new(state: &Path, session: &str, tool: &str, options: &NetworkOptions) -> Self {
        let folder = state.join(FOLDER);
        Self {
            path: folder.join(format!("{session}.json")),
            folder,
            tool: tool.to_owned(),
            budget: options.budget,
            tool_budget: options.budget_of_tool(tool),
            ahead: Mutex::default(),
        }
    }

    /// Counts so many connections and bytes more. The connections are not made where they would be too many, and the bytes are
    /// counted also where they are.
    fn count(&self, connections: u64, bytes: u64, ahead: &mut u64) -> Result<(), Spent> {
        self.change(|session, tool| {
            for counts in [&mut *session, &mut *tool] {
                counts.add(0, bytes);
            }
            tool.usage().within(self.tool_budget, Whose::Tool, connections)?;
            session.usage().within(self.budget, Whose::Session, connections)?;
            let room = |budget: Budget, counts: &Counts| {
                budget.bytes.map(|most| most.saturating_sub(counts.bytes) / 2)
            };
            let rooms = [room(self.budget, session), room(self.tool_budget, tool)];
            let next = match *ahead {
                0 => rooms.into_iter().flatten().fold(AHEAD, u64::min),
                _ => 0,
            };
            for counts in [session, tool] {
                counts.add(connections, next);
            }
            *ahead += next;
            Ok(())
        })
    }

    /// Changes what stands in the file, with no other process between.
    fn change(
        &self,
        change: impl FnOnce(&mut Counts, &mut Counts) -> Result<(), Spent>,
    ) -> Result<(), Spent> {
        let uncounted = |error: &dyn std::fmt::Display| Spent::Uncounted(error.to_string());
        platform::create_private_directory(&self.folder).map_err(|error| uncounted(&error))?;
        let gate = self.folder.join("lock");
        platform::create_private_file(&gate).map_err(|error| uncounted(&error))?;
        let gate = fs::File::options().write(true).open(gate);
        let gate = gate.and_then(|gate| gate.lock().map(|()| gate));
        // Others wait until it is let go of, at the end.
        let _gate = gate.map_err(|error| uncounted(&error))?;
        let mut spending = self.read()?;
        let tool = spending.tools.entry(self.tool.clone()).or_default();
        let changed = change(&mut spending.session, tool);
        let text = serde_json::to_vec(&spending).map_err(|error| uncounted(&error))?;
        private::write(&self.path, &text).map_err(|error| uncounted(&error))?;
        changed
    }

    /// A file that cannot be believed tells nothing, and then nothing goes out.
    fn read(&self) -> Result<Spending, Spent> {
        let bytes = match private::read(&self.path, LONGEST) {
            Err(error) if error.is_missing() => {
                private::forget_old(&self.folder);
                let session = Counts::default();
                return Ok(Spending { v: VERSION, session, tools: BTreeMap::new() });
            }
            read => read.map_err(|error| Spent::Uncounted(error.to_string()))?,
        };
        let read: Spending =
            serde_json::from_slice(&bytes).map_err(|error| Spent::Uncounted(error.to_string()))?;
        if read.v != VERSION {
            return Err(Spent::Uncounted(format!("its file has the version {}", read.v)));
        }
        Ok(read)
    }
}

impl Meter for SessionMeter {
    fn connect(&self) -> Result<(), Spent> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        self.count(1, 0, &mut ahead)
    }

    fn carry(&self, bytes: u64) -> Result<(), Spent> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = ahead.checked_sub(bytes) {
            *ahead = left;
            return Ok(());
        }
        let more = bytes - std::mem::take(&mut *ahead);
        self.count(0, more, &mut ahead)
    }
}

impl Drop for SessionMeter {
    fn drop(&mut self) {
        let left = std::mem::take(self.ahead.get_mut().unwrap_or_else(PoisonError::into_inner));
        if left > 0 {
            // Where it cannot be given back, too much is counted, and nobody is left to be told.
            let _ = self.change(|session, tool| {
                for counts in [session, tool] {
                    counts.bytes = counts.bytes.saturating_sub(left);
                }
                Ok(())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> NetworkOptions {
        let mut options = NetworkOptions {
            budget: Budget { connections: Some(4), bytes: Some(1_000) },
            tool_budget: Budget { connections: Some(2), bytes: None },
            ..NetworkOptions::default()
        };
        let own = Budget { connections: Some(3), bytes: Some(100) };
        options.tool_budgets.insert("docs".to_owned(), own);
        options
    }

    #[test]
    fn what_a_session_used_the_next_process_knows() {
        let state = tempfile::tempdir().unwrap();
        let meter =
            |session: &str, tool: &str| SessionMeter::new(state.path(), session, tool, &options());
        let first = meter("a", "fetch");
        assert_eq!(first.connect(), Ok(()));
        assert_eq!(first.carry(600), Ok(()));
        assert_eq!(meter("a", "fetch").connect(), Ok(()));
        assert_eq!(meter("a", "fetch").connect(), Err(Spent::Connections(Whose::Tool, 2)));
        // What was counted ahead and not carried is given back.
        drop(first);
        let docs = meter("a", "docs");
        assert_eq!(docs.connect(), Ok(()));
        assert_eq!(docs.carry(100), Ok(()));
        assert_eq!(docs.carry(1), Err(Spent::Bytes(Whose::Tool, 100)));
        assert_eq!(docs.connect(), Err(Spent::Bytes(Whose::Tool, 100)));
        let other = meter("a", "other");
        assert_eq!(other.connect(), Ok(()));
        assert_eq!(other.carry(299), Ok(()));
        assert_eq!(other.carry(1), Err(Spent::Bytes(Whose::Session, 1_000)));
        assert_eq!(meter("a", "last").connect(), Err(Spent::Bytes(Whose::Session, 1_000)));
        assert_eq!(meter("b", "last").connect(), Ok(()));
    }

    #[test]
    fn whoever_is_killed_has_used_no_less() {
        let state = tempfile::tempdir().unwrap();
        for _ in 0..20 {
            let meter = SessionMeter::new(state.path(), "a", "docs", &options());
            let carried = meter.connect().and_then(|()| meter.carry(60));
            std::mem::forget(meter);
            if carried.is_err() {
                break;
            }
        }
        let read = fs::read_to_string(state.path().join(FOLDER).join("a.json")).unwrap();
        let spending: Spending = serde_json::from_str(&read).unwrap();
        assert!(spending.tools["docs"].bytes > 100, "{read}");
        assert!(spending.tools["docs"].connections <= 2, "{read}");
    }

    #[test]
    fn what_cannot_be_counted_does_not_go_out() {
        let state = tempfile::tempdir().unwrap();
        let meter = SessionMeter::new(state.path(), "a", "fetch", &options());
        meter.connect().unwrap();
        for bad in ["", "{}", r#"{"v":2,"session":{"connections":0,"bytes":0},"tools":{}}"#] {
            fs::write(&meter.path, bad).unwrap();
            assert!(matches!(meter.connect(), Err(Spent::Uncounted(_))), "{bad}");
        }
        fs::remove_file(&meter.path).unwrap();
        fs::create_dir(&meter.path).unwrap();
        assert!(matches!(meter.connect(), Err(Spent::Uncounted(_))));
    }

    #[test]
    fn many_at_once_make_no_connection_too_many() {
        let state = tempfile::tempdir().unwrap();
        let options = NetworkOptions {
            budget: Budget { connections: Some(5), bytes: None },
            ..NetworkOptions::default()
        };
        let made = std::thread::scope(|scope| {
            let connect = || SessionMeter::new(state.path(), "a", "x", &options).connect().is_ok();
            let threads: Vec<_> = (0..20).map(|_| scope.spawn(connect)).collect();
            threads.into_iter().filter_map(|one| one.join().ok()).filter(|made| *made).count()
        });
        assert_eq!(made, 5);
    }
}
