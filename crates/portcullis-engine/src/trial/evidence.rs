//! A trial as evidence about a call that asks because it is not understood. Owns what is tried, what of it counts, and the words for whoever
//! answers; which question that spares, the policy says, and nothing that was tried here runs again.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

use portcullis_core::{
    action::ActionKind,
    call::ToolCall,
    decision::Verdict,
    policy::{self, Context, Subject},
    secrets::redacted,
};
use serde_json::{Value, json};

use super::{Change, Place, Places, Request, Trial, TrialError, What, commit, tried};
use crate::{
    audit::{self, Entry},
    config::TryingGate,
    platform,
    report::visible,
    sandbox::environment,
    session::{Judged, Session},
    tree::write_name,
};

/// The most changes that are judged before somebody is asked. What made more of them is for a person.
const MOST_JUDGED: usize = 1_000;

/// The most files that are deleted unasked.
const MOST_DELETED: usize = 10;

/// How many things of a kind are named, and the longest name.
const NAMED: usize = 5;
const LONGEST_NAME: usize = 200;

/// The shells that a command is read for.
const SHELLS: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];

/// Held while something is tried for somebody who asks from elsewhere.
static TRYING: Mutex<()> = Mutex::new(());

/// A trial of a call, with what of it counts.
pub struct Evidence {
    /// What came of it.
    pub trial: Trial,
    /// Where it is kept.
    pub place: Place,
    /// Where trials are kept.
    pub places: Places,
    /// What the policy goes by.
    pub found: policy::Trial,
    /// The workspace that nothing of it may leave.
    workspace: PathBuf,
    /// What of its changes does not go on, with why.
    open: Vec<String>,
}

/// A call that is to be tried.
pub struct Wanted {
    workspace: PathBuf,
    directory: PathBuf,
    command: [OsString; 3],
}

/// What is to be tried of a call, where the gate may and the call is one that can be tried. Whoever runs it notes its intent before.
#[must_use]
pub fn wanted(judged: &Judged, gate: TryingGate) -> Option<Wanted> {
    let configuration = &judged.regime.configuration;
    let is_tried = configuration.trials.at(gate)
        && configuration.policy.may_be_tried(&subject(judged), &judged.judgement.decision);
    let ActionKind::Shell { command, .. } = &judged.action.kind else { return None };
    let (workspace, directory) = ground(judged).filter(|_| is_tried)?;
    let command = [shell()?, "-c", command.as_str()].map(OsString::from);
    Some(Wanted { workspace, directory, command })
}

impl Wanted {
    /// What the record is told before anything runs.
    #[must_use]
    pub fn entry(&self, judged: &Judged) -> Entry {
        Entry {
            session: judged.action.call.session.clone(),
            action: Some(judged.action.id()),
            outcome: Some("is tried".to_owned()),
            reason: Some(format!(
                "on files whose changes go elsewhere, without a network, in {}",
                named(&self.directory)
            )),
            ..Entry::new(audit::Kind::Change)
        }
    }

    /// Tries it.
    ///
    /// # Errors
    /// [`TrialError`], and then nothing is left.
    pub fn run(
        self,
        session: &Session,
        judged: &Judged,
        stop: &Arc<AtomicBool>,
    ) -> Result<Evidence, TrialError> {
        let Self { workspace, directory, command } = self;
        let configuration = &judged.regime.configuration;
        let directories = configuration.directories();
        let places = Places::usual(configuration.state().as_deref());
        commit::recover(&places)?;
        places.tidy();
        let request = Request {
            command: command.into(),
            workspace: workspace.clone(),
            directory: Some(directory),
            directories: &directories,
            places: &places,
            environment: environment(Vec::new()),
            proxy: None,
            timeout: configuration.trials.timeout,
            copied: false,
            stop: Arc::clone(stop),
            progress: None,
        };
        let (trial, place) = tried(&request, Vec::new)?;
        let context = Context { can_ask: true, ..judged.context };
        let call = Some(&judged.action.call);
        let trial = (trial, place, places);
        Ok(Evidence::of(trial, workspace, session, call, context))
    }

