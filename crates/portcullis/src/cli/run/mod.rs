//! `run`: an agent inside the gate. Owns the options and what an agent is put together of; the loop is [`crate::conversation`]'s, what a person is
//! asked, `attend` knows.

mod attend;
mod screen;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use portcullis_core::{
    conversation::Status,
    intervention::{self, ConfirmationRequest, InterventionOptions, InterventionPolicy},
    monitor::Limits,
    policy::Mode,
    risk::Severity,
};
use portcullis_net::{Client, Limits as FetchLimits, ResolverOptions, Roots, ThisProcess};

use super::{Exit, Failure, conversation as listed, egress, policy as policies, sandbox, write};
use crate::{
    config::{Configuration, check_url},
    confirmation::{ConfirmationHandler, Responder},
    conversation::{Conversation, Parts, Remote, built_in, identity, registry},
    gateway,
    guardian::{KeySource, Provider, Settings},
    person::Person,
    platform::{self, Directories},
    remote::{Keys, Remote as Gateway},
    sandbox::Named,
    session::{Options, Session},
    tools::{Tool, Toolbox, ToolsFile, default_path},
};

use screen::Screen;

/// The most tokens of an answer.
const ANSWER: u32 = 8_192;

/// How long a gateway holds a question at a time; then it is asked again.
const HELD: Duration = Duration::from_secs(60);

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn define(command: Command) -> Command {
    let number = |name: &'static str, what: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(what)
            .value_parser(value_parser!(u64).range(1..))
            .help(help)
    };
    let text = |name: &'static str, what: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(what).help(help)
    };
    command
        .about("Run an agent inside the gate: every call is judged, what is risky waits for you")
        .after_help(
            "Examples:\n  portcullis run 'make the tests pass'\n  portcullis run --mode plan 'add a --json option'\n  \
             portcullis run --resume 4f1c 'go on'\n\n\
             The model is the one of `[guardian]` in your configuration, or the one that the options name.\n\n\
             Exit codes: 0 it is done; 1 it ended otherwise; 2 nobody can be asked here; 3 it waits for an answer; 70 it failed; 78 the \
             configuration cannot be used; 130 it was stopped.",
        )
        .arg(Arg::new("task").value_name("TASK").help("What the agent is to do; with `--resume`, what you tell it"))
        .arg(text("resume", "ID", "Go on with a conversation"))
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).conflicts_with_all(["task", "resume"]).help("List the conversations"))
        .arg(text("mode", "MODE", "The permission mode: default, plan, acceptEdits, dontAsk, bypassPermissions"))
        .arg(
            Arg::new("headless")
                .long("headless")
                .action(ArgAction::SetTrue)
                .help("Nobody sits here: what would ask is denied, or asked at a gateway"),
        )
        .arg(
            text("gateway", "URL", "Ask people at a gateway, and wait for them as long as it does; several that share a database are asked in turn")
                .action(ArgAction::Append)
                .requires("headless"),
        )
        .arg(
            text("gateway-token", "FILE", "The token to ask it with; the one for agents on this machine where it is not given")
                .value_parser(value_parser!(PathBuf))
                .requires("gateway"),
        )
        .arg(text("provider", "NAME", "The wire of the model: openai or anthropic"))
        .arg(text("base-url", "URL", "Where the model is; the provider's own address by default"))
        .arg(text("model", "NAME", "The model"))
        .arg(text("api-key-env", "NAME", "The variable that holds its key"))
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Where the agent works; the current directory by default"),
        )
        .arg(text("sandbox", "PROFILE", "The sandbox of its shell; `workspace-write` by default"))
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Further tools; `tools.toml` beside your configuration where there is one"),
        )
        .arg(number("max-steps", "NUMBER", "How many steps it may take; 50 by default"))
        .arg(number("max-seconds", "NUMBER", "How long it may take, without the time you take to answer; 300 by default"))
        .arg(number("max-per-minute", "NUMBER", "How many steps it may take in a minute; 30 by default"))
        .arg(number("max-tokens", "NUMBER", "How many tokens the model may use"))
        .arg(
            text("max-cost", "AMOUNT", "How much the model may cost, where the configuration says what tokens cost")
                .value_parser(amount),
        )
        .args(egress::configuration_arguments())
}

