//! An agent in a window of its own, with a person before it: what stands on the screen, and the keys that the person strikes. Owns the
//! terminal, which `tmux` plays.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::super::bench::Bench;
use crate::command::Failed;

/// How long a screen has to settle after a key.
const BREATH: Duration = Duration::from_millis(400);

/// How often a screen is looked at.
const GLANCE: Duration = Duration::from_millis(300);

/// A window.
#[derive(Debug)]
pub(super) struct Window {
    socket: PathBuf,
}

impl Window {
    /// Opens one, in which these words run.
    pub(super) fn open(bench: &Bench<'_>, folder: &Path, words: &[&str]) -> Result<Self, Failed> {
        let window = Self { socket: folder.join("window") };
        let mut command = window.tmux();
        bench.surround(&mut command);
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR").current_dir(&bench.project);
        command.args([
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "150",
            "-y",
            "50",
            "-s",
            "one",
        ]);
        command.args(words);
        let status = command.status().map_err(|source| Failed::Start {
            program: "tmux".to_owned(),
            source,
            help: "install tmux: it plays the terminal of the agents' windows",
        })?;
        if status.success() { Ok(window) } else { Err(Failed::Program("tmux".to_owned())) }
    }

    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).stdin(Stdio::null());
        command
    }

    /// What stands on the screen, with every run of blanks as one.
    pub(super) fn screen(&self) -> String {
        let mut command = self.tmux();
        command.args(["capture-pane", "-p", "-t", "one"]).stderr(Stdio::null());
        // A window that has gone shows nothing.
        let shown = command.output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&shown).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Strikes keys, one after the other.
    pub(super) fn strike(&self, keys: &[&str]) {
        for key in keys {
            self.send(&["send-keys", "-t", "one", key]);
        }
    }

    /// Types a line.
    pub(super) fn type_line(&self, line: &str) {
        self.send(&["send-keys", "-t", "one", "-l", line]);
        self.strike(&["Enter"]);
    }

    fn send(&self, words: &[&str]) {
        let mut command = self.tmux();
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        // What did not arrive is seen on the screen.
        let _ = command.status();
        std::thread::sleep(BREATH);
    }

    /// Waits until something is so; whether it came to be.
    pub(super) fn wait(&self, patience: Duration, mut is_so: impl FnMut(&str) -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if is_so(&self.screen()) {
                return true;
            }
            if begun.elapsed() > patience {
                return false;
            }
            std::thread::sleep(GLANCE);
        }
    }
}
