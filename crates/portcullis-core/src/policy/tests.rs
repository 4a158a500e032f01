use proptest::prelude::*;

use super::*;
use crate::{
    Span,
    analyze::Opinion,
    assessment::{Assessment, Evidence},
    call::ToolCall,
    decision::{Decision, Layer, Obligation, Verdict},
    effect::{Effects, Gap, GapReason, LayerId, LayerOrigin, Location},
    facts::Facts,
    finding::{Category, Confidence, Finding, Place},
    gate::Gate,
    risk::Severity,
    rules::Scene,
};

/// An action with what was found out about it, made up for a test.
#[derive(Clone, Debug)]
struct Made {
    action: Action,
    effects: Effects,
    findings: Vec<Finding>,
}

fn made(tool: &str, key: &str, value: &str) -> Made {
    let mut call = ToolCall { tool: tool.into(), ..ToolCall::default() };
    call.arguments.insert(key.into(), value.into());
    let layer = crate::effect::Layer {
        text: value.to_owned(),
        origin: LayerOrigin::Argument(format!("/{key}")),
    };
    let effects = Effects { layers: vec![layer], ..Effects::default() };
    Made { action: Action::from_call(call).unwrap(), effects, findings: Vec::new() }
}

fn finding(rule: &'static str, severity: Severity) -> Finding {
    Finding {
        rule,
        category: Category::Change,
        severity,
        confidence: Confidence::High,
        place: Place { pointer: "/command".into(), span: Span::new(0, 1), layer: None, file: None },
        message: "something would happen".into(),
        remedy: "do something else".into(),
        reversible: true,
        resource: None,
    }
}

const GAP: Gap = Gap {
    at: Location { layer: LayerId(0), span: Span { start: 0, end: 1 } },
    reason: GapReason::UnknownProgram,
};

impl Made {
    fn with(mut self, rule: &'static str, severity: Severity) -> Self {
        self.findings.push(finding(rule, severity));
        self
    }

    fn with_gap(mut self) -> Self {
        self.effects.gaps.push(GAP);
        self
    }

    fn decide(&self, policy: &Policy, context: &Context) -> Decision {
        let facts = Facts::default();
        let scene = Scene { action: &self.action, effects: &self.effects, facts: &facts };
        let tool_class = policy.tool_class(&self.action);
        let assessment = Assessment::new(Evidence {
            action: &self.action,
            effects: &self.effects,
            opinion: Opinion::understood(&self.effects, self.findings.clone()),
            tool_class,
            class: crate::class::class(&scene, &self.findings, tool_class),
        });
        let subject = Subject {
            action: &self.action,
            effects: &self.effects,
            facts: &facts,
            assessment: &assessment,
        };
        policy.decide(&subject, context)
    }
}

fn at(level: Severity) -> Made {
    made("read_file", "path", "a").with("change.made.up", level)
}

const WITH_PERSON: Context = Context { can_ask: true, mode: None, agent_asks: false };
const HEADLESS: Context = Context { can_ask: false, ..WITH_PERSON };

#[test]
fn approval_presets_decide_as_rlm_code_with_and_without_a_handler() {
    use Verdict::{Allow, Ask, Deny};
    // Per preset: with a handler, and without one, for safe, low, medium, high, critical.
    let table = [
        (ApprovalPolicy::AutoApprove, [Allow; 5], [Allow; 5]),
        (
            ApprovalPolicy::AutoDeny,
            [Allow, Deny, Deny, Deny, Deny],
            [Allow, Deny, Deny, Deny, Deny],
        ),
        (ApprovalPolicy::ConfirmAll, [Ask; 5], [Deny; 5]),
        (
            ApprovalPolicy::ConfirmHighRisk,
            [Allow, Allow, Allow, Ask, Ask],
            [Allow, Allow, Allow, Deny, Deny],
        ),
        (
            ApprovalPolicy::ConfirmMediumAndUp,
            [Allow, Allow, Ask, Ask, Ask],
            [Allow, Allow, Deny, Deny, Deny],
        ),
        (
            ApprovalPolicy::Custom,
            [Allow, Allow, Allow, Ask, Ask],
            [Allow, Allow, Allow, Deny, Deny],
        ),
    ];
    for (preset, with, without) in table {
        let confirmation = preset.confirmation();
        let policy = Policy::new(PolicyOptions { confirmation, ..PolicyOptions::default() });
        for (index, level) in Severity::ALL.into_iter().enumerate() {
            let attended = at(level).decide(&policy, &Context::default());
            assert_eq!(
                Some(&attended.verdict),
                with.get(index),
                "{preset} × {level}, with a handler"
            );
            let alone = at(level).decide(&policy, &HEADLESS);
            assert_eq!(Some(&alone.verdict), without.get(index), "{preset} × {level}, without one");
        }
    }
}

