//! What a client is told when something is not done: RFC 9457, with a word for programs. Owns the shape; which status fits, the handlers
//! know.

use std::str::FromStr as _;

use axum::{
    body::Body,
    extract::{FromRequestParts, Query},
    http::{HeaderValue, Response, StatusCode, Uri, header, request::Parts},
    response::IntoResponse,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::{
    approvals::{ClerkError, Id},
    audit::AuditError,
    config::suggestion,
    wire::Malformed,
};

/// The number of a request as a path has it; whatever else stands there names none.
pub(super) fn id(text: &str) -> Result<Id, Problem> {
    Id::from_str(text).map_err(|_| Problem::unknown("request"))
}

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    more: Map<String, Value>,
    retry_after: Option<u32>,
    closes: bool,
}

impl Problem {
    /// A problem with a word for programs and a sentence for people.
    #[must_use]
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            more: Map::new(),
            retry_after: None,
            closes: false,
        }
    }

    /// What came cannot be read.
    #[must_use]
    pub fn bad_input(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-input", detail)
    }

    /// There is no such thing.
    #[must_use]
    pub fn unknown(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", format!("there is no such {what}"))
    }

    /// With something more for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.more.insert(key.to_owned(), value);
        self
    }

    /// With the time after which it may be tried again.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// After which the connection is of no use: what is left of the body would be taken for the next request.
    #[must_use]
    pub fn closing(self) -> Self {
        Self { closes: true, ..self }
    }

    /// The sentence for people.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let Self { status, code, detail, more, retry_after, closes } = self;
        let mut shape = json!({
            "type": format!("urn:portcullis:problem:{code}"),
            "title": status.canonical_reason().unwrap_or("problem"),
            "status": status.as_u16(),
            "code": code,
            "detail": detail,
        });
        if let Some(object) = shape.as_object_mut() {
            object.extend(more);
        }
        let mut response = Response::new(Body::from(shape.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Marks an answer that tells a person or a chat, in its own form, what was wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told;

/// No secret can be made.
pub(super) fn no_randomness() -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "no-randomness",
        "the system gives no random numbers",
    )
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        Self::bad_input(malformed.message)
    }
}

/// The parameters of a query; one that nobody knows, or that is not what it should be, is named.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned> Parameters<T> {
    pub(super) fn of(uri: &Uri) -> Result<Self, Problem> {
        let read = Query::try_from_uri(uri);
        read.map(|Query(parameters)| Self(parameters)).map_err(|refused| {
            let message = refused.body_text();
            let message = message.rsplit("query string: ").next().unwrap_or(&message);
            // It begins with the name of the parameter, which it says once more.
            let message =
                message.find("unknown field").and_then(|at| message.get(at..)).unwrap_or(message);
            Problem::bad_input(match suggestion(message) {
                Some(help) => format!("a parameter of the query: {message}: {help}"),
                None => format!("a parameter of the query: {message}"),
            })
        })
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(&parts.uri)
    }
}

/// The store is for those who run the gateway: a client learns that it failed, not where it lies.
fn unstored() -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "unrecorded",
        "nothing goes on unrecorded, and the record cannot be written or read just now",
    )
    .retry_after(1)
}

impl From<AuditError> for Problem {
    fn from(_: AuditError) -> Self {
        unstored()
    }
}

impl From<ClerkError> for Problem {
    fn from(error: ClerkError) -> Self {
        match error {
            ClerkError::Store(_) => unstored(),
            ClerkError::Overloaded => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "too many decisions wait to be recorded",
            )
            .retry_after(1),
            ClerkError::Closed => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "closing",
                "the gateway is shutting down",
            ),
        }
    }
}
