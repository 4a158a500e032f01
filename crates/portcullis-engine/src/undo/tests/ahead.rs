//! What was kept before anybody waited for it.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use super::{
    versions::{count, packed_repository},
    *,
};
use crate::undo::{
    Ahead, Prepared, Unprepared,
    ahead::{Way, prepared_by},
    lists, pack, versions as git_versions,
};

impl Scene {
    fn state(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("state")
    }

    /// Keeps the workspace beforehand, whenever its files changed.
    fn prepared(&self, bounds: Bounds) -> Result<Prepared, Unprepared> {
        self.prepared_until(bounds, &mut || Ok(()))
    }

    fn prepared_until(
        &self,
        bounds: Bounds,
        step: &mut dyn FnMut() -> io::Result<()>,
    ) -> Result<Prepared, Unprepared> {
        prepared_by(&self.store, &self.work(), bounds, Way { recent: Duration::ZERO, step })
    }

    /// As another process finds it.
    fn anew(self) -> Self {
        let store = Store::open(&self.state()).unwrap();
        Self { store, ..self }
    }

    /// Takes a snapshot, loses what it is of, and brings that back to the byte.
    fn lost_and_found(&self, script: &str) -> Snapshot {
        let before = tree(&self.work());
        let scope = Scope::new(self.work(), Vec::new());
        let mut snapshot =
            crate::undo::take(&self.store, &scope, Bounds::usual(), About::default()).unwrap();
        assert_eq!(self.store.read(&snapshot.id).unwrap(), snapshot);
        run(&self.work(), script);
        assert_ne!(tree(&self.work()), before, "{script}");
        crate::undo::ended(&self.store, &mut snapshot, Bounds::usual()).unwrap();
        self.undone(&mut snapshot).unwrap();
        assert_eq!(tree(&self.work()), before, "{script}");
        snapshot
    }

    /// Everything below the directory of the snapshots.
    fn files_kept(&self) -> BTreeSet<PathBuf> {
        tree(&self.state().join("snapshots")).into_keys().collect()
    }
}

/// A workspace of many small files and some long ones.
fn many(work: &Path) {
    for number in 0..150 {
        put(&work.join(format!("many/{}/{number}", number % 7)), &format!("{number}\n"), 0o644);
    }
    for number in 0..3 {
        let text = format!("long {number}\n").repeat(60_000);
        put(&work.join(format!("long/{number}")), &text, 0o600);
    }
    let secret = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYzzzzz\n";
    put(&work.join("long/secret"), &secret.repeat(4_000), 0o600);
}

#[test]
fn what_was_kept_beforehand_is_not_read_when_it_is_lost() {
    let all: [&dyn Fn(&Path); 2] = [&many, &|work| {
        if has_git() {
            packed_repository(work);
        }
    }];
    for make in all {
        let scene = Scene::new();
        make(&scene.work());
        let prepared = scene.prepared(Bounds::ahead()).unwrap();
        assert!(prepared.left_out.is_empty(), "{:?}", prepared.left_out);
        assert_eq!(prepared.read, prepared.files);
        let scene = scene.anew();
        let objects: BTreeSet<String> =
            lists::known(&scene.store, &Scope::new(scene.work(), Vec::new()))
                .into_iter()
                .filter_map(|kept| kept.object)
                .collect();
        let snapshot =
            scene.lost_and_found("find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +");
        let files: Vec<_> = snapshot.before.iter().filter(|kept| kept.object.is_some()).collect();
        assert_eq!(files.len(), prepared.files);
        // Nothing new was written for it.
        assert_eq!(snapshot.pack, None);
        assert!(files.iter().all(|kept| objects.contains(kept.object.as_ref().unwrap())));
        // Nothing is read a second time either.
        let again = scene.prepared(Bounds::ahead()).unwrap();
        assert!(again.files >= prepared.files);
        let third = scene.prepared(Bounds::ahead()).unwrap();
        assert_eq!((third.files, third.read), (again.files, 0));
    }
}

