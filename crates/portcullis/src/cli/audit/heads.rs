//! `audit heads`: where every chain ends, noted elsewhere. Owns the options, and that nothing is noted over what the record contradicts; how a repository is
//! asked, [`crate::shipping`] knows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, builder::ValueParser};

use super::{Exit, Failure, export, failure, segment, shown};
use crate::{
    audit::{
        self, Log, NamedEnd, Place,
        checkpoint::{self, Head, Noted},
        merkle::{Edge, TreeError, roots_at},
        segment::Archive,
    },
    bundle::{PublicKey, SecretKey},
    platform, private,
    report::visible,
    shipping::{
        BRANCH, Bucket, BucketError, Credentials, GitError, Notes, NotesFile, Outside,
        OutsideError, REGION,
    },
};

/// The longest file of credentials.
const LONGEST: u64 = 8 << 10;

/// Where the edges of trees are kept, in the state directory.
const TREES: &str = "trees";

/// The places elsewhere that are asked.
fn elsewhere() -> Vec<Arg> {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    vec![
        text("git", "REPOSITORY", "A git repository elsewhere, as `git push` takes it"),
        text("branch", "NAME", "The branch of it").requires("git").default_value(BRANCH),
        text("bucket", "URL", "An object store that speaks S3: `https://HOST/BUCKET/PREFIX`")
            .requires("credentials"),
        text("region", "NAME", "The region of it").requires("bucket").default_value(REGION),
        text(
            "credentials",
            "FILE",
            "A file with `AWS_ACCESS_KEY_ID=` and `AWS_SECRET_ACCESS_KEY=`, for this user alone",
        )
        .value_parser(ValueParser::path_buf()),
        text("cacert", "FILE", "Trust these certificates, in PEM, in place of the system's")
            .value_parser(ValueParser::path_buf()),
    ]
}

/// What `audit verify` takes for places that were noted.
pub(super) fn verify_options() -> Vec<Arg> {
    let file = Arg::new("heads")
        .long("heads")
        .value_name("FILE")
        .value_parser(ValueParser::path_buf())
        .help("Where chains ended earlier, as `audit heads` wrote it");
    [file].into_iter().chain(elsewhere()).collect()
}

pub(super) fn define() -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help(help)
    };
    Command::new("heads")
        .about("Write where every chain ends, to be kept elsewhere: how many records, the last one's number and hash, and the chain's name")
        .after_help(
            "With `--git` it is a commit on a branch, pushed without force; with `--bucket` an object for each chain, written where there is none of its name; with `--to` it is added to a \
             file. What was noted there before must still hold: else nothing is noted, and the exit code is 65.\n\n\
             With `--sign` each is a checkpoint of transparency logs (c2sp.org/tlog-checkpoint), a signed note with the root of the Merkle tree over the chain's records. A key \
             is made by `portcullis policy key FILE`.",
        )
        .args(elsewhere())
        .args([
            path("to", "Add it to this file"),
            path("sign", "Write signed checkpoints, with the key in this file"),
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .requires("sign")
                .help("What the checkpoints call this record, such as `gate.example/record`; this machine's name where nothing is said"),
            Arg::new("verifier")
                .long("verifier")
                .action(ArgAction::SetTrue)
                .requires("sign")
                .conflicts_with("destination")
                .help("Write nothing but the key of each chain's checkpoints, as their readers are told it"),
        ])
        .group(ArgGroup::new("destination").args(["git", "bucket", "to"]))
        .arg(segment::folder())
}

