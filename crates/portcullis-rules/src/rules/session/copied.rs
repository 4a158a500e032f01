//! Commands that stood word for word in what somebody else wrote. Owns which commands everybody runs, whoever wrote them down.

use super::told::made;
use crate::{
    action::ActionKind,
    effect::{Effect, EffectKind, LayerId, Run},
    finding::Finding,
    place::is_inside_workspace,
    risk::Severity,
    rules::Scene,
    text::Taint,
};

/// Commands that stood word for word in what somebody else wrote.
pub(super) fn copied(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let session = &scene.facts.session;
    let (ActionKind::Shell { command: whole, .. } | ActionKind::Code { code: whole, .. }) =
        &scene.action.kind
    else {
        return;
    };
    if session.heard().commands() == 0 {
        return;
    }
    let mut told = None;
    for effect in &scene.effects.list {
        let EffectKind::Run(run) = &effect.kind else { continue };
        if effect.at.layer != LayerId(0) || is_everyday(run, scene, effect) {
            continue;
        }
        let text = scene
            .effects
            .layer_text(effect.at.layer)
            .get(effect.at.span.range())
            .unwrap_or_default();
        told = told.or_else(|| session.copied(text.trim()));
    }
    let changes = |effect: &Effect| match &effect.kind {
        EffectKind::Run(run) => !is_everyday(run, scene, effect),
        EffectKind::Write { target, .. } => target.path.as_deref() != Some("/dev/null"),
        EffectKind::Read(target) => !is_inside_workspace(target, scene.facts),
        EffectKind::Delete { .. } => true,
        _ => false,
    };
    let taint = scene.effects.shown.taint;
    if told.is_none() && (scene.effects.list.iter().any(changes) || taint.has(Taint::SECRET)) {
        let parts = whole.split("&&").chain(whole.split(';')).chain(whole.lines());
        told = session
            .copied(whole.trim())
            .or_else(|| parts.map(str::trim).find_map(|part| session.copied(part)));
    }
    if let Some((from, _)) = told {
        let message = format!("this command stood word for word in {from}");
        found.extend(made("session.command.copied", scene, Severity::High, message));
    }
}

/// Whether a command is one that everybody who works on a project runs, and that runs nothing but what is in it.
fn is_everyday(run: &Run, scene: &Scene<'_>, effect: &Effect) -> bool {
    let words: Vec<&str> =
        run.arguments.iter().filter_map(|argument| argument.text.as_known()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let first = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let names_nothing = || words.iter().filter(|word| !word.starts_with('-')).count() <= 1;
    match run.program.as_str() {
        "cd" | "true" | "pwd" | "ls" | "echo" | "which" | "test" | "[" | "export" => !writes(scene),
        "cat" | "head" | "tail" | "wc" | "grep" | "rg" | "find" | "tree" | "less" | "sort"
        | "diff" => {
            !scene.effects.shown.taint.has(Taint::SECRET)
                && scene.effects.list.iter().all(|other| match &other.kind {
                    EffectKind::Read(target) => is_inside_workspace(target, scene.facts),
                    EffectKind::Execute { .. } => false,
                    _ => true,
                })
        }
        "make" | "just" | "ninja" | "cmake" | "cargo" | "go" | "pytest" | "tox" | "nox"
        | "ruff" | "black" | "mypy" | "flake8" | "pylint" | "eslint" | "prettier" | "tsc"
        | "jest" | "vitest" | "mocha" | "gradle" | "gradlew" | "mvn" | "dotnet" | "rake"
        | "rspec" | "phpunit" | "ctest" | "pre-commit" => {
            !matches!(first, "install" | "get" | "add" | "publish") || names_nothing()
        }
        "npm" | "pnpm" | "yarn" | "bun" => {
            matches!(first, "ci" | "test" | "run" | "start" | "lint" | "build" | "")
                || matches!(first, "install" | "i") && names_nothing()
        }
        "pip" | "pip3" | "uv" | "poetry" | "pdm" | "bundle" | "composer" => {
            has(&["-r", "--requirement", "-e", "--editable", "."])
                || matches!(first, "sync" | "lock")
                || first == "install" && names_nothing()
                || first == "run"
        }
        "git" => matches!(
            first,
            "status"
                | "log"
                | "diff"
                | "show"
                | "fetch"
                | "pull"
                | "checkout"
                | "switch"
                | "add"
                | "commit"
                | "stash"
                | "branch"
                | "rebase"
        ),
        "docker" | "docker-compose" | "nerdctl" | "podman" => {
            matches!(first, "compose" | "build" | "ps" | "logs" | "up")
        }
        "python" | "python3" | "node" | "ruby" | "php" | "deno" | "bash" | "sh" => {
            if has(&["-m"]) {
                let module = words
                    .iter()
                    .skip_while(|word| **word != "-m")
                    .nth(1)
                    .copied()
                    .unwrap_or_default();
                return matches!(
                    module,
                    "pytest"
                        | "unittest"
                        | "venv"
                        | "build"
                        | "mypy"
                        | "black"
                        | "ruff"
                        | "coverage"
                        | "http.server"
                        | "json.tool"
                ) || module == "pip" && has(&["-r", "-e"]);
            }
            !has(&["-c", "-e", "-r", "--eval", "-p"]) && is_of_project(first)
        }
        program => {
            let own = effect.at.layer == LayerId(0)
                && run.name.text.as_known().is_some_and(|name| name.starts_with("./"));
            own && !program.is_empty()
        }
    }
}

/// Whether a script is named by a path in the project.
fn is_of_project(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['/', '~', '-'])
        && !path.contains("..")
        && !path.contains("://")
        && path.contains('.')
}

fn writes(scene: &Scene<'_>) -> bool {
    scene.effects.list.iter().any(|effect| matches!(effect.kind, EffectKind::Write { .. }))
        || scene.effects.shown.taint.has(Taint::SECRET)
}
