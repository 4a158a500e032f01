//! `replay`: what a recorded day would look like under another policy. Owns the options and the page; the comparison is
//! [`crate::replay`]'s.

use std::{fmt::Write as _, io::Write, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use portcullis_core::{policy::Mode, redact::redact};
use serde_json::{Value, json};

use super::{Exit, Failure, json_flag, policy, shown, write_json};
use crate::{
    config::Configuration,
    replay::{Comparison, Outcome, Pair, Spared, Suggestion, Tally, reason, source::Reading},
    report::visible,
    session::{Options, Session},
    wire::VERSION,
};

/// The most characters of a command in a list.
const MAX_PREVIEW: usize = 100;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Judge a recorded day under another policy or mode, and show what would change")
        .after_help(
            "Reads the sessions of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot, OpenCode, Kilo, Cline, Pi, OpenClaw,\n\
             Grok, Droid, Continue, Hermes and OpenHands as each keeps them, payloads of hooks, calls as `check --jsonl`\n\
             takes them, exports of the record, histories of bash, zsh and fish, and plain lists of commands. What is of\n\
             no format that is known is named, and no word of it is taken for a call. Nothing is run, asked or recorded.\n\n\
             Examples:\n  portcullis replay ~/.claude/projects/app/session.jsonl --mode default\n  \
             portcullis audit export > day.jsonl; portcullis replay day.jsonl --policy strict.toml",
        )
        .arg(
            Arg::new("source")
                .value_name("PATH")
                .num_args(1..)
                .required(true)
                .value_parser(ValueParser::path_buf())
                .help("Files, or directories of .json, .jsonl, .db and .sqlite files"),
        )
        .arg(
            Arg::new("policy")
                .long("policy")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("The other policy; without it, the policy of now with the other mode"),
        )
        .arg(Arg::new("mode").long("mode").value_name("MODE").help(
            "The other permission mode: default, plan, acceptEdits, dontAsk, bypassPermissions",
        ))
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("The policy of now, where it is not the usual one"),
        )
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("List every change, not only the first ten of a kind"),
        )
        .arg(json_flag())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let now = policy::load(matches)?;
    let then = match matches.get_one::<PathBuf>("policy") {
        Some(path) => policy::load_file(path)?,
        None => now.clone(),
    };
    let mode = matches.get_one::<String>("mode").map(|word| word.parse::<Mode>()).transpose();
    let mode = mode.map_err(Failure::usage)?;
    let paths: Vec<PathBuf> = matches.get_many("source").into_iter().flatten().cloned().collect();
    let reading = Reading::of(&paths).map_err(Failure::bad_input)?;
    if reading.calls.is_empty() {
        let mut told = vec!["there is no call in what was read".to_owned()];
        told.extend(unread(&reading.not_read, &reading.unknown));
        let failure = Failure::bad_input(told.join("; "));
        return Err(failure.with_help("`portcullis replay --help` lists what is understood"));
    }
    let options = |configuration: Configuration, mode| Options {
        configuration,
        mode,
        unrecorded: true,
        ..Options::default()
    };
    let then = options(then, mode);
    let Reading { calls, files, other_lines, cut, not_read, unknown } = reading;
    let source = Source { files, other_lines, cut, not_read, unknown };
    let comparison =
        Comparison::new(calls, &Session::open(options(now, None)), &Session::open(then.clone()));
    let suggestion = Suggestion::of(&comparison, &then);
    if matches.get_flag("json") {
        return write_json(out, &page_json(&comparison, suggestion.as_ref(), &source));
    }
    let listed = if matches.get_flag("all") { usize::MAX } else { 10 };
    let mut page = page(&comparison, &source, listed);
    page.push_str(&alike(Spared::of(&comparison)));
    if let Some(suggestion) = suggestion {
        page.push_str(&proposal(&suggestion, comparison.tallies().1));
    }
    shown(out, &page)
}

