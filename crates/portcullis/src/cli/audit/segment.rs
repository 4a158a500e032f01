//! `audit segment`: old records, sealed into files, dropped, held and erased. Owns the options and the listings; what may follow on what,
//! [`crate::audit::segment`] knows.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};
use jiff::Timestamp;
use serde_json::json;

use super::{Exit, Failure, database, failure, json_flag, moment, shown, write_json};
use crate::{
    audit::{
        Log, Segments,
        segment::{self, Archive, KEEPER, RECORDS, Sealing, SegmentError, Standing},
        time_text,
    },
    bundle::{PublicKey, SecretKey},
    config::Serve,
    platform,
    report::visible,
    wire::VERSION,
};

pub(super) fn folder() -> Arg {
    Arg::new("segments")
        .long("segments")
        .value_name("DIR")
        .value_parser(ValueParser::path_buf())
        .help("The directory of the segments' files, where it is not `segments` beside the record")
}

/// What `audit verify` takes for segments.
pub(super) fn verify_options() -> [Arg; 2] {
    [
        folder(),
        Arg::new("key")
            .long("key")
            .value_name("KEY")
            .help("The public key (`ed25519:…`) that has to have signed every segment"),
    ]
}

pub(super) fn define() -> Command {
    let numbers = || {
        Arg::new("number")
            .value_name("NUMBER")
            .value_parser(value_parser!(u64).range(1..))
            .action(ArgAction::Append)
    };
    let reason = || {
        Arg::new("reason")
            .long("reason")
            .value_name("TEXT")
            .required(true)
            .help("Why, for the record")
    };
    let before = || {
        Arg::new("before").long("before").value_name("TIME").help(
            "Those whose last record is older: `2026-11-20`, `2026-11-20T08:00:00Z`, or `400d` ago",
        )
    };
    let seal = Command::new("seal")
        .about("Seal old records into files, as many whole segments as there are records for")
        .after_help("A key to sign with is made by `portcullis policy key FILE`.")
        .arg(
            Arg::new("records")
                .long("records")
                .value_name("NUMBER")
                .value_parser(value_parser!(u64).range(2..=1_000_000))
                .help(format!("How many records a segment has: {RECORDS} unless said otherwise")),
        )
        .arg(
            Arg::new("until")
                .long("until")
                .value_name("TIME")
                .help("Only what was recorded up to then"),
        )
        .arg(
            Arg::new("sign")
                .long("sign")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("Sign with the key in this file"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .requires("sign")
                .help("The key's name in the signature, where it is not this machine's"),
        );
    let list =
        Command::new("list").about("List the segments and what became of them").arg(json_flag());
    let drop = Command::new("drop")
        .about("Take the records of sealed segments out of the database; their files stay")
        .args([numbers(), before()]);
    let read = Command::new("read")
        .about("Write the records of a segment, a line of JSON each, as `export` does")
        .arg(numbers().required(true).action(ArgAction::Set));
    let hold = Command::new("hold")
        .about("Hold segments: nothing of them is dropped or erased")
        .args([numbers().required(true), reason()]);
    let release = Command::new("release")
        .about("Hold segments no longer")
        .args([numbers().required(true), reason()]);
    let erase = Command::new("erase")
        .about("Erase segments for good: their records, what repeats them in the database, and the keys of their files")
        .after_help("Exit code 70 and `may still stand` mean: run it again when nobody reads the record.")
        .args([numbers(), before(), reason()]);
    Command::new("segment")
        .about("Seal, drop, hold and erase old records; the chain goes on over them")
        .subcommand_required(true)
        .arg(folder().global(true))
        .arg(
            Arg::new("chain")
                .long("chain")
                .value_name("NAME")
                .global(true)
                .help("The segments of this gateway's chain, where many share the database"),
        )
        .subcommands([seal, list, read, drop, hold, release, erase])
}

/// The segments of a record.
pub(super) fn archive(matches: &ArgMatches, state: &Path) -> Archive {
    let archive = Archive::beneath(state);
    match matches.get_one::<PathBuf>("segments") {
        Some(files) => archive.files_in(files.clone()),
        None => archive,
    }
}

pub(super) fn run(
    matches: &ArgMatches,
    state: &Path,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("a command is missing"));
    };
    let shared = database::source(matches, &Serve::default(), state, Some(KEEPER))?;
    let archive = archive(matches, state);
    let chain = matches.get_one::<String>("chain");
    match (&shared, chain) {
        (None, Some(_)) => {
            return Err(Failure::usage("`--chain` is for a record that gateways share")
                .with_help("`--database URL` names it"));
        }
        (Some(_), None) if matches.try_contains_id("number").unwrap_or(false) => {
            return Err(Failure::usage(
                "each chain counts its segments from 1: which chain is missing",
            )
            .with_help("say `--chain NAME`; `portcullis audit segment list` lists them"));
        }
        _ => {}
    }
    let archive = match chain {
        None => archive,
        Some(chain) => archive.of_chain(chain).map_err(|error| segment_failure(&error))?,
    };
    let open = || {
        let log = match &shared {
            Some(source) => source.log_to_append(),
            None => Log::open(state),
        };
        log.map_err(|error| failure(&error))
    };
    match verb {
        "seal" => seal(matches, &archive, &mut open()?, out),
        "read" => {
            let number = matches.get_one::<u64>("number").copied().unwrap_or_default();
            archive.lines(number, out).map_err(|error| segment_failure(&error))?;
            Ok(Exit::Done)
        }
        "list" => {
            let log = match &shared {
                Some(source) => source.log_alone(),
                None => Log::read(state),
            };
            let mut log = log.map_err(|error| failure(&error))?;
            let mut standing = Vec::new();
            for archive in of_chains(&archive, &mut log)? {
                standing
                    .extend(archive.standing(&mut log).map_err(|error| segment_failure(&error))?);
            }
            list(matches, &standing, out)
        }
        verb => {
            let mut log = open()?;
            let reason = matches.try_get_one::<String>("reason").ok().flatten();
            let reason = reason.map_or("", String::as_str);
            let now = Timestamp::now();
            for archive in of_chains(&archive, &mut log)? {
                change(matches, &archive, &mut log, (verb, reason, now), out)?;
            }
            Ok(Exit::Done)
        }
    }
}

