//! What runs on the pool of the process, one type for each thing that may take long: a record is synced, a gateway or a person is waited
//! for. Each holds what it needs, whatever the program does with its gate meanwhile.

use std::sync::Arc;

use napi::{Env, Result, Task};
use portcullis_engine::embedded;

use crate::{
    failure::thrown,
    judged::{Judged, Said},
};

/// A call on its way to a verdict.
pub struct Judging {
    pub(crate) engine: Arc<embedded::Engine>,
    pub(crate) line: String,
}

impl Task for Judging {
    type JsValue = Judged;
    type Output = embedded::Judged;

    fn compute(&mut self) -> Result<Self::Output> {
        self.engine.judge(&self.line).map_err(thrown)
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Judged> {
        Ok(Judged::new(output))
    }
}

/// Something that happened, on its way to be kept in mind.
pub struct Telling {
    pub(crate) engine: Arc<embedded::Engine>,
    pub(crate) line: String,
}

impl Task for Telling {
    type JsValue = String;
    type Output = String;

    fn compute(&mut self) -> Result<String> {
        self.engine.event(&self.line).map_err(thrown)
    }

    fn resolve(&mut self, _: Env, output: String) -> Result<String> {
        Ok(output)
    }
}

/// An answer on its way into the record.
pub struct Answering {
    pub(crate) engine: Arc<embedded::Engine>,
    pub(crate) judged: Arc<embedded::Judged>,
    pub(crate) approves: bool,
    pub(crate) by: String,
    pub(crate) action: String,
    pub(crate) reason: Option<String>,
}

impl Task for Answering {
    type JsValue = String;
    type Output = String;

    fn compute(&mut self) -> Result<String> {
        let Self { engine, judged, approves, by, action, reason } = self;
        engine.answered(judged, *approves, by, action, reason.as_deref()).map_err(thrown)
    }

    fn resolve(&mut self, _: Env, output: String) -> Result<String> {
        Ok(output)
    }
}

/// A question at the terminal.
pub struct Asking {
    pub(crate) engine: Arc<embedded::Engine>,
    pub(crate) judged: Arc<embedded::Judged>,
    pub(crate) seconds: u32,
}

impl Task for Asking {
    type JsValue = Said;
    type Output = Said;

    fn compute(&mut self) -> Result<Said> {
        let said = self.engine.ask_at_terminal(&self.judged, self.seconds.into());
        said.map(|(approves, by)| Said { approves, by }).map_err(thrown)
    }

    fn resolve(&mut self, _: Env, output: Said) -> Result<Said> {
        Ok(output)
    }
}

/// What a call answered, on its way to be looked through.
pub struct Ending {
    pub(crate) engine: Arc<embedded::Engine>,
    pub(crate) judged: Arc<embedded::Judged>,
    pub(crate) text: String,
    pub(crate) outcome: String,
}

impl Task for Ending {
    type JsValue = String;
    type Output = String;

    fn compute(&mut self) -> Result<String> {
        self.engine.outcome(&self.judged, &self.text, &self.outcome).map_err(thrown)
    }

    fn resolve(&mut self, _: Env, output: String) -> Result<String> {
        Ok(output)
    }
}
