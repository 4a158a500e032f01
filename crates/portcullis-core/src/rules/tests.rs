//! The registry keeps its promises: every rule fires on its own examples and on no command that it calls harmless.

use std::collections::BTreeSet;

use super::*;
use crate::{
    effect::{Argument, Layer},
    text::Text,
};

/// The rules that fire on a command, with how bad they say it is.
fn judge(command: &str) -> Vec<(&'static str, Severity)> {
    let mut effects = Effects {
        layers: vec![Layer {
            text: command.to_owned(),
            origin: LayerOrigin::Argument("/command".to_owned()),
        }],
        ..Effects::default()
    };
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut commands: Vec<Vec<String>> = Vec::new();
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | ';' | '&' | '\n') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    commands.push(words);
    let argument =
        |word: &String| Argument { text: Text::known(word.clone()), span: Span::default() };
    for words in commands {
        let Some((name, rest)) = words.split_first() else { continue };
        let run = Run {
            program: name.rsplit('/').next().unwrap_or(name).to_owned(),
            name: argument(name),
            arguments: rest.iter().map(argument).collect(),
            known: true,
            input: None,
        };
        let at = Location { layer: LayerId(0), span: Span::new(0, command.len()) };
        effects.list.push(Effect { kind: EffectKind::Run(run), at, certainty: Certainty::Certain });
    }
    let mut found = Found { effects: &effects, list: BTreeMap::new() };
    for effect in &effects.list {
        if let EffectKind::Run(run) = &effect.kind {
            super::commands(run, effect, &mut found);
        }
    }
    found.finish().into_iter().map(|finding| (finding.rule, finding.severity)).collect()
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
                        letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'
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
                assert!(words.clone().count() <= pattern::SHAPE_OPERANDS, "{}", rule.id);
                assert!(words.all(|word| !word.is_empty()), "{}: {shape}", rule.id);
            }
        }
    }
}

#[test]
fn every_rule_fires_on_its_examples_and_stays_quiet_on_their_harmless_cousins() {
    let mut wrong = Vec::new();
    for rule in all() {
        if !matches!(rule.when, When::Command(_)) {
            continue;
        }
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
