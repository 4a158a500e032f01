//! A payload as an agent would send it. Owns how one is made from the agent's row, for proving that what is installed
//! answers; nothing in it runs.

use portcullis_core::tool::{Meaning, meaning};
use serde_json::{Map, Value, json};

use crate::agents::{
    agent::{Agent, Event, Mark, Means, Moment, Parts, Tool, ToolName},
    reply::{Reply, Saying, Word},
};

/// What stands for a reason in an answer that is only compared.
const ANY: &str = "\u{1}";

/// A payload for a shell command in a directory, and the event that it is of; `None` where the agent's row knows no
/// event before a tool.
#[must_use]
pub fn sample(agent: &'static Agent, command: &str, cwd: &str) -> Option<(Value, &'static Event)> {
    let (tool, key) = shell(agent);
    let is_about_it = |event: &&Event| {
        event.moment == Moment::BeforeTool
            && match event.tool {
                ToolName::Field => true,
                ToolName::Fixed(name) => name == tool,
                ToolName::Server(..) => false,
            }
    };
    let event = agent.events.iter().find(is_about_it)?;
    let mut payload = Value::Object(Map::new());
    let marks = agent.marks.first().into_iter().flat_map(|marks| marks.iter());
    for mark in marks.chain(event.marks) {
        match *mark {
            Mark::Has(pointer) => put(&mut payload, pointer, json!("doctor")),
            Mark::Is(pointer, word) => put(&mut payload, pointer, json!(word)),
            Mark::OneOf(pointer, words) => put(&mut payload, pointer, json!(words.first())),
            Mark::Number(pointer, number) => put(&mut payload, pointer, json!(number)),
            Mark::True(pointer) => put(&mut payload, pointer, json!(true)),
            Mark::Lacks(_) => {}
        }
    }
    let fields = &agent.fields;
    let input = event.input.or_else(|| fields.input.first().copied())?;
    put(&mut payload, input, json!({ key: command }));
    for (pointers, value) in [
        (fields.event, json!(event.name)),
        (fields.tool, json!(tool)),
        (fields.cwd, json!(cwd)),
        (fields.roots, json!([cwd])),
        (fields.session, json!("portcullis-doctor")),
    ] {
        if let Some(pointer) = pointers.first()
            && !agent_lacks(agent, pointer)
        {
            put(&mut payload, pointer, value);
        }
    }
    Some((payload, event))
}

/// Whether an answer has the form of a denial for an event.
#[must_use]
pub fn denies(event: &Event, answer: &Reply) -> bool {
    let word = Word::Deny(ANY.to_owned());
    fits(&(event.speak)(&Saying { event: event.name, word: &word, input: None }), answer)
}

/// Whether an answer has the form of letting a call go on.
#[must_use]
pub fn lets_pass(event: &Event, answer: &Reply) -> bool {
    [Word::Nothing, Word::Allow(ANY.to_owned())]
        .iter()
        .any(|word| fits(&(event.speak)(&Saying { event: event.name, word, input: None }), answer))
}

fn fits(expected: &Reply, answer: &Reply) -> bool {
    let output = match (expected.output.is_empty(), answer.output.is_empty()) {
        (true, empty) => empty,
        (false, _) => match (
            serde_json::from_str::<Value>(&expected.output),
            serde_json::from_str::<Value>(&answer.output),
        ) {
            (Ok(expected), Ok(answer)) => alike(&expected, &answer),
            _ => false,
        },
    };
    let told = expected.error.is_empty() || !answer.error.trim().is_empty();
    output && told && expected.exit == answer.exit
}

fn alike(expected: &Value, answer: &Value) -> bool {
    match (expected, answer) {
        (Value::String(expected), Value::String(answer)) if expected.contains(ANY) => {
            !answer.is_empty()
        }
        (Value::Object(expected), Value::Object(answer)) => {
            expected.len() == answer.len()
                && expected
                    .iter()
                    .all(|(key, value)| answer.get(key).is_some_and(|found| alike(value, found)))
        }
        (expected, answer) => expected == answer,
    }
}

/// The agent's tool for shell commands, and what its command is called.
fn shell(agent: &Agent) -> (&'static str, &'static str) {
    let is_shell = |tool: &&Tool| {
        let known =
            matches!(tool.means, Means::Known(name) if matches!(meaning(name), Meaning::Shell));
        known && matches!(tool.parts, Parts::One) && tool.given.is_none()
    };
    let Some(tool) = agent.tools.iter().find(is_shell) else { return ("Bash", "command") };
    let key = tool.renames.iter().find(|(_, ours)| *ours == "command").map(|(theirs, _)| *theirs);
    (tool.name, key.unwrap_or("command"))
}

/// Whether the payloads of an agent are known by lacking a value.
fn agent_lacks(agent: &Agent, pointer: &str) -> bool {
    let marks = agent.marks.first().into_iter().flat_map(|marks| marks.iter());
    marks.into_iter().any(|mark| matches!(mark, Mark::Lacks(lacking) if *lacking == pointer))
}

/// Puts a value at a JSON pointer, with the objects that lead to it.
fn put(payload: &mut Value, pointer: &str, value: Value) {
    let mut place = payload;
    for key in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(members) = place else { return };
        place = members.entry(key).or_insert(Value::Null);
    }
    match (place, value) {
        // The arguments may be the payload itself.
        (Value::Object(members), Value::Object(more)) => members.extend(more),
        (place, value) => *place = value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AGENTS;

    #[test]
    fn every_agents_sample_is_a_shell_command_to_us() {
        for agent in AGENTS {
            let (payload, event) = sample(agent, "rm -rf /", "/workspace").unwrap();
            let fitting =
                crate::hook::payload::event_of(&payload, agent).map(|found| found.unwrap().name);
            assert_eq!(fitting.ok(), Some(event.name), "{}: {payload}", agent.name);
            let calls = crate::hook::call::calls(&payload, agent, event).unwrap().calls;
            let [call] = calls.as_slice() else { panic!("{}: {calls:?}", agent.name) };
            let action = portcullis_core::action::Action::from_call(call.clone()).unwrap();
            let is_it = matches!(&action.kind, portcullis_core::action::ActionKind::Shell { command, .. } if command == "rm -rf /");
            assert!(is_it, "{}: {payload}: {action:?}", agent.name);
        }
    }

    #[test]
    fn a_denial_is_told_from_an_answer_that_lets_pass_in_every_form() {
        for agent in AGENTS {
            let (_, event) = sample(agent, "ls", "/").unwrap();
            let say =
                |word: Word| (event.speak)(&Saying { event: event.name, word: &word, input: None });
            let denial = say(Word::Deny("because".into()));
            assert!(denies(event, &denial) && !lets_pass(event, &denial), "{}", agent.name);
            let silence = say(Word::Nothing);
            assert!(lets_pass(event, &silence) && !denies(event, &silence), "{}", agent.name);
            assert!(!denies(
                event,
                &Reply { exit: 127, error: "not found".into(), ..Reply::default() }
            ));
        }
    }
}
