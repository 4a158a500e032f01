//! A gate as JavaScript sees it. Owns nothing but the way between the two languages.

use std::{path::PathBuf, sync::Arc, time::Duration};

use napi::{Result, bindgen_prelude::AsyncTask};
use napi_derive::napi;
use portcullis_engine::embedded::{self, Gateway, RecordAt};

use crate::{
    failure::thrown,
    judged::Judged,
    task::{Answering, Asking, Ending, Judging, Telling},
};

/// What a gate is opened with. `/typescript/lib/gate.js` says what each means.
#[napi(object)]
pub struct Settings {
    /// The file of a configuration.
    pub config: Option<String>,
    /// Whether a record is kept, unless `state` says where.
    pub record: bool,
    /// The state directory of another record.
    pub state: Option<String>,
    /// The permission mode that is enforced.
    pub mode: Option<String>,
    /// Whether what is noticed about a session raises decisions.
    pub monitor: bool,
    /// Whether a person can be asked.
    pub can_ask: bool,
    /// The URL of a gateway.
    pub gateway: Option<String>,
    /// The file with its token.
    pub gateway_token: Option<String>,
    /// How many seconds a person is waited for there.
    pub wait: u32,
    /// The folder of the package.
    pub package: String,
}

/// Where calls are judged.
#[napi]
pub struct Engine(Arc<embedded::Engine>);

#[napi]
impl Engine {
    /// Opens a gate over the configuration of a file, or the usual one.
    #[napi(constructor)]
    pub fn new(settings: Settings) -> Result<Self> {
        let Settings { config, record, state, mode, monitor, can_ask, .. } = settings;
        let Settings { gateway, gateway_token, wait, package, .. } = settings;
        let record = match state {
            Some(path) => RecordAt::Directory(PathBuf::from(path)),
            None if record => RecordAt::Usual,
            None => RecordAt::Nowhere,
        };
        let gateway = gateway.map(|url| Gateway {
            url,
            token: gateway_token.map(PathBuf::from),
            wait: Duration::from_secs(wait.into()),
        });
        let engine = embedded::Engine::open(embedded::Settings {
            config: config.map(PathBuf::from),
            record,
            mode,
            monitor,
            can_ask,
            gateway,
            package: Some(PathBuf::from(package)),
        });
        engine.map(Arc::new).map(Self).map_err(thrown)
    }

    /// Judges one call, a line as `portcullis check --jsonl` reads it.
    #[napi]
    pub fn judge_sync(&self, line: String) -> Result<Judged> {
        self.0.judge(&line).map(Judged::new).map_err(thrown)
    }

    /// As `judgeSync`, on the pool.
    #[napi(ts_return_type = "Promise<Judged>")]
    pub fn judge(&self, line: String) -> AsyncTask<Judging> {
        AsyncTask::new(Judging { engine: Arc::clone(&self.0), line })
    }

    /// Keeps in mind what happened in a session; gives the answer to it.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn event(&self, line: String) -> AsyncTask<Telling> {
        AsyncTask::new(Telling { engine: Arc::clone(&self.0), line })
    }

    /// Records somebody's answer to what asked; gives the answer of the gate after it. `action` is the hash that they were shown.
    #[napi]
    pub fn answered_sync(
        &self,
        judged: &Judged,
        approves: bool,
        by: String,
        action: String,
        reason: Option<String>,
    ) -> Result<String> {
        self.0.answered(&judged.inner, approves, &by, &action, reason.as_deref()).map_err(thrown)
    }

    /// As `answeredSync`, on the pool.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn answered(
        &self,
        judged: &Judged,
        approves: bool,
        by: String,
        action: String,
        reason: Option<String>,
    ) -> AsyncTask<Answering> {
        let judged = Arc::clone(&judged.inner);
        let engine = Arc::clone(&self.0);
        AsyncTask::new(Answering { engine, judged, approves, by, action, reason })
    }

    /// Asks the person at the terminal about a call, on the pool.
    #[napi(ts_return_type = "Promise<Said>")]
    pub fn ask_at_terminal(&self, judged: &Judged, seconds: u32) -> AsyncTask<Asking> {
        let judged = Arc::clone(&judged.inner);
        AsyncTask::new(Asking { engine: Arc::clone(&self.0), judged, seconds })
    }

    /// Keeps in mind and in the record what a call answered; gives what stands in the text, as `portcullis inspect --json` says it.
    #[napi]
    pub fn outcome_sync(&self, judged: &Judged, text: String, outcome: String) -> Result<String> {
        self.0.outcome(&judged.inner, &text, &outcome).map_err(thrown)
    }

    /// As `outcomeSync`, on the pool.
    #[napi(ts_return_type = "Promise<string>")]
    pub fn outcome(&self, judged: &Judged, text: String, outcome: String) -> AsyncTask<Ending> {
        let judged = Arc::clone(&judged.inner);
        AsyncTask::new(Ending { engine: Arc::clone(&self.0), judged, text, outcome })
    }

    /// What identifies the policy.
    #[napi(getter)]
    pub fn policy_id(&self) -> String {
        self.0.policy_id()
    }

    /// Why nothing can be recorded, where something should be.
    #[napi(getter)]
    pub fn broken(&self) -> Option<String> {
        self.0.broken()
    }
}
