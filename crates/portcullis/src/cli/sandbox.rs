//! `sandbox`: running a program inside limits. Owns the options and what is said of the limits; which files are secret or protected,
//! [`crate::sandbox`] knows, and `portcullis_sandbox` keeps the promises.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
    value_parser,
};
#[cfg(target_os = "linux")]
use portcullis_core::{call::ToolCall, policy::Context};
use portcullis_net::{
    GuardOptions,
    proxy::{Credentials, Proxy, ProxyOptions, Stop, Witness},
};
use portcullis_sandbox::{
    Input, Launch, Layer, Layers, Limits, Output, Profile, Proxy as Way, Refused, Report, Stopped,
};
use serde_json::{Value, json};

use super::{Exit, Failure, egress, json_flag, policy, proxy::Keeper, shown, write_json};
use crate::{
    config::Lock,
    platform::Directories,
    report::visible,
    sandbox::{Before, BuiltIn, Contracted, Custom, Named, environment},
    wire::VERSION,
};
#[cfg(target_os = "linux")]
use crate::{
    session::{Options, Session},
    undo::{self, Around, Bounds},
};

/// How the run ends when its time was up; as `timeout` of coreutils says it.
const TIMED_OUT: u8 = 124;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Run a program inside limits: files, network, system calls, time")
        .after_help(
            "Examples:\n  portcullis sandbox run -- cargo test\n  portcullis sandbox run --profile read-only -- rg TODO\n  portcullis sandbox probe\n\n\
             Every promise of the profile is required unless it is waived; where one does not hold here, nothing runs.",
        )
        .subcommand_required(true)
        .subcommand(define_run(Command::new("run")))
        .subcommand(
            Command::new("probe")
                .about("Say what holds here, after trying it")
                .arg(json_flag())
                .args(profile_arguments()),
        )
}

fn profile_arguments() -> Vec<Arg> {
    vec![
        Arg::new("profile")
            .long("profile")
            .value_name("PROFILE")
            .default_value(BuiltIn::WorkspaceWrite.name())
            .help("What it may do: `read-only`, `workspace-write`, `network-proxy`, or a profile of the configuration"),
        Arg::new("contract")
            .long("contract")
            .value_name("SERVER")
            .conflicts_with("profile")
            .help("What the contract of this MCP server allows (`[contracts.servers]`), in place of a profile"),
        Arg::new("workspace")
            .long("workspace")
            .value_name("DIRECTORY")
            .value_parser(ValueParser::path_buf())
            .help("What it may write, and where it starts; this directory by default"),
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help("Use this configuration in place of your own"),
        Arg::new("state")
            .long("state")
            .value_name("DIR")
            .value_parser(ValueParser::path_buf())
            .help("The state directory, in place of the configuration's: connections are recorded there, and nothing inside reads it"),
    ]
}

fn define_run(command: Command) -> Command {
    let layers = || PossibleValuesParser::new(Layer::ALL.iter().map(|layer| layer.name()));
    command
        .about("Run a program inside limits")
        .after_help(
            "Its exit code is passed on: 128 and the number where a signal ended it. 124: its time was up; 126: it was not run;\n\
             127: there is no such program. What it leaves running is killed.\n\n\
             Examples:\n  portcullis sandbox run -- make test\n  portcullis sandbox run --profile network-proxy --timeout 600 -- npm ci\n  portcullis sandbox run --waive protected -- git init",
        )
        .args(profile_arguments())
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=31_536_000))
                .help("How long it may take, with all that it starts"),
        )
        .arg(
            Arg::new("processes")
                .long("processes")
                .value_name("NUMBER")
                .value_parser(value_parser!(u64).range(1..=1_000_000))
                .help("How many processes there may be at once"),
        )
        .arg(
            Arg::new("memory")
                .long("memory")
                .value_name("BYTES")
                .value_parser(value_parser!(u64).range(1..=1 << 60))
                .help("How much memory all processes may have together, where control groups can be made"),
        )
        .arg(
            Arg::new("require")
                .long("require")
                .value_name("LAYER")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(layers())
                .help("What must hold beside what the profile promises"),
        )
        .arg(
            Arg::new("waive")
                .long("waive")
                .value_name("LAYER")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(layers())
                .help("What need not hold; `protected` is then not even tried"),
        )
        .arg(
            Arg::new("env")
                .long("env")
                .value_name("NAME[=VALUE]")
                .action(ArgAction::Append)
                .value_parser(ValueParser::os_string())
                .help("A variable that it is told; most are not, as they may hold secrets"),
        )
        .arg(json_flag().help("Say in one line of JSON on standard error what held"))
        .arg(
            Arg::new("report")
                .long("report")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("Write what held to a file, in JSON"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .required(true)
                .num_args(1..)
                .last(true)
                .value_parser(ValueParser::os_string())
                .help("The program and its arguments"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("run", matches)) => run_program(matches),
        Some(("probe", matches)) => probe(matches, out),
        _ => Err(Failure::usage("a command is missing")),
    }
}