#[test]
fn tools_by_name_get_the_cells_of_the_permission_mode_documents() {
    use Verdict::{Allow, Ask, Deny};
    let tools = [
        made("view_file", "path", "a"),
        made("write_file", "path", "a"),
        made("delete_file", "path", "a"),
        made("frobnicate", "x", "a"),
    ];
    let table = [
        (Mode::Default, [Allow, Ask, Ask, Ask]),
        (Mode::Plan, [Allow, Deny, Deny, Deny]),
        (Mode::AcceptEdits, [Allow, Allow, Ask, Ask]),
        (Mode::DontAsk, [Allow, Allow, Ask, Allow]),
        (Mode::BypassPermissions, [Allow, Allow, Allow, Allow]),
    ];
    for (mode, row) in table {
        let policy = Policy::new(PolicyOptions { mode: Some(mode), ..PolicyOptions::default() });
        for (tool, expected) in tools.iter().zip(row) {
            let decision = tool.decide(&policy, &Context::default());
            assert_eq!(decision.verdict, expected, "{mode} × {}", tool.action.call.tool);
            assert_eq!(decision.layer, Layer::Mode, "{mode} × {}", tool.action.call.tool);
        }
    }
}

#[test]
fn dont_ask_lets_nothing_dangerous_go_on() {
    let policy =
        Policy::new(PolicyOptions { mode: Some(Mode::DontAsk), ..PolicyOptions::default() });
    for tool in [
        made("bash", "command", "x"),
        made("frobnicate", "x", "a"),
        made("write_file", "path", "a"),
    ] {
        for (level, expected) in [
            (Severity::Medium, Verdict::Allow),
            (Severity::High, Verdict::Ask),
            (Severity::Critical, Verdict::Ask),
        ] {
            let decision =
                tool.clone().with("change.made.up", level).decide(&policy, &Context::default());
            assert_eq!(decision.verdict, expected, "{} at {level}", tool.action.call.tool);
        }
    }
    let unread = made("bash", "command", "x").with_gap();
    assert_eq!(unread.decide(&policy, &Context::default()).verdict, Verdict::Ask);
}

#[test]
fn dont_ask_that_denies_quietly_never_asks() {
    let policy = Policy::new(PolicyOptions {
        mode: Some(Mode::DontAsk),
        dont_ask: DontAsk::DenyQuietly,
        ask: vec!["Read(b)".parse().unwrap()],
        allow: vec!["frobnicate".parse().unwrap()],
        ..PolicyOptions::default()
    });
    for (tool, expected) in [
        (made("read_file", "path", "a"), Verdict::Allow),
        (made("read_file", "path", "b"), Verdict::Deny),
        (made("write_file", "path", "a"), Verdict::Deny),
        (made("delete_file", "path", "a"), Verdict::Deny),
        (made("other", "x", "a"), Verdict::Deny),
        (made("frobnicate", "x", "a"), Verdict::Allow),
    ] {
        let decision = tool.decide(&policy, &Context::default());
        assert_eq!(decision.verdict, expected, "{:?}", tool.action.call);
    }
}