#[test]
fn a_part_of_a_workspace_is_known_by_the_list_of_all_of_it() {
    let scene = Scene::new();
    many(&scene.work());
    scene.prepared(Bounds::ahead()).unwrap();
    let mut before = scene.files_kept();
    for path in ["many", "long"] {
        let scope = Scope::new(scene.work(), vec![PathBuf::from(path)]);
        let snapshot =
            crate::undo::take(&scene.store, &scope, Bounds::hook(), About::default()).unwrap();
        assert!(snapshot.before.len() > 3 && snapshot.left_out.is_empty());
        assert_eq!(snapshot.pack, None, "{path}");
        scene.store.forget(&snapshot).unwrap();
    }
    before.insert(PathBuf::from("lock"));
    assert_eq!(scene.files_kept(), before);
}

#[test]
fn what_changed_since_is_read_again_whatever_its_times_say() {
    let scene = Scene::new();
    many(&scene.work());
    scene.prepared(Bounds::ahead()).unwrap();
    run(
        &scene.work(),
        "cp -p many/1/1 ../old && echo 2 > many/1/1 && touch -r ../old many/1/1 && rm ../old && mv many/2/2 many/2/x && \
         mv many/2/9 many/2/2 && echo new > many/new && rm many/3/3",
    );
    let snapshot = scene.lost_and_found("rm -rf many long");
    assert!(snapshot.pack.is_some());
    let text = fs::read_to_string(scene.work().join("many/1/1")).unwrap();
    assert_eq!(text, "2\n");
}

#[test]
fn what_changed_just_now_waits_until_it_is_needed() {
    let scene = Scene::new();
    many(&scene.work());
    let prepared = crate::undo::prepare(&scene.store, &scene.work(), Bounds::ahead()).unwrap();
    assert!(prepared.recent >= 150 && prepared.files == 0, "{prepared:?}");
    scene.lost_and_found("rm -rf many long");
}

