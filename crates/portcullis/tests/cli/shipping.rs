//! The record on its way elsewhere, from the command line: formats, cursors, and exports that are killed and go on.

use std::{collections::BTreeSet, fs, io::Write as _, process::Child, thread, time::Duration};

use serde_json::Value;

use crate::Place;

/// How long a process may take to do what it is waited for: far longer than it ever does.
const LONGEST: Duration = Duration::from_secs(120);

fn record(place: &Place, calls: usize) {
    let line = "{\"tool\":\"bash\",\"arguments\":{\"command\":\"echo 'a|b=c' # \\n CEF:0|x\"}}\n";
    let ended = place.fed(["check", "--jsonl"], line.repeat(calls).as_bytes());
    assert_eq!(ended.code, 0, "{}", ended.page());
}

fn hashes(lines: &str) -> Vec<String> {
    let hash = |line: &str| {
        let record: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        record.get("hash").and_then(Value::as_str).unwrap().to_owned()
    };
    lines.lines().map(hash).collect()
}

/// Waits until a file has so many lines; the process that writes it must live as long.
fn until(path: &std::path::Path, lines: usize, child: &mut Child) {
    let begun = std::time::Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.matches('\n').count() >= lines {
            return;
        }
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
        assert!(
            begun.elapsed() < LONGEST,
            "nothing more was written: {} lines",
            text.lines().count()
        );
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_export_that_is_killed_again_and_again_leaves_nothing_out() {
    let place = Place::recorded();
    let path = place.home.path().join("siem.jsonl");
    let mut so_far = 0;
    for round in 0..6 {
        record(&place, 40);
        let mut export = place.command();
        export.args(["audit", "export", "--follow", "--to", "siem.jsonl"]);
        let mut export = export.spawn().unwrap();
        // Killed at another place each time: at once, within what it writes, and behind it.
        until(&path, so_far + round * 8, &mut export);
        export.kill().unwrap();
        export.wait().unwrap();
        so_far = fs::read_to_string(&path).unwrap_or_default().matches('\n').count();
        // As if it had been in the middle of a line, the very first one too.
        let cursor = place.home.path().join("siem.jsonl.cursor");
        if (round == 0 || round % 2 == 1) && cursor.exists() {
            let mut file = fs::File::options().append(true).open(&path).unwrap();
            file.write_all(b"{\"v\":1,\"sequ").unwrap();
        }
    }
    assert_eq!(place.run(["audit", "export", "--to", "siem.jsonl"]).code, 0);
    let delivered: BTreeSet<String> =
        hashes(&fs::read_to_string(&path).unwrap()).into_iter().collect();
    let all = hashes(&place.run(["audit", "export"]).out);
    assert_eq!(all.len(), 240);
    assert_eq!(delivered, all.into_iter().collect());
}

#[test]
fn what_was_delivered_is_not_delivered_again_and_a_filter_is_held() {
    let place = Place::recorded();
    record(&place, 3);
    let export = |format: &str| {
        place.run(["audit", "export", "--format", format, "--to", "out", "--kind", "decision"])
    };
    for (format, first) in [("jsonl", "{"), ("ocsf", "{"), ("cef", "CEF:0|Portcullis|")] {
        for _ in 0..2 {
            let ended = export(format);
            assert_eq!(ended.code, 0, "{}", ended.page());
        }
        let text = fs::read_to_string(place.home.path().join("out")).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.starts_with(first)), "{text}");
        let shown = place.run(["audit", "export", "--format", format]).out;
        assert_eq!(shown, text);
        fs::remove_file(place.home.path().join("out")).unwrap();
        fs::remove_file(place.home.path().join("out.cursor")).unwrap();
    }
    let ended = place.run(["audit", "export", "--to", "out", "--risk", "critical"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert_eq!(fs::read_to_string(place.home.path().join("out")).unwrap(), "");
}

#[test]
fn what_cannot_be_delivered_is_said() {
    let place = Place::recorded();
    record(&place, 1);
    for (line, code, words) in [
        ("--format csv --to out", 64, "`csv` has a header"),
        ("--follow --otlp http://127.0.0.1:9", 64, "sent again at the next start"),
        ("--otlp http://otel.example", 64, "unencrypted"),
        ("--syslog tcp://logs.example", 64, "tls://host"),
        ("--to out --syslog tls://logs.example", 64, "cannot be used with"),
        ("--limit 3 --to out", 64, "--limit"),
        ("--to out --cursor audit.cursor --cacert nothing", 0, ""),
    ] {
        let ended = place.run(["audit", "export"].into_iter().chain(line.split(' ')));
        assert_eq!(ended.code, code, "{line}: {}", ended.page());
        assert!(ended.err.contains(words), "{line}: {}", ended.page());
    }
    fs::write(place.home.path().join("audit.cursor"), "something else").unwrap();
    let ended = place.run(["audit", "export", "--cursor", "audit.cursor"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    // Another record than the one that was delivered.
    let cursor = format!("portcullis-cursor/v1\n1 {} \n", "0f".repeat(32));
    fs::write(place.home.path().join("audit.cursor"), cursor).unwrap();
    let ended = place.run(["audit", "export", "--cursor", "audit.cursor"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("record 1 is not the one that was delivered"), "{}", ended.err);
}
