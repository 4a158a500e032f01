//! What stands between agents and the world on this machine. Owns what is read back for that; it changes and runs nothing.

use std::{fs, path::Path};

use jiff::{Timestamp, Unit};
use portcullis_core::decision::Verdict;
use serde::Serialize;
use serde_json::Value;

use super::{
    command::{Called, Program},
    entries,
    file::{self, FileError},
    json, lines,
    machine::Machine,
    plugin,
};
use crate::{
    agents::{
        agent::Agent,
        table::{Content, Literal, Off, Scope, Switch, Target, Trust},
    },
    audit::{AuditError, Filter, Kind, Log, Record},
    hook::seen,
    session::DISOBEYED,
};

/// How many outcomes are looked through for calls that ran although they were denied.
const LOOKED_AT: u32 = 1_000;

/// How an agent stands.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The agent's name.
    pub agent: &'static str,
    /// Its name for a person.
    pub title: &'static str,
    /// What shows that it is on this machine.
    pub found: Option<String>,
    /// Why it cannot be installed.
    pub unsupported: Option<&'static str>,
    /// The files that make it call us.
    pub files: Vec<FileStatus>,
    /// What turns its hooks off.
    pub off: Vec<String>,
    /// Whether its person trusts the hook, where it asks for that and it can be seen.
    pub trusted: Option<bool>,
    /// When its hook last called.
    pub last_call: Option<String>,
    /// When a call of its was last denied, where its hook called.
    pub last_denied: Option<String>,
    /// When one last ran all the same.
    pub disobeyed: Option<String>,
}

/// How one file stands.
#[derive(Clone, Debug, Serialize)]
pub struct FileStatus {
    /// Whether it is for all that the user does, or for one project.
    pub scope: &'static str,
    /// Where it is.
    pub path: String,
    /// What it comes to.
    pub state: State,
    /// What is not as it should be.
    pub faults: Vec<String>,
    /// The command that it calls.
    pub command: Option<String>,
    /// What runs before a tool beside us.
    pub others: Vec<String>,
    #[serde(skip)]
    pub(super) called: Vec<Called>,
    #[serde(skip)]
    pub(super) target: &'static Target,
}

/// What a file comes to.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing of ours is there.
    Absent,
    /// All is as it should be.
    Live,
    /// Something of ours is there, and not as it should be.
    Changed,
    /// It cannot be read.
    Unreadable,
}

impl FileStatus {
    /// The program that it calls, where the command is a plain one.
    #[must_use]
    pub fn called_program(&self) -> Option<&str> {
        let is_plugin = matches!(
            self.target.content,
            Content::Entries(_) | Content::Plugin(_) | Content::Lines(_) | Content::Script(_)
        );
        self.called.first().filter(|_| is_plugin).and_then(Called::program)
    }
}

impl Status {
    /// Whether the agent calls us, as far as can be seen.
    #[must_use]
    pub fn is_live(&self) -> bool {
        let sound = |file: &FileStatus| matches!(file.state, State::Live | State::Absent);
        self.is_installed()
            && self.files.iter().all(sound)
            && self.off.is_empty()
            && self.trusted != Some(false)
            && self.disobeyed.is_none()
    }

    /// Whether anything of ours is there in either scope, whole.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        ["user", "project"].iter().any(|scope| {
            let meant = |file: &&FileStatus| file.scope == *scope && !file.target.former;
            let mut files = self.files.iter().filter(meant).peekable();
            files.peek().is_some() && files.all(|file| file.state == State::Live)
        })
    }

    /// Whether anything of ours is there at all.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.files.iter().any(|file| matches!(file.state, State::Live | State::Changed))
    }
}