/// That what is kept is named by a list, and that there is nothing else.
fn nothing_is_left(scene: &Scene, what: &str) {
    let known = lists::known(&scene.store, &Scope::new(scene.work(), Vec::new()));
    let snapshots = scene.state().join("snapshots");
    let mut named: BTreeSet<PathBuf> = BTreeSet::new();
    for object in known.iter().filter_map(|kept| kept.object.as_ref()) {
        if let Some(stretch) = pack::Stretch::of(object) {
            named.insert(snapshots.join("packs").join(stretch.pack));
        } else if let Some(version) = git_versions::Version::of(object) {
            named.insert(snapshots.join(format!("versions/{}.pack", version.pack)));
            named.insert(snapshots.join(format!("versions/{}.idx", version.pack)));
        } else {
            named.insert(scene.store.place(object).unwrap());
        }
    }
    for path in scene.files_kept() {
        let own = snapshots.join(&path);
        let is_content = ["packs/", "objects/", "versions/"]
            .iter()
            .any(|folder| path.to_string_lossy().starts_with(folder));
        if is_content && own.is_file() {
            assert!(named.contains(&own), "{what}: {}", path.display());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(!name.starts_with('.'), "{what}: {}", path.display());
    }
}

/// At how many steps of a run it is killed where nobody says it (`PORTCULLIS_KILLS`), spread evenly over it.
const KILLS: usize = 4;

#[test]
fn whoever_is_killed_at_any_step_leaves_a_shorter_list_and_nothing_else() {
    let all: [&dyn Fn(&Path); 2] = [&many, &|work| {
        if has_git() {
            packed_repository(work);
        }
    }];
    let most = std::env::var("PORTCULLIS_KILLS").ok().and_then(|text| text.parse().ok());
    for make in all {
        let whole = Scene::new();
        make(&whole.work());
        let mut steps = 0_usize;
        let counted = whole.prepared_until(Bounds::ahead(), &mut || {
            steps += 1;
            Ok(())
        });
        assert!(counted.is_ok() && steps > 3, "{steps}");
        let most = most.unwrap_or(KILLS).clamp(1, steps);
        for step in (0..most).map(|at| at * steps / most) {
            let scene = Scene::new();
            make(&scene.work());
            let mut left = step;
            let ended = scene.prepared_until(Bounds::ahead(), &mut || {
                left = left.checked_sub(1).ok_or_else(|| io::Error::other("killed"))?;
                Ok(())
            });
            assert!(ended.is_err(), "{step}");
            let scene = scene.anew();
            nothing_is_left(&scene, &format!("step {step}"));
            scene.lost_and_found("rm -rf many src");
            let again = scene.prepared(Bounds::ahead()).unwrap();
            assert!(again.left_out.is_empty() && again.files > 90, "{again:?}");
            scene.lost_and_found("rm -rf many src");
        }
    }
}

#[test]
fn one_at_a_time_is_at_it_and_snapshots_are_taken_meanwhile() {
    let scene = Scene::new();
    many(&scene.work());
    let (state, work) = (scene.state(), scene.work());
    let mut taken = Vec::new();
    let prepared = scene.prepared_until(Bounds::ahead(), &mut || {
        // Whoever comes meanwhile waits for nobody.
        let store = Store::open(&state).unwrap();
        let second = crate::undo::prepare(&store, &work, Bounds::ahead());
        assert!(matches!(second, Err(Unprepared::Busy)), "{second:?}");
        let scope = Scope::new(work.clone(), vec![PathBuf::from("many")]);
        taken.push(crate::undo::take(&store, &scope, Bounds::hook(), About::default()).unwrap());
        Ok(())
    });
    assert!(prepared.unwrap().left_out.is_empty());
    assert!(taken.len() > 3);
    let before = tree(&work);
    for mut snapshot in taken {
        assert!(snapshot.left_out.is_empty());
        run(&work, "rm -rf many");
        crate::undo::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        scene.undone(&mut snapshot).unwrap();
        assert_eq!(tree(&work), before);
    }
    scene.lost_and_found("rm -rf many long");
}

#[test]
fn files_that_change_under_it_are_kept_as_they_are_when_they_are_lost() {
    let scene = Scene::new();
    many(&scene.work());
    let work = scene.work();
    let ends = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut round = 0_u64;
            while !ends.load(Ordering::Relaxed) {
                round += 1;
                for number in (0..150).step_by(11) {
                    let path = work.join(format!("many/{}/{number}", number % 7));
                    // In place, as long as it was, away and back, and as something else.
                    match round % 4 {
                        0 => fs::write(&path, format!("{:05}\n", round % 10_000)).unwrap(),
                        1 => drop(fs::remove_file(&path)),
                        2 => drop(fs::create_dir_all(&path)),
                        _ => drop(fs::remove_dir_all(&path)),
                    }
                    if round % 4 == 3 {
                        fs::write(&path, format!("{round}\n")).unwrap();
                    }
                }
            }
        });
        for _ in 0..12 {
            // As it is done: what changed just now is left alone.
            match crate::undo::prepare(&scene.store, &work, Bounds::ahead()) {
                Ok(_) | Err(Unprepared::Io(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        ends.store(true, Ordering::Relaxed);
    });
    scene.lost_and_found("rm -rf many long");
}

#[test]
fn secrets_are_encrypted_and_what_is_outside_is_not_looked_at() {
    let scene = Scene::new();
    let work = scene.work();
    many(&work);
    let outside = scene.folder.path().join("outside");
    put(&outside.join("deep/file"), "what lies outside\n", 0o644);
    symlink(&outside, work.join("many/out")).unwrap();
    symlink(outside.join("deep/file"), work.join("many/out-file")).unwrap();
    let prepared = scene.prepared(Bounds::ahead()).unwrap();
    let known = lists::known(&scene.store, &Scope::new(work, Vec::new()));
    assert_eq!(known.len(), prepared.files);
    assert!(known.iter().any(|kept| kept.path == Path::new("long/secret")));
    assert!(known.iter().all(|kept| !kept.path.starts_with("many/out")));
    for path in scene.files_kept() {
        let path = scene.state().join("snapshots").join(path);
        let mode = fs::metadata(&path).unwrap().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
        let text = fs::read(&path).unwrap_or_default();
        for hidden in [&b"wJalrXUtnFEMI"[..], b"what lies outside"] {
            let shows = text.windows(hidden.len()).any(|part| part == hidden);
            assert!(!shows, "{}", path.display());
        }
    }
}

#[test]
fn bounds_are_met_and_said_and_the_next_goes_on_from_there() {
    let scene = Scene::new();
    many(&scene.work());
    let usual = Bounds::ahead();
    let few = scene.prepared(Bounds { files: 40, ..usual }).unwrap();
    assert!(few.files < 45 && few.left_out[0].contains("too much to look at"), "{few:?}");
    let none = scene.prepared(Bounds { time: Duration::ZERO, ..usual }).unwrap();
    assert!(none.left_out[0].contains("too much to look at"), "{none:?}");
    let little = scene.prepared(Bounds { bytes: 300_000, ..usual }).unwrap();
    assert!(little.left_out.iter().all(|one| one.contains("too much of it")), "{little:?}");
    assert!(little.left_out.len() >= 2 && little.files > 150, "{little:?}");
    let all = scene.prepared(usual).unwrap();
    assert!(all.left_out.is_empty() && all.read < 6, "{all:?}");
    assert_eq!(scene.prepared(usual).unwrap().read, 0);
}

#[test]
fn a_list_that_grew_by_many_rounds_is_written_anew() {
    let scene = Scene::new();
    many(&scene.work());
    for round in 0..80 {
        put(&scene.work().join(format!("many/new-{round}")), &format!("{round}\n"), 0o644);
        scene.prepared(Bounds::ahead()).unwrap();
    }
    let (named, layers) = lists::head(&scene.store, &scene.work()).unwrap().named();
    assert!(layers <= 65 && named >= 230, "{layers} {named}");
    let in_place = lists::folder_of(&scene.state().join("snapshots"), &scene.work());
    assert!(fs::read_dir(in_place).unwrap().count() <= layers + 2);
    let snapshot = scene.lost_and_found("rm -rf many long");
    assert_eq!(snapshot.pack, None);
}

#[test]
fn lists_that_somebody_else_wrote_or_cut_are_not_believed() {
    let scene = Scene::new();
    many(&scene.work());
    scene.prepared(Bounds::ahead()).unwrap();
    let folder = lists::folder_of(&scene.state().join("snapshots"), &scene.work());
    let layer = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap() != "head")
        .unwrap();
    let whole = fs::read(&layer).unwrap();
    let scope = Scope::new(scene.work(), Vec::new());
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    for bytes in [cut, changed, Vec::new()] {
        fs::write(&layer, bytes).unwrap();
        assert!(lists::known(&scene.store, &scope).is_empty());
        scene.lost_and_found("rm -rf many long");
    }
    fs::write(&layer, whole).unwrap();
    assert!(!lists::known(&scene.store, &scope).is_empty());
    // A list of one workspace is none of another.
    let other = scene.folder.path().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    let place = lists::folder_of(&scene.state().join("snapshots"), &other);
    run(&scene.state(), &format!("cp -r {} {}", folder.display(), place.display()));
    assert!(lists::known(&scene.store, &Scope::new(other, Vec::new())).is_empty());
}

