//! Processes as `/proc` shows them (proc(5)). Owns its formats, and that only what the kernel vouches for is believed.

use std::{
    cell::OnceCell,
    fs,
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
};

use super::ancestry::{Process, Processes};

/// More than any line of words or set of variables that we look for something in.
const MOST: u64 = 1 << 20;

/// As much as most of what `/proc` says of a process: one read, where the size that a file there gives itself is 0.
const USUAL: usize = 4096;

/// The whole range of numbers of users: nobody is mapped to anybody else.
const EVERYBODY: &str = "0 0 4294967295";

/// The processes of this system.
pub(super) struct Proc {
    /// Whether the owner of a file is who it says: in a user namespace of its own a process is anybody.
    owners_are_true: OnceCell<bool>,
}

impl Proc {
    pub(super) const fn new() -> Self {
        Self { owners_are_true: OnceCell::new() }
    }

    /// This process, by the number that `/proc` knows it by.
    pub(super) fn own_id() -> Option<u32> {
        fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
    }

    fn owners_are_true(&self) -> bool {
        *self.owners_are_true.get_or_init(|| {
            let map = read("/proc/self/uid_map").unwrap_or_default();
            let map = String::from_utf8_lossy(&map);
            map.split_whitespace().eq(EVERYBODY.split(' '))
        })
    }

    fn is_of_system(&self, id: u32) -> bool {
        if !self.owners_are_true() {
            return false;
        }
        match fs::metadata(format!("/proc/{id}/exe")) {
            Ok(file) => file.uid() == 0 && file.mode() & 0o022 == 0,
            // Its file is hidden from us. A process can hide its own, so all its users must be the system's owner.
            Err(_) => bounded(id, "status").is_some_and(|status| {
                String::from_utf8_lossy(&status)
                    .lines()
                    .find_map(|line| line.strip_prefix("Uid:"))
                    .is_some_and(|users| users.split_whitespace().all(|user| user == "0"))
            }),
        }
    }
}

impl Processes for Proc {
    fn place(&self, id: u32) -> Option<Process> {
        stated(&bounded(id, "stat")?)
    }

    fn program(&self, id: u32) -> Option<Process> {
        let mut process = self.place(id)?;
        process.file = fs::read_link(format!("/proc/{id}/exe")).ok().map(|path| {
            let path = String::from_utf8_lossy(path.as_os_str().as_bytes()).into_owned();
            // What was replaced on disk, by an update for one, runs on.
            path.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(path)
        });
        Some(process)
    }

    fn process(&self, id: u32) -> Option<Process> {
        let mut process = self.program(id)?;
        process.of_system = self.is_of_system(id);
        process.words = texts(&bounded(id, "cmdline").unwrap_or_default());
        Some(process)
    }

    fn variable(&self, id: u32, name: &str) -> Option<String> {
        let variables = bounded(id, "environ")?;
        value(&variables, name)
    }

    fn ids(&self) -> Vec<u32> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
    }
}

fn bounded(id: u32, file: &str) -> Option<Vec<u8>> {
    read(&format!("/proc/{id}/{file}"))
}

fn read(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(USUAL);
    fs::File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// `PID (NAME) STATE PPID PGRP SESSION TTY …`, where the name may hold anything, parentheses too.
fn stated(stat: &[u8]) -> Option<Process> {
    let opens = stat.iter().position(|byte| *byte == b'(')?;
    let closes = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = stat.get(closes + 1..)?.split(|byte| *byte == b' ');
    // Each after so many others that nothing is asked of.
    let mut number = |skipped| fields.nth(skipped).and_then(|field| str::from_utf8(field).ok());
    Some(Process {
        id: str::from_utf8(stat.get(..opens)?).ok()?.trim_end().parse().ok()?,
        name: String::from_utf8_lossy(stat.get(opens + 1..closes)?).into_owned(),
        parent: number(2)?.parse().ok()?,
        session: number(1)?.parse().ok()?,
        terminal: number(0)?.parse().ok()?,
        started: number(14)?.parse().ok()?,
        ..Process::default()
    })
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn value(variables: &[u8], name: &str) -> Option<String> {
    variables.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_hides_nothing() {
        let fields = "S 10 11 12 34816 13 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 1 1";
        let process = stated(format!("42 (x) S 1 1 1) {fields}\n").as_bytes()).unwrap();
        assert_eq!((process.id, process.name.as_str()), (42, "x) S 1 1 1"));
        assert_eq!((process.parent, process.session), (10, 12));
        assert_eq!((process.terminal, process.started), (34816, 777));
        for cut in ["42 (x", "42 x) S 1 1", "42 )x( S 1 1", "(x) S 1", ""] {
            assert_eq!(stated(cut.as_bytes()), None);
        }
    }

    #[test]
    fn this_process_is_seen_as_it_is() {
        let own = Proc::own_id().unwrap();
        let process = Proc::new().process(own).unwrap();
        assert_eq!(process.id, own);
        let file = std::env::current_exe().unwrap();
        assert_eq!(process.file.as_deref(), file.to_str());
        assert!(Proc::new().ids().contains(&own));
        assert_eq!(value(b"A=1\0AB=2\0B", "AB").as_deref(), Some("2"));
        assert_eq!(value(b"A=1\0AB=2\0B", "B"), None);
    }
}