/// The segments of every chain there is, or of the one that was named.
fn of_chains(archive: &Archive, log: &mut Log) -> Result<Vec<Archive>, Failure> {
    if !archive.chain().is_empty() {
        return Ok(vec![archive.clone()]);
    }
    let names = log.chain_names().map_err(|error| failure(&error))?;
    let of = |name: &String| archive.of_chain(name).map_err(|error| segment_failure(&error));
    names.iter().map(of).collect()
}

/// Does something with the segments of a chain that are named, or old enough.
fn change(
    matches: &ArgMatches,
    archive: &Archive,
    log: &mut Log,
    (verb, reason, now): (&str, &str, Timestamp),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let person = platform::user_name();
    for number in chosen(matches, archive, log, (verb, now))? {
        let done = match verb {
            "drop" => archive
                .drop(log, number, &person)
                .map(|gone| if gone { "dropped" } else { "was dropped already" }),
            "hold" => archive.hold(log, number, &person, reason, true).map(|()| "held"),
            "release" => archive.hold(log, number, &person, reason, false).map(|()| "released"),
            _ => archive.erase(log, number, &person, reason).map(|()| "erased"),
        };
        let word = done.map_err(|error| segment_failure(&error))?;
        shown(out, &format!("segment {number}{}: {word}\n", of(archive.chain())))?;
    }
    Ok(())
}

/// Of which chain, where there are many.
fn of(chain: &str) -> String {
    if chain.is_empty() { String::new() } else { format!(" of {chain}") }
}

/// The segments that are named, or those that are old enough and not held.
fn chosen(
    matches: &ArgMatches,
    archive: &Archive,
    log: &mut Log,
    (verb, now): (&str, Timestamp),
) -> Result<Vec<u64>, Failure> {
    let named: Vec<u64> =
        matches.get_many::<u64>("number").map(|all| all.copied().collect()).unwrap_or_default();
    let before = match verb {
        "drop" | "erase" => matches.get_one::<String>("before"),
        _ => None,
    };
    let Some(before) = before else {
        return match named.is_empty() {
            true => Err(Failure::usage("which segments is missing")
                .with_help("name them by their numbers, or say `--before TIME`")),
            false => Ok(named),
        };
    };
    if !named.is_empty() {
        return Err(Failure::usage("segments are named, or chosen by `--before`"));
    }
    let before = moment(before, now)?;
    let standing = archive.standing(log).map_err(|error| segment_failure(&error))?;
    let old = standing.into_iter().filter(|one| {
        let is_done = if verb == "drop" { one.is_dropped } else { one.is_erased };
        one.manifest.times.1 < before && !one.is_held && !is_done
    });
    Ok(old.map(|one| one.manifest.number).collect())
}