    /// Tries a call that whoever asks runs themselves, and puts what came of it before whoever answers. The question stays: what would run is not
    /// what was tried.
    pub fn tell(self, session: &Session, judged: &mut Judged) -> Option<Evidence> {
        // Where many ask at once, the machine is not theirs: one is tried, the others are asked about as ever.
        let _turn = TRYING.try_lock().ok()?;
        let tried = self.run(session, judged, &Arc::default());
        let reasons = &mut judged.judgement.decision.reasons;
        match tried {
            Ok(evidence) => {
                reasons.extend(evidence.words());
                Some(evidence)
            }
            Err(error) => {
                reasons.push(plain(&format!("it could not be tried first: {error}")));
                None
            }
        }
    }
}

/// The shell that a command is tried in.
#[must_use]
pub fn shell() -> Option<&'static str> {
    SHELLS.into_iter().find(|path| Path::new(path).exists())
}

/// What a decision on a call is about.
#[must_use]
pub fn subject(judged: &Judged) -> Subject<'_> {
    Subject {
        action: &judged.action,
        effects: &judged.judgement.effects,
        facts: &judged.facts,
        assessment: &judged.judgement.assessment,
    }
}

/// The workspace of a call and the directory in it where it runs; nothing where there is none that changes could be told apart from all else.
#[must_use]
pub fn ground(judged: &Judged) -> Option<(PathBuf, PathBuf)> {
    let workspace = platform::real(Path::new(judged.facts.workspace.as_deref()?));
    let directory = judged.facts.cwd.as_deref().map(|cwd| platform::real(Path::new(cwd)));
    let directory = directory.unwrap_or_else(|| workspace.clone());
    let directories = judged.regime.configuration.directories();
    let homes = directories.homes().chain(judged.facts.home.as_deref().map(Path::new));
    let fits =
        is_apart(&workspace, homes) && directory.starts_with(&workspace) && directory.is_dir();
    fits.then_some((workspace, directory))
}

/// Whether a directory is a workspace that changes can be told apart from all else by: none that holds a home, and not the root.
pub fn is_apart<'a>(workspace: &Path, homes: impl IntoIterator<Item = &'a Path>) -> bool {
    let mut homes = homes.into_iter();
    let holds_home = homes.any(|home| platform::real(home).starts_with(workspace));
    workspace.components().count() > 1 && !holds_home
}

/// What of a trial the policy goes by. What its changes are as edits is not known yet, and asks.
fn found(trial: &Trial, workspace: &Path) -> policy::Trial {
    let is_inside = |change: &Change| {
        let root = trial.roots.get(change.root);
        root.is_some_and(|root| root.path.join(&change.path).starts_with(workspace))
    };
    let seen = &trial.seen;
    policy::Trial {
        is_whole: trial.whole && trial.watched && seen.unread == 0 && seen.dropped == 0,
        ended_well: trial.exit == 0 && trial.stopped.is_none(),
        stayed_inside: trial.changes.iter().all(is_inside),
        wanted_network: !trial.wanted.is_empty() || !seen.addresses.is_empty(),
        met_secret: !seen.secrets.is_empty(),
        was_refused: !seen.refused.is_empty() || !seen.renamed.is_empty(),
        changes: Verdict::Ask,
    }
}

impl Evidence {
    /// What of a trial counts, with its changes judged as edits of files by whoever made a call.
    #[must_use]
    pub fn of(
        (trial, place, places): (Trial, Place, Places),
        workspace: PathBuf,
        session: &Session,
        call: Option<&ToolCall>,
        context: Context,
    ) -> Self {
        let found = found(&trial, &workspace);
        let mut evidence = Self { found, trial, place, places, workspace, open: Vec::new() };
        evidence.judge(session, call, context);
        evidence
    }

