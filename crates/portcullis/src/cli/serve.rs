//! `serve`: the gate over HTTP. Owns the options, and what is said once it listens; the gateway itself is [`crate::gateway`].

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};
use portcullis_core::{approval::TwoPeople, risk::Severity};
use serde_json::json;

use super::{
    Exit, Failure, audit::failure as unusable, database, duration, json_flag, policy, shown,
    signals, write_json,
};
use crate::{
    approvals::{Book, MAX_TIMEOUT, Source, TIMEOUT, Template, Webhook},
    audit,
    config::LocalTokens,
    gateway::{AGENTS, Options, Place, ServeError, Serving, TlsFiles, cedar, is_name},
    remote::{KeyError, Keys},
    session,
    wire::VERSION,
};

pub(super) fn define(command: Command) -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help(help)
    };
    command
        .about("Judge calls over HTTP, and let people decide in a browser")
        .after_help(
            "Examples:\n  portcullis serve\n  portcullis serve --listen 127.0.0.1:4180 --two-people critical --json\n  \
             portcullis serve --listen 0.0.0.0:4180 --host gate.example --tls-certificate cert.pem --tls-key key.pem\n  \
             portcullis serve --database postgres://gate@db.example/portcullis --database-password password --name gate-a\n\n\
             It says where the inbox is, and which files hold the tokens: one for you, one for your agents. The record, the requests and\n\
             the tokens are kept in the state directory, or in a database that gateways of many machines share. `/openapi.json` describes every route.\n\n\
             It ends with SIGINT or SIGTERM, when what was begun has ended or ten seconds later.",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value("127.0.0.1:4180")
                .value_parser(value_parser!(SocketAddr))
                .help("Where it listens; port 0 takes a free one"),
        )
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("DIR")
                .value_parser(ValueParser::path_buf())
                .help("The state directory, in place of the configuration's"),
        )
        .args(database::options())
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("What this gateway is called among those that share a database; the name of the machine by default"),
        )
        .arg(
            Arg::new("migrate")
                .long("migrate")
                .action(ArgAction::SetTrue)
                .help("Make the tables of the database, or bring them up to this version, and end"),
        )
        .arg(file("config", "Read the configuration from this file instead of the usual places"))
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A name under which it is reached, beside those of this machine"),
        )
        .arg(
            Arg::new("public-url")
                .long("public-url")
                .value_name("URL")
                .help("Where people reach it, also behind a proxy and with a path: `https://tools.example/gate/`"),
        )
        .arg(file("tls-certificate", "The certificates in PEM, its own first").requires("tls-key"))
        .arg(file("tls-key", "Their key in PEM").requires("tls-certificate"))
        .arg(
            Arg::new("unencrypted")
                .long("unencrypted")
                .action(ArgAction::SetTrue)
                .help("Listen to other machines without encryption: something in front of it encrypts"),
        )
        .arg(Arg::new("timeout").long("timeout").value_name("DURATION").help(
            "How long a decision is waited for: `90s`, `5m` (the default), `2h`, at most `30d`",
        ))
        .arg(
            Arg::new("two-people")
                .long("two-people")
                .value_name("RISK")
                .help("From this risk on two different people must agree: low, medium, high, critical"),
        )
        .arg(
            Arg::new("person")
                .long("person")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Make a token for this person, in a file: only tokens made here count where two people must agree"),
        )
        .arg(
            Arg::new("rate")
                .long("rate")
                .value_name("NUMBER")
                .value_parser(value_parser!(u32).range(1..))
                .help("How many requests one client may send in a second; 20000 by default"),
        )
        .arg(
            Arg::new("max-connections")
                .long("max-connections")
                .value_name("NUMBER")
                .value_parser(value_parser!(u32).range(1..1_000_000))
                .help("The most connections at once; 16384 by default"),
        )
        .arg(
            Arg::new("webhook")
                .long("webhook")
                .value_name("URL")
                .action(ArgAction::Append)
                .help("Tell this URL of each request: `slack+https://…`, `teams+`, `discord+`, or JSON"),
        )
        .arg(
            file("webhook-secret", "What requests to webhooks are signed with (HMAC-SHA-256)")
                .requires("webhook"),
        )
        .arg(
            Arg::new("notify")
                .long("notify")
                .action(ArgAction::SetTrue)
                .help("Show a note of each request on this desktop"),
        )
        .arg(json_flag().help("Say in one line of JSON where it listens, and where the tokens are"))
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = policy::load(matches)?;
    let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
    let state = audit::directory(given.or(configuration.audit.path.as_deref()))
        .map_err(|error| unusable(&error))?;
    let mut configuration = configuration;
    configuration.audit.path = Some(state.clone());
    let name = matches.get_one::<String>("name").map(String::as_str);
    let source = database::source(matches, &configuration.serve, &state, name)?;
    if matches.get_flag("migrate") {
        return migrated(source.as_ref(), out);
    }
    let source = source.unwrap_or_else(|| Source::directory(&state));
    let mut book = Book::of(&source).map_err(|error| unusable(&error))?;
    let keys = Keys::prepare(&state, &mut book).map_err(unkept)?;
    let people = people(matches, &state, &mut book)?;
    if !source.is_shared() {
        // A file is closed once: what was written ahead stands in it from then on.
        drop(book);
        book = Book::of(&source).map_err(|error| unusable(&error))?;
    }
    let over =
        configuration.serve.cedar.as_ref().map(cedar::over).transpose().map_err(|error| {
            Failure::configuration(format_args!("the table `serve.cedar` cannot be used: {error}"))
                .with_help(error.help())
        })?;
    let session = session::Options {
        configuration,
        from_elsewhere: true,
        over,
        ..session::Options::default()
    };
    let tokens = session.configuration.team.tokens;
    let options = options(matches, (state, (source, book)), session)?;
    let is_tls = options.tls.is_some();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::internal)?;
    runtime.block_on(async {
        let serving = Serving::bind(options).await.map_err(|error| match error {
            ServeError::Store(error) => unusable(&error),
            error @ (ServeError::Certificate { .. } | ServeError::Team(_)) => Failure::configuration(error),
            other => Failure::internal(other)
                .with_help("take another port with `--listen`, or end what holds this one"),
        })?;
        let scheme = if is_tls { "https" } else { "http" };
        let url = format!("{scheme}://{}", serving.address());
        if matches.get_flag("json") {
            write_json(
                out,
                &json!({
                    "v": VERSION, "listening": url, "token_file": keys.person, "agents_token_file": keys.agents,
                    "people": people.iter().cloned().collect::<BTreeMap<_, _>>(),
                }),
            )?;
        } else {
            let mut text = format!("the inbox is at {url}/\n");
            if tokens == LocalTokens::All {
                text.push_str(&format!("  log in with the token in {}\n", keys.person.display()));
            }
            if tokens != LocalTokens::None {
                let file = keys.agents.display();
                text.push_str(&format!("  agents ask with the token in {file}\n"));
            }
            for (name, file) in &people {
                text.push_str(&format!("  {name} logs in with the token in {}\n", file.display()));
            }
            shown(out, &text)?;
        }
        let stop = serving.stop();
        let signals = signals::when_asked_to_end(move || stop.stop())?;
        serving.run().await;
        signals.abort();
        Ok(Exit::Done)
    })
}

