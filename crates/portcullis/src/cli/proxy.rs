//! `proxy`: the way out for programs. Owns the options, who gets a password, and that each connection stands in the record; where
//! a connection may lead, `portcullis_net` says.

use std::{io::Write, net::SocketAddr, time::Duration};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use portcullis_core::decision::Verdict;
use portcullis_net::proxy::{Attempt, Credentials, Proxy, ProxyOptions, Witness};
use serde_json::json;

use super::{Exit, Failure, egress, json_flag, shown, signals, write_json};
use crate::{
    audit::{self, Entry, Kind, Log},
    config::{Audit, Lock, OnFailure, is_session_word},
    session::record_is_unwanted,
    wire::VERSION,
};

/// The session that there is where none is named.
const SESSION: &str = "agent";

pub(super) fn define(command: Command) -> Command {
    let number = |name: &'static str| {
        Arg::new(name).long(name).value_name("NUMBER").value_parser(value_parser!(u64).range(1..))
    };
    command
        .about("Let programs out to the Internet, and to nothing else, over HTTP and SOCKS5")
        .after_help(
            "Examples:\n  portcullis proxy --listen 127.0.0.1:3128\n  portcullis proxy --session build --session tests --default-deny --json\n  portcullis proxy --session build.npm --session build.git\n\n\
             It says one URL for each session, or tool of a session; a program takes it as `https_proxy`, `curl --proxy` or `pip --proxy`. Whoever knows\n\
             no session's password is not let through. Every connection stands in the record before it is made, and with its\n\
             bytes when it has ended. `[network]` in the configuration says what may be connected to, and how much.\n\n\
             It ends with SIGINT or SIGTERM, when the connections have ended or ten seconds later.",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value("127.0.0.1:0")
                .value_parser(value_parser!(SocketAddr))
                .help("Where it listens"),
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A session with a password of its own, or a tool of one as `SESSION.TOOL`; `agent` where none is named"),
        )
        .arg(
            Arg::new("default-deny")
                .long("default-deny")
                .action(ArgAction::SetTrue)
                .help("Deny every host that the configuration does not allow"),
        )
        .arg(
            Arg::new("any-name")
                .long("any-name")
                .action(ArgAction::SetTrue)
                .help("Let encrypted connections greet another host than the one that was asked for"),
        )
        .arg(number("max-connections").help("The most connections at once; 2048 by default"))
        .arg(number("rate").help("The most connections of one session in a minute; 6000 by default"))
        .arg(number("idle").value_name("SECONDS").help("How long a connection may say nothing; 120 by default"))
        .arg(json_flag().help("Say in one line of JSON where it listens, and the passwords"))
        .args(egress::configuration_arguments())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = egress::configuration(matches)?;
    let mut network = configuration.network.clone();
    network.options.default_deny |= matches.get_flag("default-deny");
    let named = matches.get_many::<String>("session").into_iter().flatten().cloned();
    let mut names: Vec<String> = named.collect();
    if names.is_empty() {
        names.push(SESSION.to_owned());
    }
    if let Some(bad) = names.iter().find(|name| !is_name(name)) {
        return Err(Failure::usage(format_args!("`{bad}` is not the name of a session"))
            .with_help("use letters, digits, `-` and `_`, with a dot before the name of a tool"));
    }
    let sessions = names.into_iter().map(Credentials::random).collect::<Result<Vec<_>, _>>();
    let sessions = sessions.map_err(Failure::internal)?;
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let mut options = ProxyOptions {
        guard: egress::guard(&network)?,
        sessions: sessions.clone(),
        check_names: !matches.get_flag("any-name"),
        ..ProxyOptions::default()
    };
    if let Some(most) = number("max-connections") {
        options.most_connections = usize::try_from(most).unwrap_or(usize::MAX).min(1 << 20);
    }
    if let Some(rate) = number("rate") {
        options.rate = rate;
    }
    if let Some(seconds) = number("idle") {
        options.idle = Duration::from_secs(seconds);
    }
    let is_locked = configuration.is_locked(Lock::Audit);
    let witness = Keeper::open(&configuration.audit, is_locked)?;
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    let listen = listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::internal)?;
    runtime.block_on(async {
        let proxy = Proxy::bind(listen, options, Box::new(witness)).await.map_err(|error| {
            Failure::internal(format_args!("cannot listen at {listen}: {error}"))
        })?;
        let address = proxy.address();
        let url = |one: &Credentials| format!("http://{}:{}@{address}", one.session, one.password);
        if matches.get_flag("json") {
            let shapes: Vec<_> = sessions
                .iter()
                .map(|one| json!({ "session": one.session, "password": one.password, "proxy_url": url(one) }))
                .collect();
            write_json(out, &json!({ "v": VERSION, "listening": address, "sessions": shapes }))?;
        } else {
            let mut text = format!("listening at {address}\n");
            for one in &sessions {
                text.push_str(&format!("  {}: {}\n", one.session, url(one)));
            }
            shown(out, &text)?;
        }
        let stop = proxy.stop();
        let signals = signals::when_asked_to_end(move || stop.stop())?;
        proxy.run().await;
        signals.abort();
        Ok(Exit::Done)
    })
}

