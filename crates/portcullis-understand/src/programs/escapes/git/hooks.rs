//! Hooks of git: which of them run when, and where they lie. Owns their names.

use super::{super::temporary::names_temporary, below};
use crate::{effect::Argument, place, programs::host::Host, text::Text};

/// Hooks that git runs as it is used every day.
const HOOKS: &[&str] = &[
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-merge",
    "pre-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
];

/// What works on the repository that is there, and brings nobody else's files before its hooks run.
const WORKS: &[&str] = &["add", "commit", "diff", "log", "push", "status"];

/// Directories of a project that hold what others wrote.
const OTHERS: &[&str] = &[
    "bower_components",
    "deps",
    "external",
    "node_modules",
    "third_party",
    "third-party",
    "vendor",
];

/// `git -c core.hooksPath=.githooks commit`: the hooks that the project keeps in a directory which is called so are run, as they would be by
/// their paths; they are read, and told. Whether it is that.
pub(super) fn own_hooks(
    walk: &mut dyn Host,
    words: &[Argument],
    verb: &str,
    setting: &Argument,
) -> bool {
    let Some((key, path)) = setting.text.as_known().and_then(|known| known.split_once('=')) else {
        return false;
    };
    let last = path.trim_end_matches("/_").rsplit('/').next().unwrap_or(path);
    let is_called_so = last.ends_with("hooks") || last == ".husky";
    let leads_within = !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..");
    // Elsewhere, another project's.
    let is_here = words.iter().all(|word| {
        let word = word.text.display();
        !["-C", "--git-dir", "--work-tree"].iter().any(|option| word.starts_with(option))
    });
    let directory = Argument { text: setting.text.beginning_with(path), span: setting.span };
    let is_own = key.eq_ignore_ascii_case("core.hookspath")
        && is_called_so
        && leads_within
        && is_here
        && WORKS.contains(&verb)
        && !walk.came(&directory.text)
        && !path.split('/').any(|part| OTHERS.contains(&part))
        && place::place_of(&walk.target(&directory.text), walk.facts()).is_workspace();
    if is_own {
        read_hooks(walk, &directory);
        walk.note("git.hooks.project", setting.span);
    }
    is_own
}

/// The hooks in a directory are read as far as they are there, or were written by this call.
pub(super) fn read_hooks(walk: &mut dyn Host, directory: &Argument) {
    for hook in HOOKS {
        let text = below(&directory.text, hook);
        let path = walk.target(&text).path;
        let is_there = path.is_some_and(|path| walk.look(&path).file().is_some());
        if is_there || walk.wrote(&text) {
            let file = Argument { text, span: directory.span };
            walk.at_likely(|walk| walk.script("shell", &file, &[], None));
        }
    }
}

/// `git submodule foreach …`, `git bisect run …`: one word is shell code, several are a command.
pub(super) fn git_runs_words(walk: &mut dyn Host, arguments: &[Argument], verb: &str) {
    let at = arguments.iter().position(|word| word.text.as_known() == Some(verb));
    let rest = at.and_then(|at| arguments.get(at + 1..)).unwrap_or(&[]);
    let options = rest
        .iter()
        .take_while(|word| word.text.as_known().is_some_and(|known| known.starts_with('-')))
        .count();
    let words = rest.get(options..).unwrap_or(&[]);
    let shown: Vec<&str> = words.iter().map(|word| word.text.known_prefix()).collect();
    if let Some(first) = words.first()
        && names_temporary(&Text::known(shown.join(" ")), walk.facts())
    {
        walk.note("execution.temporary.escape", first.span);
    }
    match words {
        [] => {}
        [code] => {
            walk.shell(&code.text, code.span, &[], None);
        }
        words => {
            walk.run(words, None);
        }
    }
}
