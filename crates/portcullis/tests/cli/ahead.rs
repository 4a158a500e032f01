//! What is kept before anything is lost: by `undo --prepare`, and by a process that a hook begins.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Ended, Place, killed::CHANGING};

/// A project with a repository of so many files, and a state directory apart from it; none where there is no git.
fn place(files: usize) -> Option<(Place, PathBuf, TempDir)> {
    let state = TempDir::new().unwrap();
    let place = Place::recorded()
        .with("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
    let project = place.home.path().canonicalize().unwrap().join("project");
    for number in 0..files {
        let path = project.join(format!("src/{}/file-with-a-long-name-{number}", number % 9));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{number}\n")).unwrap();
    }
    let script = "git init -q -b main . && git -c user.name=a -c user.email=a@b.c add -A && git -c user.name=a -c user.email=a@b.c commit -qm one && git gc -q";
    let made = Command::new("sh").args(["-c", script]).current_dir(&project).status();
    made.ok().filter(std::process::ExitStatus::success)?;
    Some((place, project, state))
}

fn hook(place: &Place, project: &Path, command: &str) -> Ended {
    let payload = json!({"session_id": "s1", "transcript_path": "/tmp/t", "cwd": project, "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
    place.hook("claude", payload.to_string().as_bytes())
}

/// What stands at a place of a value; nothing where nothing does.
fn at(value: &Value, place: &str) -> Value {
    value.pointer(place).cloned().unwrap_or_default()
}

/// What was kept beforehand, once the process that does it has ended.
fn prepared(place: &Place) -> Value {
    for _ in 0..1200 {
        let status = place.run(["status", "--json"]).json();
        let one = at(&status, "/prepared/0");
        if at(&one, "/taken").as_str().is_some_and(|taken| !taken.is_empty()) {
            return one;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("nothing was kept");
}

#[test]
fn a_hook_begins_to_keep_a_large_project_and_answers_as_ever() {
    let Some((place, project, state)) = place(900) else { return };
    let answer = hook(&place, &project.join("src"), "ls -la");
    // It is answered, and whatever it began holds nothing of it open.
    assert_eq!((answer.code, answer.out.as_str()), (0, ""), "{}", answer.page());
    let one = prepared(&place);
    assert_eq!(one["workspace"], project.to_str().unwrap(), "{one}");
    assert!(one["files"].as_u64().unwrap() + one["recent"].as_u64().unwrap() >= 900, "{one}");
    assert_eq!(one["left_out"], json!([]), "{one}");
    let status = place.run(["status"]);
    assert!(status.out.contains("in the background"), "{}", status.page());
    assert!(status.out.contains(project.to_str().unwrap()), "{}", status.page());
    // It is over by itself, and is not begun with each call.
    let begun = || -> Vec<_> {
        let folder = state.path().join("own/snapshots/prepared");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.map(|path| path.join("begun")).filter(|path| path.exists());
        files.map(|path| fs::metadata(path).unwrap().modified().unwrap()).collect()
    };
    let first = begun();
    assert_eq!(first.len(), 1);
    hook(&place, &project, "ls");
    assert_eq!(begun(), first);
    // What is lost then comes back.
    hook(&place, &project, "rm -rf src");
    fs::remove_dir_all(project.join("src")).unwrap();
    assert_eq!(place.run(["undo"]).code, 0);
    assert_eq!(fs::read_to_string(project.join("src/1/file-with-a-long-name-10")).unwrap(), "10\n");
}

#[test]
fn nothing_is_begun_for_a_small_project_no_project_or_where_the_configuration_says_so() {
    let Some((place, project, state)) = place(900) else { return };
    let kept = state.path().join("own/snapshots/prepared");
    let settings = place.home.path().join(".config/portcullis");
    fs::create_dir_all(&settings).unwrap();
    for text in ["ahead = false", "hooks = false", "snapshots = false"] {
        fs::write(settings.join("config.toml"), format!("[undo]\n{text}\n")).unwrap();
        hook(&place, &project, "ls -la");
        assert!(!kept.exists(), "{text}");
        let status = place.run(["status"]);
        assert!(status.out.contains("--prepare` alone"), "{text}: {}", status.page());
    }
    fs::remove_file(settings.join("config.toml")).unwrap();
    // As a person who left it so: nothing is there of another.
    fs::remove_dir_all(state.path().join("own")).unwrap();
    let home = place.home.path().canonicalize().unwrap();
    let other = home.join("no-project");
    fs::create_dir(&other).unwrap();
    fs::rename(project.join(".git"), home.join("elsewhere")).unwrap();
    for directory in [project.as_path(), &other, &home, Path::new("/")] {
        hook(&place, directory, "ls -la");
        assert!(!kept.exists(), "{}", directory.display());
    }
    fs::rename(home.join("elsewhere"), project.join(".git")).unwrap();
    hook(&place, &project, "ls -la");
    assert!(kept.exists());
    prepared(&place);
}

#[test]
fn a_person_has_a_project_kept_and_is_told_what_was_not() {
    let Some((place, project, _state)) = place(30) else { return };
    let directory = project.join("src");
    let words = ["undo", "--prepare", directory.to_str().unwrap()];
    let said = place.run(words);
    assert_eq!(said.code, 0, "{}", said.page());
    assert!(said.out.contains(&format!("files of {}", project.display())), "{}", said.page());
    let shape = place.run([words[0], words[1], words[2], "--json"]).json();
    assert_eq!(shape["prepared"]["workspace"], project.to_str().unwrap(), "{shape}");
    // A directory that is no work tree is one that somebody named.
    let other = place.home.path().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a"), "a\n").unwrap();
    assert_eq!(place.run(["undo", "--prepare", other.to_str().unwrap()]).code, 0);
    let home = place.home.path().canonicalize().unwrap();
    for (directory, code, words) in [
        (home.to_str().unwrap(), 64, "home directory"),
        ("/", 64, "home directory"),
        ("/no/such/place", 64, "no directory"),
    ] {
        let refused = place.run(["undo", "--prepare", directory]);
        assert_eq!(refused.code, code, "{directory}: {}", refused.page());
        assert!(refused.err.contains(words), "{directory}: {}", refused.page());
    }
    let refused = place.run(["undo", "--prepare", other.to_str().unwrap(), "--show"]);
    assert_eq!(refused.code, 64, "{}", refused.page());
    // What a hook begins with is nothing by which a directory is made.
    let state = home.join("no-state");
    let started = place.run([
        "undo",
        "--prepare",
        project.to_str().unwrap(),
        "--ahead",
        state.to_str().unwrap(),
    ]);
    assert_ne!(started.code, 0, "{}", started.page());
    assert!(!state.exists());
}

/// How many calls of a run are tried where nobody says it (`PORTCULLIS_KILLS`), spread evenly over it.
const USUAL: usize = 12;

/// How many files there are below directories of what is kept.
fn count(state: &Path) -> BTreeMap<&'static str, usize> {
    fn below(path: &Path) -> usize {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let count = |path: PathBuf| if path.is_dir() { below(&path) } else { 1 };
        entries.map(|entry| count(entry.path())).sum()
    }
    let folder = state.join("own/snapshots");
    ["packs", "objects", "versions"].map(|name| (name, below(&folder.join(name)))).into()
}

/// Every name below a directory.
fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let all = entries.flat_map(|entry| {
        let own = entry.file_name().to_string_lossy().into_owned();
        let below = if entry.path().is_dir() { names(&entry.path()) } else { Vec::new() };
        std::iter::once(own).chain(below)
    });
    all.collect()
}

/// `undo --prepare` under `strace`, which ends it at the n-th call of a name or tells it that the disk is full.
fn traced(place: &Place, options: &[&str], log: &str, project: &str) -> bool {
    let mut command = place.command_of("strace");
    command.args(["-f", "-qq", "-o", log]).args(options);
    command.arg(place.command().get_program()).args(["undo", "--prepare", project]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Has what is kept beforehand ended at each call to the system by which something could change. What is lost then comes back, and who keeps it the
/// next time keeps what one does who was never ended, and nothing beside it.
fn ended_at_each_call(what: &str) {
    let Some((place, project, state)) = place(120) else { return };
    let secret = "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYzzzzz\n";
    fs::write(project.join("src/secret"), secret.repeat(2_100)).unwrap();
    fs::write(project.join("src/not-committed"), "mine\n").unwrap();
    let name = project.to_str().unwrap();
    let prepare = || place.run(["undo", "--prepare", name, "--json"]);
    let forget = || fs::remove_dir_all(state.path().join("own")).unwrap();
    // What changed just now would be left for later.
    while at(&prepare().json(), "/prepared/recent") != 0 {
        forget();
    }
    let whole = count(state.path());
    assert_eq!(whole, [("packs", 1), ("objects", 1), ("versions", 2)].into());
    let files = at(&prepare().json(), "/prepared/files");
    forget();
    let log = place.home.path().join("log");
    let calls = CHANGING.iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join(",");
    let calls = format!("trace={calls}");
    if !traced(&place, &["-e", &calls], log.to_str().unwrap(), name) {
        eprintln!("skipped: `strace` is missing, or may trace nothing here");
        return;
    }
    let text = fs::read_to_string(&log).unwrap();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        let call = line.split_once(' ').and_then(|(_, call)| call.trim_start().split_once('('));
        *counts.entry(call.map_or("", |(name, _)| name)).or_default() += 1;
    }
    let kinds = counts.iter().filter(|(name, _)| CHANGING.contains(name));
    let steps: Vec<(&str, usize)> =
        kinds.flat_map(|(name, count)| (1..=*count).map(|number| (*name, number))).collect();
    let most = std::env::var("PORTCULLIS_KILLS").ok().and_then(|text| text.parse().ok());
    let most = most.unwrap_or(USUAL).clamp(1, steps.len());
    let mut ended = 0;
    for (call, number) in (0..most).filter_map(|at| steps.get(at * steps.len() / most).copied()) {
        forget();
        let only = format!("trace={call}");
        let inject = format!("inject={call}:{what}:when={number}");
        let done = traced(&place, &["-e", &only, "-e", &inject], "/dev/null", name);
        ended += usize::from(!done);
        // Whoever loses it meanwhile has it back.
        hook(&place, &project, "rm -rf src");
        fs::rename(project.join("src"), place.home.path().join("lost")).unwrap();
        let undone = place.run(["undo"]);
        assert_eq!(undone.code, 0, "{call} {number}: {}", undone.page());
        let same = Command::new("diff")
            .arg("-r")
            .args([project.join("src"), place.home.path().join("lost")])
            .output()
            .unwrap();
        assert!(same.status.success(), "{call} {number}: {same:?}");
        // As it was, so that nothing of it changed.
        fs::remove_dir_all(project.join("src")).unwrap();
        fs::rename(place.home.path().join("lost"), project.join("src")).unwrap();
        forget();
        let done = traced(&place, &["-e", &only, "-e", &inject], "/dev/null", name);
        let again = prepare();
        assert_eq!(again.code, 0, "{call} {number}, {done}: {}", again.page());
        assert_eq!(at(&again.json(), "/prepared/files"), files, "{call} {number}");
        let kept = count(state.path());
        if what.contains("KILL") {
            assert_eq!(kept, whole, "{call} {number}");
        }
        // What could not be copied for git is kept by itself.
        let is_no_more =
            kept.iter().all(|(name, count)| *count <= whole.get(name).copied().unwrap_or(0).max(2));
        assert!(is_no_more, "{call} {number}: {kept:?}");
        let left: Vec<String> = names(&state.path().join("own/snapshots"))
            .into_iter()
            .filter(|name| name.starts_with('.'))
            .collect();
        assert!(left.is_empty(), "{call} {number}: {left:?}");
    }
    eprintln!("{what}: {most} of {} calls tried, {ended} ended it", steps.len());
    assert!(ended > 0);
}

#[test]
fn what_is_killed_at_any_call_while_it_keeps_something_beforehand_leaves_nothing_behind() {
    ended_at_each_call("signal=KILL");
}

#[test]
fn what_meets_a_full_disk_at_any_call_while_it_keeps_something_beforehand_leaves_nothing_behind() {
    ended_at_each_call("error=ENOSPC");
}

#[test]
fn of_two_that_keep_the_same_beforehand_one_does() {
    let Some((place, project, state)) = place(300) else { return };
    let name = project.to_str().unwrap();
    let run = || place.run(["undo", "--prepare", name]);
    let all: Vec<Ended> = thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(all.iter().any(|one| one.code == 0));
    for one in all.iter().filter(|one| one.code != 0) {
        assert!(one.err.contains("is being kept beforehand already"), "{}", one.page());
    }
    assert_eq!(run().code, 0);
    assert!(count(state.path())["versions"] <= 2);
}
