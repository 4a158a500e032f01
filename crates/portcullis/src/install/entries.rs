//! Our entries among others'. Owns what an agent's entries look like, how they are found again, and how they are put into a
//! text and taken out of it; which file that is, it does not know.

mod removal;

use removal::without_one;
pub use removal::{Before, without};
use serde_json::Value;

use super::{
    command::{self, Called, Program, line},
    json::{self, Fragment, Misread, Node, Step},
};
use crate::agents::{
    agent::{Agent, Event, Moment},
    reply::{Saying, Word},
    table::{self, Entries, Form, Literal, Lost},
};

/// Members of a hook that a person may have added without making the gate looser, and that stay.
const KEPT: &[&str] = &["failClosed", "onFailure", "statusMessage", "name", "description"];

/// Why our entries are not put into a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntriesError {
    /// It is no JSON, or something else stands where the entries should.
    #[error("{0}")]
    Misread(#[from] Misread),
    /// A key is there that would have to be merged.
    #[error("`{0}` is set there already, and files of this kind are not merged")]
    Occupied(String),
    /// An entry calls us with more than we would write.
    #[error("the entry under `{event}` calls us with options of its own: `{command}`")]
    OwnOptions {
        /// Where.
        event: String,
        /// What it calls.
        command: String,
    },
    /// An entry calls a program that this user cannot change, and ours can be changed.
    #[error(
        "the entry under `{event}` calls `{program}`, which you cannot change, as you can this program"
    )]
    Protected {
        /// Where.
        event: String,
        /// What it calls.
        program: String,
    },
}

impl EntriesError {
    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Misread(_) => {
                "nothing was changed; make the file what the agent expects, and try again"
            }
            Self::Occupied(_) => {
                "nothing was changed; add a hook before each tool that runs `portcullis hook` and the agent's name by hand"
            }
            Self::OwnOptions { .. } | Self::Protected { .. } => {
                "nothing was changed; `portcullis uninstall` takes the entry away first, if that is what you want"
            }
        }
    }
}

/// A hook that stands in a text.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The event that it is under.
    pub event: String,
    /// What it is restricted to.
    pub matcher: Option<String>,
    /// The hook itself.
    pub hook: Value,
    /// Its command, where it has one.
    pub called: Option<Called>,
    /// Whether it calls us.
    pub ours: bool,
    path: Vec<Step>,
    /// How many hooks share its group.
    beside: usize,
}

/// An entry as it should be.
struct Wanted {
    /// The name that the agent's settings have for it.
    event: &'static str,
    speaks: &'static Event,
    matcher: Option<&'static str>,
    moment: Moment,
}

/// The events that are registered, under the names that the agent's settings have.
fn wanted(agent: &'static Agent, entries: &Entries) -> Vec<Wanted> {
    let mut all: Vec<Wanted> = Vec::new();
    let mut add = |name: &'static str, event: &'static Event| {
        if all.iter().all(|known| !known.event.eq_ignore_ascii_case(name)) {
            let matcher = entries.matcher.filter(|_| event.moment != Moment::Prompt);
            all.push(Wanted { event: name, speaks: event, matcher, moment: event.moment });
        }
    };
    let events = agent.events.iter();
    match entries.events {
        None => events.for_each(|event| add(event.name, event)),
        Some(names) => {
            for name in names {
                let mut events = agent.events.iter();
                if let Some(event) = events.find(|event| event.name.eq_ignore_ascii_case(name)) {
                    add(name, event);
                }
            }
        }
    }
    all
}

fn literal(literal: Literal) -> Fragment {
    match literal {
        Literal::Text(text) => Fragment::text(text),
        Literal::Number(number) => Fragment::Number(number),
        Literal::Flag(flag) => Fragment::Flag(flag),
    }
}

/// The hook alone: command, time limit, other members.
fn hook(
    wanted: &Wanted,
    entries: &Entries,
    agent: &Agent,
    program: &Program,
) -> Vec<(String, Fragment)> {
    let mut members: Vec<(String, Fragment)> = Vec::new();
    let before = entries.before.iter().filter(|_| wanted.moment == Moment::BeforeTool);
    for (key, value) in entries.members.iter().chain(before) {
        members.push(((*key).to_owned(), literal(*value)));
    }
    let words = command::guarded(words(agent, entries, program), script(wanted, entries));
    members.push((entries.command.to_owned(), Fragment::text(line(&words))));
    if let Some((key, limit)) = entries.timeout {
        let second = limit / table::USUAL_SECONDS;
        let limit = limit.saturating_add(second.saturating_mul(program.wait()));
        members.push((key.to_owned(), Fragment::Number(limit)));
    }
    members
}

