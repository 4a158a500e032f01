//! The report as comma-separated values (RFC 4180), with a header.

use std::borrow::Cow;

use super::super::{Commit, Found, Report};

pub(super) fn render(report: &Report) -> String {
    let mut text = String::from(
        "filePath,line,column,type,rule,severity,confidence,match,fingerprint,description,suggestion,commit,author,email,date\r\n",
    );
    for Found { path, finding, commit } in &report.findings {
        let confidence = serde_json::to_value(finding.confidence).unwrap_or_default();
        let commit = commit.as_deref();
        let of_commit = |field: fn(&Commit) -> &String| commit.map_or("", |commit| field(commit));
        let cells = [
            path,
            &finding.line.to_string(),
            &finding.column.to_string(),
            finding.name(),
            &finding.rule,
            finding.severity.name(),
            confidence.as_str().unwrap_or_default(),
            &finding.excerpt,
            &finding.fingerprint,
            &finding.description,
            &finding.suggestion,
            of_commit(|commit| &commit.id),
            of_commit(|commit| &commit.author),
            of_commit(|commit| &commit.email),
            of_commit(|commit| &commit.date),
        ];
        let line: Vec<Cow<'_, str>> = cells.iter().map(|cell| quoted(cell)).collect();
        text.push_str(&line.join(","));
        text.push_str("\r\n");
    }
    text
}

/// A cell. One that a spreadsheet would take for a formula is made text by a `'` before it.
fn quoted(cell: &str) -> Cow<'_, str> {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if !formula && !cell.contains([',', '"', '\n', '\r']) {
        return Cow::Borrowed(cell);
    }
    let mark = if formula { "'" } else { "" };
    Cow::Owned(format!("\"{mark}{}\"", cell.replace('"', "\"\"")))
}
