//! Deletions that lose nothing, or nothing that cannot be made again: what this call made itself, what version control has, what builds leave
//! behind. Owns the names by which such files are known, and the folders in which people keep their own.

use super::super::{
    Scene,
    effects::{deleted, run, written},
};
use crate::{
    effect::{Certainty, Effect, EffectKind, Target, WriteMode},
    place::{self, Place},
    programs::Options,
    text::Piece,
};

/// Directories of a home in which people keep what they made themselves, and where programs keep theirs.
pub(super) const PERSONAL: &[&str] = &[
    "applications",
    "archive",
    "backup",
    "backups",
    "books",
    "box",
    "calendar",
    "contacts",
    "desktop",
    "documents",
    "downloads",
    "dropbox",
    "family",
    "google drive",
    "icloud",
    "journal",
    "library",
    "mail",
    "movies",
    "music",
    "nextcloud",
    "notes",
    "onedrive",
    "papers",
    "photos",
    "pictures",
    "private",
    "public",
    "sync",
    "templates",
    "thesis",
    "vault",
    "videos",
    "writing",
];

/// How files end, or are called, that programs are made of or write by the way; version control has the ones that count.
const OF_PROJECTS: &[&str] = &[
    ".c",
    ".cc",
    ".cjs",
    ".cmake",
    ".cpp",
    ".cs",
    ".css",
    ".dart",
    ".ds_store",
    ".eslintcache",
    ".ex",
    ".exs",
    ".gitignore",
    ".go",
    ".gradle",
    ".h",
    ".hpp",
    ".html",
    ".java",
    ".js",
    ".jsx",
    ".kt",
    ".less",
    ".lock",
    ".log",
    ".lua",
    ".mjs",
    ".o",
    ".out",
    ".php",
    ".pid",
    ".pl",
    ".proto",
    ".py",
    ".pyc",
    ".rb",
    ".rs",
    ".sass",
    ".scala",
    ".scss",
    ".snap",
    ".svelte",
    ".swift",
    ".tmp",
    ".toml",
    ".ts",
    ".tsbuildinfo",
    ".tsx",
    ".vue",
    ".yaml",
    ".yml",
    ".zig",
    "/cmakelists.txt",
    "/dockerfile",
    "/go.sum",
    "/go.mod",
    "/makefile",
    "/package-lock.json",
    "/package.json",
    "/readme.md",
    "/tsconfig.json",
];

/// Whether one file, written out, is deleted that belongs to another project below the home: its sources, or what its
/// programs leave behind.
pub(super) fn is_of_other_project(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let (Some(path), Some(home)) = (target.path.as_deref(), scene.facts.home.as_deref()) else {
        return false;
    };
    let is_written = target.text.as_known().is_some() && !path.contains(['*', '?', '[']);
    let Some(below) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    // A link may lead anywhere.
    let leads = scene.facts.paths.get(path).is_some_and(|fact| fact.leads_to.is_some());
    let lower = below.to_ascii_lowercase();
    let mut folders = lower.split('/').rev().skip(1).peekable();
    let in_project = folders.peek().is_some()
        && folders
            .all(|folder| !folder.starts_with('.') && PERSONAL.binary_search(&folder).is_err());
    is_written
        && !leads
        && in_project
        && OF_PROJECTS.iter().any(|end| lower.ends_with(end))
        && place::credential_of(target, scene.facts).is_none()
        && place::persistence_of(target, scene.facts).is_none()
        && place::agent_file_of(target, scene.facts).is_none()
}

/// Whether a directory that only bears the name of a build's output lies right beside the project, beside a directory around it, or in
/// the home: there it is a directory like any other.
pub(super) fn is_beside(target: &Target, scene: &Scene<'_>) -> bool {
    const NAMES: &[&str] = &["build", "dist", "target"];
    let Some((around, name)) = target.path.as_deref().and_then(|path| path.rsplit_once('/')) else {
        return false;
    };
    let is_around = |inner: &str| {
        let rest = inner.strip_prefix(around);
        !around.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
    };
    NAMES.contains(&name)
        && (scene.facts.workspace.as_deref().is_some_and(is_around)
            || scene.facts.home.as_deref() == Some(around))
}

/// Whether what is deleted is what a repository without a working tree holds: `mirror.git/objects`.
pub(super) fn is_of_bare_repository(effect: &Effect, scene: &Scene<'_>) -> bool {
    const HELD: &[&str] = &["HEAD", "objects", "packed-refs", "refs"];
    let Some((target, ..)) = deleted(effect, scene) else { return false };
    let Some(path) = target.path.as_deref().filter(|path| path.contains(".git/")) else {
        return false;
    };
    let mut parts = path.split('/').skip_while(|part| !part.ends_with(".git") || *part == ".git");
    parts.next().is_some() && parts.next().is_some_and(|held| HELD.contains(&held))
}

