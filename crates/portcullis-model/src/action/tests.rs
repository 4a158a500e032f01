use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::risk::Risk;

fn call(tool: &str, arguments: Value) -> ToolCall {
    let arguments = arguments.as_object().unwrap().clone();
    ToolCall { tool: tool.into(), arguments, ..ToolCall::default() }
}

fn kind(tool: &str, arguments: Value) -> ActionKind {
    Action::from_call(call(tool, arguments)).unwrap().kind
}

fn shell(pointer: &str, command: &str) -> ActionKind {
    ActionKind::Shell { pointer: pointer.into(), command: command.into() }
}

fn file(
    operation: FileOperation,
    pointer: &str,
    path: &str,
    content: Option<(&str, &str)>,
) -> ActionKind {
    ActionKind::File {
        operation,
        pointer: pointer.into(),
        path: path.into(),
        content: content.map(|(pointer, text)| (pointer.into(), text.into())),
        others: Vec::new(),
    }
}

#[test]
fn commands_are_found_under_the_names_that_agents_give_them() {
    for (tool, arguments, expected) in [
        ("bash", json!({"command": "ls"}), shell("/command", "ls")),
        ("run_shell_command", json!({"cmd": "ls"}), shell("/cmd", "ls")),
        ("terminal", json!({"script": "ls"}), shell("/script", "ls")),
        ("shell", json!({"input": "ls"}), shell("/input", "ls")),
        ("execute_bash", json!({"command": "ls", "timeout": 5}), shell("/command", "ls")),
        (
            "shell",
            json!({"command": ["bash", "-lc", "ls -la"]}),
            shell("/command", "bash -lc 'ls -la'"),
        ),
        (
            "shell",
            json!({"command": ["echo", "it's", "$HOME", ""]}),
            shell("/command", r"echo 'it'\''s' '$HOME' ''"),
        ),
        (
            "shell",
            json!({"command": "rm", "args": ["-rf", "a b"]}),
            shell("/command", "rm -rf 'a b'"),
        ),
        ("code", json!({"language": "bash", "code": "ls"}), shell("/code", "ls")),
    ] {
        assert_eq!(kind(tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn code_queries_and_requests_are_found_under_their_names() {
    let code = |pointer: &str, language: &str| ActionKind::Code {
        pointer: pointer.into(),
        language: language.into(),
        code: "x".into(),
    };
    for (tool, arguments, expected) in [
        ("python", json!({"code": "x"}), code("/code", "python")),
        ("execute_ipython_cell", json!({"source": "x"}), code("/source", "python")),
        ("ipython", json!({"script": "x"}), code("/script", "python")),
        ("code", json!({"code": "x", "language": "JavaScript"}), code("/code", "javascript")),
        (
            "sql",
            json!({"statement": "select 1"}),
            ActionKind::Query { pointer: "/statement".into(), statement: "select 1".into() },
        ),
        (
            "WebFetch",
            json!({"url": "http://example.com", "prompt": "x"}),
            ActionKind::Http {
                pointer: "/url".into(),
                url: "http://example.com".into(),
                method: "GET".into(),
                body: None,
            },
        ),
        (
            "http",
            json!({"uri": "http://example.com", "method": "post", "data": {"a": 1}}),
            ActionKind::Http {
                pointer: "/uri".into(),
                url: "http://example.com".into(),
                method: "POST".into(),
                body: Some(("/data".into(), r#"{"a":1}"#.into())),
            },
        ),
    ] {
        assert_eq!(kind(tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn file_tools_say_what_is_done_to_which_file_and_with_what_text() {
    use FileOperation::{Delete, Edit, Read, Search, Write};
    for (tool, arguments, expected) in [
        ("Read", json!({"file_path": "a"}), file(Read, "/file_path", "a", None)),
        ("view_file", json!({"filePath": "a"}), file(Read, "/filePath", "a", None)),
        (
            "Write",
            json!({"file_path": "a", "content": "x"}),
            file(Write, "/file_path", "a", Some(("/content", "x"))),
        ),
        (
            "create_file",
            json!({"filename": "a", "file_text": "x"}),
            file(Write, "/filename", "a", Some(("/file_text", "x"))),
        ),
        (
            "Edit",
            json!({"file_path": "a", "old_string": "o", "new_string": "x"}),
            file(Edit, "/file_path", "a", Some(("/new_string", "x"))),
        ),
        (
            "MultiEdit",
            json!({"file_path": "a", "edits": [{"old_string": "o", "new_string": "x"}]}),
            file(Edit, "/file_path", "a", Some(("/edits/0/new_string", "x"))),
        ),
        (
            "multi_edit",
            json!({"path": "a", "edits": [{"new_string": "x"}, {"new_string": "y"}]}),
            file(Edit, "/path", "a", Some(("/edits", "x\ny"))),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": "a", "new_source": "x"}),
            file(Edit, "/notebook_path", "a", Some(("/new_source", "x"))),
        ),
        ("delete_file", json!({"target_file": "a"}), file(Delete, "/target_file", "a", None)),
        ("grep", json!({"pattern": "x"}), file(Search, "", ".", None)),
        ("list_files", json!({"path": "src"}), file(Search, "/path", "src", None)),
        (
            "str_replace_editor",
            json!({"command": "view", "path": "a"}),
            file(Read, "/path", "a", None),
        ),
        (
            "str_replace_editor",
            json!({"command": "create", "path": "a", "file_text": "x"}),
            file(Write, "/path", "a", Some(("/file_text", "x"))),
        ),
        (
            "str_replace_editor",
            json!({"command": "str_replace", "path": "a", "old_str": "o", "new_str": "x"}),
            file(Edit, "/path", "a", Some(("/new_str", "x"))),
        ),
        (
            "str_replace_editor",
            json!({"command": "insert", "path": "a", "insert_line": 1, "new_str": "x"}),
            file(Edit, "/path", "a", Some(("/new_str", "x"))),
        ),
        (
            "str_replace_editor",
            json!({"command": "undo_edit", "path": "a"}),
            file(Edit, "/path", "a", None),
        ),
    ] {
        assert_eq!(kind(tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn a_patch_names_every_file_that_it_touches() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n+x\n*** Add File: c d.rs\n+y\n\
                 *** Delete File: e.rs\n*** End Patch";
    let ActionKind::File { operation, path, others, .. } =
        kind("apply_patch", json!({"input": patch}))
    else {
        panic!("not a file");
    };
    assert_eq!((operation, path.as_str()), (FileOperation::Edit, "a.rs"));
    let other = |operation, pointer: &str, path: &str| OtherFile {
        operation,
        pointer: pointer.into(),
        path: path.into(),
    };
    let expected = [
        other(FileOperation::Write, "/input", "b.rs"),
        other(FileOperation::Write, "/input", "c d.rs"),
        other(FileOperation::Delete, "/input", "e.rs"),
    ];
    assert_eq!(others, expected);

    let unified =
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.rs\n+x\n";
    let ActionKind::File { path, others, .. } = kind("apply_patch", json!({"patch": unified}))
    else {
        panic!("not a file");
    };
    assert_eq!(path, "src/a.rs");
    assert_eq!(others, [other(FileOperation::Edit, "/patch", "new.rs")]);
}

#[test]
fn what_a_patch_leaves_in_each_file_is_read_without_its_signs() {
    let starred = "*** Begin Patch\n*** Update File: a.sh\n@@\n make\n-make test\n+curl x | sh\n--- b\n+++ b\n+more\n\
                   *** Move to: c.sh\n+moved\n*** Add File: d.md\n+text\n*** End Patch";
    let unified = "--- a/a.sh\n+++ b/a.sh\n@@ -1,2 +1,2 @@\n make\n-make test\n+curl x | sh\n--- /dev/null\n+++ b/d.md\n+text";
    for (patch, path, expected) in [
        (starred, Some("a.sh"), Some("make\ncurl x | sh\n++ b\nmore\nmoved")),
        (starred, Some("c.sh"), Some("moved")),
        (starred, Some("d.md"), Some("text")),
        (unified, Some("a.sh"), Some("make\ncurl x | sh")),
        (unified, Some("d.md"), Some("text")),
        ("@@\n-a\n+b", None, Some("@@\n-a\n+b\nb")),
        ("a\n+b", None, None),
        ("a", Some("a.sh"), None),
    ] {
        assert_eq!(patched_text(patch, path).as_deref(), expected, "{patch} {path:?}");
    }
}

#[test]
fn every_path_of_a_list_is_found_where_it_stands() {
    let paths = json!(["a", {"path": "some/longer/b"}, "c"]);
    let ActionKind::File { pointer, others, .. } = kind("delete_file", json!({"files": paths}))
    else {
        panic!("not a file");
    };
    let others = others.iter().map(|other| other.pointer.as_str());
    let pointers: Vec<_> = std::iter::once(pointer.as_str()).chain(others).collect();
    assert_eq!(pointers, ["/files/0", "/files/1/path", "/files/2"]);
}

#[test]
fn arguments_are_known_by_the_names_that_tools_give_them() {
    assert_eq!(kind("bash", json!({"restart": true})), ActionKind::Tool);
    assert_eq!(kind("bash", json!({"restart": true, "command": "ls"})), shell("/command", "ls"));
    assert_eq!(kind("bash", json!({"shell_command": "ls"})), shell("/shell_command", "ls"));
    let ActionKind::Code { pointer, code, .. } = kind("python_repl", json!({"query": "1 + 1"}))
    else {
        panic!("not code");
    };
    assert_eq!((pointer.as_str(), code.as_str()), ("/query", "1 + 1"));
}

#[test]
fn a_call_whose_arguments_are_not_those_of_its_name_is_one_of_a_tool_that_nobody_knows() {
    for (tool, arguments) in [
        ("bash", json!({})),
        ("bash", json!({"command": null})),
        ("bash", json!({"command": 5})),
        ("bash", json!({"command": ["ls", 5]})),
        ("python", json!({"code": ["x"]})),
        ("sql", json!({})),
        ("read_file", json!({"path": {}})),
        ("write_file", json!({"content": "x"})),
        ("delete_file", json!({"file_id": "13"})),
        ("web_fetch", json!({"url": true})),
        ("str_replace_editor", json!({"command": "rm", "path": "a"})),
        ("shell", json!({"restart": false, "summary": "x"})),
    ] {
        let action = Action::from_call(call(tool, arguments.clone())).unwrap();
        assert!(action.is_misnamed(), "{tool} {arguments}");
        assert_eq!(action.call.arguments.len(), arguments.as_object().unwrap().len(), "{tool}");
    }
    for (tool, arguments) in
        [("bash", json!({"restart": true})), ("git_status", json!({})), ("frobnicate", json!({}))]
    {
        assert!(!Action::from_call(call(tool, arguments)).unwrap().is_misnamed(), "{tool}");
    }
}

#[test]
fn an_unknown_tool_always_makes_an_action() {
    for (tool, arguments) in [
        ("frobnicate", json!({})),
        ("mcp__server__bash", json!({"command": 5})),
        ("", json!({"command": "ls"})),
        ("git_status", json!({})),
    ] {
        assert_eq!(kind(tool, arguments), ActionKind::Tool, "{tool}");
    }
}

#[test]
fn what_an_agent_says_about_its_call_is_taken_out_and_never_run() {
    let arguments = json!({
        "security_risk": "HIGH", "summary": "rm -rf /", "thought": "I will delete it", "command": "ls",
    });
    let action = Action::from_call(call("execute_bash", arguments)).unwrap();
    assert_eq!(action.kind, shell("/command", "ls"));
    assert_eq!(action.call.declared_risk, Some(Risk::High));
    assert_eq!(action.call.summary.as_deref(), Some("rm -rf /"));
    assert_eq!(action.call.thought.as_deref(), Some("I will delete it"));
    assert_eq!(action.call.arguments.keys().collect::<Vec<_>>(), ["command"]);
}

#[test]
fn an_unknown_tool_keeps_its_own_summary() {
    let arguments = json!({"summary": "the title of a ticket", "security_risk": "bogus"});
    let action = Action::from_call(call("create_ticket", arguments)).unwrap();
    assert_eq!(action.call.arguments.keys().collect::<Vec<_>>(), ["summary"]);
    assert_eq!(action.call.declared_risk, None);
}

#[test]
fn the_digest_is_over_the_tool_the_arguments_and_the_directory() {
    let base = call("bash", json!({"command": "ls"}));
    let id = |call: &ToolCall| Action::from_call(call.clone()).unwrap().id();
    let elsewhere = ToolCall { cwd: Some("/x".into()), ..base.clone() };
    let other_tool = ToolCall { tool: "shell".into(), ..base.clone() };
    let other = call("bash", json!({"command": "ls "}));
    let more = call("bash", json!({"command": "ls", "timeout": 1}));
    let ids: std::collections::BTreeSet<_> =
        [&base, &elsewhere, &other_tool, &other, &more].map(id).into_iter().collect();
    assert_eq!(ids.len(), 5, "all differ");
    let retold = ToolCall { id: Some("7".into()), thought: Some("hm".into()), ..base.clone() };
    assert_eq!(id(&retold), id(&base), "the same action, told in other words");
    assert_eq!(id(&base).len(), "sha256:".len() + 64);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-c]{0,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-d]{1,2}", any_value(), 0..5)
        .prop_map(|members| members.into_iter().collect())
}

fn digest(arguments: Map<String, Value>) -> [u8; 32] {
    let call = ToolCall { tool: "frobnicate".into(), arguments, ..ToolCall::default() };
    Action::from_call(call).unwrap().digest()
}

proptest! {
    #[test]
    fn two_actions_share_a_digest_only_if_their_arguments_are_equal(
        left in any_arguments(),
        right in any_arguments(),
    ) {
        prop_assert_eq!(left == right, digest(left) == digest(right));
    }

    #[test]
    fn changing_one_argument_changes_the_digest(
        arguments in any_arguments(),
        key in "[a-d]{1,2}",
        value in any_value(),
    ) {
        let mut changed = arguments.clone();
        let before = changed.insert(key, value.clone());
        prop_assert_eq!(before.as_ref() == Some(&value), digest(arguments) == digest(changed));
    }

    #[test]
    fn the_order_of_keys_does_not_change_the_digest(arguments in any_arguments()) {
        let reversed: Map<String, Value> = arguments.clone().into_iter().rev().collect();
        prop_assert_eq!(digest(arguments), digest(reversed));
    }
}
