//! Input made to break us: it is answered, or refused by name.

use std::{fs, io::Write as _};

use crate::Place;

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_line() {
    let place = Place::new();
    fs::write(place.home.path().join("bad"), b"ls\nrm \xff").unwrap();
    let ended = place.run(["check", "--file", "bad"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("`bad` is not UTF-8 at byte 6, in line 2"), "{}", ended.err);
    let ended = place.fed(["check", "--call", "-"], b"{\"tool\":\"\xc0\xaf\"}");
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("not UTF-8"), "{}", ended.err);
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        let ended = place.run([OsStr::new("check"), OsStr::from_bytes(b"rm \xff")]);
        assert_eq!(ended.code, 65, "{}", ended.page());
        assert!(ended.err.contains("the command is not UTF-8 at byte 3"), "{}", ended.err);
    }
}

#[test]
fn a_byte_order_mark_hides_nothing() {
    let place = Place::new();
    assert_eq!(place.fed(["check", "--file", "-"], "\u{feff}git push --force".as_bytes()).code, 3);
    let call = "\u{feff}{\"tool\":\"bash\",\"arguments\":{\"command\":\"git push --force\"}}";
    assert_eq!(place.fed(["check", "--call", "-"], call.as_bytes()).code, 3);
    assert_eq!(place.fed(["check", "--jsonl"], call.as_bytes()).code, 0);
}

#[test]
fn a_nul_is_data() {
    let place = Place::new();
    let ended = place.fed(["check", "--file", "-", "--json"], b"git push --force\0");
    assert!(ended.json()["risk"].is_string(), "{}", ended.page());
    let call = br#"{"tool":"bash","arguments":{"command":"echo \u0000; git push --force"}}"#;
    assert_eq!(place.fed(["check", "--call", "-", "--json"], call).code, 3);
}

#[test]
fn ten_megabytes_are_answered_and_said_to_be_too_much() {
    let place = Place::new();
    let command = format!("echo {}", "a".repeat(10 << 20));
    fs::write(place.home.path().join("long"), command).unwrap();
    let ended = place.run(["check", "--file", "long", "--json"]);
    assert_eq!(ended.code, 3, "{}", &ended.page()[..200]);
    let answer = ended.json();
    assert_eq!(answer["coverage"], "partial");
    assert!(!answer["gaps"].as_array().unwrap().is_empty());
    let shown = place.run(["check", "--file", "long"]);
    assert_eq!(shown.code, 3);
    assert!(shown.out.len() < 20_000, "{} bytes", shown.out.len());
    assert!(shown.out.contains(" bytes …"), "{}", shown.out);
}

#[test]
fn more_than_sixteen_megabytes_are_refused() {
    let place = Place::new();
    let long = vec![b'x'; (16 << 20) + 1];
    let ended = place.fed(["check", "--file", "-"], &long);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("longer than 16 MiB"), "{}", ended.err);
    let mut lines = long;
    lines.extend_from_slice(
        b"xx\n{\"id\":1,\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n",
    );
    let ended = place.fed(["check", "--jsonl"], &lines);
    assert_eq!(ended.code, 65);
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[0].contains("longer than 16 MiB"), "{}", lines[0]);
    assert!(lines[1].contains(r#""decision":"allow""#), "{}", lines[1]);
}

#[test]
fn nesting_without_end_is_answered_and_not_understood() {
    let place = Place::new();
    for unit in ["$(", "`", "(", "{ ", "\"$(", "${a:-", "if ", "$((", "[[ "] {
        let ended = place.fed(["check", "--file", "-", "--json"], unit.repeat(100_000).as_bytes());
        assert!(matches!(ended.code, 2 | 3), "{unit}: {}", ended.code);
        assert_eq!(ended.json()["coverage"], "partial", "{unit}");
    }
}

#[test]
fn json_that_could_be_read_in_two_ways_is_refused() {
    let place = Place::new();
    for (call, part) in [
        (
            r#"{"tool":"bash","arguments":{"command":"ls","command":"git push --force"}}"#,
            "the key `command` appears twice",
        ),
        (r#"{"tool":"bash","arguments":{"command":"\ud800"}}"#, "not valid JSON at column"),
        (r#"{"tool":"bash","arguments":{"command":"\udc00 ls"}}"#, "not valid JSON at column"),
        (r#"{"arguments":{"command":"ls"}}"#, "`tool` is missing"),
        (r#"{"tool":"bash"}"#, "`arguments` is missing"),
        (r#"["bash","ls"]"#, "a call must be a JSON object"),
        (
            r#"{"tool":"bash","arguments":{"command":"ls"},"mode":"yolo"}"#,
            "`yolo` is not a permission mode",
        ),
        ("", "not valid JSON"),
    ] {
        let ended = place.fed(["check", "--call", "-", "--json"], call.as_bytes());
        assert_eq!(ended.code, 65, "{call}: {}", ended.page());
        let answer = ended.json();
        assert_eq!(answer["error"]["code"], "bad-input", "{call}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{call}: {message}");
    }
    let deep =
        format!(r#"{{"tool":"bash","arguments":{}{}}}"#, r#"{"a":"#.repeat(5000), "}".repeat(5000));
    assert_eq!(place.fed(["check", "--call", "-"], deep.as_bytes()).code, 65);
}

#[test]
fn an_answer_that_nobody_reads_is_no_allowance() {
    let place = Place::new();
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(mut full) = full else { return };
    if full.write_all(b"x").is_ok() {
        return;
    }
    let status = place.command().args(["check", "ls"]).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(70));
}
