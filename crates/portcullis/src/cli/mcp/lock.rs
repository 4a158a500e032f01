//! `mcp lock` and `mcp verify`. Owns the lock file, which holds digests and no word of a server, and how differences are told.

use std::{collections::BTreeMap, fs, io::Write, path::PathBuf};

use clap::ArgMatches;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Exit, Failure, Setting, accept::looked_at, words};
use crate::{
    canonical,
    cli::{shown, write, write_json},
    mcp::probe,
    pins::{Files, Pins},
    report::visible,
    wire::{self, VERSION},
};

/// The longest lock file.
const LONGEST: u64 = 16 << 20;

/// How long a server is looked at.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// What is locked.
#[derive(Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Lock {
    v: u64,
    servers: BTreeMap<String, Locked>,
}

/// One server.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Locked {
    /// The digest of who it says that it is, but for its version.
    identity: Option<String>,
    /// The digests of what it lists: `tool NAME`.
    entries: BTreeMap<String, String>,
}

impl Locked {
    fn of(pins: &Pins) -> Self {
        let entries = pins.entries.iter();
        Self {
            identity: pins.identity.as_ref().map(canonical::digest),
            entries: entries
                .map(|pin| (format!("{} {}", pin.kind.name(), pin.name), pin.digest.clone()))
                .collect(),
        }
    }

    fn seen(looked: &probe::Looked) -> Self {
        let name = |(kind, entry): &(crate::mcp::method::Kind, Value)| {
            let name = entry.get(kind.key()).and_then(Value::as_str).unwrap_or_default();
            (format!("{} {name}", kind.name()), canonical::digest(entry))
        };
        Self {
            identity: Some(canonical::digest(&looked.identity)),
            entries: looked.entries.iter().map(name).collect(),
        }
    }
}

pub(super) fn write_lock(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let named: Vec<&String> = matches.get_many::<String>("names").into_iter().flatten().collect();
    let mut lock = Lock { v: VERSION, ..Lock::default() };
    let all = if named.is_empty() {
        Files::all(&setting.state).0
    } else {
        named.iter().map(|name| setting.files(name)).collect::<Result<_, _>>()?
    };
    for files in all {
        match files.known().pins() {
            Some(pins) => drop(lock.servers.insert(files.server.clone(), Locked::of(pins))),
            None if named.is_empty() => {}
            None => {
                return Err(Failure::bad_input(format_args!(
                    "nothing of `{}` is accepted",
                    files.server
                ))
                .with_help(format_args!(
                    "`portcullis mcp accept {}` shows what there is",
                    files.server
                )));
            }
        }
    }
    let mut text = serde_json::to_string_pretty(&lock).unwrap_or_default();
    text.push('\n');
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

/// One difference.
struct Drift {
    server: String,
    /// `tool NAME`, or `identity`.
    what: String,
    kind: &'static str,
    locked: Option<String>,
    now: Option<String>,
}

pub(super) fn verify(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let path = matches.get_one::<PathBuf>("lock").cloned().unwrap_or_default();
    let lock = read(&path)?;
    let words = words(matches);
    let mut drifts = Vec::new();
    if words.is_empty() {
        for (server, locked) in &lock.servers {
            let now = setting.files(server)?.known().pins().map(Locked::of).unwrap_or_default();
            compare(server, locked, &now, &mut drifts);
        }
    } else {
        let server = matches.get_one::<String>("server").cloned().unwrap_or_default();
        let locked = lock.servers.get(&server).cloned().ok_or_else(|| {
            Failure::bad_input(format_args!("`{server}` is not in `{}`", path.display()))
        })?;
        let start = looked_at(&setting.configuration, &server, words)?;
        let looked = probe::look(&start.words, start.environment, None, PATIENCE);
        let looked = looked.map_err(|error| {
            Failure::bad_input(format_args!("`{server}` cannot be looked at: {error}"))
        })?;
        compare(&server, &locked, &Locked::seen(&looked), &mut drifts);
        for name in looked.doubled() {
            drifts.push(Drift {
                server: server.clone(),
                what: name,
                kind: "doubled",
                locked: None,
                now: None,
            });
        }
    }
    match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => drop(write_json(out, &wire_of(&drifts))?),
        Some("sarif") => drop(write_json(out, &sarif(&drifts, &path))?),
        _ => drop(shown(out, &text(&drifts))?),
    }
    Ok(if drifts.is_empty() { Exit::Done } else { Exit::Denied })
}