/// Writes where every chain ends, or notes it elsewhere.
pub(super) fn run(
    matches: &ArgMatches,
    log: &mut Log,
    state: Result<PathBuf, Failure>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let ends = log.ends().map_err(|error| failure(&error))?;
    let signer = signer(matches)?;
    if let Some((name, key)) = signer.as_ref().filter(|_| matches.get_flag("verifier")) {
        let verifier = |(chain, _): &NamedEnd| {
            let origin = checkpoint::origin(name, chain);
            checkpoint::verifier(&origin, &key.public()) + "\n"
        };
        return shown(out, &ends.iter().map(verifier).collect::<String>());
    }
    let is_elsewhere = matches.contains_id("destination");
    if signer.is_none() && !is_elsewhere {
        let lines: String = ends.into_iter().map(|end| Head::line(end).text).collect();
        return shown(out, &lines);
    }
    let state = state?;
    let archive = segment::archive(matches, &state);
    let mut places = places(matches, &state)?;
    for (place, outside) in &places {
        let before: Vec<Place> =
            outside.newest().map_err(|error| asked(&error))?.iter().map(anchor).collect();
        let missing =
            archive.misses(log, &before).map_err(|error| segment::segment_failure(&error))?;
        if let Some((chain, anchor)) = missing.first() {
            let words = format_args!(
                "record {}{} is not the one that was noted in `{}`, so that nothing is noted",
                anchor.sequence,
                of_chain(chain),
                visible::line(place)
            );
            return Err(Failure::bad_input(words).with_help(
                "`portcullis audit verify` with the same place tells what else is wrong",
            ));
        }
    }
    let heads = heads(log, &archive, &state, ends, signer.as_ref())?;
    let mut is_new = false;
    for (_, outside) in &mut places {
        is_new |= outside.note(&heads).map_err(|error| asked(&error))?;
    }
    if !is_elsewhere {
        return shown(out, &heads.iter().map(|head| head.text.as_str()).collect::<String>());
    }
    shown(out, if is_new { "noted\n" } else { "nothing was recorded since the last note\n" })
}

/// What is noted of each chain.
fn heads(
    log: &mut Log,
    archive: &Archive,
    state: &Path,
    ends: Vec<NamedEnd>,
    signer: Option<&(String, SecretKey)>,
) -> Result<Vec<Head>, Failure> {
    let Some((name, key)) = signer else {
        return Ok(ends.into_iter().map(Head::line).collect());
    };
    let mut heads = Vec::with_capacity(ends.len());
    for end in ends {
        let edge = grown(log, archive, state, &end)?;
        if edge.at != end.1.0 {
            let words =
                format_args!("the chain{} has other records than its end says", of_chain(&end.0));
            return Err(Failure::bad_input(words)
                .with_help("`portcullis audit verify` tells what is wrong"));
        }
        heads.push(Head::checkpoint(end, edge.root(), name, key));
    }
    Ok(heads)
}

/// The tree over all of a chain: grown from the one of the last time where that still fits, so that records which are gone for good are in it.
fn grown(
    log: &mut Log,
    archive: &Archive,
    state: &Path,
    (chain, (_, count)): &NamedEnd,
) -> Result<Edge, Failure> {
    let named = if chain.is_empty() { "tree".to_owned() } else { format!("chain.{chain}") };
    // Names come from a database and stand in a path.
    archive.of_chain(chain).map_err(|error| segment::segment_failure(&error))?;
    let path = state.join(TREES).join(named);
    let fits = |edge: &Edge, log: &mut Log| {
        let place = [(chain.clone(), edge.at)];
        edge.count <= *count && archive.misses(log, &place).is_ok_and(|missing| missing.is_empty())
    };
    let mut edge = match Edge::kept(&path) {
        Some(edge) if fits(&edge, log) => edge,
        _ => Edge::of_nothing(chain),
    };
    edge.grow(log, archive, chain, *count).map_err(|error| unmade(&error))?;
    edge.keep(&path).map_err(|error| {
        Failure::internal(format_args!("cannot write `{}`: {error}", path.display()))
    })?;
    Ok(edge)
}

