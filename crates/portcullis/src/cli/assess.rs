//! `assess`: the documented risk assessor. Owns how actions come in and in which shape the answers go.

use std::io::{self, BufReader, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::assessor::{ActionMap, RiskAssessor};
use serde_json::Value;

use super::{Exit, Failure, Reader, json_flag, shown, write_json, write_line};
use crate::{
    report::visible,
    wire::{AssessAnswer, AssessRequest, ErrorAnswer, Lines},
};

/// How much of standard input is read at once.
const READ_AHEAD: usize = 1 << 16;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Assess the risk of code by the documented rules, without deciding anything")
        .after_help(
            "Examples:\n  portcullis assess 'git push --force'\n  portcullis assess --jsonl < actions.jsonl\n\n\
             A line is `{\"id\":\"1\",\"action\":{\"action\":\"code\",\"code\":\"…\"}}`.",
        )
        .arg(
            Arg::new("code")
                .value_name("CODE")
                .required_unless_present("jsonl")
                .help("The code to assess: Python, or a shell command"),
        )
        .arg(json_flag().conflicts_with("jsonl"))
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .conflicts_with("code")
                .help("Assess one action in JSON per line of standard input, and answer each with a line"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let assessor = RiskAssessor::new();
    let Some(code) = matches.get_one::<String>("code") else { return many(&assessor, out) };
    let mut action = ActionMap::new();
    action.insert("action".to_owned(), Value::String("code".to_owned()));
    action.insert("code".to_owned(), Value::String(code.clone()));
    let assessment = assessor.assess(&action);
    let answer = AssessAnswer::new(None, &assessment);
    if matches.get_flag("json") {
        return write_json(out, &answer);
    }
    let mut text = format!("{}: {}\n", answer.level, answer.estimated_impact);
    for reason in &answer.reasons {
        text.push_str(&format!("  - {}\n", visible::line(reason)));
    }
    for (title, list) in
        [("affects", answer.affected_resources.as_slice()), ("first", answer.recommendations)]
    {
        for item in list {
            text.push_str(&format!("{title}: {}\n", visible::line(item)));
        }
    }
    if !answer.reversible {
        text.push_str("cannot be undone\n");
    }
    shown(out, &text)
}

/// One line in, one line out, in order.
fn many(assessor: &RiskAssessor, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
    let mut exit = Exit::Done;
    loop {
        let line = lines.read().map_err(|error| {
            Failure::bad_input(format_args!("standard input could not be read: {error}"))
        })?;
        let Some((number, line)) = line else { return Ok(exit) };
        let reader = match line.and_then(|line| AssessRequest::parse(line, number)) {
            Ok(request) => {
                let assessment = assessor.assess(&request.action);
                write_line(out, &AssessAnswer::new(request.id.as_ref(), &assessment))?
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
