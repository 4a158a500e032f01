//! OpenHands' documented example of confirmation mode: nothing runs before somebody said yes, and what is rejected is told to the agent.
//!
//! `cargo run --example confirmation_mode` needs no network and no key: the model is a scripted one on this machine. Put
//! [`Remote`](portcullis::conversation::Remote) with your own settings in its place.

#[expect(dead_code, reason = "this example uses a part of it")]
mod scripted;

use std::{error::Error, io::Write as _};

use portcullis::{
    conversation::{
        Conversation, Parts, Remote, built_in, events::Status, identity, line, registry,
    },
    guardian::Provider,
    session::{Options, Session},
    tools::Toolbox,
};
use portcullis_core::policy::Confirmation;
use portcullis_net::ResolverOptions;
use scripted::{Say, Scripted};
use serde_json::json;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    std::fs::write(home.path().join("notes.txt"), "one\n")?;
    let model = Scripted::start(
        Provider::OpenAi,
        vec![
            Say::call("view_file", json!({"path": "notes.txt"})),
            Say::call("create_file", json!({"path": "hello.txt", "content": "hello\n"})),
            Say::call("finish", json!({"message": "I looked, and wrote nothing."})),
        ],
    )?;
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let tools = registry(built_in("workspace-write", None)?, [])?;
    let mut conversation = Conversation::start(
        "Look at the notes, and greet.",
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

    // Every call asks, also what only reads. A lone `finish` never does.
    conversation.set_confirmation_policy(Confirmation::Always, "dev")?;
    while conversation.run()? == Status::WaitingForConfirmation {
        let pending: Vec<_> = conversation.pending().cloned().collect();
        if pending.iter().all(|action| action.tool == "view_file") {
            // An answer is bound to what was shown.
            for action in pending {
                conversation.approve(action.action, &action.hash, "dev")?;
            }
        } else {
            conversation.reject_pending_actions("no files today", "dev")?;
        }
    }
    assert_eq!(conversation.status(), Status::Finished);
    assert!(!home.path().join("hello.txt").exists());
    Ok(())
}
