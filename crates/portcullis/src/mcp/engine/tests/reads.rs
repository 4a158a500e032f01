//! Completions and subscriptions: what only reads is held and judged as the reading that it comes to.

use super::*;

fn prompts() -> Value {
    json!([{"name": "summary", "description": "A summary.", "arguments": [{"name": "of"}]}])
}

fn resources() -> Value {
    json!([{"uri": "note://one", "name": "one"}])
}

impl Stage {
    /// Answers the listings that the gate asks for, and gives what goes on after them.
    fn shows(&mut self, mut asked: (Vec<Value>, Vec<Value>)) -> (Vec<Value>, Vec<Value>) {
        loop {
            let listing = asked.1.iter().find_map(|one| {
                let result = match one["method"].as_str()? {
                    "prompts/list" => json!({"prompts": prompts()}),
                    "resources/list" => json!({"resources": resources()}),
                    "resources/templates/list" => json!({"resourceTemplates": [{"uriTemplate": "note://{name}", "name": "note"}]}),
                    "server/discover" => json!({"capabilities": {}, "serverInfo": {"name": "notes", "version": "1"}}),
                    _ => return None,
                };
                Some(json!({"jsonrpc": "2.0", "id": one["id"], "result": result}))
            });
            let Some(listing) = listing else { return asked };
            asked = self.server(listing);
        }
    }

