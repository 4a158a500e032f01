//! The addon of the package `@portcullis-gate/core`: what JavaScript cannot do for itself. Calls come in and answers go out as the JSON
//! that the program reads and writes, so that both judge by the same words; everything that a person sees of it is written in
//! JavaScript, in `/typescript`. It judges nothing by itself.
//!
//! It speaks Node-API alone, so one build serves every Node and Bun that has version 6 of it. What may take long has two
//! forms: one that gives its answer at once, and one that runs on the pool of the process. Nothing here starts a thread, or opens
//! anything before a gate is opened.

mod engine;
mod failure;
mod judged;
mod task;

use napi::Result;
use napi_derive::napi;
use portcullis_engine::embedded;

use crate::failure::thrown;

/// What a text holds that an agent or its readers must be careful with: the answer of `portcullis inspect --json`.
#[napi]
pub fn inspect(text: String) -> Result<String> {
    embedded::inspect(&text).map_err(thrown)
}

/// A text without the secrets in it.
#[napi]
pub fn redact(text: String) -> Result<String> {
    embedded::redact(&text).map_err(thrown)
}

/// The version of the package.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
