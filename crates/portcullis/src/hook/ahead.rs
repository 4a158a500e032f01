//! A project that is kept before an agent loses something of it. Owns that it is begun when the agent has its answer, in a process that has nothing of
//! the agent's open; when one is due, and what it may take, [`crate::undo`] says.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    agents::{agent::Agent, field},
    config::Configuration,
    install::command::Program,
    undo::Ahead,
};

/// What an agent works on, where it may be kept beforehand.
#[derive(Debug)]
pub(super) struct Wish {
    state: PathBuf,
    cwd: PathBuf,
    home: Option<PathBuf>,
}

impl Wish {
    /// The one of a payload, where the configuration says so.
    pub(super) fn of(
        configuration: &Configuration,
        agent: &Agent,
        payload: &Value,
        home: Option<&std::path::Path>,
    ) -> Option<Self> {
        let kept = configuration.snapshots;
        if !(kept.enabled && kept.hooks && kept.ahead) {
            return None;
        }
        let cwd = field::first(payload, agent.fields.cwd).and_then(Value::as_str)?;
        let cwd = PathBuf::from(cwd);
        let home = home.map(std::path::Path::to_owned);
        cwd.is_absolute().then_some(Self { state: configuration.state()?, cwd, home })
    }
}

/// Begins to keep a workspace, where that is due. Nobody waits for it, and nothing depends on it.
pub(super) fn begin(wish: &Wish) {
    let Some(ahead) = Ahead::due(&wish.state, &wish.cwd, wish.home.as_deref()) else { return };
    let Ok(program) = Program::this() else { return };
    // Whoever waits until everybody has closed what it gave this process does not wait for that one.
    if portcullis_sandbox::keep_descriptors().is_err() {
        return;
    }
    let mut command = Command::new(program.path());
    command.args(["undo", "--prepare"]).arg(&ahead.workspace).arg("--ahead").arg(&ahead.state);
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // This process ends next, and the system takes over what it started.
    let _ = command.spawn().map(drop);
}
