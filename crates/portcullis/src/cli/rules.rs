//! `rules`: what is looked for. Owns two listings of the registry.

use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::rules::{self, Rule};
use serde_json::{Value, json};

use super::{Exit, Failure, json_flag, shown, write_json};
use crate::wire::{VERSION, rule_json};

pub(super) fn define(command: Command) -> Command {
    command
        .about("Show what is looked for")
        .after_help("Example: portcullis rules list --category destruction")
        .subcommand_required(true)
        .subcommand(
            Command::new("list")
                .about("List every rule")
                .arg(
                    Arg::new("category")
                        .long("category")
                        .value_name("NAME")
                        .help("Only the rules about this kind of harm"),
                )
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("show")
                .about("Show one rule: why, what to do instead, and commands on which it fires")
                .arg(
                    Arg::new("id")
                        .value_name("ID")
                        .required(true)
                        .action(ArgAction::Set)
                        .help("The rule's id"),
                )
                .arg(json_flag()),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("show", matches)) => show(matches, out),
        Some((_, matches)) => list(matches, out),
        None => Err(Failure::usage("a command is missing")),
    }
}

fn list(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let category = matches.get_one::<String>("category");
    let listed: Vec<&Rule> = rules::all()
        .filter(|rule| category.is_none_or(|name| word(rule.category) == *name))
        .collect();
    if let (Some(name), true) = (category, listed.is_empty()) {
        let mut known: Vec<String> = rules::all().map(|rule| word(rule.category)).collect();
        known.sort_unstable();
        known.dedup();
        return Err(Failure::usage(format_args!("no rule has the category `{name}`"))
            .with_help(format_args!("expected one of {}", known.join(", "))));
    }
    if matches.get_flag("json") {
        let listed: Vec<Value> = listed.iter().map(|rule| rule_json(rule)).collect();
        return write_json(out, &json!({ "v": VERSION, "rules": listed }));
    }
    let width = listed.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in listed {
        text.push_str(&format!(
            "{:<8}  {:<width$}  {}\n",
            rule.severity.name(),
            rule.id,
            rule.message
        ));
    }
    shown(out, &text)
}

fn show(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let id = matches.get_one::<String>("id").map_or("", String::as_str);
    let Some(rule) = rules::find(id) else {
        return Err(Failure::usage(format_args!("there is no rule `{id}`"))
            .with_help("`portcullis rules list` lists them"));
    };
    if !matches.get_flag("json") {
        return shown(out, &rules::document(rule));
    }
    let mut rule_shape = rule_json(rule);
    if let Some(fields) = rule_shape.as_object_mut() {
        fields.insert("v".to_owned(), VERSION.into());
        fields.insert("fires".to_owned(), json!(rule.fires));
        fields.insert("quiet".to_owned(), json!(rule.quiet));
    }
    write_json(out, &rule_shape)
}

/// The word that a value has on every wire.
fn word(value: impl serde::Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}