#[test]
fn the_first_of_deny_floor_ask_and_allow_that_speaks_decides() {
    let every = |name: &str| -> Vec<Rule> { vec![name.parse().unwrap()] };
    let catastrophe = made("bash", "command", "x").with("fs.delete.root", Severity::Critical);
    let mut options = PolicyOptions {
        deny: every("Bash"),
        ask: every("Bash"),
        allow: every("Bash"),
        mode: Some(Mode::BypassPermissions),
        confirmation: Confirmation::Never,
        ..PolicyOptions::default()
    };
    let decided = |options: &PolicyOptions, made: &Made| {
        let decision = made.decide(&Policy::new(options.clone()), &Context::default());
        (decision.verdict, decision.layer)
    };
    assert_eq!(decided(&options, &catastrophe), (Verdict::Deny, Layer::DenyRule));
    options.deny.clear();
    assert_eq!(decided(&options, &catastrophe), (Verdict::Deny, Layer::Floor));
    let harmless = made("bash", "command", "x");
    assert_eq!(decided(&options, &harmless), (Verdict::Ask, Layer::AskRule));
    options.ask.clear();
    assert_eq!(decided(&options, &harmless), (Verdict::Allow, Layer::AllowRule));
    options.allow.clear();
    assert_eq!(decided(&options, &harmless), (Verdict::Allow, Layer::Mode));
    assert_eq!(
        decided(&options, &catastrophe),
        (Verdict::Deny, Layer::Floor),
        "bypass has a floor"
    );
    options.mode = None;
    assert_eq!(decided(&options, &harmless), (Verdict::Allow, Layer::Confirmation));
}

#[test]
fn floors_can_be_added_by_rule_id_and_never_taken_away() {
    let policy = Policy::new(PolicyOptions {
        mode: Some(Mode::BypassPermissions),
        floors: vec!["db.drop".into(), "terraform.*".into()],
        ..PolicyOptions::default()
    });
    for (rule, expected) in [
        ("db.drop", Verdict::Deny),
        ("db.dropped", Verdict::Allow),
        ("terraform.destroy", Verdict::Deny),
        ("terraforming", Verdict::Allow),
        ("fs.delete.root", Verdict::Deny),
        ("protection.gate.stop", Verdict::Deny),
        ("fs.delete.file", Verdict::Allow),
    ] {
        let decision = made("bash", "command", "x")
            .with(rule, Severity::Critical)
            .decide(&policy, &Context::default());
        assert_eq!(decision.verdict, expected, "{rule}");
    }
}

#[test]
fn confirmation_only_raises_what_a_mode_says() {
    let policy = |mode, confirmation| {
        Policy::new(PolicyOptions { mode: Some(mode), confirmation, ..PolicyOptions::default() })
    };
    let read = made("read_file", "path", "a");
    let raised = read.decide(&policy(Mode::Default, Confirmation::Always), &Context::default());
    assert_eq!((raised.verdict, raised.layer), (Verdict::Ask, Layer::Confirmation));
    let write = made("write_file", "path", "a");
    let kept = write.decide(&policy(Mode::Plan, Confirmation::Never), &Context::default());
    assert_eq!((kept.verdict, kept.layer), (Verdict::Deny, Layer::Mode));
    let bypassed =
        read.decide(&policy(Mode::BypassPermissions, Confirmation::Always), &Context::default());
    assert_eq!((bypassed.verdict, bypassed.layer), (Verdict::Allow, Layer::Mode));
}

#[test]
fn a_mode_for_one_call_respects_the_latch() {
    let context = Context { mode: Some(Mode::BypassPermissions), ..Context::default() };
    let write = made("write_file", "path", "a");
    let open = Policy::default();
    assert_eq!(write.decide(&open, &context).verdict, Verdict::Allow);
    let mut latched = open;
    latched.disable_bypass();
    assert_eq!(write.decide(&latched, &context).verdict, Verdict::Ask);
    assert!(latched.options().disable_bypass);
}

