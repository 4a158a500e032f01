//! The secure agent framework of the LLM-agent security guide: a registry of tools with permissions, validators and limits, the five checks before
//! each call, confirmations, and an execution that always ends for a reason.
//!
//! `cargo run --example secure_agent` needs no network and no key.

#[expect(dead_code, reason = "this example uses a part of it")]
mod scripted;

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    io::Write as _,
    sync::Arc,
    time::Duration,
};

use portcullis::{
    confirmation::{ConfirmationHandler, Responder},
    conversation::{
        Conversation, Parts, Remote,
        events::{EndReason, Event, Status},
        identity, line,
    },
    guardian::Provider,
    session::{Options, Session},
    tools::{Does, Function, Hints, Opened, Output, Registry, Schema, Tool, Toolbox},
};
use portcullis_core::{
    intervention::{Answer, Approvers, ConfirmationRequest},
    monitor::Limits,
    risk::Severity,
};
use portcullis_net::ResolverOptions;
use scripted::{Say, Scripted};
use serde_json::{Map, Value, json};

/// Looks a customer up.
struct Lookup;

impl Function for Lookup {
    fn call(
        &self,
        arguments: &Map<String, Value>,
        _: &BTreeMap<String, Vec<Opened>>,
    ) -> Result<Output, String> {
        let customer = arguments.get("customer").and_then(Value::as_u64).unwrap_or_default();
        Ok(Output { stdout: format!("customer {customer}: Ada"), ..Output::default() })
    }
}

/// Whoever answers for the person: a page, a chat, a queue. This one agrees to customer 7 alone.
struct Desk;

impl Responder for Desk {
    fn ask(&self, request: &ConfirmationRequest) -> Option<Answer> {
        Some(Answer {
            request_id: request.request_id.clone(),
            nonce: request.nonce.clone(),
            action: request.action.hash.clone(),
            confirmed: request.action.parameters.get("customer") == Some(&json!(7)),
            responder: "ops".to_owned(),
        })
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let lookup = Tool {
        name: "lookup_customer".to_owned(),
        description: "Looks a customer up by their number".to_owned(),
        schema: Schema::new(json!({
            "type": "object",
            "properties": {"customer": {"type": "integer", "minimum": 1}},
            "required": ["customer"],
        }))?,
        permissions: BTreeSet::from(["customers.read".to_owned()]),
        risk: Severity::Low,
        reversible: true,
        read_only: true,
        confirm: true,
        validators: BTreeMap::new(),
        handed: BTreeSet::new(),
        timeout: Duration::from_secs(30),
        output: 10_000,
        rate: Some(10),
        sandbox: "read-only".to_owned(),
        hints: Hints::default(),
        does: Does::Function(Arc::new(Lookup)),
    };
    let model = Scripted::start(
        Provider::OpenAi,
        vec![
            // Wrong parameters are told to the agent.
            Say::call("lookup_customer", json!({"customer": "seven"})),
            Say::Calls(vec![
                ("lookup_customer".to_owned(), json!({"customer": 7})),
                ("lookup_customer".to_owned(), json!({"customer": 8})),
            ]),
            // A tool that nobody registered ends the execution.
            Say::call("delete_customer", json!({"customer": 7})),
        ],
    )?;
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let limits = Limits { max_iterations: Some(20), ..Limits::default() };
    let handler = ConfirmationHandler::new(Arc::new(Desk)).approved_by(Approvers::Others);
    let mut conversation = Conversation::start(
        "Who is customer 7?",
        Parts {
            state: home.path().join("state"),
            toolbox: Toolbox::new(Registry::new([lookup])?, session, home.path())?
                .with_limits(limits),
            identity: identity("dev", ["customers.read".to_owned()]),
            model: Box::new(Remote::new(model.settings(), ResolverOptions::default())?),
            handler: Some(handler),
            gateway: None,
            security: None,
            price: None,
        },
    )?;
    let mut out = std::io::stdout();
    conversation.watch(move |event| {
        let _ = writeln!(out, "{}", line(event));
    });
    let status = conversation.run()?;
    assert_eq!(status, Status::Error, "it ended because of the tool that there is not");
    assert_eq!(conversation.state().ended(), Some(EndReason::Blocked));
    let ran =
        conversation.events().iter().filter(|kept| matches!(kept.event, Event::Intent { .. }));
    assert_eq!(ran.count(), 1, "only what somebody agreed to ran");
    Ok(())
}
