//! Responses, as OpenAI's service has them.

use serde_json::{Value, json};

use super::{Answer, Turn, Wire, items, named, text, word};

pub(super) static WIRE: Wire = Wire {
    fits: |path| path.split('?').next().is_some_and(|path| path.ends_with("/responses")),
    turns,
    tools,
    streams: |_, question| question.get("stream") == Some(&Value::Bool(true)),
    whole,
    pieces,
    end: "",
};

fn turns(question: &Value) -> Vec<Turn> {
    if let Some(words) = question.get("input").and_then(Value::as_str) {
        return vec![Turn::Words(words.to_owned())];
    }
    let mut turns = Vec::new();
    for item in items(question, "input") {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
        if kind == "message" {
            turns.push(Turn::Words(text(item.get("content").unwrap_or(&Value::Null))));
        } else if kind.ends_with("_output") {
            turns.push(Turn::Result(text(item.get("output").unwrap_or(&Value::Null))));
        }
    }
    turns
}

/// The tools, those of a namespace with its name before theirs.
fn tools(question: &Value) -> Vec<String> {
    let mut tools = named(question, "tools", "name");
    for space in items(question, "tools").iter().filter(|tool| word(tool, "type") == "namespace") {
        let own = named(space, "tools", "name");
        tools.extend(own.into_iter().map(|name| format!("{}__{name}", word(space, "name"))));
    }
    tools
}

/// The namespace of a tool, and its name there.
fn placed<'a>(tool: &'a str, question: &Value) -> (Option<&'a str>, &'a str) {
    let spaces = items(question, "tools").iter().filter(|tool| word(tool, "type") == "namespace");
    let mut placed = spaces.filter_map(|space| {
        let name = tool.strip_prefix(word(space, "name"))?.strip_prefix("__")?;
        let is_there = named(space, "tools", "name").iter().any(|own| own == name);
        is_there.then(|| (tool.strip_suffix(name).and_then(|space| space.strip_suffix("__")), name))
    });
    placed.next().unwrap_or((None, tool))
}

fn item(answer: &Answer, question: &Value, number: u64) -> Value {
    match answer {
        Answer::Call(call) => {
            let (space, name) = placed(call.tool, question);
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"), "name": name,
                "arguments": call.arguments.to_string(), "status": "completed"
            });
            if let (Some(space), Some(members)) = (space, item.as_object_mut()) {
                members.insert("namespace".to_owned(), space.into());
            }
            item
        }
        Answer::Words(words) => json!({
            "type": "message", "id": format!("m_{number}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": words, "annotations": []}]
        }),
    }
}

fn response(question: &Value, number: u64, status: &str, output: &[Value]) -> Value {
    json!({
        "id": format!("resp_{number}"), "object": "response", "created_at": 0, "status": status,
        "model": question.get("model"), "output": output, "parallel_tool_calls": false, "tools": [], "tool_choice": "auto",
        "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 20
        }
    })
}

fn whole(answer: &Answer, question: &Value, number: u64) -> Value {
    response(question, number, "completed", &[item(answer, question, number)])
}

fn pieces(answer: &Answer, question: &Value, number: u64) -> Vec<(Option<String>, Value)> {
    let item = item(answer, question, number);
    let id = item.get("id").cloned().unwrap_or_default();
    let middle = match answer {
        Answer::Call(call) => vec![json!({
            "type": "response.function_call_arguments.delta", "item_id": id, "output_index": 0,
            "delta": call.arguments.to_string()
        })],
        Answer::Words(words) => vec![
            json!({
                "type": "response.content_part.added", "item_id": id, "output_index": 0, "content_index": 0,
                "part": {"type": "output_text", "text": "", "annotations": []}
            }),
            json!({
                "type": "response.output_text.delta", "item_id": id, "output_index": 0, "content_index": 0, "delta": words
            }),
        ],
    };
    let begun = response(question, number, "in_progress", &[]);
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
    ];
    events.extend(middle);
    let done = whole(answer, question, number);
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": done}));
    let mut pieces = Vec::new();
    for (sequence, mut event) in events.into_iter().enumerate() {
        if let Some(members) = event.as_object_mut() {
            members.insert("sequence_number".to_owned(), sequence.into());
        }
        pieces.push((Some(word(&event, "type").to_owned()), event));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::model::Call;

    #[test]
    fn a_tool_of_a_namespace_is_called_there() {
        let question = json!({"tools": [
            {"type": "function", "name": "exec_command"},
            {"type": "namespace", "name": "mcp__git", "tools": [{"type": "function", "name": "git_log"}]},
        ]});
        assert_eq!(tools(&question), ["exec_command", "mcp__git", "mcp__git__git_log"]);
        let called = |tool| item(&Answer::Call(Call { tool, arguments: json!({}) }), &question, 1);
        let call = called("mcp__git__git_log");
        assert_eq!((word(&call, "namespace"), word(&call, "name")), ("mcp__git", "git_log"));
        assert_eq!(called("exec_command").get("namespace"), None);
    }
}
