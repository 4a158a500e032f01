//! What is known of files that nothing happened to since they were kept: they are not read again. Owns which lists may say so.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
};

use super::{
    Kept, Scope, Snapshot, Store, files, lists, parts::Reference, source::Source, store::Place,
    versions::Version,
};
use crate::tree::{Kind, read_name, write_name};

/// How many snapshots are looked at for what is known of a workspace, and how many of them are read.
const NEWEST: usize = 16;
const MOST_KNOWING: usize = 3;

/// From how many files on a snapshot refers to lists, to how many of them at most, and how many files of these it may be without.
const MANY: usize = if cfg!(test) { 20 } else { 5000 };
const MOST_PARTS: usize = 64;
const MOST_WITHOUT: usize = 64;

/// What is known of the files of a scope: what the newest snapshots of the workspace hold, and what was kept beforehand. What is untouched since
/// need not be read again.
pub(super) fn sources(store: &Store, scope: &Scope) -> Vec<Source> {
    let of_it = |about: &Snapshot| about.workspace == scope.workspace;
    let newest = store.names().into_iter().rev().take(NEWEST);
    let newest = newest.filter_map(|id| store.about(&id).ok()).filter(of_it);
    let newest: Vec<Snapshot> = newest.take(MOST_KNOWING).collect();
    let covers = |about: &&Snapshot| {
        let seen: Vec<PathBuf> = about.scope.iter().filter_map(|path| read_name(path)).collect();
        let is_seen = |path: &PathBuf| seen.iter().any(|one| path.starts_with(one));
        let is_all = seen.is_empty() || !scope.paths.is_empty() && scope.paths.iter().all(is_seen);
        is_all && about.left_out.is_empty()
    };
    let whole = newest.iter().position(|about| covers(&about));
    let knowing = whole.map_or(newest.len(), |position| position + 1);
    let snapshots = newest.iter().take(knowing).flat_map(|about| store.sources(about));
    if let Some(whole) = whole.and_then(|position| newest.get(position)) {
        let prepared = lists::head(store, &scope.workspace);
        let is_newer = prepared.is_some_and(|head| head.is_whole() && head.taken > whole.taken);
        return if is_newer { lists::sources(store, scope) } else { snapshots.collect() };
    }
    lists::sources(store, scope).into_iter().chain(snapshots).collect()
}

/// What was recognized in one source.
#[derive(Default)]
struct Recognized {
    count: usize,
    /// What stands in it of the scope and was not found.
    without: Vec<PathBuf>,
    /// Whether all of it can be believed, and each file stands in it once.
    is_sound: bool,
}

/// The files that were found, and in which source each is known.
pub(super) struct Known {
    sources: Vec<Source>,
    recognized: Vec<Recognized>,
    /// For each file that was found the number of the source; none where it is known in no one.
    known_in: Vec<Option<usize>>,
}

impl Known {
    /// Recognizes files that were found, which are in the order of their paths.
    pub(super) fn recognize(
        store: &Store,
        (scope, sources): (&Scope, Vec<Source>),
        found: &mut [Kept],
        threads: usize,
    ) -> Self {
        let mut known_in = vec![None; found.len()];
        let mut recognized = Vec::new();
        for (number, source) in sources.iter().enumerate() {
            let look = Look { store, scope, number };
            recognized.push(look.all(source, found, &mut known_in, threads));
        }
        Self { sources, recognized, known_in }
    }

    /// The files in all sources.
    pub(super) fn files(&self, store: &Store) -> Vec<Kept> {
        self.sources.iter().flat_map(|source| source.files(store)).collect()
    }

    /// To which lists a snapshot of these files refers; none where it is to be written by itself.
    pub(super) fn reference(&self, found: &[Kept]) -> Option<Reference<'_>> {
        let (number, most) = self.recognized.iter().enumerate().max_by_key(|(_, one)| one.count)?;
        let lists = &self.sources.get(number)?.lists;
        let is_worth_it = most.count >= MANY && most.count > found.len() / 2;
        if !is_worth_it
            || !most.is_sound
            || lists.len() > MOST_PARTS
            || most.without.len() > MOST_WITHOUT
        {
            return None;
        }
        let others = found.iter().zip(&self.known_in).filter(|(_, known)| **known != Some(number));
        Some(Reference {
            lists,
            without: most.without.iter().map(|path| write_name(path)).collect(),
            others: others.map(|(kept, _)| kept.clone()).collect(),
        })
    }
}

