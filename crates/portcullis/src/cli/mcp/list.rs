//! `mcp list`. Owns what is shown of each server.

use std::io::Write;

use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Exit, Failure, Setting};
use crate::{
    audit::Log,
    cli::{shown, write_json},
    config::{McpAt, McpServer},
    mcp::{
        configured,
        confined::Held,
        oauth::Kept,
        overview::{self, Calls},
    },
    pins::{Files, Known},
    report::visible,
    wire::VERSION,
};

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let servers = &setting.configuration.mcp;
    let (all, is_cut) = overview::all(&setting.state, servers);
    // A record that cannot be read tells of no calls; its own check says why.
    let mut log = Log::open(&setting.state).ok();
    let mut calls = |files: &Files| {
        let counted = log.as_mut().and_then(|log| {
            Calls::of(&files.server, |filter, visitor| log.each(filter, visitor)).ok()
        });
        counted.unwrap_or_default()
    };
    if matches.get_flag("json") {
        let shapes = all.iter().map(|files| {
            let server = servers.get(&files.server);
            let held = configured::held(&setting.configuration, &files.server, server);
            overview::shape(files, server, &held, &calls(files))
        });
        let shapes: Vec<Value> = shapes.collect();
        return write_json(out, &json!({"v": VERSION, "servers": shapes, "more": is_cut}));
    }
    let mut text = String::new();
    for files in &all {
        let server = servers.get(&files.server);
        let held = configured::held(&setting.configuration, &files.server, server);
        text.push_str(&described(files, server, &held, &calls(files)));
    }
    if all.is_empty() {
        text.push_str("no server is known; `portcullis mcp wrap` puts the gate in front of those of your agents\n");
    }
    if is_cut {
        text.push_str("there are more servers than are listed\n");
    }
    shown(out, &text)
}

/// The login at a server elsewhere.
fn login_of(files: &Files, configured: Option<&McpServer>) -> Option<Kept> {
    match &configured?.at {
        McpAt::Url { url, token: None } => Kept::of(files, url),
        McpAt::Url { .. } | McpAt::Command { .. } => None,
    }
}

fn described(files: &Files, server: Option<&McpServer>, held: &Held<'_>, calls: &Calls) -> String {
    let mut text = format!("{}\n", visible::line(&files.server));
    let known = files.known();
    match &known {
        Known::Nothing => text.push_str("  nothing of it is accepted\n"),
        Known::Broken(why) => {
            text.push_str(&format!(
                "  everything is held: what was accepted cannot be read: {}\n",
                visible::line(why)
            ));
        }
        Known::Pins(pins) => {
            if let Some(definition) = &pins.definition {
                text.push_str(&format!(
                    "  started by  {}\n",
                    visible::line(&definition.shown.join(" "))
                ));
            }
            for kind in crate::mcp::method::Kind::ALL {
                let names: Vec<String> = pins
                    .entries
                    .iter()
                    .filter(|pin| pin.kind == kind)
                    .map(|pin| visible::line(&pin.name).into_owned())
                    .collect();
                if !names.is_empty() {
                    text.push_str(&format!(
                        "  {:<10}  {} accepted: {}\n",
                        kind.list(),
                        names.len(),
                        names.join(", ")
                    ));
                }
            }
            if pins.entries.is_empty() && pins.first_use.is_some() {
                text.push_str("  it was not started yet: what it shows first is accepted, but for what speaks to the model\n");
            }
        }
    }
    if let Some(kept) = login_of(files, server) {
        text.push_str(&format!(
            "  logged in   at {}; the token holds until {}\n",
            visible::line(kept.issuer()),
            kept.expires()
        ));
    }
    if let Some(server) = server {
        let way = configured::definition(server).shown.join(" ");
        text.push_str(&format!(
            "  behind      /mcp/{} of the gateway: {}\n",
            files.server,
            visible::line(&way)
        ));
    }
    if *held != Held::Elsewhere {
        let words = held.words(&files.server);
        text.push_str(&format!("  confined    {}\n", visible::line(&words)));
    }
    if let Some(last) = calls.last {
        let decided = calls.decided.iter().map(|(word, count)| format!("{count} {word}"));
        let decided = decided.collect::<Vec<_>>().join(", ");
        text.push_str(&format!("  called      {decided}; the last at {last}\n"));
    }
    for one in overview::waiting(files) {
        text.push_str(&format!(
            "  held        {} {}: {}\n",
            one.what,
            visible::line(&one.name),
            visible::line(&one.held.join("; "))
        ));
    }
    text
}
