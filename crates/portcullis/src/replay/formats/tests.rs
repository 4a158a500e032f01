use super::*;

/// The lines of a session, read in order.
fn read(lines: &[&str]) -> Vec<ToolCall> {
    let mut transcript = Transcript::default();
    let mut calls = Vec::new();
    for line in lines {
        let value: Value = serde_json::from_str(line).unwrap();
        if let Line::Calls(some) = transcript.calls(&value) {
            calls.extend(some);
        }
    }
    assert!(transcript.is_known(), "{lines:?}");
    calls
}

/// Sessions of agents in the shapes that they write, each with the one call `ls -la` and words that are none.
const SESSIONS: &[(&str, &[&str])] = &[
    ("a call", &[r#"{"tool":"bash","arguments":{"command":"ls -la"}}"#]),
    (
        "claude",
        &[
            r#"{"type":"user","cwd":"/w","sessionId":"s","message":{"role":"user","content":"rm -rf /"}}"#,
            r#"{"type":"assistant","cwd":"/w","sessionId":"s","message":{"role":"assistant","content":[{"type":"text","text":"rm -rf /"},{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls -la"}}]}}"#,
        ],
    ),
    (
        "codex",
        &[
            r#"{"type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls -la\",\"yield_time_ms\":1000}"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","output":"rm -rf /"}}"#,
        ],
    ),
    (
        "codex",
        &[
            r#"{"type":"response_item","payload":{"type":"local_shell_call","action":{"type":"exec","command":["bash","-lc","ls -la"]}}}"#,
        ],
    ),
    (
        "openhands",
        &[
            r#"{"kind":"ActionEvent","tool_name":"execute_bash","tool_call":{"function":{"name":"execute_bash","arguments":"{\"command\":\"ls -la\"}"}}}"#,
        ],
    ),
    (
        "openhands",
        &[
            r#"{"kind":"ActionEvent","tool_name":"execute_bash","action":{"kind":"ExecuteBashAction","command":"ls -la"}}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"sessionId":"s","projectHash":"ab","startTime":"t","kind":"main"}"#,
            r#"{"$set":{"messages":[{"id":"0","type":"user","content":[{"text":"rm -rf /"}]}]}}"#,
            r#"{"id":"1","type":"user","content":[{"text":"rm -rf /"}]}"#,
            r#"{"id":"2","type":"gemini","content":""}"#,
            r#"{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"ls -la"},"status":"scheduled"}]}"#,
            r#"{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"ls -la"},"status":"success"}]}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"sessionId":"s","projectHash":"ab","messages":[{"type":"user","content":"rm -rf /"},{"type":"gemini","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"ls -la"}}]}]}"#,
        ],
    ),
    (
        "qwen",
        &[
            r#"{"uuid":"1","sessionId":"s","type":"user","cwd":"/w","message":{"role":"user","parts":[{"text":"rm -rf /"}]}}"#,
            r#"{"uuid":"2","sessionId":"s","type":"assistant","cwd":"/w","message":{"role":"model","parts":[{"functionCall":{"id":"c","name":"run_shell_command","args":{"command":"ls -la"}}}]}}"#,
            r#"{"uuid":"3","sessionId":"s","type":"system","cwd":"/w","systemPayload":{"uiEvent":{"function_name":"run_shell_command","function_args":{"command":"rm -rf /"}}}}"#,
        ],
    ),
    (
        "pi",
        &[
            r#"{"type":"session","version":3,"id":"s","cwd":"/w"}"#,
            r#"{"type":"message","id":"1","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls -la"}}]}}"#,
            r#"{"type":"message","id":"2","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"rm -rf /"}]}}"#,
        ],
    ),
    (
        "droid",
        &[
            r#"{"type":"session_start","id":"s","version":2,"cwd":"/w"}"#,
            r#"{"type":"message","id":"1","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Execute","input":{"command":"ls -la"}}]}}"#,
        ],
    ),
    (
        "copilot",
        &[
            r#"{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/w"}}}"#,
            r#"{"type":"assistant.message","data":{"content":"rm -rf /","toolRequests":[{"toolCallId":"c","name":"bash","arguments":{"command":"ls -la"}}]}}"#,
            r#"{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"ls -la"}}}"#,
        ],
    ),
    (
        "grok",
        &[
            r#"{"type":"system","content":"rm -rf /"}"#,
            r#"{"type":"user","content":[{"type":"text","text":"rm -rf /"}]}"#,
            r#"{"type":"assistant","content":"","tool_calls":[{"id":"c","name":"run_terminal_command","arguments":"{\"command\":\"ls -la\"}"}]}"#,
            r#"{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"command":"ls -la"}}}}"#,
        ],
    ),
    (
        "continue",
        &[
            r#"{"sessionId":"s","workspaceDirectory":"/w","history":[{"message":{"role":"user","content":"rm -rf /"}},{"message":{"role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"ls -la\"}"}}]},"toolCallStates":[{"toolCallId":"c","parsedArgs":{"command":"ls -la"}}]}]}"#,
        ],
    ),
    (
        "cline",
        &[
            r#"{"version":1,"agent":"lead","sessionId":"s","messages":[{"role":"user","content":[{"type":"text","text":"rm -rf /"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"run_commands","input":{"commands":["ls -la"]}}]}]}"#,
        ],
    ),
    (
        "cline",
        &[
            r#"{"role":"user","content":[{"type":"text","text":"rm -rf /"}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"execute_command","input":{"command":"ls -la"}}]}"#,
        ],
    ),
    (
        "opencode",
        &[
            r#"{"id":"p","sessionID":"s","type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls -la"},"output":"rm -rf /"}}"#,
        ],
    ),
    (
        "a payload of a hook",
        &[
            r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls -la"}}"#,
        ],
    ),
    ("the record", &[r#"{"v":1,"sequence":4,"kind":"decision","tool":"bash","preview":"ls -la"}"#]),
];

#[test]
fn every_session_gives_its_one_call() {
    for (name, lines) in SESSIONS {
        let calls = read(lines);
        let [call] = calls.as_slice() else { panic!("{name}: {calls:?}") };
        let told = Value::Object(call.arguments.clone()).to_string();
        assert!(told.contains("ls -la"), "{name}: {told}");
        assert!(!told.contains("rm -rf"), "{name}: {told}");
        if lines.concat().contains(r#""/w""#) {
            assert_eq!(call.cwd.as_deref(), Some("/w"), "{name}");
        }
        let is_agent = hook::named(name).is_some();
        assert!(!is_agent || call.agent.as_deref() == Some(*name), "{name}: {call:?}");
    }
}

#[test]
fn a_call_means_the_same_as_in_a_hook() {
    for (name, lines) in SESSIONS {
        let calls = read(lines);
        let action = portcullis_core::action::Action::from_call(calls[0].clone());
        let action = action.unwrap_or_else(|error| panic!("{name}: {error}"));
        let meaning = portcullis_core::tool::meaning(&calls[0].tool);
        assert_eq!(meaning, portcullis_core::tool::Meaning::Shell, "{name}: {action:?}");
    }
}

#[test]
fn the_directory_of_a_session_counts_for_the_calls_after_it() {
    let calls = read(&[
        r#"{"type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#,
        r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch"}}"#,
    ]);
    assert_eq!(calls[0].cwd.as_deref(), Some("/w"));
}

#[test]
fn a_part_of_a_call_is_not_taken_for_the_call() {
    let mut transcript = Transcript::default();
    for line in [
        r#"{"v":1,"sequence":4,"kind":"decision","tool":"bash","preview":"curl -H 'x: ***' y"}"#,
        r#"{"v":1,"sequence":5,"kind":"decision","tool":"mcp__a__b","preview":"{}"}"#,
    ] {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(matches!(transcript.calls(&value), Line::Cut), "{line}");
    }
    let outcome: Value = serde_json::from_str(r#"{"v":1,"sequence":6,"kind":"outcome"}"#).unwrap();
    assert!(matches!(transcript.calls(&outcome), Line::Other));
}

#[test]
fn what_lies_beside_a_session_says_where_it_ran() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    for (session, other, text) in [
        ("g/chat_history.jsonl", "g/summary.json", r#"{"info":{"id":"s","cwd":"/w"}}"#),
        ("c/1.messages.json", "c/1.json", r#"{"session_id":"1","cwd":"/w"}"#),
        ("p/chats/session-1.jsonl", "p/.project_root", "/w\n"),
    ] {
        fs::create_dir_all(at(session).parent().unwrap()).unwrap();
        assert_eq!(beside(&at(session)), None, "{session}");
        fs::write(at(other), text).unwrap();
        assert_eq!(beside(&at(session)).as_deref(), Some("/w"), "{session}");
    }
}