fn run_program(matches: &ArgMatches) -> Result<Exit, Failure> {
    let chosen = chosen(matches)?;
    let proxy = chosen.opened(matches)?;
    let words: Vec<OsString> =
        matches.get_many::<OsString>("command").into_iter().flatten().cloned().collect();
    let mut launch =
        launch(matches, &chosen, &words, proxy.as_ref().map(|opened| opened.way.clone()))?;
    let mut words = words.into_iter();
    launch.program = words.next().unwrap_or_default();
    launch.arguments = words.collect();
    launch.environment = environment(variables(matches)?);
    let wall = matches.get_one::<u64>("timeout").map(|seconds| Duration::from_secs(*seconds));
    launch.limits.wall = wall.or(launch.limits.wall);
    let processes = matches.get_one::<u64>("processes").copied();
    launch.limits.processes = processes.or(launch.limits.processes);
    let memory = matches.get_one::<u64>("memory").copied();
    launch.limits.memory = memory.or(launch.limits.memory);
    (launch.input, launch.output) = (Input::Inherit, Output::Inherit);
    let layers = |name: &str| -> Layers {
        matches
            .get_many::<String>(name)
            .into_iter()
            .flatten()
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    let (more, waived) = (layers("require"), layers("waive"));
    if waived.contains(Layer::Protected) {
        launch.profile.protected.clear();
    }
    launch.require =
        more.iter().chain(launch.require.iter()).filter(|layer| !waived.contains(*layer)).collect();
    // Opened before anything runs: what runs could put a link in its place.
    let mut report_file = report_file(matches)?;
    let before = Before::look(&launch.profile.write, &Directories::from_environment());
    #[cfg(target_os = "linux")]
    let around = kept(matches, &launch)?;
    let ended = portcullis_sandbox::run(&launch);
    #[cfg(target_os = "linux")]
    let kept = around.and_then(Around::ended);
    #[cfg(not(target_os = "linux"))]
    let kept: Option<String> = None;
    let report = match &ended {
        Ok(finished) => Some(&finished.report),
        Err(Refused::Missing(report)) => Some(&**report),
        Err(_) => None,
    };
    if let Some(report) = report {
        said(matches, report, &before.left(), kept.as_deref(), report_file.as_mut())?;
    }
    drop(proxy);
    match ended {
        Ok(finished) => Ok(match finished.stopped {
            Some(Stopped::Time) => Exit::Ended(TIMED_OUT),
            _ => Exit::Ended(u8::try_from(finished.status.code()).unwrap_or(u8::MAX)),
        }),
        Err(refused) => Err(failure(&refused)),
    }
}

/// Keeps what a program would lose by its words. It runs all the same where that cannot be kept.
#[cfg(target_os = "linux")]
fn kept(matches: &ArgMatches, launch: &Launch) -> Result<Option<Around>, Failure> {
    // What a server writes at a call, whoever judges the call keeps.
    if launch.profile.write.is_empty() || matches.contains_id("contract") {
        return Ok(None);
    }
    let configuration = policy::load(matches)?;
    let Some(state) = configuration.state() else { return Ok(None) };
    let words = [&launch.program].into_iter().chain(&launch.arguments);
    let words: Vec<String> =
        words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))).collect();
    let mut arguments = serde_json::Map::new();
    arguments.insert("command".to_owned(), words.join(" ").into());
    let call = ToolCall {
        tool: "bash".to_owned(),
        arguments,
        cwd: launch.directory.to_str().map(str::to_owned),
        ..ToolCall::default()
    };
    let session = Session::open(Options { configuration, unrecorded: true, ..Options::default() });
    let Ok(judged) = session.consider(call, Context::default()) else { return Ok(None) };
    if !judged.regime.configuration.snapshots.enabled {
        return Ok(None);
    }
    match Around::taken(Some(&state), &judged, undo::Before::Changes, Bounds::usual()) {
        Ok(around) => Ok(around),
        Err(error) => {
            let words = format!("warning: what it changes cannot be brought back: {error}\n");
            let _ = io::stderr().write_all(words.as_bytes());
            Ok(None)
        }
    }
}

