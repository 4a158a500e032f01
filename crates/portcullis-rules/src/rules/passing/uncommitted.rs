//! Whether git throws away nothing that was never committed: by what the repository was seen to hold, or because this call
//! looks first. Owns that question; what is not known is lost.

use super::super::{Scene, chain::Chain, effects};
use crate::{
    effect::{Effect, EffectKind, Run},
    programs::Options,
    split::is_device,
};

/// Whether nothing is lost.
pub(super) fn is_nothing(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    was_looked_for(effect, scene) || was_seen(run, effect, scene)
}

/// What stood there when the repository was looked at is all committed, and nothing that this call does before brings
/// anything there that is nowhere else.
fn was_seen(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    /// Other names, other repositories, other settings.
    const LEADS_ELSEWHERE: &[&str] =
        &["alias", "function", "git()", "git ()", "GIT_", "PATH=", "core.worktree"];
    let is_led = scene
        .effects
        .layers
        .iter()
        .any(|layer| LEADS_ELSEWHERE.iter().any(|word| layer.text.contains(word)));
    if is_led || run.name.text.as_known() != Some("git") || !is_plain(run) {
        return false;
    }
    let range = effect.at.span.range();
    let is_of_this = |other: &&Effect| {
        let at = other.at.span.range();
        other.at.layer == effect.at.layer && range.start <= at.start && at.end <= range.end
    };
    let mut discarded = scene
        .effects
        .list
        .iter()
        .filter(is_of_this)
        .filter_map(|other| match &other.kind {
            EffectKind::Discard { target, whole } => Some((target, *whole)),
            _ => None,
        })
        .peekable();
    let names_source = Options::new(&run.arguments, &["-C", "-s", "--source"]).operands().count()
        > 2
        || run.arguments.iter().any(|word| {
            let word = word.text.known_prefix();
            word.starts_with("-s") || word.starts_with("--so")
        });
    discarded.peek().is_some()
        && discarded.all(|(target, whole)| {
            let Some(path) = target.path.as_deref() else { return false };
            // A pattern, for the shell or for git, may mean more than it names.
            let is_one = target.text.as_known().is_some_and(|text| {
                !text.contains(['*', '?', '[', '\\']) && !text.starts_with(':')
            });
            let kept = if whole { &scene.facts.work_trees } else { &scene.facts.uncommitted };
            // From another commit a directory may get files that stand there and git does not know.
            let may_cover = !whole
                && names_source
                && scene.facts.paths.get(path).is_none_or(|fact| {
                    fact.kind == crate::facts::PathKind::Directory || fact.leads_to.is_some()
                });
            is_one
                && !may_cover
                && kept.get(path) == Some(&false)
                && !is_brought(path, whole, effect, scene)
        })
}

/// Nothing but `-C DIRECTORY` before the verb, and no list of files from elsewhere.
fn is_plain(run: &Run) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    let verb = match words.as_slice() {
        ["-C", _, verb, ..] | ["--no-pager", verb, ..] | [verb, ..] => *verb,
        [] => return false,
    };
    matches!(verb, "checkout" | "reset" | "restore" | "switch")
        && !words.iter().any(|word| word.contains("pathspec"))
        && words.iter().filter(|word| **word == "-C").count() <= 1
}

/// Whether something could have come there before by this same call: a file that was moved, a change that was set aside.
fn is_brought(path: &str, whole: bool, effect: &Effect, scene: &Scene<'_>) -> bool {
    /// Verbs of git that bring nothing into a work tree but what is committed.
    const BRINGS_NOTHING: &[&str] = &[
        "add",
        "branch",
        "checkout",
        "commit",
        "describe",
        "diff",
        "fetch",
        "log",
        "ls-files",
        "remote",
        "reset",
        "restore",
        "rev-list",
        "rev-parse",
        "show",
        "status",
        "switch",
        "worktree",
    ];
    let is_below = |other: &str| {
        whole
            || other == path
            || other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
            || path.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
    };
    let before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    let mut before = before.filter(|other| other.at != effect.at);
    before.any(|other| match &other.kind {
        EffectKind::Write { target, .. } => {
            target.path.as_deref().is_none_or(|written| !is_device(written) && is_below(written))
        }
        _ => effects::run(other).is_some_and(|run| match run.program.as_str() {
            "git" => {
                let verb = Options::new(&run.arguments, &["-C", "-c"]).operands().next();
                !verb
                    .and_then(|verb| verb.text.as_known())
                    .is_some_and(|verb| BRINGS_NOTHING.contains(&verb))
            }
            "mv" | "rename" | "mmv" | "install" | "rsync" | "ln" | "tar" | "unzip" | "patch" => {
                true
            }
            _ => false,
        }),
    })
}

