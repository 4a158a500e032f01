//! Payloads that no agent would send. Owns the mutations, all from one fixed seed, and what must hold for each of them:
//!
//! 1. The answer is never a panic, and always in the form of its agent.
//! 2. A payload is *understood* when it is one JSON object with no key twice; the field that names its event, where its
//!    agent has one, names an event of the table; and, where that event comes before a tool runs, the tool's name is a text
//!    with letters, the arguments are an object or the text of one, and the fields for the directory and the mode are texts
//!    where they are there at all. Whoever is answered without an objection before a tool runs sent such a payload.
//! 3. What the envelope says cannot loosen a call: the answer is without objection only if the payload that the agent
//!    would send for this very tool, arguments, directory and mode is answered so too.
//! 4. A call that is never allowed is not let through by whatever stands beside it in the arguments.
//!
//! Tools that are not known are asked about here, so that silence means that a call was understood and found harmless.

use std::{fs, panic};

use portcullis::{
    agents::{
        agent::{Agent, Event, Mark, Moment, ToolName},
        reply::Reply,
    },
    hook::{self, Options},
    wire,
};
use serde_json::{Map, Value, json};

use crate::{
    World,
    cases::{Answer, Case},
    suites,
};

/// Payloads for each agent.
const MUTATIONS: usize = 200;

#[test]
fn a_payload_that_is_not_understood_is_never_answered_with_silence() {
    let mut wrong = Vec::new();
    for (_, suite) in suites() {
        let world = World::new();
        let agent = hook::named(&suite.agent).unwrap();
        let options = options(&world, agent);
        let bases: Vec<Value> = suite.cases.iter().filter_map(|case| base(&world, case)).collect();
        let bases: Vec<&Value> =
            bases.iter().filter(|base| comes_before_a_tool(agent, base)).collect();
        assert!(bases.len() > 5, "{} has few cases", suite.agent);
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15 ^ suite.agent.len() as u64);
        for number in 0..MUTATIONS {
            let base = bases[number % bases.len()];
            let bytes = mutated(agent, base, &mut chance, number / bases.len());
            let reply = answered(&options, &bytes);
            if is_objection(&reply) {
                continue;
            }
            if let Err(reason) = deserved(agent, base, &bytes, &options) {
                let shown = String::from_utf8_lossy(bytes.get(..1_000).unwrap_or(&bytes));
                wrong.push(format!("{}: {reason}: {shown}\n{reply:?}", suite.agent));
            }
        }
    }
    assert!(wrong.is_empty(), "{} answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_stands_beside_a_forbidden_command_does_not_hide_it() {
    for (_, suite) in suites() {
        let world = World::new();
        let agent = hook::named(&suite.agent).unwrap();
        let options = options(&world, agent);
        let floor = suite.cases.iter().find(|case| case.title.starts_with("what nobody can allow"));
        let base = base(&world, floor.unwrap()).unwrap();
        for name in DECOYS {
            for decoy in [json!("ls"), json!(""), json!(["ls"]), json!([]), json!({}), json!(null)]
            {
                let mut payload = base.clone();
                let Some(arguments) = input(agent, &mut payload).and_then(Value::as_object_mut)
                else {
                    continue;
                };
                if arguments.contains_key(*name) {
                    continue;
                }
                arguments.insert((*name).to_owned(), decoy);
                let reply = answered(&options, payload.to_string().as_bytes());
                assert!(is_objection(&reply), "{}: {payload}", suite.agent);
            }
        }
    }
}

#[test]
fn the_longest_and_the_deepest_are_denied_by_a_process_too() {
    let world = World::new();
    for (_, suite) in suites() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for payload in [String::new(), deep, "\u{0}".to_owned(), "{\"a\":1,\"a\":2}".to_owned()] {
            let case = Case {
                title: String::new(),
                arguments: Vec::new(),
                variables: Vec::new(),
                payload,
                answer: Answer::default(),
            };
            let answer = world.answer(&suite, &case);
            assert!(answer.is_denial(), "{}: {}", suite.agent, answer.page());
        }
    }
}

const DECOYS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "script",
    "input",
    "args",
    "code",
    "path",
    "file_path",
    "url",
    "patch",
    "content",
    "operations",
    "files",
    "prompt",
    "cwd",
    "workdir",
    "description",
];

fn options(world: &World, agent: &'static Agent) -> Options {
    let configuration = world.path("unrecorded.toml");
    let text = "[audit]\nenabled = false\n[hook]\nunknown_tools = \"ask\"\n";
    fs::write(&configuration, text).unwrap();
    Options {
        agent: Some(agent),
        forced: false,
        configuration: Some(configuration),
        ..Options::default()
    }
}

/// A payload that a mutation can start from.
fn base(world: &World, case: &Case) -> Option<Value> {
    // What is answered there is not about the payload.
    if !case.arguments.is_empty() {
        return None;
    }
    serde_json::from_str(&world.filled(&case.payload)).ok()
}

fn answered(options: &Options, bytes: &[u8]) -> Reply {
    panic::catch_unwind(|| hook::reply_to(options, bytes)).unwrap_or_else(|_| {
        panic!("it panicked at {}", String::from_utf8_lossy(bytes.get(..1_000).unwrap_or(bytes)))
    })
}

