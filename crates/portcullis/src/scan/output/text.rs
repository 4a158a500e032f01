//! The report for people. Owns its words and the summary.

use std::fmt::Write as _;

use portcullis_core::risk::Severity;

use super::super::{Found, Report};
use crate::report::{Colour, excerpt::grouped, visible};

/// Each secret with its place and what to do.
pub(super) fn render(report: &Report, colour: Colour) -> String {
    let mut text = String::new();
    for Found { path, finding, commit } in &report.findings {
        let word = painted(finding.severity, colour);
        let _ = writeln!(
            text,
            "{}:{}:{}: {word} {}: {} ({})\n  help: {}",
            visible::line(path),
            finding.line,
            finding.column,
            visible::line(finding.name()),
            visible::line(&finding.description),
            visible::line(&finding.excerpt),
            visible::line(&finding.suggestion),
        );
        if let Some(commit) = commit {
            let _ = writeln!(
                text,
                "  in commit {} by {} <{}>, {}",
                commit.id,
                visible::line(&commit.author),
                visible::line(&commit.email),
                commit.date,
            );
        }
    }
    text
}

fn painted(severity: Severity, colour: Colour) -> String {
    let word = severity.name();
    if colour == Colour::Plain {
        return word.to_owned();
    }
    let paint = match severity {
        Severity::Critical => "\u{1b}[1;31m",
        Severity::High => "\u{1b}[31m",
        _ => "\u{1b}[33m",
    };
    format!("{paint}{word}\u{1b}[0m")
}

/// The whole in a few lines: how much was read, what was found, what was left out and what could not be read.
#[must_use]
pub fn summary(report: &Report, all: bool) -> String {
    const LISTED: usize = 20;
    let mut text = format!(
        "{} in {} files, {}",
        found(report),
        grouped(usize::try_from(report.files).unwrap_or(usize::MAX)),
        size(report.bytes)
    );
    for (count, words) in
        [(report.allowed, "allowed by a comment"), (report.known, "known from the baseline")]
    {
        if count > 0 {
            let _ = write!(text, "; {count} {words}");
        }
    }
    text.push('\n');
    if !report.left_out_counts.is_empty() {
        let counts: Vec<String> = report
            .left_out_counts
            .iter()
            .map(|(name, count)| format!("{count} {}", name.replace('-', " ")))
            .collect();
        let _ = writeln!(text, "left out: {}", counts.join(", "));
    }
    let listed: Vec<_> =
        report.left_out.iter().filter(|left_out| all || left_out.reason.is_gap()).collect();
    let most = if all { usize::MAX } else { LISTED };
    for left_out in listed.iter().take(most) {
        let _ = writeln!(
            text,
            "  {}: {}",
            visible::line(&left_out.path),
            visible::line(&left_out.reason.to_string())
        );
    }
    if listed.len() > most {
        let _ = writeln!(text, "  and {} more", listed.len() - most);
    }
    text
}

fn found(report: &Report) -> String {
    if report.findings.is_empty() {
        return "no secrets".to_owned();
    }
    let count = |severity: Severity| {
        report.findings.iter().filter(|found| found.finding.severity == severity).count()
    };
    let parts: Vec<String> = Severity::ALL
        .iter()
        .rev()
        .map(|severity| (count(*severity), severity.name()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let total = report.findings.len();
    format!("{total} {} ({})", if total == 1 { "secret" } else { "secrets" }, parts.join(", "))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
