//! The command line as programs and people meet it: the binary is run, with a home of its own and nothing else.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test may fail by panicking, and says what it could not try"
)]

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod ahead;
#[cfg(target_os = "linux")]
mod answering;
#[cfg(target_os = "linux")]
mod attended;
mod central;
mod documents;
#[cfg(target_os = "linux")]
mod evidence;
mod forging;
mod heads;
mod hostile;
#[cfg(target_os = "linux")]
mod inbox;
mod install;
mod jsonl;
mod kept;
#[cfg(target_os = "linux")]
mod killed;
mod lasting;
mod layers;
mod network;
mod outside;
mod record;
mod replay;
#[cfg(target_os = "linux")]
mod sandbox;
mod scan;
#[cfg(target_os = "linux")]
mod seat;
mod secrets;
mod segments;
#[cfg(target_os = "linux")]
mod settles;
mod shipping;
#[cfg(target_os = "linux")]
mod stories;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(target_os = "linux")]
mod tools;
#[cfg(target_os = "linux")]
mod trial;
#[cfg(target_os = "linux")]
mod trial_runs;
#[cfg(target_os = "linux")]
mod undo;
mod verbs;

use std::{
    ffi::OsStr,
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A place to run the binary in, apart from everything of whoever runs the tests.
pub(crate) struct Place {
    /// The home directory, also the working directory.
    pub(crate) home: TempDir,
    environment: Vec<(String, String)>,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            home: TempDir::new().unwrap(),
            environment: vec![("PORTCULLIS_AUDIT".into(), "off".into())],
        }
    }

    /// With a record, in the usual place below the home.
    pub(crate) fn recorded() -> Self {
        Self { environment: Vec::new(), ..Self::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn command(&self) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_portcullis"))
    }

    /// Another program in the same place.
    pub(crate) fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let home = self.home.path();
        command.env_clear().env("HOME", home).current_dir(home);
        for (name, below) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_CACHE_HOME", ".cache"),
        ] {
            command.env(name, home.join(below));
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run<I: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = I>) -> Ended {
        self.fed(arguments, b"")
    }

    /// What an agent's hook says. A machine that stands still for as long as a hook may take is asked again.
    pub(crate) fn hook(&self, agent: &str, payload: &[u8]) -> Ended {
        let answer = || {
            // Not in the home directory, where our own files would be among what the agent works on.
            let mut command = self.command();
            command.current_dir("/").args(["hook", agent]);
            Self::ended(command, payload)
        };
        let answers = std::iter::repeat_with(answer).take(10);
        let is_late = |ended: &Ended| ended.page().contains("could not judge in 2 seconds");
        let mut answers = answers.skip_while(is_late);
        answers.next().unwrap()
    }

    pub(crate) fn fed<I: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = I>,
        input: &[u8],
    ) -> Ended {
        let mut command = self.command();
        command.args(arguments);
        Self::ended(command, input)
    }

    pub(crate) fn ended(mut command: Command, input: &[u8]) -> Ended {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A process that does not want its input may close it.
        let _ = feeder.join().unwrap();
        Ended {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    /// Everything that came back, for a snapshot.
    pub(crate) fn page(&self) -> String {
        let mut page = format!("exit {}\n{}", self.code, self.out);
        if !self.err.is_empty() {
            page.push_str("--- stderr\n");
            page.push_str(&self.err);
        }
        page
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.page()))
    }
}