/// What denies a call where we could not be run. What a tool answered and what a person wrote goes on.
fn script(wanted: &Wanted, entries: &Entries) -> Option<String> {
    if wanted.moment != Moment::BeforeTool {
        return None;
    }
    Some(match entries.lost {
        Lost::Exit => command::ending_in_denial(),
        Lost::Answer => {
            let word = Word::Deny(command::LOST.to_owned());
            let denial = (wanted.speaks.speak)(&Saying {
                event: wanted.speaks.name,
                word: &word,
                input: None,
            });
            command::ending_in_answer(&denial.output)
        }
    })
}

/// The words that an agent calls us with: it waits only where its time can be set.
fn words(agent: &Agent, entries: &Entries, program: &Program) -> Vec<String> {
    match entries.timeout {
        Some(_) => program.patient_words(agent.name),
        None => program.words(agent.name),
    }
}

/// An entry with all that is around the hook.
fn entry(wanted: &Wanted, entries: &Entries, mut hook: Vec<(String, Fragment)>) -> Fragment {
    let matcher = wanted.matcher.map(|matcher| ("matcher".to_owned(), Fragment::text(matcher)));
    match entries.form {
        Form::Hooks => {
            hook.extend(matcher);
            Fragment::Object(hook)
        }
        Form::Groups => {
            let mut group: Vec<_> = matcher.into_iter().collect();
            group.push(("hooks".to_owned(), Fragment::List(vec![Fragment::Object(hook)])));
            Fragment::Object(group)
        }
        Form::Triggers => {
            let is_action = |key: &str| matches!(key, "type" | "command");
            let (action, rest): (Vec<_>, Vec<_>) =
                hook.into_iter().partition(|(key, _)| is_action(key));
            let mut item = vec![
                ("name".to_owned(), Fragment::text(format!("portcullis-{}", wanted.event))),
                ("trigger".to_owned(), Fragment::text(wanted.event)),
            ];
            item.extend(matcher);
            item.push(("action".to_owned(), Fragment::Object(action)));
            item.extend(rest);
            Fragment::Object(item)
        }
    }
}

/// Every hook that stands in a text, of whomever.
#[must_use]
pub fn standing(root: &Node, entries: &Entries, program: &Program) -> Vec<Standing> {
    let mut path: Vec<Step> = Vec::new();
    let mut node = root;
    for key in entries.root {
        let Some(next) = node.get(key) else { return Vec::new() };
        path.push(Step::Key((*key).to_owned()));
        node = next;
    }
    let mut all = Vec::new();
    let mut add =
        |path: Vec<Step>, event: &str, matcher: &Node, hook: &Node, call: &Value, beside: usize| {
            let called = Called::of(call, entries.command);
            all.push(Standing {
                event: event.to_owned(),
                matcher: matcher
                    .get("matcher")
                    .and_then(|node| node.value().as_str().map(str::to_owned)),
                hook: hook.value(),
                ours: called.as_ref().is_some_and(|called| called.is_ours(program)),
                called,
                path,
                beside,
            });
        };
    let below = |path: &[Step], steps: &[Step]| [path, steps].concat();
    if entries.form == Form::Triggers {
        for (at, item) in node.items().unwrap_or_default().iter().enumerate() {
            let event = item.get("trigger").map(Node::value);
            let event = event.as_ref().and_then(Value::as_str).unwrap_or_default();
            let call = item.get("action").map(Node::value).unwrap_or_default();
            add(below(&path, &[Step::Item(at)]), event, item, item, &call, 1);
        }
        return all;
    }
    for member in node.members().unwrap_or_default() {
        let key = Step::Key(member.key.clone());
        for (at, item) in member.value.items().unwrap_or_default().iter().enumerate() {
            let place = below(&path, &[key.clone(), Step::Item(at)]);
            match entries.form {
                Form::Groups => {
                    let hooks = item.get("hooks").and_then(Node::items).unwrap_or_default();
                    for (index, hook) in hooks.iter().enumerate() {
                        let steps = [Step::Key("hooks".to_owned()), Step::Item(index)];
                        add(
                            below(&place, &steps),
                            &member.key,
                            item,
                            hook,
                            &hook.value(),
                            hooks.len(),
                        );
                    }
                }
                Form::Hooks | Form::Triggers => {
                    add(place, &member.key, item, item, &item.value(), 1);
                }
            }
        }
    }
    all
}

