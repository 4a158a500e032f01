//! The Helm chart, rendered and looked at by its own script. Owns only that the script runs where there is what it needs.

use std::process::Command;

use crate::command::{self, Failed};

const PYTHON: &str = "python3";

/// Checks the chart. Who has no Python with PyYAML is told that nobody looked.
pub(crate) fn check() -> Result<(), Failed> {
    let has_yaml = Command::new(PYTHON).args(["-c", "import yaml"]).output();
    if !has_yaml.is_ok_and(|output| output.status.success()) {
        command::say("── the Helm chart was not looked at: that takes python3 with PyYAML\n");
        return Ok(());
    }
    let mut script = Command::new(PYTHON);
    script.arg("packaging/helm/check.py").current_dir(command::root());
    command::run(&mut script, "install python3")
}
