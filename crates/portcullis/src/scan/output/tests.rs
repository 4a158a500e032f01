//! Each format, read back as others read it.

use portcullis_core::secrets::Detector;
use serde_json::Value;

use super::{super::*, *};

/// A report with a hostile path, two secrets in one file, and something unread.
fn report() -> Report {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("é {token}\npassword = \"{}\"\n", "kT7#vQ2mX9!wZ");
    let commit = Some(Arc::new(Commit {
        id: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        author: "Ann <b>".to_owned(),
        email: "ann@example.com".to_owned(),
        date: "2026-01-02T03:04:05+01:00".to_owned(),
    }));
    let path = "=a \"<b>\"&\u{1b}[31m,c.txt";
    let findings = Detector::default()
        .scan(text.as_bytes())
        .into_iter()
        .map(|finding| Found { path: path.to_owned(), finding, commit: commit.clone() })
        .collect();
    let left_out = vec![
        LeftOut { path: "b".to_owned(), reason: Reason::Binary },
        LeftOut { path: "u".to_owned(), reason: Reason::Unreadable("no <permission>".to_owned()) },
    ];
    Report {
        findings,
        left_out,
        left_out_counts: vec![("binary", 1), ("unreadable", 1)],
        files: 1,
        bytes: 60,
        ..Report::default()
    }
}

fn rendered(format: Format) -> String {
    render(&report(), format, Colour::Plain).unwrap()
}

#[test]
fn no_format_shows_a_secret() {
    for (name, format) in Format::ALL {
        let text = rendered(format);
        assert!(!text.contains("a1B2c3D4") && !text.contains("kT7#v"), "{name}: {text}");
        assert!(text.contains("ghp_***"), "{name}: {text}");
    }
}

#[test]
fn json_has_the_documented_fields() {
    let whole: Value = serde_json::from_str(&rendered(Format::Json)).unwrap();
    let first = &whole["findings"][0];
    assert_eq!(first["filePath"], "=a \"<b>\"&\u{1b}[31m,c.txt");
    assert_eq!((&first["line"], &first["column"]), (&1.into(), &3.into()));
    assert_eq!((&first["type"], &first["severity"]), (&"github_token".into(), &"critical".into()));
    assert_eq!(first["match"], "ghp_***");
    for field in ["description", "suggestion", "rule", "confidence", "validity", "fingerprint"] {
        assert!(first[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert_eq!(whole["findings"][1]["type"], "password_in_code");
    assert_eq!(whole["summary"]["complete"], false);
    assert_eq!(whole["summary"]["leftOut"][1]["reason"], "unreadable");
}

#[test]
fn json_lines_end_with_the_whole() {
    let text = rendered(Format::JsonLines);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["line"], 2);
    assert_eq!(lines[2]["summary"]["secrets"], 2);
}

#[test]
fn sarif_has_what_services_ask_for() {
    let whole: Value = serde_json::from_str(&rendered(Format::Sarif)).unwrap();
    assert_eq!(whole["version"], "2.1.0");
    let run = &whole["runs"][0];
    let result = &run["results"][0];
    let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "%3Da%20%22%3Cb%3E%22%26%1B%5B31m%2Cc.txt");
    assert_eq!(place["region"]["startLine"], 1);
    assert_eq!(place["region"]["startColumn"], 3);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn junit_is_xml_whatever_a_path_holds() {
    let text = rendered(Format::Junit);
    assert!(text.contains("tests=\"3\" failures=\"2\" errors=\"1\""), "{text}");
    assert!(text.contains("=a &quot;&lt;b&gt;&quot;&amp;\u{fffd}[31m,c.txt"), "{text}");
    assert!(text.contains("no &lt;permission&gt;"), "{text}");
    assert_eq!(text.matches("<testcase ").count(), text.matches("</testcase>").count());
    let clean = render(&Report::default(), Format::Junit, Colour::Plain).unwrap();
    assert!(clean.contains("tests=\"1\" failures=\"0\""), "{clean}");
}

#[test]
fn csv_has_as_many_cells_in_each_line_and_no_formulas() {
    let text = rendered(Format::Csv);
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[1].starts_with("\"'=a \"\"<b>\"\"&\u{1b}[31m,c.txt\",1,3,github_token,"),
        "{text}"
    );
}

#[test]
fn text_shows_hidden_characters_and_the_summary_what_is_missing() {
    let text = rendered(Format::Text);
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.contains(":1:3: critical github_token:"), "{text}");
    let words = summary(&report(), false);
    assert!(words.contains("2 secrets (1 critical, 1 high) in 1 files, 60 bytes"), "{words}");
    assert!(words.contains("left out: 1 binary, 1 unreadable"), "{words}");
    assert!(words.contains("  u: could not be read"), "{words}");
    assert!(!words.contains("  b: "), "{words}");
    assert!(summary(&report(), true).contains("  b: no text"));
}
