//! When somebody is told of a request, and told again: at once, once it has waited, or once a group may approve it. Owns the times alone.

use std::time::Duration;

use jiff::Timestamp;
use portcullis_core::authority::Matter;

use crate::{
    approvals::{Question, Request},
    config::{Team, Turn},
};

/// What is asked, as far as it says whose turn it is.
fn matter(question: &Question) -> Matter<'_> {
    Matter {
        project: question.project.as_deref(),
        risk: question.risk,
        class: question.class(),
        waited: Duration::ZERO,
        in_hours: true,
    }
}

/// How long a question that is asked now waits before each time that somebody is told of it. Nobody is told once its own time is over.
pub(super) fn times(
    (turn, again): (&Turn, &[Duration]),
    team: &Team,
    question: &Question,
    now: Timestamp,
) -> Vec<Duration> {
    let first = match turn {
        Turn::After(after) => Some(*after),
        Turn::Of(group) => {
            let roles = team.roles.iter().filter(|role| role.group == *group);
            let since = roles.filter_map(|role| team.since(role, now, &matter(question))).min();
            since.and_then(|since| Duration::try_from(since.duration_since(now)).ok())
        }
    };
    let Some(first) = first else { return Vec::new() };
    let later = again.iter().map(|after| first.saturating_add(*after));
    std::iter::once(first).chain(later).filter(|after| *after < question.timeout).collect()
}

/// From when on which groups may approve a request, the first of them in front: those whose turn it is before its time is over.
pub(in crate::gateway) fn groups<'t>(
    team: &'t Team,
    request: &Request,
) -> Vec<(&'t str, Timestamp)> {
    let matter = Matter {
        project: request.project.as_deref(),
        risk: request.risk,
        class: request.class(),
        waited: Duration::ZERO,
        in_hours: true,
    };
    let mut groups: Vec<(&str, Timestamp)> = Vec::new();
    for role in &team.roles {
        let Some(since) = team.since(role, request.asked, &matter) else { continue };
        match groups.iter_mut().find(|(group, _)| *group == role.group) {
            Some((_, before)) => *before = since.min(*before),
            None => groups.push((&role.group, since)),
        }
    }
    groups.retain(|(_, since)| *since < request.expires);
    groups.sort_by_key(|(_, since)| *since);
    groups
}
