//! `inspect`: what a text on its way to an agent, or from a person, holds. Owns how texts come in and in which shape the answers
//! go.

use std::io::{self, BufReader, Read as _, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::{
    finding::Confidence,
    inspect::{Opinion, inspect},
    secrets::redacted,
};
use tokio::runtime::Runtime;

use super::{
    Exit, Failure, Reader, egress, guardian, json_flag, policy as policies, shown, write_json,
    write_line,
};
use crate::{
    guardian::Classifier,
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
             A line is `{\"id\":\"1\",\"text\":\"…\"}`. Nothing is sent anywhere to learn whether a secret still works. With\n\
             `--classifier`, and never without, the text goes to the service that `[injection.classifier]` names, without its\n\
             secrets; what that says can only add to what is found here.",
        )
        .arg(json_flag().conflicts_with("jsonl"))
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .help("Look through one text in JSON per line of standard input, and answer each with a line"),
        )
        .arg(
            Arg::new("classifier")
                .long("classifier")
                .action(ArgAction::SetTrue)
                .help("Ask the classifier of the configuration, too"),
        )
        .args(egress::configuration_arguments())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let beside = Beside::new(matches)?;
    if matches.get_flag("jsonl") {
        return many(beside.as_ref(), out);
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
    let opinion = beside.map(|beside| beside.opinion(&text));
    if matches.get_flag("json") {
        return write_json(
            out,
            &InspectAnswer::new(None, &seen, redacted(&text)).beside(opinion.as_ref()),
        );
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
    for near in &seen.cautions {
        lines.push_str(&format!(
            "byte {}: caution, words that come near to telling an agent what to do: `{}`\n  why: it {}\n",
            near.span.start,
            visible::line(&redacted(near.span.of(&text))),
            near.explanation(),
        ));
    }
    if lines.is_empty() {
        lines.push_str("nothing was noticed\n");
    }
    if let Some(opinion) = &opinion {
        lines.push_str(&words(opinion));
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

/// What a classifier says, for a person.
fn words(opinion: &Opinion) -> String {
    match opinion {
        Opinion::Band { band, violation, is_whole } => {
            let (band, only) =
                (band.name(), if *is_whole { "" } else { ", which saw only its beginning" });
            let means = if opinion.is_planted() { ": it tells an agent what to do" } else { "" };
            format!("the classifier{only}: {band}, a violation of {violation}{means}\n")
        }
        Opinion::Failed { failing, detail } => format!(
            "the classifier did not answer ({}): {}\n  what stands above is what the detector found\n",
            failing.name(),
            visible::line(detail)
        ),
    }
}

/// A classifier, and where one waits for it.
struct Beside {
    classifier: Classifier,
    runtime: Runtime,
}

impl Beside {
    /// The one of the configuration, where somebody wants it asked. A project has no say in that.
    fn new(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        if !matches.get_flag("classifier") {
            return Ok(None);
        }
        let classifier = guardian::classifier(&policies::load(matches)?)?;
        Ok(Some(Self { classifier, runtime: egress::runtime()? }))
    }

    fn opinion(&self, text: &str) -> Opinion {
        self.runtime.block_on(self.classifier.classify(text))
    }
}

/// One line in, one line out, in order.
fn many(beside: Option<&Beside>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
    let mut exit = Exit::Done;
    loop {
        let Some((number, line)) = lines.read().map_err(unreadable)? else { return Ok(exit) };
        let reader = match line.and_then(|line| InspectRequest::parse(line, number)) {
            Ok(InspectRequest { id, text }) => {
                let seen = inspect(&text);
                let opinion = beside.map(|beside| beside.opinion(&text));
                let redacted = redacted(&text);
                write_line(
                    out,
                    &InspectAnswer::new(id.as_ref(), &seen, redacted).beside(opinion.as_ref()),
                )?
            }
            Err(malformed) => {
                exit = Exit::BadInput;
                let message = malformed.to_string();
                write_line(out, &ErrorAnswer::new(malformed.id.as_ref(), "bad-input", message))?
            }
        };
        if reader == Reader::Gone {
            return Ok(exit);
        }
    }
}
