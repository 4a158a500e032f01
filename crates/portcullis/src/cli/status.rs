//! `status` and `doctor`: what stands in front of which agent, and whether it blocks. Owns how both are shown, and what is
//! looked at beside the agents; how it is found out, [`crate::install`] says.

mod prepared;

use std::{
    fs,
    io::{Read as _, Write},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use jiff::{SignedDuration, Timestamp, civil};
use serde::Serialize;
use serde_json::json;

use super::{
    Exit, Failure,
    install::{Setting, agents_argument, project_argument},
    json_flag,
    servers::{limits, page as servers_page, proxies, servers},
    shown, write_json,
};
use crate::{
    agents::{AGENTS, agent::Agent},
    audit::{Filter, Log},
    config::{Approve, Configuration},
    install::{
        doctor::{self, Check, Proof},
        front,
        status::{self, State, Status},
    },
    platform::{self, Directories, HOME},
    report::visible,
};

/// The version of both answers in JSON.
const VERSION: u32 = 1;

const CODES: &str =
    "Exit codes: 0 where all agents that are meant are guarded, 3 where something needs a person";

pub(super) fn define_status(command: Command) -> Command {
    agents_argument(command)
        .about("Show in front of which coding agents the gate is")
        .after_help(CODES)
        .arg(project_argument())
        .arg(json_flag())
}

pub(super) fn define_doctor(command: Command) -> Command {
    agents_argument(command)
        .about("Prove that the gate blocks: call it as each agent does, with a call that must be denied")
        .after_help(CODES)
        .arg(
            Arg::new("in-front")
                .long("in-front")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("A configuration of Envoy, agentgateway or docker's MCP gateway that asks this gate: whether it lets calls go on when nobody answers"),
        )
        .arg(project_argument())
        .arg(json_flag())
}

/// The agents that are meant: those that were named, else those that are here or call us.
fn meant(setting: &Setting) -> Vec<(&'static Agent, Status)> {
    let state = setting.record_directory();
    let look = |agent: &&'static Agent| {
        (*agent, status::status(agent, &setting.machine, &setting.program, Some(&state)))
    };
    if setting.named.is_empty() {
        let all = AGENTS.iter().map(look);
        all.filter(|(_, status)| status.found.is_some() || status.is_any()).collect()
    } else {
        setting.named.iter().map(look).collect()
    }
}

pub(super) fn status(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::looking(matches)?;
    let all = meant(&setting);
    let live = !all.is_empty() && all.iter().all(|(_, status)| status.is_live());
    let exit = if live { Exit::Done } else { Exit::Asked };
    if matches.get_flag("json") {
        let agents: Vec<_> = all
            .iter()
            .map(|(_, status)| {
                let mut value = serde_json::to_value(status).unwrap_or_default();
                if let Some(members) = value.as_object_mut() {
                    members.insert("live".to_owned(), status.is_live().into());
                }
                value
            })
            .collect();
        let program = setting.program.path();
        write_json(
            out,
            &json!({
                "v": VERSION,
                "program": program,
                "live": live,
                "approve": setting.configuration.hook.approve.name(),
                "agents": agents,
                "mcp": servers(&setting),
                "prepared": prepared::shapes(&setting),
            }),
        )?;
        return Ok(exit);
    }
    if all.is_empty() {
        shown(out, "no coding agent that is known here was found\n")?;
    }
    let text: String = all.iter().map(|(_, status)| page(status, &setting)).collect();
    shown(out, &text)?;
    shown(out, &servers_page(&servers(&setting)))?;
    shown(out, &approving(&setting))?;
    shown(out, &prepared::page(&setting))?;
    Ok(exit)
}

/// Which prompts of agents the gate answers.
fn approving(setting: &Setting) -> String {
    let told = match setting.configuration.hook.approve {
        Approve::Never => "none; `portcullis install --approve read-only` lets it",
        Approve::ReadOnly => "those for calls that only read",
        Approve::Policy => "those for calls that the policy allows and that are understood whole",
    };
    format!("prompts of agents that the gate answers for you (`[hook] approve`): {told}\n")
}