/// What holds a program: a profile by its name, or the contract of a server.
enum Chosen {
    Profile(Named),
    Contract(Box<Contracted>),
}

impl Chosen {
    fn limits(&self) -> Limits {
        match self {
            Self::Profile(named) => named.limits(),
            Self::Contract(contract) => contract.limits.clone(),
        }
    }

    /// Our proxy, where it needs one.
    fn opened(&self, matches: &ArgMatches) -> Result<Option<Opened>, Failure> {
        let connects = match self {
            Self::Profile(named) => named.connects(),
            Self::Contract(contract) => contract.connects(),
        };
        if !connects {
            return Ok(None);
        }
        let configuration = egress::configuration(matches)?;
        let mut audit = configuration.audit.clone();
        audit.path = state(matches).or(audit.path);
        let keeper = Keeper::open(&audit, configuration.is_locked(Lock::Audit))?;
        let mut network = configuration.network.clone();
        if let Self::Contract(contract) = self {
            let is_locked = configuration.is_locked(Lock::Network);
            network.options = contract.network(&network.options, is_locked);
        }
        Opened::witnessed(egress::guard(&network)?, Box::new(keeper)).map(Some)
    }
}

/// The state directory that was named.
fn state(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one::<PathBuf>("state").cloned()
}

/// What was named.
fn chosen(matches: &ArgMatches) -> Result<Chosen, Failure> {
    if let Some(server) = matches.get_one::<String>("contract") {
        let configuration = policy::load(matches)?;
        let contract = configuration.server_contract(server).cloned();
        let contract = contract.map(Box::new).map(Chosen::Contract);
        return contract.ok_or_else(|| {
            let server = visible::line(server);
            Failure::usage(format_args!("the server `{server}` has no contract"))
                .with_help(format_args!("write it as `[contracts.servers.{server}]` of your configuration; `portcullis mcp contract {server}` proposes one"))
        });
    }
    let name = matches.get_one::<String>("profile").map_or("", String::as_str);
    if let Some(one) = BuiltIn::named(name) {
        return Ok(Chosen::Profile(Named::BuiltIn(one)));
    }
    let profiles = egress::configuration(matches)?.sandbox;
    let named = Named::find(name, &profiles).ok_or_else(|| unknown(name, &profiles))?;
    Ok(Chosen::Profile(named))
}

/// What is said about a profile that there is not.
pub(super) fn unknown(name: &str, profiles: &BTreeMap<String, Custom>) -> Failure {
    let known = BuiltIn::ALL.iter().map(|one| one.name());
    let known = known.chain(profiles.keys().map(String::as_str));
    let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    Failure::usage(format_args!("there is no sandbox profile `{}`", visible::line(name)))
        .with_help(format_args!("expected one of {}", known.join(", ")))
}

