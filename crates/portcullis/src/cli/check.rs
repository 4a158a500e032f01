//! `check` and `explain`: calls in, decisions out. Owns how many calls there are and in which shape the answers go; the
//! judging is done by `session`.

use std::{
    env,
    io::{self, BufReader, Write},
    mem,
    path::PathBuf,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};
use portcullis_core::{
    decision::Verdict,
    policy::{Context, Mode},
};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{
    Exit, Failure, Reader,
    audit::failure as unrecordable,
    colour, egress, guardian, input, json_flag, policy,
    session::{self, Complaint},
    shown, write, write_json, write_line,
};
use crate::{
    audit,
    config::{Configuration, Offline},
    gateway,
    guardian::Reviewer,
    pause,
    remote::{Keys, Remote},
    report,
    session::{Judged, Session, record_is_unwanted},
    wire::{Answer, ErrorAnswer, EventAnswer, Incoming, Lines, Request},
};
#[cfg(target_os = "linux")]
use crate::{config::TryingGate, trial::evidence};

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
    .arg(
        Arg::new("guardian")
            .long("guardian")
            .action(ArgAction::SetTrue)
            .help("Let the reviewing model of the configuration answer what it may"),
    )
    .arg(
        Arg::new("headless")
            .long("headless")
            .action(ArgAction::SetTrue)
            .help("Nobody can be asked: what would ask is denied"),
    )
    .arg(
        Arg::new("gateway")
            .long("gateway")
            .value_name("URL")
            .action(ArgAction::Append)
            .conflicts_with_all(["guardian", "headless"])
            .help("Have a gateway judge it too: the stricter word holds, and people answer there; several that share a database are asked in turn"),
    )
    .arg(
        Arg::new("gateway-token")
            .long("gateway-token")
            .value_name("FILE")
            .requires("gateway")
            .value_parser(ValueParser::path_buf())
            .help("The token to ask the gateway with; the one for agents on this machine where it is not given"),
    )
    .arg(
        Arg::new("wait")
            .long("wait")
            .value_name("SECONDS")
            .requires("gateway")
            .value_parser(value_parser!(u64).range(..=3_600))
            .help("How long a person is waited for; not at all where it is not given"),
    )
}

