use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use super::{About, Bounds, Outcome, Scope, Snapshot, Store, UndoError, back};
use crate::trial::Places;

mod ahead;
mod known;
mod versions;

struct Scene {
    folder: tempfile::TempDir,
    store: Store,
    places: Places,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().canonicalize().unwrap().join("state");
        let scene = Self {
            store: Store::open(&state).unwrap(),
            places: Places::usual(Some(&state)),
            folder,
        };
        let work = scene.work();
        put(&work.join("a"), "one\n", 0o644);
        put(&work.join("script"), "#!/bin/sh\n", 0o755);
        put(
            &work.join("secret"),
            "password=hunter2hunter2\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYzzzzz\n",
            0o600,
        );
        put(&work.join("src/x/deep"), "deep\n", 0o640);
        put(&work.join("src/y"), "y\n", 0o444);
        fs::create_dir(work.join("empty")).unwrap();
        fs::hard_link(work.join("src/y"), work.join("src/y-again")).unwrap();
        symlink("a", work.join("link")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o620);
        rustix::fs::mkfifoat(rustix::fs::CWD, work.join("pipe"), mode).unwrap();
        fs::set_permissions(work.join("pipe"), fs::Permissions::from_mode(0o620)).unwrap();
        fs::File::create(work.join("sparse")).unwrap().set_len(1 << 20).unwrap();
        fs::set_permissions(work.join("src/x"), fs::Permissions::from_mode(0o711)).unwrap();
        scene
    }

    fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    fn taken(&self, paths: &[&str]) -> Snapshot {
        let paths = paths.iter().map(PathBuf::from).collect();
        let scope = Scope { history: true, ..Scope::new(self.work(), paths) };
        let taken = super::take(&self.store, &scope, Bounds::usual(), About::default()).unwrap();
        // What is on the disk is what whoever took it knows.
        assert_eq!(self.store.read(&taken.id).unwrap(), taken);
        taken
    }

    fn undone(&self, snapshot: &mut Snapshot) -> Result<usize, UndoError> {
        let found = back::difference(snapshot, &[], false).unwrap();
        back::undo(&self.store, &self.places, snapshot, &found, &mut || Ok(()))
    }
}

fn put(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Everything, times too.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, String>) {
        let meta = fs::symlink_metadata(path).unwrap();
        let mut text =
            format!("{:o} {}.{} {}", meta.mode(), meta.mtime(), meta.mtime_nsec(), meta.uid());
        if meta.is_symlink() {
            text.push_str(&format!(" -> {}", fs::read_link(path).unwrap().display()));
        } else if meta.is_file() {
            text.push_str(&format!(" x{} {:?}", meta.nlink(), fs::read(path).unwrap()));
        }
        found.insert(path.strip_prefix(root).unwrap().to_owned(), text);
        if meta.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                walk(root, &entry.unwrap().path(), found);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

fn run(work: &Path, script: &str) {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script])
        .current_dir(work)
        .env("HOME", work)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]
    {
        command.env(name, "a@b.c");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
}