#[test]
fn what_would_ask_is_denied_where_nobody_can_answer() {
    let decision = at(Severity::High).decide(&Policy::default(), &HEADLESS);
    assert_eq!((decision.verdict, decision.layer), (Verdict::Deny, Layer::Confirmation));
    assert!(decision.reasons.iter().any(|reason| reason.contains("nobody")), "{decision:?}");
    assert!(decision.obligations.is_empty());
}

#[test]
fn an_unknown_tool_asks_without_a_mode_and_a_class_of_its_own_makes_it_known() {
    let tool = made("frobnicate", "x", "a");
    assert_eq!(tool.decide(&Policy::default(), &Context::default()).verdict, Verdict::Ask);
    let policy = Policy::new(PolicyOptions {
        classes: vec![("Frobnicate".into(), ActionClass::ReadOnly)],
        mode: Some(Mode::Plan),
        ..PolicyOptions::default()
    });
    assert_eq!(tool.decide(&policy, &Context::default()).verdict, Verdict::Allow);
}

#[test]
fn a_class_of_a_known_tool_can_only_be_raised() {
    let policy = Policy::new(PolicyOptions {
        classes: vec![
            ("read_file".into(), ActionClass::Destructive),
            ("delete_file".into(), ActionClass::ReadOnly),
        ],
        mode: Some(Mode::Default),
        ..PolicyOptions::default()
    });
    for tool in ["read_file", "delete_file"] {
        let decision = made(tool, "path", "a").decide(&policy, &Context::default());
        assert_eq!(decision.verdict, Verdict::Ask, "{tool}");
    }
}

#[test]
fn a_decision_says_what_every_layer_said_and_why() {
    let policy =
        Policy::new(PolicyOptions { mode: Some(Mode::AcceptEdits), ..PolicyOptions::default() });
    let decision = at(Severity::High).decide(&policy, &Context::default());
    let layers: Vec<_> = decision.steps.iter().map(|step| step.layer).collect();
    assert_eq!(
        layers,
        [
            Layer::DenyRule,
            Layer::Floor,
            Layer::AskRule,
            Layer::AllowRule,
            Layer::Mode,
            Layer::Confirmation
        ]
    );
    assert!(
        decision.reasons.iter().any(|reason| reason.contains("change.made.up")),
        "{decision:?}"
    );
    let read = made("bash", "command", "").decide(&Policy::default(), &Context::default());
    assert_eq!(read.obligations, [Obligation::RedactOutput, Obligation::ReadOnly]);
}

