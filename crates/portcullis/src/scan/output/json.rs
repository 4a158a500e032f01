//! The report in JSON. Owns the names of the fields, which other programs rely on.

use serde::Serialize;

use super::super::{Found, LeftOut, Report};
use crate::wire::{SecretShape, VERSION};

#[derive(Serialize)]
struct Whole<'a> {
    v: u64,
    findings: Vec<Secret<'a>>,
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct Secret<'a> {
    #[serde(rename = "filePath")]
    file_path: &'a str,
    #[serde(flatten)]
    secret: SecretShape<'a>,
    #[serde(flatten)]
    commit: Option<CommitShape<'a>>,
}

#[derive(Serialize)]
struct CommitShape<'a> {
    commit: &'a str,
    author: &'a str,
    email: &'a str,
    date: &'a str,
}

#[derive(Serialize)]
struct Summary<'a> {
    files: u64,
    bytes: u64,
    secrets: usize,
    allowed: u64,
    known: u64,
    #[serde(rename = "leftOutCounts")]
    left_out_counts: std::collections::BTreeMap<&'static str, u64>,
    #[serde(rename = "leftOut")]
    left_out: Vec<Other<'a>>,
    complete: bool,
}

#[derive(Serialize)]
struct Other<'a> {
    path: &'a str,
    reason: &'static str,
    message: String,
}

/// One line of the JSON lines: a secret, or the whole at the end.
#[derive(Serialize)]
struct Last<'a> {
    v: u64,
    summary: Summary<'a>,
}

pub(super) fn render(report: &Report) -> serde_json::Result<String> {
    let whole = Whole {
        v: VERSION,
        findings: report.findings.iter().map(secret).collect(),
        summary: summary(report),
    };
    serde_json::to_string(&whole).map(|text| text + "\n")
}

pub(super) fn lines(report: &Report) -> serde_json::Result<String> {
    let mut text = String::new();
    for found in &report.findings {
        text.push_str(&serde_json::to_string(&secret(found))?);
        text.push('\n');
    }
    text.push_str(&serde_json::to_string(&Last { v: VERSION, summary: summary(report) })?);
    text.push('\n');
    Ok(text)
}

fn secret(found: &Found) -> Secret<'_> {
    let commit = found.commit.as_deref().map(|commit| CommitShape {
        commit: &commit.id,
        author: &commit.author,
        email: &commit.email,
        date: &commit.date,
    });
    Secret { file_path: &found.path, secret: SecretShape::from(&found.finding), commit }
}

fn summary(report: &Report) -> Summary<'_> {
    Summary {
        files: report.files,
        bytes: report.bytes,
        secrets: report.findings.len(),
        allowed: report.allowed,
        known: report.known,
        left_out_counts: report.left_out_counts.iter().copied().collect(),
        left_out: report.left_out.iter().map(other).collect(),
        complete: !report.has_gaps(),
    }
}

fn other(left_out: &LeftOut) -> Other<'_> {
    Other {
        path: &left_out.path,
        reason: left_out.reason.name(),
        message: left_out.reason.to_string(),
    }
}
