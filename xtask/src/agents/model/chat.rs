//! Chat completions, as OpenAI's service has them and most others took over.

use serde_json::{Value, json};

use super::{Answer, Turn, Wire, items, text, word};

pub(super) static WIRE: Wire = Wire {
    fits: |path| path.contains("/chat/completions"),
    turns,
    tools,
    streams: |_, question| question.get("stream") == Some(&Value::Bool(true)),
    whole,
    pieces,
    end: "data: [DONE]\n\n",
};

fn turns(question: &Value) -> Vec<Turn> {
    items(question, "messages")
        .iter()
        .map(|message| {
            let said = text(message.get("content").unwrap_or(&Value::Null));
            if word(message, "role") == "tool" { Turn::Result(said) } else { Turn::Words(said) }
        })
        .collect()
}

fn tools(question: &Value) -> Vec<String> {
    let name =
        |tool: &Value| tool.pointer("/function/name").and_then(Value::as_str).map(str::to_owned);
    items(question, "tools").iter().filter_map(name).collect()
}

fn call(answer: &Answer, number: u64) -> Option<Value> {
    match answer {
        Answer::Call(call) => Some(json!({
            "id": format!("call_{number}"), "type": "function",
            "function": {"name": call.tool, "arguments": call.arguments.to_string()}
        })),
        Answer::Words(_) => None,
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20})
}

fn whole(answer: &Answer, question: &Value, number: u64) -> Value {
    let (message, reason) = match (call(answer, number), answer) {
        (Some(call), _) => {
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
        (None, Answer::Words(words)) => (json!({"role": "assistant", "content": words}), "stop"),
        (None, Answer::Call(_)) => (json!({"role": "assistant", "content": ""}), "stop"),
    };
    json!({
        "id": format!("chat_{number}"), "object": "chat.completion", "created": 0, "model": question.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage()
    })
}

fn pieces(answer: &Answer, question: &Value, number: u64) -> Vec<(Option<String>, Value)> {
    let chunk = |choices: Value, usage: Value| {
        let chunk = json!({
            "id": format!("chat_{number}"), "object": "chat.completion.chunk", "created": 0,
            "model": question.get("model"), "choices": choices, "usage": usage
        });
        (None, chunk)
    };
    let delta = |delta: Value, reason: Option<&str>| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), Value::Null)
    };
    let mut pieces = Vec::new();
    let reason = match (call(answer, number), answer) {
        (Some(mut call), _) => {
            pieces.push(delta(json!({"role": "assistant", "content": ""}), None));
            if let Some(call) = call.as_object_mut() {
                call.insert("index".to_owned(), 0.into());
            }
            pieces.push(delta(json!({"tool_calls": [call]}), None));
            "tool_calls"
        }
        (None, Answer::Words(words)) => {
            pieces.push(delta(json!({"role": "assistant", "content": words}), None));
            "stop"
        }
        (None, Answer::Call(_)) => "stop",
    };
    pieces.push(delta(json!({}), Some(reason)));
    pieces.push(chunk(json!([]), usage()));
    pieces
}