fn launch(
    matches: &ArgMatches,
    chosen: &Chosen,
    words: &[OsString],
    proxy: Option<Way>,
) -> Result<Launch, Failure> {
    let given = matches.get_one::<PathBuf>("workspace");
    let workspace = given.map_or_else(std::env::current_dir, fs::canonicalize);
    let place = given.map_or(Path::new("."), PathBuf::as_path).display();
    let workspace = workspace.map_err(|error| {
        Failure::usage(format_args!("`{place}` cannot be the workspace: {error}"))
    })?;
    let own = Directories::from_environment();
    let directories = Directories { state: state(matches).or(own.state), ..own };
    let profile: Profile = match chosen {
        Chosen::Profile(named) => {
            named.profile(&workspace, &directories, proxy).map_err(|error| {
                Failure::usage(format_args!("`{place}` cannot be the workspace: {error}"))
            })?
        }
        Chosen::Contract(contract) => contract
            .profile(words, &workspace, &directories, proxy)
            .map_err(|error| Failure::usage(format_args!("nothing is run: {error}")))?,
    };
    let directory = match chosen {
        Chosen::Profile(_) => workspace,
        Chosen::Contract(_) => started_in(workspace, &profile),
    };
    Ok(Launch { limits: chosen.limits(), ..Launch::new("", directory, profile) })
}

/// Where a server is started. A directory among temporary files is shown to whoever starts in it, so one that the contract does not name is left out of sight.
fn started_in(workspace: PathBuf, profile: &Profile) -> PathBuf {
    const TEMPORARY: &str = "/tmp";
    let mut named = profile.read.iter().chain(&profile.write);
    let is_hidden = workspace.starts_with(TEMPORARY) && workspace != Path::new(TEMPORARY);
    if is_hidden && !named.any(|root| workspace.starts_with(root)) {
        return PathBuf::from("/");
    }
    workspace
}

/// `NAME` is passed on as it is, `NAME=VALUE` set.
pub(super) fn variables(matches: &ArgMatches) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut list = Vec::new();
    for word in matches.get_many::<OsString>("env").into_iter().flatten() {
        let Some(text) = word.to_str() else {
            return Err(Failure::usage("a variable of `--env` is not valid UTF-8"));
        };
        match text.split_once('=') {
            Some(("", _)) => return Err(Failure::usage(format_args!("`{text}` has no name"))),
            Some((name, value)) => list.push((name.into(), value.into())),
            None => list.extend(std::env::var_os(text).map(|value| (text.into(), value))),
        }
    }
    Ok(list)
}

fn probe(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let chosen = chosen(matches)?;
    // Nothing connects to it: whether the way there can be made is what is tried.
    let nowhere = Way { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 9)), credentials: None };
    let launch = launch(matches, &chosen, &[], Some(nowhere))?;
    let report = portcullis_sandbox::probe(&launch).map_err(|refused| failure(&refused))?;
    if matches.get_flag("json") {
        return write_json(out, &wire(&report));
    }
    shown(out, &table(&report))
}

/// The report as others read it.
fn wire(report: &Report) -> Value {
    json!({ "v": VERSION, "layers": report.layers, "unavailable": report.unavailable })
}

fn table(report: &Report) -> String {
    let mut text = String::new();
    for state in &report.layers {
        let word = match (state.requested, state.in_force) {
            (_, true) => "holds",
            (true, false) => "does not hold",
            (false, false) => "not asked for",
        };
        let by: Vec<&str> = state.by.iter().map(|means| means.name()).collect();
        let more = match (&state.note, by.is_empty()) {
            (Some(note), true) => format!("  ({note})"),
            (Some(note), false) => format!("  by {} ({note})", by.join(" and ")),
            (None, false) => format!("  by {}", by.join(" and ")),
            (None, true) => String::new(),
        };
        text.push_str(&format!(
            "{:<10}  {word:<13}  {}{more}\n",
            state.layer.name(),
            state.layer.promise()
        ));
    }
    for one in &report.unavailable {
        text.push_str(&format!("\n{} cannot be had: {}\n", one.means, one.reason));
        if let Some(remedy) = &one.remedy {
            text.push_str(&format!("help: {remedy}\n"));
        }
    }
    text
}

