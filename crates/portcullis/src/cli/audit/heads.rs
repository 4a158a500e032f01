//! `audit heads`: where every chain ends, noted elsewhere. Owns the options, and that nothing is noted over what the record contradicts; how a repository is
//! asked, [`crate::shipping`] knows.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};

use super::{Exit, Failure, failure, segment, shown};
use crate::{
    audit::{self, Log, NamedEnd, Place},
    report::visible,
    shipping::{BRANCH, GitError, Notes},
};

fn repository() -> [Arg; 2] {
    [
        Arg::new("git")
            .long("git")
            .value_name("REPOSITORY")
            .help("A git repository elsewhere, as `git push` takes it"),
        Arg::new("branch")
            .long("branch")
            .value_name("NAME")
            .requires("git")
            .default_value(BRANCH)
            .help("The branch of it"),
    ]
}

/// What `audit verify` takes for places that were noted.
pub(super) fn verify_options() -> Vec<Arg> {
    let file = Arg::new("heads")
        .long("heads")
        .value_name("FILE")
        .value_parser(ValueParser::path_buf())
        .help("Where chains ended earlier, as `audit heads` wrote it");
    [file].into_iter().chain(repository()).collect()
}

pub(super) fn define() -> Command {
    Command::new("heads")
        .about("Write where every chain ends, to be kept elsewhere: how many records, the last one's number and hash, and the chain's name")
        .after_help("With `--git` it is a commit on a branch, pushed without force. What was noted there before must still hold: else nothing is noted, and the exit code is 65.")
        .args(repository())
        .arg(segment::folder())
}

/// Writes where every chain ends, or notes it in a repository.
pub(super) fn run(
    matches: &ArgMatches,
    log: &mut Log,
    state: Result<PathBuf, Failure>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let ends = log.ends().map_err(|error| failure(&error))?;
    let lines: String = ends.iter().map(|(name, end)| audit::end_line(name, *end) + "\n").collect();
    let Some(repository) = matches.get_one::<String>("git") else { return shown(out, &lines) };
    let state = state?;
    let mut notes = fetched(matches, repository, &state)?;
    let before: Vec<Place> =
        notes.newest().map_err(|error| asked(&error))?.iter().map(place).collect();
    let archive = segment::archive(matches, &state);
    let missing = archive.misses(log, &before).map_err(|error| segment::segment_failure(&error))?;
    if let Some((chain, place)) = missing.first() {
        let of = if chain.is_empty() { String::new() } else { format!(" of the chain `{chain}`") };
        let words = format_args!(
            "record {}{of} is not the one that was noted in `{}`, so that nothing is noted",
            place.sequence,
            visible::line(repository)
        );
        return Err(Failure::bad_input(words)
            .with_help("`portcullis audit verify --git REPOSITORY` tells what else is wrong"));
    }
    let is_new = notes.note(&lines).map_err(|error| asked(&error))?;
    shown(out, if is_new { "noted\n" } else { "nothing was recorded since the last note\n" })
}

/// Every place that was noted, by a file or in a repository.
pub(super) fn known(
    matches: &ArgMatches,
    state: Result<PathBuf, Failure>,
) -> Result<Vec<Place>, Failure> {
    let mut known = match matches.get_one::<PathBuf>("heads") {
        Some(path) => in_file(path)?,
        None => Vec::new(),
    };
    if let Some(repository) = matches.get_one::<String>("git") {
        let notes = fetched(matches, repository, &state?)?;
        let all = notes.all().map_err(|error| asked(&error))?;
        if all.is_empty() {
            let repository = visible::line(repository);
            let words = format_args!("nothing is noted in `{repository}` on this branch");
            return Err(Failure::bad_input(words).with_help("`portcullis audit heads --git` notes"));
        }
        known.extend(all.iter().map(place));
    }
    Ok(known)
}

fn fetched(matches: &ArgMatches, repository: &str, state: &Path) -> Result<Notes, Failure> {
    let branch = matches.get_one::<String>("branch").map_or(BRANCH, String::as_str);
    audit::secure_directory(state).map_err(|error| failure(&error))?;
    Notes::fetch(repository, branch, state).map_err(|error| asked(&error))
}

fn place((name, (anchor, _)): &NamedEnd) -> Place {
    (name.clone(), *anchor)
}

/// What such a file says.
fn in_file(path: &Path) -> Result<Vec<Place>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::bad_input(format_args!("cannot read `{}`: {error}", path.display()))
    })?;
    let line = |line: &str| {
        audit::read_end(line).map(|(chain, (end, _))| (chain.to_owned(), end)).ok_or_else(|| {
            let line = visible::line(line);
            Failure::bad_input(format_args!("`{line}` does not say where a chain ends"))
        })
    };
    text.lines().map(line).collect()
}

fn asked(error: &GitError) -> Failure {
    let words = visible::line(&error.to_string()).into_owned();
    match error {
        GitError::Remote(_) => {
            Failure::usage(words).with_help("write it as a path, `https://…` or `ssh://…`")
        }
        GitError::Branch(_) => Failure::usage(words),
        GitError::Unreadable { .. } => Failure::bad_input(words),
        _ => Failure::internal(words),
    }
}
