//! A grant as it is stored. Owns the format, and the seal by which the record knows what it says.

use jiff::Timestamp;
use portcullis_core::{policy::Rule, risk::Risk};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Grant, GrantId, Scope, Void, What};
use crate::{alike::Like, approvals::Kept};

/// The version of the format.
const VERSION: u32 = 2;

/// What the seal is made of first, so that it is the seal of nothing else.
const DOMAIN: &[u8] = b"portcullis/grant/v2\n";

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u32,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    like: Option<Like>,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    granted: Timestamp,
    expires: Timestamp,
    risk: Risk,
    preview: String,
    by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whose: Option<String>,
}

pub(super) fn written(grant: &Grant) -> String {
    // The record of the answer is known only once this is stored with it.
    let Grant { id, what, scope, granted, expires, risk, preview, by, whose, record: _ } = grant;
    let (action, files, rules, like) = match what {
        What::Exact { action, files } => (Some(action.clone()), files.clone(), Vec::new(), None),
        What::Pattern(rules) => (None, None, rules.iter().map(ToString::to_string).collect(), None),
        What::Like(like) => (None, None, Vec::new(), Some(like.clone())),
    };
    let place = match scope {
        Scope::Session(place) | Scope::Project(place) => Some(place.clone()),
        Scope::Once | Scope::Always => None,
    };
    let written = Written {
        v: VERSION,
        id: id.to_string(),
        action,
        files,
        rules,
        like,
        scope: scope.name().to_owned(),
        place,
        granted: *granted,
        expires: *expires,
        risk: *risk,
        preview: preview.clone(),
        by: by.clone(),
        whose: whose.clone(),
    };
    // Texts and numbers alone; a text that is empty would be no grant.
    serde_json::to_string(&written).unwrap_or_default()
}

/// How the record of an answer names the grant that it gave, and what that said.
pub(super) fn named(id: GrantId, text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(text);
    format!("granted {id} {}", data_encoding::HEXLOWER.encode(&hash.finalize()))
}

pub(super) fn read(kept: &Kept) -> Result<Grant, Void> {
    let written: Written = serde_json::from_str(&kept.text)?;
    let id: GrantId = written.id.parse().map_err(|_| Void::Unrecorded)?;
    if written.v != VERSION || written.id != kept.id {
        return Err(Void::Unrecorded);
    }
    let rule = |text: &String| text.parse::<Rule>().map_err(|error| Void::Rule(error.to_string()));
    let rules = written.rules.iter().map(rule).collect::<Result<Vec<_>, _>>()?;
    let what = match (written.action, written.files, rules.is_empty(), written.like) {
        (Some(action), files, true, None) => What::Exact { action, files },
        (None, None, false, None) => What::Pattern(rules),
        (None, None, true, Some(like)) => What::Like(like),
        _ => return Err(Void::Unrecorded),
    };
    let scope = match (written.scope.as_str(), written.place) {
        ("once", None) => Scope::Once,
        ("always", None) => Scope::Always,
        ("session", Some(session)) => Scope::Session(session),
        ("project", Some(workspace)) => Scope::Project(workspace),
        _ => return Err(Void::Unrecorded),
    };
    Ok(Grant {
        id,
        what,
        scope,
        granted: written.granted,
        expires: written.expires,
        risk: written.risk,
        preview: written.preview,
        by: written.by,
        whose: written.whose,
        record: kept.record,
    })
}
