//! `mcp list`. Owns what is shown of each server.

use std::io::Write;

use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Exit, Failure, Setting};
use crate::{
    cli::{shown, write_json},
    pins::{Files, Known, Question, Seen},
    report::visible,
    wire::VERSION,
};

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let (all, is_cut) = Files::all(&setting.state);
    if matches.get_flag("json") {
        let servers: Vec<Value> = all.iter().map(wire).collect();
        return write_json(out, &json!({"v": VERSION, "servers": servers, "more": is_cut}));
    }
    let mut text = String::new();
    for files in &all {
        text.push_str(&described(files));
    }
    if all.is_empty() {
        text.push_str("no server is known; `portcullis mcp wrap` puts the gate in front of those of your agents\n");
    }
    if is_cut {
        text.push_str("there are more servers than are listed\n");
    }
    shown(out, &text)
}

/// What of a server waits.
pub(super) fn waiting(files: &Files) -> Vec<Question> {
    match files.seen() {
        Ok(seen) => Question::of(&files.known(), &seen),
        Err(_) => Question::of(&files.known(), &Seen::default()),
    }
}

fn wire(files: &Files) -> Value {
    let known = files.known();
    let pins = known.pins();
    let held: Vec<Value> = waiting(files)
        .iter()
        .map(|one| json!({"kind": one.what, "name": one.name, "why": one.held}))
        .collect();
    let entries = pins.into_iter().flat_map(|pins| &pins.entries);
    let accepted: Vec<Value> = entries
        .map(|pin| json!({"kind": pin.kind, "name": pin.name, "digest": pin.digest, "by": pin.signed.by, "at": pin.signed.at}))
        .collect();
    json!({
        "server": files.server,
        "command": pins.and_then(|pins| pins.definition.as_ref()).map(|it| &it.shown),
        "broken": match &known { Known::Broken(why) => Some(why), _ => None },
        "accepted": accepted,
        "held": held,
    })
}

fn described(files: &Files) -> String {
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
    for one in waiting(files) {
        text.push_str(&format!(
            "  held        {} {}: {}\n",
            one.what,
            visible::line(&one.name),
            visible::line(&one.held.join("; "))
        ));
    }
    text
}
