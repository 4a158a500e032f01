//! What can go wrong, as exceptions of one tree.

use portcullis_engine::embedded::Failure;
use pyo3::{create_exception, exceptions::PyException, prelude::*};

create_exception!(portcullis_gate, GateError, PyException, "Everything that a gate raises.");
create_exception!(portcullis_gate, ConfigError, GateError, "The configuration cannot be used.");
create_exception!(
    portcullis_gate,
    CallError,
    GateError,
    "What was given is no call, or not what the tool takes: nothing was judged."
);
create_exception!(
    portcullis_gate,
    RecordError,
    GateError,
    "What must be recorded or kept in mind cannot be."
);
create_exception!(
    portcullis_gate,
    InternalError,
    GateError,
    "A mistake of ours: nothing was judged."
);

/// The exception that a failure is.
pub(crate) fn raised(failure: Failure) -> PyErr {
    match failure {
        Failure::Config(words) => ConfigError::new_err(words),
        Failure::Call(words) => CallError::new_err(words),
        Failure::Record(words) => RecordError::new_err(words),
        Failure::Internal(words) => InternalError::new_err(words),
    }
}