/// Nobody: what would ask is denied. Whoever has a queue of approvals answers here instead.
struct Nobody;

impl Responder for Nobody {
    fn ask(&self, _: &ConfirmationRequest) -> Option<intervention::Answer> {
        None
    }
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let state = listed::state(matches)?;
    if matches.get_flag("list") {
        return listed::list(&state, false, out);
    }
    let is_headless = matches.get_flag("headless");
    let mut person = if is_headless {
        None
    } else {
        let person = Person::at_terminal_beside(Some(&state)).map_err(|why| {
            Failure::denied(format_args!("nobody can be asked here: {why}")).with_help(format!(
                "{}, or use `--headless`: what would ask is then denied",
                why.help()
            ))
        })?;
        Some(person)
    };
    let (parts, _proxy) = parts(matches, &state, is_headless)?;
    let mut conversation = opened(matches, &state, parts, person.as_ref().map(Person::name))?;
    write(out, format!("conversation {}\n", conversation.id()).as_bytes())?;
    let stop = conversation.stopper();
    let interrupted = on_interrupt(&stop)?;
    Screen::on(io::stdout(), platform::columns(&io::stdout())).watch(&mut conversation);
    let status = match &mut person {
        Some(person) => attend::attended(&mut conversation, person, &stop, &mut io::stdout())?,
        None => conversation.run().map_err(|error| attend::failure(&error))?,
    };
    let exit = exit(status, interrupted.load(Ordering::Relaxed));
    if exit != Exit::Done {
        let id = conversation.id();
        let help = format!(
            "it is {}; `portcullis run --resume {id}` goes on with it\n",
            status.name().replace('_', " ")
        );
        write(out, help.as_bytes())?;
    }
    Ok(exit)
}

fn exit(status: Status, is_interrupted: bool) -> Exit {
    match status {
        Status::Finished => Exit::Done,
        Status::WaitingForConfirmation => Exit::Asked,
        _ if is_interrupted => Exit::Ended(130),
        _ => Exit::Ended(1),
    }
}

/// The first interrupt stops it before its next step, and leaves everything in order; the second one ends the process, which loses nothing but
/// the outcome of what runs just then.
fn on_interrupt(stop: &Arc<AtomicBool>) -> Result<Arc<AtomicBool>, Failure> {
    let runtime = egress::runtime()?;
    let (stop, interrupted) = (Arc::clone(stop), Arc::new(AtomicBool::new(false)));
    let noted = Arc::clone(&interrupted);
    let wait = move || {
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                noted.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(130);
            }
        });
    };
    thread::Builder::new().name("interrupts".to_owned()).spawn(wait).map_err(Failure::internal)?;
    Ok(interrupted)
}

fn mode(matches: &ArgMatches) -> Result<Option<Mode>, Failure> {
    let mode = matches.get_one::<String>("mode").map(|word| word.parse::<Mode>());
    mode.transpose().map_err(Failure::usage)
}

/// A new conversation, or the one that is to go on.
fn opened(
    matches: &ArgMatches,
    state: &Path,
    parts: Parts,
    person: Option<&str>,
) -> Result<Conversation, Failure> {
    let task = matches.get_one::<String>("task").filter(|task| !task.trim().is_empty());
    let failed = |error| attend::failure(&error);
    let Some(start) = matches.get_one::<String>("resume") else {
        let task = task.ok_or_else(|| {
            Failure::usage("what the agent is to do is missing")
                .with_help("say it: `portcullis run 'make the tests pass'`")
        })?;
        return Conversation::start(task, parts).map_err(failed);
    };
    let id = listed::found(state, start)?;
    let mut conversation = Conversation::open(&id, parts).map_err(failed)?;
    if let Some(mode) = mode(matches)? {
        let by = person.map_or_else(platform::user_name, str::to_owned);
        conversation.set_mode(mode, &by).map_err(failed)?;
    }
    if let Some(task) = task {
        conversation.send_message(task).map_err(failed)?;
    }
    Ok(conversation)
}

