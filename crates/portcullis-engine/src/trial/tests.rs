use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use super::{
    Means, Place, Places, Trial, Tried, VERSION,
    changes::{self, Found},
    commit::{self, CommitError},
};
use crate::tree::Root;

/// Files, and the same files after a command, as a copy of them.
struct Scene {
    folder: tempfile::TempDir,
    places: Places,
    place: Place,
    trial: Trial,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap().join("work");
        before(&work);
        let places = Places::at(folder.path().join("state/trials"));
        let unfinished = places.new_trial(std::slice::from_ref(&work)).unwrap();
        let layer = unfinished.folder("layer-0").unwrap();
        after(&layer);
        let meta = fs::metadata(&work).unwrap();
        let mut found = Found { whole: true, ..Found::default() };
        let (lower, upper) = (Root::open(&work).unwrap(), Root::open(&layer).unwrap());
        changes::look(&mut found, 0, Means::Copy, &lower, &upper).unwrap();
        changes::name_renames(&mut found.changes);
        let trial = Trial {
            v: VERSION,
            id: unfinished.place().id.clone(),
            command: vec!["x".into()],
            directory: work.clone(),
            began: String::new(),
            milliseconds: 0,
            means: Means::Copy,
            roots: vec![Tried {
                path: work,
                layer: "layer-0".into(),
                number: (meta.dev(), meta.ino()),
            }],
            exit: 0,
            stopped: None,
            changes: found.changes,
            seen: portcullis_sandbox::Seen::default(),
            watched: true,
            wanted: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
            dropped: 0,
            notes: Vec::new(),
            whole: true,
        };
        let place = unfinished.keep(&trial).unwrap();
        Self { folder, places, place, trial }
    }

    fn work(&self) -> &Path {
        &self.trial.roots[0].path
    }

    fn all(&self) -> Vec<usize> {
        (0..self.trial.changes.len()).collect()
    }

    fn commit(&self, beat: commit::Beat<'_>) -> Result<(), CommitError> {
        commit::commit(&self.places, &self.place, &self.trial, &self.all(), beat)
    }
}

