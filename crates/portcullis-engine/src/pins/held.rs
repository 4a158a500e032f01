//! What of a listing is held back, and why. Owns the comparison with what was accepted; what speaks against an entry by itself, [`super::look`]
//! says, and whether it is listed then, the engine.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::tool::skeleton;
use serde_json::Value;

use super::{
    Kind, Known, Pins,
    look::{self, Others, signs},
};
use crate::canonical;

/// An entry that a server listed, and why it is held; nothing where it is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What it is.
    pub kind: Kind,
    /// What it is known by.
    pub name: String,
    /// All of it.
    pub entry: Value,
    /// The digest of all of it.
    pub digest: String,
    /// Why it is held.
    pub held: Vec<String>,
}

/// A whole listing of one kind, against what was accepted. Entries without a name that can be read are left out; gives how many.
#[must_use]
pub fn against(
    kind: Kind,
    entries: Vec<Value>,
    known: &Known,
    others: &Others,
) -> (Vec<Listed>, usize) {
    let mut listed = Vec::new();
    let mut nameless = 0;
    for entry in entries {
        let name =
            entry.get(kind.key()).and_then(Value::as_str).filter(|name| !name.trim().is_empty());
        match name.map(str::to_owned) {
            Some(name) => {
                let digest = canonical::digest(&entry);
                listed.push(Listed { kind, name, entry, digest, held: Vec::new() });
            }
            None => nameless += 1,
        }
    }
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let mut looks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &listed {
        *count.entry(one.name.clone()).or_default() += 1;
        looks.entry(skeleton(&one.name)).or_default().insert(one.name.clone());
    }
    let pins = known.pins();
    for one in &mut listed {
        let mut held = Vec::new();
        if let Known::Broken(why) = known {
            held.push(format!("what was accepted of this server cannot be read: {why}"));
        }
        if count.get(&one.name).is_some_and(|count| *count > 1) {
            held.push("it is listed more than once".to_owned());
        }
        let is_accepted =
            pins.and_then(|pins| pins.of(kind, &one.name)).map(|pin| pin.digest == one.digest);
        if is_accepted != Some(true) {
            held.extend(differs(one, pins, is_accepted));
            held.extend(looks_like(one, &looks, pins));
            held.extend(signs(kind, &one.name, &one.entry, others));
            if serde_json::to_vec(&one.entry).map_or(true, |bytes| bytes.len() > look::LONGEST) {
                held.push("it is longer than 256 KiB".to_owned());
            }
        }
        one.held = held;
    }
    (listed, nameless)
}

/// Whether it is new, or another than was accepted.
fn differs(one: &Listed, pins: Option<&Pins>, is_accepted: Option<bool>) -> Option<String> {
    match (pins, is_accepted) {
        (_, Some(_)) => Some("it is another than was accepted".to_owned()),
        (Some(pins), None) if pins.is_first_use(one.kind) => None,
        // What there is changes with the data; what a resource says of itself was looked through.
        (Some(_), None) if one.kind == Kind::Resource => None,
        (Some(_), None) => Some("it is new".to_owned()),
        (None, None) => Some("nobody accepted this server".to_owned()),
    }
}

/// Whether its name can be taken for another one of the same server.
fn looks_like(
    one: &Listed,
    looks: &BTreeMap<String, BTreeSet<String>>,
    pins: Option<&Pins>,
) -> Option<String> {
    if one.kind != Kind::Tool {
        return None;
    }
    let look = skeleton(&one.name);
    let beside = looks.get(&look).into_iter().flatten();
    let accepted = pins.into_iter().flat_map(|pins| &pins.entries);
    let accepted = accepted.filter(|pin| pin.kind == Kind::Tool && skeleton(&pin.name) == look);
    let mut all = beside.chain(accepted.map(|pin| &pin.name));
    let other = all.find(|name| **name != one.name)?;
    Some(format!("its name looks like `{other}`"))
}

/// What is held of a server itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Itself {
    /// Why nothing of it is let through.
    pub server: Vec<String>,
    /// Why its instructions, which are for the model alone, are left out.
    pub instructions: Vec<String>,
}

impl Itself {
    /// All of it in one list.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.server.iter().chain(&self.instructions).cloned().collect()
    }

    /// Whether nothing speaks against it.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.server.is_empty() && self.instructions.is_empty()
    }
}

/// What speaks against who a server says that it is.
#[must_use]
pub fn of_identity(identity: &Value, known: &Known, others: &Others) -> Itself {
    let mut held = Itself::default();
    match known {
        Known::Nothing => held.server.push("nobody accepted this server".to_owned()),
        Known::Broken(why) => {
            held.server.push(format!("what was accepted of this server cannot be read: {why}"));
        }
        Known::Pins(pins) => match &pins.identity {
            Some(accepted) if accepted == identity => return held,
            Some(accepted) => {
                if accepted.get("serverInfo") != identity.get("serverInfo") {
                    let words = "it says that it is another server than was accepted";
                    held.server.push(words.to_owned());
                }
                if accepted.get("instructions") != identity.get("instructions") {
                    let words = "its instructions are others than were accepted";
                    held.instructions.push(words.to_owned());
                }
            }
            None if pins.first_use.is_some() => {}
            None => held.server.push("who it says that it is was not accepted".to_owned()),
        },
    }
    let part = |name: &str| identity.get(name).cloned().unwrap_or_default();
    held.server.extend(signs(Kind::Resource, "", &part("serverInfo"), others));
    held.instructions.extend(signs(Kind::Resource, "", &part("instructions"), others));
    held
}
