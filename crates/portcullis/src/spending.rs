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

/// How many bytes are carried before they are written down, where the budget leaves room for more.
const UNTOLD: u64 = 1 << 20;

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
    carried: Mutex<Carried>,
}

/// What was carried since it was last written down.
#[derive(Debug, Default)]
struct Carried {
    bytes: u64,
    /// How many more there was room for then; `None` where nothing bounds them.
    room: Option<u64>,
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
            carried: Mutex::default(),
        }
    }

    /// Writes down what was carried and so many connections more, which are not made where they would be too many.
    fn settle(&self, carried: &mut Carried, connections: u64) -> Result<(), Spent> {
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
        for counts in [&mut spending.session, &mut *tool] {
            counts.add(0, carried.bytes);
        }
        let (session, tool) = (&mut spending.session, tool);
        let within = tool
            .usage()
            .within(self.tool_budget, Whose::Tool, connections)
            .and_then(|()| session.usage().within(self.budget, Whose::Session, connections));
        if within.is_ok() {
            session.add(connections, 0);
            tool.add(connections, 0);
        }
        let left = |budget: Budget, counts: &Counts| {
            budget.bytes.map(|most| most.saturating_sub(counts.bytes))
        };
        let rooms = [left(self.budget, session), left(self.tool_budget, tool)];
        let room = rooms.into_iter().flatten().min();
        let text = serde_json::to_vec(&spending).map_err(|error| uncounted(&error))?;
        private::write(&self.path, &text).map_err(|error| uncounted(&error))?;
        *carried = Carried { bytes: 0, room };
        within
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
        let mut carried = self.carried.lock().unwrap_or_else(PoisonError::into_inner);
        self.settle(&mut carried, 1)
    }

    fn carry(&self, bytes: u64) -> Result<(), Spent> {
        let mut carried = self.carried.lock().unwrap_or_else(PoisonError::into_inner);
        carried.bytes = carried.bytes.saturating_add(bytes);
        if carried.bytes < UNTOLD && carried.room.is_none_or(|room| carried.bytes <= room) {
            return Ok(());
        }
        self.settle(&mut carried, 0)
    }
}

impl Drop for SessionMeter {
    fn drop(&mut self) {
        let carried = self.carried.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut carried = std::mem::take(carried);
        if carried.bytes > 0 {
            // Nobody is left to be told; the next connection will be, if the file cannot be written then either.
            let _ = self.settle(&mut carried, 0);
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
        // What another process carried is only known when it has ended, or a connection is made.
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
