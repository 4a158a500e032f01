//! The pure decision engine of Portcullis: a call goes in, and what it would do, how risky that is and whether it may run come out.
//!
//! A call travels one way through this crate, one noun and one arrow at a time:
//!
//! ```text
//! ToolCall ─► Action ─► Effects ─► Findings ─► Assessment ─► Decision
//! call        action    understand  rules       assessment    policy
//! ```
//!
//! Nothing here reads a file, a clock, the environment or the network: what must be known about the world is asked for
//! with a [`FactPlan`] and handed in as [`Facts`], so that every decision can be replayed from its record.
//!
//! # An agent's call, judged
//!
//! ```
//! use portcullis_core::{Action, FactPlan, Facts, Gate, Policy, Risk, ToolCall, Verdict};
//!
//! let gate = Gate::new(Policy::default());
//! let call = |command: &str| {
//!     let mut call = ToolCall { tool: "bash".into(), ..ToolCall::default() };
//!     call.cwd = Some("/home/dev/project".into());
//!     call.home = Some("/home/dev".into());
//!     call.arguments.insert("command".into(), command.into());
//!     Action::from_call(call)
//! };
//!
//! // What is harmless runs.
//! let judgement = gate.judge(&call("git status")?, &Facts::default());
//! assert_eq!(judgement.decision.verdict, Verdict::Allow);
//!
//! // What costs a home directory does not, however it is written; each finding says why and where.
//! let action = call("cd /tmp && rm -rf -- \"$HOME\"/")?;
//! let judgement = gate.judge(&action, &Facts::default());
//! assert_eq!(judgement.decision.verdict, Verdict::Deny);
//! assert_eq!(judgement.assessment.risk, Risk::Critical);
//! assert_eq!(judgement.assessment.findings[0].rule, "fs.delete.home");
//! assert_eq!(judgement.action, action.digest());
//!
//! // What depends on the world is asked for. Answer as much of it as you know: what is missing makes nothing safer.
//! let plan: FactPlan = gate.plan(&call("sh ./build.sh")?);
//! assert!(plan.contents.iter().any(|path| path.ends_with("build.sh")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go on
//!
//! | for … | see |
//! |---|---|
//! | modes, confirmation and rules of your own | [`Policy`], [`PolicyOptions`] |
//! | an agent without a person, or another mode for one call | [`Context`] |
//! | analyzers beside the rules | [`analyze`] |
//! | text on its way to a model: secrets and planted instructions | [`inspect`], [`redact`] |
//! | one tool's arguments held to what they should be | [`validate`] |
//! | an agent's whole conversation as a state machine | [`conversation`] |
//! | files, the record, a person at a terminal, a gate in your process | the crate `portcullis-engine` |
//!
//! What is absent: input and output, threads, and panics. A call that is not understood is a value (a gap, and a coverage that is partial),
//! never an error and never "safe".

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod approval;
pub mod authority;
pub mod conversation;
pub mod gate;
pub mod guardian;
pub mod inspect;
pub mod intervention;
pub mod monitor;
pub mod policy;
pub mod threats;
pub mod validate;

pub use portcullis_injection::injection;
pub use portcullis_model::{
    Span, action, address, assessment, call, contract, decision, effect, facts, finding, place,
    risk, session, text, tool,
};
use portcullis_model::{deed, judgement, pointer};
pub use portcullis_network::network;
use portcullis_rules::class;
pub use portcullis_rules::{analyze, assessor, rules};
pub use portcullis_secrets::{redact, secrets};
pub use portcullis_understand::{programs, understand};

pub use self::{
    action::Action,
    assessment::Assessment,
    call::ToolCall,
    decision::{Decision, Verdict},
    effect::Effects,
    facts::{FactPlan, Facts},
    finding::Finding,
    gate::{Gate, Judgement},
    policy::{Context, Mode, Policy, PolicyOptions},
    risk::{Risk, Severity},
};
