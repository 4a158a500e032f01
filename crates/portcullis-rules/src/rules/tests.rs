//! The registry keeps its promises: every rule fires on its own examples and on no command that it calls harmless.

use std::collections::BTreeSet;

use super::*;
use crate::{
    call::ToolCall,
    session::{SessionState, Source, Weight},
    understand::understand,
};

/// The rules that fire on a command in a project's directory, with how bad they say it is. What starts with the name of a
/// tool that fetches, or with `python:` or `tool:`, is a call of that tool; a first line with `after:` is an earlier call of the session.
fn judge(command: &str) -> Vec<(&'static str, Severity)> {
    let findings = |scene: &Scene<'_>| apply(scene);
    seen(command, findings).into_iter().map(|finding| (finding.rule, finding.severity)).collect()
}

/// What a session went through before, a line each: `prompt:` what a person sent, `result:` what a page said, `issue:` what `gh` showed,
/// `readme:` what stood in the project; further lines go on with the one before. The last line is the call.
fn told(lines: &str) -> Option<(SessionState, &str)> {
    const HEADS: [&str; 4] = ["prompt: ", "result: ", "issue: ", "readme: "];
    if !HEADS.iter().any(|head| lines.starts_with(head)) {
        return None;
    }
    let (before, command) = lines.rsplit_once('\n')?;
    let mut blocks: Vec<(&str, String)> = Vec::new();
    for line in before.lines() {
        match HEADS.iter().find_map(|head| Some((*head, line.strip_prefix(head)?))) {
            Some((head, rest)) => blocks.push((head, rest.to_owned())),
            None => blocks.last_mut()?.1.push_str(&format!("\n{line}")),
        }
    }
    let mut session = SessionState::default();
    for (head, text) in blocks {
        let weight = if head == "readme: " { Weight::Project } else { Weight::Elsewhere };
        let source = Source { from: "what was read".to_owned(), weight, ..Source::default() };
        match head {
            "prompt: " => session.person_sent(&text),
            _ => session.answered(&source, &text, &portcullis_core::inspect::inspect(&text)),
        }
    }
    Some((session, command))
}

