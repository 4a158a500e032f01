//! `try`: a command on files whose changes go elsewhere. Owns the options, and what is done with a trial; what one is, [`crate::trial`] says,
//! and how one is taken over, [`taking`].

mod noted;
mod settled;
mod taking;

use std::{
    ffi::OsString,
    io::{self, IsTerminal as _, Write},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
    value_parser,
};
use portcullis_net::ResolverOptions;
use serde_json::{Value, json};

use self::{
    noted::{Noted, Noting},
    taking::{Record, commit},
};
use super::{
    Exit, Failure, egress, json_flag, policy as policies, sandbox, shown, write, write_json,
};
use crate::{
    audit,
    config::Configuration,
    platform::Directories,
    report::visible,
    sandbox::environment,
    trial::{self, Place, Places, Request, Trial, TrialError, commit as taken_over},
};

/// How long a trial may take where nobody says it, in seconds.
const USUAL_TIMEOUT: &str = "600";

/// How the run ends when its time was up; as `timeout` of coreutils says it.
const TIMED_OUT: u8 = 124;

pub(super) fn define(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    command
        .about("Run a command on files whose changes go elsewhere, and show what it did before any of it counts")
        .after_help(
            "The command finds the workspace and the home directory as they are. What it changes goes to a layer beside them, what is secret cannot be\n\
             read, everything else can only be read. A trial is kept for a week, unless it is discarded.\n\n\
             Exit codes: that of the command; 124: its time was up or it was stopped; 126: it was not run; 127: there is no such program.\n\
             With --commit, 3: something of it asks, nobody could be asked, and nothing was taken over; 2: it is denied; 65: files changed since.\n\n\
             Examples:\n  portcullis try -- sh install.sh\n  portcullis try --network proxy -- npm install\n  portcullis try --trial last\n  \
             portcullis try --trial last --commit src README.md\n  portcullis try --trial last --discard",
        )
        .arg(
            Arg::new("network")
                .long("network")
                .value_name("WAY")
                .value_parser(PossibleValuesParser::new(["off", "proxy", "record"]))
                .default_value("record")
                .help("`off`: none; `record`: hosts that it wants are noted, and none is connected to; `proxy`: through the guarded proxy"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .default_value(USUAL_TIMEOUT)
                .value_parser(value_parser!(u64).range(1..=86_400))
                .help("How long it may take"),
        )
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .value_name("DIRECTORY")
                .value_parser(ValueParser::path_buf())
                .help("Where it starts; this directory by default"),
        )
        .arg(
            Arg::new("directory")
                .long("directory")
                .value_name("DIRECTORY")
                .value_parser(ValueParser::path_buf())
                .help("Where in the workspace it starts, where that is not the workspace itself"),
        )
        .arg(
            Arg::new("env")
                .long("env")
                .value_name("NAME[=VALUE]")
                .action(ArgAction::Append)
                .value_parser(ValueParser::os_string())
                .help("A variable that it is told; most are not, as they may hold secrets"),
        )
        .arg(flag("copy", "Copy the workspace in place of an overlay, also where one can be had"))
        .arg(flag("discard", "Keep nothing of it").conflicts_with("commit"))
        .arg(
            flag("commit", "Take the changes over, each judged as an edit of a file: of the command where it ended well, or of --trial"),
        )
        .arg(
            flag("if-settled", "With --commit: only where it stayed in the workspace, wanted no network, met no secret, was refused nothing, and every\nchange goes on unasked. Nobody is asked, and the output is the command's own")
                .requires("commit")
                .requires("command"),
        )
        .arg(
            Arg::new("trial")
                .long("trial")
                .value_name("ID")
                .help("One that was kept, by the beginning of its name, or `last`: shown, or with --commit or --discard")
                .conflicts_with_all(["command", "list"]),
        )
        .arg(flag("list", "Which trials are kept").conflicts_with_all(["commit", "discard", "command"]))
        .args(egress::configuration_arguments())
        .arg(json_flag())
        .arg(
            Arg::new("paths")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(ValueParser::path_buf())
                .requires("trial")
                .help("With --trial and --commit: only what changed at or below these"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(1..)
                .last(true)
                .required_unless_present_any(["trial", "list"])
                .value_parser(ValueParser::os_string())
                .help("The program and its arguments"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = policies::load(matches)?;
    let state = audit::directory(configuration.audit.path.as_deref()).ok();
    let places = Places::usual(state.as_deref());
    // What killed ones left stands before all else.
    for said in taken_over::recover(&places).map_err(|error| Failure::internal(&error))? {
        let _ = io::stderr().write_all(format!("note: {}\n", visible::line(&said)).as_bytes());
    }
    places.tidy();
    if matches.get_flag("list") {
        return list(matches, &places, out);
    }
    if let Some(name) = matches.get_one::<String>("trial") {
        let found = places.find(name).map_err(|error| {
            Failure::usage(&error).with_help("`portcullis try --list` shows which there are")
        })?;
        let trial = found.read().map_err(|error| Failure::bad_input(&error))?;
        if matches.get_flag("discard") {
            found.remove().map_err(Failure::internal)?;
            return said(
                matches,
                out,
                &json!({ "v": trial::VERSION, "trial": trial.id, "discarded": true }),
                "discarded\n",
            );
        }
        if matches.get_flag("commit") {
            return commit(matches, &configuration, &places, &found, &trial, out);
        }
        return show(matches, &trial, &found, out);
    }
    let (trial, place) = ran(matches, &configuration, &places)?;
    let ended = if trial.stopped.is_some() {
        Exit::Ended(TIMED_OUT)
    } else {
        Exit::Ended(u8::try_from(trial.exit).unwrap_or(u8::MAX))
    };
    if matches.get_flag("if-settled") {
        return settled::taken_over(
            &configuration,
            &workspace(matches)?,
            (trial, place, places),
            out,
        );
    }
    if matches.get_flag("discard") {
        show(matches, &trial, &place, out)?;
        place.remove().map_err(Failure::internal)?;
        return Ok(ended);
    }
    show(matches, &trial, &place, out)?;
    if !matches.get_flag("commit") {
        if !matches.get_flag("json") {
            write(out, next_words(&trial).as_bytes())?;
        }
        return Ok(ended);
    }
    if ended != Exit::Ended(0) {
        let words = format!(
            "note: it did not end well, so nothing was taken over; `portcullis try --trial {} --commit` does it all the same\n",
            trial.id
        );
        let _ = io::stderr().write_all(words.as_bytes());
        return Ok(ended);
    }
    commit(matches, &configuration, &places, &place, &trial, out)
}

/// What can be done with a trial.
fn next_words(trial: &Trial) -> String {
    let id = &trial.id;
    if trial.changes.is_empty() {
        return format!("kept       {id}; `portcullis try --trial {id} --discard` forgets it\n");
    }
    format!(
        "kept       {id}; `portcullis try --trial {id} --commit [PATH…]` takes it over, `--discard` forgets it\n"
    )
}

fn said(
    matches: &ArgMatches,
    out: &mut dyn Write,
    value: &Value,
    text: &str,
) -> Result<Exit, Failure> {
    if matches.get_flag("json") { write_json(out, value) } else { shown(out, text) }
}

fn show(
    matches: &ArgMatches,
    trial: &Trial,
    place: &Place,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if matches.get_flag("json") {
        return write_json(out, &trial::json(trial, place));
    }
    shown(out, &trial::page(trial, place))
}

fn list(matches: &ArgMatches, places: &Places, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut shapes = Vec::new();
    let mut text = String::new();
    for place in places.list() {
        match place.read() {
            Ok(trial) => {
                let command = trial.command.join(" ");
                let command = portcullis_core::secrets::redacted(&command);
                text.push_str(&format!(
                    "{}  {}  exit {}, {} changes  {}\n",
                    trial.id,
                    trial.began.get(..19).unwrap_or(&trial.began),
                    trial.exit,
                    trial.changes.len(),
                    visible::line(&command),
                ));
                shapes.push(json!({ "trial": trial.id, "began": trial.began, "exit": trial.exit, "changes": trial.changes.len(), "command": command }));
            }
            Err(error) => {
                text.push_str(&format!("{}  {}\n", place.id, visible::line(&error.to_string())));
                shapes.push(json!({ "trial": place.id, "error": error.to_string() }));
            }
        }
    }
    if text.is_empty() {
        text.push_str("no trial is kept\n");
    }
    said(matches, out, &json!({ "v": trial::VERSION, "trials": shapes }), &text)
}

fn workspace(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    match matches.get_one::<PathBuf>("workspace") {
        Some(workspace) => Ok(workspace.clone()),
        None => std::env::current_dir().map_err(|error| {
            Failure::internal(format_args!("there is no current directory: {error}"))
        }),
    }
}

/// Runs the command.
fn ran(
    matches: &ArgMatches,
    configuration: &Configuration,
    places: &Places,
) -> Result<(Trial, Place), Failure> {
    let network = matches.get_one::<String>("network").map_or("record", String::as_str);
    let noted = Noted::default();
    let proxy = match network {
        "off" => None,
        "proxy" => Some(sandbox::Opened::noting(matches, |keeper| {
            Box::new(Noting::beside(&noted, Box::new(keeper)))
        })?),
        _ => {
            let configuration = egress::configuration(matches)?;
            let mut guard = egress::guard(&configuration.network)?;
            // A name that is asked for goes out too. Nobody listens there, so that no name is found.
            let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
            guard.resolver = ResolverOptions {
                servers: vec![nobody],
                patience: Duration::from_millis(100),
                timeout: Duration::from_millis(200),
                ..guard.resolver
            };
            let witness = Noting::alone(&noted);
            Some(sandbox::Opened::witnessed(guard, Box::new(witness))?)
        }
    };
    let workspace = workspace(matches)?;
    let directories = Directories::from_environment();
    let stop = Arc::new(AtomicBool::new(false));
    interrupted(&stop)?;
    let is_shown = io::stderr().is_terminal() && !matches.get_flag("json");
    let progress = |took: Duration, bytes: u64| {
        if is_shown && took >= Duration::from_secs(1) {
            let megabytes = bytes >> 20;
            let words = format!("\rtrying     {:.0} s, {megabytes} MB   ", took.as_secs_f64());
            let _ = io::stderr().write_all(words.as_bytes());
        }
    };
    let request = Request {
        command: matches.get_many::<OsString>("command").into_iter().flatten().cloned().collect(),
        workspace,
        directory: matches.get_one::<PathBuf>("directory").cloned(),
        directories: &directories,
        places,
        environment: environment(sandbox::variables(matches)?),
        proxy: proxy.as_ref().map(|opened| opened.way.clone()),
        timeout: Duration::from_secs(matches.get_one::<u64>("timeout").copied().unwrap_or(600)),
        copied: matches.get_flag("copy"),
        stop,
        progress: Some(&progress),
    };
    let mut log = Record::open(configuration);
    let command: Vec<String> =
        request.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    log.intent(
        "try",
        &command.join(" "),
        &format!("tried apart from the files, network {network}"),
    )?;
    let tried = trial::tried(&request, || noted.taken());
    if is_shown {
        let _ = io::stderr().write_all(b"\r                              \r");
    }
    match tried {
        Ok((trial, place)) => {
            log.outcome(&format!(
                "trial {}: exit {}, {} changes",
                trial.id,
                trial.exit,
                trial.changes.len()
            ));
            Ok((trial, place))
        }
        Err(error) => {
            log.outcome("not run");
            Err(failure(&error))
        }
    }
}

fn failure(error: &TrialError) -> Failure {
    match error {
        TrialError::Refused(refused) => sandbox::failure(refused),
        TrialError::Workspace { .. } => Failure::usage(error),
        TrialError::NotApart { .. } => Failure::refused(Exit::Refused, error)
            .with_help("`portcullis sandbox probe` says what the sandbox lacks here"),
        error => Failure::internal(error),
    }
}

/// Whoever interrupts it ends the command, and with a second time everything.
fn interrupted(stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    let stop = Arc::clone(stop);
    let runtime = egress::runtime()?;
    let wait = move || {
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if stop.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    };
    std::thread::Builder::new()
        .name("interrupts".to_owned())
        .spawn(wait)
        .map_err(Failure::internal)?;
    Ok(())
}
