//! `approvals`: what waits for a yes or no, in the terminal. Owns the options and the page; who may decide, [`crate::person`] finds out, and
//! whose word counts, the core says.

use std::{
    io::Write,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use jiff::Timestamp;
use portcullis_core::approval::Status;
use serde_json::{Value, json};

use super::{
    Exit, Failure, Reader, allow::nobody, audit::failure as unusable, duration, json_flag, policy,
    shown, write, write_json, write_line,
};
use crate::{
    approvals::{Book, Done, Reply, Request, Step, Which},
    audit,
    gateway::approval_json,
    person::Person,
    report::visible,
    wire::VERSION,
};

/// How often `watch` looks.
const LOOK: Duration = Duration::from_millis(250);

/// The most requests of a list.
const LISTED: u32 = 200;

pub(super) fn define(command: Command) -> Command {
    let id = || {
        Arg::new("id")
            .value_name("ID")
            .required(true)
            .help("The request, or the beginning of its id")
    };
    let reason = || {
        Arg::new("reason")
            .long("reason")
            .value_name("TEXT")
            .help("Why, for the agent and the record")
    };
    let file = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .global(true)
            .value_parser(ValueParser::path_buf())
            .help(help)
    };
    command
        .about("Approve or deny what agents asked at a gateway")
        .after_help(
            "Examples:\n  portcullis approvals list\n  portcullis approvals show 4f1d\n  \
             portcullis approvals approve 4f1d --reason 'the old data is kept elsewhere'\n  portcullis approvals watch\n\n\
             It works on the state directory, whether a gateway runs or not. Approving and denying have to be done by a person, in a\n\
             terminal of their own; the first decision holds.",
        )
        .subcommand_required(true)
        .arg(file("config", "FILE", "Read the configuration from this file instead of the usual places"))
        .arg(file("state", "DIR", "The state directory, in place of the configuration's"))
        .subcommand(
            Command::new("list")
                .about("List what waits")
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .help("Also what is decided, the newest first"),
                )
                .arg(json_flag()),
        )
        .subcommand(Command::new("show").about("Show one request whole").arg(id()).arg(json_flag()))
        .subcommand(Command::new("approve").about("Let it go on, once").arg(id()).arg(reason()))
        .subcommand(Command::new("deny").about("Refuse it").arg(id()).arg(reason()))
        .subcommand(
            Command::new("watch")
                .about("Show each request when it is asked and when it is decided, until interrupted")
                .arg(json_flag()),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(&mut open(matches)?.1, matches, out),
        Some(("show", matches)) => show(&mut open(matches)?.1, matches, out),
        Some(("approve", matches)) => decide(matches, true, out),
        Some(("deny", matches)) => decide(matches, false, out),
        Some(("watch", matches)) => watch(&mut open(matches)?.1, matches, out),
        _ => Err(Failure::usage("a command is missing")),
    }
}

fn open(matches: &ArgMatches) -> Result<(PathBuf, Book), Failure> {
    let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
    let configuration = policy::load(matches)?;
    let state = given.or(configuration.audit.path.as_deref()).map(Path::to_owned);
    let state = audit::directory(state.as_deref()).map_err(|error| unusable(&error))?;
    let book = Book::open(&state).map_err(|error| unusable(&error))?;
    Ok((state, book))
}

fn list(book: &mut Book, matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let status = (!matches.get_flag("all")).then_some(Status::Pending);
    let which = Which { status, limit: LISTED, ..Which::default() };
    let requests = book.store().requests(&which).map_err(|error| unusable(&error))?;
    if matches.get_flag("json") {
        let shapes: Vec<Value> = requests.iter().map(approval_json).collect();
        return write_json(out, &json!({ "v": VERSION, "approvals": shapes }));
    }
    if requests.is_empty() {
        return shown(out, "nothing waits for an answer\n");
    }
    let now = Timestamp::now();
    let lines: String = requests.iter().map(|request| line(request, now)).collect();
    shown(out, &lines)
}

