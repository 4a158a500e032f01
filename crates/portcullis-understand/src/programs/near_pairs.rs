//! The same said in other words gets the same answer, over all programs that have a row: each option that takes a value, with
//! the value behind it, joined to it, and bundled behind another letter.

use super::{
    TABLES, cards,
    escapes::near_pairs::{Verdict, verdict},
    manuals::Dashes,
};

/// What the command is about besides the option: nothing of it may be taken for the option's value, or lost with it.
const OPERANDS: &[&str] = &["/etc/shadow", "-- /"];

/// Programs whose first operand is a subcommand, so that a file there means nothing.
const BY_SUBCOMMAND: &[&str] =
    &["buildah", "docker", "docker-compose", "nerdctl", "podman", "podman-compose"];

#[test]
fn a_value_counts_as_one_wherever_it_stands() {
    let mut told = Vec::new();
    let mut count = 0;
    for row in TABLES.iter().flat_map(|table| table.iter()) {
        if BY_SUBCOMMAND.contains(&row.name) {
            continue;
        }
        for option in row.values {
            let is_short = option.len() == 2 && option.starts_with('-') && *option != "--";
            if !reads_both(row.name, option) {
                continue;
            }
            let forms = match (is_short, option.starts_with("--")) {
                (true, _) => [format!("{option} v"), format!("{option}v")],
                (_, true) => [format!("{option} v"), format!("{option}=v")],
                _ => continue,
            };
            for operand in OPERANDS {
                count += 1;
                let commands =
                    forms.each_ref().map(|form| format!("{} {form} {operand}", row.name));
                let found: [Verdict; 2] = commands.each_ref().map(|command| verdict(command));
                if found[0] != found[1] {
                    told.push(format!(
                        "`{}`: {:?}, but `{}`: {:?}",
                        commands[0], found[0], commands[1], found[1]
                    ));
                }
            }
        }
    }
    assert!(count > 3_000, "only {count} pairs");
    assert!(told.is_empty(), "{} of {count}:\n{}", told.len(), told.join("\n"));
}

/// Whether a program takes this option with its value joined to it and behind it alike, as far as its manual says. Some rows
/// stand for several programs.
fn reads_both(program: &str, option: &str) -> bool {
    cards::manual(program).is_none_or(|manual| {
        let is_there = manual.kinds().iter().any(|(_, words)| words.has(option).is_some());
        is_there && (option.len() > 2 || manual.dashes == Dashes::Two)
    })
}