fn put(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn before(work: &Path) {
    put(&work.join("changed"), "before", 0o644);
    put(&work.join("moded"), "same", 0o644);
    put(&work.join("gone/deep/a"), "a", 0o600);
    put(&work.join("gone/b"), "b", 0o644);
    put(&work.join("file-to-folder"), "x", 0o644);
    put(&work.join("folder-to-file/x"), "x", 0o644);
    put(&work.join("rights/x"), "x", 0o644);
    put(&work.join("kept"), "kept", 0o644);
    symlink("changed", work.join("link")).unwrap();
    symlink("kept", work.join("link-to-file")).unwrap();
    settle(work);
}

fn after(layer: &Path) {
    put(&layer.join("changed"), "after, and longer", 0o755);
    put(&layer.join("moded"), "same", 0o600);
    put(&layer.join("file-to-folder/y"), "y", 0o644);
    put(&layer.join("folder-to-file"), "now a file", 0o644);
    put(&layer.join("rights/x"), "x", 0o644);
    put(&layer.join("kept"), "kept", 0o644);
    put(&layer.join("link-to-file"), "now a file too", 0o644);
    put(&layer.join("new/deep/c"), "c", 0o640);
    put(&layer.join("new/d"), "a", 0o644);
    fs::create_dir(layer.join("new/empty")).unwrap();
    symlink("elsewhere", layer.join("link")).unwrap();
    settle(layer);
    fs::set_permissions(layer.join("rights"), fs::Permissions::from_mode(0o700)).unwrap();
}

/// Gives everything that is the same on both sides the same time.
fn settle(root: &Path) {
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for name in ["moded", "kept", "rights/x"] {
        let file = fs::File::options().write(true).open(root.join(name)).unwrap();
        file.set_modified(time).unwrap();
    }
}

fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let mut text = format!("{:o}", meta.mode());
            if meta.is_symlink() {
                text.push_str(&format!(" -> {}", fs::read_link(&path).unwrap().display()));
            } else if meta.is_file() {
                text.push_str(&format!(
                    " {} {}",
                    meta.mtime_nsec(),
                    fs::read_to_string(&path).unwrap()
                ));
            }
            found.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            if meta.is_dir() {
                walk(root, &path, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

#[test]
fn everything_that_changed_is_taken_over() {
    let scene = Scene::new();
    let layer = tree(&scene.place.path.join("layer-0"));
    scene.commit(&mut || Ok(())).unwrap();
    assert_eq!(tree(scene.work()), layer);
    assert!(!scene.place.path.exists(), "nothing of the trial is left");
    assert!(commit::recover(&scene.places).unwrap().is_empty());
}

#[test]
fn whoever_is_killed_at_any_step_leaves_all_or_nothing() {
    let mut step = 0_u32;
    let (mut untouched, mut done) = (0, 0);
    loop {
        let scene = Scene::new();
        let (was, will_be) = (tree(scene.work()), tree(&scene.place.path.join("layer-0")));
        let mut left = step;
        let ended = scene.commit(&mut || {
            if left == 0 {
                return Err(io::Error::other("killed"));
            }
            left -= 1;
            Ok(())
        });
        let said = commit::recover(&scene.places).unwrap();
        let now = tree(scene.work());
        if ended.is_ok() {
            assert_eq!(now, will_be);
            break;
        }
        if now == will_be {
            done += 1;
        } else {
            assert_eq!(now, was, "killed before step {step}: {said:?}");
            untouched += 1;
            // It can be taken over all the same.
            scene.commit(&mut || Ok(())).unwrap();
            assert_eq!(tree(scene.work()), will_be);
        }
        step += 1;
    }
    assert!(untouched > 20 && done >= 2, "{untouched} {done}");
}

#[test]
fn what_others_change_meanwhile_is_never_lost() {
    // At each step another file gets in the way.
    for name in ["changed", "gone/b", "gone/deep/new", "new", "link", "moded", "folder-to-file/x"] {
        let mut step = 0_u32;
        loop {
            let scene = Scene::new();
            let path = scene.work().join(name);
            let mut left = step;
            let mut written = false;
            let ended = scene.commit(&mut || {
                if left == 0 && !written {
                    written = true;
                    // Not through a link, and in a way that no open file notices.
                    let beside = scene.folder.path().join("beside");
                    fs::write(&beside, "mine").unwrap();
                    // Where its directory is gone by now, there is nothing to write to.
                    let _ = fs::rename(&beside, &path);
                } else {
                    left = left.saturating_sub(1);
                }
                Ok(())
            });
            if !written {
                assert!(ended.is_ok());
                break;
            }
            let mine = fs::read_to_string(&path).is_ok_and(|text| text == "mine");
            let could = mine || !path.exists() || ended.is_ok();
            assert!(could, "{name} at step {step}: {ended:?}");
            if let Err(error) = &ended {
                assert!(mine, "{name} at step {step}: {error}");
            }
            step += 1;
        }
    }
}

#[test]
fn nothing_is_written_through_a_link_that_took_the_place_of_a_directory() {
    let mut step = 0_u32;
    loop {
        let scene = Scene::new();
        let outside = scene.folder.path().join("outside");
        before(&outside);
        let was = tree(&outside);
        let mut left = step;
        let mut swapped = false;
        let ended = scene.commit(&mut || {
            if left == 0 && !swapped {
                swapped = true;
                for name in ["gone", "rights", "folder-to-file", "new"] {
                    let path = scene.work().join(name);
                    let _ = fs::rename(&path, scene.folder.path().join(format!("moved-{name}")));
                    let _ = symlink(&outside, &path);
                }
            }
            left = left.saturating_sub(1);
            Ok(())
        });
        let _ = commit::recover(&scene.places);
        assert_eq!(tree(&outside), was, "at step {step}");
        if !swapped {
            assert!(ended.is_ok());
            break;
        }
        step += 1;
    }
}

/// Where the copies lie beside the files.
fn staging(work: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(work).unwrap().map(|entry| entry.unwrap().path());
    entries.find(|path| path.file_name().unwrap().to_string_lossy().starts_with(".portcullis-"))
}

/// The copies beside the files.
fn copies(work: &Path) -> Vec<PathBuf> {
    let Some(staging) = staging(work) else { return Vec::new() };
    fs::read_dir(staging).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// What an agent does to the copies beside the files, as far as it finds them: other content in the same file, another file of the name, another
/// directory in the place of all of them.
fn tamper(work: &Path, how: usize) -> bool {
    let Some(staging) = staging(work) else { return false };
    let copies = copies(work);
    if how == 2 {
        let _ = fs::rename(&staging, work.parent().unwrap().join("stolen"));
        fs::create_dir(&staging).unwrap();
    }
    for copy in &copies {
        if how == 1 {
            fs::remove_file(copy).unwrap();
        }
        // What is moved aside there is somebody's file, and theirs to lose.
        fs::write(copy, "evil").unwrap();
    }
    !copies.is_empty()
}

#[test]
fn what_gets_a_name_is_what_was_judged_whatever_somebody_does_to_the_copies() {
    for how in 0..3 {
        let (mut step, mut refused) = (0_u32, 0);
        loop {
            let scene = Scene::new();
            let mut left = step;
            let mut tampered = false;
            let ended = scene.commit(&mut || {
                if left == 0 && !tampered {
                    tampered = tamper(scene.work(), how);
                }
                left = left.saturating_sub(1);
                Ok(())
            });
            let got = tree(scene.work());
            let made =
                ["changed", "moded", "file-to-folder/y", "folder-to-file", "new/deep/c", "new/d"];
            for name in made {
                let text = got.get(Path::new(name));
                let is_evil = text.is_some_and(|text| text.ends_with("evil"));
                assert!(!is_evil || ended.is_err(), "{how} at step {step}: {name} {ended:?}");
                assert!(
                    !is_evil || ["changed", "moded"].contains(&name),
                    "{how} at step {step}: {name} {ended:?}"
                );
            }
            refused += u32::from(ended.is_err());
            if !tampered {
                assert!(ended.is_ok(), "{ended:?}");
                break;
            }
            step += 1;
        }
        assert!(refused > 5, "{how}: {refused}");
    }
}

#[test]
fn whoever_holds_a_copy_open_writes_to_nothing_that_was_taken_over() {
    let (mut step, mut refused) = (0_u32, 0);
    loop {
        let scene = Scene::new();
        let (mut left, mut open) = (step, Vec::new());
        let ended = scene.commit(&mut || {
            if left == 0 {
                open.extend(
                    copies(scene.work())
                        .into_iter()
                        .filter_map(|copy| fs::File::options().write(true).open(copy).ok()),
                );
            }
            left = left.saturating_sub(1);
            Ok(())
        });
        let was_held = !open.is_empty();
        for mut held in open {
            io::Write::write_all(&mut held, b"evil").unwrap();
        }
        let got = tree(scene.work());
        let is_evil = got.values().any(|text| text.contains("evil"));
        // What stood there before may be moved aside, and is somebody's to write to when it is back.
        assert!(!is_evil || ended.is_err(), "at step {step}: {ended:?}");
        refused += u32::from(ended.is_err());
        if left > 0 {
            assert!(ended.is_ok() && !was_held, "{ended:?}");
            break;
        }
        step += 1;
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn parts_are_chosen_with_the_directories_that_they_take() {
    let scene = Scene::new();
    let names = |paths: &[&str]| -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let numbers = commit::chosen(&scene.trial, &paths).unwrap();
        numbers.iter().map(|at| crate::tree::write_name(&scene.trial.changes[*at].path)).collect()
    };
    assert_eq!(names(&["new/deep/c"]), ["new", "new/deep", "new/deep/c"]);
    assert_eq!(names(&["gone"]), ["gone/b", "gone/deep/a", "gone/deep", "gone"]);
    assert_eq!(commit::chosen(&scene.trial, &["kept".into()]), Err("kept".into()));
    assert_eq!(commit::chosen(&scene.trial, &["../work/new".into()]), Err("../work/new".into()));
}

#[test]
fn a_trial_of_which_not_everything_is_known_is_not_taken_over() {
    let mut scene = Scene::new();
    scene.trial.whole = false;
    assert!(matches!(scene.commit(&mut || Ok(())), Err(CommitError::NotWhole)));
}

#[test]
fn a_journal_that_somebody_else_wrote_moves_nothing() {
    let scene = Scene::new();
    let was = tree(scene.work());
    fs::create_dir(scene.work().join("planted")).unwrap();
    fs::write(scene.work().join("planted/0"), "evil").unwrap();
    let meta = fs::metadata(scene.work()).unwrap();
    let forged = serde_json::json!({
        "v": 1, "state": "Applying", "folders": [],
        "grounds": [{ "path": scene.work(), "number": [meta.dev(), meta.ino()], "staging": "planted" }],
        "steps": [{ "root": 0, "path": ".bashrc", "act": "Remove" }],
    });
    for text in [forged.to_string(), format!("{}\n{forged}", "0".repeat(64))] {
        fs::write(scene.place.path.join("commit.json"), text).unwrap();
        fs::set_permissions(
            scene.place.path.join("commit.json"),
            fs::Permissions::from_mode(0o600),
        )
        .unwrap();
        let said = commit::recover(&scene.places).unwrap();
        assert!(said[0].contains("cannot be used"), "{said:?}");
        assert!(!scene.work().join(".bashrc").exists());
    }
    fs::remove_dir_all(scene.work().join("planted")).unwrap();
    assert_eq!(tree(scene.work()).len(), was.len());
    // Nor does a trial that was changed count, nor one that was kept for another.
    let kept = fs::read(scene.place.path.join("trial.json")).unwrap();
    let changed = String::from_utf8(kept).unwrap().replace("\"exit\":0", "\"exit\":1");
    fs::write(scene.place.path.join("trial.json"), changed).unwrap();
    assert!(scene.place.read().is_err());
}