/// `git diff --quiet && git reset --hard origin/main`: what would be lost was looked for, and is not there.
fn was_looked_for(effect: &Effect, scene: &Scene<'_>) -> bool {
    const PROVED: &[&str] = &[
        "git diff --quiet",
        "git diff --quiet HEAD",
        "git diff --quiet --exit-code",
        "git diff --exit-code --quiet",
        "git diff-index --quiet HEAD",
        "git diff-index --quiet HEAD --",
        "[ -z \"$(git status --porcelain)\" ]",
        "[[ -z \"$(git status --porcelain)\" ]]",
        "[[ -z $(git status --porcelain) ]]",
        "test -z \"$(git status --porcelain)\"",
        "git stash",
        "git stash push",
        "git stash -u",
        "git stash push -u",
        "git stash --include-untracked",
    ];
    const BETWEEN: &[&str] = &[
        "git diff --cached --quiet",
        "git diff --quiet --cached",
        "git fetch",
        "git fetch origin",
        "git fetch --all",
        "git fetch --prune",
        "git fetch origin main",
    ];
    let is_replaced = scene.effects.layers.iter().any(|layer| {
        ["alias", "git()", "git ()", "function", "PATH=", "GIT_"]
            .iter()
            .any(|word| layer.text.contains(word))
    });
    let Some(chain) = Chain::before(effect, scene).filter(|_| !is_replaced) else { return false };
    for part in chain.steps.into_iter().rev() {
        if PROVED.contains(&part) {
            return true;
        }
        if !BETWEEN.contains(&part) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::{
        action::Action,
        call::ToolCall,
        decision::Verdict,
        facts::{Facts, PathFact, PathKind},
    };
    use portcullis_core::{gate::Gate, policy::Policy};

    /// Whether a command passes where the named things differ from what was committed, or do not.
    fn passes(command: &str, differs: bool) -> bool {
        let gate = Gate::new(Policy::default());
        let mut call = ToolCall { tool: "bash".into(), ..ToolCall::default() };
        call.arguments.insert("command".into(), command.into());
        call.cwd = Some("/home/dev/app".into());
        call.home = Some("/home/dev".into());
        let action = Action::from_call(call).unwrap();
        let plan = gate.plan(&action);
        let every = |paths: &std::collections::BTreeSet<String>| {
            paths.iter().map(|path| (path.clone(), differs)).collect()
        };
        let file = PathFact { exists: true, kind: PathKind::File, ..PathFact::default() };
        let facts = Facts {
            cwd: Some("/home/dev/app".into()),
            home: Some("/home/dev".into()),
            workspace: Some("/home/dev/app".into()),
            paths: plan.paths.iter().map(|path| (path.clone(), file.clone())).collect(),
            uncommitted: every(&plan.uncommitted),
            work_trees: every(&plan.work_trees),
            ..Facts::default()
        };
        gate.judge(&action, &facts).decision.verdict == Verdict::Allow
    }

    #[test]
    fn what_is_committed_is_not_asked_about() {
        for command in [
            "git checkout -- src/a.py",
            "git restore src/a.py",
            "git checkout HEAD~1 -- src/a.py",
            "git checkout .",
            "git reset --hard origin/main",
            "git fetch && git reset --hard origin/main",
            "cd sub && git checkout -- b.py",
            "git -C sub reset --hard",
            "git checkout -f main",
        ] {
            assert!(passes(command, false), "{command}");
            assert!(!passes(command, true), "{command}");
        }
    }

    #[test]
    fn what_could_be_something_else_is_asked_about() {
        for command in [
            "git stash pop && git checkout -- a.py",
            "mv ~/notes a.py && git checkout -- a.py",
            "cp ~/notes a.py && git checkout -- a.py",
            "GIT_DIR=/x/.git git checkout -- a.py",
            "git --work-tree=/x checkout -- a.py",
            "git -c core.worktree=/x checkout -- a.py",
            "git -C sub -C deep checkout -- a.py",
            "git diff --name-only | xargs git checkout --",
            "git checkout -- '*.py'",
            "git checkout -- ':/a.py'",
            "git checkout --pathspec-from-file=list HEAD",
            "git() { command git -C /x \"$@\"; }; git checkout -- a.py",
            "alias git='git -C /x'; git checkout -- a.py",
        ] {
            assert!(!passes(command, false), "{command}");
        }
    }
}
