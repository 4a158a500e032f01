//! What waits, as people look through it over HTTP: searched, narrowed down, page by page from the worst on, and the alike together. Owns what may be
//! asked for; who sees what, `rights` says.

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::{approval::Status, risk::Risk};
use serde::Deserialize;

use super::{
    Shared,
    access::Caller,
    problem::{Parameters, Problem},
    rights::{self, Seen},
    shapes::{ApprovalShape, ApprovalsShape, PileShape, PilesShape},
};
use crate::{
    approvals::{Glance, Id, Place, Request, Sought, Which},
    wire::VERSION,
};

/// The most requests of one page.
const PAGE: u32 = 500;

/// The longest text that is looked for.
const LONGEST: usize = 200;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Wanted {
    status: Option<String>,
    session: Option<String>,
    before: Option<u64>,
    order: Option<String>,
    limit: Option<u32>,
    after: Option<String>,
    project: Option<String>,
    agent: Option<String>,
    rule: Option<String>,
    risk: Option<String>,
    class: Option<String>,
    asked_before: Option<String>,
    text: Option<String>,
    alike: Option<String>,
    assigned: Option<String>,
    snoozed: Option<String>,
}

impl Wanted {
    /// What is looked through for, of what waits.
    fn sought(self, gateway: &Shared, caller: &Caller, seen: &Seen) -> Result<Sought, Problem> {
        let Self {
            status,
            session,
            before,
            order: _,
            limit,
            after,
            project,
            agent,
            rule,
            risk,
            class,
            asked_before,
            text,
            alike,
            assigned,
            snoozed,
        } = self;
        if status.is_some_and(|word| word != Status::Pending.name()) {
            return Err(Problem::bad_input("the worst first is told of what is `pending` alone"));
        }
        if before.is_some() {
            return Err(Problem::bad_input("with the worst first, `after` names the next page"));
        }
        if text.as_ref().is_some_and(|text| text.len() > LONGEST) {
            return Err(Problem::bad_input(format!("`text` is longer than {LONGEST} bytes")));
        }
        let risk = risk.map(|word| word.parse::<Risk>()).transpose();
        let asked_before = asked_before.map(|text| text.parse::<Timestamp>()).transpose();
        let after = after.map(|text| text.parse::<Place>()).transpose();
        let awake = match snoozed.as_deref() {
            None | Some("with") => None,
            Some("without") => Some((caller.name.clone(), gateway.clerk.now())),
            Some(_) => return Err(Problem::bad_input("`snoozed` must be with or without")),
        };
        // Who sees to what is told to people alone.
        let assigned = assigned.filter(|_| seen.own().is_none());
        Ok(Sought {
            within: seen.within(),
            requester: seen.own(),
            session,
            project,
            agent,
            rule,
            risk: risk.map_err(|_| Problem::bad_input("`risk` is none"))?,
            class,
            asked_before: asked_before
                .map_err(|_| Problem::bad_input("`asked_before` must be a time, RFC 3339"))?,
            text: text.filter(|text| !text.is_empty()),
            alike: alike
                .map(|text| text.parse::<Id>())
                .transpose()
                .map_err(|_| Problem::bad_input("`alike` is no id of a request"))?,
            assigned,
            awake,
            after: after
                .map_err(|error| Problem::bad_input(format!("`after` is no place: {error}")))?,
            limit: limit.unwrap_or(100).clamp(1, PAGE),
        })
    }

    /// That nothing is looked for that only what waits is looked through for.
    fn is_plain(&self) -> bool {
        !self.is_narrow() && self.snoozed.is_none() && self.after.is_none()
    }

    /// Whether only some of what waits is looked for; what somebody put off is not shown, and counted all the same.
    fn is_narrow(&self) -> bool {
        let words = [
            &self.session,
            &self.project,
            &self.agent,
            &self.rule,
            &self.risk,
            &self.class,
            &self.asked_before,
            &self.text,
            &self.alike,
            &self.assigned,
        ];
        words.into_iter().any(Option::is_some)
    }
}

