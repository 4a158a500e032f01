//! `policy`: what is allowed, asked about and denied, and why. Owns the options, and how a configuration is checked and its
//! examples are tried; files are read and combined by [`crate::config`].

mod asked;
mod cases;
mod central;
mod machines;
mod show;
pub(super) mod template;

use std::{
    env, io,
    io::Write,
    path::{Path, PathBuf},
};

use annotate_snippets::{Group, Level, Renderer};
use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use portcullis_core::facts::FactPlan;
use serde_json::json;

use super::{Exit, Failure, json_flag, shown, write_json};
use crate::{
    config::{
        Account, ConfigError, Configuration, FILE_NAME, LeftOut, PROJECT_FILE_NAME, ProjectFile,
    },
    observe::Observer,
    platform::Directories,
    report::{excerpt, visible},
    session,
    wire::{VERSION, account_json},
};

pub(super) fn define(command: Command) -> Command {
    let file = || Arg::new("config").value_name("FILE").value_parser(ValueParser::path_buf());
    let cwd = || {
        Arg::new("cwd")
            .long("cwd")
            .value_name("DIR")
            .help("The directory whose project has a say, where it is not this one")
    };
    command
        .about("Show what is allowed, asked about and denied, and check a configuration")
        .after_help("Example: portcullis policy check portcullis.toml")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("Show the policy that calls are judged under, and where each part comes from")
                .arg(file().long("config").help("The configuration, where it is not the usual one"))
                .arg(cwd())
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("check")
                .about("Check a configuration without using it, and show what of it would hold")
                .after_help(
                    "Exit codes: 0 it can be used, 78 it cannot\n\n\
                     A file named `.portcullis.toml` is checked as a project's, any other as the user's.",
                )
                .arg(file().help("The configuration; without it, all files that hold here"))
                .arg(cwd())
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("template")
                .about("Show what an agent is told about security in its system prompt")
                .after_help(
                    "Exit codes: 0 shown, 78 the template cannot be used\n\n\
                     Without a file, the template of the configuration, or the built-in one.",
                )
                .arg(Arg::new("template").value_name("FILE").value_parser(ValueParser::path_buf()).help(
                    "Render this template instead",
                ))
                .arg(file().long("config").help("The configuration, where it is not the usual one"))
                .arg(
                    Arg::new("source")
                        .long("source")
                        .action(clap::ArgAction::SetTrue)
                        .help("Show the template itself"),
                ),
        )
        .subcommand(
            Command::new("test")
                .about("Try the examples beside rules, `match` and `no_match`, and cases of a team")
                .after_help(
                    "A case is a line of JSON: a call as `check --jsonl` takes it, with `expect` (allow, ask, deny) and, if you like, `name`,\n\
                     `rule` (a finding that must be there) and `risk`.\n\n\
                     Exit codes: 0 each does what it says, 78 one does not, 65 a case cannot be read",
                )
                .arg(
                    Arg::new("cases")
                        .long("cases")
                        .value_name("FILE")
                        .action(clap::ArgAction::Append)
                        .value_parser(ValueParser::path_buf())
                        .help("Cases of your own, a line each"),
                )
                .arg(file().help("The configuration; without it, all files that hold here"))
                .arg(cwd())
                .arg(json_flag()),
        )
        .subcommands(central::define())
        .subcommand(machines::define())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("check", matches)) => check(matches, out),
        Some(("test", matches)) => test(matches, out),
        Some(("template", matches)) => template::show(matches, out),
        Some((verb @ ("key" | "build" | "sign" | "publish" | "fetch"), matches)) => {
            central::run(verb, matches, out)
        }
        Some(("machines", matches)) => machines::run(matches, out),
        Some((_, matches)) => {
            // A file that somebody names is looked at as it is.
            let is_named = matches.contains_id("config");
            let configuration = if is_named { load(matches)? } else { load_for_agents(matches)? };
            let configuration = in_workspace(&configuration, matches)?;
            show::show(&configuration, matches.get_flag("json"), out)
        }
        None => Err(Failure::usage("a command is missing")),
    }
}

/// The configuration that `--config` names, or the usual one; without a project's.
pub(super) fn load(matches: &ArgMatches) -> Result<Configuration, Failure> {
    let named = matches.get_one::<PathBuf>("config").map(PathBuf::as_path);
    Configuration::load(named).map_err(|error| failure(&error))
}

/// The same for calls of agents, which may have written it.
pub(super) fn load_for_agents(matches: &ArgMatches) -> Result<Configuration, Failure> {
    let named = matches.get_one::<PathBuf>("config").map(PathBuf::as_path);
    let configuration = Configuration::load_for_agents(named, &Directories::from_environment())
        .map_err(|error| failure(&error))?;
    if let Some(noted) = configuration.noted() {
        // The copy is kept all the same.
        let _ = session::note(&configuration, !session::record_is_unwanted(), &noted);
    }
    Ok(configuration)
}

/// The configuration of a file that somebody named.
pub(super) fn load_file(path: &Path) -> Result<Configuration, Failure> {
    Configuration::load(Some(path)).map_err(|error| failure(&error))
}

/// With what the project around this directory has to say.
pub(super) fn in_this_workspace(base: &Configuration) -> Result<Configuration, Failure> {
    match workspace(None) {
        Some(workspace) => base.in_workspace(&workspace).map_err(|error| failure(&error)),
        None => Ok(base.clone()),
    }
}

/// With what the project around `--cwd`, or around this directory, has to say.
fn in_workspace(base: &Configuration, matches: &ArgMatches) -> Result<Configuration, Failure> {
    match workspace(matches.get_one::<String>("cwd").map(String::as_str)) {
        Some(workspace) => base.in_workspace(&workspace).map_err(|error| failure(&error)),
        None => Ok(base.clone()),
    }
}