/// Where the report is written, where it is. A link is not followed: an earlier run may have left it there.
fn report_file(matches: &ArgMatches) -> Result<Option<(PathBuf, fs::File)>, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("report") else { return Ok(None) };
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW.bits();
        options.custom_flags(flags.cast_signed());
    }
    match options.open(path) {
        Ok(file) => Ok(Some((path.clone(), file))),
        Err(error) => {
            Err(Failure::usage(format_args!("`{}` cannot be written: {error}", path.display())))
        }
    }
}

/// What held: to where it was asked for, and on standard error in any case what does not.
fn said(
    matches: &ArgMatches,
    report: &Report,
    left: &[String],
    kept: Option<&str>,
    file: Option<&mut (PathBuf, fs::File)>,
) -> Result<(), Failure> {
    let mut page = wire(report);
    if let Some(page) = page.as_object_mut() {
        page.insert("left".to_owned(), json!(left));
        page.insert("snapshot".to_owned(), json!(kept));
    }
    if let Some((path, file)) = file {
        let written = file.write_all(format!("{page}\n").as_bytes());
        written.map_err(|error| {
            Failure::internal(format_args!("`{}` cannot be written: {error}", path.display()))
        })?;
    }
    let text = if matches.get_flag("json") {
        format!("{page}\n")
    } else {
        let open = report
            .layers
            .iter()
            .filter(|state| state.requested && !state.in_force && !state.required);
        let open = open.map(|state| {
            format!(
                "warning: `{}` does not hold: {}\n",
                state.layer,
                state.note.as_deref().unwrap_or("nothing keeps it")
            )
        });
        let left = left.iter().map(|one| format!("warning: {}\n", visible::line(one)));
        let kept = kept.map(|name| {
            format!("note: what it lost was kept; `portcullis undo {name}` brings it back\n")
        });
        open.chain(left).chain(kept).collect()
    };
    // Who closed standard error does not want to know.
    let _ = io::stderr().write_all(text.as_bytes());
    Ok(())
}

pub(super) fn failure(refused: &Refused) -> Failure {
    let exit = if refused.is_not_found() { Exit::NotFound } else { Exit::Refused };
    let failure = Failure::refused(exit, refused);
    match refused.remedy() {
        Some(remedy) => failure.with_help(remedy),
        None if matches!(refused, Refused::Missing(_)) => failure.with_help(
            "`portcullis sandbox probe` says what holds here; `--waive LAYER` runs without",
        ),
        None => failure,
    }
}

/// Our proxy, for one run.
pub(super) struct Opened {
    pub(super) way: Way,
    stop: Stop,
    thread: Option<thread::JoinHandle<()>>,
}

impl Opened {
    pub(super) fn new(matches: &ArgMatches) -> Result<Self, Failure> {
        Self::noting(matches, |keeper| Box::new(keeper))
    }

    /// With somebody who hears of every connection beside the record.
    pub(super) fn noting(
        matches: &ArgMatches,
        witness: impl FnOnce(Keeper) -> Box<dyn Witness>,
    ) -> Result<Self, Failure> {
        let configuration = egress::configuration(matches)?;
        let keeper = Keeper::open(&configuration.audit, configuration.is_locked(Lock::Audit))?;
        Self::witnessed(egress::guard(&configuration.network)?, witness(keeper))
    }

    /// Under this guard, where this one hears of every connection.
    pub(super) fn witnessed(
        guard: GuardOptions,
        witness: Box<dyn Witness>,
    ) -> Result<Self, Failure> {
        let credentials = Credentials::random("sandbox").map_err(Failure::internal)?;
        let way = format!("{}:{}", credentials.session, credentials.password);
        let options =
            ProxyOptions { guard, sessions: vec![credentials], ..ProxyOptions::default() };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(Failure::internal)?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let proxy = runtime.block_on(Proxy::bind(listen, options, witness));
        let proxy = proxy
            .map_err(|error| Failure::internal(format_args!("the proxy cannot listen: {error}")))?;
        let (address, stop) = (proxy.address(), proxy.stop());
        let thread = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || runtime.block_on(proxy.run()));
        let thread = Some(thread.map_err(Failure::internal)?);
        Ok(Self { way: Way { address, credentials: Some(way) }, stop, thread })
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
