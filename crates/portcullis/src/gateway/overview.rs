//! The sessions of agents at a glance, among the latest of the record. What a dashboard shows, [`super::figures`] says.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::{Shared, problem::Problem};
use crate::{approvals::Lasted, wire::VERSION};

/// How many of the latest records are looked at.
const LATEST: u32 = 20_000;

/// The most sessions that are told.
const TOLD: u32 = 200;

pub(super) async fn sessions(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let sessions = gateway.read(move |store| store.lasted(LATEST, TOLD)).await?;
    let sessions: Vec<Value> = sessions
        .into_iter()
        .map(|Lasted { session, agent, first, last, counts }| {
            json!({
                "session": session, "agent": agent, "first": first, "last": last,
                "allow": counts.allowed, "ask": counts.asked, "deny": counts.denied,
            })
        })
        .collect();
    Ok(Json(json!({ "v": VERSION, "sessions": sessions })).into_response())
}