/// One request on one line; everything in it that came from an agent is made visible.
fn line(request: &Request, now: Timestamp) -> String {
    let id = request.id.to_string();
    let short = id.get(..8).unwrap_or_default();
    let state = match request.status {
        Status::Pending => {
            format!("{} left", duration::words(request.expires.duration_since(now)))
        }
        status => {
            let by = request.approver.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("{status}{by}")
        }
    };
    let agent = request.agent.as_deref().unwrap_or("an agent");
    let call = request.details.pointer("/request/action/parameters").map(first_text);
    visible::line(&format!(
        "{short}  {:<8}  {agent}: {}: {}  ({state})",
        request.risk.name(),
        request.tool,
        call.unwrap_or_default(),
    ))
    .into_owned()
        + "\n"
}

/// The one text of a call where there is one, else its arguments.
fn first_text(parameters: &Value) -> String {
    let only = parameters.as_object().filter(|fields| fields.len() == 1);
    let text = only.and_then(|fields| fields.values().next()).and_then(Value::as_str);
    text.map_or_else(|| parameters.to_string(), str::to_owned)
}

fn show(book: &mut Book, matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let request = chosen(book, matches)?;
    if matches.get_flag("json") {
        let mut shape = approval_json(&request);
        if let Some(fields) = shape.as_object_mut() {
            fields.insert("details".to_owned(), request.details.clone());
        }
        return write_json(out, &shape);
    }
    shown(out, &page(&request))
}

/// Everything a person decides by, each thing on lines of its own.
fn page(request: &Request) -> String {
    let told = |pointer: &str| {
        let found = request.details.pointer(pointer);
        found.and_then(Value::as_str).map(|text| visible::line(text).into_owned())
    };
    let list = |pointer: &str| -> Vec<String> {
        let found = request.details.pointer(pointer).and_then(Value::as_array);
        let texts = found.into_iter().flatten().filter_map(Value::as_str);
        texts.map(|text| visible::line(text).into_owned()).collect()
    };
    let mut lines = vec![
        line(request, Timestamp::now()).trim_end().to_owned(),
        format!("  {}", request.action),
    ];
    for text in request.details.get("texts").and_then(Value::as_array).into_iter().flatten() {
        let name = text.get("in").and_then(Value::as_str).unwrap_or_default();
        lines.push(format!("  {}:", visible::line(name)));
        let segments = text.get("segments").and_then(Value::as_array).into_iter().flatten();
        // What is dangerous stands between the marks: colour alone would be lost on some.
        let whole: String = segments
            .map(|segment| {
                let text = segment.get("text").and_then(Value::as_str).unwrap_or_default();
                if segment.get("severity").is_some() {
                    format!("»{text}«")
                } else {
                    text.to_owned()
                }
            })
            .collect();
        lines.extend(whole.lines().map(|line| format!("    {}", visible::line(line))));
    }
    for (name, pointer) in [
        ("why it asks", "/reasons"),
        ("what it would do", "/effects"),
        ("what it touches", "/resources"),
        ("instead", "/recommendations"),
    ] {
        let texts = list(pointer);
        if !texts.is_empty() {
            lines.push(format!("  {name}:"));
            lines.extend(texts.iter().map(|text| format!("    {text}")));
        }
    }
    let fact = |pointer: &str| request.details.pointer(pointer).and_then(Value::as_bool);
    if fact("/request/action/reversible") == Some(false) {
        lines.push("  it may be impossible to undo".to_owned());
    }
    if fact("/understood") == Some(false) {
        lines.push("  not all of it was understood".to_owned());
    }
    if let Some(summary) = told("/summary") {
        lines.push(format!("  the agent says: {summary}"));
    }
    if let Some(cwd) = told("/cwd") {
        lines.push(format!("  in {cwd}"));
    }
    if request.needed > 1 {
        let agreed: Vec<&str> = request.agreed.iter().map(|vote| vote.approver.as_str()).collect();
        let agreed = if agreed.is_empty() { "nobody yet".to_owned() } else { agreed.join(", ") };
        lines.push(format!(
            "  {} people must agree; agreed: {}",
            request.needed,
            visible::line(&agreed)
        ));
    }
    if let Some(reason) = &request.reason {
        lines.push(format!("  {}: {}", request.status, visible::line(reason)));
    }
    lines.join("\n") + "\n"
}