    fn judge(&mut self, session: &Session, call: Option<&ToolCall>, context: Context) {
        let count = self.trial.changes.len();
        if count > MOST_JUDGED {
            self.open.push(format!("it changed {count} files, more than are judged unasked"));
            return;
        }
        let numbers: Vec<usize> = (0..count).collect();
        match commit::judged(session, &self.place, &self.trial, &numbers, call, context) {
            Ok(all) => {
                let strictest = all.iter().map(|one| one.verdict).max();
                self.found.changes = strictest.unwrap_or(Verdict::Allow);
                let open = all.iter().filter(|one| one.verdict != Verdict::Allow);
                self.open = open
                    .take(NAMED)
                    .map(|one| {
                        let change = self.trial.changes.get(one.number);
                        let name = change.map(|change| self.name(change)).unwrap_or_default();
                        format!("to change `{name}` {}: {}", one.verdict.name(), one.reason)
                    })
                    .collect();
            }
            Err(error) => self.open.push(format!("a change of it cannot be judged: {error}")),
        }
        // As an edit each is small; all of them together are what a person wants to see.
        let grave = self.grave();
        if !grave.is_empty() {
            self.found.changes = self.found.changes.max(Verdict::Ask);
            self.open.splice(0..0, grave);
        }
    }

    /// What its changes are beside edits, each taken by itself.
    fn grave(&self) -> Vec<String> {
        let mut grave = Vec::new();
        let changes = &self.trial.changes;
        let deleted = changes.iter().filter(|change| change.what == What::Deleted).count();
        if deleted > MOST_DELETED {
            grave.push(format!("it deletes {deleted} files"));
        }
        let is_kept =
            |change: &&Change| change.path.components().any(|part| part.as_os_str() == ".git");
        if let Some(change) = changes.iter().find(is_kept) {
            grave.push(format!("it changes what version control keeps: {}", self.name(change)));
        }
        grave
    }

    /// Lets the changes go on in place of the call, where the policy says so. Whoever calls this takes them over, and runs nothing.
    pub fn settle(&self, judged: &mut Judged) -> bool {
        let policy = &judged.regime.configuration.policy;
        let decision = &judged.judgement.decision;
        let settled = policy.settled_by_trial(&subject(judged), decision, &self.found);
        let is_settled = settled.is_some();
        if let Some(decision) = settled {
            judged.judgement.decision = decision;
        }
        is_settled
    }

    /// Takes over all that it changed, or nothing.
    ///
    /// # Errors
    /// [`commit::CommitError`]
    pub fn take_over(&self) -> Result<usize, commit::CommitError> {
        let numbers: Vec<usize> = (0..self.trial.changes.len()).collect();
        if numbers.is_empty() {
            // There is nothing to take over, and nothing to keep.
            return self.place.remove().map(|()| 0).map_err(commit::CommitError::System);
        }
        commit::commit(&self.places, &self.place, &self.trial, &numbers, &mut || Ok(()))?;
        Ok(numbers.len())
    }

    /// What it changed, from the workspace.
    #[must_use]
    pub fn changed(&self) -> (&Path, Vec<PathBuf>) {
        let whole = self.trial.changes.iter().filter_map(|change| {
            let root = self.trial.roots.get(change.root)?;
            let path = root.path.join(&change.path);
            path.strip_prefix(&self.workspace).map(Path::to_owned).ok()
        });
        (&self.workspace, whole.collect())
    }

    fn name(&self, change: &Change) -> String {
        let root = self.trial.roots.get(change.root).map(|root| root.path.as_path());
        let path = root.unwrap_or(Path::new("/")).join(&change.path);
        named(path.strip_prefix(&self.workspace).unwrap_or(&path))
    }

