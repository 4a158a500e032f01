//! How a report looks. Owns the formats; no secret is in any of them, because a finding has none.

mod csv;
mod json;
mod junit;
mod sarif;
mod text;

use super::Report;
use crate::report::Colour;

/// A format.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One object.
    Json,
    /// One object for each secret and a last one for the whole.
    JsonLines,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, for builds that show tests.
    Junit,
    /// One line for each secret.
    Csv,
}

impl Format {
    /// Every format with its name on the command line.
    pub const ALL: [(&str, Self); 6] = [
        ("text", Self::Text),
        ("json", Self::Json),
        ("jsonl", Self::JsonLines),
        ("sarif", Self::Sarif),
        ("junit", Self::Junit),
        ("csv", Self::Csv),
    ];

    /// The format of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }
}

/// The report in a format. The words for people about the whole go to [`summary`].
///
/// # Errors
/// Where JSON cannot be made, which would be a bug.
pub fn render(report: &Report, format: Format, colour: Colour) -> serde_json::Result<String> {
    Ok(match format {
        Format::Text => text::render(report, colour),
        Format::Json => json::render(report)?,
        Format::JsonLines => json::lines(report)?,
        Format::Sarif => sarif::render(report)?,
        Format::Junit => junit::render(report),
        Format::Csv => csv::render(report),
    })
}

pub use text::summary;

#[cfg(test)]
mod tests;
