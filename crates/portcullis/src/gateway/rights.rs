//! What somebody may do of what their scopes let them: by their roles, by what others gave them for a time, and by when they proved who they are. Owns which
//! of it counts for a request; what a role covers, [`portcullis_core::authority`] says.

use axum::http::StatusCode;
use portcullis_core::{
    approval::TwoPeople,
    authority::{Duty, Matter, Role, Uncovered, covering},
    policy::ApprovalPolicy,
    risk::{Risk, Severity},
};
use serde_json::json;

use super::{
    Shared,
    access::{Caller, Who},
    problem::Problem,
    roles::roles,
};
use crate::{
    approvals::{Request, Scope},
    config::StepUp,
    identity::is_proved,
};

/// The project that somebody's calls belong to: none that they name themselves.
pub(super) fn project_of<'g>(gateway: &'g Shared, caller: &'g Caller) -> Option<&'g str> {
    match &caller.who {
        Who::Workload(project) => project.as_deref(),
        Who::Token | Who::Person(_) => gateway.team.project_of(&caller.name),
    }
}

/// Whether the client of an agent may answer for its person. Who sits there is not known: where people log in, they have no role, prove nothing, and are nobody.
pub(super) fn may_client_answer(gateway: &Shared) -> bool {
    gateway.team.login.is_none()
}

/// How many must agree to something.
pub(super) fn needed(gateway: &Shared, project: Option<&str>, risk: Risk) -> u8 {
    let here = gateway.two_people.needed(risk);
    let from = gateway.team.two_people(project, gateway.clerk.now());
    here.max(from.map_or(1, |from| TwoPeople::From(from).needed(risk)))
}

/// Which requests somebody sees.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Seen {
    /// All of them.
    All,
    /// What they asked themselves: who has calls judged.
    Own(String),
    /// Those of these projects: whose roles are about no others.
    Of(Vec<String>),
}

impl Seen {
    /// The projects, where others are none of their business.
    pub(super) fn within(&self) -> Option<Vec<String>> {
        match self {
            Self::All | Self::Own(_) => None,
            Self::Of(projects) => Some(projects.clone()),
        }
    }

    /// Whose requests, where others' are none of their business.
    pub(super) fn own(&self) -> Option<String> {
        match self {
            Self::Own(name) => Some(name.clone()),
            Self::All | Self::Of(_) => None,
        }
    }

    /// Whether a request is among them.
    pub(super) fn has(&self, request: &Request) -> bool {
        match self {
            Self::All => true,
            Self::Own(name) => request.requester == *name,
            Self::Of(projects) => {
                request.project.as_ref().is_some_and(|project| projects.contains(project))
            }
        }
    }
}

/// Which requests somebody sees: who reads or decides, those of the projects that their roles, and what others gave them, are about.
pub(super) async fn seen(gateway: &Shared, caller: &Caller) -> Result<Seen, Problem> {
    let Who::Person(login) = &caller.who else {
        let sees_all = caller.scopes.has(Scope::Approve) || caller.scopes.has(Scope::Read);
        return Ok(if sees_all { Seen::All } else { Seen::Own(caller.name.clone()) });
    };
    let (team, now) = (&gateway.team, gateway.clerk.now());
    let mut all: Vec<&Role> = roles(team, &login.groups);
    all.retain(|role| role.may.iter().any(|duty| matches!(duty, Duty::Approve | Duty::Read)));
    if !all.iter().any(|role| role.is_about(None)) {
        let given = gateway.read(move |store| store.delegations(now)).await?;
        for given in given.iter().filter(|given| given.taker == caller.name) {
            let decides = |role: &&Role| role.may.contains(&Duty::Approve);
            all.extend(roles(team, &given.groups).into_iter().filter(decides));
        }
    }
    if all.iter().any(|role| role.is_about(None)) {
        return Ok(Seen::All);
    }
    let mut projects: Vec<String> = all.iter().flat_map(|role| role.projects.clone()).collect();
    projects.sort_unstable();
    projects.dedup();
    Ok(Seen::Of(projects))
}

