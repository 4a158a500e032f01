//! Hooks that git starts: the project's in `.git/hooks` or where `core.hooksPath` leads, and husky's (git-scm.com/docs/githooks;
//! typicode.github.io/husky). Owns which verb starts which.

use super::{Starter, tree};
use crate::{
    text::Text,
    understand::shell::{Invocation, Walk},
};

pub(super) static GIT: Starter = Starter { programs: &["git"], start };

pub(super) static PRE_COMMIT: Starter = Starter { programs: &["pre-commit", "prek"], start: local };

/// Verbs and the hooks that they start.
const HOOKS: &[(&str, &[&str])] = &[
    ("am", &["applypatch-msg", "pre-applypatch", "post-applypatch"]),
    ("checkout", &["post-checkout"]),
    ("commit", &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]),
    ("merge", &["pre-merge-commit", "commit-msg", "post-merge"]),
    ("pull", &["pre-merge-commit", "post-merge"]),
    ("push", &["pre-push"]),
    ("rebase", &["pre-rebase", "post-rewrite", "post-checkout"]),
    ("switch", &["post-checkout"]),
];

fn start(walk: &mut Walk<'_>, invocation: &Invocation) {
    let known = |word: &crate::effect::Argument| word.text.as_known().map(str::to_owned);
    let words: Vec<String> = invocation.arguments.iter().filter_map(known).collect();
    let is_row = |word: &&String| HOOKS.iter().any(|(verb, _)| verb == word);
    let Some(verb) = words.iter().find(is_row) else { return };
    let Some((_, hooks)) = HOOKS.iter().find(|(name, _)| name == verb) else { return };
    let skips = words.iter().any(|word| word == "--no-verify" || word == "-n" && verb == "commit");
    let Some(root) = walk.facts().workspace.clone() else { return };
    let mut folder = format!("{root}/.git/hooks");
    let config = format!("{root}/.git/config");
    if let Some(file) = walk.look(&config).file() {
        let tree = tree::sections(&file.text);
        let path = tree.root().and_then(|root| {
            let section = root.entries().find(|(name, _)| name.eq_ignore_ascii_case("core"))?.1;
            let setting =
                section.entries().find(|(key, _)| key.eq_ignore_ascii_case("hookspath"))?;
            Some(setting.1.text()?.trim_matches('"').to_owned())
        });
        if let Some(path) = path {
            // Relative to where git runs hooks: the root of the work tree.
            let outer = walk.directory().map(str::to_owned);
            walk.go_to(Some(root.clone()));
            folder = walk.target(&Text::known(path)).path.unwrap_or(folder);
            walk.go_to(outer);
        }
    }
    let folders = [folder, format!("{root}/.husky")];
    for hook in hooks
        .iter()
        .filter(|hook| !skips || hook.starts_with("post-") || hook.starts_with("prepare-"))
    {
        for folder in &folders {
            walk.run_file("shell", &format!("{folder}/{hook}"), invocation.span, &[], None);
        }
    }
}

/// `pre-commit run`: hooks that the project's own configuration spells (`language: system`, pre-commit.com).
fn local(walk: &mut Walk<'_>, invocation: &Invocation) {
    let is_run = invocation.arguments.first().and_then(|word| word.text.as_known()) == Some("run");
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/.pre-commit-config.yaml")).file() else { return };
    if !is_run {
        return;
    }
    walk.in_file(&file, "pre-commit", invocation.span, |walk| {
        let tree = tree::yaml(&file.text);
        let repositories = tree.root().and_then(|root| root.get("repos"));
        for repository in repositories.iter().flat_map(|it| it.items()) {
            for hook in repository.get("hooks").iter().flat_map(|it| it.items()) {
                if let Some(entry) = hook.get("entry")
                    && let Some(text) = entry.text()
                {
                    walk.shell(&Text::known(text), entry.span, &[], None);
                }
            }
        }
    });
}
