//! Taking a trial over. Owns who is asked, what the record is told, and what is said of conflicts.

use std::{io::Write, path::PathBuf, time::Duration};

use clap::ArgMatches;
use portcullis_core::{decision::Verdict, policy::Context};
use serde_json::{Value, json};

use super::super::{Exit, Failure, write_json};
use super::said;
use crate::{
    audit::{self, Entry, Kind},
    config::Configuration,
    person::Person,
    report::visible,
    session::{Options, Session},
    tree::write_name,
    trial::{self, Place, Places, Trial, commit},
};

/// How many files a question names.
const NAMED: usize = 30;

/// How long a person may take to answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the record is told.
pub(super) struct Record {
    session: Session,
    sequence: Option<u64>,
    cwd: Option<String>,
}

impl Record {
    pub(super) fn open(configuration: &Configuration) -> Self {
        let session =
            Session::open(Options { configuration: configuration.clone(), ..Options::default() });
        let cwd = std::env::current_dir().ok().and_then(|cwd| cwd.to_str().map(str::to_owned));
        Self { session, sequence: None, cwd }
    }

    /// Before anything happens.
    pub(super) fn intent(
        &mut self,
        tool: &str,
        preview: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        let entry = Entry {
            tool: Some(tool.to_owned()),
            decision: Some(Verdict::Allow),
            preview: Some(preview.to_owned()),
            reason: Some(reason.to_owned()),
            cwd: self.cwd.clone(),
            ..Entry::new(Kind::Decision)
        };
        self.sequence = self.session.noted(entry).map_err(|error| {
            Failure::internal(format_args!("nothing is done that cannot be recorded: {error}"))
        })?;
        Ok(())
    }

    pub(super) fn outcome(&mut self, words: &str) {
        if let Some(sequence) = self.sequence {
            // It is over; a record that breaks now is found by whoever comes next.
            let _ = self.session.note(Entry::outcome(sequence, words));
        }
    }
}

/// Takes changes over, each judged.
pub(super) fn commit(
    matches: &ArgMatches,
    configuration: &Configuration,
    places: &Places,
    place: &Place,
    trial: &Trial,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let paths: Vec<PathBuf> =
        matches.get_many::<PathBuf>("paths").into_iter().flatten().cloned().collect();
    let numbers = commit::chosen(trial, &paths).map_err(|path| {
        Failure::usage(format_args!("the trial changed nothing at `{}`", path.display()))
    })?;
    if numbers.is_empty() {
        return said(
            matches,
            out,
            &json!({ "v": trial::VERSION, "trial": trial.id, "committed": [] }),
            "nothing to take over\n",
        );
    }
    let found = commit::conflicts(trial, &numbers).map_err(Failure::internal)?;
    if !found.is_empty() {
        return conflicting(matches, trial, &found, out);
    }
    let mut record = Record::open(configuration);
    let context = Context { can_ask: true, ..Context::default() };
    let all = commit::judged(&record.session, place, trial, &numbers, None, context)
        .map_err(|error| Failure::internal(format_args!("a change cannot be judged: {error}")))?;
    let denied = all.iter().filter(|one| one.verdict == Verdict::Deny).count();
    let asked = all.iter().filter(|one| one.verdict == Verdict::Ask).count();
    let name = |number: usize| {
        let change = trial.changes.get(number)?;
        Some(write_name(&trial.roots.get(change.root)?.path.join(&change.path)))
    };
    let mut open: Vec<String> = Vec::new();
    let mut shapes = Vec::new();
    for one in all.into_iter().filter(|one| one.verdict != Verdict::Allow) {
        let path = name(one.number).unwrap_or_default();
        if open.len() < NAMED {
            open.push(format!(
                "{}: {} ({})",
                one.verdict.name(),
                visible::line(&path),
                visible::line(&one.reason)
            ));
        }
        shapes.push(json!({ "path": path, "decision": one.verdict.name(), "reason": one.reason }));
        if let Some(mut judged) = one.judged {
            record.session.record(&mut judged);
        }
    }
    if denied + asked > open.len() {
        open.push(format!("and {} more", denied + asked - open.len()));
    }
    let id = &trial.id;
    let refusal = |exit: Exit, out: &mut dyn Write| {
        let value = json!({ "v": trial::VERSION, "trial": id, "committed": [], "open": shapes });
        if matches.get_flag("json") {
            write_json(out, &value)?;
        }
        let words = if exit == Exit::Denied { "is denied" } else { "asks for a person" };
        Err(Failure::refused(
            exit,
            format_args!(
                "nothing was taken over: {} of {} changes {words}",
                denied + asked,
                numbers.len()
            ),
        )
        .with_help(format_args!(
            "{}; take others over with `portcullis try --trial {id} --commit PATH…`",
            open.join("; ")
        )))
    };
    if denied > 0 {
        return refusal(Exit::Denied, out);
    }
    if asked > 0 {
        let state = audit::directory(configuration.audit.path.as_deref()).ok();
        let Ok(mut person) = Person::at_terminal_beside(state.as_deref()) else {
            return refusal(Exit::Asked, out);
        };
        let question = format!(
            "take over {} changes of the trial {id}? {asked} of them ask:\n{}",
            numbers.len(),
            open.iter().map(|one| format!("  {one}")).collect::<Vec<_>>().join("\n"),
        );
        let agreed = person.confirm_within(&question, PATIENCE).unwrap_or(false);
        let entry = Entry {
            approver: Some(person.name().to_owned()),
            outcome: Some(if agreed { "approved" } else { "declined" }.to_owned()),
            reason: Some(format!("{asked} changes of the trial {id}")),
            ..Entry::new(Kind::Answer)
        };
        let recorded = record.session.noted(entry);
        if !agreed || recorded.is_err() {
            return refusal(Exit::Denied, out);
        }
    }
    let preview =
        format!("commit {} changes of the trial {id}: {}", numbers.len(), trial.command.join(" "));
    record.intent("try", &preview, "each change was judged as an edit of a file")?;
    match commit::commit(places, place, trial, &numbers, &mut || Ok(())) {
        Ok(()) => {
            record.outcome(&format!("trial {id}: {} changes taken over", numbers.len()));
            let names: Vec<String> = numbers.iter().filter_map(|number| name(*number)).collect();
            let value = json!({ "v": trial::VERSION, "trial": id, "committed": names });
            said(matches, out, &value, &format!("taken over {} changes\n", names.len()))
        }
        Err(commit::CommitError::Conflicts(found)) => {
            record.outcome(&format!("trial {id}: nothing taken over, files changed since"));
            conflicting(matches, trial, &found, out)
        }
        Err(error) => {
            record.outcome(&format!("trial {id}: not taken over: {error}"));
            Err(Failure::internal(error))
        }
    }
}

fn conflicting(
    matches: &ArgMatches,
    trial: &Trial,
    found: &[commit::Conflict],
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if matches.get_flag("json") {
        let shapes: Vec<Value> = found
            .iter()
            .map(|one| json!({ "path": write_name(&one.path), "why": one.why }))
            .collect();
        write_json(
            out,
            &json!({ "v": trial::VERSION, "trial": trial.id, "committed": [], "conflicts": shapes }),
        )?;
    }
    let named: Vec<String> = found
        .iter()
        .take(NAMED)
        .map(|one| format!("`{}`: {}", write_name(&one.path), one.why))
        .collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Err(Failure::bad_input(format_args!(
        "nothing was taken over: {} files changed since the trial",
        found.len()
    ))
    .with_help(format_args!(
        "{}{more}; try the command again, or name other files",
        named.join("; ")
    )))
}
