//! `audit export`: the record for other programs, once or as it grows. Owns the options; the formats are those of [`crate::audit::export`], and how
//! records come to other machines is [`crate::shipping`]'s.

use std::{
    fs,
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use portcullis_net::Roots;
use tokio::sync::watch;

use super::{Exit, Failure, failure, signals};
use crate::{
    audit::{
        Filter, Log,
        export::{self, ExportError, Format},
    },
    private,
    report::visible,
    shipping::{
        BadDestination, Collector, Cursor, CursorError, Shipped, Shipping, ShippingError, Sink,
        Syslog,
    },
};

/// How often it is looked for what is new.
const LOOK: Duration = Duration::from_millis(500);

/// The longest file of a token.
const LONGEST_TOKEN: u64 = 8 << 10;

pub(super) fn define(command: Command) -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help(help)
    };
    let url = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("URL").help(help)
    };
    command
        .about("Write the record for other programs, once or as it grows")
        .after_help(
            "With a cursor each record is delivered at least once, whatever ends in between: the cursor is written after a delivery, and the next run goes on \
             from it. Every record has an id of its own, its hash.\n\n\
             Exit codes: 0 delivered, 65 a record cannot be read or is not the one that was delivered, 70 nobody took it",
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(Format::ALL.map(Format::name))
                .default_value("jsonl")
                .help("The format"),
        )
        .args([
            Arg::new("follow")
                .long("follow")
                .action(ArgAction::SetTrue)
                .conflicts_with("limit")
                .help("Go on with what is recorded later, until it is ended"),
            path("to", "Add lines to this file; its cursor is beside it"),
            url("syslog", "Send messages to this server of syslog: `tls://host:port`"),
            url("otlp", "Send logs to this collector of OpenTelemetry, by HTTP as JSON"),
            path("cursor", "Keep in this file how far it came, and go on from there")
                .conflicts_with("limit"),
            path("cacert", "Trust these certificates, in PEM, in place of the system's"),
            path("token", "A file with the token for the collector").requires("otlp"),
        ])
        .group(clap::ArgGroup::new("destination").args(["to", "syslog", "otlp"]))
}

pub(super) fn run(
    matches: &ArgMatches,
    log: &mut Log,
    filter: Filter,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let name = matches.get_one::<String>("format").map_or("", String::as_str);
    let format = Format::ALL.into_iter().find(|format| format.name() == name);
    let format = format.unwrap_or(Format::JsonLines);
    let is_whole = !matches.get_flag("follow")
        && !["to", "syslog", "otlp", "cursor"].iter().any(|name| matches.contains_id(name));
    if is_whole {
        return whole(log, &filter, format, out);
    }
    if format == Format::Csv {
        return Err(Failure::usage("`csv` has a header, and is written whole or not at all")
            .with_help("take `jsonl`, `ocsf` or `cef`"));
    }
    if filter.limit.is_some() {
        return Err(Failure::usage("`--limit` chooses among what is there already")
            .with_help("write it to a file with `>`"));
    }
    let cursor = cursor(matches)?;
    cursor.fits(log).map_err(|error| unfit(&error))?;
    let sink = sink(matches, &cursor, out)?;
    shipped(matches.get_flag("follow"), log, (sink, cursor), (filter, format))
}

/// Everything that is there, at once.
fn whole(
    log: &mut Log,
    filter: &Filter,
    format: Format,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    match export::export(log, filter, format, out) {
        Ok(_) => Ok(Exit::Done),
        Err(ExportError::Audit(error)) => Err(failure(&error)),
        Err(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Exit::Done)
        }
        Err(error) => Err(Failure::internal(error)),
    }
}

fn cursor(matches: &ArgMatches) -> Result<Cursor, Failure> {
    let path = |name| matches.get_one::<PathBuf>(name);
    let beside = path("to").map(|to| {
        let mut name = to.as_os_str().to_owned();
        name.push(".cursor");
        PathBuf::from(name)
    });
    let is_sent = matches.contains_id("syslog") || matches.contains_id("otlp");
    match path("cursor").cloned().or(beside) {
        Some(path) => Cursor::open(&path).map_err(|error| unfit(&error)),
        None if is_sent && matches.get_flag("follow") => Err(Failure::usage(
            "without a cursor all records would be sent again at the next start",
        )
        .with_help("name a file for it with `--cursor`")),
        None => Ok(Cursor::fresh()),
    }
}

