//! Lists of files of which nothing is read yet. Owns where they are, and in which order they stand.

use std::path::PathBuf;

use super::{Kept, Store, store::Place};

/// Lists of a workspace, none of which is read yet, in the order of the paths in them: where each is, and the first path in it.
pub(super) struct Source {
    pub(super) lists: Vec<(Place, PathBuf)>,
}

impl Source {
    pub(super) const fn new(lists: Vec<(Place, PathBuf)>) -> Self {
        Self { lists }
    }

    /// All files in them, as far as they can be believed.
    pub(super) fn files(&self, store: &Store) -> Vec<Kept> {
        let read = |(place, _): &(Place, PathBuf)| store.listed_at(place).ok();
        self.lists.iter().filter_map(read).flatten().collect()
    }
}