    /// For whoever answers, most important first: sentences without secrets and without anything that could be taken for ours.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let Self { trial, found, workspace, .. } = self;
        let list = |names: Vec<String>, count: usize| {
            let more = count.saturating_sub(names.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", names.join(", "))
        };
        let paths = |all: &[PathBuf]| {
            list(all.iter().take(NAMED).map(|path| named(path)).collect(), all.len())
        };
        let (inside, outside): (Vec<&Change>, Vec<&Change>) =
            trial.changes.iter().partition(|change| {
                let root = trial.roots.get(change.root);
                root.is_some_and(|root| root.path.join(&change.path).starts_with(workspace))
            });
        let changes = |all: &[&Change]| {
            let names = all
                .iter()
                .take(NAMED)
                .map(|one| format!("{} {}", one.what.name(), self.name(one)))
                .collect();
            list(names, all.len())
        };
        let ended = trial.stopped.as_deref().map_or_else(
            || format!("ended with exit {}", trial.exit),
            |why| format!("was stopped, as {why}"),
        );
        let did = if inside.is_empty() {
            "changed nothing in the workspace".to_owned()
        } else {
            changes(&inside)
        };
        let mut words = vec![format!(
            "a trial of it on files whose changes go elsewhere {ended}: {did} (another run may do something else; `portcullis try --trial {}` shows it)",
            trial.id
        )];
        if !outside.is_empty() {
            words.push(format!("the trial left the workspace: {}", changes(&outside)));
        }
        if !trial.seen.addresses.is_empty() {
            let names = trial.seen.addresses.iter().take(NAMED).map(|one| plain(one)).collect();
            let names = list(names, trial.seen.addresses.len());
            words.push(format!("the trial wanted to connect to {names}"));
        }
        if !trial.seen.secrets.is_empty() {
            let names = paths(&trial.seen.secrets);
            words.push(format!("the trial looked at what is secret: {names}"));
        }
        if !trial.seen.refused.is_empty() {
            let names = paths(&trial.seen.refused);
            words.push(format!("the trial was refused to change {names}"));
        }
        if !found.is_whole {
            words.push("not everything that the trial did is known".to_owned());
        }
        words.extend(self.open.iter().map(|one| plain(one)));
        words
    }

    /// What the record is told, once it tells of the decision.
    #[must_use]
    pub fn entry(&self, judged: &Judged) -> Entry {
        Entry {
            refers_to: judged.sequence,
            session: judged.action.call.session.clone(),
            outcome: Some("tried".to_owned()),
            reason: Some(self.words().join("; ")),
            ..Entry::new(audit::Kind::Change)
        }
    }

    /// For a program.
    #[must_use]
    pub fn shape(&self) -> Value {
        let Self { trial, found, open, .. } = self;
        let changes: Vec<Value> = trial
            .changes
            .iter()
            .take(MOST_JUDGED)
            .map(|one| json!({ "path": self.name(one), "what": one.what.name() }))
            .collect();
        let names = |all: &[PathBuf]| -> Vec<String> {
            all.iter().take(MOST_JUDGED).map(|path| named(path)).collect()
        };
        json!({
            "id": trial.id,
            "exit": trial.exit,
            "stopped": trial.stopped,
            "means": trial.means,
            "milliseconds": trial.milliseconds,
            "changes": changes,
            "changes_left_out": trial.changes.len().saturating_sub(MOST_JUDGED),
            "stayed_inside": found.stayed_inside,
            "addresses": trial.seen.addresses.iter().map(|one| plain(one)).collect::<Vec<_>>(),
            "secrets": names(&trial.seen.secrets),
            "refused": names(&trial.seen.refused),
            "whole": found.is_whole,
            "open": open.iter().map(|one| plain(one)).collect::<Vec<_>>(),
            "settled": found.is_settled(),
        })
    }
}

fn named(path: &Path) -> String {
    plain(&write_name(path))
}

/// A text of the trial's as it may stand in a sentence of ours.
fn plain(text: &str) -> String {
    let text = redacted(text);
    let mut shown = visible::line(&text).into_owned();
    if shown.len() > LONGEST_NAME {
        shown.truncate(shown.floor_char_boundary(LONGEST_NAME));
        shown.push('…');
    }
    shown
}
