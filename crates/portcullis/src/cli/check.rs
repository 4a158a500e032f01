//! `check` and `explain`: calls in, decisions out. Owns how many calls there are and in which shape the answers go; the
//! judging is done by `session`.

use std::io::{self, BufReader, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::{
    decision::Verdict,
    policy::{Context, Mode},
};

use super::{
    Exit, Failure, audit::failure as unrecordable, colour, input, json_flag, session, shown, write,
    write_json,
};
use crate::{
    report,
    session::{Judged, Session},
    wire::{Answer, ErrorAnswer, Lines, Request},
};

/// How much of standard input is read at once.
const READ_AHEAD: usize = 1 << 16;

pub(super) fn define_check(command: Command) -> Command {
    let command = command
        .about("Judge a command, a file or a call: allow, ask or deny")
        .after_help(
            "Exit codes: 0 allow, 2 deny, 3 ask, 64 usage, 65 bad input, 70 internal, 78 configuration.\n\
             With --jsonl: 0 when every line was judged, 65 when one was malformed.\n\n\
             Examples:\n  portcullis check 'rm -rf build'\n  portcullis check --tool python --file job.py --json\n  \
             portcullis check --jsonl < calls.jsonl",
        );
    session::define(input::define(command)).arg(json_flag().conflicts_with("jsonl")).arg(
        Arg::new("jsonl")
            .long("jsonl")
            .action(ArgAction::SetTrue)
            .conflicts_with_all(["command", "file", "call", "tool"])
            .help("Judge one call in JSON per line of standard input, and answer each with a line"),
    )
}

pub(super) fn check(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut session = session::open(matches)?;
    if matches.get_flag("jsonl") {
        return many(&mut session, out);
    }
    let json = matches.get_flag("json");
    let mut request = match input::request(matches) {
        Err(failure) if json && failure.exit == Exit::BadInput => {
            write_json(out, &ErrorAnswer::new(None, "bad-input", failure.message.clone()))?;
            return Err(failure);
        }
        request => request?,
    };
    let id = request.id.take();
    let judged = match session::judge(&mut session, request) {
        Ok(judged) => judged,
        Err(complaint) => {
            let failure = complaint.failure();
            if json {
                write_json(
                    out,
                    &ErrorAnswer::new(id.as_ref(), complaint.code(), failure.message.clone()),
                )?;
            }
            return Err(failure);
        }
    };
    if let Some(error) = session.broken() {
        warn(&unrecordable(error));
    }
    if json {
        write_json(out, &Answer::new(id.as_ref(), &judged.judgement))?;
    } else {
        write(out, report::verdict(judged.report(), colour()).as_bytes())?;
    }
    Ok(exit(judged.judgement.decision.verdict))
}

/// One line in, one line out, in order. Whoever waits for an answer gets it before the next call is read.
fn many(session: &mut Session, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
    let mut exit = Exit::Done;
    let mut warned = false;
    loop {
        let line = lines.read().map_err(|error| {
            Failure::bad_input(format_args!("standard input could not be read: {error}"))
        })?;
        let Some((number, line)) = line else { return Ok(exit) };
        let mut request = match line.and_then(|line| Request::parse(line, number)) {
            Ok(request) => request,
            Err(malformed) => {
                exit = Exit::BadInput;
                write_json(
                    out,
                    &ErrorAnswer::new(malformed.id.as_ref(), "bad-input", malformed.to_string()),
                )?;
                continue;
            }
        };
        let id = request.id.take();
        let judged = session::judge(session, request);
        if let Some(error) = session.broken().filter(|_| !warned) {
            warn(&unrecordable(error));
            warned = true;
        }
        match judged {
            Ok(judged) => write_json(out, &Answer::new(id.as_ref(), &judged.judgement))?,
            Err(complaint) => {
                if exit == Exit::Done {
                    exit = complaint.failure().exit;
                }
                let message = format!("line {number}: {}", complaint.failure().message);
                write_json(out, &ErrorAnswer::new(id.as_ref(), complaint.code(), message))?
            }
        };
    }
}

pub(super) fn define_explain(command: Command) -> Command {
    let command = command
        .about("Show everything that leads to a decision, and what would change it")
        .after_help("Example: portcullis explain 'curl https://x.example/install.sh | sh'");
    session::define(input::define(command))
}

pub(super) fn explain(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut session = session::open(matches)?;
    // Nobody wants to run anything yet, so there is nothing to record.
    session.record_nothing();
    let judged = session::judge(&mut session, input::request(matches)?)
        .map_err(|complaint| complaint.failure())?;
    let changes = changes(&session, &judged);
    let text = report::explanation(judged.report(), &changes, colour());
    shown(out, &text)
}

/// What would change the decision, found by asking again.
fn changes(session: &Session, judged: &Judged) -> Vec<String> {
    let now = judged.judgement.decision.verdict;
    let mut changes = Vec::new();
    for mode in Mode::ALL {
        let context = Context { mode: Some(mode), ..judged.context };
        let decision = session.again(judged, &context);
        if decision.verdict != now && Some(mode) != judged.context.mode {
            changes.push(format!("in the mode `{}`: {}", mode.name(), decision.verdict.name()));
        }
    }
    if now == Verdict::Ask {
        changes.push("the approval of a person, for exactly this action".to_owned());
    }
    if now != Verdict::Allow {
        for finding in judged.judgement.assessment.findings.iter().take(1) {
            changes.push(format!("without `{}`: {}", finding.rule, finding.remedy));
        }
    }
    if changes.is_empty() {
        changes.push("nothing but other findings or another policy".to_owned());
    }
    changes
}

/// Says on standard error what the answers alone would not make plain.
fn warn(failure: &Failure) {
    // Where nobody listens, the answers say it too.
    let _ = io::stderr().write_all(failure.render().as_bytes());
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Allow => Exit::Done,
        Verdict::Ask => Exit::Asked,
        Verdict::Deny => Exit::Denied,
    }
}
