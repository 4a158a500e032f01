//! Accepting. Owns what a yes changes in the files, and what the first start after a person put the proxy there may take by itself; who may say
//! yes is found out by whoever asks, and the diff is shown by them.

use std::io;

use jiff::Timestamp;
use serde_json::Value;

use super::{Definition, Files, Kind, Known, Pin, Pins, Seen, Shown, Signed, held::Listed};
use crate::canonical;

/// One thing that waits to be accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What it is: `tool`, `identity`, `definition`…
    pub what: String,
    /// Its name; empty where there is one alone.
    pub name: String,
    /// What was accepted before.
    pub before: Option<Value>,
    /// What is there now; nothing where it is gone.
    pub now: Option<Value>,
    /// Why it is held.
    pub held: Vec<String>,
}

/// What was accepted.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Accepted {
    /// The names, each with what it is.
    pub names: Vec<String>,
    /// The digest of all that is accepted of the server now.
    pub digest: String,
}

impl Question {
    /// Everything of a server that waits, the way it is started first.
    #[must_use]
    pub fn of(known: &Known, seen: &Seen) -> Vec<Self> {
        let none = Pins::default();
        let pins = known.pins().unwrap_or(&none);
        let mut all = Vec::new();
        if let Some(now) = &seen.definition {
            let held = match &pins.definition {
                Some(accepted) => now.differences(accepted),
                None => vec!["it was not accepted".to_owned()],
            };
            if !held.is_empty() {
                let value = |one: &Definition| serde_json::to_value(one).ok();
                all.push(Self {
                    what: "definition".to_owned(),
                    name: String::new(),
                    before: pins.definition.as_ref().and_then(value),
                    now: value(now),
                    held,
                });
            }
        }
        if let Some(now) = seen.identity.as_ref().filter(|now| pins.identity.as_ref() != Some(now))
        {
            let others = super::look::Others::default();
            let held = super::held::of_identity(now, known, &others).words();
            all.push(Self {
                what: "identity".to_owned(),
                name: String::new(),
                before: pins.identity.clone(),
                now: Some(now.clone()),
                held,
            });
        }
        // What was accepted since it was seen waits no more; of one that is listed twice, which is meant nobody can say.
        let is_accepted = |shown: &Shown| {
            let is_same = |other: &&Shown| (other.kind, &other.name) == (shown.kind, &shown.name);
            pins.of(shown.kind, &shown.name).is_some_and(|pin| pin.entry == shown.entry)
                && seen.entries.iter().filter(is_same).count() == 1
        };
        let waits = |shown: &&Shown| !shown.held.is_empty() && !is_accepted(shown);
        for shown in seen.entries.iter().filter(waits) {
            all.push(Self {
                what: shown.kind.name().to_owned(),
                name: shown.name.clone(),
                before: pins.of(shown.kind, &shown.name).map(|pin| pin.entry.clone()),
                now: Some(shown.entry.clone()),
                held: shown.held.clone(),
            });
        }
        all
    }
}

/// Takes what a person said yes to: `wanted` says of each question whether it is among that. What was accepted before and is listed no more stays,
/// so that it can come back as it was.
///
/// # Errors
/// What the system says.
pub fn accept(
    files: &Files,
    seen: &Seen,
    by: &str,
    wanted: &dyn Fn(&Question) -> bool,
) -> io::Result<Accepted> {
    let signed = Signed { by: by.to_owned(), at: Timestamp::now() };
    files.change(|known| {
        let mut pins = known.pins().cloned().unwrap_or_default();
        let mut names = Vec::new();
        for question in Question::of(known, seen).into_iter().filter(|one| wanted(one)) {
            names.push(format!("{} {}", question.what, question.name).trim().to_owned());
            match question.what.as_str() {
                "definition" => pins.definition.clone_from(&seen.definition),
                "identity" => pins.identity.clone_from(&seen.identity),
                _ => {
                    // Of one that is listed twice, which is meant nobody can say.
                    let mut same = seen.entries.iter().filter(|shown| {
                        shown.kind.name() == question.what && shown.name == question.name
                    });
                    if let (Some(shown), None) = (same.next(), same.next()) {
                        put(&mut pins, shown.kind, &shown.name, &shown.entry, &signed);
                    } else {
                        names.pop();
                    }
                }
            }
        }
        if pins.definition.is_none() && !names.is_empty() {
            // Whoever accepts what a server shows accepts the server that showed it.
            pins.definition.clone_from(&seen.definition);
        }
        let digest = digest_of(&pins);
        (Some(pins), Accepted { names, digest })
    })
}

/// A person put the proxy before a server that is started so: what it shows first is what they meant. Where something is accepted already,
/// only how it is started changes.
///
/// # Errors
/// What the system says.
pub fn enrol(files: &Files, definition: &Definition, by: &str) -> io::Result<()> {
    let signed = Signed { by: by.to_owned(), at: Timestamp::now() };
    files.change(|known| {
        let mut pins = known.pins().cloned().unwrap_or_default();
        pins.definition = Some(definition.clone());
        if pins.entries.is_empty() && pins.identity.is_none() {
            pins.first_use = Some(signed);
        }
        (Some(pins), ())
    })
}

/// Takes what a server shows at first, where a person put the proxy before it and nothing speaks against it. Gives what was taken.
///
/// # Errors
/// What the system says.
pub fn accepted_on_first_use(
    files: &Files,
    definition: &Definition,
    identity: Option<&Value>,
    listing: Option<(Kind, &[Listed])>,
) -> io::Result<Option<Accepted>> {
    files.change(|known| {
        let Some(pins) = known.pins() else { return (None, None) };
        let Some(first) = &pins.first_use else { return (None, None) };
        let signed = Signed { by: format!("{} (first use)", first.by), at: Timestamp::now() };
        let mut after = pins.clone();
        let mut names = Vec::new();
        if pins.begun.is_none() {
            // The files among its words are those of where it is started, which whoever put the proxy there need not have seen.
            after.definition = Some(definition.clone());
        }
        if let (None, Some(identity)) = (&pins.identity, identity) {
            after.identity = Some(identity.clone());
            names.push("identity".to_owned());
        }
        if let Some((kind, listed)) = listing.filter(|(kind, _)| pins.is_first_use(*kind)) {
            for one in listed.iter().filter(|one| one.held.is_empty()) {
                put(&mut after, kind, &one.name, &one.entry, &signed);
                names.push(format!("{} {}", kind.name(), one.name));
            }
            after.listed.insert(kind);
            after.begun.get_or_insert_with(Timestamp::now);
        }
        if names.is_empty() && after.listed == pins.listed {
            return (None, None);
        }
        let digest = digest_of(&after);
        (Some(after), Some(Accepted { names, digest }))
    })
}

fn put(pins: &mut Pins, kind: Kind, name: &str, entry: &Value, signed: &Signed) {
    pins.entries.retain(|pin| pin.kind != kind || pin.name != name);
    pins.entries.push(Pin {
        kind,
        name: name.to_owned(),
        digest: canonical::digest(entry),
        entry: entry.clone(),
        signed: signed.clone(),
    });
    pins.entries.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
}

/// What stands for all that is accepted.
#[must_use]
pub fn digest_of(pins: &Pins) -> String {
    let entries =
        pins.entries.iter().map(|pin| serde_json::json!([pin.kind, pin.name, pin.digest]));
    canonical::digest(&serde_json::json!({
        "server": pins.server,
        "definition": pins.definition,
        "identity": pins.identity,
        "entries": entries.collect::<Vec<_>>(),
    }))
}
