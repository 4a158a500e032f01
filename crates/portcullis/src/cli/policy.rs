//! `policy`: what is allowed, asked about and denied. Owns how a policy is shown; it is read by [`crate::config`].

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use annotate_snippets::{Group, Level, Renderer};
use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use portcullis_core::policy::{Change, Confirmation, DEFAULT_FLOORS, Mode, PolicyOptions, Rule};
use serde_json::{Value, json};

use super::{Exit, Failure, json_flag, shown, write_json};
use crate::{
    config::{ConfigError, Configuration, OnFailure},
    report::{excerpt, visible},
    wire::VERSION,
};

pub(super) fn define(command: Command) -> Command {
    let file = || Arg::new("config").value_name("FILE").value_parser(ValueParser::path_buf());
    command
        .about("Show what is allowed, asked about and denied, and check a configuration")
        .after_help("Example: portcullis policy check portcullis.toml")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("Show the policy that calls are judged under")
                .arg(file().long("config").help("The configuration, where it is not the usual one"))
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("check")
                .about("Check a configuration without using it")
                .after_help("Exit codes: 0 it can be used, 78 it cannot")
                .arg(file().required(true).help("The configuration")),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("check", matches)) => {
            let configuration = load(matches)?;
            let path = configuration.path.unwrap_or_default();
            let path = path.to_string_lossy();
            shown(out, &format!("`{}` can be used\n", visible::line(&path)))
        }
        Some((_, matches)) => show(matches, out),
        None => Err(Failure::usage("a command is missing")),
    }
}

/// The configuration that `--config` names, or the usual one.
pub(super) fn load(matches: &ArgMatches) -> Result<Configuration, Failure> {
    let named = matches.get_one::<PathBuf>("config").map(PathBuf::as_path);
    Configuration::load(named).map_err(|error| failure(&error))
}

fn failure(error: &ConfigError) -> Failure {
    let mut failure = Failure::configuration(error);
    if let ConfigError::Mistake(mistake) = error {
        failure.excerpt = underlined(&mistake.path, mistake.span.clone());
    }
    match error.help() {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

/// The place of a mistake, underlined. The file was read a moment ago; where it is gone now, the line number must do.
fn underlined(path: &Path, span: std::ops::Range<usize>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let snippet = excerpt::elements(&text, &[excerpt::Mark::at(span)]);
    let group = Group::with_level(Level::ERROR).elements(snippet);
    Some(Renderer::plain().term_width(usize::from(u16::MAX)).render(&[group]))
}

fn show(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = load(matches)?;
    let PolicyOptions {
        mode,
        disable_bypass,
        dont_ask: _,
        classes,
        confirmation,
        floors,
        adjustments,
        allow,
        ask,
        deny,
    } = configuration.policy.options();
    let texts = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>();
    let floors: Vec<String> =
        DEFAULT_FLOORS.iter().map(|floor| (*floor).to_owned()).chain(floors).collect();
    let changes: Vec<(String, &str, String)> = adjustments
        .into_iter()
        .map(|adjustment| {
            let level = match adjustment.change {
                Change::Off => "off",
                Change::Severity(severity) => severity.name(),
            };
            (adjustment.rule, level, adjustment.reason)
        })
        .collect();
    if matches.get_flag("json") {
        let changes: Vec<Value> = changes
            .iter()
            .map(|(rule, level, reason)| json!({ "rule": rule, "level": level, "reason": reason }))
            .collect();
        let classes: Vec<Value> = classes
            .iter()
            .map(|(tool, class)| json!({ "tool": tool, "class": class.name() }))
            .collect();
        return write_json(
            out,
            &json!({
                "v": VERSION,
                "policy": configuration.policy_id,
                "file": configuration.path,
                "mode": mode.map(Mode::name),
                "disable_bypass": disable_bypass,
                "confirmation": confirmation_words(confirmation),
                "deny": texts(&deny),
                "floors": floors,
                "ask": texts(&ask),
                "allow": texts(&allow),
                "severity": changes,
                "classes": classes,
                "record": configuration.audit.enabled,
            }),
        );
    }
    let file = configuration.path.as_deref().map_or_else(
        || "none; what is built in holds".to_owned(),
        |path| format!("`{}`", visible::line(&path.to_string_lossy())),
    );
    let mode = mode.map_or("off: the agent's own modes stand", Mode::name);
    let record = match (configuration.audit.enabled, configuration.audit.on_failure) {
        (false, _) => "off",
        (true, OnFailure::Deny) => "on; what cannot be recorded is denied",
        (true, OnFailure::Warn) => "on; what cannot be recorded goes on with a warning",
    };
    let mut text = String::new();
    let mut row = |name: &str, words: &str| {
        let name = if name.is_empty() { String::new() } else { format!("{name}:") };
        text.push_str(&format!("{name:<14} {}\n", visible::line(words)));
    };
    row("file", &file);
    row("policy", &configuration.policy_id);
    let list = |row: &mut dyn FnMut(&str, &str), name: &str, list: &[String]| {
        if list.is_empty() {
            row(name, "none");
        }
        for (index, item) in list.iter().enumerate() {
            row(if index == 0 { name } else { "" }, item);
        }
    };
    list(&mut row, "deny rules", &texts(&deny));
    list(&mut row, "floors", &floors);
    list(&mut row, "ask rules", &texts(&ask));
    list(&mut row, "allow rules", &texts(&allow));
    row("mode", mode);
    if disable_bypass {
        row("", "bypassPermissions is disabled");
    }
    row("confirmation", &confirmation_words(confirmation));
    for (rule, level, reason) in changes {
        row("severity", &format!("{rule} is {level}: {reason}"));
    }
    for (tool, class) in classes {
        row("class", &format!("`{tool}` is {}", class.name()));
    }
    row("record", record);
    shown(out, &text)
}

fn confirmation_words(confirmation: Confirmation) -> String {
    match confirmation {
        Confirmation::Always => "asks about everything".to_owned(),
        Confirmation::Never => "asks about nothing".to_owned(),
        Confirmation::Risky { threshold, confirm_unknown: true } => {
            format!("asks at {threshold} risk and above, and where the risk is unknown")
        }
        Confirmation::Risky { threshold, confirm_unknown: false } => {
            format!("asks at {threshold} risk and above; an unknown risk goes on")
        }
        Confirmation::Refuse { threshold } => {
            format!("refuses {threshold} risk and above, and an unknown one")
        }
    }
}
