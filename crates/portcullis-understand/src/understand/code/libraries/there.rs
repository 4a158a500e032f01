//! Commands and files on other machines that a library of SSH reaches. Owns which machine that is, and that what is done there is told as
//! `ssh` has it, so that the rules see where it happens.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    Called,
};
use crate::{effect::Argument, text::Text};

/// Modules by which commands run on other machines, and not in what a device has for a shell.
const SHELLS: &[&str] = &[
    "asyncssh",
    "fabric",
    "fabric2",
    "node-ssh",
    "paramiko",
    "pssh",
    "simple-ssh",
    "spur",
    "ssh2",
    "ssh2-promise",
];

/// What opens a way to a machine.
const OPENS: &[&str] = &[
    "Connection",
    "Group",
    "ParallelSSHClient",
    "SSHClient",
    "SSHConnection",
    "SerialGroup",
    "SshShell",
    "ThreadingGroup",
    "Transport",
    "connect",
];

impl Interpreter<'_, '_, '_> {
    /// Remembers the machine that a connection is opened to.
    pub(in super::super) fn notice_machine(&mut self, path: &str, given: &[Given]) {
        let last = path.rsplit('.').next().unwrap_or_default();
        if !OPENS.contains(&last) || !is_shell(path) {
            return;
        }
        let named = |it: &&Given| matches!(it.name.as_deref(), Some("host" | "hostname" | "hosts"));
        let named = given.iter().find(named).map(|it| it.value.clone());
        let entry = given.iter().find_map(|it| it.value.entry("host").cloned());
        let first = given.first().filter(|it| it.name.is_none()).map(|it| it.value.clone());
        let Some(host) = named.or(entry).or(first) else { return };
        let host = match host {
            // `Transport(("backup.example.com", 22))`, `SerialGroup(*hosts)`
            Value::List(list) => list.first().map(Value::text),
            Value::Table(_) => None,
            host => Some(host.text()),
        };
        self.seen.machine = host.filter(|host| !host.is_empty());
    }

    /// The machine on which a command runs that the object of such a library is given.
    pub(super) fn machine_of(&self, called: &Called<'_>) -> Option<Text> {
        let is_here = called.name == "local" || called.path.contains("LocalShell");
        if is_here || !is_shell(called.path) {
            return None;
        }
        Some(self.seen.machine.clone().unwrap_or_else(|| Text::unknown("a machine")))
    }

    /// Runs a command there: the words of `ssh`.
    pub(super) fn run_there(&mut self, host: Text, words: Vec<Text>, span: Span) -> Text {
        let mut all = vec![Text::known("ssh"), host];
        all.extend(words);
        let words: Vec<Argument> = all.into_iter().map(|text| Argument { text, span }).collect();
        self.run_words(&words, None)
    }
}

fn is_shell(path: &str) -> bool {
    let root = path.split(['.', '(', '[']).next().unwrap_or_default();
    SHELLS.contains(&root)
}
