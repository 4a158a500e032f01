//! Snapshots that refer to lists which others wrote: where most of what is found is known, only the rest is written. Owns that such a snapshot is whole by
//! itself, whatever becomes of the lists' other names, and that it is read as if all of it had been written.

use std::{collections::HashSet, fs, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    FORM_OF_PARTS, Kept, Scope, Snapshot, Store,
    source::Source,
    store::{BEFORE, Place},
};
use crate::{
    private,
    tree::{Kind, kept, read_name},
};

/// A list that a snapshot refers to. It has a name of its own for it, so that it stays whatever becomes of the other.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Part {
    /// What it was sealed as.
    pub(super) kind: String,
    /// The first path in it.
    #[serde(with = "kept")]
    pub(super) first: PathBuf,
}

/// To which lists a snapshot refers.
pub(super) struct Reference<'a> {
    pub(super) lists: &'a [(Place, PathBuf)],
    pub(super) without: Vec<String>,
    /// The files that stand in none of them.
    pub(super) others: Vec<Kept>,
}

impl Store {
    /// Has a snapshot refer to lists, if they can be given names of its own, and writes what stands in none of them.
    pub(super) fn refer(&self, snapshot: &mut Snapshot, reference: &Reference<'_>) {
        let Reference { lists, without, others } = reference;
        let id = snapshot.id.clone();
        let link = |(number, (place, _)): (usize, &(Place, PathBuf))| {
            fs::hard_link(&place.path, self.list(&id, &part(number)))
        };
        let linked: io::Result<()> = lists.iter().enumerate().try_for_each(link);
        if linked.and_then(|()| self.write_list(&id, BEFORE, others)).is_err() {
            // Then all of it is written.
            return self.remove_parts(&id);
        }
        let named = lists
            .iter()
            .map(|(place, first)| Part { kind: place.kind.clone(), first: first.clone() });
        snapshot.parts = named.collect();
        snapshot.without = without.clone();
        snapshot.v = FORM_OF_PARTS;
    }

    pub(super) fn remove_parts(&self, id: &str) {
        for number in 0.. {
            if fs::remove_file(self.list(id, &part(number))).is_err() {
                return;
            }
        }
    }

    fn places_of_parts(&self, snapshot: &Snapshot) -> Vec<(Place, PathBuf)> {
        let place = |(number, Part { kind, first }): (usize, &Part)| {
            let path = self.list(&snapshot.id, &part(number));
            (Place { path, kind: kind.clone() }, first.clone())
        };
        snapshot.parts.iter().enumerate().map(place).collect()
    }

    /// The lists of what stood there before the action.
    pub(super) fn sources(&self, snapshot: &Snapshot) -> [Source; 2] {
        let own = vec![(self.place_of(&snapshot.id, BEFORE), PathBuf::new())];
        [own, self.places_of_parts(snapshot)].map(Source::new)
    }

    /// What stood there before the action: what the snapshot says itself counts for more than what it refers to.
    pub(super) fn read_before(
        &self,
        snapshot: &Snapshot,
    ) -> Result<Vec<Kept>, private::Unbelievable> {
        let mut all = self.listed_at(&self.place_of(&snapshot.id, BEFORE))?;
        if snapshot.parts.is_empty() {
            return Ok(all);
        }
        let without: HashSet<PathBuf> =
            snapshot.without.iter().filter_map(|path| read_name(path)).collect();
        let paths = snapshot.scope.iter().filter_map(|path| read_name(path)).collect();
        let scope = Scope::new(snapshot.workspace.clone(), paths);
        for (place, _) in self.places_of_parts(snapshot) {
            let counts = |kept: &Kept| {
                kept.node.kind == Kind::File
                    && scope.holds(&kept.path)
                    && !without.contains(&kept.path)
            };
            all.extend(self.listed_at(&place)?.into_iter().filter(counts));
        }
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all.dedup_by(|one, other| one.path == other.path);
        Ok(all)
    }
}

/// The name of a list that a snapshot refers to.
fn part(number: usize) -> String {
    format!("part-{number}")
}
