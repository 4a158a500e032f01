//! Patterns of files that a function deletes: `del`, `rimraf`. Owns where each begins, and whether it is of files alone.

use super::{super::value::Value, Call};
use crate::text::Text;

/// Whether a function deletes what its patterns match: `deleteAsync(["dist/**", "!dist/.keep"])`, `rimraf("*.log", { glob: true })`.
pub(super) fn takes_patterns(path: &str) -> bool {
    matches!(path.split('.').next(), Some("del" | "rimraf"))
}

/// Where the pattern lies that a function is given, which may be told another directory to begin in; none where it only keeps something.
pub(super) fn pattern_of(value: &Value, call: &Call<'_>) -> Option<Text> {
    let pattern = value.text();
    if call.path.split('.').next() != Some("del") {
        return Some(pattern);
    }
    let begin = pattern.known_prefix();
    if begin.starts_with('!') {
        return None;
    }
    match call.option("cwd") {
        Some(directory) if !begin.starts_with('/') => {
            let mut whole = directory.text();
            whole.push_known("/");
            whole.append(&pattern);
            Some(whole)
        }
        _ => Some(pattern),
    }
}

/// Whether what a pattern matches below one directory has an ending of files: `src/**/*.generated.ts`.
pub(super) fn names_files(value: &Value) -> bool {
    if value.as_known().is_none_or(|pattern| pattern.starts_with('*')) {
        return false;
    }
    let last = value.as_known().and_then(|pattern| pattern.rsplit('/').next());
    last.and_then(|last| last.strip_prefix('*')).is_some_and(|end| {
        end.strip_prefix('.').is_some_and(|end| {
            !end.is_empty() && end.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.')
        })
    })
}
