//! What the earlier calls of a session left, also between processes: a hook is a process for each call. Owns the files, one
//! for each session; what is remembered and what it means, the core knows.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
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

/// How many sessions one process keeps in mind. Of more the one that was longest not spoken of is forgotten, and that is known of it.
const SESSIONS: usize = 1_000;

/// Of how many it is known that they were forgotten; of more, whatever session is not known may be one.
const FORGOTTEN: usize = 16_384;

/// What one process keeps in mind.
#[derive(Debug, Default)]
struct Known {
    /// Each with when it was last spoken of.
    sessions: HashMap<String, (u64, SessionState)>,
    /// The first bytes of the names of those that were forgotten.
    forgotten: HashSet<u64>,
    /// Whether more were forgotten than are kept there.
    is_cut: bool,
    now: u64,
}

impl Known {
    fn of(&self, name: &str) -> SessionState {
        match self.sessions.get(name) {
            Some((_, state)) => state.clone(),
            None if self.is_cut || self.forgotten.contains(&short(name)) => SessionState::lost(),
            None => SessionState::NOTHING,
        }
    }

    fn change(&mut self, name: String, change: &dyn Fn(&mut SessionState)) {
        let before = self.of(&name);
        let mut state = before.clone();
        change(&mut state);
        if state == before && !self.sessions.contains_key(&name) {
            return;
        }
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(&name) {
            self.forget_oldest();
        }
        self.now += 1;
        self.forgotten.remove(&short(&name));
        self.sessions.insert(name, (self.now, state));
    }

    fn forget_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(_, (spoken_of, _))| *spoken_of);
        let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { return };
        self.sessions.remove(&oldest);
        if self.forgotten.len() < FORGOTTEN {
            self.forgotten.insert(short(&oldest));
        } else {
            self.is_cut = true;
        }
    }
}

/// The beginning of a session's name, which is a digest, by which it is told from every other one.
fn short(name: &str) -> u64 {
    name.get(..16).and_then(|first| u64::from_str_radix(first, 16).ok()).unwrap_or_default()
}

/// The memory of all sessions.
#[derive(Debug, Default)]
pub struct Memory {
    /// Where it is kept for other processes, if at all.
    folder: Option<PathBuf>,
    known: Mutex<Known>,
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
                known.of(&name)
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
            known.change(name, change);
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
    fn a_session_that_was_forgotten_is_known_to_be_lost() {
        let memory = Memory::new(None);
        for number in 0..=SESSIONS {
            leave(&memory, &number.to_string(), "curl -o x https://example.com/x");
            // One that is spoken of again and again is not the oldest.
            leave(&memory, "busy", &format!("curl -o x{number} https://example.com/x"));
        }
        assert!(memory.of(&call("0", "ls")).is_lost() && memory.of(&call("1", "ls")).is_lost());
        for kept in ["2", "busy", &SESSIONS.to_string()] {
            let state = memory.of(&call(kept, "ls"));
            assert!(!state.is_lost() && !state.is_empty(), "{kept}");
        }
        // What nobody spoke of was not forgotten.
        assert!(memory.of(&call("new", "ls")).is_empty());
        // What is known anew of a lost one does not make up for what was.
        leave(&memory, "0", "curl -o y https://example.com/x");
        assert!(memory.of(&call("0", "ls")).is_lost());
        let mut known = Known { is_cut: true, ..Known::default() };
        assert!(known.of("any").is_lost());
        known.change("any".to_owned(), &|state| state.person_sent("Fix it."));
        assert!(!known.of("any").is_lost());
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
