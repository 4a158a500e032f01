//! `try` by the command line: what is shown, taken over and left. What the sandbox holds against, the tests of `portcullis-sandbox` try.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::{Ended, Place};

/// A home with a key in it, and a project with a repository; none, and why, where the kernel has not what a trial takes.
fn place() -> Option<(Place, PathBuf, TempDir)> {
    let state = TempDir::new().unwrap();
    let place = Place::recorded()
        .with("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
    let home = place.home.path().canonicalize().unwrap();
    let project = home.join("project");
    fs::create_dir_all(project.join(".git/hooks")).unwrap();
    fs::create_dir(project.join("src")).unwrap();
    fs::create_dir(home.join(".ssh")).unwrap();
    fs::write(home.join(".ssh/id_ed25519"), "the key").unwrap();
    fs::write(project.join("src/a"), "one\ntwo\n").unwrap();
    fs::write(project.join("src/gone"), "gone\n").unwrap();
    symlink("src/a", project.join("link")).unwrap();
    let tried = tried(&place, &project, &["--network", "off", "--discard"], "true");
    if tried.code != 0 {
        let words = format!("skipped: {}\n", tried.page());
        std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes()).unwrap();
        return None;
    }
    Some((place, project, state))
}

fn tried(place: &Place, project: &Path, options: &[&str], script: &str) -> Ended {
    let mut words = vec!["try", "--workspace", project.to_str().unwrap()];
    words.extend(options);
    words.extend(["--", "sh", "-c", script]);
    place.run(words)
}

/// Everything below a directory, with what counts of it.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_file() {
                format!("{:?}", fs::read(&path).unwrap())
            } else {
                String::new()
            };
            let mode = if meta.is_symlink() { 0 } else { meta.mode() };
            let text = format!("{mode:o} {}:{} {content}", meta.uid(), meta.gid());
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
fn a_trial_tells_what_happened_and_changes_nothing() {
    let Some((place, project, _state)) = place() else { return };
    let before = tree(&project);
    let script = "echo three >> src/a; rm src/gone; mkdir -p new/deep; echo x > new/deep/f; chmod 755 new/deep/f; ln -sf src link; \
                  cat ../.ssh/id_ed25519; echo x > /etc/portcullis-test; echo alias >> ../.bashrc; echo said; exit 7";
    let ended = tried(&place, &project, &["--json"], script);
    assert_eq!(ended.code, 7, "{}", ended.page());
    assert_eq!(tree(&project), before);
    assert!(!place.home.path().join(".bashrc").exists());
    let told = ended.json();
    let changes = told["changes"].as_array().unwrap();
    let what = |path: &str| {
        let path = project.join(path).canonicalize().unwrap_or_else(|_| project.join(path));
        let found = changes.iter().find(|one| one["path"] == path.to_str().unwrap());
        found.map(|one| one["what"].as_str().unwrap().to_owned())
    };
    for (path, expected) in [
        ("src/a", "changed"),
        ("src/gone", "deleted"),
        ("new", "made"),
        ("new/deep", "made"),
        ("new/deep/f", "made"),
    ] {
        assert_eq!(what(path).as_deref(), Some(expected), "{path}: {told}");
    }
    assert_eq!(changes.len(), 7, "{told}");
    let diff =
        changes.iter().find_map(|one| one["diff"].as_str().filter(|diff| diff.contains("three")));
    assert!(diff.unwrap().contains("+three\n"), "{told}");
    assert!(told["secrets"][0].as_str().unwrap().ends_with(".ssh/id_ed25519"), "{told}");
    assert_eq!(told["refused"][0], "/etc/portcullis-test");
    assert_eq!(told["stdout"], "said\n");
    let programs = told["programs"].as_array().unwrap();
    assert!(programs.iter().any(|one| one["path"].as_str().unwrap().ends_with("/chmod")), "{told}");
    let id = told["trial"].as_str().unwrap();
    let shown = place.run(["try", "--trial", &id[..4]]);
    assert!(shown.out.contains("changed    src/a  +1 -0"), "{}", shown.page());
    assert_eq!(place.run(["try", "--trial", id, "--discard"]).code, 0);
    assert!(place.run(["try", "--list"]).out.contains("no trial is kept"));
    assert_eq!(place.run(["audit", "verify"]).code, 0);
}

