//! Programs inside limits, by the command line. What the limits hold against, the tests of `portcullis-sandbox` try.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use serde_json::Value;

use crate::Place;

/// A home with a key in it, and a project with a repository, which is where the program is run; none, and why, where the kernel has
/// not what it takes.
fn place() -> Option<(Place, PathBuf)> {
    let place = Place::new()
        .with("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with("API_TOKEN", "of-the-caller");
    let home = place.home.path().canonicalize().unwrap();
    let project = home.join("project");
    fs::create_dir_all(project.join(".git/hooks")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir(home.join(".ssh")).unwrap();
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(home.join(".ssh/id_ed25519"), "the key").unwrap();
    let probed =
        place.run(["sandbox", "probe", "--json", "--workspace", project.to_str().unwrap()]).json();
    let layers = probed.get("layers").and_then(Value::as_array).unwrap();
    let open = layers.iter().find(|layer| layer.get("in_force") == Some(&Value::Bool(false)));
    if let Some(layer) = open {
        let words = format!("skipped: {layer}; {:?}\n", probed.get("unavailable"));
        std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes()).unwrap();
        return None;
    }
    Some((place, project))
}

fn run(place: &Place, project: &std::path::Path, words: &[&str]) -> crate::Ended {
    let workspace = ["sandbox", "run", "--workspace", project.to_str().unwrap()];
    place.run(workspace.iter().chain(words))
}

#[test]
fn a_program_writes_its_workspace_and_nothing_that_is_protected_or_outside() {
    let Some((place, project)) = place() else { return };
    let line = "echo x > src/new; echo x > .git/hooks/pre-commit; mkdir .claude; echo x > .claude/settings.json; \
                echo x > .mcp.json; echo x > ../elsewhere; cat ../.ssh/id_ed25519; env; exit 7";
    let ended = run(&place, &project, &["--", "sh", "-c", line]);
    assert_eq!(ended.code, 7, "{}", ended.page());
    assert!(project.join("src/new").exists(), "{}", ended.page());
    for path in [".git/hooks/pre-commit", ".claude/settings.json", ".mcp.json", "../elsewhere"] {
        assert!(!project.join(path).exists(), "{path}: {}", ended.page());
    }
    assert!(
        !ended.out.contains("the key") && !ended.out.contains("of-the-caller"),
        "{}",
        ended.page()
    );
    // Nothing stays in the place of what was missing.
    assert!(!project.join(".claude").exists(), "{}", ended.page());
}

#[test]
fn a_program_that_only_reads_writes_nothing() {
    let Some((place, project)) = place() else { return };
    let ended = run(
        &place,
        &project,
        &["--profile", "read-only", "--", "sh", "-c", "ls; echo x > src/new"],
    );
    assert!(ended.out.contains("src") && !project.join("src/new").exists(), "{}", ended.page());
}

#[test]
fn codes_say_how_it_ended() {
    let Some((place, project)) = place() else { return };
    for (words, code) in [
        (&["--", "true"][..], 0),
        (&["--", "sh", "-c", "kill -KILL $$"], 137),
        (&["--timeout", "1", "--", "sleep", "30"], 124),
        (&["--", "no-such-program"], 127),
        (&["--", "/etc/passwd"], 126),
        (&["--require", "no-such-layer", "--", "true"], 64),
        (&["--env", "=x", "--", "true"], 64),
        (&[], 64),
    ] {
        let ended = run(&place, &project, words);
        assert_eq!(ended.code, code, "{words:?}: {}", ended.page());
    }
}

#[test]
fn what_held_is_said() {
    let Some((place, project)) = place() else { return };
    let report = project.join("report.json");
    let words =
        ["--json", "--waive", "network", "--report", report.to_str().unwrap(), "--", "true"];
    let ended = run(&place, &project, &words);
    let said: Value = serde_json::from_str(&ended.err).unwrap();
    let written: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    assert_eq!(said, written);
    let layers = said["layers"].as_array().unwrap();
    assert_eq!(layers.len(), 11);
    for layer in layers {
        let is_network = layer["layer"] == "network";
        assert_eq!(layer["required"], !is_network, "{layer}");
        assert_eq!(layer["in_force"], true, "{layer}");
        assert!(!layer["by"].as_array().unwrap().is_empty(), "{layer}");
    }
    let probed =
        place.run(["sandbox", "probe", "--json", "--workspace", project.to_str().unwrap()]).json();
    assert_eq!(
        (probed["v"].as_u64(), probed["layers"].as_array().map(Vec::len)),
        (Some(1), Some(11))
    );
}

/// What runs inside could put a link where the report is written.
#[test]
fn a_report_follows_no_link() {
    let Some((place, project)) = place() else { return };
    let target = place.home.path().join("target");
    fs::write(&target, "whole").unwrap();
    let report = project.join("src/report.json");
    let words = |line| ["--report", report.to_str().unwrap(), "--", "sh", "-c", line];
    let ended =
        run(&place, &project, &words("rm src/report.json; ln -s ../../target src/report.json"));
    assert_eq!(
        (ended.code, fs::read_to_string(&target).unwrap()),
        (0, "whole".to_owned()),
        "{}",
        ended.page()
    );
    let _ = fs::remove_file(&report);
    symlink(&target, &report).unwrap();
    let ended = run(&place, &project, &words("true"));
    assert_eq!(
        (ended.code, fs::read_to_string(&target).unwrap()),
        (64, "whole".to_owned()),
        "{}",
        ended.page()
    );
}

#[test]
fn nobody_but_us_is_a_stage() {
    let place = Place::new();
    let ended = place.fed(["sandbox-stage"], b"{\"program\":\"/bin/sh\"}");
    assert_eq!((ended.code, ended.out.as_str()), (126, ""), "{}", ended.page());
}

#[test]
fn a_profile_of_the_configuration_adds_to_what_is_kept() {
    let Some((place, project)) = place() else { return };
    fs::create_dir(place.home.path().join("cache")).unwrap();
    fs::create_dir(project.join("private")).unwrap();
    fs::write(project.join("private/notes"), "a note").unwrap();
    let configuration = place.home.path().join("own.toml");
    let text = "[sandbox.profiles.cached]\nwrite = [\"~/cache\"]\ndeny = [\"./private\"]\nprotect = [\"./src/lock\"]\ntimeout = 20\n";
    fs::write(&configuration, text).unwrap();
    let line =
        "echo x > ../cache/new; cat private/notes; echo x > src/lock; cat ../.ssh/id_ed25519";
    let named = [
        "--config",
        configuration.to_str().unwrap(),
        "--profile",
        "cached",
        "--",
        "sh",
        "-c",
        line,
    ];
    let ended = run(&place, &project, &named);
    assert!(place.home.path().join("cache/new").exists(), "{}", ended.page());
    assert!(!project.join("src/lock").exists(), "{}", ended.page());
    assert!(!ended.out.contains("a note") && !ended.out.contains("the key"), "{}", ended.page());
    let ended = run(&place, &project, &["--profile", "no-such-profile", "--", "true"]);
    assert_eq!(ended.code, 64, "{}", ended.page());
    for wrong in [
        "[sandbox.profiles.read-only]\n",
        "[sandbox.profiles.mine]\nwrite = [\"cache\"]\n",
        "[sandbox.profiles.mine]\nnetwork = \"on\"\n",
    ] {
        fs::write(&configuration, wrong).unwrap();
        let ended = run(
            &place,
            &project,
            &["--config", configuration.to_str().unwrap(), "--profile", "mine", "--", "true"],
        );
        assert_eq!(ended.code, 78, "{wrong}: {}", ended.page());
    }
}

/// Nothing can keep a program from making a repository of a directory, or git from noting what it runs next: so it is said.
#[test]
fn what_git_would_obey_afterwards_is_said() {
    let Some((place, project)) = place() else { return };
    let line = "mkdir -p vendor/new/.git/objects vendor/new/.git/refs vendor/new/.git/hooks .git/rebase-merge; \
                echo ref: x > vendor/new/.git/HEAD; echo '[core] fsmonitor = x' > vendor/new/.git/config; \
                echo x > vendor/new/.git/hooks/pre-commit; echo 'exec x' > .git/rebase-merge/git-rebase-todo";
    let ended = run(&place, &project, &["--", "sh", "-c", line]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    for path in [
        "vendor/new/.git/config",
        "vendor/new/.git/hooks/pre-commit",
        ".git/rebase-merge/git-rebase-todo",
    ] {
        let said = format!("`{}` was made during the run", project.join(path).display());
        assert!(ended.err.contains(&said), "{said}\n{}", ended.page());
    }
    // Where it is not made but changed, and where a machine reads it.
    let line = "echo '[alias] x = !x' >> vendor/new/.git/config";
    let ended = run(&place, &project, &["--waive", "protected", "--json", "--", "sh", "-c", line]);
    let report: Value = serde_json::from_str(&ended.err).unwrap();
    let left = report.get("left").and_then(Value::as_array).unwrap();
    let [one] = left.as_slice() else { panic!("{left:?}") };
    assert!(one.as_str().unwrap().contains("vendor/new/.git/config` was changed"), "{one}");
    // What is ordinary work is not told of.
    let ended =
        run(&place, &project, &["--", "sh", "-c", "echo x > src/x; cat vendor/new/.git/config"]);
    assert_eq!(ended.err, "", "{}", ended.page());
}

/// A repository whose settings name hooks, further settings and a filter of the tree.
pub(crate) fn told(project: &std::path::Path) {
    let settings = "[core]\n\thooksPath = .husky\n[include]\n\tpath = ../.gitinc\n[filter \"x\"]\n\tclean = sh tools/f.sh\n";
    fs::write(project.join(".git/config"), settings).unwrap();
    for folder in [".husky", "tools"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join(".husky/pre-commit"), "npm test\n").unwrap();
    fs::write(project.join("tools/f.sh"), "cat\n").unwrap();
}

#[test]
fn hooks_and_settings_of_git_that_lie_in_the_tree_are_protected_and_programs_of_it_are_told() {
    let Some((place, project)) = place() else { return };
    told(&project);
    let line = "echo x >> .husky/pre-commit; echo x > .husky/pre-push; mv .husky other; echo x > .gitinc; rm -rf .gitinc; \
                echo x >> tools/f.sh; echo x > src/new; echo x > tools/other";
    let ended = run(&place, &project, &["--", "sh", "-c", line]);
    assert_eq!(fs::read_to_string(project.join(".husky/pre-commit")).unwrap(), "npm test\n");
    for path in [".husky/pre-push", "other", ".gitinc"] {
        assert!(!project.join(path).exists(), "{path}: {}", ended.page());
    }
    for path in ["src/new", "tools/other"] {
        assert!(project.join(path).exists(), "{path}: {}", ended.page());
    }
    let told = format!("`{}` was changed during the run", project.join("tools/f.sh").display());
    assert!(ended.err.contains(&told), "{}", ended.page());
    // Without the protection, each of them is told.
    let line = "echo x >> .husky/pre-commit; echo x > .gitinc; echo x > src/new";
    let ended = run(&place, &project, &["--waive", "protected", "--", "sh", "-c", line]);
    for (path, how) in [(".husky/pre-commit", "changed"), (".gitinc", "made")] {
        let told = format!("`{}` was {how} during the run", project.join(path).display());
        assert!(ended.err.contains(&told), "{told}: {}", ended.page());
    }
    assert!(!ended.err.contains("src/new"), "{}", ended.page());
}

#[test]
fn hooks_that_lie_among_everything_else_leave_everything_else_writable() {
    let Some((place, project)) = place() else { return };
    fs::write(project.join(".git/config"), "[core]\n\thooksPath = .\n").unwrap();
    let line = "echo x > pre-commit; echo x > src/new; echo x > new";
    let ended = run(&place, &project, &["--", "sh", "-c", line]);
    assert!(!project.join("pre-commit").exists(), "{}", ended.page());
    assert!(project.join("src/new").exists() && project.join("new").exists(), "{}", ended.page());
}

#[test]
fn a_second_name_of_the_gates_or_the_agents_own_files_is_protected() {
    let Some((place, project)) = place() else { return };
    let home = place.home.path().canonicalize().unwrap();
    fs::create_dir_all(home.join(".config/portcullis")).unwrap();
    let own = [".config/portcullis/config.toml", ".claude/settings.json", ".bashrc", "notes"];
    for (number, path) in own.iter().enumerate() {
        fs::write(home.join(path), "").unwrap();
        fs::hard_link(home.join(path), project.join(format!("src/{number}"))).unwrap();
    }
    symlink(project.join("src/led"), home.join(".profile")).unwrap();
    fs::write(project.join("src/led"), "").unwrap();
    let line = "for f in src/*; do echo x >> $f; done; echo x > src/new";
    let ended = run(&place, &project, &["--", "sh", "-c", line]);
    let text = |path: &str| fs::read_to_string(home.join(path)).unwrap();
    for path in own.iter().take(3).chain(&[".profile"]) {
        assert_eq!(text(path), "", "{path}: {}", ended.page());
    }
    // Whatever else has a second name is written as ever.
    assert_eq!(text("notes"), "x\n", "{}", ended.page());
    assert!(project.join("src/new").exists(), "{}", ended.page());
}
