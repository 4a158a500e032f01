//! What is done to something beside what the person named. Owns the comparison with the names that were said.

use super::{
    doing::{of_act, of_run, of_statement},
    told::{made, shown},
};
use crate::{
    action::{Action, ActionKind, FileOperation},
    effect::{EffectKind, Effects, Run},
    finding::Finding,
    risk::Severity,
    rules::Scene,
    session::{Acts, Given, Part},
};

/// What is deleted, stopped or restarted although the person named something else.
pub(super) fn beside(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let session = &scene.facts.session;
    let asked = session.asked();
    // What the same call gives a name is its own: `docker run --name web-test …; docker stop web-test`.
    let runs = scene.effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Run(run) if is_started(run) => Some(run),
        _ => None,
    });
    let names: Vec<&str> = runs.filter_map(name_given).collect();
    for effect in &scene.effects.list {
        let doing = match &effect.kind {
            // What another program starts is a command of its own.
            EffectKind::Run(run) if STARTERS.contains(&run.program.as_str()) => None,
            EffectKind::Run(run) => of_run(run).filter(|doing| {
                doing.acts.meet(Acts::DELETE) && !FILES.contains(&run.program.as_str())
                    || doing.words.iter().any(|word| word == "restart")
            }),
            EffectKind::Query { statement } => statement
                .as_known()
                .and_then(of_statement)
                .filter(|doing| doing.acts.meet(Acts::DELETE)),
            _ => None,
        };
        let Some(doing) = doing else { continue };
        if !asked.acts().meet(doing.acts.and(Acts::DELETE)) && !asked.wants_order()
            || !asked.names_things()
        {
            continue;
        }
        let is_thing = |given: &&Given<'_>| {
            let is_named = given.text.bytes().any(|letter| letter.is_ascii_alphabetic());
            let is_own = names.contains(&given.text);
            given.part == Part::Thing && is_named && !is_where(given.text) && !is_own
        };
        let things = doing.given.iter().filter(is_thing);
        let other = things.clone().find(|given| !asked.means(given.text));
        if let Some(other) = other {
            let message = format!(
                "the person named what is meant, and `{}` is something else",
                shown(other.text)
            );
            found.extend(made("session.target.beside", scene, Severity::High, message));
        }
        let acted = session.acted_on();
        let new = things.filter(|given| !session.has_acted_on(given.text)).count();
        if let Some(named) = asked.counted()
            && acted + new > named
            && other.is_none()
        {
            let message = format!("the person named {named}, and this makes it {}", acted + new);
            found.extend(made("session.target.beside", scene, Severity::High, message));
        }
    }
}

/// Whether a command starts a container of its own.
fn is_started(run: &Run) -> bool {
    let first = run.arguments.first().and_then(|argument| argument.text.as_known());
    matches!(run.program.as_str(), "docker" | "nerdctl" | "podman") && first == Some("run")
}

/// The name that a command gives what it starts.
fn name_given(run: &Run) -> Option<&str> {
    let mut words = run.arguments.iter().filter_map(|argument| argument.text.as_known());
    words
        .find_map(|word| word.strip_prefix("--name").map(|rest| rest.trim_start_matches('=')))
        .filter(|name| !name.is_empty())
        .or_else(|| {
            let mut words = run.arguments.iter().filter_map(|argument| argument.text.as_known());
            words.by_ref().find(|word| *word == "--name")?;
            words.next()
        })
}

/// An entry that is taken out of a file of data although the person named another one.
pub(super) fn edited_beside(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let asked = scene.facts.session.asked();
    let ActionKind::File { operation: FileOperation::Edit, path, .. } = &scene.action.kind else {
        return;
    };
    let is_data = [".json", ".yaml", ".yml", ".csv", ".toml"].iter().any(|end| path.ends_with(end));
    let texts = ["old_string", "old_str", "old_text", "oldText"];
    let old = texts.iter().find_map(|name| scene.action.call.arguments.get(*name)?.as_str());
    let Some(old) = old.filter(|_| {
        is_data && asked.counts_things() && asked.acts().meet(Acts::DELETE.and(Acts::RUN))
    }) else {
        return;
    };
    // Keys that say which entry it is: `"job_id": "job-7"`.
    let keyed = old.split("id\":").skip(1).filter_map(|behind| behind.split('"').nth(1));
    let other = keyed.clone().find(|id| id.len() > 3 && !asked.means(id));
    if let Some(other) = other.filter(|_| !keyed.clone().any(|id| asked.means(id))) {
        let message =
            format!("the person named what is meant, and `{}` is something else", shown(other));
        found.extend(made("session.target.beside", scene, Severity::High, message));
    }
}

/// Programs that delete files, which are compared by no name.
const FILES: &[&str] =
    &["rm", "rmdir", "unlink", "del", "kill", "pkill", "killall", "npm", "pip", "pip3", "cargo"];

/// Programs that start another one, by whose words that one is known.
const STARTERS: &[&str] = &["doas", "env", "nice", "nohup", "sudo", "time", "timeout", "xargs"];

/// Whether a word only says where something is.
fn is_where(word: &str) -> bool {
    matches!(
        word,
        "prod"
            | "production"
            | "staging"
            | "dev"
            | "default"
            | "kube-system"
            | "main"
            | "master"
            | "origin"
            | "rollout"
            | "down"
            | "compose"
            | "system"
    )
}

/// What a session keeps of an action that deletes or restarts: the names of what it was done to.
pub fn acted_on(action: &Action, effects: &Effects) -> Vec<String> {
    let mut names = Vec::new();
    for effect in &effects.list {
        if let EffectKind::Act(act) = &effect.kind {
            let doing = of_act(act, action);
            let mut things = doing.given.iter().filter(|given| {
                doing.acts.meet(Acts::DELETE)
                    && matches!(given.part, Part::Thing | Part::Recipient)
                    && !given.text.is_empty()
            });
            names.extend(things.next().map(|given| given.text.to_owned()));
        }
        let EffectKind::Run(run) = &effect.kind else { continue };
        let Some(doing) = of_run(run) else { continue };
        let restarts = doing.words.iter().any(|word| word == "restart");
        if doing.acts.meet(Acts::DELETE) && !FILES.contains(&run.program.as_str()) || restarts {
            let things = doing.given.iter().filter(|given| !is_where(given.text));
            names.extend(things.map(|given| given.text.to_owned()));
        }
    }
    names
}