#[test]
fn contents_that_only_a_list_needs_stay_as_long_as_it_does() {
    let scene = Scene::new();
    many(&scene.work());
    scene.prepared(Bounds::ahead()).unwrap();
    let kept = || scene.files_kept().len();
    let before = kept();
    let head = |age: u64| {
        let folder = lists::folder_of(&scene.state().join("snapshots"), &scene.work());
        let file = fs::File::options().write(true).open(folder.join("head")).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(age * 24 * 60 * 60))
            .unwrap();
    };
    // An old snapshot goes, and what the list needs does not.
    let old = scene.taken(&["a"]);
    let newer = scene.taken(&["script"]);
    let file = fs::File::options().write(true).open(scene.store.head(&old.id)).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(20 * 24 * 60 * 60))
        .unwrap();
    head(13);
    scene.store.tidy();
    assert_eq!(scene.store.names(), [newer.id]);
    let snapshot = scene.lost_and_found("rm -rf many long");
    assert_eq!(snapshot.pack, None);
    scene.store.forget(&snapshot).unwrap();
    // While somebody works at it, nothing is forgotten.
    head(15);
    let alone = lists::lock(&scene.store).unwrap();
    scene.store.tidy();
    assert!(kept() >= before);
    drop(alone);
    scene.store.tidy();
    assert!(kept() < before, "{:?}", scene.files_kept());
    assert!(lists::known(&scene.store, &Scope::new(scene.work(), Vec::new())).is_empty());
    scene.lost_and_found("rm -rf many long");
}