fn seal(
    matches: &ArgMatches,
    archive: &Archive,
    log: &mut Log,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let key = match matches.get_one::<PathBuf>("sign") {
        None => None,
        Some(path) => Some(SecretKey::read(path).map_err(|error| {
            let path = path.display();
            Failure::configuration(format_args!("the key in `{path}` cannot be used: {error}"))
        })?),
    };
    let name = match matches.get_one::<String>("name") {
        Some(name) if !is_name(name) => {
            return Err(Failure::usage("a key's name has no space and no `+`"));
        }
        Some(name) => name.clone(),
        None => platform::machine_name(),
    };
    let name = if is_name(&name) { name } else { "portcullis".to_owned() };
    let until = matches.get_one::<String>("until").map(|word| moment(word, Timestamp::now()));
    let sealing = Sealing {
        records: matches.get_one::<u64>("records").copied().unwrap_or(RECORDS),
        until: until.transpose()?.unwrap_or(Timestamp::MAX),
        person: platform::user_name(),
        key: key.as_ref().map(|key| (key, name)),
    };
    let sealed = archive.seal(log, &sealing).map_err(|error| segment_failure(&error))?;
    if sealed.is_empty() {
        return shown(out, "nothing was sealed: there are too few records for a segment\n");
    }
    let line = |manifest: &segment::Manifest| {
        let (first, last) = (manifest.first, manifest.last.sequence);
        let (number, of) = (manifest.number, of(&manifest.chain));
        format!("segment {number}{of}: records {first} to {last}\n")
    };
    shown(out, &sealed.iter().map(line).collect::<String>())
}

/// Whether a name can stand in a signature.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter == '+')
}

fn list(matches: &ArgMatches, standing: &[Standing], out: &mut dyn Write) -> Result<Exit, Failure> {
    if matches.get_flag("json") {
        let segments: Vec<_> = standing.iter().map(as_json).collect();
        return write_json(out, &json!({ "v": VERSION, "segments": segments }));
    }
    if standing.is_empty() {
        return shown(out, "nothing was sealed\n");
    }
    let line = |one: &Standing| {
        let manifest = &one.manifest;
        let state = match one {
            Standing { is_erased: true, .. } => "erased",
            Standing { is_dropped: true, is_held: true, .. } => "dropped, held",
            Standing { is_dropped: true, .. } => "dropped",
            Standing { is_held: true, .. } => "held",
            _ => "",
        };
        let (first, last) = (manifest.first, manifest.last.sequence);
        let line = format!(
            "{:>6}{}  records {first} to {last}  {:.0} to {:.0}  {state}",
            manifest.number,
            of(&manifest.chain),
            manifest.times.0,
            manifest.times.1
        );
        format!("{}\n", visible::line(line.trim_end()))
    };
    shown(out, &standing.iter().map(line).collect::<String>())
}

fn as_json(one: &Standing) -> serde_json::Value {
    let manifest = &one.manifest;
    let mut segment = json!({
        "number": manifest.number,
        "first": manifest.first,
        "last": manifest.last.sequence,
        "records": manifest.count,
        "from": time_text(manifest.times.0),
        "until": time_text(manifest.times.1),
        "manifest": format!("sha256:{}", manifest.digest),
        "held": one.is_held,
        "dropped": one.is_dropped,
        "erased": one.is_erased,
    });
    if let Some(segment) = segment.as_object_mut()
        && !manifest.chain.is_empty()
    {
        segment.insert("chain".to_owned(), json!(manifest.chain));
    }
    segment
}

/// Whether a key signed every segment.
pub(super) fn are_signed(archive: &Archive, log: &mut Log, key: &str) -> Result<(), Failure> {
    let key: PublicKey = key.parse().map_err(Failure::usage)?;
    for archive in of_chains(archive, log)? {
        let manifests = archive.manifests().map_err(|error| segment_failure(&error))?;
        if let Some(number) = segment::unsigned(&manifests, &key).first() {
            let (of, key) = (of(archive.chain()), key.id());
            let words = format_args!("segment {number}{of} is not signed by the key {key}");
            return Err(Failure::bad_input(words));
        }
    }
    Ok(())
}

/// What there is of segments, where there is anything.
pub(super) fn summed_up(segments: Segments) -> String {
    let Segments { sealed, dropped, erased, elsewhere } = segments;
    if sealed == 0 {
        return String::new();
    }
    let mut text =
        format!("{sealed} segments are sealed, {dropped} of them dropped, {erased} erased\n");
    if elsewhere > 0 {
        text.push_str(&format!(
            "{elsewhere} of their files are not here, and were not looked at\n"
        ));
    }
    text
}

pub(super) fn segment_failure(error: &SegmentError) -> Failure {
    let words = visible::line(&error.to_string()).into_owned();
    match error {
        SegmentError::Audit(error) => failure(error),
        SegmentError::NoChain(_) => {
            Failure::bad_input(words).with_help("`portcullis audit heads` lists them")
        }
        SegmentError::None(_) => {
            Failure::bad_input(words).with_help("`portcullis audit segment list` lists them")
        }
        SegmentError::Held(_) => {
            Failure::denied(words).with_help("`portcullis audit segment release` ends that")
        }
        SegmentError::Changed { .. } => Failure::bad_input(words)
            .with_help("`portcullis audit verify` tells what else is wrong"),
        SegmentError::Waits(_) => {
            Failure::denied(words).with_help("answer it, or wait until its time is over")
        }
        SegmentError::Name(_) => Failure::usage(words)
            .with_help("a gateway's name has letters, digits and `-_.@`, 64 at most"),
        _ => Failure::internal(words),
    }
}
