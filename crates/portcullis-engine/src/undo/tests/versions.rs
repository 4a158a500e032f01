//! Contents that git has already, kept and brought back.

use std::sync::OnceLock;

use super::*;

/// A repository with many files that were committed and packed, each a little different, so that some stand in the pack as deltas. It is made
/// once.
pub(super) fn packed_repository(work: &Path) {
    static MADE: OnceLock<Scene> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let scene = Scene::new();
        let work = scene.work();
        for number in 0..90 {
            let lines: String = (0..40).map(|line| format!("{line} of {}\n", number / 3)).collect();
            let path = work.join(format!("many/{}/{number}", number % 7));
            put(&path, &format!("{lines}{number}\n"), 0o644);
        }
        let secret = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYzzzzz\n";
        put(&work.join("many/.env"), secret, 0o600);
        repository(&work);
        run(&work, "git gc -q --prune=now && echo dirty >> many/1/1 && echo loose > many/1/loose");
        scene
    });
    fs::remove_dir_all(work).unwrap();
    let copied = Command::new("cp").arg("-a").args([&made.work(), work]).status();
    assert!(copied.unwrap().success());
}

/// How many contents were not copied, as git has them.
pub(super) fn count(snapshot: &Snapshot) -> usize {
    let objects = snapshot.before.iter().filter_map(|kept| kept.object.as_ref());
    objects.filter(|object| object.starts_with("2-")).count()
}

/// The same where git has most of the contents: what becomes of it is nothing to what was kept.
const LOSING_VERSIONS: &[&str] = &[
    "rm -rf many",
    "rm -rf many .git",
    "rm -rf many && git gc -q --prune=now",
    "rm -rf many && git commit -qam gone --amend && git update-ref -d refs/heads/side && git tag -d old && git reflog expire --expire=now --all && git gc -q --prune=now",
    "git checkout -q -f side && git rm -qrf many",
    "git rm -qrf many && git commit -qm less",
    "rm -rf many && chmod -R u+w .git/objects && find .git/objects/pack -type f -exec sh -c 'echo broken > \"$1\"' sh {} ';'",
    "rm -rf .git/objects && git init -q . && rm -rf many",
    "mv many others",
    "find many -type f -exec truncate -s 3 {} +",
];

#[test]
fn what_git_has_too_comes_back_to_the_byte_whatever_becomes_of_it() {
    if has_git() {
        lose(LOSING_VERSIONS, packed_repository, true);
        lose(LOSING, packed_repository, true);
    }
}

#[test]
fn copies_of_packs_that_were_changed_or_cut_bring_nothing_back() {
    if !has_git() {
        return;
    }
    let harms: [&dyn Fn(&Path); 4] = [
        &|file| {
            let bytes: Vec<u8> = fs::read(file).unwrap().iter().map(|byte| byte ^ 1).collect();
            fs::write(file, bytes).unwrap();
        },
        &|file| fs::write(file, "").unwrap(),
        &|file| fs::remove_file(file).unwrap(),
        &|file| {
            fs::remove_file(file).unwrap();
            symlink("/etc/passwd", file).unwrap();
        },
    ];
    for harm in harms {
        let scene = Scene::new();
        let work = scene.work();
        packed_repository(&work);
        let mut snapshot = scene.taken(&[]);
        run(&work, "rm -rf many");
        crate::undo::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let lost = tree(&work);
        let copies = scene.folder.path().join("state/snapshots/versions");
        for entry in fs::read_dir(copies).unwrap() {
            harm(&entry.unwrap().path());
        }
        let store =
            Store::open(&scene.folder.path().canonicalize().unwrap().join("state")).unwrap();
        let found = back::difference(&snapshot, &[], false).unwrap();
        let undone = back::undo(&store, &scene.places, &mut snapshot, &found, &mut || Ok(()));
        assert!(undone.is_err());
        assert!(crate::trial::commit::recover(&scene.places).unwrap().is_empty());
        assert_eq!(tree(&work), lost);
        // The next one does not rely on them.
        run(&work, "git checkout -q -- many");
        let before = tree(&work);
        let scope = Scope { history: true, ..Scope::new(work.clone(), Vec::new()) };
        let mut next =
            crate::undo::take(&store, &scope, Bounds::usual(), About::default()).unwrap();
        run(&work, "rm -rf many");
        crate::undo::ended(&store, &mut next, Bounds::usual()).unwrap();
        let found = back::difference(&next, &[], false).unwrap();
        let undone = back::undo(&store, &scene.places, &mut next, &found, &mut || Ok(()));
        assert!(undone.is_ok() || count(&next) > 0, "{undone:?}");
        if undone.is_ok() {
            assert_eq!(tree(&work), before);
        }
    }
}

