//! A reply that comes in pieces: the server-sent events (HTML Standard, section 9.2) of OpenAI's chat completions and Anthropic's messages. Owns
//! how pieces become a reply, and that there is none before its end has come; what a whole one means, [`super::wire`] says.

use std::collections::BTreeMap;

use portcullis_core::{
    guardian::{Failing, Tokens},
    redact::redact,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    turn::{Called, Reply},
    wire::{self, ChatUsage, Draft, MessagesUsage, Part},
};
use crate::guardian::{Provider, Trouble, envelope, malformed};

/// The most calls that are put together. More than that many are no reply that anybody would act on.
const MOST_CALLS: usize = 10_000;

/// What a service calls its own trouble, no longer than this.
const LONGEST_NAME: usize = 60;

/// A reply that is still coming.
pub(super) struct Incoming {
    provider: Provider,
    /// The line that has no end yet, and whether the one before it ended with a carriage return.
    line: Vec<u8>,
    is_after_return: bool,
    /// The data of the event that has no end yet.
    data: Option<Vec<u8>>,
    draft: Draft,
    calls: Vec<Partial>,
    /// Which call, or which text, a number of the service means.
    places: BTreeMap<u64, Place>,
    is_over: bool,
    trouble: Option<Trouble>,
}

/// A call that is still coming.
struct Partial {
    id: String,
    tool: String,
    arguments: String,
    /// Arguments that came as a value, for when none come in pieces.
    given: Value,
}

/// What goes on where.
#[derive(Clone, Copy)]
enum Place {
    Text,
    Call(usize),
    Other,
}

impl Incoming {
    pub(super) fn new(provider: Provider) -> Self {
        Self {
            provider,
            line: Vec::new(),
            is_after_return: false,
            data: None,
            draft: Draft::default(),
            calls: Vec::new(),
            places: BTreeMap::new(),
            is_over: false,
            trouble: None,
        }
    }