/// What an agent is put together of; the proxy listens as long as it is held.
fn parts(
    matches: &ArgMatches,
    state: &Path,
    is_headless: bool,
) -> Result<(Parts, Option<sandbox::Opened>), Failure> {
    let configuration = policies::load(matches)?;
    let workspace = match matches.get_one::<PathBuf>("workspace") {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().map_err(|error| {
            Failure::internal(format_args!("there is no current directory: {error}"))
        })?,
    };
    let settings = settings(matches, &configuration)?;
    let price = settings.price;
    if matches.contains_id("max-cost") && price.is_none() {
        return Err(Failure::usage("what the model costs is not known").with_help(
            "say it in your configuration, for a million tokens: `price = { input = 3.0, output = 15.0 }` in the table `[guardian]`",
        ));
    }
    let resolver = ResolverOptions {
        servers: configuration.network.name_servers.clone(),
        ..ResolverOptions::default()
    };
    let model = Remote::new(settings, resolver).map_err(Failure::configuration)?;
    let file = tools_file(matches)?;
    let mode = mode(matches)?.or(configuration.policy.permissions().mode()).unwrap_or_default();
    let profile = matches.get_one::<String>("sandbox").map_or("workspace-write", String::as_str);
    let profiles = configuration.sandbox.clone();
    let named =
        Named::find(profile, &profiles).ok_or_else(|| sandbox::unknown(profile, &profiles))?;
    let client =
        Client::new(egress::guard(&configuration.network)?, Roots::System, FetchLimits::default())
            .metered(Arc::new(ThisProcess::new(&configuration.network.options, "fetch")));
    let own = built_in(profile, Some(Arc::new(client))).map_err(Failure::internal)?;
    let (registered, permissions) = file.as_ref().map_or_else(Default::default, |file| {
        let tools: Vec<Tool> = file.registry.tools().map(|tool| Tool::clone(tool)).collect();
        (tools, file.permissions.clone())
    });
    let tools = registry(own, registered).map_err(Failure::configuration)?;
    let needs_proxy = named.connects()
        || tools.tools().any(|tool| {
            Named::find(&tool.sandbox, &profiles).is_some_and(|profile| profile.connects())
        });
    let proxy = needs_proxy.then(|| sandbox::Opened::new(matches)).transpose()?;
    let security = policies::template::rendered(&configuration, Some(mode))?;
    let session = Session::open(Options {
        configuration,
        mode: Some(mode),
        cwd: Some(workspace.to_string_lossy().into_owned()),
        ..Options::default()
    });
    let mut toolbox = Toolbox::new(tools, session, &workspace).map_err(|error| {
        Failure::usage(format_args!("cannot work in `{}`: {error}", workspace.display()))
    })?;
    toolbox = toolbox
        .with_limits(limits(
            matches,
            file.as_ref().map_or_else(Limits::default, |file| file.limits),
        ))
        .with_profiles(profiles)
        .with_state(state);
    toolbox = match file {
        Some(file) => toolbox.with_fatality(file.fatality).with_intervention(file.intervention),
        // Whoever chose to be asked about nothing is asked about what cannot be taken back, and about nothing else.
        None if mode == Mode::BypassPermissions => toolbox.with_intervention(critical_alone()?),
        None => toolbox,
    };
    if let Some(proxy) = &proxy {
        toolbox = toolbox.with_proxy(proxy.way.clone());
    }
    let gateway = asked_at(matches, state)?;
    let handler =
        (is_headless && gateway.is_none()).then(|| ConfirmationHandler::new(Arc::new(Nobody)));
    let parts = Parts {
        state: state.to_owned(),
        toolbox,
        identity: identity(&platform::user_name(), permissions),
        model: Box::new(model),
        handler,
        gateway,
        security,
        price,
    };
    Ok((parts, proxy))
}

