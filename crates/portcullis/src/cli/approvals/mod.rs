//! `approvals`: what waits for a yes or no, in the terminal. Owns the options and the page; who may decide, [`crate::person`] finds out, and
//! whose word counts, the core says.

#[cfg(unix)]
mod inbox;
mod page;

use std::{
    io::Write,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, builder::ValueParser};
use jiff::Timestamp;
use portcullis_core::approval::Status;
use serde_json::{Value, json};

use self::page::{BAR, Page, gist, inert};
use super::{
    Exit, Failure, Reader, allow::nobody, audit::failure as unusable, duration, json_flag, policy,
    shown, write, write_json, write_line,
};
use crate::{
    approvals::{Book, Done, Reply, Request, Step, Which},
    audit,
    config::Configuration,
    gateway::approval_json,
    grants::{self, Breadth, Grant},
    person::Person,
    platform,
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
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
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
             portcullis approvals approve 4f1d --reason 'the old data is kept elsewhere'\n  portcullis approvals inbox\n\n\
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
        .subcommand(
            Command::new("inbox")
                .about("Show what waits on the whole screen, and decide it there")
                .after_help("`?` in it lists the keys. It reads keys from the terminal itself, whatever its input is."),
        )
        .subcommand(
            Command::new("approve")
                .about("Let it go on, once")
                .arg(id())
                .arg(reason())
                .arg(
                    flag("like", "Let what is like it go on as well, as `show` tells what that is (with `--session` or `--project`)")
                        .requires("where"),
                )
                .arg(flag("session", "… in the session that asked, for 8 hours").requires("like"))
                .arg(flag("project", "… in the project that it was asked in, for 30 days").requires("like"))
                .group(ArgGroup::new("where").args(["session", "project"])),
        )
        .subcommand(Command::new("deny").about("Refuse it").arg(id()).arg(reason()))
        .subcommand(
            Command::new("watch")
                .about("Show each request when it is asked and when it is decided, until interrupted")
                .arg(json_flag()),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(&mut open(matches)?.book, matches, out),
        Some(("show", matches)) => show(&mut open(matches)?.book, matches, out),
        Some(("inbox", matches)) => look(matches),
        Some(("approve", matches)) => decide(matches, true, out),
        Some(("deny", matches)) => decide(matches, false, out),
        Some(("watch", matches)) => watch(&mut open(matches)?.book, matches, out),
        _ => Err(Failure::usage("a command is missing")),
    }
}

/// What every verb works on.
struct Opened {
    state: PathBuf,
    configuration: Configuration,
    book: Book,
}

fn open(matches: &ArgMatches) -> Result<Opened, Failure> {
    let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
    let configuration = policy::load(matches)?;
    let state = given.or(configuration.audit.path.as_deref()).map(Path::to_owned);
    let state = audit::directory(state.as_deref()).map_err(|error| unusable(&error))?;
    let book = Book::open(&state).map_err(|error| unusable(&error))?;
    Ok(Opened { state, configuration, book })
}

/// The view, for a person.
fn look(matches: &ArgMatches) -> Result<Exit, Failure> {
    let Opened { state, configuration, mut book } = open(matches)?;
    let person = Person::at_terminal_beside(Some(&state)).map_err(|error| nobody(&error))?;
    #[cfg(unix)]
    {
        inbox::run(&mut book, configuration, &person)
    }
    #[cfg(not(unix))]
    {
        let _ = (&mut book, configuration, person);
        Err(Failure::internal("there is no view on this system"))
    }
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
            format!("{} left", page::left(request, now))
        }
        status => {
            let by = request.approver.as_deref().map(|by| format!(" by {}", inert(by)));
            format!("{}{}", page::became(status), by.unwrap_or_default())
        }
    };
    let agent = request.agent.as_deref().unwrap_or("an agent");
    let (agent, tool, gist) = (inert(agent), inert(&request.tool), gist(request));
    format!("{short}  {:<8}  {state:<24} {BAR}{agent}: {tool}: {gist}\n", request.risk.name())
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
    shown(out, &page(&request, columns()))
}

/// Everything a person decides by. On a terminal each row that it takes is one of ours: a terminal that breaks rows itself would put what came
/// from elsewhere where our words stand.
fn page(request: &Request, columns: Option<usize>) -> String {
    let left = match request.status {
        Status::Pending => format!("{} left", page::left(request, Timestamp::now())),
        status => page::became(status).to_owned(),
    };
    let page = Page::of(request).text(columns);
    format!("{} {left}\n{page}", request.id)
}

/// How wide the terminal is that is written to, where it is one.
fn columns() -> Option<usize> {
    platform::columns(&std::io::stdout())
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
    let Opened { state, configuration, mut book } = open(matches)?;
    let mut person = Person::at_terminal_beside(Some(&state)).map_err(|error| nobody(&error))?;
    let request = chosen(&mut book, matches)?;
    let like = approves.then(|| breadth(matches)).flatten();
    if request.status == Status::Pending && approves {
        if !request.is_shown_whole() {
            return Err(Failure::denied(
                "it is too long to be shown whole, so that nobody can approve it",
            )
            .with_help("deny it, and have it asked in smaller parts"));
        }
        let mut question = format!("{}approve it, once", page(&request, person.columns()));
        if let Some(breadth) = like {
            // What cannot be is said before anybody answers.
            Grant::of_request(&request, breadth, person.name(), Timestamp::now())
                .map_err(|error| Failure::denied(error).with_help("leave `--like` away"))?;
            question.push_str(match breadth {
                Breadth::Session => ", and its like for the session",
                Breadth::Project => ", and its like for the project",
            });
        }
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
        right: None,
        // Where people log in as themselves, an account of this machine is none of two.
        counts: configuration.team.login.is_none(),
    };
    let done = book.take(&[Step::Answer(Box::new(reply))]).map_err(|error| unusable(&error))?;
    match done.into_iter().next() {
        Some(Done::Answered(request, None)) => {
            shown(out, &line(&request, Timestamp::now()))?;
            if let Some(breadth) = like {
                let now = Timestamp::now();
                let (grant, answer) = Grant::of_request(&request, breadth, person.name(), now)
                    .map_err(Failure::denied)?;
                let step = grants::kept(&grant, answer, now);
                book.take_at(&[step], now).map_err(|error| unusable(&error))?;
                let id = grant.id.short();
                shown(
                    out,
                    &format!(
                        "its like goes on too; `portcullis allow revoke {id}` takes that back\n"
                    ),
                )?;
            }
            Ok(Exit::Done)
        }
        Some(Done::Answered(request, Some(refusal))) => {
            shown(out, &line(&request, Timestamp::now()))?;
            Err(Failure::denied(refusal))
        }
        _ => Err(unknown(&request.id.to_string())),
    }
}

/// Where the like of it is approved with it.
fn breadth(matches: &ArgMatches) -> Option<Breadth> {
    match (matches.get_flag("session"), matches.get_flag("project")) {
        (true, _) => Some(Breadth::Session),
        (_, true) => Some(Breadth::Project),
        _ => None,
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
