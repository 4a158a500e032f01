//! What the record says of copies that are kept. Owns the entries about them, and how a copy that is gone is told from one that never was.

use std::path::Path;

use crate::{
    audit::{self, Entry, Filter, Kind, Log},
    hooked,
};

/// Whose file it is, behind its path; the hash of its text follows.
const OWN: &str = "the user's own, with the SHA-256 ";

/// What was done with a file: all of it counts, or it holds beside what counted before.
const KEPT: &str = "kept";
const HELD: &str = "held";
const TRUSTED: &str = "trusted";

/// The entry about a copy that is kept of a file from here on.
pub(super) fn entry(path: &Path, sha256: &str, is_whole: bool) -> Entry {
    Entry::change("portcullis", if is_whole { KEPT } else { HELD }, sentence(path, sha256))
}

/// The entry about a file that a person said is theirs.
#[must_use]
pub fn trusted(person: &str, path: &Path, sha256: &str) -> Entry {
    Entry::change(person, TRUSTED, sentence(path, sha256))
}

fn sentence(path: &Path, sha256: &str) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("`{}`, {OWN}{sha256}", path.display())
}

/// Of a copy that was kept once and is gone.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Removed {
    /// The hash of the text that it was of, where that alone counted.
    pub sha256: Option<String>,
}

/// What is known of a copy that is not there, in a directory for state that was in use; nothing where none was kept, as by a version that kept none.
pub(super) fn removed(state: &Path, path: &Path) -> Option<Removed> {
    let is_noted = hooked::is_kept(state);
    let unknown = || Some(Removed { sha256: None });
    let there = |path: &Path| path.symlink_metadata().is_ok();
    if !there(&audit::database_path(state)) {
        // A record does not go by itself and leave its head behind.
        return if is_noted || there(&state.join("head")) { unknown() } else { None };
    }
    let Ok(mut log) = Log::read(state) else { return unknown() };
    let mut newest = |text: String| {
        let filter = Filter {
            kind: Some(Kind::Change),
            text: Some(text),
            limit: Some(1),
            ..Filter::default()
        };
        log.list(&filter).map(|found| found.into_iter().next())
    };
    let Ok(about_it) = newest(sentence(path, "")) else { return unknown() };
    if let Some(record) = about_it {
        // Whatever else may quote such a sentence says nothing about the file.
        let is_whole = matches!(record.entry.outcome.as_deref(), Some(KEPT | TRUSTED));
        let said = record.entry.reason.as_deref().filter(|_| is_whole);
        let sha256 = said.and_then(|it| it.strip_prefix(sentence(path, "").as_str()));
        return Some(Removed { sha256: sha256.map(str::to_owned) });
    }
    match newest(OWN.to_owned()) {
        Ok(None) if !is_noted => None,
        _ => unknown(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_quotes_what_is_said_of_a_copy_says_nothing_of_it() {
        let state = tempfile::tempdir().unwrap();
        let path = Path::new("/home/dev/.config/portcullis/config.toml");
        let mut log = Log::open(state.path()).unwrap();
        log.append(&entry(path, "aa", true)).unwrap();
        let known = Some(Removed { sha256: Some("aa".to_owned()) });
        assert_eq!(removed(state.path(), path), known);
        for (outcome, reason) in [
            ("passed on", sentence(path, "bb")),
            (KEPT, format!("a server calls itself {}", sentence(path, "bb"))),
            (HELD, sentence(path, "bb")),
        ] {
            log.append(&Entry::change("portcullis", outcome, reason)).unwrap();
            assert_eq!(removed(state.path(), path), Some(Removed { sha256: None }), "{outcome}");
        }
    }
}
