//! Why one request led to no answer. Owns which troubles pass by themselves, so that asking again makes sense.

use std::time::Duration;

use portcullis_core::{guardian::Failing, redact::redact};
use portcullis_net::Failure;

/// How much is kept of a service's own words.
const DETAIL: usize = 200;

/// Why one request led to no answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trouble {
    /// Which kind.
    pub failing: Failing,
    /// Whether it may be gone with the next attempt.
    pub passes: bool,
    /// How long the service wants to be left alone.
    pub(crate) wait: Option<Duration>,
    /// What happened, for a person; without secrets.
    pub detail: String,
}

impl Trouble {
    /// Something that failed, and that asking again does not help.
    pub fn new(failing: Failing, detail: impl Into<String>) -> Self {
        Self { failing, passes: false, wait: None, detail: detail.into() }
    }

    /// The same, where asking again may help.
    pub fn passing(self) -> Self {
        Self { passes: true, ..self }
    }
}

/// The answer cannot be read. Asking again would give whoever wrote the action another throw.
pub fn malformed(detail: impl Into<String>) -> Trouble {
    Trouble::new(Failing::Malformed, detail)
}

/// The model would not answer.
pub fn refused() -> Trouble {
    Trouble::new(Failing::Refused, "the model refused")
}

/// What a status other than 200 means.
pub(super) fn of_status(status: u16, wait: Option<Duration>) -> Trouble {
    let detail = format!("the service answered with the status {status}");
    match status {
        401 | 403 => Trouble::new(Failing::Unauthorised, detail),
        408 | 425 | 429 | 500 | 502 | 503 | 504 | 529 => {
            Trouble { wait, ..Trouble::new(Failing::Rejected, detail).passing() }
        }
        _ => Trouble::new(Failing::Rejected, detail),
    }
}

/// What it means that no answer came.
pub(super) fn of_failure(failure: &Failure) -> Trouble {
    let words = redact(&failure.to_string()).into_owned();
    let detail: String = words.chars().take(DETAIL).collect();
    let cause = {
        let mut cause = failure;
        while let Failure::Hop { failure, .. } = cause {
            cause = failure;
        }
        cause
    };
    match cause {
        Failure::TooSlow(_) => Trouble::new(Failing::Timeout, detail),
        Failure::Unresolved { .. }
        | Failure::Unreachable { .. }
        | Failure::Broken(_)
        | Failure::Http(_) => Trouble::new(Failing::Unreachable, detail).passing(),
        Failure::Tls { .. } | Failure::Tunnel(_) => Trouble::new(Failing::Unreachable, detail),
        Failure::TooLong(_) | Failure::Encoding(_) | Failure::Unpacking(_) => {
            Trouble::new(Failing::Malformed, detail)
        }
        Failure::BadRequest(_) => Trouble::new(Failing::Unprepared, detail),
        other if other.is_refusal() => Trouble::new(Failing::Guarded, detail),
        _ => Trouble::new(Failing::Unreachable, detail),
    }
}
