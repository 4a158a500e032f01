//! `scan`: what it reports, how it ends, and what it says about what it did not read.

use std::fs;

use crate::Place;

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.home.path().join("src")).unwrap();
    fs::write(place.home.path().join("src/app.py"), format!("\nTOKEN = \"{}\"\n", token()))
        .unwrap();
    fs::write(place.home.path().join("README"), "nothing here\n").unwrap();
    place
}

#[test]
fn a_tree_is_scanned_and_the_exit_code_says_what_came_of_it() {
    let place = place();
    let ended = place.run(["scan"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    assert!(ended.out.starts_with("src/app.py:2:10: critical github_token:"), "{}", ended.out);
    assert!(ended.err.starts_with("1 secret (1 critical) in 2 files, "), "{}", ended.err);
    assert!(!ended.page().contains("a1B2c3D4"), "{}", ended.page());
    let ended = place.run(["scan", "README"]);
    assert_eq!((ended.code, ended.out.as_str()), (0, ""), "{}", ended.page());
    assert!(ended.err.starts_with("no secrets in 1 files, 13 bytes"), "{}", ended.err);
    let ended = place.run(["scan", "nowhere"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("`nowhere` could not be read"), "{}", ended.err);
}

#[test]
fn standard_input_is_scanned() {
    let place = Place::new();
    let ended = place.fed(["scan", "--stdin", "--json"], format!("a\nb {}", token()).as_bytes());
    assert_eq!(ended.code, 2, "{}", ended.page());
    let answer = ended.json();
    assert_eq!(answer["findings"][0]["filePath"], "standard input");
    assert_eq!(answer["findings"][0]["column"], 3);
    assert_eq!(place.fed(["scan", "--stdin"], b"").code, 0);
    let ended = place.run(["scan", "--stdin", "src"]);
    assert_eq!(ended.code, 64, "{}", ended.page());
}

#[test]
fn every_format_can_go_to_a_file() {
    let place = place();
    for format in ["text", "json", "jsonl", "sarif", "junit", "csv"] {
        let ended = place.run(["scan", "src", "--format", format, "--output", "report"]);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{format}: {}", ended.page());
        let report = fs::read_to_string(place.home.path().join("report")).unwrap();
        assert!(report.contains("app.py") && report.contains("ghp_***"), "{format}: {report}");
        let shown = place.run(["scan", "src", "--format", format]);
        assert_eq!(shown.out, report, "{format}");
    }
    let ended = place.run(["scan", "--format", "html"]);
    assert_eq!(ended.code, 64, "{}", ended.page());
}

#[test]
fn what_a_baseline_knows_is_not_reported() {
    let place = place();
    let ended = place.run(["scan", "src", "--write-baseline", "known.json"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    let ended = place.run(["scan", "src", "--baseline", "known.json"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(ended.err.contains("1 known from the baseline"), "{}", ended.err);
    fs::write(place.home.path().join("src/new"), token()).unwrap();
    let ended = place.run(["scan", "src", "--baseline", "known.json"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    fs::write(place.home.path().join("known.json"), "[]").unwrap();
    let ended = place.run(["scan", "src", "--baseline", "known.json"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("it is no baseline"), "{}", ended.err);
}

#[test]
fn confidence_decides_what_is_reported() {
    let place = Place::new();
    let text = "password = \"test-Kx7Qp2\"\n";
    let low = place.fed(["scan", "--stdin", "--confidence", "low"], text.as_bytes());
    assert_eq!(low.code, 2, "{}", low.page());
    assert_eq!(place.fed(["scan", "--stdin", "--confidence", "high"], text.as_bytes()).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_a_question() {
    let place = Place::new();
    let ended = place.run(["scan", "/proc/self/mem"]);
    assert_eq!(ended.code, 3, "{}", ended.page());
    assert!(ended.err.contains("/proc/self/mem: could not be read"), "{}", ended.err);
    assert_eq!(place.run(["scan", "/dev/null"]).code, 0);
    assert_eq!(place.run(["scan", "/dev/full"]).code, 3);
    assert_eq!(place.run(["scan", "/proc/self/status"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_a_file() {
    let place = Place::new();
    // A hole of a file: zeros are no text, so they are read as such.
    let long = place.home.path().join("long");
    fs::File::create(&long).unwrap().set_len(64 << 20).unwrap();
    let mut child = place
        .command()
        .args(["scan", "long", "--binary", "--threads", "1"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut most, status) = (0, format!("/proc/{}/status", child.id()));
    let ended = loop {
        let about = fs::read_to_string(&status).unwrap_or_default();
        let peak = about.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0));
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        std::thread::yield_now();
    };
    assert_eq!(ended.code(), Some(0));
    assert!((1..32 << 10).contains(&most), "{most} kB");
}

#[test]
fn options_for_histories_are_refused_where_they_say_nothing() {
    let place = place();
    for (arguments, words) in [
        (&["scan", "--staged"][..], "`--git [<RANGE>]` is missing"),
        (&["scan", "--git", "main", "--all"], "a range cannot be used with"),
        (&["scan", "src", "README", "--git"], "one repository at a time"),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, 64, "{}", ended.page());
        assert!(ended.err.contains(words), "{}", ended.err);
    }
    let ended = place.run(["scan", "src", "--git"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("there is no git repository at `src`"), "{}", ended.err);
}

#[test]
fn rules_of_gitleaks_are_used_as_they_are() {
    let place = place();
    let rules =
        "[[rules]]\nid = 'acme'\nregex = 'acme_\\w{8}'\n[allowlist]\npaths = ['^vendor/']\n";
    fs::write(place.home.path().join("rules.toml"), rules).unwrap();
    fs::create_dir(place.home.path().join("vendor")).unwrap();
    for file in ["src/a", "vendor/a"] {
        fs::write(place.home.path().join(file), "acme_12345678").unwrap();
    }
    let ended = place.run(["scan", "--rules", "rules.toml"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    assert_eq!(ended.out.lines().count(), 2, "{}", ended.out);
    assert!(ended.out.starts_with("src/a:1:1: high acme:"), "{}", ended.out);
    fs::write(place.home.path().join("rules.toml"), "[[rule]]\nid = 'a'").unwrap();
    let ended = place.run(["scan", "--rules", "rules.toml"]);
    assert_eq!(ended.code, 78, "{}", ended.page());
    assert!(
        ended.err.contains("unknown field `rule`\nhelp: did you mean `rules`?"),
        "{}",
        ended.err
    );
}
