//! Old records from the command line: sealed and signed, dropped, held, erased, and a chain that holds over all of it.

use std::fs;

use serde_json::Value;

use crate::{Ended, Place};

fn recorded(calls: usize) -> Place {
    let place = Place::recorded();
    let lines: String = (0..calls)
        .map(|number| {
            format!("{{\"tool\":\"bash\",\"arguments\":{{\"command\":\"cat personal-{number}.txt\"}}}}\n")
        })
        .collect();
    assert_eq!(place.fed(["check", "--jsonl"], lines.as_bytes()).code, 0);
    place
}

fn run(place: &Place, line: &str) -> Ended {
    place.run(line.split(' '))
}

fn done(place: &Place, line: &str) -> Ended {
    let ended = run(place, line);
    assert_eq!(ended.code, 0, "{line}: {}", ended.page());
    ended
}

#[test]
fn old_records_are_sealed_signed_dropped_and_verified() {
    let place = recorded(25);
    let key = done(&place, "policy key retention.key").out.trim().to_owned();
    let other = done(&place, "policy key other.key").out.trim().to_owned();
    let sealed =
        done(&place, "audit segment seal --records 10 --sign retention.key --name gate.example");
    assert_eq!(sealed.out, "segment 1: records 1 to 10\nsegment 2: records 11 to 20\n");
    assert!(done(&place, "audit segment seal --records 10").out.starts_with("nothing was sealed"));
    done(&place, "audit segment hold 2 --reason case-12");
    let held = run(&place, "audit segment drop 2");
    assert_eq!(held.code, 2, "{}", held.page());
    let dropped = done(&place, "audit segment drop --before 0s");
    assert_eq!(dropped.out, "segment 1: dropped\n");
    let listed = done(&place, "audit segment list --json").json();
    let states: Vec<_> = listed
        .get("segments")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|one| (one.get("held").unwrap() == true, one.get("dropped").unwrap() == true))
        .collect();
    assert_eq!(states, [(false, true), (true, false)]);
    let verified = done(&place, &format!("audit verify --key {key}"));
    assert!(verified.out.starts_with("intact: 19 records"), "{}", verified.out);
    assert!(verified.out.contains("2 segments are sealed, 1 of them dropped, 0 erased"));
    let unsigned = run(&place, &format!("audit verify --key {other}"));
    assert_eq!(unsigned.code, 65, "{}", unsigned.page());
    // What was dropped is in its file, as it was exported, and nowhere else.
    assert_eq!(run(&place, "audit show 3").code, 65);
    let read = done(&place, "audit segment read 1").out;
    assert_eq!(read.lines().count(), 10);
    assert!(read.contains("cat personal-3.txt"), "{read}");
    // The record goes on, and so does an export that stood in what is gone.
    assert_eq!(place.run(["check", "ls"]).code, 0);
    done(&place, "audit verify");
    done(&place, "audit export --to out");
    let manifest = place.home.path().join(".local/state/portcullis/segments/000001.manifest");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("count 10", "count 11")).unwrap();
    let ended = run(&place, "audit verify");
    assert_eq!(ended.code, 65, "{}", ended.page());
}

#[test]
fn what_is_erased_stands_in_no_file_any_more() {
    let place = recorded(25);
    done(&place, "audit segment seal --records 10");
    let state = place.home.path().join(".local/state/portcullis");
    let holds = |text: &str| {
        let mut folders = vec![state.clone()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if memchr::memmem::find(&fs::read(entry.path()).unwrap(), text.as_bytes())
                    .is_some()
                {
                    found.push(entry.path().display().to_string());
                }
            }
        }
        found
    };
    assert!(!holds("cat personal-3.txt").is_empty());
    let without = run(&place, "audit segment erase 1");
    assert_eq!(without.code, 64, "a reason is wanted: {}", without.page());
    done(&place, "audit segment erase 1 --reason request-17");
    assert_eq!(holds("cat personal-3.txt"), [""; 0]);
    assert!(!holds("cat personal-13.txt").is_empty());
    assert_eq!(run(&place, "audit segment read 1").code, 65);
    let verified = done(&place, "audit verify");
    assert!(verified.out.contains("1 of them dropped, 1 erased"), "{}", verified.out);
    assert_eq!(run(&place, "audit segment erase 9 --reason x").code, 65);
}
