//! `undo --prepare`: a project kept before anybody loses something of it. Owns its arguments and what is shown.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, builder::ValueParser};
use serde_json::json;

use super::super::{Exit, Failure, policy as policies, shown, write_json};
use crate::{
    audit,
    platform::Directories,
    report::visible,
    tree::write_name,
    undo::{self, Ahead, Bounds, Prepared, Store, Unprepared},
};

/// The option.
pub(super) const PREPARE: &str = "prepare";

/// What a hook starts it with: the state directory that it took.
const AHEAD: &str = "ahead";

pub(super) fn arguments() -> [Arg; 2] {
    let path = |name: &'static str| Arg::new(name).long(name).value_parser(ValueParser::path_buf());
    [
        path(PREPARE)
            .value_name("DIR")
            .num_args(0..=1)
            .default_missing_value(".")
            .conflicts_with_all(["which", "paths", "last", "session", "list", "show", "force"])
            .help("Keep the project that this directory, or DIR, lies in, so that a snapshot has less to read when something is about to be lost"),
        path(AHEAD).value_name("STATE").requires(PREPARE).hide(true),
    ]
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let directory = matches.get_one::<PathBuf>(PREPARE).map_or(Path::new("."), PathBuf::as_path);
    if let Some(state) = matches.get_one::<PathBuf>(AHEAD) {
        let ahead = Ahead { state: state.clone(), workspace: directory.to_owned() };
        return ahead.run().map(|_| Exit::Done).map_err(|error| failure(&error, directory));
    }
    let configuration = policies::load(matches)?;
    let state = audit::directory(configuration.audit.path.as_deref())
        .map_err(|error| Failure::configuration(&error))?;
    if !configuration.snapshots.enabled {
        return Err(Failure::configuration("the configuration has nothing kept")
            .with_help("`snapshots = true` in `[undo]` has it kept"));
    }
    let whole =
        directory.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
            Failure::usage(format_args!("`{}` is no directory", directory.display()))
        })?;
    let home = Directories::from_environment().home;
    let workspace = Ahead::workspace(&whole, &state, home.as_deref())
        .map_err(|error| failure(&error, &whole))?;
    let store = Store::open(&state)
        .map_err(|error| Failure::internal(format_args!("nothing can be kept: {error}")))?;
    let prepared = undo::prepare(&store, &workspace, Bounds::usual())
        .map_err(|error| failure(&error, &workspace))?;
    if matches.get_flag("json") {
        write_json(out, &json!({ "v": undo::VERSION, "prepared": prepared.shape() }))?;
    } else {
        shown(out, &page(&prepared))?;
    }
    Ok(if prepared.left_out.is_empty() { Exit::Done } else { Exit::Ended(1) })
}

fn failure(error: &Unprepared, directory: &Path) -> Failure {
    match error {
        Unprepared::Busy => Failure::internal(error)
            .with_help("`portcullis status` shows when it has ended; it takes some seconds"),
        Unprepared::NoProject(why) => {
            Failure::usage(format_args!("`{}` is not kept: {why}", directory.display()))
                .with_help("name the directory of one project")
        }
        error => Failure::internal(format_args!("it could not be kept: {error}")),
    }
}

fn page(prepared: &Prepared) -> String {
    let Prepared { milliseconds, files, read, of_git, recent, left_out, .. } = prepared;
    let name = write_name(&prepared.workspace);
    let seconds = std::time::Duration::from_millis(*milliseconds).as_secs_f64();
    let mut text = format!(
        "kept       {files} files of {}\n           {read} read in {seconds:.1} s, {of_git} of them kept as git has them\n",
        visible::line(&name)
    );
    if *recent > 0 {
        text.push_str(&format!(
            "later      {recent} files changed just now, and are read when they are needed\n"
        ));
    }
    for one in left_out {
        text.push_str(&format!("not kept   {}\n", visible::line(one)));
    }
    text
}
