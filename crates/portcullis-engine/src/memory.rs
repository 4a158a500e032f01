//! What the earlier calls of a session left, also between processes: a hook is a process for each call. Owns the files, one
//! for each session; what is remembered and what it means, the core knows.

use std::{
    collections::{BTreeSet, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use portcullis_core::{call::ToolCall, session::SessionState};
use sha2::{Digest as _, Sha256};

use crate::{platform, private};

/// Where the files are, in the state directory.
const FOLDER: &str = "memory";

/// More than a state takes that is full.
const LONGEST: u64 = 4 << 20;

/// How many sessions one process keeps in mind.
const SESSIONS: usize = 1_000;

/// The memory of all sessions.
#[derive(Debug, Default)]
pub struct Memory {
    /// Where it is kept for other processes, if at all.
    folder: Option<PathBuf>,
    known: Mutex<HashMap<String, SessionState>>,
    /// The files that were written and not yet synced, where that is not done for each change.
    unsynced: Option<Mutex<BTreeSet<PathBuf>>>,
}

impl Memory {
    /// A memory that ends with the process, or one in a state directory.
    #[must_use]
    pub fn new(state: Option<&Path>) -> Self {
        Self {
            folder: state.map(|state| state.join(FOLDER)),
            known: Mutex::default(),
            unsynced: None,
        }
    }

    /// Leaves it to [`Memory::sync`] from here on that changes survive a loss of power; other processes see them at once all the same.
    pub fn sync_together(&mut self) {
        self.unsynced.get_or_insert_default();
    }

    /// Sees to it that changes survive a loss of power. What cannot be synced is what was there before, or known to be lost.
    pub fn sync(&self) {
        let Some(unsynced) = &self.unsynced else { return };
        let paths = std::mem::take(&mut *unsynced.lock().unwrap_or_else(PoisonError::into_inner));
        for path in paths {
            let _ = private::sync(&path);
        }
    }

    /// What the session of a call left behind. Of a file that cannot be believed, only that there was one is known.
    #[must_use]
    pub fn of(&self, call: &ToolCall) -> SessionState {
        let Some(name) = name(call) else { return SessionState::NOTHING };
        match &self.folder {
            Some(folder) => read(&folder.join(name)),
            None => {
                let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                known.get(&name).cloned().unwrap_or_default()
            }
        }
    }

    /// Adds to what is remembered of a call's session.
    ///
    /// # Errors
    /// When it cannot be kept for other processes.
    pub fn add(&self, call: &ToolCall, change: &dyn Fn(&mut SessionState)) -> io::Result<()> {
        let Some(name) = name(call) else { return Ok(()) };
        let Some(folder) = &self.folder else {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() < SESSIONS || known.contains_key(&name) {
                change(known.entry(name).or_default());
            }
            return Ok(());
        };
        let path = folder.join(name);
        let changed = || {
            let before = read(&path);
            let mut after = before.clone();
            change(&mut after);
            (after != before).then_some(after)
        };
        // Most calls leave nothing, and need not wait for others.
        if changed().is_none() {
            return Ok(());
        }
        platform::create_private_directory(folder)?;
        let gate = folder.join("lock");
        platform::create_private_file(&gate)?;
        let gate = fs::File::options().write(true).open(gate)?;
        gate.lock()?;
        let Some(state) = changed() else { return Ok(()) };
        if !path.exists() {
            private::forget_old(folder);
        }
        let bytes = serde_json::to_vec(&state)?;
        let Some(unsynced) = &self.unsynced else { return private::write(&path, &bytes) };
        private::write_unsynced(&path, &bytes)?;
        unsynced.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        Ok(())
    }
}

/// What a session's file is called: names come from agents, and may hold anything.
fn name(call: &ToolCall) -> Option<String> {
    let session = call.session.as_deref().filter(|session| !session.is_empty())?;
    let mut hash = Sha256::new();
    hash.update(call.agent.as_deref().unwrap_or_default());
    hash.update([0]);
    hash.update(session);
    Some(data_encoding::HEXLOWER.encode(&hash.finalize()))
}

fn read(path: &Path) -> SessionState {
    match private::read(path, LONGEST) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|_| SessionState::lost()),
        Err(error) if error.is_missing() => SessionState::NOTHING,
        Err(_) => SessionState::lost(),
    }
}

#[cfg(test)]
mod tests {
    use portcullis_core::{action::Action, facts::Facts, understand};

    use super::*;

    fn call(session: &str, command: &str) -> ToolCall {
        ToolCall {
            session: Some(session.to_owned()),
            cwd: Some("/work".to_owned()),
            ..ToolCall::shell(command)
        }
    }

    fn leave(memory: &Memory, session: &str, command: &str) {
        let call = call(session, command);
        let action = Action::from_call(call.clone()).unwrap();
        let facts = Facts { cwd: call.cwd.clone(), ..Facts::default() };
        let effects = understand::understand(&action, &facts);
        memory.add(&call, &|state| state.after(&action, &effects)).unwrap();
    }

    #[test]
    fn a_session_is_known_to_the_next_process_and_no_other_session_is() {
        let state = tempfile::tempdir().unwrap();
        let folder = Some(state.path());
        leave(&Memory::new(folder), "a", "curl -o x https://example.com/x");
        assert!(!Memory::new(folder).of(&call("a", "ls")).is_empty());
        assert!(Memory::new(folder).of(&call("b", "ls")).is_empty());
        assert!(Memory::new(None).of(&call("a", "ls")).is_empty());
        leave(&Memory::new(folder), "a", "rm x");
        assert!(Memory::new(folder).of(&call("a", "ls")).is_empty());
    }

    #[test]
    fn a_call_without_a_session_leaves_nothing() {
        let state = tempfile::tempdir().unwrap();
        let memory = Memory::new(Some(state.path()));
        leave(&memory, "", "curl -o x https://example.com/x");
        leave(&memory, "quiet", "ls");
        assert!(!state.path().join(FOLDER).exists());
    }

    #[test]
    fn what_is_not_as_it_was_written_is_known_to_be_lost() {
        let state = tempfile::tempdir().unwrap();
        let memory = Memory::new(Some(state.path()));
        leave(&memory, "a", "curl -o x https://example.com/x");
        let file = state.path().join(FOLDER).join(name(&call("a", "")).unwrap());
        fs::write(&file, b"{\"files\": 3}").unwrap();
        assert!(memory.of(&call("a", "ls")).is_lost());
        assert!(!memory.of(&call("b", "ls")).is_lost());
    }

    #[test]
    fn calls_beside_one_another_forget_nothing() {
        let state = tempfile::tempdir().unwrap();
        let memory = Memory::new(Some(state.path()));
        std::thread::scope(|scope| {
            for number in 0..8 {
                let memory = &memory;
                scope.spawn(move || {
                    leave(memory, "a", &format!("curl -o x{number} https://example.com/x"));
                });
            }
        });
        let kept = serde_json::to_string(&memory.of(&call("a", "ls"))).unwrap();
        for number in 0..8 {
            assert!(kept.contains(&format!("/work/x{number}")), "{kept}");
        }
    }
}
