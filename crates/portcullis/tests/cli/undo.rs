//! `undo` by the command line: what is kept before programs and calls of agents, and what comes back of it.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::json;
use tempfile::TempDir;

use crate::{Ended, Place};

/// A project with a repository, a state directory apart from it, and a sandbox that holds; none where the kernel has no sandbox.
fn place() -> Option<(Place, PathBuf, TempDir)> {
    let state = TempDir::new().unwrap();
    let place = Place::recorded()
        .with("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
    let project = place.home.path().canonicalize().unwrap().join("project");
    fs::create_dir_all(project.join("src/deep")).unwrap();
    for (path, text) in [("src/a", "a\n"), ("src/deep/b", "b\n"), ("README.md", "read me\n")] {
        fs::write(project.join(path), text).unwrap();
    }
    let script = "git init -q -b main . && git -c user.name=a -c user.email=a@b.c add -A && git -c user.name=a -c user.email=a@b.c commit -qm one && git branch side";
    let made = Command::new("sh").args(["-c", script]).current_dir(&project).status();
    made.ok().filter(std::process::ExitStatus::success)?;
    let ended = run(&place, &project, "true");
    (ended.code == 0).then_some((place, project, state))
}

fn run(place: &Place, project: &Path, script: &str) -> Ended {
    let workspace = project.to_str().unwrap();
    // Git writes its own files, which are protected.
    place.run([
        "sandbox",
        "run",
        "--waive",
        "protected",
        "--workspace",
        workspace,
        "--",
        "sh",
        "-c",
        script,
    ])
}

#[test]
fn what_a_program_deletes_comes_back() {
    let Some((place, project, _state)) = place() else { return };
    let time = fs::metadata(project.join("src/a")).unwrap().mtime_nsec();
    let ended = run(&place, &project, "rm -rf src");
    assert!(!project.join("src").exists(), "{}", ended.page());
    assert!(ended.err.contains("portcullis undo"), "{}", ended.page());
    let shown = place.run(["undo", "--show"]);
    assert!(shown.out.contains("restored   src/deep/b"), "{}", shown.page());
    assert!(!project.join("src").exists());
    let undone = place.run(["undo"]);
    assert_eq!(undone.code, 0, "{}", undone.page());
    assert_eq!(fs::read_to_string(project.join("src/deep/b")).unwrap(), "b\n");
    assert_eq!(fs::metadata(project.join("src/a")).unwrap().mtime_nsec(), time);
    let again = place.run(["undo"]);
    assert_eq!(again.code, 64, "{}", again.page());
    let audit = place.run(["audit", "list"]);
    assert!(audit.out.contains("undone"), "{}", audit.page());
    // What was taken back can be taken back, by its name.
    let listed = place.run(["undo", "--list", "--json"]).json();
    let last = listed["snapshots"].as_array().unwrap().last().unwrap().clone();
    assert!(last["action"].as_str().unwrap().starts_with("undo of "), "{listed}");
    assert_eq!(place.run(["undo", last["snapshot"].as_str().unwrap()]).code, 0);
    assert!(!project.join("src").exists());
}

#[test]
fn branches_and_work_that_version_control_forgets_come_back() {
    let Some((place, project, _state)) = place() else { return };
    fs::write(project.join("README.md"), "not committed\n").unwrap();
    fs::write(project.join("ignored"), "untracked\n").unwrap();
    for script in ["git reset -q --hard", "git clean -qfdx", "git branch -q -D side"] {
        let ended = run(&place, &project, script);
        assert_eq!(ended.code, 0, "{script}: {}", ended.page());
        assert!(ended.err.contains("portcullis undo"), "{script}: {}", ended.page());
    }
    for _ in 0..3 {
        let undone = place.run(["undo"]);
        assert_eq!(undone.code, 0, "{}", undone.page());
    }
    assert_eq!(fs::read_to_string(project.join("README.md")).unwrap(), "not committed\n");
    assert_eq!(fs::read_to_string(project.join("ignored")).unwrap(), "untracked\n");
    let branches = Command::new("git")
        .args(["branch", "--list", "side"])
        .current_dir(&project)
        .output()
        .unwrap();
    assert!(!branches.stdout.is_empty());
    let clean =
        Command::new("git").args(["fsck", "--strict"]).current_dir(&project).status().unwrap();
    assert!(clean.success());
}

#[test]
fn later_edits_are_conflicts_until_somebody_insists() {
    let Some((place, project, _state)) = place() else { return };
    run(&place, &project, "rm src/deep/b; echo older > older");
    run(&place, &project, "rm src/a; echo theirs > README.md");
    fs::write(project.join("README.md"), "mine\n").unwrap();
    let undone = place.run(["undo"]);
    assert_eq!(undone.code, 65, "{}", undone.page());
    assert!(undone.out.contains("conflict   README.md"), "{}", undone.page());
    assert_eq!(fs::read_to_string(project.join("README.md")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(project.join("src/a")).unwrap(), "a\n");
    let listed = place.run(["undo", "--list", "--json"]).json();
    let name = |at: usize| listed["snapshots"][at]["snapshot"].as_str().unwrap().to_owned();
    let (older, id) = (name(0), name(1));
    // The next one back is not taken for the one that is half done.
    let half = place.run(["undo"]);
    assert_eq!(half.code, 65, "{}", half.page());
    assert!(half.err.contains(&id) && half.err.contains(&older), "{}", half.page());
    assert!(!project.join("src/deep/b").exists(), "{}", half.page());
    assert!(place.run(["undo", "--show"]).out.contains("conflict   README.md"));
    assert!(place.run(["undo", "--list"]).out.contains("(undone but for 1 files)"));
    let mut forced = place.command();
    forced.current_dir(&project).args(["undo", &id, "--force", "README.md"]);
    assert!(forced.output().unwrap().status.success());
    assert_eq!(fs::read_to_string(project.join("README.md")).unwrap(), "read me\n");
    let next = place.run(["undo"]);
    assert_eq!(next.code, 0, "{}", next.page());
    assert!(
        project.join("src/deep/b").exists() && !project.join("older").exists(),
        "{}",
        next.page()
    );
}

#[test]
fn insisting_means_the_action_that_was_just_undone_in_part() {
    let Some((place, project, _state)) = place() else { return };
    run(&place, &project, "rm src/deep/b");
    run(&place, &project, "echo theirs > README.md");
    fs::write(project.join("README.md"), "mine\n").unwrap();
    assert_eq!(place.run(["undo"]).code, 65);
    assert_eq!(place.run(["undo", "--force"]).code, 0);
    assert_eq!(fs::read_to_string(project.join("README.md")).unwrap(), "read me\n");
    assert!(!project.join("src/deep/b").exists());
}

#[test]
fn where_only_a_part_was_named_the_rest_is_still_there_to_be_undone() {
    let Some((place, project, _state)) = place() else { return };
    run(&place, &project, "rm src/a src/deep/b");
    let id = place.run(["undo", "--list", "--json"]).json()["snapshots"][0]["snapshot"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(place.run(["undo", &id, "src/a"]).code, 0);
    assert!(project.join("src/a").exists() && !project.join("src/deep/b").exists());
    let half = place.run(["undo"]);
    assert!(half.code == 65 && half.err.contains(&id), "{}", half.page());
    assert_eq!(place.run(["undo", &id]).code, 0);
    assert!(project.join("src/deep/b").exists());
    assert_eq!(place.run(["undo"]).code, 64);
}

#[test]
fn before_an_agent_loses_files_they_are_kept() {
    let Some((place, project, _state)) = place() else { return };
    fs::create_dir(project.join("data")).unwrap();
    fs::write(project.join("data/x"), "never committed\n").unwrap();
    let payload = |event: &str, command: &str| {
        json!({"session_id": "s1", "transcript_path": "/tmp/t", "cwd": project, "permission_mode": "default", "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}}).to_string()
    };
    let quiet = place.hook("claude", payload("PreToolUse", "ls -la").as_bytes());
    assert_eq!(quiet.code, 0, "{}", quiet.page());
    assert!(place.run(["undo", "--list"]).out.contains("nothing can be"));
    let asked = place.hook("claude", payload("PreToolUse", "rm -rf data").as_bytes());
    assert_eq!(asked.code, 0, "{}", asked.page());
    let listed = place.run(["undo", "--list", "--json"]).json();
    assert_eq!(listed["snapshots"][0]["session"], "s1", "{listed}");
    let number = listed["snapshots"][0]["record"].as_u64().unwrap();
    let audit = place.run(["audit", "list"]);
    assert!(audit.out.contains(&format!(", of {number}")), "{}", audit.page());
    // The agent does it.
    fs::remove_dir_all(project.join("data")).unwrap();
    let ran = place.hook("claude", payload("PostToolUse", "rm -rf data").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.page());
    // Its end was looked at, so that what is made there later is known as later.
    fs::create_dir(project.join("data")).unwrap();
    fs::write(project.join("data/x"), "mine\n").unwrap();
    let undone = place.run(["undo", "--session", "s1"]);
    assert_eq!(undone.code, 65, "{}", undone.page());
    fs::remove_dir_all(project.join("data")).unwrap();
    let undone = place.run(["undo", "--session", "s1"]);
    assert_eq!(undone.code, 0, "{}", undone.page());
    assert_eq!(fs::read_to_string(project.join("data/x")).unwrap(), "never committed\n");
    // What is denied is not kept: it does not run.
    let denied = place.hook("claude", payload("PreToolUse", "rm -rf /").as_bytes());
    let _ = denied;
    assert_eq!(place.run(["audit", "verify"]).code, 0);
    assert_eq!(place.run(["undo", &number.to_string(), "--show"]).code, 0);
    assert_eq!(place.run(["undo", "99999"]).code, 64);
}

/// Everything below a directory, with what is in it and its rights.
fn tree(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if meta.is_file() {
                fs::read(&path).unwrap()
            } else {
                open.push(path.clone());
                Vec::new()
            };
            found.insert(path.strip_prefix(root).unwrap().to_owned(), (meta.mode(), content));
        }
    }
    found
}

#[test]
fn files_of_hostile_names_come_back_and_nothing_beside_them() {
    let Some((place, project, _state)) = place() else { return };
    let odd = project.join("odd");
    fs::create_dir(&odd).unwrap();
    let names: [&[u8]; 12] = [
        b"-rf",
        b"two\nlines",
        b"\x1b[2Jcleared",
        b"not \xff\xfe text",
        b"%2e%2e",
        b"..leading",
        b" ",
        b"quote'\"$(id)",
        b".portcullis-commit-00000000",
        b".new-0011223344556677",
        "right\u{202e}left".as_bytes(),
        &[b'n'; 255],
    ];
    for name in names {
        fs::write(odd.join(OsStr::from_bytes(name)), name).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", odd.join("link")).unwrap();
    let before = tree(&project);
    run(&place, &project, "rm -rf odd");
    assert!(!odd.exists());
    let shown = place.run(["undo", "--show"]);
    assert!(!shown.out.contains('\x1b') && !shown.out.contains('\u{202e}'), "{}", shown.page());
    let undone = place.run(["undo"]);
    assert_eq!(undone.code, 0, "{}", undone.page());
    assert!(tree(&project) == before, "{}", undone.page());
}

#[test]
fn two_that_undo_at_once_restore_it_once_and_whole() {
    let Some((place, project, _state)) = place() else { return };
    for number in 0..200 {
        fs::write(project.join(format!("src/file-{number}")), format!("{number}\n")).unwrap();
    }
    let before = tree(&project);
    for round in 0..5 {
        run(&place, &project, "rm -rf src");
        let listed = place.run(["undo", "--list", "--json"]).json();
        let all = listed["snapshots"].as_array().unwrap().clone();
        let open = |one: &&serde_json::Value| {
            one["undone"] == false && !one["action"].as_str().unwrap().starts_with("undo of")
        };
        let id = all.iter().rfind(open).unwrap()["snapshot"].as_str().unwrap().to_owned();
        let children: Vec<_> = (0..4)
            .map(|_| {
                let mut command = place.command();
                command.args(["undo", &id]).stdout(Stdio::null()).stderr(Stdio::null());
                command.spawn().unwrap()
            })
            .collect();
        let codes: Vec<_> =
            children.into_iter().map(|mut child| child.wait().unwrap().code()).collect();
        assert!(codes.contains(&Some(0)), "{round}: {codes:?}");
        assert!(tree(&project) == before, "{round}: {codes:?}");
    }
}

#[test]
fn where_nothing_can_be_written_an_undo_restores_all_or_nothing() {
    let Some((place, project, _state)) = place() else { return };
    let text: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    fs::write(project.join("src/long"), &text).unwrap();
    let before = tree(&project);
    run(&place, &project, "rm -rf src");
    let lost = tree(&project);
    let program = place.command().get_program().to_owned();
    let program = program.to_str().unwrap();
    let mut failed = 0;
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 100] {
        // What is longer than so many blocks cannot be written, as on a disk that is full.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' undo");
        let ended = place.command_of("bash").args(["-c", &script]).output().unwrap();
        let now = tree(&project);
        let is_before = now == before;
        assert!(is_before || now == lost, "{blocks}: {}", String::from_utf8_lossy(&ended.stderr));
        assert_eq!(ended.status.success(), is_before, "{blocks}: {ended:?}");
        failed += u32::from(!is_before);
        if is_before {
            break;
        }
    }
    assert!(failed > 0, "nothing was too long");
    // What failed left nothing that stands in the way.
    if tree(&project) != before {
        let undone = place.run(["undo"]);
        assert_eq!(undone.code, 0, "{}", undone.page());
    }
    assert!(tree(&project) == before);
}

#[test]
fn where_nothing_can_be_written_what_is_kept_says_so_and_the_program_runs() {
    let Some((place, project, _state)) = place() else { return };
    let text: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    fs::write(project.join("src/long"), &text).unwrap();
    let before = tree(&project);
    let program = place.command().get_program().to_owned();
    let program = program.to_str().unwrap();
    let workspace = project.to_str().unwrap();
    // The record and the list of files fit, the long content does not.
    let script = format!(
        "trap '' XFSZ; ulimit -f 80; exec '{program}' sandbox run --waive protected --workspace '{workspace}' -- rm -rf src"
    );
    let ended = place.command_of("bash").args(["-c", &script]).output().unwrap();
    assert!(!project.join("src").exists(), "{ended:?}");
    let undone = place.run(["undo"]);
    let lost = undone.out.contains("src/long") && undone.out.contains("lost");
    // What was kept comes back, and what was not is named.
    assert!(lost || tree(&project) == before, "{}", undone.page());
    assert_eq!(fs::read_to_string(project.join("src/a")).unwrap(), "a\n", "{}", undone.page());
    assert_eq!(undone.code == 0, !lost, "{}", undone.page());
}
