//! A stored row read as a record. Owns what a row must be like: it may have been tampered with in any way. Which database it comes from does
//! not matter; its columns are those of the table, from the number on.

use jiff::Timestamp;
use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};

use serde_json::{Map, Value};

use super::{
    entry::{Entry, Kind, RECORD_VERSION, Record, time_text},
    error::AuditError,
    files::Files,
    store::Trace,
};

/// A column that holds something of another kind.
pub(crate) struct NotOfThisKind;

/// The columns of a row, as a database gives them.
pub(crate) trait Columns {
    /// A text, or nothing.
    fn text(&self, column: usize) -> Result<Option<&str>, NotOfThisKind>;

    /// A whole number, or nothing.
    fn number(&self, column: usize) -> Result<Option<i64>, NotOfThisKind>;
}

/// A record as it is exported.
pub(super) fn of_json(value: &Value) -> Option<Record> {
    let object = value.as_object()?;
    let joined = |name: &str, between: &str| {
        let lines = object.get(name)?.as_array()?.iter().map(Value::as_str);
        Some(lines.collect::<Option<Vec<_>>>()?.join(between))
    };
    let written = Written { object, rules: joined("rules", " "), files: joined("files", "\n") };
    record_of(&written).ok()
}

/// The names under which the columns are exported.
const NAMES: [&str; 23] = [
    "sequence",
    "v",
    "time",
    "previous",
    "hash",
    "kind",
    "refers_to",
    "tool",
    "class",
    "risk",
    "rules",
    "decision",
    "layer",
    "reason",
    "approver",
    "outcome",
    "action",
    "preview",
    "policy",
    "session",
    "agent",
    "cwd",
    "files",
];

/// The columns of an exported record.
struct Written<'j> {
    object: &'j Map<String, Value>,
    rules: Option<String>,
    files: Option<String>,
}

impl Columns for Written<'_> {
    fn text(&self, column: usize) -> Result<Option<&str>, NotOfThisKind> {
        match NAMES.get(column).copied().ok_or(NotOfThisKind)? {
            "rules" => Ok(self.rules.as_deref()),
            "files" => Ok(self.files.as_deref()),
            name => match self.object.get(name) {
                None => Ok(None),
                Some(value) => value.as_str().map(Some).ok_or(NotOfThisKind),
            },
        }
    }

    fn number(&self, column: usize) -> Result<Option<i64>, NotOfThisKind> {
        match self.object.get(NAMES.get(column).copied().ok_or(NotOfThisKind)?) {
            None => Ok(None),
            Some(value) => value.as_i64().map(Some).ok_or(NotOfThisKind),
        }
    }
}

/// The record in a row with all of its columns, or why it is none.
pub(super) fn record_of(row: &impl Columns) -> Result<Record, AuditError> {
    let sequence = row.number(0).ok().flatten().unwrap_or(0);
    parsed(row, sequence).map_err(|reason| AuditError::Unreadable { sequence, reason })
}

fn parsed(row: &impl Columns, sequence: i64) -> Result<Record, String> {
    let sequence = u64::try_from(sequence).ok().filter(|sequence| *sequence > 0);
    let sequence = sequence.ok_or("a record's number is at least 1")?;
    let version = row.number(1).ok().flatten().and_then(|version| u32::try_from(version).ok());
    let version = version.ok_or("its version is no number")?;
    if !(1..=RECORD_VERSION).contains(&version) {
        return Err(format!(
            "it has version {version}, and this program reads versions up to {RECORD_VERSION}"
        ));
    }
    let time_column = needed::<Timestamp>(row, 2, "time")?;
    if text(row, 2, "time")?.as_deref() != Some(&time_text(time_column)) {
        return Err("its time is not as we write it".to_owned());
    }
    let rules = text(row, 10, "rules")?.unwrap_or_default();
    let entry = Entry {
        kind: named(row, 5, "kind", Kind::ALL, Kind::name)?.ok_or("it has no kind")?,
        refers_to: reference(row)?,
        tool: text(row, 7, "tool")?,
        class: text(row, 8, "class")?,
        risk: named(row, 9, "risk", Risk::ALL, Risk::name)?,
        rules: rules.split(' ').filter(|rule| !rule.is_empty()).map(str::to_owned).collect(),
        decision: named(row, 11, "decision", VERDICTS, Verdict::name)?,
        layer: named(row, 12, "layer", LAYERS, Layer::name)?,
        reason: text(row, 13, "reason")?,
        approver: text(row, 14, "approver")?,
        outcome: text(row, 15, "outcome")?,
        action: text(row, 16, "action")?,
        preview: text(row, 17, "preview")?,
        policy: text(row, 18, "policy")?,
        session: text(row, 19, "session")?,
        agent: text(row, 20, "agent")?,
        cwd: text(row, 21, "cwd")?,
        files: match text(row, 22, "files")? {
            Some(text) => Files::read(&text).ok_or("its files are not as we write them")?,
            None => Files::NONE,
        },
    };
    if entry.rules.join(" ") != rules {
        return Err("its rules are not as we write them".to_owned());
    }
    let previous = needed(row, 3, "previous")?;
    let record =
        Record { sequence, time: time_column, previous, hash: needed(row, 4, "hash")?, entry };
    if record.version() != version {
        return Err("its version is not that of what it says".to_owned());
    }
    Ok(record)
}

