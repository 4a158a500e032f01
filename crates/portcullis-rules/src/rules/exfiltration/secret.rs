//! Secrets that leave. Owns what of a file, an address or a stream is one.

use super::{
    super::{
        Hit, Scene,
        flow::{host_kind, host_resource, is_local, named_as_credential, shown},
        hosts::HostKind,
    },
    hit, sent,
};
use crate::{
    effect::{Effect, EffectKind, Target},
    place,
    risk::Severity,
    session::Left,
    split::is_below,
    text::{Piece, Taint, Text},
};

pub(super) fn secret_sent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, sends) = sent(effect)?;
    if !sends.taint.has(Taint::SECRET) {
        let file = scene.files_of(sends).into_iter().find_map(|sent| secret_below(sent, scene))?;
        return Some(hit(
            connection,
            Severity::High,
            &format!("`{file}`, which holds secrets, is sent"),
        ));
    }
    let from_file = scene
        .files_of(sends)
        .into_iter()
        .find(|target| place::credential_of(target, scene.facts).is_some());
    // A variable with a telling name may be meant for the service; a file or the whole environment is not.
    let anonymous =
        matches!(host_kind(connection), HostKind::Address | HostKind::Drop | HostKind::Hidden);
    let severity = if from_file.is_some() || !scene.origins(sends).is_empty() || anonymous {
        Severity::Critical
    } else if named_as_credential(sends) {
        Severity::Medium
    } else {
        Severity::High
    };
    let what = from_file.map_or_else(
        || "secrets are sent".to_owned(),
        |target| format!("`{}` is sent", target.text.display()),
    );
    Some(hit(connection, severity, &what))
}

/// A file below a directory that is sent into which this call, or one before it, wrote secrets.
fn secret_below<'a>(sent: &Target, scene: &Scene<'a>) -> Option<&'a str> {
    let directory = sent.path.as_deref()?;
    let of_session = scene.facts.session.secret_below(directory).map(Left::path);
    of_session.or_else(|| {
        scene.effects.list.iter().find_map(|effect| match &effect.kind {
            EffectKind::Write { target, content, .. } if content.taint.has(Taint::SECRET) => {
                let inside = target.path.as_deref()?;
                is_below(inside, directory).then_some(inside)
            }
            _ => None,
        })
    })
}

pub(super) fn sent_after_both(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, _) = sent(effect)?;
    let (secret, foreign) = scene.facts.session.shown_both()?;
    let to = shown(connection);
    Some(Hit {
        message: Some(format!(
            "something is sent to `{to}` after this session was shown the secret in {secret} and text from {foreign}"
        )),
        resource: host_resource(connection),
        ..Hit::default()
    })
}

pub(super) fn secret_in_address(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Connect(connection) = &effect.kind else { return None };
    if !connection.address.taint.has(Taint::SECRET) || is_local(connection) {
        return None;
    }
    let read = !scene.origins(&connection.address).is_empty();
    let before = connection.address.known_prefix();
    let in_query = before.contains('?');
    let in_host = is_host(&connection.address);
    let anonymous =
        matches!(host_kind(connection), HostKind::Address | HostKind::Drop | HostKind::Hidden);
    let severity = match (read || anonymous || in_host, in_query) {
        (true, _) => Severity::Critical,
        (false, true) if !named_as_credential(&connection.address) => Severity::High,
        (false, _) => Severity::Medium,
    };
    Some(hit(connection, severity, "a secret goes in the address"))
}

/// Whether what is not known of an address is part of its host's name, which every name server on the way gets to see. What stands before
/// an `@` is a password meant for the host behind it, and an address of nothing but a variable may be one from the settings.
fn is_host(address: &Text) -> bool {
    let [before @ .., last] = address.pieces.as_slice() else { return false };
    let is_unknown = |piece: &Piece| matches!(piece, Piece::Unknown(_));
    let mut host = address.known_prefix();
    if let Some((_, behind)) = host.split_once("://") {
        host = behind;
    }
    let Piece::Known(after) = last else { return false };
    before.iter().any(is_unknown)
        && !host.contains(['/', '?', '#', '@', ':'])
        && after.starts_with('.')
        && after.chars().nth(1).is_some_and(|letter| letter.is_ascii_alphanumeric())
        && !after.split('/').next().is_some_and(|name| name.contains('@'))
}
