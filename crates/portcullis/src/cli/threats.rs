//! `threats`: what agents are threatened by, and what stands against it here. Owns two listings of the table.

use std::io::Write;

use clap::{ArgMatches, Command};
use portcullis_core::threats::THREATS;
use serde_json::json;

use super::{Exit, Failure, json_flag, shown, write_json};
use crate::wire::VERSION;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Show what agents are threatened by, what stands against it, and the tests that prove it")
        .arg(json_flag())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    if matches.get_flag("json") {
        return write_json(out, &json!({ "v": VERSION, "threats": THREATS }));
    }
    let mut text = String::new();
    for threat in THREATS {
        let name = threat.name;
        text.push_str(&format!("{name} ({}): {}\n", threat.severity, threat.description));
        for mitigation in threat.mitigations {
            text.push_str(&format!("  {}\n", mitigation.name));
            for control in mitigation.controls {
                let tests = control.tests.len();
                let tests = if tests == 1 { "1 test".to_owned() } else { format!("{tests} tests") };
                text.push_str(&format!("    {} ({}, {tests})\n", control.does, control.at));
            }
            if let Some(open) = mitigation.open {
                text.push_str(&format!("    open: {open}\n"));
            }
        }
        text.push('\n');
    }
    shown(out, text.trim_end_matches('\n')).and_then(|_| shown(out, "\n"))
}
