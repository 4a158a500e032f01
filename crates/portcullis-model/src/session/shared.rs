//! Whom a person means by a record that they name: "with the same participants as 'Kick-off'". Owns how such words are read in a prompt, and
//! how those whom the record lists are taken from the answer that shows it.
//!
//! What an answer says of itself is what its writer wants it to say. So only the list of people in a record counts, never its texts; the
//! record has to bear the very title that the person gave, to come from a tool that is about what they spoke of, and to be the only one of that
//! title: where two of one title list different people, neither counts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    asked::Asked,
    digest::{Mark, Marks},
    lexicon::{acts_of_name, folded},
    token,
};

/// How many records are kept that a person named, and how many people of each.
const RECORDS: usize = 8;
const PEOPLE: usize = 32;

/// How long a title may be, and how short.
const TITLE: std::ops::RangeInclusive<usize> = 3..=120;

/// How deep values lie in one another that are looked through.
const DEPTH: usize = 8;

/// The words for those whom a record lists, in prompts and as names of fields.
static ROLES: &[&str] = &[
    "participants",
    "attendees",
    "recipients",
    "invitees",
    "members",
    "guests",
    "teilnehmer",
    "teilnehmern",
    "empfanger",
    "empfangern",
    "destinataires",
    "invites",
    "participantes",
    "asistentes",
    "destinatarios",
    "partecipanti",
    "destinatari",
    "deelnemers",
    "ontvangers",
    "uczestnikow",
    "uczestnicy",
    "odbiorcow",
    "участники",
    "участниками",
    "получатели",
    "получателям",
    "katilimcilar",
    "katilimcilarla",
    "参加者",
    "参与者",
    "收件人",
    "참석자",
    "المشاركين",
];

/// The words by which somebody says that they mean those of another record.
static SAME: &[&str] = &[
    "same",
    "gleichen",
    "selben",
    "denselben",
    "dieselben",
    "memes",
    "mismos",
    "mesmos",
    "stessi",
    "dezelfde",
    "zelfde",
    "samych",
    "samymi",
    "те",
    "теми",
    "тем",
    "ayni",
    "相同",
    "同样的",
    "同じ",
    "같은",
    "نفس",
];

/// The fields that a record is called by.
static TITLES: &[&str] = &["title", "name", "subject", "summary"];

/// The records that a person named to say who is meant, and whom they list.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Shared {
    records: Vec<Record>,
}

/// A record by its title.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
struct Record {
    title: u64,
    people: Marks<PEOPLE>,
    /// Whether records of this title were shown that list others.
    is_torn: bool,
}

impl Shared {
    pub(super) const NOTHING: Self = Self { records: Vec::new() };

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Reads what a person sent.
    pub(super) fn person_sent(&mut self, text: &str) {
        for clause in token::clauses(text) {
            let words: Vec<String> =
                token::tokens(clause).map(|token| folded(token.text)).collect();
            let says = |list: &[&str]| {
                list.iter().any(|known| {
                    words.iter().any(|word| word == known)
                        || !known.is_ascii() && folded(clause).contains(known)
                })
            };
            if !says(ROLES) || !says(SAME) {
                continue;
            }
            for title in token::quoted(clause) {
                let title = Mark::of(title).0;
                let is_new = !self.records.iter().any(|record| record.title == title);
                // One more than is kept is meant by nobody: its people are asked about.
                if is_new && self.records.len() < RECORDS {
                    self.records.push(Record { title, ..Record::default() });
                }
            }
        }
    }

