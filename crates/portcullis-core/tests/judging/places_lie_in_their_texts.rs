//! Whatever is found lies in the text that it names: calls whose places once did not, and calls that once took too long.

use portcullis_core::{
    action::Action, assessment::Coverage, call::ToolCall, facts::Facts, gate::Gate, policy::Policy,
    understand::understand,
};
use serde_json::{Value, json};

fn action(tool: &str, arguments: Value) -> Action {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let call = ToolCall {
        tool: tool.into(),
        arguments,
        cwd: Some("/workspace/project".into()),
        home: Some("/home/dev".into()),
        ..ToolCall::default()
    };
    #[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
    Action::from_call(call).unwrap()
}

#[test]
fn every_place_is_inside_the_text_that_it_names() {
    let calls = [
        ("delete_file", json!({"paths": ["a", "/etc/a-much-longer-name", "/"]})),
        ("delete_file", json!({"path": "a", "files": [{"path": "/etc/a-much-longer-name"}, "/"]})),
        ("bash", json!({"command": "ssh h tee $x >(sort > /etc/a-much-longer-name)"})),
        ("bash", json!({"command": "bash -c 'ls > $1' x >(dd of=/dev/sda)"})),
        ("bash", json!({"command": format!("bash -c 'sudo  ls {}'", "é ".repeat(3_000))})),
    ];
    let gate = Gate::new(Policy::default());
    for (tool, arguments) in calls {
        let action = action(tool, arguments.clone());
        let assessment = gate.judge(&action, &Facts::default()).assessment;
        let gaps = match assessment.coverage {
            Coverage::Partial(gaps) => gaps,
            Coverage::Full => Vec::new(),
        };
        let places = assessment.findings.into_iter().map(|finding| finding.place);
        let places: Vec<_> = places.chain(gaps.into_iter().map(|(place, _)| place)).collect();
        assert!(!places.is_empty(), "nothing is found in {tool} {arguments}");
        for place in places {
            let text = arguments.pointer(&place.pointer).and_then(Value::as_str);
            let inside = text.is_some_and(|text| text.get(place.span.range()).is_some());
            assert!(inside, "{place:?} in {tool} {arguments}");
            if let Some((text, span)) = &place.layer {
                assert!(text.get(span.range()).is_some(), "{place:?} in {tool} {arguments}");
            }
        }
    }
}

#[test]
fn what_is_unknown_in_a_nested_text_is_shown_by_its_name() {
    let command = "y=$(cat /etc/hostname); bash -c \"echo é$x $(id) ; rm -rf /$y/* é\"";
    let action = action("bash", json!({ "command": command }));
    let findings =
        Gate::new(Policy::default()).judge(&action, &Facts::default()).assessment.findings;
    let shown: Vec<_> = findings
        .iter()
        .filter_map(|finding| finding.place.layer.as_ref())
        .map(|(text, span)| (text.as_str(), span.of(text)))
        .collect();
    let whole = "echo é${x} ${id} ; rm -rf /${/etc/hostname}/* é";
    assert!(shown.contains(&(whole, "/${/etc/hostname}/*")), "{shown:?}");
    assert!(shown.iter().all(|(text, _)| *text == whole), "{shown:?}");
}

#[test]
fn patterns_in_the_place_of_programs_do_not_multiply_each_other() {
    let effects = |patterns: usize| {
        let command = "/* ".repeat(patterns) + "cp x /usr/bin/x";
        understand(&action("bash", json!({ "command": command })), &Facts::default()).list.len()
    };
    assert!(effects(20) <= 2 * effects(4), "{} after {}", effects(20), effects(4));
}

#[test]
fn values_that_grow_by_themselves_are_cut_off() {
    let code = |language: &str, line: &str| {
        let code = format!("x = ['a']\n{}", line.repeat(6_000));
        action("code", json!({"language": language, "code": code}))
    };
    let grown = [
        code("python", "x=[x,x]\n"),
        code("python", "x={1:x,2:x}\n"),
        code("python", "x=[x]\n"),
        code("python", "x=x.text\n"),
        code("ruby", "x=[x,x]\n"),
        code("javascript", "x={a:x,b:x};\n"),
        code("perl", "$x=[$x,$x];\n"),
        action("bash", json!({"command": "a=(${a[@]} a);".repeat(6_000)})),
        action("bash", json!({"command": "a+=(a);".repeat(6_000)})),
        action("bash", json!({"command": "a[$x]=a;".repeat(6_000)})),
        action("bash", json!({"command": "set -- \"$@\" a;".repeat(6_000)})),
    ];
    for action in grown {
        assert!(understand(&action, &Facts::default()).list.len() < 40_000);
    }
}
