//! What comes of a call and of a question, as JavaScript holds it.

use std::sync::Arc;

use napi_derive::napi;
use portcullis_engine::embedded;

/// A call that was judged. Nothing of it can be changed from outside.
#[napi]
pub struct Judged {
    pub(crate) inner: Arc<embedded::Judged>,
    answer: String,
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
    pub(crate) fn new((answer, judged): (String, embedded::Judged)) -> Self {
        let decision = judged.decision();
        Self { inner: Arc::new(judged), answer, decision }
    }

    /// The decision of the answer.
    #[napi(getter)]
    pub fn decision(&self) -> &'static str {
        self.decision
    }

    /// The answer, as `portcullis check --jsonl` writes it.
    #[napi(getter)]
    pub fn answer(&self) -> &str {
        &self.answer
    }
}
