//! What is kept before anything is lost: by `undo --prepare`, and by a process that a hook begins.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Ended, Place};

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

/// What was kept beforehand, once the process that does it has ended.
fn prepared(place: &Place) -> Value {
    for _ in 0..1200 {
        let status = place.run(["status", "--json"]).json();
        if let Some(one) = status["prepared"].as_array().and_then(|all| all.first()) {
            if !one["taken"].as_str().unwrap().is_empty() {
                return one.clone();
            }
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