/// What was read, beside the calls.
struct Source {
    files: usize,
    other_lines: usize,
    cut: usize,
    not_read: Vec<(PathBuf, &'static str)>,
    unknown: Vec<PathBuf>,
}

/// How many files of a kind are named on the page.
const MAX_FILES: usize = 3;

/// What could not be read, a line for each reason: how many files, why, and the first of them.
fn unread(not_read: &[(PathBuf, &'static str)], unknown: &[PathBuf]) -> Vec<String> {
    let mut reasons: Vec<&str> = not_read.iter().map(|(_, why)| *why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let known = reasons.into_iter().map(|why| {
        let files = not_read.iter().filter(|(_, reason)| *reason == why).map(|(path, _)| path);
        (files.collect::<Vec<_>>(), why)
    });
    let strange = "nothing in it is of a format that is known";
    let all = known.chain([(unknown.iter().collect(), strange)]);
    all.filter(|(files, _)| !files.is_empty())
        .map(|(files, why)| {
            let names: Vec<String> = files
                .iter()
                .take(MAX_FILES)
                .map(|path| format!("`{}`", visible::line(&path.to_string_lossy())))
                .collect();
            let more = if files.len() > MAX_FILES { ", …" } else { "" };
            format!(
                "\nnot read: {}: {why}: {}{more}",
                counted(files.len(), "file"),
                names.join(", ")
            )
        })
        .collect()
}

fn page(comparison: &Comparison, source: &Source, listed: usize) -> String {
    let Source { files, other_lines, cut, not_read, unknown } = source;
    let (now, then) = comparison.tallies();
    let mut page = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(page, "{text}");
    };
    line(format_args!(
        "{} calls from {}; {other_lines} lines hold no call",
        comparison.pairs.len(),
        counted(*files, "file"),
    ));
    for text in unread(not_read, unknown) {
        line(format_args!("{text}"));
    }
    if *cut > 0 {
        line(format_args!("{cut} calls were left out: the record keeps only a part of them"));
    }
    for (place, why) in &comparison.unreadable {
        line(format_args!(
            "not judged: {}:{}: {}",
            visible::line(&place.file.to_string_lossy()),
            place.line,
            visible::line(why)
        ));
    }
    line(format_args!(""));
    line(format_args!("{:<28} {:>8} {:>8}", "", "now", "then"));
    let row =
        |name: &str, of: fn(Tally) -> usize| format!("{name:<28} {:>8} {:>8}", of(now), of(then));
    line(format_args!("{}", row("go on", |tally| tally.allowed)));
    line(format_args!("{}", row("ask", |tally| tally.asked)));
    line(format_args!("{}", row("are denied", |tally| tally.denied)));
    line(format_args!(
        "{:<28} {:>8.1} {:>8.1}",
        "interruptions per 100 calls",
        now.interruptions(),
        then.interruptions()
    ));
    let mut list = |name: &str, pairs: Vec<&Pair>| {
        let more = pairs.len().saturating_sub(listed);
        line(format_args!("\n{name}: {}", pairs.len()));
        for pair in pairs.into_iter().take(listed) {
            line(format_args!("  {}", change(pair)));
        }
        if more > 0 {
            line(format_args!("  and {more} more: --all lists them"));
        }
    };
    list("newly let through", comparison.loosened().collect());
    list("newly stopped", comparison.tightened().collect());
    let interrupters = comparison.interrupters();
    if !interrupters.is_empty() {
        line(format_args!("\nwhat would interrupt most"));
    }
    for (reason, count) in interrupters.iter().take(10) {
        line(format_args!("  {count:>5}  {reason}"));
    }
    page
}

/// What allowing the like of what asks would spare.
fn alike(spared: Spared) -> String {
    let Spared { given, spared, alone, tally } = spared;
    if spared == 0 {
        return String::new();
    }
    format!(
        "\nwith `--like` given once in each session where it can be ({}), {spared} of {} questions are asked no more: {:.1} interruptions per \
         100 calls; {alone} are like no other\n",
        counted(given, "time"),
        given + spared + alone,
        tally.interruptions(),
    )
}

/// Rules that would spare questions, with what came of trying them.
fn proposal(suggestion: &Suggestion, before: Tally) -> String {
    let Suggestion { tally, loosened, .. } = suggestion;
    if *loosened > 0 {
        return format!(
            "\nno rules are suggested: {loosened} calls at high risk would go on with them\n"
        );
    }
    format!(
        "\nthese rules would spare {} of {} questions ({:.1} interruptions per 100 calls), and let nothing at high risk \
         through\n\n{}",
        before.asked.saturating_sub(tally.asked),
        before.asked,
        tally.interruptions(),
        suggestion.written()
    )
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn change(pair: &Pair) -> String {
    let Pair { place, now, then, .. } = pair;
    let stopped = if now.verdict > then.verdict { now } else { then };
    format!(
        "line {}: {} → {}, {} risk ({}): {}",
        place.line,
        now.verdict.name(),
        then.verdict.name(),
        then.risk,
        reason(stopped),
        preview(pair)
    )
}

/// The call without secrets, in one line, cut.
fn preview(pair: &Pair) -> String {
    let text = redact(&pair.preview);
    let text = visible::line(&text);
    match text.char_indices().nth(MAX_PREVIEW) {
        Some((end, _)) => format!("{} […]", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

fn page_json(comparison: &Comparison, suggestion: Option<&Suggestion>, source: &Source) -> Value {
    let Source { files, other_lines, cut, not_read, unknown } = source;
    let (now, then) = comparison.tallies();
    let tally = |tally: Tally| {
        let Tally { allowed, asked, denied } = tally;
        json!({
            "allow": allowed,
            "ask": asked,
            "deny": denied,
            "interruptions_per_100": tally.interruptions(),
        })
    };
    let outcome = |outcome: &Outcome| {
        json!({
            "decision": outcome.verdict.name(),
            "layer": outcome.layer.name(),
            "risk": outcome.risk.to_string(),
            "rule": outcome.rule,
        })
    };
    let changes = |pairs: Vec<&Pair>| -> Vec<Value> {
        let change = |pair: &&Pair| {
            json!({
                "file": pair.place.file.to_string_lossy(),
                "line": pair.place.line,
                "tool": pair.call.tool,
                "preview": redact(&pair.preview),
                "now": outcome(&pair.now),
                "then": outcome(&pair.then),
            })
        };
        pairs.iter().map(change).collect()
    };
    let interrupters: Vec<Value> = comparison
        .interrupters()
        .into_iter()
        .map(|(reason, count)| json!({ "reason": reason, "count": count }))
        .collect();
    let alike = Spared::of(comparison);
    json!({
        "v": VERSION,
        "calls": comparison.pairs.len(),
        "files": files,
        "other_lines": other_lines,
        "cut": cut,
        "not_read": not_read.len(),
        "unknown_files": unknown.len(),
        "unreadable": comparison.unreadable.len(),
        "now": tally(now),
        "then": tally(then),
        "newly_allowed": changes(comparison.loosened().collect()),
        "newly_stopped": changes(comparison.tightened().collect()),
        "interrupters": interrupters,
        "alike": json!({
            "given": alike.given,
            "spared": alike.spared,
            "alone": alike.alone,
            "with": tally(alike.tally),
        }),
        "suggestion": suggestion.filter(|suggestion| suggestion.loosened == 0).map(|suggestion| json!({
            "rules": suggestion.written(),
            "with": tally(suggestion.tally),
        })),
    })
}
