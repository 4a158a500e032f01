//! Where an answer comes from, and who could have written it. Owns which answers are somebody else's words.

use crate::{
    action::{Action, ActionKind},
    bound::Bounded as _,
    contract::{Class, Reach},
    effect::{EffectKind, Effects},
    facts::Facts,
    place::is_inside_workspace,
    session::{Source, Weight},
    split::is_device,
    text::Taint,
};

/// Where what a call answers comes from.
#[must_use]
pub fn source(action: &Action, effects: &Effects, facts: &Facts) -> Source {
    let given = action.call.arguments.values().filter_map(serde_json::Value::as_str);
    let given = given.filter(|text| text.len() <= ABOUT_BYTES).leading(ABOUT).map(str::to_owned);
    let about = given.collect();
    let (ran, is_git) = (ran(action), speaks_git(effects));
    let (made, wrote, starts) = (made(effects), wrote(action), starts(action));
    Source { about, ran, is_git, made, wrote, starts, ..place(action, effects, facts) }
}

/// How long a command may be that is known again in its own answer; of a longer one whatever it shows counts as somebody else's.
const RAN: usize = 8 << 10;

/// How many files of a call are known as its own, and how much of what it wrote.
const MADE: usize = 32;
const WROTE: usize = 64 << 10;

/// The files that a call writes.
fn made(effects: &Effects) -> Vec<String> {
    let written = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Write { target, .. } => target.path.as_deref().filter(|path| !is_device(path)),
        _ => None,
    });
    written
        .filter(|path| !path.contains(['*', '?', '[']))
        .leading(MADE)
        .map(str::to_owned)
        .collect()
}

/// What a call writes into files, or the commands that it runs.
fn wrote(action: &Action) -> String {
    let text = match &action.kind {
        ActionKind::File { content: Some((_, text)), .. } => text.clone(),
        ActionKind::Shell { command, .. } => command.replace(" && ", "\n").replace("; ", "\n"),
        _ => String::new(),
    };
    text.get(..text.floor_char_boundary(WROTE)).unwrap_or_default().to_owned()
}

/// Whether a command starts something that goes on.
fn starts(action: &Action) -> bool {
    let ActionKind::Shell { command, .. } = &action.kind else { return false };
    let plain = command.replace("&&", "").replace("2>&1", "").replace("&>", "");
    plain.contains('&')
}

/// The commands that a call runs: the whole of it and its parts, as a client shows them again above what they gave.
fn ran(action: &Action) -> Vec<String> {
    let ActionKind::Shell { command, .. } = &action.kind else { return Vec::new() };
    if command.len() > RAN {
        return Vec::new();
    }
    let parts = command.split("&&").flat_map(|part| part.split([';', '\n']));
    std::iter::once(command.as_str()).chain(parts).map(|part| part.trim().to_owned()).collect()
}

/// Whether nobody but git speaks in an answer, of what it was told to do: it shows neither files nor what others wrote into commits.
fn speaks_git(effects: &Effects) -> bool {
    const ACTS: &[&str] = &[
        "add", "checkout", "commit", "init", "merge", "push", "rebase", "restore", "rm", "stash",
        "switch",
    ];
    let mut has_git = false;
    for effect in &effects.list {
        match &effect.kind {
            EffectKind::Run(run) if run.program == "git" => {
                let mut words =
                    run.arguments.iter().filter_map(|argument| argument.text.as_known());
                has_git = true;
                let shows = |word: &str| {
                    matches!(word, "show" | "list" | "-p" | "--patch" | "-v" | "--verbose")
                };
                if !words
                    .clone()
                    .find(|word| !word.starts_with('-'))
                    .is_some_and(|word| ACTS.contains(&word))
                    || words.any(shows)
                {
                    return false;
                }
            }
            EffectKind::Run(run) if matches!(run.program.as_str(), "cd" | "echo" | "export") => {}
            EffectKind::Run(_) | EffectKind::Execute { .. } => return false,
            _ => {}
        }
    }
    has_git
}

/// How many texts of a call say what its answer is about, and how long each may be.
const ABOUT: usize = 8;
const ABOUT_BYTES: usize = 120;

fn place(action: &Action, effects: &Effects, facts: &Facts) -> Source {
    let of_tool = || format!("what `{}` answered", action.call.tool);
    let elsewhere = |from: String| Source { from, weight: Weight::Elsewhere, ..Source::default() };
    let definition = facts.session.tools().find(&action.call.tool);
    let is_served = definition.is_some_and(|tool| tool.server.is_some());
    if is_served && !effects.list.iter().any(|effect| matches!(effect.kind, EffectKind::Act(_))) {
        // What is kept there is nobody's of this machine, whatever the tool is called.
        return elsewhere(of_tool());
    }
    let act = effects.list.iter().find_map(|effect| match &effect.kind {
        EffectKind::Act(act) => Some(act),
        _ => None,
    });
    if let Some(act) = act {
        let is_own = !is_served
            && (act.contract.class == Class::Quiet || act.contract.reach == Reach::Local);
        let is_receipt = !matches!(act.contract.class, Class::Read | Class::Execute);
        let weight = if is_own { Weight::Project } else { Weight::Elsewhere };
        return Source { from: of_tool(), weight, is_receipt, ..Source::default() };
    }
    if matches!(action.kind, ActionKind::Tool | ActionKind::Http { .. } | ActionKind::Query { .. })
    {
        return elsewhere(of_tool());
    }
    let foreign = effects.list.iter().find_map(|effect| match &effect.kind {
        EffectKind::Connect(to) if !to.is_local => {
            Some(to.host.clone().unwrap_or_else(|| "the network".to_owned()))
        }
        EffectKind::Run(run) if FORGES.contains(&run.program.as_str()) => {
            Some(format!("what `{}` answered", run.program))
        }
        EffectKind::Read(target) => {
            let path = target.path.as_deref()?;
            let is_others =
                OTHERS.iter().any(|part| path.contains(part)) || facts.session.left(path).is_some();
            let is_own = facts.session.made().wrote_file(path);
            let is_far = !is_inside_workspace(target, facts) && !is_device(path);
            let is_new = facts.paths.get(path).is_some_and(|fact| fact.tracked == Some(false));
            (is_others || (is_far || is_new) && !is_own).then(|| format!("the file `{path}`"))
        }
        _ => None,
    });
    if effects.shown.taint.has(Taint::NETWORK) {
        return elsewhere(foreign.unwrap_or_else(|| "the network".to_owned()));
    }
    match foreign {
        Some(from) => elsewhere(from),
        None => Source {
            from: "the files of the project".to_owned(),
            weight: Weight::Project,
            ..Source::default()
        },
    }
}

/// Programs that show what people wrote elsewhere.
const FORGES: &[&str] = &["az", "gh", "glab", "hub", "jira", "linear", "slack", "tea"];

/// Directories in a project that others fill.
const OTHERS: &[&str] = &[
    "/node_modules/",
    "/site-packages/",
    "/vendor/",
    "/third_party/",
    "/.cargo/registry/",
    "/Downloads/",
];