#[test]
fn an_undo_of_what_git_has_too_that_is_killed_leaves_all_or_nothing() {
    if !has_git() {
        return;
    }
    let names = |work: &Path| -> Vec<PathBuf> { tree(&work.join("many")).into_keys().collect() };
    let mut step = 0;
    loop {
        let scene = Scene::new();
        let work = scene.work();
        packed_repository(&work);
        let before = tree(&work);
        let mut snapshot = scene.taken(&["many"]);
        run(&work, "rm -rf many/*");
        crate::undo::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let found = back::difference(&snapshot, &[], false).unwrap();
        let mut left = step;
        let ended = back::undo(&scene.store, &scene.places, &mut snapshot, &found, &mut || {
            left -= 1;
            if left < 0 { Err(io::Error::other("killed")) } else { Ok(()) }
        });
        crate::trial::commit::recover(&scene.places).unwrap();
        if ended.is_ok() {
            assert_eq!(tree(&work), before);
            break;
        }
        let count = names(&work).len();
        assert!(count == 2 || count == 100, "{count} before step {step}");
        let mut again = scene.store.read(&snapshot.id).unwrap();
        if count == 2 {
            scene.undone(&mut again).unwrap();
            assert_eq!(names(&work).len(), 100);
        }
        step += 13;
    }
    assert!(step > 100, "{step}");
}

#[test]
fn what_a_killed_or_refused_copy_of_a_pack_left_is_no_hindrance() {
    if !has_git() {
        return;
    }
    let scene = Scene::new();
    let work = scene.work();
    packed_repository(&work);
    let versions_of = scene.folder.path().canonicalize().unwrap().join("state/snapshots/versions");
    let first = scene.taken(&["many"]);
    assert!(count(&first) > 85);
    let files = |end: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(&versions_of).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    };
    // Killed before the copy had its name.
    for pack in files(".pack") {
        fs::rename(pack, versions_of.join(".new")).unwrap();
    }
    run(&work, "find many -type f -exec touch {} +");
    let second = scene.taken(&["many"]);
    assert!(count(&second) > 85, "{:?}", second.left_out);
    assert!(!versions_of.join(".new").exists());
    // Where nothing can be copied, what is in it is kept as anything else.
    for pack in files(".pack") {
        fs::remove_file(pack).unwrap();
    }
    fs::create_dir(versions_of.join(".new")).unwrap();
    run(&work, "find many -type f -exec touch {} +");
    let before = tree(&work);
    // As another process would find it.
    let store = Store::open(&scene.folder.path().canonicalize().unwrap().join("state")).unwrap();
    let scene = Scene { store, ..scene };
    let mut third = scene.taken(&["many"]);
    assert_eq!((count(&third), third.left_out.len()), (0, 0));
    run(&work, "rm -rf many");
    crate::undo::ended(&scene.store, &mut third, Bounds::usual()).unwrap();
    scene.undone(&mut third).unwrap();
    assert_eq!(tree(&work), before);
}

#[test]
fn two_snapshots_at_once_are_both_whole() {
    if !has_git() {
        return;
    }
    let scene = Scene::new();
    let work = scene.work();
    packed_repository(&work);
    let state = scene.folder.path().canonicalize().unwrap().join("state");
    let take = || {
        let store = Store::open(&state).unwrap();
        let scope = Scope::new(work.clone(), Vec::new());
        crate::undo::take(&store, &scope, Bounds::usual(), About::default()).unwrap()
    };
    let taken: Vec<Snapshot> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let before = tree(&work);
    for mut snapshot in taken {
        assert!(count(&snapshot) > 85 && snapshot.left_out.is_empty());
        run(&work, "rm -rf many");
        crate::undo::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        scene.undone(&mut snapshot).unwrap();
        assert_eq!(tree(&work), before);
    }
}

#[test]
fn many_files_are_found_in_the_order_of_their_paths_by_several_at_once() {
    let scene = Scene::new();
    let work = scene.work();
    for number in 0..1500 {
        let folder = ["b", "b/c", "b c", "b.c", "d/b/c"][number % 5];
        put(
            &work.join(folder).join(format!("x{}", number / 50)).join(number.to_string()),
            "x",
            0o644,
        );
    }
    let snapshot = scene.taken(&[]);
    let paths: Vec<&PathBuf> = snapshot.before.iter().map(|kept| &kept.path).collect();
    assert!(paths.is_sorted());
    assert_eq!(paths.len(), tree(&work).len());
    let bounds = Bounds { files: 900, ..Bounds::usual() };
    let scope = Scope::new(work, Vec::new());
    let few = crate::undo::take(&scene.store, &scope, bounds, About::default()).unwrap();
    // Directories that nobody came to any more are left out: there are some 150, and how many depends on who was first.
    assert!((740..=910).contains(&few.before.len()), "{}", few.before.len());
    assert!(few.left_out[0].contains("too much"), "{:?}", few.left_out);
}

