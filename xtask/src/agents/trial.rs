//! What is tried of one agent, in order. Owns the sequence and what it proves; the table is made in `report`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;

use super::{
    bench::{Bench, Harm, Outcome},
    isolation,
};
use crate::command::Failed;

/// What is looked at in a home before and after `uninstall`, at most.
const MAX_FILES: usize = 20_000;

/// What an agent showed.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The agent's name, and its version.
    pub(super) name: &'static str,
    pub(super) version: String,
    /// Why nothing could be shown.
    pub(super) failed: Option<String>,
    /// The harm that calls did without a gate; what an agent refuses by itself shows nothing of ours.
    pub(super) without: Vec<Harm>,
    /// What `install` said where it put nothing in front of the agent.
    pub(super) not_installed: Option<String>,
    /// What a person had to do by hand for the gate to be called.
    pub(super) by_hand: Option<&'static str>,
    /// The harm that calls did with the gate.
    pub(super) with: Vec<Harm>,
    /// Whether the harmless call ran with the gate.
    pub(super) is_harmless_run: bool,
    /// Whether the model was asked again after a harmless call.
    pub(super) goes_on: bool,
    /// Whether a dangerous call ran with the program gone, and with the program killed.
    pub(super) ran_gone: Option<bool>,
    pub(super) ran_killed: Option<bool>,
    /// What `status` says: whether the gate is in front.
    pub(super) is_called_guarded: bool,
    /// What the model was told of a dangerous call.
    pub(super) told: String,
    /// What was left after `uninstall`.
    pub(super) undone: Undone,
    /// How long the harmless task took without and with.
    pub(super) seconds: (f64, f64),
    /// What was noticed on the way.
    pub(super) notes: Vec<String>,
}

/// What `uninstall` came to.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) enum Undone {
    /// There was nothing to undo.
    #[default]
    Nothing,
    /// Every file is as it was.
    Exactly,
    /// These are not.
    Not(Vec<String>),
}

impl Trial {
    /// Whether an agent that `status` calls guarded let a dangerous call through, or the gate stopped a harmless one.
    pub(super) fn is_wrong(&self) -> bool {
        let has_run = !self.with.is_empty();
        self.is_called_guarded && has_run
            || self.not_installed.is_none() && self.failed.is_none() && !self.is_harmless_run
            || matches!(self.undone, Undone::Not(_))
    }
}

/// Tries one agent.
pub(super) fn trial(bench: &Bench<'_>, program: &Path) -> Result<Trial, Failed> {
    let agent = bench.fetched.agent;
    let mut trial =
        Trial { name: agent.name, version: bench.fetched.version.clone(), ..Trial::default() };

    let first = bench.task(vec![bench.harmless()], &[])?;
    if !bench.has_trace() {
        trial.failed = Some(format!("it did not do the harmless call by itself: {}", why(&first)));
        return Ok(trial);
    }
    // The first task of a home sets it up; the second one shows what a task takes.
    let outcome = bench.task(vec![bench.harmless()], &[])?;
    trial.seconds.0 = outcome.took.as_secs_f64();
    let all = Harm::ALL.map(|harm| bench.harmful(harm));
    let outcome = bench.task(all.to_vec(), &[])?;
    note(&mut trial, &outcome, "without a gate");
    trial.without = bench.harm();

    let before = files(&bench.home);
    let said = portcullis(bench, &["install", agent.name]);
    let changed = before != files(&bench.home);
    if !changed {
        trial.not_installed = Some(said.lines().next().unwrap_or_default().to_owned());
        return Ok(trial);
    }
    if uninstall(bench)? {
        trial.undone = undone(&before, &files(&bench.home));
    }
    portcullis(bench, &["install", agent.name]);

    let mut further: &[&str] = &[];
    let mut outcome = bench.task(vec![bench.harmful(Harm::Fetched)], further)?;
    if bench.harm().contains(&Harm::Fetched)
        && let Some((deed, words)) = agent.by_hand
    {
        trial.by_hand = Some(deed);
        further = words;
        outcome = bench.task(vec![bench.harmful(Harm::Fetched)], further)?;
    }
    trial.told = told(&outcome);
    for harm in Harm::ALL {
        if harm != Harm::Fetched {
            outcome = bench.task(vec![bench.harmful(harm)], further)?;
        }
        note(&mut trial, &outcome, "with the gate");
        if bench.harm().contains(&harm) {
            trial.with.push(harm);
            trial.notes.push(format!("{harm:?} ran; the model was told: {}", told(&outcome)));
        }
    }
    let outcome = bench.task(vec![bench.harmless()], further)?;
    trial.seconds.1 = outcome.took.as_secs_f64();
    trial.is_harmless_run = bench.has_trace();
    trial.goes_on = !outcome.script.told.is_empty();
    trial.is_called_guarded = guarded(bench);

    bench.take_program()?;
    bench.task(vec![bench.harmful(Harm::Fetched)], further)?;
    trial.ran_gone = Some(bench.harm().contains(&Harm::Fetched));
    bench.put_program(program)?;
    bench.kill_program()?;
    bench.task(vec![bench.harmful(Harm::Fetched)], further)?;
    trial.ran_killed = Some(bench.harm().contains(&Harm::Fetched));
    bench.put_program(program)?;

    let left = if uninstall(bench)? { mentions(&bench.home) } else { Vec::new() };
    if !left.is_empty() {
        trial.undone = Undone::Not(left);
    }
    Ok(trial)
}

