//! Forgetting what is old or too much. Owns how much is kept and how long, and that nothing goes which somebody still needs.

use std::{
    collections::{HashMap, HashSet},
    fs,
    time::{Duration, SystemTime},
};

use super::{
    Kept, Snapshot, Store, lists,
    pack::{self, Stretch},
    versions::{self, Version},
};

/// How many snapshots are kept, how long, and how many bytes of contents.
const MOST: usize = 200;
const LONGEST_KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);
pub(super) const MOST_BYTES: u64 = 4 << 30;

impl Store {
    /// How many bytes of the disk contents take.
    pub(super) fn taken(&self) -> u64 {
        let packs = self.pack_names();
        let versions = versions::names(&self.versions());
        let of_packs = packs.iter().map(|name| pack::taken(&self.packs().join(name)));
        let of_versions = versions.iter().map(|name| versions::taken(&self.versions(), name));
        let objects = self.objects();
        let of_objects = objects.iter().map(|(_, length)| *length);
        of_objects.chain(of_packs).chain(of_versions).fold(0, u64::saturating_add)
    }

    /// Forgets what is old or too much, and the contents that nobody needs any more. The newest snapshot stays.
    pub(super) fn tidy(&self) {
        let names = self.names();
        let is_too_much = self.taken() > MOST_BYTES;
        let mut forget = names.len().saturating_sub(MOST);
        if is_too_much {
            // Half of them, rather than a little each time.
            forget = forget.max(names.len() / 2);
        }
        let now = SystemTime::now();
        let is_past =
            |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > LONGEST_KEPT);
        let is_old = |id: &String| {
            let found = fs::symlink_metadata(self.head(id));
            found.and_then(|found| found.modified()).is_ok_and(is_past)
        };
        forget = forget.max(names.iter().take_while(|id| is_old(id)).count());
        forget = forget.min(names.len().saturating_sub(1));
        // What was kept beforehand brings nothing back by itself: it goes before a snapshot has to, but for the newest.
        let mut prepared = lists::all(self);
        let newest = if is_too_much { 1 } else { prepared.len() };
        let still = prepared.iter().take_while(|one| !is_past(one.time)).count().min(newest);
        let forgotten = prepared.split_off(still);
        if forget == 0 && forgotten.is_empty() {
            return;
        }
        // Whoever keeps something beforehand relies on what is there: then this is for the next time.
        let Ok(_alone) = lists::lock(self) else { return };
        for one in &forgotten {
            lists::forget(self, one);
        }
        for id in names.iter().take(forget) {
            let _ = self.remove(id);
        }
        let mut needed = HashSet::new();
        for id in names.iter().skip(forget) {
            // What cannot be read may need anything.
            let Ok(snapshot) = self.read(id) else { return };
            let Snapshot { before, after, .. } = snapshot;
            let all = before.into_iter().chain(after.into_iter().flatten());
            needed.extend(all.filter_map(|kept: Kept| kept.object));
        }
        for one in &prepared {
            // What cannot be read is believed by nobody, and needs nothing.
            needed.extend(lists::read(self, one).into_iter().filter_map(|kept| kept.object));
        }
        for (object, _) in self.objects().iter().filter(|(object, _)| !needed.contains(object)) {
            if let Some(place) = self.place(object) {
                let _ = fs::remove_file(place);
            }
        }
        let needed_versions: HashSet<String> = needed
            .iter()
            .filter_map(|object| Version::of(object))
            .map(|version| version.pack)
            .collect();
        for name in
            versions::names(&self.versions()).iter().filter(|name| !needed_versions.contains(*name))
        {
            let _ = versions::forget(&self.versions(), name);
        }
        let mut stretches: HashMap<String, Vec<(u64, u64)>> = HashMap::new();
        for stretch in needed.iter().filter_map(|object| Stretch::of(object)) {
            let end = stretch.end();
            stretches.entry(stretch.pack).or_default().push((stretch.offset, end));
        }
        for name in self.pack_names() {
            let place = self.packs().join(&name);
            // What stays costs its place on the disk and nothing else.
            let _ = match stretches.remove(&name) {
                Some(needed) => pack::thin(&place, needed),
                None => fs::remove_file(place),
            };
        }
    }
}