fn unmade(error: &TreeError) -> Failure {
    match error {
        TreeError::Segment(error) => segment::segment_failure(error),
        TreeError::Audit(error) => failure(error),
        error => Failure::bad_input(visible::line(&error.to_string()))
            .with_help("`--segments DIR` names where the files of segments are"),
    }
}

fn signer(matches: &ArgMatches) -> Result<Option<(String, SecretKey)>, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("sign") else { return Ok(None) };
    let name = matches.get_one::<String>("name").cloned().unwrap_or_else(platform::machine_name);
    if !checkpoint::is_name(&name) {
        return Err(Failure::usage(format_args!(
            "`{}` is no name of a record: it has no space and no `+`",
            visible::line(&name)
        )));
    }
    let key = SecretKey::read(path).map_err(|error| {
        Failure::configuration(format_args!(
            "the key in `{}` cannot be used: {error}",
            path.display()
        ))
    })?;
    Ok(Some((name, key)))
}

/// Every place that was noted, by a file, in a repository or in an object store; what a checkpoint says beside that is looked at here.
pub(super) fn known(
    matches: &ArgMatches,
    log: &mut Log,
    state: Result<PathBuf, Failure>,
) -> Result<Vec<Place>, Failure> {
    let mut all = match matches.get_one::<PathBuf>("heads") {
        Some(path) => in_file(path)?,
        None => Vec::new(),
    };
    let is_elsewhere = ["git", "bucket"].iter().any(|name| matches.contains_id(name));
    let has_checkpoints = all.iter().any(|noted| noted.checkpoint.is_some());
    if !is_elsewhere && !has_checkpoints {
        return Ok(all.iter().map(anchor).collect());
    }
    let state = state?;
    for (place, outside) in places(matches, &state)? {
        let noted = outside.all().map_err(|error| asked(&error))?;
        if noted.is_empty() {
            let words = format_args!("nothing is noted in `{}`", visible::line(&place));
            return Err(Failure::bad_input(words)
                .with_help("`portcullis audit heads` with the same options notes"));
        }
        all.extend(noted);
    }
    if let Some(key) = matches.get_one::<String>("key") {
        are_signed(&all, &key.parse().map_err(Failure::usage)?)?;
    }
    have_their_roots(log, &segment::archive(matches, &state), &all)?;
    Ok(all.iter().map(anchor).collect())
}

/// That a key signed every checkpoint.
fn are_signed(all: &[Noted], key: &PublicKey) -> Result<(), Failure> {
    let strange = all.iter().find(|noted| {
        noted.checkpoint.as_ref().is_some_and(|checkpoint| !checkpoint.note.is_signed_by(key))
    });
    match strange {
        None => Ok(()),
        Some(Noted { end: (chain, (_, count)), .. }) => Err(Failure::bad_input(format_args!(
            "the checkpoint over {count} records{} is not signed by that key",
            of_chain(chain)
        ))),
    }
}

/// That the tree over the records had the root that a checkpoint says, as far as its records are there.
fn have_their_roots(log: &mut Log, archive: &Archive, all: &[Noted]) -> Result<(), Failure> {
    let mut wanted: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for Noted { end: (chain, (_, count)), checkpoint } in all {
        if checkpoint.is_some() {
            wanted.entry(chain).or_default().insert(*count);
        }
    }
    for (chain, sizes) in wanted {
        let (roots, error) = roots_at(log, archive, chain, &sizes);
        match error {
            // The places themselves are looked for in any case.
            None | Some(TreeError::Gone { .. } | TreeError::Broken(_)) => {}
            Some(error) => return Err(unmade(&error)),
        }
        let of_this = all.iter().filter(|noted| noted.end.0 == chain);
        for Noted { end: (_, (_, count)), checkpoint } in of_this {
            let (Some(root), Some(checkpoint)) = (roots.get(count), checkpoint) else { continue };
            if *root != checkpoint.root {
                return Err(Failure::bad_input(format_args!(
                    "the tree over the first {count} records{} has another root than the one that was noted",
                    of_chain(chain)
                )));
            }
        }
    }
    Ok(())
}

