//! The record for other programs. Owns its formats, a line for each record; what a person reads is in [`super::summary`] and the command line, and
//! how lines come to other machines in `crate::shipping`.

mod cef;
mod ocsf;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use serde_json::{Map, Value};

use super::{AuditError, Filter, Log, Record};
use crate::report::visible;

/// A format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// One JSON object per line: every field as it was hashed.
    JsonLines,
    /// RFC 4180 with a header, for spreadsheets: hidden characters are escaped, and no cell is taken for a formula.
    Csv,
    /// One event of the Open Cybersecurity Schema Framework per line, as JSON: the class API Activity of version 1.8.0.
    Ocsf,
    /// One event of the Common Event Format per line.
    Cef,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::JsonLines, Self::Csv, Self::Ocsf, Self::Cef];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            Self::Csv => "csv",
            Self::Ocsf => "ocsf",
            Self::Cef => "cef",
        }
    }
}

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The record could not be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The export could not be written.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
}

/// Writes the records that the filter wants, oldest first, and gives their number.
///
/// # Errors
/// When writing fails, at once. A record that cannot be read is left out, and is the error after all others are written.
pub fn export(
    log: &mut Log,
    filter: &Filter,
    format: Format,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    let mut written = 0;
    let mut failure = None;
    if format == Format::Csv {
        out.write_all(csv_header().as_bytes())?;
    }
    log.each(filter, &mut |record| {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                failure.get_or_insert(ExportError::Audit(error));
                return ControlFlow::Continue(());
            }
        };
        let end = if format == Format::Csv { "\r\n" } else { "\n" };
        written += 1;
        match out.write_all((line(&record, format) + end).as_bytes()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(ExportError::Write(error));
                ControlFlow::Break(())
            }
        }
    })?;
    failure.map_or(Ok(written), Err)
}

/// A record on one line, without the line's end. Whatever stands in a record, no reader takes the line for two, or part of a text for a field.
#[must_use]
pub fn line(record: &Record, format: Format) -> String {
    match format {
        Format::JsonLines => on_one_line(&json(record)),
        Format::Csv => csv_line(record),
        Format::Ocsf => on_one_line(&ocsf::event(record)),
        Format::Cef => cef::event(record),
    }
}

/// A value as JSON in which every character that some reader takes for a line's end, or that nobody sees, is written as its escape. Such characters
/// stand in texts alone, so that the value is the same.
fn on_one_line(value: &Value) -> String {
    let written = value.to_string();
    if !written.chars().any(visible::is_hidden) {
        return written;
    }
    let mut line = String::with_capacity(written.len() + 16);
    for character in written.chars() {
        if visible::is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                line.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            line.push(character);
        }
    }
    line
}

/// A record as JSON: the fields by name, missing ones left out, `sequence` and `refers_to` as numbers, `rules` and `files` as lists.
#[must_use]
pub fn json(record: &Record) -> Value {
    let mut object = Map::new();
    object.insert("v".to_owned(), record.version().into());
    for (name, text) in record.fields() {
        let Some(text) = text else { continue };
        let value = match name {
            "sequence" => record.sequence.into(),
            "refers_to" => record.entry.refers_to.into(),
            "files" => record.entry.files.lines().into(),
            "rules" => record.entry.rules.clone().into(),
            _ => text.into(),
        };
        object.insert(name.to_owned(), value);
    }
    object.insert("hash".to_owned(), record.hash.to_string().into());
    Value::Object(object)
}

fn csv_header() -> String {
    // The names do not depend on the record.
    let record =
        super::Body::new(&super::Entry::new(super::Kind::Decision), jiff::Timestamp::UNIX_EPOCH)
            .chained(1, super::Hash::GENESIS);
    let names: Vec<&str> = record.fields().iter().map(|(name, _)| *name).collect();
    format!("{},hash\r\n", names.join(","))
}

fn csv_line(record: &Record) -> String {
    let mut line = String::new();
    for (_, text) in record.fields() {
        line.push_str(&csv_cell(&text.unwrap_or_default()));
        line.push(',');
    }
    line.push_str(&csv_cell(&record.hash.to_string()));
    line
}

/// A cell that no spreadsheet takes for a formula: one that starts like one, in ASCII or full width, gets a `'` before it.
fn csv_cell(text: &str) -> String {
    let shown = visible::line(text);
    let first = shown.trim_start().chars().next();
    let is_formula = first
        .is_some_and(|first| matches!(first, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'))
        || text.starts_with(['\t', '\r', '\n']);
    let guarded = if is_formula { format!("'{shown}") } else { shown.into_owned() };
    if guarded.contains(['"', ',', '\'', ';', ' ']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}