/// Makes the tables that gateways share.
fn migrated(source: Option<&Source>, out: &mut dyn Write) -> Result<Exit, Failure> {
    match source {
        #[cfg(feature = "postgres")]
        Some(Source::Database(database)) => {
            database.migrate().map_err(|error| unusable(&error))?;
            shown(out, &format!("{} has the tables of this version\n", database.words()))
        }
        _ => Err(Failure::usage("there is no database whose tables could be made")
            .with_help("name it with `--database`, or in the table `serve` of the configuration")),
    }
}

fn options(
    matches: &ArgMatches,
    (state, store): (PathBuf, (Source, Book)),
    session: session::Options,
) -> Result<Options, Failure> {
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    let listen = listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 4180)));
    let file = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    let tls = match (file("tls-certificate"), file("tls-key")) {
        (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
        _ => None,
    };
    if tls.is_none() && !listen.ip().is_loopback() && !matches.get_flag("unencrypted") {
        return Err(Failure::usage(format_args!(
            "`{listen}` is reached by other machines, and tokens would cross the network unencrypted"
        ))
        .with_help("give `--tls-certificate` and `--tls-key`, or `--unencrypted` behind something that encrypts"));
    }
    let timeout = match matches.get_one::<String>("timeout") {
        None => TIMEOUT,
        Some(word) => duration::parsed(word)
            .and_then(|length| Duration::try_from(length).ok())
            .filter(|length| !length.is_zero() && *length <= MAX_TIMEOUT)
            .ok_or_else(|| {
                Failure::usage(format_args!("`{word}` is not a length of time up to 30 days"))
                    .with_help("expected something like `90s`, `5m`, or `2h`")
            })?,
    };
    let two_people = match matches.get_one::<String>("two-people") {
        None => TwoPeople::Never,
        Some(word) => {
            let risk = Severity::ALL.into_iter().find(|severity| severity.name() == word);
            TwoPeople::From(risk.ok_or_else(|| {
                Failure::usage(format_args!("`{word}` is not a risk"))
                    .with_help("expected low, medium, high, or critical")
            })?)
        }
    };
    let webhooks = webhooks(matches)?;
    let place = match matches.get_one::<String>("public-url").or(session
        .configuration
        .serve
        .url
        .as_ref())
    {
        None => None,
        Some(url) => Some(Place::read(url).map_err(|why| {
            Failure::usage(format_args!("nobody reaches the gateway at `{url}`: {why}"))
                .with_help("write it as people open it: `https://tools.example/gate/`")
        })?),
    };
    let is_encrypted_before = tls.is_none() && matches.get_flag("unencrypted");
    let hosts = matches.get_many::<String>("host").into_iter().flatten().cloned().collect();
    let connections = matches.get_one::<u32>("max-connections");
    Ok(Options {
        listen,
        hosts,
        place,
        tls,
        is_encrypted_before,
        state,
        store,
        session,
        timeout,
        two_people,
        rate: matches.get_one::<u32>("rate").copied().unwrap_or(Options::RATE),
        connections: connections
            .and_then(|most| usize::try_from(*most).ok())
            .unwrap_or(Options::CONNECTIONS),
        webhooks,
        notify: matches.get_flag("notify"),
    })
}

