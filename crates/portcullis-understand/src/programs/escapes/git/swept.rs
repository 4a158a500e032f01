//! Work trees that git sweeps or writes anew where its repository does not lie: `git -C ~ stash -u`, `GIT_WORK_TREE=/home/dev git reset
//! --hard`. Owns which subcommands take away or replace what lies there; which versions arrive is said by `versions`.

use super::super::git_tables::GLOBAL_VALUES;
use crate::{
    effect::{Argument, WriteMode},
    place::{self, Place},
    programs::{Options, host::Host},
    text::{Piece, Text},
};

/// What a subcommand does to the work tree.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Does {
    /// It takes away what version control does not have.
    Sweeps,
    /// It puts other versions of files in place.
    Puts,
}

/// Says which directory a subcommand sweeps, where that is another than the one of the work, or holds more than work.
pub(super) fn follow(walk: &mut dyn Host, before: &[Argument], verb: &str, after: &[Argument]) {
    let Some(does) = does(verb, after) else { return };
    let own = Options::new(before, GLOBAL_VALUES);
    let outer = walk.directory().map(str::to_owned);
    let began = walk.facts().cwd.clone();
    for directory in own.values_of(&["-C"]) {
        let inner = walk.target(&directory.text).path;
        walk.go_to(inner);
    }
    let by_setting = own.values_of(&["-c"]).filter_map(|setting| {
        let value = setting.text.known_prefix().strip_prefix("core.worktree=")?.to_owned();
        Some(setting.text.derive([Piece::Known(value)]))
    });
    let by_setting = by_setting.last();
    let tree = own
        .value(&["--work-tree"])
        .map(|value| value.text)
        .or_else(|| walk.variable_set("GIT_WORK_TREE"))
        .or(by_setting)
        .filter(|text| !text.is_empty());
    let span = after.iter().chain(before).fold(
        Default::default(),
        |span: portcullis_syntax::Span, word| {
            if span == Default::default() { word.span } else { span.to(word.span) }
        },
    );
    let is_told = tree.is_some();
    let is_here = !is_told && walk.directory() == began.as_deref();
    let tree = Argument { text: tree.unwrap_or_else(|| Text::known(".")), span };
    let target = walk.target(&tree.text);
    let (holds, place) = {
        let facts = walk.facts();
        let holds = target.path.as_deref().is_some_and(|path| place::contains_gate(path, facts));
        (holds, place::place_of(&target, facts))
    };
    let is_top = matches!(place, Place::Gate | Place::HomeTop | Place::Root | Place::SystemTop);
    let files = named(after);
    let is_whole = files.is_empty() || files.iter().any(|file| file.text.as_known() == Some("."));
    if is_whole && does == Does::Sweeps && (holds || is_top && !is_here) {
        walk.delete(&tree, true);
    } else if is_whole && !is_here && holds {
        walk.write(&tree, WriteMode::Edit, Text::unknown("git"));
    } else if is_whole && (!is_here && is_top || is_told && !place.is_workspace()) {
        walk.delete(&tree, true);
    }
    if is_told {
        let inner = target.path;
        walk.go_to(inner);
        for word in files.iter().chain(&operands(after)) {
            walk.hand(word, true);
        }
    }
    walk.go_to(outer);
}

/// The files behind `--`.
fn named(after: &[Argument]) -> Vec<Argument> {
    let behind = after.iter().skip_while(|word| word.text.as_known() != Some("--"));
    behind.skip(1).cloned().collect()
}

fn operands(after: &[Argument]) -> Vec<Argument> {
    let before = after.iter().take_while(|word| word.text.as_known() != Some("--"));
    before.filter(|word| !word.text.known_prefix().starts_with('-')).cloned().collect()
}

/// What a subcommand does to the work tree, by the options that say so: git-stash(1), git-clean(1), git-reset(1) and their like.
fn does(verb: &str, after: &[Argument]) -> Option<Does> {
    let options = Options::new(after, &[]).abbreviating();
    let first = options.operands().next().and_then(|word| word.text.as_known());
    match verb {
        "stash" => match first {
            None | Some("push" | "save") => {
                let sweeps = options.has(&["-u", "--include-untracked", "-a", "--all"]);
                Some(if sweeps { Does::Sweeps } else { Does::Puts })
            }
            Some("apply" | "branch" | "pop") => Some(Does::Puts),
            Some(_) => None,
        },
        "clean" => (!options.has(&["-n", "--dry-run"])).then_some(Does::Sweeps),
        "reset" => options.has(&["--hard", "--merge", "--keep"]).then_some(Does::Puts),
        "read-tree" => options.has(&["-u"]).then_some(Does::Puts),
        "restore" => {
            let is_staged = options.has(&["--staged", "-S"]) && !options.has(&["--worktree", "-W"]);
            (!is_staged).then_some(Does::Puts)
        }
        "am" | "checkout" | "checkout-index" | "cherry-pick" | "merge" | "pull" | "rebase"
        | "revert" | "switch" => Some(Does::Puts),
        _ => None,
    }
}
