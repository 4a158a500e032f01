//! A record as an event of the Open Cybersecurity Schema Framework. Owns which attribute says what.
//!
//! The class is API Activity (6003) of version 1.8.0 with the profile Security Control, whatever the record tells of: a decision, an answer, what became
//! of a call, or a change of the gate. What has no attribute there stands under `unmapped`, where the schema keeps it.

use portcullis_core::{decision::Verdict, risk::Risk};
use serde_json::{Map, Value, json};

use crate::audit::{Kind, Record};

/// The version of the schema.
const SCHEMA: &str = "1.8.0";

/// API Activity, in the category Application Activity; what happened is none of the activities that the class names.
const CATEGORY: u32 = 6;
const CLASS: u32 = 6_003;
const OTHER: u32 = 99;
const TYPE: u32 = CLASS * 100 + OTHER;

/// The event.
pub(super) fn event(record: &Record) -> Value {
    let entry = &record.entry;
    let hash = record.hash.to_string();
    let agent = entry.agent.as_deref().filter(|name| !name.is_empty()).unwrap_or("unknown");
    let activity = match entry.kind {
        Kind::Decision => "Judge",
        Kind::Answer => "Answer",
        Kind::Outcome => "End",
        Kind::Change => "Change",
    };
    let (severity_id, severity) = severity(entry.risk);
    let mut event = Map::new();
    let mut set = |name: &str, value: Value| {
        event.insert(name.to_owned(), value);
    };
    set("activity_id", OTHER.into());
    set("activity_name", activity.into());
    set("category_uid", CATEGORY.into());
    set("category_name", "Application Activity".into());
    set("class_uid", CLASS.into());
    set("class_name", "API Activity".into());
    set("type_uid", TYPE.into());
    set("type_name", "API Activity: Other".into());
    set("severity_id", severity_id.into());
    set("severity", severity.into());
    set("time", record.time.as_millisecond().into());
    set("message", message(record).into());
    set("metadata", metadata(record, &hash));
    set("actor", actor(record, agent));
    set("src_endpoint", json!({ "name": agent }));
    set("api", api(record, &hash));
    for (name, value) in control(record) {
        set(name, value);
    }
    if let Some(policy) = entry.policy.as_deref().filter(|policy| !policy.is_empty()) {
        set("policy", json!({ "name": "portcullis", "version": policy }));
    }
    if let Some(outcome) = &entry.outcome {
        let (id, status) = match outcome.as_str() {
            "exit 0" => (1, "Success"),
            failed if failed.starts_with("exit ") => (2, "Failure"),
            _ => (OTHER, "Other"),
        };
        set("status_id", id.into());
        set("status", status.into());
        set("status_detail", outcome.as_str().into());
    }
    set("unmapped", unmapped(record));
    Value::Object(event)
}

fn severity(risk: Option<Risk>) -> (u32, &'static str) {
    match risk {
        Some(Risk::Safe) | None => (1, "Informational"),
        Some(Risk::Low) => (2, "Low"),
        Some(Risk::Medium) => (3, "Medium"),
        Some(Risk::High) => (4, "High"),
        Some(Risk::Critical) => (5, "Critical"),
        Some(Risk::Unknown) => (0, "Unknown"),
    }
}

fn message(record: &Record) -> String {
    let entry = &record.entry;
    let what = match (entry.kind, entry.decision) {
        (Kind::Decision, Some(Verdict::Allow)) => "allowed",
        (Kind::Decision, Some(Verdict::Ask)) => "asked about",
        (Kind::Decision, Some(Verdict::Deny)) => "denied",
        (Kind::Decision, None) => "judged",
        (Kind::Answer, Some(Verdict::Allow)) => "approved",
        (Kind::Answer, _) => "refused",
        (Kind::Outcome, _) => "ended",
        (Kind::Change, _) => "changed",
    };
    let texts = [&entry.preview, &entry.reason, &entry.outcome];
    match texts.into_iter().flatten().next() {
        Some(text) => format!("{what}: {text}"),
        None => what.to_owned(),
    }
}