/// Where people are asked whom nobody sees here.
fn asked_at(matches: &ArgMatches, state: &Path) -> Result<Option<Gateway>, Failure> {
    let Some(urls) = matches.get_many::<String>("gateway") else { return Ok(None) };
    let urls: Vec<String> = urls.cloned().collect();
    let token = matches.get_one::<PathBuf>("gateway-token").cloned();
    let token = token.unwrap_or_else(|| Keys::in_state(state).agents);
    let gateway = Gateway::new(&urls, &token, HELD, gateway::PATIENCE).map_err(|error| {
        Failure::configuration(error).with_help(
            "`portcullis serve` says where it listens and which file holds the token for agents",
        )
    });
    gateway.map(Some)
}

/// An amount of money, in millionths.
fn amount(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no amount: write `5` or `0.25`");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 6 || whole.is_empty() {
        return Err(wrong());
    }
    let amount = format!("{whole}{part:0<6}").parse::<u64>().map_err(|_| wrong())?;
    if amount == 0 { Err(wrong()) } else { Ok(amount) }
}

fn critical_alone() -> Result<InterventionPolicy, Failure> {
    InterventionPolicy::new(InterventionOptions {
        risk_threshold: Severity::Critical,
        confirm_unknown: false,
        confirm_irreversible: false,
        ..InterventionOptions::default()
    })
    .map_err(Failure::internal)
}

fn limits(matches: &ArgMatches, base: Limits) -> Limits {
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    Limits {
        max_iterations: number("max-steps").or(base.max_iterations),
        max_time: number("max-seconds").map(Duration::from_secs).or(base.max_time),
        actions_per_minute: number("max-per-minute").or(base.actions_per_minute),
        max_tokens: number("max-tokens").or(base.max_tokens),
        max_cost: number("max-cost").or(base.max_cost),
        ..base
    }
}

/// The file of tools that was named, or the usual one where it is there.
fn tools_file(matches: &ArgMatches) -> Result<Option<ToolsFile>, Failure> {
    let named = matches.get_one::<PathBuf>("tools").cloned();
    let usual = || default_path(&Directories::from_environment()).filter(|path| path.exists());
    match named.or_else(usual) {
        Some(path) => ToolsFile::read(&path).map(Some).map_err(Failure::configuration),
        None => Ok(None),
    }
}

/// Which model is asked.
fn settings(matches: &ArgMatches, configuration: &Configuration) -> Result<Settings, Failure> {
    let text = |name: &str| matches.get_one::<String>(name);
    let provider = match text("provider").map(String::as_str) {
        None => None,
        Some("openai") => Some(Provider::OpenAi),
        Some("anthropic") => Some(Provider::Anthropic),
        Some(other) => {
            return Err(Failure::usage(format_args!("`{other}` is no provider"))
                .with_help("it is `openai` or `anthropic`"));
        }
    };
    let configured = configuration.guardian.clone();
    let mut settings = match (provider, configured) {
        (None, Some(configured)) => configured,
        (Some(provider), Some(configured)) if configured.provider == provider => configured,
        (Some(provider), _) => Settings::new(provider, provider.base_url(), ""),
        (None, None) => {
            return Err(Failure::configuration("there is no model").with_help(
                "name one with `--provider` and `--model`, or add a `[guardian]` table to your configuration",
            ));
        }
    };
    if let Some(url) = text("base-url") {
        check_url(url, false).map_err(|(message, help)| Failure::usage(message).with_help(help))?;
        // A key goes to nobody whom it was not given for.
        if *url != settings.base_url {
            settings.key = KeySource::None;
        }
        settings.base_url.clone_from(url);
    }
    if let Some(model) = text("model") {
        settings.model.clone_from(model);
    }
    if let Some(name) = text("api-key-env") {
        settings.key = KeySource::Environment(name.clone());
    }
    if settings.model.is_empty() {
        return Err(Failure::usage("which model is missing").with_help("name it with `--model`"));
    }
    settings.max_output_tokens = settings.max_output_tokens.max(ANSWER);
    settings.timeout = settings.timeout.max(PATIENCE);
    Ok(settings)
}