    /// Reads what a call of a tool answered.
    pub(super) fn answered(&mut self, from: &str, text: &str, asked: &Asked) {
        if self.records.is_empty() {
            return;
        }
        let tool = from.split('`').nth(1).unwrap_or(from);
        if !is_spoken_of(tool, asked) {
            return;
        }
        let mut found: Vec<(u64, Vec<String>)> = Vec::new();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => listed(&value, DEPTH, &mut found),
            Err(_) => lines(text, &mut found),
        }
        for (title, people) in found {
            let Some(record) = self.records.iter_mut().find(|record| record.title == title) else {
                continue;
            };
            let mut marks = Marks::NONE;
            people.iter().for_each(|one| marks.add(Mark::of(one)));
            record.is_torn |= marks.is_cut || !record.people.is_empty() && record.people != marks;
            record.people = marks;
        }
    }

    /// Whether everybody whom a value reaches is in a record that the person named for it.
    #[must_use]
    pub fn lists(&self, value: &str) -> bool {
        let mut reached = token::tokens(value).peekable();
        reached.peek().is_some()
            && reached.all(|one| {
                let mark = Mark::of(one.text);
                let holds = |record: &Record| !record.is_torn && record.people.has(mark);
                one.text.contains('@') && self.records.iter().any(holds)
            })
    }
}

/// Whether a tool is about something that the person spoke of, by the nouns of its name: `search_calendar_events`.
fn is_spoken_of(tool: &str, asked: &Asked) -> bool {
    tool.split(|letter: char| !letter.is_alphanumeric()).any(|word| {
        let word = folded(word);
        let is_verb = !acts_of_name(std::iter::once(word.as_str())).is_empty();
        word.len() > 3 && !is_verb && asked.said_word(&word)
    })
}

/// The records in a value of JSON.
fn listed(value: &Value, depth: usize, found: &mut Vec<(u64, Vec<String>)>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| listed(one, depth - 1, found)),
        Value::Object(fields) => {
            let title = fields.iter().find_map(|(name, value)| {
                let is_title = TITLES.contains(&folded(name).as_str());
                value.as_str().filter(|title| is_title && TITLE.contains(&title.len()))
            });
            if let Some(title) = title {
                let people =
                    fields.iter().filter(|(name, _)| is_role(name)).flat_map(|(_, all)| {
                        let all = all.as_array().into_iter().flatten();
                        all.filter_map(Value::as_str)
                            .filter(|one| is_address(one))
                            .map(str::to_owned)
                    });
                found.push((Mark::of(title).0, people.collect()));
            }
            fields.values().for_each(|one| listed(one, depth - 1, found));
        }
        _ => {}
    }
}

/// The records in lines as YAML writes them: fields at one depth, the people as items at the same depth or one below. What stands
/// deeper belongs to a text.
fn lines(text: &str, found: &mut Vec<(u64, Vec<String>)>) {
    let mut title = None;
    let mut people = Vec::new();
    let mut fields_at = None;
    let mut in_list = false;
    let mut close = |title: &mut Option<u64>, people: &mut Vec<String>| {
        let people = std::mem::take(people);
        if let Some(title) = title.take() {
            found.push((title, people));
        }
    };
    for line in text.lines() {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let mut rest = line.trim_start_matches(' ');
        let begins = depth == 0 && rest.starts_with("- ");
        if begins {
            close(&mut title, &mut people);
            rest = rest.get(2..).unwrap_or_default();
            fields_at = Some(2);
        }
        let here = if begins { 2 } else { depth };
        let fields = *fields_at.get_or_insert(here);
        if in_list
            && !begins
            && (depth == fields || depth == fields + 2)
            && let Some(one) = rest.strip_prefix("- ")
        {
            let one = one.trim().trim_matches(['\'', '"']);
            if is_address(one) {
                people.push(one.to_owned());
            }
            continue;
        }
        if here != fields {
            continue;
        }
        in_list = false;
        let Some((name, value)) = rest.split_once(':') else { continue };
        let value = value.trim().trim_matches(['\'', '"']);
        if TITLES.contains(&folded(name).as_str()) && TITLE.contains(&value.len()) {
            title = Some(Mark::of(value).0);
        }
        in_list = is_role(name) && value.is_empty();
    }
    close(&mut title, &mut people);
}

fn is_role(name: &str) -> bool {
    ROLES.contains(&folded(name).as_str())
}

/// Whether a text is the address of somebody and nothing else.
fn is_address(text: &str) -> bool {
    let mut tokens = token::tokens(text);
    let is_one = tokens.next().is_some_and(|one| {
        one.text == text
            && one.text.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && host.contains('.') && !host.contains('@')
            })
    });
    is_one && tokens.next().is_none()
}
