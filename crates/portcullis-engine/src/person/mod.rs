//! The person in front of the terminal. Owns how it is found out that somebody is there and not an agent, and how they are
//! asked; what they are asked, the verbs say.
//!
//! An agent runs with the user's rights, so nothing here is proof. What is demanded is that this process has a terminal of
//! its own, and that among those who started it there is no agent but somebody whom people sit at. What that does not stop,
//! the threat model says.

mod agents;
mod ancestry;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod terminal;

use std::{env, io, path::Path, sync::atomic::AtomicBool, time::Duration};

use crate::{audit, platform};

#[cfg(target_os = "linux")]
use ancestry::{Process, Processes};
#[cfg(unix)]
pub use screen::Screen;
#[cfg(unix)]
use terminal::Terminal;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where hooks note which processes are agents, in the state directory.
const SESSIONS: &str = "sessions";

/// The most notes that are looked through when a new one is made.
const MAX_NOTES: usize = 1_000;

/// Why nobody can be asked here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoPerson {
    /// No terminal controls this process.
    #[error("there is no terminal to ask at: {0}")]
    NoTerminal(#[source] io::Error),
    /// It runs behind something else that has the terminal.
    #[error("this runs in the background of its terminal")]
    Background,
    /// A variable says that an agent started it.
    #[error("this runs inside {agent}: the variable `{variable}` is set")]
    Marked {
        /// Which agent.
        agent: &'static str,
        /// What shows it.
        variable: &'static str,
    },
    /// One of those who started it is an agent.
    #[error("this runs inside {agent}: it was started by process {process}, `{name}`")]
    Agent {
        /// Which agent.
        agent: String,
        /// Its number.
        process: u32,
        /// What its program is called.
        name: String,
    },
    /// An editor whose own agent types into the same terminals.
    #[error("this runs inside the editor `{name}`, whose own agent could type here")]
    Editor {
        /// What its program is called.
        name: String,
    },
    /// A server of terminals that nobody sits at.
    #[error("nobody whom we can see sits at `{name}`, which this runs inside")]
    Unattended {
        /// What its program is called.
        name: String,
    },
    /// Nobody who started it is known to have a person in front of it.
    #[error(
        "this was not started from a login, a terminal window or a remote session that we know"
    )]
    Unseated,
    /// The processes cannot be looked at.
    #[error("who started this cannot be found out on this system")]
    Unknown,
}

impl NoPerson {
    /// What a person can do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Background => "run it in the foreground",
            Self::NoTerminal(_)
            | Self::Marked { .. }
            | Self::Agent { .. }
            | Self::Editor { .. }
            | Self::Unattended { .. }
            | Self::Unseated
            | Self::Unknown => {
                "open a terminal window of your own, outside of any agent and editor, and run it there"
            }
        }
    }
}

/// Somebody at a terminal.
#[derive(Debug)]
pub struct Person {
    #[cfg(unix)]
    terminal: Terminal,
    name: String,
}

impl Person {
    /// The person at the terminal that controls this process, with the agents that were noted in the usual state
    /// directory.
    ///
    /// # Errors
    /// [`NoPerson`], with the reason why nobody can be asked.
    pub fn at_terminal() -> Result<Self, NoPerson> {
        Self::at_terminal_beside(audit::directory(None).ok().as_deref())
    }

    /// As [`Person::at_terminal`], with the agents that were noted in a given state directory.
    ///
    /// # Errors
    /// As [`Person::at_terminal`].
    pub fn at_terminal_beside(state: Option<&Path>) -> Result<Self, NoPerson> {
        let marked = agents::mark_of(|name| {
            env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        });
        if let Some((agent, variable)) = marked {
            return Err(NoPerson::Marked { agent, variable });
        }
        #[cfg(target_os = "linux")]
        {
            let own = linux::Proc::own_id().ok_or(NoPerson::Unknown)?;
            let is_marked = |process: &Process| {
                state.is_some_and(|state| note(state, process).symlink_metadata().is_ok())
            };
            ancestry::seated(&linux::Proc::new(), own, &is_marked)?;
            Ok(Self { terminal: Terminal::controlling()?, name: platform::user_name() })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = state;
            Err(NoPerson::Unknown)
        }
    }

    /// Somebody at a given terminal, whoever started this.
    #[cfg(any(test, feature = "testing"))]
    #[cfg(unix)]
    pub fn at(device: std::fs::File, name: &str) -> Result<Self, NoPerson> {
        Ok(Self { terminal: Terminal::of(device)?, name: name.to_owned() })
    }