    /// Takes what came, cut anywhere, and tells what the model says by it.
    pub(super) fn push(&mut self, bytes: &[u8], told: &mut (dyn FnMut(&str) + Send)) {
        for byte in bytes {
            if self.is_over || self.trouble.is_some() {
                return;
            }
            // A line ends with either of the two, or with both.
            match byte {
                b'\n' if self.is_after_return => self.is_after_return = false,
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    self.ended_line(told);
                }
                byte => {
                    self.is_after_return = false;
                    self.line.push(*byte);
                }
            }
        }
    }

    /// The reply, where all of it came.
    pub(super) fn finish(mut self) -> Result<Reply, Trouble> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        // OpenAI's last word is told by some without the one behind it.
        let has_ended = self.provider != Provider::Anthropic && self.draft.ended.is_some();
        if !self.is_over && !has_ended {
            let broken = Trouble::new(Failing::Unreachable, "the answer broke off");
            return Err(broken.passing());
        }
        if self.draft.ended.is_none() {
            return Err(wire::cut());
        }
        let whole = |call: Partial| {
            let Partial { id, tool, arguments, given } = call;
            let arguments = match given {
                Value::Object(given) if arguments.is_empty() => Ok(given),
                Value::Null | Value::Object(_) => wire::arguments(&arguments),
                _ => Err(wire::NO_OBJECT.to_owned()),
            };
            Called { id, tool, arguments }
        };
        self.draft.calls = self.calls.into_iter().map(whole).collect();
        self.draft.reply()
    }

    fn ended_line(&mut self, told: &mut (dyn FnMut(&str) + Send)) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            if let Some(data) = self.data.take()
                && let Err(trouble) = self.event(&data, told)
            {
                self.trouble = Some(trouble);
            }
            return;
        }
        // Its name stands in the data as well, and whatever else there may be says nothing.
        let Some(value) = line.strip_prefix(b"data:") else { return };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    fn event(&mut self, data: &[u8], told: &mut (dyn FnMut(&str) + Send)) -> Result<(), Trouble> {
        let data = std::str::from_utf8(data).map_err(|_| malformed("the answer is not UTF-8"))?;
        match self.provider {
            Provider::Anthropic => self.of_messages(envelope(data)?, told),
            _ if data == "[DONE]" => {
                self.is_over = true;
                Ok(())
            }
            _ => self.of_chat(envelope(data)?, told),
        }
    }

    fn says(&mut self, text: &str, told: &mut (dyn FnMut(&str) + Send)) {
        if !text.is_empty() {
            self.draft.text.push_str(text);
            told(text);
        }
    }

    fn call(&mut self, number: u64, id: String, tool: String) -> Result<&mut Partial, Trouble> {
        if self.calls.len() >= MOST_CALLS {
            return Err(malformed(format!("it calls more than {MOST_CALLS} tools")));
        }
        self.places.insert(number, Place::Call(self.calls.len()));
        self.calls.push(Partial { id, tool, arguments: String::new(), given: Value::Null });
        self.calls.last_mut().ok_or_else(|| malformed("there is no call"))
    }

    fn of_chat(
        &mut self,
        chunk: Chunk,
        told: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), Trouble> {
        let Chunk { choices, usage, error } = chunk;
        if let Some(error) = error {
            return Err(of_service(&error));
        }
        if let Some(usage) = usage {
            self.draft.tokens = usage.into();
        }
        for Choice { index, delta, finish_reason } in choices {
            if index != 0 {
                return Err(malformed("there is more than one choice"));
            }
            let Delta { role, content, refusal, tool_calls } = delta;
            wire::is_of_model(role.as_deref().filter(|role| !role.is_empty()))?;
            self.says(&content.unwrap_or_default(), told);
            self.draft.is_refused |= refusal.is_some_and(|refusal| !refusal.is_empty());
            for ChatCall { index, id, function } in tool_calls.unwrap_or_default() {
                let ChatFunction { name, arguments } = function;
                let known = match self.places.get(&index) {
                    Some(Place::Call(at)) => self.calls.get_mut(*at),
                    _ => None,
                };
                // There are services that give each call the same number, and an identifier of its own.
                let goes_on =
                    |call: &Partial| id.as_deref().is_none_or(|id| id.is_empty() || id == call.id);
                let call = match known.filter(|call| goes_on(call)) {
                    Some(call) => {
                        if call.tool.is_empty() {
                            call.tool = name.unwrap_or_default();
                        }
                        call
                    }
                    None => self.call(index, id.unwrap_or_default(), name.unwrap_or_default())?,
                };
                call.arguments.push_str(&arguments.unwrap_or_default());
            }
            if finish_reason.is_some() {
                self.draft.ended = finish_reason;
            }
        }
        Ok(())
    }

    fn of_messages(
        &mut self,
        event: Event,
        told: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), Trouble> {
        match event {
            Event::MessageStart { message: Begun { role, usage } } => {
                wire::is_of_model(role.as_deref())?;
                let MessagesUsage { input_tokens: input, output_tokens: output } =
                    usage.unwrap_or_default();
                self.draft.tokens = Tokens { input, output };
            }
            Event::ContentBlockStart { index, content_block } => {
                if self.places.contains_key(&index) {
                    return Err(malformed("a part of the message begins twice"));
                }
                match content_block {
                    Part::Text { text } => {
                        if !self.draft.text.is_empty() {
                            self.says("\n", told);
                        }
                        self.places.insert(index, Place::Text);
                        self.says(&text, told);
                    }
                    Part::ToolUse { id, name, input } => self.call(index, id, name)?.given = input,
                    Part::Other => drop(self.places.insert(index, Place::Other)),
                }
            }
            Event::ContentBlockDelta { index, delta } => {
                match (self.places.get(&index).copied(), delta) {
                    (Some(Place::Text), Piece::TextDelta { text }) => self.says(&text, told),
                    (Some(Place::Call(at)), Piece::InputJsonDelta { partial_json }) => {
                        if let Some(call) = self.calls.get_mut(at) {
                            call.arguments.push_str(&partial_json);
                        }
                    }
                    // What it thinks, where from it has something, and whatever comes to be.
                    (Some(_), Piece::Other) | (Some(Place::Other), _) => {}
                    _ => return Err(malformed("a piece of the message belongs to no part of it")),
                }
            }
            Event::MessageDelta { delta: Ending { stop_reason }, usage } => {
                if stop_reason.is_some() {
                    self.draft.ended = stop_reason;
                }
                if let Some(usage) = usage {
                    self.draft.tokens.output = usage.output_tokens;
                    self.draft.tokens.input = self.draft.tokens.input.max(usage.input_tokens);
                }
            }
            Event::MessageStop => self.is_over = true,
            Event::Error { error } => return Err(of_service(&error)),
            Event::Other => {}
        }
        Ok(())
    }
}

/// A service that says in the middle of an answer that it cannot go on.
fn of_service(error: &Map<String, Value>) -> Trouble {
    let name = ["type", "code"].iter().find_map(|name| error.get(*name)?.as_str());
    let name: String = redact(name.unwrap_or("no reason")).chars().take(LONGEST_NAME).collect();
    Trouble::new(Failing::Rejected, format!("the service broke its answer off: {name}")).passing()
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<ChatUsage>,
    #[serde(default)]
    error: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    delta: Delta,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ChatCall>>,
}

#[derive(Deserialize)]
struct ChatCall {
    #[serde(default)]
    index: u64,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: ChatFunction,
}

