//! `undo`: what actions lost, brought back. Owns the options, which snapshot is meant and what is shown; what a snapshot is and how it is
//! brought back, [`crate::undo`] says.

mod prepare;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use serde_json::{Value, json};

use super::{Exit, Failure, egress, json_flag, policy as policies, shown, write_json};
use crate::{
    audit, platform,
    report::visible,
    session::{Options, Session},
    tree::{read_name, write_name},
    trial::{Places, commit},
    undo::{self, Difference, Restored, Snapshot, Store, UndoError},
};

/// How many files are named one by one.
const NAMED: usize = 100;

pub(super) fn define(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    command
        .about("Bring back what an action lost: files, their rights and times, branches and the index")
        .after_help(
            "What an action would lose is kept before it acts, in `run`, `tools`, `sandbox run` and hooks. What changed after the action is a conflict and\n\
             stays as it is. An undo is kept too, and can be undone by its name.\n\n\
             Exit codes: 0 it is as it was; 1 something could not be brought back; 65 files changed after the action; 64 there is no such snapshot.\n\n\
             Examples:\n  portcullis undo --list\n  portcullis undo --show\n  portcullis undo\n  portcullis undo 17 src\n  portcullis undo --session s1\n  portcullis undo --prepare",
        )
        .arg(flag("last", "The newest action that was not undone; so it is where nothing is named").conflicts_with_all(["which", "session", "list"]))
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("ID")
                .help("Everything that a session lost, the newest first")
                .conflicts_with_all(["list", "which"]),
        )
        .arg(flag("list", "What can be brought back"))
        .arg(flag("show", "Show what would be brought back, and change nothing"))
        .arg(flag("force", "Put back also what changed after the action"))
        .args(prepare::arguments())
        .args(egress::configuration_arguments())
        .arg(json_flag())
        .arg(Arg::new("which").value_name("N").help("The number of the action in the record, or the name of a snapshot"))
        .arg(
            Arg::new("paths")
                .value_name("PATH")
                .num_args(0..)
                .value_parser(ValueParser::path_buf())
                .help("Only what lies at or below these"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    if matches.contains_id(prepare::PREPARE) {
        return prepare::run(matches, out);
    }
    let configuration = policies::load(matches)?;
    let state = audit::directory(configuration.audit.path.as_deref())
        .map_err(|error| Failure::configuration(&error))?;
    let places = Places::usual(Some(&state));
    for said in commit::recover(&places).map_err(Failure::internal)? {
        let _ = io::stderr().write_all(format!("note: {}\n", visible::line(&said)).as_bytes());
    }
    let store = Store::open(&state)
        .map_err(|error| Failure::internal(format_args!("snapshots cannot be read: {error}")))?;
    if matches.get_flag("list") {
        return list(matches, &store, out);
    }
    let chosen = chosen(matches, &store)?;
    let mut record = Session::open(Options { configuration, ..Options::default() });
    let mut exit = Exit::Done;
    let mut shapes = Vec::new();
    let mut text = String::new();
    for snapshot in chosen {
        let one = bring_back(matches, &store, &places, snapshot, &mut record);
        let (shape, words, ended) = match one {
            Ok(one) => one,
            // What was brought back before stands, and is said.
            Err(failure) if shapes.is_empty() => return Err(failure),
            Err(failure) => {
                let _ = io::stderr().write_all(failure.render().as_bytes());
                exit = failure.exit;
                break;
            }
        };
        shapes.push(shape);
        text.push_str(&words);
        if ended != Exit::Done {
            exit = ended;
            break;
        }
    }
    if matches.get_flag("json") {
        write_json(out, &json!({ "v": undo::VERSION, "undone": shapes }))?;
    } else {
        shown(out, &text)?;
    }
    Ok(exit)
}

/// The snapshots that are meant.
fn chosen(matches: &ArgMatches, store: &Store) -> Result<Vec<Snapshot>, Failure> {
    let none = |what: &str| {
        Failure::usage(format_args!("{what}"))
            .with_help("`portcullis undo --list` shows what can be brought back")
    };
    if let Some(session) = matches.get_one::<String>("session") {
        let mut all = store.all();
        all.retain(|one| one.session.as_ref() == Some(session) && !one.undone);
        all.reverse();
        return if all.is_empty() {
            Err(none("nothing of that session can be brought back"))
        } else {
            Ok(all)
        };
    }
    let Some(which) = matches.get_one::<String>("which") else {
        let all = store.all();
        let mut left =
            all.into_iter().rev().filter(|one| !one.action.starts_with(undo::UNDO) && is_left(one));
        let newest = left.next().ok_or_else(|| none("nothing can be brought back"))?;
        // Whoever looks, or insists, means the one that was just told of.
        if newest.undone && !matches.get_flag("show") && !matches.get_flag("force") {
            return Err(half_done(&newest, left.find(|one| !one.undone).as_ref()));
        }
        return Ok(vec![newest]);
    };
    if let Ok(found) = store.read(which) {
        return Ok(vec![found]);
    }
    let number: Option<u64> = which.parse().ok();
    let found =
        store.all().into_iter().rev().find(|one| number.is_some() && one.sequence == number);
    found
        .map(|one| vec![one])
        .ok_or_else(|| none(&format!("there is no snapshot `{}`", visible::line(which))))
}

/// Whether something of it waits to be brought back: what stayed when it was undone may have been put right since.
fn is_left(snapshot: &Snapshot) -> bool {
    let stays = || {
        undo::difference(snapshot, &[], false)
            .is_ok_and(|found| found.iter().any(Difference::is_left))
    };
    !snapshot.undone || snapshot.staying > 0 && stays()
}

/// What the next undo would be is not plain where the last one is not done.
fn half_done(newest: &Snapshot, next: Option<&Snapshot>) -> Failure {
    let Snapshot { id, action, staying, .. } = newest;
    let words = format!(
        "the undo of {id} ({}) is half done: {staying} of its files stayed as they are",
        visible::line(action)
    );
    let mut help = format!(
        "`portcullis undo {id} --show` shows them, `portcullis undo {id} --force` puts them back"
    );
    if let Some(next) = next {
        let before = visible::line(&next.action);
        help.push_str(&format!(
            "; `portcullis undo {}` undoes the action before it ({before})",
            next.id
        ));
    }
    Failure::bad_input(words).with_help(help)
}

fn bring_back(
    matches: &ArgMatches,
    store: &Store,
    places: &Places,
    mut snapshot: Snapshot,
    record: &mut Session,
) -> Result<(Value, String, Exit), Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let paths: Result<Vec<PathBuf>, Failure> = matches
        .get_many::<PathBuf>("paths")
        .into_iter()
        .flatten()
        .map(|path| {
            let whole = platform::real(here.join(path).parent().unwrap_or(Path::new("/")));
            let whole = whole.join(path.file_name().unwrap_or_default());
            let below =
                whole.strip_prefix(&snapshot.workspace).or_else(|_| path.strip_prefix("./"));
            let below = below.map(Path::to_owned).unwrap_or_else(|_| path.clone());
            let is_plain =
                below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            if is_plain {
                Ok(below)
            } else {
                Err(Failure::usage(format_args!(
                    "`{}` lies outside of `{}`",
                    path.display(),
                    snapshot.workspace.display()
                )))
            }
        })
        .collect();
    let paths = paths?;
    let forced = matches.get_flag("force");
    let found = undo::difference(&snapshot, &paths, forced).map_err(|error| failure(&error))?;
    let mut text = page(&snapshot, &found);
    let mut shape = undo::shape(&snapshot, &found);
    if matches.get_flag("show") {
        return Ok((shape, text, Exit::Done));
    }
    let restored =
        undo::restore(store, places, &mut snapshot, &found).map_err(|error| failure(&error))?;
    if restored.count > 0 {
        let _ = record.note(restored.entry(platform::user_name(), &snapshot));
    }
    let Restored { count, conflicts, lost, kept: _ } = restored;
    text.push_str(&format!("{count} files brought back"));
    if conflicts > 0 {
        text.push_str(&format!(", {conflicts} left as they are, as they changed after the action (`--force` puts them back)"));
    }
    if lost > 0 {
        text.push_str(&format!(", {lost} cannot be brought back"));
    }
    text.push('\n');
    if let Some(shape) = shape.as_object_mut() {
        shape.insert("brought_back".to_owned(), json!(count));
    }
    let exit = match (conflicts, lost) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Ended(1),
        _ => Exit::BadInput,
    };
    Ok((shape, text, exit))
}