#[test]
fn only_a_large_work_tree_of_ones_own_is_due_and_once_in_a_while() {
    if !has_git() {
        return;
    }
    let scene = Scene::new();
    let (work, state) = (scene.work(), scene.state());
    let home = scene.folder.path().canonicalize().unwrap();
    let due = |directory: &Path| Ahead::due(&state, directory, Some(&home));
    assert_eq!(due(&work), None);
    run(&work, "git init -q . && git add -A && git commit -qm one");
    // It has few files.
    assert_eq!(due(&work), None);
    let index = work.join(".git/index");
    let small = fs::read(&index).unwrap();
    fs::write(&index, vec![0; 100_000]).unwrap();
    // The home itself, and what is above it, is none.
    assert_eq!(Ahead::due(&state, &work, Some(&work.join("src"))), None);
    assert_eq!(Ahead::due(&work.join("state"), &work, Some(&home)), None);
    assert_eq!(due(&home), None);
    assert_eq!(due(Path::new("/")), None);
    let deep = work.join("src/x");
    let ahead = due(&deep).unwrap();
    assert_eq!(ahead, Ahead { state: state.clone(), workspace: work.clone() });
    assert_eq!(due(&work), None);
    let begun = lists::folder_of(&state.join("snapshots"), &work).join("begun");
    let file = fs::File::options().write(true).open(&begun).unwrap();
    for (time, is_due) in [(-700_i64, true), (-500, false), (700, true)] {
        let now = std::time::SystemTime::now();
        let shift = Duration::from_secs(time.unsigned_abs());
        file.set_modified(if time < 0 { now - shift } else { now + shift }).unwrap();
        assert_eq!(due(&work).is_some(), is_due, "{time}");
    }
    // A linked work tree has its index elsewhere.
    fs::write(&index, small).unwrap();
    run(&work, "git worktree add -q ../tree");
    let tree = work.with_file_name("tree");
    assert_eq!(due(&tree), None);
    fs::write(work.join(".git/worktrees/tree/index"), vec![0; 100_000]).unwrap();
    assert_eq!(due(&tree).unwrap().workspace, tree);
    // What somebody else made is not looked at.
    if rustix::process::geteuid().is_root() {
        fs::write(&index, vec![0; 100_000]).unwrap();
        fs::remove_file(&begun).unwrap();
        rustix::fs::chown(work.join(".git"), Some(rustix::process::Uid::from_raw(12_345)), None)
            .unwrap();
        assert_eq!(due(&work), None);
    }
}

#[test]
fn two_who_copy_a_pack_at_once_or_after_one_who_was_killed_copy_it_whole() {
    if !has_git() {
        return;
    }
    let scene = Scene::new();
    packed_repository(&scene.work());
    scene.prepared(Bounds::ahead()).unwrap();
    let copies = scene.state().join("snapshots/versions");
    let end = |name: &str| {
        let entries = fs::read_dir(&copies).unwrap().map(|entry| entry.unwrap().path());
        entries.into_iter().find(|path| path.to_string_lossy().ends_with(name)).unwrap()
    };
    let whole = [fs::read(end(".pack")).unwrap(), fs::read(end(".idx")).unwrap()];
    // Killed while the index was written, or before.
    let harms: [&dyn Fn(); 3] = [
        &|| {
            fs::remove_file(end(".pack")).unwrap();
            fs::write(end(".idx"), &whole[1][..99]).unwrap();
        },
        &|| fs::write(end(".idx"), &whole[1][..99]).unwrap(),
        &|| fs::remove_file(end(".idx")).unwrap(),
    ];
    for harm in harms {
        for beforehand in [true, false] {
            harm();
            run(&scene.work(), "find many -type f -exec touch {} +");
            let store = Store::open(&scene.state()).unwrap();
            if beforehand {
                let way = Way { recent: Duration::ZERO, step: &mut || Ok(()) };
                let prepared = prepared_by(&store, &scene.work(), Bounds::ahead(), way).unwrap();
                assert!(prepared.of_git > 85, "{prepared:?}");
            } else {
                let scope = Scope::new(scene.work(), Vec::new());
                let taken =
                    crate::undo::take(&store, &scope, Bounds::usual(), About::default()).unwrap();
                assert!(count(&taken) > 85);
            }
            let found = [fs::read(end(".pack")).unwrap(), fs::read(end(".idx")).unwrap()];
            assert!(found == whole);
        }
    }
}