fn has_git() -> bool {
    Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn repository(work: &Path) {
    let script = "git init -q -b main . && printf 'ignored\nbuild/\n' > .gitignore && git add -A && git commit -qm one && echo more >> a && \
                  git commit -qam two && git branch side && git checkout -q side && echo side > side && git add side && git commit -qm side && \
                  git checkout -q main && git tag old side && echo ignored > ignored && mkdir build && echo b > build/b && echo staged > staged && \
                  git add staged && echo loose > loose && echo dirty >> script && git stash list";
    run(work, script);
}

/// Commands that lose something, in a directory with files and a repository.
const LOSING: &[&str] = &[
    "rm a",
    "rm -rf src",
    "rm -rf src empty link sparse",
    "rm -rf ./*",
    "find . -name deep -delete",
    "rm link",
    "rm pipe",
    "rm -r src/x",
    "rmdir empty",
    "mv a b",
    "mv -f script a",
    "cp script a",
    "mv src source",
    ": > a",
    "echo new > a",
    "truncate -s 0 secret",
    "sed -i s/one/two/ a",
    "chmod 600 a",
    "chmod -R 700 src",
    "ln -sf script link",
    "rm a && mkdir a && echo x > a/x",
    "rm -rf empty && echo file > empty",
    "dd if=/dev/zero of=sparse bs=1024 count=3 status=none",
    "touch -d 2001-01-01 a",
    "cat /dev/null > script && rm -f secret",
    "rm src/y",
    "tee a < script > /dev/null",
    "shred -u secret",
    "git reset -q --hard",
    "git reset -q --hard HEAD~1",
    "git clean -qfdx",
    "git checkout -q -- .",
    "git checkout -q -f side",
    "git branch -q -D side",
    "git tag -d old",
    "git stash -q",
    "git stash -q -u && git stash drop -q",
    "git rm -qrf src",
    "git commit -qam x --amend",
    "git restore --staged staged && rm staged",
    "git update-ref -d refs/heads/side && git gc -q --prune=now",
    "rm -rf .git",
    "git rebase -q --onto HEAD~1 HEAD -f || git rebase --abort || true",
];

#[test]
fn what_commands_lose_comes_back_to_the_byte() {
    lose(LOSING, repository, false);
}

fn lose(scripts: &[&str], repository: fn(&Path), is_packed: bool) {
    let mut failed = Vec::new();
    for script in scripts {
        if script.contains("git") && !has_git() {
            continue;
        }
        let scene = Scene::new();
        let work = scene.work();
        if has_git() {
            repository(&work);
        }
        let before = tree(&work);
        let mut snapshot = scene.taken(&[]);
        assert!(!is_packed || versions::count(&snapshot) > 85, "{script}");
        run(&work, script);
        let lost = tree(&work);
        if lost == before {
            failed.push(format!("{script}: loses nothing"));
            continue;
        }
        super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let undone = scene.undone(&mut snapshot);
        let now = tree(&work);
        if now != before {
            let differs: Vec<_> =
                before.iter().filter(|(path, text)| now.get(*path) != Some(text)).collect();
            let more: Vec<_> = now.iter().filter(|(path, _)| !before.contains_key(*path)).collect();
            failed.push(format!(
                "{script}: {undone:?}\nshould be {differs:.300?}\nmore {more:.300?}"
            ));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), scripts.len(), failed.join("\n"));
}

#[test]
fn what_changed_after_the_action_stays_and_is_a_conflict() {
    let edits: [(&str, &str, &str); 21] = [
        ("rm -rf src", "mkdir src && echo mine > src/y", "src/y"),
        ("rm -rf src", "echo mine > src", "src"),
        ("rm -rf src", "ln -s /tmp src", "src"),
        ("echo new > a", "echo mine > a", "a"),
        ("echo new > a", "chmod 755 a", "a"),
        ("echo new > a", "touch -d 2001-01-01 a", "a"),
        ("echo new > a", "rm a && ln -s script a", "a"),
        ("chmod 600 a", "chmod 400 a", "a"),
        ("chmod 600 a", "echo mine >> a", "a"),
        ("rm link", "ln -s /etc link", "link"),
        ("ln -sfn script link", "ln -sfn src link", "link"),
        ("rm a && mkdir a && echo x > a/x", "echo mine > a/x", "a/x"),
        ("rm a", "mkdir a", "a"),
        ("rm a", "echo two > a", "a"),
        ("mv script elsewhere", "echo mine >> elsewhere", "elsewhere"),
        ("echo made > new", "echo mine > new", "new"),
        (": > secret", "echo mine >> secret", "secret"),
        ("rmdir empty", "echo mine > empty", "empty"),
        ("rm -rf empty && echo x > empty", "echo mine > empty", "empty"),
        ("truncate -s 5 sparse", "truncate -s 6 sparse", "sparse"),
        ("sed -i s/deep/low/ src/x/deep", "echo mine > src/x/deep", "src/x/deep"),
    ];
    for (script, edit, path) in edits {
        let scene = Scene::new();
        let work = scene.work();
        let mut snapshot = scene.taken(&[]);
        run(&work, script);
        super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        run(&work, edit);
        let edited = tree(&work);
        let found = back::difference(&snapshot, &[], false).unwrap();
        let conflict = found.iter().find(|one| one.path == Path::new(path));
        assert!(
            matches!(conflict.map(|one| &one.what), Some(Outcome::Conflict(_))),
            "{script}: {found:?}"
        );
        let _ = back::undo(&scene.store, &scene.places, &mut snapshot, &found, &mut || Ok(()));
        let now = tree(&work);
        assert_eq!(now.get(Path::new(path)), edited.get(Path::new(path)), "{script}");
    }
}

#[test]
fn without_a_look_at_the_end_only_what_is_gone_comes_back() {
    let scene = Scene::new();
    let work = scene.work();
    let mut snapshot = scene.taken(&[]);
    run(&work, "rm script; echo mine > a; echo other > new");
    let found = back::difference(&snapshot, &[], false).unwrap();
    let what = |path: &str| {
        found.iter().find(|one| one.path == Path::new(path)).map(|one| one.what.clone())
    };
    assert_eq!(what("script"), Some(Outcome::Restored));
    assert!(matches!(what("a"), Some(Outcome::Conflict(_))), "{found:?}");
    assert_eq!(what("new"), None);
    scene.undone(&mut snapshot).unwrap();
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(work.join("script")).unwrap(), "#!/bin/sh\n");
}

