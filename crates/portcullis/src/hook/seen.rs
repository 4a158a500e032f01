//! When an agent's hook last called. Owns a note for each agent in the state directory, which hooks alone write: a caller of
//! the gateway can name itself as it likes, and its records say nothing about a hook.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::private;

/// A note that is newer than this is not written again: what it says may be that old.
const FRESH: Duration = Duration::from_secs(30);

/// Notes that an agent's hook called. Nothing depends on the note alone.
pub(super) fn note(state: &Path, agent: &str) {
    let path = path(state, agent);
    let age = |path: &Path| fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if age(&path).is_none_or(|age| age > FRESH) {
        // `status` says that it has not called where this fails.
        let _ = private::write(&path, b"");
    }
}

/// When an agent's hook last called, to within half a minute.
#[must_use]
pub fn last(state: &Path, agent: &str) -> Option<SystemTime> {
    let metadata = fs::symlink_metadata(path(state, agent)).ok()?;
    metadata.modified().ok().filter(|_| metadata.is_file())
}

fn path(state: &Path, agent: &str) -> PathBuf {
    state.join("called").join(agent)
}
