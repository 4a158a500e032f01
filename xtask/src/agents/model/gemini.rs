//! Content, as Google's service generates it.

use serde_json::{Value, json};

use super::{Answer, Turn, Wire, items, named, word};

pub(super) static WIRE: Wire = Wire {
    fits: |path| path.contains("enerateContent"),
    turns,
    tools: |question| {
        let groups = items(question, "tools").iter();
        groups.flat_map(|group| named(group, "functionDeclarations", "name")).collect()
    },
    streams: |path, _| path.contains("streamGenerateContent"),
    whole,
    pieces: |answer, question, number| vec![(None, whole(answer, question, number))],
    end: "",
};

fn turns(question: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for part in items(question, "contents").iter().flat_map(|content| items(content, "parts")) {
        if let Some(response) = part.get("functionResponse") {
            let told = response.get("response").unwrap_or(&Value::Null);
            turns.push(Turn::Result(told.to_string()));
        } else if part.get("text").is_some() {
            turns.push(Turn::Words(word(part, "text").to_owned()));
        }
    }
    turns
}

fn whole(answer: &Answer, question: &Value, number: u64) -> Value {
    let part = match answer {
        Answer::Call(call) => json!({"functionCall": {
            "id": format!("call_{number}"), "name": call.tool, "args": call.arguments
        }}),
        // A question for JSON is about something else than the task, and takes whatever fits its schema.
        Answer::Words(words) => match schema(question) {
            Some(schema) => json!({"text": fitting(schema).to_string()}),
            None => json!({"text": words}),
        },
    };
    json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
        "modelVersion": "scripted"
    })
}

fn schema(question: &Value) -> Option<&Value> {
    let wanted = question.get("generationConfig")?;
    wanted.get("responseJsonSchema").or_else(|| wanted.get("responseSchema"))
}

/// The plainest value of a schema.
fn fitting(schema: &Value) -> Value {
    if let Some(first) = items(schema, "enum").first() {
        return first.clone();
    }
    match word(schema, "type").to_ascii_lowercase().as_str() {
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object);
            let members = members.into_iter().flatten();
            Value::Object(members.map(|(key, schema)| (key.clone(), fitting(schema))).collect())
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" | "number" => json!(1),
        _ => json!("text"),
    }
}