    /// The name that the record knows them by: their login name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How wide their terminal is, where it says so.
    #[must_use]
    pub fn columns(&self) -> Option<usize> {
        #[cfg(unix)]
        {
            self.terminal.columns()
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// Shows a question and asks for a short random word to be typed: a `y` is typed by habit, and what was typed before
    /// the question cannot know the word. No answer within a minute is a no.
    ///
    /// Everything that could fool the reader is written out; lines are kept, so whatever is put into the question must
    /// stand on one line by itself.
    ///
    /// # Errors
    /// When the terminal fails, which is no consent.
    pub fn confirm(&mut self, question: &str) -> io::Result<bool> {
        self.confirm_within(question, PATIENCE)
    }

    /// As [`Person::confirm`], with another time to answer in.
    ///
    /// # Errors
    /// As [`Person::confirm`].
    pub fn confirm_within(&mut self, question: &str, patience: Duration) -> io::Result<bool> {
        #[cfg(unix)]
        {
            self.terminal.asked(question, &word()?, patience)
        }
        #[cfg(not(unix))]
        {
            let _ = (question, patience);
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

impl Person {
    /// Shows a text and gives the line that they type, however long that takes; `None` at the end of the input, and where `stop` was set. What
    /// they typed before is thrown away.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn line_for(&mut self, text: &str, stop: &AtomicBool) -> io::Result<Option<String>> {
        #[cfg(unix)]
        {
            self.terminal.line_for(text, stop)
        }
        #[cfg(not(unix))]
        {
            let _ = (text, stop);
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

#[cfg(unix)]
impl Person {
    /// The whole screen of their terminal, until that is dropped.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn screen(&self) -> io::Result<Screen> {
        self.terminal.screen()
    }

    /// A word to be typed for consent, as [`Person::confirm`] asks for one.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn word() -> io::Result<String> {
        word()
    }
}

/// A word of six letters that can be read, said and typed, one of half a million.
#[cfg(unix)]
fn word() -> io::Result<String> {
    const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
    const VOWELS: &[u8; 4] = b"aiou";
    let bytes: [u8; 6] = platform::random()?;
    let letter = |(at, byte): (usize, &u8)| {
        let table: &[u8] = if at % 2 == 0 { CONSONANTS } else { VOWELS };
        table.get(usize::from(*byte) % table.len()).copied().map_or('x', char::from)
    };
    Ok(bytes.iter().enumerate().map(letter).collect())
}

/// A session for the calls of whoever started this process: all that one agent starts belongs together, and nothing that another one does.
#[must_use]
pub fn session_of_starter(prefix: &str) -> String {
    #[cfg(target_os = "linux")]
    {
        let processes = linux::Proc::new();
        let own = linux::Proc::own_id().and_then(|own| processes.place(own));
        if let Some(starter) = own.and_then(|own| processes.place(own.parent)) {
            return format!("{prefix}-{}-{}", starter.id, starter.started);
        }
    }
    let random = platform::random::<8>().map(|bytes| data_encoding::HEXLOWER.encode(&bytes));
    format!("{prefix}-{}", random.unwrap_or_else(|_| std::process::id().to_string()))
}

/// The agent that called this hook, by what no other process has; nothing where the system does not say.
#[must_use]
pub fn caller() -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let processes = linux::Proc::new();
        let caller = ancestry::caller(&processes, linux::Proc::own_id()?)?;
        Some(format!("{}-{}", caller.id, caller.started))
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

/// Whether a process that [`caller`] named is among those who started this one.
#[must_use]
pub fn descends_from(caller: &str) -> bool {
    #[cfg(target_os = "linux")]
    {
        let processes = linux::Proc::new();
        let own = linux::Proc::own_id().and_then(|own| processes.place(own));
        let above = std::iter::successors(own, |process| {
            (process.parent > 0).then(|| processes.place(process.parent)).flatten()
        });
        let mut above = above.take(MAX_NOTES);
        above.any(|process| format!("{}-{}", process.id, process.started) == caller)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = caller;
        false
    }
}

/// Notes in the state directory that the process which called this hook is an agent, so that nothing it starts can answer
/// for a person, whatever it is called. Costs one look where it is noted already.
///
/// # Errors
/// When it cannot be noted. Nothing depends on it alone.
pub fn mark_agent(state: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let processes = linux::Proc::new();
        let caller = linux::Proc::own_id().and_then(|own| ancestry::caller(&processes, own));
        let Some(caller) = caller else { return Ok(()) };
        let path = note(state, &caller);
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let directory = state.join(SESSIONS);
        platform::create_private_directory(&directory)?;
        forget_the_dead(&directory, &processes);
        platform::create_private_file(&path).map(drop)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = state;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn note(state: &Path, process: &Process) -> std::path::PathBuf {
    state.join(SESSIONS).join(format!("{}-{}", process.id, process.started))
}

/// Removes the notes of processes that are no more: a number is used again.
#[cfg(target_os = "linux")]
fn forget_the_dead(directory: &Path, processes: &dyn Processes) {
    let Ok(notes) = std::fs::read_dir(directory) else { return };
    for note in notes.flatten().take(MAX_NOTES) {
        let name = note.file_name();
        let Some((id, started)) = name.to_str().and_then(|name| name.split_once('-')) else {
            continue;
        };
        let (Ok(id), Ok(started)) = (id.parse::<u32>(), started.parse::<u64>()) else { continue };
        if processes.place(id).is_none_or(|process| process.started != started) {
            // One that stays costs a few bytes.
            let _ = std::fs::remove_file(note.path());
        }
    }
}

#[cfg(target_os = "linux")]
#[cfg(any(test, feature = "testing"))]
pub mod desk;
#[cfg(target_os = "linux")]
#[cfg(any(test, feature = "testing"))]
pub mod grid;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
