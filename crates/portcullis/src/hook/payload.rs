//! From an agent's payload to a call in our words. Owns how the table of agents is read; it judges nothing.

use portcullis_core::{call::ToolCall, policy::Mode, tool::folded};
use serde_json::Value;

use super::{
    agent::{Agent, Event, Mark, Moment},
    agents::AGENTS,
    call,
};
use crate::wire::{self, Malformed};

/// The most bytes of a payload: a call of more is not a call that is answered in time.
pub(super) const LONGEST: usize = 16 << 20;

/// A payload as it was understood.
#[derive(Debug)]
pub struct Payload {
    /// Whose it is.
    pub agent: &'static Agent,
    /// Which event.
    pub event: &'static Event,
    /// The calls, where the event is about one: more than one where it does several things.
    pub calls: Vec<ToolCall>,
    /// Whether the calls are readings of one call, of which the strictest counts.
    pub one: bool,
    /// Whether the agent asks its person when the answer says so.
    pub asks: bool,
    /// The agent's own permission mode, where it is one that we know.
    pub mode: Option<Mode>,
    /// What the tool gave back.
    pub result: Option<String>,
    /// What the person wrote.
    pub prompt: Option<String>,
    /// What the person wrote, where that is one text and holds nothing else.
    pub own_words: Option<String>,
    /// The session.
    pub session: Option<String>,
}

/// Why a payload was not understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It is no JSON.
    #[error("the payload is not the JSON that it should be: {0}")]
    Malformed(#[from] Malformed),
    /// It is longer than 16 MiB.
    #[error("the payload is longer than {} MiB", LONGEST >> 20)]
    TooLong,
    /// It is no agent's that we know, and none was named.
    #[error("the payload is of no agent that is known here")]
    Stranger,
    /// Its event is none that we know.
    #[error("the payload is of an event that is not known here")]
    Event,
    /// It does not say which tool.
    #[error("the payload does not name a tool")]
    NoTool,
    /// A field has a type that it cannot have: which, what it is, what it should be.
    #[error("the payload's {0} should be {2}, but is {1}")]
    Field(&'static str, &'static str, &'static str),
    /// It does more in one call than is judged at once.
    #[error("the call does more things at once than are judged")]
    TooMany,
}

/// The agent with a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name)
}

/// Reads the JSON of a payload.
///
/// # Errors
/// [`Unreadable::Malformed`], [`Unreadable::TooLong`].
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Unreadable> {
    if bytes.len() > LONGEST {
        return Err(Unreadable::TooLong);
    }
    Ok(wire::parse(bytes, 1)?)
}

/// Whose payload it is: the agent whose marks it bears, since several agents run the hooks of others; else the one that
/// the hook was installed for; else the first one that has such an event, Claude Code, whose format most agents took over.
///
/// # Errors
/// [`Unreadable::Stranger`].
pub(super) fn agent_of(
    payload: &Value,
    installed_for: Option<&'static Agent>,
) -> Result<&'static Agent, Unreadable> {
    let bears =
        |marks: &[&[Mark]]| marks.iter().any(|all| all.iter().all(|mark| mark.fits(payload)));
    let marked = AGENTS.iter().copied().find(|agent| bears(agent.marks)).or_else(|| {
        let is_lent = installed_for.is_none_or(|agent| agent.lent);
        AGENTS.iter().copied().find(|agent| is_lent && bears(agent.hints))
    });
    let alike = || {
        let mut named = AGENTS.iter().copied().filter(|agent| !agent.fields.event.is_empty());
        named.find(|agent| event_of(payload, agent).is_ok())
    };
    marked.or(installed_for).or_else(alike).ok_or(Unreadable::Stranger)
}

/// Which of an agent's events it is; none where it is one in which there is nothing to judge.
///
/// # Errors
/// [`Unreadable::Event`].
pub(super) fn event_of(
    payload: &Value,
    agent: &'static Agent,
) -> Result<Option<&'static Event>, Unreadable> {
    let name = first(payload, agent.fields.event).and_then(Value::as_str);
    let is = |known: &str| name.is_some_and(|name| folded(name).eq(folded(known)));
    let fits = |event: &&Event| {
        (agent.fields.event.is_empty() || is(event.name))
            && event.marks.iter().all(|mark| mark.fits(payload))
    };
    match agent.events.iter().find(fits) {
        Some(event) => Ok(Some(event)),
        None if agent.other_events.iter().any(|other| is(other)) => Ok(None),
        None => Err(Unreadable::Event),
    }
}

/// Understands a payload.
///
/// # Errors
/// [`Unreadable`], where something is missing that a judgement needs.
pub(super) fn read(
    payload: &Value,
    agent: &'static Agent,
    event: &'static Event,
) -> Result<Payload, Unreadable> {
    let fields = &agent.fields;
    let call::Calls { calls, one } = match event.moment {
        Moment::BeforeTool | Moment::Permission | Moment::AfterTool => {
            call::calls(payload, agent, event)?
        }
        Moment::Prompt => call::Calls { calls: Vec::new(), one: false },
    };
    let mode = text(payload, fields.mode, "permission mode")?;
    let plans = |mode: &str| agent.plan_modes.contains(&mode);
    Ok(Payload {
        agent,
        event,
        calls,
        one,
        asks: event.asks.holds(payload),
        mode: mode.and_then(|mode| if plans(mode) { Some(Mode::Plan) } else { mode.parse().ok() }),
        result: first(payload, fields.result).map(words),
        prompt: first(payload, fields.prompt).map(words),
        own_words: first(payload, fields.prompt).and_then(Value::as_str).map(str::to_owned),
        session: first(payload, fields.session).and_then(Value::as_str).map(str::to_owned),
    })
}

/// The value at a JSON pointer (RFC 6901) of a table: none of those escapes anything, and a payload is asked for many.
pub(super) fn at<'a>(payload: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.contains('~') {
        return payload.pointer(pointer);
    }
    let mut keys = pointer.split('/');
    if keys.next() != Some("") {
        return None;
    }
    keys.try_fold(payload, |value, key| match value {
        Value::Object(map) => map.get(key),
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The first value at these pointers.
pub(super) fn first<'a>(payload: &'a Value, pointers: &[&str]) -> Option<&'a Value> {
    pointers.iter().find_map(|pointer| at(payload, pointer).filter(|value| !value.is_null()))
}

/// The first value at these pointers, which is a text.
///
/// # Errors
/// [`Unreadable::Field`] where it is not.
pub(super) fn text<'a>(
    payload: &'a Value,
    pointers: &[&str],
    name: &'static str,
) -> Result<Option<&'a str>, Unreadable> {
    match first(payload, pointers) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Unreadable::Field(name, type_name(other), "a string")),
    }
}

/// The type of a value, for a person.
pub(super) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// All the texts in a value, a line each: what a model reads of it. `serde_json` reads no deeper than 128 levels, so this
/// goes no deeper.
fn words(value: &Value) -> String {
    fn collect(value: &Value, text: &mut String) {
        match value {
            Value::String(words) => {
                text.push_str(words);
                text.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, text)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut text = String::new();
    collect(value, &mut text);
    text
}
