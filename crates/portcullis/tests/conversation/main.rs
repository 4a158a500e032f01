//! Whole conversations with a model that says what a test wants, behind a real socket or beside it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a test may fail by panicking"
)]

mod crash;
mod hostile;
#[expect(dead_code, reason = "these tests use a part of it")]
#[path = "../../examples/scripted/mod.rs"]
mod scripted;
mod whole;

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use portcullis::{
    conversation::{
        Called, Conversation, Model, ModelError, Parts, Prompt, Reply, Turn, built_in,
        events::{EndReason, Event, Status},
        identity, registry,
    },
    session::{Options, Session},
    tools::{Does, Function, Hints, Opened, Output, Schema, Tool, Toolbox},
};
use portcullis_core::{monitor::Limits, policy::Mode, risk::Severity};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// What a model says in its turn.
pub(crate) type Said = Result<Vec<(&'static str, Value)>, ModelError>;

/// A model that answers by how much of its own it is shown, so that it goes on where it stood.
pub(crate) struct Script {
    pub(crate) turns: Arc<dyn Fn(usize) -> Said + Send + Sync>,
    pub(crate) shown: Arc<Mutex<Vec<Prompt>>>,
}

impl Model for Script {
    fn reply(&mut self, prompt: &Prompt, _: &Arc<AtomicBool>) -> Result<Reply, ModelError> {
        self.shown.lock().unwrap().push(prompt.clone());
        let said =
            prompt.turns.iter().filter(|turn| matches!(turn, Turn::Assistant { .. })).count();
        let calls = (self.turns)(said)?;
        let call = |(at, (tool, arguments)): (usize, (&str, Value))| Called {
            id: format!("m{at}"),
            tool: tool.to_owned(),
            arguments: match arguments {
                Value::Object(arguments) => Ok(arguments),
                _ => Err("the arguments are no JSON object".to_owned()),
            },
        };
        let calls: Vec<Called> = calls.into_iter().enumerate().map(call).collect();
        let text = if calls.is_empty() { "I am done.".to_owned() } else { String::new() };
        Ok(Reply { text, calls, ..Reply::default() })
    }

    fn name(&self) -> String {
        "script".to_owned()
    }
}

/// A workspace, a state directory, and what really ran.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) shown: Arc<Mutex<Vec<Prompt>>>,
    pub(crate) limits: Limits,
    pub(crate) mode: Option<Mode>,
}

/// Writes down that it ran, outside of everything else.
struct Ran(PathBuf);

impl Function for Ran {
    fn call(
        &self,
        arguments: &Map<String, Value>,
        _: &BTreeMap<String, Vec<Opened>>,
    ) -> Result<Output, String> {
        let title = arguments["title"].as_str().unwrap_or_default();
        let mut file = fs::File::options().create(true).append(true).open(&self.0).unwrap();
        writeln!(file, "{title}").unwrap();
        if title.starts_with("fail") {
            return Err("it went wrong".to_owned());
        }
        Ok(Output { stdout: format!("noted {title}"), ..Output::default() })
    }
}

/// A directory of ours, or of another process.
pub(crate) enum Home {
    Own(TempDir),
    Other(PathBuf),
}

impl Home {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Own(home) => home.path(),
            Self::Other(home) => home,
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::at(Home::Own(TempDir::new().unwrap()))
    }

    /// The one of another process.
    pub(crate) fn of(home: &Path) -> Self {
        Self::at(Home::Other(home.to_owned()))
    }

    fn at(home: Home) -> Self {
        fs::create_dir_all(home.path().join("work")).unwrap();
        let limits =
            Limits { max_iterations: Some(200), actions_per_minute: None, ..Limits::default() };
        Self { home, shown: Arc::default(), limits, mode: None }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    /// What ran, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path().join("ran")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn parts_with(&self, model: Box<dyn Model>) -> Parts {
        let mut session = Session::open(Options {
            unrecorded: true,
            mode: self.mode,
            cwd: Some(self.work().to_string_lossy().into_owned()),
            ..Options::default()
        });
        session.record_nothing();
        let note = Tool {
            name: "note".to_owned(),
            description: "notes a title".to_owned(),
            schema: Schema::new(json!({
                "type": "object",
                "properties": {"title": {"type": "string"}},
                "required": ["title"],
            }))
            .unwrap(),
            permissions: ["agent".to_owned()].into(),
            risk: Severity::Low,
            reversible: true,
            read_only: false,
            confirm: false,
            validators: BTreeMap::new(),
            handed: Default::default(),
            timeout: Duration::from_secs(30),
            output: 10_000,
            rate: None,
            sandbox: "read-only".to_owned(),
            hints: Hints::default(),
            does: Does::Function(Arc::new(Ran(self.home.path().join("ran")))),
        };
        let tools = registry(built_in("workspace-write", None).unwrap(), [note]).unwrap();
        let toolbox = Toolbox::new(tools, session, &self.work()).unwrap().with_limits(self.limits);
        Parts {
            state: self.state(),
            toolbox,
            identity: identity("dev", []),
            model,
            handler: None,
            gateway: None,
            security: None,
            price: None,
        }
    }

    pub(crate) fn parts(&self, turns: impl Fn(usize) -> Said + Send + Sync + 'static) -> Parts {
        let shown = Arc::clone(&self.shown);
        self.parts_with(Box::new(Script { turns: Arc::new(turns), shown }))
    }

    pub(crate) fn start(
        &self,
        turns: impl Fn(usize) -> Said + Send + Sync + 'static,
    ) -> Conversation {
        Conversation::start("do it", self.parts(turns)).unwrap()
    }

    /// What the model was told in the end.
    pub(crate) fn last_shown(&self) -> String {
        format!("{:?}", self.shown.lock().unwrap().last().unwrap().turns)
    }
}

pub(crate) fn note(title: &str) -> (&'static str, Value) {
    ("note", json!({"title": title}))
}

/// The first thing that waits.
pub(crate) fn waiting(conversation: &Conversation) -> Vec<(u64, String)> {
    conversation.pending().map(|one| (one.action, one.hash.clone())).collect()
}

/// Agrees to everything, until it is over.
pub(crate) fn carried_out(conversation: &mut Conversation) -> Status {
    for _ in 0..200 {
        let status = conversation.run().unwrap();
        if status != Status::WaitingForConfirmation {
            return status;
        }
        for (action, hash) in waiting(conversation) {
            if let Err(error) = conversation.approve(action, &hash, "dev") {
                conversation.reject(action, &error.to_string(), "dev").unwrap();
            }
        }
    }
    panic!("it does not end");
}

pub(crate) fn ended(conversation: &Conversation) -> (EndReason, String) {
    let last = conversation.events().iter().rev().find_map(|kept| match &kept.event {
        Event::Ended { reason, message } => Some((*reason, message.clone())),
        _ => None,
    });
    last.unwrap_or_else(|| panic!("{:#?}", conversation.events()))
}

pub(crate) fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

pub(crate) fn once(flag: &AtomicBool) -> bool {
    !flag.swap(true, Ordering::SeqCst)
}