fn metadata(record: &Record, hash: &str) -> Value {
    let mut metadata = json!({
        "version": SCHEMA,
        "product": { "name": "Portcullis", "vendor_name": "Portcullis", "version": env!("CARGO_PKG_VERSION") },
        "profiles": ["security_control"],
        "uid": hash,
        "log_name": "audit",
        "log_version": record.version().to_string(),
        "event_code": record.entry.kind.name(),
        "original_time": record.time_text(),
    });
    if let (Some(action), Some(object)) = (&record.entry.action, metadata.as_object_mut()) {
        object.insert("correlation_uid".to_owned(), action.as_str().into());
    }
    metadata
}

fn actor(record: &Record, agent: &str) -> Value {
    let mut actor = Map::from_iter([("app_name".to_owned(), agent.into())]);
    if let Some(session) = &record.entry.session {
        actor.insert("session".to_owned(), json!({ "uid": session }));
    }
    if let Some(approver) = record.entry.approver.as_deref().filter(|name| !name.is_empty()) {
        actor.insert("user".to_owned(), json!({ "name": approver }));
    }
    Value::Object(actor)
}

fn api(record: &Record, hash: &str) -> Value {
    let entry = &record.entry;
    let operation = entry.tool.as_deref().filter(|tool| !tool.is_empty());
    let mut api = json!({
        "operation": operation.unwrap_or(entry.kind.name()),
        "request": { "uid": entry.action.as_deref().unwrap_or(hash) },
    });
    if let (Some(class), Some(object)) =
        (entry.class.as_deref().filter(|class| !class.is_empty()), api.as_object_mut())
    {
        object.insert("service".to_owned(), json!({ "name": class }));
    }
    api
}

/// What was decided, in the words of the profile.
fn control(record: &Record) -> Vec<(&'static str, Value)> {
    let entry = &record.entry;
    let (action, disposition) = match (entry.kind, entry.decision) {
        (Kind::Decision, Some(Verdict::Allow)) => ((1, "Allowed"), (1, "Allowed")),
        (Kind::Decision, Some(Verdict::Ask)) => ((OTHER, "Asked"), (23, "Challenge")),
        (Kind::Decision, Some(Verdict::Deny)) => ((2, "Denied"), (2, "Blocked")),
        (Kind::Answer, Some(Verdict::Allow)) => ((1, "Allowed"), (8, "Approved")),
        (Kind::Answer, _) => ((2, "Denied"), (25, "Rejected")),
        (Kind::Decision | Kind::Outcome | Kind::Change, _) => ((0, "Unknown"), (17, "Logged")),
    };
    let mut attributes = vec![
        ("action_id", action.0.into()),
        ("action", action.1.into()),
        ("disposition_id", disposition.0.into()),
        ("disposition", disposition.1.into()),
    ];
    let level = match entry.risk {
        Some(Risk::Safe) => Some((0, "Info")),
        Some(Risk::Low) => Some((1, "Low")),
        Some(Risk::Medium) => Some((2, "Medium")),
        Some(Risk::High) => Some((3, "High")),
        Some(Risk::Critical) => Some((4, "Critical")),
        Some(Risk::Unknown) => Some((OTHER, "Unknown")),
        None => None,
    };
    if let Some((id, name)) = level {
        attributes.extend([("risk_level_id", id.into()), ("risk_level", name.into())]);
    }
    if let Some(reason) = entry.reason.as_deref().filter(|_| entry.kind != Kind::Change) {
        attributes.push(("risk_details", reason.into()));
    }
    attributes
}

/// The fields of the record that have no attribute, as they are exported.
fn unmapped(record: &Record) -> Value {
    let all = super::json(record);
    let kept = [
        "v",
        "sequence",
        "previous",
        "refers_to",
        "rules",
        "layer",
        "preview",
        "cwd",
        "files",
        "reason",
    ];
    let kept = kept.iter().filter_map(|name| Some(((*name).to_owned(), all.get(*name)?.clone())));
    Value::Object(kept.collect())
}
