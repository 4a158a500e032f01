//! What is recorded of calls that are on their way together, and what goes on where that does not last.

use super::*;
use crate::audit::{HeadFile, head_path};

fn head(stage: &Stage) -> u64 {
    let head = HeadFile::new(head_path(stage.state.path()));
    head.read().unwrap().anchor().unwrap().sequence
}

fn ready() -> Stage {
    let mut stage = Stage::enrolled("");
    stage.meet(json!({}));
    stage.list(2, &tools());
    stage.engine.put_down();
    stage
}

fn calls(stage: &mut Stage) -> Out {
    let mut out = Out::default();
    for id in 10..14 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "read_note", "arguments": {"a": id.to_string()}}});
        out.extend(stage.engine.from_client(&serde_json::to_vec(&call).unwrap()));
    }
    out
}

#[test]
fn calls_that_came_together_are_durable_together_before_one_of_them_goes_on() {
    let mut stage = ready();
    let before = head(&stage);
    let mut out = calls(&mut stage);
    assert_eq!((out.server.len(), head(&stage)), (4, before));
    stage.engine.settle(&mut out);
    assert_eq!((out.server.len(), head(&stage)), (4, before + 4));
}

#[test]
fn where_no_decision_would_last_no_call_goes_on() {
    let mut stage = ready();
    let mut out = calls(&mut stage);
    let ahead = stage.state.path().join("audit.db-wal");
    std::fs::remove_file(&ahead).unwrap();
    std::fs::create_dir(&ahead).unwrap();
    stage.engine.settle(&mut out);
    assert!(out.server.is_empty());
    let refused: Vec<Value> = out.client.into_iter().map(Frame::value).collect();
    assert_eq!(refused.len(), 4);
    for answer in refused {
        assert!(text_of(&answer).contains("nothing goes on unrecorded"), "{answer}");
        assert_eq!(answer["result"]["isError"], true);
    }
    // Nor later, and an answer of the server to what never reached it is nobody's.
    let (client, server) = stage.call(20, "read_note", json!({}));
    assert!(server.is_empty() && text_of(&client[0]).contains("unrecorded"), "{client:?}");
    let (client, _) = stage.server(json!({"jsonrpc": "2.0", "id": 10, "result": {"content": []}}));
    assert!(client.is_empty(), "{client:?}");
}
