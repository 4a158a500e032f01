//! Snapshots that refer to lists which others wrote.

use std::time::Duration;

use super::*;
use crate::undo::{
    ahead::{Way, prepared_by},
    lists,
};

/// A workspace of which all was kept beforehand.
fn prepared() -> Scene {
    let scene = Scene::new();
    for number in 0..150 {
        put(
            &scene.work().join(format!("many/{}/{number}", number % 7)),
            &format!("{number}\n"),
            0o644,
        );
    }
    prepare(&scene);
    scene
}

fn prepare(scene: &Scene) {
    let way = Way { recent: Duration::ZERO, step: &mut || Ok(()) };
    prepared_by(&scene.store, &scene.work(), Bounds::ahead(), way).unwrap();
}

/// The files of a snapshot that lie in the directory of the store.
fn files_of(scene: &Scene, snapshot: &Snapshot) -> Vec<PathBuf> {
    let folder = scene.folder.path().join("state/snapshots");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_its =
        |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&snapshot.id);
    entries.filter(is_its).collect()
}

fn parts_of(scene: &Scene, snapshot: &Snapshot) -> Vec<PathBuf> {
    let is_part = |path: &PathBuf| path.to_string_lossy().contains(".part-");
    files_of(scene, snapshot).into_iter().filter(is_part).collect()
}

/// Loses what a snapshot is of, and brings it back as another process would, from what is on the disk.
fn brought_back(scene: &Scene, snapshot: &Snapshot, script: &str) {
    let before = tree(&scene.work());
    let mut read = scene.store.read(&snapshot.id).unwrap();
    assert_eq!(&read, snapshot);
    run(&scene.work(), script);
    crate::undo::ended(&scene.store, &mut read, Bounds::usual()).unwrap();
    scene.undone(&mut read).unwrap();
    let now = tree(&scene.work());
    let paths = before.keys().chain(now.keys());
    let differ: Vec<&PathBuf> = paths.filter(|path| before.get(*path) != now.get(*path)).collect();
    assert!(differ.is_empty(), "{script}: {differ:?}");
}

#[test]
fn what_is_known_is_referred_to_and_read_back_as_if_it_were_written() {
    // Of a few files no list is read.
    let all: [(&[&str], &str, bool); 4] = [
        (&[], "rm -rf many src", true),
        (&["many"], "rm -rf many", true),
        (&["many/1", "many/2", "many/3", "many/4", "src"], "rm -rf many/3 src", true),
        (&["many/3/3", "many/2"], "rm -rf many/3/3 many/2", false),
    ];
    for (paths, script, refers) in all {
        let scene = prepared();
        let snapshot = scene.taken(paths);
        assert!(snapshot.left_out.is_empty(), "{:?}", snapshot.left_out);
        assert_eq!(!snapshot.parts.is_empty(), refers, "{paths:?}");
        assert_eq!(!parts_of(&scene, &snapshot).is_empty(), refers, "{paths:?}");
        brought_back(&scene, &snapshot, script);
        scene.store.forget(&snapshot).unwrap();
        assert!(files_of(&scene, &snapshot).is_empty());
    }
}

#[test]
fn what_changed_came_or_went_since_is_told_from_what_is_referred_to() {
    let scene = prepared();
    run(
        &scene.work(),
        "echo new > many/1/1 && rm many/2/2 && mkdir many/2/2 && echo x > many/2/2/x && rm many/3/3 && mv many/4/4 many/4/other && \
         chmod 600 many/5/5 && echo more > many/0/more && ln -sf 0 many/6/6 && rm -r many/0/0",
    );
    let first = scene.taken(&["many"]);
    assert!(!first.parts.is_empty() && !first.without.is_empty());
    // A second one, and one of those who stand on others.
    run(&scene.work(), "echo newer > many/1/1 && rm many/0/more && echo 3 > many/3/3");
    let second = scene.taken(&["many"]);
    assert!(!second.parts.is_empty());
    let third = scene.taken(&["many"]);
    assert_eq!(third.parts, second.parts);
    for snapshot in [&second, &third] {
        brought_back(&scene, snapshot, "rm -rf many");
    }
    assert_eq!(scene.store.read(&first.id).unwrap(), first);
}

#[test]
fn a_snapshot_stays_whole_whatever_becomes_of_the_lists_that_it_refers_to() {
    let scene = prepared();
    let first = scene.taken(&["many"]);
    let second = scene.taken(&["many"]);
    assert!(!second.parts.is_empty());
    scene.store.forget(&first).unwrap();
    for place in lists::all(&scene.store) {
        lists::forget(&scene.store, &place);
    }
    brought_back(&scene, &second, "rm -rf many");
}

#[test]
fn a_snapshot_whose_lists_were_harmed_or_exchanged_is_none() {
    type Harm<'a> = &'a dyn Fn(&Path, &Path);
    let harms: [Harm<'_>; 4] = [
        &|part, _| fs::remove_file(part).unwrap(),
        &|part, _| fs::write(part, "").unwrap(),
        &|part, other| {
            let _ = fs::copy(other, part).unwrap();
        },
        &|part, _| {
            let mut bytes = fs::read(part).unwrap();
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            fs::remove_file(part).unwrap();
            fs::write(part, bytes).unwrap();
        },
    ];
    for harm in harms {
        let scene = prepared();
        let first = scene.taken(&[]);
        // The list of another time, which is ours as well.
        run(&scene.work(), "find . -type f -exec touch {} +");
        prepare(&scene);
        let other = scene.taken(&[]);
        assert!(!first.parts.is_empty() && !other.parts.is_empty());
        harm(&parts_of(&scene, &first)[0], &parts_of(&scene, &other)[0]);
        assert!(scene.store.read(&first.id).is_err());
        // The next one does not rely on it.
        let next = scene.taken(&[]);
        assert!(next.left_out.is_empty());
        brought_back(&scene, &next, "rm -rf many");
    }
}

#[test]
fn what_was_kept_in_several_rounds_is_known_by_the_newest() {
    let scene = prepared();
    for round in 0..3 {
        run(&scene.work(), &format!("echo {round} > many/1/1 && echo {round} > many/5/5"));
        prepare(&scene);
    }
    let snapshot = scene.taken(&["many"]);
    assert!(!snapshot.parts.is_empty());
    // Nothing was read again.
    assert_eq!(snapshot.pack, None);
    brought_back(&scene, &snapshot, "rm -rf many");
}
