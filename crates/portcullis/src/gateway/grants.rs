//! What people let go on together with a request. Owns their list and that one is taken back; whether one holds for a call, [`crate::grants`] says.

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};

use super::{
    Shared,
    access::Caller,
    problem::Problem,
    shapes::{GrantShape, GrantsShape},
};
use crate::{
    approvals::{Done, Step},
    audit::{Body, Entry},
    grants::{GrantId, listed},
    wire::VERSION,
};

pub(super) async fn list(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let now = gateway.clerk.now();
    let grants = gateway.read(move |store| listed(store, now)).await?;
    let grants = grants.iter().map(GrantShape::of).collect();
    Ok(Json(GrantsShape { v: VERSION, grants }).into_response())
}

/// Taking back only makes stricter: whoever decides requests may.
pub(super) async fn take_back(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
) -> Result<Response, Problem> {
    let id: GrantId = text.parse().map_err(|_| Problem::unknown("grant"))?;
    let change = Entry::change(&caller.name, "revoked", format!("the grant {id}"));
    let record = Body::new(&change, gateway.clerk.now());
    match gateway.clerk.take(Step::TakeBack { id: id.to_string(), record }).await? {
        Done::Revoked(true) => Ok(StatusCode::NO_CONTENT.into_response()),
        _ => Err(Problem::unknown("grant")),
    }
}