/// What is not as it should be with a hook of ours, in words; empty where all is well.
fn faults(
    standing: &Standing,
    wanted: &Wanted,
    entries: &Entries,
    agent: &'static Agent,
    program: &Program,
) -> Vec<String> {
    let mut faults = Vec::new();
    let shown = standing.called.as_ref().map(Called::shown).unwrap_or_default();
    let called = standing.called.as_ref();
    let script = script(wanted, entries);
    if called.map(|called| called.words.as_slice()) != Some(&words(agent, entries, program)) {
        faults.push(format!("it calls `{shown}`"));
    } else if called.and_then(|called| called.script.as_ref()) != script.as_ref() {
        faults.push(if script.is_some() {
            "it lets calls run where this program is gone or was killed".to_owned()
        } else {
            format!("it calls `{shown}`")
        });
    }
    let all = [None, Some(""), Some("*"), Some(".*"), wanted.matcher];
    if !all.contains(&standing.matcher.as_deref()) {
        let matcher = standing.matcher.as_deref().unwrap_or_default();
        faults.push(format!("it is restricted to `{matcher}`"));
    }
    let Value::Object(found) = &standing.hook else {
        faults.push("it is no object".to_owned());
        return faults;
    };
    let right = entry(wanted, entries, hook(wanted, entries, agent, program)).value();
    let right = match entries.form {
        Form::Groups => right.pointer("/hooks/0").cloned().unwrap_or_default(),
        Form::Hooks | Form::Triggers => right,
    };
    let time = entries.timeout.map_or("", |(key, _)| key);
    for (key, value) in found {
        let expected = right.get(key);
        let fine = match key.as_str() {
            // Versions that do not know it run the command alone, and take silence for consent.
            "args" => false,
            "command" | "bash" | "powershell" | "matcher" | "action" => true,
            key if key == time => value.as_u64() >= expected.and_then(Value::as_u64),
            key if expected.is_none() => KEPT.contains(&key),
            _ => expected == Some(value),
        };
        if !fine {
            faults.push(format!("`{key}` is {value}"));
        }
    }
    for (key, value) in right.as_object().into_iter().flatten() {
        let is_before = entries.before.iter().any(|(before, _)| before == key);
        let optional = !is_before && (key == time || KEPT.contains(&key.as_str()));
        if !optional && key != "matcher" && !found.contains_key(key) && !is_call(key) {
            faults.push(format!("`{key}`: {value} is missing"));
        }
    }
    faults
}

fn is_call(key: &str) -> bool {
    matches!(key, "command" | "args" | "bash" | "powershell" | "action")
}

/// What an agent's entries in a text come to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether any hook of ours is there.
    pub any: bool,
    /// What is not as it should be, in words.
    pub faults: Vec<String>,
    /// The commands that call us, each once, before a tool runs first.
    pub called: Vec<Called>,
    /// The commands of others before a tool runs.
    pub others: Vec<String>,
}

/// Reads what an agent's entries in a text come to.
#[must_use]
pub fn report(
    root: Option<&Node>,
    agent: &'static Agent,
    entries: &Entries,
    program: &Program,
) -> Report {
    if entries.events.is_some_and(<[_]>::is_empty) {
        return settings(root, entries);
    }
    let all = root.map(|root| standing(root, entries, program)).unwrap_or_default();
    let mut report = Report { any: all.iter().any(|one| one.ours), ..Report::default() };
    for wanted in wanted(agent, entries) {
        let here = || all.iter().filter(|one| one.event.eq_ignore_ascii_case(wanted.event));
        let ours: Vec<&Standing> = here().filter(|one| one.ours).collect();
        if wanted.moment == Moment::BeforeTool {
            let others = here().filter(|one| !one.ours).filter_map(|one| one.called.as_ref());
            report.others.extend(others.map(Called::shown));
        }
        for called in ours.iter().filter_map(|one| one.called.clone()) {
            if !report.called.contains(&called) {
                report.called.push(called);
            }
        }
        let faults = |one: &&Standing| faults(one, &wanted, entries, agent, program);
        let least = ours.iter().map(faults).min_by_key(Vec::len);
        match least {
            None => report.faults.push(format!("no entry under `{}`", wanted.event)),
            Some(found) => {
                let tell = |fault: String| format!("the entry under `{}`: {fault}", wanted.event);
                report.faults.extend(found.into_iter().map(tell));
            }
        }
    }
    if !report.any {
        report.faults.clear();
    }
    report
}