fn unkept(error: KeyError) -> Failure {
    match error {
        KeyError::Store(error) => unusable(&error),
        other => Failure::internal(other),
    }
}

/// Who else decides, with the file of their token.
fn people(
    matches: &ArgMatches,
    state: &Path,
    book: &mut Book,
) -> Result<Vec<(String, PathBuf)>, Failure> {
    let names = matches.get_many::<String>("person").into_iter().flatten();
    let one = |name: &String| {
        if !is_name(name) || name == AGENTS {
            return Err(Failure::usage(format_args!("nobody can be named `{name}` here"))
                .with_help("expected 1 to 64 letters, digits, `-`, `_`, `.` or `@`"));
        }
        let file = Keys::person(state, name, book).map_err(unkept)?;
        Ok((name.clone(), file))
    };
    names.map(one).collect()
}

/// Who is told of each request.
fn webhooks(matches: &ArgMatches) -> Result<Vec<Webhook>, Failure> {
    let secret = matches.get_one::<PathBuf>("webhook-secret").map(|path| {
        fs::read(path).map(|bytes| bytes.trim_ascii().to_vec()).map_err(|error| {
            Failure::configuration(format_args!("cannot read `{}`: {error}", path.display()))
        })
    });
    let secret = secret.transpose()?;
    if secret.as_ref().is_some_and(Vec::is_empty) {
        return Err(Failure::configuration("the secret for webhooks is empty"));
    }
    let urls = matches.get_many::<String>("webhook").into_iter().flatten();
    let one = |url: &String| {
        let named = Template::ALL.into_iter().find_map(|template| {
            Some((template, url.strip_prefix(template.name())?.strip_prefix('+')?))
        });
        let (template, url) = named.unwrap_or((Template::Json, url));
        Webhook::new(url, secret.clone(), template, None).map_err(Failure::usage)
    };
    urls.map(one).collect()
}