#[test]
fn an_undo_that_is_killed_at_any_step_leaves_all_or_nothing() {
    let mut step = 0_u32;
    loop {
        let scene = Scene::new();
        let work = scene.work();
        let before = tree(&work);
        let mut snapshot = scene.taken(&[]);
        run(&work, "rm -rf src a; echo x > new; chmod 600 script");
        super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let lost = tree(&work);
        let found = back::difference(&snapshot, &[], false).unwrap();
        let mut left = step;
        let ended = back::undo(&scene.store, &scene.places, &mut snapshot, &found, &mut || {
            if left == 0 {
                return Err(io::Error::other("killed"));
            }
            left -= 1;
            Ok(())
        });
        crate::trial::commit::recover(&scene.places).unwrap();
        let now = tree(&work);
        // The times of directories are restored last of all.
        let untimed = |tree: &BTreeMap<PathBuf, String>| -> BTreeMap<PathBuf, String> {
            let one = |text: &String| {
                let words: Vec<&str> = text.split(' ').collect();
                if text.starts_with("4") { [words[0], words[2]].join(" ") } else { text.clone() }
            };
            tree.iter().map(|(path, text)| (path.clone(), one(text))).collect()
        };
        if ended.is_ok() {
            assert_eq!(now, before);
            break;
        }
        assert!(
            untimed(&now) == untimed(&lost) || untimed(&now) == untimed(&before),
            "before step {step}"
        );
        step += 1;
    }
    assert!(step > 10, "{step}");
}

#[test]
fn nothing_is_brought_back_through_a_link_that_leads_outside() {
    let scene = Scene::new();
    let work = scene.work();
    let outside = scene.folder.path().join("outside");
    fs::create_dir_all(outside.join("x")).unwrap();
    let mut snapshot = scene.taken(&[]);
    run(&work, "rm -rf src");
    super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
    symlink(&outside, work.join("src")).unwrap();
    let _ = scene.undone(&mut snapshot);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_dir(outside.join("x")).unwrap().count(), 0);
    // Nor where all of the workspace is another one.
    fs::rename(&work, scene.folder.path().join("moved")).unwrap();
    symlink(&outside, &work).unwrap();
    assert!(
        back::difference(&snapshot, &[], false).is_err() || scene.undone(&mut snapshot).is_err()
    );
    fs::remove_file(&work).unwrap();
    fs::create_dir(&work).unwrap();
    assert!(matches!(back::difference(&snapshot, &[], false), Err(UndoError::OtherPlace(_))));
}

#[test]
fn a_workspace_that_is_gone_comes_back() {
    let scene = Scene::new();
    let work = scene.work();
    let before = tree(&work);
    let mut snapshot = scene.taken(&[]);
    fs::remove_dir_all(&work).unwrap();
    super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
    scene.undone(&mut snapshot).unwrap();
    assert_eq!(tree(&work), before);
}

