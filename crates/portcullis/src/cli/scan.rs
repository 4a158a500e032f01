//! `scan`: secrets in files, trees and streams. Owns the options, where the report goes and how the process ends; what is read and
//! found, [`crate::scan`] says.

use std::{
    fs,
    io::{self, IsTerminal as _, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
    value_parser,
};
use portcullis_core::{
    finding::Confidence,
    secrets::{self, Detector},
};

use super::{Exit, Failure, colour, json_flag, shown};
use crate::{
    report::{Colour, excerpt::grouped},
    scan::{
        self, Progress, Report,
        baseline::{Baseline, BaselineError},
        git::{self, GitError, Selection},
        gitleaks,
        output::{self, Format},
    },
};

/// How often the progress is drawn.
const DRAWN: Duration = Duration::from_millis(100);

pub(super) fn define(command: Command) -> Command {
    let paths = Arg::new("path")
        .value_name("PATH")
        .num_args(0..)
        .value_parser(ValueParser::path_buf())
        .help("Files and folders; the working directory, where none is named");
    command
        .about("Look for secrets in files, folders and archives")
        .after_help(
            "Examples:\n  portcullis scan\n  portcullis scan src config.yaml --format sarif --output secrets.sarif\n  \
             portcullis scan --write-baseline .secrets.json; portcullis scan --baseline .secrets.json\n  \
             portcullis scan --git main..HEAD\n  portcullis scan --git --staged\n\n\
             Exit codes: 0 nothing found, 2 secrets found, 3 nothing found, but something could not be read.\n\
             A line with the comment `portcullis:allow` is not reported; `.portcullisignore` leaves out files, written as a\n\
             `.gitignore`. Nothing is sent anywhere to learn whether a secret still works.",
        )
        .arg(paths)
        .args(inputs())
        .args(outputs())
}

fn inputs() -> Vec<Arg> {
    let switch = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    vec![
        switch("stdin").conflicts_with("path").help("Look through standard input"),
        Arg::new("git")
            .long("git")
            .value_name("RANGE")
            .num_args(0..=1)
            .default_missing_value("HEAD")
            .conflicts_with("stdin")
            .help("Look through what each commit of a range brings, as `main..topic`; all of `HEAD`, where none is named"),
        switch("staged")
            .requires("git")
            .help("With `--git`: look through what is staged and not committed"),
        switch("all")
            .requires("git")
            .conflicts_with("staged")
            .help("With `--git`: look through every branch, tag and other reference"),
        Arg::new("exclude")
            .long("exclude")
            .value_name("PATTERN")
            .action(ArgAction::Append)
            .help("Leave out what a line of a .gitignore would"),
        switch("gitignore").help("Leave out what git ignores"),
        switch("no-allow")
            .help("Honour neither comments that allow secrets nor `.portcullisignore`"),
        switch("binary").help("Look through files that are no text, too"),
        Arg::new("unpack")
            .long("unpack")
            .value_name("MIB")
            .value_parser(value_parser!(u64).range(..=1 << 20))
            .help("How much is unpacked of one archive [default: 512]; 0 leaves archives out"),
        Arg::new("rules")
            .long("rules")
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help("Look for what a configuration file of gitleaks says"),
        Arg::new("threads")
            .long("threads")
            .value_name("COUNT")
            .value_parser(value_parser!(u16).range(1..=256))
            .help("How many threads read [default: one for each processor]"),
    ]
}

fn outputs() -> Vec<Arg> {
    let file = |name: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(ValueParser::path_buf())
    };
    vec![
        Arg::new("confidence")
            .long("confidence")
            .value_name("LEAST")
            .value_parser(PossibleValuesParser::new(["low", "medium", "high"]))
            .help("Report only what is at least so sure [default: medium]"),
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(Format::ALL.map(|(name, _)| name)))
            .conflicts_with("json")
            .help("How the report looks [default: text]"),
        json_flag(),
        file("output").help("Write the report to a file"),
        file("baseline").help("Do not report what stands in this file"),
        file("write-baseline").help("Write everything that was found to this file, as known"),
        Arg::new("salt-env")
            .long("salt-env")
            .value_name("NAME")
            .conflicts_with_all(["baseline", "write-baseline"])
            .help("Salt the fingerprints with the value of this environment variable"),
        Arg::new("list-left-out")
            .long("list-left-out")
            .action(ArgAction::SetTrue)
            .help("List everything that was left out, and why"),
    ]
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut baseline = baseline(matches)?;
    let options = options(matches, baseline.as_ref())?;
    let mut report = look(matches, &options)?;
    if let Some(path) = matches.get_one::<PathBuf>("write-baseline")
        && let Some(baseline) = &mut baseline
    {
        baseline.write(path, &report).map_err(|error| baseline_failure(path, &error))?;
    }
    if let Some(baseline) = &baseline {
        baseline.apply(&mut report);
    }
    finish(matches, &report, out)
}

