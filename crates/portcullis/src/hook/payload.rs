//! From an agent's payload to a call in our words. Owns how the table of agents is read; it judges nothing.

use portcullis_core::{call::ToolCall, policy::Mode, tool::folded};
use serde_json::Value;

use super::{
    call,
    unreadable::{LONGEST, Unreadable, text},
};
use crate::{
    agents::{
        AGENTS,
        agent::{Agent, Event, Mark, Moment},
        field::first,
    },
    wire,
};

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
