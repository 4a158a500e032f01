//! `fetch`: a URL, under the guard. Owns the options, what is shown while it takes its time, and where the answer goes; what may be
//! connected to and how redirects are followed, `portcullis_net` says.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use portcullis_core::{inspect::inspect, network::Budget, redact::redact, secrets::redacted};
use portcullis_net::{Client, Hop, Limits, Meter, Progress, Request, Response, Roots, ThisProcess};
use serde::Serialize;

use super::{Exit, Failure, egress, json_flag, write, write_json};
use crate::{
    audit,
    config::{Configuration, is_session_word},
    report::visible,
    spending::SessionMeter,
    wire::{PlantedShape, SecretShape, VERSION},
};

/// The tool whose budget counts where none is named.
const TOOL: &str = "fetch";

/// How often the progress is drawn.
const DRAWN: Duration = Duration::from_millis(200);

pub(super) fn define(command: Command) -> Command {
    command
        .about("Fetch a URL that leads to no private network, whatever a name server or a redirect says")
        .after_help(
            "Examples:\n  portcullis fetch https://example.com/\n  portcullis fetch --inspect https://example.com/ --output page.html\n  \
             portcullis fetch -X POST -H 'content-type: application/json' --data '{}' https://api.example.com/v1/items\n\n\
             Every redirect is judged like the first URL. Another origin gets none of the headers that could say who asks.\n\
             No environment variable sends it through a proxy.\n\n\
             Exit codes: 0 fetched, whatever the status; 2 refused, or with `--inspect` something was noticed; 70 it failed.",
        )
        .arg(Arg::new("url").value_name("URL").required(true).help("The URL"))
        .arg(Arg::new("method").short('X').long("method").value_name("METHOD").help("`GET`, or `POST` with `--data`, by default"))
        .arg(
            Arg::new("header")
                .short('H')
                .long("header")
                .value_name("NAME: VALUE")
                .action(ArgAction::Append)
                .help("A header; it goes to the first origin alone, unless it says nothing about who asks"),
        )
        .arg(Arg::new("data").long("data").value_name("TEXT").help("What is sent"))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write the body to a file that is not there yet"),
        )
        .arg(
            Arg::new("max-bytes")
                .long("max-bytes")
                .value_name("NUMBER")
                .value_parser(value_parser!(u64))
                .help("The most bytes of the body, unpacked; 10485760 by default"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=86_400))
                .help("How long all of it may take; 60 by default"),
        )
        .arg(
            Arg::new("max-redirects")
                .long("max-redirects")
                .value_name("NUMBER")
                .value_parser(value_parser!(u8).range(0..=5))
                .help("How many redirects are followed; 5 by default and at most"),
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("NAME")
                .help("Count what is used against the budget of this session, with what its other calls use"),
        )
        .arg(
            Arg::new("tool")
                .long("tool")
                .value_name("NAME")
                .help("Count it against the budget of this tool too; `fetch` by default"),
        )
        .arg(
            Arg::new("inspect")
                .long("inspect")
                .action(ArgAction::SetTrue)
                .help("Look for secrets and planted instructions in the answer, and give it without the secrets"),
        )
        .arg(
            Arg::new("cacert")
                .long("cacert")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Trust these certificate authorities, in PEM, and no others"),
        )
        .arg(json_flag().help("Answer in JSON, with the hops and the headers"))
        .args(egress::configuration_arguments())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = egress::configuration(matches)?;
    let guard = egress::guard(&configuration.network)?;
    let client = Client::new(guard, roots(matches)?, limits(matches))
        .metered(meter(matches, &configuration)?);
    let request = request(matches)?;
    let mut shown = Shown::new();
    let fetched =
        egress::runtime()?.block_on(client.fetch(request, &mut |progress| shown.draw(progress)));
    shown.end();
    let response = fetched.map_err(|failure| refused(&failure))?;
    let text = String::from_utf8_lossy(&response.body);
    let seen = matches.get_flag("inspect").then(|| inspect(&text));
    let noticed =
        seen.as_ref().is_some_and(|seen| !seen.secrets.is_empty() || !seen.planted.is_empty());
    let safe = seen.as_ref().filter(|seen| !seen.secrets.is_empty()).map(|_| redacted(&text));
    let body: &[u8] = safe.as_ref().map_or(response.body.as_slice(), |safe| safe.as_bytes());
    if let Some(path) = matches.get_one::<PathBuf>("output") {
        save(path, body)?;
    }
    if matches.get_flag("json") {
        let saved = matches.contains_id("output");
        let body = (!saved).then(|| String::from_utf8_lossy(body).into_owned());
        write_json(out, &FetchAnswer::new(&response, body, seen.as_ref()))?;
    } else {
        if let Some(seen) = &seen {
            say_seen(seen, &text);
        }
        if !matches.contains_id("output") {
            write(out, body)?;
        }
    }
    Ok(if noticed { Exit::Denied } else { Exit::Done })
}

fn request(matches: &ArgMatches) -> Result<Request, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let headers = matches.get_many::<String>("header").into_iter().flatten();
    let headers = headers
        .map(|header| match header.split_once(':') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Failure::usage("a header is written as `NAME: VALUE`")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let data = text("data");
    let method =
        text("method").unwrap_or_else(|| if data.is_some() { "POST" } else { "GET" }.to_owned());
    Ok(Request {
        method,
        url: text("url").unwrap_or_default(),
        headers,
        body: data.map(String::into_bytes),
    })
}

