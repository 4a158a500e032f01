//! What an assessment sums up to, and the class that an action proves to be.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;

use portcullis_core::{
    Span,
    action::Action,
    analyze::Opinion,
    assessment::{ActionClass, Assessment, Evidence, MAX_RESOURCES},
    call::ToolCall,
    effect::{Effects, Gap, GapReason, LayerId, Location},
    facts::Facts,
    finding::{Category, Confidence, Finding, Place},
    gate::Gate,
    risk::{Risk, Severity},
};
use serde_json::json;

fn finding(severity: Severity, reversible: bool, resource: Option<&str>) -> Finding {
    Finding {
        rule: "change.made.up",
        category: Category::Change,
        severity,
        confidence: Confidence::High,
        place: Place { pointer: "/command".into(), span: Span::new(0, 1), layer: None, file: None },
        message: "something would happen".into(),
        remedy: "do something else".into(),
        reversible,
        resource: resource.map(str::to_owned),
    }
}

fn assessed(findings: Vec<Finding>, gaps: usize, opinions: &[Risk]) -> Assessment {
    let gap = Gap {
        at: Location { layer: LayerId(0), span: Span::new(0, 1) },
        reason: GapReason::UnknownCode,
    };
    let effects = Effects { gaps: vec![gap; gaps], ..Effects::default() };
    let mut opinion = Opinion::understood(&effects, findings);
    for more in opinions {
        opinion.level = opinion.level.max(more.severity());
    }
    Assessment::new(Evidence {
        action: &Action::from_call(ToolCall::shell("x")).unwrap(),
        effects: &effects,
        opinion,
        tool_class: ActionClass::Destructive,
        class: ActionClass::Destructive,
    })
}

#[test]
fn the_impact_of_each_level_is_the_sentence_of_the_risk_assessment_document() {
    for (level, impact) in [
        (Severity::Critical, "Potentially severe and irreversible impact"),
        (Severity::High, "Significant impact, may require manual intervention to undo"),
        (Severity::Medium, "Moderate impact, generally reversible"),
        (Severity::Low, "Minor impact, easily reversible"),
        (Severity::Safe, "No significant impact expected"),
    ] {
        assert_eq!(assessed(vec![finding(level, true, None)], 0, &[]).impact, impact, "{level}");
    }
}

#[test]
fn the_risk_is_the_worst_finding_and_unknown_hides_nothing_high() {
    for (levels, gaps, expected) in [
        (&[][..], 0, Risk::Safe),
        (&[Severity::Low, Severity::High, Severity::Medium], 0, Risk::High),
        (&[], 1, Risk::Unknown),
        (&[Severity::Medium], 1, Risk::Unknown),
        (&[Severity::High], 1, Risk::High),
        (&[Severity::Critical, Severity::Low], 2, Risk::Critical),
    ] {
        let findings = levels.iter().map(|level| finding(*level, true, None)).collect();
        assert_eq!(assessed(findings, gaps, &[]).risk, expected, "{levels:?} with {gaps} gaps");
    }
}

#[test]
fn a_claim_raises_the_risk_and_never_lowers_it() {
    for (found, claimed, expected) in [
        (Severity::High, Risk::Low, Risk::High),
        (Severity::High, Risk::Unknown, Risk::High),
        (Severity::Low, Risk::High, Risk::High),
        (Severity::Low, Risk::Unknown, Risk::Low),
    ] {
        let assessment = assessed(vec![finding(found, true, None)], 0, &[claimed]);
        assert_eq!(assessment.risk, expected, "found {found}, claimed {claimed}");
    }
}

#[test]
fn it_is_reversible_only_if_all_of_it_is() {
    let both = [finding(Severity::Low, true, None), finding(Severity::Low, false, None)];
    assert!(assessed(vec![both[0].clone()], 0, &[]).reversible);
    assert!(!assessed(both.to_vec(), 0, &[]).reversible);
    assert!(!assessed(vec![], 1, &[]).reversible, "what was not understood is not");
}

#[test]
fn recommendations_are_the_documented_ones_then_what_the_findings_say() {
    let review = "Review the action carefully before approving";
    let undo = "This action cannot be easily undone";
    let necessary = "Consider if this action is truly necessary";
    let own = "do something else";
    for (level, reversible, expected) in [
        (Severity::Medium, false, vec![own]),
        (Severity::High, true, vec![review, own]),
        (Severity::High, false, vec![review, undo, own]),
        (Severity::Critical, false, vec![review, undo, necessary, own]),
        (Severity::Critical, true, vec![review, necessary, own]),
    ] {
        let findings = vec![finding(level, reversible, None), finding(level, reversible, None)];
        let recommendations = assessed(findings, 0, &[]).recommendations;
        assert_eq!(recommendations, expected, "{level}, reversible {reversible}");
    }
}

