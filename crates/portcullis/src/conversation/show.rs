//! A conversation for a person: one line for each event. Owns the words; hostile text is made visible, and nothing of it can look like a line
//! of its own.

use std::{fs::File, io::Read as _, path::Path};

use portcullis_core::{
    conversation::{By, Change, Event, Proposed},
    decision::Verdict,
    redact::redact,
};
use serde_json::Value;
use similar::TextDiff;

use super::{log::Kept, tools::replaced};
use crate::{alike::Like, report::visible};

/// How much of a text is shown.
const SHOWN: usize = 300;

/// How much of a file is read for a difference, and how many lines of one are shown.
const LONGEST: u64 = 4 << 20;
const LINES: usize = 400;

/// The whole of it, with times.
#[must_use]
pub fn timeline(events: &[Kept]) -> String {
    let mut text = String::new();
    for kept in events {
        let at = kept.at.strftime("%Y-%m-%d %H:%M:%S");
        for line in line(&kept.event).lines() {
            text.push_str(&format!("{at}  {line}\n"));
        }
    }
    text
}

/// One event, in a line; a batch has one for each action.
#[must_use]
pub fn line(event: &Event) -> String {
    match event {
        Event::Started(started) => format!("goal       {}", short(&started.goal)),
        Event::Goal { goal, by, hash: _ } => {
            format!("goal       {} (by {})", short(goal), short(by))
        }
        Event::Message { by: By::User, text } => format!("you        {}", short(text)),
        Event::Message { by: By::Agent, text } => format!("agent      {}", short(text)),
        Event::Batch { text, actions, tokens: _ } => {
            let mut lines = Vec::new();
            if !text.trim().is_empty() {
                lines.push(format!("agent      {}", short(text)));
            }
            lines.extend(
                actions
                    .iter()
                    .map(|proposed| format!("call {:<5} {}", proposed.action, call(proposed))),
            );
            lines.join("\n")
        }
        Event::Approved { action, by, hash: _ } => {
            format!("call {action:<5} approved by {}", short(by))
        }
        Event::Cancelled { action, by: Some(by), reason } => {
            format!("call {action:<5} rejected by {}: {}", short(by), short(reason))
        }
        Event::Cancelled { action, by: None, reason } => {
            format!("call {action:<5} cancelled: {}", short(reason))
        }
        Event::Edited { by, action } => {
            format!("call {:<5} edited by {}: {}", action.action, short(by), call(action))
        }
        Event::Blocked { action, code, message, fatal } => {
            let ends = if *fatal { ", which ends it" } else { "" };
            format!("call {action:<5} blocked: {} ({}{ends})", short(message), short(code))
        }
        Event::Intent { action, hash: _ } => format!("call {action:<5} runs"),
        Event::Observation { action, outcome, text } => {
            let outcome = serde_json::to_value(outcome).ok();
            let outcome = outcome.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            format!("call {action:<5} {}: {}", outcome.replace('_', " "), short(text))
        }
        Event::Error { message } => format!("error      {}", short(message)),
        Event::Changed { what, to, by } => {
            let kind = serde_json::from_str::<Like>(to).ok().filter(|_| *what == Change::Alike);
            if let Some(kind) = kind {
                return format!("changed    allowed {} by {}", short(&kind.words()), short(by));
            }
            let what = serde_json::to_value(what).ok();
            let what = what.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            format!("changed    {what} to {} by {}", short(to), short(by))
        }
        Event::Used { tokens } => format!("used       {tokens} tokens"),
        Event::Resumed {} => "goes on".to_owned(),
        Event::Paused { by } => format!("paused     by {}", short(by)),
        Event::Repaired { bytes } => {
            format!("repaired   {bytes} bytes of a line that was only half written were taken off")
        }
        Event::Ended { reason, message } => {
            let reason = serde_json::to_value(reason).ok();
            let reason = reason.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            let words =
                if message.is_empty() { String::new() } else { format!(": {}", short(message)) };
            format!("ended      {}{words}", reason.replace('_', " "))
        }
        _ => "something that this version does not know".to_owned(),
    }
}

/// What a call would change in a file, line by line; nothing for a call that changes none, or that would fail.
#[must_use]
pub fn change(proposed: &Proposed, workspace: &Path) -> Option<String> {
    let path = proposed.arguments.get("path")?.as_str()?;
    let (before, after) = match proposed.tool.as_str() {
        "create_file" => (String::new(), proposed.arguments.get("content")?.as_str()?.to_owned()),
        "str_replace" => {
            let real = workspace.join(path).canonicalize().ok()?;
            if !real.starts_with(workspace) {
                return None;
            }
            let mut before = String::new();
            File::open(real).ok()?.take(LONGEST).read_to_string(&mut before).ok()?;
            let after = replaced(&before, &proposed.arguments).ok()?;
            (before, after)
        }
        _ => return None,
    };
    if before == after {
        return None;
    }
    let difference = TextDiff::from_lines(&before, &after);
    let shown = difference.unified_diff().context_radius(3).to_string();
    let lines: Vec<&str> = shown.lines().take(LINES).collect();
    let mut text = visible::lines(&redact(&lines.join("\n"))).into_owned();
    let more = shown.lines().count() - lines.len();
    if more > 0 {
        text.push_str(&format!("\n… and {more} lines more, which are not shown here"));
    }
    Some(text)
}

/// A call in a line: the tool, its one argument that says most, and what was decided.
fn call(proposed: &Proposed) -> String {
    let telling = ["command", "path", "url", "message", "thought", "plan", "task"];
    let told =
        telling.iter().find_map(|name| proposed.arguments.get(*name).and_then(Value::as_str));
    let told =
        told.map_or_else(|| Value::Object(proposed.arguments.clone()).to_string(), str::to_owned);
    let risk = proposed.risk.map_or_else(String::new, |risk| format!(", risk {}", risk.name()));
    let verdict = match proposed.verdict {
        Verdict::Allow => "runs unasked",
        Verdict::Ask => "asks",
        Verdict::Deny => "does not run",
    };
    format!("{} {} ({verdict}{risk})", short(&proposed.tool), short(&told))
}

fn short(text: &str) -> String {
    let text = text.trim();
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    visible::line(&shown).into_owned()
}
