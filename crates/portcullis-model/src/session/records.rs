//! Records that answers show: which of them speak of what the person spoke of, and which values only stand in somebody's sentences. Owns where a
//! record begins and what of it is kept: marks of the values by which it is acted on.
//!
//! It only ever makes a judgement stricter.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    asked::{Asked, Spoken},
    digest::{Mark, Marks},
    token,
};

/// How many values are kept of each kind.
const AKIN: usize = 256;
const KEPT: usize = 384;

/// How much of an answer is read, how many records of it, and how deep they lie in one another.
const LONGEST: usize = 64 << 10;
const RECORDS: usize = 256;
const DEPTH: usize = 8;

/// From how many words on a text is a sentence and not the entry of a list.
const SENTENCE: usize = 9;

/// How many words of a line say what it is the entry of.
const LEADS: usize = 3;

/// How long a value is that names something.
const VALUE: usize = 64;

/// What the answers of a session showed.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Records {
    /// What records are called that speak of what the person spoke of.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    akin: Marks<AKIN>,
    /// What those are called that stood beside them and do not.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    other: Marks<AKIN>,
    /// Values that stood for themselves: a field, the head of an entry.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    fields: Marks<KEPT>,
    /// Values that stood in sentences.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    said: Marks<KEPT>,
    /// Whether more was shown than was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_cut: bool,
}

/// One record of an answer: what it is called, and all of its text.
struct Record {
    name: Option<String>,
    text: String,
}

impl Records {
    pub(super) const NOTHING: Self = Self {
        akin: Marks::NONE,
        other: Marks::NONE,
        fields: Marks::NONE,
        said: Marks::NONE,
        is_cut: false,
    };

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Reads what a call answered.
    pub(super) fn answered(&mut self, text: &str, asked: &Asked) {
        if asked.prompts() == 0 {
            return;
        }
        self.is_cut |= text.len() > LONGEST;
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        let mut found = Vec::new();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => self.value(&value, DEPTH, &mut found),
            Err(_) => self.lines(text, &mut found),
        }
        let spoken: Vec<Spoken> =
            found.iter().map(|record| asked.speaks_of(&record.text)).collect();
        let Some(best) = spoken.iter().max().filter(|best| **best != Spoken::Not) else { return };
        for (record, spoken) in found.iter().zip(&spoken) {
            if let Some(name) = &record.name {
                let mark = Mark::of(name);
                if spoken == best { self.akin.add(mark) } else { self.other.add(mark) }
            }
        }
    }

    /// Whether a value names a record that stood beside those that the person spoke of.
    pub(super) fn is_beside(&self, value: &str) -> bool {
        let mark = Mark::of(value);
        self.other.has(mark) && !self.akin.has(mark)
    }

    /// Whether a value only ever stood in somebody's sentences.
    pub(super) fn is_only_said(&self, value: &str) -> bool {
        let mark = Mark::of(&bare(value));
        self.said.has(mark) && !self.fields.has(mark)
    }

    /// Whether nothing showed a value that names something by a number, where other things were shown.
    pub(super) fn is_unseen(&self, value: &str) -> bool {
        let mark = Mark::of(&bare(value));
        let is_number = value.len() > 2 && value.bytes().any(|letter| letter.is_ascii_digit());
        let is_whole = !self.fields.is_cut && !self.said.is_cut && !self.is_cut;
        is_number
            && is_whole
            && !self.fields.is_empty()
            && !self.fields.has(mark)
            && !self.said.has(mark)
    }

    fn value(&mut self, value: &Value, depth: usize, found: &mut Vec<Record>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match value {
            Value::Array(all) => all.iter().for_each(|one| self.value(one, depth, found)),
            Value::Object(fields) => {
                let mut record = Record { name: None, text: String::new() };
                for (key, value) in fields {
                    let text = match value {
                        Value::String(text) => text.clone(),
                        Value::Number(number) => number.to_string(),
                        other => {
                            self.value(other, depth, found);
                            continue;
                        }
                    };
                    let is_id = key.to_ascii_lowercase().ends_with("id")
                        || matches!(key.as_str(), "ref" | "number" | "key" | "code" | "handle");
                    if record.name.is_none() && is_id {
                        record.name = Some(text.clone());
                    }
                    self.text(&text);
                    record.text.push(' ');
                    record.text.push_str(&text);
                }
                if found.len() < RECORDS {
                    found.push(record);
                }
            }
            Value::String(text) => self.lines(text, found),
            Value::Number(number) => self.fields.add(Mark::of(&number.to_string())),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn lines(&mut self, text: &str, found: &mut Vec<Record>) {
        for line in text.split(['\n', ';']) {
            self.text(line);
            // `lock.front, lock.side`: each of a list of names.
            let is_list = line.split(',').all(|part| token::tokens(part).count() == 1);
            let parts: Vec<&str> = if is_list { line.split(',').collect() } else { vec![line] };
            for part in parts {
                let name = token::tokens(part).take(LEADS).find(token::Token::is_name);
                if found.len() < RECORDS && name.is_some() {
                    let name = name.map(|name| name.text.to_owned());
                    found.push(Record { name, text: part.to_owned() });
                }
            }
        }
    }

    /// Keeps the values of a text, as ones that stand for themselves or as said.
    fn text(&mut self, text: &str) {
        let text = text.trim();
        if let Some((_, value)) = text.split_once(": ") {
            let value = value.get(..value.floor_char_boundary(VALUE)).unwrap_or_default();
            self.fields.add(Mark::of(&bare(value.trim_matches(['\'', '"']))));
        }
        let words = token::tokens(text).take(SENTENCE).count();
        if words < SENTENCE {
            self.fields.add(Mark::of(&bare(
                text.get(..text.floor_char_boundary(VALUE)).unwrap_or_default(),
            )));
        }
        for (at, token) in token::tokens(text).enumerate() {
            let is_value = token.text.len() <= VALUE && token.is_name();
            if is_value && (words < SENTENCE || at < LEADS) {
                self.fields.add(Mark::of(token.text));
            } else if is_value {
                self.said.add(Mark::of(token.text));
            }
        }
        if words >= SENTENCE {
            accounts(text).for_each(|account| self.said.add(Mark::of(&account)));
        }
    }
}

/// A value without the blanks in it.
fn bare(value: &str) -> String {
    value.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Accounts of banks that are written in groups: `DE12 5001 0517 0648 4898 90`.
pub(super) fn accounts(text: &str) -> impl Iterator<Item = String> + '_ {
    let words: Vec<&str> =
        text.split([' ', '\n', ',']).map(|word| word.trim_matches(['.', ')', '(', '"'])).collect();
    let is_head = |word: &str| {
        let (country, digits) = word.split_at_checked(2).unwrap_or_default();
        word.len() == 4
            && country.bytes().all(|letter| letter.is_ascii_uppercase())
            && digits.bytes().all(|letter| letter.is_ascii_digit())
    };
    let is_group = |word: &&&str| {
        (1..=4).contains(&word.len())
            && word.bytes().all(|letter| letter.is_ascii_alphanumeric())
            && word.bytes().any(|letter| letter.is_ascii_digit())
    };
    let starts: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| is_head(word))
        .map(|(at, _)| at)
        .take(32)
        .collect();
    starts.into_iter().filter_map(move |at| {
        let behind = words.get(at + 1..)?;
        let groups: Vec<&str> = behind.iter().take_while(is_group).take(8).copied().collect();
        (groups.len() > 2)
            .then(|| format!("{}{}", words.get(at).copied().unwrap_or_default(), groups.concat()))
    })
}