/// Whether files of one kind are deleted below a directory of a project, a kind that programs make and make again.
pub(super) fn is_made_again(effect: &Effect, scene: &Scene<'_>) -> bool {
    const MADE: &[&str] = &[
        "*.class",
        "*.log",
        "*.o",
        "*.orig",
        "*.pyc",
        "*.pyo",
        "*.rej",
        "*.swp",
        "*.tmp",
        ".DS_Store",
    ];
    let Some((target, _, Place::Home)) = deleted(effect, scene) else { return false };
    let (Some(path), Some(home)) = (target.path.as_deref(), scene.facts.home.as_deref()) else {
        return false;
    };
    let Some(below) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    let Some((folders, name)) = below.rsplit_once('/') else { return false };
    MADE.contains(&name)
        && folders.split('/').all(|folder| {
            folder == "**"
                || !folder.contains(['*', '?', '['])
                    && !folder.starts_with('.')
                    && PERSONAL.binary_search(&folder.to_ascii_lowercase().as_str()).is_err()
        })
        && folders.split('/').any(|folder| folder != "**")
}

/// Whether version control has the file as it is, or it is no more than the sign that git works.
pub(super) fn is_kept_elsewhere(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let Some(path) = target.path.as_deref() else { return false };
    let is_there = scene.facts.paths.get(path).is_some_and(|fact| fact.exists);
    is_there && scene.facts.uncommitted.get(path) == Some(&false)
        || path.ends_with("/.git/index.lock")
}

/// Whether the file was put there by the compiler that this call ran before.
fn is_built_here(target: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    let before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    let mut runs = before.filter_map(|other| Some((run(other)?, other)));
    let text = scene.effects.layer_text(effect.at.layer);
    runs.any(|(run, other)| {
        // Where it failed, nothing of it is there.
        let between = text.get(other.at.span.range().end..effect.at.span.range().start);
        let is_joined = other.at.layer == effect.at.layer
            && between.is_some_and(|between| {
                between.contains("&&")
                    && !between.replace("&&", "").contains(['&', '|', ';', '\n', '(', ')'])
                    && !between.contains("cd ")
                    && !between.contains("pushd")
            });
        is_joined
            && run.program == "go"
            && run.arguments.first().is_some_and(|verb| verb.text.as_known() == Some("build"))
            && Options::new(&run.arguments, &["-o"])
                .value(&["-o"])
                .is_some_and(|output| output.text.as_known() == Some(target))
    })
}

/// Whether what is deleted was made by this same call: nothing was there before, or it was replaced and told of as that.
pub(super) fn is_of_this_call(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let Some(path) = target.path.as_deref().filter(|path| !path.contains(['*', '?', '['])) else {
        return false;
    };
    let was_missing = scene.facts.paths.get(path).is_some_and(|fact| !fact.exists);
    // Go's compiler puts its program over nothing that is no program.
    if target
        .text
        .as_known()
        .is_some_and(|name| !name.contains('/') && is_built_here(name, effect, scene))
    {
        return true;
    }
    let mut before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    before.any(|other| {
        written(other).is_some_and(|(made, mode, content)| {
            let is_new = match mode {
                WriteMode::Replace => {
                    let happened =
                        other.certainty == Certainty::Certain || scene.is_behind(other, effect);
                    was_missing || !content.is_empty() && happened
                }
                WriteMode::Create | WriteMode::Append => was_missing,
                WriteMode::Edit | WriteMode::Link => false,
            };
            is_new && made.path.as_deref() == Some(path)
        })
    })
}

impl Scene<'_> {
    /// Whether a file that was there before deletes a place of its own: below a name that it writes out, or in a variable that it gives
    /// a value itself. What is left is a variable that nobody sets, which is nothing when the file runs.
    pub(super) fn is_of_script(&self, effect: &Effect) -> bool {
        let EffectKind::Delete { target, .. } = &effect.kind else { return false };
        let Some((_, at)) = self.effects.in_file(effect.at) else { return false };
        let [Piece::Unknown(origin), rest @ ..] = target.text.pieces.as_slice() else {
            return false;
        };
        let is_named = match rest.first() {
            Some(Piece::Known(known)) => {
                let name = known.trim_start_matches('/');
                name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            }
            _ => false,
        };
        // In other languages than the shell's, what a call computes is a place of the program's own: nothing in it comes out as nothing.
        let is_shell = self
            .effects
            .files
            .iter()
            .find(|file| file.layer == Some(at.layer))
            .is_none_or(|file| {
                matches!(
                    file.language,
                    "shell" | "makefile" | "package.json" | "justfile" | "taskfile" | "procfile"
                )
            });
        let is_computed = !is_shell && origin.contains('(') && !origin.contains("env");
        if is_computed && (rest.is_empty() || is_named) {
            return true;
        }
        let text = self.effects.layer_text(at.layer);
        let sets = |found: (usize, &str)| {
            let before = text.get(..found.0).unwrap_or_default();
            !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                && text
                    .get(found.0 + found.1.len()..)
                    .is_some_and(|rest| !rest.starts_with(['=', '\n', ' ']))
        };
        is_named || text.match_indices(&format!("{origin}=")).any(sets)
    }
}