fn seen<T>(command: &str, look: impl FnOnce(&Scene<'_>) -> T) -> T {
    if let Some((session, command)) = told(command) {
        return seen_in(command, &session, look);
    }
    let earlier = command.strip_prefix("after: ").and_then(|lines| lines.split_once('\n'));
    match earlier {
        Some((earlier, command)) => {
            let mut session = SessionState::default();
            seen_in(earlier, &SessionState::default(), |scene| {
                session.after(scene.action, scene.effects);
            });
            seen_in(command, &session, look)
        }
        None => seen_in(command, &SessionState::default(), look),
    }
}

fn seen_in<T>(command: &str, session: &SessionState, look: impl FnOnce(&Scene<'_>) -> T) -> T {
    let mut call = match command.split_once(' ') {
        Some(("python:", code)) => {
            let mut call = ToolCall { tool: "python".to_owned(), ..ToolCall::default() };
            call.arguments.insert("code".to_owned(), code.into());
            call
        }
        Some((tool @ ("web_fetch" | "http_delete"), url)) => {
            let mut call = ToolCall { tool: tool.to_owned(), ..ToolCall::default() };
            call.arguments.insert("url".to_owned(), url.into());
            call
        }
        Some(("tool:", call)) => {
            let (name, arguments) = call.split_once(" {").unwrap();
            ToolCall {
                tool: name.to_owned(),
                arguments: serde_json::from_str(&format!("{{{arguments}")).unwrap(),
                ..ToolCall::default()
            }
        }
        _ => ToolCall::shell(command),
    };
    call.cwd = Some("/workspace/project".to_owned());
    call.home = Some("/home/dev".to_owned());
    let facts = Facts {
        cwd: call.cwd.clone(),
        home: call.home.clone(),
        workspace: call.cwd.clone(),
        session: session.clone(),
        guarded: vec!["/home/dev/.local/state/portcullis".to_owned()],
        ..Facts::default()
    };
    let action = Action::from_call(call).unwrap();
    let effects = understand(&action, &facts);
    look(&Scene { action: &action, effects: &effects, facts: &facts })
}

#[test]
fn the_programs_that_rules_name_are_those_that_understanding_knows_for_notable() {
    let named: BTreeSet<_> = SHELVES.iter().flat_map(|shelf| shelf.programs).copied().collect();
    let notable: BTreeSet<_> = crate::programs::notable::NAMES.iter().copied().collect();
    let apart: Vec<_> = named.symmetric_difference(&notable).collect();
    assert!(apart.is_empty(), "correct `programs/notable.rs`: {apart:?}");
    assert!(crate::programs::notable::NAMES.is_sorted());
}

#[test]
fn the_gates_program_is_known_by_the_file_that_it_is() {
    let found = |command: &str| {
        let mut call = ToolCall::shell(command);
        call.cwd = Some("/workspace/project".to_owned());
        let facts = Facts {
            cwd: call.cwd.clone(),
            workspace: call.cwd.clone(),
            guarded: ["/opt/ours/keeper", "/var/lib/keeper.toml", "/usr/bin/node"]
                .map(str::to_owned)
                .into(),
            ..Facts::default()
        };
        let action = Action::from_call(call).unwrap();
        let effects = understand(&action, &facts);
        let found = apply(&Scene { action: &action, effects: &effects, facts: &facts });
        found.iter().any(|finding| finding.rule.starts_with("protection.gate."))
    };
    for command in [
        "cp /opt/ours/keeper ./t",
        "(cat /opt/ours/keeper; echo x) > u",
        "keeper pause",
        "sudo keeper serve",
    ] {
        assert!(found(command), "{command}");
    }
    for command in [
        "cp /opt/theirs/keeper ./t",
        "keeper status",
        "./keeper pause",
        "node serve",
        "sudo node run pause",
        "ls -l /opt/ours/keeper",
        "cp /usr/bin/ls ./t",
    ] {
        assert!(!found(command), "{command}");
    }
}

#[test]
fn identifiers_are_well_formed_and_unique() {
    let mut seen = BTreeSet::new();
    for rule in all() {
        let parts: Vec<&str> = rule.id.split('.').collect();
        let well_formed = (2..=4).contains(&parts.len())
            && parts.iter().all(|part| {
                !part.is_empty()
                    && part.chars().all(|letter| {
                        // `_` only where an id is documented so elsewhere.
                        letter.is_ascii_lowercase()
                            || letter.is_ascii_digit()
                            || matches!(letter, '-' | '_')
                    })
            });
        assert!(well_formed, "{}", rule.id);
        assert!(seen.insert(rule.id), "{} stands twice", rule.id);
    }
}

#[test]
fn every_rule_tells_why_and_what_instead_and_has_examples() {
    for rule in all() {
        assert!(!rule.message.is_empty() && !rule.message.ends_with('.'), "{}", rule.id);
        assert!(!rule.remedy.is_empty() && !rule.remedy.ends_with('.'), "{}", rule.id);
        assert!(!rule.fires.is_empty(), "{}", rule.id);
        assert!(document(rule).contains(rule.id), "{}", rule.id);
    }
}

#[test]
fn shelves_name_their_programs_in_order() {
    for shelf in SHELVES {
        assert!(shelf.programs.is_sorted(), "{:?}", shelf.programs);
        for rule in shelf.rules {
            let When::Command(shapes) = rule.when else { continue };
            for shape in shapes {
                let mut words = shape.split(' ');
                for program in words.next().into_iter().flat_map(|word| word.split('|')) {
                    assert!(shelf.programs.contains(&program), "{}: {program}", rule.id);
                }
                let operands = words.clone().filter(|word| !word.starts_with(['-', '!'])).count();
                assert!(operands <= pattern::SHAPE_OPERANDS, "{}", rule.id);
                assert!(words.all(|word| !word.is_empty()), "{}: {shape}", rule.id);
            }
        }
    }
}

#[test]
fn every_rule_fires_on_its_examples_and_stays_quiet_on_their_harmless_cousins() {
    let mut wrong = Vec::new();
    for rule in all() {
        for (commands, expected) in [(rule.fires, true), (rule.quiet, false)] {
            for command in commands {
                let found = judge(command);
                if found.iter().any(|(id, _)| *id == rule.id) != expected {
                    let word = if expected { "silent on" } else { "fires on" };
                    wrong.push(format!("{} {word} `{command}`: {found:?}", rule.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_fires_on_a_kind_of_effect_that_it_does_not_name() {
    let mut wrong = BTreeSet::new();
    let mut fired = BTreeSet::new();
    for command in all().flat_map(|rule| rule.fires.iter().chain(rule.quiet)) {
        seen(command, |scene| {
            for rule in all() {
                let When::Effect(kinds, fires) = rule.when else { continue };
                for effect in &scene.effects.list {
                    if fires(effect, scene).is_some() {
                        fired.insert(rule.id);
                        if !kinds.meet(Kinds::of(&effect.kind)) {
                            wrong.insert(format!("{}: {:?}", rule.id, effect.kind));
                        }
                    }
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let looking = all().filter(|rule| matches!(rule.when, When::Effect(..)));
    assert_eq!(fired.len(), looking.count(), "every one of them was tried");
}

#[test]
fn what_a_remedy_suggests_passes() {
    let mut wrong = Vec::new();
    for rule in all() {
        for command in rule.remedy.split('`').skip(1).step_by(2) {
            for (id, severity) in judge(command) {
                if severity >= Severity::High {
                    wrong.push(format!("{} suggests `{command}`: {id}", rule.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_remedy_says_nothing_of_what_a_call_left() {
    // It is also told with a denial, of a call that never ran.
    for rule in all() {
        assert!(!rule.remedy.contains("afterwards"), "{}: {}", rule.id, rule.remedy);
    }
}

#[test]
fn an_excerpt_of_any_text_is_cut_between_characters() {
    for text in ["é".repeat(4_000), "a€".repeat(2_000), "\u{f0000}b".repeat(2_000), "x".repeat(9)]
    {
        for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)).take(40) {
            for end in [start, start + 1, text.len()] {
                let end = text.ceil_char_boundary(end);
                let (shown, span) = excerpt(&text, Span::new(start, end));
                let cut = shown.get(span.range());
                let whole = text.get(start..end).unwrap();
                assert!(
                    cut.is_some_and(
                        |cut| whole.starts_with(cut) && cut.is_empty() == whole.is_empty()
                    ),
                    "{start} to {end} gives {span:?} of {} bytes",
                    shown.len()
                );
            }
        }
    }
}

/// The rules that fire and how bad they say it is, whatever text they point to.
fn fired(command: &str) -> BTreeSet<(&'static str, Severity)> {
    judge(command).into_iter().collect()
}

#[test]
fn one_thing_gives_the_same_findings_whoever_does_it() {
    const PATHS: &[&str] = &[
        "/etc/group",
        "/etc/hosts",
        "/etc/pam.d/sshd",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/ssh/ssh_config",
        "/etc/ssh/sshd_config",
        "/etc/ssh/ssh_host_rsa_key",
        "/etc/sudoers",
        "/home/dev/.aws/credentials",
        "/home/dev/.bashrc",
        "/home/dev/.ssh/id_rsa",
        "/home/dev/notes.txt",
        "/home/dev/other/src/lib.rs",
        "/root/.bashrc",
        "/root/.profile",
        "/tmp/x",
        "/usr/share/base-passwd/passwd.master",
        "/var/lib/pam/auth",
        "/var/log/syslog",
        "/workspace/project/.env",
        "/workspace/project/src/lib.rs",
    ];
    /// A way to do one thing in a shell, and others that do the same.
    type Ways = (&'static str, &'static [&'static str]);
    const DEEDS: &[Ways] = &[
        (
            "cat PATH",
            &[
                "python: print(open('PATH').read())",
                "python: import pathlib\nprint(pathlib.Path('PATH').read_text())",
                "python3 -c \"print(open('PATH').read())\"",
                "node -e \"console.log(require('fs').readFileSync('PATH', 'utf8'))\"",
                "ruby -e \"puts File.read('PATH')\"",
            ],
        ),
        (
            "rm PATH",
            &[
                "python: import os\nos.remove('PATH')",
                "python: import pathlib\npathlib.Path('PATH').unlink()",
                "python3 -c \"import os; os.remove('PATH')\"",
                "node -e \"require('fs').unlinkSync('PATH')\"",
                "unlink PATH",
            ],
        ),
        (
            "rm -r PATH",
            &[
                "python: import shutil\nshutil.rmtree('PATH')",
                "node -e \"require('fs').rmSync('PATH', { recursive: true })\"",
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for path in PATHS {
        for (shell, others) in DEEDS {
            let wanted = fired(&shell.replace("PATH", path));
            for other in *others {
                let got = fired(&other.replace("PATH", path));
                if got != wanted {
                    wrong.push(format!("{other} on {path}: {got:?}, in a shell {wanted:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
