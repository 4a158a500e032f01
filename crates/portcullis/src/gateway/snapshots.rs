//! What was kept before actions, over the gateway's interface: which snapshots there are, what one would bring back, and bringing it back. Owns that
//! only who decides brings something back, and that it is recorded under their name; what is put back and what is a conflict, [`crate::undo`] says.

use std::{path::PathBuf, sync::Arc};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use serde_json::json;

use super::{
    Gateway, Shared, access::Caller, approvals::read, problem::Problem, shapes::UndoShape,
};
use crate::{
    approvals::{ClerkError, Step},
    audit::Body,
    tree::read_name,
    trial::{Places, commit},
    undo::{self, Snapshot, Store, UndoError},
};

/// How many snapshots are listed, the newest.
const MOST: usize = 200;

/// The most paths that are named at once.
const PATHS: usize = 10_000;

pub(super) async fn list(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let shape = apart(&gateway, |gateway| {
        let mut all = store(gateway)?.all();
        let from = all.len().saturating_sub(MOST);
        Ok(undo::list(&all.split_off(from)))
    });
    Ok(Json(shape.await?).into_response())
}

pub(super) async fn show(
    State(gateway): State<Shared>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let shape = apart(&gateway, move |gateway| {
        let snapshot = known(&store(gateway)?, &name)?;
        let found = undo::difference(&snapshot, &[], false).map_err(|error| problem(&error))?;
        let mut shape = undo::shape(&snapshot, &found);
        if let Some(members) = shape.as_object_mut() {
            members.insert("v".to_owned(), undo::VERSION.into());
            members.insert("undone".to_owned(), snapshot.undone.into());
        }
        Ok(shape)
    });
    Ok(Json(shape.await?).into_response())
}

/// Brings back what a snapshot holds. What stands there is kept before that.
pub(super) async fn bring_back(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let UndoShape { paths, force } = read(&body)?;
    if paths.len() > PATHS {
        return Err(Problem::bad_input(format!("at most {PATHS} paths are named at once")));
    }
    let plain = |path: &String| {
        let path = read_name(path)?;
        let parts = || path.components();
        let is_plain = parts().next().is_some()
            && parts().all(|part| matches!(part, std::path::Component::Normal(_)));
        is_plain.then_some(path)
    };
    let wanted: Option<Vec<PathBuf>> = paths.iter().map(plain).collect();
    let wanted = wanted.ok_or_else(|| {
        Problem::bad_input("`paths` are names below the workspace, as the snapshot shows them")
    })?;
    let by = caller.name.clone();
    let (shape, entry) = apart(&gateway, move |gateway| {
        let store = store(gateway)?;
        let mut snapshot = known(&store, &name)?;
        let places = Places::usual(Some(&gateway.state));
        commit::recover(&places).map_err(|error| unusable(&error))?;
        let found = undo::difference(&snapshot, &wanted, force).map_err(|error| problem(&error))?;
        let restored = undo::restore(&store, &places, &mut snapshot, &found)
            .map_err(|error| problem(&error))?;
        let shape = json!({
            "v": undo::VERSION,
            "snapshot": snapshot.id,
            "brought_back": restored.count,
            "conflicts": restored.conflicts,
            "lost": restored.lost,
            "kept": restored.kept,
        });
        Ok((shape, restored.entry(by, &snapshot)))
    })
    .await?;
    let record = Body::new(&entry, Timestamp::now());
    gateway.clerk.take(Step::Note { record, once: None }).await?;
    Ok(Json(shape).into_response())
}

fn store(gateway: &Gateway) -> Result<Store, Problem> {
    Store::open(&gateway.state).map_err(|error| unusable(&error))
}

fn known(store: &Store, name: &str) -> Result<Snapshot, Problem> {
    store.read(name).map_err(|error| {
        if error.is_missing() { Problem::unknown("snapshot") } else { unusable(&error) }
    })
}

fn unusable(error: &dyn std::fmt::Display) -> Problem {
    let words = format!("what was kept cannot be used: {error}");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unusable", words)
}

fn problem(error: &UndoError) -> Problem {
    match error {
        UndoError::Conflicts(_) | UndoError::OtherPlace(_) => {
            Problem::new(StatusCode::CONFLICT, "changed-since", error.to_string())
        }
        error => unusable(error),
    }
}

/// On a thread that may wait.
async fn apart<T: Send + 'static>(
    gateway: &Shared,
    does: impl FnOnce(&Gateway) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let gateway = Arc::clone(gateway);
    let done = tokio::task::spawn_blocking(move || does(&gateway)).await;
    done.map_err(|_| ClerkError::Closed)?
}