/// By what right somebody says yes or no to a request, in words for the record; nothing where it is their own token's.
pub(super) async fn to_decide(
    gateway: &Shared,
    caller: &Caller,
    request: &Request,
    approves: bool,
) -> Result<Option<String>, Problem> {
    let team = &gateway.team;
    if approves {
        stepped_up(gateway, caller, request)?;
    }
    let Who::Person(login) = &caller.who else { return Ok(None) };
    let now = gateway.clerk.now();
    let matter = Matter {
        project: request.project.as_deref(),
        risk: request.risk,
        class: request.class(),
        waited: now.duration_since(request.asked).try_into().unwrap_or_default(),
        in_hours: team.is_in_hours(now),
    };
    let why = match covering(roles(team, &login.groups), &matter, approves) {
        Ok(role) => return Ok(Some(words(role, None))),
        Err(why) => why,
    };
    let given = gateway.read(move |store| store.delegations(now)).await?;
    for given in given.iter().filter(|given| given.taker == caller.name) {
        // Nobody has their own wish granted by somebody in their place.
        if given.giver == request.requester {
            continue;
        }
        let Ok(role) = covering(roles(team, &given.groups), &matter, approves) else { continue };
        if approves && request.needed > 1 {
            let detail = "two people must agree, and you would speak for somebody else: that counts for one alone";
            return Err(Problem::new(StatusCode::FORBIDDEN, "delegated", detail));
        }
        return Ok(Some(words(role, Some(&given.giver))));
    }
    let problem = Problem::new(StatusCode::FORBIDDEN, "not-yours", why.to_string());
    Err(match why {
        Uncovered::NotYet(left) => {
            problem.retry_after(u32::try_from(left.as_secs()).unwrap_or(u32::MAX).saturating_add(1))
        }
        _ => problem,
    })
}

fn words(role: &Role, giver: Option<&str>) -> String {
    let after = role.after.as_secs();
    let after = if after > 0 { format!(" after {after} s") } else { String::new() };
    let giver = giver.map(|giver| format!(", in the place of {giver}")).unwrap_or_default();
    format!("as `{}`{after}{giver}", role.group)
}

/// That somebody proved lately who they are, before they approve what is grave.
fn stepped_up(gateway: &Shared, caller: &Caller, request: &Request) -> Result<(), Problem> {
    let Some(step) = gateway.team.step_up.as_ref().filter(|step| is_grave(step, request.risk))
    else {
        return Ok(());
    };
    let is_proved =
        matches!(&caller.who, Who::Person(login) if is_proved(login, step, gateway.clerk.now()));
    if is_proved {
        return Ok(());
    }
    let detail = match &caller.who {
        Who::Person(_) => "prove anew who you are before you approve this",
        _ => "only somebody who logs in and proves who they are approves this",
    };
    let login = gateway.place.page(&format!("login?anew=1&place=inbox/{}", request.id));
    Err(Problem::new(StatusCode::FORBIDDEN, "step-up", detail).with("login", json!(login)))
}

/// Whether somebody has to prove who they are before they approve what has this risk.
pub(super) fn wants_proof(gateway: &Shared, risk: Risk) -> bool {
    gateway.team.step_up.as_ref().is_some_and(|step| is_grave(step, risk))
}

/// What is not known may be critical.
fn is_grave(step: &StepUp, risk: Risk) -> bool {
    risk.severity().unwrap_or(Severity::Critical) >= step.from
}

/// That somebody may decide or change what belongs to no project but to the whole gateway.
pub(super) fn over_all(gateway: &Shared, caller: &Caller, duty: Duty) -> Result<(), Problem> {
    let Who::Person(login) = &caller.who else { return Ok(()) };
    let all = roles(&gateway.team, &login.groups);
    if all.iter().any(|role| role.may.contains(&duty) && role.is_about(None)) {
        return Ok(());
    }
    let detail = "this is about every project, and your roles are about some";
    Err(Problem::new(StatusCode::FORBIDDEN, "not-yours", detail))
}

/// That somebody may put this approval policy in place, or ask for it.
pub(super) fn to_rule(
    gateway: &Shared,
    caller: &Caller,
    policy: ApprovalPolicy,
) -> Result<(), Problem> {
    let Who::Person(login) = &caller.who else { return Ok(()) };
    let may = |role: &&Role| {
        let is_named = |name: &String| name == policy.name();
        role.may.contains(&Duty::Admin)
            && role.is_about(None)
            && (role.policies.is_empty() || role.policies.iter().any(is_named))
    };
    if roles(&gateway.team, &login.groups).iter().any(may) {
        return Ok(());
    }
    let detail = format!("none of your roles puts `{policy}` in place");
    Err(Problem::new(StatusCode::FORBIDDEN, "not-yours", detail))
}