    fn asks(&mut self, id: i64, method: &str, params: Value) -> (Vec<Value>, Vec<Value>) {
        let asked =
            self.client(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.shows(asked)
    }

    fn recorded(&mut self, word: &str) -> usize {
        let mut log = crate::audit::Log::open(self.state.path()).unwrap();
        let mut count = 0;
        log.each(&crate::audit::Filter::default(), &mut |record| {
            let tool = record.unwrap().entry.tool.unwrap_or_default();
            count += usize::from(tool == format!("mcp__notes__{word}"));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        count
    }
}

fn completion(of: Value) -> Value {
    json!({"ref": of, "argument": {"name": "of", "value": "a"}})
}

#[test]
fn a_completion_is_judged_as_what_it_completes_and_is_refused_where_that_is_held() {
    let mut stage = Stage::enrolled("");
    stage.meet(json!({}));
    let prompt = json!({"type": "ref/prompt", "name": "summary"});
    let pattern = json!({"type": "ref/resource", "uri": "note://{name}"});
    for (id, of) in [(1, prompt.clone()), (2, pattern)] {
        let (client, server) = stage.asks(id, "completion/complete", completion(of.clone()));
        assert!(client.is_empty(), "{client:?}");
        assert_eq!(server[0]["params"], completion(of));
        let (client, _) = stage.server(
            json!({"jsonrpc": "2.0", "id": id, "result": {"completion": {"values": ["all"]}}}),
        );
        assert_eq!(client[0]["result"]["completion"]["values"], json!(["all"]));
    }
    assert_eq!((stage.recorded("get_prompt"), stage.recorded("read_resource")), (2, 2));
    for (id, wrong) in [
        (10, json!({"type": "ref/prompt", "name": "nothing"})),
        (11, json!({"type": "ref/tool", "name": "summary"})),
        (12, json!({"type": "ref/prompt"})),
        (13, json!("summary")),
    ] {
        let (client, server) = stage.asks(id, "completion/complete", completion(wrong));
        assert!(server.is_empty(), "{server:?}");
        assert_eq!(client[0]["error"]["code"], -32602, "{client:?}");
    }
    let mut more = completion(prompt.clone());
    more["extra"] = json!(1);
    let (client, _) = stage.asks(14, "completion/complete", more);
    assert_eq!(client[0]["error"]["code"], -32602, "{client:?}");
    // The prompt is another than was accepted.
    stage.server(json!({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"}));
    let (_, asked) = stage.client(json!({"jsonrpc": "2.0", "id": 15, "method": "completion/complete", "params": completion(prompt)}));
    let changed = json!([{"name": "summary", "description": "Another."}]);
    let (client, server) = stage
        .server(json!({"jsonrpc": "2.0", "id": asked[0]["id"], "result": {"prompts": changed}}));
    assert!(server.is_empty());
    assert!(client[0]["error"]["message"].as_str().unwrap().contains("held"), "{client:?}");
}

#[test]
fn a_secret_that_a_completion_gives_is_taken_out_and_a_question_in_its_place_is_refused() {
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut stage = Stage::enrolled("");
    stage.meet(json!({}));
    let of = json!({"type": "ref/prompt", "name": "summary"});
    stage.asks(1, "completion/complete", completion(of.clone()));
    let (client, _) = stage
        .server(json!({"jsonrpc": "2.0", "id": 1, "result": {"completion": {"values": [token]}}}));
    assert!(!client[0].to_string().contains(&token), "{client:?}");
    stage.asks(2, "completion/complete", completion(of));
    let (client, _) = stage.server(json!({"jsonrpc": "2.0", "id": 2, "result": {"resultType": "input_required", "requestState": "x"}}));
    assert_eq!(client[0]["error"]["code"], CODE, "{client:?}");
}

#[test]
fn whoever_subscribes_to_a_resource_reads_it_and_hears_nothing_of_one_that_is_held() {
    let mut stage = Stage::enrolled("");
    stage.meet(json!({}));
    let (client, server) = stage.asks(1, "resources/subscribe", json!({"uri": "note://one"}));
    assert!(client.is_empty(), "{client:?}");
    assert_eq!(server[0]["method"], "resources/subscribe");
    stage.server(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(stage.recorded("read_resource"), 2, "the intent, and what came of it");
    let updated = json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "note://one"}});
    assert_eq!(stage.server(updated.clone()).0.len(), 1);
    for (id, wrong) in [(2, json!({})), (3, json!({"uri": 7})), (4, json!({"uri": "a", "b": 1}))] {
        let (client, server) = stage.asks(id, "resources/subscribe", wrong);
        assert!(server.is_empty());
        assert_eq!(client[0]["error"]["code"], -32602, "{client:?}");
    }
    // It says something else of itself now.
    stage.server(json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}));
    let (_, asked) = stage.client(json!({"jsonrpc": "2.0", "id": 5, "method": "resources/subscribe", "params": {"uri": "note://one"}}));
    let changed = json!([{"uri": "note://one", "name": "another"}]);
    let (client, server) = stage
        .server(json!({"jsonrpc": "2.0", "id": asked[0]["id"], "result": {"resources": changed}}));
    assert!(server.is_empty());
    assert!(client[0]["error"]["message"].as_str().unwrap().contains("held"), "{client:?}");
    assert!(stage.server(updated).0.is_empty(), "nobody is told of what is held");
    // Who wants to hear no more of it is not kept.
    let (client, server) = stage.asks(6, "resources/unsubscribe", json!({"uri": "note://one"}));
    assert!(client.is_empty());
    assert_eq!(server[0]["method"], "resources/unsubscribe");
}

#[test]
fn a_stream_of_the_new_protocol_tells_of_no_resource_that_may_not_be_read() {
    let listen = |uris: Value| json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": uris}, "_meta": meta(false)});
    let mut stage = Stage::enrolled("");
    let (client, server) = stage.asks(1, "subscriptions/listen", listen(json!(["note://one"])));
    assert!(client.is_empty(), "{client:?}");
    assert_eq!(server[0]["method"], "subscriptions/listen");
    for (id, wrong) in [(2, json!("note://one")), (3, json!([7])), (4, json!(vec!["a"; 65]))] {
        let (client, server) = stage.asks(id, "subscriptions/listen", listen(wrong));
        assert!(server.is_empty());
        assert_eq!(client[0]["error"]["code"], -32602, "{client:?}");
    }
    let settings = "rules.deny = ['mcp__notes__read_resource']\n";
    let mut stage = Stage::enrolled(settings);
    let (client, server) = stage.asks(1, "subscriptions/listen", listen(json!(["note://one"])));
    assert!(server.is_empty(), "{server:?}");
    assert_eq!(client[0]["error"]["code"], CODE, "{client:?}");
    let (client, server) = stage.asks(2, "subscriptions/listen", listen(json!([])));
    assert!(client.is_empty());
    assert_eq!(server[0]["method"], "subscriptions/listen", "no resource, no question");
}