/// How an agent stands on a machine, with the record of a state directory.
#[must_use]
pub fn status(
    agent: &'static Agent,
    machine: &Machine,
    program: &Program,
    state: Option<&Path>,
) -> Status {
    let files = [(Scope::User, "user"), (Scope::Project, "project")].into_iter().flat_map(
        |(scope, name)| {
            let mut targets = machine.targets(agent, scope);
            targets.retain(|(target, _)| !matches!(target.content, Content::Noted(_)));
            targets.into_iter().map(move |(target, located)| {
                file_status(
                    agent,
                    target,
                    name,
                    file::look(&located).map(|found| found.text),
                    &located.path,
                    program,
                )
            })
        },
    );
    let files: Vec<FileStatus> = files.collect();
    let off =
        agent.install.switches.iter().filter_map(|switch| turned_off(switch, machine)).collect();
    let installed = files.iter().any(|file| file.state != State::Absent);
    let last_call = state.and_then(|state| last_call(agent, state));
    let (last_denied, disobeyed) = match state.filter(|_| last_call.is_some()) {
        Some(state) => obedience(agent, state),
        None => (None, None),
    };
    Status {
        agent: agent.name,
        title: agent.title,
        found: machine.found(agent),
        unsupported: agent.install.missing,
        off,
        trusted: agent
            .install
            .trust
            .filter(|_| installed)
            .and_then(|trust| trusted(trust, &files, machine)),
        last_call,
        last_denied,
        disobeyed,
        files,
    }
}

fn file_status(
    agent: &'static Agent,
    target: &'static Target,
    scope: &'static str,
    read: Result<Option<String>, FileError>,
    path: &Path,
    program: &Program,
) -> FileStatus {
    let mut status = FileStatus {
        scope,
        path: path.display().to_string(),
        state: State::Absent,
        faults: Vec::new(),
        command: None,
        others: Vec::new(),
        called: Vec::new(),
        target,
    };
    let text = match read {
        Ok(Some(text)) => text,
        Ok(None) => return status,
        Err(error) => {
            status.state = State::Unreadable;
            status.faults.push(error.to_string());
            return status;
        }
    };
    match &target.content {
        Content::Entries(entries) => match json::read(&text) {
            Err(error) => {
                status.state = State::Unreadable;
                status.faults.push(error.to_string());
            }
            Ok(root) => {
                let report = entries::report(root.as_ref(), agent, entries, program);
                status.others = report.others;
                status.called = report.called;
                status.faults = report.faults;
                if report.any {
                    status.state =
                        if status.faults.is_empty() { State::Live } else { State::Changed };
                }
            }
        },
        Content::Lines(template) => {
            let command = plugin::lines_command(agent, program);
            let report = lines::report(&text, template, &command);
            status.called.extend(report.called);
            status.faults = report.faults;
            if report.any {
                status.state = if status.faults.is_empty() { State::Live } else { State::Changed };
            }
        }
        content if target.former => {
            if plugin::is_ours(content, &text) {
                status.state = State::Changed;
                status
                    .faults
                    .push("an older version wrote it: each call is judged twice".to_owned());
            }
        }
        content => {
            if plugin::text(content, agent, program).as_ref() == Some(&text) {
                status.state = State::Live;
                status.called.extend(own_call(content, agent, path, program));
            } else if plugin::is_ours(content, &text) {
                status.state = State::Changed;
                status.faults.push("it is not what this version writes".to_owned());
                status.called.extend(own_call(content, agent, path, program));
            } else {
                status.others.push(path.display().to_string());
            }
        }
    }
    status.command = status.called.first().map(Called::shown);
    for called in &status.called {
        status.faults.extend(missing_program(called));
    }
    if !status.faults.is_empty() && status.state == State::Live {
        status.state = State::Changed;
    }
    status
}

/// What a file of ours runs: a script is run itself.
fn own_call(content: &Content, agent: &Agent, path: &Path, program: &Program) -> Option<Called> {
    let (words, run) = match content {
        Content::Script(event) => {
            let path = path.to_str()?.to_owned();
            (plugin::script_words(event, agent, program), vec![path])
        }
        Content::Plugin(_) => {
            let words = program.words(agent.name);
            (words.clone(), words)
        }
        Content::Entries(_) | Content::Beside(_) | Content::Lines(_) | Content::Noted(_) => {
            return None;
        }
    };
    Some(Called::running(words, super::command::Run::Words(run)))
}