pub(super) async fn list(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(wanted): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let seen = rights::seen(&gateway, &caller).await?;
    let all = Sought { within: seen.within(), requester: seen.own(), ..Sought::default() };
    let shape = match wanted.order.as_deref() {
        Some("worst") => {
            let is_narrow = wanted.is_narrow();
            let sought = wanted.sought(&gateway, &caller, &seen)?;
            let narrow = Sought { after: None, ..sought.clone() };
            let most = sought.limit as usize;
            // What is recorded before is in what is read now.
            let head = *gateway.clerk.head().borrow();
            let (mut found, by_risk, narrowed) = gateway
                .read(move |store| {
                    let narrowed = is_narrow.then(|| store.count_by_risk(&narrow)).transpose()?;
                    Ok((store.waiting(&sought)?, store.count_by_risk(&all)?, narrowed))
                })
                .await?;
            found.iter_mut().for_each(|one| told(one, &seen));
            let last = found.last().filter(|_| found.len() == most);
            let next = last.map(|one| Place::behind(&one.request).to_string());
            let found_by_risk = narrowed.as_deref().map(shown);
            ApprovalsShape {
                head: seen.own().is_none().then_some(head),
                next,
                found_by_risk,
                ..ApprovalsShape::of(&by_risk, found.iter().map(ApprovalShape::glance).collect())
            }
        }
        None | Some("newest") if wanted.is_plain() => {
            let status = wanted.status.map(|word| word.parse::<Status>()).transpose();
            let which = Which {
                status: status.map_err(|error| Problem::bad_input(error.to_string()))?,
                session: wanted.session,
                requester: seen.own(),
                within: seen.within(),
                before: wanted.before,
                decided_after: None,
                limit: wanted.limit.unwrap_or(100).clamp(1, PAGE),
            };
            let most = which.limit as usize;
            let (requests, by_risk) = gateway
                .read(move |store| Ok((store.requests(&which)?, store.count_by_risk(&all)?)))
                .await?;
            let last = requests.last().map(|request| request.sequence);
            let before = last.filter(|_| requests.len() == most);
            ApprovalsShape {
                before,
                ..ApprovalsShape::of(&by_risk, requests.iter().map(ApprovalShape::short).collect())
            }
        }
        None | Some("newest") => {
            let words = "what waits is looked through with the worst first: say `order=worst`";
            return Err(Problem::bad_input(words));
        }
        Some(_) => return Err(Problem::bad_input("`order` must be newest or worst")),
    };
    Ok(Json(shape).into_response())
}

/// Who sees to a request is told to people alone.
fn told(one: &mut Glance, seen: &Seen) {
    if seen.own().is_some() {
        one.assigned = None;
    }
}

fn shown(by_risk: &[(Risk, u64)]) -> std::collections::BTreeMap<&'static str, u64> {
    by_risk.iter().map(|(risk, count)| (risk.name(), *count)).collect()
}

/// What waits, the alike together.
pub(super) async fn piles(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Parameters(wanted): Parameters<Wanted>,
) -> Result<Response, Problem> {
    let seen = rights::seen(&gateway, &caller).await?;
    let sought = Sought { after: None, ..wanted.sought(&gateway, &caller, &seen)? };
    let most = sought.limit as usize;
    let mut piles = gateway.read(move |store| store.piles(&sought)).await?;
    piles.iter_mut().for_each(|pile| told(&mut pile.first, &seen));
    let shape = PilesShape {
        v: VERSION,
        cut: piles.len() == most,
        piles: piles.iter().map(PileShape::of).collect(),
    };
    Ok(Json(shape).into_response())
}

/// Everything that waits and that somebody sees, or all of it that is alike to one, without what a person is shown once they open it.
pub(super) async fn all_waiting(
    gateway: &Shared,
    caller: &Caller,
    alike: Option<Id>,
) -> Result<Vec<Request>, Problem> {
    let seen = rights::seen(gateway, caller).await?;
    let mut sought = Sought {
        within: seen.within(),
        requester: seen.own(),
        alike,
        limit: PAGE,
        ..Sought::default()
    };
    gateway
        .read(move |store| {
            let mut all = Vec::new();
            loop {
                let page = store.waiting(&sought)?;
                let Some(last) = page.last() else { return Ok(all) };
                sought.after = Some(Place::behind(&last.request));
                all.extend(page.into_iter().map(|one| one.request));
            }
        })
        .await
}
