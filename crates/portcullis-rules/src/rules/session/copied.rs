//! Commands that stood word for word in what somebody else wrote. Owns which commands everybody runs, whoever wrote them down.

use super::{doing::ends_own, told::made};
use crate::{
    action::ActionKind,
    effect::{Effect, EffectKind, LayerId, Run},
    finding::Finding,
    place::is_inside_workspace,
    risk::Severity,
    rules::Scene,
    session::{Weight, opened},
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
            .unwrap_or_default()
            .trim();
        if !is_preamble(text) {
            told = told.or_else(|| session.copied(text));
        }
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
        let parts = pieces(whole, "&&").chain(pieces(whole, ";")).chain(pieces(whole, "\n"));
        let is_code = matches!(scene.action.kind, ActionKind::Code { .. });
        let is_told = |at: usize, part: &str| {
            let behind = whole.get(at + part.len()..).unwrap_or_default();
            session.copied(&opened(part.trim(), behind.lines().skip(1)))
        };
        let all = Some(whole.trim()).filter(|all| !is_preamble(all));
        told = all.and_then(|all| session.copied(all)).or_else(|| {
            let mut parts = parts
                .filter(|(_, part)| !is_preamble(part.trim()))
                .filter(|(at, part)| is_code || does_something(*at, part, scene));
            parts.find_map(|(at, part)| is_told(at, part))
        });
    }
    // What the person wants done as the project's own guide says is their word.
    let is_guided = scene.facts.session.asked().follows_guide();
    let told = told.filter(|(_, weight)| !(is_guided && *weight == Weight::Project));
    if let Some((from, _)) = told {
        let message = format!("this command stood word for word in {from}");
        found.extend(made("session.command.copied", scene, Severity::High, message));
    }
}

/// Whether a line only prepares what comes behind it, and does nothing by itself that its own effects would not say: where it runs, under which
/// settings, with which module. It stands at the top of every script.
fn is_preamble(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let is_plain = !line.contains(['`', '<', '>', '|', ';', '&', '\n', '(']);
    let is_set_up = match first {
        "source" | "." => words.next().is_some_and(|path| {
            !path.contains("://")
                && !["/tmp/", "/dev/", "/var/tmp/"].iter().any(|top| path.starts_with(top))
        }),
        "import" => true,
        "from" => line.contains(" import "),
        "cd" | "export" | "popd" | "pushd" | "set" | "sleep" | "umask" | "unset" | "wait" => true,
        _ => false,
    };
    is_plain && is_set_up
}

/// The parts of a command between separators, and where each begins.
fn pieces<'a>(whole: &'a str, separator: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let mut from = 0;
    whole.split(separator).map(move |part| {
        let at = from;
        from += part.len() + separator.len();
        (at, part)
    })
}

/// Whether a part of a command has a whole program in it that is none of everyday: neither a piece of a quoted text nor a mere setting.
fn does_something(from: usize, part: &str, scene: &Scene<'_>) -> bool {
    let to = from + part.len();
    let mut inside = scene.effects.list.iter().filter(|effect| {
        let span = effect.at.span.range();
        effect.at.layer == LayerId(0) && span.start >= from && span.end <= to
    });
    inside.any(|effect| match &effect.kind {
        EffectKind::Run(run) => !is_everyday(run, scene, effect),
        _ => true,
    })
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
        "kill" => ends_own(run, &scene.facts.session),
        "cp" => is_from_example(&words),
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
        "npx" | "bunx" if first == "playwright" => {
            fetches_browsers(words.get(1..).unwrap_or_default())
        }
        "playwright" => fetches_browsers(&words),
        "gh" | "glab" => {
            let second = words.iter().filter(|word| !word.starts_with('-')).nth(1);
            second.is_some_and(|second| {
                matches!(*second, "view" | "list" | "checks" | "diff" | "status" | "watch")
            }) && first != "api"
        }
        "pod" => matches!(first, "install" | "repo" | "deintegrate") && names_at_most(&words, 2),
        "npm" | "pnpm" | "yarn" | "bun" => {
            matches!(first, "ci" | "test" | "run" | "start" | "lint" | "build" | "")
                || matches!(first, "audit" | "fund" | "outdated" | "dedupe" | "rebuild")
                    && names_at_most(&words, 2)
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

/// Whether settings are begun from the example beside them: `cp .env.example .env`.
fn is_from_example(words: &[&str]) -> bool {
    let [from, to] = words else { return false };
    [".example", ".sample", ".template", ".dist"]
        .iter()
        .any(|end| from.strip_suffix(end) == Some(to))
        && !from.starts_with(['/', '~'])
        && !from.contains("..")
}

/// Whether a command of Playwright's own fetches the browsers that it is made for.
fn fetches_browsers(words: &[&str]) -> bool {
    const BROWSERS: &[&str] =
        &["chrome", "chromium", "chromium-headless-shell", "firefox", "msedge", "webkit"];
    let known = |word: &&str| BROWSERS.contains(word) || matches!(*word, "--with-deps" | "--force");
    match words {
        ["install" | "install-deps", rest @ ..] => rest.iter().all(known),
        _ => false,
    }
}

fn names_at_most(words: &[&str], most: usize) -> bool {
    words.iter().filter(|word| !word.starts_with('-')).count() <= most
        && !words.iter().any(|word| word.contains("://") || word.starts_with("--registry"))
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