fn read(path: &PathBuf) -> Result<Lock, Failure> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Failure::bad_input(format_args!("`{}` cannot be read: {why}", path.display()))
    };
    let length = fs::metadata(path).map_err(|error| unreadable(&error))?.len();
    if length > LONGEST {
        return Err(unreadable(&"it is longer than 16 MiB"));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(&error))?;
    let value = wire::parse(&bytes, 1).map_err(|error| unreadable(&error))?;
    let lock: Lock = serde_json::from_value(value).map_err(|error| unreadable(&error))?;
    if lock.v != VERSION {
        return Err(unreadable(&format_args!(
            "it is of version {}, and {VERSION} is known",
            lock.v
        )));
    }
    Ok(lock)
}

fn compare(server: &str, locked: &Locked, now: &Locked, drifts: &mut Vec<Drift>) {
    let mut add = |what: &str, kind, locked: Option<&String>, now: Option<&String>| {
        let (server, what) = (server.to_owned(), what.to_owned());
        drifts.push(Drift { server, what, kind, locked: locked.cloned(), now: now.cloned() });
    };
    if locked.identity.is_some() && locked.identity != now.identity {
        add("identity", "changed", locked.identity.as_ref(), now.identity.as_ref());
    }
    for (what, digest) in &locked.entries {
        match now.entries.get(what) {
            None => add(what, "missing", Some(digest), None),
            Some(own) if own != digest => add(what, "changed", Some(digest), Some(own)),
            Some(_) => {}
        }
    }
    for (what, digest) in now.entries.iter().filter(|(what, _)| !locked.entries.contains_key(*what))
    {
        // What resources there are changes with the data.
        if !what.starts_with("resource ") {
            add(what, "new", None, Some(digest));
        }
    }
}

fn text(drifts: &[Drift]) -> String {
    let line = |one: &Drift| {
        format!("{}: {} is {}\n", visible::line(&one.server), visible::line(&one.what), one.kind)
    };
    match drifts {
        [] => "all is as it was locked\n".to_owned(),
        _ => drifts.iter().map(line).collect(),
    }
}

fn wire_of(drifts: &[Drift]) -> Value {
    let one = |it: &Drift| json!({"server": it.server, "what": it.what, "kind": it.kind, "locked": it.locked, "now": it.now});
    json!({"v": VERSION, "drift": drifts.iter().map(one).collect::<Vec<_>>()})
}

/// The differences in SARIF 2.1.0, for whoever shows results of checks.
fn sarif(drifts: &[Drift], path: &std::path::Path) -> Value {
    let rules = [
        ("mcp.drift.changed", "something of an MCP server is another than was locked"),
        ("mcp.drift.doubled", "an MCP server lists a name more than once"),
        ("mcp.drift.missing", "an MCP server does not list what was locked"),
        ("mcp.drift.new", "an MCP server lists what was not locked"),
    ];
    let rules: Vec<Value> = rules
        .iter()
        .map(|(id, words)| json!({"id": id, "shortDescription": {"text": words}, "defaultConfiguration": {"level": "error"}}))
        .collect();
    let results: Vec<Value> = drifts
        .iter()
        .map(|one| {
            json!({
                "ruleId": format!("mcp.drift.{}", one.kind),
                "level": "error",
                "message": {"text": format!("{}: {} is {}", visible::line(&one.server), visible::line(&one.what), one.kind)},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": path.display().to_string()},
                    "region": {"startLine": 1},
                }}],
                "partialFingerprints": {"drift/v1": canonical::digest(&json!([one.server, one.what, one.kind, one.now]))},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "portcullis", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}