/// How long keeping takes: `PORTCULLIS_MEASURE=DIRECTORY cargo test --release -p portcullis-engine --lib undo::tests::versions::measured --
/// --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "it is what this is for")]
fn measured() {
    let Some(place) = std::env::var_os("PORTCULLIS_MEASURE") else { return };
    const ALL: usize = 50_000;
    for share in [ALL, ALL / 5] {
        let folder = tempfile::tempdir_in(&place).unwrap();
        let work = folder.path().canonicalize().unwrap().join("work");
        for number in 0..ALL {
            let top = if number < share { "src" } else { "other" };
            let path = work.join(format!("{top}/{}/{}/{number}", number / 2500, number / 100));
            let line =
                |line: usize| format!("{} {}\n", number * 7919 + line * 31, line * number % 9973);
            let text: String = (0..)
                .map(line)
                .scan(0, |length, line| {
                    *length += line.len();
                    (*length < 4200).then_some(line)
                })
                .collect();
            if number % 100 == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            fs::write(path, text).unwrap();
        }
        run(
            &work,
            "git init -q . && git config gc.auto 0 && git add -A && git commit -qm one && git gc -q && sync -f .",
        );
        let store = |name: &str| Store::open(&work.with_file_name(name)).unwrap();
        let scope = Scope::new(work.clone(), vec![PathBuf::from("src")]);
        let hook = |store: &Store| {
            let begun = std::time::Instant::now();
            let taken = crate::undo::take(store, &scope, Bounds::hook(), About::default()).unwrap();
            let kept = taken.before.iter().filter(|kept| kept.object.is_some()).count();
            (begun.elapsed().as_micros() as f64 / 1000.0, kept, count(&taken), taken)
        };
        let mut firsts = Vec::new();
        for round in 0..7 {
            let (time, kept, of_git, taken) = hook(&store(&format!("state-{round}")));
            firsts.push(time);
            println!("{share} first {time} ms, kept {kept}, of git {of_git}, {:?}", taken.left_out);
        }
        let mut aheads = Vec::new();
        for round in 0..7 {
            let store = store(&format!("ahead-{round}"));
            let prepared = crate::undo::prepare(&store, &work, Bounds::ahead()).unwrap();
            let (time, kept, of_git, taken) = hook(&store);
            assert_eq!((kept, taken.left_out.len()), (share, 0), "{:?}", taken.left_out);
            println!(
                "{share} prepared {} in {} ms, then {time} ms, of git {of_git}",
                prepared.files, prepared.milliseconds
            );
            aheads.push(time);
        }
        aheads.sort_by(f64::total_cmp);
        println!("{share}: first when prepared {} ms", aheads[3]);
        let again = store("state-0");
        let full = crate::undo::take(&again, &scope, Bounds::usual(), About::default()).unwrap();
        assert!(full.left_out.is_empty(), "{:?}", full.left_out);
        let mut times: Vec<f64> = (0..21).map(|_| hook(&again).0).collect();
        times.sort_by(f64::total_cmp);
        firsts.sort_by(f64::total_cmp);
        println!("{share}: first {} ms, again {} ms (fastest {})", firsts[3], times[10], times[0]);
        let (time, kept, of_git, _) = hook(&again);
        println!("{share}: {time} ms, kept {kept}, of git {of_git}");
        fs::remove_dir_all(work.join(".git")).unwrap();
        let begun = std::time::Instant::now();
        let plain = store("plain");
        crate::undo::take(&plain, &scope, Bounds::usual(), About::default()).unwrap();
        println!("{share}: {} ms without git", begun.elapsed().as_millis());
        let begun = std::time::Instant::now();
        let mut snapshot = full;
        fs::remove_dir_all(work.join("src")).unwrap();
        println!("{share}: {} ms to remove", begun.elapsed().as_millis());
        crate::undo::ended(&again, &mut snapshot, Bounds::hook()).unwrap();
        let begun = std::time::Instant::now();
        let state = work.with_file_name("state-0");
        let places = Places::usual(Some(&state));
        let found = back::difference(&snapshot, &[], false).unwrap();
        back::undo(&again, &places, &mut snapshot, &found, &mut || Ok(())).unwrap();
        println!("{share}: {} ms to bring back", begun.elapsed().as_millis());
    }
}
