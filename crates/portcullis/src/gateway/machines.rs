//! Which policy of the centre each machine says that it holds. Owns what machines tell and how much of that is kept: it is news, not evidence. A machine is
//! believed as far as its token is, nothing is decided by it, and a gateway that starts anew has heard of nobody yet.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared,
    access::Caller,
    approvals::read,
    bundle,
    problem::{Parameters, Problem},
    shapes::written,
};
use crate::{bundle::Bundle, wire::VERSION};

/// The most machines that are known of, and of one token.
const MOST: usize = 10_000;
const MOST_OF_ONE: usize = 2_000;

/// The longest name, and the longest word about what went wrong.
const LONGEST_NAME: usize = 128;
const LONGEST_TROUBLE: usize = 512;

/// What a machine holds, as it tells after it fetched.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HoldingShape {
    /// What the machine is called.
    #[schemars(regex(pattern = "^[!-~]{1,128}$"))]
    machine: String,
    /// The policy in force there, where there is one.
    #[serde(default)]
    #[schemars(regex(pattern = "^[!-~]{1,128}$"))]
    name: Option<String>,
    /// Its number.
    #[serde(default)]
    #[schemars(range(max = 18_446_744_073_709_551_615_u64))]
    revision: Option<u64>,
    /// What identifies it.
    #[serde(default)]
    #[schemars(regex(pattern = "^[!-~]{1,128}$"))]
    digest: Option<String>,
    /// What came of fetching: `activated`, `unchanged`, `stopped` by the canary, or `refused`.
    #[schemars(extend("enum" = ["activated", "unchanged", "stopped", "refused"]))]
    state: String,
    /// Why, where it was refused or stopped; at most 512 bytes.
    #[serde(default)]
    #[schemars(length(max = 512))]
    trouble: Option<String>,
}

/// What is known of machines, by the token and the machine's name.
#[derive(Default)]
pub(super) struct Machines(Mutex<BTreeMap<(String, String), Known>>);

struct Known {
    holding: HoldingShape,
    seen: Timestamp,
}

impl Machines {
    /// Keeps what a machine tells. Whoever was heard least lately goes where there are too many.
    fn hears(&self, token: &str, holding: HoldingShape, seen: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (token.to_owned(), holding.machine.clone());
        if !known.contains_key(&key) {
            let from = (token.to_owned(), String::new());
            let own = known.range(from..).take_while(|((of, _), _)| of == token).count();
            if own >= MOST_OF_ONE || known.len() >= MOST {
                let others = known.iter().filter(|((of, _), _)| own < MOST_OF_ONE || of == token);
                let oldest = others.min_by_key(|(_, one)| one.seen).map(|(key, _)| key.clone());
                oldest.and_then(|key| known.remove(&key));
            }
        }
        known.insert(key, Known { holding, seen });
    }
}

/// A machine tells what it holds.
pub(super) async fn tell(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Response, Problem> {
    let holding: HoldingShape = read(&body)?;
    let HoldingShape { machine, name, revision: _, digest, state, trouble } = &holding;
    let is_word = |text: &str| {
        (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let is_known = ["activated", "unchanged", "stopped", "refused"].contains(&state.as_str());
    let are_words = name.iter().chain(digest).all(|word| is_word(word));
    if !is_word(machine) || !are_words || !is_known {
        let words = "`machine`, `name` and `digest` are 1 to 128 plain characters, and `state` is activated, unchanged, stopped or refused";
        return Err(Problem::bad_input(words));
    }
    if trouble.as_ref().is_some_and(|trouble| trouble.len() > LONGEST_TROUBLE) {
        return Err(Problem::bad_input("`trouble` is longer than 512 bytes"));
    }
    gateway.machines.hears(&caller.name, holding, Timestamp::now());
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    silent: Option<u32>,
}

/// What each machine said last, whoever is behind or silent first.
pub(super) async fn list(
    State(gateway): State<Shared>,
    Parameters(Wanted { silent }): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let given = bundle::held(&gateway).await?.and_then(|(bytes, _)| Bundle::read(&bytes).ok());
    let given = given.map(|bundle| (bundle.manifest().revision, bundle.digest()));
    let now = Timestamp::now();
    let silent = SignedDuration::from_secs(silent.map_or(3_600, i64::from));
    let known = gateway.machines.0.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all: Vec<(bool, bool, Timestamp, Value)> = known
        .iter()
        .map(|((token, machine), Known { holding, seen })| {
            let is_current = given.as_ref().map(|(_, digest)| holding.digest.as_ref() == Some(digest));
            let is_silent = now.duration_since(*seen) > silent;
            let shape = json!({
                "machine": machine, "token": token, "name": holding.name, "revision": holding.revision, "digest": holding.digest,
                "state": holding.state, "trouble": holding.trouble, "seen": written(*seen), "current": is_current, "silent": is_silent,
            });
            (is_current == Some(true), !is_silent, *seen, shape)
        })
        .collect();
    drop(known);
    all.sort_by_key(|(is_current, is_heard, seen, _)| (*is_current, *is_heard, *seen));
    let machines: Vec<Value> = all.into_iter().map(|(.., shape)| shape).collect();
    let given = given.map(|(revision, digest)| json!({ "revision": revision, "digest": digest }));
    Ok(Json(json!({ "v": VERSION, "given": given, "machines": machines })).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(machine: &str) -> HoldingShape {
        let (machine, state) = (machine.to_owned(), "unchanged".to_owned());
        HoldingShape { machine, name: None, revision: None, digest: None, state, trouble: None }
    }

    #[test]
    fn who_invents_machines_pushes_out_its_own_alone() {
        let machines = Machines::default();
        let second = |number: usize| Timestamp::from_second(number as i64).unwrap();
        machines.hears("laptops", holding("ana"), second(0));
        for number in 0..MOST_OF_ONE + 50 {
            machines.hears("eve", holding(&format!("m{number}")), second(number + 1));
        }
        let known = machines.0.lock().unwrap();
        assert_eq!(known.len(), MOST_OF_ONE + 1);
        assert!(known.contains_key(&("laptops".to_owned(), "ana".to_owned())));
        assert!(!known.contains_key(&("eve".to_owned(), "m0".to_owned())));
        drop(known);
        for token in 0..5 {
            for number in 0..MOST_OF_ONE - 300 {
                machines.hears(
                    &format!("t{token}"),
                    holding(&format!("m{number}")),
                    second(90_000),
                );
            }
        }
        assert_eq!(machines.0.lock().unwrap().len(), MOST);
    }
}
