//! OpenHands' documented example of a security analyzer: an ensemble says how risky each call is, `ConfirmRisky` which of them a person is asked
//! about. The actor's own claim (`security_risk`) counts among the analyzers only where it makes a call riskier.
//!
//! `cargo run --example security_analyzer` needs no network and no key.

#[expect(dead_code, reason = "this example uses a part of it")]
mod scripted;

use std::{error::Error, io::Write as _};

use portcullis::{
    conversation::{
        Conversation, Parts, Remote, built_in,
        events::{Event, Status},
        identity, line, registry,
    },
    guardian::Provider,
    session::{Options, Session},
    tools::Toolbox,
};
use portcullis_core::{
    policy::{Confirmation, Mode},
    risk::Severity,
};
use portcullis_net::ResolverOptions;
use scripted::{Say, Scripted};
use serde_json::json;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let model = Scripted::start(
        Provider::Anthropic,
        vec![
            Say::call(
                "create_file",
                json!({"path": "a.txt", "content": "a\n", "security_risk": "LOW"}),
            ),
            // It says that this is harmless.
            Say::call("bash", json!({"command": "rm -rf ~/*", "security_risk": "LOW"})),
            Say::call("finish", json!({"message": "done"})),
        ],
    )?;
    let session = Session::open(Options {
        unrecorded: true,
        // What a mode would ask about is left to the risk here.
        mode: Some(Mode::AcceptEdits),
        ..Options::default()
    });
    let tools = registry(built_in("workspace-write", None)?, [])?;
    let mut conversation = Conversation::start(
        "Write a file, and tidy up.",
        Parts {
            state: home.path().join("state"),
            toolbox: Toolbox::new(tools, session, home.path())?,
            identity: identity("dev", []),
            model: Box::new(Remote::new(model.settings(), ResolverOptions::default())?),
            handler: None,
            gateway: None,
            security: None,
            price: None,
        },
    )?;
    let mut out = std::io::stdout();
    conversation.watch(move |event| {
        let _ = writeln!(out, "{}", line(event));
    });
    conversation.set_security_analyzer("rules,declared,pattern,policy-rail", "dev")?;
    let risky = Confirmation::Risky { threshold: Severity::High, confirm_unknown: true };
    conversation.set_confirmation_policy(risky, "dev")?;

    let mut status = conversation.run()?;
    while status == Status::WaitingForConfirmation {
        // Each waiting action carries what was found, so that a person can judge it.
        for action in conversation.pending() {
            assert!(!action.findings.is_empty());
        }
        conversation.reject_pending_actions("not my home", "dev")?;
        status = conversation.run()?;
    }
    assert!(home.path().join("a.txt").exists(), "what is harmless was not asked about");
    let ran =
        conversation.events().iter().filter(|kept| matches!(kept.event, Event::Intent { .. }));
    assert_eq!(ran.count(), 1, "what is not did not run");
    Ok(())
}
