//! What comes of a call and of a question, as JavaScript holds it.

use std::sync::Arc;

use napi::Result;
use napi_derive::napi;
use portcullis_engine::embedded;

use crate::failure::thrown;

/// A call that was judged. Nothing of it can be changed from outside.
#[napi]
pub struct Judged {
    pub(crate) inner: Arc<embedded::Judged>,
    decision: &'static str,
}

/// What the person at the terminal said.
#[napi(object)]
pub struct Said {
    /// Whether they agree.
    pub approves: bool,
    /// Who they are.
    pub by: String,
}

#[napi]
impl Judged {
    pub(crate) fn new(judged: embedded::Judged) -> Self {
        let decision = judged.decision();
        Self { inner: Arc::new(judged), decision }
    }

    /// The decision of the answer.
    #[napi(getter)]
    pub fn decision(&self) -> &'static str {
        self.decision
    }

    /// The answer to the call when it was judged, as `portcullis check --jsonl` writes it.
    #[napi(getter)]
    pub fn answer(&self) -> Result<&str> {
        self.inner.answer().map_err(thrown)
    }
}