#[derive(Default, Deserialize)]
struct ChatFunction {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Begun,
    },
    ContentBlockStart {
        index: u64,
        content_block: Part,
    },
    ContentBlockDelta {
        index: u64,
        delta: Piece,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: Option<MessagesUsage>,
    },
    MessageStop,
    Error {
        error: Map<String, Value>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Begun {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    usage: Option<MessagesUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Ending {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of an answer that comes in portions of so many bytes, and what was told of it.
    fn of(provider: Provider, body: &str, portion: usize) -> (Result<Reply, Trouble>, String) {
        let (mut incoming, mut heard) = (Incoming::new(provider), String::new());
        for portion in body.as_bytes().chunks(portion) {
            incoming.push(portion, &mut |text| heard.push_str(text));
        }
        (incoming.finish(), heard)
    }

    fn chat(chunks: &[&str]) -> String {
        chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
    }

    const CALL: &[&str] = &[
        r#"{"choices":[{"delta":{"role":"assistant","content":"I look ✓"}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"comm"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"and\":\"ls\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
        "[DONE]",
    ];

    const MESSAGES: &[&str] = &[
        r#"{"type":"message_start","message":{"role":"assistant","usage":{"input_tokens":7,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look ✓"}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"bash","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"command\""}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":\"ls\"}"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}"#,
        r#"{"type":"message_stop"}"#,
    ];

    #[test]
    fn pieces_become_a_reply_however_they_are_cut() {
        for (provider, chunks) in [(Provider::OpenAi, CALL), (Provider::Anthropic, MESSAGES)] {
            let body = chat(chunks);
            for body in [body.clone(), body.replace('\n', "\r\n"), body.replace('\n', "\r")] {
                for portion in [1, 2, 3, 7, 64, body.len()] {
                    let (reply, heard) = of(provider, &body, portion);
                    let reply = reply.unwrap();
                    assert_eq!(heard, "I look ✓");
                    assert_eq!((reply.text.as_str(), reply.calls.len()), ("I look ✓", 1));
                    assert_eq!(reply.calls[0].tool, "bash");
                    assert_eq!(reply.calls[0].arguments.as_ref().unwrap()["command"], "ls");
                    assert_eq!((reply.tokens.input, reply.tokens.output), (7, 3));
                }
            }
        }
    }

    /// Wherever an answer breaks off: there is no reply, and it may be asked for again.
    #[test]
    fn no_part_of_an_answer_is_a_reply() {
        for (provider, chunks, last) in [
            (Provider::OpenAi, CALL, "finish_reason"),
            (Provider::Anthropic, MESSAGES, "message_stop"),
        ] {
            let body = chat(chunks);
            let end = body.find(last).unwrap();
            let end = end + body.split_at(end).1.find("\n\n").unwrap() + 2;
            for cut in (0..end).filter(|cut| body.is_char_boundary(*cut)) {
                let (reply, _) = of(provider, body.split_at(cut).0, body.len());
                let trouble = reply.unwrap_err();
                assert!(trouble.passes, "{provider:?} cut at {cut}: {trouble:?}");
            }
            assert!(of(provider, body.split_at(end).0, body.len()).0.is_ok());
        }
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let begins = r#"{"type":"message_start","message":{"role":"assistant"}}"#;
        let (chat_wire, messages) = (Provider::OpenAi, Provider::Anthropic);
        for (provider, chunks, passes) in [
            (chat_wire, vec!["[DONE]"], false),
            (chat_wire, vec!["{"], false),
            (chat_wire, vec!["[]"], true),
            (chat_wire, vec![r#"{"choices":[],"choices":[]}"#, "[DONE]"], false),
            (chat_wire, vec![r#"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#], false),
            (chat_wire, vec![r#"{"choices":[{"delta":{"role":"system","content":"x"}}]}"#], false),
            (
                chat_wire,
                vec![r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"length"}]}"#],
                false,
            ),
            (
                chat_wire,
                vec![r#"{"choices":[{"delta":{"refusal":"no"},"finish_reason":"stop"}]}"#],
                false,
            ),
            (chat_wire, vec![r#"{"error":{"type":"server_error"}}"#, "[DONE]"], true),
            (messages, vec![r#"{"type":"error","error":{"type":"overloaded_error"}}"#], true),
            (messages, vec![r#"{"type":"message_stop"}"#], false),
            (messages, vec![r#"{"type":"message_start","message":{"role":"user"}}"#], false),
            (
                messages,
                vec![
                    begins,
                    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#,
                ],
                false,
            ),
            (
                messages,
                vec![
                    begins,
                    r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
                    r#"{"type":"message_stop"}"#,
                ],
                false,
            ),
        ] {
            let (reply, _) = of(provider, &chat(&chunks), 16);
            let trouble = reply.unwrap_err();
            assert_eq!(trouble.passes, passes, "{chunks:?}: {trouble:?}");
        }
    }

    /// What a service may send is bounded; here, that it takes no longer than its length.
    #[test]
    fn many_calls_and_many_events_are_read_once() {
        let call = |index: usize| {
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"id":"{index}","function":{{"name":"think","arguments":"{{}}"}}}}]}}}}]}}"#
            )
        };
        let end = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned();
        let body = |many: usize| {
            let chunks: Vec<String> = (0..many).map(call).chain([end.clone()]).collect();
            chat(&chunks.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let (reply, _) = of(Provider::OpenAi, &body(1_000), 4_096);
        assert_eq!(reply.unwrap().calls.len(), 1_000);
        let (reply, _) = of(Provider::OpenAi, &body(MOST_CALLS + 1), 4_096);
        assert!(reply.unwrap_err().detail.contains("more than 10000 tools"));
        // Calls that share a number and have identifiers of their own are calls of their own.
        let both = chat(&[&call(0), &call(0).replace(r#""id":"0""#, r#""id":"b""#), &end]);
        assert_eq!(of(Provider::OpenAi, &both, 64).0.unwrap().calls.len(), 2);
    }
}