pub(super) fn check(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut desk = Desk::open(matches)?;
    if matches.get_flag("jsonl") {
        return many(&mut desk, out);
    }
    let json = matches.get_flag("json");
    let mut request = match input::request(matches) {
        Err(failure) if json && failure.exit == Exit::BadInput => {
            write_json(out, &ErrorAnswer::new(None, "bad-input", failure.message.clone()))?;
            return Err(failure);
        }
        request => request?,
    };
    if !matches.contains_id("call") && !matches.contains_id("cwd") {
        // It is meant where whoever asks is; a grant for it can then hold for the workspace too.
        let here = env::current_dir().ok();
        request.call.cwd = here.and_then(|here| here.into_os_string().into_string().ok());
    }
    let id = request.id.take();
    let unknown = mem::take(&mut request.unknown_fields);
    let (judged, beside) = match desk.judge(request) {
        Ok(answered) => answered,
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
    if let Some(error) = desk.session.broken() {
        warn(&unrecordable(error));
    }
    if json {
        let answer = Answer::new(id.as_ref(), &judged.judgement).beside(&unknown);
        write_json(out, &answer.reviewed(beside.review).tried(beside.trial))?;
    } else {
        write(out, report::verdict(judged.report(), colour()).as_bytes())?;
    }
    Ok(exit(judged.judgement.decision.verdict))
}

/// What an answer tells beside the judgement.
#[derive(Default)]
struct Beside {
    review: Option<Value>,
    trial: Option<Value>,
}

/// Where calls are judged, and reviewed where that is wanted.
struct Desk {
    session: Session,
    context: Context,
    /// The reviewer, and where its answers are waited for.
    reviewer: Option<(Reviewer, Runtime)>,
    /// The gateway that has a say too.
    gateway: Option<Remote>,
    /// Where pauses and grants are, where what is judged is recorded: one for once is used up by this.
    granted: Option<PathBuf>,
}

impl Desk {
    fn open(matches: &ArgMatches) -> Result<Self, Failure> {
        let configuration = policy::load(matches)?;
        let reviewer = if matches.get_flag("guardian") {
            Some((guardian::reviewer(&configuration)?, egress::runtime()?))
        } else {
            None
        };
        let gateway = remote(matches, &configuration)?;
        let is_recorded =
            configuration.audit.enabled && !matches.get_flag("no-record") && !record_is_unwanted();
        let granted = configuration.state().filter(|_| is_recorded);
        let session = session::open_with(matches, configuration)?;
        let context = Context { can_ask: !matches.get_flag("headless"), ..Context::default() };
        Ok(Self { session, context, reviewer, gateway, granted })
    }

    fn judge(&mut self, request: Request) -> Result<(Judged, Beside), Complaint> {
        let Self { session, context, reviewer, gateway, granted } = self;
        if let Some(gateway) = gateway {
            let judged = asked_there(session, gateway, request, *context)?;
            return Ok((judged, Beside::default()));
        }
        let Some((reviewer, runtime)) = reviewer else {
            let Request { id: _, call, mode, background: _, unknown_fields: _ } = request;
            let mode = mode.map(|word| word.parse()).transpose()?;
            let mut judged = session.consider(call, Context { mode, ..*context })?;
            if let Some(state) = granted {
                let _ = pause::settle(&mut judged, session.policy(), state);
            }
            #[cfg(target_os = "linux")]
            let trial = match evidence::wanted(&judged, TryingGate::Check) {
                Some(wanted) if session.note(wanted.entry(&judged)).is_ok() => {
                    wanted.tell(session, &mut judged)
                }
                _ => None,
            };
            #[cfg(not(target_os = "linux"))]
            let trial: Option<Value> = None;
            session.record(&mut judged);
            #[cfg(target_os = "linux")]
            let trial = trial.map(|evidence| {
                // Whoever asks is told of it, whether that stands in the record or not.
                let _ = session.note(evidence.entry(&judged));
                evidence.shape()
            });
            return Ok((judged, Beside { trial, review: None }));
        };
        let Request { id: _, call, mode, background, unknown_fields: _ } = request;
        let mode = mode.map(|word| word.parse()).transpose()?;
        let context = Context { mode, ..*context };
        let reviewed = runtime.block_on(crate::review::judge(
            session,
            reviewer,
            call,
            context,
            &background,
        ))?;
        let review = reviewed.review.as_ref().map(guardian::review_shape);
        Ok((reviewed.judged, Beside { review, trial: reviewed.trial }))
    }
}

/// The gateway that the options name.
fn remote(matches: &ArgMatches, configuration: &Configuration) -> Result<Option<Remote>, Failure> {
    let Some(urls) = matches.get_many::<String>("gateway") else { return Ok(None) };
    let urls: Vec<String> = urls.cloned().collect();
    let token = match matches.get_one::<PathBuf>("gateway-token") {
        Some(path) => path.clone(),
        None => {
            let state = audit::directory(configuration.audit.path.as_deref());
            Keys::in_state(&state.map_err(|error| unrecordable(&error))?).agents
        }
    };
    let wait = Duration::from_secs(matches.get_one::<u64>("wait").copied().unwrap_or(0));
    let remote = Remote::new(&urls, &token, wait, gateway::PATIENCE).map_err(|error| {
        Failure::configuration(error).with_help(
            "`portcullis serve` says where it listens and which file holds the token for agents",
        )
    });
    // What goes on while none answers, the configuration alone says.
    let offline = configuration.gateway.as_ref().map_or(Offline::Deny, |table| table.offline);
    let state = configuration.state();
    Ok(Some(remote?.going_on(offline, state.as_deref())))
}

/// Judges here first, then there, and records what came of both.
fn asked_there(
    session: &mut Session,
    gateway: &Remote,
    request: Request,
    context: Context,
) -> Result<Judged, Complaint> {
    let Request { id: _, call, mode, background: _, unknown_fields: _ } = request;
    let mode = mode.map(|word| word.parse()).transpose()?;
    let mut judged = session.consider(call, Context { mode, ..context })?;
    gateway.settle(&mut judged);
    session.record(&mut judged);
    Ok(judged)
}

/// One line in, one line out, in order. Whoever waits for an answer gets it before the next call is read.
fn many(desk: &mut Desk, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
    let mut exit = Exit::Done;
    let mut warned = false;
    loop {
        let line = lines.read().map_err(|error| {
            Failure::bad_input(format_args!("standard input could not be read: {error}"))
        })?;
        let Some((number, line)) = line else { return Ok(exit) };
        let mut request = match line.and_then(|line| Incoming::parse(line, number)) {
            Ok(Incoming::Call(request)) => *request,
            Ok(Incoming::Event(event)) => {
                let reader = match desk.session.happened(&event) {
                    Ok(noticed) => write_line(out, &EventAnswer::new(&event, noticed))?,
                    Err(error) => {
                        let message = format!("line {number}: it cannot be kept in mind: {error}");
                        write_line(out, &ErrorAnswer::new(event.id.as_ref(), "internal", message))?
                    }
                };
                if reader == Reader::Gone {
                    return Ok(exit);
                }
                continue;
            }
            Err(malformed) => {
                exit = Exit::BadInput;
                let message = malformed.to_string();
                let answer = ErrorAnswer::new(malformed.id.as_ref(), "bad-input", message);
                if write_line(out, &answer)? == Reader::Gone {
                    return Ok(exit);
                }
                continue;
            }
        };
        let id = request.id.take();
        let unknown = mem::take(&mut request.unknown_fields);
        let judged = desk.judge(request);
        if let Some(error) = desk.session.broken().filter(|_| !warned) {
            warn(&unrecordable(error));
            warned = true;
        }
        let reader = match judged {
            Ok((judged, beside)) => {
                let answer = Answer::new(id.as_ref(), &judged.judgement).beside(&unknown);
                write_line(out, &answer.reviewed(beside.review).tried(beside.trial))?
            }
            Err(complaint) => {
                if exit == Exit::Done {
                    exit = complaint.failure().exit;
                }
                let message = format!("line {number}: {}", complaint.failure().message);
                write_line(out, &ErrorAnswer::new(id.as_ref(), complaint.code(), message))?
            }
        };
        if reader == Reader::Gone {
            return Ok(exit);
        }
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
