//! What a guard elsewhere sends: one half of a step of an agent, which is one call of its model. Owns the fields of such an event, and what is said where one
//! is missing or is not what it should be; what its payload says, [`super::step`] reads.
//!
//! Fields and bounds are those of the schema `guard-event` of OpenGuardrails 1.0. Fields that nobody knows are passed over, as it asks of whoever detects
//! something: an event that is refused is one that nobody looked at.

use serde_json::{Map, Value, json};

/// The most characters of what an event may say of who sent it.
const LONGEST_LABEL: usize = 128;

/// One half of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) half: Half,
    /// What binds the two halves of a step.
    pub(super) step: String,
    /// Which agent it is, and what kind of agent, where that is said.
    pub(super) agent: Option<String>,
    /// How the sender calls the conversation.
    pub(super) conversation: Option<String>,
    /// What is sent to the model, or what it answered.
    pub(super) payload: Map<String, Value>,
    /// The protocol that it is said to be in.
    pub(super) protocol: Protocol,
}

/// Which half of a step.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Half {
    /// What is sent to the model.
    Request,
    /// What the model answered.
    Response,
}

impl Half {
    /// The word on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Request => "step/request",
            Self::Response => "step/response",
        }
    }
}

/// In which shape a payload is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Protocol {
    Chat,
    Responses,
    Messages,
    Canonical,
}

impl Protocol {
    const ALL: [(&'static str, Self); 4] = [
        ("openai.chat", Self::Chat),
        ("openai.responses", Self::Responses),
        ("anthropic.messages", Self::Messages),
        ("canonical", Self::Canonical),
    ];

    /// The member without which a payload is not in this shape.
    pub(super) const fn needs(self, half: Half) -> Option<&'static str> {
        match (self, half) {
            (Self::Chat | Self::Messages | Self::Canonical, Half::Request) => Some("messages"),
            // A request may go on from what the service keeps, or from a prompt that it has.
            (Self::Responses, Half::Request) | (Self::Canonical, Half::Response) => None,
            (Self::Chat, Half::Response) => Some("choices"),
            (Self::Responses, Half::Response) => Some("output"),
            (Self::Messages, Half::Response) => Some("content"),
        }
    }
}

/// Every field that is not as the schema has it, each with what is wrong with it.
pub(super) type Wrong = Vec<Value>;

impl Event {
    /// Reads an event.
    pub(super) fn read(mut fields: Map<String, Value>) -> Result<Self, Wrong> {
        let mut wrong = Wrong::new();
        let kind = word(&fields, "kind", &mut wrong);
        let half = [Half::Request, Half::Response].into_iter().find(|half| half.name() == kind);
        if half.is_none() && !kind.is_empty() {
            wrong.push(issue("kind", "expected `step/request` or `step/response`"));
        }
        let step = word(&fields, "step_id", &mut wrong);
        let mut identity = ["agent_id", "agent_type", "agent_workspace", "agent_user"]
            .map(|name| text(&fields, name, &mut wrong).filter(|text| !text.is_empty()));
        let stated = word(&fields, "llm_protocol", &mut wrong);
        let protocol = Protocol::ALL.iter().find(|(name, _)| *name == stated);
        if protocol.is_none() && !stated.is_empty() {
            wrong.push(issue("llm_protocol", "expected one of `openai.chat`, `openai.responses`, `anthropic.messages`, `canonical`"));
        }
        let payload = match fields.remove("payload") {
            Some(Value::Object(payload)) => Some(payload),
            Some(_) => none(&mut wrong, "payload", "expected an object"),
            None => none(&mut wrong, "payload", "it is missing"),
        };
        let labels = ["integration", "connection", "session_hint"];
        let [_, _, conversation] = labels.map(|name| label(&fields, name, &mut wrong));
        match (half, protocol, payload) {
            (Some(half), Some((_, protocol)), Some(payload)) if wrong.is_empty() => {
                let [agent, kind, ..] = &mut identity;
                let agent = agent.take().or_else(|| kind.take());
                Ok(Self { half, step, agent, conversation, payload, protocol: *protocol })
            }
            _ => Err(wrong),
        }
    }
}

/// A text that has to be there; empty where it is not, which is said.
fn text(fields: &Map<String, Value>, name: &str, wrong: &mut Wrong) -> Option<String> {
    match fields.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(_) => none(wrong, name, "expected a string"),
        None => none(wrong, name, "it is missing"),
    }
}

/// The same of a text that says something.
fn word(fields: &Map<String, Value>, name: &str, wrong: &mut Wrong) -> String {
    let said = text(fields, name, wrong);
    if said.as_deref() == Some("") {
        wrong.push(issue(name, "it is empty"));
    }
    said.unwrap_or_default()
}

/// A text that may be left out.
fn label(fields: &Map<String, Value>, name: &str, wrong: &mut Wrong) -> Option<String> {
    let said = fields.contains_key(name).then(|| text(fields, name, wrong)).flatten()?;
    if said.chars().count() > LONGEST_LABEL {
        return none(wrong, name, "it is longer than 128 characters");
    }
    Some(said).filter(|said| !said.is_empty())
}

fn none<T>(wrong: &mut Wrong, name: &str, message: &str) -> Option<T> {
    wrong.push(issue(name, message));
    None
}

fn issue(name: &str, message: &str) -> Value {
    json!({ "path": [name], "message": format!("`{name}`: {message}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Map<String, Value> {
        let event = json!({
            "kind": "step/response", "step_id": "s", "agent_id": "", "agent_type": "harness",
            "agent_workspace": "", "agent_user": "", "llm_protocol": "canonical", "payload": {},
        });
        event.as_object().unwrap().clone()
    }

    #[test]
    fn an_event_is_read_with_fields_that_nobody_knows() {
        let mut fields = whole();
        fields.insert("timestamp".to_owned(), json!("now"));
        fields.insert("session_hint".to_owned(), json!("x".repeat(128)));
        let event = Event::read(fields).unwrap();
        assert_eq!((event.half, event.agent.as_deref()), (Half::Response, Some("harness")));
        assert_eq!(event.conversation.unwrap().len(), 128);
    }

    #[test]
    fn every_field_that_is_wrong_is_named() {
        for name in whole().keys() {
            let mut missing = whole();
            missing.remove(name);
            let mut other = whole();
            other.insert(name.clone(), json!(7));
            for wrong in [missing, other] {
                let wrong = Event::read(wrong).unwrap_err();
                assert_eq!(wrong.len(), 1, "{name} {wrong:?}");
                assert_eq!(wrong[0]["path"][0], **name, "{wrong:?}");
            }
        }
        for (name, value) in [
            ("kind", json!("turn/end")),
            ("kind", json!("")),
            ("step_id", json!("")),
            ("llm_protocol", json!("gemini")),
            ("session_hint", json!("x".repeat(129))),
            ("integration", json!(null)),
        ] {
            let mut fields = whole();
            fields.insert(name.to_owned(), value);
            assert_eq!(Event::read(fields).unwrap_err().len(), 1, "{name}");
        }
    }
}
