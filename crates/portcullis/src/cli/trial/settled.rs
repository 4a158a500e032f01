//! `try --commit --if-settled`: what runs in the place of a call that nobody can know. Owns that it looks like the command to whoever called it,
//! and that nothing is taken over that would be asked about; which that is, the evidence says.

use std::{
    io::{self, Write},
    path::Path,
};

use portcullis_core::policy::Context;

use super::taking::Record;
use crate::{
    cli::{Exit, Failure, write},
    config::Configuration,
    platform,
    session::{Options, Session},
    trial::{
        Place, Places, Trial,
        evidence::{self, Evidence},
    },
};

/// Gives the output of the command, and takes over what it changed where nothing of it is a question.
pub(super) fn taken_over(
    configuration: &Configuration,
    workspace: &Path,
    (trial, place, places): (Trial, Place, Places),
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    write(out, trial.stdout.as_bytes())?;
    let _ = io::stderr().write_all(trial.stderr.as_bytes());
    let session = Session::open(Options {
        configuration: configuration.clone(),
        unrecorded: true,
        ..Options::default()
    });
    let workspace = platform::real(workspace);
    if !evidence::is_apart(&workspace, configuration.directories().homes()) {
        let words = format!("`{}` is no workspace of its own", workspace.display());
        return Err(Failure::refused(Exit::Asked, format_args!("nothing was taken over: {words}")));
    }
    let count = trial.changes.len();
    let id = trial.id.clone();
    let command = trial.command.join(" ");
    let evidence =
        Evidence::of((trial, place, places), workspace, &session, None, Context::default());
    if !evidence.found.is_settled() {
        let exit = evidence.trial.exit;
        let words = evidence.words().join("; ");
        let failure = Failure::refused(
            Exit::Asked,
            format_args!("exit {exit}, and nothing was taken over: {words}"),
        );
        return Err(failure.with_help(format_args!(
            "a person can take it over: `portcullis try --trial {id} --commit`"
        )));
    }
    let mut record = Record::open(configuration);
    let preview = format!("commit {count} changes of the trial {id}: {command}");
    record.intent("try", &preview, "each change goes on as an edit of a file")?;
    match evidence.take_over() {
        Ok(count) => {
            record.outcome(&format!("trial {id}: {count} changes taken over"));
            let words =
                format!("portcullis: tried apart from the files; {count} changes taken over\n");
            let _ = io::stderr().write_all(words.as_bytes());
            Ok(Exit::Done)
        }
        Err(error) => {
            record.outcome(&format!("trial {id}: not taken over: {error}"));
            Err(Failure::bad_input(format_args!("nothing was taken over: {error}")))
        }
    }
}