/// `SESSION` or `SESSION.TOOL`.
fn is_name(name: &str) -> bool {
    match name.split_once('.') {
        Some((session, tool)) => is_session_word(session) && is_session_word(tool),
        None => is_session_word(name),
    }
}

/// Keeps the record of connections.
pub(super) struct Keeper {
    log: Option<Log>,
    on_failure: OnFailure,
    /// The number of the next connection that stands in no record.
    unrecorded: u64,
}

impl Keeper {
    pub(super) fn open(audit: &Audit, is_locked: bool) -> Result<Self, Failure> {
        let is_off = !audit.enabled || record_is_unwanted() && !is_locked;
        let mut keeper = Self { log: None, on_failure: audit.on_failure, unrecorded: 0 };
        if is_off {
            keeper.on_failure = OnFailure::Warn;
            return Ok(keeper);
        }
        let opened =
            audit::directory(audit.path.as_deref()).and_then(|directory| Log::open(&directory));
        match opened {
            Ok(log) => keeper.log = Some(log),
            Err(error) if audit.on_failure == OnFailure::Deny => {
                return Err(Failure::internal(format_args!(
                    "connections cannot be recorded: {error}"
                )));
            }
            Err(_) => {}
        }
        Ok(keeper)
    }
}

impl Witness for Keeper {
    fn decided(&mut self, attempt: &Attempt) -> Result<u64, String> {
        let Attempt { session, method, target, addresses, refusal } = attempt;
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        let mut preview = format!("{method} {target}");
        if !addresses.is_empty() {
            preview.push_str(&format!(" at {}", addresses.join(", ")));
        }
        let entry = Entry {
            tool: Some("proxy".to_owned()),
            class: Some("network".to_owned()),
            decision: Some(if refusal.is_some() { Verdict::Deny } else { Verdict::Allow }),
            reason: refusal.clone(),
            preview: Some(preview),
            session: Some(session.clone()),
            ..Entry::new(Kind::Decision)
        };
        let Some(log) = &mut self.log else {
            self.unrecorded += 1;
            return Ok(self.unrecorded);
        };
        match (log.append(&entry), self.on_failure) {
            (Ok(appended), _) => Ok(appended.anchor.sequence),
            (Err(error), OnFailure::Deny) => Err(error.to_string()),
            (Err(_), OnFailure::Warn) => Ok(0),
        }
    }

    fn ended(&mut self, number: u64, sent: u64, received: u64, how: &str) {
        let Some(log) = &mut self.log else { return };
        let outcome = format!("{how}; sent {sent} bytes, received {received}");
        // It is over: what cannot be recorded now can no longer be prevented.
        let _lost = log.append(&Entry::outcome(number, outcome));
    }
}
