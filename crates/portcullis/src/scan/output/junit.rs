//! The report in JUnit's XML, as builds show it: each file with secrets is a suite, each secret a failed test.

use std::fmt::Write as _;

use super::super::{Found, Report};

pub(super) fn render(report: &Report) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let gaps: Vec<_> = report.left_out.iter().filter(|left_out| left_out.reason.is_gap()).collect();
    let failed = report.findings.len();
    let _ = writeln!(
        text,
        "<testsuites name=\"portcullis scan\" tests=\"{}\" failures=\"{failed}\" errors=\"{}\">",
        (failed + gaps.len()).max(1),
        gaps.len(),
    );
    let files = report.findings.chunk_by(|one, other| one.path == other.path);
    for findings in files {
        let path = findings.first().map_or("", |found| &found.path);
        let count = findings.len();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{count}\" failures=\"{count}\" errors=\"0\">",
            escaped(path)
        );
        for Found { path, finding, commit } in findings {
            let commit = commit.as_ref().map(|commit| format!(" in commit {}", commit.id));
            let commit = commit.unwrap_or_default();
            let message = format!("{} ({}){commit}", finding.description, finding.excerpt);
            let _ = writeln!(
                text,
                "    <testcase classname=\"{}\" name=\"{}:{}:{} {}\">\n      \
                 <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
                escaped(&finding.rule),
                escaped(path),
                finding.line,
                finding.column,
                escaped(finding.name()),
                finding.severity.name(),
                escaped(&message),
                escaped(&finding.suggestion),
            );
        }
        text.push_str("  </testsuite>\n");
    }
    if !gaps.is_empty() {
        let count = gaps.len();
        let _ = writeln!(
            text,
            "  <testsuite name=\"not read\" tests=\"{count}\" failures=\"0\" errors=\"{count}\">"
        );
        for left_out in gaps {
            let _ = writeln!(
                text,
                "    <testcase name=\"{}\">\n      <error type=\"{}\" message=\"{}\"/>\n    </testcase>",
                escaped(&left_out.path),
                left_out.reason.name(),
                escaped(&left_out.reason.to_string()),
            );
        }
        text.push_str("  </testsuite>\n");
    } else if failed == 0 {
        text.push_str(
            "  <testsuite name=\"secrets\" tests=\"1\" failures=\"0\" errors=\"0\">\n    \
             <testcase name=\"no secrets\"/>\n  </testsuite>\n",
        );
    }
    text.push_str("</testsuites>\n");
    text
}

/// Text as XML has it. What XML cannot hold at all (most control characters) becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(letter));
            }
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
    out
}
