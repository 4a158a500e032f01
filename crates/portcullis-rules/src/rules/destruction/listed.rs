//! Every file of a project deleted as a listing gives them, one after the other. Owns what a listing of everything is, and when a script leaves
//! something out of what it lists.

use super::{
    super::{
        Hit, Scene,
        effects::{about, deleted},
    },
    sources,
};
use crate::{
    effect::{Effect, EffectKind, Run, Target},
    place::Place,
    risk::Severity,
};

/// How much of a condition is read.
const CONDITION: usize = 200;

/// Words of scripts behind which it stands what of a list is meant.
const CHOOSES: &[&str] = &[
    "case",
    "elif",
    "filter",
    "find_all",
    "fnmatch",
    "grep",
    "if",
    "match",
    "partition",
    "preg_grep",
    "reject",
    "select",
    "switch",
    "test",
    "unless",
    "when",
    "where",
];

/// What asks of what kind a file is, or leaves out what no listing means: all of them are meant all the same.
const KINDS: &[&str] = &[
    "'.'",
    "'..'",
    "\".\"",
    "\"..\"",
    "-d $",
    "-d _",
    "-e $",
    "-f $",
    "-f _",
    "-f;",
    "directory?",
    "exist",
    "file?",
    "isDir",
    "isDot",
    "isFile",
    "isSymbolicLink",
    "is_dir",
    "is_file",
    "is_link",
    "is_symlink",
    "isdir",
    "isfile",
    "islink",
    "symlink?",
    // Whether the script itself is run.
    "__FILE__",
    "__name__",
    "import.meta.main",
    "require.main",
];

/// What asks for more than that.
const MORE: &[&str] = &[
    "*",
    "=~",
    "contains",
    "end_with",
    "ends",
    "extension",
    "extname",
    "include",
    "match",
    "mtime",
    "size",
    "splitext",
    "start",
    "suffix",
    "~=",
];

/// What goes through directories, all the way down; others list one directory.
const WALKERS: &[&str] = &["walk", "find", "rglob", "ecursive", "**", "-Recurse"];
const LISTERS: &[&str] =
    &["children", "dir", "Dir", "entries", "glob", "iter", "list", "scan", "ls"];

/// Every file that a listing of the project, or of a directory of sources, gives.
pub(super) fn each_listed(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, recursive, place) = deleted(effect, scene)?;
    if !matches!(place, Place::Unknown | Place::Workspace | Place::WorkspaceTop) {
        return None;
    }
    let is_everything =
        target.path.as_deref().is_some_and(|path| is_of_all(path, scene) && path.ends_with('*'));
    // `find src -type f | xargs rm`: no program deletes a directory so, but what a search gives.
    let is_searched = || !recursive && is_searched(target, scene);
    if !is_everything && !is_searched() && !is_listed(target, scene) || leaves_out(effect, scene) {
        return None;
    }
    Some(about(Severity::High, target, "this deletes all that a listing of the project gives:"))
}

/// Whether a listing gives every file of the project that is emptied so.
pub(super) fn empties_listed(effect: &Effect, target: &Target, scene: &Scene<'_>) -> bool {
    (is_listed(target, scene) || is_searched(target, scene)) && !leaves_out(effect, scene)
}

/// Whether a target is what a search of the sources gives.
fn is_searched(target: &Target, scene: &Scene<'_>) -> bool {
    target.path.as_deref().is_some_and(|path| is_of_all(path, scene))
        && scene.effects.list.iter().any(|it| searches(it, target))
}

/// Whether a name is any that a listing of all gives.
fn is_listed(target: &Target, scene: &Scene<'_>) -> bool {
    let origins = scene.origins(&target.text);
    let is_handed_on = |origin: &&Effect| match &origin.kind {
        EffectKind::Run(run) => lists_all(run),
        _ => true,
    };
    origins.iter().all(is_handed_on)
        && origins.iter().any(|origin| match &origin.kind {
            EffectKind::Run(run) => lists_all(run),
            EffectKind::Read(read) => {
                read.path.as_deref().is_some_and(|path| is_of_all(path, scene))
                    && goes_down(origin, scene)
            }
            _ => false,
        })
}

/// Whether a path is the project, a directory of its sources, or a pattern that everything below fits.
fn is_of_all(path: &str, scene: &Scene<'_>) -> bool {
    let Some(top) = scene.facts.workspace.as_deref().map(|top| top.trim_end_matches('/')) else {
        return false;
    };
    let Some(below) = path.strip_prefix(top) else { return false };
    let below = below.trim_start_matches('/').trim_start_matches("./").trim_end_matches('/');
    let directory = below.trim_end_matches(['*', '/']);
    let is_pattern = ["", "**", "**/*"].iter().any(|pattern| {
        below.strip_prefix(directory).is_some_and(|it| it.trim_start_matches('/') == *pattern)
    });
    is_pattern && (directory.is_empty() || sources::DIRECTORIES.contains(&directory))
}

