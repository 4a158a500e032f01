//! Who started this process. Owns the walk up its ancestors and what that proves; which names mean what, `agents` says,
//! and how a process is read differs by system.

use super::{
    NoPerson,
    agents::{self, EDITORS, MULTIPLEXERS, SEATS, SHELLS},
};

/// More ancestors than any session has.
const MAX_ANCESTORS: usize = 64;

/// How many multiplexers may sit in one another.
const MAX_NESTED: usize = 4;

/// One process, as far as the system lets it be seen.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Process {
    pub(super) id: u32,
    pub(super) parent: u32,
    /// The leader of its session.
    pub(super) session: u32,
    /// Its controlling terminal; 0 for none.
    pub(super) terminal: i64,
    /// When it started, in ticks since the system did: with its number, what no other process has.
    pub(super) started: u64,
    /// The name that it gives itself.
    pub(super) name: String,
    /// The file that it runs, where that can be seen: of our own processes, and of all for the system's owner.
    pub(super) file: Option<String>,
    /// Whether that file (or, where it cannot be seen, the process) belongs to the system's owner and nobody else may
    /// write to it.
    pub(super) of_system: bool,
    /// The words that it was started with.
    pub(super) words: Vec<String>,
}

/// The processes of this machine.
pub(super) trait Processes {
    /// One of them; `None` where it is gone or cannot be seen.
    fn process(&self, id: u32) -> Option<Process>;
    /// As [`Processes::process`], with nothing but its numbers and the name that it gives itself.
    fn place(&self, id: u32) -> Option<Process> {
        self.process(id)
    }
    /// As [`Processes::place`], with the file that it runs.
    fn program(&self, id: u32) -> Option<Process> {
        self.process(id)
    }
    /// A variable that a process was started with; `None` also where that cannot be seen.
    fn variable(&self, id: u32, name: &str) -> Option<String>;
    /// All of them.
    fn ids(&self) -> Vec<u32>;
}

impl Process {
    /// What its program is called. A name that a process gave itself counts only where its file cannot be seen.
    fn program(&self) -> &str {
        let given = self.name.split([':', ' ']).next().unwrap_or_default();
        agents::base(self.file.as_deref().unwrap_or(given))
    }

    fn is_one_of(&self, table: &[&str]) -> bool {
        table.contains(&self.program())
    }

    /// The agent that it is, by anything that it shows: whoever calls itself an agent is none the less one.
    fn agent(&self) -> Option<&'static str> {
        agents::agent_of([self.program(), agents::base(&self.name)], &self.words)
    }
}

/// The ancestors of a process, the nearest first, up to the first process of all.
fn ancestors(processes: &dyn Processes, id: u32) -> Result<Vec<Process>, NoPerson> {
    let mut found = Vec::new();
    let mut next = id;
    while next > 0 {
        if found.len() >= MAX_ANCESTORS {
            return Err(NoPerson::Unknown);
        }
        let process = processes.process(next).ok_or(NoPerson::Unknown)?;
        next = process.parent;
        found.push(process);
    }
    Ok(found)
}

/// Whether a process was started by a person at a terminal, as far as its ancestors tell; `is_marked` knows the processes
/// that a hook found to be agents.
pub(super) fn seated(
    processes: &dyn Processes,
    id: u32,
    is_marked: &dyn Fn(&Process) -> bool,
) -> Result<(), NoPerson> {
    seated_within(processes, id, is_marked, MAX_NESTED)
}

fn seated_within(
    processes: &dyn Processes,
    id: u32,
    is_marked: &dyn Fn(&Process) -> bool,
    nested: usize,
) -> Result<(), NoPerson> {
    let line = ancestors(processes, id)?;
    for process in &line {
        let inside = |agent: &str| NoPerson::Agent {
            agent: agent.to_owned(),
            process: process.id,
            name: process.program().to_owned(),
        };
        if let Some(agent) = process.agent() {
            return Err(inside(agent));
        }
        if is_marked(process) {
            return Err(inside("an agent that asked the gate"));
        }
        let started_with = |name: &str| processes.variable(process.id, name);
        if let Some((agent, _)) = agents::mark_of(started_with) {
            return Err(inside(agent));
        }
        if process.is_one_of(EDITORS) {
            return Err(NoPerson::Editor { name: process.program().to_owned() });
        }
    }
    if line.iter().any(|process| process.of_system && process.is_one_of(SEATS)) {
        return Ok(());
    }
    if let Some(server) = line.iter().find(|process| process.is_one_of(MULTIPLEXERS)) {
        let attended = nested > 0
            && processes.ids().into_iter().any(|client| {
                client != server.id
                    && processes.process(client).is_some_and(|process| {
                        process.terminal != 0
                            && process.file.is_some()
                            && process.file == server.file
                    })
                    && seated_within(processes, client, is_marked, nested - 1).is_ok()
            });
        return if attended {
            Ok(())
        } else {
            Err(NoPerson::Unattended { name: server.program().to_owned() })
        };
    }
    // Into a container one comes from outside: whoever entered leads the session and has no parent here. What was started
    // inside and let go of has the first process for a parent, and does not lead.
    let leader = line.first().map(|process| process.session);
    let entered = line.last().is_some_and(|top| {
        Some(top.id) == leader && top.is_one_of(SHELLS) && top.terminal != 0 && top.of_system
    });
    if entered { Ok(()) } else { Err(NoPerson::Unseated) }
}

/// The process that called a hook: the nearest ancestor that is no shell, unless it is one that people sit at or the
/// system's own. Looks no farther than that.
pub(super) fn caller(processes: &dyn Processes, id: u32) -> Option<Process> {
    let mut next = processes.place(id)?.parent;
    for _ in 0..MAX_ANCESTORS {
        if next <= 1 {
            return None;
        }
        let process = processes.program(next)?;
        if !process.is_one_of(SHELLS) {
            let is_harmless = process.is_one_of(SEATS)
                || process.is_one_of(MULTIPLEXERS)
                || process.is_one_of(&["init", "systemd"]);
            return (!is_harmless).then_some(process);
        }
        next = process.parent;
    }
    None
}
