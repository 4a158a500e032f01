//! What was granted. Owns its listing and taking it back, which needs nobody: it can only make the gate stricter.

use std::{fmt::Write as _, io::Write};

use clap::ArgMatches;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Desk, duration, failure};
use crate::{
    audit::Entry,
    cli::{Exit, Failure, shown, write_json},
    grants::{Grant, Grants, Listed, Scope, What},
    platform,
    report::visible,
    wire::VERSION,
};

/// The least of an identifier that names a grant.
const SHORTEST: usize = 4;

pub(super) fn list(
    desk: &Desk,
    matches: &ArgMatches,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let (_, all) = listed(desk)?;
    if matches.get_flag("json") {
        let grants: Vec<Value> = all.iter().map(as_json).collect();
        return write_json(out, &json!({ "v": VERSION, "grants": grants }));
    }
    if all.is_empty() {
        return shown(out, "nothing was granted\n");
    }
    let mut page = String::new();
    for one in &all {
        let line = match &one.grant {
            Err(void) => format!("{:<8}  counts for nothing: {void}", beginning(&one.name)),
            Ok((grant, holds)) => {
                let left = match holds {
                    Ok(()) => {
                        format!("for {}", duration::words(grant.expires.duration_since(desk.now)))
                    }
                    Err(void) => format!("counts for nothing: {void}"),
                };
                let place = match &grant.scope {
                    Scope::Once | Scope::Always => String::new(),
                    Scope::Session(place) | Scope::Project(place) => format!(" {place}"),
                };
                let what = match &grant.what {
                    What::Exact { .. } => grant.preview.clone(),
                    What::Pattern(_) | What::Like(_) => grant.words(),
                };
                let scope = grant.scope.name();
                let whose = grant.whose.as_deref();
                let whose = whose.map(|whose| format!(" for calls of {whose}")).unwrap_or_default();
                format!(
                    "{}  {scope}{place}{whose}, {left}, by {}: {what}",
                    grant.id.short(),
                    grant.by
                )
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{}", visible::line(&line));
    }
    shown(out, &page)
}

pub(super) fn revoke(
    desk: &Desk,
    matches: &ArgMatches,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let (mut grants, all) = listed(desk)?;
    let chosen: Vec<&Listed> = match matches.get_one::<String>("id") {
        None => all.iter().collect(),
        Some(id) => {
            let fits: Vec<&Listed> =
                all.iter().filter(|one| one.name.starts_with(id.as_str())).collect();
            if id.len() < SHORTEST || fits.len() != 1 {
                let problem = if fits.len() > 1 || id.len() < SHORTEST {
                    "names more than one grant"
                } else {
                    "names no grant"
                };
                return Err(Failure::bad_input(format_args!("`{id}` {problem}"))
                    .with_help("`portcullis allow list` lists them"));
            }
            fits
        }
    };
    let mut page = String::new();
    for one in chosen {
        let change = Entry {
            refers_to: one.grant.as_ref().ok().map(|(grant, _)| grant.record),
            ..Entry::change(platform::user_name(), "revoked", format!("the grant {}", one.name))
        };
        let Some(grants) = &mut grants else { break };
        let gone = grants.take_back(&one.name, &change, Timestamp::now());
        if gone.map_err(|error| failure(&error))? {
            // Writing to a string cannot fail.
            let _ = writeln!(page, "taken back: {}", visible::line(&beginning(&one.name)));
        }
    }
    shown(out, if page.is_empty() { "there was nothing to take back\n" } else { &page })
}

/// The grants, and what there is of them.
fn listed(desk: &Desk) -> Result<(Option<Grants>, Vec<Listed>), Failure> {
    let failed = |error| failure(&error);
    let mut grants = Grants::open(&desk.state).map_err(failed)?;
    let all = match &mut grants {
        Some(grants) => grants.list(desk.now).map_err(failed)?,
        None => Vec::new(),
    };
    Ok((grants, all))
}

/// The beginning of a grant's name, as a person writes it.
fn beginning(name: &str) -> String {
    name.chars().take(8).collect()
}

fn as_json(one: &Listed) -> Value {
    let (grant, holds) = match &one.grant {
        Err(void) => return json!({ "id": one.name, "holds": false, "why": void.to_string() }),
        Ok(both) => both,
    };
    let Grant { id, what, scope, granted, expires, risk, preview, by, whose, record } = grant;
    let (action, rules, like) = match what {
        What::Exact { action, .. } => (Some(action), Vec::new(), None),
        What::Pattern(rules) => (None, rules.iter().map(ToString::to_string).collect(), None),
        What::Like(like) => (None, Vec::new(), Some(like)),
    };
    let place = match scope {
        Scope::Once | Scope::Always => None,
        Scope::Session(place) | Scope::Project(place) => Some(place),
    };
    json!({
        "id": id.to_string(),
        "action": action,
        "rules": rules,
        "like": like,
        "scope": scope.name(),
        "place": place,
        "granted": granted,
        "expires": expires,
        "risk": risk,
        "preview": preview,
        "by": by,
        "whose": whose,
        "record": record,
        "holds": holds.is_ok(),
        "why": holds.as_ref().err().map(ToString::to_string),
    })
}
