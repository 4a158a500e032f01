//! Messages, as Anthropic's service has them.

use serde_json::{Value, json};

use super::{Answer, Turn, Wire, items, named, text, word};

pub(super) static WIRE: Wire = Wire {
    fits: |path| path.split('?').next().is_some_and(|path| path.ends_with("/messages")),
    turns,
    tools: |question| named(question, "tools", "name"),
    streams: |_, question| question.get("stream") == Some(&Value::Bool(true)),
    whole,
    pieces,
    end: "",
};

fn turns(question: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for message in items(question, "messages") {
        if let Some(words) = message.get("content").and_then(Value::as_str) {
            turns.push(Turn::Words(words.to_owned()));
        }
        for part in items(message, "content") {
            match word(part, "type") {
                "text" => turns.push(Turn::Words(word(part, "text").to_owned())),
                "tool_result" => {
                    turns.push(Turn::Result(text(part.get("content").unwrap_or(&Value::Null))));
                }
                _ => {}
            }
        }
    }
    turns
}

fn content(answer: &Answer, number: u64) -> (Value, &'static str) {
    match answer {
        Answer::Call(call) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": call.tool, "input": call.arguments}),
            "tool_use",
        ),
        Answer::Words(words) => (json!({"type": "text", "text": words}), "end_turn"),
    }
}

fn message(question: &Value, number: u64, content: &[Value], stop: Option<&str>) -> Value {
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": question.get("model"),
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 10}
    })
}

fn whole(answer: &Answer, question: &Value, number: u64) -> Value {
    let (content, stop) = content(answer, number);
    message(question, number, &[content], Some(stop))
}

fn pieces(answer: &Answer, question: &Value, number: u64) -> Vec<(Option<String>, Value)> {
    let (_, stop) = content(answer, number);
    let (block, delta) = match answer {
        Answer::Call(call) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": call.tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()}),
        ),
        Answer::Words(words) => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": words}))
        }
    };
    let events = [
        json!({"type": "message_start", "message": message(question, number, &[], None)}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 10}}),
        json!({"type": "message_stop"}),
    ];
    events.into_iter().map(|event| (Some(word(&event, "type").to_owned()), event)).collect()
}
