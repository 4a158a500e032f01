//! The coding agents that we stand in front of: one file each. Owns the list; an agent is added with its file and its line
//! here.

pub mod agent;
pub(crate) mod field;
pub mod plugin;
pub mod reply;
pub mod table;

mod amp;
mod antigravity;
mod claude;
mod cline;
mod codex;
mod continued;
mod copilot;
mod crush;
mod cursor;
mod devin;
mod droid;
mod gemini;
mod grok;
mod hermes;
mod kilo;
mod kiro;
mod muse;
mod openclaw;
mod opencode;
mod openhands;
mod pi;
mod qwen;
mod reasonix;
mod vscode;
mod windsurf;

use agent::Agent;

/// Every agent. The one that others took their format from stands first; those that are told by less stand last.
pub static AGENTS: &[&Agent] = &[
    &claude::AGENT,
    &codex::AGENT,
    &cursor::AGENT,
    &gemini::AGENT,
    &antigravity::AGENT,
    &windsurf::AGENT,
    &cline::AGENT,
    &opencode::AGENT,
    &kilo::AGENT,
    &amp::AGENT,
    &openclaw::AGENT,
    &pi::AGENT,
    &reasonix::AGENT,
    &copilot::AGENT,
    &crush::AGENT,
    &grok::AGENT,
    &openhands::AGENT,
    &hermes::AGENT,
    &devin::AGENT,
    &droid::AGENT,
    &kiro::AGENT,
    &qwen::AGENT,
    &vscode::AGENT,
    &muse::AGENT,
    &continued::AGENT,
];

/// The agent with a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use portcullis_core::{
        facts::Facts,
        place::{self, AgentFileKind},
    };

    use super::{
        AGENTS,
        table::{Base, Place},
    };

    fn path(place: &Place) -> String {
        let below = match place.base {
            Base::Home => "/home/dev".to_owned(),
            Base::Variable(_, otherwise) => format!("/home/dev/{otherwise}"),
            Base::Configuration => "/home/dev/.config".to_owned(),
            Base::Documents => "/home/dev/Documents".to_owned(),
            Base::Project => "/workspace/project".to_owned(),
            Base::System => String::new(),
        };
        format!("{below}/{}", place.path)
    }

    /// What makes an agent call us, and what turns that off, is nothing that an agent may write unseen.
    #[test]
    fn whatever_an_agent_is_guarded_by_counts_as_its_settings() {
        let facts = Facts {
            cwd: Some("/workspace/project".to_owned()),
            home: Some("/home/dev".to_owned()),
            workspace: Some("/workspace/project".to_owned()),
            ..Facts::default()
        };
        let mut count = 0;
        for agent in AGENTS {
            let targets = agent.install.targets.iter().map(|target| &target.place);
            let switches = agent.install.switches.iter().map(|switch| &switch.place);
            for place in targets.chain(switches) {
                let path = path(place);
                let kind = place::agent_file(&path, &facts).map(|file| file.kind);
                assert_eq!(kind, Some(AgentFileKind::Settings), "{}: {path}", agent.name);
                count += 1;
            }
        }
        assert!(count > 50, "{count}");
    }
}