/// The workspace around a directory, or around this one.
pub(super) fn workspace(cwd: Option<&str>) -> Option<PathBuf> {
    let cwd = match cwd {
        Some(cwd) => std::path::absolute(cwd).ok()?,
        None => env::current_dir().ok()?,
    };
    let observer = Observer::new(&Directories::from_environment(), &[]);
    observer.facts(&FactPlan::default(), cwd.to_str(), None).workspace.map(PathBuf::from)
}

/// An error of the configuration as it is shown.
pub(super) fn failure(error: &ConfigError) -> Failure {
    let mut failure = Failure::configuration(error);
    if let ConfigError::Mistake(mistake) = error {
        let snippet = excerpt::elements(&mistake.text, &[excerpt::Mark::at(mistake.span.clone())]);
        let group = Group::with_level(Level::ERROR).elements(snippet);
        let renderer = Renderer::plain().term_width(usize::from(u16::MAX));
        failure.excerpt = Some(renderer.render(&[group]));
    }
    match error.help() {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

/// Says on standard error that a file wants what it may not have.
pub(super) fn warn_of(left: &LeftOut, account: &Account) {
    warn(&show::left_out_words(left, account));
}

/// Says a warning on standard error.
pub(super) fn warn(words: &str) {
    let warning = format!("warning: {}\n", visible::line(words));
    // Where nobody listens, `policy show` says it too.
    let _ = io::stderr().write_all(warning.as_bytes());
}

/// The configuration of the file that is checked, in its place among the others.
fn checked(matches: &ArgMatches) -> Result<Configuration, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("config") else {
        return in_workspace(&load(matches)?, matches);
    };
    if path.file_name().is_none_or(|name| name != PROJECT_FILE_NAME) {
        return load(matches);
    }
    let base = Configuration::load(None).map_err(|error| failure(&error))?;
    let directories = Directories::from_environment();
    let workspace = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let workspace = workspace.unwrap_or(Path::new("."));
    let file = ProjectFile::find(workspace, directories.state.as_deref());
    let file = file.and_then(|file| {
        let file = file.ok_or_else(|| ConfigError::Missing { path: path.clone() })?;
        base.with_project(&file)
    });
    file.map_err(|error| failure(&error))
}

fn check(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = checked(matches)?;
    let account = &configuration.account;
    if matches.get_flag("json") {
        let mut answer = account_json(account);
        answer.insert("v".to_owned(), json!(VERSION));
        answer.insert("usable".to_owned(), json!(true));
        return write_json(out, &answer);
    }
    let mut text = String::new();
    match matches.get_one::<PathBuf>("config") {
        Some(path) => {
            text.push_str(&format!("`{}` can be used\n", visible::line(&path.to_string_lossy())));
        }
        None if account.sources.is_empty() => {
            text.push_str("there is no file; what is built in holds\n");
        }
        None => {}
    }
    text.push_str(&show::account_text(account));
    shown(out, &text)
}

/// Every file that holds here, whether it can be used or not.
fn files_here(matches: &ArgMatches) -> Vec<PathBuf> {
    let Directories { configuration, managed, .. } = Directories::from_environment();
    let managed = managed.map(|managed| managed.directory.join(FILE_NAME));
    let own = configuration.map(|directory| directory.join(FILE_NAME));
    let workspace = workspace(matches.get_one::<String>("cwd").map(String::as_str));
    let project = workspace.map(|workspace| workspace.join(PROJECT_FILE_NAME));
    let files = [managed, own, project].into_iter().flatten();
    files.filter(|path| path.symlink_metadata().is_ok()).collect()
}

fn test(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let files = match matches.get_one::<PathBuf>("config") {
        Some(path) => vec![path.clone()],
        None => files_here(matches),
    };
    let mut results = Vec::new();
    for path in files {
        let examples = Configuration::examples_of(&path).map_err(|error| failure(&error))?;
        results.extend(examples.into_iter().map(|example| {
            let problem = example.problem();
            (path.clone(), example, problem)
        }));
    }
    let cases = cases::tried(matches)?;
    let wrong = results.iter().filter(|(_, _, problem)| problem.is_some()).count();
    let failed = cases.iter().filter(|case| case.problem.is_some()).count();
    if matches.get_flag("json") {
        let results = results.iter().map(|(path, example, problem)| {
            json!({
                "file": path,
                "list": example.list.key(),
                "rule": example.rule.to_string(),
                "example": example.text,
                "expected": if example.matches { "match" } else { "no_match" },
                "passed": problem.is_none(),
                "problem": problem,
            })
        });
        let results: Vec<_> = results.collect();
        let cases: Vec<_> = cases.iter().map(cases::Tried::json).collect();
        let failed = wrong + failed;
        write_json(
            out,
            &json!({ "v": VERSION, "failed": failed, "examples": results, "cases": cases }),
        )?;
    } else {
        let mut text = String::new();
        for (path, example, problem) in &results {
            let line = match problem {
                None if example.matches => {
                    format!("ok: `{}` matches `{}`", example.rule, example.text)
                }
                None => format!("ok: `{}` does not match `{}`", example.rule, example.text),
                Some(problem) => format!("FAILED: {problem} ({})", path.display()),
            };
            text.push_str(&visible::line(&line));
            text.push('\n');
        }
        text.push_str(&format!("{} examples, {wrong} failed\n", results.len()));
        if matches.contains_id("cases") {
            cases.iter().for_each(|case| text.push_str(&case.text()));
            text.push_str(&format!("{} cases, {failed} failed\n", cases.len()));
        }
        shown(out, &text)?;
    }
    Ok(if wrong + failed == 0 { Exit::Done } else { Exit::Configuration })
}