const VERDICTS: [Verdict; 3] = [Verdict::Allow, Verdict::Ask, Verdict::Deny];

const LAYERS: [Layer; 9] = [
    Layer::DenyRule,
    Layer::Floor,
    Layer::AskRule,
    Layer::AllowRule,
    Layer::Mode,
    Layer::Confirmation,
    Layer::Monitor,
    Layer::Guardian,
    Layer::Person,
];

fn reference(row: &impl Columns) -> Result<Option<u64>, String> {
    let number = row.number(6).map_err(|NotOfThisKind| "its refers_to is no number")?;
    number.map(u64::try_from).transpose().map_err(|_| "its refers_to is below zero".to_owned())
}

fn text(row: &impl Columns, column: usize, name: &str) -> Result<Option<String>, String> {
    let text = row.text(column).map_err(|NotOfThisKind| format!("its {name} is no text"))?;
    Ok(text.map(str::to_owned))
}

fn needed<T: std::str::FromStr>(
    row: &impl Columns,
    column: usize,
    name: &str,
) -> Result<T, String> {
    let parsed = text(row, column, name)?.and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| format!("its {name} is not one"))
}

fn named<T: Copy, const N: usize>(
    row: &impl Columns,
    column: usize,
    column_name: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, String> {
    let Some(word) = text(row, column, column_name)? else { return Ok(None) };
    let found = all.into_iter().find(|value| name(*value) == word);
    found.map(Some).ok_or_else(|| format!("its {column_name} is not one that we write"))
}

/// What a row with the columns of a [`Trace`] says (time, kind, rules, decision, layer, action, preview); `None` where it is not as we write
/// it. Nothing is copied: most rows are looked at and forgotten.
pub(super) fn trace_of(row: &impl Columns) -> Option<Trace> {
    let word = |column| Some(row.text(column).ok()?.unwrap_or_default());
    let kind = Kind::ALL.into_iter().find(|kind| Some(kind.name()) == word(1))?;
    let is_outcome = match kind {
        Kind::Decision => false,
        Kind::Outcome => true,
        Kind::Answer | Kind::Change => return None,
    };
    let decision = word(3)?;
    let layer = word(4)?;
    let digits = word(5)?.strip_prefix("sha256:").and_then(|digits| digits.get(..16));
    let mark = if is_outcome { word(6)?.strip_prefix(Trace::RESULT) } else { None };
    Some(Trace {
        kind,
        time: written_time(word(0)?)?,
        raised: word(2)?.contains(Trace::RAISED),
        unpermitted: word(2)?.contains(Trace::UNPERMITTED),
        decision: VERDICTS.into_iter().find(|verdict| verdict.name() == decision),
        layer: LAYERS.into_iter().find(|one| one.name() == layer),
        action: digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0),
        result: mark.and_then(|mark| u64::from_str_radix(mark, 16).ok()),
    })
}

/// A time as we write it, `2026-01-02T03:04:05.000006Z`: read without what every other notation of times would take.
fn written_time(text: &str) -> Option<Timestamp> {
    let bytes: &[u8; 27] = text.as_bytes().try_into().ok()?;
    let number = |from: usize, to: usize| {
        bytes.get(from..to)?.iter().try_fold(0_i64, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469;
    let seconds = days * 86_400 + number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    Timestamp::from_microsecond(seconds * 1_000_000 + number(20, 26)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_was_written() {
        for text in [
            "1970-01-01T00:00:00.000000Z",
            "1999-12-31T23:59:59.999999Z",
            "2000-02-29T12:00:00.000001Z",
            "2024-02-29T00:00:00.500000Z",
            "2026-03-01T00:00:00.000000Z",
            "2100-03-01T01:02:03.040506Z",
            "2399-12-31T23:59:59.999999Z",
        ] {
            let expected: Timestamp = text.parse().unwrap();
            assert_eq!(written_time(text), Some(expected), "{text}");
        }
        for text in
            ["", "2026-03-01", "2026-03-01T00:00:00.00000xZ", "2026-03-01T00:00:00.0000000Z"]
        {
            assert_eq!(written_time(text), None, "{text}");
        }
    }
}
