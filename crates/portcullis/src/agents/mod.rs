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