#[test]
fn hosts_that_are_wanted_are_noted_and_not_connected_to() {
    let Some((place, project, _state)) = place() else { return };
    if !Path::new("/usr/bin/curl").exists() {
        return;
    }
    let script = "curl -sS --max-time 5 https://packages.example/x; curl -sS --max-time 5 http://127.0.0.2:9/";
    let told = tried(&place, &project, &["--json", "--discard"], script).json();
    let hosts: Vec<&str> = told["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["target"].as_str().unwrap())
        .collect();
    assert!(hosts.contains(&"CONNECT packages.example:443"), "{told}");
    assert!(
        told["hosts"].as_array().unwrap().iter().all(|one| one["refused"].is_string()),
        "{told}"
    );
}

#[test]
fn what_is_taken_over_is_judged_and_whole() {
    let Some((place, project, _state)) = place() else { return };
    let script = "echo three >> src/a; rm src/gone; mkdir -m 700 new; echo x > new/f; echo hook > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let before = tree(&project);
    let ended = tried(&place, &project, &["--commit"], script);
    assert_eq!(ended.code, 3, "{}", ended.page());
    assert!(ended.err.contains("pre-commit"), "{}", ended.page());
    assert_eq!(tree(&project), before, "nothing of it is taken over where a part asks");
    let ended = place.run(["try", "--trial", "last", "--commit", "src", "new"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert_eq!(fs::read_to_string(project.join("src/a")).unwrap(), "one\ntwo\nthree\n");
    assert!(!project.join("src/gone").exists());
    assert_eq!(fs::metadata(project.join("new")).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(!project.join(".git/hooks/pre-commit").exists());
    let names: Vec<_> =
        fs::read_dir(&project).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("portcullis")), "{names:?}");
    // What is left of the trial is still there.
    let shown = place.run(["try", "--trial", "last"]);
    assert!(shown.out.contains("made       .git/hooks/pre-commit"), "{}", shown.page());
    assert!(!shown.out.contains("changed    src/a"), "{}", shown.page());
    let record = place.run(["audit", "list"]);
    assert!(record.out.contains("4 changes taken over"), "{}", record.page());
}

#[test]
fn what_changed_since_is_a_conflict_and_is_not_overwritten() {
    let Some((place, project, _state)) = place() else { return };
    let changes: [(&str, &dyn Fn()); 5] = [
        ("src/a", &|| fs::write(project.join("src/a"), "mine\n").unwrap()),
        ("src/gone", &|| fs::write(project.join("src/gone"), "mine\n").unwrap()),
        ("new", &|| fs::write(project.join("new"), "mine\n").unwrap()),
        ("link", &|| {
            fs::remove_file(project.join("link")).unwrap();
            symlink("/etc", project.join("link")).unwrap();
        }),
        ("src", &|| {
            fs::rename(project.join("src"), project.join("elsewhere")).unwrap();
            symlink("elsewhere", project.join("src")).unwrap();
        }),
    ];
    for (path, change) in changes {
        let script = "echo three > src/a; rm src/gone; mkdir new; ln -sfn src/gone link";
        let (place, project_now) = (&place, &project);
        let _ = fs::remove_dir_all(project_now);
        fs::create_dir_all(project_now.join("src")).unwrap();
        fs::write(project_now.join("src/a"), "one\n").unwrap();
        fs::write(project_now.join("src/gone"), "gone\n").unwrap();
        symlink("src/a", project_now.join("link")).unwrap();
        let ended = tried(place, project_now, &[], script);
        assert_eq!(ended.code, 0, "{}", ended.page());
        change();
        let now = tree(project_now);
        let ended = place.run(["try", "--trial", "last", "--commit"]);
        assert_eq!(ended.code, 65, "{path}: {}", ended.page());
        assert_eq!(tree(project_now), now, "{path}");
    }
}

#[test]
fn a_trial_that_is_killed_leaves_nothing_in_the_files() {
    let Some((place, project, state)) = place() else { return };
    let before = tree(&project);
    let mut command = place.command();
    command.args(["try", "--workspace", project.to_str().unwrap(), "--", "sh", "-c"]);
    command.arg("echo x > src/a; echo started; sleep 30").stdout(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let trials = state.path().join("own/trials");
    let kept = || -> Vec<PathBuf> {
        fs::read_dir(&trials).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let is_there = |path: &PathBuf| {
        fs::read(path.join("layer-0/project/src/a")).is_ok_and(|text| text == b"x\n")
    };
    let layer = || kept().iter().any(is_there);
    let begun = std::time::Instant::now();
    while !layer() && begun.elapsed().as_secs() < 60 {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(tree(&project), before);
    // The next one clears away what it left beside them, once its processes are gone.
    while layer() && begun.elapsed().as_secs() < 60 {
        place.run(["try", "--list"]);
    }
    assert!(!layer());
    let left: Vec<PathBuf> = kept().into_iter().filter(|path| path.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn hostile_names_are_shown_and_taken_over_to_the_byte() {
    use std::os::unix::ffi::OsStrExt as _;
    let Some((place, project, _state)) = place() else { return };
    let script = r#"touch "$(printf 'line\nbreak')" "$(printf 'esc\033[2Jape')" "$(printf 'not\377utf8')" -- '-rf' 'back\slash' "quo'te" ' ' "$(printf '\342\200\256rtl')""#;
    let ended = tried(&place, &project, &[], script);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(!ended.out.contains('\u{1b}') && !ended.out.contains('\u{202e}'), "{:?}", ended.out);
    // What is no text nobody can judge, so it is not taken over without a person.
    let ended = place.run(["try", "--trial", "last", "--commit"]);
    assert_eq!(ended.code, 3, "{}", ended.page());
    for name in
        ["line\nbreak", "esc\u{1b}[2Jape", "-rf", "back\\slash", "quo'te", " ", "\u{202e}rtl"]
    {
        let ended = place.run(["try", "--trial", "last", "--commit", &format!("./{name}")]);
        assert_eq!(ended.code, 0, "{name:?}: {}", ended.page());
        assert!(project.join(name).exists(), "{name:?}");
    }
    let invalid = project.join(std::ffi::OsStr::from_bytes(b"not\xffutf8"));
    assert!(!invalid.exists());
}

#[test]
fn what_settings_of_git_name_in_the_tree_asks_when_it_is_taken_over() {
    let Some((place, project, _state)) = place() else { return };
    crate::sandbox::told(&project);
    let script =
        "echo x >> .husky/pre-commit; echo x > .gitinc; echo x >> tools/f.sh; echo x > src/new";
    let ended = tried(&place, &project, &["--commit"], script);
    assert_eq!(ended.code, 3, "{}", ended.page());
    for path in [".husky/pre-commit", ".gitinc", "tools/f.sh"] {
        assert!(
            ended.err.contains(&format!("ask: {}", project.join(path).display())),
            "{}",
            ended.page()
        );
    }
    assert!(!project.join(".gitinc").exists() && !project.join("src/new").exists());
    let ended = place.run(["try", "--trial", "last", "--commit", "src"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(project.join("src/new").exists());
}
