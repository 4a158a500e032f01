//! Somebody whom the person named by a number and the whole name, and how they are reached. Owns which record says so.

use serde_json::Value;

use super::{DEPTH, Directory, PEOPLE, Person, lines, listed, words_of};
use crate::session::{Shown, asked::Asked, digest::Mark, heard::Source, token};

/// What tools are named after that show whose number somebody has.
static KEEPERS: &[&str] = &[
    "account",
    "accounts",
    "applicant",
    "case",
    "client",
    "clients",
    "crm",
    "customer",
    "customers",
    "guest",
    "member",
    "members",
    "passenger",
    "patient",
    "patients",
    "student",
    "subscriber",
    "tenant",
    "user",
    "users",
];

impl Directory {
    /// Reads the record of somebody who was looked up by the number that the person said. Anybody may call themselves what they like, so that both
    /// that number and the whole name have to be the person's own words.
    pub(super) fn case(
        &mut self,
        source: &Source,
        tool: &str,
        text: &str,
        asked: &Asked,
        seen: Shown,
    ) {
        let is_number = |about: &&String| {
            about.len() > 3
                && about.bytes().any(|letter| letter.is_ascii_digit())
                && token::tokens(about).count() == 1
                && asked.said(about)
        };
        let Some(number) = source.about.iter().find(is_number) else { return };
        if !words_of(tool).any(|word| KEEPERS.contains(&word.as_str())) {
            return;
        }
        let mut records = Vec::new();
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            listed(&value, DEPTH, &mut records);
        } else {
            lines(text, &mut records);
            if seen.planted {
                // Only what stands before the words that speak to agents, and only where nothing behind them says otherwise.
                let at = usize::try_from(seen.planted_at).unwrap_or(0);
                let before = text.get(..text.floor_char_boundary(at));
                let before = before.and_then(|before| before.rsplit_once('\n'));
                let mut first = Vec::new();
                lines(before.map_or("", |(before, _)| before), &mut first);
                let is_same = first.len() == records.len()
                    && first.iter().zip(&records).all(|(first, all)| first.ways == all.ways);
                records.retain(|_| is_same);
            }
        }
        records.retain(|record| {
            let mut ids = record.ways.iter().filter(|(kind, _)| kind.ends_with("id"));
            ids.any(|(_, id)| Mark::of(id) == Mark::of(number))
        });
        let [record] = records.as_slice() else { return };
        let [name] = record.names.as_slice() else { return };
        if !asked.said(name) {
            return;
        }
        let mut person = Person { name: Mark::of(number).0, is_case: true, ..Person::default() };
        for (kind, way) in &record.ways {
            person.is_torn |= record.ways.iter().filter(|(other, _)| other == kind).count() > 1;
            person.ways.add(Mark::of(way));
        }
        let is_full = self.people.len() >= PEOPLE;
        let known = self.people.iter_mut().find(|one| one.is_case && one.name == person.name);
        match known {
            Some(known) => known.is_torn |= known.ways != person.ways,
            None if !is_full => self.people.push(person),
            None => {}
        }
    }
}
