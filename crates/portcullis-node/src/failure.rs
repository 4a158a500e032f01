//! What can go wrong, as errors that JavaScript can tell apart: the name of the kind, then the words.

use napi::Error;
use portcullis_engine::embedded::Failure;

/// The error that a failure is. `/typescript/lib/errors.js` reads it.
pub(crate) fn thrown(failure: Failure) -> Error {
    let kind = match failure {
        Failure::Config(_) => "ConfigError",
        Failure::Call(_) => "CallError",
        Failure::Record(_) => "RecordError",
        Failure::Internal(_) => "InternalError",
    };
    Error::from_reason(format!("{kind}: {failure}"))
}