#[test]
fn contents_are_kept_once_for_their_owner_alone_and_secrets_encrypted() {
    let scene = Scene::new();
    let work = scene.work();
    fs::copy(work.join("a"), work.join("a-copy")).unwrap();
    let snapshot = scene.taken(&[]);
    let object = |path: &str| {
        let found = snapshot.before.iter().find(|kept| kept.path == Path::new(path));
        found.unwrap().object.clone().unwrap()
    };
    assert_eq!(object("a"), object("a-copy"));
    assert!(object("secret").starts_with("6-"), "{}", object("secret"));
    let store = scene.folder.path().join("state/snapshots");
    let mut ahead = vec![store];
    while let Some(path) = ahead.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        assert_eq!(meta.mode() & 0o077, 0, "{}", path.display());
        if meta.is_dir() {
            ahead.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let bytes = fs::read(&path).unwrap();
            assert!(!bytes.windows(7).any(|part| part == b"hunter2"), "{}", path.display());
        }
    }
    // What is untouched is not read again.
    let again = scene.taken(&[]);
    assert_eq!(again.before.len(), snapshot.before.len());
}

#[test]
fn what_is_too_much_is_left_out_and_said() {
    let scene = Scene::new();
    let scope = Scope::new(scene.work(), Vec::new());
    let bounds = Bounds { files: 3, ..Bounds::usual() };
    let few = super::take(&scene.store, &scope, bounds, About::default()).unwrap();
    assert!(few.left_out[0].contains("too much"), "{:?}", few.left_out);
    let bounds = Bounds { bytes: 5, ..Bounds::usual() };
    let mut small = super::take(&scene.store, &scope, bounds, About::default()).unwrap();
    assert!(small.left_out.iter().any(|one| one.contains("not kept")), "{:?}", small.left_out);
    fs::remove_file(scene.work().join("script")).unwrap();
    super::ended(&scene.store, &mut small, Bounds::usual()).unwrap();
    let found = back::difference(&small, &[], false).unwrap();
    assert!(found.iter().any(|one| matches!(one.what, Outcome::Lost(_))), "{found:?}");
    // A file of any length leaves the room to the others.
    fs::File::create(scene.work().join("a-long-one")).unwrap().set_len(20 << 30).unwrap();
    let long = super::take(&scene.store, &scope, Bounds::usual(), About::default()).unwrap();
    assert_eq!(long.left_out.len(), 1, "{:?}", long.left_out);
    assert!(long.left_out[0].contains("a-long-one"), "{:?}", long.left_out);
}

#[test]
fn a_snapshot_that_somebody_else_wrote_or_moved_is_none() {
    let scene = Scene::new();
    let outside = scene.folder.path().canonicalize().unwrap().join("outside");
    put(&outside.join("profile"), "mine\n", 0o644);
    let snapshot = scene.taken(&[]);
    run(&scene.work(), "rm a");
    let kept = scene.folder.path().join("state/snapshots");
    let own = kept.join(format!("{}.json", snapshot.id));
    let text = fs::read_to_string(&own).unwrap();
    let (words, list) = text.split_once('\n').unwrap();
    let leading = |list: &str| {
        list.replace(scene.work().to_str().unwrap(), outside.to_str().unwrap())
            .replace(&snapshot.id, "00000000")
    };
    for forged in [
        leading(list),
        format!("{words}\n{}", leading(list)),
        format!("{}\n{}", "0".repeat(64), leading(list)),
        text.clone(),
        String::new(),
    ] {
        put(&kept.join("00000000.json"), &forged, 0o600);
        assert!(scene.store.read("00000000").is_err(), "{forged:.100}");
        assert_eq!(scene.store.all().len(), 1, "{forged:.100}");
    }
    // Nor does a list of files that is that of another, or was changed, or is gone.
    let list = kept.join(format!("{}.before", snapshot.id));
    let bytes = fs::read(&list).unwrap();
    let other = scene.taken(&[]);
    let others = fs::read(kept.join(format!("{}.before", other.id))).unwrap();
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    for forged in [others, changed, Vec::new()] {
        put(&list, "", 0o600);
        fs::write(&list, forged).unwrap();
        assert!(scene.store.read(&snapshot.id).is_err());
    }
    fs::remove_file(&list).unwrap();
    assert!(scene.store.read(&snapshot.id).is_err());
    put(&list, "", 0o600);
    fs::write(&list, bytes).unwrap();
    scene.store.read(&snapshot.id).unwrap();
    // Nor does the own one count once it was changed.
    put(&own, &text.replace("\"undone\":false", "\"undone\":true"), 0o600);
    assert!(scene.store.read(&snapshot.id).is_err());
    assert_eq!(fs::read_to_string(outside.join("profile")).unwrap(), "mine\n");
}

