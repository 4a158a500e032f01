//! Who has a request open just now, and whether an agent waits for it: told to people so that two of them do not read the same, and so that nobody hurries
//! for an agent that went away. Owns what is remembered of it, which is in this process alone and for seconds; nothing is decided by it.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Extension, Json,
    extract::{Path, State},
    response::{IntoResponse as _, Response},
};

use super::{
    Shared,
    access::{Caller, Who},
    judge::existing,
    problem::{Problem, id},
    rights,
    shapes::LookShape,
};
use crate::{approvals::Id, wire::VERSION};

/// How long somebody counts as looking after they said so: a page says it twice in that time.
const LASTS: Duration = Duration::from_secs(20);

/// How many requests, and how many people of one, are remembered: of more, some are not told.
const MOST: usize = 4_096;
const PEOPLE: usize = 16;

/// Who looks at what.
#[derive(Default)]
pub(super) struct Looking {
    at: Mutex<HashMap<Id, Vec<Looker>>>,
}

struct Looker {
    name: String,
    shown: String,
    since: Instant,
}

impl Looking {
    /// Notes that somebody looks at a request, and says who else does.
    fn note(&self, id: Id, (name, shown): (&str, &str), now: Instant) -> Vec<String> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |looker: &Looker| now.saturating_duration_since(looker.since) < LASTS;
        if at.len() >= MOST {
            at.retain(|_, lookers| lookers.iter().any(is_there));
        }
        if at.len() >= MOST && !at.contains_key(&id) {
            return Vec::new();
        }
        let lookers = at.entry(id).or_default();
        lookers.retain(|looker| is_there(looker) && looker.name != name);
        let others = lookers.iter().map(|looker| looker.shown.clone()).collect();
        if lookers.len() < PEOPLE {
            let (name, shown) = (name.to_owned(), shown.to_owned());
            lookers.push(Looker { name, shown, since: now });
        }
        others
    }
}

/// Says that somebody looks at a request; who else does, and whether an agent waits for it, is answered.
pub(super) async fn look(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id = id(&text)?;
    let request = existing(&gateway, id).await?;
    if !rights::seen(&gateway, &caller).await?.has(&request) {
        return Err(Problem::unknown("request"));
    }
    let shown = match &caller.who {
        Who::Person(login) => &login.shown,
        Who::Token | Who::Workload(_) => &caller.name,
    };
    let looking = gateway.looking.note(id, (&caller.name, shown), Instant::now());
    let waits = gateway.clerk.is_waited_for(id);
    Ok(Json(LookShape { v: VERSION, looking, waits }).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_looks_is_told_of_the_others_until_they_look_no_more() {
        let looking = Looking::default();
        let (begun, id) = (Instant::now(), Id::named("one"));
        assert_eq!(looking.note(id, ("ana", "Ana"), begun), Vec::<String>::new());
        assert_eq!(looking.note(id, ("ana", "Ana"), begun), Vec::<String>::new(), "not of oneself");
        assert_eq!(looking.note(id, ("ben", "Ben"), begun), ["Ana"]);
        assert_eq!(looking.note(Id::named("other"), ("ben", "Ben"), begun), Vec::<String>::new());
        assert_eq!(looking.note(id, ("ana", "Ana"), begun + LASTS / 2), ["Ben"]);
        assert_eq!(looking.note(id, ("ana", "Ana"), begun + LASTS), Vec::<String>::new());
    }

    #[test]
    fn no_number_of_requests_or_people_fills_the_memory() {
        let looking = Looking::default();
        let begun = Instant::now();
        for at in 0..2 * MOST {
            looking.note(Id::named(&at.to_string()), ("ana", "Ana"), begun);
            looking.note(Id::named("0"), (&at.to_string(), "x"), begun);
        }
        let at = looking.at.lock().unwrap();
        assert!(at.len() <= MOST && at.values().all(|lookers| lookers.len() <= PEOPLE));
        drop(at);
        let later = begun + LASTS;
        looking.note(Id::named("later"), ("ana", "Ana"), later);
        assert_eq!(
            looking.note(Id::named("later"), ("ben", "Ben"), later),
            ["Ana"],
            "there is room again"
        );
    }
}
