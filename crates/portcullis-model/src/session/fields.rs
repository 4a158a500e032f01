//! An answer as records of fields: the objects of JSON, or the entries of a list as YAML writes them. Owns where a record begins and what of it
//! is a field; which records count, those say who read them.
//!
//! Only what stands at the depth of a record's first field is one: what lies deeper belongs to a text, and a text may say anything.

use serde_json::Value;

use super::lexicon::folded;

/// How many records of an answer are read, how many fields of each, and how deep they lie in one another.
const RECORDS: usize = 256;
const FIELDS: usize = 64;
const DEPTH: usize = 8;

/// A record: its fields by names in small letters, and all of its text.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) list: Vec<(String, String)>,
    pub(super) text: String,
}

impl Fields {
    /// The values of the fields that are called so.
    pub(super) fn called<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let named = self.list.iter().filter(|(name, _)| names.contains(&name.as_str()));
        named.map(|(_, value)| value.as_str())
    }

    fn keep(&mut self, name: &str, value: &str) {
        if self.list.len() < FIELDS {
            let name = folded(name).chars().filter(|letter| letter.is_alphanumeric()).collect();
            let value = value.trim().trim_matches(['\'', '"']);
            self.list.push((name, value.to_owned()));
        }
    }
}

/// The records of an answer; `None` where there are more than are read.
pub(super) fn records(text: &str) -> Option<Vec<Fields>> {
    let mut found = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(value) => listed(&value, DEPTH, &mut found),
        Err(_) => lines(text, &mut found),
    }
    (found.len() <= RECORDS).then_some(found)
}

fn listed(value: &Value, depth: usize, found: &mut Vec<Fields>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| found.len() <= RECORDS) else { return };
    match value {
        Value::Array(all) => all.iter().for_each(|one| listed(one, depth, found)),
        Value::Object(members) => {
            let mut record = Fields::default();
            for (name, value) in members {
                match value {
                    Value::String(text) => {
                        record.keep(name, text);
                        record.text.push_str(text);
                        record.text.push('\n');
                    }
                    Value::Number(number) => record.keep(name, &number.to_string()),
                    other => listed(other, depth, found),
                }
            }
            found.push(record);
        }
        _ => {}
    }
}

fn lines(text: &str, found: &mut Vec<Fields>) {
    let mut record = Fields::default();
    let mut depth = None;
    for line in text.lines() {
        let begins = line.strip_prefix("- ");
        if begins.is_some() && !record.text.is_empty() && found.len() <= RECORDS {
            found.push(std::mem::take(&mut record));
            depth = None;
        }
        let rest = begins.unwrap_or_else(|| line.trim_start_matches(' '));
        record.text.push_str(line);
        record.text.push('\n');
        let here = line.len() - rest.len();
        if rest.is_empty() || *depth.get_or_insert(here) != here {
            continue;
        }
        if let Some((name, value)) = rest.split_once(": ") {
            record.keep(name, value);
        }
    }
    if !record.text.is_empty() {
        found.push(record);
    }
}