#[test]
fn contents_that_were_changed_or_cut_bring_nothing_back() {
    let harms: [&dyn Fn(&Path); 4] = [
        &|pack| {
            let bytes: Vec<u8> = fs::read(pack).unwrap().iter().map(|byte| byte ^ 1).collect();
            fs::write(pack, bytes).unwrap();
        },
        &|pack| fs::write(pack, "").unwrap(),
        &|pack| fs::remove_file(pack).unwrap(),
        &|pack| {
            fs::remove_file(pack).unwrap();
            symlink("/etc/passwd", pack).unwrap();
        },
    ];
    for harm in harms {
        let scene = Scene::new();
        let work = scene.work();
        let mut snapshot = scene.taken(&[]);
        run(&work, "rm -rf src a secret");
        super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let lost = tree(&work);
        for entry in fs::read_dir(scene.folder.path().join("state/snapshots/packs")).unwrap() {
            harm(&entry.unwrap().path());
        }
        // As another process would find it.
        let store =
            Store::open(&scene.folder.path().canonicalize().unwrap().join("state")).unwrap();
        let found = back::difference(&snapshot, &[], false).unwrap();
        let undone = back::undo(&store, &scene.places, &mut snapshot, &found, &mut || Ok(()));
        assert!(undone.is_err());
        assert!(crate::trial::commit::recover(&scene.places).unwrap().is_empty());
        assert_eq!(tree(&work), lost);
    }
}

#[test]
fn what_cannot_be_looked_at_is_not_taken_for_gone() {
    let scene = Scene::new();
    let work = scene.work();
    let mut snapshot = scene.taken(&[]);
    run(&work, "rm -rf src; echo new > a");
    super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
    fs::remove_file(work.join("script")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(work.join("src")).unwrap();
    let found = back::difference(&snapshot, &[], false).unwrap();
    for path in ["src", "src/y", "src/x/deep"] {
        let one = found.iter().find(|one| one.path == Path::new(path)).unwrap();
        assert!(
            matches!(&one.what, Outcome::Conflict(why) if why.contains("looked at")),
            "{one:?}"
        );
    }
    let found = back::difference(&snapshot, &[], true).unwrap();
    assert!(found.iter().any(|one| one.path == Path::new("script")), "{found:?}");
    back::undo(&scene.store, &scene.places, &mut snapshot, &found, &mut || Ok(())).unwrap();
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "one\n");
    assert!(fs::symlink_metadata(work.join("src")).unwrap().mode() & 0o170_000 == 0o140_000);
}

#[test]
fn a_workspace_that_was_remade_by_one_that_was_killed_comes_back() {
    let scene = Scene::new();
    let work = scene.work();
    let before = tree(&work);
    for step in 0..6 {
        let mut snapshot = scene.taken(&[]);
        fs::remove_dir_all(&work).unwrap();
        super::ended(&scene.store, &mut snapshot, Bounds::usual()).unwrap();
        let found = back::difference(&snapshot, &[], false).unwrap();
        let mut left = step;
        let killed = || {
            left -= 1;
            if left < 0 { Err(io::Error::other("killed")) } else { Ok(()) }
        };
        let mut killed = killed;
        let ended = back::undo(&scene.store, &scene.places, &mut snapshot, &found, &mut killed);
        assert!(ended.is_err());
        crate::trial::commit::recover(&scene.places).unwrap();
        let mut again = scene.store.read(&snapshot.id).unwrap();
        // Also where it was killed before the directory had its name.
        if step % 2 == 0 {
            fs::rename(&work, work.with_file_name(format!(".portcullis-undo-{}", again.id)))
                .unwrap();
        }
        scene.undone(&mut again).unwrap();
        assert_eq!(tree(&work), before, "{step}");
    }
}