/// Whether a program looks through a directory for whatever files are there, and prints them or hands them on.
fn searches(effect: &Effect, directory: &Target) -> bool {
    const HANDS_ON: &[&str] = &["--exec", "--exec-batch", "-X", "-exec", "-execdir", "-x"];
    const ENDS: &[&str] = &["bash", "cp", "rm", "sh", "shred", "truncate", "unlink"];
    let EffectKind::Run(run) = &effect.kind else { return false };
    if !matches!(run.program.as_str(), "fd" | "fdfind" | "find" | "gfind") {
        return false;
    }
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    let hands_on = words.iter().position(|word| HANDS_ON.contains(word)).unwrap_or(words.len());
    let (tests, handed_on) = words.split_at_checked(hands_on).unwrap_or_default();
    let chooses = |word: &&str| {
        sources::asks_for_more(word)
            || ["-delete", "-iname", "-name", "-ok", "-user"]
                .iter()
                .any(|test| word.starts_with(test))
    };
    let is_for_each = match handed_on {
        [] => true,
        [_, program, rest @ ..] => {
            ENDS.contains(program) && !rest.iter().any(|word| HANDS_ON.contains(word))
        }
        _ => false,
    };
    is_for_each
        && !tests.iter().any(chooses)
        && tests.iter().any(|word| directory.text.as_known() == Some(*word))
}

/// Whether a program is asked for all files of the project, or of a directory of its sources.
fn lists_all(run: &Run) -> bool {
    const MANNERS: &[&str] = &[
        "--",
        "--cached",
        "--files",
        "--full-tree",
        "--hidden",
        "--name-only",
        "--no-ignore",
        "--null",
        "-.",
        "-0",
        "-c",
        "-r",
        "-u",
        "-uu",
        "-z",
        ".",
        "./",
        ":/",
    ];
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    let rest = match (run.program.as_str(), words.as_slice()) {
        ("git", ["ls-files", rest @ ..]) => rest,
        // One word is the state that is listed.
        ("git", ["ls-tree", rest @ ..]) if rest.contains(&"-r") => {
            let is_revision = |word: &&str| !word.starts_with('-') && !MANNERS.contains(word);
            match rest.iter().position(is_revision).and_then(|at| rest.split_at_checked(at)) {
                Some((before, [_, rest @ ..])) if are_all(before, MANNERS) => rest,
                _ => return false,
            }
        }
        ("rg", rest) if rest.contains(&"--files") => rest,
        _ => return false,
    };
    are_all(rest, MANNERS)
}

/// Whether words choose nothing: manners of listing, and directories of sources.
fn are_all(words: &[&str], manners: &[&str]) -> bool {
    words.iter().all(|word| {
        manners.contains(word) || sources::DIRECTORIES.contains(&word.trim_end_matches('/'))
    })
}

/// Whether a listing goes into the directories that it finds, or is done again for each.
fn goes_down(listing: &Effect, scene: &Scene<'_>) -> bool {
    let text = scene.effects.layer_text(listing.at.layer);
    let span = listing.at.span.range();
    // The call stands around what it is given, or right before it.
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let around = text.get(line..span.end).unwrap_or_default();
    let again = scene.effects.list.iter().any(|other| {
        matches!(other.kind, EffectKind::Read(_))
            && !std::ptr::eq(other, listing)
            && other.at.layer == listing.at.layer
            && other.at.span == listing.at.span
    });
    again
        || WALKERS.iter().any(|word| around.contains(word))
        || !LISTERS.iter().any(|word| around.contains(word))
}

/// Whether the script in which a file is deleted leaves out some of what it lists.
fn leaves_out(effect: &Effect, scene: &Scene<'_>) -> bool {
    let text = scene.effects.layer_text(effect.at.layer);
    if let Some(run) = scene.program_around(effect) {
        let mut words = run.arguments.iter().filter_map(|word| word.text.as_known());
        if words.any(sources::asks_for_more) || ["[[", "[ "].iter().any(|it| text.contains(it)) {
            return true;
        }
    }
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(is_of_word)) {
        let start = from + start;
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len());
        from = start + end;
        let word = rest.get(..end).unwrap_or_default();
        let line = text.get(..start).unwrap_or_default();
        let line = line.rsplit('\n').next().unwrap_or_default().trim_start();
        let is_comment = line.starts_with(['#', '*']) || line.starts_with("//");
        if CHOOSES.contains(&word)
            && !is_comment
            && is_choice(word, rest.get(end..).unwrap_or_default())
        {
            return true;
        }
    }
    false
}

/// Whether a condition is one that only some of all names meet.
fn is_choice(word: &str, behind: &str) -> bool {
    let end = behind.char_indices().map(|(at, _)| at).take_while(|at| *at < CONDITION).last();
    let behind = behind.get(..end.unwrap_or_default()).unwrap_or_default();
    let mut lines = behind.lines();
    let condition = lines.next().unwrap_or_default();
    let has = |words: &[&str]| words.iter().any(|it| condition.contains(it));
    if has(KINDS) && !has(MORE) {
        return false;
    }
    let is_all_but_few = has(&["!=", " not in "]) || word == "unless";
    let mut done =
        [condition, lines.next().unwrap_or_default()].into_iter().flat_map(str::split_whitespace);
    let skips = done.any(|it| matches!(it.trim_end_matches([';', '}']), "continue" | "next"));
    let is_negated = has(&["not ", "!"]) || word == "unless";
    match skips {
        true => is_negated,
        false => !is_all_but_few,
    }
}
