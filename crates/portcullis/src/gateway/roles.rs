//! The roles of people by their groups. Owns what they come to as scopes, and what somebody can give to somebody else.

use portcullis_core::authority::{Duty, Role};

use crate::{
    approvals::{LoggedIn, Scope, Scopes},
    config::Team,
};

/// The roles of somebody of these groups.
pub(super) fn roles<'t>(team: &'t Team, groups: &[String]) -> Vec<&'t Role> {
    team.roles.iter().filter(|role| role.is_of(groups)).collect()
}

/// What these groups let somebody do here; nothing where none of them is named.
pub(super) fn scopes(team: &Team, groups: &[String]) -> Option<Scopes> {
    let all = roles(team, groups);
    let duties = all.iter().flat_map(|role| &role.may);
    Scopes::of(duties.map(|duty| match duty {
        Duty::Approve => Scope::Approve,
        Duty::Read => Scope::Read,
        Duty::Admin => Scope::Admin,
    }))
}

/// The groups by which somebody decides, which are what they can give.
pub(super) fn deciding(team: &Team, login: &LoggedIn) -> Vec<String> {
    let decides = |role: &&Role| role.may.contains(&Duty::Approve);
    let all: Vec<&Role> = roles(team, &login.groups).into_iter().filter(decides).collect();
    let mut groups: Vec<String> = all.iter().map(|role| role.group.clone()).collect();
    groups.dedup();
    groups
}
