//! A rule as a page. Owns the shape of the rules' reference; it writes no file.

use std::fmt::Write;

use super::{Rule, When};

/// The page of a rule, in Markdown.
#[must_use]
pub fn document(rule: &Rule) -> String {
    let mut page = format!(
        "# `{}`\n\nSeverity {}, confidence {}, category {}; {}.\n\nWhy: {}.\n\nInstead: {}.\n",
        rule.id,
        rule.severity,
        word(rule.confidence),
        word(rule.category),
        if rule.reversible { "can be undone" } else { "cannot be undone" },
        rule.message,
        rule.remedy,
    );
    if let When::Command(shapes) = rule.when {
        list(&mut page, "Shapes of the command", shapes);
    }
    list(&mut page, "Fires on", rule.fires);
    list(&mut page, "Stays quiet on", rule.quiet);
    page
}

fn list(page: &mut String, title: &str, lines: &[&str]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(page, "\n## {title}\n\n```text\n{}\n```\n", lines.join("\n"));
}

/// The word that a value has on every wire.
fn word(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
