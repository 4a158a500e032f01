//! Real coding agents against the gate: fetched from their package indices, driven without a person by a model that follows a
//! script, in a throw-away home, with no network but the loopback. Owns the order of that; what is tried stands in `trial`, the agents
//! in `table`.
//!
//! ```text
//! fetch ──► isolation ──► for each agent: bench ──task──► agent ◄──► model
//!                                           └── trial ──► report
//! ```

mod bench;
mod fetch;
mod isolation;
mod mcp;
mod moat;
mod model;
mod report;
mod table;
mod trial;

use std::{fs, path::Path};

use self::{bench::Bench, fetch::Fetched, model::Model, table::AGENTS, trial::Trial};
pub(crate) use self::{
    mcp::{inside as mcp_inside, run as mcp},
    moat::{inside as moat_inside, run as moat},
};
use crate::command::{Failed, say};

/// Fetches the agents, all or those that are named, and tries them with a program as their gate.
pub(crate) fn run(program: &Path, names: &[&str]) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    if let Some(unknown) = names.iter().find(|name| AGENTS.iter().all(|agent| agent.name != **name))
    {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        return Err(Failed::Usage(format!(
            "`{unknown}` is no agent that can be driven here\nhelp: {}",
            known.join(", ")
        )));
    }
    fetch::fetch_node()?;
    let mut words = vec![program.to_string_lossy().into_owned()];
    for agent in AGENTS.iter().filter(|agent| names.is_empty() || names.contains(&agent.name)) {
        say(&format!("── fetching {}\n", agent.name));
        match fetch::fetch(agent) {
            Ok(_) => words.push(agent.name.to_owned()),
            Err(why) => say(&format!("   cannot be fetched: {why}\n")),
        }
    }
    let folder = fetch::cache().join(format!("run-{}", std::process::id()));
    words.insert(1, folder.to_string_lossy().into_owned());
    let ended = isolation::enter(&folder, "agents-inside", &words);
    // What is left of a run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    ended
}

/// The same inside: tries the agents that are named, each of which was fetched.
pub(crate) fn inside(program: &Path, folder: &Path, names: &[&str]) -> Result<(), Failed> {
    if !isolation::is_inside() {
        return Err(Failed::Usage("this is a part of `cargo xtask agents`".to_owned()));
    }
    let model = Model::start()?;
    let mut trials = Vec::new();
    for agent in AGENTS.iter().filter(|agent| names.contains(&agent.name)) {
        say(&format!("── {}\n", agent.name));
        let fetched = match fetch::fetch(agent) {
            Ok(fetched) => fetched,
            Err(why) => {
                say(&format!("   {why}\n"));
                continue;
            }
        };
        let trial = tried(&fetched, &model, folder, program)?;
        say(&report::row(&trial));
        for note in &trial.notes {
            say(&format!("   {note}\n"));
        }
        trials.push(trial);
    }
    say(&report::table(&trials));
    let faults = report::faults(&trials);
    if faults.is_empty() { Ok(()) } else { Err(Failed::Broken(faults.join("\n"))) }
}

fn tried(fetched: &Fetched, model: &Model, folder: &Path, program: &Path) -> Result<Trial, Failed> {
    let bench = Bench::new(fetched, model, folder, program)?;
    let trial = trial::trial(&bench, program);
    isolation::end_all();
    trial
}