/// Counts what is used: in the session's file, or for this process alone.
fn meter(matches: &ArgMatches, configuration: &Configuration) -> Result<Arc<dyn Meter>, Failure> {
    let options = &configuration.network.options;
    let word = |name: &str| match matches.get_one::<String>(name) {
        Some(word) if !is_session_word(word) => {
            Err(Failure::usage(format_args!("`{word}` is not the name of a {name}"))
                .with_help("use letters, digits, `-` and `_`"))
        }
        word => Ok(word.map(String::as_str)),
    };
    let tool = word("tool")?.unwrap_or(TOOL);
    let Some(session) = word("session")? else {
        return Ok(Arc::new(ThisProcess::new(options, tool)));
    };
    if options.budget == Budget::default() && options.budget_of_tool(tool) == Budget::default() {
        return Ok(Arc::new(ThisProcess::new(options, tool)));
    }
    let state = audit::directory(configuration.audit.path.as_deref()).map_err(Failure::internal)?;
    Ok(Arc::new(SessionMeter::new(&state, session, tool, options)))
}

fn limits(matches: &ArgMatches) -> Limits {
    let mut limits = Limits::default();
    if let Some(most) = matches.get_one::<u64>("max-bytes") {
        limits.body = *most;
    }
    if let Some(seconds) = matches.get_one::<u64>("timeout") {
        limits.time = Duration::from_secs(*seconds);
    }
    if let Some(redirects) = matches.get_one::<u8>("max-redirects") {
        limits.redirects = usize::from(*redirects);
    }
    limits
}

fn roots(matches: &ArgMatches) -> Result<Roots, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("cacert") else { return Ok(Roots::System) };
    fs::read(path).map(Roots::Pem).map_err(|error| {
        Failure::bad_input(format_args!("cannot read `{}`: {error}", path.display()))
    })
}

/// What was refused ends as what is denied; what merely failed does not.
pub(super) fn refused(failure: &portcullis_net::Failure) -> Failure {
    let message = redact(&failure.to_string()).into_owned();
    let shown = match failure {
        portcullis_net::Failure::BadRequest(_) => Failure::usage(message),
        _ if failure.is_refusal() => Failure::denied(message),
        _ => Failure::internal(message),
    };
    match failure.help() {
        Some(help) => shown.with_help(help),
        None => shown,
    }
}

/// Writes a file that is not there yet: a page has no say over what is.
fn save(path: &PathBuf, body: &[u8]) -> Result<(), Failure> {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(body)).map_err(|error| {
        Failure::bad_input(format_args!("cannot write `{}`: {error}", path.display()))
    })
}

/// What was noticed, beside the body.
fn say_seen(seen: &portcullis_core::inspect::Inspection, text: &str) {
    let mut lines = String::new();
    for secret in &seen.secrets {
        let excerpt = visible::line(&secret.excerpt);
        lines.push_str(&format!("noticed: {} at line {}: {excerpt}\n", secret.name(), secret.line));
    }
    for planted in &seen.planted {
        let words = redacted(planted.span.of(text));
        lines.push_str(&format!(
            "noticed: words that tell an agent what to do: `{}`\n",
            visible::line(&words)
        ));
    }
    // Nobody is there to tell where standard error is closed; the exit code says it too.
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// The progress of a download that takes long enough to be watched.
struct Shown {
    next: Instant,
    is_seen: bool,
    is_drawn: bool,
}

impl Shown {
    fn new() -> Self {
        Self { next: Instant::now() + DRAWN, is_seen: io::stderr().is_terminal(), is_drawn: false }
    }

    fn draw(&mut self, progress: Progress<'_>) {
        if !self.is_seen || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + DRAWN;
        self.is_drawn = true;
        let of = progress.expected.map_or_else(String::new, |expected| format!(" of {expected}"));
        let _ = write!(io::stderr(), "\r{}{of} bytes", progress.received);
    }

    fn end(&self) {
        if self.is_drawn {
            let _ = writeln!(io::stderr());
        }
    }
}

/// What was fetched.
#[derive(Serialize)]
struct FetchAnswer<'a> {
    v: u64,
    status: u16,
    url: String,
    hops: Vec<HopShape>,
    headers: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    secrets: Option<Vec<SecretShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    injection_findings: Option<Vec<PlantedShape>>,
}

#[derive(Serialize)]
struct HopShape {
    url: String,
    status: u16,
    address: String,
}

impl<'a> FetchAnswer<'a> {
    fn new(
        response: &Response,
        body: Option<String>,
        seen: Option<&'a portcullis_core::inspect::Inspection>,
    ) -> Self {
        let hop = |hop: &Hop| HopShape {
            url: redact(&hop.url).into_owned(),
            status: hop.status,
            address: hop.address.clone(),
        };
        let header = |(name, value): &(String, Vec<u8>)| {
            [name.clone(), redact(&String::from_utf8_lossy(value)).into_owned()]
        };
        Self {
            v: VERSION,
            status: response.status,
            url: redact(&response.url).into_owned(),
            hops: response.hops.iter().map(hop).collect(),
            headers: response.headers.iter().map(header).collect(),
            body,
            bytes: response.body.len(),
            secrets: seen.map(|seen| seen.secrets.iter().map(SecretShape::from).collect()),
            injection_findings: seen
                .map(|seen| seen.planted.iter().map(PlantedShape::from).collect()),
        }
    }
}
