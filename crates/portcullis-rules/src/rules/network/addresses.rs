//! Where connections lead, by their addresses. Owns which are no name that a person would write, and what is destroyed at the other end.

use super::super::{
    Hit, Scene,
    flow::{host_kind, host_resource},
    hosts::{self, HostKind},
};
use crate::{
    effect::{Connection, Effect, EffectKind},
    place::{self, Place},
    risk::Severity,
    text::Piece,
};

pub(super) fn remote_destruction(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Delete { target, recursive } = &effect.kind else { return None };
    let place = place::place_of(target, scene.facts);
    // `rm backups/*`: as many as there are.
    let is_pattern = target.text.display().contains(['*', '?', '['])
        && !matches!(place, Place::Harmless | Place::Artifact | Place::Temporary | Place::Cache);
    let grave = *recursive
        || is_pattern
        || !matches!(
            place,
            Place::Harmless
                | Place::Artifact
                | Place::Temporary
                | Place::Cache
                | Place::Workspace
                | Place::Unknown
        );
    (grave && scene.is_remote(effect)).then(Hit::default)
}

pub(super) fn metadata(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    // What is behind the host may not be known: `http://169.254.170.2$PATH`.
    let begins = || {
        let known = connection.address.known_prefix();
        let rest = known.split_once("://").map_or(known, |(_, rest)| rest);
        connection.host.is_none()
            && hosts::kind(rest.trim_end_matches([':', '/'])) == HostKind::Metadata
    };
    if host_kind(connection) != HostKind::Metadata && !begins() {
        return None;
    }
    let address = connection.address.display().to_ascii_lowercase();
    let credentials =
        ["iam", "token", "credentials", "identity", "user-data", "service-accounts", "v2/"]
            .iter()
            .any(|word| address.contains(word));
    let severity = if credentials { Severity::Critical } else { Severity::High };
    Some(about(connection, Some(severity)))
}

pub(super) fn disguised(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    connection.host.as_deref().is_some_and(hosts::is_disguised).then(|| about(connection, None))
}

pub(super) fn bare_address(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    if host_kind(connection) != HostKind::Address || connection.listens {
        return None;
    }
    let looks_up = scene.program_around(effect).is_some_and(|run| {
        matches!(
            run.program.as_str(),
            "dig"
                | "host"
                | "nslookup"
                | "drill"
                | "delv"
                | "ping"
                | "ping6"
                | "whois"
                | "traceroute"
                | "autossh"
                | "ssh"
        )
    });
    (!looks_up).then(|| about(connection, None))
}

pub(super) fn hidden(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let connection = connection(effect)?;
    (host_kind(connection) == HostKind::Hidden).then(|| about(connection, None))
}

/// `http://192.168.1.${i}:8080/`: a host of which only the last numbers are left open is each of them.
pub(super) fn neighbours(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Connect(connection) = &effect.kind else { return None };
    let [Piece::Known(known), Piece::Unknown(what), ..] = connection.address.pieces.as_slice()
    else {
        return None;
    };
    // One that a variable names is one; a counter and an element are each.
    if !matches!(&**what, "a number" | "an element") {
        return None;
    }
    let authority = known.rsplit(['/', '@']).next()?;
    let numbers = authority.strip_suffix('.')?;
    let mut parts = numbers.split('.').peekable();
    let first = parts.peek()?.parse::<u8>().ok()?;
    (first != 127 && parts.all(|part| part.parse::<u8>().is_ok())).then(|| Hit {
        severity: Some(Severity::High),
        resource: Some(format!("host:{authority}*")),
        ..Hit::default()
    })
}

pub(super) fn connection(effect: &Effect) -> Option<&Connection> {
    match &effect.kind {
        EffectKind::Connect(connection) => Some(connection),
        _ => None,
    }
}

pub(super) fn about(connection: &Connection, severity: Option<Severity>) -> Hit {
    Hit { severity, resource: host_resource(connection), ..Hit::default() }
}
