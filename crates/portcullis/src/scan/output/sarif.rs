//! The report in SARIF 2.1.0 (OASIS standard), as code scanning services read it.

use std::collections::BTreeMap;

use portcullis_core::{finding::Confidence, risk::Severity, secrets::Finding};
use serde_json::{Value, json};

use super::super::Report;

pub(super) fn render(report: &Report) -> serde_json::Result<String> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rules = Vec::new();
    let mut results = Vec::new();
    for found in &report.findings {
        let finding = &found.finding;
        let number = *numbers.entry(&finding.rule).or_insert_with(|| {
            rules.push(rule(finding));
            rules.len() - 1
        });
        let mut properties =
            json!({ "type": finding.name(), "confidence": confidence(finding.confidence) });
        if let (Some(commit), Value::Object(properties)) = (&found.commit, &mut properties) {
            for (name, value) in [
                ("commit", &commit.id),
                ("author", &commit.author),
                ("email", &commit.email),
                ("date", &commit.date),
            ] {
                properties.insert(name.to_owned(), Value::String(value.clone()));
            }
        }
        results.push(json!({
            "ruleId": finding.rule,
            "ruleIndex": number,
            "level": level(finding.severity),
            "message": { "text": format!("{} ({})", finding.description, finding.excerpt) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": uri(&found.path) },
                "region": {
                    "startLine": finding.line,
                    "startColumn": finding.column,
                    "byteOffset": finding.span.start,
                    "byteLength": finding.span.len(),
                },
            } }],
            "partialFingerprints": { "secretHash/v1": finding.fingerprint },
            "properties": properties,
        }));
    }
    let notifications: Vec<Value> = report
        .left_out
        .iter()
        .filter(|left_out| left_out.reason.is_gap())
        .map(|left_out| {
            json!({
                "level": "warning",
                "message": { "text": left_out.reason.to_string() },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": uri(&left_out.path) } } }],
            })
        })
        .collect();
    let whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "portcullis",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !report.has_gaps(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    serde_json::to_string(&whole).map(|text| text + "\n")
}

fn rule(finding: &Finding) -> Value {
    json!({
        "id": finding.rule,
        "name": finding.name(),
        "shortDescription": { "text": finding.description },
        "help": { "text": finding.suggestion },
        "defaultConfiguration": { "level": level(finding.severity) },
        // What services sort by: a number as of CVSS, in text.
        "properties": { "security-severity": match finding.severity {
            Severity::Critical => "9.5",
            Severity::High => "8.0",
            Severity::Medium => "5.5",
            _ => "2.0",
        }, "tags": ["security", "secret"] },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        _ => "note",
    }
}

fn confidence(confidence: Confidence) -> Value {
    serde_json::to_value(confidence).unwrap_or_default()
}

/// A path as a URI reference: relative paths stay relative (RFC 3986, section 4.2).
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'!' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