/// The one request that an id, or its beginning, names.
fn chosen(book: &mut Book, matches: &ArgMatches) -> Result<Request, Failure> {
    let word = matches.get_one::<String>("id").map_or("", String::as_str);
    if let Ok(id) = word.parse() {
        let found = book.store().request(id).map_err(|error| unusable(&error))?;
        return found.ok_or_else(|| unknown(word));
    }
    let which = Which { limit: u32::MAX, ..Which::default() };
    let requests = book.store().requests(&which).map_err(|error| unusable(&error))?;
    let mut found = requests
        .into_iter()
        .filter(|request| !word.is_empty() && request.id.to_string().starts_with(word));
    match (found.next(), found.next()) {
        (Some(request), None) => Ok(request),
        (Some(_), Some(_)) => {
            Err(Failure::usage(format_args!("several requests begin with `{word}`"))
                .with_help("give more of its id"))
        }
        (None, _) => Err(unknown(word)),
    }
}

fn unknown(word: &str) -> Failure {
    Failure::usage(format_args!("there is no request `{word}`"))
        .with_help("`portcullis approvals list` lists what waits")
}

fn decide(matches: &ArgMatches, approves: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let (state, mut book) = open(matches)?;
    let mut person = Person::at_terminal_beside(Some(&state)).map_err(|error| nobody(&error))?;
    let request = chosen(&mut book, matches)?;
    if request.status == Status::Pending && approves {
        let question = format!("{}approve it, once", page(&request));
        if !person.confirm(&question).map_err(Failure::internal)? {
            return shown(out, "it was not approved; it still waits\n");
        }
    }
    let reply = Reply {
        id: request.id,
        approver: person.name().to_owned(),
        origin: "terminal".to_owned(),
        approves,
        action: request.action.clone(),
        reason: matches
            .get_one::<String>("reason")
            .map(|reason| portcullis_core::redact::redact(reason).into_owned()),
        modified: None,
    };
    let done = book.take(&[Step::Answer(Box::new(reply))]).map_err(|error| unusable(&error))?;
    match done.into_iter().next() {
        Some(Done::Answered(request, None)) => {
            shown(out, &line(&request, Timestamp::now()))?;
            Ok(Exit::Done)
        }
        Some(Done::Answered(request, Some(refusal))) => {
            shown(out, &line(&request, Timestamp::now()))?;
            Err(Failure::denied(refusal))
        }
        _ => Err(unknown(&request.id.to_string())),
    }
}

/// Says what happens, from what waits now on.
fn watch(book: &mut Book, matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let json = matches.get_flag("json");
    let failed = |error: audit::AuditError| unusable(&error);
    let mut seen = book.store().head().map_err(failed)?.sequence;
    let waiting = Which { status: Some(Status::Pending), limit: LISTED, ..Which::default() };
    let mut news = book.store().requests(&waiting).map_err(failed)?;
    loop {
        for request in news.iter().rev() {
            let reader = if json {
                write_line(out, &approval_json(request))?
            } else {
                write(out, line(request, Timestamp::now()).as_bytes())?
            };
            if reader == Reader::Gone {
                return Ok(Exit::Done);
            }
        }
        thread::sleep(LOOK);
        // Where nobody decides, the one who looks closes what is over.
        book.take(&[Step::Sweep]).map_err(failed)?;
        let head = book.store().head().map_err(failed)?.sequence;
        let which = Which { limit: LISTED, ..Which::default() };
        news = book.store().requests(&which).map_err(failed)?;
        news.retain(|request| request.sequence > seen || request.answer > Some(seen));
        seen = head;
    }
}