/// What settings come to that no hooks belong to.
fn settings(root: Option<&Node>, entries: &Entries) -> Report {
    let mut report = Report::default();
    for (keys, value) in entries.heads {
        let found = keys.iter().try_fold(root, |node, key| Some(node?.get(key))).flatten();
        let right = literal(*value).value();
        report.any |= found.is_some();
        if found.is_none_or(|found| found.value() != right) {
            report.faults.push(format!("`{}` is not {right}", keys.join(".")));
        }
    }
    if !report.any {
        report.faults.clear();
    }
    report
}

/// The text with our entries in it; the same text where they are all there.
///
/// # Errors
/// [`EntriesError`], where it cannot be read, or an entry of ours would be replaced by a looser one.
pub fn merged(
    text: &str,
    agent: &'static Agent,
    entries: &Entries,
    program: &Program,
) -> Result<String, EntriesError> {
    let mut text = text.to_owned();
    // Before anything else: then they stand above what they are about.
    for (keys, value) in entries.heads {
        let root = json::read(&text)?;
        let mut node = root.as_ref();
        for key in *keys {
            node = node.and_then(|node| node.get(key));
        }
        if node.is_none() {
            text = json::set(&text, keys, &literal(*value))?;
        }
    }
    for wanted in wanted(agent, entries) {
        let ours = |text: &str| -> Result<Vec<Standing>, Misread> {
            let root = json::read(text)?;
            let all = root.map(|root| standing(&root, entries, program)).unwrap_or_default();
            let is_here = |one: &Standing| one.ours && one.event.eq_ignore_ascii_case(wanted.event);
            Ok(all.into_iter().filter(is_here).collect())
        };
        let found = ours(&text)?;
        let sound = |one: &Standing| faults(one, &wanted, entries, agent, program).is_empty();
        if found.iter().any(sound) {
            continue;
        }
        let mut members = hook(&wanted, entries, agent, program);
        for one in &found {
            refuse_looser(one, agent, program)?;
            keep(one, &mut members);
        }
        for _ in &found {
            if let Some(one) = ours(&text)?.last() {
                text = without_one(&text, one)?;
            }
        }
        let mut path = entries.root.to_vec();
        if entries.form != Form::Triggers {
            path.push(wanted.event);
        }
        text = json::append(&text, &path, &entry(&wanted, entries, members))?;
    }
    Ok(text)
}

/// Carries over what a person added that makes the gate stricter.
fn keep(standing: &Standing, members: &mut Vec<(String, Fragment)>) {
    for key in KEPT {
        let value = match standing.hook.get(*key) {
            Some(Value::String(text)) => Fragment::text(text),
            Some(Value::Bool(flag)) => Fragment::Flag(*flag),
            _ => continue,
        };
        if members.iter().all(|(known, _)| known != key) {
            members.push(((*key).to_owned(), value));
        }
    }
}

fn refuse_looser(
    standing: &Standing,
    agent: &Agent,
    program: &Program,
) -> Result<(), EntriesError> {
    let Some(called) = &standing.called else { return Ok(()) };
    let event = standing.event.clone();
    let is_plain = !called.words.is_empty();
    if is_plain && called.says_more(agent.name) && called.has_options() {
        return Err(EntriesError::OwnOptions { event, command: called.shown() });
    }
    match called.program() {
        Some(other)
            if other != program.path() && !changeable(other) && changeable(program.path()) =>
        {
            Err(EntriesError::Protected { event, program: other.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Whether this user can put another program in a program's place. One that is not there, anybody can.
fn changeable(path: &str) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        let path = std::path::Path::new(path);
        !path.exists()
            || access(path, Access::WRITE_OK).is_ok()
            || path.parent().is_some_and(|parent| access(parent, Access::WRITE_OK).is_ok())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

fn at<'a>(root: &'a Node, path: &[Step]) -> Option<&'a Node> {
    path.iter().try_fold(root, |node, step| match step {
        Step::Key(key) => node.get(key),
        Step::Item(index) => node.items()?.get(*index),
    })
}

pub(super) fn is_empty(node: &Node) -> bool {
    node.members().is_some_and(<[_]>::is_empty) || node.items().is_some_and(<[_]>::is_empty)
}