fn is_objection(reply: &Reply) -> bool {
    let Reply { output, error, exit } = reply.clone();
    let answer = Answer { exit: i32::from(exit), out: output, err: error };
    answer.is_objection()
}

/// Whether an answer without an objection is what the payload deserves.
fn deserved(agent: &Agent, base: &Value, bytes: &[u8], options: &Options) -> Result<(), String> {
    let payload = wire::parse(bytes, 1).map_err(|error| format!("no JSON: {error}"))?;
    let event = match event(agent, &payload) {
        Some(event) if matches!(event.moment, Moment::BeforeTool | Moment::Permission) => event,
        Some(_) => return Ok(()),
        None if is_other_event(agent, &payload) => return Ok(()),
        None => return Err("an event that is not in the table".to_owned()),
    };
    let inputs = event.input.as_slice();
    let inputs = if inputs.is_empty() { agent.fields.input } else { inputs };
    let at = |pointers: &[&str]| {
        pointers.iter().find_map(|at| payload.pointer(at).filter(|value| !value.is_null()))
    };
    let text = |pointers: &[&str]| match at(pointers) {
        Some(Value::String(text)) => Ok(Some(text.clone())),
        None => Ok(None),
        Some(other) => Err(format!("`{pointers:?}` is {other}")),
    };
    let fields = &agent.fields;
    for pointers in [fields.cwd, fields.mode] {
        text(pointers)?;
    }
    let names_tool = matches!(event.tool, ToolName::Field);
    if names_tool && text(fields.tool)?.is_none_or(|name| name.trim().is_empty()) {
        return Err("no name of a tool".to_owned());
    }
    match at(inputs) {
        Some(Value::Object(_) | Value::String(_)) => {}
        other => return Err(format!("arguments that are {other:?}")),
    }
    // The whole payload is the arguments: there is no envelope that could loosen anything.
    if inputs == [""] {
        return Ok(());
    }
    let mut clean = base.clone();
    for pointers in [fields.event, fields.tool, inputs, fields.cwd, fields.roots, fields.mode] {
        for pointer in pointers {
            put(&mut clean, pointer, payload.pointer(pointer).cloned());
        }
    }
    if is_objection(&answered(options, clean.to_string().as_bytes())) {
        return Err(format!("but this is objected to: {clean}"));
    }
    Ok(())
}

fn put(payload: &mut Value, pointer: &str, value: Option<Value>) {
    let Some((above, key)) = pointer.rsplit_once('/') else { return };
    let Some(above) = payload.pointer_mut(above).and_then(Value::as_object_mut) else { return };
    match value {
        Some(value) => above.insert(key.to_owned(), value),
        None => above.remove(key),
    };
}

/// Letters alone, as the names of events are compared.
fn letters(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn event_name(agent: &Agent, payload: &Value) -> Option<String> {
    let mut found = agent.fields.event.iter().filter_map(|at| payload.pointer(at));
    found.find(|value| !value.is_null()).and_then(Value::as_str).map(letters)
}

fn event<'a>(agent: &'a Agent, payload: &Value) -> Option<&'a Event> {
    let name = event_name(agent, payload);
    let is_named = |known: &str| {
        agent.fields.event.is_empty() || name.as_ref().is_some_and(|name| *name == letters(known))
    };
    let mut events = agent.events.iter().filter(|event| is_named(event.name));
    let fits = |marks: &[Mark]| marks.iter().all(|mark| mark.fits(payload));
    events.find(|event| fits(event.marks))
}

fn comes_before_a_tool(agent: &Agent, payload: &Value) -> bool {
    event(agent, payload).is_some_and(|event| event.moment == Moment::BeforeTool)
}

fn is_other_event(agent: &Agent, payload: &Value) -> bool {
    let name = event_name(agent, payload);
    name.is_some_and(|name| agent.other_events.iter().any(|other| letters(other) == name))
}

fn input<'a>(agent: &Agent, payload: &'a mut Value) -> Option<&'a mut Value> {
    let pointer = agent.fields.input.iter().find(|at| payload.pointer(at).is_some())?;
    payload.pointer_mut(pointer)
}

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// One of the kinds of damage, to the text or to the values.
fn mutated(agent: &Agent, base: &Value, chance: &mut Chance, round: usize) -> Vec<u8> {
    let text = base.to_string();
    let mut bytes = text.clone().into_bytes();
    match chance.below(16) {
        0 => bytes.truncate(chance.below(bytes.len())),
        1 => {
            let at = chance.below(bytes.len());
            bytes[at] = [0xff, 0x00, 0xc0, b'"', b'\\', b'{', b'}', b'['][chance.below(8)];
        }
        2 => {
            let at = chance.below(bytes.len());
            let more: &[u8] =
                [&b"\xed\xa0\x80"[..], b"\\ud800", b"\0", b"\\u0000", b"\xf0\x9f"][chance.below(5)];
            bytes.splice(at..at, more.iter().copied());
        }
        3 => {
            // Every key once more, with another value, before or behind the whole.
            let keys: Vec<_> = base.as_object().unwrap().keys().cloned().collect();
            let key = &keys[chance.below(keys.len())];
            let again = format!("{}:\"x\"", json!(key));
            let inside = &text[1..text.len() - 1];
            bytes = if chance.below(2) == 0 {
                format!("{{{again},{inside}}}")
            } else {
                format!("{{{inside},{again}}}")
            }
            .into_bytes();
        }
        4 => {
            let depth = [20, 126, 127, 128, 129, 4_000][chance.below(6)];
            let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            bytes =
                replaced(base, chance, "\u{1}deep").replace("\"\\u0001deep\"", &deep).into_bytes();
        }
        5 => bytes = [bytes.clone(), bytes].concat(),
        6 => bytes = Value::Array(vec![base.clone()]).to_string().into_bytes(),
        7 => bytes = json!(text).to_string().into_bytes(),
        kind => bytes = changed(agent, base, chance, kind, round).to_string().into_bytes(),
    }
    bytes
}

