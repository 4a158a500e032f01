//! A call that was judged, as it is kept between the verdict, an answer to it and its outcome.

use std::sync::{Mutex, MutexGuard, PoisonError};

use portcullis::{
    audit::{Entry, Kind},
    session,
};
use pyo3::prelude::*;

/// A call that was judged. Nothing of it can be changed from outside.
#[pyclass(frozen, module = "portcullis_gate._native")]
pub(crate) struct Judged {
    inner: Mutex<session::Judged>,
}

impl Judged {
    pub(crate) const fn new(judged: session::Judged) -> Self {
        Self { inner: Mutex::new(judged) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, session::Judged> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a record says of a call beside what became of it.
pub(crate) fn about(judged: &session::Judged, kind: Kind) -> Entry {
    let call = &judged.action.call;
    Entry {
        refers_to: judged.sequence,
        action: Some(judged.action.id()),
        tool: Some(call.tool.clone()),
        session: call.session.clone(),
        agent: call.agent.clone(),
        cwd: call.cwd.clone(),
        ..Entry::new(kind)
    }
}
