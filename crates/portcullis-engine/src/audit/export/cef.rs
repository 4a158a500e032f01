//! A record as an event of the Common Event Format: `CEF:0|vendor|product|version|id|name|severity|key=value …`. Owns which key says what, and that no
//! text of a record ends a field, an event or a line.
//!
//! In the header `\` and `|` are escaped, behind it `\` and `=`; line ends are written `\n` and `\r` there, as the format says, and everything else that
//! nobody sees as `\\u{…}`.

use portcullis_core::{decision::Verdict, risk::Risk};

use crate::{
    audit::{Kind, Record},
    report::visible,
};

/// The event.
pub(super) fn event(record: &Record) -> String {
    let entry = &record.entry;
    let (id, name) = named(record);
    let severity = match entry.risk {
        Some(Risk::Safe) => "1",
        Some(Risk::Low) => "3",
        Some(Risk::Medium) => "5",
        Some(Risk::High) => "8",
        Some(Risk::Critical) => "10",
        Some(Risk::Unknown) => "Unknown",
        None => "1",
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut line = String::with_capacity(1_024);
    line.push_str("CEF:0");
    for part in ["Portcullis", "Portcullis", version, id, name, severity] {
        line.push('|');
        escaped(&mut line, part, '|');
    }
    line.push('|');
    let rules = entry.rules.join(" ");
    let labelled = |key: &'static str, label: &'static str, text: Option<&str>| {
        text.map(|text| (key, label, text.to_owned()))
    };
    let number = |number: u64| Some(number.to_string());
    let plain = [
        ("rt", Some(record.time.as_millisecond().to_string())),
        ("externalId", Some(record.hash.to_string())),
        ("cat", Some(entry.kind.name().to_owned())),
        ("act", entry.decision.map(|decision| decision.name().to_owned())),
        ("outcome", entry.outcome.clone()),
        ("reason", entry.reason.clone()),
        ("suser", entry.approver.clone()),
        ("sproc", entry.agent.clone()),
        ("filePath", entry.cwd.clone()),
        ("msg", entry.preview.clone()),
    ];
    let custom = [
        labelled("cs1", "tool", entry.tool.as_deref()),
        labelled("cs2", "rules", Some(rules.as_str())),
        labelled("cs3", "risk", entry.risk.map(Risk::name)),
        labelled("cs4", "session", entry.session.as_deref()),
        labelled("cs5", "action", entry.action.as_deref()),
        labelled("cs6", "policy", entry.policy.as_deref()),
        labelled("cn1", "sequence", number(record.sequence).as_deref()),
        labelled("cn2", "refersTo", entry.refers_to.and_then(number).as_deref()),
    ];
    let mut is_first = true;
    let mut push = |key: &str, text: &str| {
        if text.is_empty() {
            return;
        }
        if !std::mem::take(&mut is_first) {
            line.push(' ');
        }
        line.push_str(key);
        line.push('=');
        escaped(&mut line, text, '=');
    };
    for (key, text) in &plain {
        push(key, text.as_deref().unwrap_or_default());
    }
    for (key, label, text) in custom.iter().flatten().filter(|custom| !custom.2.is_empty()) {
        push(key, text);
        push(&format!("{key}Label"), label);
    }
    line
}

/// What the event is called: for programs, and for people.
fn named(record: &Record) -> (&'static str, &'static str) {
    match (record.entry.kind, record.entry.decision) {
        (Kind::Decision, Some(Verdict::Allow)) => ("decision.allow", "Call allowed"),
        (Kind::Decision, Some(Verdict::Ask)) => ("decision.ask", "Call waits for a person"),
        (Kind::Decision, Some(Verdict::Deny)) => ("decision.deny", "Call denied"),
        (Kind::Decision, None) => ("decision", "Call judged"),
        (Kind::Answer, Some(Verdict::Allow)) => ("answer.allow", "Call approved"),
        (Kind::Answer, _) => ("answer.deny", "Call refused"),
        (Kind::Outcome, _) => ("outcome", "Call ended"),
        (Kind::Change, _) => ("change", "Gate changed"),
    }
}

/// Adds a text in which nothing ends what it stands in.
fn escaped(line: &mut String, text: &str, end: char) {
    let mut one = [0; 4];
    for character in text.chars() {
        match character {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\\' => line.push_str("\\\\"),
            _ if character == end => {
                line.push('\\');
                line.push(end);
            }
            _ => {
                line.push_str(&visible::line(character.encode_utf8(&mut one)).replace('\\', "\\\\"))
            }
        }
    }
}