#[test]
fn commands_get_the_verdict_that_their_effects_earn_in_every_mode() {
    use Verdict::{Allow, Ask, Deny};
    // Per command: default, plan, acceptEdits, dontAsk, bypassPermissions.
    let table = [
        ("git status", [Allow, Allow, Allow, Allow, Allow]),
        ("ls -la | wc -l", [Allow, Allow, Allow, Allow, Allow]),
        ("mkdir -p src/new", [Ask, Deny, Allow, Allow, Allow]),
        ("echo x > notes.txt", [Ask, Deny, Allow, Allow, Allow]),
        ("cargo test", [Ask, Deny, Ask, Allow, Allow]),
        ("rm notes.txt", [Ask, Deny, Ask, Ask, Allow]),
        ("cat ~/.ssh/id_rsa", [Ask, Deny, Ask, Ask, Allow]),
        ("eval \"$UNKNOWN\"", [Ask, Deny, Ask, Ask, Allow]),
        ("rm -rf /", [Deny, Deny, Deny, Deny, Deny]),
    ];
    let facts = Facts {
        cwd: Some("/workspace/project".into()),
        home: Some("/home/dev".into()),
        workspace: Some("/workspace/project".into()),
        ..Facts::default()
    };
    let gate = Gate::default();
    let mut wrong = Vec::new();
    for (command, row) in table {
        let action = Action::from_call(ToolCall::shell(command)).unwrap();
        for (mode, expected) in Mode::ALL.into_iter().zip(row) {
            let context = Context { mode: Some(mode), ..Context::default() };
            let verdict = gate.judge_in(&action, &facts, &context).decision.verdict;
            if verdict != expected {
                wrong.push((command, mode, expected, verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "command, mode, expected, found: {wrong:#?}");
}

fn any_confirmation() -> impl Strategy<Value = Confirmation> {
    let level = || prop::sample::select(Severity::ALL.to_vec());
    prop_oneof![
        Just(Confirmation::Always),
        Just(Confirmation::Never),
        (level(), any::<bool>()).prop_map(|(threshold, confirm_unknown)| Confirmation::Risky {
            threshold,
            confirm_unknown
        }),
        level().prop_map(|threshold| Confirmation::Refuse { threshold }),
    ]
}

fn any_finding() -> impl Strategy<Value = Finding> {
    let rules = vec!["change.made.up", "fs.delete.root", "db.drop", "credentials.file.read"];
    let categories = vec![Category::Change, Category::Destruction, Category::Unclear];
    (
        prop::sample::select(rules),
        prop::sample::select(Severity::ALL.to_vec()),
        prop::sample::select(categories),
        prop::sample::select(vec![Confidence::Low, Confidence::Medium, Confidence::High]),
    )
        .prop_map(|(rule, severity, category, confidence)| Finding {
            category,
            confidence,
            ..finding(rule, severity)
        })
}

fn any_made() -> impl Strategy<Value = Made> {
    let tools = vec![
        ("bash", "command"),
        ("python", "code"),
        ("sql", "query"),
        ("read_file", "path"),
        ("write_file", "path"),
        ("delete_file", "path"),
        ("web_fetch", "url"),
        ("frobnicate", "x"),
        ("git_status", "x"),
    ];
    (prop::sample::select(tools), prop::collection::vec(any_finding(), 0..3), 0..2usize).prop_map(
        |((tool, key), findings, gaps)| {
            let mut made = made(tool, key, "select 1");
            made.findings = findings;
            made.effects.gaps = vec![GAP; gaps];
            made
        },
    )
}

fn any_rules() -> impl Strategy<Value = Vec<Rule>> {
    let rules = vec![
        "Bash",
        "Bash(git status:*)",
        "Read(src/**)",
        "Edit",
        "frobnicate",
        "finding:db.*",
        "finding:change.made.up",
        "WebFetch",
    ];
    prop::collection::vec(prop::sample::select(rules).prop_map(|rule| rule.parse().unwrap()), 0..2)
}

fn any_options() -> impl Strategy<Value = PolicyOptions> {
    let mode = prop::option::of(prop::sample::select(Mode::ALL.to_vec()));
    let dont_ask = prop::sample::select(vec![DontAsk::AllowQuietly, DontAsk::DenyQuietly]);
    (mode, any::<bool>(), dont_ask, any_confirmation(), any_rules(), any_rules(), any_rules())
        .prop_map(|(mode, disable_bypass, dont_ask, confirmation, allow, ask, deny)| {
            PolicyOptions {
                mode,
                disable_bypass,
                dont_ask,
                confirmation,
                allow,
                ask,
                deny,
                ..PolicyOptions::default()
            }
        })
}

proptest! {
    #[test]
    fn more_findings_gaps_and_strict_rules_never_loosen_a_decision(
        before in any_made(),
        options in any_options(),
        more in any_finding(),
        can_ask in any::<bool>(),
        rule in any_rules(),
    ) {
        let context = Context { can_ask, ..WITH_PERSON };
        let policy = Policy::new(options.clone());
        let verdict = before.decide(&policy, &context).verdict;

        let mut found = before.clone();
        found.findings.push(more);
        prop_assert!(found.decide(&policy, &context).verdict >= verdict, "a finding loosens");

        let unread = before.clone().with_gap();
        prop_assert!(unread.decide(&policy, &context).verdict >= verdict, "a gap loosens");

        let mut stricter = options.clone();
        stricter.deny.extend(rule.clone());
        prop_assert!(before.decide(&Policy::new(stricter), &context).verdict >= verdict, "a deny rule loosens");

        let mut stricter = options.clone();
        stricter.ask.extend(rule.clone());
        let asked = before.decide(&Policy::new(stricter), &context).verdict;
        prop_assert!(asked >= verdict, "an ask rule loosens");

        let alone = before.decide(&policy, &Context { can_ask: false, ..WITH_PERSON }).verdict;
        prop_assert!(alone >= verdict && alone != Verdict::Ask, "nobody there loosens");
    }
}

#[test]
fn what_only_the_agent_knows_is_left_to_an_agent_that_asks() {
    let context = Context { agent_asks: true, ..WITH_PERSON };
    let plan = Context { mode: Some(Mode::Plan), ..context };
    let call = |tool: &str, arguments: serde_json::Value| ToolCall {
        tool: tool.into(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        cwd: Some("/home/dev/project".into()),
        home: Some("/home/dev".into()),
        ..ToolCall::default()
    };
    let verdict = |call: &ToolCall, context: &Context| {
        let action = Action::from_call(call.clone()).unwrap();
        Gate::default().judge_in(&action, &Facts::default(), context).decision.verdict
    };
    let unknown = call("mcp__tracker__frobnicate", serde_json::json!({ "text": "done" }));
    assert_eq!(verdict(&unknown, &WITH_PERSON), Verdict::Ask);
    assert_eq!(verdict(&unknown, &context), Verdict::Allow);
    assert_eq!(verdict(&unknown, &plan), Verdict::Allow);
    let edit =
        call("Write", serde_json::json!({ "file_path": "/home/dev/project/a", "content": "" }));
    assert_eq!(verdict(&edit, &plan), Verdict::Deny);
    let shell = call("Bash", serde_json::json!({ "command": "touch a" }));
    assert_eq!(verdict(&shell, &plan), Verdict::Deny);
    let notes = call(
        "Write",
        serde_json::json!({ "file_path": "/home/dev/.claude/plans/a.md", "content": "" }),
    );
    assert_eq!(verdict(&notes, &plan), Verdict::Allow);
}

#[test]
fn what_is_read_of_an_unknown_tool_and_is_dangerous_is_not_left_to_its_agent() {
    let table = [
        ("mcp__box__run", serde_json::json!({ "command": "rm -rf ~/work" })),
        ("mcp__box__run", serde_json::json!({ "command": "eval \"$UNKNOWN\"" })),
        ("mcp__files__read_file", serde_json::json!({ "path": "/home/dev/.ssh/id_rsa" })),
        ("mcp__web__get", serde_json::json!({ "url": "http://169.254.169.254/latest/" })),
    ];
    for (tool, arguments) in table {
        let call = ToolCall {
            tool: tool.into(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            cwd: Some("/home/dev/project".into()),
            home: Some("/home/dev".into()),
            ..ToolCall::default()
        };
        let action = Action::from_call(call).unwrap();
        for mode in Mode::ALL.into_iter().map(Some).chain([None]) {
            let context = Context { mode, agent_asks: true, ..WITH_PERSON };
            let verdict = Gate::default().judge_in(&action, &Facts::default(), &context).decision;
            let expected = if mode == Some(Mode::Plan) { Verdict::Deny } else { Verdict::Ask };
            assert_eq!(verdict.verdict, expected, "{tool} {arguments} in {mode:?}");
        }
    }
}

#[test]
fn a_call_that_only_has_the_name_of_a_known_tool_has_no_class() {
    for (tool, key) in [("bash", "cmdline"), ("sql", "table"), ("delete_file", "file_id")] {
        let mut call = ToolCall { tool: tool.into(), ..ToolCall::default() };
        call.arguments.insert(key.into(), "13".into());
        let action = Action::from_call(call).unwrap();
        assert!(action.is_misnamed(), "{tool}");
        assert_eq!(Policy::default().tool_class(&action), ActionClass::Unknown, "{tool}");
    }
}
