//! Writes to every file that a pattern names. Owns which patterns choose and which take whatever is there.

use super::{
    super::{
        Hit, Scene,
        effects::{about, written},
    },
    emptied::is_filled,
    listed::empties_listed,
    spared::PERSONAL,
};
use crate::{
    effect::{Effect, Target, WriteMode},
    place::{self, Place},
    risk::Severity,
    text::{Piece, Text},
};

/// Endings of files that are there to be written over.
const MADE_AGAIN: &[&str] = &[".bak", ".cache", ".log", ".o", ".out", ".pid", ".pyc", ".tmp"];

/// What is written to all that lies in a home or a system directory, whatever its names are.
pub(super) fn overwritten(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, content) = written(effect)?;
    if !matches!(mode, WriteMode::Replace | WriteMode::Edit) {
        return None;
    }
    if mode == WriteMode::Replace
        && content.is_empty()
        && !is_filled(effect, target, scene)
        && empties_listed(effect, target, scene)
    {
        return Some(about(Severity::High, target, "this empties all that a listing gives:"));
    }
    let is_glob = |text: &Text| text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    let last = target.path.as_deref()?.rsplit('/').next()?;
    if !is_glob(&target.text) || !last.contains(['*', '?', '[']) {
        return None;
    }
    // `"$f.ogg"` beside `*.m4a`: what is written is new.
    let ending = last.rsplit(['*', '?', ']']).next().unwrap_or(last);
    if ending.matches('.').count() > 1 {
        return None;
    }
    // Code that opens a file to change it may leave nothing of it as it was; a program that edits says what it changes.
    let is_by_code = scene.program_around(effect).is_none();
    let replaces = mode == WriteMode::Replace || mode == WriteMode::Edit && is_by_code;
    // A letter in the pattern chooses among the names; all the way down, what it chooses nobody has looked at.
    let is_plain = |text: &str| text.bytes().all(|byte| matches!(byte, b'*' | b'?' | b'/' | b'.'));
    let is_deep = replaces
        && (mode == WriteMode::Replace && content.is_empty()
            || target.path.as_deref().is_some_and(|path| path.contains("/**/")))
        && !MADE_AGAIN.iter().any(|ending| last.ends_with(ending));
    let is_personal = || {
        replaces
            && is_in_personal_folder(target, scene)
            && !MADE_AGAIN.iter().any(|ending| last.ends_with(ending))
    };
    let is_every = is_plain(last) || is_deep || is_personal();
    let place = place::place_of(target, scene.facts);
    let is_emptied = mode == WriteMode::Replace && content.is_empty();
    let is_whole = || last == "**" && is_plain(target.text.known_prefix());
    if is_emptied
        && matches!(place, Place::Workspace | Place::WorkspaceTop)
        && (SOURCES.iter().any(|end| last.ends_with(end)) || is_whole())
    {
        return Some(about(Severity::High, target, "this empties every file of"));
    }
    let holds = matches!(
        place,
        Place::Root | Place::SystemTop | Place::HomeTop | Place::Home | Place::OtherHome
    ) || is_by_code
        && matches!(place, Place::Elsewhere | Place::Site)
        && path_of(target).contains("/**")
        || !matches!(place, Place::Workspace | Place::Artifact | Place::Temporary | Place::Cache)
            && below_a_mount(target).is_some();
    // `mv backup/* ~/notes/`: the names are those of what comes, and not of what is there.
    let comes = || {
        scene.program_around(effect).is_some_and(|run| {
            matches!(run.program.as_str(), "cp" | "gcp" | "ginstall" | "gmv" | "install" | "mv")
                && !run.arguments.last().is_some_and(|last| is_glob(&last.text))
        })
    };
    if matches!(place, Place::Home | Place::OtherHome) && comes() {
        return None;
    }
    // An edit of what another user serves is ordinary work, if with consequences.
    let path = target.path.as_deref()?;
    let is_edit_elsewhere = mode == WriteMode::Edit
        && !is_by_code
        && path.starts_with("/home/")
        && !scene.facts.home.as_deref().is_some_and(|home| path.starts_with(home));
    (is_every && holds && !is_edit_elsewhere)
        .then(|| about(Severity::High, target, "this overwrites every file of"))
}

fn path_of(target: &Target) -> &str {
    target.path.as_deref().unwrap_or_default()
}

/// Endings of what people write and builds read.
const SOURCES: &[&str] = &[
    "*.c", "*.cc", "*.cpp", "*.cs", "*.css", "*.ex", "*.go", "*.h", "*.hpp", "*.hs", "*.html",
    "*.java", "*.js", "*.jsx", "*.kt", "*.md", "*.php", "*.pl", "*.py", "*.rb", "*.rs", "*.scala",
    "*.sh", "*.sql", "*.swift", "*.tf", "*.toml", "*.ts", "*.tsx", "*.vue", "*.yaml", "*.yml",
];

/// Directories that hold one home each.
const HOMES: &[&str] = &["/Users/", "/home/"];

/// What a path names on another disk or machine that is mounted here.
fn below_a_mount(target: &Target) -> Option<&str> {
    const MOUNTS: &[&str] = &["/Volumes/", "/media/", "/mnt/", "/net/", "/run/media/"];
    let path = target.path.as_deref()?;
    MOUNTS.iter().find_map(|mount| path.strip_prefix(mount))
}

/// Whether a path goes through a folder below the home, or of another disk, in which people keep what they made themselves.
fn is_in_personal_folder(target: &Target, scene: &Scene<'_>) -> bool {
    let below = || {
        let path = target.path.as_deref()?;
        let own = || path.strip_prefix(scene.facts.home.as_deref()?)?.strip_prefix('/');
        // `/home/*/Documents/`: anybody's.
        let of_others = || {
            let below = HOMES.iter().find_map(|homes| path.strip_prefix(homes))?;
            below.split_once('/').map(|(_, below)| below)
        };
        below_a_mount(target).or_else(own).or_else(of_others)
    };
    let Some((folders, _)) = below().and_then(|below| below.rsplit_once('/')) else { return false };
    folders
        .split('/')
        .any(|folder| PERSONAL.binary_search(&folder.to_ascii_lowercase().as_str()).is_ok())
}