fn unfit(error: &CursorError) -> Failure {
    match error {
        CursorError::Replaced { .. } => Failure::bad_input(error).with_help(
            "`portcullis audit verify` tells; another cursor begins at the first record",
        ),
        CursorError::Foreign { .. } => {
            Failure::bad_input(error).with_help("name another file with `--cursor`")
        }
        _ => Failure::internal(error),
    }
}

fn sink<'o>(
    matches: &ArgMatches,
    cursor: &Cursor,
    out: &'o mut dyn Write,
) -> Result<Sink<'o>, Failure> {
    let bad = |error: BadDestination| Failure::usage(visible::line(&error.to_string()));
    let text = |name| matches.get_one::<String>(name);
    if let Some(path) = matches.get_one::<PathBuf>("to") {
        return Sink::file(path, cursor).map_err(|error| {
            Failure::internal(format_args!("cannot write `{}`: {error}", path.display()))
        });
    }
    if let Some(url) = text("syslog") {
        return Syslog::new(url, roots(matches)?).map(Sink::Syslog).map_err(bad);
    }
    if let Some(url) = text("otlp") {
        let token = matches.get_one::<PathBuf>("token").map(|path| bearer(path)).transpose()?;
        let headers = token.into_iter().collect();
        return Collector::new(url, roots(matches)?, headers).map(Sink::Collector).map_err(bad);
    }
    Ok(Sink::Out(out))
}

pub(super) fn roots(matches: &ArgMatches) -> Result<Roots, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("cacert") else { return Ok(Roots::System) };
    fs::read(path).map(Roots::Pem).map_err(|error| {
        Failure::bad_input(format_args!("cannot read `{}`: {error}", path.display()))
    })
}

fn bearer(path: &Path) -> Result<(String, String), Failure> {
    let bytes = private::read(path, LONGEST_TOKEN).map_err(|error| {
        let path = path.display();
        Failure::configuration(format_args!("the token in `{path}` cannot be used: {error}"))
    })?;
    let token = String::from_utf8_lossy(&bytes).trim().to_owned();
    Ok(("authorization".to_owned(), format!("Bearer {token}")))
}

/// Delivers, and tells on standard error what goes wrong meanwhile.
fn shipped(
    follows: bool,
    log: &mut Log,
    (sink, cursor): (Sink<'_>, Cursor),
    (filter, format): (Filter, Format),
) -> Result<Exit, Failure> {
    let mut complain = |error: &ShippingError| {
        anstream::eprintln!("warning: {}", visible::line(&error.to_string()));
    };
    let mut shipping = Shipping { log, sink, cursor, filter, format, complain: &mut complain };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime.map_err(Failure::internal)?.block_on(async {
        let (stop, mut stopped) = watch::channel(false);
        let signals = signals::when_asked_to_end(move || {
            // Nobody waits any more where this fails.
            let _ = stop.send(true);
        })?;
        let mut pause = async |length: Duration| {
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => ControlFlow::Break(()),
                () = tokio::time::sleep(length) => ControlFlow::Continue(()),
            }
        };
        let mut all = Shipped::default();
        let ended = loop {
            match shipping.all(follows, &mut pause).await {
                Ok(shipped) => {
                    all.records += shipped.records;
                    all.rejected += shipped.rejected;
                    all.unreadable += shipped.unreadable;
                    if !follows || pause(LOOK).await.is_break() {
                        break Ok(all);
                    }
                }
                Err(error) => break Err(error),
            }
        };
        signals.abort();
        ended.map_err(explained)
    })?;
    if done.rejected > 0 {
        let message = format!("{} records were not kept by the collector", done.rejected);
        return Err(Failure::internal(message).with_help("see the collector's own log"));
    }
    // What could not be read was named above.
    Ok(if done.unreadable > 0 { Exit::BadInput } else { Exit::Done })
}

fn explained(error: ShippingError) -> Failure {
    match error {
        ShippingError::Audit(error) => failure(&error),
        ShippingError::Cursor(error) => unfit(&error),
        ShippingError::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            Failure::internal("nobody reads the export any more")
        }
        error => Failure::internal(visible::line(&error.to_string())),
    }
}