fn failure(error: &UndoError) -> Failure {
    match error {
        UndoError::Conflicts(found) => {
            let named: Vec<String> = found
                .iter()
                .take(NAMED)
                .map(|one| format!("`{}`: {}", write_name(&one.path), one.why))
                .collect();
            Failure::bad_input("nothing was brought back: files changed meanwhile")
                .with_help(named.join("; "))
        }
        UndoError::OtherPlace(_) => Failure::bad_input(error)
            .with_help("`--force` takes the directory that stands there now for it"),
        error => Failure::internal(error),
    }
}

fn page(snapshot: &Snapshot, found: &[Difference]) -> String {
    let mut text = format!(
        "undo       {}\n           of {} in {}\n",
        visible::line(&snapshot.action),
        snapshot.taken.get(..19).unwrap_or(&snapshot.taken),
        visible::line(&write_name(&snapshot.workspace)),
    );
    let shown: Vec<&Difference> = found.iter().filter(|one| one.is_news()).collect();
    for one in shown.iter().take(NAMED) {
        let (word, why) = one.what.words();
        let name = visible::line(&write_name(&one.path)).into_owned();
        match why {
            Some(why) => text.push_str(&format!("{word:<10} {name}  ({why})\n")),
            None => text.push_str(&format!("{word:<10} {name}\n")),
        }
    }
    if shown.len() > NAMED {
        text.push_str(&format!("           and {} more\n", shown.len() - NAMED));
    }
    for one in snapshot.left_out.iter().chain(&snapshot.beyond) {
        text.push_str(&format!("not kept   {}\n", visible::line(one)));
    }
    text
}

fn list(matches: &ArgMatches, store: &Store, out: &mut dyn Write) -> Result<Exit, Failure> {
    let all = store.all();
    let mut text = String::new();
    for one in &all {
        let record = one.sequence.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let scope: Vec<String> =
            one.scope.iter().filter_map(|path| Some(write_name(&read_name(path)?))).collect();
        let scope = if scope.is_empty() { "the workspace".to_owned() } else { scope.join(", ") };
        let undone = match (one.undone, one.staying) {
            (false, _) => String::new(),
            (true, 0) => "  (undone)".to_owned(),
            (true, staying) => format!("  (undone but for {staying} files)"),
        };
        text.push_str(&format!(
            "{}  {:>6}  {}  {}  [{}]{undone}\n",
            one.id,
            record,
            one.taken.get(..19).unwrap_or(&one.taken),
            visible::line(&one.action),
            visible::line(&scope),
        ));
    }
    if matches.get_flag("json") {
        return write_json(out, &undo::list(&all));
    }
    if text.is_empty() {
        text.push_str("nothing can be brought back\n");
    }
    shown(out, &text)
}