#[test]
fn resources_are_listed_once_and_ten_at_most() {
    let findings: Vec<_> = (0..30)
        .map(|index| finding(Severity::Low, true, Some(&format!("file:/a{}", index / 2))))
        .collect();
    let resources = assessed(findings, 0, &[]).resources;
    assert_eq!(resources.len(), MAX_RESOURCES);
    assert_eq!(resources.iter().collect::<BTreeSet<_>>().len(), MAX_RESOURCES, "{resources:?}");
}

#[test]
fn findings_stand_worst_first_and_else_in_the_order_of_the_text() {
    let findings = vec![
        finding(Severity::Low, true, Some("a")),
        finding(Severity::High, true, Some("b")),
        finding(Severity::Low, true, Some("c")),
    ];
    let order: Vec<_> = assessed(findings, 0, &[])
        .findings
        .into_iter()
        .filter_map(|finding| finding.resource)
        .collect();
    assert_eq!(order, ["b", "a", "c"]);
}

fn class_of(tool: &str, arguments: serde_json::Value) -> ActionClass {
    let arguments = arguments.as_object().unwrap().clone();
    let call = ToolCall { tool: tool.into(), arguments, ..ToolCall::default() };
    let facts = Facts {
        cwd: Some("/workspace/project".into()),
        home: Some("/home/dev".into()),
        workspace: Some("/workspace/project".into()),
        ..Facts::default()
    };
    Gate::default().judge(&Action::from_call(call).unwrap(), &facts).assessment.class
}

#[test]
fn commands_have_the_class_that_their_effects_prove() {
    use ActionClass::{Destructive, Edit, Execute, Network, ReadOnly};
    let table: &[(ActionClass, &[&str])] = &[
        (
            ReadOnly,
            &[
                "ls -la",
                "cat README.md",
                "git status",
                "git status --short && git diff HEAD~1",
                "git log --oneline -5 | head -3",
                "grep -rn TODO src | wc -l",
                "find . -name '*.rs'",
                "cd src && pwd",
                "echo hello",
                "echo $HOME",
                "ls 2>/dev/null",
                "head -n 5 a.txt | sort | uniq -c",
                "git branch",
                "docker ps",
                "cargo --version",
                "true",
                "",
            ],
        ),
        (
            Edit,
            &[
                "echo x > a.txt",
                "mkdir -p src/new",
                "touch a.txt",
                "cp a.txt b.txt",
                "sed -i s/a/b/ a.txt",
                "ls > files.txt",
            ],
        ),
        (Network, &["curl https://example.com"]),
        (
            Execute,
            &[
                "cargo test",
                "npm install",
                "python3 run.py",
                "./run.sh",
                "git push",
                "git commit -m x",
                "git -c core.pager=x log",
                "git diff --output=a.txt",
                "git branch new",
                "kill 5",
                "sudo ls",
                "echo x > /etc/hosts",
                "echo x > ~/.bashrc",
                "chmod +x a.sh",
                "$UNKNOWN",
                "PATH=/tmp ls",
                "frobnicate",
                "docker run x",
            ],
        ),
        (Destructive, &["rm a.txt", "rm -rf build", "find . -delete", "git reset --hard"]),
    ];
    let mut wrong = Vec::new();
    for (expected, commands) in table {
        for command in *commands {
            let class = class_of("bash", json!({ "command": command }));
            if class != *expected {
                wrong.push((command, *expected, class));
            }
        }
    }
    assert!(wrong.is_empty(), "command, expected, found: {wrong:#?}");
}

#[test]
fn other_tools_have_the_class_of_what_they_do() {
    for (tool, arguments, expected) in [
        ("read_file", json!({"path": "a"}), ActionClass::ReadOnly),
        ("grep", json!({"pattern": "a"}), ActionClass::ReadOnly),
        ("write_file", json!({"path": "a", "content": "x"}), ActionClass::Edit),
        ("delete_file", json!({"path": "a"}), ActionClass::Destructive),
        ("apply_patch", json!({"input": "*** Delete File: a\n"}), ActionClass::Destructive),
        ("web_fetch", json!({"url": "https://example.com"}), ActionClass::Network),
        ("sql", json!({"query": "select * from users"}), ActionClass::ReadOnly),
        ("sql", json!({"query": "update users set a = 1 where id = 2"}), ActionClass::Execute),
        ("sql", json!({"query": "select 1; delete from users"}), ActionClass::Execute),
        (
            "sql",
            json!({"query": "with x as (delete from a returning *) select * from x"}),
            ActionClass::Execute,
        ),
        ("git_status", json!({}), ActionClass::ReadOnly),
        ("git_reset", json!({}), ActionClass::Destructive),
        ("mcp__a__b", json!({}), ActionClass::Unknown),
    ] {
        let class = class_of(tool, arguments.clone());
        let raised = class == ActionClass::Destructive && expected == ActionClass::Execute;
        assert!(
            class == expected || raised,
            "{tool} {arguments}: {class:?}, expected {expected:?}"
        );
    }
}
