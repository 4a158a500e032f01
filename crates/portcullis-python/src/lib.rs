//! The extension module `portcullis_gate._native`: what Python cannot do for itself. Calls come in and answers go out as the JSON
//! that the program reads and writes, so that both judge by the same words; everything that a person sees of it is written
//! in Python, in `/python/portcullis_gate`. It judges nothing by itself.
//!
//! Nothing here holds the interpreter's lock while it judges, starts a thread, or opens anything before a gate is opened.

mod engine;
mod failure;
mod plain;

use portcullis_engine::embedded;
use pyo3::prelude::*;

use crate::failure::raised;

/// What a text holds that an agent or its readers must be careful with: the answer of `portcullis inspect --json`.
#[pyfunction]
#[pyo3(name = "inspect")]
fn inspect_text(py: Python<'_>, text: &str) -> PyResult<String> {
    py.detach(|| embedded::inspect(text)).map_err(raised)
}

/// A text without the secrets in it.
#[pyfunction]
#[pyo3(name = "redact")]
fn redact_text(py: Python<'_>, text: &str) -> PyResult<String> {
    py.detach(|| embedded::redact(text)).map_err(raised)
}

/// Assesses an action by the documented rules, a line as `portcullis assess --jsonl` reads it, without the rules of these names.
#[pyfunction]
fn assess(py: Python<'_>, line: &str, without: Vec<String>) -> PyResult<String> {
    py.detach(|| embedded::assess(line, &without)).map_err(raised)
}

/// The JSON of a value that is made of Python's own texts, numbers, lists and dictionaries; none where a part of it is of another class.
#[pyfunction]
fn encode(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    plain::encode(value)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("GateError", py.get_type::<failure::GateError>())?;
    module.add("ConfigError", py.get_type::<failure::ConfigError>())?;
    module.add("CallError", py.get_type::<failure::CallError>())?;
    module.add("RecordError", py.get_type::<failure::RecordError>())?;
    module.add("InternalError", py.get_type::<failure::InternalError>())?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<engine::Judged>()?;
    module.add_function(wrap_pyfunction!(inspect_text, module)?)?;
    module.add_function(wrap_pyfunction!(redact_text, module)?)?;
    module.add_function(wrap_pyfunction!(assess, module)?)?;
    module.add_function(wrap_pyfunction!(encode, module)?)?;
    Ok(())
}
