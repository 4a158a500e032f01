//! A gate as Python sees it. Owns nothing but the way between the two languages; the interpreter's lock is released for the length of
//! each call.

use std::{path::PathBuf, time::Duration};

use portcullis_engine::embedded::{self, Gateway, RecordAt, Settings};
use pyo3::prelude::*;

use crate::failure::raised;

/// Where calls are judged.
#[pyclass(frozen, module = "portcullis_gate._native")]
pub(crate) struct Engine(embedded::Engine);

/// A call that was judged. Nothing of it can be changed from outside.
#[pyclass(frozen, module = "portcullis_gate._native")]
pub(crate) struct Judged(embedded::Judged);

/// Whether a record is kept, and where.
#[derive(FromPyObject)]
enum Record {
    Wanted(bool),
    At(PathBuf),
}

#[pymethods]
impl Judged {
    /// The answer to the call when it was judged, as `portcullis check --jsonl` writes it.
    #[getter]
    fn answer(&self, py: Python<'_>) -> PyResult<&str> {
        py.detach(|| self.0.answer()).map_err(raised)
    }
}

#[pymethods]
impl Engine {
    /// Opens a gate over the configuration of a file, or the usual one.
    #[new]
    #[pyo3(signature = (*, config, record, mode, monitor, can_ask, gateway, gateway_token, wait, package))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they have names, and Python's half is the only caller"
    )]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        record: Record,
        mode: Option<String>,
        monitor: bool,
        can_ask: bool,
        gateway: Option<String>,
        gateway_token: Option<PathBuf>,
        wait: u64,
        package: Option<PathBuf>,
    ) -> PyResult<Self> {
        let record = match record {
            Record::Wanted(true) => RecordAt::Usual,
            Record::Wanted(false) => RecordAt::Nowhere,
            Record::At(path) => RecordAt::Directory(path),
        };
        let wait = Duration::from_secs(wait);
        let gateway = gateway.map(|url| Gateway { url, token: gateway_token, wait });
        let settings = Settings { config, record, mode, monitor, can_ask, gateway, package };
        py.detach(|| embedded::Engine::open(settings)).map(Self).map_err(raised)
    }

    /// Judges one call, a line as `portcullis check --jsonl` reads it. Gives the decision, and what is kept of the call.
    fn judge(&self, py: Python<'_>, line: &str) -> PyResult<(&'static str, Judged)> {
        let judged = py.detach(|| self.0.judge(line)).map_err(raised)?;
        Ok((judged.decision(), Judged(judged)))
    }

    /// Keeps in mind what happened in a session, a line as `portcullis check --jsonl` reads it; gives the answer to it.
    fn event(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        py.detach(|| self.0.event(line)).map_err(raised)
    }

    /// Records somebody's answer to what asked; gives the answer of the gate after it. `action` is the hash that they were shown.
    fn answered(
        &self,
        py: Python<'_>,
        judged: &Judged,
        approves: bool,
        by: &str,
        action: &str,
        reason: Option<&str>,
    ) -> PyResult<String> {
        py.detach(|| self.0.answered(&judged.0, approves, by, action, reason)).map_err(raised)
    }

    /// Asks the person at the terminal about a call; gives whether they agree and who they are. Raises where nobody can be asked.
    fn ask_at_terminal(
        &self,
        py: Python<'_>,
        judged: &Judged,
        seconds: u64,
    ) -> PyResult<(bool, String)> {
        py.detach(|| self.0.ask_at_terminal(&judged.0, seconds)).map_err(raised)
    }

    /// Keeps in mind and in the record what a call answered; gives what stands in the text, as `portcullis inspect --json` says it.
    fn outcome(
        &self,
        py: Python<'_>,
        judged: &Judged,
        text: &str,
        outcome: &str,
    ) -> PyResult<String> {
        py.detach(|| self.0.outcome(&judged.0, text, outcome)).map_err(raised)
    }

    /// Opens what a process cannot share with the one that it was forked from.
    fn forked(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.forked()).map_err(raised)
    }

    /// What identifies the policy.
    #[getter]
    fn policy_id(&self) -> String {
        self.0.policy_id()
    }

    /// Why nothing can be recorded, where something should be.
    #[getter]
    fn broken(&self) -> Option<String> {
        self.0.broken()
    }
}