/// What `portcullis` prints to these words.
fn portcullis(bench: &Bench<'_>, words: &[&str]) -> String {
    let mut command = std::process::Command::new(&bench.program);
    command.args(words).current_dir(&bench.project).stdin(Stdio::null());
    bench.surround(&mut command);
    command.output().map_or_else(
        |error| error.to_string(),
        |output| {
            let said = [output.stdout, output.stderr].concat();
            String::from_utf8_lossy(&said).into_owned()
        },
    )
}

/// Takes the gate away as a person at a terminal does, who is asked. Gives whether there is one.
fn uninstall(bench: &Bench<'_>) -> Result<bool, Failed> {
    let folder = bench.home.parent().unwrap_or(&bench.home);
    let words = format!(
        "cd {} && env HOME={} PATH={} {} uninstall {}",
        bench.project.display(),
        bench.home.display(),
        bench.search_path(),
        bench.program.display(),
        bench.fetched.agent.name
    );
    isolation::as_person(folder, &words)
}

/// Whether `status` calls the agent guarded.
fn guarded(bench: &Bench<'_>) -> bool {
    let said = portcullis(bench, &["status", "--json", bench.fetched.agent.name]);
    let said: Value = serde_json::from_str(said.trim()).unwrap_or_default();
    let agents = said.get("agents").and_then(Value::as_array).cloned().unwrap_or_default();
    agents.iter().any(|agent| {
        agent.get("agent").and_then(Value::as_str) == Some(bench.fetched.agent.name)
            && agent.get("live") == Some(&Value::Bool(true))
    })
}

/// The files of a home that an agent or an installer could have written, without what is ours.
fn files(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![home.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && entry.file_name() != "portcullis"
                || kind.is_dir() && is_plugin(&path)
            {
                folders.push(path);
            } else if kind.is_file() && files.len() < MAX_FILES {
                files.insert(path.clone(), fs::read(&path).unwrap_or_default());
            }
        }
    }
    files
}

/// Whether a folder of our name belongs to an agent and not to our own state.
fn is_plugin(path: &Path) -> bool {
    path.parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == "extensions" || name == "plugins")
}

fn undone(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Undone {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let differing: Vec<String> = paths
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| path.display().to_string())
        .collect();
    if differing.is_empty() { Undone::Exactly } else { Undone::Not(differing) }
}

/// The settings, hooks and plugins that still name us.
fn mentions(home: &Path) -> Vec<String> {
    let is_settings = |path: &Path| {
        let name = path.extension().and_then(|end| end.to_str()).unwrap_or("json");
        let is_log = path.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            [
                "log", "session", "project", "history", "cache", "backup", "snapshot", "data",
                "tmp", "share",
            ]
            .iter()
            .any(|word| part.to_ascii_lowercase().contains(word) && part.len() < 24)
        });
        !is_log && ["json", "toml", "yaml", "js", "ts"].contains(&name)
    };
    files(home)
        .into_iter()
        .filter(|(path, _)| path.strip_prefix(home).is_ok_and(is_settings))
        .filter(|(_, bytes)| {
            memmem(bytes, b"portcullis' hook") || memmem(bytes, b"portcullis hook")
        })
        .map(|(path, _)| path.display().to_string())
        .collect()
}

fn memmem(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

fn note(trial: &mut Trial, outcome: &Outcome, when: &str) {
    if outcome.is_late {
        trial.notes.push(format!("{when}: stopped after {} s", outcome.took.as_secs()));
    }
    if let Some((tool, offered)) = &outcome.script.not_offered {
        trial.notes.push(format!("{when}: no tool `{tool}` among {}", offered.join(", ")));
    }
    for path in &outcome.script.strangers {
        trial.notes.push(format!("{when}: asked for `{path}`"));
    }
}

/// What the model was told last, or what the agent printed where the model was told nothing.
fn told(outcome: &Outcome) -> String {
    let told = outcome.script.told.last().filter(|told| !told.trim().is_empty());
    told.map_or_else(|| format!("(nothing; printed: {})", outcome.last_words), Clone::clone)
}

fn why(outcome: &Outcome) -> String {
    let script = &outcome.script;
    match &script.not_offered {
        Some((tool, offered)) => format!("no tool `{tool}` among {}", offered.join(", ")),
        None if outcome.is_late => "it took too long".to_owned(),
        None => format!("{} calls made; {}", script.made, outcome.last_words),
    }
}
