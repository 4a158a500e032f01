//! The same said in other words gets the same answer, over all shapes of commands in the registry: each spelling of an option
//! that a shape names, joined with its value or apart from it, abbreviated where the program reads that, before the operands and
//! behind them.

use super::{SHELVES, Scene, When, apply};
use crate::{action::Action, call::ToolCall, facts::Facts, programs, understand::understand};

/// Whether a rule speaks of a command.
fn speaks(rule: &str, command: &str) -> bool {
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    };
    let action = Action::from_call(ToolCall::shell(command)).unwrap();
    let effects = understand(&action, &facts);
    let scene = Scene { action: &action, effects: &effects, facts: &facts };
    apply(&scene).iter().any(|finding| finding.rule == rule)
}

/// A word that fits one alternative of a shape's token.
fn word(alternative: &str) -> String {
    let plain = alternative.replace("\\*", "\u{1}").replace("\\_", " ");
    format!("'{}'", plain.replace('*', "x").replace('\u{1}', "*"))
}

/// The spellings of one option: as it stands, with its value apart, and each abbreviation that is no other option of the shapes
/// of this program.
fn spellings(option: &str, program: &str, others: &[String]) -> Vec<String> {
    if !option.starts_with('-') {
        return Vec::new();
    }
    let takes = || programs::program(program).is_some_and(|row| row.values.contains(&option));
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(word(value))),
        None => (option, takes().then(|| "v".to_owned())),
    };
    let mut names = vec![name.to_owned()];
    if programs::abbreviates(program) && name.starts_with("--") && !name.contains('*') {
        // `--force` is an option of its own and not short for `--force-with-lease`.
        let ends = (5..name.len()).filter(|end| name.as_bytes().get(*end) != Some(&b'-'));
        names.extend(ends.filter_map(|end| name.get(..end)).map(str::to_owned));
        names.retain(|short| {
            short == name || !others.iter().any(|other| other != name && other.starts_with(short))
        });
    }
    let mut found = Vec::new();
    for name in names {
        match &value {
            None => found.push(name.replace('*', "x")),
            Some(value) if name.starts_with("--") => {
                found.push(format!("{name}={value}"));
                found.push(format!("{name} {value}"));
            }
            Some(value) => {
                found.push(format!("{name} {value}"));
                if name.len() == 2 {
                    found.push(format!("{name}{value}"));
                }
            }
        }
    }
    found
}

#[test]
fn every_spelling_of_an_option_fits_its_shape() {
    let mut told = Vec::new();
    let mut count = 0;
    for rule in SHELVES.iter().flat_map(|shelf| shelf.rules) {
        let When::Command(shapes) = rule.when else { continue };
        for shape in shapes {
            let mut tokens = shape.split(' ');
            let program = tokens.next().unwrap().split('|').next().unwrap();
            let tokens: Vec<&str> = tokens.filter(|token| !token.starts_with('!')).collect();
            let is_option = |token: &&&str| token.starts_with('-') && **token != "--";
            let operands: Vec<String> = tokens
                .iter()
                .filter(|token| !is_option(token) && **token != "…" && **token != "--")
                .map(|token| word(token.split('|').next().unwrap()))
                .collect();
            let options: Vec<&str> = tokens.iter().filter(is_option).copied().collect();
            let has_pattern = |option: &&str| option.split('=').next().unwrap().contains('*');
            let others: Vec<String> = SHELVES
                .iter()
                .flat_map(|shelf| shelf.rules)
                .filter_map(|rule| match rule.when {
                    When::Command(shapes) => Some(shapes),
                    _ => None,
                })
                .flat_map(|shapes| shapes.iter())
                .filter(|shape| {
                    shape.split(' ').next().unwrap().split('|').any(|name| name == program)
                })
                .flat_map(|shape| shape.split([' ', '|']))
                .map(|token| token.trim_start_matches('!').split('=').next().unwrap().to_owned())
                .filter(|token| token.starts_with("--"))
                .collect();
            let ends = if tokens.contains(&"--") { "-- " } else { "" };
            for (at, option) in options.iter().enumerate() {
                let rest: Vec<String> = options
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .filter_map(|(_, token)| {
                        spellings(token.split('|').next().unwrap(), program, &others)
                            .into_iter()
                            .next()
                    })
                    .collect();
                let mut heard: Option<(bool, String)> = None;
                for spelling in option
                    .split('|')
                    .filter(|one| !has_pattern(one))
                    .flat_map(|one| spellings(one, program, &others))
                {
                    let (operands, rest) = (operands.join(" "), rest.join(" "));
                    for command in [
                        format!("{program} {ends}{operands} {rest} {spelling}"),
                        format!("{program} {spelling} {rest} {ends}{operands}"),
                    ] {
                        // Behind `--` stands no option, and what follows an option that nobody lists may be its value.
                        let is_last = command.ends_with(&spelling);
                        let is_whole = spelling.contains(['=', ' ']) || operands.is_empty();
                        if is_last && !ends.is_empty() || !is_last && !is_whole {
                            continue;
                        }
                        count += 1;
                        let speaks = speaks(rule.id, &command);
                        match &heard {
                            None => heard = Some((speaks, command)),
                            Some((before, other)) if *before != speaks => told.push(format!(
                                "{}: `{command}` {speaks}, but `{other}` {before}",
                                rule.id
                            )),
                            Some(_) => {}
                        }
                    }
                }
            }
        }
    }
    assert!(count > 3_000, "only {count} commands");
    assert!(told.is_empty(), "{} of {count}:\n{}", told.len(), told.join("\n"));
}