/// A place elsewhere, with what it is called.
type Elsewhere = (String, Box<dyn Outside>);

/// The places elsewhere that the options name.
fn places(matches: &ArgMatches, state: &Path) -> Result<Vec<Elsewhere>, Failure> {
    let mut places: Vec<Elsewhere> = Vec::new();
    if let Some(repository) = matches.get_one::<String>("git") {
        let branch = matches.get_one::<String>("branch").map_or(BRANCH, String::as_str);
        audit::secure_directory(state).map_err(|error| failure(&error))?;
        let notes =
            Notes::fetch(repository, branch, state).map_err(|error| asked(&error.into()))?;
        places.push((repository.clone(), Box::new(notes)));
    }
    if let Some(url) = matches.get_one::<String>("bucket") {
        let region = matches.get_one::<String>("region").map_or(REGION, String::as_str);
        let credentials = credentials(matches)?;
        let bucket = Bucket::open(url, region, credentials, export::roots(matches)?);
        let bucket = bucket.map_err(|error| asked(&error.into()))?;
        places.push((url.clone(), Box::new(bucket)));
    }
    if let Some(path) = matches.try_get_one::<PathBuf>("to").ok().flatten() {
        places.push((path.display().to_string(), Box::new(NotesFile::new(path.clone()))));
    }
    Ok(places)
}

fn credentials(matches: &ArgMatches) -> Result<Credentials, Failure> {
    let path = matches.get_one::<PathBuf>("credentials");
    let path = path.ok_or_else(|| Failure::usage("`--bucket` needs `--credentials`"))?;
    let unusable = |why: &dyn std::fmt::Display| {
        let path = path.display();
        Failure::configuration(format_args!("the credentials in `{path}` cannot be used: {why}"))
    };
    let bytes = private::read(path, LONGEST).map_err(|error| unusable(&error))?;
    let read = std::str::from_utf8(&bytes).ok().and_then(Credentials::read);
    read.ok_or_else(|| {
        unusable(&"they are not lines `AWS_ACCESS_KEY_ID=…` and `AWS_SECRET_ACCESS_KEY=…`")
    })
}

fn anchor(noted: &Noted) -> Place {
    let (chain, (anchor, _)) = &noted.end;
    (chain.clone(), *anchor)
}

fn of_chain(chain: &str) -> String {
    if chain.is_empty() {
        String::new()
    } else {
        format!(" of the chain `{}`", visible::line(chain))
    }
}

/// What such a file says.
fn in_file(path: &Path) -> Result<Vec<Noted>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::bad_input(format_args!("cannot read `{}`: {error}", path.display()))
    })?;
    checkpoint::read(&text).ok_or_else(|| {
        Failure::bad_input(format_args!("`{}` does not say where chains end", path.display()))
            .with_help("`portcullis audit heads` writes such a file")
    })
}

fn asked(error: &OutsideError) -> Failure {
    let words = visible::line(&error.to_string()).into_owned();
    match error {
        OutsideError::Git(GitError::Remote(_)) => {
            Failure::usage(words).with_help("write it as a path, `https://…` or `ssh://…`")
        }
        OutsideError::Git(GitError::Branch(_)) => Failure::usage(words),
        OutsideError::Bucket(BucketError::Destination(_)) => {
            Failure::usage(words).with_help("write it as `https://HOST/BUCKET/PREFIX`")
        }
        OutsideError::Bucket(BucketError::Contradicted { .. }) => Failure::bad_input(words)
            .with_help("`portcullis audit verify` with the same place tells what else is wrong"),
        OutsideError::Git(GitError::Unreadable { .. })
        | OutsideError::Bucket(BucketError::Unreadable { .. })
        | OutsideError::Unreadable(_) => Failure::bad_input(words),
        _ => Failure::internal(words),
    }
}
