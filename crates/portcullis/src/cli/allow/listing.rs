//! What was granted. Owns its listing and taking it back, which needs nobody: it can only make the gate stricter.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use clap::ArgMatches;
use serde_json::{Value, json};

use super::{Desk, duration, failure, offer};
use crate::{
    audit::{Entry, Kind, Log},
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
    let all = listed(desk)?;
    let mut log = Log::read(&desk.state).ok();
    if matches.get_flag("json") {
        let grants: Vec<Value> = all.iter().map(|one| as_json(one, log.as_mut())).collect();
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
                let unknown = if is_recorded(grant, log.as_mut()) {
                    ""
                } else {
                    "; the record does not know it, so a person may not have given it"
                };
                let place = match &grant.scope {
                    Scope::Once | Scope::Always => String::new(),
                    Scope::Session(place) | Scope::Project(place) => format!(" {place}"),
                };
                let what = match &grant.what {
                    What::Exact(_) => grant.preview.clone(),
                    What::Pattern(_) => grant.words(),
                };
                let scope = grant.scope.name();
                format!(
                    "{}  {scope}{place}, {left}, by {}: {what}{unknown}",
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
    let all = listed(desk)?;
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
    let grants = Grants::open(&desk.state);
    let mut page = String::new();
    let mut log = Log::open(&desk.state);
    for one in chosen {
        let gone = grants.remove_file(&one.name).map_err(|error| {
            Failure::internal(format_args!("`{}` could not be taken back: {error}", one.name))
        })?;
        if !gone {
            continue;
        }
        let id = beginning(&one.name);
        let _ = writeln!(page, "taken back: {}", visible::line(&id));
        let change = Entry {
            refers_to: one.grant.as_ref().ok().map(|(grant, _)| grant.record),
            ..Entry::change(platform::user_name(), "revoked", format!("the grant {}", one.name))
        };
        let recorded = match &mut log {
            Ok(log) => log.append(&change).map(drop),
            Err(_) => Ok(()),
        };
        if let Err(error) = recorded {
            warn(&failure(&error));
        }
    }
    if let Err(error) = &log {
        // The gate is stricter now, which is worth more than that it is on record.
        warn(&failure(error));
    }
    shown(out, if page.is_empty() { "there was nothing to take back\n" } else { &page })
}

fn warn(failure: &Failure) {
    // Where nobody listens, nothing is lost but the warning.
    let _ = io::stderr().write_all(failure.render().as_bytes());
}

fn listed(desk: &Desk) -> Result<Vec<Listed>, Failure> {
    Grants::open(&desk.state).list(desk.now).map_err(|error| {
        Failure::configuration(format_args!("the grants cannot be read: {error}"))
            .with_help("their directory must belong to you, and nobody else may write to it")
    })
}

/// The beginning of a grant's name, as a person writes it.
fn beginning(name: &str) -> String {
    name.chars().take(8).collect()
}

/// Whether the record has the answer that gave this grant.
fn is_recorded(grant: &Grant, log: Option<&mut Log>) -> bool {
    let record = log.and_then(|log| log.record(grant.record).ok().flatten());
    record.is_some_and(|record| {
        record.entry.kind == Kind::Answer
            && record.computed_hash() == record.hash
            && record.entry.outcome.as_deref() == Some(&offer::granted(grant.id))
            && record.entry.approver.as_deref() == Some(&grant.by)
    })
}

fn as_json(one: &Listed, log: Option<&mut Log>) -> Value {
    let (grant, holds) = match &one.grant {
        Err(void) => return json!({ "file": one.name, "holds": false, "why": void.to_string() }),
        Ok(both) => both,
    };
    let Grant { id, what, scope, granted, expires, risk, preview, by, record } = grant;
    let (action, rules) = match what {
        What::Exact(action) => (Some(action), Vec::new()),
        What::Pattern(rules) => (None, rules.iter().map(ToString::to_string).collect()),
    };
    let place = match scope {
        Scope::Once | Scope::Always => None,
        Scope::Session(place) | Scope::Project(place) => Some(place),
    };
    json!({
        "file": one.name,
        "id": id.to_string(),
        "action": action,
        "rules": rules,
        "scope": scope.name(),
        "place": place,
        "granted": granted,
        "expires": expires,
        "risk": risk,
        "preview": preview,
        "by": by,
        "record": record,
        "recorded": is_recorded(grant, log),
        "holds": holds.is_ok(),
        "why": holds.as_ref().err().map(ToString::to_string),
    })
}
