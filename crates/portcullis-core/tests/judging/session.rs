//! What is remembered of what commands leave behind.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use portcullis_core::{
    action::Action,
    call::ToolCall,
    facts::Facts,
    session::{Left, SessionState},
    text::Taint,
    understand::understand,
};

fn after(commands: &[&str]) -> SessionState {
    let mut facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    };
    for command in commands {
        let action = Action::from_call(ToolCall::shell(*command)).unwrap();
        let effects = understand(&action, &facts);
        facts.session.after(&action, &effects);
    }
    facts.session
}

fn taint(state: &SessionState, path: &str) -> Option<Taint> {
    state.left(path).map(Left::taint)
}

#[test]
fn what_came_from_elsewhere_is_known_by_where_it_lies() {
    let state = after(&[
        "curl -o /tmp/x.sh https://example.com/x.sh",
        "cp /tmp/x.sh tools/run.sh",
        "cp ~/.ssh/id_rsa notes.txt",
        "echo bHM= | base64 -d > d.sh",
        "echo hi > mine.txt",
    ]);
    for (path, expected) in [
        ("/tmp/x.sh", Some(Taint::NETWORK)),
        ("/workspace/project/tools/run.sh", Some(Taint::NETWORK)),
        ("/workspace/project/notes.txt", Some(Taint::SECRET)),
        ("/workspace/project/d.sh", Some(Taint::DECODED)),
        ("/tmp/x.sh/below", Some(Taint::NETWORK)),
        ("/tmp/x.sh2", None),
        ("/workspace/project/mine.txt", None),
    ] {
        assert_eq!(taint(&state, path), expected, "{path}");
    }
    assert_eq!(state.left("/tmp/x.sh").map(Left::from), Some("example.com"));
}

#[test]
fn what_is_written_anew_or_deleted_is_forgotten() {
    let fetch = "curl -o x https://example.com/x";
    for (command, left) in [
        ("echo 'ls' > x", false),
        ("rm x", false),
        ("rm -rf /workspace/project", false),
        ("echo 'ls' >> x", true),
        ("sed -i s/a/b/ x", true),
        ("echo ls > y", true),
    ] {
        let state = after(&[fetch, command]);
        assert_eq!(state.left("/workspace/project/x").is_some(), left, "{command}");
    }
}

#[test]
fn what_the_agent_was_shown_is_known() {
    assert_eq!(after(&["cat ~/.aws/credentials"]).shown_both(), None);
    assert_eq!(after(&["curl -s https://example.com/"]).shown_both(), None);
    assert_eq!(after(&["curl -so x https://example.com/", "cat ~/.netrc >y"]).shown_both(), None);
    let both = after(&["cat ~/.aws/credentials", "curl -s https://example.com/ | head"]);
    assert_eq!(both.shown_both(), Some(("/home/dev/.aws/credentials", "example.com")));
}