fn missing_program(called: &Called) -> Option<String> {
    let path = called.program().filter(|path| path.starts_with('/'))?;
    let path = Path::new(path);
    #[cfg(unix)]
    let runs = path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    let runs = path.is_file();
    (!runs).then(|| format!("`{}` is not a program that can be run", path.display()))
}

/// Why hooks are off, if a switch turns them off.
fn turned_off(switch: &Switch, machine: &Machine) -> Option<String> {
    let path = machine.locate(switch.place)?.path;
    let text = fs::read_to_string(&path).ok()?;
    let root: Value = if path.extension().is_some_and(|kind| kind == "toml") {
        toml::from_str(&text).ok()?
    } else {
        json::read(&text).ok()??.value()
    };
    let value = switch.keys.iter().try_fold(&root, |value, key| value.get(key))?;
    let is_off = match switch.off {
        Off::Is(Literal::Flag(flag)) => value == flag,
        Off::Is(Literal::Text(text)) => value == text,
        Off::Is(Literal::Number(number)) => value.as_u64() == Some(u64::from(number)),
        Off::Names => value.as_array().is_some_and(|list| names_us(list)),
        Off::Lacks => value.as_array().is_some_and(|list| !list.is_empty() && !names_us(list)),
    };
    is_off.then(|| format!("`{}` in `{}` is {value}", switch.keys.join("."), path.display()))
}

fn names_us(list: &[Value]) -> bool {
    list.iter().any(|item| item.as_str().is_some_and(|text| text.contains("portcullis")))
}

/// Whether the agent's person trusts our hook; `None` where that cannot be seen.
fn trusted(trust: Trust, files: &[FileStatus], machine: &Machine) -> Option<bool> {
    let Trust::Codex(place) = trust;
    let path = machine.locate(place)?.path;
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(false),
        Err(_) => return None,
    };
    let root: Value = toml::from_str(&text).ok()?;
    let Some(known) = root.pointer("/hooks/state").and_then(Value::as_object) else {
        return Some(false);
    };
    let is_known = |file: &FileStatus| {
        known.iter().any(|(key, state)| {
            let is_ours =
                key.strip_prefix(&file.path).is_some_and(|rest| rest.starts_with(":pre_tool_use:"));
            is_ours
                && state.get("trusted_hash").is_some_and(Value::is_string)
                && state.get("enabled") != Some(&Value::Bool(false))
        })
    };
    Some(files.iter().filter(|file| file.state == State::Live).any(is_known))
}

/// When its hook last called: what others say in its name does not count.
fn last_call(agent: &Agent, state: &Path) -> Option<String> {
    let time = Timestamp::try_from(seen::last(state, agent.name)?).ok()?;
    Some(time.round(Unit::Second).unwrap_or(time).to_string())
}

/// What the record says of denied calls of an agent whose hook calls: the last one, and when one last ran all the same.
fn obedience(agent: &Agent, state: &Path) -> (Option<String>, Option<String>) {
    let newest = |filter: Filter, is_it: fn(&Record) -> bool| {
        let read = || -> Result<Option<String>, AuditError> {
            let records = Log::read(state)?.list(&filter)?;
            Ok(records.iter().rev().find(|record| is_it(record)).map(Record::time_text))
        };
        read().ok().flatten()
    };
    let filter = |kind, limit| Filter {
        kind: Some(kind),
        agent: Some(agent.name.to_owned()),
        limit: Some(limit),
        ..Filter::default()
    };
    let denied = Filter { decision: Some(Verdict::Deny), ..filter(Kind::Decision, 1) };
    let ran = |record: &Record| {
        record.entry.outcome.as_deref().is_some_and(|outcome| outcome.starts_with(DISOBEYED))
    };
    (newest(denied, |_| true), newest(filter(Kind::Outcome, LOOKED_AT), ran))
}
