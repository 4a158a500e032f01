//! Servers that have the client's model write for them.

use super::*;

const LET: &str = "[mcp.servers.notes]\ncommand = \"notes-server\"\nsampling = true\n";

fn asks(params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": params})
}

fn written(text: &str) -> Value {
    json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}})
}

const KEY: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[test]
fn a_server_that_is_let_gets_text_without_tools_contexts_and_secrets() {
    let mut stage = Stage::enrolled(LET);
    stage.meet(json!({"sampling": {"tools": {}, "context": {}}}));
    let message =
        json!({"role": "user", "content": {"type": "text", "text": format!("Sum up {KEY}")}});
    let (client, server) = stage.server(asks(
        json!({"messages": [message], "maxTokens": 10, "includeContext": "allServers"}),
    ));
    assert!(server.is_empty(), "{server:?}");
    assert_eq!(client[0]["method"], "sampling/createMessage");
    assert_eq!(client[0]["params"]["includeContext"], "none");
    assert!(!client[0].to_string().contains(KEY), "{client:?}");
    let answer = json!({"jsonrpc": "2.0", "id": client[0]["id"], "result": written(&format!("It is {KEY}."))});
    let (_, server) = stage.client(answer);
    assert_eq!(server[0]["id"], 7);
    assert_eq!(server[0]["result"]["model"], "m");
    assert!(!server[0].to_string().contains(KEY), "{server:?}");
    for params in [
        json!({"messages": [], "maxTokens": 1, "tools": [{"name": "rm"}]}),
        json!({"messages": [], "maxTokens": 1, "toolChoice": {"mode": "required"}}),
        json!({"messages": ["x".repeat(9 << 20)], "maxTokens": 1}),
    ] {
        let (client, server) = stage.server(asks(params));
        assert!(client.is_empty() && server[0]["error"]["code"] == CODE, "{server:?}");
    }
}

#[test]
fn a_server_is_told_of_a_clients_model_only_where_it_is_let() {
    for (settings, told) in [(LET, json!({})), ("", Value::Null)] {
        let mut stage = Stage::enrolled(settings);
        let (_, server) = stage
            .client(json!({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {
            "_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {"sampling": {"tools": {}}}}}}));
        let own = &server[0]["params"]["_meta"][CAPABILITIES_KEY];
        assert_eq!(own["sampling"], told, "{settings}: {server:?}");
        let mut stage = Stage::enrolled(settings);
        let (_, server) = stage.client(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"sampling": {"tools": {}}}, "clientInfo": {"name": "t", "version": "1"}}}));
        assert_eq!(server[0]["params"]["capabilities"]["sampling"], told, "{settings}: {server:?}");
    }
}
