//! The lists are what they say they are, and the other tables agree with them.

use crate::programs::{
    self, cards,
    escapes::{self, near_pairs::verdict},
    manuals::{Dashes, Ends, Kind, MANUALS, Manual},
};

/// The manuals of the table and those of the cards.
fn every() -> impl Iterator<Item = (&'static str, &'static Manual)> {
    let on_cards = cards::all().filter_map(|card| Some((card.name, card.manual?)));
    MANUALS.iter().copied().chain(on_cards)
}

#[test]
fn every_list_is_sorted_and_no_option_stands_in_two() {
    assert!(MANUALS.is_sorted_by_key(|row| row.0));
    for (name, manual) in every() {
        assert!(manual.programs.contains(&name), "{name}");
        assert!(!manual.source.is_empty(), "{name}");
        let mut seen = std::collections::BTreeSet::new();
        for (kind, words) in manual.kinds() {
            assert!(words.words().is_sorted(), "{name} {kind:?}");
            for word in words.words() {
                assert!(word.starts_with('-'), "{name} {word}");
                assert_eq!(words.has(word), Some(word), "{name}");
                assert!(seen.insert(word), "`{word}` of {name} stands twice");
            }
        }
        for words in [manual.verbs, manual.before, manual.open, manual.finals] {
            assert!(words.words().is_sorted(), "{name} {words:?}");
        }
    }
}

/// A letter that is a flag of the program, so that another can stand behind it in a bundle.
fn flag(manual: &Manual) -> Option<&'static str> {
    manual
        .flags
        .words()
        .find(|name| name.len() == 2 && name.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic))
}

/// Every form in which a program reads one option with a value.
fn forms(manual: &Manual, option: &str, value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    if manual.joined.has(option).is_some() {
        let between = if option.starts_with("--") { "=" } else { "" };
        return vec![format!("{option}{between}{value}")];
    }
    if option.ends_with(':') {
        return vec![format!("{option}{value}")];
    }
    if option.len() == 2 && manual.dashes == Dashes::Two {
        forms.push(format!("{option} {value}"));
        forms.push(format!("{option}{value}"));
        if let Some(letter) = flag(manual) {
            let bundle = option.trim_start_matches('-');
            forms.push(format!("{letter}{bundle} {value}"));
            forms.push(format!("{letter}{bundle}{value}"));
        }
        return forms;
    }
    let all: Vec<&str> = manual.kinds().iter().flat_map(|(_, words)| words.words()).collect();
    let shortest = if manual.abbreviates && option.starts_with("--") { 4 } else { option.len() };
    for end in shortest.min(option.len())..=option.len() {
        let name = option.get(..end).unwrap_or(option);
        // `--x` where there is `--no-x`.
        if all.iter().any(|other| other.strip_prefix("--no") == name.strip_prefix('-')) {
            continue;
        }
        // The beginning of two names is neither's.
        if end < option.len() && all.iter().any(|other| other.starts_with(name) && *other != option)
        {
            continue;
        }
        if name.starts_with("--") || manual.dashes == Dashes::One {
            forms.push(format!("{name}={value}"));
        }
        forms.push(format!("{name} {value}"));
    }
    forms
}

#[test]
fn every_form_of_an_option_with_a_meaning_is_read_alike() {
    let mut told = Vec::new();
    let mut count = 0;
    for (program, manual) in every() {
        for (kind, words) in manual.kinds() {
            let value = match kind {
                Kind::Runs => "'/tmp/x -y'",
                Kind::Scripts | Kind::Loads => "/tmp/x",
                Kind::Writes => "/home/dev/.bashrc",
                Kind::Sets => "LD_PRELOAD=/tmp/x",
                _ => continue,
            };
            for option in words.words() {
                let verb =
                    manual.verbs.words().next().map_or(String::new(), |verb| format!(" {verb}"));
                for form in forms(manual, option, value) {
                    count += 1;
                    let command = format!("{program}{verb} {form} x");
                    let (loud, gaps) = verdict(&command);
                    if loud.is_empty() && !gaps {
                        told.push(format!("`{command}` passes"));
                    }
                }
            }
        }
    }
    assert!(count > 500, "only {count} forms");
    assert!(told.is_empty(), "{} of {count}:\n{}", told.len(), told.join("\n"));
}

#[test]
fn an_option_that_no_manual_has_is_not_understood() {
    let mut told = Vec::new();
    for (program, manual) in every() {
        let verb = manual.verbs.words().next().map_or(String::new(), |verb| format!(" {verb}"));
        let command = format!("{program}{verb} --frobnicate-widely x");
        let (loud, gaps) = verdict(&command);
        if loud.is_empty() && !gaps && program != "npm" {
            told.push(command);
        }
        let command = format!("{program}{verb} -- --frobnicate-widely");
        if verdict(&command).1 && manual.ends == Ends::Never && manual.verbs.is_empty() {
            told.push(command);
        }
    }
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn options_that_are_followed_elsewhere_stand_in_the_manual() {
    let told: Vec<String> = escapes::near_pairs::every_escape()
        .flat_map(|row| row.options.iter().map(move |option| (row.program, *option)))
        .filter_map(|(program, option)| {
            let manual = cards::manual(program)?;
            let is_there =
                |name: &str| manual.kinds().iter().any(|(_, words)| words.has(name).is_some());
            let other = option.strip_prefix('-').filter(|rest| rest.starts_with('-'));
            let is_there = option.starts_with('+')
                || is_there(option)
                || manual.dashes == Dashes::One
                    && (is_there(&format!("-{option}")) || other.is_some_and(is_there));
            (!is_there).then(|| format!("{program} {option}"))
        })
        .collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn options_with_a_value_in_a_program_s_row_are_none_without_one_in_its_manual() {
    let mut told = Vec::new();
    for (name, manual) in every() {
        let Some(row) = programs::program(name) else { continue };
        for option in row.values {
            if manual.flags.has(option).is_some() {
                told.push(format!("{name} {option}"));
            }
        }
    }
    assert!(told.is_empty(), "{told:#?}");
}