/// The baseline that is read, or a new one where only one is written.
fn baseline(matches: &ArgMatches) -> Result<Option<Baseline>, Failure> {
    if let Some(path) = matches.get_one::<PathBuf>("baseline") {
        return Baseline::read(path).map(Some).map_err(|error| baseline_failure(path, &error));
    }
    let Some(path) = matches.get_one::<PathBuf>("write-baseline") else { return Ok(None) };
    Baseline::new().map(Some).map_err(|error| baseline_failure(path, &error))
}

fn baseline_failure(path: &std::path::Path, error: &BaselineError) -> Failure {
    Failure::bad_input(format_args!("the baseline `{}`: {error}", path.display()))
        .with_help("`portcullis scan --write-baseline FILE` writes one")
}

fn options(matches: &ArgMatches, baseline: Option<&Baseline>) -> Result<scan::Options, Failure> {
    let mut detection = secrets::Options::default();
    detection.least = match matches.get_one::<String>("confidence").map(String::as_str) {
        Some("low") => Confidence::Low,
        Some("high") => Confidence::High,
        _ => Confidence::Medium,
    };
    if let Some(name) = matches.get_one::<String>("salt-env") {
        let value = std::env::var_os(name).ok_or_else(|| {
            Failure::usage(format_args!("the environment variable `{name}` is not set"))
        })?;
        detection.salt = value.into_encoded_bytes();
    } else if let Some(baseline) = baseline {
        detection.salt = baseline.salt().to_vec();
    }
    if let Some(path) = matches.get_one::<PathBuf>("rules") {
        let rules = gitleaks::load_file(path).map_err(|error| {
            let failure =
                Failure::configuration(format_args!("the rules `{}`: {error}", path.display()));
            match error.help() {
                Some(help) => failure.with_help(help),
                None => failure,
            }
        })?;
        detection.rules = Arc::new(rules);
    }
    let mut options = scan::Options {
        detector: Detector::new(detection),
        gitignore: matches.get_flag("gitignore"),
        allowances: !matches.get_flag("no-allow"),
        binary: matches.get_flag("binary"),
        exclude: matches.get_many::<String>("exclude").into_iter().flatten().cloned().collect(),
        ..scan::Options::default()
    };
    if let Some(limit) = matches.get_one::<u64>("unpack") {
        options.unpacked = limit << 20;
    }
    if let Some(threads) = matches.get_one::<u16>("threads") {
        options.threads = usize::from(*threads);
    }
    Ok(options)
}

