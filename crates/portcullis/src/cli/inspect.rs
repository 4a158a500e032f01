//! `inspect`: what a text on its way to an agent, or from a person, holds. Owns how texts come in and in which shape the answers
//! go.

use std::io::{self, BufReader, Read as _, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::{finding::Confidence, inspect::inspect, secrets::redacted};

use super::{Exit, Failure, json_flag, shown, write_json};
use crate::{
    report::visible,
    wire::{ErrorAnswer, InspectAnswer, InspectRequest, LONGEST, Lines},
};

/// How much of standard input is read at once.
const READ_AHEAD: usize = 1 << 16;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Look for secrets and planted instructions in a text, and show it without the secrets")
        .after_help(
            "Examples:\n  portcullis inspect < page.txt\n  portcullis inspect --json < page.txt\n  \
             portcullis inspect --jsonl < texts.jsonl\n\n\
             A line is `{\"id\":\"1\",\"text\":\"…\"}`. Nothing is sent anywhere to learn whether a secret still works.",
        )
        .arg(json_flag().conflicts_with("jsonl"))
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .help("Look through one text in JSON per line of standard input, and answer each with a line"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    if matches.get_flag("jsonl") {
        return many(out);
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
    io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > LONGEST {
        return Err(Failure::bad_input(format_args!(
            "the text is longer than {} MiB",
            LONGEST >> 20
        ))
        .with_help("`portcullis redact` takes a stream of any length"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let seen = inspect(&text);
    if matches.get_flag("json") {
        return write_json(out, &InspectAnswer::new(None, &seen, redacted(&text)));
    }
    let mut lines = String::new();
    for secret in &seen.secrets {
        lines.push_str(&format!(
            "{}:{}: {} {}: {} ({})\n  help: {}\n",
            secret.line,
            secret.column,
            secret.severity,
            secret.name(),
            secret.description,
            visible::line(&secret.excerpt),
            secret.suggestion,
        ));
    }
    for planted in &seen.planted {
        lines.push_str(&format!(
            "byte {}: words that tell an agent what to do ({} confidence): `{}`\n  why: it {}\n",
            planted.span.start,
            sure(planted.confidence),
            visible::line(&redacted(planted.span.of(&text))),
            planted.explanation(),
        ));
    }
    if lines.is_empty() {
        lines.push_str("nothing was noticed\n");
    }
    shown(out, &lines)
}

const fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

fn unreadable(error: io::Error) -> Failure {
    Failure::bad_input(format_args!("standard input could not be read: {error}"))
}

/// One line in, one line out, in order.
fn many(out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
    let mut exit = Exit::Done;
    loop {
        let Some((number, line)) = lines.read().map_err(unreadable)? else { return Ok(exit) };
        match line.and_then(|line| InspectRequest::parse(line, number)) {
            Ok(request) => {
                let seen = inspect(&request.text);
                let redacted = redacted(&request.text);
                write_json(out, &InspectAnswer::new(request.id.as_ref(), &seen, redacted))?;
            }
            Err(malformed) => {
                exit = Exit::BadInput;
                let message = malformed.to_string();
                write_json(out, &ErrorAnswer::new(malformed.id.as_ref(), "bad-input", message))?;
            }
        }
    }
}
