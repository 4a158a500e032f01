//! Real agents against real servers of MCP, with the gate between them: fetched from their package indices, driven by the scripted model, apart from the
//! network and the home. Owns the order of that and the table; what is tried stands in `trial`.
//!
//! ```text
//! agent ◄──► model that follows a script
//!   │ stdio
//! portcullis mcp proxy ──► server (filesystem, fetch, git)
//! ```

mod table;
mod trial;
mod window;

use std::{fs, path::Path};

use self::{
    table::{SEATS, SERVERS},
    trial::Line,
};
use super::{fetch, isolation, model::Model, table::AGENTS};
use crate::command::{Failed, say};

/// Fetches the servers and the agents, and tries them with a program between them.
pub(crate) fn run(program: &Path, names: &[&str]) -> Result<(), Failed> {
    let program = fs::canonicalize(program)
        .map_err(|source| Failed::File { path: program.to_path_buf(), source })?;
    let known: Vec<&str> = SEATS.iter().map(|seat| seat.agent).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let known = known.join(", ");
        return Err(Failed::Usage(format!("`{unknown}` is not tried here\nhelp: {known}")));
    }
    if !rustix::process::getuid().is_root() {
        let words =
            "only root can play the person who accepts what servers show\nhelp: run it as root";
        return Err(Failed::Usage(words.to_owned()));
    }
    fetch::fetch_node()?;
    for server in SERVERS {
        say(&format!("── fetching the server {}\n", server.name));
        fetch::fetch_from(server.folder, server.source).map_err(Failed::Broken)?;
    }
    let chosen = known.into_iter().filter(|name| names.is_empty() || names.contains(name));
    let chosen: Vec<&str> = chosen.collect();
    for agent in AGENTS.iter().filter(|agent| chosen.contains(&agent.name)) {
        say(&format!("── fetching the agent {}\n", agent.name));
        fetch::fetch(agent).map_err(Failed::Broken)?;
    }
    let folder = fetch::cache().join(format!("mcp-{}", std::process::id()));
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.push(folder.to_string_lossy().into_owned());
    words.extend(chosen.into_iter().map(str::to_owned));
    let ended = isolation::enter(&folder, "mcp-agents-inside", &words);
    // What is left of a run is looked at by nobody.
    let _ = fs::remove_dir_all(&folder);
    ended
}

/// The same inside: tries the agents that are named, each of which was fetched.
pub(crate) fn inside(program: &Path, folder: &Path, names: &[&str]) -> Result<(), Failed> {
    if !isolation::is_inside() {
        return Err(Failed::Usage("this is a part of `cargo xtask mcp-agents`".to_owned()));
    }
    let model = Model::start()?;
    let network = trial::Network::begin()?;
    let mut text =
        String::from("\n| agent | what was tried | held | what shows it |\n|---|---|---|---|\n");
    let mut faults = Vec::new();
    for seat in SEATS.iter().filter(|seat| names.contains(&seat.agent)) {
        let Some(agent) = AGENTS.iter().find(|agent| agent.name == seat.agent) else { continue };
        let fetched = fetch::fetch(agent).map_err(Failed::Broken)?;
        let who = format!("{} {}", agent.name, fetched.version);
        say(&format!("── {who}\n"));
        let lines = trial::trial(&fetched, seat, (&model, &network), folder, program)?;
        isolation::end_all();
        for Line { what, holds, shown } in lines {
            let held = if holds { "yes" } else { "**no**" };
            let row = format!("| {who} | {what} | {held} | {} |\n", plain(&shown));
            say(&row);
            text.push_str(&row);
            if !holds {
                faults.push(format!("{who}: {what}: {shown}"));
            }
        }
    }
    let mut versions = Vec::new();
    for server in SERVERS {
        let fetched = fetch::fetch_from(server.folder, server.source).map_err(Failed::Broken)?;
        versions.push(format!("{} {}", server.program, fetched.0));
    }
    say(&format!("{text}\nservers: {}\n", versions.join(", ")));
    if faults.is_empty() { Ok(()) } else { Err(Failed::Broken(faults.join("\n"))) }
}

/// How much of what shows something stands in a cell.
const MAX_SHOWN: usize = 160;

/// A text in a cell: one line, cut, without signs that would end the cell.
fn plain(text: &str) -> String {
    // What an agent adds for its model is not what a server said.
    let text = text.split("<system-reminder>").next().unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "¦");
    let cut: String = line.chars().take(MAX_SHOWN).collect();
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_something_cannot_end_its_cell() {
        assert_eq!(plain("a | b\nc"), "a ¦ b c");
        assert!(plain(&"é".repeat(400)).ends_with('…'));
    }
}
