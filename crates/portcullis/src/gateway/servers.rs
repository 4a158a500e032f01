//! MCP servers over the gateway's interface: which there are, what is held of each, and accepting it. Owns that whoever accepts may decide, and accepts
//! what they were shown; what a server shows and what is pinned of it, [`crate::pins`] says.

use std::{path::Path as FilePath, sync::Arc};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use portcullis_core::{approval::TwoPeople, authority::Duty};
use serde_json::{Value, json};

use super::{
    Gateway, Shared, access::Caller, approvals::read, problem::Problem, rights, shapes::AcceptShape,
};
use crate::{
    approvals::{ClerkError, Step},
    audit::{Body, Entry},
    mcp::{
        configured,
        overview::{self, Calls, mark, question_shape},
    },
    pins::{self, Files, Question, Seen},
    wire::VERSION,
};

/// The most things that are accepted at once.
const MOST: usize = 5_000;

pub(super) async fn list(State(gateway): State<Shared>) -> Result<Response, Problem> {
    let shape = apart(&gateway, |gateway| {
        let (all, is_cut) = overview::all(&gateway.state, gateway.fronts.servers());
        let configuration = gateway.bench.configuration();
        let mut servers = Vec::new();
        for files in &all {
            let calls = gateway.clerk.read(|store| {
                Calls::of(&files.server, |filter, visitor| store.each(filter, visitor))
            })?;
            let configured = gateway.fronts.server(&files.server);
            let held = configured::held(&configuration, &files.server, configured);
            let mut shape = overview::shape(files, configured, &held, &calls);
            if let Some(members) = shape.as_object_mut() {
                let (running, waiting) = gateway.fronts.running(&files.server);
                members.insert("running".to_owned(), running.into());
                members.insert("waiting".to_owned(), waiting.into());
            }
            servers.push(shape);
        }
        Ok(json!({"v": VERSION, "servers": servers, "more": is_cut}))
    });
    Ok(Json(shape.await?).into_response())
}

pub(super) async fn show(
    State(gateway): State<Shared>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let shape = apart(&gateway, move |gateway| {
        let files = known(gateway, &name)?;
        let held: Vec<Value> = overview::waiting(&files).iter().map(question_shape).collect();
        Ok(json!({"v": VERSION, "server": files.server, "held": held}))
    });
    Ok(Json(shape.await?).into_response())
}

/// Accepts what somebody was shown. What differs from that by now is not accepted, and neither is anything beside it.
pub(super) async fn accept(
    State(gateway): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let AcceptShape { marks } = read(&body)?;
    if marks.is_empty() || marks.len() > MOST {
        return Err(Problem::bad_input(
            "`marks` must name what is accepted, by what it was shown with",
        ));
    }
    rights::over_all(&gateway, &caller, Duty::Approve)?;
    if gateway.two_people != TwoPeople::Never {
        let words = "here two people decide what is grave, and one alone accepts no server; `portcullis mcp accept` does, at a terminal of this machine";
        return Err(Problem::new(StatusCode::FORBIDDEN, "one-of-two", words));
    }
    let by = caller.name.clone();
    let (server, accepted) = {
        let by = by.clone();
        apart(&gateway, move |gateway| {
            let files = known(gateway, &name)?;
            let seen = files.seen().unwrap_or_else(|_| Seen::default());
            let now: Vec<String> =
                Question::of(&files.known(), &seen).iter().filter_map(marked).collect();
            if let Some(other) = marks.iter().find(|mark| !now.contains(mark)) {
                let words = "what is held is not what you were shown any more; look at it again";
                let problem = Problem::new(StatusCode::CONFLICT, "other-held", words);
                return Err(problem.with("mark", json!(other)));
            }
            let wanted =
                |question: &Question| marked(question).is_some_and(|it| marks.contains(&it));
            let accepted = pins::accept(&files, &seen, &by, &wanted).map_err(|error| {
                let words = format!("it cannot be kept: {error}");
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unkept", words)
            })?;
            Ok((files.server, accepted))
        })
        .await?
    };
    let reason = format!(
        "server `{server}`: {}; all that is accepted: {}",
        accepted.names.join(", "),
        accepted.digest
    );
    let record = Body::new(&Entry::change(&by, "mcp accepted", reason), Timestamp::now());
    gateway.clerk.take(Step::Note { record, once: None }).await?;
    Ok(Json(json!({"v": VERSION, "accepted": accepted.names})).into_response())
}

/// The mark of what can be accepted here: what was shown whole.
fn marked(question: &Question) -> Option<String> {
    let is_shown = question_shape(question).get("mark").is_some_and(Value::is_string);
    is_shown.then(|| mark(question))
}

/// A server of which something is known. A name that is not leads to no file.
fn known(gateway: &Gateway, name: &str) -> Result<Files, Problem> {
    let state: &FilePath = &gateway.state;
    let (all, _) = overview::all(state, gateway.fronts.servers());
    all.into_iter().find(|files| files.server == name).ok_or_else(|| Problem::unknown("server"))
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
