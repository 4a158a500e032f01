//! What can go wrong, as exceptions of one tree. Owns how a panic becomes one of them: whoever calls a gate catches
//! exceptions, and a panic must not be what passes them by.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use pyo3::{create_exception, exceptions::PyException, prelude::*};
use serde::Serialize;

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

/// Runs something without the interpreter's lock. A panic in it is an [`InternalError`].
pub(crate) fn apart<T: Send>(py: Python<'_>, run: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(run)))
        .map_err(|panic| InternalError::new_err(words(panic.as_ref())))
}

/// The JSON of an answer.
pub(crate) fn json(answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| InternalError::new_err(error.to_string()))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a mistake without words".to_owned())
}