/// An agent for a person.
fn page(status: &Status, setting: &Setting) -> String {
    let word = if status.is_live() {
        "guarded"
    } else if status.unsupported.is_some() {
        "not guarded, and cannot be installed"
    } else if status.is_any() {
        "not guarded as it should be"
    } else {
        "not guarded"
    };
    let mut lines = vec![format!("{}: {word}", status.title)];
    match &status.found {
        Some(found) => lines.push(format!("  found: {found}")),
        None => lines.push("  not found on this machine".to_owned()),
    }
    if let Some(reason) = status.unsupported {
        lines.push(format!("  {reason}"));
    }
    for file in status.files.iter().filter(|file| file.state != State::Absent) {
        lines.push(format!("  {}: `{}`", file.scope, file.path));
        if let Some(command) = &file.command {
            let other = file.called_program().is_some_and(|path| path != setting.program.path());
            let note = if other { ", which is not this program" } else { "" };
            lines.push(format!("    calls `{command}`{note}"));
        }
        for fault in &file.faults {
            lines.push(format!("    wrong: {fault}"));
        }
        for other in &file.others {
            lines.push(format!("    beside us: `{other}`"));
        }
    }
    for reason in &status.off {
        lines.push(format!("  hooks are turned off: {reason}"));
    }
    if status.trusted == Some(false) {
        lines.push("  it is not seen to trust this hook yet".to_owned());
    }
    if let Some(time) = &status.disobeyed {
        lines.push(format!(
            "  ALARM: it ran a call that had been denied, {time}; `portcullis audit list` has it"
        ));
    } else if let Some(time) = &status.last_denied {
        lines.push(format!("  last denied call: {time}; it is not known to have run"));
    }
    match &status.last_call {
        Some(time) => lines.push(format!("  last call: {time}")),
        None if status.is_any() => lines.push("  it has not called yet".to_owned()),
        None => {}
    }
    if !status.is_live()
        && status.unsupported.is_none()
        && status.off.is_empty()
        && status.trusted != Some(false)
        && status.disobeyed.is_none()
    {
        lines.push(format!("  help: `portcullis install {}`", status.agent));
    }
    lines.iter().map(|line| format!("{}\n", visible::line(line))).collect()
}

#[derive(Serialize)]
struct Diagnosis {
    agent: Option<&'static str>,
    title: &'static str,
    checks: Vec<Check>,
}

pub(super) fn doctor(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::looking(matches)?;
    let elsewhere = setting.configuration.audit.path.is_some();
    let mut all = vec![Diagnosis { agent: None, title: "this machine", checks: machine(&setting) }];
    for (agent, status) in meant(&setting) {
        let named = !setting.named.is_empty();
        if !named && !status.is_any() {
            // What is not installed is told by `status`.
            continue;
        }
        let checks = doctor::prove(agent, &status, &setting.machine, &setting.program, elsewhere);
        all.push(Diagnosis { agent: Some(agent.name), title: agent.title, checks });
    }
    let mut proxies = proxies(&setting);
    proxies.extend(limits(&setting));
    let fronts = matches.get_many::<PathBuf>("in-front").into_iter().flatten();
    let fronts: Vec<Check> = fronts.flat_map(|path| in_front(path)).collect();
    if !fronts.is_empty() {
        all.push(Diagnosis { agent: None, title: "gateways in front", checks: fronts });
    }
    let guarded = all.len() > 1;
    if !proxies.is_empty() {
        all.push(Diagnosis { agent: None, title: "MCP servers", checks: proxies });
    }
    let failed = all.iter().flat_map(|one| &one.checks).any(|check| check.proof == Proof::Failed);
    let proven = guarded && !failed;
    let exit = if proven { Exit::Done } else { Exit::Asked };
    if matches.get_flag("json") {
        write_json(out, &json!({ "v": VERSION, "proven": proven, "diagnoses": all }))?;
        return Ok(exit);
    }
    for one in &all {
        shown(out, &format!("{}\n", one.title))?;
        for check in &one.checks {
            let word = match check.proof {
                Proof::Proven => "ok",
                Proof::Failed => "FAILED",
                Proof::Unproven => "not proven",
                Proof::Note => "note",
            };
            let time = check.milliseconds.map(|time| format!(" ({time} ms)")).unwrap_or_default();
            shown(out, &format!("  {word}: {}{time}\n", visible::line(&check.what)))?;
        }
    }
    if !guarded {
        shown(out, "no agent calls us: `portcullis install` puts the gate in front of them\n")?;
    }
    Ok(exit)
}

