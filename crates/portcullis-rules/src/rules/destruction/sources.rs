//! The sources of a project deleted as a whole. Owns by which names they are known.

use super::super::{
    Hit, Scene,
    effects::{about, deleted, run, written},
};
use crate::{effect::Effect, place::Place, risk::Severity};

/// Directories at the top of a project that hold what people wrote; nothing that a build makes is called so.
pub(super) const DIRECTORIES: &[&str] = &[
    "app",
    "apps",
    "crates",
    "internal",
    "migrations",
    "source",
    "sources",
    "spec",
    "src",
    "tests",
];

/// Files that people write and no build leaves behind.
const FILES: &[&str] = &[
    "*.cpp", "*.cs", "*.ex", "*.go", "*.java", "*.jsx", "*.kt", "*.php", "*.py", "*.rb", "*.rs",
    "*.scala", "*.swift", "*.ts", "*.tsx", "*.vue",
];

/// A directory of sources, or every file of a language in the project or in such a directory.
pub(super) fn whole_sources(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, recursive, place) = deleted(effect, scene)?;
    let path = target.path.as_deref()?;
    let top = scene.facts.workspace.as_deref()?.trim_end_matches('/');
    let below = path.strip_prefix(top)?.strip_prefix('/')?;
    let (directory, rest) = below.split_once('/').unwrap_or((below, ""));
    let is_all = |rest: &str| matches!(rest, "*" | "**" | "**/*");
    let is_directory = DIRECTORIES.contains(&directory);
    // `for name in os.listdir(project): rmtree(join(project, name))`
    let is_each_at_top = || {
        recursive
            && is_all(below)
            && scene.program_around(effect).is_none()
            && !chooses(effect, scene)
    };
    let is_whole =
        is_directory && (rest.is_empty() && recursive || is_all(rest)) || is_each_at_top();
    let found = match below.rsplit_once("**/") {
        Some((above, name)) if FILES.contains(&name) => {
            above.is_empty() || is_directory && above.trim_end_matches('/') == directory
        }
        _ => false,
    };
    let is_of_project = matches!(place, Place::Workspace | Place::WorkspaceTop);
    if !is_of_project || !(is_whole || found && !chooses(effect, scene)) {
        return None;
    }
    let whole = if is_directory { top.len() + 1 + directory.len() } else { path.len() };
    let whole = path.get(..whole)?;
    let is_missing = scene.facts.paths.get(whole).is_some_and(|fact| !fact.exists);
    (!is_missing && !is_put_back(whole, directory, effect, scene))
        .then(|| about(Severity::High, target, "this deletes the project's sources:"))
}

/// Tests of a search beside those of names and kinds.
const ASKS: &[&str] = &[
    "!",
    "-empty",
    "-ipath",
    "-iregex",
    "-maxdepth",
    "-mmin",
    "-mtime",
    "-newer",
    "-not",
    "-path",
    "-prune",
    "-regex",
    "-size",
    "-wholename",
];

/// Whether a word of a search asks for more than a name.
pub(super) fn asks_for_more(word: &str) -> bool {
    ASKS.contains(&word)
}

/// Whether a search asks for more than a name, or code chooses among what it goes through.
fn chooses(effect: &Effect, scene: &Scene<'_>) -> bool {
    const LOOPS: &[&str] = &["each", "for", "glob", "map"];
    const CHOOSES: &[&str] = &["case", "continue", "filter", "if", "select", "unless", "when"];
    if let Some(run) = scene.program_around(effect) {
        let mut words = run.arguments.iter().filter_map(|word| word.text.as_known());
        return words.any(asks_for_more);
    }
    let text = scene.effects.layer_text(effect.at.layer);
    let before = text.get(..effect.at.span.range().end).unwrap_or(text);
    let body = LOOPS.iter().filter_map(|word| before.rfind(word)).max().unwrap_or(0);
    let body = before.get(body..).unwrap_or_default();
    let words = body.split(|letter: char| !letter.is_alphanumeric());
    // All but a few are as good as all.
    words.into_iter().any(|word| CHOOSES.contains(&word))
        && !["!=", " not in ", "unless"].iter().any(|sign| body.contains(sign))
}

/// Whether this very call puts something else in the place of what it deletes.
fn is_put_back(path: &str, directory: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_there = |other: &str| {
        other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let behind = scene.effects.list.iter().skip_while(|other| !std::ptr::eq(*other, effect));
    behind.skip(1).any(|other| {
        let puts = || {
            written(other).is_some_and(|(to, ..)| to.path.as_deref().is_some_and(is_there))
                && scene.program_around(other).is_some_and(|run| {
                    matches!(run.program.as_str(), "cp" | "mv" | "rsync" | "tar" | "unzip")
                })
        };
        let restores = || {
            run(other).is_some_and(|run| {
                let mut words = run.arguments.iter().map(|word| word.text.known_prefix());
                run.program == "git"
                    && words.next().is_some_and(|verb| matches!(verb, "checkout" | "restore"))
                    && words.any(|word| {
                        matches!(word, "." | "./") || word.trim_end_matches('/') == directory
                    })
            })
        };
        puts() || restores()
    })
}