fn look(matches: &ArgMatches, options: &scan::Options) -> Result<Report, Failure> {
    let progress = Progress::default();
    if matches.get_flag("stdin") {
        let mut input = io::stdin().lock();
        return Ok(watched(&progress, || {
            scan::stream("standard input", &mut input, options, &progress)
        }));
    }
    let mut paths: Vec<PathBuf> =
        matches.get_many::<PathBuf>("path").into_iter().flatten().cloned().collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    if let Some(range) = matches.get_one::<String>("git") {
        return history(matches, &paths, range, options, &progress);
    }
    for path in &paths {
        if let Err(error) = fs::metadata(path) {
            return Err(Failure::bad_input(format_args!(
                "`{}` could not be read: {error}",
                path.display()
            )));
        }
    }
    Ok(watched(&progress, || scan::paths(&paths, options, &progress)))
}

fn history(
    matches: &ArgMatches,
    paths: &[PathBuf],
    range: &str,
    options: &scan::Options,
    progress: &Progress,
) -> Result<Report, Failure> {
    let [path] = paths else {
        return Err(Failure::usage("`--git` looks through one repository at a time"));
    };
    let named = matches.get_flag("staged") || matches.get_flag("all");
    if named && range != "HEAD" {
        return Err(Failure::usage("a range cannot be used with `--staged` or `--all`"));
    }
    let selection = if matches.get_flag("staged") {
        Selection::Staged
    } else if matches.get_flag("all") {
        Selection::All
    } else if range == "HEAD" {
        Selection::Head
    } else {
        Selection::Range(range.to_owned())
    };
    watched(progress, || git::history(path, &selection, options, progress)).map_err(|error| {
        let failure = Failure::bad_input(&error);
        match error {
            GitError::Range { .. } => failure.with_help(
                "write the folder before it, as in `portcullis scan REPOSITORY --git RANGE`",
            ),
            _ => failure,
        }
    })
}

/// Does the work, and shows on a terminal how far it has come.
fn watched<T>(progress: &Progress, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let drawn = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        scope.spawn({
            let drawn = &drawn;
            move || {
                while waits.recv_timeout(DRAWN) == Err(mpsc::RecvTimeoutError::Timeout) {
                    drawn.store(true, Ordering::Relaxed);
                    draw(progress);
                }
            }
        });
        let report = work();
        drop(done);
        report
    });
    if drawn.load(Ordering::Relaxed) {
        // The line is taken away again; who watches sees the report.
        let _ = io::stderr().write_all(b"\r\x1b[K");
    }
    report
}

fn draw(progress: &Progress) {
    let number = |count: u64| grouped(usize::try_from(count).unwrap_or(usize::MAX));
    let line = format!(
        "\r\x1b[K{} files, {} MB, {} found",
        number(progress.files.load(Ordering::Relaxed)),
        number(progress.bytes.load(Ordering::Relaxed) / 1_000_000),
        number(progress.found.load(Ordering::Relaxed)),
    );
    // What cannot be drawn is not needed.
    let _ = io::stderr().write_all(line.as_bytes());
}

fn finish(matches: &ArgMatches, report: &Report, out: &mut dyn Write) -> Result<Exit, Failure> {
    let format = if matches.get_flag("json") {
        Format::Json
    } else {
        matches.get_one::<String>("format").and_then(|name| Format::of(name)).unwrap_or_default()
    };
    let to_file = matches.get_one::<PathBuf>("output");
    let colour = if to_file.is_some() { Colour::Plain } else { colour() };
    let text = output::render(report, format, colour).map_err(|error| {
        Failure::internal(format_args!("the report could not be made: {error}"))
    })?;
    match to_file {
        Some(path) => fs::write(path, text).map_err(|error| {
            Failure::bad_input(format_args!("`{}` could not be written: {error}", path.display()))
        })?,
        None => {
            shown(out, &text)?;
        }
    }
    let summary = output::summary(report, matches.get_flag("list-left-out"));
    // The report says it too; who closed standard error does not want it.
    let _ = io::stderr().write_all(summary.as_bytes());
    Ok(if !report.findings.is_empty() {
        Exit::Denied
    } else if report.has_gaps() {
        Exit::Asked
    } else {
        Exit::Done
    })
}