/// What another gateway does when this one cannot be asked.
fn in_front(path: &Path) -> Vec<Check> {
    /// Longer than any such file.
    const LONGEST: u64 = 16 << 20;
    let read = || {
        let mut text = String::new();
        fs::File::open(path)?.take(LONGEST).read_to_string(&mut text).map(|_| text)
    };
    let read: std::io::Result<String> = read();
    let name = path.display();
    match read {
        Ok(text) if text.len() as u64 == LONGEST => {
            vec![Check::new(Proof::Unproven, format!("`{name}` is too long to be read"))]
        }
        Ok(text) => {
            let checks = front::checks(&text).into_iter();
            checks
                .map(|check| Check { what: format!("`{name}`: {}", check.what), ..check })
                .collect()
        }
        Err(error) => {
            vec![Check::new(Proof::Unproven, format!("`{name}` cannot be read: {error}"))]
        }
    }
}

/// What every agent depends on.
fn machine(setting: &Setting) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut add = |sound: bool, right: &str, wrong: String| {
        checks.push(if sound {
            Check::new(Proof::Proven, right)
        } else {
            Check::new(Proof::Failed, wrong)
        });
    };
    let Directories { home, account, .. } = Directories::from_environment();
    let elsewhere = home.zip(account).filter(|(home, account)| home != account);
    match Configuration::load(None) {
        Ok(_) => add(true, "the configuration can be used", String::new()),
        Err(error) => add(false, "", format!("every call is denied: {error}")),
    }
    let directory = setting.record_directory();
    let insecure =
        fs::symlink_metadata(&directory).ok().and_then(|found| platform::insecurity(&found));
    add(insecure.is_none(), "the state directory is this user's alone", {
        let reason = insecure.map(|reason| reason.to_string()).unwrap_or_default();
        format!("`{}`: {reason}", directory.display())
    });
    let now = Timestamp::now();
    let mut last = None;
    match Log::open(&directory).and_then(|mut log| {
        let newest = Filter { limit: Some(1), ..Filter::default() };
        last = log.list(&newest)?.last().map(|record| record.time);
        log.verify(&[])
    }) {
        Ok(verification) => add(
            verification.is_intact(),
            "the record can be written, and nobody changed it",
            "the record was changed: `portcullis audit verify` tells where".to_owned(),
        ),
        Err(error) => add(false, "", format!("the record cannot be used: {error}")),
    }
    // No clock that is right is before this program was written, or before the last record.
    let earliest =
        civil::date(2026, 1, 1).to_zoned(jiff::tz::TimeZone::UTC).map(|time| time.timestamp());
    let is_late_enough = earliest.is_ok_and(|earliest| now > earliest);
    let is_after = last.is_none_or(|last| now + SignedDuration::from_mins(1) > last);
    add(
        is_late_enough && is_after,
        "the clock goes forward",
        format!("the clock says {now}, which is before what was recorded"),
    );
    if let Some((home, account)) = elsewhere {
        checks.push(Check::new(
            Proof::Note,
            format!(
                "`{HOME}` is `{}`, and the home of this account `{}`: a hook takes the account's own files where it has a \
                 configuration, or where an agent works in the other one",
                home.display(),
                account.display()
            ),
        ));
    }
    if let Some(warning) = setting.program.warning() {
        checks.push(Check::new(Proof::Note, warning));
    }
    checks.extend(prepared::checks(setting));
    checks
}
