//! A grant in a file. Owns the format, and that a file which was changed by hand or by accident is none. There is no secret
//! in it: what keeps a file from being invented is that only this user may write it, and that agents are judged.

use std::path::Path;

use jiff::Timestamp;
use portcullis_core::{policy::Rule, risk::Risk};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Grant, GrantId, Scope, Void, What};
use crate::private::{self, Unbelievable};

/// The version of the format.
const VERSION: u32 = 1;

/// What the seal is made of first, so that it is the seal of nothing else.
const DOMAIN: &[u8] = b"portcullis/grant/v1\n";

/// The end of a file's name.
const ENDING: &str = ".json";

/// Longer than any grant.
const MAX_BYTES: u64 = 1 << 16;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    grant: Written,
    /// The SHA-256 of the grant as it is written here.
    seal: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u32,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    granted: Timestamp,
    expires: Timestamp,
    risk: Risk,
    preview: String,
    by: String,
    record: u64,
}

pub(super) fn name(id: GrantId) -> String {
    format!("{id}{ENDING}")
}

pub(super) fn written(grant: &Grant) -> Result<Vec<u8>, serde_json::Error> {
    let Grant { id, what, scope, granted, expires, risk, preview, by, record } = grant;
    let (action, rules) = match what {
        What::Exact(action) => (Some(action.clone()), Vec::new()),
        What::Pattern(rules) => (None, rules.iter().map(ToString::to_string).collect()),
    };
    let place = match scope {
        Scope::Session(place) | Scope::Project(place) => Some(place.clone()),
        Scope::Once | Scope::Always => None,
    };
    let grant = Written {
        v: VERSION,
        id: id.to_string(),
        action,
        rules,
        scope: scope.name().to_owned(),
        place,
        granted: *granted,
        expires: *expires,
        risk: *risk,
        preview: preview.clone(),
        by: by.clone(),
        record: *record,
    };
    let seal = seal(&grant)?;
    serde_json::to_vec_pretty(&Sealed { grant, seal })
}

fn seal(grant: &Written) -> Result<String, serde_json::Error> {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(serde_json::to_vec(grant)?);
    Ok(data_encoding::HEXLOWER.encode(&hash.finalize()))
}

pub(super) fn read(path: &Path) -> Result<Grant, Void> {
    let bytes = private::read(path, MAX_BYTES)?;
    let Sealed { grant, seal: given } =
        serde_json::from_slice(&bytes).map_err(Unbelievable::from)?;
    let changed = || Void::from(Unbelievable::Changed);
    let id: GrantId = grant.id.parse().map_err(|_| changed())?;
    let is_named_so = path.file_name().is_some_and(|file| file == name(id).as_str());
    let sealed = seal(&grant).map_err(Unbelievable::from)?;
    if grant.v != VERSION || !is_named_so || sealed != given {
        return Err(changed());
    }
    let rule = |text: &String| text.parse::<Rule>().map_err(|error| Void::Rule(error.to_string()));
    let rules = grant.rules.iter().map(rule).collect::<Result<Vec<_>, _>>()?;
    let what = match (grant.action, rules.is_empty()) {
        (Some(action), true) => What::Exact(action),
        (None, false) => What::Pattern(rules),
        _ => return Err(changed()),
    };
    let scope = match (grant.scope.as_str(), grant.place) {
        ("once", None) => Scope::Once,
        ("always", None) => Scope::Always,
        ("session", Some(session)) => Scope::Session(session),
        ("project", Some(workspace)) => Scope::Project(workspace),
        _ => return Err(changed()),
    };
    Ok(Grant {
        id,
        what,
        scope,
        granted: grant.granted,
        expires: grant.expires,
        risk: grant.risk,
        preview: grant.preview,
        by: grant.by,
        record: grant.record,
    })
}