/// The text of a payload in which one value, anywhere, is another text.
fn replaced(base: &Value, chance: &mut Chance, by: &str) -> String {
    let mut payload = base.clone();
    let paths = paths(&payload);
    *payload.pointer_mut(&paths[chance.below(paths.len())]).unwrap() = json!(by);
    payload.to_string()
}

fn changed(agent: &Agent, base: &Value, chance: &mut Chance, kind: usize, round: usize) -> Value {
    let mut payload = base.clone();
    let all = paths(&payload);
    let one = all[chance.below(all.len())].clone();
    match kind {
        8 => put(&mut payload, &one, None),
        9 | 10 => {
            // Rarely, since they take long.
            let huge = round == 0 && chance.below(8) == 0;
            let values = [
                json!(null),
                json!(true),
                json!(5),
                json!(-1.5e300),
                json!(""),
                json!("  "),
                json!([]),
                json!({}),
                json!(["ls"]),
                json!({ "command": "ls" }),
                json!("x".repeat(70_000)),
                json!("\u{0}"),
                json!("\u{202e}"),
                json!("{\"command\":\"ls\",\"command\":\"rm -rf /\"}"),
                if huge { json!(vec![0; 100_000]) } else { json!([0]) },
            ];
            *payload.pointer_mut(&one).unwrap() = values[chance.below(values.len())].clone();
        }
        11 => {
            // Two values change places.
            let other = &all[chance.below(all.len())];
            let (left, right) =
                (payload.pointer(&one).unwrap().clone(), payload.pointer(other).unwrap().clone());
            *payload.pointer_mut(&one).unwrap() = right;
            if let Some(place) = payload.pointer_mut(other) {
                *place = left;
            }
        }
        12 => {
            // Words of other agents beside the own ones.
            let words = [
                ("hook_event_name", json!("Stop")),
                ("hookName", json!("TaskStart")),
                ("event", json!("PreToolUse")),
                ("permission_mode", json!("bypassPermissions")),
                ("tool_name", json!("Read")),
                ("toolName", json!("view")),
                ("cwd", json!("")),
                ("portcullis", json!(2)),
                ("hookEventName", json!("pre_tool_use")),
                ("prompt", json!("hello")),
                ("tool_response", json!("x")),
                ("toolResult", json!({})),
            ];
            let (key, value) = words[chance.below(words.len())].clone();
            payload.as_object_mut().unwrap().insert(key.to_owned(), value);
        }
        13 => {
            if let Some(arguments) = input(agent, &mut payload).and_then(Value::as_object_mut) {
                let key = DECOYS[chance.below(DECOYS.len())];
                let values =
                    [json!("ls"), json!(5), json!(["ls", 5]), json!({ "path": 5 }), json!(null)];
                arguments.insert(key.to_owned(), values[chance.below(values.len())].clone());
            }
        }
        14 => {
            // The arguments as the text of themselves, once or twice.
            if let Some(arguments) = input(agent, &mut payload) {
                *arguments = json!(arguments.to_string());
                if chance.below(2) == 0 {
                    *arguments = json!(arguments.to_string());
                }
            }
        }
        _ => {
            // A name with something beside it.
            let Some(Value::String(text)) = payload.pointer_mut(&one) else {
                payload
                    .as_object_mut()
                    .unwrap()
                    .insert("more".to_owned(), Value::Object(Map::new()));
                return payload;
            };
            let more = ["\u{200b}", " ", "_", "\n", "é", "/", "mcp__x__", "\u{0}"][chance.below(8)];
            if chance.below(2) == 0 { text.insert_str(0, more) } else { text.push_str(more) }
        }
    }
    payload
}

/// The pointers of all values in a payload, except itself.
fn paths(payload: &Value) -> Vec<String> {
    fn collect(above: &str, value: &Value, paths: &mut Vec<String>) {
        let mut go = |key: &str, value: &Value| {
            let at = format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"));
            collect(&at, value, paths);
            paths.push(at);
        };
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| go(key, value)),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| go(&index.to_string(), item));
            }
            _ => {}
        }
    }
    let mut paths = Vec::new();
    collect("", payload, &mut paths);
    paths
}