/// A look into one source.
#[derive(Clone, Copy)]
struct Look<'a> {
    store: &'a Store,
    scope: &'a Scope,
    number: usize,
}

/// What one list has of what was found.
#[derive(Default)]
struct OfList {
    count: usize,
    without: Vec<PathBuf>,
    last: PathBuf,
}

impl Look<'_> {
    /// Looks into all lists, several at once.
    fn all(
        self,
        source: &Source,
        mut found: &mut [Kept],
        mut known_in: &mut [Option<usize>],
        threads: usize,
    ) -> Recognized {
        let lists = &source.lists;
        if !lists.is_sorted_by(|(_, one), (_, other)| one < other) {
            return Recognized::default();
        }
        // Each list is held against the files from its first path to the first one of the next.
        let mut jobs = Vec::new();
        for (number, list) in lists.iter().enumerate().rev() {
            let from = match number {
                0 => 0,
                _ => found.partition_point(|kept| kept.path < list.1),
            };
            let (before, own) = found.split_at_mut(from);
            let (known_before, known_own) = known_in.split_at_mut(from);
            (found, known_in) = (before, known_before);
            jobs.push((number, list, own, known_own));
        }
        let threads = threads.min(jobs.len());
        let (jobs, done) = (Mutex::new(jobs), Mutex::new(Vec::new()));
        let work = || {
            while let Some((number, list, found, known_in)) = pop(&jobs) {
                let of_list = self.at(list, found, known_in);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, of_list));
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(number, _)| *number);
        let done: Vec<OfList> = done.into_iter().filter_map(|(_, of_list)| of_list).collect();
        let nexts = lists.iter().skip(1).map(|(_, first)| first);
        let is_sound = done.len() == lists.len()
            && done.iter().zip(nexts).all(|(of_list, next)| of_list.last < *next);
        let count = done.iter().map(|of_list| of_list.count).sum();
        let without = done.into_iter().flat_map(|of_list| of_list.without).collect();
        Recognized { count, without, is_sound }
    }

    /// Looks into one list. One that cannot be believed is none.
    fn at(
        self,
        (place, _): &(Place, PathBuf),
        found: &mut [Kept],
        known_in: &mut [Option<usize>],
    ) -> Option<OfList> {
        let mut of_list = OfList::default();
        let list = self.store.list_at(place).ok()?;
        let mut entries = files::Entries::of(&list)?;
        let mut is_kept = is_kept(self.store);
        let mut found = found.iter_mut().zip(known_in).peekable();
        while let Some(entry) = entries.next() {
            let is_before = |(kept, _): &(&mut Kept, _)| {
                kept.path.as_os_str() != entry.path().as_os_str() && kept.path < entry.path()
            };
            while found.next_if(is_before).is_some() {}
            let is_it =
                |(kept, _): &(&mut Kept, _)| kept.path.as_os_str() == entry.path().as_os_str();
            let Some((kept, known_in)) = found.next_if(is_it) else {
                if entry.node.kind == Kind::File && self.scope.holds(entry.path()) {
                    of_list.without.push(entry.path().to_owned());
                }
                continue;
            };
            let is_unread = kept.node.kind == Kind::File && kept.node.sha256.is_none();
            if is_unread && entry.node.is_untouched(&kept.node) && is_kept(entry.object()) {
                entry.recognized_as(kept);
                *known_in = Some(self.number);
                of_list.count += 1;
            }
        }
        entries.last().clone_into(&mut of_list.last);
        entries.is_whole().then_some(of_list)
    }
}

fn pop<T>(jobs: &Mutex<Vec<T>>) -> Option<T> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Whether a content is kept.
pub(super) fn is_kept(store: &Store) -> impl FnMut(Option<&str>) -> bool {
    // Thousands of contents lie in one copy of a pack, or in one that is not there.
    let (mut there, mut missing) = (String::new(), String::new());
    let is_in = |object: &str, place: &str| !place.is_empty() && object.starts_with(place);
    move |object| {
        let Some(object) = object else { return false };
        if is_in(object, &there) || is_in(object, &missing) {
            return is_in(object, &there);
        }
        let has = store.has(object);
        if let Some(pack) = Version::pack_of(object) {
            pack.clone_into(if has { &mut there } else { &mut missing });
        }
        has
    }
}
