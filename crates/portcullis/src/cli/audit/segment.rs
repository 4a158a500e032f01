//! `audit segment`: old records, sealed into files, dropped, held and erased. Owns the options and the listings; what may follow on what,
//! [`crate::audit::segment`] knows.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};
use jiff::Timestamp;
use serde_json::json;

use super::{Exit, Failure, failure, json_flag, moment, shown, write_json};
use crate::{
    audit::{
        Log, Segments,
        segment::{self, Archive, RECORDS, Sealing, SegmentError, Standing},
        time_text,
    },
    bundle::{PublicKey, SecretKey},
    platform,
    report::visible,
    wire::VERSION,
};

fn folder() -> Arg {
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
    if matches.contains_id("database") {
        return Err(segment_failure(&SegmentError::Shared));
    }
    let archive = archive(matches, state);
    let open = || Log::open(state).map_err(|error| failure(&error));
    let person = platform::user_name();
    match verb {
        "seal" => seal(matches, &archive, &mut open()?, out),
        "read" => {
            let number = matches.get_one::<u64>("number").copied().unwrap_or_default();
            archive.lines(number, out).map_err(|error| segment_failure(&error))?;
            Ok(Exit::Done)
        }
        "list" => {
            let mut log = Log::read(state).map_err(|error| failure(&error))?;
            let standing = archive.standing(&mut log).map_err(|error| segment_failure(&error))?;
            list(matches, &standing, out)
        }
        _ => {
            let mut log = open()?;
            let reason = || matches.get_one::<String>("reason").map_or("", String::as_str);
            for number in chosen(matches, &archive, &mut log, verb)? {
                let done = match verb {
                    "drop" => archive
                        .drop(&mut log, number, &person)
                        .map(|gone| if gone { "dropped" } else { "was dropped already" }),
                    "hold" => {
                        archive.hold(&mut log, number, &person, reason(), true).map(|()| "held")
                    }
                    "release" => archive
                        .hold(&mut log, number, &person, reason(), false)
                        .map(|()| "released"),
                    _ => archive.erase(&mut log, number, &person, reason()).map(|()| "erased"),
                };
                let word = done.map_err(|error| segment_failure(&error))?;
                shown(out, &format!("segment {number}: {word}\n"))?;
            }
            Ok(Exit::Done)
        }
    }
}

/// The segments that are named, or those that are old enough and not held.
fn chosen(
    matches: &ArgMatches,
    archive: &Archive,
    log: &mut Log,
    verb: &str,
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
    let before = moment(before, Timestamp::now())?;
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
        format!("segment {}: records {first} to {last}\n", manifest.number)
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
            "{:>6}  records {first} to {last}  {:.0} to {:.0}  {state}",
            manifest.number, manifest.times.0, manifest.times.1
        );
        format!("{}\n", visible::line(line.trim_end()))
    };
    shown(out, &standing.iter().map(line).collect::<String>())
}

fn as_json(one: &Standing) -> serde_json::Value {
    let manifest = &one.manifest;
    json!({
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
    })
}

/// Whether a key signed every segment.
pub(super) fn are_signed(archive: &Archive, key: &str) -> Result<(), Failure> {
    let key: PublicKey = key.parse().map_err(Failure::usage)?;
    let manifests = archive.manifests().map_err(|error| segment_failure(&error))?;
    match segment::unsigned(&manifests, &key).first() {
        None => Ok(()),
        Some(number) => Err(Failure::bad_input(format_args!(
            "segment {number} is not signed by the key {}",
            key.id()
        ))),
    }
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

fn segment_failure(error: &SegmentError) -> Failure {
    let words = visible::line(&error.to_string()).into_owned();
    match error {
        SegmentError::Audit(error) => failure(error),
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
        SegmentError::Shared => Failure::usage(words),
        _ => Failure::internal(words),
    }
}
