//! What comes with a request. Owns how long it may be and take, whoever sends it.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    http::StatusCode,
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time::timeout;

use super::problem::Problem;

/// How long a body may take.
pub(super) const BODY: Duration = Duration::from_secs(20);

/// A body, read here so that no handler can be held up by a client that says a byte at a time, and nobody unknown fills the memory.
pub(super) async fn whole(body: Body, longest: usize) -> Result<Bytes, Problem> {
    match timeout(BODY, Limited::new(body, longest).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-long",
            format!("the body is longer than {} KiB", longest >> 10),
        )),
        Ok(Err(_)) => Err(Problem::bad_input("the body broke off")),
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "too-slow",
            "the body did not come in time",
        )),
    }
}
